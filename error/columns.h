/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/*
 * columns: how much room text takes on a terminal.
 *
 * Letters of Chinese, Japanese and Korean, and pictures, take two columns; marks that stand on the
 * character before them take none, and stay with it. The C library knows which (wcwidth(3)). Texts
 * are harmless.h's: without what a terminal obeys.
 */
#ifndef JPROF_COLUMNS_H
#define JPROF_COLUMNS_H

#include <stddef.h>

/* Of the first `length` bytes. */
size_t columns_count(const char *text, size_t length);

/* How many bytes of a text the first characters have that take at most, or at least, so many
 * columns; all of them if it has no more. */
size_t columns_at_most(const char *text, size_t columns);
size_t columns_at_least(const char *text, size_t columns);

/* Cuts what is longer off the end of each line, in place. */
void columns_cut_lines(char *lines, size_t columns);

#endif
