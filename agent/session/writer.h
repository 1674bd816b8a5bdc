/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/*
 * writer: the agent's own thread, which keeps the profile file up to date.
 *
 * In:   the trace (trace_visit), names of methods and facts (struct writer_source).
 * Out:  profile/profile_write. Only what changed since the last flush is written.
 * Owns: its thread, a plain one: all signals blocked, unknown to the JVM.
 * Runs: a flush on its own thread; the last one on the thread that calls writer_finish.
 *       What others ask for in between (snapshots, counts) is done on its own thread, too:
 *       they wait. No call may begin once writer_finish was called; those that wait fail.
 */
#ifndef JPROF_WRITER_H
#define JPROF_WRITER_H

#include <stdbool.h>
#include <stdint.h>

#include "agent/session/look.h"
#include "agent/session/labels.h"
#include "agent/session/write_sessions.h"
#include "agent/trace/trace.h"
#include "error/error.h"
#include "profile/fact.h"
#include "profile/profile_write.h"

/* Stacks that are sampled, on their way into the file; see agent/sample/sampler.h. On the writer's thread. */
struct sample_source {
	/* True if stacks may come soon: `drain` is called some times a second, else once. */
	bool (*expected)(void);
	/* Takes what waits, in a flush (all) before the trace's rows are put: each node that it was in is among those,
	 * or has a forward; and some times a second what can wait no longer. */
	void (*drain)(bool all);
	/* Puts what was taken and has changed, in a flush, behind the trace's rows. 0, or a negative code. A call
	 * of put_done says whether it was kept. */
	int (*put)(struct profile_writer *profile, struct error *error);
	void (*put_done)(bool kept);
	/* A node of the trace is no more. */
	void (*forward)(const struct profile_forward *forward);
	void (*facts)(fact_put put, void *put_argument);
};

/* What else is told of the program; see agent/tracers/tracers.h. On the writer's thread. */
struct trace_source {
	/* Some times a second, if one expects it: takes what waits. True: so much waits to be put that it should have a
	 * transaction of its own, in which put_some is called, and put_some_done behind it. */
	bool (*expected)(void);
	bool (*drain)(void);
	int (*put_some)(struct profile_writer *profile, uint64_t began, struct error *error);
	void (*put_some_done)(bool kept);
	/* The same as drain, in the middle of a flush that takes long, or waits for readers of the file: what waits, waits on. */
	void (*keep_up)(void);
	/* Adds to accounts of the sampler's what became of events; in a flush, behind the drain of stacks. snapshot: one is to
	 * be made, which has all that was over before it. */
	void (*settle)(bool snapshot);
	/* Puts what is new or changed, in a flush, with times from began (ns of CLOCK_MONOTONIC) on. 0, or a
	 * negative code. A call of put_done says whether it was kept. */
	int (*put)(struct profile_writer *profile, uint64_t began, struct error *error);
	void (*put_done)(bool kept);
	/* Behind that: it was kept, and a snapshot was made of it. */
	void (*snapshot_made)(void);
	void (*facts)(fact_put put, void *put_argument);
};

/* What compiled code lay where; see agent/sample/code_events.h. On the writer's thread. */
struct code_source {
	/* Puts what is new or changed, in a flush, with times from began (ns of CLOCK_MONOTONIC) on. 0, or a
	 * negative code. A call of put_done says whether it was kept. */
	int (*put)(struct profile_writer *profile, uint64_t began, struct error *error);
	void (*put_done)(bool kept);
	void (*facts)(fact_put put, void *put_argument);
};

struct writer; /* created by writer_start, destroyed by writer_finish */

/* Where names and facts come from; copied by writer_start. */
struct writer_source {
	/* Ids in use are METHOD_FIRST .. methods_end() - 1, with a record each. */
	uint32_t (*methods_end)(void);
	const struct profile_method *(*method)(uint32_t id);
	/* Fills which sessions want it; and what changes when that does, of ids that were in use. NULL: all do. */
	void (*method_sessions)(struct profile_method *method);
	uint32_t (*sessions_edition)(void);
	/* Calls put(put_argument, key, value) for every fact of the meta table that stays as it is.
	 * Called in the thread that flushes, until a flush has brought them into the file. NULL:
	 * there are none. */
	void (*notes)(void *argument,
		void (*put)(void *put_argument, const char *key, const char *value),
		void *put_argument);
	/* The same of those that change; final: the last flush. Called in every flush. */
	void (*facts)(void *argument, bool final,
		void (*put)(void *put_argument, const char *key, const char *value),
		void *put_argument);
	/* Behind each flush: what it failed of, or ERROR_NONE. NULL: nobody is told. */
	void (*failed)(void *argument, const struct error *error);
	/* Calls put for files and connections, those that are new or changed since the last
	 * call, or all, with times from began (ns of CLOCK_MONOTONIC) on. 0, or put's negative
	 * code. NULL: there are none. */
	int (*files)(uint64_t began, bool all,
		int (*put)(void *put_argument, const struct profile_file *file),
		void *put_argument);
	/* Files that were used least are folded; force: even if few are new. True: some
	 * were. What `files` calls put for has arrived; referred: a snapshot refers to it
	 * from now on. All on the thread that flushes; NULL where files is. */
	bool (*fold_files)(bool force);
	void (*files_put)(bool referred);
	const struct sample_source *samples; /* NULL: there are none */
	const struct code_source *code;      /* the same */
	const struct trace_source *traces;   /* the same */
	void *argument;                      /* of notes and facts */
	struct profile_creation creation;    /* set_aside: writer_discard may follow */
	/* ns: what each so long piece of time added is kept in the file; 0: it is not */
	uint64_t resolution;
};

