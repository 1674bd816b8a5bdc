/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/* What reports look like: texts as kept in golden/, JSON, CSV, and what options change. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <fcntl.h>
#include <unistd.h>

#include <cmocka.h>
#include <jansson.h>

#include "error/harmless.h"
#include "native-tests/report/fixture.h"

static struct fixture fixture;

/* ---- golden texts ---- */

/* With JPROF_GOLDEN=write in the environment the files are made anew: read the difference. */
static void check_golden(const char *name, const char *text)
{
	char path[4096], kept[65536];
	size_t length;
	FILE *file;

	snprintf(path, sizeof(path), GOLDEN "/%s", name);
	if (getenv("JPROF_GOLDEN") != NULL) {
		file = fopen(path, "w");
		assert_non_null(file);
		fputs(text, file);
		fclose(file);
		return;
	}
	file = fopen(path, "r");
	assert_non_null(file);
	length = fread(kept, 1, sizeof(kept) - 1, file);
	kept[length] = '\0';
	fclose(file);
	assert_string_equal(text, kept);
}

static void test_golden_texts(void **state)
{
	fixture_small(&fixture);
	for (size_t v = 0; v < view_count; v++) {
		for (size_t f = 0; f < format_count; f++) {
			char *text = fixture_print(&fixture, views[v]->name, formats[f]->name);
			char name[64];

			snprintf(name, sizeof(name), "%s.%s", views[v]->name, formats[f]->name);
			check_golden(name, text);
			free(text);
		}
	}
}

/* Of what is adjusted, the views that show it. */
static void test_golden_adjusted(void **state)
{
	struct adjustment adjustment;

	fixture_small(&fixture);
	fixture_deltas(&fixture);
	fixture_adjust(&fixture, &adjustment);
	for (size_t v = 0; v < view_count; v++) {
		for (size_t f = 0; f < format_count && views[v]->adjusts; f++) {
			char *text = fixture_print_adjusted(
				&fixture, views[v]->name, formats[f]->name, &adjustment);
			char name[64];

			snprintf(name, sizeof(name), "adjusted-%s.%s", views[v]->name,
				formats[f]->name);
			check_golden(name, text);
			free(text);
		}
	}
	adjustment_fini(&adjustment);
}

/* The views that show samples: of a program of which they alone tell, and of one whose calls were seen. */
static void test_golden_sampled(void **state)
{
	static const char *const shown[] = {"overview", "summary", "tree", "methods", "callers",
		"components", "threads", "lines", "states"};

	for (int mixed = 0; mixed < 2; mixed++) {
		(mixed ? fixture_mixed : fixture_sampled)(&fixture);
		for (size_t v = 0; v < sizeof(shown) / sizeof(shown[0]); v++) {
			for (size_t f = 0; f < format_count; f++) {
				char *text =
					fixture_print(&fixture, shown[v], formats[f]->name);
				char name[64];

				snprintf(name, sizeof(name), "%s-%s.%s",
					mixed ? "mixed" : "sampled", shown[v],
					formats[f]->name);
				check_golden(name, text);
				free(text);
			}
		}
	}
}

/* The views that show virtual threads otherwise than others. */
static void test_golden_virtual(void **state)
{
	static const char *const shown[] = {"summary", "threads", "tree"};

	fixture_virtual(&fixture);
	for (size_t v = 0; v < sizeof(shown) / sizeof(shown[0]); v++) {
		for (size_t f = 0; f < format_count; f++) {
			char *text = fixture_print(&fixture, shown[v], formats[f]->name);
			char name[64];

			snprintf(name, sizeof(name), "virtual-%s.%s", shown[v],
				formats[f]->name);
			check_golden(name, text);
			free(text);
		}
	}
}

/* The views of locks, where there was something to tell. */
static void test_golden_waits(void **state)
{
	static const char *const shown[] = {"locks", "waits", "wait-pairs", "long-waits"};

	fixture_waits(&fixture);
	for (size_t v = 0; v < sizeof(shown) / sizeof(shown[0]); v++) {
		for (size_t f = 0; f < format_count; f++) {
			char *text = fixture_print(&fixture, shown[v], formats[f]->name);
			char name[64];

			snprintf(name, sizeof(name), "waiting-%s.%s", shown[v],
				formats[f]->name);
			check_golden(name, text);
			free(text);
		}
	}
}

