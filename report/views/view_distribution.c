/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/* view_distribution: how long the calls of watched methods took: percentiles, a row a method. */
#include <stdio.h>
#include <string.h>

#include "report/views/view.h"

/* A figure of a method's calls, of all chosen threads. */
struct spread {
	uint64_t count, sum, least, most, unplaced;
	struct histogram histogram;
};

struct method_spread {
	uint32_t method;
	uint64_t failed;
	struct spread all[CALL_FIGURES];
	struct spread of_failed; /* elapsed */
};

struct distribution_view {
	struct method_spread *method;
	size_t methods;
	uint64_t unplaced, without_base;
};

static const double parts[] = {0.5, 0.9, 0.99, 0.999};

enum { PARTS = sizeof(parts) / sizeof(*parts) };

/* ---- a small histogram in text: a letter for each third of a power of ten ---- */

#define SKETCH_HEADING "10ns..1us......1ms......1s."

enum { SKETCH = sizeof(SKETCH_HEADING) - 1, SKETCH_FIRST = 10 /* ns */ };

static void sketch(const struct histogram *histogram, char text[SKETCH + 1])
{
	static const char heights[] = ".:-=+*#%@";
	uint64_t in[SKETCH] = {0}, most = 0;

	for (size_t i = 0; i < histogram->cells; i++) {
		double at = SKETCH_FIRST * 2.1544; /* the third root of ten */
		int place = 0;

		for (; place + 1 < SKETCH &&
			(double)histogram_least(histogram->cell[i].bucket) >= at;
			place++)
			at *= 2.1544;
		in[place] += histogram->cell[i].count;
		if (in[place] > most)
			most = in[place];
	}
	for (int i = 0; i < SKETCH; i++)
		text[i] = in[i] == 0 ? ' ' : heights[(in[i] * (sizeof(heights) - 2)) / most];
	text[SKETCH] = '\0';
}

/* ---- columns ---- */

/* unit: of what is no time. */
static void figure_columns(struct report *report, const char *group, const char *before,
	const char *unit, unsigned flags)
{
	static const char *const key[PARTS] = {"p50", "p90", "p99", "p99_9"};
	static const char *const heading[PARTS] = {"p50", "p90", "p99", "p99.9"};
	struct sheet *sheet = &report->sheet;
	unsigned first = sheet->column_count, time = strcmp(unit, "ns") == 0 ? COLUMN_TIME : 0;
	char text[80];

	flags |= time;
	sheet_add(sheet, group, "sum", "Sum", IN_DATA | time | COLUMN_SUM);
	sheet_add(sheet, group, "min", "Least", IN_DATA | time);
	snprintf(text, sizeof(text), "%smean", before);
	sheet_add(sheet, group, "mean", text, flags);
	for (int p = 0; p < PARTS; p++) {
		snprintf(text, sizeof(text), "%s%s", before, heading[p]);
		sheet_add(sheet, group, key[p], text, flags);
	}
	snprintf(text, sizeof(text), "%smax", before);
	sheet_add(sheet, group, "max", text, flags);
	for (unsigned i = first; i < sheet->column_count && !time; i++)
		sheet->column[i].unit = unit;
}

/* What the whole process used during calls, of each chosen metric that it is told of. */
static void process_columns(struct report *report)
{
	const struct model *model = report->model;

	for (unsigned m = 0; m < model->metric_count; m++) {
		const struct profile_metric *metric = model->metric[m];
		char heading[80];

		if (!tells_process(model, m))
			continue;
		snprintf(heading, sizeof(heading), "Process %s ", metric->name);
		figure_columns(report,
			store_format(model->store, "process.%s", metric->name).text, heading,
			metric->unit, IN_ALL);
	}
}

enum { FIGURE_COLUMNS = 4 + PARTS };

static void columns(struct report *report)
{
	struct sheet *sheet = &report->sheet;

	method_columns(report);
	sheet_add(sheet, NULL, "calls", "Calls", IN_ALL | COLUMN_SUM);
	sheet_add(sheet, NULL, "failed", "Failed", IN_ALL | COLUMN_SUM);
	figure_columns(report, "elapsed", "", "ns", IN_ALL);
	figure_columns(report, "base", "Self ", "ns", IN_ALL);
	figure_columns(report, "cpu", "Cpu ", "ns", IN_DATA);
	process_columns(report);
	figure_columns(report, "elapsed_of_failed", "", "ns", IN_DATA);
	sheet_add(sheet, NULL, "sketch", SKETCH_HEADING, IN_TEXT | COLUMN_LEFT);
	sheet_add_name(sheet, "Method");
}

/* ---- rows ---- */

static struct cell *spread_cells(struct cell *cells, const struct spread *spread)
{
	bool is_placed = spread->histogram.cells > 0;

	if (spread->count == 0) {
		for (int i = 0; i < FIGURE_COLUMNS; i++)
			*cells++ = cell_null();
		return cells;
	}
	*cells++ = cell_number(spread->sum);
	*cells++ = cell_number(spread->least);
	*cells++ = cell_number(spread->sum / spread->count);
	for (int p = 0; p < PARTS; p++) {
		uint64_t value = histogram_percentile(&spread->histogram, parts[p]);

		/* A bucket's middle may lie beyond what there is. */
		if (value < spread->least)
			value = spread->least;
		if (value > spread->most)
			value = spread->most;
		*cells++ = is_placed ? cell_number(value) : cell_null();
	}
	*cells++ = cell_number(spread->most);
	return cells;
}

