/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/*
 * Findings: each rule at the edges of its thresholds, what the view makes of them, names that mean harm, and what is
 * written down about the rules.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>
#include <jansson.h>

#include "native-tests/report/fixture.h"
#include "report/findings/findings.h"

static struct fixture fixture;
static struct adjustment adjustment; /* what is known of jprof's cost */
static const char *thread;           /* the one that is chosen; NULL: all are looked at */

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))
#define MS           1000000ull

/* ---- looking ---- */

/* What one rule found; its own texts are gone with the model, so kept here. */
struct seen {
	size_t count;
	enum finding_severity severity;
	uint64_t value;
	double share;
	char title[512], evidence[2048], command[1024], method[256], path[512], file[256];
};

static void keep(char *to, size_t size, const char *text)
{
	snprintf(to, size, "%s", text ? text : "");
}

static struct seen look(const char *rule)
{
	struct model_choice choice = {.merge_threads = true, .program_alone = true};
	struct error error = {0};
	struct findings findings;
	struct seen seen = {0};
	struct model model;

	if (adjustment.own_cost.is_known)
		choice.adjustment = &adjustment;
	if (thread)
		assert_int_equal(pattern_list_add(&choice.threads, thread), 0);
	assert_int_equal(model_init(&model, &fixture.profile, &choice, &error), 0);
	assert_int_equal(
		findings_find(&findings, &(struct findings_input){.model = &model}), 0);
	for (size_t i = 0; i < findings.count; i++) {
		const struct finding *finding = &findings.finding[i];
		const struct label *path;
		size_t depth;

		if (strcmp(finding->rule->name, rule) != 0)
			continue;
		if (seen.count++ > 0)
			continue;
		seen.severity = finding->severity;
		seen.value = finding->value;
		seen.share = finding->share;
		keep(seen.title, sizeof(seen.title), finding->title);
		keep(seen.evidence, sizeof(seen.evidence), finding->evidence);
		keep(seen.command, sizeof(seen.command), finding->command);
		if (finding->method != METHOD_ROOT)
			keep(seen.method, sizeof(seen.method),
				model.method[finding->method].display.text);
		if (finding->file > 0)
			keep(seen.file, sizeof(seen.file),
				fixture.file[finding->file - 1].name);
		path = finding_path(&model, finding, &depth);
		for (size_t level = 0; level < depth; level++)
			snprintf(seen.path + strlen(seen.path),
				sizeof(seen.path) - strlen(seen.path), "%s/", path[level].text);
	}
	model_fini(&model);
	pattern_list_fini(&choice.threads);
	return seen;
}

static void expect(int line, const char *rule, bool wanted)
{
	struct seen seen = look(rule);

	if ((seen.count > 0) != wanted)
		fail_msg("line %d: '%s' has %zu findings: %s", line, rule, seen.count,
			seen.evidence);
}

static void expect_of(int line, const char *name, const char *rule, bool wanted)
{
	thread = name;
	expect(line, rule, wanted);
	thread = NULL;
}

static void fact(const char *key, const char *value)
{
	fixture.meta[fixture.profile.meta_count++] = (struct profile_meta){key, value};
}

/* ---- profiles ---- */

enum { MAIN = 1, WORK = 2 }; /* nodes of the first thread */

/* A program: main calls com.acme.Ledger.add, which used so much processor time. */
static void program(uint64_t cpu, uint64_t calls)
{
	uint32_t main_id, add;

	fixture_init(&fixture);
	memset(&adjustment, 0, sizeof(adjustment));
	fixture.profile.metric[0] =
		(struct profile_metric){.name = "cpu", .unit = "ns", .how = "clock"};
	fact("calls", "instrument");
	main_id = fixture_method(&fixture, "com.acme.Main", "main", "()V");
	add = fixture_method(&fixture, "com.acme.Ledger", "add", "()V");
	fixture_thread(&fixture, "main", 0, 0);
	assert_int_equal(fixture_node(&fixture, 0, main_id, 1, 0, 0), MAIN);
	assert_int_equal(fixture_node(&fixture, MAIN, add, calls, cpu, 0), WORK);
}

static void operations(uint32_t node, uint32_t file, enum account_kind kind, uint64_t ops,
	uint64_t bytes, uint64_t ns)
{
	fixture_io(&fixture, node, file, kind, ops, bytes);
	fixture.account[fixture.profile.account_count - 1].ns = ns;
}

/* The same of samples alone: main calls the method, whose samples are there. Returns its node. */
static uint32_t sampled_program(uint64_t samples)
{
	uint32_t main_id, add, node;

	fixture_init(&fixture);
	memset(&adjustment, 0, sizeof(adjustment));
	fact("calls", "sample");
	fixture_condition(&fixture, "cpu:1ms", "cpu", MS, "ns", "perf task-clock");
	main_id = fixture_method(&fixture, "com.acme.Main", "main", "()V");
	add = fixture_method(&fixture, "com.acme.Ledger", "add", "()V");
	fixture_thread(&fixture, "main", 0, 0);
	node = fixture_node(&fixture, 0, main_id, 0, 0, 0);
	fixture.node[node].sampled = true;
	node = fixture_node(&fixture, node, add, 0, 0, 0);
	fixture.node[node].sampled = true;
	if (samples > 0)
		fixture_samples(&fixture, node, 0, SAMPLE_C2, 7, samples);
	return node;
}

static uint32_t below(uint32_t node, const char *class_name, const char *name,
	enum sample_state state, uint64_t samples)
{
	uint32_t method = fixture_method(&fixture, class_name, name, "()V");
	uint32_t at = fixture_node(&fixture, node, method, 0, 0, 0);

	fixture.node[fixture.profile.node_count - 1].sampled = true;
	if (samples > 0)
		fixture_samples(&fixture, at, 0, state, 7, samples);
	return at;
}

static void jvm_thread(const char *name, enum sample_state state, uint64_t samples)
{
	fixture_thread(&fixture, name, 0, 0);
	fixture.thread[fixture.profile.thread_count - 1].java_id = 0;
	fixture_samples(&fixture, 0, 0, state, 0, samples);
}

/* ---- I/O ---- */

static void test_small(void **state)
{
	static const struct {
		int line;
		const char *rule;
		enum io_kind file;
		enum account_kind op;
		uint64_t ops, bytes, ns, opens, cpu;
		bool found;
	} cases[] = {
		{__LINE__, "small-writes", IO_FILE, IO_WRITE, 1000, 512000, 50 * MS, 1, 0,
			true},
		{__LINE__, "small-writes", IO_FILE, IO_WRITE, 999, 511488, 50 * MS, 1, 0,
			false},
		{__LINE__, "small-writes", IO_FILE, IO_WRITE, 1000, 512001, 50 * MS, 1, 0,
			false},
		{__LINE__, "small-writes", IO_FILE, IO_WRITE, 1000, 512, 50 * MS - 1, 1, 0,
			false},
		{__LINE__, "small-writes", IO_FILE, IO_WRITE, 1000, 512, 50 * MS, 1, 950 * MS,
			true},
		{__LINE__, "small-writes", IO_FILE, IO_WRITE, 1000, 512, 50 * MS, 1, 951 * MS,
			false},
		/* Opened for each ten: another rule's. */
		{__LINE__, "small-writes", IO_FILE, IO_WRITE, 1000, 512, 50 * MS, 100, 0,
			false},
		{__LINE__, "small-writes", IO_FILE, IO_WRITE, 1000, 512, 50 * MS, 99, 0, true},
		{__LINE__, "small-writes", IO_TERMINAL, IO_WRITE, 1000, 512, 50 * MS, 0, 0,
			true},
		{__LINE__, "small-writes", IO_TCP, IO_SEND, 1000, 512, 50 * MS, 0, 0, true},
		{__LINE__, "small-writes", IO_UNIX, IO_SEND, 1000, 512, 50 * MS, 0, 0, true},
		/* Each is a message of its own. */
		{__LINE__, "small-writes", IO_UDP, IO_SEND, 1000, 512, 50 * MS, 0, 0, false},
		{__LINE__, "small-reads", IO_FILE, IO_READ, 1000, 512000, 50 * MS, 1, 0, true},
		{__LINE__, "small-reads", IO_FILE, IO_READ, 1000, 512001, 50 * MS, 1, 0, false},
		{__LINE__, "small-reads", IO_FILE, IO_READ, 1000, 512, 50 * MS, 1, 951 * MS,
			false},
		/* They wait for somebody. */
		{__LINE__, "small-reads", IO_PIPE, IO_READ, 1000, 512, 50 * MS, 1, 0, false},
		{__LINE__, "small-reads", IO_TCP, IO_RECEIVE, 1000, 512, 50 * MS, 1, 0, false},
	};

	for (size_t i = 0; i < COUNT(cases); i++) {
		uint32_t file;

		program(cases[i].cpu > 0 ? cases[i].cpu : 1, 5);
		file = fixture_file(&fixture, cases[i].file, 5, "/tmp/ledger",
			io_kind_is_socket(cases[i].file) ? "10.0.0.1:80" : NULL);
		operations(WORK, file, cases[i].op, cases[i].ops, cases[i].bytes, cases[i].ns);
		operations(WORK, file, IO_OPEN, cases[i].opens, 0, 0);
		expect(cases[i].line, cases[i].rule, cases[i].found);
	}
}

