/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/*
 * test_io_files: files and connections that are folded into the rows of their groups:
 * their names, which ones stay, what becomes of whoever holds one; memory.
 */
#include "agent/io/io_groups.h"

#include <malloc.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "holder_fini.h"
#include "agent/io/io_openers.h"

enum { KEPT = 100 };

static struct holder holder;
static struct io_files *const files = &holder.files;

static int begin(void **state)
{
	assert_true(holder_init(&holder, 64, 100000));
	io_files_begin(files, 1, KEPT, false);
	return 0;
}

static int end(void **state)
{
	holder_fini(&holder);
	return 0;
}

static struct io_name name_of(const char *text)
{
	return (struct io_name){text, strlen(text)};
}

static struct io_opening file_named(const char *path)
{
	return (struct io_opening){
		.kind = IO_FILE, .descriptor = 7, .name = name_of(path), .at = 1000};
}

/* ---- names of groups ---- */

static void names_of_groups(void **state)
{
	static const struct {
		enum io_kind kind;
		enum io_side side;
		const char *name, *peer;
		const char *group[IO_GRAINS][2];
	} rows[] = {
		{IO_FILE, 0, "/tmp/upload_17.tmp", "",
			{{"/tmp/upload_*.tmp", ""}, {"/tmp/*.tmp", ""}, {"*", ""}}},
		{IO_FILE, 0, "/tmp/upload_8f3ac91b.tmp", "",
			{{"/tmp/upload_*.tmp", ""}, {"/tmp/*.tmp", ""}, {"*", ""}}},
		{IO_FILE, 0, "/tmp/550e8400-e29b-41d4-a716-446655440000/x", "",
			{{"/tmp/*/x", ""}, {"/tmp/*/*", ""}, {"*", ""}}},
		{IO_FILE, 0, "/var/log/app.log", "",
			{{"/var/log/app.log", ""}, {"/var/log/*.log", ""}, {"*", ""}}},
		{IO_FILE, 0, "/data/file12/part3.of10", "",
			{{"/data/file*/part*.of*", ""}, {"/data/file*/*.of*", ""}, {"*", ""}}},
		{IO_FILE, 0, "name", "", {{"name", ""}, {"*", ""}, {"*", ""}}},
		{IO_FILE, 0, "", "", {{"", ""}, {"*", ""}, {"*", ""}}},
		{IO_TCP, SIDE_ACCEPTED, "10.0.0.1:8080", "10.0.0.7:40112",
			{{"10.0.0.1:8080", "10.0.0.7:*"}, {"10.0.0.1:8080", "*"}, {"*", ""}}},
		{IO_TCP, SIDE_CONNECTED, "10.0.0.1:40112", "10.0.0.9:5432",
			{{"10.0.0.1:*", "10.0.0.9:5432"}, {"*", "*:5432"}, {"*", ""}}},
		{IO_TCP, SIDE_CONNECTED, "", "10.0.0.9:5432",
			{{":*", "10.0.0.9:5432"}, {"*", "*:5432"}, {"*", ""}}},
		{IO_TCP, SIDE_UNKNOWN, "[::1]:443", "[::1]:50123",
			{{"[::1]:443", "[::1]:*"}, {"[::1]:443", "*"}, {"*", ""}}},
		{IO_TCP, SIDE_UNKNOWN, "[::1]:50123", "[::1]:443",
			{{"[::1]:*", "[::1]:443"}, {"*", "*:443"}, {"*", ""}}},
		{IO_TCP, 0, "0.0.0.0:8080", "",
			{{"0.0.0.0:8080", ""}, {"0.0.0.0:*", ""}, {"*", ""}}},
		{IO_TCP, 0, "", "", {{"", ""}, {"", ""}, {"*", ""}}},
		{IO_HOST, 0, "db7.example.com", "",
			{{"db*.example.com", ""}, {"*.example.com", ""}, {"*", ""}}},
		{IO_HOST, 0, "10.0.0.7", "", {{"*.*.*.*", ""}, {"*", ""}, {"*", ""}}},
		{IO_ENTRY, 0, "com/acme/T12.class", "/tmp/a7.zip",
			{{"com/acme/T*.class", "/tmp/a*.zip"}, {"*", "/tmp/a*.zip"},
				{"*", ""}}},
		{IO_PIPE, 0, "pipe:[12345]", "", {{"pipe:[*]", ""}, {"*", ""}, {"*", ""}}},
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++)
		for (int grain = 0; grain < IO_GRAINS; grain++) {
			const struct io_opening opening = {.kind = rows[i].kind,
				.side = rows[i].side,
				.name = name_of(rows[i].name),
				.peer = name_of(rows[i].peer)};
			struct io_group_text text;
			struct io_opening group = io_group_of(&opening, grain, &text);
			char name[64], peer[64];

			snprintf(name, sizeof(name), "%.*s", (int)group.name.length,
				group.name.bytes);
			snprintf(peer, sizeof(peer), "%.*s", (int)group.peer.length,
				group.peer.bytes);
			assert_string_equal(name, rows[i].group[grain][0]);
			assert_string_equal(peer, rows[i].group[grain][1]);
			assert_int_equal(group.descriptor, IO_GROUP);
		}
}

