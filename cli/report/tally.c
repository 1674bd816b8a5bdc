/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/* tally: sums by method, and the columns of a method's row. */
#include "cli/report/tally.h"

#include <stdlib.h>

static void add_node(struct tally *tally, const struct report *report, size_t at,
	union report_value *cum)
{
	const struct profile_node *node = &report->profile->node[at];
	union report_value base[REPORT_VALUES_MAX];
	struct method_count *count = &tally->method[node->method];
	union report_value *cum_sum = report_values(report, tally->cum, node->method);

	count->nodes++;
	count->calls += node->calls;
	count->interpreted += node->interpreted;
	count->jitted += node->jitted;
	count->native += node->native;
	count->at_least |= report_at_least(report, at);
	report_base(report, at, base);
	report_add_values(report, report_values(report, tally->base, node->method), base);
	if (node->recursion == 0)
		report_add_values(report, cum_sum, report_values(report, cum, at));
}

static void add_thread(
	struct tally *tally, const struct report *report, size_t thread,
	union report_value *cum)
{
	const struct profile *profile = report->profile;

	for (size_t i = profile->thread_first[thread];
		i < profile->thread_first[thread + 1]; i++) {
		if (!report->hidden[i])
			add_node(tally, report, i, cum);
	}
}

int tally_init(struct tally *tally, const struct report *report, union report_value *cum)
{
	const struct profile *profile = report->profile;
	size_t methods = profile->method_count, values = report->values;

	tally->method = calloc(methods + 1, sizeof(*tally->method));
	tally->base = calloc(methods * values + 1, sizeof(*tally->base));
	tally->cum = calloc(methods * values + 1, sizeof(*tally->cum));
	tally->seen = calloc(methods + 1, sizeof(*tally->seen));
	tally->seen_count = 0;
	if (tally->method == NULL || tally->base == NULL || tally->cum == NULL ||
		tally->seen == NULL) {
		tally_fini(tally);
		return -1;
	}
	for (size_t t = 0; t < profile->thread_count; t++) {
		if (report->selected[t])
			add_thread(tally, report, t, cum);
	}
	for (uint32_t id = PROFILE_METHOD_ROOT + 1; id < methods; id++) {
		if (tally->method[id].nodes > 0)
			tally->seen[tally->seen_count++] = id;
	}
	return 0;
}

void tally_fini(struct tally *tally)
{
	free(tally->method);
	free(tally->base);
	free(tally->cum);
	free(tally->seen);
	*tally = (struct tally){0};
}

unsigned tally_columns(struct report *report)
{
	struct sheet *sheet = &report->sheet;
	unsigned first = sheet_add(sheet, NULL, "class", "Class", IN_DATA, PLACE_FIRST);

	sheet_add(sheet, NULL, "method", "Method", IN_DATA, PLACE_FIRST);
	sheet_add(sheet, NULL, "signature", "Signature", IN_DATA, PLACE_FIRST);
	sheet_add(sheet, NULL, "native", "Native", IN_DATA, PLACE_FIRST);
	sheet_add(sheet, NULL, "static", "Static", IN_DATA, PLACE_FIRST);
	sheet_add(sheet, NULL, "calls", "Calls", IN_ALL | COLUMN_SUM, PLACE_FIRST);
	sheet_add(sheet, "entered", "interpreted", "Interpreted", IN_ALL | COLUMN_SUM,
		PLACE_FIRST);
	sheet_add(sheet, "entered", "jitted", "Jitted", IN_ALL | COLUMN_SUM, PLACE_FIRST);
	sheet_add(sheet, "entered", "native", "Native", IN_ALL | COLUMN_SUM, PLACE_FIRST);
	report_at_least_column(report);
	report_value_columns(report);
	sheet_add(sheet, NULL, "name", "Name", IN_TEXT | COLUMN_NAME | COLUMN_LEFT,
		PLACE_LAST);
	return first;
}

void tally_cells(const struct report *report, struct cell *cells, uint32_t method,
	const struct method_count *count, const union report_value *base,
	const union report_value *cum)
{
	static const struct label thread_root = {"(thread)", 8};
	const struct profile_method *row = &report->profile->method[method];
	const struct method_label *label = &report->method[method];
	bool is_real = method >= PROFILE_METHOD_FIRST;

	*cells++ = cell_label(label->class_name);
	*cells++ = cell_label(label->name);
	*cells++ = cell_label(label->signature);
	*cells++ = is_real ? cell_bool(row->is_native) : (struct cell){0};
	*cells++ = is_real ? cell_bool(row->is_static) : (struct cell){0};
	*cells++ = cell_number(count->calls);
	*cells++ = cell_number(count->interpreted);
	*cells++ = cell_number(count->jitted);
	*cells++ = cell_number(count->native);
	cells = report_at_least_cell(report, cells, count->at_least);
	cells = report_value_cells(report, cells, base, cum);
	*cells =
		cell_label(method == PROFILE_METHOD_ROOT ? thread_root : label->display);
}

void tally_outside(const struct tally *tally, struct report *report, struct sink *sink)
{
	struct cell cells[COLUMN_MAX] = {0};

	if (report->sheet.metric_count == 0)
		return;
	report_base_cells(
		report, cells, report_values(report, tally->base, PROFILE_METHOD_ROOT));
	sink_extra(sink, "outside", "outside every included method", 0, cells);
}
