/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/* What is read of a recording that several sessions shared, as one of them; nodes and accounts are in test_sessions_model.c. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>
#include <stdio.h>
#include <string.h>

#include "fixture.h"

#define SECOND UINT64_C(1000000000)

static int clean(void **state)
{
	fixture_clean();
	return 0;
}

static void close_writer(struct profile_writer *writer)
{
	struct error error = {0};

	profile_close(writer, &error);
	assert_string_equal(error.text, "");
}

static struct profile *read_wanted(const char *path, const struct profile_wanted *wanted)
{
	struct profile *profile = NULL;
	struct error error = {0};

	profile_open_wanted(&profile, path, wanted, &error);
	assert_string_equal(error.text, "");
	return profile;
}

static struct profile *read_interval(const char *path, const char *interval)
{
	const struct profile_wanted wanted = {.interval = interval};

	return read_wanted(path, &wanted);
}

static void be_session(const char *path, int id)
{
	char sql[96];

	snprintf(sql, sizeof sql, "INSERT OR REPLACE INTO meta VALUES('session', '%d')", id);
	fixture_sql(path, sql, NULL, 0);
}

/* ---- intervals ---- */

static void keep(struct profile_writer *writer, const struct profile_snapshot *snapshot)
{
	struct error error = {0};

	fixture_keep(writer, 2, 30, 10 * snapshot->id, snapshot, &error);
	assert_string_equal(error.text, "");
}

/* Two sessions; the second one begins with the snapshot 2. Snapshot i is of round 10 * i, the end of 100. */
static void snapshots_of(const char *path)
{
	static const struct profile_snapshot snapshots[] = {
		{1, "early", 10 * SECOND, SNAPSHOT_NAMED, 0},
		{2, NULL, 20 * SECOND, SNAPSHOT_SESSION, 2},
		{3, "theirs", 30 * SECOND, SNAPSHOT_NAMED, 1},
		{4, "mine", 40 * SECOND, SNAPSHOT_NAMED, 2},
		{5, NULL, 50 * SECOND, SNAPSHOT_RESET, 1},
		{6, NULL, 60 * SECOND, SNAPSHOT_RESET, 2},
		{7, "both", 70 * SECOND, SNAPSHOT_NAMED, 0},
	};
	struct profile_writer *writer = fixture_create(path, FIXTURE_METRICS);
	struct error error = {0};

	fixture_session(writer, 1, 0, 0, &error);
	fixture_session(writer, 2, 1, 2, &error);
	for (size_t i = 0; i < sizeof snapshots / sizeof *snapshots; i++)
		keep(writer, &snapshots[i]);
	fixture_fill(writer, 2, 30, 100, &error);
	assert_string_equal(error.text, "");
	close_writer(writer);
}

static const struct interval_case {
	int line, session;
	const char *interval;
	const char *from; /* NULL: none */
	uint64_t begin;   /* seconds */
	uint64_t calls;   /* interpreted ones of a node: a round each */
} interval_cases[] = {
	{__LINE__, 1, "..", NULL, 0, 101},
	{__LINE__, 1, NULL, "reset1", 50, 50},
	{__LINE__, 1, "..theirs", NULL, 0, 31},
	{__LINE__, 1, "early..theirs", "early", 10, 20},
	{__LINE__, 2, "..", "(begin)", 20, 80},
	{__LINE__, 2, NULL, "reset1", 60, 40},
	{__LINE__, 2, "..mine", "(begin)", 20, 20},
	{__LINE__, 2, "mine..both", "mine", 40, 30},
	{__LINE__, 2, "mine..", "mine", 40, 60},
};

static void intervals(void **state)
{
	const char *path = fixture_path("intervals.jprof");

	snapshots_of(path);
	for (size_t i = 0; i < sizeof interval_cases / sizeof *interval_cases; i++) {
		const struct interval_case *row = &interval_cases[i];
		struct profile *profile;

		be_session(path, row->session);
		profile = read_interval(path, row->interval);
		if ((profile->interval.from == NULL) != (row->from == NULL) ||
			(row->from && strcmp(profile->interval.from->label, row->from) != 0) ||
			profile->interval.begin != row->begin * SECOND ||
			profile->node[7].interpreted != row->calls ||
			profile->interval.clamped != 0)
			fail_msg("line %d: from %s at %lu, %lu calls", row->line,
				profile->interval.from ? profile->interval.from->label : "-",
				profile->interval.begin, profile->node[7].interpreted);
		profile_free(profile);
	}
}

