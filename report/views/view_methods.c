/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/* view_methods: the flat profile, and what was used outside every included method. */
#include "report/views/view.h"

static void fill(struct report *report, uint32_t item, struct cell *cells)
{
	method_row_of(report, cells, report->data, item);
}

static int open_methods(struct report *report)
{
	struct tally *tally = report_room(report, 1, struct tally);
	const union model_value *cum = model_cum(report->model);

	report->data = tally;
	if (!tally || !cum || tally_init(tally, report->model, cum) != 0)
		return -1;
	return report_list_methods(report, tally->seen, tally->seen_count, NULL);
}

static void rows(struct report *report, struct sink *sink)
{
	report_rows(report, sink);
	method_row_outside(report, sink, report->data);
}

const struct view view_methods = {
	.name = "methods",
	.may_fold = true,
	.meaning = "the flat profile: one row a method",
	.by = BY_ALL,
	.sort = "base",
	.calls = true,
	.adjusts = true,
	.columns = method_row_columns,
	.open = open_methods,
	.fill = fill,
	.rows = rows,
};
