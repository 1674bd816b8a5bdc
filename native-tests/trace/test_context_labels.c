/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/*
 * Labels against a naive model: of each thread a stack of calls, with their lines and values, and whose work it does; what is
 * used is added where that says. Exact where memory suffices; where not, exact by method, and never too much anywhere.
 */
#include "agent/values/tag_sets.h"
#include "agent/values/values.h"
#include "mount_test.h"
#include "no_memory.h"

#include <stdlib.h>
#include <string.h>

enum {
	A = METHOD_FIRST,
	B,
	C,
	METHODS = 5,
	DEEPEST = 12,
	LINES = 3,
	KEYS = 2,
	VALUES = 3, /* of a key; 0: none */
	TAGGINGS = (VALUES + 1) * (VALUES + 1)
};

/* ---- what the numbers stand for ---- */

static uint32_t key[KEYS], tag_value[KEYS][VALUES + 1], parameter, parameter_value[VALUES + 1];

static void make_values(void)
{
	tag_sets_forget();
	values_forget();
	for (int k = 0; k < KEYS; k++) {
		key[k] = parameter_make(k ? "kind" : "user", true, KEEP_PLAIN, 100);
		for (int v = 1; v <= VALUES; v++)
			tag_value[k][v] = value_of(key[k], (const char[]){"?abc"[v]}, 1);
	}
	parameter = parameter_make("A(0)", false, KEEP_PLAIN, 100);
	for (int v = 1; v <= VALUES; v++)
		parameter_value[v] = value_of(parameter, (const char[]){"?xyz"[v]}, 1);
}

/* Of a set, as the model has them: a digit a key. */
static uint32_t tagging_of(uint32_t set)
{
	uint32_t digit[KEYS] = {0};
	struct tag_set members = tag_set_get(set);

	for (uint32_t i = 0; i < members.count; i++) {
		struct value value = value_get(members.value[i]);

		for (int k = 0; k < KEYS; k++)
			if (value.parameter == key[k])
				digit[k] = (uint32_t)(value.text[0] - 'a') + 1;
	}
	return digit[0] * (VALUES + 1) + digit[1];
}

/* ---- the model ---- */

enum element { METHOD, VALUE, LINE };

/* A path of calls, with their values and lines; and what was done there, by tagging. */
struct place {
	uint32_t parent, first_child, next_sibling;
	enum element element;
	uint32_t content, method; /* of a value and a line: the one that it is of */
	uint64_t base[TAGGINGS], calls[TAGGINGS];
};

struct places {
	struct place *place; /* the first: outside of all methods */
	uint32_t count;
};

static void places_init(struct places *places)
{
	places->place = calloc(1, sizeof(*places->place));
	places->count = 1;
}

/* Where there is none: made, or 0. */
static uint32_t place_below(struct places *places, uint32_t parent, enum element element,
	uint32_t content, bool make)
{
	struct place *place;

	for (uint32_t i = places->place[parent].first_child; i != 0;
		i = places->place[i].next_sibling)
		if (places->place[i].element == element && places->place[i].content == content)
			return i;
	if (!make)
		return 0;
	if ((places->count & (places->count - 1)) == 0)
		places->place =
			realloc(places->place, 2 * places->count * sizeof(*places->place));
	place = &places->place[places->count];
	*place = (struct place){.parent = parent,
		.next_sibling = places->place[parent].first_child,
		.element = element,
		.content = content};
	places->place[parent].first_child = places->count;
	place->method = element == METHOD ? content : places->place[parent].method;
	return places->count++;
}

struct call {
	uint32_t method;
	uint32_t own, at; /* with its values; and its line */
	uint32_t tagging; /* when it came there */
};

struct worker {
	struct places *places;
	struct call call[TAG_CALLS + 4]; /* the first: the thread itself */
	uint32_t depth;
	bool fresh;    /* entered just now */
	bool may_fail; /* there may be no memory for a label */
	uint32_t tag[KEYS];
	struct given_back {
		uint32_t depth;
		int key;
		uint32_t before;
	} tagged[TAG_CALLS];
	uint32_t tagged_calls;
	uint64_t pending;
};

static uint32_t tagging(const struct worker *worker)
{
	return worker->tag[0] * (VALUES + 1) + worker->tag[1];
}

static struct call *top_of(struct worker *worker)
{
	return &worker->call[worker->depth];
}

