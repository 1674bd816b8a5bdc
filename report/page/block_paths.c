/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/*
 * block_paths: threads, their call paths, and what methods did on paths that are folded.
 *
 * One walk along a thread's tree puts a row for each path that is kept, and behind it one for the callees that are not.
 * What these did goes to their methods' rows in `flat`, too, which are put when the thread is done.
 */
#include <stdio.h>

#include "report/page/block.h"

enum { FLAG_SAMPLED = 1, FLAG_AT_LEAST = 2, FLAG_SMALL = 4, FLAG_FOLD = 8 };

/* ---- the columns ---- */

static unsigned add_each(struct columns *columns, const char *table, enum column_type type,
	const char *name, unsigned count)
{
	unsigned first = columns->count;

	for (unsigned i = 0; i < count; i++)
		columns_add(columns, table, type, name, (int)i);
	return first;
}

static void add_values(
	struct block *block, const char *table, struct value_columns *values, bool is_flat)
{
	struct columns *columns = &block->columns;
	const struct model *model = block->model;
	unsigned metrics = model->metric_count, parts = model->is_divided ? PARTS : PARTS - 1;
	char name[8];

	values->base = add_each(columns, table, COLUMN_ZIGZAG, "base", metrics);
	values->samples =
		add_each(columns, table, COLUMN_VARINT, "samples", model->condition_count);
	if (is_flat) {
		values->cum = add_each(columns, table, COLUMN_ZIGZAG, "cum", metrics);
		values->cum_samples = add_each(
			columns, table, COLUMN_VARINT, "cumsamples", model->condition_count);
	}
	if (!model->has_errors)
		return;
	values->counted = add_each(columns, table, COLUMN_ZIGZAG, "counted", metrics);
	if (is_flat)
		values->cum_counted =
			add_each(columns, table, COLUMN_ZIGZAG, "cumcounted", metrics);
	for (unsigned part = 0; part < parts; part++) {
		snprintf(name, sizeof(name), "be%u_", part);
		values->be[part] = add_each(columns, table, COLUMN_FLOAT, name, metrics);
		name[0] = 'c';
		values->ce[part] = add_each(columns, table, COLUMN_FLOAT, name, metrics);
	}
}

static const char *const state_names[] = {"interpreted", "jitted", "native"};

static void add_columns(struct block *block)
{
	struct columns *columns = &block->columns;
	unsigned metrics = block->model->metric_count;

#define ADD(table, type, name) columns_add(columns, table, type, name, -1)
	block->node.up = ADD("node", COLUMN_VARINT, "up");
	block->node.thread = ADD("node", COLUMN_VARINT, "thread");
	block->node.method = ADD("node", COLUMN_VARINT, "method");
	block->node.id = ADD("node", COLUMN_VARINT, "id");
	block->node.recursion = ADD("node", COLUMN_VARINT, "recursion");
	block->node.calls = ADD("node", COLUMN_VARINT, "calls");
	for (int i = 0; i < 3; i++)
		block->node.state[i] = ADD("node", COLUMN_VARINT, state_names[i]);
	block->node.flags = ADD("node", COLUMN_BYTE, "flags");
	block->node.paths = ADD("node", COLUMN_VARINT, "paths");
	add_values(block, "node", &block->node.values, false);
	if (block->can_estimate) {
		block->node.estimate =
			add_each(columns, "node", COLUMN_VARINT, "estimate", metrics);
		block->node.estimate_cum =
			add_each(columns, "node", COLUMN_VARINT, "estimatecum", metrics);
	}
	block->flats_of.thread = ADD("flat", COLUMN_VARINT, "thread");
	block->flats_of.method = ADD("flat", COLUMN_VARINT, "method");
	block->flats_of.nodes = ADD("flat", COLUMN_VARINT, "nodes");
	block->flats_of.sampled = ADD("flat", COLUMN_VARINT, "sampled");
	block->flats_of.calls = ADD("flat", COLUMN_VARINT, "calls");
	for (int i = 0; i < 3; i++)
		block->flats_of.state[i] = ADD("flat", COLUMN_VARINT, state_names[i]);
	block->flats_of.flags = ADD("flat", COLUMN_BYTE, "flags");
	add_values(block, "flat", &block->flats_of.values, true);
#undef ADD
}

