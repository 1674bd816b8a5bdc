/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/* What reports look like on a terminal, and the options that choose rows of calls. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>
#include <jansson.h>

#include "native-tests/report/fixture.h"
#include "report/model/waits.h"
#include "report/text/figure.h"

static struct fixture fixture;

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

/* ---- figures ---- */

static void test_figures(void **state)
{
	static const struct {
		int line;
		enum figure_kind kind;
		uint64_t value;
		const char *text;
	} cases[] = {
		{__LINE__, FIGURE_TIME, 0, "0"},
		{__LINE__, FIGURE_TIME, 1, "1 ns"},
		{__LINE__, FIGURE_TIME, 999, "999 ns"},
		{__LINE__, FIGURE_TIME, 1000, "1.00 us"},
		{__LINE__, FIGURE_TIME, 9994, "9.99 us"},
		{__LINE__, FIGURE_TIME, 9996, "10.0 us"},
		{__LINE__, FIGURE_TIME, 99949, "99.9 us"},
		{__LINE__, FIGURE_TIME, 99951, "100 us"},
		{__LINE__, FIGURE_TIME, 999499, "999 us"},
		{__LINE__, FIGURE_TIME, 999501, "1.00 ms"},
		{__LINE__, FIGURE_TIME, 45123456, "45.1 ms"},
		{__LINE__, FIGURE_TIME, 1324000000, "1.32 s"},
		{__LINE__, FIGURE_TIME, 999000000000, "999 s"},
		{__LINE__, FIGURE_TIME, 1236000000000, "20.6 min"},
		{__LINE__, FIGURE_TIME, 86400000000000, "24.0 h"},
		{__LINE__, FIGURE_BYTES, 512, "512 B"},
		{__LINE__, FIGURE_BYTES, 3400000, "3.40 MB"},
		{__LINE__, FIGURE_BYTES, 1999999999999, "2.00 TB"},
		{__LINE__, FIGURE_COUNT, 9999, "9999"},
		{__LINE__, FIGURE_COUNT, 10000, "10.0 k"},
		{__LINE__, FIGURE_COUNT, 1240000, "1.24 M"},
		{__LINE__, FIGURE_COUNT, UINT64_MAX, "18446744 T"},
	};

	for (size_t i = 0; i < COUNT(cases); i++) {
		struct figure_text text = figure_text(cases[i].kind, cases[i].value);

		if (strcmp(text.text, cases[i].text) != 0)
			fail_msg("line %d: '%s'", cases[i].line, text.text);
	}
}

static void test_percents(void **state)
{
	static const struct {
		uint64_t part, whole;
		const char *text;
	} cases[] = {{0, 10, ""}, {5, 0, ""}, {1, 3, "33.3%"}, {10, 10, "100%"},
		{9999, 10000, "100%"}, {1, 2000, "0.1%"}, {1, 3000, "<0.1%"}, {3, 2, "150%"}};

	for (size_t i = 0; i < COUNT(cases); i++)
		assert_string_equal(
			figure_percent(cases[i].part, cases[i].whole).text, cases[i].text);
}