/* Names of any bytes, with each length about the room there is. */
static void long_names(void **state)
{
	char *name = test_malloc(3 * GROUP_TEXT);

	for (int kind = 0; kind < IO_KINDS; kind++)
		for (size_t length = GROUP_TEXT - 20; length < GROUP_TEXT + 20; length++)
			for (int fill = 0; fill < 3; fill++) {
				struct io_opening opening = {.kind = (enum io_kind)kind,
					.name = {name, length},
					.peer = {name, length}};
				struct io_group_text text;

				memset(name, "x./"[fill], length);
				for (int grain = 0; grain < IO_GRAINS; grain++) {
					struct io_opening group =
						io_group_of(&opening, grain, &text);

					assert_true(group.name.length <= GROUP_TEXT);
					assert_true(group.peer.length <= GROUP_TEXT);
				}
			}
	test_free(name);
}

/* ---- folding ---- */

struct seen {
	uint32_t rows, groups, folded_rows;
	uint64_t in_groups;
	char large[64];
};

static int show(void *user, const struct io_file *file)
{
	struct seen *seen = user;

	if (io_file_into(file) != 0) {
		seen->folded_rows++;
		return 0;
	}
	seen->rows++;
	if (strstr(file->name, "large"))
		snprintf(seen->large, sizeof(seen->large), "%s", file->name);
	if (file->descriptor != IO_GROUP)
		return 0;
	seen->groups++;
	seen->in_groups += atomic_load(&file->folded);
	return 0;
}

static struct seen look(bool all)
{
	struct seen seen = {0};

	io_files_visit(files, all, show, &seen);
	io_files_shown(files, false);
	return seen;
}

static struct io_ref use(const char *format, int number, uint64_t ns)
{
	char path[64];
	struct io_opening opening;
	struct io_ref ref;

	snprintf(path, sizeof(path), format, number);
	opening = file_named(path);
	ref = io_files_open(files, &opening, false);
	assert_true(ref.id != 0);
	io_files_use(files, ref.id, ns);
	return ref;
}

static void what_was_used_least_is_folded(void **state)
{
	struct io_ref small, large, other;
	struct seen seen;

	small = use("/tmp/a%d.tmp", 0, 1);
	large = use("/tmp/large%d.tmp", 1, 1000000);
	for (int i = 1; i < 1000; i++)
		other = use("/tmp/a%d.tmp", i, 10);
	assert_int_equal(look(true).rows, 1001);
	assert_true(io_files_fold(files, true));
	assert_string_equal(io_files_at(files, small.group)->name, "/tmp/a*.tmp");
	assert_int_equal(io_files_now(files, large.id, large.group), large.id);
	assert_int_equal(io_files_now(files, small.id, small.group), small.group);
	assert_int_equal(small.group, other.group);
	seen = look(false);
	assert_int_equal(seen.folded_rows, 1001 - KEPT);
	assert_int_equal(seen.in_groups, 1001 - KEPT);
	assert_int_equal(seen.rows, 1);
	seen = look(true);
	assert_int_equal(seen.rows, KEPT + 1);
	assert_int_equal(seen.groups, 1);
	assert_string_equal(seen.large, "/tmp/large1.tmp");
	assert_false(io_files_fold(files, true));
}

static void an_open_file_stays(void **state)
{
	struct io_opening opening = file_named("/tmp/open1.tmp");
	struct io_ref ref, held;
	holder_word word = holder_open(&holder, &opening, &ref), seen;

	for (int i = 0; i < 1000; i++)
		use("/tmp/a%d.tmp", i, 10);
	io_files_fold(files, true);
	seen = holder_look(&holder, 7, &held);
	assert_true(seen == word && held.id == ref.id);
	assert_int_equal(io_files_now(files, ref.id, ref.group), ref.id);
	assert_true(holder_close(&holder, 7, word));
	use("/tmp/a%d.tmp", 1001, 10);
	io_files_fold(files, true);
	assert_int_equal(io_files_now(files, ref.id, ref.group), ref.group);
	assert_null(io_files_hold(files, ref.id));
}

