/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/* mount: see mount.h. */
#include "agent/trace/mount.h"

#include <stdio.h>
#include <string.h>

#include "agent/trace/trace_rows.h"

enum { FOUND = sizeof(((struct lane_part *)0)->found) / sizeof(((struct lane_part *)0)->found[0]) };

/* ---- groups ---- */

void trace_keep_virtual_apart(struct trace *trace)
{
	trace->apart = true;
}

/* Without a place in the list. NULL: no memory. */
static struct thread_context *new_group(
	struct trace *trace, const struct thread_identity *identity)
{
	struct thread_context *group = rows_create(trace);

	while (!group && trace_relieve(trace, 0))
		group = rows_create(trace);
	if (!group)
		return NULL;
	group->life = CONTEXT_GROUP;
	group->identity = *identity;
	group->identity.is_virtual = true;
	return group;
}

static struct thread_context *group_of_thread(
	struct trace *trace, const struct thread_identity *identity)
{
	struct thread_context *group = new_group(trace, identity);

	if (group) {
		group->lane.only = true;
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
		if (strcmp(trace->group[i]->identity.name, name) == 0)
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
	struct thread_context *group = find_group(trace, fresh->identity.name);

	if (group)
		return group;
	if (only_others(trace))
		strcpy(fresh->identity.name, others);
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
	struct thread_context *group = carrier->lane.named;

	if (group && strcmp(group->identity.name, name) == 0)
		return group;
	lock_take(&trace->lock);
	group = find_group(trace, name);
	lock_give(&trace->lock);
	if (!group)
		group = make_group(trace, name);
	return carrier->lane.named = group;
}

static struct thread_context *group_by_name(
	struct thread_context *carrier, const struct thread_identity *identity)
{
	char pattern[sizeof(identity->name)];

	name_pattern(pattern, identity->name);
	return group_named(carrier, pattern);
}

/* ---- lanes ---- */

static struct thread_context *new_lane(struct trace *trace, struct thread_context *group)
{
	struct thread_context *lane = rows_create(trace);

	if (lane && shadow_init(&lane->stack, &trace->budget) != 0) {
		rows_destroy(trace, lane);
		return NULL;
	}
	if (!lane)
		return NULL;
	lane->life = CONTEXT_LANE;
	lane->identity = group->identity;
	lane->lane.group = group;
	atomic_store(&lane->outside, true);
	return lane;
}

/* Under LOCK_THREADS. The lane is the carrier's from now on. */
static void give_lane(struct thread_context *lane, struct thread_context *carrier)
{
	carrier->lane.carries = true;
	lock_take(&lane->tree.lock);
	lane->lane.carrier = carrier;
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
	for (struct thread_context *lane = group->lane.next; lane; lane = lane->lane.next)
		if (lane->lane.carrier == carrier || (!lane->lane.carrier && !found))
			found = lane;
	if (found && !found->lane.carrier)
		give_lane(found, carrier);
	lock_give(&carrier->trace->lock);
	return found;
}

static struct thread_context *make_lane(
	struct thread_context *carrier, struct thread_context *group)
{
	struct trace *trace = carrier->trace;
	struct thread_context *lane = new_lane(trace, group);

	while (!lane && trace_relieve(trace, 0))
		lane = new_lane(trace, group);
	if (!lane)
		return NULL;
	atomic_fetch_add_explicit(&trace->budget.claimants, 1, memory_order_relaxed);
	lock_take(&trace->lock);
	rows_append(trace, lane);
	lane->lane.next = group->lane.next;
	group->lane.next = lane;
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
		carrier->lane.found[group->id % FOUND].group = group->id;
		carrier->lane.found[group->id % FOUND].lane = lane;
	}
	return lane;
}

static struct thread_context *lane_of(
	struct thread_context *carrier, struct thread_context *group)
{
	if (carrier->lane.found[group->id % FOUND].group == group->id)
		return carrier->lane.found[group->id % FOUND].lane;
	return look_for_lane(carrier, group);
}

/* ---- threads that are parked ---- */

static struct parked *parked_at(struct thread_context *lane, uint32_t node)
{
	return (struct parked *)lane->lane.parked_at.base + node;
}

/* Room for the node, which the frames in the lane lead to. False: it cannot be told by node any
 * more. */
