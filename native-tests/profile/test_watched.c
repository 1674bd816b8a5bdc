/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/*
 * How long calls took, in a profile: buckets, their bytes, small trees; rows written and read back; what an
 * interval has of them; threads that were folded, and virtual ones.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "fixture.h"

/* ---- histograms ---- */

/* Numbers of all sizes, the same in every run. */
static uint64_t number(uint64_t *seed)
{
	*seed = *seed * 6364136223846793005u + 1442695040888963407u;
	return *seed >> (*seed >> 58);
}

static void every_number_is_in_its_bucket(void **state)
{
	uint64_t seed = 1;

	for (int i = 0; i < 200000; i++) {
		uint64_t n = i < 2000 ? (uint64_t)i : number(&seed);
		uint32_t bucket = histogram_bucket(n);
		uint64_t least = histogram_least(bucket), most = histogram_most(bucket);

		assert_true(bucket < HISTOGRAM_BUCKETS);
		assert_true(least <= n && n <= most);
		assert_true(most - least <= least / HISTOGRAM_BLOCK);
	}
	for (uint32_t bucket = 1; bucket < HISTOGRAM_BUCKETS; bucket++)
		assert_int_equal(histogram_most(bucket - 1) + 1, histogram_least(bucket));
	assert_int_equal(histogram_bucket(UINT64_MAX), HISTOGRAM_BUCKETS - 1);
	assert_int_equal(histogram_most(HISTOGRAM_BUCKETS - 1), UINT64_MAX);
}

static int compare(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return (x > y) - (x < y);
}

/* The cells of some numbers. */
static struct histogram make(const uint64_t *value, size_t count)
{
	uint64_t *in = calloc(HISTOGRAM_BUCKETS, sizeof(*in));
	struct histogram made = {.cell = calloc(2 * HISTOGRAM_BUCKETS, sizeof(*made.cell))};

	for (size_t i = 0; i < count; i++)
		in[histogram_bucket(value[i])]++;
	for (uint32_t b = 0; b < HISTOGRAM_BUCKETS; b++)
		if (in[b] > 0)
			made.cell[made.cells++] = (struct histogram_cell){b, in[b]};
	free(in);
	return made;
}

static void percentiles_are_ranks(void **state)
{
	enum { COUNT = 1237 };
	static const double parts[] = {0, 0.001, 0.5, 0.9, 0.99, 0.999, 1};
	uint64_t value[COUNT], seed = 7;
	struct histogram made;

	for (int i = 0; i < COUNT; i++)
		value[i] = number(&seed) >> 20;
	made = make(value, COUNT);
	qsort(value, COUNT, sizeof(*value), compare);
	for (size_t p = 0; p < sizeof(parts) / sizeof(*parts); p++) {
		size_t rank = (size_t)ceil(COUNT * parts[p]);
		double is = (double)value[rank > 0 ? rank - 1 : 0];
		double said = (double)histogram_percentile(&made, parts[p]);

		assert_true(fabs(said - is) <= is * HISTOGRAM_ERROR);
	}
	assert_int_equal(histogram_count(&made), COUNT);
	assert_int_equal(histogram_percentile(&(struct histogram){0}, 0.5), 0);
	free(made.cell);
}

static void sums_and_differences(void **state)
{
	enum { COUNT = 500 };
	uint64_t value[2 * COUNT], seed = 3;
	struct histogram first, second, both;

	for (int i = 0; i < 2 * COUNT; i++)
		value[i] = number(&seed) % (i < COUNT ? 10000 : 1000000);
	first = make(value, COUNT);
	second = make(value + COUNT, COUNT);
	both = make(value, 2 * COUNT);
	assert_int_equal(histogram_add(&first, &second, 1), 0);
	assert_int_equal(first.cells, both.cells);
	for (size_t i = 0; i < both.cells; i++) {
		assert_int_equal(first.cell[i].bucket, both.cell[i].bucket);
		assert_int_equal(first.cell[i].count, both.cell[i].count);
	}
	assert_int_equal(histogram_add(&first, &second, -1), 0);
	assert_int_equal(histogram_count(&first), COUNT);
	assert_int_equal(histogram_add(&first, &both, -1), COUNT);
	assert_int_equal(first.cells, 0);
	free(first.cell);
	free(second.cell);
	free(both.cell);
}

