/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/* agent_words: see agent_words.h. */
#include "cli/record/agent_words.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/record/profile_file.h"
#include "cli/terminal/outcome.h"
#include "cli/terminal/waiting.h"
#include "options/nearest.h"
#include "options/options.h"

/* ---- words ---- */

static int take_option(struct agent_words *words, const char *key, const char *value)
{
	bool is_file = strcmp(key, "file") == 0, is_relative;
	struct error error = {0};
	char *whole;
	int failed;

	if (words->has_duration && strcmp(key, "duration") == 0) {
		if (words->duration != 0)
			return command_usage(words->command, "--duration is given twice");
		if (waiting_read_span(value, &words->duration, &error) == 0)
			return EXIT_DONE;
		return command_usage(words->command, "--duration: %s", error.text);
	}
	if (words->has_duration && !options_is_key(key) &&
		nearest_distance(key, "duration", false) < 4)
		return command_usage(words->command,
			"unknown option '--%s'; did you mean '--duration'?", key);
	/* A process that works elsewhere gets whole paths. That of the profile may hold
	 * more. */
	is_relative = words->folder && !is_file && options_is_relative(key, value);
	if (asprintf(&whole, "%s%s%s", is_relative ? words->folder : "", is_relative ? "/" : "",
		    value) < 0)
		return command_no_memory();
	failed = options_append(is_file ? &words->file : &words->options, key, whole, &error);
	free(whole);
	if (failed == 0)
		return EXIT_DONE;
	if (error.code == ERROR_MEMORY)
		return command_failed(&error);
	return command_usage(words->command, "%s", error.text);
}

int agent_words_take(struct agent_words *words, int argc, char **argv, int *at)
{
	const char *name = argv[*at] + strlen("--");
	size_t length = strcspn(name, "=");
	const char *value = name[length] == '=' ? name + length + 1 : NULL;
	char *key = strndup(name, length);
	int status;

	if (!key)
		return command_no_memory();
	if (!value && *at + 1 < argc)
		value = argv[++*at];
	if (!value)
		status = command_usage(words->command, "--%s needs a value", key);
	else
		status = take_option(words, key, value);
	free(key);
	return status;
}

char *agent_words_join(const struct agent_words *words)
{
	const char *options = words->options ? words->options : "";
	const char *file = words->file ? words->file : "";
	char *all;

	return asprintf(&all, "%s%s%s", options, options[0] && file[0] ? "," : "", file) < 0
		       ? NULL
		       : all;
}

void agent_words_fini(struct agent_words *words)
{
	free(words->options);
	free(words->file);
}

/* ---- the request ---- */

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

int start_request_read(
	struct start_request *request, const struct agent_words *words, struct error *error)
{
	char *all = agent_words_join(words),
	     *given = all ? options_given_json(all, error) : NULL;
	json_t *options = given ? json_loads(given, 0, NULL) : NULL;

	free(all);
	free(given);
	*request = (struct start_request){0};
	return options ? start_request_take(request, options, error) : no_memory(error);
}

int start_request_take(struct start_request *request, json_t *options, struct error *error)
{
	const char *key, *file;
	char path[PATH_MAX];
	json_t *value;
	int failed = 0;

	*request = (struct start_request){.options = options};
	value = json_object_get(request->options, "start");
	request->has_start = value;
	request->is_plain = true;
	request->is_armed =
		json_is_false(value) ||
		(json_is_string(value) && strcmp(json_string_value(value), "no") == 0);
	json_object_del(request->options, "start");
	file = json_string_value(json_object_get(request->options, "calibration"));
	/* The JVM has a working directory of its own: a calibration's path begins at this one. */
	if (file && options_is_relative("calibration", file)) {
		if (!realpath(file, path))
			failed = error_set_errno(error, ERROR_IO, errno,
				"cannot read calibration file '%s'", error_subject(file).text);
		else if (json_object_set_new(
				 request->options, "calibration", json_string(path)) != 0)
			failed = no_memory(error);
	}
	if (failed == 0)
		failed = options_append(&request->load, "start", "no", error);
	json_object_foreach(request->options, key, value)
	{
		char number[32];

		request->is_plain &= is_for_loading(key);
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

int start_request_ask(struct start_request *request, struct control *control,
	const struct target *target, json_t **members, struct error *error)
{
	json_t *hello = NULL;
	const char *loaded = "attach";
	int failed = 0;

	*members = NULL;
	if (request->has_start)
		return error_set(error, ERROR_VALUE, START_IS_FOR_LOADING);
	if (!json_object_get(request->options, "file")) {
		failed = control_ask(control, "hello", NULL, &hello, error);
		loaded = json_string_value(json_object_get(hello, "loaded"));
	}
	/* An agent that was loaded late knows no file but its default, which would be in the
	 * JVM's own working directory. */
	if (failed == 0 && loaded && strcmp(loaded, "attach") == 0)
		failed = start_request_place(request, target, error);
	if (failed == 0 && json_object_size(request->options) > 0) {
		*members = json_pack("{s:O}", "options", request->options);
		if (!*members)
			failed = no_memory(error);
	}
	json_decref(hello);
	return failed;
}

int start_request_sign(json_t **members, const char *name, const char *by, struct error *error)
{
	json_t *word = name ? json_string(name) : NULL;

	if (name && !word)
		return error_set(error, ERROR_VALUE, "the session's name is not UTF-8");
	if (!*members)
		*members = json_object();
	if (json_object_set_new(*members, "by", json_string(by)) != 0 ||
		(word && json_object_set(*members, "name", word) != 0))
		no_memory(error);
	json_decref(word);
	return -(int)error->code;
}
