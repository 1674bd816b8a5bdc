/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/* trace_test: see trace_test.h. */
#include "trace_test.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct metric_set test_set(unsigned metrics)
{
	struct metric_set set = {.count = metrics, .shape = SHAPE_ANY};

	for (unsigned i = 0; i < metrics; i++)
		set.metric[i].kind = i == 0 ? METRIC_VM_OBJECTS : METRIC_VM_BYTES;
	return set;
}

struct thread_context *test_begin(struct trace *trace, const char *name)
{
	struct thread_identity identity = {.java_id = 1, .os_id = 2};

	snprintf(identity.name, sizeof(identity.name), "%s", name);
	return trace_thread_begin(trace, &identity, (struct alloc_source){0});
}

uint32_t test_random(struct test_random *random, uint32_t below)
{
	random->state = random->state * 6364136223846793005u + 1442695040888963407u;
	return (uint32_t)((random->state >> 33) % below);
}

/* ---- sums ---- */

void test_add_node(struct test_sums *sums, const struct tree_node *node, unsigned metrics)
{
	struct tree_states states = tree_node_states(node);

	sums->nodes++;
	sums->calls += node->calls;
	sums->states.interpreted += states.interpreted;
	sums->states.jitted += states.jitted;
	sums->states.native += states.native;
	for (int i = 0; i < 4; i++)
		sums->transition[i / 2][i % 2] += node->transition[i / 2][i % 2];
	for (unsigned i = 0; i < metrics; i++) {
		sums->base[i] += node->base[i];
		sums->spent[i] += node->base[metrics + i];
	}
}

struct test_sums test_sum(const struct call_tree *tree)
{
	struct test_sums sums = {0};

	for (uint32_t i = 0; i < tree->count; i++)
		test_add_node(&sums, tree_at(tree, i), tree->metrics);
	return sums;
}

void test_same_sums(const struct test_sums *a, const struct test_sums *b, unsigned metrics)
{
	assert_int_equal(a->calls, b->calls);
	assert_int_equal(a->states.interpreted, b->states.interpreted);
	assert_int_equal(a->states.jitted, b->states.jitted);
	assert_int_equal(a->states.native, b->states.native);
	for (int i = 0; i < 4; i++)
		assert_int_equal(a->transition[i / 2][i % 2], b->transition[i / 2][i % 2]);
	for (unsigned i = 0; i < metrics; i++) {
		assert_int_equal(a->base[i], b->base[i]);
		assert_int_equal(a->spent[i], b->spent[i]);
	}
}

void test_add_methods(struct test_sums *sums, const struct call_tree *tree)
{
	for (uint32_t i = 0; i < tree->count; i++) {
		const struct tree_node *node = tree_at(tree, i);

		assert_true(node->method < TEST_METHODS);
		test_add_node(&sums[node->method], node, tree->metrics);
	}
}

void test_same_methods(const struct test_sums *a, const struct test_sums *b, unsigned metrics)
{
	for (uint32_t method = 0; method < TEST_METHODS; method++)
		test_same_sums(&a[method], &b[method], metrics);
}

/* ---- a sound tree ---- */

static uint32_t true_recursion(const struct call_tree *tree, uint32_t index)
{
	uint32_t method = label_method(tree_at(tree, index)->method), count = 0;

	while (index != TREE_ROOT) {
		index = tree_at(tree, index)->parent;
		count += index != TREE_ROOT && tree_at(tree, index)->method == method;
	}
	return count;
}

static bool is_flat(const struct call_tree *tree, uint32_t index)
{
	return tree_callees(tree, index) != index;
}

/* Every child once, in the list, and found by its method. What a flat node looks at first is one
 * beside it. */
static uint32_t check_children(struct call_tree *tree, uint32_t index, uint8_t *seen)
{
	struct tree_node *node = tree_at(tree, index);
	uint32_t count = 0, last = node->last_child;
	bool last_seen = last == 0;

	for (uint32_t i = node->first_child; i != 0; i = tree_at(tree, i)->next_sibling) {
		assert_true(i < tree->count);
		assert_int_equal(tree_at(tree, i)->parent, index);
		assert_false(seen[i]);
		seen[i] = 1;
		last_seen |= i == last;
		count++;
		if (!tree->closed)
			assert_int_equal(tree_find(tree, index, tree_at(tree, i)->method), i);
	}
	if (is_flat(tree, index))
		assert_true(last == 0 || tree_at(tree, last)->parent == node->parent);
	else
		assert_true(last_seen);
	node->last_child = last;
	return count;
}

