/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/*
 * report: what all views share: choosing, and the order of printing. What things have of each
 * metric is in report_values.c, which rows are printed in report_rows.c.
 */
#include "cli/report/report.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/report/choices.h"
#include "cli/report/head.h"
#include "cli/report/merged_threads.h"
#include "cli/say.h"

/* ---- choosing ---- */

int report_no_memory(struct error *error)
{
	return error_set(error, ERROR_MEMORY, "no memory for the report");
}

static void add_metric(struct report *report, unsigned index)
{
	report->metric[report->sheet.metric_count] = index;
	report->sheet.metric[report->sheet.metric_count++] =
		&report->profile->metric[index];
}

static bool has_metric(const struct report *report, unsigned index)
{
	for (unsigned i = 0; i < report->sheet.metric_count; i++) {
		if (report->metric[i] == index)
			return true;
	}
	return false;
}

static int refuse_metric(
	const struct report *report, const char *name, struct error *error)
{
	char known[512] = "";

	for (unsigned i = 0; i < report->profile->metric_count; i++) {
		size_t used = strlen(known);

		snprintf(known + used, sizeof(known) - used, "%s%s", i == 0 ? "" : ", ",
			report->profile->metric[i].name);
	}
	return error_set(error, ERROR_MISSING,
		"the profile has no metric '%s'; it has: %s", name, known);
}

/* `cpu` before all others, so that views sort by it: what waiting for a processor adds to `wall`
 * is not the program's alone. */
static void add_all_metrics(struct report *report)
{
	int first = profile_metric_find(report->profile, "cpu");

	if (first >= 0)
		add_metric(report, (unsigned)first);
	for (unsigned i = 0; i < report->profile->metric_count; i++) {
		if ((int)i != first)
			add_metric(report, i);
	}
}

/* Names joined by '+' or ',', in their order. */
static int choose_metrics(struct report *report, struct error *error)
{
	const char *names = report->request->metrics;
	char *copy, *rest, *name;
	int failed = 0;

	if (names == NULL) {
		add_all_metrics(report);
		return 0;
	}
	copy = strdup(names);
	if (copy == NULL)
		return report_no_memory(error);
	for (rest = copy; failed == 0 && (name = strsep(&rest, "+,")) != NULL;) {
		int index = profile_metric_find(report->profile, name);

		if (index < 0)
			failed = refuse_metric(report, name, error);
		else if (!has_metric(report, (unsigned)index))
			add_metric(report, (unsigned)index);
	}
	free(copy);
	return failed;
}

/* Adjusted ones, if they can be had. */
static void choose_figures(struct report *report)
{
	const struct adjustment *adjustment = report->request->adjustment;

	if (adjustment != NULL && adjustment->calibration != NULL)
		report->adjusted = &adjustment->adjusted;
	report->counts = report->sheet.metric_count * (report->adjusted != NULL ? 2 : 1);
	report->values =
		report->sheet.metric_count * (report->adjusted != NULL ? REPORT_LAYERS : 1);
}

static int choose_threads(struct report *report, struct error *error)
{
	const struct pattern_list *wanted = &report->request->threads;
	size_t found = 0;

	for (size_t i = 0; i < report->profile->thread_count; i++) {
		const char *name = label_thread_name(&report->profile->thread[i]);

		report->selected[i] =
			wanted->count == 0 || pattern_list_match(wanted, name);
		found += report->selected[i];
	}
	if (found == 0 && wanted->count > 0)
		return error_set(error, ERROR_MISSING,
			"no thread of the profile matches '%s'; --view threads lists them",
			wanted->pattern[0]);
	return 0;
}

static int refuse_sort(
	const struct report *report, const char *wanted, struct error *error)
{
	struct choices choices = {.nearest.wanted = wanted};

	for (unsigned i = 0; i < report->sheet.column_count; i++) {
		const struct column *column = &report->sheet.column[i];
		char name[128];

		snprintf(name, sizeof(name), "%s%s%s",
			column->group != NULL ? column->group : "",
			column->group != NULL ? "." : "", column->key);
		choices_add(&choices, name);
	}
	return error_set(error, ERROR_USAGE, "the view '%s' has no column '%s' to sort by%s",
		report->request->view->name, wanted, choices_text(&choices, "columns"));
}

