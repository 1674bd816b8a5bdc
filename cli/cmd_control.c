/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/*
 * jprof start, stop, status, snapshot, reset, detach: one request to the agent in a JVM.
 *
 * A verb is a row: which words it takes, what goes into the request, what its answer
 * says.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "cli/attach/control_client.h"
#include "cli/attach/jvm_list.h"
#include "cli/commands.h"
#include "cli/matches_text.h"
#include "cli/rates_text.h"
#include "cli/record/agent_words.h"
#include "cli/record/profile_file.h"
#include "cli/record/start_request.h"
#include "cli/status_text.h"
#include "cli/terminal/command_options.h"
#include "cli/terminal/waiting.h"
#include "options/choices.h"

/* Milliseconds: between two answers of --watch; and the pieces in which it waits. */
enum { WATCH_PERIOD = 1000, WATCH_STEP = 100, LONGEST_REST = 60000 };

/* How much longer than a look the time between two of --watch is at least. */
enum { LOOK_SHARE = 20 };

struct verb;

struct control_command {
	const struct verb *verb;
	pid_t pid;
	const char *label;        /* of a snapshot, borrowed, or NULL */
	struct agent_words words; /* of start */
	int64_t watch;            /* milliseconds; 0: once */
	bool is_json;
	bool all;       /* the whole state, with --watch, too */
	int64_t looked; /* ms that the last look took in the process */
	unsigned shown; /* lines on the terminal that the next answer replaces */
	struct target target;
	struct control control;
};

struct verb {
	const char *name;
	/* Takes a word that begins with "--", or NULL: there are none. An exit status. */
	int (*take_option)(struct control_command *command, int argc, char **argv, int *at);
	bool has_label;
	/* The request's members, owned, or NULL for none; NULL too with error filled. */
	json_t *(*members)(struct control_command *command, struct error *error);
	/* Tells the user; 0, or a negative code. */
	int (*tell)(struct control_command *command, const json_t *result, struct error *error);
};

/* ---- start ---- */

#define START_IS_FOR_LOADING "'start' is an option of 'jprof attach' and 'jprof run' only"

static int start_option(struct control_command *command, int argc, char **argv, int *at)
{
	if (strcmp(argv[*at], "--start") == 0 || strncmp(argv[*at], "--start=", 8) == 0)
		return command_usage("start", START_IS_FOR_LOADING);
	return agent_words_take(&command->words, argc, argv, at);
}

/* An agent that was loaded late knows no file but its default, which would be in the
 * JVM's own working directory. */
static int place_file(
	struct control_command *command, struct start_request *request, struct error *error)
{
	json_t *hello = NULL;
	const char *loaded;
	bool is_late;

	/* In the config file. */
	if (request->has_start)
		return error_set(error, ERROR_VALUE, START_IS_FOR_LOADING);
	if (!json_object_get(request->options, "file")) {
		control_ask(&command->control, "hello", NULL, &hello, error);
		loaded = json_string_value(json_object_get(hello, "loaded"));
		is_late = loaded && strcmp(loaded, "attach") == 0;
		json_decref(hello);
		if (!is_late)
			return -(int)error->code;
	}
	return start_request_place(request, &command->target, error);
}

static json_t *start_members(struct control_command *command, struct error *error)
{
	struct start_request request;
	json_t *members = NULL;

	if (start_request_read(&request, &command->words, error) != 0)
		return NULL;
	if (place_file(command, &request, error) == 0 &&
		json_object_size(request.options) > 0) {
		members = json_pack("{s:O}", "options", request.options);
		if (!members)
			error_set(error, ERROR_MEMORY, "no memory");
	}
	start_request_fini(&request);
	return members;
}

/* The profile that an answer names, as we reach it; owned, or NULL. */
static char *file_of(const struct control_command *command, const json_t *result)
{
	const char *file = json_string_value(json_object_get(result, "file"));

	return file ? target_path_here(&command->target, file) : NULL;
}

static int tell_start(
	struct control_command *command, const json_t *result, struct error *error)
{
	char *file = file_of(command, result);

	(void)error;
	fprintf(stderr, "jprof: recording into ");
	profile_file_put(file ? file : "a file");
	fprintf(stderr, "; end it with: jprof stop %ld\n", (long)command->pid);
	free(file);
	matches_tell(json_object_get(result, "matches"), false);
	return 0;
}

/* ---- stop, snapshot, reset, detach ---- */

static int tell_stop(struct control_command *command, const json_t *result, struct error *error)
{
	char *file = file_of(command, result);

	(void)error;
	if (file)
		profile_file_say(NULL, file);
	else
		fprintf(stderr, "jprof: the recording in process %ld has ended\n",
			(long)command->pid);
	free(file);
	matches_tell(json_object_get(result, "matches"), true);
	return 0;
}

