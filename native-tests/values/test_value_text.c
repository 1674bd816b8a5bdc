/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/* value_text: what is kept of texts, in each way, and where they are cut; routes. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "agent/values/route.h"
#include "agent/values/value_text.h"

static const struct hash_key key = {0x0706050403020100, 0x0f0e0d0c0b0a0908};

static void test_ways(void **state)
{
	static const struct {
		int line;
		enum value_keep keep;
		const char *text, *kept;
	} rows[] = {
		{__LINE__, KEEP_PLAIN, "select 1", "select 1"},
		{__LINE__, KEEP_PLAIN, "", ""},
		{__LINE__, KEEP_SHAPE, "select 1", "select ?"},
		{__LINE__, KEEP_SHAPE, "Order 'x'", "Order ?"},
		{__LINE__, KEEP_AUTO, "select 1", "select ?"},
		{__LINE__, KEEP_AUTO, "Order 'x'", "Order 'x'"},
		{__LINE__, KEEP_AUTO, "/orders/1", "/orders/1"},
		{__LINE__, KEEP_ROUTE, "GET /orders/1?x", "GET /orders/{}"},
		/* By the reference implementation. */
		{__LINE__, KEEP_HASH, "", "#726fdb47dd0e0e31"},
		{__LINE__, KEEP_PLAIN, "0123456789012345678901234",
			"0123456789012345678901234"},
		{__LINE__, KEEP_PLAIN, "01234567890123456789012345",
			"0123456789012345678901..."},
		{__LINE__, KEEP_SHAPE, "select a,b,c,d,e,f,g,h,i,j",
			"select a, b, c, d, e, ..."},
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		char kept[VALUE_TEXT_MAX];
		size_t length = value_text(
			rows[i].keep, key, rows[i].text, strlen(rows[i].text), kept, 25);

		if (length != strlen(rows[i].kept) || memcmp(kept, rows[i].kept, length) != 0)
			fail_msg("line %d: %.*s", rows[i].line, (int)length, kept);
	}
}

/* A text of characters of any lengths, with each limit: whole characters, and no more of them than fit. */
static void test_cut(void **state)
{
	static const char text[] = "a\xc3\xa4\xe2\x82\xac\xf0\x9f\x98\x80"
				   "bc\xc3\xb6\xf0\x9f\x98\x80\xe2\x82\xac"
				   "d";
	static const size_t ends[] = {0, 1, 3, 6, 10, 11, 12, 14, 18, 21, 22};
	size_t length = strlen(text);

	assert_int_equal(length, 22);
	for (size_t limit = 8; limit < length + 3; limit++) {
		size_t stays = value_cut(text, length, limit), most = 0;

		for (size_t i = 0; i < sizeof(ends) / sizeof(ends[0]); i++)
			if (ends[i] + 3 <= limit)
				most = ends[i];
		assert_int_equal(stays, length <= limit ? length : most);
	}
	/* Bytes that are no characters. */
	assert_in_range(value_cut("\x80\x80\x80\x80\x80\x80\x80\x80\x80\x80", 10, 9), 3, 6);
	assert_in_range(value_cut("\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff", 10, 9), 3, 6);
}

static void test_longest(void **state)
{
	static char text[100000], kept[VALUE_TEXT_MAX];
	static const enum value_keep ways[] = {KEEP_AUTO, KEEP_PLAIN, KEEP_SHAPE, KEEP_ROUTE};

	memset(text, 'x', sizeof(text));
	for (size_t i = 0; i < sizeof(ways) / sizeof(ways[0]); i++) {
		assert_int_equal(
			value_text(ways[i], key, text, sizeof(text), kept, VALUE_TEXT_MAX),
			VALUE_TEXT_MAX);
		assert_memory_equal(kept + VALUE_TEXT_MAX - 4, "x...", 4);
	}
}

static void test_routes(void **state)
{
	static const struct {
		int line;
		const char *text, *route;
	} rows[] = {
		{__LINE__, "", ""},
		{__LINE__, "/", "/"},
		{__LINE__, "GET /orders/4711/lines?key=abc#top", "GET /orders/{}/lines"},
		{__LINE__, "/users/3f2504e0-4f89-11d3-9a0c-0305e82c3301/", "/users/{}/"},
		{__LINE__, "/app;jsessionid=A1B2C3/home;x", "/app/home"},
		{__LINE__, "/a/0123456789abcdef", "/a/{}"},
		{__LINE__, "/a/deadbeef/cafe/f00/b2b", "/a/deadbeef/cafe/f00/b2b"},
		{__LINE__, "/v1/api/1.2/-5", "/v1/api/{}/{}"},
		{__LINE__, "/u/alice@example.com/k=v/a%20b/1,2", "/u/{}/{}/{}/{}"},
		{__LINE__, "/t/eyJhbGciOiJIUzI1NiIsInR5cCI6IkpXVCJ9.eyJzdWIiOiIx", "/t/{}"},
		{__LINE__, "GET 4711", "GET 4711"},
		{__LINE__, "GET /a?b /c/1?d", "GET /a /c/{}"},
		{__LINE__, "//1//2", "//{}//{}"},
		{__LINE__, "/a/1\xc3\xa4", "/a/1\xc3\xa4"},
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		char route[100];
		size_t length =
			route_of(rows[i].text, strlen(rows[i].text), route, sizeof(route));

		if (length != strlen(rows[i].route) ||
			memcmp(route, rows[i].route, length) != 0)
			fail_msg("line %d: %.*s", rows[i].line, (int)length, route);
		for (size_t size = 0; size < length; size++) {
			char part[100];

			memset(part, '~', sizeof(part));
			assert_int_equal(
				route_of(rows[i].text, strlen(rows[i].text), part, size),
				length);
			assert_memory_equal(part, route, size);
			assert_int_equal(part[size], '~');
		}
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_ways),
		cmocka_unit_test(test_cut),
		cmocka_unit_test(test_longest),
		cmocka_unit_test(test_routes),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
