/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/*
 * test_labels: the views of values and tags, and what is chosen by them. The profile is a file; figures in the tables below were
 * summed up by hand from the tree in put_nodes.
 */
#include <jansson.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <unistd.h>

#include <cmocka.h>

#include "native-tests/report/fixture.h"
#include "native-tests/test_folder.h"
#include "profile/profile_write.h"
#include "report/request.h"

#define COUNT(array) (sizeof(array) / sizeof(*(array)))

enum { RUN = METHOD_FIRST, EXECUTE, PREPARE, SEND, BYTES, METHODS_END };

enum { FIRST = 1, SECOND, USER, KIND }; /* parameters */
enum { SELECT_A = 1, NOTHING, OTHERS, ASTERISK, ALICE, BOB, HTTP };
enum { NO_TAGS = 1, OF_ALICE, OF_ALICE_HTTP, OF_BOB };

static char folder[] = "/tmp/jprof-labels-XXXXXX";
static char file[64], auto_file[64];

/* ---- the file ---- */

static const struct {
	uint32_t thread, id, parent, method, value, tags;
	uint64_t calls, wall;
} nodes[] = {
	{1, 0, 0, METHOD_ROOT, 0, 0, 0, 100},
	{1, 1, 0, RUN, 0, 0, 1, 10},
	{1, 2, 1, RUN, 0, OF_ALICE, 0, 5},
	{1, 3, 2, EXECUTE, 0, 0, 6, 3},
	{1, 4, 3, EXECUTE, SELECT_A, 0, 3, 20},
	/* Two parameters of one call. */
	{1, 5, 4, EXECUTE, ASTERISK, 0, 2, 7},
	{1, 6, 5, PREPARE, 0, 0, 2, 40},
	/* The same value inside itself. */
	{1, 7, 6, EXECUTE, 0, 0, 1, 1},
	{1, 8, 7, EXECUTE, SELECT_A, 0, 1, 11},
	{1, 9, 4, PREPARE, 0, 0, 1, 9},
	{1, 10, 3, EXECUTE, NOTHING, 0, 1, 6},
	{1, 11, 3, EXECUTE, OTHERS, 0, 1, 8},
	/* A call without a value. */
	{1, 12, 3, PREPARE, 0, 0, 1, 13},
	/* Tags that change, and end. */
	{1, 13, 9, PREPARE, 0, OF_ALICE_HTTP, 0, 4},
	{1, 14, 13, SEND, 0, 0, 2, 16},
	{1, 15, 14, SEND, 0, NO_TAGS, 0, 2},
	/* Paths that were given up. */
	{1, 16, 0, METHOD_FOLDED, 0, 0, 0, 0},
	{1, 17, 16, EXECUTE, 0, 0, 4, 50},
	{2, 0, 0, METHOD_ROOT, 0, 0, 0, 1000},
	{2, 1, 0, METHOD_ROOT, 0, OF_BOB, 0, 30},
	{2, 2, 1, SEND, 0, 0, 5, 60},
};

static const struct profile_method methods[] = {
	{.id = RUN, .class_name = "com.acme.Job", .name = "run", .signature = "()V"},
	{.id = EXECUTE,
		.class_name = "com.acme.Db",
		.name = "execute",
		.signature = "(Ljava/lang/String;I)V"},
	{.id = PREPARE, .class_name = "com.acme.Db", .name = "prepare", .signature = "()V"},
	{.id = SEND, .class_name = "com.acme.Net", .name = "send", .signature = "()V"},
	{.id = BYTES, .class_name = "byte[]", .name = "", .kind = METHOD_CLASS},
};

static const struct profile_parameter parameters[] = {
	{FIRST, "Db.execute(0)", false, PROFILE_SESSIONS_ALL},
	{SECOND, "Db.execute(1)", false, PROFILE_SESSIONS_ALL},
	{USER, "user", true, PROFILE_SESSIONS_ALL},
	{KIND, "kind", true, PROFILE_SESSIONS_ALL},
};

/* A value that is a pattern of all others, too. */
#define STAR "*"

#define SQL "SELECT a\n  FROM <b> /* \x1b[2J\xe2\x80\xae */"

static const struct profile_value values[] = {
	{SELECT_A, FIRST, SQL, false},
	{NOTHING, FIRST, NULL, false},
	{OTHERS, FIRST, NULL, true},
	{ASTERISK, SECOND, STAR, false},
	{ALICE, USER, "alice", false},
	{BOB, USER, "bob", false},
	{HTTP, KIND, "http", false},
};

static const struct profile_tag tags[] = {{1, OF_ALICE, ALICE}, {2, OF_ALICE_HTTP, ALICE},
	{3, OF_ALICE_HTTP, HTTP}, {4, OF_BOB, BOB}};

static const struct profile_file files[] = {
	{.id = 1, .kind = IO_FILE, .descriptor = 5, .name = "/data"},
	{.id = 2, .kind = IO_TCP, .descriptor = 6, .name = "local", .peer = "remote"},
};

static const struct profile_account accounts[] = {
	{.thread = 1,
		.id = 1,
		.node = 6,
		.subject = 1,
		.kind = IO_READ,
		.count = 2,
		.amount = 20,
		.ns = 200},
	{.thread = 1,
		.id = 2,
		.node = 8,
		.subject = 1,
		.kind = IO_WRITE,
		.count = 1,
		.amount = 5,
		.ns = 50},
	{.thread = 1,
		.id = 3,
		.node = 14,
		.subject = 2,
		.kind = IO_SEND,
		.count = 3,
		.amount = 30,
		.ns = 300},
	{.thread = 1,
		.id = 4,
		.node = 12,
		.subject = 2,
		.kind = IO_RECEIVE,
		.count = 4,
		.amount = 40,
		.ns = 400},
	{.thread = 1, .id = 5, .node = 4, .subject = SELECT_A, .kind = VALUE_ROWS, .count = 9},
	{.thread = 1, .id = 6, .node = 8, .subject = SELECT_A, .kind = VALUE_ROWS, .count = 2},
	{.thread = 1,
		.id = 7,
		.node = 6,
		.subject = BYTES,
		.kind = OBJECTS_ALLOCATED,
		.count = 3,
		.amount = 48,
		.failures = 3},
	{.thread = 2, .id = 1, .node = 2, .kind = LOCKS_PARK, .count = 2, .ns = 70},
	{.thread = 2,
		.id = ACCOUNT_OF_METHOD + PREPARE,
		.node = 0,
		.subject = PREPARE,
		.kind = CALLS,
		.count = 1000},
};

