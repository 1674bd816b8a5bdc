/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/*
 * profile_copy: see profile_copy.h.
 *
 *   NAME         locked, read by others
 *   .NAME-copy   locked; made table by table, without a journal; then it is renamed to NAME
 *
 * A kill leaves NAME as it was, and a .NAME-copy that the next one who takes NAME removes. Rows that a session did not want
 * are never in its file, so nothing is left of them in free pages.
 */
#include "profile/profile_copy.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "profile/bind.h"
#include "profile/writer.h"

struct profile_copy {
	struct claim claim;
};

/* ---- what a session wants ---- */

/* Parameters are columns of the session's row. These temporary tables have what SQL cannot know: traces that it wants, kinds of
 * accounts that it wants, which threads were folded into which (by these, or each look for some would look at all forwards), and
 * threads that it does not want, with those that were folded into them. */
static const char temporary[] = "CREATE TEMP TABLE trace(name TEXT PRIMARY KEY);"
				"CREATE TEMP TABLE kind(name TEXT PRIMARY KEY);"
				"CREATE TEMP TABLE folded(into_id INTEGER, id INTEGER, PRIMARY "
				"KEY(into_id, id)) WITHOUT ROWID;"
				"CREATE TEMP TABLE unwanted(id INTEGER PRIMARY KEY);";

#define FOLDED_THREADS                                                                         \
	"INSERT INTO temp.folded SELECT into_id >> 32, id >> 32 FROM source.forward "          \
	"WHERE id & 4294967295 = 0"
#define UNWANTED_THREADS                                                                       \
	"INSERT INTO temp.unwanted WITH RECURSIVE gone(id) AS ("                               \
	"SELECT id FROM source.thread WHERE NOT wanted >> :bit & 1 "                           \
	"UNION SELECT f.id FROM gone JOIN temp.folded f ON f.into_id = gone.id) "              \
	"SELECT id FROM gone"

/* Conditions of rows. */
#define TRACED(name)   "'" name "' IN (SELECT name FROM temp.trace)"
#define OF_THREADS(id) id " NOT IN (SELECT id FROM temp.unwanted)"
#define OF_NODES(node) "(" node " IS NULL OR " OF_THREADS(node " >> 32") ")"
#define SINCE_BEGIN(time)                                                                      \
	time " >= (SELECT coalesce(max(at), 0) FROM source.snapshot WHERE id = :snapshot)"
#define OF_ACCOUNTS                                                                            \
	"kind IN (SELECT name FROM temp.kind) "                                                \
	"AND (kind <> 'sample' OR :conditions >> (subject & 15) & 1)"
#define OF_WATCHED                                                                             \
	":watches AND method IN (SELECT id FROM source.method WHERE watched >> :bit & 1)"
#define OF_SNAPSHOTS "snapshot IN (SELECT id FROM main.snapshot)"
#define OF_SLICES    "slice IN (SELECT id FROM main.slice)"

