/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/*
 * waiting: time limits, Ctrl-C, and what a user writes for a span of time.
 *
 * Moments are milliseconds of the monotonic clock. The environment's JPROF_TIMEOUT
 * (seconds) is the limit for answers of a JVM and of the agent in it.
 */
#ifndef JPROF_CLI_WAITING_H
#define JPROF_CLI_WAITING_H

#include <stdbool.h>
#include <stdint.h>

#include "error/error.h"

int64_t waiting_now(void);

/* The moment so many milliseconds from now. */
int64_t waiting_until(int64_t milliseconds);

/* How long an answer may take that has work to do first: 120 s. */
int64_t waiting_answer_limit(void);

/* Waits until the descriptor can be read (POLLIN) or written (POLLOUT), or its other side
 * is gone. 1, 0 when the moment has come first, or -1 with errno. Signals do not end it.
 */
int waiting_for(int descriptor, short events, int64_t moment);

/* Sleeps; a signal that is caught ends it. */
void waiting_sleep(int64_t milliseconds);

/* From now on the first INT or TERM is noted, and the second ends this program. */
void waiting_catch_interrupt(void);

/* Both do what they did before that. */
void waiting_leave_interrupt(void);

bool waiting_interrupted(void);

/* "1.5", "10s", "2m", "1h" as milliseconds above 0. 0, or a negative code. */
int waiting_read_span(const char *text, int64_t *milliseconds, struct error *error);

#endif
