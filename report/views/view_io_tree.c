/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/* view_io_tree: the call paths that did I/O, or led to it, depth first. */
#include "report/views/view.h"

struct io_tree_view {
	struct io_use *base, *cum; /* by node */
	struct link *link;
	bool *shown; /* by node, where small ones are not; NULL: all are */
};

static void columns(struct report *report)
{
	node_columns(report);
	method_columns(report);
	line_column(report);
	io_all_columns(report);
	io_cpu_columns(report, true);
	io_rate_columns(report);
	sheet_add_name(&report->sheet, "Name");
}

static void fill(struct report *report, uint32_t item, struct cell *cells)
{
	const struct io_tree_view *view = report->data;
	const struct model *model = report->model;

	cells = node_cells(report, cells, item);
	cells = method_cells(cells, &model->method[model->profile->node[item].method]);
	cells = line_cell(report, cells, item);
	cells = io_all_cells(cells, &view->base[item], &view->cum[item]);
	cells = io_cpu_cell(report, cells, &view->base[item].part[IO_PART_ALL]);
	cells = io_cpu_cell(report, cells, &view->cum[item].part[IO_PART_ALL]);
	cells = io_rate_cells(report, cells, &view->cum[item].part[IO_PART_ALL]);
	*cells = node_name(report, item);
}

/* Those that have their share, and what leads to them. */
static int choose_shown(struct report *report, struct io_tree_view *view)
{
	const struct profile *profile = report->model->profile;
	uint64_t least;

	if (report->min <= 0)
		return 0;
	least = report_least(report);
	view->shown = report_room(report, profile->node_count, bool);
	for (size_t i = 0; view->shown && i < report->count; i++) {
		size_t at = report->rank[i].item;

		if (report->rank[i].number < least)
			continue;
		for (; !view->shown[at]; at = profile->node[at].parent)
			view->shown[at] = true;
	}
	return view->shown ? 0 : -1;
}

static int open_io_tree(struct report *report)
{
	const struct model *model = report->model;
	struct io_tree_view *view = report_room(report, 1, struct io_tree_view);
	uint32_t *nodes = report_room(report, model->node_count, uint32_t);
	struct io_use all = {0};
	size_t led = 0;

	if (!view || !nodes || io_use_of_nodes(model, &view->base, &view->cum) != 0)
		return -1;
	report->data = view;
	for (size_t i = 0; i < model->node_count; i++) {
		if (view->cum[model->node[i]].part[IO_PART_ALL].ops > 0)
			nodes[led++] = model->node[i];
		if (model->profile->node[model->node[i]].id == 0)
			io_use_join(&all, &view->cum[model->node[i]]);
	}
	io_all_sums(report, &all);
	if (report_list(report, nodes, led) != 0)
		return -1;
	view->link = links_make(model, report->rank, led);
	return view->link ? choose_shown(report, view) : -1;
}

/* The threads' trees, in the order of their roots. */
static void rows(struct report *report, struct sink *sink)
{
	struct io_tree_view *view = report->data;
	const struct model *model = report->model;
	struct cell cells[COLUMN_MAX], sums[COLUMN_MAX];
	size_t given = 0, left = 0;

	sums_begin(report, sums);
	for (size_t i = 0; i < report->count; i++) {
		uint32_t root = report->rank[i].item;
		struct walk walk = walk_from(model, view->link, root);
		bool more = model->profile->node[root].id == 0;

		for (; more && sink->out->failed == 0; more = walk_next(&walk)) {
			fill(report, walk.at, cells);
			if (given < report->shown && (!view->shown || view->shown[walk.at])) {
				sink_row(sink, cells, walk.level);
				given++;
			} else {
				sums_add(report, sums, cells);
				left++;
			}
		}
	}
	if (left > 0)
		sink_extra(sink, "omitted", "more", left, sums);
}

const struct view view_io_tree = {
	.name = "io-tree",
	.may_fold = true,
	.meaning = "I/O by call path; one tree a thread",
	.by = BY_ALL,
	.sort = "cum.all.ns",
	.io = true,
	.columns = columns,
	.open = open_io_tree,
	.fill = fill,
	.rows = rows,
};
