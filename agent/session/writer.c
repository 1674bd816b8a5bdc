/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/*
 * writer: see writer.h.
 *
 *   write_trace.c    what threads did: rows, nodes, accounts, only what changed; and sequences
 *   write_records.c  each operation, many times between two flushes
 *   write_sessions.c several sessions that share the recording, and a file for each
 *   requests.c       what other threads wait for
 *
 * A flush is one transaction; when it fails the next one writes everything again.
 */
#include "agent/session/writer.h"

#include <inttypes.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "agent/lock/lock.h"
#include "agent/log/log.h"
#include "agent/session/marks.h"
#include "agent/session/requests.h"
#include "agent/session/write_records.h"
#include "agent/session/write_trace.h"
#include "agent/session/write_values.h"
#include "agent/trace/slow_calls.h"
#include "metric/clock.h"
#include "profile/fact.h"

/* SQLite needs some 50 KB; the C library takes thread-local storage of all libraries from
 * a thread's stack too. */
#define STACK_BYTES ((size_t)512 << 10)
/* A century: longer pauses overflow somewhere. */
#define FLUSH_SECONDS_MAX 3155760000

enum {
	/* Between two looks whether files are to be folded; after one where some were. */
	FOLD_PAUSE_MS = 1000,
	FOLD_SOON_MS = 100,
	PATIENCE = 60, /* seconds that the process's end, or a snapshot, waits for a flush */
	COUNT_PATIENCE = 5, /* that a count does */
	LOOK_PATIENCE = 15, /* that a look does */
	COUNT_AGE_MS = 200, /* counts younger than that are not made anew */
	/* a flush before its time takes one of so many parts of it at most */
	EARLY_SHARE = 20,
	/* and one that ends a slice so much of a processor's */
	SLICE_SHARE = 10
};

/* What of it is in the file: ids below. */
struct written {
	uint32_t methods;
	uint32_t sessions_edition; /* of these */
	struct values_written values;
	bool notes;
};

struct writer {
	struct trace *trace;
	struct writer_source source;
	struct profile_writer *profile;
	uint64_t began; /* ns of CLOCK_MONOTONIC */
	uint64_t flush_seconds;
	pid_t process;

	/* The flush's own, on one thread at a time. */
	struct error *error; /* of the flush under way */
	struct written known;
	unsigned fold_pause; /* ms */
	bool files_stale;    /* a transaction failed: those that were shown may be missing */
	bool slow_stale;     /* the same of slow calls */
	bool failure_said;
	struct thread_writer threads;
	struct record_writer records;
	uint64_t flush_begin; /* ns since the profile's begin, of the flush under way */
	uint64_t counted_at;  /* the same, of when it looked at what threads did */
	uint64_t flush_cpu;   /* what the last one used of a processor, ns */
	struct write_sessions sessions;
	struct looker looker;

	struct marks marks;
	pthread_t runner;
	struct lock lock; /* guards what follows */
	pthread_cond_t wake;
	struct requests requests;
	struct labels labels; /* of snapshots that are in the file */
	struct writer_counts counts;
	struct look look; /* the last one */
	bool woken;       /* the thread is to look what is expected */
	bool ending;      /* it is asked to end */
	bool ended;       /* it does, and will not touch the writer again */
};

/* ---- a flush ---- */

static int put_file(void *argument, const struct profile_file *file)
{
	struct writer *writer = argument;

	if (writer->error->code == ERROR_NONE)
		profile_put(writer->profile, file, writer->error);
	return -(int)writer->error->code;
}

static void put_fact(void *argument, const char *key, const char *value)
{
	struct writer *writer = argument;

	if (writer->error->code == ERROR_NONE)
		profile_put_meta(writer->profile, key, value, writer->error);
}

static int put_files(struct writer *writer)
{
	if (!writer->source.files)
		return 0;
	return writer->source.files(writer->began, writer->files_stale, put_file, writer);
}

/* Before accounts are put, which are then those of the rows that stay. Records name files
 * that may be folded by now: each is put before. */
static int fold_files(struct writer *writer, bool force)
{
	int status = writer->records.records ? put_files(writer) : 0;

	if (status == 0 && writer->source.fold_files)
		writer->fold_pause =
			writer->source.fold_files(force) ? FOLD_SOON_MS : FOLD_PAUSE_MS;
	return status;
}

static int put_method(struct writer *writer, struct profile_method method)
{
	if (writer->source.method_sessions)
		writer->source.method_sessions(&method);
	return profile_put(writer->profile, &method, writer->error);
}

