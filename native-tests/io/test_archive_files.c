/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/*
 * test_archive_files: what is read of an archive, charged to its entries' rows.
 *
 * ARCHIVE_FILES_ROUNDS: how many archives two threads read at the same time; 50, if not set.
 */
#include "agent/io/archive_files.h"
#include "made_archive.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <sys/stat.h>
#include <unistd.h>

enum { PARTS = 16, THREADS = 2, READS = 300 };

/* One for all tests, and never given back: what is known of archives stays with their rows. */
static struct io_files files;

/* What was charged by one call. */
struct charged {
	size_t parts;
	uint64_t sum;
	struct {
		uint32_t entry;
		uint64_t bytes;
	} part[PARTS];
};

static void add_part(void *user, struct io_ref entry, uint64_t bytes)
{
	struct charged *charged = user;

	assert_true(charged->parts < PARTS && bytes > 0 && entry.id > 0);
	charged->part[charged->parts].entry = io_file_place(entry.id);
	charged->part[charged->parts++].bytes = bytes;
	charged->sum += bytes;
}

static struct charged charge(
	struct io_file *file, int descriptor, uint64_t offset, uint64_t bytes)
{
	struct charged charged = {0};

	errno = EXDEV;
	archive_files_charge(&files, file, descriptor, offset, bytes, add_part, &charged);
	assert_int_equal(errno, EXDEV);
	return charged;
}

/* An opening of that name, at that time. */
static struct io_file *open_at(const char *name, int descriptor, uint64_t at)
{
	const struct io_opening opening = {.kind = IO_FILE,
		.descriptor = descriptor,
		.name = {name, strlen(name)},
		.at = at};
	struct io_ref ref = io_files_open(&files, &opening, true);

	assert_true(ref.id != 0);
	return io_files_at(&files, io_file_place(ref.id));
}

static const char *name_of(uint32_t entry)
{
	return io_files_at(&files, entry)->name;
}

/* The name of the entry that the byte is of, as it was made. */
static const char *made_name(const struct made *made, uint64_t offset)
{
	const char *name = ARCHIVE_REST;

	for (unsigned i = 0; i < made->entries; i++)
		if (offset >= made->at[MADE_LOCAL + i])
			name = made->entry[i].name;
	return offset < made->at[MADE_DIRECTORY] ? name : ARCHIVE_REST;
}

static struct made with_front(void)
{
	struct made made = {0};

	made_put(&made, "#!/bin/sh\n", 10);
	made_entry(&made, "one", "1", 0);
	made_entry(&made,
		"gr\xfc\xdf"
		"e",
		"22", MADE_DEFLATED);
	made_entry(&made, "three", "333", MADE_DESCRIPTOR);
	made_directory(&made);
	made_end(&made, 2);
	return made;
}

static void the_sum_of_parts_is_what_was_read(void **state)
{
	struct made made = with_front();
	int descriptor = made_file(&made, made.size);
	struct io_file *file = open_at("/sum.jar", descriptor, 1);

	for (uint64_t offset = 0; offset < made.size + 3; offset++)
		for (uint64_t bytes = 0; bytes < made.size + 3; bytes++) {
			struct charged charged = charge(file, descriptor, offset, bytes);
			uint64_t at = offset;

			assert_true(charged.sum == bytes);
			for (size_t i = 0; i < charged.parts; i++) {
				const char *name = name_of(charged.part[i].entry);

				assert_string_equal(name, made_name(&made, at));
				at += charged.part[i].bytes;
				assert_string_equal(name, made_name(&made, at - 1));
			}
		}
	assert_null(archive_files_refused(file));
	close(descriptor);
	made_fini(&made);
}