static void own_snapshots(void **state)
{
	static const char *const expected[3][6] = {
		{0}, {"early", "theirs", "reset1", "both"}, {"mine", "reset1", "both"}};
	static const char *const unknown[3] = {NULL, "mine..", "early.."};
	const char *path = fixture_path("own.jprof");

	snapshots_of(path);
	for (int session = 1; session <= 2; session++) {
		const struct profile_wanted wanted = {.interval = unknown[session]};
		struct profile *profile;
		struct error error = {0};

		be_session(path, session);
		profile = read_interval(path, NULL);
		for (size_t i = 0; i < profile->snapshot_count; i++)
			assert_string_equal(profile->snapshot[i].label, expected[session][i]);
		assert_null(expected[session][profile->snapshot_count]);
		profile_free(profile);
		assert_int_equal(
			profile_open_wanted(&profile, path, &wanted, &error), -ERROR_MISSING);
		assert_null(strstr(error.text, session == 1 ? "mine (" : "theirs"));
	}
}

/* Without a word of it the file is read as ever, whatever its bits are. */
static void never_shared(void **state)
{
	const char *path = fixture_path("never.jprof");
	struct profile *profile;
	uint64_t round;

	fixture_profile(path, 2, 30);
	fixture_sql(path,
		"UPDATE method SET wanted = 0, counted = 255, scope = 255; "
		"UPDATE thread SET wanted = 0; UPDATE parameter SET wanted = 0",
		NULL, 0);
	profile = read_interval(path, NULL);
	assert_true(fixture_is_whole(profile, 2, 30, &round));
	assert_null(profile->session);
	assert_int_equal(profile_others(profile), 0);
	profile_free(profile);
}

static void impossible(void **state)
{
	static const struct {
		int line;
		const char *sql, *text;
	} rows[] = {
		{__LINE__, "INSERT INTO meta VALUES('session', '3')", "its session is missing"},
		{__LINE__, "INSERT INTO meta VALUES('session', 'x')", "its session is missing"},
		{__LINE__, "INSERT INTO meta VALUES('session', '4294967297')",
			"its session is missing"},
		{__LINE__, "UPDATE session SET bit = 8", "impossible bit"},
		{__LINE__, "UPDATE session SET id = 0 WHERE id = 1", "session id out of range"},
		{__LINE__,
			"INSERT INTO meta VALUES('session', '2'); UPDATE session SET snapshot "
			"= 9",
			"the begin of its session is missing"},
	};

	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		const char *path = fixture_path("impossible.jprof");
		struct profile *profile;
		struct error error = {0};

		snapshots_of(path);
		fixture_sql(path, rows[i].sql, NULL, 0);
		if (profile_open(&profile, path, &error) != -ERROR_FORMAT ||
			!strstr(error.text, rows[i].text))
			fail_msg("line %d: %s", rows[i].line, error.text);
	}
}

/* ---- with whom ---- */

static void others(void **state)
{
	/* Sessions 2 to 5 by their times; the first is there from 0 to 100. */
	static const struct {
		int line;
		const char *sql;
		unsigned others;
	} rows[] = {
		{__LINE__, "SELECT 1", 0},
		{__LINE__, "INSERT INTO session(id, bit, began, ended) VALUES(2, 1, 0, 50)", 1},
		{__LINE__,
			"INSERT INTO session(id, bit, began, ended) VALUES(2, 1, 0, 50), "
			"(3, 1, 50, 60), (4, 1, 70, NULL)",
			1},
		{__LINE__,
			"INSERT INTO session(id, bit, began, ended) VALUES(2, 1, 0, 50), "
			"(3, 2, 40, 80), (4, 3, 45, 60), (5, 1, 60, 200)",
			3},
		{__LINE__, "INSERT INTO session(id, bit, began, ended) VALUES(2, 1, 100, 200)",
			0},
	};

	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		const char *path = fixture_path("others.jprof");
		struct profile_writer *writer = fixture_create(path, FIXTURE_METRICS);
		struct profile *profile;
		struct error error = {0};

		fixture_session(writer, 1, 0, 0, &error);
		close_writer(writer);
		fixture_sql(path, "UPDATE session SET ended = 100", NULL, 0);
		fixture_sql(path, rows[i].sql, NULL, 0);
		be_session(path, 1);
		profile = read_interval(path, NULL);
		if (profile_others(profile) != rows[i].others)
			fail_msg("line %d: %u", rows[i].line, profile_others(profile));
		profile_free(profile);
	}
}

