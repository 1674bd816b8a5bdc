/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/* Snapshots, resets, marks and counts that are asked for: while threads run, while the disk fails
 * or hangs, and while the recording ends. */
#include "snapshot_test.h"

#include <poll.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "agent/session/marks.h"

/* ---- what the writer does, disturbed ---- */

static atomic_bool fail_commit, hold_commit;
static atomic_int commits_waiting;
static _Thread_local long gone; /* seconds that deadlines this thread makes are nearer */

int __real_profile_commit(struct profile_writer *writer, struct error *error);
int __wrap_profile_commit(struct profile_writer *writer, struct error *error)
{
	atomic_fetch_add(&commits_waiting, 1);
	while (atomic_load(&hold_commit))
		sched_yield();
	atomic_fetch_sub(&commits_waiting, 1);
	if (!atomic_load(&fail_commit))
		return __real_profile_commit(writer, error);
	profile_rollback(writer);
	return error_set(error, ERROR_IO, "no room");
}

static void *release_commit(void *argument)
{
	poll(NULL, 0, 100);
	atomic_store(&hold_commit, false);
	return argument;
}

int __real_clock_gettime(clockid_t clock, struct timespec *time);
int __wrap_clock_gettime(clockid_t clock, struct timespec *time)
{
	int result = __real_clock_gettime(clock, time);

	time->tv_sec -= gone;
	return result;
}

struct player {
	struct model model;
	struct test_walk walk;
};

/* ---- what may be asked for, and what may go wrong ---- */

static struct writer *start_small(struct trace **trace, struct player *player, const char *name)
{
	*trace = trace_create(&snapshot_set, 64 << 20);
	model_init(&player->model);
	player->walk = (struct test_walk){.random = {7},
		.model = &player->model,
		.context = test_begin(*trace, "main"),
		.methods = METHODS,
		.depth = 15};
	return snapshot_start(*trace, name, 3600);
}

static void end_small(struct trace *trace, struct writer *writer, struct player *player)
{
	trace_stop(trace);
	snapshot_finish(writer);
	trace_thread_end(trace, player->walk.context, NULL);
	model_fini(&player->model);
	trace_destroy(trace);
}

static void steps(struct player *player, int count)
{
	for (int i = 0; i < count; i++)
		test_step(&player->walk);
}

/* Returns the code; the label that came of it must be that one. */
static int snapshot(struct writer *writer, const char *label, const char *expected)
{
	struct error error = {0};
	char *told = error.text; /* no answer */
	uint64_t at = 1;
	int status = writer_snapshot(writer, 0, label, &told, &at, &error);

	assert_int_equal(status, -(int)error.code);
	if (expected) {
		assert_string_equal(error.text, "");
		assert_string_equal(told, expected);
		assert_true(at > 0);
	} else {
		assert_true(status < 0);
		assert_null(told);
	}
	free(told);
	return status;
}

static void labels(void **state)
{
	struct trace *trace;
	struct player player;
	struct writer *writer = start_small(&trace, &player, "labels");
	struct label_row *row;
	struct error error = {0};
	char longest[LABEL_MAX + 2];
	size_t count;

	memset(longest, 'x', sizeof(longest));
	longest[LABEL_MAX + 1] = '\0';
	assert_int_equal(snapshot(writer, "", NULL), -ERROR_VALUE);
	assert_int_equal(snapshot(writer, longest, NULL), -ERROR_VALUE);
	assert_int_equal(snapshot(writer, "a\tb", NULL), -ERROR_VALUE);
	assert_int_equal(snapshot(writer, "a\x7f", NULL), -ERROR_VALUE);
	assert_int_equal(snapshot(writer, "a..b", NULL), -ERROR_VALUE);
	longest[LABEL_MAX] = '\0';
	snapshot(writer, longest, longest);
	snapshot(writer, NULL, "1");
	snapshot(writer, "3", "3");
	snapshot(writer, NULL, "2");
	snapshot(writer, NULL, "4");
	assert_int_equal(snapshot(writer, "3", NULL), -ERROR_BUSY);
	assert_int_equal(writer_reset(writer, 0, &error), 0);
	snapshot(writer, "caf\xc3\xa9 1", "caf\xc3\xa9 1");
	assert_int_equal(writer_labels(writer, &row, &count, &error), 0);
	assert_int_equal(count, 7);
	assert_string_equal(row[2].label, "3");
	assert_true(row[5].reset && row[5].label[0] == '\0' && !row[6].reset);
	for (size_t i = 1; i < count; i++)
		assert_true(row[i].at > row[i - 1].at);
	free(row);
	end_small(trace, writer, &player);
}