static int by_number(const void *a, const void *b)
{
	uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;

	return (x > y) - (x < y);
}

/* No two paths have the same id. */
static void check_ids(const struct call_tree *tree)
{
	uint32_t *id = calloc(tree->count, sizeof(*id));

	for (uint32_t i = 0; i < tree->count; i++) {
		id[i] = tree_at(tree, i)->id;
		assert_true(id[i] < tree->next_id);
	}
	qsort(id, tree->count, sizeof(*id), by_number);
	for (uint32_t i = 1; i < tree->count; i++)
		assert_true(id[i] > id[i - 1]);
	free(id);
}

void test_check_tree(struct call_tree *tree)
{
	uint8_t *seen = calloc(tree->count, 1);
	uint32_t children = 0;

	assert_int_equal(tree_at(tree, TREE_ROOT)->method, METHOD_ROOT);
	assert_int_equal(tree_at(tree, TREE_FOLDED)->method, METHOD_FOLDED);
	assert_int_equal(tree_at(tree, TREE_FOLDED)->parent, TREE_ROOT);
	assert_true(tree->count <= tree->capacity);
	for (uint32_t i = 0; i < tree->count; i++) {
		struct tree_node *node = tree_at(tree, i);
		uint32_t count = check_children(tree, i, seen);
		struct tree_states states = tree_node_states(node);

		children += count;
		assert_true(i == 0 || node->parent < i);
		assert_int_equal(
			states.interpreted + states.jitted + states.native, node->calls);
		assert_true(states.interpreted <= node->calls);
		if (is_flat(tree, i))
			assert_int_equal(count, 0);
		if (node->method == METHOD_FOLDED && i != TREE_FOLDED)
			assert_true(count > 0 && tree_node_sum(node, tree->metrics) == 0);
		assert_int_equal(node->children & TREE_CHILDREN, count);
		assert_int_equal(node->recursion, true_recursion(tree, i));
	}
	assert_int_equal(children, tree->count - 1);
	check_ids(tree);
	free(seen);
}

/* ---- pictures ---- */

static struct test_row *last_row(const struct test_picture *picture)
{
	return picture->count > 0 ? &picture->row[picture->count - 1] : NULL;
}

/* Room for one more, twice as much each time: sanitizers copy at each realloc. */
static void *one_more(void *items, size_t count, size_t size)
{
	return (count & (count - 1)) == 0 ? realloc(items, (count ? 2 * count : 1) * size)
					  : items;
}

static struct test_row *add_row(struct test_picture *picture, const struct trace_thread *thread)
{
	struct test_row *row;

	picture->row = one_more(picture->row, picture->count, sizeof(*row));
	row = &picture->row[picture->count++];
	memset(row, 0, sizeof(*row));
	row->thread = *thread;
	row->identity = *thread->identity;
	return row;
}

static void forget_row(struct test_picture *picture)
{
	free(picture->row[--picture->count].nodes);
}

/* What was shown since the row began before is void. */
static int picture_begin(void *user, const struct trace_thread *thread)
{
	struct test_picture *picture = user;
	unsigned begins = 0;

	assert_int_equal(thread->group, 0);
	while (picture->count > 0 && last_row(picture)->thread.group == thread->id)
		forget_row(picture);
	if (picture->count > 0 && last_row(picture)->thread.id == thread->id) {
		begins = last_row(picture)->begins;
		forget_row(picture);
	}
	assert_true(picture->count == 0 || last_row(picture)->thread.id < thread->id);
	add_row(picture, thread)->begins = begins + 1;
	return 0;
}

/* Ids rise, and a parent's is below its own. */
static int picture_nodes(void *user, const struct trace_thread *thread, uint32_t count,
	const struct tree_node *node, size_t stride)
{
	struct test_picture *picture = user;
	struct test_row *row = last_row(picture);
	size_t first;

	if (row->thread.id != thread->id) /* another part of it */
		row = add_row(picture, thread);
	first = row->sums.nodes;
	for (uint32_t i = 0; i < count; i++) {
		const struct tree_node *one = trace_node(node, stride, i);

		assert_true(one->id == 0 || one->parent < one->id);
		test_add_node(&row->sums, one, picture->metrics);
	}
	if (picture->keep_nodes) {
		row->stride = stride;
		row->nodes = realloc(row->nodes, (first + count) * stride);
		memcpy((char *)row->nodes + first * stride, node, count * stride);
	}
	return 0;
}

