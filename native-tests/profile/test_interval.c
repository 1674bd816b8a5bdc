/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/* Intervals: which one is meant, and what the difference of two states made by hand is. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "fixture.h"

/* ---- which one ---- */

static void labels(void **state)
{
	static const struct {
		int line;
		const char *interval;
		uint64_t rounds; /* between; 0: refused */
		enum error_code code;
		const char *part;
	} rows[] = {
		{__LINE__, NULL, 10, ERROR_NONE, "reset2"},
		{__LINE__, "a..", 30, ERROR_NONE, "a"},
		{__LINE__, "a..b", 6, ERROR_NONE, "a"},
		{__LINE__, "b..reset2", 6, ERROR_NONE, "b"}, /* the label goes first */
		{__LINE__, "reset1..b", 4, ERROR_NONE, "reset1"},
		{__LINE__, "reset2..", 18, ERROR_NONE, "reset2"},
		{__LINE__, "b..a", 0, ERROR_VALUE, "'b' is not before 'a'"},
		{__LINE__, "a..a", 0, ERROR_VALUE, "'a' is not before 'a'"},
		{__LINE__, "a", 0, ERROR_USAGE, "'a' is no interval: say A..B"},
		{__LINE__, "", 0, ERROR_USAGE, "'' is no interval"},
		{__LINE__, "a...", 0, ERROR_MISSING, "no snapshot '.'"},
		{__LINE__, "c..b", 0, ERROR_MISSING,
			"no snapshot 'c'; it has: a (at 10.000 s), reset1 (at 20.500 s), b "
			"(at "},
		{__LINE__, "a..reset3", 0, ERROR_MISSING, "no snapshot 'reset3'"},
	};
	const char *path = fixture_path("labels.jprof");

	fixture_snapshots(path, 2, 7);
	for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
		const struct profile_wanted wanted = {.interval = rows[i].interval};
		struct profile *profile;
		struct error error = {0};
		int status = profile_open_wanted(&profile, path, &wanted, &error);

		if (status != -(int)rows[i].code ||
			!strstr(status ? error.text : profile->interval.from->label,
				rows[i].part))
			fail_msg("row of line %d: %d %s", rows[i].line, status, error.text);
		if (status == 0 &&
			(profile->thread[1].events != rows[i].rounds ||
				profile->thread[1].mounts != rows[i].rounds ||
				profile->thread[1].carrier_ns != 7 * rows[i].rounds ||
				profile->thread[1].waited_ns != 11 * rows[i].rounds ||
				profile->node[9].base[1] != 2 * rows[i].rounds ||
				profile->node[9].spent[1] < rows[i].rounds ||
				profile->node[9].spent[1] > 2 * rows[i].rounds ||
				profile->node_count != 14))
			fail_msg(
				"row of line %d: %lu", rows[i].line, profile->thread[1].events);
		profile_free(profile);
	}
}

/* Dots at the ends of labels. */
static void dots(void **state)
{
	static const struct profile_snapshot snapshots[] = {
		{1, "a.", 1, SNAPSHOT_NAMED, 0},
		{2, ".b", 2, SNAPSHOT_NAMED, 0},
		{3, ".", 3, SNAPSHOT_NAMED, 0},
	};
	static const struct {
		const char *interval, *from, *to;
	} rows[] = {
		{"a....b", "a.", ".b"},
		{"a...", "a.", NULL},
		{"...b", NULL, ".b"},
		{"a....", "a.", "."},
	};
	const char *path = fixture_path("dots.jprof");
	struct profile_writer *writer;
	struct error error = {0};

	profile_create(&writer, path, fixture_metrics, FIXTURE_METRICS, NULL, &error);
	for (uint64_t i = 0; i < 3; i++)
		fixture_keep(writer, 1, 3, i, &snapshots[i], &error);
	profile_close(writer, &error);
	assert_string_equal(error.text, "");
	for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
		const struct profile_wanted wanted = {.interval = rows[i].interval};
		struct profile *profile;

		profile_open_wanted(&profile, path, &wanted, &error);
		assert_string_equal(error.text, "");
		if (rows[i].from)
			assert_string_equal(profile->interval.from->label, rows[i].from);
		if (rows[i].to)
			assert_string_equal(profile->interval.to->label, rows[i].to);
		assert_true(!profile->interval.from == !rows[i].from);
		assert_true(!profile->interval.to == !rows[i].to);
		profile_free(profile);
	}
}