/* What a session's file has of a table, where that is not all of it. Tables that others refer to stand before them. */
static const struct rule {
	enum schema_table_id table;
	const char *where;
	const char *columns; /* NULL: as they are */
} rules[] = {
	/* Of the others it is told when they were there. */
	{TABLE_SESSION, "1",
		"id, bit, iif(id = :id, name, ''), iif(id = :id, owner, ''), began, ended, "
		"iif(id = :id, options, ''), snapshot, metrics, conditions, traces, lines, "
		"scoped, "
		"iif(id = :id, tag, NULL), watches, records, code, without_io"},
	{TABLE_SNAPSHOT, "coalesce(session, :id) = :id AND id >= coalesce(:snapshot, 0)", NULL},
	{TABLE_SLICE, SINCE_BEGIN("began"), NULL},
	{TABLE_THREAD, OF_THREADS("id"), NULL},
	{TABLE_NODE, OF_THREADS("thread"), NULL},
	{TABLE_ACCOUNT, OF_THREADS("thread") " AND " OF_ACCOUNTS, NULL},
	{TABLE_RECORD_THREAD, ":records", NULL},
	{TABLE_RECORD, ":records AND " OF_NODES("node") " AND " SINCE_BEGIN("begin"), NULL},
	{TABLE_CODE, ":conditions OR :code", NULL},
	{TABLE_MACHINE_CODE, ":code", NULL},
	{TABLE_MARK, SINCE_BEGIN("at"), NULL},
	{TABLE_TRACE_PERIOD, "trace IN (SELECT name FROM temp.trace)", NULL},
	{TABLE_EVENT_THREAD, TRACED("events") " AND " OF_THREADS("row"), NULL},
	{TABLE_EVENT_BLOCK,
		TRACED("events") " AND thread IN (SELECT id FROM main.event_thread) "
				 "AND " SINCE_BEGIN("last"),
		NULL},
	{TABLE_EVENT_WRITE, TRACED("events"), NULL},
	{TABLE_THREAD_STATE, TRACED("threads"), NULL},
	{TABLE_CLASS, TRACED("classes"), NULL},
	{TABLE_CLASS_LOADER, TRACED("classes"), NULL},
	{TABLE_COLLECTION, TRACED("gc"), NULL},
	{TABLE_SAFEPOINT, TRACED("gc"), NULL},
	{TABLE_COMPILATION, TRACED("jit"), NULL},
	{TABLE_DEOPTIMIZATION, TRACED("jit"), NULL},
	{TABLE_LOCK, TRACED("locks"), NULL},
	{TABLE_CONTENTION, TRACED("locks") " AND " OF_NODES("node"), NULL},
	{TABLE_LONG_WAIT,
		TRACED("locks") " AND " OF_NODES("node") " AND " SINCE_BEGIN("begin + ns"),
		NULL},
	{TABLE_UNFINISHED_WAIT, TRACED("locks") " AND " OF_NODES("node"), NULL},
	/* Nodes have them for labels: they are there, but not what they say. Those of its scope are wanted, too. */
	{TABLE_VALUE, "1",
		"id, parameter, iif((SELECT wanted >> :bit & 1 OR "
		"(tag AND instr(:tag, name || '=') = 1) FROM source.parameter p "
		"WHERE p.id = parameter), text, NULL), others"},
	{TABLE_DISTRIBUTION, OF_WATCHED " AND " OF_THREADS("thread"), NULL},
	{TABLE_SLOW_CALL, OF_WATCHED " AND " OF_THREADS("thread"), NULL},
	{TABLE_SNAPSHOT_THREAD, OF_SNAPSHOTS " AND " OF_THREADS("id"), NULL},
	{TABLE_SNAPSHOT_NODE, OF_SNAPSHOTS " AND " OF_THREADS("thread"), NULL},
	{TABLE_SNAPSHOT_ACCOUNT, OF_SNAPSHOTS " AND " OF_THREADS("thread") " AND " OF_ACCOUNTS,
		NULL},
	{TABLE_SNAPSHOT_SEQUENCE, OF_SNAPSHOTS, NULL},
	{TABLE_SNAPSHOT_DISTRIBUTION,
		OF_SNAPSHOTS " AND " OF_WATCHED " AND " OF_THREADS("thread"), NULL},
	{TABLE_SNAPSHOT_CONTENTION,
		OF_SNAPSHOTS " AND " TRACED("locks") " AND " OF_NODES("node"), NULL},
	{TABLE_SNAPSHOT_THREAD_STATE, OF_SNAPSHOTS " AND " TRACED("threads"), NULL},
	{TABLE_SLICE_THREAD, OF_SLICES " AND " OF_THREADS("id"), NULL},
	{TABLE_SLICE_NODE, OF_SLICES " AND " OF_THREADS("id >> 32"), NULL},
	{TABLE_SLICE_ACCOUNT, OF_SLICES " AND " OF_THREADS("node >> 32") " AND " OF_ACCOUNTS,
		NULL},
	{TABLE_SLICE_SEQUENCE, OF_SLICES, NULL},
	{TABLE_SLICE_CONTENTION, OF_SLICES " AND id IN (SELECT id FROM main.contention)", NULL},
	{TABLE_SLICE_THREAD_STATE, OF_SLICES " AND " TRACED("threads"), NULL},
};

enum { RULES = sizeof rules / sizeof *rules };

/* ---- statements about two databases ---- */

struct copying {
	sqlite3 *db;           /* main: the file that is made; source: the writer's */
	sqlite3_stmt *session; /* at its row */
};

