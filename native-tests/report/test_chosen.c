/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/* What is shown with --path, --method and --min: the rows that were asked for, figures that other views have, too, and
 * sums that are whole; and the commands below an overview. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>
#include <jansson.h>

#include "error/harmless.h"
#include "native-tests/report/fixture.h"
#include "report/text/shell_word.h"

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

static struct fixture fixture;

struct chosen {
	const char *view, *path, *method, *sort;
	double min;
	bool merge;
};

/* The report as data; the caller's. */
static json_t *report_of(const struct chosen *chosen)
{
	struct report_request request = {.view = view_find(chosen->view),
		.format = format_find("json"),
		.sort = chosen->sort,
		.min = chosen->min,
		.choice.merge_threads = chosen->merge};
	struct error error = {0};
	uint64_t violations;
	json_t *report;
	char *text;

	if (chosen->path)
		assert_int_equal(pattern_list_add(&request.choice.files, chosen->path), 0);
	if (chosen->method)
		assert_int_equal(pattern_list_add(&request.choice.methods, chosen->method), 0);
	text = fixture_report(&fixture, &request, &violations, &error);
	if (!text)
		fail_msg("%s: %s", chosen->view, error.text);
	assert_int_equal(violations, 0);
	report = json_loads(text, JSON_REJECT_DUPLICATES, NULL);
	assert_non_null(report);
	free(text);
	pattern_list_fini(&request.choice.files);
	pattern_list_fini(&request.choice.methods);
	return report;
}

/* "base.all.ns" of a row; -1: it has none. */
static json_int_t number_of(const json_t *row, const char *path)
{
	char part[64];

	while (*path != '\0') {
		size_t length = strcspn(path, ".");

		snprintf(part, sizeof(part), "%.*s", (int)length, path);
		row = json_object_get(row, part);
		path += length + (path[length] == '.');
	}
	return json_is_integer(row) ? json_integer_value(row) : -1;
}

/* The rows' texts of that key, joined. */
static void join(const json_t *report, const char *key, char *joined, size_t size)
{
	json_t *row;
	size_t i;

	joined[0] = '\0';
	json_array_foreach(json_object_get(report, "rows"), i, row)
	{
		size_t used = strlen(joined);
		const char *text = json_string_value(json_object_get(row, key));

		snprintf(joined + used, size - used, "%s%s", i > 0 ? ";" : "",
			text ? text : "-");
	}
}

static void check_rows(
	int line, const struct chosen *chosen, const char *key, const char *expected)
{
	json_t *report = report_of(chosen);
	char joined[512];

	join(report, key, joined, sizeof(joined));
	if (strcmp(joined, expected) != 0)
		fail_msg("line %d: '%s'", line, joined);
	json_decref(report);
}

