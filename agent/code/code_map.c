/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/* code_map: see code_map.h. */
#include "agent/code/code_map.h"

#include <stdlib.h>
#include <string.h>

struct entry {
	struct profile_code shown; /* places are owned */
	uint8_t *machine_code;     /* owned; NULL: not wanted, or in the file */
	uint32_t edition, put;     /* of the last change; that the file may have */
	bool listed;               /* among the changed ones */
};

struct list {
	struct entry **entry;
	size_t count, room;
};

struct code_map {
	struct list live;    /* compiled, by address; none overlaps another */
	struct list own;     /* the JVM's own, which are there for good, mostly */
	struct list changed; /* since the file has them; all that were unloaded are here */
	uint64_t memory, used;
	uint64_t machine_most;
	uint32_t last_id;
	struct code_map_counts counts;
};

/* ---- lists ---- */

static bool list_insert(struct list *list, size_t at, struct entry *entry)
{
	if (list->count == list->room) {
		size_t room = list->room ? 2 * list->room : 1024;
		struct entry **grown = realloc(list->entry, room * sizeof(*grown));

		if (!grown)
			return false;
		list->entry = grown;
		list->room = room;
	}
	memmove(list->entry + at + 1, list->entry + at,
		(list->count - at) * sizeof(*list->entry));
	list->entry[at] = entry;
	list->count++;
	return true;
}

static void list_remove(struct list *list, size_t at)
{
	list->count--;
	memmove(list->entry + at, list->entry + at + 1,
		(list->count - at) * sizeof(*list->entry));
}

