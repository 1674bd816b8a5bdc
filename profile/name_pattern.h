/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/*
 * name_pattern: what many names have in common: digits become '*', and so do runs of
 * letters and digits that change between the two more than once, hexadecimal numbers of
 * eight digits and more, and UUIDs. Names made at random are so.
 */
#ifndef JPROF_NAME_PATTERN_H
#define JPROF_NAME_PATTERN_H

#include <stdbool.h>
#include <stddef.h>

/* Bytes on their way into a text of `size`, one of which is left for its end. */
struct pattern_text {
	char *bytes;
	size_t size, length;
	bool full; /* not all found room */
};

void pattern_put(struct pattern_text *text, const char *bytes, size_t length);

/* The pattern of a name. */
void pattern_put_name(struct pattern_text *text, const char *name, size_t length);

#endif
