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

#include "profile/interval.h"
#include "profile/markers.h"
#include "profile/read_open.h"
#include "profile/read_rows.h"
#include "profile/schema.h"

/* Methods have consecutive ids; so many may lack a row (on top of as many as have one)
 * before the file is taken for damaged, and not for a reason to allocate gigabytes. */
#define METHOD_GAP_MAX 65536

/* --- tables --- */

static int meta_row(struct reader *reader, sqlite3_stmt *statement, size_t i)
{
	struct profile_meta *meta = &reader->profile->meta[i];

	meta->key = reader_text(reader, statement, SCHEMA_META_KEY);
	meta->value = reader_text(reader, statement, SCHEMA_META_VALUE);
	if (meta->key && meta->value)
		return 0;
	if (reader->owned->texts.failed)
		return reader_no_memory(reader);
	return read_damaged(reader->source, reader->error, "meta row %zu is NULL", i);
}

static int read_meta(struct reader *reader)
{
	struct profile *profile = reader->profile;
	int status = reader_count(reader, TABLE_META, sizeof *profile->meta, &profile->meta,
		&profile->meta_count);

	if (status == 0)
		status = reader_rows(reader, TABLE_META, profile->meta_count, meta_row);
	return status;
}

static int metric_row(struct reader *reader, sqlite3_stmt *statement, size_t i)
{
	struct profile_metric *metric = &reader->profile->metric[i];

	if (reader_number(statement, SCHEMA_METRIC_ID) != i)
		return read_damaged(
			reader->source, reader->error, "metric %zu is missing", i);
	metric->name = reader_name(reader, statement, SCHEMA_METRIC_NAME);
	metric->unit = reader_name(reader, statement, SCHEMA_METRIC_UNIT);
	metric->how = reader_name(reader, statement, SCHEMA_METRIC_HOW);
	return 0;
}

static int read_metrics(struct reader *reader)
{
	size_t rows = 0;
	int status = reader_check(reader, TABLE_METRIC);

	if (status == 0)
		status = reader_count_rows(reader, TABLE_METRIC, &rows);
	if (status == 0 && rows > PROFILE_METRIC_MAX)
		status = read_damaged(reader->source, reader->error,
			"it has %zu metrics", rows);
	if (status == 0)
		status = reader_rows(reader, TABLE_METRIC, rows, metric_row);
	if (status == 0)
		reader->profile->metric_count = (unsigned)rows;
	return status;
}

static int method_row(struct reader *reader, sqlite3_stmt *statement, size_t i)
{
	struct profile *profile = reader->profile;
	uint64_t id = reader_number(statement, SCHEMA_METHOD_ID);

	(void)i;
	if (id >= profile->method_count)
		return read_damaged(
			reader->source, reader->error, "method id out of range");
	struct profile_method *method = &profile->method[id];
	method->class_name = reader_text(reader, statement, SCHEMA_METHOD_CLASS);
	method->name = reader_text(reader, statement, SCHEMA_METHOD_NAME);
	method->signature = reader_text(reader, statement, SCHEMA_METHOD_SIGNATURE);
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
		else if (id == PROFILE_METHOD_FOLDED)
			*method = (struct profile_method){.id = id, .name = PROFILE_FOLDED_NAME};
		else if (!method->name)
			method->name = "(unknown method)";
	}
}

static int read_methods(struct reader *reader)
{
	struct profile *profile = reader->profile;
	sqlite3_int64 last = 0;
	size_t rows = 0;
	int status = reader_check(reader, TABLE_METHOD);

	if (status == 0)
		status = reader_count_rows(reader, TABLE_METHOD, &rows);
	if (status == 0)
		status = reader_ask(reader, "SELECT max(id) FROM method", NULL, &last);
	if (status < 0)
		return status;
	if (last < 0 || last > (sqlite3_int64)(2 * rows + METHOD_GAP_MAX) || last >= UINT32_MAX)
		return read_damaged(reader->source, reader->error,
			"%zu methods have ids up to %lld", rows,
			(long long)last);
	profile->method_count = (uint32_t)last + 1;
	if (profile->method_count < PROFILE_METHOD_FIRST)
		profile->method_count = PROFILE_METHOD_FIRST;
	profile->method = calloc(profile->method_count, sizeof *profile->method);
	if (!profile->method)
		return reader_no_memory(reader);
	status = reader_rows(reader, TABLE_METHOD, rows, method_row);
	name_gaps(profile);
	return status;
}

