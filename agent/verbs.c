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
#define RETRY_NS     UINT64_C(10000000)

static int no_memory(struct error *error)
{
	return error_set(error, ERROR_MEMORY, "no memory for an answer");
}

/* {"file": path, "matches": rows}, which it gives back. */
static int tell(struct recorder_told *told, json_t **result, struct error *error)
{
	json_t *file = told->path ? json_text(told->path) : NULL;

	*result = NULL;
	if (file || !told->path)
		*result = json_pack("{s:o*, s:O*}", "file", file, "matches", told->matches);
	recorder_told_fini(told);
	return *result ? 0 : no_memory(error);
}

/* ---- start, stop ---- */

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

/* A recording that ends by itself. The command that wanted it may be gone by then. The
 * control thread's alone. */
static struct {
	uint32_t number; /* 0: there is none */
	uint64_t at;     /* ns of clock_now */
	/* The last one has ended so, and `stop` has not been asked since: what it will
	 * answer. */
	bool ended;
	struct recorder_told told;
	struct error error; /* of its end */
} limited;

static void forget_ended(void)
{
	limited.ended = false;
	recorder_told_fini(&limited.told);
}

/* The time that the recording may take, in ms; 0: no matter how long. */
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

int64_t agent_due_in(void)
{
	uint64_t now = clock_now();

	if (limited.number == 0)
		return -1;
	return limited.at > now ? (int64_t)((limited.at - now) / 1000000 + 1) : 0;
}

void agent_due(void)
{
	struct error error = {0};
	struct recorder_told told = {0};
	int code = recorder_stop(NULL, limited.number, &told, &error);

	if (code && recorder_has(NULL, limited.number)) {
		/* Another command is under way. */
		limited.at = clock_now() + RETRY_NS;
		recorder_told_fini(&told);
		return;
	}
	limited.number = 0;
	forget_ended();
	limited.ended = code != -ERROR_BUSY; /* else another command was faster */
	limited.told = told;
	limited.error = error;
}

static int start(const json_t *request, json_t **result, struct error *error)
{
	struct recorder_told told;
	uint32_t number;
	uint64_t ms;
	char *text;
	int code = duration_of(request, &ms, error);

	if (!code)
		code = options_of(request, &text, error);
	if (code)
		return code;
	code = recorder_start(&(struct recorder_request){.options = text}, &number, error);
	free(text);
	if (code)
		return code;
	limited.number = ms ? number : 0;
	limited.at = clock_now() + ms * 1000000;
	forget_ended();
	/* Another command may have stopped it since. */
	recorder_tell(number, &told);
	return tell(&told, result, error);
}

static int stop(const json_t *request, json_t **result, struct error *error)
{
	struct recorder_told told = {0};
	int code = recorder_stop(NULL, 0, &told, error);

	if (!code) {
		forget_ended();
		return tell(&told, result, error);
	}
	recorder_told_fini(&told);
	if (code != -ERROR_BUSY || !limited.ended || recorder_has(NULL, 0))
		return code;
	*error = limited.error;
	limited.ended = false;
	if (error->code == ERROR_NONE)
		return tell(&limited.told, result, error);
	forget_ended();
	return -(int)error->code;
}

/* ---- in between ---- */

/* The names of those that are on. */
static json_t *traces_now(void)
{
	json_t *names = json_array();

	for (int kind = 0; kind < TRACE_KINDS; kind++)
		if (tracers_now() & 1U << kind)
			json_array_append_new(names, json_string(trace_kind_names[kind]));
	return names;
}

/* Beside other commands. */
static int status(const json_t *request, json_t **result, struct error *error)
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
			json_object_set_new(object, "traces", traces_now());
	}
	if (session)
		threads_leave();
	if (code)
		json_decref(object);
	else
		*result = object;
	return code;
}

static int snapshot(const json_t *request, json_t **result, struct error *error)
{
	const json_t *wanted = json_object_get(request, "label");
	const char *text = json_string_value(wanted);
	char *label;
	uint64_t at;
	int code;

	if (wanted && !json_is_null(wanted) && !text)
		return error_set(error, ERROR_USAGE, "label: a string is wanted");
	code = recorder_snapshot(NULL, text, &label, &at, error);
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

/* What is kept of events is in the file, as of now. */
static int write_events(struct session *session, void *argument, struct error *error)
{
	int code = event_trace_request(session, error);

	return code ? code : writer_flush(session->writer, error);
}

/* Answers with the traces that are on. */
static int trace(const json_t *request, json_t **result, struct error *error)
{
	bool writes = json_is_true(json_object_get(request, "write"));
	unsigned on, off, are_on = tracers_now();
	int code = trace_bits(request, "on", &on, error);

	if (!code)
		code = trace_bits(request, "off", &off, error);
	if (!code && (on & off))
		code = error_set(error, ERROR_USAGE, "a trace is to be both on and off");
	if (!code)
		code = on || off || !writes ? recorder_trace(NULL, on, off, &are_on, error) : 0;
	if (!code && writes)
		code = recorder_with(write_events, NULL, error);
	if (code)
		return code;
	*result = json_pack("{s:o}", "traces", traces_now());
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
static int deadlocks(const json_t *request, json_t **result, struct error *error)
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

static int flush(const json_t *request, json_t **result, struct error *error)
{
	struct recorder_told told = {0};
	int code = recorder_flush(NULL, &told, error);

	if (!code)
		return tell(&told, result, error);
	recorder_told_fini(&told);
	return code;
}

static int reset(const json_t *request, json_t **result, struct error *error)
{
	return recorder_reset(NULL, error);
}

static int detach(const json_t *request, json_t **result, struct error *error)
{
	struct recorder_told told = {0};
	int code = life_detach(&told, error);

	if (code) {
		recorder_told_fini(&told);
		return code;
	}
	/* It is done, whether there is memory to tell about it or not. */
	tell(&told, result, &(struct error){0});
	return 0;
}

const struct control_verb agent_verbs[] = {
	{"start", start, false},
	{"stop", stop, false},
	{"status", status, false},
	{"snapshot", snapshot, false},
	{"reset", reset, false},
	{"trace", trace, false},
	{"deadlocks", deadlocks, false},
	{"flush", flush, false},
	{"detach", detach, true},
	{NULL, NULL, false},
};
