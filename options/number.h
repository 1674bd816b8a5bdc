/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/*
 * number: numbers as users write them. Signs, spaces and whatever follows a number are refused.
 */
#ifndef JPROF_OPTIONS_NUMBER_H
#define JPROF_OPTIONS_NUMBER_H

#include <stdbool.h>
#include <stdint.h>

/* A whole number from 0 on, decimal. */
bool number_read(const char *text, uint64_t *number);

/* "5%" and "0.5%" as parts of one, 0.05 and 0.005; "5" is the same as "5%". */
bool number_read_percent(const char *text, double *part);

/* "200ms", "1.5s", "1m30s": numbers and ns, us, ms, s, m or h, as ns. */
bool number_read_time(const char *text, uint64_t *ns);

/* The same in the largest unit that divides it. */
enum { NUMBER_TIME = 32 };
void number_write_time(uint64_t ns, char text[NUMBER_TIME]);

#endif
