/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/* test_holder: what a descriptor is, from its opening to its closing, one thread. */
#include "holder_fini.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { SLOTS = 64 };

struct seen {
	uint32_t files;
	struct io_file last;
};

static int begin(void **state)
{
	struct holder *holder = test_malloc(sizeof(*holder));

	assert_true(holder_init(holder, SLOTS, 1000));
	*state = holder;
	return 0;
}

static int end(void **state)
{
	holder_fini(*state);
	test_free(*state);
	return 0;
}

static struct io_opening file_named(int descriptor, const char *name)
{
	return (struct io_opening){.kind = IO_FILE,
		.descriptor = descriptor,
		.name = {name, strlen(name)},
		.at = 17,
		.node = 3};
}

static holder_word open_as(struct holder *holder, const struct io_opening *opening)
{
	struct io_ref ref;
	holder_word word = holder_open(holder, opening, &ref);

	assert_int_equal(holder_file(word), io_file_place(ref.id));
	return word;
}

static holder_word become(
	struct holder *holder, holder_word seen, const struct io_opening *opening)
{
	struct io_ref ref = {0};
	holder_word word = holder_become(holder, seen, opening, &ref);

	assert_int_equal(holder_file(word), io_file_place(ref.id));
	return word;
}

static holder_word open_file(struct holder *holder, int descriptor, const char *name)
{
	const struct io_opening opening = file_named(descriptor, name);

	return open_as(holder, &opening);
}

static int show(void *user, const struct io_file *file)
{
	struct seen *seen = user;

	seen->files++;
	seen->last = *file;
	return 0;
}

static struct seen look(struct holder *holder)
{
	struct seen seen = {0};

	io_files_visit(&holder->files, true, show, &seen);
	return seen;
}

static void an_open_file_is_known(void **state)
{
	struct holder *holder = *state;
	holder_word word = open_file(holder, 7, "/etc/hosts");
	struct seen seen = look(holder);

	assert_true(word != 0 && holder_get(holder, 7) == word);
	assert_int_equal(seen.files, 1);
	assert_int_equal(io_file_place(seen.last.id), holder_file(word));
	assert_string_equal(seen.last.name, "/etc/hosts");
	assert_int_equal(seen.last.descriptor, 7);
	assert_int_equal(seen.last.at, 17);
	assert_int_equal(seen.last.node, 3);
	assert_int_equal(holder_get(holder, 8), 0);
	assert_int_equal(holder_get(holder, -1), 0);
}

static void a_closed_one_is_nothing(void **state)
{
	struct holder *holder = *state;
	holder_word word = open_file(holder, 7, "/a");

	assert_true(holder_close(holder, 7, word));
	assert_int_equal(holder_get(holder, 7), 0);
	assert_false(holder_close(holder, 7, word));
}

static void the_same_file_again_is_the_same_row(void **state)
{
	struct holder *holder = *state;
	holder_word word = open_file(holder, 7, "/a"), again;

	holder_close(holder, 7, word);
	again = open_file(holder, 7, "/a");
	assert_int_equal(holder_file(word), holder_file(again));
	assert_true(word != again);
	assert_int_equal(look(holder).files, 1);
}

static void an_opening_that_was_noted_becomes_a_file(void **state)
{
	struct holder *holder = *state;
	const struct io_opening opening = file_named(7, "/a");
	holder_word noted, word;

	holder_note(holder, 7, 12, 99);
	noted = holder_get(holder, 7);
	assert_true(holder_is_noted(noted));
	assert_int_equal(holder_file(noted), 0);
	assert_int_equal(holder_opener(noted), 12);
	assert_int_equal(holder_noted_at(holder, 7, noted), 99);
	assert_int_equal(look(holder).files, 0);
	word = become(holder, noted, &opening);
	assert_false(holder_is_noted(word));
	assert_int_equal(holder_noted_at(holder, 7, noted), 0);
	assert_string_equal(look(holder).last.name, "/a");
	assert_true(become(holder, noted, &opening) == word);
	holder_note(holder, -1, 12, 99);
}

static void a_late_close_leaves_the_next_alone(void **state)
{
	struct holder *holder = *state;
	holder_word first = open_file(holder, 7, "/a"), second = open_file(holder, 7, "/b");

	assert_false(holder_close(holder, 7, first));
	assert_true(holder_get(holder, 7) == second);
}

static void a_close_of_the_same_file_opened_again(void **state)
{
	struct holder *holder = *state;
	holder_word first = open_file(holder, 7, "/a"), second = open_file(holder, 7, "/a");

	assert_false(holder_close(holder, 7, first));
	assert_true(holder_close(holder, 7, second));
}

static void a_socket_becomes_a_connection(void **state)
{
	struct holder *holder = *state;
	struct io_opening socket = {.kind = IO_TCP, .descriptor = 9}, connection = socket;
	holder_word seen = open_as(holder, &socket), word;

	connection.name = (struct io_name){"127.0.0.1:40000", 15};
	connection.peer = (struct io_name){"127.0.0.1:80", 12};
	word = become(holder, seen, &connection);
	assert_true(holder_get(holder, 9) == word && word != seen);
	assert_string_equal(
		io_files_at(&holder->files, holder_file(word))->peer, "127.0.0.1:80");
	/* Too late: it was closed, and the number is somebody else's. */
	seen = open_as(holder, &socket);
	assert_true(become(holder, word, &connection) == seen);
	assert_true(holder_get(holder, 9) == seen);
}