static struct profile *open_interval(const char *path, const char *interval)
{
	const struct profile_wanted wanted = {.marks = true, .interval = interval};
	struct profile *profile;
	struct error error = {0};

	profile_open_wanted(&profile, path, &wanted, &error);
	assert_string_equal(error.text, "");
	return profile;
}

static void damaged(void **state)
{
	static const struct {
		int line;
		const char *sql, *part; /* NULL: it does no harm */
	} rows[] = {
		{__LINE__, "DROP TABLE mark", "no table 'mark'"},
		{__LINE__, "DROP TABLE snapshot_node", "no table 'snapshot_node'"},
		{__LINE__, "DROP TABLE snapshot_thread", "no table 'snapshot_thread'"},
		{__LINE__, "DROP TABLE snapshot_account", "no table 'snapshot_account'"},
		{__LINE__,
			"ALTER TABLE snapshot_account RENAME TO s;"
			"CREATE VIEW snapshot_account AS SELECT * FROM s",
			"no table 'snapshot_account'"},
		{__LINE__, "ALTER TABLE snapshot_node RENAME COLUMN snapshot TO s",
			"no column 'snapshot'"},
		{__LINE__, "UPDATE snapshot SET id = -1 WHERE id = 2", "impossible 'id'"},
		{__LINE__, "UPDATE snapshot SET id = 4294967296 WHERE id = 2",
			"impossible 'id'"},
		{__LINE__, "UPDATE snapshot SET kind = 'x' WHERE id = 2", "impossible 'kind'"},
		{__LINE__, "UPDATE snapshot SET kind = NULL WHERE id = 2", "impossible 'kind'"},
		{__LINE__, "UPDATE snapshot SET label = NULL, at = -5 WHERE id = 5", NULL},
		{__LINE__, "DELETE FROM snapshot_node WHERE snapshot = 1 AND id & 15 = 2",
			"impossible parent"},
		{__LINE__, "DELETE FROM snapshot_thread WHERE snapshot = 1 AND id = 2",
			"unknown thread"},
		{__LINE__, "UPDATE snapshot_node SET parent = id WHERE snapshot = 3",
			"impossible 'parent'"},
		{__LINE__, "UPDATE snapshot_node SET method = 4000000 WHERE snapshot = 3",
			"unknown method"},
		{__LINE__,
			"INSERT INTO snapshot_account VALUES(1, 4294967296, 1, 4294967399, 1, "
			"'read',"
			"1, 0, 1, 1)",
			"unknown call path"},
		/* Others than those of the interval are not read. */
		{__LINE__, "UPDATE snapshot_node SET parent = id WHERE snapshot = 2", NULL},
		/* Whole threads that were never there. */
		{__LINE__,
			"DELETE FROM snapshot_node WHERE snapshot = 1;"
			"DELETE FROM snapshot_thread WHERE snapshot = 1",
			NULL},
		{__LINE__,
			"DELETE FROM snapshot_node WHERE snapshot = 3;"
			"DELETE FROM snapshot_thread WHERE snapshot = 3",
			NULL},
		/* Counts that fell. */
		{__LINE__,
			"UPDATE snapshot_node SET base_0 = 0, calls = 0, jitted = -1 "
			"WHERE snapshot = 3",
			NULL},
	};

	for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
		const struct profile_wanted wanted = {.marks = true, .interval = "a..b"};
		const char *path = fixture_path("damaged.jprof");
		struct profile *profile;
		struct error error = {0};

		unlink(path);
		fixture_snapshots(path, 2, 7);
		fixture_sql(path, rows[i].sql, NULL, 0);
		profile_open_wanted(&profile, path, &wanted, &error);
		if (rows[i].part ? error.code != ERROR_FORMAT ||
					   !strstr(error.text, rows[i].part)
				 : error.code != ERROR_NONE)
			fail_msg("row of line %d: %s", rows[i].line, error.text);
		profile_free(profile);
	}
}

/* ---- what the difference is ---- */

/* Threads that states are made of. */
enum {
	MAIN = 1,
	WORKER = 3,
	OTHER = 4,
	VIRTUAL = 5,
	VIRTUAL_OTHER = 6,
	VIRTUALS = 8,
	WORKERS = 9,
	STAR = 12,
	VIRTUAL_STAR = 13
};

