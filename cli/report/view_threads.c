/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/* view_threads: what each thread used, and how much of its events could be matched. */
#include <stdlib.h>

#include "cli/report/figure.h"
#include "cli/report/report.h"

struct threads_view {
	union report_value *total; /* report_values-shaped, by position of the thread */
	struct rank *rank;
	size_t count;
	size_t idle; /* threads that did nothing, which have no rows */
};

/* What only virtual threads have: in text where there are some. */
static void virtual_columns(struct report *report)
{
	unsigned flags = COLUMN_SUM | (report_has_virtual(report) ? IN_ALL : IN_DATA);
	struct sheet *sheet = &report->sheet;
	unsigned time;

	sheet_add(sheet, NULL, "mounts", "Mounts", flags, PLACE_FIRST);
	time = sheet_add(sheet, NULL, "carrier_time", "Carrier time", flags | COLUMN_TIME,
		PLACE_FIRST);
	sheet->column[time].unit = "ms";
}

static void columns(struct report *report)
{
	struct sheet *sheet = &report->sheet;
	unsigned time;

	sheet_add(sheet, NULL, "thread", "Thread", IN_DATA, PLACE_FIRST);
	sheet_add(sheet, NULL, "index", "Index", IN_DATA | COLUMN_RISING, PLACE_FIRST);
	sheet_add(sheet, NULL, "id", "Id", IN_ALL | COLUMN_RISING, PLACE_FIRST);
	sheet_add(sheet, NULL, "os_id", "OS id", IN_DATA | COLUMN_RISING, PLACE_FIRST);
	sheet_add(sheet, NULL, "virtual", "Virtual", IN_ALL | COLUMN_LEFT, PLACE_FIRST);
	sheet_add(sheet, NULL, "alive", "Alive", IN_ALL | COLUMN_LEFT, PLACE_FIRST);
	sheet_add(sheet, NULL, "folded", "Folded", IN_ALL | COLUMN_SUM, PLACE_FIRST);
	virtual_columns(report);
	time = sheet_add(sheet, NULL, "waited", "Waited",
		IN_DATA | COLUMN_SUM | COLUMN_TIME, PLACE_FIRST);
	sheet->column[time].unit = "ms";
	sheet_add(sheet, NULL, "events", "Events", IN_ALL | COLUMN_SUM, PLACE_FIRST);
	sheet_add(sheet, NULL, "unwound", "Unwound", IN_ALL | COLUMN_SUM, PLACE_FIRST);
	sheet_add(sheet, NULL, "repaired", "Repaired", IN_ALL | COLUMN_SUM, PLACE_FIRST);
	sheet_add(
		sheet, NULL, "unmatched", "Unmatched", IN_ALL | COLUMN_SUM, PLACE_FIRST);
	sheet_add(sheet, NULL, "lost", "Lost", IN_ALL | COLUMN_SUM, PLACE_FIRST);
	sheet_add(sheet, NULL, "pruned", "Pruned", IN_ALL | COLUMN_SUM, PLACE_FIRST);
	sheet_add(
		sheet, NULL, "started", "Started", IN_DATA | COLUMN_RISING, PLACE_FIRST);
	sheet_add(sheet, NULL, "ended", "Ended", IN_DATA | COLUMN_RISING, PLACE_FIRST);
	sheet_add(sheet, NULL, "problems", "Problems", IN_SCREEN | COLUMN_LEFT,
		PLACE_FIRST);
	report_total_columns(report);
	report_set_whole(report, report->summed.figure);
	sheet_add(sheet, NULL, "name", "Thread", IN_TEXT | COLUMN_NAME | COLUMN_LEFT,
		PLACE_LAST);
}

/* A number where 0 says that there is none. */
static struct cell known(uint64_t number)
{
	return number == 0 ? (struct cell){0} : cell_number(number);
}

static struct cell of_virtual(const struct profile_thread *thread, uint64_t number)
{
	return thread->is_virtual ? cell_number(number) : (struct cell){0};
}

