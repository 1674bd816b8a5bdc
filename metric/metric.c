/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/*
 * metric: choosing a set, and opening it for a thread.
 */
#include "metric/metric.h"

#include <errno.h>
#include <stdatomic.h>
#include <string.h>

#include "options/nearest.h"
#include "metric/papi_names.h"
#include "metric/perf_names.h"
#include "user_counter.h"

struct metric_kind_row {
	const char *name, *unit; /* name NULL: named by libpfm4 */
};

static const struct metric_kind_row metric_kinds[] = {
#define X(kind, name, unit) [METRIC_##kind] = {name, unit},
	METRIC_KIND_TABLE(X)
#undef X
};

#define METRIC_KINDS (sizeof(metric_kinds) / sizeof(*metric_kinds))

static atomic_uint_fast64_t metric_fallback_count, metric_loss_count;

static void metric_note(atomic_uint_fast64_t *counter)
{
	atomic_fetch_add_explicit(counter, 1, memory_order_relaxed);
}

uint64_t metric_fallbacks(void)
{
	return atomic_load_explicit(&metric_fallback_count, memory_order_relaxed);
}

uint64_t metric_losses(void)
{
	return atomic_load_explicit(&metric_loss_count, memory_order_relaxed) +
	       perf_event_losses();
}

/* ---- choosing ---- */

static void metric_offer(void *nearest, const char *name)
{
	nearest_offer(nearest, name);
}

static int metric_unknown(const char *name, struct error *error)
{
	struct nearest nearest = {.wanted = name};
	char text[NEAREST_COUNT * (NEAREST_NAME + 4)];

	for (size_t i = 0; i < METRIC_KINDS; i++)
		if (metric_kinds[i].name)
			nearest_offer(&nearest, metric_kinds[i].name);
	for (size_t i = 0; i < papi_name_count; i++)
		nearest_offer(&nearest, papi_names[i].name);
	perf_names_generic(metric_offer, &nearest);
	perf_names_present(metric_offer, &nearest);
	nearest_text(&nearest, text, sizeof(text));
	return error_set(error, ERROR_VALUE,
		"unknown metric '%s': the nearest are %s; 'jprof metrics' lists them", name,
		text);
}

/* The first event of a preset that this machine's libpfm4 tables have. */
static int metric_choose_papi(
	struct metric *metric, const struct papi_name *papi, struct error *error)
{
	for (size_t i = 0; i < PAPI_EVENTS && papi->event[i]; i++) {
		if (perf_name_resolve(&metric->perf, papi->event[i], NULL) != 0)
			continue;
		snprintf(metric->how, sizeof(metric->how), " %s", papi->event[i]);
		return 0;
	}
	return error_set(error, ERROR_MISSING,
		"cannot count '%s': this processor has no single event for it that libpfm4 "
		"knows",
		metric->name);
}

static int metric_choose_event(struct metric *metric, struct error *error)
{
	const struct papi_name *papi = papi_name_find(metric->name);
	int result = papi ? metric_choose_papi(metric, papi, error)
			  : perf_name_resolve(&metric->perf, metric->name, error);

	if (result == PERF_NAME_UNKNOWN)
		return metric_unknown(metric->name, error);
	if (result != 0)
		return result;
	snprintf(metric->unit, sizeof(metric->unit), "%s", perf_event_unit(&metric->perf));
	return 0;
}

int metric_event(struct perf_event_choice *choice, const char *name, struct error *error)
{
	struct metric metric = {.kind = METRIC_PERF};
	int status;

	if (strlen(name) >= sizeof(metric.name))
		return error_set(error, ERROR_VALUE, "unknown event '%s'", name);
	memcpy(metric.name, name, strlen(name) + 1);
	status = metric_choose_event(&metric, error);
	*choice = metric.perf;
	return status;
}

