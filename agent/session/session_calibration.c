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

/* ---- what an event costs ---- */

/* The mean over all sequences of compiled methods, which is what mostly runs. Each event ends one
 * delta. 0: it is not known. */
static double event_ns(const struct calibration *calibration)
{
	static const char *const names[] = {"cpu", "wall"};
	int metric = -1;
	double sum = 0;
	size_t count = 0;

	/* Of the metrics in ns the one that tells of processor time most. */
	for (size_t i = 0; metric < 0 && i < sizeof(names) / sizeof(*names); i++)
		for (unsigned m = 0; metric < 0 && m < calibration->metric_count; m++)
			if (strcmp(calibration->metric[m].name, names[i]) == 0)
				metric = (int)m;
	for (size_t i = 0; metric >= 0 && i < calibration->row_count; i++) {
		uint32_t code = calibration->row[i].code;

		if (code >= SEQUENCE_UNWIND || sequence_first_type(code) >> 1 != STATE_JITTED ||
			sequence_second_type(code) >> 1 != STATE_JITTED ||
			sequence_third_type(code) >> 1 != STATE_JITTED)
			continue;
		sum += calibration->row[i].cost[metric].cost;
		count++;
	}
	return count > 0 ? sum / (double)count : 0;
}

void session_calibrate(struct session *session)
{
	const char *choice = session->options.calibration;
	bool is_auto = strcmp(choice, "auto") == 0;
	struct calibration *found = NULL;
	char *text = NULL;
	struct identity identity;
	struct error error = {0};
	int failed;

	if (!(session_times_calls(session) || session->options.calls == CALLS_EVENTS) ||
		strcmp(choice, "off") == 0 || !metric_set_is_probed(&session->metrics))
		return;
	identity_init(&identity, note_of, session);
	for (unsigned i = 0; i < session->metrics.count; i++)
		identity_add_metric(&identity, session->metrics.metric[i].name);

	/* The file, if it is fit; or what is kept, where nothing is no failure. */
	if (is_auto)
		failed = cache_read(&found, &text, &identity, &error);
	else
		failed = calibration_load(&found, &text, choice, &error);
	if (!failed && !is_auto)
		failed = identity_compare(
			&found->identity, &identity, calibration_subject(choice).text, &error);
	if (failed && !(is_auto && error.code == ERROR_MISSING)) {
		log_line(LOG_WARN, "%s; the profile has no calibration", error.text);
		session_note(session, "calibration.refused", error.text);
	} else if (!failed && found) {
		double cost = event_ns(found);

		session_note(session, "calibration", text);
		if (cost > 0) {
			session->event_ns = cost;
			session->event_calibrated = true;
		}
	}
	calibration_destroy(found);
	free(text);
}
