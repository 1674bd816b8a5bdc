/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/* made_archive: see made_archive.h. */
#include "made_archive.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

enum { HEADER_SIZE = 46, END64_SIZE = 56, LIMIT_BYTES = 4096 };

void made_fini(struct made *made)
{
	free(made->bytes);
	*made = (struct made){0};
}

void made_put(struct made *made, const void *bytes, size_t size)
{
	made->bytes = realloc(made->bytes, made->size + size + 1);
	assert_non_null(made->bytes);
	if (size > 0)
		memcpy(made->bytes + made->size, bytes, size);
	made->size += size;
}

void made_number(struct made *made, uint64_t value, int bytes)
{
	for (int i = 0; i < bytes; i++)
		made_put(made, &(uint8_t){(uint8_t)(value >> 8 * i)}, 1);
}

void made_spoil(struct made *made, enum made_record record, int at, int bytes, uint64_t value)
{
	size_t where = made->at[record] + (size_t)at;

	assert_true(where + (size_t)bytes <= made->size);
	for (int i = 0; i < bytes; i++)
		made->bytes[where + (size_t)i] = (uint8_t)(value >> 8 * i);
}

uint64_t made_get(const struct made *made, enum made_record record, int at, int bytes)
{
	uint64_t value = 0;

	while (bytes-- > 0)
		value = value << 8 | made->bytes[made->at[record] + (size_t)(at + bytes)];
	return value;
}

struct archive_memory made_memory = {.limit = UINT64_MAX};

static void begin(struct made *made, enum made_record record, const char *signature)
{
	made->at[record] = made->size;
	made_put(made, signature, 4);
}

/* CRC-32, 4.4.7 */
static uint32_t sum_of(const uint8_t *bytes, size_t size)
{
	uint32_t sum = 0xffffffff;

	for (size_t i = 0; i < size; i++) {
		sum ^= bytes[i];
		for (int bit = 0; bit < 8; bit++)
			sum = sum >> 1 ^ (sum & 1 ? 0xedb88320 : 0);
	}
	return ~sum;
}

/* ---- entries ---- */

static uint64_t or_limit(uint64_t value, bool elsewhere)
{
	return elsewhere ? 0xffffffff : value;
}

/* What a local header and one of the directory have alike: from the version needed to the
 * length of the name. */
static void put_common(struct made *made, unsigned i, bool sizes)
{
	unsigned how = made->entry[i].how;

	made_number(made, how & MADE_ALL64 ? 45 : 20, 2);
	made_number(made, how & MADE_DESCRIPTOR ? 8 : 0, 2);
	made_number(made, how & MADE_DEFLATED ? 8 : 0, 2);
	made_number(made, 0x21 << 16, 4); /* 1980-01-01 */
	made_number(made, sizes ? made->entry[i].sum : 0, 4);
	made_number(made, sizes ? or_limit(made->entry[i].packed, how & MADE_PACKED64) : 0, 4);
	made_number(made, sizes ? or_limit(made->entry[i].size, how & MADE_SIZE64) : 0, 4);
	made_number(made, strlen(made->entry[i].name), 2);
}

/* One block that is not compressed, as deflate may have: RFC 1951, 3.2.4. */
static void put_deflated(struct made *made, const char *data, size_t size)
{
	made_number(made, 1, 1);
	made_number(made, size, 2);
	made_number(made, ~size, 2);
	made_put(made, data, size);
}

static void put_descriptor(struct made *made, unsigned i)
{
	made_put(made, "PK\7\10", 4);
	made_number(made, made->entry[i].sum, 4);
	made_number(made, made->entry[i].packed, 4);
	made_number(made, made->entry[i].size, 4);
}

void made_entry(struct made *made, const char *name, const char *data, unsigned how)
{
	unsigned i = made->entries++;
	size_t size = strlen(data);
	bool sizes = how & (MADE_SIZE64 | MADE_PACKED64);

	assert_true(i < MADE_ENTRIES);
	made->entry[i].name = name;
	made->entry[i].how = how;
	made->entry[i].size = size;
	made->entry[i].packed = size + (how & MADE_DEFLATED ? 5 : 0);
	made->entry[i].sum = sum_of((const uint8_t *)data, size);
	begin(made, MADE_LOCAL + i, "PK\3\4");
	put_common(made, i, !(how & MADE_DESCRIPTOR));
	made_number(made, sizes ? 20 : 0, 2);
	made_put(made, name, strlen(name));
	if (sizes) { /* both, here: 4.5.3 */
		made_number(made, 1, 2);
		made_number(made, 16, 2);
		made_number(made, made->entry[i].size, 8);
		made_number(made, made->entry[i].packed, 8);
	}
	if (how & MADE_DEFLATED)
		put_deflated(made, data, size);
	else
		made_put(made, data, size);
	if (how & MADE_DESCRIPTOR)
		put_descriptor(made, i);
}

/* ---- the directory ---- */

static int bytes64(unsigned how)
{
	return (how & MADE_SIZE64 ? 8 : 0) + (how & MADE_PACKED64 ? 8 : 0) +
	       (how & MADE_OFFSET64 ? 8 : 0);
}

static void put_extra(struct made *made, unsigned i)
{
	unsigned how = made->entry[i].how;

	if (how & MADE_OTHER_EXTRA)
		made_put(made, "\xfe\xca\3\0abc", 7);
	made->at[MADE_EXTRA + i] = made->size;
	if (!(how & MADE_ALL64))
		return;
	made_number(made, 1, 2);
	made_number(made, (uint64_t)bytes64(how), 2);
	if (how & MADE_SIZE64)
		made_number(made, made->entry[i].size, 8);
	if (how & MADE_PACKED64)
		made_number(made, made->entry[i].packed, 8);
	if (how & MADE_OFFSET64)
		made_number(made, made->at[MADE_LOCAL + i] - made->shift, 8);
}

