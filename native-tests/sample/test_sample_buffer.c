/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/* sample_buffer: records come out once and in order, over the end of the circle, and from many threads. */
#include <pthread.h>
#include <sched.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "agent/sample/sample_buffer.h"

/* ---- frames ---- */

static void test_pack(void **state)
{
	static const struct stack_frame frames[] = {
		{.kind = FRAME_INTERPRETED, .what = 1, .bci = -1},
		{.kind = FRAME_INTERPRETED, .what = SEEN_METHODS_MAX, .bci = 0},
		{.kind = FRAME_COMPILED, .what = 77, .bci = 65535, .level = 4},
		{.kind = FRAME_INLINED, .what = UINT32_MAX, .bci = 65534, .level = 1},
		{.kind = FRAME_JAVA_NATIVE, .what = 3, .bci = -1},
		{.kind = FRAME_STUB, .what = 0x7f1234567890, .bci = -1},
		{.kind = FRAME_NATIVE, .what = 0x7fffffffffff, .bci = -1},
		{.kind = FRAME_NATIVE, .what = 0, .bci = -1},
		{.kind = FRAME_KERNEL, .what = 0xffffffff81234567, .bci = -1},
		{.kind = FRAME_KERNEL, .what = 0xffff800000000000, .bci = -1},
		{.kind = FRAME_NAMED, .what = 123456, .bci = -1},
	};

	for (size_t i = 0; i < sizeof(frames) / sizeof(*frames); i++) {
		struct stack_frame frame = frame_unpack(frame_pack(&frames[i]));

		assert_int_equal(frame.what, frames[i].what);
		assert_int_equal(frame.kind, frames[i].kind);
		assert_int_equal(frame.bci, frames[i].bci);
		assert_int_equal(frame.level, frames[i].level);
	}
}

/* ---- one thread ---- */

struct seen {
	unsigned count;
	uint32_t row[4096];
};

/* Records are filled by their row: rows % 40 frames of that number. */
static bool add(struct sample_buffer *buffer, uint32_t row)
{
	struct sample_record *record = sample_claim(buffer, row % 40);

	if (!record)
		return false;
	assert_int_equal(record->bytes, 0);
	assert_int_equal(record->row, 0);
	record->row = row;
	for (uint32_t i = 0; i < row % 40; i++) {
		assert_int_equal(record->frame[i], 0);
		record->frame[i] = row;
	}
	sample_ready(record);
	return true;
}

static void note(void *user, const struct sample_record *record)
{
	struct seen *seen = user;

	assert_int_equal(record->frames, record->row % 40);
	for (uint32_t i = 0; i < record->frames; i++)
		assert_int_equal(record->frame[i], record->row);
	seen->row[seen->count++] = record->row;
}

static void test_circle(void **state)
{
	struct sample_buffer *buffer = sample_buffer_create(1);
	static struct seen seen;
	uint32_t next = 1, first = 1;

	/* Full, each time; then some of it out. */
	for (int round = 0; round < 200; round++) {
		while (add(buffer, next))
			next++;
		assert_true(next > first + 8);
		seen.count = 0;
		sample_drain(buffer, note, &seen);
		assert_int_equal(seen.count, next - first);
		for (uint32_t i = 0; i < seen.count; i++)
			assert_int_equal(seen.row[i], first + i);
		first = next;
	}
	seen.count = 0;
	sample_drain(buffer, note, &seen);
	assert_int_equal(seen.count, 0);
	sample_buffer_destroy(buffer);
}

static void count_frames(void *user, const struct sample_record *record)
{
	*(unsigned *)user += record->frames;
}

/* Up to the last byte, and not a frame more. */
static void test_room(void **state)
{
	struct sample_buffer *buffer = sample_buffer_create(4096);
	const unsigned most = (4096 - sizeof(struct sample_record)) / sizeof(uint64_t);
	struct sample_record *record;
	unsigned frames = 0;

	assert_null(sample_claim(buffer, most + 1));
	for (int i = 0; i < 3; i++) {
		record = sample_claim(buffer, most);
		assert_non_null(record);
		assert_null(sample_claim(buffer, 0));
		memset(record->frame, 0xff, most * sizeof(*record->frame));
		sample_ready(record);
		sample_drain(buffer, count_frames, &frames);
		assert_int_equal(frames, (i + 1) * most);
	}
	sample_buffer_destroy(buffer);
}

