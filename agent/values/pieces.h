/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/*
 * pieces: memory that is only added to, until all of it is given back at once: what others read without a lock stays
 * where it is.
 *
 * Runs: under the owner's lock.
 */
#ifndef JPROF_VALUES_PIECES_H
#define JPROF_VALUES_PIECES_H

#include <stddef.h>

struct piece;

/* Embedded; zero-initialised is empty. */
struct pieces {
	struct piece *last;
	size_t bytes; /* all that was taken */
	char *at;     /* where the next small one comes from */
	size_t left;
};

/* Zeroed bytes, aligned for anything. NULL: there is no memory, or `bytes` of the pieces would be more than `most`. */
void *pieces_take(struct pieces *pieces, size_t bytes, size_t most);

/* The same for a few bytes, or none, aligned for uint32_t: many share one piece. */
void *pieces_carve(struct pieces *pieces, size_t bytes, size_t most);

/* Gives everything back. */
void pieces_forget(struct pieces *pieces);

#endif
