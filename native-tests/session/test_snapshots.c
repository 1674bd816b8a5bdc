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
#include <poll.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "agent/session/marks.h"
#include "agent/session/writer.h"
#include "profile/profile_read.h"

enum {
	METRICS = 2,
	METHODS = 100,
	GROUPS = 3,
	FILES = 3,
	PLAYERS = 6, /* at a time */
	MOMENTS = 8,
	ROUNDS_MOST = 4000
};

static char directory[] = "/tmp/jprof-snapshots-XXXXXX";
static char path[256];
static struct metric_set set;

/* ---- what the writer does, disturbed ---- */

static atomic_bool fail_commit, hold_commit;
static atomic_int commits_waiting;
static _Thread_local long gone; /* seconds that deadlines this thread makes are nearer */

int __real_profile_commit(struct profile_writer *writer, struct error *error);
int __wrap_profile_commit(struct profile_writer *writer, struct error *error)
{
	atomic_fetch_add(&commits_waiting, 1);
	while (atomic_load(&hold_commit))
		sched_yield();
	atomic_fetch_sub(&commits_waiting, 1);
	if (!atomic_load(&fail_commit))
		return __real_profile_commit(writer, error);
	profile_rollback(writer);
	return error_set(error, ERROR_IO, "no room");
}

static void *release_commit(void *argument)
{
	poll(NULL, 0, 100);
	atomic_store(&hold_commit, false);
	return argument;
}

int __real_clock_gettime(clockid_t clock, struct timespec *time);
int __wrap_clock_gettime(clockid_t clock, struct timespec *time)
{
	int result = __real_clock_gettime(clock, time);

	time->tv_sec -= gone;
	return result;
}

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
		truth[group_of(profile->thread[t].name)].paths +=
			hash[profile->thread_first[t] + io->node] * (io->bytes + io->ops);
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

