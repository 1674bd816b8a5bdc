/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/* call_budget: see call_budget.h. */
#include "agent/probes/call_budget.h"

#include <math.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "agent/lock/lock.h"
#include "agent/log/log.h"
#include "agent/methods/call_choice.h"
#include "agent/methods/methods.h"
#include "agent/probes/class_hook.h"
#include "agent/probes/native_methods.h"
#include "agent/threads/thread_slot.h"
#include "agent/trace/toll.h"
#include "metric/clock.h"
#include "options/pattern.h"

static const uint64_t NS_PER_MS = 1000000;

enum {
	LOOK_MS = 50,    /* from one look at the tolls to the next */
	URGENT_MS = 1000 /* from one time that no turn is waited for to the next */
};

/* From one turn to the next, ms; the last is that of all that follow. So what is dear, and what is rare, is settled after
 * nine seconds. The first changes nothing: what a program does as it begins tells little of what it does then. */
static const uint32_t turn_ms[] = {2000, 2000, 5000, 10000};

enum { TURNS = sizeof(turn_ms) / sizeof(*turn_ms) };

/* What a timed call takes of the program is more than what its two events do by themselves: it is not inlined, and what is
 * around it is compiled with less freedom. */
static const double hindrance = 2;
/* Where events are not measured, as no metric is one of time. */
#define EVENT_NS_LEAST 10.0
/* In parts of the budget: from where on a thread's calls are noted; and for what no turn is waited. */
static const double noted = 0.1, gross = 3;

/* What is remembered of a method from turn to turn. */
struct past {
	uint64_t counted; /* in all */
	uint32_t dear, rare;
	uint32_t again; /* how often it was to be counted, and was timed still */
};

static struct {
	pthread_t thread;
	bool begun;
	struct session *session; /* borrowed */
	double call_ns, share;
	pthread_mutex_t mutex; /* taken around nothing else */
	pthread_cond_t ends;
	bool ending;   /* under the mutex */
	bool restless; /* JPROF_RESTLESS is set: methods are changed all the time, for tests */
	/* The thread's. */
	struct past *past; /* by method */
	uint32_t pasts;
	/* For facts. */
	_Atomic uint64_t turns, changed, changing_ns;
} budget = {.mutex = PTHREAD_MUTEX_INITIALIZER};

/* ---- methods are changed ---- */

/* Names of classes that have changed methods, sorted: read while classes are chosen. */
static const char **changed_class;
static size_t changed_classes;

static int compare_names(const void *a, const void *b)
{
	return strcmp(*(const char *const *)a, *(const char *const *)b);
}

/* Classes of a family share a name with '*' in it. */
static bool is_changed(const char *class_name)
{
	if (bsearch(&class_name, changed_class, changed_classes, sizeof(*changed_class),
		    compare_names))
		return true;
	for (size_t i = 0; i < changed_classes; i++)
		if (strchr(changed_class[i], '*') &&
			pattern_match(changed_class[i], class_name))
			return true;
	return false;
}

static void change_kind(const struct call_turn *turn)
{
	const struct profile_method *method = methods_get(turn->method);

	call_kind_change(turn->method, turn->to);
	if (method->is_native)
		native_methods_change(turn->method);
	else
		changed_class[changed_classes++] = method->class_name;
	log_line(LOG_DEBUG, "%s.%s is %s from now on", method->class_name, method->name,
		turn->to == CALL_TIMED ? "timed" : "counted");
}

static bool is_ending(void)
{
	bool ending;

	pthread_mutex_lock(&budget.mutex);
	ending = budget.ending;
	pthread_mutex_unlock(&budget.mutex);
	return ending;
}

static bool is_to_change(const struct call_turn *turn)
{
	return turn->to != turn->kind || (turn->to == CALL_DEAR && turn->timed > 0);
}

/* Methods have the kinds that they are to have, and their classes the probes for it. False: nothing was changed. */
static bool change(const struct call_turn *turn, size_t count, size_t changes)
{
	uint64_t begin = clock_system(), took;
	bool attached;
	JNIEnv *jni;

	changed_classes = 0;
	changed_class = calloc(changes + 1, sizeof(*changed_class));
	jni = changed_class ? jvm_enter(&attached) : NULL;
	if (!jni) {
		free(changed_class);
		return false;
	}
	for (size_t i = 0; i < count; i++)
		if (is_to_change(&turn[i]))
			change_kind(&turn[i]);
	qsort(changed_class, changed_classes, sizeof(*changed_class), compare_names);
	class_hook_renew(jni, is_changed, is_ending);
	jvm_leave(attached);
	free(changed_class);
	/* What they took until now was timed. */
	for (size_t i = 0; i < count; i++)
		if (is_to_change(&turn[i]))
			toll_take_of(turn[i].method);
	took = clock_system() - begin;
	atomic_fetch_add(&budget.turns, 1);
	atomic_fetch_add(&budget.changed, changes);
	atomic_fetch_add(&budget.changing_ns, took);
	log_line(LOG_DEBUG, "%zu methods changed in %.1f ms", changes, (double)took / 1e6);
	return true;
}

