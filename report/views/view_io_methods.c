/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/* view_io_methods: the I/O of each method: its own, and with that of what it called. */
#include "report/views/view.h"

struct io_methods_view {
	struct io_use *base, *cum; /* by method id */
};

static void columns(struct report *report)
{
	method_columns(report);
	io_all_columns(report);
	io_cpu_columns(report, true);
	io_rate_columns(report);
	sheet_add_name(&report->sheet, "Method");
}

static void fill(struct report *report, uint32_t item, struct cell *cells)
{
	const struct io_methods_view *view = report->data;
	const struct method_label *method = &report->model->method[item];

	cells = method_cells(cells, method);
	cells = io_all_cells(cells, &view->base[item], &view->cum[item]);
	cells = io_cpu_cell(report, cells, &view->base[item].part[IO_PART_ALL]);
	cells = io_cpu_cell(report, cells, &view->cum[item].part[IO_PART_ALL]);
	cells = io_rate_cells(report, cells, &view->cum[item].part[IO_PART_ALL]);
	*cells = cell_label(method->display);
}

static int open_io_methods(struct report *report)
{
	const struct profile *profile = report->model->profile;
	struct io_methods_view *view = report_room(report, 1, struct io_methods_view);
	uint32_t *items = report_room(report, profile->method_count, uint32_t);
	struct io_use *base, *cum, all = {0};
	size_t count = 0;

	if (io_use_of_nodes(report->model, &base, &cum) != 0)
		return -1;
	report->data = view;
	view->base = report_room(report, profile->method_count, struct io_use);
	view->cum = report_room(report, profile->method_count, struct io_use);
	if (report->model->store->failed)
		return -1;
	/* cum is that of the outermost of a recursion: inner ones are in it. */
	for (size_t i = 0; i < profile->node_count; i++) {
		const struct profile_node *node = &profile->node[i];

		if (node->id == 0)
			io_use_join(&all, &cum[i]);
		if (node->id == 0)
			continue;
		io_use_join(&view->base[node->method], &base[i]);
		if (node->recursion == 0)
			io_use_join(&view->cum[node->method], &cum[i]);
	}
	io_all_sums(report, &all);
	for (uint32_t id = 0; id < profile->method_count; id++)
		if (view->cum[id].part[IO_PART_ALL].ops > 0)
			items[count++] = id;
	return report_list_shares(report, items, count);
}

const struct view view_io_methods = {
	.name = "io-methods",
	.may_fold = true,
	.meaning = "I/O by method",
	.by = BY_ALL,
	.sort = "cum.all.ns",
	.io = true,
	.columns = columns,
	.open = open_io_methods,
	.fill = fill,
};
