/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/*
 * thread_context: what a thread's events touch, and how they are recorded.
 *
 *   event --> metrics read --> delta charged to the current node --> shadow stack, tree
 *
 * Cost on the way that is usually taken: no lock, no call, no allocation; what is rare is in
 * thread_context.c.
 * Runs: context_* in the thread itself. Other threads read nodes, last, current and the
 *       counters, see trace.c. The order of the owner's stores: last, then (release) base,
 *       then (release) current: who sees a delta in a base also sees the new last.
 */
#ifndef JPROF_THREAD_CONTEXT_H
#define JPROF_THREAD_CONTEXT_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "agent/trace/tree_labels.h"
#include "agent/trace/call_tree.h"
#include "agent/trace/counts.h"
#include "agent/trace/event_ring.h"
#include "agent/trace/fence.h"
#include "agent/trace/records.h"
#include "agent/trace/sequence_table.h"
#include "agent/trace/shadow_stack.h"
#include "agent/trace/toll.h"
#include "metric/metric.h"

/* What is seldom called: apart from what is often. */
#define RARE __attribute__((noinline, cold))

struct trace;
struct virtual_thread;
struct watched_calls;
struct call_times;

struct thread_identity {
	int64_t java_id, os_id;
	char name[256];
	bool is_virtual;
	uint8_t wanted; /* bits of the sessions that want the thread; of a row under LOCK_THREADS */
};

enum context_life {
	CONTEXT_LIVE,
	CONTEXT_ENDED, /* its tree is kept */
	CONTEXT_FOLD,  /* many ended threads, by name */
	CONTEXT_GROUP, /* virtual threads, which record into its lanes */
	CONTEXT_LANE,  /* of a group, on one carrier */
	/* a carrier that is not recorded: nothing but its counters is used */
	CONTEXT_UNLISTED
};

/* Virtual threads of a lane that are not mounted, and when each was unmounted, summed up: their wall
 * clock runs on. One that was parked in one lane and mounted in another is missing here and too many
 * there: sums over the lanes of a group are right. */
struct parked {
	int64_t threads;
	uint64_t since; /* ns, modulo 2^64 */
};

/* What the rows of a trace have in common, each a row of the profile. Under LOCK_THREADS, and life and
 * ended under the tree's lock, too. */
struct trace_row {
	enum context_life life;
	uint32_t id; /* 1, 2, ... */
	struct thread_identity identity;
	uint64_t folded;                      /* threads it stands for */
	uint64_t started, ended;              /* ns of CLOCK_MONOTONIC; ended 0 while alive */
	uint64_t told[METRIC_MAX];            /* the most that a total had of it */
	struct thread_context *next, *before; /* by id */
	uint32_t pins;                        /* copies under way: must stay as it is */
	bool visited;                         /* somebody was shown it */
	/* The visitor's: it has ended, and all nodes were shown; and then what they came to. */
	bool settled;
	uint32_t settled_moves; /* of the tree */
	uint64_t events, calls, folded_calls;
	/* Under the tree's lock. */
	/* for a processor, ns, when it was last looked at; of folded ones the sum */
	uint64_t waited;
	uint64_t waited_before; /* it began */
};

enum { CARRIER_FOUND = 4 };

/* What a thread that carries virtual ones has for it: see lanes.c. */
struct carrier_part {
	bool carries;                   /* it has given way, or has a lane */
	bool was_outside;               /* before it gave way */
	uint64_t since;                 /* that it gave way, ns of the clock */
	struct thread_context *mounted; /* the lane of the thread that is; NULL: none is */
	/* The lanes that were last looked for, by id % CARRIER_FOUND of their group, and the group that was
	 * last looked for by name. */
	struct found_lane {
		uint32_t group; /* id */
		struct thread_context *lane;
	} found[CARRIER_FOUND];
	struct thread_context *named;
	struct virtual_thread *spare;
	uint32_t spares;
};

/* What a group of virtual threads has, under LOCK_THREADS. */
struct group_part {
	struct thread_context *lanes; /* the first */
	bool only;                    /* it has one thread */
	bool finish;                  /* which has ended */
};

