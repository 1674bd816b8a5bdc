/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/* Which row of a calibration a sequence gets; what identities say of each other. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <string.h>

#include "calibration/calibration.h"
#include "native-tests/calibration/fixture.h"

static struct calibration *new_calibration(void)
{
	struct calibration *calibration = calibration_create();

	assert_non_null(calibration);
	assert_int_equal(calibration_add_metric(calibration, "wall", "ns", 0), 0);
	return calibration;
}

static void rows_are_found(void **state)
{
	struct calibration *calibration = new_calibration();
	struct sequence_words words;
	size_t codes = 0;

	for (uint32_t code = 0; code < SEQUENCE_CODES; code++) {
		if (!sequence_to_words(code, &words)) {
			assert_null(calibration_add_row(calibration, code));
			continue;
		}
		fixture_row(calibration, code, code, code, code, code);
		assert_null(calibration_add_row(calibration, code));
		codes++;
	}
	for (size_t i = 0; i < codes; i++)
		assert_ptr_equal(calibration_row(calibration, calibration->row[i].code),
			&calibration->row[i]);
	assert_int_equal(calibration->row_count, codes);
	assert_null(calibration_row(calibration, SEQUENCE_CODES));
	calibration_destroy(calibration);
}

/* Rows are added from what fits worst to what fits best: each one takes the place of the one
 * before. */
static void the_nearest_fits(void **state)
{
	struct calibration *calibration = new_calibration();
	const uint32_t wanted =
		fixture_code("jitted", "entry", "jitted static", "exit", "jitted static");
	const struct {
		enum calibration_fit fit;
		uint32_t code;
	} rows[] = {
		{FIT_NONE, fixture_code(
				   "jitted", "exit", "jitted static", "exit", "jitted static")},
		{FIT_NONE, fixture_code(NULL, NULL, "jitted static", "unwind", NULL)},
		/* The probe at an entry is the callee's, at an exit that of who is left: both are
		 * the second's here. */
		{FIT_TRANSITION,
			fixture_code("jitted", "entry", "native", "exit", "jitted static")},
		{FIT_PROBES,
			fixture_code("interpreted", "entry", "jitted", "exit", "interpreted")},
		{FIT_STATES,
			fixture_code("jitted static", "entry", "jitted", "exit", "jitted")},
		{FIT_EXACT, wanted},
	};
	enum calibration_fit fit;

	assert_null(calibration_nearest(calibration, wanted, &fit));
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		const struct calibration_row *row;

		fixture_row(calibration, rows[i].code, 1, 0, 0, 0);
		row = calibration_nearest(calibration, wanted, &fit);
		assert_int_equal(fit, rows[i].fit);
		if (fit == FIT_NONE)
			assert_null(row);
		else
			assert_int_equal(row->code, rows[i].code);
	}
	calibration_destroy(calibration);
}

/* Begun by an exit, the probe was that of the method left; ended by an entry, it is the
 * callee's. */
static void probes_of_the_other_ends(void **state)
{
	struct calibration *calibration = new_calibration();
	enum calibration_fit fit;
	uint32_t wanted =
		fixture_code("native", "exit", "interpreted", "entry", "jitted static");

	fixture_row(calibration,
		fixture_code("jitted", "exit", "interpreted", "entry", "native"), 9, 0, 0, 0);
	calibration_nearest(calibration, wanted, &fit);
	assert_int_equal(fit, FIT_TRANSITION);
	fixture_row(calibration, fixture_code("native", "exit", "jitted", "entry", "jitted"), 1,
		0, 0, 0);
	calibration_nearest(calibration, wanted, &fit);
	assert_int_equal(fit, FIT_PROBES);
	calibration_destroy(calibration);
}

static void the_most_trained_wins(void **state)
{
	struct calibration *calibration = new_calibration();
	enum calibration_fit fit;
	uint32_t wanted = fixture_code("native", "exit", "native", "exit", "native");

	fixture_row(calibration, fixture_code("jitted", "exit", "jitted", "exit", "jitted"), 5,
		1, 1, 1);
	fixture_row(calibration,
		fixture_code("jitted", "exit", "jitted", "exit", "jitted static"), 6, 2, 2, 2);
	fixture_row(calibration,
		fixture_code("jitted", "exit", "jitted static", "exit", "jitted"), 4, 3, 3, 3);
	assert_true(calibration_nearest(calibration, wanted, &fit)->cost[0].cost == 2);
	calibration_destroy(calibration);
}

