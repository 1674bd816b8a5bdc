/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/* cursor: how buffers grow. */
#include "agent/rewrite/cursor.h"

bool writer_grow(struct writer *writer, size_t more)
{
	size_t capacity = writer->capacity + writer->capacity / 2;
	uint8_t *bytes;

	if (writer->failed)
		return false;
	if (capacity < writer->size + more)
		capacity = writer->size + more + 256;
	bytes = realloc(writer->bytes, capacity);
	if (!bytes) {
		/* Full from now on, so that the inline way out is never taken. */
		writer->failed = true;
		writer->capacity = writer->size;
		return false;
	}
	writer->bytes = bytes;
	writer->capacity = capacity;
	return true;
}

bool scratch_grow_to(
	void **array, uint32_t *capacity, uint32_t wanted, uint32_t keep, size_t element)
{
	uint32_t larger = *capacity + *capacity / 2;
	void *bytes;

	if (larger < wanted)
		larger = wanted + 64;
	bytes = malloc(larger * element);
	if (!bytes)
		return false;
	if (keep)
		memcpy(bytes, *array, keep * element);
	free(*array);
	*array = bytes;
	*capacity = larger;
	return true;
}