static json_t *snapshot_members(struct control_command *command, struct error *error)
{
	json_t *members;

	if (!command->label)
		return NULL;
	members = json_pack("{s:s}", "label", command->label);
	if (!members)
		error_set(error, ERROR_VALUE, "the label is not UTF-8");
	return members;
}

static int tell_snapshot(
	struct control_command *command, const json_t *result, struct error *error)
{
	const char *label = json_string_value(json_object_get(result, "label"));

	(void)error;
	fprintf(stderr, "jprof: snapshot ");
	profile_file_put(label ? label : "?");
	fprintf(stderr, " of process %ld is in its profile\n", (long)command->pid);
	return 0;
}

static int tell_reset(
	struct control_command *command, const json_t *result, struct error *error)
{
	(void)result;
	(void)error;
	fprintf(stderr, "jprof: the recording in process %ld begins anew\n",
		(long)command->pid);
	return 0;
}

/* Everything is undone when the agent closes the connection. */
static int tell_detach(
	struct control_command *command, const json_t *result, struct error *error)
{
	char *file;

	if (control_await_end(&command->control, error) != 0 &&
		!target_is_ending(&command->target))
		return -(int)error->code;
	*error = (struct error){0};
	fprintf(stderr, "jprof: the agent is out of process %ld\n", (long)command->pid);
	file = file_of(command, result);
	if (file)
		profile_file_say(NULL, file);
	free(file);
	matches_tell(json_object_get(result, "matches"), true);
	return 0;
}

/* ---- status ---- */

static bool is_option(const char *word)
{
	return strncmp(word, "--", 2) == 0;
}

static int unknown_status_option(const char *word)
{
	struct choices choices = {.nearest.wanted = word};

	choices_add(&choices, "--watch");
	choices_add(&choices, "--all");
	choices_add(&choices, "--format");
	return command_usage(
		"status", "unknown option '%s'%s", word, choices_text(&choices, "options"));
}

/* "--watch", and a number of seconds if one follows that is not the process. */
static int take_watch(struct control_command *command, int argc, char **argv, int *at)
{
	const char *value = argv[*at] + strlen("--watch");
	struct error error = {0};

	command->watch = WATCH_PERIOD;
	if (*value == '=')
		value++;
	else if (*value != '\0')
		return unknown_status_option(argv[*at]);
	else if (*at + 1 < argc && !is_option(argv[*at + 1]) && command->pid != 0)
		value = argv[++*at];
	else
		return EXIT_DONE;
	if (waiting_read_span(value, &command->watch, &error) == 0)
		return EXIT_DONE;
	return command_usage("status", "--watch: %s", error.text);
}

static int take_format(struct control_command *command, int argc, char **argv, int *at)
{
	static const char *const formats[] = {"text", "json", NULL};
	const char *value = argv[*at] + strlen("--format");
	int found;

	if (*value == '=')
		value++;
	else if (*at + 1 < argc)
		value = argv[++*at];
	else
		return command_usage("status", "--format needs a value");
	found = command_choose("status", "format", value, formats);
	command->is_json = found == 1;
	return found < 0 ? EXIT_USAGE : EXIT_DONE;
}

static int status_option(struct control_command *command, int argc, char **argv, int *at)
{
	if (strncmp(argv[*at], "--watch", strlen("--watch")) == 0)
		return take_watch(command, argc, argv, at);
	if (strcmp(argv[*at], "--format") == 0 || strncmp(argv[*at], "--format=", 9) == 0)
		return take_format(command, argc, argv, at);
	if (strcmp(argv[*at], "--all") != 0)
		return unknown_status_option(argv[*at]);
	command->all = true;
	return EXIT_DONE;
}

/* Over the lines of before: each is written and its rest cleared, so that nothing
 * flickers. One write. */
static void replace_lines(struct control_command *command, const char *lines)
{
	unsigned count = 0;

	if (command->shown > 0)
		printf("\033[%uA", command->shown);
	for (; *lines != '\0'; lines++) {
		if (*lines == '\n') {
			fputs("\033[K", stdout);
			count++;
		}
		fputc(*lines, stdout);
	}
	fputs("\033[J", stdout);
	command->shown = count;
}

/* With --watch: what happened since the last look. */
static json_t *status_members(struct control_command *command, struct error *error)
{
	json_t *members;

	if (command->watch == 0)
		return NULL;
	members = json_pack("{s:i}", "rates", RATES_TOP);
	if (!members)
		error_set(error, ERROR_MEMORY, "no memory");
	return members;
}

static int tell_status(
	struct control_command *command, const json_t *result, struct error *error)
{
	struct winsize size = {0};
	unsigned width = 0; /* of the terminal that lines are replaced on; 0: they are not */
	char *lines;

