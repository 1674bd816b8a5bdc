/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/* slice_write: see slice_write.h. */
#include "profile/slice_write.h"

#include <string.h>

#include "profile/bind.h"

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

/* Of two neighbours the one with fewer rows goes into the other; not where a session begins between them. How long a pair is for how long ago it began: the
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
		" + (SELECT count(*) FROM slice_sequence WHERE slice = ?1)"
		" + (SELECT count(*) FROM slice_contention WHERE slice = ?1)"
		" + (SELECT count(*) FROM slice_thread_state WHERE slice = ?1) WHERE id = ?1",
	[OWN_BOUNDS] = "SELECT count(*), sum(rows) FROM slice",
	[OWN_PAIR] =
		"SELECT iif(rows >= next_rows, id, next), iif(rows >= next_rows, next, id) "
		"FROM (SELECT id, began, rows, lead(id) OVER w AS next, "
		"lead(began) OVER w AS border, "
		"lead(ended) OVER w AS until, lead(rows) OVER w AS next_rows "
		"FROM slice WINDOW w AS (ORDER BY began, ended)) "
		"WHERE next IS NOT NULL AND next <> ?2 AND border NOT IN "
		"(SELECT at FROM snapshot WHERE kind = 'session') "
		"ORDER BY (until - began) * 1.0 / (?1 - began + 1) LIMIT 1",
	[OWN_JOIN] = "UPDATE slice SET began = min(began, other_began), "
		     "ended = max(ended, other_ended) FROM (SELECT began AS other_began, "
		     "ended AS other_ended FROM slice WHERE id = ?2) WHERE id = ?1",
	[OWN_DROP] = "DELETE FROM slice WHERE id = ?1",
};

/* The original's column of that name. */
static const struct schema_column *column_named(
	const struct schema_table *table, const char *name)
{
	int i = 0;

	while (strcmp(table->column[i].name, name) != 0)
		i++;
	return &table->column[i];
}

/* Where a record of the original has what is in the slice's columns. */
static void find_columns(struct slice_columns *of, int t)
{
	static const enum schema_table_id originals[SLICE_TABLES] = {TABLE_THREAD, TABLE_NODE,
		TABLE_ACCOUNT, TABLE_SEQUENCE, TABLE_CONTENTION, TABLE_THREAD_STATE};
	const struct schema_table *original = &schema_tables[originals[t]],
				  *slice = &schema_tables[(int)TABLE_SLICE_THREAD + t];

	for (int i = 0; i < slice->columns; i++) {
		const struct schema_column *column =
			column_named(original, slice->column[i].name);

		if (slice->column[i].key)
			of->key[of->keys++] = column;
		else
			of->offset[of->counts++] = column->offset;
	}
	for (int k = 0; k < 2 && slice->per_metric[k].name; k++)
		of->per_metric[k] = &original->per_metric[k];
}

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
		.metrics = metrics,
		.resolution = resolution,
		.slices_most = SLICES_MOST,
		.rows_most = SLICE_ROWS_MOST};
	for (int t = 0; t < SLICE_TABLES; t++) {
		find_columns(&slices->columns[t], t);
		for (int s = 0; s < SLICE_STATEMENTS && result == SQLITE_OK; s++) {
			char *sql = schema_slice_sql(
				&schema_tables[(int)TABLE_SLICE_THREAD + t], metrics, s);

			result = prepare(slices, sql, &slices->of_table[t][s]);
			sqlite3_free(sql);
		}
	}
	for (int s = 0; s < OWN_STATEMENTS && result == SQLITE_OK; s++)
		result = prepare(slices, own_sql[s], &slices->own[s]);
	return result;
}

int slices_init_like(
	struct slice_writer *wider, const struct slice_writer *slices, unsigned metrics)
{
	int result;

	*wider = (struct slice_writer){0};
	if (!slices->db)
		return SQLITE_OK;
	result = slices_init(wider, slices->db, metrics, slices->resolution);
	wider->slices_most = slices->slices_most;
	wider->rows_most = slices->rows_most;
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

/* Of a table: what slices added to it; 0: there is no such. */
static enum schema_table_id slice_of(
	const struct slice_writer *slices, enum schema_table_id table)
{
	static const enum schema_table_id slice[TABLE_COUNT] = {
		[TABLE_THREAD] = TABLE_SLICE_THREAD,
		[TABLE_NODE] = TABLE_SLICE_NODE,
		[TABLE_ACCOUNT] = TABLE_SLICE_ACCOUNT,
		[TABLE_SEQUENCE] = TABLE_SLICE_SEQUENCE,
		[TABLE_CONTENTION] = TABLE_SLICE_CONTENTION,
		[TABLE_THREAD_STATE] = TABLE_SLICE_THREAD_STATE,
	};

	return slices->current != 0 ? slice[table] : 0;
}

int slices_take(
	struct slice_writer *slices, enum schema_table_id table, uint64_t first, uint64_t last)
{
	enum schema_table_id slice = slice_of(slices, table);

