/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/*
 * test_holder_race: A opens a descriptor, B holds it, A closes it, C gets the same
 * number, B closes that. Threads do so at random, with descriptors that the kernel gives,
 * while one folds rows and looks at all of them.
 *
 * The books: every word that was given is taken out at most once, and those that are left
 * were not; and whoever reads a word finds the file that this opening was, and no other.
 *
 * HOLDER_RACE_SECONDS: how long; a second, if it is not set.
 */
#include "holder_fini.h"

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

enum { THREADS = 8, DESCRIPTORS = 32, SLOTS = 16, NAMES = 200, KEPT = 20, TURNS = 1 << 24 };

static struct holder holder;
/* Descriptors that any thread may use, and close, as a program with a race would. */
static _Atomic int shared[DESCRIPTORS];
static _Atomic bool enough;
static _Atomic uint64_t opened, closed, looked;
static _Atomic uint64_t folded_rows; /* seen by the one that looks */

/* By the turn of the word, of the first ones. */
static _Atomic uint8_t was_named[TURNS]; /* 1 + its name; 0: not by a name */
static _Atomic uint8_t was_taken[TURNS];
static _Atomic uint8_t was_read[TURNS]; /* 1 + the name that was found */

static uint32_t turn_of(holder_word word)
{
	return (uint32_t)(word >> 32);
}

static uint32_t next_random(uint32_t *seed)
{
	*seed ^= *seed << 13;
	*seed ^= *seed >> 17;
	*seed ^= *seed << 5;
	return *seed;
}

static void take_out(int descriptor, holder_word seen)
{
	if (!holder_close(&holder, descriptor, seen))
		return;
	atomic_fetch_add(&closed, 1);
	if (turn_of(seen) < TURNS)
		atomic_fetch_add(&was_taken[turn_of(seen)], 1);
}

static void open_named(int descriptor, uint32_t which)
{
	struct io_opening opening = {.kind = IO_FILE, .descriptor = descriptor};
	char name[32];
	struct io_ref ref;
	holder_word word;

	opening.name =
		(struct io_name){name, (size_t)snprintf(name, sizeof(name), "/%u", which)};
	word = holder_open(&holder, &opening, &ref);
	assert_true(word != 0);
	if (turn_of(word) < TURNS)
		atomic_store(&was_named[turn_of(word)], (uint8_t)(1 + which));
}

