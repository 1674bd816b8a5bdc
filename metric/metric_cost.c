/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/*
 * metric_cost: batches of readings between two looks at the system's clock.
 */
#include "metric/metric_cost.h"

#define COST_BATCHES 20
#define COST_READS   2000

static uint64_t cost_batch(const struct metric_set *set, struct metric_thread *thread)
{
	uint64_t value[METRIC_MAX];
	uint64_t begin = clock_system();

	for (int i = 0; i < COST_READS; i++) {
		switch (set->shape) {
		case SHAPE_WALL:
			metric_read(SHAPE_WALL, set, thread, value);
			break;
		case SHAPE_WALL_CPU:
			metric_read(SHAPE_WALL_CPU, set, thread, value);
			break;
		case SHAPE_WALL_CPU_ALLOC:
			metric_read(SHAPE_WALL_CPU_ALLOC, set, thread, value);
			break;
		case SHAPE_ANY:
			metric_read(SHAPE_ANY, set, thread, value);
			break;
		}
		/* The values are wanted: nothing of the reading may be left out. */
		__asm__ volatile("" : : "r"(value) : "memory");
	}
	return clock_system() - begin;
}

double metric_cost(const struct metric_set *set)
{
	static const volatile uint64_t still[3];
	struct alloc_source alloc = {
		.allocated = &still[0], .tlab_start = &still[1], .tlab_top = &still[2]};
	struct metric_thread thread;
	uint64_t best = UINT64_MAX;

	metric_thread_open(set, &thread, alloc);
	for (int i = 0; i < COST_BATCHES; i++) {
		uint64_t batch = cost_batch(set, &thread);

		if (batch < best)
			best = batch;
	}
	metric_thread_close(set, &thread);
	return (double)best / COST_READS;
}
