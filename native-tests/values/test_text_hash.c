/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/* text_hash: SipHash by its authors' vectors; the other one by how evenly it spreads. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "agent/values/text_hash.h"

/* Key 00 01 .. 0f, texts of the bytes 00 01 .. of growing length: the first and some further rows of vectors.h of the
 * reference implementation; the one of 15 bytes is in the paper, too (appendix A). */
static void test_sip_hash(void **state)
{
	static const struct {
		size_t length;
		uint64_t hash;
	} rows[] = {
		{0, 0x726fdb47dd0e0e31},
		{1, 0x74f839c593dc67fd},
		{7, 0xab0200f58b01d137},
		{8, 0x93f5f5799a932462},
		{15, 0xa129ca6149be45e5},
	};
	static const struct hash_key key = {0x0706050403020100, 0x0f0e0d0c0b0a0908};
	unsigned char text[16];

	for (size_t i = 0; i < sizeof(text); i++)
		text[i] = (unsigned char)i;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		assert_true(sip_hash(key, text, rows[i].length) == rows[i].hash);
}

static void test_keys(void **state)
{
	struct hash_key one = hash_key_random(), other = hash_key_random();

	assert_true(one.a != other.a && one.b != other.b);
	assert_true(text_hash(one, 1, "text", 4) != text_hash(other, 1, "text", 4));
	assert_true(text_hash(one, 1, "text", 4) != text_hash(one, 2, "text", 4));
	assert_true(text_hash(one, 1, "text", 4) == text_hash(one, 1, "text", 4));
}

/* Texts that differ by a number: into 65,536 places by either half as evenly as by chance. The sum below is then about the number
 * of places, within 1% of it at one in a million. */
static void test_even(void **state)
{
	enum { PLACES = 1 << 16, TEXTS = PLACES * 16 };
	static const char *const forms[] = {
		"%u", "user-%u", "select * from t where id = %u and x", "%08u%08u&"};
	static uint32_t in[2][PLACES];
	struct hash_key key = hash_key_random();

	for (size_t f = 0; f < sizeof(forms) / sizeof(forms[0]); f++) {
		memset(in, 0, sizeof(in));
		for (uint32_t i = 0; i < TEXTS; i++) {
			char text[64];
			int length = snprintf(text, sizeof(text), forms[f], i, i);
			uint64_t hash = text_hash(key, 3, text, (size_t)length);

			in[0][hash >> 32 & (PLACES - 1)]++;
			in[1][hash & (PLACES - 1)]++;
		}
		for (int half = 0; half < 2; half++) {
			double sum = 0; /* chi squared */

			for (uint32_t i = 0; i < PLACES; i++) {
				double off = (double)in[half][i] - 16;

				sum += off * off / 16;
			}
			if (sum < 0.97 * PLACES || sum > 1.03 * PLACES)
				fail_msg("%s: %f", forms[f], sum / PLACES);
		}
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_sip_hash),
		cmocka_unit_test(test_keys),
		cmocka_unit_test(test_even),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
