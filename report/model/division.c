/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/*
 * division: what was measured, divided by samples among those that have used it.
 *
 * Where some methods are timed and others counted (calls=auto), a timed call's node has what it and the counted methods below
 * it used: its region is that node, and what samples alone have found below it up to the next node of calls. Each node of the
 * region gets the part that its samples are of the region's, in whole numbers, and the region's own node what is left: so
 * that bases add up to what was measured. A region without samples is its own node's.
 *
 * How far off a part may be is told by how many samples there are. With s of S the true share has the distribution
 * Beta(s + 1/2, S - s + 1/2) (Jeffreys), of which two standard deviations are taken:
 *
 *   square = 4 * measured^2 * p * (1 - p) / (S + 2),   p = (s + 1/2) / (S + 1)
 *
 * Squares of different regions add up. Within a region what one node has too much another has too little: so the nodes of one
 * method have the square of their samples together, each its part of it; what a sampled node has with all below it has one of
 * its own; and what a region's own node has with all below it is what was measured, whose square is 0.
 *
 * Where no sample came others may have had a part as well: as large a one, it seems, as in the other regions of the same
 * method, of whose S samples s were its own. So far off is its base then, all such of a method in the same direction:
 *
 *   unseen = measured * (S - s + 1/2) / (S + 1)
 *
 * Samples that were taken while jprof counted a call are among those of the region. What falls to them is no node's: it is taken
 * out, and so far off as it may be is all that its region's own node has with what is below it. Where figures are wanted as they
 * were observed they are samples of the node whose call was counted.
 */
#include <string.h>

#include "profile/pairs.h"
#include "report/model/model.h"

void model_choose_division(struct model *model)
{
	model->is_divided = false;
	for (unsigned m = 0; m < model->metric_count && profile_is_auto(model->profile); m++)
		model->is_divided |= model_condition_of(model, model->metric[m]) != 0;
}

/* A region, for one metric. */
struct region {
	uint64_t measured, samples;
	double stacks; /* to a sample */
};

/* Of so many of its samples. */
static double square_of(const struct region *region, uint64_t samples)
{
	double all = (double)region->samples * region->stacks,
	       share = ((double)samples * region->stacks + 0.5) / (all + 1);

	return 4 * (double)region->measured * (double)region->measured * share * (1 - share) /
	       (all + 2);
}

/* The part of the measured figure that so many samples stand for, rounded down. */
static uint64_t part_of(const struct region *region, uint64_t samples)
{
	return region->measured / region->samples * samples +
	       region->measured % region->samples * samples / region->samples;
}

/* What is needed while a metric is divided. */
struct dividing {
	const struct model *model;
	const struct estimates *by;
	unsigned metric, condition;
	struct part *part;
	/* By number of an owner and a method: samples that its nodes in the region have. */
	struct pairs methods;
	uint32_t *number;
	uint64_t *of_method;
	uint64_t *counting; /* by owner: samples of its region in which calls were counted */
	uint64_t unsampled; /* measured in regions without samples */
};

static struct region region_of(const struct dividing *dividing, uint32_t node)
{
	const struct model *model = dividing->model;
	uint32_t owner = dividing->by->owner[node];
	union model_value base[MODEL_VALUES_MAX];

	model_measured(model, owner, base);
	return (struct region){.measured = base[dividing->metric].count,
		.samples = dividing->by->samples[owner * (size_t)model->condition_count +
						 dividing->condition],
		.stacks = dividing->by->stacks[dividing->condition]};
}

static uint64_t counting_of(const struct dividing *dividing, uint32_t node)
{
	const struct model *model = dividing->model;

	return model->counting[node * (size_t)model->condition_count + dividing->condition];
}

static uint64_t samples_of(const struct dividing *dividing, uint32_t node)
{
	const struct model *model = dividing->model;
	uint64_t samples =
		model->samples[node * (size_t)model->condition_count + dividing->condition];

	return samples + (model->takes_counting ? 0 : counting_of(dividing, node));
}

/* There is something to divide, and others than the region's own node have been seen. A part of a virtual thread may have
 * used less than nothing. */
static bool is_shared(
	const struct dividing *dividing, const struct region *region, uint32_t node)
{
	return region->measured > 0 && region->measured <= INT64_MAX &&
	       region->samples > samples_of(dividing, dividing->by->owner[node]);
}

static void take_counting(struct dividing *dividing, const struct region *region, uint32_t node)
{
	uint32_t owner = dividing->by->owner[node];
	struct part *part = &dividing->part[owner];
	uint64_t samples = counting_of(dividing, node), figure = part_of(region, samples);

	dividing->counting[owner] += samples;
	part->counting += figure;
	part->figure -= figure;
}

