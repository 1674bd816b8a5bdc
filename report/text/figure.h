/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/*
 * figure: numbers and names as short as people need them: three significant digits with a
 * unit, names without their middle.
 */
#ifndef JPROF_REPORT_FIGURE_H
#define JPROF_REPORT_FIGURE_H

#include <stddef.h>
#include <stdint.h>

/* What is counted. */
enum figure_kind { FIGURE_COUNT, FIGURE_TIME, FIGURE_BYTES };

/* "1.32", "45.1", "812": and what of. The unit may be "". */
struct figure {
	char digits[24];
	const char *unit;
};

/* Nanoseconds, bytes (kB: 1000), or things: counts are exact below 10,000. */
struct figure figure_make(enum figure_kind kind, uint64_t value);

/* "1.32 s", for running text. */
struct figure_text {
	char text[32];
};
struct figure_text figure_text(enum figure_kind kind, uint64_t value);

/* "1 pause", "12.3 k pauses": so many things of a short name. */
struct figure_text figure_things(uint64_t count, const char *one);

/* "45.1%", "100%", "<0.1%"; "" of nothing. */
struct figure_text figure_percent(uint64_t part, uint64_t whole);

/* "±0.5", in percent: two standard errors of the share that samples have of a whole, of which so many
 * were taken; "" where that is nothing, or all of it. */
struct figure_text figure_share_error(uint64_t part, uint64_t whole, uint64_t taken);

/* The same of an error that is known; "" where it is next to nothing. */
struct figure_text figure_error(uint64_t error, uint64_t whole);

/* Fills name[0..size), with a zero, with the label[0..length) in at most so many columns:
 * names of packages give way to their initials, from the first on, those of parameters, too, then all packages
 * to an ellipsis, then the middle. The text is harmless (error/harmless.h). Returns its
 * columns. */
size_t figure_name(char *name, size_t size, const char *label, size_t length, size_t columns);

#endif
