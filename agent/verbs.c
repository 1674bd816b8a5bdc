/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/*
 * verbs: see verbs.h.
 *
 * Runs: on the control thread, which becomes a thread of the JVM's for the time that it needs
 *       one.
 */
#include "agent/verbs.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "agent/client_sessions.h"
#include "agent/life.h"
#include "agent/recording/recording_facts.h"
#include "agent/session/status.h"
#include "agent/threads/threads.h"
#include "agent/tracers/deadlocks.h"
#include "agent/tracers/events_tracer.h"
#include "agent/tracers/tracers.h"
#include "metric/clock.h"
#include "options/json_text.h"

#define DURATION_MAX INT64_C(1000000000000)

static int no_memory(struct error *error)
{
	return error_set(error, ERROR_MEMORY, "no memory for an answer");
}

/* ---- members of requests ---- */

/* A text, borrowed; NULL: there is none. */
static int text_of(
	const json_t *request, const char *member, const char **text, struct error *error)
{
	const json_t *value = json_object_get(request, member);

	*text = json_string_value(value);
	if (value && !json_is_null(value) && !*text)
		return error_set(error, ERROR_USAGE, "%s: a string is wanted", member);
	return 0;
}

static bool is_set(const json_t *request, const char *member)
{
	return json_is_true(json_object_get(request, member));
}

/* The session that is meant: its name, or its number; NULL and 0: none is named. */
static int session_of(
	const json_t *request, const char **name, uint32_t *number, struct error *error)
{
	const json_t *value = json_object_get(request, "number");

	*number = 0;
	if (value && !json_is_null(value)) {
		if (!json_is_integer(value) || json_integer_value(value) <= 0 ||
			json_integer_value(value) > UINT32_MAX)
			return error_set(
				error, ERROR_USAGE, "number: that of a session is wanted");
		*number = (uint32_t)json_integer_value(value);
	}
	return text_of(request, "name", name, error);
}

/* The request's options as a text for options_override; *text is owned, or NULL. */
static int options_of(const json_t *request, char **text, struct error *error)
{
	const json_t *options = json_object_get(request, "options");

	*text = NULL;
	if (!options || json_is_null(options))
		return 0;
	if (json_is_string(options))
		*text = strdup(json_string_value(options));
	else if (json_is_object(options))
		*text = json_dumps(options, JSON_COMPACT);
	else
		return error_set(error, ERROR_USAGE,
			"options: neither an object nor a string key=value,...");
	return *text ? 0 : no_memory(error);
}

/* The time that the session may take, in ms; 0: no matter how long. */
static int duration_of(const json_t *request, uint64_t *ms, struct error *error)
{
	const json_t *duration = json_object_get(request, "duration_ms");

	*ms = 0;
	if (!duration || json_is_null(duration))
		return 0;
	if (!json_is_integer(duration) || json_integer_value(duration) <= 0 ||
		json_integer_value(duration) > DURATION_MAX)
		return error_set(error, ERROR_USAGE, "duration_ms: not a number from 1 to %lld",
			(long long)DURATION_MAX);
	*ms = (uint64_t)json_integer_value(duration);
	return 0;
}

/* ---- answers ---- */

/* {"name", "number", "file", "matches"}, without those that are not known, and "sessions" if
 * wanted; told is given back. */
static int tell(
	struct recorder_told *told, bool with_sessions, json_t **result, struct error *error)
{
	json_t *file = told->path ? json_text(told->path) : NULL;

	*result = NULL;
	if (file || !told->path)
		*result = json_pack("{s:s*, s:o*, s:O*, s:O*}", "name", told->name, "file",
			file, "matches", told->matches, "sessions",
			with_sessions ? told->sessions : NULL);
	if (*result && told->number)
		json_object_set_new(*result, "number", json_integer(told->number));
	recorder_told_fini(told);
	return *result ? 0 : no_memory(error);
}

/* The same of what has succeeded, or of its failure. */
static int tell_if(int code, struct recorder_told *told, bool with_sessions, json_t **result,
	struct error *error)
{
	if (!code)
		return tell(told, with_sessions, result, error);
	recorder_told_fini(told);
	return code;
}

