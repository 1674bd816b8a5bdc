/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/* recorder: see recorder.h. */
#include "agent/recording/recorder.h"

#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "agent/log/log.h"
#include "agent/recording/filter_check.h"
#include "agent/recording/recording.h"
#include "agent/recording/turn.h"
#include "agent/tracers/tracers.h"
#include "agent/session/session_matches.h"
#include "agent/threads/thread_events.h"
#include "agent/threads/threads.h"
#include "metric/clock.h"
#include "options/json_text.h"
#include "options/matches.h"
#include "profile/run_notes.h"

enum { NAME_BYTES = 32 + 1 };

/* Written by the command that has the turn. */
static struct options loaded;
static struct session *first; /* made when the agent was loaded, begins when the JVM can */
static _Atomic(struct session *) current; /* records; NULL: none does */
static unsigned begun;                    /* recordings, in the life of the process */
static bool is_open;

/* Whose the recording is. Written while nothing is recorded: whoever looks at the threads, or
 * has the turn, may read it. */
static struct {
	uint32_t number;
	char name[NAME_BYTES];
	char *owner;
} named;

/* ---- what is said ---- */

/* Says it to `jprof run`; or to the user who asked for a profile by the JVM's own command line. The standard
 * error of a JVM that was attached to is not that user's. */
static void say(void *user, const char *line)
{
	bool wanted = !recording_known()->attached && !run_notes_joined();

	run_notes_put(RUN_NOTE_REMARK, line, NULL);
	log_line(wanted ? LOG_WARN : LOG_INFO, "%s", line);
}

static void say_unmatched(struct session *session)
{
	json_t *rows = session_matches(session);
	const char *option = matches_nothing(rows);
	char line[80];

	matches_say(rows, true, MATCHES_SAID, say, NULL);
	if (option) {
		snprintf(line, sizeof(line), MATCHES_NOTHING, "", option);
		say(NULL, line);
	}
	json_decref(rows);
}

static int tell_session(struct session *session, void *argument, struct error *error)
{
	struct recorder_told *told = argument;

	told->name = strdup(named.name);
	told->number = named.number;
	told->path = session->path ? strdup(session->path) : NULL;
	told->matches = session_matches(session);
	return 0;
}

struct asked {
	uint32_t number;
	struct recorder_told *told;
};

static int tell_asked(struct session *session, void *argument, struct error *error)
{
	const struct asked *asked = argument;

	return asked->number == named.number ? tell_session(session, asked->told, error) : 0;
}

void recorder_tell(uint32_t number, struct recorder_told *told)
{
	struct error ignored = {0};

	*told = (struct recorder_told){0};
	recorder_with(tell_asked, &(struct asked){number, told}, &ignored);
}

void recorder_told_fini(struct recorder_told *told)
{
	free(told->name);
	free(told->path);
	json_decref(told->matches);
	json_decref(told->sessions);
	*told = (struct recorder_told){0};
}

/* The told session as the only one of a list. */
static void list_told(struct recorder_told *told, int code, const struct error *error)
{
	json_t *row = json_pack("{s:s*, s:I, s:o*, s:O*}", "name", told->name, "number",
		(json_int_t)told->number, "file", told->path ? json_text(told->path) : NULL,
		"matches", told->matches);

	if (code)
		json_object_set_new(row, "error", json_text(error->text));
	told->sessions = json_pack("[o]", row);
}

/* ---- names ---- */

static bool is_meant(const char *name, uint32_t number)
{
	return (!name || strcmp(name, named.name) == 0) &&
	       (number == 0 || number == named.number);
}

static int not_meant(const char *name, uint32_t number, struct error *error)
{
	if (!atomic_load(&current))
		return error_set(error, ERROR_BUSY,
			"nothing is being recorded: start a recording first");
	if (name)
		return error_set(error, ERROR_BUSY, "no session '%s' records: '%s' does",
			error_subject(name).text, named.name);
	return error_set(error, ERROR_BUSY, "session %u does not record any more", number);
}