static struct tree_node *kept_node(const struct test_row *row, size_t i)
{
	return (struct tree_node *)(void *)((char *)row->nodes + i * row->stride);
}

static uint32_t shown_child(const struct test_row *row, uint32_t parent, uint32_t method);

/* Adds a part's nodes to those of the row, by their paths. */
static void add_nodes(struct test_row *row, const struct test_row *part, unsigned metrics)
{
	uint32_t *id =
		calloc(part->thread.nodes ? kept_node(part, part->thread.nodes - 1)->id + 1 : 1,
			sizeof(*id));

	row->stride = part->stride;
	for (uint32_t i = 0; i < part->thread.nodes; i++) {
		const struct tree_node *from = kept_node(part, i);
		uint32_t parent = id[from->parent], at = 0;
		struct tree_node *to;

		if (from->id != 0)
			at = shown_child(row, parent, from->method);
		if (at == 0 && (from->id != 0 || row->thread.nodes == 0)) {
			row->nodes = one_more(row->nodes, row->thread.nodes, row->stride);
			at = row->thread.nodes++;
			memcpy(kept_node(row, at), from, row->stride);
			kept_node(row, at)->id = at;
			kept_node(row, at)->parent = parent;
		} else {
			to = kept_node(row, at);
			to->calls += from->calls;
			to->jitted += from->jitted;
			to->children |= from->children & TREE_NATIVE;
			for (int k = 0; k < 4; k++)
				to->transition[k / 2][k % 2] += from->transition[k / 2][k % 2];
			for (unsigned k = 0; k < 2 * metrics; k++)
				to->base[k] += from->base[k];
		}
		id[from->id] = at;
	}
	free(id);
}

static void add_part(struct test_picture *picture, struct test_row *row, struct test_row *part)
{
	uint64_t *to = (uint64_t *)&row->sums;

	for (size_t i = 0; i < sizeof(row->sums) / sizeof(*to); i++)
		to[i] += ((const uint64_t *)&part->sums)[i];
	row->thread.unwound += part->thread.unwound;
	row->thread.repaired += part->thread.repaired;
	row->thread.unmatched += part->thread.unmatched;
	row->thread.lost += part->thread.lost;
	row->thread.pruned += part->thread.pruned;
	row->thread.mounts += part->thread.mounts;
	row->thread.carrier_ns += part->thread.carrier_ns;
	row->thread.events += part->thread.events;
	for (unsigned i = 0; i < picture->metrics; i++)
		row->thread.total[i] += part->thread.total[i];
	if (picture->keep_nodes)
		add_nodes(row, part, picture->metrics);
	else
		row->thread.nodes += part->thread.nodes;
	free(part->nodes);
}

/* The parts of a group, which stand behind it, become its row. */
static void picture_group(struct test_picture *picture, const struct trace_thread *thread)
{
	struct test_row *row;
	size_t first = picture->count - 1;

	while (picture->row[first].thread.id != thread->id)
		first--;
	row = &picture->row[first];
	row->thread = *thread;
	for (size_t i = first + 1; i < picture->count; i++)
		add_part(picture, row, &picture->row[i]);
	picture->count = first + 1;
}

static int picture_end(void *user, const struct trace_thread *thread)
{
	struct test_picture *picture = user;
	struct test_row *row = last_row(picture);
	uint64_t events = 0;

	if (row->thread.id != thread->id) {
		picture_group(picture, thread);
		return 0;
	}
	row->thread = *thread;
	assert_int_equal(row->sums.nodes, thread->nodes);
	for (int i = 0; i < 4; i++)
		events += row->sums.transition[i / 2][i % 2];
	assert_int_equal(events, thread->events);
	for (unsigned i = 0; i < picture->metrics; i++)
		assert_int_equal(row->sums.base[i], thread->total[i]);
	return 0;
}

struct trace_visitor test_visitor(struct test_picture *picture)
{
	return (struct trace_visitor){.user = picture,
		.begin = picture_begin,
		.nodes = picture_nodes,
		.end = picture_end};
}

void test_visit(struct trace *trace, struct test_picture *picture)
{
	struct trace_visitor visitor = test_visitor(picture);

	test_picture_fini(picture);
	assert_int_equal(trace_visit(trace, &visitor), 0);
}