/* What nodes, accounts and records refer to, in the same transaction and behind them: files, then
 * the methods, values and tags that nodes have. */
static int put_known(struct writer *writer, struct written *known)
{
	uint32_t end;
	int status = put_files(writer);

	if (writer->source.sessions_edition) {
		uint32_t edition = writer->source.sessions_edition();

		if (known->sessions_edition != edition)
			known->methods = METHOD_FIRST;
		known->sessions_edition = edition;
	}
	for (end = writer->source.methods_end(); known->methods < end && status == 0;
		known->methods++) {
		const struct profile_method *method = writer->source.method(known->methods);

		if (method)
			status = put_method(writer, *method);
	}
	if (status == 0)
		status = values_put(writer->profile, &known->values, writer->error);
	return status;
}

/* The facts of the meta table. */
static void put_meta(struct writer *writer, bool final, struct written *known)
{
	const struct writer_source *source = &writer->source;
	uint64_t lost = marks_lost(&writer->marks);

	if (source->notes && !known->notes)
		source->notes(source->argument, put_fact, writer);
	known->notes = true;
	if (source->facts)
		source->facts(source->argument, final, put_fact, writer);
	fact_put_number(put_fact, writer, "flushed_ns", writer->counted_at);
	if (shared_any(&writer->sessions))
		fact_put_number(put_fact, writer, "session", writer->sessions.holder);
	if (lost > 0)
		fact_put_number(put_fact, writer, "marks.lost", lost);
	if (!writer->records.records)
		return;
	fact_put_number(put_fact, writer, "io.records", writer->records.written);
	fact_put_number(
		put_fact, writer, "io.records.lost", records_lost(writer->records.records));
}

static int put_all(struct writer *writer, bool final, struct written *known)
{
	const struct sample_source *samples = writer->source.samples;
	uint64_t uncounted = 0;
	int status;

	status = threads_put(&writer->threads, writer->error);
	if (status == 0)
		status = slow_calls_put_rows(
			&writer->threads, writer->slow_stale, writer->error);
	if (status == 0 && samples)
		status = samples->put(writer->profile, writer->error);
	if (status == 0 && writer->source.code)
		status =
			writer->source.code->put(writer->profile, writer->began, writer->error);
	if (status == 0 && writer->source.traces)
		status = writer->source.traces->put(
			writer->profile, writer->began, writer->error);
	if (status == 0)
		status = sequences_put(writer->trace, writer->threads.metrics, writer->profile,
			&uncounted, writer->error);
	if (status == 0 && uncounted > 0)
		fact_put_number(put_fact, writer, "sequences.uncounted", uncounted);
	if (status == 0)
		status = put_known(writer, known);
	if (status == 0)
		put_meta(writer, final, known);
	if (status == 0)
		status = shared_put(&writer->sessions, writer->profile, writer->error);
	if (status == 0)
		status = marks_put(&writer->marks, writer->profile, writer->error);
	return status == 0 ? -(int)writer->error->code : status;
}

/* Commits if the status is 0, and rolls back otherwise; snapshot: one was made. The
 * status from then on. */
static int end_transaction(
	struct writer *writer, int status, const struct written *known, bool snapshot)
{
	if (status < 0)
		profile_rollback(writer->profile);
	else
		status = profile_commit(writer->profile, writer->error);
	if (status == 0)
		writer->known = *known;
	writer->files_stale = status < 0;
	if (status == 0 && writer->source.files_put)
		writer->source.files_put(snapshot);
	return status;
}

/* What the calling thread has used, ns. */
static uint64_t clock_thread(void)
{
	struct timespec used = {0};

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &used);
	return (uint64_t)used.tv_sec * UINT64_C(1000000000) + (uint64_t)used.tv_nsec;
}

static uint64_t since_begin(const struct writer *writer)
{
	return clock_system() - writer->began;
}

static int flush_in_transaction(
	struct writer *writer, bool final, struct profile_snapshot *snapshot)
{
	struct written known = writer->known;
	int status;

	writer->flush_begin = since_begin(writer);
	status = fold_files(writer, true);
	/* What is taken from now on may be in nodes that the visit does not show any more. Names of the first stacks take
	 * a while. */
	if (writer->source.samples)
		writer->source.samples->drain(true);
	if (writer->source.traces)
		writer->source.traces->settle(snapshot != NULL);
	writer->counted_at = since_begin(writer);
	if (status == 0)
		status =
			profile_begin_slice(writer->profile, writer->counted_at, writer->error);
	if (status == 0)
		status = put_all(writer, final, &known);
	if (status == 0)
		status = profile_end_slice(writer->profile, writer->error);
	if (status == 0 && snapshot) {
		snapshot->at = writer->counted_at;
		status = profile_put_snapshot(writer->profile, snapshot, writer->error);
	}
	return end_transaction(writer, status, &known, snapshot != NULL);
}

