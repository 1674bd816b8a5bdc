/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/*
 * cpu_time: the page of the dummy event, and the kernel's own answer.
 */
#include "metric/cpu_time.h"

#include <errno.h>
#include <stddef.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "metric/perf_page.h"

/* A thread that is scheduled in again during this many system calls is asked next time. */
#define CPU_TIME_TRIES 4

/* Stands in for the page's word; max_age is 0 then. */
static const volatile uint32_t cpu_time_no_page;

static uint64_t cpu_time_system(clockid_t clock)
{
	struct timespec now;

	if (clock_gettime(clock, &now) != 0)
		return 0;
	return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

bool cpu_time_open(struct cpu_time *cpu)
{
	struct perf_event_mmap_page *page = clock_scale.mult ? perf_page_dummy() : NULL;

	*cpu = (struct cpu_time){
		.lock = page ? (const volatile uint32_t *)&page->lock : &cpu_time_no_page,
		.max_age = page ? clock_scale.ms : 0,
		.tid = (pid_t)syscall(SYS_gettid),
		.page = page,
	};
	cpu_time_synchronise(cpu);
	return page != NULL;
}

void cpu_time_close(struct cpu_time *cpu)
{
	perf_page_unmap(cpu->page);
	cpu->page = NULL;
	cpu->lock = &cpu_time_no_page;
	cpu->max_age = 0;
	cpu->tid = 0;
}

uint64_t cpu_time_synchronise(struct cpu_time *cpu)
{
	/* The stamp is taken behind the answer: the estimate lags the truth by what the system
	 * call takes to return, and the next answer is not below it. */
	for (int i = 0; i < CPU_TIME_TRIES; i++) {
		cpu->seen = *cpu->lock;
		cpu->ns = cpu_time_system(CLOCK_THREAD_CPUTIME_ID);
		cpu->stamp = time_stamp_read();
		atomic_signal_fence(memory_order_seq_cst);
		if (*cpu->lock == cpu->seen)
			break;
	}
	if (cpu->ns > cpu->last)
		cpu->last = cpu->ns;
	return cpu->last;
}

uint64_t cpu_time_from_outside(const struct cpu_time *cpu)
{
	int saved = errno;
	/* Linux, include/linux/posix-timers_types.h: the complement of the thread id, a bit
	 * for "one thread" (4) and CPUCLOCK_SCHED (2), as pthread_getcpuclockid makes it. */
	clockid_t clock = (clockid_t)(~(unsigned)cpu->tid << 3 | 6);
	uint64_t now = cpu->tid ? cpu_time_system(clock) : 0;

	errno = saved;
	return now;
}
