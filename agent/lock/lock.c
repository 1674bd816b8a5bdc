/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/*
 * lock: mutexes with a rank.
 *
 * Owns: per thread, one bit for each rank it holds (builds without NDEBUG).
 * Runs: on any thread. A breach of the order is reported and counted, no more: the process is
 *       the application's.
 */
#include "agent/lock/lock.h"

#include <stdatomic.h>
#include <stdio.h>
#include <unistd.h>

static atomic_ulong violations;

_Static_assert(LOCK_RANKS <= 64, "a bit of `held` each");

#ifdef NDEBUG
enum { CHECKED = false };
#else
enum { CHECKED = true };
#endif

static __thread uint64_t held __attribute__((tls_model("initial-exec")));

static void report(const char *what, const struct lock *lock)
{
	char line[128];
	int length;

	if (atomic_fetch_add(&violations, 1) > 0)
		return;
	length = snprintf(line, sizeof(line), "jprof: lock of rank %d %s (held: %#llx)\n",
		(int)lock->rank, what, (unsigned long long)held);
	if (length > 0 && write(STDERR_FILENO, line, (size_t)length) < 0)
		return; /* no test listens */
}

static void note_take(const struct lock *lock)
{
	if (!CHECKED)
		return;
	if (held >> lock->rank)
		report("taken out of order", lock);
	held |= UINT64_C(1) << lock->rank;
}

static void note_give(const struct lock *lock)
{
	if (!CHECKED)
		return;
	if (!(held & UINT64_C(1) << lock->rank))
		report("given back but not held", lock);
	held &= ~(UINT64_C(1) << lock->rank);
}

void lock_init(struct lock *lock, enum lock_rank rank)
{
	/* Default attributes: cannot fail with the C libraries of Linux. */
	pthread_mutex_init(&lock->mutex, NULL);
	lock->rank = rank;
}

void lock_fini(struct lock *lock)
{
	pthread_mutex_destroy(&lock->mutex);
}

void lock_take(struct lock *lock)
{
	note_take(lock);
	pthread_mutex_lock(&lock->mutex);
}

bool lock_try(struct lock *lock)
{
	if (pthread_mutex_trylock(&lock->mutex) != 0)
		return false;
	note_take(lock);
	return true;
}

void lock_give(struct lock *lock)
{
	note_give(lock);
	pthread_mutex_unlock(&lock->mutex);
}

struct timespec lock_deadline(uint64_t ms)
{
	struct timespec until;

	clock_gettime(CLOCK_MONOTONIC, &until);
	until.tv_sec += (time_t)(ms / 1000);
	until.tv_nsec += (long)(ms % 1000) * 1000000;
	if (until.tv_nsec >= 1000000000) {
		until.tv_sec++;
		until.tv_nsec -= 1000000000;
	}
	return until;
}

unsigned long lock_violations(void)
{
	return atomic_load(&violations);
}
