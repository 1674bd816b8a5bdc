/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/*
 * Each watched call against a naive model of it: how long it took, what of that was its own, how it ended, and
 * what it called, path by path; and what all threads used meanwhile. With exits by exception, calls in one another, virtual threads that change
 * lanes, and too little memory, where figures may be missing but not wrong.
 */
#include "agent/trace/call_watch.h"
#include "agent/trace/trace_rows.h"
#include "agent/values/tag_sets.h"
#include "agent/values/values.h"
#include "mount_test.h"

#include <stdlib.h>
#include <string.h>

enum {
	METHODS = 6, /* from METHOD_FIRST on; every third is watched */
	DEEPEST = 24,
	TRIE_MOST = 4000,
	STEPS = 4000,
	KEPT = 20000
};

static bool is_watched(uint32_t method)
{
	return (method - METHOD_FIRST) % 3 == 0;
}

static uint32_t tag[3]; /* values of one */

static void make_tags(void)
{
	uint32_t key = parameter_make("user", true, KEEP_PLAIN, 10);

	tag[1] = value_of(key, "a", 1);
	tag[2] = value_of(key, "b", 1);
}

/* ---- the model: of each open call what it did ---- */

struct trie {
	struct small_node node[TRIE_MOST];
	uint32_t nodes, at;
};

struct finished {
	uint32_t method;
	uint64_t elapsed, base, cpu, process[2];
	bool failed, has_tree;
	struct trie *trie;
};

struct open_call {
	uint32_t depth; /* of the model's stack */
	uint64_t elapsed, cpu, process_at[2];
	bool has_tree;
	struct trie *trie;
};

struct thread_model {
	uint32_t method[DEEPEST + 1];
	uint32_t depth;
	struct open_call open[DEEPEST + 1];
	uint32_t opened;
};

struct fixture {
	struct metric_set set;
	struct trace *trace;
	uint64_t process[2];   /* what all threads have used */
	bool labels;           /* calls get lines, values and tags, which change nothing */
	struct finished *done; /* of each method in order */
	size_t count;
};

static void start(struct fixture *f, uint64_t limit, uint32_t kept)
{
	*f = (struct fixture){.done = calloc(KEPT, sizeof(struct finished))};
	f->set = test_set(
		3); /* the third counts what the second does, which is taken for processor time */
	f->trace = trace_create(&f->set, limit);
	assert_non_null(f->trace);
	trace_watch_calls(f->trace, 0, 1, 1 << 0 | 1 << 2, kept);
}

static void finish(struct fixture *f)
{
	trace_destroy(f->trace);
	for (size_t i = 0; i < f->count; i++)
		free(f->done[i].trie);
	free(f->done);
}

static void model_used(struct thread_model *model, uint64_t wall, uint64_t cpu)
{
	for (uint32_t i = 0; i < model->opened; i++) {
		struct open_call *call = &model->open[i];

		call->elapsed += wall;
		call->cpu += cpu;
		call->trie->node[call->trie->at].base += wall;
	}
}

static void trie_enter(struct trie *trie, uint32_t method)
{
	uint32_t at = 1;

	while (at < trie->nodes &&
		(trie->node[at].parent != trie->at || trie->node[at].method != method))
		at++;
	assert_true(at < TRIE_MOST);
	if (at == trie->nodes)
		trie->node[trie->nodes++] =
			(struct small_node){.parent = trie->at, .method = method};
	trie->node[at].calls++;
	trie->at = at;
}

static void model_entered(const struct fixture *f, struct thread_model *model, uint32_t method)
{
	for (uint32_t i = 0; i < model->opened; i++)
		trie_enter(model->open[i].trie, method);
	model->method[model->depth++] = method;
	if (is_watched(method)) {
		struct open_call *call = &model->open[model->opened];

		*call = (struct open_call){.depth = model->depth,
			.has_tree = model->opened < WATCHED_NESTED,
			.trie = calloc(1, sizeof(struct trie)),
			.process_at = {f->process[0], f->process[1]}};
		model->opened++;
		call->trie->nodes = 1;
		call->trie->node[0] = (struct small_node){.method = method, .calls = 1};
	}
}