static void test_rows(void **state)
{
	static const struct {
		int line;
		struct chosen chosen;
		const char *key, *rows;
	} cases[] = {
		{__LINE__, {"methods", .path = "*.db"}, "method", "main;get"},
		{__LINE__, {"methods", .path = "*.jar"}, "method", "main;get"},
		{__LINE__, {"methods", .path = "127.*"}, "method", "get"},
		{__LINE__, {"methods", .path = "nothing"}, "method", ""},
		{__LINE__, {"methods", .path = "*.db", .method = "*.get"}, "method", "get"},
		{__LINE__, {"methods", .path = "*", .sort = "cum"}, "method", "main;get;get"},
		{__LINE__, {"methods", .path = "*", .min = 0.5}, "method", "main;get"},
		{__LINE__, {"tree", .path = "127.*"}, "thread", "worker \"1\";worker \"1\""},
		{__LINE__, {"tree", .path = "*.jar"}, "method", "-;main;get"},
		{__LINE__, {"tree", .path = "127.*", .merge = true}, "method", "-;get"},
		{__LINE__, {"threads", .path = "127.*"}, "thread", "worker \"1\""},
		{__LINE__, {"threads", .path = "*"}, "thread", "main;worker \"1\""},
		{__LINE__, {"threads", .method = "com.acme.Fib"}, "thread", "main"},
		{__LINE__, {"threads", .method = "*.get"}, "thread", "main;worker \"1\""},
		{__LINE__, {"threads", .min = 0.5}, "thread", "main"},
		{__LINE__, {"files", .min = 0.5}, "path", "/tmp/data \"1\".db"},
		{__LINE__, {"files", .min = 0.5, .sort = "reads.ops"}, "path",
			"/tmp/data \"1\".db"},
		{__LINE__, {"files", .min = 0.001}, "path",
			"/tmp/data \"1\".db;/tmp/a.jar;example.org"},
		{__LINE__, {"io-methods", .min = 0.5}, "method", "main;get"},
		{__LINE__, {"io-tree", .min = 0.5}, "method", "-;main;get"},
		{__LINE__, {"records", .min = 0.5}, "operation", "sync"},
	};

	fixture_small(&fixture);
	for (size_t i = 0; i < COUNT(cases); i++)
		check_rows(cases[i].line, &cases[i].chosen, cases[i].key, cases[i].rows);
}

/* The row of the method (its first) or thread. */
static json_t *row_of(const json_t *report, const char *key, const char *name)
{
	json_t *row;
	size_t i;

	json_array_foreach(json_object_get(report, "rows"), i, row)
	{
		const char *text = json_string_value(json_object_get(row, key));

		if (text && strcmp(text, name) == 0)
			return row;
	}
	fail_msg("no '%s'", name);
	return NULL;
}

/* The I/O beside is what the views of I/O say. */
static void test_io_beside(void **state)
{
	static const char *const figures[][2] = {{"io.ops", "cum.all.ops"},
		{"io.bytes", "cum.all.bytes"}, {"io.ns", "cum.all.ns"}};
	static const char *const pairs[][2] = {{"methods", "io-methods"}, {"tree", "io-tree"}};
	static const char *const paths[] = {"*.db", "*.jar", "*"};

	fixture_small(&fixture);
	for (size_t p = 0; p < COUNT(paths); p++) {
		for (size_t v = 0; v < COUNT(pairs); v++) {
			json_t *beside =
				report_of(&(struct chosen){pairs[v][0], .path = paths[p]});
			json_t *io = report_of(&(struct chosen){pairs[v][1], .path = paths[p]});

			for (size_t f = 0; f < COUNT(figures); f++)
				assert_int_equal(number_of(row_of(beside, "method", "main"),
							 figures[f][0]),
					number_of(row_of(io, "method", "main"), figures[f][1]));
			json_decref(beside);
			json_decref(io);
		}
	}
	/* What is read of an entry is read of its archive, and counted once. */
	json_t *report = report_of(&(struct chosen){"threads", .path = "*a.jar"});

	assert_int_equal(number_of(row_of(report, "thread", "main"), "io.ops"), 4);
	json_decref(report);
}

/* A recursion that reads: each byte once, whoever called. */
static void test_io_of_callers(void **state)
{
	uint32_t a, b, node, file;
	json_t *report, *stanza;
	size_t i, seen = 0;

	fixture_init(&fixture);
	a = fixture_method(&fixture, "A", "a", "()V");
	b = fixture_method(&fixture, "B", "b", "()V");
	fixture_thread(&fixture, "main", 1, 1);
	file = fixture_file(&fixture, IO_FILE, 3, "/x", NULL);
	node = fixture_node(&fixture, 0, a, 1, 10, 0);
	fixture_io(&fixture, node, file, IO_READ, 1, 100);
	node = fixture_node(&fixture, node, b, 1, 10, 0);
	node = fixture_node(&fixture, node, a, 1, 10, 0);
	fixture_io(&fixture, node, file, IO_READ, 2, 200);
	report = report_of(&(struct chosen){"callers", .path = "/x"});
	json_array_foreach(json_object_get(report, "rows"), i, stanza)
	{
		const char *name = json_string_value(
			json_object_get(json_object_get(stanza, "self"), "method"));
		json_int_t ops = number_of(stanza, "self.io.ops");

		assert_int_equal(ops, strcmp(name, "a") == 0 ? 3 : 2);
		seen++;
	}
	assert_int_equal(seen, 2);
	json_decref(report);
}

