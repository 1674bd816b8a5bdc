/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/*
 * Lines in, answers out, through fake verbs: each row is a request and what its answer says. An
 * answer is always one line, and JSON.
 */
#include "agent/control/message.h"

#include <jansson.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "agent/control/line.h"

#include <cmocka.h>

/* ---- verbs ---- */

static int echo(const struct control_peer *peer, const json_t *request, json_t **result,
	struct error *error)
{
	*result = json_pack("{s:O*}", "options", json_object_get(request, "options"));
	return *result ? 0 : error_set(error, ERROR_MEMORY, "no memory");
}

static int nothing(const struct control_peer *peer, const json_t *request, json_t **result,
	struct error *error)
{
	return 0;
}

static int refuse(const struct control_peer *peer, const json_t *request, json_t **result,
	struct error *error)
{
	return error_set(error, ERROR_BUSY, "cannot write '/tmp/\xff\xc3\xa9': \"no\"");
}

static int fail_silently(const struct control_peer *peer, const json_t *request,
	json_t **result, struct error *error)
{
	return -1;
}

static const struct control_verb verbs[] = {
	{"echo", echo, false},
	{"nothing", nothing, false},
	{"fail", refuse, true},
	{"hush", fail_silently, false},
	{"last", nothing, true},
	{0},
};
static const struct control_setup setup = {.verbs = verbs, .attached = true};
static const struct control_peer peer = {.connection = 7};

/* ---- rows ---- */

/* The answer to a line, parsed. Owned. */
static json_t *ask(const char *line, size_t line_length, bool *last)
{
	size_t length;
	char *answer = verbs_answer(&setup, &peer, line, line_length, &length, last);
	json_t *json;

	assert_non_null(answer);
	assert_ptr_equal(memchr(answer, '\n', length), answer + length - 1);
	json = json_loadb(answer, length, JSON_REJECT_DUPLICATES, NULL);
	free(answer);
	assert_non_null(json);
	assert_int_equal(json_integer_value(json_object_get(json, "jprof")), 1);
	return json;
}

struct row {
	int line;
	const char *request;
	const char *code; /* NULL: ok */
	const char *part; /* of the answer, as compact JSON with keys in order */
};

#define GOOD(request, part)                                                                    \
	{                                                                                      \
		__LINE__, request, NULL, part                                                  \
	}
#define BAD(request, code, part)                                                               \
	{                                                                                      \
		__LINE__, request, code, part                                                  \
	}

