/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/*
 * Reports of an adjusted profile: its figures are those of a plain report of a profile whose
 * nodes have the adjusted bases, and the raw ones those of the profile as it is. And where a
 * report's calibration comes from.
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>
#include <jansson.h>

#include "calibration/calibration_file.h"
#include "native-tests/report/fixture.h"

static struct fixture fixture, plain;

static const char *const figure_views[] = {"tree", "methods", "callers"};

/* ---- figures ---- */

static uint32_t random_below(uint32_t limit)
{
	return (uint32_t)rand() % limit;
}

/* Few methods and long paths: much recursion. */
static void random_profile(unsigned seed)
{
	static const char *const names[] = {"a", "b", "c", "d", "e"};

	srand(seed);
	fixture_init(&fixture);
	for (size_t m = 0; m < sizeof(names) / sizeof(*names); m++) {
		uint32_t id = fixture_method(&fixture, "T", names[m], "()V");

		fixture.method[id].is_static = m % 2;
	}
	for (unsigned t = 0; t < 1 + seed % 3; t++) {
		fixture_thread(&fixture, "t", random_below(9000), random_below(100));
		for (uint32_t i = 1; i < 80; i++)
			fixture_node(&fixture,
				i - 1 - random_below(1 + seed % 5 < i ? 1 + seed % 5 : i),
				METHOD_FIRST + random_below(5), 1 + random_below(50),
				random_below(20000), random_below(1000));
	}
	fixture_deltas(&fixture);
}

static json_t *load(
	const struct fixture *from, const char *view, const struct adjustment *adjustment)
{
	char *text = fixture_print_adjusted(from, view, "json", adjustment);
	json_t *report = json_loads(text, JSON_REJECT_DUPLICATES, NULL);

	assert_non_null(report);
	free(text);
	return report;
}

/* Takes the members away that an adjusted report has more, in all objects. */
static void strip(json_t *value)
{
	static const char *const more[] = {"raw_base", "raw_cum", "error", "error_cum"};
	json_t *member;
	const char *key;
	size_t i;

	for (i = 0; i < sizeof(more) / sizeof(*more) && json_is_object(value); i++)
		json_object_del(value, more[i]);
	json_object_foreach(value, key, member) strip(member);
	json_array_foreach(value, i, member) strip(member);
}

/* The sums over all rows of a member, by metric; keys of lists do not matter. */
static void add_up(const json_t *rows, const char *member, uint64_t *sums)
{
	json_t *row;
	size_t i;

	json_array_foreach(rows, i, row)
	{
		json_t *values = json_object_get(row, member);

		assert_non_null(values);
		sums[0] += (uint64_t)json_integer_value(json_object_get(values, "wall"));
		sums[1] += (uint64_t)json_integer_value(json_object_get(values, "alloc"));
	}
}

/* The same fixture, with nodes that have the adjusted bases. */
static void make_plain(const struct adjusted *adjusted)
{
	plain = fixture;
	plain.profile.node = plain.node;
	plain.profile.thread = plain.thread;
	plain.profile.thread_first = plain.thread_first;
	for (size_t i = 0; i < plain.profile.node_count; i++) {
		memcpy(plain.base[i], adjusted->base + FIXTURE_METRICS * i,
			sizeof(plain.base[i]));
		plain.node[i].base = plain.base[i];
	}
}

static void check_view(const char *view, const struct adjustment *adjustment)
{
	json_t *report = load(&fixture, view, adjustment), *expected = load(&plain, view, NULL);
	json_t *raw = load(&fixture, view, NULL);
	uint64_t sums[2] = {0}, raw_sums[2] = {0};

	if (strcmp(view, "callers") != 0) {
		add_up(json_object_get(report, "rows"), "raw_base", sums);
		add_up(json_object_get(raw, "rows"), "base", raw_sums);
		add_up(json_object_get(report, "rows"), "raw_cum", sums);
		add_up(json_object_get(raw, "rows"), "cum", raw_sums);
		assert_memory_equal(sums, raw_sums, sizeof(sums));
	}
	strip(report);
	assert_true(json_equal(report, expected));
	json_decref(report);
	json_decref(expected);
	json_decref(raw);
}

static uint64_t value_of(const json_t *row, const char *group, unsigned metric)
{
	const json_t *value = json_object_get(
		json_object_get(row, group), fixture.profile.metric[metric].name);

	assert_true(json_is_integer(value));
	return (uint64_t)json_integer_value(value);
}

