/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/*
 * Snapshots: what a profile says of any interval between two of them is what the test itself
 * counted between them, whatever was pruned, renumbered, folded or ended meanwhile.
 *
 * The truth is counted by name of thread with its digits left out, as threads of such names may
 * become one row: sums, sums of I/O by file and operation, and a fingerprint of all paths. That
 * is a sum over nodes, so that the one of an interval is the difference of two. Pruning makes
 * paths coarser: then it says nothing.
 */
#include "../trace/trace_test.h"

#include <inttypes.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "agent/session/writer.h"
#include "profile/profile_read.h"

enum {
	METRICS = 2,
	METHODS = 100,
	GROUPS = 3,
	FILES = 3,
	PLAYERS = 6, /* at a time */
	MOMENTS = 12,
	ROUNDS_MOST = 4000
};

static char directory[] = "/tmp/jprof-snapshots-XXXXXX";
static char path[256];
static struct metric_set set;

/* ---- where the writer has names and files from ---- */

static uint32_t methods_end(void)
{
	return METHOD_FIRST + METHODS;
}

static const struct profile_method *method_of(uint32_t id)
{
	static struct profile_method record[METHOD_FIRST + METHODS];

	record[id] = (struct profile_method){
		.id = id, .class_name = "A", .name = "m", .signature = "()V"};
	return &record[id];
}

static int put_files(uint64_t began, bool all,
	int (*put)(void *put_argument, const struct profile_file *file), void *put_argument)
{
	int status = 0;

	(void)began;
	(void)all;
	for (uint32_t i = 1; i <= FILES && status == 0; i++) {
		const struct profile_file file = {.id = i, .kind = IO_FILE, .name = "file"};

		status = put(put_argument, &file);
	}
	return status;
}

static const struct writer_source source = {
	.methods_end = methods_end, .method = method_of, .files = put_files};

static struct writer *start(struct trace *trace, const char *name, uint64_t flush_seconds)
{
	struct writer *writer;
	struct error error = {0};

	snprintf(path, sizeof(path), "%s/%s.jprof", directory, name);
	writer_start(&writer, trace, &source, &set, path, flush_seconds, &error);
	assert_string_equal(error.text, "");
	return writer;
}

static void finish(struct writer *writer)
{
	struct error error = {0};

	writer_finish(writer, &error);
	assert_string_equal(error.text, "");
}

static struct profile *read_profile(const char *interval)
{
	const struct profile_wanted wanted = {.marks = true, .interval = interval};
	struct profile *profile = NULL;
	struct error error = {0};

	profile_open_wanted(&profile, path, &wanted, &error);
	assert_string_equal(error.text, "");
	return profile;
}

/* ---- the truth ---- */

/* All of it are sums. */
struct truth {
	uint64_t calls[3]; /* by state */
	uint64_t transition[4];
	uint64_t base[METRICS];
	uint64_t paths; /* the fingerprint */
	uint64_t io[FILES + 1][IO_OPS][3];
};

#define NUMBERS (sizeof(struct truth) / sizeof(uint64_t))

static struct truth difference(const struct truth *after, const struct truth *before)
{
	struct truth result;
	const uint64_t *a = (const uint64_t *)(const void *)after;
	const uint64_t *b = (const uint64_t *)(const void *)before;
	uint64_t *to = (uint64_t *)(void *)&result;

	for (size_t i = 0; i < NUMBERS; i++)
		to[i] = a[i] - b[i];
	return result;
}

static void add_truth(struct truth *to, const struct truth *more)
{
	const uint64_t *from = (const uint64_t *)(const void *)more;

	for (size_t i = 0; i < NUMBERS; i++)
		((uint64_t *)(void *)to)[i] += from[i];
}

static uint64_t path_hash(uint64_t parent, uint32_t method)
{
	uint64_t hash = (parent + method + 1) * 0x9e3779b97f4a7c15u;

	return (hash ^ hash >> 29) * 0xbf58476d1ce4e5b9u;
}

