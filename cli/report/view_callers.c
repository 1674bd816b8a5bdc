/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/*
 * view_callers: a stanza a method: who called it, itself, whom it called.
 *
 * Every time it is printed four sums are checked from the cells that are printed, per
 * metric: callers' calls, base and cum are the method's; callees' cum is its cum - base.
 * The method's own numbers come from a tally of nodes, the others from a walk along the
 * edges: they agree only if both are right.
 */
#include <stdlib.h>

#include "cli/report/edges.h"
#include "cli/report/report.h"
#include "cli/report/tally.h"

struct callers_view {
	struct tally tally;
	struct edges edges;
	struct rank *rank;
	size_t shown;
	unsigned stanza, part, method, calls, base, cum, raw_base, raw_cum; /* columns */
	uint32_t self; /* method of the stanza at work */
};

static const struct label part_caller = {"caller", 6}, part_self = {"self", 4},
			  part_callee = {"callee", 6};

static void columns(struct report *report)
{
	struct sheet *sheet = &report->sheet;

	sheet_add(sheet, NULL, "stanza", "Stanza", IN_CSV, PLACE_FIRST);
	sheet_add(
		sheet, NULL, "part", "Part", IN_TEXT | IN_CSV | COLUMN_LEFT, PLACE_FIRST);
	tally_columns(report);
}

static void fill_method(struct report *report, struct cell *cells, struct label part,
	uint32_t method, const struct method_count *count, const union report_value *base,
	const union report_value *cum)
{
	const struct callers_view *view = report->data;

	cells[view->stanza] = cell_label(report->method[view->self].display);
	cells[view->part] = cell_label(part);
	tally_cells(report, cells + view->method, method, count, base, cum);
}

static void fill_self(struct report *report, uint32_t item, struct cell *cells)
{
	struct callers_view *view = report->data;

	view->self = item;
	fill_method(report, cells, part_self, item, &view->tally.method[item],
		report_values(report, view->tally.base, item),
		report_values(report, view->tally.cum, item));
}

static void fill_caller(struct report *report, uint32_t item, struct cell *cells)
{
	const struct edges *edges = &((struct callers_view *)report->data)->edges;

	fill_method(report, cells, part_caller, edges->edge[item].caller,
		&edges->edge[item].count, report_values(report, edges->base, item),
		report_values(report, edges->cum, item));
}

static void fill_callee(struct report *report, uint32_t item, struct cell *cells)
{
	const struct edges *edges = &((struct callers_view *)report->data)->edges;

	fill_method(report, cells, part_callee, edges->edge[item].callee,
		&edges->edge[item].count, report_values(report, edges->base, item),
		report_values(report, edges->below, item));
}

static void find_columns(struct report *report, struct callers_view *view)
{
	const struct sheet *sheet = &report->sheet;

	view->stanza = (unsigned)sheet_find(sheet, "stanza");
	view->part = (unsigned)sheet_find(sheet, "part");
	view->method = (unsigned)sheet_find(sheet, "class");
	view->calls = (unsigned)sheet_find(sheet, "calls");
	/* Without metrics nobody looks there. */
	view->base = (unsigned)sheet_find(sheet, "base");
	view->cum = (unsigned)sheet_find(sheet, "cum");
	view->raw_base = (unsigned)sheet_find(sheet, "raw_base");
	view->raw_cum = (unsigned)sheet_find(sheet, "raw_cum");
}

static int open_callers(struct report *report, struct error *error)
{
	struct callers_view *view = calloc(1, sizeof(*view));
	union report_value *cum = report_cum(report);
	int failed = -1;

	report->data = view;
	if (view != NULL && cum != NULL)
		failed = tally_init(&view->tally, report, cum);
	if (failed == 0)
		failed = edges_init(&view->edges, report, cum);
	free(cum);
	if (failed != 0)
		return report_no_memory(error);
	find_columns(report, view);
	view->rank =
		report_rank(report, view->tally.seen, view->tally.seen_count, fill_self);
	if (view->rank == NULL)
		return report_no_memory(error);
	view->shown = report_choose_methods(report, view->rank, view->tally.seen_count);
	return 0;
}

/* ---- the four invariants ---- */

/* Says where two numbers differ that should not. */
static void compare(struct report *report, const char *what, unsigned column,
	uint64_t sum, uint64_t own)
{
	const struct callers_view *view = report->data;

	if (sum == own)
		return;
	report_violation(report, "'%s': the sum of %s (%s) is %llu, not %llu",
		report->method[view->self].display.text, what,
		report->sheet.column[column].heading, (unsigned long long)sum,
		(unsigned long long)own);
}