static int put_nodes(struct profile_writer *writer, unsigned times, struct error *error)
{
	int status = 0;

	for (size_t i = 0; i < COUNT(nodes) && status == 0; i++) {
		uint64_t base[] = {times * nodes[i].wall}, spent[] = {0};
		const struct profile_node node = {.thread = nodes[i].thread,
			.id = nodes[i].id,
			.parent = nodes[i].parent,
			.method = nodes[i].method,
			.value = nodes[i].value,
			.tags = nodes[i].tags,
			.recursion = nodes[i].id == 7 || nodes[i].id == 8,
			.calls = times * nodes[i].calls,
			.jitted = times * nodes[i].calls,
			.transition = {{0, times * nodes[i].calls}, {0, 0}},
			.base = base,
			.spent = spent};

		status = profile_put(writer, &node, error);
	}
	return status;
}

#define PUT_ALL(rows)                                                                          \
	for (size_t row = 0; row < COUNT(rows) && status == 0; row++)                          \
	status = profile_put(writer, &(rows)[row], error)

static int put_all(struct profile_writer *writer, unsigned times, struct error *error)
{
	const struct profile_thread threads[] = {{.id = 1,
							 .java_id = 1,
							 .name = "main",
							 .alive = true,
							 .folded = 1,
							 .events = times * 46,
							 .waited_ns = times * 9,
							 .total = {times * 305}},
		{.id = 2,
			.java_id = 2,
			.name = "worker",
			.alive = true,
			.folded = 1,
			.events = times * 10,
			.total = {times * 1090}}};
	int status = profile_begin(writer, error);

	PUT_ALL(methods);
	PUT_ALL(parameters);
	PUT_ALL(values);
	PUT_ALL(tags);
	PUT_ALL(files);
	PUT_ALL(threads);
	if (status == 0)
		status = put_nodes(writer, times, error);
	for (size_t i = 0; i < COUNT(accounts) && status == 0; i++) {
		struct profile_account account = accounts[i];

		account.count *= times;
		account.amount *= times;
		account.ns *= times;
		status = profile_put(writer, &account, error);
	}
	return status;
}

/* What samples alone have found: below labels, and below a method without any; and what came while calls were counted. */
static int put_samples(struct profile_writer *writer, struct error *error)
{
	static const struct {
		uint32_t id, parent, method, samples;
		/* Periods of 100 ns, of 700 ns that 1000 counted calls take. */
		uint32_t counting;
	} sampled[] = {{0, 4, SEND, 3, 0}, {1, 13, SEND, 5, 8}, {2, 1, SEND, 7, 6},
		{3, 2, PREPARE, 2, 0}};
	static const struct profile_condition conditions[] = {
		{.id = 0, .name = "wall:1ms", .event = "wall", .period = 1000000, .unit = "ns"},
		{.id = 1, .name = "cpu:100ns", .event = "cpu", .period = 100, .unit = "ns"},
	};
	int status = 0;

	PUT_ALL(conditions);
	for (uint32_t i = 0; i < COUNT(sampled) && status == 0; i++) {
		const uint64_t nothing[] = {0};
		const struct profile_node node = {.thread = 1,
			.id = NODE_SAMPLED_FIRST + sampled[i].id,
			.parent = sampled[i].parent,
			.method = sampled[i].method,
			.sampled = true,
			.base = nothing,
			.spent = nothing};
		const struct profile_account account = {.thread = 1,
			.id = 100 + i,
			.node = node.id,
			.subject = sample_place(0, SAMPLE_C2, 0),
			.kind = SAMPLES,
			.count = sampled[i].samples,
			.amount = sampled[i].samples};
		const struct profile_account counting = {.thread = 1,
			.id = 200 + i,
			.node = node.id,
			.subject = sample_place(1, SAMPLE_JPROF, 0),
			.kind = SAMPLES,
			.count = sampled[i].counting,
			.amount = sampled[i].counting};

		status = profile_put(writer, &node, error);
		if (status == 0)
			status = profile_put(writer, &account, error);
		if (status == 0 && counting.count > 0)
			status = profile_put(writer, &counting, error);
	}
	return status;
}

/* Everything three times, of which the snapshot `early` has the first two. */
static int make_file(const char *path, bool is_auto, struct error *error)
{
	static const struct profile_metric wall = {
		.name = "wall", .unit = "ns", .how = "time stamp"};
	const struct profile_snapshot early = {1, "early", 1000000000, SNAPSHOT_NAMED, 0};
	struct profile_writer *writer = NULL;
	int status = profile_create(&writer, path, &wall, 1, NULL, error);

	if (status == 0)
		status = put_all(writer, 2, error);
	if (status == 0)
		status = profile_put_snapshot(writer, &early, error);
	if (status == 0)
		status = profile_commit(writer, error);
	if (status == 0)
		status = put_all(writer, 3, error);
	if (status == 0 && is_auto)
		status = profile_put_meta(writer, "calls", "auto", error);
	if (status == 0 && is_auto)
		status = put_samples(writer, error);
	if (status == 0)
		status = profile_commit(writer, error);
	if (status == 0)
		status = profile_close(writer, error);
	return status;
}

static int make_files(void **state)
{
	struct error error = {0};
	int status;

	if (test_folder_make(folder) != 0)
		return -1;
	snprintf(file, sizeof(file), "%s/labels.jprof", folder);
	snprintf(auto_file, sizeof(auto_file), "%s/auto.jprof", folder);
	status = make_file(file, false, &error);
	if (status == 0)
		status = make_file(auto_file, true, &error);
	if (status != 0)
		print_error("%s\n", error.text);
	return status;
}

static int remove_file(void **state)
{
	return test_folder_remove(folder);
}

/* ---- reports ---- */

/* What is asked for; NULL and 0: not. */
struct asked {
	const char *tags[3], *values[2];
	const char *view, *interval, *by, *thread, *method, *metrics, *path, *file;
	bool is_auto;
	const struct adjustment *adjustment;
};

