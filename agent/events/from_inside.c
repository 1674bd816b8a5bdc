/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/* from_inside: see from_inside.h. */
#include "agent/events/from_inside.h"

#include <stdlib.h>
#include <string.h>

#include "agent/events/recording.h"
#include "agent/events/thread_events.h"

bool from_inside_recording(void)
{
	return atomic_load(&thread_events_session) != 0;
}

/* ---- the calling thread ---- */

/* NULL: the JVM does not know the thread. */
static JNIEnv *jni_of_thread(void)
{
	JNIEnv *jni = NULL;

	if (!events.jvm.vm ||
		(*events.jvm.vm)->GetEnv(events.jvm.vm, (void **)&jni, JNI_VERSION_1_8))
		return NULL;
	return jni;
}

/* Calls action without a pending exception, which is pending again afterwards. */
static void without_exception(
	JNIEnv *jni, void (*action)(JNIEnv *jni, void *argument), void *argument)
{
	jthrowable exception = (*jni)->ExceptionOccurred(jni);

	if (exception)
		(*jni)->ExceptionClear(jni);
	action(jni, argument);
	if (!exception)
		return;
	(*jni)->Throw(jni, exception);
	(*jni)->DeleteLocalRef(jni, exception);
}

static void join(JNIEnv *jni, void *unused)
{
	(void)unused;
	thread_events_adopt(jni, NULL, FOUND_NONE);
}

/* It may have raised no event in this session yet. */
static void be_seen(void)
{
	JNIEnv *jni = jni_of_thread();

	if (jni)
		without_exception(jni, join, NULL);
}

/* ---- snapshots ---- */

struct snapshot {
	const char *label;
	char *label_out;
	uint64_t at_ns;
};

static int take_snapshot(struct session *session, void *argument, struct error *error)
{
	struct snapshot *snapshot = argument;

	return writer_snapshot(session->writer, snapshot->label, &snapshot->label_out,
		&snapshot->at_ns, error);
}

static int begin_anew(struct session *session, void *argument, struct error *error)
{
	(void)argument;
	return writer_reset(session->writer, error);
}

/* The thread waits for a flush, which is to show it as it was before. */
static int while_aside(int (*action)(struct session *session, void *argument,
	struct error *error), void *argument, struct error *error)
{
	struct thread_context *context = thread_events_pause();
	int code = events_with_session(action, argument, error);

	thread_events_resume(context);
	return code;
}

int from_inside_snapshot(
	const char *label, char **label_out, uint64_t *at_ns, struct error *error)
{
	struct snapshot snapshot = {.label = label};
	int code = while_aside(take_snapshot, &snapshot, error);

	if (at_ns)
		*at_ns = snapshot.at_ns;
	if (label_out)
		*label_out = snapshot.label_out;
	else
		free(snapshot.label_out);
	return code;
}

int from_inside_reset(struct error *error)
{
	return while_aside(begin_anew, NULL, error);
}

/* ---- marks ---- */

static void describe(JNIEnv *jni, void *thread)
{
	jvm_describe_thread(&events.jvm, jni, NULL, thread);
}

/* The JVM is asked before the gate: a thread may be suspended in it, and within the gate there is
 * nothing that waits. */
int from_inside_mark(const char *name)
{
	struct thread_context *context = thread_events_pause();
	JNIEnv *jni = name && from_inside_recording() ? jni_of_thread() : NULL;
	struct jvm_thread thread = {0};
	struct session *session;

	if (jni)
		without_exception(jni, describe, &thread);
	session = name ? recording_look() : NULL;
	if (session) {
		writer_mark(session->writer, name, thread.java_id, jni ? thread.name : NULL);
		recording_leave();
	}
	thread_events_resume(context);
	return session ? 0 : -1;
}

/* ---- values ---- */

/* Its index in the set; -1: it is not in it. */
static int index_of(const struct metric_set *set, const char *name)
{
	for (unsigned i = 0; i < set->count; i++)
		if (strcmp(set->metric[i].name, name) == 0)
			return (int)i;
	return -1;
}

static int read_thread(const struct session *session, unsigned metric, uint64_t *value)
{
	struct thread_context *aside, *context;

	(void)session;
	aside = context = thread_events_pause();
	if (!context && thread_events_is_outside())
		context = thread_events_context(thread_events_current);
	if (context)
		*value = thread_events_used(thread_events_current, metric);
	thread_events_resume(aside);
	return context ? 0 : -1;
}

static int read_total(const struct session *session, unsigned metric, uint64_t *value)
{
	struct thread_context *aside = thread_events_pause();
	uint64_t total[METRIC_MAX];

	trace_totals(session->trace, total);
	thread_events_resume(aside);
	*value = total[metric];
	return 0;
}

static int read_value(const char *name,
	int (*read)(const struct session *session, unsigned metric, uint64_t *value),
	uint64_t *value)
{
	const struct session *session = name ? recording_look() : NULL;
	int metric, code = -1;

	if (!session)
		return -1;
	metric = index_of(&session->metrics, name);
	if (metric >= 0)
		code = read(session, (unsigned)metric, value);
	recording_leave();
	return code;
}

int from_inside_thread_value(const char *metric, uint64_t *value)
{
	be_seen();
	return read_value(metric, read_thread, value);
}

int from_inside_total_value(const char *metric, uint64_t *value)
{
	return read_value(metric, read_total, value);
}
