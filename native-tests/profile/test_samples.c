/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/* Samples: nodes that they alone have found become one with those that calls have found, in every interval. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>
#include <stdio.h>
#include <string.h>

#include "fixture.h"

#define S(number) (NODE_SAMPLED_FIRST + (number))

/* Methods. */
enum { A = METHOD_FIRST, B, C };

/* What is put into a file, line by line, up to END:
 * THREAD: id; PART: id, its group; NODE: thread, id, parent, method, recursion, calls;
 * SITE: thread, id, parent, method, recursion, line;
 * SAMPLE: thread, id, node, place, count, amount; FORWARD: thread, id, to; GONE: thread, id; SNAPSHOT: id */
enum { END, THREAD, PART, NODE, SITE, SAMPLE, FORWARD, GONE, SNAPSHOT };
typedef uint64_t line_of[7];

static struct profile_writer *writer;
static bool is_auto; /* the recording */

static void put(const uint64_t *line)
{
	static const uint64_t base[FIXTURE_METRICS];
	struct error error = {0};
	const struct profile_thread thread = {.id = (uint32_t)line[1],
		.group = line[0] == PART ? (uint32_t)line[2] : 0,
		.name = "t",
		.folded = 1};
	const struct profile_node node = {.thread = (uint32_t)line[1],
		.id = (uint32_t)line[2],
		.parent = (uint32_t)line[3],
		.method = (uint32_t)line[4],
		.recursion = (uint32_t)line[5],
		.calls = line[0] == SITE ? 0 : line[6],
		.jitted = line[0] == SITE ? 0 : line[6],
		.line = line[0] == SITE ? (uint32_t)line[6] : 0,
		.sampled = line[2] >= NODE_SAMPLED_FIRST,
		.base = base};
	const struct profile_account account = {.thread = (uint32_t)line[1],
		.id = (uint32_t)line[2],
		.node = (uint32_t)line[3],
		.kind = SAMPLES,
		.subject = line[4],
		.count = line[5],
		.amount = line[6]};
	const struct profile_forward forward = {
		(uint32_t)line[1], (uint32_t)line[2], (uint32_t)line[1], (uint32_t)line[3]};
	const struct profile_snapshot snapshot = {
		(uint32_t)line[1], "here", 1000, SNAPSHOT_NAMED, 0};

	switch (line[0]) {
	case THREAD:
	case PART:
		profile_put(writer, &thread, &error);
		profile_put(writer, (&(struct profile_node){.thread = thread.id, .base = base}),
			&error);
		break;
	case NODE:
	case SITE:
		profile_put(writer, &node, &error);
		break;
	case SAMPLE:
		profile_put(writer, &account, &error);
		break;
	case FORWARD:
		profile_put(writer, &forward, &error);
		break;
	case GONE:
		profile_drop_node(writer, (uint32_t)line[1], (uint32_t)line[2], &error);
		break;
	case SNAPSHOT:
		profile_put_snapshot(writer, &snapshot, &error);
		break;
	}
	assert_string_equal(error.text, "");
}

static const char *write_lines(const line_of *line)
{
	static const struct profile_condition conditions[] = {
		{0, "cpu:1ms", "cpu", 1000000, "ns", "perf task-clock"},
		{1, "alloc:512k", "alloc", 524288, "bytes", "SampledObjectAlloc"}};
	static const char *const names[] = {"a", "b", "c"};
	const char *path = fixture_path("samples.jprof");
	struct error error = {0};

	profile_create(&writer, path, fixture_metrics, FIXTURE_METRICS, NULL, &error);
	profile_begin(writer, &error);
	for (uint32_t i = 0; i < 3; i++)
		profile_put(writer,
			(&(struct profile_method){.id = A + i,
				.class_name = i == 2 ? "libc.so.6" : "acme.X",
				.name = names[i],
				.kind = i == 2 ? METHOD_NATIVE : METHOD_JAVA,
				.file = i == 2 ? NULL : "X.java"}),
			&error);
	for (int i = 0; i < 2; i++)
		profile_put(writer, &conditions[i], &error);
	if (is_auto)
		profile_put_meta(writer, "calls", "auto", &error);
	for (; **line != END; line++)
		put(*line);
	profile_commit(writer, &error);
	profile_close(writer, &error);
	assert_string_equal(error.text, "");
	return path;
}

