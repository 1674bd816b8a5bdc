/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/* lanes: see lanes.h. */
#include "agent/trace/lanes.h"

#include <stdio.h>
#include <string.h>

#include "agent/trace/mount.h"

enum {
	FOUND = sizeof(((struct carrier_part *)0)->found) /
		sizeof(((struct carrier_part *)0)->found[0])
};

/* ---- groups ---- */

void trace_keep_virtual_apart(struct trace *trace)
{
	trace->apart = true;
}

/* Without a place in the list. NULL: no memory. */
static struct thread_context *new_group(
	struct trace *trace, const struct thread_identity *identity)
{
	struct thread_context *group = rows_create(trace, MEMORY_SMALL);

	while (!group && trace_relieve(trace, 0))
		group = rows_create(trace, MEMORY_SMALL);
	if (!group)
		group = rows_create(trace, MEMORY_FORCED);
	if (!group)
		return NULL;
	group->row.life = CONTEXT_GROUP;
	group->row.identity = *identity;
	group->row.identity.is_virtual = true;
	return group;
}

static struct thread_context *group_of_thread(
	struct trace *trace, const struct thread_identity *identity)
{
	struct thread_context *group = new_group(trace, identity);

	if (group) {
		group->as_group.only = true;
		lock_take(&trace->lock);
		rows_append(trace, group);
		lock_give(&trace->lock);
	}
	return group;
}

/* A group that has no lane: nobody was shown it. */
static void forget_group(struct trace *trace, struct thread_context *group)
{
	lock_take(&trace->lock);
	rows_remove(trace, group);
	lock_give(&trace->lock);
	rows_destroy(trace, group);
}

/* What those are called that come when only the last place is left. */
static const char others[] = "*";

static bool only_others(const struct trace *trace)
{
	return trace->groups >= TRACE_FOLDS_MAX - 1;
}

static struct thread_context *group_called(const struct trace *trace, const char *name)
{
	for (unsigned i = 0; i < trace->groups; i++)
		if (strcmp(trace->group[i]->row.identity.name, name) == 0)
			return trace->group[i];
	return NULL;
}

/* Under LOCK_THREADS. NULL: it is to be made. */
static struct thread_context *find_group(const struct trace *trace, const char *name)
{
	struct thread_context *group = group_called(trace, name);

	return group || !only_others(trace) ? group : group_called(trace, others);
}

/* Under LOCK_THREADS: puts the fresh one in, unless another carrier was first. */
static struct thread_context *add_group(struct trace *trace, struct thread_context *fresh)
{
	struct thread_context *group = find_group(trace, fresh->row.identity.name);

	if (group)
		return group;
	if (only_others(trace))
		snprintf(fresh->row.identity.name, sizeof(fresh->row.identity.name), "%s",
			others);
	rows_append(trace, fresh);
	return trace->group[trace->groups++] = fresh;
}

static struct thread_context *make_group(struct trace *trace, const char *name)
{
	struct thread_identity identity = {.is_virtual = true};
	struct thread_context *fresh, *group;

	snprintf(identity.name, sizeof(identity.name), "%s", name);
	fresh = new_group(trace, &identity);
	if (!fresh)
		return NULL;
	lock_take(&trace->lock);
	group = add_group(trace, fresh);
	lock_give(&trace->lock);
	if (group != fresh)
		rows_destroy(trace, fresh);
	return group;
}

static struct thread_context *group_named(struct thread_context *carrier, const char *name)
{
	struct trace *trace = carrier->trace;
	struct thread_context *group = carrier->as_carrier.named;

	if (group && strcmp(group->row.identity.name, name) == 0)
		return group;
	lock_take(&trace->lock);
	group = find_group(trace, name);
	lock_give(&trace->lock);
	if (!group)
		group = make_group(trace, name);
	return carrier->as_carrier.named = group;
}

