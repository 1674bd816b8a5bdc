/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/* What is matched, which figures items have, and what is said of their changes. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>
#include <jansson.h>

#include "native-tests/report/fixture.h"
#include "report/diff/diff.h"
#include "report/diff/words.h"

static struct fixture fixture;
static struct diff diff;

static void begin(const struct diff_choice *choice)
{
	diff_init(&diff, choice ? choice : &(struct diff_choice){.min = DIFF_MIN});
}

/* Adds the fixture as it is. Returns diff_add_run's. */
static int add(enum diff_side side, const char *file, struct error *error)
{
	const struct model_choice choice = {0};
	struct model model;
	int failed;

	assert_int_equal(model_init(&model, &fixture.profile, &choice, error), 0);
	failed = diff_add_run(&diff, side, file, &model, error);
	model_fini(&model);
	return failed;
}

static void must_add(enum diff_side side)
{
	struct error error = {0};

	if (add(side, side == DIFF_BEFORE ? "before" : "after", &error) != 0)
		fail_msg("%s", error.text);
}

static void judge(void)
{
	struct error error = {0};

	if (diff_judge(&diff, &error) != 0)
		fail_msg("%s", error.text);
}

static void set_meta(const char *key, const char *value)
{
	fixture.meta[fixture.profile.meta_count++] = (struct profile_meta){key, value};
}

/* The item whose name for people is that; fails if there is none. */
static uint32_t find(enum diff_by by, const char *name)
{
	for (uint32_t i = 0; i < diff.table[by].item_count; i++) {
		struct out out;
		bool found;

		out_init(&out, -1);
		diff_put_name(&out, &diff, by, i, false);
		out_char(&out, '\0');
		found = strcmp(out.buffer, name) == 0;
		out_fini(&out);
		if (found)
			return i;
	}
	fail_msg("no item '%s'", name);
	return 0;
}

static struct diff_change change_of(enum diff_by by, const char *name, const char *figure)
{
	int at = diff_figure_find(&diff, by, figure);

	if (at < 0)
		fail_msg("no figure '%s'", figure);
	return diff_change(&diff, by, find(by, name), (unsigned)at);
}

static void check(enum diff_by by, const char *name, const char *figure, double before,
	double after, enum diff_verdict verdict)
{
	struct diff_change change = change_of(by, name, figure);

	if (change.before != before || change.after != after || change.verdict != verdict)
		fail_msg("%s, %s: %g to %g, %s", name, figure, change.before, change.after,
			diff_verdict_names[change.verdict]);
}

static void has_note(const char *part)
{
	for (size_t i = 0; i < diff.note_count; i++)
		if (strstr(diff.note[i].text, part))
			return;
	fail_msg("no note has '%s'", part);
}

/* A program: main calls a and b, both call leaf; a file is read. */
static void program(uint64_t calls, uint64_t wall, uint64_t bytes)
{
	uint32_t main_method, a, b, leaf, file, node;

	fixture_init(&fixture);
	main_method =
		fixture_method(&fixture, "com.acme.Main", "main", "([Ljava/lang/String;)V");
	a = fixture_method(&fixture, "com.acme.Main", "a", "()V");
	b = fixture_method(&fixture, "com.acme.Main", "b", "()V");
	leaf = fixture_method(&fixture, "com.acme.Leaf", "leaf", "()V");
	fixture_thread(&fixture, "main", 0, 0);
	main_method = fixture_node(&fixture, 0, main_method, 1, 1000000, 500);
	a = fixture_node(&fixture, main_method, a, calls, wall, 1000);
	b = fixture_node(&fixture, main_method, b, 50, 3000000, 1000);
	fixture_node(&fixture, a, leaf, 10 * calls, 2000000, 0);
	node = fixture_node(&fixture, b, leaf, 100, 500000, 0);
	file = fixture_file(&fixture, IO_FILE, 5, "/data/shop.db", NULL);
	fixture_io(&fixture, node, file, IO_READ, 4, bytes);
}

/* ---- one run a side ---- */

