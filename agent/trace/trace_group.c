/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/*
 * trace_group: groups of virtual threads, as others see them.
 *
 * A group is shown as its lanes, each with its tree, and a row without one for what they have in common.
 * Threads that are parked use wall time: of each node, as many clocks run on as threads were unmounted
 * in it and not mounted again. All lanes are shown as of one instant, mounted threads too; sums over the
 * lanes are right, those of one lane alone may be negative (struct parked).
 */
#include "agent/trace/trace_look.h"

#include <string.h>

/* ---- parked threads ---- */

/* ns until now that they are parked, summed up; modulo 2^64. */
static uint64_t parked_ns(const struct parked *parked, uint64_t now)
{
	uint64_t threads = (uint64_t)__atomic_load_n(&parked->threads, __ATOMIC_ACQUIRE);

	return threads * now - __atomic_load_n(&parked->since, __ATOMIC_ACQUIRE);
}

/* Use of a metric together with the parked ones' part, both as of one instant of the owner's. */
static uint64_t with_parked(const struct thread_context *lane, const uint64_t *used,
	const struct parked *parked, uint64_t now)
{
	enum { TRIES = 1000 };
	uint64_t sum = 0;
	uint32_t turn;

	for (int tries = 0; tries < TRIES; tries++) {
		turn = __atomic_load_n(&lane->forgetting, __ATOMIC_ACQUIRE);
		sum = __atomic_load_n(used, __ATOMIC_ACQUIRE) + parked_ns(parked, now);
		if (turn % 2 == 0 &&
			turn == __atomic_load_n(&lane->forgetting, __ATOMIC_RELAXED))
			break;
	}
	return sum;
}

void lane_add_parked(const struct look *look, uint32_t index, struct tree_node *copy)
{
	static const uint64_t nothing;
	const struct thread_context *lane = look->context;
	const struct parked *parked = lane->as_lane.parked_at.base;
	const uint64_t *base = tree_at(&lane->tree, index)->base;

	for (unsigned i = 0; i < look->set->count; i++) {
		/* A lane that does not count it yet has parked threads all the same. */
		const uint64_t *used = i < lane->tree.metrics ? &base[i] : &nothing;

		if (!metric_runs_on(look->set, i))
			continue;
		if (look->parked_by_node && index < lane->as_lane.parked_nodes)
			copy->base[i] = with_parked(lane, used, &parked[index], look->now);
		/* Where it is not known in which node: where else paths are mixed up. */
		if (!look->parked_by_node && index == TREE_FOLDED)
			copy->base[i] += parked_ns(&lane->as_lane.parked, look->now);
	}
}

void lane_look_begin(struct look *look)
{
	uint64_t since = lane_read(&look->context->as_lane.mounted_since);

	if (since != 0 && look->now > since)
		look->thread.carrier_ns += look->now - since;
}

/* ---- the group ---- */

bool group_is_sure(const struct thread_context *lanes)
{
	/* Not after a prune either: the owner notices that when it parks the next one. */
	for (const struct thread_context *i = lanes; i; i = i->as_lane.next)
		if (__atomic_load_n(&i->as_lane.parked_unsure, __ATOMIC_RELAXED) ||
			__atomic_load_n(&i->tree.moves, __ATOMIC_RELAXED) > 0)
			return false;
	return true;
}

struct thread_context *group_begin(struct look *look, struct thread_context *group)
{
	struct trace *trace = look->trace;
	struct thread_context *lanes;

	lock_take(&trace->lock);
	lanes = group->as_group.lanes; /* others come in front of it */
	look->now = trace->stopped ? trace->stopped_at : clock_now();
	lock_give(&trace->lock);
	return lanes;
}

void group_row(struct look *look, struct thread_context *group,
	const struct thread_context *lanes, const struct thread_identity *identity)
{
	uint64_t begun = 0, ended = 0;

	for (const struct thread_context *i = lanes; i; i = i->as_lane.next) {
		begun += lane_read(&i->as_lane.begun);
		ended += lane_read(&i->as_lane.ended);
	}
	look->thread = (struct trace_thread){
		.id = group->row.id,
		.alive = begun == 0 || begun > ended,
		.folded = begun > 0   ? begun
			  : ended > 0 ? ended
				      : 1,
		.identity = identity,
		.started = group->row.started,
		.ended = group->row.ended,
	};
}

/* ---- a group's only thread has ended ---- */

static void take_lane(
	struct trace *trace, struct thread_context *group, struct thread_context *lane)
{
	group->unwound += lane->unwound;
	group->repaired += lane->repaired;
	group->unmatched += lane->unmatched;
	group->lost += lane->lost;
	group->mounts += lane->mounts;
	group->carrier_ns += lane->carrier_ns;
	for (unsigned i = 0; i < lane->set->count; i++)
		group->last[i] += lane->last[i] - lane->first[i];
	tree_merge(&group->tree, &lane->tree, lane->row.id);
	counts_merge(&group->counts, &trace->budget, &lane->counts);
	call_times_merge(&group->times, &trace->budget, lane->times);
	sequence_table_merge(&trace->sequences, &trace->budget, trace_metrics(trace)->count,
		&lane->sequences, lane->set->count);
	if (lane->ring)
		record_ring_close(lane->ring);
	rows_remove(trace, lane);
	rows_destroy(trace, lane);
	atomic_fetch_sub_explicit(&trace->budget.claimants, 1, memory_order_relaxed);
}

void finish_group(struct trace *trace, struct thread_context *group)
{
	struct thread_context *next;

	for (struct thread_context *lane = group->as_group.lanes; lane;
		lane = lane->as_lane.next)
		if (!rows_widen(group, lane))
			return; /* the next visit tries again */
	for (struct thread_context *lane = group->as_group.lanes; lane; lane = next) {
		next = lane->as_lane.next;
		take_lane(trace, group, lane);
	}
	group->as_group.lanes = NULL;
	group->as_group.finish = false;
	group->row.folded = 1;
	tree_close(&group->tree);
	group->row.life = CONTEXT_ENDED;
	group->row.ended = clock_system();
	trace->ended_apart++;
	trace->threads++;
}

/* ---- sums ---- */

uint64_t groups_begun(const struct trace *trace)
{
	uint64_t begun = 0;

	for (const struct thread_context *i = trace->first; i; i = i->row.next)
		if (i->row.life == CONTEXT_LANE)
			begun += lane_read(&i->as_lane.begun);
	return begun;
}

uint64_t lane_parked_ns(const struct thread_context *lane, uint64_t now)
{
	return parked_ns(&lane->as_lane.parked, now);
}

void lane_look_clock(const struct metric_set *set, uint64_t instant, uint64_t *now)
{
	for (unsigned i = 0; i < set->count; i++)
		if (metric_runs_on(set, i))
			now[i] = instant;
}
