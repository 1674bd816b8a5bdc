/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/*
 * fuzz_profile: any bytes as a profile file, or any numbers in the tables of one.
 *
 * In:  first byte even: what follows is the file. Odd: what follows are changes to a good
 *      one, four bytes each: table and column, row, and how the number is made.
 */
#include <sqlite3.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "fixture.h"
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

static void change(sqlite3 *db, const uint8_t *bytes)
{
	static const char *const values[] = {"-1", "0", "1", "NULL", "4294967295",
		"4294967296", "9223372036854775807", "'text'", "x'00ff'", "%s + 1",
		"%s - 1", "%s << 32", "-%s", "%s * 3", "1e300", "zeroblob(1000)"};
	const struct schema_table *table = &schema_tables[bytes[0] % TABLE_COUNT];
	int column = bytes[1] % schema_columns(table, FIXTURE_METRICS);
	char name[32], value[64], sql[256];

	schema_column_name(table, FIXTURE_METRICS, column, name, sizeof name);
	snprintf(value, sizeof value, values[bytes[3] % 16], name);
	snprintf(sql, sizeof sql,
		"UPDATE OR REPLACE %s SET %s = %s WHERE rowid IN "
		"(SELECT rowid FROM %s LIMIT 1 OFFSET %d)",
		table->name, name, value, table->name, bytes[2] % 24);
	sqlite3_exec(db, sql, NULL, NULL, NULL);
}

static void make_changed(const uint8_t *bytes, size_t size)
{
	sqlite3 *db;

	fixture_snapshots(file(), 3, 8);
	if (sqlite3_open(file(), &db) != SQLITE_OK)
		abort();
	sqlite3_exec(db, "PRAGMA synchronous = OFF; BEGIN", NULL, NULL, NULL);
	for (size_t i = 0; i + 4 <= size && i < 64; i += 4)
		change(db, bytes + i);
	sqlite3_exec(db, "COMMIT", NULL, NULL, NULL);
	sqlite3_close(db);
}

volatile uint64_t fuzz_sink; /* so that nothing is optimised away */

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
			if (node->index && node->parent >= node->index)
				abort();
			sum += profile->node[first + node->parent].calls;
			sum += profile->method[node->method].id;
			for (unsigned m = 0; m < profile->metric_count; m++)
				sum += node->base[m];
		}
	}
	for (size_t i = 0; i < profile->io_count; i++)
		sum += profile->thread[profile_thread_find(profile, profile->io[i].thread)].id;
	return sum;
}

static void open_it(const char *interval)
{
	const struct profile_wanted wanted = {
		.records = true, .marks = true, .interval = interval};
	struct profile *profile;
	struct error error = {0};

	if (profile_open_wanted(&profile, file(), &wanted, &error) == 0)
		fuzz_sink = use(profile);
	else if (!error.text[0] || profile)
		abort();
	profile_free(profile);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
	if (size == 0)
		return 0;
	if (bytes[0] & 1)
		make_changed(bytes + 1, size - 1);
	else
		fixture_write_bytes(file(), bytes + 1, size - 1);
	open_it(NULL);
	open_it("..");
	open_it("a..b");
	open_it("b..");
	unlink(file());
	return 0;
}
