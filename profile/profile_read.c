/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/*
 * profile_read: see profile_read.h.
 *
 * The bytes may be anybody's. SQLite checks its pages; here every number is checked
 * before it is used as an index or a size, so that nobody who reads a struct profile has
 * to.
 */
#include "profile/profile_read.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "profile/read_open.h"
#include "profile/schema.h"
#include "profile/sql.h"
#include "profile/text_store.h"

/* Methods have consecutive ids; so many may lack a row (on top of as many as have one)
 * before the file is taken for damaged, and not for a reason to allocate gigabytes. */
#define METHOD_GAP_MAX 65536

/* What profile_open gives out, with what it points to. */
struct owned_profile {
	struct profile profile; /* first: profile_free casts back */
	struct text_store texts;
	uint64_t *base;
};

struct reader {
	struct read_source source;
	struct owned_profile *owned;
	struct profile *profile; /* &owned->profile */
	struct error *error;
};

static int no_memory(struct reader *reader)
{
	return error_set(reader->error, ERROR_MEMORY, "no memory to read '%s'",
		reader->source.place.shown);
}

/* --- rows --- */

/* All columns of a table in their order, by id where it has one. */
static int select_all(
	struct reader *reader, enum schema_table_id id, sqlite3_stmt **statement)
{
	const struct schema_table *table = &schema_tables[id];
	int columns = schema_columns(table, reader->profile->metric_count);
	sqlite3_str *sql = sqlite3_str_new(NULL);
	char name[32];

	for (int i = 0; i < columns; i++) {
		schema_column_name(table, i, name, sizeof name);
		sqlite3_str_appendf(sql, "%s %s", i ? "," : "SELECT", name);
	}
	sqlite3_str_appendf(sql, " FROM %s ORDER BY 1", table->name);
	char *text = sqlite3_str_finish(sql);
	if (!text)
		return no_memory(reader);
	int result = sqlite3_prepare_v2(reader->source.db, text, -1, statement, NULL);
	sqlite3_free(text);
	return result == SQLITE_OK ? 0
				   : read_failed(&reader->source, result, reader->error);
}

/* 1 for a row, 0 after the last, or a negative code. */
static int next_row(struct reader *reader, sqlite3_stmt *statement)
{
	int result = sqlite3_step(statement);

	if (result == SQLITE_ROW || result == SQLITE_DONE)
		return result == SQLITE_ROW;
	return read_failed(&reader->source, result, reader->error);
}

/* A statement with one parameter and one number as its answer. */
static int ask(struct reader *reader, const char *sql, const char *parameter,
	sqlite3_int64 *answer)
{
	sqlite3_stmt *statement = NULL;
	int result = sqlite3_prepare_v2(reader->source.db, sql, -1, &statement, NULL);

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
	return read_failed(&reader->source, result, reader->error);
}

/* A view, a virtual table or a computed column of the right name could cost anything. */
static int check_table(struct reader *reader, enum schema_table_id id)
{
	const struct schema_table *table = &schema_tables[id];
	int columns = schema_columns(table, reader->profile->metric_count);
	sqlite3_stmt *statement = NULL;
	sqlite3_int64 real = 0;
	char name[32];

	int status = ask(reader,
		"SELECT count(*) FROM sqlite_master "
		"WHERE type = 'table' AND rootpage > 0 AND name = ?",
		table->name, &real);
	if (status < 0)
		return status;
	if (real != 1)
		return read_damaged(
			&reader->source, reader->error, "no table '%s'", table->name);
	int result = sqlite3_prepare_v2(reader->source.db,
		"SELECT name, hidden FROM pragma_table_xinfo(?)", -1, &statement, NULL);
	if (result != SQLITE_OK)
		return read_failed(&reader->source, result, reader->error);
	sqlite3_bind_text(statement, 1, table->name, -1, SQLITE_STATIC);
	for (int i = 0; i < columns; i++) {
		schema_column_name(table, i, name, sizeof name);
		status = next_row(reader, statement);
		const char *is = status == 1
					 ? (const char *)sqlite3_column_text(statement, 0)
					 : NULL;
		if (status >= 0 && (!is || strcmp(is, name) != 0 ||
					   sqlite3_column_int(statement, 1) != 0))
			status = read_damaged(&reader->source, reader->error,
				"table '%s' has no column '%s'", table->name, name);
		if (status < 0)
			break;
	}
	sqlite3_finalize(statement);
	return status < 0 ? status : 0;
}

