/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/*
 * jprof attach: brings the agent into a running JVM and starts a recording.
 *
 * An agent that is there already is used. What this command brought it takes out again if
 * the recording cannot start, or when --duration is over.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/attach/agent_library.h"
#include "cli/attach/control_client.h"
#include "cli/attach/hotspot_attach.h"
#include "cli/attach/jvm_list.h"
#include "cli/commands.h"
#include "cli/java/known_jvms.h"
#include "cli/record/agent_words.h"
#include "cli/record/profile_file.h"
#include "cli/status_text.h"
#include "cli/terminal/command_options.h"
#include "cli/terminal/progress.h"
#include "cli/terminal/waiting.h"

/* Milliseconds between two looks at the target. */
enum { PAUSE = 100 };

struct attach {
	struct agent_words words;
	const char *name; /* of the session, borrowed; NULL: as the agent calls it */
	struct start_request request;
	pid_t pid;
	struct target target;
	struct control control;
	bool is_ours;    /* we loaded the agent */
	char *file;      /* the profile, as we reach it; owned, or NULL */
	json_t *started; /* what the agent has told of the session; owned, or NULL */
	/* what patterns have matched by the last answer; owned, or NULL */
	json_t *matches;
	bool is_empty; /* nothing can be in the profile for that */
};

/* ---- words ---- */

static const struct command_option attach_options[] = {
	{"--name", "NAME", "what the session is called: s1, s2, ... unless given",
		take_some_text, offsetof(struct attach, name)},
};

const struct command_table attach_table = {"attach", attach_options, 1, NULL, false};

static int read_request(struct attach *attach, int argc, char **argv)
{
	struct error error = {0};
	int status = EXIT_DONE;

	for (int at = 1; at < argc && status == EXIT_DONE; at++) {
		if (strcmp(argv[at], "--name") == 0 || strncmp(argv[at], "--name=", 7) == 0)
			status = command_option_read(&attach_table, attach, argc, argv, &at);
		else if (strncmp(argv[at], "--", 2) == 0)
			status = agent_words_take(&attach->words, argc, argv, &at);
		else if (attach->pid != 0)
			status = command_usage(
				"attach", "one process only, not '%s' too", argv[at]);
		else if (jvm_list_find(argv[at], &attach->pid, &error) != 0)
			status = command_usage("attach", "%s", error.text);
	}
	if (status != EXIT_DONE)
		return status;
	if (attach->pid == 0)
		return command_usage("attach", "no process id given");
	if (start_request_read(&attach->request, &attach->words, &error) != 0)
		return command_failed(&error);
	if (!attach->request.is_armed)
		return EXIT_DONE;
	if (attach->words.duration != 0)
		return command_usage("attach", "--start no and --duration exclude each other");
	if (attach->name)
		return command_usage("attach", "--start no and --name exclude each other");
	if (!attach->request.is_plain)
		return command_usage("attach", "with --start no only io_slots and log can be "
					       "given: give the others to "
					       "'jprof start'");
	return EXIT_DONE;
}

/* ---- reaching the agent ---- */

static int load_agent(struct attach *attach, struct error *error)
{
	const struct target *target = &attach->target;
	char library[PATH_MAX], *path;
	struct jvm_maps maps;
	int failed = hotspot_find_jvm(target, &maps, error);

	if (failed != 0)
		return failed;
	/* First, so that nothing is copied where it would be of no use. */
	failed = hotspot_wake(target, &maps, error);
	if (failed == 0)
		failed = agent_library_find(library, error);
	if (failed == 0)
		failed = agent_library_place(target, &maps, library, &path, error);
	if (failed == 0) {
		failed = hotspot_load(target, path, attach->request.load, error);
		free(path);
	}
	jvm_maps_fini(&maps);
	return failed;
}

/* The agent that was just loaded, or that another program has loaded meanwhile by other means
 * than this: the JVM then says that the agent did not start, and there is one that listens. */
static int load_and_reach(struct attach *attach, struct error *error)
{
	int failed = load_agent(attach, error);

	attach->is_ours = failed == 0;
	if (failed == -ERROR_BUSY) {
		struct error ignored = {0};

		if (control_open(&attach->control, &attach->target, &ignored) != 0)
			return failed;
		*error = (struct error){0};
		return 0;
	}
	if (failed != 0)
		return failed;
	start_request_loaded(&attach->request);
	failed = control_await(&attach->control, &attach->target, error);
	if (failed != -ERROR_MISSING)
		return failed;
	*error = (struct error){0};
	if (target_ended(&attach->target))
		return error_set(
			error, ERROR_MISSING, "process %ld has ended", (long)attach->pid);
	return error_set(error, ERROR_MISSING,
		"the agent in process %ld does not listen on a control socket; its own line "
		"is on the standard error of the process",
		(long)attach->pid);
}

/* ---- the recording ---- */

/* Unless somebody else records by now. Without a word: it is for cases in which something else
 * is to be told. */
static void take_out(struct attach *attach)
{
	struct error ignored = {0};
	json_t *result = NULL, *members = json_pack("{s:b}", "if_idle", 1);

	if (attach->is_ours && attach->control.descriptor >= 0 && members &&
		control_ask(&attach->control, "detach", members, &result, &ignored) == 0)
		control_await_end(&attach->control, &ignored);
	json_decref(members);
	json_decref(result);
}

/* Asks, and keeps what the answer says of the profile and of patterns. */
static int ask(struct attach *attach, const char *verb, json_t *members, struct error *error)
{
	json_t *result = NULL;
	int failed = control_ask(&attach->control, verb, members, &result, error);
	const char *file = json_string_value(json_object_get(result, "file"));

	if (failed == 0 && file && !attach->file) {
		attach->file = target_path_here(&attach->target, file);
		if (!attach->file)
			failed = error_set(error, ERROR_MEMORY, "no memory");
	}
	if (failed == 0) {
		json_decref(attach->matches);
		attach->matches = json_incref(json_object_get(result, "matches"));
	}
	if (failed == 0 && !attach->started)
		attach->started = json_incref(result);
	json_decref(result);
	return failed;
}

