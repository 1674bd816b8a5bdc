/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/* session_calibration: see session_calibration.h. */
#include "agent/session/session_calibration.h"

#include <stdlib.h>
#include <string.h>

#include "agent/log/log.h"
#include "calibration/cache.h"
#include "calibration/calibration_file.h"

static const char *note_of(const void *argument, const char *key)
{
	const struct session *session = argument;

	for (unsigned i = 0; i < session->notes; i++)
		if (strcmp(session->note[i].key, key) == 0)
			return session->note[i].value;
	return NULL;
}

static void identify(const struct session *session, struct identity *identity)
{
	identity_init(identity, note_of, session);
	for (unsigned i = 0; i < session->metrics.count; i++)
		identity_add_metric(identity, session->metrics.metric[i].name);
}

/* The text of the file, if it is fit. Owned by the caller. */
static int read_file(
	const char *path, const struct identity *identity, char **text, struct error *error)
{
	struct calibration *calibration;
	int failed = calibration_load(&calibration, text, path, error);

	if (!failed)
		failed = identity_compare(&calibration->identity, identity,
			calibration_subject(path).text, error);
	calibration_destroy(calibration);
	return failed;
}

/* The same; nothing there is no failure. */
static int read_cache(const struct identity *identity, char **text, struct error *error)
{
	struct calibration *calibration;
	struct error why = {0};
	int failed = cache_read(&calibration, text, identity, &why);

	calibration_destroy(calibration);
	if (!failed || why.code == ERROR_MISSING)
		return 0;
	return error_set(error, why.code, "%s", why.text);
}

void session_calibrate(struct session *session)
{
	const char *choice = session->options.calibration;
	struct identity identity;
	struct error error = {0};
	char *text = NULL;
	int failed;

	if (session->options.calls == CALLS_OFF || strcmp(choice, "off") == 0)
		return;
	identify(session, &identity);
	if (strcmp(choice, "auto") == 0)
		failed = read_cache(&identity, &text, &error);
	else
		failed = read_file(choice, &identity, &text, &error);
	if (failed) {
		log_line(LOG_WARN, "%s; the profile has no calibration", error.text);
		session_note(session, "calibration.refused", error.text);
	} else {
		session_note(session, "calibration", text);
	}
	free(text);
}