/* How many rows the table has, and memory for a record each. */
static int count_rows(struct reader *reader, enum schema_table_id id, size_t record,
	void *records, size_t *count)
{
	char sql[64];
	sqlite3_int64 rows = 0;
	int status = check_table(reader, id);

	if (status < 0)
		return status;
	snprintf(sql, sizeof sql, "SELECT count(*) FROM %s", schema_tables[id].name);
	status = ask(reader, sql, NULL, &rows);
	if (status < 0)
		return status;
	void *memory = calloc((size_t)rows + 1, record);
	if (!memory)
		return no_memory(reader);
	memcpy(records, &memory, sizeof memory);
	*count = (size_t)rows;
	return 0;
}

static uint64_t number(sqlite3_stmt *statement, int column)
{
	return (uint64_t)sqlite3_column_int64(statement, column);
}

/* A copy of the column's text, NULL for NULL. No memory shows in the store. */
static char *text(struct reader *reader, sqlite3_stmt *statement, int column)
{
	const char *value = (const char *)sqlite3_column_text(statement, column);

	return value ? text_store_add(&reader->owned->texts, value) : NULL;
}

static const char *text_or_empty(
	struct reader *reader, sqlite3_stmt *statement, int column)
{
	const char *value = text(reader, statement, column);

	return value ? value : "";
}

/* --- tables --- */

/* Reads one row into record i of its array. 0 or a negative code. */
typedef int read_row(struct reader *reader, sqlite3_stmt *statement, size_t i);

/* All rows of a table that has count records waiting. */
static int read_rows(
	struct reader *reader, enum schema_table_id id, size_t count, read_row *row)
{
	sqlite3_stmt *statement = NULL;
	int status = select_all(reader, id, &statement);
	size_t i = 0;

	while (status == 0 && (status = next_row(reader, statement)) == 1) {
		/* An index that contradicts its table makes the two counts differ. */
		status = i < count ? row(reader, statement, i)
				   : read_damaged(&reader->source, reader->error,
					     "table '%s' has more rows than it counts",
					     schema_tables[id].name);
		i++;
	}
	sqlite3_finalize(statement);
	if (status == 0 && reader->owned->texts.failed)
		return no_memory(reader);
	if (status == 0 && i != count)
		return read_damaged(&reader->source, reader->error,
			"table '%s' has fewer rows than it counts",
			schema_tables[id].name);
	return status;
}

static int meta_row(struct reader *reader, sqlite3_stmt *statement, size_t i)
{
	struct profile_meta *meta = &reader->profile->meta[i];

	meta->key = text(reader, statement, SCHEMA_META_KEY);
	meta->value = text(reader, statement, SCHEMA_META_VALUE);
	if (meta->key && meta->value)
		return 0;
	if (reader->owned->texts.failed)
		return no_memory(reader);
	return read_damaged(&reader->source, reader->error, "meta row %zu is NULL", i);
}

static int read_meta(struct reader *reader)
{
	struct profile *profile = reader->profile;
	int status = count_rows(reader, TABLE_META, sizeof *profile->meta, &profile->meta,
		&profile->meta_count);

	if (status == 0)
		status = read_rows(reader, TABLE_META, profile->meta_count, meta_row);
	return status;
}

static int metric_row(struct reader *reader, sqlite3_stmt *statement, size_t i)
{
	struct profile_metric *metric = &reader->profile->metric[i];

	if (number(statement, SCHEMA_METRIC_ID) != i)
		return read_damaged(
			&reader->source, reader->error, "metric %zu is missing", i);
	metric->name = text_or_empty(reader, statement, SCHEMA_METRIC_NAME);
	metric->unit = text_or_empty(reader, statement, SCHEMA_METRIC_UNIT);
	metric->how = text_or_empty(reader, statement, SCHEMA_METRIC_HOW);
	return 0;
}