/* Owners stand before what samples have found below them. */
static void share_out(struct dividing *dividing)
{
	const struct profile *profile = dividing->model->profile;

	for (uint32_t i = 0; i < profile->node_count; i++) {
		struct region region = region_of(dividing, i);
		uint32_t owner = dividing->by->owner[i];
		uint64_t figure;

		if (owner == i)
			dividing->part[i].figure = region.measured;
		if (!is_shared(dividing, &region, i))
			continue;
		if (dividing->model->takes_counting)
			take_counting(dividing, &region, i);
		if (owner == i)
			continue;
		figure = part_of(&region, samples_of(dividing, i));
		dividing->part[i].figure = figure;
		dividing->part[owner].figure -= figure;
	}
}

/* -1 without memory. */
static int count_methods(struct dividing *dividing)
{
	const struct profile *profile = dividing->model->profile;

	for (uint32_t i = 0; i < profile->node_count; i++) {
		uint32_t number = pairs_take(
			&dividing->methods, dividing->by->owner[i], profile->node[i].method);

		if (number == 0)
			return -1;
		dividing->number[i] = number;
		dividing->of_method[number] += samples_of(dividing, i);
	}
	return 0;
}

/* below: by node, its samples and those of all that samples have found below it. From the end: what is below a node stands
 * behind it. */
static void find_squares(struct dividing *dividing, uint64_t *below)
{
	const struct profile *profile = dividing->model->profile;

	for (uint32_t i = (uint32_t)profile->node_count; i-- > 0;) {
		const struct profile_node *node = &profile->node[i];
		struct region region = region_of(dividing, i);
		uint64_t own = samples_of(dividing, i),
			 all = dividing->of_method[dividing->number[i]];
		struct part *part = &dividing->part[i];

		below[i] += own;
		if (node->sampled)
			below[node->parent] += below[i];
		else if (dividing->counting[i] > 0)
			part->counting_square = square_of(&region, dividing->counting[i]);
		part->cum_square += part->counting_square;
		if (!node->sampled && node->parent != i)
			dividing->part[node->parent].cum_square += part->cum_square;
		if (!is_shared(dividing, &region, i))
			continue;
		if (all > 0)
			part->base_square = square_of(&region, all) * (double)own / (double)all;
		else if (!node->sampled)
			part->base_square = square_of(&region, 0);
		if (node->sampled && below[i] > 0)
			part->cum_square += square_of(&region, below[i]);
	}
}

/* By method. */
struct regions {
	double samples, own; /* of all its regions */
	double unseen;       /* of those without samples */
};

/* Of what was measured in regions without samples. */
static void find_unseen(struct dividing *dividing, struct regions *regions)
{
	const struct profile *profile = dividing->model->profile;

	for (uint32_t i = 0; i < profile->node_count; i++) {
		struct regions *of = &regions[profile->node[i].method];
		struct region region = region_of(dividing, i);

		if (dividing->by->owner[i] != i)
			continue;
		of->samples += (double)region.samples * region.stacks;
		of->own += (double)samples_of(dividing, i) * region.stacks;
	}
	for (uint32_t i = 0; i < profile->node_count; i++) {
		struct regions *of = &regions[profile->node[i].method];
		struct region region = region_of(dividing, i);

		if (dividing->by->owner[i] != i || region.samples > 0 ||
			region.measured > INT64_MAX)
			continue;
		dividing->part[i].unseen = (double)region.measured *
					   (of->samples - of->own + 0.5) / (of->samples + 1);
		of->unseen += dividing->part[i].unseen;
		if (dividing->model->selected[profile->node[i].thread])
			dividing->unsampled += region.measured;
	}
	for (uint32_t i = 0; i < profile->node_count; i++)
		dividing->part[i].unseen_square =
			dividing->part[i].unseen * regions[profile->node[i].method].unseen;
}

/* The model's part[metric]. -1 without memory. */
static int divide(struct model *model, const struct estimates *by, unsigned metric)
{
	struct store *store = model->store;
	size_t count = model->profile->node_count + 1;
	struct dividing dividing = {.model = model,
		.by = by,
		.metric = metric,
		.condition = by->condition[metric] - 1,
		.part = store_room(store, count, sizeof(struct part)),
		.number = store_room(store, count, sizeof(uint32_t)),
		.of_method = store_room(store, count, sizeof(uint64_t)),
		.counting = store_room(store, count, sizeof(uint64_t))};
	uint64_t *below = store_room(store, count, sizeof(uint64_t));
	struct regions *regions =
		store_room(store, model->profile->method_count + 1, sizeof(struct regions));

	if (store->failed || count_methods(&dividing) != 0) {
		pairs_fini(&dividing.methods);
		return -1;
	}
	pairs_fini(&dividing.methods);
	share_out(&dividing);
	find_squares(&dividing, below);
	find_unseen(&dividing, regions);
	model->part[metric] = dividing.part;
	model->unsampled[metric] = dividing.unsampled;
	return 0;
}

int model_divide(struct model *model)
{
	struct estimates by;

	if (!model->is_divided)
		return 0;
	if (estimates_init(&by, model) != 0)
		return -1;
	model->owner = by.owner;
	for (unsigned m = 0; m < model->metric_count; m++)
		if (by.condition[m] > 0 && divide(model, &by, m) != 0)
			return -1;
	return 0;
}
