/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/* Rules: which are understood, which are broken; and what is printed, with names that mean harm. */
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include <cmocka.h>

#include "error/columns.h"
#include "native-tests/report/fixture.h"
#include "report/diff/print.h"

static struct fixture fixture;
static struct diff diff;
static struct rules rules;

static const char *name_of_a = "a";

static void add(enum diff_side side, uint64_t calls, uint64_t wall, uint64_t bytes)
{
	const struct model_choice choice = {0};
	struct error error = {0};
	struct model model;
	uint32_t a, b, file;

	fixture_init(&fixture);
	a = fixture_method(&fixture, "com.acme.Main", name_of_a, "()V");
	b = fixture_method(&fixture, "com.acme.Other", "b", "(I)V");
	fixture_thread(&fixture, "main", 0, 0);
	a = fixture_node(&fixture, 0, a, calls, wall, 1000);
	fixture_node(&fixture, a, b, 500, 1000000, 1000);
	file = fixture_file(&fixture, IO_FILE, 5, "/data/shop.db", NULL);
	fixture_io(&fixture, a, file, IO_READ, 4, bytes);
	assert_int_equal(model_init(&model, &fixture.profile, &choice, &error), 0);
	if (diff_add_run(&diff, side, side ? "after.jprof" : "before.jprof", &model, &error) !=
		0)
		fail_msg("%s", error.text);
	model_fini(&model);
}

/* The same program, of which samples alone tell. */
static void add_sampled(enum diff_side side, uint64_t samples)
{
	const struct model_choice choice = {0};
	struct error error = {0};
	struct model model;
	uint32_t method;

	fixture_init(&fixture);
	fixture.profile.metric_count = 0;
	fixture_condition(&fixture, "cpu:1ms", "cpu", 1000000, "ns", "timer");
	method = fixture_method(&fixture, "com.acme.Main", "a", "()V");
	fixture_thread(&fixture, "main", 0, 0);
	fixture_node(&fixture, 0, method, 0, 0, 0);
	fixture.node[1].sampled = true;
	fixture_samples(&fixture, 1, 0, SAMPLE_C2, 3, samples);
	assert_int_equal(model_init(&model, &fixture.profile, &choice, &error), 0);
	assert_int_equal(
		diff_add_run(&diff, side, side ? "after" : "before", &model, &error), 0);
	model_fini(&model);
}

static void begin(void)
{
	diff_init(
		&diff, &(struct diff_choice){.wants = {[DIFF_PATH] = true, [DIFF_FILE] = true},
			       .min = DIFF_MIN});
}

static void end(void)
{
	rules_fini(&rules);
	diff_fini(&diff);
}

static int parse(const char *text, struct error *error)
{
	return rules_parse(&rules, text, strlen(text), "rules.json", error);
}

/* ---- reading ---- */

static const struct refused {
	const char *text, *message;
	int line;
} refused[] = {
#define ROW(text, message) {text, message, __LINE__},
	ROW("{\"rules\":[", "'rules.json': line 1: ") ROW("[]", "is no JSON object") ROW(
		"{}", "needs \"rules\", a list") ROW("{\"rules\":[]}",
		"needs \"rules\", a list") ROW("{\"rules\":[],\"rule\":1}",
		"no key 'rule'") ROW("{\"rules\":[1]}",
		"rule 1: is no object") ROW("{\"rules\":[{\"methods\":\"a\",\"figure\":"
					    "\"calls\",\"may_grow\":0}]}",
		"rule 1: no key 'methods'; did you mean 'method'?") ROW("{\"rules\":[{"
									"\"figure\":\"calls\","
									"\"may_grow\":0}]}",
		"needs one of 'method'") ROW("{\"rules\":[{\"method\":\"a\",\"may_grow\":0}]}",
		"needs a 'figure'") ROW("{\"rules\":[{\"method\":\"a\",\"figure\":\"calls\"}]}",
		"needs one of 'may_grow'") ROW("{\"rules\":[{\"method\":\"a\",\"path\":\"b\","
					       "\"figure\":\"calls\",\"may_grow\":0}]}",
		"has several of") ROW("{\"rules\":[{\"total\":\"cpu\",\"figure\":\"calls\","
				      "\"may_grow\":0}]}",
		"a 'figure' beside 'total'") ROW("{\"rules\":[{\"total\":\"cpu\",\"at_most\":"
						 "\"5%\"}]}",
		"'at_most' needs a factor") ROW("{\"rules\":[{\"total\":\"cpu\",\"at_most\":-1}"
						"]}",
		"'at_most' needs a factor") ROW("{\"rules\":[{\"total\":\"cpu\",\"may_grow\":"
						"\"5\"}]}",
		"'may_grow' needs a number") ROW("{\"rules\":[{\"total\":\"cpu\",\"may_grow\":-"
						 "1}]}",
		"'may_grow' needs a number") ROW("{\"rules\":[{\"total\":\"cpu\",\"may_grow\":"
						 "1,\"at_most\":1}]}",
		"both 'may_grow' and 'at_most'")
		ROW("{\"rules\":[{\"total\":\"\",\"may_grow\":1}]}", "'total' needs a text")
			ROW("{\"rules\":[{\"total\":\"cpu\",\"may_grow\":1,\"min\":5}]}",
				"'min' needs a percentage")
				ROW("{\"rules\":[{\"total\":\"cpu\",\"may_grow\":1,\"total\":"
				    "\"x\"}]}",
					"duplicate") ROW("{\"rules\":[{\"total\":\"cpu\",\"may_"
							 "grow\":1},{\"total\":\"cpu\"}]}",
					"rule 2: needs one of 'may_grow'")
#undef ROW
};

