/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/* labels: the snapshots that a profile has, and what they may be called. */
#ifndef JPROF_LABELS_H
#define JPROF_LABELS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "error/error.h"

enum { LABEL_MAX = 100 }; /* bytes */

/* A snapshot, a reset, or where a session begins. */
struct label_row {
	uint32_t id;               /* in the profile */
	char label[LABEL_MAX + 1]; /* of all but snapshots "" */
	bool reset;                /* it is none */
	uint32_t session;          /* whose it is; 0: everybody's */
	uint64_t at;               /* ns since the profile's begin */
};

/* Embedded; zero is empty. */
struct labels {
	struct label_row *row; /* in order of time; room: see labels_reserve */
	size_t count, room;
	uint32_t last; /* id */
};

/* 0, or -ERROR_VALUE: not empty, at most LABEL_MAX bytes, no control characters, no "..". */
int label_check(const char *label, struct error *error);

/* A snapshot of the session (0: of any) is called so. */
bool labels_have(const struct labels *labels, uint32_t session, const char *label);

/* A label that the session does not have yet: a number. */
void labels_number(const struct labels *labels, uint32_t session, char label[LABEL_MAX + 1]);

/* Memory for one more row. 0, or a negative code. */
int labels_reserve(struct labels *labels, struct error *error);

/* Takes out those of a session, and those of all before the id `first`. */
void labels_drop(struct labels *labels, uint32_t session, uint32_t first);

#endif
