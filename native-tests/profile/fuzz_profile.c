/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/*
 * fuzz_profile: any bytes as a profile file, or a good one with changes.
 *
 * In:  first byte 0 modulo 3: what follows is the file. 1: what follows are changes to numbers of
 *      a good one, four bytes each: table and column, row, and how the number is made. 2: what
 *      follows are changes to its pages, four bytes each: page, place within it (2), byte. A third of the
 *      byte says which interval is read, by which labels, and whose it is.
 *
 * The good one is made once, and changed in memory; the reader gets a file in /dev/shm.
 */
#include <sqlite3.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "fixture.h"
#include "native-tests/fuzz/text_mutator.h"
#include "profile/code_index.h"
#include "profile/schema.h"

static const char *file(void)
{
	static char *path;

	if (!path) {
		setenv("TMPDIR", "/dev/shm", 0);
		path = strdup(fixture_path("fuzz.jprof"));
		atexit(fixture_clean);
	}
	return path;
}

/* ---- the good one ---- */

/* As of a recording that was never shared, and as of three sessions of one that was. */
static const char *const shares[] = {NULL,
	/* Some methods are not wanted, one is counted; a thread is not wanted, nor is a metric. */
	"UPDATE method SET wanted = iif(id % 3 = 0, 1, 255), counted = iif(id % 4 = 0, 2, 0);"
	"UPDATE thread SET wanted = iif(id = 3, 1, 255); UPDATE session SET metrics = 5, "
	"conditions = 7, traces = 255, snapshot = NULL, began = 0;"
	"INSERT INTO meta VALUES('session', 1)",
	/* A scope; lines, but no stacks; tags of one key. */
	"UPDATE method SET scope = iif(id = 4, 255, 0); UPDATE parameter SET wanted = iif(id = "
	"3, 255, 1); UPDATE session SET conditions = 0, traces = 128, snapshot = 1, scoped = "
	"1, "
	"lines = 1, tag = NULL; INSERT INTO meta VALUES('session', 2)",
	/* What is done under a tag. */
	"UPDATE method SET counted = iif(id % 2 = 0, 255, 0); UPDATE session SET scoped = 0, "
	"snapshot = NULL, tag = '3=3', conditions = 2; INSERT INTO meta VALUES('session', 3)"};
enum { SHARES = sizeof shares / sizeof *shares };

static struct image {
	unsigned char *bytes;
	sqlite3_int64 size;
} good[SHARES];

static void run_sql(sqlite3 *db, const char *sql)
{
	char *why = NULL;

	if (sqlite3_exec(db, sql, NULL, NULL, &why) == SQLITE_OK)
		return;
	fprintf(stderr, "%s: %s\n", sql, why);
	abort();
}

/* Rows for the tables that the fixture leaves empty: row i has i in every column. */
static void fill_table(sqlite3 *db, const struct schema_table *table)
{
	int columns = schema_columns(table, FIXTURE_METRICS);

	for (int row = 1; row <= 3; row++) {
		sqlite3_str *sql = sqlite3_str_new(db);
		char *text;

		sqlite3_str_appendf(sql, "INSERT OR IGNORE INTO %s SELECT ", table->name);
		for (int i = 0; i < columns; i++)
			sqlite3_str_appendf(sql, "%s%d", i > 0 ? "," : "", row);
		sqlite3_str_appendf(
			sql, " WHERE (SELECT count(*) FROM %s) < %d", table->name, row);
		text = sqlite3_str_finish(sql);
		run_sql(db, text);
		sqlite3_free(text);
	}
}

/* What it is read with: the file is as good as that, with each. */
static const char *const intervals[] = {
	NULL, "..", "a..b", "b..", "@0..@1s", "@0.00000001s..@0.00000002s"};
enum { INTERVALS = sizeof intervals / sizeof *intervals, SNAPSHOT_INTERVALS = 4 };

/* And by labels: all, tags, values. */
enum { CHOICES = 3 };