static void open_one(_Atomic int *place, uint32_t *seed)
{
	int descriptor = open("/dev/null", O_RDONLY | O_CLOEXEC), before;
	uint32_t which = next_random(seed) % (NAMES + 1);

	assert_true(descriptor >= 0);
	if (which < NAMES)
		open_named(descriptor, which);
	else
		holder_note(&holder, descriptor, which, 1);
	atomic_fetch_add(&opened, 1);
	before = atomic_exchange(place, descriptor);
	if (before >= 0) {
		holder_word seen = holder_get(&holder, before);

		/* This thread alone took it out of its place: it may be closed. */
		if (close(before) == 0)
			take_out(before, seen);
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
	take_out(descriptor, seen);
}

static void become_one(_Atomic int *place)
{
	int descriptor = atomic_load(place);
	const struct io_opening opening = {.kind = IO_TCP,
		.descriptor = descriptor,
		.name = {"127.0.0.1:1", 11},
		.peer = {"127.0.0.1:2", 11}};
	holder_word seen = descriptor < 0 ? 0 : holder_get(&holder, descriptor);
	struct io_ref ref;

	if (seen)
		holder_become(&holder, seen, &opening, &ref);
}

/* As an operation does: the file of the word, which may be folded meanwhile, but for as
 * long as it is held. */
static void use_one(_Atomic int *place)
{
	int descriptor = atomic_load(place);
	struct io_ref ref = {0};
	holder_word word = descriptor < 0 ? 0 : holder_look(&holder, descriptor, &ref);
	uint64_t now = ref.id ? io_files_now(&holder.files, ref.id, ref.group) : 0;
	struct io_file *file;

	if (ref.id == 0 || turn_of(word) >= TURNS)
		return;
	assert_true(now == ref.id || now == ref.group);
	io_files_use(&holder.files, ref.id, 1);
	file = io_files_hold(&holder.files, ref.id);
	if (!file)
		return;
	assert_int_equal(file->kind, ref.kind);
	if (file->kind == IO_FILE && ref.id != ref.group)
		atomic_store(&was_read[turn_of(word)], (uint8_t)(1 + atoi(file->name + 1)));
	io_file_release(file);
}

static void *run(void *argument)
{
	uint32_t seed = (uint32_t)(uintptr_t)argument;

	while (!atomic_load(&enough)) {
		_Atomic int *place = &shared[next_random(&seed) % DESCRIPTORS];

		switch (next_random(&seed) % 5) {
		case 0:
			open_one(place, &seed);
			break;
		case 1:
			close_one(place, false);
			break;
		case 2:
			close_one(place, true);
			break;
		case 3:
			use_one(place);
			break;
		default:
			become_one(place);
		}
	}
	return NULL;
}

static int show(void *user, const struct io_file *file)
{
	uint64_t *files = user;

	folded_rows += io_file_into(file) != 0;
	assert_true(strlen(file->name) == file->name_length);
	++*files;
	return 0;
}

static void *look(void *argument)
{
	while (!atomic_load(&enough)) {
		uint64_t files = 0;

		io_files_fold(&holder.files, true);
		io_files_visit(&holder.files, true, show, &files);
		io_files_shown(&holder.files, false);
		atomic_fetch_add(&looked, 1);
	}
	return NULL;
}

static void check_books(void)
{
	uint64_t read = 0;

	for (int i = 0; i < 4096; i++) {
		holder_word word = holder_get(&holder, i);

		if (word && turn_of(word) < TURNS)
			assert_int_equal(was_taken[turn_of(word)], 0);
	}
	for (int i = 0; i < TURNS; i++) {
		assert_true(was_taken[i] <= 1);
		if (was_read[i]) {
			assert_int_equal(was_read[i], was_named[i]);
			read++;
		}
	}
	print_message("%llu opened, %llu closed, %llu words read, looked %llu times\n",
		(unsigned long long)opened, (unsigned long long)closed,
		(unsigned long long)read, (unsigned long long)looked);
	print_message("%llu rows were folded\n", (unsigned long long)folded_rows);
	assert_true(opened > 1000 && closed > 1000 && looked > 10 && read > 100);
	assert_true(folded_rows > 100);
}

static void descriptors_come_and_go(void **state)
{
	const char *seconds = getenv("HOLDER_RACE_SECONDS");
	struct timespec time = {.tv_sec = seconds ? atoi(seconds) : 1};
	pthread_t thread[THREADS + 1];

	assert_true(holder_init(&holder, SLOTS, 1000));
	io_files_begin(&holder.files, 1, KEPT, false);
	for (int i = 0; i < DESCRIPTORS; i++)
		atomic_store(&shared[i], -1);
	for (int i = 0; i < THREADS; i++)
		pthread_create(&thread[i], NULL, run, (void *)(uintptr_t)(i + 1));
	pthread_create(&thread[THREADS], NULL, look, NULL);
	/* And longer where the machine is busy. */
	for (int i = 0; i < 60 && (i == 0 || looked <= 10 || folded_rows <= 100); i++)
		nanosleep(&time, NULL);
	atomic_store(&enough, true);
	for (int i = 0; i <= THREADS; i++)
		pthread_join(thread[i], NULL);
	check_books();
	for (int i = 0; i < DESCRIPTORS; i++)
		if (shared[i] >= 0)
			close(shared[i]);
	holder_fini(&holder);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(descriptors_come_and_go),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
