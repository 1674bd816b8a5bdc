/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/*
 * sample_event: one condition on one thread, told by the kernel: every so many ns of its processor time, or
 * every so many of an event, it gets a signal.
 *
 * perf_event_open(2) writes a record for each period into a ring of the event's own, a page, and sends
 * the signal. Signals that are still pending are not sent again; the ring has a record of each period
 * all the same, so that none is missed: sample_event_poll counts them.
 *
 * Where perf events are forbidden, or memory for rings is at its limit (perf_event_open(2), "mlock"), a
 * timer of the thread's clock does it for processor time (timer_create(2)): at the kernel's tick, so
 * that a signal may stand for several periods, and the timer tells how many.
 *
 * So it is with a thread whose turns on a processor are shorter than the period, one that is woken and
 * waits again all the time: for each turn the kernel would set the perf event's clock and stop it
 * again, which takes 9 us on a virtual machine; a timer takes nothing.
 *
 * Runs: open and close on any thread; poll and ease in the thread itself, in its signal handler.
 */
#ifndef JPROF_SAMPLE_EVENT_H
#define JPROF_SAMPLE_EVENT_H

#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>
#include <time.h>

#include "metric/perf_event.h"

struct sample_event_choice {
	struct perf_event_choice perf; /* what to ask perf_event_open for */
	uint64_t period;               /* ns for the clock, else events */
	bool clock;                    /* processor time: a timer can do it, too */
	bool timers;                   /* it has to: perf is forbidden */
	bool kernel_stack;             /* the kernel's part of the stack is to be had */
};

/* Embedded; zeroed: not open. */
struct sample_event {
	void *volatile ring; /* the event's pages; NULL: none */
	uint64_t tail;
	int timer; /* the kernel's number */
	bool timed;
	uint32_t periods, changes; /* of the ring's own count, when turns were last looked at */
	uint32_t hasty;            /* how often in a row there were too many */
};

/* Begins to sample the thread, which may be any of the process. 0, or -errno. */
int sample_event_open(struct sample_event *event, const struct sample_event_choice *choice,
	pid_t tid, int signal);

enum { KERNEL_FRAMES = 64 };

/* What happened since the last poll. */
struct sample_poll {
	uint32_t periods;   /* that passed */
	uint32_t lost;      /* beside them, for which the kernel had no room */
	uint32_t throttled; /* how often it stopped for a while, as there were too many */
	bool timed;         /* a timer told */
	unsigned frames;    /* of the last one, in the kernel, innermost first */
	uint64_t frame[KERNEL_FRAMES];
};

/* info: the signal's. poll is added to, but for frames. */
void sample_event_poll(
	struct sample_event *event, const siginfo_t *info, struct sample_poll *poll);

/* left: what the ring has that no poll told of: much if the thread has the signal blocked. */
void sample_event_close(struct sample_event *event, struct sample_poll *left);

/* Behind a poll: a timer takes the place of a perf event that costs more than it tells. True: it just did. */
bool sample_event_ease(struct sample_event *event, const struct sample_event_choice *choice,
	pid_t tid, int signal);

/* 0 if this process may sample by the choice as it is; else -errno says why not. */
int sample_event_try(const struct sample_event_choice *choice);

/* What an interrupt of a perf event's clock takes from a thread that does nothing else, in ns: the median of some dozens on
 * the calling thread, in 8 ms or so. 0: not known, as perf events are forbidden or hardly to be noticed. On a
 * processor of its own it is 1 to 3 us; on a virtual machine 20 and more, and 100 from a program that
 * has its caches full. */
uint64_t sample_event_interrupt_ns(void);

#endif
