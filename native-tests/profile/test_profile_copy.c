/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/* The files of sessions that share a recording: what they have, whose they are, and what stays when they cannot be made. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>
#include <limits.h>
#include <signal.h>
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "fixture.h"
#include "profile/profile_copy.h"

static const struct profile_share first = {.session = 1}, second = {.session = 2};

static int clean(void **state)
{
	fixture_clean();
	return 0;
}

static struct profile_copy *create_copy(const char *path)
{
	struct profile_copy *copy = NULL;
	struct error error = {0};

	profile_copy_create(&copy, path, NULL, &error);
	assert_string_equal(error.text, "");
	return copy;
}

/* Two sessions and so many nodes; the second one has the bit 3. */
static struct profile_writer *create_shared(const char *path, uint32_t nodes, uint64_t round)
{
	struct profile_writer *writer = fixture_create(path, FIXTURE_METRICS);
	struct error error = {0};

	fixture_session(writer, 1, 0, 0, &error);
	fixture_session(writer, 2, 3, 0, &error);
	fixture_fill(writer, 2, nodes, round, &error);
	assert_string_equal(error.text, "");
	return writer;
}

static void refresh(struct profile_copy *copy, struct profile_writer *writer)
{
	struct error error = {0};

	profile_copy_refresh(copy, writer, &second, &error);
	assert_string_equal(error.text, "");
}

static void close_writer(struct profile_writer *writer)
{
	struct error error = {0};

	profile_close(writer, &error);
	assert_string_equal(error.text, "");
}

static void assert_answer(int line, const char *path, const char *sql, const char *expected)
{
	char answer[128];

	fixture_sql(path, sql, answer, sizeof answer);
	if (strcmp(answer, expected) != 0)
		fail_msg("line %d: %s gives '%s', not '%s'", line, sql, answer, expected);
}

/* Whole, of that round and that session, and nothing is beside it. */
static void assert_file(const char *path, uint32_t nodes, uint64_t round, const char *session)
{
	struct profile *profile = NULL;
	struct error error = {0};
	char beside[2 * PATH_MAX];
	uint64_t found = 0;

	profile_open(&profile, path, &error);
	assert_string_equal(error.text, "");
	assert_true(fixture_is_whole(profile, 2, nodes, &found));
	assert_int_equal(found, round);
	if (session)
		assert_string_equal(profile_meta_get(profile, "session"), session);
	profile_free(profile);
	snprintf(beside, sizeof beside, "%.*s.%s-copy", (int)(strrchr(path, '/') + 1 - path),
		path, strrchr(path, '/') + 1);
	assert_false(fixture_exists(beside));
	assert_answer(__LINE__, path, "PRAGMA integrity_check", "ok");
}

static bool is_taken(const char *path)
{
	struct profile_copy *copy = NULL;
	struct error error = {0};
	int status = profile_copy_create(&copy, path, NULL, &error);

	profile_copy_close(copy);
	assert_true(status == 0 || status == -ERROR_BUSY);
	return status != 0;
}

/* ---- what is in a session's file ---- */

#define PUT(...)                                                                               \
	do {                                                                                   \
		profile_put(writer, (&(__VA_ARGS__)), error);                                  \
		assert_string_equal(error->text, "");                                          \
	} while (0)

/* Of each table what the second session wants, "kept", and what it does not, "secret". */
static void put_names(struct profile_writer *writer, struct error *error)
{
	PUT((struct profile_session){1, 0, "secret s", "secret o", 0, PROFILE_NOT_KNOWN,
		"secret {}", 0, 7, 1, 0xff, true, false, "secret=x", true, true, true, false});
	/* Traces: gc and events. */
	PUT((struct profile_session){2, 3, "kept s", "kept o", 1000, PROFILE_NOT_KNOWN,
		"kept {}", 2, 1, 2, 1 << TRACE_GC | 1 << TRACE_EVENTS, false, false, NULL, true,
		true, false, false});
	for (uint32_t i = 0; i < 2; i++) {
		bool kept = i == 1;
		const char *text = kept ? "kept" : "secret";
		uint32_t bits = kept ? 9 : 1;

		PUT((struct profile_method){.id = 2 + i,
			.class_name = "C",
			.name = "m",
			.wanted = bits,
			.watched = bits});
		PUT((struct profile_thread){
			.id = 1 + i, .name = text, .folded = 1, .wanted = bits});
		PUT((struct profile_parameter){1 + i, "p", !kept, bits});
		PUT((struct profile_value){1 + i, 1 + i, text, false});
		PUT((struct profile_tag){1 + i, 2 + i, 1 + i});
	}
	/* A third thread was folded into the first one, a fourth into that. */
	PUT((struct profile_forward){3, 0, 1, 0});
	PUT((struct profile_forward){4, 0, 3, 0});
}