/* What a lane has, a group's part on one carrier: see mount.h. */
struct lane_part {
	struct thread_context *group;
	struct thread_context *next;    /* of the group; under LOCK_THREADS */
	struct thread_context *carrier; /* NULL: it waits for one; under LOCK_THREADS */

	/* The owner's, read by others, relaxed. */
	uint64_t begun, ended;  /* virtual threads */
	uint64_t mounted_since; /* ns of the clock; 0: none is mounted */
	struct parked parked;
	/* The same by node, in step with the tree: under the tree's lock while it moves. */
	struct arena parked_at;
	uint32_t parked_nodes; /* room for so many */
	bool parked_unsure;    /* it is not known by node any more; read by others */
	uint32_t opener;       /* who opens what is opened: io_openers.h */
};

enum { TAG_CALLS_FIRST = 8, TAG_CALLS = 64 };

/* Calls during which a key of tags has another value, outermost first. */
struct tag_calls {
	uint32_t count, room;
	struct tag_call {
		uint32_t depth;  /* of the call's frame, above the root's */
		uint32_t key;    /* a parameter's number */
		uint32_t before; /* the value that it had before; 0: none */
	} call[];
};

/* Where a node's label of a tag set is, as it was found last: by their sum. */
enum { TAG_FOUND = 8 };

struct tag_found {
	uint32_t own, set, node;
	uint32_t moves; /* of the tree, + 1; 0: nothing is known */
};

struct thread_context {
	/* Hot: written by the owner. Page aligned: four cache lines with one metric. */
	struct shadow_stack stack;
	uint32_t current; /* node; stored with release */
	uint32_t code;    /* of the delta that the last event ended: sequence.h */
	struct toll_turn toll;
	uint32_t tags; /* what the thread's work has: a number of tag_sets.h; 0: none */
	/* Where its events go, one by one; NULL: nowhere. Others set it. */
	_Atomic(struct event_ring *) events;
	const struct metric_set
		*set; /* borrowed; changed under the tree's lock: context_widen */
	struct metric_thread *metric; /* own_metric, or of a lane its carrier's */
	struct trace *trace;          /* borrowed */
	uint64_t last[METRIC_MAX];    /* the counters at the last event */
	struct call_tree tree;
	/* of the deltas; its uncounted is read by others */
	struct sequence_table sequences;

	/* Rare: written by the owner, read by others, relaxed. */
	uint64_t first[METRIC_MAX]; /* what last would be if nothing had been used */
	/* odd while context_start changes first and last; then the next one */
	uint32_t forgetting;
	uint64_t unwound, repaired, unmatched, lost;
	uint64_t mounts, carrier_ns; /* of virtual threads */
	/* The owner's. */
	/* the session's scope: what is used is not charged; read by others */
	_Atomic bool outside;
	uint32_t shortage; /* the budget's, when it was last heeded */
	bool probed;       /* probes add to some metric: what their deltas are is counted */
	bool look_known;
	uint64_t look[METRIC_MAX]; /* what a look at the counters uses of them itself */
	struct arena memory;       /* this struct */

	/* Under the tree's lock. */
	bool counting; /* the counters are open */
	bool stopped;
	uint64_t stop[METRIC_MAX]; /* the counters when the trace stopped */

	/* The owner's. Each operation of I/O looks at them and at the row's id. */
	struct records *records;  /* the trace's; NULL: sums are enough */
	struct record_ring *ring; /* NULL: no operation was recorded */
	/* What events was, or is; under LOCK_THREADS, or its owner ends */
	struct event_ring *event_ring;
	int wall; /* the metric that is the clock's; -1: none is */
	struct trace_row row;
	struct counts counts;          /* of what is counted, not timed */
	struct tag_calls *tag_calls;   /* the owner's; NULL: there were none */
	struct tag_found *tag_found;   /* TAG_FOUND; the same */
	struct watched_calls *watched; /* calls under way, the owner's; NULL: there were none */
	struct call_times *times;      /* of those that have ended; the same */
	union {                        /* by row.life */
		struct carrier_part as_carrier; /* CONTEXT_LIVE, CONTEXT_UNLISTED */
		struct group_part as_group;     /* CONTEXT_GROUP */
		struct lane_part as_lane;       /* CONTEXT_LANE */
	};

	struct metric_thread own_metric; /* owner, but for metric_read_from_outside */
};