static void model_left(struct fixture *f, struct thread_model *model, bool failed)
{
	struct open_call *call = model->opened ? &model->open[model->opened - 1] : NULL;

	if (call && call->depth == model->depth) {
		assert_true(f->count < KEPT);
		f->done[f->count++] =
			(struct finished){.method = model->method[model->depth - 1],
				.elapsed = call->elapsed,
				.cpu = call->cpu,
				.base = call->trie->node[0].base,
				.process = {f->process[0] - call->process_at[0],
					f->process[1] - call->process_at[1]},
				.failed = failed,
				.has_tree = call->has_tree,
				.trie = call->trie};
		model->opened--;
	}
	model->depth--;
	for (uint32_t i = 0; i < model->opened; i++)
		model->open[i].trie->at =
			model->open[i].trie->node[model->open[i].trie->at].parent;
}

/* Those that are open when a test ends. */
static void model_close(struct thread_model *model)
{
	while (model->opened > 0)
		free(model->open[--model->opened].trie);
}

/* ---- both ---- */

static void use(struct fixture *f, struct thread_context *context, struct thread_model *model,
	uint64_t wall, uint64_t cpu)
{
	test_use(context, wall, cpu);
	f->process[0] += wall;
	f->process[1] += cpu;
	model_used(model, wall, cpu);
}

static void enter(const struct fixture *f, struct thread_context *context,
	struct thread_model *model, uint32_t method)
{
	context_enter(SHAPE_ANY, context, method, STATE_JITTED, false);
	if (is_watched(method))
		watched_enter(context, method);
	model_entered(f, model, method);
}

/* The frame `up` frames below the top is left: by an exception, that left those above it, too, or by a return. */
static void leave(struct fixture *f, struct thread_context *context, struct thread_model *model,
	uint32_t up, bool failed)
{
	uint32_t method = model->method[model->depth - 1 - up];

	/* The innermost of that method is the one that is meant. */
	for (uint32_t i = 0; i < up; i++)
		if (model->method[model->depth - 1 - i] == method)
			up = i;
	context_exit(SHAPE_ANY, context, method, failed);
	if (is_watched(method))
		watched_leave(context, method, failed);
	for (; up > 0; up--)
		model_left(f, model, true);
	model_left(f, model, failed);
}

static void caught(struct fixture *f, struct thread_context *context,
	struct thread_model *model, uint32_t up)
{
	uint32_t method = model->method[model->depth - 1 - up];

	for (uint32_t i = 0; i < up; i++)
		if (model->method[model->depth - 1 - i] == method)
			up = i;
	context_caught(context, method);
	for (; up > 0; up--)
		model_left(f, model, true);
}

static void label(
	struct thread_context *context, struct thread_model *model, struct test_random *random)
{
	uint32_t what = test_random(random, 8), which = 1 + test_random(random, 2);
	uint32_t method = model->depth > 0 ? model->method[model->depth - 1] : METHOD_ROOT;

	if (what == 0)
		context_tags(context, tag_set_with(0, tag[which]));
	else if (what == 1)
		context_tags(context, 0);
	else if (method == METHOD_ROOT)
		return;
	else if (what == 2)
		context_tag_call(context, tag[which]);
	else if (what < 5)
		context_reach(context, node_label(method, LABEL_LINE, which));
	else if (what == 5)
		context_value(context, node_label(method, LABEL_VALUE, which), true);
}

static void random_step(struct fixture *f, struct thread_context *context,
	struct thread_model *model, struct test_random *random, uint32_t methods)
{
	uint32_t what = test_random(random, 20);

