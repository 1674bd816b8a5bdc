/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/*
 * Any bytes as a zip file. What is refused leaves nothing behind; of what is accepted, entries
 * are in order, apart and in front of the directory, and each byte of the file is in one part,
 * which begins and ends where its neighbours say so.
 *
 * The corpus is made of real archives (archive_corpus.sh). A third of the mutations are those of
 * the library, which seldom leave an archive. The others know the records: they change a number
 * of one, to that of another place or to a limit, or put bytes in front of the archive.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "agent/io/archive.h"
#include "report/source/entry.h"

enum { LOCAL_SIZE = 30, END_SIZE = 22, EACH_BYTE_MAX = 4096 };

size_t LLVMFuzzerMutate(uint8_t *data, size_t size, size_t max_size);
size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max_size, unsigned int seed);
static struct archive_memory memory = {.limit = UINT64_MAX};

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void require(bool condition, const char *what)
{
	if (!condition) {
		fprintf(stderr, "violated: %s\n", what);
		abort();
	}
}

/* ---- what must be true ---- */

static int file_of(const uint8_t *data, size_t size)
{
	static int descriptor = -1;

	if (descriptor < 0)
		descriptor = memfd_create("fuzz", MFD_CLOEXEC);
	require(descriptor >= 0 && ftruncate(descriptor, 0) == 0 &&
			pwrite(descriptor, data, size, 0) == (ssize_t)size,
		"the file can be written");
	return descriptor;
}

static void check_local(const struct archive_entry *entry, const uint8_t *data)
{
	require(memcmp(data + entry->begin, "PK\3\4", 4) == 0, "there is a local header");
}

volatile uint64_t fuzz_sink; /* so that nothing is optimised away */

static void check_entries(const struct archive *archive, const uint8_t *data, size_t size)
{
	uint64_t before = 0, sum = 0;

	require(archive->size == size, "the size is the file's");
	require(size >= END_SIZE && archive->directory <= size - END_SIZE,
		"the directory is in front of its end");
	for (size_t i = 0; i < archive->entries; i++) {
		const struct archive_entry *entry = &archive->entry[i];

		require(entry->begin >= before, "entries are in order, and apart");
		before = entry->begin + LOCAL_SIZE;
		require(before > entry->begin && before <= archive->directory,
			"an entry is in front of the directory");
		for (uint32_t c = 0; c < entry->length; c++)
			sum += (unsigned char)entry->name[c];
	}
	if (archive->entries > 0) {
		check_local(&archive->entry[0], data);
		check_local(&archive->entry[archive->entries - 1], data);
	}
	fuzz_sink = sum;
}

/* What reports read of archives of sources. */
static void check_texts(const struct archive *archive, int descriptor)
{
	enum { TEXTS = 16, MOST = 1 << 16 };
	size_t length;

	for (size_t i = 0; i < archive->entries && i < TEXTS; i++) {
		char *text = entry_read(archive, descriptor, i, MOST, &length);

		require(!text || (length <= MOST && text[length] == '\0'),
			"a text is bounded, and has an end");
		free(text);
	}
}

/* One offset, where the part of the one before ends in `end`. */
static void check_offset(
	const struct archive *archive, uint64_t offset, size_t place, uint64_t end)
{
	require(archive_find(archive, offset) == place, "a part is all of one piece");
	require(archive_end(archive, place, offset) == end, "a part has one end");
}

/* From part to part over the file, and beyond it. */
static void check_parts(const struct archive *archive)
{
	uint64_t offset = 0, end;
	size_t seen = 0;

	for (;; offset = end) {
		size_t place = archive_find(archive, offset);

		end = archive_end(archive, place, offset);
		require(end > offset, "a part has bytes");
		if (place < archive->entries) {
			require(place == seen++, "entries come in their order");
			require(archive->entry[place].begin == offset, "an entry begins there");
		}
		for (uint64_t i = offset; i < end && i - offset < EACH_BYTE_MAX; i++)
			check_offset(archive, i, place, end);
		check_offset(archive, end - 1, place, end);
		if (end == UINT64_MAX)
			break;
		require(end <= archive->directory, "no part goes beyond the directory");
	}
	require(offset == archive->directory, "the last part is the directory");
	require(seen == archive->entries, "every entry is a part");
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const struct archive nothing;
	struct archive archive;
	const char *why;
	int descriptor;

	memset(&archive, 0xa5, sizeof(archive));
	descriptor = file_of(data, size);
	why = archive_read(&archive, descriptor, &memory);
	if (why) {
		require(*why != '\0', "there is a reason");
	} else {
		check_entries(&archive, data, size);
		check_parts(&archive);
		check_texts(&archive, descriptor);
		archive_fini(&archive, &memory);
	}
	require(memcmp(&archive, &nothing, sizeof(archive)) == 0, "nothing is left behind");
	return 0;
}