static bool parked_room(struct thread_context *lane, uint32_t node)
{
	struct lane_part *part = &lane->lane;
	size_t bytes = (size_t)(node + 1) * sizeof(struct parked);
	bool grown = true;

	if (part->parked_unsure)
		return false;
	/* Where paths were folded, those of other lanes may not have been; frames that found no room
	 * here may find some there. */
	if (lane->tree.generation == 0 && lane->stack.overflow == 0 &&
		tree_at(&lane->tree, node)->method != METHOD_PRUNED) {
		if (node < part->parked_nodes)
			return true;
		lock_take(&lane->tree.lock);
		grown = arena_resize(&part->parked_at, lane->tree.budget, bytes, MEMORY_SMALL) == 0;
		if (grown)
			part->parked_nodes = (uint32_t)(part->parked_at.bytes / sizeof(struct parked));
		lock_give(&lane->tree.lock);
		if (grown)
			return true;
	}
	__atomic_store_n(&part->parked_unsure, true, __ATOMIC_RELAXED);
	return false;
}

static void parked_add(struct parked *parked, int64_t threads, uint64_t since)
{
	__atomic_store_n(&parked->threads, parked->threads + threads, __ATOMIC_RELEASE);
	__atomic_store_n(&parked->since, parked->since + since, __ATOMIC_RELEASE);
}

/* Whoever sees a value that was stored (release) between the two sees that it is odd: see
 * context_start_at. */
static void turn_begin(struct thread_context *lane)
{
	__atomic_store_n(&lane->forgetting, lane->forgetting + 1, __ATOMIC_RELAXED);
}

static void turn_end(struct thread_context *lane)
{
	__atomic_store_n(&lane->forgetting, lane->forgetting + 1, __ATOMIC_RELEASE);
}

static uint64_t wall_of(const struct thread_context *context)
{
	for (unsigned i = 0; i < context->set->count; i++)
		if (metric_runs_on(context->set, i))
			return context->last[i];
	return clock_now();
}

/* A thread is unmounted at its current node. Nobody sees it both there and parked, nor use there that
 * came after the last reading: that is the carrier's. Returns its clock. */
static uint64_t park(struct thread_context *lane)
{
	bool room = parked_room(lane, lane->current);
	uint64_t wall;

	turn_begin(lane);
	context_settle(lane);
	wall = wall_of(lane);
	parked_add(&lane->lane.parked, 1, wall);
	if (room)
		parked_add(parked_at(lane, lane->current), 1, wall);
	context_go_out(lane);
	turn_end(lane);
	return wall;
}

/* It is parked no more: what its clock ran meanwhile is charged to the node. In a turn. */
static void unpark(struct thread_context *lane, uint32_t node, bool room, uint64_t wall,
	uint64_t until)
{
	uint64_t used = until > wall ? until - wall : 0;
	uint64_t *base = tree_at(&lane->tree, node)->base;

	parked_add(&lane->lane.parked, -1, -wall);
	if (room)
		parked_add(parked_at(lane, node), -1, -wall);
	for (unsigned i = 0; i < lane->set->count; i++) {
		if (!metric_runs_on(lane->set, i))
			continue;
		__atomic_store_n(&lane->first[i], lane->first[i] - used, __ATOMIC_RELEASE);
		__atomic_store_n(&base[i], base[i] + used, __ATOMIC_RELEASE);
	}
}

/* The thread, whose frames are in the lane, runs on; the carrier's clock is `until`. */
static void run_on(struct thread_context *lane, const struct virtual_thread *thread, uint64_t until)
{
	bool room = parked_room(lane, lane->current);

	turn_begin(lane);
	unpark(lane, lane->current, room, thread->wall, until);
	atomic_store_explicit(&lane->outside, false, memory_order_release);
	turn_end(lane);
}

/* ---- mount, unmount ---- */

void carrier_give_way(struct thread_context *carrier)
{
	bool outside = atomic_load_explicit(&carrier->outside, memory_order_relaxed);

	carrier->lane.carries = true;
	carrier->lane.was_outside = outside;
	if (outside) {
		context_start(carrier);
	} else {
		/* In this order: what others see of its counters after the reading is not the carrier's. */
		context_go_out(carrier);
		context_settle(carrier);
	}
	carrier->lane.since = wall_of(carrier);
}

/* Frames as they were when the thread left the lane that had them last. */
static void put_frames(struct thread_context *lane, const struct virtual_thread *thread)
{
	bool same = thread->lane == lane->id && thread->generation == lane->tree.generation;
	size_t room = (size_t)(lane->stack.limit - lane->stack.top);

	if (same && thread->frames <= room) {
		memcpy(lane->stack.top + 1, thread->frame,
			thread->frames * sizeof(*thread->frame));
		lane->stack.top += thread->frames;
		__atomic_store_n(&lane->current, lane->stack.top->node, __ATOMIC_RELEASE);
	} else {
		for (uint32_t i = 0; i < thread->frames; i++)
			context_put_frame(lane, &thread->frame[i]);
	}
	if (thread->overflow > 0) {
		shadow_overflow_push(&lane->stack);
		lane->stack.overflow += thread->overflow - 1;
	}
}