static void test_refused(void **state)
{
	for (size_t i = 0; i < sizeof(refused) / sizeof(*refused); i++) {
		struct error error = {0};

		if (parse(refused[i].text, &error) != -ERROR_VALUE ||
			!strstr(error.text, refused[i].message))
			fail_msg("line %d: %s", refused[i].line, error.text);
		rules_fini(&rules);
	}
}

static void test_unknown_figure(void **state)
{
	struct error error = {0};

	begin();
	add(DIFF_BEFORE, 100, 5000000, 4096);
	add(DIFF_AFTER, 100, 5000000, 4096);
	assert_int_equal(diff_judge(&diff, &error), 0);
	assert_int_equal(
		parse("{\"rules\":[{\"method\":\"*\",\"figure\":\"call\",\"may_grow\":0}]}",
			&error),
		0);
	assert_int_equal(rules_test(&rules, &diff, &error), -ERROR_VALUE);
	assert_non_null(
		strstr(error.text, "no figure 'call' of a method; did you mean 'calls'?"));
	end();
}

/* ---- what is broken ---- */

/* Before: 100 calls of a, 4096 bytes; after: 105 and 4500. */
static const struct broken {
	const char *rule;
	size_t broken;
	bool skipped;
	int line;
} broken[] = {
#define ROW(rule, broken, skipped) {"{\"rules\":[" rule "]}", broken, skipped, __LINE__},
	ROW("{\"method\":\"com.acme.*\",\"figure\":\"calls\",\"may_grow\":0}", 1, false) ROW(
		"{\"method\":\"com.acme.Main\",\"figure\":\"calls\",\"may_grow\":4}", 1,
		false) ROW("{\"method\":\"com.acme.Main\",\"figure\":\"calls\",\"may_grow\":5}",
		0, false) ROW("{\"method\":\"com.acme.Main.a\",\"figure\":\"calls\",\"may_"
			      "grow\":\"5%\"}",
		0, false) ROW("{\"method\":\"com.acme.Main.a\",\"figure\":\"calls\",\"may_"
			      "grow\":\"4.9%\"}",
		1, false) ROW("{\"method\":\"com.acme.Main.a\",\"figure\":\"calls\",\"at_"
			      "most\":1.05}",
		0, false) ROW("{\"method\":\"com.acme.Main.a\",\"figure\":\"calls\",\"at_"
			      "least\":1.1}",
		1, false) ROW("{\"method\":\"com.acme.Other.b\",\"figure\":\"calls\",\"may_"
			      "grow\":0}",
		0, false) ROW("{\"method\":\"com.acme.Other\",\"figure\":\"calls\",\"at_"
			      "least\":1}",
		0, false) ROW("{\"method\":\"com.acme.Gone.*\",\"figure\":\"calls\",\"may_"
			      "grow\":0}",
		0, true) ROW("{\"path\":\"*.db\",\"figure\":\"read.bytes\",\"at_most\":1.05}",
		1, false) ROW("{\"path\":\"*.db\",\"figure\":\"read.bytes\",\"at_most\":1.1}",
		0, false) ROW("{\"path\":\"*.db\",\"figure\":\"reads.ops\",\"may_grow\":0}", 0,
		false) ROW("{\"path\":\"*.txt\",\"figure\":\"reads.ops\",\"may_grow\":0}", 0,
		true)
		ROW("{\"call_path\":\"*Main.a > *b*\",\"figure\":\"calls\",\"may_grow\":0}", 0,
			false)
			ROW("{\"call_path\":\"*Main.a\",\"figure\":\"calls\",\"may_grow\":0}",
				1, false) ROW("{\"total\":\"calls\",\"may_grow\":0}", 1, false)
				ROW("{\"total\":\"io.bytes\",\"may_grow\":\"5%\"}", 1, false)
					ROW("{\"total\":\"alloc\",\"at_most\":1}", 0, false)
	/* It is three times as much, but of one run a side. */
	ROW("{\"total\":\"wall\",\"at_most\":1.05}", 0, false)
		ROW("{\"method\":\"*\",\"figure\":\"base.wall\",\"at_most\":1.05}", 0, false)
	/* a has a sixth of all calls. */
	ROW("{\"method\":\"*\",\"figure\":\"calls\",\"may_grow\":0,\"min\":\"50%\"}", 0, false)
#undef ROW
};

