/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/*
 * report_values: what nodes and threads have of each metric: as counted, adjusted, and how far off
 * that may be; and the columns and cells that show it.
 */
#include <stdlib.h>
#include <string.h>

#include "cli/report/merged_threads.h"
#include "cli/report/report.h"

/* ---- of things ---- */

static void put_errors(const struct report *report, union report_value *values, unsigned m,
	const struct adjust_errors *errors)
{
	unsigned metrics = report->sheet.metric_count;

	values[2 * metrics + m].part = errors->whole;
	values[3 * metrics + m].part = errors->common;
	values[4 * metrics + m].part = errors->square;
}

uint64_t report_error(
	const struct report *report, const union report_value *values, unsigned m)
{
	unsigned metrics = report->sheet.metric_count;
	const struct adjust_errors errors = {.whole = values[2 * metrics + m].part,
		.common = values[3 * metrics + m].part,
		.square = values[4 * metrics + m].part};

	return adjust_half_width(&errors, values[m].count, values[metrics + m].count);
}

void report_base(const struct report *report, size_t node, union report_value *values)
{
	const struct adjusted *adjusted = report->adjusted;
	const uint64_t *raw = report->profile->node[node].base;
	unsigned metrics = report->sheet.metric_count;

	if (report->merged != NULL) {
		memcpy(values, report_values(report, report->merged->values, node),
			report->values * sizeof(*values));
		return;
	}
	for (unsigned m = 0; m < metrics; m++) {
		unsigned metric = report->metric[m];
		struct adjust_errors errors;

		if (!adjusted) {
			values[m].count = raw[metric];
			continue;
		}
		values[m].count = adjusted->base[node * adjusted->metric_count + metric];
		values[metrics + m].count = raw[metric];
		errors = adjusted_errors(adjusted, report->profile, node, metric);
		put_errors(report, values, m, &errors);
	}
}

void report_total(const struct report *report, size_t thread, union report_value *values)
{
	const struct profile *profile = report->profile;
	const uint64_t *raw = profile->thread[thread].total;
	const struct adjusted *adjusted = report->adjusted;
	unsigned metrics = report->sheet.metric_count;

	memset(values, 0, report->values * sizeof(*values));
	for (size_t i = profile->thread_first[thread];
		adjusted && i < profile->thread_first[thread + 1]; i++) {
		union report_value base[REPORT_VALUES_MAX];

		report_base(report, i, base);
		report_add_values(report, values, base);
	}
	for (unsigned m = 0; m < metrics; m++) {
		unsigned metric = report->metric[m];

		values[m].count = raw[metric];
		if (!adjusted)
			continue;
		values[m].count -=
			adjusted->total[thread * adjusted->metric_count + metric].taken;
		values[metrics + m].count = raw[metric];
	}
}

union report_value *report_cum(const struct report *report)
{
	const struct profile *profile = report->profile;
	union report_value *cum = calloc(profile->node_count * report->values + 1, sizeof(*cum));
	union report_value base[REPORT_VALUES_MAX];

	if (cum == NULL)
		return NULL;
	for (size_t t = 0; t < profile->thread_count; t++) {
		size_t first = profile->thread_first[t];

		/* Children stand behind their parents: from the end, each node is complete
		 * when it is met. */
		for (size_t i = profile->thread_first[t + 1]; i-- > first;) {
			size_t parent = first + profile->node[i].parent;
			union report_value *own = report_values(report, cum, i);

			report_base(report, i, base);
			report_add_values(report, own, base);
			if (i > first)
				report_add_values(
					report, report_values(report, cum, parent), own);
		}
	}
	return cum;
}

/* ---- columns ---- */

/* Each of the metrics' columns gets the one with its error. */
static void link_errors(struct sheet *sheet, unsigned first, unsigned error)
{
	for (unsigned m = 0; m < sheet->metric_count; m++)
		sheet->column[first + m].error = error + m + 1;
}

void report_set_whole(struct report *report, unsigned first)
{
	for (unsigned m = 0; m < report->sheet.metric_count; m++) {
		report->sheet.column[first + m].has_whole = true;
		report->sheet.column[first + m].whole = report->whole[m];
	}
}

/* Behind all others: what is needed to sum errors up. */
static unsigned add_parts(struct sheet *sheet)
{
	unsigned first = sheet->column_count;

	for (unsigned part = 2; part < REPORT_LAYERS; part++)
		sheet_add_metrics(sheet, "error_parts", "", COLUMN_SUM, 0);
	return first;
}

