/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/* read_rows: the tables of a profile as rows, checked before they are read. */
#include <string.h>

#include "error/utf8.h"
#include "profile/reader.h"

/* How often a text may be read. A number may be read as a text, too, which is longer. */
enum { TEXTS_MAX = 8 };

int reader_no_memory(struct reader *reader)
{
	return error_set(reader->source->error, ERROR_MEMORY, "no memory to read '%s'",
		reader->source->place.shown);
}

/* The table that has the rows asked for: itself, or its copy in a snapshot. */
static const struct schema_table *table_of(const struct reader *reader, enum schema_table_id id)
{
	static const enum schema_table_id copy[TABLE_COUNT] = {
		[TABLE_THREAD] = TABLE_SNAPSHOT_THREAD,
		[TABLE_NODE] = TABLE_SNAPSHOT_NODE,
		[TABLE_ACCOUNT] = TABLE_SNAPSHOT_ACCOUNT,
		[TABLE_SEQUENCE] = TABLE_SNAPSHOT_SEQUENCE,
		[TABLE_DISTRIBUTION] = TABLE_SNAPSHOT_DISTRIBUTION,
		[TABLE_CONTENTION] = TABLE_SNAPSHOT_CONTENTION,
		[TABLE_THREAD_STATE] = TABLE_SNAPSHOT_THREAD_STATE,
	};

	return &schema_tables[reader->snapshot && copy[id] ? copy[id] : id];
}

/* FROM the table, and of a copy the rows of the snapshot, of slices those of the interval. */
static void append_from(
	const struct reader *reader, const struct schema_table *table, sqlite3_str *sql)
{
	sqlite3_str_appendf(sql, " FROM %s", table->name);
	if (table->copy)
		sqlite3_str_appendf(sql, " WHERE snapshot = %u", reader->snapshot);
	if (table->added)
		sqlite3_str_appendf(sql,
			" WHERE slice IN (SELECT id FROM slice WHERE began >= %lld AND ended "
			"<= %lld)",
			(long long)reader->slices_from, (long long)reader->slices_to);
}

/* All columns of a table in their order, by id where it has one. A copy's look like those of
 * what it is a copy of. */
static int select_all(struct reader *reader, enum schema_table_id id, sqlite3_stmt **statement)
{
	const struct schema_table *table = table_of(reader, id);
	unsigned metrics = reader->profile->metric_count;
	int columns = schema_columns(table, metrics), before = table->copy || table->added;
	sqlite3_str *sql = sqlite3_str_new(NULL);
	char name[32];

	for (int i = before; i < columns; i++) {
		schema_column_name(table, metrics, i, name, sizeof name);
		sqlite3_str_appendf(sql,
			i - before < table->columns &&
					table->column[i - before].kind == KIND_BYTES_LATER
				? "%s length(%s)"
				: "%s %s",
			i > before ? "," : "SELECT", name);
	}
	append_from(reader, table, sql);
	/* Slices are summed up, in whatever order. */
	if (!table->added)
		sqlite3_str_appendall(sql, " ORDER BY 1");
	char *text = sqlite3_str_finish(sql);
	if (!text)
		return reader_no_memory(reader);
	int result = sqlite3_prepare_v2(reader->source->db, text, -1, statement, NULL);
	sqlite3_free(text);
	return result == SQLITE_OK ? 0 : read_failed(reader->source, result);
}

int reader_next_row(struct reader *reader, sqlite3_stmt *statement)
{
	int result = sqlite3_step(statement);

	if (result == SQLITE_ROW || result == SQLITE_DONE)
		return result == SQLITE_ROW;
	return read_failed(reader->source, result);
}

int reader_ask(
	struct reader *reader, const char *sql, const char *parameter, sqlite3_int64 *answer)
{
	sqlite3_stmt *statement = NULL;
	int result = sqlite3_prepare_v2(reader->source->db, sql, -1, &statement, NULL);

