/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/*
 * full_frames: the frames of one method, each with all its locals, as islands need them: an
 * island's frame is that of its target, wherever that is, and what comes behind it cannot be
 * told as a difference to it.
 */
#ifndef JPROF_REWRITE_FULL_FRAMES_H
#define JPROF_REWRITE_FULL_FRAMES_H

#include "agent/rewrite/constants.h"
#include "agent/rewrite/frame.h"

/* What a method begins with (JVM specification, 4.10.1.6). */
struct frame_method {
	struct constants *constants; /* borrowed; the classes of arguments are added */
	struct text descriptor;
	uint16_t this_class; /* index */
	bool is_static;
	bool constructor; /* `this` is not initialised */
};

struct full_frame {
	uint32_t pc;
	size_t at, size; /* of its locals and stack, with their counts */
};

struct full_frames {
	struct full_frame *frame; /* by rising pc; owned */
	uint32_t count, capacity;
	struct writer bytes; /* the types; places in the code are those of the old code */
	struct writer locals; /* the last frame's */
	uint32_t locals_count;
};

/* Reads the contents of a StackMapTable into zero-initialised frames. The caller ends with
 * full_frames_fini in any case. */
enum rewrite_reason full_frames_init(struct full_frames *full, struct reader in,
	const struct code *code, const struct frame_method *method);
void full_frames_fini(struct full_frames *full);

/* The frame of the instruction at pc, NULL if it has none. */
const struct full_frame *full_frames_at(const struct full_frames *full, uint32_t pc);

/* Writes a frame's locals and stack, with places of the new code. False: it names places
 * where no instruction begins. */
bool full_frame_write(const struct full_frames *full, const struct full_frame *frame,
	const struct code *code, struct writer *out);

#endif