static const struct profile_thread threads[] = {
	{.id = MAIN, .java_id = 1, .os_id = 1, .name = "main", .alive = true, .folded = 1},
	{.id = WORKER, .java_id = 2, .os_id = 2, .name = "worker-17", .folded = 1},
	{.id = OTHER, .java_id = 3, .os_id = 3, .name = "other", .folded = 1},
	{.id = VIRTUAL, .java_id = 4, .name = "worker-18", .is_virtual = true, .folded = 1},
	{.id = VIRTUAL_OTHER, .java_id = 5, .name = "other", .is_virtual = true, .folded = 1},
	{.id = VIRTUALS, .name = "worker-*", .is_virtual = true, .alive = true, .folded = 9},
	{.id = WORKERS, .name = "worker-*", .folded = 2},
	{.id = STAR, .name = "*", .folded = 2},
	{.id = VIRTUAL_STAR, .name = "*", .is_virtual = true, .folded = 2},
};

/* A node. thread 0: the end. */
struct line {
	uint32_t thread, id, parent, method;
	uint64_t calls, wall;
};

#define ROOT  0, 0, 0, 0, 0
#define LINES 12
#define FOLD  METHOD_FOLDED

/* The two states, what was folded between them, and the difference. */
static const struct difference {
	int line;
	const char *what;
	uint64_t clamped;
	struct line from[LINES], to[LINES];
	struct profile_forward forward[LINES];
	struct line is[LINES];
} differences[] = {
	{__LINE__, "nothing folded; what did nothing is left out", 0,
		{{MAIN, ROOT}, {MAIN, 1, 0, 2, 5, 50}, {MAIN, 2, 1, 3, 7, 70},
			{MAIN, 3, 2, 4, 1, 10}, {OTHER, ROOT}, {OTHER, 1, 0, 2, 1, 1}},
		{{MAIN, ROOT}, {MAIN, 1, 0, 2, 5, 50}, {MAIN, 2, 1, 3, 7, 70},
			{MAIN, 3, 2, 4, 3, 11}, {MAIN, 4, 0, 5, 1, 2}, {MAIN, 5, 0, 6, 0, 0},
			{OTHER, ROOT}, {OTHER, 1, 0, 2, 1, 1}},
		{{0}},
		{{MAIN, ROOT}, {MAIN, 1, 0, 2, 0, 0}, {MAIN, 2, 1, 3, 0, 0},
			{MAIN, 3, 2, 4, 2, 1}, {MAIN, 4, 0, 5, 1, 2}}},
	{__LINE__, "two were folded, each into the flat node of its method", 0,
		{{MAIN, ROOT}, {MAIN, 1, 0, 2, 5, 50}, {MAIN, 2, 1, 3, 7, 70},
			{MAIN, 3, 1, 4, 1, 10}},
		{{MAIN, ROOT}, {MAIN, 1, 0, 2, 6, 50}, {MAIN, 4, 1, FOLD, 0, 0},
			{MAIN, 5, 4, 4, 2, 10}, {MAIN, 6, 4, 3, 8, 90}},
		{{MAIN, 2, MAIN, 6}, {MAIN, 3, MAIN, 5}},
		{{MAIN, ROOT}, {MAIN, 1, 0, 2, 1, 0}, {MAIN, 4, 1, FOLD, 0, 0},
			{MAIN, 5, 4, 4, 1, 0}, {MAIN, 6, 4, 3, 1, 20}}},
	{__LINE__, "the same path was made anew: it is another node", 0,
		{{MAIN, ROOT}, {MAIN, 1, 0, 2, 5, 50}, {MAIN, 2, 1, 3, 7, 70},
			{MAIN, 3, 1, 4, 1, 10}},
		{{MAIN, ROOT}, {MAIN, 1, 0, 2, 5, 50}, {MAIN, 3, 1, 4, 1, 10},
			{MAIN, 4, 1, FOLD, 0, 0}, {MAIN, 5, 4, 3, 7, 71},
			{MAIN, 6, 1, 3, 8, 99}},
		{{MAIN, 2, MAIN, 5}},
		{{MAIN, ROOT}, {MAIN, 1, 0, 2, 0, 0}, {MAIN, 4, 1, FOLD, 0, 0},
			{MAIN, 5, 4, 3, 0, 1}, {MAIN, 6, 1, 3, 8, 99}}},
	{__LINE__, "the new node counts less", 0,
		{{MAIN, ROOT}, {MAIN, 1, 0, 2, 5, 50}, {MAIN, 2, 1, 3, 7, 70},
			{MAIN, 3, 1, 4, 4, 10}},
		{{MAIN, ROOT}, {MAIN, 1, 0, 2, 5, 50}, {MAIN, 4, 1, FOLD, 0, 0},
			{MAIN, 5, 4, 3, 7, 70}, {MAIN, 6, 4, 4, 4, 10}, {MAIN, 7, 1, 4, 2, 90}},
		{{MAIN, 2, MAIN, 5}, {MAIN, 3, MAIN, 6}},
		{{MAIN, ROOT}, {MAIN, 1, 0, 2, 0, 0}, {MAIN, 7, 1, 4, 2, 90}}},
	{__LINE__, "a caller was folded, and made anew with what it calls", 0,
		{{MAIN, ROOT}, {MAIN, 1, 0, FOLD, 0, 0}, {MAIN, 2, 1, 4, 1, 1},
			{MAIN, 3, 0, 2, 5, 50}, {MAIN, 4, 3, 3, 7, 70}, {MAIN, 5, 4, 4, 4, 10}},
		{{MAIN, ROOT}, {MAIN, 1, 0, FOLD, 0, 0}, {MAIN, 2, 1, 4, 6, 12},
			{MAIN, 6, 1, 2, 5, 50}, {MAIN, 7, 1, 3, 7, 70}, {MAIN, 8, 0, 2, 1, 1},
			{MAIN, 9, 8, 3, 9, 90}, {MAIN, 10, 9, 4, 9, 90}},
		{{MAIN, 3, MAIN, 6}, {MAIN, 4, MAIN, 7}, {MAIN, 5, MAIN, 2}},
		{{MAIN, ROOT}, {MAIN, 1, 0, FOLD, 0, 0}, {MAIN, 2, 1, 4, 1, 1},
			{MAIN, 8, 0, 2, 1, 1}, {MAIN, 9, 8, 3, 9, 90},
			{MAIN, 10, 9, 4, 9, 90}}},
	{__LINE__, "a fold of before was folded with its owner", 0,
		{{MAIN, ROOT}, {MAIN, 1, 0, FOLD, 0, 0}, {MAIN, 2, 0, 2, 5, 50},
			{MAIN, 3, 2, FOLD, 0, 0}, {MAIN, 4, 3, 4, 7, 70}},
		{{MAIN, ROOT}, {MAIN, 1, 0, FOLD, 0, 0}, {MAIN, 5, 1, 2, 5, 50},
			{MAIN, 6, 1, 4, 8, 71}},
		{{MAIN, 2, MAIN, 5}, {MAIN, 3, MAIN, 1}, {MAIN, 4, MAIN, 6}},
		{{MAIN, ROOT}, {MAIN, 1, 0, FOLD, 0, 0}, {MAIN, 6, 1, 4, 1, 1}}},
	{__LINE__, "a delta that is told of the node after it", 0,
		{{MAIN, ROOT}, {MAIN, 1, 0, 2, 5, 50}, {MAIN, 2, 1, 3, 7, 75}},
		{{MAIN, 0, 0, 0, 0, 99}, {MAIN, 1, 0, 2, 5, 60}, {MAIN, 2, 1, 3, 8, 70}}, {{0}},
		{{MAIN, 0, 0, 0, 0, 99}, {MAIN, 1, 0, 2, 0, 5}, {MAIN, 2, 1, 3, 1, 0}}},
	{__LINE__, "a thread that was folded into its row since", 0,
		{{MAIN, ROOT}, {WORKER, 0, 0, 0, 0, 3}, {WORKER, 1, 0, 2, 5, 50},
			{WORKERS, 0, 0, 0, 0, 4}, {WORKERS, 1, 0, 2, 3, 30}},
		{{MAIN, ROOT}, {WORKERS, 0, 0, 0, 0, 8}, {WORKERS, 1, 0, 2, 9, 80}},
		{{WORKER, 0, WORKERS, 0}, {WORKER, 1, WORKERS, 1}},
		{{WORKERS, 0, 0, 0, 0, 1}, {WORKERS, 1, 0, 2, 1, 0}}},
	{__LINE__, "a node was folded, then its thread, and then the row of that", 0,
		{{OTHER, 0, 0, 0, 0, 3}, {OTHER, 1, 0, 2, 1, 10}},
		{{STAR, 0, 0, 0, 0, 8}, {STAR, 1, 0, FOLD, 0, 0}, {STAR, 3, 1, 2, 4, 11}},
		{{OTHER, 0, WORKERS, 0}, {OTHER, 1, OTHER, 7}, {OTHER, 7, WORKERS, 5},
			{WORKERS, 0, STAR, 0}, {WORKERS, 5, STAR, 3}},
		{{STAR, 0, 0, 0, 0, 5}, {STAR, 1, 0, FOLD, 0, 0}, {STAR, 3, 1, 2, 3, 1}}},
	{__LINE__, "forwards in a circle lead nowhere", 2,
		{{MAIN, 0, 0, 0, 0, 1}, {MAIN, 1, 0, 2, 0, 0}, {MAIN, 2, 0, 3, 0, 0}},
		{{MAIN, 0, 0, 0, 0, 2}, {MAIN, 4, 0, 2, 1, 5}},
		{{MAIN, 1, MAIN, 2}, {MAIN, 2, MAIN, 1}},
		{{MAIN, 0, 0, 0, 0, 1}, {MAIN, 4, 0, 2, 1, 5}}},
	{__LINE__, "a thread that is nowhere, with its root", 2,
		{{OTHER, 0, 0, 0, 0, 3}, {MAIN, 0, 0, 0, 0, 1}}, {{MAIN, 0, 0, 0, 0, 2}}, {{0}},
		{{MAIN, 0, 0, 0, 0, 1}}},
	{__LINE__, "counts that fell", 2, {{MAIN, 0, 0, 0, 0, 3}, {MAIN, 1, 0, 2, 1, 5}},
		{{MAIN, 0, 0, 0, 0, 1}, {MAIN, 1, 0, 2, 2, 5}}, {{0}},
		{{MAIN, ROOT}, {MAIN, 1, 0, 2, 1, 0}}},
};

