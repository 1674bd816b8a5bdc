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
	bool is_pattern;    /* '*' in it stands for anything: see nearest_distance */
	struct {
		char name[NEAREST_NAME];
		size_t distance;
	} best[NEAREST_COUNT];
	size_t count;
};

/* Letters to insert, delete or replace to make one of the other; case does not matter. Longer names count
 * by their first NEAREST_NAME - 1 letters. In a pattern '*' is any run of letters, a letter of the name that
 * is not in the pattern costs 1, and one of the pattern that is missing or another one 2: a name that was
 * not written whole, without its package say, is near. */
size_t nearest_distance(const char *a, const char *b, bool is_pattern);

/* Keeps the candidate if it is among the best so far, once. */
void nearest_offer(struct nearest *nearest, const char *candidate);

/* "'a', 'b', 'c'", best first, cut to size. */
void nearest_text(const struct nearest *nearest, char *text, size_t size);

/* For a word that is none of the legal ones: which one was meant, and what they are.
 *
 *   struct choices choices = {.nearest.wanted = word};
 *   choices_add(&choices, "tree"); ...
 *   "no view 'tre'%s", choices_text(&choices, "views")
 *   -> no view 'tre'; did you mean 'tree'? the views are tree, methods
 *
 * Embedded; set nearest.wanted (borrowed), the rest is zero. */
struct choices {
	struct nearest nearest;
	char known[500]; /* what there is, cut if it is too much */
	char text[700];
};

void choices_add(struct choices *choices, const char *name);

/* All but the word itself. Borrowed from choices. */
const char *choices_text(struct choices *choices, const char *what);

#endif
