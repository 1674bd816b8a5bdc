/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/* tracers: see tracers.h. */
#include "agent/tracers/tracers.h"

#include <stdatomic.h>
#include <string.h>

#include "agent/jvm/jvm.h"
#include "agent/lock/lock.h"
#include "agent/log/log.h"
#include "agent/sample/sampler.h"
#include "agent/tracers/classes_tracer.h"
#include "agent/tracers/objects_tracer.h"
#include "agent/tracers/exceptions_tracer.h"
#include "agent/tracers/gc_tracer.h"
#include "agent/tracers/jit_tracer.h"
#include "agent/tracers/threads_tracer.h"
#include "agent/tracers/locks_tracer.h"
#include "agent/tracers/events_tracer.h"
#include "metric/clock.h"

/* By trace; NULL: there is none yet. */
static const struct tracer *const tracers[TRACE_KINDS] = {
	[TRACE_OBJECTS] = &objects_tracer,
	[TRACE_GC] = &gc_tracer,
	[TRACE_EXCEPTIONS] = &exceptions_tracer,
	[TRACE_CLASSES] = &classes_tracer,
	[TRACE_JIT] = &jit_tracer,
	[TRACE_LOCKS] = &locks_tracer,
	[TRACE_EVENTS] = &events_tracer,
	[TRACE_THREADS] = &threads_tracer,
};

/* Most periods that are told apart. Behind those the last one of a trace goes on. */
enum { PERIODS = 32768 };

struct period {
	enum trace_kind trace;
	uint64_t began, ended; /* clock_now, as of events; ended 0: it is on */
	bool put;              /* as it is now */
	bool putting;
};

static struct {
	_Atomic unsigned on;
	/* Were on in this session: what they hold their forget gives back. */
	_Atomic unsigned held;
	unsigned
		kept; /* hold what a recording had that has ended, and that is in use; in a turn */
	struct lock lock; /* guards what follows */
	struct period period[PERIODS];
	unsigned periods;
	uint64_t unlisted; /* switches that have no period of their own */
} state = {.lock = {PTHREAD_MUTEX_INITIALIZER, LOCK_TRACERS}};

#define EACH_TRACER(kind, bits)                                                                \
	for (enum trace_kind kind = 0; kind < TRACE_KINDS; kind++)                             \
		if (((bits)&1U << kind) && tracers[kind])

static const unsigned every = (1U << TRACE_KINDS) - 1;

unsigned tracer_bit(const char *name)
{
	for (int kind = 0; kind < TRACE_KINDS; kind++)
		if (strcmp(trace_kind_names[kind], name) == 0)
			return 1U << kind;
	return 0;
}

json_t *tracers_names(unsigned bits)
{
	json_t *names = json_array();

	EACH_TRACER (kind, bits)
		json_array_append_new(names, json_string(trace_kind_names[kind]));
	return names;
}

unsigned tracers_now(void)
{
	return atomic_load(&state.on);
}

/* Those that the options name. */
static unsigned named(const struct session *session)
{
	const struct pattern_list *traces = &session->options.traces;
	unsigned bits = 0;

	for (size_t i = 0; i < traces->count; i++)
		bits |= tracer_bit(traces->pattern[i]);
	return bits;
}

/* ---- before ---- */

void tracers_callbacks(jvmtiEventCallbacks *callbacks)
{
	EACH_TRACER (kind, every)
		if (tracers[kind]->callbacks)
			tracers[kind]->callbacks(callbacks);
}

/* What the trace holds of a recording that has ended goes. False: it is still in use. */
static bool give_back(enum trace_kind kind)
{
	bool given = !tracers[kind]->forget || tracers[kind]->forget();

	state.kept = given ? state.kept & ~(1U << kind) : state.kept | 1U << kind;
	return given;
}

static int prove(const struct session *session, enum trace_kind kind, struct error *error)
{
	const struct tracer *tracer = tracers[kind];
	int status = 0;

	if (!tracer)
		return error_set(error, ERROR_MISSING,
			"traces=%s: this jprof has no such trace", trace_kind_names[kind]);
	if ((state.kept & 1U << kind) && !give_back(kind))
		return error_set(error, ERROR_BUSY,
			"traces=%s: what the recording before has is still in use",
			trace_kind_names[kind]);
	if (tracer->stacks)
		status = sampler_can_read(error);
	if (status == 0 && tracer->capabilities)
		status = jvm_add_capabilities(tracer->capabilities, error);
	if (status == 0 && tracer->prove)
		status = tracer->prove(session, error);
	return status;
}

