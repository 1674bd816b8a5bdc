/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/*
 * view_tree: every call path, depth first, the heaviest child first.
 *
 * With a limit, the rows that come first by the sort column are printed, and what leads to
 * them; all others are one line of sums, so that the printed bases still add up. What samples alone have
 * found has a part of what was measured above it, which is in no sum.
 *
 * On request a row "(gc)" below a node has what pauses of collections took of its own wall-clock time, which the node's row is
 * without: bases still add up.
 */
#include <string.h>

#include "report/text/figure.h"
#include "report/views/view.h"

/* Of collections, in a node. */
struct pauses {
	uint64_t count, ns;
};

struct tree_view {
	union model_value *cum;
	uint32_t *level;
	struct link *link;
	bool *shown; /* by node; NULL: all */
	struct estimates estimates;
	struct pauses *pauses; /* by node, where they are to be rows; or NULL */
	unsigned wall;         /* the metric that they are of */
};

static void columns(struct report *report)
{
	struct sheet *sheet = &report->sheet;

	report->estimates = model_can_estimate(report->model);
	beside_columns(report);
	node_columns(report);
	sheet_add(sheet, NULL, "thread_index", "Thread", IN_DATA | COLUMN_RISING);
	sheet_add(sheet, NULL, "level", "Level", IN_ALL | COLUMN_RISING);
	sheet_add(sheet, NULL, "recursion", "RL", IN_ALL);
	method_columns(report);
	line_column(report);
	call_columns(report, IN_DATA | COLUMN_SUM);
	how_column(report);
	at_least_column(report);
	value_columns(report);
	sheet_add_name(sheet, "Name");
}

/* Of a node that samples alone have found: its own, and cum. */
static void put_estimates(struct report *report, uint32_t item, struct cell *row,
	const union model_value *base, const union model_value *cum)
{
	const struct tree_view *view = report->data;
	const struct model *model = report->model;
	const union model_value *values[] = {base, cum};

	for (unsigned m = 0; m < model->metric_count; m++) {
		unsigned condition = view->estimates.condition[m];

		for (unsigned of = 0; of < 2 && condition > 0; of++) {
			unsigned at = report->summed.figure + of * model->metric_count + m;
			struct estimate estimate = estimate_part(&view->estimates, model, item,
				m, values[of][model->metric_count + condition - 1].count);

			row[at] = cell_estimate(estimate.figure);
			row[report->sheet.column[at].error - 1] = cell_number(estimate.error);
		}
	}
}

static void fill(struct report *report, uint32_t item, struct cell *cells)
{
	struct tree_view *view = report->data;
	const struct model *model = report->model;
	const struct profile_node *node = &model->profile->node[item];
	union model_value base[MODEL_VALUES_MAX];
	struct call_count count = {0};
	struct cell *row = cells;

	if (report->io_of_node)
		cells = beside_cells(report, cells, &report->io_of_node[item]);
	cells = node_cells(report, cells, item);
	*cells++ = cell_number(model->profile->thread[node->thread].id);
	*cells++ = cell_number(view->level[item]);
	*cells++ = cell_number(node->recursion);
	cells = method_cells(cells, &model->method[node->method]);
	cells = line_cell(report, cells, item);
	call_count_add(&count, model, item);
	cells = call_cells(cells, &count);
	model_base(model, item, base);
	cells = how_cell(report, cells, &count, base, model_at(model, view->cum, item));
	cells = at_least_cell(report, cells, count.at_least);
	cells = value_cells(
		report, cells, base, model_at(model, view->cum, item), node->sampled);
	if (node->sampled && report->estimates)
		put_estimates(report, item, row, base, model_at(model, view->cum, item));
	*cells = node_name(report, item);
}

/* ---- rows of collections ---- */

/* The chosen metric of that name; metric_count: there is none. */
static unsigned find_metric(const struct model *model, const char *name)
{
	unsigned m = 0;

	while (m < model->metric_count && strcmp(model->metric[m]->name, name) != 0)
		m++;
	return m;
}

/* Sums of the accounts, each at the innermost node of its path that has a row and wall-clock time of its own. */
static int find_pauses(struct report *report, struct tree_view *view)
{
	const struct model *model = report->model;
	const struct profile *profile = model->profile;

	view->wall = find_metric(model, "wall");
	if (!report->request->gc || view->wall == model->metric_count)
		return 0;
	view->pauses = report_room(report, profile->node_count, struct pauses);
	for (size_t i = 0; view->pauses && i < profile->account_count; i++) {
		const struct profile_account *account = &profile->account[i];
		uint32_t at = account->node;

		if (account->kind != PAUSES)
			continue;
		while (profile->node[at].parent != at &&
			((model->hidden && model->hidden[at]) || profile->node[at].sampled))
			at = profile->node[at].parent;
		view->pauses[at].count += account->count;
		view->pauses[at].ns += account->ns;
	}
	return view->pauses ? 0 : -1;
}

