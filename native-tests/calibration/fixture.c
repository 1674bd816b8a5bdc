/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/* fixture: see fixture.h. */
#include "native-tests/calibration/fixture.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

const char fixture_text[] =
	"{\"jprof_calibration\": 1, \"made\": \"2026-11-21T20:00:00Z\", \"seconds\": 12.5,\n"
	" \"for\": {\"jvm\": \"OpenJDK 25\", \"cpu\": \"A processor\", \"arch\": \"x86_64\",\n"
	"  \"calls\": \"instrument\", \"timing\": \"fast\", \"agent\": \"abcdef\"},\n"
	" \"metrics\": [{\"name\": \"wall\", \"unit\": \"ns\", \"relative\": 0.01,"
	" \"interpreted\": 0.125, \"reach\": 0.25,\n"
	"   \"trees\": [{\"nodes\": 100, \"more\": 0}, {\"nodes\": 1600, \"more\": 8.5}]},\n"
	"  {\"name\": \"alloc\", \"unit\": \"bytes\", \"relative\": 0, \"reach\": 0.25, "
	"\"trees\": []}],\n"
	" \"sequences\": [{\"first\": \"jitted\", \"begin\": \"entry\",\n"
	"   \"second\": \"jitted static\", \"end\": \"exit\", \"third\": \"jitted\",\n"
	"   \"count\": 200000, \"metrics\": {\n"
	"   \"wall\": {\"observed\": 17.25, \"minimum\": 10, \"environment\": 1.125,\n"
	"    \"cost\": 15, \"low\": 9, \"high\": 21,\n"
	"    \"work_low\": 2, \"work_high\": 11, \"spread\": 0.5},\n"
	"   \"alloc\": {\"observed\": 0, \"minimum\": 0, \"environment\": 0,\n"
	"    \"cost\": 0, \"low\": 0, \"high\": 0,\n"
	"    \"work_low\": 0, \"work_high\": 0, \"spread\": 0}}},\n"
	"  {\"second\": \"jitted\", \"end\": \"unwind\", \"count\": 7, \"metrics\": {\n"
	"   \"wall\": {\"observed\": 900, \"minimum\": 800, \"environment\": 100,\n"
	"    \"cost\": 801, \"low\": -2, \"high\": 802,\n"
	"    \"work_low\": -3, \"work_high\": -1, \"spread\": 3},\n"
	"   \"alloc\": {\"observed\": 1, \"minimum\": 2, \"environment\": 3,\n"
	"    \"cost\": 4, \"low\": 4, \"high\": 4,\n"
	"    \"work_low\": 4, \"work_high\": 4, \"spread\": 6}}}]}\n";

uint32_t fixture_code(const char *first, const char *begin, const char *second, const char *end,
	const char *third)
{
	const struct sequence_words words = {first, begin, second, end, third};
	int code = sequence_from_words(&words);

	assert_true(code >= 0);
	return (uint32_t)code;
}

void fixture_row(struct calibration *calibration, uint32_t code, uint64_t count, double cost,
	double low, double high)
{
	struct calibration_row *row = calibration_add_row(calibration, code);

	assert_non_null(row);
	row->count = count;
	row->cost[0] = (struct calibration_cost){.cost = cost, .low = low, .high = high};
}

char *fixture_with(const char *what, const char *instead)
{
	const char *at = strstr(fixture_text, what);
	char *text = NULL;

	if (!at)
		fail_msg("no '%s' in the fixture", what);
	assert_true(asprintf(&text, "%.*s%s%s", (int)(at - fixture_text), fixture_text, instead,
			    at + strlen(what)) > 0);
	return text;
}