/* ---- a turn ---- */

/* Room for all methods that there are by now. False: no memory. */
static bool grow_past(uint32_t end)
{
	struct past *more;

	if (end <= budget.pasts)
		return true;
	more = realloc(budget.past, end * sizeof(*more));
	if (!more)
		return false;
	memset(more + budget.pasts, 0, (end - budget.pasts) * sizeof(*more));
	budget.past = more;
	budget.pasts = end;
	return true;
}

/* The methods that were called in the turn; counted: NULL, if that is not looked at now. Of those that stay timed, as the user
 * or the JVM has it, *fixed calls were timed. */
static size_t take_turn(
	struct call_turn *turn, const uint64_t *counted, uint32_t end, uint64_t *fixed)
{
	enum { TRIES = 3 };
	size_t count = 0;

	for (uint32_t id = METHOD_FIRST; id < end; id++) {
		struct past *past = &budget.past[id];
		struct call_turn method = {.method = id,
			.class_name = methods_get(id)->class_name,
			.kind = call_kind_of(id),
			.timed = toll_take_of(id),
			.dear = past->dear,
			.rare = past->rare};

		/* Fewer than before: of very many threads not the same ones were looked at. */
		if (counted && counted[id] > past->counted)
			method.counted = counted[id] - past->counted;
		if (counted)
			past->counted = counted[id];
		past->again += method.kind == CALL_DEAR && method.timed > 0;
		if (method.kind == CALL_UNSEEN || past->again > TRIES)
			*fixed += method.timed;
		else if (method.timed + method.counted > 0)
			turn[count++] = method;
	}
	return count;
}

static void remember(const struct call_turn *turn, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		budget.past[turn[i].method].dear = turn[i].dear;
		budget.past[turn[i].method].rare = turn[i].rare;
	}
}

enum occasion {
	OCCASION_LOOK,   /* the first turn: nothing is changed */
	OCCASION_TURN,   /* all is weighed */
	OCCASION_URGENT, /* only what is dear */
};

static void take_and_change(const struct toll_sum *sum, uint64_t ns, enum occasion occasion)
{
	struct call_limits limits = {.call_ns = budget.call_ns,
		.share = budget.share,
		.ns = ns,
		.noted_ns = sum->ns,
		.only_dear = occasion == OCCASION_URGENT};
	uint32_t end = methods_end();
	uint64_t *counted = calloc(end, sizeof(*counted)), fixed = 0;
	struct call_turn *turn = calloc(end, sizeof(*turn));
	size_t count, changes = 0;

	if (counted && turn && grow_past(end)) {
		if (!limits.only_dear)
			trace_add_counts(budget.session->trace, counted, end);
		count = take_turn(turn, limits.only_dear ? NULL : counted, end, &fixed);
		limits.noted_calls = sum->calls > fixed ? sum->calls - fixed : 0;
		if (occasion != OCCASION_LOOK)
			changes = call_choose(turn, count, &limits);
		if (changes == 0 || change(turn, count, changes))
			remember(turn, count);
	}
	free(counted);
	free(turn);
}

/* ---- for tests ---- */

/* All that may be either way, by turns: a third of the methods at each look. */
static void change_at_random(uint32_t look)
{
	uint32_t end = methods_end();
	struct call_turn *turn = calloc(end, sizeof(*turn));
	size_t count = 0;

	for (uint32_t id = METHOD_FIRST; id < end && turn; id++) {
		enum call_kind kind = call_kind_of(id);

		if (kind != CALL_UNSEEN && (id * 7 + look) % 3 == 0)
			turn[count++] = (struct call_turn){.method = id,
				.kind = kind,
				.to = kind == CALL_TIMED ? CALL_DEAR : CALL_TIMED};
	}
	if (count > 0)
		change(turn, count, count);
	free(turn);
}

/* ---- life ---- */

/* False: the recording ends. */
static bool wait_look(void)
{
	struct timespec until = lock_deadline(budget.restless ? 1 : LOOK_MS);
	int result = 0;
	bool ending;

	pthread_mutex_lock(&budget.mutex);
	while (!budget.ending && result == 0)
		result = pthread_cond_timedwait(&budget.ends, &budget.mutex, &until);
	ending = budget.ending;
	pthread_mutex_unlock(&budget.mutex);
	return !ending;
}

static bool is_gross(const struct toll_sum *sum)
{
	return sum->ns > LOOK_MS * NS_PER_MS &&
	       (double)sum->calls * budget.call_ns > gross * budget.share * (double)sum->ns;
}

