/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/* threads_tracer: see threads_tracer.h. */
#include "agent/tracers/threads_tracer.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "agent/lock/gate.h"
#include "agent/lock/lock.h"
#include "agent/sample/sampler.h"
#include "agent/threads/thread_starts.h"
#include "agent/threads/threads.h"
#include "error/utf8.h"
#include "metric/clock.h"

/* What the kernel has counted of a thread. */
struct reading {
	uint64_t at; /* clock_system */
	uint64_t running, runnable, voluntary, involuntary;
};

struct row {
	pid_t tid;
	char name[64];     /* Java's, or the system's; cut */
	uint64_t from, to; /* clock_system */
	uint64_t ns;       /* of these, that it was on */
	struct reading last, sum;
	bool ended, following, put; /* following: `last` is of the same time that it is on */
};

static struct {
	struct gate gate; /* open while it is on; what it lets in may add rows */
	struct lock lock; /* guards what follows */
	struct row *row;
	size_t count, room;
	uint64_t unlisted;
	bool follows; /* it is on: what comes until the next reading is of the same time */
} state = {.lock = {PTHREAD_MUTEX_INITIALIZER, LOCK_THREAD_STATES}};

/* ---- readings ---- */

/* The file's beginning. False: the thread is gone, or the kernel has no such file. */
static bool read_file(pid_t tid, const char *file, char *text, size_t size)
{
	char path[64];
	ssize_t length;
	int fd;

	snprintf(path, sizeof(path), "/proc/self/task/%d/%s", (int)tid, file);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return false;
	length = read(fd, text, size - 1);
	close(fd);
	text[length > 0 ? length : 0] = '\0';
	return length > 0;
}

static uint64_t number_behind(const char *text, const char *key)
{
	const char *at = strstr(text, key);

	return at ? strtoull(at + strlen(key), NULL, 10) : 0;
}

static bool read_thread(pid_t tid, struct reading *reading)
{
	char text[4096], *end;

	if (!read_file(tid, "schedstat", text, sizeof(text)))
		return false;
	reading->at = clock_system();
	reading->running = strtoull(text, &end, 10);
	reading->runnable = strtoull(end, NULL, 10);
	if (!read_file(tid, "status", text, sizeof(text)))
		return false;
	reading->voluntary = number_behind(text, "\nvoluntary_ctxt_switches:");
	reading->involuntary = number_behind(text, "\nnonvoluntary_ctxt_switches:");
	return true;
}

/* ---- rows: under the lock ---- */

/* Numbers of threads come again, but not so soon. */
#define ENDING_NS UINT64_C(1000000000)

/* Found or made. NULL: there is no room, or what is seen is the last of a thread that has told its end. */
static struct row *row_of(pid_t tid, uint64_t now, bool begins)
{
	struct row *more;
	size_t room = state.room ? 2 * state.room : 64;

	/* The newest threads are the ones that come and go. */
	for (size_t i = state.count; i-- > 0;) {
		if (state.row[i].tid != tid)
			continue;
		if (!state.row[i].ended)
			return &state.row[i];
		if (!begins && now < state.row[i].to + ENDING_NS)
			return NULL;
		break;
	}
	if (state.count == THREAD_STATES_MAX) {
		state.unlisted++;
		return NULL;
	}
	if (state.count == state.room) {
		more = realloc(state.row, room * sizeof(*more));
		if (!more) {
			state.unlisted++;
			return NULL;
		}
		state.row = more;
		state.room = room;
	}
	more = &state.row[state.count++];
	*more = (struct row){.tid = tid};
	return more;
}

static uint64_t grown(uint64_t from, uint64_t to)
{
	return to > from ? to - from : 0;
}

/* What it has done since the last reading goes to its sums, if that is of the same time. */
static void add_reading(pid_t tid, const struct reading *now, bool ends, const char *java_name)
{
	struct row *row = row_of(tid, now->at, java_name != NULL);
	char name[32];

	if (!row)
		return;
	if (row->from == 0)
		row->from = now->at;
	if (row->following) {
		row->ns += grown(row->last.at, now->at);
		row->sum.running += grown(row->last.running, now->running);
		row->sum.runnable += grown(row->last.runnable, now->runnable);
		row->sum.voluntary += grown(row->last.voluntary, now->voluntary);
		row->sum.involuntary += grown(row->last.involuntary, now->involuntary);
	}
	row->to = now->at;
	row->last = *now;
	row->following = state.follows;
	row->ended = ends;
	row->put = false;
	if (java_name)
		snprintf(row->name, sizeof(row->name), "%.*s",
			(int)(strlen(java_name) < sizeof(row->name)
					? strlen(java_name)
					: utf8_floor(java_name, sizeof(row->name) - 1)),
			java_name);
	if (row->name[0] == '\0' && read_file(tid, "comm", name, sizeof(name)))
		snprintf(row->name, sizeof(row->name), "%.*s", (int)strcspn(name, "\n"), name);
}