static void put_line(
	struct profile_writer *writer, const struct line *line, struct error *error)
{
	const struct profile_node node = {.thread = line->thread,
		.id = line->id,
		.parent = line->parent,
		.method = line->method,
		.calls = line->calls,
		.jitted = line->calls,
		.transition = {{0, line->calls}, {0, 0}},
		.base = &line->wall};

	profile_put(writer, &node, error);
}

static void put_state(
	struct profile_writer *writer, const struct line *lines, struct error *error)
{
	for (size_t t = 0; t < sizeof threads / sizeof threads[0]; t++) {
		struct profile_thread thread = threads[t];
		uint32_t nodes = 0;

		profile_drop_thread(writer, thread.id, error);
		for (const struct line *line = lines; line->thread; line++) {
			if (line->thread != thread.id)
				continue;
			put_line(writer, line, error);
			nodes++;
			thread.events += line->calls;
			thread.total[0] += line->wall;
		}
		if (nodes > 0)
			profile_put(writer, &thread, error);
	}
}

static void make_difference(const char *path, const struct difference *row)
{
	static const struct profile_metric wall = {
		.name = "wall", .unit = "ns", .how = "by hand"};
	const struct profile_snapshot snapshot = {1, "a", 1, SNAPSHOT_NAMED, 0};
	struct profile_writer *writer;
	struct error error = {0};

	profile_create(&writer, path, &wall, 1, NULL, &error);
	profile_begin(writer, &error);
	for (uint32_t i = METHOD_FIRST; i < 8; i++) {
		const struct profile_method method = {
			.id = i, .class_name = "A", .name = "m", .signature = "()V"};
		profile_put(writer, &method, &error);
	}
	put_state(writer, row->from, &error);
	profile_put_snapshot(writer, &snapshot, &error);
	put_state(writer, row->to, &error);
	for (size_t i = 0; row->forward[i].thread; i++)
		profile_put(writer, &row->forward[i], &error);
	profile_commit(writer, &error);
	profile_close(writer, &error);
	assert_string_equal(error.text, "");
}