static struct place *at_top(struct worker *worker)
{
	return &worker->places->place[top_of(worker)->at];
}

static void charge(struct worker *worker)
{
	at_top(worker)->base[tagging(worker)] += worker->pending;
	worker->pending = 0;
}

static void retag(struct worker *worker)
{
	if (top_of(worker)->tagging == tagging(worker))
		return;
	top_of(worker)->tagging = tagging(worker);
	top_of(worker)->at = top_of(worker)->own;
}

static void pop_to(struct worker *worker, uint32_t depth)
{
	charge(worker);
	worker->depth = depth;
	while (worker->tagged_calls > 0 &&
		worker->tagged[worker->tagged_calls - 1].depth > depth) {
		const struct given_back *back = &worker->tagged[--worker->tagged_calls];

		worker->tag[back->key] = back->before;
	}
	retag(worker);
}

/* ---- both ---- */

/* Of a test, over all its threads: calls that could set no tag, as too many around them do; and those without memory for their value. */
static uint64_t too_deep, without_value;

static void use(struct thread_context *context, struct worker *worker, uint64_t much)
{
	test_use(context, much, 0);
	worker->pending += much;
}

static void enter(struct thread_context *context, struct worker *worker, uint32_t method)
{
	uint32_t place;

	context_enter(SHAPE_ANY, context, method, STATE_JITTED, false);
	charge(worker);
	place = place_below(worker->places, top_of(worker)->at, METHOD, method, true);
	worker->call[++worker->depth] = (struct call){method, place, place, tagging(worker)};
	at_top(worker)->calls[tagging(worker)]++;
	worker->fresh = true;
}

/* The frame `up` below the top, or one of its method that is nearer. */
static uint32_t meant(const struct worker *worker, uint32_t up)
{
	uint32_t depth = worker->depth, method = worker->call[depth - up].method;

	while (worker->call[depth].method != method)
		depth--;
	return depth;
}

static void leave(
	struct thread_context *context, struct worker *worker, uint32_t up, bool unwound)
{
	uint32_t depth = meant(worker, up);

	assert_true(context_exit(SHAPE_ANY, context, worker->call[depth].method, unwound));
	pop_to(worker, depth - 1);
	worker->fresh = false;
}

static void caught(struct thread_context *context, struct worker *worker, uint32_t up)
{
	uint32_t depth = meant(worker, up);

	context_caught(context, worker->call[depth].method);
	if (depth == worker->depth)
		return;
	pop_to(worker, depth);
	worker->fresh = false;
}

static void reach(struct thread_context *context, struct worker *worker, uint32_t line)
{
	struct call *top = top_of(worker);

	context_reach(context, node_label(top->method, LABEL_LINE, line));
	top->at = place_below(worker->places, top->own, LINE, line, true);
	worker->fresh = false;
}

static void value(struct thread_context *context, struct worker *worker, uint32_t v)
{
	struct call *top = top_of(worker);
	uint32_t place = place_below(worker->places, top->own, VALUE, v, true);

	if (!context_value(
		    context, node_label(top->method, LABEL_VALUE, parameter_value[v]), true))
		without_value++;
	assert_true(without_value == 0 || worker->may_fail);
	top->own = top->at = place;
	at_top(worker)->calls[tagging(worker)]++;
}

static void put_tag(struct worker *worker, int k, uint32_t v)
{
	if (worker->tag[k] == v)
		return;
	charge(worker);
	worker->tag[k] = v;
	retag(worker);
}

static void tag(struct thread_context *context, struct worker *worker, int k, uint32_t v)
{
	uint32_t now = context_tags_now(context);

	context_tags(
		context, v ? tag_set_with(now, tag_value[k][v]) : tag_set_without(now, key[k]));
	put_tag(worker, k, v);
}

static void tag_call(struct thread_context *context, struct worker *worker, int k, uint32_t v)
{
	bool room = worker->depth > 0 && worker->tagged_calls < TAG_CALLS;

	assert_int_equal(context_tag_call(context, tag_value[k][v]), room);
	too_deep += worker->depth > 0 && !room;
	if (!room)
		return;
	worker->tagged[worker->tagged_calls++] =
		(struct given_back){worker->depth, k, worker->tag[k]};
	put_tag(worker, k, v);
}

