/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/* Names that differ from run to run become the same, all others stay. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include "report/diff/names.h"

typedef bool normalise(struct out *out, const char *name);

static void check(normalise *normal, const char *name, const char *expected, int line)
{
	struct out out;
	bool changed;

	out_init(&out, -1);
	changed = normal(&out, name);
	out_char(&out, '\0');
	if (strcmp(out.buffer, expected) != 0)
		fail_msg("line %d: '%s' became '%s', not '%s'", line, name, out.buffer,
			expected);
	if (changed != (strcmp(name, expected) != 0))
		fail_msg("line %d: '%s': changed is %d", line, name, changed);
	out_fini(&out);
}

static const struct row {
	normalise *normal;
	const char *name, *expected;
	int line;
} rows[] = {
#define ROW(normal, name, expected) {normal, name, expected, __LINE__},
	ROW(out_normal_class, "com.acme.Foo$$Lambda$14/0x00007f12a8001000",
		"com.acme.Foo$$Lambda") ROW(out_normal_class, "com.acme.Foo$$Lambda$14",
		"com.acme.Foo$$Lambda") ROW(out_normal_class,
		"com.acme.Foo$$Lambda/0x00007f12a8001000",
		"com.acme.Foo$$Lambda") ROW(out_normal_class,
		"com.acme.Foo$$Lambda+0x00007f12a8001000",
		"com.acme.Foo$$Lambda") ROW(out_normal_class,
		"java.lang.invoke.LambdaForm$MH/0x1",
		"java.lang.invoke.LambdaForm$MH") ROW(out_normal_class,
		"java.lang.invoke.LambdaForm$DMH012",
		"java.lang.invoke.LambdaForm$DMH") ROW(out_normal_class, "jdk.proxy2.$Proxy12",
		"jdk.proxy*.$Proxy*") ROW(out_normal_class,
		"jdk.internal.reflect.GeneratedMethodAccessor7",
		"jdk.internal.reflect.GeneratedMethodAccessor*") ROW(out_normal_class,
		"a.B$$EnhancerBySpringCGLIB$$1f2e",
		"a.B$$EnhancerBySpringCGLIB$$*") ROW(out_normal_class,
		"(Ljdk/proxy1/$Proxy3;)V", "(Ljdk/proxy1/$Proxy*;)V") ROW(out_normal_class,
		"com.acme.Foo$1", "com.acme.Foo$1") ROW(out_normal_class, "com.acme.Base64",
		"com.acme.Base64") ROW(out_normal_class, "com.acme.Proxy12",
		"com.acme.Proxy12") ROW(out_normal_class, "com.acme.0xtend",
		"com.acme.0xtend") ROW(out_normal_class, "/0x", "/0x") ROW(out_normal_class,
		"$$Lambda$", "$$Lambda$") ROW(out_normal_class, "", "") ROW(out_normal_method,
		"lambda$main$3", "lambda$main$*") ROW(out_normal_method, "lambda$$0",
		"lambda$$*") ROW(out_normal_method, "access$100", "access$*")
		ROW(out_normal_method, "lambda$main$", "lambda$main$") ROW(
			out_normal_method, "main$3", "main$3") ROW(out_normal_method, "lambda",
			"lambda") ROW(out_normal_address, "127.0.0.1:54321", "127.0.0.1:*")
			ROW(out_normal_address, "[::1]:32768", "[::1]:*") ROW(
				out_normal_address, "127.0.0.1:5432", "127.0.0.1:5432")
				ROW(out_normal_address, "127.0.0.1:99999", "127.0.0.1:99999")
					ROW(out_normal_address, "/run/socket", "/run/socket")
#undef ROW
};

static void test_rows(void **state)
{
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++)
		check(rows[i].normal, rows[i].name, rows[i].expected, rows[i].line);
}

static void test_table(void **state)
{
	struct text_table table = {0};
	char text[32];

	for (int pass = 0; pass < 2; pass++) {
		for (uint32_t i = 0; i < 5000; i++) {
			int length = snprintf(text, sizeof(text), "name%u", i);

			assert_int_equal(text_table_take(&table, text, (size_t)length), i);
		}
	}
	assert_int_equal(table.count, 5000);
	/* A text is all its bytes. */
	assert_int_equal(text_table_take(&table, "a\0b", 3), 5000);
	assert_int_equal(text_table_take(&table, "a\0c", 3), 5001);
	text_table_fini(&table);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_rows),
		cmocka_unit_test(test_table),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