static struct profile *open_it(const char *interval, unsigned choice, struct error *error)
{
	static char *tag = "3=3", *value = "1";
	const struct label_choice labels[CHOICES] = {{.tags = {.count = 0}},
		{.tags = {.pattern = &tag, .count = 1}},
		{.values = {.pattern = &value, .count = 1}}};
	const struct profile_wanted everything = {.records = true,
		.events = true,
		.code = true,
		.machine_code = true,
		.marks = true,
		.thread_states = true,
		.classes = true,
		.collections = true,
		.compilations = true,
		.slice_use = true,
		.interval = interval,
		.labels = &labels[choice]};
	struct profile *profile;
	int status = profile_open_wanted(&profile, file(), &everything, error);

	if ((status == 0) != (profile != NULL) || (status < 0 && !error->text[0]))
		abort();
	return profile;
}

static void check_good(int share)
{
	/* All slices are of before the begin of one of them. */
	for (int i = 0; i < (share == 2 ? SNAPSHOT_INTERVALS : INTERVALS); i++) {
		struct error error = {0};
		struct profile *profile = open_it(intervals[i], 0, &error);

		if (!profile || (i < 2 && share == 0 && !profile->labelled)) {
			fprintf(stderr, "the good one, %s, %d: %s\n",
				intervals[i] ? intervals[i] : "all", share, error.text);
			abort();
		}
		profile_free(profile);
	}
}