static void check_difference(const struct profile *profile, const struct difference *row)
{
	size_t i = 0;

	for (; row->is[i].thread; i++) {
		const struct line *line = &row->is[i];
		const struct profile_node *node = &profile->node[i];

		if (i >= profile->node_count ||
			profile->thread[node->thread].id != line->thread ||
			node->id != line->id ||
			profile->node[node->parent].id != line->parent ||
			node->method != line->method || node->calls != line->calls ||
			node->jitted != line->calls || node->transition[0][1] != line->calls ||
			node->base[0] != line->wall)
			fail_msg("row of line %d, %s: node %zu: thread %u, id %u, method "
				 "%u, %lu calls, %lu ns",
				row->line, row->what, i, profile->thread[node->thread].id,
				node->id, node->method, node->calls, node->base[0]);
		/* All calls are jitted. */
		if (line->method >= METHOD_FIRST)
			assert_int_equal(node->earlier, line->calls ? 0 : 2);
	}
	if (profile->node_count != i || profile->interval.clamped != row->clamped)
		fail_msg("row of line %d, %s: %zu nodes, %lu clamped", row->line, row->what,
			profile->node_count, profile->interval.clamped);
	for (size_t t = 0; t < profile->thread_count; t++) {
		uint64_t wall = 0;

		for (i = profile->thread_first[t]; i < profile->thread_first[t + 1]; i++)
			wall += profile->node[i].base[0];
		assert_int_equal(wall, profile->thread[t].total[0]);
	}
}

