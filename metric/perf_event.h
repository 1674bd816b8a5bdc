/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/*
 * perf_event: one event of perf_event_open, counted for one thread.
 *
 * In:   struct perf_event_choice, made from a name by perf_names.
 * Out:  struct perf_counter. Hardware counters are read from user space through the event's
 *       page where the kernel allows it, else by read(); software events by read().
 * Owns: a descriptor (moved out of the way of the application's) and perhaps a page.
 * Runs: open, read, close in the thread that is counted.
 *
 * Nothing is ever multiplexed: a thread's hardware events form one pinned group, which is
 * on the processor whole or refused.
 */
#ifndef JPROF_PERF_EVENT_H
#define JPROF_PERF_EVENT_H

#include <stdbool.h>
#include <stdint.h>

#include "error/error.h"

struct perf_event_mmap_page;

/* What to ask perf_event_open for: the fields of struct perf_event_attr that tell events
 * apart. */
struct perf_event_choice {
	uint64_t config, config1, config2;
	uint32_t type;
	bool exclude_user, exclude_kernel, exclude_hv, exclude_guest, exclude_host;
	bool hardware;   /* takes a counter of the processor */
	bool user_read;  /* can be read from user space on this machine */
	bool force_read; /* use read() in any case */
};

/* Embedded; one writer, the thread itself. */
struct perf_counter {
	struct perf_event_mmap_page *page; /* NULL: read() */
	int fd;                            /* plus 1, so that zero-initialised means closed */
	bool lost;                         /* it stopped counting, and that has been said */
	uint64_t last;                     /* what was last given out */
};

/* What its numbers are: "ns" for the kernel's two clocks, else "count". Borrowed, static. */
const char *perf_event_unit(const struct perf_event_choice *choice);

/* Opens the event on the calling thread, counting from now on. leader is the counter whose
 * group it joins, NULL for the first (and always for software events). 0, or -errno, and
 * the counter is closed. */
int perf_counter_open(struct perf_counter *counter, const struct perf_event_choice *choice,
	const struct perf_counter *leader);
void perf_counter_close(struct perf_counter *counter);

/* True if the event really counts, all the time and alone. */
bool perf_counter_counts(const struct perf_counter *counter);

/* True if the next read can be done without the kernel. */
bool perf_counter_is_fast(const struct perf_counter *counter);

/* Events so far. What cannot be read leaves the last value, and counts as a loss once.
 * errno is left alone. */
uint64_t perf_counter_read(struct perf_counter *counter);

/* The same from any thread, no less than floor. */
uint64_t perf_counter_from_outside(const struct perf_counter *counter, uint64_t floor);

/* Fills error with why the event of that name cannot be counted after perf_counter_open gave
 * -errno_value, and what can be done. Returns -code. */
int perf_event_explain(struct error *error, const char *name,
	const struct perf_event_choice *choice, int errno_value);

/* Counters that stopped counting after they were opened. */
uint64_t perf_event_losses(void);

#endif
