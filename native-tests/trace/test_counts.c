/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/* test_counts: calls by method, of threads that live, have ended or are folded; memory that runs out. */
#include "agent/trace/counts.h"

#include "trace_test.h"

enum { METHODS = 3000, MEMORY = 64 << 20 };

/* What a visit showed of counted calls. */
struct shown {
	uint64_t sum, rows;
	uint64_t last[METHODS]; /* of the row that was shown last */
};

static int show_accounts(void *user, const struct trace_thread *thread, uint32_t count,
	const struct account *account)
{
	struct shown *shown = user;

	for (uint32_t i = 0; i < count; i++) {
		assert_int_equal(account[i].kind, CALLS);
		assert_int_equal(account[i].node, 0);
		assert_int_equal(account[i].id, ACCOUNT_OF_METHOD + account[i].subject);
		shown->sum += account[i].count;
		shown->last[account[i].subject] = account[i].count;
		shown->rows++;
	}
	return 0;
}

static int ignore_forwards(void *user, const struct trace_forward *forward, uint32_t count)
{
	return 0;
}

static int ignore_gone(
	void *user, const struct trace_thread *thread, uint32_t count, const uint32_t *account)
{
	return 0;
}

static int ignore_end(void *user, const struct trace_thread *thread)
{
	return 0;
}

static struct shown visit(struct trace *trace, bool changes)
{
	struct shown shown = {0};
	const struct trace_visitor visitor = {.user = &shown,
		.changes = changes,
		.forwards = ignore_forwards,
		.gone = ignore_gone,
		.accounts = show_accounts,
		.end = ignore_end};

	assert_int_equal(trace_visit(trace, &visitor), 0);
	trace_confirm(trace, true);
	return shown;
}

struct fixture {
	struct metric_set set;
	struct trace *trace;
};

static void begin_with(struct fixture *f, uint64_t memory)
{
	f->set = test_set(1);
	f->trace = trace_create(&f->set, memory);
	assert_non_null(f->trace);
	assert_true(counts_expect(METHODS - 1));
}

static uint64_t used(const struct fixture *f)
{
	struct trace_state state;

	trace_get_state(f->trace, &state);
	return state.memory_used;
}

/* ---- */

static void ids_have_an_end(void **state)
{
	assert_false(counts_expect(COUNTED_METHODS));
	assert_true(counts_expect(METHODS - 1));
	assert_true(counts_end() >= METHODS);
	assert_true(counts_end() <= COUNTED_METHODS);
}

/* The block is written as bytecode does it. */
static void both_kinds_of_counts_are_one(void **state)
{
	struct fixture f;
	struct thread_context *context;
	struct shown shown;

	begin_with(&f, MEMORY);
	context = test_begin(f.trace, "worker");
	context_count(context, 5);
	assert_true(context_open_counts(context, 3, MEMORY_ORDINARY));
	context->counts.block[5] += 3;
	context->counts.block[METHODS - 1] += 7;
	context_count(context, METHODS - 1);
	shown = visit(f.trace, false);
	assert_int_equal(shown.rows, 2);
	assert_int_equal(shown.last[5], 4);
	assert_int_equal(shown.last[METHODS - 1], 8);
	trace_thread_end(f.trace, context, NULL);
	shown = visit(f.trace, false);
	assert_int_equal(shown.sum, 12);
	trace_destroy(f.trace);
}

static void changes_alone_are_shown(void **state)
{
	struct fixture f;
	struct thread_context *context;

	begin_with(&f, MEMORY);
	context = test_begin(f.trace, "worker");
	assert_true(context_open_counts(context, 3, MEMORY_ORDINARY));
	context->counts.block[1] = 10;
	context->counts.block[2] = 20;
	assert_int_equal(visit(f.trace, true).rows, 2);
	assert_int_equal(visit(f.trace, true).rows, 0);
	context->counts.block[2]++;
	assert_int_equal(visit(f.trace, true).rows, 1);
	trace_thread_end(f.trace, context, NULL);
	assert_int_equal(visit(f.trace, true).rows, 0);
	/* What was shown was lost. */
	trace_confirm(f.trace, false);
	assert_int_equal(visit(f.trace, true).sum, 31);
	trace_destroy(f.trace);
}

/* A sum without a visit: of threads that count by themselves, natively, in the row of all, and that have ended. */
static void sums_are_of_all_threads(void **state)
{
	enum { END = 100 };
	struct fixture f;
	struct thread_context *one, *other;
	uint64_t calls[END + 1] = {0};

	begin_with(&f, MEMORY);
	trace_add_counts(f.trace, calls, END);
	for (unsigned i = 0; i < END; i++)
		assert_int_equal(calls[i], 0);
	one = test_begin(f.trace, "one");
	other = test_begin(f.trace, "other");
	assert_true(context_open_counts(one, 3, MEMORY_ORDINARY));
	one->counts.block[5] += 3;
	one->counts.block[END - 1] += 70;
	one->counts.block[END] += 1000;
	context_count(one, 5);
	context_count(other, 5);
	trace_count_for_all(f.trace, 6);
	trace_add_counts(f.trace, calls, END);
	assert_int_equal(calls[5], 5);
	assert_int_equal(calls[6], 1);
	assert_int_equal(calls[END - 1], 70);
	assert_int_equal(calls[END], 0); /* not asked for */
	/* It adds; and what has ended is in it. */
	trace_thread_end(f.trace, one, NULL);
	trace_add_counts(f.trace, calls, END);
	assert_int_equal(calls[5], 10);
	assert_int_equal(calls[END - 1], 140);
	trace_destroy(f.trace);
}

