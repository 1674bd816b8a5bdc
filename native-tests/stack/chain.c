/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/* chain: calls of several kinds, one within the other; CHAIN names the outermost. */
#include "native-tests/stack/chain.h"

#include <stdlib.h>
#include <string.h>

#define APART static __attribute__((noinline))

struct work {
	void (*leaf)(void);
	int depth;
};

static const struct work *current; /* qsort's function has no place for it */

/* A frame of a size that is not known beforehand. */
APART int with_array(const struct work *work)
{
	char *array = __builtin_alloca((size_t)work->depth * 16 + 8);

	memset(array, 1, (size_t)work->depth * 16);
	work->leaf();
	return array[0];
}

/* One that is aligned beyond what the caller's is. */
APART int with_alignment(const struct work *work)
{
	int values[16] __attribute__((aligned(64)));

	for (int i = 0; i < 16; i++)
		values[i] = work->depth * i;
	__asm__ volatile("" : : "r"(values) : "memory");
	return with_array(work) + values[15];
}

APART int recurse(const struct work *work, int depth)
{
	volatile int local[3] = {depth, depth, depth};

	if (depth == 0)
		return with_alignment(work);
	return recurse(work, depth - 1) + local[1];
}

static int compare(const void *a, const void *b)
{
	const struct work *work = current;

	if (work) {
		current = NULL;
		return recurse(work, work->depth) * 0;
	}
	return *(const int *)a - *(const int *)b;
}

int CHAIN(void (*leaf)(void), int depth);
int CHAIN(void (*leaf)(void), int depth)
{
	const struct work work = {leaf, depth};
	int numbers[] = {3, 1, 2, 5, 4};

	current = &work;
	qsort(numbers, 5, sizeof(*numbers), compare);
	current = NULL;
	return numbers[2];
}