/* ---- start, stop ---- */

/* The names of the other sessions that record. Owned; NULL: no memory. */
static json_t *names_beside(uint32_t number)
{
	json_t *names = json_array(), *rows = NULL, *row;
	struct error ignored = {0};
	size_t i;

	recorder_sessions(&rows, &ignored);
	json_array_foreach(rows, i, row)
	{
		if (json_integer_value(json_object_get(row, "number")) != number)
			json_array_append(names, json_object_get(row, "name"));
	}
	json_decref(rows);
	return names;
}

static int start(const struct control_peer *peer, const json_t *request, json_t **result,
	struct error *error)
{
	struct client_session session = {.while_connected = is_set(request, "while_connected")};
	struct recorder_request wanted = {0};
	struct recorder_told told;
	const char *by;
	char *text = NULL, *owner;
	int code = duration_of(request, &session.ms, error);

	if (!code)
		code = text_of(request, "name", &wanted.name, error);
	if (!code)
		code = text_of(request, "by", &by, error);
	if (!code)
		code = client_owner_read(&session.owner, peer, by, error);
	if (!code)
		code = options_of(request, &text, error);
	if (code)
		return code;
	owner = client_owner_text(&session.owner);
	wanted.options = text;
	wanted.owner = owner;
	code = owner ? recorder_start(&wanted, &session.number, error) : no_memory(error);
	free(owner);
	free(text);
	if (code)
		return code;
	client_sessions_add(&session);
	/* Another command may have stopped it since. */
	recorder_tell(session.number, &told);
	code = tell(&told, false, result, error);
	if (!code)
		json_object_set_new(*result, "shared_with", names_beside(session.number));
	return code;
}

static int stop_all(json_t **result, struct error *error)
{
	struct recorder_told told = {0};
	int code = recorder_stop_all(&told, error);

	return tell_if(code, &told, true, result, error);
}

static int stop(const struct control_peer *peer, const json_t *request, json_t **result,
	struct error *error)
{
	struct recorder_told told = {0};
	struct error ended = {0};
	const char *name;
	uint32_t number;
	int code = session_of(request, &name, &number, error);

	if (code)
		return code;
	if (is_set(request, "all"))
		return stop_all(result, error);
	code = recorder_stop(name, number, &told, error);
	/* One that has ended by itself is answered for as if this were its end. */
	if (code == -ERROR_BUSY && !recorder_has(name, number) &&
		client_sessions_take_ended(name, number, &told, &ended)) {
		*error = ended;
		code = -(int)ended.code;
	}
	return tell_if(code, &told, false, result, error);
}

/* ---- in between ---- */

/* Members of the session that is meant, or the oldest, beside those of all together. */
static void put_session(json_t *object, const json_t *row)
{
	static const char *const own[] = {
		"file", "started", "duration_ns", "options", "matches", "traces"};

	for (size_t i = 0; i < sizeof(own) / sizeof(*own); i++)
		if (json_object_get(row, own[i]))
			json_object_set(object, own[i], json_object_get(row, own[i]));
}

/* The row of the session that is meant; NULL: it does not record. */
static json_t *row_meant(const json_t *rows, const char *name, uint32_t number)
{
	json_t *row;
	size_t i;

	json_array_foreach(rows, i, row)
	{
		const char *own = json_string_value(json_object_get(row, "name"));

		if ((!number || json_integer_value(json_object_get(row, "number")) == number) &&
			(!name || (own && strcmp(own, name) == 0)))
			return row;
	}
	return NULL;
}

/* Adds `sessions`, and what is told of one of them. */
static int put_sessions(json_t *object, const json_t *request, struct error *error)
{
	json_t *rows = NULL, *row = NULL;
	const char *name;
	uint32_t number;
	int code = session_of(request, &name, &number, error);

	if (!code)
		code = recorder_sessions(&rows, error);
	if (!code)
		row = row_meant(rows, name, number);
	if (!code && !row && name)
		code = error_set(
			error, ERROR_BUSY, "no session '%s' records", error_subject(name).text);
	else if (!code && !row && number)
		code = error_set(error, ERROR_BUSY, "session %u does not record", number);
	if (!code) {
		client_sessions_describe(rows);
		if (row)
			put_session(object, row);
		if (json_object_set(object, "sessions", rows))
			code = no_memory(error);
	}
	json_decref(rows);
	return code;
}