static void test_names(void **state)
{
	static const struct {
		int line;
		const char *name;
		size_t columns;
		const char *shown;
	} cases[] = {
		{__LINE__, "com.acme.shop.Order.total(int,String)", 37,
			"com.acme.shop.Order.total(int,String)"},
		{__LINE__, "com.acme.shop.Order.total(int,String)", 36,
			"c.acme.shop.Order.total(int,String)"},
		{__LINE__, "com.acme.shop.Order.total(int,String)", 33,
			"c.a.shop.Order.total(int,String)"},
		{__LINE__, "com.acme.shop.Order.total(int,String)", 29,
			"c.a.s.Order.total(int,String)"},
		{__LINE__, "com.acme.shop.Order.total(int,String)", 28,
			"c.a.s.Order.total(i,S)"},
		{__LINE__, "com.acme.shop.Order.total(int,String)", 20, "…Order.total(i,S)"},
		{__LINE__, "com.acme.shop.Order.total(int,String)", 12, "Ord…tal(i,S)"},
		{__LINE__, "a.B.c():String[]", 14, "a.B.…:String[]"},
		{__LINE__, "Main.run", 8, "Main.run"},
		{__LINE__, "Main.run", 7, "Ma….run"},
		{__LINE__, "/tmp/some/where/far/data.db", 16, "/tmp/…ar/data.db"},
		{__LINE__, "worker number 1.2.3", 10, "wor… 1.2.3"},
		{__LINE__, "http-nio-127.0.0.1-auto-1-exec-10", 20, "http-n…uto-1-exec-10"},
		{__LINE__, "(12 more)", 40, "(12 more)"},
		{__LINE__,
			"gr\xc3\xb6\xc3\x9f"
			"er.als",
			7, "gr….als"},
		{__LINE__, "x\x1b[2J", 40, "x\\u001b[2J"},
		/* Two columns a letter: those that fit are whole. */
		{__LINE__, "データベース接続", 16, "データベース接続"},
		{__LINE__, "データベース接続", 15, "デー…ベース接続"},
		{__LINE__, "データベース接続", 14, "デー…ース接続"},
		{__LINE__, "データベース接続", 12, "デ…ース接続"},
		{__LINE__, "会社.売上.注文.計算(番号)", 25, "会社.売上.注文.計算(番号)"},
		{__LINE__, "会社.売上.注文.計算(番号)", 24, "会.売上.注文.計算(番号)"},
		{__LINE__, "会社.売上.注文.計算(番号)", 22, "会.売.注文.計算(番号)"},
		{__LINE__, "会社.売上.注文.計算(番号)", 20, "会.売.注文.計算(番)"},
		/* Of a class and a method the packages go first, then the middle; of a path its end. */
		{__LINE__, "a.b.Lost  c.d.Shop.pay(int)", 27, "a.b.Lost  c.d.Shop.pay(int)"},
		{__LINE__, "a.b.Lost  c.d.Shop.pay(int)", 26, "Lost  c.d.Shop.pay(int)"},
		{__LINE__, "a.b.Lost  c.d.Shop.pay(int)", 22, "Lost  Shop.pay(int)"},
		{__LINE__, "a.b.Lost  c.d.Shop.pay(int)", 18, "Lost  Shop.pay(i)"},
		{__LINE__, "a.b.Lost  c.d.Shop.pay(int)", 12, "Los…p.pay(i)"},
		{__LINE__, "a.b.Box[]  c.d.Shop.pay < c.d.Main.main", 24,
			"Box[]  Shop.pay < Main.…"},
		{__LINE__, "a.b.Box[]  c.d.Shop.pay < c.d.Main.main", 10, "Box[]  Sh…"},
		/* A mark stays with its letter. */
		{__LINE__, "e\u0301e\u0301e\u0301e\u0301e\u0301e\u0301", 4,
			"e\u0301\u2026e\u0301e\u0301"},
		{__LINE__, "", 5, ""},
	};

	for (size_t i = 0; i < COUNT(cases); i++) {
		char name[64];
		size_t width = figure_name(name, sizeof(name), cases[i].name,
			strlen(cases[i].name), cases[i].columns);

		if (strcmp(name, cases[i].shown) != 0 || width > cases[i].columns)
			fail_msg("line %d: '%s'", cases[i].line, name);
	}
}

/* ---- screens ---- */

/* top: how many rows; 0: all. */
static char *print_top(
	const char *view, uint64_t top, unsigned width, const struct adjustment *adjustment)
{
	struct report_request request = {.view = view_find(view),
		.format = &format_screen,
		.width = width,
		.height = 24,
		.min = -1,
		.top = top,
		.choice.adjustment = adjustment};
	struct error error = {0};
	uint64_t violations;
	char *text = fixture_report(&fixture, &request, &violations, &error);

	if (text == NULL)
		fail_msg("%s: %s", view, error.text);
	assert_int_equal(violations, 0);
	return text;
}

static char *print_screen(const char *view, unsigned width, const struct adjustment *adjustment)
{
	return print_top(view, 0, width, adjustment);
}

/* With JPROF_GOLDEN=write in the environment the files are made anew: read the difference. */
static void check_golden(const char *name, const char *text)
{
	char path[4096], kept[65536];
	size_t length;
	FILE *file;

	snprintf(path, sizeof(path), GOLDEN "/%s", name);
	file = fopen(path, getenv("JPROF_GOLDEN") != NULL ? "w" : "r");
	assert_non_null(file);
	if (getenv("JPROF_GOLDEN") != NULL) {
		fputs(text, file);
	} else {
		length = fread(kept, 1, sizeof(kept) - 1, file);
		kept[length] = '\0';
		assert_string_equal(text, kept);
	}
	fclose(file);
}

