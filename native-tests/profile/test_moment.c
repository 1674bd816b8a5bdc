/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/* Moments that users name: since the begin of a recording, and by the clock, in whatever time zone and over midnight. */
#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <cmocka.h>

#include "profile/moment.h"

#define MS          UINT64_C(1000000)
#define SECOND      (1000 * MS)
#define NO_TIME     UINT64_MAX
#define COUNT(rows) (sizeof(rows) / sizeof(*(rows)))

static uint64_t read(const char *started, const char *text)
{
	struct profile_meta meta = {"started", started};
	struct profile profile = {.meta = &meta, .meta_count = started ? 1 : 0};
	uint64_t ns;

	return moment_read(&profile, text, strlen(text), &ns) ? ns : NO_TIME;
}

static void since_the_begin(void **state)
{
	static const struct {
		int line;
		const char *text;
		uint64_t ns;
	} rows[] = {
		{__LINE__, "10s", 10 * SECOND},
		{__LINE__, "12", 12 * SECOND},
		{__LINE__, "0", 0},
		{__LINE__, "250ms", 250 * MS},
		{__LINE__, "50us", 50000},
		{__LINE__, "7ns", 7},
		{__LINE__, "1.5s", 1500 * MS},
		{__LINE__, "1m30s", 90 * SECOND},
		{__LINE__, "1h0m1s", 3601 * SECOND},
		{__LINE__, "", NO_TIME},
		{__LINE__, "s", NO_TIME},
		{__LINE__, ".5s", NO_TIME},
		{__LINE__, "1.2.3s", NO_TIME},
		{__LINE__, "2s3", NO_TIME},
		{__LINE__, "-1s", NO_TIME},
		{__LINE__, "1e3s", NO_TIME},
		{__LINE__, "99999999999999999999s", NO_TIME},
	};

	for (size_t i = 0; i < COUNT(rows); i++)
		if (read(NULL, rows[i].text) != rows[i].ns)
			fail_msg("line %d: %" PRIu64, rows[i].line, read(NULL, rows[i].text));
}

static void by_the_clock(void **state)
{
	static const struct {
		int line;
		const char *zone, *started, *text;
		uint64_t ns;
	} rows[] = {
		{__LINE__, "UTC0", "2026-11-27T14:03:05Z", "14:03:20", 15 * SECOND},
		{__LINE__, "UTC0", "2026-11-27T14:03:05Z", "14:04", 55 * SECOND},
		{__LINE__, "UTC0", "2026-11-27T14:03:05Z", "14:03:20.25", 15250 * MS},
		{__LINE__, "UTC0", "2026-11-27T14:03:05.750Z", "14:03:20", 14250 * MS},
		{__LINE__, "UTC0", "2026-11-27T14:03:05.750Z", "14:03:05.75", 0},
		/* Its zone; and UTC in another one. */
		{__LINE__, "ABC-2", "2026-11-27T14:03:05Z", "16:03:20", 15 * SECOND},
		{__LINE__, "ABC-2", "2026-11-27T14:03:05Z", "14:03:20Z", 15 * SECOND},
		{__LINE__, "ABC-2", "2026-11-27T22:30:00Z", "00:31", 60 * SECOND},
		/* Before the begin; over midnight. */
		{__LINE__, "UTC0", "2026-11-27T14:03:05Z", "14:03:00", 0},
		{__LINE__, "UTC0", "2026-11-27T14:03:05Z", "02:03:05", 0},
		{__LINE__, "UTC0", "2026-11-27T14:03:05Z", "02:03:04",
			(12 * 3600 - 1) * SECOND},
		{__LINE__, "UTC0", "2026-12-31T23:59:30Z", "00:00:10", 40 * SECOND},
		{__LINE__, "UTC0", NULL, "14:03:20", NO_TIME},
		{__LINE__, "UTC0", "yesterday", "14:03:20", NO_TIME},
		{__LINE__, "UTC0", "2026-11-27T14:03:05Z", "24:00", NO_TIME},
		{__LINE__, "UTC0", "2026-11-27T14:03:05Z", "14:60", NO_TIME},
		{__LINE__, "UTC0", "2026-11-27T14:03:05Z", "14:03:60", NO_TIME},
		{__LINE__, "UTC0", "2026-11-27T14:03:05Z", "14:", NO_TIME},
		{__LINE__, "UTC0", "2026-11-27T14:03:05Z", "14:03:", NO_TIME},
		{__LINE__, "UTC0", "2026-11-27T14:03:05Z", ":03", NO_TIME},
		{__LINE__, "UTC0", "2026-11-27T14:03:05Z", "14.5:03", NO_TIME},
		{__LINE__, "UTC0", "2026-11-27T14:03:05Z", "14:03:20:1", NO_TIME},
		{__LINE__, "UTC0", "2026-11-27T14:03:05Z", "14:03:20s", NO_TIME},
		{__LINE__, "UTC0", "2026-11-27T14:03:05Z", "Z:", NO_TIME},
	};

	for (size_t i = 0; i < COUNT(rows); i++) {
		uint64_t ns;

		setenv("TZ", rows[i].zone, 1);
		tzset();
		ns = read(rows[i].started, rows[i].text);
		if (ns != rows[i].ns)
			fail_msg("line %d: %" PRIu64, rows[i].line, ns);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(since_the_begin),
		cmocka_unit_test(by_the_clock),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
