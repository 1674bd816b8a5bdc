/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/* config_json: files good and bad, and what wins over them. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "options/options.h"

static char folder[] = "/tmp/jprof-config-XXXXXX";
static char path[4096];

static int make_folder(void **state)
{
	if (!mkdtemp(folder))
		return -1;
	snprintf(path, sizeof(path), "%s/config.json", folder);
	return 0;
}

static int remove_folder(void **state)
{
	unlink(path);
	return rmdir(folder);
}

static void write_file(const char *name, const char *text)
{
	FILE *file = fopen(name, "w");
	assert_non_null(file);
	assert_true(fputs(text, file) >= 0);
	assert_int_equal(fclose(file), 0);
}

/* Parses "config=PATH" with `more` behind it. */
static int parse_file(struct options *options, const char *more, struct error *error)
{
	char *string = NULL;
	assert_int_equal(options_append(&string, "config", path, NULL), 0);
	string = realloc(string, strlen(string) + strlen(more) + 1);
	assert_non_null(string);
	strcat(string, more);
	int failed = options_parse(options, string, error);
	free(string);
	return failed;
}

static void assert_list(const struct pattern_list *list, const char *items)
{
	char joined[200] = "";
	for (size_t i = 0; i < list->count; i++)
		strcat(strcat(joined, i ? "+" : ""), list->pattern[i]);
	assert_string_equal(joined, items);
}

static void every_key_is_read(void **state)
{
	write_file(path, "{\"file\": \"/tmp/caf\xc3\xa9, %p\", \"start\": false,"
			 "\"calls\": \"events\", \"budget\": 25,"
			 "\"timed\": [\"t.*\", \"u.V\"], \"counted\": \"n.*+o\", \"metrics\": "
			 "[\"cpu\", \"wall\", \"cpu\"],"
			 "\"include\": \"a.*+b.*\", \"exclude\": [\"c.*\"],"
			 "\"threads\": [\"C++\", \"a,b\"], \"virtual\": \"separate\","
			 "\"io\": \"off\","
			 "\"scope\": [\"s.S.s\"], \"scope_follow\": true,"
			 "\"calibration\": \"/x\", \"timing\": \"precise\","
			 "\"max_memory\": \"512m\", \"flush\": 60, \"log\": \"error\"}");
	struct options options;
	struct error error = {0};
	if (parse_file(&options, "", &error) != 0)
		fail_msg("%s", error.text);
	assert_string_equal(options.config, path);
	assert_string_equal(options.file, "/tmp/caf\xc3\xa9, %p");
	assert_false(options.start);
	assert_int_equal(options.calls, CALLS_EVENTS);
	assert_int_equal(options.budget, 25);
	assert_list(&options.timed, "t.*+u.V");
	assert_list(&options.counted, "n.*+o");
	assert_list(&options.metrics, "cpu+wall");
	assert_list(&options.include, "a.*+b.*");
	assert_list(&options.exclude, "c.*");
	assert_list(&options.threads, "C+++a,b");
	assert_int_equal(options.threads.count, 2);
	assert_int_equal(options.virtual, VIRTUAL_SEPARATE);
	assert_list(&options.scope, "s.S.s");
	assert_true(options.scope_follow);
	assert_int_equal(options.io, IO_OFF);
	assert_string_equal(options.calibration, "/x");
	assert_int_equal(options.timing, TIMING_PRECISE);
	assert_int_equal(options.max_memory, 512 << 20);
	assert_int_equal(options.flush, 60);
	assert_int_equal(options.log, LOG_ERROR);
	options_fini(&options);
}

static void the_string_wins(void **state)
{
	write_file(path, "{\"io\": \"off\", \"log\": \"info\", \"file\": \"f\","
			 "\"metrics\": \"cpu\", \"include\": [\"a.*\"]}");
	struct options options;
	struct error error = {0};
	if (parse_file(&options, ",io=records,include=b.*,include=c.*,file=g", &error) != 0)
		fail_msg("%s", error.text);
	assert_int_equal(options.io, IO_RECORDS);
	assert_int_equal(options.log, LOG_INFO);
	assert_string_equal(options.file, "g");
	assert_list(&options.metrics, "cpu");
	assert_list(&options.include, "b.*+c.*");
	options_fini(&options);
}