static void test_counts_are_exact(void **state)
{
	begin(&(struct diff_choice){
		.wants = {[DIFF_PATH] = true, [DIFF_FILE] = true}, .min = DIFF_MIN});
	program(100, 5000000, 4096);
	must_add(DIFF_BEFORE);
	program(101, 5000000, 4097);
	must_add(DIFF_AFTER);
	judge();
	check(DIFF_METHOD, "com.acme.Main.a", "calls", 100, 101, DIFF_GREW);
	check(DIFF_METHOD, "com.acme.Main.b", "calls", 50, 50, DIFF_SAME);
	check(DIFF_METHOD, "com.acme.Leaf.leaf", "calls", 1100, 1110, DIFF_GREW);
	check(DIFF_METHOD, "com.acme.Main.main", "io_cum.bytes", 4096, 4097, DIFF_GREW);
	check(DIFF_METHOD, "com.acme.Main.main", "io.bytes", 0, 0, DIFF_SAME);
	check(DIFF_TOTAL, "(the whole program)", "calls", 1251, 1262, DIFF_GREW);
	check(DIFF_TOTAL, "(the whole program)", "io.ops", 4, 4, DIFF_SAME);
	check(DIFF_PATH, "com.acme.Main.main > com.acme.Main.a > com.acme.Leaf.leaf", "calls",
		1000, 1010, DIFF_GREW);
	check(DIFF_PATH, "com.acme.Main.main > com.acme.Main.b > com.acme.Leaf.leaf", "calls",
		100, 100, DIFF_SAME);
	check(DIFF_FILE, "/data/shop.db", "reads.bytes", 4096, 4097, DIFF_GREW);
	check(DIFF_FILE, "/data/shop.db", "read.ops", 4, 4, DIFF_SAME);
	assert_true(change_of(DIFF_METHOD, "com.acme.Main.a", "calls").is_certain);
	diff_fini(&diff);
}

static void test_times_of_one_run_are_not_certain(void **state)
{
	struct diff_change change;

	begin(NULL);
	program(100, 5000000, 4096);
	must_add(DIFF_BEFORE);
	program(100, 20000000, 4096);
	must_add(DIFF_AFTER);
	judge();
	check(DIFF_METHOD, "com.acme.Main.a", "base.wall", 5000000, 20000000, DIFF_GREW);
	change = change_of(DIFF_METHOD, "com.acme.Main.a", "base.wall");
	assert_false(change.is_certain);
	assert_true(change.error > 0);
	check(DIFF_METHOD, "com.acme.Main.b", "base.wall", 3000000, 3000000, DIFF_SAME);
	has_note("fewer than 3 runs a side");
	diff_fini(&diff);

	/* As near as that is noise. */
	begin(NULL);
	program(100, 5000000, 4096);
	must_add(DIFF_BEFORE);
	program(100, 5500000, 4096);
	must_add(DIFF_AFTER);
	judge();
	check(DIFF_METHOD, "com.acme.Main.a", "base.wall", 5000000, 5500000, DIFF_NOISE);
	diff_fini(&diff);

	/* Unless the user knows that times differ by less. */
	begin(&(struct diff_choice){.min = DIFF_MIN, .pace = 0.02});
	program(100, 5000000, 4096);
	must_add(DIFF_BEFORE);
	program(100, 5500000, 4096);
	must_add(DIFF_AFTER);
	judge();
	check(DIFF_METHOD, "com.acme.Main.a", "base.wall", 5000000, 5500000, DIFF_GREW);
	assert_true(change_of(DIFF_METHOD, "com.acme.Main.a", "base.wall").is_certain);
	diff_fini(&diff);
}

static void test_new_and_gone(void **state)
{
	uint32_t method;

	begin(NULL);
	program(100, 5000000, 4096);
	method = fixture_method(&fixture, "com.acme.Old", "old", "()V");
	fixture_node(&fixture, 1, method, 7, 0, 0);
	must_add(DIFF_BEFORE);
	program(100, 5000000, 4096);
	method = fixture_method(&fixture, "com.acme.New", "fresh", "()V");
	fixture_node(&fixture, 1, method, 9, 0, 0);
	must_add(DIFF_AFTER);
	judge();
	check(DIFF_METHOD, "com.acme.Old.old", "calls", 7, 0, DIFF_GONE);
	check(DIFF_METHOD, "com.acme.New.fresh", "calls", 0, 9, DIFF_NEW);
	diff_fini(&diff);
}

