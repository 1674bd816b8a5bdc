/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/* view_lines: samples by line of the source: of the innermost Java method that has lines, which ran itself, or had called what ran
 * (a native method, a function of the JVM or of the kernel, an intrinsic). */
#include "profile/pairs.h"
#include "report/source/source.h"
#include "report/views/view.h"

struct lines_view {
	/* By item: its method and its line (0: not known), samples, one a condition, and the source's text. */
	struct line {
		uint32_t method, line;
		const char *text;
	} * line;
	uint64_t *samples;
};

static uint32_t method_of(const struct report *report, uint32_t item)
{
	return ((const struct lines_view *)report->data)->line[item].method;
}

static void columns(struct report *report)
{
	struct sheet *sheet = &report->sheet;
	bool has_source = report->request->source != NULL;
	unsigned at;

	method_columns(report);
	sheet_add(sheet, NULL, "file", "File", IN_DATA);
	sample_columns(report, "samples", "", IN_ALL | COLUMN_SUM, 0);
	at = sheet_add(sheet, NULL, "line", "Line", IN_ALL | COLUMN_RISING);
	sheet->column[at].place = PLACE_LAST - 2;
	if (has_source) {
		at = sheet_add(sheet, NULL, "of", "Method", IN_TEXT | COLUMN_LEFT);
		sheet->column[at].place = PLACE_LAST - 1;
		sheet_add(sheet, NULL, "source", "Source", IN_DATA);
	}
	sheet_add_name(sheet, has_source ? "Source" : "Name");
}

static void fill(struct report *report, uint32_t item, struct cell *cells)
{
	const struct lines_view *view = report->data;
	const struct model *model = report->model;
	const struct line *line = &view->line[item];
	const struct method_label *label = &model->method[line->method];
	struct cell name = line->method == METHOD_ROOT ? cell_text("(no Java method)")
						       : cell_label(label->display);

	cells = method_cells(cells, label);
	*cells++ = cell_text(model->profile->method[line->method].file);
	for (unsigned c = 0; c < model->condition_count; c++)
		*cells++ = cell_number(view->samples[item * model->condition_count + c]);
	*cells++ = line->line == 0 ? cell_null() : cell_number(line->line);
	if (report->request->source) {
		*cells++ = name;
		*cells++ = cell_text(line->text);
		name = cell_text(line->text ? line->text : "");
	}
	*cells = name;
}

/* Sums of samples by method and line. numbers: of these two, from 1; by account. */
static int sum_up(struct report *report, struct lines_view *view, struct pairs *numbers)
{
	const struct model *model = report->model;
	const struct profile *profile = model->profile;
	uint32_t *number = report_room(report, profile->account_count, uint32_t);
	uint32_t method;
	unsigned condition;

	for (size_t i = 0; number && i < profile->account_count; i++) {
		const struct profile_account *account = &profile->account[i];

		if (!model_is_sample(model, account, &condition))
			continue;
		method = model_lines_method(model, account->node);
		number[i] = pairs_take(numbers, method,
			method == METHOD_ROOT ? 0
					      : (uint32_t)sample_place_line(account->subject));
		if (number[i] == 0)
			return -1;
	}
	view->line = report_room(report, numbers->count, struct line);
	view->samples = report_room(report, numbers->count * model->condition_count, uint64_t);
	if (model->store->failed)
		return -1;
	for (size_t i = 0; i < numbers->count; i++)
		view->line[i] = (struct line){.method = (uint32_t)(numbers->key[i] >> 32),
			.line = (uint32_t)numbers->key[i]};
	for (size_t i = 0; i < profile->account_count; i++)
		if (number[i] > 0 && model_is_sample(model, &profile->account[i], &condition))
			view->samples[(number[i] - 1) * model->condition_count + condition] +=
				profile->account[i].amount;
	return 0;
}

static int open_lines(struct report *report)
{
	const struct profile *profile = report->model->profile;
	struct lines_view *view = report_room(report, 1, struct lines_view);
	struct source *source = report->request->source;
	struct pairs numbers = {0};
	int failed = view ? sum_up(report, view, &numbers) : -1;
	size_t count = numbers.count;

	pairs_fini(&numbers);
	report->data = view;
	if (failed != 0 || report_list_methods(report, NULL, count, method_of) != 0)
		return -1;
	for (size_t i = 0; source && i < report->shown; i++) {
		struct line *line = &view->line[report->rank[i].item];
		const struct profile_method *method = &profile->method[line->method];

		line->text = source_line(source, method->class_name, method->file, line->line);
	}
	return 0;
}

const struct view view_lines = {
	.name = "lines",
	.meaning = "samples by line of the source; its text with --source",
	.by = BY_CALLS,
	.sort = "samples",
	.calls = true,
	.samples = true,
	.columns = columns,
	.open = open_lines,
	.fill = fill,
};
