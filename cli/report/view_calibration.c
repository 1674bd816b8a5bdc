/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/*
 * view_calibration: what the session's stretches came to, by sequence, beside what the
 * calibration says of them.
 *
 * It is of all threads, and of the interval but for the least values, which are those until its end.
 */
#include <stdlib.h>
#include <string.h>

#include "cli/report/report.h"

/* What there is for a sequence and a metric; text in the order of this table. */
static const struct figure {
	const char *group, *heading;
} figures[] = {
	{"mean", "Mean"},
	{"min", "Min"},
	{"observed", "Observed"},
	{"environment", "Environment"},
	{"cost", "Cost"},
	{"low", "Low"},
	{"high", "High"},
	{"work_low", "Work low"},
	{"work_high", "Work high"},
};

enum {
	FIGURES = sizeof(figures) / sizeof(*figures),
	OTHERS = 7 /* what is not by metric */
};

_Static_assert(OTHERS + FIGURES * PROFILE_METRIC_MAX <= COLUMN_MAX, "a sheet has room for all");

struct calibration_view {
	struct rank *rank;
};

/* The values are of single stretches: nanoseconds, where reports have milliseconds. */
static void add_figure(struct sheet *sheet, const struct figure *figure)
{
	unsigned first = sheet_add_metrics(sheet, figure->group, figure->heading, IN_ALL, 0);

	for (unsigned m = 0; m < sheet->metric_count; m++) {
		struct column *column = &sheet->column[first + m];

		column->flags &= ~(unsigned)COLUMN_TIME;
		column->unit = sheet->metric[m]->unit;
	}
}

static void columns(struct report *report)
{
	struct sheet *sheet = &report->sheet;
	unsigned text = IN_ALL | COLUMN_LEFT;

	sheet_add(sheet, NULL, "first", "First", text, PLACE_FIRST);
	sheet_add(sheet, NULL, "begin", "Begin", text, PLACE_FIRST);
	sheet_add(sheet, NULL, "second", "Second", text, PLACE_FIRST);
	sheet_add(sheet, NULL, "end", "End", text, PLACE_FIRST);
	sheet_add(sheet, NULL, "third", "Third", text, PLACE_FIRST);
	sheet_add(sheet, NULL, "count", "Count", IN_ALL | COLUMN_SUM, PLACE_FIRST);
	for (int i = 0; i < FIGURES; i++)
		add_figure(sheet, &figures[i]);
	sheet_add(sheet, NULL, "row", "Row", text, PLACE_LAST);
}

static struct cell word(const char *text)
{
	return text != NULL ? cell_label((struct label){text, strlen(text)}) : (struct cell){0};
}

/* The figures of one metric, metric_count cells from one to the next. */
static void fill_metric(const struct report *report, struct cell *cells,
	const struct profile_sequence *sequence, const struct calibration_row *row,
	unsigned metric)
{
	unsigned step = report->sheet.metric_count;
	double sum = (double)sequence->sum[metric], count = (double)sequence->count;
	const struct calibration_cost *cost = row != NULL ? &row->cost[metric] : NULL;

	for (unsigned i = 0; i < FIGURES; i++)
		cells[i * step] = (struct cell){0};
	cells[0] = cell_real(count > 0 ? sum / count : 0);
	cells[step] = cell_real((double)sequence->min[metric]);
	if (cost == NULL)
		return;
	cells[2 * step] = cell_real(cost->observed);
	cells[3 * step] = cell_real(cost->environment);
	cells[4 * step] = cell_real(cost->cost);
	cells[5 * step] = cell_real(cost->low);
	cells[6 * step] = cell_real(cost->high);
	cells[7 * step] = cell_real(cost->work_low);
	cells[8 * step] = cell_real(cost->work_high);
}

static const struct calibration_row *row_of(
	const struct report *report, uint32_t code, const char **fit_word)
{
	const struct adjustment *adjustment = report->request->adjustment;
	const struct calibration_row *row = NULL;
	enum calibration_fit fit = FIT_NONE;

	if (report->adjusted != NULL)
		row = calibration_nearest(adjustment->calibration, code, &fit);
	*fit_word = fit == FIT_EXACT ? "its own" : row != NULL ? "of a like one" : "none";
	return row;
}

static void fill(struct report *report, uint32_t item, struct cell *cells)
{
	const struct profile_sequence *sequence = &report->profile->sequence[item];
	struct sequence_words words = {0};
	const char *fit;
	const struct calibration_row *row = row_of(report, sequence->code, &fit);

	sequence_to_words(sequence->code, &words);
	*cells++ = word(words.first);
	*cells++ = word(words.begin);
	*cells++ = word(words.second);
	*cells++ = word(words.end);
	*cells++ = word(words.third);
	*cells++ = cell_number(sequence->count);
	for (unsigned m = 0; m < report->sheet.metric_count; m++)
		fill_metric(report, cells + m, sequence, row, report->metric[m]);
	cells[FIGURES * report->sheet.metric_count] = word(fit);
}

static int open_calibration(struct report *report, struct error *error)
{
	struct calibration_view *view = calloc(1, sizeof(*view));

	report->data = view;
	if (view != NULL)
		view->rank = report_rank(report, NULL, report->profile->sequence_count, fill);
	return view != NULL && view->rank != NULL ? 0 : report_no_memory(error);
}

static int rows_calibration(struct report *report, struct sink *sink, struct error *error)
{
	struct calibration_view *view = report->data;
	const struct adjustment *adjustment = report->request->adjustment;

	(void)error;
	report_rows(report, sink, view->rank, report->profile->sequence_count, fill);
	if (adjustment != NULL && !adjustment->missed)
		sink_note(sink, "calibration", label_make(report->labels, adjustment->said).text,
			"");
	return 0;
}

static void close_calibration(struct report *report)
{
	struct calibration_view *view = report->data;

	if (view == NULL)
		return;
	free(view->rank);
	free(view);
}

const struct view view_calibration = {
	.name = "calibration",
	.meaning = "what stretches came to by their sequence, and what was taken out of them",
	.sort = "count",
	.adjusts = true,
	.columns = columns,
	.open = open_calibration,
	.rows = rows_calibration,
	.close = close_calibration,
};
