/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/* view_io_tree: the call paths that did I/O, or led to it, depth first. */
#include <stdlib.h>

#include "cli/report/io_use.h"
#include "cli/report/links.h"

struct io_tree_view {
	struct io_use *base, *cum; /* by node */
	struct rank *rank;
	size_t count;
	struct links links;
	size_t thread; /* of the node filled last */
};

static void columns(struct report *report)
{
	struct sheet *sheet = &report->sheet;

	sheet_add(sheet, NULL, "id", "Id", IN_DATA | COLUMN_RISING, PLACE_FIRST);
	sheet_add(sheet, NULL, "parent", "Parent", IN_DATA | COLUMN_RISING, PLACE_FIRST);
	sheet_add(sheet, NULL, "thread", "Thread", IN_DATA, PLACE_FIRST);
	sheet_add(sheet, NULL, "class", "Class", IN_DATA, PLACE_FIRST);
	sheet_add(sheet, NULL, "method", "Method", IN_DATA, PLACE_FIRST);
	sheet_add(sheet, NULL, "signature", "Signature", IN_DATA, PLACE_FIRST);
	io_use_columns(report);
	sheet_add(sheet, NULL, "name", "Name", IN_TEXT | COLUMN_NAME | COLUMN_LEFT,
		PLACE_LAST);
}

static void fill(struct report *report, uint32_t item, struct cell *cells)
{
	struct io_tree_view *view = report->data;
	const struct profile_node *node = &report->profile->node[item];
	const struct method_label *method = &report->method[node->method];
	bool is_root = node->index == 0;

	view->thread = report_thread_of(report->profile, item, view->thread);
	*cells++ = cell_number(item);
	*cells++ = is_root ? (struct cell){0}
			   : cell_number(report->profile->thread_first[view->thread] +
					 node->parent);
	*cells++ = cell_label(report->thread[view->thread]);
	*cells++ = cell_label(method->class_name);
	*cells++ = cell_label(method->name);
	*cells++ = cell_label(method->signature);
	cells = io_use_all_cells(cells, &view->base[item], &view->cum[item]);
	*cells = cell_label(is_root ? report->thread[view->thread] : method->display);
}

static int open_io_tree(struct report *report, struct error *error)
{
	struct io_tree_view *view = calloc(1, sizeof(*view));
	uint32_t *nodes;
	size_t count = 0;

	report->data = view;
	if (view == NULL || io_use_of_nodes(report, &view->base, &view->cum) != 0)
		return report_no_memory(error);
	nodes = report_nodes(report, &count);
	if (nodes == NULL)
		return report_no_memory(error);
	for (size_t i = 0; i < count; i++)
		if (view->cum[nodes[i]].part[IO_PART_ALL].ops > 0)
			nodes[view->count++] = nodes[i];
	view->rank = report_rank(report, nodes, view->count, fill);
	free(nodes);
	if (view->rank == NULL ||
		links_init(&view->links, report, view->rank, view->count) != 0)
		return report_no_memory(error);
	return 0;
}

/* What is printed, and what is left out. */
struct printing {
	struct sink *sink;
	uint64_t left, omitted;
	struct cell sums[COLUMN_MAX];
};

static void print_thread(struct report *report, struct printing *printing, size_t thread)
{
	struct io_tree_view *view = report->data;
	struct sink *sink = printing->sink;
	struct cell cells[COLUMN_MAX];
	struct walk walk;
	bool more = walk_start(&walk, report->profile, &view->links, thread);

	for (; more && sink->out->failed == 0; more = walk_next(&walk)) {
		fill(report, walk.at, cells);
		if (printing->left > 0) {
			sink_row(sink, cells, walk.level);
			printing->left--;
		} else {
			report_add(report, printing->sums, cells);
			printing->omitted++;
		}
	}
}

static int rows_io_tree(struct report *report, struct sink *sink, struct error *error)
{
	struct io_tree_view *view = report->data;
	struct printing printing = {.sink = sink, .left = report_top(report, view->count)};
	size_t thread = 0;

	(void)error;
	report_no_sums(report, printing.sums);
	for (size_t i = 0; i < view->count; i++) {
		uint32_t at = view->rank[i].item;

		if (report->profile->node[at].index != 0)
			continue;
		thread = report_thread_of(report->profile, at, thread);
		print_thread(report, &printing, thread);
	}
	if (printing.omitted > 0)
		sink_extra(sink, "omitted", "more", printing.omitted, printing.sums);
	return 0;
}

static void close_io_tree(struct report *report)
{
	struct io_tree_view *view = report->data;

	if (view == NULL)
		return;
	links_fini(&view->links);
	free(view->base);
	free(view->cum);
	free(view->rank);
	free(view);
}

const struct view view_io_tree = {
	.name = "io-tree",
	.meaning = "I/O by call path; one tree a thread",
	.sort = "cum.all.ns",
	.io = true,
	.columns = columns,
	.open = open_io_tree,
	.rows = rows_io_tree,
	.close = close_io_tree,
};
