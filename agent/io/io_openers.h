/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/*
 * io_openers: the threads that opened something, by a number that is never used again.
 *
 * A thread is looked at when it opens its first descriptor: its name is the one that it has at
 * that moment in the kernel, where the JVM keeps the first 15 bytes of the Java name.
 */
#ifndef JPROF_IO_OPENERS_H
#define JPROF_IO_OPENERS_H

#include <stdint.h>

struct io_opener {
	int64_t os_id; /* gettid(2) */
	char name[16]; /* PR_GET_NAME */
};

enum { IO_OPENERS_MAX = 1 << 16 };

/* The calling thread's: 1, 2, ... 0: there are IO_OPENERS_MAX, or no memory. */
uint32_t io_opener_self(void);

/* NULL for 0. What it points to stays. */
const struct io_opener *io_opener_get(uint32_t opener);

#endif