static int start(struct attach *attach, struct error *error)
{
	json_t *members;
	int failed = start_request_place(&attach->request, &attach->target, error);

	if (failed != 0)
		return failed;
	members = json_pack("{s:O}", "options", attach->request.options);
	/* The agent ends it, too: this command may be killed. */
	if (!members || (attach->words.duration != 0 &&
				json_object_set_new(members, "duration_ms",
					json_integer(attach->words.duration)) != 0))
		failed = error_set(error, ERROR_MEMORY, "no memory");
	if (failed == 0)
		failed = start_request_sign(&members, attach->name, "jprof attach", error);
	if (failed == 0)
		failed = ask(attach, "start", members, error);
	json_decref(members);
	return failed;
}

/* Ends this session, and no other one: it may be over, and another one of its name run. */
static int stop(struct attach *attach, struct error *error)
{
	json_t *number = json_object_get(attach->started, "number");
	json_t *members =
		json_pack("{s:O*}", "number", json_is_integer(number) ? number : NULL);
	int failed = members ? ask(attach, "stop", members, error)
			     : error_set(error, ERROR_MEMORY, "no memory");

	json_decref(members);
	return failed;
}

/* The target may end at any moment: that ends the recording, too. */
static int finish(struct attach *attach, struct error *error)
{
	int64_t begin = waiting_now(), all = attach->words.duration, done = 0, left;
	int failed;

	while (done < all && !waiting_interrupted() && !target_ended(&attach->target)) {
		passing_line_show(
			"%lld of %lld s", (long long)done / 1000, (long long)all / 1000);
		left = all - done;
		waiting_sleep(left < PAUSE ? left : PAUSE);
		done = waiting_now() - begin;
	}
	passing_line_erase();
	/* A connection of its own: the agent may drop one that was idle for so long. */
	control_close(&attach->control);
	failed = control_open(&attach->control, &attach->target, error);
	if (failed == 0)
		failed = stop(attach, error);
	take_out(attach);
	if (failed != 0 && !target_is_ending(&attach->target))
		return failed;
	if (failed != 0)
		fprintf(stderr, "jprof: process %ld has ended, and the recording with it\n",
			(long)attach->pid);
	if (attach->file && failed != 0 && !attach->target.same_view)
		say("the profile was '%s'; look for it where the files of that process are "
		    "kept",
			attach->file);
	else if (attach->file)
		profile_file_say(NULL, attach->file);
	/* Of a process that ended unasked nothing is known but what it said at first. */
	if (failed == 0)
		attach->is_empty = status_say_matches(attach->matches, true);
	return 0;
}

static int record(struct attach *attach, struct error *error)
{
	long pid = (long)attach->pid;
	int failed;

	/* One after the other: an agent that is loaded a second time says so on the standard
	 * error of the program, which is not ours to write to. */
	target_lock(&attach->target);
	failed = control_open(&attach->control, &attach->target, error);
	/* Any user can make a directory of that name: it does not keep the agent out. */
	if (failed == -ERROR_MISSING || failed == -ERROR_DENIED) {
		*error = (struct error){0};
		failed = load_and_reach(attach, error);
	}
	target_unlock(&attach->target);
	if (failed != 0)
		return failed;
	/* An agent that was there before does not get them. */
	if (attach->request.is_armed && !attach->is_ours &&
		json_object_size(attach->request.options) > 0)
		return error_set(error, ERROR_BUSY,
			"the agent is in process %ld already: io_slots and log with --start no "
			"are for loading it",
			pid);
	if (attach->request.is_armed) {
		fprintf(stderr,
			"jprof: the agent is in process %ld; start a recording with: "
			"jprof start %ld\n",
			pid, pid);
		return 0;
	}
	failed = waiting_interrupted() ? error_set(error, ERROR_USAGE, "interrupted")
				       : start(attach, error);
	if (failed != 0) {
		/* Another command was faster: that recording is not ours to end. */
		if (failed != -ERROR_BUSY)
			take_out(attach);
		return failed;
	}
	known_jvms_note_process(&attach->target);
	fprintf(stderr, "jprof: recording into ");
	profile_file_put(attach->file ? attach->file : "a file");
	if (attach->words.duration != 0)
		fprintf(stderr, " for %g s; Ctrl-C ends it now\n",
			(double)attach->words.duration / 1000);
	else if (!status_put_session(attach->started, attach->name, pid))
		fprintf(stderr, "; end it with: jprof stop %ld (or: jprof detach %ld)\n", pid,
			pid);
	status_say_matches(attach->matches, false);
	return attach->words.duration != 0 ? finish(attach, error) : 0;
}

int cmd_attach(int argc, char **argv)
{
	struct attach attach = {.words = {.command = "attach", .has_duration = true}};
	struct error error = {0};
	int status = read_request(&attach, argc, argv), failed = 0;

	if (status == EXIT_DONE)
		failed = target_open(&attach.target, attach.pid, &error);
	if (status == EXIT_DONE && failed == 0) {
		waiting_catch_interrupt();
		attach.control.descriptor = -1;
		failed = record(&attach, &error);
		control_close(&attach.control);
		target_close(&attach.target);
	}
	if (failed != 0)
		status = command_failed(&error);
	else if (attach.is_empty)
		status = EXIT_FAILED;
	start_request_fini(&attach.request);
	agent_words_fini(&attach.words);
	free(attach.file);
	json_decref(attach.matches);
	json_decref(attach.started);
	return status;
}
