/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/* from_inside: see from_inside.h. */
#include "agent/inside/from_inside.h"

#include <stdlib.h>
#include <string.h>

#include "agent/inside/thread_tags.h"
#include "agent/recording/recorder.h"
#include "agent/threads/thread_events.h"
#include "agent/threads/threads.h"

bool from_inside_recording(void)
{
	return session_now() != 0;
}

/* ---- its session ---- */

int from_inside_start(const char *options, struct error *error)
{
	const struct recorder_request request = {
		.options = options, .name = RECORDER_PROGRAM, .owner = "the program"};

	return recorder_start(&request, NULL, error);
}

/* The name of the program's session; NULL: it has none. */
static const char *own_name(void)
{
	return recorder_has(RECORDER_PROGRAM, 0) ? RECORDER_PROGRAM : NULL;
}

int from_inside_stop(struct error *error)
{
	return recorder_stop(own_name(), 0, NULL, error);
}

/* ---- snapshots ---- */

/* The thread waits for a flush, which is to show it as it was before. */
int from_inside_snapshot(const char *label, struct error *error)
{
	struct thread_context *context = slot_pause();
	char *label_out = NULL;
	uint64_t at_ns;
	int code = recorder_snapshot(own_name(), label, &label_out, &at_ns, error);

	slot_resume(context);
	free(label_out);
	return code;
}

int from_inside_reset(struct error *error)
{
	struct thread_context *context = slot_pause();
	int code = recorder_reset(own_name(), error);

	slot_resume(context);
	return code;
}

/* ---- marks ---- */

/* The JVM is asked before the gate: a thread may be suspended in it, and within the gate there
 * is nothing that waits. */
int from_inside_mark(const char *name)
{
	struct thread_context *context = slot_pause();
	JNIEnv *jni = name && from_inside_recording() ? jvm_env() : NULL;
	struct jvm_thread thread = {0};
	struct session *session;
	jthrowable exception;

	if (jni) {
		exception = jvm_exception_aside(jni);
		jvm_describe_thread(jni, NULL, &thread);
		jvm_exception_back(jni, exception);
	}
	session = name ? threads_look() : NULL;
	if (session) {
		writer_mark(session->writer, name, thread.java_id, jni ? thread.name : NULL);
		threads_leave();
	}
	slot_resume(context);
	return session ? 0 : -1;
}

/* ---- values ---- */

static int read_thread(
	const struct session *session, int64_t java_id, unsigned metric, uint64_t *value)
{
	struct thread_context *aside, *context;

	aside = context = slot_pause();
	if (!context && slot_is_outside())
		context = slot_context(slot_current);
	if (context)
		*value = slot_used(slot_current, metric);
	slot_resume(aside);
	return context ? 0 : -1;
}

static int read_other(
	const struct session *session, int64_t java_id, unsigned metric, uint64_t *value)
{
	struct thread_context *aside = slot_pause();
	uint64_t total[METRIC_MAX];
	bool found = trace_thread_totals(session->trace, java_id, total);

	slot_resume(aside);
	if (found)
		*value = total[metric];
	return found ? 0 : -1;
}

static int read_total(
	const struct session *session, int64_t java_id, unsigned metric, uint64_t *value)
{
	struct thread_context *aside = slot_pause();
	uint64_t total[METRIC_MAX];

	trace_totals(session->trace, total);
	slot_resume(aside);
	*value = total[metric];
	return 0;
}

static int read_value(const char *name, int64_t java_id,
	int (*read)(const struct session *session, int64_t java_id, unsigned metric,
		uint64_t *value),
	uint64_t *value)
{
	const struct session *session = name ? threads_look() : NULL;
	const struct metric_set *metrics;
	int code = -1;

	if (!session)
		return -1;
	metrics = session_metrics(session);
	for (unsigned i = 0; i < metrics->count && code; i++)
		if (strcmp(metrics->metric[i].name, name) == 0)
			code = read(session, java_id, i, value);
	threads_leave();
	return code;
}

int from_inside_thread_value(const char *metric, uint64_t *value)
{
	JNIEnv *jni = jvm_env();
	jthrowable exception;

	/* It may have raised no event in this session yet. */
	if (jni) {
		exception = jvm_exception_aside(jni);
		thread_events_adopt(jni, NULL, FOUND_NONE);
		jvm_exception_back(jni, exception);
	}
	return read_value(metric, 0, read_thread, value);
}

int from_inside_total_value(const char *metric, uint64_t *value)
{
	return read_value(metric, 0, read_total, value);
}

int from_inside_thread_value_of(int64_t java_id, const char *metric, uint64_t *value)
{
	return read_value(metric, java_id, read_other, value);
}

/* ---- tags ---- */

int from_inside_tag_set(const char *key, const char *value)
{
	struct tagged_thread thread;
	int64_t before;

	if (!tagged_begin(&thread, true))
		return -1;
	before = tagged_put(&thread, tagged_number(&thread, key, value));
	tagged_end(&thread);
	return before < 0 ? -1 : 0;
}

int64_t from_inside_tags(void)
{
	struct tagged_thread thread;
	int64_t tags;

	if (!tagged_begin(&thread, false))
		return -1;
	tags = tagged_now(&thread);
	tagged_end(&thread);
	return tags;
}

int from_inside_tags_use(int64_t tags)
{
	struct tagged_thread thread;
	int64_t before;

	if (!tagged_begin(&thread, false))
		return -1;
	before = tagged_use(&thread, tags);
	tagged_end(&thread);
	return before < 0 ? -1 : 0;
}