void test_picture_fini(struct test_picture *picture)
{
	for (size_t i = 0; i < picture->count; i++)
		free(picture->row[i].nodes);
	free(picture->row);
	picture->row = NULL;
	picture->count = 0;
}

void test_same_totals(struct trace *trace, const struct test_picture *picture)
{
	uint64_t total[METRIC_MAX], sum[METRIC_MAX] = {0};

	for (size_t i = 0; i < picture->count; i++)
		for (unsigned k = 0; k < picture->metrics; k++)
			sum[k] += picture->row[i].thread.total[k];
	trace_totals(trace, total);
	for (unsigned k = 0; k < picture->metrics; k++)
		assert_int_equal(total[k], sum[k]);
}

/* ---- the model ---- */

static uint32_t model_new(struct model *model, uint32_t parent, uint32_t method)
{
	if (model->nodes == model->capacity) {
		model->capacity = model->capacity * 2 + 16;
		model->node = realloc(model->node, model->capacity * sizeof(*model->node));
	}
	model->node[model->nodes] = (struct model_node){.method = method, .parent = parent};
	return model->nodes++;
}

static void model_push(struct model *model, uint32_t node, const char *type)
{
	if (model->depth == model->stack_capacity) {
		model->stack_capacity = model->stack_capacity * 2 + 16;
		model->stack = realloc(model->stack, model->stack_capacity * sizeof(uint32_t));
		model->type =
			realloc(model->type, model->stack_capacity * sizeof(*model->type));
	}
	model->type[model->depth] = type;
	model->stack[model->depth++] = node;
}

static struct model_node *model_top(struct model *model)
{
	return &model->node[model->stack[model->depth - 1]];
}

void model_init(struct model *model)
{
	*model = (struct model){.previous = TRANSITION_ENTRY};
	model->sequences = malloc(sizeof(*model->sequences));
	sequence_model_init(model->sequences);
	model_push(model, model_new(model, 0, METHOD_ROOT), "outside");
}

void model_fini(struct model *model)
{
	free(model->node);
	free(model->stack);
	free(model->type);
	free(model->sequences);
}

void model_use(struct model *model, uint64_t objects, uint64_t bytes)
{
	model->pending[0] += objects;
	model->pending[1] += bytes;
}

static void model_charge(struct model *model)
{
	for (int i = 0; i < 2; i++) {
		model_top(model)->base[i] += model->pending[i];
		model->pending[i] = 0;
	}
}

static void model_event(struct model *model, int transition, const char *end, const char *third)
{
	sequence_model_event(model->sequences, end, third, model->pending);
	model_charge(model);
	model_top(model)->transition[model->previous][transition]++;
	model->previous = transition;
}

/* The child for the method, made if need be. */
static uint32_t model_child(struct model *model, uint32_t parent, uint32_t method)
{
	uint32_t child;

	for (child = model->node[parent].first_child; child != 0;
		child = model->node[child].next_sibling)
		if (model->node[child].method == method)
			return child;
	child = model_new(model, parent, method);
	model->node[child].next_sibling = model->node[parent].first_child;
	model->node[parent].first_child = child;
	return child;
}

void model_enter(struct model *model, uint32_t method, enum call_state state, bool is_static)
{
	const char *type = sequence_model_type(state, is_static);
	uint32_t child;

	model_event(model, TRANSITION_ENTRY, "entry", type);
	child = model_child(model, model->stack[model->depth - 1], method);
	model_push(model, child, type);
	model->node[child].calls++;
	model->node[child].states.interpreted += state == STATE_INTERPRETED;
	model->node[child].states.jitted += state == STATE_JITTED;
	model->node[child].states.native += state == STATE_NATIVE;
}

/* How deep the method's innermost frame is; 1: it has none. */
static uint32_t model_find(const struct model *model, uint32_t method)
{
	uint32_t depth = model->depth;

	while (depth > 1 && model->node[model->stack[depth - 1]].method != method)
		depth--;
	return depth;
}

static void model_unwind(struct model *model, uint32_t depth)
{
	for (; model->depth > depth; model->depth--) {
		model_event(model, TRANSITION_EXIT, "unwind", model->type[model->depth - 2]);
		model->unwound++;
		if (model->depth - 1 > depth)
			sequence_model_outside(model->sequences);
	}
}

