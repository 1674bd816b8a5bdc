/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/*
 * jvm_counters: the file's layout is that of perfMemory.hpp, PerfDataPrologue and
 * PerfDataEntry. Offsets in it are held against its size.
 */
#include "cli/attach/jvm_counters.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* Counters are 32 kB in all releases; a larger file is another thing. */
enum { SIZE_LIMIT = 4 << 20 };

struct prologue {
	unsigned char magic[4];   /* ca fe c0 c0 */
	unsigned char byte_order; /* 1: little */
	unsigned char major, minor, accessible;
	int32_t used, overflow;
	int64_t modified;
	int32_t entry_offset, entry_count;
};

/* A name and a value follow, at offsets from the entry's begin. */
struct entry {
	int32_t length, name_offset, vector_length;
	char type, flags, unit, variability;
	int32_t data_offset;
};

static bool is_native(const struct prologue *prologue)
{
	static const unsigned char magic[] = {0xca, 0xfe, 0xc0, 0xc0};
	bool is_little = __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__;

	return memcmp(prologue->magic, magic, sizeof(magic)) == 0 &&
	       prologue->byte_order == (is_little ? 1 : 0) && prologue->major == 2 &&
	       prologue->accessible == 1;
}

/* The bytes of the entry are all there: entry->length of them. */
static bool has_name(const struct entry *entry, const unsigned char *bytes, const char *name)
{
	int32_t size = (int32_t)strlen(name) + 1, at = entry->name_offset;

	return at >= 0 && at <= entry->length - size &&
	       memcmp(bytes + at, name, (size_t)size) == 0;
}

static char *value_of(const struct entry *entry, const unsigned char *bytes)
{
	int32_t at = entry->data_offset;

	return at > 0 && at < entry->length
		       ? strndup((const char *)bytes + at, (size_t)(entry->length - at))
		       : NULL;
}

char *jvm_counters_text(const unsigned char *bytes, size_t size, const char *name)
{
	struct prologue prologue;
	struct entry entry;
	size_t at;

	if (size < sizeof(prologue))
		return NULL;
	memcpy(&prologue, bytes, sizeof(prologue));
	if (!is_native(&prologue) || prologue.entry_offset < (int32_t)sizeof(prologue))
		return NULL;
	at = (size_t)prologue.entry_offset;
	for (int32_t i = 0; i < prologue.entry_count; i++) {
		if (size < sizeof(entry) || at > size - sizeof(entry))
			return NULL;
		memcpy(&entry, bytes + at, sizeof(entry));
		if (entry.length < (int32_t)sizeof(entry) || (size_t)entry.length > size - at)
			return NULL;
		if (has_name(&entry, bytes + at, name))
			return value_of(&entry, bytes + at);
		at += (size_t)entry.length;
	}
	return NULL;
}

unsigned char *jvm_counters_read(const struct target *target, const char *path, size_t *size)
{
	int file = target_open_file(target, path);
	unsigned char *bytes = NULL;
	struct stat status;
	ssize_t got = 0;

	if (file < 0)
		return NULL;
	if (fstat(file, &status) == 0 && status.st_uid == target->uid &&
		status.st_size <= SIZE_LIMIT)
		bytes = malloc((size_t)status.st_size + 1);
	if (bytes != NULL)
		got = read(file, bytes, (size_t)status.st_size);
	close(file);
	*size = got > 0 ? (size_t)got : 0;
	return bytes;
}
