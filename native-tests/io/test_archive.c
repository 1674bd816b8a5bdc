/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/* test_archive: which entry a byte of a zip file belongs to, and which files are refused. */
#include "made_archive.h"

#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static const char no_end[] = "it has no end of a directory: truncated, or not an archive";
static const char no_directory[] = "its directory is not where it says";
static const char no_directory64[] = "its zip64 directory is not where it says";
static const char no_entry[] = "an entry is not where its directory says";
static const char too_few[] = "its directory has fewer entries than it says";
static const char too_many[] = "its directory has more entries than it says";
static const char too_large[] = "its directory is too large";
static const char cut_off[] = "an entry of its directory is cut off";
static const char overlap[] = "two of its entries overlap";
static const char no_file[] = "it is not a regular file";
static const char not_read[] = "it cannot be read";

static int until_failure = -1;    /* allocations that succeed; -1: all */
static int until_end = -1;        /* reads that find bytes; -1: all */
static size_t read_max = 1 << 30; /* bytes at a time */

void *__real_malloc(size_t size);
void *__real_calloc(size_t count, size_t size);
ssize_t __real_pread(int descriptor, void *to, size_t bytes, off_t offset);

static bool fails(int *until)
{
	return *until >= 0 && (*until)-- == 0;
}

void *__wrap_malloc(size_t size)
{
	return fails(&until_failure) ? NULL : __real_malloc(size);
}

void *__wrap_calloc(size_t count, size_t size)
{
	return fails(&until_failure) ? NULL : __real_calloc(count, size);
}

ssize_t __wrap_pread(int descriptor, void *to, size_t bytes, off_t offset)
{
	if (fails(&until_end))
		return 0;
	return __real_pread(descriptor, to, bytes < read_max ? bytes : read_max, offset);
}

/* ---- what is found ---- */

/* The part that the byte is in ends there, and the byte before is in another. */
static void check_part(
	const struct archive *archive, uint64_t begin, size_t place, uint64_t end)
{
	assert_int_equal(archive_find(archive, begin), place);
	assert_int_equal(archive_find(archive, end - 1), place);
	assert_true(archive_end(archive, place, begin) == end);
	assert_true(archive_end(archive, place, end - 1) == end);
	if (begin > 0)
		assert_true(begin == archive->directory ||
			    archive_find(archive, begin - 1) != place);
}

/* All that was made is found: entries were made in the order of the file. */
static void check_made(const struct made *made, const struct archive *archive)
{
	size_t first = made->entries ? made->at[MADE_LOCAL] : made->at[MADE_DIRECTORY];

	assert_int_equal(archive->entries, made->entries);
	assert_true(archive->size == made->size);
	assert_true(archive->directory == made->at[MADE_DIRECTORY]);
	for (unsigned i = 0; i < made->entries; i++) {
		const struct archive_entry *entry = &archive->entry[i];
		bool last = i + 1 == made->entries;

		assert_int_equal(entry->length, strlen(made->entry[i].name));
		assert_memory_equal(entry->name, made->entry[i].name, entry->length);
		check_part(archive, made->at[MADE_LOCAL + i], i,
			made->at[last ? MADE_DIRECTORY : MADE_LOCAL + i + 1]);
	}
	if (first > 0)
		check_part(archive, 0, archive->entries, first);
	check_part(archive, archive->directory, archive->entries, UINT64_MAX);
	made_check(archive);
}

/* Reads it, checks it, and gives all back. */
static void accept(struct made made)
{
	struct archive archive;
	const char *why = made_read(&made, made.size, &archive);

	if (why)
		fail_msg("refused: %s", why);
	check_made(&made, &archive);
	archive_fini(&archive, &made_memory);
	made_fini(&made);
}

static void entries_stored_and_deflated(void **state)
{
	accept(made_plain());
}

static void an_empty_archive(void **state)
{
	struct made made = {0};

	made_directory(&made);
	made_end(&made, 0);
	accept(made);
	made = (struct made){0};
	made_put(&made, "in front", 8);
	made_directory(&made);
	made_end64(&made);
	made_end(&made, 5);
	accept(made);
}

