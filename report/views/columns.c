/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/* columns: those that many views have, their cells, and sums of cells. */
#include "report/views/view.h"

/* ---- methods ---- */

void method_columns(struct report *report)
{
	sheet_add(&report->sheet, NULL, "class", "Class", IN_DATA);
	sheet_add(&report->sheet, NULL, "method", "Method", IN_DATA);
	sheet_add(&report->sheet, NULL, "signature", "Signature", IN_DATA);
}

/* ---- nodes ---- */

void node_columns(struct report *report)
{
	sheet_add(&report->sheet, NULL, "id", "Id", IN_DATA | COLUMN_RISING);
	sheet_add(&report->sheet, NULL, "parent", "Parent", IN_DATA | COLUMN_RISING);
	sheet_add(&report->sheet, NULL, "thread", "Thread", IN_DATA);
}

struct cell *node_cells(const struct report *report, struct cell *cells, uint32_t node)
{
	const struct profile_node *row = &report->model->profile->node[node];

	*cells++ = cell_number(node);
	*cells++ = row->parent == node ? cell_null() : cell_number(row->parent);
	*cells++ = cell_label(report->model->thread[row->thread]);
	return cells;
}

struct cell node_name(const struct report *report, uint32_t node)
{
	const struct model *model = report->model;
	const struct profile_node *row = &model->profile->node[node];

	return cell_label(
		row->id == 0 ? model->thread[row->thread] : model->method[row->method].display);
}

void entered_columns(struct report *report, unsigned flags)
{
	sheet_add(&report->sheet, "entered", "interpreted", "Interpreted", flags);
	sheet_add(&report->sheet, "entered", "jitted", "Jitted", flags);
	sheet_add(&report->sheet, "entered", "native", "Native", flags);
}

void at_least_column(struct report *report)
{
	if (report->model->at_least)
		sheet_add(&report->sheet, NULL, "cum_at_least", "", IN_DATA);
}

/* ---- values ---- */

/* Percentages of the metrics' columns are of what the threads used; each gets the one with its
 * error, if there is one. */
static void complete(struct report *report, unsigned first, unsigned error)
{
	for (unsigned m = 0; m < report->model->metric_count; m++) {
		struct column *column = &report->sheet.column[first + m];

		column->has_whole = true;
		column->whole = report->whole[m];
		column->error = error > 0 ? error + m + 1 : 0;
	}
}

/* Figures that can be summed, and beside them, if there are any, those of all below. */
static void add_columns(struct report *report, const char *group, const char *heading,
	const char *cum_heading, const char *raw_group, const char *raw_heading)
{
	struct sheet *sheet = &report->sheet;
	unsigned cum = 0, error_cum = 0;

	report->summed.figure =
		sheet_add_metrics(sheet, group, heading, IN_ALL | COLUMN_SUM, 0);
	if (cum_heading)
		cum = sheet_add_metrics(sheet, "cum", cum_heading, IN_ALL, 1);
	if (report->model->adjusted) {
		report->summed.raw = sheet_add_metrics(
			sheet, raw_group, raw_heading, IN_DATA | COLUMN_SUM, 0);
		if (cum_heading)
			sheet_add_metrics(sheet, "raw_cum", "Raw cum", IN_DATA, 1);
		report->summed.error =
			sheet_add_metrics(sheet, "error", "Error", IN_DATA | COLUMN_SUM, 0);
		if (cum_heading)
			error_cum = sheet_add_metrics(
				sheet, "error_cum", "Error of cum", IN_DATA, 1);
		report->summed.parts = sheet->column_count;
		for (unsigned part = 2; part < MODEL_LAYERS; part++)
			sheet_add_metrics(sheet, "error_parts", "", COLUMN_SUM, 0);
	}
	complete(report, report->summed.figure, report->summed.error);
	if (cum_heading)
		complete(report, cum, error_cum);
}

void value_columns(struct report *report)
{
	add_columns(report, "base", "Self", "Total", "raw_base", "Raw base");
}

void total_columns(struct report *report)
{
	add_columns(report, "total", "Total", NULL, "raw_total", "Raw total");
}

static inline struct cell *put_counts(
	struct cell *cells, const union model_value *values, unsigned count)
{
	for (unsigned m = 0; m < count; m++)
		*cells++ = cell_number(values[m].count);
	return cells;
}

static struct cell *put_errors(
	const struct report *report, struct cell *cells, const union model_value *values)
{
	for (unsigned m = 0; m < report->model->metric_count; m++)
		*cells++ = cell_number(model_error(report->model, values, m));
	return cells;
}

struct cell *value_cells(const struct report *report, struct cell *cells,
	const union model_value *base, const union model_value *cum)
{
	const struct model *model = report->model;
	unsigned metrics = model->metric_count;

	cells = put_counts(cells, base, metrics);
	if (cum)
		cells = put_counts(cells, cum, metrics);
	if (!model->adjusted)
		return cells;
	cells = put_counts(cells, base + metrics, metrics);
	if (cum)
		cells = put_counts(cells, cum + metrics, metrics);
	cells = put_errors(report, cells, base);
	if (cum)
		cells = put_errors(report, cells, cum);
	for (unsigned v = model->counts; v < model->values; v++)
		*cells++ = cell_real(base[v].part);
	return cells;
}

/* ---- sums of cells ---- */

