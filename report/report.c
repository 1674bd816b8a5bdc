/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/* report: from a request to bytes: the model, its view, the format's sink. */
#include "report/report.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "components/components.h"
#include "options/folded.h"
#include "options/matches.h"
#include "options/nearest.h"
#include "report/model/chosen.h"
#include "report/model/session_line.h"

/* ---- the order of rows ---- */

/* As headings say it: "self" is base, "total" is cum, of a metric or the first one; or of samples. */
static int find_sort(const struct report *report, const char *wanted)
{
	static const struct {
		const char *word, *group[2];
	} words[] = {{"self", {"base", "samples"}}, {"total", {"cum", "samples_cum"}}};
	const struct sheet *sheet = &report->sheet;
	int column = sheet_find(sheet, wanted);
	char name[256];

	for (size_t i = 0; column < 0 && i < sizeof(words) / sizeof(*words); i++) {
		size_t length = strlen(words[i].word);

		if (strncmp(wanted, words[i].word, length) != 0 ||
			(wanted[length] != '.' && wanted[length] != '\0'))
			continue;
		snprintf(name, sizeof(name), "%s%s",
			words[i].group[model_leads_by_samples(report->model)], wanted + length);
		column = sheet_find(sheet, name);
	}
	return column;
}

/* The view's, or what that is where samples lead. */
static const char *usual_sort(const struct report *report)
{
	const char *sort = report->request->view->sort;

	/* Calls were counted, and there is nothing else. */
	if (!report->io_of_node && report->model->counted && !report->request->view->labels &&
		report->model->profile->condition_count == 0 &&
		sheet_find(&report->sheet, "calls") >= 0)
		return "calls";
	if (report->io_of_node && report->request->view->calls)
		return sheet_find(&report->sheet, "io.ns") >= 0 ? "io.ns" : "io.cum.all.ns";
	if (!model_leads_by_samples(report->model))
		return sort;
	if (sheet_find(&report->sheet, "samples_cum") < 0 && strcmp(sort, "cum") == 0)
		return "samples";
	return strcmp(sort, "base") == 0  ? "samples"
	       : strcmp(sort, "cum") == 0 ? "samples_cum"
					  : sort;
}

static bool has_shares(const struct column *column)
{
	return column->has_whole || (column->flags & COLUMN_SHARE);
}

static int choose_sort(struct report *report, struct error *error)
{
	const struct report_request *request = report->request;
	const struct view *view = request->view;
	const char *wanted = request->sort;
	bool has_default_min = request->format->shares && view->calls && request->top == 0 &&
			       request->depth == 0 && request->choice.methods.count == 0;
	struct choices choices = {0};
	int column;

	if (!view->sort) {
		if (!wanted)
			return 0;
		return error_set(error, ERROR_USAGE,
			"the view '%s' has an order of its own: "
			"--sort does not apply",
			view->name);
	}
	column = find_sort(report, wanted ? wanted : usual_sort(report));
	if (column < 0 && !wanted) /* a profile without metrics */
		column = 0;
	choices.nearest.wanted = wanted;
	for (unsigned i = 0; i < report->sheet.column_count && column < 0; i++) {
		const struct column *one = &report->sheet.column[i];
		char name[128];

		snprintf(name, sizeof(name), "%s%s%s", one->group ? one->group : "",
			one->group ? "." : "", one->key);
		if (sheet_find(&report->sheet, name) == (int)i)
			choices_add(&choices, name);
	}
	if (column < 0)
		return error_set(error, ERROR_USAGE,
			"the view '%s' has no column '%s' to sort by%s", view->name, wanted,
			choices_text(&choices, "columns"));
	report->sort = report->share = (unsigned)column;
	report->min = request->min;
	if (report->min < 0)
		report->min = has_default_min && report->sheet.column[column].whole > 0
				      ? SCREEN_MIN
				      : 0;
	if (report->min > 0 && !has_shares(&report->sheet.column[column])) {
		if (view->share && model_leads_by_samples(report->model))
			column = sheet_find(&report->sheet, "samples") >= 0
					 ? find_sort(report, "samples")
					 : find_sort(report, "samples_cum");
		else if (view->share)
			column = find_sort(report, view->share);
		else
			column = -1;
		if (column < 0)
			return error_set(error, ERROR_USAGE,
				"--min is a share of a metric: it needs rows sorted by one, "
				"not by '%s'",
				wanted ? wanted : view->sort);
		report->share = (unsigned)column;
	}
	return 0;
}

