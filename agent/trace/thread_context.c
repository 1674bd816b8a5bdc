/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/*
 * thread_context: what happens rarely at an event: a new child, no memory, a full shadow
 * stack, an exit that does not match.
 */
#include "agent/trace/thread_context.h"

#include "agent/trace/trace_rows.h"

#define RARE __attribute__((noinline, cold))

/* How often one entry looks among the ended threads for memory. */
enum { RELIEFS = 8 };

static struct memory_budget *budget_of(struct thread_context *context)
{
	return context->tree.budget;
}

static bool prune(struct thread_context *context)
{
	return tree_prune(&context->tree, shadow_base(&context->stack),
		       shadow_depth(&context->stack), &context->current) > 0;
}

/* The child for a call of the method from where the thread is, which a prune may have changed. 0: no
 * memory for it. */
static uint32_t find_or_add(struct thread_context *context, uint32_t method)
{
	uint32_t child = tree_find(&context->tree, context->current, method);

	return child != 0 ? child : tree_add(&context->tree, context->current, method);
}

/* Memory is short: ended threads' trees give way first, then the own one, and others' as
 * soon as their owners come by. */
static RARE uint32_t new_child(struct thread_context *context, uint32_t method)
{
	struct call_tree *tree = &context->tree;
	struct memory_budget *budget = tree->budget;
	uint32_t shortage = atomic_load_explicit(&budget->shortage, memory_order_relaxed);
	uint32_t child;

	/* Another thread was short: trees of more than half a fair share give some. */
	if (context->shortage != shortage) {
		context->shortage = shortage;
		if (tree_bytes(tree) > memory_share(budget) / 2)
			prune(context);
	}
	child = find_or_add(context, method);
	if (child == 0 && tree->patience == 0) {
		for (int i = 0; i < RELIEFS && child == 0; i++) {
			if (!trace_relieve(context->trace, tree_bytes(tree) / 4))
				break;
			child = tree_add(tree, context->current, method);
		}
		if (child == 0)
			context->shortage = memory_call_short(budget);
	}
	if (child == 0 && prune(context))
		child = find_or_add(context, method);
	return child != 0 ? child : tree_flat(tree, context->current, method);
}

/* The node of a call of the method from where the thread is. */
static uint32_t child_of(struct thread_context *context, uint32_t method)
{
	uint32_t child = tree_find(&context->tree, context->current, method);

	return child != 0 ? child : new_child(context, method);
}

/* ---- what the rare ways use ---- */

/* What lies between the counters of two looks at them, at least: the part of a look behind its
 * counters and that of the next one before them. */
static __attribute__((noinline)) void find_look(struct thread_context *context)
{
	enum { LOOKS = 8 };
	uint64_t before[METRIC_MAX], now[METRIC_MAX];

	context->look_known = true;
	metric_read(SHAPE_ANY, context->set, context->metric, before);
	for (int look = 0; look < LOOKS; look++) {
		metric_read(SHAPE_ANY, context->set, context->metric, now);
		for (unsigned i = 0; i < context->set->count; i++) {
			uint64_t used = now[i] - before[i];

			if (look == 0 || used < context->look[i])
				context->look[i] = used;
			before[i] = now[i];
		}
	}
}

void spend_begin(struct thread_context *context, struct spending *spending)
{
	metric_read(SHAPE_ANY, context->set, context->metric, spending->begin);
	if (!context->look_known)
		find_look(context);
}

void spend_end(struct thread_context *context, const struct spending *spending)
{
	struct tree_node *node = tree_at(&context->tree, context->current);
	unsigned metrics = context->set->count;
	uint64_t now[METRIC_MAX], spent[METRIC_MAX];

	metric_read(SHAPE_ANY, context->set, context->metric, now);
	for (unsigned i = 0; i < metrics; i++) {
		uint64_t all = now[i] - context->last[i];

		spent[i] = now[i] - spending->begin[i] + context->look[i];
		if (spent[i] > all)
			spent[i] = all;
		__atomic_store_n(
			&context->last[i], context->last[i] + spent[i], __ATOMIC_RELAXED);
	}
	for (unsigned i = 0; i < metrics; i++) {
		context_add(&node->base[metrics + i], spent[i]);
		__atomic_store_n(&node->base[i], node->base[i] + spent[i], __ATOMIC_RELEASE);
	}
}

__attribute__((noinline)) uint32_t context_child(
	struct thread_context *context, uint32_t method)
{
	struct spending spending;
	uint32_t child;

	spend_begin(context, &spending);
	child = child_of(context, method);
	spend_end(context, &spending);
	return child;
}