/* As headings say it: "self" is base, "total" is cum, of a metric or the first one. */
static int find_sort(const struct sheet *sheet, const char *wanted)
{
	static const struct {
		const char *word, *group;
	} words[] = {{"self", "base"}, {"total", "cum"}};
	int column = sheet_find(sheet, wanted);
	char name[256];

	for (size_t i = 0; column < 0 && i < sizeof(words) / sizeof(words[0]); i++) {
		size_t length = strlen(words[i].word);

		if (strncmp(wanted, words[i].word, length) != 0 ||
			(wanted[length] != '.' && wanted[length] != '\0'))
			continue;
		snprintf(name, sizeof(name), "%s%s", words[i].group, wanted + length);
		column = sheet_find(sheet, name);
	}
	return column;
}

/* On a screen small rows of calls are summed up, unless the user chose rows. */
#define SCREEN_MIN 0.005

static bool has_default_min(const struct report *report)
{
	const struct report_request *request = report->request;

	return request->format->shares && request->view->calls && request->top == 0 &&
	       request->depth == 0 && request->methods.count == 0 &&
	       report->sheet.column[report->sort].whole > 0;
}

static int choose_sort(struct report *report, struct error *error)
{
	const struct view *view = report->request->view;
	const char *wanted = report->request->sort;
	int column;

	if (view->sort == NULL) {
		if (wanted == NULL)
			return 0;
		return error_set(error, ERROR_USAGE,
			"the view '%s' has an order of its own: "
			"--sort does not apply",
			view->name);
	}
	column = find_sort(&report->sheet, wanted != NULL ? wanted : view->sort);
	if (column < 0 && wanted == NULL) /* a profile without metrics */
		column = 0;
	if (column < 0)
		return refuse_sort(report, wanted, error);
	report->sort = (unsigned)column;
	report->min = report->request->min;
	if (report->min < 0)
		report->min = has_default_min(report) ? SCREEN_MIN : 0;
	if (report->min > 0 && !report->sheet.column[column].has_whole)
		return error_set(error, ERROR_USAGE,
			"--min is a share of a metric: it needs rows sorted by one, not "
			"by '%s'",
			wanted != NULL ? wanted : view->sort);
	return 0;
}

static bool is_empty(const struct profile *profile, const struct profile_node *node)
{
	uint64_t used = node->calls;

	for (unsigned m = 0; m < profile->metric_count; m++)
		used |= node->base[m];
	return node->method == PROFILE_METHOD_FOLDED && used == 0;
}

/* Every tree has a fold below its root from the start, for the case of need.
 * Where it stayed empty it is not shown. A node with children is never hidden. */
static int find_hidden(struct report *report)
{
	const struct profile *profile = report->profile;

	report->hidden = calloc(profile->node_count + 1, sizeof(*report->hidden));
	for (size_t t = 0; report->hidden != NULL && t < profile->thread_count; t++) {
		size_t first = profile->thread_first[t];

		for (size_t i = first + 1; i < profile->thread_first[t + 1]; i++) {
			report->hidden[i] = is_empty(profile, &profile->node[i]);
			report->hidden[first + profile->node[i].parent] = false;
		}
	}
	return report->hidden != NULL ? 0 : -1;
}

/* ---- life ---- */

static int make_labels(struct report *report)
{
	const struct profile *profile = report->profile;

	report->labels = label_store_create();
	if (report->labels == NULL)
		return -1;
	report->method = label_methods(report->labels, profile);
	report->thread = calloc(profile->thread_count + 1, sizeof(*report->thread));
	if (report->method == NULL || report->thread == NULL)
		return -1;
	for (size_t i = 0; i < profile->thread_count; i++)
		report->thread[i] = label_make(
			report->labels, label_thread_name(&profile->thread[i]));
	return label_store_failed(report->labels) ? -1 : 0;
}

/* What is called from a flat node is beside it, and what was called where even that found no memory is in
 * the root's fold: such nodes, in the latter case all of the thread's, have at least their cum. */
