/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/* What reports and exports say of a recording that was shared. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>
#include <jansson.h>

#include "native-tests/report/fixture.h"
#include "report/model/session_line.h"

static struct fixture fixture;
static struct profile_session sessions[3] = {
	{.id = 1,
		.name = "night",
		.owner = "alice",
		.began = 5000000,
		.ended = PROFILE_NOT_KNOWN},
	{.id = 2, .bit = 1, .ended = PROFILE_NOT_KNOWN},
	{.id = 3, .bit = 2, .ended = PROFILE_NOT_KNOWN},
};

static int set_up(void **state)
{
	fixture_small(&fixture);
	fixture.profile.sharer = sessions;
	fixture.profile.sharer_count = 3;
	return 0;
}

static void shared_with(size_t others)
{
	fixture.profile.sharer_count = 1 + others;
	fixture.profile.session = &sessions[0];
}

static void lines(void **state)
{
	static const struct {
		int line;
		size_t others;
		bool scoped;
		const char *tag;
		uint64_t calls;
		const char *text;
	} rows[] = {
		{__LINE__, 0, false, NULL, 0, "session night of alice"},
		{__LINE__, 1, false, NULL, 7,
			"session night of alice, shared with up to 1 other: their probes took "
			"time in it, too"},
		{__LINE__, 2, true, NULL, 7,
			"session night of alice, shared with up to 2 others: their probes took "
			"time in it, too; without 7 calls that were counted without a path"},
		{__LINE__, 0, false, "user=x", 7,
			"session night of alice; without 7 calls that were counted without a "
			"path"},
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		struct store store = {0};
		const char *text;

		shared_with(rows[i].others);
		sessions[0].scoped = rows[i].scoped;
		sessions[0].tag = rows[i].tag;
		fixture.profile.unlabelled_calls = rows[i].calls;
		text = session_line(&fixture.profile, &store).text;
		if (strcmp(text, rows[i].text) != 0)
			fail_msg("line %d: '%s'", rows[i].line, text);
		store_fini(&store);
	}
	sessions[0].scoped = false;
	sessions[0].tag = NULL;
	fixture.profile.unlabelled_calls = 0;
}

/* At the top of each text, and not of data; nothing where it was never shared. */
static void heads(void **state)
{
	static const char *const shown[] = {"methods", "tree", "summary", "threads"};

	for (size_t i = 0; i < sizeof(shown) / sizeof(*shown); i++) {
		char *text;

		shared_with(2);
		text = fixture_print(&fixture, shown[i], "text");
		assert_int_equal(strncmp(text, "session night of alice, shared", 30), 0);
		free(text);
		text = fixture_print(&fixture, shown[i], "csv");
		assert_int_not_equal(strncmp(text, "session night", 13), 0);
		free(text);
		fixture.profile.session = NULL;
		text = fixture_print(&fixture, shown[i], "text");
		assert_null(strstr(text, "session"));
		free(text);
	}
}

static void facts(void **state)
{
	char *text;
	json_t *report, *row, *found = json_object();
	size_t i;

	shared_with(2);
	text = fixture_print(&fixture, "summary", "json");
	report = json_loads(text, JSON_REJECT_DUPLICATES, NULL);
	free(text);
	assert_non_null(report);
	json_array_foreach(json_object_get(report, "rows"), i, row)
	{
		const char *key = json_string_value(json_object_get(row, "key"));

		if (strncmp(key, "session", 7) == 0)
			json_object_set(found, key, json_object_get(row, "value"));
	}
	json_decref(report);
	text = json_dumps(found, JSON_SORT_KEYS | JSON_COMPACT);
	assert_string_equal(text, "{\"session\":\"night\",\"session.began\":5000000,"
				  "\"session.others\":2,\"session.owner\":\"alice\"}");
	free(text);
	json_decref(found);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(lines), cmocka_unit_test(heads), cmocka_unit_test(facts)};

	return cmocka_run_group_tests(tests, set_up, NULL);
}
