/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/*
 * view_calibration: what the session's deltas came to, by sequence, beside what the
 * calibration says of them.
 *
 * It is of all threads, and of the interval but for the least values, which are those until its end.
 */
#include "report/views/view.h"

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

static void columns(struct report *report)
{
	struct sheet *sheet = &report->sheet;
	unsigned text = IN_ALL | COLUMN_LEFT;

	sheet_add(sheet, NULL, "first", "First", text);
	sheet_add(sheet, NULL, "begin", "Begin", text);
	sheet_add(sheet, NULL, "second", "Second", text);
	sheet_add(sheet, NULL, "end", "End", text);
	sheet_add(sheet, NULL, "third", "Third", text);
	sheet_add(sheet, NULL, "count", "Count", IN_ALL | COLUMN_SUM);
	for (int i = 0; i < FIGURES; i++) {
		unsigned first = sheet_add_metrics(
			sheet, figures[i].group, figures[i].heading, IN_ALL, 0);

		/* Of single deltas: nanoseconds, where reports have milliseconds. */
		for (unsigned m = 0; m < sheet->metric_count; m++) {
			sheet->column[first + m].flags &= ~(unsigned)COLUMN_TIME;
			sheet->column[first + m].unit = sheet->metric[m]->unit;
		}
	}
	sheet_add(sheet, NULL, "row", "Row", text | COLUMN_LAST);
}

static void fill(struct report *report, uint32_t item, struct cell *cells)
{
	const struct model *model = report->model;
	const struct profile_sequence *sequence = &model->profile->sequence[item];
	const struct calibration_row *row = NULL;
	struct sequence_words words = {0};
	enum calibration_fit fit = FIT_NONE;

	if (model->adjusted)
		row = calibration_nearest(
			model->choice->adjustment->calibration, sequence->code, &fit);
	sequence_to_words(sequence->code, &words);
	*cells++ = cell_text(words.first);
	*cells++ = cell_text(words.begin);
	*cells++ = cell_text(words.second);
	*cells++ = cell_text(words.end);
	*cells++ = cell_text(words.third);
	*cells++ = cell_number(sequence->count);
	for (unsigned m = 0; m < model->metric_count; m++) {
		unsigned metric = model->metric_index[m];
		const struct calibration_cost none = {0},
					      *cost = row ? &row->cost[metric] : &none;
		double sum = (double)sequence->sum[metric], count = (double)sequence->count;
		const double values[FIGURES] = {count > 0 ? sum / count : 0,
			(double)sequence->min[metric], cost->observed, cost->environment,
			cost->cost, cost->low, cost->high, cost->work_low, cost->work_high};

		for (unsigned i = 0; i < FIGURES; i++)
			cells[i * model->metric_count + m] =
				row || i < 2 ? cell_real(values[i]) : cell_null();
	}
	cells[FIGURES * model->metric_count] = cell_text(fit == FIT_EXACT ? "its own"
							 : row            ? "of a like one"
									  : "none");
}

static int open_calibration(struct report *report)
{
	return report_list(report, NULL, report->model->profile->sequence_count);
}

static void rows(struct report *report, struct sink *sink)
{
	const struct adjustment *adjustment = report->model->choice->adjustment;

	report_rows(report, sink);
	if (adjustment && !adjustment->missed)
		sink_note(sink, "calibration", adjustment->said, "");
}

const struct view view_calibration = {
	.name = "calibration",
	.meaning = "what deltas came to by their sequence, and what was taken out of them",
	.sort = "count",
	.adjusts = true,
	.columns = columns,
	.open = open_calibration,
	.fill = fill,
	.rows = rows,
};
