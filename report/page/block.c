/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/*
 * block: what a profile holds of one interval, as tables of columns (docs/page-data.md).
 *
 * One walk along each thread's tree gives the rows of `node`, and, where small paths are folded, those of `flat`; then accounts
 * find the rows of their nodes. What the page need not compute comes as reports print it.
 */
#include <stdio.h>
#include <stdlib.h>

#include "profile/pairs.h"
#include "report/page/columns.h"
#include "report/page/fold.h"
#include "report/page/notes.h"
#include "report/page/page.h"
#include "report/page/strings.h"
#include "report/report.h"

enum { PARTS = 4 }; /* of an error: docs/page-data.md, "Sums" */
enum { NO_ROW = UINT32_MAX, RECORDS_MOST = 20000, FILES_MOST = 2000 };
enum { METHOD_ROW_ROOT, METHOD_ROW_SMALL, METHOD_ROWS };
enum { FLAG_SAMPLED = 1, FLAG_AT_LEAST = 2, FLAG_SMALL = 4, FLAG_FOLD = 8 };

/* Columns that nodes and flat rows share: the first of one a metric or condition. */
struct value_columns {
	unsigned base, counted, be[PARTS], samples;
	unsigned cum, cum_counted, ce[PARTS],
		cum_samples; /* the first two and the last: of flat */
};

/* What small paths come to: below one caller, or of one method. */
struct small {
	struct call_count count;
	union model_value base[MODEL_VALUES_MAX], cum[MODEL_VALUES_MAX];
	uint32_t row; /* of flat: NO_ROW: not yet in this thread */
};

/* Accounts of the same place, put together. */
struct sum {
	uint32_t where,
		what; /* a row: of node, or FLAT + one of flat; a place, or a file and a kind */
	uint64_t count, failures, amount, ns;
};
#define FLAT 0x80000000u

struct block {
	const struct model *model;
	const struct block_choice *choice;
	struct columns columns;
	struct strings strings;
	struct fold fold;
	const union model_value *cum;
	const struct link *link;
	struct estimates estimates;
	bool can_estimate;
	uint32_t *method_row; /* by id; 0: none yet */
	uint32_t *node_row;   /* by node; of a folded one the small row's */
	uint32_t *flat_row;   /* by node; NO_ROW: it is not folded */
	uint32_t *thread_row; /* by position */
	uint32_t rows, flats, methods, threads;
	struct small *flat; /* by method id, of the thread that is walked */
	uint32_t *touched;  /* methods that have one */
	size_t touched_count;
	struct {
		unsigned class_name, name, signature, display, file, kind, flags;
	} method;
	struct {
		unsigned up, thread, method, id, recursion, calls, state[3], flags, paths;
		unsigned estimate, estimate_cum;
		struct value_columns values;
	} node;
	struct {
		unsigned thread, method, nodes, sampled, calls, state[3], flags;
		struct value_columns values;
	} flats_of;
};

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
	block->method.class_name = ADD("method", COLUMN_VARINT, "class");
	block->method.name = ADD("method", COLUMN_VARINT, "name");
	block->method.signature = ADD("method", COLUMN_VARINT, "signature");
	block->method.display = ADD("method", COLUMN_VARINT, "display");
	block->method.file = ADD("method", COLUMN_VARINT, "file");
	block->method.kind = ADD("method", COLUMN_BYTE, "kind");
	block->method.flags = ADD("method", COLUMN_BYTE, "flags");
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

/* ---- methods ---- */

static void put_method(struct block *block, const struct profile_method *method,
	const struct method_label *label, enum method_kind kind)
{
	struct columns *columns = &block->columns;
	struct strings *strings = &block->strings;

	columns_number(
		columns, block->method.class_name, strings_take(strings, label->class_name));
	columns_number(columns, block->method.name, strings_take(strings, label->name));
	columns_number(
		columns, block->method.signature, strings_take(strings, label->signature));
	columns_number(columns, block->method.display, strings_take(strings, label->display));
	columns_number(columns, block->method.file,
		strings_take(strings, label_of(method ? method->file : NULL)));
	columns_byte(columns, block->method.kind, kind);
	columns_byte(columns, block->method.flags,
		method ? method->is_native + 2u * method->is_static : 0);
}

