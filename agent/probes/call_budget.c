/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/* call_budget: see call_budget.h. */
#include "agent/probes/call_budget.h"

#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "agent/lock/lock.h"
#include "agent/log/log.h"
#include "agent/methods/call_kinds.h"
#include "agent/methods/methods.h"
#include "agent/probes/class_hook.h"
#include "agent/probes/native_methods.h"
#include "agent/threads/thread_slot.h"
#include "agent/trace/toll.h"
#include "metric/clock.h"
#include "options/pattern.h"

static const uint64_t NS_PER_MS = 1000000;

/* Turns come further and further apart: what a program does most is known soon, and each change has the JVM compile anew. */
enum {
	LOOK_MS = 50,       /* from one look at the tolls to the next */
	TURN_FIRST_MS = 50, /* from the begin to the first turn, at which they are weighed */
	TURN_MOST_MS = 10000,
	CHANGES_MOST = 500 /* methods, in one turn */
};

/* What a timed call takes of the program is more than what its two events do by themselves: it is not inlined, and what is
 * around it is compiled with less freedom. */
static const double hindrance = 2;
/* In parts of the budget: where a thread's calls are noted; what one method may take; what no turn is waited for; and what
 * a method that was too dear takes when it is rare. */
static const double noted = 0.1, part = 0.005, gross = 3, rarity = 0.0005;

/* A method to be changed. */
struct change {
	uint32_t method;
	uint64_t calls;
};

