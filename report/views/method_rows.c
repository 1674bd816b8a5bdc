/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/* method_rows: see method_rows.h. */
#include "report/views/method_rows.h"

void method_row_columns(struct report *report)
{
	struct sheet *sheet = &report->sheet;

	method_columns(report);
	sheet_add(sheet, NULL, "native", "Native", IN_DATA);
	sheet_add(sheet, NULL, "static", "Static", IN_DATA);
	sheet_add(sheet, NULL, "calls", "Calls", IN_ALL | COLUMN_SUM);
	entered_columns(report, IN_ALL | COLUMN_SUM);
	at_least_column(report);
	value_columns(report);
	sheet_add_name(sheet, "Name");
}

void method_row(const struct report *report, struct cell *cells, uint32_t method,
	const struct call_count *count, const union model_value *base,
	const union model_value *cum)
{
	const struct profile_method *row = &report->model->profile->method[method];
	const struct method_label *label = &report->model->method[method];
	bool is_real = method >= METHOD_FIRST;

	cells = method_cells(cells, label);
	*cells++ = is_real ? cell_bool(row->is_native) : cell_null();
	*cells++ = is_real ? cell_bool(row->is_static) : cell_null();
	*cells++ = cell_number(count->calls);
	cells = entered_cells(cells, count->interpreted, count->jitted, count->native);
	cells = at_least_cell(report, cells, count->at_least);
	cells = value_cells(report, cells, base, cum);
	*cells = method == METHOD_ROOT ? cell_text("(thread)") : cell_label(label->display);
}

void method_row_of(const struct report *report, struct cell *cells, const struct tally *tally,
	uint32_t method)
{
	method_row(report, cells, method, &tally->method[method],
		model_at(report->model, tally->base, method),
		model_at(report->model, tally->cum, method));
}

void method_row_outside(struct report *report, struct sink *sink, const struct tally *tally)
{
	const union model_value *base = model_at(report->model, tally->base, METHOD_ROOT);
	struct cell cells[COLUMN_MAX], row[COLUMN_MAX] = {0};
	unsigned first = report->summed.figure;

	if (report->model->metric_count == 0)
		return;
	value_cells(report, cells, base, base);
	for (unsigned i = first; i < report->sheet.column_count; i++) {
		if (report->sheet.column[i].flags & COLUMN_SUM)
			row[i] = cells[i - first];
	}
	sink_extra(sink, "outside", "outside every included method", 0, row);
}
