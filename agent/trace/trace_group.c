/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/*
 * trace_group: a group of virtual threads is shown as one row, put together from its lanes.
 *
 * The group's own tree is for that alone: the visitor's. Its nodes keep their indices from visit to
 * visit as long as those of the lanes do; their counts are summed up anew each time.
 *
 * Threads that are parked use wall time: of each node, as many clocks run on as threads were unmounted
 * in it and not mounted again. All are shown as of one instant, mounted ones too; sums over the lanes
 * are right, those of one lane alone may be negative (struct parked).
 */
#include "agent/trace/trace_group.h"

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

/* Not after a prune either: the owner notices that when it parks the next one. */
static bool is_unsure(const struct thread_context *lane)
{
	return __atomic_load_n(&lane->lane.parked_unsure, __ATOMIC_RELAXED) ||
	       __atomic_load_n(&lane->tree.generation, __ATOMIC_RELAXED) > 0;
}

void lane_look_parked(struct look *look, uint32_t first, uint32_t count)
{
	const struct thread_context *lane = look->context;
	const struct parked *parked = lane->lane.parked_at.base;

	if (!look->parked_by_node)
		return;
	for (uint32_t n = 0; n < count && first + n < lane->lane.parked_nodes; n++) {
		const struct tree_node *from = tree_at(&lane->tree, first + n);
		struct tree_node *to = (void *)((char *)look->trace->block.base +
						n * (size_t)lane->tree.stride);

		for (unsigned i = 0; i < look->trace->set->count; i++)
			if (metric_runs_on(look->trace->set, i))
				to->base[i] = with_parked(lane, &from->base[i],
					&parked[first + n], look->now);
	}
}

/* ---- one lane ---- */

/* The group's node for a lane's, once its parent's is known. No room for a map: the system has no
 * memory. */
static bool merge_nodes(void *user, struct look *look, uint32_t first, uint32_t count)
{
	struct thread_context *group = user;
	uint32_t *map = look->trace->map.base;
	size_t room = look->trace->map.bytes / sizeof(*map);

	for (uint32_t n = 0; n < count; n++) {
		const struct tree_node *node = (void *)((char *)look->trace->block.base +
							n * (size_t)group->tree.stride);
		uint32_t place = first + n == TREE_ROOT ? TREE_ROOT : TREE_FOLDED;

		if (first + n != TREE_ROOT && node->parent < room)
			place = tree_place(&group->tree, map[node->parent], node->method);
		tree_add_counts(&group->tree, place, node);
		if (first + n < room)
			map[first + n] = place;
	}
	return true;
}

static void merge_account(struct look *look, struct thread_context *group,
	const struct io_account *from)
{
	const uint32_t *map = look->trace->map.base;
	struct io_account account = *from;

	account.node = from->node < look->thread.nodes &&
				       from->node < look->trace->map.bytes / sizeof(*map)
			       ? map[from->node]
			       : TREE_ROOT;
	io_accounts_add(&group->tree.io, NULL, group->tree.budget, &account);
}

static bool merge_accounts(void *user, struct look *look, uint32_t first, uint32_t count)
{
	struct thread_context *group = user;
	const struct io_account *block = look->trace->block.base;

	for (uint32_t i = 0; i < count; i++)
		if (first == TRACE_REST)
			io_account_add(&group->tree.io.rest[i], &block[i]);
		else if (block[i].ops > 0)
			merge_account(look, group, &block[i]);
	return true;
}

static void add_counts(struct look *look, struct thread_context *group)
{
	const struct thread_context *lane = look->context;
	uint64_t since = lane_read(&lane->lane.mounted_since);
	uint64_t parked = parked_ns(&lane->lane.parked, look->now);

	group->unwound += look->thread.unwound;
	group->repaired += look->thread.repaired;
	group->unmatched += look->thread.unmatched;
	group->lost += look->thread.lost;
	group->tree.pruned += look->thread.pruned;
	group->lane.begun += lane_read(&lane->lane.begun);
	group->lane.ended += lane_read(&lane->lane.ended);
	group->lane.mounts += look->thread.mounts;
	group->lane.carrier_ns += look->thread.carrier_ns;
	if (since != 0 && look->now > since)
		group->lane.carrier_ns += look->now - since;
	for (unsigned i = 0; i < look->trace->set->count; i++) {
		group->last[i] += look->thread.total[i];
		if (metric_runs_on(look->trace->set, i) &&
			(look->stopped || !look->parked_by_node))
			group->last[i] += parked;
	}
	/* Where it is not known in which node: where else paths are mixed up. */
	if (look->parked_by_node)
		return;
	for (unsigned i = 0; i < look->trace->set->count; i++)
		if (metric_runs_on(look->trace->set, i))
			tree_at(&group->tree, TREE_FOLDED)->base[i] += parked;
}

/* False: its nodes were renumbered meanwhile, or it is no longer known in which of them threads are
 * parked. */
static bool merge_lane(struct look *look, struct thread_context *group,
	struct thread_context *lane, bool hold)
{
	bool merged;

	look_begin(look, lane, &group->identity, hold);
	arena_resize(&look->trace->map, &look->trace->budget,
		look->thread.nodes * sizeof(uint32_t), MEMORY_FORCED);
	merged = look_nodes(look, merge_nodes, group) &&
		 look_accounts(look, merge_accounts, group);
	look_end(look);
	if (group->tree.forced)
		tree_prune(&group->tree, NULL, 0, NULL);
	if (look->parked_by_node && is_unsure(lane))
		return false;
	if (merged)
		add_counts(look, group);
	return merged;
}