static int read_metrics(struct reader *reader)
{
	sqlite3_int64 rows = 0;
	int status = check_table(reader, TABLE_METRIC);

	if (status == 0)
		status = ask(reader, "SELECT count(*) FROM metric", NULL, &rows);
	if (status == 0 && rows > PROFILE_METRIC_MAX)
		status = read_damaged(&reader->source, reader->error,
			"it has %lld metrics", (long long)rows);
	if (status == 0)
		status = read_rows(reader, TABLE_METRIC, (size_t)rows, metric_row);
	if (status == 0)
		reader->profile->metric_count = (unsigned)rows;
	return status;
}

static int method_row(struct reader *reader, sqlite3_stmt *statement, size_t i)
{
	struct profile *profile = reader->profile;
	uint64_t id = number(statement, SCHEMA_METHOD_ID);

	(void)i;
	if (id >= profile->method_count)
		return read_damaged(
			&reader->source, reader->error, "method id out of range");
	struct profile_method *method = &profile->method[id];
	method->class_name = text(reader, statement, SCHEMA_METHOD_CLASS);
	method->name = text(reader, statement, SCHEMA_METHOD_NAME);
	method->signature = text(reader, statement, SCHEMA_METHOD_SIGNATURE);
	method->is_native = sqlite3_column_int(statement, SCHEMA_METHOD_NATIVE) != 0;
	method->is_static = sqlite3_column_int(statement, SCHEMA_METHOD_STATIC) != 0;
	if (id >= PROFILE_METHOD_FIRST && !method->name)
		method->name = "(method without a name)";
	return 0;
}

/* Methods that have no row, and the two that do not need one. */
static void name_gaps(struct profile *profile)
{
	for (uint32_t id = 0; id < profile->method_count; id++) {
		struct profile_method *method = &profile->method[id];
		method->id = id;
		if (id == PROFILE_METHOD_ROOT)
			*method = (struct profile_method){.id = id};
		else if (id == PROFILE_METHOD_PRUNED)
			*method = (struct profile_method){.id = id, .name = "(pruned)"};
		else if (!method->name)
			method->name = "(unknown method)";
	}
}

static int read_methods(struct reader *reader)
{
	struct profile *profile = reader->profile;
	sqlite3_int64 rows = 0, last = 0;
	int status = check_table(reader, TABLE_METHOD);

	if (status == 0)
		status = ask(reader, "SELECT count(*) FROM method", NULL, &rows);
	if (status == 0)
		status = ask(reader, "SELECT max(id) FROM method", NULL, &last);
	if (status < 0)
		return status;
	if (last < 0 || last > 2 * rows + METHOD_GAP_MAX || last >= UINT32_MAX)
		return read_damaged(&reader->source, reader->error,
			"%lld methods have ids up to %lld", (long long)rows,
			(long long)last);
	profile->method_count = (uint32_t)last + 1;
	if (profile->method_count < PROFILE_METHOD_FIRST)
		profile->method_count = PROFILE_METHOD_FIRST;
	profile->method = calloc(profile->method_count, sizeof *profile->method);
	if (!profile->method)
		return no_memory(reader);
	status = read_rows(reader, TABLE_METHOD, (size_t)rows, method_row);
	name_gaps(profile);
	return status;
}

static int thread_row(struct reader *reader, sqlite3_stmt *statement, size_t i)
{
	struct profile_thread *thread = &reader->profile->thread[i];
	uint64_t id = number(statement, SCHEMA_THREAD_ID);

	/* node.id is a signed number of 64 bits with the thread in its upper half. */
	if (id < 1 || id > INT32_MAX || (i > 0 && id <= thread[-1].id))
		return read_damaged(
			&reader->source, reader->error, "thread id out of range");
	thread->id = (uint32_t)id;
	thread->java_id = sqlite3_column_int64(statement, SCHEMA_THREAD_JAVA_ID);
	thread->os_id = sqlite3_column_int64(statement, SCHEMA_THREAD_OS_ID);
	thread->name = text_or_empty(reader, statement, SCHEMA_THREAD_NAME);
	thread->is_virtual = number(statement, SCHEMA_THREAD_VIRTUAL) != 0;
	thread->alive = number(statement, SCHEMA_THREAD_ALIVE) != 0;
	thread->folded = number(statement, SCHEMA_THREAD_FOLDED);
	thread->events = number(statement, SCHEMA_THREAD_EVENTS);
	thread->unwound = number(statement, SCHEMA_THREAD_UNWOUND);
	thread->repaired = number(statement, SCHEMA_THREAD_REPAIRED);
	thread->unmatched = number(statement, SCHEMA_THREAD_UNMATCHED);
	thread->lost = number(statement, SCHEMA_THREAD_LOST);
	thread->pruned = number(statement, SCHEMA_THREAD_PRUNED);
	thread->started = number(statement, SCHEMA_THREAD_STARTED);
	thread->ended = number(statement, SCHEMA_THREAD_ENDED);
	for (unsigned m = 0; m < reader->profile->metric_count; m++)
		thread->total[m] = number(statement, SCHEMA_THREAD_TOTAL + (int)m);
	return 0;
}

