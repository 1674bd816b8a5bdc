/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/*
 * lanes: groups of virtual threads, and their lanes on carriers: found, or made.
 *
 * A carrier remembers the lanes that it had last; otherwise it looks among the group's, takes one
 * that waits for a carrier, or makes one. The lists are under LOCK_THREADS, which is not held while
 * memory is asked for.
 */
#include <stdio.h>
#include <string.h>

#include "agent/trace/mount.h"
#include "agent/trace/trace_rows.h"

/* ---- groups ---- */

void trace_keep_virtual_apart(struct trace *trace)
{
	trace->apart = true;
}

/* Without a place in the list. NULL: no memory. */
static struct thread_context *new_group(
	struct trace *trace, const struct thread_identity *identity)
{
	const struct metric_set *set = trace_metrics(trace);
	struct thread_context *group = rows_create(trace, set, MEMORY_SMALL);

	while (!group && trace_relieve(trace, 0))
		group = rows_create(trace, set, MEMORY_SMALL);
	if (!group)
		group = rows_create(trace, set, MEMORY_FORCED);
	if (!group)
		return NULL;
	group->row.life = CONTEXT_GROUP;
	group->row.identity = *identity;
	group->row.identity.is_virtual = true;
	return group;
}

/* What those are called that come when only the last place is left. */
static const char others[] = "*";

static bool only_others(const struct trace *trace)
{
	return trace->groups >= TRACE_FOLDS_MAX - 1;
}

/* Under LOCK_THREADS; wanted NULL: whatever sessions it is for. */
static struct thread_context *group_called(
	const struct trace *trace, const char *name, const uint8_t *wanted)
{
	for (unsigned i = 0; i < trace->groups; i++)
		if ((!wanted || row_wanted(trace->group[i]) == *wanted) &&
			strcmp(trace->group[i]->row.identity.name, name) == 0)
			return trace->group[i];
	return NULL;
}

/* Under LOCK_THREADS: the group of that name that the same sessions want, or what is for all others. NULL: it is to be
 * made. */
static struct thread_context *find_group(
	const struct trace *trace, const struct thread_identity *pattern)
{
	struct thread_context *group = group_called(trace, pattern->name, &pattern->wanted);

	if (group || !only_others(trace))
		return group;
	group = group_called(trace, others, NULL);
	if (group)
		row_want(group, row_wanted(group) | pattern->wanted);
	return group;
}

static struct thread_context *make_group(
	struct trace *trace, const struct thread_identity *pattern)
{
	struct thread_context *fresh = new_group(trace, pattern), *group;

	if (!fresh)
		return NULL;
	lock_take(&trace->lock);
	group = find_group(trace, pattern); /* another carrier may have been first */
	if (!group) {
		if (only_others(trace))
			snprintf(fresh->row.identity.name, sizeof(pattern->name), "%s", others);
		rows_append(trace, fresh);
		group = trace->group[trace->groups++] = fresh;
	}
	lock_give(&trace->lock);
	if (group != fresh)
		rows_destroy(trace, fresh);
	return group;
}

static struct thread_context *group_by_name(
	struct thread_context *carrier, const struct thread_identity *identity)
{
	struct trace *trace = carrier->trace;
	struct thread_context *group = carrier->as_carrier.named;
	struct thread_identity pattern = {.is_virtual = true, .wanted = identity->wanted};

	name_pattern(pattern.name, identity->name);
	if (group && row_wanted(group) == pattern.wanted &&
		strcmp(group->row.identity.name, pattern.name) == 0)
		return group;
	lock_take(&trace->lock);
	group = find_group(trace, &pattern);
	lock_give(&trace->lock);
	if (!group)
		group = make_group(trace, &pattern);
	return carrier->as_carrier.named = group;
}

/* ---- lanes ---- */

/* It counts what its carrier does, whose counters it has. */
static struct thread_context *new_lane(
	struct thread_context *carrier, struct thread_context *group, enum memory_claim claim)
{
	struct trace *trace = carrier->trace;
	struct thread_context *lane = rows_create(trace, carrier->set, claim);

	if (lane && shadow_init(&lane->stack, &trace->budget, claim) != 0) {
		rows_destroy(trace, lane);
		return NULL;
	}
	if (!lane)
		return NULL;
	lane->row.life = CONTEXT_LANE;
	lane->as_lane.group = group;
	atomic_store(&lane->outside, true);
	return lane;
}

/* Under LOCK_THREADS. The lane is the carrier's from now on. */
static void give_lane(struct thread_context *lane, struct thread_context *carrier)
{
	carrier->as_carrier.carries = true;
	lock_take(&lane->tree.lock);
	lane->as_lane.carrier = carrier;
	lane->metric = carrier->metric;
	lane->counting = true;
	lane->look_known = false;
	if (lane->trace->stopped && !lane->stopped) {
		memcpy(lane->stop, lane->last, sizeof(lane->stop));
		lane->stopped = true;
	}
	lock_give(&lane->tree.lock);
}

