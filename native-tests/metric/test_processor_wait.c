/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/* processor_wait: what a thread that never sleeps does not run, it waits. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <time.h>
#include <unistd.h>

#include "metric/clock.h"
#include "metric/processor_wait.h"

enum { MS = 1000000, RIVALS = 3 };

static uint64_t cpu_now(void)
{
	struct timespec now;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
	return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

static void *burn(void *stop)
{
	while (!__atomic_load_n((bool *)stop, __ATOMIC_RELAXED))
		;
	return NULL;
}

/* Of one processor, with rivals, for 100 ms of its own. */
static void waits_for_rivals(void **state)
{
	cpu_set_t one, all;
	pthread_t rival[RIVALS];
	bool stop = false;
	uint64_t wait, elapsed, ran;

	sched_getaffinity(0, sizeof(all), &all);
	CPU_ZERO(&one);
	for (int cpu = 0; CPU_COUNT(&one) == 0; cpu++)
		if (CPU_ISSET(cpu, &all))
			CPU_SET(cpu, &one);
	sched_setaffinity(0, sizeof(one), &one);
	for (int i = 0; i < RIVALS; i++)
		assert_int_equal(pthread_create(&rival[i], NULL, burn, &stop), 0);
	/* The clock is read first and last: the thread may have to wait between two of these readings. */
	elapsed = clock_system();
	wait = processor_wait(gettid());
	ran = cpu_now();
	while (cpu_now() - ran < 100 * MS)
		;
	ran = cpu_now() - ran;
	wait = processor_wait(gettid()) - wait;
	elapsed = clock_system() - elapsed;
	__atomic_store_n(&stop, true, __ATOMIC_RELAXED);
	for (int i = 0; i < RIVALS; i++)
		pthread_join(rival[i], NULL);
	sched_setaffinity(0, sizeof(all), &all);
	if (access("/proc/self/schedstat", R_OK) != 0)
		skip();
	/* What another machine takes of this one is in neither. */
	if (wait > elapsed - ran + 10 * MS || wait < (elapsed - ran) / 2)
		fail_msg("waited %lu of %lu ns, ran %lu", wait, elapsed, ran);
}

static void nothing_is_told_of_others(void **state)
{
	errno = 7;
	assert_int_equal(processor_wait(0), 0);
	assert_int_equal(processor_wait(INT64_MAX), 0);
	assert_int_equal(errno, 7);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(waits_for_rivals),
		cmocka_unit_test(nothing_is_told_of_others),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