	use(f, context, model, test_random(random, 3) ? test_random(random, 100) : 0,
		test_random(random, 5));
	if (f->labels)
		label(context, model, random);
	if (model->depth == 0 || (model->depth < DEEPEST && what < 10))
		enter(f, context, model, METHOD_FIRST + test_random(random, methods));
	else if (what < 16)
		leave(f, context, model, 0, false);
	else if (what < 18)
		leave(f, context, model, test_random(random, model->depth), true);
	else if (what < 19)
		leave(f, context, model, test_random(random, model->depth), false);
	else
		caught(f, context, model, test_random(random, model->depth));
}

/* ---- what was kept against the model ---- */

struct shown {
	struct fixture *f;
	size_t next[METHODS * 100]; /* by method: in done */
	size_t calls, trees, bases;
	bool exact; /* nothing may be missing */
};

static bool same_tree(const struct slow_call *call, const struct trie *trie)
{
	uint32_t place[CALL_WATCH_NODES] = {0};
	static struct small_node sum[TRIE_MOST];

	memset(sum, 0, trie->nodes * sizeof(*sum));
	for (uint32_t i = 0; i < call->nodes; i++) {
		const struct small_node *node = &call->tree[i];
		uint32_t at = i > 0;

		while (i > 0 && at < trie->nodes &&
			(trie->node[at].parent != place[node->parent] ||
				trie->node[at].method != node->method))
			at++;
		if (at == trie->nodes)
			return false;
		place[i] = at;
		/* What labels tell apart is here once for each. */
		sum[at].calls += node->calls;
		sum[at].base += node->base;
	}
	for (uint32_t i = 0; i < trie->nodes; i++)
		if (sum[i].calls != trie->node[i].calls || sum[i].base != trie->node[i].base)
			return false;
	return true;
}

static bool knows(const struct slow_call *call, enum call_figure figure)
{
	return call->known >> figure & 1;
}

static int show(void *user, const struct slow_call *call)
{
	struct shown *shown = user;
	size_t *next = &shown->next[call->method];
	const struct finished *done;

	/* They were kept in the order in which they ended: there was room for all. */
	while (*next < shown->f->count && shown->f->done[*next].method != call->method)
		++*next;
	assert_true(*next < shown->f->count);
	done = &shown->f->done[(*next)++];
	shown->calls++;
	assert_int_equal(call->figure[CALL_ELAPSED], done->elapsed);
	assert_int_equal(call->failed, done->failed);
	assert_true(knows(call, CALL_CPU));
	assert_int_equal(call->figure[CALL_CPU], done->cpu);
	if (knows(call, CALL_BASE)) {
		shown->bases++;
		assert_int_equal(call->figure[CALL_BASE], done->base);
	}
	for (unsigned m = 0; m < 2; m++) {
		assert_true(knows(call, CALL_PROCESS + 2 * m));
		assert_int_equal(call->figure[CALL_PROCESS + 2 * m], done->process[m]);
	}
	assert_false(knows(call, CALL_PROCESS + 1));
	if (call->nodes > 0) {
		shown->trees++;
		assert_true(done->has_tree);
		assert_true(same_tree(call, done->trie));
	}
	if (shown->exact) {
		assert_true(knows(call, CALL_BASE));
		assert_int_equal(call->nodes > 0, done->has_tree);
	}
	assert_int_equal(call->own, 0); /* the counters stand still while jprof works */
	return 0;
}

/* Calls of length 0 are not slower than nothing. */
static size_t longer_than_nothing(const struct fixture *f)
{
	size_t count = 0;

	for (size_t i = 0; i < f->count; i++)
		count += f->done[i].elapsed > 0;
	return count;
}

static struct shown check_kept(struct fixture *f, bool exact)
{
	struct shown shown = {.f = f, .exact = exact};
	size_t kept = 0;

	for (size_t i = 0; i < f->count; i++) {
		if (f->done[i].elapsed > 0)
			f->done[kept++] = f->done[i];
		else
			free(f->done[i].trie);
	}
	f->count = kept;
	assert_int_equal(slow_calls_show(trace_slow_calls(f->trace), true, &shown, show), 0);
	return shown;
}

