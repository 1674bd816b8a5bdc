/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/*
 * Carriers at full speed, virtual threads that are handed from one to the other, carriers that come
 * and go, and somebody who looks all the time: every picture is sound, the last one is exact. Meant
 * for the thread sanitizer too.
 */
#include "mount_test.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { A = METHOD_FIRST, CARRIERS = 3, GUESTS = 40, PICTURES = TEST_TRIES(40), DEEPEST = 12 };

#define MOST_NS UINT64_C(5000000000) /* for the pictures of one test */

struct guest {
	struct virtual_thread *thread; /* NULL: the next one begins */
	struct guest *next;
	struct test_random random;
	uint32_t stack[DEEPEST], depth;
	unsigned turns; /* until it ends */
};

/* Whoever is ready to run. A carrier takes one from the front, and puts it at the end. */
struct queue {
	pthread_mutex_t mutex;
	pthread_cond_t ready;
	struct guest *first, *last;
};

struct world {
	struct trace *trace;
	struct queue queue;
	bool apart; /* each guest has a row of its own */
	struct guest guest[GUESTS];
	uint32_t methods;
	_Atomic bool stop;
	_Atomic uint64_t calls, used, begun, mounts, names;
};

static void put(struct queue *queue, struct guest *guest)
{
	pthread_mutex_lock(&queue->mutex);
	guest->next = NULL;
	if (queue->first)
		queue->last->next = guest;
	else
		queue->first = guest;
	queue->last = guest;
	pthread_cond_signal(&queue->ready);
	pthread_mutex_unlock(&queue->mutex);
}

static struct guest *take(struct queue *queue)
{
	struct guest *guest;

	pthread_mutex_lock(&queue->mutex);
	while (!queue->first)
		pthread_cond_wait(&queue->ready, &queue->mutex);
	guest = queue->first;
	queue->first = guest->next;
	pthread_mutex_unlock(&queue->mutex);
	return guest;
}

/* So many events, or until it is in no method; each use is 1. */
static void walk(
	struct world *world, struct guest *guest, struct thread_context *lane, bool out)
{
	uint64_t calls = 0, used = 0;

	for (unsigned i = 0; out ? guest->depth > 0 : i < 20; i++) {
		test_use(lane, 1, 8);
		used++;
		if (!out && guest->depth < DEEPEST &&
			test_random(&guest->random, DEEPEST) >= guest->depth) {
			uint32_t method = A + test_random(&guest->random, world->methods);

			guest->stack[guest->depth++] = method;
			context_enter(SHAPE_ANY, lane, method, STATE_JITTED, false);
			calls++;
		} else if (guest->depth > 0) {
			context_exit(SHAPE_ANY, lane, guest->stack[--guest->depth], false);
		}
	}
	atomic_fetch_add(&world->calls, calls);
	atomic_fetch_add(&world->used, used);
}

static bool mount(struct world *world, struct test_seat *seat, struct guest *guest)
{
	char name[32];

	if (guest->thread)
		return test_seat_mount(seat, guest->thread);
	snprintf(name, sizeof(name), "guest-%lu",
		(unsigned long)atomic_fetch_add(&world->names, 1));
	if (!test_seat_begin(seat, name))
		return false;
	guest->thread = seat->thread;
	guest->turns = 1 + test_random(&guest->random, 30);
	atomic_fetch_add(&world->begun, 1);
	return true;
}

/* One turn of a guest's on the carrier. */
static void carry(struct world *world, struct test_seat *seat, struct guest *guest)
{
	bool ends;

	if (!mount(world, seat, guest))
		return;
	atomic_fetch_add(&world->mounts, 1);
	ends = --guest->turns == 0;
	walk(world, guest, seat->lane, ends);
	test_seat_unmount(seat);
	if (!ends)
		return;
	virtual_end(seat->carrier, guest->thread);
	guest->thread = NULL;
}

/* One of which no recorded call is known comes, and ends. */
static void carry_stranger(struct world *world, struct test_seat *seat)
{
	bool known;

	carrier_give_way(seat->carrier);
	test_use(seat->carrier, 1, 8);
	known = virtual_unknown(seat->carrier);
	carrier_resume(seat->carrier, !known);
	if (!known)
		return;
	atomic_fetch_add(&world->used, 1);
	atomic_fetch_add(&world->mounts, 1);
	virtual_end(seat->carrier, NULL);
	atomic_fetch_add(&world->begun, 1);
}

