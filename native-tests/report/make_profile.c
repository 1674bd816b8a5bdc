/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/*
 * make_profile: profiles of a given shape and size, for tests of the command and for the
 * benchmark of the report.
 *
 * In:   make_profile SHAPE NODES METRICS FILE [SNAPSHOTS [KEY=VALUE...]]: facts; a value
 *       "@FILE" is what the file holds.
 * Out:  a whole profile whose threads' totals are the sums of its bases. With snapshots, at
 *       most 9: named 1, 2, ..., a mark before each; every interval has the same counts.
 */
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "profile/profile_write.h"

#define CLASSES           500
#define METHODS_PER_CLASS 10
#define METHODS           (CLASSES * METHODS_PER_CLASS)

struct tree {
	uint32_t count;
	uint32_t *parent, *method, *recursion;
	bool sampled;  /* samples alone have found all of it */
	bool labelled; /* some nodes are labels: of values and tags */
};

/* A generator of the kind x' = a x + c (Knuth's MMIX constants): the same everywhere. */
static uint64_t random_state = 1;

static uint32_t random_below(uint32_t limit)
{
	random_state = random_state * 6364136223846793005u + 1442695040888963407u;
	return (uint32_t)((random_state >> 33) % limit);
}

/* ---- the shapes: parent and method of node i, i > 0 ---- */

/* Like a program's: many paths, some 30 levels, methods that come again. */
static void bushy(const struct tree *tree, uint32_t i, uint32_t *parent, uint32_t *method)
{
	uint32_t window = i < 200000 ? i : 200000;

	*parent = i - 1 - random_below(window);
	*method = random_below(METHODS);
}

/* One path. */
static void deep(const struct tree *tree, uint32_t i, uint32_t *parent, uint32_t *method)
{
	*parent = i - 1;
	*method = i % 50;
}

/* All below the root. */
static void wide(const struct tree *tree, uint32_t i, uint32_t *parent, uint32_t *method)
{
	*parent = 0;
	*method = i % METHODS;
}

/* Four methods that call each other and themselves in every order. */
static void recursive(const struct tree *tree, uint32_t i, uint32_t *parent, uint32_t *method)
{
	*parent = (i - 1) / 4;
	*method = (i - 1) % 4;
}

/* The same, where every third node is a value's and another third of tags: parts of what calls them. */
enum { METHODS_FIRST = 3 };

static void labelled(const struct tree *tree, uint32_t i, uint32_t *parent, uint32_t *method)
{
	*parent = i < METHODS_FIRST ? 0 : 1 + random_below(i - 1);
	*method = i < METHODS_FIRST || i % 3 == 0 ? random_below(METHODS)
						  : tree->method[*parent] - METHOD_FIRST;
}

static const struct shape {
	const char *name;
	void (*node)(const struct tree *tree, uint32_t i, uint32_t *parent, uint32_t *method);
	bool sampled, labelled;
} shapes[] = {
	{"bushy", bushy, false, false},
	{"deep", deep, false, false},
	{"wide", wide, false, false},
	{"recursive", recursive, false, false},
	{"sampled", bushy, true, false},
	{"labelled", labelled, false, true},
};

/* ---- making the tree ---- */

static bool tree_init(struct tree *tree, uint32_t count)
{
	*tree = (struct tree){.count = count,
		.parent = calloc(count, sizeof(uint32_t)),
		.method = calloc(count, sizeof(uint32_t)),
		.recursion = calloc(count, sizeof(uint32_t))};
	return tree->parent != NULL && tree->method != NULL && tree->recursion != NULL;
}

static void tree_fini(struct tree *tree)
{
	free(tree->parent);
	free(tree->method);
	free(tree->recursion);
}

static uint32_t find_recursion(const struct tree *tree, uint32_t node)
{
	for (uint32_t up = tree->parent[node]; up != 0; up = tree->parent[up]) {
		if (tree->method[up] == tree->method[node])
			return tree->recursion[up] + 1;
	}
	return 0;
}

