/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/* stack_map: frames in, frames out. */
#include "agent/rewrite/stack_map.h"

struct frames frames_of(struct reader in, const struct code *code)
{
	struct frames frames = {.in = in, .code = code, .first = true};

	if (reader_left(&in))
		frames.left = read_u2(&frames.in);
	return frames;
}

bool frames_next(struct frames *frames, struct frame *frame)
{
	uint8_t type;
	uint32_t delta;

	if (frames->left == 0 || frames->failed || frames->in.failed)
		return false;
	frames->left--;
	type = read_u1(&frames->in);
	delta = type & FRAME_SAME_LAST;
	*frame = (struct frame){.kind = type};
	if (type <= FRAME_ITEM_LAST)
		frame->kind = type & ~FRAME_SAME_LAST;
	else if (type >= FRAME_ITEM_EXTENDED)
		delta = read_u2(&frames->in);
	else
		frames->failed = true;
	if (type == FRAME_SAME_EXTENDED)
		frame->kind = FRAME_SAME;
	else if (type == FRAME_ITEM_EXTENDED)
		frame->kind = FRAME_ITEM;
	else if (type >= FRAME_CHOP_FIRST && type < FRAME_SAME_EXTENDED)
		frame->chopped = FRAME_SAME_EXTENDED - type;
	else if (type > FRAME_SAME_EXTENDED && type < FRAME_FULL)
		frame->appended = type - FRAME_SAME_EXTENDED;
	frame->stack_item = frame->kind == FRAME_ITEM;
	/* The first one's delta is its place, the others' are one less than the distance.
	 */
	frames->pc = frames->first ? delta : frames->pc + delta + 1;
	frames->first = false;
	frame->pc = frames->pc;
	frames->failed |= frames->in.failed || !code_begins(frames->code, frames->pc);
	return !frames->failed;
}

uint8_t frames_type(struct frames *frames)
{
	uint8_t type = read_u1(&frames->in);

	if (type == TYPE_OBJECT || type == TYPE_UNINITIALIZED)
		read_u2(&frames->in);
	frames->failed |= type > TYPE_UNINITIALIZED || frames->in.failed;
	return type;
}

/* Copies verification types; places in the code become those of the new code. */
static void types_copy(struct frames *frames, uint32_t count, struct writer *out)
{
	while (count-- > 0 && !frames->failed) {
		const uint8_t *from = frames->in.at;
		uint8_t type = frames_type(frames);
		uint32_t pc = type == TYPE_UNINITIALIZED ? get_u2(frames->in.at - 2) : 0;

		if (type != TYPE_UNINITIALIZED) {
			write_copy(out, from, (size_t)(frames->in.at - from));
			continue;
		}
		frames->failed |= !code_begins(frames->code, pc);
		write_u1(out, type);
		write_u2(out, frames->failed ? 0 : code_instruction(frames->code, pc));
	}
}

/* The same, of as many as the next two bytes say. */
static void counted_types_copy(struct frames *frames, struct writer *out)
{
	uint32_t count = read_u2(&frames->in);

	write_u2(out, count);
	types_copy(frames, count, out);
}

/* The frames that are being written. */
struct stack_map {
	struct writer *out;
	uint32_t place; /* of the last one, in the new code */
	uint32_t count;
};

/* FRAME_SAME and FRAME_ITEM have their delta in the type while it is small, or a longer
 * form. */
static void frame_head(struct stack_map *map, uint8_t kind, uint32_t place)
{
	uint32_t delta = map->count == 0 ? place : place - map->place - 1;

	map->place = place;
	map->count++;
	if (kind <= FRAME_ITEM && delta <= FRAME_SAME_LAST) {
		write_u1(map->out, kind + delta);
		return;
	}
	if (kind <= FRAME_ITEM)
		kind = kind == FRAME_SAME ? FRAME_SAME_EXTENDED : FRAME_ITEM_EXTENDED;
	write_u1(map->out, kind);
	write_u2(map->out, delta);
}

enum rewrite_reason stack_map_write(struct reader in, const struct code *code,
	const struct handlers *handlers, uint16_t throwable, struct writer *out)
{
	struct stack_map map = {.out = out};
	struct frames frames = frames_of(in, code);
	size_t count_at = out->size;
	struct frame frame;

	write_u2(out, 0);
	while (frames_next(&frames, &frame)) {
		frame_head(&map, frame.kind, code->label[frame.pc]);
		types_copy(&frames, (uint32_t)frame.appended + frame.stack_item, out);
		if (frame.kind == FRAME_FULL) {
			counted_types_copy(&frames, out);
			counted_types_copy(&frames, out);
		}
	}
	if (frames.failed || frames.left > 0 || !reader_done(&frames.in))
		return REWRITE_MALFORMED;
	for (enum handler handler = 0; handler < HANDLERS; handler++) {
		bool has_this = handler == HANDLER_UNINITIALIZED;

		if (!handlers->used[handler])
			continue;
		frame_head(&map, FRAME_FULL, handlers->at[handler]);
		write_u2(out, has_this);
		if (has_this)
			write_u1(out, TYPE_UNINITIALIZED_THIS);
		write_u2(out, 1);
		write_u1(out, TYPE_OBJECT);
		write_u2(out, throwable);
	}
	if (map.count > UINT16_MAX)
		return REWRITE_TABLE;
	patch_u2(out, count_at, map.count);
	return out->failed ? REWRITE_MEMORY : REWRITE_OK;
}
