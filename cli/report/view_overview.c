/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/*
 * view_overview: where the time goes, on one screen: what the profile is of, the methods
 * that used most themselves, and the call paths that lead to most, all threads together.
 *
 * Of the paths only nodes with their share are kept, and of those the ones that tell
 * something: where ways part, or where much is used. Their levels say how many calls lie
 * between them.
 */
#include <stdlib.h>
#include <string.h>

#include "cli/report/figure.h"
#include "cli/report/links.h"
#include "cli/report/report.h"
#include "cli/report/tally.h"

/* Of the whole: what a node of the paths has at least, and one that is shown for its own
 * part. */
#define LEAST_SHARE 0.01
#define OWN_SHARE   0.03
/* A path goes straight on where one child has that much of its parent. */
#define STRAIGHT 0.9

/* Rows of each part: by the terminal's height, less what stands around them. */
enum { ROWS_LEAST = 4, ROWS_MOST = 14, ROWS_UNKNOWN = 10, LINES_AROUND = 16 };

struct overview {
	struct tally tally;
	struct rank *rank; /* methods */
	size_t shown;
	unsigned method; /* column */
	union report_value *cum;
	struct links links; /* of the heavy nodes alone */
	size_t rows;
	uint64_t least; /* what nodes that are shown have */
};

static const struct label part_method = {"method", 6}, part_path = {"path", 4};

static void columns(struct report *report)
{
	struct sheet *sheet = &report->sheet;

	sheet_add(sheet, NULL, "part", "Part", IN_DATA, PLACE_FIRST);
	sheet_add(sheet, NULL, "level", "Level", IN_DATA, PLACE_FIRST);
	tally_columns(report);
	sheet->brief = true;
}

static void fill_method(struct report *report, uint32_t item, struct cell *cells)
{
	const struct overview *view = report->data;
	const struct tally *tally = &view->tally;

	cells[0] = cell_label(part_method);
	cells[1] = (struct cell){0};
	tally_cells(report, cells + view->method, item, &tally->method[item],
		report_values(report, tally->base, item),
		report_values(report, tally->cum, item));
}

static void fill_path(struct report *report, uint32_t item, struct cell *cells)
{
	const struct overview *view = report->data;
	const struct profile_node *node = &report->profile->node[item];
	const struct method_count count = {.calls = node->calls,
		.interpreted = node->interpreted,
		.jitted = node->jitted,
		.native = node->native,
		.at_least = report_at_least(report, item)};
	union report_value base[REPORT_VALUES_MAX];

	report_base(report, item, base);
	cells[0] = cell_label(part_path);
	cells[1] = cell_number(0);
	tally_cells(report, cells + view->method, node->method, &count, base,
		report_values(report, view->cum, item));
}

/* ---- the paths ---- */

static uint64_t cum_of(const struct report *report, uint32_t node)
{
	const struct overview *view = report->data;

	return report_values(report, view->cum, node)[0].count;
}

/* The nodes with their share, linked from the heaviest child on. */
static int link_heavy(struct report *report, struct overview *view)
{
	uint64_t least = (uint64_t)(LEAST_SHARE * (double)report->whole[0]);
	const struct profile *profile = report->profile;
	uint32_t *heavy = calloc(profile->node_count + 1, sizeof(*heavy));
	struct rank *rank = NULL;
	unsigned sort = report->sort;
	size_t count = 0;
	int failed = -1;

	for (size_t i = 0; heavy != NULL && i < profile->node_count; i++) {
		if (!report->hidden[i] && cum_of(report, (uint32_t)i) > least)
			heavy[count++] = (uint32_t)i;
	}
	report->sort = (unsigned)sheet_find(&report->sheet, "cum");
	if (heavy != NULL)
		rank = report_rank(report, heavy, count, fill_path);
	report->sort = sort;
	if (rank != NULL)
		failed = links_init(&view->links, report, rank, count);
	free(heavy);
	free(rank);
	return failed;
}

/* True for a node that tells something, if nodes below `least` are left out. */
static bool is_telling(const struct report *report, const struct walk *walk,
	uint32_t node, uint64_t least)
{
	const struct overview *view = report->data;
	uint32_t child = view->links.link[node].first_child;
	union report_value base[REPORT_VALUES_MAX];

	if (walk->level <= 1)
		return true;
	report_base(report, node, base);
	return child == 0 || cum_of(report, child) < least ||
	       (double)base[0].count >= OWN_SHARE * (double)report->whole[0] ||
	       (double)cum_of(report, child) < STRAIGHT * (double)cum_of(report, node);
}

/* Gives the nodes that are shown to the sink, if there is one; how many they are. */
static size_t walk_paths(struct report *report, struct sink *sink, uint64_t least)
{
	const struct overview *view = report->data;
	struct cell cells[COLUMN_MAX];
	struct walk walk;
	uint32_t shown[ROWS_MOST + 1]; /* levels of those above */
	size_t rows = 0, depth = 0;
	bool more =
		walk_start(&walk, report->profile, &view->links, 0) && walk_next(&walk);

	while (more) {
		bool heavy = cum_of(report, walk.at) >= least;

		if (heavy && is_telling(report, &walk, walk.at, least)) {
			while (depth > 0 && shown[depth - 1] >= walk.level)
				depth--;
			if (sink != NULL) {
				fill_path(report, walk.at, cells);
				cells[1] = cell_number(walk.level);
				sink_row(sink, cells, (unsigned)depth);
			}
			if (depth < ROWS_MOST)
				shown[depth++] = walk.level;
			rows++;
		}
		more = heavy ? walk_next(&walk) : walk_past(&walk);
	}
	return rows;
}

