/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/*
 * What slices say of a time is what snapshots at its two ends say. A recording is made up by numbers that are random and
 * the same each time: threads, nodes and accounts come, grow, are folded and dropped, transactions fail.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "native-tests/profile/fixture.h"
#include "profile/reader.h"

enum { THREADS = 4, NODES = 24, FILES = 4, ROUNDS = 30, SECOND = 1000000000 };
/* Of two kinds and four files at the root, and some of the same at another node. */
enum { ROOT_ACCOUNTS = 2 * FILES, ACCOUNTS = ROOT_ACCOUNTS + 4, AT_NODE = NODES - 1 };

/* The counts that the recording has; a thread's first node is its root. */
struct recording {
	struct profile_writer *writer;
	struct error error;
	uint64_t random;
	bool thread_gone[THREADS + 1], node_gone[THREADS + 1][NODES];
	uint64_t calls[THREADS + 1][NODES], wall[THREADS + 1][NODES];
	uint64_t account[THREADS + 1][ACCOUNTS];
	bool at_root[THREADS + 1]; /* its accounts of AT_NODE are, which was folded */
	uint64_t file_into[FILES + 1];
	uint64_t sequence[2];
};

static uint64_t random_below(struct recording *recording, uint64_t end)
{
	recording->random = recording->random * UINT64_C(6364136223846793005) + 1;
	return (recording->random >> 33) % end;
}

static void put_node(struct recording *recording, uint32_t t, uint32_t n)
{
	const struct profile_node node = {.thread = t,
		.id = n,
		.parent = n > 0 ? (n - 1) / 2 : 0,
		.method = n == 0 ? METHOD_ROOT : METHOD_FIRST + n % 5,
		.calls = recording->calls[t][n],
		.jitted = recording->calls[t][n],
		.base = &recording->wall[t][n]};

	profile_put(recording->writer, &node, &recording->error);
}

static void put_thread(struct recording *recording, uint32_t t)
{
	struct profile_thread thread = {.id = t, .name = "worker", .folded = 1};

	for (uint32_t n = 0; n < NODES; n++) {
		thread.total[0] += recording->wall[t][n];
		thread.events += recording->calls[t][n];
	}
	profile_put(recording->writer, &thread, &recording->error);
}

static void put_account(struct recording *recording, uint32_t t, uint32_t a)
{
	uint64_t file = 1 + a / 2 % FILES;
	const struct profile_account account = {.thread = t,
		.id = a + 1,
		.node = a < ROOT_ACCOUNTS || recording->at_root[t] ? 0 : AT_NODE,
		.subject = recording->file_into[file] ? recording->file_into[file] : file,
		.kind = a % 2 ? 1 : 0,
		.count = recording->account[t][a],
		.amount = 3 * recording->account[t][a]};

	profile_put(recording->writer, &account, &recording->error);
}

static void put_file(struct recording *recording, uint64_t id, bool forgotten)
{
	const struct profile_file file = {.id = id,
		.descriptor = -1,
		.name = "a file",
		.opened = PROFILE_NOT_KNOWN,
		.first = PROFILE_NOT_KNOWN,
		.into = recording->file_into[id],
		.forgotten = forgotten};

	profile_put(recording->writer, &file, &recording->error);
}

/* The last node that is there goes into the root. */
static void fold_node(struct recording *recording, uint32_t t)
{
	struct profile_forward forward = {.thread = t, .to_thread = t};
	uint32_t n = NODES - 1;

	while (n > 0 && recording->node_gone[t][n])
		n--;
	if (n == 0)
		return;
	forward.node = n;
	recording->node_gone[t][n] = true;
	recording->calls[t][0] += recording->calls[t][n];
	recording->wall[t][0] += recording->wall[t][n];
	recording->calls[t][n] = recording->wall[t][n] = 0;
	profile_drop_node(recording->writer, t, n, &recording->error);
	profile_put(recording->writer, &forward, &recording->error);
	recording->at_root[t] |= n == AT_NODE;
	for (uint32_t a = ROOT_ACCOUNTS; a < ACCOUNTS && n == AT_NODE; a++)
		if (recording->account[t][a] > 0)
			put_account(recording, t, a);
}