/* Nodes as "METHOD<PARENT'S PLACE RECURSION CALLS", "METHOD@LINE<..." where call sites are kept apart, the sampled ones with a star, then samples as
 * "NODE'S PLACE:CONDITION/STATE/LINE=AMOUNT". */
static const char *read_lines(const char *path, const char *interval)
{
	static char text[1024];
	const struct profile_wanted wanted = {.interval = interval};
	struct profile *profile;
	struct error error = {0};
	size_t used = 0;

	if (profile_open_wanted(&profile, path, &wanted, &error) != 0) {
		snprintf(text, sizeof text, "%s", strstr(error.text, "is damaged"));
		return text;
	}
	for (size_t i = 0; i < profile->node_count; i++) {
		const struct profile_node *node = &profile->node[i];

		char line[16] = "";

		if (node->line)
			snprintf(line, sizeof line, "@%u", node->line);
		used += (size_t)snprintf(text + used, sizeof text - used, "%s%s%s%s<%u %u %llu",
			i > 0 ? ", " : "", node->sampled ? "*" : "",
			node->method ? profile->method[node->method].name : "root", line,
			node->parent, node->recursion, (unsigned long long)node->calls);
	}
	for (size_t i = 0; i < profile->account_count; i++) {
		const struct profile_account *account = &profile->account[i];

		used += (size_t)snprintf(text + used, sizeof text - used, "%s%u:%s/%s/%u=%llu",
			i > 0 ? ", " : "; ", account->node,
			profile->condition[sample_place_condition(account->subject)].event,
			sample_state_names[sample_place_state(account->subject)],
			(unsigned)sample_place_line(account->subject),
			(unsigned long long)account->amount);
	}
	profile_free(profile);
	return text;
}

/* Where methods are timed at one time and counted at another, a path that both calls and samples have found stays two. */
static void stays_apart(void **state)
{
	static const line_of lines[] = {{THREAD, 1}, {NODE, 1, 1, 0, A, 0, 5},
		{NODE, 1, 2, 1, B, 0, 7}, {NODE, 1, S(0), 0, A}, {NODE, 1, S(1), S(0), B},
		{NODE, 1, S(2), 2, B, 1}, {SAMPLE, 1, 1, S(1), 0x20, 1, 1},
		{SAMPLE, 1, 2, S(2), 0x20, 2, 2}, {SAMPLE, 1, 3, 2, 0x20, 3, 3}, {END}};
	const char *path = write_lines(lines);

	assert_string_equal(read_lines(path, NULL),
		"root<0 0 0, a<0 0 5, b<1 0 7, *b<2 1 0; 2:cpu/c2/0=1, 3:cpu/c2/0=2, "
		"2:cpu/c2/0=3");
	is_auto = true;
	path = write_lines(lines);
	is_auto = false;
	assert_string_equal(read_lines(path, NULL),
		"root<0 0 0, a<0 0 5, b<1 0 7, *a<0 0 0, *b<3 0 0, *b<2 1 0; 4:cpu/c2/0=1, "
		"5:cpu/c2/0=2, 2:cpu/c2/0=3");
}