/* Much room is all but a quarter, wherever in the circle that begins. */
static void test_has_room(void **state)
{
	enum { CAPACITY = 16384, QUARTER = CAPACITY / 4 };
	struct sample_buffer *buffer = sample_buffer_create(CAPACITY);
	const unsigned bytes = sizeof(struct sample_record);
	unsigned frames = 0;

	for (int round = 0; round < 50; round++) {
		unsigned used = 0;

		assert_true(sample_buffer_has_room(buffer));
		/* What is claimed is used, ready or not. */
		for (; used < CAPACITY / 2; used += bytes) {
			struct sample_record *record = sample_claim(buffer, 0);

			assert_int_equal(
				sample_buffer_has_room(buffer), used + bytes < QUARTER);
			sample_ready(record);
		}
		sample_drain(buffer, count_frames, &frames);
	}
	assert_true(sample_buffer_has_room(buffer));
	sample_buffer_destroy(buffer);
}

/* One that is not ready holds up those behind it, and no longer. */
static void test_not_ready(void **state)
{
	struct sample_buffer *buffer = sample_buffer_create(1 << 16);
	static struct seen seen;
	struct sample_record *record;

	assert_true(add(buffer, 1));
	record = sample_claim(buffer, 2);
	record->row = 2;
	record->frame[0] = record->frame[1] = 2;
	assert_true(add(buffer, 3));
	seen.count = 0;
	sample_drain(buffer, note, &seen);
	assert_int_equal(seen.count, 1);
	sample_drain(buffer, note, &seen);
	assert_int_equal(seen.count, 1);
	sample_ready(record);
	sample_drain(buffer, note, &seen);
	assert_int_equal(seen.count, 3);
	assert_int_equal(seen.row[1], 2);
	assert_int_equal(seen.row[2], 3);
	sample_buffer_destroy(buffer);
}

/* ---- many ---- */

enum { PRODUCERS = 6, RECORDS = 20000 };

static struct sample_buffer *shared;
static _Atomic uint64_t full;
static _Atomic unsigned running;

static void *produce(void *place)
{
	uint32_t thread = (uint32_t)(uintptr_t)place;

	for (uint32_t i = 1; i <= RECORDS; i++) {
		struct sample_record *record;

		while (!(record = sample_claim(shared, i % 40))) {
			atomic_fetch_add(&full, 1);
			sched_yield();
		}
		record->thread = thread;
		record->row = i;
		for (uint32_t k = 0; k < i % 40; k++)
			record->frame[k] = i;
		sample_ready(record);
	}
	atomic_fetch_sub(&running, 1);
	return NULL;
}

struct many {
	uint32_t last[PRODUCERS];
	unsigned wrong;
};

static void check_order(void *user, const struct sample_record *record)
{
	struct many *many = user;

	if (record->thread >= PRODUCERS || record->row != ++many->last[record->thread] ||
		record->frames != record->row % 40) {
		many->wrong++;
		return;
	}
	for (uint32_t i = 0; i < record->frames; i++)
		many->wrong += record->frame[i] != record->row;
}

static void produce_all(size_t bytes)
{
	pthread_t thread[PRODUCERS];
	struct many many = {0};

	shared = sample_buffer_create(bytes);
	full = 0;
	running = PRODUCERS;
	for (uintptr_t i = 0; i < PRODUCERS; i++)
		assert_int_equal(pthread_create(&thread[i], NULL, produce, (void *)i), 0);
	while (atomic_load(&running) > 0) {
		sample_drain(shared, check_order, &many);
		sched_yield();
	}
	for (int i = 0; i < PRODUCERS; i++)
		pthread_join(thread[i], NULL);
	sample_drain(shared, check_order, &many);
	assert_int_equal(many.wrong, 0);
	for (int i = 0; i < PRODUCERS; i++)
		assert_int_equal(many.last[i], RECORDS);
	sample_buffer_destroy(shared);
}

static void test_many(void **state)
{
	produce_all(8192);
	assert_true(full > 0);
}

/* There is room for all: none is refused, however fast others are. */
static void test_never_full(void **state)
{
	produce_all((size_t)PRODUCERS * RECORDS * (sizeof(struct sample_record) + 320) + 4096);
	assert_int_equal(full, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_pack),
		cmocka_unit_test(test_circle),
		cmocka_unit_test(test_room),
		cmocka_unit_test(test_has_room),
		cmocka_unit_test(test_not_ready),
		cmocka_unit_test(test_many),
		cmocka_unit_test(test_never_full),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