/* The first that ends behind the address; of entries that do not overlap. */
static size_t list_place(const struct list *list, uint64_t address)
{
	size_t low = 0, high = list->count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;
		const struct profile_code *code = &list->entry[middle]->shown;

		if (code->address + code->size <= address)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

/* ---- its life ---- */

static void entry_destroy(struct code_map *map, struct entry *entry)
{
	map->used -= sizeof(*entry) + entry->shown.places.size;
	free((void *)entry->shown.places.bytes);
	free(entry->machine_code);
	free(entry);
}

struct code_map *code_map_create(uint64_t memory, uint64_t machine_code)
{
	struct code_map *map = calloc(1, sizeof(*map));

	if (!map)
		return NULL;
	map->memory = memory;
	map->machine_most = machine_code;
	return map;
}

void code_map_destroy(struct code_map *map)
{
	if (!map)
		return;
	/* An entry may be in two lists: those that are there, and the changed ones. */
	for (size_t i = 0; i < map->changed.count; i++)
		if (map->changed.entry[i]->shown.unloaded != 0)
			entry_destroy(map, map->changed.entry[i]);
	for (size_t i = 0; i < map->live.count; i++)
		entry_destroy(map, map->live.entry[i]);
	for (size_t i = 0; i < map->own.count; i++)
		entry_destroy(map, map->own.entry[i]);
	free(map->live.entry);
	free(map->own.entry);
	free(map->changed.entry);
	free(map);
}

/* ---- events ---- */

/* False without memory: it has not changed. */
static bool note_change(struct code_map *map, struct entry *entry)
{
	if (!entry->listed && !list_insert(&map->changed, map->changed.count, entry))
		return false;
	entry->listed = true;
	entry->edition++;
	return true;
}

static void unload(struct code_map *map, struct list *list, size_t at, uint64_t time)
{
	struct entry *entry = list->entry[at];

	list_remove(list, at);
	if (!note_change(map, entry)) {
		/* The file goes on to say that it is there. */
		entry_destroy(map, entry);
		return;
	}
	/* 0 says that it was not. */
	entry->shown.unloaded = time > entry->shown.loaded ? time : entry->shown.loaded + 1;
}

static bool is_same(const struct entry *entry, const struct code_load *load)
{
	const struct profile_code *code = &entry->shown;

	return code->address == load->address && code->size == load->size &&
	       code->method == load->method && code->name == load->name;
}

/* Where the entry goes; what lay there is no more. False: it is there already. */
static bool make_way(
	struct code_map *map, const struct code_load *load, uint64_t time, size_t *place)
{
	struct list *list = load->method == METHOD_ROOT ? &map->own : &map->live;

	*place = list_place(&map->live, load->address);
	if (list == &map->live && *place < list->count && is_same(list->entry[*place], load))
		return false;
	while (*place < map->live.count &&
		map->live.entry[*place]->shown.address < load->address + load->size)
		unload(map, &map->live, *place, time);
	if (list == &map->live)
		return true;
	for (size_t i = 0; i < list->count; i++) {
		if (is_same(list->entry[i], load))
			return false;
		if (list->entry[i]->shown.address == load->address &&
			list->entry[i]->shown.size == load->size)
			unload(map, list, i--, time);
	}
	*place = list->count;
	return true;
}

static void take_places(struct code_map *map, struct entry *entry, struct code_load *load)
{
	if (!load->places)
		return;
	if (map->used + load->places_size > map->memory / 4 * 3) {
		map->counts.places_missing++;
		return;
	}
	entry->shown.places = (struct profile_bytes){load->places, load->places_size};
	load->places = NULL;
	map->used += entry->shown.places.size;
	map->counts.places += entry->shown.places.size;
}

static void take_machine_code(
	struct code_map *map, struct entry *entry, const struct code_load *load)
{
	if (!load->bytes)
		return;
	if (map->counts.machine_code + load->size <= map->machine_most)
		entry->machine_code = malloc(load->size);
	if (!entry->machine_code) {
		map->counts.machine_code_missing++;
		return;
	}
	memcpy(entry->machine_code, load->bytes, load->size);
	map->counts.machine_code += load->size;
}

void code_map_load(struct code_map *map, struct code_load *load, uint64_t time)
{
	struct list *list = load->method == METHOD_ROOT ? &map->own : &map->live;
	struct entry *entry = NULL;
	size_t place = 0;

	if (load->size == 0 || load->address + load->size < load->address ||
		!make_way(map, load, time, &place)) {
		free((void *)load->places);
		return;
	}
	if (map->used + sizeof(*entry) <= map->memory)
		entry = calloc(1, sizeof(*entry));
	if (entry && !list_insert(list, place, entry)) {
		free(entry);
		entry = NULL;
	}
	if (!entry) {
		map->counts.missing++;
		free((void *)load->places);
		return;
	}
	map->used += sizeof(*entry);
	entry->shown = (struct profile_code){.id = ++map->last_id,
		.method = load->method,
		.name = load->name,
		.level = load->level,
		.address = load->address,
		.size = load->size,
		.loaded = time};
	take_places(map, entry, load);
	take_machine_code(map, entry, load);
	if (note_change(map, entry)) {
		map->counts.entries++;
	} else {
		list_remove(list, place);
		entry_destroy(map, entry);
		map->counts.missing++;
	}
	free((void *)load->places);
	load->places = NULL;
}

void code_map_unload(struct code_map *map, uint64_t address, uint64_t time)
{
	size_t at = list_place(&map->live, address);

	if (at < map->live.count && map->live.entry[at]->shown.address == address)
		unload(map, &map->live, at, time);
}

/* ---- look-ups ---- */

/* The better one of both. */
static const struct profile_code *choose(const struct profile_code *code,
	const struct profile_code *best, uint64_t address, uint64_t time)
{
	if (address - code->address >= code->size || code->loaded > time ||
		(code->unloaded != 0 && code->unloaded <= time) ||
		(best && best->size <= code->size))
		return best;
	return code;
}

const struct profile_code *code_map_find(
	const struct code_map *map, uint64_t address, uint64_t time)
{
	const struct profile_code *best = NULL;
	size_t at = list_place(&map->live, address);

	if (at < map->live.count)
		best = choose(&map->live.entry[at]->shown, best, address, time);
	for (size_t i = 0; !best && i < map->changed.count; i++)
		best = choose(&map->changed.entry[i]->shown, best, address, time);
	for (size_t i = 0; i < map->own.count; i++)
		best = choose(&map->own.entry[i]->shown, best, address, time);
	return best;
}

/* ---- the file ---- */

bool code_map_next(struct code_map *map, size_t *place, struct profile_code *code,
	struct profile_machine_code *machine)
{
	struct entry *entry;

	if (*place >= map->changed.count)
		return false;
	entry = map->changed.entry[(*place)++];
	entry->put = entry->edition;
	*code = entry->shown;
	*machine = (struct profile_machine_code){.id = code->id};
	if (entry->machine_code)
		machine->bytes =
			(struct profile_bytes){entry->machine_code, (size_t)code->size};
	return true;
}

void code_map_put_done(struct code_map *map, bool kept)
{
	size_t left = 0;

	for (size_t i = 0; i < map->changed.count; i++) {
		struct entry *entry = map->changed.entry[i];
		bool is_put = kept && entry->put != 0;

		if (is_put) {
			free(entry->machine_code);
			entry->machine_code = NULL;
		}
		if (!is_put || entry->put != entry->edition) {
			map->changed.entry[left++] = entry;
			entry->put = 0;
			continue;
		}
		entry->listed = false;
		entry->put = 0;
		if (entry->shown.unloaded != 0)
			entry_destroy(map, entry);
	}
	map->changed.count = left;
}

struct code_map_counts code_map_counts(const struct code_map *map)
{
	struct code_map_counts counts = map->counts;

	counts.memory = map->used;
	return counts;
}
