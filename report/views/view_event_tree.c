/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/*
 * view_event_tree: the call tree that a trace of events comes to, of any time: calls, and their wall-clock time.
 */
#include <stdlib.h>
#include <string.h>

#include "report/model/event_tree.h"
#include "report/views/event_choice.h"
#include "report/views/view.h"

struct event_tree_view {
	struct event_tree tree;
	uint32_t *order; /* nodes, depth first, the longest first */
	uint32_t count;
	bool *shown; /* by node; NULL: all */
};

static void columns(struct report *report)
{
	struct sheet *sheet = &report->sheet;

	sheet_add(sheet, NULL, "thread", "Thread", IN_DATA);
	sheet_add(sheet, NULL, "level", "Level", IN_ALL | COLUMN_RISING);
	method_columns(report);
	sheet_add(sheet, NULL, "calls", "Calls", IN_ALL | COLUMN_SUM);
	sheet_add(sheet, NULL, "self", "Self", IN_ALL | COLUMN_SUM | COLUMN_TIME);
	sheet_add(sheet, NULL, "total", "Total", IN_ALL | COLUMN_TIME);
	sheet_add_name(sheet, "Name");
}

static void fill(struct report *report, uint32_t item, struct cell *cells)
{
	struct event_tree_view *view = report->data;
	const struct model *model = report->model;
	const struct event_node *node = &view->tree.node[item];
	const struct method_label *method = &model->method[node->method];
	const char *thread = event_thread_name(report, node->thread);

	*cells++ = cell_text(thread);
	*cells++ = cell_number(node->level);
	cells = method_cells(cells, method);
	*cells++ = cell_number(node->calls);
	*cells++ = cell_number(node->self);
	*cells++ = cell_number(node->total);
	*cells = node->parent ? cell_label(event_method_name(report, node->method))
			      : cell_text(thread);
}

static bool wants_thread(void *user, uint32_t thread)
{
	return event_wants_thread(user, thread);
}

/* ---- the order ---- */

static int by_total(const void *left, const void *right, void *nodes)
{
	const struct event_node *sorting = nodes;
	uint32_t a = *(const uint32_t *)left, b = *(const uint32_t *)right;

	if (sorting[a].total != sorting[b].total)
		return sorting[a].total < sorting[b].total ? 1 : -1;
	return (a > b) - (a < b);
}

/* Depth first: children of each in a list, sorted once. */
static int put_in_order(struct report *report, struct event_tree_view *view)
{
	const struct event_tree *tree = &view->tree;
	uint32_t *sorted = report_room(report, tree->count, uint32_t);
	uint32_t *first = report_room(report, tree->count, uint32_t);
	uint32_t *next = report_room(report, tree->count, uint32_t);
	uint32_t at;

	view->order = report_room(report, tree->count, uint32_t);
	if (report->model->store->failed)
		return -1;
	for (uint32_t i = 1; i < tree->count; i++)
		sorted[i - 1] = i;
	if (tree->count > 1)
		qsort_r(sorted, tree->count - 1, sizeof(*sorted), by_total, tree->node);
	/* From the shortest on, each in front of its siblings. */
	for (uint32_t i = tree->count; i-- > 1;) {
		uint32_t node = sorted[i - 1], parent = tree->node[node].parent;

		next[node] = first[parent];
		first[parent] = node;
	}
	for (at = first[0]; at != 0;) {
		view->order[view->count++] = at;
		if (first[at]) {
			at = first[at];
			continue;
		}
		while (at != 0 && next[at] == 0)
			at = tree->node[at].parent;
		at = at ? next[at] : 0;
	}
	return 0;
}

/* What 100 % is: the time of all threads. */
static void set_whole(struct report *report, const struct event_tree *tree)
{
	struct column *column = &report->sheet.column[sheet_find(&report->sheet, "total")];

	for (uint32_t i = 1; i < tree->count; i++)
		if (tree->node[i].parent == 0)
			column->whole += tree->node[i].total;
	column->has_whole = true;
}

