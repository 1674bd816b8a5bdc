/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/* event_walk: see event_walk.h. */
#include "report/model/event_walk.h"

#include <stdlib.h>
#include <string.h>

/* A file may say that there are more; nobody calls so deep. */
enum { DEPTH_MAX = 1 << 24 };

/* Virtual ones may be many. */
struct profile_thread event_thread_row(const struct profile *profile, uint32_t thread)
{
	const struct profile_event_thread *row = &profile->event_thread[thread];

	return (struct profile_thread){.name = row->name,
		.java_id = row->java_id,
		.os_id = row->os_id,
		.is_virtual = row->is_virtual,
		.folded = row->is_virtual ? 2 : 1};
}

/* ---- frames ---- */

static int no_memory(struct error *error)
{
	return error_set(error, ERROR_MEMORY, "no memory for the frames of a trace of events");
}

/* Its calls are none that the profile's session wants one by one. */
static bool is_hidden(const struct profile *profile, uint32_t method)
{
	uint32_t bit = profile->session ? 1u << profile->session->bit : 0;

	return bit && method != 0 &&
	       !(profile->method[method].wanted & ~profile->method[method].counted & bit);
}

/* Frames that are hidden lie above the one that is seen; they have its node. */
static void set_top(struct event_walk *walk)
{
	uint32_t at = walk->frames;

	while (at > 0 && walk->frame[at - 1].hidden)
		at -= walk->frame[at - 1].above;
	walk->depth = at > 0 ? walk->frame[at - 1].shown : 0;
	walk->top = at > 0 ? &walk->frame[at - 1] : NULL;
}

static int push(
	struct event_walk *walk, uint32_t method, bool called, bool before, struct error *error)
{
	struct event_frame *fresh, *caller;

	if (method >= walk->profile->method_count)
		method = 0;
	if (walk->frames == walk->room) {
		size_t room = walk->room ? 2 * walk->room : 64;
		struct event_frame *more =
			room <= DEPTH_MAX ? realloc(walk->frame, room * sizeof(*more)) : NULL;

		if (!more)
			return no_memory(error);
		walk->frame = more;
		walk->room = room;
		set_top(walk);
	}
	caller = walk->frames > 0 ? &walk->frame[walk->frames - 1] : NULL;
	fresh = &walk->frame[walk->frames++];
	*fresh = (struct event_frame){.method = method,
		.begin = walk->at,
		.before = before,
		.called = called,
		.hidden = is_hidden(walk->profile, method)};
	if (fresh->hidden) {
		fresh->node = walk->top ? walk->top->node : 0;
		fresh->above = caller && caller->hidden ? caller->above + 1 : 1;
		return 0;
	}
	fresh->shown = walk->depth + 1;
	set_top(walk);
	return walk->enter ? walk->enter(walk, walk->top) : 0;
}

static int pop(struct event_walk *walk, enum event_leave how)
{
	bool hidden = walk->frame[walk->frames - 1].hidden;
	int status = walk->leave && !hidden ? walk->leave(walk, walk->top, how) : 0;

	walk->frames--;
	set_top(walk);
	return status;
}

static int pop_all(struct event_walk *walk)
{
	int status = 0;

	while (walk->frames > 0 && status == 0)
		status = pop(walk, LEAVE_CUT);
	walk->unknown = 0;
	return status;
}

static int charge(struct event_walk *walk, uint64_t ns)
{
	if (walk->top)
		walk->top->self += ns;
	return ns > 0 && walk->charge ? walk->charge(walk, ns) : 0;
}

/* An event: what was used until then is the innermost frame's. */
static int charge_until(struct event_walk *walk, uint64_t at)
{
	uint64_t since = walk->last;

	walk->last = at + walk->ahead;
	walk->ahead = 0;
	return at > since ? charge(walk, at - since) : 0;
}

/* ---- events ---- */

/* The innermost frame of the method is left, with those above it. */
static int leave_method(struct event_walk *walk, uint32_t method, enum event_leave how)
{
	uint32_t frames = walk->frames;
	int status = 0;

	while (frames > 0 && walk->frame[frames - 1].method != method)
		frames--;
	if (frames == 0) {
		walk->odd++;
		return 0;
	}
	while (walk->frames >= frames && status == 0)
		status = pop(walk, how);
	return status;
}

/* Frames that are listed are the thread's now, of which it is not known since when. */
static int take_listed(struct event_walk *walk, struct stream_reader *reader, uint64_t frames,
	uint32_t listed, struct error *error)
{
	int status = pop_all(walk);

	walk->unknown = frames - listed;
	for (uint32_t i = 0; i < listed && status == 0; i++)
		status = push(walk, stream_frame(reader), false, true, error);
	return status;
}

static int tell(struct event_walk *walk, const struct stream_event *event)
{
	return walk->other ? walk->other(walk, event) : 0;
}

static int leave_top(struct event_walk *walk, enum event_leave how)
{
	if (walk->frames > 0)
		return pop(walk, how);
	if (walk->unknown > 0)
		walk->unknown--;
	else
		walk->odd++;
	return 0;
}

