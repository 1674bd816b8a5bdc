/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/* schema: see schema.h. */
#include "profile/schema.h"

#include <sqlite3.h>
#include <stdio.h>
#include <string.h>

#define X(column, name, type, comment) {name, type, comment},
static const struct schema_column meta_columns[] = {SCHEMA_META(X)};
static const struct schema_column metric_columns[] = {SCHEMA_METRIC(X)};
static const struct schema_column method_columns[] = {SCHEMA_METHOD(X)};
static const struct schema_column thread_columns[] = {SCHEMA_THREAD(X)};
static const struct schema_column node_columns[] = {SCHEMA_NODE(X)};
static const struct schema_column file_columns[] = {SCHEMA_FILE(X)};
static const struct schema_column io_columns[] = {SCHEMA_IO(X)};
static const struct schema_column operation_columns[] = {SCHEMA_OPERATION(X)};
static const struct schema_column io_thread_columns[] = {SCHEMA_IO_THREAD(X)};
static const struct schema_column path_columns[] = {SCHEMA_PATH(X)};
static const struct schema_column record_columns[] = {SCHEMA_RECORD(X)};
static const struct schema_column snapshot_columns[] = {SCHEMA_SNAPSHOT(X)};
static const struct schema_column mark_columns[] = {SCHEMA_MARK(X)};
static const struct schema_column sequence_columns[] = {SCHEMA_SEQUENCE(X)};
#undef X

const struct schema_table schema_tables[TABLE_COUNT] = {
	[TABLE_META] = {"meta", meta_columns, SCHEMA_META_COLUMNS, {NULL}, false},
	[TABLE_METRIC] = {"metric", metric_columns, SCHEMA_METRIC_COLUMNS, {NULL}, false},
	[TABLE_METHOD] = {"method", method_columns, SCHEMA_METHOD_COLUMNS, {NULL}, false},
	[TABLE_THREAD] = {"thread", thread_columns, SCHEMA_THREAD_TOTAL, {"total"}, false},
	[TABLE_NODE] = {"node", node_columns, SCHEMA_NODE_BASE, {"base", "spent"}, false},
	[TABLE_FILE] = {"file", file_columns, SCHEMA_FILE_COLUMNS, {NULL}, false},
	[TABLE_IO] = {"io", io_columns, SCHEMA_IO_COLUMNS, {NULL}, false},
	[TABLE_OPERATION] = {"operation", operation_columns, SCHEMA_OPERATION_COLUMNS, {NULL}, false},
	[TABLE_IO_THREAD] = {"io_thread", io_thread_columns, SCHEMA_IO_THREAD_COLUMNS, {NULL}, false},
	[TABLE_PATH] = {"path", path_columns, SCHEMA_PATH_COLUMNS, {NULL}, false},
	[TABLE_RECORD] = {"record", record_columns, SCHEMA_RECORD_COLUMNS, {NULL}, false},
	[TABLE_SNAPSHOT] = {"snapshot", snapshot_columns, SCHEMA_SNAPSHOT_COLUMNS, {NULL}, false},
	[TABLE_MARK] = {"mark", mark_columns, SCHEMA_MARK_COLUMNS, {NULL}, false},
	[TABLE_SEQUENCE] = {"sequence", sequence_columns, SCHEMA_SEQUENCE_SUM, {"sum", "min"},
		false},
	[TABLE_SNAPSHOT_THREAD] = {"snapshot_thread", thread_columns, SCHEMA_THREAD_TOTAL,
		{"total"}, true},
	[TABLE_SNAPSHOT_NODE] = {"snapshot_node", node_columns, SCHEMA_NODE_BASE, {"base", "spent"}, true},
	[TABLE_SNAPSHOT_IO] = {"snapshot_io", io_columns, SCHEMA_IO_COLUMNS, {NULL}, true},
	[TABLE_SNAPSHOT_SEQUENCE] = {"snapshot_sequence", sequence_columns, SCHEMA_SEQUENCE_SUM,
		{"sum", "min"}, true},
};

const struct schema_table schema_node_without_spent[2] = {
	{"node", node_columns, SCHEMA_NODE_BASE, {"base"}, false},
	{"snapshot_node", node_columns, SCHEMA_NODE_BASE, {"base"}, true},
};

const struct schema_table schema_thread_without_mounts[2] = {
	{"thread", thread_columns, SCHEMA_THREAD_MOUNTS, {"total"}, false},
	{"snapshot_thread", thread_columns, SCHEMA_THREAD_MOUNTS, {"total"}, true},
};

const struct schema_table schema_thread_without_waited[2] = {
	{"thread", thread_columns, SCHEMA_THREAD_WAITED_NS, {"total"}, false},
	{"snapshot_thread", thread_columns, SCHEMA_THREAD_WAITED_NS, {"total"}, true},
};

