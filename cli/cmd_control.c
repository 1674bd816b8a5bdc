/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/*
 * jprof start, stop, status, snapshot, reset, trace, scope, deadlocks, detach: one request to the agent in a JVM.
 *
 * A verb is a row: which words it takes, and what its answer says.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "cli/attach/control_client.h"
#include "cli/attach/jvm_list.h"
#include "cli/commands.h"
#include "cli/record/agent_words.h"
#include "cli/record/profile_file.h"
#include "cli/status_text.h"
#include "cli/terminal/command_options.h"
#include "cli/terminal/screen.h"
#include "cli/terminal/waiting.h"
#include "error/harmless.h"
#include "options/nearest.h"
#include "profile/kinds.h"

/* Milliseconds: between two answers of --watch; and the pieces in which it waits. */
enum { WATCH_PERIOD = 1000, WATCH_STEP = 100, LONGEST_REST = 60000 };

/* How much longer than a look the time between two of --watch is at least. */
enum { LOOK_SHARE = 20 };

struct verb;

struct control_command {
	const struct verb *verb;
	pid_t pid;
	const char *name;         /* of the session that is meant, borrowed, or NULL */
	const char *label;        /* the verb's own word, borrowed, or NULL */
	json_t *on, *off;         /* names of traces, owned, or NULL */
	bool switches;            /* some were given */
	struct agent_words words; /* of start */
	int64_t watch;            /* milliseconds; 0: once */
	bool is_json;
	bool writes;     /* of trace */
	bool all;        /* the whole state, with --watch, too; all sessions */
	bool everything; /* of scope: there is to be none */
	int64_t looked;  /* ms that the last look took in the process */
	bool has_found;  /* deadlocks: the command's status says so */
	bool is_untold;  /* there was no memory for what the answer says */
	unsigned shown;  /* lines on the terminal that the next answer replaces */
	unsigned width;  /* of the table of sessions; 0: the terminal's */
	struct target target;
	struct control control;
};

struct verb {
	const char *name;
	const struct command_table *table; /* of its options */
	const char *label; /* the member that its own word is; NULL: it has none */
	bool has_switches; /* +NAME and -NAME */
	/* Tells the user. file: the profile that the answer names, as we reach it; or NULL. */
	void (*tell)(struct control_command *command, const json_t *result, const char *file);
};

/* ---- start ---- */

static json_t *start_members(struct control_command *command, struct error *error)
{
	struct start_request request;
	json_t *members = NULL;

	if (start_request_read(&request, &command->words, error) != 0)
		return NULL;
	start_request_ask(&request, &command->control, &command->target, &members, error);
	start_request_fini(&request);
	if (error->code == ERROR_NONE)
		start_request_sign(&members, command->name, "jprof start", error);
	return members;
}

static void tell_start(struct control_command *command, const json_t *result, const char *file)
{
	fprintf(stderr, "jprof: recording into ");
	profile_file_put(file ? file : "a file");
	if (!status_put_session(result, command->name, (long)command->pid))
		fprintf(stderr, "; end it with: jprof stop %ld\n", (long)command->pid);
	status_say_matches(json_object_get(result, "matches"), false);
}

/* ---- stop, snapshot, reset, detach ---- */

/* Where the profile of each session is, and what matched nothing in it. False: the answer tells
 * of one alone, or of none. */
static bool tell_sessions(struct control_command *command, const json_t *result)
{
	const json_t *sessions = json_object_get(result, "sessions"), *row;
	size_t i;

	if (json_array_size(sessions) < 2)
		return false;
	json_array_foreach(sessions, i, row)
	{
		const char *name = json_string_value(json_object_get(row, "name"));
		const char *failure = json_string_value(json_object_get(row, "error"));
		const char *path = json_string_value(json_object_get(row, "file"));
		char *file = path ? target_path_here(&command->target, path) : NULL;

		if (failure)
			say("session '%s': %s", name ? name : "?", failure);
		if (file)
			profile_file_say(name, file);
		status_say_matches(json_object_get(row, "matches"), true);
		free(file);
	}
	return true;
}

