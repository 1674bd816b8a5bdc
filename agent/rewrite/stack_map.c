/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/*
 * stack_map: frames in, frames out.
 */
#include "agent/rewrite/stack_map.h"

/* frame_type (4.7.4). */
enum {
	FRAME_SAME = 0, /* to FRAME_SAME_LAST, by delta */
	FRAME_SAME_LAST = 63,
	FRAME_ITEM = 64, /* same_locals_1_stack_item_frame, the same way */
	FRAME_ITEM_LAST = 127,
	FRAME_ITEM_EXTENDED = 247,
	FRAME_CHOP_FIRST = 248, /* the others by how many locals */
	FRAME_SAME_EXTENDED = 251,
	FRAME_FULL = 255
};

struct stack_map {
	struct reader in;
	struct writer *out;
	const struct code *code;
	uint32_t pc;    /* of the last frame read */
	uint32_t read;  /* frames read */
	uint32_t place; /* of the last frame written */
	uint32_t count; /* frames written */
	bool failed;
};

struct frame {
	uint32_t pc;
	uint8_t kind; /* its frame_type, without the delta that some hold */
};

/* The first frame's delta is its place, the others' are one less than the distance. */
static uint32_t frame_delta(struct stack_map *map, uint32_t place)
{
	uint32_t delta = map->count == 0 ? place : place - map->place - 1;

	map->place = place;
	map->count++;
	return delta;
}

/* Copies verification types. */
static void types_copy(struct stack_map *map, uint32_t count)
{
	while (count-- > 0 && !map->in.failed) {
		uint8_t type = read_u1(&map->in);

		write_u1(map->out, type);
		if (type == TYPE_OBJECT) {
			write_u2(map->out, read_u2(&map->in));
		} else if (type == TYPE_UNINITIALIZED) {
			uint16_t pc = read_u2(&map->in);

			map->failed |= !code_begins(map->code, pc);
			write_u2(map->out, map->failed ? 0 : code_instruction(map->code, pc));
		} else {
			map->failed |= type > TYPE_UNINITIALIZED;
		}
	}
}

/* The number of types that follow is in the frame. */
static void types_copy_counted(struct stack_map *map)
{
	uint16_t count = read_u2(&map->in);

	write_u2(map->out, count);
	types_copy(map, count);
}

/* A frame with its distance in its type, and one with it behind: one becomes the other
 * when the distance outgrows the first. */
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

/* Reads a frame up to its types. False: malformed. */
static bool frame_read(struct stack_map *map, struct frame *frame)
{
	uint8_t type = read_u1(&map->in);
	uint32_t delta = type & FRAME_SAME_LAST;

	frame->kind = type <= FRAME_ITEM_LAST ? type & ~FRAME_SAME_LAST : type;
	if (type >= FRAME_ITEM_EXTENDED)
		delta = read_u2(&map->in);
	else if (type > FRAME_ITEM_LAST)
		return false;
	map->pc = map->read++ == 0 ? delta : map->pc + delta + 1;
	frame->pc = map->pc;
	return !map->in.failed && code_begins(map->code, map->pc);
}

static void frame_copy(struct stack_map *map)
{
	struct frame frame;
	uint32_t delta;

	if (!frame_read(map, &frame)) {
		map->failed = true;
		return;
	}
	delta = frame_delta(map, map->code->label[frame.pc]);
	switch (frame.kind) {
	case FRAME_SAME:
	case FRAME_SAME_EXTENDED:
		frame_head(map, FRAME_SAME, FRAME_SAME_EXTENDED, delta);
		break;
	case FRAME_ITEM:
	case FRAME_ITEM_EXTENDED:
		frame_head(map, FRAME_ITEM, FRAME_ITEM_EXTENDED, delta);
		types_copy(map, 1);
		break;
	default:
		write_u1(map->out, frame.kind);
		write_u2(map->out, delta);
		if (frame.kind == FRAME_FULL) {
			types_copy_counted(map);
			types_copy_counted(map);
		} else if (frame.kind > FRAME_SAME_EXTENDED) {
			types_copy(map, frame.kind - FRAME_SAME_EXTENDED);
		}
	}
}