/* An older agent counted mounts of virtual threads, and recorded none of them. */
static void test_mounts_not_recorded(void **state)
{
	char *text;

	fixture_small(&fixture);
	fixture.meta[fixture.profile.meta_count++] =
		(struct profile_meta){(char *)"virtual.mounts", (char *)"1234"};
	text = fixture_print(&fixture, "summary", "text");
	assert_non_null(strstr(text, "\nMounts of virtual threads, not recorded  1,234\n"));
	assert_null(strstr(text, "Virtual threads"));
	free(text);
}

/* What a summary says of the interval that is shown. */
static void test_interval(void **state)
{
	struct profile_interval *interval = &fixture.profile.interval;
	char *text;

	fixture_small(&fixture);
	*interval = (struct profile_interval){.from = &fixture.snapshot[0],
		.to = &fixture.snapshot[1],
		.begin = 2000000,
		.end = 9000000,
		.clamped = 3};
	text = fixture_print(&fixture, "summary", "csv");
	assert_non_null(strstr(text, "interval.from,\"warm \"\"1\"\"\"\n"
				     "interval.to,reset1\n"
				     "interval.duration,7000000\n"
				     "interval.clamped,3\n"));
	free(text);
	*interval = (struct profile_interval){.from = &fixture.snapshot[1], .begin = 9000000};
	text = fixture_print(&fixture, "summary", "csv");
	assert_non_null(strstr(text, "interval.from,reset1\ninterval.to,(end)\nthreads,"));
	free(text);
	*interval = (struct profile_interval){.to = &fixture.snapshot[0], .end = 2000000};
	text = fixture_print(&fixture, "summary", "csv");
	assert_non_null(strstr(text, "interval.from,(begin)\n"));
	free(text);
}

static void test_empty_profile(void **state)
{
	fixture_init(&fixture);
	for (size_t v = 0; v < view_count; v++) {
		for (size_t f = 0; f < format_count; f++)
			free(fixture_print(&fixture, views[v]->name, formats[f]->name));
	}
	fixture.profile.metric_count = 0;
	fixture_thread(&fixture, "main", 0, 0);
	for (size_t v = 0; v < view_count; v++) {
		for (size_t f = 0; f < format_count; f++)
			free(fixture_print(&fixture, views[v]->name, formats[f]->name));
	}
}

/* ---- what the user may ask for: a row each ---- */

static const struct request_case {
	int line;
	const char *view, *metrics, *sort;
	uint64_t top;
	const char *thread;
	/* the CSV's column `column`, rows joined by ';'; NULL: refused */
	const char *expected;
	unsigned column;
} request_cases[] = {
	{__LINE__, "methods", NULL, "calls", 0, NULL, "1234567;7;7;3;1", 5},
	{__LINE__, "methods", NULL, "calls", 2, NULL, "1234567;7", 5},
	{__LINE__, "methods", NULL, "calls", 99, NULL, "1234567;7;7;3;1", 5},
	{__LINE__, "methods", NULL, "cum.alloc", 3, NULL, "get;main;fib", 1},
	{__LINE__, "methods", NULL, "base.alloc", 1, NULL, "get", 1},
	{__LINE__, "methods", NULL, "entered.jitted", 1, NULL, "(folded: memory)", 1},
	{__LINE__, "methods", "alloc", "cum", 2, NULL, "get;main", 1},
	{__LINE__, "methods", "alloc+wall", "cum", 2, NULL, "get;main", 1},
	{__LINE__, "methods", "wall+alloc", "cum", 2, NULL, "main;fib", 1},
	{__LINE__, "methods", NULL, "name", 0, NULL, "(folded: memory);get;get;fib;main", 1},
	{__LINE__, "methods", NULL, "class", 2, NULL, "(folded: memory);get", 1},
	{__LINE__, "methods", NULL, NULL, 0, "work*", "get", 1},
	{__LINE__, "methods", NULL, NULL, 0, "*", "fib;(folded: memory);main;get;get", 1},
	{__LINE__, "methods", NULL, NULL, 0, "nobody", NULL, 0},
	{__LINE__, "methods", "cycles", NULL, 0, NULL, NULL, 0},
	{__LINE__, "methods", "", NULL, 0, NULL, NULL, 0},
	{__LINE__, "methods", NULL, "colour", 0, NULL, NULL, 0},
	{__LINE__, "methods", NULL, "base.cpu", 0, NULL, NULL, 0},
	{__LINE__, "methods", "alloc", "base.wall", 0, NULL, NULL, 0},
	{__LINE__, "summary", NULL, "key", 0, NULL, NULL, 0},
	{__LINE__, "snapshots", NULL, NULL, 0, NULL, "mark;snapshot;mark;reset", 1},
	{__LINE__, "snapshots", NULL, NULL, 0, "ma*", "mark;snapshot;reset", 1},
	{__LINE__, "snapshots", NULL, "kind", 2, NULL, "mark;mark", 1},
	{__LINE__, "threads", NULL, NULL, 0, NULL, "1;2", 2},
	{__LINE__, "threads", NULL, "total", 0, NULL, "1;2", 2},
	{__LINE__, "threads", NULL, "total.alloc", 0, NULL, "2;1", 2},
	{__LINE__, "threads", NULL, "thread", 1, NULL, "1", 2},
	{__LINE__, "tree", NULL, NULL, 0, NULL, "0;1;3;4;6;5;2;7;8", 0},
	{__LINE__, "tree", NULL, "id", 0, NULL, "0;1;2;3;4;5;6;7;8", 0},
	{__LINE__, "tree", NULL, "calls", 0, NULL, "0;1;2;3;4;6;5;7;8", 0},
	/* What leads to a chosen row is shown too. */
	{__LINE__, "tree", NULL, "calls", 1, NULL, "0;1;3;4;6", 0},
	{__LINE__, "tree", NULL, NULL, 3, NULL, "0;1;3", 0},
	{__LINE__, "tree", NULL, NULL, 0, "worker*", "7;8", 0},
	{__LINE__, "callers", NULL, NULL, 1, NULL, "caller;self;callee;callee", 1},
};

