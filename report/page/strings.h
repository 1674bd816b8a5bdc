/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/* strings: each text once, numbered 0, 1, ... in the order in which they come; 0 is the empty one. */
#ifndef JPROF_PAGE_STRINGS_H
#define JPROF_PAGE_STRINGS_H

#include "profile/store.h"
#include "report/text/out.h"

/* Embedded; all zero at first. Texts are borrowed. */
struct strings {
	struct label *label; /* by number - 1 */
	uint32_t *slot;      /* a hash table of numbers; 0: free */
	size_t slots, count, capacity;
	bool failed; /* there was no memory */
};

void strings_fini(struct strings *strings);

/* The text's number; 0 for none, and without memory. */
uint32_t strings_take(struct strings *strings, struct label label);

/* All of them, as a JSON array. */
void strings_list(const struct strings *strings, struct out *out);

#endif