/* A thread goes into the first one, node by node; its accounts are those of the root there. */
static void fold_thread(struct recording *recording, uint32_t t)
{
	recording->thread_gone[t] = true;
	for (uint32_t n = 0; n < NODES; n++) {
		const struct profile_forward forward = {.thread = t, .node = n, .to_thread = 1};

		if (n == 0)
			profile_drop_thread(recording->writer, t, &recording->error);
		if (recording->node_gone[t][n])
			continue;
		profile_put(recording->writer, &forward, &recording->error);
		recording->calls[1][0] += recording->calls[t][n];
		recording->wall[1][0] += recording->wall[t][n];
		recording->calls[t][n] = recording->wall[t][n] = 0;
	}
	for (uint32_t a = 0; a < ACCOUNTS; a++) {
		recording->account[1][a % ROOT_ACCOUNTS] += recording->account[t][a];
		recording->account[t][a] = 0;
	}
	for (uint32_t a = 0; a < ROOT_ACCOUNTS; a++)
		if (recording->account[1][a] > 0)
			put_account(recording, 1, a);
}

/* A file goes into the first one, and its accounts with it. */
static void fold_file(struct recording *recording, uint64_t id)
{
	if (recording->file_into[id])
		return;
	recording->file_into[id] = 1;
	put_file(recording, id, true);
	for (uint32_t t = 1; t <= THREADS; t++)
		for (uint32_t a = 0; a < ACCOUNTS; a++)
			if (recording->account[t][a] > 0)
				put_account(recording, t, a);
}

static void grow(struct recording *recording, uint32_t t)
{
	for (uint32_t n = 0; n < NODES; n++) {
		if (recording->node_gone[t][n] || random_below(recording, 3) == 0)
			continue;
		recording->calls[t][n] += n > 0 ? random_below(recording, 100) : 0;
		recording->wall[t][n] += random_below(recording, 1000000);
	}
	/* Callers are there before what they call. */
	for (uint32_t n = 0; n < NODES; n++)
		if (!recording->node_gone[t][n])
			put_node(recording, t, n);
	for (uint32_t a = 0; a < ACCOUNTS; a++) {
		if (random_below(recording, 3) == 0)
			continue;
		recording->account[t][a] += 1 + random_below(recording, 9);
		put_account(recording, t, a);
	}
}

static void put_sequences(struct recording *recording)
{
	for (uint32_t s = 0; s < 2; s++) {
		const struct profile_sequence sequence = {.code = 3 + 2 * s,
			.second = "jitted",
			.end = "unwind",
			.count = recording->sequence[s] += random_below(recording, 3),
			.sum = &recording->sequence[s],
			.min = &recording->sequence[s]};

		if (recording->sequence[s] > 0)
			profile_put(recording->writer, &sequence, &recording->error);
	}
}

static void do_round(struct recording *recording, unsigned round)
{
	for (uint32_t t = 1; t <= THREADS; t++) {
		if (recording->thread_gone[t])
			continue;
		if (round > 2 && random_below(recording, 4) == 0)
			fold_node(recording, t);
		if (t > 1 && round > 10 && random_below(recording, 12) == 0)
			fold_thread(recording, t);
		else
			grow(recording, t);
	}
	if (round == 15 || round == 20)
		fold_file(recording, round == 15 ? 3 : 2);
	/* Threads that were folded into it came after it. */
	grow(recording, 1);
	for (uint32_t t = 1; t <= THREADS; t++)
		if (!recording->thread_gone[t])
			put_thread(recording, t);
	put_sequences(recording);
}