/* Brings the file up to date, and makes a snapshot of that unless it is NULL. 0, or a negative
 * code: the file is as it was. */
static int flush(struct writer *writer, bool final, struct profile_snapshot *snapshot,
	struct error *error)
{
	uint64_t cpu = clock_thread();
	int status = profile_begin(writer->profile, error);

	writer->error = error;
	if (status == 0) {
		status = flush_in_transaction(writer, final, snapshot);
		marks_put_done(&writer->marks, status == 0);
		trace_confirm(writer->trace, status == 0);
		writer->slow_stale = status < 0;
		if (status == 0 && snapshot)
			slow_calls_close(trace_slow_calls(writer->trace));
		if (writer->source.samples)
			writer->source.samples->put_done(status == 0);
		if (writer->source.code)
			writer->source.code->put_done(status == 0);
		if (writer->source.traces)
			writer->source.traces->put_done(status == 0);
		if (writer->source.traces && status == 0 && snapshot)
			writer->source.traces->snapshot_made();
		writer->records.new_paths = false;
	}
	writer->flush_cpu = clock_thread() - cpu;
	lock_take(&writer->lock);
	writer->counts.flushed_at = since_begin(writer);
	writer->counts.failure = *error;
	lock_give(&writer->lock);
	if (writer->source.failed && !shared_hidden(&writer->sessions))
		writer->source.failed(writer->source.argument, error);
	return status;
}

/* The facts are those of whose file the database is. */
static void be_of(struct writer *writer, const struct writer_session *holder)
{
	writer->source.argument = holder->argument;
	writer->known.notes = false;
}

/* The same. Where the file cannot be written, and others share the recording, it is done in that of another one. */
static int flush_shared(struct writer *writer, bool final, struct profile_snapshot *snapshot,
	struct error *error)
{
	const struct writer_session *holder;
	struct error failure = {0};
	int status;

	if (!shared_any(&writer->sessions))
		return flush(writer, final, snapshot, error);
	status = profile_has_name(writer->profile) ? flush(writer, final, snapshot, &failure)
						   : -ERROR_IO;
	if (status == -ERROR_IO || status == -ERROR_DENIED) {
		holder = shared_rescue(&writer->sessions, writer->profile);
		if (holder)
			be_of(writer, holder);
		if (holder || failure.code == ERROR_NONE)
			return flush(writer, final, snapshot, error);
	}
	return failure.code ? error_set(error, failure.code, "%s", failure.text) : 0;
}

/* The same; and behind it the files of those that share the recording. */
static int flush_all(struct writer *writer, struct profile_snapshot *snapshot, bool forced,
	struct error *error)
{
	int status = flush_shared(writer, false, snapshot, error);

	if (status == 0)
		shared_copy(&writer->sessions, writer->profile, forced);
	return status;
}

/* Brings records into the file. 0, or a negative code: they are lost, and counted. */
static int drain_records(struct writer *writer, struct error *error)
{
	struct written known = writer->known;
	int status;

	if (!writer->records.records)
		return 0;
	writer->error = error;
	status = records_put(&writer->records, error);
	if (status == 0 && writer->records.putting == 0)
		return 0;
	if (status == 0)
		status = put_known(writer, &known);
	if (status == 0)
		status = fold_files(writer, false);
	status = end_transaction(writer, status, &known, false);
	records_put_done(&writer->records, status == 0);
	return status;
}

/* Brings what traces have into the file, where that cannot wait for a flush. 0, or a negative code. */
static int drain_traces(struct writer *writer, struct error *error)
{
	const struct trace_source *traces = writer->source.traces;
	struct written known = writer->known;
	int status;

	if (!traces->drain())
		return 0;
	writer->error = error;
	status = profile_begin(writer->profile, error);
	if (status == 0) {
		status = traces->put_some(writer->profile, writer->began, error);
		if (status == 0)
			status = put_known(writer, &known);
		status = end_transaction(writer, status, &known, false);
	}
	traces->put_some_done(status == 0);
	return status;
}

/* ---- what others ask for ---- */