/* The columns joined; fields of these cases hold no commas within quotes before them. */
static void pick_column(char *csv, unsigned column, char *picked)
{
	char *line = csv;

	picked[0] = '\0';
	while ((line = strchr(line, '\n')) != NULL && *++line != '\0') {
		const char *field = line;

		for (unsigned i = 0; i < column; i++)
			field += strcspn(field, ",") + 1;
		if (picked[0] != '\0')
			strcat(picked, ";");
		strncat(picked, field, strcspn(field, ",\n"));
	}
}

static void run_case(const struct request_case *row)
{
	struct report_request request = {.view = view_find(row->view),
		.format = format_find("csv"),
		.choice.metrics = row->metrics,
		.sort = row->sort,
		.top = row->top};
	struct error error = {0};
	uint64_t violations;
	char picked[4096] = "", *text;

	if (row->thread != NULL)
		assert_int_equal(pattern_list_add(&request.choice.threads, row->thread), 0);
	text = fixture_report(&fixture, &request, &violations, &error);
	pattern_list_fini(&request.choice.threads);
	if (text != NULL)
		pick_column(text, row->column, picked);
	if ((text == NULL) != (row->expected == NULL) ||
		(text != NULL && strcmp(picked, row->expected) != 0))
		fail_msg("line %d: '%s' instead of '%s' %s", row->line, picked,
			row->expected != NULL ? row->expected : "a refusal", error.text);
	if (row->expected == NULL)
		assert_true(error.text[0] != '\0');
	free(text);
}

static void test_requests(void **state)
{
	fixture_small(&fixture);
	for (size_t i = 0; i < sizeof(request_cases) / sizeof(request_cases[0]); i++)
		run_case(&request_cases[i]);
}

static const struct request_case virtual_cases[] = {
	{__LINE__, "threads", NULL, NULL, 0, "(virtual threads)", "(virtual threads)", 0},
	{__LINE__, "threads", NULL, NULL, 0, "(virtual thread)", "(virtual thread)", 0},
	{__LINE__, "threads", NULL, NULL, 0, "(virtual*", "(virtual threads);(virtual thread)",
		0},
	{__LINE__, "threads", NULL, NULL, 0, "request-*", "request-*", 0},
	{__LINE__, "threads", NULL, NULL, 0, "", NULL, 0},
	{__LINE__, "threads", NULL, "mounts", 2, NULL, "(virtual threads);(virtual thread)", 0},
	{__LINE__, "threads", NULL, "carrier_time", 1, NULL, "(virtual threads)", 0},
	{__LINE__, "tree", NULL, NULL, 0, "(virtual threads)", "9;10", 0},
	{__LINE__, "methods", NULL, NULL, 0, "(virtual threads)", "run", 1},
};

static void test_virtual_requests(void **state)
{
	fixture_virtual(&fixture);
	for (size_t i = 0; i < sizeof(virtual_cases) / sizeof(virtual_cases[0]); i++)
		run_case(&virtual_cases[i]);
}