/* ---- what is the same ---- */

/* Two generated classes that call each other become one: what is in both counts once. */
static void generated(const char *first, const char *second)
{
	uint32_t outer, inner, node;

	fixture_init(&fixture);
	outer = fixture_method(&fixture, first, "run", "()V");
	inner = fixture_method(&fixture, second, "run", "()V");
	fixture_thread(&fixture, "main", 0, 0);
	node = fixture_node(&fixture, 0, outer, 1, 100, 0);
	fixture_node(&fixture, node, inner, 2, 10, 0);
}

static void test_generated_names(void **state)
{
	begin(&(struct diff_choice){.wants = {[DIFF_PATH] = true}, .min = DIFF_MIN});
	generated("a.B$$Lambda$14/0x00007f0001", "a.B$$Lambda$15/0x00007f0002");
	must_add(DIFF_BEFORE);
	generated("a.B$$Lambda$99/0x00007f0fff", "a.B$$Lambda$7/0x00007f0eee");
	must_add(DIFF_AFTER);
	judge();
	assert_int_equal(diff.table[DIFF_METHOD].item_count, 1);
	assert_int_equal(diff.table[DIFF_PATH].item_count, 2);
	check(DIFF_METHOD, "a.B$$Lambda.run", "calls", 3, 3, DIFF_SAME);
	check(DIFF_METHOD, "a.B$$Lambda.run", "base.wall", 110, 110, DIFF_SAME);
	check(DIFF_METHOD, "a.B$$Lambda.run", "cum.wall", 110, 110, DIFF_SAME);
	/* Four methods, of which one is left. */
	has_note("methods of generated classes");
	has_note("stays the same of them: 1");
	assert_int_equal(diff.generated, 1);
	diff_fini(&diff);
}

/* Paths of all threads are one tree. */
static void test_threads_are_together(void **state)
{
	begin(&(struct diff_choice){.wants = {[DIFF_PATH] = true}, .min = DIFF_MIN});
	for (int side = 0; side < 2; side++) {
		uint32_t method;

		fixture_init(&fixture);
		method = fixture_method(&fixture, "a.B", "c", "()V");
		for (int thread = 0; thread <= side; thread++) {
			fixture_thread(&fixture, "worker", 0, 0);
			fixture_node(&fixture, 0, method, 5, 100, 0);
		}
		must_add(side ? DIFF_AFTER : DIFF_BEFORE);
	}
	judge();
	assert_int_equal(diff.table[DIFF_PATH].item_count, 1);
	check(DIFF_PATH, "a.B.c", "calls", 5, 10, DIFF_GREW);
	diff_fini(&diff);
}

static void test_connections(void **state)
{
	static const char *const local[] = {"127.0.0.1:40001", "127.0.0.1:51234"};

	begin(&(struct diff_choice){.wants = {[DIFF_FILE] = true}, .min = DIFF_MIN});
	for (int side = 0; side < 2; side++) {
		program(100, 5000000, 4096);
		fixture_io(&fixture, 1,
			fixture_file(&fixture, IO_TCP, 6, local[side], "10.0.0.1:5432"),
			IO_SEND, 3, 300);
		must_add(side ? DIFF_AFTER : DIFF_BEFORE);
	}
	judge();
	check(DIFF_FILE, "127.0.0.1:* - 10.0.0.1:5432", "sent.bytes", 300, 300, DIFF_SAME);
	diff_fini(&diff);
}

/* ---- figures are those of reports ---- */

static double number_at(const json_t *row, const char *group, const char *key)
{
	const json_t *object = group ? json_object_get(row, group) : row;

	return json_number_value(json_object_get(object, key));
}

