/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/*
 * frame: reading the frames of a StackMapTable (JVM specification, 4.7.4).
 */
#ifndef JPROF_REWRITE_FRAME_H
#define JPROF_REWRITE_FRAME_H

#include "agent/rewrite/code.h"

/* frame_type. */
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

/* Verification types. */
enum {
	TYPE_INTEGER = 1,
	TYPE_FLOAT = 2,
	TYPE_DOUBLE = 3,
	TYPE_LONG = 4,
	TYPE_UNINITIALIZED_THIS = 6,
	TYPE_OBJECT = 7,       /* with the index of a class */
	TYPE_UNINITIALIZED = 8 /* with the pc of its `new` */
};

/* A frame without its types, which follow in the reader. */
struct frame {
	uint32_t pc;
	uint8_t kind; /* its frame_type, without the delta that some hold */
};

/* The frames not yet read. */
struct frames {
	struct reader in;
	const struct code *code; /* borrowed */
	uint32_t left;           /* not yet read */
	uint32_t pc;             /* of the last one read */
	bool first;
	bool failed; /* malformed */
};

/* Of the contents of the attribute; of no frames, if it is empty. */
struct frames frames_of(struct reader in, const struct code *code);

/* The next frame. False: there is none, or it is malformed. */
bool frames_next(struct frames *frames, struct frame *frame);

/* True if all frames were read, and nothing is left. */
bool frames_done(const struct frames *frames);

/* Skips verification types; the first of them, 0 if there is none. */
uint8_t frames_skip_types(struct frames *frames, uint32_t count);

/* Copies verification types; places in the code become those of the new code. */
void frames_copy_types(struct frames *frames, uint32_t count, struct writer *out);

/* The same, of as many as the next two bytes say. */
void frames_copy_counted(struct frames *frames, struct writer *out);

#endif