/* ---- what has no nodes ---- */

#define PUT(...)                                                                               \
	do {                                                                                   \
		profile_put(writer, (&(__VA_ARGS__)), &error);                                 \
		assert_string_equal(error.text, "");                                           \
	} while (0)

/* A session of all traces; the second thread is not wanted, and the methods of odd ids are not. */
static void put_all(const char *path)
{
	struct profile_writer *writer = fixture_create(path, FIXTURE_METRICS);
	struct error error = {0};
	const uint64_t one = 1ull << 32, two = 2ull << 32;

	profile_begin(writer, &error);
	fixture_put(writer, 2, 8, 5, &error);
	for (uint32_t i = 0; i < 8; i++)
		PUT((struct profile_method){.id = METHOD_FIRST + i,
			.class_name = "C",
			.name = i % 2 ? "others" : "mine",
			.wanted = i % 2 ? 1 : 3,
			.watched = i % 2 ? 1 : 3});
	PUT((struct profile_thread){.id = 2, .name = "others", .folded = 1, .wanted = 1});
	PUT((struct profile_session){.id = 1,
		.bit = 1,
		.name = "s",
		.owner = "o",
		.began = 100,
		.ended = 900,
		.options = "{}",
		.metrics = 4,
		.traces = 0xff,
		.watches = true,
		.records = true});
	PUT((struct profile_lock){1, "L", 1});
	for (uint32_t i = 0; i < 4; i++) {
		uint64_t waiter = (i & 1 ? two : one) + 5, holder = (i & 2 ? two : one) + 5;

		PUT((struct profile_contention){.id = 1 + i,
			.node = waiter,
			.holder = holder,
			.lock = 1,
			.count = 1,
			.ns = 5});
		PUT((struct profile_wait){.id = 1 + i,
			.contention = 1 + i,
			.begin = 200,
			.ns = 5,
			.node = waiter,
			.holder = holder,
			.lock = 1});
	}
	PUT((struct profile_file){.id = 1,
		.kind = IO_FILE,
		.name = "f",
		.opened_in = one + 3,
		.opened = 5,
		.first = 5});
	PUT((struct profile_collection){.id = 1, .name = "gc", .began = 500});
	PUT((struct profile_compilation){
		.id = 1, .class_name = "C", .name = "m", .began = 500});
	PUT((struct profile_class_loader){.id = 1, .class_name = "L"});
	PUT((struct profile_thread_state){.id = 1, .name = "t", .ns = 1});
	PUT((struct profile_event_thread){.id = 1, .row = 1, .name = "e"});
	PUT((struct profile_record_thread){1, 1, 1, "r"});
	PUT((struct profile_record){500, 1, 1, one + 3, 0, IO_READ, 1, false});
	PUT((struct profile_trace_period){1, TRACE_GC, 0, 50});
	PUT((struct profile_trace_period){2, TRACE_GC, 60, 500});
	PUT((struct profile_trace_period){3, TRACE_LOCKS, 300, PROFILE_NOT_KNOWN});
	PUT((struct profile_trace_period){4, TRACE_GC, 950, 960});
	profile_put_meta(writer, "session", "1", &error);
	profile_commit(writer, &error);
	close_writer(writer);
}

static const struct profile_wanted everything = {.records = true,
	.events = true,
	.thread_states = true,
	.classes = true,
	.collections = true,
	.compilations = true};

static void waits(void **state)
{
	const char *path = fixture_path("waits.jprof");
	struct profile *profile;

	put_all(path);
	profile = read_wanted(path, &everything);
	/* The first thread's; who holds is told of the first one alone. */
	assert_int_equal(profile->contention_count, 2);
	assert_int_equal(profile->long_wait_count, 2);
	for (int i = 0; i < 2; i++) {
		const struct profile_contention *row = &profile->contention[i];
		const struct profile_path *node = &profile->path[row->node - 1];

		assert_int_equal(row->thread, 1);
		/* The node's method is another one's: its caller is named. */
		assert_int_equal(node->method, 4);
		assert_int_equal(row->holder_thread, i == 0 ? 1 : 0);
		assert_int_equal(row->holder == 0, i == 1);
		assert_int_equal(profile->long_wait[i].holder_thread, i == 0 ? 1 : 0);
		assert_int_equal(profile->long_wait[i].node, row->node);
	}
	profile_free(profile);
}