/* What is charged from here on has the thread's tags, unless its path is not kept. */
static void check_tags(struct thread_context *context, const struct worker *worker)
{
	const struct call_tree *tree = &context->tree;
	uint32_t node = context->current, set = 0;

	assert_int_equal(tagging_of(context_tags_now(context)), tagging(worker));
	if (tree_callees(tree, node) != node)
		return;
	while (node != TREE_ROOT && label_tags(tree_at(tree, node)->method) == 0)
		node = tree_at(tree, node)->parent;
	set = label_content(tree_at(tree, node)->method, LABEL_TAGS);
	assert_int_equal(tagging_of(set), tagging(worker));
}

static void step(struct thread_context *context, struct worker *worker,
	struct test_random *random, uint32_t methods)
{
	uint32_t what = test_random(random, 40);

	use(context, worker, test_random(random, 50));
	if (what < 8 && worker->depth < DEEPEST)
		enter(context, worker, A + test_random(random, methods));
	else if (what < 14 && worker->fresh && worker->depth > 0)
		value(context, worker, 1 + test_random(random, VALUES));
	else if (what < 20 && worker->depth > 0)
		reach(context, worker, 1 + test_random(random, LINES));
	else if (what < 24)
		tag(context, worker, (int)test_random(random, KEYS),
			test_random(random, VALUES + 1));
	else if (what < 28)
		tag_call(context, worker, (int)test_random(random, KEYS),
			1 + test_random(random, VALUES));
	else if (what < 36 && worker->depth > 0)
		leave(context, worker, 0, false);
	else if (what < 38 && worker->depth > 0)
		leave(context, worker, test_random(random, worker->depth), what == 36);
	else if (worker->depth > 0)
		caught(context, worker, test_random(random, worker->depth));
	else
		enter(context, worker, A + test_random(random, methods));
	check_tags(context, worker);
}

static struct worker worker_of(struct places *places)
{
	return (struct worker){.places = places};
}

/* ---- what was shown ---- */

/* Where a node is: its place, 0 also if the model has none; its tagging; and whether its path is known. */
struct whereabouts {
	uint32_t place, tagging;
	bool known, folded;
};

static struct whereabouts below(
	struct places *places, struct whereabouts parent, uint32_t method)
{
	struct whereabouts here = parent;
	uint32_t content;

	if (method == METHOD_FOLDED || parent.folded) {
		here.folded = true;
		return here;
	}
	if (is_label(method) && node_label_of(method).kind == LABEL_TAGS) {
		here.tagging = tagging_of(label_content(method, LABEL_TAGS));
		return here;
	}
	content = label_content(method, LABEL_LINE);
	if (content) {
		here.place = place_below(places, parent.place, LINE, content, false);
	} else if (is_label(method)) {
		content = label_content(method, LABEL_VALUE);
		here.place = place_below(places, parent.place, VALUE,
			(uint32_t)(value_get(content).text[0] - 'x') + 1, false);
	} else {
		here.place = place_below(places, parent.place, METHOD, method, false);
	}
	here.known = parent.known && here.place != 0;
	return here;
}

/* Takes what the row's nodes have from the places, which must have had as much. */
static void take(struct places *places, const struct test_row *row)
{
	uint32_t count = row->thread.nodes, most = 0;
	struct whereabouts *where;

	for (uint32_t i = 0; i < count; i++)
		if (trace_node(row->nodes, row->stride, i)->id > most)
			most = trace_node(row->nodes, row->stride, i)->id;
	where = calloc(most + 1, sizeof(*where));
	for (uint32_t i = 0; i < count; i++) {
		const struct tree_node *node = trace_node(row->nodes, row->stride, i);
		struct whereabouts *here = &where[node->id];
		struct place *place;

		if (node->id == 0)
			*here = (struct whereabouts){.known = true};
		else
			*here = below(places, where[node->parent], node->method);
		if (here->folded)
			continue;
		if (!here->known) {
			/* Made for a line or a value that came to nothing. */
			assert_int_equal(node->base[0] + node->calls, 0);
			continue;
		}
		place = &places->place[here->place];
		assert_true(node->base[0] <= place->base[here->tagging]);
		assert_true(node->calls <= place->calls[here->tagging]);
		place->base[here->tagging] -= node->base[0];
		place->calls[here->tagging] -= node->calls;
	}
	free(where);
}