static int read_threads(struct reader *reader)
{
	struct profile *profile = reader->profile;
	int status = count_rows(reader, TABLE_THREAD, sizeof *profile->thread,
		&profile->thread, &profile->thread_count);

	if (status == 0)
		status = read_rows(
			reader, TABLE_THREAD, profile->thread_count, thread_row);
	return status;
}

/* --- nodes --- */

/* thread_first, filled as the nodes come by: position of the thread they are at. */
struct node_reader {
	struct reader reader; /* first: node_row casts back */
	size_t position;
};

/* The node's thread becomes the current one; threads passed over have no nodes. */
static bool find_thread(struct node_reader *nodes, uint64_t thread, size_t i)
{
	struct profile *profile = nodes->reader.profile;

	while (nodes->position < profile->thread_count &&
		profile->thread[nodes->position].id < thread)
		profile->thread_first[++nodes->position] = i;
	return nodes->position < profile->thread_count &&
	       profile->thread[nodes->position].id == thread;
}

static int bad_node(struct reader *reader, sqlite3_stmt *statement, const char *what)
{
	return read_damaged(&reader->source, reader->error, "node %lld %s",
		(long long)sqlite3_column_int64(statement, SCHEMA_NODE_ID), what);
}

/* Identity: a known thread, the next index of it, a parent before it, a known method. */
static int place_node(struct node_reader *nodes, sqlite3_stmt *statement, size_t i,
	struct profile_node *node)
{
	struct reader *reader = &nodes->reader;
	uint64_t id = number(statement, SCHEMA_NODE_ID);
	uint64_t parent = number(statement, SCHEMA_NODE_PARENT);
	uint64_t method = number(statement, SCHEMA_NODE_METHOD);
	uint64_t recursion = number(statement, SCHEMA_NODE_RECURSION);
	bool root = sqlite3_column_type(statement, SCHEMA_NODE_PARENT) == SQLITE_NULL;

	if (!find_thread(nodes, id >> 32, i) ||
		number(statement, SCHEMA_NODE_THREAD) != id >> 32)
		return bad_node(reader, statement, "is of an unknown thread");
	node->thread = (uint32_t)(id >> 32);
	node->index = (uint32_t)id;
	if (node->index != i - reader->profile->thread_first[nodes->position])
		return bad_node(reader, statement, "stands behind a gap");
	if (root != (node->index == 0) ||
		(!root && (parent >> 32 != node->thread ||
				  (uint32_t)parent >= node->index)))
		return bad_node(reader, statement, "has an impossible parent");
	node->parent = root ? 0 : (uint32_t)parent;
	if (method >= reader->profile->method_count ||
		(method == PROFILE_METHOD_ROOT) != root)
		return bad_node(reader, statement, "is of an unknown method");
	node->method = (uint32_t)method;
	if (recursion > node->index)
		return bad_node(reader, statement, "has an impossible recursion level");
	node->recursion = (uint32_t)recursion;
	return 0;
}

static int node_row(struct reader *reader, sqlite3_stmt *statement, size_t i)
{
	struct profile_node *node = &reader->profile->node[i];
	unsigned metrics = reader->profile->metric_count;
	uint64_t *base = reader->owned->base + i * metrics;
	int status = place_node((struct node_reader *)reader, statement, i, node);

	if (status < 0)
		return status;
	node->calls = number(statement, SCHEMA_NODE_CALLS);
	node->interpreted = number(statement, SCHEMA_NODE_INTERPRETED);
	node->jitted = number(statement, SCHEMA_NODE_JITTED);
	node->native = number(statement, SCHEMA_NODE_NATIVE);
	for (int k = 0; k < 4; k++)
		node->transition[k / 2][k % 2] =
			number(statement, SCHEMA_NODE_ENTRY_ENTRY + k);
	for (unsigned m = 0; m < metrics; m++)
		base[m] = number(statement, SCHEMA_NODE_BASE + (int)m);
	node->base = base;
	return 0;
}