/* Whatever bytes these are: none, or what comes out again. */
static void bytes(void **state)
{
	uint64_t seed = 11;

	for (int i = 0; i < 100000; i++) {
		uint8_t from[24], to[sizeof(from) * 12];
		size_t size = (size_t)(number(&seed) % sizeof(from));
		struct histogram_cell cell[sizeof(from)];
		struct small_node node[sizeof(from)];
		struct histogram made = {.cell = cell};
		size_t nodes;

		for (size_t b = 0; b < size; b++)
			from[b] = (uint8_t)(number(&seed) % (i % 2 ? 256 : 4));
		made.cells = histogram_decode(from, size, NULL);
		if (made.cells != SIZE_MAX) {
			assert_int_equal(histogram_decode(from, size, cell), made.cells);
			assert_true(histogram_encode(&made, to) <= size);
			assert_int_equal(
				histogram_decode(to, histogram_encode(&made, to), cell),
				made.cells);
		}
		nodes = small_tree_decode(from, size, NULL);
		if (nodes == SIZE_MAX)
			continue;
		small_tree_decode(from, size, node);
		for (size_t n = 1; n < nodes; n++)
			assert_true(node[n].parent < n);
		assert_true(small_tree_encode(node, nodes, to) <= size);
	}
	/* Too large a bucket, no count, twice the same one, a number that ends early. */
	assert_int_equal(histogram_decode((const uint8_t *)"\xff\x7f\x01", 3, NULL), SIZE_MAX);
	assert_int_equal(histogram_decode((const uint8_t *)"\x01\x00", 2, NULL), SIZE_MAX);
	assert_int_equal(
		histogram_decode((const uint8_t *)"\x01\x01\x00\x01", 4, NULL), SIZE_MAX);
	assert_int_equal(histogram_decode((const uint8_t *)"\x01\x81", 2, NULL), SIZE_MAX);
	/* The first node has no parent, others have, in front of them. */
	assert_int_equal(
		small_tree_decode((const uint8_t *)"\x01\x02\x01\x01\x00", 5, NULL), SIZE_MAX);
	assert_int_equal(
		small_tree_decode(
			(const uint8_t *)"\x00\x02\x01\x01\x00\x02\x02\x01\x01\x00", 10, NULL),
		SIZE_MAX);
	assert_int_equal(
		small_tree_decode((const uint8_t *)"\x00\x02\x01\x01", 4, NULL), SIZE_MAX);
}

/* ---- profiles ---- */

static void put(struct profile_writer *writer, uint32_t thread, uint32_t method,
	enum call_figure figure, const uint64_t *value, size_t count)
{
	struct histogram made = make(value, count);
	uint8_t *to = malloc(histogram_room(made.cells));
	struct profile_distribution row = {.thread = thread,
		.id = method * 2 * CALL_FIGURES + figure,
		.method = method,
		.figure = figure,
		.count = count + (thread == 5),
		.unplaced = thread == 5,
		.least = UINT64_MAX};
	struct error error = {0};

	for (size_t i = 0; i < count; i++) {
		row.sum += value[i];
		row.least = value[i] < row.least ? value[i] : row.least;
		row.most = value[i] > row.most ? value[i] : row.most;
	}
	row.buckets = (struct profile_bytes){to, histogram_encode(&made, to)};
	assert_int_equal(profile_put(writer, &row, &error), 0);
	free(made.cell);
	free(to);
}

