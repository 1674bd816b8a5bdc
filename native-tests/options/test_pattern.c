/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/* pattern: what matches, which methods are selected, which classes are named. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdlib.h>
#include <string.h>

#include "options/pattern.h"

static const struct {
	int line;
	const char *pattern, *text;
	bool matches;
} texts[] = {
	{__LINE__, "", "", true},
	{__LINE__, "", "a", false},
	{__LINE__, "a", "", false},
	{__LINE__, "*", "", true},
	{__LINE__, "**", "", true},
	{__LINE__, "*", "a.b.c", true},
	{__LINE__, "com.acme.*", "com.acme.Foo", true},
	{__LINE__, "com.acme.*", "com.acme.sub.Foo", true},
	{__LINE__, "com.acme.*", "com.acme", false},
	{__LINE__, "com.acme.*", "com.acmeX.Foo", false},
	{__LINE__, "com.acme.Foo", "com.acme.Foo", true},
	{__LINE__, "com.acme.Foo", "com.acme.Foo$Bar", false},
	{__LINE__, "com.acme.Foo", "com.acme.Fo", false},
	{__LINE__, "*Foo", "com.acme.Foo", true},
	{__LINE__, "*Foo", "com.FooFo", false},
	{__LINE__, "*Foo", "FooFooFoo", true},
	{__LINE__, "a*b*c", "aXbYc", true},
	{__LINE__, "a*b*c", "abc", true},
	{__LINE__, "a*b*c", "acb", false},
	{__LINE__, "a*bc*d", "abbcbcd", true},
	{__LINE__, "a*bc*d", "abbcbce", false},
	{__LINE__, "*a*a*a*b", "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa", false},
	{__LINE__, "?", "a", false}, /* only '*' is special */
	{__LINE__, "[a]", "a", false},
	{__LINE__, "worker-*", "worker-\xc3\xa9", true},
};

static void texts_match(void **state)
{
	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++)
		if (pattern_match(texts[i].pattern, texts[i].text) != texts[i].matches)
			fail_msg("row of line %d", texts[i].line);
}

static const struct {
	int line;
	const char *pattern, *class_name, *method;
	bool selected;
} methods[] = {
	{__LINE__, "com.acme.Foo", "com.acme.Foo", "bar", true},
	{__LINE__, "com.acme.Foo.bar", "com.acme.Foo", "bar", true},
	{__LINE__, "com.acme.Foo.bar", "com.acme.Foo", "barn", false},
	{__LINE__, "com.acme.Foo.bar", "com.acme.Foo", "ba", false},
	{__LINE__, "com.acme.Foo.*", "com.acme.Foo", "bar", true},
	{__LINE__, "com.acme.Foo.*", "com.acme.Foo", "<init>", true},
	{__LINE__, "com.acme.*", "com.acme.Foo", "bar", true},
	{__LINE__, "*.main", "com.acme.Foo", "main", true},
	{__LINE__, "*.main", "Foo", "main", true},
	{__LINE__, "*.main", "com.acme.Foo", "domain", false},
	{__LINE__, "main", "com.acme.Foo", "main", false},
	{__LINE__, "com.acme.Foo.get*", "com.acme.Foo", "getX", true},
	{__LINE__, "com.acme.Foo.get*", "com.acme.Foo", "setX", false},
	{__LINE__, "com.acme.Foo", "com.acme.Foo$Bar", "bar", false},
	{__LINE__, "com.acme.Foo$*", "com.acme.Foo$Bar", "bar", true},
};

static void methods_are_selected(void **state)
{
	for (size_t i = 0; i < sizeof(methods) / sizeof(methods[0]); i++)
		if (pattern_match_method(methods[i].pattern, methods[i].class_name,
			    methods[i].method) != methods[i].selected)
			fail_msg("row of line %d", methods[i].line);
}