static void test_figures_are_those_of_reports(void **state)
{
	static const char *const figures[][3] = {{"calls", NULL, "calls"},
		{"base.wall", "base", "wall"}, {"cum.wall", "cum", "wall"},
		{"base.alloc", "base", "alloc"}, {"cum.alloc", "cum", "alloc"}};
	json_t *report, *row;
	size_t r;
	char *text;

	begin(NULL);
	fixture_small(&fixture);
	must_add(DIFF_BEFORE);
	must_add(DIFF_AFTER);
	judge();
	text = fixture_print(&fixture, "methods", "json");
	report = json_loads(text, 0, NULL);
	assert_true(json_array_size(json_object_get(report, "rows")) > 3);
	json_array_foreach(json_object_get(report, "rows"), r, row)
	{
		const char *class_name = json_string_value(json_object_get(row, "class"));
		const char *name = json_string_value(json_object_get(row, "method"));
		const char *signature = json_string_value(json_object_get(row, "signature"));
		const struct diff_table *table = &diff.table[DIFF_METHOD];
		uint32_t item = 0;

		for (; item < table->item_count; item++) {
			const struct diff_name *is = diff_name(&diff, DIFF_METHOD, item);

			if (is->name.text && name && strcmp(is->name.text, name) == 0 &&
				strcmp(is->class_name.text ? is->class_name.text : "",
					class_name ? class_name : "") == 0 &&
				strcmp(is->signature.text ? is->signature.text : "",
					signature ? signature : "") == 0)
				break;
		}
		assert_true(item < table->item_count);
		for (size_t f = 0; f < sizeof(figures) / sizeof(*figures); f++)
			assert_true(diff_value(diff.run[0], DIFF_METHOD, item,
					    (unsigned)diff_figure_find(
						    &diff, DIFF_METHOD, figures[f][0])) ==
				    number_at(row, figures[f][1], figures[f][2]));
	}
	json_decref(report);
	free(text);
	diff_fini(&diff);
}

/* ---- several runs ---- */

static void runs(enum diff_side side, const uint64_t *wall, const uint64_t *calls)
{
	for (int i = 0; i < 3; i++) {
		program(calls ? calls[i] : 100, wall[i], 4096);
		must_add(side);
	}
}

static void test_three_runs(void **state)
{
	begin(NULL);
	runs(DIFF_BEFORE, (const uint64_t[]){5000000, 5100000, 5050000}, NULL);
	runs(DIFF_AFTER, (const uint64_t[]){6000000, 6100000, 6080000}, NULL);
	judge();
	check(DIFF_METHOD, "com.acme.Main.a", "base.wall", 5050000, 6080000, DIFF_GREW);
	assert_true(change_of(DIFF_METHOD, "com.acme.Main.a", "base.wall").is_certain);
	check(DIFF_METHOD, "com.acme.Main.b", "base.wall", 3000000, 3000000, DIFF_SAME);
	diff_fini(&diff);

	begin(NULL);
	runs(DIFF_BEFORE, (const uint64_t[]){5000000, 6100000, 5050000}, NULL);
	runs(DIFF_AFTER, (const uint64_t[]){5600000, 5300000, 5550000}, NULL);
	judge();
	check(DIFF_METHOD, "com.acme.Main.a", "base.wall", 5050000, 5550000, DIFF_NOISE);
	diff_fini(&diff);
}

/* Of more figures than there is room for at first, each keeps the values of its own runs. */
static void test_three_runs_of_many_paths(void **state)
{
	enum { DEPTH = 700, GROWN = 650 };
	int figure;

	begin(&(struct diff_choice){.wants = {[DIFF_PATH] = true}});
	for (unsigned run = 0; run < 6; run++) {
		uint32_t method, node = 0;

		fixture_init(&fixture);
		method = fixture_method(&fixture, "a.B", "deep", "()V");
		fixture_thread(&fixture, "main", 0, 0);
		for (unsigned i = 0; i < DEPTH; i++)
			node = fixture_node(&fixture, node, method, 1,
				1000000 + 100 * ((7 * i + run) % 5) +
					(i == GROWN && run >= 3 ? 800000 : 0),
				0);
		must_add(run < 3 ? DIFF_BEFORE : DIFF_AFTER);
	}
	judge();
	figure = diff_figure_find(&diff, DIFF_PATH, "base.wall");
	assert_int_equal(diff.table[DIFF_PATH].item_count, DEPTH);
	for (uint32_t i = 0; i < DEPTH; i++)
		assert_true(
			diff_is_change(
				diff_change(&diff, DIFF_PATH, i, (unsigned)figure).verdict) ==
			(i == GROWN));
	diff_fini(&diff);
}

