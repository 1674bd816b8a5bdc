/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/* export: the table of exporters, and the way from a request to bytes. */
#include "report/exports/export.h"

#include "components/components.h"
#include "report/model/chosen.h"

extern const struct exporter exporter_collapsed, exporter_pprof, exporter_speedscope,
	exporter_callgrind, exporter_chrome, exporter_otlp;

const struct exporter *const exporters[] = {
	&exporter_collapsed,
	&exporter_pprof,
	&exporter_speedscope,
	&exporter_callgrind,
	&exporter_chrome,
	&exporter_otlp,
};

const size_t exporter_count = sizeof(exporters) / sizeof(exporters[0]);

/* ---- from a request to bytes ---- */

/* Figures are those of a part alone: not every format says so, nor does whoever opens the file see it. */
static void say_chosen(const struct export *export)
{
	struct label line = model_chosen_line(export->model, export->model->store);

	if (line.length > 0 && export->request->say)
		export->request->say(line.text);
}

int export_write(const struct profile *profile, const struct export_request *request, int fd,
	struct error *error)
{
	struct model_choice choice = request->choice;
	struct components components = {0};
	struct model model = {0};
	struct out out;
	const struct export export = {.request = request, .model = &model, .out = &out};
	int failed = 0;

	out_init(&out, fd);
	choice.definitions = request->components;
	if (request->by_component || (request->components && choice.within.count == 0)) {
		failed = components_choose(&components, profile, request->components, error);
		choice.components = &components;
	}
	if (failed == 0)
		failed = model_init(&model, profile, &choice, error);
	if (failed == 0 && (request->exporter->write(&export) != 0 || model.store->failed))
		failed = model_no_memory(error);
	if (failed == 0)
		failed = out_finish(&out, "export", error);
	if (failed == 0)
		say_chosen(&export);
	out_fini(&out);
	model_fini(&model);
	components_fini(&components);
	return failed;
}
