/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/*
 * code_map: what compiled code lay where and when, for the profile, and by address.
 *
 *   the JVM's events --> code_map_load, code_map_unload --> entries, with times
 *                                                             |--> code_map_find: those that are there
 *                                                             '--> code_map_next: those that are new or changed
 *
 * An entry that was unloaded goes when it is in the file, which has all there ever were. The JVM's own code
 * (interpreter, intrinsics) has entries as well, some of them parts of others.
 *
 * Owns: a share of the session's memory, some 100 bytes an entry and 2 to 3 a place. Beyond three quarters of
 *       it entries have no places, beyond all of it there are none: that is counted.
 * Runs: on one thread at a time: its user's lock.
 */
#ifndef JPROF_CODE_MAP_H
#define JPROF_CODE_MAP_H

#include <stdbool.h>

#include "error/error.h"
#include "profile/code_places.h"
#include "profile/profile.h"

struct code_map; /* created, destroyed */

/* memory: bytes for entries and their places. machine_code: bytes of instructions that are taken in all. NULL
 * without memory. */
struct code_map *code_map_create(uint64_t memory, uint64_t machine_code);
void code_map_destroy(struct code_map *map);

/* What was loaded. */
struct code_load {
	uint64_t address, size;
	uint32_t method;  /* id; METHOD_ROOT: the JVM's own */
	const char *name; /* of the JVM's own; borrowed for good */
	uint32_t level;
	const uint8_t *places; /* encoded, owned: taken; NULL: not known */
	size_t places_size;
	const void *bytes; /* its instructions, copied; NULL: they are not wanted */
};

/* time: ns of CLOCK_MONOTONIC, as all times here; 0: it was there before. What lay there is unloaded by then, if
 * that was not told. The same once more, as the JVM repeats what it told, changes nothing. */
void code_map_load(struct code_map *map, struct code_load *load, uint64_t time);
void code_map_unload(struct code_map *map, uint64_t address, uint64_t time);

/* The entry that had the address then, of several the smallest; borrowed until the next call that changes
 * something. NULL: there is none, or it was unloaded and is in the file. */
const struct profile_code *code_map_find(
	const struct code_map *map, uint64_t address, uint64_t time);

/* Goes through what is not in the file as it is now: *place is 0 at first. False: that was all. What the rows
 * point to stays until code_map_put_done, even if the lock is given back meanwhile. machine: the instructions;
 * without bytes: there are none. */
bool code_map_next(struct code_map *map, size_t *place, struct profile_code *code,
	struct profile_machine_code *machine);

/* The rows of before are in the file; kept false: they are not. */
void code_map_put_done(struct code_map *map, bool kept);

struct code_map_counts {
	uint64_t entries, places; /* that were taken: pieces, bytes of their places */
	uint64_t machine_code;    /* bytes */
	/* No room: for the entry, its places, its instructions. */
	uint64_t missing, places_missing, machine_code_missing;
	uint64_t memory; /* that it has, bytes */
};
struct code_map_counts code_map_counts(const struct code_map *map);

#endif