void model_caught(struct model *model, uint32_t method)
{
	uint32_t depth = model_find(model, method);

	if (depth > 1)
		model_unwind(model, depth);
}

void model_exit(struct model *model, uint32_t method, bool unwound)
{
	uint32_t depth = model_find(model, method);

	if (depth == 1) {
		model->unmatched++;
	} else if (unwound) {
		model_unwind(model, depth - 1);
	} else {
		if (depth < model->depth)
			sequence_model_outside(model->sequences);
		model_event(model, TRANSITION_EXIT, "exit", model->type[depth - 2]);
		model->repaired += model->depth - depth;
		model->depth = depth - 1;
	}
}

void model_end(struct model *model)
{
	model_charge(model);
}

void model_settle(struct model *model)
{
	model_charge(model);
	sequence_model_outside(model->sequences);
}

static void add_model_node(struct model_node *node, const struct model_node *from)
{
	node->calls += from->calls;
	node->states.interpreted += from->states.interpreted;
	node->states.jitted += from->states.jitted;
	node->states.native += from->states.native;
	for (int i = 0; i < 4; i++)
		node->transition[i / 2][i % 2] += from->transition[i / 2][i % 2];
	for (int i = 0; i < 2; i++)
		node->base[i] += from->base[i];
}

void model_add(struct model *model, const struct model *from)
{
	uint32_t *place = calloc(from->nodes, sizeof(*place));

	for (uint32_t i = 0; i < from->nodes; i++) {
		const struct model_node *node = &from->node[i];

		if (i > 0)
			place[i] = model_child(model, place[node->parent], node->method);
		add_model_node(&model->node[place[i]], node);
	}
	model->unwound += from->unwound;
	model->repaired += from->repaired;
	model->unmatched += from->unmatched;
	sequence_model_add(model->sequences, from->sequences);
	free(place);
}

static void add_to_sums(struct test_sums *sums, const struct model_node *node)
{
	sums->nodes++;
	sums->calls += node->calls;
	sums->states.interpreted += node->states.interpreted;
	sums->states.jitted += node->states.jitted;
	sums->states.native += node->states.native;
	for (int k = 0; k < 4; k++)
		sums->transition[k / 2][k % 2] += node->transition[k / 2][k % 2];
	sums->base[0] += node->base[0];
	sums->base[1] += node->base[1];
}

struct test_sums model_sum(const struct model *model)
{
	struct test_sums sums = {0};

	for (uint32_t i = 0; i < model->nodes; i++)
		add_to_sums(&sums, &model->node[i]);
	return sums;
}

void model_add_methods(struct test_sums *sums, const struct model *model)
{
	for (uint32_t i = 0; i < model->nodes; i++)
		add_to_sums(&sums[model->node[i].method], &model->node[i]);
}

/* By node, as of metric 1. */
static uint64_t *model_cum(const struct model *model)
{
	uint64_t *cum = calloc(model->nodes, sizeof(*cum));

	for (uint32_t i = model->nodes; i-- > 0;) {
		cum[i] += model->node[i].base[1];
		if (i > 0)
			cum[model->node[i].parent] += cum[i];
	}
	return cum;
}

static uint64_t *tree_cum(const struct call_tree *tree)
{
	uint64_t *cum = calloc(tree->count, sizeof(*cum));

	for (uint32_t i = tree->count; i-- > 0;) {
		cum[i] += tree_at(tree, i)->base[1];
		if (i > 0)
			cum[tree_at(tree, i)->parent] += cum[i];
	}
	return cum;
}

static uint32_t model_look(const struct model *model, uint32_t parent, uint32_t method)
{
	uint32_t i = model->node[parent].first_child;

	while (i != 0 && model->node[i].method != method)
		i = model->node[i].next_sibling;
	assert_int_not_equal(i, 0);
	return i;
}

uint32_t model_check_cum(const struct model *model, const struct call_tree *tree)
{
	uint64_t *truth = model_cum(model), *cum = tree_cum(tree);
	uint32_t *same = calloc(tree->count, sizeof(*same)), kept = 0;

	for (uint32_t i = 0; i < tree->count; i++) {
		const struct tree_node *node = tree_at(tree, i);

		if (node->method == METHOD_FOLDED || is_flat(tree, i))
			continue;
		if (i > 0)
			same[i] = model_look(model, same[node->parent], node->method);
		assert_true(cum[i] <= truth[same[i]]);
		kept += cum[i] == truth[same[i]];
	}
	free(truth);
	free(cum);
	free(same);
	return kept;
}