static void test_small_texts(void **state)
{
	uint32_t file;
	struct seen seen;

	program(300 * MS, 5);
	file = fixture_file(&fixture, IO_FILE, 5, "/tmp/my ledger", NULL);
	operations(WORK, file, IO_WRITE, 20000, 140000, 100 * MS);
	seen = look("small-writes");
	assert_int_equal(seen.count, 1);
	assert_int_equal(seen.severity, FINDING_MEDIUM);
	assert_int_equal(seen.value, 100 * MS);
	assert_true(seen.share > 0.2499 && seen.share < 0.2501);
	assert_string_equal(seen.title, "Small writes in com.acme.Ledger.add");
	assert_string_equal(seen.evidence,
		"20.0 k writes of 7.0 bytes on average, to /tmp/my ledger: 100 ms, 25.0% of "
		"processor time and I/O.");
	assert_string_equal(seen.command,
		"jprof report PROFILE --view io-tree --method com.acme.Ledger.add");
	assert_string_equal(seen.path, "com.acme.Main.main/com.acme.Ledger.add/");

	/* Of a second file, too; and of none that is known where nothing was included. */
	operations(WORK, fixture_file(&fixture, IO_FILE, 6, "/tmp/other", NULL), IO_WRITE,
		20000, 140000, 100 * MS);
	seen = look("small-writes");
	assert_non_null(strstr(seen.evidence, "to several files, among them /tmp/my ledger"));
	fixture.profile.account_count = 0;
	operations(0, file, IO_WRITE, 20000, 140000, 100 * MS);
	seen = look("small-writes");
	assert_string_equal(seen.title, "Small writes to /tmp/my ledger");
	assert_non_null(strstr(seen.evidence, "does not tell which method did it"));
	assert_string_equal(
		seen.command, "jprof report PROFILE --view files --file '/tmp/my ledger'");

	/* Sockets are in a view of their own. */
	program(300 * MS, 5);
	file = fixture_file(&fixture, IO_TCP, 5, "10.0.0.2:9", "10.0.0.1:80");
	operations(0, file, IO_SEND, 20000, 140000, 100 * MS);
	assert_string_equal(look("small-writes").command,
		"jprof report PROFILE --view connections --file 10.0.0.2:9");
}

/* Without processor time there is only the clock. */
static void test_by_the_clock(void **state)
{
	uint32_t file;

	program(300 * MS, 5);
	fixture.profile.metric[0].name = "wall";
	file = fixture_file(&fixture, IO_FILE, 5, "/tmp/ledger", NULL);
	operations(WORK, file, IO_WRITE, 20000, 140000, 100 * MS);
	/* Not even that. */
	expect(__LINE__, "small-writes", false);
	fact("duration_ns", "2000000000");
	assert_non_null(
		strstr(look("small-writes").evidence, "5.0% of the time by the clock."));
	fixture.meta[fixture.profile.meta_count - 1].value = "2000000001";
	expect(__LINE__, "small-writes", false);
}

/* Sends that are answered, and many places: the three heaviest. */
static void test_sends_and_many(void **state)
{
	uint32_t file;

	program(1, 5);
	file = fixture_file(&fixture, IO_TCP, 5, "10.0.0.2:9", "10.0.0.1:80");
	operations(WORK, file, IO_SEND, 1000, 1000, 100 * MS);
	operations(WORK, file, IO_RECEIVE, 500, 1000, 1);
	expect(__LINE__, "small-writes", false);
	fixture.account[1].count = 499;
	expect(__LINE__, "small-writes", true);

	program(1, 5);
	for (int i = 0; i < 5; i++) {
		static const char *const names[] = {"a", "b", "c", "d", "e"};

		operations(0, fixture_file(&fixture, IO_FILE, i, names[i], NULL), IO_WRITE,
			1000, 1000, 100 * MS);
	}
	assert_int_equal(look("small-writes").count, 3);
	/* Of writes and sends together, where sends are heavier and where they are lighter. */
	operations(WORK, fixture_file(&fixture, IO_TCP, 5, "10.0.0.2:9", "10.0.0.1:80"),
		IO_SEND, 2000, 2000, 101 * MS);
	assert_int_equal(look("small-writes").count, 3);
	assert_string_equal(look("small-writes").method, "com.acme.Ledger.add");
	assert_non_null(strstr(look("small-writes").evidence, "2000 sends of 1.0 bytes"));
	fixture.account[fixture.profile.account_count - 1].ns = 99 * MS;
	assert_int_equal(look("small-writes").count, 3);
	assert_string_equal(look("small-writes").method, "");
}

/* Writes and sends of one method are two findings. */
static void test_writes_and_sends(void **state)
{
	struct seen seen;

	program(1, 5);
	operations(WORK, fixture_file(&fixture, IO_FILE, 5, "/tmp/ledger", NULL), IO_WRITE,
		1000, 1000, 100 * MS);
	operations(WORK, fixture_file(&fixture, IO_TCP, 6, "10.0.0.2:9", "10.0.0.1:80"),
		IO_SEND, 1000, 2000, 100 * MS);
	seen = look("small-writes");
	assert_int_equal(seen.count, 2);
	/* One for each, the same weight: in both orders of the kinds none is told twice. */
	assert_true(strstr(seen.evidence, "1000 writes of 1.0 bytes") ||
		    strstr(seen.evidence, "1000 sends of 2.0 bytes"));
	fixture.account[0].ns++;
	assert_non_null(strstr(look("small-writes").evidence, "1000 writes of 1.0 bytes"));
	fixture.account[1].ns += 2;
	assert_non_null(strstr(look("small-writes").evidence, "1000 sends of 2.0 bytes"));
	assert_int_equal(look("small-writes").count, 2);
}

static void test_reopened(void **state)
{
	static const struct {
		int line;
		const char *rule;
		uint64_t opens, ns, reads, bytes, read_ns, folded;
		bool archive, found;
	} cases[] = {
		{__LINE__, "reopened-file", 100, 50 * MS, 0, 0, 0, 0, false, true},
		{__LINE__, "reopened-file", 99, 50 * MS, 0, 0, 0, 0, false, false},
		{__LINE__, "reopened-file", 100, 50 * MS - 1, 0, 0, 0, 0, false, false},
		/* What is read each time counts, if it is little. */
		{__LINE__, "reopened-file", 100, 10 * MS, 100, 6553600, 40 * MS, 0, false,
			true},
		{__LINE__, "reopened-file", 100, 10 * MS, 100, 6553700, 40 * MS, 0, false,
			false},
		{__LINE__, "reopened-file", 100, 50 * MS, 0, 0, 0, 7, false, false},
		{__LINE__, "reopened-file", 100, 50 * MS, 9, 9, 9, 0, true, false},
		{__LINE__, "reopened-archive", 20, 50 * MS, 9, 9, 9, 0, true, true},
		{__LINE__, "reopened-archive", 19, 50 * MS, 9, 9, 9, 0, true, false},
		{__LINE__, "reopened-archive", 20, 49 * MS, 9, 9, 9 * MS, 0, true, false},
		{__LINE__, "reopened-archive", 20, 50 * MS, 9, 9, 9, 0, false, false},
	};

	for (size_t i = 0; i < COUNT(cases); i++) {
		uint32_t first, second;

		program(1, 5);
		/* One name, two descriptors. */
		first = fixture_file(&fixture, IO_FILE, 5, "/tmp/a.jar", NULL);
		second = fixture_file(&fixture, IO_FILE, 6, "/tmp/a.jar", NULL);
		fixture.file[first - 1].folded = cases[i].folded;
		operations(WORK, first, IO_OPEN, cases[i].opens - 1, 0, cases[i].ns);
		operations(WORK, second, IO_CLOSE, 1, 0, 0);
		operations(WORK, second, IO_OPEN, 1, 0, 0);
		operations(
			WORK, first, IO_READ, cases[i].reads, cases[i].bytes, cases[i].read_ns);
		if (cases[i].archive)
			operations(WORK,
				fixture_file(&fixture, IO_ENTRY, -1, "a.txt", "/tmp/a.jar"),
				IO_READ, cases[i].reads, cases[i].bytes, cases[i].read_ns);
		expect(cases[i].line, cases[i].rule, cases[i].found);
	}
	/* The archive's directory is read at each opening. */
	program(1, 5);
	operations(WORK, fixture_file(&fixture, IO_FILE, 5, "a.jar", NULL), IO_OPEN, 20, 0, 1);
	operations(
		WORK, fixture_file(&fixture, IO_ENTRY, -1, "a.txt", "a.jar"), IO_READ, 1, 1, 1);
	operations(WORK, fixture_file(&fixture, IO_ENTRY, -1, "(directory)", "a.jar"), IO_READ,
		1, 1, 50 * MS);
	expect(__LINE__, "reopened-archive", true);
	/* By what the JDK makes of it. */
	program(1, 5);
	assert_int_equal(sampled_program(380), WORK);
	operations(WORK, fixture_file(&fixture, IO_FILE, 5, "a.jar", NULL), IO_OPEN, 20, 0, 1);
	operations(
		WORK, fixture_file(&fixture, IO_ENTRY, -1, "a.txt", "a.jar"), IO_READ, 1, 1, 1);
	below(WORK, "java.util.zip.ZipFile", "<init>", SAMPLE_C2, 100);
	expect(__LINE__, "reopened-archive", true);
	fixture.account[1].count = 19;
	expect(__LINE__, "reopened-archive", false);
}