static void make(const char *path, uint64_t slices, uint64_t rows)
{
	static const struct profile_metric wall = {
		.name = "wall", .unit = "ns", .how = "by hand"};
	struct recording now = {.random = 7}, *recording = &now;
	char label[16];

	profile_create(&now.writer, path, &wall, 1, NULL, &now.error);
	profile_keep_slices(now.writer, SECOND, &now.error);
	profile_bound_slices(now.writer, slices, rows);
	profile_begin(now.writer, &now.error);
	for (uint32_t i = METHOD_FIRST; i < METHOD_FIRST + 5; i++) {
		const struct profile_method method = {
			.id = i, .class_name = "A", .name = "m", .signature = "()V"};
		profile_put(now.writer, &method, &now.error);
	}
	for (uint64_t id = 1; id <= FILES; id++)
		put_file(recording, id, false);
	profile_commit(now.writer, &now.error);
	for (unsigned round = 1; round <= ROUNDS; round++) {
		const struct recording before = now;
		const struct profile_snapshot snapshot = {
			round, label, (uint64_t)round * SECOND, SNAPSHOT_NAMED, 0};

		snprintf(label, sizeof label, "r%u", round);
		/* Some fail, and are done again; some are in the middle of a slice. */
		for (int try = 0; try < (round % 5 == 0 ? 2 : 1); try++) {
			now = before;
			profile_begin(now.writer, &now.error);
			profile_begin_slice(now.writer, snapshot.at, &now.error);
			do_round(recording, round);
			profile_end_slice(now.writer, &now.error);
			if (round % 3 == 0)
				profile_put_snapshot(now.writer, &snapshot, &now.error);
			if (round % 5 == 0 && try == 0)
				profile_rollback(now.writer);
		}
		profile_commit(now.writer, &now.error);
	}
	profile_close(now.writer, &now.error);
	assert_string_equal(now.error.text, "");
}

static struct profile *open_interval(const char *path, const char *interval)
{
	const struct profile_wanted wanted = {.interval = interval, .slice_use = true};
	struct profile *profile;
	struct error error = {0};

	if (profile_open_wanted(&profile, path, &wanted, &error) != 0)
		fail_msg("%s: %s", interval, error.text);
	return profile;
}

/* Where the counts of a node are at the end of the file: an interval between snapshots has it where it was. */
static uint64_t node_now(const struct profile *profile, size_t place)
{
	const struct profile_node *node = &profile->node[place];
	uint32_t thread = profile->thread[node->thread].id, id = node->id;
	const struct profile_forward *forward;

	while ((forward = profile_forward_find(profile, thread, id)) != NULL) {
		thread = forward->to_thread;
		id = forward->to_node;
	}
	return profile_node_id(thread, id);
}

/* All counts of a node, or of an account of it, wherever the profile has it. */
static void sum_node(const struct profile *profile, uint64_t id, uint64_t sum[3])
{
	memset(sum, 0, 3 * sizeof sum[0]);
	for (size_t i = 0; i < profile->node_count; i++) {
		if (node_now(profile, i) != id)
			continue;
		sum[0] += profile->node[i].calls;
		sum[1] += profile->node[i].jitted;
		sum[2] += profile->node[i].base[0];
	}
}

static uint64_t file_now(const struct profile *profile, uint64_t file)
{
	while (profile->file[file - 1].into)
		file = profile->file[file - 1].into;
	return file;
}

static uint64_t sum_account(
	const struct profile *profile, uint64_t node, const struct profile_account *like)
{
	uint64_t sum = 0;

	for (size_t i = 0; i < profile->account_count; i++) {
		const struct profile_account *one = &profile->account[i];

		if (one->kind == like->kind &&
			file_now(profile, one->subject) == file_now(profile, like->subject) &&
			node_now(profile, one->node) == node)
			sum += one->count + one->amount;
	}
	return sum;
}

/* Both have what the one has. */
static void assert_has(
	const struct profile *one, const struct profile *a, const struct profile *b)
{
	for (size_t i = 0; i < one->node_count; i++) {
		uint64_t sums[2][3];

		sum_node(a, node_now(one, i), sums[0]);
		sum_node(b, node_now(one, i), sums[1]);
		assert_memory_equal(sums[0], sums[1], sizeof sums[0]);
	}
	for (size_t i = 0; i < one->account_count; i++) {
		const struct profile_account *like = &one->account[i];
		uint64_t node = node_now(one, like->node);

		assert_int_equal(sum_account(a, node, like), sum_account(b, node, like));
	}
}

static void assert_same(const struct profile *a, const struct profile *b)
{
	uint64_t total[2] = {0}, events[2] = {0};

	assert_int_equal(a->interval.clamped, 0);
	assert_int_equal(b->interval.clamped, 0);
	assert_has(a, a, b);
	assert_has(b, a, b);
	for (int side = 0; side < 2; side++)
		for (size_t t = 0; t < (side ? a : b)->thread_count; t++) {
			total[side] += (side ? a : b)->thread[t].total[0];
			events[side] += (side ? a : b)->thread[t].events;
		}
	assert_int_equal(total[0], total[1]);
	assert_int_equal(events[0], events[1]);
	assert_int_equal(a->sequence_count, b->sequence_count);
	for (size_t i = 0; i < a->sequence_count; i++) {
		assert_int_equal(a->sequence[i].count, b->sequence[i].count);
		assert_int_equal(a->sequence[i].sum[0], b->sequence[i].sum[0]);
	}
}