/* Printed bases and what was left out are the threads' totals. */
static void test_omitted_adds_up(void **state)
{
	struct report_request request = {
		.view = view_find("tree"), .format = format_find("json"), .top = 2};
	struct error error = {0};
	uint64_t violations, sum = 0;
	json_t *report, *row, *omitted;
	size_t i;
	char *text;

	fixture_small(&fixture);
	text = fixture_report(&fixture, &request, &violations, &error);
	assert_non_null(text);
	report = json_loads(text, JSON_REJECT_DUPLICATES, NULL);
	assert_non_null(report);
	json_array_foreach(json_object_get(report, "rows"), i, row) sum +=
		(uint64_t)json_integer_value(
			json_object_get(json_object_get(row, "base"), "wall"));
	omitted = json_object_get(report, "omitted");
	sum += (uint64_t)json_integer_value(
		json_object_get(json_object_get(omitted, "base"), "wall"));
	assert_int_equal(json_integer_value(json_object_get(omitted, "rows")), 7);
	assert_int_equal(sum, fixture.thread[0].total[0] + fixture.thread[1].total[0]);
	json_decref(report);
	free(text);
}

static json_int_t io_ops(json_t *row)
{
	return json_integer_value(
		json_object_get(json_object_get(json_object_get(row, "base"), "all"), "ops"));
}

/* Every operation of the I/O tree is in a row, or among those left out. */
static void test_omitted_io_adds_up(void **state)
{
	struct report_request request = {
		.view = view_find("io-tree"), .format = format_find("json")};
	struct error error = {0};
	uint64_t violations;
	json_int_t all = 0, sum;
	json_t *report, *row;
	size_t i;
	char *text;

	fixture_small(&fixture);
	for (request.top = 0; request.top < 4; request.top++) {
		text = fixture_report(&fixture, &request, &violations, &error);
		assert_non_null(text);
		report = json_loads(text, JSON_REJECT_DUPLICATES, NULL);
		assert_non_null(report);
		sum = io_ops(json_object_get(report, "omitted"));
		json_array_foreach(json_object_get(report, "rows"), i, row) sum += io_ops(row);
		if (request.top == 0)
			all = sum;
		assert_true(all > 0 && sum == all);
		json_decref(report);
		free(text);
	}
}

/* ---- names that are hard to print ---- */

static const struct name_case {
	int line;
	const char *name;
	const char *json; /* what a JSON parser gets from it */
	const char *text; /* what people see */
	const char *csv;
} name_cases[] = {
	{__LINE__, "plain", "plain", "plain", "plain"},
	{__LINE__, "a\"b\\c", "a\"b\\c", "a\"b\\c", "\"a\"\"b\\c\""},
	{__LINE__, "a,b", "a,b", "a,b", "\"a,b\""},
	{__LINE__,
		"a\nb\tc\x01"
		"d\x7f",
		"a\nb\tc\x01"
		"d\x7f",
		"a\\u000ab\\u0009c\\u0001d\\u007f", "a\\u000ab\\u0009c\\u0001d\\u007f"},
	{__LINE__, "a\n,\"\"b\"", "a\n,\"\"b\"", "a\\u000a,\"\"b\"",
		"\"a\\u000a,\"\"\"\"b\"\"\""},
	{__LINE__, "\033[31m", "\033[31m", "\\u001b[31m", "\\u001b[31m"},
	{__LINE__,
		"a\xe2\x80\xae"
		"b",
		"a\xe2\x80\xae"
		"b",
		"a\\u202eb", "a\\u202eb"},
	{__LINE__, "gr\xc3\xbc\xc3\x9f", "gr\xc3\xbc\xc3\x9f", "gr\xc3\xbc\xc3\x9f",
		"gr\xc3\xbc\xc3\x9f"},
	{__LINE__,
		"x\xc2\x9b"
		"y",
		"x\xc2\x9b"
		"y",
		"x\\u009by", "x\\u009by"},
	{__LINE__, "\xf0\x9f\x98\x80", "\xf0\x9f\x98\x80", "\xf0\x9f\x98\x80",
		"\xf0\x9f\x98\x80"},
	{__LINE__, "", "", "", "\"\""},
	/* What a spreadsheet would work out. */
	{__LINE__, "=1+1", "=1+1", "=1+1", "'=1+1"},
	{__LINE__, "@a,b", "@a,b", "@a,b", "\"'@a,b\""},
	{__LINE__, "-x", "-x", "-x", "'-x"},
	{__LINE__, "+x", "+x", "+x", "'+x"},
	{__LINE__, "x=1", "x=1", "x=1", "x=1"},
	{__LINE__, "\t=1", "\t=1", "\\u0009=1", "\\u0009=1"},
	{__LINE__, "\r@x", "\r@x", "\\u000d@x", "\\u000d@x"},
	/* A fullwidth sign, which some take for the plain one. */
	{__LINE__,
		"\xef\xbc\x9d"
		"1",
		"\xef\xbc\x9d"
		"1",
		"\xef\xbc\x9d"
		"1",
		"'\xef\xbc\x9d"
		"1"},
};