/* Errors add up over a method's nodes; each is rounded, and none beyond what there is. */
static void check_errors(const struct adjustment *adjustment)
{
	json_t *report = load(&fixture, "methods", adjustment), *row;
	uint64_t largest = 0;
	size_t r;

	json_array_foreach(json_object_get(report, "rows"), r, row)
	{
		const char *name = json_string_value(json_object_get(row, "method"));
		double expected = 0, base;

		for (size_t i = 0; i < fixture.profile.node_count; i++) {
			const struct adjust_error *error = &adjustment->adjusted.error[2 * i];

			if (fixture.node[i].id > 0 &&
				strcmp(fixture.method[fixture.node[i].method].name, name) == 0)
				expected += (double)error->whole;
		}
		base = (double)value_of(row, "base", 0);
		expected =
			fmin(expected, fmax(base, (double)value_of(row, "raw_base", 0) - base));
		assert_true(fabs((double)value_of(row, "error", 0) - expected) < 1.5);
		assert_int_equal(value_of(row, "error", 1), 0);
		largest = value_of(row, "error", 0) > largest ? value_of(row, "error", 0)
							      : largest;
	}
	assert_true(largest > 0);
	json_decref(report);
}

/* A thread's total is the cum of its root, adjusted and as counted, with its error; and the same are
 * the sums over all rows of the tree. */
static void check_totals(const struct adjustment *adjustment)
{
	static const char *const groups[][2] = {
		{"total", "cum"}, {"raw_total", "raw_cum"}, {"error", "error_cum"}};
	json_t *threads = load(&fixture, "threads", adjustment), *row;
	json_t *tree = load(&fixture, "tree", adjustment), *node;
	size_t r, n;

	json_array_foreach(json_object_get(threads, "rows"), r, row)
	{
		uint64_t sums[2] = {0};

		json_array_foreach(json_object_get(tree, "rows"), n, node)
		{
			if (!json_equal(json_object_get(node, "thread_index"),
				    json_object_get(row, "index")))
				continue;
			sums[0] += value_of(node, "base", 0);
			sums[1] += value_of(node, "raw_base", 0);
			for (size_t g = 0;
				g < 3 && json_is_null(json_object_get(node, "parent")); g++)
				assert_int_equal(value_of(row, groups[g][0], 0),
					value_of(node, groups[g][1], 0));
		}
		assert_int_equal(value_of(row, "total", 0), sums[0]);
		assert_int_equal(value_of(row, "raw_total", 0), sums[1]);
		assert_true(sums[0] < sums[1]);
	}
	json_decref(threads);
	json_decref(tree);
}

/* The facts that a summary has of a metric. */
static uint64_t fact(json_t *rows, const char *key)
{
	json_t *row;
	size_t i;

	json_array_foreach(rows, i,
		row) if (strcmp(json_string_value(json_object_get(row, "key")), key) ==
			 0) return (uint64_t)json_integer_value(json_object_get(row, "value"));
	fail_msg("the summary has no '%s'", key);
	return 0;
}

/* What was taken out and what is left is what was counted. */
static void check_summary(const struct adjustment *adjustment)
{
	char *text = fixture_print_adjusted(&fixture, "summary", "json", adjustment);
	json_t *report = json_loads(text, 0, NULL), *rows = json_object_get(report, "rows");

	assert_int_equal(fact(rows, "total.wall") + fact(rows, "overhead.wall"),
		fact(rows, "raw_total.wall"));
	assert_true(fact(rows, "error.wall") > 0);
	assert_null(strstr(text, "differs"));
	json_decref(report);
	free(text);
}

/* fixture_print fails where an invariant of the callers does not hold. */
static void test_figures(void **state)
{
	for (unsigned seed = 1; seed <= 30; seed++) {
		struct adjustment adjustment;

		random_profile(seed);
		fixture_adjust(&fixture, &adjustment);
		make_plain(&adjustment.adjusted);
		for (size_t v = 0; v < sizeof(figure_views) / sizeof(*figure_views); v++)
			check_view(figure_views[v], &adjustment);
		check_errors(&adjustment);
		check_totals(&adjustment);
		check_summary(&adjustment);
		adjustment_fini(&adjustment);
	}
}

