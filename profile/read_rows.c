/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/* read_rows: see read_rows.h. */
#include "profile/read_rows.h"

#include <stdlib.h>
#include <string.h>

/* How often a text may be read. A number may be read as a text, too, which is longer. */
enum { TEXTS_MAX = 8 };

int reader_no_memory(struct reader *reader)
{
	return error_set(reader->error, ERROR_MEMORY, "no memory to read '%s'",
		reader->source->place.shown);
}

/* The table that has the rows asked for: itself, or its copy in a snapshot. */
static const struct schema_table *table_of(
	const struct reader *reader, enum schema_table_id id)
{
	static const enum schema_table_id copy[TABLE_COUNT] = {
		[TABLE_THREAD] = TABLE_SNAPSHOT_THREAD,
		[TABLE_NODE] = TABLE_SNAPSHOT_NODE,
		[TABLE_IO] = TABLE_SNAPSHOT_IO,
		[TABLE_SEQUENCE] = TABLE_SNAPSHOT_SEQUENCE,
	};
	/* In the order of the versions that changed a table. */
	static const struct {
		int since;
		enum schema_table_id id;
		const struct schema_table *before; /* itself and its copy, as they were */
	} changed[] = {
		{SCHEMA_SPENT_SINCE, TABLE_NODE, schema_node_without_spent},
		{SCHEMA_MOUNTS_SINCE, TABLE_THREAD, schema_thread_without_mounts},
		{SCHEMA_WAITED_SINCE, TABLE_THREAD, schema_thread_without_waited},
		{SCHEMA_FOLDED_SINCE, TABLE_FILE, schema_file_without_folded},
	};

	for (size_t i = 0; i < sizeof(changed) / sizeof(*changed); i++)
		if (changed[i].id == id && reader->source->version < changed[i].since)
			return &changed[i].before[reader->snapshot != 0];
	return &schema_tables[reader->snapshot && copy[id] ? copy[id] : id];
}

/* FROM the table, and of a copy the rows of the snapshot. */
static void append_from(
	const struct reader *reader, const struct schema_table *table, sqlite3_str *sql)
{
	sqlite3_str_appendf(sql, " FROM %s", table->name);
	if (table->copy)
		sqlite3_str_appendf(sql, " WHERE snapshot = %u", reader->snapshot);
}

/* All columns of a table in their order, by id where it has one. A copy's look like those of
 * what it is a copy of. */
static int select_all(
	struct reader *reader, enum schema_table_id id, sqlite3_stmt **statement)
{
	const struct schema_table *table = table_of(reader, id);
	unsigned metrics = reader->profile->metric_count;
	int columns = schema_columns(table, metrics);
	sqlite3_str *sql = sqlite3_str_new(NULL);
	char name[32];

	for (int i = table->copy; i < columns; i++) {
		schema_column_name(table, metrics, i, name, sizeof name);
		sqlite3_str_appendf(sql, "%s %s", i > table->copy ? "," : "SELECT", name);
	}
	append_from(reader, table, sql);
	sqlite3_str_appendall(sql, " ORDER BY 1");
	char *text = sqlite3_str_finish(sql);
	if (!text)
		return reader_no_memory(reader);
	int result = sqlite3_prepare_v2(reader->source->db, text, -1, statement, NULL);
	sqlite3_free(text);
	return result == SQLITE_OK ? 0
				   : read_failed(reader->source, result, reader->error);
}

/* 1 for a row, 0 after the last, or a negative code. */
static int next_row(struct reader *reader, sqlite3_stmt *statement)
{
	int result = sqlite3_step(statement);

	if (result == SQLITE_ROW || result == SQLITE_DONE)
		return result == SQLITE_ROW;
	return read_failed(reader->source, result, reader->error);
}

int reader_ask(struct reader *reader, const char *sql, const char *parameter,
	sqlite3_int64 *answer)
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
	return read_failed(reader->source, result, reader->error);
}

