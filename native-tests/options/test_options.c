/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/* options: the option string, its errors, `jprof run`'s words, the profile's path. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "options/options.h"

/* The options as JSON in one line. */
static char *json_line(const struct options *options)
{
	char *json = options_to_json(options, 2), *out = json;
	assert_non_null(json);
	for (const char *in = json; *in; in++) {
		if (*in == '\n')
			in += strspn(in, "\n ");
		*out++ = *in;
		if (!*in)
			break;
	}
	*out = '\0';
	return json;
}

static void test_number_file(void **state)
{
	static const struct {
		const char *file, *numbered;
	} row[] = {{"jprof-%p.jprof", "jprof-%p-2.jprof"}, {"/a.b/c", "/a.b/c-2"},
		{"/a/.c", "/a/.c-2"}, {"x.y.z", "x.y-2.z"}};

	for (size_t i = 0; i < sizeof(row) / sizeof(*row); i++) {
		char *text = options_number_file(row[i].file, 2);

		assert_string_equal(text, row[i].numbered);
		free(text);
	}
}

static void some_files_tell_the_pid(void **state)
{
	assert_true(options_file_tells_pid("jprof-%p.jprof"));
	assert_true(options_file_tells_pid("%%%t%p"));
	assert_true(options_file_tells_pid("/%x/%p/a"));
	assert_false(options_file_tells_pid("a.jprof"));
	assert_false(options_file_tells_pid("%%p-%t"));
	assert_false(options_file_tells_pid("p%"));
	assert_false(options_file_tells_pid(""));
}

static void nothing_gives_the_defaults(void **state)
{
	const char *const nothings[] = {NULL, "", ",", ",,"};
	for (size_t i = 0; i < 4; i++) {
		struct options options;
		struct error error = {0};
		assert_int_equal(options_parse(&options, nothings[i], &error), 0);
		assert_null(options.config);
		assert_string_equal(options.file, "jprof-%p.jprof");
		assert_true(options.start);
		assert_int_equal(options.calls, CALLS_AUTO);
		assert_int_equal(options.budget, 10);
		assert_true(options_keep_budget(&options));
		assert_int_equal(options.timed.count, 0);
		assert_int_equal(options.counted.count, 0);
		assert_int_equal(options.metrics.count, 3);
		assert_string_equal(options.metrics.pattern[0], "wall");
		assert_string_equal(options.metrics.pattern[1], "cpu");
		assert_string_equal(options.metrics.pattern[2], "alloc");
		assert_int_equal(options.include.count, 0);
		assert_int_equal(options.exclude.count, 0);
		assert_int_equal(options.threads.count, 0);
		assert_int_equal(options.virtual, VIRTUAL_FOLD);
		assert_int_equal(options.io, IO_SUMMARY);
		assert_string_equal(options.calibration, "auto");
		assert_int_equal(options.timing, TIMING_FAST);
		assert_int_equal(options.max_memory, 256 << 20);
		assert_int_equal(options.flush, 10);
		assert_int_equal(options.log, LOG_WARN);
		options_fini(&options);
	}
}

static void every_scalar_is_read(void **state)
{
	struct options options;
	struct error error = {0};
	assert_int_equal(
		options_parse(&options,
			"file=/tmp/a b.jprof,start=no,calls=events,io=records,"
			"virtual=separate,calibration=off,timing=precise,max_memory=1g,"
			"flush=3,log=debug",
			&error),
		0);
	assert_string_equal(options.file, "/tmp/a b.jprof");
	assert_false(options.start);
	assert_int_equal(options.calls, CALLS_EVENTS);
	assert_int_equal(options.virtual, VIRTUAL_SEPARATE);
	assert_int_equal(options.io, IO_RECORDS);
	assert_string_equal(options.calibration, "off");
	assert_int_equal(options.timing, TIMING_PRECISE);
	assert_int_equal(options.max_memory, 1 << 30);
	assert_int_equal(options.flush, 3);
	assert_int_equal(options.log, LOG_DEBUG);
	options_fini(&options);
}

