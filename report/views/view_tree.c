/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/*
 * view_tree: every call path, depth first, the heaviest child first.
 *
 * With a limit, the rows that come first by the sort column are printed, and what leads to
 * them; all others are one line of sums, so that the printed bases still add up. What samples alone have
 * found has a part of what was measured above it, which is in no sum.
 */
#include "report/views/view.h"

struct tree_view {
	union model_value *cum;
	uint32_t *level;
	struct link *link;
	bool *shown; /* by node; NULL: all */
	struct estimates estimates;
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

static void print_thread(struct report *report, struct sink *sink, uint32_t root)
{
	struct tree_view *view = report->data;
	struct cell cells[COLUMN_MAX];
	struct walk walk = walk_from(report->model, view->link, root);
	bool more = !view->shown || view->shown[root];

	while (more && sink->out->failed == 0) {
		uint32_t at = walk.at, level = walk.level;

		/* On to the next node that is shown. */
		more = walk_next(&walk);
		while (more && view->shown && !view->shown[walk.at])
			more = walk_past(&walk);
		fetch(report->model, view, walk.at);
		fill(report, at, cells);
		sink_row(sink, cells, level);
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

static void rows(struct report *report, struct sink *sink)
{
	const struct model *model = report->model;
	struct tree_view *view = report->data;
	struct cell cells[COLUMN_MAX];

	/* Widths do not depend on the order of rows: the one in memory is the fastest, by far in a tree that
	 * is larger than the processor's caches. */
	for (size_t i = 0; sink->measuring && i < model->node_count; i++) {
		uint32_t at = model->node[i];

		if (view->shown && !view->shown[at])
			continue;
		fill(report, at, cells);
		sink_row(sink, cells, view->level[at]);
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
	.meaning = "every call path; one tree a thread",
	.sort = "cum",
	.calls = true,
	.by_path = true,
	.levels = true,
	.adjusts = true,
	.columns = columns,
	.open = open_tree,
	.fill = fill,
	.rows = rows,
};