static int read_nodes(struct node_reader *nodes)
{
	struct reader *reader = &nodes->reader;
	struct profile *profile = reader->profile;
	int status = count_rows(reader, TABLE_NODE, sizeof *profile->node, &profile->node,
		&profile->node_count);

	if (status < 0)
		return status;
	reader->owned->base =
		calloc(profile->node_count * profile->metric_count + 1, sizeof(uint64_t));
	profile->thread_first = calloc(profile->thread_count + 1, sizeof(size_t));
	if (!reader->owned->base || !profile->thread_first)
		return no_memory(reader);
	status = read_rows(reader, TABLE_NODE, profile->node_count, node_row);
	if (status < 0)
		return status;
	while (nodes->position < profile->thread_count)
		profile->thread_first[++nodes->position] = profile->node_count;
	return 0;
}

/* --- I/O --- */

static int path_row(struct reader *reader, sqlite3_stmt *statement, size_t i)
{
	struct profile_path *path = &reader->profile->path[i];
	uint64_t id = number(statement, SCHEMA_PATH_ID),
		 method = number(statement, SCHEMA_PATH_METHOD);

	if (id < 1 || id > UINT32_MAX || (i > 0 && id <= path[-1].id))
		return read_damaged(&reader->source, reader->error, "path id out of range");
	if (method >= reader->profile->method_count)
		return read_damaged(
			&reader->source, reader->error, "a path of an unknown method");
	path->id = (uint32_t)id;
	path->parent = (uint32_t)number(statement, SCHEMA_PATH_PARENT);
	path->method = (uint32_t)method;
	return 0;
}

/* The place + 1 of the one with that id, in rows that begin with it and are ordered by it; 0:
 * there is none. */
static uint32_t place_of(const void *rows, size_t count, size_t stride, uint64_t id)
{
	size_t low = 0, high = count;
	uint32_t found;

	while (low < high) {
		size_t middle = (low + high) / 2;

		memcpy(&found, (const char *)rows + middle * stride, sizeof found);
		if (found == id)
			return (uint32_t)middle + 1;
		if (found < id)
			low = middle + 1;
		else
			high = middle;
	}
	return 0;
}

static uint32_t path_place(const struct profile *profile, uint64_t id)
{
	return place_of(profile->path, profile->path_count, sizeof *profile->path, id);
}

static int file_row(struct reader *reader, sqlite3_stmt *statement, size_t i)
{
	struct profile_file *file = &reader->profile->file[i];
	uint64_t id = number(statement, SCHEMA_FILE_ID);
	const char *kind = (const char *)sqlite3_column_text(statement, SCHEMA_FILE_KIND);
	const char *known = (const char *)sqlite3_column_text(statement, SCHEMA_FILE_KNOWN);

	if (id < 1 || id > UINT32_MAX || (i > 0 && id <= file[-1].id))
		return read_damaged(&reader->source, reader->error, "file id out of range");
	file->id = (uint32_t)id;
	file->kind = kind ? io_kind_find(kind) : IO_OTHER;
	if (file->kind == IO_KINDS)
		file->kind = IO_OTHER;
	file->descriptor = -1;
	if (sqlite3_column_type(statement, SCHEMA_FILE_DESCRIPTOR) != SQLITE_NULL)
		file->descriptor = sqlite3_column_int(statement, SCHEMA_FILE_DESCRIPTOR);
	file->name = text_or_empty(reader, statement, SCHEMA_FILE_NAME);
	file->peer = text(reader, statement, SCHEMA_FILE_PEER);
	file->opened_known =
		sqlite3_column_type(statement, SCHEMA_FILE_OPENED) != SQLITE_NULL;
	file->opened = sqlite3_column_int64(statement, SCHEMA_FILE_OPENED);
	file->opened_by = text(reader, statement, SCHEMA_FILE_OPENED_BY);
	file->opened_in = path_place(
		reader->profile, number(statement, SCHEMA_FILE_OPENED_IN));
	file->note = text(reader, statement, SCHEMA_FILE_NOTE);
	file->known = known && strcmp(known, "attach") == 0 ? KNOWN_ATTACH : KNOWN_OPEN;
	return 0;
}

