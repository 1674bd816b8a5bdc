/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/*
 * What is chosen by call paths, components and files, one by one and together, by figures that were added up by hand:
 *
 *   main                         calls  wall            worker      calls  wall
 *   |-- Shop.main                    1   100            |-- Logger      4    60
 *       |-- Valve.invoke            10   200                |-- Command 2     7, 7 reads of 10 bytes each of /x.db
 *       |   |-- Shop.handle         10   300
 *       |       |-- Command         20   400
 *       |       |   |-- HashMap    500    30
 *       |       |   |-- read         5    70, 5 reads of 100 bytes each of /x.db
 *       |       |-- HashMap          9     5
 *       |       |-- Logger           3    11, a write of 9 bytes to /y.log
 *       |       |-- Shop.handle      2    40
 *       |           |-- Command      1     8
 *       |-- Command                  1    13
 *
 * Each read and write takes 1000 ns.
 */
#include <jansson.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "native-tests/report/fixture.h"
#include "report/request.h"

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

static struct fixture fixture;

static int make_shop(void **state)
{
	uint32_t shop, valve, handle, command, map, read, logger, data, log, top, at, db;

	fixture_init(&fixture);
	shop = fixture_method(&fixture, "com.acme.Shop", "main", "()V");
	handle = fixture_method(&fixture, "com.acme.Shop", "handle", "()V");
	valve = fixture_method(&fixture, "org.apache.catalina.Valve", "invoke", "()V");
	command = fixture_method(&fixture, "org.h2.Command", "query", "()V");
	map = fixture_method(&fixture, "java.util.HashMap", "get", "()V");
	read = fixture_method(&fixture, "java.io.FileInputStream", "read", "()I");
	logger = fixture_method(&fixture, "org.slf4j.Logger", "info", "()V");
	data = fixture_file(&fixture, IO_FILE, 3, "/x.db", NULL);
	log = fixture_file(&fixture, IO_FILE, 4, "/y.log", NULL);
	fixture_thread(&fixture, "main", 1000, 0);
	top = fixture_node(&fixture, 0, shop, 1, 100, 0);
	at = fixture_node(&fixture, top, valve, 10, 200, 0);
	at = fixture_node(&fixture, at, handle, 10, 300, 0);
	db = fixture_node(&fixture, at, command, 20, 400, 0);
	fixture_node(&fixture, db, map, 500, 30, 0);
	fixture_io(&fixture, fixture_node(&fixture, db, read, 5, 70, 0), data, IO_READ, 5, 500);
	fixture_node(&fixture, at, map, 9, 5, 0);
	fixture_io(&fixture, fixture_node(&fixture, at, logger, 3, 11, 0), log, IO_WRITE, 1, 9);
	at = fixture_node(&fixture, at, handle, 2, 40, 0);
	fixture_node(&fixture, at, command, 1, 8, 0);
	fixture_node(&fixture, top, command, 1, 13, 0);
	fixture_thread(&fixture, "worker", 2000, 0);
	at = fixture_node(&fixture, 0, logger, 4, 60, 0);
	fixture_io(
		&fixture, fixture_node(&fixture, at, command, 2, 7, 0), data, IO_READ, 7, 70);
	return 0;
}

/* ---- reports ---- */

/* What is asked for; NULL: not. */
struct asked {
	const char *view, *path[2], *within[2], *file, *method, *thread, *definitions;
	bool by_component, merge;
};

static void add(struct pattern_list *list, const char *pattern)
{
	if (pattern)
		assert_int_equal(pattern_list_add(list, pattern), 0);
}

/* The report as data, the caller's; NULL with an error. */
static json_t *try_report(const struct asked *asked, struct error *error)
{
	struct report_request request = {.view = view_find(asked->view),
		.format = format_find("json"),
		.by_component = asked->by_component,
		.components = asked->definitions,
		.choice.merge_threads = asked->merge};
	uint64_t violations = 0;
	json_t *report = NULL;
	char *text;

	assert_non_null(request.view);
	for (int i = 0; i < 2; i++) {
		add(&request.choice.paths, asked->path[i]);
		add(&request.choice.within, asked->within[i]);
	}
	add(&request.choice.files, asked->file);
	add(&request.choice.methods, asked->method);
	add(&request.choice.threads, asked->thread);
	text = request_check(&request, &request.choice, false, error) == 0
		       ? fixture_report(&fixture, &request, &violations, error)
		       : NULL;
	assert_int_equal(violations, 0);
	if (text) {
		report = json_loads(text, JSON_REJECT_DUPLICATES, NULL);
		assert_non_null(report);
	}
	free(text);
	pattern_list_fini(&request.choice.paths);
	pattern_list_fini(&request.choice.within);
	pattern_list_fini(&request.choice.files);
	pattern_list_fini(&request.choice.methods);
	pattern_list_fini(&request.choice.threads);
	return report;
}