/* ---- histograms against the model ---- */

struct sums {
	uint64_t count[2][CALL_FIGURES], sum[2][CALL_FIGURES], least[2][CALL_FIGURES],
		most[2][CALL_FIGURES];
};

static int add_times(void *user, const struct trace_thread *thread, uint32_t method,
	bool failed, enum call_figure which, const struct figure_times *figure)
{
	struct sums *sums = user;

	sums[method].count[failed][which] += figure_times_count(figure);
	sums[method].sum[failed][which] += figure->sum;
	if (figure->most > sums[method].most[failed][which])
		sums[method].most[failed][which] = figure->most;
	assert_true(figure->least <= figure->most);
	return 0;
}

static int nothing(void *user, const struct trace_thread *thread)
{
	return 0;
}

static void check_times(struct fixture *f)
{
	struct sums sums[METHOD_FIRST + METHODS] = {0}, model[METHOD_FIRST + METHODS] = {0};
	const struct trace_visitor visitor = {.user = sums, .times = add_times, .end = nothing};

	for (size_t i = 0; i < f->count; i++) {
		const struct finished *done = &f->done[i];
		const uint64_t value[CALL_PROCESS + 3] = {done->elapsed, done->base, done->cpu,
			done->process[0], 0, done->process[1]};

		for (int k = 0; k < CALL_PROCESS + 3; k++) {
			struct sums *to = &model[done->method];

			if (k == CALL_PROCESS + 1)
				continue;
			to->count[done->failed][k]++;
			to->sum[done->failed][k] += value[k];
			if (value[k] > to->most[done->failed][k])
				to->most[done->failed][k] = value[k];
		}
	}
	assert_int_equal(trace_visit(f->trace, &visitor), 0);
	assert_memory_equal(sums, model, sizeof(sums));
}

/* ---- tests ---- */

static void test_one_call(void **state)
{
	enum { A = METHOD_FIRST, B, C };
	struct fixture f;
	struct thread_model model = {0};
	struct thread_context *context;
	struct shown shown;

	start(&f, 64 << 20, 10);
	context = test_begin(f.trace, "main");
	enter(&f, context, &model, A);
	use(&f, context, &model, 5, 1);
	for (int i = 0; i < 3; i++) {
		enter(&f, context, &model, B);
		use(&f, context, &model, 7, 2);
		enter(&f, context, &model, C);
		use(&f, context, &model, 11, 3);
		leave(&f, context, &model, 0, false);
		leave(&f, context, &model, 0, i == 2);
	}
	leave(&f, context, &model, 0, false);
	use(&f, context, &model, 1000, 1000);
	assert_int_equal(f.count, 1);
	assert_int_equal(f.done[0].elapsed, 5 + 3 * 18);
	assert_int_equal(f.done[0].base, 5);
	check_times(&f);
	shown = check_kept(&f, true);
	assert_int_equal(shown.trees, 1);
	finish(&f);
}

/* What others use meanwhile is the process's, whether they have ended or not. */
static void test_process(void **state)
{
	enum { A = METHOD_FIRST, B };
	struct fixture f;
	struct thread_model model[3] = {0};
	struct thread_context *context, *other, *third;

	start(&f, 64 << 20, 10);
	context = test_begin(f.trace, "main");
	other = test_begin(f.trace, "other");
	use(&f, other, &model[1], 100, 200);
	enter(&f, other, &model[1], B);
	enter(&f, context, &model[0], A);
	use(&f, other, &model[1], 1000, 2000);
	leave(&f, other, &model[1], 0, false);
	third = test_begin(f.trace, "third");
	use(&f, third, &model[2], 10000, 20000);
	trace_thread_end(f.trace, third, NULL);
	use(&f, context, &model[0], 5, 1);
	leave(&f, context, &model[0], 0, false);
	assert_int_equal(f.done[0].process[0], 11005);
	assert_int_equal(f.done[0].process[1], 22001);
	assert_int_equal(f.done[0].elapsed, 5);
	check_times(&f);
	check_kept(&f, true);
	finish(&f);
}

