/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/* traced_log: see traced_log.h. */
#include "agent/tracers/traced_log.h"

#include <stdio.h>

#include "agent/log/log.h"

int traced_log_on(struct traced_log *log, JNIEnv *jni, const char *const *what,
	log_line_taker take, void *argument, struct error *error)
{
	return vm_log_open(&log->log, jni, what, take, argument, error);
}

bool traced_log_off(struct traced_log *log, JNIEnv *jni)
{
	struct vm_log_losses losses = {0};

	if (!log->log)
		return false;
	if (!vm_log_close(log->log, jni, &losses) && !atomic_exchange(&log->silenced, true))
		log_line(LOG_WARN,
			"the trace %s may lack something: the JVM's log was switched off by "
			"somebody else",
			log->trace);
	log->log = NULL;
	atomic_fetch_add(&log->unread_bytes, losses.bytes);
	atomic_fetch_add(&log->strange_lines, losses.strange);
	return true;
}

void traced_log_facts(const struct traced_log *log, fact_put put, void *argument)
{
	const struct {
		const char *what;
		uint64_t count;
	} facts[] = {
		{"unread_bytes", atomic_load(&log->unread_bytes)},
		{"strange_lines", atomic_load(&log->strange_lines)},
		{"silenced", atomic_load(&log->silenced)},
	};

	for (size_t i = 0; i < sizeof(facts) / sizeof(*facts); i++) {
		char key[64];

		snprintf(key, sizeof(key), "%s.%s", log->trace, facts[i].what);
		if (facts[i].count)
			fact_put_number(put, argument, key, facts[i].count);
	}
}

void traced_log_forget(struct traced_log *log)
{
	atomic_store(&log->unread_bytes, 0);
	atomic_store(&log->strange_lines, 0);
	atomic_store(&log->silenced, false);
}