/* ---- beside the report ---- */

static void say(const struct report *report, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

static void say(const struct report *report, const char *format, ...)
{
	char line[sizeof(report->request->choice.adjustment->said) + 64];
	va_list arguments;

	va_start(arguments, format);
	vsnprintf(line, sizeof(line), format, arguments);
	va_end(arguments);
	if (report->request->say)
		report->request->say(line);
}

void report_violation(struct report *report, const char *format, ...)
{
	enum { SAID = 10 };
	char line[1024];
	va_list arguments;

	if (report->violations++ >= SAID)
		return;
	va_start(arguments, format);
	vsnprintf(line, sizeof(line), format, arguments);
	va_end(arguments);
	say(report, "%s", line);
}

/* Why figures are as counted, if the user would want to know. Where nothing can be adjusted that is still
 * what was asked for in vain. A format that has no place beside the rows leaves it to a line beside the
 * report. */
static void note_adjustment(struct report *report, struct sink *sink)
{
	const struct adjustment *adjustment = report->request->choice.adjustment;
	const char *reason = profile_meta_get(report->model->profile, "calibration.refused"),
		   *why = NULL;

	if (adjustment)
		why = adjustment->missed ? adjustment->said : NULL;
	else if (reason)
		why = store_format(report->model->store, "none: %s", reason).text;
	if (!why || report->request->view->says_calibration)
		return;
	if (report->request->format->note)
		sink_note(sink, "calibration", why, "");
	else
		say(report, "calibration: %s", why);
}

/* ---- the head: how old figures are, why there are none ---- */

struct head {
	struct report *report;
	struct out *out;
	size_t lines;
};

static void put_line(void *user, const char *line)
{
	struct head *head = user;

	head->lines++;
	out_harmless(head->out, line, strlen(line));
	out_char(head->out, '\n');
}

static void put_matches(struct head *head)
{
	const struct profile *profile = head->report->model->profile;
	const char *text = profile_meta_get(profile, "matches"), *option;
	json_t *rows = text ? json_loads(text, 0, NULL) : NULL;
	bool is_running = head->report->request->state != NULL;
	const char *yet = is_running ? " yet" : "";
	const char *way = profile_meta_get(profile, "calls");
	bool is_sampled = way && strcmp(way, "sample") == 0;
	const struct model *model = head->report->model;
	/* Calls that were counted are of no component, and have no labels. */
	bool lacks_calls = (!way || strcmp(way, "off") != 0) &&
			   !profile_is_unwritten(profile) && !model->counted &&
			   !model->choice->components && !profile->is_chosen;
	char line[128] = "";

	/* Calls were to be recorded, none was, and the profile can tell. */
	for (size_t i = 0; i < profile->node_count && lacks_calls; i++)
		lacks_calls = profile->node[i].calls == 0 && !profile->node[i].sampled;
	option = matches_nothing(rows);
	if (option)
		snprintf(line, sizeof(line), MATCHES_NOTHING, yet, option);
	else if (lacks_calls)
		snprintf(line, sizeof(line), "no %s%s",
			is_sampled ? "sample was taken" : "call was recorded", yet);
	if (line[0] != '\0')
		put_line(head, line);
	matches_say(rows, !is_running, MATCHES_SAID, put_line, head);
	json_decref(rows);
}

/* ---- paths that were folded ---- */

static void put_folded(struct head *head)
{
	const struct model *model = head->report->model;
	const struct profile *profile = model->profile;
	const char *limit = profile_meta_get(profile, "memory.limit");
	/* Of calls, and of the first metric: all, and in folds. */
	uint64_t calls[2] = {0};
	double used[2] = {0};
	char line[FOLDED_LINE];

	for (size_t i = 0; model->at_least && i < profile->node_count; i++) {
		const struct profile_node *node = &profile->node[i];

		if (!model->selected[node->thread])
			continue;
		for (int of = 0; of <= profile_is_flat(profile, node); of++) {
			calls[of] += node->calls;
			used[of] += model->metric_count > 0
					    ? (double)node->base[model->metric_index[0]]
					    : 0;
		}
	}
	if (!folded_line(line, calls[0], calls[1], limit ? strtoull(limit, NULL, 10) : 0))
		return;
	put_line(head, line);
	snprintf(line, sizeof(line),
		"Self of each method is exact, Total at least what is shown");
	if (used[0] > 0)
		snprintf(line, sizeof(line),
			"nor has %.0f %% of %.40s; Self of each method is exact, Total at "
			"least what is shown",
			100 * used[1] / used[0], model->metric[0]->name);
	put_line(head, line);
}

/* ---- what was chosen ---- */

/* Empty: all is there. */
static struct label chosen_line(const struct report *report)
{
	return model_chosen_line(report->model, report->model->store);
}

static void put_chosen(struct head *head)
{
	struct label line = chosen_line(head->report);

	if (line.length > 0)
		put_line(head, line.text);
}

/* Formats without a head have it beside the rows, or leave it to a line beside the report. */
static void note_chosen(struct report *report, struct sink *sink)
{
	struct label line = chosen_line(report);

	if (line.length == 0 || report->request->format->has_head)
		return;
	if (report->request->format->note)
		sink_note(sink, "chosen", line.text, "");
	else
		say(report, "%s", line.text);
}

/* ---- a recording that was shared ---- */

static void put_session(struct head *head)
{
	struct label line =
		session_line(head->report->model->apart, head->report->model->store);

	if (line.length > 0)
		put_line(head, line.text);
}

/* ---- an interval of slices ---- */

/* True if an end that was named is not that of a slice. */
static bool is_wider(const struct profile_interval *interval)
{
	/* So far the two may be from each other, as slices do not end at the very moment: a tenth of one. */
	uint64_t near = (interval->end - interval->begin) / interval->slices / 10;

	return (interval->asked[0] != UINT64_MAX &&
		       interval->begin + near < interval->asked[0]) ||
	       (interval->asked[1] != UINT64_MAX && interval->end > interval->asked[1] + near);
}

static void put_slices(struct head *head)
{
	const struct profile *profile = head->report->model->profile;
	const struct profile_interval *interval = &profile->interval;
	const struct profile_slice *slice;
	uint64_t longest = 0;
	char line[160];

	if (!interval->by_slices)
		return;
	slice = &profile->slice[interval->slice];
	for (size_t i = 0; i < interval->slices; i++)
		if (slice[i].ended - slice[i].began > longest)
			longest = slice[i].ended - slice[i].began;
	snprintf(line, sizeof(line), "%.3f s to %.3f s, by %zu slice%s of %s%.3f s%s",
		(double)interval->begin / 1e9, (double)interval->end / 1e9, interval->slices,
		interval->slices == 1 ? "" : "s", interval->slices == 1 ? "" : "up to ",
		(double)longest / 1e9, is_wider(interval) ? ": widened to whole slices" : "");
	put_line(head, line);
}

/* At the top of a text: what a reader should know before the first row. */
static void print_head(struct report *report, struct out *out)
{
	struct head head = {.report = report, .out = out};

	/* Programs find it among the facts of the summary. */
	if (!report->request->format->has_head)
		return;
	if (report->request->state)
		put_line(&head, report->request->state);
	put_session(&head);
	put_chosen(&head);
	put_slices(&head);
	put_matches(&head);
	put_folded(&head);
	if (head.lines > 0)
		out_char(out, '\n');
}

/* ---- printing ---- */

static int rows(struct report *report, struct sink *sink, struct error *error)
{
	const struct view *view = report->request->view;

	(view->rows ? view->rows : report_rows)(report, sink);
	return report->model->store->failed ? model_no_memory(error) : 0;
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
		failed = rows(report, &sink, error);
		sink.measuring = false;
	}
	if (failed == 0) {
		print_head(report, out);
		if (sink.text.failed != 0)
			out->failed = sink.text.failed;
		request->format->begin(&sink);
		failed = rows(report, &sink, error);
	}
	if (failed == 0) {
		note_adjustment(report, &sink);
		note_chosen(report, &sink);
		if (request->format->end)
			request->format->end(&sink);
	}
	sink_fini(&sink);
	return failed;
}