static uint32_t method_row_of_id(struct block *block, uint32_t id)
{
	uint32_t *row = &block->method_row[id];

	if (id == METHOD_ROOT)
		return METHOD_ROW_ROOT;
	if (*row == 0) {
		*row = block->methods++;
		put_method(block, &block->model->profile->method[id], &block->model->method[id],
			block->model->profile->method[id].kind);
	}
	return *row;
}

static void put_first_methods(struct block *block)
{
	const struct method_label root = {0}, small = {.name = label_of("(small)"),
						      .display = label_of("(small)")};

	put_method(block, NULL, &root, METHOD_MARK);
	put_method(block, NULL, &small, METHOD_MARK);
	block->methods = METHOD_ROWS;
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

	if (flat->row == NO_ROW) {
		*flat = (struct small){.row = block->flats++};
		block->touched[block->touched_count++] = node->method;
	}
	call_count_add(&flat->count, model, at);
	model_add(model, flat->base, base);
	if (node->recursion == 0)
		model_add(model, flat->cum, model_at(model, block->cum, at));
	block->flat_row[at] = flat->row;
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
	struct small small = {.row = NO_ROW};

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
		flat->row = NO_ROW;
	}
	block->touched_count = 0;
}

/* The paths below a node, and it: a thread's root, or where the block begins. */
static void put_paths(struct block *block, uint32_t root)
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

static void put_threads(struct block *block)
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

static void put_all_paths(struct block *block, uint32_t root)
{
	const struct profile *profile = block->model->profile;

	if (root != NO_ROW) {
		put_paths(block, root);
		return;
	}
	for (size_t t = 0; t < profile->thread_count; t++)
		if (block->model->selected[t] &&
			profile->thread_first[t + 1] > profile->thread_first[t])
			put_paths(block, (uint32_t)profile->thread_first[t]);
}

/* ---- accounts ---- */

/* Those of one table, while they are summed. */
struct sums {
	struct pairs pairs;
	struct sum *sum;
	size_t capacity;
	bool failed;
};

/* What they are about is told by a number of 32 bits. */
static void add_sum(
	struct sums *sums, uint32_t where, uint32_t what, const struct profile_account *account)
{
	uint32_t number = pairs_take(&sums->pairs, where, what);

	if (number > sums->capacity) {
		size_t capacity = sums->capacity * 2 + 1024;
		struct sum *grown = realloc(sums->sum, capacity * sizeof(*grown));

		if (grown) {
			memset(grown + sums->capacity, 0,
				(capacity - sums->capacity) * sizeof(*grown));
			sums->sum = grown;
			sums->capacity = capacity;
		}
	}
	sums->failed |= number == 0 || number > sums->capacity;
	if (sums->failed)
		return;
	sums->sum[number - 1].where = where;
	sums->sum[number - 1].what = what;
	sums->sum[number - 1].count += account->count;
	sums->sum[number - 1].failures += account->failures;
	sums->sum[number - 1].amount += account->amount;
	sums->sum[number - 1].ns += account->ns;
}

/* The rows of a node: its own, or of a folded one that for paths and that for methods. How many; 0: it is not below the
 * block's root. */
static unsigned rows_of(const struct block *block, uint32_t at, uint32_t rows[2])
{
	const struct profile_node *node = block->model->profile->node;

	/* Folds that are not shown stand for their parents. */
	while (block->node_row[at] == NO_ROW && node[at].parent != at)
		at = node[at].parent;
	rows[0] = block->node_row[at];
	rows[1] = FLAT | block->flat_row[at];
	return rows[0] == NO_ROW ? 0 : block->flat_row[at] == NO_ROW ? 1 : 2;
}

static uint64_t where_of(const struct block *block, uint32_t row)
{
	return row & FLAT ? (uint64_t)block->rows + (row & ~FLAT) : row;
}