static struct profile *open_asked(
	const struct asked *asked, struct label_choice *labels, struct error *error)
{
	/* The last of three times, which all have the same figures. */
	const struct profile_wanted wanted = {
		.interval = asked->interval ? asked->interval : "early..", .labels = labels};
	struct profile *profile = NULL;

	*labels = (struct label_choice){0};
	for (size_t i = 0; i < COUNT(asked->tags) && asked->tags[i]; i++)
		assert_int_equal(pattern_list_add(&labels->tags, asked->tags[i]), 0);
	for (size_t i = 0; i < COUNT(asked->values) && asked->values[i]; i++)
		assert_int_equal(pattern_list_add(&labels->values, asked->values[i]), 0);
	profile_open_wanted(&profile, asked->is_auto ? auto_file : file, &wanted, error);
	return profile;
}

/* What was said last, beside the report. */
static char said[256];

static void keep_said(const char *line)
{
	snprintf(said, sizeof(said), "%s", line);
}

/* labels: what the profile was read with. */
static char *print_chosen(const struct profile *profile, const struct asked *asked,
	const struct label_choice *labels, const struct format *format, unsigned width)
{
	struct report_request request = {.view = view_find(asked->view),
		.format = format,
		.width = width,
		.by = asked->by,
		.say = keep_said,
		.min = -1,
		.choice = {.labels = *labels,
			.metrics = asked->metrics,
			.adjustment = asked->adjustment}};
	struct error error = {0};
	uint64_t violations;
	struct out out;

	assert_non_null(request.view);
	if (asked->thread)
		assert_int_equal(pattern_list_add(&request.choice.threads, asked->thread), 0);
	if (asked->method)
		assert_int_equal(pattern_list_add(&request.choice.methods, asked->method), 0);
	if (asked->path)
		assert_int_equal(pattern_list_add(&request.choice.paths, asked->path), 0);
	if (asked->file)
		assert_int_equal(pattern_list_add(&request.choice.files, asked->file), 0);
	out_init(&out, -1);
	if (report_put_profile(profile, &request, &out, &violations, &error) != 0)
		fail_msg("%s: %s", asked->view, error.text);
	assert_int_equal(violations, 0);
	out_char(&out, '\0');
	pattern_list_fini(&request.choice.threads);
	pattern_list_fini(&request.choice.methods);
	pattern_list_fini(&request.choice.paths);
	pattern_list_fini(&request.choice.files);
	return out.buffer;
}

static json_t *report_of(const struct profile *profile, const struct asked *asked)
{
	const struct label_choice all = {0};
	char *text = print_chosen(profile, asked, &all, format_find("json"), 0);
	json_t *report = json_loads(text, JSON_REJECT_DUPLICATES, NULL);

	assert_non_null(report);
	free(text);
	return report;
}

static json_t *report_asked(const struct asked *asked)
{
	struct label_choice labels;
	struct error error = {0};
	struct profile *profile = open_asked(asked, &labels, &error);
	json_t *report;

	if (!profile)
		fail_msg("%s", error.text);
	report = report_of(profile, asked);
	profile_free(profile);
	label_choice_fini(&labels);
	return report;
}

/* "base.wall" of a row. */
static const json_t *at(const json_t *row, const char *path)
{
	char part[64];

	while (*path != '\0') {
		size_t length = strcspn(path, ".");

		snprintf(part, sizeof(part), "%.*s", (int)length, path);
		row = json_object_get(row, part);
		path += length + (path[length] == '.');
	}
	return row;
}

/* The row whose keys have these texts; NULL: null. */
static const json_t *find_row(const json_t *report, const char *const key[2], const char *first,
	const char *second, const char *kind)
{
	const json_t *row;
	size_t i;

	json_array_foreach(json_object_get(report, "rows"), i, row)
	{
		const char *a = json_string_value(json_object_get(row, key[0]));
		const char *b = json_string_value(json_object_get(row, key[1]));
		const char *k = json_string_value(json_object_get(row, "kind"));

		if (strcmp(a, first) == 0 && (b ? second && strcmp(b, second) == 0 : !second) &&
			strcmp(k, kind) == 0)
			return row;
	}
	fail_msg("no row %s, %s, %s", first, second ? second : "null", kind);
	return NULL;
}

static void check(int line, const json_t *row, const char *path, json_int_t expected)
{
	const json_t *number = at(row, path);

	if (!json_is_integer(number) || json_integer_value(number) != expected)
		fail_msg("line %d: %s is %lld, not %lld", line, path,
			(long long)json_integer_value(number), (long long)expected);
}

/* ---- values ---- */

static const char *const value_keys[] = {"parameter", "value"};

static void test_values(void **state)
{
	static const struct {
		int line;
		const char *parameter, *value, *kind;
		json_int_t calls, base, cum, reads, writes, sent, received, rows, objects;
	} cases[] = {
		{__LINE__, "Db.execute(0)", SQL, "value", 4, 38, 110, 20, 5, 30, 0, 11, 48},
		{__LINE__, "Db.execute(0)", NULL, "null", 1, 6, 6, 0, 0, 0, 0, 0, 0},
		{__LINE__, "Db.execute(0)", NULL, "others", 1, 8, 8, 0, 0, 0, 0, 0, 0},
		{__LINE__, "Db.execute(0)", NULL, "not known", 5, 53, 66, 0, 0, 0, 40, 0, 0},
		{__LINE__, "Db.execute(1)", STAR, "value", 2, 7, 59, 20, 5, 0, 0, 2, 48},
		{__LINE__, "Db.execute(1)", NULL, "not known", 8, 87, 131, 0, 0, 30, 40, 9, 0},
	};
	json_t *report = report_asked(&(struct asked){.view = "values"});

	assert_int_equal(json_array_size(json_object_get(report, "rows")), COUNT(cases));
	for (size_t i = 0; i < COUNT(cases); i++) {
		const json_t *row = find_row(
			report, value_keys, cases[i].parameter, cases[i].value, cases[i].kind);

		check(cases[i].line, row, "calls", cases[i].calls);
		check(cases[i].line, row, "base.wall", cases[i].base);
		check(cases[i].line, row, "cum.wall", cases[i].cum);
		check(cases[i].line, row, "reads.bytes", cases[i].reads);
		check(cases[i].line, row, "writes.bytes", cases[i].writes);
		check(cases[i].line, row, "sent.bytes", cases[i].sent);
		check(cases[i].line, row, "received.bytes", cases[i].received);
		check(cases[i].line, row, "rows", cases[i].rows);
		check(cases[i].line, row, "allocated.bytes", cases[i].objects);
	}
	/* Sorted by what all below used: of the parameter's methods that is 190. */
	assert_string_equal(
		json_string_value(
			at(json_array_get(json_object_get(report, "rows"), 0), "kind")),
		"not known");
	assert_true(fabs(json_real_value(
				 at(find_row(report, value_keys, "Db.execute(0)", SQL, "value"),
					 "share")) -
			    110.0 / 190) < 1e-14);
	json_decref(report);
}

