/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/* io_paths: see io_paths.h. */
#include "agent/trace/io_paths.h"

#include <string.h>

enum { FIRST_PATHS = 256 }; /* a power of two; the index has twice as many places */

void io_paths_init(struct io_paths *paths, struct memory_budget *budget)
{
	*paths = (struct io_paths){.budget = budget, .count = IO_PATH_FIRST};
	lock_init(&paths->lock, LOCK_PATHS);
}

void io_paths_fini(struct io_paths *paths)
{
	arena_fini(&paths->list, paths->budget);
	arena_fini(&paths->index, paths->budget);
	lock_fini(&paths->lock);
}

static struct io_path *path_at(const struct io_paths *paths, uint32_t id)
{
	return &((struct io_path *)paths->list.base)[id];
}

/* The place of the path's id, or the empty one where it belongs. */
static uint32_t *place_of(const struct io_paths *paths, struct io_path path)
{
	uint32_t *index = paths->index.base;
	uint64_t hash = ((uint64_t)path.parent << 32 | path.method) * 0x9e3779b97f4a7c15u;
	uint32_t i = (uint32_t)(hash >> 32) & paths->mask;

	while (index[i] != 0 && (path_at(paths, index[i])->parent != path.parent ||
					path_at(paths, index[i])->method != path.method))
		i = (i + 1) & paths->mask;
	return &index[i];
}

static bool grow(struct io_paths *paths)
{
	uint32_t capacity = paths->capacity ? paths->capacity * 2 : FIRST_PATHS;

	if (arena_resize(&paths->list, paths->budget, capacity * sizeof(struct io_path),
		    MEMORY_ORDINARY) ||
		arena_resize(&paths->index, paths->budget, capacity * 2 * sizeof(uint32_t),
			MEMORY_ORDINARY))
		return false;
	paths->capacity = capacity;
	paths->mask = capacity * 2 - 1;
	memset(paths->index.base, 0, capacity * 2 * sizeof(uint32_t));
	for (uint32_t id = IO_PATH_FIRST; id < paths->count; id++)
		*place_of(paths, *path_at(paths, id)) = id;
	return true;
}

uint32_t io_paths_find(struct io_paths *paths, struct io_path path)
{
	uint32_t id = IO_PATH_UNKNOWN, *place;

	lock_take(&paths->lock);
	place = paths->capacity ? place_of(paths, path) : NULL;
	if (place && *place != 0) {
		id = *place;
	} else if (paths->count < paths->capacity || grow(paths)) {
		*path_at(paths, paths->count) = path;
		id = paths->count++;
		*place_of(paths, path) = id;
	}
	lock_give(&paths->lock);
	return id;
}

/* The room for the paths of all nodes, empty after the tree was renumbered. */
static bool make_room(struct io_paths *paths, struct io_path_map *map,
	const struct call_tree *tree)
{
	uint32_t room = tree->count + tree->count / 2 + 64;

	if (map->nodes < tree->count) {
		if (arena_resize(&map->arena, paths->budget, room * sizeof(uint32_t),
			    MEMORY_ORDINARY))
			return false;
		memset((uint32_t *)map->arena.base + map->nodes, 0,
			(room - map->nodes) * sizeof(uint32_t));
		map->nodes = room;
	}
	if (map->generation != tree->generation)
		memset(map->arena.base, 0, map->nodes * sizeof(uint32_t));
	map->generation = tree->generation;
	return true;
}

uint32_t io_path_learn(struct io_paths *paths, struct io_path_map *map,
	const struct call_tree *tree, uint32_t node)
{
	uint32_t chain[64], depth = 0, at = node, path = IO_PATH_ROOT;
	uint32_t *known;

	if (!make_room(paths, map, tree))
		return IO_PATH_UNKNOWN;
	known = map->arena.base;
	known[0] = IO_PATH_ROOT + 1;
	/* Callers first; those of a deep path in turns. */
	while (known[node] == 0) {
		for (at = node, depth = 0; known[at] == 0; at = tree_at(tree, at)->parent)
			chain[depth++ % 64] = at;
		path = known[at] - 1;
		for (uint32_t turn = depth < 64 ? depth : 64; turn > 0; turn--) {
			at = chain[--depth % 64];
			path = io_paths_find(paths,
				(struct io_path){path, tree_at(tree, at)->method});
			known[at] = path + 1;
		}
	}
	return known[node] - 1;
}

void io_path_map_fini(struct io_path_map *map, struct memory_budget *budget)
{
	arena_fini(&map->arena, budget);
	map->nodes = 0;
}

uint32_t io_paths_copy(
	struct io_paths *paths, uint32_t from, struct io_path *to, uint32_t room)
{
	uint32_t count;

	lock_take(&paths->lock);
	count = paths->count - from < room ? paths->count - from : room;
	if (count > 0)
		memcpy(to, path_at(paths, from), count * sizeof(*to));
	lock_give(&paths->lock);
	return count;
}
