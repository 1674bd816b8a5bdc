/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/* heap_histogram: what a HotSpot JVM says is in its heap, by class (heapInspection.cpp), as rows. */
#ifndef JPROF_CLI_HEAP_HISTOGRAM_H
#define JPROF_CLI_HEAP_HISTOGRAM_H

#include <stddef.h>
#include <stdint.h>

#include "error/error.h"

struct heap_row {
	uint64_t objects, bytes;
	const char *class; /* a Java name, "byte[]" of an array; in names */
};

struct heap_histogram {
	struct heap_row *row; /* owned, as names are */
	size_t count;
	uint64_t objects, bytes; /* of all rows */
	char *names;
};

/* Reads the JVM's answer. 0, or a negative code: it is none. Embedded (heap_histogram_fini), also after a failure. */
int heap_histogram_read(
	struct heap_histogram *histogram, const char *answer, struct error *error);
void heap_histogram_fini(struct heap_histogram *histogram);

#endif