static void test_methods_of_values(void **state)
{
	json_t *report = report_asked(&(struct asked){.view = "values"});
	const json_t *row = find_row(report, value_keys, "Db.execute(0)", SQL, "value");
	const json_t *list = json_object_get(row, "methods");
	const json_t *method = json_array_get(list, 0);

	assert_int_equal(json_array_size(list), 1);
	assert_string_equal(json_string_value(at(method, "class")), "com.acme.Db");
	assert_string_equal(json_string_value(at(method, "method")), "execute");
	assert_string_equal(
		json_string_value(at(method, "signature")), "(Ljava/lang/String;I)V");
	check(__LINE__, method, "calls", 4);
	check(__LINE__, method, "cum.wall", 110);
	json_decref(report);
}

/* The rows of a parameter are its methods' 11 calls and 106 ns; but for one call, and what that used, inside another one with a value:
 * of the first parameter it has a value itself, read behind 1 ns; of the second it has none. */
static void test_values_add_up(void **state)
{
	static const struct {
		int line;
		struct asked asked;
		json_int_t calls[2], base[2];
	} cases[] = {
		{__LINE__, {.view = "values"}, {11, 10}, {106 - 1, 106 - 12}},
		{__LINE__, {.view = "values", .interval = "..early"}, {22, 20}, {210, 188}},
		{__LINE__, {.view = "values", .interval = ".."}, {33, 30}, {315, 282}},
		{__LINE__, {.view = "values", .tags = {"user=alice"}}, {7, 6}, {55, 44}},
		{__LINE__, {.view = "values", .thread = "main"}, {11, 10}, {105, 94}},
		{__LINE__, {.view = "values", .method = "com.acme.Db.execute"}, {11, 10},
			{105, 94}},
	};

	for (size_t i = 0; i < COUNT(cases); i++) {
		json_t *report = report_asked(&cases[i].asked), *row;
		json_int_t calls[2] = {0}, base[2] = {0};
		size_t r;

		json_array_foreach(json_object_get(report, "rows"), r, row)
		{
			int second = strcmp(json_string_value(at(row, "parameter")),
					     "Db.execute(1)") == 0;

			calls[second] += json_integer_value(at(row, "calls"));
			base[second] += json_integer_value(at(row, "base.wall"));
		}
		for (int p = 0; p < 2; p++)
			if (calls[p] != cases[i].calls[p] || base[p] != cases[i].base[p])
				fail_msg("line %d, parameter %d: %lld calls, %lld ns",
					cases[i].line, p, (long long)calls[p],
					(long long)base[p]);
		json_decref(report);
	}
}

/* ---- tags ---- */

static const char *const tag_keys[] = {"key", "value"};

struct tag_case {
	int line;
	const char *key, *value, *kind;
	json_int_t threads, calls, cum, sent, waits;
};

static void check_tags(const struct asked *asked, const struct tag_case *cases, size_t count)
{
	json_t *report = report_asked(asked);

	assert_int_equal(json_array_size(json_object_get(report, "rows")), count);
	for (size_t i = 0; i < count; i++) {
		const json_t *row =
			find_row(report, tag_keys, cases[i].key, cases[i].value, cases[i].kind);

		check(cases[i].line, row, "threads", cases[i].threads);
		check(cases[i].line, row, "calls", cases[i].calls);
		check(cases[i].line, row, "cum.wall", cases[i].cum);
		check(cases[i].line, row, "sent.bytes", cases[i].sent);
		check(cases[i].line, row, "waits.ns", cases[i].waits);
	}
	json_decref(report);
}

/* The rows of each key: all 1395 ns and 23 calls. */
static void test_tags(void **state)
{
	static const struct tag_case cases[] = {
		{__LINE__, "user", "alice", "value", 1, 13, 143, 30, 0},
		{__LINE__, "user", "bob", "value", 1, 5, 90, 0, 70},
		{__LINE__, "user", NULL, "none", 2, 5, 1162, 0, 0},
		{__LINE__, "kind", "http", "value", 1, 2, 20, 30, 0},
		{__LINE__, "kind", NULL, "none", 2, 21, 1375, 0, 70},
	};

	check_tags(&(struct asked){.view = "tags"}, cases, COUNT(cases));
}

static void test_tags_together(void **state)
{
	static const struct tag_case cases[] = {
		{__LINE__, "user,kind", "alice, http", "values", 1, 2, 20, 30, 0},
		{__LINE__, "user,kind", "alice, (none)", "values", 1, 11, 123, 0, 0},
		{__LINE__, "user,kind", "bob, (none)", "values", 1, 5, 90, 0, 70},
		{__LINE__, "user,kind", "(none), (none)", "values", 2, 5, 1162, 0, 0},
	};
	struct error error = {0};
	struct label_choice labels;
	struct profile *profile;

	check_tags(&(struct asked){.view = "tags", .by = "user,kind"}, cases, COUNT(cases));
	profile = open_asked(&(struct asked){.view = "tags"}, &labels, &error);
	assert_int_equal(tags_check(profile, "kind", &error), 0);
	assert_int_equal(tags_check(profile, "user,who,kind", &error), -ERROR_MISSING);
	assert_non_null(strstr(error.text, "tags 'who';"));
	error = (struct error){0};
	assert_int_equal(tags_check(profile, "user,kind,user", &error), -ERROR_USAGE);
	assert_non_null(strstr(error.text, "'user' twice"));
	profile_free(profile);
}