/* Columns, order, rows. */
static int print_view(struct report *report, struct out *out, struct error *error)
{
	const struct report_request *request = report->request;
	const struct model *model = report->model;
	int failed;

	/* A walk over all nodes, needed only where shares are shown. */
	if (request->format->shares || request->min > 0 || request->view->merges ||
		model->condition_count > 0)
		model_whole(model, report->whole);
	report->sheet.view = request->view->name;
	report->sheet.metric = model->metric;
	report->sheet.metric_count = model->metric_count;
	if (request->choice.files.count > 0 && !request->view->io &&
		(request->view->by & BY_FILE) && report_find_io(report) != 0)
		return model_no_memory(error);
	request->view->columns(report);
	failed = choose_sort(report, error);
	if (failed == 0 && request->view->open(report) != 0)
		failed = model_no_memory(error);
	return failed == 0 ? print_rows(report, out, error) : failed;
}

/* The choice of a view that puts threads together: of the program's alone, unless the user named some. */
static struct model_choice merged_choice(const struct model_choice *choice)
{
	struct model_choice merged = *choice;

	merged.merge_threads = true;
	merged.program_alone = merged.threads.count == 0;
	return merged;
}

/* The view, which puts threads together, of a model that does not: of one of its own. */
static int view_merged(const struct model *model, const struct report_request *request,
	struct out *out, uint64_t *violations, struct error *error)
{
	struct model_choice choice = merged_choice(model->choice);
	struct model merged;
	int failed = model_init(&merged, model->read, &choice, error);

