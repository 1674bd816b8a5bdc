/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/* event_cost: see event_cost.h. */
#include "agent/trace/event_cost.h"

#include "agent/trace/fence.h"
#include "agent/trace/thread_context.h"
#include "agent/trace/trace.h"

enum {
	BATCHES = 5,
	PAIRS = 2000, /* of an entry and its exit, in a batch */
	MEMORY = 1 << 20,
	METHOD = METHOD_FIRST
};

/* Compiled Java code calls a static native method of a word, and it returns. */
static const double call_ns = 3.5;

static inline __attribute__((always_inline)) void batch(
	enum metric_shape shape, bool precise, struct thread_context *context)
{
	for (int i = 0; i < PAIRS; i++) {
		fence(precise);
		context_enter(shape, context, METHOD, STATE_JITTED, false);
		context_spend(shape, context, precise);
		fence(precise);
		fence(precise);
		context_exit(shape, context, METHOD, false);
		context_spend(shape, context, precise);
		fence(precise);
	}
}

#define X(shape, name)                                                                         \
	static void batch_##name(struct thread_context *context)                               \
	{                                                                                      \
		batch(shape, false, context);                                                  \
	}                                                                                      \
	static void batch_##name##_precise(struct thread_context *context)                     \
	{                                                                                      \
		batch(shape, true, context);                                                   \
	}
METRIC_SHAPE_TABLE(X)
#undef X

static void (*const batch_of[METRIC_SHAPES][2])(struct thread_context *context) = {
#define X(shape, name) [shape] = {batch_##name, batch_##name##_precise},
	METRIC_SHAPE_TABLE(X)
#undef X
};

/* The best of some: what disturbs makes it slower only. */
static double measure(
	const struct metric_set *set, bool precise, struct thread_context *context)
{
	uint64_t best = UINT64_MAX;

	for (int i = 0; i < BATCHES; i++) {
		uint64_t begin = clock_system(), took;

		batch_of[set->shape][precise](context);
		took = clock_system() - begin;
		if (took < best)
			best = took;
	}
	return (double)best / (2 * PAIRS) + call_ns;
}

double event_cost(const struct metric_set *set, bool precise, struct alloc_source alloc)
{
	const struct thread_identity identity = {.name = "cost"};
	struct trace *trace = trace_create(set, MEMORY);
	struct thread_context *context =
		trace ? trace_thread_begin(trace, &identity, alloc) : NULL;
	double cost = context ? measure(set, precise, context) : 0;

	if (context)
		trace_thread_end(trace, context, NULL);
	trace_destroy(trace);
	return cost;
}