/* Where rows are of several keys, JSON has the value of each by itself. */
static void test_values_of_tags(void **state)
{
	json_t *report = report_asked(&(struct asked){.view = "tags", .by = "user,kind"});
	const json_t *row = find_row(report, tag_keys, "user,kind", "alice, (none)", "values");
	json_t *expected = json_pack("[{s:s,s:s,s:s},{s:s,s:n,s:s}]", "key", "user", "value",
		"alice", "kind", "value", "key", "kind", "value", "kind", "none");

	assert_non_null(expected);
	assert_true(json_equal(json_object_get(row, "values"), expected));
	json_decref(expected);
	json_decref(report);
	report = report_asked(&(struct asked){.view = "tags"});
	row = find_row(report, tag_keys, "user", "alice", "value");
	assert_true(json_is_null(json_object_get(row, "values")));
	json_decref(report);
}

/* A profile with values alone has no view of tags, and the other way round. */
static void test_one_kind(void **state)
{
	static const struct {
		size_t first, count;
		int of_values, of_tags;
	} cases[] = {{0, 4, 0, 0}, {0, 2, 0, -ERROR_MISSING}, {2, 2, -ERROR_MISSING, 0}};

	for (size_t i = 0; i < COUNT(cases); i++) {
		const struct report_request of_values = {.view = view_find("values")},
					    of_tags = {.view = view_find("tags")};
		struct label_choice labels;
		struct error error = {0};
		struct profile *profile =
			open_asked(&(struct asked){.view = "tags"}, &labels, &error);

		profile->parameter += cases[i].first;
		profile->parameter_count = cases[i].count;
		assert_int_equal(request_check_profile(&of_values, profile, "x", &error),
			cases[i].of_values);
		assert_int_equal(request_check_profile(&of_tags, profile, "x", &error),
			cases[i].of_tags);
		profile_free(profile);
	}
}

/* ---- what is chosen ---- */

static json_int_t total_of(const json_t *report)
{
	json_int_t sum = 0;
	const json_t *row;
	size_t i;

	json_array_foreach(json_object_get(report, "rows"), i, row)
	{
		sum += json_integer_value(at(row, "total.wall"));
	}
	return sum;
}

/* Threads have what their nodes have, of the methods' bases. */
static void test_chosen(void **state)
{
	static const struct {
		int line;
		struct asked asked;
		json_int_t all, execute, send;
	} cases[] = {
		{__LINE__, {.tags = {"user=alice"}}, 143, 56, 16},
		{__LINE__, {.tags = {"user=*"}}, 143 + 90, 56, 76},
		{__LINE__, {.tags = {"user=alice", "user=bob"}}, 233, 56, 76},
		{__LINE__, {.tags = {"user=alice", "kind=http"}}, 20, 0, 16},
		{__LINE__, {.tags = {"user=alice", "user=bob", "kind=(none)"}}, 213, 56, 60},
		{__LINE__, {.tags = {"user=(none)"}}, 1162, 50, 2},
		{__LINE__, {.tags = {"user=*", "user=(none)"}}, 143 + 90 + 1162, 106, 78},
		{__LINE__, {.values = {"SELECT*"}}, 110, 39, 18},
		{__LINE__, {.values = {"Db.execute(1)=" STAR}}, 59, 19, 0},
		/* It alone; and all but it, as patterns that are no value. */
		{__LINE__, {.values = {STAR}}, 59, 19, 0},
		{__LINE__, {.values = {"**"}}, 124, 53, 18},
		{__LINE__, {.values = {"Db.execute(0)=*"}}, 124, 53, 18},
		{__LINE__, {.values = {"(null)", "(others)"}}, 14, 14, 0},
		{__LINE__, {.values = {"SELECT*"}, .tags = {"kind=http"}}, 20, 0, 16},
		{__LINE__, {.values = {"Db.execute(0)=SELECT*"}, .tags = {"user=(none)"}}, 2, 0,
			2},
		{__LINE__, {.tags = {"user=alice"}, .interval = "..early"}, 286, 112, 32},
		/* Below calls of a method, too. */
		{__LINE__, {.path = "com.acme.Db.prepare"}, 96, 12, 18},
		{__LINE__, {.path = "com.acme.Db.prepare", .interval = "..early"}, 192, 24, 36},
		{__LINE__, {.path = "com.acme.Db.execute"}, 190, 106, 18},
		{__LINE__, {.path = "com.acme.Net"}, 78, 0, 78},
		{__LINE__, {.path = "com.acme.Db.prepare", .tags = {"user=alice"}}, 94, 12, 16},
		{__LINE__, {.path = "com.acme.Db.prepare", .tags = {"kind=http"}}, 20, 0, 16},
		{__LINE__, {.path = "com.acme.Db.prepare", .values = {"SELECT*"}}, 83, 12, 18},
		{__LINE__, {.path = "com.acme.Db.prepare", .values = {STAR}}, 52, 12, 0},
		{__LINE__,
			{.path = "com.acme.Net",
				.values = {"SELECT*"},
				.tags = {"user=(none)"}},
			2, 0, 2},
	};

	for (size_t i = 0; i < COUNT(cases); i++) {
		struct asked asked = cases[i].asked;
		json_t *report, *row;
		json_int_t execute = 0, send = 0;
		size_t r;

		asked.view = "threads";
		report = report_asked(&asked);
		if (total_of(report) != cases[i].all)
			fail_msg("line %d: %lld", cases[i].line, (long long)total_of(report));
		json_decref(report);
		asked.view = "methods";
		report = report_asked(&asked);
		json_array_foreach(json_object_get(report, "rows"), r, row)
		{
			const char *name = json_string_value(at(row, "method"));

			if (strcmp(name, "execute") == 0)
				execute = json_integer_value(at(row, "base.wall"));
			if (strcmp(name, "send") == 0)
				send = json_integer_value(at(row, "base.wall"));
		}
		if (execute != cases[i].execute || send != cases[i].send)
			fail_msg("line %d: %lld, %lld", cases[i].line, (long long)execute,
				(long long)send);
		json_decref(report);
	}
}

