/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/*
 * test_reach: what a JVM's words and counters say, spans of time, status as text, and who
 * a target is. The protocols themselves are tested by attach.sh.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cli/attach/jvm_facts.h"
#include "cli/attach/jvm_list.h"
#include "cli/record/profile_file.h"
#include "cli/status_text.h"
#include "cli/terminal/waiting.h"

#define COUNT(rows) (sizeof(rows) / sizeof((rows)[0]))

/* ---- spans of time ---- */

static void spans(void **state)
{
	static const struct {
		const char *text;
		int64_t milliseconds; /* 0: refused */
	} rows[] = {
		{"1", 1000},
		{"0.5", 500},
		{"2s", 2000},
		{"1.5m", 90000},
		{"1h", 3600000},
		{".25", 250},
		{"0.001", 1},
		{"87600h", 315360000000},
		{"", 0},
		{"0", 0},
		{"0.0001", 0},
		{"-1", 0},
		{"+1", 0},
		{" 1", 0},
		{"1 ", 0},
		{"1.2.3", 0},
		{".", 0},
		{"s", 0},
		{"1d", 0},
		{"1ss", 0},
		{"1e3", 0},
		{"0x10", 0},
		{"inf", 0},
		{"nan", 0},
		{"87601h", 0},
		{"99999999999999999999999999999999", 0},
	};

	for (size_t i = 0; i < COUNT(rows); i++) {
		struct error error = {0};
		int64_t got = 0;
		int failed = waiting_read_span(rows[i].text, &got, &error);

		if ((failed != 0) != (rows[i].milliseconds == 0) ||
			(failed == 0 && got != rows[i].milliseconds))
			fail_msg("'%s': %d, %lld", rows[i].text, failed, (long long)got);
		assert_int_equal(failed != 0, error.code == ERROR_USAGE);
	}
}

/* ---- words ---- */

#define ON  "-XX:+DisableAttachMechanism"
#define OFF "-XX:-DisableAttachMechanism"

/* Lines: each ends with a '\0' of its own, the last one with the string's. */
static void command_lines(void **state)
{
	static const struct {
		const char *words;
		size_t size;
		bool no_attach;
	} rows[] = {
#define ROW(words, expected) {words, sizeof(words), expected}
		ROW("java\0" ON "\0Main", true),
		ROW("java\0-Xmx1g\0" ON "\0-jar\0a.jar", true),
		ROW("java\0" ON "\0" OFF "\0Main", false),
		ROW("java\0Main\0" ON, false),
		ROW("java\0-jar\0a.jar\0" ON, false),
		ROW("java\0-m\0a/b\0" ON, false),
		ROW("java\0-cp\0a b\0" ON "\0Main", true),
		ROW("java\0--module-path\0x\0" ON "\0-m\0a", true),
		ROW("java\0-cp\0" ON "\0Main", false),
		ROW("java\0" ON "x\0Main", false),
		ROW("java\0-Da=" ON "\0Main", false),
		ROW(ON "\0Main", false),
		ROW("", false),
#undef ROW
	};

	for (size_t i = 0; i < COUNT(rows); i++) {
		bool no_attach = false;

		free(jvm_command_line(NULL, rows[i].words, rows[i].size, &no_attach));
		if (no_attach != rows[i].no_attach)
			fail_msg("row %zu", i);
	}
}

static void command_line_without_end(void **state)
{
	static const char words[] = "java\0" ON;
	char *exact = malloc(sizeof(words) - 1);
	bool no_attach = false;

	memcpy(exact, words, sizeof(words) - 1);
	free(jvm_command_line(NULL, exact, sizeof(words) - 1, &no_attach));
	assert_true(no_attach);
	free(exact);
}

static void environments(void **state)
{
	static const char variables[] =
		"A=" ON "\0JAVA_TOOL_OPTIONS=-Xa\t" ON " -Xb\0_JAVA_OPTIONS=" OFF;
	bool no_attach = false;

	jvm_variable("JAVA_TOOL_OPTIONS", variables, 10, &no_attach);
	assert_false(no_attach);
	jvm_variable("JAVA_TOOL_OPTIONS", variables, sizeof(variables), &no_attach);
	jvm_variable("JDK_JAVA_OPTIONS", variables, sizeof(variables), &no_attach);
	assert_true(no_attach);
	jvm_variable("_JAVA_OPTIONS", variables, sizeof(variables), &no_attach);
	assert_false(no_attach);
}