static const char *metric_cpu_how(void)
{
	struct cpu_time cpu;
	bool cheap = cpu_time_open(&cpu);

	cpu_time_close(&cpu);
	return cheap ? "time stamp, perf page" : "clock_gettime";
}

static const char *metric_how(enum metric_kind kind)
{
	switch (kind) {
	case METRIC_WALL:
		return clock_how();
	case METRIC_CPU:
		return metric_cpu_how();
	case METRIC_ALLOC:
		return "JVM's counters";
	case METRIC_VM_OBJECTS:
	case METRIC_VM_BYTES:
		return "JVM's events: its own objects, never by new";
	case METRIC_PERF:
		return "";
	default:
		return "accounts of I/O";
	}
}

/* METRIC_PERF: it is named by libpfm4, if it is a metric. */
static enum metric_kind metric_kind_of(const char *name)
{
	size_t kind = 0;

	while (kind < METRIC_PERF && strcmp(metric_kinds[kind].name, name) != 0)
		kind++;
	return (enum metric_kind)kind;
}

static int metric_choose(struct metric *metric, const char *name, struct error *error)
{
	*metric = (struct metric){0};
	if (strlen(name) >= sizeof(metric->name))
		return error_set(error, ERROR_VALUE,
			"cannot count '%s': the name has more than %zu characters", name,
			sizeof(metric->name) - 1);
	memcpy(metric->name, name, strlen(name) + 1);
	metric->kind = metric_kind_of(name);
	snprintf(metric->unit, sizeof(metric->unit), "%s", metric_kinds[metric->kind].unit);
	snprintf(metric->how, sizeof(metric->how), "%s", metric_how(metric->kind));
	return metric->kind == METRIC_PERF ? metric_choose_event(metric, error) : 0;
}

static bool metric_uses_stamp(const struct metric_set *set)
{
	for (unsigned i = 0; i < set->count; i++)
		if (set->metric[i].kind == METRIC_WALL || set->metric[i].kind == METRIC_CPU)
			return true;
	return false;
}

static enum metric_shape metric_shape(const struct metric_set *set)
{
	static const enum metric_kind order[] = {METRIC_WALL, METRIC_CPU, METRIC_ALLOC};
	static const enum metric_shape shape[] = {
		SHAPE_ANY, SHAPE_WALL, SHAPE_WALL_CPU, SHAPE_WALL_CPU_ALLOC};

	if (set->count > sizeof(order) / sizeof(*order))
		return SHAPE_ANY;
	for (unsigned i = 0; i < set->count; i++)
		if (set->metric[i].kind != order[i])
			return SHAPE_ANY;
	return shape[set->count];
}

/* ---- hardware and software events ---- */

/* The open hardware counter whose group the one at index joins; NULL: it leads. A group that counts already is not
 * joined: where there are too few counters for both, it goes on. */
static const struct perf_counter *metric_leader(
	const struct metric_set *set, const struct perf_counter *counter, unsigned index)
{
	const struct metric *metric = &set->metric[index];

	if (!metric->perf.hardware)
		return NULL;
	for (unsigned i = 0; i < index; i++)
		if (set->metric[i].kind == METRIC_PERF && set->metric[i].perf.hardware &&
			set->metric[i].came == metric->came && counter[i].fd)
			return &counter[i];
	return NULL;
}

static int metric_refuse_crowd(const struct metric *metric, struct error *error)
{
	return error_set(error, ERROR_MISSING,
		"cannot count '%s': it does not fit beside the other hardware events (this "
		"machine has too few counters, and events do not take turns)",
		metric->name);
}

/* Opens one of the set's events beside those before it. */
static int metric_try_open(const struct metric_set *set, struct perf_counter *counter,
	unsigned index, struct error *error)
{
	const struct metric *metric = &set->metric[index];
	const struct perf_counter *leader = metric_leader(set, counter, index);
	int result = perf_counter_open(&counter[index], &metric->perf, leader);

	if (result == -EINVAL && leader) {
		struct perf_counter alone;

		result = perf_counter_open(&alone, &metric->perf, NULL);
		perf_counter_close(&alone);
		if (result == 0)
			return metric_refuse_crowd(metric, error);
	}
	return result ? perf_event_explain(error, metric->name, &metric->perf, -result) : 0;
}

