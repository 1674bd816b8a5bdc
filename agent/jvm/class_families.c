/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/* class_families: see class_families.h. */
#include "agent/jvm/class_families.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "profile/name_pattern.h"

/* Hashes of names with a count each; 0: an empty slot. */
struct table {
	struct counted {
		uint64_t hash;
		uint64_t count;
	} * slot;
	size_t slots, used; /* slots: a power of two, twice as many as are used */
};

enum { FIRST_SLOTS = 1024, GRAINS = 3 };

static struct table apart;          /* classes */
static struct table family[GRAINS]; /* with so many classes that are apart */
static const uint64_t most[GRAINS] = {
	FAMILY_ALIKE_MAX, FAMILY_INSIDE_MAX, FAMILY_PACKAGE_MAX};

/* FNV-1a. */
static uint64_t hash_of(const char *name)
{
	uint64_t hash = 0xcbf29ce484222325;

	for (; *name; name++)
		hash = (hash ^ (unsigned char)*name) * 0x100000001b3;
	return hash ? hash : 1;
}

/* The slot of the hash, or the empty one where it belongs. */
static struct counted *slot_of(const struct table *table, uint64_t hash)
{
	size_t i = (hash ^ hash >> 32) & (table->slots - 1);

	while (table->slot[i].hash != 0 && table->slot[i].hash != hash)
		i = (i + 1) & (table->slots - 1);
	return &table->slot[i];
}

static uint64_t count_of(const struct table *table, const char *name)
{
	return table->slots ? slot_of(table, hash_of(name))->count : 0;
}

/* False: no memory. */
static bool make_room(struct table *table)
{
	struct table fresh = {.slots = table->slots ? 2 * table->slots : FIRST_SLOTS,
		.used = table->used};

	if (2 * table->used < table->slots)
		return true;
	fresh.slot = calloc(fresh.slots, sizeof(*fresh.slot));
	if (!fresh.slot)
		return false;
	for (size_t i = 0; i < table->slots; i++)
		if (table->slot[i].hash != 0)
			*slot_of(&fresh, table->slot[i].hash) = table->slot[i];
	free(table->slot);
	*table = fresh;
	return true;
}

static void count(struct table *table, const char *name)
{
	uint64_t hash = hash_of(name);
	struct counted *slot;

	if (!make_room(table))
		return;
	slot = slot_of(table, hash);
	table->used += slot->hash == 0;
	slot->hash = hash;
	slot->count++;
}

/* The class's family of that grain; empty: it is in none. */
static void family_name(const char *class_name, int grain, char name[FAMILY_NAME_MAX])
{
	struct pattern_text text = {.bytes = name, .size = FAMILY_NAME_MAX};
	const char *end = strrchr(class_name, grain == 1 ? '$' : '.');

	if (grain == 0) {
		pattern_put_name(&text, class_name, strlen(class_name));
	} else if (end && end > class_name) {
		pattern_put_name(&text, class_name, (size_t)(end - class_name) + 1);
		pattern_put(&text, "*", 1);
	}
	name[text.full ? 0 : text.length] = '\0';
	if (!strchr(name, '*'))
		*name = '\0';
}

bool class_is_apart(const char *class_name, char name[FAMILY_NAME_MAX])
{
	if (count_of(&apart, class_name) > 0)
		return true;
	for (int i = 0; i < GRAINS; i++) {
		family_name(class_name, i, name);
		if (*name && count_of(&family[i], name) >= most[i])
			return false;
	}
	for (int i = 0; i < GRAINS; i++) {
		family_name(class_name, i, name);
		if (*name)
			count(&family[i], name);
	}
	count(&apart, class_name);
	return true;
}