static void a_range_over_all_entries(void **state)
{
	struct made made = with_front();
	int descriptor = made_file(&made, made.size);
	struct io_file *file = open_at("/all.war", descriptor, 1);
	struct charged charged = charge(file, descriptor, 0, UINT64_C(1) << 62);

	assert_int_equal(charged.parts, 5);
	assert_true(charged.sum == UINT64_C(1) << 62);
	assert_int_equal(charged.part[0].bytes, 10);
	/* What is in front and what is behind are one row. */
	assert_int_equal(charged.part[0].entry, charged.part[4].entry);
	for (int i = 0; i < 5; i++) {
		const struct io_file *entry = io_files_at(&files, charged.part[i].entry);

		assert_int_equal(entry->kind, IO_ENTRY);
		assert_string_equal(entry->peer, "/all.war");
	}
	close(descriptor);
	made_fini(&made);
}

/* A later entry of the same name is the same row: a user cannot tell them apart. */
static void entries_of_the_same_name(void **state)
{
	struct made made = {0};
	struct charged charged;
	int descriptor;

	made_entry(&made, "a", "one", 0);
	made_entry(&made, "b", "two", 0);
	made_entry(&made, "a", "three", 0);
	made_directory(&made);
	made_end(&made, 0);
	descriptor = made_file(&made, made.size);
	charged = charge(open_at("/same.zip", descriptor, 1), descriptor, 0, made.size);
	assert_int_equal(charged.parts, 4);
	assert_int_equal(charged.part[0].entry, charged.part[2].entry);
	assert_int_not_equal(charged.part[0].entry, charged.part[1].entry);
	close(descriptor);
	made_fini(&made);
}

/* Two archives with entries of the same names. */
static void entries_are_of_their_archive(void **state)
{
	struct made made = with_front();
	int descriptor = made_file(&made, made.size);
	struct charged a = charge(open_at("/a.jar", 7, 1), descriptor, 0, made.size);
	struct charged b = charge(open_at("/b.jar", 7, 1), descriptor, 0, made.size);

	assert_int_equal(a.parts, b.parts);
	for (size_t i = 0; i < a.parts; i++) {
		assert_string_equal(name_of(a.part[i].entry), name_of(b.part[i].entry));
		assert_int_not_equal(a.part[i].entry, b.part[i].entry);
	}
	close(descriptor);
	made_fini(&made);
}

static void a_file_that_is_not_asked_for(void **state)
{
	struct made made = with_front();
	int descriptor = made_file(&made, made.size);
	struct io_file *file = open_at("/all.txt", descriptor, 1);

	assert_int_equal(charge(file, descriptor, 0, made.size).parts, 0);
	assert_null(archive_files_refused(file));
	close(descriptor);
	made_fini(&made);
}

static void a_refused_one_is_charged_to_nothing(void **state)
{
	struct made made = with_front();
	int descriptor = made_file(&made, made.size - 1), sockets[2];
	struct io_file *file = open_at("/refused.jar", descriptor, 1);

	assert_null(archive_files_refused(file));
	assert_int_equal(charge(file, descriptor, 0, made.size).parts, 0);
	assert_string_equal(archive_files_refused(file),
		"it has no end of a directory: truncated, or not an archive");
	assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM, 0, sockets), 0);
	file = open_at("/socket.jar", sockets[0], 1);
	assert_int_equal(charge(file, sockets[0], 0, 100).parts, 0);
	assert_string_equal(archive_files_refused(file), "it is not a regular file");
	close(sockets[0]);
	close(sockets[1]);
	close(descriptor);
	made_fini(&made);
}

/* A lock of this process is seen by another. */
static bool is_locked(int descriptor)
{
	struct flock lock = {.l_type = F_WRLCK, .l_whence = SEEK_SET};
	pid_t child = fork();
	int status;

	if (child == 0)
		_exit(fcntl(descriptor, F_GETLK, &lock) == 0 && lock.l_type == F_WRLCK);
	assert_int_equal(waitpid(child, &status, 0), child);
	return WEXITSTATUS(status) == 1;
}