static void comments_of_any_length(void **state)
{
	static const size_t lengths[] = {1, 21, 22, 23, 255, 256, 65534, 65535};

	for (size_t i = 0; i < sizeof(lengths) / sizeof(*lengths); i++) {
		struct made made = {0};

		made_entry(&made, "a", "one", 0);
		made_directory(&made);
		made_end(&made, lengths[i]);
		accept(made);
		/* No more than there is of it. */
		made = (struct made){0};
		made_directory(&made);
		made_end(&made, lengths[i]);
		accept(made);
	}
}

/* It looks like the record that is last, but the comment would have another length. */
static void a_comment_with_the_signature(void **state)
{
	struct made made = {0};

	made_entry(&made, "a", "one", 0);
	made_directory(&made);
	made_end(&made, 60);
	memcpy(made.bytes + made.size - 50, "PK\5\6", 4);
	memcpy(made.bytes + made.size - 4, "PK\5\6", 4);
	accept(made);
}

static struct made in_front(const char *bytes, bool shifted, bool zip64)
{
	struct made made = {0};

	made_put(&made, bytes, strlen(bytes));
	made.shift = shifted ? made.size : 0;
	made_entry(&made, "a", "one", zip64 ? MADE_ALL64 : 0);
	made_entry(&made, "b", "two", MADE_DEFLATED | (zip64 ? MADE_OFFSET64 : 0));
	made_directory(&made);
	if (zip64)
		made_end64(&made);
	made_end(&made, 4);
	return made;
}

static void bytes_in_front(void **state)
{
	for (int i = 0; i < 4; i++) {
		accept(in_front("#!/bin/sh\nexec java -jar \"$0\"\n", i & 1, i & 2));
		accept(in_front("x", i & 1, i & 2));
	}
}

/* All of an archive, which is then no part of this one. */
static void an_archive_in_front(void **state)
{
	struct made made = made_plain(), front = made_plain();

	made_put(&front, made.bytes, made.size);
	for (int i = 0; i < MADE_RECORDS; i++)
		front.at[i] += front.size - made.size;
	accept(front);
	made_fini(&made);
}

static void an_archive_in_an_archive(void **state)
{
	struct made made = {0}, inner = made_plain();

	made_entry(&made, "a.jar", "", 0);
	made_put(&made, inner.bytes, inner.size);
	made_entry(&made, "b", "two", 0);
	made_directory(&made);
	made_end(&made, 0);
	accept(made);
	made_fini(&inner);
}

static void zip64(void **state)
{
	accept(made_zip64());
}

/* The numbers of zip64 are those that hold, whatever the others say. */
static void zip64_where_it_is_not_needed(void **state)
{
	struct made made = {0};

	made_entry(&made, "a", "one", 0);
	made_entry(&made, "b", "two", 0);
	made_directory(&made);
	made_end64(&made);
	made_end(&made, 0);
	made_spoil(&made, MADE_END, 10, 2, 2);
	made_spoil(&made, MADE_END, 12, 4, 1);
	made_spoil(&made, MADE_END, 16, 4, 2);
	accept(made);
}

static void zip64_offsets_behind_any_sizes(void **state)
{
	for (unsigned sizes = 0; sizes < 4; sizes++) {
		struct made made = {0};
		unsigned how = MADE_OFFSET64 | sizes * MADE_SIZE64;

		made_entry(&made, "a", "one", how);
		made_entry(&made, "b", "two", how | MADE_OTHER_EXTRA | MADE_COMMENT);
		made_directory(&made);
		made_end(&made, 0);
		accept(made);
	}
}

static void sizes_behind_the_data(void **state)
{
	struct made made = {0};

	made_entry(&made, "a", "one", MADE_DESCRIPTOR);
	made_entry(&made, "b", "two", MADE_DESCRIPTOR | MADE_DEFLATED);
	made_directory(&made);
	made_end(&made, 0);
	accept(made);
}

static void names_of_any_bytes(void **state)
{
	struct made made = {0};
	char name[65536];

	for (size_t i = 0; i < sizeof(name) - 1; i++)
		name[i] = (char)(i % 255 + 1);
	name[sizeof(name) - 1] = '\0';
	made_entry(&made,
		"gr\xfc\xdf"
		"e.txt",
		"Latin-1", 0);
	made_entry(&made, "\xff\xfe\xc0\x80\x01\n", "nothing", 0);
	made_entry(&made, "", "", 0); /* no longer than its header */
	made_entry(&made, name, "longest", 0);
	made_directory(&made);
	made_end(&made, 0);
	accept(made);
}

