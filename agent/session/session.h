/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/*
 * session: one recording, from the options to the finished profile.
 *
 * In:   options; facts about the JVM (session_note); events, through its trace.
 * Out:  the profile file, kept up to date by the writer's thread.
 * Owns: options, metric set, trace, writer. One session records at a time; the next one has
 *       a struct of its own.
 * Runs: create, begin, end, destroy on one thread at a time, which may be any.
 */
#ifndef JPROF_SESSION_H
#define JPROF_SESSION_H

#include <jansson.h>
#include <stdatomic.h>

#include "agent/lock/lock.h"
#include "agent/session/writer.h"
#include "agent/trace/trace.h"
#include "metric/metric.h"
#include "options/folded.h"
#include "options/options.h"
#include "profile/fact.h"

struct session_note {
	char *key, *value;
};

enum { SESSION_NOTES = 32 };

/* What the process had counted before the session began. */
struct session_before {
	uint64_t fallbacks, losses;
};

struct session {
	struct options options;
	/* Methods at whose entries stacks are taken; in the order of options.sample. */
	struct pattern_list entered;
	/* Methods whose calls events_when waits for; in the order of options.events_when. */
	struct pattern_list awaited;
	struct metric_set metrics;
	struct trace *trace;
	struct writer *writer; /* NULL: nothing is written */
	struct session_note note[SESSION_NOTES];
	unsigned notes;
	const struct writer_source *source; /* borrowed for good */
	char *path;                         /* the profile's, absolute; NULL before it begins */
	uint64_t began;                     /* clock_now */
	char started[32];                   /* ISO 8601 */
	double event_ns;                    /* what an event costs; 0: not known */
	bool event_calibrated;              /* as measured; else the agent's own estimate */
	uint64_t cpu_began;                 /* ns of processor time that the process had used */
	struct session_before before;
	struct lock near_lock; /* guards near: session_matches.c */
	json_t *near;          /* names that come near patterns; owned, or NULL */
	uint64_t near_at;      /* clock_now when they were looked for; 0: never */
	/* Set before it ends: no profile is to be left, and an older one as it was. That
	 * this may be is set before it begins. */
	bool unwanted, may_be_unwanted;
	bool from_start; /* it began with the JVM */
	/* Threads are recorded inside some methods only. It may be lifted while the recording goes on, before
	 * threads_renew, and is not set again. */
	_Atomic bool has_scope;
	/* All threads are, or were, wanted: none is turned away from then on. */
	_Atomic bool took_all;
	bool reads_stacks; /* of threads: for samples, or for events that have a call path */
	bool never_counts; /* this JVM's threads cannot be told apart: all calls are timed */
	bool abandoned;    /* its writer hung at the end, and may still use the trace */
	bool occupied; /* a thread was still in an event of it at the end: what that uses stays */
	_Atomic int state; /* enum session_state in session.c; writer: begin, end */
};

/* A session with these options, which it takes: metrics, trace. 0, or a negative code, and options
 * are given back. */
int session_create(struct session **session, struct options *options, struct error *error);

/* After its end, or if it never began; its trace must not be looked at any more. NULL is allowed. */
void session_destroy(struct session *session);

/* Remembers a fact for the profile's meta table ("jvm.version"). Strings are copied; a fact
 * too many is dropped. value NULL is ignored. Before session_begin only. */
void session_note(struct session *session, const char *key, const char *value);

/* Notes what is known of it and of the machine. */
void session_note_facts(struct session *session);

/* Opens the profile and starts to write. 0, or a negative code: a file that cannot be
 * written, say. source: where names and facts come from; its `argument` is the session,
 * and `creation` as the session has it. */
int session_begin(
	struct session *session, const struct writer_source *source, struct error *error);

/* Of a struct writer_source: the facts that were noted, and those that change while the
 * session runs. */
void session_put_notes(void *session, fact_put put, void *put_argument);
void session_put_facts(void *session, bool final, fact_put put, void *put_argument);

/* Bytes that directories of archives may take, of max_memory. */
uint64_t session_archive_memory(const struct session *session);

/* True while events are to be recorded. */
bool session_recording(const struct session *session);

/* Bits of those that share the recording and want the thread. On any thread, with LOCK_THREADS or without. */
uint8_t session_thread_bits(
	const struct session *session, const struct thread_identity *identity);

/* Bits of those of them that want every thread; of all of them. */
uint8_t session_bits_of_all(const struct session *session);
uint8_t session_bits(const struct session *session);

/* True if a thread that those want is recorded. */
static inline bool session_records_thread(const struct session *session, uint8_t wanted)
{
	return wanted != 0 || atomic_load_explicit(&session->took_all, memory_order_relaxed);
}

/* True if threads are recorded inside some methods only. */
static inline bool session_has_scope(const struct session *session)
{
	return atomic_load_explicit(&session->has_scope, memory_order_relaxed);
}

/* True if values are read in methods: for parameters, or for tags. */
static inline bool session_reads_values(const struct session *session)
{
	return session->options.parameters.count + session->options.tags.count > 0;
}

/* True if calls are seen by probes in classes. */
static inline bool session_has_probes(const struct session *session)
{
	return session->options.calls == CALLS_AUTO ||
	       session->options.calls == CALLS_INSTRUMENT ||
	       session->options.calls == CALLS_COUNT;
}

/* True if such probes time calls as far as a budget goes, and count the others. */
static inline bool session_keeps_budget(const struct session *session)
{
	return options_keep_budget(&session->options);
}

/* True if calls are counted by such probes, by method, be they all or some. */
static inline bool session_counts_calls(const struct session *session)
{
	return !session->never_counts &&
	       (session->options.calls == CALLS_COUNT || session_keeps_budget(session) ||
		       (session_has_probes(session) && session->options.counted.count > 0));
}

/* True if calls are timed, be they all or some. */
static inline bool session_times_calls(const struct session *session)
{
	return session->options.calls == CALLS_EVENTS || session->options.calls == CALLS_AUTO ||
	       session->options.calls == CALLS_INSTRUMENT ||
	       (session->options.calls == CALLS_COUNT &&
		       (session->options.timed.count > 0 ||
			       session->options.distribution.count > 0 ||
			       session->options.scope.count > 0 ||
			       session_reads_values(session)));
}

/* True if classes get probes: for calls, or for the stacks at entries. */
static inline bool session_changes_classes(const struct session *session)
{
	return session_has_probes(session) || session->entered.count > 0;
}

/* True if entries and exits are seen, by probes or the JVM's events. */
static inline bool session_has_events(const struct session *session)
{
	return session_has_probes(session) || session->options.calls == CALLS_EVENTS;
}

/* What is to be said of folded call paths, as of the last flush; and of memory beyond its
 * bound. False: nothing. */
bool session_folded(const struct session *session, char line[FOLDED_LINE]);
bool session_exceeded(const struct session *session, char line[FOLDED_LINE]);

/* Last flush, file closed. No event may be in flight. Does nothing the second time, and
 * nothing in a forked child. 0, or a negative code: the profile lacks what came last; that was said
 * on standard error. */
int session_end(struct session *session, struct error *error);
#endif