static void put_counts(struct profile_writer *writer, struct error *error)
{
	static const uint64_t base[2 * FIXTURE_METRICS];

	for (uint32_t i = 0; i < 2; i++) {
		uint32_t thread = 1 + i;

		PUT((struct profile_node){.thread = thread, .base = base});
		PUT((struct profile_node){.thread = thread,
			.id = 1,
			.method = 2,
			.calls = 5,
			.jitted = 5,
			.base = base});
		PUT((struct profile_node){.thread = thread,
			.id = 2,
			.parent = 1,
			.method = 2,
			.value = 1,
			.base = base});
		PUT((struct profile_account){thread, 1, 1, 0, IO_READ, 1, 0, 7, 0});
		PUT((struct profile_account){thread, 2, 1, 2, OBJECTS_ALLOCATED, 1, 0, 7, 0});
		PUT((struct profile_account){thread, 3, 1, 0, PAUSES, 1, 0, 0, 7});
		PUT((struct profile_account){
			thread, 4, 1, sample_place(0, 0, 0), SAMPLES, 1, 0, 1, 0});
		PUT((struct profile_account){
			thread, 5, 1, sample_place(1, 0, 0), SAMPLES, 1, 0, 1, 0});
		PUT((struct profile_distribution){
			.thread = thread, .id = 1, .method = 2, .count = 1});
		PUT((struct profile_distribution){
			.thread = thread, .id = 2, .method = 3, .count = 1});
		PUT((struct profile_slow_call){
			.id = 1 + 2 * i, .method = 2, .thread = thread, .began = 2000});
		PUT((struct profile_slow_call){
			.id = 2 + 2 * i, .method = 3, .thread = thread, .began = 2000});
	}
}

static void put_events(struct profile_writer *writer, struct error *error)
{
	/* Whose work is not known; of a thread that it does not want, of one that was folded into it, of one that it wants. */
	static const uint64_t node[] = {0, 1ull << 32 | 1, 4ull << 32 | 9, 2ull << 32 | 1};

	PUT((struct profile_record_thread){1, 1, 1, "kept r"});
	for (uint32_t i = 0; i < 4; i++) {
		PUT((struct profile_record){500, 1, 1, node[i], 0, IO_READ, 1, false});
		PUT((struct profile_record){1500, 1, 1, node[i], 0, IO_READ, 1, false});
	}
	PUT((struct profile_lock){1, "secret lock", 1});
	PUT((struct profile_contention){.id = 1, .node = node[3], .lock = 1, .count = 1});
	PUT((struct profile_collection){.id = 1, .name = "kept gc"});
	PUT((struct profile_safepoint){.id = 1, .operation = "kept safepoint"});
	PUT((struct profile_compilation){.id = 1, .class_name = "secret jit", .name = ""});
	PUT((struct profile_class_loader){.id = 1, .class_name = "secret loader"});
	PUT((struct profile_thread_state){.id = 1, .name = "secret state"});
	PUT((struct profile_trace_period){1, TRACE_GC, 0, 5000});
	PUT((struct profile_trace_period){2, TRACE_LOCKS, 0, 5000});
	PUT((struct profile_event_thread){.id = 1, .row = 2, .name = "kept e"});
	/* Of a thread that it does not want, and of one that was folded into it. */
	for (uint32_t i = 0; i < 2; i++) {
		PUT((struct profile_event_thread){
			.id = 2 + i, .row = i ? 4 : 1, .name = "secret e"});
		PUT((struct profile_event_block){.id = 3 + i,
			.thread = 2 + i,
			.number = 1,
			.last = 1100,
			.bytes = {(const uint8_t *)"secret", 6}});
	}
	PUT((struct profile_event_block){.id = 1,
		.thread = 1,
		.number = 1,
		.last = 900,
		.bytes = {(const uint8_t *)"secret", 6}});
	PUT((struct profile_event_block){.id = 2,
		.thread = 1,
		.number = 2,
		.last = 1100,
		.bytes = {(const uint8_t *)"kept", 4}});
	PUT((struct profile_mark){500, 1, "kept", "secret mark"});
	PUT((struct profile_mark){1500, 1, "kept", "kept mark"});
	PUT((struct profile_code){.id = 1, .name = "kept code", .size = 6});
	PUT((struct profile_machine_code){.id = 1, .bytes = {(const uint8_t *)"secret", 6}});
}

static void snapshot(struct profile_writer *writer, uint32_t id, const char *label,
	enum profile_snapshot_kind kind, uint32_t session, struct error *error)
{
	const struct profile_snapshot row = {id, label, 500 * id, kind, session};

	profile_begin_slice(writer, row.at, error);
	put_counts(writer, error);
	profile_end_slice(writer, error);
	profile_put_snapshot(writer, &row, error);
	assert_string_equal(error->text, "");
}

static void put_all(struct profile_writer *writer)
{
	struct error local = {0}, *error = &local;

	profile_keep_slices(writer, 1, error);
	profile_begin(writer, error);
	put_names(writer, error);
	put_events(writer, error);
	profile_put_meta(writer, "options", "secret {}", error);
	profile_put_meta(writer, "matches", "secret", error);
	profile_put_meta(writer, "started", "kept", error);
	snapshot(writer, 1, "secret early", SNAPSHOT_NAMED, 0, error);
	snapshot(writer, 2, NULL, SNAPSHOT_SESSION, 2, error);
	snapshot(writer, 3, "secret other", SNAPSHOT_NAMED, 1, error);
	snapshot(writer, 4, "kept all", SNAPSHOT_NAMED, 0, error);
	snapshot(writer, 5, "kept own", SNAPSHOT_NAMED, 2, error);
	profile_commit(writer, error);
	assert_string_equal(local.text, "");
}

