/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/* in_threads: a function in four threads at once, for tests of what threads share; behind cmocka.h. */
#ifndef JPROF_TEST_IN_THREADS_H
#define JPROF_TEST_IN_THREADS_H

#include <pthread.h>
#include <stdint.h>

/* hammer(1) to hammer(4). Each returns how often it found what it looked for: more than 1,000 times. */
static inline void in_threads(void *(*hammer)(void *number))
{
	enum { THREADS = 4 };
	pthread_t thread[THREADS];
	void *found;

	for (uintptr_t i = 0; i < THREADS; i++)
		assert_int_equal(pthread_create(&thread[i], NULL, hammer, (void *)(i + 1)), 0);
	for (int i = 0; i < THREADS; i++) {
		pthread_join(thread[i], &found);
		assert_true((uintptr_t)found > 1000);
	}
}

#endif
