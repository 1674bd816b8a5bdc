/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/*
 * choices: for a word that is none of the legal ones: which one was meant, and what they are.
 *
 *   struct choices choices = {.nearest.wanted = word};
 *   choices_add(&choices, "tree"); ...
 *   "no view 'tre'%s", choices_text(&choices, "views")
 *   -> no view 'tre'; did you mean 'tree'? the views are tree, methods
 */
#ifndef JPROF_OPTIONS_CHOICES_H
#define JPROF_OPTIONS_CHOICES_H

#include "options/nearest.h"

/* Embedded; set nearest.wanted (borrowed), the rest is zero. */
struct choices {
	struct nearest nearest;
	char known[500]; /* what there is, cut if it is too much */
	char text[700];
};

void choices_add(struct choices *choices, const char *name);

/* All but the word itself. Borrowed from choices. */
const char *choices_text(struct choices *choices, const char *what);

#endif