static void *run(void *unused)
{
	struct thread_hiding before = slot_hide_own();
	uint64_t began = clock_system(), last = began, now;
	struct toll_sum sum = {0}, more;
	unsigned turn = 0;

	pthread_setname_np(pthread_self(), "jprof budget");
	for (uint32_t look = 0; budget.restless && wait_look(); look++)
		change_at_random(look);
	while (wait_look()) {
		bool due, urgent;

		more = toll_take();
		sum.calls += more.calls;
		sum.ns += more.ns;
		now = clock_system();
		due = now - began >= turn_ms[turn] * NS_PER_MS;
		urgent = is_gross(&sum) && now - last >= URGENT_MS * NS_PER_MS;
		if (!due && !urgent)
			continue;
		take_and_change(&sum, now - last,
			!due        ? OCCASION_URGENT
			: turn == 0 ? OCCASION_LOOK
				    : OCCASION_TURN);
		sum = (struct toll_sum){0};
		last = clock_system();
		if (!due)
			continue;
		began = last;
		turn += turn + 1 < TURNS;
	}
	slot_show_own(before);
	return NULL;
}

/* What the recording before took is none of this one's. */
static void forget_tolls(void)
{
	toll_take();
	for (uint32_t id = METHOD_FIRST; id < methods_end(); id++)
		toll_take_of(id);
}

/* The thread of an earlier recording, which hung, is gone by now, or uses what a new one would. */
static int join_earlier(struct error *error)
{
	if (budget.begun && pthread_tryjoin_np(budget.thread, NULL) != 0)
		return error_set(error, ERROR_BUSY,
			"classes are still being changed for the recording before: try "
			"again later");
	budget.begun = false;
	return 0;
}

int call_budget_open(JNIEnv *jni, struct session *session, struct error *error)
{
	int code = join_earlier(error);

	if (code)
		return code;
	budget.session = session;
	budget.call_ns = 2 * fmax(session->event_ns, EVENT_NS_LEAST) * hindrance;
	budget.share = (double)session->options.budget / 100;
	budget.restless = getenv("JPROF_RESTLESS") != NULL;
	atomic_store(&budget.turns, 0);
	atomic_store(&budget.changed, 0);
	atomic_store(&budget.changing_ns, 0);
	forget_tolls();
	toll_begin(budget.call_ns, noted * budget.share);
	return 0;
}

bool call_budget_close(JNIEnv *jni, struct session *session)
{
	toll_begin(0, 0);
	return true;
}

int call_budget_begin(JNIEnv *jni, struct session *session, struct error *error)
{
	pthread_condattr_t monotonic;
	sigset_t all, before;

	budget.ending = false;
	pthread_condattr_init(&monotonic);
	pthread_condattr_setclock(&monotonic, CLOCK_MONOTONIC);
	pthread_cond_init(&budget.ends, &monotonic);
	pthread_condattr_destroy(&monotonic);
	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &before);
	budget.begun = pthread_create(&budget.thread, NULL, run, NULL) == 0;
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	if (!budget.begun)
		log_line(LOG_ERROR,
			"no thread could be made that keeps the budget: methods stay "
			"timed, whatever they cost");
	return 0;
}

bool call_budget_stop(struct session *session, struct error *error)
{
	enum { PATIENCE_MS = 3000 };
	struct timespec until = lock_deadline(PATIENCE_MS);
	bool out;

	if (!budget.begun)
		return true;
	pthread_mutex_lock(&budget.mutex);
	budget.ending = true;
	pthread_cond_signal(&budget.ends);
	pthread_mutex_unlock(&budget.mutex);
	/* It may be where the JVM changes classes. */
	out = pthread_clockjoin_np(budget.thread, NULL, CLOCK_MONOTONIC, &until) == 0;
	budget.begun = !out;
	if (out) {
		pthread_cond_destroy(&budget.ends);
		free(budget.past);
		budget.past = NULL;
		budget.pasts = 0;
	}
	return out;
}

void call_budget_counts(struct session_counts *counts)
{
	uint64_t kinds[CALL_KINDS];

	call_kinds_count(kinds);
	counts->timed = kinds[CALL_TIMED];
	counts->counted = kinds[CALL_SMALL] + kinds[CALL_COUNTED] + kinds[CALL_DEAR];
	counts->dear = kinds[CALL_DEAR];
	counts->changed = atomic_load(&budget.changed);
	counts->changing_ns = atomic_load(&budget.changing_ns);
}

void call_budget_facts(fact_put put, void *argument)
{
	uint64_t kinds[CALL_KINDS];

	call_kinds_count(kinds);
	fact_put_number(put, argument, "budget.timed", kinds[CALL_TIMED]);
	fact_put_number(
		put, argument, "budget.counted", kinds[CALL_SMALL] + kinds[CALL_COUNTED]);
	fact_put_number(put, argument, "budget.dear", kinds[CALL_DEAR]);
	fact_put_number(put, argument, "budget.turns", atomic_load(&budget.turns));
	fact_put_number(put, argument, "budget.changed", atomic_load(&budget.changed));
	fact_put_number(put, argument, "budget.changing_ns", atomic_load(&budget.changing_ns));
}
