/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/* sheet: columns of a view, and cells as data. */
#include "report/formats/sheet.h"

#include <stdio.h>
#include <string.h>

unsigned sheet_add(struct sheet *sheet, const char *group, const char *key, const char *heading,
	unsigned flags)
{
	struct column *column = &sheet->column[sheet->column_count];

	*column = (struct column){.group = group,
		.key = key,
		.unit = flags & COLUMN_TIME ? "ms" : "",
		.flags = flags,
		.place = flags & COLUMN_LAST ? PLACE_LAST : PLACE_FIRST};
	snprintf(column->heading, sizeof(column->heading), "%s", heading);
	return sheet->column_count++;
}

void sheet_add_name(struct sheet *sheet, const char *heading)
{
	sheet_add(sheet, NULL, "name", heading,
		IN_TEXT | COLUMN_NAME | COLUMN_LEFT | COLUMN_LAST);
}

unsigned sheet_add_metrics(struct sheet *sheet, const char *group, const char *heading,
	unsigned flags, unsigned behind)
{
	unsigned first = sheet->column_count;

	for (unsigned i = 0; i < sheet->metric_count; i++) {
		const struct profile_metric *metric = sheet->metric[i];
		bool time = strcmp(metric->unit, "ns") == 0;
		unsigned added = sheet_add(
			sheet, group, metric->name, "", flags | (time ? COLUMN_TIME : 0));
		struct column *column = &sheet->column[added];

		column->place = PLACE_METRIC + 2 * i + behind;
		snprintf(column->heading, sizeof(column->heading), "%s %s", heading,
			metric->name);
		column->unit = time ? "ms" : metric->unit;
	}
	return first;
}

int sheet_find(const struct sheet *sheet, const char *name)
{
	for (unsigned i = 0; i < sheet->column_count; i++) {
		const struct column *column = &sheet->column[i];
		size_t group = column->group ? strlen(column->group) : 0;

		if (group > 0 && strncmp(column->group, name, group) != 0)
			continue;
		if ((group == 0 && strcmp(column->key, name) == 0) ||
			(group > 0 && name[group] == '\0') ||
			(group > 0 && name[group] == '.' &&
				strcmp(column->key, name + group + 1) == 0))
			return (int)i;
	}
	return -1;
}

const char *cell_how_next(
	const struct sheet *sheet, const struct cell *cell, unsigned *at, const char **word)
{
	static const char *const words[] = {
		[HOW_COUNTED] = "counted", [HOW_SAMPLED] = "sampled"};
	enum how calls = cell->number & 3;
	uint64_t sampled = cell->number >> 2;

	/* The calls, then each metric. */
	while (*at <= sheet->metric_count) {
		unsigned i = (*at)++;

		*word = words[i == 0 ? calls : HOW_SAMPLED];
		if (i == 0 && calls != HOW_MEASURED)
			return "calls";
		if (i > 0 && sampled >> (i - 1) & 1)
			return sheet->metric[i - 1]->name;
	}
	return NULL;
}

bool out_cell(struct out *out, const struct cell *cell)
{
	switch (cell->kind) {
	case CELL_NUMBER:
	case CELL_ESTIMATE:
	case CELL_DIVIDED:
		out_number(out, cell->number);
		return true;
	case CELL_SIGNED:
		out_signed(out, (int64_t)cell->number);
		return true;
	case CELL_REAL:
		out_real(out, cell->real);
		return true;
	case CELL_EXACT:
		out_exact(out, cell->real);
		return true;
	case CELL_BOOL:
		out_text(out, cell->number ? "true" : "false");
		return true;
	default:
		return false;
	}
}