static void make_good(void)
{
	sqlite3 *db;

	fixture_snapshots(file(), 3, 8);
	if (sqlite3_open(file(), &db) != SQLITE_OK)
		abort();
	for (int i = 0; i < TABLE_COUNT; i++)
		fill_table(db, &schema_tables[i]);
	/* Their ids say whose they are, words are words (profile/schema.c). */
	run_sql(db, "UPDATE file SET kind = 'file', known_from = 'open', group_id = NULL, "
		    "opened_in = 1 << 32 | id");
	run_sql(db, "UPDATE condition SET id = id - 1");
	run_sql(db, "UPDATE trace_period SET trace = 'locks'");
	run_sql(db, "UPDATE collection SET kind = 'pause'");
	run_sql(db, "UPDATE deoptimization SET kind = 'trap'");
	/* A holder that is not known, one at its thread's root, one that is known. */
	run_sql(db, "UPDATE contention SET kind = 'block', node = 1 << 32 | id, "
		    "holder = iif(id = 1, NULL, 2 << 32 | id - 2)");
	run_sql(db, "UPDATE long_wait SET kind = 'park', node = 1 << 32 | id, "
		    "holder = iif(id = 1, NULL, 2 << 32 | id - 2)");
	/* No frames, an entry, an exit. */
	run_sql(db, "UPDATE event_block SET count = 2, bytes = x'0000090300'");
	/* Below roots, and in one thread below a node that was called. */
	run_sql(db,
		"INSERT INTO node SELECT id + 2147483648, id - 1, thread, method, "
		"0, 0, 0, 0, 0, 0, 0, 0, 0, 1, NULL, NULL, NULL, 0, 0, 0, 0, 0, 0 FROM node "
		"WHERE id & 4294967295 = 1");
	run_sql(db, "INSERT INTO node SELECT id + 1, iif(thread = 2, id, id - 2147483648), "
		    "thread, method + 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, NULL, NULL, NULL, 0, 0, "
		    "0, 0, 0, 0 "
		    "FROM node WHERE sampled");
	/* A call site, and what is called from there. */
	run_sql(db,
		"INSERT INTO node SELECT id + 8, id, thread, method, 0, 0, 0, 0, 0, 0, 0, 0, "
		"0, 1, 17, NULL, NULL, 0, 0, 0, 0, 0, 0 FROM node WHERE id & 4294967295 = "
		"2147483650");
	run_sql(db,
		"INSERT INTO node SELECT id + 1, id, thread, method, 0, 0, 0, 0, 0, 0, 0, 0, "
		"0, 1, NULL, NULL, NULL, 0, 0, 0, 0, 0, 0 FROM node WHERE line = 17");
	/* Calls that had a value, under tags that come and go; and what was called from there. */
	run_sql(db, "UPDATE parameter SET tag = (id = 3)");
	run_sql(db, "UPDATE value SET others = (id = 2)");
	run_sql(db, "UPDATE tag SET tags = id + 1, value = 3");
	run_sql(db,
		"INSERT INTO node SELECT id + 2, id, thread, method, 1, 3, 3, 0, 0, 0, 0, 0, "
		"0, "
		"0, NULL, 1, NULL, 50, 60, 70, 1, 1, 1 FROM node WHERE id & 4294967295 = 7");
	run_sql(db, "INSERT INTO node SELECT id + 2, id, thread, method, 1, 0, 0, 0, 0, 0, 0, "
		    "0, 0, "
		    "0, NULL, NULL, 2, 5, 6, 7, 1, 1, 1 FROM node WHERE id & 4294967295 = 9");
	run_sql(db,
		"INSERT INTO node SELECT id + 2, id, thread, 2, 0, 4, 4, 0, 0, 0, 4, 0, 0, "
		"0, NULL, NULL, NULL, 8, 9, 10, 1, 1, 1 FROM node WHERE id & 4294967295 = 11");
	run_sql(db, "INSERT INTO node SELECT id + 2, id, thread, 2, 1, 0, 0, 0, 0, 0, 0, 0, 0, "
		    "0, NULL, NULL, 1, 1, 1, 1, 0, 0, 0 FROM node WHERE id & 4294967295 = 13");
	run_sql(db, "UPDATE thread SET group_id = iif(id = 3, 2, NULL)");
	run_sql(db, "UPDATE snapshot_thread SET group_id = iif(id = 3, 2, NULL)");
	run_sql(db, "UPDATE record SET node = 1 << 32 | node");
	run_sql(db, "UPDATE account SET kind = 'read', id = thread << 32 | id, node = thread "
		    "<< 32");
	run_sql(db, "UPDATE snapshot_account SET kind = 'read', id = 1 << 32 | id, thread = 1, "
		    "node = 1 << 32");
	run_sql(db, "INSERT INTO account SELECT id + 1000, thread, id, 1 + 16 * 2 + 256 * 9, "
		    "'sample', 3, 0, 4, 0 FROM node WHERE sampled");
	run_sql(db, "INSERT INTO snapshot_account SELECT 3, id << 32, id, id << 32, "
		    "1 + 16 * 2 + 256 * 9, 'sample', 1, 0, 1, 0 FROM thread");
	/* Three buckets, those of the snapshots in part; a method that called another one. */
	run_sql(db, "UPDATE distribution SET id = thread << 32 | id, figure = 'elapsed', "
		    "buckets = iif(id = 3, NULL, x'05010203810102')");
	run_sql(db, "UPDATE snapshot_distribution SET id = thread << 32 | id, "
		    "figure = 'elapsed', buckets = iif(id = 3, NULL, x'07028101017f01')");
	run_sql(db, "UPDATE slow_call SET tree = iif(id = 3, NULL, x'0002010a000103020501')");
	run_sql(db, "UPDATE contention SET kind = 'block'");
	run_sql(db, "UPDATE snapshot_contention SET kind = 'block', node = 1 << 32");
	run_sql(db, "UPDATE long_wait SET kind = 'block'");
	run_sql(db, "UPDATE unfinished_wait SET kind = 'park', node = 1 << 32, holder = NULL");
	/* Three slices, the second of what is in none of the others. */
	run_sql(db, "UPDATE slice SET began = 10 * (id - 1), ended = 10 * id");
	run_sql(db, "UPDATE slice_node SET id = 1 << 32 | id");
	run_sql(db, "UPDATE slice_account SET kind = iif(slice = 2, 'sample', 'read'), "
		    "node = slice << 32, subject = iif(slice = 2, 33, subject)");
	/* A frame at line 1 and method 2, and two places. */
	run_sql(db, "UPDATE code SET size = 100, method = 3, places = x'010102041002110202'");
	run_sql(db, "UPDATE machine_code SET bytes = x'90c3'");
	run_sql(db, "PRAGMA journal_mode = DELETE");
	for (int i = 0; i < SHARES; i++) {
		run_sql(db, "BEGIN");
		if (shares[i])
			run_sql(db, shares[i]);
		run_sql(db, "COMMIT");
		good[i].bytes = sqlite3_serialize(db, "main", &good[i].size, 0);
		if (!good[i].bytes)
			abort();
		run_sql(db, "DELETE FROM meta WHERE key = 'session'");
	}
	sqlite3_close(db);
	for (int i = 0; i < SHARES; i++) {
		fixture_write_bytes(file(), good[i].bytes, (size_t)good[i].size);
		check_good(i);
	}
}

