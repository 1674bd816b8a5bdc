/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/*
 * profile_write: see profile_write.h.
 *
 * The order in which a file comes to life makes it whole at every instant:
 *   lock the file, empty it, remove an older one's side files   (nothing in it: "empty")
 *   schema, in one transaction with a rollback journal          (page 1 says it is ours)
 *   ... commits, each with the journal ...
 *   the journal removed                                         (a single file again)
 *
 * There is no write-ahead log: its index is a mapped file, and shortening that file
 * kills the process that has mapped it (SIGBUS).
 */
#include "profile/profile_write.h"

#include <errno.h>
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "profile/bind.h"
#include "profile/writer.h"

/* How long a transaction waits for readers before it begins, and how long between two looks. */
enum { BUSY_MS = 5000, BUSY_PAUSE_MS = 20 };

static int failed(struct profile_writer *writer, struct error *error, int result)
{
	return claim_failed(&writer->claim, writer->db, result, "write", error);
}

/* --- the database --- */

void writer_disconnect(struct profile_writer *writer)
{
	slices_fini(&writer->slices);
	for (int i = 0; i < STATEMENT_COUNT; i++) {
		sqlite3_finalize(writer->statement[i]);
		writer->statement[i] = NULL;
	}
	sqlite3_close(writer->db);
	writer->db = NULL;
}

/* Settings that last for the connection. synchronous = OFF: the process may be killed,
 * the kernel still has every write; docs/profile-format.md says what a power failure can
 * do. */
static const char settings[] = "PRAGMA synchronous = OFF;\n"
			       "PRAGMA journal_mode = TRUNCATE;\n"
			       "PRAGMA journal_size_limit = 4194304;\n"
			       "PRAGMA cache_size = -4096;\n"
			       "PRAGMA mmap_size = 0;\n"
			       "PRAGMA temp_store = MEMORY;\n"
			       "PRAGMA secure_delete = OFF;\n"
			       "PRAGMA auto_vacuum = NONE;\n";

static int prepare(struct profile_writer *writer, int which, const char *sql)
{
	if (!sql)
		return SQLITE_NOMEM;
	return sqlite3_prepare_v3(writer->db, sql, -1, SQLITE_PREPARE_PERSISTENT,
		&writer->statement[which], NULL);
}

static int prepare_all(struct profile_writer *writer)
{
	static const enum schema_table_id dropped[] = {
		TABLE_THREAD, TABLE_NODE, TABLE_ACCOUNT, TABLE_FILE};
	int result = prepare(writer, DROP_NODES, "DELETE FROM node WHERE id BETWEEN ? AND ?");

	if (result == SQLITE_OK)
		result = prepare(
			writer, DROP_ACCOUNT, "DELETE FROM account WHERE id BETWEEN ? AND ?");
	if (result == SQLITE_OK)
		result = prepare(writer, FORGET_FILE,
			"UPDATE file SET name = '', peer = NULL, opened_by = NULL, "
			"opened_in = NULL, note = NULL, group_id = ?2 WHERE id = ?1");
	if (result == SQLITE_OK)
		result = prepare(writer, DROP_DISTRIBUTION,
			"DELETE FROM distribution WHERE id BETWEEN ? AND ?");
	if (result == SQLITE_OK)
		result = prepare(writer, DROP_UNFINISHED, "DELETE FROM unfinished_wait");
	for (size_t i = 0; i < sizeof dropped / sizeof *dropped && result == SQLITE_OK; i++) {
		char sql[64];

		snprintf(sql, sizeof sql, "DELETE FROM %s WHERE id = ?",
			schema_tables[dropped[i]].name);
		result = prepare(writer, DROP_ONE + (int)dropped[i], sql);
	}
	for (int i = 0; i < TABLE_COUNT && result == SQLITE_OK; i++) {
		char *sql = schema_insert(&schema_tables[i], writer->metrics);

		result = prepare(writer, i, sql);
		sqlite3_free(sql);
	}
	return result;
}