/* Each column of the session's row is a parameter by its name. */
static void bind_session(const struct copying *copying, sqlite3_stmt *statement)
{
	for (int i = 0; i < sqlite3_column_count(copying->session); i++) {
		char name[32];
		int at;

		snprintf(name, sizeof name, ":%s", sqlite3_column_name(copying->session, i));
		at = sqlite3_bind_parameter_index(statement, name);
		if (at > 0)
			sqlite3_bind_value(
				statement, at, sqlite3_column_value(copying->session, i));
	}
}

/* One statement, with up to two texts as ?1 and ?2, which may be NULL. */
static int run(const struct copying *copying, const char *sql, const char *one, const char *two)
{
	sqlite3_stmt *statement = NULL;
	int result = sqlite3_prepare_v2(copying->db, sql, -1, &statement, NULL);

	if (result != SQLITE_OK)
		return result;
	if (copying->session)
		bind_session(copying, statement);
	if (one)
		sqlite3_bind_text(statement, 1, one, -1, SQLITE_STATIC);
	if (two)
		sqlite3_bind_text(statement, 2, two, -1, SQLITE_STATIC);
	do
		result = sqlite3_step(statement);
	while (result == SQLITE_ROW);
	sqlite3_finalize(statement);
	return result == SQLITE_DONE ? SQLITE_OK : result;
}

static int run_made(const struct copying *copying, char *sql)
{
	int result = sql ? run(copying, sql, NULL, NULL) : SQLITE_NOMEM;

	sqlite3_free(sql);
	return result;
}

/* ---- the copy ---- */

/* sql: with its id as the parameter. */
static int find_session(struct copying *copying, const char *sql, uint32_t id)
{
	int result = sqlite3_prepare_v2(copying->db, sql, -1, &copying->session, NULL);

	if (result == SQLITE_OK) {
		bind_number(copying->session, 1, id);
		result = sqlite3_step(copying->session);
	}
	if (result == SQLITE_ROW)
		return SQLITE_OK;
	return result == SQLITE_DONE ? SQLITE_NOTFOUND : result;
}

static uint64_t session_traces(const struct copying *copying)
{
	int i = 0;

	while (strcmp(sqlite3_column_name(copying->session, i), "traces") != 0)
		i++;
	return (uint64_t)sqlite3_column_int64(copying->session, i);
}

/* What rules ask for. */
static int find_wanted(const struct copying *copying)
{
	uint64_t traces = session_traces(copying);
	int result = sql_exec(copying->db, temporary);

	for (int t = 0; t < TRACE_KINDS && result == SQLITE_OK; t++)
		if (traces >> t & 1)
			result = run(copying, "INSERT INTO temp.trace VALUES(?1)",
				trace_kind_names[t], NULL);
	for (int k = 0; k < ACCOUNT_KINDS && result == SQLITE_OK; k++)
		if (traces >> account_kind_trace(k) & 1 || account_kind_trace(k) == TRACE_KINDS)
			result = run(copying, "INSERT INTO temp.kind VALUES(?1)",
				account_kind_names[k], NULL);
	if (result == SQLITE_OK)
		result = run(copying, FOLDED_THREADS, NULL, NULL);
	return result == SQLITE_OK ? run(copying, UNWANTED_THREADS, NULL, NULL) : result;
}

/* On its own, first: what a kill leaves is known for a profile then. */
static int make_header(const struct copying *copying)
{
	char version[96];

	snprintf(version, sizeof version,
		"PRAGMA main.application_id = %d; PRAGMA main.user_version = %d",
		SCHEMA_APPLICATION_ID, SCHEMA_VERSION);
	return sql_exec(copying->db, version);
}

/* The same tables and views, empty. */
static int make_tables(const struct copying *copying)
{
	sqlite3_stmt *statement = NULL;
	int result = sqlite3_prepare_v2(copying->db,
		"SELECT sql FROM source.sqlite_master WHERE sql NOT NULL ORDER BY rowid", -1,
		&statement, NULL);

	if (result != SQLITE_OK)
		return result;
	while ((result = sqlite3_step(statement)) == SQLITE_ROW) {
		result = sql_exec(copying->db, (const char *)sqlite3_column_text(statement, 0));
		if (result != SQLITE_OK)
			break;
	}
	sqlite3_finalize(statement);
	return result == SQLITE_DONE ? SQLITE_OK : result;
}

