/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/* slice_write: see slice_write.h. */
#include "profile/slice_write.h"

/* So many pairs of slices become one after a transaction at most. */
enum { JOINS_MOST = 8 };

enum own_statement {
	OWN_LAST, /* the newest slice, and whether it is complete, for resolution ?1 */
	OWN_ADD,
	OWN_EXTEND, /* slice ?1 until ?2 */
	OWN_COUNT_ROWS,
	OWN_BOUNDS, /* slices, and their rows */
	OWN_PAIR,   /* at ?1, without slice ?2 */
	OWN_JOIN,   /* slice ?2 into ?1 */
	OWN_DROP,
	OWN_STATEMENTS
};

_Static_assert((int)OWN_STATEMENTS <= (int)SLICE_OWN_STATEMENTS, "there is room for them");

/* Of two neighbours the one with fewer rows goes into the other. How long a pair is for how long ago it began: the
 * least first. */
static const char *const own_sql[OWN_STATEMENTS] = {
	[OWN_LAST] = "SELECT id, ended, ended / ?1 > began / ?1 OR EXISTS("
		     "SELECT 1 FROM snapshot WHERE at = ended) "
		     "FROM slice ORDER BY ended DESC, began DESC LIMIT 1",
	[OWN_ADD] = "INSERT INTO slice SELECT 1 + coalesce(max(id), 0), ?1, ?2, 0 FROM slice "
		    "RETURNING id",
	[OWN_EXTEND] = "UPDATE slice SET ended = ?2 WHERE id = ?1",
	[OWN_COUNT_ROWS] =
		"UPDATE slice SET rows = (SELECT count(*) FROM slice_thread WHERE slice = ?1)"
		" + (SELECT count(*) FROM slice_node WHERE slice = ?1)"
		" + (SELECT count(*) FROM slice_account WHERE slice = ?1)"
		" + (SELECT count(*) FROM slice_sequence WHERE slice = ?1) WHERE id = ?1",
	[OWN_BOUNDS] = "SELECT count(*), sum(rows) FROM slice",
	[OWN_PAIR] =
		"SELECT iif(rows >= next_rows, id, next), iif(rows >= next_rows, next, id) "
		"FROM (SELECT id, began, rows, lead(id) OVER w AS next, "
		"lead(ended) OVER w AS until, lead(rows) OVER w AS next_rows "
		"FROM slice WINDOW w AS (ORDER BY began, ended)) "
		"WHERE next IS NOT NULL AND next <> ?2 "
		"ORDER BY (until - began) * 1.0 / (?1 - began + 1) LIMIT 1",
	[OWN_JOIN] = "UPDATE slice SET began = min(began, other_began), "
		     "ended = max(ended, other_ended) FROM (SELECT began AS other_began, "
		     "ended AS other_ended FROM slice WHERE id = ?2) WHERE id = ?1",
	[OWN_DROP] = "DELETE FROM slice WHERE id = ?1",
};

static int prepare(struct slice_writer *slices, const char *sql, sqlite3_stmt **statement)
{
	if (!sql)
		return SQLITE_NOMEM;
	return sqlite3_prepare_v3(
		slices->db, sql, -1, SQLITE_PREPARE_PERSISTENT, statement, NULL);
}

int slices_init(struct slice_writer *slices, sqlite3 *db, unsigned metrics, uint64_t resolution)
{
	int result = SQLITE_OK;

	*slices = (struct slice_writer){.db = db,
		.resolution = resolution,
		.slices_most = SLICES_MOST,
		.rows_most = SLICE_ROWS_MOST};
	for (int t = 0; t < SLICE_TABLES; t++)
		for (int s = 0; s < SLICE_STATEMENTS && result == SQLITE_OK; s++) {
			char *sql = schema_slice_sql(
				&schema_tables[(int)TABLE_SLICE_THREAD + t], metrics, s);

			result = prepare(slices, sql, &slices->of_table[t][s]);
			sqlite3_free(sql);
		}
	for (int s = 0; s < OWN_STATEMENTS && result == SQLITE_OK; s++)
		result = prepare(slices, own_sql[s], &slices->own[s]);
	return result;
}

void slices_fini(struct slice_writer *slices)
{
	for (int t = 0; t < SLICE_TABLES; t++)
		for (int s = 0; s < SLICE_STATEMENTS; s++)
			sqlite3_finalize(slices->of_table[t][s]);
	for (int s = 0; s < OWN_STATEMENTS; s++)
		sqlite3_finalize(slices->own[s]);
	*slices = (struct slice_writer){0};
}