/* ---- where a calibration comes from ---- */

/* A calibration for what `facts` says, as a text. */
static char *calibration_for(const struct profile *profile)
{
	struct calibration *calibration = calibration_create();
	char *text;

	assert_non_null(calibration);
	identity_of_profile(&calibration->identity, profile);
	calibration->identity.field[IDENTITY_METRICS][0] = '\0';
	snprintf(calibration->made, sizeof(calibration->made), "today");
	calibration_add_metric(calibration, "wall", "ns", 0);
	calibration_add_metric(calibration, "alloc", "bytes", 0);
	text = calibration_text(calibration);
	assert_non_null(text);
	calibration_destroy(calibration);
	return text;
}

static void add_meta(const char *key, char *value)
{
	fixture.meta[fixture.profile.meta_count++] = (struct profile_meta){(char *)key, value};
}

static void known_profile(void)
{
	static char cpu[] = "A processor", calls[] = "instrument";

	fixture_small(&fixture);
	add_meta("machine.cpu", cpu);
	add_meta("calls", calls);
	setenv("XDG_CACHE_HOME", "/nonexistent", 1);
}

static void says(const char *choice, bool adjusted, bool missed, const char *pattern)
{
	struct adjustment adjustment;
	struct error error = {0};

	if (adjustment_init(&adjustment, &fixture.profile,
		    &(struct adjustment_choice){.calibration = choice}, &error) != 0)
		fail_msg("%s", error.text);
	if ((adjustment.calibration != NULL) != adjusted || adjustment.missed != missed ||
		strncmp(adjustment.said, pattern, strlen(pattern)) != 0)
		fail_msg("'%s', not '%s'", adjustment.said, pattern);
	adjustment_fini(&adjustment);
}

static void test_none(void **state)
{
	static char off[] = "{\"calibration\": \"off\"}";

	known_profile();
	says(NULL, false, true, "none: the profile is not adjusted (run `jprof calibrate`)");
	says("off", false, false, "off: the profile is not adjusted");
	add_meta("options", off);
	says(NULL, false, false, "none: the profile was made with calibration=off");
}

static void test_embedded(void **state)
{
	char *text;
	size_t last;

	known_profile();
	text = calibration_for(&fixture.profile);
	add_meta("calibration", text);
	last = fixture.profile.meta_count - 1;
	says(NULL, true, false, "embedded in the profile, made today for ");
	says("off", false, false, "off: ");
	fixture.meta[3].value = (char *)"Another";
	says(NULL, false, true,
		"none: the calibration in the profile was made for processor 'A processor', "
		"this is "
		"'Another'");
	fixture.meta[last].value = (char *)"{}";
	says(NULL, false, true, "none: the calibration in the profile: it is no calibration");
	fixture.meta[last] = (struct profile_meta){
		(char *)"calibration.refused", (char *)"calibration file 'x': too old"};
	says(NULL, false, true, "none: calibration file 'x': too old");
	free(text);
}

/* A profile's texts may be anything, and too long: the report is still one of texts. */
static void test_odd_reasons(void **state)
{
	static char reason[4096];
	struct adjustment adjustment;
	char *text;
	json_t *report;

	known_profile();
	/* The euro sign has three bytes: somewhere it is cut within. */
	for (size_t i = 0; i + 3 < sizeof(reason); i += 3)
		memcpy(reason + i, "\xe2\x82\xac", 3);
	memcpy(reason, "\033[1m", 4);
	add_meta("calibration.refused", reason);
	for (size_t cut = 0; cut < 3; cut++) {
		memmove(reason + 4, reason + 5, strlen(reason + 5) + 1);
		adjustment_init(
			&adjustment, &fixture.profile, &(struct adjustment_choice){0}, NULL);
		text = fixture_print_adjusted(&fixture, "methods", "json", &adjustment);
		report = json_loads(text, 0, NULL);
		assert_non_null(report);
		json_decref(report);
		free(text);
		text = fixture_print_adjusted(&fixture, "methods", "text", &adjustment);
		assert_null(strchr(text, '\033'));
		free(text);
		adjustment_fini(&adjustment);
	}
}