/* What becomes of a file's nodes and samples. */
static void merges(void **state)
{
	static const struct {
		int line;
		const char *interval, *result;
		line_of lines[20];
	} rows[] = {
		{__LINE__, NULL, "root<0 0 0, *a<0 0 0, *b<1 0 0; 2:cpu/c2/9=4",
			{{THREAD, 1}, {NODE, 1, S(0), 0, A}, {NODE, 1, S(1), S(0), B},
				{SAMPLE, 1, 1, S(1), 0x920, 3, 4}}},
		/* The whole of a sampled path was called, too, but for its end. */
		{__LINE__, NULL,
			"root<0 0 0, a<0 0 5, b<1 0 7, *c<2 0 0; 2:cpu/c1/0=1, 3:alloc/"
			"native/0=2",
			{{THREAD, 1}, {NODE, 1, 1, 0, A, 0, 5}, {NODE, 1, 2, 1, B, 0, 7},
				{NODE, 1, S(0), 0, A}, {NODE, 1, S(1), S(0), B},
				{NODE, 1, S(2), S(1), C}, {SAMPLE, 1, 1, S(1), 0x010, 1, 1},
				{SAMPLE, 1, 2, S(2), 0x061, 1, 2}}},
		/* Below a node that was called, without any beside it. */
		{__LINE__, NULL, "root<0 0 0, a<0 0 5, *a<1 1 0; 2:cpu/interpreted/0=1",
			{{THREAD, 1}, {NODE, 1, 1, 0, A, 0, 5}, {NODE, 1, S(9), 1, A, 1},
				{SAMPLE, 1, 1, S(9), 0, 1, 1}}},
		/* a > b was folded into the thread's b: what is below it is no recursion of a any more. */
		{__LINE__, NULL,
			"root<0 0 0, (folded: memory)<0 0 0, b<1 0 5, *a<2 0 0, *b<3 1 0; "
			"4:cpu/c2/0=2, 2:cpu/c2/0=1",
			{{THREAD, 1}, {NODE, 1, 3, 0, METHOD_FOLDED}, {NODE, 1, 4, 3, B, 0, 5},
				{FORWARD, 1, 2, 4}, {NODE, 1, S(0), 2, A, 1},
				{NODE, 1, S(1), S(0), B, 1}, {SAMPLE, 1, 1, S(1), 0x20, 2, 2},
				{SAMPLE, 1, 2, 2, 0x20, 1, 1}}},
		/* Two paths that were folded into one have the same below them. */
		{__LINE__, NULL, "root<0 0 0, b<0 0 5, *c<1 0 0; 2:cpu/c2/0=1, 2:cpu/c2/0=2",
			{{THREAD, 1}, {NODE, 1, 4, 0, B, 0, 5}, {FORWARD, 1, 2, 4},
				{FORWARD, 1, 3, 4}, {NODE, 1, S(0), 2, C},
				{NODE, 1, S(1), 3, C}, {SAMPLE, 1, 1, S(0), 0x20, 1, 1},
				{SAMPLE, 1, 2, S(1), 0x20, 1, 2}}},
		/* Samples were folded. */
		{__LINE__, NULL, "root<0 0 0, *a<0 0 0; 1:cpu/c2/0=7",
			{{THREAD, 1}, {NODE, 1, S(0), 0, A}, {FORWARD, 1, S(1), S(0)},
				{SAMPLE, 1, 1, S(1), 0x20, 7, 7}}},
		/* In the interval a was called for the first time; b was not sampled in it. */
		{__LINE__, "here..", "root<0 0 0, a<0 0 5, *c<1 0 0; 2:cpu/c2/0=3",
			{{THREAD, 1}, {NODE, 1, S(0), 0, A}, {NODE, 1, S(1), S(0), B},
				{NODE, 1, S(2), S(0), C}, {SAMPLE, 1, 1, S(1), 0x20, 2, 2},
				{SAMPLE, 1, 2, S(2), 0x20, 1, 1}, {SNAPSHOT, 1},
				{NODE, 1, 1, 0, A, 0, 5}, {SAMPLE, 1, 2, S(2), 0x20, 4, 4}}},
		{__LINE__, "..here", "root<0 0 0, *a<0 0 0, *b<1 0 0; 2:cpu/c2/0=2",
			{{THREAD, 1}, {NODE, 1, S(0), 0, A}, {NODE, 1, S(1), S(0), B},
				{SAMPLE, 1, 1, S(1), 0x20, 2, 2}, {SNAPSHOT, 1},
				{NODE, 1, 1, 0, A, 0, 5}}},
		/* a, above and sampled itself, was folded between the two. */
		{__LINE__, "here..",
			"root<0 0 0, (folded: memory)<0 0 0, a<1 0 4, *b<2 0 0; 2:cpu/c2/0=5, "
			"3:cpu/c2/0=1",
			{{THREAD, 1}, {NODE, 1, 1, 0, A, 0, 5}, {NODE, 1, S(0), 1, B},
				{SAMPLE, 1, 1, 1, 0x20, 2, 2}, {SAMPLE, 1, 2, S(0), 0x20, 3, 3},
				{SNAPSHOT, 1}, {GONE, 1, 1}, {FORWARD, 1, 1, 3},
				{NODE, 1, 2, 0, METHOD_FOLDED}, {NODE, 1, 3, 2, A, 0, 9},
				{SAMPLE, 1, 1, 1, 0x20, 7, 7},
				{SAMPLE, 1, 2, S(0), 0x20, 4, 4}}},
		/* Parts of a group: called in one, sampled in the other. */
		{__LINE__, NULL,
			"root<0 0 0, a<0 0 0, *c<1 0 0, b<1 0 5; 2:cpu/c2/0=1, 3:cpu/"
			"c2/0=2",
			{{THREAD, 1}, {PART, 2, 1}, {PART, 3, 1}, {NODE, 2, S(0), 0, A},
				{NODE, 2, S(1), S(0), C}, {NODE, 3, 1, 0, A, 0, 0},
				{NODE, 3, 2, 1, B, 0, 5}, {NODE, 3, S(0), 1, B},
				{SAMPLE, 2, 1, S(1), 0x20, 1, 1},
				{SAMPLE, 3, 1, S(0), 0x20, 2, 2}}},
		/* Call sites are a part of their method: samples in it are its own, and in which recursion it is called
		 * does not depend on them. */
		{__LINE__, NULL,
			"root<0 0 0, a<0 0 5, b@17<1 0 3, b@23<1 0 4, a@17<1 1 2; "
			"1:cpu/c2/0=1, 3:cpu/c2/0=2, 1:cpu/c2/0=4",
			{{THREAD, 1}, {NODE, 1, 1, 0, A, 0, 5}, {SITE, 1, 2, 1, A, 1, 17},
				{NODE, 1, 3, 2, B, 0, 3}, {SITE, 1, 4, 1, A, 1, 23},
				{NODE, 1, 5, 4, B, 0, 4}, {NODE, 1, 6, 2, A, 1, 2},
				{SAMPLE, 1, 1, 2, 0x20, 1, 1}, {SAMPLE, 1, 2, 5, 0x20, 2, 2},
				{SAMPLE, 1, 3, 1, 0x20, 4, 4}}},
		/* Those of calls and of samples are one; of samples alone there is a line more. */
		{__LINE__, NULL,
			"root<0 0 0, a<0 0 5, b@17<1 0 3, *c@9<2 0 0, *b@23<1 0 0, *a@9<4 1 0; "
			"3:cpu/c2/0=1, 5:cpu/c2/0=2",
			{{THREAD, 1}, {NODE, 1, 1, 0, A, 0, 5}, {SITE, 1, 2, 1, A, 1, 17},
				{NODE, 1, 3, 2, B, 0, 3}, {NODE, 1, S(0), 0, A},
				{SITE, 1, S(1), S(0), A, 0, 17}, {NODE, 1, S(2), S(1), B},
				{SITE, 1, S(3), S(2), B, 0, 9}, {NODE, 1, S(4), S(3), C},
				{SITE, 1, S(5), S(0), A, 0, 23}, {NODE, 1, S(6), S(5), B},
				{SITE, 1, S(7), S(6), B, 0, 9}, {NODE, 1, S(8), S(7), A},
				{SAMPLE, 1, 1, S(4), 0x20, 1, 1},
				{SAMPLE, 1, 2, S(8), 0x20, 2, 2}}},
		/* In the interval one of them. */
		{__LINE__, "here..", "root<0 0 0, a<0 0 1, b@23<1 0 4",
			{{THREAD, 1}, {NODE, 1, 1, 0, A, 0, 5}, {SITE, 1, 2, 1, A, 1, 17},
				{NODE, 1, 3, 2, B, 0, 3}, {SITE, 1, 4, 1, A, 1, 23},
				{SNAPSHOT, 1}, {NODE, 1, 1, 0, A, 0, 6},
				{NODE, 1, 5, 4, B, 0, 4}}},
		/* The method was folded, and its site is there as its part. */
		{__LINE__, NULL,
			"root<0 0 0, (folded: memory)<0 0 0, a<1 0 5, *b@17<2 0 0; "
			"3:cpu/c2/0=1",
			{{THREAD, 1}, {NODE, 1, 3, 0, METHOD_FOLDED}, {NODE, 1, 4, 3, A, 0, 5},
				{FORWARD, 1, 2, 4}, {SITE, 1, S(0), 2, A, 0, 17},
				{NODE, 1, S(1), S(0), B}, {SAMPLE, 1, 1, S(1), 0x20, 1, 1}}},
		{__LINE__, NULL, "is damaged: node 6442450944 has an impossible parent",
			{{THREAD, 1}, {NODE, 1, S(0), 7, A}}},
		{__LINE__, NULL, "is damaged: node 6442450944 has an impossible parent",
			{{THREAD, 1}, {NODE, 1, S(0), 2, A}, {FORWARD, 1, 2, S(0)}}},
		{__LINE__, NULL, "is damaged: samples in an impossible place",
			{{THREAD, 1}, {SAMPLE, 1, 1, 0, 0x022, 1, 1}}},
		{__LINE__, NULL, "is damaged: samples in an impossible place",
			{{THREAD, 1}, {SAMPLE, 1, 1, 0, 0x0f0, 1, 1}}},
		{__LINE__, NULL, "is damaged: samples in an impossible place",
			{{THREAD, 1}, {SAMPLE, 1, 1, 0, (uint64_t)1 << 40, 1, 1}}},
	};

	for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
		const char *result = read_lines(write_lines(rows[i].lines), rows[i].interval);

		if (strcmp(result, rows[i].result) != 0)
			fail_msg("row of line %d: %s", rows[i].line, result);
	}
}