static int step(struct profile_writer *writer, int which, struct error *error)
{
	sqlite3_stmt *statement = writer->statement[which];
	int result = sqlite3_step(statement);

	sqlite3_reset(statement);
	return result == SQLITE_DONE ? 0 : failed(writer, error, result);
}

/* SQLite ends a transaction itself after some failures (disk full); what came then would
 * stand in the file alone. */
static int check_open(struct profile_writer *writer, struct error *error)
{
	if (!sqlite3_get_autocommit(writer->db))
		return 0;
	return error_set(error, ERROR_IO, "cannot write '%s': no transaction is open",
		writer->claim.place.shown);
}

/* Rows first to last are about to go: the slice under way has so much less. */
static int take_slice(struct profile_writer *writer, enum schema_table_id table, uint64_t first,
	uint64_t last, struct error *error)
{
	int result = slices_take(&writer->slices, table, first, last);

	return result == SQLITE_OK ? 0 : failed(writer, error, result);
}

static int drop(struct profile_writer *writer, enum schema_table_id table, uint64_t id,
	struct error *error)
{
	if (check_open(writer, error) < 0 || take_slice(writer, table, id, id, error) < 0)
		return -ERROR_IO;
	bind_number(writer->statement[DROP_ONE + (int)table], 1, id);
	return step(writer, DROP_ONE + (int)table, error);
}

/* Slices may refer to it: what it was goes, and the row it was folded into stays. */
static int forget_file(
	struct profile_writer *writer, const struct profile_file *file, struct error *error)
{
	if (!writer->slices.db)
		return drop(writer, TABLE_FILE, file->id, error);
	if (check_open(writer, error) < 0)
		return -ERROR_IO;
	bind_number(writer->statement[FORGET_FILE], 1, file->id);
	bind_unless(writer->statement[FORGET_FILE], 2, file->into == 0, file->into);
	return step(writer, FORGET_FILE, error);
}

int profile_put_row(struct profile_writer *writer, enum schema_table_id id, const void *record,
	struct error *error)
{
	const struct profile_file *file = record;
	const struct schema_table *table = &schema_tables[id];
	sqlite3_stmt *statement = writer->statement[id];
	int at = 1, result;

	if (id == TABLE_FILE && file->forgotten)
		return forget_file(writer, file, error);
	if (check_open(writer, error) < 0)
		return -ERROR_IO;
	for (int i = 0; i < table->columns; i++)
		bind_column(statement, at++, &table->column[i], record);
	for (int i = 0; i < 2 && table->per_metric[i].name; i++) {
		const void *array = (const char *)record + table->per_metric[i].offset;
		const uint64_t *number = array;

		if (table->per_metric[i].pointer)
			memcpy(&number, array, sizeof number);
		for (unsigned m = 0; m < writer->metrics; m++) /* NULL: zeros */
			bind_number(statement, at++, number ? number[m] : 0);
	}
	result = slices_put(&writer->slices, id, record);
	return result == SQLITE_OK ? step(writer, (int)id, error)
				   : failed(writer, error, result);
}

static int wait_for_readers(void *argument, int tries)
{
	const struct timespec pause = {0, BUSY_PAUSE_MS * 1000000L};
	struct profile_writer *writer = argument;
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	if (tries == 0)
		writer->waits = now;
	if ((now.tv_sec - writer->waits.tv_sec) * 1000 +
			(now.tv_nsec - writer->waits.tv_nsec) / 1000000 >=
		BUSY_MS)
		return 0;
	if (writer->meanwhile)
		writer->meanwhile();
	nanosleep(&pause, NULL);
	return 1;
}

void profile_meanwhile(struct profile_writer *writer, void (*meanwhile)(void))
{
	writer->meanwhile = meanwhile;
}