/* All are open: does each count, and how can it be read? */
static int metric_try_count(const struct metric_set *set, struct metric *metric,
	const struct perf_counter *counter, struct error *error)
{
	char event[sizeof(metric->how)];
	bool fast = perf_counter_is_fast(counter);

	if (!perf_counter_counts(counter)) {
		if (set->count > 1)
			return metric_refuse_crowd(metric, error);
		return error_set(error, ERROR_BUSY,
			"cannot count '%s': something else holds the counter it needs (the "
			"kernel's NMI watchdog, perhaps: kernel.nmi_watchdog=0)",
			metric->name);
	}
	metric->perf.user_read = fast;
	memcpy(event, metric->how, sizeof(event));
	snprintf(metric->how, sizeof(metric->how), "%s%.80s",
		fast ? USER_COUNTER_HOW : "read()", event);
	return 0;
}

/* Counts with all events of the set for a moment, in the calling thread; those from `from` on are described. */
static int metric_try(struct metric_set *set, unsigned from, struct error *error)
{
	struct perf_counter counter[METRIC_MAX] = {0};
	int result = 0;

	for (unsigned i = 0; i < set->count && result == 0; i++)
		if (set->metric[i].kind == METRIC_PERF)
			result = metric_try_open(set, counter, i, error);
	for (unsigned i = from; i < set->count && result == 0; i++)
		if (set->metric[i].kind == METRIC_PERF)
			result = metric_try_count(set, &set->metric[i], &counter[i], error);
	for (unsigned i = set->count; i-- > 0;)
		perf_counter_close(&counter[i]);
	return result;
}

int metric_set_init(
	struct metric_set *set, const struct pattern_list *names, struct error *error)
{
	int result = 0;

	clock_init();
	*set = (struct metric_set){0};
	if (names->count == 0 || names->count > METRIC_MAX)
		return error_set(error, ERROR_VALUE,
			"%zu metrics are asked for: 1 to %d are legal", names->count,
			METRIC_MAX);
	for (size_t i = 0; i < names->count && result == 0; i++) {
		result = metric_choose(&set->metric[i], names->pattern[i], error);
		set->count++;
	}
	if (result == 0)
		result = metric_try(set, 0, error);
	if (result != 0)
		*set = (struct metric_set){0};
	set->shape = metric_shape(set);
	set->uses_stamp = metric_uses_stamp(set);
	return result;
}

static bool metric_is_named(const struct metric_set *set, const char *name)
{
	for (unsigned i = 0; i < set->count; i++)
		if (strcmp(set->metric[i].name, name) == 0)
			return true;
	return false;
}

int metric_set_widen(struct metric_set *wider, const struct metric_set *set,
	const struct pattern_list *names, struct error *error)
{
	uint64_t now = clock_now();
	int result = 0;

	*wider = *set;
	for (size_t i = 0; i < names->count && result == 0; i++) {
		struct metric *metric = &wider->metric[wider->count];

		if (metric_is_named(wider, names->pattern[i]))
			continue;
		if (wider->count == METRIC_MAX)
			return error_set(error, ERROR_VALUE,
				"cannot count '%s', too: %d metrics are counted already, and "
				"there "
				"can be no more",
				names->pattern[i], METRIC_MAX);
		result = metric_choose(metric, names->pattern[i], error);
		metric->came = now;
		wider->count++;
	}
	if (result == 0)
		result = metric_try(wider, set->count, error);
	wider->shape = metric_shape(wider);
	wider->uses_stamp = metric_uses_stamp(wider);
	return result;
}

/* ---- a thread ---- */