/* ---- the group ---- */

static void forget_counts(struct thread_context *group)
{
	group->unwound = group->repaired = group->unmatched = group->lost = 0;
	group->tree.pruned = 0;
	group->lane.begun = group->lane.ended = group->lane.mounts = 0;
	group->lane.carrier_ns = 0;
	memset(group->last, 0, sizeof(group->last));
}

/* Empty, with the old numbers if those of the lanes are the old ones. */
static void begin_anew(struct thread_context *group, struct thread_context *lanes)
{
	uint64_t generations = 0;

	for (struct thread_context *i = lanes; i; i = i->lane.next)
		generations += __atomic_load_n(&i->tree.generation, __ATOMIC_RELAXED);
	lock_take(&group->tree.lock);
	if (generations == group->lane.generations)
		tree_zero(&group->tree);
	else
		tree_clear(&group->tree);
	group->lane.generations = generations;
	forget_counts(group);
	lock_give(&group->tree.lock);
}

/* As of one instant something may be some nanoseconds short of nothing. */
static void mend(const struct trace *trace, struct thread_context *group)
{
	for (uint32_t n = 0; n < group->tree.count; n++) {
		struct tree_node *node = tree_at(&group->tree, n);

		for (unsigned i = 0; i < trace->set->count; i++)
			if ((int64_t)node->base[i] < 0)
				node->base[i] = 0;
	}
}

static bool all_sure(const struct thread_context *lanes)
{
	for (const struct thread_context *i = lanes; i; i = i->lane.next)
		if (is_unsure(i))
			return false;
	return true;
}

static bool merge_lanes(struct look *look, struct thread_context *group,
	struct thread_context *lanes, bool hold)
{
	begin_anew(group, lanes);
	look->parked_by_node = all_sure(lanes) && !hold; /* no try is left if that changes */
	for (struct thread_context *i = lanes; i; i = i->lane.next)
		if (!merge_lane(look, group, i, hold))
			return false;
	return true;
}

void group_compose(struct look *look, struct thread_context *group)
{
	struct trace *trace = look->trace;
	struct thread_context *lanes;
	bool stopped, merged = false;

	lock_take(&trace->lock);
	lanes = group->lane.next; /* others come in front of it */
	stopped = trace->stopped;
	look->now = stopped ? trace->stopped_at : clock_now();
	lock_give(&trace->lock);
	for (int i = 1; i <= LOOK_TRIES && !merged; i++)
		merged = merge_lanes(look, group, lanes, i == LOOK_TRIES);
	look->parked_by_node = false;
	mend(trace, group);
	group->stopped = stopped;
	group->folded = group->lane.begun > 0 ? group->lane.begun : group->lane.ended;
	if (group->folded == 0)
		group->folded = 1;
}

/* ---- a group's only thread has ended ---- */

static void take_lane(struct trace *trace, struct thread_context *group,
	struct thread_context *lane)
{
	group->unwound += lane->unwound;
	group->repaired += lane->repaired;
	group->unmatched += lane->unmatched;
	group->lost += lane->lost;
	group->lane.mounts += lane->lane.mounts;
	group->lane.carrier_ns += lane->lane.carrier_ns;
	for (unsigned i = 0; i < trace->set->count; i++)
		group->last[i] += lane->last[i] - lane->first[i];
	tree_merge(&group->tree, &lane->tree);
	sequence_table_merge(
		&trace->sequences, &trace->budget, trace->set->count, &lane->sequences);
	if (lane->ring)
		io_ring_close(lane->ring);
	rows_remove(trace, lane);
	rows_destroy(trace, lane);
	atomic_fetch_sub_explicit(&trace->budget.claimants, 1, memory_order_relaxed);
}

void finish_group(struct trace *trace, struct thread_context *group)
{
	struct thread_context *next;

	lock_take(&group->tree.lock);
	tree_clear(&group->tree);
	lock_give(&group->tree.lock);
	forget_counts(group);
	for (struct thread_context *lane = group->lane.next; lane; lane = next) {
		next = lane->lane.next;
		take_lane(trace, group, lane);
	}
	group->lane.next = NULL;
	group->lane.finish = false;
	group->folded = 1;
	tree_close(&group->tree);
	group->life = CONTEXT_ENDED;
	group->ended = clock_system();
	trace->ended_apart++;
	trace->threads++;
}

/* ---- sums ---- */

static uint64_t begun_in(const struct thread_context *group)
{
	uint64_t begun = 0;

	for (const struct thread_context *i = group->lane.next; i; i = i->lane.next)
		begun += lane_read(&i->lane.begun);
	return begun;
}

uint64_t groups_begun(const struct trace *trace)
{
	uint64_t begun = 0;

	for (const struct thread_context *i = trace->first; i; i = i->next)
		if (i->life == CONTEXT_GROUP)
			begun += begun_in(i);
	return begun;
}

uint64_t lane_parked_ns(const struct thread_context *lane, uint64_t now)
{
	return parked_ns(&lane->lane.parked, now);
}

void lane_look_clock(const struct metric_set *set, uint64_t instant, uint64_t *now)
{
	for (unsigned i = 0; i < set->count; i++)
		if (metric_runs_on(set, i))
			now[i] = instant;
}