/* ---- mutations ---- */

/* xorshift */
static uint32_t random_next(uint32_t *state)
{
	*state ^= *state << 13;
	*state ^= *state >> 17;
	*state ^= *state << 5;
	return *state;
}

static void put(uint8_t *at, uint64_t value, int bytes)
{
	for (int i = 0; i < bytes; i++)
		at[i] = (uint8_t)(value >> 8 * i);
}

static uint64_t get(const uint8_t *at, int bytes)
{
	uint64_t value = 0;

	while (bytes-- > 0)
		value = value << 8 | at[bytes];
	return value;
}

/* A record of those that are not local headers, or of all; 0: there is none, or it is first. */
static size_t find_record(const uint8_t *data, size_t size, uint32_t *state)
{
	size_t from = random_next(state) % size, found = 0;

	for (size_t i = 0; i + 20 <= size; i++) {
		size_t at = (from + i) % (size - 19);

		if (memcmp(data + at, "PK", 2) == 0 && data[at + 2] < 8 && (found = at) > 0 &&
			data[at + 2] != 3)
			break;
	}
	return found;
}

/* Changes a number of a record. */
static void mutate_number(uint8_t *data, size_t size, uint32_t *state)
{
	static const uint64_t limits[] = {0, 1, 30, 46, 0xffff, 0xfffe, 0xffffffff, 0x7fffffff,
		0x10000000, INT64_MAX, UINT64_MAX, UINT64_MAX - 29};
	size_t at = find_record(data, size, state);
	int bytes = 1 << (1 + random_next(state) % 3);
	uint64_t value;

	at += 4 + 2 * (size_t)(random_next(state) % 28);
	if (at + 8 > size)
		at = size - 8;
	switch (random_next(state) % 4) {
	case 0:
		value = limits[random_next(state) % (sizeof(limits) / sizeof(*limits))];
		break;
	case 1:
		value = get(data + random_next(state) % (size - 8), bytes);
		break;
	case 2:
		value = random_next(state) % size;
		break;
	default:
		value = get(data + at, bytes) + random_next(state) % 65 - 32;
	}
	put(data + at, value, bytes);
}

static size_t put_front(uint8_t *data, size_t size, size_t max_size, uint32_t *state)
{
	size_t more = random_next(state) % 64 + 1;

	if (more > max_size - size)
		return size;
	memmove(data + more, data, size);
	return size + more;
}

/* Makes the directory one of zip64: its end once more, with the numbers that it has. */
static size_t put_end64(uint8_t *data, size_t size, size_t max_size)
{
	enum { END64_SIZE = 56, LOCATOR_SIZE = 20, MORE = END64_SIZE + LOCATOR_SIZE };
	uint8_t *end = data + size - END_SIZE;

	if (size < END_SIZE || memcmp(end, "PK\5\6", 4) != 0 || MORE > max_size - size)
		return size;
	memmove(end + MORE, end, END_SIZE);
	memset(end, 0, MORE);
	memcpy(end, "PK\6\6", 4);
	put(end + 4, END64_SIZE - 12, 8);
	put(end + 24, get(end + MORE + 8, 2), 8);
	put(end + 32, get(end + MORE + 10, 2), 8);
	put(end + 40, get(end + MORE + 12, 4), 8);
	put(end + 48, get(end + MORE + 16, 4), 8);
	memcpy(end + END64_SIZE, "PK\6\7", 4);
	put(end + END64_SIZE + 8, size - END_SIZE, 8);
	put(end + END64_SIZE + 16, 1, 4);
	return size + MORE;
}

size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max_size, unsigned int seed)
{
	uint32_t state = seed * 2654435761u | 1;

	if (size < END_SIZE || random_next(&state) % 3 == 0)
		return LLVMFuzzerMutate(data, size, max_size);
	switch (random_next(&state) % 16) {
	case 0:
		return put_front(data, size, max_size, &state);
	case 1:
		return put_end64(data, size, max_size);
	default:
		for (uint32_t i = random_next(&state) % 3; i < 3; i++)
			mutate_number(data, size, &state);
		return size;
	}
}