static const struct {
	int line;
	const char *text, *json;
} accepted[] = {
	{__LINE__, "{}", "\"io\": \"summary\""},
	{__LINE__, "\n\t {\"start\": \"no\"} \n", "\"start\": \"no\""},
	{__LINE__, "{\"start\": true}", "\"start\": \"yes\""},
	{__LINE__, "{\"$schema\": \"../schema.json\", \"io\": \"off\"}", "\"io\": \"off\""},
	{__LINE__, "{\"flush\": \"7\"}", "\"flush\": 7"},
	{__LINE__, "{\"budget\": 25}", "\"budget\": 25,"},
	{__LINE__, "{\"budget\": \"25\"}", "\"budget\": 25,"},
	{__LINE__, "{\"budget\": 1}", "\"budget\": 1,"},
	{__LINE__, "{\"budget\": 100}", "\"budget\": 100,"},
	{__LINE__, "{\"budget\": \"off\"}", "\"budget\": \"off\","},
	{__LINE__, "{\"timed\": \"a.B\"}", "\"a.B\""},
	{__LINE__, "{\"timed\": [], \"counted\": []}", "\"counted\": []"},
	{__LINE__, "{\"max_memory\": 1048577}", "\"max_memory\": 1048577"},
	{__LINE__, "{\"max_memory\": 2097152}", "\"max_memory\": \"2m\""},
	{__LINE__, "{\"include\": []}", "\"include\": []"},
	{__LINE__, "{\"include\": \"a.*\"}", "\"a.*\""},
	{__LINE__, "{\"file\": \"\\u20ac\\\\ \\\"\"}", "\"file\": \"\xe2\x82\xac\\\\ \\\"\""},
};

static void files_are_accepted(void **state)
{
	for (size_t i = 0; i < sizeof(accepted) / sizeof(accepted[0]); i++) {
		write_file(path, accepted[i].text);
		struct options options;
		struct error error = {0};
		if (parse_file(&options, "", &error) != 0)
			fail_msg("row of line %d: %s", accepted[i].line, error.text);
		char *json = options_to_json(&options, 2);
		if (!strstr(json, accepted[i].json))
			fail_msg("row of line %d: %s", accepted[i].line, json);
		free(json);
		options_fini(&options);
	}
}

