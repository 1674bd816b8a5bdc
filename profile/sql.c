/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/* sql: see sql.h. */
#include "profile/sql.h"

#include <errno.h>
#include <string.h>

/* Primary result codes (https://www.sqlite.org/rescode.html) that mean something to
 * users. */
static const struct {
	int result;
	enum error_code code;
} codes[] = {
	{SQLITE_BUSY, ERROR_BUSY},
	{SQLITE_LOCKED, ERROR_BUSY},
	{SQLITE_PROTOCOL, ERROR_BUSY},
	{SQLITE_NOMEM, ERROR_MEMORY},
	{SQLITE_CORRUPT, ERROR_FORMAT},
	{SQLITE_NOTADB, ERROR_FORMAT},
	{SQLITE_TOOBIG, ERROR_FORMAT},
	{SQLITE_PERM, ERROR_DENIED},
	{SQLITE_READONLY, ERROR_DENIED},
};

enum error_code sql_error_code(int result)
{
	for (size_t i = 0; i < sizeof codes / sizeof codes[0]; i++)
		if ((result & 0xff) == codes[i].result)
			return codes[i].code;
	return ERROR_IO;
}

int sql_failed(struct error *error, sqlite3 *db, int result, const char *doing,
	const struct place *place)
{
	int primary = result & 0xff, code = 0;

	/* The operating system's own word where there is one says more than "disk I/O error". */
	if (primary == SQLITE_FULL)
		code = ENOSPC;
	else if (db && (primary == SQLITE_IOERR || primary == SQLITE_CANTOPEN))
		code = sqlite3_system_errno(db);
	return error_set(error, sql_error_code(result), "cannot %s '%s': %s", doing,
		place->shown, code != 0 ? strerror(code) : sqlite3_errstr(result));
}

int sql_exec(sqlite3 *db, const char *statements)
{
	return sqlite3_exec(db, statements, NULL, NULL, NULL);
}
