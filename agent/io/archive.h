/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/*
 * archive: which entry of a zip file a byte belongs to.
 *
 * In:   a descriptor of the file, read with pread(2) alone.
 * Out:  the entries of its central directory, ordered by where they begin: each from its local
 *       header to the next one's, the last to the directory (APPNOTE.TXT 4.3.6).
 *       Zip64, and bytes before the archive (a launcher script, say), are understood.
 * Owns: names and places; constant once read. A file that contradicts itself is refused: what
 *       it says of its entries would be wrong.
 */
#ifndef JPROF_ARCHIVE_H
#define JPROF_ARCHIVE_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct archive_entry {
	uint64_t begin; /* offset in the file, of its local header */
	const char *name;
	uint32_t length; /* bytes of the name */
};

struct archive {
	struct archive_entry *entry; /* ordered by begin */
	size_t entries;
	uint64_t directory; /* offset in the file, of the central directory */
	uint64_t size;      /* of the file */
	char *bytes;        /* the directory, in which the names are */
	uint64_t taken;     /* of the memory */
};

/* The memory of all directories together. */
struct archive_memory {
	_Atomic uint64_t limit, used;
};

enum {
	ARCHIVE_DIRECTORY_MAX = 1 << 28 /* bytes; java.util.zip's own limit is near */
};

/* What archive_read says when there is no memory: another time there may be. */
extern const char archive_no_memory[];

/* Reads the directory. NULL, or why it is refused; *archive is then empty. Static text. */
const char *archive_read(
	struct archive *archive, int descriptor, struct archive_memory *memory);

void archive_fini(struct archive *archive, struct archive_memory *memory);

/* The entry that the byte at the offset is in: its place, or entries for what is in none. */
size_t archive_find(const struct archive *archive, uint64_t offset);

/* Where that part of the file ends; place as archive_find tells it for the offset. */
uint64_t archive_end(const struct archive *archive, size_t place, uint64_t offset);

#endif