static void put_sequence(struct profile_writer *writer, uint32_t code, uint64_t count,
	uint64_t sum, uint64_t min)
{
	const struct profile_sequence sequence = {.code = code,
		.second = "jitted",
		.end = "unwind",
		.count = count,
		.sum = &sum,
		.min = &min};
	struct error error = {0};

	assert_int_equal(profile_put(writer, &sequence, &error), 0);
}

static void check_sequences(const char *path, const char *interval,
	const struct profile_sequence *expected, size_t count)
{
	const struct profile_wanted wanted = {.interval = interval};
	struct profile *profile;
	struct error error = {0};

	assert_int_equal(profile_open_wanted(&profile, path, &wanted, &error), 0);
	assert_int_equal(profile->sequence_count, count);
	for (size_t i = 0; i < count; i++) {
		assert_int_equal(profile->sequence[i].code, expected[i].code);
		assert_int_equal(profile->sequence[i].count, expected[i].count);
		assert_int_equal(profile->sequence[i].sum[0], *expected[i].sum);
		assert_int_equal(profile->sequence[i].min[0], *expected[i].min);
	}
	profile_free(profile);
}

/* One that goes on, one that has stopped, one that is new. */
static void sequences(void **state)
{
	static const struct profile_metric wall = {
		.name = "wall", .unit = "ns", .how = "by hand"};
	static const uint64_t number[] = {0, 1, 2, 3, 4, 5, 50, 80, 100};
	static const struct profile_sequence before[] = {
		{.code = 3, .count = 10, .sum = &number[6], .min = &number[4]},
		{.code = 5, .count = 7, .sum = &number[8], .min = &number[5]}};
	static const struct profile_sequence after[] = {
		{.code = 4, .count = 1, .sum = &number[1], .min = &number[1]},
		{.code = 5, .count = 2, .sum = &number[7], .min = &number[3]}};
	const struct profile_snapshot snapshot = {1, "a", 1, SNAPSHOT_NAMED, 0};
	const char *path = fixture_path("interval-sequences.jprof");
	struct profile_writer *writer;
	struct error error = {0};

	profile_create(&writer, path, &wall, 1, NULL, &error);
	profile_begin(writer, &error);
	put_sequence(writer, 3, 10, 50, 4);
	put_sequence(writer, 5, 7, 100, 5);
	profile_put_snapshot(writer, &snapshot, &error);
	put_sequence(writer, 4, 1, 1, 1);
	put_sequence(writer, 5, 9, 180, 3);
	profile_commit(writer, &error);
	profile_close(writer, &error);
	assert_string_equal(error.text, "");
	check_sequences(path, "..a", before, 2);
	check_sequences(path, "a..", after, 2);
}

static void by_hand(void **state)
{
	const char *path = fixture_path("difference.jprof");

	for (size_t i = 0; i < sizeof differences / sizeof differences[0]; i++) {
		const struct profile_wanted wanted = {.interval = "a.."};
		struct profile *profile = NULL;
		struct error error = {0};

		unlink(path);
		make_difference(path, &differences[i]);
		profile_open_wanted(&profile, path, &wanted, &error);
		assert_string_equal(error.text, "");
		check_difference(profile, &differences[i]);
		profile_free(profile);
	}
}

/* Virtual threads that were mounted and did nothing that is counted otherwise: a row without
 * nodes. Threads of it may go on, so that it counts those that began since. */
