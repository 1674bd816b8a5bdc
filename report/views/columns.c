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