/* A view, a virtual table or a computed column of the right name could cost anything. */
int reader_check(struct reader *reader, enum schema_table_id id)
{
	const struct schema_table *table = table_of(reader, id);
	unsigned metrics = reader->profile->metric_count;
	int columns = schema_columns(table, metrics);
	sqlite3_stmt *statement = NULL;
	sqlite3_int64 real = 0;
	char name[32];

	int status = reader_ask(reader,
		"SELECT count(*) FROM sqlite_master "
		"WHERE type = 'table' AND rootpage > 0 AND name = ?",
		table->name, &real);
	if (status < 0)
		return status;
	if (real != 1)
		return read_damaged(
			reader->source, reader->error, "no table '%s'", table->name);
	int result = sqlite3_prepare_v2(reader->source->db,
		"SELECT name, hidden FROM pragma_table_xinfo(?)", -1, &statement, NULL);
	if (result != SQLITE_OK)
		return read_failed(reader->source, result, reader->error);
	sqlite3_bind_text(statement, 1, table->name, -1, SQLITE_STATIC);
	for (int i = 0; i < columns; i++) {
		schema_column_name(table, metrics, i, name, sizeof name);
		status = next_row(reader, statement);
		const char *is = status == 1
					 ? (const char *)sqlite3_column_text(statement, 0)
					 : NULL;
		if (status >= 0 && (!is || strcmp(is, name) != 0 ||
					   sqlite3_column_int(statement, 1) != 0))
			status = read_damaged(reader->source, reader->error,
				"table '%s' has no column '%s'", table->name, name);
		if (status < 0)
			break;
	}
	sqlite3_finalize(statement);
	return status < 0 ? status : 0;
}

int reader_count_rows(struct reader *reader, enum schema_table_id id, size_t *rows)
{
	/* Its place in a page's list, its size, its key, the size of its head. */
	enum { ROW_BYTES = 5 };
	uint64_t most = reader->source->bytes / ROW_BYTES;
	sqlite3_str *sql = sqlite3_str_new(NULL);
	sqlite3_int64 found = 0;
	int status = 0;

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
	return read_damaged(reader->source, reader->error,
		"table '%s' has more rows than the file can hold", table_of(reader, id)->name);
}

int reader_count(struct reader *reader, enum schema_table_id id, size_t record,
	void *records, size_t *count)
{
	size_t rows = 0;
	int status = reader_check(reader, id);

	if (status == 0)
		status = reader_count_rows(reader, id, &rows);
	if (status < 0)
		return status;
	void *memory = calloc(rows + 1, record);
	if (!memory)
		return reader_no_memory(reader);
	memcpy(records, &memory, sizeof memory);
	*count = rows;
	return 0;
}

void reader_numbers(sqlite3_stmt *statement, int first, unsigned count, uint64_t *number)
{
	for (unsigned i = 0; i < count; i++)
		number[i] = reader_number(statement, first + (int)i);
}

char *reader_text(struct reader *reader, sqlite3_stmt *statement, int column)
{
	const char *value = (const char *)sqlite3_column_text(statement, column);

	if (!value)
		return NULL;
	reader->owned->text_bytes += strlen(value);
	return text_store_add(&reader->owned->texts, value);
}

const char *reader_name(
	struct reader *reader, sqlite3_stmt *statement, int column)
{
	const char *value = reader_text(reader, statement, column);

	return value ? value : "";
}

int reader_rows(
	struct reader *reader, enum schema_table_id id, size_t count, reader_row *row)
{
	sqlite3_stmt *statement = NULL;
	int status = select_all(reader, id, &statement);
	size_t i = 0;

	while (status == 0 && (status = next_row(reader, statement)) == 1) {
		/* Rows may share their pages: the same text a million times. */
		if (reader->owned->text_bytes > TEXTS_MAX * reader->source->bytes) {
			status = read_damaged(reader->source, reader->error,
				"it has more texts than the file can hold");
			break;
		}
		/* An index that contradicts its table makes the two counts differ. */
		status = i < count ? row(reader, statement, i)
				   : read_damaged(reader->source, reader->error,
					     "table '%s' has more rows than it counts",
					     table_of(reader, id)->name);
		i++;
	}
	sqlite3_finalize(statement);
	if (status == 0 && reader->owned->texts.failed)
		return reader_no_memory(reader);
	if (status == 0 && i != count)
		return read_damaged(reader->source, reader->error,
			"table '%s' has fewer rows than it counts",
			table_of(reader, id)->name);
	return status;
}