static const struct question {
	int line;
	const char *sql, *answer;
} questions[] = {
	{__LINE__,
		"SELECT group_concat(key || '=' || value) FROM (SELECT * FROM meta ORDER BY 1)",
		"mine=5,options=kept {},session=2,started=kept"},
	{__LINE__, "SELECT group_concat(id || name || owner || bit) FROM session",
		"10,2kept skept o3"},
	{__LINE__, "SELECT group_concat(id || kind) FROM snapshot",
		"2session,4snapshot,5snapshot"},
	{__LINE__, "SELECT group_concat(DISTINCT snapshot || '.' || thread) FROM snapshot_node",
		"2.2,4.2,5.2"},
	{__LINE__, "SELECT count(*) FROM snapshot_thread", "3"},
	{__LINE__, "SELECT count(*) FROM snapshot_account", "9"},
	{__LINE__, "SELECT count(*) FROM snapshot_distribution", "3"},
	{__LINE__, "SELECT group_concat(began || '-' || ended) FROM slice",
		"1000-1500,1500-2000,2000-2500"},
	{__LINE__,
		"SELECT count(*) FROM slice_account s LEFT JOIN slice ON slice.id = s.slice "
		"WHERE slice.id IS NULL OR node >> 32 = 1",
		"0"},
	{__LINE__, "SELECT group_concat(name) FROM thread", "kept"},
	{__LINE__, "SELECT group_concat(id) FROM method", "0,1,2,3"},
	{__LINE__, "SELECT group_concat(id & 4294967295) FROM node WHERE thread = 2", "0,1,2"},
	{__LINE__, "SELECT count(*) FROM node", "3"},
	{__LINE__, "SELECT count(*) FROM forward", "2"},
	{__LINE__, "SELECT group_concat(kind || thread) FROM account", "read2,gc2,sample2"},
	{__LINE__, "SELECT subject FROM account WHERE kind = 'sample'", "1"},
	{__LINE__, "SELECT group_concat(id || coalesce(text, '-')) FROM value", "1-,2kept"},
	{__LINE__, "SELECT count(*) FROM tag", "2"},
	{__LINE__, "SELECT group_concat(begin || '.' || (node >> 32)) FROM record",
		"1500.0,1500.2"},
	{__LINE__, "SELECT count(*) FROM record_thread", "1"},
	{__LINE__, "SELECT count(*) FROM lock", "0"},
	{__LINE__, "SELECT count(*) FROM contention", "0"},
	{__LINE__, "SELECT count(*) FROM collection", "1"},
	{__LINE__, "SELECT count(*) FROM safepoint", "1"},
	{__LINE__, "SELECT count(*) FROM compilation", "0"},
	{__LINE__, "SELECT group_concat(trace) FROM trace_period", "gc"},
	{__LINE__, "SELECT group_concat(id) FROM event_thread", "1"},
	{__LINE__, "SELECT group_concat(id) FROM event_block", "2"},
	{__LINE__, "SELECT group_concat(name) FROM mark", "kept mark"},
	{__LINE__, "SELECT count(*) FROM code", "1"},
	{__LINE__, "SELECT count(*) FROM machine_code", "0"},
	{__LINE__, "SELECT group_concat(method || '.' || thread) FROM distribution", "3.2"},
	{__LINE__, "SELECT group_concat(method || '.' || thread) FROM slow_call", "3.2"},
	{__LINE__, "SELECT count(*) FROM kind", NULL},
	{__LINE__, "SELECT count(*) FROM state", NULL},
	{__LINE__, "SELECT group_concat(name) FROM (SELECT name FROM metric)", NULL},
	{__LINE__, "PRAGMA user_version", NULL},
	{__LINE__, "PRAGMA application_id", NULL},
	{__LINE__, "SELECT group_concat(sql) FROM (SELECT sql FROM sqlite_master ORDER BY 1)",
		NULL},
};

static bool has_text(const char *path, const char *text)
{
	FILE *file = fopen(path, "re");
	long size = fixture_size(path);
	char *bytes = malloc((size_t)size);
	bool found;

	assert_non_null(file);
	assert_non_null(bytes);
	assert_int_equal(fread(bytes, 1, (size_t)size, file), size);
	found = memmem(bytes, (size_t)size, text, strlen(text));
	free(bytes);
	fclose(file);
	return found;
}

static const struct profile_meta its_facts[] = {{"matches", NULL}, {"mine", "5"}};
static const struct profile_share its_own = {2, its_facts, 2};

static void assert_its_own(const char *path, const char *from)
{
	char same[128];

	for (size_t i = 0; i < sizeof questions / sizeof *questions; i++) {
		fixture_sql(from, questions[i].sql, same, sizeof same);
		assert_answer(questions[i].line, path, questions[i].sql,
			questions[i].answer ? questions[i].answer : same);
	}
	assert_true(has_text(path, "kept"));
	assert_false(has_text(path, "secret"));
}