/* No line is wider than the terminal, unless a word of a text that is told whole is. */
static void check_lines(const char *view, unsigned width, const char *text)
{
	for (const char *end; (end = strchr(text, '\n')) != NULL; text = end + 1) {
		size_t length = (size_t)(end - text), columns = out_width(text, length);

		if (columns > width)
			fail_msg("%s at %u columns: %zu in: %.*s", view, width, columns,
				(int)length, text);
	}
}

static void check_screens(const char *prefix, const char *const *shown, size_t count)
{
	static const unsigned widths[] = {80, 160};

	for (size_t v = 0; v < count; v++) {
		for (size_t w = 0; w < COUNT(widths); w++) {
			char *text = print_screen(shown[v], widths[w], NULL);
			char name[64];

			check_lines(shown[v], widths[w], text);
			snprintf(name, sizeof(name), "%s-%s.%u", prefix, shown[v], widths[w]);
			check_golden(name, text);
			free(text);
		}
	}
}

static void test_samples(void **state)
{
	static const char *const shown[] = {"overview", "summary", "tree", "methods", "callers",
		"components", "component-tree", "threads", "lines", "states"};

	fixture_sampled(&fixture);
	check_screens("sampled", shown, COUNT(shown));
	fixture_mixed(&fixture);
	check_screens("mixed", shown, COUNT(shown));
}

static void test_lock_names(void **state)
{
	static const struct {
		int line;
		const char *class_name, *name;
	} cases[] = {
		{__LINE__, "java.util.concurrent.locks.ReentrantLock$NonfairSync",
			"ReentrantLock"},
		{__LINE__, "java.util.concurrent.locks.ReentrantLock$FairSync",
			"ReentrantLock"},
		{__LINE__, "java.util.concurrent.locks.ReentrantReadWriteLock$NonfairSync",
			"ReentrantReadWriteLock"},
		{__LINE__, "java.util.concurrent.CountDownLatch$Sync", "CountDownLatch"},
		{__LINE__, "java.util.concurrent.ThreadPoolExecutor$Worker",
			"ThreadPoolExecutor$Worker"},
		{__LINE__, "java.util.concurrent.$Sync", "$Sync"},
		{__LINE__, "com.acme.Lock$NonfairSync", "com.acme.Lock$NonfairSync"},
		{__LINE__, "java.util.concurrently.Lock$Sync",
			"java.util.concurrently.Lock$Sync"},
		{__LINE__, "", ""},
	};

	for (size_t i = 0; i < COUNT(cases); i++) {
		struct label name = lock_name(cases[i].class_name);

		if (name.length != strlen(cases[i].name) ||
			strncmp(name.text, cases[i].name, name.length) != 0)
			fail_msg("line %d: '%.*s'", cases[i].line, (int)name.length, name.text);
	}
}

/* A lock has its whole short name, as wide as the terminal may be. */
static void test_waits(void **state)
{
	static const char *const shown[] = {"locks", "waits", "wait-pairs", "long-waits"};

	fixture_waits(&fixture);
	check_screens("waiting", shown, COUNT(shown));
	for (unsigned width = 80; width <= 120; width += 20) {
		char *locks = print_screen("locks", width, NULL);
		char *longest = print_screen("long-waits", width, NULL);

		assert_non_null(strstr(locks, "ReentrantLock@66b179dd"));
		assert_non_null(strstr(longest, "ReentrantLock@66b179dd"));
		free(locks);
		free(longest);
	}
}

/* Stacks of unequal weight: a quarter as many equal ones tell as much, and errors are twice as large. */
static void test_uneven_samples(void **state)
{
	char *text;

	fixture_sampled(&fixture);
	text = print_screen("methods", 100, NULL);
	assert_non_null(strstr(text, "2525 31.1% ±1.0"));
	free(text);
	fixture.meta[fixture.profile.meta_count++] =
		(struct profile_meta){"sample.cpu:1ms.stacks", "8120"};
	fixture.meta[fixture.profile.meta_count++] =
		(struct profile_meta){"sample.cpu:1ms.squares", "32480"};
	text = print_screen("methods", 100, NULL);
	assert_non_null(strstr(text, "2525 31.1% ±2.1"));
	free(text);
}