static void mounts(void **state)
{
	static const struct profile_metric wall = {
		.name = "wall", .unit = "ns", .how = "by hand"};
	const struct profile_snapshot snapshots[] = {
		{1, "a", 1, SNAPSHOT_NAMED, 0}, {2, "b", 2, SNAPSHOT_NAMED, 0}};
	struct profile_thread row = {
		.id = VIRTUALS, .name = "worker-*", .is_virtual = true, .alive = true};
	const char *path = fixture_path("mounts.jprof");
	struct profile_writer *writer;
	struct profile *profile;
	struct error error = {0};

	profile_create(&writer, path, &wall, 1, NULL, &error);
	profile_begin(writer, &error);
	for (uint64_t i = 0; i < 2; i++) {
		row.folded = 5 + 4 * i;
		row.mounts = 10 + 3 * i;
		row.carrier_ns = 1000 + 500 * i;
		row.waited_ns = 70 + 30 * i;
		profile_put(writer, &row, &error);
		profile_put_snapshot(writer, &snapshots[i], &error);
	}
	profile_commit(writer, &error);
	profile_close(writer, &error);
	assert_string_equal(error.text, "");
	profile = open_interval(path, "a..b");
	assert_int_equal(profile->thread_count, 1);
	assert_int_equal(profile->thread[0].folded, 4);
	assert_int_equal(profile->thread[0].mounts, 3);
	assert_int_equal(profile->thread[0].carrier_ns, 500);
	assert_int_equal(profile->thread[0].waited_ns, 30);
	profile_free(profile);
	profile = open_interval(path, "b..");
	assert_int_equal(profile->thread_count, 0);
	profile_free(profile);
}

/* ---- files that were folded meanwhile ---- */

enum { GROUP = 5, FOLDED = 100, STAYS };

static void put_file(struct profile_writer *writer, uint64_t id, uint64_t into)
{
	const struct profile_file file = {.id = id,
		.kind = IO_FILE,
		.descriptor = -1,
		.name = id == GROUP ? "/tmp/*" : "/tmp/1",
		.folded = id == GROUP,
		.into = into};
	struct error error = {0};

	assert_int_equal(profile_put(writer, &file, &error), 0);
}

static void put_reads(
	struct profile_writer *writer, uint32_t index, uint64_t file, uint64_t ops)
{
	const struct profile_account io = {.thread = 1,
		.id = index,
		.subject = file,
		.kind = IO_READ,
		.count = ops,
		.amount = 10 * ops};
	struct error error = {0};

	assert_int_equal(profile_put(writer, &io, &error), 0);
}

/* How many reads of the file the interval has. */
static uint64_t reads_of(const char *path, const char *interval, uint64_t id)
{
	struct profile *profile = open_interval(path, interval);
	uint64_t ops = 0;

	for (size_t i = 0; i < profile->account_count; i++)
		if (profile->file[profile->account[i].subject - 1].id == id) {
			ops += profile->account[i].count;
			assert_int_equal(
				profile->account[i].amount, 10 * profile->account[i].count);
		}
	assert_int_equal(profile->interval.clamped, 0);
	profile_free(profile);
	return ops;
}

/* At the snapshot a file with 10 reads; then it is folded, and its group is read 4 times
 * more. */
static void folded_files(void **state)
{
	static const struct profile_metric wall = {
		.name = "wall", .unit = "ns", .how = "by hand"};
	const struct profile_snapshot snapshot = {1, "a", 1, SNAPSHOT_NAMED, 0};
	const struct profile_thread thread = {.id = 1, .name = "main", .folded = 1};
	const struct profile_node root = {.thread = 1, .base = (const uint64_t[]){0}};
	const struct profile_file gone = {.id = FOLDED + 10, .forgotten = true};
	const char *path = fixture_path("interval-files.jprof");
	struct profile_writer *writer;
	struct error error = {0};

	profile_create(&writer, path, &wall, 1, NULL, &error);
	profile_begin(writer, &error);
	profile_put(writer, &thread, &error);
	profile_put(writer, &root, &error);
	put_file(writer, FOLDED, 0);
	put_file(writer, STAYS, 0);
	put_file(writer, FOLDED + 10, 0);
	put_reads(writer, 0, FOLDED, 10);
	put_reads(writer, 1, STAYS, 7);
	profile_put_snapshot(writer, &snapshot, &error);
	put_file(writer, GROUP, 0);
	put_file(writer, FOLDED, GROUP);
	profile_put(writer, &gone, &error);
	put_reads(writer, 0, GROUP, 14);
	put_reads(writer, 1, STAYS, 9);
	profile_commit(writer, &error);
	profile_close(writer, &error);
	assert_string_equal(error.text, "");
	assert_int_equal(reads_of(path, "..a", FOLDED), 10);
	assert_int_equal(reads_of(path, "..a", STAYS), 7);
	assert_int_equal(reads_of(path, "a..", GROUP), 4);
	assert_int_equal(reads_of(path, "a..", FOLDED), 0);
	assert_int_equal(reads_of(path, "a..", STAYS), 2);
	/* Into one another: a damaged file. */
	fixture_sql(path, "UPDATE file SET group_id = 100 WHERE id = 5", NULL, 0);
	profile_free(open_interval(path, "a.."));
}

