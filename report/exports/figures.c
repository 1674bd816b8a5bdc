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

const char *const export_io_names[EXPORT_IO_FIGURES] = {
	[EXPORT_IO_NS] = "io.ns",
	[EXPORT_IO_BYTES] = "io.bytes",
	[EXPORT_IO_OPS] = "io.ops",
};

static const char *const io_units[EXPORT_IO_FIGURES] = {
	[EXPORT_IO_NS] = "ns",
	[EXPORT_IO_BYTES] = "bytes",
	[EXPORT_IO_OPS] = "count",
};

static void add_metrics(struct figures *figures, const struct model *model)
{
	for (unsigned m = 0; m < model->metric_count; m++)
		figures->figure[figures->count++] =
			(struct figure){.name = model->metric[m]->name,
				.unit = model->metric[m]->unit,
				.at = m};
	for (unsigned c = 0; c < model->condition_count; c++)
		figures->figure[figures->count++] =
			(struct figure){.name = store_format(model->store, "samples.%s",
						model->condition_name[c])
							.text,
				.unit = "count",
				.at = model->metric_count + c,
				.condition = model->condition[c]};
}

struct figures figures_choose(const struct export *export)
{
	const struct model *model = export->model;
	const struct export_figures *wanted = &export->request->figures;
	struct figures figures = {.calls = model->figures};

	if (wanted->metrics)
		add_metrics(&figures, model);
	for (unsigned i = 0; i < EXPORT_IO_FIGURES; i++)
		if (wanted->io[i])
			figures.figure[figures.count++] =
				(struct figure){.name = export_io_names[i],
					.unit = io_units[i],
					.at = figures.calls + 1 + i};
	if (wanted->calls == EXPORT_ASKED || figures.count == 0 ||
		(wanted->calls == EXPORT_FOUND && has_calls(model)))
		figures.figure[figures.count++] =
			(struct figure){.name = "calls", .unit = "count", .at = figures.calls};
	figures.lead = wanted->metrics && model->lead < figures.count ? model->lead : 0;
	return figures;
}

bool figures_have_io(const struct figures *figures)
{
	for (unsigned i = 0; i < figures->count; i++)
		if (figures->figure[i].at > figures->calls)
			return true;
	return false;
}

bool figures_any(const struct figures *figures, const uint64_t *values)
{
	uint64_t any = 0;

	for (unsigned i = 0; i < figures->count; i++)
		any |= values[figures->figure[i].at];
	return any != 0;
}