/* The delta that has begun is not like others between two events of its method. */
static void forget_type(struct thread_context *context)
{
	context->code = sequence_outside(context->code);
}

/* Deltas until memory is asked for again. */
enum { CELLS_PATIENCE = 1000 };

RARE uint64_t *context_cells(struct thread_context *context, uint32_t code)
{
	struct sequence_table *table = &context->sequences;
	struct spending spending;

	spend_begin(context, &spending);
	if (table->patience > 0) {
		table->patience--;
	} else {
		lock_take(&context->tree.lock);
		if (!sequence_table_grow(table, budget_of(context), context->set->count, code))
			table->patience = CELLS_PATIENCE;
		lock_give(&context->tree.lock);
	}
	spend_end(context, &spending);
	if (!table->block[code / SEQUENCE_BLOCK])
		context_add(&table->uncounted, 1);
	return table->block[code / SEQUENCE_BLOCK];
}

/* A frame that finds no room is like no other. */
RARE bool context_push_rare(struct thread_context *context)
{
	struct spending spending;
	bool grown;

	spend_begin(context, &spending);
	grown = context->stack.overflow == 0 &&
		shadow_grow(&context->stack, budget_of(context)) == 0;
	if (!grown) {
		context_add(&context->lost, 1);
		shadow_overflow_push(&context->stack);
		forget_type(context);
	}
	spend_end(context, &spending);
	return grown;
}

RARE void context_toll(struct thread_context *context, uint32_t method)
{
	struct spending spending;

	if (watched_knows_entry(context))
		return;
	spend_begin(context, &spending);
	if (watched_toll(context))
		toll_note(&context->toll, method);
	watched_note_entry(context);
	spend_end(context, &spending);
}

/* Leaves the frames above, each by an exit by exception at the same instant: only the first of
 * these deltas is one. */
static void unwind_to(
	struct thread_context *context, struct shadow_frame *frame, const uint64_t *now)
{
	struct shadow_stack *stack = &context->stack;

	for (; stack->top > frame; now = context->last) {
		context_add(&context->unwound, 1);
		context_charge(
			SHAPE_ANY, context, now, stack->top[-1].third, TRANSITION_EXIT, true);
		stack->top--;
		__atomic_store_n(&context->current, stack->top->node, __ATOMIC_RELEASE);
		if (stack->top > frame)
			forget_type(context);
	}
}

RARE void context_caught_rare(struct thread_context *context, uint32_t method)
{
	struct shadow_frame *frame = shadow_find(&context->stack, method);
	struct spending spending;
	uint64_t now[METRIC_MAX];

	if (context->stack.overflow > 0 || !frame)
		return;
	metric_read(SHAPE_ANY, context->set, context->metric, now);
	spend_begin(context, &spending);
	unwind_to(context, frame, now);
	watched_cut(context);
	spend_end(context, &spending);
}

RARE bool context_exit_rare(
	struct thread_context *context, uint32_t method, bool unwound, const uint64_t *now)
{
	struct shadow_stack *stack = &context->stack;
	struct shadow_frame *frame;
	struct spending spending;

	spend_begin(context, &spending);
	if (stack->overflow > 0) {
		/* Its frame found no room; what is below it is known again in the end. */
		bool last = stack->overflow == 1;

		context_add(&context->unwound, unwound);
		context_charge(SHAPE_ANY, context, now, stack->top[last ? -1 : 0].third,
			TRANSITION_EXIT, unwound);
		shadow_overflow_pop(stack);
		spend_end(context, &spending);
		return true;
	}
	frame = shadow_find(stack, method);
	if (frame == NULL) {
		/* An old frame is below all that were pushed. */
		if (!context_at_root(context) || !trace_has_old_frames(context->trace))
			context_add(&context->unmatched, 1);
		return false;
	}
	if (unwound) {
		unwind_to(context, frame - 1, now);
		watched_cut(context);
	} else {
		/* With it those above are left, whose exits never came. */
		forget_type(context);
		context_charge(
			SHAPE_ANY, context, now, frame[-1].third, TRANSITION_EXIT, false);
		context_add(&context->repaired, (uint64_t)(stack->top - frame));
		stack->top = frame;
		watched_cut(context);
		stack->top = frame - 1;
		__atomic_store_n(&context->current, stack->top->node, __ATOMIC_RELEASE);
	}
	spend_end(context, &spending);
	return true;
}