static const struct row rows[] = {
	GOOD("{\"jprof\":1,\"verb\":\"nothing\"}", "{\"jprof\":1,\"ok\":true,\"result\":{}}"),
	GOOD("{\"jprof\":1,\"id\":7,\"verb\":\"nothing\"}", "\"id\":7,"),
	GOOD("{\"jprof\":1,\"id\":-7.25,\"verb\":\"nothing\"}", "\"id\":-7.25,"),
	GOOD("{\"jprof\":1,\"id\":\"a\\n\\u00e9\",\"verb\":\"nothing\"}",
		"\"id\":\"a\\n\xc3\xa9\","),
	GOOD("{\"jprof\":1,\"id\":9223372036854775807,\"verb\":\"nothing\"}",
		"\"id\":9223372036854775807,"),
	GOOD(" {\"verb\" : \"nothing\", \"more\" : [1, null], \"jprof\" : 1} ", "\"ok\":true"),
	GOOD("{\"jprof\":1,\"verb\":\"echo\",\"options\":{\"a\":[1,2.5,\"x\",null,true]}}",
		"\"result\":{\"options\":{\"a\":[1,2.5,\"x\",null,true]}}"),
	GOOD("{\"jprof\":1,\"verb\":\"echo\",\"options\":\"a=[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[["
	     "\"}",
		"\"ok\":true"),
	GOOD("{\"jprof\":1,\"verb\":\"echo\",\"options\":\"\\\"[{\\\\\"}", "\"\\\"[{\\\\\""),
	GOOD("{\"jprof\":1,\"verb\":\"hello\"}", "\"verbs\":[\"hello\",\"echo\",\"nothing\""),
	GOOD("{\"jprof\":1,\"verb\":\"hello\"}", "\"loaded\":\"attach\""),
	GOOD("{\"jprof\":1,\"verb\":\"hello\"}", "\"protocols\":[1]"),
	GOOD("{\"jprof\":1,\"verb\":\"hello\"}", "\"agent\":\"" JPROF_VERSION "\""),

	BAD("{\"jprof\":1,\"id\":3,\"verb\":\"fail\"}", "busy",
		"\"id\":3,\"ok\":false,\"error\":{\"code\":\"busy\",\"message\":"
		"\"cannot write '/tmp/\\\\xff\xc3\xa9': \\\"no\\\"\"}"),
	BAD("{\"jprof\":1,\"verb\":\"hush\"}", "io", "'hush' failed"),
	BAD("{\"jprof\":1,\"id\":4,\"verb\":\"Start\"}", "usage", "\"id\":4"),
	BAD("{\"jprof\":1,\"verb\":\"Start\"}", "usage",
		"verb 'Start' is not known; legal: hello, echo, nothing, fail, hush, last"),
	BAD("{\"jprof\":1,\"verb\":\"\"}", "usage", "legal: hello"),
	BAD("{\"jprof\":1,\"verb\":\"a\\nb\"}", "usage", "'a\\\\u000ab'"),

	BAD("{\"jprof\":2,\"id\":5,\"verb\":\"nothing\"}", "version", "\"id\":5"),
	BAD("{\"jprof\":2,\"verb\":\"nothing\"}", "version", "version 2"),
	BAD("{\"jprof\":-9223372036854775808,\"verb\":\"nothing\"}", "version",
		"-9223372036854775808"),
	BAD("{\"jprof\":\"1\",\"verb\":\"nothing\"}", "version", "write \\\"jprof\\\": 1"),
	BAD("{\"jprof\":1.0,\"verb\":\"nothing\"}", "version", "write"),
	BAD("{\"verb\":\"nothing\"}", "version", "write"),
	BAD("{}", "version", "write"),

	BAD("{\"jprof\":1,\"id\":6}", "format", "\"id\":6"),
	BAD("{\"jprof\":1}", "format", "'verb' is missing"),
	BAD("{\"jprof\":1,\"verb\":7}", "format", "'verb'"),
	BAD("{\"jprof\":1,\"verb\":null}", "format", "'verb'"),
	BAD("{\"jprof\":1,\"verb\":[\"nothing\"]}", "format", "'verb'"),
	BAD("{\"jprof\":1,\"id\":{},\"verb\":\"nothing\"}", "format", "'id'"),
	BAD("{\"jprof\":1,\"id\":null,\"verb\":\"nothing\"}", "format", "'id'"),
	BAD("{\"jprof\":1,\"id\":true,\"verb\":\"nothing\"}", "format", "'id'"),

	BAD("[]", "format", "array"),
	BAD("[{\"jprof\":1,\"verb\":\"nothing\"}]", "format", "array"),
	BAD("7", "format", "not a JSON object"),
	BAD("start", "format", "not a JSON object"),
	BAD("GET / HTTP/1.1", "format", "not a JSON object"),
	BAD("{\"jprof\":1,\"verb\":\"nothing\"", "format", "byte"),
	BAD("{\"jprof\":1,\"verb\":\"nothing\"}}", "format", "end of file expected"),
	BAD("{\"jprof\":1,\"verb\":\"nothing\"} {}", "format", "end of file expected"),
	BAD("{\"jprof\":1,\"verb\":\"nothing\",}", "format", "byte"),
	BAD("{'jprof':1}", "format", "byte"),
	BAD("{\"jprof\":1,\"jprof\":1,\"verb\":\"nothing\"}", "format", "duplicate"),
	BAD("{\"jprof\":1,\"verb\":\"nothing\",\"verb\":\"last\"}", "format", "duplicate"),
	BAD("{\"jprof\":1,\"verb\":\"echo\",\"options\":{\"a\":1,\"a\":2}}", "format",
		"duplicate"),
	BAD("{\"jprof\":1,\"verb\":\"\xff\"}", "format", "unable to decode"),
	BAD("{\"jprof\":1,\"verb\":\"\xc0\x80\"}", "format", "unable to decode"),
	BAD("{\"jprof\":1,\"verb\":\"\xed\xa0\x80\"}", "format", "unable to decode"),
	BAD("{\"jprof\":1,\"verb\":\"\\ud800\"}", "format", "byte"),
	BAD("{\"jprof\":1,\"verb\":\"a\\u0000b\"}", "format", "byte"),
	BAD("{\"jprof\":1,\"verb\":\"a\tb\"}", "format", "byte"),
	BAD("{\"jprof\":1,\"id\":9223372036854775808,\"verb\":\"nothing\"}", "format", "big"),
	BAD("{\"jprof\":1,\"id\":1e999,\"verb\":\"nothing\"}", "format", "overflow"),
	BAD("{\"jprof\":1,\"id\":NaN,\"verb\":\"nothing\"}", "format", "byte"),
	BAD("\xef\xbb\xbf{\"jprof\":1,\"verb\":\"nothing\"}", "format", "byte"),
	BAD("\"", "format", "byte"),
	BAD("\"\\", "format", "byte"),
	BAD("]]]]]]]]", "format", "byte"),
};