/* After a reset reports begin there; what was before can still be had. */
static void resets(void **state)
{
	struct trace *trace;
	struct player player;
	struct writer *writer = start_small(&trace, &player, "resets");
	struct error error = {0};
	struct truth before, after, told[GROUPS], is;
	struct profile *profile;

	steps(&player, 5000);
	assert_int_equal(writer_reset(writer, 0, &error), 0);
	steps(&player, 5000);
	before = truth_of_model(&player.model);
	assert_int_equal(writer_reset(writer, 0, &error), 0);
	steps(&player, 5000);
	model_end(&player.model);
	after = truth_of_model(&player.model);
	end_small(trace, writer, &player);
	is = truth_difference(&after, &before);
	profile = snapshot_read(NULL);
	truth_of_profile(profile, told);
	assert_memory_equal(&told[2], &is, sizeof(is));
	assert_string_equal(profile->interval.from->label, "reset2");
	assert_true(profile->interval.end > profile->interval.begin);
	profile_free(profile);
	profile = snapshot_read("..");
	truth_of_profile(profile, told);
	assert_memory_equal(&told[2], &after, sizeof(after));
	profile_free(profile);
	profile = snapshot_read("..reset2");
	truth_of_profile(profile, told);
	assert_memory_equal(&told[2], &before, sizeof(before));
	profile_free(profile);
}

static void marks(void **state)
{
	struct trace *trace;
	struct player player;
	struct writer *writer = start_small(&trace, &player, "marks");
	char longest[MARK_NAME_MAX + 10];
	struct writer_counts counts;
	struct error error = {0};
	struct profile *profile;

	writer_mark(writer, "first", 17, "main");
	writer_mark(writer, "second", 0, NULL);
	atomic_store(&fail_commit, true);
	assert_int_equal(snapshot(writer, "a", NULL), -ERROR_IO);
	atomic_store(&fail_commit, false);
	/* Half a character is left out: the 200th byte is the first of two. */
	memset(longest, 'x', sizeof(longest));
	memcpy(longest + MARK_NAME_MAX - 1, "\xc3\xa9", 3);
	writer_mark(writer, longest, 1, "main");
	snapshot(writer, "a", "a");
	for (int i = 0; i < MARKS_WAITING + 5; i++)
		writer_mark(writer, "more", 1, "main");
	assert_int_equal(writer_count(writer, &counts, &error), 0);
	assert_int_equal(counts.marks_lost, 5);
	end_small(trace, writer, &player);
	profile = snapshot_read(NULL);
	assert_int_equal(profile->mark_count, MARKS_WAITING + 3);
	assert_string_equal(profile->mark[0].name, "first");
	assert_string_equal(profile->mark[0].thread, "main");
	assert_int_equal(profile->mark[0].java_id, 17);
	assert_null(profile->mark[1].thread);
	assert_int_equal(strlen(profile->mark[2].name), MARK_NAME_MAX - 1);
	assert_true(profile->mark[2].at <= profile->snapshot[0].at);
	assert_true(profile->mark[3].at >= profile->snapshot[0].at);
	assert_string_equal(profile_meta_get(profile, "marks.lost"), "5");
	profile_free(profile);
}