/* Nothing is left of what the model had. */
static void check_taken(const struct places *places)
{
	for (uint32_t i = 0; i < places->count; i++)
		for (uint32_t t = 0; t < TAGGINGS; t++) {
			assert_int_equal(places->place[i].base[t], 0);
			assert_int_equal(places->place[i].calls[t], 0);
		}
}

struct fixture {
	struct metric_set set;
	struct trace *trace;
	struct places places;
	struct test_picture picture;
};

static void start(struct fixture *f, uint64_t limit)
{
	*f = (struct fixture){.picture = {.keep_nodes = true, .metrics = 1}};
	too_deep = without_value = 0;
	make_values();
	f->set = test_set(1);
	f->trace = trace_create(&f->set, limit);
	assert_non_null(f->trace);
	places_init(&f->places);
}

static void finish(struct fixture *f)
{
	assert_int_equal(trace_deep_tags(f->trace), too_deep);
	test_picture_fini(&f->picture);
	trace_destroy(f->trace);
	free(f->places.place);
	tag_sets_forget();
	values_forget();
}

/* All that was shown is the model's, and the other way round. */
static void check(struct fixture *f)
{
	assert_int_equal(trace_lost_labels(f->trace), 0);
	test_visit(f->trace, &f->picture);
	for (size_t i = 0; i < f->picture.count; i++)
		take(&f->places, &f->picture.row[i]);
	check_taken(&f->places);
}

/* Sums by method, of calls those that methods counted. */
struct by_method {
	uint64_t base[METHODS + METHOD_FIRST], calls[METHODS + METHOD_FIRST];
};

static void check_methods(struct fixture *f)
{
	struct by_method model = {0}, shown = {0};

	for (uint32_t i = 0; i < f->places.count; i++)
		for (uint32_t t = 0; t < TAGGINGS; t++) {
			const struct place *place = &f->places.place[i];

			model.base[place->method] += place->base[t];
			if (place->element == METHOD)
				model.calls[place->method] += place->calls[t];
		}
	for (size_t r = 0; r < f->picture.count; r++)
		for (uint32_t i = 0; i < f->picture.row[r].thread.nodes; i++) {
			const struct tree_node *node = trace_node(
				f->picture.row[r].nodes, f->picture.row[r].stride, i);
			uint32_t method = label_method(node->method);

			shown.base[method] += node->base[0];
			if (!is_label(node->method))
				shown.calls[method] += node->calls;
		}
	assert_memory_equal(&model, &shown, sizeof(model));
}

/* ---- tests ---- */

static void test_random_walks(void **state)
{
	for (uint32_t seed = 1; seed <= (uint32_t)TEST_TRIES(20); seed++) {
		struct fixture f;
		struct test_random random = {seed};
		struct worker worker;
		struct thread_context *context;

		start(&f, 256 << 20);
		context = test_begin(f.trace, "main");
		worker = worker_of(&f.places);
		for (int i = 0; i < 3000; i++)
			step(context, &worker, &random, 1 + seed % METHODS);
		charge(&worker);
		context_settle(context);
		assert_int_equal(context->tree.pruned, 0);
		test_check_tree(&context->tree);
		check(&f);
		finish(&f);
	}
}

/* Threads that end, and whose rows become one. */
static void test_merged(void **state)
{
	enum { THREADS = TRACE_KEPT_ENDED + 200 };
	struct fixture f;
	struct test_random random = {1};

	start(&f, 256 << 20);
	for (int i = 0; i < THREADS; i++) {
		struct worker worker = worker_of(&f.places);
		struct thread_context *context = test_begin(f.trace, "worker-1");

		for (int k = 0; k < 40; k++)
			step(context, &worker, &random, 2);
		charge(&worker);
		trace_thread_end(f.trace, context, NULL);
	}
	check(&f);
	assert_true(f.picture.count < THREADS);
	finish(&f);
}