/* Only this thread adds labels: it looks at them without the lock. */
static int reserve_label(struct writer *writer, struct request *request)
{
	int status;

	lock_take(&writer->lock);
	status = labels_reserve(&writer->labels, &request->error);
	lock_give(&writer->lock);
	if (status < 0 || request->kind != REQUEST_SNAPSHOT)
		return status;
	if (request->label[0] == '\0')
		labels_number(&writer->labels, request->session, request->label);
	if (!labels_have(&writer->labels, request->session, request->label))
		return 0;
	return error_set(&request->error, ERROR_BUSY, "there is a snapshot '%s' already",
		request->label);
}

/* Keeps all counts as they are now; kind: SNAPSHOT_... 0, or a negative code. */
static int make_snapshot(struct writer *writer, struct request *request, int kind, bool forced)
{
	struct label_row row = {.id = writer->labels.last + 1,
		.reset = kind != SNAPSHOT_NAMED,
		.session = request->session};
	struct profile_snapshot snapshot = {.id = row.id,
		.label = row.reset ? NULL : request->label,
		.kind = kind,
		.session = request->session};

	if (reserve_label(writer, request) < 0 ||
		flush_all(writer, &snapshot, forced, &request->error) < 0)
		return -(int)request->error.code;
	row.at = request->at = snapshot.at;
	memcpy(row.label, request->label, sizeof(row.label));
	lock_take(&writer->lock);
	writer->labels.row[writer->labels.count++] = row;
	writer->labels.last = row.id;
	lock_give(&writer->lock);
	return 0;
}

static void answer_snapshot(struct writer *writer, struct request *request)
{
	make_snapshot(writer, request,
		request->kind == REQUEST_RESET ? SNAPSHOT_RESET : SNAPSHOT_NAMED, true);
}

static void answer_share(struct writer *writer, struct request *request)
{
	if (!shared_any(&writer->sessions))
		shared_first(&writer->sessions, &request->first);
	flush_all(writer, NULL, false, &request->error);
}

/* Its snapshot was made: its file is to have that. If not, it has not begun. */
static void begin_shared(struct writer *writer, struct request *request)
{
	struct write_sessions *sessions = &writer->sessions;

	shared_begun(sessions, request->session, writer->labels.last, request->at);
	if (flush_shared(writer, false, NULL, &request->error) == 0 &&
		shared_copy_of(sessions, writer->profile, request->session, &request->error) ==
			0)
		return;
	shared_drop(sessions, writer->profile, request->session);
	lock_take(&writer->lock);
	labels_drop(&writer->labels, request->session, 0);
	lock_give(&writer->lock);
}

/* It begins with a snapshot of its own, of which its row, in the next flush, knows. */
static void answer_join(struct writer *writer, struct request *request)
{
	struct write_sessions *sessions = &writer->sessions;
	bool alone = !shared_any(sessions);

	if (request->comes.samples)
		writer->source.samples = writer->threads.samples = request->comes.samples;
	if (request->comes.code)
		writer->source.code = request->comes.code;
	if (alone)
		shared_first(sessions, &request->first);
	if (shared_add(sessions, &request->comes, &request->error) == 0) {
		if (make_snapshot(writer, request, SNAPSHOT_SESSION, false) == 0) {
			begin_shared(writer, request);
			return;
		}
		shared_drop(sessions, writer->profile, request->session);
	}
	if (alone)
		shared_forget(sessions);
}

static void answer_leave(struct writer *writer, struct request *request)
{
	const struct writer_session *holder;
	struct error *error = &request->error;
	uint32_t first;

	if (!shared_end(&writer->sessions, request->session, since_begin(writer))) {
		error_set(error, ERROR_MISSING, "there is no such session");
		return;
	}
	flush_shared(writer, request->session == writer->sessions.holder, NULL, error);
	shared_finish(
		&writer->sessions, writer->profile, request->session, &holder, &first, error);
	lock_take(&writer->lock);
	labels_drop(&writer->labels, request->session, first);
	lock_give(&writer->lock);
	if (!holder)
		return;
	be_of(writer, holder);
	flush_all(writer, NULL, false, &(struct error){0});
}

static void answer_flush(struct writer *writer, struct request *request)
{
	flush_all(writer, NULL, true, &request->error);
}

static bool counts_are_young(const struct writer *writer)
{
	uint64_t at = writer->counts.counted_at;

	return at > 0 && since_begin(writer) - at < COUNT_AGE_MS * UINT64_C(1000000);
}

static void answer_count(struct writer *writer, struct request *request)
{
	struct trace_counts counts;

	if (counts_are_young(writer))
		return;
	counts = count_trace(writer->trace);
	lock_take(&writer->lock);
	writer->counts.trace = counts;
	writer->counts.counted_at = since_begin(writer);
	lock_give(&writer->lock);
}

