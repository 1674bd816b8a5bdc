/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/*
 * thread_context: what happens rarely at an event: a new child, no memory, a full shadow
 * stack, an exit that does not match.
 */
#include "agent/trace/thread_context.h"

#include "agent/trace/trace_rows.h"

/* How often one entry looks among the ended threads for memory. */
enum { RELIEFS = 8 };

static struct memory_budget *budget_of(struct thread_context *context)
{
	return context->tree.budget;
}

static bool prune(struct thread_context *context)
{
	/* Labels of frames may be folded, too: their tags are looked at again. */
	if (context->tags.set)
		context->stack.untagged = context->stack.top;
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

/* Charges what the rare way used, and remembers how much it was. The delta between the event and
 * the next one goes on as if there had been nothing. more: EVENT_SPENT, or EVENT_SPENT_AHEAD of the event. */
static void spend_until(
	struct thread_context *context, const struct spending *spending, enum event_more more)
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
	if (context_is_traced(context) && context->wall >= 0)
		context_trace_more(context, more, spent[context->wall]);
}

void spend_end(struct thread_context *context, const struct spending *spending)
{
	spend_until(context, spending, EVENT_SPENT);
}

/* ---- each event by itself ---- */

/* The stack behind some words: chosen frames, outermost first, and a method more unless it is 0; the innermost are listed.
 * Returns the words then. */
static unsigned list_frames(struct event_ring *ring, uint64_t *word, unsigned words,
	const struct shadow_frame *frame, size_t frames, uint32_t more)
{
	unsigned head = words++;
	uint32_t depth = more != 0, listed = 0, skip;

	for (size_t i = 0; i < frames; i++)
		depth += event_ring_wants(ring, frame[i].method);
	skip = depth > EVENT_LISTED ? depth - EVENT_LISTED : 0;
	for (size_t i = 0, at = 0; i <= frames; i++) {
		uint32_t method = i < frames ? frame[i].method : more;

		if (method == 0 || !event_ring_wants(ring, method) || at++ < skip)
			continue;
		if (listed % 2 == 0)
			word[words++] = method;
		else
			word[words - 1] |= (uint64_t)method << 32;
		listed++;
	}
	word[head] = (uint64_t)depth << 32 | listed;
	return words;
}

enum { TRACE_WORDS = 6 + EVENT_LISTED / 2 };

/* The thread's frames as they were before an event, in which it entered or left the method; or of another kind. */
static void put_stack(struct thread_context *context, struct event_ring *ring,
	enum event_word kind, uint32_t method, uint64_t at)
{
	const struct shadow_stack *stack = &context->stack;
	size_t frames = shadow_depth(stack) - 1 - (stack->overflow > 0);
	uint64_t word[TRACE_WORDS];
	unsigned words;

	if (kind == EVENT_ENTRY && stack->overflow == 0 && frames > 0)
		frames--;
	word[0] = event_word(EVENT_OTHER, EVENT_STACK, at - ring->begin);
	words = list_frames(ring, word, 1, shadow_base(stack) + 1, frames,
		kind == EVENT_EXIT || kind == EVENT_UNWIND ? method : 0);
	event_ring_put_words(ring, word, words);
	ring->whole = true;
}

/* Room for an event of that many words, and whatever has to come before it. False: there is none. */
static bool trace_room(struct thread_context *context, struct event_ring *ring, unsigned words,
	enum event_word kind, uint32_t method, uint64_t at)
{
	if (event_ring_has_room(ring, at, words))
		return true;
	if (!event_ring_more(ring, at))
		return false;
	if (!ring->whole)
		put_stack(context, ring, kind, method, at);
	return true;
}

RARE void context_trace_rare(
	struct thread_context *context, enum event_word kind, uint32_t method, uint64_t at)
{
	struct event_ring *ring = atomic_load_explicit(&context->events, memory_order_acquire);
	struct spending spending;

	if (!ring)
		return;
	if (!ring->whole && event_ring_is_dry(ring)) {
		event_ring_lose(ring);
		return;
	}
	spend_begin(context, &spending);
	if (trace_room(context, ring, 1, kind, method, at))
		event_ring_put(ring, event_word(kind, method, at - ring->begin));
	spend_end(context, &spending);
}

/* What was used is the time of others: it is nothing without them. */
static void trace_spent(struct thread_context *context, struct event_ring *ring,
	enum event_more more, uint64_t ns)
{
	uint64_t at = context->last[context->wall];

	if (!ring->whole || !trace_room(context, ring, 1, EVENT_OTHER, 0, at))
		return;
	event_ring_put(
		ring, event_word(EVENT_OTHER, more, ns < EVENT_TIMES ? ns : EVENT_TIMES - 1));
}