/* What was counted is told by how far it is from the figure. */
static void put_figures(struct block *block, unsigned figure, unsigned counted,
	unsigned samples, const union model_value *values)
{
	const struct model *model = block->model;
	struct columns *columns = &block->columns;

	for (unsigned m = 0; m < model->metric_count; m++) {
		columns_signed(columns, figure + m, (int64_t)values[m].count);
		if (model->has_errors)
			columns_signed(columns, counted + m,
				(int64_t)(values[model->figures + m].count - values[m].count));
	}
	for (unsigned c = 0; c < model->condition_count; c++)
		columns_number(columns, samples + c, values[model->metric_count + c].count);
}

static void put_errors(
	struct block *block, const unsigned part[PARTS], const union model_value *values)
{
	const struct model *model = block->model;
	unsigned metrics = model->metric_count;

	for (unsigned p = 0; model->has_errors && p < (model->is_divided ? PARTS : PARTS - 1u);
		p++)
		for (unsigned m = 0; m < metrics; m++)
			columns_float(&block->columns, part[p] + m,
				values[model->counts + p * metrics + m].part);
}

/* ---- nodes ---- */

static void put_counts(struct block *block, unsigned calls, const unsigned state[3],
	const struct call_count *count)
{
	columns_number(&block->columns, calls, count->calls);
	columns_number(&block->columns, state[0], count->interpreted);
	columns_number(&block->columns, state[1], count->jitted);
	columns_number(&block->columns, state[2], count->native);
}

/* A row of the table `node`, but for its values. Returns its number. */
static uint32_t put_row(struct block *block, uint32_t up, uint32_t thread, uint32_t method,
	uint64_t id, uint32_t recursion, const struct call_count *count, unsigned flags,
	uint64_t paths)
{
	struct columns *columns = &block->columns;

	columns_number(columns, block->node.up, up);
	columns_number(columns, block->node.thread, thread);
	columns_number(columns, block->node.method, method);
	columns_number(columns, block->node.id, id);
	columns_number(columns, block->node.recursion, recursion);
	put_counts(block, block->node.calls, block->node.state, count);
	if (count->sampled == count->nodes)
		flags |= FLAG_SAMPLED;
	if (count->at_least)
		flags |= FLAG_AT_LEAST;
	columns_byte(columns, block->node.flags, flags);
	columns_number(columns, block->node.paths, paths);
	return block->rows++;
}

static void put_estimates(struct block *block, uint32_t at, const union model_value *base)
{
	const struct model *model = block->model;
	bool is_sampled = at != NO_ROW && model->profile->node[at].sampled;

	for (unsigned m = 0; block->can_estimate && m < model->metric_count; m++) {
		unsigned condition = block->estimates.condition[m];
		uint64_t own = 0, all = 0;

		if (is_sampled && condition > 0) {
			unsigned v = model->metric_count + condition - 1;

			own = estimate_part(&block->estimates, model, at, m, base[v].count)
				      .figure;
			all = estimate_part(&block->estimates, model, at, m,
				model_at(model, block->cum, at)[v].count)
				      .figure;
		}
		columns_number(&block->columns, block->node.estimate + m, own);
		columns_number(&block->columns, block->node.estimate_cum + m, all);
	}
}

static void put_node(struct block *block, uint32_t at, uint32_t root)
{
	const struct model *model = block->model;
	const struct profile_node *node = &model->profile->node[at];
	union model_value base[MODEL_VALUES_MAX];
	struct call_count count = {0};
	uint32_t row;

	call_count_add(&count, model, at);
	row = put_row(block, at == root ? 0 : block->rows - block->node_row[node->parent],
		block->thread_row[node->thread], method_row_of_id(block, node->method),
		profile_node_id(model->profile->thread[node->thread].id, node->id),
		node->recursion, &count, node->method == METHOD_FOLDED ? FLAG_FOLD : 0, 0);
	block->node_row[at] = row;
	model_base(model, at, base);
	put_figures(block, block->node.values.base, block->node.values.counted,
		block->node.values.samples, base);
	put_errors(block, block->node.values.be, base);
	put_errors(block, block->node.values.ce, model_at(model, block->cum, at));
	put_estimates(block, at, base);
}

/* ---- small paths ---- */

/* Adds a node to what its method did on folded paths of the thread. */
static void add_to_flat(struct block *block, uint32_t at, const union model_value *base)
{
	const struct model *model = block->model;
	const struct profile_node *node = &model->profile->node[at];
	struct small *flat = &block->flat[node->method];

	if (flat->row == 0) {
		*flat = (struct small){.row = ++block->flats};
		block->touched[block->touched_count++] = node->method;
	}
	call_count_add(&flat->count, model, at);
	model_add(model, flat->base, base);
	if (node->recursion == 0)
		model_add(model, flat->cum, model_at(model, block->cum, at));
	block->flat_row[at] = flat->row - 1;
}