/* Of a value that is above what was chosen there is what was done below that. */
static void test_values_in_place(void **state)
{
	json_t *report =
		report_asked(&(struct asked){.view = "values", .path = "com.acme.Db.prepare"});
	const json_t *row = find_row(report, value_keys, "Db.execute(0)", SQL, "value");

	check(__LINE__, row, "calls", 1);
	check(__LINE__, row, "base.wall", 11);
	check(__LINE__, row, "cum.wall", 83);
	check(__LINE__, row, "sent.bytes", 30);
	check(__LINE__, row, "rows", 2);
	check(__LINE__, row, "allocated.bytes", 48);
	row = find_row(report, value_keys, "Db.execute(1)", STAR, "value");
	check(__LINE__, row, "calls", 0);
	check(__LINE__, row, "base.wall", 0);
	check(__LINE__, row, "cum.wall", 52);
	row = find_row(report, value_keys, "Db.execute(0)", NULL, "not known");
	check(__LINE__, row, "cum.wall", 13);
	check(__LINE__, row, "received.bytes", 40);
	json_decref(report);
}

/* Each key's rows are all that was done there. */
static void test_tags_in_place(void **state)
{
	static const struct tag_case cases[] = {
		{__LINE__, "user", "alice", "value", 1, 7, 94, 30, 0},
		{__LINE__, "user", NULL, "none", 1, 0, 2, 0, 0},
		{__LINE__, "kind", "http", "value", 1, 2, 20, 30, 0},
		{__LINE__, "kind", NULL, "none", 1, 5, 76, 0, 0},
	};

	check_tags(&(struct asked){.view = "tags", .path = "com.acme.Db.prepare"}, cases,
		COUNT(cases));
}

/* Values below which, and tags under which, I/O was done with the files, and that alone. */
static void test_files_of_labels(void **state)
{
	static const struct {
		int line;
		struct asked asked;
		const char *first, *second, *kind;
		size_t rows;
		json_int_t reads, writes, sent, received;
	} cases[] = {
		{__LINE__, {.view = "values", .file = "/data"}, "Db.execute(0)", SQL, "value",
			2, 20, 5, 0, 0},
		{__LINE__, {.view = "values", .file = "/data"}, "Db.execute(1)", STAR, "value",
			2, 20, 5, 0, 0},
		{__LINE__, {.view = "values", .file = "/data", .path = "com.acme.Db.prepare"},
			"Db.execute(1)", STAR, "value", 2, 20, 5, 0, 0},
		{__LINE__, {.view = "tags", .file = "remote"}, "user", "alice", "value", 3, 0,
			0, 30, 40},
		{__LINE__, {.view = "tags", .file = "remote"}, "kind", NULL, "none", 3, 0, 0, 0,
			40},
		{__LINE__, {.view = "tags", .file = "remote", .values = {"SELECT*"}}, "kind",
			"http", "value", 2, 0, 0, 30, 0},
	};

	for (size_t i = 0; i < COUNT(cases); i++) {
		bool of_tags = strcmp(cases[i].asked.view, "tags") == 0;
		json_t *report = report_asked(&cases[i].asked);
		const json_t *row = find_row(report, of_tags ? tag_keys : value_keys,
			cases[i].first, cases[i].second, cases[i].kind);

		if (json_array_size(json_object_get(report, "rows")) != cases[i].rows)
			fail_msg("line %d: %zu rows", cases[i].line,
				json_array_size(json_object_get(report, "rows")));
		check(cases[i].line, row, "reads.bytes", cases[i].reads);
		check(cases[i].line, row, "writes.bytes", cases[i].writes);
		check(cases[i].line, row, "sent.bytes", cases[i].sent);
		check(cases[i].line, row, "received.bytes", cases[i].received);
		json_decref(report);
	}
}

/* A method has those of its calls that had the value, and those below them; and none besides. */
static void test_chosen_calls(void **state)
{
	static const struct {
		int line;
		struct asked asked;
		json_int_t methods, value;
	} cases[] = {
		{__LINE__, {.values = {"SELECT*"}}, 4, 4},
		{__LINE__, {.values = {STAR}}, 3, 1},
		{__LINE__, {.values = {"SELECT*", STAR}}, 4, 4},
		{__LINE__, {.values = {"(null)"}}, 1, -1},
		{__LINE__, {.values = {STAR}, .tags = {"user=alice"}}, 3, 1},
	};

	for (size_t i = 0; i < COUNT(cases); i++) {
		struct asked asked = cases[i].asked;
		json_t *report, *row;
		json_int_t calls = 0, value = -1;
		size_t r;

		asked.view = "methods";
		report = report_asked(&asked);
		json_array_foreach(json_object_get(report, "rows"), r, row)
		{
			if (strcmp(json_string_value(at(row, "method")), "execute") == 0)
				calls = json_integer_value(at(row, "calls"));
		}
		json_decref(report);
		asked.view = "values";
		report = report_asked(&asked);
		json_array_foreach(json_object_get(report, "rows"), r, row)
		{
			const char *text = json_string_value(at(row, "value"));

			if (text && strcmp(text, SQL) == 0)
				value = json_integer_value(at(row, "calls"));
		}
		json_decref(report);
		if (calls != cases[i].methods || value != cases[i].value)
			fail_msg("line %d: %lld, %lld", cases[i].line, (long long)calls,
				(long long)value);
	}
}

/* I/O, and what is left out; a thread of which nothing is left has no row. */
static void test_chosen_accounts(void **state)
{
	const struct asked asked = {.tags = {"kind=http"}, .view = "connections"};
	struct label_choice labels;
	struct error error = {0};
	struct profile *profile = open_asked(&asked, &labels, &error);
	json_t *report = report_of(profile, &asked);
	const json_t *row = json_array_get(json_object_get(report, "rows"), 0);

	assert_int_equal(json_array_size(json_object_get(report, "rows")), 1);
	check(__LINE__, row, "sent.bytes", 30);
	check(__LINE__, row, "received.bytes", 0);
	assert_int_equal(profile->thread_count, 1);
	assert_int_equal(profile->unlabelled_calls, 1000);
	assert_true(profile->is_chosen);
	assert_int_equal(profile->thread[0].waited_ns, 0);
	json_decref(report);
	profile_free(profile);
	label_choice_fini(&labels);
}

