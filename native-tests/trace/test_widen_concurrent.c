/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/*
 * Metrics that come while owners are at full speed, threads come and go, virtual threads are handed from carrier to
 * carrier, and somebody looks all the time: every picture is sound, and the last one has of the old metrics all that was
 * used, of the new ones all that was used since each thread counted them. Meant for the thread sanitizer too.
 */
#include "mount_test.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum {
	A = METHOD_FIRST,
	OWNERS = 2,
	CARRIERS = 2,
	GUESTS = 24,
	DEEPEST = 8,
	PICTURES = TEST_TRIES(60),
	NARROW = 2,
	WIDEST = 5
};

struct guest {
	struct virtual_thread *thread; /* NULL: the next one begins */
	struct test_random random;
	uint32_t stack[DEEPEST], depth;
	unsigned turns; /* until it ends */
	pthread_mutex_t mutex;
};

struct world {
	struct trace *trace;
	uint32_t methods;
	struct guest guest[GUESTS];
	_Atomic bool stop;
	_Atomic uint64_t calls, names;
	_Atomic uint64_t used
		[WIDEST]; /* of each metric; the model of the bytes that all but the first one count */
};

/* So much was used in the context, which counts so many metrics. */
static void use(struct world *world, struct thread_context *context)
{
	test_use(context, 1, 8);
	for (unsigned i = 0; i < context->set->count; i++)
		atomic_fetch_add_explicit(
			&world->used[i], i == 0 ? 1 : 8, memory_order_relaxed);
}

/* ---- threads ---- */

static void walk(struct world *world, struct thread_context *context, uint32_t seed)
{
	struct test_random random = {seed};
	uint32_t stack[DEEPEST], depth = 0;

	for (uint32_t i = 0; i < 200 || depth > 0; i++) {
		if (context_is_narrow(context))
			assert_true(context_widen(context));
		use(world, context);
		if (depth < DEEPEST && i < 200 && test_random(&random, 10) >= depth) {
			stack[depth] = A + test_random(&random, world->methods);
			context_enter(SHAPE_ANY, context, stack[depth++], STATE_JITTED, false);
			atomic_fetch_add(&world->calls, 1);
		} else if (depth > 0) {
			context_exit(SHAPE_ANY, context, stack[--depth], false);
		}
	}
}

/* Lives of some length; those that are short begin and end all the time. */
static void live(struct world *world, const char *kind, int walks)
{
	char name[64];
	struct thread_context *context;

	snprintf(name, sizeof(name), "%s-%lu", kind,
		(unsigned long)atomic_fetch_add(&world->names, 1));
	context = test_begin(world->trace, name);
	for (int i = 0; context && i < walks && !atomic_load(&world->stop); i++)
		walk(world, context, (uint32_t)i);
	if (context)
		trace_thread_end(world->trace, context, NULL);
}

static void *run_owner(void *user)
{
	struct world *world = user;

	while (!atomic_load(&world->stop))
		live(world, "owner", 100000);
	return NULL;
}

static void *run_crowd(void *user)
{
	struct world *world = user;

	while (!atomic_load(&world->stop))
		live(world, "crowd", 1);
	return NULL;
}

/* ---- virtual threads ---- */

static void walk_guest(
	struct world *world, struct test_seat *seat, struct guest *guest, bool out)
{
	for (unsigned i = 0; out ? guest->depth > 0 : i < 20; i++) {
		if (context_is_narrow(seat->carrier))
			assert_true(context_widen(seat->carrier));
		use(world, seat->lane);
		if (!out && guest->depth < DEEPEST &&
			test_random(&guest->random, DEEPEST) >= guest->depth) {
			guest->stack[guest->depth] =
				A + test_random(&guest->random, world->methods);
			context_enter(SHAPE_ANY, seat->lane, guest->stack[guest->depth++],
				STATE_JITTED, false);
			atomic_fetch_add(&world->calls, 1);
		} else if (guest->depth > 0) {
			context_exit(
				SHAPE_ANY, seat->lane, guest->stack[--guest->depth], false);
		}
	}
}

static void carry(struct world *world, struct test_seat *seat, struct guest *guest, bool last)
{
	bool known = guest->thread != NULL, ends;

	if (last && !known)
		return;
	if (known && !test_seat_mount(seat, guest->thread))
		return;
	if (!known && !test_seat_begin(seat, "guest-1"))
		return;
	if (!known)
		guest->turns = 1 + test_random(&guest->random, 30);
	guest->thread = seat->thread;
	ends = --guest->turns == 0 || last;
	walk_guest(world, seat, guest, ends);
	test_seat_unmount(seat);
	if (!ends)
		return;
	virtual_end(seat->carrier, guest->thread);
	guest->thread = NULL;
}

static void *run_carrier(void *user)
{
	struct world *world = user;
	struct test_random random = {(uint64_t)(uintptr_t)&random};

	while (!atomic_load(&world->stop)) {
		struct test_seat seat = test_seat(world->trace, "carrier");

		for (int i = 0; seat.carrier && i < 300 && !atomic_load(&world->stop); i++) {
			struct guest *guest = &world->guest[test_random(&random, GUESTS)];

			if (pthread_mutex_trylock(&guest->mutex) != 0)
				continue;
			carry(world, &seat, guest, false);
			pthread_mutex_unlock(&guest->mutex);
		}
		if (seat.carrier)
			trace_thread_end(world->trace, seat.carrier, NULL);
	}
	return NULL;
}

