/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/*
 * store: memory that is given back all at once, and labels in it. After it has failed once, all
 * that is made of it can be looked at later: pointers are NULL, labels empty.
 */
#ifndef JPROF_PROFILE_STORE_H
#define JPROF_PROFILE_STORE_H

#include <stdbool.h>
#include <stddef.h>
#include <string.h>

/* A text with its length: well-formed UTF-8, as all texts of a profile are. */
struct label {
	const char *text; /* NULL: there is none */
	size_t length;
};

/* Borrows the text. */
static inline struct label label_of(const char *text)
{
	return (struct label){text, text ? strlen(text) : 0};
}

/* Embedded; all zero at first. */
struct store {
	struct store_block *blocks;
	char *free; /* bytes of the first block */
	size_t left;
	bool failed; /* there was no memory */
};

void store_fini(struct store *store);

/* Zeroed room for count things; NULL without memory. */
void *store_room(struct store *store, size_t count, size_t size);

/* A label of those bytes, or of a format's result. Empty without memory. */
struct label store_bytes(struct store *store, const char *bytes, size_t length);
struct label store_format(struct store *store, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

#endif
