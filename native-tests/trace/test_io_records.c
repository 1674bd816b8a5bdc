/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/* test_io_records: nothing is lost or mixed up between threads that add and the one that drains;
 * what is lost is counted; a path outlives the numbers of its nodes. */
#include "agent/trace/io_paths.h"
#include "agent/trace/io_records.h"

#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { THREADS = 4, EACH = 200000, LIMIT = 8 << 20 };

struct fixture {
	struct memory_budget budget;
	struct io_records *records;
	struct io_paths paths;
	/* What was drained. */
	uint64_t count, next[THREADS + 1], wrong;
	char name[THREADS + 1][256];
	int refuse; /* the visitor's answer */
};

static int begin_with(void **state, uint64_t limit)
{
	struct fixture *f = test_calloc(1, sizeof(*f));

	memory_budget_init(&f->budget, limit);
	io_paths_init(&f->paths, &f->budget);
	f->records = io_records_create(&f->budget, limit);
	assert_non_null(f->records);
	*state = f;
	return 0;
}

static int begin(void **state)
{
	return begin_with(state, LIMIT);
}

static int end(void **state)
{
	struct fixture *f = *state;

	io_records_destroy(f->records);
	io_paths_fini(&f->paths);
	assert_int_equal(f->budget.used, 0);
	test_free(f);
	return 0;
}

static int show_thread(void *user, const struct io_ring_thread *thread)
{
	struct fixture *f = user;

	snprintf(f->name[thread->id], sizeof(f->name[0]), "%s", thread->name);
	return 0;
}

/* Each ring's records carry 0, 1, 2... as their bytes, with gaps where some were lost. */
static int show_records(
	void *user, uint32_t thread, const struct io_record *record, uint32_t count)
{
	struct fixture *f = user;

	for (uint32_t i = 0; i < count; i++) {
		f->wrong += record[i].bytes < f->next[thread] ||
			    record[i].begin != record[i].bytes + 1 ||
			    record[i].end != record[i].bytes + 2 ||
			    record[i].file != (uint32_t)record[i].bytes;
		f->next[thread] = record[i].bytes + 1;
	}
	f->count += count;
	return f->refuse;
}

static int drain(struct fixture *f)
{
	const struct io_drain visitor = {f, show_thread, show_records};

	return io_records_drain(f->records, &visitor);
}

static struct io_ring *ring_named(struct fixture *f, const char *name)
{
	struct io_ring_thread thread = {.java_id = 7, .os_id = 8};

	snprintf(thread.name, sizeof(thread.name), "%s", name);
	return io_ring_open(f->records, &thread);
}

static void add(struct io_ring *ring, uint64_t number)
{
	const struct io_record record = {.begin = number + 1, .end = number + 2,
		.bytes = number, .file = (uint32_t)number, .op = IO_READ};

	io_ring_add(ring, &record);
}

static void in_their_order(void **state)
{
	struct fixture *f = *state;
	struct io_ring *first = ring_named(f, "first"), *second = ring_named(f, "second");

	for (uint64_t i = 0; i < 1000; i++) {
		add(first, i);
		if (i % 2)
			add(second, i / 2);
		if (i % 300 == 0)
			assert_int_equal(drain(f), 0);
	}
	assert_int_equal(drain(f), 0);
	assert_int_equal(f->wrong, 0);
	assert_int_equal(f->count, 1500);
	assert_int_equal(f->next[1], 1000);
	assert_int_equal(f->next[2], 500);
	assert_string_equal(f->name[1], "first");
	assert_string_equal(f->name[2], "second");
	assert_int_equal(io_records_lost(f->records), 0);
}

static void what_finds_no_room_is_counted(void **state)
{
	struct fixture *f = *state;
	struct io_ring *ring = ring_named(f, "much");
	const uint64_t made = LIMIT / sizeof(struct io_record);
	uint64_t lost;

	for (uint64_t i = 0; i < made; i++)
		add(ring, i);
	lost = io_records_lost(f->records);
	assert_true(lost > made / 2);
	assert_int_equal(drain(f), 0);
	assert_int_equal(f->count, made - lost);
	/* There is room again. */
	for (uint64_t i = made; i < made + 1000; i++)
		add(ring, i);
	assert_int_equal(drain(f), 0);
	assert_int_equal(f->count, made - lost + 1000);
	assert_int_equal(io_records_lost(f->records), lost);
	assert_int_equal(f->wrong, 0);
}

static int count_thread(void *user, const struct io_ring_thread *thread)
{
	(void)user;
	(void)thread;
	return 0;
}