static int open_database(struct profile_writer *writer)
{
	int flags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_EXRESCODE;
	int result = sqlite3_open_v2(
		writer->claim.place.name, &writer->db, flags, writer->claim.place.vfs);

	if (result != SQLITE_OK)
		return result;
	sqlite3_busy_handler(writer->db, wait_for_readers, writer);
	sqlite3_db_config(writer->db, SQLITE_DBCONFIG_ENABLE_LOAD_EXTENSION, 0, NULL);
	return sql_exec(writer->db, settings);
}

int writer_connect(struct profile_writer *writer, struct error *error)
{
	int result = open_database(writer);

	if (result == SQLITE_OK)
		result = prepare_all(writer);
	return result == SQLITE_OK ? 0 : failed(writer, error, result);
}

void writer_become(struct profile_writer *writer, struct profile_writer *other)
{
	struct profile_writer old = *writer;

	*writer = *other;
	writer->meanwhile = old.meanwhile;
	sqlite3_busy_handler(writer->db, wait_for_readers, writer);
	writer_disconnect(&old);
	claim_keep(&old.claim);
	claim_fini(&old.claim);
}

static int start_database(
	struct profile_writer *writer, const struct profile_metric *metric, struct error *error)
{
	int status, result = open_database(writer);
	char *sql = schema_create(metric, writer->metrics);

	if (result == SQLITE_OK)
		result = sql ? sql_exec(writer->db, "BEGIN IMMEDIATE") : SQLITE_NOMEM;
	if (result == SQLITE_OK)
		result = sql_exec(writer->db, sql);
	if (result == SQLITE_OK)
		result = sql_exec(writer->db, "COMMIT");
	sqlite3_free(sql);
	if (result == SQLITE_OK)
		result = prepare_all(writer);
	if (result != SQLITE_OK)
		return failed(writer, error, result);

	status = profile_begin(writer, error);
	for (unsigned i = 0; i < writer->metrics && status == 0; i++) {
		struct profile_metric row = metric[i];

		row.id = i;
		status = profile_put_row(writer, TABLE_METRIC, &row, error);
	}
	return status < 0 ? status : profile_commit(writer, error);
}

/* Gives everything back; the database's side files are SQLite's to remove. */
static void destroy(struct profile_writer *writer)
{
	writer_disconnect(writer);
	claim_fini(&writer->claim);
	free(writer);
}

int profile_create(struct profile_writer **out, const char *path,
	const struct profile_metric *metric, unsigned metrics,
	const struct profile_creation *creation, struct error *error)
{
	*out = NULL;
	if (metrics > PROFILE_METRIC_MAX)
		return error_set(
			error, ERROR_VALUE, "more than %d metrics", PROFILE_METRIC_MAX);
	struct profile_writer *writer = calloc(1, sizeof *writer);
	if (!writer)
		return error_set(error, ERROR_MEMORY, "no memory to write a profile");
	writer->metrics = metrics;

	int status = claim_take(&writer->claim, path, creation, error);
	if (status == 0) {
		status = start_database(writer, metric, error);
		if (status < 0 && writer->claim.created) {
			writer_disconnect(writer);
			claim_discard(&writer->claim);
		}
	}
	if (status < 0)
		destroy(writer);
	else
		*out = writer;
	return status;
}

/* --- transactions --- */

int profile_begin(struct profile_writer *writer, struct error *error)
{
	/* Readers are waited for here, once, and not where a page has to be written. */
	int result = sql_exec(writer->db, "BEGIN EXCLUSIVE");

	return result == SQLITE_OK ? 0 : failed(writer, error, result);
}

int profile_commit(struct profile_writer *writer, struct error *error)
{
	if (check_open(writer, error) < 0)
		return -ERROR_IO;
	int result = sql_exec(writer->db, "COMMIT");
	if (result != SQLITE_OK) {
		failed(writer, error, result);
		profile_rollback(writer);
		return -(int)sql_error_code(result);
	}
	return 0;
}

void profile_rollback(struct profile_writer *writer)
{
	writer->slices.current = 0;
	if (!sqlite3_get_autocommit(writer->db))
		sql_exec(writer->db, "ROLLBACK");
}