	if (slice == 0)
		return SQLITE_OK;
	return run(slices->of_table[slice - TABLE_SLICE_THREAD][SLICE_TAKE],
		(uint64_t[]){slices->current, first, last}, 3, NULL, 0);
}

/* ---- differences ---- */

enum { COUNTS_MAX = PROFILE_THREAD_COUNTS + 2 * PROFILE_METRIC_MAX };

/* The record's counts, in the order of the slice's columns. How many they are. */
static int record_counts(const struct slice_writer *slices, const struct slice_columns *of,
	const void *record, uint64_t *count)
{
	int counts = of->counts;

	for (int i = 0; i < counts; i++)
		memcpy(&count[i], (const char *)record + of->offset[i], sizeof *count);
	for (int k = 0; k < 2 && of->per_metric[k]; k++) {
		const void *array = (const char *)record + of->per_metric[k]->offset;
		const uint64_t *number = array;

		if (of->per_metric[k]->pointer)
			memcpy(&number, array, sizeof number);
		for (unsigned m = 0; m < slices->metrics; m++) /* NULL: zeros */
			count[counts++] = number ? number[m] : 0;
	}
	return counts;
}

/* Adds a row with those counts, whose keys are bound. */
static int add_row(struct slice_writer *slices, sqlite3_stmt *statement, int keys,
	const uint64_t *count, int counts)
{
	uint64_t any = 0;
	int result;

	for (int i = 0; i < counts; i++) {
		any |= count[i];
		bind_number(statement, 2 + keys + i, count[i]);
	}
	if (any == 0)
		return SQLITE_OK;
	bind_number(statement, 1, slices->current);
	result = sqlite3_step(statement);
	sqlite3_reset(statement);
	return result == SQLITE_DONE ? SQLITE_OK : result;
}

/* True if the file's row and the record have the same keys in the slice. */
static bool has_keys(sqlite3_stmt *old, const struct slice_columns *of, const void *record)
{
	for (int k = 1; k < of->keys; k++) {
		const struct schema_column *column = of->key[k];
		const char *value = (const char *)record + column->offset;
		const char *text;
		uint64_t number;
		uint32_t word;

		if (column->kind == KIND_WORD) {
			text = (const char *)sqlite3_column_text(old, k);
			memcpy(&word, value, sizeof word);
			if (!text || strcmp(text, column->words[word]) != 0)
				return false;
		} else {
			memcpy(&number, value, sizeof number);
			if ((uint64_t)sqlite3_column_int64(old, k) != number)
				return false;
		}
	}
	return true;
}

/* The id by which the original has the row, and the first key of the slice: they differ for accounts alone. */
static uint64_t id_in(const struct schema_column *column, const void *record)
{
	const uint32_t *thread = record;
	uint32_t id;

	memcpy(&id, (const char *)record + column->offset, sizeof id);
	return column->kind == KIND_U32 ? id : profile_node_id(*thread, id);
}

int slices_put(struct slice_writer *slices, enum schema_table_id table, const void *record)
{
	enum schema_table_id slice = slice_of(slices, table);
	uint64_t now[COUNTS_MAX], before[COUNTS_MAX] = {0};
	const struct slice_columns *of;
	sqlite3_stmt *old, *add;
	int counts, result;

	if (slice == 0)
		return SQLITE_OK;
	of = &slices->columns[slice - TABLE_SLICE_THREAD];
	old = slices->of_table[slice - TABLE_SLICE_THREAD][SLICE_OLD];
	add = slices->of_table[slice - TABLE_SLICE_THREAD][SLICE_ADD];
	counts = record_counts(slices, of, record, now);
	bind_number(old, 1, id_in(&schema_tables[table].column[0], record));
	result = sqlite3_step(old);
	for (int i = 0; i < counts && result == SQLITE_ROW; i++)
		before[i] = (uint64_t)sqlite3_column_int64(old, of->keys + i);
	if (result == SQLITE_ROW &&
		((uint64_t)sqlite3_column_int64(old, 0) != id_in(of->key[0], record) ||
			!has_keys(old, of, record))) {
		/* It is another one's now: what it had goes from there. */
		for (int k = 0; k < of->keys; k++)
			sqlite3_bind_value(add, 2 + k, sqlite3_column_value(old, k));
		for (int i = 0; i < counts; i++)
			before[i] = -before[i];
		result = add_row(slices, add, of->keys, before, counts);
		memset(before, 0, sizeof before);
	}
	sqlite3_reset(old);
	if (result != SQLITE_ROW && result != SQLITE_DONE && result != SQLITE_OK)
		return result;
	for (int k = 0; k < of->keys; k++)
		bind_column(add, 2 + k, of->key[k], record);
	for (int i = 0; i < counts; i++)
		now[i] -= before[i];
	return add_row(slices, add, of->keys, now, counts);
}

/* ---- bounds ---- */

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
	int result;

	if (current == 0)
		return SQLITE_OK;
	result = run(slices->own[OWN_COUNT_ROWS], &current, 1, NULL, 0);
	if (result == SQLITE_OK)
		result = keep_bounds(slices);
	slices->current = 0;
	return result;
}
