/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/*
 * wrap: help in lines of at most 80 columns.
 */
#ifndef JPROF_OPTIONS_WRAP_H
#define JPROF_OPTIONS_WRAP_H

#include <stdio.h>

/* Writes words of the text from column `at` on, where the cursor is, and a line break. Lines
 * after the first begin at that column, too. A word that is too long is not broken. */
void wrap_text(FILE *out, int at, const char *text);

#endif
