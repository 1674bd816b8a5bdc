/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/* shadow_stack: growing, overflow, and the search for a frame whose exit came out of
 * turn. */
#include "agent/trace/shadow_stack.h"

#include "agent/trace/call_tree.h"

/* Sets the pointers that depend on where the top is, into an arena that may have moved. */
static void place(struct shadow_stack *stack, size_t top)
{
	struct shadow_frame *base = shadow_base(stack);
	size_t slots = stack->arena.bytes / sizeof(*base);

	stack->top = base + top;
	stack->limit = base + slots - 2;
}

int shadow_init(
	struct shadow_stack *stack, struct memory_budget *budget, enum memory_claim claim)
{
	*stack = (struct shadow_stack){0};
	if (arena_resize(&stack->arena, budget, 1, claim) != 0)
		return -1;
	place(stack, 0);
	stack->untagged = stack->top;
	*stack->top = (struct shadow_frame){
		TREE_ROOT, METHOD_ROOT, sequence_third(STATE_OUTSIDE, false)};
	return 0;
}

void shadow_fini(struct shadow_stack *stack, struct memory_budget *budget)
{
	arena_fini(&stack->arena, budget);
	*stack = (struct shadow_stack){0};
}

int shadow_grow(struct shadow_stack *stack, struct memory_budget *budget)
{
	size_t top = (size_t)(stack->top - shadow_base(stack));
	size_t untagged = (size_t)(stack->untagged - shadow_base(stack));
	size_t bytes = stack->arena.bytes;

	if (arena_resize(&stack->arena, budget, bytes * 2, MEMORY_SMALL) != 0 &&
		arena_resize(&stack->arena, budget, bytes + 1, MEMORY_FORCED) != 0)
		return -1;
	place(stack, top);
	stack->untagged = shadow_base(stack) + untagged;
	return 0;
}

void shadow_clear(struct shadow_stack *stack)
{
	stack->overflow = 0;
	place(stack, 0);
	stack->top->node = TREE_ROOT;
	stack->untagged = stack->top;
}

void shadow_overflow_push(struct shadow_stack *stack)
{
	if (stack->overflow++ > 0)
		return;
	stack->top++;
	stack->limit = shadow_base(stack);
	*stack->top = (struct shadow_frame){
		stack->top[-1].node, SHADOW_SENTINEL, sequence_third(STATE_OUTSIDE, false)};
}

void shadow_overflow_pop(struct shadow_stack *stack)
{
	if (--stack->overflow == 0)
		place(stack, (size_t)(stack->top - shadow_base(stack)) - 1);
}

struct shadow_frame *shadow_find(struct shadow_stack *stack, uint32_t method)
{
	for (struct shadow_frame *frame = stack->top; frame > shadow_base(stack); frame--)
		if (frame->method == method)
			return frame;
	return NULL;
}