/* The trace counts more metrics by now. In the thread itself. */
bool context_is_narrow(const struct thread_context *context);

/* The thread's context, which is no lane, counts what the trace does from here on: the counters of the further metrics are
 * opened, 0 was used of them so far, and all else is as it was; what that costs is jprof's own. A carrier takes the lane of the
 * thread that is mounted along. No event is under way. False: no memory, nothing has changed. */
bool context_widen(struct thread_context *context);

/* Charges what was used since the last event, without an event. The delta that goes on is told
 * from whole ones: it counts as one of outside. */
void context_settle(struct thread_context *context);

/* Forgets what was used since the last event, or before the first: the next delta begins
 * now. */
void context_start(struct thread_context *context);

/* The same, but it begins when the counters were what they are in `from`. Values may be below the last
 * ones: another thread's counters. */
void context_start_at(struct thread_context *context, const uint64_t *from);

/* What was used since the last event is jprof's own: charged to the current node, as spent. */
void context_spend_all(struct thread_context *context);

/* A frame that was there before is there again. No call, no event. */
void context_put_frame(struct thread_context *context, const struct shadow_frame *frame);

/* What the thread had used of a metric of its set at its last event. In the thread itself. */
static inline uint64_t context_used(const struct thread_context *context, unsigned metric)
{
	return context->last[metric] - context->first[metric];
}

/* The thread leaves the session's scope: what it uses is not charged, until it comes in again. */
void context_go_out(struct thread_context *context);
void context_come_in(struct thread_context *context);

/* It comes in, again or for the first time, by entering the method. No delta ends. */
void context_enter_scope(
	struct thread_context *context, uint32_t method, enum call_state state, bool is_static);

/* True if the thread is in no method. */
bool context_at_root(const struct thread_context *context);

/* Pushes a frame that was on the Java stack before the first event, outermost first: it gets
 * a node, but no call is counted. */
void context_found_frame(struct thread_context *context, uint32_t method);

/* The node of these methods, outermost first, below the thread's root, or the label of what tags it has now; made if need be, and without a call.
 * For what is known by the whole stack. A flush in the microseconds that this takes shows the delta in progress at one of them. */
uint32_t context_path(struct thread_context *context, const uint32_t *method, uint32_t count);

/* Copies such a path with the values that the calls in it have, which only the thread's own frames tell: a timed call's labels
 * behind its method. Returns how many; at most `room`, count or more. */
uint32_t context_path_values(const struct thread_context *context, const uint32_t *method,
	uint32_t count, uint32_t *path, uint32_t room);

/* ---- labels: context_labels.c. In the thread itself. ---- */

/* The thread, in the label's method, comes to that line: it calls others from there, until it comes to another one. No event:
 * nothing is read, and nothing is charged but what a new node takes. */
void context_reach(struct thread_context *context, uint32_t line);

/* The call that the thread is in, of the label's method, which it has just entered, has that value: all that it does. Nothing is
 * read either; counts: the value's node counts the call. False: the method has no frame of its own, or its path is not
 * kept. */
bool context_value(struct thread_context *context, uint32_t value, bool counts);

/* The value of the parameter that the innermost call has that has one; 0: none does. */
uint32_t context_value_above(const struct thread_context *context, uint32_t parameter);

/* The same of the innermost call alone. */
uint32_t context_value_own(const struct thread_context *context, uint32_t parameter);

/* What the thread does from here on has these tags, a number of tag_sets.h, 0: none; what it has used so far is charged to
 * what it had before. */
void context_tags(struct thread_context *context, uint32_t set);

/* What it has now. */
static inline uint32_t context_tags_now(const struct thread_context *context)
{
	return context->tags;
}

/* The value of a tag's key holds until the call that the thread is in ends, however it does. It is then what it was before.
 * False: there are TAG_CALLS such calls already, or the call has no frame of its own; nothing has changed. */
bool context_tag_call(struct thread_context *context, uint32_t value);

void tag_calls_destroy(struct tag_calls *calls, struct memory_budget *budget);
void tag_found_destroy(struct thread_context *context);

/* The thread is in a frame below some that are gone: of which it is not known that it has the thread's tags. */
void context_come_back_rare(struct thread_context *context);