/* Every word of every choice, against the enum it stands for. */
static const struct {
	int line;
	const char *string;
	size_t field;
	int value;
} choices[] = {
	{__LINE__, "calls=auto", offsetof(struct options, calls), CALLS_AUTO},
	{__LINE__, "calls=sample", offsetof(struct options, calls), CALLS_SAMPLE},
	{__LINE__, "calls=count", offsetof(struct options, calls), CALLS_COUNT},
	{__LINE__, "calls=instrument", offsetof(struct options, calls), CALLS_INSTRUMENT},
	{__LINE__, "calls=events", offsetof(struct options, calls), CALLS_EVENTS},
	{__LINE__, "calls=off", offsetof(struct options, calls), CALLS_OFF},
	{__LINE__, "virtual=fold", offsetof(struct options, virtual), VIRTUAL_FOLD},
	{__LINE__, "virtual=separate", offsetof(struct options, virtual), VIRTUAL_SEPARATE},
	{__LINE__, "io=off", offsetof(struct options, io), IO_OFF},
	{__LINE__, "io=summary", offsetof(struct options, io), IO_SUMMARY},
	{__LINE__, "io=records", offsetof(struct options, io), IO_RECORDS},
	{__LINE__, "timing=fast", offsetof(struct options, timing), TIMING_FAST},
	{__LINE__, "timing=precise", offsetof(struct options, timing), TIMING_PRECISE},
	{__LINE__, "log=error", offsetof(struct options, log), LOG_ERROR},
	{__LINE__, "log=warn", offsetof(struct options, log), LOG_WARN},
	{__LINE__, "log=info", offsetof(struct options, log), LOG_INFO},
	{__LINE__, "log=debug", offsetof(struct options, log), LOG_DEBUG},
};

static void every_word_is_its_enum(void **state)
{
	for (size_t i = 0; i < sizeof(choices) / sizeof(choices[0]); i++) {
		struct options options;
		struct error error = {0};
		if (options_parse(&options, choices[i].string, &error) != 0)
			fail_msg("row of line %d: %s", choices[i].line, error.text);
		int value;
		memcpy(&value, (char *)&options + choices[i].field, sizeof(value));
		if (value != choices[i].value)
			fail_msg("row of line %d: %d", choices[i].line, value);
		options_fini(&options);
	}
}

