/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/*
 * strings: a string table: each text once, numbered 1, 2, ... in the order in which they first come; 0 is "". Formats
 * name texts by these numbers, and write the table afterwards.
 */
#ifndef JPROF_REPORT_STRINGS_H
#define JPROF_REPORT_STRINGS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "profile/store.h"

/* Embedded (strings_fini); all zero at first. It owns its tables; the texts are borrowed, and must stay as long as it. */
struct strings {
	struct label *label; /* by number - 1 */
	uint32_t *slot;      /* a hash table of numbers; 0: free */
	size_t slots, count, capacity;
	bool failed; /* there was no memory: from then on all numbers are 0 */
};

void strings_fini(struct strings *strings);

/* The text's number, a new one if it is new. 0: it is empty or NULL, or there was no memory (failed). */
uint32_t strings_take(struct strings *strings, struct label label);

static inline uint32_t strings_of(struct strings *strings, const char *text)
{
	return strings_take(strings, label_of(text));
}

#endif