/* ---- HotSpot's counters, made byte by byte ---- */

struct counters {
	unsigned char magic[4], byte_order, major, minor, accessible;
	int32_t used, overflow;
	int64_t modified;
	int32_t entry_offset, entry_count;
	struct {
		int32_t length, name_offset, vector_length;
		char type, flags, unit, variability;
		int32_t data_offset;
		char bytes[40];
	} entries[2];
};

static struct counters good_counters(char value)
{
	struct counters counters = {.magic = {0xca, 0xfe, 0xc0, 0xc0},
		.byte_order = __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__,
		.major = 2,
		.accessible = 1,
		.entry_offset = offsetof(struct counters, entries),
		.entry_count = 2};

	for (int i = 0; i < 2; i++) {
		counters.entries[i].length = (int32_t)sizeof(counters.entries[0]);
		counters.entries[i].name_offset = 20;
		counters.entries[i].data_offset = 50;
	}
	strcpy(counters.entries[0].bytes, "sun.rt.jvmCapabilitie");
	strcpy(counters.entries[1].bytes, "sun.rt.jvmCapabilities");
	counters.entries[0].bytes[30] = 'x';
	counters.entries[1].bytes[30] = value;
	return counters;
}

/* In memory of just that size, so that a sanitizer sees each byte too far. */
static int read_counters(const struct counters *counters, size_t size)
{
	unsigned char *exact = malloc(size > 0 ? size : 1);
	int value;

	memcpy(exact, counters, size);
	value = jvm_counters_attach(exact, size);
	free(exact);
	return value;
}

static void texts_of_counters(void **state)
{
	struct counters counters = good_counters('7');
	const unsigned char *bytes = (const unsigned char *)&counters;
	char *text = jvm_counters_text(bytes, sizeof(counters), "sun.rt.jvmCapabilities");

	assert_string_equal(text, "7");
	free(text);
	assert_null(jvm_counters_text(bytes, sizeof(counters), "sun.rt"));
	/* A value that does not end: up to the end of its entry. */
	memset(counters.entries[1].bytes + 30, 'x', 10);
	text = jvm_counters_text(bytes, sizeof(counters), "sun.rt.jvmCapabilities");
	assert_string_equal(text, "xxxxxxxxxx");
	free(text);
}

/* ---- programs ---- */

static void programs_are_found(void **state)
{
	static const struct {
		const char *words;
		size_t size;
		const char *program;
	} rows[] = {
#define ROW(text, program) {text, sizeof(text), program}
		ROW("java\0Main\0-x", "Main"),
		ROW("/usr/bin/java\0-cp\0a:b\0-Xmx1g\0com.acme.Main\0Other", "com.acme.Main"),
		ROW("java\0-jar\0/a b/x.jar\0y", "/a b/x.jar"),
		ROW("java\0-p\0mods\0-m\0com.acme/com.acme.Main", "com.acme/com.acme.Main"),
		ROW("java\0--module\0com.acme", "com.acme"),
		ROW("java\0@words\0Main", NULL),
		ROW("java\0@words", NULL),
		ROW("java\0-version", NULL),
		ROW("java\0-cp", NULL),
		ROW("java\0-jar", NULL),
		ROW("java", NULL),
		{"", 0, NULL},
#undef ROW
	};

	for (size_t i = 0; i < COUNT(rows); i++) {
		char *exact = malloc(rows[i].size + 1), *program;
		bool ignored;

		memcpy(exact, rows[i].words, rows[i].size);
		program = jvm_command_line(NULL, exact, rows[i].size, &ignored);
		if ((program == NULL) != (rows[i].program == NULL) ||
			(program != NULL && strcmp(program, rows[i].program) != 0))
			fail_msg("row %zu: %s", i, program != NULL ? program : "none");
		free(program);
		free(exact);
	}
}