static int thread_row(struct reader *reader, sqlite3_stmt *statement, size_t i)
{
	struct profile_thread *thread = &reader->profile->thread[i];
	int version = reader->source->version, total = SCHEMA_THREAD_MOUNTS;
	uint64_t id = reader_number(statement, SCHEMA_THREAD_ID);

	/* node.id is a signed number of 64 bits with the thread in its upper half. */
	if (id < 1 || id > INT32_MAX || (i > 0 && id <= thread[-1].id))
		return read_damaged(
			reader->source, reader->error, "thread id out of range");
	thread->id = (uint32_t)id;
	thread->java_id = sqlite3_column_int64(statement, SCHEMA_THREAD_JAVA_ID);
	thread->os_id = sqlite3_column_int64(statement, SCHEMA_THREAD_OS_ID);
	thread->name = reader_name(reader, statement, SCHEMA_THREAD_NAME);
	thread->is_virtual = reader_number(statement, SCHEMA_THREAD_VIRTUAL) != 0;
	thread->alive = reader_number(statement, SCHEMA_THREAD_ALIVE) != 0;
	thread->folded = reader_number(statement, SCHEMA_THREAD_FOLDED);
	thread->events = reader_number(statement, SCHEMA_THREAD_EVENTS);
	thread->unwound = reader_number(statement, SCHEMA_THREAD_UNWOUND);
	thread->repaired = reader_number(statement, SCHEMA_THREAD_REPAIRED);
	thread->unmatched = reader_number(statement, SCHEMA_THREAD_UNMATCHED);
	thread->lost = reader_number(statement, SCHEMA_THREAD_LOST);
	thread->pruned = reader_number(statement, SCHEMA_THREAD_PRUNED);
	thread->started = reader_number(statement, SCHEMA_THREAD_STARTED);
	thread->ended = reader_number(statement, SCHEMA_THREAD_ENDED);
	if (version >= SCHEMA_MOUNTS_SINCE) {
		thread->mounts = reader_number(statement, SCHEMA_THREAD_MOUNTS);
		thread->carrier_ns = reader_number(statement, SCHEMA_THREAD_CARRIER_NS);
		total = SCHEMA_THREAD_WAITED_NS;
	}
	if (version >= SCHEMA_WAITED_SINCE) {
		thread->waited_ns = reader_number(statement, SCHEMA_THREAD_WAITED_NS);
		total = SCHEMA_THREAD_TOTAL;
	}
	reader_numbers(statement, total, reader->profile->metric_count, thread->total);
	return 0;
}

static int read_threads(struct reader *reader)
{
	struct profile *profile = reader->profile;
	int status = reader_count(reader, TABLE_THREAD, sizeof *profile->thread,
		&profile->thread, &profile->thread_count);

	if (status == 0)
		status = reader_rows(
			reader, TABLE_THREAD, profile->thread_count, thread_row);
	return status;
}

/* --- nodes --- */

/* The node's thread becomes the current one; threads passed over have no nodes. */
static bool find_thread(struct reader *reader, uint64_t thread, size_t i)
{
	struct profile *profile = reader->profile;

	while (reader->position < profile->thread_count &&
		profile->thread[reader->position].id < thread)
		profile->thread_first[++reader->position] = i;
	return reader->position < profile->thread_count &&
	       profile->thread[reader->position].id == thread;
}

static int bad_node(struct reader *reader, sqlite3_stmt *statement, const char *what)
{
	return read_damaged(reader->source, reader->error, "node %lld %s",
		(long long)sqlite3_column_int64(statement, SCHEMA_NODE_ID), what);
}

/* Identity: a known thread, the next index of it, a parent before it, a known method. */
static int place_node(struct reader *reader, sqlite3_stmt *statement, size_t i,
	struct profile_node *node)
{
	uint64_t id = reader_number(statement, SCHEMA_NODE_ID);
	uint64_t parent = reader_number(statement, SCHEMA_NODE_PARENT);
	uint64_t method = reader_number(statement, SCHEMA_NODE_METHOD);
	uint64_t recursion = reader_number(statement, SCHEMA_NODE_RECURSION);
	bool root = sqlite3_column_type(statement, SCHEMA_NODE_PARENT) == SQLITE_NULL;