static void check_contains(const struct name_case *row, const char *text, const char *wanted)
{
	if (strstr(text, wanted) == NULL)
		fail_msg("line %d: no '%s' in:\n%s", row->line, wanted, text);
}

static void run_name(const struct name_case *row)
{
	char wanted[256];
	char *text;
	json_t *report, *first;

	fixture_init(&fixture);
	fixture_thread(&fixture, row->name, 1, 1);
	text = fixture_print(&fixture, "threads", "json");
	report = json_loads(text, JSON_REJECT_DUPLICATES | JSON_ALLOW_NUL, NULL);
	if (report == NULL)
		fail_msg("line %d: not JSON", row->line);
	first = json_array_get(json_object_get(report, "rows"), 0);
	if (strcmp(json_string_value(json_object_get(first, "thread")), row->json) != 0)
		fail_msg("line %d: '%s'", row->line,
			json_string_value(json_object_get(first, "thread")));
	json_decref(report);
	free(text);
	text = fixture_print(&fixture, "threads", "text");
	snprintf(wanted, sizeof(wanted), "  %s\n", row->text);
	check_contains(row, text, wanted);
	free(text);
	text = fixture_print(&fixture, "threads", "csv");
	snprintf(wanted, sizeof(wanted), "\n%s,10,1,100,", row->csv);
	check_contains(row, text, wanted);
	free(text);
}

static void test_names(void **state)
{
	for (size_t i = 0; i < sizeof(name_cases) / sizeof(name_cases[0]); i++)
		run_name(&name_cases[i]);
}

/* Folded stacks: the names on the way to each node, and its first metric. */
static int walk_tree(const struct model *model, struct out *out)
{
	struct link *link = links_make(model, NULL, 0);
	union model_value base[MODEL_VALUES_MAX];
	uint32_t path[64];

	for (size_t k = 0; link && k < model->node_count; k++) {
		const struct profile_node *node = &model->profile->node[model->node[k]];
		struct walk walk = walk_from(model, link, model->node[k]);
		bool more = node->id == 0;

		for (; more; more = walk_next(&walk)) {
			path[walk.level] = model->profile->node[walk.at].method;
			out_text(out, model->thread[node->thread].text);
			for (uint32_t i = 1; i <= walk.level; i++) {
				out_char(out, ';');
				out_text(out, model->method[path[i]].name.text);
			}
			model_base(model, walk.at, base);
			out_char(out, ' ');
			out_number(out, base[0].count);
			out_char(out, '\n');
		}
	}
	return link ? 0 : -1;
}

/* A format may go without a view, and has what was chosen all the same. */
static void test_walking_format(void **state)
{
	const struct format folded = {.name = "folded", .walk = walk_tree};
	struct report_request request = {.view = &view_tree, .format = &folded};
	struct error error = {0};
	uint64_t violations;
	char *text;

	fixture_init(&fixture);
	uint32_t run = fixture_method(&fixture, "A", "run", "()V");
	uint32_t work = fixture_method(&fixture, "A", "work", "()V");
	fixture_thread(&fixture, "left", 5, 0);
	fixture_node(&fixture, 0, run, 1, 1, 1);
	fixture_thread(&fixture, "main", 100, 0);
	uint32_t outer = fixture_node(&fixture, 0, run, 1, 20, 1);
	fixture_node(&fixture, outer, work, 2, 3, 1);
	fixture_node(&fixture, outer, run, 1, 4, 1);
	pattern_list_add(&request.choice.threads, "m*");
	text = fixture_report(&fixture, &request, &violations, &error);
	assert_string_equal(text, "main 100\nmain;run 20\nmain;run;work 3\nmain;run;run 4\n");
	pattern_list_fini(&request.choice.threads);
	free(text);
}

/* Each text field of a profile in turn: what is printed of it, in each view, may be shown
 * on a terminal. */
static void check_harmless(const char *field, const char *view, const char *format)
{
	char *text = fixture_print(&fixture, view, format), *line = text, *end;

	for (; (end = strchr(line, '\n')) != NULL; line = end + 1) {
		size_t length = (size_t)(end - line), span = harmless_span(line, length);

		if (span < length)
			fail_msg("%s, %s, %s: byte %zu of: %.*s", field, view, format, span,
				(int)length, line);
	}
	assert_int_equal(*line, '\0');
	free(text);
}