/* Whatever happens on one thread. */
static void test_random_calls(void **state)
{
	for (uint32_t seed = 1; seed <= (uint32_t)TEST_TRIES(40); seed++) {
		struct fixture f;
		struct thread_model model = {0};
		struct test_random random = {seed};
		struct thread_context *context;
		struct shown shown;

		start(&f, 256 << 20, KEPT / 4);
		f.labels = seed % 2 == 0;
		context = test_begin(f.trace, "main");
		for (int i = 0; i < STEPS; i++)
			random_step(&f, context, &model, &random, METHODS);
		check_times(&f);
		assert_int_equal(trace_lost_watched(f.trace), 0);
		assert_true(longer_than_nothing(&f) > 100);
		shown = check_kept(&f, true);
		assert_int_equal(shown.calls, f.count);
		model_close(&model);
		finish(&f);
	}
}

/* Virtual threads of one group, which share nodes, on two carriers. */
static void test_virtual_threads(void **state)
{
	enum { CARRIERS = 2, THREADS = 5 };

	for (uint32_t seed = 1; seed <= (uint32_t)TEST_TRIES(40); seed++) {
		struct fixture f;
		struct thread_model model[THREADS] = {0};
		struct virtual_thread *thread[THREADS] = {0};
		struct test_random random = {seed};
		struct test_seat seat[CARRIERS];
		struct shown shown;

		start(&f, 256 << 20, KEPT / 4);
		f.labels = seed % 2 == 0;
		for (int i = 0; i < CARRIERS; i++)
			seat[i] = test_seat(f.trace, i ? "carrier-1" : "carrier-0");
		for (int turn = 0; turn < STEPS / 8; turn++) {
			int t = (int)test_random(&random, THREADS);
			struct test_seat *at = &seat[test_random(&random, CARRIERS)];

			assert_true(thread[t] ? test_seat_mount(at, thread[t])
					      : test_seat_begin(at, "guest"));
			for (uint32_t i = test_random(&random, 12); i > 0; i--)
				random_step(&f, at->lane, &model[t], &random, METHODS);
			thread[t] = test_seat_unmount(at);
		}
		check_times(&f);
		shown = check_kept(&f, true);
		assert_int_equal(shown.calls, f.count);
		assert_true(shown.trees > 50);
		for (int t = 0; t < THREADS; t++)
			model_close(&model[t]);
		finish(&f);
	}
}

/* Paths are folded: then something may be missing, but what there is is right. */
static void test_little_memory(void **state)
{
	size_t missing = 0, there = 0;

	for (uint32_t seed = 1; seed <= (uint32_t)TEST_TRIES(6); seed++) {
		struct fixture f;
		struct thread_model model = {0};
		struct test_random random = {seed};
		struct thread_context *context;
		struct shown shown;

		start(&f, 3 << 20, KEPT / 4);
		f.labels = seed % 2 == 0;
		context = test_begin(f.trace, "main");
		for (int i = 0; i < 2 * STEPS; i++)
			random_step(&f, context, &model, &random, METHODS * 20);
		shown = check_kept(&f, false);
		there += shown.bases + shown.trees;
		missing += 2 * shown.calls - shown.bases - shown.trees;
		model_close(&model);
		finish(&f);
	}
	assert_true(missing > 0);
	assert_true(there > 0);
}

