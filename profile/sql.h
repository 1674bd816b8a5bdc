/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/* sql: the few things that reading and writing do alike with SQLite. */
#ifndef JPROF_PROFILE_SQL_H
#define JPROF_PROFILE_SQL_H

#include <sqlite3.h>

#include "error/error.h"
#include "profile/place.h"

/* Fills error with "cannot DOING 'PATH': why" for a result of SQLite; returns -code. db
 * may be NULL. */
int sql_failed(struct error *error, sqlite3 *db, int result, const char *doing,
	const struct place *place);

/* The code that error.h has for a result of SQLite. */
enum error_code sql_error_code(int result);

/* Runs statements that give no rows that matter. A result of SQLite. */
int sql_exec(sqlite3 *db, const char *statements);

#endif