	if (!find_thread(reader, id >> 32, i) ||
		reader_number(statement, SCHEMA_NODE_THREAD) != id >> 32)
		return bad_node(reader, statement, "is of an unknown thread");
	node->thread = (uint32_t)(id >> 32);
	node->index = (uint32_t)id;
	if (node->index != i - reader->profile->thread_first[reader->position])
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
	uint64_t *base = reader->owned->base + 2 * i * metrics;
	bool spent = reader->source->version >= SCHEMA_SPENT_SINCE;
	int status = place_node(reader, statement, i, node);

	if (status < 0)
		return status;
	node->calls = reader_number(statement, SCHEMA_NODE_CALLS);
	node->interpreted = reader_number(statement, SCHEMA_NODE_INTERPRETED);
	node->jitted = reader_number(statement, SCHEMA_NODE_JITTED);
	node->native = reader_number(statement, SCHEMA_NODE_NATIVE);
	for (int k = 0; k < 4; k++)
		node->transition[k / 2][k % 2] =
			reader_number(statement, SCHEMA_NODE_ENTRY_ENTRY + k);
	reader_numbers(statement, SCHEMA_NODE_BASE, spent ? 2 * metrics : metrics, base);
	node->base = base;
	node->spent = base + metrics;
	return 0;
}

static int read_nodes(struct reader *reader)
{
	struct profile *profile = reader->profile;
	int status = reader_count(reader, TABLE_NODE, sizeof *profile->node, &profile->node,
		&profile->node_count);

	if (status < 0)
		return status;
	reader->owned->base =
		calloc(2 * profile->node_count * profile->metric_count + 1, sizeof(uint64_t));
	profile->thread_first = calloc(profile->thread_count + 1, sizeof(size_t));
	if (!reader->owned->base || !profile->thread_first)
		return reader_no_memory(reader);
	reader->position = 0;
	status = reader_rows(reader, TABLE_NODE, profile->node_count, node_row);
	if (status < 0)
		return status;
	while (reader->position < profile->thread_count)
		profile->thread_first[++reader->position] = profile->node_count;
	return 0;
}

/* --- I/O --- */

static int path_row(struct reader *reader, sqlite3_stmt *statement, size_t i)
{
	struct profile_path *path = &reader->profile->path[i];
	uint64_t id = reader_number(statement, SCHEMA_PATH_ID),
		 method = reader_number(statement, SCHEMA_PATH_METHOD);

	if (id < 1 || id > UINT32_MAX || (i > 0 && id <= path[-1].id))
		return read_damaged(reader->source, reader->error, "path id out of range");
	if (method >= reader->profile->method_count)
		return read_damaged(
			reader->source, reader->error, "a path of an unknown method");
	path->id = (uint32_t)id;
	path->parent = (uint32_t)reader_number(statement, SCHEMA_PATH_PARENT);
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
	uint64_t id = reader_number(statement, SCHEMA_FILE_ID);
	const char *kind = (const char *)sqlite3_column_text(statement, SCHEMA_FILE_KIND);
	const char *known = (const char *)sqlite3_column_text(statement, SCHEMA_FILE_KNOWN);

	if (id < 1 || id > INT64_MAX || (i > 0 && id <= file[-1].id))
		return read_damaged(reader->source, reader->error, "file id out of range");
	file->id = id;
	file->kind = kind ? io_kind_find(kind) : IO_OTHER;
	if (file->kind == IO_KINDS)
		file->kind = IO_OTHER;
	file->descriptor = -1;
	if (sqlite3_column_type(statement, SCHEMA_FILE_DESCRIPTOR) != SQLITE_NULL)
		file->descriptor = sqlite3_column_int(statement, SCHEMA_FILE_DESCRIPTOR);
	file->name = reader_name(reader, statement, SCHEMA_FILE_NAME);
	file->peer = reader_text(reader, statement, SCHEMA_FILE_PEER);
	file->opened_known =
		sqlite3_column_type(statement, SCHEMA_FILE_OPENED) != SQLITE_NULL;
	file->opened = sqlite3_column_int64(statement, SCHEMA_FILE_OPENED);
	file->opened_by = reader_text(reader, statement, SCHEMA_FILE_OPENED_BY);
	file->opened_in = path_place(
		reader->profile, reader_number(statement, SCHEMA_FILE_OPENED_IN));
	file->note = reader_text(reader, statement, SCHEMA_FILE_NOTE);
	file->known = known && strcmp(known, "attach") == 0 ? KNOWN_ATTACH : KNOWN_OPEN;
	if (reader->source->version < SCHEMA_FOLDED_SINCE)
		return 0;
	file->folded = reader_number(statement, SCHEMA_FILE_FOLDED);
	file->first_known =
		sqlite3_column_type(statement, SCHEMA_FILE_FIRST) != SQLITE_NULL;
	file->first = sqlite3_column_int64(statement, SCHEMA_FILE_FIRST);
	file->into = reader_number(statement, SCHEMA_FILE_GROUP);
	return 0;
}