static void what_it_wants(void **state)
{
	const char *from = fixture_path("all.jprof"), *path = fixture_path("mine.jprof");
	struct profile_writer *writer = fixture_create(from, FIXTURE_METRICS);
	struct profile_copy *copy = create_copy(path);
	struct error error = {0};

	put_all(writer);
	profile_copy_refresh(copy, writer, &its_own, &error);
	assert_string_equal(error.text, "");
	assert_true(has_text(from, "secret"));
	assert_its_own(path, from);
	profile_copy_close(copy);
	close_writer(writer);
}

/* The database itself, when it is closed. */
static void closed_for_one(void **state)
{
	const char *same = fixture_path("same.jprof"), *path = fixture_path("last.jprof");
	struct profile_writer *writer = fixture_create(same, FIXTURE_METRICS);
	struct error error = {0};

	put_all(writer);
	close_writer(writer);
	writer = fixture_create(path, FIXTURE_METRICS);
	put_all(writer);
	assert_true(has_text(path, "secret"));
	profile_close_shared(writer, &its_own, &error);
	assert_string_equal(error.text, "");
	assert_its_own(path, same);
	assert_false(is_taken(path));
}

static void closed_though_it_failed(void **state)
{
	static const struct profile_share none = {.session = 7};
	const char *path = fixture_path("uncut.jprof");
	struct profile_writer *writer = create_shared(path, 20, 1);
	struct error error = {0};

	assert_int_equal(profile_close_shared(writer, &none, &error), -ERROR_MISSING);
	assert_file(path, 20, 1, NULL);
	assert_false(is_taken(path));
}

/* ---- a connection that cannot be made ---- */

static int opens_left;

static int refuse_one(sqlite3 *db, char **text, const struct sqlite3_api_routines *api)
{
	return --opens_left == 0 ? SQLITE_ERROR : SQLITE_OK;
}

/* The file is whole for an instant, and then a copy again. */
static void copy_again(void **state)
{
	const char *path = fixture_path("again2.jprof");
	struct profile_writer *writer =
		fixture_create(fixture_path("again1.jprof"), FIXTURE_METRICS);
	struct profile_copy *copy = create_copy(path);
	struct error error = {0};

	put_all(writer);
	opens_left = 3; /* for the part, for the whole, and to go on in it */
	sqlite3_auto_extension((void (*)(void))refuse_one);
	assert_true(profile_move(writer, copy, &first, &its_own, &error) < 0);
	sqlite3_cancel_auto_extension((void (*)(void))refuse_one);
	assert_int_equal(opens_left, -1);
	assert_its_own(path, fixture_path("again1.jprof"));
	assert_true(is_taken(path));
	profile_copy_close(copy);
	close_writer(writer);
}

/* All tables have a rule in the test above, or are of no session. */
static void whole_when_moved(void **state)
{
	const char *from = fixture_path("moved.jprof"), *path = fixture_path("moved2.jprof");
	struct profile_writer *writer = fixture_create(from, FIXTURE_METRICS);
	struct error error = {0};
	char sql[96], was[TABLE_COUNT][24];

	put_all(writer);
	for (int i = 0; i < TABLE_COUNT; i++) {
		snprintf(sql, sizeof sql, "SELECT count(*) FROM %s", schema_tables[i].name);
		fixture_sql(from, sql, was[i], sizeof was[i]);
	}
	profile_move(writer, create_copy(path), &second, &first, &error);
	assert_string_equal(error.text, "");
	for (int i = 0; i < TABLE_COUNT; i++) {
		snprintf(sql, sizeof sql, "SELECT count(*) - %d FROM %s", i == TABLE_META,
			schema_tables[i].name);
		assert_answer(__LINE__, path, sql, was[i]);
	}
	assert_false(has_text(from, "secret s"));
	assert_answer(__LINE__, from, "SELECT value FROM meta WHERE key = 'session'", "2");
	assert_answer(__LINE__, path, "SELECT value FROM meta WHERE key = 'session'", "1");
	assert_answer(
		__LINE__, path, "SELECT value FROM meta WHERE key = 'options'", "secret {}");
	close_writer(writer);
}

/* ---- a file that cannot be written ---- */

/* The database goes on in the other file; its own is what it was, and is a copy from then on. */
static void rescued(void **state)
{
	const char *from = fixture_path("fails.jprof"), *to = fixture_path("rescues.jprof");
	struct profile_writer *writer = create_shared(from, 20, 1);
	struct profile_copy *copy = create_copy(to), *left = NULL;
	struct error error = {0};

	assert_int_equal(profile_begin(writer, &error), 0);
	assert_int_equal(fixture_put(writer, 2, 20, 2, &error), 0);
	profile_rescue(writer, copy, &second, &left, &error);
	assert_string_equal(error.text, "");
	assert_true(is_taken(from) && is_taken(to));
	assert_file(from, 20, 1, NULL);
	assert_int_equal(fixture_fill(writer, 2, 20, 3, &error), 0);
	assert_file(from, 20, 1, NULL);
	profile_copy_refresh(left, writer, &first, &error);
	assert_string_equal(error.text, "");
	assert_file(from, 20, 3, "1");
	profile_copy_close(left);
	close_writer(writer);
	assert_file(to, 20, 3, "2");
}

