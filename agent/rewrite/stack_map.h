/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/*
 * stack_map: the StackMapTable of one method (JVM specification, 4.7.4): read frame by frame,
 * and written with the frames at their instructions' new places, and those of the probes'
 * handlers.
 */
#ifndef JPROF_REWRITE_STACK_MAP_H
#define JPROF_REWRITE_STACK_MAP_H

#include "agent/rewrite/exceptions.h"

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
	TYPE_TOP = 0,
	TYPE_DOUBLE = 3,
	TYPE_LONG = 4,
	TYPE_UNINITIALIZED_THIS = 6,
	TYPE_OBJECT = 7,       /* with the index of a class */
	TYPE_UNINITIALIZED = 8 /* with the pc of its `new` */
};

/* A frame's head. */
struct frame {
	uint32_t pc;
	uint8_t kind;       /* its frame_type, without a delta: no FRAME_..._EXTENDED */
	uint8_t chopped;    /* so many of the last frame's locals end */
	uint8_t appended;   /* so many are added to them: the first types that follow */
	uint8_t stack_item; /* so many types of the operand stack follow: 0 or 1 */
};

/* The frames not yet read. The types of the last frame must be read before the next one: those
 * that its head counts, and of a FRAME_FULL first its locals, then its stack, each behind their
 * number (two bytes). */
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

/* The next verification type, without what follows its tag, which is skipped. */
uint8_t frames_type(struct frames *frames);

/* Writes the contents of a StackMapTable. in: those that the file has; empty if the method has
 * none. throwable: the index of the class constant. */
enum rewrite_reason stack_map_write(struct reader in, const struct code *code,
	const struct handlers *handlers, uint16_t throwable, struct writer *out);

#endif