/* --- further metrics --- */

/* What depends on how many metrics there are. */
struct widths {
	sqlite3_stmt *statement[STATEMENT_COUNT];
	struct slice_writer slices;
	unsigned metrics;
};

static void widths_fini(struct widths *widths)
{
	slices_fini(&widths->slices);
	for (int i = 0; i < STATEMENT_COUNT; i++)
		sqlite3_finalize(widths->statement[i]);
}

static struct widths widths_of(const struct profile_writer *writer)
{
	struct widths widths = {.slices = writer->slices, .metrics = writer->metrics};

	memcpy(widths.statement, writer->statement, sizeof widths.statement);
	return widths;
}

static void use_widths(struct profile_writer *writer, const struct widths *widths)
{
	memcpy(writer->statement, widths->statement, sizeof writer->statement);
	writer->slices = widths->slices;
	writer->metrics = widths->metrics;
}

/* In a transaction: the tables are widened. */
static int widen_tables(struct profile_writer *writer, const struct profile_metric *metric,
	unsigned metrics, struct error *error)
{
	char *sql = schema_widen(metric, writer->metrics, metrics);
	int result = sql ? sql_exec(writer->db, sql) : SQLITE_NOMEM, status;

	sqlite3_free(sql);
	status = result == SQLITE_OK ? 0 : failed(writer, error, result);
	for (unsigned i = writer->metrics; i < metrics && status == 0; i++) {
		struct profile_metric row = metric[i];

		row.id = i;
		status = profile_put_row(writer, TABLE_METRIC, &row, error);
	}
	return status;
}

/* The writer has statements of its own for so many metrics; narrow: what it had. */
static int prepare_widths(struct profile_writer *writer, const struct widths *narrow,
	unsigned metrics, struct error *error)
{
	const struct widths none = {.metrics = metrics};
	int result;

	use_widths(writer, &none);
	result = prepare_all(writer);
	if (result == SQLITE_OK)
		result = slices_init_like(&writer->slices, &narrow->slices, metrics);
	return result == SQLITE_OK ? 0 : failed(writer, error, result);
}

int profile_widen(struct profile_writer *writer, const struct profile_metric *metric,
	unsigned metrics, struct error *error)
{
	struct widths narrow = widths_of(writer), wide;
	int status;

	if (metrics > PROFILE_METRIC_MAX)
		return error_set(
			error, ERROR_VALUE, "more than %d metrics", PROFILE_METRIC_MAX);
	status = profile_begin(writer, error);
	if (status < 0)
		return status;
	status = widen_tables(writer, metric, metrics, error);
	if (status == 0) {
		status = prepare_widths(writer, &narrow, metrics, error);
		if (status == 0)
			status = profile_commit(writer, error);
		wide = widths_of(writer);
		if (status < 0)
			use_widths(writer, &narrow);
		widths_fini(status < 0 ? &wide : &narrow);
	}
	if (status < 0)
		profile_rollback(writer);
	return status;
}

/* --- rows --- */

int profile_put_meta(
	struct profile_writer *writer, const char *key, const char *value, struct error *error)
{
	return profile_put_row(writer, TABLE_META, &(struct profile_meta){key, value}, error);
}

int profile_put_snapshot(struct profile_writer *writer, const struct profile_snapshot *snapshot,
	struct error *error)
{
	int status = profile_put_row(writer, TABLE_SNAPSHOT, snapshot, error);

	for (int i = 0; i < TABLE_COUNT && status == 0; i++) {
		if (!schema_tables[i].copy)
			continue;
		bind_number(writer->statement[i], 1, snapshot->id);
		status = step(writer, i, error);
	}
	return status;
}

int profile_keep_slices(struct profile_writer *writer, uint64_t resolution, struct error *error)
{
	int result = slices_init(&writer->slices, writer->db, writer->metrics, resolution);

	return result == SQLITE_OK ? 0 : failed(writer, error, result);
}

