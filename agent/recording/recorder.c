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
#include "agent/recording/sessions.h"
#include "agent/recording/turn.h"
#include "agent/recording/widen.h"
#include "agent/tracers/tracers.h"
#include "agent/session/session_matches.h"
#include "agent/threads/thread_events.h"
#include "agent/threads/threads.h"
#include "metric/clock.h"
#include "options/json_text.h"
#include "options/matches.h"
#include "profile/run_notes.h"

/* Written by the command that has the turn. */
static struct options loaded;
static struct session *first; /* made when the agent was loaded, begins when the JVM can */
static _Atomic(struct session *) current; /* records; NULL: none does */
static bool has_begun;                    /* a recording, in the life of the process */
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

static int tell_session(struct session *session, struct recorder_told *told)
{
	told->name = strdup(session->name);
	told->number = session->number;
	told->path = session->path ? strdup(session->path) : NULL;
	told->matches = session_matches(session);
	return 0;
}

/* As recorder_with, which has less patience. */
static int with(enum turn_patience patience,
	int (*action)(struct session *session, void *argument, struct error *error),
	void *argument, struct error *error)
{
	struct session *session;
	int code;

	if (!turn_take(patience))
		return error_set(error, ERROR_BUSY, "another command is under way");
	session = turn_is_closed() ? NULL : atomic_load(&current);
	code = session ? action(session, argument, error)
		       : error_set(error, ERROR_BUSY,
				 "nothing is being recorded: start a recording first");
	turn_give();
	return code;
}

struct asked {
	uint32_t number;
	struct recorder_told *told;
};

static int tell_asked(struct session *host, void *argument, struct error *error)
{
	const struct asked *asked = argument;
	struct session *session = sessions_meant(NULL, asked->number, error);

	return session ? tell_session(session, asked->told) : -(int)error->code;
}

void recorder_tell(uint32_t number, struct recorder_told *told)
{
	struct error ignored = {0};

	*told = (struct recorder_told){0};
	with(TURN_LAST, tell_asked, &(struct asked){number, told}, &ignored);
}

void recorder_told_fini(struct recorder_told *told)
{
	free(told->name);
	free(told->path);
	json_decref(told->matches);
	json_decref(told->sessions);
	*told = (struct recorder_told){0};
}

/* Puts what is told of one in front of what is told of those that came after it. */
static void add_told(struct recorder_told *all, struct recorder_told *one, int code,
	const struct error *error)
{
	json_t *row = json_pack("{s:s*, s:I, s:o*, s:O*}", "name", one->name, "number",
		(json_int_t)one->number, "file", one->path ? json_text(one->path) : NULL,
		"matches", one->matches);

	if (code)
		json_object_set_new(row, "error", json_text(error->text));
	one->sessions = all->sessions ? json_incref(all->sessions) : json_array();
	json_array_insert_new(one->sessions, 0, row);
	recorder_told_fini(all);
	*all = *one;
	*one = (struct recorder_told){0};
}

/* ---- begin ---- */

/* The options of the next session: what the agent was loaded with, overridden. Unless a
 * file is asked for, a profile is not written over one of this process that is finished:
 * its name gets a number. */
static int next_options(struct options *options, const char *text, struct error *error)
{
	struct options base = loaded;
	int code;

	if (sessions_ever() > 0)
		base.file = options_number_file(base.file, sessions_ever() + 1);
	if (!base.file)
		return error_set(error, ERROR_MEMORY, "no memory for the file's name");
	code = options_override(options, &base, text, error);
	if (base.file != loaded.file)
		free(base.file);
	return code;
}

