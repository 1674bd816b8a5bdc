/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/* report_rows: which rows are printed, in which order, and the others as one line of sums. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cli/report/report.h"

/* ---- ranks ---- */

static int order_items(const struct rank *a, const struct rank *b)
{
	return (a->item > b->item) - (a->item < b->item);
}

static int falling(const void *left, const void *right)
{
	const struct rank *a = left, *b = right;

	if (a->number != b->number)
		return a->number < b->number ? 1 : -1;
	return order_items(a, b);
}

static int rising(const void *left, const void *right)
{
	const struct rank *a = left, *b = right;

	if (a->number != b->number)
		return a->number < b->number ? -1 : 1;
	return order_items(a, b);
}

static int alphabetic(const void *left, const void *right)
{
	const struct rank *a = left, *b = right;
	int order;

	if (a->text == NULL || b->text == NULL)
		order = (a->text != NULL) - (b->text != NULL);
	else
		order = strcmp(a->text, b->text);
	return order != 0 ? order : order_items(a, b);
}

/* A number that is larger where the other one is. */
static uint64_t order_of(double real)
{
	uint64_t bits;

	memcpy(&bits, &real, sizeof(bits));
	return bits >> 63 ? ~bits : bits | (uint64_t)1 << 63;
}

struct rank *report_rank(
	struct report *report, const uint32_t *items, size_t count, fill_row *fill)
{
	struct rank *rank = calloc(count + 1, sizeof(*rank));
	bool rises = report->sheet.column[report->sort].flags & COLUMN_RISING, numbers = true;
	int (*order)(const void *, const void *) = falling;
	struct cell cells[COLUMN_MAX];

	if (rank == NULL)
		return NULL;
	for (size_t i = 0; i < count; i++) {
		const struct cell *key = &cells[report->sort];

		rank[i].item = items != NULL ? items[i] : (uint32_t)i;
		fill(report, rank[i].item, cells);
		if (key->kind == CELL_TEXT) {
			rank[i].text = key->text;
			numbers = false;
		} else if (key->kind == CELL_REAL) {
			rank[i].number = order_of(key->real);
		} else {
			rank[i].number = key->kind == CELL_NULL ? 0 : key->number;
		}
	}
	/* A null among texts has number 0, which is NULL: it comes first. */
	if (!numbers)
		order = alphabetic;
	else if (rises)
		order = rising;
	qsort(rank, count, sizeof(*rank), order);
	return rank;
}

size_t report_top(const struct report *report, size_t count)
{
	uint64_t top = report->request->top;

	return top == 0 || top > count ? count : (size_t)top;
}

bool report_wants_method(const struct report *report, uint32_t method)
{
	const struct pattern_list *wanted = &report->request->methods;
	const struct profile_method *row = &report->profile->method[method];

	for (size_t p = 0; p < wanted->count; p++) {
		if (row->class_name != NULL && pattern_match_method(wanted->pattern[p],
						       row->class_name, row->name))
			return true;
	}
	return wanted->count == 0;
}

uint64_t report_least(const struct report *report)
{
	double share = report->min * (double)report->sheet.column[report->sort].whole;

	return share > 0 ? (uint64_t)ceil(share) : 0;
}

size_t report_choose_methods(const struct report *report, struct rank *rank, size_t count)
{
	uint64_t enough = report_least(report);
	size_t shown = 0, most = report_top(report, count);

	for (size_t i = 0; i < count && shown < most; i++) {
		struct rank row = rank[i];

		if (!report_wants_method(report, row.item) || row.number < enough)
			continue;
		rank[i] = rank[shown];
		rank[shown++] = row;
	}
	return shown;
}

void report_rows(struct report *report, struct sink *sink, const struct rank *rank,
	size_t count, fill_row *fill)
{
	report_some_rows(report, sink, rank, report_top(report, count), count, fill);
}

void report_some_rows(struct report *report, struct sink *sink, const struct rank *rank,
	size_t top, size_t count, fill_row *fill)
{
	struct cell cells[COLUMN_MAX], sums[COLUMN_MAX];

	report_no_sums(report, sums);
	for (size_t i = 0; i < count; i++) {
		fill(report, rank[i].item, cells);
		if (i < top)
			sink_row(sink, cells, 0);
		else
			report_add(report, sums, cells);
	}
	report_sum_errors(report, sums);
	if (top < count)
		sink_extra(sink, "omitted", "more", count - top, sums);
}