void profile_bound_slices(struct profile_writer *writer, uint64_t slices, uint64_t rows)
{
	writer->slices.slices_most = slices;
	writer->slices.rows_most = rows;
}

int profile_begin_slice(struct profile_writer *writer, uint64_t now, struct error *error)
{
	int result = writer->slices.db ? slices_begin(&writer->slices, now) : SQLITE_OK;

	return result == SQLITE_OK ? 0 : failed(writer, error, result);
}

int profile_end_slice(struct profile_writer *writer, struct error *error)
{
	int result = slices_end(&writer->slices);

	return result == SQLITE_OK ? 0 : failed(writer, error, result);
}

int profile_drop_node(
	struct profile_writer *writer, uint32_t thread, uint32_t node, struct error *error)
{
	return drop(writer, TABLE_NODE, profile_node_id(thread, node), error);
}

int profile_drop_account(
	struct profile_writer *writer, uint32_t thread, uint32_t io, struct error *error)
{
	return drop(writer, TABLE_ACCOUNT, profile_node_id(thread, io), error);
}

int profile_drop_thread(struct profile_writer *writer, uint32_t thread, struct error *error)
{
	int status = drop(writer, TABLE_THREAD, thread, error);

	for (int which = DROP_NODES; which <= DROP_DISTRIBUTION && status == 0; which++) {
		uint64_t first = profile_node_id(thread, 0),
			 last = profile_node_id(thread, UINT32_MAX);

		bind_number(writer->statement[which], 1, first);
		bind_number(writer->statement[which], 2, last);
		/* Slices have no distributions. */
		if (which != DROP_DISTRIBUTION)
			status = take_slice(writer,
				which == DROP_NODES ? TABLE_NODE : TABLE_ACCOUNT, first, last,
				error);
		if (status == 0)
			status = step(writer, which, error);
	}
	return status;
}

/* Of a table that has rows of them. */
static int drop_snapshots(struct profile_writer *writer, const char *table, const char *id,
	uint32_t session, struct error *error)
{
	char *sql = sqlite3_mprintf("DELETE FROM %s WHERE %s IN "
				    "(SELECT id FROM snapshot WHERE session = %u)",
		table, id, session);
	int result = sql ? sql_exec(writer->db, sql) : SQLITE_NOMEM;

	sqlite3_free(sql);
	return result == SQLITE_OK ? 0 : failed(writer, error, result);
}

int profile_drop_snapshots(struct profile_writer *writer, uint32_t session, struct error *error)
{
	int status = profile_begin(writer, error);

	for (int i = 0; i < TABLE_COUNT && status == 0; i++)
		if (schema_tables[i].copy)
			status = drop_snapshots(
				writer, schema_tables[i].name, "snapshot", session, error);
	if (status == 0)
		status = drop_snapshots(
			writer, schema_tables[TABLE_SNAPSHOT].name, "id", session, error);
	if (status == 0)
		return profile_commit(writer, error);
	profile_rollback(writer);
	return status;
}

int profile_drop_unfinished(struct profile_writer *writer, struct error *error)
{
	return check_open(writer, error) < 0 ? -ERROR_IO : step(writer, DROP_UNFINISHED, error);
}

/* --- the end --- */

int profile_close(struct profile_writer *writer, struct error *error)
{
	int status = 0;

	if (!writer)
		return 0;
	profile_rollback(writer);
	for (int i = 0; i < STATEMENT_COUNT; i++)
		sqlite3_reset(writer->statement[i]);
	/* Removes the journal. */
	int result = sql_exec(writer->db, "PRAGMA journal_mode = DELETE");
	if (result != SQLITE_OK)
		status = claim_failed(&writer->claim, writer->db, result,
			"make a single file without side files of", error);
	claim_keep(&writer->claim);
	destroy(writer);
	return status;
}

void profile_discard(struct profile_writer *writer)
{
	writer_disconnect(writer);
	claim_discard(&writer->claim);
	destroy(writer);
}