/* What of a thread's calls is not as it was, in words; empty: nothing. */
static struct label problems(struct report *report, const struct profile_thread *thread)
{
	const struct {
		const char *word;
		uint64_t count;
	} kinds[] = {{"lost", thread->lost}, {"folded", thread->pruned},
		{"unmatched", thread->unmatched}, {"repaired", thread->repaired}};
	struct label label = {"", 0};

	for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++) {
		if (kinds[i].count > 0)
			label = label_format(report->labels, "%s%s%s %s", label.text,
				label.length > 0 ? ", " : "",
				figure_text(FIGURE_COUNT, kinds[i].count).text,
				kinds[i].word);
	}
	return label;
}

static void fill(struct report *report, uint32_t item, struct cell *cells)
{
	const struct threads_view *view = report->data;
	const struct profile_thread *thread = &report->profile->thread[item];

	*cells++ = cell_label(report->thread[item]);
	*cells++ = cell_number(thread->id);
	*cells++ = known((uint64_t)thread->java_id);
	*cells++ = known((uint64_t)thread->os_id);
	*cells++ = cell_bool(thread->is_virtual);
	*cells++ = cell_bool(thread->alive);
	*cells++ = cell_number(thread->folded);
	*cells++ = of_virtual(thread, thread->mounts);
	*cells++ = of_virtual(thread, thread->carrier_ns);
	*cells++ = cell_number(thread->waited_ns);
	*cells++ = cell_number(thread->events);
	*cells++ = cell_number(thread->unwound);
	*cells++ = cell_number(thread->repaired);
	*cells++ = cell_number(thread->unmatched);
	*cells++ = cell_number(thread->lost);
	*cells++ = cell_number(thread->pruned);
	*cells++ = cell_number(thread->started);
	*cells++ = thread->alive ? (struct cell){0} : cell_number(thread->ended);
	*cells++ = cell_label(problems(report, thread));
	cells = report_total_cells(report, cells, report_values(report, view->total, item));
	*cells = cell_label(report->thread[item]);
}

static int open_threads(struct report *report, struct error *error)
{
	size_t count = report->profile->thread_count;
	struct threads_view *view = calloc(1, sizeof(*view));
	uint32_t *items = calloc(count + 1, sizeof(*items));

	report->data = view;
	if (view != NULL)
		view->total = calloc(count * report->values + 1, sizeof(*view->total));
	if (view == NULL || view->total == NULL || items == NULL) {
		free(items);
		return report_no_memory(error);
	}
	for (size_t t = 0; t < count; t++) {
		if (!report->selected[t])
			continue;
		report_total(report, t, report_values(report, view->total, t));
		if (report_is_idle(report, t))
			view->idle++;
		else
			items[view->count++] = (uint32_t)t;
	}
	view->rank = report_rank(report, items, view->count, fill);
	free(items);
	return view->rank != NULL ? 0 : report_no_memory(error);
}

static void print_idle(struct report *report, struct sink *sink)
{
	const struct threads_view *view = report->data;
	struct cell cells[COLUMN_MAX], sums[COLUMN_MAX];

	report_no_sums(report, sums);
	for (size_t t = 0; t < report->profile->thread_count; t++) {
		if (!report->selected[t] || !report_is_idle(report, t))
			continue;
		fill(report, (uint32_t)t, cells);
		report_add(report, sums, cells);
	}
	report_sum_errors(report, sums);
	if (view->idle > 0)
		sink_extra(sink, "idle", "threads without calls", view->idle, sums);
}

static int rows_threads(struct report *report, struct sink *sink, struct error *error)
{
	struct threads_view *view = report->data;

	(void)error;
	report_rows(report, sink, view->rank, view->count, fill);
	print_idle(report, sink);
	return 0;
}

static void close_threads(struct report *report)
{
	struct threads_view *view = report->data;

	if (view == NULL)
		return;
	free(view->total);
	free(view->rank);
	free(view);
}

const struct view view_threads = {
	.name = "threads",
	.meaning = "one row a thread: events and totals",
	.sort = "index",
	.adjusts = true,
	.columns = columns,
	.open = open_threads,
	.rows = rows_threads,
	.close = close_threads,
};