static void put_slow(struct profile_writer *writer, uint32_t id, uint32_t thread,
	uint64_t began, uint64_t elapsed)
{
	const struct small_node node[] = {{0, METHOD_FIRST, 1, elapsed - 5, 1},
		{0, METHOD_FIRST + 1, 3, 2, 0}, {1, METHOD_FIRST, 9, 2, 0}};
	uint8_t to[200];
	struct profile_slow_call call = {.id = id,
		.method = METHOD_FIRST,
		.thread = thread,
		.began = began,
		.elapsed = elapsed,
		.base = id % 2 ? PROFILE_NOT_KNOWN : (int64_t)elapsed - 5,
		.cpu = 3,
		.own = 1,
		.failed = id == 2,
		.process = {id, 7 * id},
		.bytes = {to, small_tree_encode(node, 3, to)}};
	struct error error = {0};

	assert_int_equal(profile_put(writer, &call, &error), 0);
}

static struct profile *read_interval(const char *path, const char *interval)
{
	const struct profile_wanted wanted = {.interval = interval};
	struct error error = {0};
	struct profile *profile;

	assert_int_equal(profile_open_wanted(&profile, path, &wanted, &error), 0);
	return profile;
}

static void check_row(const struct profile *profile, const char *name, uint64_t count,
	uint64_t sum, uint64_t least, uint64_t most, uint64_t placed)
{
	const struct profile_distribution *row = NULL;

	for (size_t i = 0; i < profile->distribution_count; i++)
		if (strcmp(profile->thread[profile->distribution[i].thread].name, name) == 0)
			row = &profile->distribution[i];
	assert_non_null(row);
	assert_int_equal(row->count, count);
	assert_int_equal(row->sum, sum);
	assert_int_equal(row->least, least);
	assert_int_equal(row->most, most);
	assert_int_equal(histogram_count(&row->histogram), placed);
}

/* Of a thread, of one that was folded into another after the snapshot, and of a virtual one's part. */
static void intervals(void **state)
{
	static const uint64_t before[] = {50, 100, 90000},
			      after[] = {50, 100, 90000, 60, 70, 5000}, others[] = {10, 20},
			      all[] = {50, 100, 90000, 60, 70, 5000, 10, 20, 30};
	static const struct profile_snapshot a = {1, "a", 1000000, SNAPSHOT_NAMED, 0};
	const char *path = fixture_path("watched.jprof");
	const struct profile_forward forward = {
		.thread = 3, .node = 0, .to_thread = 1, .to_node = 0};
	struct profile_thread part = {.id = 5,
		.group = 4,
		.name = "virtual",
		.is_virtual = true,
		.folded = 1,
		.events = 2};
	struct profile_node root = {.thread = 5, .method = METHOD_ROOT};
	struct profile_writer *writer;
	struct error error = {0};
	struct profile *profile;

	assert_int_equal(
		profile_create(&writer, path, fixture_metrics, FIXTURE_METRICS, NULL, &error),
		0);
	assert_int_equal(profile_begin(writer, &error), 0);
	fixture_put(writer, 4, 3, 1, &error);
	part.id = 4;
	part.group = 0;
	part.name = "group";
	profile_put(writer, &part, &error);
	profile_drop_node(writer, 4, 1, &error);
	profile_drop_node(writer, 4, 2, &error);
	profile_drop_node(writer, 4, 0, &error);
	part.id = 5;
	part.group = 4;
	profile_put(writer, &part, &error);
	profile_put(writer, &root, &error);
	put(writer, 1, METHOD_FIRST, CALL_ELAPSED, before, 3);
	put(writer, 3, METHOD_FIRST, CALL_ELAPSED, others, 2);
	put(writer, 5, METHOD_FIRST, CALL_ELAPSED, before, 3);
	put_slow(writer, 1, 3, 100, 90000);
	put_slow(writer, 2, 5, 999999, 2);
	assert_int_equal(profile_put_snapshot(writer, &a, &error), 0);
	assert_int_equal(profile_commit(writer, &error), 0);

	assert_int_equal(profile_begin(writer, &error), 0);
	fixture_put(writer, 1, 3, 100, &error);
	profile_drop_thread(writer, 3, &error);
	profile_put(writer, &forward, &error);
	put(writer, 1, METHOD_FIRST, CALL_ELAPSED, all, 9);
	put(writer, 5, METHOD_FIRST, CALL_ELAPSED, after, 6);
	part.events = 9;
	profile_put(writer, &part, &error);
	put_slow(writer, 3, 1, 2000000, 5000);
	assert_int_equal(profile_commit(writer, &error), 0);
	assert_int_equal(profile_close(writer, &error), 0);

	profile = read_interval(path, "..");
	assert_int_equal(profile->distribution_count, 2);
	check_row(profile, "group", 7, 95280, 50, 90000, 6);
	assert_int_equal(profile->slow_call_count, 3);
	/* Its thread is the one that has its counts, and of a part the group. */
	assert_string_equal(profile->thread[profile->slow_call[0].thread - 1].name, "worker");
	assert_string_equal(profile->thread[profile->slow_call[1].thread - 1].name, "group");
	assert_int_equal(profile->slow_call[0].base, PROFILE_NOT_KNOWN);
	assert_int_equal(profile->slow_call[0].nodes, 3);
	assert_int_equal(profile->slow_call[0].tree[2].parent, 1);
	assert_int_equal(profile->slow_call[0].tree[0].base, 90000 - 5);
	assert_true(profile->slow_call[1].failed);
	assert_int_equal(profile->slow_call[1].process[1], 14);
	profile_free(profile);

	profile = read_interval(path, "..a");
	assert_int_equal(profile->distribution_count, 3);
	check_row(profile, "group", 4, 90150, 50, 90000, 3);
	assert_int_equal(profile->slow_call_count, 1);
	profile_free(profile);

	/* 30 is what is left of the least that was, 5000 lies in a bucket up to 5023. */
	profile = read_interval(path, "a..");
	check_row(profile, "group", 3, 5130, 60, 5023, 3);
	check_row(profile, "worker", 4, 5160, 30, 5023, 4);
	assert_int_equal(profile->slow_call_count, 2);
	profile_free(profile);
}

