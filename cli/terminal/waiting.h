/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/*
 * waiting: time limits, Ctrl-C, and what a user writes for a span of time.
 *
 * Moments are milliseconds of the monotonic clock. The environment's JPROF_TIMEOUT
 * (seconds) is the limit for answers of a JVM and of the agent in it, whatever they are for.
 */
#ifndef JPROF_CLI_WAITING_H
#define JPROF_CLI_WAITING_H

#include <stdbool.h>
#include <stdint.h>

#include "error/error.h"

int64_t waiting_now(void);

/* The moment so many milliseconds from now. */
int64_t waiting_until(int64_t milliseconds);

/* Sleeps; a signal that is caught ends it. */
void waiting_sleep(int64_t milliseconds);

/* How long to wait for an answer that should take no longer than that. */
int64_t waiting_answer_limit(int64_t milliseconds);

/* ---- waits with a limit ---- */

/* A wait, which has a limit: it says on a terminal what it is for when it lasts. Embedded. */
struct waiting {
	int64_t begin, end;
	int64_t shown;  /* seconds on the terminal; 0: nothing is there */
	char what[160]; /* "the agent in process 4711 to answer 'stop'" */
};

/* format: what it waits for. */
void waiting_begin(struct waiting *waiting, int64_t limit, const char *format, ...)
	__attribute__((format(printf, 3, 4)));

/* Sleeps that long, but not beyond the limit. False when that was reached before. */
bool waiting_again(struct waiting *waiting, int64_t milliseconds);

/* Waits until the descriptor can be read (POLLIN) or written (POLLOUT), or its other side
 * is gone. 1, 0 when the limit is reached first, or -1 with errno. Signals do not end it. */
int waiting_for(struct waiting *waiting, int descriptor, short events);

/* The terminal is as before. Harmless the second time. */
void waiting_end(struct waiting *waiting);

/* "no answer within 120 s: waited for ...". Returns -ERROR_BUSY. */
int waiting_late(const struct waiting *waiting, struct error *error);

/* ---- Ctrl-C ---- */

/* From now on the first INT or TERM is noted, and the second ends this program. */
void waiting_catch_interrupt(void);

/* Both do what they did before that. */
void waiting_leave_interrupt(void);

bool waiting_interrupted(void);

/* "1.5", "10s", "2m", "1h" as milliseconds above 0. 0, or a negative code. */
int waiting_read_span(const char *text, int64_t *milliseconds, struct error *error);

#endif
