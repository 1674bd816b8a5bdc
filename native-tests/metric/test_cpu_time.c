/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/* cpu_time: the kernel's number, also when threads fight for a core, and when the cheap way
 * is not to be had. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

#include "metric/cpu_time.h"

static uint64_t kernel_cpu(void)
{
	struct timespec now;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
	return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

static uint64_t read_now(struct cpu_time *cpu)
{
	return cpu_time_read(cpu, time_stamp_read());
}

/* Reads for so many ns of wall time; fails when it goes backwards. */
static int burn(struct cpu_time *cpu, uint64_t ns)
{
	uint64_t end = clock_system() + ns, last = 0;

	while (clock_system() < end) {
		uint64_t now = read_now(cpu);

		if (now < last)
			return -1;
		last = now;
	}
	return 0;
}

static void agrees_with_the_kernel(void **state)
{
	struct cpu_time cpu;
	uint64_t ours, kernel;

	cpu_time_open(&cpu);
	assert_int_equal(burn(&cpu, 100000000), 0);
	kernel = kernel_cpu();
	ours = read_now(&cpu);
	cpu_time_close(&cpu);
	assert_true(ours + kernel / 100 > kernel && ours < kernel + kernel / 100 + 1000000);
}

static void does_not_grow_asleep(void **state)
{
	struct timespec wait = {.tv_nsec = 200000000};
	struct cpu_time cpu;
	uint64_t before;

	cpu_time_open(&cpu);
	before = read_now(&cpu);
	nanosleep(&wait, NULL);
	assert_true(read_now(&cpu) - before < 20000000);
	cpu_time_close(&cpu);
}

static void takes_no_descriptor(void **state)
{
	struct cpu_time cpu;
	int before = open("/dev/null", O_RDONLY), after;

	close(before);
	cpu_time_open(&cpu);
	after = open("/dev/null", O_RDONLY);
	close(after);
	cpu_time_close(&cpu);
	assert_int_equal(before, after);
}

static void asks_the_kernel_without_a_page(void **state)
{
	struct rlimit limit, none;
	struct cpu_time cpu;
	bool cheap;

	assert_int_equal(getrlimit(RLIMIT_NOFILE, &limit), 0);
	none = (struct rlimit){.rlim_cur = 0, .rlim_max = limit.rlim_max};
	setrlimit(RLIMIT_NOFILE, &none);
	cheap = cpu_time_open(&cpu);
	setrlimit(RLIMIT_NOFILE, &limit);
	assert_false(cheap);
	for (int i = 0; i < 1000; i++) {
		uint64_t before = kernel_cpu(), ours = read_now(&cpu), after = kernel_cpu();

		assert_in_range(ours, before, after);
	}
	cpu_time_close(&cpu);
}

struct fighter {
	pthread_t thread;
	uint64_t ours, kernel;
	int backward;
};

static void *fight(void *argument)
{
	struct fighter *fighter = argument;
	uint64_t ours, kernel;
	struct cpu_time cpu;

	cpu_time_open(&cpu);
	kernel = kernel_cpu();
	ours = read_now(&cpu);
	fighter->backward = burn(&cpu, 600000000);
	fighter->ours = read_now(&cpu) - ours;
	fighter->kernel = kernel_cpu() - kernel;
	cpu_time_close(&cpu);
	return NULL;
}

static void holds_with_three_threads_on_a_core(void **state)
{
	struct fighter fighter[3] = {0};
	cpu_set_t core;

	CPU_ZERO(&core);
	CPU_SET((size_t)sched_getcpu(), &core);
	for (int i = 0; i < 3; i++) {
		assert_int_equal(
			pthread_create(&fighter[i].thread, NULL, fight, &fighter[i]), 0);
		pthread_setaffinity_np(fighter[i].thread, sizeof(core), &core);
	}
	for (int i = 0; i < 3; i++)
		pthread_join(fighter[i].thread, NULL);
	for (int i = 0; i < 3; i++) {
		uint64_t allowed = fighter[i].kernel / 100 + 100000;

		assert_int_equal(fighter[i].backward, 0);
		assert_in_range(fighter[i].ours, fighter[i].kernel - allowed,
			fighter[i].kernel + allowed);
	}
}

struct watched {
	struct cpu_time cpu;
	pthread_barrier_t open, seen;
};

static void *be_watched(void *argument)
{
	struct watched *watched = argument;

	cpu_time_open(&watched->cpu);
	burn(&watched->cpu, 50000000);
	pthread_barrier_wait(&watched->open);
	pthread_barrier_wait(&watched->seen);
	cpu_time_close(&watched->cpu);
	return NULL;
}

static void is_seen_from_outside(void **state)
{
	struct watched watched;
	pthread_t thread;
	uint64_t outside, inside;

	pthread_barrier_init(&watched.open, NULL, 2);
	pthread_barrier_init(&watched.seen, NULL, 2);
	assert_int_equal(pthread_create(&thread, NULL, be_watched, &watched), 0);
	pthread_barrier_wait(&watched.open);
	outside = cpu_time_from_outside(&watched.cpu);
	inside = watched.cpu.last;
	pthread_barrier_wait(&watched.seen);
	pthread_join(thread, NULL);
	assert_true(inside > 1000000);
	assert_in_range(outside, inside - inside / 50, inside + inside / 50 + 1000000);
	assert_int_equal(cpu_time_from_outside(&watched.cpu), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(agrees_with_the_kernel),
		cmocka_unit_test(does_not_grow_asleep),
		cmocka_unit_test(takes_no_descriptor),
		cmocka_unit_test(asks_the_kernel_without_a_page),
		cmocka_unit_test(holds_with_three_threads_on_a_core),
		cmocka_unit_test(is_seen_from_outside),
	};

	clock_init();
	return cmocka_run_group_tests(tests, NULL, NULL);
}
