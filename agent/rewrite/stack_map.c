/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/*
 * stack_map: frames in, frames out.
 */
#include "agent/rewrite/stack_map.h"

/* The attribute being written. */
struct stack_map {
	struct writer *out;
	const struct code *code;
	uint32_t place; /* of the last frame */
	uint32_t count;
};

static uint32_t frame_delta(struct stack_map *map, uint32_t place)
{
	uint32_t delta = map->count == 0 ? place : place - map->place - 1;

	map->place = place;
	map->count++;
	return delta;
}

/* A frame that has its delta in its type while that is small, and its longer form. */
static void frame_head(
	struct stack_map *map, uint8_t small, uint8_t extended, uint32_t delta)
{
	if (delta <= FRAME_SAME_LAST) {
		write_u1(map->out, small + delta);
	} else {
		write_u1(map->out, extended);
		write_u2(map->out, delta);
	}
}

static void full_head(struct stack_map *map, uint32_t place)
{
	write_u1(map->out, FRAME_FULL);
	write_u2(map->out, frame_delta(map, place));
}

static void frame_copy(
	struct stack_map *map, struct frames *frames, const struct frame *frame)
{
	uint32_t delta = frame_delta(map, map->code->label[frame->pc]);

	switch (frame->kind) {
	case FRAME_SAME:
	case FRAME_SAME_EXTENDED:
		frame_head(map, FRAME_SAME, FRAME_SAME_EXTENDED, delta);
		break;
	case FRAME_ITEM:
	case FRAME_ITEM_EXTENDED:
		frame_head(map, FRAME_ITEM, FRAME_ITEM_EXTENDED, delta);
		frames_copy_types(frames, 1, map->out);
		break;
	default:
		write_u1(map->out, frame->kind);
		write_u2(map->out, delta);
		if (frame->kind == FRAME_FULL) {
			frames_copy_counted(frames, map->out);
			frames_copy_counted(frames, map->out);
		} else if (frame->kind > FRAME_SAME_EXTENDED) {
			frames_copy_types(
				frames, frame->kind - FRAME_SAME_EXTENDED, map->out);
		}
	}
}

static enum rewrite_reason frames_write(struct stack_map *map, struct reader in)
{
	struct frames frames = frames_of(in, map->code);
	struct frame frame;

	while (frames_next(&frames, &frame))
		frame_copy(map, &frames, &frame);
	return frames_done(&frames) ? REWRITE_OK : REWRITE_MALFORMED;
}

/* The frame at an island is that of its target. */
static enum rewrite_reason island_frame(struct stack_map *map,
	const struct full_frames *full, const struct island *island)
{
	const struct full_frame *frame = full_frames_at(full, island->target);

	if (!frame)
		return REWRITE_BRANCH;
	full_head(map, island->at);
	return full_frame_write(full, frame, map->code, map->out) ? REWRITE_OK
								  : REWRITE_MALFORMED;
}

static enum rewrite_reason full_frames_write(
	struct stack_map *map, const struct full_frames *full)
{
	const struct code *code = map->code;
	enum rewrite_reason reason = REWRITE_OK;
	uint32_t island = 0;

	for (uint32_t i = 0; i <= full->count && reason == REWRITE_OK; i++) {
		const struct full_frame *frame = i < full->count ? &full->frame[i] : NULL;

		while (island < code->islands && reason == REWRITE_OK &&
			(!frame || code->island[island].pc <= frame->pc))
			reason = island_frame(map, full, &code->island[island++]);
		if (!frame || reason != REWRITE_OK)
			break;
		full_head(map, code->label[frame->pc]);
		if (!full_frame_write(full, frame, code, map->out))
			reason = REWRITE_MALFORMED;
	}
	return reason;
}

static void handler_frame(struct stack_map *map, const struct handlers *handlers,
	enum handler handler, uint16_t throwable)
{
	if (!handlers->used[handler])
		return;
	full_head(map, handlers->at[handler]);
	write_u2(map->out, handler == HANDLER_BEFORE);
	if (handler == HANDLER_BEFORE)
		write_u1(map->out, TYPE_UNINITIALIZED_THIS);
	write_u2(map->out, 1);
	write_u1(map->out, TYPE_OBJECT);
	write_u2(map->out, throwable);
}

enum rewrite_reason stack_map_write(struct reader in, const struct full_frames *full,
	const struct code *code, const struct handlers *handlers, uint16_t throwable,
	struct writer *out)
{
	struct stack_map map = {.out = out, .code = code};
	size_t count_at = out->size;
	enum rewrite_reason reason;

	write_u2(out, 0);
	reason = full ? full_frames_write(&map, full) : frames_write(&map, in);
	if (reason != REWRITE_OK)
		return reason;
	for (enum handler handler = 0; handler < HANDLERS; handler++)
		handler_frame(&map, handlers, handler, throwable);
	if (map.count > UINT16_MAX)
		return REWRITE_TABLE;
	patch_u2(out, count_at, map.count);
	return out->failed ? REWRITE_MEMORY : REWRITE_OK;
}

/* Skips a frame's types, and follows how many locals there are and what the first is. */
static void frame_skip(struct frames *frames, const struct frame *frame, uint32_t *locals,
	uint8_t *first)
{
	uint32_t count;
	uint8_t type;

	if (frame->kind == FRAME_ITEM || frame->kind == FRAME_ITEM_EXTENDED) {
		frames_skip_types(frames, 1);
	} else if (frame->kind == FRAME_FULL) {
		*locals = read_u2(&frames->in);
		*first = frames_skip_types(frames, *locals);
		frames_skip_types(frames, read_u2(&frames->in));
	} else if (frame->kind > FRAME_SAME_EXTENDED) {
		count = frame->kind - FRAME_SAME_EXTENDED;
		type = frames_skip_types(frames, count);
		if (*locals == 0)
			*first = type;
		*locals += count;
	} else if (frame->kind >= FRAME_CHOP_FIRST && frame->kind < FRAME_SAME_EXTENDED) {
		count = FRAME_SAME_EXTENDED - frame->kind;
		*locals = *locals > count ? *locals - count : 0;
		if (*locals == 0)
			*first = 0;
	}
}

void stack_map_mark_hidden(struct reader in, const struct code *code, uint32_t locals,
	uint8_t *mark, uint8_t bit)
{
	struct frames frames = frames_of(in, code);
	uint8_t first = TYPE_UNINITIALIZED_THIS;
	struct frame frame;

	while (frames_next(&frames, &frame)) {
		frame_skip(&frames, &frame, &locals, &first);
		if (first != TYPE_UNINITIALIZED_THIS)
			mark[frame.pc] |= bit;
	}
}