/* Runs a statement with so many numbers; of its first row up to `answers` numbers, which are 0 without one. */
static int run(sqlite3_stmt *statement, const uint64_t *number, int numbers, uint64_t *answer,
	int answers)
{
	int result;

	for (int i = 0; i < numbers; i++)
		sqlite3_bind_int64(statement, i + 1, (sqlite3_int64)number[i]);
	result = sqlite3_step(statement);
	for (int i = 0; i < answers; i++)
		answer[i] =
			result == SQLITE_ROW ? (uint64_t)sqlite3_column_int64(statement, i) : 0;
	/* What changes rows and answers changes them to the end. */
	while (result == SQLITE_ROW)
		result = sqlite3_step(statement);
	sqlite3_reset(statement);
	return result == SQLITE_DONE ? SQLITE_OK : result;
}

int slices_begin(struct slice_writer *slices, uint64_t now)
{
	enum { ID, ENDED, COMPLETE, ANSWERS };
	uint64_t last[ANSWERS];
	int result =
		run(slices->own[OWN_LAST], (uint64_t[]){slices->resolution}, 1, last, ANSWERS);

	if (result == SQLITE_OK && last[ID] != 0 && !last[COMPLETE])
		result = run(slices->own[OWN_EXTEND], (uint64_t[]){last[ID], now}, 2, NULL, 0);
	else if (result == SQLITE_OK)
		result = run(
			slices->own[OWN_ADD], (uint64_t[]){last[ENDED], now}, 2, &last[ID], 1);
	slices->current = result == SQLITE_OK ? (uint32_t)last[ID] : 0;
	return result;
}

int slices_count(struct slice_writer *slices, enum schema_table_id table, uint64_t first,
	uint64_t last, int sign)
{
	static const enum schema_table_id slice[TABLE_COUNT] = {
		[TABLE_THREAD] = TABLE_SLICE_THREAD,
		[TABLE_NODE] = TABLE_SLICE_NODE,
		[TABLE_ACCOUNT] = TABLE_SLICE_ACCOUNT,
		[TABLE_SEQUENCE] = TABLE_SLICE_SEQUENCE,
	};

	if (slices->current == 0 || slice[table] == 0)
		return SQLITE_OK;
	return run(slices->of_table[slice[table] - TABLE_SLICE_THREAD][SLICE_ADD],
		(uint64_t[]){slices->current, (uint64_t)(int64_t)sign, first, last}, 4, NULL,
		0);
}

/* Makes two neighbours one. */
static int join(struct slice_writer *slices, uint64_t into, uint64_t gone)
{
	const uint64_t pair[] = {into, gone};
	int result = SQLITE_OK;

	for (int t = 0; t < SLICE_TABLES && result == SQLITE_OK; t++) {
		result = run(slices->of_table[t][SLICE_JOIN], pair, 2, NULL, 0);
		if (result == SQLITE_OK)
			result = run(slices->of_table[t][SLICE_DROP], &gone, 1, NULL, 0);
	}
	if (result == SQLITE_OK)
		result = run(slices->own[OWN_JOIN], pair, 2, NULL, 0);
	if (result == SQLITE_OK)
		result = run(slices->own[OWN_DROP], &gone, 1, NULL, 0);
	return result == SQLITE_OK ? run(slices->own[OWN_COUNT_ROWS], &into, 1, NULL, 0)
				   : result;
}

static int keep_bounds(struct slice_writer *slices)
{
	enum { SLICES, ROWS, ANSWERS };
	uint64_t have[ANSWERS], last[2], pair[2];
	int result = run(slices->own[OWN_LAST], (uint64_t[]){slices->resolution}, 1, last, 2);

	for (int i = 0; i < JOINS_MOST && result == SQLITE_OK; i++) {
		result = run(slices->own[OWN_BOUNDS], NULL, 0, have, ANSWERS);
		if (result != SQLITE_OK || have[SLICES] <= 2 ||
			(have[SLICES] <= slices->slices_most &&
				have[ROWS] <= slices->rows_most))
			break;
		result = run(slices->own[OWN_PAIR], (uint64_t[]){last[1], slices->current}, 2,
			pair, 2);
		if (result == SQLITE_OK && pair[0] != 0)
			result = join(slices, pair[0], pair[1]);
	}
	return result;
}

int slices_end(struct slice_writer *slices)
{
	uint64_t current = slices->current;
	int result = SQLITE_OK;

	if (current == 0)
		return SQLITE_OK;
	for (int t = 0; t < SLICE_TABLES && result == SQLITE_OK; t++)
		result = run(slices->of_table[t][SLICE_EMPTY], &current, 1, NULL, 0);
	if (result == SQLITE_OK)
		result = run(slices->own[OWN_COUNT_ROWS], &current, 1, NULL, 0);
	if (result == SQLITE_OK)
		result = keep_bounds(slices);
	slices->current = 0;
	return result;
}