	*answer = 0;
	if (result == SQLITE_OK && parameter)
		sqlite3_bind_text(statement, 1, parameter, -1, SQLITE_STATIC);
	if (result == SQLITE_OK)
		result = sqlite3_step(statement);
	if (result == SQLITE_ROW)
		*answer = sqlite3_column_int64(statement, 0);
	sqlite3_finalize(statement);
	if (result == SQLITE_ROW || result == SQLITE_DONE)
		return 0;
	return read_failed(reader->source, result);
}

/* The place that the table's column of that name is meant to have; it is looked for at `likely` first. -1: it has none.
 * Those of metrics that came later stand behind all others. */
static int place_of(
	const struct schema_table *table, unsigned metrics, const char *column, int likely)
{
	int columns = schema_columns(table, metrics);
	char name[32];

	for (int i = likely < columns ? -1 : 0; i < columns; i++) {
		int at = i < 0 ? likely : i;

		schema_column_name(table, metrics, at, name, sizeof name);
		if (strcmp(name, column) == 0)
			return at;
	}
	return -1;
}

/* Which of its columns the table has that are not computed, as bits by their places: no table has more than
 * SCHEMA_COLUMNS_MOST. */
static int check_columns(struct reader *reader, const struct schema_table *table,
	sqlite3_stmt *statement, uint64_t *has)
{
	unsigned metrics = reader->profile->metric_count;
	int status;

	for (int i = 0; (status = reader_next_row(reader, statement)) == 1; i++) {
		const char *name = (const char *)sqlite3_column_text(statement, 0);
		int place = name ? place_of(table, metrics, name, i) : -1;

		if (place >= 0 && sqlite3_column_int(statement, 1) == 0)
			*has |= UINT64_C(1) << place;
	}
	return status;
}

/* A view, a virtual table or a computed column of the right name could cost anything. */
int reader_check(struct reader *reader, enum schema_table_id id)
{
	const struct schema_table *table = table_of(reader, id);
	unsigned metrics = reader->profile->metric_count;
	int columns = schema_columns(table, metrics);
	sqlite3_stmt *statement = NULL;
	sqlite3_int64 real = 0;
	uint64_t has = 0;
	char name[32];

	int status = reader_ask(reader,
		"SELECT count(*) FROM sqlite_master "
		"WHERE type = 'table' AND rootpage > 0 AND name = ?",
		table->name, &real);
	if (status < 0)
		return status;
	if (real != 1)
		return read_damaged(reader->source, "no table '%s'", table->name);
	int result = sqlite3_prepare_v2(reader->source->db,
		"SELECT name, hidden FROM pragma_table_xinfo(?)", -1, &statement, NULL);
	if (result != SQLITE_OK)
		return read_failed(reader->source, result);
	sqlite3_bind_text(statement, 1, table->name, -1, SQLITE_STATIC);
	status = check_columns(reader, table, statement, &has);
	sqlite3_finalize(statement);
	for (int i = 0; i < columns && status == 0; i++) {
		if (has >> i & 1)
			continue;
		schema_column_name(table, metrics, i, name, sizeof name);
		status = read_damaged(
			reader->source, "table '%s' has no column '%s'", table->name, name);
	}
	return status;
}

int reader_count_rows(struct reader *reader, enum schema_table_id id, size_t *rows)
{
	/* Its place in a page's list, its size, its key, the size of its head. */
	enum { ROW_BYTES = 5 };
	uint64_t most = reader->source->bytes / ROW_BYTES;
	sqlite3_int64 found = 0;
	int status = reader_check(reader, id);
	sqlite3_str *sql;

	if (status < 0)
		return status;
	sql = sqlite3_str_new(NULL);
	/* Not count(*) of the table, which SQLite does without a look at how long it takes. */
	sqlite3_str_appendall(sql, "SELECT count(*) FROM (SELECT 1");
	append_from(reader, table_of(reader, id), sql);
	sqlite3_str_appendf(sql, " LIMIT %lld)", (long long)most + 1);
	char *text = sqlite3_str_finish(sql);
	status = text ? reader_ask(reader, text, NULL, &found) : reader_no_memory(reader);
	sqlite3_free(text);
	*rows = (size_t)found;
	if (status < 0 || (uint64_t)found <= most)
		return status;
	return read_damaged(reader->source, "table '%s' has more rows than the file can hold",
		table_of(reader, id)->name);
}