/* A program that goes on for ever with them. */
static void the_last_mark(void **state)
{
	struct marks marks;

	marks_init(&marks);
	marks.taken = MARKS_MAX - 1;
	marks_add(&marks, 1, "the last", 0, NULL);
	marks_add(&marks, 2, "too many", 0, NULL);
	assert_int_equal(marks.waiting, 1);
	assert_int_equal(marks_lost(&marks), 1);
	marks_fini(&marks);
}

static void counted(void **state)
{
	struct trace *trace;
	struct player player;
	struct writer *writer = start_small(&trace, &player, "counted");
	struct writer_counts first, second;
	struct test_sums sums;
	struct error error = {0};

	steps(&player, 3000);
	assert_int_equal(writer_count(writer, &first, &error), 0);
	sums = model_sum(&player.model);
	assert_int_equal(first.trace.calls, sums.calls);
	assert_int_equal(first.trace.nodes, sums.nodes + 1); /* the root's fold */
	assert_int_equal(first.trace.live, 1);
	assert_int_equal(first.trace.threads, 1);
	assert_int_equal(first.flushed_at, 0);
	/* At once: the same answer. */
	steps(&player, 3000);
	do
		assert_int_equal(writer_count(writer, &second, &error), 0);
	while (second.counted_at == first.counted_at);
	assert_true(second.counted_at - first.counted_at >= 200000000);
	sums = model_sum(&player.model);
	assert_int_equal(second.trace.calls, sums.calls);
	snapshot(writer, NULL, "1");
	atomic_store(&fail_commit, true);
	snapshot(writer, NULL, NULL);
	atomic_store(&fail_commit, false);
	assert_int_equal(writer_count(writer, &first, &error), 0);
	assert_true(first.flushed_at > 0);
	assert_string_equal(first.failure.text, "no room");
	snapshot(writer, NULL, "2");
	assert_int_equal(writer_count(writer, &first, &error), 0);
	assert_string_equal(first.failure.text, "");
	end_small(trace, writer, &player);
}

/* A snapshot that fails has left nothing behind; its label can be used again. */
static void failures(void **state)
{
	struct trace *trace;
	struct player player;
	struct writer *writer = start_small(&trace, &player, "failures");
	struct profile *profile;
	struct truth before, after, told[GROUPS], is;

	steps(&player, 3000);
	atomic_store(&fail_commit, true);
	assert_int_equal(snapshot(writer, "a", NULL), -ERROR_IO);
	atomic_store(&fail_commit, false);
	profile = snapshot_read(NULL);
	assert_int_equal(profile->snapshot_count, 0);
	profile_free(profile);
	steps(&player, 3000);
	before = truth_of_model(&player.model);
	snapshot(writer, "a", "a");
	steps(&player, 3000);
	model_end(&player.model);
	after = truth_of_model(&player.model);
	end_small(trace, writer, &player);
	is = truth_difference(&after, &before);
	profile = snapshot_read("a..");
	truth_of_profile(profile, told);
	assert_memory_equal(&told[2], &is, sizeof(is));
	profile_free(profile);
}

/* ---- a disk that hangs ---- */

struct asker {
	pthread_t thread;
	struct writer *writer;
	const char *label;
	long gone;
	int status;
	struct error error;
};

static void *ask(void *argument)
{
	struct asker *asker = argument;
	char *label;
	uint64_t at;

	gone = asker->gone;
	asker->status =
		writer_snapshot(asker->writer, 0, asker->label, &label, &at, &asker->error);
	free(label);
	return NULL;
}

static void start_asker(
	struct asker *asker, struct writer *writer, const char *label, long seconds_gone)
{
	*asker = (struct asker){.writer = writer, .label = label, .gone = seconds_gone};
	assert_int_equal(pthread_create(&asker->thread, NULL, ask, asker), 0);
}