/* Creates the profile and starts the thread. 0, or a negative code with error filled
 * (-ERROR_BUSY: a live process writes that file). */
int writer_start(struct writer **writer, struct trace *trace,
	const struct writer_source *source, const struct metric_set *metrics, const char *path,
	uint64_t flush_seconds, struct error *error);

/* A further session shares the recording: its file is made, and what it is told of begins now. first: the one that was alone
 * until then, whose file the database is; looked at the first time only. Returns as writer_snapshot does. 0, or a negative code: its
 * file cannot be written; -ERROR_IO after a minute: it may begin yet, and has to be asked to leave. */
int writer_join(struct writer *writer, const struct writer_session *session,
	const struct writer_session *first, struct error *error);

/* The session, which is alone, is not all that its recording is: what its file's readers are to leave out is in the file. As above. */
int writer_share(
	struct writer *writer, const struct writer_session *session, struct error *error);

/* The session of that number ends, and another one goes on: its file is complete. As above. What the sessions given to
 * writer_join point to is not used any more, unless this takes too long (-ERROR_IO). */
int writer_leave(struct writer *writer, uint32_t number, struct error *error);

/* Brings the file up to date and keeps a copy of all counts under that label, for that session (0: for all). Returns when it is
 * committed, or failed; after a minute at most. label NULL: a number ("1", "2", ...);
 * *label_out, owned by the caller (free), is the label in any case, NULL after a failure.
 * *at_ns: when, in ns since the profile's begin. 0, or a negative code with error filled:
 * -ERROR_BUSY: there is one of that name; -ERROR_VALUE: the label is none (labels.h). */
int writer_snapshot(struct writer *writer, uint32_t session, const char *label,
	char **label_out, uint64_t *at_ns, struct error *error);

/* The same without a label, and reports begin here unless they are asked otherwise. */
int writer_reset(struct writer *writer, uint32_t session, struct error *error);

/* The trace and the file count by the set from now on, which has what the trace counts now, and perhaps more behind that. The same
 * wait. 0, or a negative code: the trace may count them, and the file lacks them until this is asked for again. */
int writer_widen(struct writer *writer, const struct metric_set *wider, struct error *error);

/* Brings the file up to date. As above; waits as long as a flush may take at most. */
int writer_flush(struct writer *writer, struct error *error);

/* From now on more may wait to be taken than a moment ago: the thread asks its sources at once what they expect. On any thread. */
void writer_wake(struct writer *writer);

/* A moment that the program names: written with the next flush; marks.h tells how many may
 * wait. On any thread; never waits for a flush. thread_name may be NULL. */
void writer_mark(struct writer *writer, const char *name, int64_t java_thread_id,
	const char *thread_name);

/* How things are. Times are ns since the profile's begin. */
struct writer_counts {
	struct trace_counts trace;
	uint64_t counted_at; /* that is how old those are */
	uint64_t marks_lost;
	uint64_t flushed_at;  /* when the last flush ended, or failed; 0: there was none yet */
	struct error failure; /* what it failed of */
};

/* Counts anew what is recorded, if that was not done in the last 200 ms. While a flush takes
 * longer than some seconds the counts stay as they were, which counted_at shows. 0, or a negative
 * code with error filled, if there is not a first answer yet. */
int writer_count(struct writer *writer, struct writer_counts *counts, struct error *error);

/* What happened since the last look of any client. 0, or a negative code with error filled. */
int writer_look(struct writer *writer, struct look *look, struct error *error);

/* The snapshots and resets that the file has, in order of time: *rows, owned by the caller
 * (free), *count of them. 0, or -ERROR_MEMORY. */
int writer_labels(
	struct writer *writer, struct label_row **rows, size_t *count, struct error *error);

/* Stops the thread, flushes for the last time, closes the file. 0, or a negative code: the
 * file then holds what was flushed before; that is said on standard error, unless a failed
 * flush was said before. -ERROR_BUSY: a flush hangs, on a dead network disk say; the writer goes on
 * to use what it was given until it has ended. NULL is allowed. In a forked child (another pid)
 * nothing is touched. */
int writer_finish(struct writer *writer, struct error *error);

/* In the place of writer_finish: there is no profile of that recording; an older one that
 * was replaced is back. */
int writer_discard(struct writer *writer, struct error *error);

/* Of a writer whose finish was given up (-ERROR_BUSY): true once it touches nothing any more. */
bool writer_has_ended(struct writer *writer);

#endif