const struct schema_table schema_file_without_folded[2] = {
	{"file", file_columns, SCHEMA_FILE_FOLDED, {NULL}, false},
	{"file", file_columns, SCHEMA_FILE_FOLDED, {NULL}, false},
};

/* A view's SELECT in two halves; between them stand the metrics, each as metric_format
 * (its index, then its name) says. */
struct schema_view {
	const char *name, *head, *metric_format, *tail;
};

static const struct schema_view views[] = {
	{"threads",
		"SELECT id, name, java_id, os_id, virtual, alive, folded, events,\n"
		"\tunwound, repaired, unmatched, lost, pruned, started, ended,\n"
		"\tmounts, carrier_ns, waited_ns",
		",\n\ttotal_%u AS \"%w\"", "\nFROM thread"},
	/* What a root used, outside every included method, is the row without a method.
	 */
	{"methods",
		"SELECT m.class AS class, m.name AS method, m.signature AS signature,\n"
		"\tm.native AS native, m.static AS static, sum(n.calls) AS calls,\n"
		"\tsum(n.interpreted) AS entered_interpreted,\n"
		"\tsum(n.jitted) AS entered_jitted, sum(n.native) AS entered_native",
		",\n\tsum(n.base_%u) AS \"%w\"",
		"\nFROM node n JOIN method m ON m.id = n.method\nGROUP BY n.method"},
	{"operations",
		"SELECT f.kind AS kind, f.descriptor AS descriptor, f.name AS name,\n"
		"\tf.peer AS peer, t.name AS thread, m.class AS class, m.name AS method,\n"
		"\ti.operation AS operation, i.ops AS ops, i.failures AS failures,\n"
		"\ti.bytes AS bytes, i.ns AS ns, f.folded AS folded",
		"",
		"\nFROM io i LEFT JOIN file f ON f.id = i.file\n"
		"\tLEFT JOIN thread t ON t.id = i.thread\n"
		"\tLEFT JOIN node n ON n.id = i.node LEFT JOIN method m ON m.id = n.method"},
	{"records",
		"SELECT r.begin AS begin, r.ns AS ns, t.name AS thread, m.class AS class,\n"
		"\tm.name AS method, o.name AS operation, f.kind AS kind,\n"
		"\tf.descriptor AS descriptor, f.name AS name, f.peer AS peer,\n"
		"\tr.bytes AS bytes, r.failed AS failed",
		"",
		"\nFROM record r LEFT JOIN io_thread t ON t.id = r.thread\n"
		"\tLEFT JOIN operation o ON o.id = r.operation\n"
		"\tLEFT JOIN file f ON f.id = r.file\n"
		"\tLEFT JOIN path p ON p.id = r.path LEFT JOIN method m ON m.id = p.method"},
	/* Depth first: of the rows that wait the deepest goes on, of those the oldest.
	 * SQLite leaves the order of a subquery out when it is joined, unless that has a
	 * limit. */
	{"tree",
		"WITH RECURSIVE walk(id, level) AS (\n"
		"\tSELECT id, 0 FROM node WHERE parent IS NULL\n"
		"\tUNION ALL\n"
		"\tSELECT n.id, walk.level + 1\n"
		"\tFROM walk JOIN node n ON n.parent = walk.id\n"
		"\tORDER BY 2 DESC, 1 LIMIT -1)\n"
		"SELECT n.id AS id, n.parent AS parent, t.name AS thread,\n"
		"\twalk.level AS level, n.recursion AS recursion, m.class AS class,\n"
		"\tm.name AS method, m.signature AS signature, n.calls AS calls,\n"
		"\tn.interpreted AS entered_interpreted, n.jitted AS entered_jitted,\n"
		"\tn.native AS entered_native",
		",\n\tn.base_%u AS \"%w\"",
		"\nFROM walk CROSS JOIN node n ON n.id = walk.id\n"
		"\tCROSS JOIN method m ON m.id = n.method\n"
		"\tCROSS JOIN thread t ON t.id = n.thread"},
};

enum header_kind schema_header_kind(const unsigned char *header, size_t bytes)
{
	static const char magic[16] = "SQLite format 3"; /* its zero byte counts */
	static const unsigned char ours[] = {'j', 'p', 'r', 'o'};

	if (bytes == 0 || memcmp(header, magic, bytes < 16 ? bytes : 16) != 0)
		return HEADER_OTHER;
	if (bytes < SCHEMA_HEADER_BYTES)
		return HEADER_SHORT;
	return memcmp(header + 68, ours, 4) == 0 ? HEADER_PROFILE : HEADER_DATABASE;
}