static void wait_for_commit(void)
{
	while (atomic_load(&commits_waiting) == 0)
		sched_yield();
}

/* One snapshot is being made, one waits; both give up, and the first is made nevertheless. */
static void hanging(void **state)
{
	struct trace *trace;
	struct player player;
	struct writer *writer = start_small(&trace, &player, "hanging");
	struct writer_counts counts;
	struct error error = {0};
	struct asker asker[2];
	struct profile *profile;

	/* Their minute is nearly over when it begins. */
	atomic_store(&hold_commit, true);
	gone = 4;
	start_asker(&asker[0], writer, "begun", 59);
	wait_for_commit();
	start_asker(&asker[1], writer, "waiting", 59);
	poll(NULL, 0, 100);
	assert_int_equal(writer_count(writer, &counts, &error), -ERROR_IO);
	for (int i = 0; i < 2; i++) {
		pthread_join(asker[i].thread, NULL);
		assert_int_equal(asker[i].status, -ERROR_IO);
		assert_non_null(strstr(asker[i].error.text, "longer than 60 s"));
	}
	assert_non_null(strstr(asker[0].error.text, "may still be made"));
	assert_null(strstr(asker[1].error.text, "may still be made"));
	gone = 0;
	atomic_store(&hold_commit, false);
	assert_int_equal(snapshot(writer, "begun", NULL), -ERROR_BUSY);
	snapshot(writer, "waiting", "waiting");
	end_small(trace, writer, &player);
	profile = snapshot_read(NULL);
	assert_int_equal(profile->snapshot_count, 2);
	profile_free(profile);
}

/* The recording ends while one snapshot is being made and others wait. */
static void ends_meanwhile(void **state)
{
	struct trace *trace;
	struct player player;
	struct writer *writer = start_small(&trace, &player, "ends");
	struct asker asker[4];
	struct error error = {0};
	pthread_t release;
	struct profile *profile;

	steps(&player, 1000);
	atomic_store(&hold_commit, true);
	for (int i = 0; i < 4; i++) {
		start_asker(&asker[i], writer, NULL, 0);
		wait_for_commit();
	}
	pthread_create(&release, NULL, release_commit, NULL);
	trace_stop(trace);
	assert_int_equal(writer_finish(writer, &error), 0);
	pthread_join(release, NULL);
	for (int i = 0; i < 4; i++) {
		pthread_join(asker[i].thread, NULL);
		if (asker[i].status != 0)
			assert_string_equal(asker[i].error.text, "the recording has ended");
	}
	assert_int_equal(asker[0].status, 0);
	profile = snapshot_read(NULL);
	assert_true(profile->snapshot_count >= 1);
	profile_free(profile);
	trace_thread_end(trace, player.walk.context, NULL);
	model_fini(&player.model);
	trace_destroy(trace);
}

/* ---- while threads run ---- */

static atomic_bool stop;

static void *record(void *argument)
{
	struct trace *trace = argument;

	for (uint64_t round = 0; !atomic_load(&stop); round++) {
		struct player player;

		model_init(&player.model);
		player.walk = (struct test_walk){.random = {round + (uintptr_t)&player},
			.model = &player.model,
			.context = test_begin(trace, "pool-7"),
			.methods = METHODS,
			.depth = 15,
			.faults = true};
		for (int i = 0; player.walk.context && i < 20000 && !atomic_load(&stop); i++)
			test_step(&player.walk);
		if (player.walk.context)
			trace_thread_end(trace, player.walk.context, NULL);
		model_fini(&player.model);
	}
	return NULL;
}

enum { ASKS = TEST_TRIES(8), MARKS = 100, ASKERS = 2 };