static inline __attribute__((always_inline)) void context_came_back(
	struct thread_context *context)
{
	if (__builtin_expect(context->stack.top < context->stack.untagged, 0))
		context_come_back_rare(context);
}

/* The thread's frames, with their labels, each of which is a frame behind its method's; the root's has none of its own. Into
 * frame, if that is not NULL. Returns how many. */
size_t context_copy_frames(const struct thread_context *context, struct shadow_frame *frame);

/* A frame that was copied so is there again. No call, no event. */
void context_put_label(struct thread_context *context, const struct shadow_frame *frame);

/* The thread is back in the method, which caught an exception: the frames above its innermost
 * one are gone, each by an exit by exception. Nothing happens if there are none, or it has
 * no frame. */
void context_caught_rare(struct thread_context *context, uint32_t method);

static inline void context_caught(struct thread_context *context, uint32_t method)
{
	if (__builtin_expect(context->stack.top->method != method, 0))
		context_caught_rare(context, method);
}

/* ---- each event by itself: event_ring.h. In the thread itself. ---- */

/* The rare way of context_trace: no room. */
void context_trace_rare(
	struct thread_context *context, enum event_word kind, uint32_t method, uint64_t at);

/* Something that is no entry and no exit, at that time; or of EVENT_SPENT, of so many ns. */
void context_trace_more(struct thread_context *context, enum event_more more, uint64_t at);

/* The same with that many words, up to 4, and the frames (the root's is not among them), behind it. */
void context_trace_frames(struct thread_context *context, enum event_more more, uint64_t at,
	const uint64_t *word, unsigned words, const struct shadow_frame *frame, size_t frames);

/* An operation of that kind (enum account_kind) has ended now: of so much, and it took so many ns. What is
 * there to be counted by call path is told in its order of time, too. */
void context_trace_operation(struct thread_context *context, unsigned kind, bool failed,
	uint64_t subject, uint64_t amount, uint64_t ns);

/* The clock of a reading. */
static inline uint64_t context_clock(const struct thread_context *context, const uint64_t *now)
{
	return context->wall >= 0 ? now[context->wall] : clock_now();
}

static inline bool context_is_traced(const struct thread_context *context)
{
	return atomic_load_explicit(&context->events, memory_order_relaxed) != NULL;
}

/* An entry or exit, at that reading. The thread's frames are as they are behind it. */
static inline __attribute__((always_inline)) void context_trace(enum metric_shape shape,
	struct thread_context *context, enum event_word kind, uint32_t method,
	const uint64_t *now)
{
	struct event_ring *ring = atomic_load_explicit(&context->events, memory_order_acquire);
	uint64_t at;

	if (__builtin_expect(!ring, 1))
		return;
	if (!event_ring_wants(ring, method))
		return;
	/* All other shapes have wall, as the first. */
	at = shape == SHAPE_ANY ? context_clock(context, now) : now[0];
	if (__builtin_expect(event_ring_has_room(ring, at, 1), 1))
		event_ring_put(ring, event_word(kind, method, at - ring->begin));
	else
		context_trace_rare(context, kind, method, at);
}

/* The rare ways. What they used is charged before they return, to where the thread is by
 * then, as spent. */
uint32_t context_child(struct thread_context *context, uint32_t method);
uint64_t *context_cells(struct thread_context *context, uint32_t code);
bool context_push_rare(struct thread_context *context);
void context_toll(struct thread_context *context, uint32_t method);
bool context_exit_rare(
	struct thread_context *context, uint32_t method, bool unwound, const uint64_t *now);

static inline __attribute__((always_inline)) unsigned context_metrics(
	enum metric_shape shape, const struct thread_context *context)
{
	switch (shape) {
	case SHAPE_WALL:
		return 1;
	case SHAPE_WALL_CPU:
		return 2;
	case SHAPE_WALL_CPU_ALLOC:
		return 3;
	default:
		return context->tree.metrics;
	}
}

/* tree_at, with a stride that the compiler knows. */
static inline __attribute__((always_inline)) struct tree_node *context_node(
	enum metric_shape shape, const struct thread_context *context, uint32_t index)
{
	size_t stride = tree_stride(context_metrics(shape, context));

	return (struct tree_node *)(context->tree.nodes + index * stride);
}

