/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/*
 * bench_cpu_time: what reading `cpu` and `wall` costs against the system calls, and how far
 * they are from them after some seconds with three threads on one core.
 *
 *   bench_cpu_time [SECONDS]        10 unless said otherwise
 */
#include <inttypes.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "metric/metric.h"

#define BENCH_THREADS 3
#define BENCH_READS   200000

static uint64_t bench_kernel_cpu(void)
{
	struct timespec now;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
	return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

/* ns of one system call: best of ten batches. */
static double bench_cost_kernel(void)
{
	uint64_t best = UINT64_MAX;

	for (int batch = 0; batch < 10; batch++) {
		uint64_t begin = clock_system(), took;

		for (int i = 0; i < BENCH_READS / 10; i++)
			bench_kernel_cpu();
		took = clock_system() - begin;
		if (took < best)
			best = took;
	}
	return (double)best / (BENCH_READS / 10);
}

static double bench_cost_ours(struct cpu_time *cpu)
{
	uint64_t best = UINT64_MAX;

	for (int batch = 0; batch < 10; batch++) {
		uint64_t begin = clock_system(), took;

		for (int i = 0; i < BENCH_READS; i++) {
			uint64_t now = cpu_time_read(cpu, time_stamp_read());

			__asm__ volatile("" : : "r"(now));
		}
		took = clock_system() - begin;
		if (took < best)
			best = took;
	}
	return (double)best / BENCH_READS;
}

static void bench_cost(void)
{
	struct cpu_time cpu;
	bool cheap = cpu_time_open(&cpu);
	double kernel = bench_cost_kernel(), ours = bench_cost_ours(&cpu);

	cpu_time_close(&cpu);
	printf("read by: %s\n", cheap ? "time stamp, perf page" : "clock_gettime");
	printf("clock_gettime(CLOCK_THREAD_CPUTIME_ID): %.1f ns\n", kernel);
	printf("cpu: %.1f ns, %.4f of it (at most 0.1: %s)\n", ours, ours / kernel,
		ours / kernel <= 0.1 ? "holds" : "EXCEEDED");
}

struct bench_thread {
	pthread_t thread;
	uint64_t kernel, ours; /* ns between the same two moments */
	uint64_t reads, backward;
	double worst; /* largest distance from the kernel's answer, ns */
};

static atomic_bool bench_stop;

/* Reads without a pause, and asks the kernel beside it now and then. */
static void *bench_fight(void *argument)
{
	struct bench_thread *bench = argument;
	uint64_t ours, kernel, last = 0;
	struct cpu_time cpu;

	cpu_time_open(&cpu);
	kernel = bench_kernel_cpu();
	ours = cpu_time_read(&cpu, time_stamp_read());
	while (!atomic_load_explicit(&bench_stop, memory_order_relaxed)) {
		uint64_t now = cpu_time_read(&cpu, time_stamp_read());

		bench->backward += now < last;
		last = now;
		if (++bench->reads % 65536 == 0) {
			double off = (double)now - (double)bench_kernel_cpu();

			off = off < 0 ? -off : off;
			bench->worst = off > bench->worst ? off : bench->worst;
		}
	}
	bench->ours = cpu_time_read(&cpu, time_stamp_read()) - ours;
	bench->kernel = bench_kernel_cpu() - kernel;
	cpu_time_close(&cpu);
	return NULL;
}

static void bench_one_core(unsigned seconds)
{
	struct bench_thread bench[BENCH_THREADS] = {0};
	struct timespec wait = {.tv_sec = seconds};
	uint64_t wall = clock_now(), system = clock_system();
	cpu_set_t core;

	CPU_ZERO(&core);
	CPU_SET((size_t)sched_getcpu(), &core);
	for (int i = 0; i < BENCH_THREADS; i++) {
		pthread_create(&bench[i].thread, NULL, bench_fight, &bench[i]);
		pthread_setaffinity_np(bench[i].thread, sizeof(core), &core);
	}
	nanosleep(&wait, NULL);
	atomic_store(&bench_stop, true);
	for (int i = 0; i < BENCH_THREADS; i++) {
		double off;

		pthread_join(bench[i].thread, NULL);
		off = ((double)bench[i].ours / (double)bench[i].kernel - 1) * 100;
		printf("thread %d: kernel %.6f s, cpu %.6f s, %+.5f %% (within 1: %s), %" PRIu64
		       " reads, %" PRIu64 " backward, off by at most %.1f us\n",
			i + 1, (double)bench[i].kernel / 1e9, (double)bench[i].ours / 1e9, off,
			off < 1 && off > -1 ? "holds" : "EXCEEDED", bench[i].reads,
			bench[i].backward, bench[i].worst / 1e3);
	}
	wall = clock_now() - wall;
	system = clock_system() - system;
	printf("wall by %s: %+.6f %% of CLOCK_MONOTONIC\n", clock_how(),
		((double)wall / (double)system - 1) * 100);
}

int main(int argc, char **argv)
{
	long seconds = argc > 1 ? strtol(argv[1], NULL, 10) : 10;

	if (seconds < 1 || seconds > 3600) {
		fprintf(stderr, "usage: bench_cpu_time [SECONDS]\n");
		return 2;
	}
	clock_init();
	bench_cost();
	bench_one_core((unsigned)seconds);
	return 0;
}
