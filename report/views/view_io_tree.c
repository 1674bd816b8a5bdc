/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/* view_io_tree: the call paths that did I/O, or led to it, depth first. */
#include "report/views/view.h"

struct io_tree_view {
	struct io_use *base, *cum; /* by node */
	struct link *link;
};

static void columns(struct report *report)
{
	node_columns(report);
	method_columns(report);
	io_all_columns(report);
	sheet_add_name(&report->sheet, "Name");
}

static void fill(struct report *report, uint32_t item, struct cell *cells)
{
	const struct io_tree_view *view = report->data;
	const struct model *model = report->model;

	cells = node_cells(report, cells, item);
	cells = method_cells(cells, &model->method[model->profile->node[item].method]);
	cells = io_all_cells(cells, &view->base[item], &view->cum[item]);
	*cells = node_name(report, item);
}

static int open_io_tree(struct report *report)
{
	const struct model *model = report->model;
	struct io_tree_view *view = report_room(report, 1, struct io_tree_view);
	uint32_t *nodes = report_room(report, model->node_count, uint32_t);
	size_t led = 0;

	if (!view || !nodes || io_use_of_nodes(model, &view->base, &view->cum) != 0)
		return -1;
	report->data = view;
	for (size_t i = 0; i < model->node_count; i++)
		if (view->cum[model->node[i]].part[IO_PART_ALL].ops > 0)
			nodes[led++] = model->node[i];
	if (report_list(report, nodes, led) != 0)
		return -1;
	view->link = links_make(model, report->rank, led);
	return view->link ? 0 : -1;
}

/* The threads' trees, in the order of their roots. */
static void rows(struct report *report, struct sink *sink)
{
	struct io_tree_view *view = report->data;
	const struct model *model = report->model;
	struct cell cells[COLUMN_MAX], sums[COLUMN_MAX];
	size_t given = 0;

	sums_begin(report, sums);
	for (size_t i = 0; i < report->count; i++) {
		uint32_t root = report->rank[i].item;
		struct walk walk = walk_from(model, view->link, root);
		bool more = model->profile->node[root].id == 0;

		for (; more && sink->out->failed == 0; more = walk_next(&walk), given++) {
			fill(report, walk.at, cells);
			if (given < report->shown)
				sink_row(sink, cells, walk.level);
			else
				sums_add(report, sums, cells);
		}
	}
	if (given > report->shown)
		sink_extra(sink, "omitted", "more", given - report->shown, sums);
}

const struct view view_io_tree = {
	.name = "io-tree",
	.meaning = "I/O by call path; one tree a thread",
	.sort = "cum.all.ns",
	.io = true,
	.columns = columns,
	.open = open_io_tree,
	.fill = fill,
	.rows = rows,
};