static void put_header(struct made *made, unsigned i)
{
	unsigned how = made->entry[i].how;
	int extra =
		(how & MADE_OTHER_EXTRA ? 7 : 0) + (how & MADE_ALL64 ? 4 + bytes64(how) : 0);

	begin(made, MADE_HEADER + i, "PK\1\2");
	made_number(made, 45, 2);
	put_common(made, i, true);
	made_number(made, (uint64_t)extra, 2);
	made_number(made, how & MADE_COMMENT ? 7 : 0, 2);
	made_number(made, 0, 8); /* disk, attributes */
	made_number(
		made, or_limit(made->at[MADE_LOCAL + i] - made->shift, how & MADE_OFFSET64), 4);
	made_put(made, made->entry[i].name, strlen(made->entry[i].name));
	put_extra(made, i);
	made_put(made, "comment", how & MADE_COMMENT ? 7 : 0);
}

void made_directory(struct made *made)
{
	made->at[MADE_DIRECTORY] = made->size;
	for (unsigned i = 0; i < made->entries; i++)
		put_header(made, i);
}

void made_end64(struct made *made)
{
	size_t end = made->size;

	begin(made, MADE_END64, "PK\6\6");
	made_number(made, END64_SIZE - 12, 8);
	made_number(made, 45 << 16 | 45, 4);
	made_number(made, 0, 8); /* disks */
	made_number(made, made->entries, 8);
	made_number(made, made->entries, 8);
	made_number(made, end - made->at[MADE_DIRECTORY], 8);
	made_number(made, made->at[MADE_DIRECTORY] - made->shift, 8);
	begin(made, MADE_LOCATOR, "PK\6\7");
	made_number(made, 0, 4);
	made_number(made, end - made->shift, 8);
	made_number(made, 1, 4);
}

void made_end(struct made *made, size_t comment)
{
	bool is64 = made->at[MADE_END64] > 0;
	size_t end = made->size;

	begin(made, MADE_END, "PK\5\6");
	made_number(made, 0, 4); /* disks */
	made_number(made, is64 ? 0xffff : made->entries, 2);
	made_number(made, is64 ? 0xffff : made->entries, 2);
	made_number(made, or_limit(end - made->at[MADE_DIRECTORY], is64), 4);
	made_number(made, or_limit(made->at[MADE_DIRECTORY] - made->shift, is64), 4);
	made_number(made, comment, 2);
	while (comment-- > 0)
		made_put(made, "c", 1);
}

struct made made_plain(void)
{
	struct made made = {0};

	made_entry(&made, "stored.txt", "what is stored", 0);
	made_entry(&made, "folder/", "", 0);
	made_entry(&made, "deflated.txt", "what is deflated", MADE_DEFLATED | MADE_COMMENT);
	made_entry(&made, "described.txt", "sizes behind", MADE_DEFLATED | MADE_DESCRIPTOR);
	made_directory(&made);
	made_end(&made, 0);
	return made;
}

struct made made_zip64(void)
{
	struct made made = {0};

	made_entry(&made, "all", "all three", MADE_ALL64);
	made_entry(&made, "offset", "the offset alone", MADE_OFFSET64 | MADE_OTHER_EXTRA);
	made_entry(&made, "two", "two of three", MADE_OFFSET64 | MADE_PACKED64);
	made_entry(&made, "none", "no extra field", MADE_DEFLATED);
	made_entry(&made, "sizes", "in 32 bits: the offset",
		MADE_SIZE64 | MADE_PACKED64 | MADE_COMMENT);
	made_directory(&made);
	made_end64(&made);
	made_end(&made, 3);
	return made;
}

/* ---- trying ---- */

int made_file(const struct made *made, size_t size)
{
	int descriptor = memfd_create("made", MFD_CLOEXEC);

	assert_true(descriptor >= 0 && size <= made->size);
	assert_true(size == 0 || write(descriptor, made->bytes, size) == (ssize_t)size);
	return descriptor;
}

const char *made_read(const struct made *made, size_t size, struct archive *archive)
{
	int descriptor = made_file(made, size);
	const char *why = archive_read(archive, descriptor, &made_memory);

	close(descriptor);
	return why;
}

/* Every byte of a part; of a long one, those at both ends. */
static void check_part(
	const struct archive *archive, uint64_t begin, size_t place, uint64_t end)
{
	for (uint64_t at = begin; at < end; at++) {
		assert_int_equal(archive_find(archive, at), place);
		assert_true(archive_end(archive, place, at) == end);
		if (at - begin == LIMIT_BYTES && end - at > LIMIT_BYTES)
			at = end - LIMIT_BYTES;
	}
}

void made_check(const struct archive *archive)
{
	uint64_t at = 0, end;
	size_t seen = 0;

	assert_true(archive->directory < archive->size);
	for (;; at = end) {
		size_t place = archive_find(archive, at);

		end = archive_end(archive, place, at);
		assert_true(end > at);
		if (place < archive->entries) {
			assert_int_equal(place, seen++);
			assert_true(archive->entry[place].begin == at);
			assert_true(archive->entry[place].name >= archive->bytes);
			assert_true(archive->entry[place].name + archive->entry[place].length <=
				    archive->bytes + (archive->size - archive->directory));
		}
		check_part(archive, at, place, end);
		if (end == UINT64_MAX)
			break;
		assert_true(end <= archive->directory);
	}
	assert_true(at == archive->directory);
	assert_int_equal(seen, archive->entries);
}