int tracers_prove(const struct session *session, struct error *error)
{
	unsigned bits = named(session);
	int status = 0;

	for (enum trace_kind kind = 0; kind < TRACE_KINDS && status == 0; kind++)
		if (bits & 1U << kind)
			status = prove(session, kind, error);
	return status;
}

/* ---- periods ---- */

/* The newest of the trace ends then; 0: it goes on. Under the lock. */
static void set_end(enum trace_kind kind, uint64_t ended)
{
	for (unsigned i = state.periods; i-- > 0;) {
		struct period *period = &state.period[i];

		if (period->trace != kind)
			continue;
		period->ended = ended;
		period->put = false;
		return;
	}
}

static void period_begins(enum trace_kind kind, uint64_t now)
{
	lock_take(&state.lock);
	if (state.periods < PERIODS) {
		state.period[state.periods++] = (struct period){.trace = kind, .began = now};
	} else {
		set_end(kind, 0);
		state.unlisted++;
	}
	lock_give(&state.lock);
}

static void period_ends(enum trace_kind kind)
{
	uint64_t now = clock_now();

	lock_take(&state.lock);
	set_end(kind, now);
	lock_give(&state.lock);
}

/* ---- on and off ---- */

static int enable(const struct tracer *tracer, bool on, struct error *error)
{
	int status = 0;

	for (unsigned i = 0; tracer->event[i] && status == 0; i++)
		status = jvm_enable(tracer->event[i], on, error);
	return status;
}

static void switch_off(JNIEnv *jni, struct session *session, enum trace_kind kind)
{
	const struct tracer *tracer = tracers[kind];
	struct error error = {0};

	if (enable(tracer, false, &error))
		log_line(LOG_ERROR, "%s", error.text);
	if (tracer->off)
		tracer->off(jni, session);
	atomic_fetch_and(&state.on, ~(1U << kind));
	period_ends(kind);
}

static int switch_on(
	JNIEnv *jni, struct session *session, enum trace_kind kind, struct error *error)
{
	const struct tracer *tracer = tracers[kind];
	/* Before it is on: whatever it tells is in the period. */
	uint64_t now = clock_now();
	int status;

	atomic_fetch_or(&state.held, 1U << kind);
	status = tracer->on ? tracer->on(jni, session, error) : 0;
	if (status)
		return status;
	atomic_fetch_or(&state.on, 1U << kind);
	period_begins(kind, now);
	status = enable(tracer, true, error);
	if (status)
		switch_off(jni, session, kind);
	return status;
}

static void expect_events(void)
{
	bool expected = false;

	EACH_TRACER (kind, tracers_now())
		expected |= tracers[kind]->stacks ||
			    (tracers[kind]->reads_stacks && tracers[kind]->reads_stacks());
	sampler_expect_events(expected);
}

int tracers_switch(
	JNIEnv *jni, struct session *session, unsigned on, unsigned off, struct error *error)
{
	int status = 0;

	EACH_TRACER (kind, off & tracers_now())
		switch_off(jni, session, kind);
	on &= ~tracers_now();
	for (enum trace_kind kind = 0; kind < TRACE_KINDS && status == 0; kind++) {
		if (!(on & 1U << kind))
			continue;
		status = prove(session, kind, error);
		if (status == 0)
			status = switch_on(jni, session, kind, error);
	}
	expect_events();
	return status;
}

int tracers_begin(JNIEnv *jni, struct session *session, struct error *error)
{
	int status;

	lock_take(&state.lock);
	state.periods = 0;
	state.unlisted = 0;
	lock_give(&state.lock);
	status = tracers_switch(jni, session, named(session), 0, error);
	if (status)
		tracers_stop(session, error);
	return status;
}

bool tracers_stop(struct session *session, struct error *error)
{
	EACH_TRACER (kind, tracers_now())
		switch_off(jvm_env(), session, kind);
	return true;
}