static void test_entries(void **state)
{
	static const struct {
		int line;
		uint64_t entries, reads, bytes, ns, opens;
		bool found;
	} cases[] = {
		{__LINE__, 1000, 2000, 8192000, 50 * MS, 1, true},
		{__LINE__, 999, 2000, 8192000, 50 * MS, 1, false},
		{__LINE__, 1000, 2000, 8192001, 50 * MS, 1, false},
		{__LINE__, 1000, 2000, 8192000, 50 * MS - 1, 1, false},
		{__LINE__, 1000, 2000, 8192000, 50 * MS, 199, true},
		{__LINE__, 1000, 2000, 8192000, 50 * MS, 200, false},
	};

	for (size_t i = 0; i < COUNT(cases); i++) {
		uint32_t archive, entry;

		program(1, 5);
		archive = fixture_file(&fixture, IO_FILE, 5, "/tmp/a.zip", NULL);
		entry = fixture_file(&fixture, IO_ENTRY, -1, "prices/*.csv", "/tmp/a.zip");
		fixture.file[entry - 1].folded = cases[i].entries;
		operations(WORK, archive, IO_OPEN, cases[i].opens, 0, 0);
		operations(WORK, archive, IO_READ, cases[i].reads, cases[i].bytes, cases[i].ns);
		operations(WORK, entry, IO_READ, cases[i].reads, cases[i].bytes, cases[i].ns);
		expect(cases[i].line, "archive-entries", cases[i].found);
		/* No stream without a buffer. */
		expect(cases[i].line, "small-reads", false);
	}
}

static void test_syncs(void **state)
{
	static const struct {
		int line;
		uint64_t syncs, ns, writes, cpu;
		bool found;
	} cases[] = {
		{__LINE__, 100, 100 * MS, 1000, 0, true},
		{__LINE__, 100, 100 * MS, 0, 0, true},
		{__LINE__, 99, 100 * MS, 99, 0, false},
		{__LINE__, 100, 100 * MS - 1, 100, 0, false},
		{__LINE__, 100, 100 * MS, 1001, 0, false},
		{__LINE__, 100, 100 * MS, 100, 1900 * MS, true},
		{__LINE__, 100, 100 * MS, 100, 1901 * MS, false},
	};

	for (size_t i = 0; i < COUNT(cases); i++) {
		uint32_t file, log;

		program(cases[i].cpu > 0 ? cases[i].cpu : 1, 5);
		file = fixture_file(&fixture, IO_FILE, 5, "/tmp/data", NULL);
		log = fixture_file(&fixture, IO_FILE, 6, "/tmp/log", NULL);
		operations(WORK, file, IO_SYNC, cases[i].syncs, 0, cases[i].ns);
		operations(MAIN, file, IO_WRITE, cases[i].writes, 0, 0);
		/* Of a file that is never synced. */
		operations(MAIN, log, IO_WRITE, 100000, 0, 0);
		expect(cases[i].line, "sync-per-record", cases[i].found);
	}
}

static void test_hosts(void **state)
{
	uint32_t file;

	for (uint64_t ops = 99; ops <= 100; ops++) {
		program(1, 5);
		file = fixture_file(&fixture, IO_HOST, -1, "db.example.com", NULL);
		operations(WORK, file, IO_RESOLVE, ops, 0, 50 * MS);
		expect(__LINE__, "host-lookups", ops == 100);
		fixture.file[file - 1].folded = 2;
		expect(__LINE__, "host-lookups", false);
	}
}

/* ---- methods ---- */

static void test_dear(void **state)
{
	static const struct {
		int line;
		const char *rule, *class_name, *name;
		uint64_t within, besides;
		bool found;
	} cases[] = {
		{__LINE__, "exceptions", "java.lang.Throwable", "fillInStackTrace", 100, 1900,
			true},
		{__LINE__, "exceptions", "java.lang.Throwable", "fillInStackTrace", 99, 0,
			false},
		{__LINE__, "exceptions", "java.lang.Throwable", "fillInStackTrace", 100, 1901,
			false},
		{__LINE__, "exceptions", "com.acme.Throwable", "fillInStackTrace", 100, 0,
			false},
		{__LINE__, "regex-compile", "java.util.regex.Pattern", "compile", 100, 1900,
			true},
		{__LINE__, "regex-compile", "java.util.regex.Pattern", "matcher", 100, 0,
			false},
		{__LINE__, "format", "java.util.Formatter", "format", 100, 900, true},
		{__LINE__, "format", "java.util.Formatter", "format", 100, 901, false},
		{__LINE__, "format-objects", "java.text.DecimalFormat", "<init>", 100, 1900,
			true},
		{__LINE__, "format-objects", "java.text.DecimalFormat", "format", 100, 0,
			false},
		{__LINE__, "intern", "java.lang.String", "intern", 100, 1900, true},
	};

	for (size_t i = 0; i < COUNT(cases); i++) {
		uint32_t node = sampled_program(cases[i].besides), list;

		/* A method of the JDK's calls it, and it calls another one and itself. */
		list = below(node, "java.util.ArrayList", "forEach", SAMPLE_C2, 0);
		list = below(list, cases[i].class_name, cases[i].name, SAMPLE_C2,
			cases[i].within - 20);
		list = below(list, cases[i].class_name, cases[i].name, SAMPLE_C2, 15);
		below(list, "java.util.HashMap", "get", SAMPLE_C2, 5);
		expect(cases[i].line, cases[i].rule, cases[i].found);
	}
}

static void test_dear_place(void **state)
{
	uint32_t node = sampled_program(100), other;
	struct seen seen;

	below(below(node, "java.lang.Exception", "<init>", SAMPLE_C2, 0), "java.lang.Throwable",
		"fillInStackTrace", SAMPLE_JVM, 300);
	other = below(MAIN, "com.acme.Parser", "parse", SAMPLE_C2, 0);
	below(other, "java.lang.Throwable", "fillInStackTrace", SAMPLE_JVM, 100);
	seen = look("exceptions");
	assert_int_equal(seen.count, 1);
	assert_int_equal(seen.value, 400 * MS);
	assert_string_equal(seen.method, "com.acme.Ledger.add");
	assert_string_equal(seen.evidence, "Filling in stack traces of exceptions took 400 ms, "
					   "80.0% of processor time; 75.0% "
					   "of that is called from com.acme.Ledger.add.");
	assert_string_equal(seen.path,
		"com.acme.Main.main/com.acme.Ledger.add/java.lang.Exception.<init>/"
		"java.lang.Throwable.fillInStackTrace/");

	/* A language's runtime is not the program, unless there is nothing else. */
	for (int is_alone = 0; is_alone < 2; is_alone++) {
		node = is_alone ? 0 : sampled_program(100);
		if (is_alone)
			sampled_program(100);
		other = below(node, "org.codehaus.groovy.Site", "call", SAMPLE_C2, 0);
		below(other, "java.lang.Throwable", "fillInStackTrace", SAMPLE_JVM, 300);
		assert_string_equal(look("exceptions").method,
			is_alone ? "org.codehaus.groovy.Site.call" : "com.acme.Ledger.add");
	}

	/* A thread of which no method is the program's. */
	sampled_program(100);
	below(0, "java.lang.Throwable", "fillInStackTrace", SAMPLE_JVM, 300);
	expect(__LINE__, "exceptions", false);
}

static void test_exits(void **state)
{
	/* 200,000 calls. */
	for (uint64_t unwound = 9999; unwound <= 10000; unwound++) {
		program(MS, 199999);
		fixture.thread[0].unwound = unwound;
		expect(__LINE__, "exceptional-exits", unwound == 10000);
	}
	program(MS, 200001);
	fixture.thread[0].unwound = 10000;
	expect(__LINE__, "exceptional-exits", false);
}

static void test_called_often(void **state)
{
	static const struct {
		int line;
		uint64_t calls, outer, ns, elsewhere;
		bool found;
	} cases[] = {
		{__LINE__, 1000000, 1000, 100 * MS, 0, true},
		{__LINE__, 999999, 999, 100 * MS, 0, false},
		{__LINE__, 1000000, 1001, 100 * MS, 0, false},
		{__LINE__, 1000000, 1000, 100 * MS - 1, 0, false},
		{__LINE__, 1000000, 1000, 2000 * MS, 0, true},
		/* They take long themselves. */
		{__LINE__, 1000000, 1000, 2002 * MS, 0, false},
		{__LINE__, 1000000, 1000, 100 * MS, 400 * MS, true},
		{__LINE__, 1000000, 1000, 100 * MS, 401 * MS, false},
	};

	for (size_t i = 0; i < COUNT(cases); i++) {
		uint32_t inner, other;

		program(0, cases[i].outer);
		inner = fixture_method(&fixture, "com.acme.Box", "get", "()V");
		other = fixture_method(&fixture, "com.acme.Other", "run", "()V");
		fixture_node(&fixture, WORK, inner, cases[i].calls, cases[i].ns, 0);
		fixture_node(&fixture, MAIN, other, 1, cases[i].elsewhere, 0);
		expect(cases[i].line, "called-often", cases[i].found);
	}
	/* Within itself. */
	program(0, 1000);
	fixture_node(&fixture,
		fixture_node(&fixture, WORK,
			fixture_method(&fixture, "com.acme.Box", "get", "()V"), 1000000,
			100 * MS, 0),
		fixture.profile.method_count - 1, 1, 0, 0);
	expect(__LINE__, "called-often", false);
	/* The time from one place, calls from another. */
	program(0, 1000);
	fixture_node(&fixture, WORK, fixture_method(&fixture, "com.acme.Box", "get", "()V"),
		100000, 100 * MS, 0);
	fixture_node(&fixture, MAIN, fixture.profile.method_count - 1, 1000000, MS, 0);
	expect(__LINE__, "called-often", false);
	/* From two places. */
	program(0, 1000);
	fixture_node(&fixture, WORK, fixture_method(&fixture, "com.acme.Box", "get", "()V"),
		1000000, 85 * MS, 0);
	fixture_node(&fixture, MAIN, fixture.profile.method_count - 1, 1000000, 15 * MS, 0);
	expect(__LINE__, "called-often", false);
	/* What probes took, 50 ns a call, is no matter of the method. */
	program(0, 1000);
	fixture_node(&fixture, WORK, fixture_method(&fixture, "com.acme.Box", "get", "()V"),
		1000000, 150 * MS, 0);
	adjustment.own_cost = (struct own_cost){.is_known = true, .event_ns = 26};
	expect(__LINE__, "called-often", false);
	adjustment.own_cost.event_ns = 25;
	expect(__LINE__, "called-often", true);
}

