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

static bool is_by_path(const struct view *view)
{
	return view->io || view->by_path;
}

static bool is_by_method(const struct view *view)
{
	return view->io || view->calls || view->by_method;
}

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

/* "tree, methods and callers": the views that an option is for. */
static void name_views(char *text, size_t size, bool (*fits)(const struct view *view))
{
	size_t used = 0, left = 0;

	for (size_t i = 0; i < view_count; i++)
		left += fits(views[i]);
	text[0] = '\0';
	for (size_t i = 0; i < view_count && used < size; i++) {
		if (!fits(views[i]))
			continue;
		left--;
		used += (size_t)snprintf(text + used, size - used, "%s%s", views[i]->name,
			left > 1    ? ", "
			: left == 1 ? " and "
				    : "");
	}
}

int request_check(const struct report_request *request, const struct model_choice *choice,
	bool has_source, struct error *error)
{
	const struct {
		const char *option;
		bool given;
		bool (*fits)(const struct view *view);
	} rows[] = {
		{"--path", choice->paths.count > 0, is_by_path},
		{"--method", choice->methods.count > 0, is_by_method},
		{"--min", request->min > 0, has_shares},
		{"--depth", request->depth > 0, has_levels},
		{"--call", request->call > 0, is_timeline},
		{"--merge-threads", choice->merge_threads, is_about_calls},
		{"--by", request->by_component, is_by_component},
		{"--components", request->components != NULL, is_by_component},
		{"--source", has_source, is_lines},
		{"--all", request->all, is_summary},
		{"--gc", request->gc, is_tree},
		{"--by", request->by != NULL, is_tags},
	};
	char names[256];

	if (request->view->knows_no_labels && !label_choice_is_all(&choice->labels))
		return error_set(error, ERROR_USAGE,
			"--tag and --value are not for '%s': it is of all that was recorded",
			request->view->name);
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		if (!rows[i].given || rows[i].fits(request->view))
			continue;
		name_views(names, sizeof(names), rows[i].fits);
		return error_set(error, ERROR_USAGE, "%s is for %s, not for '%s'",
			rows[i].option, names, request->view->name);
	}
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
	if (view->records && profile->record_count == 0)
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