bool tracers_end(JNIEnv *jni, struct session *session)
{
	unsigned held_now;
	bool out = true;

	/* A writer that hangs may come back to what they hold. */
	if (session->abandoned)
		return true;
	/* Apart: the bits of EACH_TRACER are looked at for each. */
	held_now = atomic_exchange(&state.held, 0);
	EACH_TRACER (kind, held_now)
		out &= give_back(kind);
	return out;
}

/* ---- for the writer: of traces that were on, as the others hold nothing, or what an earlier session left ---- */

static unsigned held(void)
{
	return atomic_load(&state.held);
}

/* The next one from *at on that is not in the file as it is now. False: there is none. */
static bool next_period(unsigned *at, struct period *copy)
{
	bool found = false;

	lock_take(&state.lock);
	for (; *at < state.periods && !found; ++*at) {
		struct period *period = &state.period[*at];

		found = !period->put;
		*copy = *period;
		period->putting |= found;
		period->put = true;
	}
	lock_give(&state.lock);
	return found;
}

/* The session's begin is by the system's clock, which may be some ns ahead. */
static uint64_t since(uint64_t time, uint64_t began)
{
	return time > began ? time - began : 0;
}

/* Without the lock: who switches a trace does not wait for the disk. */
static int put_periods(struct profile_writer *profile, uint64_t began, struct error *error)
{
	struct period period;
	unsigned at = 0;
	int status = 0;

	while (status == 0 && next_period(&at, &period)) {
		const struct profile_trace_period record = {.id = at,
			.trace = period.trace,
			.began = since(period.began, began),
			.ended = period.ended ? (int64_t)since(period.ended, began)
					      : PROFILE_NOT_KNOWN};

		status = profile_put(profile, &record, error);
	}
	return status;
}

static void periods_done(bool kept)
{
	lock_take(&state.lock);
	for (unsigned i = 0; i < state.periods; i++) {
		if (state.period[i].putting && !kept)
			state.period[i].put = false;
		state.period[i].putting = false;
	}
	lock_give(&state.lock);
}

static void settle(bool snapshot)
{
	EACH_TRACER (kind, held())
		if (tracers[kind]->settle)
			tracers[kind]->settle(snapshot);
}

static int put(struct profile_writer *profile, uint64_t began, struct error *error)
{
	int status = put_periods(profile, began, error);

	EACH_TRACER (kind, held())
		if (status == 0 && tracers[kind]->put)
			status = tracers[kind]->put(profile, began, error);
	return status;
}

static void put_done(bool kept)
{
	periods_done(kept);
	EACH_TRACER (kind, held())
		if (tracers[kind]->put_done)
			tracers[kind]->put_done(kept);
}

static void snapshot_made(void)
{
	EACH_TRACER (kind, held())
		if (tracers[kind]->snapshot_made)
			tracers[kind]->snapshot_made();
}

static void facts(fact_put put_it, void *argument)
{
	if (state.unlisted)
		fact_put_number(put_it, argument, "trace.unlisted", state.unlisted);
	EACH_TRACER (kind, held())
		if (tracers[kind]->facts)
			tracers[kind]->facts(put_it, argument);
}

static bool expected(void)
{
	bool any = false;

	EACH_TRACER (kind, held())
		any |= tracers[kind]->expected && tracers[kind]->expected();
	return any;
}

static bool drain(void)
{
	bool urgent = false;

	EACH_TRACER (kind, held())
		if (tracers[kind]->drain && tracers[kind]->expected())
			urgent |= tracers[kind]->drain();
	return urgent;
}

static void keep_up(void)
{
	EACH_TRACER (kind, held())
		if (tracers[kind]->keep_up && tracers[kind]->expected())
			tracers[kind]->keep_up();
}

static int put_some(struct profile_writer *profile, uint64_t began, struct error *error)
{
	int status = 0;

	EACH_TRACER (kind, held())
		if (status == 0 && tracers[kind]->put_some)
			status = tracers[kind]->put_some(profile, began, error);
	return status;
}

static void put_some_done(bool kept)
{
	EACH_TRACER (kind, held())
		if (tracers[kind]->put_some)
			tracers[kind]->put_done(kept);
}

const struct trace_source tracers_source = {.expected = expected,
	.drain = drain,
	.put_some = put_some,
	.put_some_done = put_some_done,
	.keep_up = keep_up,
	.settle = settle,
	.put = put,
	.put_done = put_done,
	.snapshot_made = snapshot_made,
	.facts = facts};