/* One group on several carriers: their frames, with labels, and their tags go with them. */
static void test_virtual_threads(void **state)
{
	enum { CARRIERS = 3, THREADS = 6 };

	for (uint32_t seed = 1; seed <= (uint32_t)TEST_TRIES(20); seed++) {
		struct fixture f;
		struct worker worker[THREADS];
		struct virtual_thread *thread[THREADS] = {0};
		struct test_random random = {seed};
		struct test_seat seat[CARRIERS];

		start(&f, 256 << 20);
		for (int i = 0; i < CARRIERS; i++)
			seat[i] = test_seat(f.trace, "carrier");
		for (int i = 0; i < THREADS; i++)
			worker[i] = worker_of(&f.places);
		for (int turn = 0; turn < 1000; turn++) {
			uint32_t t = test_random(&random, THREADS);
			struct test_seat *at = &seat[test_random(&random, CARRIERS)];

			assert_true(thread[t] ? test_seat_mount(at, thread[t])
					      : test_seat_begin(at, "guest"));
			check_tags(at->lane, &worker[t]);
			for (uint32_t i = test_random(&random, 8); i > 0; i--)
				step(at->lane, &worker[t], &random, 3);
			assert_int_equal(
				tagging_of(context_tags_now(at->lane)), tagging(&worker[t]));
			charge(&worker[t]);
			thread[t] = NULL;
			if (test_random(&random, 50) == 0) {
				test_seat_end(at);
				worker[t] = worker_of(&f.places);
			} else {
				thread[t] = test_seat_unmount(at);
			}
		}
		check(&f);
		finish(&f);
	}
}

/* ---- too little memory: sums by method are what they were, and no path, value or tag has more than it had ---- */

static void check_pruned(struct fixture *f)
{
	uint32_t labels = 0;
	uint64_t pruned = 0;

	test_visit(f->trace, &f->picture);
	check_methods(f);
	for (size_t i = 0; i < f->picture.count; i++) {
		const struct test_row *row = &f->picture.row[i];

		take(&f->places, row);
		pruned += row->thread.pruned;
		for (uint32_t n = 0; n < row->thread.nodes; n++)
			labels += is_label(trace_node(row->nodes, row->stride, n)->method);
	}
	print_message("%u places, %u labels are left, %lu pruned\n", f->places.count, labels,
		(unsigned long)pruned);
	assert_true(pruned > 0);
	assert_true(labels > 0);
}

static struct worker short_worker(struct places *places)
{
	return (struct worker){.places = places, .may_fail = true};
}

static void test_pruned(void **state)
{
	static const uint64_t limits[] = {
		100 << 10, 120 << 10, 200 << 10, 300 << 10, 600 << 10, 2 << 20};
	uint64_t all_without = 0;

	for (size_t i = 0; i < sizeof(limits) / sizeof(*limits); i++) {
		struct fixture f;
		struct test_random random = {i};
		struct worker worker;
		struct thread_context *context;

		start(&f, limits[i]);
		context = test_begin(f.trace, "main");
		worker = short_worker(&f.places);
		for (int k = 0; k < 100000; k++) {
			step(context, &worker, &random, METHODS);
			if (k % 10000 == 0)
				test_check_tree(&context->tree);
		}
		/* The root's own path is always known again. */
		while (worker.depth > 0)
			leave(context, &worker, 0, false);
		for (int k = 0; k < KEYS; k++)
			tag(context, &worker, k, 0);
		assert_int_equal(context->current, TREE_ROOT);
		charge(&worker);
		context_settle(context);
		test_check_tree(&context->tree);
		check_pruned(&f);
		/* What has no value, or not its tags, is counted. */
		assert_true(trace_lost_labels(f.trace) >= without_value);
		all_without += without_value;
		finish(&f);
	}
	assert_true(all_without > 0);
}

static void test_pruned_merged(void **state)
{
	for (uint64_t limit = 150 << 10; limit < 2 << 20; limit *= 2) {
		struct fixture f;
		struct test_random random = {limit};

		start(&f, limit);
		for (int i = 0; i < 300; i++) {
			struct worker worker = short_worker(&f.places);
			struct thread_context *context = test_begin(f.trace, "worker-1");

			for (int k = 0; k < 400; k++)
				step(context, &worker, &random, METHODS);
			charge(&worker);
			trace_thread_end(f.trace, context, NULL);
		}
		check_pruned(&f);
		assert_true(f.picture.count < 300);
		finish(&f);
	}
}