/* Also where its own was removed: nothing of it has a name. And where there is no room: all is as it was. */
static void rescued_without_name(void **state)
{
	const char *from = fixture_path("removed.jprof"), *to = fixture_path("stays.jprof");
	struct profile_writer *writer = create_shared(from, 200, 1);
	struct profile_copy *copy = create_copy(to), *left = NULL;
	const struct rlimit none = {0, RLIM_INFINITY};
	struct rlimit before;
	struct error error = {0};

	signal(SIGXFSZ, SIG_IGN);
	assert_true(profile_has_name(writer));
	assert_int_equal(unlink(from), 0);
	assert_false(profile_has_name(writer));
	getrlimit(RLIMIT_FSIZE, &before);
	setrlimit(RLIMIT_FSIZE, &none);
	assert_int_equal(profile_rescue(writer, copy, &second, &left, &error), -ERROR_IO);
	setrlimit(RLIMIT_FSIZE, &before);
	assert_null(left);
	assert_false(profile_has_name(writer));
	error = (struct error){0};
	profile_rescue(writer, copy, &second, &left, &error);
	assert_string_equal(error.text, "");
	assert_true(profile_has_name(writer));
	assert_true(profile_copy_refresh(left, writer, &first, &error) < 0);
	profile_copy_close(left);
	close_writer(writer);
	assert_false(fixture_exists(from));
	assert_file(to, 200, 1, "2");
}

/* The file is complete, and free; what comes then is in none, until there is one again. */
static void hidden(void **state)
{
	const char *from = fixture_path("hides.jprof"), *to = fixture_path("later.jprof");
	struct profile_writer *writer = create_shared(from, 20, 1);
	struct profile_copy *copy = create_copy(to), *left = NULL;
	struct error error = {0};

	profile_hide(writer, &first, &error);
	assert_string_equal(error.text, "");
	assert_false(profile_has_name(writer));
	assert_false(is_taken(from));
	/* That made it anew, and empty. */
	fixture_profile(from, 1, 10);
	assert_int_equal(fixture_fill(writer, 2, 20, 5, &error), 0);
	assert_false(fixture_exists(fixture_path("hides.jprof-journal")));
	profile_rescue(writer, copy, &second, &left, &error);
	assert_string_equal(error.text, "");
	profile_copy_close(left);
	assert_int_equal(fixture_fill(writer, 2, 20, 6, &error), 0);
	close_writer(writer);
	assert_file(to, 20, 6, "2");
	assert_answer(__LINE__, from, "PRAGMA integrity_check", "ok");
}

/* ---- what one that has ended alone needed ---- */

static void snapshots_dropped(void **state)
{
	static const struct {
		uint32_t session, first;
		const char *left;
	} rows[] = {{1, 0, "1,2,4,5"}, {2, 0, "1,3,4"}, {1, 2, "2,4,5"}, {3, 0, "1,2,3,4,5"},
		{2, 5, "3"}};

	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		const char *path = fixture_path("drops.jprof");
		struct profile_writer *writer = fixture_create(path, FIXTURE_METRICS);
		struct error error = {0};

		put_all(writer);
		profile_begin(writer, &error);
		profile_drop_snapshots(writer, rows[i].session, rows[i].first, &error);
		profile_commit(writer, &error);
		assert_string_equal(error.text, "");
		close_writer(writer);
		assert_answer(
			__LINE__, path, "SELECT group_concat(id) FROM snapshot", rows[i].left);
		for (int k = 0; k < TABLE_COUNT; k++) {
			char sql[128];

			if (!schema_tables[k].copy)
				continue;
			snprintf(sql, sizeof sql,
				"SELECT count(*) FROM %s WHERE snapshot NOT IN (SELECT id FROM "
				"snapshot)",
				schema_tables[k].name);
			assert_answer(__LINE__, path, sql, "0");
		}
		assert_answer(__LINE__, path,
			"SELECT group_concat(DISTINCT snapshot) FROM snapshot_node",
			rows[i].left);
	}
}

/* ---- while others read ---- */

static void readers_go_on(void **state)
{
	const char *path = fixture_path("read.jprof");
	struct profile_writer *writer = create_shared(fixture_path("writes.jprof"), 200, 1);
	struct profile_copy *copy = create_copy(path);
	struct error error = {0};
	sqlite3_stmt *statement;
	sqlite3 *db;

	refresh(copy, writer);
	assert_int_equal(sqlite3_open(path, &db), SQLITE_OK);
	assert_int_equal(sqlite3_prepare_v2(
				 db, "SELECT sum(interpreted) FROM node", -1, &statement, NULL),
		SQLITE_OK);
	assert_int_equal(sqlite3_exec(db, "BEGIN", NULL, NULL, NULL), SQLITE_OK);
	assert_int_equal(sqlite3_step(statement), SQLITE_ROW);
	assert_int_equal(sqlite3_column_int(statement, 0), 2 * 200 * 2);
	sqlite3_reset(statement);
	for (uint64_t round = 2; round < 6; round++) {
		assert_int_equal(fixture_fill(writer, 2, 200, round, &error), 0);
		refresh(copy, writer);
		assert_file(path, 200, round, "2");
		assert_int_equal(sqlite3_step(statement), SQLITE_ROW);
		assert_int_equal(sqlite3_column_int(statement, 0), 2 * 200 * 2);
		sqlite3_reset(statement);
	}
	/* Nor do those that read while the file becomes the writer's. */
	profile_move(writer, copy, &first, &second, &error);
	assert_string_equal(error.text, "");
	assert_int_equal(fixture_fill(writer, 2, 200, 7, &error), 0);
	assert_int_equal(sqlite3_step(statement), SQLITE_ROW);
	assert_int_equal(sqlite3_column_int(statement, 0), 2 * 200 * 2);
	sqlite3_finalize(statement);
	sqlite3_close(db);
	close_writer(writer);
	assert_file(path, 200, 7, "2");
}