static void test_broken(void **state)
{
	for (size_t i = 0; i < sizeof(broken) / sizeof(*broken); i++) {
		struct error error = {0};

		begin();
		add(DIFF_BEFORE, 100, 5000000, 4096);
		add(DIFF_AFTER, 105, 17000000, 4500);
		assert_int_equal(diff_judge(&diff, &error), 0);
		if (parse(broken[i].rule, &error) != 0 ||
			rules_test(&rules, &diff, &error) != 0)
			fail_msg("line %d: %s", broken[i].line, error.text);
		if (rules_broken(&rules) != broken[i].broken ||
			(rules.test[0].skipped.text != NULL) != broken[i].skipped)
			fail_msg("line %d: %zu broken: %s", broken[i].line,
				rules_broken(&rules),
				rules.test[0].broken_count ? rules.test[0].broken[0].text : "");
		end();
	}
}

/* Samples alone do not tell how often something was called. */
static void test_figure_that_no_side_knows(void **state)
{
	static const char *const texts[] = {
		"{\"rules\":[{\"total\":\"calls\",\"may_grow\":\"5%\"}]}",
		"{\"rules\":[{\"method\":\"*\",\"figure\":\"calls\",\"may_grow\":\"5%\"}]}"};

	for (size_t i = 0; i < sizeof(texts) / sizeof(*texts); i++) {
		struct error error = {0};

		begin();
		add_sampled(DIFF_BEFORE, 10);
		add_sampled(DIFF_AFTER, 20);
		assert_int_equal(diff_judge(&diff, &error), 0);
		assert_int_equal(parse(texts[i], &error), 0);
		assert_int_equal(rules_test(&rules, &diff, &error), 0);
		assert_int_equal(rules_broken(&rules), 0);
		assert_non_null(rules.test[0].skipped.text);
		assert_non_null(strstr(rules.test[0].skipped.text, "'calls'"));
		end();
	}
}

/* Texts that are missing are no rule that was kept. */
static void test_no_memory(void **state)
{
	struct error error = {0};

	begin();
	add(DIFF_BEFORE, 100, 5000000, 4096);
	add(DIFF_AFTER, 200, 5000000, 4096);
	assert_int_equal(diff_judge(&diff, &error), 0);
	assert_int_equal(
		parse("{\"rules\":[{\"total\":\"calls\",\"may_grow\":\"900%\"}]}", &error), 0);
	diff.store.failed = true;
	assert_int_equal(rules_test(&rules, &diff, &error), -ERROR_MEMORY);
	end();
}