/* Of each thread: its nodes have its total. */
static void assert_totals(const struct profile *profile)
{
	for (size_t t = 0; t < profile->thread_count; t++) {
		uint64_t sum = 0;

		for (size_t i = profile->thread_first[t]; i < profile->thread_first[t + 1]; i++)
			sum += profile->node[i].base[0];
		assert_int_equal(sum, profile->thread[t].total[0]);
	}
}

/* What threads did by slice is what the interval has, in sum. */
static void assert_use(const struct profile *profile)
{
	uint64_t calls[2] = {0}, wall[2] = {0}, ops[2] = {0};

	for (size_t i = 0; i < profile->slice_use_count; i++) {
		const struct profile_slice_use *use = &profile->slice_use[i];

		calls[0] += use->calls;
		wall[0] += use->total[0];
		ops[0] += use->ops;
	}
	for (size_t i = 0; i < profile->node_count; i++) {
		calls[1] += profile->node[i].calls;
		wall[1] += profile->node[i].base[0];
	}
	for (size_t i = 0; i < profile->account_count; i++)
		ops[1] += profile->account[i].count;
	assert_int_equal(calls[0], calls[1]);
	assert_int_equal(wall[0], wall[1]);
	assert_int_equal(ops[0], ops[1]);
}

static void slices_are_snapshots(void **state)
{
	const char *path = fixture_path("slices.jprof");

	make(path, 1000, 1000000);
	for (unsigned from = 0; from < ROUNDS; from += 3)
		for (unsigned to = from + 3; to <= ROUNDS; to += 3) {
			char labels[32], times[32];
			struct profile *a, *b;

			if (from > 0)
				snprintf(labels, sizeof labels, "r%u..r%u", from, to);
			else
				snprintf(labels, sizeof labels, "..r%u", to);
			snprintf(times, sizeof times, "@%us..@%us", from, to);
			a = open_interval(path, labels);
			b = open_interval(path, times);
			assert_int_equal(b->interval.slices, to - from);
			assert_same(a, b);
			assert_totals(b);
			assert_use(b);
			profile_free(a);
			profile_free(b);
		}
}

/* All slices are everything, however few of them are left. */
static void bounds(void **state)
{
	static const struct {
		uint64_t slices, rows;
	} bounds[] = {{1000, 1000000}, {7, 1000000}, {2, 1000000}, {1000, 300}, {1000, 1}};
	const char *path = fixture_path("slices-few.jprof");

	for (size_t i = 0; i < sizeof bounds / sizeof bounds[0]; i++) {
		struct profile *whole, *all;
		char answer[32];

		make(path, bounds[i].slices, bounds[i].rows);
		whole = open_interval(path, "..");
		all = open_interval(path, "@0..");
		for (size_t n = 0; n < all->node_count; n++)
			assert_int_equal(whole->node[n].calls, all->node[n].calls);
		assert_int_equal(whole->node_count, all->node_count);
		for (size_t t = 0; t < all->thread_count; t++)
			assert_int_equal(whole->thread[t].total[0], all->thread[t].total[0]);
		assert_use(whole);
		assert_use(all);
		assert_true(all->slice_count <= bounds[i].slices);
		assert_int_equal(
			all->slice[all->slice_count - 1].ended, (uint64_t)ROUNDS * SECOND);
		/* The newest are the finest. */
		for (size_t s = 1; s < all->slice_count && bounds[i].rows == 1000000; s++)
			assert_true(all->slice[s].ended - all->slice[s].began <=
				    2 * (all->slice[s - 1].ended - all->slice[s - 1].began));
		fixture_sql(path,
			"SELECT sum(rows) = (SELECT count(*) FROM slice_node) + (SELECT "
			"count(*) FROM slice_thread) + (SELECT count(*) FROM slice_account) + "
			"(SELECT count(*) FROM slice_sequence) FROM slice",
			answer, sizeof answer);
		assert_string_equal(answer, "1");
		if (bounds[i].rows == 300) {
			fixture_sql(path, "SELECT sum(rows) <= 300 FROM slice", answer,
				sizeof answer);
			assert_string_equal(answer, "1");
		}
		profile_free(whole);
		profile_free(all);
	}
}

