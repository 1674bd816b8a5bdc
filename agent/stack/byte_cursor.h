/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/*
 * byte_cursor: reads numbers of DWARF's kinds out of bytes that may be anything, or be gone.
 *
 *   at --v                            v-- end
 *   ... |####### window #######| .... |        a copy of the next bytes; one with care costs the less the more there are
 *
 * Behind the end, and where bytes cannot be read, there are zeroes, and `bad` stays set. Calls nothing but
 * memcpy and what safe_read.h does.
 */
#ifndef JPROF_BYTE_CURSOR_H
#define JPROF_BYTE_CURSOR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "agent/stack/safe_read.h"

enum { CURSOR_WINDOW = 32 }; /* words; a number is in one or two */

struct byte_cursor {
	uintptr_t at, end;
	bool bad;
	uint8_t filled; /* of the window */
	uintptr_t from; /* where the window is; in front of at */
	uint8_t window[CURSOR_WINDOW];
};

/* It becomes one from an address on. */
static inline void cursor_set(struct byte_cursor *cursor, uintptr_t at, uintptr_t end)
{
	cursor->at = at;
	cursor->end = end;
	cursor->bad = false;
	cursor->filled = 0;
	cursor->from = at;
}

static inline size_t cursor_left(const struct byte_cursor *cursor)
{
	return cursor->end - cursor->at;
}

static inline void cursor_skip(struct byte_cursor *cursor, uint64_t bytes)
{
	if (bytes > cursor_left(cursor)) {
		cursor->bad = true;
		bytes = cursor_left(cursor);
	}
	cursor->at += bytes;
}

/* The window begins at the next byte's word. False: that is not there. */
static inline bool cursor_fill(struct byte_cursor *cursor)
{
	size_t bytes;

	cursor->from = cursor->at - cursor->at % sizeof(uintptr_t);
	bytes = cursor->end - cursor->from;
	if (bytes > CURSOR_WINDOW)
		bytes = CURSOR_WINDOW;
	cursor->filled = (uint8_t)bytes;
	if (safe_copy_known(cursor->window, cursor->from, bytes))
		return true;
	cursor->filled = 0;
	cursor->at = cursor->end;
	cursor->bad = true;
	return false;
}

/* A number of 1, 2, 4 or 8 bytes; both processors begin with the lowest one. */
static inline uint64_t cursor_number(struct byte_cursor *cursor, size_t bytes)
{
	uint64_t value = 0;

	if (bytes > cursor_left(cursor)) {
		cursor_skip(cursor, bytes);
		return 0;
	}
	if (cursor->at - cursor->from + bytes > cursor->filled && !cursor_fill(cursor))
		return 0;
	memcpy(&value, cursor->window + (cursor->at - cursor->from), bytes);
	cursor->at += bytes;
	return value;
}

static inline uint8_t cursor_byte(struct byte_cursor *cursor)
{
	return (uint8_t)cursor_number(cursor, 1);
}

static inline int64_t cursor_signed(struct byte_cursor *cursor, size_t bytes)
{
	unsigned unused = 64 - 8 * (unsigned)bytes;

	return (int64_t)(cursor_number(cursor, bytes) << unused) >> unused;
}

/* LEB128 (DWARF 5, 7.6): seven bits a byte, of which the last one has no bit 7. Bits beyond 64 are lost. */
static inline uint64_t cursor_leb(struct byte_cursor *cursor, bool is_signed)
{
	uint64_t value = 0;
	unsigned shift = 0;
	uint8_t byte;

	do {
		byte = cursor_byte(cursor);
		if (shift < 64)
			value |= (uint64_t)(byte & 0x7f) << shift;
		shift += 7;
	} while (byte & 0x80);
	if (is_signed && shift < 64 && byte & 0x40)
		value |= UINT64_MAX << shift;
	return value;
}

static inline uint64_t cursor_uleb(struct byte_cursor *cursor)
{
	return cursor_leb(cursor, false);
}

static inline int64_t cursor_sleb(struct byte_cursor *cursor)
{
	return (int64_t)cursor_leb(cursor, true);
}

#endif