static const struct {
	int line;
	const char *pattern, *class_name;
	bool named;
} classes[] = {
	{__LINE__, "java.util.*", "java.util.HashMap", true},
	{__LINE__, "java.*", "java.util.HashMap", true},
	{__LINE__, "java*", "java.util.HashMap", true},
	{__LINE__, "java.util.HashMap", "java.util.HashMap", true},
	{__LINE__, "java.util.HashMap.*", "java.util.HashMap", true},
	{__LINE__, "java.util.HashMap.put", "java.util.HashMap", true},
	{__LINE__, "java.util.HashMap.p*t", "java.util.HashMap", true},
	{__LINE__, "java.*.put", "java.util.HashMap", true},
	{__LINE__, "java.*put", "java.util.HashMap", true},
	{__LINE__, "java.*Map.put", "java.util.HashMap", true},
	{__LINE__, "java.*Map.put", "java.util.TreeSet", false},
	{__LINE__, "java.util.HashMap.put", "java.util.TreeMap", false},
	{__LINE__, "java.util.HashMap.put", "java.util.Hash", false},
	{__LINE__, "java.util.HashMap", "java.util", true}, /* HashMap could be a method */
	{__LINE__, "java.util.HashMap", "java.ut", false},
	{__LINE__, "java.util.*", "java.lang.String", false},
	{__LINE__, "*", "java.util.HashMap", false},
	{__LINE__, "**", "java.util.HashMap", false},
	{__LINE__, "*Map", "java.util.HashMap", false},
	{__LINE__, "*.util.HashMap", "java.util.HashMap", false},
	{__LINE__, "j*", "java.util.HashMap", false},
	{__LINE__, "javax.*", "java.util.HashMap", false},
	{__LINE__, "", "java.util.HashMap", false},
	{__LINE__, "Foo", "Foo", true},
	{__LINE__, "Foo.bar", "Foo", true},
	{__LINE__, "*", "Foo", false},
};

static void classes_are_named(void **state)
{
	for (size_t i = 0; i < sizeof(classes) / sizeof(classes[0]); i++)
		if (pattern_names_class(classes[i].pattern, classes[i].class_name) !=
			classes[i].named)
			fail_msg("row of line %d", classes[i].line);
}

/* Reaching a class takes no spelling of its package. */
static void classes_are_reached(void **state)
{
	for (size_t i = 0; i < sizeof(classes) / sizeof(classes[0]); i++)
		if (classes[i].named &&
			!pattern_reaches_class(classes[i].pattern, classes[i].class_name))
			fail_msg("row of line %d", classes[i].line);
	assert_true(pattern_reaches_class("*", "java.util.HashMap"));
	assert_true(pattern_reaches_class("*Map", "java.util.HashMap"));
	assert_true(pattern_reaches_class("*Map.put", "java.util.HashMap"));
	assert_false(pattern_reaches_class("*Set.put", "java.util.HashMap"));
	assert_false(pattern_reaches_class("java.util.Has", "java.util.HashMap"));
}

/* A class is named by every pattern that spells its package and selects a method of it. */
static void naming_covers_selecting(void **state)
{
	for (size_t i = 0; i < sizeof(methods) / sizeof(methods[0]); i++) {
		const char *pattern = methods[i].pattern, *class_name = methods[i].class_name;
		if (methods[i].selected && strncmp(pattern, "com", 3) == 0 &&
			!pattern_names_class(pattern, class_name))
			fail_msg("row of line %d", methods[i].line);
	}
}

static void lists_own_copies(void **state)
{
	struct pattern_list list = {0};
	assert_false(pattern_list_match(&list, ""));
	char text[] = "a*";
	assert_int_equal(pattern_list_add(&list, text), 0);
	text[0] = 'x';
	assert_int_equal(pattern_list_add(&list, "b"), 0);
	assert_int_equal(list.count, 2);
	assert_true(pattern_list_match(&list, "abc"));
	assert_true(pattern_list_match(&list, "b"));
	assert_false(pattern_list_match(&list, "c"));
	pattern_list_fini(&list);
	assert_int_equal(list.count, 0);
	assert_null(list.pattern);
	pattern_list_fini(&list);
}

/* Many stars against a text that almost matches: must not be exponential. */
static void worst_case_ends(void **state)
{
	char pattern[2001], text[4001];
	for (size_t i = 0; i < 2000; i += 2)
		memcpy(pattern + i, "*a", 2);
	pattern[1999] = 'b';
	pattern[2000] = '\0';
	memset(text, 'a', 4000);
	text[4000] = '\0';
	assert_false(pattern_match(pattern, text));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(texts_match),
		cmocka_unit_test(methods_are_selected),
		cmocka_unit_test(classes_are_named),
		cmocka_unit_test(classes_are_reached),
		cmocka_unit_test(naming_covers_selecting),
		cmocka_unit_test(lists_own_copies),
		cmocka_unit_test(worst_case_ends),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
