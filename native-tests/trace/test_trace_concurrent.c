/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/*
 * Owners at full speed, threads that come and go, a writer that looks all the time: every
 * picture is sound, the last one is exact. Meant for the thread sanitizer too.
 */
#include "trace_test.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { A = METHOD_FIRST, OWNERS = 3, PICTURES = TEST_TRIES(40), DEEPEST = 8 };

struct owner {
	struct trace *trace;
	struct metric_set *set;
	uint32_t methods;
	int number;
	pthread_t thread;
	uint64_t calls;
	_Atomic bool stop;
};

static void walk(struct owner *owner, struct thread_context *context, uint32_t steps)
{
	struct test_random random = {(uint64_t)owner->number};
	uint32_t stack[DEEPEST], depth = 0;

	for (uint32_t i = 0; i < steps || depth > 0; i++) {
		test_use(context, 1, 8);
		if (depth < DEEPEST && i < steps && test_random(&random, 10) >= depth) {
			stack[depth] = A + test_random(&random, owner->methods);
			context_enter(
				SHAPE_ANY, context, stack[depth++], STATE_INTERPRETED, false);
			owner->calls++;
		} else if (depth > 0) {
			context_exit(SHAPE_ANY, context, stack[--depth], false);
		}
	}
}

/* One thread for all the time, as soon as the crowd leaves it the memory to begin. */
static void *run_owner(void *user)
{
	struct owner *owner = user;
	struct thread_context *context = NULL;

	while (!atomic_load(&owner->stop)) {
		if (context == NULL)
			context = test_begin(owner->trace, "owner");
		if (context == NULL)
			continue;
		walk(owner, context, 1000);
		owner->number++;
	}
	if (context != NULL)
		trace_thread_end(owner->trace, context, NULL);
	return NULL;
}

/* Many short lives. */
static void *run_crowd(void *user)
{
	struct owner *owner = user;
	char name[64];

	while (!atomic_load(&owner->stop)) {
		struct thread_context *context;

		snprintf(name, sizeof(name), "crowd-%d", owner->number++);
		context = test_begin(owner->trace, name);
		if (context == NULL)
			continue;
		walk(owner, context, 100);
		trace_thread_end(owner->trace, context, NULL);
	}
	return NULL;
}

static uint64_t calls_in(const struct test_picture *picture)
{
	uint64_t calls = 0;

	for (size_t i = 0; i < picture->count; i++)
		calls += picture->row[i].sums.calls;
	return calls;
}

/* All deltas, those that found no memory too; no cell may have less than it has to. */
static uint64_t deltas_in(struct trace *trace)
{
	uint64_t *cells = calloc(trace_sequences_words(2), sizeof(*cells));
	uint64_t deltas = trace_sequences(trace, cells);

	for (uint32_t code = 0; code < SEQUENCE_CODES; code++) {
		const uint64_t *cell = &cells[code * sequence_words_of(2)];

		deltas += cell[0];
		assert_true(cell[1] >= cell[0] * cell[2]);
		assert_true(cell[0] == 0 || cell[4] < UINT64_MAX);
	}
	free(cells);
	return deltas;
}

static void run(uint64_t limit, uint32_t methods)
{
	struct metric_set set = test_set(2);
	struct trace *trace = trace_create(&set, limit);
	static struct owner owner[OWNERS + 1]; /* outlives a failure: the threads run on */
	struct test_picture picture = {.metrics = 2};
	struct trace_state state;
	uint64_t calls = 0, before = 0, pruned = 0, deltas = 0;

	for (int i = 0; i <= OWNERS; i++) {
		owner[i] = (struct owner){
			.trace = trace, .set = &set, .methods = methods, .number = i};
		assert_int_equal(pthread_create(&owner[i].thread, NULL,
					 i < OWNERS ? run_owner : run_crowd, &owner[i]),
			0);
	}
	for (int i = 0; i < PICTURES; i++) {
		struct timespec pause = {0, 2000000};

		test_visit(trace, &picture);
		/* What has been seen once is seen for good. */
		assert_true(calls_in(&picture) >= before);
		before = calls_in(&picture);
		assert_true(deltas_in(trace) >= deltas);
		deltas = deltas_in(trace);
		nanosleep(&pause, NULL);
	}
	for (int i = 0; i <= OWNERS; i++)
		atomic_store(&owner[i].stop, true);
	for (int i = 0; i <= OWNERS; i++) {
		pthread_join(owner[i].thread, NULL);
		calls += owner[i].calls;
	}
	test_visit(trace, &picture);
	assert_int_equal(calls_in(&picture), calls);
	assert_int_equal(deltas_in(trace), 2 * calls);
	for (size_t i = 0; i < picture.count; i++)
		pruned += picture.row[i].thread.pruned;
	trace_get_state(trace, &state);
	/* What counts cannot do without may be a little beyond it. */
	assert_true(state.memory_peak <= limit + limit / 64);
	assert_int_equal(lock_violations(), 0);
	print_message("%lu calls, %lu threads, %lu rows, %lu lost, %lu nodes pruned\n",
		(unsigned long)calls, (unsigned long)state.threads,
		(unsigned long)picture.count, (unsigned long)state.lost_threads,
		(unsigned long)pruned);
	test_picture_fini(&picture);
	trace_destroy(trace);
}