static void test_pruned_virtual_threads(void **state)
{
	enum { CARRIERS = 3, THREADS = 6 };

	for (uint64_t limit = 500 << 10; limit < 4 << 20; limit *= 2) {
		struct fixture f;
		struct worker worker[THREADS];
		struct virtual_thread *thread[THREADS] = {0};
		struct test_random random = {limit};
		struct test_seat seat[CARRIERS];

		start(&f, limit);
		for (int i = 0; i < CARRIERS; i++)
			seat[i] = test_seat(f.trace, "carrier");
		for (int i = 0; i < THREADS; i++)
			worker[i] = short_worker(&f.places);
		for (int turn = 0; turn < 10000; turn++) {
			uint32_t t = test_random(&random, THREADS);
			struct test_seat *at = &seat[test_random(&random, CARRIERS)];

			assert_true(thread[t] ? test_seat_mount(at, thread[t])
					      : test_seat_begin(at, "guest"));
			check_tags(at->lane, &worker[t]);
			for (uint32_t i = test_random(&random, 12); i > 0; i--)
				step(at->lane, &worker[t], &random, METHODS);
			assert_int_equal(
				tagging_of(context_tags_now(at->lane)), tagging(&worker[t]));
			charge(&worker[t]);
			thread[t] = test_seat_unmount(at);
		}
		check_pruned(&f);
		finish(&f);
	}
}

/* ---- one thing after another ---- */

static struct tree_node *child_of(
	struct thread_context *context, uint32_t parent, uint32_t method)
{
	uint32_t child = tree_find(&context->tree, parent, method);

	assert_int_not_equal(child, 0);
	return tree_at(&context->tree, child);
}

/* A value, then tags, then a line, each below the one before; what comes again is where it was. */
static void test_order(void **state)
{
	struct fixture f;
	struct worker worker;
	struct thread_context *context;
	uint32_t at, nodes, set;

	start(&f, 1 << 20);
	worker = worker_of(&f.places);
	context = test_begin(f.trace, "main");
	nodes = context->tree.count;
	tag(context, &worker, 0, 0); /* there was none */
	assert_int_equal(context->tree.count, nodes);
	assert_false(context_tag_call(context, tag_value[0][1])); /* in no call */
	assert_false(context_value(context, 0, true));
	enter(context, &worker, A);
	assert_false(context_value(
		context, node_label(B, LABEL_VALUE, parameter_value[1]), true)); /* another's */
	value(context, &worker, 1);
	tag(context, &worker, 0, 2);
	reach(context, &worker, 17);
	use(context, &worker, 5);
	at = tree_find(&context->tree, TREE_ROOT, A);
	at = tree_find(&context->tree, at, node_label(A, LABEL_VALUE, parameter_value[1]));
	assert_int_equal(tree_at(&context->tree, at)->calls, 1);
	assert_int_equal(tree_at(&context->tree, at)->jitted, 1);
	set = tag_set_with(0, tag_value[0][2]);
	at = tree_find(&context->tree, at, node_label(A, LABEL_TAGS, set));
	at = tree_find(&context->tree, at, node_label(A, LABEL_LINE, 17));
	assert_int_not_equal(at, 0);
	assert_int_equal(context->current, at);
	nodes = context->tree.count;
	tag(context, &worker, 0, 2);
	assert_int_equal(context->current, at); /* not even the line is forgotten */
	tag(context, &worker, 0, 0);
	tag(context, &worker, 0, 2);
	reach(context, &worker, 17);
	assert_int_equal(context->current, at);
	assert_int_equal(context->tree.count, nodes); /* without tags it was there before */
	leave(context, &worker, 0, false);
	assert_int_equal(
		child_of(context, TREE_ROOT, node_label(METHOD_ROOT, LABEL_TAGS, set))->calls,
		0);
	tag(context, &worker, 0, 0);
	assert_int_equal(context->current, TREE_ROOT);
	charge(&worker);
	context_settle(context);
	check(&f);
	finish(&f);
}

/* A thread that is in no method at all. */
static void test_root(void **state)
{
	struct fixture f;
	struct worker worker;
	struct thread_context *context;
	uint32_t nodes;

	start(&f, 1 << 20);
	worker = worker_of(&f.places);
	context = test_begin(f.trace, "main");
	nodes = context->tree.count;
	for (int i = 0; i < 100; i++) {
		use(context, &worker, 1);
		tag(context, &worker, 0, 1 + (uint32_t)i % 2);
	}
	assert_int_equal(context->tree.count, nodes + 2);
	tag(context, &worker, 0, 0);
	use(context, &worker, 1000);
	charge(&worker);
	context_settle(context);
	assert_int_equal(tree_at(&context->tree, TREE_ROOT)->base[0], 1001);
	check(&f);
	finish(&f);
}

