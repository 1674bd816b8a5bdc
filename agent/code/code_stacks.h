/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/*
 * code_stacks: of the stacks that a piece of code has at its places a tree of frames is made, and ranges.
 *
 * In:  for each place that is known, in order, the methods and lines from the code's own inwards.
 * Out: struct code_places: neighbours that say the same are one; a stack's beginning that others share is
 *      there once.
 * Owns: all of it; used again for the next piece. Runs: on one thread at a time.
 */
#ifndef JPROF_CODE_STACKS_H
#define JPROF_CODE_STACKS_H

#include <stdbool.h>

#include "profile/code_places.h"

enum { CODE_DEPTH = 256 }; /* what is deeper inlined is charged there */

/* Embedded; all zero at first. */
struct code_stacks {
	struct code_places places; /* so far; borrowed until the next begin */
	bool failed;               /* there was no memory: places are not whole */

	uint32_t frame_room, place_room;
	uint32_t *slot; /* of frames, by what they are; 0: empty */
	uint32_t slots;
	/* The stack before: position and frame at each depth. */
	struct code_position last[CODE_DEPTH];
	uint32_t frame[CODE_DEPTH];
	unsigned depth;
};

/* A new piece of code. */
void code_stacks_begin(struct code_stacks *stacks);

/* position: outermost first, the code's own method; depth above 0. An offset that is not above the last one
 * is ignored. */
void code_stacks_add(struct code_stacks *stacks, uint32_t offset,
	const struct code_position *position, unsigned depth);

void code_stacks_fini(struct code_stacks *stacks);

#endif
