/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/* parameter_choice: items of the options `parameters` and `tags`, good and bad; the ready-made sets. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "options/options.h"
#include "options/parameter_choice.h"

/* What was read, written out again: "key|pattern|parts|keep". */
static char *written(const struct parameter_choice *choice)
{
	char *text;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	assert_non_null(out);
	fprintf(out, "%s|%s|", choice->key, choice->set ? choice->set->name : choice->pattern);
	for (uint32_t i = 0; i < choice->part_count; i++) {
		const struct parameter_part *part = &choice->part[i];

		fprintf(out, "%s", i ? " " : "");
		switch (part->base) {
		case BASE_PLACE:
			fprintf(out, "#%u", part->place);
			break;
		case BASE_NAME:
			fprintf(out, "'%s'", part->name);
			break;
		case BASE_THIS:
			fprintf(out, "THIS");
			break;
		case BASE_RESULT:
			fprintf(out, "RESULT");
			break;
		}
		for (uint32_t s = 0; s < part->step_count; s++)
			fprintf(out, part->step[s].getter ? ">%s()" : ">%s",
				part->step[s].name);
	}
	fprintf(out, "|%s", value_keep_word(choice->keep));
	assert_int_equal(fclose(out), 0);
	return text;
}

static void test_good(void **state)
{
	static const struct {
		int line;
		bool tag;
		const char *item, *read;
	} rows[] = {
		{__LINE__, false, "com.acme.X.y(0)", "|com.acme.X.y|#0|auto"},
		{__LINE__, false, "com.acme.X.y(254)", "|com.acme.X.y|#254|auto"},
		{__LINE__, false, "*(this)", "|*|THIS|auto"},
		{__LINE__, false, "a.b(result):plain", "|a.b|RESULT|plain"},
		{__LINE__, false, "a.b(result.getId())", "|a.b|RESULT>getId()|auto"},
		{__LINE__, false, "a.b(id):hash", "|a.b|'id'|hash"},
		{__LINE__, false, "a.b(0.user.getName()):shape",
			"|a.b|#0>user>getName()|shape"},
		{__LINE__, false, "a.b(this.a.b.c.d())", "|a.b|THIS>a>b>c>d()|auto"},
		{__LINE__, false, "a.b(0.m() 0.p().q() this 2):route",
			"|a.b|#0>m() #0>p()>q() THIS #2|route"},
		{__LINE__, false, "a.b(0   1)", "|a.b|#0 #1|auto"},
		/* Words of others within names. */
		{__LINE__, false, "a.b(thisOne.result.this)",
			"|a.b|'thisOne'>result>this|auto"},
		{__LINE__, false, "a.b(\xc3\xa4+-*:,|\"'$)", "|a.b|'\xc3\xa4+-*:,|\"'$'|auto"},
		{__LINE__, false, "jdbc", "|jdbc||auto"},
		{__LINE__, false, "http_client", "|http_client||auto"},
		{__LINE__, false, "jdbc(0)", "|jdbc|#0|auto"},
		{__LINE__, true, "user:a.b(0)", "user|a.b|#0|auto"},
		{__LINE__, true, "user-1_X:a.b(0):hash", "user-1_X|a.b|#0|hash"},
		{__LINE__, true, "request:http", "request|http||auto"},
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct parameter_choice choice;
		const char *wrong = parameter_choice_read(rows[i].item, rows[i].tag, &choice);
		char *read;

		if (wrong)
			fail_msg("line %d: %s", rows[i].line, wrong);
		read = written(&choice);
		if (strcmp(read, rows[i].read) != 0)
			fail_msg("line %d: %s", rows[i].line, read);
		free(read);
	}
}

static void test_bad(void **state)
{
	static const struct {
		int line;
		bool tag;
		const char *item, *why; /* a part of it */
	} rows[] = {
		{__LINE__, false, "", "no ready-made set"},
		{__LINE__, false, "com.acme.X.y", "no ready-made set (jdbc"},
		{__LINE__, false, "JDBC", "no ready-made set"},
		{__LINE__, false, "(0)", "no pattern"},
		{__LINE__, false, "a b(0)", "a pattern with one of"},
		{__LINE__, false, "a:b(0)", "a pattern with one of"},
		{__LINE__, false, "a.b(", "no ')'"},
		{__LINE__, false, "a.b()", "a name that is empty"},
		{__LINE__, false, "a.b(0", "no ')'"},
		{__LINE__, false, "a.b( 0)", "a name that is empty"},
		{__LINE__, false, "a.b(0 )", "a name that is empty"},
		{__LINE__, false, "a.b(0.)", "a name that is empty"},
		{__LINE__, false, "a.b(.x)", "a name that is empty"},
		{__LINE__, false, "a.b(0..x)", "a name that is empty"},
		{__LINE__, false, "a.b(0())", "something else"},
		{__LINE__, false, "a.b(0.x(1))", "something else"},
		{__LINE__, false, "a.b(0.x()y)", "something else"},
		{__LINE__, false, "a.b(0;1)", "something else"},
		{__LINE__, false, "a.b(0/1)", "something else"},
		{__LINE__, false, "a.b(255)", "no number from 0 to 254"},
		{__LINE__, false, "a.b(18446744073709551616)", "no number from 0 to 254"},
		{__LINE__, false, "a.b(1x)", "no number from 0 to 254"},
		{__LINE__, false, "a.b(0.a.b.c.d.e)", "more than four fields"},
		{__LINE__, false, "a.b(0 1 2 3 4)", "more than four values"},
		{__LINE__, false, "a.b(0 result)", "joins the result"},
		{__LINE__, false, "a.b(result result.x)", "joins the result"},
		{__LINE__, false, "a.b(0):", "behind its last ')'"},
		{__LINE__, false, "a.b(0):Hash", "behind its last ')'"},
		{__LINE__, false, "a.b(0)hash", "behind its last ')'"},
		{__LINE__, true, "a.b(0)", "no key"},
		{__LINE__, true, "a.b(0):hash", "no key"},
		{__LINE__, true, ":a.b(0)", "a key that is empty"},
		{__LINE__, true, "a.b:a.b(0)", "a key that is not of letters"},
		{__LINE__, true, "user:", "no ready-made set"},
		{__LINE__, true, "a:b:c(0)", "a pattern with one of"},
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct parameter_choice choice;
		const char *wrong = parameter_choice_read(rows[i].item, rows[i].tag, &choice);

		if (!wrong || !strstr(wrong, rows[i].why))
			fail_msg("line %d: %s", rows[i].line, wrong ? wrong : "accepted");
	}
}

