/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/* trace: threads begin and end. */
#include "agent/trace/trace_rows.h"

#include <sched.h>
#include <stdio.h>
#include <stdlib.h>

#include "agent/trace/mount.h"
#include "agent/trace/trace_look.h"
#include "metric/processor_wait.h"

/* The visitor's block: see trace_visit. */
enum { BLOCK_BYTES = 1 << 20 };

/* ---- rows ---- */

struct thread_context *rows_create(
	struct trace *trace, const struct metric_set *set, enum memory_claim claim)
{
	struct arena memory = {0};
	struct thread_context *context;

	if (arena_resize(&memory, &trace->budget, sizeof(*context), claim) != 0)
		return NULL;
	context = memory.base;
	context->memory = memory;
	context->set = set;
	context->probed = metric_set_is_probed(set);
	context->metric = &context->own_metric;
	context->trace = trace;
	context->records = trace->records;
	context->wall = metric_index(set, METRIC_WALL);
	context->code = SEQUENCE_OUTSIDE;
	context->toll = toll_first();
	context->row.started = clock_system();
	context->shortage = atomic_load_explicit(&trace->budget.shortage, memory_order_relaxed);
	if (tree_init(&context->tree, &trace->budget, set->count, claim) != 0) {
		rows_destroy(trace, context);
		return NULL;
	}
	return context;
}

/* Its events are all told; under LOCK_THREADS, unless nobody else knows the row. */
static void untrace(struct thread_context *context)
{
	atomic_store_explicit(&context->events, NULL, memory_order_relaxed);
	if (context->event_ring)
		event_ring_close(context->event_ring);
	context->event_ring = NULL;
}

void rows_destroy(struct trace *trace, struct thread_context *context)
{
	struct arena memory = context->memory;

	untrace(context);
	tree_fini(&context->tree);
	counts_fini(&context->counts, &trace->budget);
	watched_destroy(context->watched, &trace->budget);
	tag_calls_destroy(context->tag_calls, &trace->budget);
	if (context->tag_found)
		tag_found_destroy(context);
	call_times_destroy(context->times, &trace->budget);
	sequence_table_fini(&context->sequences, &trace->budget);
	shadow_fini(&context->stack, &trace->budget);
	if (context->row.life == CONTEXT_LANE)
		arena_fini(&context->as_lane.parked_at, &trace->budget);
	arena_fini(&memory, &trace->budget);
}

uint32_t trace_new_row(struct trace *trace)
{
	uint32_t id;

	lock_take(&trace->lock);
	id = ++trace->next_id;
	lock_give(&trace->lock);
	return id;
}

void rows_append(struct trace *trace, struct thread_context *context)
{
	context->row.id = ++trace->next_id;
	context->row.before = trace->last;
	if (trace->last != NULL)
		trace->last->row.next = context;
	else
		trace->first = context;
	trace->last = context;
}

void rows_remove(struct trace *trace, struct thread_context *context)
{
	if (context->row.next != NULL)
		context->row.next->row.before = context->row.before;
	else
		trace->last = context->row.before;
	if (context->row.before != NULL)
		context->row.before->row.next = context->row.next;
	else
		trace->first = context->row.next;
}

/* ---- the trace ---- */

struct trace *trace_create(const struct metric_set *set, uint64_t max_memory)
{
	struct trace *trace = calloc(1, sizeof(*trace));
	size_t block = BLOCK_BYTES;

	if (trace == NULL)
		return NULL;
	atomic_init(&trace->set, set);
	trace->all = UINT8_MAX;
	trace->numbers_lost = node_labels_lost();
	memory_budget_init(&trace->budget, max_memory);
	lock_init(&trace->lock, LOCK_THREADS);
	slow_calls_init(&trace->slow, &trace->budget, 0);
	if (block > max_memory / 16)
		block = max_memory / 16;
	if (arena_resize(&trace->block, &trace->budget, block ? block : 1, MEMORY_SMALL) != 0) {
		trace_destroy(trace);
		return NULL;
	}
	return trace;
}

void trace_fold_below(struct trace *trace, uint32_t percent)
{
	trace->budget.fold_below = percent;
}

void trace_watch_calls(
	struct trace *trace, unsigned wall, int cpu, uint32_t process, uint32_t slowest)
{
	trace->watching =
		(struct watching){.on = true, .wall = wall, .cpu = cpu, .process = process};
	trace->slow.most = slowest;
}

bool trace_watches_calls(const struct trace *trace)
{
	return trace->watching.on;
}

struct slow_calls *trace_slow_calls(struct trace *trace)
{
	return &trace->slow;
}