static void answer_look(struct writer *writer, struct request *request)
{
	struct trace_counts counts;
	struct look look;

	if (look_take(&writer->looker, writer->trace, writer->threads.metrics,
		    writer->source.methods_end(), since_begin(writer), clock_process(), &look,
		    &counts) < 0) {
		error_set(&request->error, ERROR_MEMORY, "no memory to look at the recording");
		return;
	}
	lock_take(&writer->lock);
	writer->look = look;
	writer->counts.trace = counts;
	writer->counts.counted_at = since_begin(writer);
	lock_give(&writer->lock);
}

/* The profile's rows of the metrics; borrowed from the set. */
static void metric_rows(const struct metric_set *set, struct profile_metric *row)
{
	for (unsigned i = 0; i < set->count; i++)
		row[i] = (struct profile_metric){.name = set->metric[i].name,
			.unit = set->metric[i].unit,
			.how = set->metric[i].how};
}

/* The trace first: the file is never given fewer than it has. */
static void answer_widen(struct writer *writer, struct request *request)
{
	struct error *error = &request->error;
	struct profile_metric row[METRIC_MAX];
	const struct metric_set *set;

	if (request->metrics.count > trace_metrics(writer->trace)->count &&
		trace_widen(writer->trace, &request->metrics) != 0) {
		error_set(error, ERROR_MEMORY, "no memory to count further metrics");
		return;
	}
	set = trace_metrics(writer->trace);
	metric_rows(set, row);
	if (set->count == writer->threads.metrics ||
		profile_widen(writer->profile, row, set->count, error) < 0)
		return;
	writer->threads.metrics = set->count;
	writer->looker.by = metric_index(set, METRIC_CPU);
}

static void answer_requests(struct writer *writer)
{
	static void (*const answer[])(struct writer * writer, struct request * request) = {
		[REQUEST_SNAPSHOT] = answer_snapshot,
		[REQUEST_RESET] = answer_snapshot,
		[REQUEST_FLUSH] = answer_flush,
		[REQUEST_COUNT] = answer_count,
		[REQUEST_LOOK] = answer_look,
		[REQUEST_SHARE] = answer_share,
		[REQUEST_JOIN] = answer_join,
		[REQUEST_LEAVE] = answer_leave,
		[REQUEST_WIDEN] = answer_widen,
	};
	struct request *request;

	while ((request = requests_next(&writer->requests)) != NULL) {
		answer[request->kind](writer, request);
		requests_answer(&writer->requests, request);
	}
}

/* ---- its thread ---- */

/* Waits so long, or until a thread asks for something, or wakes this one; false: writer_finish
 * asks for the end instead. */
static bool wait_for(struct writer *writer, uint64_t ms)
{
	struct timespec until = lock_deadline(ms);
	int result = 0;
	bool ending;

	lock_take(&writer->lock);
	while (!writer->ending && !writer->woken && !requests_wait(&writer->requests) &&
		result == 0)
		result = pthread_cond_timedwait(&writer->wake, &writer->lock.mutex, &until);
	writer->woken = false;
	ending = writer->ending;
	lock_give(&writer->lock);
	return !ending;
}

void writer_wake(struct writer *writer)
{
	lock_take(&writer->lock);
	writer->woken = true;
	pthread_cond_broadcast(&writer->wake);
	lock_give(&writer->lock);
}

static void say_failure(struct writer *writer, const struct error *error)
{
	if (error->code == ERROR_NONE || writer->failure_said)
		return;
	writer->failure_said = true;
	log_line(LOG_ERROR,
		"%s; the profile stays as it was, and is tried again every "
		"%" PRIu64 " s",
		error->text, writer->flush_seconds);
}

/* The end may have been asked for, and given up, while a flush hung: what it would look at next may
 * be gone. */
static bool is_ending(struct writer *writer)
{
	bool ending;

	lock_take(&writer->lock);
	ending = writer->ending;
	lock_give(&writer->lock);
	return ending;
}

/* When the file is to be brought up to date next; now: since the begin, as all times here. Slices end at multiples of
 * the resolution, as long as the flushes that end them use a small part of a processor. */
static uint64_t next_flush(const struct writer *writer, uint64_t now)
{
	uint64_t at = now + writer->flush_seconds * UINT64_C(1000000000);
	uint64_t resolution = writer->source.resolution, slice, rested;

	if (resolution == 0)
		return at;
	slice = (writer->counts.flushed_at / resolution + 1) * resolution;
	rested = writer->counts.flushed_at + SLICE_SHARE * writer->flush_cpu;
	if (slice < rested)
		slice = rested;
	return slice < at ? slice : at;
}

