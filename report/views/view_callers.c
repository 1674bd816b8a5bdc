/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/*
 * view_callers: a stanza a method: who called it, itself, whom it called.
 *
 * Every time it is printed four sums are checked from the cells that are printed, per
 * metric: callers' calls, base and cum are the method's, but for calls that were counted without a path; callees'
 * cum is its cum - base.
 * The method's own numbers come from a tally of nodes, the others from a walk along the
 * edges: they agree only if both are right.
 */
#include "report/model/edges.h"
#include "report/views/view.h"

#include <string.h>

/* Columns: the rest is a method's row. */
enum { STANZA, PART, METHOD };

struct callers_view {
	struct tally tally;
	struct edges edges;
	struct rank *rank; /* of the edges of one end of a method */
	uint32_t self;     /* method of the stanza at work */
};

static void columns(struct report *report)
{
	sheet_add(&report->sheet, NULL, "stanza", "Stanza", IN_CSV);
	sheet_add(&report->sheet, NULL, "part", "Part", IN_TEXT | IN_CSV | COLUMN_LEFT);
	method_row_columns(report);
}

static void fill_front(struct report *report, struct cell *cells, const char *part)
{
	const struct callers_view *view = report->data;

	cells[STANZA] = cell_label(report->model->method[view->self].display);
	cells[PART] = cell_text(part);
}

static void fill_self(struct report *report, uint32_t item, struct cell *cells)
{
	struct callers_view *view = report->data;

	view->self = item;
	fill_front(report, cells, "self");
	method_row_of(report, cells + METHOD, &view->tally, item);
}

static void fill_edge(
	struct report *report, uint32_t item, struct cell *cells, const char *part, bool callee)
{
	const struct callers_view *view = report->data;
	const struct edge *edge = edge_at(&view->edges, item);
	const struct io_amount *io = callee ? &edge->io_below : &edge->io_cum;

	fill_front(report, cells, part);
	method_row(report, cells + METHOD, callee ? edge->callee : edge->caller, &edge->count,
		edge->values, model_at(report->model, edge->values, callee ? 2 : 1));
	beside_cells(report, cells + report->io_column, io);
}

static void fill_caller(struct report *report, uint32_t item, struct cell *cells)
{
	fill_edge(report, item, cells, "caller", false);
}

static void fill_callee(struct report *report, uint32_t item, struct cell *cells)
{
	fill_edge(report, item, cells, "callee", true);
}

static int open_callers(struct report *report)
{
	struct callers_view *view = report_room(report, 1, struct callers_view);
	const union model_value *cum = model_cum(report->model);

	report->data = view;
	if (!view || !cum || tally_init(&view->tally, report->model, cum) != 0 ||
		edges_init_io(&view->edges, report->model, cum, report->io_of_node) != 0)
		return -1;
	view->rank = report_room(report, view->edges.count, struct rank);
	return view->rank ? report_list_methods(
				    report, view->tally.seen, view->tally.seen_count, NULL)
			  : -1;
}

/* ---- the four invariants ---- */

/* Says where two numbers differ that should not. */
static void compare(
	struct report *report, const char *what, unsigned column, uint64_t sum, uint64_t own)
{
	const struct callers_view *view = report->data;

	if (sum == own)
		return;
	report_violation(report, "'%s': the sum of %s (%s) is %llu, not %llu",
		report->model->method[view->self].display.text, what,
		report->sheet.column[column].heading, (unsigned long long)sum,
		(unsigned long long)own);
}

/* Of the figures in the columns of two groups. */
static void check_figures(struct report *report, unsigned count, const char *base_group,
	const char *cum_group, const struct cell *self, const struct cell *callers,
	const struct cell *callees)
{
	unsigned base = (unsigned)sheet_find(&report->sheet, base_group);
	unsigned cum = (unsigned)sheet_find(&report->sheet, cum_group);

	for (unsigned i = 0; i < count; i++, base++, cum++) {
		compare(report, "callers' base", base, callers[base].number, self[base].number);
		compare(report, "callers' cum", cum, callers[cum].number, self[cum].number);
		compare(report, "callees' cum", cum, callees[cum].number,
			self[cum].number - self[base].number);
	}
}

/* ---- printing ---- */

/* True for a row that has its share of nothing: what only recursive calls have is in no cum. */
static bool is_small(const struct report *report, const struct cell *cells)
{
	for (unsigned c = 0; c < report->sheet.column_count; c++) {
		const struct column *column = &report->sheet.column[c];

		if (column->whole > 0 && cell_is_sum(&cells[c]) &&
			(double)cells[c].number >= report->min * (double)column->whole)
			return false;
	}
	return true;
}

