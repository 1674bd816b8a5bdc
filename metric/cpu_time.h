/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/*
 * cpu_time: how long a thread ran, for the price of a time-stamp read.
 *
 * A software perf event that counts nothing (PERF_COUNT_SW_DUMMY) hangs on the thread. Each
 * time the kernel schedules the thread in, it updates the event's page, and the page's
 * `lock` word changes. While the word is what it was when we last asked the kernel, the
 * thread has run without a break:
 *
 *   cpu = ns + (stamp now - stamp then)        all three taken at the last synchronisation
 *
 * Otherwise, and every millisecond in any case, the kernel is asked again: interrupts and
 * time stolen by a hypervisor are not charged to the thread, but leave the word alone. The
 * error is thus bounded by what interrupts take within one millisecond, and never adds up.
 *
 * Without the page (perf events forbidden, no memory left to lock, no sound time stamp) the
 * kernel is asked at every read.
 *
 * Runs: open, read, close in the thread itself; cpu_time_from_outside in any.
 */
#ifndef JPROF_CPU_TIME_H
#define JPROF_CPU_TIME_H

#include <stdbool.h>
#include <stdatomic.h>
#include <stdint.h>
#include <sys/types.h>

#include "metric/clock.h"

/* Embedded; open and close. One page of 4 KiB of kernel memory, no descriptor. */
struct cpu_time {
	const volatile uint32_t *lock; /* the page's word, or a constant */
	uint64_t stamp;                /* at the last synchronisation: the time stamp, */
	uint64_t ns;                   /* the kernel's answer, */
	uint32_t seen;                 /* and the word */
	pid_t tid;                     /* 0 when not open */
	uint64_t max_age; /* ticks to the next synchronisation; 0: ask every time */
	uint64_t last;    /* what was last given out */
	void *page;       /* mapping, or NULL */
};

/* True if the cheap way was had. The other one is then in place: it cannot fail. */
bool cpu_time_open(struct cpu_time *cpu);
void cpu_time_close(struct cpu_time *cpu);

/* Asks the kernel. Returns ns, no less than was last given out. */
uint64_t cpu_time_synchronise(struct cpu_time *cpu);

/* CLOCK_THREAD_CPUTIME_ID of the thread, from any other one; 0 if it has ended. */
uint64_t cpu_time_from_outside(const struct cpu_time *cpu);

/* ns that the calling thread ran. stamp was read just before: if the word is still the same
 * after it, the thread was not interrupted between the last synchronisation and the stamp. */
static inline uint64_t cpu_time_read(struct cpu_time *cpu, uint64_t stamp)
{
	uint64_t age = stamp - cpu->stamp;
	uint64_t now;

	atomic_signal_fence(memory_order_seq_cst);
	if (__builtin_expect(*cpu->lock != cpu->seen || age >= cpu->max_age, 0))
		return cpu_time_synchronise(cpu);
	now = cpu->ns + clock_ticks_to_ns(age);
	if (now < cpu->last)
		return cpu->last;
	cpu->last = now;
	return now;
}

#endif