/* What just fits, and one byte more, of everything that has a bound. */
static void test_long(void **state)
{
	static const struct {
		int line;
		const char *before, *behind;
		size_t most;
	} rows[] = {
		{__LINE__, "", "(0)", 511},
		{__LINE__, "a.b(", ")", 127},
		{__LINE__, "a.b(0.", "())", 127},
	};
	struct parameter_choice choice;
	char long_name[512], item[1024];

	memset(long_name, 'x', sizeof(long_name));
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		for (size_t more = 0; more < 2; more++) {
			snprintf(item, sizeof(item), "%s%.*s%s", rows[i].before,
				(int)(rows[i].most + more), long_name, rows[i].behind);
			if ((parameter_choice_read(item, false, &choice) != NULL) != more)
				fail_msg("line %d, %zu more", rows[i].line, more);
		}
	snprintf(item, sizeof(item), "%.64s:a.b(0)", long_name);
	assert_non_null(parameter_choice_read(item, true, &choice));
	assert_null(parameter_choice_read(item + 1, true, &choice));
}

/* Each row of each set says what an item can say. */
static void test_sets(void **state)
{
	for (const struct parameter_set *set = parameter_sets; set->name; set++) {
		assert_ptr_equal(parameter_set_find(set->name, strlen(set->name)), set);
		assert_null(parameter_set_find(set->name, strlen(set->name) - 1));
		for (const struct parameter_row *row = set->row; row->pattern; row++) {
			struct parameter_choice choice = {0};

			assert_null(strpbrk(row->pattern, ",;:|/[]() "));
			if (row->what)
				assert_null(parameter_parts_read(row->what, &choice));
		}
	}
}

/* The whole option: what is accepted, and what the message says. */
static void test_options(void **state)
{
	static const struct {
		int line;
		const char *string, *wrong; /* NULL: accepted */
	} rows[] = {
		{__LINE__, "parameters=a.b(0)+jdbc+a.b(0),tags=user:a.b(0)+user:c.d(1)", NULL},
		{__LINE__, "tags=user:a.b(0):hash+user:c.d(1):hash+x:a.b(0)", NULL},
		{__LINE__, "parameters=a.b(x\\+y\\,z)", NULL},
		{__LINE__, "parameters=a.b", "option 'parameters': 'a.b' is no ready-made set"},
		{__LINE__, "tags=a.b(0)", "option 'tags': 'a.b(0)' has no key"},
		{__LINE__, "tags=user:a.b(0)+user:c.d(0):hash", "kept in another way"},
		{__LINE__, "tags=user:a.b(0)+user:http", "a ready-made set"},
		{__LINE__, "tags=user:http+user:a.b(0)", "a ready-made set"},
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct options options;
		struct error error = {0};
		int failed = options_parse(&options, rows[i].string, &error);

		if (rows[i].wrong ? !failed || !strstr(error.text, rows[i].wrong) : failed)
			fail_msg("line %d: %s", rows[i].line, failed ? error.text : "accepted");
		if (i == 0) {
			assert_int_equal(options.parameters.count, 2);
			assert_int_equal(options.tags.count, 2);
			assert_int_equal(options.parameter_length, 200);
			assert_int_equal(options.parameter_values, 10000);
		}
		options_fini(&options);
	}
}

static void test_many_keys(void **state)
{
	for (int keys = 64; keys <= 65; keys++) {
		struct options options;
		struct error error = {0};
		char string[4096] = "tags=";
		size_t length = strlen(string);

		for (int i = 0; i < 2 * keys; i++)
			length += (size_t)snprintf(string + length, sizeof(string) - length,
				"%skey%d:a.b%d(0)", i ? "+" : "", i / 2, i);
		assert_int_equal(options_parse(&options, string, &error) == 0,
			keys == PARAMETER_TAG_KEYS);
		options_fini(&options);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_good),
		cmocka_unit_test(test_bad),
		cmocka_unit_test(test_long),
		cmocka_unit_test(test_sets),
		cmocka_unit_test(test_options),
		cmocka_unit_test(test_many_keys),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