/* Whose the next recording is. */
static int take_name(const struct recorder_request *request, struct error *error)
{
	static const char legal[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
				    "0123456789._-";
	size_t length = request->name ? strlen(request->name) : 1;
	char *owner;

	if (length == 0 || length >= NAME_BYTES ||
		(request->name && strspn(request->name, legal) != length))
		return error_set(error, ERROR_VALUE,
			"name '%s': 1 to %d of A-Z a-z 0-9 . _ - are wanted",
			error_subject(request->name).text, NAME_BYTES - 1);
	owner = strdup(request->owner ? request->owner : "");
	if (!owner)
		return error_set(error, ERROR_MEMORY, "no memory for the owner");
	free(named.owner);
	named.owner = owner;
	named.number = begun + 1;
	if (request->name)
		snprintf(named.name, sizeof(named.name), "%s", request->name);
	else
		snprintf(named.name, sizeof(named.name), "s%u", named.number);
	return 0;
}

/* ---- begin ---- */

/* The options of the next recording: what the agent was loaded with, overridden. Unless a
 * file is asked for, a profile is not written over one of this process that is finished:
 * its name gets a number. */
static int make_next(struct session **session, const char *text, struct error *error)
{
	struct options base = loaded, options;
	int code;

	if (begun > 0)
		base.file = options_number_file(base.file, begun + 1);
	if (!base.file)
		return error_set(error, ERROR_MEMORY, "no memory for the file's name");
	code = options_override(&options, &base, text, error);
	if (base.file != loaded.file)
		free(base.file);
	return code ? code : recording_make(session, &options, error);
}

int recorder_load(struct options *options, struct error *error)
{
	int code;

	loaded = *options;
	memset(options, 0, sizeof(*options));
	code = make_next(&first, NULL, error);
	if (code) {
		options_fini(&loaded);
		return code;
	}
	if (!loaded.start) {
		session_destroy(first);
		first = NULL;
	}
	return 0;
}

/* Takes the session; thread as in recording_begin. */
static int begin(JNIEnv *jni, jthread thread, struct session *session, struct error *error)
{
	int code;

	if (begun > 0)
		trace_expect_old_frames(session->trace);
	log_set_level(session->options.log);
	code = recording_begin(jni, thread, session, error);
	if (code) {
		log_set_level(loaded.log);
		return code;
	}
	atomic_store(&current, session);
	begun++;
	/* As the JVM starts, next to nothing is there yet. */
	if (!thread)
		filter_check(jni, session);
	return 0;
}

int recorder_open(JNIEnv *jni, jthread thread, struct error *error)
{
	struct session *session = first;

	first = NULL;
	is_open = true;
	if (session) {
		const struct recorder_request request = {.name = RECORDER_MAIN,
			.owner = thread ? "command line" : "loaded later"};
		int code = take_name(&request, error);

		if (!code)
			return begin(jni, thread, session, error);
		session_destroy(session);
		return code;
	}
	log_line(LOG_INFO, "start=no: nothing is recorded yet");
	return 0;
}

bool recorder_is_open(void)
{
	return is_open;
}

struct start {
	const struct recorder_request *request;
	uint32_t *number;
};

static int start_in_turn(JNIEnv *jni, void *argument, struct error *error)
{
	const struct start *start = argument;
	struct session *session = atomic_load(&current);
	int code;

	if (!is_open)
		return error_set(
			error, ERROR_MISSING, "the agent was detached: attach it again");
	if (session)
		return error_set(error, ERROR_BUSY,
			"recording already, into '%s': stop that first",
			error_subject(session->path).text);
	code = make_next(&session, start->request->options, error);
	if (code)
		return code;
	code = take_name(start->request, error);
	if (code)
		session_destroy(session);
	else
		code = begin(jni, NULL, session, error);
	if (!code && start->number)
		*start->number = named.number;
	return code;
}

int recorder_start(
	const struct recorder_request *request, uint32_t *number, struct error *error)
{
	return turn_do(start_in_turn, &(struct start){request, number}, error);
}

/* ---- in between ---- */

bool recorder_has(const char *name, uint32_t number)
{
	struct session *session = threads_look();
	bool has = session && is_meant(name, number);

	if (session)
		threads_leave();
	return has;
}

/* The names of the traces that are on. */
static json_t *traces_of(unsigned bits)
{
	json_t *names = json_array();

	for (int kind = 0; kind < TRACE_KINDS; kind++)
		if (bits & 1U << kind)
			json_array_append_new(names, json_string(trace_kind_names[kind]));
	return names;
}

static json_t *options_of(const struct session *session)
{
	char *text = options_to_json(&session->options, 0);
	json_t *options = text ? json_loads(text, 0, NULL) : NULL;

	free(text);
	return options;
}

static json_t *describe(struct session *session)
{
	return json_pack("{s:s, s:I, s:o, s:o, s:s, s:I, s:o, s:o, s:o}", "name", named.name,
		"number", (json_int_t)named.number, "owner", json_text(named.owner), "file",
		json_text(session->path ? session->path : ""), "started", session->started,
		"duration_ns", (json_int_t)(clock_now() - session->began), "options",
		options_of(session), "matches", session_matches(session), "traces",
		traces_of(tracers_now()));
}

int recorder_sessions(json_t **list, struct error *error)
{
	struct session *session = threads_look();
	json_t *row = session ? describe(session) : NULL;

	*list = session ? json_pack("[o]", row) : json_array();
	if (session)
		threads_leave();
	return *list ? 0 : error_set(error, ERROR_MEMORY, "no memory to tell of sessions");
}

struct switches {
	const char *name;
	unsigned on, off, *are_on;
};

static int trace_in_turn(JNIEnv *jni, void *argument, struct error *error)
{
	const struct switches *switches = argument;
	struct session *session = atomic_load(&current);
	int code;

	if (!session || !is_meant(switches->name, 0))
		return not_meant(switches->name, 0, error);
	code = tracers_switch(jni, session, switches->on, switches->off, error);
	*switches->are_on = tracers_now();
	return code;
}

int recorder_trace(
	const char *name, unsigned on, unsigned off, unsigned *are_on, struct error *error)
{
	return turn_do(trace_in_turn, &(struct switches){name, on, off, are_on}, error);
}

int recorder_scope(const char *name, const char *scope, struct error *error)
{
	return error_set(error, ERROR_USAGE,
		"the scope of a session that records cannot be changed yet");
}

struct snapshot {
	const char *name, *label;
	char **label_out;
	uint64_t *at_ns;
};

static int take_snapshot(struct session *session, void *argument, struct error *error)
{
	const struct snapshot *snapshot = argument;

	if (!is_meant(snapshot->name, 0))
		return not_meant(snapshot->name, 0, error);
	return writer_snapshot(
		session->writer, snapshot->label, snapshot->label_out, snapshot->at_ns, error);
}

int recorder_snapshot(const char *name, const char *label, char **label_out, uint64_t *at_ns,
	struct error *error)
{
	return recorder_with(
		take_snapshot, &(struct snapshot){name, label, label_out, at_ns}, error);
}

static int begin_anew(struct session *session, void *name, struct error *error)
{
	return is_meant(name, 0) ? writer_reset(session->writer, error)
				 : not_meant(name, 0, error);
}

int recorder_reset(const char *name, struct error *error)
{
	return recorder_with(begin_anew, (char *)name, error);
}

struct flush {
	const char *name;
	struct recorder_told *told;
};

static int flush_session(struct session *session, void *argument, struct error *error)
{
	const struct flush *flush = argument;
	int code;

	if (!is_meant(flush->name, 0))
		return not_meant(flush->name, 0, error);
	code = writer_flush(session->writer, error);
	tell_session(session, flush->told, NULL);
	list_told(flush->told, code, error);
	return code;
}

int recorder_flush(const char *name, struct recorder_told *told, struct error *error)
{
	return recorder_with(flush_session, &(struct flush){name, told}, error);
}

int recorder_with(int (*action)(struct session *session, void *argument, struct error *error),
	void *argument, struct error *error)
{
	struct session *session;
	int code;

	if (!turn_take(TURN_SOON))
		return error_set(error, ERROR_BUSY, "another command is under way");
	session = turn_is_closed() ? NULL : atomic_load(&current);
	code = session ? action(session, argument, error) : not_meant(NULL, 0, error);
	turn_give();
	return code;
}

static int check_in_turn(JNIEnv *jni, void *unused, struct error *error)
{
	struct session *session = atomic_load(&current);

	if (session && session_near_is_old(session))
		filter_check(jni, session);
	return 0;
}

void recorder_check_filters(void)
{
	struct error ignored = {0};

	if (atomic_load(&current))
		turn_do(check_in_turn, NULL, &ignored);
}

/* ---- end ---- */

/* What was looked for in vain is looked for once more. */
static int end(JNIEnv *jni, struct recorder_told *told, struct error *error)
{
	struct session *session = atomic_load(&current);
	int code;

	filter_check(jni, session);
	if (told)
		tell_session(session, told, NULL);
	if (run_notes_joined())
		say_unmatched(session);
	atomic_store(&current, NULL);
	code = recording_end(jni, session, error);
	log_set_level(loaded.log);
	return code;
}

struct stop {
	const char *name;
	uint32_t number;
	struct recorder_told *told;
};

static int stop_in_turn(JNIEnv *jni, void *argument, struct error *error)
{
	const struct stop *stop = argument;

	if (!atomic_load(&current) || !is_meant(stop->name, stop->number))
		return not_meant(stop->name, stop->number, error);
	return end(jni, stop->told, error);
}

int recorder_stop(
	const char *name, uint32_t number, struct recorder_told *told, struct error *error)
{
	return turn_do(stop_in_turn, &(struct stop){name, number, told}, error);
}

int recorder_stop_all(struct recorder_told *told, struct error *error)
{
	int code = recorder_stop(NULL, 0, told, error);

	if (told->name)
		list_told(told, code, error);
	return code;
}

void recorder_close(JNIEnv *jni, struct recorder_told *told)
{
	struct error error = {0};

	if (atomic_load(&current)) {
		int code = end(jni, told, &error); /* it has said what failed */

		if (told)
			list_told(told, code, &error);
	}
	is_open = false;
	session_destroy(first);
	first = NULL;
	options_fini(&loaded);
}

void recorder_finish(JNIEnv *jni)
{
	struct session *session = atomic_load(&current);
	char line[FOLDED_LINE];

	if (!session || !session_recording(session))
		return;
	session->unwanted = jni && session->may_be_unwanted && !jvm_ran_program(jni);
	if (jni)
		filter_check(jni, session);
	if (!session->unwanted)
		say_unmatched(session);
	recording_stop(session, &(struct error){0});
	if (session->unwanted) {
		run_notes_put(RUN_NOTE_NO_PROGRAM, session->path, NULL);
		run_notes_unclaim();
	} else {
		if (session_folded(session, line))
			say(NULL, line);
		if (session_exceeded(session, line))
			say(NULL, line);
	}
	/* Only now: events are switched off one kind after the other, and an exit whose
	 * entry was already off would match nothing. */
	if (jni)
		recording_silence(session);
}