static void unwinds_go_by_the_second(void **state)
{
	struct calibration *calibration = new_calibration();
	enum calibration_fit fit;
	uint32_t wanted = fixture_code(NULL, NULL, "jitted", "unwind", NULL);

	fixture_row(calibration, fixture_code("jitted", "exit", "jitted", "exit", "jitted"), 5,
		1, 1, 1);
	assert_null(calibration_nearest(calibration, wanted, &fit));
	fixture_row(calibration, fixture_code(NULL, NULL, "interpreted", "unwind", NULL), 9, 2,
		2, 2);
	assert_true(calibration_nearest(calibration, wanted, &fit)->cost[0].cost == 2);
	fixture_row(calibration, fixture_code(NULL, NULL, "jitted static", "unwind", NULL), 1,
		3, 3, 3);
	assert_true(calibration_nearest(calibration, wanted, &fit)->cost[0].cost == 3);
	assert_int_equal(fit, FIT_STATES);
	calibration_destroy(calibration);
}

static void metrics_are_told_apart(void **state)
{
	struct calibration *calibration = new_calibration();
	char name[CALIBRATION_NAME + 1];

	assert_int_equal(calibration_add_metric(calibration, "wall", "ns", 0), -1);
	memset(name, 'x', sizeof(name) - 1);
	name[sizeof(name) - 1] = '\0';
	assert_int_equal(calibration_add_metric(calibration, name, "ns", 0), -1);
	for (char c = 'a'; calibration->metric_count < PROFILE_METRIC_MAX; c++)
		assert_int_equal(
			calibration_add_metric(calibration, (char[]){c, '\0'}, "ns", 0), 0);
	assert_int_equal(calibration_add_metric(calibration, "z", "ns", 0), -1);
	assert_string_equal(calibration->identity.field[IDENTITY_METRICS],
		"wall+a+b+c+d+e+f+g+h+i+j+k+l+m+n+o");
	calibration_destroy(calibration);
}

/* ---- identities ---- */

/* The facts of a profile, by key. */
static const char *const facts[][2] = {{"jvm.name", "OpenJDK"}, {"jvm.version", "25+9"},
	{"machine.cpu", "A processor"}, {"machine.system", "Linux 6.1 x86_64"},
	{"calls", "instrument"}, {"timing", "fast"}, {"jprof.build", "abc"}};

static const char *fact(const void *but, const char *key)
{
	if (but && strcmp(but, key) == 0)
		return NULL;
	for (size_t i = 0; i < sizeof(facts) / sizeof(*facts); i++)
		if (strcmp(facts[i][0], key) == 0)
			return facts[i][1];
	return NULL;
}

/* Timed calls have the same probes, whichever they are. */
static const char *by_auto(const void *none, const char *key)
{
	return strcmp(key, "calls") == 0 ? "auto" : fact(NULL, key);
}

static void identity_is_of_facts(void **state)
{
	static const char *const expected[IDENTITY_FIELDS] = {"OpenJDK 25+9", "A processor",
		"x86_64", "instrument", "fast", "abc", "wall+cpu"};
	struct identity identity;

	identity_init(&identity, fact, NULL);
	identity_add_metric(&identity, "wall");
	identity_add_metric(&identity, "cpu");
	for (int i = 0; i < IDENTITY_FIELDS; i++)
		assert_string_equal(identity.field[i], expected[i]);
	identity_init(&identity, by_auto, NULL);
	assert_string_equal(identity.field[IDENTITY_CALLS], "instrument");
}

static const char *info_fact(const void *info, const char *key)
{
	return strcmp(key, "jvm.info") == 0 ? info : fact(NULL, key);
}

static const char *by_events(const void *none, const char *key)
{
	return strcmp(key, "calls") == 0 ? "events" : info_fact("interpreted mode", key);
}