static void test_screens(void **state)
{
	static const unsigned widths[] = {80, 100, 160};
	struct adjustment adjustment;

	fixture_virtual(&fixture);
	fixture.thread[0].repaired = 3;
	fixture.thread[1].lost = 12345;
	fixture_deltas(&fixture);
	fixture_adjust(&fixture, &adjustment);
	for (size_t v = 0; v < view_count; v++) {
		for (size_t w = 0; w < COUNT(widths); w++) {
			char *text = print_screen(views[v]->name, widths[w], &adjustment);
			char name[64];

			check_lines(views[v]->name, widths[w], text);
			snprintf(name, sizeof(name), "%s.%u", views[v]->name, widths[w]);
			check_golden(name, text);
			free(text);
		}
	}
	adjustment_fini(&adjustment);
}

/* Columns by the rule for the letters that are used here: those of U+2E80 to U+D7A3 are
 * wide. */
static size_t columns_by_hand(const char *text, size_t length)
{
	size_t columns = 0;

	for (size_t i = 0; i < length; i++) {
		unsigned char c = (unsigned char)text[i];
		bool is_wide = (c >= 0xe3 && c <= 0xed) ||
			       (c == 0xe2 && (unsigned char)text[i + 1] >= 0xba);

		columns += c < 0x80 || c >= 0xc0 ? 1 + (size_t)is_wide : 0;
	}
	return columns;
}

/* Where text begins in the line that has it. */
static size_t column_of(const char *lines, const char *text)
{
	const char *at = strstr(lines, text), *begin = at;

	if (at == NULL)
		fail_msg("no '%s' in: %s", text, lines);
	while (begin > lines && begin[-1] != '\n')
		begin--;
	return columns_by_hand(begin, (size_t)(at - begin));
}

/* Names of wide letters: lines end within the terminal, and columns stand below each
 * other. */
static void test_wide_letters(void **state)
{
	static const char *const shown[] = {"overview", "tree", "methods", "threads", "files"};
	char *text;

	fixture_small(&fixture);
	fixture.method[METHOD_FIRST].class_name = "会社.売上.注文処理";
	fixture.method[METHOD_FIRST + 1].name = "データベース接続を開く";
	fixture.thread[0].name = "작업자-1";
	fixture.file[0].name = "/tmp/データ/日本語のとても長い名前のファイル.db";
	fixture.method[METHOD_FIRST + 3].class_name = "작업.상자";
	for (size_t v = 0; v < COUNT(shown); v++) {
		for (unsigned width = 56; width < 130; width += 5) {
			text = print_screen(shown[v], width, NULL);
			for (const char *line = text, *end; (end = strchr(line, '\n')) != NULL;
				line = end + 1)
				if (columns_by_hand(line, (size_t)(end - line)) > width)
					fail_msg("%s at %u: %.*s", shown[v], width,
						(int)(end - line), line);
			free(text);
		}
	}
	text = print_screen("records", 160, NULL);
	assert_int_equal(column_of(text, "127.0.0.1:40000"), column_of(text, "Path"));
	free(text);
}

/* A deep tree of long names: each line ends within the terminal, and says how deep it is. */
static void test_deep(void **state)
{
	uint32_t node = 0;
	char *text;

	fixture_init(&fixture);
	fixture_thread(&fixture, "main", 1, 1);
	for (unsigned i = 0; i < FIXTURE_NODES / 2; i++) {
		uint32_t method =
			i < 2 ? fixture_method(&fixture,
					"com.acme.of.a.long.name.and.a.class.LongName$Inner",
					i == 0 ? "one" : "two", "()V")
			      : METHOD_FIRST + i % 2;

		node = fixture_node(&fixture, node, method, 1, 1000000, 1);
	}
	for (unsigned width = 56; width < 200; width += 7) {
		text = print_screen("tree", width, NULL);
		check_lines("tree", width, text);
		free(text);
	}
	text = print_screen("tree", 80, NULL);
	assert_non_null(strstr(text, "> …LongName$Inner.one"));
	free(text);
}

