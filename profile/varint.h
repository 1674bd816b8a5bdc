/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/* varint: numbers as bytes, seven bits each, the lowest first; the last byte is below 128. */
#ifndef JPROF_PROFILE_VARINT_H
#define JPROF_PROFILE_VARINT_H

#include <stdbool.h>
#include <stdint.h>

enum { VARINT_MOST = 10 /* bytes of one */ };

static inline uint8_t *varint_put(uint8_t *to, uint64_t number)
{
	for (; number >= 0x80; number >>= 7)
		*to++ = (uint8_t)(number | 0x80);
	*to++ = (uint8_t)number;
	return to;
}

/* Bytes that may be anybody's. wrong: a number ended too early, or is too large. */
struct varints {
	const uint8_t *at, *end;
	bool wrong;
};

static inline uint64_t varint_take(struct varints *from)
{
	uint64_t number = 0;

	for (unsigned i = 0; i < VARINT_MOST && from->at < from->end; i++) {
		uint8_t byte = *from->at++;

		if (i == VARINT_MOST - 1 && byte > 1)
			break;
		number |= (uint64_t)(byte & 0x7f) << 7 * i;
		if (byte < 0x80)
			return number;
	}
	from->wrong = true;
	return 0;
}

#endif
