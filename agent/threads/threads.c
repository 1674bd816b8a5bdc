/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/* threads: see threads.h. */
#include "agent/threads/threads.h"

#include <stdatomic.h>

#include "agent/lock/gate.h"
#include "agent/log/log.h"
#include "agent/threads/thread_events.h"
#include "agent/threads/thread_starts.h"
#include "agent/threads/virtual_threads.h"

static struct gate looked_at; /* open: session_joined() may be used */

struct session *threads_look(void)
{
	return gate_enter(&looked_at) ? session_joined() : NULL;
}

void threads_leave(void)
{
	gate_leave(&looked_at);
}

/* Who else is told of threads. Threads begin and end while it changes. */
static _Atomic(const struct threads_told *) also[THREADS_LISTENERS];

void threads_tell(enum threads_listener who, const struct threads_told *told)
{
	atomic_store(&also[who], told);
}

static void JNICALL on_thread_start(jvmtiEnv *jvmti, JNIEnv *jni, jthread thread)
{
	struct jvm_thread description;

	thread_events_thread_start(jni, thread);
	thread_starts_begin(jni, thread);
	for (size_t i = 0; i < THREADS_LISTENERS; i++) {
		const struct threads_told *told = atomic_load(&also[i]);

		if (told && jvm_describe_thread(jni, thread, &description))
			told->begins(jni, description.java_id, description.name);
	}
}

static void JNICALL on_thread_end(jvmtiEnv *jvmti, JNIEnv *jni, jthread thread)
{
	for (size_t i = 0; i < THREADS_LISTENERS; i++) {
		const struct threads_told *told = atomic_load(&also[i]);

		if (told)
			told->ends(jni);
	}
	thread_events_end(jni, thread);
}

void threads_callbacks(jvmtiEventCallbacks *callbacks)
{
	callbacks->ThreadStart = on_thread_start;
	callbacks->ThreadEnd = on_thread_end;
}

/* That a thread ends must be seen as long as it may have a context: its counters end with it. */
static void watch_ends(bool on)
{
	struct error error = {0};

	if (jvm_enable(JVMTI_EVENT_THREAD_END, on, &error))
		log_line(LOG_ERROR, "%s", error.text);
}

static bool follows_starts(const struct session *session)
{
	return session_has_scope(session) && session->options.scope_follow;
}

/* Starts are noted; one begin, edition or end at a time. */
static bool follows;

static void follow_starts(JNIEnv *jni, bool on)
{
	if (on != follows)
		thread_starts_watch(jni, on);
	follows = on;
}

static uint8_t that_want(const void *session, const struct thread_identity *identity)
{
	return session_thread_bits(session, identity);
}

/* Rows tell which sessions want their threads. */
static void renew_rows(struct session *session)
{
	const struct trace_sessions sessions = {.of = session,
		.that_want = that_want,
		.all = session_bits_of_all(session),
		.now = session_bits(session)};

	if (sessions.all != 0)
		atomic_store(&session->took_all, true);
	trace_renew_rows(session->trace, &sessions);
}

int threads_begin(JNIEnv *jni, struct session *session, struct error *error)
{
	renew_rows(session);
	watch_ends(true);
	virtual_threads_watch(true); /* before the first thread joins */
	slots_begin(session);
	follow_starts(jni, follows_starts(session));
	gate_open(&looked_at);
	return 0;
}

void threads_renew(JNIEnv *jni, struct session *session)
{
	trace_expect_old_frames(session->trace);
	follow_starts(jni, follows_starts(session));
	slots_renew();
	renew_rows(session);
}

bool threads_stop(struct session *session, struct error *error)
{
	unsigned inside = !gate_close(&looked_at);

	inside += slots_stop();
	if (inside)
		log_line(LOG_WARN,
			"%u threads are still inside an event: their last one may be missing",
			inside);
	return inside == 0;
}

bool threads_end(JNIEnv *jni, struct session *session)
{
	bool out;

	follow_starts(jni, false);
	virtual_threads_watch(false);
	out = slots_end();
	session->occupied = !out;
	watch_ends(false);
	return out;
}