static const struct rule *rule_of(int table)
{
	int i = 0;

	while (i < RULES && rules[i].table != (enum schema_table_id)table)
		i++;
	return i < RULES ? &rules[i] : NULL;
}

/* SQLite copies whole tables as they are, without a look at their columns: in half the time. */
static int copy_all(const struct copying *copying, int table)
{
	const char *name = schema_tables[table].name;

	return run_made(copying,
		sqlite3_mprintf("INSERT INTO main.%s SELECT * FROM source.%s", name, name));
}

/* SQLITE_DONE: each of its rows is; SQLITE_ROW: some are not. */
static int find_others(const struct copying *copying, const struct rule *rule)
{
	sqlite3_stmt *statement = NULL;
	char *sql = sqlite3_mprintf("SELECT 1 FROM source.%s WHERE NOT coalesce(%s, 0) LIMIT 1",
		schema_tables[rule->table].name, rule->where);
	int result =
		sql ? sqlite3_prepare_v2(copying->db, sql, -1, &statement, NULL) : SQLITE_NOMEM;

	sqlite3_free(sql);
	if (result != SQLITE_OK)
		return result;
	bind_session(copying, statement);
	result = sqlite3_step(statement);
	sqlite3_finalize(statement);
	return result;
}

static int copy_by(const struct copying *copying, const struct rule *rule)
{
	const char *name = schema_tables[rule->table].name;
	int others = rule->columns ? SQLITE_ROW : find_others(copying, rule);

	if (others != SQLITE_ROW)
		return others == SQLITE_DONE ? copy_all(copying, (int)rule->table) : others;
	return run_made(copying,
		sqlite3_mprintf("INSERT INTO main.%s SELECT %s FROM source.%s WHERE %s", name,
			rule->columns ? rule->columns : "*", name, rule->where));
}

static int copy_tables(const struct copying *copying)
{
	int result = SQLITE_OK;

	for (int i = 0; i < TABLE_COUNT && result == SQLITE_OK; i++)
		if (!rule_of(i))
			result = copy_all(copying, i);
	for (int i = 0; i < RULES && result == SQLITE_OK; i++)
		result = copy_by(copying, &rules[i]);
	return result;
}

static int put_facts(const struct copying *copying, const struct profile_share *share)
{
	int result = run(copying,
		"INSERT OR REPLACE INTO main.meta VALUES('session', :id), ('options', "
		":options)",
		NULL, NULL);

	for (size_t i = 0; i < share->facts && result == SQLITE_OK; i++) {
		const struct profile_meta *fact = &share->fact[i];

		result = run(copying,
			fact->value ? "INSERT OR REPLACE INTO main.meta VALUES(?1, ?2)"
				    : "DELETE FROM main.meta WHERE key = ?1",
			fact->key, fact->value);
	}
	return result;
}

/* No journal: the file has no name that anybody reads. */
static const char settings[] = "PRAGMA main.journal_mode = OFF;\n"
			       "PRAGMA main.synchronous = OFF;\n"
			       "PRAGMA main.locking_mode = EXCLUSIVE;\n"
			       "PRAGMA main.cache_size = -4096;\n"
			       "PRAGMA mmap_size = 0;\n"
			       "PRAGMA temp_store = MEMORY;\n";

/* What the session wants. */
static int fill_part(struct copying *copying, const struct profile_writer *writer,
	const struct profile_share *share)
{
	int result = sql_exec(copying->db, settings);

	if (result == SQLITE_OK)
		result = run(copying, "ATTACH ?1 AS source", writer->claim.place.name, NULL);
	if (result == SQLITE_OK)
		result = make_header(copying);
	if (result == SQLITE_OK)
		result = sql_exec(copying->db, "BEGIN");
	if (result == SQLITE_OK)
		result = make_tables(copying);
	if (result == SQLITE_OK)
		result = find_session(
			copying, "SELECT * FROM source.session WHERE id = ?", share->session);
	if (result == SQLITE_OK)
		result = find_wanted(copying);
	if (result == SQLITE_OK)
		result = copy_tables(copying);
	if (result == SQLITE_OK)
		result = put_facts(copying, share);
	sqlite3_finalize(copying->session);
	copying->session = NULL;
	return result == SQLITE_OK ? sql_exec(copying->db, "COMMIT") : result;
}