static uint32_t file_place(const struct profile *profile, uint64_t id)
{
	size_t low = 0, high = profile->file_count;

	while (low < high) {
		size_t middle = (low + high) / 2;

		if (profile->file[middle].id == id)
			return (uint32_t)middle + 1;
		if (profile->file[middle].id < id)
			low = middle + 1;
		else
			high = middle;
	}
	return 0;
}

static int io_row(struct reader *reader, sqlite3_stmt *statement, size_t i)
{
	struct profile *profile = reader->profile;
	struct profile_io *io = &profile->io[i];
	uint64_t id = reader_number(statement, SCHEMA_IO_ID),
		 node = reader_number(statement, SCHEMA_IO_NODE);
	const char *op = (const char *)sqlite3_column_text(statement, SCHEMA_IO_OPERATION);
	ptrdiff_t thread = profile_thread_find(profile, (uint32_t)(id >> 32));

	io->thread = (uint32_t)(id >> 32);
	io->index = (uint32_t)id;
	io->node = (uint32_t)node;
	io->op = op ? io_op_find(op) : IO_OPS;
	if (thread < 0 || node >> 32 != io->thread ||
		io->node >= profile->thread_first[thread + 1] - profile->thread_first[thread])
		return read_damaged(
			reader->source, reader->error, "I/O of an unknown call path");
	if (io->op == IO_OPS)
		return read_damaged(
			reader->source, reader->error, "I/O of an unknown kind");
	io->file = file_place(profile, reader_number(statement, SCHEMA_IO_FILE));
	io->ops = reader_number(statement, SCHEMA_IO_OPS);
	io->failures = reader_number(statement, SCHEMA_IO_FAILURES);
	io->bytes = reader_number(statement, SCHEMA_IO_BYTES);
	io->ns = reader_number(statement, SCHEMA_IO_NS);
	return 0;
}

/* Profiles of before there was I/O do not have its tables; the same goes for snapshots and
 * sequences. */
static int has_table(struct reader *reader, const char *name, bool *there)
{
	sqlite3_int64 tables = 0;
	int status = reader_ask(reader,
		"SELECT count(*) FROM sqlite_master WHERE name = ?", name, &tables);

	*there = tables > 0;
	return status;
}

static int read_files(struct reader *reader)
{
	struct profile *profile = reader->profile;
	bool there = false;
	int status = has_table(reader, "io", &there);

	if (status < 0 || !there)
		return status;
	status = reader_count(reader, TABLE_PATH, sizeof *profile->path, &profile->path,
		&profile->path_count);
	if (status == 0)
		status = reader_rows(reader, TABLE_PATH, profile->path_count, path_row);
	if (status == 0)
		status = reader_count(reader, TABLE_FILE, sizeof *profile->file,
			&profile->file, &profile->file_count);
	if (status == 0)
		status = reader_rows(reader, TABLE_FILE, profile->file_count, file_row);
	for (size_t i = 0; i < profile->file_count; i++)
		profile->file[i].into = file_place(profile, profile->file[i].into);
	return status;
}

static int read_io(struct reader *reader)
{
	struct profile *profile = reader->profile;
	bool there = false;
	int status = has_table(reader, "io", &there);

	if (status < 0 || !there)
		return status;
	status = reader_count(reader, TABLE_IO, sizeof *profile->io, &profile->io,
		&profile->io_count);
	if (status == 0)
		status = reader_rows(reader, TABLE_IO, profile->io_count, io_row);
	return status;
}