	if (command->watch != 0 && !command->is_json && isatty(STDOUT_FILENO))
		width = ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0
				? size.ws_col
				: 80;
	if (command->is_json)
		lines = json_dumps(result, JSON_COMPACT);
	else if (command->watch == 0 || command->all)
		lines = status_text(result, width);
	else
		lines = width > 0 ? rates_screen(result, (long)command->pid, width)
				  : rates_line(result);
	command->looked = json_integer_value(json_object_get(
				  json_object_get(result, "rates"), "took_ns")) /
			  1000000;
	if (!lines)
		return error_set(error, ERROR_MEMORY, "no memory");
	if (width > 0)
		replace_lines(command, lines);
	else
		printf("%s%s", lines, command->is_json || command->watch != 0 ? "\n" : "");
	free(lines);
	return 0;
}

/* ---- the verbs ---- */

static const struct verb verbs[] = {
	{"start", start_option, false, start_members, tell_start},
	{"stop", NULL, false, NULL, tell_stop},
	{"status", status_option, false, status_members, tell_status},
	{"snapshot", NULL, true, snapshot_members, tell_snapshot},
	{"reset", NULL, false, NULL, tell_reset},
	{"detach", NULL, false, NULL, tell_detach},
};

/* ---- words ---- */

static int take_plain(struct control_command *command, const char *word)
{
	const char *name = command->verb->name;
	struct error error = {0};

	if (command->pid == 0)
		return jvm_list_find(word, &command->pid, &error) == 0
			       ? EXIT_DONE
			       : command_usage(name, "%s", error.text);
	if (!command->verb->has_label || command->label)
		return command_usage(name, "one word too many: '%s'", word);
	command->label = word;
	return EXIT_DONE;
}

static int read_words(struct control_command *command, int argc, char **argv)
{
	const struct verb *verb = command->verb;
	int status = EXIT_DONE;

	for (int at = 1; at < argc && status == EXIT_DONE; at++) {
		if (!is_option(argv[at]))
			status = take_plain(command, argv[at]);
		else if (verb->take_option)
			status = verb->take_option(command, argc, argv, &at);
		else
			return command_usage(verb->name, "unknown option '%s'; '%s' has none",
				argv[at], verb->name);
	}
	if (status == EXIT_DONE && command->pid == 0)
		return command_usage(argv[0], "no process id given");
	return status;
}

/* ---- the request ---- */

static int ask(struct control_command *command, struct error *error)
{
	const struct verb *verb = command->verb;
	json_t *members = verb->members ? verb->members(command, error) : NULL;
	json_t *result = NULL;
	int failed = -(int)error->code;

	if (failed == 0)
		failed = control_ask(&command->control, verb->name, members, &result, error);
	if (failed == 0)
		failed = verb->tell(command, result, error);
	json_decref(result);
	json_decref(members);
	return failed;
}

/* Until the next look: looks take a twentieth of the time at most. */
static void wait_period(const struct control_command *command)
{
	int64_t rest = command->looked * LOOK_SHARE;
	int64_t end = waiting_until(
			rest > command->watch && rest < LONGEST_REST ? rest : command->watch),
		left;

	while (!waiting_interrupted() && !target_ended(&command->target) &&
		(left = end - waiting_now()) > 0)
		waiting_sleep(left < WATCH_STEP ? left : WATCH_STEP);
}

/* Until Ctrl-C, or until the agent is gone: that is no failure. */
static int watch(struct control_command *command, struct error *error)
{
	int failed = 0;

	waiting_catch_interrupt();
	while (failed == 0 && !waiting_interrupted() && !target_ended(&command->target)) {
		failed = ask(command, error);
		if (failed == 0 && command_flush() != EXIT_DONE)
			return -ERROR_IO;
		if (failed == 0)
			wait_period(command);
	}
	if (failed == -ERROR_IO ? target_is_ending(&command->target)
				: target_ended(&command->target))
		fprintf(stderr, "jprof: process %ld has ended\n", (long)command->pid);
	else if (failed == -ERROR_IO)
		fprintf(stderr, "jprof: the agent has left process %ld\n", (long)command->pid);
	else
		return failed;
	return 0;
}

int cmd_control(int argc, char **argv)
{
	struct control_command command = {.verb = verbs, .words = {.command = argv[0]}};
	struct error error = {0};
	int status, failed;

	while (strcmp(command.verb->name, argv[0]) != 0)
		command.verb++; /* the table of commands names no other ones */
	status = read_words(&command, argc, argv);
	failed = status == EXIT_DONE ? target_open(&command.target, command.pid, &error) : 0;
	if (status == EXIT_DONE && failed == 0) {
		failed = control_open(&command.control, &command.target, &error);
		if (failed == 0)
			failed = command.watch != 0 ? watch(&command, &error)
						    : ask(&command, &error);
		control_close(&command.control);
		target_close(&command.target);
	}
	if (failed != 0)
		status = error.code != ERROR_NONE ? command_failed(&error) : EXIT_FAILED;
	agent_words_fini(&command.words);
	return status != EXIT_DONE ? status : command_flush();
}