/* The method whose lines a sample's are: the nearest one that is Java, and not native (view_lines.c). */
static uint32_t lines_method(const struct model *model, uint32_t at)
{
	const struct profile *profile = model->profile;

	for (;; at = profile->node[at].parent) {
		const struct profile_method *method =
			&profile->method[profile->node[at].method];

		if ((method->kind == METHOD_JAVA && !method->is_native) ||
			profile->node[at].parent == at)
			return profile->node[at].method;
	}
}

/* Samples are kept apart by row, by the methods that views have them in, and by place: three numbers a sum. */
struct places {
	struct pairs methods; /* that states and lines are of */
	struct pairs rows;    /* a row, and a number of `methods` */
	struct sums sums;     /* `where`: a number of `rows` */
};

static void add_places(struct block *block, struct places *places)
{
	const struct model *model = block->model;

	for (size_t i = 0; i < model->profile->account_count; i++) {
		const struct profile_account *account = &model->profile->account[i];
		uint32_t line = (uint32_t)sample_place_line(account->subject), rows[2], methods;
		unsigned chosen, count;

		if (!model_is_sample(model, account, &chosen) &&
			!model_is_counting(model, account, &chosen))
			continue;
		count = rows_of(block, account->node, rows);
		methods = pairs_take(&places->methods, model_java_method(model, account->node),
			lines_method(model, account->node));
		for (unsigned r = 0; r < count; r++) {
			uint32_t where = pairs_take(&places->rows, rows[r], methods);

			places->sums.failed |= methods == 0 || where == 0;
			add_sum(&places->sums, where,
				(uint32_t)sample_place(
					chosen, sample_place_state(account->subject), line),
				account);
		}
	}
}

static bool put_places(struct block *block)
{
	struct columns *columns = &block->columns;
	struct places places = {{.slots = 1024}, {.slots = 1024}, {.pairs = {.slots = 1024}}};
	unsigned first = columns->count;
	bool failed;

	columns_add(columns, "place", COLUMN_VARINT, "where", -1);
	columns_add(columns, "place", COLUMN_BYTE, "condition", -1);
	columns_add(columns, "place", COLUMN_BYTE, "state", -1);
	columns_add(columns, "place", COLUMN_VARINT, "line", -1);
	columns_add(columns, "place", COLUMN_VARINT, "samples", -1);
	columns_add(columns, "place", COLUMN_VARINT, "of_state", -1);
	columns_add(columns, "place", COLUMN_VARINT, "of_line", -1);
	add_places(block, &places);
	for (size_t i = 0; i < places.sums.pairs.count && !places.sums.failed; i++) {
		const struct sum *sum = &places.sums.sum[i];
		uint64_t row = places.rows.key[sum->where - 1];
		uint64_t methods = places.methods.key[(uint32_t)row - 1];

		columns_number(columns, first, where_of(block, (uint32_t)(row >> 32)));
		columns_byte(columns, first + 1, sample_place_condition(sum->what));
		columns_byte(columns, first + 2, sample_place_state(sum->what));
		columns_number(columns, first + 3, sample_place_line(sum->what));
		columns_number(columns, first + 4, sum->amount);
		columns_number(
			columns, first + 5, method_row_of_id(block, (uint32_t)(methods >> 32)));
		columns_number(columns, first + 6, method_row_of_id(block, (uint32_t)methods));
	}
	failed = places.sums.failed;
	pairs_fini(&places.methods);
	pairs_fini(&places.rows);
	pairs_fini(&places.sums.pairs);
	free(places.sums.sum);
	return !failed;
}

