/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/* observations: see observations.h. */
#include "cli/calibrate/observations.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* In one repetition; fewer are a method on its way to being compiled, or the like. */
enum { STRETCHES_LEAST = 100 };

#define BODIES_CLASS "calibrated.Bodies"
#define PATHS_CLASS  "calibrated.Paths"

static int no_memory(struct error *error)
{
	return error_set(error, ERROR_MEMORY, "no memory");
}

/* ---- sequences ---- */

static bool is_unwind(uint32_t code)
{
	return code >= SEQUENCE_UNWIND;
}

static int take_sequence(struct observations *observations, const struct profile_sequence *seen,
	struct error *error)
{
	struct observed_sequence **sequence = &observations->sequence[seen->code];

	if (!*sequence)
		*sequence = calloc(1, sizeof(**sequence));
	if (!*sequence)
		return no_memory(error);
	(*sequence)->count += seen->count;
	for (unsigned i = 0; i < observations->metric_count; i++)
		samples_add(&(*sequence)->mean[i], (double)seen->sum[i] / (double)seen->count);
	return 0;
}

static int take_sequences(struct observations *observations, const struct profile *profile,
	bool unwinds, struct error *error)
{
	int code = 0;

	for (size_t i = 0; i < profile->sequence_count && code == 0; i++) {
		const struct profile_sequence *seen = &profile->sequence[i];

		if (seen->count >= STRETCHES_LEAST && is_unwind(seen->code) == unwinds)
			code = take_sequence(observations, seen, error);
	}
	return code;
}

static int take_types(
	struct observations *observations, const struct profile *profile, struct error *error)
{
	return take_sequences(observations, profile, false, error);
}

static int take_throws(
	struct observations *observations, const struct profile *profile, struct error *error)
{
	return take_sequences(observations, profile, true, error);
}

/* ---- methods ---- */

static struct observed_method *find_method(
	const struct observations *observations, const char *name)
{
	for (size_t i = 0; i < observations->method_count; i++)
		if (strcmp(observations->method[i].name, name) == 0)
			return &observations->method[i];
	return NULL;
}

const struct observed_method *observations_method(
	const struct observations *observations, const char *name)
{
	return find_method(observations, name);
}

static struct observed_method *add_method(struct observations *observations, const char *name)
{
	struct observed_method *method = realloc(
		observations->method, (observations->method_count + 1) * sizeof(*method));

	if (!method)
		return NULL;
	observations->method = method;
	method += observations->method_count++;
	memset(method, 0, sizeof(*method));
	snprintf(method->name, sizeof(method->name), "%s", name);
	return method;
}

/* node: the caller's. */
static void take_loop(struct observed_method *method, const struct observations *observations,
	const struct profile_node *node)
{
	uint64_t calls = node->transition[TRANSITION_EXIT][TRANSITION_ENTRY];

	for (unsigned i = 0; i < observations->metric_count && calls >= STRETCHES_LEAST; i++)
		samples_add(&method->loop[i],
			(double)(node->base[i] - node->spent[i]) / (double)calls);
}

/* caller: of the node. */
static int take_node(struct observations *observations, const struct profile_node *node,
	const struct profile_node *caller, const char *name, struct error *error)
{
	struct observed_method *method = find_method(observations, name);

	if (!method)
		method = add_method(observations, name);
	if (!method)
		return no_memory(error);
	for (unsigned i = 0; i < observations->metric_count; i++)
		samples_add(&method->call[i],
			(double)(node->base[i] - node->spent[i]) / (double)node->calls);
	take_loop(method, observations, caller);
	return 0;
}

/* Each of the class's methods is called in one place. */
static int take_thread(struct observations *observations, const struct profile *profile,
	size_t thread, struct error *error)
{
	size_t first = profile->thread_first[thread];
	int code = 0;

	for (size_t i = first; i < profile->thread_first[thread + 1] && code == 0; i++) {
		const struct profile_node *node = &profile->node[i];
		const struct profile_method *method = &profile->method[node->method];

		if (node->calls >= STRETCHES_LEAST && method->class_name &&
			strcmp(method->class_name, BODIES_CLASS) == 0)
			code = take_node(observations, node,
				&profile->node[first + node->parent], method->name, error);
	}
	return code;
}