/* ---- one row ---- */

/* A copy of the column's text, NULL for NULL; what is not UTF-8 becomes '?', byte by byte. No memory shows
 * in the store. */
static const char *text_of(struct reader *reader, sqlite3_stmt *statement, int at)
{
	const char *value = (const char *)sqlite3_column_text(statement, at);
	size_t bytes = value ? strlen(value) : 0, length;
	char *copy = value ? store_room(&reader->owned->store, bytes + 1, 1) : NULL;

	reader->owned->text_bytes += bytes;
	if (!copy)
		return NULL;
	memcpy(copy, value, bytes);
	for (char *c = copy; *c; c += length ? length : 1) {
		length = utf8_length(c, UTF8_MAX);
		if (length == 0)
			*c = '?';
	}
	return copy;
}

/* The same of bytes. */
static struct profile_bytes bytes_of(struct reader *reader, sqlite3_stmt *statement, int at)
{
	const void *value = sqlite3_column_blob(statement, at);
	size_t size = value ? (size_t)sqlite3_column_bytes(statement, at) : 0;
	uint8_t *copy = size > 0 ? store_room(&reader->owned->store, size, 1) : NULL;

	reader->owned->text_bytes += size;
	if (!copy)
		return (struct profile_bytes){NULL, 0};
	memcpy(copy, value, size);
	return (struct profile_bytes){copy, size};
}

static bool store32(void *value, uint64_t number)
{
	*(uint32_t *)value = (uint32_t)number;
	return number <= UINT32_MAX;
}

/* An id that has the thread in its upper half. */
static bool store_in_thread(uint32_t thread, void *value, uint64_t number)
{
	return number >> 32 == thread && store32(value, (uint32_t)number);
}

static bool is_null(sqlite3_stmt *statement, int at)
{
	return sqlite3_column_type(statement, at) == SQLITE_NULL;
}

/* False: that cannot be. */
static bool fetch_column(struct reader *reader, sqlite3_stmt *statement, int at,
	const struct schema_column *column, void *record)
{
	void *value = (char *)record + column->offset;
	uint64_t number = (uint64_t)sqlite3_column_int64(statement, at);
	uint32_t *thread = record, word = 0;
	struct profile_bytes bytes;
	const char *text;

	switch (column->kind) {
	case KIND_U64:
	case KIND_U64_OR_NULL:
		memcpy(value, &number, sizeof number);
		return true;
	case KIND_TIME:
		if (is_null(statement, at))
			number = (uint64_t)PROFILE_NOT_KNOWN;
		memcpy(value, &number, sizeof number);
		return true;
	case KIND_U32:
	case KIND_U32_OR_NULL:
		return store32(value, number);
	case KIND_BOOL:
		*(bool *)value = number != 0;
		return true;
	case KIND_TEXT:
	case KIND_NAME:
		text = text_of(reader, statement, at);
		if (!text && column->kind == KIND_NAME)
			text = "";
		memcpy(value, &text, sizeof text);
		return !column->key || !is_null(statement, at);
	case KIND_BYTES:
		bytes = bytes_of(reader, statement, at);
		memcpy(value, &bytes, sizeof bytes);
		return true;
	case KIND_BYTES_LATER:
		bytes = (struct profile_bytes){.size = number};
		memcpy(value, &bytes, sizeof bytes);
		return true;
	case KIND_DESCRIPTOR:
		*(int *)value = is_null(statement, at) ? -1 : (int)number;
		return true;
	case KIND_WORD:
		text = (const char *)sqlite3_column_text(statement, at);
		while (column->words[word] && (!text || strcmp(column->words[word], text) != 0))
			word++;
		return column->words[word] && store32(value, word);
	case KIND_ID:
		*thread = (uint32_t)(number >> 32);
		return store32(value, (uint32_t)number);
	case KIND_THREAD:
		return number == *thread;
	case KIND_CALLER:
		/* A root's is NULL, and no other's: it reads as one of thread 0, which is none. */
		if (thread[1] == 0)
			return is_null(statement, at) && store32(value, 0);
		return store_in_thread(*thread, value, number);
	case KIND_ID_IN_THREAD:
		return store_in_thread(*thread, value, number);
	case KIND_ID_ELSEWHERE:
		((uint32_t *)value)[-1] = (uint32_t)(number >> 32);
		return store32(value, (uint32_t)number);
	}
	return false;
}

