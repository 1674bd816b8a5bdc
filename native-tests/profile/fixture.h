/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/* fixture: a directory for a test's files, and a profile whose every number is known. */
#ifndef JPROF_TEST_PROFILE_FIXTURE_H
#define JPROF_TEST_PROFILE_FIXTURE_H

#include <stdbool.h>

#include "profile/profile_read.h"
#include "profile/profile_write.h"

#define FIXTURE_METRICS 3
extern const struct profile_metric fixture_metrics[FIXTURE_METRICS];

/* Directory of this process, made at the first call, removed by fixture_clean. */
const char *fixture_directory(void);
void fixture_clean(void);

/* DIRECTORY/NAME, in one of some static buffers. */
char *fixture_path(const char *name);

/* The node that stands at (thread, index) in round `round`; base points to a static
 * array. A tree in which node i hangs below (i - 1) / 2. */
struct profile_node fixture_node(uint32_t thread, uint32_t index, uint64_t round);

/* Puts methods 2 to 9, `threads` threads and `nodes` nodes each. */
int fixture_put(struct profile_writer *writer, uint32_t threads, uint32_t nodes, uint64_t round,
	struct error *error);
/* The same in one transaction; with a mark, "kept", and a snapshot. */
int fixture_fill(struct profile_writer *writer, uint32_t threads, uint32_t nodes,
	uint64_t round, struct error *error);

int fixture_keep(struct profile_writer *writer, uint32_t threads, uint32_t nodes,
	uint64_t round, const struct profile_snapshot *snapshot, struct error *error);

/* Puts a session that wants all metrics, and nothing else of what sessions may want: "s1", of alice. */
int fixture_session(struct profile_writer *writer, uint32_t id, uint32_t bit, uint32_t snapshot,
	struct error *error);

/* A whole profile made and closed. */
void fixture_profile(const char *path, uint32_t threads, uint32_t nodes);
/* The same with snapshots "a" of round 0, a reset (2), "b" (6), "reset2" (12), a reset (20); at
 * the end it is round 30. */
void fixture_snapshots(const char *path, uint32_t threads, uint32_t nodes);

/* A profile with the first so many of those metrics. */
struct profile_writer *fixture_create(const char *path, unsigned metrics);

/* True if every node of the profile is fixture_node of the same round; *round is it. */
bool fixture_is_whole(
	const struct profile *profile, uint32_t threads, uint32_t nodes, uint64_t *round);

/* Runs SQL on a database through SQLite alone; the first column of the first row, as
 * text, into answer (may be NULL). The file's side files are honoured. Fails the test on
 * error. */
void fixture_sql(const char *path, const char *sql, char *answer, int size);

void fixture_write_bytes(const char *path, const void *bytes, size_t size);
bool fixture_exists(const char *path);
long fixture_size(const char *path);

#endif