/* With a limit: the longest rows, and what leads to them. A screen has small ones in one line, unless rows were chosen. */
static int choose(struct report *report, struct event_tree_view *view)
{
	const struct report_request *request = report->request;
	const struct event_tree *tree = &view->tree;
	const struct model_choice *choice = report->model->choice;
	bool chosen = request->top > 0 || request->depth > 0 || choice->methods.count > 0;
	uint32_t *sorted;
	bool *below;
	uint64_t left = request->top > 0 ? request->top : UINT64_MAX, least = 0;

	set_whole(report, tree);
	if (!chosen && !request->format->shares)
		return 0;
	if (!chosen)
		least = (uint64_t)(SCREEN_MIN *
				   (double)report->sheet
					   .column[sheet_find(&report->sheet, "total")]
					   .whole);
	sorted = report_room(report, tree->count, uint32_t);
	below = report_room(report, tree->count, bool);
	view->shown = report_room(report, tree->count, bool);
	if (report->model->store->failed)
		return -1;
	for (uint32_t i = 1; i < tree->count; i++) {
		const struct event_node *node = &tree->node[i];

		sorted[i - 1] = i;
		below[i] = below[node->parent] ||
			   (node->parent && model_wants_method(report->model, node->method));
	}
	if (tree->count > 1)
		qsort_r(sorted, tree->count - 1, sizeof(*sorted), by_total, tree->node);
	for (uint32_t i = 0; i + 1 < tree->count && left > 0; i++) {
		uint32_t at = sorted[i];

		if (tree->node[at].total < least ||
			(request->depth > 0 && tree->node[at].level > request->depth) ||
			(choice->methods.count > 0 && !below[at]))
			continue;
		left--;
		for (; at != 0 && !view->shown[at]; at = tree->node[at].parent)
			view->shown[at] = true;
	}
	return 0;
}

static int open_tree(struct report *report)
{
	struct event_tree_view *view = report_room(report, 1, struct event_tree_view);
	struct error error = {0};
	struct event_tree *tree;
	struct event_node *nodes;
	int status;

	if (!view)
		return -1;
	report->data = view;
	tree = &view->tree;
	status = event_tree_make(&view->tree, report->model->profile, event_from(report),
		event_to(report), wants_thread, report, &error);
	nodes = report_room(report, tree->count, struct event_node);
	if (nodes && tree->count > 0)
		memcpy(nodes, tree->node, tree->count * sizeof(*nodes));
	event_tree_give(tree, nodes);
	if (status == -ERROR_MEMORY || !nodes)
		return -1;
	if (status < 0)
		report_violation(report, "%s", error.text);
	event_say(report, view->tree.lost, view->tree.damaged, view->tree.odd);
	if (put_in_order(report, view) != 0 || choose(report, view) != 0)
		return -1;
	return 0;
}

static void rows(struct report *report, struct sink *sink)
{
	struct event_tree_view *view = report->data;
	struct cell cells[COLUMN_MAX], sums[COLUMN_MAX], one[COLUMN_MAX];
	uint64_t hidden = 0;

	sums_begin(report, sums);
	event_note(report, sink);
	for (uint32_t i = 0; i < view->count; i++) {
		uint32_t node = view->order[i];

		if (view->shown && !view->shown[node]) {
			fill(report, node, one);
			sums_add(report, sums, one);
			hidden++;
			continue;
		}
		fill(report, node, cells);
		sink_row(sink, cells, view->tree.node[node].level);
	}
	if (hidden > 0) {
		sums_end(report, sums);
		sink_extra(sink, "other_rows", "other rows", hidden, sums);
	}
}

const struct view view_event_tree = {
	.name = "event-tree",
	.meaning = "the call tree of a trace of events, of any time (--from, --to)",
	.by = BY_THREAD | BY_METHOD,
	.levels = true,
	.events = true,
	.columns = columns,
	.open = open_tree,
	.rows = rows,
};