/* Where runs of a side differ in what is counted, the program does not do the same each time. */
static void test_counts_that_differ(void **state)
{
	const uint64_t wall[] = {5000000, 5000000, 5000000};

	begin(NULL);
	runs(DIFF_BEFORE, wall, (const uint64_t[]){100, 104, 101});
	runs(DIFF_AFTER, wall, (const uint64_t[]){105, 103, 106});
	judge();
	check(DIFF_METHOD, "com.acme.Main.a", "calls", 101, 105, DIFF_NOISE);
	diff_fini(&diff);

	begin(NULL);
	runs(DIFF_BEFORE, wall, (const uint64_t[]){100, 104, 101});
	runs(DIFF_AFTER, wall, (const uint64_t[]){125, 123, 126});
	judge();
	check(DIFF_METHOD, "com.acme.Main.a", "calls", 101, 125, DIFF_GREW);
	diff_fini(&diff);
}

/* ---- divided figures ---- */

static void test_normalize(void **state)
{
	struct error error = {0};

	begin(&(struct diff_choice){.min = DIFF_MIN, .normalize = "com.acme.Main.a"});
	program(100, 5000000, 4096);
	must_add(DIFF_BEFORE);
	program(200, 10000000, 4096);
	must_add(DIFF_AFTER);
	judge();
	check(DIFF_METHOD, "com.acme.Main.a", "calls", 1, 1, DIFF_SAME);
	check(DIFF_METHOD, "com.acme.Main.a", "base.wall", 50000, 50000, DIFF_SAME);
	check(DIFF_METHOD, "com.acme.Main.b", "calls", 0.5, 0.25, DIFF_FELL);
	check(DIFF_TOTAL, "(the whole program)", "io.bytes", 40.96, 20.48, DIFF_FELL);
	diff_fini(&diff);

	begin(&(struct diff_choice){.min = DIFF_MIN, .normalize = "metric:alloc"});
	program(100, 5000000, 5000);
	must_add(DIFF_BEFORE);
	must_add(DIFF_AFTER);
	judge();
	check(DIFF_TOTAL, "(the whole program)", "io.bytes", 2, 2, DIFF_SAME);
	diff_fini(&diff);

	begin(&(struct diff_choice){.min = DIFF_MIN, .normalize = "com.acme.Nobody"});
	program(100, 5000000, 4096);
	must_add(DIFF_BEFORE);
	must_add(DIFF_AFTER);
	assert_int_equal(diff_judge(&diff, &error), -ERROR_MISSING);
	assert_non_null(strstr(error.text, "no calls of a method like 'com.acme.Nobody'"));
	diff_fini(&diff);
}