static void programs_are_named(void **state)
{
	assert_true(jvm_list_is_named("com.acme.Main", "com.acme.Main"));
	assert_true(jvm_list_is_named("com.acme.Main", "Main"));
	assert_true(jvm_list_is_named("com.acme.Main$Inner", "Main$Inner"));
	assert_true(jvm_list_is_named("Main", "Main"));
	assert_true(jvm_list_is_named("/a b/x-1.2.jar", "x-1.2.jar"));
	assert_true(jvm_list_is_named("mod/com.acme.Main", "com.acme.Main"));
	assert_true(jvm_list_is_named("mod/com.acme.Main", "Main"));
	assert_false(jvm_list_is_named("com.acme.Main", "acme.Main"));
	assert_false(jvm_list_is_named("com.acme.Main", "main"));
	assert_false(jvm_list_is_named("/a/x.jar", "jar"));
	assert_false(jvm_list_is_named("com.acme.Main", ""));
}

static void counters_are_read(void **state)
{
	struct counters counters = good_counters('1');

	assert_int_equal(read_counters(&counters, sizeof(counters)), 1);
	counters = good_counters('0');
	assert_int_equal(read_counters(&counters, sizeof(counters)), 0);
	counters = good_counters('?');
	assert_int_equal(read_counters(&counters, sizeof(counters)), -1);
	for (size_t size = 0; size < sizeof(counters); size++)
		assert_int_equal(read_counters(&counters, size), -1);
}

static void bad_counters_say_nothing(void **state)
{
	static const int32_t numbers[] = {0, -1, 1, 19, 41, 60, 61, 1000, INT32_MAX, INT32_MIN};
	struct counters counters = good_counters('1');

	counters.magic[0] = 0;
	assert_int_equal(read_counters(&counters, sizeof(counters)), -1);
	counters = good_counters('1');
	counters.accessible = 0;
	assert_int_equal(read_counters(&counters, sizeof(counters)), -1);
	for (size_t i = 0; i < COUNT(numbers); i++) {
		int32_t *fields[] = {&counters.entry_offset, &counters.entry_count,
			&counters.entries[0].length, &counters.entries[1].name_offset,
			&counters.entries[1].data_offset};

		for (size_t k = 0; k < COUNT(fields); k++) {
			counters = good_counters('1');
			*fields[k] = numbers[i];
			/* Only a larger count, or a value elsewhere, leaves it readable.
			 */
			if (read_counters(&counters, sizeof(counters)) == 0)
				fail_msg("field %zu = %d", k, numbers[i]);
		}
	}
}

/* ---- targets ---- */

static void pids(void **state)
{
	static const struct {
		const char *text;
		pid_t pid; /* 0: refused */
	} rows[] = {{"1", 1}, {"2147483647", 2147483647}, {"", 0}, {"0", 0}, {"-1", 0},
		{"+1", 0}, {" 1", 0}, {"1x", 0}, {"2147483648", 0}, {"0x1", 0},
		{"99999999999999999999999", 0}};

	for (size_t i = 0; i < COUNT(rows); i++) {
		struct error error = {0};
		pid_t pid = 0;

		if ((target_read_pid(rows[i].text, &pid, &error) != 0) != (rows[i].pid == 0) ||
			pid != rows[i].pid)
			fail_msg("'%s'", rows[i].text);
	}
}

static void our_own_process(void **state)
{
	struct target target;
	struct jvm_maps maps;
	struct error error = {0};
	char *here;

	assert_int_equal(target_open(&target, getpid(), &error), 0);
	assert_true(target.same_view);
	assert_int_equal(target.uid, geteuid());
	assert_int_equal(target.gid, getegid());
	assert_false(target_ended(&target));
	assert_int_equal(jvm_maps_read(&target, &maps, &error), 0);
	assert_false(maps.jvm);
	assert_null(maps.counters);
	jvm_maps_fini(&maps);
	here = target_path_here(&target, "/a/b");
	assert_string_equal(here, "/a/b");
	free(here);
	target_close(&target);
	target_close(&target);
}

/* ---- paths and lines ---- */

static void times_in_paths(void **state)
{
	static const struct {
		const char *file, *fixed;
	} rows[] = {{"a", "a"}, {"%t", "42"}, {"%p%t%%", "%p42%%"}, {"%%t", "%%t"}, {"%", "%"},
		{"x%", "x%"}, {"", ""}};

	for (size_t i = 0; i < COUNT(rows); i++) {
		char *fixed = profile_file_fix_time(rows[i].file, 42);

		assert_string_equal(fixed, rows[i].fixed);
		free(fixed);
	}
}