/* What the lane uses is the thread's from here on. */
static void start_for(
	struct thread_context *lane, struct virtual_thread *thread, const uint64_t *from)
{
	context_start_at(lane, from);
	for (unsigned i = 0; i < lane->set->count; i++)
		thread->used[i] -= context_used(lane, i);
}

/* The thread, mounted since that time, has the lane from here on. */
static void run_in(
	struct thread_context *lane, const struct virtual_thread *thread, uint64_t since)
{
	struct lane_part *part = &lane->lane;

	lane_add(&part->mounts, 1);
	__atomic_store_n(&part->mounted_since, since, __ATOMIC_RELAXED);
	if (thread->outside)
		return;
	atomic_store_explicit(&lane->outside, false, memory_order_release);
	context_spend_all(lane);
}

struct thread_context *virtual_mount(
	struct thread_context *carrier, struct virtual_thread *thread)
{
	struct thread_context *lane = lane_of(carrier, thread->group);

	if (!lane) {
		if (!thread->lost)
			atomic_fetch_add(&carrier->trace->lost_threads, 1);
		thread->lost = true;
		return NULL;
	}
	/* First, so that what the frames' way costs lies behind it. */
	start_for(lane, thread, carrier->last);
	put_frames(lane, thread);
	lane->code = thread->code;
	if (!thread->outside)
		run_on(lane, thread, wall_of(carrier));
	run_in(lane, thread, carrier->lane.since);
	return lane;
}

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

/* False: no memory for any of what it needs. */
static bool begin_in(struct thread_context *carrier, const struct thread_identity *identity,
	struct virtual_thread *thread, struct thread_context **lane)
{
	*lane = lane_apart(carrier, identity);
	if (!*lane)
		*lane = lane_by_name(carrier, identity);
	thread->group = *lane ? (*lane)->lane.group : NULL;
	thread->code = SEQUENCE_OUTSIDE;
	return *lane != NULL;
}

void carrier_read(struct thread_context *carrier, uint64_t *now)
{
	metric_read(SHAPE_ANY, carrier->set, carrier->metric, now);
}

/* A thread begins in its lane, with what it used before it was known. */
static void begin_at_root(struct thread_context *lane, struct virtual_thread *thread,
	const uint64_t *from, const uint64_t *now)
{
	struct tree_node *root = tree_at(&lane->tree, TREE_ROOT);

	lane->code = SEQUENCE_OUTSIDE;
	start_for(lane, thread, from);
	for (unsigned i = 0; i < lane->set->count; i++) {
		__atomic_store_n(&lane->last[i], now[i], __ATOMIC_RELAXED);
		__atomic_store_n(
			&root->base[i], root->base[i] + (now[i] - from[i]), __ATOMIC_RELEASE);
	}
}

struct thread_context *virtual_begin(struct thread_context *carrier,
	const struct thread_identity *identity, bool outside, const uint64_t *now,
	struct virtual_thread **thread)
{
	struct trace *trace = carrier->trace;
	struct thread_context *lane = NULL;

	*thread = virtual_take(trace, carrier);
	if (*thread && !begin_in(carrier, identity, *thread, &lane)) {
		virtual_give(trace, carrier, *thread);
		*thread = NULL;
	}
	if (!*thread) {
		atomic_fetch_add(&trace->lost_threads, 1);
		return NULL;
	}
	lane_add(&lane->lane.begun, 1);
	(*thread)->outside = outside;
	begin_at_root(lane, *thread, outside ? now : carrier->last, now);
	run_in(lane, *thread, carrier->lane.since);
	return lane;
}

/* The lane is empty, since then. */
static void run_out(struct thread_context *lane, uint64_t wall)
{
	struct lane_part *part = &lane->lane;

	context_go_out(lane);
	lane_add(&part->carrier_ns, wall - part->mounted_since);
	__atomic_store_n(&part->mounted_since, 0, __ATOMIC_RELAXED);
	shadow_clear(&lane->stack);
	__atomic_store_n(&lane->current, TREE_ROOT, __ATOMIC_RELEASE);
}

/* The carrier goes on from the reading at which the lane came to its end. */
static void carry_over(struct thread_context *carrier, const struct thread_context *lane)
{
	context_start_at(carrier, lane->last);
}

static void take_frames(struct thread_context *lane, struct virtual_thread *thread)
{
	const struct shadow_stack *stack = &lane->stack;
	size_t frames = shadow_depth(stack) - 1 - (stack->overflow > 0);

	thread->overflow = stack->overflow;
	thread->lane = lane->id;
	thread->node = lane->current;
	thread->generation = lane->tree.generation;
	if (!virtual_keep(lane->trace, thread, shadow_base(stack) + 1, frames))
		context_add(&lane->lost, frames);
}