/* Page by page through the writer's connection: its file may have lost its name. */
static int copy_pages(const struct copying *copying, const struct profile_writer *writer)
{
	enum { PAGES = 512 }; /* between two looks */
	sqlite3_backup *backup = sqlite3_backup_init(copying->db, "main", writer->db, "main");
	int result = SQLITE_OK;

	if (!backup)
		return sqlite3_errcode(copying->db);
	while (result == SQLITE_OK) {
		result = sqlite3_backup_step(backup, PAGES);
		if (writer->meanwhile)
			writer->meanwhile();
	}
	sqlite3_backup_finish(backup);
	return result == SQLITE_DONE ? SQLITE_OK : result;
}

/* All, and the session's facts. */
static int fill_whole(struct copying *copying, const struct profile_writer *writer,
	const struct profile_share *share)
{
	int result = sql_exec(copying->db, settings);

	if (result == SQLITE_OK)
		result = copy_pages(copying, writer);
	if (result == SQLITE_OK)
		result = sql_exec(copying->db, "BEGIN");
	if (result == SQLITE_OK)
		result = find_session(
			copying, "SELECT * FROM session WHERE id = ?", share->session);
	if (result == SQLITE_OK)
		result = put_facts(copying, share);
	sqlite3_finalize(copying->session);
	copying->session = NULL;
	return result == SQLITE_OK ? sql_exec(copying->db, "COMMIT") : result;
}

static int look_meanwhile(void *argument)
{
	void (*const *meanwhile)(void) = argument;

	if (*meanwhile)
		(*meanwhile)();
	return 0;
}

static void discard(struct claim *file)
{
	if (file->lock >= 0)
		unlink(file->place.name);
	claim_fini(file);
}

/* Makes a file beside the claim's: what the writer's has of the session, or all of it. 0, or a negative code: it is gone. */
static int make(const struct claim *claim, struct claim *file, struct profile_writer *writer,
	bool whole, const struct profile_share *share, struct error *error)
{
	enum { STEPS = 1000000 }; /* of SQLite's instructions: some 20 ms */
	struct copying copying = {NULL, NULL};
	int result, status = claim_copy(claim, file, error);

	if (status < 0) {
		discard(file);
		return status;
	}
	result = sqlite3_open_v2(file->place.name, &copying.db,
		SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_EXRESCODE,
		file->place.vfs);
	if (result == SQLITE_OK) {
		sqlite3_progress_handler(copying.db, STEPS, look_meanwhile, &writer->meanwhile);
		result = (whole ? fill_whole : fill_part)(&copying, writer, share);
	}
	if (result == SQLITE_NOTFOUND)
		status = error_set(error, ERROR_MISSING, "there is no session %u in '%s'",
			share->session, writer->claim.place.shown);
	else if (result != SQLITE_OK)
		status = claim_failed(file, copying.db, result, "write", error);
	sqlite3_close(copying.db);
	if (status < 0)
		discard(file);
	return status;
}

/* ---- the public functions ---- */

int profile_copy_create(struct profile_copy **out, const char *path,
	const struct profile_creation *creation, struct error *error)
{
	struct profile_copy *copy = calloc(1, sizeof *copy);
	int status;

	*out = NULL;
	if (!copy)
		return error_set(error, ERROR_MEMORY, "no memory to write a profile");
	status = claim_take(&copy->claim, path, creation, error);
	if (status < 0) {
		claim_fini(&copy->claim);
		free(copy);
	} else {
		*out = copy;
	}
	return status;
}

int profile_copy_refresh(struct profile_copy *copy, struct profile_writer *writer,
	const struct profile_share *share, struct error *error)
{
	struct claim file;
	int status = make(&copy->claim, &file, writer, false, share, error);

	if (status == 0) {
		status = claim_replace(&copy->claim, &file, error);
		discard(&file); /* if it has not become the other one */
	}
	return status;
}

/* Connects another writer to the copy's file, which has become all of the database. */
static int connect_to(struct profile_writer *next, const struct profile_writer *writer,
	const struct claim *claim, struct error *error)
{
	const struct slice_writer *slices = &writer->slices;
	int status;

	*next = (struct profile_writer){.metrics = writer->metrics, .claim = *claim};
	status = writer_connect(next, error);
	if (status == 0 && slices->db) {
		status = profile_keep_slices(next, slices->resolution, error);
		profile_bound_slices(next, slices->slices_most, slices->rows_most);
	}
	return status;
}

