/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/*
 * nearest: which names did the user mean?
 */
#ifndef JPROF_OPTIONS_NEAREST_H
#define JPROF_OPTIONS_NEAREST_H

#include <stdbool.h>
#include <stddef.h>

#define NEAREST_COUNT 3
#define NEAREST_NAME  128

/* Embedded; zero-initialise, then set wanted. */
struct nearest {
	const char *wanted; /* borrowed */
	bool is_pattern;    /* '*' in it stands for anything: distances are nearest_reach */
	struct {
		char name[NEAREST_NAME];
		size_t distance;
	} best[NEAREST_COUNT];
	size_t count;
};

/* Letters to insert, delete or replace to make one of the other; case does not matter.
 * Longer names count by their first NEAREST_NAME - 1 letters. */
size_t nearest_distance(const char *a, const char *b);

/* The same for a pattern, in which '*' is any run of letters: one that is not in the pattern costs 1,
 * one of the pattern's that is missing 2. So a name that was not written whole, without its package
 * say, is near. */
size_t nearest_reach(const char *pattern, const char *name);

/* Keeps the candidate if it is among the best so far, once. */
void nearest_offer(struct nearest *nearest, const char *candidate);

/* The best, if so little has to be changed that it was probably meant; or NULL. Borrowed. */
const char *nearest_guess(const struct nearest *nearest);

/* "'a', 'b', 'c'", best first, cut to size. */
void nearest_text(const struct nearest *nearest, char *text, size_t size);

#endif
