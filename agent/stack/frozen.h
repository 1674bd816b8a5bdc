/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/*
 * frozen: the frames of a virtual thread that are not on its carrier's stack.
 *
 * A virtual thread that runs has its innermost frames on the stack; those below wait in objects of the Java heap,
 * and come back one after the other as the thread returns to them (stackChunkOop.hpp):
 *
 *   JavaThread -> entry of the continuation -> Continuation --tail--> StackChunk --parent--> StackChunk ...
 *
 *   StackChunk:  | header, fields | ... free ... | frame | frame | ... |
 *                                                ^ sp, in words from where the frames may begin
 *
 * A compiled frame is as on the stack; in an interpreted one pointers into the stack are distances. Before
 * each frame are its return address and its caller's frame pointer.
 *
 * The collector may move the objects while they are read: what is read is checked, as a stack is, and the way
 * there is looked at again at the end.
 *
 * Runs: as walk.h.
 */
#ifndef JPROF_FROZEN_H
#define JPROF_FROZEN_H

#include "agent/stack/vm_layout.h"

/* Where fields of Java classes are, bytes from the object's begin; 0: not known. */
struct frozen_fields {
	uint32_t continuation_tail;
	uint32_t chunk_parent, chunk_sp, chunk_size;
};

/* Once. narrow: references take 32 bits. */
void frozen_use(
	const struct vm_layout *layout, const struct frozen_fields *fields, bool narrow);

struct frozen {
	uintptr_t continuation, chunk, first; /* objects; first: the tail */
	uintptr_t begin, end;                 /* of the chunk's frames */
	/* The frame. sp: behind what it was given and its return address; base: where its own words begin, if it
	 * is compiled; fp: if it is interpreted. */
	uintptr_t sp, base, fp, pc;
};

/* The innermost frozen frame of the virtual thread that runs on the JavaThread. False: there is none, or it
 * cannot be read. */
bool frozen_begin(struct frozen *frozen, uintptr_t java_thread);

/* Its caller's; words: of the frame, if it is compiled, else 0. False: there is none. */
bool frozen_next(struct frozen *frozen, uint32_t words);

/* A word of an interpreted frame, counted from its frame pointer. */
bool frozen_word(const struct frozen *frozen, int at, uintptr_t *word);

/* True if all that was read belongs together still. */
bool frozen_holds(const struct frozen *frozen, uintptr_t java_thread);

#endif
