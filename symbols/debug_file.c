/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/* debug_file: see debug_file.h. */
#include "symbols/debug_file.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { BUILD_ID_MAX = 64 };

struct build_id {
	size_t size; /* 0: there is none */
	unsigned char bytes[BUILD_ID_MAX];
};

/* What .gnu_debuglink has: a name, and the CRC-32 of the file. */
struct debug_link {
	const char *name;
	uint32_t sum;
};

/* Name, NUL, up to three bytes more, then the sum. */
static bool read_link(const char *bytes, size_t size, struct debug_link *link)
{
	size_t length = strlen(bytes), at = (length + 1 + 3) / 4 * 4;

	if (length == 0 || strchr(bytes, '/') || at > size || size - at < sizeof(link->sum))
		return false;
	link->name = bytes;
	memcpy(&link->sum, bytes + at, sizeof(link->sum));
	return true;
}

/* The section has one note: header, "GNU", the id. */
static struct build_id read_build_id(const struct elf_file *file)
{
	const Elf64_Shdr *section = elf_file_section(file, ".note.gnu.build-id");
	struct build_id id = {0};
	Elf64_Nhdr note;
	size_t size;
	char *bytes = section ? elf_file_read(file, section, &size) : NULL;

	if (!bytes)
		return id;
	if (size >= sizeof(note) + 4) {
		memcpy(&note, bytes, sizeof(note));
		if (note.n_type == NT_GNU_BUILD_ID && note.n_namesz == 4 &&
			memcmp(bytes + sizeof(note), "GNU", 4) == 0 &&
			note.n_descsz <= BUILD_ID_MAX &&
			note.n_descsz <= size - sizeof(note) - 4) {
			id.size = note.n_descsz;
			memcpy(id.bytes, bytes + sizeof(note) + 4, id.size);
		}
	}
	free(bytes);
	return id;
}

/* CRC-32 of ISO 3309, four bits at a time. */
static uint32_t sum_of(const struct elf_file *file)
{
	static const uint32_t table[16] = {0, 0x1db71064, 0x3b6e20c8, 0x26d930ac, 0x76dc4190,
		0x6b6b51f4, 0x4db26158, 0x5005713c, 0xedb88320, 0xf00f9344, 0xd6d6a3e8,
		0xcb61b38c, 0x9b64c2b0, 0x86d3d2d4, 0xa00ae278, 0xbdbdf21c};
	unsigned char bytes[4096];
	uint32_t sum = UINT32_MAX;
	uint64_t offset = 0;
	ssize_t got;

	while ((got = pread(file->descriptor, bytes, sizeof(bytes), (off_t)offset)) > 0) {
		for (ssize_t i = 0; i < got; i++) {
			sum ^= bytes[i];
			sum = sum >> 4 ^ table[sum & 15];
			sum = sum >> 4 ^ table[sum & 15];
		}
		offset += (uint64_t)got;
	}
	return ~sum;
}

/* link: NULL where the path came of the build id. */
static bool open_same(struct elf_file *debug, const char *path, const struct build_id *id,
	const struct debug_link *link)
{
	struct build_id found;

	if (elf_file_open(debug, path, NULL) != 0)
		return false;
	found = read_build_id(debug);
	if (id->size > 0 ? found.size == id->size &&
				   memcmp(found.bytes, id->bytes, id->size) == 0
			 : link && sum_of(debug) == link->sum)
		return true;
	elf_file_close(debug);
	return false;
}

static bool open_by_id(struct elf_file *debug, const struct build_id *id)
{
	char path[sizeof("/usr/lib/debug/.build-id//.debug") + (size_t)2 * BUILD_ID_MAX];
	int at;

	if (id->size < 2)
		return false;
	at = sprintf(path, "/usr/lib/debug/.build-id/%02x/", id->bytes[0]);
	for (size_t i = 1; i < id->size; i++)
		at += sprintf(path + at, "%02x", id->bytes[i]);
	sprintf(path + at, ".debug");
	return open_same(debug, path, id, NULL);
}

static bool open_by_link(struct elf_file *debug, const struct elf_file *file, const char *path,
	const struct build_id *id)
{
	static const char *const places[][2] = {
		{"", "/"}, {"", "/.debug/"}, {"/usr/lib/debug", "/"}};
	const Elf64_Shdr *section = elf_file_section(file, ".gnu_debuglink");
	const char *slash = strrchr(path, '/');
	int folder = slash ? (int)(slash - path) : 0;
	struct debug_link link;
	char candidate[PATH_MAX];
	size_t size;
	char *bytes;
	bool found = false;

	bytes = section && slash ? elf_file_read(file, section, &size) : NULL;
	if (bytes && read_link(bytes, size, &link)) {
		for (size_t i = 0; i < sizeof(places) / sizeof(*places) && !found; i++) {
			int length = snprintf(candidate, sizeof(candidate), "%s%.*s%s%s",
				places[i][0], folder, path, places[i][1], link.name);

			found = length < (int)sizeof(candidate) &&
				open_same(debug, candidate, id, &link);
		}
	}
	free(bytes);
	return found;
}

bool debug_file_open(struct elf_file *debug, const struct elf_file *file, const char *path)
{
	struct build_id id = read_build_id(file);

	return open_by_id(debug, &id) || open_by_link(debug, file, path, &id);
}
