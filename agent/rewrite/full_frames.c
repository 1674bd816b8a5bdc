/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/*
 * full_frames: following what each frame changes.
 */
#include "agent/rewrite/full_frames.h"

#include "agent/rewrite/descriptor.h"

enum {
	/* Bytes of all frames: their number times their locals may be large. */
	FULL_MAX = 8 << 20
};

/* A type of the method's first frame. */
static bool first_local_add(struct full_frames *full, uint32_t type, uint16_t index)
{
	write_u1(&full->locals, type);
	if (type == TYPE_OBJECT)
		write_u2(&full->locals, index);
	full->locals_count++;
	return !full->locals.failed && (type != TYPE_OBJECT || index != 0);
}

/* The index of the class of an argument: "Lcom/acme/Foo;", or an array's whole descriptor. */
static uint16_t argument_class(struct constants *constants, struct text type)
{
	if (type.chars[0] == 'L')
		type = (struct text){type.chars + 1, (uint16_t)(type.length - 2)};
	return constants_add_class_text(constants, type);
}

static bool first_argument_add(
	struct full_frames *full, struct constants *constants, struct text type)
{
	switch (type.chars[0]) {
	case 'F':
		return first_local_add(full, TYPE_FLOAT, 0);
	case 'D':
		return first_local_add(full, TYPE_DOUBLE, 0);
	case 'J':
		return first_local_add(full, TYPE_LONG, 0);
	case 'L':
	case '[':
		return first_local_add(
			full, TYPE_OBJECT, argument_class(constants, type));
	default:
		return first_local_add(full, TYPE_INTEGER, 0);
	}
}

static enum rewrite_reason first_locals(
	struct full_frames *full, const struct frame_method *method)
{
	struct descriptor_arguments arguments;
	struct text type;
	bool done = true;

	if (method->constructor)
		done = first_local_add(full, TYPE_UNINITIALIZED_THIS, 0);
	else if (!method->is_static)
		done = first_local_add(full, TYPE_OBJECT, method->this_class);
	if (!descriptor_arguments_begin(method->descriptor, &arguments))
		return REWRITE_MALFORMED;
	while (done && descriptor_arguments_next(&arguments, &type))
		done = first_argument_add(full, method->constants, type);
	if (full->locals.failed)
		return REWRITE_MEMORY;
	return done ? REWRITE_OK : constants_why(method->constants);
}

/* Copies types as they are, and returns how many bytes they are. */
static void types_take(struct frames *frames, uint32_t count, struct writer *to)
{
	const uint8_t *from = frames->in.at;

	frames_skip_types(frames, count);
	write_copy(to, from, (size_t)(frames->in.at - from));
}

/* Takes the last locals away. */
static bool locals_chop(struct full_frames *full, uint32_t count)
{
	struct frames locals = {.in = reader_of(full->locals.bytes, full->locals.size)};

	if (count > full->locals_count)
		return false;
	full->locals_count -= count;
	frames_skip_types(&locals, full->locals_count);
	full->locals.size = (size_t)(locals.in.at - full->locals.bytes);
	return true;
}

/* Makes the locals those of the frame. */
static bool locals_follow(
	struct full_frames *full, struct frames *frames, const struct frame *frame)
{
	uint32_t count;

	if (frame->kind == FRAME_FULL) {
		full->locals.size = 0;
		full->locals_count = count = read_u2(&frames->in);
	} else if (frame->kind > FRAME_SAME_EXTENDED) {
		count = frame->kind - FRAME_SAME_EXTENDED;
		full->locals_count += count;
	} else if (frame->kind >= FRAME_CHOP_FIRST && frame->kind < FRAME_SAME_EXTENDED) {
		return locals_chop(full, FRAME_SAME_EXTENDED - frame->kind);
	} else {
		return true;
	}
	types_take(frames, count, &full->locals);
	return full->locals_count <= UINT16_MAX;
}

static enum rewrite_reason frame_add(
	struct full_frames *full, struct frames *frames, const struct frame *frame)
{
	size_t at = full->bytes.size;
	uint32_t stack = 0;

	if (!scratch_grow((void **)&full->frame, &full->capacity, full->count + 1,
		    full->count, sizeof(*full->frame)))
		return REWRITE_MEMORY;
	if (!locals_follow(full, frames, frame))
		return REWRITE_MALFORMED;
	write_u2(&full->bytes, full->locals_count);
	write_copy(&full->bytes, full->locals.bytes, full->locals.size);
	if (frame->kind == FRAME_ITEM || frame->kind == FRAME_ITEM_EXTENDED)
		stack = 1;
	else if (frame->kind == FRAME_FULL)
		stack = read_u2(&frames->in);
	write_u2(&full->bytes, stack);
	types_take(frames, stack, &full->bytes);
	full->frame[full->count++] =
		(struct full_frame){frame->pc, at, full->bytes.size - at};
	if (full->bytes.failed || full->locals.failed)
		return REWRITE_MEMORY;
	return full->bytes.size > FULL_MAX ? REWRITE_BRANCH : REWRITE_OK;
}

enum rewrite_reason full_frames_init(struct full_frames *full, struct reader in,
	const struct code *code, const struct frame_method *method)
{
	struct frames frames = frames_of(in, code);
	enum rewrite_reason reason = first_locals(full, method);
	struct frame frame;

	while (reason == REWRITE_OK && frames_next(&frames, &frame))
		reason = frame_add(full, &frames, &frame);
	if (reason == REWRITE_OK && !frames_done(&frames))
		reason = REWRITE_MALFORMED;
	return reason;
}

void full_frames_fini(struct full_frames *full)
{
	free(full->frame);
	free(full->bytes.bytes);
	free(full->locals.bytes);
}

const struct full_frame *full_frames_at(const struct full_frames *full, uint32_t pc)
{
	uint32_t low = 0, high = full->count;

	while (low < high) {
		uint32_t middle = low + (high - low) / 2;

		if (full->frame[middle].pc < pc)
			low = middle + 1;
		else
			high = middle;
	}
	return low < full->count && full->frame[low].pc == pc ? &full->frame[low] : NULL;
}

bool full_frame_write(const struct full_frames *full, const struct full_frame *frame,
	const struct code *code, struct writer *out)
{
	struct frames types = {
		.in = reader_of(full->bytes.bytes + frame->at, frame->size),
		.code = code,
	};

	frames_copy_counted(&types, out);
	frames_copy_counted(&types, out);
	return !types.failed;
}