static void put_files(struct block *block)
{
	const struct profile *profile = block->model->profile;
	struct columns *columns = &block->columns;
	unsigned name = columns_add(columns, "file", COLUMN_VARINT, "name", -1);
	unsigned peer = columns_add(columns, "file", COLUMN_VARINT, "peer", -1);
	unsigned kind = columns_add(columns, "file", COLUMN_BYTE, "kind", -1);
	unsigned opener = columns_add(columns, "file", COLUMN_VARINT, "opened_by", -1);

	for (size_t i = 0; i < profile->file_count; i++) {
		const struct profile_file *file = &profile->file[i];

		columns_number(
			columns, name, strings_take(&block->strings, label_of(file->name)));
		columns_number(
			columns, peer, strings_take(&block->strings, label_of(file->peer)));
		columns_byte(columns, kind, file->kind);
		columns_number(columns, opener,
			strings_take(&block->strings, label_of(file->opened_by)));
	}
}

static bool put_io(struct block *block)
{
	enum { KINDS = 32 };
	const struct profile *profile = block->model->profile;
	struct columns *columns = &block->columns;
	struct sums sums = {.pairs = {.slots = 1024}};
	unsigned first = columns->count;
	bool failed;

	columns_add(columns, "io", COLUMN_VARINT, "where", -1);
	columns_add(columns, "io", COLUMN_VARINT, "file", -1);
	columns_add(columns, "io", COLUMN_BYTE, "kind", -1);
	columns_add(columns, "io", COLUMN_VARINT, "count", -1);
	columns_add(columns, "io", COLUMN_VARINT, "failures", -1);
	columns_add(columns, "io", COLUMN_VARINT, "amount", -1);
	columns_add(columns, "io", COLUMN_VARINT, "ns", -1);
	for (size_t i = 0; i < profile->account_count; i++) {
		const struct profile_account *account = &profile->account[i];

		uint32_t rows[2];
		unsigned count = rows_of(block, account->node, rows);

		for (unsigned r = 0; r < count && account->kind < IO_OPS; r++)
			add_sum(&sums, rows[r],
				(uint32_t)account->subject * KINDS + account->kind, account);
	}
	for (size_t i = 0; i < sums.pairs.count && !sums.failed; i++) {
		const struct sum *sum = &sums.sum[i];

		columns_number(columns, first, where_of(block, sum->where));
		columns_number(columns, first + 1, sum->what / KINDS);
		columns_byte(columns, first + 2, sum->what % KINDS);
		columns_number(columns, first + 3, sum->count);
		columns_number(columns, first + 4, sum->failures);
		columns_number(columns, first + 5, sum->amount);
		columns_number(columns, first + 6, sum->ns);
	}
	failed = sums.failed;
	pairs_fini(&sums.pairs);
	free(sums.sum);
	return !failed;
}

/* Calls that were counted without their paths; not in a block that begins at a node. */
static void put_counted(struct block *block, uint32_t root)
{
	const struct profile *profile = block->model->profile;
	struct columns *columns = &block->columns;
	unsigned thread = columns_add(columns, "counted", COLUMN_VARINT, "thread", -1);
	unsigned method = columns_add(columns, "counted", COLUMN_VARINT, "method", -1);
	unsigned calls = columns_add(columns, "counted", COLUMN_VARINT, "calls", -1);

	for (size_t i = 0; i < profile->account_count && root == NO_ROW; i++) {
		const struct profile_account *account = &profile->account[i];
		uint32_t of = profile->node[account->node].thread;

		if (account->kind != CALLS || !block->model->selected[of])
			continue;
		columns_number(columns, thread, block->thread_row[of]);
		columns_number(
			columns, method, method_row_of_id(block, (uint32_t)account->subject));
		columns_number(columns, calls, account->count);
	}
}

/* ---- what has a time: marks, records ---- */

static void put_marks(struct block *block)
{
	const struct profile *profile = block->model->profile;
	struct columns *columns = &block->columns;
	unsigned at = columns_add(columns, "mark", COLUMN_VARINT, "at", -1);
	unsigned name = columns_add(columns, "mark", COLUMN_VARINT, "name", -1);
	unsigned thread = columns_add(columns, "mark", COLUMN_VARINT, "thread", -1);

	for (size_t i = 0; profile->mark && i < profile->mark_count; i++) {
		const struct profile_mark *mark = &profile->mark[i];

		columns_number(columns, at, mark->at);
		columns_number(
			columns, name, strings_take(&block->strings, label_of(mark->name)));
		columns_number(
			columns, thread, strings_take(&block->strings, label_of(mark->thread)));
	}
}