static int take(struct event_walk *walk, struct stream_reader *reader,
	const struct stream_event *event, struct error *error)
{
	int status = 0;

	switch (event->kind) {
	case STREAM_SPENT:
		walk->last += event->number;
		return charge(walk, event->number);
	case STREAM_SPENT_AHEAD:
		walk->ahead += event->number;
		return charge(walk, event->number);
	case STREAM_START:
		walk->last = event->at;
		walk->ahead = 0;
		return 0;
	case STREAM_FOUND:
		return push(walk, event->method, false, true, error);
	case STREAM_MOUNT:
		walk->last = event->at;
		walk->ahead = 0;
		status = tell(walk, event);
		if (status == 0)
			status = take_listed(walk, reader, event->frames, event->listed, error);
		return status == 0 ? charge(walk, event->parked) : status;
	case STREAM_UNMOUNT:
		status = pop_all(walk);
		return status == 0 ? tell(walk, event) : status;
	case STREAM_OPERATION:
	case STREAM_END:
		return tell(walk, event);
	default:
		break;
	}
	status = charge_until(walk, event->at);
	if (status != 0)
		return status;
	switch (event->kind) {
	case STREAM_ENTRY:
		return push(walk, event->method, true, false, error);
	case STREAM_EXIT:
		return leave_top(walk, LEAVE_EXIT);
	case STREAM_UNWIND:
		return leave_top(walk, LEAVE_UNWIND);
	case STREAM_EXIT_OF:
		return leave_method(walk, event->method, LEAVE_EXIT);
	case STREAM_UNWIND_OF:
		return leave_method(walk, event->method, LEAVE_UNWIND);
	default: /* STREAM_SETTLE */
		return 0;
	}
}

/* ---- blocks ---- */

static int walk_block(struct event_walk *walk, size_t place, bool follows, struct error *error)
{
	const struct profile_event_block *block = &walk->profile->event_block[place];
	struct stream_reader reader;
	struct stream_event event;
	struct profile_bytes bytes;
	uint64_t frames, since = walk->at;
	uint32_t listed;
	int status = profile_events(walk->profile, place, &bytes, error), next;

	if (status < 0)
		return status;
	if (stream_open(&reader, bytes.bytes, bytes.size, block->first, &frames, &listed) < 0) {
		walk->damaged++;
		return 0;
	}
	if (!follows) {
		walk->lost += block->lost;
		status = pop_all(walk);
		walk->at = walk->last = block->first;
		walk->ahead = 0;
		if (status == 0 && walk->gap)
			status = walk->gap(walk, block->lost, since);
		if (status == 0)
			status = take_listed(walk, &reader, frames, listed, error);
	}
	while (status == 0 && (next = stream_next(&reader, &event)) != 0) {
		if (next < 0) {
			walk->damaged++;
			return pop_all(walk);
		}
		walk->events++;
		walk->at = event.at;
		status = take(walk, &reader, &event, error);
	}
	return status;
}

static int by_thread(const void *left, const void *right, void *profile)
{
	const struct profile_event_block *block =
						 ((const struct profile *)profile)->event_block,
					 *a = &block[*(const uint32_t *)left],
					 *b = &block[*(const uint32_t *)right];

	if (a->thread != b->thread)
		return a->thread < b->thread ? -1 : 1;
	return (a->number > b->number) - (a->number < b->number);
}

/* Places, by thread and number; owned. NULL without memory. */
static uint32_t *sort_blocks(const struct profile *profile)
{
	uint32_t *places = calloc(profile->event_block_count + 1, sizeof(*places));

	for (size_t i = 0; places && i < profile->event_block_count; i++)
		places[i] = (uint32_t)i;
	if (places)
		qsort_r(places, profile->event_block_count, sizeof(*places), by_thread,
			(void *)profile);
	return places;
}

/* The blocks of one thread. Returns how many of `count` those are. */
static size_t walk_thread(struct event_walk *walk, const uint32_t *place, size_t count,
	int *status, struct error *error)
{
	const struct profile_event_block *blocks = walk->profile->event_block;
	uint32_t thread = blocks[place[0]].thread, number = 0;
	bool wanted = !walk->wants || walk->wants(walk->user, thread);
	size_t i = 0;

	walk->thread = thread;
	walk->at = walk->last = 0;
	for (; i < count && blocks[place[i]].thread == thread; i++) {
		const struct profile_event_block *block = &blocks[place[i]];

		if (!wanted || *status != 0 || block->last < walk->from ||
			block->first > walk->to)
			continue;
		*status = walk_block(walk, place[i],
			number != 0 && block->number == number + 1 && block->lost == 0, error);
		number = block->number;
	}
	if (*status == 0)
		*status = pop_all(walk);
	return i;
}

int event_walk(struct event_walk *walk, struct error *error)
{
	const struct profile *profile = walk->profile;
	uint32_t *place = sort_blocks(profile);
	int status = 0;

	if (!place)
		return no_memory(error);
	for (size_t at = 0; at < profile->event_block_count && status == 0;)
		at += walk_thread(
			walk, place + at, profile->event_block_count - at, &status, error);
	free(place);
	return status;
}

void event_walk_fini(struct event_walk *walk)
{
	free(walk->frame);
	walk->frame = NULL;
}