static void tell_stop(struct control_command *command, const json_t *result, const char *file)
{
	if (tell_sessions(command, result))
		return;
	if (file)
		profile_file_say(NULL, file);
	else
		fprintf(stderr, "jprof: the recording in process %ld has ended\n",
			(long)command->pid);
	status_say_matches(json_object_get(result, "matches"), true);
}

static void tell_snapshot(
	struct control_command *command, const json_t *result, const char *file)
{
	const char *label = json_string_value(json_object_get(result, "label"));

	fprintf(stderr, "jprof: snapshot ");
	profile_file_put(label ? label : "?");
	fprintf(stderr, " of process %ld is in its profile\n", (long)command->pid);
}

static void tell_reset(struct control_command *command, const json_t *result, const char *file)
{
	fprintf(stderr, "jprof: the recording in process %ld begins anew\n",
		(long)command->pid);
}

static void tell_scope(struct control_command *command, const json_t *result, const char *file)
{
	if (command->everything)
		say("everything is recorded in process %ld", (long)command->pid);
	else
		say("what is recorded in process %ld is '%s'", (long)command->pid,
			command->label);
}

static bool names_trace(const json_t *names, const char *trace)
{
	const json_t *name;
	size_t i;

	json_array_foreach(names, i, name)
	{
		if (json_is_string(name) && strcmp(json_string_value(name), trace) == 0)
			return true;
	}
	return false;
}

/* "on:  locks" */
static void list_traces(const char *heading, const json_t *on, bool are_on)
{
	bool any = false;

	fputs(heading, stdout);
	for (int kind = 0; kind < TRACE_KINDS; kind++) {
		if (names_trace(on, trace_kind_names[kind]) != are_on)
			continue;
		printf(" %s", trace_kind_names[kind]);
		any = true;
	}
	puts(any ? "" : " none");
}

static void tell_trace(struct control_command *command, const json_t *result, const char *file)
{
	const json_t *traces = json_object_get(result, "traces"), *name;
	size_t i;

	if (!command->switches && !command->writes) {
		list_traces("on: ", traces, true);
		list_traces("off:", traces, false);
		return;
	}
	fprintf(stderr, "jprof: traces of process %ld that are on:", (long)command->pid);
	json_array_foreach(traces, i, name)
	{
		fputc(' ', stderr);
		harmless_put(stderr, json_is_string(name) ? json_string_value(name) : "?");
	}
	fputs(json_array_size(traces) > 0 ? "\n" : " none\n", stderr);
	if (command->writes)
		fputs("jprof: the events that were kept are in the profile\n", stderr);
}

static void tell_detach(struct control_command *command, const json_t *result, const char *file)
{
	fprintf(stderr, "jprof: the agent is out of process %ld\n", (long)command->pid);
	if (tell_sessions(command, result))
		return;
	if (file)
		profile_file_say(NULL, file);
	status_say_matches(json_object_get(result, "matches"), true);
}

/* ---- options ---- */

#define NAME_OPTION                                                                            \
	{                                                                                      \
		"--name", "NAME", "the session that is meant, of several", take_some_text,     \
			offsetof(struct control_command, name)                                 \
	}
#define TABLE_OF(verb, rows)                                                                   \
	{                                                                                      \
		verb, rows, sizeof(rows) / sizeof(*(rows)), NULL, false                        \
	}

static const struct command_option start_options[] = {
	{"--name", "NAME", "what the session is called: s1, s2, ... unless given",
		take_some_text, offsetof(struct control_command, name)},
};

const struct command_table start_table = TABLE_OF("start", start_options);

static const struct command_option stop_options[] = {
	NAME_OPTION,
	{"--all", NULL, "all sessions, whoever has begun them", take_flag,
		offsetof(struct control_command, all)},
};

const struct command_table stop_table = TABLE_OF("stop", stop_options);

static const struct command_option snapshot_options[] = {
	{"--name", "NAME", "in the profile of that session; in all of them unless given",
		take_some_text, offsetof(struct control_command, name)},
};

const struct command_table snapshot_table = TABLE_OF("snapshot", snapshot_options);