/* Nothing of a transaction that is open; it goes on, unless the database moves. */
static void committed_alone(void **state)
{
	const char *path = fixture_path("committed.jprof");
	struct profile_writer *writer = create_shared(fixture_path("open.jprof"), 20, 1);
	struct profile_copy *copy = create_copy(path);
	struct error error = {0};

	assert_int_equal(profile_begin(writer, &error), 0);
	assert_int_equal(fixture_put(writer, 2, 20, 2, &error), 0);
	profile_move(writer, copy, &first, &second, &error);
	assert_string_equal(error.text, "");
	assert_int_equal(profile_commit(writer, &error), -ERROR_IO);
	close_writer(writer);
	assert_file(path, 20, 1, "2");
	assert_file(fixture_path("open.jprof"), 20, 1, "1");
}

/* A copy has the metrics that came later, and so has the writer that goes on in it; slices, too. */
static void widened(void **state)
{
	const char *one = fixture_path("narrow.jprof"), *two = fixture_path("wide.jprof");
	struct profile_writer *writer = NULL;
	struct profile_copy *copy = create_copy(two);
	struct error error = {0};

	profile_create(&writer, one, fixture_metrics, 1, NULL, &error);
	profile_keep_slices(writer, 10, &error);
	fixture_session(writer, 1, 0, 0, &error);
	fixture_session(writer, 2, 3, 0, &error);
	assert_int_equal(fixture_fill(writer, 2, 200, 1, &error), 0);
	refresh(copy, writer);
	assert_int_equal(profile_widen(writer, fixture_metrics, FIXTURE_METRICS, &error), 0);
	/* Rows of before have none of them yet. */
	refresh(copy, writer);
	assert_answer(__LINE__, two, "SELECT sum(base_2 + spent_1) FROM node", "0");
	assert_int_equal(fixture_fill(writer, 2, 200, 2, &error), 0);
	refresh(copy, writer);
	assert_file(two, 200, 2, "2");
	profile_move(writer, copy, &first, &second, &error);
	assert_string_equal(error.text, "");
	for (uint64_t round = 3; round < 5; round++) {
		assert_int_equal(profile_begin(writer, &error), 0);
		assert_int_equal(profile_begin_slice(writer, 10 * round, &error), 0);
		assert_int_equal(fixture_put(writer, 2, 200, round, &error), 0);
		assert_int_equal(profile_end_slice(writer, &error), 0);
		assert_int_equal(profile_commit(writer, &error), 0);
	}
	close_writer(writer);
	assert_file(one, 200, 2, "1");
	assert_file(two, 200, 4, "2");
	/* Of the third metric a node has 3 more each round. */
	assert_answer(__LINE__, two,
		"SELECT base_2 || ' ' || interpreted FROM slice_node WHERE id = 4294967303 "
		"ORDER BY "
		"slice DESC",
		"3 1");
}

/* ---- whose it is ---- */

static void locks(void **state)
{
	const char *one = fixture_path("one.jprof"), *two = fixture_path("two.jprof");
	struct profile_writer *writer = create_shared(one, 20, 1);
	struct profile_copy *copy = create_copy(two);
	struct error error = {0};

	assert_int_equal(fixture_size(two), 0);
	assert_true(is_taken(one) && is_taken(two));
	refresh(copy, writer);
	assert_true(is_taken(one) && is_taken(two));
	refresh(copy, writer);
	assert_true(is_taken(two));
	profile_move(writer, copy, &first, &second, &error);
	assert_string_equal(error.text, "");
	assert_true(is_taken(two));
	assert_file(one, 20, 1, "1");
	assert_false(is_taken(one));
	/* And back to a file of its name, for a third time. */
	copy = create_copy(one);
	profile_move(writer, copy, &second, &first, &error);
	assert_string_equal(error.text, "");
	assert_true(is_taken(one));
	assert_false(is_taken(two));
	assert_int_equal(fixture_fill(writer, 2, 20, 9, &error), 0);
	close_writer(writer);
	assert_false(fixture_exists(fixture_path("one.jprof-journal")));
	assert_file(one, 20, 9, "1");
}

