/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/* sql_shape: statements as databases read them, and their shapes. Each shape must be its own. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "agent/values/sql_shape.h"

static char *shape_of(const char *text, size_t length)
{
	static char shape[1 << 16];

	length = sql_shape(text, length, shape, sizeof(shape) - 1);
	assert_true(length < sizeof(shape));
	shape[length] = '\0';
	return shape;
}

struct row {
	int line;
	const char *text, *shape;
};

static void check_rows(const struct row *rows, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		char *shape = shape_of(rows[i].text, strlen(rows[i].text));

		if (strcmp(shape, rows[i].shape) != 0)
			fail_msg("line %d: %s", rows[i].line, shape);
		shape = shape_of(rows[i].shape, strlen(rows[i].shape));
		if (strcmp(shape, rows[i].shape) != 0)
			fail_msg("line %d, again: %s", rows[i].line, shape);
	}
}

#define CHECK(rows) check_rows(rows, sizeof(rows) / sizeof((rows)[0]))

static void test_literals(void **state)
{
	static const struct row rows[] = {
		{__LINE__, "", ""},
		{__LINE__, "select 1", "select ?"},
		{__LINE__, "select * from t where a='x'", "select * from t where a=?"},
		{__LINE__, "a = 'it''s' and b = ''", "a = ? and b = ?"},
		{__LINE__, "a = '\\\\' and b = 'x'", "a = ? and b = ?"},
		{__LINE__, "a = E'it\\'s' and b", "a = ? and b"},
		{__LINE__, "a = e'\\\\' and b", "a = ? and b"},
		{__LINE__, "N'x' n'x' B'01' x'ff' X'FF' _utf8'x' u&'\\00e4'",
			"? ? ? ? ? _utf8? u&?"},
		{__LINE__, "date '2026-01-01' + interval '1' day", "date ? + interval ? day"},
		{__LINE__, "{ts '2026-01-01 10:00:00'}", "{ts ?}"},
		{__LINE__, "like 'a%' escape '\\' and b = 'x'", "like ? escape ? and b = ?"},
		{__LINE__, "a = 'x\ny'", "a = ?"},
		{__LINE__, "1 1.5 .5 1. 1e5 1.5E-10 1e+3 0x1F 10L 1_000",
			"? ? ? ? ? ? ? ? ? ?"},
		{__LINE__, "a = -5 and b = +.5 and c - 5 > d -6",
			"a = ? and b = ? and c - ? > d -?"},
		{__LINE__, "t1.c2 + x_3", "t1.c2 + x_3"},
		{__LINE__, "a=1and b=2", "a=? b=?"},
		{__LINE__, "true and false or null is null", "true and false or null is null"},
		{__LINE__, "$$it's$$ || $a$ $b$ $a$ || $_1$x$_1$", "? || ? || ?"},
		{__LINE__, "q'[it's]' || Q'{a}b}' || nq'!x!' || q'<a'>b>'", "? || ? || ? || ?"},
		{__LINE__, "1..5", "?"},
		{__LINE__, "a[1:5] b[x:7]", "a[?:?] b[x:?]"},
		{__LINE__, "$1234.50", "?"},
	};

	CHECK(rows);
}

static void test_parameters(void **state)
{
	static const struct row rows[] = {
		{__LINE__, "a = ? and b = ?1 and c = :name and d = $1 and e = @p0",
			"a = ? and b = ?1 and c = :name and d = $1 and e = @p0"},
		{__LINE__, "select x::int, '5'::text, @@version, :1",
			"select x::int, ?::text, @@version, :1"},
		{__LINE__, "{call f(?)}", "{call f(?)}"},
		{__LINE__, "{? = call f(?, 1)}", "{? = call f(?, ...)}"},
		{__LINE__, "x := 5", "x := ?"},
		{__LINE__, "a ?| b ?& c ?? d", "a ?| b ?& c ?? d"},
	};

	CHECK(rows);
}

static void test_gaps(void **state)
{
	static const struct row rows[] = {
		{__LINE__, "  select\t a ,\n\r\n b\f from   t  ", "select a, b from t"},
		{__LINE__, "f( a , b )", "f(a, b)"},
		{__LINE__, "select/*c*/a/**/from -- x 'y\nt -- z", "select a from t"},
		{__LINE__, "select /*+ index(t 'x') */ a", "select a"},
		{__LINE__, "a -- 'x\n= 'y' --", "a = ?"},
		{__LINE__, "a # x\n+ b", "a + b"},
		{__LINE__, "a #>> b", "a #>> b"},
		{__LINE__, "a - -b", "a - -b"},
		{__LINE__, "f ()", "f ()"},
		{__LINE__, "a;", "a;"},
	};

	CHECK(rows);
	assert_string_equal(shape_of("a\0b\001c", 5), "a b c");
}