/* Waits for the next flush, drains records and answers requests until then; false: the end is
 * asked for. */
static bool wait_for_flush(struct writer *writer)
{
	const struct sample_source *samples = writer->source.samples;
	const struct trace_source *traces = writer->source.traces;
	uint64_t now = since_begin(writer), flush_at, took, pause;

	flush_at = next_flush(writer, now);
	do {
		struct error error = {0};

		pause = writer->records.records || (samples && samples->expected()) ||
					(traces && traces->expected())
				? RECORDS_PAUSE_MS
				: writer->fold_pause;
		if (flush_at < now)
			pause = 0;
		else if ((flush_at - now) / 1000000 < pause)
			pause = (flush_at - now + 999999) / 1000000;
		if (!wait_for(writer, pause))
			return false;
		answer_requests(writer);
		if (is_ending(writer))
			return false;
		if (samples)
			samples->drain(false);
		if (traces && traces->expected())
			drain_traces(writer, &error);
		say_failure(writer, &error);
		error = (struct error){0};
		if (writer->records.records)
			drain_records(writer, &error);
		else
			fold_files(writer, false);
		say_failure(writer, &error);
		if (is_ending(writer))
			return false;
		/* A record's call path is known when its node is in the file: flushes come earlier
		 * for it, as long as they take a small part of the time. */
		took = writer->counts.flushed_at - writer->flush_begin;
		if (writer->records.new_paths &&
			since_begin(writer) - writer->counts.flushed_at > EARLY_SHARE * took)
			return true;
		now = since_begin(writer);
	} while (now < flush_at);
	return true;
}

/* A failure is said once; the next flush tries again. */
static void *run(void *argument)
{
	struct writer *writer = argument;

	while (wait_for_flush(writer)) {
		struct error error = {0};
		flush_all(writer, NULL, false, &error);
		say_failure(writer, &error);
	}
	lock_take(&writer->lock);
	writer->ended = true;
	requests_close(&writer->requests);
	pthread_cond_broadcast(&writer->wake);
	lock_give(&writer->lock);
	return NULL;
}

/* A mask of the calling thread without any signal, so that a thread begun now never runs
 * an application's handler. *before is for restore_signals. */
static void block_signals(sigset_t *before)
{
	sigset_t all;

	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, before);
}

/* A write beyond the limit of file sizes leaves SIGXFSZ pending: it is taken back, unless
 * the application had blocked it itself. */
static void restore_signals(const sigset_t *before)
{
	const struct timespec now = {0};
	sigset_t limit;

	sigemptyset(&limit);
	sigaddset(&limit, SIGXFSZ);
	if (!sigismember(before, SIGXFSZ))
		sigtimedwait(&limit, NULL, &now);
	pthread_sigmask(SIG_SETMASK, before, NULL);
}

static int start_thread(struct writer *writer)
{
	pthread_condattr_t monotonic;
	pthread_attr_t attributes;
	sigset_t before;
	int result;

	lock_init(&writer->lock, LOCK_SESSION);
	pthread_condattr_init(&monotonic);
	pthread_condattr_setclock(&monotonic, CLOCK_MONOTONIC);
	pthread_cond_init(&writer->wake, &monotonic);
	pthread_condattr_destroy(&monotonic);
	writer->requests.lock = &writer->lock;
	writer->requests.wake = &writer->wake;

	pthread_attr_init(&attributes);
	pthread_attr_setstacksize(&attributes, STACK_BYTES);
	block_signals(&before);
	result = pthread_create(&writer->runner, &attributes, run, writer);
	restore_signals(&before);
	pthread_attr_destroy(&attributes);
	if (result == 0)
		pthread_setname_np(writer->runner, "jprof writer");
	return result;
}

/* False: a flush hangs (a dead network disk, say), and goes on for all we know. */
static bool stop_thread(struct writer *writer)
{
	struct timespec until = lock_deadline(UINT64_C(1000) * PATIENCE);
	bool ended;

	lock_take(&writer->lock);
	writer->ending = true;
	pthread_cond_broadcast(&writer->wake);
	while (!writer->ended &&
		pthread_cond_timedwait(&writer->wake, &writer->lock.mutex, &until) == 0)
		;
	ended = writer->ended;
	lock_give(&writer->lock);
	return ended && pthread_join(writer->runner, NULL) == 0;
}

static void destroy(struct writer *writer)
{
	look_fini(&writer->looker);
	free(writer->labels.row);
	marks_fini(&writer->marks);
	free(writer);
}