static json_t *report_of(const struct asked *asked)
{
	struct error error = {0};
	json_t *report = try_report(asked, &error);

	if (!report)
		fail_msg("%s: %s", asked->view, error.text);
	return report;
}

static const json_t *at(const json_t *row, const char *path)
{
	char part[64];

	while (*path != '\0') {
		size_t length = strcspn(path, ".");

		snprintf(part, sizeof(part), "%.*s", (int)length, path);
		row = json_object_get(row, part);
		path += length + (path[length] == '.');
	}
	return row;
}

/* What the row is called: a method, without it a component, thread or file. */
static const char *name_of(const json_t *row)
{
	static const char *const keys[] = {"method", "component", "path", "thread"};
	const char *name = NULL;

	for (size_t i = 0; i < COUNT(keys) && !name; i++)
		name = json_string_value(json_object_get(row, keys[i]));
	return name;
}

/* "Shop.main 1 0 551": of each row the name, and the numbers at those paths. */
static void tell_rows(
	const json_t *report, const char *const figures[3], char *text, size_t size)
{
	const json_t *row;
	size_t i, used = 0;

	text[0] = '\0';
	json_array_foreach(json_object_get(report, "rows"), i, row)
	{
		used += (size_t)snprintf(
			text + used, size - used, "%s%s", i > 0 ? "; " : "", name_of(row));
		for (int f = 0; f < 3 && figures[f]; f++)
			used += (size_t)snprintf(text + used, size - used, " %lld",
				(long long)json_integer_value(at(row, figures[f])));
	}
}

struct rows_case {
	int line;
	struct asked asked;
	const char *figures[3], *rows;
};

static void check_rows(const struct rows_case *cases, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		json_t *report = report_of(&cases[i].asked);
		char text[1024];

		tell_rows(report, cases[i].figures, text, sizeof(text));
		if (strcmp(text, cases[i].rows) != 0)
			fail_msg("line %d: '%s'", cases[i].line, text);
		json_decref(report);
	}
}

/* ---- call paths ---- */

#define CALLS                                                                                  \
	{                                                                                      \
		"calls", "base.wall", "cum.wall"                                               \
	}

static void test_paths(void **state)
{
	static const struct rows_case cases[] = {
		/* The callers lead to it, and did nothing themselves. */
		{__LINE__, {"tree", .path = {"org.h2.*"}, .thread = "main"}, CALLS,
			"main 0 0 521; main 0 0 521; invoke 0 0 508; handle 0 0 508; "
			"query 20 400 500; read 5 70 70; get 500 30 30; handle 0 0 8; "
			"query 1 8 8; query 1 13 13"},
		{__LINE__, {"tree", .path = {"org.h2.Command.query"}, .thread = "worker"},
			CALLS, "worker 0 0 7; info 0 0 7; query 2 7 7"},
		/* What the inner call did is in the outer one's. */
		{__LINE__, {"methods", .path = {"*.Shop.handle"}}, CALLS,
			"query 21 408 508; handle 12 340 864; read 5 70 70; get 509 35 35; "
			"info 3 11 11; main 0 0 864; invoke 0 0 864"},
		/* Any of them; a class is all its methods. */
		{__LINE__, {"methods", .path = {"org.slf4j.Logger", "java.io.*"}}, CALLS,
			"info 7 71 78; read 5 70 70; query 2 7 77; main 0 0 81; handle 0 0 81; "
			"invoke 0 0 81"},
		{__LINE__, {"methods", .path = {"*.Shop.handle"}, .method = "*.get"}, CALLS,
			"get 509 35 35"},
		{__LINE__, {"threads", .path = {"*.Shop.handle"}}, {"total.wall"}, "main 864"},
		{__LINE__, {"threads", .path = {"org.slf4j.*"}}, {"total.wall"},
			"main 11; worker 67"},
		{__LINE__, {"tree", .path = {"org.slf4j.*"}, .merge = true}, CALLS,
			"(all threads) 0 0 78; info 4 60 67; query 2 7 7; main 0 0 11; "
			"invoke 0 0 11; handle 0 0 11; info 3 11 11"},
		{__LINE__, {"files", .path = {"*.Shop.handle"}},
			{"reads.bytes", "writes.bytes"}, "/x.db 500 0; /y.log 0 9"},
		{__LINE__, {"files", .path = {"*.Logger.info"}},
			{"reads.bytes", "writes.bytes"}, "/x.db 70 0; /y.log 0 9"},
		{__LINE__, {"io-methods", .path = {"*.Logger.info"}},
			{"base.all.bytes", "cum.all.bytes"},
			"info 9 79; query 70 70; main 0 9; handle 0 9; invoke 0 9"},
		{__LINE__, {"components", .path = {"*.Shop.handle"}}, CALLS,
			"JDBC and database 21 438 508; (application) 10 345 864; "
			"JDK I/O 5 70 70; logging 3 11 11; servlet container 0 0 864"},
	};

	check_rows(cases, COUNT(cases));
}

