/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/*
 * frame: reading frames.
 */
#include "agent/rewrite/frame.h"

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
	frame->kind = type <= FRAME_ITEM_LAST ? type & ~FRAME_SAME_LAST : type;
	if (type >= FRAME_ITEM_EXTENDED)
		delta = read_u2(&frames->in);
	else if (type > FRAME_ITEM_LAST)
		frames->failed = true;
	/* The first one's delta is its place, the others' are one less than the distance. */
	frames->pc = frames->first ? delta : frames->pc + delta + 1;
	frames->first = false;
	frame->pc = frames->pc;
	frames->failed |= frames->in.failed || !code_begins(frames->code, frames->pc);
	return !frames->failed;
}

bool frames_done(const struct frames *frames)
{
	return !frames->failed && frames->left == 0 && reader_done(&frames->in);
}

uint8_t frames_skip_types(struct frames *frames, uint32_t count)
{
	uint8_t first = 0;

	for (uint32_t i = 0; i < count && !frames->in.failed; i++) {
		uint8_t type = read_u1(&frames->in);

		if (i == 0)
			first = type;
		if (type == TYPE_OBJECT || type == TYPE_UNINITIALIZED)
			read_u2(&frames->in);
		frames->failed |= type > TYPE_UNINITIALIZED;
	}
	return first;
}

void frames_copy_types(struct frames *frames, uint32_t count, struct writer *out)
{
	while (count-- > 0 && !frames->in.failed) {
		uint8_t type = read_u1(&frames->in);

		write_u1(out, type);
		if (type == TYPE_OBJECT) {
			write_u2(out, read_u2(&frames->in));
		} else if (type == TYPE_UNINITIALIZED) {
			uint16_t pc = read_u2(&frames->in);

			frames->failed |= !code_begins(frames->code, pc);
			write_u2(out,
				frames->failed ? 0 : code_instruction(frames->code, pc));
		} else {
			frames->failed |= type > TYPE_UNINITIALIZED;
		}
	}
}

void frames_copy_counted(struct frames *frames, struct writer *out)
{
	uint32_t count = read_u2(&frames->in);

	write_u2(out, count);
	frames_copy_types(frames, count, out);
}