/* The same on a screen, where lines end within the terminal, too; and as data for programs. */
static void check_screen(const char *field, const char *view)
{
	struct report_request request = {
		.view = view_find(view), .format = &format_screen, .width = 80, .min = -1};
	struct error error = {0};
	uint64_t violations;
	char *text = fixture_report(&fixture, &request, &violations, &error), *line = text,
	     *end;

	assert_non_null(text);
	for (; (end = strchr(line, '\n')) != NULL; line = end + 1) {
		size_t length = (size_t)(end - line);

		if (harmless_span(line, length) < length || out_width(line, length) > 80)
			fail_msg("%s, %s, screen: %.*s", field, view, (int)length, line);
	}
	free(text);
}

static void check_json(const char *field, const char *view)
{
	char *text = fixture_print(&fixture, view, "json");
	json_error_t error;
	json_t *report = json_loads(text, JSON_REJECT_DUPLICATES | JSON_ALLOW_NUL, &error);

	if (!report)
		fail_msg("%s, %s: %s: %s", field, view, error.text, text);
	json_decref(report);
	free(text);
}

/* A name of 100 KB is whole in data and in a pipe, and cut on a screen. */
static void test_endless_names(void **state)
{
	enum { LENGTH = 100 * 1024 };
	static const char *const pieces[] = {
		"x", "\x1b", "ab.", "\xe4\xbc\x9a", "\xe2\x80\xae", "a b "};
	char *name = malloc(LENGTH + 8);

	assert_non_null(name);
	for (size_t p = 0; p < sizeof(pieces) / sizeof(*pieces); p++) {
		size_t length = 0;

		for (; length < LENGTH; length += strlen(pieces[p]))
			memcpy(name + length, pieces[p], strlen(pieces[p]) + 1);
		fixture_small(&fixture);
		fixture.method[METHOD_FIRST].class_name = name;
		fixture.method[METHOD_FIRST + 1].name = name;
		fixture.thread[0].name = name;
		fixture.file[0].name = name;
		fixture.file[4].peer = name;
		fixture.mark[0].name = name;
		fixture.meta[2].value = name;
		fixture.profile.meta_count = 4;
		fixture.meta[3] = (struct profile_meta){"java.command", name};
		for (size_t v = 0; v < view_count; v++) {
			char *text;

			check_screen(pieces[p], views[v]->name);
			check_json(pieces[p], views[v]->name);
			check_harmless(pieces[p], views[v]->name, "csv");
			text = fixture_print(&fixture, "threads", "json");
			assert_true(strlen(text) > LENGTH);
			free(text);
		}
	}
	free(name);
}

static void test_hostile_names(void **state)
{
	static const char *const hostile[] = {"a\n\x1b[2J\x7f",
		"b\xc2\x9b"
		"31m",
		"c\x9b"
		"31m",
		"d\xe2\x80\xae\xe2\x80\x8f", "e\xe2\x81\xa6\xd8\x9c\xe2\x80\x8b",
		"\xed\xa0\xbd", "f\xf3\xa0\x80\x81\xe2\x80\xa8"};
	struct {
		const char *name;
		const char **text;
	} fields[] = {
		{"class", &fixture.method[METHOD_FIRST].class_name},
		{"method", &fixture.method[METHOD_FIRST].name},
		{"signature", &fixture.method[METHOD_FIRST + 2].signature},
		{"thread", &fixture.thread[0].name},
		{"fact", (const char **)&fixture.meta[2].key},
		{"its value", (const char **)&fixture.meta[2].value},
		{"known fact", (const char **)&fixture.meta[0].value},
		{"metric", &fixture.profile.metric[0].name},
		{"unit", &fixture.profile.metric[0].unit},
		{"how", &fixture.profile.metric[0].how},
		{"file", &fixture.file[0].name},
		{"archive", &fixture.file[2].peer},
		{"entry", &fixture.file[2].name},
		{"host", &fixture.file[3].name},
		{"local address", &fixture.file[4].name},
		{"remote address", &fixture.file[4].peer},
		{"opener", &fixture.file[0].opened_by},
		{"note of a file", &fixture.file[1].note},
		{"thread of records", &fixture.record_thread.name},
		{"snapshot", &fixture.snapshot[0].label},
		{"mark", &fixture.mark[0].name},
		{"thread of a mark", &fixture.mark[0].thread},
	};

	for (size_t i = 0; i < sizeof(fields) / sizeof(fields[0]); i++) {
		for (size_t h = 0; h < sizeof(hostile) / sizeof(hostile[0]); h++) {
			fixture_small(&fixture);
			*fields[i].text = hostile[h];
			for (size_t v = 0; v < view_count; v++) {
				check_harmless(fields[i].name, views[v]->name, "text");
				check_harmless(fields[i].name, views[v]->name, "csv");
				check_screen(fields[i].name, views[v]->name);
				check_json(fields[i].name, views[v]->name);
			}
		}
	}
}

