/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/*
 * events: from the agent's loading to the JVM's death, or until it is detached.
 *
 *   Agent_OnLoad   -> events_prepare     callbacks set, nothing but the JVM's life enabled
 *   VMInit         -> life.ready; a session begins, unless start=no
 *   Agent_OnAttach -> events_prepare, events_attached: the same as VMInit
 *
 *   events_start   -> a session begins; events are enabled, or probes put into the classes
 *   ThreadStart, MethodEntry, probes, VMObjectAlloc, ThreadEnd ...     (other files here)
 *   events_stop    -> events off, those in flight waited for, the session ends, probes out,
 *                     its memory given back; another may begin
 *   events_detach  -> the same, and the JDK's I/O natives are its own again
 *
 *   VMDeath        -> the session ends; probes stay
 *   exit(3) without a VMDeath (native code called it) -> the session ends, without the JVM
 */
#ifndef JPROF_EVENTS_H
#define JPROF_EVENTS_H

#include <stdatomic.h>
#include <stdbool.h>
#include <sys/types.h>

#include "agent/jvm/jvm.h"
#include "agent/session/session.h"

/* What is told of the agent's life; all may be NULL. */
struct events_life {
	void (*ready)(void); /* the JVM can run Java code, and the first session has begun */
	void (*over)(void);  /* the process ends, or the agent is detached */
};

/* Written by events_prepare, before any event, and by events_detach; but for the session. */
struct events {
	struct jvm jvm;
	struct options loaded; /* what the agent was loaded with: the base of each session's */
	struct events_life life;
	_Atomic(struct session *) session; /* NULL: nothing is recorded */
	uint64_t loaded_at; /* clock_now */
	pid_t process; /* a forked child is another one, and has nothing to record */
};
extern struct events events;

/* The session that records, or ends just now. An event may use it between thread_events_begin and
 * thread_events_leave. */
static inline struct session *events_session(void)
{
	return atomic_load_explicit(&events.session, memory_order_acquire);
}

/* The agent is loaded with these options, which are taken. live: the JVM is running already,
 * there will be no VMInit. 0, or a negative code, and nothing is loaded: the JVM must not start,
 * or runs on without jprof. */
int events_prepare(JavaVM *vm, struct options *options, const struct events_life *life,
	bool live, struct error *error);

/* The callbacks of all events, those of methods for metric sets of that shape, in that
 * timing. */
int events_set_callbacks(enum metric_shape shape, bool precise, struct error *error);

/* What VMInit does, for an agent that is loaded later: learns what can be learnt of a running
 * JVM only, and begins to record, unless start=no. 0, or a negative code: nothing is recorded; if
 * events_ready() is false, nothing is loaded either. */
int events_attached(struct error *error);

/* True if the agent is loaded, can record, and was not detached. */
bool events_ready(void);

/* The functions below may be called on any thread, in the live phase; one at a time: others are
 * turned away (-ERROR_BUSY) after half a second, as while classes are retransformed Java code of
 * the application may run, and call one. */

/* Begins to record; when it returns, every class that is loaded and chosen has its
 * probes. options: see options_override; NULL: as loaded. *number: the recording's; may
 * be NULL. 0, or a negative code: nothing is recorded. */
int events_start(const char *options, uint32_t *number, struct error *error);

/* What is told of a recording. */
struct events_told {
	char *path;      /* the profile's, owned; NULL: none is known */
	json_t *matches; /* session_matches, owned, or NULL */
};

/* Of the one that runs; nothing if there is none. */
void events_tell(struct events_told *told);
void events_told_fini(struct events_told *told);

/* Ends the recording, completes the profile, and takes the probes out. told: filled, if it is not
 * NULL; to be given back. 0, or a negative code: nothing was being recorded; or the recording has
 * ended, but the last of it could not be written. */
int events_stop(struct events_told *told, struct error *error);

/* The number of the recording that runs; 0: none does. */
uint32_t events_number(void);

/* The same, if it is still the recording of that number that runs. */
int events_stop_number(uint32_t number, struct events_told *told, struct error *error);

/* Calls action with the session that records, which stays as long as that runs. 0, action's
 * negative code, or -ERROR_BUSY: nothing is being recorded, or is just beginning or ending. */
int events_with_session(int (*action)(struct session *session, void *argument,
	struct error *error), void *argument, struct error *error);

/* Looks for what no pattern of the session has matched (filter_check), if that was not done in the last
 * 10 s and nothing else is under way. */
void events_check_filters(void);

/* Ends the recording, if there is one, and undoes what loading did: natives, events, what is
 * known of descriptors. The agent may be loaded again. told: as above. 0, or a negative code: it stays, as another
 * command is under way, or the JVM ends. */
int events_detach(struct events_told *told, struct error *error);

#endif