static const struct {
	int line;
	const char *string, *json;
} accepted[] = {
	{__LINE__, "metrics=cpu", "\"metrics\": [\"cpu\"],"},
	{__LINE__, "metrics=cpu+wall", "\"metrics\": [\"cpu\",\"wall\"],"},
	{__LINE__, "metrics=cpu,metrics=wall", "\"metrics\": [\"cpu\",\"wall\"],"},
	{__LINE__, "metrics=cpu+cpu,metrics=cpu", "\"metrics\": [\"cpu\"],"},
	{__LINE__, "metrics=skl::INST_RETIRED:u=1",
		"\"metrics\": [\"skl::INST_RETIRED:u=1\"],"},
	{__LINE__, "metrics=cpu/event=1\\,umask=2/",
		"\"metrics\": [\"cpu/event=1,umask=2/\"],"},
	{__LINE__, "include=a.*,io=off,include=b.*", "\"include\": [\"a.*\",\"b.*\"],"},
	{__LINE__, "metrics=cpu,wall,io=off", "\"metrics\": [\"cpu\",\"wall\"],"},
	{__LINE__, "metrics=cpu\\,wall+alloc,,io-read",
		"\"metrics\": [\"cpu\",\"wall\",\"alloc\",\"io-read\"],"},
	{__LINE__, "metrics=\\,cpu", "\"metrics\": [\"cpu\"],"},
	{__LINE__, "include=+a.*", "\"include\": [\"+a.*\"],"},
	{__LINE__, "include=a.*++b.*+c", "\"include\": [\"a.*\",\"+b.*\",\"c\"],"},
	{__LINE__, "include=a.*,include=+b.*", "\"include\": [\"a.*\",\"+b.*\"],"},
	{__LINE__, "include=a.*+b.*", "\"include\": [\"a.*\",\"b.*\"],"},
	{__LINE__, "include=T.should do x", "\"include\": [\"T.should do x\"],"},
	{__LINE__, "threads=C\\+\\+ \\, x", "\"threads\": [\"C++ , x\"],"},
	{__LINE__, "threads=a\\\\+b", "\"threads\": [\"a\\\\\",\"b\"],"},
	{__LINE__, "file=a\\,b=c\\\\d\\e\\", "\"file\": \"a,b=c\\\\d\\\\e\\\\\","},
	{__LINE__, "file=a+b", "\"file\": \"a+b\","},
	{__LINE__, "file=\xc3\xa9\xe2\x82\xac", "\"file\": \"\xc3\xa9\xe2\x82\xac\","},
	{__LINE__,
		"file=a\xff"
		"b\xc3",
		"\"file\": \"a\xef\xbf\xbd"
		"b\xef\xbf\xbd\","},
	{__LINE__, "threads=#17+tid:4711+a #x",
		"\"threads\": [\"#17\",\"tid:4711\",\"a #x\"],"},
	{__LINE__, "scope=a.B.c+d.*,scope=e", "\"scope\": [\"a.B.c\",\"d.*\",\"e\"],"},
	{__LINE__, "scope_follow=yes", "\"scope_follow\": \"yes\","},
	{__LINE__, "virtual=separate", "\"threads\": [],\"virtual\": \"separate\","},
	{__LINE__, "io=off", "\"virtual\": \"fold\",\"scope\": [],\"scope_follow\": \"no\","},
	{__LINE__, "io=off", "\"budget\": 10,\"timed\": [],\"counted\": [],"},
	{__LINE__, "budget=1", "\"budget\": 1,"},
	{__LINE__, "budget=100", "\"budget\": 100,"},
	{__LINE__, "budget=025", "\"budget\": 25,"},
	{__LINE__, "budget=off", "\"budget\": \"off\","},
	{__LINE__, "timed=a.B.c+d.*,timed=e", "\"timed\": [\"a.B.c\",\"d.*\",\"e\"],"},
	{__LINE__, "counted=a.B,counted=a.B", "\"counted\": [\"a.B\"],"},
	{__LINE__, "timed=a.B,counted=a.B", "\"timed\": [\"a.B\"],\"counted\": [\"a.B\"],"},
	{__LINE__, "calibration=/tmp/x", "\"calibration\": \"/tmp/x\","},
	{__LINE__, "max_memory=1m", "\"max_memory\": \"1m\","},
	{__LINE__, "max_memory=1024K", "\"max_memory\": \"1m\","},
	{__LINE__, "max_memory=1048576", "\"max_memory\": \"1m\","},
	{__LINE__, "max_memory=1048577", "\"max_memory\": 1048577,"},
	{__LINE__, "max_memory=1025k", "\"max_memory\": \"1025k\","},
	{__LINE__, "max_memory=1G", "\"max_memory\": \"1g\","},
	{__LINE__, "max_memory=1024g", "\"max_memory\": \"1024g\","},
	{__LINE__, "flush=1", "\"flush\": 1,"},
	{__LINE__, "flush=86400", "\"flush\": 86400,"},
	{__LINE__, "start=no,", "\"start\": \"no\","},
	{__LINE__, ",,start=no,,io=off", "\"start\": \"no\","},
	{__LINE__, "start=yes", "\"start\": \"yes\","},
};

static void strings_are_accepted(void **state)
{
	for (size_t i = 0; i < sizeof(accepted) / sizeof(accepted[0]); i++) {
		struct options options;
		struct error error = {0};
		if (options_parse(&options, accepted[i].string, &error) != 0)
			fail_msg("row of line %d: %s", accepted[i].line, error.text);
		char *json = json_line(&options);
		if (!strstr(json, accepted[i].json))
			fail_msg("row of line %d: %s", accepted[i].line, json);
		free(json);
		options_fini(&options);
	}
}