/* What is divided by a measured total has changed no more certainly than that. */
static void test_normalize_by_what_was_measured(void **state)
{
	struct diff_change change;

	begin(&(struct diff_choice){
		.wants = {[DIFF_FILE] = true}, .min = DIFF_MIN, .normalize = "metric:wall"});
	program(100, 5000000, 4096);
	must_add(DIFF_BEFORE);
	program(100, 5200000, 4096);
	must_add(DIFF_AFTER);
	judge();
	change = change_of(DIFF_TOTAL, "(the whole program)", "io.ops");
	assert_true(change.change < 0 && change.error > 0);
	assert_int_equal(change.verdict, DIFF_NOISE);
	assert_false(change.is_certain);
	change = change_of(DIFF_METHOD, "com.acme.Main.a", "calls");
	assert_int_equal(change.verdict, DIFF_NOISE);
	change = change_of(DIFF_FILE, "/data/shop.db", "reads.bytes");
	assert_int_equal(change.verdict, DIFF_NOISE);
	diff_fini(&diff);

	/* Even what is far beyond it is not certain, of one run a side. */
	begin(&(struct diff_choice){.min = DIFF_MIN, .normalize = "metric:wall"});
	program(100, 5000000, 4096);
	must_add(DIFF_BEFORE);
	program(300, 5000000, 4096);
	must_add(DIFF_AFTER);
	judge();
	change = change_of(DIFF_METHOD, "com.acme.Main.a", "calls");
	assert_int_equal(change.verdict, DIFF_GREW);
	assert_false(change.is_certain);
	diff_fini(&diff);

	/* A total that was counted leaves counts exact. */
	begin(&(struct diff_choice){.min = DIFF_MIN, .normalize = "metric:io.bytes"});
	program(100, 5000000, 4096);
	must_add(DIFF_BEFORE);
	program(100, 5000000, 4100);
	must_add(DIFF_AFTER);
	judge();
	change = change_of(DIFF_METHOD, "com.acme.Main.a", "calls");
	assert_int_equal(change.verdict, DIFF_FELL);
	assert_true(change.is_certain);
	diff_fini(&diff);
}

/* ---- what cannot be compared ---- */

static void test_refused(void **state)
{
	struct error error = {0};

	begin(NULL);
	fixture_init(&fixture);
	fixture_thread(&fixture, "main", 0, 0);
	assert_int_equal(add(DIFF_BEFORE, "nothing", &error), -ERROR_MISSING);
	assert_non_null(strstr(error.text, "'nothing' is empty"));
	diff_fini(&diff);

	begin(NULL);
	program(100, 5000000, 4096);
	set_meta("pid", "7");
	set_meta("started", "2026-01-01T00:00:00Z");
	must_add(DIFF_BEFORE);
	error = (struct error){0};
	assert_int_equal(add(DIFF_AFTER, "copy", &error), -ERROR_MISSING);
	assert_non_null(strstr(error.text, "are the same recording"));
	diff_fini(&diff);

	begin(NULL);
	error = (struct error){0};
	program(100, 5000000, 4096);
	must_add(DIFF_BEFORE);
	assert_int_equal(diff_judge(&diff, &error), -ERROR_USAGE);
	diff_fini(&diff);

	/* A file may say anything: such values would be those of one figure and of the next. */
	begin(NULL);
	error = (struct error){0};
	program(100, 5000000, 4096);
	fixture.profile.metric[1].name = fixture.profile.metric[0].name;
	assert_int_equal(add(DIFF_BEFORE, "twice", &error), -ERROR_MISSING);
	assert_string_equal(error.text, "'twice': two figures are called 'wall'");
	diff_fini(&diff);
}

/* Of runs with ever other metrics there are more figures than fit. */
static void test_too_many_figures(void **state)
{
	struct error error = {0};
	char names[DIFF_RUNS_MAX][2][16];
	int failed = 0;

	begin(NULL);
	for (int i = 0; i < DIFF_RUNS_MAX && failed == 0; i++) {
		program(100, 5000000, 4096);
		for (int m = 0; m < 2; m++) {
			snprintf(names[i][m], sizeof(names[i][m]), "metric%d", 2 * i + m);
			fixture.profile.metric[m].name = names[i][m];
		}
		failed = add(DIFF_BEFORE, "run", &error);
	}
	assert_int_equal(failed, -ERROR_MISSING);
	assert_string_equal(error.text, "'run': more than 96 figures: --metric chooses some");
	diff_fini(&diff);
}

static void test_different_ways(void **state)
{
	begin(NULL);
	program(100, 5000000, 4096);
	set_meta("calls", "instrument");
	set_meta("jvm.version", "17.0.1");
	must_add(DIFF_BEFORE);
	program(100, 9000000, 4096);
	set_meta("calls", "count");
	set_meta("jvm.version", "21.0.1");
	must_add(DIFF_AFTER);
	judge();
	has_note("recorded in different ways (calls=instrument and calls=count)");
	has_note("different JDKs: '17.0.1' and '21.0.1'");
	check(DIFF_METHOD, "com.acme.Main.a", "calls", 100, 100, DIFF_SAME);
	check(DIFF_METHOD, "com.acme.Main.a", "base.wall", 5000000, 9000000, DIFF_UNKNOWN);
	assert_int_equal(
		change_of(DIFF_TOTAL, "(the whole program)", "wall").verdict, DIFF_GREW);
	diff_fini(&diff);
}

