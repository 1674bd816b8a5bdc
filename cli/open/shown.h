/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/*
 * shown: the profile that the page shows: read once and kept, with some intervals and parts of it.
 *
 * In:   exchanges for `block` and `report`, with their parameters (docs/page-data.md).
 * Out:  their answers: the same as `jprof report --format json` prints, by the same code; blocks (report/page).
 * Runs: on the thread of one worker; shown_change on any.
 */
#ifndef JPROF_CLI_SHOWN_H
#define JPROF_CLI_SHOWN_H

#include <pthread.h>

#include "cli/open/exchange.h"
#include "cli/reading/opened_profile.h"

/* Intervals that are kept, with the one that reports show; nodes of all but that one. */
enum { SHOWN_INTERVALS = 5, SHOWN_NODES = 4000000 };

/* What is asked for of it: borrowed. */
struct wish {
	const char *interval; /* "A..B"; NULL: what reports show */
	const struct label_choice *labels;
};

/* One interval of it, with what was done under some labels, or all. */
struct reading {
	char *interval; /* "A..B", owned; NULL: what reports show */
	char *file;     /* owned */
	struct profile_choice choice;
	struct opened_profile opened;
	uint64_t used; /* the larger, the later */
	struct reading *next;
};

struct shown {
	const char *calibration, *java; /* the user's, borrowed, or NULL */
	struct reading *
		readings; /* owned; the first is what reports show, and NULL before it was read */
	uint64_t uses;
	pthread_mutex_t lock; /* of what follows */
	char *file;           /* owned; NULL: there is none yet */
	bool is_stale;        /* what was read is not what there is now */
};

/* Embedded. file: copied; NULL: as above. 0, or a negative code. */
int shown_init(struct shown *shown, const char *file, const char *calibration, const char *java,
	struct error *error);
void shown_fini(struct shown *shown);

/* Reads the profile now, unless that was done. Shows progress. 0, or a negative code. */
int shown_read(struct shown *shown, struct error *error);

/* From now on it is that one, copied; NULL: what was read is to be read again when somebody asks. */
void shown_change(struct shown *shown, const char *file);

/* ---- for a worker: user is the struct shown ---- */

void shown_block(void *user, struct exchange *exchange);
void shown_report(void *user, struct exchange *exchange);

/* Reads it again: {"ok": true}, or why not; then what was read before stays. */
void shown_refresh(void *user, struct exchange *exchange);

#endif
