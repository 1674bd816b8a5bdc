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
	if (paths->count < paths->capacity || grow(paths)) {
		place = place_of(paths, path);
		if (*place == 0) {
			*path_at(paths, paths->count) = path;
			*place = paths->count++;
		}
		id = *place;
	}
	lock_give(&paths->lock);
	return id;
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