/* What a method that became dear was last seen to be. */
struct dear {
	uint32_t method;
	uint32_t changes; /* to dear: each time it has to be rare for longer */
	uint32_t rare;    /* looks in a row at which it was */
	uint64_t calls;   /* counted, at the last one */
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
	struct dear *dear;
	size_t dears;
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

/* The methods have that kind, and their classes the probes for it. */
static void change(const struct change *change, size_t count, enum call_kind kind)
{
	uint64_t begin = clock_system(), took;
	bool attached;
	JNIEnv *jni;

	changed_classes = 0;
	changed_class = calloc(count + 1, sizeof(*changed_class));
	jni = changed_class ? jvm_enter(&attached) : NULL;
	for (size_t i = 0; i < count && jni; i++) {
		const struct profile_method *method = methods_get(change[i].method);

		call_kind_change(change[i].method, kind);
		if (method->is_native)
			native_methods_change(change[i].method);
		else
			changed_class[changed_classes++] = method->class_name;
		log_line(LOG_DEBUG, "%s.%s is %s from now on", method->class_name, method->name,
			kind == CALL_TIMED ? "timed" : "counted");
	}
	if (jni) {
		qsort(changed_class, changed_classes, sizeof(*changed_class), compare_names);
		class_hook_renew(jni, is_changed);
		jvm_leave(attached);
	}
	free(changed_class);
	took = clock_system() - begin;
	atomic_fetch_add(&budget.turns, 1);
	atomic_fetch_add(&budget.changed, count);
	atomic_fetch_add(&budget.changing_ns, took);
	log_line(LOG_DEBUG, "%zu methods changed in %.1f ms", count, (double)took / 1e6);
}

/* ---- what is too dear ---- */

static int compare_calls(const void *a, const void *b)
{
	const struct change *x = a, *y = b;

	return (x->calls < y->calls) - (x->calls > y->calls);
}

/* Methods by their toll, the dearest first. One that is dear already has it where a class was just being loaded when it
 * became so. */
static size_t take_tolls(struct change *tolls, size_t most)
{
	uint32_t end = methods_end();
	size_t count = 0;

	for (uint32_t id = METHOD_FIRST; id < end && count < most; id++) {
		uint32_t calls = toll_take_of(id);

		if (calls > 0 && call_kind_of(id) != CALL_UNSEEN)
			tolls[count++] = (struct change){id, calls};
	}
	qsort(tolls, count, sizeof(*tolls), compare_calls);
	return count;
}

/* Those that take more than their part of the budget in so many ns; and more of the dearest where the rest would still be
 * over it. */
static size_t count_dear(
	const struct change *tolls, size_t count, struct toll_sum sum, uint64_t ns)
{
	double most = part * budget.share * (double)ns;
	double rest = (double)sum.calls * budget.call_ns;
	size_t dear = 0;

	while (dear < count && dear < CHANGES_MOST &&
		((double)tolls[dear].calls * budget.call_ns > most ||
			rest > budget.share * (double)sum.ns))
		rest -= (double)tolls[dear++].calls * budget.call_ns;
	return dear;
}

static struct dear *dear_of(uint32_t method)
{
	for (size_t i = 0; i < budget.dears; i++)
		if (budget.dear[i].method == method)
			return &budget.dear[i];
	return NULL;
}

static void note_dear(uint32_t method)
{
	struct dear *dear = dear_of(method), *more;

	if (!dear) {
		more = realloc(budget.dear, (budget.dears + 1) * sizeof(*more));
		if (!more)
			return;
		budget.dear = more;
		dear = &more[budget.dears++];
		*dear = (struct dear){.method = method};
	}
	dear->changes++;
	dear->rare = 0;
	dear->calls = trace_counted_calls(budget.session->trace, method);
}

static void find_dear(struct toll_sum sum, uint64_t ns)
{
	enum { TOLLS = 1 << 14 };
	struct change *tolls = sum.calls > 0 ? malloc(TOLLS * sizeof(*tolls)) : NULL;
	size_t count = tolls ? count_dear(tolls, take_tolls(tolls, TOLLS), sum, ns) : 0;

	for (size_t i = 0; i < count; i++)
		if (call_kind_of(tolls[i].method) == CALL_TIMED)
			note_dear(tolls[i].method);
	if (count > 0)
		change(tolls, count, CALL_DEAR);
	/* Until then they were timed. */
	for (size_t i = 0; i < count; i++)
		toll_take_of(tolls[i].method);
	free(tolls);
}

/* ---- what has become rare ---- */

/* Looks in a row at which it has to be rare: four times as many after each change. */
static bool is_rare(struct dear *dear, uint64_t ns)
{
	uint64_t calls = trace_counted_calls(budget.session->trace, dear->method);
	double took = (double)(calls - dear->calls) * budget.call_ns;
	uint32_t needed = dear->changes < 8 ? UINT32_C(1) << 2 * dear->changes : 1 << 14;

	dear->calls = calls;
	dear->rare = took < rarity * budget.share * (double)ns ? dear->rare + 1 : 0;
	return dear->rare >= needed;
}

static void find_rare(uint64_t ns)
{
	struct change *rare = malloc((budget.dears + 1) * sizeof(*rare));
	size_t count = 0;

	for (size_t i = 0; i < budget.dears && rare; i++) {
		struct dear *dear = &budget.dear[i];

		if (call_kind_of(dear->method) == CALL_DEAR && is_rare(dear, ns))
			rare[count++] = (struct change){dear->method, 0};
	}
	if (count > 0)
		change(rare, count, CALL_TIMED);
	free(rare);
}

/* ---- for tests ---- */

/* All that may be either way, by turns: a third of the methods at each look. */
static void change_at_random(uint32_t look)
{
	struct change *some[2] = {calloc(CHANGES_MOST, sizeof(struct change)),
		calloc(CHANGES_MOST, sizeof(struct change))};
	size_t count[2] = {0};

	for (uint32_t id = METHOD_FIRST; id < methods_end() && some[0] && some[1]; id++) {
		bool timed = call_kind_of(id) == CALL_TIMED;

		if (call_kind_of(id) != CALL_UNSEEN && (id * 7 + look) % 3 == 0 &&
			count[timed] < CHANGES_MOST)
			some[timed][count[timed]++].method = id;
	}
	for (int timed = 0; timed < 2; timed++) {
		if (count[timed] > 0)
			change(some[timed], count[timed], timed ? CALL_DEAR : CALL_TIMED);
		free(some[timed]);
	}
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

static bool is_gross(struct toll_sum sum)
{
	return sum.ns > LOOK_MS * NS_PER_MS &&
	       (double)sum.calls * budget.call_ns > gross * budget.share * (double)sum.ns;
}

static void *run(void *unused)
{
	struct thread_hiding before = slot_hide_own();
	uint64_t gap = TURN_FIRST_MS * NS_PER_MS, turn = clock_system(), rare = turn, now;
	struct toll_sum sum = {0}, more;

	pthread_setname_np(pthread_self(), "jprof budget");
	for (uint32_t look = 0; budget.restless && wait_look(); look++)
		change_at_random(look);
	while (wait_look()) {
		more = toll_take();
		sum.calls += more.calls;
		sum.ns += more.ns;
		now = clock_system();
		if (now - turn >= gap || is_gross(sum)) {
			find_dear(sum, now - turn);
			sum = (struct toll_sum){0};
			turn = clock_system();
			gap = gap < TURN_MOST_MS * NS_PER_MS ? 2 * gap : gap;
		}
		if (now - rare >= TURN_MOST_MS * NS_PER_MS) {
			find_rare(now - rare);
			rare = now;
		}
	}
	slot_show_own(before);
	return NULL;
}

int call_budget_open(JNIEnv *jni, struct session *session, struct error *error)
{
	budget.session = session;
	budget.call_ns = 2 * session->event_ns * hindrance;
	budget.share = (double)session->options.budget / 100;
	budget.dears = 0;
	budget.restless = getenv("JPROF_RESTLESS") != NULL;
	atomic_store(&budget.turns, 0);
	atomic_store(&budget.changed, 0);
	atomic_store(&budget.changing_ns, 0);
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
	enum { PATIENCE_MS = 10000 };
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
		free(budget.dear);
		budget.dear = NULL;
	}
	return out;
}

void call_budget_facts(fact_put put, void *argument)
{
	uint64_t kinds[CALL_KINDS];

	call_kinds_count(kinds);
	fact_put_number(put, argument, "budget.timed", kinds[CALL_TIMED]);
	fact_put_number(put, argument, "budget.small", kinds[CALL_SMALL]);
	fact_put_number(put, argument, "budget.dear", kinds[CALL_DEAR]);
	fact_put_number(put, argument, "budget.turns", atomic_load(&budget.turns));
	fact_put_number(put, argument, "budget.changed", atomic_load(&budget.changed));
	fact_put_number(put, argument, "budget.changing_ns", atomic_load(&budget.changing_ns));
}