static void older_profiles(void **state)
{
	static const struct profile_creation aside = {.set_aside = true};
	const char *one = fixture_path("old1.jprof"), *two = fixture_path("old2.jprof");
	const char *was_one = fixture_path("old1.jprof-older"),
		   *was_two = fixture_path("old2.jprof-older");
	struct profile_writer *writer = NULL;
	struct profile_copy *copy = NULL;
	struct error error = {0};

	fixture_profile(one, 1, 10);
	fixture_profile(two, 1, 10);
	profile_copy_create(&copy, two, &aside, &error);
	profile_copy_discard(copy);
	assert_false(fixture_exists(was_two));
	profile_create(&writer, one, fixture_metrics, FIXTURE_METRICS, &aside, &error);
	profile_copy_create(&copy, two, &aside, &error);
	assert_string_equal(error.text, "");
	assert_true(fixture_exists(was_one) && fixture_exists(was_two));
	fixture_session(writer, 1, 0, 0, &error);
	fixture_session(writer, 2, 3, 0, &error);
	fixture_fill(writer, 2, 20, 3, &error);
	refresh(copy, writer);
	assert_true(fixture_exists(was_one) && fixture_exists(was_two));
	/* What was the writer's is complete: the older one goes. */
	profile_move(writer, copy, &first, &second, &error);
	assert_string_equal(error.text, "");
	assert_false(fixture_exists(was_one));
	assert_true(fixture_exists(was_two));
	profile_discard(writer);
	assert_file(one, 20, 3, "1");
	assert_false(fixture_exists(was_two));
	assert_answer(__LINE__, two, "SELECT count(*) FROM node", "10");
}

/* Its mode is that of the file whose place it takes. */
static void readers_of_it(void **state)
{
	static const struct profile_creation creation = {.readers = S_IRGRP};
	const char *path = fixture_path("group.jprof");
	struct profile_writer *writer = create_shared(fixture_path("mode.jprof"), 20, 1);
	struct profile_copy *copy = NULL;
	struct error error = {0};
	struct stat status;

	profile_copy_create(&copy, path, &creation, &error);
	refresh(copy, writer);
	assert_int_equal(stat(path, &status), 0);
	assert_int_equal(status.st_mode & 0777, 0640);
	profile_copy_discard(copy);
	assert_false(fixture_exists(path));
	close_writer(writer);
}

/* ---- when it cannot be made ---- */

static void limit_file_size(rlim_t bytes)
{
	struct rlimit limit = {bytes, RLIM_INFINITY};

	signal(SIGXFSZ, SIG_IGN);
	setrlimit(RLIMIT_FSIZE, &limit);
}

/* Each of them leaves the writer, the copy, and both files as they were. */
static void full(const char *one, const char *two)
{
	limit_file_size(100000);
}

static void no_folder(const char *one, const char *two)
{
	assert_int_equal(chmod(fixture_path("shut"), 0500), 0);
}

static void failing(const char *folder, void (*break_it)(const char *one, const char *two),
	const char *text)
{
	char one[2 * PATH_MAX], two[2 * PATH_MAX];
	struct profile_writer *writer;
	struct profile_copy *copy;
	struct error error = {0};

	snprintf(one, sizeof one, "%s/one.jprof", fixture_path(folder));
	snprintf(two, sizeof two, "%s/two.jprof", fixture_path(folder));
	writer = create_shared(one, 2000, 1);
	copy = create_copy(two);
	refresh(copy, writer);
	assert_int_equal(fixture_fill(writer, 2, 2000, 2, &error), 0);
	break_it(one, two);
	assert_true(profile_copy_refresh(copy, writer, &second, &error) < 0);
	assert_non_null(strstr(error.text, text));
	assert_file(two, 2000, 1, "2");
	error = (struct error){0};
	assert_true(profile_move(writer, copy, &first, &second, &error) < 0);
	assert_non_null(strstr(error.text, text));
	assert_file(two, 2000, 1, "2");
	limit_file_size(RLIM_INFINITY);
	chmod(fixture_path(folder), 0700);
	/* It is well again. */
	error = (struct error){0};
	assert_int_equal(fixture_fill(writer, 2, 2000, 3, &error), 0);
	assert_true(is_taken(one) && is_taken(two));
	refresh(copy, writer);
	assert_file(two, 2000, 3, "2");
	assert_int_equal(profile_move(writer, copy, &first, &second, &error), 0);
	assert_int_equal(fixture_fill(writer, 2, 2000, 4, &error), 0);
	close_writer(writer);
	assert_file(one, 2000, 3, "1");
	assert_file(two, 2000, 4, "2");
}

/* Where modes count. */
static void in_ordinary_child(void (*body)(void))
{
	int status;
	pid_t child;

	fflush(NULL);
	child = fork();
	if (child == 0) {
		if (geteuid() == 0 && (setgid(65534) < 0 || setuid(65534) < 0))
			_exit(2);
		body();
		_exit(0);
	}
	assert_int_equal(waitpid(child, &status, 0), child);
	assert_int_equal(status, 0);
}

static void full_body(void)
{
	failing("full", full, "cannot write");
}

static void shut_body(void)
{
	failing("shut", no_folder, "Permission denied");
}