static void metric_open_alloc(struct metric_thread *thread, struct alloc_source source)
{
	alloc_open(&thread->alloc, source);
	if (source.allocated)
		return;
	metric_note(source.read ? &metric_fallback_count : &metric_loss_count);
}

static void metric_open_perf(
	const struct metric_set *set, struct metric_thread *thread, unsigned index)
{
	const struct perf_event_choice *choice = &set->metric[index].perf;
	struct perf_counter *counter = &thread->perf[index];
	const struct perf_counter *leader = metric_leader(set, thread->perf, index);

	if (perf_counter_open(counter, choice, leader) != 0)
		metric_note(&metric_loss_count);
	else if (choice->hardware && !perf_counter_is_fast(counter))
		metric_note(&metric_fallback_count);
	/* An unopened counter has been counted as lost; it is not to be counted again. */
	counter->lost = counter->fd == 0;
}

/* ---- what probes add to ---- */

bool metric_is_probed(const char *name)
{
	enum metric_kind kind = metric_kind_of(name);

	return kind == METRIC_WALL || kind == METRIC_CPU || kind == METRIC_PERF;
}

bool metric_set_is_probed(const struct metric_set *set)
{
	for (unsigned i = 0; i < set->count; i++)
		if (metric_is_probed(set->metric[i].name))
			return true;
	return false;
}

int metric_index(const struct metric_set *set, enum metric_kind kind)
{
	for (unsigned i = 0; i < set->count; i++) {
		if (set->metric[i].kind == kind)
			return (int)i;
	}
	return -1;
}

bool metric_set_has(const struct metric_set *set, enum metric_kind kind)
{
	return metric_index(set, kind) >= 0;
}

void metric_thread_open(
	const struct metric_set *set, struct metric_thread *thread, struct alloc_source alloc)
{
	*thread = (struct metric_thread){.alloc.source = alloc};
	metric_thread_widen(set, 0, thread);
}

void metric_thread_widen(
	const struct metric_set *set, unsigned from, struct metric_thread *thread)
{
	int saved = errno;

	for (unsigned i = from; i < set->count; i++) {
		switch (set->metric[i].kind) {
		case METRIC_CPU:
			if (!cpu_time_open(&thread->cpu))
				metric_note(&metric_fallback_count);
			break;
		case METRIC_ALLOC:
			metric_open_alloc(thread, thread->alloc.source);
			break;
		case METRIC_PERF:
			metric_open_perf(set, thread, i);
			break;
		default:
			break;
		}
	}
	errno = saved;
}

void metric_thread_close(const struct metric_set *set, struct metric_thread *thread)
{
	int saved = errno;

	/* A group's leader last: its members would be torn out of the group. */
	for (unsigned i = set->count; i-- > 0;) {
		if (set->metric[i].kind == METRIC_PERF)
			perf_counter_close(&thread->perf[i]);
		else if (set->metric[i].kind == METRIC_CPU)
			cpu_time_close(&thread->cpu);
	}
	errno = saved;
}

static uint64_t metric_value_from_outside(enum metric_kind kind,
	const struct metric_thread *thread, unsigned index, uint64_t floor)
{
	uint64_t now = floor;

	if (kind == METRIC_WALL)
		now = clock_now();
	else if (kind == METRIC_CPU)
		now = cpu_time_from_outside(&thread->cpu);
	else if (kind == METRIC_ALLOC)
		now = alloc_from_outside(&thread->alloc, floor);
	else if (kind == METRIC_PERF)
		now = perf_counter_from_outside(&thread->perf[index], floor);
	return now > floor ? now : floor;
}

void metric_read_from_outside(
	const struct metric_set *set, const struct metric_thread *thread, uint64_t *value)
{
	for (unsigned i = 0; i < set->count; i++)
		value[i] = metric_value_from_outside(set->metric[i].kind, thread, i, value[i]);
}