/* Nodes 1 and 3 of the fixture are of methods 3 and 5, which are not wanted; 2 is called by the root, too, of method 4. */
static void leads_to_the_caller(void **state)
{
	const char *path = fixture_path("caller.jprof");
	struct profile *profile;

	put_all(path);
	fixture_sql(path,
		"UPDATE file SET opened_in = 4294967296 + 7; "
		"UPDATE record SET node = 4294967296 + 5",
		NULL, 0);
	/* 7 (method 9) is called by 3 (5), that by 1 (3), that by the root. */
	profile = read_wanted(path, &everything);
	assert_int_equal(profile->file[0].opened_in, 0);
	profile_free(profile);
	/* 5 (method 7) is called by 2 (4). */
	fixture_sql(path, "UPDATE file SET opened_in = 4294967296 + 5", NULL, 0);
	profile = read_wanted(path, &everything);
	assert_int_equal(profile->path[profile->file[0].opened_in - 1].method, 4);
	assert_int_equal(profile->record[0].node, profile->file[0].opened_in);
	profile_free(profile);
}

static void traces(void **state)
{
	const char *path = fixture_path("traces.jprof");
	struct profile *profile;

	put_all(path);
	profile = read_wanted(path, &everything);
	assert_int_equal(profile->collection_count, 1);
	assert_int_equal(profile->compilation_count, 1);
	assert_int_equal(profile->class_loader_count, 1);
	assert_int_equal(profile->thread_state_count, 1);
	assert_int_equal(profile->event_thread_count, 1);
	assert_int_equal(profile->record_count, 1);
	/* While it was there. */
	assert_int_equal(profile->trace_period_count, 2);
	assert_int_equal(profile->trace_period[0].began, 100);
	assert_int_equal(profile->trace_period[0].ended, 500);
	assert_int_equal(profile->trace_period[1].began, 300);
	assert_int_equal(profile->trace_period[1].ended, 900);
	profile_free(profile);
	fixture_sql(path, "UPDATE session SET traces = 0, records = 0", NULL, 0);
	profile = read_wanted(path, &everything);
	assert_int_equal(profile->collection_count + profile->compilation_count +
				 profile->class_loader_count + profile->thread_state_count +
				 profile->event_thread_count + profile->record_count +
				 profile->trace_period_count + profile->contention_count +
				 profile->long_wait_count + profile->lock_count,
		0);
	profile_free(profile);
}

/* ---- watched calls ---- */

/* In the call itself, of method 4: 3 (not wanted) twice, one of them calls 6, the other 6 and 4. */
static struct profile_bytes slow_tree(uint8_t *bytes)
{
	static const struct small_node nodes[] = {{0, 4, 1, 10, 1}, {0, 3, 2, 20, 2},
		{1, 6, 3, 30, 3}, {0, 5, 4, 40, 4}, {3, 6, 5, 50, 5}, {3, 4, 6, 60, 6}};

	return (struct profile_bytes){bytes, small_tree_encode(nodes, 6, bytes)};
}

static void put_watched(const char *path)
{
	struct profile_writer *writer;
	struct error error = {0};
	uint8_t bytes[512];

	put_all(path);
	fixture_sql(path, "DELETE FROM meta WHERE key = 'session'", NULL, 0);
	writer = fixture_create(fixture_path("tree.jprof"), FIXTURE_METRICS);
	profile_begin(writer, &error);
	for (uint32_t i = 0; i < 3; i++) {
		/* Of a method that is not wanted, of a thread that is not, of both that are. */
		uint32_t method = i == 0 ? 5 : 4, thread = i == 1 ? 2 : 1;

		for (int figure = 0; figure < 3; figure++)
			PUT((struct profile_distribution){.thread = thread,
				.id = 1 + 10 * i + (uint32_t)figure,
				.method = method,
				.figure = (enum call_figure)(
					figure == 0 ? CALL_ELAPSED : CALL_PROCESS + figure),
				.count = 1 + i});
		PUT((struct profile_slow_call){.id = 1 + i,
			.method = method,
			.thread = thread,
			.elapsed = 5,
			.process = {7, 8, 9},
			.bytes = slow_tree(bytes)});
	}
	profile_commit(writer, &error);
	close_writer(writer);
}