/* What a tag was before comes back behind the call that set it, in the frame below, too, which has seen neither. */
static void test_back_and_forth(void **state)
{
	struct fixture f;
	struct worker worker;
	struct thread_context *context;

	start(&f, 1 << 20);
	worker = worker_of(&f.places);
	context = test_begin(f.trace, "main");
	enter(context, &worker, A);
	enter(context, &worker, B);
	tag(context, &worker, 0, 1);
	enter(context, &worker, C);
	enter(context, &worker, A);
	tag(context, &worker, 0, 2);
	tag(context, &worker, 0, 1);
	for (int i = 0; i < 4; i++) {
		leave(context, &worker, 0, false);
		use(context, &worker, 1u << i);
	}
	tag_call(context, &worker, 0, 2); /* at the root: not */
	for (int i = 0; i < TAG_CALLS + 2; i++) {
		enter(context, &worker, A);
		tag_call(context, &worker, i % 2, 2 + (uint32_t)i / 4 % 2);
		use(context, &worker, 1);
	}
	leave(context, &worker, 4, true);
	use(context, &worker, 1);
	leave(context, &worker, worker.depth - 1, true);
	use(context, &worker, 1);
	charge(&worker);
	context_settle(context);
	check(&f);
	finish(&f);
}

/* Frames that find no room have no labels; behind them all is as it was, with the tags that were set meanwhile. */
static void test_no_room(void **state)
{
	enum { MORE = 5 };
	struct fixture f;
	struct worker worker;
	struct thread_context *context;
	uint32_t deep = 0, a;

	start(&f, 64 << 20);
	worker = worker_of(&f.places);
	context = test_begin(f.trace, "main");
	/* Cells and nodes are there. */
	for (int i = 0; i < 2; i++) {
		context_enter(SHAPE_ANY, context, A, STATE_JITTED, false);
		context_tags(context, tag_set_with(0, tag_value[0][1]));
		context_tags(context, 0);
		context_exit(SHAPE_ANY, context, A, false);
	}
	for (; context->stack.overflow == 0 && deep < 1000000; deep++) {
		if (context->stack.top >= context->stack.limit && deep > 1000) {
			no_memory_on = true;
			no_memory_at = 1;
			no_memory_asked = 0;
		}
		context_enter(SHAPE_ANY, context, B, STATE_JITTED, false);
	}
	assert_int_equal(context->stack.overflow, 1);
	for (int i = 0; i < MORE; i++)
		context_enter(SHAPE_ANY, context, C, STATE_JITTED, false);
	test_use(context, 3, 0);
	context_tags(context, tag_set_with(0, tag_value[0][1]));
	assert_false(context_tag_call(context, tag_value[1][1]));
	assert_false(
		context_value(context, node_label(C, LABEL_VALUE, parameter_value[1]), true));
	context_reach(context, node_label(C, LABEL_LINE, 1));
	for (int i = 0; i < MORE; i++)
		context_exit(SHAPE_ANY, context, C, false);
	no_memory_at = 0;
	no_memory_on = false;
	context_exit(SHAPE_ANY, context, B, false);
	assert_int_equal(context->stack.overflow, 0);
	test_use(context, 7, 0); /* in the innermost frame that is known */
	while (--deep > 0)
		context_exit(SHAPE_ANY, context, B, false);
	assert_true(context_at_root(context));
	test_use(context, 11, 0);
	context_settle(context);
	a = tree_find(&context->tree, TREE_ROOT,
		node_label(METHOD_ROOT, LABEL_TAGS, tag_set_with(0, tag_value[0][1])));
	assert_int_equal(tree_at(&context->tree, a)->base[0], 11);
	assert_int_equal(test_sum(&context->tree).base[0], 3 + 7 + 11);
	assert_int_equal(context->repaired + context->unmatched, 0);
	test_check_tree(&context->tree);
	/* A change of tags, a call's tag, a value. */
	assert_int_equal(trace_lost_labels(f.trace), 3);
	/* As ever. */
	worker.tag[0] = 1;
	worker.call[0].tagging = tagging(&worker);
	enter(context, &worker, A);
	value(context, &worker, 1);
	assert_int_equal(tagging_of(context_tags_now(context)), tagging(&worker));
	finish(&f);
}