static void refuse(const char *sql)
{
	const char *path = fixture_path("damaged.jprof");
	struct profile_writer *writer;
	struct error error = {0};
	struct profile *profile;

	assert_int_equal(
		profile_create(&writer, path, fixture_metrics, FIXTURE_METRICS, NULL, &error),
		0);
	assert_int_equal(profile_begin(writer, &error), 0);
	fixture_put(writer, 1, 1, 1, &error);
	put(writer, 1, METHOD_FIRST, CALL_ELAPSED, (const uint64_t[]){1, 2}, 2);
	put_slow(writer, 1, 1, 1, 9);
	assert_int_equal(profile_commit(writer, &error), 0);
	profile_close(writer, &error);
	assert_int_equal(profile_open(&profile, path, &error), 0);
	profile_free(profile);
	fixture_sql(path, sql, NULL, 0);
	assert_int_equal(profile_open(&profile, path, &error), -ERROR_FORMAT);
}

static void damaged(void **state)
{
	refuse("UPDATE distribution SET method = 99");
	refuse("UPDATE distribution SET figure = 'own'");
	refuse("UPDATE distribution SET figure = 'process_16'");
	refuse("UPDATE distribution SET buckets = x'0100'");
	refuse("UPDATE distribution SET id = id + 4294967296 * 6, thread = 7");
	refuse("UPDATE distribution SET thread = 7");
	refuse("UPDATE slow_call SET method = 99");
	refuse("UPDATE slow_call SET tree = x'0100'");
	refuse("UPDATE slow_call SET tree = x'0063010100'");
	refuse("UPDATE slow_call SET id = 0");
	refuse("UPDATE slow_call SET began = -2");
	refuse("DROP TABLE slow_call");
}

static int clean(void **state)
{
	fixture_clean();
	return 0;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_number_is_in_its_bucket),
		cmocka_unit_test(percentiles_are_ranks),
		cmocka_unit_test(sums_and_differences),
		cmocka_unit_test(bytes),
		cmocka_unit_test(intervals),
		cmocka_unit_test(damaged),
	};

	return cmocka_run_group_tests(tests, NULL, clean);
}