/* ---- memory, threads, code ---- */

static void test_jvm_samples(void **state)
{
	static const struct {
		int line;
		const char *rule;
		enum sample_state state;
		uint64_t samples, besides;
		bool found;
	} cases[] = {
		{__LINE__, "garbage-collection", SAMPLE_GC, 200, 1800, true},
		{__LINE__, "garbage-collection", SAMPLE_GC, 199, 1000, false},
		{__LINE__, "garbage-collection", SAMPLE_GC, 200, 1801, false},
		{__LINE__, "garbage-collection", SAMPLE_JIT, 200, 1, false},
		{__LINE__, "compiling", SAMPLE_JIT, 600, 1400, true},
		{__LINE__, "compiling", SAMPLE_JIT, 499, 1, false},
		{__LINE__, "compiling", SAMPLE_JIT, 600, 1401, false},
	};

	for (size_t i = 0; i < COUNT(cases); i++) {
		sampled_program(cases[i].besides);
		jvm_thread("VM thread", cases[i].state, cases[i].samples);
		expect(cases[i].line, cases[i].rule, cases[i].found);
	}
}

static void test_allocation(void **state)
{
	static const struct {
		int line;
		uint64_t cpu, bytes, elsewhere;
		bool found;
	} cases[] = {
		{__LINE__, 1000 * MS, 1000000000, 0, true},
		{__LINE__, 1000 * MS, 999999999, 0, false},
		{__LINE__, 1001 * MS, 1000000000, 0, false},
		{__LINE__, 1000 * MS, 500000000, 1500000000, true},
		{__LINE__, 1000 * MS, 500000000, 1500000001, false},
	};

	for (size_t i = 0; i < COUNT(cases); i++) {
		program(cases[i].cpu, 5);
		fixture.base[WORK][1] = cases[i].bytes;
		fixture.base[0][1] = cases[i].elsewhere;
		fixture.thread[0].total[1] = cases[i].bytes + cases[i].elsewhere;
		expect(cases[i].line, "allocation", cases[i].found);
	}
}

static void test_locks(void **state)
{
	static const struct {
		int line;
		const char *class_name, *name;
		bool is_native;
		uint64_t waiting, running, collecting; /* the latter in ms of processor time */
		bool with_cpu, found;
	} cases[] = {
		/* Of 10 ms each. */
		{__LINE__, "com.acme.Box", "get", false, 50, 450, 0, true, true},
		{__LINE__, "com.acme.Box", "get", false, 49, 9, 0, true, false},
		{__LINE__, "com.acme.Box", "get", false, 50, 451, 0, true, false},
		{__LINE__, "com.acme.Box", "get", false, 60, 9, 100, true, true},
		{__LINE__, "com.acme.Box", "get", false, 60, 9, 101, true, false},
		/* A collection may have stopped it. */
		{__LINE__, "com.acme.Box", "get", false, 500, 9, 0, false, false},
		{__LINE__, "java.lang.Thread", "sleep", true, 500, 9, 0, true, false},
		{__LINE__, "java.util.concurrent.locks.ReentrantLock", "lock", true, 50, 450, 0,
			false, true},
		{__LINE__, "java.util.concurrent.locks.ReentrantLock", "lock", true, 50, 450,
			900, true, true},
		{__LINE__, "java.util.concurrent.locks.ReentrantLock", "tryLock", true, 50, 450,
			0, false, false},
	};

	for (size_t i = 0; i < COUNT(cases); i++) {
		uint32_t node = sampled_program(cases[i].running);

		fixture.condition[0] = (struct profile_condition){
			0, "wall:10ms", "wall", 10 * MS, "ns", "timer"};
		if (cases[i].with_cpu)
			fixture_condition(&fixture, "cpu:1ms", "cpu", MS, "ns", "perf");
		below(node, cases[i].class_name, cases[i].name, SAMPLE_WAITING,
			cases[i].waiting);
		fixture.method[fixture.profile.method_count - 1].is_native = cases[i].is_native;
		if (cases[i].with_cpu) {
			jvm_thread("GC Thread#0", SAMPLE_GC, 0);
			fixture_samples(&fixture, 0, 1, SAMPLE_GC, 0, cases[i].collecting);
		}
		expect(cases[i].line, "locks", cases[i].found);
	}
	/* Where threads wait for a processor as long as they run, the collector does, too. */
	for (uint64_t collecting = 50; collecting <= 51; collecting++) {
		uint32_t node = sampled_program(9);

		fixture.condition[0] = (struct profile_condition){
			0, "wall:10ms", "wall", 10 * MS, "ns", "timer"};
		fixture_condition(&fixture, "cpu:1ms", "cpu", MS, "ns", "perf");
		fixture_samples(&fixture, node, 1, SAMPLE_C2, 0, 100);
		fixture.thread[0].waited_ns = 100 * MS;
		below(node, "com.acme.Box", "get", SAMPLE_WAITING, 60);
		jvm_thread("GC Thread#0", SAMPLE_GC, 0);
		fixture_samples(&fixture, 0, 1, SAMPLE_GC, 0, collecting);
		expect(__LINE__, "locks", collecting == 50);
	}
	/* The place and the path are of the method with most of it. */
	{
		uint32_t node = sampled_program(10), other;
		struct seen seen;

		fixture.condition[0] = (struct profile_condition){
			0, "wall:10ms", "wall", 10 * MS, "ns", "timer"};
		other = below(node, "com.acme.Other", "run", SAMPLE_C2, 0);
		below(other, "java.util.concurrent.locks.ReentrantLock", "lock", SAMPLE_WAITING,
			60);
		node = below(node, "java.util.concurrent.locks.ReentrantLock", "lock",
			SAMPLE_WAITING, 40);
		below(node, "jdk.internal.misc.Unsafe", "park", SAMPLE_WAITING, 50);
		seen = look("locks");
		assert_string_equal(seen.method, "com.acme.Ledger.add");
		assert_string_equal(seen.path, "com.acme.Main.main/com.acme.Ledger.add/"
					       "java.util.concurrent.locks.ReentrantLock.lock/"
					       "jdk.internal.misc.Unsafe.park/");
		assert_string_equal(seen.evidence,
			"Threads waited 1.50 s for locks that others had, 93.8% of the time in "
			"which they ran or so waited; 60.0% of that in com.acme.Ledger.add, "
			"most "
			"often at java.util.concurrent.locks.ReentrantLock.lock.");
	}
	/* By processor time nothing is seen to wait. */
	below(sampled_program(450), "com.acme.Box", "get", SAMPLE_WAITING, 500);
	expect(__LINE__, "locks", false);
}

static void test_mostly_waits(void **state)
{
	static const struct {
		int line;
		uint64_t cpu, waited;
		const char *duration, *process;
		bool found;
	} cases[] = {
		{__LINE__, 1, 0, "2500000000", "500000000", true},
		{__LINE__, 1, 0, "2500000000", "500000001", false},
		{__LINE__, 500 * MS, 0, "2500000000", NULL, true},
		{__LINE__, 500 * MS, 1, "2500000000", NULL, false},
		{__LINE__, 1, 0, "2000000000", "1", false},
		{__LINE__, 1, 0, NULL, NULL, false},
	};

	for (size_t i = 0; i < COUNT(cases); i++) {
		program(cases[i].cpu, 5);
		if (cases[i].duration)
			fact("duration_ns", cases[i].duration);
		if (cases[i].process)
			fact("cpu_ns", cases[i].process);
		fixture.thread[0].waited_ns = cases[i].waited;
		expect(cases[i].line, "mostly-waits", cases[i].found);
		/* That of some threads is no matter of the program's. */
		expect_of(cases[i].line, "main", "mostly-waits", false);
	}
	/* Where timed calls waited. */
	{
		struct seen seen;

		program(MS, 5);
		fixture.profile.metric[1] =
			(struct profile_metric){.name = "wall", .unit = "ns", .how = "clock"};
		fixture.base[WORK][1] = 900 * MS;
		fact("duration_ns", "2500000000");
		seen = look("mostly-waits");
		assert_string_equal(seen.method, "com.acme.Ledger.add");
		assert_string_equal(seen.path, "com.acme.Main.main/com.acme.Ledger.add/");
		assert_non_null(strstr(seen.evidence, "waited longest, themselves: 899 ms"));
	}
}

static void test_no_processor(void **state)
{
	static const struct {
		int line;
		uint64_t cpu, waited;
		bool found;
	} cases[] = {
		{__LINE__, 2000 * MS, 500 * MS, true},
		{__LINE__, 2001 * MS, 500 * MS, false},
		{__LINE__, 1 * MS, 499 * MS, false},
	};

	for (size_t i = 0; i < COUNT(cases); i++) {
		program(cases[i].cpu, 5);
		fixture.thread[0].waited_ns = cases[i].waited;
		expect(cases[i].line, "no-processor", cases[i].found);
	}
	program(2000 * MS, 5);
	fixture.thread[0].waited_ns = 500 * MS;
	assert_string_equal(look("no-processor").command,
		"jprof report PROFILE --view threads --sort waited --wide");
}

static void test_threads(void **state)
{
	/* 1,000 of 60 us: 60 ms. The first one has not ended. */
	for (uint64_t folded = 999; folded <= 1000; folded++) {
		program(1100 * MS, 5);
		fixture_thread(&fixture, "request-*", 100 * MS, 0);
		fixture.thread[1].folded = folded;
		expect(__LINE__, "many-threads", folded == 1000);
		fixture.thread[1].is_virtual = true;
		expect(__LINE__, "many-threads", false);
	}
	program(1101 * MS, 5);
	fixture_thread(&fixture, "request-*", 100 * MS, 0);
	fixture.thread[1].folded = 1000;
	expect(__LINE__, "many-threads", false);
	program(MS, 5);
	fixture_thread(&fixture, "pool-*", MS, 0);
	fixture.thread[1].folded = 1000;
	fixture.thread[1].alive = true;
	expect(__LINE__, "many-threads", false);
}