static void grow_tree(struct tree *tree, const struct shape *shape)
{
	for (uint32_t i = 1; i < tree->count; i++) {
		uint32_t method;

		shape->node(tree, i, &tree->parent[i], &method);
		tree->method[i] = method + METHOD_FIRST;
		tree->recursion[i] = find_recursion(tree, i);
	}
}

/* ---- writing it ---- */

static const struct profile_metric all_metrics[] = {
	{.name = "wall", .unit = "ns", .how = "time stamp"},
	{.name = "cpu", .unit = "ns", .how = "clock_gettime"},
	{.name = "alloc", .unit = "bytes", .how = "thread-local buffer"},
	{.name = "instructions", .unit = "count", .how = "rdpmc"},
};

#define METRICS_MOST (sizeof(all_metrics) / sizeof(all_metrics[0]))

static int put_methods(struct profile_writer *writer, struct error *error)
{
	for (uint32_t i = 0; i < METHODS; i++) {
		char class_name[80], name[40];
		struct profile_method method = {.id = METHOD_FIRST + i,
			.class_name = class_name,
			.name = name,
			.signature = i % 3 == 0 ? "(ILjava/lang/String;)V" : "()I",
			.is_native = i % 50 == 7,
			.is_static = i % 4 == 0};

		snprintf(class_name, sizeof(class_name), "com.acme.store.part%u.Component%u",
			i % 17, i / METHODS_PER_CLASS);
		snprintf(name, sizeof(name), "operation%u", i % METHODS_PER_CLASS);
		if (profile_put(writer, &method, error) != 0)
			return -1;
	}
	return 0;
}

static uint32_t sampled_id(uint32_t i)
{
	return i > 0 ? NODE_SAMPLED_FIRST + i : 0;
}

/* The same for samples: each node has some. */
static int put_sampled(struct profile_writer *writer, const struct tree *tree, unsigned times,
	struct error *error)
{
	for (uint32_t i = 0; i < tree->count; i++) {
		const uint64_t base[METRICS_MOST] = {0};
		const struct profile_node node = {.thread = 1,
			.id = sampled_id(i),
			.parent = sampled_id(tree->parent[i]),
			.method = tree->method[i],
			.recursion = tree->recursion[i],
			.sampled = i > 0,
			.base = base};
		const struct profile_account account = {.thread = 1,
			.id = i,
			.node = node.id,
			.kind = SAMPLES,
			.subject = sample_place(0, i % SAMPLE_STATES, i % 1000),
			.count = times * (1 + i % 7),
			.amount = times * (1 + i % 7)};

		if (profile_put(writer, &node, error) != 0 ||
			profile_put(writer, &account, error) != 0)
			return -1;
	}
	return 0;
}

/* ---- labels ---- */

/* Of a parameter, and of two keys of tags; what a page must not take for markup, and a terminal not obey. */
static const struct profile_parameter parameters[] = {
	{1, "com.acme.store.Db.query(0)", false, PROFILE_SESSIONS_ALL},
	{2, "user", true, PROFILE_SESSIONS_ALL},
	{3, "<i>kind</i>", true, PROFILE_SESSIONS_ALL}};
static const struct profile_value values[] = {
	{1, 1, "SELECT * FROM article WHERE id = ?", false},
	{2, 1, "<b>bold</b><script>alert(1)</script>", false},
	{3, 1,
		"\x1b[2J \xe2\x80\xae txt.exe \xc2\x9b"
		"1m\n\ttwo lines",
		false},
	{4, 1, "", false},
	{5, 1, NULL, false},
	{6, 1, NULL, true},
	{7, 2, "alice", false},
	{8, 2, "<b>bob</b>", false},
	{9, 3, "http", false},
};
enum { VALUES = 6, SETS = 4 };
static const struct profile_tag tags[] = {{1, 2, 7}, {2, 3, 7}, {3, 3, 9}, {4, 4, 8}};

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