static int io_thread_row(struct reader *reader, sqlite3_stmt *statement, size_t i)
{
	struct profile_io_thread *thread = &reader->profile->io_thread[i];
	uint64_t id = reader_number(statement, SCHEMA_IO_THREAD_ID);

	if (id < 1 || id > UINT32_MAX || (i > 0 && id <= thread[-1].id))
		return read_damaged(reader->source, reader->error, "thread id out of range");
	thread->id = (uint32_t)id;
	thread->java_id = sqlite3_column_int64(statement, SCHEMA_IO_THREAD_JAVA_ID);
	thread->os_id = sqlite3_column_int64(statement, SCHEMA_IO_THREAD_OS_ID);
	thread->name = reader_name(reader, statement, SCHEMA_IO_THREAD_NAME);
	return 0;
}

static int record_row(struct reader *reader, sqlite3_stmt *statement, size_t i)
{
	struct profile *profile = reader->profile;
	uint64_t op = reader_number(statement, SCHEMA_RECORD_OPERATION);

	if (op >= IO_OPS)
		return read_damaged(
			reader->source, reader->error, "a record of an unknown kind");
	profile->record[i] = (struct profile_record){
		.begin = reader_number(statement, SCHEMA_RECORD_BEGIN),
		.ns = reader_number(statement, SCHEMA_RECORD_NS),
		.thread = place_of(profile->io_thread, profile->io_thread_count,
			sizeof *profile->io_thread, reader_number(statement, SCHEMA_RECORD_THREAD)),
		.path = path_place(profile, reader_number(statement, SCHEMA_RECORD_PATH)),
		.file = file_place(profile, reader_number(statement, SCHEMA_RECORD_FILE)),
		.op = (enum io_op)op,
		.bytes = reader_number(statement, SCHEMA_RECORD_BYTES),
		.failed = reader_number(statement, SCHEMA_RECORD_FAILED) != 0,
	};
	return 0;
}

static int read_records(struct reader *reader)
{
	struct profile *profile = reader->profile;
	bool there = false;
	int status = has_table(reader, "record", &there);

	if (status < 0 || !there)
		return status;
	status = reader_count(reader, TABLE_IO_THREAD, sizeof *profile->io_thread,
		&profile->io_thread, &profile->io_thread_count);
	if (status == 0)
		status = reader_rows(
			reader, TABLE_IO_THREAD, profile->io_thread_count, io_thread_row);
	if (status == 0)
		status = reader_count(reader, TABLE_RECORD, sizeof *profile->record,
			&profile->record, &profile->record_count);
	if (status == 0)
		status = reader_rows(reader, TABLE_RECORD, profile->record_count, record_row);
	return status;
}

/* --- sequences --- */

static int sequence_row(struct reader *reader, sqlite3_stmt *statement, size_t i)
{
	struct profile_sequence *sequence = &reader->profile->sequence[i];
	unsigned metrics = reader->profile->metric_count;
	uint64_t *value = reader->owned->sequence_values + 2 * i * metrics;
	uint64_t code = reader_number(statement, SCHEMA_SEQUENCE_ID);

	if (code >= PROFILE_SEQUENCE_CODES || (i > 0 && code <= sequence[-1].code))
		return read_damaged(
			reader->source, reader->error, "sequence code out of range");
	reader_numbers(statement, SCHEMA_SEQUENCE_SUM, 2 * metrics, value);
	*sequence = (struct profile_sequence){.code = (uint32_t)code,
		.count = reader_number(statement, SCHEMA_SEQUENCE_COUNT),
		.sum = value,
		.min = value + metrics};
	return 0;
}

static int read_sequences(struct reader *reader)
{
	struct profile *profile = reader->profile;
	bool there = false;
	int status = has_table(reader, "sequence", &there);

	if (status < 0 || !there)
		return status;
	status = reader_count(reader, TABLE_SEQUENCE, sizeof *profile->sequence,
		&profile->sequence, &profile->sequence_count);
	if (status < 0)
		return status;
	reader->owned->sequence_values = calloc(
		2 * profile->sequence_count * profile->metric_count + 1, sizeof(uint64_t));
	if (!reader->owned->sequence_values)
		return reader_no_memory(reader);
	return reader_rows(
		reader, TABLE_SEQUENCE, profile->sequence_count, sequence_row);
}

/* --- the whole --- */