/* A thread's figures are the sum of what ran in and below the methods. */
static void test_method_in_threads(void **state)
{
	json_t *report, *all;

	fixture_small(&fixture);
	report = report_of(&(struct chosen){"threads", .method = "com.acme.Fib"});
	assert_int_equal(number_of(row_of(report, "thread", "main"), "total.wall"),
		1000000 + 4000000 + 1499600 + 3000000);
	assert_int_equal(number_of(json_object_get(report, "omitted"), "total.wall"), 0);
	json_decref(report);
	report = report_of(&(struct chosen){"threads", .method = "com.acme.Main"});
	all = report_of(&(struct chosen){.view = "methods"});
	assert_int_equal(number_of(row_of(report, "thread", "main"), "total.wall"),
		number_of(row_of(all, "method", "main"), "cum.wall"));
	json_decref(report);
	json_decref(all);
}

/* What is in rows and what is left out are together what there is without --min. */
static void test_min_adds_up(void **state)
{
	static const struct {
		const char *view, *figure, *front; /* of rows: in front of the figure */
	} cases[] = {{"threads", "total.wall", ""}, {"files", "all.ns", ""},
		{"connections", "all.ns", ""}, {"entries", "reads.bytes", ""},
		{"io-methods", "base.all.ns", ""}, {"io-tree", "base.all.ns", ""},
		{"records", "ns", ""}, {"methods", "base.wall", ""}, {"tree", "base.wall", ""},
		{"callers", "base.wall", "self."}};
	static const double least[] = {0, 0.001, 0.1, 0.5, 1};

	fixture_small(&fixture);
	for (size_t i = 0; i < COUNT(cases); i++) {
		json_int_t all = 0;
		size_t rows = SIZE_MAX;
		char figure[64];

		snprintf(figure, sizeof(figure), "%s%s", cases[i].front, cases[i].figure);
		for (size_t m = 0; m < COUNT(least); m++) {
			json_t *report =
				report_of(&(struct chosen){cases[i].view, .min = least[m]});
			json_t *row, *left = json_object_get(report, "omitted");
			json_int_t sum = left ? number_of(left, cases[i].figure) : 0;
			size_t r, count = json_array_size(json_object_get(report, "rows"));

			json_array_foreach(json_object_get(report, "rows"), r, row)
			{
				sum += number_of(row, figure);
			}
			if (m == 0)
				all = sum;
			if (sum != all || count > rows)
				fail_msg("%s, %g: %lld of %lld", cases[i].view, least[m],
					(long long)sum, (long long)all);
			rows = count;
			json_decref(report);
		}
	}
}

/* People see callees that have little as one row, with what they have together; data has each. */
static void test_small_callees(void **state)
{
	struct report_request request = {.view = view_find("callers"),
		.format = &format_screen,
		.width = 100,
		.min = 0.85};
	struct error error = {0};
	uint64_t violations;
	json_t *report, *callees;
	char *text;

	fixture_small(&fixture);
	text = fixture_report(&fixture, &request, &violations, &error);
	assert_non_null(text);
	assert_int_equal(violations, 0);
	assert_non_null(strstr(text, "(2 more)\n"));
	assert_null(strstr(text, "com.acme.Box.get()"));
	/* fib's 9.5 ms and get's 0.5. */
	assert_non_null(strstr(text, " 10.0 ms "));
	free(text);
	report = report_of(&(struct chosen){"callers", .min = 0.85});
	callees =
		json_object_get(json_array_get(json_object_get(report, "rows"), 0), "callees");
	assert_int_equal(json_array_size(callees), 2);
	json_decref(report);
}