/* Moves what pauses took from the cells of their node, as far as it is there, into those of a row of their own. */
static void split_pauses(const struct report *report, const struct pauses *pauses,
	struct cell *cells, struct cell *row)
{
	const struct tree_view *view = report->data;
	const struct model *model = report->model;
	const struct sheet *sheet = &report->sheet;
	struct label name = store_format(model->store, "(gc: %s pause%s)",
		figure_text(FIGURE_COUNT, pauses->count).text, pauses->count == 1 ? "" : "s");

	for (unsigned i = 0; i < sheet->column_count; i++)
		row[i] = cell_null();
	row[sheet_find(sheet, "parent")] = cells[sheet_find(sheet, "id")];
	row[sheet_find(sheet, "thread")] = cells[sheet_find(sheet, "thread")];
	row[sheet_find(sheet, "level")] =
		cell_number(cells[sheet_find(sheet, "level")].number + 1);
	row[sheet_find(sheet, "method")] = cell_text("(gc)");
	row[sheet->column_count - 1] = cell_label(name);
	for (unsigned i = 0; i < (model->has_errors ? 2 : 1); i++) {
		unsigned at = view->wall + (i ? report->summed.raw : report->summed.figure);
		uint64_t ns = pauses->ns < cells[at].number ? pauses->ns : cells[at].number;

		/* What is below it is in all, too: the column beside it. */
		row[at] = row[at + model->metric_count] = cell_number(ns);
		cells[at].number -= ns;
	}
}

/* ---- which rows are shown ---- */

/* The first rows by rank that the user wants, and all their ancestors. */
static int choose_shown(struct report *report, struct tree_view *view)
{
	const struct report_request *request = report->request;
	const struct profile *profile = report->model->profile;
	uint64_t least = report_least(report);
	size_t chosen = 0;
	const bool *wanted = NULL;

	if (report->shown == report->count && least == 0 && request->depth == 0 &&
		request->choice.methods.count == 0 && !request->format->shares &&
		!report->io_of_node)
		return 0;
	if (request->choice.methods.count > 0)
		wanted = model_below_wanted(report->model);
	view->shown = report_room(report, profile->node_count, bool);
	if (report->model->store->failed)
		return -1;
	for (size_t i = 0; i < report->count && chosen < report->shown; i++) {
		size_t at = report->rank[i].item;

		if (!report_is_enough(report, &report->rank[i]) ||
			(request->depth > 0 && view->level[at] > request->depth) ||
			(wanted && !wanted[at]) ||
			(report->io_of_node && report->io_of_node[at].ops == 0))
			continue;
		chosen++;
		if (profile->node[at].id == 0 &&
			report_is_idle(report, profile->node[at].thread))
			continue;
		for (; !view->shown[at]; at = profile->node[at].parent)
			view->shown[at] = true;
	}
	return 0;
}

static int open_tree(struct report *report)
{
	struct tree_view *view = report_room(report, 1, struct tree_view);
	const struct model *model = report->model;
	const struct profile *profile = model->profile;

	if (!view)
		return -1;
	report->data = view;
	view->cum = model_cum(model);
	view->level = report_room(report, profile->node_count, uint32_t);
	for (size_t i = 0; view->level && i < profile->node_count; i++)
		if (profile->node[i].id != 0)
			view->level[i] = view->level[profile->node[i].parent] + 1;
	if (report->estimates && estimates_init(&view->estimates, model) != 0)
		return -1;
	if (find_pauses(report, view) != 0)
		return -1;
	if (model->store->failed || report_list(report, model->node, model->node_count) != 0)
		return -1;
	view->link = links_make(model, report->rank, report->count);
	return view->link ? choose_shown(report, view) : -1;
}

/* ---- printing ---- */

/* What the node's row will need is fetched from memory while those before it are filled: nodes are met in
 * no order a processor could guess. (always_inline: gcc removes calls of what only fetches.) */
__attribute__((always_inline)) static inline void fetch(
	const struct model *model, const struct tree_view *view, uint32_t node)
{
	const char *row = (const char *)&model->profile->node[node];

	__builtin_prefetch(row);
	__builtin_prefetch(row + sizeof(struct profile_node) - 1);
	__builtin_prefetch(model_at(model, view->cum, node));
}