static void watched_calls(void **state)
{
	const char *path = fixture_path("watched.jprof");
	const struct profile_slow_call *call;
	struct profile *profile;
	char sql[512];

	put_watched(path);
	snprintf(sql, sizeof sql,
		"ATTACH '%s' AS other; INSERT INTO distribution SELECT * FROM "
		"other.distribution; INSERT INTO slow_call SELECT * FROM other.slow_call",
		fixture_path("tree.jprof"));
	fixture_sql(path, sql, NULL, 0);
	be_session(path, 1);
	profile = read_wanted(path, &everything);
	/* Elapsed, and the third metric, which is the first one now. */
	assert_int_equal(profile->metric_count, 1);
	assert_string_equal(profile->metric[0].name, fixture_metrics[2].name);
	assert_int_equal(profile->distribution_count, 2);
	assert_int_equal(profile->distribution[0].figure, CALL_ELAPSED);
	assert_int_equal(profile->distribution[0].count, 3);
	assert_int_equal(profile->distribution[1].figure, CALL_PROCESS);
	assert_int_equal(profile->slow_call_count, 1);
	call = &profile->slow_call[0];
	assert_int_equal(call->process[0], 9);
	/* 4 has what 3 and 5 used, and calls 6 and itself. */
	assert_int_equal(call->nodes, 3);
	assert_int_equal(call->tree[0].base, 10 + 20 + 40);
	assert_int_equal(call->tree[0].own, 1 + 2 + 4);
	assert_int_equal(call->tree[0].calls, 1);
	assert_int_equal(call->tree[1].method, 6);
	assert_int_equal(call->tree[1].calls, 3 + 5);
	assert_int_equal(call->tree[1].base, 30 + 50);
	assert_int_equal(call->tree[2].method, 4);
	assert_int_equal(call->tree[2].parent, 0);
	assert_int_equal(call->tree[2].calls, 6);
	profile_free(profile);
	/* Which of them were inside of a scope nobody knows. */
	fixture_sql(path, "UPDATE session SET scoped = 1", NULL, 0);
	profile = read_wanted(path, &everything);
	assert_int_equal(profile->distribution_count + profile->slow_call_count, 0);
	profile_free(profile);
	fixture_sql(path, "UPDATE session SET scoped = 0, watches = 0", NULL, 0);
	profile = read_wanted(path, &everything);
	assert_int_equal(profile->distribution_count + profile->slow_call_count, 0);
	profile_free(profile);
}

/* ---- tags ---- */

/* Below the root a call of 2 under the tags x and k, and one of 3 under x and l; each used 10 times its method. */
static void put_tags(const char *path)
{
	static const uint64_t used[3][2 * FIXTURE_METRICS] = {{1}, {20}, {30}};
	static const char *const text[] = {"x", "k", "l"};
	struct profile_writer *writer = fixture_create(path, FIXTURE_METRICS);
	struct error error = {0};

	profile_begin(writer, &error);
	fixture_put(writer, 0, 0, 0, &error);
	PUT((struct profile_session){.id = 1,
		.bit = 1,
		.name = "s",
		.owner = "o",
		.ended = PROFILE_NOT_KNOWN,
		.options = "{}",
		.metrics = 7,
		.tag = "a=x"});
	PUT((struct profile_parameter){1, "a", true, 0});
	PUT((struct profile_parameter){2, "b", true, 255});
	for (uint32_t v = 0; v < 3; v++)
		PUT((struct profile_value){1 + v, v ? 2 : 1, text[v], false});
	for (uint32_t s = 0; s < 2; s++) {
		PUT((struct profile_tag){1 + 2 * s, 2 + s, 1});
		PUT((struct profile_tag){2 + 2 * s, 2 + s, 2 + s});
	}
	PUT((struct profile_thread){.id = 1, .name = "t", .folded = 1, .wanted = 255});
	PUT((struct profile_node){.thread = 1, .base = used[0]});
	for (uint32_t i = 0; i < 2; i++) {
		PUT((struct profile_node){
			.thread = 1, .id = 1 + 2 * i, .tags = 2 + i, .base = used[0]});
		PUT((struct profile_node){.thread = 1,
			.id = 2 + 2 * i,
			.parent = 1 + 2 * i,
			.method = 2 + i,
			.calls = 1,
			.jitted = 1,
			.base = used[1 + i]});
	}
	profile_put_meta(writer, "session", "1", &error);
	profile_commit(writer, &error);
	close_writer(writer);
}