static void test_interpreted(void **state)
{
	static const struct {
		int line;
		uint64_t interpreted, compiled, besides;
		bool found;
	} cases[] = {
		{__LINE__, 500, 55, 9000, true},
		{__LINE__, 500, 56, 9000, false},
		{__LINE__, 499, 0, 0, false},
		{__LINE__, 500, 0, 9500, true},
		{__LINE__, 500, 0, 9501, false},
	};

	for (size_t i = 0; i < COUNT(cases); i++) {
		uint32_t node = sampled_program(cases[i].besides);

		node = below(
			node, "com.acme.Huge", "run", SAMPLE_INTERPRETED, cases[i].interpreted);
		if (cases[i].compiled > 0)
			fixture_samples(&fixture, node, 0, SAMPLE_C1, 7, cases[i].compiled);
		expect(cases[i].line, "interpreted", cases[i].found);
		/* The JVM's own events run in the interpreter. */
		fixture.meta[0].value = "events";
		expect(cases[i].line, "interpreted", false);
	}
	/* Nobody can change the JDK's. */
	below(sampled_program(10), "java.util.HashMap", "get", SAMPLE_INTERPRETED, 1000);
	expect(__LINE__, "interpreted", false);

	/* By calls: 100,000 of which nine tenths are interpreted. */
	for (uint64_t interpreted = 89999; interpreted <= 90000; interpreted++) {
		program(500 * MS, 100000);
		fixture.node[WORK].interpreted = interpreted;
		expect(__LINE__, "interpreted", interpreted == 90000);
		fixture.meta[0].value = "events";
		expect(__LINE__, "interpreted", false);
	}
	program(500 * MS, 5);
	fact("jvm.info", "interpreted mode, sharing");
	expect(__LINE__, "interpreted", true);
	assert_string_equal(look("interpreted").title, "The JVM runs without its compilers");
	program(500 * MS - 1, 5);
	fact("jvm.info", "interpreted mode");
	expect(__LINE__, "interpreted", false);
}

/* ---- on the profile ---- */

static void test_notes(void **state)
{
	program(400 * MS, 5);
	fixture.base[0][0] = fixture.thread[0].total[0] = 100 * MS;
	fixture.thread[0].total[0] += 400 * MS;
	expect(__LINE__, "outside", true);
	assert_int_equal(look("outside").severity, FINDING_NOTE);
	fixture.base[WORK][0]++;
	fixture.thread[0].total[0]++;
	expect(__LINE__, "outside", false);

	sampled_program(199);
	expect(__LINE__, "few-samples", true);
	sampled_program(200);
	expect(__LINE__, "few-samples", false);

	/* Of all that were taken, whatever is chosen: which threads' were lost is not known. */
	sampled_program(7);
	fixture_thread(&fixture, "idler", 0, 0);
	fact("sample.cpu:1ms.taken", "380");
	fact("sample.cpu:1ms.full", "20");
	expect(__LINE__, "lost-samples", true);
	expect_of(__LINE__, "idler", "lost-samples", true);
	assert_string_equal(look("lost-samples").title, "5.0% of the samples were lost");
	assert_string_equal(look("lost-samples").evidence,
		"20 of condition cpu, beside 380 that were taken, in all threads and the "
		"whole recording: what ran then is missing.");
	fixture.meta[fixture.profile.meta_count - 1].value = "19";
	expect(__LINE__, "lost-samples", false);
	fixture.meta[fixture.profile.meta_count - 1].value = "20";
	fixture.meta[fixture.profile.meta_count - 2].value = "381";
	expect(__LINE__, "lost-samples", false);
	expect_of(__LINE__, "idler", "lost-samples", false);

	program(MS, 998);
	fixture.thread[0].lost = 1;
	expect(__LINE__, "lost-calls", true);
	program(MS, 999);
	fixture.thread[0].lost = 1;
	expect(__LINE__, "lost-calls", false);
	fact("threads.lost", "1");
	expect(__LINE__, "lost-calls", true);

	program(MS, 98);
	fixture_node(&fixture, fixture_node(&fixture, 0, METHOD_FOLDED, 0, 0, 0),
		fixture.node[WORK].method, 1, 0, 0);
	expect(__LINE__, "folded-paths", true);
	fixture.node[WORK].calls++;
	expect(__LINE__, "folded-paths", false);

	program(MS, 5);
	adjustment.own_cost =
		(struct own_cost){.is_known = true, .least = 0.125, .sampling = 0.125};
	expect(__LINE__, "own-cost", true);
	adjustment.own_cost.least = 0.124;
	expect(__LINE__, "own-cost", false);

	program(MS, 5);
	fact("budget.timed", "90");
	fact("budget.dear", "10");
	expect(__LINE__, "budget", true);
	fixture.meta[fixture.profile.meta_count - 2].value = "91";
	expect(__LINE__, "budget", false);
}

static void test_meta_number(void **state)
{
	program(MS, 5);
	fact("number", "18446744073709551615");
	fact("none", "many");
	fact("empty", "");
	assert_true(profile_meta_number(&fixture.profile, "number") == UINT64_MAX);
	assert_true(profile_meta_number(&fixture.profile, "none") == 0);
	assert_true(profile_meta_number(&fixture.profile, "empty") == 0);
	assert_true(profile_meta_number(&fixture.profile, "missing") == 0);
}

/* ---- the view ---- */

/* Two problems, the smaller one first in the profile, and a note. */
static void two_problems(void)
{
	uint32_t small, large;

	program(600 * MS, 199999);
	small = fixture_file(&fixture, IO_FILE, 5, "/tmp/ledger", NULL);
	large = fixture_file(&fixture, IO_FILE, 6, "/tmp/it's $HOME", NULL);
	operations(WORK, small, IO_READ, 20000, 20000, 100 * MS);
	operations(MAIN, large, IO_WRITE, 30000, 30000, 300 * MS);
	fact("threads.lost", "1");
}

static char *print(const char *view, const char *format, unsigned width, uint64_t top)
{
	struct report_request request = {.view = view_find(view),
		.format = width > 0 ? &format_screen : format_find(format),
		.again = "jprof report 'my shop.jprof'",
		.min = -1,
		.top = top,
		.width = width};
	struct error error = {0};
	uint64_t violations;
	char *text = fixture_report(&fixture, &request, &violations, &error);

	if (!text)
		fail_msg("%s", error.text);
	return text;
}

static void test_text(void **state)
{
	char *text;

	two_problems();
	text = print("findings", NULL, 80, 0);
	assert_string_equal(text,
		"        Finding\n"
		"high    Small writes in com.acme.Main.main\n"
		"        30.0 k writes of 1.0 bytes on average, to /tmp/it's $HOME: 300 ms, "
		"30.0%\n"
		"        of processor time and I/O.\n"
		"path    com.acme.Main.main\n"
		"do      Write through a BufferedOutputStream or BufferedWriter (or into a\n"
		"        ByteBuffer), and flush where somebody waits for it.\n"
		"  jprof report 'my shop.jprof' --view io-tree --method "
		"com.acme.Main.main\n"
		"\n"
		"medium  Small reads in com.acme.Ledger.add\n"
		"        20.0 k reads of 1.0 bytes on average, of /tmp/ledger: 100 ms, 10.0% "
		"of\n"
		"        processor time and I/O.\n"
		"path    com.acme.Main.main > com.acme.Ledger.add\n"
		"do      Read through a BufferedInputStream or BufferedReader, or the whole "
		"file\n"
		"        at once (Files.readAllBytes).\n"
		"  jprof report 'my shop.jprof' --view io-tree --method "
		"com.acme.Ledger.add\n"
		"\n"
		"note    Calls are missing\n"
		"        For want of memory these were not recorded: 0 calls (0% of those "
		"that\n"
		"        were timed), 1 threads, 0 methods.\n"
		"do      A larger max_memory.\n"
		"  jprof report 'my shop.jprof' --view summary\n");
	free(text);
	text = print("findings", NULL, 80, 1);
	assert_null(strstr(text, "Small reads"));
	assert_non_null(strstr(text, "(2 more)"));
	free(text);
	text = print("findings", NULL, 70, 0);
	assert_non_null(strstr(text, "\n  jprof report 'my shop.jprof' --view io-tree \\\n"
				     "      --method com.acme.Ledger.add\n"));
	free(text);
	text = print("findings", "text", 0, 0);
	assert_non_null(strstr(text, "\nhigh    Small writes in com.acme.Main.main\n"));
	free(text);
	program(600 * MS, 5);
	text = print("findings", NULL, 80, 0);
	assert_non_null(strstr(text, "No rule found anything"));
	free(text);
}

/* Which threads had no processor: a column where there is room, and where any had none. */
static void test_waited(void **state)
{
	char *text;

	program(2000 * MS, 5);
	text = print("threads", "text", 0, 0);
	assert_null(strstr(text, "Waited"));
	free(text);
	fixture.thread[0].waited_ns = 500 * MS;
	fixture_thread(&fixture, "other", 100 * MS, 0);
	text = print("threads", "text", 0, 0);
	assert_non_null(strstr(text, " Waited "));
	assert_non_null(strstr(text, " 500.000 "));
	free(text);
	text = print("threads", NULL, 80, 0);
	assert_non_null(strstr(text, " Waited "));
	assert_non_null(strstr(text, " 500 ms "));
	free(text);
	text = print("threads", NULL, 40, 0);
	assert_null(strstr(text, " 500 ms "));
	assert_non_null(strstr(text, "no room for: "));
	assert_non_null(strstr(text, "Waited"));
	free(text);
}