static void whoever_holds_a_row_keeps_it(void **state)
{
	struct io_ref ref = use("/tmp/held%d", 0, 0);
	struct io_file *file = io_files_hold(files, ref.id);

	assert_non_null(file);
	for (int i = 0; i < 1000; i++)
		use("/tmp/a%d.tmp", i, 10);
	io_files_fold(files, true);
	assert_string_equal(file->name, "/tmp/held0");
	assert_int_equal(io_files_now(files, ref.id, ref.group), ref.id);
	io_file_release(file);
}

/* A place is used again, an id never. */
static void ids_are_never_used_again(void **state)
{
	struct io_ref first = use("/tmp/a%d.tmp", 0, 0);
	uint32_t rows;

	for (int i = 1; i < 1000; i++)
		use("/tmp/a%d.tmp", i, 10);
	io_files_fold(files, true);
	rows = files->rows;
	for (int i = 1000; i < 1900; i++) {
		struct io_ref ref = use("/tmp/a%d.tmp", i, 10);

		assert_true(ref.id != first.id);
		assert_int_equal(ref.group, first.group);
	}
	assert_int_equal(files->rows, rows);
	assert_int_equal(io_files_now(files, first.id, first.group), first.group);
}

static void the_profile_forgets_before_the_place_is_free(void **state)
{
	uint32_t rows;

	for (int i = 0; i < 1000; i++)
		use("/tmp/a%d.tmp", i, 10);
	assert_int_equal(look(false).rows, 1000);
	io_files_fold(files, true);
	rows = files->rows;
	/* The transaction failed: all is shown again. */
	struct seen seen = {0};
	io_files_visit(files, false, show, &seen);
	assert_int_equal(seen.folded_rows, 900);
	memset(&seen, 0, sizeof(seen));
	io_files_visit(files, true, show, &seen);
	assert_int_equal(seen.folded_rows, 900);
	io_files_shown(files, false);
	for (int i = 1000; i < 1900; i++)
		use("/tmp/a%d.tmp", i, 10);
	assert_int_equal(files->rows, rows);
}

static void what_a_snapshot_refers_to_is_kept(void **state)
{
	struct io_ref ref = use("/tmp/a%d.tmp", 0, 0);
	const struct io_file *file = io_files_at(files, io_file_place(ref.id));
	struct seen seen = {0};

	io_files_visit(files, false, show, &seen);
	assert_false(file->kept);
	io_files_shown(files, true);
	assert_true(file->kept);
}

/* Kinds do not push each other out. */
static void classes_are_folded_apart(void **state)
{
	struct io_ref file = use("/tmp/file%d", 1, 1);
	char local[64];

	for (int i = 0; i < 1000; i++) {
		struct io_opening opening = {.kind = IO_TCP,
			.descriptor = 9,
			.side = SIDE_ACCEPTED,
			.peer = name_of("10.0.0.9:1234")};

		snprintf(local, sizeof(local), "10.0.0.1:%d", i);
		opening.name = name_of(local);
		io_files_use(files, io_files_open(files, &opening, false).id, 1000000);
	}
	io_files_fold(files, true);
	assert_int_equal(io_files_now(files, file.id, file.group), file.id);
	assert_int_equal(files->folded[CLASS_CONNECTIONS], 900);
	assert_int_equal(files->folded[CLASS_FILES], 0);
}

static void another_session_begins_with_nothing(void **state)
{
	for (int i = 0; i < 1000; i++)
		use("/tmp/a%d.tmp", i, 10);
	look(false);
	io_files_fold(files, true);
	io_files_begin(files, 2, KEPT, false);
	assert_int_equal(look(true).rows, 0);
	for (int i = 0; i < 10; i++)
		use("/tmp/b%d.tmp", i, 10);
	io_files_fold(files, true);
	assert_int_equal(files->folded[CLASS_FILES], 0);
	assert_int_equal(look(true).rows, 10);
}

/* Names that no pattern catches: groups are bounded, too. */
static void many_groups_become_coarse(void **state)
{
	char path[64];
	struct seen seen;

	for (int i = 0; i < 20000; i++) {
		struct io_opening opening;

		snprintf(path, sizeof(path), "/%c%c%c/%c%c.x", 'g' + i % 20, 'g' + i / 20 % 20,
			'g' + i / 400 % 20, 'g' + i / 8000 % 20, 'g' + i % 7);
		opening = file_named(path);
		io_files_open(files, &opening, false);
		if (i % 1000 == 0)
			io_files_fold(files, true);
	}
	io_files_fold(files, true);
	seen = look(true);
	assert_true(files->groups <= IO_GROUPS_MAX + IO_KINDS);
	assert_true(seen.rows <= IO_GROUPS_MAX + IO_KINDS + KEPT);
	assert_int_equal(seen.in_groups, files->folded[CLASS_FILES]);
	assert_int_equal(seen.in_groups + KEPT, 20000);
}