static const struct {
	int line;
	const char *string;
	enum error_code code;
	const char *words[4]; /* that the message must hold */
} refused[] = {
	{__LINE__, "metric=cpu", ERROR_USAGE, {"'metric'", "'cpu'", "'metrics'", "max_memory"}},
	{__LINE__, "max-memory=1g", ERROR_USAGE, {"'max-memory'", "'1g'", "'max_memory'"}},
	{__LINE__, "includes=a", ERROR_USAGE, {"'includes'", "did you mean 'include'"}},
	{__LINE__, "File=a", ERROR_USAGE, {"'File'", "did you mean 'file'"}},
	{__LINE__, "zzzzzzzz=a", ERROR_USAGE, {"'zzzzzzzz'", "legal are config, file,"}},
	{__LINE__, "=a", ERROR_USAGE, {"''", "'a'", "legal are"}},
	{__LINE__, " io=off", ERROR_USAGE, {"' io'", "'io'"}},
	{__LINE__, "io", ERROR_USAGE, {"'io'", "key=value"}},
	{__LINE__, "io=off,cpu", ERROR_USAGE, {"'cpu'", "key=value", "'+'"}},
	{__LINE__, "include=a,cpu", ERROR_USAGE, {"'cpu'", "key=value", "'+'"}},
	{__LINE__, "include=+", ERROR_VALUE, {"'include'", "is empty"}},
	{__LINE__, "include=a++", ERROR_VALUE, {"'include'", "is empty"}},
	{__LINE__, "include=+++a", ERROR_VALUE, {"'include'", "is empty"}},
	{__LINE__, "exclude=+a", ERROR_VALUE, {"'exclude'", "is empty"}},
	{__LINE__, "metrics=\\,", ERROR_VALUE, {"'metrics'", "is empty"}},
	{__LINE__, "io=of", ERROR_VALUE, {"'io'", "'of'", "off, summary, records"}},
	{__LINE__, "io=", ERROR_VALUE, {"'io'", "''", "off, summary, records"}},
	{__LINE__, "io=OFF", ERROR_VALUE, {"'io'", "'OFF'", "off, summary, records"}},
	{__LINE__, "io=off, summary", ERROR_USAGE, {"' summary'"}},
	{__LINE__, "io=off\\, summary", ERROR_VALUE, {"'off, summary'"}},
	{__LINE__, "io=off,io=records", ERROR_VALUE, {"'io'", "'records'", "second"}},
	{__LINE__, "io=off,io=off", ERROR_VALUE, {"'io'", "second"}},
	{__LINE__, "start=true", ERROR_VALUE, {"'start'", "'true'", "yes, no"}},
	{__LINE__, "calls=instruments", ERROR_VALUE,
		{"auto, sample, count, instrument, events, off"}},
	{__LINE__, "max_memory=1048575", ERROR_VALUE, {"'1048575'", "small", "1m", "1024g"}},
	{__LINE__, "max_memory=0", ERROR_VALUE, {"'max_memory'", "'0'", "from 1m to 1024g"}},
	{__LINE__, "max_memory=1025g", ERROR_VALUE, {"large"}},
	{__LINE__, "max_memory=17179869184g", ERROR_VALUE, {"large"}}, /* 2^64 */
	{__LINE__, "max_memory=99999999999999999999", ERROR_VALUE,
		{"large", "from 1m to 1024g"}},
	{__LINE__, "max_memory=-1m", ERROR_VALUE, {"'-1m'", "legal"}},
	{__LINE__, "max_memory=+1m", ERROR_VALUE, {"'+1m'", "legal"}},
	{__LINE__, "max_memory= 1m", ERROR_VALUE, {"' 1m'", "legal"}},
	{__LINE__, "max_memory=1mb", ERROR_VALUE, {"'1mb'", "legal"}},
	{__LINE__, "max_memory=1.5g", ERROR_VALUE, {"'1.5g'", "legal"}},
	{__LINE__, "max_memory=m", ERROR_VALUE, {"'m'", "legal"}},
	{__LINE__, "max_memory=0x1000000", ERROR_VALUE, {"legal"}},
	{__LINE__, "budget=0", ERROR_VALUE,
		{"'budget'", "'0' is too small", "percent from 1 to 100, or off"}},
	{__LINE__, "budget=101", ERROR_VALUE, {"'101' is too large", "from 1 to 100, or off"}},
	{__LINE__, "budget=18446744073709551617", ERROR_VALUE, {"large", "from 1 to 100"}},
	{__LINE__, "budget=", ERROR_VALUE, {"'' is not legal", "from 1 to 100, or off"}},
	{__LINE__, "budget=10%", ERROR_VALUE, {"'10%' is not legal"}},
	{__LINE__, "budget=1k", ERROR_VALUE, {"'1k' is not legal"}},
	{__LINE__, "budget=0.5", ERROR_VALUE, {"'0.5' is not legal"}},
	{__LINE__, "budget=-1", ERROR_VALUE, {"'-1' is not legal"}},
	{__LINE__, "budget=much", ERROR_VALUE, {"'much' is not legal"}},
	{__LINE__, "budget=OFF", ERROR_VALUE, {"'OFF' is not legal"}},
	{__LINE__, "budget=offs", ERROR_VALUE, {"'offs' is not legal"}},
	{__LINE__, "budget=off,budget=off", ERROR_VALUE, {"'budget'", "second"}},
	{__LINE__, "timed=", ERROR_VALUE, {"'timed'", "empty"}},
	{__LINE__, "timed=a.B.c()V", ERROR_VALUE, {"'timed'", "'a.B.c()V'", "joined by '+'"}},
	{__LINE__, "counted=a/B", ERROR_VALUE, {"'counted'", "'a/B'", "com.acme.Node.*"}},
	{__LINE__, "counted=+a.B", ERROR_VALUE, {"'counted'", "empty"}},
	{__LINE__, "flush=0", ERROR_VALUE, {"'flush'", "'0'", "from 1 to 86400"}},
	{__LINE__, "flush=86401", ERROR_VALUE, {"'86401'", "from 1 to 86400"}},
	{__LINE__, "flush=10s", ERROR_VALUE, {"'10s'", "from 1 to 86400"}},
	{__LINE__, "flush=18446744073709551617", ERROR_VALUE, {"large", "from 1 to 86400"}},
	{__LINE__, "metrics=", ERROR_VALUE, {"'metrics'", "empty", "'+'"}},
	{__LINE__, "metrics=wall++cpu", ERROR_VALUE, {"'metrics'", "empty"}},
	{__LINE__, "metrics=wall+", ERROR_VALUE, {"'metrics'", "empty"}},
	{__LINE__, "metrics=wall cpu", ERROR_VALUE, {"'metrics'", "'wall cpu'"}},
	{__LINE__, "include=com/acme/Foo", ERROR_VALUE,
		{"'include'", "'com/acme/Foo'", "com.acme.*"}},
	{__LINE__, "include=a.*:b.*", ERROR_VALUE, {"'a.*:b.*'", "joined by '+'"}},
	{__LINE__, "exclude=a.B.c(I)V", ERROR_VALUE, {"'exclude'", "'a.B.c(I)V'"}},
	{__LINE__, "include=a.*\\,b.*", ERROR_VALUE, {"'a.*,b.*'", "joined by '+'"}},
	{__LINE__, "threads=#x", ERROR_VALUE,
		{"'threads'", "'#x' has no number", "'*'", "#17, tid:4711"}},
	{__LINE__, "threads=a+tid:", ERROR_VALUE, {"'tid:' has no number"}},
	{__LINE__, "threads=#1000000000000000000", ERROR_VALUE, {"has no number"}},
	{__LINE__, "virtual=yes", ERROR_VALUE, {"'virtual'", "'yes'", "fold, separate"}},
	{__LINE__, "virtual=fold,virtual=fold", ERROR_VALUE, {"'virtual'", "second"}},
	{__LINE__, "scope=a.B.c()V", ERROR_VALUE, {"'scope'", "'a.B.c()V'", "joined by '+'"}},
	{__LINE__, "scope=", ERROR_VALUE, {"'scope'", "empty"}},
	{__LINE__, "scope_follow=maybe", ERROR_VALUE, {"'scope_follow'", "yes, no"}},
	{__LINE__, "file=", ERROR_VALUE, {"'file'", "empty", "%p"}},
	{__LINE__, "config=", ERROR_VALUE, {"'config'", "empty"}},
	{__LINE__, "calibration=", ERROR_VALUE, {"'calibration'", "auto, off"}},
	{__LINE__, "sample=cpu", ERROR_VALUE, {"'sample'", "'cpu'", "no period"}},
	{__LINE__, "sample=cpu:1us", ERROR_VALUE, {"'cpu:1us'", "from 10us to 60s"}},
	{__LINE__, "sample=off+cpu:1ms", ERROR_VALUE, {"'cpu:1ms'", "no other condition"}},
	{__LINE__, "sample=wall:10ms+cpu:1ms+wall:20ms", ERROR_VALUE,
		{"'wall:20ms'", "second of its kind"}},
	{__LINE__, "sample=alloc:1m,sample=alloc:2m", ERROR_VALUE,
		{"'alloc:2m'", "second of its kind"}},
	{__LINE__, "io=a\nb", ERROR_VALUE, {"'a\\u000ab'"}},
};