static const char *text_of(const json_t *row, const char *key)
{
	return json_string_value(json_object_get(row, key));
}

static void test_data(void **state)
{
	char *text;
	json_t *json, *row, *method, *path;

	two_problems();
	text = print("findings", "json", 0, 0);
	json = json_loads(text, 0, NULL);
	assert_non_null(json);
	assert_int_equal(json_array_size(json_object_get(json, "rows")), 3);
	row = json_array_get(json_object_get(json, "rows"), 1);
	assert_string_equal(text_of(row, "rule"), "small-reads");
	assert_string_equal(text_of(row, "severity"), "medium");
	assert_string_equal(text_of(row, "title"), "Small reads in com.acme.Ledger.add");
	assert_string_equal(text_of(row, "file"), "/tmp/ledger");
	assert_string_equal(text_of(row, "unit"), "ns");
	assert_string_equal(text_of(row, "of"), "processor time and I/O");
	assert_string_equal(text_of(row, "command"),
		"jprof report 'my shop.jprof' --view io-tree --method com.acme.Ledger.add");
	assert_int_equal(json_integer_value(json_object_get(row, "value")), 100 * MS);
	assert_true(json_number_value(json_object_get(row, "share")) == 0.1);
	method = json_object_get(row, "method");
	assert_string_equal(text_of(method, "class"), "com.acme.Ledger");
	assert_string_equal(text_of(method, "method"), "add");
	assert_string_equal(text_of(method, "signature"), "()V");
	path = json_object_get(row, "path");
	assert_int_equal(json_array_size(path), 2);
	assert_string_equal(json_string_value(json_array_get(path, 1)), "com.acme.Ledger.add");
	row = json_array_get(json_object_get(json, "rows"), 2);
	assert_true(json_is_null(json_object_get(json_object_get(row, "method"), "class")));
	assert_int_equal(json_array_size(json_object_get(row, "path")), 0);
	assert_true(json_is_null(json_object_get(row, "file")));
	json_decref(json);
	free(text);
	text = print("findings", "csv", 0, 0);
	assert_non_null(strstr(text, ",com.acme.Ledger,add,()V,com.acme.Main.main > "
				     "com.acme.Ledger.add,/tmp/ledger,100000000,ns,0.1,"));
	free(text);
	text = print("findings", "json", 0, 2);
	assert_non_null(strstr(text, "\"omitted\":{\"rows\":1}"));
	free(text);
}

/* Two titles and where the rest is; nothing where there is nothing to tell, or for programs. */
static void test_overview(void **state)
{
	char *text;

	two_problems();
	text = print("overview", NULL, 80, 0);
	assert_non_null(strstr(text, "\nFinding: Small writes in com.acme.Main.main\n"
				     "Finding: Small reads in com.acme.Ledger.add\n"
				     "(more: --view findings)\n"));
	free(text);
	text = print("overview", "text", 0, 0);
	assert_null(strstr(text, "Finding"));
	free(text);
	program(600 * MS, 5);
	fact("threads.lost", "1");
	text = print("overview", NULL, 80, 0);
	assert_null(strstr(text, "inding"));
	free(text);
}

/* What was lost, and what has no stack, is of all threads, and measured by all that was taken. */
static void test_overview_of_lost(void **state)
{
	static const struct {
		const char *taken, *lost, *rest;
		bool tells_lost, tells_rest;
	} cases[] = {
		{"1000", "11", "51", true, true},
		{"1000", "10", "50", false, false},
		{"10", "1", "1", true, true},
	};

	for (size_t i = 0; i < COUNT(cases); i++) {
		char *text;

		sampled_program(100);
		fact("sample.cpu:1ms.taken", cases[i].taken);
		fact("sample.cpu:1ms.full", cases[i].lost);
		fact("sample.cpu:1ms.rest", cases[i].rest);
		text = print("overview", NULL, 80, 0);
		assert_int_equal(!!strstr(text, " more were lost: --view summary tells why\n"),
			cases[i].tells_lost);
		assert_int_equal(!!strstr(text, " more have no stack: threads ended within a "
						"period\n"),
			cases[i].tells_rest);
		assert_int_equal(!!strstr(text, "In the whole recording"), cases[i].tells_lost);
		free(text);
	}
}

/* Of a model in which threads are apart the view tells the same. */
static void test_apart(void **state)
{
	struct model_choice choice = {0};
	struct report_request request = {.view = view_find("findings"),
		.format = format_find("json"),
		.again = "jprof report 'my shop.jprof'",
		.min = -1};
	struct error error = {0};
	uint64_t violations;
	struct model model;
	struct out out;
	char *text;

	two_problems();
	fixture_thread(&fixture, "other", 100 * MS, 0);
	text = print("findings", "json", 0, 0);
	assert_non_null(strstr(text, "small-writes"));
	out_init(&out, -1);
	assert_int_equal(model_init(&model, &fixture.profile, &choice, &error), 0);
	assert_int_equal(report_view(&model, &request, &out, &violations, &error), 0);
	out_char(&out, '\0');
	assert_string_equal(out.buffer, text);
	model_fini(&model);
	out_fini(&out);
	free(text);
}

/* ---- names that mean harm ---- */

static void test_hostile(void **state)
{
	static char name[100001], path[100001];
	char *text;
	json_t *json, *row;
	uint32_t file;

	memset(name, 'x', sizeof(name) - 1);
	memcpy(name, "a'; rm -rf ~ #\033[2J\xe2\x80\xae", 21);
	memset(path, 'y', sizeof(path) - 1);
	memcpy(path + sizeof(path) - 30, "';\033]0;x\007\n\xe2\x80\xae\\", 13);
	program(1, 5);
	fixture.method[fixture.node[WORK].method].name = name;
	fixture.thread[0].name = name;
	file = fixture_file(&fixture, IO_FILE, 5, path, NULL);
	operations(WORK, file, IO_WRITE, 1000, 1000, 100 * MS);
	operations(0, fixture_file(&fixture, IO_FILE, 6, path, name), IO_READ, 1000, 1000,
		100 * MS);
	text = print("findings", NULL, 80, 0);
	for (const char *at = text; *at != '\0'; at++)
		assert_true((unsigned char)*at >= 0x20 || *at == '\n');
	assert_null(strstr(text, "\xe2\x80\xae"));
	assert_true(strlen(text) < 10000);
	free(text);
	text = print("findings", "json", 0, 0);
	json = json_loads(text, 0, NULL);
	assert_non_null(json);
	/* A command is one word behind each option, whatever the names hold. */
	for (size_t i = 0; i < json_array_size(json_object_get(json, "rows")); i++) {
		const char *command, *quote;

		row = json_array_get(json_object_get(json, "rows"), i);
		command = text_of(row, "command") + strlen("jprof report 'my shop.jprof'");
		quote = strchr(command, '\'');
		assert_non_null(quote);
		assert_string_equal(strchr(quote + 1, '\''), "'");
		assert_null(strchr(command, '\033'));
		assert_true(strlen(command) < 400);
		assert_true(strlen(text_of(row, "evidence")) < 2000);
	}
	json_decref(json);
	free(text);
}

/* Of a deep path both ends are told. */
static void test_deep(void **state)
{
	uint32_t node = WORK, file;
	struct seen seen;

	program(1, 5);
	for (int i = 0; i < 300; i++)
		node = fixture_node(&fixture, node, fixture.node[WORK].method, 1, 0, 0);
	file = fixture_file(&fixture, IO_FILE, 5, "/tmp/ledger", NULL);
	operations(node, file, IO_WRITE, 1000, 1000, 100 * MS);
	seen = look("small-writes");
	assert_int_equal(seen.count, 1);
	assert_int_equal(strncmp(seen.path, "com.acme.Main.main/com.acme.Ledger.add/", 39), 0);
	{
		char *text = print("findings", "json", 0, 0);
		json_t *json = json_loads(text, 0, NULL);
		json_t *path = json_object_get(
			json_array_get(json_object_get(json, "rows"), 0), "path");

		assert_int_equal(json_array_size(path), 201);
		assert_string_equal(
			json_string_value(json_array_get(path, 60)), "(102 calls in between)");
		for (size_t i = 0; i < 201; i++)
			assert_true(json_string_length(json_array_get(path, i)) > 0);
		json_decref(json);
		free(text);
	}
}

/* ---- what traces tell ---- */

/* A second of tracing, of a recording that is as long. */
static void traced(enum trace_kind kind)
{
	static struct profile_trace_period period;

	program(1000 * MS, 5);
	period = (struct profile_trace_period){.id = 1, .trace = kind, .ended = 1000 * MS};
	fixture.profile.trace_period = &period;
	fixture.profile.trace_period_count = 1;
	fact("flushed_ns", "1000000000");
	fact("duration_ns", "1000000000");
}

/* Below the overview stand the views of what was traced, three at most. */
static void test_next_steps(void **state)
{
	static struct profile_trace_period all[TRACE_KINDS];
	static struct profile_contention wait = {.id = 1, .kind = LOCKS_PARK};
	char *text;

	traced(TRACE_GC);
	text = print("overview", NULL, 80, 0);
	assert_non_null(strstr(text, "jprof report 'my shop.jprof' --view gc\n"));
	assert_null(strstr(text, "--view locks"));
	free(text);
	for (int i = 0; i < TRACE_KINDS; i++)
		all[i] = (struct profile_trace_period){
			.id = (uint32_t)i + 1, .trace = (enum trace_kind)i, .ended = 1000 * MS};
	fixture.profile.trace_period = all;
	fixture.profile.trace_period_count = TRACE_KINDS;
	text = print("overview", NULL, 80, 0);
	assert_null(strstr(text, "--view locks\n")); /* nobody waited */
	assert_non_null(strstr(text, "--view exceptions\n"));
	free(text);
	fixture.profile.contention = &wait;
	fixture.profile.contention_count = 1;
	text = print("overview", NULL, 80, 0);
	assert_non_null(strstr(text, "--view locks\n"));
	assert_non_null(strstr(text, "--view alive\n"));
	assert_non_null(strstr(text, "--view gc\n"));
	assert_null(strstr(text, "--view exceptions\n"));
	free(text);
}