/* A scope is a choice, and a reader's choice is within it. */
static void scope_and_choice(void **state)
{
	static const struct {
		int line;
		const char *scope, *tag;
		uint64_t total; /* 0: nothing was done */
	} rows[] = {
		{__LINE__, "a=x", NULL, 52},
		{__LINE__, "a=x", "b=k", 21},
		{__LINE__, "a=*", "a=x", 52},
		{__LINE__, "b=k", NULL, 21},
		{__LINE__, "b=k", "b=*", 21},
		{__LINE__, "b=k", "b=l", 0},
		{__LINE__, "b=k", "a=x", 0}, /* it did not ask for that key */
		{__LINE__, "a=y", NULL, 0},
	};
	const char *path = fixture_path("tags.jprof");

	put_tags(path);
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		char sql[96], *tag = (char *)(uintptr_t)rows[i].tag;
		const struct label_choice choice = {.tags = {.pattern = &tag, .count = 1}};
		const struct profile_wanted wanted = {.labels = tag ? &choice : NULL};
		struct profile *profile = NULL;
		struct error error = {0};
		int status;

		snprintf(sql, sizeof sql, "UPDATE session SET tag = '%s'", rows[i].scope);
		fixture_sql(path, sql, NULL, 0);
		status = profile_open_wanted(&profile, path, &wanted, &error);
		if (tag && rows[i].total == 0) {
			assert_int_equal(status, -ERROR_MISSING);
			continue;
		}
		assert_int_equal(status, 0);
		if (profile->thread_count != (rows[i].total > 0) ||
			(rows[i].total > 0 && profile->thread[0].total[0] != rows[i].total))
			fail_msg("line %d: %lu", rows[i].line,
				profile->thread_count ? profile->thread[0].total[0] : 0);
		profile_free(profile);
	}
}

/* What counting cost is told of what the session wants: of its threads and conditions. */
static void counting(void **state)
{
	static const uint64_t base[2 * FIXTURE_METRICS];
	const char *path = fixture_path("counted.jprof");
	struct profile_writer *writer = fixture_create(path, FIXTURE_METRICS);
	struct profile *profile;
	struct error error = {0};

	profile_begin(writer, &error);
	for (uint32_t c = 0; c < 2; c++)
		PUT((struct profile_condition){
			c, c ? "wall:1ms" : "cpu:1ms", "e", 1000000, "ns", "by hand"});
	PUT((struct profile_session){.id = 1,
		.bit = 1,
		.name = "s",
		.owner = "o",
		.ended = PROFILE_NOT_KNOWN,
		.options = "{}",
		.conditions = 2,
		.tag = "a=x"});
	PUT((struct profile_method){.id = METHOD_FIRST, .name = "m", .wanted = 2});
	PUT((struct profile_parameter){1, "a", true, 2});
	PUT((struct profile_value){1, 1, "x", false});
	PUT((struct profile_tag){1, 2, 1});
	for (uint32_t id = 1; id <= 2; id++) {
		PUT((struct profile_thread){
			.id = id, .name = "t", .folded = 1, .wanted = id == 1 ? 2 : 1});
		PUT((struct profile_node){.thread = id, .base = base});
		PUT((struct profile_node){.thread = id, .id = 1, .tags = 2, .base = base});
		PUT((struct profile_account){id, 1, 0, METHOD_FIRST, CALLS, 10 * id, 0, 0, 0});
		for (uint32_t c = 0; c < 2; c++)
			PUT((struct profile_account){id, 2 + c, 1,
				sample_place(c, SAMPLE_JPROF, 0), SAMPLES, 1, 0, 100 * id + c,
				0});
	}
	profile_put_meta(writer, "session", "1", &error);
	profile_commit(writer, &error);
	assert_string_equal(error.text, "");
	close_writer(writer);
	profile = read_interval(path, NULL);
	assert_int_equal(profile->unlabelled_calls, 10);
	assert_int_equal(profile->condition_count, 1);
	assert_int_equal(profile->counting_samples[0], 101);
	assert_non_null(profile->labelled);
	assert_int_equal(profile->labelled->counting_samples[0], 101);
	profile_free(profile);
}

