/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/* mount: see mount.h. */
#include "agent/trace/mount.h"

#include <stdlib.h>
#include <string.h>

#include "agent/trace/trace_rows.h"

/* ---- threads that are parked ---- */

static struct parked *parked_at(struct thread_context *lane, uint32_t node)
{
	return (struct parked *)lane->as_lane.parked_at.base + node;
}

/* Room for the node, which the frames in the lane lead to. False: it cannot be told by node any
 * more. */
static bool parked_room(struct thread_context *lane, uint32_t node)
{
	struct lane_part *part = &lane->as_lane;
	size_t bytes = (size_t)(node + 1) * sizeof(struct parked);
	bool grown = true;

	if (part->parked_unsure)
		return false;
	/* Where paths were folded, those of other lanes may not have been; frames that found no room
	 * here may find some there. */
	if (lane->tree.moves == 0 && lane->stack.overflow == 0 &&
		tree_callees(&lane->tree, node) == node) {
		if (node < part->parked_nodes)
			return true;
		lock_take(&lane->tree.lock);
		grown = arena_resize(
				&part->parked_at, lane->tree.budget, bytes, MEMORY_SMALL) == 0;
		if (grown)
			part->parked_nodes =
				(uint32_t)(part->parked_at.bytes / sizeof(struct parked));
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

/* A thread that sees a value stored (release) between the two sees that it is odd: see
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

/* A thread is unmounted at its current node. It is never seen both there and parked, nor use there that
 * came after the last reading: that is the carrier's. Returns its clock. */
static uint64_t park(struct thread_context *lane)
{
	bool room = parked_room(lane, lane->current);
	uint64_t wall;

	turn_begin(lane);
	context_settle(lane);
	wall = wall_of(lane);
	parked_add(&lane->as_lane.parked, 1, wall);
	if (room)
		parked_add(parked_at(lane, lane->current), 1, wall);
	context_go_out(lane);
	turn_end(lane);
	return wall;
}

/* It is parked no more: what its clock ran meanwhile is charged to the node, and returned. In a turn. */
static uint64_t unpark(
	struct thread_context *lane, uint32_t node, bool room, uint64_t wall, uint64_t until)
{
	uint64_t used = until > wall ? until - wall : 0;
	uint64_t *base = tree_at(&lane->tree, node)->base;

	parked_add(&lane->as_lane.parked, -1, -wall);
	if (room)
		parked_add(parked_at(lane, node), -1, -wall);
	for (unsigned i = 0; i < lane->set->count; i++) {
		if (!metric_runs_on(lane->set, i))
			continue;
		__atomic_store_n(&lane->first[i], lane->first[i] - used, __ATOMIC_RELEASE);
		__atomic_store_n(&base[i], base[i] + used, __ATOMIC_RELEASE);
	}
	return used;
}

/* The thread has the lane from then on, in these frames, and was parked for so many ns before. */
static void trace_mount(struct thread_context *lane, const struct virtual_thread *thread,
	uint64_t at, uint64_t parked, const struct shadow_frame *frame, size_t frames)
{
	const uint64_t word[] = {thread->number, parked};

	if (context_is_traced(lane))
		context_trace_frames(lane, EVENT_MOUNT, at, word, 2, frame, frames);
}

/* ---- mount, unmount ---- */

/* What is shown of parked threads is what the trace counts: who takes one out does so, too. Without memory it is less. */
static void follow_trace(struct thread_context *carrier)
{
	if (context_is_narrow(carrier))
		context_widen(carrier);
}

void carrier_give_way(struct thread_context *carrier)
{
	bool outside = atomic_load_explicit(&carrier->outside, memory_order_relaxed);

	follow_trace(carrier);
	carrier->as_carrier.carries = true;
	carrier->as_carrier.was_outside = outside;
	if (outside) {
		context_start(carrier);
	} else {
		/* In this order: what others see of its counters after the reading is not the carrier's. */
		context_go_out(carrier);
		context_settle(carrier);
	}
	carrier->as_carrier.since = wall_of(carrier);
}

/* That have an exit: neither the root's nor the sentinel, and labels are none. */
static size_t frames_in(const struct thread_context *lane)
{
	return shadow_depth(&lane->stack) - 1 - (lane->stack.overflow > 0);
}

/* What the thread leaves behind in the lane: its frames, and whose work it does. */
static void keep_frames(struct thread_context *lane, struct virtual_thread *thread)
{
	size_t frames = context_copy_frames(lane, NULL);
	struct shadow_frame *room = virtual_room(lane->trace, thread, frames);

	if (room) {
		context_copy_frames(lane, room);
	} else {
		thread->overflow += frames_in(lane);
		context_add(&lane->lost, frames_in(lane));
	}
	thread->tags = lane->tags;
	thread->tag_calls = lane->tag_calls;
	/* Also where it has none any more, but frames have some. */
	thread->tagged = lane->stack.untagged > shadow_base(&lane->stack) || lane->tags ||
			 lane->tag_calls;
	lane->tags = 0;
	lane->tag_calls = NULL;
}

/* Frames as they were when the thread left the lane that had them last. */
static void put_frames(struct thread_context *lane, struct virtual_thread *thread)
{
	bool same = thread->lane == lane->row.id && thread->moves == lane->tree.moves &&
		    thread->frames <= (size_t)(lane->stack.limit - lane->stack.top);

	lane->tags = thread->tags;
	lane->tag_calls = thread->tag_calls;
	thread->tag_calls = NULL;
	for (uint32_t i = 0; i < thread->frames; i++) {
		const struct shadow_frame *frame = &thread->frame[i];

		if (same && is_label(frame->method))
			lane->stack.top->node = frame->node;
		else if (same)
			*++lane->stack.top = *frame;
		else if (is_label(frame->method))
			context_put_label(lane, frame);
		else
			context_put_frame(lane, frame);
	}
	__atomic_store_n(&lane->current, lane->stack.top->node, __ATOMIC_RELEASE);
	/* Which of them have the thread's tags is looked at when it comes back to them. */
	lane->stack.untagged = thread->tagged ? lane->stack.top : shadow_base(&lane->stack);
	if (thread->tagged && !same)
		context_come_back_rare(lane);
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
		*virtual_use(lane->trace, thread, i) -= context_used(lane, i);
}

/* The thread, mounted since that time, has the lane from here on. */
static void occupy(
	struct thread_context *lane, const struct virtual_thread *thread, uint64_t since)
{
	struct lane_part *part = &lane->as_lane;

	part->carrier->as_carrier.mounted = lane;
	lane_add(&lane->mounts, 1);
	__atomic_store_n(&part->mounted_since, since, __ATOMIC_RELAXED);
	if (thread->outside)
		return;
	atomic_store_explicit(&lane->outside, false, memory_order_release);
	context_spend_all(lane);
}

/* The thread comes into the lane, in which it was parked, or not. */
static void put_in(struct thread_context *carrier, struct thread_context *lane,
	struct virtual_thread *thread, bool was_parked)
{
	uint64_t parked = 0;

	/* First, so that what the frames' way costs lies behind it. */
	start_for(lane, thread, carrier->last);
	put_frames(lane, thread);
	watched_mount(lane, thread->watched);
	thread->watched = NULL;
	lane->code = thread->code;
	if (was_parked) {
		bool room = parked_room(lane, lane->current);

		turn_begin(lane);
		parked = unpark(lane, lane->current, room, thread->wall, wall_of(carrier));
		atomic_store_explicit(&lane->outside, false, memory_order_release);
		turn_end(lane);
	}
	trace_mount(lane, thread, wall_of(carrier), parked, shadow_base(&lane->stack) + 1,
		frames_in(lane));
	occupy(lane, thread, carrier->as_carrier.since);
}

struct thread_context *virtual_mount(
	struct thread_context *carrier, struct virtual_thread *thread)
{
	struct thread_context *lane = lane_of(carrier, thread->group);

	if (lane) {
		put_in(carrier, lane, thread, !thread->outside);
	} else {
		if (!thread->lost)
			atomic_fetch_add(&carrier->trace->lost_threads, 1);
		thread->lost = true;
	}
	return lane;
}

void carrier_read(struct thread_context *carrier, uint64_t *now)
{
	metric_read(SHAPE_ANY, carrier->set, carrier->metric, now);
}

struct thread_context *virtual_begin(struct thread_context *carrier,
	const struct thread_identity *identity, bool outside, const uint64_t *now,
	struct virtual_thread **thread)
{
	struct trace *trace = carrier->trace;
	struct virtual_thread *fresh = virtual_take(trace, carrier);
	unsigned read = carrier->set->count;
	struct thread_context *lane = fresh ? lane_for(carrier, identity) : NULL;
	uint64_t known[METRIC_MAX];
	const uint64_t *from = outside ? known : carrier->last;
	struct tree_node *root;

	*thread = lane ? fresh : NULL;
	if (!lane) {
		if (fresh)
			virtual_give(trace, carrier, fresh);
		atomic_fetch_add(&trace->lost_threads, 1);
		return NULL;
	}
	/* Of metrics that came with the lane nothing was read. */
	for (unsigned i = 0; i < lane->set->count; i++)
		known[i] = i < read ? now[i] : carrier->last[i];
	fresh->group = lane->as_lane.group;
	fresh->code = lane->code = SEQUENCE_OUTSIDE;
	fresh->outside = outside;
	lane_add(&lane->as_lane.begun, 1);
	start_for(lane, fresh, from);
	trace_mount(lane, fresh, context_clock(lane, from), 0, shadow_base(&lane->stack), 0);
	/* What it used before it was known. */
	root = tree_at(&lane->tree, TREE_ROOT);
	for (unsigned i = 0; i < lane->set->count; i++) {
		__atomic_store_n(&lane->last[i], known[i], __ATOMIC_RELAXED);
		__atomic_store_n(
			&root->base[i], root->base[i] + (known[i] - from[i]), __ATOMIC_RELEASE);
	}
	if (context_is_traced(lane))
		context_trace_more(lane, EVENT_SETTLE, context_clock(lane, known));
	occupy(lane, fresh, carrier->as_carrier.since);
	return lane;
}

/* The lane is empty, since then. */
static void vacate(struct thread_context *lane, uint64_t wall)
{
	struct lane_part *part = &lane->as_lane;

	context_go_out(lane);
	part->carrier->as_carrier.mounted = NULL;
	lane_add(&lane->carrier_ns, wall - part->mounted_since);
	__atomic_store_n(&part->mounted_since, 0, __ATOMIC_RELAXED);
	shadow_clear(&lane->stack);
	lane->tags = 0;
	tag_calls_destroy(lane->tag_calls, &lane->trace->budget);
	lane->tag_calls = NULL;
	__atomic_store_n(&lane->current, TREE_ROOT, __ATOMIC_RELEASE);
	if (context_is_traced(lane))
		context_trace_more(lane, EVENT_UNMOUNT, wall);
}

/* The thread, which uses nothing any more, leaves the lane. */
static void take_out(struct thread_context *carrier, struct thread_context *lane,
	struct virtual_thread *thread)
{
	thread->watched = watched_unmount(lane);
	thread->code = lane->code;
	for (unsigned i = 0; i < lane->set->count; i++)
		*virtual_use(lane->trace, thread, i) += context_used(lane, i);
	thread->overflow = lane->stack.overflow;
	thread->lane = lane->row.id;
	thread->node = lane->current;
	thread->moves = lane->tree.moves;
	keep_frames(lane, thread);
	vacate(lane, wall_of(lane));
	context_start_at(carrier, lane->last);
}

void virtual_unmount(struct thread_context *carrier, struct thread_context *lane,
	struct virtual_thread *thread)
{
	thread->outside = atomic_load_explicit(&lane->outside, memory_order_relaxed);
	if (thread->outside)
		context_start(lane);
	else
		thread->wall = park(lane);
	take_out(carrier, lane, thread);
}

struct thread_context *virtual_regroup(struct thread_context *carrier,
	struct thread_context *lane, struct virtual_thread *thread,
	const struct thread_identity *identity)
{
	struct thread_context *to;

	if (thread->group->as_group.only) {
		trace_want_row(thread->group, identity->wanted);
		return lane;
	}
	if (row_wanted(thread->group) == identity->wanted)
		return lane;
	to = lane_by_name(carrier, identity);
	if (!to || to == lane)
		return lane;
	thread->outside = atomic_load_explicit(&lane->outside, memory_order_relaxed);
	if (thread->outside) {
		context_start(lane);
	} else {
		turn_begin(lane);
		context_settle(lane);
		context_go_out(lane);
		turn_end(lane);
	}
	take_out(carrier, lane, thread);
	lane_add(&lane->as_lane.ended, 1);
	lane_add(&to->as_lane.begun, 1);
	atomic_fetch_add(&carrier->trace->regrouped, 1);
	thread->group = to->as_lane.group;
	carrier->as_carrier.since = wall_of(carrier);
	put_in(carrier, to, thread, false);
	return to;
}

bool virtual_unknown(struct thread_context *carrier)
{
	struct thread_context *lane = lane_for_unknown(carrier);

	if (!lane)
		return false;
	context_start_at(lane, carrier->last);
	if (context_is_traced(lane))
		context_trace_frames(lane, EVENT_MOUNT, wall_of(carrier), (uint64_t[]){0, 0}, 2,
			shadow_base(&lane->stack), 0);
	lane_add(&lane->mounts, 1);
	__atomic_store_n(
		&lane->as_lane.mounted_since, carrier->as_carrier.since, __ATOMIC_RELAXED);
	context_settle(lane);
	vacate(lane, wall_of(lane));
	context_start_at(carrier, lane->last);
	return true;
}

void carrier_resume(struct thread_context *carrier, bool refused)
{
	if (carrier->as_carrier.was_outside)
		return;
	if (refused) {
		context_come_in(carrier);
		return;
	}
	atomic_store_explicit(&carrier->outside, false, memory_order_release);
	context_spend_all(carrier);
}

/* ---- the end ---- */

void lanes_leave(struct trace *trace, struct thread_context *carrier, const uint64_t *now)
{
	if (!carrier->as_carrier.carries)
		return;
	lock_take(&trace->lock);
	for (struct thread_context *lane = trace->first; lane; lane = lane->row.next) {
		if (lane->row.life != CONTEXT_LANE || lane->as_lane.carrier != carrier)
			continue;
		lock_take(&lane->tree.lock);
		/* Who is mounted has used what it has (outside the scope: nothing); what it does from here
		 * on is not charged. */
		if (lane->as_lane.mounted_since != 0) {
			if (!atomic_load(&lane->outside))
				rows_charge_last(lane, lane->stopped ? lane->stop : now);
			if (context_is_traced(lane))
				context_trace_more(
					lane, EVENT_SETTLE, context_clock(lane, now));
			watched_destroy(lane->watched, &trace->budget);
			lane->watched = NULL;
			vacate(lane, lane->stopped ? trace->stopped_at : wall_of(lane));
		}
		lane->as_lane.carrier = NULL;
		lane->counting = false;
		lane->metric = NULL;
		lock_give(&lane->tree.lock);
	}
	virtual_give_spares(trace, carrier);
	lock_give(&trace->lock);
}

/* A thread ends where it was unmounted just before. Its clock runs until now: others may have seen it
 * run. */
static void unpark_for_good(struct thread_context *lane, const struct virtual_thread *thread)
{
	uint64_t stopped_at = __atomic_load_n(&lane->trace->stopped_at, __ATOMIC_RELAXED);
	bool room = thread->lane == lane->row.id && thread->moves == lane->tree.moves &&
		    parked_room(lane, thread->node);
	uint64_t parked;

	if (!room)
		__atomic_store_n(&lane->as_lane.parked_unsure, true, __ATOMIC_RELAXED);
	turn_begin(lane);
	parked = unpark(lane, room ? thread->node : TREE_FOLDED, room, thread->wall,
		stopped_at != 0 ? stopped_at : clock_now());
	turn_end(lane);
	trace_mount(
		lane, thread, clock_now(), parked, thread->frame, room ? thread->frames : 0);
	if (context_is_traced(lane))
		context_trace_more(lane, EVENT_UNMOUNT, clock_now());
}

void virtual_end(struct thread_context *carrier, struct virtual_thread *thread)
{
	struct trace *trace = carrier->trace;
	struct thread_context *group =
		thread ? thread->group : __atomic_load_n(&trace->unknown, __ATOMIC_ACQUIRE);
	struct thread_context *lane;

	follow_trace(carrier);
	lane = group ? lane_of(carrier, group) : NULL;
	if (lane)
		lane_add(&lane->as_lane.ended, 1);
	if (!thread)
		return;
	if (lane && !thread->outside)
		unpark_for_good(lane, thread);
	virtual_give(trace, carrier, thread);
	if (!group->as_group.only)
		return;
	lock_take(&trace->lock);
	group->as_group.finish = true;
	if (group->row.pins == 0 && !trace->visiting && !trace->stopped)
		finish_group(trace, group);
	lock_give(&trace->lock);
}