/* The node's row, and that of its collections. */
static void put_node(struct report *report, struct sink *sink, uint32_t at, uint32_t level)
{
	const struct tree_view *view = report->data;
	struct cell cells[COLUMN_MAX], pauses[COLUMN_MAX];
	bool has_pauses = view->pauses && view->pauses[at].ns > 0;

	fill(report, at, cells);
	if (has_pauses)
		split_pauses(report, &view->pauses[at], cells, pauses);
	sink_row(sink, cells, level);
	if (has_pauses)
		sink_row(sink, pauses, level + 1);
}

static void print_thread(struct report *report, struct sink *sink, uint32_t root)
{
	struct tree_view *view = report->data;
	struct walk walk = walk_from(report->model, view->link, root);
	bool more = !view->shown || view->shown[root];

	while (more && sink->out->failed == 0) {
		uint32_t at = walk.at, level = walk.level;

		/* On to the next node that is shown. */
		more = walk_next(&walk);
		while (more && view->shown && !view->shown[walk.at])
			more = walk_past(&walk);
		fetch(report->model, view, walk.at);
		put_node(report, sink, at, level);
	}
}

/* The rows that are not shown, in a line: those of threads that did nothing, or all
 * others. */
static void print_omitted(struct report *report, struct sink *sink, bool idle)
{
	enum { AHEAD = 8 };
	const struct profile_node *node = report->model->profile->node;
	struct tree_view *view = report->data;
	struct cell cells[COLUMN_MAX], sums[COLUMN_MAX];
	uint64_t rows = 0;

	sums_begin(report, sums);
	for (size_t i = 0; i < report->count; i++) {
		uint32_t at = report->rank[i].item;

		if (i + AHEAD < report->count)
			fetch(report->model, view, report->rank[i + AHEAD].item);
		if (view->shown[at] || report_is_idle(report, node[at].thread) != idle)
			continue;
		fill(report, at, cells);
		sums_add(report, sums, cells);
		rows++;
	}
	sums_end(report, sums);
	if (rows > 0)
		sink_extra(sink, "omitted", idle ? report_idle_threads(report) : "more", rows,
			sums);
}

/* Why there are no rows of collections, or what they are. */
static void say_pauses(const struct report *report, struct sink *sink)
{
	const struct tree_view *view = report->data;
	bool any = false;

	if (!report->request->gc)
		return;
	for (size_t i = 0; view->pauses && i < report->model->profile->node_count; i++)
		any |= view->pauses[i].ns > 0;
	sink_title(sink, "%s",
		!view->pauses ? "no rows of collections: they are of the metric wall, which is "
				"not here (--view gc-tree)"
		: any ? "(gc): pauses of collections, taken out of Self wall of the row "
			"above"
		      : "no rows of collections: they are told with traces=gc and "
			"gc_in_paths=yes");
}

static void rows(struct report *report, struct sink *sink)
{
	const struct model *model = report->model;
	struct tree_view *view = report->data;

	say_pauses(report, sink);
	/* Widths do not depend on the order of rows: the one in memory is the fastest, by far in a tree that
	 * is larger than the processor's caches. */
	for (size_t i = 0; sink->measuring && i < model->node_count; i++) {
		uint32_t at = model->node[i];

		if (view->shown && !view->shown[at])
			continue;
		put_node(report, sink, at, view->level[at]);
	}
	/* The threads' trees, in the order of their roots. */
	for (size_t i = 0; !sink->measuring && i < report->count; i++) {
		uint32_t at = report->rank[i].item;

		if (model->profile->node[at].id == 0)
			print_thread(report, sink, at);
	}
	if (view->shown) {
		print_omitted(report, sink, false);
		if (report->request->format->shares)
			print_omitted(report, sink, true);
	}
}

const struct view view_tree = {
	.name = "tree",
	.may_fold = true,
	.meaning = "every call path; one tree a thread",
	.by = BY_ALL,
	.sort = "cum",
	.calls = true,
	.levels = true,
	.adjusts = true,
	.columns = columns,
	.open = open_tree,
	.fill = fill,
	.rows = rows,
};

const struct view view_component_tree = {
	.name = "component-tree",
	.meaning = "call paths of components; all threads together",
	.by = BY_ALL,
	.sort = "cum",
	.calls = true,
	.levels = true,
	.adjusts = true,
	.merges = true,
	.folds = true,
	.columns = columns,
	.open = open_tree,
	.fill = fill,
	.rows = rows,
};
