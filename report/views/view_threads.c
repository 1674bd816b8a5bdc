/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/* view_threads: what each thread used, and how much of its events could be matched. */
#include "report/text/figure.h"
#include "report/views/view.h"

struct threads_view {
	union model_value *
		total; /* by position of the thread; of the chosen methods alone, if there are such */
	bool *has; /* it ran one; NULL: none are chosen */
};

/* What of metrics that are not divided lies in and below methods is not known: terminals show it to those alone who ask. */
static void leave_undivided(struct report *report)
{
	const struct model *model = report->model;

	if (!model->is_divided || model->choice->methods.count == 0 || model->choice->metrics)
		return;
	for (unsigned m = 0; m < model->metric_count; m++)
		if (model_condition_of(model, model->metric[m]) == 0)
			report->sheet.column[report->summed.figure + m].flags |= COLUMN_ASIDE;
}

/* Some chosen thread could run and had no processor. */
static bool has_waited(const struct model *model)
{
	for (size_t t = 0; t < model->profile->thread_count; t++)
		if (model->selected[t] && model->profile->thread[t].waited_ns > 0)
			return true;
	return false;
}

static void columns(struct report *report)
{
	struct sheet *sheet = &report->sheet;
	/* What only virtual threads have: in text where there are some. */
	unsigned of_virtual =
		COLUMN_SUM | (model_has_virtual(report->model) ? IN_ALL : IN_DATA);

	beside_columns(report);
	sheet_add(sheet, NULL, "thread", "Thread", IN_DATA);
	sheet_add(sheet, NULL, "index", "Index", IN_DATA | COLUMN_RISING);
	sheet_add(sheet, NULL, "id", "Id", IN_ALL | COLUMN_RISING);
	sheet_add(sheet, NULL, "os_id", "OS id", IN_DATA | COLUMN_RISING);
	sheet_add(sheet, NULL, "virtual", "Virtual", IN_ALL | COLUMN_LEFT);
	sheet_add(sheet, NULL, "alive", "Alive", IN_ALL | COLUMN_LEFT);
	sheet_add(sheet, NULL, "folded", "Folded", IN_ALL | COLUMN_SUM);
	sheet_add(sheet, NULL, "mounts", "Mounts", of_virtual);
	sheet_add(sheet, NULL, "carrier_time", "Carrier time", of_virtual | COLUMN_TIME);
	sheet_add(sheet, NULL, "waited", "Waited",
		(has_waited(report->model) ? IN_ALL : IN_DATA) | COLUMN_SUM | COLUMN_TIME);
	sheet_add(sheet, NULL, "events", "Events", IN_ALL | COLUMN_SUM);
	sheet_add(sheet, NULL, "unwound", "Unwound", IN_ALL | COLUMN_SUM);
	sheet_add(sheet, NULL, "repaired", "Repaired", IN_ALL | COLUMN_SUM);
	sheet_add(sheet, NULL, "unmatched", "Unmatched", IN_ALL | COLUMN_SUM);
	sheet_add(sheet, NULL, "lost", "Lost", IN_ALL | COLUMN_SUM);
	sheet_add(sheet, NULL, "pruned", "Pruned", IN_ALL | COLUMN_SUM);
	sheet_add(sheet, NULL, "started", "Started", IN_DATA | COLUMN_RISING);
	sheet_add(sheet, NULL, "ended", "Ended", IN_DATA | COLUMN_RISING);
	sheet_add(sheet, NULL, "problems", "Problems", IN_SCREEN | COLUMN_LEFT);
	total_columns(report);
	leave_undivided(report);
	sheet_add_name(sheet, "Thread");
}

/* A number where 0 says that there is none. */
static struct cell known(uint64_t number)
{
	return number == 0 ? cell_null() : cell_number(number);
}

static struct cell of_virtual(const struct profile_thread *thread, uint64_t number)
{
	return thread->is_virtual ? cell_number(number) : cell_null();
}

/* What of a thread's calls is not as it was, in words; empty: nothing. */
static struct label problems(struct report *report, const struct profile_thread *thread)
{
	const struct {
		const char *word;
		uint64_t count;
	} kinds[] = {{"lost", thread->lost}, {"folded", thread->pruned},
		{"unmatched", thread->unmatched}, {"repaired", thread->repaired}};
	struct label label = {"", 0};

	for (size_t i = 0; i < sizeof(kinds) / sizeof(*kinds); i++) {
		if (kinds[i].count > 0)
			label = store_format(report->model->store, "%s%s%s %s", label.text,
				label.length > 0 ? ", " : "",
				figure_text(FIGURE_COUNT, kinds[i].count).text, kinds[i].word);
	}
	return label;
}