/* A carrier's life has some turns; then, after a pause in which others come to look, another begins in
 * its place. */
static void *run_carrier(void *user)
{
	struct timespec pause = {0, 1000000};
	struct world *world = user;

	while (!atomic_load(&world->stop)) {
		struct test_seat seat = test_seat(world->trace, "carrier");

		for (int i = 0; seat.carrier && i < 300 && !atomic_load(&world->stop); i++) {
			struct guest *guest = take(&world->queue);

			if (i % 4 == 0)
				carry_stranger(world, &seat);
			carry(world, &seat, guest);
			put(&world->queue, guest);
		}
		if (seat.carrier)
			trace_thread_end(world->trace, seat.carrier, NULL);
		nanosleep(&pause, NULL);
	}
	return NULL;
}

/* What a picture shows of virtual threads, and what it has to show no less of next time. */
struct seen {
	uint64_t calls, total, used, deltas, mounts, threads, lost;
	uint64_t carriers; /* their own use: none */
};

static struct seen count(const struct test_picture *picture)
{
	struct seen seen = {0};

	for (size_t i = 0; i < picture->count; i++) {
		const struct test_row *row = &picture->row[i];

		if (!row->identity.is_virtual) {
			seen.carriers += row->thread.total[0];
			continue;
		}
		seen.calls += row->sums.calls;
		seen.used += row->thread.total[0];
		seen.mounts += row->thread.mounts;
		seen.threads += row->thread.folded;
		seen.lost += row->thread.lost;
		assert_int_equal(row->thread.unmatched, 0);
		assert_int_equal(row->thread.repaired, 0);
	}
	return seen;
}

static uint64_t deltas_in(struct trace *trace)
{
	uint64_t *cells = calloc(trace_sequences_words(2), sizeof(*cells));
	uint64_t deltas = trace_sequences(trace, cells);

	for (uint32_t code = 0; code < SEQUENCE_CODES; code++)
		deltas += cells[code * sequence_words_of(2)];
	free(cells);
	return deltas;
}

/* What was seen once is seen for good. */
static struct seen look(struct trace *trace, const struct seen *before)
{
	struct test_picture picture = {.metrics = 2};
	uint64_t total[METRIC_MAX];
	struct seen seen;

	test_visit(trace, &picture);
	seen = count(&picture);
	seen.deltas = deltas_in(trace);
	trace_totals(trace, total);
	seen.total = total[0];
	assert_true(seen.calls >= before->calls);
	assert_true(seen.used >= before->used);
	assert_true(seen.mounts >= before->mounts);
	assert_true(seen.deltas >= before->deltas);
	assert_true(seen.total >= before->total);
	assert_true(seen.total >= seen.used);
	assert_int_equal(seen.carriers, 0);
	test_picture_fini(&picture);
	return seen;
}

static void world_init(
	struct world *world, struct metric_set *set, uint64_t limit, uint32_t methods)
{
	*world = (struct world){.trace = trace_create(set, limit), .methods = methods};
	pthread_mutex_init(&world->queue.mutex, NULL);
	pthread_cond_init(&world->queue.ready, NULL);
	for (int i = 0; i < GUESTS; i++) {
		world->guest[i].random.state = (uint64_t)i;
		put(&world->queue, &world->guest[i]);
	}
}

static void check_end(struct world *world, const struct seen *before)
{
	struct seen seen = look(world->trace, before);
	struct test_picture picture = {.metrics = 2};
	struct trace_state state;

	assert_int_equal(seen.calls, world->calls);
	assert_int_equal(seen.lost, 0);
	assert_int_equal(seen.used, world->used);
	assert_int_equal(seen.mounts, world->mounts);
	assert_int_equal(seen.threads, world->begun);
	test_visit(world->trace, &picture);
	test_same_totals(world->trace, &picture);
	trace_get_state(world->trace, &state);
	/* What counts cannot do without may be beyond it: a carrier, a lane, a group is 20 KB. A thread
	 * that is kept apart has a lane on each carrier that it was on. */
	assert_in_range(state.memory_peak, 0,
		state.memory_limit +
			(GUESTS * (world->apart ? CARRIERS : 1) + CARRIERS) * (20 << 10));
	assert_int_equal(lock_violations(), 0);
	print_message(
		"%lu calls, %lu mounts, %lu threads, %lu rows, %lu not mounted, %lu frames "
		"lost, %lu KB of %lu\n",
		(unsigned long)world->calls, (unsigned long)world->mounts,
		(unsigned long)world->begun, (unsigned long)picture.count,
		(unsigned long)state.lost_threads, (unsigned long)seen.lost,
		(unsigned long)state.memory_peak >> 10,
		(unsigned long)state.memory_limit >> 10);
	test_picture_fini(&picture);
}

