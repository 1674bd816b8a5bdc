/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/* fact: rows of the meta table, from those that know them to the one that writes them. */
#ifndef JPROF_FACT_H
#define JPROF_FACT_H

#include <inttypes.h>
#include <stdio.h>

/* Takes one fact; argument is its own. */
typedef void (*fact_put)(void *argument, const char *key, const char *value);

static inline void fact_put_number(
	fact_put put, void *argument, const char *key, uint64_t value)
{
	char text[32];

	snprintf(text, sizeof(text), "%" PRIu64, value);
	put(argument, key, text);
}

#endif