/* ---- changes to it ---- */

static void change(sqlite3 *db, const uint8_t *bytes)
{
	static const char *const values[] = {"-1", "0", "1", "NULL", "4294967295", "4294967296",
		"9223372036854775807", "'text'", "x'00ff'", "%s + 1", "%s - 1", "%s << 32",
		"-%s", "%s * 3", "1e300", "zeroblob(1000)"};
	const struct schema_table *table = &schema_tables[bytes[0] % TABLE_COUNT];
	int column = bytes[1] % schema_columns(table, FIXTURE_METRICS);
	char name[32], value[64], sql[256];

	schema_column_name(table, FIXTURE_METRICS, column, name, sizeof name);
	snprintf(value, sizeof value, values[bytes[3] % 16], name);
	if (bytes[3] >= 240)
		snprintf(sql, sizeof sql, "DROP TABLE %s", table->name);
	else if (bytes[3] >= 224)
		snprintf(sql, sizeof sql, "ALTER TABLE %s DROP COLUMN %s", table->name, name);
	else if (bytes[3] >= 208)
		snprintf(sql, sizeof sql, "DELETE FROM %s WHERE rowid %% 4 = %d", table->name,
			bytes[2] % 4);
	else
		snprintf(sql, sizeof sql,
			"UPDATE OR REPLACE %s SET %s = %s WHERE rowid IN "
			"(SELECT rowid FROM %s LIMIT 1 OFFSET %d)",
			table->name, name, value, table->name, bytes[2] % 24);
	if (table->added && bytes[3] < 208)
		snprintf(sql, sizeof sql, "UPDATE OR REPLACE %s SET %s = %s WHERE slice = %d",
			table->name, name, value, 1 + bytes[2] % 3);
	if (table->copy && bytes[3] < 208)
		snprintf(sql, sizeof sql,
			"UPDATE OR REPLACE %s SET %s = %s WHERE id & 4294967295 = %d",
			table->name, name, value, bytes[2] % 24);
	sqlite3_exec(db, sql, NULL, NULL, NULL);
}

static void write_changed(const struct image *image, const uint8_t *bytes, size_t size)
{
	unsigned char *copy = sqlite3_malloc64((sqlite3_uint64)image->size), *changed;
	sqlite3_int64 changed_size;
	sqlite3 *db;

	if (!copy || sqlite3_open(":memory:", &db) != SQLITE_OK)
		abort();
	memcpy(copy, image->bytes, (size_t)image->size);
	if (sqlite3_deserialize(db, "main", copy, image->size, image->size,
		    SQLITE_DESERIALIZE_FREEONCLOSE | SQLITE_DESERIALIZE_RESIZEABLE) !=
		SQLITE_OK)
		abort();
	for (size_t i = 0; i + 4 <= size && i < 64; i += 4)
		change(db, bytes + i);
	changed = sqlite3_serialize(db, "main", &changed_size, 0);
	if (changed)
		fixture_write_bytes(file(), changed, (size_t)changed_size);
	sqlite3_free(changed);
	sqlite3_close(db);
}

static void write_scribbled(const struct image *image, const uint8_t *bytes, size_t size)
{
	enum { PAGE = 4096 };
	unsigned char *copy = malloc((size_t)image->size);

	if (!copy)
		abort();
	memcpy(copy, image->bytes, (size_t)image->size);
	for (size_t i = 0; i + 4 <= size && i < 256; i += 4) {
		size_t page = bytes[i] % (size_t)(image->size / PAGE);

		copy[page * PAGE + (bytes[i + 1] << 8 | bytes[i + 2]) % PAGE] = bytes[i + 3];
	}
	fixture_write_bytes(file(), copy, (size_t)image->size);
	free(copy);
}