/* Columns that are zero, or the same in every row, are named once and not shown. */
static void test_left_out(void **state)
{
	char *text;

	fixture_small(&fixture);
	text = print_screen("threads", 160, NULL);
	assert_null(strstr(text, "Folded  "));
	assert_non_null(strstr(text, "nothing in: Problems"));
	assert_non_null(strstr(text, "the same in every row: Virtual no, Folded 1"));
	free(text);
	fixture.thread[0].lost = 2;
	fixture.thread[0].pruned = 12000;
	text = print_screen("threads", 160, NULL);
	assert_non_null(strstr(text, "2 lost, 12.0 k folded"));
	free(text);
	text = print_screen("methods", 80, NULL);
	assert_non_null(strstr(text, "no room for: "));
	free(text);
}

/* What the rows have nothing of and those that are left out have, is there. */
static void test_left_out_beside(void **state)
{
	static const char *const columns[] = {"Interp.", "Stub"};
	char *text;

	fixture_sampled(&fixture);
	text = print_top("states", 2, 160, NULL);
	assert_non_null(strstr(text, " more)"));
	for (size_t i = 0; i < COUNT(columns); i++)
		if (!strstr(text, columns[i]) || strstr(text, "the same in every row"))
			fail_msg("%s: %s", columns[i], text);
	free(text);
}

/* Threads that did nothing are one line, on a screen alone; their sums stay. */
static void test_idle_threads(void **state)
{
	static const char *const shown[] = {"tree", "threads"};
	uint32_t method;

	fixture_init(&fixture);
	method = fixture_method(&fixture, "A", "a", "()V");
	fixture_thread(&fixture, "worker", 5, 5);
	fixture_node(&fixture, 0, method, 1, 1000000, 1);
	fixture_thread(&fixture, "idle one", 1000, 0);
	fixture_thread(&fixture, "idle two", 2000, 0);
	for (size_t i = 0; i < COUNT(shown); i++) {
		char *text = print_screen(shown[i], 100, NULL);

		assert_null(strstr(text, "idle one"));
		assert_non_null(strstr(text, "3.00 us"));
		assert_non_null(strstr(text, "(2 threads without calls)\n"));
		free(text);
		text = fixture_print(&fixture, shown[i], "text");
		assert_non_null(strstr(text, "idle one\n"));
		assert_null(strstr(text, "without calls"));
		free(text);
	}
}

static size_t count_lines(const char *text)
{
	size_t lines = 0;

	for (; *text != '\0'; text++)
		lines += *text == '\n';
	return lines;
}

/* Some ten lines, and every row with --all. */
static void test_summary(void **state)
{
	struct report_request request = {
		.view = &view_summary, .format = &format_screen, .width = 80, .all = true};
	struct error error = {0};
	uint64_t violations;
	char *text;

	fixture_small(&fixture);
	text = print_screen("summary", 80, NULL);
	assert_true(count_lines(text) < 14);
	assert_non_null(strstr(text, "\nCalls "));
	assert_null(strstr(text, "Unmatched exits"));
	free(text);
	fixture.thread[0].unmatched = 7;
	text = print_screen("summary", 80, NULL);
	assert_non_null(strstr(text, "Unmatched exits"));
	free(text);
	fixture.thread[0].unmatched = 0;
	text = fixture_report(&fixture, &request, &violations, &error);
	assert_non_null(strstr(text, "Unmatched exits"));
	free(text);
}

/* The default on a terminal fits one of 24 lines, says what the program was, and names the
 * method that used most and the path to it. */
static void test_overview(void **state)
{
	char *text, *methods, *paths;

	fixture_small(&fixture);
	fixture.meta[2] =
		(struct profile_meta){(char *)"java.command", (char *)"com.acme.Main --fast"};
	text = print_screen("overview", 80, NULL);
	assert_true(count_lines(text) <= 24);
	assert_int_equal(strncmp(text, "com.acme.Main --fast\n12.3 ms long; ", 35), 0);
	methods = strstr(text, "Methods by what they used themselves (wall)");
	paths = strstr(text, "Call paths by what they used in all (wall)");
	assert_true(methods != NULL && paths > methods);
	assert_true(
		strstr(methods, "com.acme.Fib.fib") < strstr(methods, "com.acme.Main.main"));
	assert_true(strstr(paths, "com.acme.Main.main") < strstr(paths, "com.acme.Fib.fib"));
	free(text);
}

/* Of ten paths of one weight one is shown where there is room for four; where none has its share there
 * is no heading either. */
