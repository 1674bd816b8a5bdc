/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/*
 * name_counts: how often each of many names was counted.
 *
 * Names are told apart by 64 bits of a hash; they are not kept.
 *
 * Owns: 32 bytes and more for each name.
 * Runs: under the caller's lock.
 */
#ifndef JPROF_NAME_COUNTS_H
#define JPROF_NAME_COUNTS_H

#include <stddef.h>
#include <stdint.h>

/* Zero-initialised means empty. */
struct name_counts {
	struct name_count *slot;
	size_t slots, used; /* slots: a power of two, twice as many as are used */
};

/* 0: never. */
uint64_t name_counts_of(const struct name_counts *counts, const char *name);

/* Once more. Without memory a new name is not counted. */
void name_counts_add(struct name_counts *counts, const char *name);

/* Gives all back; empty again. */
void name_counts_fini(struct name_counts *counts);

#endif