static void strings_are_refused(void **state)
{
	for (size_t i = 0; i < sizeof(refused) / sizeof(refused[0]); i++) {
		struct options options;
		struct error error = {0};
		int line = refused[i].line;
		int result = options_parse(&options, refused[i].string, &error);
		if (result != -(int)refused[i].code || error.code != refused[i].code)
			fail_msg("row of line %d: %d %s", line, result, error.text);
		for (size_t k = 0; k < 4 && refused[i].words[k]; k++)
			if (!strstr(error.text, refused[i].words[k]))
				fail_msg("row of line %d: %s", line, error.text);
		struct options empty = {0};
		assert_memory_equal(&options, &empty, sizeof(empty));
		options_fini(&options);
	}
}

/* A budget is of calls that may be either, timed or counted; samples are beside it. */
static void budgets_are_kept(void **state)
{
	static const struct {
		int line;
		const char *string;
		uint64_t budget;
		bool kept, sampled;
	} row[] = {
		{__LINE__, "", 10, true, true},
		{__LINE__, "budget=1", 1, true, true},
		{__LINE__, "budget=100", 100, true, true},
		{__LINE__, "budget=off", 0, false, false},
		{__LINE__, "budget=20,sample=off", 20, true, false},
		{__LINE__, "budget=off,sample=wall:10ms", 0, false, true},
		{__LINE__, "budget=20,calls=instrument", 20, false, false},
		{__LINE__, "budget=20,calls=count", 20, false, true},
		{__LINE__, "budget=20,calls=sample", 20, false, true},
		{__LINE__, "budget=20,calls=events", 20, false, false},
		{__LINE__, "budget=20,calls=off", 20, false, false},
	};

	for (size_t i = 0; i < sizeof(row) / sizeof(row[0]); i++) {
		struct options options;
		struct error error = {0};

		if (options_parse(&options, row[i].string, &error) != 0)
			fail_msg("row of line %d: %s", row[i].line, error.text);
		if (options.budget != row[i].budget ||
			options_keep_budget(&options) != row[i].kept ||
			options_sample(&options) != row[i].sampled)
			fail_msg("row of line %d: %d, %d, %d", row[i].line, (int)options.budget,
				options_keep_budget(&options), options_sample(&options));
		options_fini(&options);
	}
}