static int fall_by_number(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return (x < y) - (x > y);
}

/* How long the last of the longest records took; 0: there is room for all. */
static uint64_t shortest_record(const struct profile *profile)
{
	uint64_t *ns, shortest = 0;

	if (profile->record_count <= RECORDS_MOST)
		return 0;
	ns = malloc(profile->record_count * sizeof(*ns));
	for (size_t i = 0; ns && i < profile->record_count; i++)
		ns[i] = profile->record[i].ns;
	if (ns) {
		qsort(ns, profile->record_count, sizeof(*ns), fall_by_number);
		shortest = ns[RECORDS_MOST - 1];
	}
	free(ns);
	return shortest;
}

static void put_records(struct block *block)
{
	const struct profile *profile = block->model->profile;
	struct columns *columns = &block->columns;
	uint64_t shortest = shortest_record(profile), put = 0;
	unsigned first = columns->count;

	columns_add(columns, "record", COLUMN_VARINT, "begin", -1);
	columns_add(columns, "record", COLUMN_VARINT, "ns", -1);
	columns_add(columns, "record", COLUMN_VARINT, "thread", -1);
	columns_add(columns, "record", COLUMN_VARINT, "file", -1);
	columns_add(columns, "record", COLUMN_BYTE, "kind", -1);
	columns_add(columns, "record", COLUMN_VARINT, "amount", -1);
	columns_add(columns, "record", COLUMN_BYTE, "failed", -1);
	columns_add(columns, "record", COLUMN_VARINT, "method", -1);
	for (size_t i = 0; i < profile->record_count && put < RECORDS_MOST; i++) {
		const struct profile_record *record = &profile->record[i];
		const struct profile_record_thread *thread =
			record->thread > 0 ? &profile->record_thread[record->thread - 1] : NULL;

		if (record->ns < shortest)
			continue;
		put++;
		columns_number(columns, first, record->begin);
		columns_number(columns, first + 1, record->ns);
		columns_number(columns, first + 2,
			strings_take(&block->strings, label_of(thread ? thread->name : NULL)));
		columns_number(columns, first + 3, record->subject);
		columns_byte(columns, first + 4, record->kind);
		columns_number(columns, first + 5, record->amount);
		columns_byte(columns, first + 6, record->failed);
		columns_number(columns, first + 7,
			record->node == 0 ? METHOD_ROW_ROOT
					  : method_row_of_id(block,
						    profile->path[record->node - 1].method));
	}
}

/* ---- the header ---- */

static void put_text(struct out *out, const char *key, const char *text)
{
	out_char(out, '"');
	out_text(out, key);
	out_text(out, "\":");
	out_json(out, text ? text : "", text ? strlen(text) : 0);
	out_char(out, ',');
}

static void put_number(struct out *out, const char *key, uint64_t number)
{
	out_char(out, '"');
	out_text(out, key);
	out_text(out, "\":");
	out_number(out, number);
	out_char(out, ',');
}

static void put_names(struct out *out, const char *key, const char *const *names, size_t count)
{
	out_char(out, '"');
	out_text(out, key);
	out_text(out, "\":[");
	for (size_t i = 0; i < count; i++) {
		if (i > 0)
			out_char(out, ',');
		out_json(out, names[i], strlen(names[i]));
	}
	out_text(out, "],");
}