static int count_records(
	void *user, uint32_t thread, const struct io_record *record, uint32_t count)
{
	(void)thread;
	(void)record;
	*(uint64_t *)user += count;
	return 0;
}

static void a_closed_ring_is_given_back(void **state)
{
	struct fixture *f = *state;
	uint64_t count = 0;
	const struct io_drain visitor = {&count, count_thread, count_records};

	/* More threads than there are segments. */
	for (uint64_t i = 0; i < 2000; i++) {
		struct io_ring *ring = ring_named(f, "short");

		assert_non_null(ring);
		add(ring, i);
		io_ring_close(ring);
		if (i % 10 == 9)
			assert_int_equal(io_records_drain(f->records, &visitor), 0);
	}
	assert_int_equal(count, 2000);
	assert_int_equal(io_records_lost(f->records), 0);
}

static void a_failing_visitor_ends_the_drain(void **state)
{
	struct fixture *f = *state;
	struct io_ring *ring = ring_named(f, "thread");

	for (uint64_t i = 0; i < 3 * IO_SEGMENT; i++)
		add(ring, i);
	f->refuse = -1;
	assert_int_equal(drain(f), -1);
	assert_int_equal(f->count, IO_SEGMENT);
	f->refuse = 0;
	assert_int_equal(drain(f), 0);
	assert_int_equal(f->count, 3 * IO_SEGMENT);
	assert_int_equal(f->wrong, 0);
}

static struct io_path path_with(struct fixture *f, uint32_t id)
{
	struct io_path path;

	assert_int_equal(io_paths_copy(&f->paths, id, &path, 1), 1);
	return path;
}

static void paths_are_the_same_in_every_tree(void **state)
{
	struct fixture *f = *state;
	struct io_path_map map[2] = {0};
	uint32_t path[2], node;

	for (int t = 0; t < 2; t++) {
		struct call_tree tree = {0};

		assert_int_equal(tree_init(&tree, &f->budget, 1, MEMORY_SMALL), 0);
		assert_int_equal(io_path_of(&f->paths, &map[t], &tree, 0), IO_PATH_ROOT);
		/* The second tree has other numbers. */
		if (t == 1)
			tree_add(&tree, 0, 99);
		node = 0;
		for (uint32_t depth = 0; depth < 200; depth++)
			node = tree_add(&tree, node, 10 + depth % 7);
		path[t] = io_path_of(&f->paths, &map[t], &tree, node);
		assert_int_equal(io_path_of(&f->paths, &map[t], &tree, node), path[t]);
		/* Renumbered. */
		tree.generation++;
		assert_int_equal(io_path_of(&f->paths, &map[t], &tree, node), path[t]);
		tree_fini(&tree);
		io_path_map_fini(&map[t], &f->budget);
	}
	assert_int_equal(path[0], path[1]);
	for (uint32_t depth = 200, at = path[0]; depth-- > 0; at = path_with(f, at).parent)
		assert_int_equal(path_with(f, at).method, 10 + depth % 7);
}

struct adder {
	pthread_t thread;
	struct fixture *fixture;
	char name[16];
};

static _Atomic int running;

static void *run(void *argument)
{
	struct adder *adder = argument;
	struct io_ring *ring = NULL;

	for (uint64_t i = 0; i < EACH; i++) {
		if (!ring)
			ring = ring_named(adder->fixture, adder->name);
		if (ring)
			add(ring, i);
	}
	if (ring)
		io_ring_close(ring);
	atomic_fetch_sub(&running, 1);
	return NULL;
}

static void threads_add_while_one_drains(void **state)
{
	struct fixture *f = *state;
	struct adder adder[THREADS];

	atomic_store(&running, THREADS);
	for (int i = 0; i < THREADS; i++) {
		adder[i].fixture = f;
		snprintf(adder[i].name, sizeof(adder[i].name), "%d", i);
		pthread_create(&adder[i].thread, NULL, run, &adder[i]);
	}
	while (atomic_load(&running) > 0)
		assert_int_equal(drain(f), 0);
	for (int i = 0; i < THREADS; i++)
		pthread_join(adder[i].thread, NULL);
	assert_int_equal(drain(f), 0);
	assert_int_equal(f->wrong, 0);
	assert_int_equal(f->count + io_records_lost(f->records), THREADS * EACH);
	assert_true(f->count > 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
#define T(name) cmocka_unit_test_setup_teardown(name, begin, end)
		T(in_their_order),
		T(what_finds_no_room_is_counted),
		T(a_closed_ring_is_given_back),
		T(a_failing_visitor_ends_the_drain),
		T(paths_are_the_same_in_every_tree),
		T(threads_add_while_one_drains),
#undef T
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