/* ---- both ---- */

static enum call_state random_state(struct test_random *random, uint32_t method)
{
	if (method % 5 == 0)
		return STATE_NATIVE;
	return test_random(random, 3) == 0 ? STATE_INTERPRETED : STATE_JITTED;
}

static void step_exit(struct test_walk *walk)
{
	struct model *model = walk->model;
	uint32_t depth = model->depth - 1;
	uint32_t method = METHOD_FIRST + walk->methods; /* on no stack */
	bool unwound = model->depth % 2;

	if (walk->faults && test_random(&walk->random, 40) == 0)
		depth = test_random(&walk->random, model->depth);
	if (depth > 0 && !(walk->faults && test_random(&walk->random, 100) == 0))
		method = model->node[model->stack[depth]].method;
	else if (!walk->faults)
		return;
	if (walk->faults && test_random(&walk->random, 20) == 0) {
		model_caught(model, method);
		context_caught(walk->context, method);
		return;
	}
	model_exit(model, method, unwound);
	context_exit(SHAPE_ANY, walk->context, method, unwound);
}

void test_step(struct test_walk *walk)
{
	struct test_random *random = &walk->random;
	uint64_t objects = test_random(random, 100), bytes = test_random(random, 1000000);
	uint32_t method = METHOD_FIRST + test_random(random, walk->methods);
	enum call_state state = random_state(random, method);

	model_use(walk->model, objects, bytes);
	test_use(walk->context, objects, bytes);
	if (test_random(random, 2 * walk->depth) < walk->model->depth) {
		step_exit(walk);
		return;
	}
	model_enter(walk->model, method, state, method % 3 == 0);
	context_enter(SHAPE_ANY, walk->context, method, state, method % 3 == 0);
}

static void same_node(const struct tree_node *node, const struct model_node *model)
{
	struct tree_states states = tree_node_states(node);

	assert_int_equal(node->method, model->method);
	assert_int_equal(node->calls, model->calls);
	assert_int_equal(states.interpreted, model->states.interpreted);
	assert_int_equal(states.jitted, model->states.jitted);
	assert_int_equal(states.native, model->states.native);
	for (int i = 0; i < 4; i++)
		assert_int_equal(
			node->transition[i / 2][i % 2], model->transition[i / 2][i % 2]);
	assert_int_equal(node->base[0], model->base[0]);
	assert_int_equal(node->base[1], model->base[1]);
}

void test_same_tree(struct call_tree *tree, const struct model *model)
{
	uint32_t *index = calloc(model->nodes, sizeof(*index));

	assert_int_equal(tree->count, model->nodes + 1); /* and the root's fold */
	for (uint32_t i = 0; i < model->nodes; i++) {
		const struct model_node *node = &model->node[i];

		if (i > 0) {
			index[i] = tree_find(tree, index[node->parent], node->method);
			assert_int_not_equal(index[i], 0);
		}
		same_node(tree_at(tree, index[i]), node);
	}
	free(index);
}

/* The id of the node that is such a child; 0: there is none. */
static uint32_t shown_child(const struct test_row *row, uint32_t parent, uint32_t method)
{
	for (uint32_t i = 0; i < row->thread.nodes; i++) {
		const struct tree_node *node = kept_node(row, i);

		if (node->id != 0 && node->parent == parent && node->method == method)
			return node->id;
	}
	return 0;
}

static const struct tree_node *node_of_id(const struct test_row *row, uint32_t id)
{
	uint32_t i = 0;

	while (kept_node(row, i)->id != id)
		i++;
	return kept_node(row, i);
}

void test_same_row(const struct test_row *row, const struct model *model)
{
	uint32_t *id = calloc(model->nodes, sizeof(*id));

	assert_int_equal(row->thread.nodes, model->nodes + 1);
	assert_int_equal(row->thread.unwound, model->unwound);
	assert_int_equal(row->thread.repaired, model->repaired);
	assert_int_equal(row->thread.unmatched, model->unmatched);
	for (uint32_t i = 0; i < model->nodes; i++) {
		const struct model_node *node = &model->node[i];

		if (i > 0) {
			id[i] = shown_child(row, id[node->parent], node->method);
			assert_int_not_equal(id[i], 0);
		}
		same_node(node_of_id(row, id[i]), node);
	}
	free(id);
}