static void put_what_is_counted(const struct model *model, struct out *out)
{
	out_text(out, "\"metrics\":[");
	for (unsigned m = 0; m < model->metric_count; m++) {
		unsigned condition = model_condition_of(model, model->metric[m]);

		out_text(out, m > 0 ? ",{" : "{");
		put_text(out, "name", model->metric[m]->name);
		put_text(out, "unit", model->metric[m]->unit);
		put_text(out, "how", model->metric[m]->how);
		out_text(out, model->part[m] ? "\"divided\":true,\"condition\":"
					     : "\"divided\":false,\"condition\":");
		if (condition > 0)
			out_number(out, condition - 1);
		else
			out_text(out, "null");
		out_char(out, '}');
	}
	out_text(out, "],\"conditions\":[");
	for (unsigned c = 0; c < model->condition_count; c++) {
		out_text(out, c > 0 ? ",{" : "{");
		put_text(out, "name", model->condition_name[c]);
		put_text(out, "asked", model->condition[c]->name);
		put_text(out, "event", model->condition[c]->event);
		put_number(out, "period", model->condition[c]->period);
		out_text(out, "\"unit\":");
		out_json(out, model->condition[c]->unit, strlen(model->condition[c]->unit));
		out_char(out, '}');
	}
	out_text(out, "],");
}

/* What the page shows as reports have it. */
static const char *const shown_views[] = {"summary", "findings", "threads", "files",
	"connections", "entries", "snapshots", "calibration"};

static int put_view(const struct model *model, const struct view *view, struct out *out,
	struct error *error)
{
	struct report_request request = {.choice = *model->choice,
		.view = view,
		.all = true,
		.top = view->io ? FILES_MOST : 0};
	uint64_t violations;

	for (size_t i = 0; i < format_count; i++)
		if (strcmp(formats[i]->name, "json") == 0)
			request.format = formats[i];
	return report_view(model, &request, out, &violations, error);
}

static int put_views(const struct model *model, struct out *out, struct error *error)
{
	bool first = true;
	int failed = 0;

	out_text(out, "\"views\":{");
	for (size_t i = 0; i < sizeof(shown_views) / sizeof(*shown_views); i++)
		for (size_t v = 0; v < view_count && failed == 0; v++) {
			if (strcmp(views[v]->name, shown_views[i]) != 0)
				continue;
			out_text(out, first ? "\"" : ",\"");
			out_text(out, shown_views[i]);
			out_text(out, "\":");
			failed = put_view(model, views[v], out, error);
			first = false;
		}
	out_text(out, "},");
	return failed;
}

static void put_interval(
	const struct profile *profile, const struct block_choice *choice, struct out *out)
{
	put_text(out, "interval", choice->interval);
	put_number(out, "begin", profile->interval.begin);
	out_text(out, "\"end\":");
	if (profile->interval.end > 0)
		out_number(out, profile->interval.end);
	else
		out_text(out, "null");
	out_text(out, ",\"intervals\":");
	out_text(out, choice->intervals ? choice->intervals : "[]");
	out_char(out, ',');
}

static int put_header(struct block *block, struct out *out, struct error *error)
{
	const struct model *model = block->model;
	const struct block_choice *choice = block->choice;
	int failed = 0;
	char line[96];

	out_text(out, "\"version\":1,");
	put_text(out, "jprof", JPROF_VERSION);
	put_text(out, "title", profile_meta_get(model->profile, "java.command"));
	put_number(out, "side", choice->side);
	put_interval(model->profile, choice, out);
	put_what_is_counted(model, out);
	put_names(out, "states", sample_state_names, SAMPLE_STATES);
	put_names(out, "io_kinds", account_kind_names, IO_OPS);
	put_names(out, "file_kinds", io_kind_names, IO_KINDS);
	put_number(out, "lead", model->lead);
	out_text(out, model->has_errors ? "\"errors\":true," : "\"errors\":false,");
	put_number(out, "root", choice->root);
	put_number(out, "records", model->profile->record_count);
	snprintf(line, sizeof(line), "\"folded\":{\"limit\":%.9g,\"paths\":%zu},",
		(double)block->fold.limit, block->fold.paths);
	out_text(out, block->fold.paths > 0 ? line : "\"folded\":null,");
	if (failed == 0)
		failed = put_views(model, out, error);
	out_text(out, "\"strings\":");
	strings_list(&block->strings, out);
	out_text(out, ",\"columns\":");
	columns_list(&block->columns, out);
	out_char(out, '}');
	return failed;
}

/* ---- all of it ---- */