int schema_columns(const struct schema_table *table, unsigned metrics)
{
	int kinds = (table->per_metric[0] != NULL) + (table->per_metric[1] != NULL);

	return table->copy + table->columns + kinds * (int)metrics;
}

void schema_column_name(const struct schema_table *table, unsigned metrics, int i, char *name,
	size_t size)
{
	int made = i - table->copy - table->columns; /* per metric */

	i -= table->copy;
	if (i < 0)
		snprintf(name, size, "snapshot");
	else if (i < table->columns)
		snprintf(name, size, "%s", table->column[i].name);
	else
		snprintf(name, size, "%s_%d", table->per_metric[made / (int)metrics],
			made % (int)metrics);
}

/* A copy's rows have the key of their original within the snapshot. */
static void append_copy(sqlite3_str *sql, const struct schema_table *table, unsigned metrics)
{
	int columns = schema_columns(table, metrics);
	char name[32];

	sqlite3_str_appendf(sql, "CREATE TABLE %s(", table->name);
	for (int i = 0; i < columns; i++) {
		bool text = i > 0 && i <= table->columns &&
			    strcmp(table->column[i - 1].type, "TEXT") == 0;
		schema_column_name(table, metrics, i, name, sizeof name);
		sqlite3_str_appendf(
			sql, "%s\n\t%s %s", i ? "," : "", name, text ? "TEXT" : "INTEGER");
	}
	sqlite3_str_appendall(sql, ",\n\tPRIMARY KEY(snapshot, id)) WITHOUT ROWID;\n");
}

static void append_table(
	sqlite3_str *sql, const struct schema_table *table, unsigned metrics)
{
	int columns = schema_columns(table, metrics);

	sqlite3_str_appendf(sql, "CREATE TABLE %s(", table->name);
	for (int i = 0; i < columns; i++) {
		char name[32];
		schema_column_name(table, metrics, i, name, sizeof name);
		bool fixed = i < table->columns;
		const char *type = fixed ? table->column[i].type : "INTEGER";
		sqlite3_str_appendf(sql, "%s\n\t%s %s", i ? "," : "", name, type);
		if (fixed && table->column[i].comment[0])
			sqlite3_str_appendf(sql, " /* %s */", table->column[i].comment);
	}
	sqlite3_str_appendall(sql, ");\n");
}

static void append_view(sqlite3_str *sql, const struct schema_view *view,
	const struct profile_metric *metric, unsigned metrics)
{
	sqlite3_str_appendf(sql, "CREATE VIEW %s AS\n%s", view->name, view->head);
	for (unsigned i = 0; i < metrics; i++)
		sqlite3_str_appendf(sql, view->metric_format, i, metric[i].name);
	sqlite3_str_appendf(sql, "%s;\n", view->tail);
}

char *schema_create(const struct profile_metric *metric, unsigned metrics)
{
	sqlite3_str *sql = sqlite3_str_new(NULL);

	sqlite3_str_appendf(sql,
		"PRAGMA application_id = %d;\nPRAGMA user_version = %d;\n",
		SCHEMA_APPLICATION_ID, SCHEMA_VERSION);
	for (int i = 0; i < TABLE_COUNT; i++)
		(schema_tables[i].copy ? append_copy : append_table)(
			sql, &schema_tables[i], metrics);
	for (size_t i = 0; i < sizeof views / sizeof views[0]; i++)
		append_view(sql, &views[i], metric, metrics);
	sqlite3_str_appendf(sql,
		"INSERT INTO method(id, name, native, static)\n"
		"VALUES(%d, NULL, 0, 0), (%d, '" PROFILE_FOLDED_NAME "', 0, 0);\n",
		PROFILE_METHOD_ROOT, PROFILE_METHOD_FOLDED);
	for (int op = 0; op < IO_OPS; op++)
		sqlite3_str_appendf(sql, "INSERT INTO operation VALUES(%d, %Q);\n", op,
			io_op_name((enum io_op)op));
	return sqlite3_str_finish(sql);
}

char *schema_insert(const struct schema_table *table, unsigned metrics)
{
	sqlite3_str *sql = sqlite3_str_new(NULL);
	int columns = schema_columns(table, metrics);

	/* It is called snapshot_ORIGINAL. */
	if (table->copy) {
		sqlite3_str_appendf(sql, "INSERT INTO %s SELECT ?, * FROM %s", table->name,
			table->name + strlen("snapshot_"));
		return sqlite3_str_finish(sql);
	}
	sqlite3_str_appendf(sql, "INSERT OR REPLACE INTO %s VALUES(?", table->name);
	for (int i = 1; i < columns; i++)
		sqlite3_str_appendall(sql, ",?");
	sqlite3_str_appendall(sql, ")");
	return sqlite3_str_finish(sql);
}