/* What has one state in the file, the last. */
static int read_names(struct reader *reader)
{
	/* Metrics first: the tables of threads and nodes have a column for each. */
	int status = read_metrics(reader);

	if (status == 0)
		status = read_meta(reader);
	if (status == 0)
		status = read_methods(reader);
	if (status == 0)
		status = read_files(reader);
	return status;
}

/* What snapshots have copies of: the state that the reader is set to. */
static int read_counts(struct reader *reader)
{
	int status = read_threads(reader);

	if (status == 0)
		status = read_nodes(reader);
	if (status == 0)
		status = read_io(reader);
	return status == 0 ? read_sequences(reader) : status;
}

/* The counts of a snapshot, which refer to the names of the other profile. Owned by the caller
 * (drop_earlier), NULL after a failure. */
static struct owned_profile *read_earlier(
	const struct reader *later, uint32_t snapshot, int *status)
{
	struct owned_profile *owned = calloc(1, sizeof *owned);
	struct reader reader = *later;

	reader.snapshot = snapshot;
	if (!owned) {
		*status = reader_no_memory(&reader);
		return NULL;
	}
	owned->profile = (struct profile){.method = later->profile->method,
		.metric_count = later->profile->metric_count,
		.method_count = later->profile->method_count,
		.file = later->profile->file,
		.file_count = later->profile->file_count};
	reader.owned = owned;
	reader.profile = &owned->profile;
	*status = read_counts(&reader);
	return owned;
}

static void drop_earlier(struct owned_profile *owned)
{
	if (!owned)
		return;
	owned->profile.method = NULL;
	owned->profile.file = NULL;
	profile_free(&owned->profile);
}

/* The counts of the interval. */
static int read_interval(struct reader *reader)
{
	struct profile *profile = reader->profile;
	const struct profile_snapshot *from = profile->interval.from,
				      *to = profile->interval.to;
	struct owned_profile *earlier;
	int status;

	reader->snapshot = to ? to->id : 0;
	status = read_counts(reader);
	if (status < 0 || !from)
		return status;
	earlier = read_earlier(reader, from->id, &status);
	if (status == 0 &&
		interval_subtract(profile, reader->owned->base, &earlier->profile) < 0)
		status = reader_no_memory(reader);
	if (status == 0)
		interval_subtract_sequences(
			profile, reader->owned->sequence_values, &earlier->profile);
	drop_earlier(earlier);
	return status;
}

static int read_all(struct reader *reader, const struct profile_wanted *wanted)
{
	int status = wanted->facts_alone ? read_meta(reader) : read_names(reader);

	if (wanted->facts_alone)
		return status;
	if (status == 0)
		status = markers_read(reader, wanted->marks);
	if (status == 0)
		status = markers_choose(reader->profile, reader->source->place.shown,
			wanted->interval, reader->error);
	if (status == 0)
		status = read_interval(reader);
	if (status == 0 && wanted->records)
		status = read_records(reader);
	if (status == 0)
		interval_cut_records(reader->profile);
	return status;
}

int profile_open_wanted(struct profile **out, const char *path,
	const struct profile_wanted *wanted, struct error *error)
{
	struct read_source source;
	struct reader reader = {.source = &source, .error = error};

	*out = NULL;
	int status = read_open(&source, path, error);
	if (status < 0)
		return status;
	reader.owned = calloc(1, sizeof *reader.owned);
	if (!reader.owned) {
		status = reader_no_memory(&reader);
	} else {
		reader.profile = &reader.owned->profile;
		status = read_all(&reader, wanted);
	}
	read_close(&source);
	if (status == 0)
		*out = reader.profile;
	else
		profile_free(reader.profile);
	return status;
}

int profile_open(struct profile **profile, const char *path, struct error *error)
{
	const struct profile_wanted wanted = {0};

	return profile_open_wanted(profile, path, &wanted, error);
}

int profile_open_records(struct profile **profile, const char *path, struct error *error)
{
	const struct profile_wanted wanted = {.records = true};

	return profile_open_wanted(profile, path, &wanted, error);
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
	free(profile->snapshot);
	free(profile->mark);
	free(profile->sequence);
	free(owned->sequence_values);
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

bool profile_is_unwritten(const struct profile *profile)
{
	return profile->thread_count == 0 &&
	       profile_meta_get(profile, "flushed_ns") == NULL;
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