static struct thread_context *group_by_name(
	struct thread_context *carrier, const struct thread_identity *identity)
{
	char pattern[sizeof(identity->name)];

	name_pattern(pattern, identity->name);
	return group_named(carrier, pattern);
}

/* ---- lanes ---- */

static struct thread_context *new_lane(
	struct trace *trace, struct thread_context *group, enum memory_claim claim)
{
	struct thread_context *lane = rows_create(trace, claim);

	if (lane && shadow_init(&lane->stack, &trace->budget, claim) != 0) {
		rows_destroy(trace, lane);
		return NULL;
	}
	if (!lane)
		return NULL;
	lane->row.life = CONTEXT_LANE;
	lane->row.identity = group->row.identity;
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
	struct thread_context *lane = new_lane(trace, group, MEMORY_SMALL);

	while (!lane && trace_relieve(trace, 0))
		lane = new_lane(trace, group, MEMORY_SMALL);
	if (!lane)
		lane = new_lane(trace, group, MEMORY_FORCED);
	if (!lane)
		return NULL;
	atomic_fetch_add_explicit(&trace->budget.claimants, 1, memory_order_relaxed);
	lock_take(&trace->lock);
	rows_append(trace, lane);
	lane->as_lane.next = group->as_group.lanes;
	group->as_group.lanes = lane;
	give_lane(lane, carrier);
	lock_give(&trace->lock);
	return lane;
}

static struct thread_context *look_for_lane(
	struct thread_context *carrier, struct thread_context *group)
{
	struct thread_context *lane = find_lane(carrier, group);

	if (!lane)
		lane = make_lane(carrier, group);
	if (lane) {
		carrier->as_carrier.found[group->row.id % FOUND].group = group->row.id;
		carrier->as_carrier.found[group->row.id % FOUND].lane = lane;
	}
	return lane;
}

struct thread_context *lane_of(struct thread_context *carrier, struct thread_context *group)
{
	if (carrier->as_carrier.found[group->row.id % FOUND].group == group->row.id)
		return carrier->as_carrier.found[group->row.id % FOUND].lane;
	return look_for_lane(carrier, group);
}

/* ---- which one ---- */

/* What is kept apart leaves the reserve to what is not. */
static bool room_apart(struct trace *trace)
{
	while (!memory_is_ample(&trace->budget))
		if (!trace_relieve(trace, 0))
			return false;
	return true;
}

/* A lane in a group for this thread alone. NULL: they are not kept apart, or there is no memory for
 * that. */
static struct thread_context *lane_apart(
	struct thread_context *carrier, const struct thread_identity *identity)
{
	struct trace *trace = carrier->trace;
	struct thread_context *group = NULL, *lane;

	if (trace->apart && room_apart(trace))
		group = group_of_thread(trace, identity);
	lane = group ? lane_of(carrier, group) : NULL;
	if (group && !lane)
		forget_group(trace, group);
	return lane;
}

static struct thread_context *lane_by_name(
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

static void make_unknown(struct trace *trace)
{
	struct thread_identity identity = {.name = VIRTUAL_UNKNOWN_NAME};
	struct thread_context *fresh = new_group(trace, &identity);
	bool first;

	if (!fresh)
		return;
	lock_take(&trace->lock);
	first = !trace->unknown;
	if (first) {
		rows_append(trace, fresh);
		__atomic_store_n(&trace->unknown, fresh, __ATOMIC_RELEASE);
	}
	lock_give(&trace->lock);
	if (!first)
		rows_destroy(trace, fresh);
}

struct thread_context *lane_for_unknown(struct thread_context *carrier)
{
	struct thread_context *group;

	if (!__atomic_load_n(&carrier->trace->unknown, __ATOMIC_ACQUIRE))
		make_unknown(carrier->trace);
	group = __atomic_load_n(&carrier->trace->unknown, __ATOMIC_ACQUIRE);
	return group ? lane_of(carrier, group) : NULL;
}
