/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/*
 * view_deoptimizations: compiled code that threads left (traps) or that was given up, by method, bytecode and reason: how often.
 */
#include <stdlib.h>
#include <string.h>

#include "report/text/figure.h"
#include "report/views/trace_head.h"
#include "report/views/view.h"

/* Events that are alike: those from `first` on in the order of the view. */
struct alike {
	uint32_t first, count;
	uint64_t begin, end; /* of the first and the last */
};

struct deoptimizations_view {
	const struct profile_deoptimization **event; /* those that are alike side by side */
	struct alike *alike;
	uint64_t traps;
};

static void columns(struct report *report)
{
	struct sheet *sheet = &report->sheet;

	sheet_add(sheet, NULL, "count", "Count", IN_ALL | COLUMN_SUM | COLUMN_SHARE);
	sheet_add(sheet, NULL, "kind", "Kind", IN_ALL | COLUMN_LEFT);
	sheet_add(sheet, NULL, "reason", "Reason", IN_ALL | COLUMN_LEFT);
	sheet_add(sheet, NULL, "action", "Action", IN_ALL | COLUMN_LEFT);
	sheet_add(sheet, NULL, "first", "First", IN_ALL | COLUMN_TIME | COLUMN_RISING);
	sheet_add(sheet, NULL, "last", "Last", IN_ALL | COLUMN_TIME);
	sheet_add(sheet, NULL, "level", "Level", IN_ALL | COLUMN_RISING);
	sheet_add(sheet, NULL, "bytecode", "At", IN_ALL | COLUMN_RISING);
	method_columns(report);
	sheet_add_name(sheet, "Method");
}

static void fill(struct report *report, uint32_t item, struct cell *cells)
{
	const struct deoptimizations_view *view = report->data;
	const struct alike *alike = &view->alike[item];
	const struct profile_deoptimization *event = view->event[alike->first];

	*cells++ = cell_number(alike->count);
	*cells++ = cell_text(deoptimization_kind_names[event->kind]);
	*cells++ = cell_text(event->reason);
	*cells++ = cell_text(event->action);
	*cells++ = cell_number(alike->begin);
	*cells++ = cell_number(alike->end);
	*cells++ = cell_number(event->level);
	*cells++ = event->bytecode < 0 ? cell_null() : cell_number((uint64_t)event->bytecode);
	*cells++ = cell_text(event->class_name);
	*cells++ = cell_text(event->name);
	*cells++ = cell_text(event->signature);
	*cells = cell_label(
		store_format(report->model->store, "%s.%s", event->class_name, event->name));
}

static int compare_texts(const char *a, const char *b)
{
	return !a || !b ? (a != NULL) - (b != NULL) : strcmp(a, b);
}

static int compare_alike(
	const struct profile_deoptimization *a, const struct profile_deoptimization *b)
{
	int order = strcmp(a->class_name, b->class_name);

	if (!order)
		order = strcmp(a->name, b->name);
	if (!order)
		order = compare_texts(a->signature, b->signature);
	if (!order)
		order = (a->kind > b->kind) - (a->kind < b->kind);
	if (!order)
		order = (a->level > b->level) - (a->level < b->level);
	if (!order)
		order = (a->bytecode > b->bytecode) - (a->bytecode < b->bytecode);
	if (!order)
		order = compare_texts(a->reason, b->reason);
	return order ? order : compare_texts(a->action, b->action);
}

static int compare_events(const void *left, const void *right)
{
	const struct profile_deoptimization *const *a = left, *const *b = right;
	int order = compare_alike(*a, *b);

	return order ? order : ((*a)->at > (*b)->at) - ((*a)->at < (*b)->at);
}

static int open_deoptimizations(struct report *report)
{
	const struct profile *profile = report->model->profile;
	struct deoptimizations_view *view = report_room(report, 1, struct deoptimizations_view);
	size_t count = profile->deoptimization_count, groups = 0;

	report->data = view;
	if (!view)
		return -1;
	view->event = report_room(report, count, const struct profile_deoptimization *);
	view->alike = report_room(report, count, struct alike);
	if (!view->event || !view->alike)
		return -1;
	for (size_t i = 0; i < count; i++) {
		view->event[i] = &profile->deoptimization[i];
		view->traps += view->event[i]->kind == DEOPTIMIZATION_TRAP;
	}
	if (count > 0)
		qsort(view->event, count, sizeof(*view->event), compare_events);
	for (size_t i = 0; i < count; i++) {
		const struct profile_deoptimization *event = view->event[i];

		if (i == 0 || compare_alike(view->event[i - 1], event) != 0)
			view->alike[groups++] =
				(struct alike){.first = (uint32_t)i, .begin = event->at};
		view->alike[groups - 1].count++;
		view->alike[groups - 1].end = event->at;
	}
	return report_list(report, NULL, groups);
}

static void rows(struct report *report, struct sink *sink)
{
	const struct profile *profile = report->model->profile;
	const struct deoptimizations_view *view = report->data;

	trace_head(report, sink, TRACE_JIT);
	if (report->count > 0) {
		sink_title(sink, "code was given up %s times; %s",
			figure_text(FIGURE_COUNT, profile->deoptimization_count - view->traps)
				.text,
			profile_meta_get(profile, "jit.no_traps")
				? "how often threads left it this JVM's log does not tell"
				: store_format(report->model->store, "threads left it %s times",
					  figure_text(FIGURE_COUNT, view->traps).text)
					  .text);
		sink_title(sink, "%s", "");
	}
	report_rows(report, sink);
}

const struct view view_deoptimizations = {
	.name = "deoptimizations",
	.meaning = "compiled code that was left or given up, and why; traces=jit",
	.is_long = true,
	.sort = "count",
	.compilations = true,
	.columns = columns,
	.open = open_deoptimizations,
	.fill = fill,
	.rows = rows,
};