void virtual_unmount(struct thread_context *carrier, struct thread_context *lane,
	struct virtual_thread *thread)
{
	thread->outside = atomic_load_explicit(&lane->outside, memory_order_relaxed);
	if (thread->outside)
		context_start(lane);
	else
		thread->wall = park(lane);
	thread->code = lane->code;
	for (unsigned i = 0; i < lane->set->count; i++)
		thread->used[i] += context_used(lane, i);
	take_frames(lane, thread);
	run_out(lane, wall_of(lane));
	carry_over(carrier, lane);
}

static struct thread_context *unknown_lane(struct thread_context *carrier)
{
	struct thread_context *group = carrier->trace->unknown;

	return group ? lane_of(carrier, group) : NULL;
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

bool virtual_unknown(struct thread_context *carrier)
{
	struct thread_context *lane;

	if (!__atomic_load_n(&carrier->trace->unknown, __ATOMIC_ACQUIRE))
		make_unknown(carrier->trace);
	lane = unknown_lane(carrier);
	if (!lane)
		return false;
	context_start_at(lane, carrier->last);
	lane_add(&lane->lane.mounts, 1);
	__atomic_store_n(&lane->lane.mounted_since, carrier->lane.since, __ATOMIC_RELAXED);
	context_settle(lane);
	run_out(lane, wall_of(lane));
	carry_over(carrier, lane);
	return true;
}

void carrier_resume(struct thread_context *carrier, bool nobody)
{
	if (carrier->lane.was_outside)
		return;
	if (nobody) {
		context_come_in(carrier);
		return;
	}
	atomic_store_explicit(&carrier->outside, false, memory_order_release);
	context_spend_all(carrier);
}

/* ---- the end ---- */

/* Who is mounted now has used what it has (outside the scope: nothing), and is nobody's from here on. */
static void leave_mounted(struct thread_context *lane, const uint64_t *now)
{
	struct trace *trace = lane->trace;

	if (!atomic_load(&lane->outside))
		rows_charge_last(lane, lane->stopped ? lane->stop : now);
	run_out(lane, lane->stopped ? trace->stopped_at : wall_of(lane));
}

static void leave_lane(struct thread_context *lane, const uint64_t *now)
{
	lock_take(&lane->tree.lock);
	if (lane->lane.mounted_since != 0)
		leave_mounted(lane, now);
	lane->lane.carrier = NULL;
	lane->counting = false;
	lane->metric = NULL;
	lock_give(&lane->tree.lock);
}

void lanes_leave(struct trace *trace, struct thread_context *carrier, const uint64_t *now)
{
	if (!carrier->lane.carries)
		return;
	lock_take(&trace->lock);
	for (struct thread_context *lane = trace->first; lane; lane = lane->next)
		if (lane->life == CONTEXT_LANE && lane->lane.carrier == carrier)
			leave_lane(lane, now);
	virtual_give_spares(trace, carrier);
	lock_give(&trace->lock);
}

static uint64_t now_or_stop(const struct trace *trace)
{
	uint64_t stopped_at = __atomic_load_n(&trace->stopped_at, __ATOMIC_RELAXED);

	return stopped_at != 0 ? stopped_at : clock_now();
}

/* A thread ends where it was unmounted just before. Its clock runs until now: others may have seen it
 * run. */
static void unpark_for_good(struct thread_context *lane, const struct virtual_thread *thread)
{
	bool room = thread->lane == lane->id && thread->generation == lane->tree.generation &&
		    parked_room(lane, thread->node);

	if (!room)
		__atomic_store_n(&lane->lane.parked_unsure, true, __ATOMIC_RELAXED);
	turn_begin(lane);
	unpark(lane, room ? thread->node : TREE_PRUNED, room, thread->wall,
		now_or_stop(lane->trace));
	turn_end(lane);
}

static void end_apart(struct trace *trace, struct thread_context *group)
{
	lock_take(&trace->lock);
	group->lane.finish = true;
	if (group->pins == 0 && !trace->visiting && !trace->stopped)
		finish_group(trace, group);
	lock_give(&trace->lock);
}

void virtual_end(struct thread_context *carrier, struct virtual_thread *thread)
{
	struct thread_context *group = thread ? thread->group : carrier->trace->unknown;
	struct thread_context *lane = group ? lane_of(carrier, group) : NULL;

	if (lane)
		lane_add(&lane->lane.ended, 1);
	if (!thread)
		return;
	if (lane && !thread->outside)
		unpark_for_good(lane, thread);
	virtual_give(carrier->trace, carrier, thread);
	if (group->lane.only)
		end_apart(carrier->trace, group);
}