static uint32_t file_place(const struct profile *profile, uint64_t id)
{
	return place_of(profile->file, profile->file_count, sizeof *profile->file, id);
}

static int io_row(struct reader *reader, sqlite3_stmt *statement, size_t i)
{
	struct profile *profile = reader->profile;
	struct profile_io *io = &profile->io[i];
	uint64_t id = number(statement, SCHEMA_IO_ID), node = number(statement, SCHEMA_IO_NODE);
	const char *op = (const char *)sqlite3_column_text(statement, SCHEMA_IO_OPERATION);
	ptrdiff_t thread = profile_thread_find(profile, (uint32_t)(id >> 32));

	io->thread = (uint32_t)(id >> 32);
	io->index = (uint32_t)id;
	io->node = (uint32_t)node;
	io->op = op ? io_op_find(op) : IO_OPS;
	if (thread < 0 || node >> 32 != io->thread ||
		io->node >= profile->thread_first[thread + 1] - profile->thread_first[thread])
		return read_damaged(
			&reader->source, reader->error, "I/O of an unknown call path");
	if (io->op == IO_OPS)
		return read_damaged(
			&reader->source, reader->error, "I/O of an unknown kind");
	io->file = file_place(profile, number(statement, SCHEMA_IO_FILE));
	io->ops = number(statement, SCHEMA_IO_OPS);
	io->failures = number(statement, SCHEMA_IO_FAILURES);
	io->bytes = number(statement, SCHEMA_IO_BYTES);
	io->ns = number(statement, SCHEMA_IO_NS);
	return 0;
}

/* Profiles of before there was I/O do not have the tables. */
static int read_io(struct reader *reader)
{
	struct profile *profile = reader->profile;
	sqlite3_int64 tables = 0;
	int status = ask(reader,
		"SELECT count(*) FROM sqlite_master WHERE name = ?", "io", &tables);

	if (status < 0 || tables == 0)
		return status;
	status = count_rows(reader, TABLE_PATH, sizeof *profile->path, &profile->path,
		&profile->path_count);
	if (status == 0)
		status = read_rows(reader, TABLE_PATH, profile->path_count, path_row);
	if (status == 0)
		status = count_rows(reader, TABLE_FILE, sizeof *profile->file,
			&profile->file, &profile->file_count);
	if (status == 0)
		status = read_rows(reader, TABLE_FILE, profile->file_count, file_row);
	if (status == 0)
		status = count_rows(reader, TABLE_IO, sizeof *profile->io, &profile->io,
			&profile->io_count);
	if (status == 0)
		status = read_rows(reader, TABLE_IO, profile->io_count, io_row);
	return status;
}

static int io_thread_row(struct reader *reader, sqlite3_stmt *statement, size_t i)
{
	struct profile_io_thread *thread = &reader->profile->io_thread[i];
	uint64_t id = number(statement, SCHEMA_IO_THREAD_ID);

	if (id < 1 || id > UINT32_MAX || (i > 0 && id <= thread[-1].id))
		return read_damaged(&reader->source, reader->error, "thread id out of range");
	thread->id = (uint32_t)id;
	thread->java_id = sqlite3_column_int64(statement, SCHEMA_IO_THREAD_JAVA_ID);
	thread->os_id = sqlite3_column_int64(statement, SCHEMA_IO_THREAD_OS_ID);
	thread->name = text_or_empty(reader, statement, SCHEMA_IO_THREAD_NAME);
	return 0;
}