uint64_t trace_lost_watched(const struct trace *trace)
{
	return atomic_load(&trace->lost_watched);
}

uint64_t trace_lost_labels(const struct trace *trace)
{
	return atomic_load(&trace->lost_labels) + node_labels_lost() - trace->numbers_lost;
}

uint64_t trace_deep_tags(const struct trace *trace)
{
	return atomic_load(&trace->deep_tags);
}

void trace_expect_old_frames(struct trace *trace)
{
	atomic_store_explicit(&trace->old_frames, true, memory_order_relaxed);
}

bool trace_has_old_frames(const struct trace *trace)
{
	return atomic_load_explicit(&trace->old_frames, memory_order_relaxed);
}

int trace_record_io(struct trace *trace)
{
	trace->records = records_create(&trace->budget, trace->budget.limit);
	return trace->records ? 0 : -1;
}

struct records *trace_records(const struct trace *trace)
{
	return trace->records;
}

int trace_prepare_events(struct trace *trace, bool (*chosen)(uint32_t method))
{
	trace->events = events_create(&trace->budget, trace->budget.limit, chosen);
	return trace->events ? 0 : -1;
}

struct events *trace_events(const struct trace *trace)
{
	return trace->events;
}

bool trace_claim(struct trace *trace, uint64_t bytes, bool forced)
{
	return memory_take(&trace->budget, bytes, forced ? MEMORY_FORCED : MEMORY_ORDINARY);
}

void trace_unclaim(struct trace *trace, uint64_t bytes)
{
	memory_give(&trace->budget, bytes);
}

void rows_trace(struct thread_context *context, bool fresh)
{
	const struct thread_identity *identity = &context->row.identity;
	struct event_thread thread = {.row = context->row.id,
		.java_id = identity->java_id,
		.os_id = identity->os_id,
		.is_virtual = context->row.life == CONTEXT_LANE};
	struct event_ring *ring = context->event_ring;

	if (!context->trace->events_on)
		return;
	if (ring) {
		event_ring_interrupt(ring);
	} else {
		snprintf(thread.name, sizeof(thread.name), "%s", identity->name);
		ring = event_ring_open(context->trace->events, &thread, fresh);
	}
	context->event_ring = ring;
	atomic_store_explicit(&context->events, ring, memory_order_release);
}

void trace_tell_events(struct trace *trace, bool on)
{
	if (!trace->events)
		return;
	lock_take(&trace->lock);
	trace->events_on = on;
	for (struct thread_context *i = trace->first; i != NULL; i = i->row.next) {
		if (!on)
			atomic_store_explicit(&i->events, NULL, memory_order_release);
		else if (i->row.life == CONTEXT_LIVE || i->row.life == CONTEXT_LANE)
			rows_trace(i, false);
	}
	lock_give(&trace->lock);
}

void trace_destroy(struct trace *trace)
{
	if (trace == NULL)
		return;
	while (trace->first != NULL) {
		struct thread_context *context = trace->first;

		if (context->counting && context->metric == &context->own_metric)
			metric_thread_close(context->set, context->metric);
		rows_remove(trace, context);
		rows_destroy(trace, context);
	}
	records_destroy(trace->records);
	events_destroy(trace->events);
	virtual_pool_fini(trace);
	wide_sets_fini(trace);
	slow_calls_fini(&trace->slow);
	arena_fini(&trace->block, &trace->budget);
	sequence_table_fini(&trace->sequences, &trace->budget);
	lock_fini(&trace->lock);
	free(trace);
}

void trace_get_state(struct trace *trace, struct trace_state *state)
{
	lock_take(&trace->lock);
	*state = (struct trace_state){
		.threads =
			trace->threads + groups_begun(trace) - atomic_load(&trace->regrouped),
		.lost_threads = atomic_load(&trace->lost_threads),
		.memory_limit = trace->budget.limit,
		.memory_used = atomic_load(&trace->budget.used),
		.memory_peak = atomic_load(&trace->budget.peak),
		.calls = trace->calls,
		.folded_calls = trace->folded_calls,
	};
	lock_give(&trace->lock);
}

/* ---- which sessions they are for ---- */

static void renew_row(struct thread_context *context, const struct trace_sessions *sessions)
{
	const struct thread_identity *identity = &context->row.identity;
	bool of_many = context->row.life == CONTEXT_GROUP && !context->as_group.only;

	if (of_many)
		row_want(context, (row_wanted(context) & sessions->now) | sessions->all);
	else if (context->row.life != CONTEXT_LANE && context->row.life != CONTEXT_ENDED)
		row_want(context, sessions->that_want(sessions->of, identity));
}