/* What was found without the trace is found no more. */
static void expect_only_traced(int line, const char *rule)
{
	expect(line, rule, true);
	fixture.profile.trace_period_count = 0;
	expect(line, rule, false);
	fixture.profile.trace_period_count = 1;
}

static void test_lock_contention(void **state)
{
	static struct profile_lock lock[] = {{1, "com.acme.Till", 7}, {2, "com.acme.Shop", 8}};
	static struct profile_path path[2];
	static struct profile_contention row[2];
	struct seen seen;

	traced(TRACE_LOCKS);
	path[0] = (struct profile_path){.method = fixture.node[MAIN].method};
	path[1] = (struct profile_path){.method = fixture.node[WORK].method, .parent = 1};
	row[0] = (struct profile_contention){.id = 1,
		.node = 2,
		.holder = 1,
		.thread = 10,
		.holder_thread = 10,
		.lock = 1,
		.kind = LOCKS_PARK,
		.count = 7,
		.ns = 300 * MS,
		.longest = 90 * MS};
	row[1] = row[0];
	row[1].ns = 200 * MS;
	fixture.profile.path = path;
	fixture.profile.path_count = 2;
	fixture.profile.lock = lock;
	fixture.profile.lock_count = 2;
	fixture.profile.contention = row;
	fixture.profile.contention_count = 2;
	expect_only_traced(__LINE__, "lock-contention");
	seen = look("lock-contention");
	assert_int_equal(seen.value, 500 * MS);
	assert_string_equal(seen.title, "Threads wait for a lock: com.acme.Till");
	assert_string_equal(seen.method, "com.acme.Ledger.add");
	assert_string_equal(seen.evidence,
		"14 waits, 500 ms in all threads together, in 1.00 s of tracing; the longest "
		"90.0 "
		"ms. Most of it: 'main' in com.acme.Ledger.add, while 'main' held it in "
		"com.acme.Main.main.");
	/* Another lock's; below the threshold; idle ones, that nobody held. */
	row[1].lock = 2;
	expect(__LINE__, "lock-contention", false);
	row[1].lock = 1;
	row[1].ns--;
	expect(__LINE__, "lock-contention", false);
	row[1].ns++;
	row[1].holder_thread = 0;
	expect(__LINE__, "lock-contention", false);
	row[1].kind = LOCKS_BLOCK;
	expect(__LINE__, "lock-contention", true);
	expect_of(__LINE__, "main", "lock-contention", true);
	row[0].thread = 99;
	expect_of(__LINE__, "main", "lock-contention", false);
}

/* A hang alone, and of an interval. */
static void test_unfinished_wait(void **state)
{
	static struct profile_lock lock = {
		1, "java.util.concurrent.locks.ReentrantLock$NonfairSync", 7};
	static struct profile_wait wait;
	struct seen seen;

	traced(TRACE_LOCKS);
	wait = (struct profile_wait){.id = 1,
		.thread = 10,
		.holder_thread = 10,
		.lock = 1,
		.kind = LOCKS_PARK,
		.ns = 600 * MS};
	fixture.profile.lock = &lock;
	fixture.profile.lock_count = 1;
	fixture.profile.unfinished_wait = &wait;
	fixture.profile.unfinished_wait_count = 1;
	expect_only_traced(__LINE__, "lock-contention");
	seen = look("lock-contention");
	assert_string_equal(seen.title, "Threads wait for a lock: ReentrantLock");
	assert_non_null(strstr(seen.evidence,
		"1 wait (1 of them unfinished), 600 ms in all threads together"));
	fixture.profile.interval.from = &fixture.snapshot[0];
	expect(__LINE__, "lock-contention", true);
	wait.holder_thread = 0;
	expect(__LINE__, "lock-contention", false);
}

/* The same by samples is not shown twice. */
static void test_locks_once(void **state)
{
	static struct profile_trace_period period = {
		.id = 1, .trace = TRACE_LOCKS, .ended = 1000 * MS};
	static struct profile_contention row = {
		.id = 1, .kind = LOCKS_BLOCK, .count = 1, .ns = 500 * MS};
	uint32_t node, lock;

	node = sampled_program(0);
	fixture.condition[0].name = "wall:10ms";
	fixture.condition[0].event = "wall";
	fixture.condition[0].period = 10 * MS;
	lock = below(
		node, "java.util.concurrent.locks.ReentrantLock", "lock", SAMPLE_WAITING, 0);
	fixture_samples(&fixture, lock, 0, SAMPLE_WAITING, 0, 100);
	fact("flushed_ns", "1000000000");
	expect(__LINE__, "locks", true);
	fixture.profile.trace_period = &period;
	fixture.profile.trace_period_count = 1;
	expect(__LINE__, "locks", true);
	fixture.profile.contention = &row;
	fixture.profile.contention_count = 1;
	expect(__LINE__, "lock-contention", true);
	expect(__LINE__, "locks", false);
}

static struct profile_collection pause_of(uint64_t number, uint64_t ns)
{
	return (struct profile_collection){.id = (uint32_t)number,
		.number = number,
		.kind = COLLECTION_PAUSE,
		.name = "Pause Full",
		.cause = "System.gc()",
		.ns = ns,
		.before = 950,
		.after = 850,
		.total = 1000};
}

static void test_pauses(void **state)
{
	static struct profile_collection row[12];

	traced(TRACE_GC);
	fixture.profile.collection = row;
	fixture.profile.collection_count = 2;
	row[0] = row[1] = pause_of(1, 100 * MS);
	expect_only_traced(__LINE__, "gc-pauses");
	row[1].ns--;
	expect(__LINE__, "gc-pauses", false);
	fixture.profile.collection_count = 1;
	row[0].ns = 200 * MS - 1;
	expect(__LINE__, "gc-pauses", false);
	row[0].ns++;
	assert_non_null(strstr(look("gc-pauses").evidence,
		"Pause Full, cause System.gc(); heap 950 B before, 850 B after"));
	/* One long pause is enough, but not a phase beside the program. */
	fixture.meta[2].value = "1000000000000";
	fixture.profile.trace_period[0].ended = PROFILE_NOT_KNOWN;
	expect(__LINE__, "gc-pauses", true);
	row[0].kind = COLLECTION_CONCURRENT;
	expect(__LINE__, "gc-pauses", false);
}

static void test_heap(void **state)
{
	static struct profile_collection row[12];

	traced(TRACE_GC);
	fixture.profile.collection = row;
	fixture.profile.collection_count = 10;
	for (uint64_t i = 0; i < 12; i++)
		row[i] = pause_of(i + 1, 1);
	expect_only_traced(__LINE__, "heap-nearly-full");
	fixture.profile.collection_count = 9;
	expect(__LINE__, "heap-nearly-full", false);
	fixture.profile.collection_count = 11;
	row[0].after = 1;
	expect(__LINE__, "heap-nearly-full", true);
	row[1].after = 849;
	expect(__LINE__, "heap-nearly-full", false);
	row[1].after = 850;
	row[1].total = 999; /* it has grown since */
	expect(__LINE__, "heap-nearly-full", false);
	row[1].total = PROFILE_NOT_KNOWN;
	expect(__LINE__, "heap-nearly-full", false);
}

static void test_explicit_gc(void **state)
{
	static struct profile_collection row[4];

	traced(TRACE_GC);
	fixture.profile.collection = row;
	fixture.profile.collection_count = 3;
	for (uint64_t i = 0; i < 3; i++)
		row[i] = pause_of(i, 20 * MS);
	expect_only_traced(__LINE__, "explicit-gc");
	row[2].number = 1; /* two pauses of one collection */
	expect(__LINE__, "explicit-gc", false);
	row[2].number = 2;
	row[2].cause = "G1 Evacuation Pause";
	expect(__LINE__, "explicit-gc", false);
	row[2].cause = NULL;
	expect(__LINE__, "explicit-gc", false);
	row[2].cause = "System.gc()";
	row[0].ns = row[1].ns = row[2].ns = 16 * MS;
	expect(__LINE__, "explicit-gc", false);
}