static void test_lists(void **state)
{
	static const struct row rows[] = {
		{__LINE__, "a in (1)", "a in (?, ...)"},
		{__LINE__, "a IN(1,2)", "a IN(?, ...)"},
		{__LINE__, "a in ('x', 'y', ?, null, 5)", "a in (?, ..., null, ?)"},
		{__LINE__, "a in (-1, -2) and b in (:p, :q, :r)",
			"a in (?, ...) and b in (:p, ...)"},
		{__LINE__, "a in (select 1)", "a in (select ?)"},
		{__LINE__, "a in (1 + 2)", "a in (? + ?)"},
		{__LINE__, "a in (x, 1, 2)", "a in (x, ?, ...)"},
		{__LINE__, "f(1, x, 2)", "f(?, x, ?)"},
		{__LINE__, "(a, b) in ((1, 2), (3, 4), (5, 6)) and c",
			"(a, b) in ((?, ...)) and c"},
		{__LINE__, "a in ((1), (2))", "a in ((?))"},
		{__LINE__, "values (1)", "values (?)"},
		{__LINE__, "values (1, 2), (3, 4)", "values (?, ...)"},
		{__LINE__, "VALUES (1, now(), 'a'), (2, now(), 'b'), (3, f((1)), '') on x",
			"VALUES (?, now(), ?) on x"},
		{__LINE__, "insert into t(a,b) values(1,2),(3,4)returning id",
			"insert into t(a, b) values(?, ...)returning id"},
		{__LINE__, "on duplicate key update a = values(a), b = values(b), c = (1)",
			"on duplicate key update a = values(a), b = values(b), c = (?)"},
		{__LINE__, "select 1, 2, 3", "select ?, ?, ?"},
		{__LINE__, "limit 5, 10", "limit ?, ?"},
		{__LINE__, "a in (1, 2", "a in (?, ..."},
		{__LINE__, "values (a[1]), (b[2]), (c)", "values (a[?])"},
		{__LINE__, "in(([s),(])$]", "in(([s), (])$]"},
		{__LINE__, ")) 1, 2 ((1", ")) ?, ? ((?"},
	};

	CHECK(rows);
}

static void test_names(void **state)
{
	static const struct row rows[] = {
		{__LINE__, "select t.\"id\" from \"public\".\"T 1\" as \"x 2\" join \"u\"",
			"select t.\"id\" from \"public\".\"T 1\" as \"x 2\" join \"u\""},
		{__LINE__, "update \"it's\" set", "update \"it's\" set"},
		{__LINE__, "update t set \"a\" = \"x\", b = 1",
			"update t set \"a\" = ?, b = ?"},
		{__LINE__, "set names \"x\"", "set names ?"},
		{__LINE__, "from \"a\"\"b\" x", "from \"a\"\"b\" x"},
		{__LINE__, "where a = \"x\" and \"y\" < b and c in (\"p\", \"q\")",
			"where a = ? and ? < b and c in (?, ...)"},
		{__LINE__, "a like \"x\" or b between \"y\" and \"z\"",
			"a like ? or b between ? and ?"},
		{__LINE__, "select \"x\"", "select ?"},
		{__LINE__, "trim(both from \"x\") = extract(year from \"y\")",
			"trim(both from ?) = extract(year from ?)"},
		{__LINE__, "(select a from \"t\")", "(select a from \"t\")"},
		{__LINE__, "(select trim(from \"x\") from \"t\")",
			"(select trim(from ?) from \"t\")"},
		{__LINE__, "a is distinct from \"x\"", "a is distinct from ?"},
		{__LINE__, "into outfile \"/x\"", "into outfile ?"},
		{__LINE__, "select `a 1`, `it's` from `t`", "select `a 1`, `it's` from `t`"},
		{__LINE__, "select [a b], [t].[c-d] from [x]",
			"select [a b], [t].[c-d] from [x]"},
		{__LINE__, "array['a', 'b'] || array[1,2]", "array[?, ?] || array[?, ?]"},
		{__LINE__, "select * from #t where a = 'x'", "select * from #t where a = ?"},
		{__LINE__, "select serial# from v$session", "select serial# from v$session"},
		{__LINE__,
			"select gr\xc3\xb6\xc3\x9f"
			"e1",
			"select gr\xc3\xb6\xc3\x9f"
			"e1"},
	};

	CHECK(rows);
}

/* What databases read in different ways, and what has no end: the rest goes. */
static void test_doubtful(void **state)
{
	static const struct row rows[] = {
		{__LINE__, "a = 'it\\'s' and b = 'secret'", "a = ?"},
		{__LINE__, "a = '\\' and b = 'secret'", "a = ?"},
		{__LINE__, "a = '\\\\\\' and b = 'secret'", "a = ?"},
		{__LINE__, "escape '\\'' and b = 'secret'", "escape ?"},
		{__LINE__, "escape 'x\\' and b = 'secret'", "escape ?"},
		{__LINE__, "a = \"x\\\" and b = \"secret\"", "a = ?"},
		{__LINE__, "from `x\\` and b = `secret`", "from ?"},
		{__LINE__, "a = 'secret", "a = ?"},
		{__LINE__, "a = \"secret", "a = ?"},
		{__LINE__, "a = $x$secret$y$", "a = ?"},
		{__LINE__, "a = q'[secret'", "a = ?"},
		{__LINE__, "a /* secret", "a ?"},
		{__LINE__, "a /* /* */ secret */ 'x'", "a ?"},
		{__LINE__, "a # it's\n = 'secret'", "a ?"},
		{__LINE__, "a #it\n = 'secret'", "a ?"},
		{__LINE__, "a --it's\n = 'secret'", "a ?"},
		{__LINE__, "a --its\n = 'secret'", "a = ?"},
		{__LINE__, "a # $$x\nsecret$$", "a ?"},
		{__LINE__, "a # /* x\nit's */ = 'secret'", "a ?"},
		{__LINE__, "[a]]b's] = 'secret'", "?"},
		{__LINE__, "a#b's\n, 'secret'", "a?"},
		{__LINE__, "[it's] = 'secret'", "?"},
		{__LINE__, "values (1), (2, 'secret", "values (?), (?, ..."},
	};

	CHECK(rows);
}