/* ---- the reader ---- */

volatile uint64_t fuzz_sink; /* so that nothing is optimised away */

static uint64_t use_events(const struct profile *profile, size_t block)
{
	uint64_t sum = strlen(profile->event_thread[profile->event_block[block].thread].name);
	struct profile_bytes bytes;
	struct error error = {0};
	int status = profile_events(profile, block, &bytes, &error);

	if (status < 0 && !error.text[0])
		abort();
	for (size_t i = 0; status == 0 && i < bytes.size; i++)
		sum += bytes.bytes[i];
	return sum;
}

static uint64_t use_watched(const struct profile *profile)
{
	uint64_t sum = 0;

	for (size_t i = 0; i < profile->distribution_count; i++) {
		const struct profile_distribution *row = &profile->distribution[i];

		sum += profile->thread[row->thread].id + profile->method[row->method].id +
		       histogram_percentile(&row->histogram, 0.99);
	}
	for (size_t i = 0; i < profile->slow_call_count; i++) {
		const struct profile_slow_call *call = &profile->slow_call[i];

		if (call->thread > profile->thread_count)
			abort();
		for (size_t n = 0; n < call->nodes; n++) {
			if (n > 0 && call->tree[n].parent >= n)
				abort();
			sum += profile->method[call->tree[n].method].id;
		}
	}
	return sum;
}

static uint64_t length(const char *text)
{
	return text ? strlen(text) : 0;
}

static uint64_t use_waits(const struct profile *profile)
{
	uint64_t sum = 0;

	for (size_t i = 0; i < profile->lock_count; i++)
		sum += strlen(profile->lock[i].class_name);
	for (size_t i = 0; i < profile->contention_count; i++) {
		const struct profile_contention *row = &profile->contention[i];

		if (row->node > profile->path_count || row->holder > profile->path_count ||
			row->lock > profile->lock_count)
			abort();
		sum += row->ns;
	}
	for (size_t i = 0; i < profile->long_wait_count; i++) {
		const struct profile_wait *row = &profile->long_wait[i];

		if (row->node > profile->path_count || row->holder > profile->path_count ||
			row->lock > profile->lock_count)
			abort();
		sum += row->ns;
	}
	return sum;
}

static uint64_t use_traces(const struct profile *profile)
{
	uint64_t sum = 0;

	for (size_t i = 0; i < profile->collection_count; i++)
		sum += strlen(profile->collection[i].name) +
		       length(profile->collection[i].cause);
	for (size_t i = 0; i < profile->safepoint_count; i++)
		sum += strlen(profile->safepoint[i].operation);
	for (size_t i = 0; i < profile->compilation_count; i++)
		sum += strlen(profile->compilation[i].name) +
		       length(profile->compilation[i].failed);
	for (size_t i = 0; i < profile->deoptimization_count; i++)
		sum += strlen(profile->deoptimization[i].name) +
		       length(profile->deoptimization[i].reason);
	for (size_t i = 0; i < profile->thread_state_count; i++)
		sum += strlen(profile->thread_state[i].name);
	for (size_t i = 0; i < profile->class_count; i++)
		sum += profile->method[profile->class[i].name].id;
	for (size_t i = 0; i < profile->class_loader_count; i++)
		sum += strlen(profile->class_loader[i].class_name) +
		       length(profile->class_loader[i].name);
	return sum;
}

static uint64_t use_labels(const struct profile *profile)
{
	const struct profile *labelled = profile->labelled;
	uint64_t sum = 0;

	for (size_t i = 0; i < profile->parameter_count; i++)
		sum += strlen(profile->parameter[i].name);
	for (size_t i = 0; i < profile->value_count; i++)
		sum += length(profile->value[i].text);
	for (size_t i = 0; labelled && i < labelled->node_count; i++) {
		const struct profile_node *node = &labelled->node[i];

		if (profile->labelled_place[i] >= profile->node_count || node->parent > i ||
			profile_tags_find(labelled, node->tags) > labelled->tag_count)
			abort();
		sum += node->calls + node->base[0];
	}
	return sum;
}

