/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/* bind: numbers and columns of records into parameters of statements, whose places count from 1. Texts are borrowed. */
#ifndef JPROF_PROFILE_BIND_H
#define JPROF_PROFILE_BIND_H

#include <sqlite3.h>

#include "profile/schema.h"

/* Numbers above 2^63 keep their bits; SQL shows them negative. */
void bind_number(sqlite3_stmt *statement, int at, uint64_t number);

/* The same, or NULL. */
void bind_unless(sqlite3_stmt *statement, int at, bool null, uint64_t number);

/* What the record has for that column. */
void bind_column(sqlite3_stmt *statement, int at, const struct schema_column *column,
	const void *record);

#endif