static void finish_guests(struct world *world)
{
	struct test_seat seat = test_seat(world->trace, "carrier");

	assert_non_null(seat.carrier);
	for (int i = 0; i < GUESTS; i++)
		carry(world, &seat, &world->guest[i], true);
	trace_thread_end(world->trace, seat.carrier, NULL);
}

/* ---- who looks ---- */

struct seen {
	uint64_t calls, deltas, used[WIDEST], total[METRIC_MAX];
};

static uint64_t deltas_in(struct trace *trace, unsigned metrics)
{
	uint64_t *cells = calloc(trace_sequences_words(metrics), sizeof(*cells));
	uint64_t deltas = trace_sequences(trace, cells);

	for (uint32_t code = 0; code < SEQUENCE_CODES; code++)
		deltas += cells[code * sequence_words_of(metrics)];
	free(cells);
	return deltas;
}

/* What was seen once is seen for good, of the metrics that there were. */
static struct seen look(struct trace *trace, const struct seen *before)
{
	unsigned metrics = trace_metrics(trace)->count;
	struct test_picture picture = {.metrics = metrics};
	struct seen seen = {0};

	test_visit(trace, &picture);
	for (size_t i = 0; i < picture.count; i++) {
		seen.calls += picture.row[i].sums.calls;
		for (unsigned m = 0; m < metrics; m++)
			seen.used[m] += picture.row[i].thread.total[m];
		assert_int_equal(picture.row[i].thread.unmatched, 0);
		assert_int_equal(picture.row[i].thread.repaired, 0);
	}
	seen.deltas = deltas_in(trace, metrics);
	trace_totals(trace, seen.total);
	assert_true(seen.calls >= before->calls);
	assert_true(seen.deltas >= before->deltas);
	for (unsigned m = 0; m < metrics; m++) {
		assert_true(seen.used[m] >= before->used[m]);
		assert_true(seen.total[m] >= before->total[m]);
		assert_true(seen.total[m] >= seen.used[m]);
	}
	test_picture_fini(&picture);
	return seen;
}

static void run(uint64_t limit, uint32_t methods, bool apart)
{
	static struct world world; /* outlives a failure: the threads run on */
	static const struct timespec pause = {0, 2000000};
	void *(*const role[])(void *) = {run_owner, run_carrier, run_crowd};
	static const int roles[] = {OWNERS, CARRIERS, 1};
	struct metric_set set = test_set(NARROW);
	struct trace *trace = trace_create(&set, limit);
	pthread_t thread[OWNERS + CARRIERS + 1];
	struct test_picture picture = {.metrics = WIDEST};
	struct seen seen = {0};
	int threads = 0;

	memset(&world, 0, sizeof(world));
	world.trace = trace;
	world.methods = methods;
	for (int i = 0; i < GUESTS; i++) {
		world.guest[i].random.state = (uint64_t)i;
		pthread_mutex_init(&world.guest[i].mutex, NULL);
	}
	if (apart)
		trace_keep_virtual_apart(trace);
	for (int r = 0; r < 3; r++)
		for (int i = 0; i < roles[r]; i++)
			assert_int_equal(
				pthread_create(&thread[threads++], NULL, role[r], &world), 0);
	for (int i = 0; i < PICTURES; i++) {
		seen = look(trace, &seen);
		if (i % (PICTURES / 4) == PICTURES / 8 &&
			trace_metrics(trace)->count < WIDEST) {
			struct metric_set wider = test_set(trace_metrics(trace)->count + 1);

			assert_int_equal(trace_widen(trace, &wider), 0);
		}
		nanosleep(&pause, NULL);
	}
	assert_int_equal(trace_metrics(trace)->count, WIDEST);
	atomic_store(&world.stop, true);
	while (threads > 0)
		pthread_join(thread[--threads], NULL);
	finish_guests(&world);
	seen = look(trace, &seen);
	assert_int_equal(seen.calls, world.calls);
	for (unsigned m = 0; m < WIDEST; m++) {
		assert_int_equal(seen.used[m], world.used[m]);
		assert_true(seen.used[m] > 0);
	}
	test_visit(trace, &picture);
	test_same_totals(trace, &picture);
	assert_int_equal(lock_violations(), 0);
	print_message("%lu calls, %lu rows, of the metrics %lu %lu %lu %lu %lu\n",
		(unsigned long)seen.calls, (unsigned long)picture.count,
		(unsigned long)seen.used[0], (unsigned long)seen.used[1],
		(unsigned long)seen.used[2], (unsigned long)seen.used[3],
		(unsigned long)seen.used[4]);
	test_picture_fini(&picture);
	trace_destroy(trace);
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
	run(128 << 20, 5, true);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_ample),
		cmocka_unit_test(test_short),
		cmocka_unit_test(test_apart),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