/* The carrier's own, or one that waits for a carrier. NULL: there is none. */
static struct thread_context *find_lane(
	struct thread_context *carrier, struct thread_context *group)
{
	struct thread_context *found = NULL;

	lock_take(&carrier->trace->lock);
	for (struct thread_context *lane = group->as_group.lanes; lane;
		lane = lane->as_lane.next)
		if (lane->as_lane.carrier == carrier || (!lane->as_lane.carrier && !found))
			found = lane;
	if (found && !found->as_lane.carrier)
		give_lane(found, carrier);
	lock_give(&carrier->trace->lock);
	return found;
}

static struct thread_context *make_lane(
	struct thread_context *carrier, struct thread_context *group)
{
	struct trace *trace = carrier->trace;
	struct thread_context *lane = new_lane(carrier, group, MEMORY_SMALL);

	while (!lane && trace_relieve(trace, 0))
		lane = new_lane(carrier, group, MEMORY_SMALL);
	if (!lane)
		lane = new_lane(carrier, group, MEMORY_FORCED);
	if (!lane)
		return NULL;
	atomic_fetch_add_explicit(&trace->budget.claimants, 1, memory_order_relaxed);
	lock_take(&trace->lock);
	lane->row.identity = group->row.identity;
	rows_append(trace, lane);
	lane->as_lane.next = group->as_group.lanes;
	group->as_group.lanes = lane;
	give_lane(lane, carrier);
	rows_trace(lane, true);
	lock_give(&trace->lock);
	return lane;
}

struct thread_context *lane_of(struct thread_context *carrier, struct thread_context *group)
{
	uint32_t id = group->row.id;
	struct found_lane *found = &carrier->as_carrier.found[id % CARRIER_FOUND];
	struct thread_context *lane;

	if (found->group == id)
		return found->lane;
	lane = find_lane(carrier, group);
	if (!lane)
		lane = make_lane(carrier, group);
	if (lane && !lane_widen(carrier, lane))
		return NULL;
	if (lane)
		*found = (struct found_lane){id, lane};
	return lane;
}

/* ---- which one ---- */

/* A lane in a group for this thread alone. NULL: they are not kept apart, or there is no memory for
 * that. */
static struct thread_context *lane_apart(
	struct thread_context *carrier, const struct thread_identity *identity)
{
	struct trace *trace = carrier->trace;
	struct thread_context *group, *lane;

	if (!trace->apart)
		return NULL;
	/* What is kept apart leaves the reserve to what is not. */
	while (!memory_is_ample(&trace->budget))
		if (!trace_relieve(trace, 0))
			return NULL;
	group = new_group(trace, identity);
	if (!group)
		return NULL;
	group->as_group.only = true;
	lock_take(&trace->lock);
	rows_append(trace, group);
	lock_give(&trace->lock);
	lane = lane_of(carrier, group);
	if (!lane) {
		/* No visitor was shown a group without lanes. */
		lock_take(&trace->lock);
		rows_remove(trace, group);
		lock_give(&trace->lock);
		rows_destroy(trace, group);
	}
	return lane;
}

struct thread_context *lane_by_name(
	struct thread_context *carrier, const struct thread_identity *identity)
{
	struct thread_context *group = group_by_name(carrier, identity);

	return group ? lane_of(carrier, group) : NULL;
}

struct thread_context *lane_for(
	struct thread_context *carrier, const struct thread_identity *identity)
{
	struct thread_context *lane = lane_apart(carrier, identity);

	return lane ? lane : lane_by_name(carrier, identity);
}

struct thread_context *lane_for_unknown(struct thread_context *carrier)
{
	const struct thread_identity identity = {.name = VIRTUAL_UNKNOWN_NAME};
	struct trace *trace = carrier->trace;
	struct thread_context *group = __atomic_load_n(&trace->unknown, __ATOMIC_ACQUIRE);
	struct thread_context *fresh = group ? NULL : new_group(trace, &identity);

	if (fresh) {
		lock_take(&trace->lock);
		group = trace->unknown; /* another carrier may have been first */
		if (!group) {
			row_want(fresh, trace->all);
			rows_append(trace, fresh);
			__atomic_store_n(&trace->unknown, fresh, __ATOMIC_RELEASE);
		}
		lock_give(&trace->lock);
		if (group)
			rows_destroy(trace, fresh);
		else
			group = fresh;
	}
	return group ? lane_of(carrier, group) : NULL;
}
