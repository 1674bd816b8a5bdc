/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/* events_tracer: see events_tracer.h. */
#include "agent/tracers/events_tracer.h"

#include <inttypes.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "agent/methods/methods.h"
#include "agent/session/event_pack.h"
#include "metric/clock.h"
#include "options/event_condition.h"
#include "options/number.h"

enum {
	URGENT = 1 << 20,   /* bytes that wait for a transaction of their own */
	AT_ONCE = 64 << 20, /* bytes that one transaction takes */
	CONDITIONS = 32,    /* of events_when */
	WRITES = 64         /* that are to be told, at once */
};

/* What is known of a method: which condition it fulfils, + 1. */
enum { NOT_ASKED = 255, NONE = 0 };

static struct {
	/* The session's: methods whose events are told, and those whose calls are waited for, longer_than that. */
	const struct pattern_list *chosen, *awaited;
	uint64_t longer_than[CONDITIONS]; /* ns */
	uint8_t *of_method; /* EVENT_METHODS of them, NOT_ASKED at first; NULL: no conditions */

	/* NULL: it was never on. Behind it the writer's thread has what is above and below. */
	struct event_packer *_Atomic packer;
	uint64_t keep_ns;
	uint64_t blocks;  /* that were written, and */
	uint64_t putting; /* are in the transaction under way */
	uint32_t writes;
	struct event_write {
		uint64_t at, begin;
		bool whole;
		char reason[EVENT_PATTERN + 64];
	} write[WRITES]; /* to be told */
	unsigned waiting;

	_Atomic bool on;
	_Atomic bool requested;
} state;

/* ---- methods ---- */

static bool matches(const char *pattern, uint32_t id)
{
	const struct profile_method *method = methods_get(id);

	return method && method->name &&
	       pattern_match_method(
		       pattern, method->class_name ? method->class_name : "", method->name);
}

/* The place of the first pattern that matches, -1: none does. All that do are noted. */
static int find_pattern(const struct pattern_list *list, uint32_t method)
{
	int found = -1;

	for (size_t i = list->count; i-- > 0;) {
		if (!matches(list->pattern[i], method))
			continue;
		pattern_list_note(list, i);
		found = (int)i;
	}
	return found;
}

static bool is_chosen(uint32_t method)
{
	return find_pattern(state.chosen, method) >= 0;
}

/* The writer's. */
static bool is_awaited(void *user, uint32_t method, uint64_t *ns)
{
	uint8_t known = state.of_method[method];

	if (known == NOT_ASKED)
		known = (uint8_t)(find_pattern(state.awaited, method) + 1);
	state.of_method[method] = known;
	if (known == NONE)
		return false;
	*ns = state.longer_than[known - 1];
	return true;
}

static int read_conditions(const struct pattern_list *list, struct error *error)
{
	char pattern[EVENT_PATTERN];

	if (list->count == 0)
		return 0;
	if (list->count > CONDITIONS)
		return error_set(
			error, ERROR_VALUE, "events_when: more than %d conditions", CONDITIONS);
	for (size_t i = 0; i < list->count; i++)
		event_condition_read(list->pattern[i], pattern, &state.longer_than[i]);
	/* Of addresses alone, until methods come. */
	if (!state.of_method)
		state.of_method = malloc(EVENT_METHODS);
	if (!state.of_method)
		return error_set(error, ERROR_MEMORY, "no memory for events_when");
	memset(state.of_method, NOT_ASKED, EVENT_METHODS);
	return 0;
}

/* ---- on and off ---- */

static int prove(const struct session *session, struct error *error)
{
	const struct options *options = &session->options;

	if (!session_times_calls(session))
		return error_set(error, ERROR_VALUE,
			"traces=events tells of timed calls; legal here: calls=auto, "
			"instrument, events");
	if (options->events_when.count > 0 && options->events_keep == 0)
		return error_set(error, ERROR_VALUE,
			"events_when writes what events_keep keeps: events_keep=10s, say");
	return 0;
}

static int on(JNIEnv *jni, struct session *session, struct error *error)
{
	struct trace *trace = session->trace;
	int status = 0;

	if (!state.packer) {
		state.chosen = &session->options.events;
		state.awaited = &session->awaited;
		state.keep_ns = session->options.events_keep;
		state.blocks = state.putting = 0;
		state.writes = 0;
		state.waiting = 0;
		atomic_store(&state.requested, false);
		status = read_conditions(&session->options.events_when, error);
		if (status)
			return status;
		if (trace_prepare_events(trace, state.chosen->count > 0 ? is_chosen : NULL) ==
			0)
			state.packer = event_packer_create(trace, state.keep_ns,
				state.awaited->count > 0 ? is_awaited : NULL, NULL);
		if (!state.packer)
			return error_set(error, ERROR_MEMORY, "no memory for traces=events");
	}
	trace_tell_events(trace, true);
	atomic_store(&state.on, true);
	return 0;
}

static void off(JNIEnv *jni, struct session *session)
{
	trace_tell_events(session->trace, false);
	atomic_store(&state.on, false);
}

static bool forget(void)
{
	event_packer_destroy(state.packer);
	free(state.of_method);
	state.packer = NULL;
	state.of_method = NULL;
	state.chosen = state.awaited = NULL;
	return true;
}

int event_trace_request(struct error *error)
{
	if (!atomic_load(&state.on))
		return error_set(error, ERROR_USAGE,
			"the trace of events is not on: `jprof trace PID +events`");
	/* Whichever session's options it was made with. */
	if (state.keep_ns == 0)
		return error_set(error, ERROR_USAGE,
			"all events are written: events_keep=10s keeps the last ones instead");
	atomic_store(&state.requested, true);
	return 0;
}