/* The thread, of that number, has a block that its bytecode counts in (context->counts). The owner's. False, and claim: see
 * counts_open. */
bool context_open_counts(
	struct thread_context *context, int64_t number, enum memory_claim claim);

/* One call of a method that is counted, natively. The owner's. */
void context_count(struct thread_context *context, uint32_t method);

/* Adds to the account of the operation's node, kind and subject. The owner's. */
static inline void context_account(
	struct thread_context *context, const struct operation *operation)
{
	accounts_add(
		&context->tree.accounts, &context->tree.lock, context->tree.budget, operation);
}

/* One writer: a load and a store, no locked instruction. */
static inline __attribute__((always_inline)) void context_add(uint64_t *counter, uint64_t n)
{
	__atomic_store_n(counter, *counter + n, __ATOMIC_RELAXED);
}

/* The delta's cell. */
static inline __attribute__((always_inline)) void context_count_delta(enum metric_shape shape,
	struct thread_context *context, uint32_t code, const uint64_t *delta)
{
	unsigned metrics = context_metrics(shape, context);
	uint64_t *cell = context->sequences.block[code / SEQUENCE_BLOCK];

	/* All other shapes have wall. */
	if (shape == SHAPE_ANY && !context->probed)
		return;
	if (__builtin_expect(!cell, 0)) {
		cell = context_cells(context, code);
		if (!cell)
			return;
	}
	cell += code % SEQUENCE_BLOCK * sequence_words_of(metrics);
#pragma GCC unroll 3 /* what the usual sets have: straight code */
	for (unsigned i = 0; i < metrics; i++) {
		context_add(&cell[1 + 2 * i], delta[i]);
		if (__builtin_expect(delta[i] < cell[2 + 2 * i], 0))
			__atomic_store_n(&cell[2 + 2 * i], delta[i], __ATOMIC_RELAXED);
	}
	__atomic_store_n(&cell[0], cell[0] + 1, __ATOMIC_RELEASE);
}

/* third: the method that the thread is in from now on. Returns the charged node. */
static inline __attribute__((always_inline)) struct tree_node *context_charge(
	enum metric_shape shape, struct thread_context *context, const uint64_t *now,
	uint32_t third, enum transition transition, bool unwound)
{
	struct tree_node *node = context_node(shape, context, context->current);
	unsigned metrics = context_metrics(shape, context);
	uint32_t code = sequence_roll(context->code, third, transition);
	uint64_t delta[METRIC_MAX];

#pragma GCC unroll 3
	for (unsigned i = 0; i < metrics; i++) {
		delta[i] = now[i] - context->last[i];
		__atomic_store_n(&context->last[i], now[i], __ATOMIC_RELAXED);
	}
#pragma GCC unroll 3
	for (unsigned i = 0; i < metrics; i++)
		__atomic_store_n(&node->base[i], node->base[i] + delta[i], __ATOMIC_RELEASE);
	context_add(&node->transition[sequence_begin(code)][transition], 1);
	context->code = code;
	context_count_delta(shape, context, unwound ? sequence_unwound(code) : code, delta);
	return node;
}

static inline __attribute__((always_inline)) void context_count_call(
	struct tree_node *node, enum call_state state)
{
	context_add(&node->calls, 1);
	if (state == STATE_JITTED)
		context_add(&node->jitted, 1);
	if (state != STATE_NATIVE)
		return;
	if (!(node->children & TREE_NATIVE))
		__atomic_store_n(
			&node->children, node->children | TREE_NATIVE, __ATOMIC_RELAXED);
}

/* The current node's child entered last, or, if that is another method's, the one behind it in the
 * list: children are often called in turn. Perhaps neither is the method's. Both ways take
 * the same instructions, but for a jump, so that a call costs the same whichever it is; the jump
 * lets the processor guess, where a choice would have it wait. */
static inline __attribute__((always_inline)) uint32_t context_guess_child(
	enum metric_shape shape, const struct thread_context *context,
	const struct tree_node *parent, uint32_t method)
{
	uint32_t child = parent->last_child;
	const struct tree_node *last = context_node(shape, context, child);
	uint32_t none = last->next_sibling ? 0 : UINT32_MAX;
	uint32_t next = last->next_sibling | (parent->first_child & none);

	/* The compiler is kept from working out on one way only what one of them needs. */
	__asm__("" : "+r"(next));
	if (__builtin_expect(last->method != method, 0)) {
		__asm__ volatile("");
		child = next;
	}
	__asm__("" : "+r"(child));
	return child;
}

