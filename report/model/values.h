/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/*
 * values: what something has of each metric, side by side, model->values of them: the figure; where
 * the profile is adjusted also what was counted, and the three parts of the error
 * (calibration/adjust.h).
 *
 *   figure[metrics] | counted[metrics] | whole[metrics] | common[metrics] | square[metrics]
 *
 * They add up, each by itself; a sum's error is made of the sums of the parts.
 */
#ifndef JPROF_REPORT_VALUES_H
#define JPROF_REPORT_VALUES_H

#include "report/model/model.h"

union model_value {
	uint64_t count;
	double part; /* of an error */
};

enum { MODEL_LAYERS = 5, MODEL_VALUES_MAX = MODEL_LAYERS * PROFILE_METRIC_MAX };

/* Those of the i-th of many things. */
#define model_at(model, array, i) ((array) + (size_t)(i) * (model)->values)

/* Room for those of count things, zero. The store's; NULL without memory. */
union model_value *model_values(const struct model *model, size_t count);

/* What a node has of its own. */
void model_base(const struct model *model, size_t node, union model_value *values);

/* Half the width of the interval of one of an adjusted profile's metrics. */
uint64_t model_error(const struct model *model, const union model_value *values, unsigned m);

/* Adds values to those of another thing, or takes them away again. */
static inline void model_add(
	const struct model *model, union model_value *sums, const union model_value *values)
{
	unsigned v = 0;

	for (; v < model->counts; v++)
		sums[v].count += values[v].count;
	for (; v < model->values; v++)
		sums[v].part += values[v].part;
}

static inline void model_subtract(
	const struct model *model, union model_value *sums, const union model_value *values)
{
	unsigned v = 0;

	for (; v < model->counts; v++)
		sums[v].count -= values[v].count;
	for (; v < model->values; v++)
		sums[v].part -= values[v].part;
}

/* What a thread used: the values of all its nodes but for the first two, which are what its counters
 * say, and what is left of that. */
void model_total(const struct model *model, size_t thread, union model_value *values);

/* cum of every node: base plus that of its children. Nodes of all threads. The store's; NULL without
 * memory. */
union model_value *model_cum(const struct model *model);

/* What the selected threads used together, by metric. */
void model_whole(const struct model *model, uint64_t whole[PROFILE_METRIC_MAX]);

#endif