/* ---- components ---- */

static void test_components(void **state)
{
	static const struct rows_case cases[] = {
		/* Of the JDK what it calls; not what others call. */
		{__LINE__, {"methods", .within = {"JDBC*"}}, CALLS,
			"query 24 428 528; read 5 70 70; get 500 30 30; main 0 0 521; handle 0 "
			"0 508; invoke 0 0 508; info 0 0 7"},
		{__LINE__, {"components", .within = {"JDBC*"}}, CALLS,
			"JDBC and database 24 458 528; JDK I/O 5 70 70; (application) 0 0 521; "
			"servlet container 0 0 508; logging 0 0 7"},
		{__LINE__, {"threads", .within = {"servlet container"}}, {"total.wall"},
			"main 1064"},
		{__LINE__, {"threads", .within = {"logging", "JDBC*"}}, {"total.wall"},
			"main 532; worker 67"},
		{__LINE__, {"files", .within = {"logging"}}, {"reads.bytes", "writes.bytes"},
			"/x.db 70 0; /y.log 0 9"},
		{__LINE__, {"component-tree", .within = {"logging"}}, CALLS,
			"(all threads) 0 0 78; logging 4 60 67; JDBC and database 2 7 7; "
			"(application) 0 0 11; servlet container 0 0 11; (application) 0 0 11; "
			"logging 3 11 11"},
		/* Each method in its own: a HashMap is none of the database's. */
		{__LINE__, {"methods", .within = {"JDK collections"}, .definitions = "kinds"},
			CALLS,
			"get 509 35 35; main 0 0 35; handle 0 0 35; invoke 0 0 35; query 0 0 "
			"30"},
		{__LINE__,
			{"methods", .within = {"JDBC*"}, .definitions = "layers",
				.by_component = true},
			CALLS,
			"JDBC and database 24 458 528; JDK I/O 5 70 70; (application) 0 0 521; "
			"servlet container 0 0 508; logging 0 0 7"},
		/* Both hold. */
		{__LINE__, {"methods", .path = {"*.Logger.info"}, .within = {"JDBC*"}}, CALLS,
			"query 2 7 7; info 0 0 7"},
	};

	check_rows(cases, COUNT(cases));
}

/* ---- files ---- */

#define IO                                                                                     \
	{                                                                                      \
		"io.ops", "io.bytes", "cum.wall"                                               \
	}