static void test_growth_of_all(void **state)
{
	struct error error = {0};

	begin();
	add(DIFF_BEFORE, 100, 5000000, 4096);
	add(DIFF_AFTER, 108, 5000000, 4096);
	assert_int_equal(diff_judge(&diff, &error), 0);
	assert_int_equal(rules_add_growth(&rules, 0.05, DIFF_METHOD, DIFF_MIN, &error), 0);
	assert_int_equal(rules_test(&rules, &diff, &error), 0);
	assert_int_equal(rules.count, 2);
	/* The whole program's calls: 608 of 600 before. */
	assert_int_equal(rules.test[0].broken_count, 0);
	assert_int_equal(rules.test[1].broken_count, 1);
	assert_string_equal(rules.test[1].broken[0].text,
		"method com.acme.Main.a: calls grew by 8.0%, "
		"from 100 to 108; it may grow by 5%");
	end();
}

/* ---- what is printed ---- */

static const char hostile[] =
	"x|`<script>alert(1)</script>\n| a | b |\x1b[31m@all#1 "
	"[x](http://e.org) www.e.org $x$ --> ]]>\"'&\xe2\x80\xae\xef\xbf\xbe*_~";

static char *print(const char *format, unsigned width)
{
	char path[] = "/tmp/jprof-test-diff.XXXXXX";
	struct error error = {0};
	struct diff_request request = {.by = DIFF_METHOD, .rules = &rules, .width = width};
	static char text[1 << 23];
	int fd = mkstemp(path);
	ssize_t length;

	assert_true(fd >= 0);
	unlink(path);
	for (size_t i = 0; i < diff_format_count; i++)
		if (strcmp(diff_formats[i]->name, format) == 0)
			request.format = diff_formats[i];
	assert_int_equal(diff_print(&diff, &request, fd, &error), 0);
	length = pread(fd, text, sizeof(text) - 1, 0);
	assert_true(length > 0);
	text[length] = '\0';
	close(fd);
	return text;
}

static void begin_hostile(void)
{
	struct error error = {0};

	begin();
	name_of_a = hostile;
	add(DIFF_BEFORE, 100, 5000000, 4096);
	add(DIFF_AFTER, 200, 5000000, 4096);
	name_of_a = "a";
	assert_int_equal(diff_judge(&diff, &error), 0);
	assert_int_equal(rules_add_growth(&rules, 0.05, DIFF_METHOD, DIFF_MIN, &error), 0);
	assert_int_equal(rules_test(&rules, &diff, &error), 0);
	assert_true(rules_broken(&rules) > 0);
}

/* What a program reads, as that program. */
static void check_by(const char *command, const char *text)
{
	FILE *pipe = popen(command, "w");

	assert_non_null(pipe);
	fputs(text, pipe);
	assert_int_equal(pclose(pipe), 0);
}

static void test_hostile_names(void **state)
{
	static const char *const never[] = {"<script", "x|", "`", "\x1b", "@all", "all#1",
		"[x]", "http:", "www.e", "$x", "-->"};
	const char *text;

	begin_hostile();
	text = print("markdown", 0);
	for (size_t i = 0; i < sizeof(never) / sizeof(*never); i++)
		if (strstr(text, never[i]))
			fail_msg("markdown has '%s': %s", never[i], strstr(text, never[i]));
	/* Each row of the tables has as many cells as it should. */
	for (const char *line = text; *line != '\0'; line += strcspn(line, "\n") + 1) {
		int bars = 0;

		for (const char *c = line; *c != '\n'; c++)
			bars += *c == '|';
		assert_true(*line != '|' || bars == 8);
	}
	check_by("python3 -c '"
		 "import sys,xml.etree.ElementTree as e\n"
		 "suite = e.parse(sys.stdin).getroot()\n"
		 "assert suite.tag == \"testsuite\" and suite.get(\"failures\") == \"2\", "
		 "suite.attrib\n"
		 "assert \"<script>\" in suite.findall(\".//failure\")[1].text'",
		print("junit", 0));
	check_by("python3 -c '"
		 "import sys,json\n"
		 "diff = json.load(sys.stdin)\n"
		 "assert diff[\"items\"][0][\"figures\"][\"calls\"][\"after\"] == 200\n"
		 "assert \"\\x1b[31m\" in diff[\"items\"][0][\"method\"]'",
		print("json", 0));
	check_by("python3 -c '"
		 "import sys,csv\n"
		 "rows = list(csv.DictReader(sys.stdin))\n"
		 "calls = [r for r in rows if r[\"item\"] == \"method\" and r[\"figure\"] == "
		 "\"calls\"]\n"
		 "assert [r[\"after\"] for r in calls] == [\"200\", \"500\"], calls'",
		print("csv", 0));
	assert_null(strchr(print("text", 0), '\x1b'));
	end();
}