/* Skips types; the first of them, 0 if there is none. */
static uint8_t types_skip(struct stack_map *map, uint32_t count)
{
	uint8_t first = 0;

	for (uint32_t i = 0; i < count && !map->in.failed; i++) {
		uint8_t type = read_u1(&map->in);

		if (i == 0)
			first = type;
		if (type == TYPE_OBJECT || type == TYPE_UNINITIALIZED)
			read_u2(&map->in);
	}
	return first;
}

/* Skips a frame's types, and follows how many locals there are and what the first is. */
static void frame_skip(struct stack_map *map, const struct frame *frame, uint32_t *locals,
	uint8_t *first)
{
	uint32_t more;

	if (frame->kind == FRAME_ITEM || frame->kind == FRAME_ITEM_EXTENDED) {
		types_skip(map, 1);
	} else if (frame->kind == FRAME_FULL) {
		*locals = read_u2(&map->in);
		*first = types_skip(map, *locals);
		types_skip(map, read_u2(&map->in));
	} else if (frame->kind > FRAME_SAME_EXTENDED) {
		more = frame->kind - FRAME_SAME_EXTENDED;
		if (*locals == 0)
			*first = types_skip(map, more);
		else
			types_skip(map, more);
		*locals += more;
	} else if (frame->kind >= FRAME_CHOP_FIRST) {
		more = FRAME_SAME_EXTENDED - frame->kind;
		*locals = *locals > more ? *locals - more : 0;
		if (*locals == 0)
			*first = 0;
	}
}

void stack_map_mark_hidden(struct reader frames, const struct code *code, uint32_t locals,
	uint8_t *mark, uint8_t bit)
{
	struct stack_map map = {.in = frames, .code = code};
	uint32_t count = reader_left(&frames) ? read_u2(&map.in) : 0;
	uint8_t first = TYPE_UNINITIALIZED_THIS;
	struct frame frame;

	while (count-- > 0 && frame_read(&map, &frame)) {
		frame_skip(&map, &frame, &locals, &first);
		if (first != TYPE_UNINITIALIZED_THIS)
			mark[frame.pc] |= bit;
	}
}

static void handler_frame(struct stack_map *map, const struct handlers *handlers,
	enum handler handler, uint16_t throwable)
{
	if (!handlers->used[handler])
		return;
	write_u1(map->out, FRAME_FULL);
	write_u2(map->out, frame_delta(map, handlers->at[handler]));
	write_u2(map->out, handler == HANDLER_BEFORE);
	if (handler == HANDLER_BEFORE)
		write_u1(map->out, TYPE_UNINITIALIZED_THIS);
	write_u2(map->out, 1);
	write_u1(map->out, TYPE_OBJECT);
	write_u2(map->out, throwable);
}

enum rewrite_reason stack_map_write(struct reader frames, const struct code *code,
	const struct handlers *handlers, uint16_t throwable, struct writer *out)
{
	struct stack_map map = {.in = frames, .out = out, .code = code};
	size_t count_at = out->size;
	uint32_t count = reader_left(&frames) ? read_u2(&map.in) : 0;

	write_u2(out, 0);
	while (count-- > 0 && !map.failed && !map.in.failed)
		frame_copy(&map);
	if (map.failed || !reader_done(&map.in))
		return REWRITE_MALFORMED;
	for (enum handler handler = 0; handler < HANDLERS; handler++)
		handler_frame(&map, handlers, handler, throwable);
	if (map.count > UINT16_MAX)
		return REWRITE_TABLE;
	patch_u2(out, count_at, map.count);
	return out->failed ? REWRITE_MEMORY : REWRITE_OK;
}
