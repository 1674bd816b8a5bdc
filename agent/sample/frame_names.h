/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/*
 * frame_names: what the frames of samples are called: ids of methods, lines, and what ran there.
 *
 * Java's methods have come along with the stacks (seen_methods.h); functions of libraries and of the kernel are
 * looked up in their symbols, code that the JVM made in what it announced of it.
 *
 * Owns: caches of all that was named. Runs: on one thread at a time, the writer's.
 */
#ifndef JPROF_FRAME_NAMES_H
#define JPROF_FRAME_NAMES_H

#include "agent/stack/walk.h"
#include "profile/kinds.h"

struct frame_names; /* created, destroyed */

/* NULL without memory. walker: of the JVM, borrowed. */
struct frame_names *frame_names_create(const struct walker *walker);
void frame_names_destroy(struct frame_names *names);

struct frame_name {
	uint32_t method; /* id; 0: it has no name, for want of memory */
	uint32_t line;   /* 0: not known */
	enum sample_state state;
	bool has_lines; /* a Java method with bytecodes */
	bool probe;     /* a function of jprof's, or a method */
	bool counts;    /* one that counts a call of the method that called it */
	bool outermost; /* one that threads begin in, and that tells nothing */
};
struct frame_name frame_name(struct frame_names *names, const struct stack_frame *frame);

/* The id of a mark in a path: "(cut)". */
uint32_t frame_mark(struct frame_names *names, const char *mark);

#endif
