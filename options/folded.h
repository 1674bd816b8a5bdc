/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/*
 * folded: what is said of memory that was short: of calls whose paths were folded for
 * that, by the agent when a recording ends and by reports; of what went beyond it
 * nevertheless, by the agent.
 */
#ifndef JPROF_FOLDED_H
#define JPROF_FOLDED_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { FOLDED_LINE = 160 }; /* bytes that hold any line of it */

/* The line, where more than a hundredth of the calls has no path any more. limit: the bytes that all paths
 * could take, 0: not known. False: there is nothing to say. */
bool folded_line(char line[FOLDED_LINE], uint64_t calls, uint64_t folded, uint64_t limit);

/* The line, where exact counts took far more memory than they may. limit: max_memory,
 * bytes. False: there is nothing to say. */
bool exceeded_line(char line[FOLDED_LINE], uint64_t peak, uint64_t limit);

#endif