static void test_even_paths(void **state)
{
	static const struct {
		int line;
		uint64_t outside; /* of all methods */
		size_t paths;
	} cases[] = {{__LINE__, 0, 1}, {__LINE__, 1000000, 0}};
	static const char *const names[] = {"a", "b", "c", "d", "e", "f", "g", "h", "i", "j"};

	for (size_t i = 0; i < COUNT(cases); i++) {
		size_t found = 0;
		char *text, *paths;

		fixture_init(&fixture);
		fixture_thread(&fixture, "main", cases[i].outside, 0);
		for (size_t m = 0; m < COUNT(names); m++)
			fixture_node(&fixture, 0,
				fixture_method(&fixture, "com.acme.Even", names[m], "()V"), 1,
				100, 0);
		text = print_screen("overview", 80, NULL);
		paths = strstr(text, "Call paths");
		for (char *at = paths; at && (at = strstr(at, "com.acme.Even.")); at++)
			found++;
		if (found != cases[i].paths || !paths != (cases[i].paths == 0))
			fail_msg("line %d: %zu\n%s", cases[i].line, found, text);
		free(text);
	}
}

/* ---- options that choose rows ---- */

static json_t *print_json(const struct report_request *request)
{
	struct error error = {0};
	uint64_t violations;
	char *text = fixture_report(&fixture, request, &violations, &error);
	json_t *report;

	if (text == NULL)
		fail_msg("%s", error.text);
	assert_int_equal(violations, 0);
	report = json_loads(text, JSON_REJECT_DUPLICATES, NULL);
	assert_non_null(report);
	free(text);
	return report;
}

static json_int_t base_wall(json_t *row)
{
	return json_integer_value(json_object_get(json_object_get(row, "base"), "wall"));
}

static const struct option_case {
	int line;
	const char *view, *method, *sort;
	double min;
	uint64_t depth;
	bool merge;
	const char *expected; /* methods of the rows, '-' for a root */
	json_int_t omitted;
} option_cases[] = {
	{__LINE__, "tree", NULL, NULL, 0, 0, false,
		"- main fib fib (folded: memory) fib get - get", 0},
	{__LINE__, "tree", NULL, NULL, 0.5, 0, false, "- main fib fib", 5},
	{__LINE__, "tree", NULL, NULL, 0.5, 2, false, "- main fib", 6},
	{__LINE__, "tree", NULL, NULL, 0, 1, false, "- main - get", 5},
	{__LINE__, "tree", "com.acme.Fib", NULL, 0, 0, false,
		"- main fib fib (folded: memory) fib", 3},
	{__LINE__, "tree", "com.acme.Box.get", NULL, 0, 0, false, "- main get - get", 4},
	{__LINE__, "tree", NULL, NULL, 0, 0, true,
		"- main fib fib (folded: memory) fib get get", 0},
	{__LINE__, "tree", "*.get", "cum.alloc", 0, 0, true, "- get main get", 4},
	{__LINE__, "methods", NULL, NULL, 0.2, 0, false, "fib (folded: memory)", 3},
	{__LINE__, "methods", NULL, "self.wall", 0.2, 0, false, "fib (folded: memory)", 3},
	{__LINE__, "methods", NULL, "total", 0.5, 0, false, "main fib", 3},
	{__LINE__, "methods", "com.acme.Box", NULL, 0, 0, false, "get get", 3},
	{__LINE__, "methods", "com.acme.Box", NULL, 0.01, 0, false, "get", 4},
	{__LINE__, "methods", NULL, NULL, 0, 0, true, "fib (folded: memory) main get get", 0},
};

static void run_option(const struct option_case *row)
{
	struct report_request request = {.view = view_find(row->view),
		.format = format_find("json"),
		.sort = row->sort,
		.min = row->min,
		.depth = row->depth,
		.choice.merge_threads = row->merge};
	char methods[512] = "";
	json_t *report, *each, *omitted;
	json_int_t sum = 0;
	size_t i;

	if (row->method != NULL)
		assert_int_equal(pattern_list_add(&request.choice.methods, row->method), 0);
	report = print_json(&request);
	pattern_list_fini(&request.choice.methods);
	json_array_foreach(json_object_get(report, "rows"), i, each)
	{
		const char *name = json_string_value(json_object_get(each, "method"));

		snprintf(methods + strlen(methods), sizeof(methods) - strlen(methods), "%s%s",
			i > 0 ? " " : "", name != NULL ? name : "-");
		sum += base_wall(each);
	}
	if (strcmp(methods, row->expected) != 0)
		fail_msg("line %d: %s", row->line, methods);
	omitted = json_object_get(report, "omitted");
	assert_int_equal(json_integer_value(json_object_get(omitted, "rows")), row->omitted);
	sum += base_wall(omitted) + base_wall(json_object_get(report, "outside"));
	if ((uint64_t)sum != fixture.thread[0].total[0] + fixture.thread[1].total[0])
		fail_msg("line %d: sums to %lld", row->line, (long long)sum);
	json_decref(report);
}

