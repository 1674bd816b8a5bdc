/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/* sample_buffer: see sample_buffer.h. */
#include "agent/sample/sample_buffer.h"

#include <string.h>
#include <sys/mman.h>

/* Bytes from a place to the end where a record had no room: in the place of its bytes. */
#define SKIP 0x80000000u

/* Both count bytes for good; the place is the rest by the capacity. What lies from drained to claimed
 * is in use, all else is 0. */
struct sample_buffer {
	size_t capacity, mapped;
	char *bytes;
	_Alignas(64) _Atomic uint64_t claimed;
	_Alignas(64) _Atomic uint64_t drained;
};

struct sample_buffer *sample_buffer_create(size_t bytes)
{
	size_t capacity = (bytes + 4095) / 4096 * 4096;
	size_t mapped = capacity + 4096;
	char *memory = mmap(NULL, mapped, PROT_READ | PROT_WRITE,
		MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	struct sample_buffer *buffer = (struct sample_buffer *)(void *)memory;

	if (memory == MAP_FAILED)
		return NULL;
	buffer->capacity = capacity;
	buffer->mapped = mapped;
	buffer->bytes = memory + 4096;
	return buffer;
}

void sample_buffer_destroy(struct sample_buffer *buffer)
{
	if (buffer)
		munmap(buffer, buffer->mapped);
}

static struct sample_record *record_at(const struct sample_buffer *buffer, uint64_t place)
{
	return (struct sample_record *)(void *)(buffer->bytes + place % buffer->capacity);
}

struct sample_record *sample_claim(struct sample_buffer *buffer, unsigned frames)
{
	size_t bytes = sizeof(struct sample_record) + frames * sizeof(uint64_t);
	uint64_t at = atomic_load_explicit(&buffer->claimed, memory_order_relaxed), left, skip;
	struct sample_record *record;

	do {
		left = buffer->capacity - at % buffer->capacity;
		skip = left < bytes ? left : 0;
		/* What is drained may be beyond `at`, if others were faster: then the exchange fails. */
		if ((int64_t)(at + skip + bytes -
			      atomic_load_explicit(&buffer->drained, memory_order_acquire)) >
			(int64_t)buffer->capacity)
			return NULL;
	} while (!atomic_compare_exchange_weak_explicit(&buffer->claimed, &at,
		at + skip + bytes, memory_order_relaxed, memory_order_relaxed));
	if (skip > 0)
		atomic_store_explicit(&record_at(buffer, at)->bytes, SKIP | (uint32_t)skip,
			memory_order_release);
	record = record_at(buffer, at + skip);
	record->frames = (uint16_t)frames;
	return record;
}

void sample_ready(struct sample_record *record)
{
	atomic_store_explicit(&record->bytes,
		(uint32_t)(sizeof(*record) + record->frames * sizeof(uint64_t)),
		memory_order_release);
}

bool sample_buffer_has_room(const struct sample_buffer *buffer)
{
	uint64_t used = atomic_load_explicit(&buffer->claimed, memory_order_relaxed) -
			atomic_load_explicit(&buffer->drained, memory_order_relaxed);

	return used < buffer->capacity / 4;
}

void sample_drain(struct sample_buffer *buffer,
	void (*show)(void *user, const struct sample_record *record), void *user)
{
	uint64_t at = atomic_load_explicit(&buffer->drained, memory_order_relaxed);

	while (at != atomic_load_explicit(&buffer->claimed, memory_order_relaxed)) {
		struct sample_record *record = record_at(buffer, at);
		uint32_t bytes = atomic_load_explicit(&record->bytes, memory_order_acquire);

		if (bytes == 0)
			break;
		if (!(bytes & SKIP))
			show(user, record);
		bytes &= ~SKIP;
		memset(record, 0, bytes);
		at += bytes;
		atomic_store_explicit(&buffer->drained, at, memory_order_release);
	}
}