static int take_bodies(
	struct observations *observations, const struct profile *profile, struct error *error)
{
	int code = 0;

	for (size_t i = 0; i < profile->thread_count && code == 0; i++)
		code = take_thread(observations, profile, i, error);
	return code;
}

/* ---- paths ---- */

struct path_sum {
	double stretches, used[PROFILE_METRIC_MAX];
};

/* Of the program that the node belongs to; DEPTHS: it is none of them. */
static unsigned depth_of(const struct profile *profile, const struct profile_node *node)
{
	const struct profile_method *method = &profile->method[node->method];
	unsigned depth = DEPTHS;

	if (method->class_name && strcmp(method->class_name, PATHS_CLASS) == 0)
		sscanf(method->name, "jittedPath%u_", &depth);
	return depth < DEPTHS ? depth : DEPTHS;
}

static void add_node(struct path_sum *sum, const struct profile_node *node, unsigned metrics)
{
	for (int i = 0; i < 4; i++)
		sum->stretches += (double)node->transition[i / 2][i % 2];
	for (unsigned m = 0; m < metrics; m++)
		sum->used[m] += (double)(node->base[m] - node->spent[m]);
}

static int take_paths(
	struct observations *observations, const struct profile *profile, struct error *error)
{
	struct path_sum sums[DEPTHS + 1] = {0};

	(void)error;
	for (size_t i = 0; i < profile->node_count; i++)
		add_node(&sums[depth_of(profile, &profile->node[i])], &profile->node[i],
			observations->metric_count);
	for (int depth = 0; depth < DEPTHS; depth++)
		for (unsigned m = 0; m < observations->metric_count; m++)
			if (sums[depth].stretches >= STRETCHES_LEAST)
				samples_add(&observations->path[depth][m],
					sums[depth].used[m] / sums[depth].stretches);
	return 0;
}

/* ---- the file ---- */

static const struct group {
	const char *name;
	int (*take)(struct observations *observations, const struct profile *profile,
		struct error *error);
} groups[] = {
	{"types", take_types},
	{"throws", take_throws},
	{"bodies", take_bodies},
	{"paths", take_paths},
};

static int read_group(struct observations *observations, const char *path,
	const struct group *group, unsigned repetition, struct error *error)
{
	char interval[80];
	struct profile_wanted wanted = {.interval = interval};
	struct profile *profile;
	int code;

	snprintf(interval, sizeof(interval), "%s.%u.begin..%s.%u.end", group->name, repetition,
		group->name, repetition);
	code = profile_open_wanted(&profile, path, &wanted, error);
	if (code != 0)
		return code;
	code = group->take(observations, profile, error);
	profile_free(profile);
	return code;
}

/* What the whole profile says. */
static void take_whole(struct observations *observations, const struct profile *profile)
{
	observations->metric_count = profile->metric_count;
	identity_of_profile(&observations->identity, profile);
	for (unsigned i = 0; i < profile->metric_count; i++)
		snprintf(observations->unit[i], sizeof(observations->unit[i]), "%s",
			profile->metric[i].unit);
}

/* Nothing tells those of an interval. */
static void take_minima(struct observations *observations, const struct profile *profile)
{
	for (size_t i = 0; i < profile->sequence_count; i++) {
		const struct profile_sequence *seen = &profile->sequence[i];
		struct observed_sequence *sequence = observations->sequence[seen->code];

		for (unsigned m = 0; sequence && m < observations->metric_count; m++)
			sequence->minimum[m] = (double)seen->min[m];
	}
}

int observations_read(struct observations *observations, const char *path, unsigned repetitions,
	struct error *error)
{
	struct profile *profile;
	int code = profile_open(&profile, path, error);

	if (code != 0)
		return code;
	take_whole(observations, profile);
	for (size_t g = 0; g < sizeof(groups) / sizeof(*groups); g++)
		for (unsigned i = 1; i <= repetitions && code == 0; i++)
			code = read_group(observations, path, &groups[g], i, error);
	take_minima(observations, profile);
	profile_free(profile);
	return code;
}

void observations_fini(struct observations *observations)
{
	for (int i = 0; i < SEQUENCE_CODES; i++) {
		free(observations->sequence[i]);
		observations->sequence[i] = NULL;
	}
	free(observations->method);
	observations->method = NULL;
	observations->method_count = 0;
}
