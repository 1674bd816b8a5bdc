/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/*
 * view_states: how each Java method ran when samples were taken in it, or in what it had called that is no Java:
 * interpreted, compiled, in libraries, in the kernel...
 *
 * A row is of one method and one condition: samples on different conditions make no sum.
 */
#include <string.h>

#include "report/views/view.h"

/* Columns: inlined code is one, whichever compiler's. */
static const struct state_column {
	const char *key, *heading;
	unsigned states; /* bits of enum sample_state */
} state_columns[] = {
	{"interpreted", "Interp.", 1u << SAMPLE_INTERPRETED},
	{"c1", "C1", 1u << SAMPLE_C1},
	{"c2", "C2", 1u << SAMPLE_C2},
	{"inlined", "Inlined", 1u << SAMPLE_C1_INLINED | 1u << SAMPLE_C2_INLINED},
	{"stub", "Stub", 1u << SAMPLE_STUB},
	{"native", "Native", 1u << SAMPLE_NATIVE},
	{"jvm", "JVM", 1u << SAMPLE_JVM},
	{"kernel", "Kernel", 1u << SAMPLE_KERNEL},
	{"gc", "GC", 1u << SAMPLE_GC},
	{"jit", "JIT", 1u << SAMPLE_JIT},
	{"waiting", "Waiting", 1u << SAMPLE_WAITING},
	{"unknown", "?", 1u << SAMPLE_UNKNOWN},
};

/* In text they stand behind the columns that have no place. */
enum { PLACE_STATES = PLACE_FIRST + 1 };
enum { STATES = sizeof(state_columns) / sizeof(*state_columns) };

/* Items: method * conditions + condition. */
struct states_view {
	struct states {
		uint64_t all, of[STATES];
	} * states;
	uint64_t all[STATES];
};

static uint32_t method_of(const struct report *report, uint32_t item)
{
	return item / report->model->condition_count;
}

/* They are counted before there are columns: text leaves empty ones out. */
static void count_states(struct report *report)
{
	const struct model *model = report->model;
	const struct profile *profile = model->profile;
	struct states_view *view = report_room(report, 1, struct states_view);
	unsigned condition;

	if (!view)
		return;
	view->states = report_room(
		report, (size_t)profile->method_count * model->condition_count, struct states);
	report->data = view;
	for (size_t i = 0; view->states && i < profile->account_count; i++) {
		const struct profile_account *account = &profile->account[i];
		struct states *states;

		if (!model_is_sample(model, account, &condition))
			continue;
		states = &view->states[model_java_method(model, account->node) *
					       model->condition_count +
				       condition];
		states->all += account->amount;
		for (int s = 0; s < STATES; s++) {
			if (state_columns[s].states >> sample_place_state(account->subject) &
				1) {
				states->of[s] += account->amount;
				view->all[s] += account->amount;
			}
		}
	}
}

static void columns(struct report *report)
{
	struct sheet *sheet = &report->sheet;
	const struct model *model = report->model;
	const struct states_view *view;
	unsigned all;

	count_states(report);
	view = report->data;
	method_columns(report);
	sheet_add(sheet, NULL, "condition", "Condition",
		COLUMN_LEFT | (model->condition_count > 1 ? IN_ALL : IN_DATA));
	all = sheet_add(sheet, "samples", "all", "Samples", IN_ALL | COLUMN_SUM);
	if (model->condition_count == 1)
		samples_have_shares(report, all, 0);
	for (int s = 0; s < STATES; s++) {
		bool is_empty = !view || view->all[s] == 0;
		unsigned at = sheet_add(sheet, "samples", state_columns[s].key,
			state_columns[s].heading, COLUMN_SUM | (is_empty ? IN_DATA : IN_ALL));

		/* Text has those first that have most. */
		for (int other = 0; other < STATES && !is_empty; other++)
			sheet->column[at].place += view->all[other] > view->all[s];
		sheet->column[at].place += PLACE_STATES;
	}
	sheet_add_name(sheet, "Name");
}

static void fill(struct report *report, uint32_t item, struct cell *cells)
{
	const struct states_view *view = report->data;
	const struct model *model = report->model;
	uint32_t method = method_of(report, item);
	const struct states *states = &view->states[item];

	cells = method_cells(cells, &model->method[method]);
	*cells++ = cell_text(model->condition[item % model->condition_count]->name);
	*cells++ = cell_number(states->all);
	for (int s = 0; s < STATES; s++)
		*cells++ = cell_number(states->of[s]);
	*cells = method == METHOD_ROOT ? cell_text("(no Java method)")
				       : cell_label(model->method[method].display);
}

static int open_states(struct report *report)
{
	const struct states_view *view = report->data;
	const struct model *model = report->model;
	size_t all = (size_t)model->profile->method_count * model->condition_count, count = 0;
	uint32_t *items = report_room(report, all, uint32_t);

	if (model->store->failed)
		return -1;
	for (size_t i = 0; i < all; i++)
		if (view->states[i].all > 0)
			items[count++] = (uint32_t)i;
	return report_list_methods(report, items, count, method_of);
}

const struct view view_states = {
	.name = "states",
	.may_fold = true,
	.meaning = "how each Java method ran when it was sampled",
	.by = BY_CALLS,
	.sort = "samples.all",
	.calls = true,
	.samples = true,
	.columns = columns,
	.open = open_states,
	.fill = fill,
};
