/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/*
 * bench_tree: what recording an entry and an exit costs, without a JVM: a recursion like
 * fib's, a loop over a few children, and a wide tree that grows.
 */
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "agent/trace/trace.h"

enum { FIB = METHOD_FIRST, LOOP, FIRST_LEAF };

/* ns this thread ran: other programs do not count. */
static double now(void)
{
	struct timespec time;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
	return (double)time.tv_sec * 1e9 + (double)time.tv_nsec;
}

static __attribute__((noinline)) void event_enter(
	struct thread_context *context, uint32_t method)
{
	context_enter(SHAPE_WALL, context, method, STATE_JITTED, false);
}

static __attribute__((noinline)) void event_exit(
	struct thread_context *context, uint32_t method)
{
	context_exit(SHAPE_WALL, context, method, false);
}

static uint64_t fib(struct thread_context *context, int n)
{
	uint64_t calls = 1;

	event_enter(context, FIB);
	if (n >= 2)
		calls += fib(context, n - 1) + fib(context, n - 2);
	event_exit(context, FIB);
	return calls;
}

static uint64_t loop(struct thread_context *context, uint32_t children)
{
	uint64_t calls = 1;

	event_enter(context, LOOP);
	for (int i = 0; i < 10000000; i++, calls++) {
		uint32_t leaf = FIRST_LEAF + (uint32_t)i % children;

		event_enter(context, leaf);
		event_exit(context, leaf);
	}
	event_exit(context, LOOP);
	return calls;
}

static uint64_t grow(struct thread_context *context)
{
	uint64_t calls = 0;

	for (uint32_t a = 0; a < 1000; a++, calls++) {
		event_enter(context, FIRST_LEAF + a);
		for (uint32_t b = 0; b < 1000; b++, calls++) {
			event_enter(context, FIRST_LEAF + b);
			event_exit(context, FIRST_LEAF + b);
		}
		event_exit(context, FIRST_LEAF + a);
	}
	return calls;
}

static void print(const char *what, uint64_t calls, double ns, struct trace *trace)
{
	struct trace_state state;

	trace_get_state(trace, &state);
	printf("%-40s %6.1f ns a call, %9llu calls, %7llu KB\n", what, ns / (double)calls,
		(unsigned long long)calls, (unsigned long long)state.memory_used >> 10);
}

static void bench_clock(const struct metric_set *set, struct thread_context *context)
{
	enum { READS = 20000000 };
	uint64_t value[METRIC_MAX];
	double start = now();

	for (int i = 0; i < READS; i++) {
		metric_read(SHAPE_WALL, set, context->metric, value);
		__asm__ volatile("" : : "r"(value[0]));
	}
	printf("%-40s %6.1f ns a call\n", "two clock reads alone", 2 * (now() - start) / READS);
}

int main(void)
{
	struct pattern_list names = {0};
	struct metric_set set;
	struct error error = {0};
	struct trace *trace;
	struct thread_context *context;
	struct thread_identity identity = {.name = "bench"};
	double start;
	uint64_t calls;

	if (pattern_list_add(&names, "wall") != 0 ||
		metric_set_init(&set, &names, &error) != 0) {
		fprintf(stderr, "bench_tree: %s\n", error.text);
		return 1;
	}
	trace = trace_create(&set, 256 << 20);
	context = trace != NULL ? trace_thread_begin(trace, &identity, (struct alloc_source){0})
				: NULL;
	if (context == NULL)
		return 1;
	printf("node: %u bytes with one metric, 8 of them apart\n", context->tree.stride + 8);
	bench_clock(&set, context);
	fib(context, 25);

	start = now();
	calls = fib(context, 32);
	print("recursion (fib 32)", calls, now() - start, trace);
	for (uint32_t children = 1; children <= 64; children *= 4) {
		char what[64];

		snprintf(what, sizeof(what), "loop over %u children", children);
		start = now();
		calls = loop(context, children);
		print(what, calls, now() - start, trace);
	}
	start = now();
	calls = grow(context);
	print("a million new paths", calls, now() - start, trace);
	start = now();
	calls = grow(context);
	print("the same paths again", calls, now() - start, trace);
	trace_thread_end(trace, context, NULL);
	trace_destroy(trace);
	return 0;
}