/* Standard error, as it is while a report is made. Owned. */
static char *heard_while(
	const char *view, const char *format, const struct adjustment *adjustment, char **text)
{
	FILE *file = tmpfile();
	int kept = dup(STDERR_FILENO);
	char heard[4096];
	size_t length;

	assert_non_null(file);
	dup2(fileno(file), STDERR_FILENO);
	*text = fixture_print_adjusted(&fixture, view, format, adjustment);
	dup2(kept, STDERR_FILENO);
	close(kept);
	rewind(file);
	length = fread(heard, 1, sizeof(heard) - 1, file);
	heard[length] = '\0';
	fclose(file);
	return strdup(heard);
}

/* Once, in the report; but where rows alone are printed, on standard error. */
static void check_refused(const struct view *view, const struct format *format,
	const struct adjustment *adjustment)
{
	static const char reason[] = "calibration file 'x': too old";
	char *text, *heard = heard_while(view->name, format->name, adjustment, &text);
	bool in_rows = strcmp(view->name, "summary") == 0;
	bool apart = !in_rows && format == format_find("csv");

	if ((strstr(text, reason) == NULL) != apart || (strstr(heard, reason) == NULL) == apart)
		fail_msg("%s as %s: '%s'", view->name, format->name, heard);
	if (apart)
		assert_string_equal(
			heard, "jprof: calibration: none: calibration file 'x': too old\n");
	else
		assert_string_equal(heard, "");
	if (format == format_find("json") && !in_rows)
		assert_non_null(strstr(
			text, "\"calibration\":\"none: calibration file 'x': too old\""));
	free(text);
	free(heard);
}

static void test_refused_everywhere(void **state)
{
	struct adjustment adjustment;

	known_profile();
	add_meta("calibration.refused", (char *)"calibration file 'x': too old");
	adjustment_init(&adjustment, &fixture.profile, &(struct adjustment_choice){0}, NULL);
	for (size_t v = 0; v < view_count; v++)
		for (size_t f = 0; f < format_count; f++)
			check_refused(
				views[v], formats[f], views[v]->adjusts ? &adjustment : NULL);
	adjustment_fini(&adjustment);
}

static int measured;

static int measure(struct calibration **calibration, const struct profile *profile,
	const struct identity *identity, const char *java, struct error *error)
{
	char *text = calibration_for(profile);
	int failed = calibration_parse(calibration, text, strlen(text), "x", error);

	assert_null(java);
	free(text);
	measured++;
	assert_int_equal(identity_compare(&(*calibration)->identity, identity, "x", error), 0);
	return failed;
}

static int measure_nothing(struct calibration **calibration, const struct profile *profile,
	const struct identity *identity, const char *java, struct error *error)
{
	measured++;
	return error_set(error, ERROR_MISSING, "there is no such JVM here");
}

/* Only where there is no other one. */
static void test_measured(void **state)
{
	struct adjustment adjustment;
	char *text;

	known_profile();
	measured = 0;
	assert_int_equal(adjustment_init(&adjustment, &fixture.profile,
				 &(struct adjustment_choice){.measure = measure}, NULL),
		0);
	assert_int_equal(measured, 1);
	assert_non_null(adjustment.calibration);
	assert_int_equal(strncmp(adjustment.said, "made now", 8), 0);
	adjustment_fini(&adjustment);
	assert_int_equal(adjustment_init(&adjustment, &fixture.profile,
				 &(struct adjustment_choice){.measure = measure_nothing}, NULL),
		0);
	assert_true(adjustment.missed);
	assert_string_equal(adjustment.said, "none: there is no such JVM here");
	adjustment_fini(&adjustment);
	text = calibration_for(&fixture.profile);
	add_meta("calibration", text);
	assert_int_equal(adjustment_init(&adjustment, &fixture.profile,
				 &(struct adjustment_choice){.measure = measure}, NULL),
		0);
	assert_int_equal(measured, 2);
	adjustment_fini(&adjustment);
	free(text);
}

#define UNTIMED "none: no calls were timed, there is nothing to take out"
#define SMALL   "none: jprof's own cost is below 1 % of processor time"
#define UNASKED                                                                                \
	"none: figures are with what timing calls cost, 50 % of processor time or more; "      \
	"`--calibration auto` measures that, once, in ten seconds or so, and takes it out"
#define UNKNOWN "none: figures are with what timing calls cost; `--calibration auto` measures "
#define TRIED   "none: there is no such JVM here"

/* What the first report of a profile does, which none is kept for: a row each. By the calls that were asked
 * for, with so many events of 20 ns in a second. */