/* ---- its life ---- */

static int create_profile(struct writer *writer, const struct metric_set *metrics,
	const char *path, struct error *error)
{
	struct profile_metric row[METRIC_MAX];

	metric_rows(metrics, row);
	return profile_create(
		&writer->profile, path, row, metrics->count, &writer->source.creation, error);
}

int writer_start(struct writer **out, struct trace *trace, const struct writer_source *source,
	const struct metric_set *metrics, const char *path, uint64_t flush_seconds,
	struct error *error)
{
	struct writer *writer = calloc(1, sizeof(*writer));
	int status;

	*out = NULL;
	if (!writer)
		return error_set(error, ERROR_MEMORY, "no memory to write the profile");
	writer->trace = trace;
	writer->source = *source;
	writer->began = clock_system();
	writer->flush_seconds =
		flush_seconds < FLUSH_SECONDS_MAX ? flush_seconds : FLUSH_SECONDS_MAX;
	writer->process = getpid();
	writer->fold_pause = FOLD_PAUSE_MS;
	marks_init(&writer->marks);
	writer->records =
		(struct record_writer){.records = trace_records(trace), .began = writer->began};
	writer->known = (struct written){.methods = METHOD_FIRST};
	status = create_profile(writer, metrics, path, error);
	if (status < 0) {
		destroy(writer);
		return status;
	}
	if (source->resolution > 0)
		status = profile_keep_slices(writer->profile, source->resolution, error);
	if (status < 0) {
		profile_close(writer->profile, NULL);
		destroy(writer);
		return status;
	}
	if (source->traces)
		profile_meanwhile(writer->profile, source->traces->keep_up);
	writer->records.profile = writer->profile;
	writer->looker = (struct looker){
		.by = metric_index(metrics, METRIC_CPU), .cpu = clock_process()};
	writer->threads = (struct thread_writer){.trace = trace,
		.samples = source->samples,
		.keep_up = source->traces ? source->traces->keep_up : NULL,
		.profile = writer->profile,
		.metrics = metrics->count,
		.began = writer->began};
	status = start_thread(writer);
	if (status != 0) {
		profile_close(writer->profile, NULL);
		destroy(writer);
		return error_set_errno(error, ERROR_MEMORY, status,
			"cannot start the thread that writes the profile");
	}
	*out = writer;
	return 0;
}

static int finish_profile(struct writer *writer, struct error *error)
{
	struct error records_error = {0};
	int status, closed;

	drain_records(writer, &records_error);
	say_failure(writer, &records_error);
	status = flush_shared(writer, true, NULL, error);
	closed = shared_any(&writer->sessions)
			 ? shared_finish_all(&writer->sessions, writer->profile, error)
			 : profile_close(writer->profile, error);
	if ((status < 0 || closed < 0) && !writer->failure_said)
		log_line(LOG_ERROR, "%s; the profile ends earlier than the program",
			error->text);
	return status < 0 ? status : closed;
}

static int discard_profile(struct writer *writer, struct error *error)
{
	profile_discard(writer->profile);
	return 0;
}

static int end(struct writer *writer,
	int (*end_profile)(struct writer *writer, struct error *error), struct error *error)
{
	sigset_t before;
	int status;

	if (!writer || writer->process != getpid())
		return 0;
	if (!stop_thread(writer)) {
		/* The writer stays, as its thread may go on; no thread needs to wait for it any more. */
		lock_take(&writer->lock);
		requests_close(&writer->requests);
		lock_give(&writer->lock);
		log_line(LOG_ERROR, "writing hangs; the profile ends earlier than the program");
		return error_set(error, ERROR_BUSY,
			"writing the profile hangs: it ends earlier "
			"than the recording");
	}
	requests_drained(&writer->requests);
	block_signals(&before);
	status = end_profile(writer, error);
	restore_signals(&before);
	pthread_cond_destroy(&writer->wake);
	lock_fini(&writer->lock);
	destroy(writer);
	return status;
}

int writer_finish(struct writer *writer, struct error *error)
{
	return end(writer, finish_profile, error);
}

int writer_discard(struct writer *writer, struct error *error)
{
	return end(writer, discard_profile, error);
}

/* ---- for others ---- */

/* A child that was forked has no such thread, and perhaps a lock that is never given back. */
static bool is_ours(const struct writer *writer, struct error *error)
{
	if (writer->process == getpid())
		return true;
	error_set(error, ERROR_MISSING, "this process is not recorded");
	return false;
}

static int ask(
	struct writer *writer, struct request *request, unsigned seconds, struct error *error)
{
	int status;

