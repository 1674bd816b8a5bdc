/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/* start_request: sorts options into those for loading and those for recording. */
#include "cli/record/start_request.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "cli/record/profile_file.h"
#include "options/options.h"

/* Whether an agent gets that when it is loaded: what it does not take later, and what it
 * says meanwhile. */
static bool is_for_loading(const char *key)
{
	return options_only_load(key) || strcmp(key, "log") == 0;
}

static int no_memory(struct error *error)
{
	return error_set(error, ERROR_MEMORY, "no memory to prepare the options");
}

/* The JVM has a working directory of its own: a calibration's path begins at this one. */
static int place_calibration(struct start_request *request, struct error *error)
{
	const char *file = json_string_value(json_object_get(request->options, "calibration"));
	char path[PATH_MAX];

	if (!file || file[0] == '/' || strcmp(file, "auto") == 0 || strcmp(file, "off") == 0)
		return 0;
	if (!realpath(file, path))
		return error_set_errno(error, ERROR_IO, errno,
			"cannot read calibration file '%s'", error_subject(file).text);
	return json_object_set_new(request->options, "calibration", json_string(path)) == 0
		       ? 0
		       : no_memory(error);
}

int start_request_read(
	struct start_request *request, const struct agent_words *words, struct error *error)
{
	char *all = agent_words_join(words),
	     *given = all ? options_given_json(all, error) : NULL;
	const char *key;
	json_t *value;
	int failed;

	*request = (struct start_request){.options = given ? json_loads(given, 0, NULL) : NULL};
	free(all);
	free(given);
	if (!request->options)
		return no_memory(error);
	value = json_object_get(request->options, "start");
	request->has_start = value;
	request->is_armed =
		json_is_false(value) ||
		(json_is_string(value) && strcmp(json_string_value(value), "no") == 0);
	json_object_del(request->options, "start");
	failed = place_calibration(request, error);
	if (failed == 0)
		failed = options_append(&request->load, "start", "no", error);
	json_object_foreach(request->options, key, value)
	{
		char number[32];

		if (failed != 0 || !is_for_loading(key))
			continue;
		/* The value as the option string has it: a text, or a whole number. */
		snprintf(number, sizeof(number), "%lld", (long long)json_integer_value(value));
		failed = options_append(&request->load, key,
			json_is_string(value) ? json_string_value(value) : number, error);
	}
	if (failed != 0)
		start_request_fini(request);
	return failed;
}

void start_request_fini(struct start_request *request)
{
	json_decref(request->options);
	free(request->load);
	*request = (struct start_request){0};
}

bool start_request_is_plain(const struct start_request *request)
{
	const char *key;
	json_t *value;

	json_object_foreach(request->options, key, value)
	{
		if (!is_for_loading(key))
			return false;
	}
	return true;
}

void start_request_loaded(struct start_request *request)
{
	const char *key;
	json_t *value;
	void *next;

	json_object_foreach_safe(request->options, next, key, value)
	{
		if (options_only_load(key))
			json_object_del(request->options, key);
	}
}

int start_request_place(
	struct start_request *request, const struct target *target, struct error *error)
{
	const char *file = json_string_value(json_object_get(request->options, "file"));
	char *path = profile_file_place(target, file, error);
	json_t *value;

	if (!path)
		return -(int)error->code;
	value = json_string(path);
	free(path);
	if (!value)
		return error_set(error, ERROR_VALUE,
			"the path of the profile is not UTF-8: give another with --file");
	return json_object_set_new(request->options, "file", value) == 0 ? 0 : no_memory(error);
}
