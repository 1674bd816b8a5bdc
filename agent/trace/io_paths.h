/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/*
 * io_paths: call paths, each once for all threads.
 *
 *   node of a thread's call tree --> the thread's map --> id of (path of the caller, method)
 *
 * Nodes are renumbered when their tree is pruned, and go with their thread; records of operations
 * stay, and so does what opened a file. They have a path's id, which means the same for good.
 *
 * Runs: a map is its thread's own; what is shared is under the lock. What has an id does not
 *       change.
 */
#ifndef JPROF_IO_PATHS_H
#define JPROF_IO_PATHS_H

#include <stdbool.h>
#include <stdint.h>

#include "agent/lock/lock.h"
#include "agent/trace/arena.h"
#include "agent/trace/call_tree.h"

struct io_path {
	uint32_t parent; /* 0: the thread's root, outside every method */
	uint32_t method;
};

enum {
	IO_PATH_ROOT = 0,
	IO_PATH_UNKNOWN = 1, /* no memory for it */
	IO_PATH_FIRST = 2
};

struct io_paths {
	struct lock lock; /* LOCK_PATHS: all below */
	struct memory_budget *budget;
	struct arena list, index; /* struct io_path by id; ids by hash, 0: empty */
	uint32_t count, capacity, mask;
};

void io_paths_init(struct io_paths *paths, struct memory_budget *budget);
void io_paths_fini(struct io_paths *paths);

/* The id, made if need be. */
uint32_t io_paths_find(struct io_paths *paths, struct io_path path);

/* A thread's. Zero-initialised means empty. */
struct io_path_map {
	struct arena arena; /* uint32_t by node of its tree: the path + 1; 0: not asked for */
	uint32_t nodes;     /* room for so many */
	uint32_t generation; /* of the tree's nodes */
};

void io_path_map_fini(struct io_path_map *map, struct memory_budget *budget);

uint32_t io_path_learn(struct io_paths *paths, struct io_path_map *map,
	const struct call_tree *tree, uint32_t node);

/* The path of a node of the calling thread's tree. */
static inline uint32_t io_path_of(struct io_paths *paths, struct io_path_map *map,
	const struct call_tree *tree, uint32_t node)
{
	uint32_t path = node < map->nodes && map->generation == tree->generation
				? ((const uint32_t *)map->arena.base)[node]
				: 0;

	return __builtin_expect(path != 0, 1) ? path - 1
					      : io_path_learn(paths, map, tree, node);
}

/* Copies up to `room` of them from an id on. Returns how many. */
uint32_t io_paths_copy(
	struct io_paths *paths, uint32_t from, struct io_path *to, uint32_t room);

#endif