static void test_files(void **state)
{
	static const struct rows_case cases[] = {
		{__LINE__, {"methods", .file = "*.log"}, IO,
			"main 1 9 1177; handle 1 9 864; invoke 1 9 1064; info 1 9 78"},
		{__LINE__, {"methods", .path = {"*.Shop.handle"}, .file = "*.db"}, IO,
			"main 5 500 864; handle 5 500 864; invoke 5 500 864; query 5 500 508; "
			"read 5 500 70"},
		{__LINE__, {"threads", .file = "*.log"}, {"io.bytes", "total.wall"},
			"main 9 2177"},
		{__LINE__, {"components", .file = "*.log"},
			{"io.cum.all.bytes", "io.base.all.bytes", "cum.wall"},
			"(application) 9 0 1177; servlet container 9 0 1064; logging 9 9 78"},
		{__LINE__, {"component-tree", .file = "*.log"}, IO,
			"(all threads) 1 9 4244; (application) 1 9 1177; "
			"servlet container 1 9 1064; (application) 1 9 864; logging 1 9 11"},
		{__LINE__,
			{"components", .path = {"*.Valve.*"}, .within = {"logging"},
				.file = "*.log"},
			{"io.cum.all.bytes", "base.wall", "cum.wall"},
			"(application) 9 0 11; servlet container 9 0 11; logging 9 11 11"},
	};

	check_rows(cases, COUNT(cases));
}

/* ---- what cannot be ---- */

static void test_refused(void **state)
{
	static const struct {
		int line;
		struct asked asked;
		const char *says;
	} cases[] = {
		{__LINE__, {"summary", .path = {"x"}},
			"--path is not for 'summary': it is of all that was recorded"},
		{__LINE__, {"gc", .within = {"x"}},
			"--component is not for 'gc': it is of all that was recorded"},
		{__LINE__, {"gc", .thread = "x"},
			"--thread is not for 'gc': it is of all that was recorded"},
		{__LINE__, {"objects", .file = "x"},
			"--file is for tree, methods, callers, components, component-tree, "
			"applications, threads, values, tags, files, connections, entries, "
			"io-methods, io-tree and records, not for 'objects'"},
		{__LINE__, {"threads", .definitions = "kinds"},
			"--components is for tree, methods, callers, components, "
			"component-tree, "
			"states, io-methods and io-tree, not for 'threads'"},
		{__LINE__, {"tree", .path = {"nothing"}},
			"no method of the profile matches 'nothing'"},
		{__LINE__, {"tree", .path = {"*.db"}},
			"no method of the profile matches '*.db': files are chosen by --file"},
		{__LINE__,
			{"tree", .path = {"*.Command.*"}, .within = {"servlet*"},
				.thread = "worker"},
			NULL},
		{__LINE__, {"methods", .path = {"*.main"}, .within = {"messaging"}},
			"nothing was done below calls of '*.main' and what else is chosen"},
		{__LINE__, {"methods", .within = {"messaging"}},
			"nothing was done within 'messaging'"},
	};

	for (size_t i = 0; i < COUNT(cases); i++) {
		struct error error = {0};
		json_t *report = try_report(&cases[i].asked, &error);

		if (cases[i].says ? report || strcmp(error.text, cases[i].says) != 0 : !report)
			fail_msg("line %d: '%s'", cases[i].line, error.text);
		json_decref(report);
	}
}

/* One that is nearly right is named. */
static void test_unknown_component(void **state)
{
	const struct asked asked = {"methods", .within = {"loging"}};
	struct error error = {0};

	assert_null(try_report(&asked, &error));
	assert_non_null(strstr(error.text,
		"no component is called 'loging'; did you mean 'logging'? the components are "
		"(application), servlet container, "));
}

/* ---- what is said of it ---- */

static void test_said(void **state)
{
	struct report_request request = {
		.view = view_find("methods"), .format = format_find("text")};
	struct error error = {0};
	uint64_t violations;
	char *text;

	add(&request.choice.paths, "*.Shop.handle");
	add(&request.choice.paths, "*.Logger.info");
	add(&request.choice.within, "JDBC*");
	text = fixture_report(&fixture, &request, &violations, &error);
	assert_non_null(text);
	assert_ptr_equal(strstr(text, "only what was done below calls of *.Shop.handle, "
				      "*.Logger.info, within components like JDBC*\n"),
		text);
	free(text);
	pattern_list_fini(&request.choice.paths);
	pattern_list_fini(&request.choice.within);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_paths),
		cmocka_unit_test(test_components),
		cmocka_unit_test(test_files),
		cmocka_unit_test(test_refused),
		cmocka_unit_test(test_unknown_component),
		cmocka_unit_test(test_said),
	};

	return cmocka_run_group_tests(tests, make_shop, NULL);
}