/* Beside other commands. */
static int status(const struct control_peer *peer, const json_t *request, json_t **result,
	struct error *error)
{
	const json_t *rates = json_object_get(request, "rates");
	json_int_t rows = json_integer_value(rates);

	recorder_check_filters();
	struct session *session = threads_look();
	json_t *object = json_pack("{s:s, s:s, s:i, s:I, s:i}", "state",
		session ? "recording" : "armed", "agent", JPROF_VERSION, "pid", (int)getpid(),
		"uptime_ns", (json_int_t)(clock_now() - life_loaded_at()), "clients",
		(int)control_clients());
	int code = object ? 0 : no_memory(error);

	if (session && !code && json_is_integer(rates))
		code = session_rates(session, rows > 0 ? (size_t)rows : 0, object, error);
	if (session && !code) {
		const struct session_counts counts = recording_counts();

		code = session_status(session, &counts, object, error);
		if (!code)
			json_object_set_new(object, "traces", tracers_names(tracers_now()));
	}
	if (session)
		threads_leave();
	if (!code)
		code = put_sessions(object, request, error);
	if (code)
		json_decref(object);
	else
		*result = object;
	return code;
}

static int snapshot(const struct control_peer *peer, const json_t *request, json_t **result,
	struct error *error)
{
	const char *wanted, *name;
	char *label;
	uint64_t at;
	int code = text_of(request, "label", &wanted, error);

	if (!code)
		code = text_of(request, "name", &name, error);
	if (!code)
		code = recorder_snapshot(name, wanted, &label, &at, error);
	if (code)
		return code;
	*result = json_pack("{s:s, s:I}", "label", label, "at_ns", (json_int_t)at);
	free(label);
	return *result ? 0 : no_memory(error);
}

/* The bits of an array of names. */
static int trace_bits(
	const json_t *request, const char *member, unsigned *bits, struct error *error)
{
	const json_t *names = json_object_get(request, member), *name;
	size_t i;

	*bits = 0;
	if (!names || json_is_null(names))
		return 0;
	if (!json_is_array(names))
		return error_set(error, ERROR_USAGE, "%s: an array of names is wanted", member);
	json_array_foreach(names, i, name)
	{
		const char *text = json_string_value(name);
		unsigned bit = text ? tracer_bit(text) : 0;

		if (!bit)
			return error_set(error, ERROR_USAGE, "%s: '%s' is no trace", member,
				text ? error_subject(text).text : "?");
		*bits |= bit;
	}
	return 0;
}

/* What is kept of events goes into the file with the next flush. */
static int want_events(struct session *session, void *argument, struct error *error)
{
	return event_trace_request(error);
}

static int write_events(const char *name, struct error *error)
{
	struct recorder_told told = {0};
	int code = recorder_with(want_events, NULL, error);

	if (!code)
		code = recorder_flush(name, &told, error);
	recorder_told_fini(&told);
	return code;
}

/* Answers with the traces that are on. */
static int trace(const struct control_peer *peer, const json_t *request, json_t **result,
	struct error *error)
{
	bool writes = is_set(request, "write");
	unsigned on, off, are_on = tracers_now();
	const char *name;
	int code = trace_bits(request, "on", &on, error);

	if (!code)
		code = trace_bits(request, "off", &off, error);
	if (!code && (on & off))
		code = error_set(error, ERROR_USAGE, "a trace is to be both on and off");
	if (!code)
		code = text_of(request, "name", &name, error);
	if (!code && (on || off || !writes))
		code = recorder_trace(name, on, off, &are_on, error);
	if (!code && writes)
		code = write_events(name, error);
	if (code)
		return code;
	*result = json_pack("{s:o}", "traces", tracers_names(are_on));
	return *result ? 0 : no_memory(error);
}