/* ---- what is kept ---- */

/* All that is kept waits to be written, for that reason; needed: since when. */
static void release(uint64_t needed, const char *reason)
{
	struct event_write *write = &state.write[state.waiting];
	uint64_t since;

	events_seal(state.packer, false);
	since = events_release(state.packer, 0);
	if (state.waiting == WRITES)
		return;
	state.waiting++;
	write->at = clock_now();
	write->begin = since;
	write->whole = since <= needed;
	snprintf(write->reason, sizeof(write->reason), "%s", reason);
}

/* Somebody has asked for what is kept, or a call was long. True: something is to be written. */
static bool look_at_kept(void)
{
	struct event_long call;
	char reason[EVENT_PATTERN + 64], took[NUMBER_TIME];
	uint64_t now = clock_now();
	uint64_t since = now > state.keep_ns ? now - state.keep_ns : 0;
	bool any = false;

	if (state.keep_ns == 0)
		return false;
	if (events_take_long(state.packer, &call)) {
		const struct profile_method *method = methods_get(call.method);

		number_write_time((call.end - call.begin) / 1000 * 1000, took);
		snprintf(reason, sizeof(reason), "a call of %.200s.%.200s took %s",
			method && method->class_name ? method->class_name : "?",
			method && method->name ? method->name : "?", took);
		release(call.begin, reason);
		any = true;
	}
	if (atomic_exchange(&state.requested, false)) {
		release(since, "asked for");
		any = true;
	}
	return any;
}

/* ---- the writer's thread ---- */

static bool expected(void)
{
	return state.packer && atomic_load(&state.on);
}

static bool drain(void)
{
	events_pack(state.packer, false);
	if (look_at_kept())
		return true;
	return events_waiting(state.packer)->bytes >= URGENT;
}

static void keep_up(void)
{
	events_pack(state.packer, false);
}

static int put_threads(struct profile_writer *profile, struct error *error)
{
	int status = 0;

	for (const struct new_thread *i = events_new_threads(state.packer); i && status == 0;
		i = i->next) {
		const struct profile_event_thread record = {.id = i->thread.id,
			.row = i->thread.row,
			.java_id = i->thread.java_id,
			.os_id = i->thread.os_id,
			.name = i->thread.name,
			.is_virtual = i->thread.is_virtual};

		status = profile_put(profile, &record, error);
	}
	return status;
}

static int put_writes(struct profile_writer *profile, uint64_t began, struct error *error)
{
	int status = 0;

	for (unsigned i = 0; i < state.waiting && status == 0; i++) {
		const struct event_write *write = &state.write[i];
		const struct profile_event_write record = {.id = state.writes + i + 1,
			.at = write->at - began,
			.begin = write->begin > began ? write->begin - began : 0,
			.reason = write->reason,
			.whole = write->whole};

		status = profile_put(profile, &record, error);
	}
	return status;
}

/* Those that wait, up to so many bytes and some. */
static int put_blocks(
	struct profile_writer *profile, uint64_t began, uint64_t most, struct error *error)
{
	uint64_t bytes = 0;
	int status;

	state.putting = 0;
	if (!state.packer)
		return 0;
	status = put_writes(profile, began, error);
	for (const struct event_block *block = events_waiting(state.packer)->first;
		block && status == 0 && bytes < most; block = block->next) {
		const struct profile_event_block record = {.id = state.blocks + ++state.putting,
			.thread = block->stream,
			.number = block->number,
			.first = block->first > began ? block->first - began : 0,
			.last = block->last > began ? block->last - began : 0,
			.count = block->count,
			.lost = block->lost,
			.bytes = {block->bytes, block->size}};

		/* Threads go on meanwhile. */
		if ((bytes += block->size) % URGENT < block->size)
			events_pack(state.packer, false);
		status = profile_put(profile, &record, error);
	}
	/* Behind blocks that came meanwhile. */
	return status == 0 ? put_threads(profile, error) : status;
}

static int put_some(struct profile_writer *profile, uint64_t began, struct error *error)
{
	return put_blocks(profile, began, AT_ONCE, error);
}

static int put(struct profile_writer *profile, uint64_t began, struct error *error)
{
	if (!state.packer)
		return 0;
	events_pack(state.packer, !atomic_load(&state.on));
	look_at_kept();
	events_seal(state.packer, !atomic_load(&state.on));
	return put_blocks(profile, began, UINT64_MAX, error);
}

static void put_done(bool kept)
{
	if (!state.packer || !kept) {
		state.putting = 0;
		return;
	}
	events_forget_threads(state.packer);
	state.writes += state.waiting;
	state.waiting = 0;
	state.blocks += state.putting;
	for (; state.putting > 0; state.putting--)
		events_drop_first(state.packer);
}

static void facts(fact_put put_it, void *argument)
{
	struct event_counts counts;

	if (!state.packer)
		return;
	counts = events_count(state.packer);
	fact_put_number(put_it, argument, "events", counts.packed);
	if (counts.lost > 0)
		fact_put_number(put_it, argument, "events.lost", counts.lost);
	if (counts.odd > 0)
		fact_put_number(put_it, argument, "events.odd", counts.odd);
}

const struct tracer events_tracer = {.prove = prove,
	.on = on,
	.off = off,
	.forget = forget,
	.expected = expected,
	.drain = drain,
	.keep_up = keep_up,
	.put_some = put_some,
	.put = put,
	.put_done = put_done,
	.facts = facts};
