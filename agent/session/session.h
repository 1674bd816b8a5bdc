/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/*
 * session: what a user records, from the options to the finished profile.
 *
 * In:   options; facts about the JVM (session_note); events, through its trace.
 * Out:  the profile file, kept up to date by the writer's thread.
 * Owns: options; and, if it began the recording, metric set, trace, writer, which the sessions that came since, its guests,
 *       share. A recording ends with the last of its sessions; the next one has structs of its own. Where code has one
 *       session alone, as nearly everywhere, it is the one that began the recording.
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

enum { SESSION_NOTES = 32, SESSION_NAME = 32 };

/* What the process had counted before the session began. */
struct session_before {
	uint64_t fallbacks, losses;
};

/* Patterns of threads that a guest wants. One that looks at them may still do so when it has left: they stay with the host. */
struct session_threads {
	struct session_threads *next;
	struct pattern_list list; /* the session's, which has it no more when it goes */
};

struct session {
	/* Its place among the sessions that share the recording, 0 to 7, which a later one may have again; its number, which
	 * none has again in the process; who is said to have begun it (owned). */
	unsigned bit;
	uint32_t number;
	char name[SESSION_NAME + 1];
	char *owner;
	struct session *host; /* whose trace, metrics and writer it shares; itself */
	struct session *next; /* of the host: its guests */
	/* Of the host: the threads that each session wants, by its bit; NULL: there is no such session. */
	_Atomic(const struct pattern_list *) threads[PROFILE_SESSIONS_MAX];
	/* Of a guest its own, NULL: all, or none yet; of the host what guests have left; owned. */
	struct session_threads *chosen;
	bool left;   /* it has ended, and its recording goes on */
	bool serves; /* something of the recording uses what it has: it stays as long as that */
	uint32_t
		settled; /* options that the recording has as it has them: places in a table of sharing.c, as bits */
	bool unsettled;      /* somebody may still ask the plan for what it wanted */
	uint32_t counts;     /* which of the recording's metrics it wants, as bits */
	uint32_t conditions; /* of the sampler's, as bits */
	/* Bits 1 << enum trace_kind: the traces that are on for it, and those that ever were. */
	uint32_t traces, traces_ever;
	/* Its scope is what is done under "KEY=PATTERN"; NULL: it is not. Of the list, which has all that it ever was. */
	_Atomic(const char *) tag;
	struct pattern_list tags;
	struct options options;
	/* Methods at whose entries stacks are taken; in the order of options.sample. */
	struct pattern_list entered;
	/* Methods that may have values (agent/methods/value_rows.h). */
	struct pattern_list valued;
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
	struct lock near_lock; /* guards near: session_matches.c; and failure */
	json_t *near;          /* names that come near patterns; owned, or NULL */
	uint64_t near_at;      /* clock_now when they were looked for; 0: never */
	struct error
		failure; /* what its file could not be written of last; ERROR_NONE: it could */
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

/* A session that shares the host's recording; the same. Which metrics it wants session_choose_metrics is to find. */
int session_create_guest(struct session **guest, struct session *host, struct options *options,
	struct error *error);

/* After its end, or if it never began; its trace must not be looked at any more. With it go its guests. NULL is allowed. */
void session_destroy(struct session *session);

/* Chooses what it records while it does: "tag:KEY=PATTERN", what is done under such a tag, all the time that it records; NULL:
 * everything. 0, or a negative code. */
int session_choose(struct session *session, const char *scope, struct error *error);

/* What the profile's table of sessions has of it; strings are borrowed, options is owned (free). */
struct profile_session session_row(const struct session *session, char **options);

/* True if one of those that share the recording, the guest or the host, is so. */
bool session_any(const struct session *host, bool (*is_so)(const struct session *session));

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

/* A guest begins now; its file is not there yet. 0, or a negative code: its name cannot be made. */
int session_begin_guest(struct session *guest, struct error *error);

/* What the writer has to know of one that shares a recording. */
struct writer_session session_for_writer(const struct session *session);

/* Of a struct writer_source: the facts that were noted, and those that change while the
 * session runs. */
void session_put_notes(void *session, fact_put put, void *put_argument);
void session_put_facts(void *session, bool final, fact_put put, void *put_argument);

/* The same: what its file could not be written of. And what that is now: on any thread. */
void session_note_failure(void *session, const struct error *error);
struct error session_failure(struct session *session);

/* Bytes that directories of archives may take, of max_memory. */
uint64_t session_archive_memory(const struct session *session);

/* True while events are to be recorded. */
bool session_recording(const struct session *session);

/* Bits of the sessions that share the recording and want the thread. On any thread, with LOCK_THREADS or without. */
uint8_t session_thread_bits(const struct session *host, const struct thread_identity *identity);

/* Bits of those of them that want every thread; of all of them. */
uint8_t session_bits_of_all(const struct session *host);
uint8_t session_bits(const struct session *host);

/* True if a thread that those want is recorded. */
static inline bool session_records_thread(const struct session *host, uint8_t wanted)
{
	return wanted != 0 || atomic_load_explicit(&host->took_all, memory_order_relaxed);
}

/* Which of the recording's metrics a guest wants; all that it does are there. */
void session_choose_metrics(struct session *guest);

/* What the session says of threads counts from now on: 0, or a negative code; or not any more. */
int session_choose_threads(struct session *session, struct error *error);
void session_leave_threads(struct session *session);

/* What its recording counts by now. What sessions that came later brought along stands behind session->metrics, which it
 * began with. On any thread. */
static inline const struct metric_set *session_metrics(const struct session *session)
{
	return trace_metrics(session->trace);
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
