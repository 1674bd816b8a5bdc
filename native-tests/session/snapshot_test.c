/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/* snapshot_test: see snapshot_test.h. */
#include "snapshot_test.h"
#include "native-tests/test_folder.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static char directory[] = "/tmp/jprof-snapshots-XXXXXX";
static char path[256];
struct metric_set snapshot_set;

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

	for (uint32_t i = 1; i <= FILES && status == 0; i++) {
		const struct profile_file file = {.id = i, .kind = IO_FILE, .name = "file"};

		status = put(put_argument, &file);
	}
	return status;
}

static const struct writer_source source = {
	.methods_end = methods_end, .method = method_of, .files = put_files};

struct writer *snapshot_start(struct trace *trace, const char *name, uint64_t flush_seconds)
{
	struct writer *writer;
	struct error error = {0};

	snprintf(path, sizeof(path), "%s/%s.jprof", directory, name);
	writer_start(&writer, trace, &source, &snapshot_set, path, flush_seconds, &error);
	assert_string_equal(error.text, "");
	return writer;
}

void snapshot_finish(struct writer *writer)
{
	struct error error = {0};

	writer_finish(writer, &error);
	assert_string_equal(error.text, "");
}

struct profile *snapshot_read(const char *interval)
{
	const struct profile_wanted wanted = {.marks = true, .interval = interval};
	struct profile *profile = NULL;
	struct error error = {0};

	profile_open_wanted(&profile, path, &wanted, &error);
	assert_string_equal(error.text, "");
	return profile;
}

/* ---- the truth ---- */

struct truth truth_difference(const struct truth *after, const struct truth *before)
{
	struct truth result;
	const uint64_t *a = (const uint64_t *)(const void *)after;
	const uint64_t *b = (const uint64_t *)(const void *)before;
	uint64_t *to = (uint64_t *)(void *)&result;

	for (size_t i = 0; i < NUMBERS; i++)
		to[i] = a[i] - b[i];
	return result;
}

void truth_add(struct truth *to, const struct truth *more)
{
	const uint64_t *from = (const uint64_t *)(const void *)more;

	for (size_t i = 0; i < NUMBERS; i++)
		((uint64_t *)(void *)to)[i] += from[i];
}

uint64_t truth_path(uint64_t parent, uint32_t method)
{
	uint64_t hash = (parent + method + 1) * 0x9e3779b97f4a7c15u;

	return (hash ^ hash >> 29) * 0xbf58476d1ce4e5b9u;
}

static uint64_t fingerprint(uint64_t hash, uint64_t calls, const uint64_t *base)
{
	return hash * calls + (hash >> 7) * base[0] + (hash >> 13) * base[1];
}

struct truth truth_of_model(const struct model *model)
{
	struct truth truth = {0};
	uint64_t *hash = calloc(model->nodes, sizeof(*hash));

	for (uint32_t i = 0; i < model->nodes; i++) {
		const struct model_node *node = &model->node[i];

		hash[i] = truth_path(i == 0 ? 0 : hash[node->parent], node->method);
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

		assert_true(i == first || (node->parent >= first && node->parent < i &&
						  node->id > node[-1].id));
		assert_int_equal(node->calls, node->interpreted + node->jitted + node->native);
		hash[i] = truth_path(i == first ? 0 : hash[node->parent], node->method);
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

void truth_of_profile(const struct profile *profile, struct truth truth[GROUPS])
{
	uint64_t *hash = calloc(profile->node_count + 1, sizeof(*hash));

	memset(truth, 0, GROUPS * sizeof(*truth));
	for (size_t t = 0; t < profile->thread_count; t++)
		add_profile_thread(&truth[group_of(profile->thread[t].name)], profile, t, hash);
	for (size_t i = 0; i < profile->account_count; i++) {
		const struct profile_account *io = &profile->account[i];
		uint32_t t = profile->node[io->node].thread;
		uint64_t *sums;

		truth[group_of(profile->thread[t].name)].paths +=
			hash[io->node] * (io->amount + io->count);
		sums = truth[group_of(profile->thread[t].name)].io[io->subject][io->kind];
		sums[0] += io->count;
		sums[1] += io->amount;
		sums[2] += io->ns;
	}
	free(hash);
}

/* ---- a group of tests ---- */

int snapshot_prepare(void **state)
{
	snapshot_set = test_set(METRICS);
	for (unsigned i = 0; i < METRICS; i++) {
		snprintf(snapshot_set.metric[i].name, sizeof(snapshot_set.metric[i].name),
			"m%u", i);
		snprintf(snapshot_set.metric[i].unit, sizeof(snapshot_set.metric[i].unit),
			"count");
	}
	return test_folder_make(directory);
}

int snapshot_clean(void **state)
{
	return test_folder_remove(directory);
}