RARE void context_trace_more(struct thread_context *context, enum event_more more, uint64_t at)
{
	struct event_ring *ring = atomic_load_explicit(&context->events, memory_order_acquire);

	if (!ring)
		return;
	if (more == EVENT_SPENT || more == EVENT_SPENT_AHEAD)
		trace_spent(context, ring, more, at);
	else if (trace_room(context, ring, 1, EVENT_OTHER, 0, at))
		event_ring_put(ring, event_word(EVENT_OTHER, more, at - ring->begin));
}

RARE void context_trace_frames(struct thread_context *context, enum event_more more,
	uint64_t at, const uint64_t *word, unsigned words, const struct shadow_frame *frame,
	size_t frames)
{
	struct event_ring *ring = atomic_load_explicit(&context->events, memory_order_acquire);
	uint64_t whole[TRACE_WORDS];
	unsigned count = 1;

	if (!ring)
		return;
	for (unsigned i = 0; i < words; i++)
		whole[count++] = word[i];
	if (frame)
		count = list_frames(ring, whole, count, frame, frames, 0);
	if (!trace_room(context, ring, count, EVENT_OTHER, 0, at))
		return;
	whole[0] = event_word(EVENT_OTHER, more, at - ring->begin);
	event_ring_put_words(ring, whole, count);
}

void context_trace_operation(struct thread_context *context, unsigned kind, bool failed,
	uint64_t subject, uint64_t amount, uint64_t ns)
{
	const uint64_t word[] = {kind | (unsigned)failed << 8, subject, amount, ns};

	if (context_is_traced(context))
		context_trace_frames(context, EVENT_ACCOUNT, clock_now(), word, 4, NULL, 0);
}

__attribute__((noinline)) uint32_t context_child(
	struct thread_context *context, uint32_t method)
{
	struct spending spending;
	uint32_t child;

	spend_begin(context, &spending);
	child = child_of(context, method);
	spend_until(context, &spending, EVENT_SPENT_AHEAD);
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
	spend_until(context, &spending, EVENT_SPENT_AHEAD);
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
	spend_until(context, &spending, EVENT_SPENT_AHEAD);
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
		uint32_t method = stack->top->method;

		context_add(&context->unwound, 1);
		context_charge(
			SHAPE_ANY, context, now, stack->top[-1].third, TRANSITION_EXIT, true);
		stack->top--;
		__atomic_store_n(&context->current, stack->top->node, __ATOMIC_RELEASE);
		context_trace(SHAPE_ANY, context, EVENT_UNWIND, method, now);
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
	context_came_back(context);
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
		context_trace(
			SHAPE_ANY, context, unwound ? EVENT_UNWIND : EVENT_EXIT, method, now);
		context_came_back(context);
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
		for (bool last = false; !last;) {
			uint32_t left = stack->top->method;

			last = stack->top == frame;
			if (last)
				watched_cut(context);
			stack->top--;
			__atomic_store_n(&context->current, stack->top->node, __ATOMIC_RELEASE);
			context_trace(SHAPE_ANY, context, EVENT_EXIT, left, now);
		}
	}
	context_came_back(context);
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

static void trace_found(struct thread_context *context, uint32_t method)
{
	struct event_ring *ring = atomic_load_explicit(&context->events, memory_order_acquire);

	if (ring && event_ring_wants(ring, method))
		context_trace_frames(
			context, EVENT_FOUND, clock_now(), &(uint64_t){method}, 1, NULL, 0);
}

void context_found_frame(struct thread_context *context, uint32_t method)
{
	context_put_frame(context, &(struct shadow_frame){.method = method,
					   .third = sequence_third(STATE_OUTSIDE, false)});
	trace_found(context, method);
	forget_type(context);
}

uint32_t context_path(struct thread_context *context, const uint32_t *method, uint32_t count)
{
	enum { TRIES = 3 };
	uint32_t set = context->tags.set, node = 0;
	uint32_t tags = set ? node_label(METHOD_ROOT, LABEL_TAGS, set) : 0, first = tags != 0;

	for (int tries = 0; tries < TRIES && node == 0; tries++) {
		uint32_t moves = context->tree.moves;

		for (uint32_t i = 0; i < count + first; i++) {
			__atomic_store_n(&context->current, node, __ATOMIC_RELEASE);
			node = child_of(context, i < first ? tags : method[i - first]);
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
	if (context_is_traced(context))
		context_trace_more(context, EVENT_SETTLE, context_clock(context, now));
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
	if (context_is_traced(context))
		context_trace_more(context, EVENT_START, context_clock(context, from));
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
	context_trace(SHAPE_ANY, context, EVENT_ENTRY, method, context->last);
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
