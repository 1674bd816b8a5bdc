/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/*
 * trace_totals: what all threads have used, without a look at a single node.
 *
 * In:   each row's counters: last and first, and those of a running thread from outside.
 * Out:  a sum for each metric of the set; what was counted of each sequence.
 * Runs: on any thread, also while a visit or the trace's end is under way. Holds LOCK_THREADS,
 *       and LOCK_TREE of one row at a time.
 */
#include "agent/trace/trace_look.h"

#include <string.h>
#include <time.h>

/* The row's counters as they are now, or (last_event) were at its last event. Under the tree's lock,
 * so that they are not closed meanwhile. All lanes are read as of one instant: a thread may go from one
 * to the next between two looks, and its time must not be in both. */
static void look(
	const struct thread_context *context, uint64_t instant, bool last_event, uint64_t *now)
{
	const struct metric_set *set = context->set;

	for (unsigned i = 0; i < set->count; i++)
		now[i] = __atomic_load_n(&context->last[i], __ATOMIC_ACQUIRE);
	if (!context->counting || last_event)
		return;
	if (!context->stopped) {
		metric_read_from_outside(set, context->metric, now);
		if (context->row.life == CONTEXT_LANE)
			lane_look_clock(set, instant, now);
		return;
	}
	for (unsigned i = 0; i < set->count; i++)
		if (context->stop[i] > now[i])
			now[i] = context->stop[i];
}

/* What the thread has used by now of the metrics of the set, which its own are among, or (last_event) had by its last event.
 * Under the tree's lock. False: it left the scope or
 * forgot some use meanwhile, and what was read does not fit together. */
static bool read_row(const struct metric_set *set, const struct thread_context *context,
	uint64_t instant, bool last_event, uint64_t *used)
{
	uint32_t turn = __atomic_load_n(&context->forgetting, __ATOMIC_ACQUIRE);
	bool outside = atomic_load(&context->outside);
	uint64_t first[METRIC_MAX] = {0}, now[METRIC_MAX] = {0};

	for (unsigned i = 0; i < context->set->count; i++)
		first[i] = __atomic_load_n(&context->first[i], __ATOMIC_ACQUIRE);
	look(context, instant, outside || last_event, now);
	for (unsigned i = 0; i < set->count; i++) {
		used[i] = now[i] - first[i];
		if (context->row.life == CONTEXT_LANE && metric_runs_on(set, i))
			used[i] += lane_parked_ns(context, instant);
		else if ((int64_t)used[i] < 0)
			used[i] = 0;
	}
	return turn % 2 == 0 && (last_event || outside == atomic_load(&context->outside)) &&
	       turn == __atomic_load_n(&context->forgetting, __ATOMIC_ACQUIRE);
}

/* A thread that goes in and out of the scope all the time is never seen from outside between two
 * of its events: after some tries what it had at its last event has to do, which takes a few loads
 * to read. Totals do not go back for that. */
static void insist_on_row(const struct metric_set *set, struct thread_context *context,
	uint64_t now, uint64_t *used)
{
	enum { TRIES = 10 };
	struct timespec pause = {0, 20000};

	lock_take(&context->tree.lock);
	for (int tries = 0; !read_row(set, context, now, tries >= TRIES, used); tries++)
		/* A few instructions of the thread's, unless the kernel has set it aside. */
		if (tries >= TRIES)
			nanosleep(&pause, NULL);
	lock_give(&context->tree.lock);
}

/* Never less than was told before. */
static void tell(const struct metric_set *set, struct thread_context *context,
	const uint64_t *used, uint64_t *total)
{
	for (unsigned i = 0; i < set->count; i++) {
		if ((int64_t)(used[i] - context->row.told[i]) > 0)
			context->row.told[i] = used[i];
		total[i] += context->row.told[i];
	}
}

/* Another sum: threads came or went meanwhile. */
static uint64_t turns_of(const struct thread_context *group)
{
	uint64_t turns = 0;

	for (const struct thread_context *i = group->as_group.lanes; i; i = i->as_lane.next)
		turns += __atomic_load_n(&i->forgetting, __ATOMIC_ACQUIRE);
	return turns;
}