/* The directory may have another order than the file. */
static void entries_in_any_order(void **state)
{
	struct made made = in_front("", false, false);
	uint64_t a = made_get(&made, MADE_HEADER, 42, 4);
	uint64_t b = made_get(&made, MADE_HEADER + 1, 42, 4);
	struct archive archive;

	made_spoil(&made, MADE_HEADER, 42, 4, b);
	made_spoil(&made, MADE_HEADER + 1, 42, 4, a);
	assert_null(made_read(&made, made.size, &archive));
	assert_int_equal(archive.entries, 2);
	assert_memory_equal(archive.entry[0].name, "b", 1);
	assert_memory_equal(archive.entry[1].name, "a", 1);
	assert_true(archive.entry[0].begin == a && archive.entry[1].begin == b);
	made_check(&archive);
	archive_fini(&archive, &made_memory);
	made_fini(&made);
}

/* What no entry says of itself, as a removed one's bytes, is the one's before it. */
static void a_gap_is_of_the_entry_before(void **state)
{
	struct made made = {0};

	made_entry(&made, "a", "one", 0);
	made_put(&made, "a gap", 5);
	made_entry(&made, "b", "two", 0);
	made_put(&made, "another", 7);
	made_directory(&made);
	made_end(&made, 0);
	accept(made);
}

/* ---- what is refused ---- */

/* Refused for that reason, and nothing is left behind; or accepted, if that is NULL. */
static void check_refusal(struct made made, const char *reason)
{
	static const struct archive nothing;
	struct archive archive;
	const char *why;

	memset(&archive, 0xa5, sizeof(archive));
	why = made_read(&made, made.size, &archive);
	if (reason) {
		assert_non_null(why);
		assert_string_equal(why, reason);
		assert_memory_equal(&archive, &nothing, sizeof(archive));
	} else {
		if (why)
			fail_msg("refused: %s", why);
		made_check(&archive);
	}
	archive_fini(&archive, &made_memory);
	made_fini(&made);
}

struct wrong {
	enum made_record record;
	int at, bytes;
	uint64_t value;
	const char *reason;
};

static const struct wrong wrong_plain[] = {
	{MADE_END, 0, 4, 0x06054b51, no_end},
	{MADE_END, 20, 2, 1, no_end},
	{MADE_END, 20, 2, 0xffff, no_end},
	{MADE_END, 10, 2, 5, too_few},
	{MADE_END, 10, 2, 100, no_directory},
	{MADE_END, 10, 2, 3, too_many},
	{MADE_END, 10, 2, 0, too_many},
	{MADE_END, 12, 4, 0, no_directory},
	{MADE_END, 12, 4, 4 * 46, too_few},
	{MADE_END, 12, 4, 100000, no_directory},
	{MADE_END, 12, 4, ARCHIVE_DIRECTORY_MAX, no_directory},
	{MADE_END, 12, 4, ARCHIVE_DIRECTORY_MAX + 1, too_large},
	{MADE_END, 12, 4, 0xffffffff, too_large},
	{MADE_END, 16, 4, 0, no_entry},
	{MADE_END, 16, 4, 100000, no_directory},
	{MADE_END, 16, 4, 0xffffffff, no_directory},
	{MADE_HEADER, 0, 4, 0x02014b51, too_few},
	{MADE_HEADER + 3, 0, 4, 0x02014b51, too_few},
	{MADE_HEADER, 28, 2, 0xffff, cut_off},
	{MADE_HEADER, 28, 2, 0, too_few},
	{MADE_HEADER + 3, 30, 2, 0xffff, cut_off},
	{MADE_HEADER + 3, 30, 2, 1, cut_off},
	{MADE_HEADER + 3, 32, 2, 1, cut_off},
	{MADE_HEADER + 3, 28, 2, 12, too_many},
	{MADE_HEADER, 42, 4, 1, no_entry},
	{MADE_HEADER, 42, 4, 0xffffffff, no_entry},
	{MADE_HEADER, 42, 4, 0x7fffffff, no_entry},
	{MADE_HEADER + 1, 42, 4, 0, overlap},
	{MADE_HEADER + 1, 42, 4, 29, overlap},
	{MADE_LOCAL, 0, 4, 0x04034b51, no_entry},
	{MADE_LOCAL + 3, 0, 4, 0x04034b51, no_entry},
	/* Not all are looked at. */
	{MADE_LOCAL + 1, 0, 4, 0x04034b51, NULL},
};

