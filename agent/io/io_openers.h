/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/*
 * io_openers: the threads that opened something, by a number that is never used again.
 *
 * A thread gets its number when it opens its first descriptor. Its name is the Java name, if it
 * is recorded then or later; otherwise the kernel's, the first 15 bytes of it. When there are
 * many, further threads whose names are alike but for numbers share one.
 */
#ifndef JPROF_IO_OPENERS_H
#define JPROF_IO_OPENERS_H

#include <stdint.h>

enum {
	IO_OPENERS_APART = 1 << 12, /* threads */
	IO_OPENERS_MAX = 1 << 13 /* and names of virtual threads, and those that are shared */
};

/* The calling thread's: 1, 2, ... name: its own, NULL to ask the system. 0: no memory. */
uint32_t io_opener_self(const char *name);

/* Virtual threads of that name: one opener for a name, and one for all further names when there
 * are many. 0: as above. */
uint32_t io_opener_named(const char *name);

/* The calling thread's whole name came to be known. */
void io_opener_known_as(const char *name);

/* Its name, the best known. NULL for 0; stays. */
const char *io_opener_name(uint32_t opener);

#endif