static void test_nothing_chosen(void **state)
{
	static const struct asked cases[] = {{.tags = {"user=carol"}}, {.tags = {"who=*"}},
		{.tags = {"kind=(n*"}}, {.values = {"INSERT*"}}};

	for (size_t i = 0; i < COUNT(cases); i++) {
		struct label_choice labels;
		struct error error = {0};

		assert_null(open_asked(&cases[i], &labels, &error));
		assert_int_equal(error.code, ERROR_MISSING);
		assert_non_null(strstr(error.text, "--view "));
		label_choice_fini(&labels);
	}
}

/* ---- adjusted ---- */

/* What is chosen by place has the figures that it has in the tree, in the sums of threads and by tags as well. */
static void check_adjusted_place(
	const struct profile *profile, const struct adjustment *adjustment)
{
	const struct asked threads = {
		.view = "threads", .path = "com.acme.Db.prepare", .adjustment = adjustment};
	const struct asked tags_asked = {
		.view = "tags", .path = "com.acme.Db.prepare", .adjustment = adjustment};
	json_t *report = report_of(profile, &threads), *row;
	json_int_t user = 0, raw = 0;
	uint64_t all = 0;
	size_t i;

	/* Of three ns one was taken out, of each node by itself: of those below calls of prepare. */
	for (i = 0; i < profile->node_count; i++) {
		size_t up = i;

		while (profile->node[up].method != PREPARE && profile->node[up].parent != up)
			up = profile->node[up].parent;
		if (profile->node[up].method == PREPARE)
			all += adjustment->adjusted.base[i];
	}
	assert_true(all > 0);
	assert_int_equal(total_of(report), all);
	json_decref(report);
	report = report_of(profile, &tags_asked);
	json_array_foreach(json_object_get(report, "rows"), i, row)
	{
		if (strcmp(json_string_value(at(row, "key")), "user") != 0)
			continue;
		user += json_integer_value(at(row, "cum.wall"));
		raw += json_integer_value(at(row, "raw_cum.wall"));
	}
	assert_int_equal(user, all);
	assert_int_equal(raw, 96);
	json_decref(report);
}

/* A calibration took something out of each node; its error is a quarter of what was counted. What labels tell apart adds up to
 * that. */
static void test_adjusted(void **state)
{
	static struct calibration calibration;
	const struct asked plain = {.view = "tags"};
	struct label_choice labels;
	struct error error = {0};
	struct profile *profile = open_asked(&plain, &labels, &error);
	uint64_t base[64] = {0}, all = 0;
	struct adjust_error errors[64] = {0};
	double method_error[METHODS_END] = {0};
	struct adjust_total total[2] = {0};
	struct adjust_deltas deltas[2] = {0};
	struct adjustment adjustment = {.calibration = &calibration,
		.adjusted = {1, base, errors, method_error, total, deltas}};
	const struct asked tags_asked = {.view = "tags", .adjustment = &adjustment};
	const struct asked values_asked = {.view = "values", .adjustment = &adjustment};
	json_t *report, *row;
	json_int_t user = 0, raw = 0, execute = 0;
	uint64_t execute_base = 0;
	size_t i;

	for (i = 0; i < profile->node_count; i++) {
		const struct profile_node *node = &profile->node[i];

		base[i] = node->base[0] - node->base[0] / 3;
		total[node->thread].taken += node->base[0] / 3;
		errors[i] = (struct adjust_error){(float)node->base[0] / 4, 0};
		method_error[node->method] += (double)node->base[0] / 4;
		all += base[i];
		/* What the call inside another one used before its value was read is all taken out. */
		execute_base += node->method == EXECUTE ? base[i] : 0;
	}
	report = report_of(profile, &tags_asked);
	json_array_foreach(json_object_get(report, "rows"), i, row)
	{
		if (strcmp(json_string_value(at(row, "key")), "user") != 0)
			continue;
		user += json_integer_value(at(row, "cum.wall"));
		raw += json_integer_value(at(row, "raw_cum.wall"));
		assert_true(json_integer_value(at(row, "error_cum.wall")) > 0);
	}
	assert_int_equal(user, all);
	assert_int_equal(raw, 1395);
	json_decref(report);
	report = report_of(profile, &values_asked);
	json_array_foreach(json_object_get(report, "rows"), i, row)
	{
		if (strcmp(json_string_value(at(row, "parameter")), "Db.execute(0)") == 0)
			execute += json_integer_value(at(row, "base.wall"));
	}
	assert_int_equal(execute, execute_base);
	json_decref(report);
	check_adjusted_place(profile, &adjustment);
	profile_free(profile);
}

/* ---- divided by samples ---- */

/* What samples divide is still all there is: of each key, and of samples themselves. */
static void test_divided(void **state)
{
	static const struct {
		int line;
		struct asked asked;
		json_int_t all, samples;
	} cases[] = {
		{__LINE__, {.view = "tags"}, 1395, 17},
		{__LINE__, {.view = "tags", .values = {"SELECT*"}}, 110, 8},
		{__LINE__, {.view = "tags", .tags = {"user=alice"}}, 143, 10},
		{__LINE__, {.view = "tags", .path = "com.acme.Db.execute"}, 190, 8},
		{__LINE__, {.view = "tags", .path = "com.acme.Db", .values = {"SELECT*"}}, 110,
			8},
	};

	for (size_t i = 0; i < COUNT(cases); i++) {
		struct asked asked = cases[i].asked;
		json_int_t user = 0, samples = 0;
		json_t *report, *row;
		size_t r;

		asked.is_auto = true;
		report = report_asked(&asked);
		json_array_foreach(json_object_get(report, "rows"), r, row)
		{
			if (strcmp(json_string_value(at(row, "key")), "user") != 0)
				continue;
			user += json_integer_value(at(row, "cum.wall"));
			samples += json_integer_value(at(row, "samples_cum.wall"));
		}
		if (user != cases[i].all || samples != cases[i].samples)
			fail_msg("line %d: %lld, %lld samples", cases[i].line, (long long)user,
				(long long)samples);
		json_decref(report);
		asked.view = "threads";
		report = report_asked(&asked);
		assert_int_equal(total_of(report), cases[i].all);
		json_decref(report);
	}
}

