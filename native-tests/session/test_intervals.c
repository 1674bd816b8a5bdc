/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/*
 * Intervals: what a profile says of any interval between two snapshots is what the test itself
 * counted between them, whatever was pruned, renumbered, folded or ended meanwhile.
 */
#include "snapshot_test.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
	PLAYERS = 6, /* at a time */
	MOMENTS = 5
};

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

/* Of the path that the thread is in. */
static uint64_t model_path_hash(const struct model *model)
{
	uint64_t hash = 0;

	for (uint32_t i = 0; i < model->depth; i++)
		hash = truth_path(hash, model->node[model->stack[i]].method);
	return hash;
}

static void player_io(struct player *player, struct test_random *random)
{
	struct call_tree *tree = &player->walk.context->tree;
	struct operation operation = {.node = player->walk.context->current,
		.subject = 1 + test_random(random, FILES),
		.kind = test_random(random, 2) ? IO_READ : IO_WRITE,
		.amount = test_random(random, 5000),
		.ns = test_random(random, 100000)};
	uint64_t *sums = player->io.io[operation.subject][operation.kind];

	accounts_add(&tree->accounts, &tree->lock, tree->budget, &operation);
	sums[0]++;
	sums[1] += operation.amount;
	sums[2] += operation.ns;
	player->io.paths += model_path_hash(&player->model) * (operation.amount + 1);
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

	truth_add(&truth, &player->io);
	return truth;
}

static void player_end(struct story *story, struct player *player)
{
	struct truth truth;

	model_end(&player->model);
	truth = player_truth(player);
	trace_thread_end(story->trace, player->walk.context, NULL);
	truth_add(&story->ended[player->group], &truth);
	model_fini(&player->model);
}

static void note_moment(struct story *story)
{
	struct truth *moment = story->moment[story->moments++];

	memcpy(moment, story->ended, sizeof(story->ended));
	for (int i = 0; i < PLAYERS; i++) {
		struct truth truth = player_truth(&story->player[i]);

		truth_add(&moment[story->player[i].group], &truth);
	}
}

static void take_snapshot(struct story *story)
{
	char *label = NULL;
	struct error error = {0};
	uint64_t at;

	note_moment(story);
	writer_snapshot(story->writer, 0, NULL, &label, &at, &error);
	assert_string_equal(error.text, "");
	assert_int_equal(atoi(label), story->moments - 1);
	free(label);
}

struct plot {
	const char *name;
	uint64_t memory;
	uint32_t rounds, steps; /* steps of one thread in a round, at most */
	uint32_t end_of;        /* one of so many rounds ends a thread */
	bool pruned, folded;
};

static void play(struct story *story, const struct plot *plot)
{
	for (int i = 0; i < PLAYERS; i++)
		player_begin(story, &story->player[i]);
	story->moments = 1; /* nothing at the begin */
	for (uint32_t round = 1; round <= plot->rounds; round++) {
		struct player *player = &story->player[test_random(&story->random, PLAYERS)];

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
	profile = snapshot_read(interval);
	assert_int_equal(profile->interval.clamped, 0);
	assert_int_equal(profile->snapshot_count, story->moments - 2);
	truth_of_profile(profile, told);
	for (int g = 0; g < GROUPS; g++) {
		struct truth is =
			truth_difference(&story->moment[to][g], &story->moment[from][g]);
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
	struct profile *profile = snapshot_read(NULL);
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
		{"both", 32 << 20, 3600, 400, 2, true, true},
	};
	static struct story story;

	for (unsigned i = 0; i < 4; i++) {
		const struct plot *plot = &plots[i];

		memset(&story, 0, sizeof(story));
		story.random.state = i + 1;
		story.trace = trace_create(&snapshot_set, plot->memory);
		story.writer = snapshot_start(story.trace, plot->name, i % 2 ? 0 : 3600);
		play(&story, plot);
		snapshot_finish(story.writer);
		check_story(&story, plot);
		for (int p = 0; p < PLAYERS; p++) {
			trace_thread_end(story.trace, story.player[p].walk.context, NULL);
			model_fini(&story.player[p].model);
		}
		trace_destroy(story.trace);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(stories),
	};

	return cmocka_run_group_tests(tests, snapshot_prepare, snapshot_clean);
}