static const struct first_report {
	const char *calls;
	double events;
	bool is_known, asked, missed;
	int measured;
	const char *said;
} first_reports[] = {
	{"instrument", 0, true, false, false, 0, UNTIMED},
	{"instrument", 0, true, true, false, 0, UNTIMED},
	{"instrument", 80e3, true, false, false, 0, SMALL},
	{"instrument", 90e3, true, false, true, 1, TRIED},
	{"instrument", 80e3, true, true, true, 1, TRIED},
	{"instrument", 80e3, false, false, true, 1, TRIED},
	{"events", 30e3, true, false, false, 0, SMALL},
	{"events", 40e3, true, false, true, 1, TRIED},
	{"auto", 0, true, false, false, 0, UNTIMED},
	{"auto", 80e3, true, false, false, 0, SMALL},
	{"auto", 25e6, true, false, true, 0, UNASKED},
	{"auto", 25e6, false, false, true, 0, UNKNOWN},
	{"auto", 25e6, true, true, true, 1, TRIED},
};

static void check_first(const struct first_report *row)
{
	char options[64];
	struct adjustment adjustment;
	const struct adjustment_choice choice = {
		.measure = measure_nothing, .asked = row->asked};
	struct error error = {0};

	known_profile();
	snprintf(options, sizeof(options), "{\"calls\": \"%s\"}", row->calls);
	add_meta("options", options);
	add_meta("overhead.event_ns", (char *)"20.0");
	add_meta("cpu_ns", (char *)(row->is_known ? "1000000000" : ""));
	if (strcmp(row->calls, "events") == 0)
		fixture.meta[fixture.profile.meta_count - 4].value = (char *)"events";
	for (size_t t = 0; t < fixture.profile.thread_count; t++)
		fixture.thread[t].events = t == 0 ? (uint64_t)row->events : 0;
	measured = 0;
	assert_int_equal(adjustment_init(&adjustment, &fixture.profile, &choice, &error), 0);
	if (adjustment.missed != row->missed || measured != row->measured ||
		strncmp(adjustment.said, row->said, strlen(row->said)) != 0)
		fail_msg("calls=%s, %g events: '%s', measured %u times", row->calls,
			row->events, adjustment.said, measured);
	adjustment_fini(&adjustment);
}

static void test_first_report(void **state)
{
	for (size_t i = 0; i < sizeof(first_reports) / sizeof(*first_reports); i++)
		check_first(&first_reports[i]);
}

/* Of the threads that are shown, and those of them that have events. */
static void test_own_cost(void **state)
{
	struct pattern_list threads = {0};
	struct own_cost cost;
	char text[OWN_COST_TEXT];

	fixture_init(&fixture);
	fixture.profile.metric[1].name = (char *)"cpu";
	add_meta("overhead.event_ns", (char *)"10.0");
	fixture_thread(&fixture, "few", 0, 1000000);
	fixture_thread(&fixture, "many", 0, 1000000);
	fixture_thread(&fixture, "none", 0, 1000000);
	fixture.thread[0].events = 400;
	fixture.thread[1].events = 20000;
	cost = own_cost_of(&fixture.profile, NULL);
	assert_string_equal(own_cost_text(&cost, text), "10 % of processor time or more");
	pattern_list_add(&threads, "few");
	cost = own_cost_of(&fixture.profile, &threads);
	assert_string_equal(own_cost_text(&cost, text), "0.4 % of processor time or more");
	assert_true(fabs(cost.most - 0.024) < 1e-9);
	pattern_list_fini(&threads);
	pattern_list_add(&threads, "none");
	cost = own_cost_of(&fixture.profile, &threads);
	assert_null(own_cost_text(&cost, text));
	assert_true(cost.most == 0);
	pattern_list_fini(&threads);
	fixture.profile.meta_count = 0;
	cost = own_cost_of(&fixture.profile, NULL);
	assert_null(own_cost_text(&cost, text));
	assert_true(cost.most == 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_figures),
		cmocka_unit_test(test_none),
		cmocka_unit_test(test_first_report),
		cmocka_unit_test(test_own_cost),
		cmocka_unit_test(test_embedded),
		cmocka_unit_test(test_odd_reasons),
		cmocka_unit_test(test_refused_everywhere),
		cmocka_unit_test(test_measured),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