/* Methods are more by now than when the thread's kept counts were made. */
static void sums_of_methods_that_came_later(void **state)
{
	struct fixture f;
	struct thread_context *context;
	static uint64_t calls[COUNTED_METHODS];

	begin_with(&f, MEMORY);
	context = test_begin(f.trace, "one");
	context_count(context, 1);
	assert_true(counts_expect(COUNTED_METHODS - 1));
	trace_add_counts(f.trace, calls, COUNTED_METHODS);
	assert_int_equal(calls[1], 1);
	for (unsigned i = 2; i < COUNTED_METHODS; i++)
		assert_int_equal(calls[i], 0);
	trace_destroy(f.trace);
}

/* Of a thousand threads 200 are looked at, those that began first: no sum is more than there was. */
static void sums_of_many_threads_are_of_some(void **state)
{
	enum { THREADS = 1000 };
	struct fixture f;
	uint64_t calls[2] = {0};

	begin_with(&f, MEMORY);
	for (unsigned i = 0; i < THREADS; i++) {
		struct thread_context *context = test_begin(f.trace, "many");

		assert_non_null(context);
		context_count(context, 1);
	}
	trace_add_counts(f.trace, calls, 2);
	assert_int_equal(calls[1], 200);
	trace_destroy(f.trace);
}

/* More threads than keep a row. */
static void folding_loses_nothing(void **state)
{
	enum { THREADS = TRACE_KEPT_ENDED + 500 };
	struct fixture f;
	uint64_t expected = 0;

	begin_with(&f, 4 * MEMORY);
	for (unsigned i = 0; i < THREADS; i++) {
		struct thread_context *context = test_begin(f.trace, "short-1");

		assert_true(context_open_counts(context, i, MEMORY_ORDINARY));
		context->counts.block[i % METHODS] += i;
		context_count(context, 7);
		expected += i + 1;
		trace_thread_end(f.trace, context, NULL);
		if (i % 400 == 0)
			visit(f.trace, true);
	}
	assert_int_equal(visit(f.trace, false).sum, expected);
	trace_destroy(f.trace);
}

/* Threads without memory count together; all others, and the sum, are exact. */
static void memory_is_bounded(void **state)
{
	enum { THREADS = 400, EACH = 4000 };
	struct fixture f;
	struct thread_context *context[THREADS];
	unsigned without = 0;

	begin_with(&f, 8 << 20);
	assert_true(counts_expect(20000));
	for (unsigned i = 0; i < THREADS; i++) {
		context[i] = test_begin(f.trace, "busy");
		assert_non_null(context[i]);
		if (!context_open_counts(context[i], i, MEMORY_ORDINARY))
			without++;
		for (unsigned k = 0; k < EACH; k++) {
			if (context[i]->counts.block)
				context[i]->counts.block[k % METHODS]++;
			else
				context_count(context[i], k % METHODS);
		}
	}
	assert_in_range(without, 1, THREADS - 1);
	assert_int_equal(visit(f.trace, false).sum, (uint64_t)THREADS * EACH);
	/* Threads themselves take some pages each; counters of all of them would have been 64 MB. */
	assert_true(used(&f) < 32 << 20);
	for (unsigned i = 0; i < THREADS; i++)
		trace_thread_end(f.trace, context[i], NULL);
	assert_int_equal(visit(f.trace, false).sum, (uint64_t)THREADS * EACH);
	trace_destroy(f.trace);
}

/* A block that is used again begins with zeros. */
static void blocks_are_used_again(void **state)
{
	struct memory_budget budget;
	struct counts one = {0}, other = {0};
	uint64_t *block;

	memory_budget_init(&budget, MEMORY);
	assert_true(counts_open(&one, &budget, 5, MEMORY_ORDINARY));
	block = one.block;
	assert_false(counts_open(&other, &budget, 5 + COUNT_BLOCKS, MEMORY_ORDINARY));
	block[9] = 99;
	counts_close(&one, &budget);
	assert_null(one.block);
	assert_int_equal(counts_of(&one, 9), 99);
	assert_true(counts_open(&other, &budget, 5 + COUNT_BLOCKS, MEMORY_ORDINARY));
	assert_ptr_equal(other.block, block);
	assert_int_equal(counts_of(&other, 9), 0);
	other.block[9] = 1;
	counts_merge(&one, &budget, &other);
	assert_int_equal(counts_of(&one, 9), 100);
	counts_fini(&one, &budget);
	counts_fini(&other, &budget);
	assert_int_equal(budget.used, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(ids_have_an_end),
		cmocka_unit_test(both_kinds_of_counts_are_one),
		cmocka_unit_test(changes_alone_are_shown),
		cmocka_unit_test(sums_are_of_all_threads),
		cmocka_unit_test(sums_of_many_threads_are_of_some),
		cmocka_unit_test(folding_loses_nothing),
		cmocka_unit_test(memory_is_bounded),
		cmocka_unit_test(blocks_are_used_again),
		/* From here on blocks are as large as they can be. */
		cmocka_unit_test(sums_of_methods_that_came_later),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