	if (failed == 0)
		failed = report_view(&merged, request, out, violations, error);
	model_fini(&merged);
	return failed;
}

/* What the view puts methods together by. name: of definitions, a file; or NULL. */
static int choose_components(struct components *components, const struct view *view,
	const struct profile *profile, const char *name, struct error *error)
{
	return view->by_loader ? components_of_loaders(components, profile, error)
			       : components_choose(components, profile, name, error);
}

/* The view, which puts methods together by component, of a model that does not: of one of its own, with the components that the
 * profile has, or the ready-made ones. */
static int view_folded(const struct model *model, const struct report_request *request,
	struct out *out, uint64_t *violations, struct error *error)
{
	struct components components;
	struct model_choice choice = *model->choice;
	struct model folded = {0};
	int failed = choose_components(&components, request->view, model->read, NULL, error);

	if (request->view->merges)
		choice = merged_choice(&choice);
	choice.components = &components;
	if (failed == 0)
		failed = model_init(&folded, model->read, &choice, error);
	if (failed == 0)
		failed = report_view(&folded, request, out, violations, error);
	model_fini(&folded);
	components_fini(&components);
	return failed;
}

int report_view(const struct model *model, const struct report_request *request,
	struct out *out, uint64_t *violations, struct error *error)
{
	struct report report = {.model = model, .request = request};
	int failed;

	*violations = 0;
	if (request->view->folds && !model->choice->components)
		return view_folded(model, request, out, violations, error);
	if (request->view->merges && !model->choice->merge_threads)
		return view_merged(model, request, out, violations, error);
	if (request->format->walk)
		failed = request->format->walk(model, out) != 0 ? model_no_memory(error) : 0;
	else
		failed = print_view(&report, out, error);
	*violations = report.violations;
	if (failed == 0 && out->failed == ENOMEM)
		failed = model_no_memory(error);
	return failed;
}

int report_put_profile(const struct profile *profile, const struct report_request *request,
	struct out *out, uint64_t *violations, struct error *error)
{
	struct model_choice choice = request->choice;
	bool folds = request->view->folds || request->by_component ||
		     (request->components && choice.within.count == 0);
	struct components components = {0};
	struct model model = {0};
	int failed = 0;

	if (request->view->merges)
		choice = merged_choice(&choice);
	choice.definitions = request->components;
	*violations = 0;
	if (folds) {
		failed = choose_components(
			&components, request->view, profile, request->components, error);
		choice.components = &components;
	}
	if (failed == 0)
		failed = model_init(&model, profile, &choice, error);
	if (failed == 0)
		failed = report_view(&model, request, out, violations, error);
	model_fini(&model);
	components_fini(&components);
	return failed;
}

int report_print(const struct profile *profile, const struct report_request *request, int fd,
	uint64_t *violations, struct error *error)
{
	struct out out;
	int failed;

	out_init(&out, fd);
	out.before_write = request->before_write;
	failed = report_put_profile(profile, request, &out, violations, error);
	if (failed == 0)
		failed = out_finish(&out, "report", error);
	out_fini(&out);
	return failed;
}
