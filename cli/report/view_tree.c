/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/*
 * view_tree: every call path, depth first, the heaviest child first.
 *
 * With a limit, the rows that come first by the sort column are printed, and what leads to
 * them; all others are one line of sums, so that the printed bases still add up.
 */
#include <stdlib.h>

#include "cli/report/links.h"
#include "cli/report/report.h"

struct tree_view {
	union report_value *cum;
	uint32_t *level;
	struct rank *rank;
	size_t count;
	struct links links;
	bool *shown;   /* by node; NULL: all */
	size_t thread; /* of the node filled last */
};

static void columns(struct report *report)
{
	struct sheet *sheet = &report->sheet;

	sheet_add(sheet, NULL, "id", "Id", IN_DATA | COLUMN_RISING, PLACE_FIRST);
	sheet_add(sheet, NULL, "parent", "Parent", IN_DATA | COLUMN_RISING, PLACE_FIRST);
	sheet_add(sheet, NULL, "thread", "Thread", IN_DATA, PLACE_FIRST);
	sheet_add(sheet, NULL, "thread_index", "Thread", IN_DATA | COLUMN_RISING,
		PLACE_FIRST);
	sheet_add(sheet, NULL, "level", "Level", IN_ALL | COLUMN_RISING, PLACE_FIRST);
	sheet_add(sheet, NULL, "recursion", "RL", IN_ALL, PLACE_FIRST);
	sheet_add(sheet, NULL, "class", "Class", IN_DATA, PLACE_FIRST);
	sheet_add(sheet, NULL, "method", "Method", IN_DATA, PLACE_FIRST);
	sheet_add(sheet, NULL, "signature", "Signature", IN_DATA, PLACE_FIRST);
	sheet_add(sheet, NULL, "calls", "Calls", IN_ALL | COLUMN_SUM, PLACE_FIRST);
	sheet_add(sheet, "entered", "interpreted", "", IN_DATA | COLUMN_SUM, PLACE_FIRST);
	sheet_add(sheet, "entered", "jitted", "", IN_DATA | COLUMN_SUM, PLACE_FIRST);
	sheet_add(sheet, "entered", "native", "", IN_DATA | COLUMN_SUM, PLACE_FIRST);
	report_at_least_column(report);
	report_value_columns(report);
	sheet_add(sheet, NULL, "name", "Name", IN_TEXT | COLUMN_NAME | COLUMN_LEFT,
		PLACE_LAST);
}

static void fill(struct report *report, uint32_t item, struct cell *cells)
{
	struct tree_view *view = report->data;
	const struct profile_node *node = &report->profile->node[item];
	const struct method_label *method = &report->method[node->method];
	union report_value base[REPORT_VALUES_MAX];
	bool is_root = node->index == 0;
	size_t first;

	view->thread = report_thread_of(report->profile, item, view->thread);
	first = report->profile->thread_first[view->thread];
	*cells++ = cell_number(item);
	*cells++ = is_root ? (struct cell){0} : cell_number(first + node->parent);
	*cells++ = cell_label(report->thread[view->thread]);
	*cells++ = cell_number(report->profile->thread[view->thread].id);
	*cells++ = cell_number(view->level[item]);
	*cells++ = cell_number(node->recursion);
	*cells++ = cell_label(method->class_name);
	*cells++ = cell_label(method->name);
	*cells++ = cell_label(method->signature);
	*cells++ = cell_number(node->calls);
	*cells++ = cell_number(node->interpreted);
	*cells++ = cell_number(node->jitted);
	*cells++ = cell_number(node->native);
	cells = report_at_least_cell(report, cells, report_at_least(report, item));
	report_base(report, item, base);
	cells = report_value_cells(report, cells, base, report_values(report, view->cum, item));
	*cells = cell_label(is_root ? report->thread[view->thread] : method->display);
}

static uint32_t *find_levels(const struct profile *profile)
{
	uint32_t *level = calloc(profile->node_count + 1, sizeof(*level));

	for (size_t t = 0; level != NULL && t < profile->thread_count; t++) {
		size_t first = profile->thread_first[t];

		for (size_t i = first + 1; i < profile->thread_first[t + 1]; i++)
			level[i] = level[first + profile->node[i].parent] + 1;
	}
	return level;
}

static int rank_nodes(struct report *report, struct tree_view *view)
{
	uint32_t *nodes = report_nodes(report, &view->count);

	if (nodes == NULL)
		return -1;
	view->rank = report_rank(report, nodes, view->count, fill);
	free(nodes);
	return view->rank != NULL ? 0 : -1;
}

/* By node: in a wanted method, or below one. NULL if all are, or without memory. */
static bool *find_wanted(struct report *report, bool *failed)
{
	const struct profile *profile = report->profile;
	bool *wanted;

	*failed = false;
	if (report->request->methods.count == 0)
		return NULL;
	wanted = calloc(profile->node_count + 1, sizeof(*wanted));
	*failed = wanted == NULL;
	for (size_t t = 0; wanted != NULL && t < profile->thread_count; t++) {
		size_t first = profile->thread_first[t];

		for (size_t i = first + 1; i < profile->thread_first[t + 1]; i++)
			wanted[i] = wanted[first + profile->node[i].parent] ||
				    report_wants_method(report, profile->node[i].method);
	}
	return wanted;
}

static bool has_limit(const struct report *report, const struct tree_view *view)
{
	const struct report_request *request = report->request;

	return report_top(report, view->count) < view->count ||
	       report_least(report) > 0 || request->depth > 0 ||
	       request->methods.count > 0 || request->format->shares;
}