static void fill_rows(uint32_t *rows, size_t count)
{
	for (size_t i = 0; i < count; i++)
		rows[i] = NO_ROW;
}

/* The rooms by node and method. False without memory. */
static bool make_rooms(struct block *block)
{
	const struct profile *profile = block->model->profile;
	struct store *store = block->model->store;
	size_t nodes = profile->node_count + 1, methods = profile->method_count + 1;

	block->node_row = store_room(store, nodes, sizeof(uint32_t));
	block->flat_row = store_room(store, nodes, sizeof(uint32_t));
	block->thread_row = store_room(store, profile->thread_count + 1, sizeof(uint32_t));
	block->method_row = store_room(store, methods, sizeof(uint32_t));
	block->touched = store_room(store, methods, sizeof(uint32_t));
	block->flat = store_room(store, methods, sizeof(*block->flat));
	if (store->failed)
		return false;
	fill_rows(block->node_row, nodes);
	fill_rows(block->flat_row, nodes);
	for (size_t i = 0; i < methods; i++)
		block->flat[i].row = NO_ROW;
	return true;
}

/* The node that the block begins at; NO_ROW: whole threads, or there is none of that id (found false). */
static uint32_t find_root(const struct block *block, bool *found)
{
	const struct profile *profile = block->model->profile;
	uint64_t wanted = block->choice->root;

	*found = wanted == 0;
	for (size_t i = 0; i < block->model->node_count && !*found; i++) {
		uint32_t at = block->model->node[i];
		const struct profile_node *node = &profile->node[at];

		if (profile_node_id(profile->thread[node->thread].id, node->id) != wanted)
			continue;
		*found = true;
		return at;
	}
	return NO_ROW;
}

/* All tables. False without memory. */
static bool put_tables(struct block *block, uint32_t root)
{
	bool done;

	if (!make_rooms(block))
		return false;
	add_columns(block);
	put_first_methods(block);
	put_threads(block);
	put_all_paths(block, root);
	put_counted(block, root);
	done = put_places(block) && put_io(block);
	put_files(block);
	put_marks(block);
	put_records(block);
	return done && !block->strings.failed && !block->columns.failed;
}

/* What is made of the model here goes when the block is written: rooms of a store of its own. */
static int write_block(struct out *out, const struct model *model,
	const struct block_choice *choice, struct error *error)
{
	struct block block = {.model = model, .choice = choice};
	struct out header;
	bool found;
	uint32_t root = find_root(&block, &found);
	int failed = 0;

	if (!found)
		return error_set(error, ERROR_MISSING, "there is no call path %llu",
			(unsigned long long)choice->root);
	out_init(&header, -1);
	out_char(&header, '{');
	/* First, for it needs much memory for itself. */
	if (choice->root == 0)
		failed = notes_put(model, &header, error);
	block.cum = model_cum(model);
	block.link = links_make(model, NULL, 0);
	block.can_estimate = model_can_estimate(model);
	if (failed == 0 &&
		(!block.cum || !block.link ||
			(block.can_estimate && estimates_init(&block.estimates, model) != 0) ||
			fold_init(&block.fold, model, block.cum, root, choice->limit) != 0 ||
			!put_tables(&block, root)))
		failed = model_no_memory(error);
	if (failed == 0)
		failed = put_header(&block, &header, error);
	if (failed == 0) {
		uint32_t length = (uint32_t)header.length;

		out_bytes(out, (const char *)&length, sizeof(length));
		out_bytes(out, header.buffer, header.length);
		columns_put(&block.columns, out);
		if (out->failed != 0 || header.failed != 0 || block.columns.failed)
			failed = model_no_memory(error);
	}
	out_fini(&header);
	columns_fini(&block.columns);
	strings_fini(&block.strings);
	return failed;
}

int block_write(struct out *out, const struct model *model, const struct block_choice *choice,
	struct error *error)
{
	struct model same = *model;
	struct store store = {0};
	int failed;

	same.store = &store;
	failed = write_block(out, &same, choice, error);
	store_fini(&store);
	return failed;
}
