/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/*
 * metric_read: the reading itself, inline in its callers. Part of metric.h.
 *
 * One time-stamp read serves all metrics of one reading. With a constant shape other than
 * SHAPE_ANY nothing is left but the readers' own code.
 */
#ifndef JPROF_METRIC_READ_H
#define JPROF_METRIC_READ_H

/* ns, never backwards even where processors reorder time-stamp reads. */
static inline uint64_t metric_read_wall(struct metric_thread *thread, uint64_t stamp)
{
	uint64_t now = clock_at(stamp);

	if (now < thread->wall)
		return thread->wall;
	thread->wall = now;
	return now;
}

static inline uint64_t metric_read_one(
	enum metric_kind kind, struct metric_thread *thread, unsigned index, uint64_t stamp)
{
	if (kind == METRIC_PERF)
		return perf_counter_read(&thread->perf[index]);
	if (kind == METRIC_WALL)
		return metric_read_wall(thread, stamp);
	if (kind == METRIC_CPU)
		return cpu_time_read(&thread->cpu, stamp);
	if (kind == METRIC_ALLOC)
		return alloc_read(&thread->alloc);
	return thread->counted[kind - METRIC_COUNTED];
}

static inline void metric_read_any(
	const struct metric_set *set, struct metric_thread *thread, uint64_t *value)
{
	uint64_t stamp = set->uses_stamp ? time_stamp_read() : 0;

	for (unsigned i = 0; i < set->count; i++)
		value[i] = metric_read_one(set->metric[i].kind, thread, i, stamp);
}

static inline __attribute__((always_inline)) void metric_read(enum metric_shape shape,
	const struct metric_set *set, struct metric_thread *thread, uint64_t *value)
{
	uint64_t stamp;

	if (shape == SHAPE_ANY) {
		metric_read_any(set, thread, value);
		return;
	}
	stamp = time_stamp_read();
	value[0] = metric_read_wall(thread, stamp);
	if (shape == SHAPE_WALL)
		return;
	value[1] = cpu_time_read(&thread->cpu, stamp);
	if (shape == SHAPE_WALL_CPU)
		return;
	value[2] = alloc_read(&thread->alloc);
}

#endif