enum { LANES = 1, LANE_A, LANE_B, SERVE = METHOD_FIRST, QUERY };

/* The nodes of a lane: its root, serve, and query, which that calls. */
static void put_lane(struct profile_writer *writer, uint32_t lane, uint64_t root,
	uint64_t serve, uint64_t query, struct error *error)
{
	const uint64_t wall[] = {root, serve, query}, none = 0, total = root + serve + query;
	const uint32_t method[] = {METHOD_ROOT, SERVE, QUERY};
	const struct profile_thread thread = {
		.id = lane, .group = LANES, .name = "v-*", .is_virtual = true};
	struct profile_thread row = thread;

	row.total[0] = total;
	profile_put(writer, &row, error);
	for (uint32_t i = 0; i < 3; i++) {
		const struct profile_node node = {.thread = lane,
			.id = i,
			.parent = i > 0 ? i - 1 : 0,
			.method = method[i],
			.calls = i > 0,
			.base = &wall[i],
			.spent = &none};

		profile_put(writer, &node, error);
	}
}

/* Lanes of a group are of one instant, but for a call that came between that and the look at it: query is short then, and serve has too
 * much. No node is less than nothing, and together they are the total. */
static void short_of_nothing(void **state)
{
	static const struct profile_metric wall = {
		.name = "wall", .unit = "ns", .how = "by hand"};
	static const struct {
		uint64_t serve, query; /* of lane B, since the snapshot */
		uint64_t expected[3];  /* root, serve, query */
	} rows[] = {
		{500, -30, {40, 560, 40}}, /* lane A makes up for it */
		{500, -100, {40, 530, 0}},
		{0, -150, {20, 0, 0}},
	};
	const struct profile_snapshot snapshot = {1, "a", 1, SNAPSHOT_NAMED, 0};
	const struct profile_method serve = {.id = SERVE, .name = "serve"},
				    query = {.id = QUERY, .name = "query"};
	const struct profile_thread group = {
		.id = LANES, .name = "v-*", .is_virtual = true, .folded = 2};
	struct error error = {0};

	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		const char *path = fixture_path("interval-lanes.jprof");
		struct profile_writer *writer;
		struct profile *profile;
		uint64_t sum = 0;

		remove(path);
		profile_create(&writer, path, &wall, 1, NULL, &error);
		profile_begin(writer, &error);
		profile_put(writer, &serve, &error);
		profile_put(writer, &query, &error);
		profile_put(writer, &group, &error);
		put_lane(writer, LANE_A, 0, 0, 0, &error);
		put_lane(writer, LANE_B, 10, 1000, 1000, &error);
		profile_put_snapshot(writer, &snapshot, &error);
		put_lane(writer, LANE_A, 40, 60, 70, &error);
		put_lane(
			writer, LANE_B, 10, 1000 + rows[i].serve, 1000 + rows[i].query, &error);
		profile_commit(writer, &error);
		profile_close(writer, &error);
		assert_string_equal(error.text, "");
		profile = open_interval(path, "a..");
		assert_int_equal(profile->thread_count, 1);
		for (size_t n = 0; n < profile->node_count; n++) {
			assert_int_equal(profile->node[n].base[0], rows[i].expected[n]);
			sum += rows[i].expected[n];
		}
		assert_int_equal(profile->thread[0].total[0], sum);
		profile_free(profile);
	}
}

static int clean(void **state)
{
	fixture_clean();
	return 0;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(labels),
		cmocka_unit_test(dots),
		cmocka_unit_test(damaged),
		cmocka_unit_test(by_hand),
		cmocka_unit_test(sequences),
		cmocka_unit_test(mounts),
		cmocka_unit_test(folded_files),
		cmocka_unit_test(short_of_nothing),
	};

	return cmocka_run_group_tests(tests, NULL, clean);
}
