/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/* figures: names and units. */
#include "report/exports/figures.h"

static bool has_calls(const struct model *model)
{
	if (model->counted)
		return true;
	for (size_t i = 0; i < model->node_count; i++)
		if (model->profile->node[model->node[i]].calls > 0)
			return true;
	return false;
}

struct figures figures_choose(const struct export *export)
{
	const struct model *model = export->model;
	enum export_calls calls = export->request->calls;
	struct figures figures = {.calls = model->figures};

	for (unsigned m = 0; calls != CALLS_ALONE && m < model->metric_count; m++)
		figures.figure[figures.count++] =
			(struct figure){.name = model->metric[m]->name,
				.unit = model->metric[m]->unit,
				.at = m};
	for (unsigned c = 0; calls != CALLS_ALONE && c < model->condition_count; c++)
		figures.figure[figures.count++] =
			(struct figure){.name = store_format(model->store, "samples.%s",
						model->condition_name[c])
							.text,
				.unit = "count",
				.at = model->metric_count + c,
				.condition = model->condition[c]};
	if (calls == CALLS_ALONE || figures.count == 0 ||
		(calls == CALLS_TOO && has_calls(model)))
		figures.figure[figures.count++] =
			(struct figure){.name = "calls", .unit = "count", .at = figures.calls};
	figures.lead = model->lead < figures.count ? model->lead : 0;
	return figures;
}

bool figures_any(const struct figures *figures, const uint64_t *values)
{
	uint64_t any = 0;

	for (unsigned i = 0; i < figures->count; i++)
		any |= values[figures->figure[i].at];
	return any != 0;
}