/* values: what the record points to a part of; NULL: nothing. */
static int fetch(struct reader *reader, sqlite3_stmt *statement,
	const struct schema_table *table, uint64_t *values, size_t row, void *record)
{
	unsigned metrics = reader->profile->metric_count;
	int at = table->columns;

	for (int i = 0; i < table->columns; i++)
		if (!fetch_column(reader, statement, i, &table->column[i], record))
			return read_damaged(reader->source,
				"table '%s' has an impossible '%s' in row %zu", table->name,
				table->column[i].name, row + 1);
	for (size_t k = 0; k < 2 && table->per_metric[k].name; k++) {
		void *place = (char *)record + table->per_metric[k].offset;
		uint64_t *number = place;

		if (table->per_metric[k].pointer) {
			number = values + (2 * row + k) * metrics;
			memcpy(place, &number, sizeof number);
		}
		for (unsigned m = 0; m < metrics; m++)
			number[m] = (uint64_t)sqlite3_column_int64(statement, at++);
	}
	return 0;
}

/* ---- all of them ---- */

/* values: NULL: the records point to none. */
static int rows_of(struct reader *reader, const struct reader_list *list, char *record,
	size_t step, uint64_t *values, size_t count)
{
	const struct schema_table *table = table_of(reader, list->table);
	sqlite3_stmt *statement = NULL;
	int status = select_all(reader, list->table, &statement);
	size_t i = 0;

	for (; status == 0 && (status = reader_next_row(reader, statement)) == 1; i++) {
		/* Rows may share their pages: the same text a million times. */
		if (reader->owned->text_bytes > TEXTS_MAX * reader->source->bytes)
			status = read_damaged(
				reader->source, "it has more texts than the file can hold");
		/* An index that contradicts its table makes the two counts differ. */
		else if (i >= count)
			status = read_damaged(reader->source,
				"table '%s' has more rows than it counts", table->name);
		else
			status = 0;
		if (status == 0)
			status = fetch(reader, statement, table, values, i, record + i * step);
		if (status == 0 && list->key) {
			sqlite3_int64 key = sqlite3_column_int64(statement, 0);

			if (key < list->least || key > list->most)
				status = read_damaged(
					reader->source, "%s out of range", list->key);
		}
		if (status == 0 && list->check)
			status = list->check(reader, record + i * step, i);
	}
	sqlite3_finalize(statement);
	if (status == 0 && reader->owned->store.failed)
		return reader_no_memory(reader);
	if (status == 0 && i != count)
		return read_damaged(reader->source, "table '%s' has fewer rows than it counts",
			table->name);
	return status;
}

int reader_each(struct reader *reader, enum schema_table_id table, reader_row *check,
	void *record, size_t count)
{
	const struct reader_list list = {.table = table, .check = check};

	return rows_of(reader, &list, record, 0, NULL, count);
}

int reader_read(struct reader *reader, const struct reader_list *list)
{
	char *owned = (char *)reader->owned;
	size_t *count = (size_t *)(void *)(owned + list->count);
	uint64_t *values = NULL;
	struct store *store = &reader->owned->store;
	int status = reader_count_rows(reader, list->table, count);
	void *array;

	if (status < 0)
		return status;
	array = store_room(store, *count + 1, list->record);
	memcpy(owned + list->array, &array, sizeof array);
	if (list->values) {
		values = store_room(
			store, 2 * *count * reader->profile->metric_count + 1, sizeof *values);
		memcpy(owned + list->values, &values, sizeof values);
	}
	if (store->failed)
		return reader_no_memory(reader);
	return rows_of(reader, list, array, list->record, values, *count);
}
