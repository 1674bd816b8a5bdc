/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/* Texts of lines: from folders, from archives, never from elsewhere; and the view that shows them. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "native-tests/report/fixture.h"
#include "report/source/source.h"

static char folder[] = "/tmp/jprof-source-XXXXXX";

/* In the folder. */
static void run(const char *command)
{
	char line[1024];

	snprintf(line, sizeof(line), "cd %s && %s", folder, command);
	assert_int_equal(system(line), 0);
}

static int make_sources(void **state)
{
	assert_non_null(mkdtemp(folder));
	run("mkdir -p src/main/java/com/acme top/com/acme");
	run("printf 'one\\r\\n\\n\\t three\\t=  3; \\r\\n\\377\\nlast' > "
	    "src/main/java/com/acme/Foo.java");
	run("printf 'x\\0y\\n' > top/com/acme/Foo.java");
	run("printf 'top\\n' > top/Top.java");
	run("printf 'outside\\n' > Secret.java; mkfifo top/Pipe.java");
	run("seq 100000 > top/com/acme/Long.java");
	run("cd src/main/java && zip -qr ../../../a.jar com && zip -qr0 ../../../stored.zip "
	    "com");
	run("mkdir java.base && cp -r top/com java.base && zip -qr src.zip java.base");
	return 0;
}

static int remove_sources(void **state)
{
	run("rm -rf src top java.base *.jar *.zip *.java");
	return rmdir(folder);
}

static void lines(void **state)
{
	static const struct {
		int at;
		const char *path, *class_name, *file;
		uint32_t line;
		const char *text;
	} rows[] = {
		{__LINE__, "", "com.acme.Foo", "Foo.java", 1, "one"},
		{__LINE__, "", "com.acme.Foo$Inner", "Foo.java", 2, ""},
		{__LINE__, "", "com.acme.Foo", "Foo.java", 3, "three =  3;"},
		{__LINE__, "", "com.acme.Foo", "Foo.java", 4, "?"},
		{__LINE__, "", "com.acme.Foo", "Foo.java", 5, "last"},
		{__LINE__, "", "com.acme.Foo", "Foo.java", 6, NULL},
		{__LINE__, "", "com.acme.Foo", "Foo.java", 0, NULL},
		{__LINE__, "", "com.acme.Foo", "Foo.java", UINT32_MAX, NULL},
		{__LINE__, "", "com.acme.Foo", NULL, 1, NULL},
		{__LINE__, "", NULL, "Foo.java", 1, NULL},
		{__LINE__, "", "com.other.Foo", "Foo.java", 1, NULL},
		{__LINE__, "top", "com.acme.Foo", "Foo.java", 1, "x?y"},
		{__LINE__, "top", "com.acme.Long", "Long.java", 99999, "99999"},
		{__LINE__, "top", "Top", "Top.java", 1, "top"},
		{__LINE__, "top", "Pipe", "Pipe.java", 1, NULL},
		/* Nothing of what is not below the folder. */
		{__LINE__, "top", "Top", "../Secret.java", 1, NULL},
		{__LINE__, "top", "../Top", "Secret.java", 1, NULL},
		{__LINE__, "top", "...Top", "Secret.java", 1, NULL},
		{__LINE__, "top", ".tmp.Top", "Secret.java", 1, NULL},
		{__LINE__, "top", "com.acme.Foo", "..", 1, NULL},
		{__LINE__, "a.jar", "com.acme.Foo", "Foo.java", 3, "three =  3;"},
		{__LINE__, "a.jar", "acme.Foo", "Foo.java", 1, "one"},
		{__LINE__, "a.jar", "com.acme.Fo", "oo.java", 1, NULL},
		{__LINE__, "stored.zip", "com.acme.Foo", "Foo.java", 3, "three =  3;"},
		{__LINE__, "src.zip", "com.acme.Long", "Long.java", 100000, "100000"},
		{__LINE__, "src.zip", "com.acme.Long", "Long.java", 100001, NULL},
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		struct source *source;
		struct error error = {0};
		char path[256];
		const char *text;

		snprintf(path, sizeof(path), "%s/%s", folder, rows[i].path);
		if (source_open(&source, path, &error) != 0)
			fail_msg("row of line %d: %s", rows[i].at, error.text);
		/* The second time it is kept. */
		for (int again = 0; again < 2; again++) {
			text = source_line(
				source, rows[i].class_name, rows[i].file, rows[i].line);
			if (!text != !rows[i].text || (text && strcmp(text, rows[i].text) != 0))
				fail_msg("row of line %d: %s", rows[i].at, text);
		}
		source_close(source);
	}
}

static void refused(void **state)
{
	static const struct {
		const char *path;
		enum error_code code;
		const char *part;
	} rows[] = {
		{"nowhere", ERROR_MISSING, "cannot open"},
		{"Secret.java", ERROR_FORMAT, "neither a folder nor an archive of sources"},
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		struct source *source;
		struct error error = {0};
		char path[256];

		snprintf(path, sizeof(path), "%s/%s", folder, rows[i].path);
		assert_int_equal(source_open(&source, path, &error), -(int)rows[i].code);
		assert_null(source);
		assert_non_null(strstr(error.text, rows[i].part));
	}
	source_close(NULL);
}

/* The text stands behind the method; in data it is null where there is none. */
static void view(void **state)
{
	static struct fixture fixture;
	struct report_request request = {.view = view_find("lines"), .min = -1};
	struct error error = {0};
	uint64_t violations;
	char *text, path[256];

	run("mkdir -p top/java/util && seq 1000 | sed 's/.*/line \"&\";/' > "
	    "top/java/util/HashMap.java");
	fixture_sampled(&fixture);
	snprintf(path, sizeof(path), "%s/top", folder);
	assert_int_equal(source_open(&request.source, path, &error), 0);
	request.format = format_find("json");
	text = fixture_report(&fixture, &request, &violations, &error);
	assert_non_null(
		strstr(text, "\"samples\":{\"cpu\":1350},\"line\":575,\"source\":\"line "
			     "\\\"575\\\";\"}"));
	assert_non_null(strstr(text, "\"line\":203,\"source\":null}"));
	free(text);
	request.format = &format_screen;
	request.width = 80;
	text = fixture_report(&fixture, &request, &violations, &error);
	assert_non_null(strstr(text, "java.util.HashMap.getNode"));
	assert_non_null(strstr(text, " 575  java.util.HashMap.getNode "));
	assert_non_null(strstr(text, "line \"575\";\n"));
	free(text);
	source_close(request.source);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(lines),
		cmocka_unit_test(refused),
		cmocka_unit_test(view),
	};

	return cmocka_run_group_tests(tests, make_sources, remove_sources);
}