static void descriptors_above_the_array(void **state)
{
	static const int descriptors[] = {SLOTS - 1, SLOTS, SLOTS + HOLDER_BLOCK,
		HOLDER_BLOCK * HOLDER_BUCKETS + SLOTS, 1 << 30};
	struct holder *holder = *state;
	holder_word word[5];
	char name[20];

	for (int i = 0; i < 5; i++) {
		assert_int_equal(holder_get(holder, descriptors[i]), 0);
		snprintf(name, sizeof(name), "/%d", i);
		word[i] = open_file(holder, descriptors[i], name);
	}
	for (int i = 0; i < 5; i++)
		assert_true(word[i] && holder_get(holder, descriptors[i]) == word[i]);
	for (int i = 0; i < 5; i++)
		assert_true(holder_close(holder, descriptors[i], word[i]));
	for (int i = 0; i < 5; i++)
		assert_int_equal(holder_get(holder, descriptors[i]), 0);
}

static void only_what_changed_is_shown(void **state)
{
	struct holder *holder = *state;
	struct seen seen = {0};
	holder_word word = open_file(holder, 7, "/a");

	open_file(holder, 8, "/b");
	assert_int_equal(io_files_visit(&holder->files, false, show, &seen), 0);
	assert_int_equal(seen.files, 2);
	io_files_visit(&holder->files, false, show, &seen);
	assert_int_equal(seen.files, 2);
	/* Opened again; or something else of it. */
	open_file(holder, 8, "/b");
	io_files_visit(&holder->files, false, show, &seen);
	assert_int_equal(seen.files, 3);
	assert_string_equal(seen.last.name, "/b");
	io_file_changed(&holder->files, io_files_at(&holder->files, holder_file(word)));
	io_files_visit(&holder->files, false, show, &seen);
	assert_int_equal(seen.files, 4);
	assert_string_equal(seen.last.name, "/a");
}

static void names_of_any_bytes(void **state)
{
	struct holder *holder = *state;
	struct io_opening opening = file_named(7, "");
	char name[4096];

	for (size_t i = 0; i < sizeof(name); i++)
		name[i] = (char)(i * 37 + 1);
	opening.name = (struct io_name){name, sizeof(name)};
	open_as(holder, &opening);
	assert_int_equal(look(holder).last.name_length, sizeof(name));
	assert_memory_equal(look(holder).last.name, name, sizeof(name));
}

static void more_files_than_rows_are_charged_to_groups(void **state)
{
	struct holder *holder = *state;
	struct io_opening opening;
	holder_word word[1100];
	char name[20];

	for (int i = 0; i < 1100; i++) {
		snprintf(name, sizeof(name), "/%d", i);
		opening = file_named(i % SLOTS, name);
		opening.kind = i % 2 ? IO_FILE : IO_DIRECTORY;
		word[i] = open_as(holder, &opening);
		assert_true(word[i] != 0);
	}
	assert_true(holder_file(word[996]) != holder_file(word[994]));
	assert_int_equal(holder_file(word[1096]), holder_file(word[1098]));
	assert_int_equal(holder_file(word[1097]), holder_file(word[1099]));
	assert_true(holder_file(word[1098]) != holder_file(word[1099]));
	assert_string_equal(io_files_at(&holder->files, holder_file(word[1099]))->name, "/*");
	assert_int_equal(look(holder).files, 1000 + 2);
}

static void a_session_sees_its_own_files(void **state)
{
	struct holder *holder = *state;
	struct io_opening opening = file_named(5, "/two");
	uint32_t first;
	struct seen seen;

	io_files_begin(&holder->files, 1, UINT32_MAX, false);
	opening.session = 1;
	first = holder_file(open_as(holder, &opening));
	open_file(holder, 6, "/gone");
	assert_int_equal(look(holder).files, 2);

	io_files_begin(&holder->files, 2, UINT32_MAX, false);
	assert_int_equal(look(holder).files, 0);
	io_files_take(&holder->files, io_file_id(io_files_at(&holder->files, first), first));
	seen = look(holder);
	assert_int_equal(seen.files, 1);
	assert_string_equal(seen.last.name, "/two");
	/* a call path of another session */
	assert_int_equal(atomic_load(&seen.last.node), 0);

	/* Opened now, by a thread that has not noticed the new session. */
	opening.descriptor = 9;
	open_as(holder, &opening);
	seen = look(holder);
	assert_int_equal(atomic_load(&seen.last.node), 0);
	opening.session = 2;
	open_as(holder, &opening);
	seen = look(holder);
	assert_int_equal(atomic_load(&seen.last.node), 3);
}

static void what_is_forgotten_is_nothing(void **state)
{
	struct holder *holder = *state;
	holder_word word = open_file(holder, 7, "/etc/hosts");

	open_file(holder, SLOTS + 5000, "/far");
	holder_note(holder, 8, 1, 99);
	holder_forget(holder);
	assert_int_equal(holder_get(holder, 7), 0);
	assert_int_equal(holder_get(holder, 8), 0);
	assert_int_equal(holder_get(holder, SLOTS + 5000), 0);
	assert_false(holder_close(holder, 7, word));
	/* rows stay: calls under way may have them */
	assert_int_equal(look(holder).files, 2);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
#define T(name) cmocka_unit_test_setup_teardown(name, begin, end)
		T(an_open_file_is_known),
		T(a_closed_one_is_nothing),
		T(the_same_file_again_is_the_same_row),
		T(an_opening_that_was_noted_becomes_a_file),
		T(a_late_close_leaves_the_next_alone),
		T(a_close_of_the_same_file_opened_again),
		T(a_socket_becomes_a_connection),
		T(descriptors_above_the_array),
		T(only_what_changed_is_shown),
		T(a_session_sees_its_own_files),
		T(what_is_forgotten_is_nothing),
		T(names_of_any_bytes),
		T(more_files_than_rows_are_charged_to_groups),
#undef T
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