/* What tells methods of one name apart is shown, and only then. */
static void test_overloads(void **state)
{
	static const char *const wanted[] = {"  A.one\n", "  A.two(int)\n",
		"  A.two(long[][],String)\n", "  A.two(long[][],)\n", "  B.two\n",
		"  A.bridge():Object\n", "  A.bridge():String\n", "  A.same\n",
		"  C.twice(int)\n", "  C.twice(long)\n"};
	char *text;

	fixture_init(&fixture);
	fixture_method(&fixture, "A", "one", "(I)V");
	fixture_method(&fixture, "A", "two", "(I)V");
	fixture_method(&fixture, "A", "two", "([[JLjava/lang/String;)V");
	fixture_method(&fixture, "A", "two", "([[JL");
	fixture_method(&fixture, "B", "two", "(I)V");
	fixture_method(&fixture, "A", "bridge", "()Ljava/lang/Object;");
	fixture_method(&fixture, "A", "bridge", "()Ljava/lang/String;");
	fixture_method(&fixture, "A", "same", "()V");
	fixture_method(&fixture, "A", "same", "()V");
	fixture_method(&fixture, "C", "twice", "(I)V");
	fixture_method(&fixture, "C", "twice", "(I)V");
	fixture_method(&fixture, "C", "twice", "(J)V");
	fixture_thread(&fixture, "main", 0, 0);
	for (uint32_t id = METHOD_FIRST; id < fixture.profile.method_count; id++)
		fixture_node(&fixture, 0, id, 1, 1, 1);
	text = fixture_print(&fixture, "methods", "text");
	assert_null(strstr(text, "  C.twice\n"));
	for (size_t i = 0; i < sizeof(wanted) / sizeof(wanted[0]); i++) {
		if (strstr(text, wanted[i]) == NULL)
			fail_msg("no '%s' in:\n%s", wanted[i], text);
	}
	free(text);
}

static size_t count_text(const char *text, const char *wanted)
{
	size_t count = 0;

	while ((text = strstr(text, wanted)) != NULL) {
		text += strlen(wanted);
		count++;
	}
	return count;
}

/* Above the rows it says how much has no path, where that is more than a hundredth. */
static void test_folded_part(void **state)
{
	static const struct {
		uint64_t kept, folded;
		const char *said; /* NULL: nothing */
	} cases[] = {
		{995, 5, NULL},
		{750, 250, "25 % of the calls have no call path"},
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		uint32_t method, fold;
		char *text;

		fixture_init(&fixture);
		method = fixture_method(&fixture, "A", "a", "()V");
		fixture_thread(&fixture, "main", 5, 5);
		fixture_node(&fixture, 0, method, cases[i].kept, cases[i].kept, 1);
		fold = fixture_node(&fixture, 0, METHOD_FOLDED, 0, 0, 0);
		fixture_node(&fixture, fold, method, cases[i].folded, cases[i].folded, 1);
		text = fixture_print(&fixture, "methods", "text");
		assert_int_equal(
			strstr(text, "have no call path") != NULL, cases[i].said != NULL);
		if (cases[i].said)
			assert_non_null(strstr(text, cases[i].said));
		free(text);
		/* A flat node's callees are beside it. */
		text = fixture_print(&fixture, "methods", "json");
		assert_non_null(strstr(text, "\"cum_at_least\":true"));
		free(text);
	}
}

/* A "(folded: memory)" that nothing was folded into is not shown, unless something hangs below. */
static void test_empty_fold(void **state)
{
	static const struct {
		int line;
		const char *view;
		size_t hidden, shown; /* how often it is there */
	} cases[] = {
		{__LINE__, "tree", 0, 1},
		{__LINE__, "methods", 0, 1},
		{__LINE__, "callers", 0, 2},
	};
	uint32_t method, pruned;

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		char *text;

		fixture_init(&fixture);
		method = fixture_method(&fixture, "A", "a", "()V");
		fixture_thread(&fixture, "main", 5, 5);
		pruned = fixture_node(&fixture, 0, METHOD_FOLDED, 0, 0, 0);
		fixture_node(&fixture, 0, method, 1, 1, 1);
		text = fixture_print(&fixture, cases[i].view, "text");
		assert_int_equal(count_text(text, " A.a\n"), 1);
		if (count_text(text, "(folded: memory)") != cases[i].hidden)
			fail_msg("line %d: %s", cases[i].line, text);
		free(text);
		fixture_node(&fixture, pruned, method, 1, 1, 1);
		text = fixture_print(&fixture, cases[i].view, "csv");
		if (count_text(text, "(folded: memory)") < cases[i].shown)
			fail_msg("line %d: %s", cases[i].line, text);
		free(text);
	}
}