static void test_ample(void **state)
{
	run(256 << 20, 3);
}

static void test_short(void **state)
{
	run(4 << 20, 30);
}

/* Time goes on while the writer looks: it must agree with itself all the same. */
static void *run_timed(void *user)
{
	struct owner *owner = user;
	struct thread_context *context = test_begin(owner->trace, "timed");
	struct timespec pause = {0, 3000000};

	while (!atomic_load(&owner->stop)) {
		for (uint32_t i = 0; i < 2000; i++) {
			context_enter(SHAPE_WALL, context, A + i % 9, STATE_JITTED, false);
			context_exit(SHAPE_WALL, context, A + i % 9, false);
		}
		context_enter(SHAPE_WALL, context, A, STATE_JITTED, false);
		nanosleep(&pause, NULL);
		context_exit(SHAPE_WALL, context, A, false);
		owner->calls += 2001;
	}
	trace_thread_end(owner->trace, context, NULL);
	return NULL;
}

static void test_wall(void **state)
{
	struct pattern_list names = {0};
	struct metric_set set;
	struct error error = {0};
	struct trace *trace;
	static struct owner owner; /* outlives a failure: the threads run on */
	struct test_picture picture = {.metrics = 1};

	assert_int_equal(pattern_list_add(&names, "wall"), 0);
	assert_int_equal(metric_set_init(&set, &names, &error), 0);
	pattern_list_fini(&names);
	trace = trace_create(&set, 16 << 20);
	owner = (struct owner){.trace = trace, .set = &set};
	assert_int_equal(pthread_create(&owner.thread, NULL, run_timed, &owner), 0);
	for (int i = 0; i < 500; i++)
		test_visit(trace, &picture);
	atomic_store(&owner.stop, true);
	pthread_join(owner.thread, NULL);
	test_visit(trace, &picture);
	assert_int_equal(calls_in(&picture), owner.calls);
	assert_true(picture.row[0].thread.total[0] <=
		    picture.row[0].thread.ended - picture.row[0].thread.started + 1000000);
	test_picture_fini(&picture);
	trace_destroy(trace);
}

/* Uses FORGOTTEN at a time that nobody is to see, and one that everybody is. */
#define FORGOTTEN (UINT64_C(1) << 40)

static void *run_forgetful(void *user)
{
	struct owner *owner = user;
	struct thread_context *context = test_begin(owner->trace, "forgetful");

	while (!atomic_load(&owner->stop)) {
		context_enter(SHAPE_ANY, context, A, STATE_JITTED, false);
		test_use(context, 1, 8);
		context_exit(SHAPE_ANY, context, A, false);
		owner->calls++;
		context_settle(context);
		context_go_out(context);
		test_use(context, FORGOTTEN, 0);
		context_come_in(context);
	}
	trace_thread_end(owner->trace, context, NULL);
	return NULL;
}

/* Totals never go back, and have nothing that a thread forgot, however they are met. */
static void test_totals(void **state)
{
	struct metric_set set = test_set(2);
	struct trace *trace = trace_create(&set, 16 << 20);
	static struct owner owner[2]; /* outlives a failure: the threads run on */
	uint64_t total[METRIC_MAX], before[2] = {0};

	for (int i = 0; i < 2; i++) {
		owner[i] =
			(struct owner){.trace = trace, .set = &set, .methods = 3, .number = i};
		assert_int_equal(pthread_create(&owner[i].thread, NULL,
					 i ? run_crowd : run_forgetful, &owner[i]),
			0);
	}
	for (uint64_t end = clock_system() + 500000000; clock_system() < end;) {
		trace_totals(trace, total);
		assert_true(total[0] < FORGOTTEN);
		assert_true(total[0] >= before[0] && total[1] >= before[1]);
		memcpy(before, total, sizeof(before));
	}
	for (int i = 0; i < 2; i++)
		atomic_store(&owner[i].stop, true);
	for (int i = 0; i < 2; i++)
		pthread_join(owner[i].thread, NULL);
	trace_totals(trace, total);
	assert_true(total[0] >= owner[0].calls + 2 * owner[1].calls);
	assert_int_equal(total[1], 8 * total[0]);
	assert_int_equal(lock_violations(), 0);
	trace_destroy(trace);
}

static void *run_restless(void *user)
{
	struct owner *owner = user;
	struct thread_context *context = test_begin(owner->trace, "restless");

	while (!atomic_load(&owner->stop)) {
		context_go_out(context);
		context_come_in(context);
	}
	trace_thread_end(owner->trace, context, NULL);
	return NULL;
}

/* To read its counters from outside takes longer than it stays inside: totals come all the same,
 * and do not go back. */