/* ---- commands ---- */

static void test_shell_words(void **state)
{
	static const struct {
		int line;
		const char *text, *word;
	} cases[] = {
		{__LINE__, "h2.jprof", "h2.jprof"},
		{__LINE__, "/tmp/a-b_c/1,2:3@x+%p", "/tmp/a-b_c/1,2:3@x+%p"},
		{__LINE__, "", "''"},
		{__LINE__, "a b", "'a b'"},
		{__LINE__, "com.acme.Foo$1.<init>", "'com.acme.Foo$1.<init>'"},
		{__LINE__, "it's", "'it'\\''s'"},
		{__LINE__, "~x", "'~x'"},
		{__LINE__, "a=b", "'a=b'"},
		{__LINE__, "gr\xc3\xbcn", "'gr\xc3\xbcn'"},
		{__LINE__, "a\x1b[2J", "$'a\\u001b[2J'"},
		{__LINE__, "a'\\\n", "$'a\\'\\\\\\u000a'"},
		{__LINE__, "a\xe2\x80\xae", "$'a\\u202e'"},
	};

	for (size_t i = 0; i < COUNT(cases); i++) {
		struct out out;

		out_init(&out, -1);
		out_shell_word(&out, cases[i].text, strlen(cases[i].text));
		out_char(&out, '\0');
		if (strcmp(out.buffer, cases[i].word) != 0)
			fail_msg("line %d: %s", cases[i].line, out.buffer);
		out_fini(&out);
	}
}

static char *overview_of(unsigned width)
{
	struct report_request request = {.view = &view_overview,
		.format = width > 0 ? &format_screen : &format_text,
		.width = width,
		.min = -1,
		.again = "jprof report 'my file.jprof'"};
	struct error error = {0};
	uint64_t violations;
	char *text = fixture_report(&fixture, &request, &violations, &error);

	assert_non_null(text);
	return text;
}

/* They name the method that used most, of those whose names can be written. */
static void test_next_steps(void **state)
{
	static const struct {
		const char *view, *behind;
	} shown[] = {
		{"callers", " --method com.acme.Fib.fib\n"}, {"tree", "\n"}, {"files", "\n"}};
	char line[128];
	char *text;

	fixture_small(&fixture);
	for (unsigned width = 0; width < 100; width += 90) {
		text = overview_of(width);
		for (size_t i = 0; i < COUNT(shown); i++) {
			snprintf(line, sizeof(line),
				"\n  jprof report 'my file.jprof' --view %s%s", shown[i].view,
				shown[i].behind);
			if (!strstr(text, line))
				fail_msg("no %s in %s", line, text);
		}
		assert_null(strstr(text, "--view lines"));
		free(text);
	}
	/* Where there is no room: in lines that a shell joins, and without packages. */
	fixture.method[METHOD_FIRST + 1].class_name =
		"com.acme.some.more.packages.and.more.Fib";
	text = overview_of(60);
	assert_non_null(strstr(text, "\n  jprof report 'my file.jprof' --view callers \\\n"
				     "      --method '*.Fib.fib'\n"));
	free(text);
	fixture.method[METHOD_FIRST + 1].name = "fib\xe2\x80\xae";
	text = overview_of(90);
	assert_non_null(strstr(text, "--method com.acme.Main.main\n"));
	free(text);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_rows),
		cmocka_unit_test(test_io_beside),
		cmocka_unit_test(test_io_of_callers),
		cmocka_unit_test(test_method_in_threads),
		cmocka_unit_test(test_min_adds_up),
		cmocka_unit_test(test_small_callees),
		cmocka_unit_test(test_shell_words),
		cmocka_unit_test(test_next_steps),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