/* Of folded threads, and what threads without a row of their own count. */
static bool stays(const struct trace *trace, const struct thread_context *context)
{
	return context->row.life == CONTEXT_FOLD &&
	       (!context->counts.block || context == trace->counted);
}

void trace_renew_rows(struct trace *trace, const struct trace_sessions *sessions)
{
	lock_take(&trace->lock);
	trace->all = sessions->all;
	for (struct thread_context *i = trace->first; i != NULL; i = i->row.next)
		if (!stays(trace, i))
			renew_row(i, sessions);
	lock_give(&trace->lock);
}

void trace_want_row(struct thread_context *context, uint8_t wanted)
{
	if (row_wanted(context) == wanted)
		return;
	lock_take(&context->trace->lock);
	row_want(context, wanted);
	lock_give(&context->trace->lock);
}

/* ---- threads ---- */

static struct thread_context *create_live(struct trace *trace, enum memory_claim claim)
{
	struct thread_context *context = rows_create(trace, trace_metrics(trace), claim);

	if (context != NULL && shadow_init(&context->stack, &trace->budget, claim) != 0) {
		rows_destroy(trace, context);
		return NULL;
	}
	return context;
}

uint64_t rows_wait(const struct metric_set *set, const struct trace_row *row)
{
	return metric_set_has(set, METRIC_WALL) ? processor_wait(row->identity.os_id) : 0;
}

void rows_look_waited(struct thread_context *context)
{
	const struct metric_set *set;
	uint64_t now;
	bool live;

	/* Carriers and others without a row of their own have no thread of their own, either. */
	lock_take(&context->tree.lock);
	live = context->row.life == CONTEXT_LIVE && context->counting;
	set = context->set;
	lock_give(&context->tree.lock);
	if (!live)
		return;
	now = rows_wait(set, &context->row);
	lock_take(&context->tree.lock);
	if (context->counting && context->set == set && !context->stopped &&
		now > context->row.waited_before)
		context->row.waited = now - context->row.waited_before;
	lock_give(&context->tree.lock);
}

static struct thread_context *begin(struct trace *trace, const struct thread_identity *identity,
	struct alloc_source alloc, enum context_life life)
{
	struct thread_context *context = create_live(trace, MEMORY_SMALL);

	while (context == NULL && trace_relieve(trace, 0))
		context = create_live(trace, MEMORY_SMALL);
	if (context == NULL)
		context = create_live(trace, MEMORY_FORCED);
	if (context == NULL) {
		atomic_fetch_add(&trace->lost_threads, 1);
		return NULL;
	}
	context->row.identity = *identity;
	context->row.folded = 1;
	context->row.life = life;
	atomic_store(&context->outside, life == CONTEXT_UNLISTED);
	metric_thread_open(context->set, context->metric, alloc);
	context->row.waited_before = rows_wait(context->set, &context->row);
	context->counting = true;
	context_start(context);
	atomic_fetch_add_explicit(&trace->budget.claimants, 1, memory_order_relaxed);

	lock_take(&trace->lock);
	trace->threads += life == CONTEXT_LIVE;
	rows_append(trace, context);
	if (trace->stopped) {
		for (unsigned i = 0; i < context->set->count; i++)
			context->stop[i] = context->last[i];
		context->stopped = true;
	}
	if (life == CONTEXT_LIVE)
		rows_trace(context, true);
	lock_give(&trace->lock);
	if (context_is_traced(context))
		context_trace_more(context, EVENT_START, context_clock(context, context->last));
	return context;
}

struct thread_context *trace_thread_begin(
	struct trace *trace, const struct thread_identity *identity, struct alloc_source alloc)
{
	return begin(trace, identity, alloc, CONTEXT_LIVE);
}

struct thread_context *trace_carrier_begin(
	struct trace *trace, const struct thread_identity *identity, struct alloc_source alloc)
{
	return begin(trace, identity, alloc, CONTEXT_UNLISTED);
}

void rows_charge_last(struct thread_context *context, const uint64_t *now)
{
	struct tree_node *node = tree_at(&context->tree, context->current);

	for (unsigned i = 0; i < context->set->count; i++) {
		uint64_t last = context->last[i];

		if (now[i] <= last)
			continue;
		__atomic_store_n(&context->last[i], now[i], __ATOMIC_RELAXED);
		__atomic_store_n(
			&node->base[i], node->base[i] + (now[i] - last), __ATOMIC_RELEASE);
	}
}