/* Each recording has a file of its own, also those of one side; options differ by what either has. */
static void test_different_options(void **state)
{
	static const struct {
		const char *options[4];
		const char *note; /* NULL: none */
	} rows[] = {
		{{"{\"file\":\"1\",\"include\":\"a.*\"}",
			 "{\"file\":\"2\",\"include\":\"a.*\"}",
			 "{\"file\":\"3\",\"include\":\"b.*\"}",
			 "{\"file\":\"4\",\"include\":\"b.*\"}"},
			"recorded with other options: include"},
		{{"{\"file\":\"1\"}", "{\"file\":\"2\"}", "{\"file\":\"3\",\"depth\":9}",
			 "{\"file\":\"4\",\"depth\":9,\"io\":false}"},
			"recorded with other options: depth, io"},
		{{"{\"file\":\"1\",\"depth\":9}", "{\"file\":\"2\"}", "", "no JSON"},
			"recorded with other options: depth"},
		{{"", "{\"file\":\"2\",\"calls\":1}", "{\"file\":\"3\"}", "[]"}, NULL},
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		bool said = false;

		begin(NULL);
		for (int run = 0; run < 4; run++) {
			program(100, 5000000, 4096);
			set_meta("options", rows[i].options[run]);
			must_add(run < 2 ? DIFF_BEFORE : DIFF_AFTER);
		}
		judge();
		for (size_t n = 0; n < diff.note_count; n++) {
			if (!strstr(diff.note[n].text, "other options"))
				continue;
			assert_false(said);
			said = true;
			assert_non_null(rows[i].note);
			assert_string_equal(diff.note[n].text, rows[i].note);
		}
		assert_true(said == (rows[i].note != NULL));
		diff_fini(&diff);
	}
}

static void test_different_metrics(void **state)
{
	struct error error = {0};

	begin(NULL);
	program(100, 5000000, 4096);
	must_add(DIFF_BEFORE);
	program(100, 5000000, 4096);
	fixture.profile.metric[0].name = "cycles";
	must_add(DIFF_AFTER);
	judge();
	has_note("not in all profiles, so not compared: wall");
	has_note("not in all profiles, so not compared: cycles");
	check(DIFF_METHOD, "com.acme.Main.a", "base.alloc", 1000, 1000, DIFF_SAME);
	diff_fini(&diff);

	/* Nothing is left: neither calls nor a metric. */
	begin(NULL);
	program(100, 5000000, 4096);
	set_meta("calls", "instrument");
	must_add(DIFF_BEFORE);
	program(100, 5000000, 4096);
	set_meta("calls", "sample");
	fixture.profile.metric[0].name = "cycles";
	fixture.profile.metric[1].name = "instructions";
	must_add(DIFF_AFTER);
	assert_int_equal(diff_judge(&diff, &error), -ERROR_MISSING);
	assert_non_null(strstr(error.text, "no figure in common"));
	diff_fini(&diff);
}

/* Samples have the error of their number. */
static void test_samples(void **state)
{
	begin(NULL);
	for (int side = 0; side < 2; side++) {
		uint32_t method;

		fixture_init(&fixture);
		fixture.profile.metric_count = 0;
		fixture_condition(&fixture, "cpu:1ms", "cpu", 1000000, "ns", "timer");
		method = fixture_method(&fixture, "a.B", "c", "()V");
		fixture_thread(&fixture, "main", 0, 0);
		fixture_node(&fixture, 0, method, 0, 0, 0);
		fixture.node[1].sampled = true;
		fixture_samples(&fixture, 1, 0, SAMPLE_C2, 3, side ? 20 : 10);
		must_add(side ? DIFF_AFTER : DIFF_BEFORE);
	}
	judge();
	/* 2 * sqrt(10 + 20) = 10.95, and the pace. */
	check(DIFF_METHOD, "a.B.c", "samples.cpu", 10, 20, DIFF_NOISE);
	assert_true(change_of(DIFF_METHOD, "a.B.c", "samples.cpu").error > 10.95);
	assert_string_equal(diff.lead, "samples.cpu");
	assert_int_equal(change_of(DIFF_METHOD, "a.B.c", "calls").verdict, DIFF_UNKNOWN);
	diff_fini(&diff);
}

