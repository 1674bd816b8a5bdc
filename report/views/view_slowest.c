/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/*
 * view_slowest: the slowest calls of watched methods, each with its own small tree.
 *
 * A call is a stanza of rows: the call itself, at level 0, and what it called. Text leaves out paths that took
 * less than a hundredth of their call; data has all, unless the user chose a share.
 */
#include <stdlib.h>
#include <string.h>

#include "report/views/view.h"

#define TEXT_MIN 0.01

struct slowest_view {
	uint32_t *call; /* places of those that are shown, the slowest first */
	size_t calls, found;
	double min;
	/* Of the call at work, by node: what it and all below it took; its children, + 1, and the next one. */
	uint64_t *elapsed;
	uint32_t *first, *next;
};

/* What the whole process used during a call, of each chosen metric that it is told of. */
static void process_columns(struct report *report)
{
	const struct model *model = report->model;

	for (unsigned m = 0; m < model->metric_count; m++) {
		const struct profile_metric *metric = model->metric[m];
		bool time = strcmp(metric->unit, "ns") == 0;
		unsigned column;

		if (!tells_process(model, m))
			continue;
		column = sheet_add(&report->sheet, "process", metric->name,
			store_format(model->store, "Process %s", metric->name).text,
			IN_ALL | (time ? COLUMN_TIME : 0));
		if (!time)
			report->sheet.column[column].unit = metric->unit;
	}
}

static void columns(struct report *report)
{
	struct sheet *sheet = &report->sheet;

	sheet_add(sheet, NULL, "call", "Call", IN_DATA | COLUMN_RISING);
	sheet_add(sheet, NULL, "began", "Began", IN_ALL | COLUMN_TIME | COLUMN_RISING);
	sheet_add(sheet, NULL, "thread", "Thread", IN_ALL | COLUMN_LEFT);
	sheet_add(sheet, NULL, "failed", "Failed", IN_ALL | COLUMN_LEFT);
	sheet_add(sheet, NULL, "level", "Level", IN_DATA);
	method_columns(report);
	sheet_add(sheet, NULL, "calls", "Calls", IN_ALL);
	sheet_add(sheet, NULL, "elapsed", "Elapsed", IN_ALL | COLUMN_TIME);
	sheet_add(sheet, NULL, "base", "Self", IN_ALL | COLUMN_TIME);
	sheet_add(sheet, NULL, "cpu", "Cpu", IN_ALL | COLUMN_TIME);
	process_columns(report);
	sheet_add(sheet, NULL, "own", "jprof's own", IN_DATA | COLUMN_TIME);
	sheet_add_name(sheet, "Method");
}

/* ---- which calls ---- */

static const struct profile_slow_call *sorted_calls;

static int slowest_first(const void *left, const void *right)
{
	const struct profile_slow_call *a = &sorted_calls[*(const uint32_t *)left],
				       *b = &sorted_calls[*(const uint32_t *)right];

	if (a->elapsed != b->elapsed)
		return a->elapsed < b->elapsed ? 1 : -1;
	return (a->id > b->id) - (a->id < b->id);
}

static bool is_wanted(const struct model *model, const struct profile_slow_call *call)
{
	if (!model_wants_method(model, call->method))
		return false;
	if (call->thread == 0)
		return model->choice->threads.count == 0;
	return model_wants_thread(model, &model->apart->thread[call->thread - 1]);
}

/* Of each method as many as the recording was to keep: an interval may have more. */
static int open_slowest(struct report *report)
{
	const struct model *model = report->model;
	const struct profile *profile = model->apart;
	uint64_t most = profile_meta_number(profile, "distribution.slowest");
	struct slowest_view *view = report_room(report, 1, struct slowest_view);
	uint32_t *of_method = report_room(report, profile->method_count, uint32_t);
	size_t nodes = 1;

	report->data = view;
	if (!view || !of_method)
		return -1;
	view->call = report_room(report, profile->slow_call_count, uint32_t);
	for (size_t i = 0; view->call && i < profile->slow_call_count; i++) {
		const struct profile_slow_call *call = &profile->slow_call[i];

		if (call->nodes > nodes)
			nodes = call->nodes;
		if (is_wanted(model, call))
			view->call[view->found++] = (uint32_t)i;
	}
	view->elapsed = report_room(report, nodes, uint64_t);
	view->first = report_room(report, nodes, uint32_t);
	view->next = report_room(report, nodes, uint32_t);
	if (model->store->failed)
		return -1;
	sorted_calls = profile->slow_call;
	qsort(view->call, view->found, sizeof(*view->call), slowest_first);
	for (size_t i = 0; i < view->found; i++)
		if (of_method[profile->slow_call[view->call[i]].method]++ < most || most == 0)
			view->call[view->calls++] = view->call[i];
	view->found = view->calls;
	if (report->request->top > 0 && report->request->top < view->calls)
		view->calls = (size_t)report->request->top;
	view->min = report->request->min >= 0         ? report->request->min
		    : report->request->format->shares ? TEXT_MIN
						      : 0;
	return 0;
}

/* ---- a call's tree ---- */

