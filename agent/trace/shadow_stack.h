/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/*
 * shadow_stack: the frames a thread is in, as its entries and exits tell, root first.
 *
 * The lowest frame is the root's and is never popped. The last slot is kept for a sentinel:
 * when the stack cannot grow, it is pushed, and frames above it are only counted, so that
 * their exits find their pair.
 *
 *   | root | frame | frame | ... | frame | sentinel |
 *            top ----^        limit --^
 *
 * A virtual thread's frames without room may lie above few that are known (virtual_thread.h): then
 * the sentinel is pushed where there would be room, and still nothing is pushed above it.
 *
 * A frame's node is its method's, or a label below that (tree_labels.h). What frames below `untagged` have for tags may not be
 * what the thread has: that is looked at when it comes back to them (context_labels.c).
 * Runs: owner only.
 */
#ifndef JPROF_SHADOW_STACK_H
#define JPROF_SHADOW_STACK_H

#include <stdint.h>

#include "agent/trace/arena.h"
#include "calibration/sequence.h"

#define SHADOW_SENTINEL UINT32_MAX

struct shadow_frame {
	uint32_t node; /* index in the call tree */
	uint32_t
		method; /* id, or SHADOW_SENTINEL; where a virtual thread keeps frames, a label, too */
	uint32_t third; /* what it is in a sequence: sequence_third */
};

struct shadow_stack {
	struct shadow_frame *top; /* the frame the thread is in */
	/* pushing when top is here, or above, needs shadow_grow; the base while there is a
	 * sentinel */
	struct shadow_frame *limit;
	struct shadow_frame *untagged; /* the base: of all that is known */
	uint64_t overflow;             /* frames above the sentinel */
	struct arena arena;
};

/* With the root's frame. 0, or -1 without memory. */
int shadow_init(
	struct shadow_stack *stack, struct memory_budget *budget, enum memory_claim claim);
void shadow_fini(struct shadow_stack *stack, struct memory_budget *budget);

/* Makes room for at least one more frame, whatever the budget says. 0, or -1: the system has no
 * memory, the stack is as it was. */
int shadow_grow(struct shadow_stack *stack, struct memory_budget *budget);

/* Only the root's frame is left, at the tree's root. */
void shadow_clear(struct shadow_stack *stack);

/* Counts a frame that finds no room, and an exit from one. The depth of them is exact, which
 * methods they are is not known. */
void shadow_overflow_push(struct shadow_stack *stack);
void shadow_overflow_pop(struct shadow_stack *stack);

/* The innermost frame of the method, or NULL. Never the root's. */
struct shadow_frame *shadow_find(struct shadow_stack *stack, uint32_t method);

/* The lowest frame, and how many there are, the sentinel's included. */
static inline struct shadow_frame *shadow_base(const struct shadow_stack *stack)
{
	return stack->arena.base;
}

static inline size_t shadow_depth(const struct shadow_stack *stack)
{
	return (size_t)(stack->top - shadow_base(stack)) + 1;
}

#endif