/* Of the path that the thread is in. */
static uint64_t model_path_hash(const struct model *model)
{
	uint64_t hash = 0;

	for (uint32_t i = 0; i < model->depth; i++)
		hash = path_hash(hash, model->node[model->stack[i]].method);
	return hash;
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
	player->io.paths += model_path_hash(&player->model) * (account.bytes + 1);
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
	for (unsigned i = 0; i < 4; i++) {
		const struct plot *plot = &plots[i];

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

/* ---- what may be asked for, and what may go wrong ---- */

static struct writer *start_small(struct trace **trace, struct player *player, const char *name)
{
	*trace = trace_create(&set, 64 << 20);
	model_init(&player->model);
	player->walk = (struct test_walk){.random = {7},
		.model = &player->model,
		.context = test_begin(*trace, "main"),
		.methods = METHODS,
		.depth = 15};
	return start(*trace, name, 3600);
}

static void end_small(struct trace *trace, struct writer *writer, struct player *player)
{
	trace_stop(trace);
	finish(writer);
	trace_thread_end(trace, player->walk.context, NULL);
	model_fini(&player->model);
	trace_destroy(trace);
}

static void steps(struct player *player, int count)
{
	for (int i = 0; i < count; i++)
		test_step(&player->walk);
}

/* Returns the code; the label that came of it must be that one. */
static int snapshot(struct writer *writer, const char *label, const char *expected)
{
	char *told = (char *)path;
	struct error error = {0};
	uint64_t at = 1;
	int status = writer_snapshot(writer, label, &told, &at, &error);

	assert_int_equal(status, -(int)error.code);
	if (expected) {
		assert_string_equal(error.text, "");
		assert_string_equal(told, expected);
		assert_true(at > 0);
	} else {
		assert_true(status < 0);
		assert_null(told);
	}
	free(told);
	return status;
}

static void labels(void **state)
{
	struct trace *trace;
	struct player player;
	struct writer *writer = start_small(&trace, &player, "labels");
	struct label_row *row;
	struct error error = {0};
	char longest[LABEL_MAX + 2];
	size_t count;

	(void)state;
	memset(longest, 'x', sizeof(longest));
	longest[LABEL_MAX + 1] = '\0';
	assert_int_equal(snapshot(writer, "", NULL), -ERROR_VALUE);
	assert_int_equal(snapshot(writer, longest, NULL), -ERROR_VALUE);
	assert_int_equal(snapshot(writer, "a\tb", NULL), -ERROR_VALUE);
	assert_int_equal(snapshot(writer, "a\x7f", NULL), -ERROR_VALUE);
	assert_int_equal(snapshot(writer, "a..b", NULL), -ERROR_VALUE);
	longest[LABEL_MAX] = '\0';
	snapshot(writer, longest, longest);
	snapshot(writer, NULL, "1");
	snapshot(writer, "3", "3");
	snapshot(writer, NULL, "2");
	snapshot(writer, NULL, "4");
	assert_int_equal(snapshot(writer, "3", NULL), -ERROR_BUSY);
	assert_int_equal(writer_reset(writer, &error), 0);
	snapshot(writer, "caf\xc3\xa9 1", "caf\xc3\xa9 1");
	assert_int_equal(writer_labels(writer, &row, &count, &error), 0);
	assert_int_equal(count, 7);
	assert_string_equal(row[2].label, "3");
	assert_true(row[5].reset && row[5].label[0] == '\0' && !row[6].reset);
	for (size_t i = 1; i < count; i++)
		assert_true(row[i].at > row[i - 1].at);
	free(row);
	end_small(trace, writer, &player);
}

/* After a reset reports begin there; what was before can still be had. */
static void resets(void **state)
{
	struct trace *trace;
	struct player player;
	struct writer *writer = start_small(&trace, &player, "resets");
	struct error error = {0};
	struct truth before, after, told[GROUPS], is;
	struct profile *profile;

	(void)state;
	steps(&player, 5000);
	assert_int_equal(writer_reset(writer, &error), 0);
	steps(&player, 5000);
	before = truth_of_model(&player.model);
	assert_int_equal(writer_reset(writer, &error), 0);
	steps(&player, 5000);
	model_end(&player.model);
	after = truth_of_model(&player.model);
	end_small(trace, writer, &player);
	is = difference(&after, &before);
	profile = read_profile(NULL);
	truth_of_profile(profile, told);
	assert_memory_equal(&told[2], &is, sizeof(is));
	assert_string_equal(profile->interval.from->label, "reset2");
	assert_true(profile->interval.end > profile->interval.begin);
	profile_free(profile);
	profile = read_profile("..");
	truth_of_profile(profile, told);
	assert_memory_equal(&told[2], &after, sizeof(after));
	profile_free(profile);
	profile = read_profile("..reset2");
	truth_of_profile(profile, told);
	assert_memory_equal(&told[2], &before, sizeof(before));
	profile_free(profile);
}

static void marks(void **state)
{
	struct trace *trace;
	struct player player;
	struct writer *writer = start_small(&trace, &player, "marks");
	char longest[MARK_NAME_MAX + 10];
	struct writer_counts counts;
	struct error error = {0};
	struct profile *profile;

	(void)state;
	writer_mark(writer, "first", 17, "main");
	writer_mark(writer, "second", 0, NULL);
	atomic_store(&fail_commit, true);
	assert_int_equal(snapshot(writer, "a", NULL), -ERROR_IO);
	atomic_store(&fail_commit, false);
	/* Half a character is left out: the 200th byte is the first of two. */
	memset(longest, 'x', sizeof(longest));
	memcpy(longest + MARK_NAME_MAX - 1, "\xc3\xa9", 3);
	writer_mark(writer, longest, 1, "main");
	snapshot(writer, "a", "a");
	for (int i = 0; i < MARKS_WAITING + 5; i++)
		writer_mark(writer, "more", 1, "main");
	assert_int_equal(writer_count(writer, &counts, &error), 0);
	assert_int_equal(counts.marks_lost, 5);
	end_small(trace, writer, &player);
	profile = read_profile(NULL);
	assert_int_equal(profile->mark_count, MARKS_WAITING + 3);
	assert_string_equal(profile->mark[0].name, "first");
	assert_string_equal(profile->mark[0].thread, "main");
	assert_int_equal(profile->mark[0].java_id, 17);
	assert_null(profile->mark[1].thread);
	assert_int_equal(strlen(profile->mark[2].name), MARK_NAME_MAX - 1);
	assert_true(profile->mark[2].at <= profile->snapshot[0].at);
	assert_true(profile->mark[3].at >= profile->snapshot[0].at);
	assert_string_equal(profile_meta_get(profile, "marks.lost"), "5");
	profile_free(profile);
}

static void counted(void **state)
{
	struct trace *trace;
	struct player player;
	struct writer *writer = start_small(&trace, &player, "counted");
	struct writer_counts first, second;
	struct test_sums sums;
	struct error error = {0};

	(void)state;
	steps(&player, 3000);
	assert_int_equal(writer_count(writer, &first, &error), 0);
	sums = model_sum(&player.model);
	assert_int_equal(first.trace.calls, sums.calls);
	assert_int_equal(first.trace.nodes, sums.nodes + 1); /* the root's "(pruned)" */
	assert_int_equal(first.trace.live, 1);
	assert_int_equal(first.trace.threads, 1);
	assert_int_equal(first.flushed_at, 0);
	/* At once: the same answer. */
	steps(&player, 3000);
	do
		assert_int_equal(writer_count(writer, &second, &error), 0);
	while (second.counted_at == first.counted_at);
	assert_true(second.counted_at - first.counted_at >= 200000000);
	sums = model_sum(&player.model);
	assert_int_equal(second.trace.calls, sums.calls);
	snapshot(writer, NULL, "1");
	atomic_store(&fail_commit, true);
	snapshot(writer, NULL, NULL);
	atomic_store(&fail_commit, false);
	assert_int_equal(writer_count(writer, &first, &error), 0);
	assert_true(first.flushed_at > 0);
	assert_string_equal(first.failure.text, "no room");
	snapshot(writer, NULL, "2");
	assert_int_equal(writer_count(writer, &first, &error), 0);
	assert_string_equal(first.failure.text, "");
	end_small(trace, writer, &player);
}

/* A snapshot that fails has left nothing behind; its label can be used again. */
static void failures(void **state)
{
	struct trace *trace;
	struct player player;
	struct writer *writer = start_small(&trace, &player, "failures");
	struct profile *profile;
	struct truth before, after, told[GROUPS], is;

	(void)state;
	steps(&player, 3000);
	atomic_store(&fail_commit, true);
	assert_int_equal(snapshot(writer, "a", NULL), -ERROR_IO);
	atomic_store(&fail_commit, false);
	profile = read_profile(NULL);
	assert_int_equal(profile->snapshot_count, 0);
	profile_free(profile);
	steps(&player, 3000);
	before = truth_of_model(&player.model);
	snapshot(writer, "a", "a");
	steps(&player, 3000);
	model_end(&player.model);
	after = truth_of_model(&player.model);
	end_small(trace, writer, &player);
	is = difference(&after, &before);
	profile = read_profile("a..");
	truth_of_profile(profile, told);
	assert_memory_equal(&told[2], &is, sizeof(is));
	profile_free(profile);
}

/* ---- a disk that hangs ---- */

struct asker {
	pthread_t thread;
	struct writer *writer;
	const char *label;
	long gone;
	int status;
	struct error error;
};

static void *ask(void *argument)
{
	struct asker *asker = argument;
	char *label;
	uint64_t at;

	gone = asker->gone;
	asker->status =
		writer_snapshot(asker->writer, asker->label, &label, &at, &asker->error);
	free(label);
	return NULL;
}

static void start_asker(
	struct asker *asker, struct writer *writer, const char *label, long seconds_gone)
{
	*asker = (struct asker){.writer = writer, .label = label, .gone = seconds_gone};
	assert_int_equal(pthread_create(&asker->thread, NULL, ask, asker), 0);
}

static void wait_for_commit(void)
{
	while (atomic_load(&commits_waiting) == 0)
		sched_yield();
}

/* One snapshot is being made, one waits; both give up, and the first is made nevertheless. */
static void hanging(void **state)
{
	struct trace *trace;
	struct player player;
	struct writer *writer = start_small(&trace, &player, "hanging");
	struct writer_counts counts;
	struct error error = {0};
	struct asker asker[2];
	struct profile *profile;

	(void)state;
	/* Their minute is nearly over when it begins. */
	atomic_store(&hold_commit, true);
	gone = 4;
	start_asker(&asker[0], writer, "begun", 59);
	wait_for_commit();
	start_asker(&asker[1], writer, "waiting", 59);
	poll(NULL, 0, 100);
	assert_int_equal(writer_count(writer, &counts, &error), -ERROR_IO);
	for (int i = 0; i < 2; i++) {
		pthread_join(asker[i].thread, NULL);
		assert_int_equal(asker[i].status, -ERROR_IO);
		assert_non_null(strstr(asker[i].error.text, "longer than 60 s"));
	}
	assert_non_null(strstr(asker[0].error.text, "may still be made"));
	assert_null(strstr(asker[1].error.text, "may still be made"));
	gone = 0;
	atomic_store(&hold_commit, false);
	assert_int_equal(snapshot(writer, "begun", NULL), -ERROR_BUSY);
	snapshot(writer, "waiting", "waiting");
	end_small(trace, writer, &player);
	profile = read_profile(NULL);
	assert_int_equal(profile->snapshot_count, 2);
	profile_free(profile);
}

/* The recording ends while one snapshot is being made and others wait. */
static void ends_meanwhile(void **state)
{
	struct trace *trace;
	struct player player;
	struct writer *writer = start_small(&trace, &player, "ends");
	struct asker asker[4];
	struct error error = {0};
	pthread_t release;
	struct profile *profile;

	(void)state;
	steps(&player, 1000);
	atomic_store(&hold_commit, true);
	for (int i = 0; i < 4; i++) {
		start_asker(&asker[i], writer, NULL, 0);
		wait_for_commit();
	}
	pthread_create(&release, NULL, release_commit, NULL);
	trace_stop(trace);
	assert_int_equal(writer_finish(writer, &error), 0);
	pthread_join(release, NULL);
	for (int i = 0; i < 4; i++) {
		pthread_join(asker[i].thread, NULL);
		if (asker[i].status != 0)
			assert_string_equal(
				asker[i].error.text, "the recording has ended");
	}
	assert_int_equal(asker[0].status, 0);
	profile = read_profile(NULL);
	assert_true(profile->snapshot_count >= 1);
	profile_free(profile);
	trace_thread_end(trace, player.walk.context, NULL);
	model_fini(&player.model);
	trace_destroy(trace);
}

/* ---- while threads run ---- */

static atomic_bool stop;

static void *record(void *argument)
{
	struct trace *trace = argument;

	for (uint64_t round = 0; !atomic_load(&stop); round++) {
		struct player player = {.group = 0};

		model_init(&player.model);
		player.walk = (struct test_walk){.random = {round + (uintptr_t)&player},
			.model = &player.model,
			.context = test_begin(trace, "pool-7"),
			.methods = METHODS,
			.depth = 15,
			.faults = true};
		for (int i = 0; player.walk.context && i < 20000 && !atomic_load(&stop); i++)
			test_step(&player.walk);
		if (player.walk.context)
			trace_thread_end(trace, player.walk.context, NULL);
		model_fini(&player.model);
	}
	return NULL;
}

static void *ask_and_mark(void *argument)
{
	for (int i = 0; i < 8; i++) {
		struct writer_counts counts;
		struct error error = {0};
		char *label;
		uint64_t at;

		for (int k = 0; k < 100; k++)
			writer_mark(argument, "mark", 1, "asker");
		writer_snapshot(argument, NULL, &label, &at, &error);
		assert_string_equal(error.text, "");
		free(label);
		assert_int_equal(writer_count(argument, &counts, &error), 0);
	}
	return NULL;
}

/* The sums of all intervals, one behind the other, are those of the whole. */
static void check_chain(void)
{
	struct truth told[GROUPS], sum = {0}, whole;
	struct profile *profile = read_profile("..");
	size_t count = profile->snapshot_count;

	truth_of_profile(profile, told);
	whole = told[0];
	profile_free(profile);
	for (size_t i = 0; i <= count; i++) {
		char interval[32];

		snprintf(interval, sizeof(interval), "%zu..%zu", i, i + 1);
		if (i == 0)
			snprintf(interval, sizeof(interval), "..1");
		if (i == count)
			snprintf(interval, sizeof(interval), "%zu..", i);
		profile = read_profile(interval);
		assert_int_equal(profile->interval.clamped, 0);
		truth_of_profile(profile, told);
		add_truth(&sum, &told[0]);
		profile_free(profile);
	}
	/* States of a call that was being counted are the next interval's. */
	assert_memory_equal(sum.transition, whole.transition, sizeof(sum.transition));
	assert_memory_equal(sum.base, whole.base, sizeof(sum.base));
	assert_int_equal(sum.calls[0] + sum.calls[1] + sum.calls[2],
		whole.calls[0] + whole.calls[1] + whole.calls[2]);
}

static void while_threads_run(void **state)
{
	struct trace *trace = trace_create(&set, 8 << 20);
	struct writer *writer = start(trace, "running", 0);
	pthread_t recorder[2], asker[2];
	struct profile *profile;

	(void)state;
	atomic_store(&stop, false);
	for (int i = 0; i < 2; i++)
		pthread_create(&recorder[i], NULL, record, trace);
	for (int i = 0; i < 2; i++)
		pthread_create(&asker[i], NULL, ask_and_mark, writer);
	for (int i = 0; i < 2; i++)
		pthread_join(asker[i], NULL);
	atomic_store(&stop, true);
	for (int i = 0; i < 2; i++)
		pthread_join(recorder[i], NULL);
	trace_stop(trace);
	finish(writer);
	profile = read_profile(NULL);
	assert_int_equal(profile->snapshot_count, 16);
	assert_int_equal(profile->mark_count, 1600);
	profile_free(profile);
	check_chain();
	trace_destroy(trace);
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
		cmocka_unit_test(labels),
		cmocka_unit_test(resets),
		cmocka_unit_test(marks),
		cmocka_unit_test(counted),
		cmocka_unit_test(failures),
		cmocka_unit_test(hanging),
		cmocka_unit_test(ends_meanwhile),
		cmocka_unit_test(while_threads_run),
	};

	return cmocka_run_group_tests(tests, prepare, clean);
}