/* Children in the order of what they took. */
static void link_nodes(struct slowest_view *view, const struct profile_slow_call *call)
{
	for (size_t i = 0; i < call->nodes; i++) {
		view->elapsed[i] = call->tree[i].base + call->tree[i].own;
		view->first[i] = view->next[i] = 0;
	}
	for (size_t i = call->nodes; i-- > 1;)
		view->elapsed[call->tree[i].parent] += view->elapsed[i];
	for (size_t i = call->nodes; i-- > 1;) {
		uint32_t *at = &view->first[call->tree[i].parent];

		while (*at && view->elapsed[*at - 1] > view->elapsed[i])
			at = &view->next[*at - 1];
		view->next[i] = *at;
		*at = (uint32_t)i + 1;
	}
}

static void put(struct report *report, struct sink *sink, const struct profile_slow_call *call,
	uint32_t level, uint32_t at)
{
	const struct model *model = report->model;
	const struct slowest_view *view = report->data;
	const struct small_node *node = call->nodes > 0 ? &call->tree[at] : NULL;
	const struct method_label *label =
		&model->method[level == 0 ? call->method : node->method];
	struct cell cells[COLUMN_MAX] = {0}, *cell = cells;
	bool is_call = level == 0;

	*cell++ = cell_number(call->id);
	*cell++ = is_call ? cell_number(call->began) : cell_null();
	*cell++ =
		is_call && call->thread
			? cell_text(model_thread_name(&model->apart->thread[call->thread - 1]))
			: cell_null();
	*cell++ = is_call ? cell_bool(call->failed) : cell_null();
	*cell++ = cell_number(level);
	cell = method_cells(cell, label);
	*cell++ = cell_number(is_call ? 1 : node->calls);
	*cell++ = cell_number(is_call ? call->elapsed : view->elapsed[at]);
	if (is_call)
		*cell++ = call->base != PROFILE_NOT_KNOWN ? cell_number((uint64_t)call->base)
							  : cell_null();
	else
		*cell++ = cell_number(node->base);
	*cell++ = is_call && call->cpu != PROFILE_NOT_KNOWN ? cell_number((uint64_t)call->cpu)
							    : cell_null();
	for (unsigned m = 0; m < model->metric_count; m++)
		if (tells_process(model, m))
			*cell++ = is_call ? cell_number(call->process[model->metric_index[m]])
					  : cell_null();
	*cell++ = cell_number(is_call ? call->own : node->own);
	*cell = cell_label(label->display);
	sink_row(sink, cells, level);
}

/* What is left of a part of a call, in one row. */
static void put_rest(struct report *report, struct sink *sink,
	const struct profile_slow_call *call, uint32_t level, uint64_t elapsed,
	const char *name)
{
	struct cell cells[COLUMN_MAX] = {0};
	const struct sheet *sheet = &report->sheet;

	cells[0] = cell_number(call->id);
	cells[4] = cell_number(level);
	for (unsigned i = 0; i < sheet->column_count; i++)
		if (sheet->column[i].key && strcmp(sheet->column[i].key, "elapsed") == 0)
			cells[i] = cell_number(elapsed);
	cells[6] = cell_text(name);
	cells[sheet->column_count - 1] = cell_text(name);
	sink_row(sink, cells, level);
}

/* What is in the nodes below, depth first, without recursion: a tree may be as deep as it has nodes. */
static void put_tree(
	struct report *report, struct sink *sink, const struct profile_slow_call *call)
{
	struct slowest_view *view = report->data;
	uint64_t least = (uint64_t)(view->min * (double)call->elapsed);
	uint64_t depth = report->request->depth;
	uint32_t level = 1, at = view->first[0];
	size_t cut = 0;
	uint64_t rest = 0;

	while (at) {
		uint32_t node = at - 1;
		bool shown = view->elapsed[node] >= least && (depth == 0 || level <= depth);

		if (shown) {
			put(report, sink, call, level, node);
		} else {
			cut++;
			rest += view->elapsed[node];
		}
		if (shown && view->first[node]) {
			at = view->first[node];
			level++;
			continue;
		}
		at = view->next[node];
		while (!at && node != 0) {
			node = call->tree[node].parent;
			level--;
			at = node != 0 ? view->next[node] : 0;
		}
	}
	if (cut > 0)
		put_rest(report, sink, call, 1, rest,
			store_format(report->model->store, "(smaller paths: %zu)", cut).text);
	if (call->elapsed > view->elapsed[0])
		put_rest(report, sink, call, 1, call->elapsed - view->elapsed[0],
			"(paths not kept apart)");
}

static void rows(struct report *report, struct sink *sink)
{
	struct slowest_view *view = report->data;
	const struct profile *profile = report->model->apart;

	for (size_t i = 0; i < view->calls && sink->out->failed == 0; i++) {
		const struct profile_slow_call *call = &profile->slow_call[view->call[i]];

		link_nodes(view, call);
		put(report, sink, call, 0, 0);
		if (call->nodes > 0)
			put_tree(report, sink, call);
	}
	if (profile->interval.by_slices)
		sink_note(sink, "slowest",
			"those that ended then among the slowest between the snapshots around",
			"");
	else if (view->calls == 0)
		sink_note(sink, "slowest",
			"no call of a method that is watched was kept; "
			"distribution=com.acme.Servlet.service and slowest=10, options of a "
			"recording, have them kept",
			"");
	else
		sink_note(sink, "times",
			"as measured, with what jprof's probes take; calls that were counted, "
			"not timed, are part of their callers",
			"");
}

const struct view view_slowest = {
	.name = "slowest",
	.meaning = "the slowest calls of the methods of the option distribution, each with its "
		   "own small tree",
	.by = BY_THREAD | BY_METHOD,
	.levels = true,
	.columns = columns,
	.open = open_slowest,
	.rows = rows,
};