void sums_begin(const struct report *report, struct cell *sums)
{
	for (unsigned i = 0; i < report->sheet.column_count; i++) {
		bool summed = report->sheet.column[i].flags & COLUMN_SUM;

		sums[i] = (struct cell){.kind = summed ? CELL_NUMBER : CELL_NULL};
		if (report->summed.parts > 0 && i >= report->summed.parts && summed)
			sums[i] = cell_real(0);
	}
}

void sums_add(const struct report *report, struct cell *sums, const struct cell *cells)
{
	for (unsigned i = 0; i < report->sheet.column_count; i++) {
		if (sums[i].kind == CELL_NUMBER)
			sums[i].number += cells[i].number;
		else if (sums[i].kind == CELL_REAL)
			sums[i].real += cells[i].real;
	}
}

void sums_end(const struct report *report, struct cell *sums)
{
	unsigned metrics = report->model->metric_count;

	for (unsigned m = 0; m < metrics && report->summed.parts > 0; m++) {
		const struct cell *part = &sums[report->summed.parts + m];
		const struct adjust_errors errors = {.whole = part[0].real,
			.common = part[metrics].real,
			.square = part[2 * metrics].real};

		sums[report->summed.error + m] = cell_number(
			adjust_half_width(&errors, sums[report->summed.figure + m].number,
				sums[report->summed.raw + m].number));
	}
}

/* ---- rows about a method ---- */

void method_row_columns(struct report *report)
{
	struct sheet *sheet = &report->sheet;

	method_columns(report);
	sheet_add(sheet, NULL, "native", "Native", IN_DATA);
	sheet_add(sheet, NULL, "static", "Static", IN_DATA);
	sheet_add(sheet, NULL, "calls", "Calls", IN_ALL | COLUMN_SUM);
	entered_columns(report, IN_ALL | COLUMN_SUM);
	at_least_column(report);
	value_columns(report);
	sheet_add_name(sheet, "Name");
}

void method_row(const struct report *report, struct cell *cells, uint32_t method,
	const struct call_count *count, const union model_value *base,
	const union model_value *cum)
{
	const struct profile_method *row = &report->model->profile->method[method];
	const struct method_label *label = &report->model->method[method];
	bool is_real = method >= METHOD_FIRST;

	cells = method_cells(cells, label);
	*cells++ = is_real ? cell_bool(row->is_native) : cell_null();
	*cells++ = is_real ? cell_bool(row->is_static) : cell_null();
	*cells++ = cell_number(count->calls);
	cells = entered_cells(cells, count->interpreted, count->jitted, count->native);
	cells = at_least_cell(report, cells, count->at_least);
	cells = value_cells(report, cells, base, cum);
	*cells = method == METHOD_ROOT ? cell_text("(thread)") : cell_label(label->display);
}

void method_row_of(const struct report *report, struct cell *cells, const struct tally *tally,
	uint32_t method)
{
	method_row(report, cells, method, &tally->method[method],
		model_at(report->model, tally->base, method),
		model_at(report->model, tally->cum, method));
}

void method_row_outside(struct report *report, struct sink *sink, const struct tally *tally)
{
	const union model_value *base = model_at(report->model, tally->base, METHOD_ROOT);
	struct cell cells[COLUMN_MAX], row[COLUMN_MAX] = {0};
	unsigned first = report->summed.figure;

	if (report->model->metric_count == 0)
		return;
	value_cells(report, cells, base, base);
	for (unsigned i = first; i < report->sheet.column_count; i++) {
		if (report->sheet.column[i].flags & COLUMN_SUM)
			row[i] = cells[i - first];
	}
	sink_extra(sink, "outside", "outside every included method", 0, row);
}

/* ---- sums of I/O ---- */

/* As groups of base and of cum, in that order. */
static const char *const part_name[IO_PARTS][2] = {
	{"base.all", "cum.all"},
	{"base.reads", "cum.reads"},
	{"base.writes", "cum.writes"},
	{"base.received", "cum.received"},
	{"base.sent", "cum.sent"},
	{"base.others", "cum.others"},
};

void io_columns(struct report *report, const char *group, const char *heading, unsigned flags)
{
	sheet_add(&report->sheet, group, "ops", heading, flags);
	sheet_add(&report->sheet, group, "bytes", "Bytes", flags);
	sheet_add(&report->sheet, group, "ns", "Time", flags | COLUMN_TIME);
}

struct cell *io_cells(struct cell *cells, const struct io_amount *amount)
{
	*cells++ = cell_number(amount->ops);
	*cells++ = cell_number(amount->bytes);
	*cells++ = cell_number(amount->ns);
	return cells;
}

void io_all_columns(struct report *report)
{
	static const char *const headings[] = {"Self", "Total"};

	for (int cum = 0; cum < 2; cum++) {
		for (enum io_part part = 0; part < IO_PARTS; part++)
			io_columns(report, part_name[part][cum],
				part == IO_PART_ALL ? headings[cum] : "",
				(part == IO_PART_ALL ? IN_ALL : IN_DATA) |
					(cum ? 0 : COLUMN_SUM));
	}
}

struct cell *io_all_cells(
	struct cell *cells, const struct io_use *base, const struct io_use *cum)
{
	for (int part = 0; part < IO_PARTS; part++)
		cells = io_cells(cells, &base->part[part]);
	for (int part = 0; part < IO_PARTS; part++)
		cells = io_cells(cells, &cum->part[part]);
	return cells;
}