static int put_labels(struct profile_writer *writer, struct error *error)
{
	static char text[4097];
	const struct profile_value endless = {10, 1, text, false};
	int failed = 0;

	memset(text, 'x', sizeof(text) - 1);
	for (size_t i = 0; i < COUNT(parameters) && failed == 0; i++)
		failed = profile_put(writer, &parameters[i], error);
	for (size_t i = 0; i < COUNT(values) && failed == 0; i++)
		failed = profile_put(writer, &values[i], error);
	if (failed == 0)
		failed = profile_put(writer, &endless, error);
	for (size_t i = 0; i < COUNT(tags) && failed == 0; i++)
		failed = profile_put(writer, &tags[i], error);
	return failed;
}

/* The calls of a value are some of its method's. */
static void make_label(const struct tree *tree, uint32_t i, struct profile_node *node)
{
	if (!tree->labelled || i < METHODS_FIRST || i % 3 == 0)
		return;
	if (i % 3 == 1) {
		node->value = i % 97 == 1 ? 10 : 1 + i / 3 % VALUES;
	} else {
		node->tags = 1 + i % SETS;
		node->calls = node->interpreted = node->jitted = 0;
	}
}

/* Counts are times as many as in the first state. */
static int put_nodes(struct profile_writer *writer, const struct tree *tree, unsigned metrics,
	unsigned times, struct profile_thread *thread, struct error *error)
{
	random_state = 1;
	for (uint32_t i = 0; i < tree->count; i++) {
		uint64_t calls = i == 0 ? 0 : 1 + random_below(1000);
		uint64_t base[METRICS_MOST];
		struct profile_node node = {.thread = 1,
			.id = i,
			.parent = tree->parent[i],
			.method = tree->method[i],
			.recursion = tree->recursion[i],
			.calls = times * calls,
			.interpreted = times * (calls / 3),
			.jitted = times * (calls - calls / 3),
			.transition = {{0, times * calls}, {0, 0}},
			.base = base};

		for (unsigned m = 0; m < metrics; m++) {
			base[m] = times * (uint64_t)random_below(1000000);
			thread->total[m] += base[m];
		}
		make_label(tree, i, &node);
		thread->events += times * 2 * calls;
		if (profile_put(writer, &node, error) != 0)
			return -1;
	}
	return 0;
}

static int put_state(struct profile_writer *writer, const struct tree *tree, unsigned metrics,
	unsigned times, struct error *error)
{
	struct profile_thread thread = {
		.id = 1, .java_id = 1, .os_id = 4711, .name = "main", .folded = 1};

	if (tree->sampled ? put_sampled(writer, tree, times, error) != 0
			  : put_nodes(writer, tree, metrics, times, &thread, error) != 0)
		return -1;
	return profile_put(writer, &thread, error);
}

/* Within the transaction of a state. */
static int put_snapshot(struct profile_writer *writer, unsigned id, struct error *error)
{
	const char label[] = {(char)('0' + id), '\0'};
	const struct profile_snapshot snapshot = {
		.id = id, .label = label, .at = id * UINT64_C(1000000000)};
	const struct profile_mark mark = {
		.at = snapshot.at - 1, .java_id = 1, .thread = "main", .name = "near"};

	if (profile_put(writer, &mark, error) != 0)
		return -1;
	return profile_put_snapshot(writer, &snapshot, error);
}

/* The value, or the file's bytes. */
static const char *value_of(const char *value)
{
	static char bytes[1 << 16];
	FILE *file = value[0] == '@' ? fopen(value + 1, "r") : NULL;

	if (file == NULL)
		return value;
	bytes[fread(bytes, 1, sizeof(bytes) - 1, file)] = '\0';
	fclose(file);
	return bytes;
}