static const line_of some[] = {{THREAD, 1}, {NODE, 1, 1, 0, A, 0, 5}, {NODE, 1, S(0), 1, B},
	{NODE, 1, S(1), 9, C}, {FORWARD, 1, 9, 1}, {SAMPLE, 1, 1, S(0), 0x920, 3, 4},
	{SAMPLE, 1, 2, 9, 0x061, 1, 1}, {END}};

static void views(void **state)
{
	static const struct {
		int line;
		const char *sql, *answer;
	} rows[] = {
		{__LINE__,
			"SELECT thread || class || method || kind || file || condition || "
			"state || line || count || amount FROM samples",
			"tacme.XbjavaX.javacpu:1msc2934"},
		/* At a node that was folded. */
		{__LINE__,
			"SELECT method || condition || state || ifnull(line, '-') FROM "
			"samples WHERE condition <> 'cpu:1ms'",
			"aalloc:512knative-"},
		{__LINE__, "SELECT count(*) FROM operations", "0"},
		{__LINE__,
			"SELECT group_concat(ifnull(method, '') || ifnull(calls, '-')) FROM "
			"tree",
			"0,a5,b-,c-"},
		{__LINE__,
			"SELECT group_concat(ifnull(method, '') || ifnull(calls, '-')) FROM "
			"methods",
			"0,a5,b-,c-"},
		{__LINE__, "SELECT period || unit || how FROM condition WHERE id = 0",
			"1000000nsperf task-clock"},
		{__LINE__, "SELECT group_concat(name) FROM state",
			"interpreted,c1,c2,c1-inlined,c2-inlined,stub,native,jvm,kernel,gc,"
			"jit,waiting,unknown,jprof"},
	};
	const char *path = write_lines(some);
	char answer[256];

	for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
		fixture_sql(path, rows[i].sql, answer, sizeof answer);
		if (strcmp(answer, rows[i].answer) != 0)
			fail_msg("row of line %d: %s", rows[i].line, answer);
	}
}