static bool row_holds(const struct row *row)
{
	bool last;
	json_t *answer = ask(row->request, strlen(row->request), &last);
	char *text = json_dumps(answer, JSON_COMPACT);
	const char *code =
		json_string_value(json_object_get(json_object_get(answer, "error"), "code"));
	bool ok = json_is_true(json_object_get(answer, "ok")), holds = ok == !row->code;

	if (row->code)
		holds = holds && code && strcmp(code, row->code) == 0 && !last &&
			!json_object_get(answer, "result");
	else
		holds = holds && !code && json_is_object(json_object_get(answer, "result"));
	holds = holds && strstr(text, row->part);
	if (!holds)
		print_error("line %d: '%s' was answered %s\n", row->line, row->request, text);
	free(text);
	json_decref(answer);
	return holds;
}

static void test_rows(void **state)
{
	unsigned wrong = 0;

	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++)
		wrong += !row_holds(&rows[i]);
	assert_int_equal(wrong, 0);
}

static void test_last(void **state)
{
	static const struct {
		const char *request;
		bool last;
	} cases[] = {{"{\"jprof\":1,\"verb\":\"last\"}", true},
		{"{\"jprof\":1,\"verb\":\"fail\"}", false}, /* it failed: the channel stays */
		{"{\"jprof\":1,\"verb\":\"nothing\"}", false}, {"{\"jprof\":1}", false}};

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		bool last;

		json_decref(ask(cases[i].request, strlen(cases[i].request), &last));
		assert_int_equal(last, cases[i].last);
	}
}

static void test_pid(void **state)
{
	static const char request[] = "{\"jprof\":1,\"verb\":\"hello\"}";
	bool last;
	json_t *answer = ask(request, strlen(request), &last);

	assert_int_equal(
		json_integer_value(json_object_get(json_object_get(answer, "result"), "pid")),
		getpid());
	json_decref(answer);
}

/* ---- sizes ---- */

static void expect_code(const char *line, size_t length, const char *code)
{
	bool last;
	json_t *answer = ask(line, length, &last);

	assert_string_equal(code ? code : "-",
		json_is_true(json_object_get(answer, "ok"))
			? "-"
			: json_string_value(
				  json_object_get(json_object_get(answer, "error"), "code")));
	json_decref(answer);
}

/* A request whose options are so many opening brackets and as many closing ones. */
static void try_depth(int depth, const char *code)
{
	char line[8192];
	int used =
		snprintf(line, sizeof(line), "{\"jprof\":1,\"verb\":\"nothing\",\"options\":");

	for (int i = 0; i < depth; i++)
		line[used++] = '[';
	for (int i = 0; i < depth; i++)
		line[used++] = ']';
	line[used++] = '}';
	expect_code(line, (size_t)used, code);
}

static void test_depth(void **state)
{
	try_depth(MESSAGE_DEPTH - 1, NULL);
	try_depth(MESSAGE_DEPTH, "format");
	try_depth(4000, "format");
}

