/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/* sample_choice: items of the option `sample`, good and bad. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

#include "options/sample_choice.h"

static void test_good(void **state)
{
	static const struct {
		int line;
		const char *item;
		enum sample_event_kind kind;
		const char *event, *unit;
		uint64_t period;
	} rows[] = {
		{__LINE__, "cpu:1ms", SAMPLE_CPU, "cpu", "ns", 1000000},
		{__LINE__, "cpu:10us", SAMPLE_CPU, "cpu", "ns", 10000},
		{__LINE__, "cpu:10000ns", SAMPLE_CPU, "cpu", "ns", 10000},
		{__LINE__, "cpu:60s", SAMPLE_CPU, "cpu", "ns", UINT64_C(60000000000)},
		{__LINE__, "cpu:1MS", SAMPLE_CPU, "cpu", "ns", 1000000},
		{__LINE__, "cpu:0001ms", SAMPLE_CPU, "cpu", "ns", 1000000},
		{__LINE__, "wall:1ms", SAMPLE_WALL, "wall", "ns", 1000000},
		{__LINE__, "wall:3600s", SAMPLE_WALL, "wall", "ns", UINT64_C(3600000000000)},
		{__LINE__, "alloc:1", SAMPLE_ALLOC, "alloc", "bytes", 1},
		{__LINE__, "alloc:512k", SAMPLE_ALLOC, "alloc", "bytes", 524288},
		{__LINE__, "alloc:1G", SAMPLE_ALLOC, "alloc", "bytes", 1 << 30},
		{__LINE__, "enter:com.acme.X.y", SAMPLE_ENTER, "com.acme.X.y", "entries", 1},
		{__LINE__, "enter:com.acme.X.y:100", SAMPLE_ENTER, "com.acme.X.y", "entries",
			100},
		{__LINE__, "enter:com.acme.X.y:2k", SAMPLE_ENTER, "com.acme.X.y", "entries",
			2000},
		{__LINE__, "enter:y:4294967295", SAMPLE_ENTER, "y", "entries", UINT32_MAX},
		/* A name may have a colon, and what begins with a digit is a number. */
		{__LINE__, "enter:X:y", SAMPLE_ENTER, "X:y", "entries", 1},
		{__LINE__, "enter:7", SAMPLE_ENTER, "7", "entries", 1},
		{__LINE__, "instructions:10000000", SAMPLE_EVENT, "instructions", "count",
			10000000},
		{__LINE__, "cycles:1000", SAMPLE_EVENT, "cycles", "count", 1000},
		{__LINE__, "cycles:5m", SAMPLE_EVENT, "cycles", "count", 5000000},
		{__LINE__, "INST_RETIRED:ANY:1g", SAMPLE_EVENT, "INST_RETIRED:ANY", "count",
			1000000000},
		{__LINE__, "cpus:5000", SAMPLE_EVENT, "cpus", "count", 5000},
		{__LINE__, "page-faults:1099511627776", SAMPLE_EVENT, "page-faults", "count",
			UINT64_C(1) << 40},
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		struct sample_choice choice;
		const char *wrong = sample_choice_read(rows[i].item, &choice);

		if (wrong)
			fail_msg("row of line %d: %s", rows[i].line, wrong);
		if (choice.kind != rows[i].kind || choice.period != rows[i].period ||
			strcmp(choice.event, rows[i].event) != 0 ||
			strcmp(sample_choice_unit(&choice), rows[i].unit) != 0)
			fail_msg("row of line %d: %d, %llu %s of '%s'", rows[i].line,
				choice.kind, (unsigned long long)choice.period,
				sample_choice_unit(&choice), choice.event);
	}
}

static void test_bad(void **state)
{
#define NO_CPU   "has a period that is no time from 10us to 60s"
#define NO_WALL  "has a period that is no time from 1ms to 3600s"
#define NO_SIZE  "has a period that is no size up to 1g"
#define NO_ENTRY "has a number behind the method that is none from 1 to 4294967295"
#define NO_COUNT "has a period that is no number from 1000 to 1099511627776"
#define NO_COLON "has no period behind a ':'"
	static const struct {
		int line;
		const char *item, *wrong;
	} rows[] = {
		{__LINE__, "", NO_COLON},
		{__LINE__, "cpu", NO_COLON},
		{__LINE__, "instructions", NO_COLON},
		{__LINE__, "cpu:", NO_CPU},
		{__LINE__, "cpu:1", NO_CPU},
		{__LINE__, "cpu:ms", NO_CPU},
		{__LINE__, "cpu: 1ms", NO_CPU},
		{__LINE__, "cpu:+1ms", NO_CPU},
		{__LINE__, "cpu:-1ms", NO_CPU},
		{__LINE__, "cpu:1ms ", NO_CPU},
		{__LINE__, "cpu:1.5ms", NO_CPU},
		{__LINE__, "cpu:1min", NO_CPU},
		{__LINE__, "cpu:9us", NO_CPU},
		{__LINE__, "cpu:61s", NO_CPU},
		{__LINE__, "cpu:0ms", NO_CPU},
		{__LINE__, "cpu:18446744073709551616ns", NO_CPU},
		{__LINE__, "cpu:18446744074s", NO_CPU},
		{__LINE__, "cpu:1ms:2ms", NO_CPU},
		{__LINE__, "cpu:x:2ms", NO_CPU},
		{__LINE__, "wall:999us", NO_WALL},
		{__LINE__, "wall:3601s", NO_WALL},
		{__LINE__, "wall:1ms:1ms", NO_WALL},
		{__LINE__, "alloc:0", NO_SIZE},
		{__LINE__, "alloc:2g", NO_SIZE},
		{__LINE__, "alloc:1kb", NO_SIZE},
		{__LINE__, "alloc:a:1k", NO_SIZE},
		{__LINE__, "enter", NO_COLON},
		{__LINE__, "enter:", "names no method"},
		{__LINE__, "enter:a:", "names no method"},
		{__LINE__, "enter:a:0", NO_ENTRY},
		{__LINE__, "enter:a:1x", NO_ENTRY},
		{__LINE__, "enter:a:4294967296", NO_ENTRY},
		{__LINE__, "enter::5", "names no event"},
		{__LINE__, "instructions:999", NO_COUNT},
		{__LINE__, "instructions:1099511627777", NO_COUNT},
		{__LINE__, "instructions:1ms", NO_COUNT},
		{__LINE__, ":5000", "names no event"},
		{__LINE__, ":", NO_COUNT},
	};
	char large[400];
	struct sample_choice choice;

	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		const char *wrong = sample_choice_read(rows[i].item, &choice);

		if (!wrong || strcmp(wrong, rows[i].wrong) != 0)
			fail_msg("row of line %d: %s", rows[i].line, wrong ? wrong : "is one");
	}
	/* 255 characters have room. */
	memset(large, 'x', sizeof(large));
	strcpy(large + 255, ":5000");
	assert_null(sample_choice_read(large, &choice));
	assert_int_equal(strlen(choice.event), 255);
	memset(large, 'x', sizeof(large));
	strcpy(large + 256, ":5000");
	assert_non_null(sample_choice_read(large, &choice));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_good),
		cmocka_unit_test(test_bad),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