/* Of the figures in the columns from base and cum on. */
static void check_figures(struct report *report, unsigned first_base, unsigned first_cum,
	const struct cell *self, const struct cell *callers, const struct cell *callees)
{
	for (unsigned m = 0; m < report->sheet.metric_count; m++) {
		unsigned base = first_base + m, cum = first_cum + m;

		compare(report, "callers' base", base, callers[base].number,
			self[base].number);
		compare(report, "callers' cum", cum, callers[cum].number,
			self[cum].number);
		compare(report, "callees' cum", cum, callees[cum].number,
			self[cum].number - self[base].number);
	}
}

static void check_stanza(struct report *report, const struct cell *self,
	const struct cell *callers, const struct cell *callees)
{
	const struct callers_view *view = report->data;

	compare(report, "callers' calls", view->calls, callers[view->calls].number,
		self[view->calls].number);
	check_figures(report, view->base, view->cum, self, callers, callees);
	if (report->adjusted != NULL)
		check_figures(
			report, view->raw_base, view->raw_cum, self, callers, callees);
}

/* ---- printing ---- */

/* Sums every cell that is a number: here all of them are parts of one thing. */
static void add_row(
	const struct report *report, struct cell *sums, const struct cell *cells)
{
	for (unsigned i = 0; i < report->sheet.column_count; i++) {
		if (cells[i].kind == CELL_NUMBER)
			sums[i].number += cells[i].number;
	}
}

static int print_part(struct report *report, struct sink *sink, const char *key,
	const uint32_t *edges, size_t count, fill_row *fill, struct cell *sums)
{
	struct rank *rank = report_rank(report, edges, count, fill);
	struct cell cells[COLUMN_MAX];

	if (rank == NULL)
		return -1;
	sink_part(sink, key, true, true);
	for (size_t i = 0; i < count; i++) {
		fill(report, rank[i].item, cells);
		sink_row(sink, cells, 1);
		add_row(report, sums, cells);
	}
	sink_part(sink, key, true, false);
	free(rank);
	return 0;
}

static int print_stanza(struct report *report, struct sink *sink, uint32_t method)
{
	const struct edges *edges = &((struct callers_view *)report->data)->edges;
	const uint32_t *in = edges->callee_first + method,
		       *out = edges->caller_first + method;
	struct cell self[COLUMN_MAX], callers[COLUMN_MAX] = {0},
				      callees[COLUMN_MAX] = {0};

	fill_self(report, method, self);
	sink_stanza(sink, true);
	if (print_part(report, sink, "callers", edges->by_callee + in[0], in[1] - in[0],
		    fill_caller, callers) != 0)
		return -1;
	sink_part(sink, "self", false, true);
	sink_row(sink, self, 0);
	sink_part(sink, "self", false, false);
	if (print_part(report, sink, "callees", edges->by_caller + out[0],
		    out[1] - out[0], fill_callee, callees) != 0)
		return -1;
	sink_stanza(sink, false);
	if (!sink->measuring)
		check_stanza(report, self, callers, callees);
	return 0;
}

static int rows_callers(struct report *report, struct sink *sink, struct error *error)
{
	struct callers_view *view = report->data;
	size_t top = view->shown;
	struct cell none[COLUMN_MAX] = {0};

	for (size_t i = 0; i < top && sink->out->failed == 0; i++) {
		if (print_stanza(report, sink, view->rank[i].item) != 0)
			return report_no_memory(error);
	}
	if (top < view->tally.seen_count)
		sink_extra(sink, "omitted", "more", view->tally.seen_count - top, none);
	sink_note(sink, "invariants", report->violations == 0 ? "hold" : "violated",
		report->violations == 0
			? ": callers' calls, base and cum are the method's, callees' cum is "
			  "its cum - base"
			: ": see standard error");
	return 0;
}

static void close_callers(struct report *report)
{
	struct callers_view *view = report->data;

	if (view == NULL)
		return;
	tally_fini(&view->tally);
	edges_fini(&view->edges);
	free(view->rank);
	free(view);
}

const struct view view_callers = {
	.name = "callers",
	.meaning = "a stanza a method: its callers, itself, its callees; the sums are "
		   "checked",
	.sort = "cum",
	.calls = true,
	.adjusts = true,
	.columns = columns,
	.open = open_callers,
	.rows = rows_callers,
	.close = close_callers,
};