static const struct command_option reset_options[] = {NAME_OPTION};

const struct command_table reset_table = TABLE_OF("reset", reset_options);

static const struct command_option scope_options[] = {
	NAME_OPTION,
	{"--everything", NULL, "there is to be no scope any more", take_flag,
		offsetof(struct control_command, everything)},
};

const struct command_table scope_table = TABLE_OF("scope", scope_options);

static const struct command_option detach_options[] = {
	{"--all", NULL, "end others' sessions, too", take_flag,
		offsetof(struct control_command, all)},
};

const struct command_table detach_table = TABLE_OF("detach", detach_options);

static int take_watch(const struct taken *taken)
{
	struct control_command *command = taken->words;
	struct error error = {0};

	command->watch = WATCH_PERIOD;
	if (!taken->value || waiting_read_span(taken->value, &command->watch, &error) == 0)
		return EXIT_DONE;
	return command_usage(taken->command, "--watch: %s", error.text);
}

static const struct command_option status_options[] = {
	{"--watch", OPTIONAL_VALUE, "again every second, or every VALUE seconds", take_watch,
		0},
	{"--all", NULL, "the whole state, with --watch, too", take_flag,
		offsetof(struct control_command, all)},
	{"--format", "text|json", "text unless given", take_json,
		offsetof(struct control_command, is_json)},
	{"--name", "NAME", "the state of that session", take_some_text,
		offsetof(struct control_command, name)},
	{"--width", "N", "lay the table of sessions out for so many columns, in a pipe, too",
		take_width, offsetof(struct control_command, width)},
};

/* What follows --watch may be the process, where that is not known yet. */
const struct command_table status_table = {
	"status", status_options, sizeof(status_options) / sizeof(*status_options), NULL, true};

static const struct command_option trace_options[] = {
	{"--write", NULL, "write the events that events_keep keeps into the profile", take_flag,
		offsetof(struct control_command, writes)},
	NAME_OPTION,
};

/* ---- status ---- */

const struct command_table trace_table = {
	"trace", trace_options, sizeof(trace_options) / sizeof(*trace_options), NULL, true};

/* Over the lines of before: each is written and its rest cleared, so that nothing flickers. One
 * write. */
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

static void tell_status(struct control_command *command, const json_t *result, const char *file)
{
	const json_t *rates = json_object_get(result, "rates");
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
		lines = status_text(result, command->name, width,
			width ? width : screen_read(command->width).width);
	else
		lines = status_rates(result, (long)command->pid, width);
	command->looked = json_integer_value(json_object_get(rates, "took_ns")) / 1000000;
	command->is_untold = !lines;
	if (lines && width > 0)
		replace_lines(command, lines);
	else if (lines)
		printf("%s%s", lines, command->is_json || command->watch != 0 ? "\n" : "");
	free(lines);
}

/* ---- the verbs ---- */

/* ---- deadlocks ---- */

static const struct command_option deadlocks_options[] = {
	{"--format", "text|json", "text unless given", take_json,
		offsetof(struct control_command, is_json)},
};

const struct command_table deadlocks_table = {"deadlocks", deadlocks_options,
	sizeof(deadlocks_options) / sizeof(*deadlocks_options), NULL, false};

static void put_text(const json_t *object, const char *member)
{
	const char *text = json_string_value(json_object_get(object, member));

	harmless_put(stdout, text && *text ? text : "?");
}

/* What it waits for; not every JVM that was attached to tells which monitor. */
static void put_lock(const json_t *row)
{
	const char *class_name = json_string_value(json_object_get(row, "class"));
	json_int_t number = json_integer_value(json_object_get(row, "number"));

	if (!class_name || !*class_name) {
		printf("a monitor");
		return;
	}
	harmless_put(stdout, class_name);
	if (number != 0)
		printf("@%llx", (unsigned long long)number);
}

static void tell_deadlocks(
	struct control_command *command, const json_t *result, const char *file)
{
	const json_t *circles = json_object_get(result, "deadlocks"), *circle, *row;
	size_t i, at;
	char *text;