/* A line of the greatest length: prefix, filled up with pieces, suffix. */
static void try_full(
	const char *prefix, const char *piece, const char *suffix, const char *code)
{
	size_t room = LINE_MAX_BYTES - 1, used = strlen(prefix);
	char *line = malloc(room);

	assert_non_null(line);
	memcpy(line, prefix, used);
	while (used + strlen(piece) + strlen(suffix) <= room) {
		memcpy(line + used, piece, strlen(piece));
		used += strlen(piece);
	}
	memcpy(line + used, suffix, strlen(suffix));
	expect_code(line, used + strlen(suffix), code);
	free(line);
}

static void test_full_lines(void **state)
{
	try_full("{\"jprof\":1,\"verb\":\"echo\",\"options\":\"", "x", "\"}", NULL);
	try_full("{\"jprof\":1,\"verb\":\"echo\",\"options\":\"", "\\u0001,", "\"}", NULL);
	try_full("{\"jprof\":1,\"verb\":\"", "x", "\"}", "usage");
	try_full("{\"jprof\":1,\"verb\":\"nothing\",\"id\":\"", "x", "\"}", "format");
	try_full("{\"jprof\":1,\"verb\":\"nothing\",\"id\":1", "0", "}", "format");
	try_full("{\"jprof\":1,\"verb\":\"nothing\",\"a\":[", "0,", "0]}", "format");
	try_full("{\"jprof\":1,\"verb\":\"nothing\",\"a\":[", "[],", "0]}", "format");
	try_full("", "[", "", "format");
	try_full("", "{\"a\":", "", "format");
	try_full("\"", "\\\"", "", "format");
}

static void test_nul(void **state)
{
	static const char line[] = "{\"jprof\":1,\0\"verb\":\"nothing\"}";
	static const char in_string[] = "{\"jprof\":1,\"verb\":\"nothing\0\"}";

	expect_code(line, sizeof(line) - 1, "format");
	expect_code(in_string, sizeof(in_string) - 1, "format");
	expect_code("\0", 1, "format");
}

/* ---- memory ---- */

static long until_failure;

static void *sparse_malloc(size_t size)
{
	return until_failure-- > 0 ? malloc(size) : NULL;
}

/* jansson's n-th allocation fails, n = 0, 1, 2...: there is an answer, or NULL, and nothing else
 * is said than that memory is short. The address sanitizer sees what is left behind. */
static void test_no_memory(void **state)
{
	static const char *const requests[] = {"{\"jprof\":1,\"id\":\"x\",\"verb\":\"hello\"}",
		"{\"jprof\":1,\"id\":1.5,\"verb\":\"echo\",\"options\":{\"a\":[1,\"b\"]}}",
		"{\"jprof\":1,\"verb\":\"fail\"}", "{\"jprof\":1,\"verb\":", "[1]"};
	bool last, refused;
	size_t length;

	for (size_t i = 0; i < sizeof(requests) / sizeof(*requests); i++) {
		long n = 0;

		do {
			until_failure = n++;
			json_set_alloc_funcs(sparse_malloc, free);
			char *answer = verbs_answer(&setup, &peer, requests[i],
				strlen(requests[i]), &length, &last);
			refused = until_failure < 0;
			json_set_alloc_funcs(malloc, free);
			if (refused && answer)
				assert_non_null(memmem(answer, length, "\"memory\"", 8));
			assert_true(refused || answer);
			free(answer);
		} while (refused);
		assert_true(n > 3);
	}
}

static void test_no_memory_answer(void **state)
{
	struct error error = {0};
	size_t length;

	error_set(&error, ERROR_MEMORY, "no memory to answer");
	char *answer = answer_line(NULL, NULL, &error, &length);
	assert_int_equal(length, strlen(answer_no_memory));
	assert_memory_equal(answer, answer_no_memory, length);
	free(answer);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_rows),
		cmocka_unit_test(test_last),
		cmocka_unit_test(test_pid),
		cmocka_unit_test(test_depth),
		cmocka_unit_test(test_full_lines),
		cmocka_unit_test(test_nul),
		cmocka_unit_test(test_no_memory),
		cmocka_unit_test(test_no_memory_answer),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
