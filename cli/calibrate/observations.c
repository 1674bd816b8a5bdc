/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/* observations: see observations.h. */
#include "cli/calibrate/observations.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* In one repetition; fewer are a method on its way to being compiled, or the like. */
enum { DELTAS_LEAST = 100 };

#define BODIES_CLASS "calibrated.Bodies"
#define PATHS_CLASS  "calibrated.Paths"

/* ---- sequences ---- */

static int take_sequences(struct observations *observations, const struct profile *profile,
	bool unwinds, struct error *error)
{
	for (size_t i = 0; i < profile->sequence_count; i++) {
		const struct profile_sequence *seen = &profile->sequence[i];
		struct observed_sequence **sequence = &observations->sequence[seen->code];

		if (seen->count < DELTAS_LEAST || (seen->code >= SEQUENCE_UNWIND) != unwinds)
			continue;
		if (!*sequence)
			*sequence = calloc(1, sizeof(**sequence));
		if (!*sequence)
			return error_set(error, ERROR_MEMORY, "no memory");
		(*sequence)->count += seen->count;
		for (unsigned m = 0; m < observations->metric_count; m++)
			samples_add(&(*sequence)->mean[m],
				(double)seen->sum[m] / (double)seen->count);
	}
	return 0;
}

/* ---- methods ---- */

struct observed_method *observations_method(
	const struct observations *observations, const char *name)
{
	for (size_t i = 0; i < observations->method_count; i++)
		if (strcmp(observations->method[i].name, name) == 0)
			return &observations->method[i];
	return NULL;
}

static double own_use(const struct profile_node *node, unsigned metric, uint64_t calls)
{
	return (double)(node->base[metric] - node->spent[metric]) / (double)calls;
}

/* caller: of the node. */
static int take_node(struct observations *observations, const struct profile_node *node,
	const struct profile_node *caller, const char *name, struct error *error)
{
	struct observed_method *method = observations_method(observations, name);
	uint64_t loops = caller->transition[TRANSITION_EXIT][TRANSITION_ENTRY];

	if (!method) {
		method = realloc(observations->method,
			(observations->method_count + 1) * sizeof(*method));
		if (!method)
			return error_set(error, ERROR_MEMORY, "no memory");
		observations->method = method;
		method += observations->method_count++;
		memset(method, 0, sizeof(*method));
		snprintf(method->name, sizeof(method->name), "%s", name);
	}
	for (unsigned i = 0; i < observations->metric_count; i++) {
		samples_add(&method->call[i], own_use(node, i, node->calls));
		if (loops >= DELTAS_LEAST)
			samples_add(&method->loop[i], own_use(caller, i, loops));
	}
	return 0;
}

/* Each of the class's methods is called in one place. */
static int take_bodies(
	struct observations *observations, const struct profile *profile, struct error *error)
{
	int code = 0;

	for (size_t i = 0; i < profile->node_count && code == 0; i++) {
		const struct profile_node *node = &profile->node[i];
		const struct profile_method *method = &profile->method[node->method];

		if (node->calls >= DELTAS_LEAST && method->class_name &&
			strcmp(method->class_name, BODIES_CLASS) == 0)
			code = take_node(observations, node, &profile->node[node->parent],
				method->name, error);
	}
	return code;
}

/* ---- paths ---- */

static void take_paths(struct observations *observations, const struct profile *profile)
{
	/* Of the programs of each depth. */
	double deltas[DEPTHS] = {0}, used[DEPTHS][PROFILE_METRIC_MAX] = {0};

	for (size_t i = 0; i < profile->node_count; i++) {
		const struct profile_node *node = &profile->node[i];
		const struct profile_method *method = &profile->method[node->method];
		unsigned depth = DEPTHS; /* of the program that the node belongs to */

		if (method->class_name && strcmp(method->class_name, PATHS_CLASS) == 0)
			sscanf(method->name, "jittedPath%u_", &depth);
		if (depth >= DEPTHS)
			continue;
		for (int k = 0; k < 4; k++)
			deltas[depth] += (double)node->transition[k / 2][k % 2];
		for (unsigned m = 0; m < observations->metric_count; m++)
			used[depth][m] += own_use(node, m, 1);
	}
	for (int depth = 0; depth < DEPTHS; depth++)
		for (unsigned m = 0; m < observations->metric_count; m++)
			if (deltas[depth] >= DELTAS_LEAST)
				samples_add(&observations->path[depth][m],
					used[depth][m] / deltas[depth]);
}

/* ---- the file ---- */

/* What is read of which snapshots. */
enum group { TYPES, THROWS, BODIES, PATHS, GROUPS };

static const char *const group_names[GROUPS] = {"types", "throws", "bodies", "paths"};

/* The N-th repetition of a group, of which there are snapshots. */
static int read_group(struct observations *observations, const char *path, enum group group,
	unsigned repetition, struct error *error)
{
	char interval[80];
	struct profile_wanted wanted = {.interval = interval};
	struct profile *profile;
	int code;

	snprintf(interval, sizeof(interval), "%s.%u.begin..%s.%u.end", group_names[group],
		repetition, group_names[group], repetition);
	code = profile_open_wanted(&profile, path, &wanted, error);
	if (code != 0)
		return code;
	if (group == TYPES || group == THROWS)
		code = take_sequences(observations, profile, group == THROWS, error);
	else if (group == BODIES)
		code = take_bodies(observations, profile, error);
	else
		take_paths(observations, profile);
	profile_free(profile);
	return code;
}

int observations_read(struct observations *observations, const char *path, unsigned repetitions,
	struct error *error)
{
	struct profile *profile;
	int code = profile_open(&profile, path, error);

	if (code != 0)
		return code;
	observations->metric_count = profile->metric_count;
	identity_of_profile(&observations->identity, profile);
	for (unsigned m = 0; m < profile->metric_count; m++)
		snprintf(observations->unit[m], sizeof(observations->unit[m]), "%s",
			profile->metric[m].unit);
	for (enum group group = TYPES; group < GROUPS; group++)
		for (unsigned i = 1; i <= repetitions && code == 0; i++)
			code = read_group(observations, path, group, i, error);
	/* Of the whole profile: nothing tells those of an interval. */
	for (size_t i = 0; i < profile->sequence_count; i++) {
		const struct profile_sequence *seen = &profile->sequence[i];
		struct observed_sequence *sequence = observations->sequence[seen->code];

		for (unsigned m = 0; sequence && m < observations->metric_count; m++)
			sequence->minimum[m] = (double)seen->min[m];
	}
	profile_free(profile);
	return code;
}

void observations_fini(struct observations *observations)
{
	for (int i = 0; i < SEQUENCE_CODES; i++)
		free(observations->sequence[i]);
	free(observations->method);
}
