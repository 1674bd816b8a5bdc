/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/* fixture: see fixture.h. */
#include "fixture.h"

#include <ftw.h>
#include <limits.h>
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

const struct profile_metric fixture_metrics[FIXTURE_METRICS] = {
	{.name = "wall", .unit = "ns", .how = "time stamp"},
	{.name = "cpu", .unit = "ns", .how = "clock_gettime"},
	{.name = "odd \"name\"", .unit = "count", .how = "read()"},
};

static char directory[PATH_MAX];

/* Not by assertion: the fuzzer uses this file too. */
static void give_up(const char *what)
{
	perror(what);
	abort();
}

const char *fixture_directory(void)
{
	if (!directory[0]) {
		const char *parent = getenv("TMPDIR");
		snprintf(directory, sizeof directory, "%s/jprof-test-XXXXXX",
			parent ? parent : "/tmp");
		if (!mkdtemp(directory))
			give_up(directory);
	}
	return directory;
}

struct profile_writer *fixture_create(const char *path, unsigned metrics)
{
	struct profile_writer *writer = NULL;
	struct error error = {0};

	if (profile_create(&writer, path, fixture_metrics, metrics, NULL, &error) < 0)
		give_up(error.text);
	return writer;
}

static int remove_one(const char *path, const struct stat *status, int kind, struct FTW *ftw)
{
	return remove(path);
}

void fixture_clean(void)
{
	if (directory[0])
		nftw(directory, remove_one, 16, FTW_DEPTH | FTW_PHYS);
	directory[0] = '\0';
}

char *fixture_path(const char *name)
{
	static char paths[8][2 * PATH_MAX];
	static int next;
	char *path = paths[next++ % 8];

	snprintf(path, sizeof paths[0], "%s/%s", fixture_directory(), name);
	return path;
}

struct profile_node fixture_node(uint32_t thread, uint32_t index, uint64_t round)
{
	static uint64_t base[FIXTURE_METRICS], spent[FIXTURE_METRICS];
	uint64_t n = ((uint64_t)thread << 32) + index * 1000 + round;

	for (unsigned i = 0; i < FIXTURE_METRICS; i++) {
		base[i] = n * (i + 1);
		spent[i] = n / (i + 2) + round;
	}
	return (struct profile_node){
		.thread = thread,
		.id = index,
		.parent = index ? (index - 1) / 2 : 0,
		.method = index ? METHOD_FIRST + index % 8 : METHOD_ROOT,
		.recursion = index % 3 < index ? index % 3 : 0,
		.calls = n,
		.interpreted = 1 + round,
		.jitted = 2 + index,
		.native = 3 + thread,
		.transition = {{n + 1, n + 2}, {n + 3, n + 4}},
		.base = base,
		.spent = spent,
	};
}

static int put_methods(struct profile_writer *writer, struct error *error)
{
	int status = 0;

	for (uint32_t i = 0; i < 8 && status == 0; i++) {
		char name[16];
		snprintf(name, sizeof name, "m%u", i);
		struct profile_method method = {.id = METHOD_FIRST + i,
			.class_name = "com.acme.Foo$Bar",
			.name = name,
			.signature = "(I)I",
			.is_native = i == 3,
			.is_static = i == 4,
			.wanted = PROFILE_SESSIONS_ALL,
			.watched = PROFILE_SESSIONS_ALL};
		status = profile_put(writer, &method, error);
	}
	return status;
}

static int put_thread(struct profile_writer *writer, uint32_t id, uint32_t nodes,
	uint64_t round, struct error *error)
{
	struct profile_thread thread = {.id = id,
		.java_id = 100 + id,
		.os_id = 200 + id,
		.name = "worker",
		.is_virtual = id == 2,
		.alive = id == 1,
		.folded = id,
		.events = round,
		.unwound = 10,
		.repaired = 11,
		.unmatched = 12,
		.lost = 13,
		.pruned = 14,
		.mounts = id == 2 ? 100 + round : 0,
		.carrier_ns = id == 2 ? ((uint64_t)1 << 40) + 7 * round : 0,
		.waited_ns = id == 2 ? 500 + 11 * round : 0,
		.started = 15,
		.ended = id == 1 ? 0 : 16,
		.wanted = PROFILE_SESSIONS_ALL,
		.total = {17, 18, round}};
	int status = profile_put(writer, &thread, error);

	for (uint32_t i = 0; i < nodes && status == 0; i++) {
		struct profile_node node = fixture_node(id, i, round);
		status = profile_put(writer, &node, error);
	}
	return status;
}

int fixture_put(struct profile_writer *writer, uint32_t threads, uint32_t nodes, uint64_t round,
	struct error *error)
{
	int status = put_methods(writer, error);

	for (uint32_t id = 1; id <= threads && status == 0; id++)
		status = put_thread(writer, id, nodes, round, error);
	return status;
}

static int end_transaction(struct profile_writer *writer, int status, struct error *error)
{
	if (status == 0)
		return profile_commit(writer, error);
	profile_rollback(writer);
	return status;
}

int fixture_fill(struct profile_writer *writer, uint32_t threads, uint32_t nodes,
	uint64_t round, struct error *error)
{
	int status = profile_begin(writer, error);

	if (status == 0)
		status = fixture_put(writer, threads, nodes, round, error);
	return end_transaction(writer, status, error);
}