bool trace_hold_rows(struct trace *trace, bool wait)
{
	enum { TRIES = 200 };

	for (int i = 0; i < TRIES && !wait; i++) {
		if (lock_try(&trace->lock))
			return true;
		sched_yield();
	}
	if (wait)
		lock_take(&trace->lock);
	return wait;
}

void trace_give_rows(struct trace *trace)
{
	lock_give(&trace->lock);
}

void trace_thread_end(
	struct trace *trace, struct thread_context *context, const char *last_name)
{
	struct thread_identity *identity = &context->row.identity;
	uint64_t now[METRIC_MAX];
	bool run;

	/* From here on others do not look at the counters: what they saw after the last reading
	 * would be charged to no node. They stand still where the thread is outside, or the trace
	 * is stopped. */
	lock_take(&context->tree.lock);
	run = !context->stopped && !atomic_load(&context->outside);
	if (run)
		context_go_out(context);
	lock_give(&context->tree.lock);

	rows_look_waited(context);
	if (metric_set_has(context->set, METRIC_ALLOC))
		alloc_await(&context->metric->alloc);
	/* Not under a lock: reading may have to ask the JVM. */
	metric_read(SHAPE_ANY, context->set, context->metric, now);
	lanes_leave(trace, context, now);
	lock_take(&context->tree.lock);
	if (run)
		rows_charge_last(context, now);
	else if (!atomic_load(&context->outside))
		rows_charge_last(context, context->stop);
	metric_thread_close(context->set, context->metric);
	context->counting = false;
	counts_close(&context->counts, &trace->budget);
	lock_give(&context->tree.lock);
	if (context->ring)
		record_ring_close(context->ring);
	if (context_is_traced(context)) {
		if (run)
			context_trace_more(context, EVENT_SETTLE, context_clock(context, now));
		context_trace_more(context, EVENT_END, context_clock(context, now));
	}
	watched_destroy(context->watched, &trace->budget);
	context->watched = NULL;
	shadow_fini(&context->stack, &trace->budget);
	tree_close(&context->tree);
	atomic_fetch_sub_explicit(&trace->budget.claimants, 1, memory_order_relaxed);

	lock_take(&trace->lock);
	/* In one go, so that each is seen in one of the two places. */
	sequence_table_merge(&trace->sequences, &trace->budget, trace_metrics(trace)->count,
		&context->sequences, context->set->count);
	sequence_table_fini(&context->sequences, &trace->budget);
	untrace(context);
	if (context->row.life == CONTEXT_UNLISTED) {
		rows_remove(trace, context);
		lock_give(&trace->lock);
		rows_destroy(trace, context);
		return;
	}
	if (last_name != NULL)
		snprintf(identity->name, sizeof(identity->name), "%s", last_name);
	lock_take(&context->tree.lock);
	context->row.life = CONTEXT_ENDED;
	context->row.ended = clock_system();
	lock_give(&context->tree.lock);
	trace->ended++;
	/* Once stopped, the row it would be folded into may have been shown for the last time. */
	if (trace->ended > TRACE_KEPT_ENDED && !trace->stopped)
		fold_thread(trace, context);
	lock_give(&trace->lock);
}

static void stop_thread(struct thread_context *context)
{
	uint64_t stopped_at = context->trace->stopped_at;
	unsigned metrics;

	rows_look_waited(context);
	lock_take(&context->tree.lock);
	metrics = context->set->count;
	if (context->counting && !context->stopped) {
		for (unsigned i = 0; i < metrics; i++)
			context->stop[i] = __atomic_load_n(&context->last[i], __ATOMIC_RELAXED);
		if (!atomic_load(&context->outside)) {
			metric_read_from_outside(context->set, context->metric, context->stop);
			/* A lane's clock stops when those of parked threads do. */
			for (unsigned i = 0; i < metrics; i++)
				if (context->row.life == CONTEXT_LANE &&
					metric_runs_on(context->set, i))
					context->stop[i] = stopped_at > context->last[i]
								   ? stopped_at
								   : context->last[i];
		}
		context->stopped = true;
	}
	lock_give(&context->tree.lock);
}

void trace_stop(struct trace *trace)
{
	lock_take(&trace->lock);
	if (!trace->stopped)
		__atomic_store_n(&trace->stopped_at, clock_now(), __ATOMIC_RELAXED);
	trace->stopped = true;
	for (struct thread_context *i = trace->first; i != NULL; i = i->row.next)
		if (i->row.life == CONTEXT_LIVE || i->row.life == CONTEXT_LANE)
			stop_thread(i);
	lock_give(&trace->lock);
}