/* KEY=VALUE each. */
static int put_facts(struct profile_writer *writer, char *const *facts, struct error *error)
{
	for (; *facts != NULL; facts++) {
		size_t length = strcspn(*facts, "=");
		char key[64];

		snprintf(key, sizeof(key), "%.*s", (int)length, *facts);
		if ((*facts)[length] != '=' ||
			profile_put_meta(writer, key, value_of(*facts + length + 1), error) !=
				0)
			return -1;
	}
	return 0;
}

static int put_all(struct profile_writer *writer, const struct tree *tree, unsigned metrics,
	unsigned snapshots, char *const *facts, struct error *error)
{
	const struct profile_condition condition = {
		0, "cpu:1ms", "cpu", 1000000, "ns", "perf task-clock"};

	if (profile_begin(writer, error) != 0 ||
		(tree->sampled &&
			(profile_put(writer, &condition, error) != 0 ||
				profile_put_meta(writer, "calls", "sample", error) != 0)) ||
		profile_put_meta(writer, "jvm.name", "made by make_profile", error) != 0 ||
		profile_put_meta(writer, "complete", "yes", error) != 0 ||
		(tree->labelled && put_labels(writer, error) != 0) ||
		put_facts(writer, facts, error) != 0 || put_methods(writer, error) != 0)
		return -1;
	for (unsigned i = 1; i <= snapshots; i++) {
		if (put_state(writer, tree, metrics, i, error) != 0 ||
			put_snapshot(writer, i, error) != 0 ||
			profile_commit(writer, error) != 0 || profile_begin(writer, error) != 0)
			return -1;
	}
	if (put_state(writer, tree, metrics, snapshots + 1, error) != 0)
		return -1;
	return profile_commit(writer, error);
}

static int write_profile(const char *path, const struct tree *tree, unsigned metrics,
	unsigned snapshots, char *const *facts, struct error *error)
{
	struct profile_writer *writer;
	int failed;

	if (profile_create(&writer, path, all_metrics, metrics, NULL, error) != 0)
		return -1;
	failed = put_all(writer, tree, metrics, snapshots, facts, error);
	if (profile_close(writer, error) != 0)
		failed = -1;
	return failed;
}

static const struct shape *find_shape(const char *name)
{
	for (size_t i = 0; i < sizeof(shapes) / sizeof(shapes[0]); i++) {
		if (strcmp(shapes[i].name, name) == 0)
			return &shapes[i];
	}
	return NULL;
}

int main(int argc, char **argv)
{
	bool enough = argc >= 5;
	const struct shape *shape = enough ? find_shape(argv[1]) : NULL;
	unsigned long nodes = enough ? strtoul(argv[2], NULL, 10) : 0;
	unsigned long metrics = enough ? strtoul(argv[3], NULL, 10) : 0;
	unsigned long snapshots = argc >= 6 ? strtoul(argv[5], NULL, 10) : 0;
	struct error error = {0};
	struct tree tree;
	int failed;

	if (shape == NULL || nodes == 0 || nodes >= UINT32_MAX || metrics > METRICS_MOST ||
		snapshots > 9) {
		fprintf(stderr,
			"usage: make_profile bushy|deep|wide|recursive|sampled|labelled NODES "
			"METRICS FILE [SNAPSHOTS [KEY=VALUE...]]\n");
		return 2;
	}
	if (!tree_init(&tree, (uint32_t)nodes)) {
		fprintf(stderr, "make_profile: no memory\n");
		return 1;
	}
	grow_tree(&tree, shape);
	tree.sampled = shape->sampled;
	tree.labelled = shape->labelled;
	failed = write_profile(argv[4], &tree, (unsigned)metrics, (unsigned)snapshots,
		argv + (argc < 6 ? argc : 6), &error);
	tree_fini(&tree);
	if (failed != 0)
		fprintf(stderr, "make_profile: %s\n", error.text);
	return failed != 0;
}