/* Instructions are those of a session that asks for them; which methods were compiled, of one that takes samples, too. */
static void code(void **state)
{
	static const struct {
		uint32_t conditions, keeps, code, machine_code;
	} rows[] = {{0, 0, 0, 0}, {1, 0, 1, 0}, {0, 1, 1, 1}, {1, 1, 1, 1}};
	static const struct profile_wanted wanted = {.code = true, .machine_code = true};
	const char *path = fixture_path("code.jprof");
	struct profile_writer *writer = fixture_create(path, FIXTURE_METRICS);
	struct error error = {0};

	fixture_session(writer, 1, 1, 0, &error);
	profile_begin(writer, &error);
	fixture_put(writer, 1, 1, 1, &error);
	PUT((struct profile_code){.id = 1, .name = "c", .size = 2});
	PUT((struct profile_machine_code){.id = 1, .bytes = {(const uint8_t *)"ab", 2}});
	profile_commit(writer, &error);
	assert_string_equal(error.text, "");
	close_writer(writer);
	be_session(path, 1);
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		struct profile *profile;
		char sql[96];

		snprintf(sql, sizeof sql, "UPDATE session SET conditions = %u, code = %u",
			rows[i].conditions, rows[i].keeps);
		fixture_sql(path, sql, NULL, 0);
		profile = read_wanted(path, &wanted);
		assert_int_equal(profile->code_count, rows[i].code);
		assert_int_equal(profile->machine_code_count, rows[i].machine_code);
		profile_free(profile);
	}
}

/* ---- slices ---- */

static void slices(void **state)
{
	static const struct profile_snapshot begin = {1, NULL, 2 * SECOND, SNAPSHOT_SESSION, 1};
	const char *path = fixture_path("slices.jprof");
	const struct profile_wanted use = {.slice_use = true, .interval = "@0s.."},
				    late = {.slice_use = true, .interval = "@3s..@4s"};
	struct profile_writer *writer = fixture_create(path, FIXTURE_METRICS);
	struct profile *profile;
	struct error error = {0};

	fixture_session(writer, 1, 1, 1, &error);
	profile_keep_slices(writer, SECOND, &error);
	for (uint32_t round = 1; round <= 5; round++) {
		profile_begin(writer, &error);
		profile_begin_slice(writer, round * SECOND, &error);
		fixture_put(writer, 2, 8, round, &error);
		PUT((struct profile_thread){
			.id = 2, .name = "others", .folded = 1, .wanted = 1});
		for (uint32_t i = 0; i < 8; i++)
			PUT((struct profile_method){
				.id = METHOD_FIRST + i, .name = "m", .wanted = i % 2 ? 1 : 3});
		profile_end_slice(writer, &error);
		if (round == 2)
			profile_put_snapshot(writer, &begin, &error);
		profile_commit(writer, &error);
	}
	assert_string_equal(error.text, "");
	close_writer(writer);
	be_session(path, 1);
	profile = read_wanted(path, &use);
	assert_int_equal(profile->slice_count, 3);
	assert_int_equal(profile->interval.begin, 2 * SECOND);
	/* Of the first thread the nodes 0, 2, 4 and 6; `calls` rises by 1 each round. */
	assert_int_equal(profile->slice_use_count, 3);
	for (int i = 0; i < 3; i++) {
		assert_int_equal(profile->slice_use[i].thread, 1);
		assert_int_equal(profile->slice_use[i].calls, 4);
	}
	profile_free(profile);
	profile = read_wanted(path, &late);
	assert_int_equal(profile->interval.slices, 1);
	assert_int_equal(profile->slice_use_count, 1);
	profile_free(profile);
	/* There is nothing before its begin, whatever the end is. */
	profile = read_interval(path, "..@4s");
	assert_non_null(profile->interval.from);
	assert_string_equal(profile->interval.from->label, "(begin)");
	assert_int_equal(profile->interval.begin, 2 * SECOND);
	assert_int_equal(profile->interval.end, 4 * SECOND);
	profile_free(profile);
}