static uint64_t fingerprint(uint64_t hash, uint64_t calls, const uint64_t *base)
{
	return hash * calls + (hash >> 7) * base[0] + (hash >> 13) * base[1];
}

static struct truth truth_of_model(const struct model *model)
{
	struct truth truth = {0};
	uint64_t *hash = calloc(model->nodes, sizeof(*hash));

	for (uint32_t i = 0; i < model->nodes; i++) {
		const struct model_node *node = &model->node[i];

		hash[i] = path_hash(i == 0 ? 0 : hash[node->parent], node->method);
		truth.calls[0] += node->states.interpreted;
		truth.calls[1] += node->states.jitted;
		truth.calls[2] += node->states.native;
		for (int k = 0; k < 4; k++)
			truth.transition[k] += node->transition[k / 2][k % 2];
		for (int k = 0; k < METRICS; k++)
			truth.base[k] += node->base[k];
		truth.paths += fingerprint(hash[i], node->calls, node->base);
	}
	free(hash);
	return truth;
}

/* "pool-17": by its first letter. */
static int group_of(const char *name)
{
	return name[0] == 'p' ? 0 : name[0] == 'h' ? 1 : 2;
}

static void add_profile_thread(
	struct truth *truth, const struct profile *profile, size_t thread, uint64_t *hash)
{
	size_t first = profile->thread_first[thread];
	uint64_t total[METRICS] = {0}, events = 0;

	for (size_t i = first; i < profile->thread_first[thread + 1]; i++) {
		const struct profile_node *node = &profile->node[i];

		assert_int_equal(node->index, i - first);
		assert_true(i == first || node->parent < node->index);
		assert_int_equal(node->calls, node->interpreted + node->jitted + node->native);
		hash[i] = path_hash(i == first ? 0 : hash[first + node->parent], node->method);
		truth->calls[0] += node->interpreted;
		truth->calls[1] += node->jitted;
		truth->calls[2] += node->native;
		for (int k = 0; k < 4; k++)
			truth->transition[k] += node->transition[k / 2][k % 2];
		for (int k = 0; k < 4; k++)
			events += node->transition[k / 2][k % 2];
		for (int k = 0; k < METRICS; k++)
			truth->base[k] += node->base[k];
		for (int k = 0; k < METRICS; k++)
			total[k] += node->base[k];
		truth->paths += fingerprint(hash[i], node->calls, node->base);
	}
	assert_int_equal(events, profile->thread[thread].events);
	for (int k = 0; k < METRICS; k++)
		assert_int_equal(total[k], profile->thread[thread].total[k]);
}

static void truth_of_profile(const struct profile *profile, struct truth truth[GROUPS])
{
	uint64_t *hash = calloc(profile->node_count + 1, sizeof(*hash));

	memset(truth, 0, GROUPS * sizeof(*truth));
	for (size_t t = 0; t < profile->thread_count; t++)
		add_profile_thread(
			&truth[group_of(profile->thread[t].name)], profile, t, hash);
	for (size_t i = 0; i < profile->io_count; i++) {
		const struct profile_io *io = &profile->io[i];
		ptrdiff_t t = profile_thread_find(profile, io->thread);
		uint64_t *sums;

		assert_true(t >= 0);
		assert_true(io->node < profile->thread_first[t + 1] - profile->thread_first[t]);
		sums = truth[group_of(profile->thread[t].name)].io[io->file][io->op];
		sums[0] += io->ops;
		sums[1] += io->bytes;
		sums[2] += io->ns;
	}
	free(hash);
}

/* ---- a story: threads come and go, and moments are kept ---- */

struct player {
	struct model model;
	struct test_walk walk;
	struct truth io;
	int group;
};

struct story {
	struct trace *trace;
	struct writer *writer;
	struct test_random random;
	struct player player[PLAYERS];
	struct truth ended[GROUPS];
	struct truth moment[MOMENTS + 2][GROUPS]; /* the begin, snapshots, the end */
	unsigned moments;
	int begun;
};

