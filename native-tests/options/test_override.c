/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/* options: the options of one session, and what is handed to another process as JSON. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "options/options.h"

static char path[] = "/tmp/jprof-override-XXXXXX";

static int make_file(void **state)
{
	int descriptor = mkstemp(path);
	return descriptor < 0 ? -1 : close(descriptor);
}

static int remove_file(void **state)
{
	return unlink(path);
}

static void write_file(const char *text)
{
	FILE *file = fopen(path, "w");
	assert_non_null(file);
	assert_true(fputs(text, file) >= 0);
	assert_int_equal(fclose(file), 0);
}

static const char base_string[] =
	"file=base,start=no,calls=events,metrics=cpu+wall,include=a.*+b.*,exclude=c,"
	"threads=main+#17,virtual=separate,scope=s.S.s,scope_follow=yes,io=records,io_slots=64,"
	"calibration=off,max_memory=1m,flush=7,log=info";

static struct options parse_base(void)
{
	struct options base;
	struct error error = {0};
	if (options_parse(&base, base_string, &error) != 0)
		fail_msg("%s", error.text);
	return base;
}

/* The file's name, wherever the text of a row says FILE. */
static char *with_path(const char *text)
{
	static char result[400];
	const char *place = text ? strstr(text, "FILE") : NULL;
	if (!place)
		return (char *)text;
	snprintf(
		result, sizeof(result), "%.*s%s%s", (int)(place - text), text, path, place + 4);
	return result;
}

static void nothing_gives_a_copy(void **state)
{
	const char *const nothings[] = {NULL, "", " ", " \t\r\n", ",", "{}", " \n{ }\n"};
	struct options base = parse_base();
	char *expected = options_to_json(&base, 2);
	for (size_t i = 0; i < sizeof(nothings) / sizeof(nothings[0]); i++) {
		struct options options;
		assert_int_equal(options_override(&options, &base, nothings[i], NULL), 0);
		char *json = options_to_json(&options, 2);
		assert_string_equal(json, expected);
		assert_int_equal(options.io_slots, 64);
		assert_false(options.start);
		free(json);
		options_fini(&options);
	}
	free(expected);
	options_fini(&base);
}

static void the_copy_is_independent(void **state)
{
	struct options base = parse_base(), options;
	assert_int_equal(options_override(&options, &base, "io=off", NULL), 0);
	assert_ptr_not_equal(options.file, base.file);
	assert_ptr_not_equal(options.include.pattern, base.include.pattern);
	assert_ptr_not_equal(options.include.pattern[0], base.include.pattern[0]);
	options_fini(&base);
	assert_string_equal(options.file, "base");
	assert_string_equal(options.include.pattern[1], "b.*");
	assert_int_equal(options.scope.count, 1);
	options_fini(&options);
}

static const char file_text[] = "{\"include\": [\"f\"], \"flush\": 99, \"io\": \"off\"}";

static const struct {
	int line;
	const char *text;
	const char *words[3]; /* that the options in JSON must hold */
} overrides[] = {
	{__LINE__, "io=off", {"\"io\": \"off\"", "\"flush\": 7", "[\"a.*\", \"b.*\"]"}},
	{__LINE__, "include=x+y", {"\"include\": [\"x\", \"y\"]", "\"exclude\": [\"c\"]"}},
	{__LINE__, "include=x,include=y", {"\"include\": [\"x\", \"y\"]"}},
	{__LINE__, "metrics=alloc", {"\"metrics\": [\"alloc\"]"}},
	{__LINE__, "threads=tid:5", {"\"threads\": [\"tid:5\"]"}},
	{__LINE__, "virtual=fold", {"\"virtual\": \"fold\"", "\"threads\": [\"main\""}},
	{__LINE__, "io=off", {"\"virtual\": \"separate\""}},
	{__LINE__, "scope=a.B.c+d.E.f,scope_follow=no",
		{"\"scope\": [\"a.B.c\", \"d.E.f\"]", "\"scope_follow\": \"no\""}},
	{__LINE__, "budget=off,timed=x+y",
		{"\"budget\": \"off\"", "\"timed\": [\"x\", \"y\"]"}},
	{__LINE__, "{\"budget\": 3, \"counted\": [\"x\"]}",
		{"\"budget\": 3,", "\"counted\": [\"x\"]", "\"timed\": []"}},
	{__LINE__, "file=a\\,b", {"\"file\": \"a,b\""}},
	{__LINE__, "{\"io\": \"off\"}", {"\"io\": \"off\"", "\"flush\": 7", "\"b.*\"]"}},
	{__LINE__, " \n\t{\"flush\": 5, \"scope_follow\": false}\n",
		{"\"flush\": 5", "\"scope_follow\": \"no\""}},
	{__LINE__, "{\"include\": [\"x\"]}", {"\"include\": [\"x\"]"}},
	{__LINE__, "{\"include\": [], \"threads\": [], \"scope\": []}",
		{"\"include\": []", "\"threads\": []", "\"scope\": []"}},
	{__LINE__, "{\"$schema\": \"x\", \"io\": \"off\"}", {"\"io\": \"off\""}},
	{__LINE__, "config=FILE", {"\"flush\": 99", "\"include\": [\"f\"]", "\"io\": \"off\""}},
	{__LINE__, "flush=5,config=FILE,include=x",
		{"\"flush\": 5", "\"include\": [\"x\"]", "\"io\": \"off\""}},
	{__LINE__, "{\"config\": \"FILE\", \"flush\": 5}",
		{"\"flush\": 5", "\"include\": [\"f\"]", "\"io\": \"off\""}},
	{__LINE__, "{\"config\": \"FILE\", \"include\": []}",
		{"\"flush\": 99", "\"include\": []", "\"io\": \"off\""}},
};