static void test_thrown(void **state)
{
	struct profile_account *account;
	struct seen seen;
	uint32_t class, site;

	traced(TRACE_EXCEPTIONS);
	class = fixture_method(&fixture, "com.acme.Sold", "", NULL);
	fixture_io(&fixture, WORK, 0, IO_READ, 10000, 0);
	account = &fixture.account[fixture.profile.account_count - 1];
	account->kind = EXCEPTION_THROWN;
	account->subject = thrown_subject(class, fixture.node[MAIN].method);
	expect_only_traced(__LINE__, "exceptions-thrown");
	seen = look("exceptions-thrown");
	assert_int_equal(seen.value, 10000);
	/* 1 us and two frames */
	assert_true(seen.share > 0.01099 && seen.share < 0.01101);
	assert_string_equal(seen.evidence,
		"10.0 k in 1.00 s of tracing, most often com.acme.Sold in com.acme.Ledger.add, "
		"100% "
		"of them; caught in com.acme.Main.main. What that costs is estimated: 11.0 ms, "
		"at 1 "
		"us each and 50 ns for each frame that the profile has.");
	account->count--;
	expect(__LINE__, "exceptions-thrown", false);
	account->count = 20000;
	fixture.profile.trace_period[0].ended = PROFILE_NOT_KNOWN;
	fixture.meta[1].value = "20000000000";
	expect(__LINE__, "exceptions-thrown", true);
	fixture.meta[1].value = "20100000000";
	expect(__LINE__, "exceptions-thrown", false);
	fixture.meta[1].value = "1000000000";
	account->subject = thrown_subject(class, METHOD_ROOT);
	assert_non_null(
		strstr(look("exceptions-thrown").evidence, "no Java code caught them."));
	fixture_thread(&fixture, "another", 0, 0);
	expect_of(__LINE__, "another", "exceptions-thrown", false);
	expect_of(__LINE__, "main", "exceptions-thrown", true);
	/* By two paths more of them are thrown in one place than by one path in another. */
	site = fixture_method(&fixture, "com.acme.Shop", "sell", "()V");
	for (unsigned i = 0; i < 2; i++) {
		fixture_io(&fixture,
			fixture_node(&fixture, i == 0 ? MAIN : WORK, site, 1, 0, 0), 0, IO_READ,
			15000, 0);
		account[1 + i].kind = EXCEPTION_THROWN;
		account[1 + i].subject = account->subject;
	}
	assert_non_null(strstr(look("exceptions-thrown").evidence,
		"most often com.acme.Sold in com.acme.Shop.sell, 60.0% of them"));
}

static void test_class_churn(void **state)
{
	static struct profile_class class[1000];
	static struct profile_class_loader loader = {
		.id = 1, .class_name = "com.acme.Scripts", .unloaded = 500, .gone = true};

	traced(TRACE_CLASSES);
	for (size_t i = 0; i < COUNT(class); i++)
		class[i] = (struct profile_class){.id = (uint32_t)i + 1,
			.loader = 1,
			.loaded = 5,
			.unloaded = i < 500 ? 9 : PROFILE_NOT_KNOWN};
	fixture.profile.class = class;
	fixture.profile.class_count = COUNT(class);
	fixture.profile.class_loader = &loader;
	fixture.profile.class_loader_count = 1;
	expect_only_traced(__LINE__, "class-churn");
	assert_non_null(strstr(look("class-churn").evidence, "com.acme.Scripts"));
	class[0].unloaded = PROFILE_NOT_KNOWN;
	expect(__LINE__, "class-churn", false);
	class[0].loaded = PROFILE_NOT_KNOWN;
	class[0].unloaded = 9;
	expect(__LINE__, "class-churn", false);
}

static void test_traps(void **state)
{
	static struct profile_deoptimization row[300];

	traced(TRACE_JIT);
	for (size_t i = 0; i < COUNT(row); i++)
		row[i] = (struct profile_deoptimization){.kind = DEOPTIMIZATION_TRAP,
			.class_name = "com.acme.Ledger",
			.name = "add",
			.bytecode = i < 100 ? (int64_t)(1000 + i) : 7,
			.reason = "class_check"};
	fixture.profile.deoptimization = row;
	fixture.profile.deoptimization_count = COUNT(row);
	expect_only_traced(__LINE__, "deoptimization-storm");
	assert_int_equal(look("deoptimization-storm").value, 200);
	assert_non_null(strstr(look("deoptimization-storm").evidence, "reason: class_check"));
	row[150].kind = DEOPTIMIZATION_DISCARDED;
	expect(__LINE__, "deoptimization-storm", false);
	row[150].kind = DEOPTIMIZATION_TRAP;
	row[150].bytecode = 8;
	expect(__LINE__, "deoptimization-storm", false);
	row[150].bytecode = 7;
	fixture.profile.trace_period[0].ended = PROFILE_NOT_KNOWN;
	fixture.meta[1].value = "201000000000";
	expect(__LINE__, "deoptimization-storm", false);
}

static void test_slow_calls(void **state)
{
	static struct histogram_cell cell[2];
	static struct profile_distribution row;

	traced(TRACE_LOCKS);
	cell[0] = (struct histogram_cell){histogram_bucket(1000), 999};
	cell[1] = (struct histogram_cell){histogram_bucket(110 * MS), 1};
	row = (struct profile_distribution){.method = fixture.node[WORK].method,
		.figure = CALL_ELAPSED,
		.count = 1000,
		.least = 1000,
		.most = 110 * MS,
		.histogram = {cell, 2}};
	fixture.profile.distribution = &row;
	fixture.profile.distribution_count = 1;
	expect(__LINE__, "slow-now-and-then", true);
	assert_string_equal(look("slow-now-and-then").method, "com.acme.Ledger.add");
	fixture_thread(&fixture, "another", 0, 0);
	expect_of(__LINE__, "another", "slow-now-and-then", false);
	expect_of(__LINE__, "main", "slow-now-and-then", true);
	row.count = 999;
	expect(__LINE__, "slow-now-and-then", false);
	row.count = 1000;
	row.figure = CALL_CPU;
	expect(__LINE__, "slow-now-and-then", false);
	row.figure = CALL_ELAPSED;
	cell[1].bucket = histogram_bucket(99 * MS);
	row.most = 99 * MS;
	expect(__LINE__, "slow-now-and-then", false);
	/* All calls are that slow. */
	cell[0].bucket = histogram_bucket(50 * MS);
	cell[1].count = 100;
	expect(__LINE__, "slow-now-and-then", false);
}

/* ---- what is written down ---- */

static void put_threshold(FILE *out, const struct finding_rule *rule)
{
	const char *between = "";

	if (rule->least > 0 && strcmp(rule->unit, "ns") == 0) {
		fprintf(out, "%llu ms", (unsigned long long)(rule->least / MS));
		between = ", ";
	} else if (rule->least > 0 && strcmp(rule->unit, "bytes") == 0) {
		fprintf(out, "%llu MB", (unsigned long long)(rule->least / 1000000));
		between = ", ";
	} else if (rule->least > 0) {
		fprintf(out, "%llu %s", (unsigned long long)rule->least, rule->unit);
		between = ", ";
	}
	if (rule->share > 0) {
		fprintf(out, "%s%g %% of %s", between, 100 * rule->share, rule->whole);
		between = ", ";
	}
	if (rule->count > 0)
		fprintf(out, "%s%llu %s", between, (unsigned long long)rule->count,
			rule->counted);
	if (rule->besides)
		fprintf(out, "; %s", rule->besides);
}

static char *rules_text(bool of_notes)
{
	char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	assert_non_null(out);
	fprintf(out, "| rule | problem | at least | why |\n|---|---|---|---|\n");
	for (size_t i = 0; i < finding_rule_count; i++) {
		const struct finding_rule *rule = &finding_rules[i];

		if (rule->is_note != of_notes)
			continue;
		fprintf(out, "| `%s` | %s | ", rule->name, rule->what);
		put_threshold(out, rule);
		fprintf(out, " | %s |\n", rule->reason);
	}
	assert_int_equal(fclose(out), 0);
	return text;
}

static void test_docs(void **state)
{
	static char docs[200000];
	FILE *file = fopen(SOURCE_DIR "/docs/findings.md", "r");

	assert_non_null(file);
	docs[fread(docs, 1, sizeof(docs) - 1, file)] = '\0';
	fclose(file);
	for (int notes = 0; notes < 2; notes++) {
		char *rules = rules_text(notes);

		/* More than fail_msg prints. */
		if (!strstr(docs, rules)) {
			fprintf(stderr, "docs/findings.md must hold:\n%s\n", rules);
			fail();
		}
		free(rules);
	}
	/* Each has a paragraph of its own. */
	for (size_t i = 0; i < finding_rule_count; i++) {
		char heading[64];

		snprintf(heading, sizeof(heading), "\n**`%s`**", finding_rules[i].name);
		if (!strstr(docs, heading))
			fail_msg("docs/findings.md tells nothing of %s", finding_rules[i].name);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_small),
		cmocka_unit_test(test_small_texts),
		cmocka_unit_test(test_by_the_clock),
		cmocka_unit_test(test_sends_and_many),
		cmocka_unit_test(test_writes_and_sends),
		cmocka_unit_test(test_reopened),
		cmocka_unit_test(test_entries),
		cmocka_unit_test(test_syncs),
		cmocka_unit_test(test_hosts),
		cmocka_unit_test(test_dear),
		cmocka_unit_test(test_dear_place),
		cmocka_unit_test(test_exits),
		cmocka_unit_test(test_called_often),
		cmocka_unit_test(test_jvm_samples),
		cmocka_unit_test(test_allocation),
		cmocka_unit_test(test_locks),
		cmocka_unit_test(test_mostly_waits),
		cmocka_unit_test(test_no_processor),
		cmocka_unit_test(test_threads),
		cmocka_unit_test(test_interpreted),
		cmocka_unit_test(test_notes),
		cmocka_unit_test(test_meta_number),
		cmocka_unit_test(test_text),
		cmocka_unit_test(test_waited),
		cmocka_unit_test(test_data),
		cmocka_unit_test(test_overview),
		cmocka_unit_test(test_overview_of_lost),
		cmocka_unit_test(test_apart),
		cmocka_unit_test(test_hostile),
		cmocka_unit_test(test_deep),
		cmocka_unit_test(test_next_steps),
		cmocka_unit_test(test_lock_contention),
		cmocka_unit_test(test_unfinished_wait),
		cmocka_unit_test(test_locks_once),
		cmocka_unit_test(test_pauses),
		cmocka_unit_test(test_heap),
		cmocka_unit_test(test_explicit_gc),
		cmocka_unit_test(test_thrown),
		cmocka_unit_test(test_class_churn),
		cmocka_unit_test(test_traps),
		cmocka_unit_test(test_slow_calls),
		cmocka_unit_test(test_docs),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