static void player_begin(struct story *story, struct player *player)
{
	static const char *const formats[GROUPS] = {"pool-%d", "http-%d-x", "timer%d"};
	char name[32];

	player->group = (int)test_random(&story->random, GROUPS);
	snprintf(name, sizeof(name), formats[player->group], story->begun++);
	model_init(&player->model);
	memset(&player->io, 0, sizeof(player->io));
	player->walk = (struct test_walk){.random = {test_random(&story->random, 1 << 30)},
		.model = &player->model,
		.context = test_begin(story->trace, name),
		.methods = METHODS,
		.depth = 15,
		.faults = true};
	assert_non_null(player->walk.context);
}

static void player_io(struct player *player, struct test_random *random)
{
	struct call_tree *tree = &player->walk.context->tree;
	struct io_account account = {.node = player->walk.context->current,
		.file = 1 + test_random(random, FILES),
		.op = test_random(random, 2) ? IO_READ : IO_WRITE,
		.ops = 1,
		.bytes = test_random(random, 5000),
		.ns = test_random(random, 100000)};
	uint64_t *sums = player->io.io[account.file][account.op];

	io_accounts_add(&tree->io, &tree->lock, tree->budget, &account);
	sums[0]++;
	sums[1] += account.bytes;
	sums[2] += account.ns;
}

static void player_steps(struct story *story, struct player *player, uint32_t steps)
{
	for (uint32_t i = 0; i < steps; i++) {
		test_step(&player->walk);
		if (test_random(&story->random, 16) == 0)
			player_io(player, &story->random);
	}
}

/* What was used since the last event is charged by the next one, or at the end. */
static struct truth player_truth(const struct player *player)
{
	struct truth truth = truth_of_model(&player->model);

	add_truth(&truth, &player->io);
	return truth;
}

static void player_end(struct story *story, struct player *player)
{
	struct truth truth;

	model_end(&player->model);
	truth = player_truth(player);
	trace_thread_end(story->trace, player->walk.context, NULL);
	add_truth(&story->ended[player->group], &truth);
	model_fini(&player->model);
}

static void note_moment(struct story *story)
{
	struct truth *moment = story->moment[story->moments++];

	memcpy(moment, story->ended, sizeof(story->ended));
	for (int i = 0; i < PLAYERS; i++) {
		struct truth truth = player_truth(&story->player[i]);

		add_truth(&moment[story->player[i].group], &truth);
	}
}

static void take_snapshot(struct story *story)
{
	char *label = NULL;
	struct error error = {0};
	uint64_t at;

	note_moment(story);
	writer_snapshot(story->writer, NULL, &label, &at, &error);
	assert_string_equal(error.text, "");
	assert_int_equal(atoi(label), story->moments - 1);
	free(label);
}

struct plot {
	const char *name;
	uint64_t memory;
	uint32_t rounds, steps; /* steps of one thread in a round, at most */
	uint32_t end_of;  /* one of so many rounds ends a thread */
	bool pruned, folded;
};

static void play(struct story *story, const struct plot *plot)
{
	for (int i = 0; i < PLAYERS; i++)
		player_begin(story, &story->player[i]);
	story->moments = 1; /* nothing at the begin */
	for (uint32_t round = 1; round <= plot->rounds; round++) {
		struct player *player =
			&story->player[test_random(&story->random, PLAYERS)];

		player_steps(story, player, test_random(&story->random, plot->steps));
		if (test_random(&story->random, plot->end_of) == 0) {
			player_end(story, player);
			player_begin(story, player);
		}
		if (round % (plot->rounds / MOMENTS) == plot->rounds / MOMENTS / 2 &&
			story->moments <= MOMENTS)
			take_snapshot(story);
	}
	for (int i = 0; i < PLAYERS / 2; i++) {
		player_end(story, &story->player[i]);
		player_begin(story, &story->player[i]);
	}
	trace_stop(story->trace);
	for (int i = 0; i < PLAYERS; i++)
		model_end(&story->player[i].model);
	note_moment(story);
}

