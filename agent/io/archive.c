/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/*
 * archive: see archive.h. All numbers are little endian; sections are those of APPNOTE.TXT,
 * "ZIP File Format Specification".
 */
#include "agent/io/archive.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum {
	END_SIZE = 22,                 /* 4.3.16 */
	END_SEARCH = END_SIZE + 65535, /* with the longest comment */
	END64_SIZE = 56,               /* 4.3.14 */
	LOCATOR_SIZE = 20,             /* 4.3.15 */
	HEADER_SIZE = 46,              /* 4.3.12 */
	LOCAL_SIZE = 30,               /* 4.3.7 */
	EXTRA_ZIP64 = 1                /* 4.5.3 */
};

static const uint32_t end_signature = 0x06054b50, end64_signature = 0x06064b50,
		      locator_signature = 0x07064b50, header_signature = 0x02014b50,
		      local_signature = 0x04034b50;

const char archive_no_memory[] = "there is no memory for its directory: more max_memory helps";

static uint64_t get(const uint8_t *at, int bytes)
{
	uint64_t value = 0;

	while (bytes-- > 0)
		value = value << 8 | at[bytes];
	return value;
}

/* False: they are not all there. */
static bool read_at(int descriptor, void *to, size_t bytes, uint64_t offset)
{
	size_t done = 0;

	while (done < bytes) {
		ssize_t n = pread(
			descriptor, (char *)to + done, bytes - done, (off_t)(offset + done));

		if (n <= 0)
			return false;
		done += (size_t)n;
	}
	return true;
}

/* ---- where the directory is ---- */

/* What the records at the end say, in the file's own count, which begins where the archive
 * does. */
struct directory {
	uint64_t entries, bytes, offset;
	uint64_t end; /* where it ends, in the file */
};

static const char *find_end64(int descriptor, uint64_t at, struct directory *directory)
{
	uint8_t locator[LOCATOR_SIZE], end[END64_SIZE];
	uint64_t where;

	if (at < LOCATOR_SIZE ||
		!read_at(descriptor, locator, sizeof(locator), at - LOCATOR_SIZE) ||
		get(locator, 4) != locator_signature)
		return NULL; /* not zip64: the numbers are what they say */
	/* It stands right before its locator, wherever that says: bytes may stand in front. */
	where = at - LOCATOR_SIZE;
	if (where < END64_SIZE || !read_at(descriptor, end, sizeof(end), where - END64_SIZE) ||
		get(end, 4) != end64_signature)
		return "its zip64 directory is not where it says";
	directory->entries = get(end + 32, 8);
	directory->bytes = get(end + 40, 8);
	directory->offset = get(end + 48, 8);
	directory->end = where - END64_SIZE;
	return NULL;
}

/* The record that is last in the file, behind which there is a comment of the length it
 * says. */
static const char *find_end(int descriptor, uint64_t size, struct directory *directory)
{
	size_t bytes = size < END_SEARCH ? (size_t)size : END_SEARCH;
	uint8_t *tail = malloc(bytes + 1);
	const char *why = "it has no end of a directory: truncated, or not an archive";

	if (!tail)
		return archive_no_memory;
	if (!read_at(descriptor, tail, bytes, size - bytes)) {
		free(tail);
		return "it cannot be read";
	}
	for (size_t at = bytes < END_SIZE ? 0 : bytes - END_SIZE + 1; at-- > 0;) {
		const uint8_t *end = tail + at;

		if (get(end, 4) != end_signature || get(end + 20, 2) != bytes - at - END_SIZE)
			continue;
		directory->entries = get(end + 10, 2);
		directory->bytes = get(end + 12, 4);
		directory->offset = get(end + 16, 4);
		directory->end = size - bytes + at;
		why = find_end64(descriptor, directory->end, directory);
		break;
	}
	free(tail);
	return why;
}

/* ---- what it says ---- */

/* The local header's offset, which may be in the zip64 part of the extra field, behind as many
 * sizes as are too large for the header. */
static bool find_offset(
	const uint8_t *header, const uint8_t *extra, size_t bytes, uint64_t *offset)
{
	size_t skip = 0;

	*offset = get(header + 42, 4);
	if (*offset != 0xffffffff)
		return true;
	skip += get(header + 24, 4) == 0xffffffff ? 8 : 0;
	skip += get(header + 20, 4) == 0xffffffff ? 8 : 0;
	while (bytes >= 4) {
		size_t part = get(extra + 2, 2);

		if (part > bytes - 4)
			return false;
		if (get(extra, 2) == EXTRA_ZIP64) {
			if (part < skip + 8)
				return false;
			*offset = get(extra + 4 + skip, 8);
			return true;
		}
		extra += 4 + part;
		bytes -= 4 + part;
	}
	return false;
}

static const char *read_entries(
	struct archive *archive, const struct directory *directory, uint64_t front)
{
	const uint8_t *at = (const uint8_t *)archive->bytes;
	size_t left = (size_t)directory->bytes;

