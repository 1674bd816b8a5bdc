/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/* fold: shares are summed from the leaves up; the limit is what a certain number of them reach. */
#include "report/page/fold.h"

#include <math.h>
#include <stdlib.h>

/* What is summed beside the model's figures. */
enum { BESIDE_CALLS, BESIDE_OPS, BESIDE_BYTES, BESIDE_NS, BESIDE };

/* Of every node, BESIDE each: its own. Owned; NULL without memory. */
static double *put_beside(const struct model *model)
{
	const struct profile *profile = model->profile;
	double *beside = calloc(profile->node_count * BESIDE + 1, sizeof(*beside));

	for (size_t i = 0; beside && i < model->node_count; i++)
		beside[model->node[i] * (size_t)BESIDE + BESIDE_CALLS] =
			(double)profile->node[model->node[i]].calls;
	for (size_t i = 0; beside && i < profile->account_count; i++) {
		const struct profile_account *account = &profile->account[i];
		double *of = beside + account->node * (size_t)BESIDE;

		if (account->kind >= IO_OPS ||
			!model->selected[profile->node[account->node].thread])
			continue;
		of[BESIDE_OPS] += (double)account->count;
		of[BESIDE_BYTES] += (double)account->amount;
		of[BESIDE_NS] += (double)account->ns;
	}
	return beside;
}

static float largest_share(const struct model *model, const union model_value *cum,
	const uint64_t *whole, const double *beside, const double *beside_whole)
{
	double largest = 0;

	for (unsigned f = 0; f < model->figures; f++)
		if (whole[f] > 0)
			largest = fmax(largest,
				fabs((double)(int64_t)cum[f].count) / (double)whole[f]);
	for (unsigned b = 0; b < BESIDE; b++)
		if (beside_whole[b] > 0)
			largest = fmax(largest, beside[b] / beside_whole[b]);
	return (float)largest;
}

/* Sums beside up along the tree, and weighs each node; those of negative figures, as virtual threads' parts may
 * have, weigh as much as what is below them. */
static void weigh(struct fold *fold, const struct model *model, const union model_value *cum,
	double *beside)
{
	const struct profile *profile = model->profile;
	uint64_t whole[MODEL_FIGURES_MAX] = {0};
	double beside_whole[BESIDE] = {0};

	model_whole(model, whole);
	for (size_t i = profile->node_count; i-- > 0;) {
		uint32_t parent = profile->node[i].parent;

		for (unsigned b = 0; b < BESIDE; b++) {
			double *to = parent == i ? beside_whole + b
						 : beside + parent * (size_t)BESIDE + b;

			*to += beside[i * BESIDE + b];
		}
	}
	for (size_t i = profile->node_count; i-- > 0;) {
		uint32_t parent = profile->node[i].parent;
		float share = largest_share(model, model_at(model, cum, i), whole,
			beside + i * BESIDE, beside_whole);

		fold->weight[i] = fmaxf(fold->weight[i], share);
		fold->weight[parent] = fmaxf(fold->weight[parent], fold->weight[i]);
	}
}

static int fall(const void *a, const void *b)
{
	float x = *(const float *)a, y = *(const float *)b;

	return (x < y) - (x > y);
}

/* A caller whose callees are folded has a row for these: of `most` rows half are paths' own. */
static int choose_limit(struct fold *fold, const struct model *model, size_t most)
{
	float *order = malloc((model->node_count + 1) * sizeof(*order));
	size_t count = 0;

	if (!order)
		return -1;
	for (size_t i = 0; i < model->node_count; i++) {
		float weight = fold->weight[model->node[i]];

		/* Roots, which all stay, have no place among them. */
		if (weight >= 0 && !isinf(weight))
			order[count++] = weight;
	}
	qsort(order, count, sizeof(*order), fall);
	if (most > 0 && count > most) {
		/* The weights of the last ones that fit are those of many: they are folded as well. */
		fold->limit = nextafterf(order[most / 2], INFINITY);
		while (fold->paths < count && order[count - 1 - fold->paths] < fold->limit)
			fold->paths++;
	}
	free(order);
	return 0;
}

int fold_init(struct fold *fold, const struct model *model, const union model_value *cum,
	uint32_t root, size_t most)
{
	const struct profile *profile = model->profile;
	double *beside = put_beside(model);
	bool *below = root == UINT32_MAX ? NULL
					 : store_room(model->store, profile->node_count + 1,
						   sizeof(*below));

	*fold = (struct fold){.weight = store_room(model->store, profile->node_count + 1,
				      sizeof(*fold->weight))};
	if (beside && !model->store->failed)
		weigh(fold, model, cum, beside);
	free(beside);
	if (!beside || model->store->failed)
		return -1;
	for (size_t i = 0; i < profile->node_count; i++) {
		uint32_t parent = profile->node[i].parent;

		if (below) {
			below[i] = i == root || (parent != i && below[parent]);
			if (!below[i])
				fold->weight[i] = -1;
		}
		if (fold->weight[i] >= 0 && (parent == i || i == root))
			fold->weight[i] = INFINITY;
	}
	return choose_limit(fold, model, most);
}