static const struct {
	int line;
	const char *text;
	enum error_code code;
	const char *words[3]; /* that the message must hold */
} refused[] = {
	{__LINE__, "", ERROR_FORMAT, {"not JSON in line 1"}},
	{__LINE__, "io=off", ERROR_FORMAT, {"not JSON in line 1"}},
	{__LINE__, "{\n\"io\": \"off\",\n}", ERROR_FORMAT, {"not JSON in line 3"}},
	{__LINE__, "{\n\"io\": \"off\"", ERROR_FORMAT, {"not JSON in line 2"}},
	{__LINE__, "{\"io\": \"off\"}}", ERROR_FORMAT, {"not JSON in line 1"}},
	{__LINE__, "{} {}", ERROR_FORMAT, {"not JSON"}},
	{__LINE__, "{\"file\": \"\xff\"}", ERROR_FORMAT, {"not JSON in line 1", "byte 0xff"}},
	{__LINE__, "{\"file\": \"a\\u0000b\"}", ERROR_FORMAT, {"not JSON in line 1"}},
	{__LINE__, "{\"io\": \"off\",\n\"io\": \"off\"}", ERROR_FORMAT,
		{"line 2", "duplicate"}},
	{__LINE__, "{\"flush\": 99999999999999999999}", ERROR_FORMAT, {"too big"}},
	{__LINE__, "[]", ERROR_FORMAT, {"not a JSON object"}},
	{__LINE__, "\"io\"", ERROR_FORMAT, {"not JSON in line 1"}},
	{__LINE__, "{\"metric\": [\"cpu\"]}", ERROR_USAGE,
		{"'metric'", "[\"cpu\"]", "'metrics'"}},
	{__LINE__, "{\"\": 1}", ERROR_USAGE, {"''", "'1'", "legal"}},
	{__LINE__, "{\"config\": \"x\"}", ERROR_USAGE, {"'config'", "option string only"}},
	{__LINE__, "{\"$schema\": 1}", ERROR_USAGE, {"'$schema'", "'1'"}},
	{__LINE__, "{\"config\": 1}", ERROR_USAGE, {"'config'", "option string only"}},
	{__LINE__, "{\"io\": \"of\"}", ERROR_VALUE, {"'io'", "'of'", "off, summary, records"}},
	{__LINE__, "{\"io\": true}", ERROR_VALUE, {"'true' is of a wrong type", "records"}},
	{__LINE__, "{\"io\": null}", ERROR_VALUE, {"'null' is of a wrong type", "records"}},
	{__LINE__, "{\"io\": 1}", ERROR_VALUE, {"'1' is of a wrong type", "records"}},
	{__LINE__, "{\"io\": [\"off\"]}", ERROR_VALUE, {"'[\"off\"]' is of a wrong type"}},
	{__LINE__, "{\"io\": {\"a\": 1}}", ERROR_VALUE, {"'{\"a\":1}' is of a wrong type"}},
	{__LINE__, "{\"start\": 1}", ERROR_VALUE, {"'start'", "'1'", "yes, no"}},
	{__LINE__, "{\"start\": \"true\"}", ERROR_VALUE, {"'start'", "'true'", "yes, no"}},
	{__LINE__, "{\"budget\": 0}", ERROR_VALUE,
		{"'budget'", "'0' is too small", "from 1 to 100, or off"}},
	{__LINE__, "{\"budget\": \"0\"}", ERROR_VALUE, {"'budget'", "'0' is too small"}},
	{__LINE__, "{\"budget\": 101}", ERROR_VALUE, {"'101' is too large", "or off"}},
	{__LINE__, "{\"budget\": -1}", ERROR_VALUE, {"'-1'", "from 1 to 100, or off"}},
	{__LINE__, "{\"budget\": 1.5}", ERROR_VALUE, {"'1.5'", "from 1 to 100, or off"}},
	{__LINE__, "{\"budget\": false}", ERROR_VALUE, {"'false'", "from 1 to 100, or off"}},
	{__LINE__, "{\"budget\": null}", ERROR_VALUE, {"'null'", "from 1 to 100, or off"}},
	{__LINE__, "{\"budget\": [10]}", ERROR_VALUE, {"'[10]'", "from 1 to 100, or off"}},
	{__LINE__, "{\"budget\": \"much\"}", ERROR_VALUE, {"'much'", "or off"}},
	{__LINE__, "{\"timed\": [\"a.B\", 1]}", ERROR_VALUE, {"'timed'", "'1'"}},
	{__LINE__, "{\"counted\": [\"a/B\"]}", ERROR_VALUE, {"'counted'", "'a/B'"}},
	{__LINE__, "{\"flush\": 1.5}", ERROR_VALUE, {"'flush'", "'1.5'", "from 1 to 86400"}},
	{__LINE__, "{\"flush\": -1}", ERROR_VALUE, {"'-1'", "from 1 to 86400"}},
	{__LINE__, "{\"flush\": 0}", ERROR_VALUE, {"'0'", "from 1 to 86400"}},
	{__LINE__, "{\"flush\": false}", ERROR_VALUE, {"'false'", "from 1 to 86400"}},
	{__LINE__, "{\"max_memory\": 1}", ERROR_VALUE, {"'1'", "small", "from 1m"}},
	{__LINE__, "{\"metrics\": []}", ERROR_VALUE, {"'metrics'", "'[]' is empty"}},
	{__LINE__, "{\"metrics\": [1]}", ERROR_VALUE, {"'metrics'", "'1'", "names"}},
	{__LINE__, "{\"metrics\": [[\"cpu\"]]}", ERROR_VALUE, {"'[\"cpu\"]'"}},
	{__LINE__, "{\"metrics\": [\"\"]}", ERROR_VALUE, {"'metrics'", "empty"}},
	{__LINE__, "{\"metrics\": \"\"}", ERROR_VALUE, {"'metrics'", "empty"}},
	{__LINE__, "{\"metrics\": 7}", ERROR_VALUE, {"'metrics'", "'7'"}},
	{__LINE__, "{\"include\": [\"a.*\", \"b/C\"]}", ERROR_VALUE, {"'include'", "'b/C'"}},
	{__LINE__, "{\"file\": \"\"}", ERROR_VALUE, {"'file'", "empty"}},
};