static void mark_deadlock(void *user, const char *line)
{
	struct session *session = threads_look();
	char mark[DEADLOCK_LINE];

	snprintf(mark, sizeof(mark), "deadlock: %.180s", line);
	if (!session)
		return;
	writer_mark(session->writer, mark, 0, NULL);
	threads_leave();
}

/* Circles of threads that wait for each other; a mark in the profile for each. Whether anything is recorded or not. */
static int deadlocks(const struct control_peer *peer, const json_t *request, json_t **result,
	struct error *error)
{
	json_t *circles = NULL;
	bool attached;
	JNIEnv *jni = jvm_enter(&attached);
	int code;

	if (!jni)
		return error_set(error, ERROR_JVM, "the JVM is ending");
	code = deadlocks_find(jni, &circles, mark_deadlock, NULL, error);
	jvm_leave(attached);
	if (code)
		return code;
	*result = json_pack("{s:o}", "deadlocks", circles);
	return *result ? 0 : no_memory(error);
}

static int flush(const struct control_peer *peer, const json_t *request, json_t **result,
	struct error *error)
{
	struct recorder_told told = {0};
	json_t *files = json_array(), *row;
	const char *name;
	size_t i;
	int code = text_of(request, "name", &name, error);

	if (!code)
		code = recorder_flush(name, &told, error);
	json_array_foreach(told.sessions, i, row)
	{
		json_array_append(files, json_object_get(row, "file"));
	}
	code = tell_if(code, &told, false, result, error);
	if (!code)
		json_object_set(*result, "files", files);
	json_decref(files);
	return code;
}

static int reset(const struct control_peer *peer, const json_t *request, json_t **result,
	struct error *error)
{
	const char *name;
	int code = text_of(request, "name", &name, error);

	return code ? code : recorder_reset(name, error);
}

static int scope(const struct control_peer *peer, const json_t *request, json_t **result,
	struct error *error)
{
	const char *name, *value;
	int code = text_of(request, "name", &name, error);

	if (!code)
		code = text_of(request, "value", &value, error);
	return code ? code : recorder_scope(name, value, error);
}

/* Names them. */
static int refuse_sessions(const json_t *rows, struct error *error)
{
	size_t count = json_array_size(rows), used = 0, i;
	char list[900] = ""; /* an error has room for that, and for some words */
	const json_t *row;

	json_array_foreach(rows, i, row)
	{
		const char *name = json_string_value(json_object_get(row, "name"));
		const char *owner = json_string_value(json_object_get(row, "owner"));

		if (used < sizeof(list))
			used += (size_t)snprintf(list + used, sizeof(list) - used, "%s%s (%s)",
				i ? ", " : "", name ? name : "?", owner ? owner : "?");
	}
	return error_set(error, ERROR_BUSY, "%zu session%s: %s; stop %s first, or detach all",
		count, count == 1 ? " records" : "s record", list, count == 1 ? "it" : "them");
}

/* Others' sessions are not ended by somebody who does not say so. */
static int leave_others(const json_t *request, struct error *error)
{
	bool if_idle = is_set(request, "if_idle");
	json_t *rows = NULL;
	size_t count;
	int code;

	if (is_set(request, "all"))
		return 0;
	code = recorder_sessions(&rows, error);
	count = json_array_size(rows);
	if (!code && (if_idle ? count > 0 : count > 1))
		code = refuse_sessions(rows, error);
	json_decref(rows);
	return code;
}

static int detach(const struct control_peer *peer, const json_t *request, json_t **result,
	struct error *error)
{
	struct recorder_told told = {0};
	int code = leave_others(request, error);

	if (!code)
		code = life_detach(&told, error);
	if (code) {
		recorder_told_fini(&told);
		return code;
	}
	client_sessions_forget();
	/* It is done, whether there is memory to tell about it or not. */
	tell(&told, true, result, &(struct error){0});
	return 0;
}

const struct control_verb agent_verbs[] = {
	{"start", start, false},
	{"stop", stop, false},
	{"status", status, false},
	{"snapshot", snapshot, false},
	{"reset", reset, false},
	{"trace", trace, false},
	{"scope", scope, false},
	{"deadlocks", deadlocks, false},
	{"flush", flush, false},
	{"detach", detach, true},
	{NULL, NULL, false},
};