/* A frame for the method, and its node, a child of parent, which is the current one. */
static inline __attribute__((always_inline)) void context_push(enum metric_shape shape,
	struct thread_context *context, struct tree_node *parent, uint32_t method,
	uint32_t third)
{
	if (__builtin_expect(context->stack.top >= context->stack.limit, 0) &&
		!context_push_rare(context))
		return;

	uint32_t child = context_guess_child(shape, context, parent, method);
	struct tree_node *node = context_node(shape, context, child);
	if (__builtin_expect(node->method == method, 1)) {
		__atomic_store_n(&parent->last_child, child, __ATOMIC_RELAXED);
	} else {
		child = context_child(context, method);
		node = context_node(shape, context, child);
	}
	context_count_call(node, sequence_state(third));
	*++context->stack.top = (struct shadow_frame){child, method, third};
	__atomic_store_n(&context->current, child, __ATOMIC_RELEASE);
}

/* The thread enters the method. shape: that of the metric set, a constant. */
static inline __attribute__((always_inline)) void context_enter(enum metric_shape shape,
	struct thread_context *context, uint32_t method, enum call_state state, bool is_static)
{
	uint32_t third = sequence_third(state, is_static);
	struct tree_node *parent;
	uint64_t now[METRIC_MAX];

	metric_read(shape, context->set, context->metric, now);
	parent = context_charge(shape, context, now, third, TRANSITION_ENTRY, false);
	context_push(shape, context, parent, method, third);
	context_trace(shape, context, EVENT_ENTRY, method, now);
	if (__builtin_expect(--context->toll.left == 0, 0))
		context_toll(context, method);
}

/* The thread leaves the method, by a return or (unwound) by an exception: both are exits
 * to the tree, the latter are counted for the thread. If it is not on top, its innermost
 * frame is left: an exception has left those above it too; a return has not, they are
 * repaired. False: it has no frame; nothing was charged. */
static inline __attribute__((always_inline)) bool context_exit(
	enum metric_shape shape, struct thread_context *context, uint32_t method, bool unwound)
{
	uint64_t now[METRIC_MAX];

	metric_read(shape, context->set, context->metric, now);
	if (__builtin_expect(context->stack.top->method != method, 0))
		return context_exit_rare(context, method, unwound, now);
	if (__builtin_expect(unwound, 0))
		context_add(&context->unwound, 1);
	context_charge(
		shape, context, now, context->stack.top[-1].third, TRANSITION_EXIT, unwound);
	context->stack.top--;
	__atomic_store_n(&context->current, context->stack.top->node, __ATOMIC_RELEASE);
	context_came_back(context);
	context_trace(shape, context, unwound ? EVENT_UNWIND : EVENT_EXIT, method, now);
	return true;
}

/* Behind an event whose probe is precise: what was used since is the probe's own. It is
 * charged at once, as spent, and the delta begins here. So it does not matter to it
 * where the tree was in the caches. precise: a constant. */
static inline __attribute__((always_inline)) void context_spend(
	enum metric_shape shape, struct thread_context *context, bool precise)
{
	unsigned metrics = context_metrics(shape, context);
	struct tree_node *node = context_node(shape, context, context->current);
	uint64_t now[METRIC_MAX], spent[METRIC_MAX];

	if (!precise)
		return;
	fence(precise);
	metric_read(shape, context->set, context->metric, now);
#pragma GCC unroll 3
	for (unsigned i = 0; i < metrics; i++) {
		spent[i] = now[i] - context->last[i];
		__atomic_store_n(&context->last[i], now[i], __ATOMIC_RELAXED);
	}
#pragma GCC unroll 3
	for (unsigned i = 0; i < metrics; i++) {
		context_add(&node->base[metrics + i], spent[i]);
		__atomic_store_n(&node->base[i], node->base[i] + spent[i], __ATOMIC_RELEASE);
	}
	if (__builtin_expect(context_is_traced(context), 0) && context->wall >= 0)
		context_trace_more(context, EVENT_SPENT, spent[context->wall]);
}

#endif
