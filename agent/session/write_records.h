/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/*
 * write_records: brings records of I/O operations from their rings into the profile, in
 * transactions of their own, many times between two flushes: a ring is small. And the call paths
 * that records and files have.
 *
 * Runs: on the thread that flushes.
 */
#ifndef JPROF_WRITE_RECORDS_H
#define JPROF_WRITE_RECORDS_H

#include "agent/trace/io_paths.h"
#include "agent/trace/io_records.h"
#include "error/error.h"
#include "profile/profile_write.h"

/* Milliseconds between two drains. */
enum { RECORDS_PAUSE_MS = 50 };

struct record_writer {
	struct io_records *records; /* borrowed; NULL: there are none */
	struct io_paths *paths;     /* borrowed */
	struct profile_writer *profile;
	uint64_t began;   /* ns of CLOCK_MONOTONIC */
	uint32_t known;   /* paths with ids below that are in the file */
	uint64_t written; /* records in the file */
	/* Of the transaction under way. */
	uint64_t putting;
	struct error *error;
};

/* Within a transaction: the paths that the file has not, from the id *end on, which is moved; to
 * be put into known when the transaction has gone well. */
int write_paths(struct record_writer *writer, uint32_t *end, struct error *error);

/* Writes what there is. 0, or a negative code: what was drained is lost, and counted so. */
int write_records(struct record_writer *writer, struct error *error);

#endif