static void fill(struct report *report, uint32_t item, struct cell *cells)
{
	const struct distribution_view *view = report->data;
	const struct model *model = report->model;
	const struct method_spread *method = &view->method[item];
	const struct method_label *label = &report->model->method[method->method];
	char text[SKETCH + 1];

	cells = method_cells(cells, label);
	*cells++ = cell_number(method->all[CALL_ELAPSED].count);
	*cells++ = cell_number(method->failed);
	cells = spread_cells(cells, &method->all[CALL_ELAPSED]);
	cells = spread_cells(cells, &method->all[CALL_BASE]);
	cells = spread_cells(cells, &method->all[CALL_CPU]);
	for (unsigned m = 0; m < model->metric_count; m++)
		if (tells_process(model, m))
			cells = spread_cells(
				cells, &method->all[CALL_PROCESS + model->metric_index[m]]);
	cells = spread_cells(cells, &method->of_failed);
	sketch(&method->all[CALL_ELAPSED].histogram, text);
	*cells++ = cell_label(store_bytes(report->model->store, text, SKETCH));
	*cells = cell_label(label->display);
}

/* 0, or -1 without memory. */
static int add_row(
	struct report *report, struct spread *to, const struct profile_distribution *row)
{
	size_t cells = to->histogram.cells + row->histogram.cells;
	struct histogram_cell *room = report_room(report, cells, struct histogram_cell);

	if (!room)
		return -1;
	if (to->histogram.cells > 0)
		memcpy(room, to->histogram.cell, to->histogram.cells * sizeof(*room));
	to->histogram.cell = room;
	histogram_add(&to->histogram, &row->histogram, 1);
	if (to->count == 0 || row->least < to->least)
		to->least = row->least;
	if (row->most > to->most)
		to->most = row->most;
	to->count += row->count;
	to->sum += row->sum;
	to->unplaced += row->unplaced;
	return 0;
}

static int add(struct report *report, struct distribution_view *view,
	const struct profile_distribution *row, uint32_t *place)
{
	struct method_spread *method;

	if (place[row->method] == 0) {
		view->method[view->methods].method = row->method;
		place[row->method] = (uint32_t)++view->methods;
	}
	method = &view->method[place[row->method] - 1];
	if (row->figure == CALL_ELAPSED) {
		method->failed += row->failed ? row->count : 0;
		view->unplaced += row->unplaced;
		view->without_base += row->count;
		if (row->failed && add_row(report, &method->of_failed, row) != 0)
			return -1;
	}
	if (row->figure == CALL_BASE)
		view->without_base -= row->count;
	return add_row(report, &method->all[row->figure], row);
}

static int open_distribution(struct report *report)
{
	const struct model *model = report->model;
	const struct profile *apart = model->apart;
	struct distribution_view *view = report_room(report, 1, struct distribution_view);
	uint32_t *place = report_room(report, apart->method_count, uint32_t);
	size_t most = apart->distribution_count < apart->method_count
			      ? apart->distribution_count
			      : apart->method_count;

	report->data = view;
	if (!view || !place)
		return -1;
	view->method = report_room(report, most, struct method_spread);
	for (size_t i = 0; view->method && i < apart->distribution_count; i++) {
		const struct profile_distribution *row = &apart->distribution[i];

		if (model_wants_thread(model, &apart->thread[row->thread]) &&
			model_wants_method(model, row->method) &&
			add(report, view, row, place) != 0)
			return -1;
	}
	return view->method ? report_list(report, NULL, view->methods) : -1;
}

static void note(struct report *report, struct sink *sink, const char *key, const char *format,
	uint64_t calls)
{
	char text[256];

	if (calls == 0)
		return;
	snprintf(text, sizeof(text), format, (unsigned long long)calls);
	sink_note(sink, key, store_bytes(report->model->store, text, strlen(text)).text, "");
}

static void rows(struct report *report, struct sink *sink)
{
	const struct distribution_view *view = report->data;
	const struct profile *profile = report->model->apart;

	report_rows(report, sink);
	if (profile->interval.by_slices)
		sink_note(sink, "distribution",
			"kept between snapshots (--snapshot A..B), not between other times",
			"");
	else if (view->methods > 0)
		sink_note(sink, "percentiles",
			"the middles of buckets, off by at most 0.4 %; count, sum, mean, least "
			"and "
			"most are exact; times are as measured, with what jprof's probes take",
			"");
	else if (profile->interval.by_slices)
		sink_note(sink, "distribution",
			"how long calls took is known between snapshots, not between any two "
			"times",
			"");
	else
		sink_note(sink, "distribution",
			"no call of a method that is watched has ended; "
			"distribution=com.acme.Servlet.service, an option of a recording, "
			"names "
			"such methods",
			"");
	if (view->methods > 0 && profile->interval.from)
		sink_note(sink, "interval",
			"least and most are those of buckets, where calls before it were the "
			"least or the most",
			"");
	note(report, sink, "unplaced", "%llu calls are in no percentile: there was no memory",
		view->unplaced);
	note(report, sink, "self", "of %llu calls self is not known: their paths were folded",
		view->without_base);
	note(report, sink, "lost", "%llu calls are missing: there was no memory",
		profile_meta_number(profile, "distribution.lost"));
}

const struct view view_distribution = {
	.name = "distribution",
	.meaning = "how long each call of the methods of the option distribution took: "
		   "percentiles",
	.by = BY_THREAD | BY_METHOD,
	.sort = "elapsed.sum",
	.columns = columns,
	.open = open_distribution,
	.fill = fill,
	.rows = rows,
};