/* Slices become few, but the one that ends where a session begins goes on to do so. */
static void slices_end_at_begins(void **state)
{
	static const struct profile_snapshot begin = {1, NULL, 4 * SECOND, SNAPSHOT_SESSION, 1};
	const char *path = fixture_path("joined.jprof");
	struct profile_writer *writer = fixture_create(path, FIXTURE_METRICS);
	struct profile *profile;
	struct error error = {0};

	fixture_session(writer, 1, 1, 1, &error);
	profile_keep_slices(writer, SECOND, &error);
	profile_bound_slices(writer, 2, 1000000);
	for (uint32_t round = 1; round <= 12; round++) {
		profile_begin(writer, &error);
		profile_begin_slice(writer, round * SECOND, &error);
		fixture_put(writer, 2, 8, round, &error);
		profile_end_slice(writer, &error);
		if (round == 4)
			profile_put_snapshot(writer, &begin, &error);
		profile_commit(writer, &error);
	}
	assert_string_equal(error.text, "");
	close_writer(writer);
	profile = read_interval(path, "@0s..");
	assert_in_range(profile->slice_count, 2, 4);
	profile_free(profile);
	be_session(path, 1);
	profile = read_interval(path, "@0s..");
	assert_int_equal(profile->interval.begin, 4 * SECOND);
	assert_int_equal(profile->slice[0].began, 4 * SECOND);
	/* Once a round. */
	assert_int_equal(profile->node[7].interpreted, 12 - 4);
	profile_free(profile);
}

/* Calls with a value are their method's, counted once; what is no operation of I/O is not one. */
static void use_of_slices(void **state)
{
	static const uint64_t base[2 * FIXTURE_METRICS];
	static const struct profile_wanted use = {.slice_use = true};
	const char *path = fixture_path("use.jprof");
	struct profile_writer *writer = fixture_create(path, FIXTURE_METRICS);
	struct error error = {0};

	fixture_session(writer, 1, 1, 0, &error);
	profile_keep_slices(writer, SECOND, &error);
	profile_begin(writer, &error);
	profile_begin_slice(writer, SECOND, &error);
	PUT((struct profile_method){.id = METHOD_FIRST, .name = "m", .wanted = 2});
	PUT((struct profile_parameter){1, "p", false, 2});
	PUT((struct profile_value){1, 1, "v", false});
	PUT((struct profile_thread){.id = 1, .name = "t", .folded = 1, .wanted = 2});
	PUT((struct profile_node){.thread = 1, .base = base});
	PUT((struct profile_node){.thread = 1,
		.id = 1,
		.method = METHOD_FIRST,
		.calls = 5,
		.jitted = 5,
		.base = base});
	PUT((struct profile_node){.thread = 1,
		.id = 2,
		.parent = 1,
		.method = METHOD_FIRST,
		.value = 1,
		.calls = 3,
		.jitted = 3,
		.base = base});
	PUT((struct profile_account){1, 1, 1, 0, IO_READ, 1, 0, 7, 70});
	PUT((struct profile_account){1, 2, 1, 0, IO_CPU, 2, 0, 0, 50});
	PUT((struct profile_account){1, 3, 1, 0, PAUSES, 4, 0, 0, 700});
	PUT((struct profile_account){1, 4, 1, 1, VALUE_ROWS, 8, 0, 9, 0});
	profile_end_slice(writer, &error);
	profile_commit(writer, &error);
	assert_string_equal(error.text, "");
	close_writer(writer);
	for (int shared = 0; shared < 2; shared++) {
		struct profile *profile = read_wanted(path, &use);

		assert_int_equal(profile->session != NULL, shared);
		assert_int_equal(profile->slice_use_count, 1);
		assert_int_equal(profile->slice_use[0].calls, 5);
		assert_int_equal(profile->slice_use[0].ops, 1);
		assert_int_equal(profile->slice_use[0].bytes, 7);
		assert_int_equal(profile->slice_use[0].io_ns, 70);
		profile_free(profile);
		be_session(path, 1);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(intervals),
		cmocka_unit_test(own_snapshots),
		cmocka_unit_test(never_shared),
		cmocka_unit_test(impossible),
		cmocka_unit_test(others),
		cmocka_unit_test(waits),
		cmocka_unit_test(leads_to_the_caller),
		cmocka_unit_test(traces),
		cmocka_unit_test(watched_calls),
		cmocka_unit_test(scope_and_choice),
		cmocka_unit_test(counting),
		cmocka_unit_test(code),
		cmocka_unit_test(slices),
		cmocka_unit_test(slices_end_at_begins),
		cmocka_unit_test(use_of_slices),
	};

	return cmocka_run_group_tests(tests, NULL, clean);
}