static void test_restless(void **state)
{
	enum { TOTALS = 2000 };
	static struct owner owner;
	struct pattern_list names = {0};
	struct metric_set set;
	struct error error = {0};
	struct trace *trace;
	uint64_t total[METRIC_MAX], before[2] = {0};

	assert_int_equal(pattern_list_add(&names, "wall"), 0);
	assert_int_equal(pattern_list_add(&names, "cpu"), 0);
	assert_int_equal(metric_set_init(&set, &names, &error), 0);
	pattern_list_fini(&names);
	trace = trace_create(&set, 16 << 20);
	owner = (struct owner){.trace = trace, .set = &set};
	assert_int_equal(pthread_create(&owner.thread, NULL, run_restless, &owner), 0);
	for (int i = 0; i < TOTALS; i++) {
		trace_totals(trace, total);
		assert_true(total[0] >= before[0] && total[1] >= before[1]);
		memcpy(before, total, sizeof(before));
	}
	atomic_store(&owner.stop, true);
	pthread_join(owner.thread, NULL);
	trace_totals(trace, total);
	assert_true(total[0] >= before[0] && total[1] >= before[1]);
	trace_destroy(trace);
}

/* ---- I/O with files that are folded meanwhile ---- */

enum { GROUP = 1, FIRST_FILE = 100 };
static _Atomic uint64_t folded_below; /* ids of files */

static uint64_t file_now(uint64_t file, uint32_t group)
{
	return file >= FIRST_FILE && file < atomic_load(&folded_below) ? group : file;
}

/* Each file is used by two operations. */
static void *run_files(void *user)
{
	struct owner *owner = user;
	struct thread_context *context = test_begin(owner->trace, "files");

	for (uint64_t file = FIRST_FILE; !atomic_load(&owner->stop); file++)
		for (uint32_t op = IO_READ; op <= IO_WRITE; op++) {
			const struct operation operation = {
				.subject = file, .group = GROUP, .kind = op, .amount = 3};

			accounts_add(&context->tree.accounts, &context->tree.lock,
				context->tree.budget, &operation);
			owner->calls++;
			if (file > FIRST_FILE + 200)
				atomic_store(&folded_below, file - 100);
		}
	trace_thread_end(owner->trace, context, NULL);
	return NULL;
}

struct io_picture {
	uint64_t ops, bytes, of_group;
};

static int io_begin(void *user, const struct trace_thread *thread)
{
	*(struct io_picture *)user = (struct io_picture){0};
	return 0;
}

static int accounts_seen(void *user, const struct trace_thread *thread, uint32_t count,
	const struct account *account)
{
	struct io_picture *picture = user;

	for (uint32_t i = 0; i < count; i++) {
		picture->ops += account[i].count;
		picture->bytes += account[i].amount;
		if (account_subject(&account[i]) == GROUP)
			picture->of_group += account[i].count;
	}
	return 0;
}

static int io_end(void *user, const struct trace_thread *thread)
{
	return 0;
}

/* A million operations are folded; the list that they would make otherwise, bytes. */
enum { IO_FOLDED = 1000000, IO_LIST = IO_FOLDED * sizeof(struct account) };

/* Nothing is seen twice or goes back, whenever the owner puts accounts together; its list
 * does not grow, but for what comes while somebody looks: that waits, on a busy machine
 * for long. */
static void test_folded_files(void **state)
{
	struct metric_set set = test_set(1);
	struct trace *trace = trace_create(&set, 16 << 20);
	static struct owner owner; /* outlives a failure: the thread runs on */
	struct io_picture picture = {0}, before = {0};
	const struct trace_visitor visitor = {
		.user = &picture, .begin = io_begin, .accounts = accounts_seen, .end = io_end};
	struct trace_state memory;

	accounts_ask(file_now);
	owner = (struct owner){.trace = trace, .set = &set};
	assert_int_equal(pthread_create(&owner.thread, NULL, run_files, &owner), 0);
	for (int i = 0; i < 2000 || picture.of_group < IO_FOLDED; i++) {
		assert_int_equal(trace_visit(trace, &visitor), 0);
		assert_true(picture.ops >= before.ops && picture.of_group >= before.of_group);
		before = picture;
	}
	atomic_store(&owner.stop, true);
	pthread_join(owner.thread, NULL);
	assert_int_equal(trace_visit(trace, &visitor), 0);
	assert_int_equal(picture.ops, owner.calls);
	assert_int_equal(picture.bytes, 3 * owner.calls);
	trace_get_state(trace, &memory);
	printf("%lu operations, %lu kB at most\n", (unsigned long)owner.calls,
		(unsigned long)memory.memory_peak >> 10);
	assert_true(memory.memory_peak < IO_LIST / 2);
	accounts_ask(NULL);
	trace_destroy(trace);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_ample),
		cmocka_unit_test(test_short),
		cmocka_unit_test(test_wall),
		cmocka_unit_test(test_totals),
		cmocka_unit_test(test_restless),
		cmocka_unit_test(test_folded_files),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