void report_value_columns(struct report *report)
{
	struct sheet *sheet = &report->sheet;
	struct error_columns *summed = &report->summed;
	unsigned cum;

	summed->figure = sheet_add_metrics(sheet, "base", "Self", IN_ALL | COLUMN_SUM, 0);
	cum = sheet_add_metrics(sheet, "cum", "Total", IN_ALL, 1);
	report_set_whole(report, summed->figure);
	report_set_whole(report, cum);
	if (report->adjusted == NULL)
		return;
	summed->raw = sheet_add_metrics(sheet, "raw_base", "Raw base", IN_DATA | COLUMN_SUM, 0);
	sheet_add_metrics(sheet, "raw_cum", "Raw cum", IN_DATA, 1);
	summed->error = sheet_add_metrics(sheet, "error", "Error", IN_DATA | COLUMN_SUM, 0);
	link_errors(sheet, summed->figure, summed->error);
	link_errors(sheet, cum, sheet_add_metrics(sheet, "error_cum", "Error of cum", IN_DATA, 1));
	summed->parts = add_parts(sheet);
}

void report_total_columns(struct report *report)
{
	struct sheet *sheet = &report->sheet;
	struct error_columns *summed = &report->summed;

	summed->figure = sheet_add_metrics(sheet, "total", "Total", IN_ALL | COLUMN_SUM, 0);
	if (report->adjusted == NULL)
		return;
	summed->raw = sheet_add_metrics(sheet, "raw_total", "Raw total", IN_DATA | COLUMN_SUM, 0);
	summed->error = sheet_add_metrics(sheet, "error", "Error", IN_DATA | COLUMN_SUM, 0);
	link_errors(sheet, summed->figure, summed->error);
	summed->parts = add_parts(sheet);
}

/* ---- cells ---- */

void report_fill(const struct report *report, struct cell *cells, unsigned column,
	const union report_value *values)
{
	for (unsigned m = 0; m < report->sheet.metric_count; m++)
		cells[column + m] = cell_number(values[m].count);
}

/* One cell a metric. */
static struct cell *fill_next(
	const struct report *report, struct cell *cells, const union report_value *values)
{
	report_fill(report, cells, 0, values);
	return cells + report->sheet.metric_count;
}

static struct cell *fill_errors(
	const struct report *report, struct cell *cells, const union report_value *values)
{
	for (unsigned m = 0; m < report->sheet.metric_count; m++)
		*cells++ = cell_number(report_error(report, values, m));
	return cells;
}

static struct cell *fill_parts(
	const struct report *report, struct cell *cells, const union report_value *values)
{
	for (unsigned v = report->counts; v < report->values; v++)
		*cells++ = cell_real(values[v].part);
	return cells;
}

struct cell *report_value_cells(const struct report *report, struct cell *cells,
	const union report_value *base, const union report_value *cum)
{
	unsigned metrics = report->sheet.metric_count;

	cells = fill_next(report, cells, base);
	cells = fill_next(report, cells, cum);
	if (report->adjusted == NULL)
		return cells;
	cells = fill_next(report, cells, base + metrics);
	cells = fill_next(report, cells, cum + metrics);
	cells = fill_errors(report, cells, base);
	cells = fill_errors(report, cells, cum);
	return fill_parts(report, cells, base);
}

struct cell *report_total_cells(
	const struct report *report, struct cell *cells, const union report_value *total)
{
	cells = fill_next(report, cells, total);
	if (report->adjusted == NULL)
		return cells;
	cells = fill_next(report, cells, total + report->sheet.metric_count);
	cells = fill_errors(report, cells, total);
	return fill_parts(report, cells, total);
}

void report_base_cells(
	const struct report *report, struct cell *cells, const union report_value *base)
{
	const struct error_columns *summed = &report->summed;

	report_fill(report, cells, summed->figure, base);
	if (report->adjusted == NULL)
		return;
	report_fill(report, cells, summed->raw, base + report->sheet.metric_count);
	fill_errors(report, cells + summed->error, base);
}

/* ---- sums of cells ---- */

void report_no_sums(const struct report *report, struct cell *sums)
{
	for (unsigned i = 0; i < report->sheet.column_count; i++) {
		bool summed = report->sheet.column[i].flags & COLUMN_SUM;

		sums[i] = (struct cell){.kind = summed ? CELL_NUMBER : CELL_NULL};
		if (report->summed.parts > 0 && i >= report->summed.parts && summed)
			sums[i] = cell_real(0);
	}
}

void report_add(const struct report *report, struct cell *sums, const struct cell *cells)
{
	for (unsigned i = 0; i < report->sheet.column_count; i++) {
		if (sums[i].kind == CELL_REAL)
			sums[i].real += cells[i].real;
		else if (report->sheet.column[i].flags & COLUMN_SUM)
			sums[i].number += cells[i].number;
	}
}

void report_sum_errors(const struct report *report, struct cell *sums)
{
	const struct error_columns *summed = &report->summed;
	unsigned metrics = report->sheet.metric_count;

	for (unsigned m = 0; m < metrics && summed->parts > 0; m++) {
		const struct cell *part = &sums[summed->parts + m];
		const struct adjust_errors errors = {.whole = part[0].real,
			.common = part[metrics].real,
			.square = part[2 * metrics].real};

		sums[summed->error + m] = cell_number(adjust_half_width(&errors,
			sums[summed->figure + m].number, sums[summed->raw + m].number));
	}
}