/* A thread that goes from one lane to another meanwhile may be in both: then it is read again. Where
 * threads never rest, what was told before is told. */
static void add_group(const struct metric_set *set, struct thread_context *group, uint64_t now,
	uint64_t *total)
{
	enum { TRIES = 100 };
	uint64_t sum[METRIC_MAX], used[METRIC_MAX], turns;
	bool whole = false;

	for (int tries = 0; tries < TRIES && !whole; tries++) {
		turns = turns_of(group);
		memset(sum, 0, sizeof(sum));
		for (struct thread_context *lane = group->as_group.lanes; lane;
			lane = lane->as_lane.next) {
			insist_on_row(set, lane, now, used);
			for (unsigned i = 0; i < set->count; i++)
				sum[i] += used[i];
		}
		whole = turns_of(group) == turns;
	}
	tell(set, group, whole ? sum : group->row.told, total);
}

void trace_totals(struct trace *trace, uint64_t *total)
{
	uint64_t now, used[METRIC_MAX];
	const struct metric_set *set;

	lock_take(&trace->lock);
	set = trace_metrics(trace);
	memset(total, 0, set->count * sizeof(*total));
	now = trace->stopped ? trace->stopped_at : clock_now();
	for (struct thread_context *i = trace->first; i != NULL; i = i->row.next) {
		if (i->row.life == CONTEXT_GROUP) {
			add_group(set, i, now, total);
		} else if (i->row.life != CONTEXT_LANE) {
			insist_on_row(set, i, now, used);
			tell(set, i, used, total);
		}
	}
	lock_give(&trace->lock);
}

bool trace_thread_totals(struct trace *trace, int64_t java_id, uint64_t *total)
{
	uint64_t now, used[METRIC_MAX];
	const struct metric_set *set;
	bool found = false;

	lock_take(&trace->lock);
	set = trace_metrics(trace);
	memset(total, 0, set->count * sizeof(*total));
	now = trace->stopped ? trace->stopped_at : clock_now();
	for (struct thread_context *i = trace->first; i != NULL && !found; i = i->row.next) {
		found = java_id != 0 && i->row.identity.java_id == java_id &&
			i->row.folded == 1 && i->row.life != CONTEXT_LANE;
		if (found && i->row.life == CONTEXT_GROUP) {
			add_group(set, i, now, total);
		} else if (found) {
			insist_on_row(set, i, now, used);
			tell(set, i, used, total);
		}
	}
	lock_give(&trace->lock);
	return found;
}

void trace_add_counts(struct trace *trace, uint64_t *calls, uint32_t end)
{
	/* Each takes some ten microseconds, in which no thread begins or ends. */
	enum { ROWS = 200 };
	int rows = 0;

	lock_take(&trace->lock);
	for (struct thread_context *i = trace->first; i != NULL && rows < ROWS;
		i = i->row.next) {
		lock_take(&i->tree.lock);
		if (i->counts.block || i->counts.kept.bytes > 0) {
			rows++;
			for (uint32_t id = 0; id < end; id++)
				calls[id] += counts_of(&i->counts, id);
		}
		lock_give(&i->tree.lock);
	}
	lock_give(&trace->lock);
}

uint64_t trace_sequences(struct trace *trace, uint64_t *cell)
{
	uint64_t uncounted;
	unsigned metrics;

	lock_take(&trace->lock);
	metrics = trace_metrics(trace)->count;
	memset(cell, 0, trace_sequences_words(metrics) * sizeof(*cell));
	uncounted = trace->sequences.uncounted;
	sequence_table_sum(&trace->sequences, metrics, metrics, cell);
	for (struct thread_context *i = trace->first; i != NULL; i = i->row.next) {
		if (i->row.life != CONTEXT_LIVE && i->row.life != CONTEXT_LANE)
			continue;
		lock_take(&i->tree.lock);
		sequence_table_sum(&i->sequences, i->set->count, metrics, cell);
		lock_give(&i->tree.lock);
		uncounted += __atomic_load_n(&i->sequences.uncounted, __ATOMIC_RELAXED);
	}
	lock_give(&trace->lock);
	return uncounted;
}
