/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/* wall_clock: see wall_clock.h. */
#include "agent/sample/wall_clock.h"

#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <time.h>

#include "metric/clock.h"

enum { SHARE = 10 }; /* looks take one of so many parts of the time at most */

static struct {
	pthread_t thread;
	bool begun;
	uint64_t period; /* ns */
	void (*look)(struct sampled_thread *thread, uint32_t ticks);
	_Atomic bool ending;
} wall;

static void wait_until(uint64_t ns)
{
	struct timespec at = {
		.tv_sec = (time_t)(ns / 1000000000), .tv_nsec = (long)(ns % 1000000000)};

	clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &at, NULL);
}

static void *run(void *unused)
{
	uint64_t begin = clock_system(), tick = 0;
	uint32_t next = 0;

	while (!atomic_load(&wall.ending)) {
		uint64_t now;

		wait_until(begin + (tick + 1) * wall.period);
		now = clock_system();
		tick = (now - begin) / wall.period;
		next = sampled_threads_visit(next, tick, now + wall.period / SHARE, wall.look);
	}
	return NULL;
}

int wall_clock_begin(
	uint64_t period, void (*look)(struct sampled_thread *thread, uint32_t ticks))
{
	sigset_t all, before;
	int result;

	wall.period = period;
	wall.look = look;
	atomic_store(&wall.ending, false);
	sigfillset(&all);
	/* What the JVM's guarded load raises (safe_read.h). */
	sigdelset(&all, SIGSEGV);
	sigdelset(&all, SIGBUS);
	pthread_sigmask(SIG_SETMASK, &all, &before);
	result = pthread_create(&wall.thread, NULL, run, NULL);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	wall.begun = result == 0;
	if (wall.begun)
		pthread_setname_np(wall.thread, "jprof clock");
	return result;
}

void wall_clock_stop(void)
{
	atomic_store(&wall.ending, true);
	if (wall.begun)
		pthread_join(wall.thread, NULL);
	wall.begun = false;
}