/* Without memory for an account, what was done is known of its operation alone. */
static void forget_files(struct truth *truth)
{
	for (int file = 1; file <= FILES; file++)
		for (int op = 0; op < IO_OPS; op++)
			for (int i = 0; i < 3; i++) {
				truth->io[0][op][i] += truth->io[file][op][i];
				truth->io[file][op][i] = 0;
			}
}

static void check_interval(
	const struct story *story, const struct plot *plot, unsigned from, unsigned to)
{
	char interval[32] = "", number[16];
	struct profile *profile;
	struct truth told[GROUPS];

	if (from > 0)
		snprintf(interval, sizeof(interval), "%u", from);
	strcat(interval, "..");
	snprintf(number, sizeof(number), "%u", to);
	if (to < story->moments - 1)
		strcat(interval, number);
	profile = read_profile(interval);
	assert_int_equal(profile->interval.clamped, 0);
	assert_int_equal(profile->snapshot_count, story->moments - 2);
	truth_of_profile(profile, told);
	for (int g = 0; g < GROUPS; g++) {
		struct truth is =
			difference(&story->moment[to][g], &story->moment[from][g]);
		const uint64_t *a = (const uint64_t *)(const void *)&is;
		const uint64_t *b = (const uint64_t *)(const void *)&told[g];

		if (plot->pruned) {
			told[g].paths = is.paths;
			forget_files(&told[g]);
			forget_files(&is);
		}
		for (size_t i = 0; i < NUMBERS; i++)
			if (a[i] != b[i])
				fail_msg("%s, %s, group %d, number %zu: %" PRIu64
					 ", and not %" PRIu64,
					plot->name, interval, g, i, b[i], a[i]);
	}
	profile_free(profile);
}

static void check_story(const struct story *story, const struct plot *plot)
{
	struct profile *profile = read_profile(NULL);
	uint64_t pruned = 0, folded = 0;

	for (size_t t = 0; t < profile->thread_count; t++) {
		pruned += profile->thread[t].pruned;
		folded += profile->thread[t].folded > 1;
	}
	profile_free(profile);
	assert_int_equal(pruned > 0, plot->pruned);
	assert_int_equal(folded > 0, plot->folded);
	for (unsigned from = 0; from < story->moments - 1; from++)
		for (unsigned to = from + 1; to < story->moments; to++)
			check_interval(story, plot, from, to);
}

static void stories(void **state)
{
	static const struct plot plots[] = {
		{"plain", 64 << 20, 200, 200, 20, false, false},
		{"folded", 64 << 20, 3600, 20, 2, false, true},
		{"pruned", 2 << 20, 200, 2000, 1000000, true, false},
		{"both", 24 << 20, 3600, 400, 2, true, true},
	};
	static struct story story;

	(void)state;
	for (unsigned i = 0; i < 8; i++) {
		const struct plot *plot = &plots[i % 4];

		memset(&story, 0, sizeof(story));
		story.random.state = i + 1;
		story.trace = trace_create(&set, plot->memory);
		story.writer = start(story.trace, plot->name, i % 2 ? 0 : 3600);
		play(&story, plot);
		finish(story.writer);
		check_story(&story, plot);
		for (int p = 0; p < PLAYERS; p++) {
			trace_thread_end(story.trace, story.player[p].walk.context, NULL);
			model_fini(&story.player[p].model);
		}
		trace_destroy(story.trace);
	}
}

static int prepare(void **state)
{
	(void)state;
	set = test_set(METRICS);
	for (unsigned i = 0; i < METRICS; i++) {
		snprintf(set.metric[i].name, sizeof(set.metric[i].name), "m%u", i);
		snprintf(set.metric[i].unit, sizeof(set.metric[i].unit), "count");
	}
	return mkdtemp(directory) ? 0 : -1;
}

static int clean(void **state)
{
	char command[128];

	(void)state;
	snprintf(command, sizeof(command), "rm -r '%s'", directory);
	return system(command);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(stories),
	};

	return cmocka_run_group_tests(tests, prepare, clean);
}
