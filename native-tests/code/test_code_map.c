/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/* The code map: what lay where and when, and what the file has to be told of it. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "agent/code/code_map.h"

enum { PLENTY = 1 << 20 };

static const uint8_t some_places[] = {0, 8, 2};

static void load(
	struct code_map *map, uint64_t address, uint64_t size, uint32_t method, uint64_t time)
{
	struct code_load one = {.address = address, .size = size, .method = method, .level = 4};
	uint8_t *places = malloc(sizeof some_places);

	memcpy(places, some_places, sizeof some_places);
	one.places = places;
	one.places_size = sizeof some_places;
	code_map_load(map, &one, time);
}

static void load_own(struct code_map *map, const char *name, uint64_t address, uint64_t size)
{
	code_map_load(
		map, &(struct code_load){.address = address, .size = size, .name = name}, 0);
}

/* The method at an address then; 0: none. */
static uint32_t at(const struct code_map *map, uint64_t address, uint64_t time)
{
	const struct profile_code *code = code_map_find(map, address, time);

	return code ? code->method : 0;
}

/* What is to be written: "ID METHOD LOADED-UNLOADED", and how many bytes of instructions. */
static const char *next(struct code_map *map)
{
	static char text[40000];
	struct profile_code code;
	struct profile_machine_code machine;
	size_t place = 0, used = 0;

	text[0] = '\0';
	while (code_map_next(map, &place, &code, &machine))
		used += (size_t)snprintf(text + used, sizeof text - used, "%s%u %u %d-%d+%d",
			used ? ", " : "", code.id, code.method, (int)code.loaded,
			(int)code.unloaded, (int)machine.bytes.size);
	return text;
}

static void times(void **state)
{
	struct code_map *map = code_map_create(PLENTY, 0);

	load(map, 1000, 100, 2, 0);
	load(map, 2000, 100, 3, 50);
	assert_int_equal(at(map, 1000, 0), 2);
	assert_int_equal(at(map, 1099, 0), 2);
	assert_int_equal(at(map, 1100, 0), 0);
	assert_int_equal(at(map, 999, 0), 0);
	assert_int_equal(at(map, 2050, 49), 0);
	assert_int_equal(at(map, 2050, 50), 3);
	code_map_unload(map, 1000, 60);
	code_map_unload(map, 2010, 60); /* there is none that begins so */
	load(map, 1050, 20, 4, 70);
	assert_int_equal(at(map, 1060, 59), 2);
	assert_int_equal(at(map, 1060, 60), 0);
	assert_int_equal(at(map, 1060, 70), 4);
	/* What lay there is gone, whether or not that was told. */
	load(map, 1980, 40, 5, 80);
	assert_int_equal(at(map, 2010, 79), 3);
	assert_int_equal(at(map, 2010, 80), 5);
	assert_int_equal(at(map, 2050, 80), 0);
	/* Again: nothing has changed. */
	load(map, 1980, 40, 5, 90);
	load(map, 1980, 40, 5, 0);
	assert_string_equal(next(map), "1 2 0-60+0, 2 3 50-80+0, 3 4 70-0+0, 4 5 80-0+0");
	assert_int_equal(code_map_counts(map).entries, 4);
	/* Another of the same size there is another. */
	load(map, 1980, 40, 6, 95);
	assert_int_equal(at(map, 1990, 94), 5);
	assert_int_equal(at(map, 1990, 95), 6);
	/* Sizes and addresses that cannot be. */
	load(map, 7000, 0, 6, 95);
	load(map, UINT64_MAX - 5, 10, 6, 95);
	assert_int_equal(code_map_counts(map).entries, 5);
	code_map_destroy(map);
}

/* The JVM's own code has parts; the smallest piece is meant. */
static void own(void **state)
{
	struct code_map *map = code_map_create(PLENTY, 0);

	load_own(map, "Interpreter", 1000, 1000);
	load_own(map, "iload", 1200, 50);
	load_own(map, "iload", 1200, 50);
	load(map, 3000, 100, 2, 0);
	assert_string_equal(code_map_find(map, 1210, 5)->name, "iload");
	assert_string_equal(code_map_find(map, 1250, 5)->name, "Interpreter");
	assert_int_equal(at(map, 3000, 5), 2);
	load_own(map, "vtable stub", 3050, 10);
	assert_int_equal(code_map_counts(map).entries, 4);
	assert_string_equal(code_map_find(map, 3055, 5)->name, "vtable stub");
	code_map_destroy(map);
}