static void damaged(void **state)
{
	static const struct {
		int line;
		const char *sql, *result;
	} rows[] = {
		{__LINE__, "UPDATE condition SET id = 7 WHERE id = 1",
			"is damaged: condition 1 is missing, or one too many"},
		{__LINE__, "UPDATE node SET sampled = 1 WHERE id = 4294967297",
			"is damaged: node 4294967297 has a number of the other kind"},
		{__LINE__, "UPDATE node SET sampled = 0",
			"is damaged: node 6442450944 has a number of the other kind"},
		{__LINE__, "UPDATE method SET kind = 'x' WHERE id = 3",
			"is damaged: table 'method' has an impossible 'kind' in row 4"},
		{__LINE__, "DROP TABLE condition", "is damaged: no table 'condition'"},
	};

	for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
		const char *path = write_lines(some), *result;

		fixture_sql(path, rows[i].sql, NULL, 0);
		result = read_lines(path, NULL);
		if (strcmp(result, rows[i].result) != 0)
			fail_msg("row of line %d: %s", rows[i].line, result);
	}
}

static int clean(void **state)
{
	fixture_clean();
	return 0;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(merges),
		cmocka_unit_test(stays_apart),
		cmocka_unit_test(views),
		cmocka_unit_test(damaged),
	};

	return cmocka_run_group_tests(tests, NULL, clean);
}