/* The last ones leave their methods: every event is an entry or its exit. */
static void finish(struct world *world)
{
	struct test_seat seat = test_seat(world->trace, "carrier");

	if (!seat.carrier)
		return;
	for (int i = 0; i < GUESTS; i++)
		if (world->guest[i].thread) {
			world->guest[i].turns = 1;
			carry(world, &seat, &world->guest[i]);
		}
	trace_thread_end(world->trace, seat.carrier, NULL);
}

static void run(uint64_t limit, uint32_t methods, bool apart)
{
	struct metric_set set = test_set(2);
	static struct world world; /* outlives a failure: the threads run on */
	pthread_t thread[CARRIERS];
	struct seen seen = {0};
	uint64_t until = clock_system() + MOST_NS;

	world_init(&world, &set, limit, methods);
	world.apart = apart;
	if (apart)
		trace_keep_virtual_apart(world.trace);
	for (int i = 0; i < CARRIERS; i++)
		assert_int_equal(pthread_create(&thread[i], NULL, run_carrier, &world), 0);
	for (int i = 0; i < PICTURES && clock_system() < until; i++) {
		struct timespec pause = {0, 2000000};

		seen = look(world.trace, &seen);
		nanosleep(&pause, NULL);
	}
	atomic_store(&world.stop, true);
	for (int i = 0; i < CARRIERS; i++)
		pthread_join(thread[i], NULL);
	check_end(&world, &seen);
	finish(&world);
	check_end(&world, &seen);
	trace_destroy(world.trace);
}

static void test_ample(void **state)
{
	run(256 << 20, 3, false);
}

static void test_short(void **state)
{
	run(4 << 20, 30, false);
}

static void test_apart(void **state)
{
	run(128 << 20, 3, true);
}

static void test_apart_short(void **state)
{
	run(4 << 20, 30, true);
}

/* ---- wall time ---- */

/* Time goes on wherever they are: what was told stays, and is the same in the end. */
static void test_wall(void **state)
{
	struct pattern_list names = {0};
	struct metric_set set;
	struct error error = {0};
	static struct world world; /* outlives a failure: the threads run on */
	pthread_t thread[CARRIERS];
	uint64_t began, total[METRIC_MAX], before = 0;
	struct test_picture picture = {.metrics = 1};

	assert_int_equal(pattern_list_add(&names, "wall"), 0);
	assert_int_equal(metric_set_init(&set, &names, &error), 0);
	pattern_list_fini(&names);
	began = clock_now();
	world_init(&world, &set, 64 << 20, 4);
	for (int i = 0; i < CARRIERS; i++)
		assert_int_equal(pthread_create(&thread[i], NULL, run_carrier, &world), 0);
	for (int i = 0; i < 300 && clock_now() < began + MOST_NS; i++) {
		trace_totals(world.trace, total);
		assert_true(total[0] >= before);
		assert_true(total[0] <= (clock_now() - began) * (GUESTS + CARRIERS));
		before = total[0];
		test_visit(world.trace, &picture);
	}
	atomic_store(&world.stop, true);
	for (int i = 0; i < CARRIERS; i++)
		pthread_join(thread[i], NULL);
	trace_stop(world.trace);
	test_visit(world.trace, &picture);
	test_same_totals(world.trace, &picture);
	trace_totals(world.trace, total);
	assert_true(total[0] >= before);
	assert_int_equal(lock_violations(), 0);
	test_picture_fini(&picture);
	trace_destroy(world.trace);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_ample),
		cmocka_unit_test(test_short),
		cmocka_unit_test(test_apart),
		cmocka_unit_test(test_apart_short),
		cmocka_unit_test(test_wall),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
