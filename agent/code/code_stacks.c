/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/* code_stacks: see code_stacks.h. */
#include "agent/code/code_stacks.h"

#include <stdlib.h>
#include <string.h>

void code_stacks_begin(struct code_stacks *stacks)
{
	struct code_places *places = &stacks->places;

	stacks->failed = false;
	stacks->depth = 0;
	places->places = 0;
	places->frames = 1;
	if (stacks->slot && stacks->frame_room > 0) {
		memset(stacks->slot, 0, stacks->slots * sizeof(*stacks->slot));
		places->frame[0] = (struct code_frame){0};
		return;
	}
	stacks->frame_room = 256;
	stacks->slots = 1024;
	places->frame = calloc(stacks->frame_room, sizeof(*places->frame));
	stacks->slot = calloc(stacks->slots, sizeof(*stacks->slot));
	stacks->failed = !places->frame || !stacks->slot;
}

static uint32_t hash(const struct code_frame *frame)
{
	uint64_t number = frame->outer * UINT64_C(0x9e3779b97f4a7c15) +
			  (((uint64_t)frame->method << 32 | frame->line) ^ frame->line << 7) *
				  UINT64_C(0xff51afd7ed558ccd);

	return (uint32_t)(number >> 32);
}

static bool is_same(const struct code_frame *a, const struct code_frame *b)
{
	return a->outer == b->outer && a->method == b->method && a->line == b->line;
}

static uint32_t *slot_of(struct code_stacks *stacks, const struct code_frame *frame)
{
	uint32_t at = hash(frame);

	while (stacks->slot[at & (stacks->slots - 1)] &&
		!is_same(&stacks->places.frame[stacks->slot[at & (stacks->slots - 1)]], frame))
		at++;
	return &stacks->slot[at & (stacks->slots - 1)];
}

/* Room for twice as many frames. */
static bool grow(struct code_stacks *stacks)
{
	struct code_places *places = &stacks->places;
	struct code_frame *frame =
		realloc(places->frame, 2 * stacks->frame_room * sizeof(*frame));
	uint32_t *slot = calloc(2 * stacks->slots, sizeof(*slot));

	if (frame) {
		places->frame = frame;
		stacks->frame_room *= slot ? 2 : 1;
	}
	if (!frame || !slot) {
		free(slot);
		return false;
	}
	free(stacks->slot);
	stacks->slot = slot;
	stacks->slots *= 2;
	for (uint32_t i = 1; i < places->frames; i++)
		*slot_of(stacks, &places->frame[i]) = i;
	return true;
}

/* The frame's number, 0 without memory. */
static uint32_t find(struct code_stacks *stacks, const struct code_frame *frame)
{
	struct code_places *places = &stacks->places;
	uint32_t *slot = slot_of(stacks, frame);

	if (*slot)
		return *slot;
	if (places->frames == stacks->frame_room) {
		if (!grow(stacks)) {
			stacks->failed = true;
			return 0;
		}
		slot = slot_of(stacks, frame);
	}
	places->frame[places->frames] = *frame;
	*slot = places->frames++;
	return *slot;
}

static void add_place(struct code_stacks *stacks, const struct code_place *place)
{
	struct code_places *places = &stacks->places;
	struct code_place *last = places->places ? &places->place[places->places - 1] : NULL;

	if (last && last->frame == place->frame && last->line == place->line) {
		last->offset = place->offset;
		return;
	}
	if (places->places == stacks->place_room) {
		uint32_t room = stacks->place_room ? 2 * stacks->place_room : 512;
		struct code_place *grown = realloc(places->place, room * sizeof(*grown));

		if (!grown) {
			stacks->failed = true;
			return;
		}
		places->place = grown;
		stacks->place_room = room;
	}
	places->place[places->places++] = *place;
}

void code_stacks_add(struct code_stacks *stacks, uint32_t offset,
	const struct code_position *position, unsigned depth)
{
	const struct code_places *places = &stacks->places;
	unsigned same = 0;

	if (stacks->failed ||
		(places->places > 0 && offset <= places->place[places->places - 1].offset))
		return;
	if (depth > CODE_DEPTH)
		depth = CODE_DEPTH;
	/* A frame is told by the method, and by the line of each call on the way to it. */
	while (same < depth && same < stacks->depth &&
		position[same].method == stacks->last[same].method &&
		(same == 0 || position[same - 1].line == stacks->last[same - 1].line))
		same++;
	for (unsigned i = same; i < depth; i++)
		stacks->frame[i] = i == 0 ? 0
					  : find(stacks, &(struct code_frame){
								 .outer = stacks->frame[i - 1],
								 .line = position[i - 1].line,
								 .method = position[i].method});
	memcpy(stacks->last, position, depth * sizeof(*position));
	stacks->depth = depth;
	add_place(stacks, &(struct code_place){
				  offset, stacks->frame[depth - 1], position[depth - 1].line});
}

void code_stacks_fini(struct code_stacks *stacks)
{
	code_places_fini(&stacks->places);
	free(stacks->slot);
	*stacks = (struct code_stacks){0};
}