static void test_text_fits(void **state)
{
	static const unsigned widths[] = {56, 80, 132};

	begin_hostile();
	for (size_t i = 0; i < sizeof(widths) / sizeof(*widths); i++) {
		const char *line = strstr(print("text", widths[i]), "Before");

		for (; line && *line != '\0'; line += strcspn(line, "\n") + 1) {
			size_t length = strcspn(line, "\n");

			if (columns_count(line, length) > widths[i])
				fail_msg("wider than %u: %.*s", widths[i], (int)length, line);
		}
	}
	end();
}

/* A path of so many methods, each of which is called once more by now. */
static void add_deep(enum diff_side side, uint64_t calls, uint32_t depth)
{
	const struct model_choice choice = {0};
	struct error error = {0};
	struct model model;
	uint32_t method, node = 0;

	fixture_init(&fixture);
	method = fixture_method(&fixture, "com.acme.deep.Recursion", "callsItself", "()V");
	fixture_thread(&fixture, "main", 0, 0);
	for (uint32_t i = 0; i < depth; i++)
		node = fixture_node(&fixture, node, method, calls, 1000, 0);
	assert_int_equal(model_init(&model, &fixture.profile, &choice, &error), 0);
	assert_int_equal(
		diff_add_run(&diff, side, side ? "after" : "before", &model, &error), 0);
	model_fini(&model);
}

/* What breaks a rule may be more than anybody reads, with names that are longer. */
static void test_many_broken(void **state)
{
	enum { DEPTH = 1200 };
	struct error error = {0};
	const char *text;

	begin();
	add_deep(DIFF_BEFORE, 100, DEPTH);
	add_deep(DIFF_AFTER, 200, DEPTH);
	assert_int_equal(diff_judge(&diff, &error), 0);
	assert_int_equal(parse("{\"rules\":[{\"call_path\":\"*\",\"figure\":\"calls\","
			       "\"may_grow\":\"5%\"}]}",
				 &error),
		0);
	assert_int_equal(rules_test(&rules, &diff, &error), 0);
	assert_int_equal(rules_broken(&rules), DEPTH);
	assert_int_equal(rules.test[0].line_count, RULE_LINES_MAX);
	/* The first ones are whole. */
	assert_string_equal(rules.test[0].broken[0].text,
		"path com.acme.deep.Recursion.callsItself: calls grew by 100%, from 100 to "
		"200; "
		"it may grow by 5%");
	for (size_t i = 0; i < RULE_LINES_MAX; i++) {
		const char *line = rules.test[0].broken[i].text;

		assert_true(rules.test[0].broken[i].length < 1200);
		assert_non_null(strstr(line,
			"callsItself: calls grew by 100%, from 100 to 200; it may grow by 5%"));
	}
	assert_string_equal(rule_rest(&rules.test[0]).text, "and 200 more");
	check_by("python3 -c '"
		 "import sys,json\n"
		 "rule = json.load(sys.stdin)[\"rules\"][0]\n"
		 "assert len(rule[\"broken\"]) == 1000 and rule[\"more\"] == 200'",
		print("json", 0));
	text = print("junit", 0);
	assert_non_null(strstr(text, "message=\"broken by 1200\""));
	assert_non_null(strstr(text, "\nand 200 more\n</failure>"));
	text = print("markdown", 0);
	assert_non_null(strstr(text, "items that break one: 1200\n"));
	assert_non_null(strstr(text, "\n- and 200 more\n"));
	end();
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_refused),
		cmocka_unit_test(test_unknown_figure),
		cmocka_unit_test(test_broken),
		cmocka_unit_test(test_figure_that_no_side_knows),
		cmocka_unit_test(test_no_memory),
		cmocka_unit_test(test_growth_of_all),
		cmocka_unit_test(test_hostile_names),
		cmocka_unit_test(test_text_fits),
		cmocka_unit_test(test_many_broken),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