static void texts_override(void **state)
{
	struct options base = parse_base();
	write_file(file_text);
	for (size_t i = 0; i < sizeof(overrides) / sizeof(overrides[0]); i++) {
		int line = overrides[i].line;
		struct options options;
		struct error error = {0};
		if (options_override(&options, &base, with_path(overrides[i].text), &error) !=
			0)
			fail_msg("row of line %d: %s", line, error.text);
		char *json = options_to_json(&options, 0);
		for (size_t k = 0; k < 3 && overrides[i].words[k]; k++)
			if (!strstr(json, overrides[i].words[k]))
				fail_msg("row of line %d: %s", line, json);
		free(json);
		options_fini(&options);
	}
	options_fini(&base);
}

static const struct {
	int line;
	const char *text, *file; /* what the config file holds, if there is one */
	enum error_code code;
	const char *words[3]; /* that the message must hold */
} refused[] = {
	{__LINE__, "io_slots=64", NULL, ERROR_USAGE,
		{"'io_slots'", "when the agent is loaded"}},
	{__LINE__, "start=yes", NULL, ERROR_USAGE, {"'start'", "when the agent is loaded"}},
	{__LINE__, "{\"io_slots\": 64}", NULL, ERROR_USAGE, {"'io_slots'", "agent is loaded"}},
	{__LINE__, "config=FILE", "{\"io_slots\": 64}", ERROR_USAGE,
		{"'io_slots'", "agent is loaded"}},
	{__LINE__, "{\"config\": \"FILE\"}", "{\"config\": \"x\"}", ERROR_USAGE,
		{"'config'", "string only"}},
	{__LINE__, "config=/nowhere/x", NULL, ERROR_IO, {"/nowhere/x", "No such file"}},
	{__LINE__, "config=FILE", "{\"io\": \"of\"}", ERROR_VALUE,
		{"config '/tmp/", "'io'", "'of'"}},
	{__LINE__, "io=of", NULL, ERROR_VALUE, {"'io'", "'of'", "records"}},
	{__LINE__, "io", NULL, ERROR_USAGE, {"'io'", "key=value"}},
	{__LINE__, "threads=#x", NULL, ERROR_VALUE, {"'threads'", "'#x'", "number"}},
	{__LINE__, "threads=a+tid:", NULL, ERROR_VALUE, {"'tid:'", "number", "tid:4711"}},
	{__LINE__, "scope=a/B", NULL, ERROR_VALUE, {"'scope'", "'a/B'", "com.acme"}},
	{__LINE__, "scope_follow=1", NULL, ERROR_VALUE, {"'scope_follow'", "yes, no"}},
	{__LINE__, "{\"oi\": 1}", NULL, ERROR_USAGE, {"'oi'", "text of options"}},
	{__LINE__, "{\"io\": 1}", NULL, ERROR_VALUE, {"'io'", "wrong type"}},
	{__LINE__, "{\"$schema\": 1}", NULL, ERROR_USAGE, {"'$schema'"}},
	{__LINE__, "{\"io\": \"off\"", NULL, ERROR_FORMAT, {"text of options is not JSON"}},
	{__LINE__, "{\"io\": \"off\"},flush=1", NULL, ERROR_FORMAT, {"not JSON in line 1"}},
	{__LINE__, "[]", NULL, ERROR_USAGE, {"'[]'", "key=value"}},
};

static void texts_are_refused(void **state)
{
	struct options base = parse_base(), empty = {0};
	for (size_t i = 0; i < sizeof(refused) / sizeof(refused[0]); i++) {
		struct options options;
		struct error error = {0};
		int line = refused[i].line;
		write_file(refused[i].file ? refused[i].file : "{}");
		int result =
			options_override(&options, &base, with_path(refused[i].text), &error);
		if (result != -(int)refused[i].code || error.code != refused[i].code)
			fail_msg("row of line %d: %d %s", line, result, error.text);
		for (size_t k = 0; k < 3 && refused[i].words[k]; k++)
			if (!strstr(error.text, refused[i].words[k]))
				fail_msg("row of line %d: %s", line, error.text);
		assert_memory_equal(&options, &empty, sizeof(empty));
	}
	options_fini(&base);
}

