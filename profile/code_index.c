/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/* code_index: see code_index.h. */
#include "profile/code_index.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* How much later than the moment the JVM may have told of the code, ns. */
#define LATE_NS UINT64_C(1000000000)

struct code_index {
	const struct profile *profile;
	struct indexed {
		const struct profile_code *code;
		uint64_t end; /* of this one and all before it: the highest */
	} * by_address;
	size_t count;
};

static int compare(const void *a, const void *b)
{
	const struct profile_code *one = ((const struct indexed *)a)->code;
	const struct profile_code *other = ((const struct indexed *)b)->code;

	if (one->address != other->address)
		return one->address < other->address ? -1 : 1;
	return one->id < other->id ? -1 : one->id > other->id;
}

struct code_index *code_index_create(const struct profile *profile)
{
	struct code_index *index = calloc(1, sizeof(*index));
	uint64_t end = 0;

	if (!index)
		return NULL;
	index->profile = profile;
	index->count = profile->code_count;
	index->by_address = calloc(index->count + 1, sizeof(*index->by_address));
	if (!index->by_address) {
		free(index);
		return NULL;
	}
	for (size_t i = 0; i < index->count; i++)
		index->by_address[i].code = &profile->code[i];
	qsort(index->by_address, index->count, sizeof(*index->by_address), compare);
	for (size_t i = 0; i < index->count; i++) {
		const struct profile_code *code = index->by_address[i].code;

		if (code->address + code->size > end)
			end = code->address + code->size;
		index->by_address[i].end = end;
	}
	return index;
}

void code_index_destroy(struct code_index *index)
{
	if (!index)
		return;
	free(index->by_address);
	free(index);
}

/* How well it fits: 0 not at all, 1 it was told of later, 2 it was there. */
static int fit(const struct profile_code *code, uint64_t time)
{
	if (code->unloaded != 0 && code->unloaded <= time)
		return 0;
	if (code->loaded <= time)
		return 2;
	return code->loaded - time <= LATE_NS;
}

static bool is_better(
	const struct profile_code *code, const struct profile_code *best, uint64_t time)
{
	int fits = fit(code, time), other = best ? fit(best, time) : 0;

	if (fits != other)
		return fits > other;
	if (fits == 1 && code->loaded != best->loaded)
		return code->loaded < best->loaded;
	return fits > 0 && code->size < best->size;
}

const struct profile_code *code_index_find(
	const struct code_index *index, uint64_t address, uint64_t time)
{
	const struct profile_code *best = NULL;
	size_t low = 0, high = index->count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (index->by_address[middle].code->address <= address)
			low = middle + 1;
		else
			high = middle;
	}
	while (low-- > 0 && index->by_address[low].end > address) {
		const struct profile_code *code = index->by_address[low].code;

		if (address - code->address < code->size && is_better(code, best, time))
			best = code;
	}
	return best;
}

char *code_index_name(const struct code_index *index, const struct profile_code *code)
{
	const struct profile_method *method = &index->profile->method[code->method];
	const char *class_name = method->class_name;
	size_t size;
	char *name;

	if (code->method == METHOD_ROOT)
		return strdup(code->name ? code->name : "(unknown)");
	size = (class_name ? strlen(class_name) : 0) + strlen(method->name) + 2;
	name = malloc(size);
	if (name)
		snprintf(name, size, "%s%s%s", class_name ? class_name : "",
			class_name ? "." : "", method->name);
	return name;
}

unsigned code_index_stack(const struct profile_code *code, uint64_t address,
	struct code_position *position, unsigned most)
{
	struct code_places places;
	uint64_t offset = address - code->address;
	unsigned count = 0;

	if (code->method == METHOD_ROOT || most == 0)
		return 0;
	if (code->places.bytes && offset < code->size && offset <= UINT32_MAX &&
		code_places_decode(&places, code->places.bytes, code->places.size) == 0) {
		count = code_places_at(&places, (uint32_t)offset, position, most);
		code_places_fini(&places);
	}
	if (count == 0)
		position[count++] = (struct code_position){0, 0};
	for (unsigned i = 0; i < count; i++)
		if (position[i].method == 0)
			position[i].method = code->method;
	return count;
}