/* Its place in the file stays where it is, so do locks on the file, and no other stays open. */
static void the_descriptor_is_left_alone(void **state)
{
	struct made made = with_front();
	int descriptor = made_file(&made, made.size), other, next;
	struct flock lock = {.l_type = F_WRLCK, .l_whence = SEEK_SET};
	char link[64];

	snprintf(link, sizeof(link), "/proc/self/fd/%d", descriptor);
	other = open(link, O_RDWR | O_CLOEXEC);
	assert_true(other >= 0 && lseek(other, 5, SEEK_SET) == 5);
	next = dup(other);
	close(next);
	assert_int_equal(fcntl(other, F_SETLK, &lock), 0);
	assert_int_equal(charge(open_at("/left.jar", other, 1), other, 0, made.size).parts, 5);
	assert_int_equal(lseek(other, 0, SEEK_CUR), 5);
	assert_true(is_locked(other));
	assert_int_equal(dup(other), next);
	close(next);
	close(other);
	close(descriptor);
	made_fini(&made);
}

/* ---- replaced ---- */

static char folder[] = "/tmp/test_archive_files.XXXXXX", path[64];

/* Puts a file of those bytes in the place of the one that is there; a descriptor of it. */
static int replace(const struct made *made, size_t size)
{
	char fresh[80];
	int descriptor;

	snprintf(fresh, sizeof(fresh), "%s.new", path);
	descriptor = open(fresh, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
	assert_true(descriptor >= 0);
	assert_true(write(descriptor, made->bytes, size) == (ssize_t)size);
	assert_int_equal(rename(fresh, path), 0);
	return descriptor;
}

static struct made with_entry(const char *name)
{
	struct made made = {0};

	made_entry(&made, name, "one", 0);
	made_directory(&made);
	made_end(&made, 0);
	return made;
}

static void set_times(int descriptor, time_t written)
{
	const struct timespec times[] = {{.tv_nsec = UTIME_OMIT}, {.tv_sec = written}};

	assert_int_equal(futimens(descriptor, times), 0);
}

/* Builds may make files alike in length and time. */
static void a_file_replaced_between_openings(void **state)
{
	struct made made[] = {with_entry("before"), with_entry("second")};
	int first = replace(&made[0], made[0].size), second;
	struct io_file *file = open_at(path, 7, 1);
	uint32_t before;

	set_times(first, 1);
	before = charge(file, first, 0, 1).part[0].entry;
	assert_string_equal(name_of(before), "before");
	second = replace(&made[1], made[1].size);
	set_times(second, 1);
	/* Not opened: it is looked at once an opening. */
	assert_int_equal(charge(file, second, 0, 1).part[0].entry, before);
	assert_ptr_equal(open_at(path, 7, 2), file);
	assert_string_equal(name_of(charge(file, second, 0, 1).part[0].entry), "second");
	/* And the first one again, as by a link to it. */
	open_at(path, 7, 3);
	assert_int_equal(charge(file, first, 0, 1).part[0].entry, before);
	close(first);
	close(second);
	made_fini(&made[0]);
	made_fini(&made[1]);
}

/* The name, the inode and the length stay. */
static void a_file_written_between_openings(void **state)
{
	struct made made[] = {with_entry("earlier"), with_entry("written")};
	int descriptor = replace(&made[0], made[0].size);
	struct io_file *file = open_at(path, 8, 1);

	assert_int_equal(made[0].size, made[1].size);
	set_times(descriptor, 1);
	assert_string_equal(name_of(charge(file, descriptor, 0, 1).part[0].entry), "earlier");
	assert_true(
		pwrite(descriptor, made[1].bytes, made[1].size, 0) == (ssize_t)made[1].size);
	set_times(descriptor, 2);
	open_at(path, 8, 2);
	assert_string_equal(name_of(charge(file, descriptor, 0, 1).part[0].entry), "written");
	close(descriptor);
	made_fini(&made[0]);
	made_fini(&made[1]);
}

static void a_refused_file_replaced_by_a_good_one(void **state)
{
	struct made made = with_entry("good");
	int bad = replace(&made, made.size - 1), good = replace(&made, made.size);
	struct io_file *file = open_at(path, 9, 0);

	assert_int_equal(charge(file, bad, 0, 1).parts, 0);
	assert_non_null(archive_files_refused(file));
	open_at(path, 9, 2);
	assert_string_equal(name_of(charge(file, good, 0, 1).part[0].entry), "good");
	assert_null(archive_files_refused(file));
	open_at(path, 9, 3);
	assert_int_equal(charge(file, bad, 0, 1).parts, 0);
	assert_non_null(archive_files_refused(file));
	close(bad);
	close(good);
	made_fini(&made);
}

static int make_folder(void **state)
{
	io_files_init(&files, 10000);
	archive_files_begin(UINT64_MAX);
	assert_non_null(mkdtemp(folder));
	snprintf(path, sizeof(path), "%s/a.jar", folder);
	return 0;
}

static int remove_folder(void **state)
{
	unlink(path);
	return rmdir(folder);
}

/* ---- memory ---- */

/* Whatever it is called, and only as long as it is open. */
static void links_share_what_was_read(void **state)
{
	struct made made = with_entry("shared");
	int descriptor = replace(&made, made.size);
	uint64_t before = archive_files_used(), one;
	struct io_file *file[3];

	for (int i = 0; i < 3; i++) {
		char name[32];

		snprintf(name, sizeof(name), "/link-%d.jar", i);
		file[i] = open_at(name, descriptor, 1);
		assert_int_equal(charge(file[i], descriptor, 0, 1).parts, 1);
		one = i == 0 ? archive_files_used() - before : one;
	}
	assert_true(one > 0);
	assert_int_equal(archive_files_used(), before + one);
	for (int i = 0; i < 3; i++) {
		assert_int_equal(archive_files_used(), before + one);
		/* Open twice: closed once it stays. */
		open_at(file[i]->name, descriptor, 1);
		io_file_release(file[i]);
		archive_files_closed(&files, file[i]->id);
		assert_int_equal(archive_files_used(), before + one);
		io_file_release(file[i]);
		archive_files_closed(&files, file[i]->id);
	}
	assert_int_equal(archive_files_used(), before);
	assert_int_equal(lock_violations(), 0);
	close(descriptor);
	made_fini(&made);
}

/* An archive whose directory finds no room is not told apart; another time it is. */
static void too_little_memory(void **state)
{
	struct made made = with_entry("large");
	int descriptor = replace(&made, made.size);
	struct io_file *file = open_at("/large.jar", descriptor, 1);

	archive_files_begin(archive_files_used() + 16);
	assert_int_equal(charge(file, descriptor, 0, 1).parts, 0);
	assert_non_null(strstr(archive_files_refused(file), "max_memory"));
	archive_files_begin(UINT64_MAX);
	assert_int_equal(charge(file, descriptor, 0, 1).parts, 0);
	open_at("/large.jar", descriptor, 2);
	assert_int_equal(charge(file, descriptor, 0, 1).parts, 1);
	assert_null(archive_files_refused(file));
	close(descriptor);
	made_fini(&made);
}

/* The last of the tests of one thread. */
static void the_end_gives_all_back(void **state)
{
	struct made made = with_entry("end");
	int descriptor = replace(&made, made.size);
	struct io_file *file = open_at("/end.jar", descriptor, 1);

	assert_int_equal(charge(file, descriptor, 0, 1).parts, 1);
	assert_true(archive_files_used() > 0);
	archive_files_end(&files);
	assert_int_equal(archive_files_used(), 0);
	assert_int_equal(charge(file, descriptor, 0, 1).parts, 0);
	assert_int_equal(archive_files_used(), 0);
	archive_files_begin(UINT64_MAX);
	assert_int_equal(charge(file, descriptor, 0, 1).parts, 1);
	close(descriptor);
	made_fini(&made);
}

/* ---- two threads ---- */

static struct shared {
	pthread_barrier_t both;
	struct made made;
	struct io_file *file;
	int descriptor;
} shared;

struct reader {
	pthread_t thread;
	uint32_t seed;
	_Atomic uint64_t asked, charged;
};

static uint32_t next_random(uint32_t *seed)
{
	*seed ^= *seed << 13;
	*seed ^= *seed >> 17;
	*seed ^= *seed << 5;
	return *seed;
}

/* Each byte is of the entry that was made. */
static void check_range(uint64_t offset, const struct charged *charged)
{
	for (size_t i = 0; i < charged->parts; i++) {
		assert_string_equal(
			name_of(charged->part[i].entry), made_name(&shared.made, offset));
		offset += charged->part[i].bytes;
	}
}

static void *read_much(void *argument)
{
	struct reader *reader = argument;
	struct charged charged;

	pthread_barrier_wait(&shared.both);
	for (int i = 0; i < READS; i++) {
		uint64_t offset = next_random(&reader->seed) % shared.made.size;
		uint64_t bytes = next_random(&reader->seed) % shared.made.size;

		/* It is opened again, now and then. */
		if (i % 64 == 63)
			open_at(shared.file->name, 5, (uint64_t)i);
		charged = charge(shared.file, shared.descriptor, offset, bytes);
		reader->asked += bytes;
		reader->charged += charged.sum;
		check_range(offset, &charged);
	}
	return NULL;
}

static void read_by_both(int round)
{
	struct reader reader[THREADS] = {{.seed = 1}, {.seed = 2}};
	char name[32];

	snprintf(name, sizeof(name), "/both-%d.jar", round);
	shared.file = open_at(name, 5, 1);
	for (int i = 0; i < THREADS; i++)
		assert_int_equal(
			pthread_create(&reader[i].thread, NULL, read_much, &reader[i]), 0);
	for (int i = 0; i < THREADS; i++) {
		pthread_join(reader[i].thread, NULL);
		assert_true(reader[i].asked > 0 && reader[i].charged == reader[i].asked);
	}
}

static int count_entries(void *user, const struct io_file *file)
{
	uint32_t *entries = user;

	if (file->kind == IO_ENTRY && strncmp(file->peer, "/both-", 6) == 0)
		++*entries;
	return 0;
}

/* An archive that nobody read before, each time; no entry has two rows. */
static void two_threads_at_the_same_time(void **state)
{
	const char *rounds_text = getenv("ARCHIVE_FILES_ROUNDS");
	int rounds = rounds_text ? atoi(rounds_text) : 50;
	uint32_t entries = 0;

	pthread_barrier_init(&shared.both, NULL, THREADS);
	shared.made = with_front();
	shared.descriptor = made_file(&shared.made, shared.made.size);
	for (int round = 0; round < rounds; round++)
		read_by_both(round);
	io_files_visit(&files, true, count_entries, &entries);
	assert_int_equal(entries, (shared.made.entries + 1) * (unsigned)rounds);
	assert_int_equal(lock_violations(), 0);
	pthread_barrier_destroy(&shared.both);
	close(shared.descriptor);
	made_fini(&shared.made);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_sum_of_parts_is_what_was_read),
		cmocka_unit_test(a_range_over_all_entries),
		cmocka_unit_test(entries_of_the_same_name),
		cmocka_unit_test(entries_are_of_their_archive),
		cmocka_unit_test(a_file_that_is_not_asked_for),
		cmocka_unit_test(a_refused_one_is_charged_to_nothing),
		cmocka_unit_test(the_descriptor_is_left_alone),
		cmocka_unit_test(a_file_replaced_between_openings),
		cmocka_unit_test(a_file_written_between_openings),
		cmocka_unit_test(a_refused_file_replaced_by_a_good_one),
		cmocka_unit_test(links_share_what_was_read),
		cmocka_unit_test(too_little_memory),
		cmocka_unit_test(the_end_gives_all_back),
		cmocka_unit_test(two_threads_at_the_same_time),
	};

	return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