	command->has_found = json_array_size(circles) > 0;
	if (command->is_json) {
		text = json_dumps(result, JSON_COMPACT);
		command->is_untold = !text;
		if (text)
			printf("%s\n", text);
		free(text);
		return;
	}
	if (!command->has_found)
		printf("no deadlock in process %ld\n", (long)command->pid);
	json_array_foreach(circles, i, circle)
	{
		printf("%sdeadlock of %zu threads\n", i ? "\n" : "", json_array_size(circle));
		json_array_foreach(circle, at, row)
		{
			printf("  ");
			put_text(row, "thread");
			printf("  waits for ");
			put_lock(row);
			printf(", held by ");
			put_text(row, "holder");
			printf("\n");
		}
	}
}

static const struct verb verbs[] = {
	{"start", &start_table, NULL, false, tell_start},
	{"stop", &stop_table, NULL, false, tell_stop},
	{"status", &status_table, NULL, false, tell_status},
	{"snapshot", &snapshot_table, "label", false, tell_snapshot},
	{"reset", &reset_table, NULL, false, tell_reset},
	{"trace", &trace_table, NULL, true, tell_trace},
	{"scope", &scope_table, "value", false, tell_scope},
	{"deadlocks", &deadlocks_table, NULL, false, tell_deadlocks},
	{"detach", &detach_table, NULL, false, tell_detach},
};

static bool is_verb(const struct control_command *command, const char *name)
{
	return strcmp(command->verb->name, name) == 0;
}

/* ---- words ---- */

/* A word that switches a trace: +locks, -gc. */
static bool is_switch(const struct control_command *command, const char *word)
{
	return command->verb->has_switches && (*word == '+' || *word == '-') &&
	       word[1] != '\0' && word[1] != '-';
}

static bool names_kind(const char *word)
{
	for (int kind = 0; kind < TRACE_KINDS; kind++)
		if (strcmp(trace_kind_names[kind], word) == 0)
			return true;
	return false;
}

static int take_switch(struct control_command *command, const char *word)
{
	json_t **names = *word == '+' ? &command->on : &command->off;
	struct choices choices = {.nearest.wanted = word + 1};

	for (int kind = 0; kind < TRACE_KINDS; kind++)
		choices_add(&choices, trace_kind_names[kind]);
	if (!names_kind(word + 1))
		return command_usage(
			"trace", "no trace '%s'%s", word + 1, choices_text(&choices, "traces"));
	if (!*names)
		*names = json_array();
	json_array_append_new(*names, json_string(word + 1));
	command->switches = true;
	return EXIT_DONE;
}

/* Beside the agent's options, which are read by another table. */
static bool is_name_option(const char *word)
{
	return strcmp(word, "--name") == 0 || strncmp(word, "--name=", 7) == 0;
}

/* What does not go together, or is missing. */
static int check_words(const struct control_command *command)
{
	const char *verb = command->verb->name;

	if (command->pid == 0)
		return command_usage(verb, "no process id given");
	if (is_verb(command, "stop") && command->name && command->all)
		return command_usage(verb, "--name and --all exclude each other");
	if (is_verb(command, "scope") && !command->label == !command->everything)
		return command_usage(verb, "either a scope is wanted, tag:KEY=PATTERN, or "
					   "--everything");
	return EXIT_DONE;
}

static int read_words(struct control_command *command, int argc, char **argv)
{
	const struct verb *verb = command->verb;
	struct error error = {0};
	int status = EXIT_DONE;

	for (int at = 1; at < argc && status == EXIT_DONE; at++) {
		const char *word = argv[at];
		bool is_option = strncmp(word, "--", 2) == 0;
		if (is_switch(command, word))
			status = take_switch(command, word);
		else if (!is_option && command->pid == 0)
			status = jvm_list_find(word, &command->pid, &error) == 0
					 ? EXIT_DONE
					 : command_usage(verb->name, "%s", error.text);
		else if (verb->has_switches && names_kind(word))
			status = command_usage(
				verb->name, "say +%s to switch it on, -%s off", word, word);
		else if (!is_option && (!verb->label || command->label))
			status = command_usage(verb->name, "one word too many: '%s'", word);
		else if (!is_option)
			command->label = word;
		else if (is_verb(command, "start") && !is_name_option(word))
			status = strcmp(word, "--start") == 0 ||
						 strncmp(word, "--start=", 8) == 0
					 ? command_usage("start", START_IS_FOR_LOADING)
					 : agent_words_take(&command->words, argc, argv, &at);
		else {
			struct command_table table = *verb->table;

			table.may_follow &= command->pid != 0;
			status = command_option_read(&table, command, argc, argv, &at);
		}
	}
	return status == EXIT_DONE ? check_words(command) : status;
}