static void files_are_refused(void **state)
{
	for (size_t i = 0; i < sizeof(refused) / sizeof(refused[0]); i++) {
		write_file(path, refused[i].text);
		struct options options;
		struct error error = {0};
		int line = refused[i].line, result = parse_file(&options, "", &error);
		if (result != -(int)refused[i].code || !strstr(error.text, path))
			fail_msg("row of line %d: %d %s", line, result, error.text);
		for (size_t k = 0; k < 3 && refused[i].words[k]; k++)
			if (!strstr(error.text, refused[i].words[k]))
				fail_msg("row of line %d: %s", line, error.text);
		assert_null(options.config);
		options_fini(&options);
	}
}

/* A value that the string overrides must still be legal: it may be the one in force when
 * the file is used next. */
static void overridden_values_are_checked(void **state)
{
	write_file(path, "{\"io\": \"of\"}");
	struct options options;
	assert_int_equal(parse_file(&options, ",io=off", NULL), -ERROR_VALUE);
	options_fini(&options);
}

static void zero_bytes_are_not_json(void **state)
{
	FILE *file = fopen(path, "w");
	assert_non_null(file);
	assert_int_equal(fwrite("{}\0{}", 1, 5, file), 5);
	assert_int_equal(fclose(file), 0);
	struct options options;
	assert_int_equal(parse_file(&options, "", NULL), -ERROR_FORMAT);
	options_fini(&options);
}

/* {"io": [[[[...]]]]}: deeper than jansson reads, and nearly as deep as it does. */
static void deep_nesting_is_refused(void **state)
{
	static char text[500000];
	const int depths[] = {2000, 200000};
	for (int i = 0; i < 2; i++) {
		size_t depth = (size_t)depths[i];
		strcpy(text, "{\"io\": ");
		memset(text + 7, '[', depth);
		memset(text + 7 + depth, ']', depth);
		strcpy(text + 7 + 2 * depth, "}");
		write_file(path, text);
		struct options options;
		struct error error = {0};
		assert_int_not_equal(parse_file(&options, "", &error), 0);
		assert_non_null(strstr(error.text, i ? "depth" : "is of a wrong type"));
		options_fini(&options);
	}
}

/* The file is a hole: to read all of it would take time and memory. */
static void large_files_are_refused(void **state)
{
	const off_t sizes[] = {(1 << 20) + 1, 100 << 20, (off_t)1 << 40};
	for (int i = 0; i < 3; i++) {
		write_file(path, "{}");
		assert_int_equal(truncate(path, sizes[i]), 0);
		struct options options;
		struct error error = {0};
		assert_int_equal(parse_file(&options, "", &error), -ERROR_FORMAT);
		assert_non_null(strstr(error.text, "larger than 1 MB"));
		assert_non_null(strstr(error.text, path));
		options_fini(&options);
	}
}

static void the_largest_file_is_read(void **state)
{
	static char text[(1 << 20) + 1];
	memset(text, ' ', sizeof(text) - 1);
	memcpy(text + sizeof(text) - 20, "{\"io\": \"off\"}", 13);
	write_file(path, text);
	struct options options;
	assert_int_equal(parse_file(&options, "", NULL), 0);
	assert_int_equal(options.io, IO_OFF);
	options_fini(&options);
}

static void refuse_at(const char *place, enum error_code code, const char *words)
{
	char *string = NULL;
	struct options options;
	struct error error = {0};
	assert_int_equal(options_append(&string, "config", place, NULL), 0);
	assert_int_equal(options_parse(&options, string, &error), -(int)code);
	assert_non_null(strstr(error.text, place));
	assert_non_null(strstr(error.text, words));
	options_fini(&options);
	free(string);
}

