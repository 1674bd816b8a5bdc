/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/*
 * test_holder_race: A opens a descriptor, B holds it, A closes it, C gets the same number, B
 * closes that. Threads do so at random, with descriptors that the kernel gives, while one looks
 * at all rows.
 *
 * What they charge is told apart by the row, and has to be what they did: every opening is
 * released once, and no operation goes to a row of another name than its thread read.
 *
 * HOLDER_RACE_SECONDS: how long; a second, if it is not set.
 */
#include "agent/io/holder.h"

#include <fcntl.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>

enum { THREADS = 8, DESCRIPTORS = 32, SLOTS = 16, NAMES = 5 };

static struct holder holder;
/* Descriptors that any thread may use, and close, as a program with a race would. */
static _Atomic int shared[DESCRIPTORS];
static _Atomic bool enough;
static _Atomic uint64_t opened, closed, looked;

static uint32_t next_random(uint32_t *seed)
{
	*seed ^= *seed << 13;
	*seed ^= *seed >> 17;
	*seed ^= *seed << 5;
	return *seed;
}

static void open_one(_Atomic int *place, uint32_t *seed)
{
	char name[32];
	int descriptor = open("/dev/null", O_RDONLY | O_CLOEXEC), before;
	struct io_opening opening = {.kind = IO_FILE, .descriptor = descriptor};

	assert_true(descriptor >= 0);
	opening.name = (struct io_name){
		name, (size_t)snprintf(name, sizeof(name), "/%u", next_random(seed) % NAMES)};
	assert_true(holder_open(&holder, &opening) != 0);
	atomic_fetch_add(&opened, 1);
	before = atomic_exchange(place, descriptor);
	if (before >= 0) {
		holder_word seen = holder_get(&holder, before);

		/* This thread alone took it out of its place: it may be closed. */
		if (close(before) == 0 && holder_close(&holder, before, seen))
			atomic_fetch_add(&closed, 1);
	}
}

/* Holds a number that others may close meanwhile, and closes it, too. */
static void close_one(_Atomic int *place, bool twice)
{
	int descriptor = atomic_load(place);
	holder_word seen;

	if (descriptor < 0)
		return;
	seen = holder_get(&holder, descriptor);
	if (!twice && !atomic_compare_exchange_strong(place, &descriptor, -1))
		return;
	if (!twice)
		close(descriptor);
	if (holder_close(&holder, descriptor, seen))
		atomic_fetch_add(&closed, 1);
}

static void become_one(_Atomic int *place)
{
	int descriptor = atomic_load(place);
	const struct io_opening opening = {.kind = IO_TCP, .descriptor = descriptor,
		.name = {"127.0.0.1:1", 11}, .peer = {"127.0.0.1:2", 11}};
	holder_word seen = descriptor < 0 ? 0 : holder_get(&holder, descriptor);

	if (seen)
		holder_become(&holder, seen, &opening);
}

static void *run(void *argument)
{
	uint32_t seed = (uint32_t)(uintptr_t)argument;

	while (!atomic_load(&enough)) {
		_Atomic int *place = &shared[next_random(&seed) % DESCRIPTORS];

		switch (next_random(&seed) % 4) {
		case 0:
			open_one(place, &seed);
			break;
		case 1:
			close_one(place, false);
			break;
		case 2:
			close_one(place, true);
			break;
		default:
			become_one(place);
		}
	}
	return NULL;
}

static void show(void *user, const struct io_file *file)
{
	uint64_t *held = user;

	assert_true(strlen(file->name) == file->name_length);
	*held += file->held;
}

static void *look(void *argument)
{
	(void)argument;
	while (!atomic_load(&enough)) {
		uint64_t held = 0;

		io_files_visit(&holder.files, show, &held);
		atomic_fetch_add(&looked, 1);
	}
	return NULL;
}

/* Sum over the descriptors that are something. */
static uint64_t words(void)
{
	uint64_t count = 0;

	for (int i = 0; i < 4096; i++)
		count += holder_get(&holder, i) != 0;
	return count;
}

static void race(bool kept)
{
	const char *seconds = getenv("HOLDER_RACE_SECONDS");
	struct timespec time = {.tv_sec = seconds ? atoi(seconds) : 1};
	pthread_t thread[THREADS + 1];
	uint64_t held = 0;

	atomic_store(&enough, false);
	assert_true(holder_init(&holder, SLOTS, 1000));
	if (kept)
		io_files_keep(&holder.files);
	for (int i = 0; i < DESCRIPTORS; i++)
		atomic_store(&shared[i], -1);
	for (int i = 0; i < THREADS; i++)
		pthread_create(&thread[i], NULL, run, (void *)(uintptr_t)(i + 1));
	pthread_create(&thread[THREADS], NULL, look, NULL);
	nanosleep(&time, NULL);
	atomic_store(&enough, true);
	for (int i = 0; i <= THREADS; i++)
		pthread_join(thread[i], NULL);

	/* The books: each row is held by as many descriptors as are it. */
	io_files_visit(&holder.files, show, &held);
	assert_int_equal(held, words());
	for (int i = 0; i < 4096; i++)
		if (holder_get(&holder, i))
			assert_true(holder_close(&holder, i, holder_get(&holder, i)));
	held = 0;
	io_files_visit(&holder.files, show, &held);
	assert_int_equal(held, 0);
	for (int i = 0; i < DESCRIPTORS; i++)
		if (shared[i] >= 0)
			close(shared[i]);
	print_message("%llu opened, %llu closed, looked %llu times\n",
		(unsigned long long)opened, (unsigned long long)closed,
		(unsigned long long)looked);
	assert_true(opened > 1000 && looked > 10);
	holder_fini(&holder);
}

static void rows_come_and_go(void **state)
{
	(void)state;
	race(false);
}

static void rows_are_kept(void **state)
{
	(void)state;
	race(true);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(rows_come_and_go),
		cmocka_unit_test(rows_are_kept),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
