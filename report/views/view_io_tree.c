/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/* view_io_tree: the call paths that did I/O, or led to it, depth first. */
#include "report/views/view.h"

struct io_tree_view {
	struct io_use *base, *cum; /* by node */
	struct link *link;
	size_t thread; /* of the node filled last */
};

static void columns(struct report *report)
{
	struct sheet *sheet = &report->sheet;

	sheet_add(sheet, NULL, "id", "Id", IN_DATA | COLUMN_RISING);
	sheet_add(sheet, NULL, "parent", "Parent", IN_DATA | COLUMN_RISING);
	sheet_add(sheet, NULL, "thread", "Thread", IN_DATA);
	method_columns(report);
	io_all_columns(report);
	sheet_add_name(sheet, "Name");
}

static void fill(struct report *report, uint32_t item, struct cell *cells)
{
	struct io_tree_view *view = report->data;
	const struct model *model = report->model;
	const struct profile_node *node = &model->profile->node[item];
	const struct method_label *method = &model->method[node->method];
	bool is_root = node->id == 0;

	view->thread = model_thread_of(model, item, view->thread);
	*cells++ = cell_number(item);
	*cells++ = is_root ? cell_null()
			   : cell_number(
				     model->profile->thread_first[view->thread] + node->parent);
	*cells++ = cell_label(model->thread[view->thread]);
	cells = method_cells(cells, method);
	cells = io_all_cells(cells, &view->base[item], &view->cum[item]);
	*cells = cell_label(is_root ? model->thread[view->thread] : method->display);
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
	size_t thread = 0, given = 0;

	sums_begin(report, sums);
	for (size_t i = 0; i < report->count; i++) {
		uint32_t root = report->rank[i].item;
		struct walk walk;
		bool more;

		if (model->profile->node[root].id != 0)
			continue;
		thread = model_thread_of(model, root, thread);
		more = walk_start(&walk, model, view->link, thread);
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