/* Samples below a value are its own, and those of its time that others used are theirs. */
static void test_divided_values(void **state)
{
	json_t *report = report_asked(&(struct asked){.view = "values", .is_auto = true});
	const json_t *row = find_row(report, value_keys, "Db.execute(0)", SQL, "value");

	check(__LINE__, row, "calls", 4);
	check(__LINE__, row, "cum.wall", 110);
	check(__LINE__, row, "samples_cum.wall", 8);
	/* All samples of its node's 20 ns are of what it called. */
	check(__LINE__, row, "base.wall", 18);
	json_decref(report);
}

/* Of 14 samples that came while calls were counted 7 are these calls': the others are the methods' own, as many under each tag
 * whether that is chosen or not. */
static void test_counting(void **state)
{
	static const struct {
		int line;
		struct asked asked;
		json_int_t samples[3];
	} cases[] = {
		{__LINE__, {.view = "tags", .by = "user"}, {4, 0, 3}},
		{__LINE__, {.view = "tags", .by = "user", .tags = {"user=alice"}}, {4, -1, -1}},
		{__LINE__, {.view = "tags", .by = "user", .tags = {"user=(none)"}},
			{-1, -1, 3}},
	};
	static const char *const users[] = {"alice", "bob", NULL};

	for (size_t i = 0; i < COUNT(cases); i++) {
		struct asked asked = cases[i].asked;
		json_t *report;

		asked.is_auto = true;
		report = report_asked(&asked);
		for (size_t u = 0; u < COUNT(users); u++)
			if (cases[i].samples[u] >= 0)
				check(cases[i].line,
					find_row(report, tag_keys, "user", users[u],
						users[u] ? "value" : "none"),
					"samples_cum.cpu", cases[i].samples[u]);
		json_decref(report);
	}
}

/* A metric that is chosen sorts, though calls were counted: there are samples. */
static void test_order_of_metric(void **state)
{
	static const char *const names[] = {"values", "tags", "methods"};

	for (size_t v = 0; v < COUNT(names); v++) {
		const char *key = strcmp(names[v], "methods") == 0 ? "base.wall" : "cum.wall";
		json_t *report = report_asked(
			&(struct asked){.view = names[v], .metrics = "wall", .is_auto = true});
		json_t *rows = json_object_get(report, "rows");

		assert_true(json_array_size(rows) > 2);
		for (size_t i = 1; i < json_array_size(rows); i++)
			assert_true(json_integer_value(at(json_array_get(rows, i - 1), key)) >=
				    json_integer_value(at(json_array_get(rows, i), key)));
		json_decref(report);
	}
}

/* ---- for people ---- */

/* One line a value, no wider than the terminal, without what that might obey. */
static void test_text(void **state)
{
	static const struct {
		struct asked asked;
		unsigned width;
		const char *shown[6];
	} cases[] = {
		{{.view = "values"}, 80,
			{"Total", "(null)", "(others)", "(not known)", "57.9%", "Rows"}},
		{{.view = "values"}, 160,
			{"Db.execute(0)", "SELECT a FROM <b> /* ", "(null)", "57.9%", "Self"}},
		{{.view = "tags"}, 80, {"user", "kind", "alice", "(none)", "Threads", "Total"}},
		{{.view = "tags", .by = "user,kind"}, 80, {"user,kind", "alice, (none)"}},
		{{.view = "methods", .tags = {"user=alice"}}, 80,
			{"only what was done under the tags user=alice; without 1000 calls"}},
		{{.view = "tree", .values = {"SELECT*", STAR}}, 80,
			{"only what was done by calls with the values SELECT*, *", "execute"}},
	};

	for (size_t c = 0; c < COUNT(cases); c++) {
		struct label_choice labels;
		struct error error = {0};
		struct profile *profile = open_asked(&cases[c].asked, &labels, &error);
		char *text = print_chosen(
			profile, &cases[c].asked, &labels, &format_screen, cases[c].width);

		for (size_t i = 0; i < COUNT(cases[c].shown) && cases[c].shown[i]; i++)
			if (!strstr(text, cases[c].shown[i]))
				fail_msg("%s\n%s", cases[c].shown[i], text);
		assert_null(strchr(text, '\x1b'));
		assert_null(strstr(text, "\xe2\x80\xae"));
		/* The head has its own lines. */
		for (char *line = strtok(strstr(text, "Total"), "\n"); line;
			line = strtok(NULL, "\n"))
			assert_true(out_width(line, strlen(line)) <= cases[c].width);
		free(text);
		profile_free(profile);
		label_choice_fini(&labels);
	}
}

/* Data says what was chosen, too. */
static void test_chosen_note(void **state)
{
	const struct asked asked = {.tags = {"user=bob"}, .view = "methods"};
	struct label_choice labels;
	struct error error = {0};
	struct profile *profile = open_asked(&asked, &labels, &error);
	char *text = print_chosen(profile, &asked, &labels, format_find("json"), 0);

	assert_non_null(strstr(text, "\"chosen\":\"only what was done under the tags user=bob; "
				     "without 1000 calls that were counted without a path\""));
	free(text);
	/* CSV has no place for it. */
	free(print_chosen(profile, &asked, &labels, format_find("csv"), 0));
	assert_string_equal(said, "only what was done under the tags user=bob; without 1000 "
				  "calls that were counted without a path");
	profile_free(profile);
	label_choice_fini(&labels);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_values),
		cmocka_unit_test(test_methods_of_values),
		cmocka_unit_test(test_values_add_up),
		cmocka_unit_test(test_tags),
		cmocka_unit_test(test_tags_together),
		cmocka_unit_test(test_values_of_tags),
		cmocka_unit_test(test_one_kind),
		cmocka_unit_test(test_chosen),
		cmocka_unit_test(test_values_in_place),
		cmocka_unit_test(test_tags_in_place),
		cmocka_unit_test(test_files_of_labels),
		cmocka_unit_test(test_chosen_calls),
		cmocka_unit_test(test_chosen_accounts),
		cmocka_unit_test(test_nothing_chosen),
		cmocka_unit_test(test_adjusted),
		cmocka_unit_test(test_divided),
		cmocka_unit_test(test_divided_values),
		cmocka_unit_test(test_counting),
		cmocka_unit_test(test_order_of_metric),
		cmocka_unit_test(test_text),
		cmocka_unit_test(test_chosen_note),
	};

	return cmocka_run_group_tests(tests, make_files, remove_file);
}
