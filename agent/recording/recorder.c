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
#include "options/matches.h"
#include "profile/run_notes.h"

/* Written by the command that has the turn. */
static struct options loaded;
static struct session *first; /* made when the agent was loaded, begins when the JVM can */
static _Atomic(struct session *) current; /* records; NULL: none does */
static unsigned begun;                    /* recordings, in the life of the process */
static bool is_open;

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

	told->path = session->path ? strdup(session->path) : NULL;
	told->matches = session_matches(session);
	return 0;
}

void recorder_tell(struct recorder_told *told)
{
	struct error ignored = {0};

	*told = (struct recorder_told){0};
	recorder_with(tell_session, told, &ignored);
}

void recorder_told_fini(struct recorder_told *told)
{
	free(told->path);
	json_decref(told->matches);
	*told = (struct recorder_told){0};
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
	if (session)
		return begin(jni, thread, session, error);
	log_line(LOG_INFO, "start=no: nothing is recorded yet");
	return 0;
}

bool recorder_is_open(void)
{
	return is_open;
}

struct start {
	const char *options;
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
	code = make_next(&session, start->options, error);
	if (!code)
		code = begin(jni, NULL, session, error);
	if (!code && start->number)
		*start->number = recorder_number();
	return code;
}

int recorder_start(const char *options, uint32_t *number, struct error *error)
{
	return turn_do(start_in_turn, &(struct start){options, number}, error);
}

/* ---- in between ---- */

struct switches {
	unsigned on, off;
};

uint32_t recorder_number(void)
{
	return atomic_load(&session_number);
}

static int nothing_recorded(struct error *error)
{
	return error_set(
		error, ERROR_BUSY, "nothing is being recorded: start a recording first");
}

static int trace_in_turn(JNIEnv *jni, void *argument, struct error *error)
{
	const struct switches *switches = argument;
	struct session *session = atomic_load(&current);

	if (!session)
		return nothing_recorded(error);
	return tracers_switch(jni, session, switches->on, switches->off, error);
}

int recorder_trace(unsigned on, unsigned off, struct error *error)
{
	return turn_do(trace_in_turn, &(struct switches){on, off}, error);
}

int recorder_with(int (*action)(struct session *session, void *argument, struct error *error),
	void *argument, struct error *error)
{
	struct session *session;
	int code;

	if (!turn_take(TURN_SOON))
		return error_set(error, ERROR_BUSY, "another command is under way");
	session = turn_is_closed() ? NULL : atomic_load(&current);
	code = session ? action(session, argument, error) : nothing_recorded(error);
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
	uint32_t number;
	struct recorder_told *told;
};

static int stop_in_turn(JNIEnv *jni, void *argument, struct error *error)
{
	const struct stop *stop = argument;

	if (!atomic_load(&current) || (stop->number && stop->number != recorder_number()))
		return nothing_recorded(error);
	return end(jni, stop->told, error);
}

int recorder_stop(uint32_t number, struct recorder_told *told, struct error *error)
{
	return turn_do(stop_in_turn, &(struct stop){number, told}, error);
}

void recorder_close(JNIEnv *jni, struct recorder_told *told)
{
	if (atomic_load(&current))
		end(jni, told, &(struct error){0}); /* it has said what failed */
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
