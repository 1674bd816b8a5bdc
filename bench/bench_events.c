/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/*
 * bench_events: a trace of events at a given rate, without a JVM: a thread that records entries and exits, a second one that
 * packs them and writes them into a profile, as the agent's writer does. What was lost, and what either used of its processor.
 *
 *   bench_events PROFILE EVENTS_A_SECOND SECONDS [MAX_MEMORY_MB]
 */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#include "agent/session/event_pack.h"
#include "agent/trace/trace.h"
#include "metric/clock.h"
#include "profile/profile_write.h"

enum {
	STEP = 2000,      /* events between two looks at the clock */
	PAUSE_US = 50000, /* between two drains */
	URGENT = 1 << 20
};

struct bench {
	struct trace *trace;
	struct event_packer *packer;
	struct profile_writer *profile;
	uint64_t began, blocks, bytes;
	double writer_ns;
	_Atomic bool ends;
};

static double used(clockid_t clock)
{
	struct timespec time;

	clock_gettime(clock, &time);
	return (double)time.tv_sec * 1e9 + (double)time.tv_nsec;
}

static __attribute__((noinline)) uint64_t fib(struct thread_context *context, uint32_t n)
{
	uint64_t events = 2;

	context_enter(SHAPE_WALL, context, METHOD_FIRST + n, STATE_JITTED, false);
	if (n >= 2)
		events += fib(context, n - 1) + fib(context, n - 2);
	context_exit(SHAPE_WALL, context, METHOD_FIRST + n, false);
	return events;
}

/* So many events, at that rate (0: as fast as it goes). ns of processor time an event, without waiting. */
static double record(
	struct thread_context *context, double rate, double seconds, uint64_t *events)
{
	uint64_t begin = clock_now(), end = begin + (uint64_t)(seconds * 1e9);
	double busy = 0;

	*events = 0;
	while (clock_now() < end) {
		double start = used(CLOCK_THREAD_CPUTIME_ID);
		uint64_t due;

		for (uint64_t last = *events; *events < last + STEP;)
			*events += fib(context, 10);
		busy += used(CLOCK_THREAD_CPUTIME_ID) - start;
		due = rate > 0 ? begin + (uint64_t)((double)*events / rate * 1e9) : 0;
		while (clock_now() < due && clock_now() < end)
			;
	}
	return busy / (double)*events;
}

static void write_some(struct bench *bench, bool all)
{
	struct event_blocks *waiting = events_waiting(bench->packer);
	struct error error = {0};
	uint64_t put = 0;

	events_pack(bench->packer, all);
	if (all)
		events_seal(bench->packer, true);
	if (!all && waiting->bytes < URGENT)
		return;
	profile_begin(bench->profile, &error);
	for (const struct event_block *block = waiting->first; block; block = block->next) {
		const struct profile_event_block record = {.id = bench->blocks + ++put,
			.thread = block->stream,
			.number = block->number,
			.first = block->first - bench->began,
			.last = block->last - bench->began,
			.count = block->count,
			.lost = block->lost,
			.bytes = {block->bytes, block->size}};

		bench->bytes += block->size;
		profile_put(bench->profile, &record, &error);
	}
	if (profile_commit(bench->profile, &error) != 0 || error.code != ERROR_NONE)
		fprintf(stderr, "bench_events: %s\n", error.text);
	bench->blocks += put;
	while (put-- > 0)
		events_drop_first(bench->packer);
}

static void *write_all(void *argument)
{
	struct bench *bench = argument;

	while (!atomic_load(&bench->ends)) {
		usleep(PAUSE_US);
		write_some(bench, false);
	}
	write_some(bench, true);
	bench->writer_ns = used(CLOCK_THREAD_CPUTIME_ID);
	return NULL;
}

int main(int argc, char **argv)
{
	const struct thread_identity identity = {.name = "bench"};
	const struct profile_metric metric = {.name = "wall", .unit = "ns", .how = ""};
	double rate = argc > 2 ? atof(argv[2]) : 0, seconds = argc > 3 ? atof(argv[3]) : 5;
	uint64_t memory = argc > 4 ? (uint64_t)atoi(argv[4]) << 20 : (uint64_t)210 << 20;
	struct pattern_list names = {0};
	struct metric_set set;
	struct error error = {0};
	struct bench bench = {0};
	struct thread_context *context;
	struct event_counts counts;
	double without, with;
	uint64_t events, alone;
	pthread_t writer;

	if (argc < 2 || pattern_list_add(&names, "wall") != 0 ||
		metric_set_init(&set, &names, &error) != 0 ||
		profile_create(&bench.profile, argv[1], &metric, 1, NULL, &error) != 0) {
		fprintf(stderr, "bench_events: %s\n", argc < 2 ? "PROFILE?" : error.text);
		return 1;
	}
	bench.began = clock_system();
	bench.trace = trace_create(&set, memory);
	context = trace_thread_begin(bench.trace, &identity, (struct alloc_source){0});
	without = record(context, rate, seconds / 2, &alone);
	trace_prepare_events(bench.trace, NULL);
	bench.packer = event_packer_create(bench.trace, 0, NULL, NULL);
	trace_tell_events(bench.trace, true);
	pthread_create(&writer, NULL, write_all, &bench);
	with = record(context, rate, seconds, &events);
	trace_tell_events(bench.trace, false);
	atomic_store(&bench.ends, true);
	pthread_join(writer, NULL);
	counts = events_count(bench.packer);
	printf("%.1f million events a second, %llu lost of %llu; an event: %.1f ns without, "
	       "%.1f with "
	       "(%.2f), written %.1f ns, %.2f bytes\n",
		(double)events / seconds / 1e6, (unsigned long long)counts.lost,
		(unsigned long long)events, without, with, with / without,
		bench.writer_ns / (double)events, (double)bench.bytes / (double)counts.packed);
	trace_thread_end(bench.trace, context, NULL);
	event_packer_destroy(bench.packer);
	trace_destroy(bench.trace);
	profile_close(bench.profile, &error);
	return counts.lost > 0;
}