static void more_than_there_is_room_for(void **state)
{
	struct io_ref ref;

	files->max = 50;
	for (int i = 0; i < 1000; i++)
		ref = use("/tmp/a%d.tmp", i, 10);
	assert_int_equal(ref.id, ref.group);
	assert_true(files->rows <= 60);
	assert_true(look(true).in_groups > 900);
}

/* What the process has of malloc after each ten thousand connections: the second to the
 * fifth add nothing. */
static void memory_is_flat(void **state)
{
	size_t after[5];

	for (int i = 0; i < 50000; i++) {
		char local[64], remote[64];
		struct io_opening opening = {.kind = IO_TCP,
			.descriptor = i % 60,
			.side = SIDE_ACCEPTED,
			.at = 1 + (uint64_t)i};
		struct io_ref ref;
		holder_word word;

		snprintf(local, sizeof(local), "10.0.0.1:%d", 8080);
		snprintf(remote, sizeof(remote), "10.0.0.%d:%d", i % 5, i);
		opening.name = name_of(local);
		opening.peer = name_of(remote);
		word = holder_open(&holder, &opening, &ref);
		assert_true(word != 0);
		holder_close(&holder, opening.descriptor, word);
		if (i % 500 == 499) {
			io_files_fold(files, i % 1000 == 999);
			look(false);
		}
		if (i % 10000 == 9999)
			after[i / 10000] = mallinfo2().uordblks;
	}
	assert_int_equal(files->folded[CLASS_CONNECTIONS], 50000 - KEPT);
	print_message(
		"%zu bytes after 10,000 connections, %zu after 50,000\n", after[0], after[4]);
	assert_true(after[4] <= after[0] + 16384);
}

/* ---- openers ---- */

static void *open_something(void *argument)
{
	const char *name = argument;
	uint32_t opener = io_opener_self(NULL);

	assert_true(opener != 0);
	io_opener_known_as(name);
	assert_true(io_opener_self(NULL) != 0);
	return (void *)(uintptr_t)io_opener_self(NULL);
}

static const char *opener_of_thread(const char *name)
{
	pthread_t thread;
	void *opener;

	assert_int_equal(
		pthread_create(&thread, NULL, open_something, (void *)(uintptr_t)name), 0);
	pthread_join(thread, &opener);
	return io_opener_name((uint32_t)(uintptr_t)opener);
}

/* However many threads there were, an opener has a name; and names do not pile up. */
static void many_threads_share_openers(void **state)
{
	char name[32];
	size_t before = 0;

	assert_string_equal(opener_of_thread("worker-0"), "worker-0");
	for (int i = 1; i < 12000; i++) {
		snprintf(name, sizeof(name), "worker-%d", i);
		assert_string_equal(
			opener_of_thread(name), i < 1500 ? name : opener_of_thread(name));
		if (i == 6000)
			before = mallinfo2().uordblks;
	}
	assert_string_equal(opener_of_thread("worker-12000"), "worker-*");
	assert_true(mallinfo2().uordblks <= before + 4096);
	/* Names that have nothing in common. */
	for (int i = 0; i < 1000; i++) {
		snprintf(name, sizeof(name), "%c%c%c", 'a' + i % 10, 'a' + i / 10 % 10,
			'a' + i / 100);
		assert_non_null(opener_of_thread(name));
	}
	assert_string_equal(opener_of_thread("zzz"), "*");
	assert_string_equal(opener_of_thread("worker-12001"), "worker-*");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(names_of_groups),
		cmocka_unit_test(long_names),
		cmocka_unit_test(many_threads_share_openers),
#define T(name) cmocka_unit_test_setup_teardown(name, begin, end)
		T(what_was_used_least_is_folded),
		T(an_open_file_stays),
		T(whoever_holds_a_row_keeps_it),
		T(ids_are_never_used_again),
		T(the_profile_forgets_before_the_place_is_free),
		T(what_a_snapshot_refers_to_is_kept),
		T(classes_are_folded_apart),
		T(another_session_begins_with_nothing),
		T(many_groups_become_coarse),
		T(more_than_there_is_room_for),
		T(memory_is_flat),
#undef T
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