static void *ask_and_mark(void *argument)
{
	for (int i = 0; i < ASKS; i++) {
		struct writer_counts counts;
		struct error error = {0};
		char *label;
		uint64_t at;

		poll(NULL, 0, 10); /* the others shall have run */
		for (int k = 0; k < MARKS; k++)
			writer_mark(argument, "mark", 1, "asker");
		writer_snapshot(argument, 0, NULL, &label, &at, &error);
		assert_string_equal(error.text, "");
		free(label);
		assert_int_equal(writer_count(argument, &counts, &error), 0);
	}
	return NULL;
}

/* The sums of all intervals, one behind the other, are those of the whole. */
static void check_chain(void)
{
	struct truth told[GROUPS], sum = {0}, whole;
	struct profile *profile = snapshot_read("..");
	size_t count = profile->snapshot_count;

	truth_of_profile(profile, told);
	whole = told[0];
	assert_true(whole.transition[0] > 1000);
	profile_free(profile);
	for (size_t i = 0; i <= count; i++) {
		char interval[32];

		snprintf(interval, sizeof(interval), "%zu..%zu", i, i + 1);
		if (i == 0)
			snprintf(interval, sizeof(interval), "..1");
		if (i == count)
			snprintf(interval, sizeof(interval), "%zu..", i);
		profile = snapshot_read(interval);
		assert_int_equal(profile->interval.clamped, 0);
		truth_of_profile(profile, told);
		truth_add(&sum, &told[0]);
		profile_free(profile);
	}
	/* States of a call that was being counted are the next interval's. */
	assert_memory_equal(sum.transition, whole.transition, sizeof(sum.transition));
	assert_memory_equal(sum.base, whole.base, sizeof(sum.base));
	assert_int_equal(sum.calls[0] + sum.calls[1] + sum.calls[2],
		whole.calls[0] + whole.calls[1] + whole.calls[2]);
}

static void run_threads(const char *name)
{
	struct trace *trace = trace_create(&snapshot_set, 3 << 20);
	struct writer *writer = snapshot_start(trace, name, 0);
	pthread_t recorder[2], asker[ASKERS];
	struct profile *profile;

	atomic_store(&stop, false);
	for (int i = 0; i < 2; i++)
		pthread_create(&recorder[i], NULL, record, trace);
	for (int i = 0; i < ASKERS; i++)
		pthread_create(&asker[i], NULL, ask_and_mark, writer);
	for (int i = 0; i < ASKERS; i++)
		pthread_join(asker[i], NULL);
	atomic_store(&stop, true);
	for (int i = 0; i < 2; i++)
		pthread_join(recorder[i], NULL);
	trace_stop(trace);
	snapshot_finish(writer);
	profile = snapshot_read(NULL);
	assert_int_equal(profile->snapshot_count, ASKERS * ASKS);
	assert_int_equal(profile->mark_count, ASKERS * ASKS * MARKS);
	profile_free(profile);
	check_chain();
	trace_destroy(trace);
}

static void while_threads_run(void **state)
{
	run_threads("running");
}

/* The delta that a thread is in is told by its clocks, which go on while it is looked at. */
static void with_real_clocks(void **state)
{
	struct metric_set set = snapshot_set;
	struct pattern_list names = {0};
	struct error error = {0};

	pattern_list_add(&names, "wall");
	pattern_list_add(&names, "cpu");
	assert_int_equal(metric_set_init(&snapshot_set, &names, &error), 0);
	for (int i = 0; i < TEST_TRIES(2); i++)
		run_threads("clocks");
	snapshot_set = set;
	pattern_list_fini(&names);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(labels),
		cmocka_unit_test(resets),
		cmocka_unit_test(marks),
		cmocka_unit_test(the_last_mark),
		cmocka_unit_test(counted),
		cmocka_unit_test(failures),
		cmocka_unit_test(hanging),
		cmocka_unit_test(ends_meanwhile),
		cmocka_unit_test(while_threads_run),
		cmocka_unit_test(with_real_clocks),
	};

	return cmocka_run_group_tests(tests, snapshot_prepare, snapshot_clean);
}