/* What the agent was loaded with stays the session's, the file that it came from too. */
static void the_base_s_file_is_not_read_again(void **state)
{
	struct options base, options;
	write_file("{\"flush\": 5}");
	char *string = with_path("config=FILE,io=off");
	assert_int_equal(options_parse(&base, string, NULL), 0);
	write_file("{\"flush\": 6, \"io\": \"of\"}");
	assert_int_equal(options_override(&options, &base, "log=info", NULL), 0);
	assert_int_equal(options.flush, 5);
	assert_string_equal(options.config, path);
	options_fini(&options);
	options_fini(&base);
}

static const struct {
	int line;
	const char *string, *json;
} given[] = {
	{__LINE__, NULL, "{}"},
	{__LINE__, "", "{}"},
	{__LINE__, "io=off", "{\"io\": \"off\"}"},
	{__LINE__, "flush=5,max_memory=1048577,file=a\\,b\n",
		"{\"file\": \"a,b\\n\", \"max_memory\": 1048577, \"flush\": 5}"},
	{__LINE__, "budget=off,timed=a+b,counted=c",
		"{\"budget\": \"off\", \"timed\": [\"a\", \"b\"], \"counted\": [\"c\"]}"},
	{__LINE__, "budget=7", "{\"budget\": 7}"},
	{__LINE__, "include=a,include=C\\+\\+", "{\"include\": [\"a\", \"C++\"]}"},
	{__LINE__, "start=no,io_slots=64", "{\"start\": \"no\", \"io_slots\": 64}"},
	{__LINE__, "config=FILE", "{\"include\": [\"f\"], \"io\": \"off\", \"flush\": 99}"},
	{__LINE__, "config=FILE,flush=5,include=x",
		"{\"include\": [\"x\"], \"io\": \"off\", \"flush\": 5}"},
};

static void given_keys_are_written(void **state)
{
	write_file(file_text);
	for (size_t i = 0; i < sizeof(given) / sizeof(given[0]); i++) {
		struct error error = {0};
		char *json = options_given_json(with_path(given[i].string), &error);
		if (!json)
			fail_msg("row of line %d: %s", given[i].line, error.text);
		if (strcmp(json, given[i].json) != 0)
			fail_msg("row of line %d: %s", given[i].line, json);
		free(json);
	}
}

static void what_cannot_be_handed_over_is_refused(void **state)
{
	static const struct {
		int line;
		const char *string;
		enum error_code code;
		const char *words;
	} rows[] = {
		{__LINE__, "file=a\xff", ERROR_VALUE, "'file'"},
		{__LINE__, "threads=a+b\xc3", ERROR_VALUE, "is not UTF-8"},
		{__LINE__, "file=\xe2\x82\xac\xed\xa0\x80", ERROR_VALUE, "is not UTF-8"},
		{__LINE__, "config=/nowhere/x", ERROR_IO, "/nowhere/x"},
		{__LINE__, "io=of", ERROR_VALUE, "'of'"},
		{__LINE__, "{}", ERROR_USAGE, "key=value"},
	};
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct error error = {0};
		assert_null(options_given_json(rows[i].string, &error));
		if (error.code != rows[i].code || !strstr(error.text, rows[i].words))
			fail_msg("row of line %d: %s", rows[i].line, error.text);
	}
}

/* The way from `jprof` into another process: string, JSON, session. */
static void what_is_handed_over_arrives(void **state)
{
	const char *const strings[] = {"io=off,file=a\\,b\\\\c\"\n\xc3\xa9",
		"include=a.*+b.*,threads=C\\+\\++#5,metrics=cpu/event=1\\,u=2/",
		"config=FILE,scope=a.B.c,scope_follow=yes", ""};
	struct options base = parse_base();
	write_file(file_text);
	for (size_t i = 0; i < sizeof(strings) / sizeof(strings[0]); i++) {
		struct options here, there;
		const char *string = with_path(strings[i]);
		char *text = options_given_json(string, NULL);
		assert_non_null(text);
		assert_null(strchr(text, '\n'));
		assert_int_equal(options_override(&here, &base, string, NULL), 0);
		assert_int_equal(options_override(&there, &base, text, NULL), 0);
		char *one = options_to_json(&here, 2), *other = options_to_json(&there, 2);
		assert_string_equal(one, other);
		free(one);
		free(other);
		free(text);
		options_fini(&here);
		options_fini(&there);
	}
	options_fini(&base);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(nothing_gives_a_copy),
		cmocka_unit_test(the_copy_is_independent),
		cmocka_unit_test(texts_override),
		cmocka_unit_test(texts_are_refused),
		cmocka_unit_test(the_base_s_file_is_not_read_again),
		cmocka_unit_test(given_keys_are_written),
		cmocka_unit_test(what_cannot_be_handed_over_is_refused),
		cmocka_unit_test(what_is_handed_over_arrives),
	};
	return cmocka_run_group_tests(tests, make_file, remove_file);
}