static void errors_may_be_ignored(void **state)
{
	struct options options;
	assert_int_equal(options_parse(&options, "io=x", NULL), -ERROR_VALUE);
	options_fini(&options);
	options_fini(&options);
}

static void long_values_leave_room_for_the_reason(void **state)
{
	char string[5000] = "io=";
	memset(string + 3, 'x', 4000);
	struct options options;
	struct error error = {0};
	options_parse(&options, string, &error);
	assert_non_null(strstr(error.text, "off, summary, records"));
	memset(string, 'k', 3);
	string[4000] = '=';
	error = (struct error){0};
	options_parse(&options, string, &error);
	assert_non_null(strstr(error.text,
		"timing, keep_code, max_memory, fold_below, flush, resolution, log"));
}

static void long_paths_are_kept(void **state)
{
	char string[4100] = "file=";
	for (size_t i = 5; i < 4005; i++)
		string[i] = i % 100 ? 'p' : '/';
	struct options options;
	assert_int_equal(options_parse(&options, string, NULL), 0);
	assert_string_equal(options.file, string + 5);
	options_fini(&options);
}

static void a_list_is_bounded(void **state)
{
	for (int count = 1000; count <= 1001; count++) {
		char string[10000] = "threads=";
		for (int i = 0; i < count; i++)
			sprintf(string + strlen(string), "%st%d", i ? "+" : "", i);
		struct options options;
		struct error error = {0};
		int failed = options_parse(&options, string, &error);
		assert_int_equal(failed, count == 1000 ? 0 : -ERROR_VALUE);
		if (failed)
			assert_non_null(strstr(error.text, "'t1000' is one more than"));
		options_fini(&options);
	}
}