int fixture_keep(struct profile_writer *writer, uint32_t threads, uint32_t nodes,
	uint64_t round, const struct profile_snapshot *snapshot, struct error *error)
{
	const struct profile_mark mark = {
		.at = snapshot->at, .java_id = 1, .thread = "worker", .name = "kept"};
	int status = profile_begin(writer, error);

	if (status == 0)
		status = fixture_put(writer, threads, nodes, round, error);
	if (status == 0)
		status = profile_put(writer, &mark, error);
	if (status == 0)
		status = profile_put_snapshot(writer, snapshot, error);
	return end_transaction(writer, status, error);
}

void fixture_snapshots(const char *path, uint32_t threads, uint32_t nodes)
{
	static const struct profile_snapshot snapshots[] = {
		{1, "a", 10000000000, SNAPSHOT_NAMED, 0},
		{2, NULL, 20500000000, SNAPSHOT_RESET, 0},
		{3, "b", 30000000000, SNAPSHOT_NAMED, 0},
		{4, "reset2", 35000000000, SNAPSHOT_NAMED, 0},
		{5, NULL, 40000000000, SNAPSHOT_RESET, 0},
	};
	struct profile_writer *writer;
	struct error error = {0};
	int status =
		profile_create(&writer, path, fixture_metrics, FIXTURE_METRICS, NULL, &error);

	for (uint64_t i = 0; i < 5 && status == 0; i++)
		status = fixture_keep(
			writer, threads, nodes, i * (i + 1), &snapshots[i], &error);
	if (status < 0 || fixture_fill(writer, threads, nodes, 30, &error) < 0 ||
		profile_close(writer, &error) < 0)
		give_up(error.text);
}

int fixture_session(struct profile_writer *writer, uint32_t id, uint32_t bit, uint32_t snapshot,
	struct error *error)
{
	char name[16], options[48];
	const struct profile_session session = {.id = id,
		.bit = bit,
		.name = name,
		.owner = "alice",
		.began = snapshot ? 1000 : 0,
		.ended = PROFILE_NOT_KNOWN,
		.options = options,
		.snapshot = snapshot,
		.metrics = (1 << FIXTURE_METRICS) - 1};
	int status = profile_begin(writer, error);

	snprintf(name, sizeof name, "s%u", id);
	snprintf(options, sizeof options, "{\"name\":\"s%u\"}", id);
	if (status == 0)
		status = profile_put(writer, &session, error);
	return end_transaction(writer, status, error);
}

void fixture_profile(const char *path, uint32_t threads, uint32_t nodes)
{
	struct profile_writer *writer;
	struct error error = {0};

	if (profile_create(&writer, path, fixture_metrics, FIXTURE_METRICS, NULL, &error) < 0 ||
		fixture_fill(writer, threads, nodes, 0, &error) < 0 ||
		profile_close(writer, &error) < 0)
		give_up(error.text);
}

/* a: as read, b: as written. Ids of nodes are places here. */
static bool same_node(const struct profile *profile, const struct profile_node *a,
	const struct profile_node *b)
{
	return profile->thread[a->thread].id == b->thread && a->id == b->id &&
	       a->parent == profile->thread_first[a->thread] + b->parent &&
	       a->method == b->method && a->recursion == b->recursion && a->calls == b->calls &&
	       a->interpreted == b->interpreted && a->jitted == b->jitted &&
	       a->native == b->native &&
	       memcmp(a->transition, b->transition, sizeof a->transition) == 0 &&
	       memcmp(a->base, b->base, FIXTURE_METRICS * sizeof *a->base) == 0 &&
	       memcmp(a->spent, b->spent, FIXTURE_METRICS * sizeof *a->spent) == 0;
}

bool fixture_is_whole(
	const struct profile *profile, uint32_t threads, uint32_t nodes, uint64_t *round)
{
	if (profile->thread_count != threads || profile->node_count != (size_t)threads * nodes)
		return false;
	*round = threads ? profile->thread[0].events : 0;
	for (uint32_t t = 0; t < threads; t++) {
		if (profile->thread[t].events != *round ||
			profile->thread_first[t] != (size_t)t * nodes)
			return false;
		for (uint32_t i = 0; i < nodes; i++) {
			struct profile_node node = fixture_node(t + 1, i, *round);
			if (!same_node(profile, &profile->node[t * nodes + i], &node))
				return false;
		}
	}
	return true;
}

void fixture_sql(const char *path, const char *sql, char *answer, int size)
{
	sqlite3 *db = NULL;
	sqlite3_stmt *statement = NULL;

	if (answer)
		answer[0] = '\0';
	if (sqlite3_open_v2(path, &db, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE, NULL) !=
		SQLITE_OK)
		give_up(sqlite3_errmsg(db));
	while (sql && *sql) {
		if (sqlite3_prepare_v2(db, sql, -1, &statement, &sql) != SQLITE_OK)
			give_up(sqlite3_errmsg(db));
		int result = sqlite3_step(statement);
		if (result == SQLITE_ROW && answer && !answer[0])
			snprintf(answer, (size_t)size, "%s",
				(const char *)sqlite3_column_text(statement, 0));
		while (result == SQLITE_ROW)
			result = sqlite3_step(statement);
		if (result != SQLITE_DONE && result != SQLITE_OK && statement)
			give_up(sqlite3_errmsg(db));
		sqlite3_finalize(statement);
	}
	sqlite3_close(db);
}

void fixture_write_bytes(const char *path, const void *bytes, size_t size)
{
	FILE *file = fopen(path, "we");

	if (!file || fwrite(bytes, 1, size, file) != size || fclose(file) != 0)
		give_up(path);
}

bool fixture_exists(const char *path)
{
	struct stat status;

	return lstat(path, &status) == 0;
}

long fixture_size(const char *path)
{
	struct stat status;

	return stat(path, &status) == 0 ? (long)status.st_size : -1;
}