/* Times in the middle of slices, near their ends, and wrong ones. */
static void times(void **state)
{
	static const struct {
		int line;
		const char *interval;
		uint64_t begin, end; /* seconds; both 0: refused */
		const char *part;
	} rows[] = {
		{__LINE__, "@10s..@12s", 10, 12, ""},
		{__LINE__, "@10..@12", 10, 12, ""},
		{__LINE__, "@10.5s..@11.5s", 10, 12, ""},
		{__LINE__, "@10950ms..@12050ms", 11, 12, ""},
		{__LINE__, "@10050ms..@11950ms", 10, 12, ""},
		{__LINE__, "@10s200ms..@10s300ms", 10, 11, ""},
		{__LINE__, "@0.1m..@0h0m9s", 6, 9, ""},
		{__LINE__, "..@9s", 0, 9, ""},
		{__LINE__, "@25s..", 25, 30, ""},
		{__LINE__, "@0..@1h", 0, 30, ""},
		{__LINE__, "@29.99s..@2h", 29, 30, ""},
		{__LINE__, "r9..@12s", 9, 12, ""},
		{__LINE__, "@8s..r12", 8, 12, ""},
		{__LINE__, "@30s..", 0, 0, "ends at 30.000 s"},
		{__LINE__, "@12s..@12s", 0, 0, "before it begins at 12.000 s"},
		{__LINE__, "@12x..@13s", 0, 0, "'12x' is no time"},
		{__LINE__, "@1..@", 0, 0, "'' is no time"},
		{__LINE__, "@-1s..@2s", 0, 0, "'-1s' is no time"},
		{__LINE__, "@1s..@2s3", 0, 0, "'2s3' is no time"},
		{__LINE__, "@1.2.3s..@4s", 0, 0, "'1.2.3s' is no time"},
		{__LINE__, "@99999999999999999999s..", 0, 0, "is no time"},
		{__LINE__, "@1s..nowhere", 0, 0, "no snapshot 'nowhere'"},
	};
	const char *path = fixture_path("slices.jprof");

	make(path, 1000, 1000000);
	for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
		const struct profile_wanted wanted = {.interval = rows[i].interval};
		struct profile *profile;
		struct error error = {0};
		int status = profile_open_wanted(&profile, path, &wanted, &error);

		if (!strstr(error.text, rows[i].part) ||
			(rows[i].part[0] == '\0') != (status == 0))
			fail_msg("row of line %d: '%s'", rows[i].line, error.text);
		if (status == 0 && (profile->interval.begin != rows[i].begin * SECOND ||
					   profile->interval.end != rows[i].end * SECOND))
			fail_msg("row of line %d: %" PRIu64 " to %" PRIu64, rows[i].line,
				profile->interval.begin, profile->interval.end);
		profile_free(profile);
	}
}

/* Without slices it is said what makes them, and what there is. */
static void none(void **state)
{
	const struct profile_wanted wanted = {.interval = "@1s..@2s"};
	const char *path = fixture_path("no-slices.jprof");
	struct profile *profile;
	struct error error = {0};

	fixture_profile(path, 1, 3);
	assert_int_equal(profile_open_wanted(&profile, path, &wanted, &error), -ERROR_MISSING);
	assert_non_null(strstr(error.text, "resolution=1s"));
	fixture_snapshots(path, 1, 3);
	error = (struct error){0};
	assert_int_equal(profile_open_wanted(&profile, path, &wanted, &error), -ERROR_MISSING);
	assert_non_null(strstr(error.text, "--snapshot A..B takes: a (at"));
}

static int clean(void **state)
{
	fixture_clean();
	return 0;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(slices_are_snapshots),
		cmocka_unit_test(bounds),
		cmocka_unit_test(times),
		cmocka_unit_test(none),
	};

	return cmocka_run_group_tests(tests, NULL, clean);
}