static const struct wrong wrong_zip64[] = {
	{MADE_END64, 0, 4, 0, no_directory64},
	{MADE_END64, 32, 8, 6, too_few},
	{MADE_END64, 32, 8, 4, too_many},
	{MADE_END64, 32, 8, INT64_MAX, no_directory},
	{MADE_END64, 32, 8, UINT64_MAX, no_directory},
	{MADE_END64, 40, 8, ARCHIVE_DIRECTORY_MAX, no_directory},
	{MADE_END64, 40, 8, ARCHIVE_DIRECTORY_MAX + 1, too_large},
	{MADE_END64, 40, 8, INT64_MAX, too_large},
	{MADE_END64, 40, 8, UINT64_MAX, too_large},
	{MADE_END64, 48, 8, INT64_MAX, no_directory},
	{MADE_END64, 48, 8, UINT64_MAX, no_directory},
	{MADE_END64, 48, 8, 0, no_entry},
	/* Then it is no zip64, and its other numbers are no numbers. */
	{MADE_LOCATOR, 0, 4, 0, too_large},
	{MADE_EXTRA, 0, 2, 2, no_entry},
	{MADE_EXTRA, 2, 2, 0, no_entry},
	{MADE_EXTRA, 2, 2, 23, no_entry},
	{MADE_EXTRA, 2, 2, 25, no_entry},
	{MADE_EXTRA, 2, 2, 0xffff, no_entry},
	{MADE_EXTRA, 20, 8, 1, no_entry},
	{MADE_EXTRA, 20, 8, INT64_MAX, no_entry},
	{MADE_EXTRA, 20, 8, UINT64_MAX, no_entry},
	{MADE_EXTRA + 1, 4, 8, 29, overlap},
	/* Sizes are not looked at, nor is where the locator points. */
	{MADE_EXTRA, 4, 8, UINT64_MAX, NULL},
	{MADE_LOCATOR, 8, 8, UINT64_MAX, NULL},
};

static void check_wrong(struct made (*make)(void), const struct wrong *wrong, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		struct made made = make();

		made_spoil(&made, wrong[i].record, wrong[i].at, wrong[i].bytes, wrong[i].value);
		check_refusal(made, wrong[i].reason);
	}
}

static void one_number_is_wrong(void **state)
{
	check_wrong(made_plain, wrong_plain, sizeof(wrong_plain) / sizeof(*wrong_plain));
	check_wrong(made_zip64, wrong_zip64, sizeof(wrong_zip64) / sizeof(*wrong_zip64));
}

/* An entry's local header would reach into the directory. */
static void entries_at_the_directory(void **state)
{
	for (int before = 0; before < 60; before++) {
		struct made made = made_plain();
		size_t to = made.at[MADE_DIRECTORY] - (size_t)before;

		memcpy(made.bytes + to, "PK\3\4", to < made.at[MADE_DIRECTORY] - 4 ? 4 : 0);
		made_spoil(&made, MADE_HEADER + 3, 42, 4, to);
		check_refusal(made, before < 30 ? no_entry : NULL);
	}
}

/* A local header in front of the archive, which a negative offset would lead to. */
static void an_entry_in_front(void **state)
{
	struct made made = in_front("PK\3\4 and as many bytes as a header", true, true);

	made_spoil(&made, MADE_EXTRA, 20, 8, 0 - (uint64_t)made.shift);
	check_refusal(made, no_entry);
}

/* The end of a zip64 directory is cut off in front. */
static void a_locator_without_an_end(void **state)
{
	struct made made = made_zip64(), cut = {0};

	for (size_t from = 0; from <= made.at[MADE_LOCATOR]; from++) {
		made_put(&cut, made.bytes + from, made.size - from);
		check_refusal(cut, from > made.at[MADE_END64] ? no_directory64
				   : from > 0                 ? no_directory
							      : NULL);
		cut = (struct made){0};
	}
	made_fini(&made);
}

