/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/*
 * io_paths: call paths, each once for all threads.
 *
 *   (path of the caller, method) --> id
 *
 * Nodes of a call tree are renumbered when it is pruned, and go with their thread; records of
 * operations stay. So a record has a path's id, which means the same for good.
 *
 * Runs: on any thread, under its lock; what has an id does not change.
 */
#ifndef JPROF_IO_PATHS_H
#define JPROF_IO_PATHS_H

#include <stdbool.h>
#include <stdint.h>

#include "agent/lock/lock.h"
#include "agent/trace/arena.h"

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

/* Copies up to `room` of them from an id on. Returns how many. */
uint32_t io_paths_copy(
	struct io_paths *paths, uint32_t from, struct io_path *to, uint32_t room);

#endif