/* What one method's callers, or callees, have in and below them can be summed, too. */
static void add_below(const struct report *report, struct cell *sums, const struct cell *cells)
{
	for (unsigned c = 0; c < report->sheet.column_count; c++) {
		const char *group = report->sheet.column[c].group;

		if (!group || !cell_is_sum(&cells[c]) ||
			(strcmp(group, "cum") != 0 && strcmp(group, "samples_cum") != 0 &&
				strcmp(group, "io") != 0))
			continue;
		if (sums[c].kind == CELL_NULL || cells[c].kind == CELL_DIVIDED)
			sums[c].kind = cells[c].kind;
		sums[c].number += cells[c].number;
	}
}

/* sums: of every cell that is a number: here all of them are parts of one thing. For people those that have not their
 * share are one row, if they are more than one; data has each. */
static void print_part(struct report *report, struct sink *sink, const char *key,
	const uint32_t *edges, size_t count, fill_row *fill, struct cell *sums)
{
	struct rank *rank = ((struct callers_view *)report->data)->rank;
	bool may_fold = report->min > 0 && report->request->format->has_head;
	struct cell cells[COLUMN_MAX], others[COLUMN_MAX], one[COLUMN_MAX];
	size_t small = 0;

	report_rank(report, rank, edges, count, fill);
	sink_part(sink, key, true, true);
	sums_begin(report, others);
	for (size_t i = 0; i < count; i++) {
		fill(report, rank[i].item, cells);
		for (unsigned c = 0; c < report->sheet.column_count; c++)
			if (cell_is_sum(&cells[c]))
				sums[c].number += cells[c].number;
		if (!may_fold || !is_small(report, cells)) {
			sink_row(sink, cells, 1);
			continue;
		}
		if (small++ == 0)
			memcpy(one, cells, sizeof(one));
		sums_add(report, others, cells);
		add_below(report, others, cells);
	}
	sums_end(report, others);
	others[PART] = count > 0 ? cells[PART] : cell_null();
	if (small == 1)
		sink_row(sink, one, 1);
	else if (small > 1)
		sink_extra(sink, key, "more", small, others);
	sink_part(sink, key, true, false);
}

static void print_stanza(struct report *report, struct sink *sink, uint32_t method)
{
	const struct callers_view *view = report->data;
	const struct edges *edges = &view->edges;
	const struct model *model = report->model;
	const uint32_t *in = edges->callee_first + method, *out = edges->caller_first + method;
	struct cell self[COLUMN_MAX], callers[COLUMN_MAX] = {0}, callees[COLUMN_MAX] = {0};
	unsigned calls = (unsigned)sheet_find(&report->sheet, "calls");

	fill_self(report, method, self);
	sink_stanza(sink, true);
	print_part(report, sink, "callers", edges->by_callee + in[0], in[1] - in[0],
		fill_caller, callers);
	sink_part(sink, "self", false, true);
	sink_row(sink, self, 0);
	sink_part(sink, "self", false, false);
	print_part(report, sink, "callees", edges->by_caller + out[0], out[1] - out[0],
		fill_callee, callees);
	sink_stanza(sink, false);
	if (sink->measuring)
		return;
	/* Calls that were counted have no caller. */
	compare(report, "callers' calls", calls,
		callers[calls].number + view->tally.method[method].counted, self[calls].number);
	check_figures(report, model->metric_count, "base", "cum", self, callers, callees);
	check_figures(report, model->condition_count, "samples", "samples_cum", self, callers,
		callees);
	if (model->has_errors)
		check_figures(report, model->metric_count, "raw_base", "raw_cum", self, callers,
			callees);
	for (unsigned i = 0; report->io_of_node && i < 3; i++)
		compare(report, "callers' I/O", report->io_column + i,
			callers[report->io_column + i].number,
			self[report->io_column + i].number);
}

static void rows(struct report *report, struct sink *sink)
{
	struct cell cells[COLUMN_MAX], others[COLUMN_MAX];

	for (size_t i = 0; i < report->shown && sink->out->failed == 0; i++)
		print_stanza(report, sink, report->rank[i].item);
	sums_begin(report, others);
	for (size_t i = report->shown; i < report->count; i++) {
		fill_self(report, report->rank[i].item, cells);
		sums_add(report, others, cells);
	}
	sums_end(report, others);
	if (report->shown < report->count)
		sink_extra(sink, "omitted", "more", report->count - report->shown, others);
	sink_note(sink, "invariants", report->violations == 0 ? "hold" : "violated",
		report->violations == 0
			? ": callers' calls, base and cum are the method's, callees' cum is "
			  "its cum - base"
			: ": see standard error");
}

const struct view view_callers = {
	.name = "callers",
	.may_fold = true,
	.meaning = "a stanza a method: its callers, itself, its callees; the sums are "
		   "checked",
	.by = BY_ALL,
	.sort = "cum",
	.calls = true,
	.adjusts = true,
	.columns = columns,
	.open = open_callers,
	.fill = fill_self,
	.rows = rows,
};