static void test_is_sql(void **state)
{
	static const struct {
		int line;
		const char *text;
		bool is;
	} rows[] = {
		{__LINE__, "select", true},
		{__LINE__, " \n\tSeLeCT*from t", true},
		{__LINE__, "((select 1))", true},
		{__LINE__, "{call f(?)}", true},
		{__LINE__, "{? = call f(?)}", true},
		{__LINE__, "{ call f}", true},
		{__LINE__, "/* c */ select", true},
		{__LINE__, "-- c\nselect", true},
		{__LINE__, "# it's\nselect", true},
		{__LINE__, "/* it's", true},
		{__LINE__, ";with x as (select 1)", true},
		{__LINE__, "INSERT INTO t", true},
		{__LINE__, "", false},
		{__LINE__, "  ", false},
		{__LINE__, "(", false},
		{__LINE__, "selects", false},
		{__LINE__, "selec", false},
		{__LINE__, "select_x", false},
		{__LINE__, "Orders select", false},
		{__LINE__, "#4711", false},
		{__LINE__, "4711", false},
		{__LINE__, "'select'", false},
		{__LINE__, "/orders/1", false},
		{__LINE__, "alice@example.com", false},
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		if (is_sql(rows[i].text, strlen(rows[i].text)) != rows[i].is)
			fail_msg("line %d: %s", rows[i].line, rows[i].text);
}

/* Of each room, the first bytes of the whole, and its length. */
static void test_room(void **state)
{
	static const char text[] =
		"insert into t values (1, 'x', f(2)), (3, 4, 5) on (6, 7, 8)";
	char whole[100], part[100];
	size_t length = sql_shape(text, strlen(text), whole, sizeof(whole));

	for (size_t size = 0; size <= length; size++) {
		memset(part, '~', sizeof(part));
		assert_int_equal(sql_shape(text, strlen(text), part, size), length);
		assert_memory_equal(part, whole, size);
		assert_int_equal(part[size], '~');
	}
	/* Of lists and rows that are longer than the room, too. */
	static char many[200000];
	size_t end = (size_t)snprintf(many, sizeof(many), "a in (1");

	while (end + 20 < sizeof(many))
		end += (size_t)snprintf(many + end, 20, ", %zu", end);
	end += (size_t)snprintf(many + end, 20, ") and b");
	assert_int_equal(sql_shape(many, end, part, sizeof(part)), 19);
	assert_memory_equal(part, "a in (?, ...) and b", 19);
}

static double seconds(void)
{
	struct timespec now;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
	return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

/* Texts of one piece again and again: 16 times as long takes no 100 times as long. */
static void test_linear(void **state)
{
	static const char *const pieces[] = {"(", "(1,", "[a", "[a'", "#a", "#a ", "--a\n",
		"-- ", "/*", "/**/", "/*/", "$a$", "$", "$a", "'", "''", "'\\", "\"a\".", "`",
		"in ((1),", "values (1),(", "a.", "1e-", "...", "?", "q'[", "e'\\'", "\\", ":a",
		"[a]"};
	enum { SHORT = 1 << 15, LONG = SHORT * 16 };
	static char text[LONG], shape[4096];

	for (size_t i = 0; i < sizeof(pieces) / sizeof(pieces[0]); i++) {
		size_t length = strlen(pieces[i]);
		double took[2];

		for (size_t at = 0; at < LONG; at++)
			text[at] = pieces[i][at % length];
		for (int n = 0; n < 2; n++) {
			double begin = seconds();

			sql_shape(text, n ? LONG : SHORT, shape, sizeof(shape));
			took[n] = seconds() - begin;
		}
		/* Short ones of a few ms tell nothing. */
		if (took[1] > 0.05 && took[1] > 100 * took[0])
			fail_msg("'%s': %f s, %f s", pieces[i], took[0], took[1]);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_literals),
		cmocka_unit_test(test_parameters),
		cmocka_unit_test(test_gaps),
		cmocka_unit_test(test_lists),
		cmocka_unit_test(test_names),
		cmocka_unit_test(test_doubtful),
		cmocka_unit_test(test_is_sql),
		cmocka_unit_test(test_room),
		cmocka_unit_test(test_linear),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