/* The first rows by rank that the user wants, and all their ancestors. */
static int choose_shown(struct report *report, struct tree_view *view)
{
	const struct profile *profile = report->profile;
	size_t top = report_top(report, view->count), thread = 0, chosen = 0;
	uint64_t least = report_least(report), depth = report->request->depth;
	bool *wanted, failed;

	if (!has_limit(report, view))
		return 0;
	wanted = find_wanted(report, &failed);
	view->shown = calloc(profile->node_count + 1, sizeof(*view->shown));
	if (view->shown == NULL || failed) {
		free(wanted);
		return -1;
	}
	for (size_t i = 0; i < view->count && chosen < top; i++) {
		size_t at = view->rank[i].item, first;

		if (view->rank[i].number < least ||
			(depth > 0 && view->level[at] > depth) ||
			(wanted != NULL && !wanted[at]))
			continue;
		chosen++;
		thread = report_thread_of(profile, at, thread);
		first = profile->thread_first[thread];
		if (at == first && report_is_idle(report, thread))
			continue;
		for (; !view->shown[at]; at = first + profile->node[at].parent)
			view->shown[at] = true;
	}
	free(wanted);
	return 0;
}

static int open_tree(struct report *report, struct error *error)
{
	struct tree_view *view = calloc(1, sizeof(*view));

	report->data = view;
	if (view == NULL)
		return report_no_memory(error);
	view->cum = report_cum(report);
	view->level = find_levels(report->profile);
	if (view->cum == NULL || view->level == NULL || rank_nodes(report, view) != 0 ||
		links_init(&view->links, report, view->rank, view->count) != 0 ||
		choose_shown(report, view) != 0)
		return report_no_memory(error);
	return 0;
}

/* On to the next node that is shown. What its row will need is fetched from memory while
 * the one before it is printed: a walk meets nodes in no order a processor could guess. */
static bool next_shown(
	const struct report *report, const struct tree_view *view, struct walk *walk)
{
	bool more = walk_next(walk);

	while (more && view->shown != NULL && !view->shown[walk->at])
		more = walk_past(walk);
	__builtin_prefetch(&report->profile->node[walk->at]);
	__builtin_prefetch(&report->profile->node[walk->at].transition);
	__builtin_prefetch(report_values(report, view->cum, walk->at));
	return more;
}

static void print_thread(struct report *report, struct sink *sink, size_t thread)
{
	struct tree_view *view = report->data;
	struct cell cells[COLUMN_MAX];
	struct walk walk;
	bool more = walk_start(&walk, report->profile, &view->links, thread);

	if (more && view->shown != NULL && !view->shown[walk.at])
		return;
	while (more && sink->out->failed == 0) {
		uint32_t at = walk.at, level = walk.level;

		more = next_shown(report, view, &walk);
		fill(report, at, cells);
		sink_row(sink, cells, level);
	}
}

/* The rows that are not shown, in a line: those of threads that did nothing, or all
 * others. */
static void print_omitted(struct report *report, struct sink *sink, bool idle)
{
	struct tree_view *view = report->data;
	struct cell cells[COLUMN_MAX], sums[COLUMN_MAX];
	uint64_t rows = 0;
	size_t thread = 0;

	report_no_sums(report, sums);
	for (size_t i = 0; i < view->count; i++) {
		if (view->shown[view->rank[i].item])
			continue;
		if (report->request->format->shares) {
			thread = report_thread_of(report->profile, view->rank[i].item, thread);
			if (report_is_idle(report, thread) != idle)
				continue;
		}
		fill(report, view->rank[i].item, cells);
		report_add(report, sums, cells);
		rows++;
	}
	report_sum_errors(report, sums);
	if (rows > 0)
		sink_extra(sink, "omitted", idle ? "threads without calls" : "more", rows,
			sums);
}

/* The threads' trees, in the order of their roots. */
static void print_threads(struct report *report, struct sink *sink)
{
	struct tree_view *view = report->data;
	size_t thread = 0;

	for (size_t i = 0; i < view->count; i++) {
		uint32_t at = view->rank[i].item;

		if (report->profile->node[at].index != 0)
			continue;
		thread = report_thread_of(report->profile, at, thread);
		print_thread(report, sink, thread);
	}
}

/* Widths do not depend on the order of rows: the one in memory is the fastest, by far in a
 * tree that is larger than the processor's caches. */
static void measure_thread(struct report *report, struct sink *sink, size_t thread)
{
	struct tree_view *view = report->data;
	size_t end = report->profile->thread_first[thread + 1];
	struct cell cells[COLUMN_MAX];

	for (size_t i = report->profile->thread_first[thread]; i < end; i++) {
		if (report->hidden[i] || (view->shown != NULL && !view->shown[i]))
			continue;
		fill(report, (uint32_t)i, cells);
		sink_row(sink, cells, view->level[i]);
	}
}

static int rows_tree(struct report *report, struct sink *sink, struct error *error)
{
	struct tree_view *view = report->data;

	(void)error;
	for (size_t t = 0; sink->measuring && t < report->profile->thread_count; t++) {
		if (report->selected[t])
			measure_thread(report, sink, t);
	}
	if (!sink->measuring)
		print_threads(report, sink);
	if (view->shown != NULL) {
		print_omitted(report, sink, false);
		if (report->request->format->shares)
			print_omitted(report, sink, true);
	}
	return 0;
}

static void close_tree(struct report *report)
{
	struct tree_view *view = report->data;

	if (view == NULL)
		return;
	links_fini(&view->links);
	free(view->cum);
	free(view->level);
	free(view->rank);
	free(view->shown);
	free(view);
}

const struct view view_tree = {
	.name = "tree",
	.meaning = "every call path; one tree a thread",
	.sort = "cum",
	.calls = true,
	.levels = true,
	.adjusts = true,
	.columns = columns,
	.open = open_tree,
	.rows = rows_tree,
	.close = close_tree,
};