	if (!is_ours(writer, error))
		return -ERROR_MISSING;
	status = requests_ask(&writer->requests, request, seconds);
	if (status < 0)
		error_set(error, request->error.code, "%s", request->error.text);
	return status;
}

int writer_join(struct writer *writer, const struct writer_session *session,
	const struct writer_session *first, struct error *error)
{
	char *options;
	struct request request = {.kind = REQUEST_JOIN,
		.session = session->row(session->argument, &options).id,
		.comes = *session,
		.first = *first};

	free(options);
	return ask(writer, &request, PATIENCE, error);
}

int writer_share(
	struct writer *writer, const struct writer_session *session, struct error *error)
{
	struct request request = {.kind = REQUEST_SHARE, .first = *session};

	return ask(writer, &request, PATIENCE, error);
}

int writer_leave(struct writer *writer, uint32_t number, struct error *error)
{
	struct request request = {.kind = REQUEST_LEAVE, .session = number};

	return ask(writer, &request, PATIENCE, error);
}

int writer_snapshot(struct writer *writer, uint32_t session, const char *label,
	char **label_out, uint64_t *at_ns, struct error *error)
{
	struct request request = {.kind = REQUEST_SNAPSHOT, .session = session};
	int status = label ? label_check(label, error) : 0;

	*label_out = NULL;
	*at_ns = 0;
	if (status < 0)
		return status;
	snprintf(request.label, sizeof(request.label), "%s", label ? label : "");
	status = ask(writer, &request, PATIENCE, error);
	if (status < 0)
		return status;
	*at_ns = request.at;
	*label_out = strdup(request.label);
	return *label_out
		       ? 0
		       : error_set(error, ERROR_MEMORY,
				 "no memory to tell the snapshot's label '%s'", request.label);
}

int writer_reset(struct writer *writer, uint32_t session, struct error *error)
{
	struct request request = {.kind = REQUEST_RESET, .session = session};

	return ask(writer, &request, PATIENCE, error);
}

int writer_widen(struct writer *writer, const struct metric_set *wider, struct error *error)
{
	struct request request = {.kind = REQUEST_WIDEN, .metrics = *wider};

	return ask(writer, &request, PATIENCE, error);
}

int writer_flush(struct writer *writer, struct error *error)
{
	struct request request = {.kind = REQUEST_FLUSH};

	return ask(writer, &request, PATIENCE, error);
}

void writer_mark(struct writer *writer, const char *name, int64_t java_thread_id,
	const char *thread_name)
{
	if (writer->process == getpid())
		marks_add(
			&writer->marks, since_begin(writer), name, java_thread_id, thread_name);
}

int writer_count(struct writer *writer, struct writer_counts *counts, struct error *error)
{
	struct request request = {.kind = REQUEST_COUNT};
	struct error failure = {0};
	int status = 0;
	bool young;

	if (!is_ours(writer, error))
		return -ERROR_MISSING;
	lock_take(&writer->lock);
	young = counts_are_young(writer);
	lock_give(&writer->lock);
	if (!young)
		status = ask(writer, &request, COUNT_PATIENCE, &failure);
	lock_take(&writer->lock);
	*counts = writer->counts;
	lock_give(&writer->lock);
	counts->marks_lost = marks_lost(&writer->marks);
	if (status < 0 && counts->counted_at == 0)
		return error_set(error, failure.code, "%s", failure.text);
	return 0;
}

int writer_look(struct writer *writer, struct look *look, struct error *error)
{
	struct request request = {.kind = REQUEST_LOOK};
	int status = ask(writer, &request, LOOK_PATIENCE, error);

	lock_take(&writer->lock);
	*look = writer->look;
	lock_give(&writer->lock);
	return status;
}

int writer_labels(
	struct writer *writer, struct label_row **rows, size_t *count, struct error *error)
{
	const struct labels *labels = &writer->labels;

	if (!is_ours(writer, error))
		return -ERROR_MISSING;
	lock_take(&writer->lock);
	*count = labels->count;
	*rows = calloc(labels->count + 1, sizeof(**rows));
	if (*rows && labels->count > 0)
		memcpy(*rows, labels->row, labels->count * sizeof(**rows));
	lock_give(&writer->lock);
	if (*rows)
		return 0;
	*count = 0;
	return error_set(error, ERROR_MEMORY, "no memory to list the snapshots");
}

bool writer_has_ended(struct writer *writer)
{
	bool ended;

	lock_take(&writer->lock);
	ended = writer->ended;
	lock_give(&writer->lock);
	return ended;
}
