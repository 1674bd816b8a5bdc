/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/*
 * read_open: a profile's database opened for reading, in whatever state it was left.
 *
 * In:   a path.
 * Out:  a connection inside a read transaction (one consistent state; of what a JVM
 *       writes at the moment a copy in memory, so that it need not wait), its schema
 *       version checked; or a line that says what the file is instead.
 * Owns: the connection; the file is not changed but for what SQLite's recovery does where
 *       a JVM was killed in the middle of a write.
 */
#ifndef JPROF_PROFILE_READ_OPEN_H
#define JPROF_PROFILE_READ_OPEN_H

#include <sqlite3.h>
#include <stdint.h>

#include "error/error.h"
#include "profile/place.h"

/* Embedded. */
struct read_source {
	sqlite3 *db;
	struct place place;
	uint64_t bytes; /* of the file and its log: what a table holds cannot be more */
	uint64_t steps; /* that SQLite may still do, each STEPS_EACH of its instructions */
};

/* 0, or a negative code; read_close is harmless then, and needed after success. */
int read_open(struct read_source *source, const char *path, struct error *error);
void read_close(struct read_source *source);

/* Fills error for a result of SQLite while reading; tells truncated from damaged. */
int read_failed(struct read_source *source, int result, struct error *error);

/* "'PATH' is damaged: ..." */
int read_damaged(struct read_source *source, struct error *error, const char *format, ...)
	__attribute__((format(printf, 3, 4)));

#endif