static void look_at(pid_t tid, bool ends, const char *java_name)
{
	struct reading now;

	if (!read_thread(tid, &now))
		return;
	lock_take(&state.lock);
	add_reading(tid, &now, ends, java_name);
	lock_give(&state.lock);
}

/* All that there are. Rows of those that are not have ended. */
static void look_at_all(void)
{
	DIR *tasks = opendir("/proc/self/task");
	uint64_t begin = clock_system();
	struct dirent *entry;

	while (tasks && (entry = readdir(tasks)))
		if (entry->d_name[0] != '.')
			look_at((pid_t)atoi(entry->d_name), false, NULL);
	lock_take(&state.lock);
	for (size_t i = 0; i < state.count; i++) {
		bool ended = tasks && !state.row[i].ended && state.row[i].to < begin;

		state.row[i].ended |= ended;
		state.row[i].put &= !ended;
	}
	lock_give(&state.lock);
	if (tasks)
		closedir(tasks);
}

/* From here on it is on, or is not. */
static void follow(bool follows)
{
	lock_take(&state.lock);
	state.follows = follows;
	for (size_t i = 0; i < state.count; i++)
		state.row[i].following &= follows;
	lock_give(&state.lock);
}

/* ---- Java threads begin and end ---- */

static void begins(JNIEnv *jni, int64_t java_id, const char *name)
{
	if (!gate_enter(&state.gate))
		return;
	look_at(gettid(), false, name);
	gate_leave(&state.gate);
}

static void ends(JNIEnv *jni)
{
	if (!gate_enter(&state.gate))
		return;
	look_at(gettid(), true, NULL);
	gate_leave(&state.gate);
}

static void started(void)
{
	const struct sampler_event event = {.kind = THREAD_STARTED, .count = 1};

	if (gate_is_open(&state.gate) && sampler_records())
		sampler_take_event(&event);
}

/* ---- the trace ---- */

static int prove(const struct session *session, struct error *error)
{
	struct reading reading;

	return read_thread(gettid(), &reading)
		       ? 0
		       : error_set(error, ERROR_MISSING,
				 "traces=threads: cannot read '/proc/self/task/%d/schedstat': "
				 "%s",
				 (int)gettid(), strerror(errno));
}

static int on(JNIEnv *jni, struct session *session, struct error *error)
{
	static const struct threads_told told = {begins, ends};

	follow(true);
	gate_open(&state.gate);
	threads_tell(TOLD_TRACER, &told);
	thread_starts_tell(jni, started);
	look_at_all();
	return 0;
}

static void off(JNIEnv *jni, struct session *session)
{
	threads_tell(TOLD_TRACER, NULL);
	thread_starts_tell(jni, NULL);
	gate_close(&state.gate);
	look_at_all();
	follow(false);
}

static bool forget(void)
{
	if (!gate_close(&state.gate))
		return false;
	free(state.row);
	state.row = NULL;
	state.count = state.room = 0;
	state.unlisted = 0;
	return true;
}

/* ---- the writer's thread ---- */

static int put(struct profile_writer *profile, uint64_t began, struct error *error)
{
	int status = 0;
	bool more = true;

	if (gate_is_open(&state.gate))
		look_at_all();
	for (size_t i = 0; more && status == 0; i++) {
		struct row row = {0};

		lock_take(&state.lock);
		more = i < state.count;
		if (more) {
			row = state.row[i];
			state.row[i].put = true;
		}
		lock_give(&state.lock);
		if (!more || row.put)
			continue;
		const struct profile_thread_state record = {.id = (uint32_t)i + 1,
			.os_id = row.tid,
			.name = row.name,
			.from = row.from > began ? row.from - began : 0,
			.to = row.to > began ? row.to - began : 0,
			.ns = row.ns,
			.running = row.sum.running,
			.runnable = row.sum.runnable,
			.voluntary = row.sum.voluntary,
			.involuntary = row.sum.involuntary,
			.ended = row.ended};

		status = profile_put(profile, &record, error);
	}
	return status;
}

static void put_done(bool kept)
{
	lock_take(&state.lock);
	for (size_t i = 0; !kept && i < state.count; i++)
		state.row[i].put = false;
	lock_give(&state.lock);
}

static void facts(fact_put put_it, void *argument)
{
	if (state.unlisted)
		fact_put_number(put_it, argument, "threads.unlisted", state.unlisted);
}

const struct tracer threads_tracer = {.stacks = true,
	.prove = prove,
	.on = on,
	.off = off,
	.forget = forget,
	.put = put,
	.put_done = put_done,
	.facts = facts};
