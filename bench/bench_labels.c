/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/*
 * bench_labels: what labels cost, without a JVM: a change of a thread's tags, with the look at the metrics that it takes; the
 * value of a parameter, beside the entry and exit of its call; a line that calls.
 */
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "agent/trace/trace.h"
#include "agent/values/tag_sets.h"
#include "agent/values/values.h"

enum { A = METHOD_FIRST, TIMES = 5000000, VALUES = 8 };

/* ns this thread ran: other programs do not count. */
static double now(void)
{
	struct timespec time;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
	return (double)time.tv_sec * 1e9 + (double)time.tv_nsec;
}

static void print(const char *what, double start)
{
	printf("%-60s %6.1f ns\n", what, (now() - start) / TIMES);
}

/* As where a thread's allocation is looked up in the JVM. */
static uint64_t allocated(void *counter)
{
	return *(volatile uint64_t *)counter;
}

static void bench_tags(struct thread_context *context, const uint32_t *set, const char *metrics)
{
	char what[80];
	double start = now();

	for (int i = 0; i < TIMES; i++)
		context_tags(context, set[i % 2]);
	snprintf(what, sizeof(what), "context_tags, %s", metrics);
	print(what, start);
	start = now();
	for (int i = 0; i < TIMES; i++)
		context_tags(context, set[0]);
	snprintf(what, sizeof(what), "context_tags, the same, %s", metrics);
	print(what, start);
}

static void bench_read(struct thread_context *context, const char *metrics)
{
	uint64_t value[METRIC_MAX];
	char what[80];
	double start = now();

	for (int i = 0; i < TIMES; i++) {
		metric_read(SHAPE_ANY, context->set, context->metric, value);
		__asm__ volatile("" : : "r"(value[0]) : "memory");
	}
	snprintf(what, sizeof(what), "a look at the metrics alone, %s", metrics);
	print(what, start);
}

static __attribute__((noinline)) void enter(struct thread_context *context)
{
	context_enter(SHAPE_WALL, context, A, STATE_JITTED, false);
}

static __attribute__((noinline)) void leave(struct thread_context *context)
{
	context_exit(SHAPE_WALL, context, A, false);
}

static void bench_values(struct thread_context *context, uint32_t parameter)
{
	uint32_t label[VALUES], line[2];
	double start;

	for (uint32_t i = 0; i < VALUES; i++)
		label[i] = node_label(A, LABEL_VALUE,
			value_of(parameter, (const char[]){(char)('a' + i)}, 1));
	for (uint32_t i = 0; i < 2; i++)
		line[i] = node_label(A, LABEL_LINE, 10 + i);
	start = now();
	for (int i = 0; i < TIMES; i++) {
		enter(context);
		leave(context);
	}
	print("entry and exit", start);
	for (unsigned values = 1; values <= VALUES; values *= 2) {
		char what[60];

		start = now();
		for (int i = 0; i < TIMES; i++) {
			enter(context);
			context_value(context, label[(unsigned)i % values], true);
			leave(context);
		}
		snprintf(what, sizeof(what), "entry, one of %u values, exit", values);
		print(what, start);
	}
	start = now();
	for (int i = 0; i < TIMES; i++)
		node_label(A, LABEL_VALUE, 3 + (uint32_t)i % VALUES);
	print("node_label, known", start);
	enter(context);
	start = now();
	for (int i = 0; i < TIMES; i++)
		context_reach(context, line[i % 2]);
	print("context_reach, two lines in turn", start);
	leave(context);
}

/* The first so many metrics. */
static bool bench(unsigned count, const uint32_t *set, uint32_t parameter)
{
	static const char *const name[] = {"vm-objects", "wall", "cpu", "alloc"};
	static const char *const all[] = {
		"no metric of cost", "wall", "wall, cpu", "wall, cpu, alloc"};
	const char *metrics = all[count];
	static uint64_t counter;
	const struct thread_identity identity = {.name = "bench"};
	struct pattern_list names = {0};
	struct error error = {0};
	struct metric_set metric_set = {0};
	struct trace *trace;
	struct thread_context *context;

	for (unsigned i = count > 0; i <= count; i++)
		pattern_list_add(&names, name[i]);
	if (metric_set_init(&metric_set, &names, &error) != 0) {
		fprintf(stderr, "bench_labels: %s\n", error.text);
		return false;
	}
	trace = trace_create(&metric_set, 256 << 20);
	context =
		trace ? trace_thread_begin(trace, &identity,
				(struct alloc_source){.read = allocated, .argument = &counter})
		      : NULL;
	if (!context)
		return false;
	bench_read(context, metrics);
	bench_tags(context, set, metrics);
	if (metric_set.shape == SHAPE_WALL)
		bench_values(context, parameter);
	trace_thread_end(trace, context, NULL);
	trace_destroy(trace);
	return true;
}

int main(void)
{
	uint32_t user = parameter_make("user", true, KEEP_PLAIN, 100);
	uint32_t parameter = parameter_make("A(0)", false, KEEP_PLAIN, 100);
	uint32_t value[2] = {value_of(user, "a", 1), value_of(user, "b", 1)};
	uint32_t set[2] = {tag_set_with(0, value[0]), tag_set_with(0, value[1])}, now_at = 0;
	double start = now();

	for (int i = 0; i < TIMES; i++)
		now_at = tag_set_with(now_at, value[i % 2]);
	print("tag_set_with, known", start);
	for (unsigned count = 0; count < 4; count++)
		if (!bench(count, set, parameter))
			return 1;
	return now_at == 0;
}