/* How the JVM runs code counts, if it is not as usual. */
static void modes_are_told(void **state)
{
	static const char *const rows[][3] = {{"mixed mode", "OpenJDK 25+9", ""},
		{"mixed mode, sharing", "OpenJDK 25+9", ""}, {"", "OpenJDK 25+9", ""},
		{"compiled mode", "OpenJDK 25+9", ""},
		{"interpreted mode, sharing", "OpenJDK 25+9, interpreted mode", "-Xint"},
		{"mixed mode, emulated-client, sharing", "OpenJDK 25+9, emulated-client",
			"-XX:TieredStopAtLevel=1"},
		{"mixed mode, -XX:OnError=x", "OpenJDK 25+9, -XX:OnError=x", NULL},
		{"interpreted mode, emulated-client",
			"OpenJDK 25+9, interpreted mode, emulated-client", NULL}};
	struct identity identity;

	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		identity_init(&identity, info_fact, rows[i][0]);
		assert_string_equal(identity.field[IDENTITY_JVM], rows[i][1]);
		if (rows[i][2])
			assert_string_equal(identity_mode_option(&identity), rows[i][2]);
		else
			assert_null(identity_mode_option(&identity));
	}
	/* Where the JVM reports its calls to the agent they are interpreted, however else it runs. */
	identity_init(&identity, by_events, NULL);
	assert_string_equal(identity.field[IDENTITY_JVM], "OpenJDK 25+9");
	/* A name that was cut behind the comma has no mode that can be asked for. */
	memset(identity.field[IDENTITY_JVM], 'x', IDENTITY_TEXT - 1);
	memcpy(identity.field[IDENTITY_JVM] + IDENTITY_TEXT - 2, ",", 2);
	assert_string_equal(identity_mode(&identity), "");
	assert_null(identity_mode_option(&identity));
}

static void differences_are_named(void **state)
{
	static const struct {
		const char *missing, *text;
	} rows[] = {
		{"jvm.version", "x was made for JVM 'OpenJDK 25+9', this is 'unknown'"},
		{"machine.cpu", "x was made for processor 'A processor', this is 'unknown'"},
		{"machine.system", "x was made for architecture 'x86_64', this is 'unknown'"},
		{"calls", "x was made for calls 'instrument', this is 'unknown'"},
		{"timing", "x was made for timing 'fast', this is 'unknown'"},
		{"jprof.build", "x was made for agent 'abc', this is 'unknown'"},
	};
	struct identity made, here;

	identity_init(&made, fact, NULL);
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		struct error error = {0};

		identity_init(&here, fact, rows[i].missing);
		assert_int_equal(identity_compare(&made, &here, "x", &error), -ERROR_VALUE);
		assert_string_equal(error.text, rows[i].text);
		assert_true(identity_hash(&made) != identity_hash(&here));
	}
	here = made;
	assert_int_equal(identity_compare(&made, &here, "x", NULL), 0);
	assert_true(identity_hash(&made) == identity_hash(&here));
	identity_add_metric(&here, "wall");
	assert_int_equal(identity_compare(&made, &here, "x", NULL), -ERROR_VALUE);
}

/* A profile's own texts may be anything. */
static void odd_facts(void **state)
{
	struct profile_meta meta[] = {{"jvm.name", "OpenJDK"}, {"machine.system", "Linux"}};
	struct profile profile = {.meta = meta, .meta_count = 2};
	struct identity identity;

	identity_of_profile(&identity, &profile);
	for (int i = 0; i < IDENTITY_FIELDS; i++)
		assert_string_equal(identity.field[i], "");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(rows_are_found),
		cmocka_unit_test(the_nearest_fits),
		cmocka_unit_test(probes_of_the_other_ends),
		cmocka_unit_test(the_most_trained_wins),
		cmocka_unit_test(unwinds_go_by_the_second),
		cmocka_unit_test(metrics_are_told_apart),
		cmocka_unit_test(identity_is_of_facts),
		cmocka_unit_test(modes_are_told),
		cmocka_unit_test(differences_are_named),
		cmocka_unit_test(odd_facts),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
