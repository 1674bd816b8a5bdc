/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/* text_store: many small texts in few blocks, freed together. Embedded; zero is empty. */
#ifndef JPROF_PROFILE_TEXT_STORE_H
#define JPROF_PROFILE_TEXT_STORE_H

#include <stdbool.h>
#include <stddef.h>

struct text_store {
	struct text_block *block; /* the newest; older ones hang behind it */
	size_t free;              /* bytes left in it */
	bool failed;              /* memory ran out once */
};

/* A copy that lives as long as the store, always valid UTF-8: what is not becomes '?',
 * byte by byte. NULL without memory. */
char *text_store_add(struct text_store *store, const char *text);
void text_store_fini(struct text_store *store);

#endif
