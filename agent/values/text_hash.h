/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/*
 * text_hash: two hashes of bytes, with keys that only the process knows.
 *
 * text_hash is for tables: 16 bytes a multiplication, as wyhash does. With its key unknown, nobody can make texts
 * that meet in a table. sip_hash is for hashes that leave the process: SipHash-2-4 (Aumasson and Bernstein, 2012), by which
 * without its key a text cannot be told, however few there are that it may be.
 *
 * Runs: on any thread, without locks.
 */
#ifndef JPROF_VALUES_TEXT_HASH_H
#define JPROF_VALUES_TEXT_HASH_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

struct hash_key {
	uint64_t a, b;
};

/* A key that nobody can guess. errno is left as found. */
struct hash_key hash_key_random(void);

/* The 64 bits of SipHash-2-4; key: its 16 bytes, the first eight in a, little-endian. */
uint64_t sip_hash(struct hash_key key, const void *bytes, size_t length);

static inline uint64_t hash_read(const char *at, size_t length)
{
	uint64_t word = 0;

	memcpy(&word, at, length);
	return word;
}

static inline uint64_t hash_fold(uint64_t a, uint64_t b)
{
	__extension__ typedef unsigned __int128 wide;
	wide product = (wide)a * b;

	return (uint64_t)product ^ (uint64_t)(product >> 64);
}

/* seed: texts of different kinds have different hashes. */
static inline uint64_t text_hash(
	struct hash_key key, uint32_t seed, const char *text, size_t length)
{
	uint64_t hash = key.a ^ hash_fold(key.b, seed), low = 0, high = 0;
	size_t left = length;

	for (; left > 16; left -= 16, text += 16)
		hash = hash_fold(hash_read(text, 8) ^ key.b, hash_read(text + 8, 8) ^ hash);
	if (length >= 16) {
		low = hash_read(text + left - 16, 8);
		high = hash_read(text + left - 8, 8);
	} else if (left >= 8) {
		low = hash_read(text, 8);
		high = hash_read(text + left - 8, 8);
	} else if (left >= 4) {
		low = hash_read(text, 4);
		high = hash_read(text + left - 4, 4);
	} else if (left > 0) {
		low = hash_read(text, 1) << 16 | hash_read(text + left / 2, 1) << 8 |
		      hash_read(text + left - 1, 1);
	}
	return hash_fold(key.b ^ length, hash_fold(low ^ key.b, high ^ hash));
}

#endif