static int find_folds(struct report *report)
{
	const struct profile *profile = report->profile;
	bool *at_least = calloc(profile->node_count + 1, sizeof(*at_least)), any = false;

	for (size_t t = 0; at_least != NULL && t < profile->thread_count; t++) {
		size_t first = profile->thread_first[t];
		bool all = false;

		for (size_t i = first + 1; i < profile->thread_first[t + 1]; i++) {
			size_t parent = first + profile->node[i].parent;

			at_least[i] = profile->node[parent].method == PROFILE_METHOD_FOLDED;
			any |= at_least[i];
			all |= at_least[i] && profile->node[parent].parent == 0;
		}
		for (size_t i = first + 1; all && i < profile->thread_first[t + 1]; i++)
			at_least[i] = profile->node[i].method != PROFILE_METHOD_FOLDED;
	}
	if (at_least == NULL)
		return -1;
	if (any)
		report->at_least = at_least;
	else
		free(at_least);
	return 0;
}

/* From here on the profile has one thread. */
static int merge_threads(struct report *report)
{
	struct merged_threads *merged = merged_threads_create(report);

	if (merged == NULL)
		return -1;
	free(report->hidden);
	free(report->thread);
	report->hidden = NULL;
	report->profile = &merged->profile;
	report->merged = merged;
	report->selected[0] = true;
	report->thread = calloc(2, sizeof(*report->thread));
	if (report->thread == NULL || find_hidden(report) != 0)
		return -1;
	report->thread[0] =
		label_make(report->labels, label_thread_name(&merged->thread));
	return 0;
}

/* What all selected threads used together; nobody asks for it unless shares are shown. */
static void find_whole(struct report *report)
{
	const struct profile *profile = report->profile;
	union report_value base[REPORT_VALUES_MAX];

	if (!report->request->format->shares && report->request->min <= 0 &&
		!report->request->view->merges)
		return;
	for (size_t t = 0; t < profile->thread_count; t++) {
		for (size_t i = profile->thread_first[t];
			report->selected[t] && i < profile->thread_first[t + 1]; i++) {
			report_base(report, i, base);
			for (unsigned m = 0; m < report->sheet.metric_count; m++)
				report->whole[m] += base[m].count;
		}
	}
}

static int report_open(struct report *report, struct error *error)
{
	const struct profile *profile = report->profile;
	int failed;

	/* Nodes and edges are numbered with 32 bits here. */
	if (profile->node_count >= UINT32_MAX)
		return error_set(
			error, ERROR_MEMORY, "the profile has too many nodes to report");
	report->sheet.view = report->request->view->name;
	report->selected = calloc(profile->thread_count + 1, sizeof(*report->selected));
	if (report->selected == NULL || find_hidden(report) != 0 || make_labels(report) != 0)
		return report_no_memory(error);
	failed = choose_metrics(report, error);
	if (failed == 0)
		failed = choose_threads(report, error);
	if (failed != 0)
		return failed;
	choose_figures(report);
	if (report->request->merge_threads || report->request->view->merges) {
		if (merge_threads(report) != 0)
			return report_no_memory(error);
	}
	if (find_folds(report) != 0)
		return report_no_memory(error);
	find_whole(report);
	report->request->view->columns(report);
	failed = choose_sort(report, error);
	return failed != 0 ? failed : report->request->view->open(report, error);
}

void report_at_least_column(struct report *report)
{
	if (report->at_least != NULL)
		sheet_add(&report->sheet, NULL, "cum_at_least", "", IN_DATA, PLACE_FIRST);
}

struct cell *report_at_least_cell(
	const struct report *report, struct cell *cells, bool at_least)
{
	if (report->at_least != NULL)
		*cells++ = cell_bool(at_least);
	return cells;
}

static void report_close(struct report *report)
{
	report->request->view->close(report);
	free(report->selected);
	free(report->hidden);
	free(report->at_least);
	free(report->method);
	free(report->thread);
	merged_threads_destroy(report->merged);
	label_store_destroy(report->labels);
}

/* Why figures are as counted, if the user would want to know; or NULL. Where nothing can be
 * adjusted that is still what was asked for in vain. */
static const char *why_unadjusted(const struct report *report, char *refused, size_t size)
{
	const struct adjustment *adjustment = report->request->adjustment;
	const char *reason = profile_meta_get(report->profile, "calibration.refused");

	if (adjustment != NULL)
		return adjustment->missed ? adjustment->said : NULL;
	if (reason == NULL)
		return NULL;
	snprintf(refused, size, "none: %s", reason);
	return refused;
}

/* A format that has no place beside the rows leaves it to standard error. */
static void note_adjustment(struct report *report, struct sink *sink)
{
	char refused[sizeof(report->request->adjustment->said)];
	const char *why = why_unadjusted(report, refused, sizeof(refused));

	if (why == NULL || report->request->view->says_calibration)
		return;
	if (report->request->format->note != NULL) {
		sink_note(sink, "calibration", label_make(report->labels, why).text, "");
		return;
	}
	say("calibration: %s", why);
}