/* The old file is to be a single one, and closed. Its connection stays open until there is no way back. */
static int leave(struct profile_writer *writer, struct claim *part, struct error *error)
{
	int status, result = sql_exec(writer->db, "PRAGMA journal_mode = DELETE");

	if (result != SQLITE_OK)
		return claim_failed(&writer->claim, writer->db, result, "write", error);
	status = claim_replace(&writer->claim, part, error);
	if (status < 0)
		sql_exec(writer->db, "PRAGMA journal_mode = TRUNCATE");
	return status;
}

int profile_move(struct profile_writer *writer, struct profile_copy *copy,
	const struct profile_share *from, const struct profile_share *to, struct error *error)
{
	struct claim whole = {.lock = -1}, part = {.lock = -1};
	struct profile_writer next = {.db = NULL};
	struct error ignored = {0};
	bool replaced;
	int status;

	profile_rollback(writer);
	status = make(&writer->claim, &part, writer, false, from, error);
	if (status == 0)
		status = make(&copy->claim, &whole, writer, true, to, error);
	if (status == 0)
		status = claim_replace(&copy->claim, &whole, error);
	replaced = status == 0;
	if (status == 0)
		status = connect_to(&next, writer, &copy->claim, error);
	if (status == 0)
		status = leave(writer, &part, error);
	if (status == 0) {
		struct claim old = writer_become(writer, &next);

		claim_keep(&old);
		claim_fini(&old);
		free(copy);
	} else {
		writer_disconnect(&next);
	}
	discard(&whole);
	discard(&part);
	/* What is of others does not stay in a file that is a copy again. */
	if (status < 0 && replaced)
		profile_copy_refresh(copy, writer, to, &ignored);
	return status;
}

int profile_hide(
	struct profile_writer *writer, const struct profile_share *from, struct error *error)
{
	struct claim part = {.lock = -1};
	int status;

	profile_rollback(writer);
	status = make(&writer->claim, &part, writer, false, from, error);
	/* A journal beside the file would be taken for the other one's. */
	if (status == 0 && sql_exec(writer->db, "PRAGMA journal_mode = MEMORY") != SQLITE_OK)
		status = claim_failed(&writer->claim, writer->db, SQLITE_ERROR, "write", error);
	if (status == 0)
		status = claim_replace(&writer->claim, &part, error);
	if (status == 0) {
		claim_keep(&writer->claim);
		claim_fini(&writer->claim);
	} else {
		sql_exec(writer->db, "PRAGMA journal_mode = TRUNCATE");
	}
	discard(&part);
	return status;
}

int profile_rescue(struct profile_writer *writer, struct profile_copy *copy,
	const struct profile_share *to, struct profile_copy **left, struct error *error)
{
	struct claim whole = {.lock = -1};
	struct profile_writer next = {.db = NULL};
	int status;

	*left = NULL;
	profile_rollback(writer);
	status = make(&copy->claim, &whole, writer, true, to, error);
	if (status == 0)
		status = claim_replace(&copy->claim, &whole, error);
	if (status == 0)
		status = connect_to(&next, writer, &copy->claim, error);
	if (status == 0) {
		sql_exec(writer->db, "PRAGMA journal_mode = DELETE"); /* if that can be */
		/* The one is the other's from now on. */
		copy->claim = writer_become(writer, &next);
		*left = copy;
	} else {
		writer_disconnect(&next);
	}
	discard(&whole);
	return status;
}

int profile_close_shared(
	struct profile_writer *writer, const struct profile_share *share, struct error *error)
{
	struct claim part = {.lock = -1};
	int status, closed;

	profile_rollback(writer);
	status = make(&writer->claim, &part, writer, false, share, error);
	if (status == 0)
		status = leave(writer, &part, error);
	discard(&part);
	closed = profile_close(writer, status < 0 ? NULL : error);
	return status < 0 ? status : closed;
}

void profile_copy_close(struct profile_copy *copy)
{
	if (!copy)
		return;
	claim_keep(&copy->claim);
	claim_fini(&copy->claim);
	free(copy);
}

void profile_copy_discard(struct profile_copy *copy)
{
	if (!copy)
		return;
	claim_discard(&copy->claim);
	claim_fini(&copy->claim);
	free(copy);
}