/* Whatever is chosen: what is printed and what is summed up are the threads' totals. */
static void test_options(void **state)
{
	fixture_small(&fixture);
	for (size_t i = 0; i < COUNT(option_cases); i++)
		run_option(&option_cases[i]);
}

/* Of a metric that nobody used every row has its share. */
static void test_min_of_nothing(void **state)
{
	struct report_request request = {
		.view = view_find("methods"), .format = format_find("json"), .min = 0.01};
	json_t *report;

	fixture_init(&fixture);
	fixture_thread(&fixture, "main", 0, 0);
	fixture_node(
		&fixture, 0, fixture_method(&fixture, "com.acme.Main", "main", "()V"), 1, 0, 0);
	report = print_json(&request);
	assert_int_equal(json_array_size(json_object_get(report, "rows")), 1);
	json_decref(report);
}

static void test_callers_of(void **state)
{
	struct report_request request = {
		.view = view_find("callers"), .format = format_find("json")};
	json_t *report, *self;

	fixture_small(&fixture);
	assert_int_equal(pattern_list_add(&request.choice.methods, "com.acme.Fib.fib"), 0);
	report = print_json(&request);
	pattern_list_fini(&request.choice.methods);
	assert_int_equal(json_array_size(json_object_get(report, "rows")), 1);
	self = json_object_get(json_array_get(json_object_get(report, "rows"), 0), "self");
	assert_string_equal(json_string_value(json_object_get(self, "method")), "fib");
	json_decref(report);
}

/* The same path in many threads is one node, with the sums of all. */
static void test_merged(void **state)
{
	struct report_request request = {.view = &view_tree,
		.format = format_find("json"),
		.choice.merge_threads = true};
	json_t *report, *row;
	uint32_t method, at;

	fixture_init(&fixture);
	method = fixture_method(&fixture, "A", "a", "()V");
	for (unsigned t = 0; t < FIXTURE_THREADS; t++) {
		fixture_thread(&fixture, "worker", 1, 0);
		at = fixture_node(&fixture, 0, method, 10, 100, 7);
		fixture_node(&fixture, at, method, 1 + t, 1000, 8);
	}
	report = print_json(&request);
	assert_int_equal(json_array_size(json_object_get(report, "rows")), 3);
	row = json_array_get(json_object_get(report, "rows"), 0);
	assert_string_equal(json_string_value(json_object_get(row, "thread")), "(all threads)");
	assert_int_equal(base_wall(row), FIXTURE_THREADS);
	row = json_array_get(json_object_get(report, "rows"), 2);
	assert_int_equal(base_wall(row), 1000 * FIXTURE_THREADS);
	assert_int_equal(json_integer_value(json_object_get(row, "calls")),
		FIXTURE_THREADS * (FIXTURE_THREADS + 1) / 2);
	assert_int_equal(json_integer_value(json_object_get(row, "recursion")), 1);
	json_decref(report);
}

/* The figures of merged threads are the sums of adjusted ones. */
static void test_merged_adjusted(void **state)
{
	struct adjustment adjustment;
	struct report_request request = {.view = view_find("methods"),
		.format = format_find("json"),
		.choice.adjustment = &adjustment};
	json_t *apart, *merged;

	fixture_small(&fixture);
	fixture_deltas(&fixture);
	fixture_adjust(&fixture, &adjustment);
	apart = print_json(&request);
	request.choice.merge_threads = true;
	merged = print_json(&request);
	assert_true(json_equal(apart, merged));
	json_decref(apart);
	json_decref(merged);
	adjustment_fini(&adjustment);
}

