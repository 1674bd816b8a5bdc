/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/* rows: which rows are printed, in which order, and the others as one line of sums. */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "report/views/view.h"

/* ---- ranks ---- */

static int order_items(const struct rank *a, const struct rank *b)
{
	return (a->item > b->item) - (a->item < b->item);
}

static int rising(const void *left, const void *right)
{
	const struct rank *a = left, *b = right;

	if (a->number != b->number)
		return a->number < b->number ? -1 : 1;
	return order_items(a, b);
}

static int falling(const void *left, const void *right)
{
	const struct rank *a = left, *b = right;

	if (a->number != b->number)
		return a->number < b->number ? 1 : -1;
	return order_items(a, b);
}

static int alphabetic(const void *left, const void *right)
{
	const struct rank *a = left, *b = right;
	int order;

	if (!a->text || !b->text)
		order = (a->text != NULL) - (b->text != NULL);
	else
		order = strcmp(a->text, b->text);
	return order != 0 ? order : order_items(a, b);
}

void report_rank(struct report *report, struct rank *rank, const uint32_t *items, size_t count,
	fill_row *fill)
{
	bool rises = report->sheet.column[report->sort].flags & COLUMN_RISING, numbers = true;
	struct cell cells[COLUMN_MAX];
	const struct cell *key = &cells[report->sort];

	for (size_t i = 0; i < count; i++) {
		rank[i].item = items ? items[i] : (uint32_t)i;
		fill(report, rank[i].item, cells);
		/* A null among texts has number 0, which is NULL: it comes first. */
		rank[i].number = key->kind == CELL_NULL ? 0 : key->number;
		/* So that those below 0 come before the others. */
		if (key->kind == CELL_SIGNED)
			rank[i].number = key->number ^ (uint64_t)1 << 63;
		/* The bits as a number that is larger where the real one is. */
		if (key->kind == CELL_REAL || key->kind == CELL_EXACT)
			rank[i].number = key->number >> 63 ? ~key->number
							   : key->number | (uint64_t)1 << 63;
		if (key->kind == CELL_TEXT)
			rank[i].text = key->text;
		numbers &= key->kind != CELL_TEXT;
	}
	if (count > 0)
		qsort(rank, count, sizeof(*rank),
			!numbers ? alphabetic
			: rises  ? rising
				 : falling);
}

uint64_t report_least(const struct report *report)
{
	const struct column *column = &report->sheet.column[report->share];
	double share = report->min * (double)(column->whole > 0 ? column->whole : column->sum);

	return share > 0 ? (uint64_t)ceil(share) : 0;
}

bool report_is_idle(const struct report *report, size_t thread)
{
	const struct model *model = report->model;
	const struct profile_thread *row = &model->profile->thread[thread];

	if (!report->request->format->shares || model->choice->threads.count > 0 ||
		row->events > 0 || (model->has_samples && model->has_samples[thread]) ||
		(report->io_of_node &&
			report->io_of_node[model->profile->thread_first[thread]].ops > 0))
		return false;
	/* A thread that waits has wall time, too. */
	return model->metric_count == 0 || strcmp(model->metric[0]->name, "cpu") != 0 ||
	       row->total[model->metric_index[0]] < report->whole[0] / 1000;
}

const char *report_idle_threads(const struct report *report)
{
	return report->model->is_divided    ? "threads that did next to nothing"
	       : report->model->lacks_calls ? "threads without samples"
					    : "threads without calls";
}

/* Of samples, on whatever condition: what they have found may have nothing else. */
static bool has_samples(struct report *report, uint32_t item)
{
	struct cell cells[COLUMN_MAX];
	bool has = false;

	if (report->model->condition_count == 0 || report->io_of_node)
		return false;
	report->request->view->fill(report, item, cells);
	for (unsigned i = 0; i < report->sheet.column_count; i++) {
		const struct column *column = &report->sheet.column[i];

		if (column->taken > 0 && cells[i].kind == CELL_NUMBER)
			has |= (double)cells[i].number >= report->min * (double)column->whole;
	}
	return has;
}

bool report_is_enough(struct report *report, const struct rank *row)
{
	return row->number >= report_least(report) ||
	       (!report->model->is_divided && has_samples(report, row->item));
}

/* ---- lists ---- */

/* Lines of a terminal that are not for rows, and the rows that a small one has. */
enum { OTHER_LINES = 14, ROWS_LEAST = 10 };

/* Rows to show at most; 0: all. */
static uint64_t list_top(struct report *report)
{
	const struct report_request *request = report->request;

	if (request->top > 0 || request->height == 0 || !request->format->shares ||
		!request->view->is_long)
		return request->top;
	report->is_cut = true;
	return request->height > OTHER_LINES + ROWS_LEAST ? request->height - OTHER_LINES
							  : ROWS_LEAST;
}

int report_list(struct report *report, const uint32_t *items, size_t count)
{
	uint64_t top = list_top(report);

	report->rank = report_room(report, count, struct rank);
	if (report->model->store->failed)
		return -1;
	report_rank(report, report->rank, items, count, report->request->view->fill);
	report->count = count;
	report->shown = top == 0 || top > count ? count : (size_t)top;
	return 0;
}

/* Rows have shares of what they are together, unless the view knows better. */
static void find_sum(struct report *report)
{
	struct column *column = &report->sheet.column[report->share];

	if (!(column->flags & COLUMN_SHARE) || !(column->flags & COLUMN_SUM) || column->sum > 0)
		return;
	for (size_t i = 0; i < report->count; i++)
		column->sum += report->rank[i].number;
}

int report_list_shares(struct report *report, const uint32_t *items, size_t count)
{
	if (report_list(report, items, count) != 0)
		return -1;
	if (report->min <= 0)
		return 0;
	find_sum(report);
	while (report->shown > 0 &&
		report->rank[report->shown - 1].number < report_least(report))
		report->shown--;
	return 0;
}

/* A method that did I/O, or led to it, where that is asked for. */
static bool touches(const struct report *report, uint32_t method)
{
	return !report->io_of_method || report->io_of_method[method].ops > 0;
}

int report_list_methods(struct report *report, const uint32_t *items, size_t count,
	uint32_t (*method)(const struct report *report, uint32_t item))
{
	size_t shown = 0;

	if (report_list(report, items, count) != 0)
		return -1;
	/* Those that are printed move to the front, in their order. */
	for (size_t i = 0; i < count && shown < report->shown; i++) {
		struct rank row = report->rank[i];
		uint32_t of = method ? method(report, row.item) : row.item;

		if (!model_wants_method(report->model, of) || !touches(report, of) ||
			!report_is_enough(report, &row))
			continue;
		report->rank[i] = report->rank[shown];
		report->rank[shown++] = row;
	}
	report->shown = shown;
	return 0;
}

void report_rows(struct report *report, struct sink *sink)
{
	struct cell cells[COLUMN_MAX], sums[COLUMN_MAX];

	sums_begin(report, sums);
	for (size_t i = 0; i < report->count; i++) {
		report->request->view->fill(report, report->rank[i].item, cells);
		if (i < report->shown)
			sink_row(sink, cells, 0);
		else
			sums_add(report, sums, cells);
	}
	sums_end(report, sums);
	if (report->shown < report->count)
		sink_extra(sink, "omitted", report->is_cut ? "more: --top N" : "more",
			report->count - report->shown, sums);
}
