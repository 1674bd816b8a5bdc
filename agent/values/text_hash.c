/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/* text_hash: see text_hash.h. */
#include "agent/values/text_hash.h"

#include <endian.h>
#include <errno.h>
#include <sys/auxv.h>
#include <sys/random.h>

struct hash_key hash_key_random(void)
{
	int saved_errno = errno;
	struct hash_key key;

	/* Where the system call is forbidden: the 16 bytes that the kernel gave the process (getauxval(3)). */
	if (getrandom(&key, sizeof(key), 0) != sizeof(key))
		memcpy(&key, (const void *)getauxval(AT_RANDOM), sizeof(key));
	errno = saved_errno;
	return key;
}

static uint64_t rotate(uint64_t word, int bits)
{
	return word << bits | word >> (64 - bits);
}

static void sip_rounds(uint64_t v[4], int rounds)
{
	while (rounds-- > 0) {
		v[0] += v[1];
		v[2] += v[3];
		v[1] = rotate(v[1], 13) ^ v[0];
		v[3] = rotate(v[3], 16) ^ v[2];
		v[0] = rotate(v[0], 32);
		v[2] += v[1];
		v[0] += v[3];
		v[1] = rotate(v[1], 17) ^ v[2];
		v[3] = rotate(v[3], 21) ^ v[0];
		v[2] = rotate(v[2], 32);
	}
}

static void sip_word(uint64_t v[4], uint64_t word)
{
	v[3] ^= word;
	sip_rounds(v, 2);
	v[0] ^= word;
}

uint64_t sip_hash(struct hash_key key, const void *bytes, size_t length)
{
	const char *at = bytes;
	/* "somepseudorandomlygeneratedbytes" */
	uint64_t v[4] = {key.a ^ 0x736f6d6570736575, key.b ^ 0x646f72616e646f6d,
		key.a ^ 0x6c7967656e657261, key.b ^ 0x7465646279746573};
	size_t left = length;

	for (; left >= 8; left -= 8, at += 8)
		sip_word(v, le64toh(hash_read(at, 8)));
	sip_word(v, le64toh(hash_read(at, left)) | (uint64_t)length << 56);
	v[2] ^= 0xff;
	sip_rounds(v, 4);
	return v[0] ^ v[1] ^ v[2] ^ v[3];
}
