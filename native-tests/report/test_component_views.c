/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/*
 * What methods are put together as components, by figures that were added up by hand:
 *
 *   main                         calls  wall            worker      calls  wall
 *   |-- Shop.main                    1   100            |-- Logger      4    60
 *       |-- Valve.invoke            10   200                |-- HashMap 8     6
 *           |-- Filter.doFilter     10    50
 *               |-- Shop.handle     10   300
 *                   |-- Command     20   400
 *                   |   |-- HashMap 500   30
 *                   |   |-- read      5   70, 5 reads of 100 bytes
 *                   |   |-- Shop.compare 3 11
 *                   |       |-- Command  2 40
 *                   |-- HashMap      9     5
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>
#include <jansson.h>

#include "native-tests/report/fixture.h"

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

static struct fixture fixture;

enum { OUTSIDE = 1000 };

static void make_shop(void)
{
	uint32_t shop, valve, filter, handle, command, map, read, compare, logger, file, at, db;

	fixture_init(&fixture);
	shop = fixture_method(&fixture, "com.acme.Shop", "main", "()V");
	handle = fixture_method(&fixture, "com.acme.Shop", "handle", "()V");
	compare = fixture_method(&fixture, "com.acme.Shop", "compare", "()V");
	valve = fixture_method(&fixture, "org.apache.catalina.Valve", "invoke", "()V");
	filter = fixture_method(&fixture, "javax.servlet.Filter", "doFilter", "()V");
	command = fixture_method(&fixture, "org.h2.Command", "query", "()V");
	map = fixture_method(&fixture, "java.util.HashMap", "get", "()V");
	read = fixture_method(&fixture, "java.io.FileInputStream", "read", "()I");
	logger = fixture_method(&fixture, "org.slf4j.Logger", "info", "()V");
	file = fixture_file(&fixture, IO_FILE, 3, "/x.db", NULL);
	fixture_thread(&fixture, "main", OUTSIDE, 0);
	at = fixture_node(&fixture, 0, shop, 1, 100, 0);
	at = fixture_node(&fixture, at, valve, 10, 200, 0);
	at = fixture_node(&fixture, at, filter, 10, 50, 0);
	at = fixture_node(&fixture, at, handle, 10, 300, 0);
	db = fixture_node(&fixture, at, command, 20, 400, 0);
	fixture_node(&fixture, at, map, 9, 5, 0);
	fixture_node(&fixture, db, map, 500, 30, 0);
	at = fixture_node(&fixture, db, read, 5, 70, 0);
	fixture_io(&fixture, at, file, IO_READ, 5, 500);
	at = fixture_node(&fixture, db, compare, 3, 11, 0);
	fixture_node(&fixture, at, command, 2, 40, 0);
	fixture_thread(&fixture, "worker", 0, 0);
	at = fixture_node(&fixture, 0, logger, 4, 60, 0);
	fixture_node(&fixture, at, map, 8, 6, 0);
}

/* The report as data; the caller's. definitions: a name, or JSON for a file. */
static json_t *report_of(const char *view, const char *definitions, bool by, bool merge)
{
	char path[] = "/tmp/jprof-components-XXXXXX";
	bool is_json = definitions && definitions[0] == '{';
	int fd = is_json ? mkstemp(path) : -1;
	struct report_request request = {.view = view_find(view),
		.format = format_find("json"),
		.by_component = by,
		.components = is_json ? path : definitions,
		.choice.merge_threads = merge};
	struct error error = {0};
	uint64_t violations;
	json_t *report;
	char *text;

	if (is_json) {
		size_t length = strlen(definitions);

		assert_int_equal(write(fd, definitions, length), (ssize_t)length);
		close(fd);
	}
	text = fixture_report(&fixture, &request, &violations, &error);
	if (is_json)
		unlink(path);
	if (!text)
		fail_msg("%s: %s", view, error.text);
	assert_int_equal(violations, 0);
	report = json_loads(text, JSON_REJECT_DUPLICATES, NULL);
	assert_non_null(report);
	free(text);
	return report;
}

