/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/* strings: a hash table with open addressing, never more than half full. */
#include "report/text/strings.h"

#include <stdlib.h>
#include <string.h>

void strings_fini(struct strings *strings)
{
	free(strings->label);
	free(strings->slot);
	*strings = (struct strings){0};
}

/* FNV-1a (http://www.isthe.com/chongo/tech/comp/fnv/). */
static uint64_t hash_of(struct label label)
{
	uint64_t hash = UINT64_C(0xcbf29ce484222325);

	for (size_t i = 0; i < label.length; i++)
		hash = (hash ^ (unsigned char)label.text[i]) * UINT64_C(0x100000001b3);
	return hash ^ hash >> 32;
}

/* Where the text is, or may be put. */
static size_t place_of(const struct strings *strings, struct label label)
{
	size_t at = hash_of(label) & (strings->slots - 1);

	for (; strings->slot[at] != 0; at = (at + 1) & (strings->slots - 1)) {
		const struct label *other = &strings->label[strings->slot[at] - 1];

		if (other->length == label.length &&
			memcmp(other->text, label.text, label.length) == 0)
			break;
	}
	return at;
}

static bool grow(struct strings *strings)
{
	size_t capacity = strings->capacity == 0 ? 512 : 2 * strings->capacity;
	struct label *label = realloc(strings->label, capacity * sizeof(*label));
	uint32_t *slot;

	if (label)
		strings->label = label;
	slot = label ? calloc(2 * capacity, sizeof(*slot)) : NULL;
	if (!slot)
		return false;
	free(strings->slot);
	strings->slot = slot;
	strings->slots = 2 * capacity;
	strings->capacity = capacity;
	for (size_t i = 0; i < strings->count; i++)
		strings->slot[place_of(strings, strings->label[i])] = (uint32_t)i + 1;
	return true;
}

uint32_t strings_take(struct strings *strings, struct label label)
{
	size_t at;

	if (label.length == 0 || strings->failed)
		return 0;
	if (strings->count == strings->capacity && !grow(strings)) {
		strings->failed = true;
		return 0;
	}
	at = place_of(strings, label);
	if (strings->slot[at] == 0) {
		strings->label[strings->count++] = label;
		strings->slot[at] = (uint32_t)strings->count;
	}
	return strings->slot[at];
}