/* Adds all below a folded child, and it. */
static void add_to_small(struct block *block, uint32_t child, struct small *small)
{
	const struct model *model = block->model;
	struct walk walk = walk_from(model, block->link, child);

	model_add(model, small->cum, model_at(model, block->cum, child));
	do {
		union model_value base[MODEL_VALUES_MAX];

		model_base(model, walk.at, base);
		call_count_add(&small->count, model, walk.at);
		model_add(model, small->base, base);
		add_to_flat(block, walk.at, base);
		block->node_row[walk.at] = block->rows;
	} while (walk_next(&walk));
}

/* The row for a caller's small callees. */
static void put_small(struct block *block, uint32_t caller)
{
	const struct model *model = block->model;
	struct small small = {0};

	for (uint32_t child = block->link[caller].first_child; child != 0;
		child = block->link[child].next_sibling)
		if (!fold_keeps(&block->fold, child))
			add_to_small(block, child, &small);
	if (small.count.nodes == 0)
		return;
	put_row(block, block->rows - block->node_row[caller],
		block->thread_row[model->profile->node[caller].thread], METHOD_ROW_SMALL, 0, 0,
		&small.count, FLAG_SMALL, small.count.nodes);
	put_figures(block, block->node.values.base, block->node.values.counted,
		block->node.values.samples, small.base);
	put_errors(block, block->node.values.be, small.base);
	put_errors(block, block->node.values.ce, small.cum);
	put_estimates(block, NO_ROW, small.base);
}

/* What methods did on folded paths of a thread; in the order of their rows. */
static void put_flats(struct block *block, uint32_t thread)
{
	struct columns *columns = &block->columns;

	for (size_t i = 0; i < block->touched_count; i++) {
		struct small *flat = &block->flat[block->touched[i]];

		columns_number(columns, block->flats_of.thread, block->thread_row[thread]);
		columns_number(columns, block->flats_of.method,
			method_row_of_id(block, block->touched[i]));
		columns_number(columns, block->flats_of.nodes, flat->count.nodes);
		columns_number(columns, block->flats_of.sampled, flat->count.sampled);
		put_counts(block, block->flats_of.calls, block->flats_of.state, &flat->count);
		columns_byte(columns, block->flats_of.flags,
			flat->count.at_least ? FLAG_AT_LEAST : 0);
		put_figures(block, block->flats_of.values.base, block->flats_of.values.counted,
			block->flats_of.values.samples, flat->base);
		put_figures(block, block->flats_of.values.cum,
			block->flats_of.values.cum_counted, block->flats_of.values.cum_samples,
			flat->cum);
		put_errors(block, block->flats_of.values.be, flat->base);
		put_errors(block, block->flats_of.values.ce, flat->cum);
		flat->row = 0;
	}
	block->touched_count = 0;
}

/* The paths below a node, and it: a thread's root, or where the block begins. */
static void put_tree(struct block *block, uint32_t root)
{
	struct walk walk = walk_from(block->model, block->link, root);
	bool more = true;

	while (more) {
		put_node(block, walk.at, root);
		put_small(block, walk.at);
		more = walk_next(&walk);
		while (more && !fold_keeps(&block->fold, walk.at))
			more = walk_past(&walk);
	}
	put_flats(block, block->model->profile->node[root].thread);
}

/* ---- threads ---- */

void put_threads(struct block *block)
{
	const struct profile *profile = block->model->profile;
	struct columns *columns = &block->columns;
	unsigned index = columns_add(columns, "thread", COLUMN_VARINT, "index", -1);
	unsigned name = columns_add(columns, "thread", COLUMN_VARINT, "name", -1);
	unsigned jvm = columns_add(columns, "thread", COLUMN_BYTE, "jvm", -1);

	for (size_t t = 0; t < profile->thread_count; t++) {
		if (!block->model->selected[t])
			continue;
		block->thread_row[t] = block->threads++;
		columns_number(columns, index, profile->thread[t].id);
		columns_number(
			columns, name, strings_take(&block->strings, block->model->thread[t]));
		columns_byte(columns, jvm, model_is_jvm_thread(&profile->thread[t]));
	}
}

void put_paths(struct block *block, uint32_t root)
{
	const struct profile *profile = block->model->profile;

	add_columns(block);
	if (root != NO_ROW) {
		put_tree(block, root);
		return;
	}
	for (size_t t = 0; t < profile->thread_count; t++)
		if (block->model->selected[t] &&
			profile->thread_first[t + 1] > profile->thread_first[t])
			put_tree(block, (uint32_t)profile->thread_first[t]);
}