static void what_is_no_file_is_refused(void **state)
{
	refuse_at("/nowhere/x.json", ERROR_IO, "No such file or directory");
	refuse_at("/tmp", ERROR_FORMAT, "not a regular file");
	refuse_at("/dev/zero", ERROR_FORMAT, "not a regular file");
	char pipe_path[sizeof(path)];
	snprintf(pipe_path, sizeof(pipe_path), "%s/pipe", folder);
	assert_int_equal(mkfifo(pipe_path, 0600), 0);
	refuse_at(pipe_path, ERROR_FORMAT, "not a regular file");
	unlink(pipe_path);
	if (geteuid() == 0)
		return; /* may read everything */
	write_file(path, "{}");
	assert_int_equal(chmod(path, 0), 0);
	refuse_at(path, ERROR_IO, "Permission denied");
	assert_int_equal(chmod(path, 0600), 0);
}

/* Folders of 200 characters, with spaces, commas, backslashes and UTF-8, until the path
 * has nearly 4,000. */
static void long_paths_are_read(void **state)
{
	char deep[4096], part[201] = "a b,c\\d\xc3\xa9";
	size_t made = 0, length = strlen(part);
	memset(part + length, 'x', 200 - length);
	length = (size_t)snprintf(deep, sizeof(deep), "%s", folder);
	size_t lengths[20];
	while (length < 3750) {
		lengths[made++] = length;
		length += (size_t)snprintf(deep + length, sizeof(deep) - length, "/%s", part);
		assert_int_equal(mkdir(deep, 0700), 0);
	}
	snprintf(deep + length, sizeof(deep) - length, "/c.json");
	write_file(deep, "{\"io\": \"off\"}");

	char *string = NULL;
	struct options options;
	struct error error = {0};
	assert_int_equal(options_append(&string, "config", deep, NULL), 0);
	if (options_parse(&options, string, &error) != 0)
		fail_msg("%s", error.text);
	assert_int_equal(options.io, IO_OFF);
	assert_string_equal(options.config, deep);
	options_fini(&options);

	write_file(deep, "{\"io\": \"of\"}");
	assert_int_equal(options_parse(&options, string, &error), -ERROR_VALUE);
	assert_non_null(strstr(error.text, "c.json"));
	assert_non_null(strstr(error.text, "off, summary, records"));
	options_fini(&options);
	free(string);
	unlink(deep);
	for (deep[length] = '\0'; made > 0; deep[lengths[made]] = '\0') {
		assert_int_equal(rmdir(deep), 0);
		made--;
	}
}

/* What is written, read again, gives the same. */
static void json_is_a_config_file(void **state)
{
	const char *const strings[] = {NULL, "file=\\,\\\\%p\xc3\xa9\"\n,start=no,calls=off",
		"metrics=a+b,include=a.*+b.*,exclude=c,threads=C\\+\\+\\,x",
		"io=records,calibration=/x,timing=precise,max_memory=1048577",
		"flush=99,log=info,virtual=separate", "budget=off,timed=a.B+c.*,counted=d",
		"budget=33"};
	for (size_t i = 0; i < sizeof(strings) / sizeof(strings[0]); i++) {
		struct options options, again;
		assert_int_equal(options_parse(&options, strings[i], NULL), 0);
		char *json = options_to_json(&options, 2);
		write_file(path, json);
		assert_int_equal(parse_file(&again, "", NULL), 0);
		char *json_again = options_to_json(&again, 2);
		assert_string_equal(json, json_again);
		free(json);
		free(json_again);
		options_fini(&options);
		options_fini(&again);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_key_is_read),
		cmocka_unit_test(the_string_wins),
		cmocka_unit_test(files_are_accepted),
		cmocka_unit_test(files_are_refused),
		cmocka_unit_test(overridden_values_are_checked),
		cmocka_unit_test(zero_bytes_are_not_json),
		cmocka_unit_test(deep_nesting_is_refused),
		cmocka_unit_test(large_files_are_refused),
		cmocka_unit_test(the_largest_file_is_read),
		cmocka_unit_test(what_is_no_file_is_refused),
		cmocka_unit_test(long_paths_are_read),
		cmocka_unit_test(json_is_a_config_file),
	};
	return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