/* Nodes that are there for their I/O alone have no samples, but calls of them are not known either. */
static void test_samples_beside_io(void **state)
{
	begin(&(struct diff_choice){.wants = {[DIFF_PATH] = true}, .min = DIFF_MIN});
	for (int side = 0; side < 2; side++) {
		uint32_t sampled, writer, file;

		fixture_init(&fixture);
		fixture.profile.metric_count = 0;
		fixture_condition(&fixture, "cpu:1ms", "cpu", 1000000, "ns", "timer");
		sampled = fixture_method(&fixture, "a.B", "c", "()V");
		writer = fixture_method(&fixture, "a.B", "write", "()V");
		fixture_thread(&fixture, "main", 0, 0);
		fixture_node(&fixture, 0, sampled, 0, 0, 0);
		fixture.node[1].sampled = true;
		fixture_samples(&fixture, 1, 0, SAMPLE_C2, 3, 10);
		writer = fixture_node(&fixture, 0, writer, 0, 0, 0);
		file = fixture_file(&fixture, IO_FILE, 5, "/data/log", NULL);
		fixture_io(&fixture, writer, file, IO_WRITE, 4, side ? 200 : 100);
		must_add(side ? DIFF_AFTER : DIFF_BEFORE);
	}
	judge();
	for (enum diff_by by = DIFF_METHOD; by <= DIFF_PATH; by++) {
		assert_int_equal(change_of(by, "a.B.write", "calls").verdict, DIFF_UNKNOWN);
		assert_int_equal(change_of(by, "a.B.c", "calls").verdict, DIFF_UNKNOWN);
		check(by, "a.B.write", "io.bytes", 100, 200, DIFF_GREW);
	}
	diff_fini(&diff);
}

/* ---- words ---- */

static void test_words(void **state)
{
	static const struct {
		double value;
		enum figure_kind kind;
		const char *text;
	} rows[] = {
		{0, FIGURE_COUNT, "0"},
		{0.0123, FIGURE_COUNT, "0.0123"},
		{999.4, FIGURE_COUNT, "999"},
		{999.5, FIGURE_COUNT, "1000"},
		{999.99, FIGURE_TIME, "1.00 us"},
		{12.6, FIGURE_BYTES, "12.6 B"},
		{1234.9, FIGURE_COUNT, "1235"},
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++)
		assert_string_equal(diff_words(rows[i].kind, rows[i].value).text, rows[i].text);
	assert_string_equal(diff_words(FIGURE_COUNT, NAN).text, "?");
	assert_string_equal(diff_signed(FIGURE_COUNT, -999.7).text, "-1000");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_counts_are_exact),
		cmocka_unit_test(test_times_of_one_run_are_not_certain),
		cmocka_unit_test(test_new_and_gone),
		cmocka_unit_test(test_generated_names),
		cmocka_unit_test(test_threads_are_together),
		cmocka_unit_test(test_connections),
		cmocka_unit_test(test_figures_are_those_of_reports),
		cmocka_unit_test(test_three_runs),
		cmocka_unit_test(test_three_runs_of_many_paths),
		cmocka_unit_test(test_counts_that_differ),
		cmocka_unit_test(test_normalize),
		cmocka_unit_test(test_normalize_by_what_was_measured),
		cmocka_unit_test(test_refused),
		cmocka_unit_test(test_too_many_figures),
		cmocka_unit_test(test_different_ways),
		cmocka_unit_test(test_different_options),
		cmocka_unit_test(test_different_metrics),
		cmocka_unit_test(test_samples),
		cmocka_unit_test(test_samples_beside_io),
		cmocka_unit_test(test_words),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