/* Calls that set tags inside one another: each beyond the bound sets none and is counted; the others are what they were. */
static void test_too_deep(void **state)
{
	enum { MORE = 7 };
	struct fixture f;
	struct worker worker;
	struct thread_context *context;

	start(&f, 64 << 20);
	worker = worker_of(&f.places);
	context = test_begin(f.trace, "main");
	for (uint32_t i = 0; i < TAG_CALLS + MORE - 5; i++) {
		enter(context, &worker, A + i % METHODS);
		tag_call(context, &worker, 0, 1 + i % VALUES);
		/* Some set two. */
		if (i % (TAG_CALLS / 4) == 1)
			tag_call(context, &worker, 1, 1 + i % VALUES);
		use(context, &worker, i);
		check_tags(context, &worker);
	}
	assert_int_equal(too_deep, MORE);
	while (worker.depth > 0) {
		leave(context, &worker, 0, worker.depth % 3 == 0);
		check_tags(context, &worker);
	}
	/* There is room again. */
	enter(context, &worker, A);
	tag_call(context, &worker, 0, 1);
	assert_int_equal(too_deep, MORE);
	charge(&worker);
	context_settle(context);
	check(&f);
	finish(&f);
}

/* So many labels that there are no numbers for more: values end first, and others go on. */
static void test_no_numbers(void **state)
{
	struct fixture f;
	struct worker worker;
	struct thread_context *context;
	uint32_t first = 1000, content = first;

	start(&f, 64 << 20);
	worker = worker_of(&f.places);
	worker.may_fail = true;
	context = test_begin(f.trace, "main");
	enter(context, &worker, A);
	while (node_label(A, LABEL_VALUE, content))
		content++;
	assert_true(content - first > LABELS_MAX / 2);
	assert_int_equal(trace_lost_labels(f.trace), 1);
	/* One that there is; and a tag, which is new. */
	assert_true(context_value(context, node_label(A, LABEL_VALUE, first), true));
	assert_true(context_tag_call(context, tag_value[0][1]));
	assert_int_equal(trace_lost_labels(f.trace), 1);
	assert_false(context_value(context, node_label(A, LABEL_VALUE, content), true));
	assert_int_equal(trace_lost_labels(f.trace), 2);
	/* Of a recording that begins now nothing is lost yet. */
	finish(&f);
	start(&f, 64 << 20);
	assert_int_equal(trace_lost_labels(f.trace), 0);
	finish(&f);
}

/* So deep that the nodes of frames are folded, too, the root's tags among them: it has them again when the thread is back. */
static void test_deep(void **state)
{
	enum { DEEP = 100000 };
	struct fixture f;
	struct thread_context *context;
	uint32_t set, node;

	start(&f, 1 << 20);
	context = test_begin(f.trace, "main");
	set = tag_set_with(0, tag_value[0][1]);
	context_tags(context, set);
	for (uint32_t i = 0; i < DEEP; i++) {
		test_use(context, 1, 0);
		context_enter(SHAPE_ANY, context, A + i % 1000, STATE_JITTED, false);
	}
	node = shadow_base(&context->stack)->node;
	assert_int_not_equal(tree_callees(&context->tree, node), node);
	for (uint32_t i = DEEP; i-- > 0;)
		context_exit(SHAPE_ANY, context, A + i % 1000, i % 2);
	test_use(context, 7, 0);
	context_settle(context);
	node = tree_find(&context->tree, TREE_ROOT, node_label(METHOD_ROOT, LABEL_TAGS, set));
	assert_int_equal(context->current, node);
	assert_int_equal(tree_at(&context->tree, node)->base[0], 7);
	assert_int_equal(test_sum(&context->tree).base[0], DEEP + 7);
	test_check_tree(&context->tree);
	finish(&f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_order),
		cmocka_unit_test(test_root),
		cmocka_unit_test(test_back_and_forth),
		cmocka_unit_test(test_random_walks),
		cmocka_unit_test(test_merged),
		cmocka_unit_test(test_virtual_threads),
		cmocka_unit_test(test_pruned),
		cmocka_unit_test(test_pruned_merged),
		cmocka_unit_test(test_pruned_virtual_threads),
		cmocka_unit_test(test_no_room),
		cmocka_unit_test(test_too_deep),
		cmocka_unit_test(test_deep),
		/* The last, as labels are for good. */
		cmocka_unit_test(test_no_numbers),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