/* What is new or changed is shown until it is kept, and then no more. */
static void flushes(void **state)
{
	static const uint8_t bytes[100] = {0x90};
	struct code_map *map = code_map_create(PLENTY, 150);
	struct code_load one = {.address = 1000, .size = 100, .method = 2, .bytes = bytes};

	code_map_load(map, &one, 10);
	one.address = 2000;
	one.method = 3;
	code_map_load(map, &one, 20); /* no room for its instructions */
	assert_int_equal(code_map_counts(map).machine_code, 100);
	assert_int_equal(code_map_counts(map).machine_code_missing, 1);
	assert_string_equal(next(map), "1 2 10-0+100, 2 3 20-0+0");
	code_map_put_done(map, false);
	assert_string_equal(next(map), "1 2 10-0+100, 2 3 20-0+0");
	/* Unloaded, and one more, before the transaction is over. */
	code_map_unload(map, 1000, 30);
	load(map, 3000, 100, 4, 30);
	code_map_put_done(map, true);
	assert_int_equal(at(map, 1000, 25), 2);
	assert_string_equal(next(map), "1 2 10-30+0, 3 4 30-0+0");
	code_map_put_done(map, true);
	assert_string_equal(next(map), "");
	/* What is gone is in the file alone. */
	assert_int_equal(at(map, 1000, 25), 0);
	assert_int_equal(at(map, 2000, 25), 3);
	code_map_unload(map, 3000, 40);
	assert_string_equal(next(map), "3 4 30-40+0");
	code_map_put_done(map, false);
	assert_string_equal(next(map), "3 4 30-40+0");
	code_map_put_done(map, true);
	assert_string_equal(next(map), "");
	code_map_destroy(map);
}

/* First places are left out, then entries; and what was unloaded and written makes room. */
static void bounded(void **state)
{
	struct code_map *map = code_map_create(20000, 0);
	struct code_map_counts counts;

	for (uint32_t i = 0; i < 1000; i++)
		load(map, 1000 * (i + 1), 100, 2, i);
	counts = code_map_counts(map);
	assert_in_range(counts.memory, 15000, 20000);
	assert_int_equal(counts.entries + counts.missing, 1000);
	assert_in_range(counts.entries, 50, 400);
	assert_in_range(counts.places_missing, 1, counts.entries / 2);
	next(map);
	code_map_put_done(map, true);
	for (uint32_t i = 0; i < 1000; i++)
		code_map_unload(map, 1000 * (i + 1), 2000);
	next(map);
	code_map_put_done(map, true);
	assert_int_equal(code_map_counts(map).memory, 0);
	load(map, 1000, 100, 2, 3000);
	assert_int_equal(code_map_counts(map).entries, counts.entries + 1);
	code_map_destroy(map);
	code_map_destroy(NULL);
}

/* Random loads and unloads, beside a list that is looked through. */
static void random_life(void **state)
{
	enum { CELLS = 64, STEPS = 20000 };
	struct code_map *map = code_map_create(PLENTY, 0);
	uint32_t cell[CELLS] = {0}, seed = 1;

	for (uint32_t step = 1; step <= STEPS; step++) {
		uint32_t place, length, first;

		seed = seed * 1664525 + 1013904223;
		place = (seed >> 8) % CELLS;
		length = 1 + (seed >> 16) % 5;
		if (place + length > CELLS)
			length = CELLS - place;
		if (seed >> 29 < 5) {
			load(map, 1000 + place * 16, length * 16, step + 1, step);
			for (uint32_t i = 0; i < length; i++) {
				uint32_t was = cell[place + i];

				for (uint32_t j = 0; was && j < CELLS; j++)
					if (cell[j] == was)
						cell[j] = 0;
			}
			for (uint32_t i = 0; i < length; i++)
				cell[place + i] = step + 1;
		} else {
			for (first = place; first > 0 && cell[first - 1] == cell[place];)
				first--;
			code_map_unload(map, 1000 + first * 16, step);
			for (uint32_t j = 0, was = cell[place]; was && j < CELLS; j++)
				if (cell[j] == was)
					cell[j] = 0;
		}
		if (step % 50 == 0) {
			next(map);
			code_map_put_done(map, step % 100 == 0);
		}
		for (uint32_t i = 0; i < CELLS; i += 7)
			assert_int_equal(at(map, 1000 + i * 16 + 5, step), cell[i]);
	}
	code_map_destroy(map);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(times),
		cmocka_unit_test(own),
		cmocka_unit_test(flushes),
		cmocka_unit_test(bounded),
		cmocka_unit_test(random_life),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