static int print_rows(struct report *report, struct out *out, struct error *error)
{
	const struct report_request *request = report->request;
	struct sink sink;
	int failed = 0;

	sink_init(&sink, request->format, &report->sheet, out, request->colour);
	sink.terminal = request->width;
	if (request->format->measures) {
		sink.measuring = true;
		failed = request->view->rows(report, &sink, error);
		sink.measuring = false;
	}
	if (failed == 0) {
		report_head(report, out);
		sink_begin(&sink);
		failed = request->view->rows(report, &sink, error);
	}
	if (failed == 0) {
		note_adjustment(report, &sink);
		sink_end(&sink);
	}
	sink_fini(&sink);
	return failed;
}

static int write_failed(int errno_value, struct error *error)
{
	if (errno_value == ENOMEM)
		return report_no_memory(error);
	if (errno_value == EPIPE)
		return error_set(error, ERROR_IO, "%s", "");
	return error_set_errno(error, ERROR_IO, errno_value, "cannot write the report");
}

int report_print(const struct profile *profile, const struct report_request *request,
	int fd, uint64_t *violations, struct error *error)
{
	struct report report = {.profile = profile, .request = request};
	struct out out;
	int failed;

	out_init(&out, fd);
	failed = report_open(&report, error);
	if (failed == 0)
		failed = print_rows(&report, &out, error);
	if (failed == 0) {
		out_flush(&out);
		if (out.failed != 0)
			failed = write_failed(out.failed, error);
	}
	*violations = report.violations;
	report_close(&report);
	out_fini(&out);
	return failed;
}

/* ---- for views ---- */

#define VIOLATIONS_SAID 10

void report_violation(struct report *report, const char *format, ...)
{
	char line[1024];
	va_list arguments;

	if (report->violations++ >= VIOLATIONS_SAID)
		return;
	va_start(arguments, format);
	vsnprintf(line, sizeof(line), format, arguments);
	va_end(arguments);
	say("%s", line);
}

bool report_is_idle(const struct report *report, size_t thread)
{
	const struct profile_thread *row = &report->profile->thread[thread];
	bool cpu = report->sheet.metric_count > 0 &&
		   strcmp(report->sheet.metric[0]->name, "cpu") == 0;

	if (!report->request->format->shares || report->request->threads.count > 0 ||
		row->events > 0)
		return false;
	/* A thread that waits has wall time, too. */
	return !cpu || row->total[report->metric[0]] < report->whole[0] / 1000;
}

bool report_has_virtual(const struct report *report)
{
	const struct profile *profile = report->profile;

	for (size_t t = 0; t < profile->thread_count; t++) {
		if (profile->thread[t].is_virtual)
			return true;
	}
	return false;
}

static bool node_is_of(const struct profile *profile, size_t node, size_t thread)
{
	return profile->thread_first[thread] <= node &&
	       node < profile->thread_first[thread + 1];
}

size_t report_thread_of(const struct profile *profile, size_t node, size_t near)
{
	size_t low = 0, high = profile->thread_count;

	if (near < high && node_is_of(profile, node, near))
		return near;
	/* The last thread that starts at or before the node; empty ones start where the
	 * next does. */
	while (high - low > 1) {
		size_t middle = low + (high - low) / 2;

		if (profile->thread_first[middle] <= node)
			low = middle;
		else
			high = middle;
	}
	return low;
}

static size_t add_nodes(
	const struct report *report, size_t thread, uint32_t *nodes, size_t count)
{
	const size_t *first = report->profile->thread_first + thread;

	for (size_t i = first[0]; i < first[1]; i++) {
		if (!report->hidden[i])
			nodes[count++] = (uint32_t)i;
	}
	return count;
}

uint32_t *report_nodes(const struct report *report, size_t *count)
{
	const struct profile *profile = report->profile;
	uint32_t *nodes = calloc(profile->node_count + 1, sizeof(*nodes));

	*count = 0;
	for (size_t t = 0; nodes != NULL && t < profile->thread_count; t++) {
		if (report->selected[t])
			*count = add_nodes(report, t, nodes, *count);
	}
	return nodes;
}