/* Beyond so many paths the rest is in none of them. */
static void test_many_paths(void **state)
{
	enum { CALLED = 3 * CALL_WATCH_NODES };
	struct fixture f;
	struct thread_context *context;
	struct slow_calls *slow;

	start(&f, 64 << 20, 1);
	context = test_begin(f.trace, "main");
	context_enter(SHAPE_ANY, context, METHOD_FIRST, STATE_JITTED, false);
	watched_enter(context, METHOD_FIRST);
	for (uint32_t i = 0; i < CALLED; i++) {
		context_enter(SHAPE_ANY, context, METHOD_FIRST + 1 + i, STATE_JITTED, false);
		test_use(context, 10, 0);
		context_exit(SHAPE_ANY, context, METHOD_FIRST + 1 + i, false);
	}
	context_exit(SHAPE_ANY, context, METHOD_FIRST, false);
	watched_leave(context, METHOD_FIRST, false);
	slow = trace_slow_calls(f.trace);
	assert_int_equal(slow_list_least(slow_calls_of(slow, METHOD_FIRST)), 10 * CALLED);
	finish(&f);
}

static int count_calls(void *user, const struct slow_call *call)
{
	uint64_t *sum = user;

	sum[0]++;
	sum[1] += call->figure[CALL_ELAPSED];
	assert_int_equal(call->nodes, 1);
	assert_int_equal(call->tree[0].method, call->figure[CALL_ELAPSED]);
	return 0;
}

static void put(struct slow_calls *slow, struct slow_list *list, uint32_t elapsed)
{
	struct slow_call call = {.figure = {elapsed}, .nodes = 1};

	call.tree = slow_calls_room(slow, 1, MEMORY_SMALL);
	assert_non_null(call.tree);
	call.tree[0] = (struct small_node){.method = elapsed};
	slow_calls_put(slow, list, &call);
}

/* The slowest few, each shown once; what was shown is closed, and what came meanwhile stays, in another place, with its tree. */
static void test_slowest(void **state)
{
	struct fixture f;
	struct slow_calls *slow;
	struct slow_list *list;
	uint64_t sum[2] = {0};

	start(&f, 64 << 20, 3);
	slow = trace_slow_calls(f.trace);
	list = slow_calls_of(slow, METHOD_FIRST);
	/* The last place has the fastest. */
	for (uint32_t i = 1; i <= 10; i++)
		put(slow, list, 11 - i);
	assert_int_equal(slow_list_least(list), 8);
	assert_int_equal(slow_calls_show(slow, false, sum, count_calls), 0);
	assert_int_equal(sum[0], 3);
	assert_int_equal(sum[1], 10 + 9 + 8);
	slow_calls_show(slow, false, sum, count_calls);
	assert_int_equal(sum[0], 3);
	put(slow, list, 20);
	slow_calls_close(slow);
	assert_int_equal(slow_list_least(list), 0);
	put(slow, list, 1);
	put(slow, list, 2);
	memset(sum, 0, sizeof(sum));
	slow_calls_show(slow, false, sum, count_calls);
	assert_int_equal(sum[0], 3);
	assert_int_equal(sum[1], 20 + 1 + 2);
	finish(&f);
}

/* Ended threads that are folded leave their calls in the fold. */
static void test_folded_threads(void **state)
{
	struct fixture f;
	struct thread_model model = {0};

	start(&f, 64 << 20, 0);
	for (int i = 0; i < TRACE_KEPT_ENDED + 100; i++) {
		struct thread_context *context = test_begin(f.trace, i % 2 ? "a-1" : "b-1");

		enter(&f, context, &model, METHOD_FIRST);
		use(&f, context, &model, 1 + (uint64_t)i % 500, 1);
		leave(&f, context, &model, 0, i % 3 == 0);
		trace_thread_end(f.trace, context, NULL);
	}
	check_times(&f);
	finish(&f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_one_call),
		cmocka_unit_test(test_process),
		cmocka_unit_test(test_random_calls),
		cmocka_unit_test(test_virtual_threads),
		cmocka_unit_test(test_little_memory),
		cmocka_unit_test(test_many_paths),
		cmocka_unit_test(test_slowest),
		cmocka_unit_test(test_folded_threads),
	};

	make_tags();
	return cmocka_run_group_tests(tests, NULL, NULL);
}
