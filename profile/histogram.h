/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/*
 * histogram: numbers of any size in buckets that are as fine for small ones as for large ones.
 *
 *   block 0:  0  1  2 ... 127            a bucket for each number
 *   block 1:  128  129 ... 255           the same
 *   block 2:  256-257  258-259 ... 510-511
 *   block b:  128 buckets between 2^(b + 6) and 2^(b + 7), each 2^(b - 1) wide
 *
 * A bucket is at most 1/128 of its numbers wide: its middle is off by 0.4 % at most. What is counted in
 * buckets is exact, and so are sums over threads and differences between two states.
 *
 * As bytes (of the profile) this is pairs of numbers (varint.h): how far the bucket is behind the one
 * before, and its count. Empty buckets have none.
 */
#ifndef JPROF_PROFILE_HISTOGRAM_H
#define JPROF_PROFILE_HISTOGRAM_H

#include <stddef.h>
#include <stdint.h>

enum {
	HISTOGRAM_SHIFT = 7,
	HISTOGRAM_BLOCK = 1 << HISTOGRAM_SHIFT, /* buckets */
	HISTOGRAM_BLOCKS = 64 - HISTOGRAM_SHIFT + 1,
	HISTOGRAM_BUCKETS = HISTOGRAM_BLOCKS * HISTOGRAM_BLOCK
};

/* Half a bucket, of a number in it, at most. */
#define HISTOGRAM_ERROR (0.5 / HISTOGRAM_BLOCK)

static inline uint32_t histogram_bucket(uint64_t number)
{
	unsigned top;

	if (number < HISTOGRAM_BLOCK)
		return (uint32_t)number;
	top = 63 - (unsigned)__builtin_clzll(number);
	return (top - HISTOGRAM_SHIFT + 1) * HISTOGRAM_BLOCK +
	       (uint32_t)((number >> (top - HISTOGRAM_SHIFT)) & (HISTOGRAM_BLOCK - 1));
}

/* The smallest number in a bucket, and the largest. */
static inline uint64_t histogram_least(uint32_t bucket)
{
	uint32_t block = bucket / HISTOGRAM_BLOCK;
	uint64_t place = bucket % HISTOGRAM_BLOCK;

	return block == 0 ? place : (HISTOGRAM_BLOCK + place) << (block - 1);
}

static inline uint64_t histogram_most(uint32_t bucket)
{
	uint32_t block = bucket / HISTOGRAM_BLOCK;

	return histogram_least(bucket) + (block < 2 ? 0 : (UINT64_C(1) << (block - 1)) - 1);
}

/* A bucket that is not empty. */
struct histogram_cell {
	uint32_t bucket;
	uint64_t count;
};

/* Buckets that rise. */
struct histogram {
	struct histogram_cell *cell;
	size_t cells;
};

/* Bytes that `cells` may take at most. */
size_t histogram_room(size_t cells);

/* Puts them there. Returns how many. */
size_t histogram_encode(const struct histogram *histogram, uint8_t *bytes);

/* How many cells the bytes have, into cell if that is not NULL; SIZE_MAX: these are none. */
size_t histogram_decode(const uint8_t *bytes, size_t size, struct histogram_cell *cell);

/* Of all. */
uint64_t histogram_count(const struct histogram *histogram);

/* The number that so large a part (0 to 1) of all are not above: the middle of its bucket. 0 of nothing. */
uint64_t histogram_percentile(const struct histogram *histogram, double part);

/* Adds from to what is in `to`, whose room is for both; -1 takes away. Returns what could not be taken away. */
uint64_t histogram_add(struct histogram *to, const struct histogram *from, int sign);

#endif
