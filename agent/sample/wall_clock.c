/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/* wall_clock: see wall_clock.h. */
#include "agent/sample/wall_clock.h"

#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <time.h>

#include "metric/clock.h"

enum { SHARE = 10 }; /* looks take one of so many parts of the time at most */

static struct {
	pthread_t thread;
	bool begun;
	uint64_t period; /* ns */
	void (*look)(struct sampled_thread *thread, uint32_t ticks);
	pthread_mutex_t mutex; /* taken around nothing else */
	pthread_cond_t ends;
	bool ending; /* under the mutex */
} wall = {.mutex = PTHREAD_MUTEX_INITIALIZER};

/* False: the clock is to end, which it does at once, however long a period is. */
static bool wait_until(uint64_t ns)
{
	struct timespec at = {
		.tv_sec = (time_t)(ns / 1000000000), .tv_nsec = (long)(ns % 1000000000)};
	int result = 0;
	bool ending;

	pthread_mutex_lock(&wall.mutex);
	while (!wall.ending && result == 0)
		result = pthread_cond_timedwait(&wall.ends, &wall.mutex, &at);
	ending = wall.ending;
	pthread_mutex_unlock(&wall.mutex);
	return !ending;
}

static void *run(void *unused)
{
	uint64_t begin = clock_system(), tick = 0;
	uint32_t next = 0;

	while (wait_until(begin + (tick + 1) * wall.period)) {
		uint64_t now = clock_system();

		tick = (now - begin) / wall.period;
		next = sampled_threads_visit(next, tick, now + wall.period / SHARE, wall.look);
	}
	return NULL;
}

int wall_clock_begin(
	uint64_t period, void (*look)(struct sampled_thread *thread, uint32_t ticks))
{
	pthread_condattr_t monotonic;
	sigset_t all, before;
	int result;

	wall.period = period;
	wall.look = look;
	wall.ending = false;
	pthread_condattr_init(&monotonic);
	pthread_condattr_setclock(&monotonic, CLOCK_MONOTONIC);
	pthread_cond_init(&wall.ends, &monotonic);
	pthread_condattr_destroy(&monotonic);
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
	else
		pthread_cond_destroy(&wall.ends);
	return result;
}

void wall_clock_stop(void)
{
	if (!wall.begun)
		return;
	pthread_mutex_lock(&wall.mutex);
	wall.ending = true;
	pthread_cond_signal(&wall.ends);
	pthread_mutex_unlock(&wall.mutex);
	pthread_join(wall.thread, NULL);
	pthread_cond_destroy(&wall.ends);
	wall.begun = false;
}