static void full_disk(void **state)
{
	assert_int_equal(mkdir(fixture_path("full"), 0777), 0);
	chmod(fixture_path("full"), 0777);
	chmod(fixture_directory(), 0755);
	in_ordinary_child(full_body);
}

static void unwritable_folder(void **state)
{
	assert_int_equal(mkdir(fixture_path("shut"), 0777), 0);
	if (geteuid() == 0)
		assert_int_equal(chown(fixture_path("shut"), 65534, 65534), 0);
	chmod(fixture_directory(), 0755);
	in_ordinary_child(shut_body);
}

static void lost_names(void **state)
{
	const char *one = fixture_path("lost1.jprof"), *two = fixture_path("lost2.jprof");
	struct profile_writer *writer = create_shared(one, 20, 1);
	struct profile_copy *copy = create_copy(two);
	const struct profile_share none = {.session = 7};
	struct error error = {0};

	refresh(copy, writer);
	assert_int_equal(profile_copy_refresh(copy, writer, &none, &error), -ERROR_MISSING);
	assert_non_null(strstr(error.text, "no session 7"));
	assert_file(two, 20, 1, "2");
	assert_int_equal(rename(two, fixture_path("elsewhere.jprof")), 0);
	error = (struct error){0};
	assert_int_equal(profile_copy_refresh(copy, writer, &second, &error), -ERROR_IO);
	assert_non_null(strstr(error.text, "was removed or renamed"));
	/* Somebody else's file of that name stays. */
	fixture_write_bytes(two, "mine", 4);
	error = (struct error){0};
	assert_true(profile_move(writer, copy, &first, &second, &error) < 0);
	assert_int_equal(fixture_size(two), 4);
	assert_file(fixture_path("elsewhere.jprof"), 20, 1, "2");
	assert_int_equal(fixture_fill(writer, 2, 20, 2, &error), 0);
	profile_copy_close(copy);
	close_writer(writer);
	assert_file(one, 20, 2, NULL);
}

/* What a killed JVM left goes; what is something else, or another's, is in the way. */
static void left_behind(void **state)
{
	const char *path = fixture_path("left.jprof"),
		   *beside = fixture_path(".left.jprof-copy");
	struct profile_writer *writer = create_shared(fixture_path("source.jprof"), 20, 1),
			      *other;
	struct profile_copy *copy;
	struct error error = {0};

	fixture_write_bytes(beside, "", 0);
	copy = create_copy(path);
	assert_false(fixture_exists(beside));
	fixture_profile(beside, 1, 10);
	refresh(copy, writer);
	assert_file(path, 20, 1, "2");
	fixture_write_bytes(beside, "half", 4);
	assert_true(profile_copy_refresh(copy, writer, &second, &error) < 0);
	assert_non_null(strstr(error.text, "a copy beside"));
	assert_int_equal(fixture_size(beside), 4);
	assert_int_equal(unlink(beside), 0);
	/* A live profile. */
	other = fixture_create(beside, FIXTURE_METRICS);
	assert_true(profile_copy_refresh(copy, writer, &second, &error) < 0);
	close_writer(other);
	assert_int_equal(unlink(beside), 0);
	assert_int_equal(mkdir(beside, 0700), 0);
	assert_true(profile_copy_refresh(copy, writer, &second, &error) < 0);
	assert_int_equal(rmdir(beside), 0);
	assert_int_equal(symlink("target", beside), 0);
	assert_true(profile_copy_refresh(copy, writer, &second, &error) < 0);
	assert_false(fixture_exists(fixture_path("target")));
	assert_int_equal(unlink(beside), 0);
	refresh(copy, writer);
	profile_copy_close(copy);
	close_writer(writer);
}

/* A profile whose name looks like that of a copy is none. */
static void alike_in_name(void **state)
{
	const char *other = fixture_path("x.jprof-copy");
	struct profile_writer *writer = create_shared(fixture_path("y.jprof"), 20, 1);
	struct profile_copy *copy;

	fixture_profile(other, 1, 10);
	copy = create_copy(fixture_path("x.jprof"));
	refresh(copy, writer);
	assert_answer(__LINE__, other, "SELECT count(*) FROM node", "10");
	profile_copy_close(copy);
	close_writer(writer);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_it_wants),
		cmocka_unit_test(closed_for_one),
		cmocka_unit_test(closed_though_it_failed),
		cmocka_unit_test(copy_again),
		cmocka_unit_test(whole_when_moved),
		cmocka_unit_test(rescued),
		cmocka_unit_test(rescued_without_name),
		cmocka_unit_test(hidden),
		cmocka_unit_test(snapshots_dropped),
		cmocka_unit_test(readers_go_on),
		cmocka_unit_test(committed_alone),
		cmocka_unit_test(widened),
		cmocka_unit_test(locks),
		cmocka_unit_test(older_profiles),
		cmocka_unit_test(readers_of_it),
		cmocka_unit_test(full_disk),
		cmocka_unit_test(unwritable_folder),
		cmocka_unit_test(lost_names),
		cmocka_unit_test(left_behind),
		cmocka_unit_test(alike_in_name),
	};

	return cmocka_run_group_tests(tests, NULL, clean);
}
