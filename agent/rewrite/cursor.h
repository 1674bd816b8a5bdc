/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/*
 * cursor: reads big-endian bytes within bounds, and writes them into a buffer that grows.
 *
 * Both fail for good: what is read after a failure is zero, what is written is dropped.
 * So a run of reads or writes is checked once, behind it.
 */
#ifndef JPROF_REWRITE_CURSOR_H
#define JPROF_REWRITE_CURSOR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

static inline uint16_t get_u2(const uint8_t *at)
{
	return (uint16_t)(at[0] << 8 | at[1]);
}

static inline uint32_t get_u4(const uint8_t *at)
{
	return (uint32_t)get_u2(at) << 16 | get_u2(at + 2);
}

static inline void put_u2(uint8_t *at, uint32_t value)
{
	at[0] = (uint8_t)(value >> 8);
	at[1] = (uint8_t)value;
}

static inline void put_u4(uint8_t *at, uint32_t value)
{
	put_u2(at, value >> 16);
	put_u2(at + 2, value);
}

/* Bytes not yet read; borrowed. */
struct reader {
	const uint8_t *at, *end;
	bool failed;
};

static inline struct reader reader_of(const uint8_t *bytes, size_t size)
{
	return (struct reader){bytes, bytes + size, false};
}

static inline size_t reader_left(const struct reader *reader)
{
	return (size_t)(reader->end - reader->at);
}

/* True if everything was read, and nothing beyond it. */
static inline bool reader_done(const struct reader *reader)
{
	return !reader->failed && reader->at == reader->end;
}

/* The next bytes, which are skipped. NULL: there are not so many. */
static inline const uint8_t *read_bytes(struct reader *reader, size_t size)
{
	const uint8_t *at = reader->at;

	if (size > reader_left(reader)) {
		reader->failed = true;
		reader->at = reader->end;
		return NULL;
	}
	reader->at += size;
	return at;
}

static inline uint8_t read_u1(struct reader *reader)
{
	const uint8_t *at = read_bytes(reader, 1);

	return at ? *at : 0;
}

static inline uint16_t read_u2(struct reader *reader)
{
	const uint8_t *at = read_bytes(reader, 2);

	return at ? get_u2(at) : 0;
}

static inline uint32_t read_u4(struct reader *reader)
{
	const uint8_t *at = read_bytes(reader, 4);

	return at ? get_u4(at) : 0;
}

/* A reader of the next bytes alone; of none, if there are not so many. */
static inline struct reader read_part(struct reader *reader, size_t size)
{
	const uint8_t *at = read_bytes(reader, size);

	return at ? reader_of(at, size) : (struct reader){reader->end, reader->end, true};
}

/* Zero-initialise it; bytes are owned (free). failed: there was no memory. */
struct writer {
	uint8_t *bytes;
	size_t size, capacity;
	bool failed;
};

/* Makes room for so many bytes more. False: no memory, what is there stays. */
bool writer_grow(struct writer *writer, size_t more);

/* The place of so many bytes more, to be filled; NULL: no memory. Valid until the next.
 */
static inline uint8_t *write_room(struct writer *writer, size_t size)
{
	uint8_t *at;

	if (size > writer->capacity - writer->size && !writer_grow(writer, size))
		return NULL;
	at = writer->bytes + writer->size;
	writer->size += size;
	return at;
}

static inline void write_copy(struct writer *writer, const void *bytes, size_t size)
{
	uint8_t *at = size ? write_room(writer, size) : NULL;

	if (at)
		memcpy(at, bytes, size);
}

static inline void write_u1(struct writer *writer, uint32_t value)
{
	uint8_t *at = write_room(writer, 1);

	if (at)
		*at = (uint8_t)value;
}

static inline void write_u2(struct writer *writer, uint32_t value)
{
	uint8_t *at = write_room(writer, 2);

	if (at)
		put_u2(at, value);
}

static inline void write_u4(struct writer *writer, uint32_t value)
{
	uint8_t *at = write_room(writer, 4);

	if (at)
		put_u4(at, value);
}

/* Overwrite what was written at an offset. */
static inline void patch_u2(struct writer *writer, size_t offset, uint32_t value)
{
	if (!writer->failed)
		put_u2(writer->bytes + offset, value);
}

static inline void patch_u4(struct writer *writer, size_t offset, uint32_t value)
{
	if (!writer->failed)
		put_u4(writer->bytes + offset, value);
}

bool scratch_grow_to(
	void **array, uint32_t *capacity, uint32_t wanted, uint32_t keep, size_t element);

/* Makes a scratch array at least so many elements large; its contents need not survive if
 * keep is 0 (elements to keep). False: no memory, the array stays as it was. */
static inline bool scratch_grow(
	void **array, uint32_t *capacity, uint32_t wanted, uint32_t keep, size_t element)
{
	return wanted <= *capacity || scratch_grow_to(array, capacity, wanted, keep, element);
}

#endif
