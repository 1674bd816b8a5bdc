/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/*
 * write_records: brings records of I/O operations from their rings into the profile, many times
 * between two flushes: a ring is small.
 *
 * Runs: on the thread that flushes.
 */
#ifndef JPROF_WRITE_RECORDS_H
#define JPROF_WRITE_RECORDS_H

#include "agent/trace/records.h"
#include "error/error.h"
#include "profile/profile_write.h"

/* Milliseconds between two drains. */
enum { RECORDS_PAUSE_MS = 50 };

struct record_writer {
	struct records *records; /* borrowed; NULL: there are none */
	struct profile_writer *profile;
	uint64_t began;   /* ns of CLOCK_MONOTONIC */
	uint64_t written; /* records in the file */
	uint64_t putting; /* in the transaction under way; 0: none is */
	uint32_t row;     /* of the thread that is shown */
	/* since it was last cleared: some were of nodes that the file had not */
	bool new_paths;
	struct error *error;
};

/* Puts what the rings have into a transaction, which is begun if there is something. 0, or a
 * negative code. */
int records_put(struct record_writer *writer, struct error *error);

/* The transaction was committed, or not: the records are written, or lost. */
void records_put_done(struct record_writer *writer, bool committed);

#endif