/* "base.wall" of a row; -1: it has none. */
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

static const json_t *row_of(const json_t *report, const char *key, const char *name)
{
	const json_t *row;
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

struct expected {
	const char *name;
	json_int_t calls, methods, base, cum;
};

/* Those rows, and no others, whose bases add up with what ran outside of all methods. */
static void check_rows(const json_t *report, const struct expected *rows, size_t count)
{
	json_int_t sum = number_of(json_object_get(report, "outside"), "base.wall");

	assert_int_equal(json_array_size(json_object_get(report, "rows")), count);
	for (size_t i = 0; i < count; i++) {
		const json_t *row = row_of(report, "component", rows[i].name);

		if (number_of(row, "calls") != rows[i].calls ||
			number_of(row, "methods") != rows[i].methods ||
			number_of(row, "base.wall") != rows[i].base ||
			number_of(row, "cum.wall") != rows[i].cum)
			fail_msg("%s: calls %lld, methods %lld, base %lld, cum %lld",
				rows[i].name, number_of(row, "calls"),
				number_of(row, "methods"), number_of(row, "base.wall"),
				number_of(row, "cum.wall"));
		sum += rows[i].base;
	}
	assert_int_equal(sum, OUTSIDE + 1272);
}

/* ---- the flat view ---- */

/* What the JDK does for a layer is that layer's. */
static void test_layers(void **state)
{
	static const struct expected rows[] = {
		{"(application)", 1 + 10 + 3, 4, 100 + 300 + 5 + 11, 1206},
		{"servlet container", 10, 2, 250, 1106},
		/* Its second call, through the application, is within the first. */
		{"JDBC and database", 20 + 2, 2, 400 + 30 + 40, 551},
		{"JDK I/O", 5, 1, 70, 70},
		{"logging", 4, 2, 66, 66},
	};
	json_t *report;

	make_shop();
	report = report_of("components", NULL, false, false);
	check_rows(report, rows, COUNT(rows));
	assert_string_equal(
		json_string_value(json_object_get(
			json_array_get(json_object_get(report, "rows"), 0), "component")),
		"JDBC and database");
	json_decref(report);
}

static void test_kinds(void **state)
{
	static const struct expected rows[] = {
		{"(application)", 14, 3, 100 + 300 + 11, 1206},
		{"servlet container", 10, 2, 250, 1106},
		{"JDBC and database", 22, 1, 440, 551},
		{"JDK collections", 500 + 9 + 8, 1, 41, 41},
		{"JDK I/O", 5, 1, 70, 70},
		{"logging", 4, 1, 60, 66},
	};
	json_t *report;

	make_shop();
	report = report_of("components", "kinds", false, false);
	check_rows(report, rows, COUNT(rows));
	json_decref(report);
}

/* A call of Command begins the database; all below Shop.handle is a request, but for what has entries. */
static void test_entries(void **state)
{
	static const char definitions[] =
		"{\"components\": ["
		"{\"name\": \"request\", \"methods\": [\"com.acme.*\"],"
		" \"entries\": [\"com.acme.Shop.handle\"], \"below\": true},"
		"{\"name\": \"db\", \"methods\": [\"java.io.*\"],"
		" \"entries\": [\"org.h2.Command.query\"]},"
		"{\"name\": \"log\", \"methods\": [\"org.slf4j.*\"]}]}";
	static const struct expected rows[] = {
		/* Shop.main is no entry. */
		{"(application)", 1 + 500 + 8, 4, 100 + 250 + 30 + 6, 1212},
		{"request", 10, 2, 300 + 5, 856},
		{"db", 20, 3, 400 + 70 + 11 + 40, 551},
		{"log", 4, 1, 60, 66},
	};
	json_t *report;

	make_shop();
	report = report_of("components", definitions, false, false);
	check_rows(report, rows, COUNT(rows));
	json_decref(report);
}

static void test_io(void **state)
{
	static const struct {
		const char *name, *base, *cum;
		json_int_t of_base, of_cum;
	} cases[] = {
		{"JDK I/O", "io.base.reads.bytes", "io.cum.all.bytes", 500, 500},
		{"JDBC and database", "io.base.all.ops", "io.cum.reads.ops", 0, 5},
		/* Of both its calls the outer one counts. */
		{"(application)", "io.base.all.bytes", "io.cum.reads.bytes", 0, 500},
		{"servlet container", "io.base.all.ns", "io.cum.all.ns", 0, 5000},
		{"logging", "io.base.all.ops", "io.cum.all.ops", 0, 0},
	};
	json_t *report;

	make_shop();
	report = report_of("components", NULL, false, false);
	for (size_t i = 0; i < COUNT(cases); i++) {
		const json_t *row = row_of(report, "component", cases[i].name);

		assert_int_equal(number_of(row, cases[i].base), cases[i].of_base);
		assert_int_equal(number_of(row, cases[i].cum), cases[i].of_cum);
	}
	json_decref(report);
}

/* What traces tell of nodes: objects, also where nothing else has found the path. */
static void test_objects(void **state)
{
	json_t *report;

	make_shop();
	fixture.profile.account[fixture.profile.account_count++] =
		(struct profile_account){.node = 7, /* the map below Command */
			.subject = METHOD_FIRST,
			.kind = OBJECTS_ALLOCATED,
			.count = 3,
			.amount = 48};
	report = report_of("components", NULL, false, false);
	assert_int_equal(number_of(row_of(report, "component", "JDBC and database"),
				 "allocated.base.bytes"),
		48);
	assert_int_equal(number_of(row_of(report, "component", "(application)"),
				 "allocated.cum.objects"),
		3);
	assert_int_equal(number_of(row_of(report, "component", "(application)"),
				 "allocated.base.objects"),
		0);
	json_decref(report);
}

/* Waits for what somebody held, by the paths that they are told with: the map waits in the database, and idly. */
static void test_waits(void **state)
{
	static struct profile_path path[3];
	static struct profile_contention contention[2];
	json_t *report;

	make_shop();
	path[0] = (struct profile_path){.method = METHOD_FIRST + 1};              /* handle */
	path[1] = (struct profile_path){.parent = 1, .method = METHOD_FIRST + 5}; /* query */
	path[2] = (struct profile_path){.parent = 2, .method = METHOD_FIRST + 6}; /* map */
	contention[0] = (struct profile_contention){
		.node = 3, .thread = 10, .kind = LOCKS_BLOCK, .count = 2, .ns = 700};
	contention[1] = (struct profile_contention){
		.node = 3, .thread = 10, .kind = LOCKS_PARK, .count = 1, .ns = 9999};
	fixture.profile.path = path;
	fixture.profile.path_count = COUNT(path);
	fixture.profile.contention = contention;
	fixture.profile.contention_count = COUNT(contention);
	report = report_of("components", NULL, false, false);
	assert_int_equal(
		number_of(row_of(report, "component", "JDBC and database"), "waits.base.ns"),
		700);
	assert_int_equal(
		number_of(row_of(report, "component", "(application)"), "waits.cum.count"), 2);
	assert_int_equal(
		number_of(row_of(report, "component", "(application)"), "waits.base.count"), 0);
	assert_int_equal(number_of(row_of(report, "component", "logging"), "waits.cum.ns"), 0);
	json_decref(report);
}

/* ---- trees, and other views by component ---- */

/* "level name base cum" of the rows, in their order; of a thread "-". */
static void check_tree(const json_t *report, const char *expected)
{
	char text[1000] = "";
	const json_t *row;
	size_t i;

	json_array_foreach(json_object_get(report, "rows"), i, row)
	{
		size_t used = strlen(text);
		const char *name = json_string_value(json_object_get(row, "method"));

		snprintf(text + used, sizeof(text) - used, "%lld %s %lld %lld\n",
			number_of(row, "level"), name ? name : "-", number_of(row, "base.wall"),
			number_of(row, "cum.wall"));
	}
	assert_string_equal(text, expected);
}

#define MAIN_TREE                                                                              \
	"1 (application) 100 1206\n"                                                           \
	"2 servlet container 250 1106\n"                                                       \
	"3 (application) 305 856\n"                                                            \
	"4 JDBC and database 430 551\n"                                                        \
	"5 JDK I/O 70 70\n"                                                                    \
	"5 (application) 11 51\n"                                                              \
	"6 JDBC and database 40 40\n"
#define WORKER_TREE "1 logging 66 66\n"

static void test_tree(void **state)
{
	json_t *report;

	make_shop();
	report = report_of("component-tree", NULL, false, false);
	check_tree(report, "0 - 1000 2272\n" MAIN_TREE WORKER_TREE);
	json_decref(report);
	report = report_of("tree", NULL, true, true);
	check_tree(report, "0 - 1000 2272\n" MAIN_TREE WORKER_TREE);
	json_decref(report);
	report = report_of("tree", NULL, true, false);
	check_tree(report, "0 - 1000 2206\n" MAIN_TREE "0 - 0 66\n" WORKER_TREE);
	json_decref(report);
	/* To name definitions is to ask for it. */
	report = report_of("tree", "layers", false, false);
	check_tree(report, "0 - 1000 2206\n" MAIN_TREE "0 - 0 66\n" WORKER_TREE);
	json_decref(report);
}

/* Its four sums are checked as it is printed. */
static void test_callers(void **state)
{
	json_t *report;
	const json_t *stanza;
	size_t i, seen = 0;

	make_shop();
	report = report_of("callers", NULL, true, false);
	json_array_foreach(json_object_get(report, "rows"), i, stanza)
	{
		const json_t *self = json_object_get(stanza, "self");

		if (strcmp(json_string_value(json_object_get(self, "method")),
			    "JDBC and database") != 0)
			continue;
		assert_int_equal(number_of(self, "cum.wall"), 551);
		assert_int_equal(json_array_size(json_object_get(stanza, "callers")), 1);
		assert_int_equal(json_array_size(json_object_get(stanza, "callees")), 2);
		seen++;
	}
	assert_int_equal(seen, 1);
	json_decref(report);
}

static void test_io_by_component(void **state)
{
	json_t *report;

	make_shop();
	report = report_of("io-methods", NULL, true, false);
	assert_int_equal(number_of(row_of(report, "method", "JDK I/O"), "base.all.bytes"), 500);
	assert_int_equal(
		number_of(row_of(report, "method", "(application)"), "cum.all.bytes"), 500);
	json_decref(report);
}

/* ---- what samples have found ---- */

/* A native function below the database, and a thread of the JVM that is not the program's. */
static void test_samples(void **state)
{
	uint32_t command, copy, compile, at;
	json_t *report;

	fixture_init(&fixture);
	fixture.profile.metric_count = 0;
	command = fixture_method(&fixture, "org.h2.Command", "query", "()V");
	copy = fixture_method(&fixture, "libc.so.6", "memcpy", NULL);
	fixture.method[copy].kind = METHOD_NATIVE;
	compile = fixture_method(&fixture, "libjvm.so", "Compile", NULL);
	fixture.method[compile].kind = METHOD_JVM;
	fixture_condition(&fixture, "cpu:1ms", "cpu", 1000000, "ns", "timer");
	fixture_thread(&fixture, "main", 0, 0);
	at = fixture_node(&fixture, 0, command, 0, 0, 0);
	fixture.node[at].sampled = true;
	fixture_samples(&fixture, at, 0, SAMPLE_C2, 17, 5);
	fixture_samples(&fixture, at, 0, SAMPLE_C2, 18, 2);
	at = fixture_node(&fixture, at, copy, 0, 0, 0);
	fixture.node[at].sampled = true;
	fixture_samples(&fixture, at, 0, SAMPLE_NATIVE, 0, 4);
	fixture_thread(&fixture, "C2 CompilerThread0", 0, 0);
	fixture.thread[1].java_id = 0;
	at = fixture_node(&fixture, 0, compile, 0, 0, 0);
	fixture.profile.node[fixture.profile.node_count - 1].sampled = true;
	fixture_samples(&fixture, at, 0, SAMPLE_JVM, 0, 90);
	report = report_of("components", NULL, false, false);
	assert_int_equal(json_array_size(json_object_get(report, "rows")), 1);
	assert_int_equal(
		number_of(row_of(report, "component", "JDBC and database"), "samples.cpu"), 11);
	json_decref(report);
	report = report_of("components", "kinds", false, false);
	assert_int_equal(
		number_of(row_of(report, "component", "JDBC and database"), "samples.cpu"), 7);
	assert_int_equal(
		number_of(row_of(report, "component", "JDBC and database"), "samples_cum.cpu"),
		11);
	assert_int_equal(
		number_of(row_of(report, "component", "native and kernel"), "samples.cpu"), 4);
	json_decref(report);
}

/* ---- paths that were folded ---- */

/* A flat node is beside what called it: the rest of its calls. */
static void test_folded(void **state)
{
	uint32_t command, at;
	json_t *report;

	make_shop();
	command = fixture.node[5].method;
	fixture_thread(&fixture, "third", 0, 0);
	at = fixture_node(&fixture, 0, METHOD_FOLDED, 0, 0, 0);
	fixture_node(&fixture, at, command, 6, 13, 0);
	report = report_of("components", NULL, false, false);
	assert_int_equal(
		number_of(row_of(report, "component", "JDBC and database"), "base.wall"),
		470 + 13);
	assert_int_equal(
		number_of(row_of(report, "component", "JDBC and database"), "calls"), 28);
	assert_true(json_is_true(json_object_get(
		row_of(report, "component", "JDBC and database"), "cum_at_least")));
	json_decref(report);
}

/* ---- choices ---- */

static void test_refused(void **state)
{
	struct report_request request = {.view = view_find("components"),
		.format = format_find("json"),
		.components = "/nowhere.json"};
	struct error error = {0};
	uint64_t violations;

	make_shop();
	assert_null(fixture_report(&fixture, &request, &violations, &error));
	assert_string_equal(
		error.text, "cannot open '/nowhere.json': No such file or directory");
}

/* --method chooses components by their names, in a tree with what they call. */
static void test_chosen(void **state)
{
	struct report_request request = {
		.view = view_find("component-tree"), .format = format_find("json")};
	struct error error = {0};
	uint64_t violations;
	json_t *report;
	char *text;

	make_shop();
	assert_int_equal(pattern_list_add(&request.choice.methods, "log*"), 0);
	text = fixture_report(&fixture, &request, &violations, &error);
	report = json_loads(text, 0, NULL);
	check_tree(report, "0 - 1000 2272\n" WORKER_TREE);
	json_decref(report);
	free(text);
	pattern_list_fini(&request.choice.methods);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_layers),
		cmocka_unit_test(test_kinds),
		cmocka_unit_test(test_entries),
		cmocka_unit_test(test_io),
		cmocka_unit_test(test_objects),
		cmocka_unit_test(test_waits),
		cmocka_unit_test(test_tree),
		cmocka_unit_test(test_callers),
		cmocka_unit_test(test_io_by_component),
		cmocka_unit_test(test_samples),
		cmocka_unit_test(test_folded),
		cmocka_unit_test(test_refused),
		cmocka_unit_test(test_chosen),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