static int make_next(struct session **session, const char *text, struct error *error)
{
	struct options options;
	int code = next_options(&options, text, error);

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

/* What is chosen of a recording is in its file. 0, or a negative code: its readers do not know of it yet. */
static int share_chosen(struct session *session, struct error *error)
{
	const struct writer_session chosen = session_for_writer(session->host);

	return writer_share(session->host->writer, &chosen, error);
}

/* Takes the session, which is named; thread as in recording_begin. */
static int begin(JNIEnv *jni, jthread thread, struct session *session, struct error *error)
{
	int code;

	if (has_begun)
		trace_expect_old_frames(session->trace);
	log_set_level(session->options.log);
	code = recording_begin(jni, thread, session, error);
	if (code) {
		log_set_level(loaded.log);
		return code;
	}
	sessions_add(session);
	atomic_store(&current, session);
	has_begun = true;
	if (atomic_load(&session->tag) && share_chosen(session, error))
		log_line(LOG_WARN, "%s", error->text);
	/* As the JVM starts, next to nothing is there yet. */
	if (!thread)
		filter_check(jni, session);
	return 0;
}

int recorder_open(JNIEnv *jni, jthread thread, struct error *error)
{
	struct session *session = first;
	int code;

	first = NULL;
	is_open = true;
	if (!session) {
		log_line(LOG_INFO, "start=no: nothing is recorded yet");
		return 0;
	}
	code = sessions_name(
		session, RECORDER_MAIN, thread ? "command line" : "loaded later", error);
	if (!code)
		return begin(jni, thread, session, error);
	session_destroy(session);
	return code;
}

bool recorder_is_open(void)
{
	return is_open;
}

struct start {
	const struct recorder_request *request;
	uint32_t *number;
};

/* The first session: the recording is its own. */
static int start_alone(JNIEnv *jni, const struct recorder_request *request,
	struct session **session, struct error *error)
{
	int code = make_next(session, request->options, error);

	if (code)
		return code;
	code = sessions_name(*session, request->name, request->owner, error);
	if (!code)
		return begin(jni, NULL, *session, error);
	session_destroy(*session);
	return code;
}

static void add_guest(struct session *host, struct session *guest)
{
	guest->next = host->next;
	host->next = guest;
}

static void remove_guest(struct session *guest)
{
	struct session *before = guest->host;

	while (before->next != guest)
		before = before->next;
	before->next = guest->next;
	guest->next = NULL;
}

/* It has its part no more, and is not needed, unless something of the recording still uses it. */
static void part_with(struct session *session, bool was_there)
{
	if (was_there)
		sessions_remove(session, !session->unsettled);
	else if (session->unsettled)
		sessions_keep_bit(session->bit);
	if (session == session->host || session->serves)
		return;
	remove_guest(session);
	session_destroy(session);
}

/* A further session: a guest of the recording that is. */
static int start_beside(JNIEnv *jni, struct session *host,
	const struct recorder_request *request, struct session **session, struct error *error)
{
	struct options options;
	struct session *guest;
	int code = next_options(&options, request->options, error);

	if (code)
		return code;
	code = recording_make_guest(&guest, host, &options, error);
	if (code)
		return code;
	code = sessions_name(guest, request->name, request->owner, error);
	if (!code)
		code = session_begin_guest(guest, error);
	if (!code)
		code = recording_widen(
			jni, host, &guest->options.metrics, recording_known()->alloc, error);
	if (code) {
		session_destroy(guest);
		return code;
	}
	session_choose_metrics(guest);
	add_guest(host, guest);
	code = recording_join(jni, guest, error);
	if (code) {
		part_with(guest, false);
		return code;
	}
	sessions_add(guest);
	filter_check(jni, guest);
	*session = guest;
	return 0;
}

static int start_in_turn(JNIEnv *jni, void *argument, struct error *error)
{
	const struct start *start = argument;
	struct session *host = atomic_load(&current), *session;
	int code;

	if (!is_open)
		return error_set(
			error, ERROR_MISSING, "the agent was detached: attach it again");
	code = host ? start_beside(jni, host, start->request, &session, error)
		    : start_alone(jni, start->request, &session, error);
	if (!code && start->number)
		*start->number = session->number;
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
	return sessions_have(name, number);
}

int recorder_sessions(json_t **list, struct error *error)
{
	*list = sessions_describe();
	return *list ? 0 : error_set(error, ERROR_MEMORY, "no memory to tell of sessions");
}

struct switches {
	const char *name;
	unsigned on, off, *are_on;
};

static int trace_in_turn(JNIEnv *jni, void *argument, struct error *error)
{
	const struct switches *switches = argument;
	struct session *session = sessions_meant(switches->name, 0, error);
	int code;

	if (!session)
		return -(int)error->code;
	code = recording_trace(jni, session, switches->on, switches->off, error);
	*switches->are_on = session->traces;
	return code;
}

int recorder_trace(
	const char *name, unsigned on, unsigned off, unsigned *are_on, struct error *error)
{
	return turn_do(trace_in_turn, &(struct switches){name, on, off, are_on}, error);
}

struct scope {
	const char *name, *scope;
};

static int choose_scope(struct session *host, void *argument, struct error *error)
{
	const struct scope *wanted = argument;
	struct session *session = sessions_meant(wanted->name, 0, error);

	if (!session || session_choose(session, wanted->scope, error))
		return -(int)error->code;
	return share_chosen(session, error);
}

int recorder_scope(const char *name, const char *scope, struct error *error)
{
	return recorder_with(choose_scope, &(struct scope){name, scope}, error);
}

/* The number of the session that is meant; 0: all, or the only one, whose profile is the whole recording's. */
static int number_of(const char *name, uint32_t *number, struct error *error)
{
	struct session *session = name ? sessions_meant(name, 0, error) : NULL;

	*number = session ? session->number : 0;
	return name && !session ? -(int)error->code : 0;
}

struct snapshot {
	const char *name, *label;
	char **label_out;
	uint64_t *at_ns;
};

static int take_snapshot(struct session *host, void *argument, struct error *error)
{
	const struct snapshot *snapshot = argument;
	uint32_t number;
	int code = number_of(snapshot->name, &number, error);

	return code ? code
		    : writer_snapshot(host->writer, number, snapshot->label,
			      snapshot->label_out, snapshot->at_ns, error);
}

int recorder_snapshot(const char *name, const char *label, char **label_out, uint64_t *at_ns,
	struct error *error)
{
	return recorder_with(
		take_snapshot, &(struct snapshot){name, label, label_out, at_ns}, error);
}

static int begin_anew(struct session *host, void *name, struct error *error)
{
	struct session *session = sessions_meant(name, 0, error);

	return session ? writer_reset(host->writer, session->number, error) : -(int)error->code;
}

int recorder_reset(const char *name, struct error *error)
{
	return recorder_with(begin_anew, (char *)(uintptr_t)name, error);
}

struct flush {
	const char *name;
	struct recorder_told *told;
};

static int flush_session(struct session *host, void *argument, struct error *error)
{
	const struct flush *flush = argument;
	uint32_t number;
	int code = number_of(flush->name, &number, error);

	if (code)
		return code;
	code = writer_flush(host->writer, error);
	for (unsigned i = sessions_count(); i-- > 0;) {
		struct recorder_told one = {0};

		if (number && sessions_at(i)->number != number)
			continue;
		tell_session(sessions_at(i), &one);
		add_told(flush->told, &one, code, error);
	}
	return code;
}

int recorder_flush(const char *name, struct recorder_told *told, struct error *error)
{
	return recorder_with(flush_session, &(struct flush){name, told}, error);
}

int recorder_with(int (*action)(struct session *session, void *argument, struct error *error),
	void *argument, struct error *error)
{
	return with(TURN_SOON, action, argument, error);
}

static int check_in_turn(JNIEnv *jni, void *unused, struct error *error)
{
	for (struct session *session = atomic_load(&current); session; session = session->next)
		if (!session->left && session_near_is_old(session))
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

/* What was looked for in vain is looked for once more. told: may be NULL. */
static int end(
	JNIEnv *jni, struct session *session, struct recorder_told *told, struct error *error)
{
	struct session *host = session->host;
	int code;

	filter_check(jni, session);
	if (told)
		tell_session(session, told);
	if (run_notes_joined())
		say_unmatched(session);
	if (sessions_count() > 1) {
		code = recording_leave(jni, session, error);
		part_with(session, true);
		return code;
	}
	sessions_remove(session, true);
	atomic_store(&current, NULL);
	code = recording_end(jni, host, error);
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
	struct session *session = sessions_meant(stop->name, stop->number, error);

	return session ? end(jni, session, stop->told, error) : -(int)error->code;
}

int recorder_stop(
	const char *name, uint32_t number, struct recorder_told *told, struct error *error)
{
	return turn_do(stop_in_turn, &(struct stop){name, number, told}, error);
}

/* All that record, the oldest last: it has the database, as a rule, which need not move then. What failed first is the error. */
static int end_all(JNIEnv *jni, struct recorder_told *told, struct error *error)
{
	int first_code = 0;

	while (sessions_count() > 0) {
		struct recorder_told one = {0};
		struct error failure = {0};
		int code = end(jni, sessions_at(sessions_count() - 1), &one, &failure);

		add_told(told, &one, code, &failure);
		if (code && !first_code)
			*error = failure;
		first_code = first_code ? first_code : code;
	}
	return first_code;
}

static int stop_all_in_turn(JNIEnv *jni, void *told, struct error *error)
{
	if (sessions_count() == 0)
		return error_set(error, ERROR_BUSY,
			"nothing is being recorded: start a recording first");
	return end_all(jni, told, error);
}

int recorder_stop_all(struct recorder_told *told, struct error *error)
{
	*told = (struct recorder_told){0};
	return turn_do(stop_all_in_turn, told, error);
}

void recorder_close(JNIEnv *jni, struct recorder_told *told)
{
	struct recorder_told unwanted = {0};

	end_all(jni, told ? told : &unwanted, &(struct error){0}); /* it has said what failed */
	recorder_told_fini(&unwanted);
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
	session->unwanted = sessions_count() == 1 && !session->left && jni &&
			    session->may_be_unwanted && !jvm_ran_program(jni);
	for (struct session *each = session; each; each = each->next) {
		if (jni && !each->left)
			filter_check(jni, each);
		if (!session->unwanted && !each->left)
			say_unmatched(each);
	}
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