/* The lightest nodes for whose paths there are rows enough. */
static void choose_least(struct report *report, struct overview *view)
{
	static const double shares[] = {
		LEAST_SHARE, 0.02, 0.03, 0.05, 0.1, 0.15, 0.2, 0.3, 0.5};

	for (size_t i = 0; i < sizeof(shares) / sizeof(shares[0]); i++) {
		view->least = (uint64_t)(shares[i] * (double)report->whole[0]) + 1;
		if (walk_paths(report, NULL, view->least) <= view->rows)
			return;
	}
}

/* ---- life ---- */

/* Of each part, on a terminal of so many lines; 0: not known. */
static size_t rows_for(unsigned height)
{
	unsigned rows;

	if (height == 0)
		return ROWS_UNKNOWN;
	rows = height > LINES_AROUND ? (height - LINES_AROUND) / 2 : 0;
	if (rows < ROWS_LEAST)
		return ROWS_LEAST;
	return rows < ROWS_MOST ? rows : ROWS_MOST;
}

static int open_overview(struct report *report, struct error *error)
{
	struct overview *view = calloc(1, sizeof(*view));

	report->data = view;
	if (view == NULL)
		return report_no_memory(error);
	view->rows = rows_for(report->request->height);
	view->method = (unsigned)sheet_find(&report->sheet, "class");
	view->cum = report_cum(report);
	if (view->cum == NULL || tally_init(&view->tally, report, view->cum) != 0)
		return report_no_memory(error);
	view->rank = report_rank(
		report, view->tally.seen, view->tally.seen_count, fill_method);
	if (view->rank == NULL)
		return report_no_memory(error);
	view->shown = report_choose_methods(report, view->rank, view->tally.seen_count);
	if (report->request->top == 0 && view->shown > view->rows)
		view->shown = view->rows;
	if (report->sheet.metric_count == 0)
		return 0;
	if (link_heavy(report, view) != 0)
		return report_no_memory(error);
	choose_least(report, view);
	return 0;
}

/* ---- the head ---- */

static uint64_t meta_number(const struct report *report, const char *key)
{
	const char *value = profile_meta_get(report->profile, key);

	return value != NULL ? strtoull(value, NULL, 10) : 0;
}

static uint64_t used_of(const struct report *report, const char *metric)
{
	for (unsigned m = 0; m < report->sheet.metric_count; m++) {
		if (strcmp(report->sheet.metric[m]->name, metric) == 0)
			return report->whole[m];
	}
	return 0;
}

static void print_head(struct report *report, struct sink *sink)
{
	const struct overview *view = report->data;
	const struct profile *profile = report->profile;
	const struct profile_interval *interval = &profile->interval;
	const char *command = profile_meta_get(profile, "java.command");
	uint64_t calls = 0, cpu = used_of(report, "cpu");
	uint64_t duration = interval->end > interval->begin
				    ? interval->end - interval->begin
				    : meta_number(report, "duration_ns");

	for (size_t i = 0; i < view->tally.seen_count; i++)
		calls += view->tally.method[view->tally.seen[i]].calls;
	sink_title(sink, "%s", command != NULL ? command : "a program without a name");
	sink_title(sink, "%s long; %s%s%s calls; %s methods, %s threads",
		figure_text(FIGURE_TIME, duration).text,
		cpu > 0 ? figure_text(FIGURE_TIME, cpu).text : "",
		cpu > 0 ? " of processor time; " : "",
		figure_text(FIGURE_COUNT, calls).text,
		figure_text(FIGURE_COUNT, view->tally.seen_count).text,
		figure_text(FIGURE_COUNT, profile->thread[0].folded).text);
	if (report->adjusted != NULL)
		sink_title(sink, "What jprof itself cost is taken out of all figures.");
	else
		sink_title(sink, "All figures are with what jprof itself cost.");
	if (profile->thread[0].pruned > 0)
		sink_title(sink,
			"%s call paths were folded for want of memory (a larger "
			"max_memory keeps "
			"them)",
			figure_text(FIGURE_COUNT, profile->thread[0].pruned).text);
	if (profile->thread[0].lost > 0)
		sink_title(sink, "%s calls could not be recorded for want of memory",
			figure_text(FIGURE_COUNT, profile->thread[0].lost).text);
}

static int rows_overview(struct report *report, struct sink *sink, struct error *error)
{
	struct overview *view = report->data;
	const char *metric =
		report->sheet.metric_count > 0 ? report->sheet.metric[0]->name : "";

	(void)error;
	print_head(report, sink);
	sink_title(sink, "%s", "");
	sink_title(sink, "Methods by what they used themselves (%s)", metric);
	report_some_rows(report, sink, view->rank, view->shown, view->tally.seen_count,
		fill_method);
	tally_outside(&view->tally, report, sink);
	if (report->sheet.metric_count == 0)
		return 0;
	sink_title(sink,
		"Call paths by what they used in all (%s), without the calls in between",
		metric);
	walk_paths(report, sink, view->least);
	return 0;
}

static void close_overview(struct report *report)
{
	struct overview *view = report->data;

	if (view == NULL)
		return;
	tally_fini(&view->tally);
	links_fini(&view->links);
	free(view->rank);
	free(view->cum);
	free(view);
}

const struct view view_overview = {
	.name = "overview",
	.meaning = "where the time goes, on one screen: methods and call paths",
	.sort = "base",
	.calls = true,
	.merges = true,
	.adjusts = true,
	.columns = columns,
	.open = open_overview,
	.rows = rows_overview,
	.close = close_overview,
};