static int record_row(struct reader *reader, sqlite3_stmt *statement, size_t i)
{
	struct profile *profile = reader->profile;
	uint64_t op = number(statement, SCHEMA_RECORD_OPERATION);

	if (op >= IO_OPS)
		return read_damaged(
			&reader->source, reader->error, "a record of an unknown kind");
	profile->record[i] = (struct profile_record){
		.begin = number(statement, SCHEMA_RECORD_BEGIN),
		.ns = number(statement, SCHEMA_RECORD_NS),
		.thread = place_of(profile->io_thread, profile->io_thread_count,
			sizeof *profile->io_thread, number(statement, SCHEMA_RECORD_THREAD)),
		.path = path_place(profile, number(statement, SCHEMA_RECORD_PATH)),
		.file = file_place(profile, number(statement, SCHEMA_RECORD_FILE)),
		.op = (enum io_op)op,
		.bytes = number(statement, SCHEMA_RECORD_BYTES),
		.failed = number(statement, SCHEMA_RECORD_FAILED) != 0,
	};
	return 0;
}

static int read_records(struct reader *reader)
{
	struct profile *profile = reader->profile;
	sqlite3_int64 tables = 0;
	int status = ask(reader, "SELECT count(*) FROM sqlite_master WHERE name = ?", "record",
		&tables);

	if (status < 0 || tables == 0)
		return status;
	status = count_rows(reader, TABLE_IO_THREAD, sizeof *profile->io_thread,
		&profile->io_thread, &profile->io_thread_count);
	if (status == 0)
		status = read_rows(
			reader, TABLE_IO_THREAD, profile->io_thread_count, io_thread_row);
	if (status == 0)
		status = count_rows(reader, TABLE_RECORD, sizeof *profile->record,
			&profile->record, &profile->record_count);
	if (status == 0)
		status = read_rows(reader, TABLE_RECORD, profile->record_count, record_row);
	return status;
}

/* --- the whole --- */

static int read_all(struct node_reader *nodes, bool records)
{
	/* Metrics first: the tables of threads and nodes have a column for each. */
	int status = read_metrics(&nodes->reader);

	if (status == 0)
		status = read_meta(&nodes->reader);
	if (status == 0)
		status = read_methods(&nodes->reader);
	if (status == 0)
		status = read_threads(&nodes->reader);
	if (status == 0)
		status = read_nodes(nodes);
	if (status == 0)
		status = read_io(&nodes->reader);
	if (status == 0 && records)
		status = read_records(&nodes->reader);
	return status;
}

static int open_with(
	struct profile **out, const char *path, bool records, struct error *error)
{
	struct node_reader nodes = {.reader.error = error};
	struct reader *reader = &nodes.reader;

	*out = NULL;
	int status = read_open(&reader->source, path, error);
	if (status < 0)
		return status;
	reader->owned = calloc(1, sizeof *reader->owned);
	if (!reader->owned) {
		status = no_memory(reader);
	} else {
		reader->profile = &reader->owned->profile;
		status = read_all(&nodes, records);
	}
	read_close(&reader->source);
	if (status == 0)
		*out = reader->profile;
	else
		profile_free(reader->profile);
	return status;
}

int profile_open(struct profile **profile, const char *path, struct error *error)
{
	return open_with(profile, path, false, error);
}

int profile_open_records(struct profile **profile, const char *path, struct error *error)
{
	return open_with(profile, path, true, error);
}

void profile_free(struct profile *profile)
{
	struct owned_profile *owned = (struct owned_profile *)profile;

	if (!owned)
		return;
	free(profile->meta);
	free(profile->method);
	free(profile->thread);
	free(profile->node);
	free(profile->thread_first);
	free(profile->path);
	free(profile->file);
	free(profile->io);
	free(profile->io_thread);
	free(profile->record);
	free(owned->base);
	text_store_fini(&owned->texts);
	free(owned);
}

const char *profile_meta_get(const struct profile *profile, const char *key)
{
	for (size_t i = 0; i < profile->meta_count; i++)
		if (strcmp(profile->meta[i].key, key) == 0)
			return profile->meta[i].value;
	return NULL;
}

ptrdiff_t profile_thread_find(const struct profile *profile, uint32_t id)
{
	return (ptrdiff_t)place_of(profile->thread, profile->thread_count,
		       sizeof *profile->thread, id) -
	       1;
}

int profile_metric_find(const struct profile *profile, const char *name)
{
	for (unsigned i = 0; i < profile->metric_count; i++)
		if (strcmp(profile->metric[i].name, name) == 0)
			return (int)i;
	return -1;
}
