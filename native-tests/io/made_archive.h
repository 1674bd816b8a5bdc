/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/*
 * made_archive: zip files made byte by byte, right ones and wrong ones.
 *
 *   made_bytes, made_entry... --> made_directory --> made_end64 --> made_end --> made_file
 *
 * Where each record begins is kept, so that a test can spoil a number of it. Section numbers are
 * those of APPNOTE.TXT, "ZIP File Format Specification".
 */
#ifndef JPROF_MADE_ARCHIVE_H
#define JPROF_MADE_ARCHIVE_H

#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "agent/io/archive.h"

enum { MADE_ENTRIES = 8 };

/* As much as there is. */
extern struct archive_memory made_memory;

/* Records. Of an entry: MADE_LOCAL + its number, and so on. */
enum made_record {
	MADE_END,
	MADE_END64,
	MADE_LOCATOR,
	MADE_DIRECTORY,
	MADE_LOCAL,
	MADE_HEADER = MADE_LOCAL + MADE_ENTRIES,
	MADE_EXTRA = MADE_HEADER + MADE_ENTRIES, /* the zip64 one, in the directory */
	MADE_RECORDS = MADE_EXTRA + MADE_ENTRIES
};

/* How an entry is written. */
enum {
	MADE_DEFLATED = 1,
	MADE_DESCRIPTOR = 2, /* the sizes stand behind the data: 4.3.9 */
	MADE_SIZE64 = 4,     /* these are in the zip64 extra field: 4.5.3 */
	MADE_PACKED64 = 8,
	MADE_OFFSET64 = 16,
	MADE_OTHER_EXTRA = 32, /* another one stands in front of it */
	MADE_COMMENT = 64,
	MADE_ALL64 = MADE_SIZE64 | MADE_PACKED64 | MADE_OFFSET64
};

struct made {
	uint8_t *bytes;
	size_t size;
	size_t shift; /* what offsets in the archive do not count */
	size_t at[MADE_RECORDS];
	struct {
		const char *name;
		unsigned how;
		size_t packed, size;
		uint32_t sum;
	} entry[MADE_ENTRIES];
	unsigned entries;
};

void made_fini(struct made *made);

void made_put(struct made *made, const void *bytes, size_t size);
void made_number(struct made *made, uint64_t value, int bytes);

/* Changes a number that is there. */
void made_spoil(struct made *made, enum made_record record, int at, int bytes, uint64_t value);
uint64_t made_get(const struct made *made, enum made_record record, int at, int bytes);

/* Local header, name, data. */
void made_entry(struct made *made, const char *name, const char *data, unsigned how);
void made_directory(struct made *made);
void made_end64(struct made *made);
/* With a comment of so many bytes. If there is a zip64 end, all numbers are in that. */
void made_end(struct made *made, size_t comment);

/* Some that are right: entries of all kinds, and as many records as there are. */
struct made made_plain(void);
struct made made_zip64(void);

/* A descriptor of a file with the first bytes of it, the caller's. */
int made_file(const struct made *made, size_t size);

/* As archive_read tells, of the first bytes. */
const char *made_read(const struct made *made, size_t size, struct archive *archive);

/* Each byte of the file is in one part, and its end is the next one's begin. */
void made_check(const struct archive *archive);

#endif