void context_put_frame(struct thread_context *context, const struct shadow_frame *frame)
{
	uint32_t child;

	if (context->stack.top >= context->stack.limit && !context_push_rare(context))
		return;
	child = child_of(context, frame->method);
	*++context->stack.top = (struct shadow_frame){child, frame->method, frame->third};
	__atomic_store_n(&context->current, child, __ATOMIC_RELEASE);
}

void context_found_frame(struct thread_context *context, uint32_t method)
{
	context_put_frame(context, &(struct shadow_frame){.method = method,
					   .third = sequence_third(STATE_OUTSIDE, false)});
	forget_type(context);
}

uint32_t context_path(struct thread_context *context, const uint32_t *method, uint32_t count)
{
	enum { TRIES = 3 };
	uint32_t node = 0;

	for (int tries = 0; tries < TRIES && node == 0; tries++) {
		uint32_t moves = context->tree.moves;

		for (uint32_t i = 0; i < count; i++) {
			__atomic_store_n(&context->current, node, __ATOMIC_RELEASE);
			node = child_of(context, method[i]);
			if (context->tree.moves == moves)
				continue;
			/* Nodes were renumbered: from the root again. */
			node = 0;
			break;
		}
	}
	__atomic_store_n(&context->current, context->stack.top->node, __ATOMIC_RELEASE);
	return node;
}

void context_settle(struct thread_context *context)
{
	struct tree_node *node = tree_at(&context->tree, context->current);
	uint64_t now[METRIC_MAX];

	metric_read(SHAPE_ANY, context->set, context->metric, now);
	for (unsigned i = 0; i < context->set->count; i++) {
		uint64_t base = node->base[i] + (now[i] - context->last[i]);

		__atomic_store_n(&context->last[i], now[i], __ATOMIC_RELAXED);
		__atomic_store_n(&node->base[i], base, __ATOMIC_RELEASE);
	}
	forget_type(context);
}

void context_start_at(struct thread_context *context, const uint64_t *from)
{
	/* A thread that sees one of the new values sees that it is odd. */
	__atomic_store_n(&context->forgetting, context->forgetting + 1, __ATOMIC_RELAXED);
	for (unsigned i = 0; i < context->set->count; i++) {
		uint64_t first = context->first[i] + (from[i] - context->last[i]);

		__atomic_store_n(&context->first[i], first, __ATOMIC_RELEASE);
		__atomic_store_n(&context->last[i], from[i], __ATOMIC_RELEASE);
	}
	__atomic_store_n(&context->forgetting, context->forgetting + 1, __ATOMIC_RELEASE);
	forget_type(context);
}

void context_start(struct thread_context *context)
{
	uint64_t now[METRIC_MAX];

	metric_read(SHAPE_ANY, context->set, context->metric, now);
	context_start_at(context, now);
}

void context_spend_all(struct thread_context *context)
{
	context_spend(SHAPE_ANY, context, true);
}

void context_go_out(struct thread_context *context)
{
	atomic_store_explicit(&context->outside, true, memory_order_release);
}

void context_come_in(struct thread_context *context)
{
	context_start(context);
	atomic_store_explicit(&context->outside, false, memory_order_release);
}

/* One look at the counters: what lies between two would be charged to the root. */
void context_enter_scope(
	struct thread_context *context, uint32_t method, enum call_state state, bool is_static)
{
	struct tree_node *node = tree_at(&context->tree, context->current);
	uint32_t third = sequence_third(state, is_static);

	context_start(context);
	context->code = sequence_roll(context->code, third, TRANSITION_ENTRY);
	context_add(&node->transition[sequence_begin(context->code)][TRANSITION_ENTRY], 1);
	context_push(SHAPE_ANY, context, node, method, third);
	atomic_store_explicit(&context->outside, false, memory_order_release);
}

bool context_at_root(const struct thread_context *context)
{
	return context->stack.overflow == 0 &&
	       context->stack.top == shadow_base(&context->stack);
}

/* ---- counted calls ---- */

bool context_open_counts(
	struct thread_context *context, int64_t number, enum memory_claim claim)
{
	bool open;

	lock_take(&context->tree.lock);
	open = context->counts.block ||
	       counts_open(&context->counts, context->tree.budget, number, claim);
	lock_give(&context->tree.lock);
	return open;
}

void context_count(struct thread_context *context, uint32_t method)
{
	bool room = counts_has_room(&context->counts, method);

	if (!room) {
		lock_take(&context->tree.lock);
		room = counts_grow(
			&context->counts, context->tree.budget, method, MEMORY_SMALL);
		lock_give(&context->tree.lock);
	}
	if (room)
		counts_add(&context->counts, method);
	else
		trace_count_for_all(context->trace, method);
}
