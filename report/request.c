/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/* request: see request.h. */
#include "report/request.h"

#include <errno.h>
#include <stdlib.h>

#include "options/nearest.h"

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

bool request_is_number(const char *value, uint64_t *number)
{
	char *end;

	errno = 0;
	*number = strtoull(value, &end, 10);
	return value[0] >= '0' && value[0] <= '9' && *end == '\0' && errno == 0;
}

int request_take_number(
	uint64_t *number, const char *option, const char *value, struct error *error)
{
	if (request_is_number(value, number) && *number > 0)
		return 0;
	return error_set(
		error, ERROR_USAGE, "%s needs a whole number above 0, not '%s'", option, value);
}

int request_take_min(double *min, const char *value, struct error *error)
{
	char *end;
	double percent = strtod(value, &end);

	end += *end == '%';
	if (value[0] < '0' || value[0] > '9' || *end != '\0' || !(percent <= 100))
		return error_set(error, ERROR_USAGE,
			"--min needs a percentage from 0%% to 100%%, not '%s'", value);
	*min = percent / 100;
	return 0;
}

int request_check(const struct report_request *request, const struct model_choice *choice,
	bool has_source, struct error *error)
{
	const struct view *view = request->view;
	const struct {
		const char *option;
		bool given, fits;
		const char *views;
	} rows[] = {
		{"--path", choice->paths.count > 0, view->io, "the views of I/O"},
		{"--method", choice->methods.count > 0, view->io || view->calls,
			"overview, tree, methods, callers, lines, states and the views of I/O"},
		{"--min", request->min > 0, view->calls,
			"overview, tree, methods, callers, lines and states"},
		{"--depth", request->depth > 0, view->levels, "tree"},
		{"--merge-threads", choice->merge_threads, view->calls,
			"overview, tree, methods, callers, lines and states"},
		{"--source", has_source, view == &view_lines, "lines"},
		{"--all", request->all, view == &view_summary, "summary"},
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		if (rows[i].given && !rows[i].fits)
			return error_set(error, ERROR_USAGE, "%s is for %s, not for '%s'",
				rows[i].option, rows[i].views, view->name);
	}
	return 0;
}

int request_check_profile(const struct view *view, const struct profile *profile,
	const char *file, struct error *error)
{
	if (view->records && profile->record_count == 0)
		return error_set(error, ERROR_MISSING,
			"'%s' has no records of single operations: they are made with "
			"io=records",
			file);
	if (view->samples && profile->condition_count == 0)
		return error_set(error, ERROR_MISSING,
			"'%s' has no samples: they are taken with sample=cpu:1ms", file);
	return 0;
}