/* A long list is as long as the terminal, unless the user says so, and its last line what is left; data have all. */
static void test_long_list(void **state)
{
	static struct profile_class class[40];
	struct report_request request = {.view = view_find("classes"),
		.format = &format_screen,
		.width = 80,
		.height = 30,
		.min = -1};
	struct error error = {0};
	uint64_t violations;
	uint32_t name;
	json_t *report;
	char *text;

	fixture_small(&fixture);
	name = fixture_method(&fixture, "com.acme.Loaded", "", "");
	for (uint32_t i = 0; i < COUNT(class); i++)
		class[i] = (struct profile_class){
			.id = i + 1, .name = name, .loaded = i, .ns = 1000 + i};
	fixture.profile.class = class;
	fixture.profile.class_count = COUNT(class);
	for (unsigned top = 0; top < 20; top += 12) {
		request.top = top;
		text = fixture_report(&fixture, &request, &violations, &error);
		assert_non_null(strstr(text, top ? "(28 more)" : "(24 more: --top N)"));
		free(text);
	}
	request.top = 0;
	request.height = 0;
	text = fixture_report(&fixture, &request, &violations, &error);
	assert_null(strstr(text, "more"));
	free(text);
	request.height = 30;
	request.format = format_find("json");
	report = print_json(&request);
	assert_int_equal(json_array_size(json_object_get(report, "rows")), COUNT(class));
	json_decref(report);
}

/* What pauses took of a node is a row below it, and no more than the node had: all rows still come to what the threads used,
 * whatever rows are shown. What stopped a path that samples alone have found is of the one above that was timed. */
static void test_gc_rows(void **state)
{
	static const uint64_t tops[] = {0, 3};
	/* By the node above. */
	static const int expected[] = {0, 300000, 500000, 0, 20000};
	struct report_request request = {
		.view = &view_tree, .format = format_find("json"), .gc = true};

	for (unsigned variant = 0; variant < 2 * COUNT(tops); variant++) {
		json_t *report, *row;
		json_int_t sum = 0, paused = 0;
		size_t i;

		fixture_small(&fixture);
		/* Of main; of get all that it has; of an inner fib that is sampled. */
		fixture.profile.thread_count--;
		fixture_io(&fixture, 1, 0, PAUSES, 300, 0);
		fixture_io(&fixture, 2, 0, PAUSES, 4000, 0);
		fixture_io(&fixture, 5, 0, PAUSES, 20, 0);
		fixture.node[5].sampled = true;
		fixture.profile.thread_count++;
		request.top = tops[variant / 2];
		request.choice.merge_threads = variant % 2;
		report = print_json(&request);
		json_array_foreach(json_object_get(report, "rows"), i, row)
		{
			sum += base_wall(row);
			if (!json_is_null(json_object_get(row, "id")))
				continue;
			assert_string_equal(
				json_string_value(json_object_get(row, "method")), "(gc)");
			assert_true(json_is_null(json_object_get(row, "calls")));
			assert_int_equal(base_wall(row),
				expected[json_integer_value(json_object_get(row, "parent"))]);
			paused += base_wall(row);
		}
		sum += base_wall(json_object_get(report, "omitted"));
		if ((uint64_t)sum != fixture.thread[0].total[0] + fixture.thread[1].total[0] -
					     fixture.base[5][0])
			fail_msg("variant %u: sums to %lld", variant, (long long)sum);
		assert_int_equal(paused, request.top == 0 ? 820000 : 300000);
		json_decref(report);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_figures),
		cmocka_unit_test(test_percents),
		cmocka_unit_test(test_names),
		cmocka_unit_test(test_screens),
		cmocka_unit_test(test_wide_letters),
		cmocka_unit_test(test_deep),
		cmocka_unit_test(test_left_out),
		cmocka_unit_test(test_left_out_beside),
		cmocka_unit_test(test_idle_threads),
		cmocka_unit_test(test_summary),
		cmocka_unit_test(test_samples),
		cmocka_unit_test(test_lock_names),
		cmocka_unit_test(test_waits),
		cmocka_unit_test(test_uneven_samples),
		cmocka_unit_test(test_overview),
		cmocka_unit_test(test_even_paths),
		cmocka_unit_test(test_options),
		cmocka_unit_test(test_min_of_nothing),
		cmocka_unit_test(test_callers_of),
		cmocka_unit_test(test_merged),
		cmocka_unit_test(test_merged_adjusted),
		cmocka_unit_test(test_long_list),
		cmocka_unit_test(test_gc_rows),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