/* Everything a reader may index without asking. */
static uint64_t use(const struct profile *profile)
{
	uint64_t sum = 0;

	for (size_t i = 0; i < profile->meta_count; i++)
		sum += strlen(profile->meta[i].key) + strlen(profile->meta[i].value);
	for (unsigned i = 0; i < profile->metric_count; i++)
		sum += strlen(profile->metric[i].name);
	for (size_t t = 0; t < profile->thread_count; t++) {
		size_t first = profile->thread_first[t];
		sum += strlen(profile->thread[t].name);
		for (size_t i = first; i < profile->thread_first[t + 1]; i++) {
			const struct profile_node *node = &profile->node[i];
			if (node->thread != t || node->parent < first ||
				(node->id ? node->parent >= i : node->parent != i))
				abort();
			sum += profile->node[node->parent].calls;
			sum += profile->method[node->method].id;
			for (unsigned m = 0; m < profile->metric_count; m++)
				sum += node->base[m];
		}
	}
	for (size_t i = 0; i < profile->code_count; i++) {
		const struct profile_code *code = &profile->code[i];
		struct code_position stack[8];

		for (uint64_t at = 0; at < code->size && at < 40; at += 7)
			for (unsigned j = code_index_stack(code, code->address + at, stack, 8);
				j-- > 0;)
				sum += profile->method[stack[j].method].id;
	}
	for (size_t i = 0; i < profile->machine_code_count; i++)
		for (size_t j = 0; j < profile->machine_code[i].bytes.size; j++)
			sum += profile->machine_code[i].bytes.bytes[j];
	for (size_t i = 0; i < profile->event_block_count; i++)
		sum += use_events(profile, i);
	for (size_t i = 0; i < profile->account_count; i++)
		sum += profile->node[profile->account[i].node].calls;
	for (size_t i = 0; i < profile->slice_use_count; i++)
		sum += profile->slice[profile->slice_use[i].slice].began +
		       profile->slice_use[i].calls;
	return sum + use_watched(profile) + use_waits(profile) + use_traces(profile) +
	       use_labels(profile);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
	struct profile *profile;
	struct error error = {0};
	const struct image *image;
	unsigned way;

	if (size == 0)
		return 0;
	if (!good[0].bytes)
		make_good();
	way = bytes[0] / 3;
	image = &good[way / INTERVALS / CHOICES % SHARES];
	if (bytes[0] % 3 == 0)
		fixture_write_bytes(file(), bytes + 1, size - 1);
	else if (bytes[0] % 3 == 1)
		write_changed(image, bytes + 1, size - 1);
	else
		write_scribbled(image, bytes + 1, size - 1);
	profile = open_it(intervals[way % INTERVALS], way / INTERVALS % CHOICES, &error);
	if (profile)
		fuzz_sink = use(profile);
	profile_free(profile);
	unlink(file());
	return 0;
}

/* ---- mutations ---- */

/* Of changes: small ones stay small, or most of what is tried is a file that is none. */
size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max_size, unsigned int seed)
{
	enum { CHANGES_MAX = 1 + 64 };

	if (size == 0 || (seed % 8 == 0 && data[0] % 3 == 0) || max_size < CHANGES_MAX)
		return LLVMFuzzerMutate(data, size, max_size);
	if (data[0] % 3 == 0 && seed % 2 == 0) {
		/* The magic number and the tables' names stay mostly. */
		size_t at = 100 + (seed >> 3) % size;

		if (at < size)
			data[at] = (uint8_t)(seed >> 16);
		return size;
	}
	if (size > CHANGES_MAX)
		size = CHANGES_MAX;
	size = 1 + LLVMFuzzerMutate(data + 1, size - 1, CHANGES_MAX - 1);
	data[0] = (uint8_t)(3 * (seed / 2 % (INTERVALS * CHOICES * SHARES)) + 1 + seed % 2);
	return size;
}
