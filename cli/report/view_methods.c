/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/* view_methods: the flat profile, and what was used outside every included method. */
#include <stdlib.h>

#include "cli/report/report.h"
#include "cli/report/tally.h"

struct methods_view {
	struct tally tally;
	struct rank *rank;
	size_t shown;
};

static void columns(struct report *report)
{
	tally_columns(report);
}

static void fill(struct report *report, uint32_t item, struct cell *cells)
{
	const struct tally *tally = &((struct methods_view *)report->data)->tally;

	tally_cells(report, cells, item, &tally->method[item],
		report_values(report, tally->base, item),
		report_values(report, tally->cum, item));
}

static int open_methods(struct report *report, struct error *error)
{
	struct methods_view *view = calloc(1, sizeof(*view));
	union report_value *cum = report_cum(report);
	int failed = -1;

	report->data = view;
	if (view != NULL && cum != NULL)
		failed = tally_init(&view->tally, report, cum);
	free(cum);
	if (failed != 0)
		return report_no_memory(error);
	view->rank = report_rank(report, view->tally.seen, view->tally.seen_count, fill);
	if (view->rank == NULL)
		return report_no_memory(error);
	view->shown = report_choose_methods(report, view->rank, view->tally.seen_count);
	return 0;
}

static int rows_methods(struct report *report, struct sink *sink, struct error *error)
{
	struct methods_view *view = report->data;

	(void)error;
	report_some_rows(
		report, sink, view->rank, view->shown, view->tally.seen_count, fill);
	tally_outside(&view->tally, report, sink);
	return 0;
}

static void close_methods(struct report *report)
{
	struct methods_view *view = report->data;

	if (view == NULL)
		return;
	tally_fini(&view->tally);
	free(view->rank);
	free(view);
}

const struct view view_methods = {
	.name = "methods",
	.meaning = "the flat profile: one row a method",
	.sort = "base",
	.calls = true,
	.adjusts = true,
	.columns = columns,
	.open = open_methods,
	.rows = rows_methods,
	.close = close_methods,
};