/* ---- numbers, and output that fails ---- */

static void test_numbers(void **state)
{
	static const struct {
		int line;
		uint64_t value;
		const char *grouped, *milliseconds;
	} cases[] = {
		{__LINE__, 0, "0", "0.000"},
		{__LINE__, 7, "7", "0.000"},
		{__LINE__, 499, "499", "0.000"},
		{__LINE__, 500, "500", "0.001"},
		{__LINE__, 999499, "999,499", "0.999"},
		{__LINE__, 999500, "999,500", "1.000"},
		{__LINE__, 1234567890123, "1,234,567,890,123", "1,234,567.890"},
		{__LINE__, UINT64_MAX, "18,446,744,073,709,551,615", "18,446,744,073,709.552"},
	};
	char field[NUMBER_WIDTH + 1] = "";
	char *end = field + NUMBER_WIDTH;

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		char *grouped = number_grouped(end, cases[i].value);

		if (strcmp(grouped, cases[i].grouped) != 0)
			fail_msg("line %d: %s", cases[i].line, grouped);
		grouped = number_milliseconds(end, cases[i].value);
		if (strcmp(grouped, cases[i].milliseconds) != 0)
			fail_msg("line %d: %s", cases[i].line, grouped);
	}
}

static void test_full_disk(void **state)
{
	struct report_request request = {
		.view = view_find("tree"), .format = format_find("text")};
	struct error error = {0};
	uint64_t violations;
	int full = open("/dev/full", O_WRONLY);

	fixture_small(&fixture);
	assert_true(full >= 0);
	assert_true(report_print(&fixture.profile, &request, full, &violations, &error) < 0);
	assert_string_equal(error.text, "cannot write the report: No space left on device");
	close(full);
}

static void test_colour(void **state)
{
	struct report_request request = {
		.view = view_find("callers"), .format = format_find("text"), .colour = true};
	struct error error = {0};
	uint64_t violations;
	char *text;

	fixture_small(&fixture);
	text = fixture_report(&fixture, &request, &violations, &error);
	assert_non_null(strstr(text, "\033[1m"));
	free(text);
	request.format = format_find("json");
	text = fixture_report(&fixture, &request, &violations, &error);
	assert_null(strstr(text, "\033"));
	free(text);
}

/* What is uncertain is grey, within a row that stands out, too. */
static void test_grey(void **state)
{
	struct adjustment adjustment;
	struct report_request request = {.view = view_find("callers"),
		.format = format_find("text"),
		.colour = true,
		.choice.adjustment = &adjustment};
	struct error error = {0};
	uint64_t violations;
	char *text;

	fixture_small(&fixture);
	fixture_deltas(&fixture);
	fixture_adjust(&fixture, &adjustment);
	text = fixture_report(&fixture, &request, &violations, &error);
	assert_non_null(strstr(text, "\033[90m~0.006 \u00b10.003"));
	assert_non_null(strstr(text, "\033[0m\033[1m"));
	free(text);
	request.colour = false;
	text = fixture_report(&fixture, &request, &violations, &error);
	assert_null(strstr(text, "\033"));
	free(text);
	adjustment_fini(&adjustment);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_golden_texts),
		cmocka_unit_test(test_golden_adjusted),
		cmocka_unit_test(test_golden_sampled),
		cmocka_unit_test(test_golden_virtual),
		cmocka_unit_test(test_golden_waits),
		cmocka_unit_test(test_mounts_not_recorded),
		cmocka_unit_test(test_interval),
		cmocka_unit_test(test_empty_profile),
		cmocka_unit_test(test_requests),
		cmocka_unit_test(test_virtual_requests),
		cmocka_unit_test(test_omitted_adds_up),
		cmocka_unit_test(test_omitted_io_adds_up),
		cmocka_unit_test(test_names),
		cmocka_unit_test(test_walking_format),
		cmocka_unit_test(test_hostile_names),
		cmocka_unit_test(test_endless_names),
		cmocka_unit_test(test_overloads),
		cmocka_unit_test(test_empty_fold),
		cmocka_unit_test(test_folded_part),
		cmocka_unit_test(test_numbers),
		cmocka_unit_test(test_full_disk),
		cmocka_unit_test(test_colour),
		cmocka_unit_test(test_grey),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
