/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/* What is remembered of places of compiled code is what was said of them, or nothing. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>
#include <string.h>

#include "agent/stack/known_places.h"
#include "agent/stack/walk.h"
#include "native-tests/stack/in_threads.h"

enum { ROOM = 64 };

static struct known_places *known;

static int create(void **state)
{
	known = known_places_create();
	return known ? 0 : -1;
}

static int destroy(void **state)
{
	known_places_destroy(known);
	return 0;
}

/* Frames that tell of which place they are. */
static unsigned make(struct known_place place, struct stack_frame *frame)
{
	unsigned count = 1 + (unsigned)((place.pc ^ place.code) % 7);

	for (unsigned i = 0; i < count; i++)
		frame[i] = (struct stack_frame){
			.what = place.pc * 31 + place.code + place.is_return,
			.bci = (int32_t)i,
			.kind = FRAME_INLINED,
			.level = 4};
	return count;
}

static void add(struct known_place place)
{
	struct stack_frame frame[ROOM];

	known_places_add(known, place, frame, make(place, frame));
}

/* False: it is not known. */
static bool has(struct known_place place)
{
	struct stack_frame made[ROOM], found[ROOM];
	unsigned count = known_places_find(known, place, found, ROOM);

	if (count == 0)
		return false;
	assert_int_equal(count, make(place, made));
	for (unsigned i = 0; i < count; i++) {
		assert_int_equal(found[i].what, made[i].what);
		assert_int_equal(found[i].bci, made[i].bci);
		assert_int_equal(found[i].kind, made[i].kind);
		assert_int_equal(found[i].level, made[i].level);
	}
	return true;
}

static void test_found(void **state)
{
	const struct known_place place = {0x7f0000001000, 17, false};
	struct known_place other = place;

	assert_false(has(place));
	assert_false(has((struct known_place){0}));
	add(place);
	assert_true(has(place));
	other.code = 18;
	assert_false(has(other));
	other = place;
	other.is_return = true;
	assert_false(has(other));
	other = place;
	other.pc++;
	assert_false(has(other));
}

/* All frames of a place, or none; more than are ever inlined are not remembered. */
static void test_room(void **state)
{
	const struct known_place place = {0x1000, 2, false};
	struct stack_frame frame[ROOM + 1];

	memset(frame, 0, sizeof(frame));
	known_places_add(known, place, frame, 0);
	assert_int_equal(known_places_find(known, place, frame, ROOM), 0);
	known_places_add(known, place, frame, ROOM + 1);
	assert_int_equal(known_places_find(known, place, frame, ROOM + 1), 0);
	known_places_add(known, place, frame, ROOM);
	assert_int_equal(known_places_find(known, place, frame, ROOM - 1), 0);
	assert_int_equal(known_places_find(known, place, frame, ROOM), ROOM);
	assert_int_equal(known_places_find(NULL, place, frame, ROOM), 0);
	known_places_add(NULL, place, frame, ROOM);
}

/* The newest are known when there are many more than there is room for. */
static void test_many(void **state)
{
	enum { PLACES = 400000, NEWEST = 2000 };
	unsigned newest = 0;

	for (uintptr_t i = 0; i < PLACES; i++)
		add((struct known_place){0x7f0000000000 + i * 12, (uint32_t)i / 50, i % 2});
	for (uintptr_t i = 0; i < PLACES; i++)
		newest += has((struct known_place){
				  0x7f0000000000 + i * 12, (uint32_t)i / 50, i % 2}) &&
			  i >= PLACES - NEWEST;
	assert_in_range(newest, NEWEST * 9 / 10, NEWEST);
	assert_false(has((struct known_place){0x7f0000000000, 0, false}));
}

/* Threads add and look at once, and go round the ring: what is found is right. */
static void *hammer(void *argument)
{
	uintptr_t seed = (uintptr_t)argument, found = 0;

	for (int i = 0; i < 200000; i++) {
		struct known_place place;

		seed = seed * 6364136223846793005u + 1442695040888963407u;
		place = (struct known_place){0x1000 + (seed >> 40) % 100000, 1, false};
		if (has(place))
			found++;
		else
			add(place);
	}
	return (void *)found;
}

static void test_threads(void **state)
{
	in_threads(hammer);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_found, create, destroy),
		cmocka_unit_test_setup_teardown(test_room, create, destroy),
		cmocka_unit_test_setup_teardown(test_many, create, destroy),
		cmocka_unit_test_setup_teardown(test_threads, create, destroy),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
