/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/*
 * waiting_rows: rows of a table of the profile that wait for the next flush.
 *
 * One thread adds while another one puts. A row stays until a flush has kept it; beyond WAITING_ROWS_MAX of them
 * later ones are dropped, and counted.
 */
#ifndef JPROF_WAITING_ROWS_H
#define JPROF_WAITING_ROWS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "agent/lock/lock.h"
#include "profile/profile_write.h"

enum { WAITING_ROWS_MAX = 200000, WAITING_TEXTS = 5, WAITING_ROW_BYTES = 256 };

/* One table's. Static, the first members given: {.table = ..., .size = sizeof(struct profile_...), ...}. */
struct waiting_rows {
	enum schema_table_id table;
	size_t size; /* of a record; WAITING_ROW_BYTES at most */
	size_t text
		[WAITING_TEXTS]; /* offsets of its texts, const char *, which are copied; NULL stays NULL */
	unsigned texts;
	/* Times are CLOCK_MONOTONIC's as they wait; makes them ns since the session began. */
	void (*since)(void *record, uint64_t began);
	struct lock
		lock; /* {PTHREAD_MUTEX_INITIALIZER, LOCK_WAITING}: guards all but `putting` */
	struct waiting_list {
		char *row;
		size_t rows, room;
	} adding, putting; /* putting: of the thread that puts */
	size_t unkept;     /* of putting, as adding sees it */
	uint64_t lost;
};

/* Copies the record. False: it is lost. */
bool waiting_rows_add(struct waiting_rows *rows, const void *record);

/* Puts all that wait; done with whether they were kept. 0, or a negative code. */
int waiting_rows_put(struct waiting_rows *rows, struct profile_writer *profile, uint64_t began,
	struct error *error);
void waiting_rows_done(struct waiting_rows *rows, bool kept);

uint64_t waiting_rows_lost(struct waiting_rows *rows);

/* There are none, and none was lost; nobody adds or puts. */
void waiting_rows_forget(struct waiting_rows *rows);

#endif