static void status_lines(void **state)
{
	static const struct {
		const char *json;
		unsigned width;
		const char *lines;
	} rows[] = {
		{"{}", 0, ""},
		{"{\"state\": 5, \"pid\": \"x\", \"memory\": 1, \"snapshots\": []}", 0, ""},
		{"{\"error\": null, \"overhead\": null}", 0, ""},
		{"{\"state\": \"armed\", \"threads\": -5}", 0,
			"state               armed\nthreads             0\n"},
		{"{\"memory\": {\"used\": 1234}}", 0, "memory              1,234 bytes\n"},
		{"{\"state\": \"\\u00e4\\u00f6\\u00fc\"}", 22,
			"state               \xc3\xa4\xc3\xb6\n"},
		{"{\"file\": \"a\\u001b[1mb\\n\"}", 0,
			"profile             a\\u001b[1mb\\u000a\n"},
		{"{\"error\": \"\\u009b31m\\u202e\\u200b\\u007f\"}", 0,
			"last failure        \\u009b31m\\u202e\\u200b\\u007f\n"},
		{"{\"snapshots\": [\"a\\u2066\"], \"options\": {\"\\u061c\": "
		 "\"\\ufeff\"}}",
			0,
			"options             {\"\\u061c\":\"\\ufeff\"}\n"
			"snapshots           a\\u2066\n"},
	};

	for (size_t i = 0; i < COUNT(rows); i++) {
		json_t *status = json_loads(rows[i].json, 0, NULL);
		char *lines = status_text(status, NULL, rows[i].width, 0);

		assert_string_equal(lines, rows[i].lines);
		free(lines);
		json_decref(status);
	}
}

/* Root has the same name everywhere. */
static const char two_sessions[] =
	"{\"state\": \"recording\", \"file\": \"/tmp/a.jprof\", \"threads\": 7, \"sessions\": ["
	"{\"name\": \"main\", \"number\": 1, \"owner\": {\"text\": \"command line\"},"
	" \"file\": \"/tmp/a.jprof\", \"duration_ns\": 240000000000, \"traces\": [],"
	" \"options\": {\"calls\": \"auto\", \"metrics\": [\"wall\", \"cpu\"], \"include\": "
	"[]},"
	" \"matches\": [{\"option\": \"include\", \"pattern\": \"x.*\", \"matches\": 0}]},"
	"{\"name\": \"of\\u001b-bob\", \"number\": 2,"
	" \"owner\": {\"text\": \"uid 0\", \"uid\": 0, \"pid\": 9, \"by\": \"jprof attach\"},"
	" \"file\": \"/srv/a/rather/long/path/to/the/profile/of/bob-4711-2.jprof\","
	" \"duration_ns\": 12000000000, \"ends_in_ms\": 48000, \"traces\": [\"gc\", \"locks\"],"
	" \"options\": {\"calls\": \"instrument\", \"metrics\": [\"wall\"],"
	" \"include\": [\"com.acme.*\", \"org.x.*\"], \"threads\": \"w-*\"}},"
	"{\"name\": 5, \"owner\": 7, \"options\": [], \"traces\": \"\", \"file\": \"\","
	" \"scope\": \"user=al*\"}, 3]}";

