/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/* view_io_methods: the I/O of each method: its own, and with that of what it called. */
#include <stdlib.h>

#include "cli/report/io_use.h"

struct io_methods_view {
	struct io_use *base, *cum; /* by method id */
	struct rank *rank;
	size_t count;
};

static void columns(struct report *report)
{
	struct sheet *sheet = &report->sheet;

	sheet_add(sheet, NULL, "class", "Class", IN_DATA, PLACE_FIRST);
	sheet_add(sheet, NULL, "method", "Method", IN_DATA, PLACE_FIRST);
	sheet_add(sheet, NULL, "signature", "Signature", IN_DATA, PLACE_FIRST);
	io_use_columns(report);
	sheet_add(sheet, NULL, "name", "Method", IN_TEXT | COLUMN_NAME | COLUMN_LEFT,
		PLACE_LAST);
}

static void fill(struct report *report, uint32_t item, struct cell *cells)
{
	const struct io_methods_view *view = report->data;
	const struct method_label *method = &report->method[item];

	*cells++ = cell_label(method->class_name);
	*cells++ = cell_label(method->name);
	*cells++ = cell_label(method->signature);
	cells = io_use_all_cells(cells, &view->base[item], &view->cum[item]);
	*cells = cell_label(method->display);
}

/* cum is that of the outermost of a recursion: inner ones are in it. */
static void sum_up(struct io_methods_view *view, const struct profile *profile,
	const struct io_use *base, const struct io_use *cum)
{
	for (size_t i = 0; i < profile->node_count; i++) {
		const struct profile_node *node = &profile->node[i];

		if (node->index == 0)
			continue;
		io_use_join(&view->base[node->method], &base[i]);
		if (node->recursion == 0)
			io_use_join(&view->cum[node->method], &cum[i]);
	}
}

static int open_io_methods(struct report *report, struct error *error)
{
	const struct profile *profile = report->profile;
	struct io_methods_view *view = calloc(1, sizeof(*view));
	uint32_t *items = calloc(profile->method_count + 1, sizeof(*items));
	struct io_use *base, *cum;
	int failed = io_use_of_nodes(report, &base, &cum);

	report->data = view;
	if (view != NULL) {
		view->base = calloc(profile->method_count + 1, sizeof(*view->base));
		view->cum = calloc(profile->method_count + 1, sizeof(*view->cum));
	}
	if (failed == 0 && items != NULL && view != NULL && view->base != NULL &&
		view->cum != NULL) {
		sum_up(view, profile, base, cum);
		for (uint32_t id = 0; id < profile->method_count; id++)
			if (view->cum[id].part[IO_PART_ALL].ops > 0)
				items[view->count++] = id;
		view->rank = report_rank(report, items, view->count, fill);
	}
	free(items);
	free(base);
	free(cum);
	return view != NULL && view->rank != NULL ? 0 : report_no_memory(error);
}

static int rows_io_methods(struct report *report, struct sink *sink, struct error *error)
{
	struct io_methods_view *view = report->data;

	(void)error;
	report_rows(report, sink, view->rank, view->count, fill);
	return 0;
}

static void close_io_methods(struct report *report)
{
	struct io_methods_view *view = report->data;

	if (view == NULL)
		return;
	free(view->base);
	free(view->cum);
	free(view->rank);
	free(view);
}

const struct view view_io_methods = {
	.name = "io-methods",
	.meaning = "I/O by method",
	.sort = "cum.all.ns",
	.io = true,
	.columns = columns,
	.open = open_io_methods,
	.rows = rows_io_methods,
	.close = close_io_methods,
};