/* ---- the request ---- */

/* A member of that text, unless it is NULL. */
static void put_word(json_t *members, const char *member, const char *text, struct error *error)
{
	json_t *word = text ? json_string(text) : NULL;

	if (text && !word)
		error_set(error, ERROR_VALUE, "the %s is not UTF-8", member);
	if (word && json_object_set_new(members, member, word) != 0)
		error_set(error, ERROR_MEMORY, "no memory");
}

/* Its members, owned; with error filled there may be none. */
static json_t *make_members(struct control_command *command, struct error *error)
{
	json_t *members;

	if (is_verb(command, "start"))
		return start_members(command, error);
	if (command->verb->has_switches)
		members = json_pack("{s:O*, s:O*, s:b}", "on", command->on, "off", command->off,
			"write", command->writes);
	else if (command->watch != 0)
		members = json_pack("{s:i}", "rates", RATES_TOP);
	else
		members = json_object();
	if (!members)
		error_set(error, ERROR_MEMORY, "no memory");
	put_word(members, "name", command->name, error);
	if (command->verb->label)
		put_word(members, command->verb->label, command->label, error);
	if (command->all && !is_verb(command, "status"))
		json_object_set_new(members, "all", json_true());
	return members;
}

static int ask(struct control_command *command, struct error *error)
{
	json_t *members = make_members(command, error), *result = NULL;
	int failed = -(int)error->code;
	const char *named;
	char *file = NULL;

	if (failed == 0)
		failed = control_ask(
			&command->control, command->verb->name, members, &result, error);
	/* Everything is undone when the agent closes the connection. */
	if (failed == 0 && is_verb(command, "detach")) {
		failed = control_await_end(&command->control, error);
		if (failed != 0 && target_is_ending(&command->target)) {
			*error = (struct error){0};
			failed = 0;
		}
	}
	if (failed == 0) {
		named = json_string_value(json_object_get(result, "file"));
		file = named ? target_path_here(&command->target, named) : NULL;
		command->verb->tell(command, result, file);
		if (command->is_untold)
			failed = error_set(error, ERROR_MEMORY, "no memory");
	}
	free(file);
	json_decref(result);
	json_decref(members);
	return failed;
}

/* Until Ctrl-C, or until the agent is gone: that is no failure. */
static int watch(struct control_command *command, struct error *error)
{
	int failed = 0;

	waiting_catch_interrupt();
	while (failed == 0 && !waiting_interrupted() && !target_ended(&command->target)) {
		int64_t rest, end, left;

		failed = ask(command, error);
		if (failed == 0 && command_flush() != EXIT_DONE)
			return -ERROR_IO;
		/* Until the next look: looks take a twentieth of the time at most. */
		rest = command->looked * LOOK_SHARE;
		end = waiting_until(
			rest > command->watch && rest < LONGEST_REST ? rest : command->watch);
		while (failed == 0 && !waiting_interrupted() &&
			!target_ended(&command->target) && (left = end - waiting_now()) > 0)
			waiting_sleep(left < WATCH_STEP ? left : WATCH_STEP);
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

	while (!is_verb(&command, argv[0]))
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
	json_decref(command.on);
	json_decref(command.off);
	agent_words_fini(&command.words);
	if (status == EXIT_DONE)
		status = command_flush();
	return status == EXIT_DONE && command.has_found ? EXIT_FAILED : status;
}