	for (uint64_t i = 0; i < directory->entries; i++) {
		size_t name, extra, comment;
		uint64_t offset;

		if (left < HEADER_SIZE || get(at, 4) != header_signature)
			return "its directory has fewer entries than it says";
		name = get(at + 28, 2);
		extra = get(at + 30, 2);
		comment = get(at + 32, 2);
		if (name + extra + comment > left - HEADER_SIZE)
			return "an entry of its directory is cut off";
		if (!find_offset(at, at + HEADER_SIZE + name, extra, &offset) ||
			offset >= directory->offset || directory->offset - offset < LOCAL_SIZE)
			return "an entry is not where its directory says";
		archive->entry[archive->entries++] = (struct archive_entry){
			.begin = front + offset,
			.name = (const char *)at + HEADER_SIZE,
			.length = (uint32_t)name,
		};
		at += HEADER_SIZE + name + extra + comment;
		left -= HEADER_SIZE + name + extra + comment;
	}
	return left == 0 ? NULL : "its directory has more entries than it says";
}

static int compare(const void *a, const void *b)
{
	uint64_t x = ((const struct archive_entry *)a)->begin;
	uint64_t y = ((const struct archive_entry *)b)->begin;

	return (x > y) - (x < y);
}

static const char *read_directory(struct archive *archive, int descriptor,
	const struct directory *directory, struct archive_memory *memory)
{
	uint64_t used = atomic_load(&memory->used), limit = atomic_load(&memory->limit);
	uint64_t bytes =
		directory->bytes + 1 + (directory->entries + 1) * sizeof(*archive->entry);
	uint64_t front;
	const char *why;

	if (directory->bytes > ARCHIVE_DIRECTORY_MAX)
		return "its directory is too large";
	if (directory->bytes > directory->end ||
		directory->offset > directory->end - directory->bytes ||
		directory->entries > directory->bytes / HEADER_SIZE)
		return "its directory is not where it says";
	front = directory->end - directory->bytes - directory->offset;
	archive->directory = directory->end - directory->bytes;

	do {
		if (used > limit || bytes > limit - used)
			return archive_no_memory;
	} while (!atomic_compare_exchange_weak(&memory->used, &used, used + bytes));
	archive->taken = bytes;
	archive->bytes = malloc((size_t)directory->bytes + 1);
	archive->entry = calloc((size_t)directory->entries + 1, sizeof(*archive->entry));
	if (!archive->bytes || !archive->entry)
		return archive_no_memory;

	if (!read_at(descriptor, archive->bytes, (size_t)directory->bytes, archive->directory))
		return "it cannot be read";
	why = read_entries(archive, directory, front);
	if (why)
		return why;
	qsort(archive->entry, archive->entries, sizeof(*archive->entry), compare);
	for (size_t i = 1; i < archive->entries; i++)
		if (archive->entry[i].begin - archive->entry[i - 1].begin < LOCAL_SIZE)
			return "two of its entries overlap";

	/* The first and the last entry do begin with a local header. Looking at all would touch
	 * all of the file. */
	for (int last = 0; last < 2 && archive->entries > 0; last++) {
		size_t place = last ? archive->entries - 1 : 0;
		uint8_t signature[4];

		if (!read_at(descriptor, signature, sizeof(signature),
			    archive->entry[place].begin) ||
			get(signature, 4) != local_signature)
			return "an entry is not where its directory says";
	}
	return NULL;
}

const char *archive_read(struct archive *archive, int descriptor, struct archive_memory *memory)
{
	struct directory directory = {0};
	struct stat status;
	const char *why;

	*archive = (struct archive){0};
	if (fstat(descriptor, &status) || !S_ISREG(status.st_mode))
		return "it is not a regular file";
	archive->size = (uint64_t)status.st_size;
	why = find_end(descriptor, archive->size, &directory);
	if (!why)
		why = read_directory(archive, descriptor, &directory, memory);
	if (why)
		archive_fini(archive, memory);
	return why;
}

void archive_fini(struct archive *archive, struct archive_memory *memory)
{
	free(archive->entry);
	free(archive->bytes);
	atomic_fetch_sub(&memory->used, archive->taken);
	*archive = (struct archive){0};
}

/* ---- asking ---- */

size_t archive_find(const struct archive *archive, uint64_t offset)
{
	size_t low = 0, high = archive->entries;

	/* The first entry that begins behind the offset; the one before holds it. */
	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (archive->entry[middle].begin <= offset)
			low = middle + 1;
		else
			high = middle;
	}
	return low == 0 || offset >= archive->directory ? archive->entries : low - 1;
}

uint64_t archive_end(const struct archive *archive, size_t place, uint64_t offset)
{
	if (place < archive->entries)
		return place + 1 < archive->entries ? archive->entry[place + 1].begin
						    : archive->directory;
	if (archive->entries > 0 && offset < archive->entry[0].begin)
		return archive->entry[0].begin;
	return offset < archive->directory && archive->entries == 0 ? archive->directory
								    : UINT64_MAX;
}