static void fill(struct report *report, uint32_t item, struct cell *cells)
{
	const struct profile_thread *thread = &report->model->profile->thread[item];
	const struct threads_view *view = report->data;
	size_t root = report->model->profile->thread_first[item];

	if (report->io_of_node)
		cells = beside_cells(report, cells, &report->io_of_node[root]);
	*cells++ = cell_label(report->model->thread[item]);
	*cells++ = cell_number(thread->id);
	*cells++ = known((uint64_t)thread->java_id);
	*cells++ = known((uint64_t)thread->os_id);
	*cells++ = cell_bool(thread->is_virtual);
	*cells++ = cell_bool(thread->alive);
	*cells++ = cell_number(thread->folded);
	*cells++ = of_virtual(thread, thread->mounts);
	*cells++ = of_virtual(thread, thread->carrier_ns);
	*cells++ = cell_number(thread->waited_ns);
	*cells++ = cell_number(thread->events);
	*cells++ = cell_number(thread->unwound);
	*cells++ = cell_number(thread->repaired);
	*cells++ = cell_number(thread->unmatched);
	*cells++ = cell_number(thread->lost);
	*cells++ = cell_number(thread->pruned);
	*cells++ = cell_number(thread->started);
	*cells++ = thread->alive ? cell_null() : cell_number(thread->ended);
	*cells++ = cell_label(problems(report, thread));
	cells = value_cells(
		report, cells, model_at(report->model, view->total, item), NULL, false);
	*cells = cell_label(report->model->thread[item]);
}

/* Says where the bases of a thread's nodes do not add up to its total: figures, and what was counted. */
static void check_total(struct report *report, size_t thread, const union model_value *total)
{
	const struct model *model = report->model;
	union model_value sum[MODEL_VALUES_MAX];

	model_sum(model, thread, sum);
	for (unsigned m = 0; m < model->metric_count; m++)
		for (unsigned v = m; v < model->counts; v += model->figures)
			if (sum[v].count != total[v].count)
				report_violation(report,
					"thread '%s': the sum of %sbase (%s) is %llu, not %llu",
					model->thread[thread].text, v == m ? "" : "raw ",
					model->metric[m]->name,
					(unsigned long long)sum[v].count,
					(unsigned long long)total[v].count);
}

/* Makes the totals those of what ran in and below the chosen methods. 0, or -1 without memory. */
static int choose_methods(struct report *report, struct threads_view *view)
{
	const struct model *model = report->model;
	const struct profile *profile = model->profile;
	const bool *below = model_below_wanted(model);
	union model_value base[MODEL_VALUES_MAX];

	view->total = model_values(model, profile->thread_count);
	view->has = report_room(report, profile->thread_count, bool);
	if (model->store->failed)
		return -1;
	for (size_t i = 0; i < model->node_count; i++) {
		uint32_t at = model->node[i], thread = profile->node[at].thread;

		if (!below[at])
			continue;
		model_base(model, at, base);
		model_add(model, model_at(model, view->total, thread), base);
		view->has[thread] = true;
	}
	return 0;
}

/* It is of those that the user asked for, and has its share. */
static bool is_shown(struct report *report, uint32_t thread)
{
	const struct threads_view *view = report->data;
	const struct profile *profile = report->model->profile;
	struct cell cells[COLUMN_MAX];

	if (view->has && !view->has[thread])
		return false;
	if (report->io_of_node && report->io_of_node[profile->thread_first[thread]].ops == 0)
		return false;
	if (report->min <= 0)
		return true;
	report->request->view->fill(report, thread, cells);
	return cell_is_sum(&cells[report->share]) &&
	       cells[report->share].number >= report_least(report);
}

/* Those that are shown move to the front, in their order. */
static void move_shown(struct report *report)
{
	size_t most = report->shown;

	report->shown = 0;
	for (size_t i = 0; i < report->count && report->shown < most; i++) {
		struct rank row = report->rank[i];

		if (!is_shown(report, row.item))
			continue;
		memmove(&report->rank[report->shown + 1], &report->rank[report->shown],
			(i - report->shown) * sizeof(row));
		report->rank[report->shown++] = row;
	}
}

static int open_threads(struct report *report)
{
	const struct model *model = report->model;
	size_t threads = model->profile->thread_count, count = 0;
	struct threads_view *view = report_room(report, 1, struct threads_view);
	uint32_t *items = report_room(report, threads, uint32_t);

	report->data = view;
	if (!view || !items)
		return -1;
	view->total = model_values(model, threads);
	for (size_t t = 0; view->total && t < threads; t++) {
		if (!model->selected[t])
			continue;
		model_total(model, t, model_at(model, view->total, t));
		check_total(report, t, model_at(model, view->total, t));
		if (!report_is_idle(report, t))
			items[count++] = (uint32_t)t;
	}
	if (model->choice->methods.count > 0 && choose_methods(report, view) != 0)
		return -1;
	if (report_list(report, items, count) != 0)
		return -1;
	move_shown(report);
	return 0;
}

/* Threads that did nothing have no rows, but one together. */
static void rows(struct report *report, struct sink *sink)
{
	struct cell cells[COLUMN_MAX], sums[COLUMN_MAX];
	size_t idle = 0;

	report_rows(report, sink);
	sums_begin(report, sums);
	for (size_t t = 0; t < report->model->profile->thread_count; t++) {
		if (!report->model->selected[t] || !report_is_idle(report, t))
			continue;
		fill(report, (uint32_t)t, cells);
		sums_add(report, sums, cells);
		idle++;
	}
	sums_end(report, sums);
	if (idle > 0)
		sink_extra(sink, "idle", report_idle_threads(report), idle, sums);
}

const struct view view_threads = {
	.name = "threads",
	.meaning = "one row a thread: events and totals",
	.by = BY_ALL,
	.sort = "index",
	.share = "total",
	.adjusts = true,
	.columns = columns,
	.open = open_threads,
	.fill = fill,
	.rows = rows,
};
