/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/* writer: what profile_write.c and profile_copy.c share; profile_write.h is for all others. */
#ifndef JPROF_PROFILE_WRITER_H
#define JPROF_PROFILE_WRITER_H

#include <sqlite3.h>
#include <time.h>

#include "profile/claim.h"
#include "profile/profile_write.h"
#include "profile/slice_write.h"

/* One to insert into each table, or for copies to make them; then: */
enum statement {
	DROP_NODES = TABLE_COUNT, /* of a thread */
	DROP_ACCOUNT,
	DROP_DISTRIBUTION,
	FORGET_FILE, /* what it was; whose it is now stays */
	DROP_UNFINISHED,
	DROP_ONE, /* and its table */
	STATEMENT_COUNT = DROP_ONE + TABLE_COUNT
};

struct profile_writer {
	sqlite3 *db;
	sqlite3_stmt *statement[STATEMENT_COUNT];
	struct slice_writer slices;
	unsigned metrics;
	struct claim claim;
	void (*meanwhile)(void);
	struct timespec waits; /* for readers, since */
};

/* Opens the database that is in the file already. 0, or a negative code: writer_disconnect is needed all the same. */
int writer_connect(struct profile_writer *writer, struct error *error);
void writer_disconnect(struct profile_writer *writer);

/* The writer goes on with the database, the file and the slices of the other one, whose rows are the same. Its own database is closed; its
 * own file is the caller's. */
struct claim writer_become(struct profile_writer *writer, struct profile_writer *other);

#endif