/* What `jprof run --KEY VALUE` hands over must arrive as it was written. */
static const struct {
	int line;
	const char *key, *value, *string;
} appended[] = {
	{__LINE__, "file", "a,b\\c+d", "file=a\\,b\\\\c+d"},
	{__LINE__, "file", "a b\xc3\xa9=", "file=a b\xc3\xa9="},
	{__LINE__, "file", "\\", "file=\\\\"},
	{__LINE__, "metrics", "wall+cpu", "metrics=wall+cpu"},
	{__LINE__, "metrics", "cpu/event=1,umask=2/", "metrics=cpu/event=1\\,umask=2/"},
	{__LINE__, "threads", "C\\+\\+,x", "threads=C\\+\\+\\,x"},
	{__LINE__, "threads", "a\\,b\\\\c\\d", "threads=a\\,b\\\\c\\\\d"},
	{__LINE__, "threads", "a\\", "threads=a\\\\"},
	{__LINE__, "config", "/nowhere", "config=/nowhere"}, /* not read here */
};

static void words_are_appended(void **state)
{
	for (size_t i = 0; i < sizeof(appended) / sizeof(appended[0]); i++) {
		char *string = NULL;
		struct error error = {0};
		if (options_append(&string, appended[i].key, appended[i].value, &error) != 0)
			fail_msg("row of line %d: %s", appended[i].line, error.text);
		if (strcmp(string, appended[i].string) != 0)
			fail_msg("row of line %d: %s", appended[i].line, string);
		free(string);
	}
}

static void a_path_survives_the_string(void **state)
{
	const char *path = "/a,b/\\,\\\\c\\/=+%p,";
	char *string = NULL;
	struct options options;
	assert_int_equal(options_append(&string, "io", "off", NULL), 0);
	assert_int_equal(options_append(&string, "file", path, NULL), 0);
	assert_int_equal(options_append(&string, "log", "info", NULL), 0);
	assert_int_equal(options_parse(&options, string, NULL), 0);
	assert_string_equal(options.file, path);
	assert_int_equal(options.io, IO_OFF);
	assert_int_equal(options.log, LOG_INFO);
	options_fini(&options);
	free(string);
}

static void bad_words_leave_the_string(void **state)
{
	char *string = NULL;
	struct error error = {0};
	assert_int_equal(options_append(&string, "ios", "off", &error), -ERROR_USAGE);
	assert_non_null(strstr(error.text, "'io'"));
	assert_null(string);
	assert_int_equal(options_append(&string, "io", "off", NULL), 0);
	assert_int_equal(options_append(&string, "io", "records", NULL), -ERROR_VALUE);
	assert_int_equal(options_append(&string, "log", "loud", NULL), -ERROR_VALUE);
	assert_int_equal(options_append(&string, "flush", "", NULL), -ERROR_VALUE);
	assert_string_equal(string, "io=off");
	assert_int_equal(options_append(&string, "include", "a", NULL), 0);
	assert_int_equal(options_append(&string, "include", "b", NULL), 0);
	assert_string_equal(string, "io=off,include=a,include=b");
	free(string);
}

static const struct {
	int line;
	const char *file, *path;
} paths[] = {
	{__LINE__, "jprof-%p.jprof", "jprof-42.jprof"},
	{__LINE__, "%t/%p%p", "1700000000/4242"},
	{__LINE__, "100%", "100%"},
	{__LINE__, "a%%p", "a%p"},
	{__LINE__, "a%20b%", "a%20b%"},
	{__LINE__, "%", "%"},
	{__LINE__, "", ""},
};

static void paths_are_expanded(void **state)
{
	for (size_t i = 0; i < sizeof(paths) / sizeof(paths[0]); i++) {
		char *path = options_expand_file(paths[i].file, 42, 1700000000);
		if (!path || strcmp(path, paths[i].path) != 0)
			fail_msg("row of line %d: %s", paths[i].line, path);
		free(path);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_number_file),
		cmocka_unit_test(some_files_tell_the_pid),
		cmocka_unit_test(nothing_gives_the_defaults),
		cmocka_unit_test(every_scalar_is_read),
		cmocka_unit_test(every_word_is_its_enum),
		cmocka_unit_test(strings_are_accepted),
		cmocka_unit_test(strings_are_refused),
		cmocka_unit_test(budgets_are_kept),
		cmocka_unit_test(errors_may_be_ignored),
		cmocka_unit_test(long_values_leave_room_for_the_reason),
		cmocka_unit_test(long_paths_are_kept),
		cmocka_unit_test(a_list_is_bounded),
		cmocka_unit_test(words_are_appended),
		cmocka_unit_test(a_path_survives_the_string),
		cmocka_unit_test(bad_words_leave_the_string),
		cmocka_unit_test(paths_are_expanded),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
