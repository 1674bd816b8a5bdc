/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/*
 * view_seconds: what the chosen threads did in each slice of the recording's time, of a profile made with resolution=1s:
 * sums, and how much that is in a second. As it was counted.
 */
#include <stdio.h>

#include "report/views/view.h"

/* The sums of a slice, over the chosen threads; report->data is an array of these. */
struct seconds {
	uint64_t threads, calls, ops, bytes, io_ns;
	uint64_t samples[SAMPLE_CONDITIONS_MAX]; /* as the model has them */
	uint64_t total[PROFILE_METRIC_MAX];
};

static void columns(struct report *report)
{
	struct sheet *sheet = &report->sheet;
	const struct model *model = report->model;

	sheet_add(sheet, NULL, "at", "At", IN_ALL | COLUMN_TIME | COLUMN_RISING);
	sheet_add(sheet, NULL, "ns", "Takes", IN_ALL | COLUMN_TIME | COLUMN_SUM);
	sheet_add(sheet, NULL, "threads", "Threads", IN_ALL);
	/* Sums first: what is of one object in JSON stands together. */
	sheet_add(sheet, NULL, "calls", "Calls", IN_DATA | COLUMN_SUM);
	sheet_add(sheet, NULL, "ops", "Ops", IN_DATA | COLUMN_SUM);
	sheet_add(sheet, NULL, "bytes", "Bytes", IN_DATA | COLUMN_SUM | COLUMN_BYTES);
	sheet_add(sheet, NULL, "io_ns", "I/O time", IN_DATA | COLUMN_SUM | COLUMN_TIME);
	sheet_add_metrics(sheet, "total", "Total", IN_DATA | COLUMN_SUM, 0);
	for (unsigned c = 0; c < model->condition_count; c++)
		sheet_add(sheet, "samples", model->condition_name[c], "", IN_DATA | COLUMN_SUM);
	sheet_add(sheet, "per_second", "calls", "Calls/s", IN_ALL);
	sheet_add(sheet, "per_second", "ops", "I/O ops/s", IN_ALL);
	sheet_add(sheet, "per_second", "bytes", "I/O bytes/s", IN_ALL | COLUMN_BYTES);
	sheet_add(sheet, "per_second", "io_ns", "I/O time/s", IN_ALL | COLUMN_TIME);
	for (unsigned m = sheet_add_metrics(sheet, "per_second", "", IN_ALL, 1),
		      end = m + model->metric_count;
		m < end; m++)
		snprintf(sheet->column[m].heading, sizeof(sheet->column[m].heading), "%s/s",
			sheet->column[m].key);
	for (unsigned c = 0; c < model->condition_count; c++) {
		/* Metrics may be called as conditions are. */
		unsigned at = sheet_add(
			sheet, "samples_per_second", model->condition_name[c], "", IN_ALL);

		sheet->column[at].place = PLACE_SAMPLES + 2 * c;
		snprintf(sheet->column[at].heading, sizeof(sheet->column[at].heading),
			"%.40s samples/s", model->condition_name[c]);
	}
	sheet_add_name(sheet, "Time");
}

/* So much in a second; a slice may be empty. */
static struct cell rate(uint64_t sum, uint64_t ns)
{
	return ns == 0 ? cell_null()
		       : cell_number((uint64_t)((double)sum * 1e9 / (double)ns + 0.5));
}

static void fill(struct report *report, uint32_t item, struct cell *cells)
{
	const struct model *model = report->model;
	const struct profile_slice *slice = &model->profile->slice[item];
	const struct seconds *sum = &((const struct seconds *)report->data)[item];
	uint64_t ns = slice->ended - slice->began;

	*cells++ = cell_number(slice->began);
	*cells++ = cell_number(ns);
	*cells++ = cell_number(sum->threads);
	*cells++ = cell_number(sum->calls);
	*cells++ = cell_number(sum->ops);
	*cells++ = cell_number(sum->bytes);
	*cells++ = cell_number(sum->io_ns);
	for (unsigned m = 0; m < model->metric_count; m++)
		*cells++ = cell_number(sum->total[m]);
	for (unsigned c = 0; c < model->condition_count; c++)
		*cells++ = cell_number(sum->samples[c]);
	*cells++ = rate(sum->calls, ns);
	*cells++ = rate(sum->ops, ns);
	*cells++ = rate(sum->bytes, ns);
	*cells++ = rate(sum->io_ns, ns);
	for (unsigned m = 0; m < model->metric_count; m++)
		*cells++ = rate(sum->total[m], ns);
	for (unsigned c = 0; c < model->condition_count; c++)
		*cells++ = rate(sum->samples[c], ns);
	*cells = cell_label(store_format(model->store, "%.3f s to %.3f s",
		(double)slice->began / 1e9, (double)slice->ended / 1e9));
}

static void add(
	const struct model *model, struct seconds *sum, const struct profile_slice_use *use)
{
	sum->threads++;
	sum->calls += use->calls;
	sum->ops += use->ops;
	sum->bytes += use->bytes;
	sum->io_ns += use->io_ns;
	for (unsigned m = 0; m < model->metric_count; m++)
		sum->total[m] += use->total[model->metric_index[m]];
	for (unsigned c = 0; c < model->condition_count; c++)
		sum->samples[c] += use->samples[model->condition[c]->id];
}

static int open_seconds(struct report *report)
{
	const struct model *model = report->model;
	const struct profile *profile = model->profile;
	const struct profile_interval *interval = &profile->interval;
	struct seconds *sums = report_room(report, profile->slice_count, struct seconds);
	uint32_t *items = report_room(report, profile->slice_count, uint32_t);
	size_t count = 0, thread = 0;

	report->data = sums;
	if (!sums || !items)
		return -1;
	for (size_t i = 0; i < profile->slice_use_count; i++) {
		const struct profile_slice_use *use = &profile->slice_use[i];

		/* Of a slice they are in the order of threads, as the profile has them. */
		if (i == 0 || use->slice != use[-1].slice)
			thread = 0;
		while (thread < profile->thread_count &&
			profile->thread[thread].id < use->thread)
			thread++;
		if (thread < profile->thread_count &&
			profile->thread[thread].id == use->thread && model->selected[thread])
			add(model, &sums[use->slice], use);
	}
	for (size_t i = 0; i < profile->slice_count; i++)
		if (profile->slice[i].began >= interval->begin &&
			(!interval->to || profile->slice[i].ended <= interval->end))
			items[count++] = (uint32_t)i;
	return report_list(report, items, count);
}

const struct view view_seconds = {
	.name = "seconds",
	.meaning = "what was done in each second, of a profile made with resolution=1s",
	.by = BY_THREAD,
	.sort = "at",
	.slices = true,
	.columns = columns,
	.open = open_seconds,
	.fill = fill,
};