static void session_tables(void **state)
{
	static const struct {
		const char *name;
		unsigned width;
		const char *lines;
	} rows[] = {
		{NULL, 80,
			"Name          Owner               For              Calls       "
			"Metrics\n"
			"main          command line        4 min            auto        "
			"wall+cpu\n"
			"              into /tmp/a.jprof\n"
			"of\\u001b-bob  root, jprof attach  12 s, 48 s left  instrument  wall\n"
			"              traces gc+locks  include com.acme.*+org.x.*  threads "
			"w-*\n"
			"              into "
			"/srv/a/rather/long/path/to/the/profile/of/bob-4711-2.jprof\n"
			"-             -                   -                -           -\n"
			"              scope tag:user=al*\n"
			"-             -                   -                -           -\n"
			"\n"
			"state               recording\n"
			"threads             7\n"
			"matches nothing     main: include=x.*: no method of this name is "
			"there yet\n"},
		{NULL, 160,
			"Name          Owner               For              Calls       "
			"Metrics   Traces    Filter\n"
			"main          command line        4 min            auto        "
			"wall+cpu  -         -\n"
			"              into /tmp/a.jprof\n"
			"of\\u001b-bob  root, jprof attach  12 s, 48 s left  instrument  wall  "
			"    gc+locks  include com.acme.*+org.x.*  threads w-*\n"
			"              into "
			"/srv/a/rather/long/path/to/the/profile/of/bob-4711-2.jprof\n"
			"-             -                   -                -           -      "
			"   -         scope tag:user=al*\n"
			"-             -                   -                -           -      "
			"   -         -\n"
			"\n"
			"state               recording\n"
			"threads             7\n"
			"matches nothing     main: include=x.*: no method of this name is "
			"there yet\n"},
		{NULL, 50,
			"Name          Owner               For\n"
			"main          command line        4 min\n"
			"              calls auto  metrics wall+cpu\n"
			"              into /tmp/a.jprof\n"
			"of\\u001b-bob  root, jprof attach  12 s, 48 s left\n"
			"              calls instrument  metrics wall\n"
			"              traces gc+locks\n"
			"              include com...*+org.x.*  threads w-*\n"
			"              into /srv/a/rat..of/bob-4711-2.jprof\n"
			"-             -                   -\n"
			"              scope tag:user=al*\n"
			"-             -                   -\n"
			"\n"
			"state               recording\n"
			"threads             7\n"
			"matches nothing     main: include=x.*: no method of this name is "
			"there yet\n"},
		{"main", 80,
			"state               recording\n"
			"session             main\n"
			"owner               command line\n"
			"profile             /tmp/a.jprof\n"
			"recording for       240,000.000 ms\n"
			"options             "
			"{\"calls\":\"auto\",\"metrics\":[\"wall\",\"cpu\"],\"include\":[]}\n"
			"threads             7\n"
			"matches nothing     include=x.*: no method of this name is there "
			"yet\n"},
	};

	for (size_t i = 0; i < COUNT(rows); i++) {
		json_t *status = json_loads(two_sessions, 0, NULL);
		char *lines = status_text(status, rows[i].name, 0, rows[i].width);

		assert_non_null(status);
		assert_string_equal(lines, rows[i].lines);
		free(lines);
		json_decref(status);
	}
}

/* Opening anything but a plain file may do something. */
static void only_plain_files_are_opened(void **state)
{
	struct target target;
	struct error error = {0};
	char folder[] = "/tmp/reach-XXXXXX";
	int file;

	assert_int_equal(target_open(&target, getpid(), &error), 0);
	assert_non_null(mkdtemp(folder));
	assert_int_equal(chdir(folder), 0);
	assert_int_equal(mkfifo("pipe", 0600), 0);
	assert_int_equal(symlink("pipe", "link"), 0);
	file = creat("plain", 0600);
	assert_true(file >= 0);
	close(file);
	assert_int_equal(target_open_file(&target, "pipe"), -1);
	assert_int_equal(target_open_file(&target, "link"), -1);
	assert_int_equal(target_open_file(&target, "."), -1);
	assert_int_equal(target_open_file(&target, "nothing"), -1);
	assert_int_equal(target_open_file(&target, "/dev/null"), -1);
	file = target_open_file(&target, "plain");
	assert_true(file >= 0);
	close(file);
	unlink("pipe");
	unlink("link");
	unlink("plain");
	assert_int_equal(chdir("/"), 0);
	rmdir(folder);
	target_close(&target);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(spans),
		cmocka_unit_test(command_lines),
		cmocka_unit_test(command_line_without_end),
		cmocka_unit_test(environments),
		cmocka_unit_test(counters_are_read),
		cmocka_unit_test(texts_of_counters),
		cmocka_unit_test(programs_are_found),
		cmocka_unit_test(programs_are_named),
		cmocka_unit_test(bad_counters_say_nothing),
		cmocka_unit_test(pids),
		cmocka_unit_test(our_own_process),
		cmocka_unit_test(only_plain_files_are_opened),
		cmocka_unit_test(times_in_paths),
		cmocka_unit_test(status_lines),
		cmocka_unit_test(session_tables),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
