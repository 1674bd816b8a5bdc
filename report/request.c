/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/* request: see request.h. */
#include "report/request.h"

#include <stdio.h>
#include <string.h>

#include "options/nearest.h"
#include "options/number.h"
#include "report/model/labelled.h"
#include "report/model/trace_times.h"

/* The line for a word that is none of the names. */
static int refuse_name(
	const char *what, const char *whats, struct choices *choices, struct error *error)
{
	return error_set(error, ERROR_USAGE, "no %s '%s'%s", what, choices->nearest.wanted,
		choices_text(choices, whats));
}

int request_take_view(const struct view **view, const char *value, struct error *error)
{
	struct choices choices = {.nearest.wanted = value};

	for (size_t i = 0; i < view_count; i++) {
		choices_add(&choices, views[i]->name);
		if (strcmp(views[i]->name, value) != 0)
			continue;
		*view = views[i];
		return 0;
	}
	return refuse_name("view", "views", &choices, error);
}

int request_take_format(const struct format **format, const char *value, struct error *error)
{
	struct choices choices = {.nearest.wanted = value};

	for (size_t i = 0; i < format_count; i++) {
		choices_add(&choices, formats[i]->name);
		if (strcmp(formats[i]->name, value) != 0)
			continue;
		*format = formats[i];
		return 0;
	}
	return refuse_name("format", "formats", &choices, error);
}

int request_take_number(
	uint64_t *number, const char *option, const char *value, struct error *error)
{
	if (number_read(value, number) && *number > 0)
		return 0;
	return error_set(
		error, ERROR_USAGE, "%s needs a whole number above 0, not '%s'", option, value);
}

int request_take_min(double *min, const char *value, struct error *error)
{
	if (!number_read_percent(value, min) || *min > 1)
		return error_set(error, ERROR_USAGE,
			"--min needs a percentage from 0%% to 100%%, not '%s'", value);
	return 0;
}

/* ---- options that are for some views alone ---- */

static bool has_shares(const struct view *view)
{
	return view->io || view->calls || view->share || view == &view_slowest;
}

static bool is_about_calls(const struct view *view)
{
	return view->calls;
}

static bool has_levels(const struct view *view)
{
	return view->levels;
}

static bool is_lines(const struct view *view)
{
	return view == &view_lines;
}

static bool is_timeline(const struct view *view)
{
	return view == &view_timeline;
}

void request_take_by(struct report_request *request, const char *value)
{
	if (strcmp(value, "component") == 0)
		request->by_component = true;
	else
		request->by = value;
}

static bool is_by_component(const struct view *view)
{
	return view->may_fold || (view->folds && !view->by_loader);
}

static bool is_tree(const struct view *view)
{
	return view == &view_tree;
}

static bool is_tags(const struct view *view)
{
	return view == &view_tags;
}

static bool is_summary(const struct view *view)
{
	return view == &view_summary;
}

/* An option that is for some views alone: for those that may be chosen by that, or that fit. */
struct option_row {
	const char *option;
	bool given;
	enum chosen_by by;
	bool (*fits)(const struct view *view); /* NULL: by it is */
	const char *why_not; /* of the others; NULL: the line names those that it is for */
};

static bool is_for(const struct option_row *row, const struct view *view)
{
	return row->fits ? row->fits(view) : view->by & row->by;
}

/* "tree, methods and callers". */
static void name_views(char *text, size_t size, const struct option_row *row)
{
	size_t used = 0, left = 0;

	for (size_t i = 0; i < view_count; i++)
		left += is_for(row, views[i]);
	text[0] = '\0';
	for (size_t i = 0; i < view_count && used < size; i++) {
		if (!is_for(row, views[i]))
			continue;
		left--;
		used += (size_t)snprintf(text + used, size - used, "%s%s", views[i]->name,
			left > 1    ? ", "
			: left == 1 ? " and "
				    : "");
	}
}

static int refuse(const struct option_row *row, const struct view *view, struct error *error)
{
	char names[512];

	if (row->why_not)
		return error_set(error, ERROR_USAGE, "%s is not for '%s': %s", row->option,
			view->name, row->why_not);
	name_views(names, sizeof(names), row);
	return error_set(error, ERROR_USAGE, "%s is for %s, not for '%s'", row->option, names,
		view->name);
}

int request_check(const struct report_request *request, const struct model_choice *choice,
	bool has_source, struct error *error)
{
	static const char of_all[] = "it is of all that was recorded";
	bool has_tags = choice->labels.tags.count > 0, defines = request->components != NULL,
	     has_values = choice->labels.values.count > 0, within = choice->within.count > 0;
	const struct option_row rows[] = {
		{"--thread", choice->threads.count > 0, BY_THREAD, .why_not = of_all},
		{"--tag", has_tags, BY_LABEL, .why_not = of_all},
		{"--value", has_values, BY_LABEL, .why_not = of_all},
		{"--path", choice->paths.count > 0, BY_PLACE, .why_not = of_all},
		{"--component", within, BY_PLACE, .why_not = of_all},
		{"--method", choice->methods.count > 0, BY_METHOD, .why_not = NULL},
		{"--file", choice->files.count > 0, BY_FILE, .why_not = NULL},
		{"--min", request->min > 0, .fits = has_shares},
		{"--depth", request->depth > 0, .fits = has_levels},
		{"--call", request->call > 0, .fits = is_timeline},
		{"--merge-threads", choice->merge_threads, .fits = is_about_calls},
		{"--by", request->by_component, .fits = is_by_component},
		{"--components", defines && !within, .fits = is_by_component},
		{"--source", has_source, .fits = is_lines},
		{"--all", request->all, .fits = is_summary},
		{"--gc", request->gc, .fits = is_tree},
		{"--by", request->by != NULL, .fits = is_tags},
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		if (rows[i].given && !is_for(&rows[i], request->view))
			return refuse(&rows[i], request->view, error);
	return 0;
}

int request_check_profile(const struct report_request *request, const struct profile *profile,
	const char *file, struct error *error)
{
	const struct view *view = request->view;

	if (view->labels && !labels_are_there(profile, is_tags(view)))
		return error_set(error, ERROR_MISSING, "'%s' has no %s: record with %s", file,
			view->name,
			is_tags(view) ? "tags=KEY:PATTERN(WHAT), or set them from inside"
				      : "parameters=PATTERN(WHAT)");
	if (request->by && tags_check(profile, request->by, error) != 0)
		return -(int)error->code;
	/* What was chosen may have none. */
	if (view->records && profile->record_count == 0 && !profile->is_chosen)
		return error_set(error, ERROR_MISSING,
			"'%s' has no records of single operations: they are made with "
			"io=records",
			file);
	if (view->events && profile->event_block_count == 0)
		return error_set(error, ERROR_MISSING, "'%s' has no events: %s", file,
			trace_line(profile, TRACE_EVENTS).text);
	if (view->slices && profile->slice_count == 0)
		return error_set(error, ERROR_MISSING,
			"'%s' has no counts by time: record with resolution=1s", file);
	if (view->samples && profile->condition_count == 0)
		return error_set(error, ERROR_MISSING,
			"'%s' has no samples: they are taken with sample=cpu:1ms", file);
	return 0;
}