static void a_longer_comment_than_can_be(void **state)
{
	struct made made = made_plain();
	char more[65536] = "";

	made_spoil(&made, MADE_END, 20, 2, 0xffff);
	made_put(&made, more, sizeof(more) - 1);
	check_refusal(made, NULL);
	made = made_plain();
	made_put(&made, more, sizeof(more));
	check_refusal(made, no_end);
}

static void what_is_no_file(void **state)
{
	int pipes[2], folder = open("/", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	struct archive archive;

	assert_int_equal(pipe(pipes), 0);
	assert_string_equal(archive_read(&archive, pipes[0], &made_memory), no_file);
	close(pipes[0]);
	close(pipes[1]);
	assert_string_equal(archive_read(&archive, pipes[0], &made_memory), no_file);
	assert_string_equal(archive_read(&archive, -1, &made_memory), no_file);
	assert_string_equal(archive_read(&archive, folder, &made_memory), no_file);
	close(folder);
}

static void what_is_no_archive(void **state)
{
	struct made made = {0};
	char zeros[100] = "";

	check_refusal(made, no_end);
	for (size_t i = 0; i < sizeof(zeros); i++) {
		made = (struct made){0};
		made_put(&made, zeros, i);
		check_refusal(made, no_end);
	}
}

static void a_descriptor_that_cannot_be_read(void **state)
{
	struct made made = made_plain();
	int descriptor = made_file(&made, made.size), other;
	struct archive archive;
	char path[64];

	snprintf(path, sizeof(path), "/proc/self/fd/%d", descriptor);
	other = open(path, O_WRONLY | O_CLOEXEC);
	assert_true(other >= 0);
	assert_string_equal(archive_read(&archive, other, &made_memory), not_read);
	close(other);
	close(descriptor);
	made_fini(&made);
}

/* ---- any number, any length, anything that fails ---- */

/* Refused, or what was accepted agrees with itself. */
static bool is_consistent(const struct made *made, size_t size)
{
	struct archive archive;
	const char *why = made_read(made, size, &archive);

	if (!why)
		made_check(&archive);
	else
		assert_true(archive.entries == 0 && !archive.entry && !archive.bytes);
	archive_fini(&archive, &made_memory);
	return !why;
}

static void truncated_at_every_byte(void **state)
{
	struct made (*const make[])(void) = {made_plain, made_zip64};

	for (int i = 0; i < 2; i++) {
		struct made made = make[i]();

		for (size_t size = 0; size < made.size; size++)
			assert_false(is_consistent(&made, size));
		assert_true(is_consistent(&made, made.size));
		made_fini(&made);
	}
}

static void truncated_behind_an_archive_in_it(void **state)
{
	struct made made = made_plain(), inner = made_zip64();
	size_t end, accepted = 0;

	made_put(&inner, made.bytes, made.size);
	end = inner.size - made.size;
	for (size_t size = 0; size <= inner.size; size++)
		if (is_consistent(&inner, size))
			accepted += size == end || size == inner.size ? 1 : 100;
	assert_int_equal(accepted, 2);
	made_fini(&made);
	made_fini(&inner);
}

/* Every number of a record, one after the other, with every value. */
static unsigned spoil_record(struct made (*make)(void), enum made_record record, int length)
{
	static const uint64_t values[] = {0, 1, 29, 30, 45, 46, 0xffff, 0x7fffffff, 0xfffffffe,
		0xffffffff, 0x100000000, INT64_MAX, (uint64_t)INT64_MAX + 1, UINT64_MAX};
	unsigned accepted = 0;

	for (int at = 0; at < length; at++)
		for (int bytes = 2; bytes <= 8 && at + bytes <= length; bytes *= 2)
			for (size_t i = 0; i < sizeof(values) / sizeof(*values); i++) {
				struct made made = make();

				made_spoil(&made, record, at, bytes, values[i]);
				accepted += is_consistent(&made, made.size);
				made_fini(&made);
			}
	return accepted;
}

static void every_number_with_every_limit(void **state)
{
	unsigned accepted = 0;

	for (int i = 0; i < 4; i++) {
		accepted += spoil_record(made_plain, MADE_HEADER + i, 46);
		accepted += spoil_record(made_plain, MADE_LOCAL + i, 30);
	}
	accepted += spoil_record(made_plain, MADE_END, 22);
	for (int i = 0; i < 5; i++)
		accepted += spoil_record(made_zip64, MADE_HEADER + i, 46);
	accepted += spoil_record(made_zip64, MADE_EXTRA, 28);
	accepted += spoil_record(made_zip64, MADE_END64, 56);
	accepted += spoil_record(made_zip64, MADE_LOCATOR, 20);
	accepted += spoil_record(made_zip64, MADE_END, 22);
	assert_true(accepted > 0);
	print_message("%u of them were accepted\n", accepted);
}

/* The n-th allocation fails. */
static void without_memory(void **state)
{
	struct made made = made_plain();
	int descriptor = made_file(&made, made.size), n = 0;
	struct archive archive;
	const char *why;

	for (;; n++) {
		until_failure = n;
		why = archive_read(&archive, descriptor, &made_memory);
		until_failure = -1;
		if (!why)
			break;
		assert_ptr_equal(why, archive_no_memory);
		assert_true(!archive.entry && !archive.bytes);
	}
	assert_int_equal(n, 3);
	check_made(&made, &archive);
	archive_fini(&archive, &made_memory);
	close(descriptor);
	made_fini(&made);
}

/* The n-th read finds no more bytes, as in a file that becomes shorter meanwhile. */
static void a_file_that_ends_while_it_is_read(void **state)
{
	struct made (*const make[])(void) = {made_plain, made_zip64};

	for (int i = 0; i < 2; i++) {
		struct made made = make[i]();
		int descriptor = made_file(&made, made.size);
		struct archive archive;

		for (int n = 0; n < 8; n++) {
			until_end = n;
			if (archive_read(&archive, descriptor, &made_memory) == NULL)
				check_made(&made, &archive);
			else
				assert_true(n < 6 && !archive.entry && !archive.bytes);
			until_end = -1;
			archive_fini(&archive, &made_memory);
		}
		until_end = 0;
		assert_string_equal(archive_read(&archive, descriptor, &made_memory), not_read);
		until_end = 2 + i;
		assert_string_equal(archive_read(&archive, descriptor, &made_memory), not_read);
		until_end = -1;
		close(descriptor);
		made_fini(&made);
	}
}

static void reads_of_a_few_bytes(void **state)
{
	for (read_max = 1; read_max < 30; read_max += 7)
		accept(made_zip64());
	read_max = 1 << 30;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(entries_stored_and_deflated),
		cmocka_unit_test(an_empty_archive),
		cmocka_unit_test(comments_of_any_length),
		cmocka_unit_test(a_comment_with_the_signature),
		cmocka_unit_test(bytes_in_front),
		cmocka_unit_test(an_archive_in_front),
		cmocka_unit_test(an_archive_in_an_archive),
		cmocka_unit_test(zip64),
		cmocka_unit_test(zip64_where_it_is_not_needed),
		cmocka_unit_test(zip64_offsets_behind_any_sizes),
		cmocka_unit_test(sizes_behind_the_data),
		cmocka_unit_test(names_of_any_bytes),
		cmocka_unit_test(entries_in_any_order),
		cmocka_unit_test(a_gap_is_of_the_entry_before),
		cmocka_unit_test(one_number_is_wrong),
		cmocka_unit_test(entries_at_the_directory),
		cmocka_unit_test(an_entry_in_front),
		cmocka_unit_test(a_locator_without_an_end),
		cmocka_unit_test(a_longer_comment_than_can_be),
		cmocka_unit_test(what_is_no_file),
		cmocka_unit_test(what_is_no_archive),
		cmocka_unit_test(a_descriptor_that_cannot_be_read),
		cmocka_unit_test(truncated_at_every_byte),
		cmocka_unit_test(truncated_behind_an_archive_in_it),
		cmocka_unit_test(every_number_with_every_limit),
		cmocka_unit_test(without_memory),
		cmocka_unit_test(a_file_that_ends_while_it_is_read),
		cmocka_unit_test(reads_of_a_few_bytes),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
