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

/* One that is looked for. Both owned (forget). */
struct found {
	struct calibration *calibration; /* NULL: there is none */
	char *text;
};

static void forget(struct found *found)
{
	calibration_destroy(found->calibration);
	free(found->text);
	*found = (struct found){0};
}

/* The file, if it is fit. */
static int read_file(
	const char *path, const struct identity *identity, struct found *found, struct error *error)
{
	int failed = calibration_load(&found->calibration, &found->text, path, error);

	return failed ? failed
		      : identity_compare(&found->calibration->identity, identity,
				calibration_subject(path).text, error);
}

/* What is kept; nothing there is no failure. */
static int read_cache(const struct identity *identity, struct found *found, struct error *error)
{
	struct error why = {0};
	int failed = cache_read(&found->calibration, &found->text, identity, &why);

	if (!failed || why.code == ERROR_MISSING)
		return 0;
	return error_set(error, why.code, "%s", why.text);
}

/* ---- what an event costs ---- */

static bool is_jitted(uint32_t code)
{
	const unsigned types[] = {sequence_first_type(code), sequence_second_type(code),
		sequence_third_type(code)};

	for (size_t i = 0; code < SEQUENCE_UNWIND && i < sizeof(types) / sizeof(*types); i++)
		if (types[i] >> 1 != STATE_JITTED)
			return false;
	return code < SEQUENCE_UNWIND;
}

/* Of the metric in ns that tells of processor time most. -1: there is none. */
static int time_metric(const struct calibration *calibration)
{
	static const char *const names[] = {"cpu", "wall"};

	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++)
		for (unsigned m = 0; m < calibration->metric_count; m++)
			if (strcmp(calibration->metric[m].name, names[i]) == 0)
				return (int)m;
	return -1;
}

/* The mean over all sequences of compiled methods, which is what mostly runs. Each event ends one
 * stretch. 0: it is not known. */
static double event_ns(const struct calibration *calibration)
{
	int metric = time_metric(calibration);
	double sum = 0;
	size_t count = 0;

	for (size_t i = 0; metric >= 0 && i < calibration->row_count; i++) {
		if (!is_jitted(calibration->row[i].code))
			continue;
		sum += calibration->row[i].cost[metric].cost;
		count++;
	}
	return count > 0 ? sum / (double)count : 0;
}

/* ---- the session's ---- */

static void take(struct session *session, const struct found *found)
{
	double cost = event_ns(found->calibration);

	session_note(session, "calibration", found->text);
	if (cost <= 0)
		return;
	session->event_ns = cost;
	session->event_calibrated = true;
}

void session_calibrate(struct session *session)
{
	const char *choice = session->options.calibration;
	struct identity identity;
	struct error error = {0};
	struct found found = {0};
	int failed;

	if (session->options.calls == CALLS_OFF || strcmp(choice, "off") == 0 ||
		!metric_set_is_probed(&session->metrics))
		return;
	identify(session, &identity);
	if (strcmp(choice, "auto") == 0)
		failed = read_cache(&identity, &found, &error);
	else
		failed = read_file(choice, &identity, &found, &error);
	if (failed) {
		log_line(LOG_WARN, "%s; the profile has no calibration", error.text);
		session_note(session, "calibration.refused", error.text);
	} else if (found.calibration) {
		take(session, &found);
	}
	forget(&found);
}
