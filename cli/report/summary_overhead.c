/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/*
 * summary_overhead: the rows of the summary that tell what jprof itself cost, as the calibration
 * has it.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cli/report/view_summary.h"

/* Over the chosen threads. */
struct overhead {
	struct adjust_total total[PROFILE_METRIC_MAX]; /* by metric of the profile */
	struct adjust_stretches stretches;
	uint64_t used[PROFILE_METRIC_MAX]; /* what they used, with jprof's part */
};

static void add_thread(const struct report *report, struct overhead *overhead, size_t thread)
{
	const struct adjusted *adjusted = report->adjusted;
	const struct adjust_stretches *stretches = &adjusted->stretches[thread];

	for (unsigned m = 0; m < adjusted->metric_count; m++) {
		const struct adjust_total *total =
			&adjusted->total[thread * adjusted->metric_count + m];

		overhead->total[m].taken += total->taken;
		overhead->total[m].over += total->over;
		overhead->used[m] += report->profile->thread[thread].total[m];
	}
	overhead->stretches.all += stretches->all;
	overhead->stretches.nearest += stretches->nearest;
	overhead->stretches.missing += stretches->missing;
}

/* ---- the whole ---- */

/* Processor time of the process, of the whole recording; 0: not known. */
static double process_time(const struct profile *profile)
{
	const char *used = profile_meta_get(profile, "cpu_ns");
	bool whole = profile->interval.from == NULL && profile->interval.to == NULL;

	return used != NULL && whole ? (double)strtoull(used, NULL, 10) : 0;
}

/* Of the threads' processor time, or where that was not counted, of the process's: what waited while
 * it was measured as wall-clock time may be more than that. */
static void print_share(struct report *report, struct sink *sink, const struct overhead *overhead)
{
	const struct profile *profile = report->profile;
	int cpu = profile_metric_find(profile, "cpu"), wall = profile_metric_find(profile, "wall");
	int metric = cpu >= 0 ? cpu : wall;
	double used = cpu >= 0 ? (double)overhead->used[cpu] : process_time(profile);
	struct label value = summary_label("not known");

	if (metric >= 0 && used > 0)
		value = label_format(report->labels, "%.1f %% of processor time",
			100 * fmin((double)overhead->total[metric].taken, used) / used);
	summary_text(report, sink, summary_label("overhead"),
		summary_label("Estimated overhead"), value);
}

/* ---- a metric ---- */

static void print_metric(struct report *report, struct sink *sink,
	const struct overhead *overhead, unsigned m)
{
	const struct profile_metric *metric = report->sheet.metric[m];
	const struct adjust_total *total = &overhead->total[report->metric[m]];
	bool time = strcmp(metric->unit, "ns") == 0;
	const char *unit = time ? "ms" : metric->unit;
	enum look look = time ? LOOK_TIME : LOOK_NUMBER;
	struct label_store *labels = report->labels;

	summary_number(report, sink, label_format(labels, "overhead.%s", metric->name),
		label_format(labels, "  %s (%s)", metric->name, unit), total->taken, look);
	summary_number(report, sink, label_format(labels, "over_correction.%s", metric->name),
		label_format(labels, "  over-correction of %s (%s)", metric->name, unit),
		(uint64_t)llround(total->over), look);
}

/* ---- sequences ---- */

/* The session's sequences that have no row at all, or (nearest) that of a like one alone. */
static uint64_t count_sequences(const struct report *report, bool nearest)
{
	const struct calibration *calibration = report->request->adjustment->calibration;
	uint64_t count = 0;

	for (size_t i = 0; i < report->profile->sequence_count; i++) {
		enum calibration_fit fit;

		calibration_nearest(calibration, report->profile->sequence[i].code, &fit);
		count += nearest ? fit != FIT_NONE && fit != FIT_EXACT : fit == FIT_NONE;
	}
	return count;
}

static void print_sequences(struct report *report, struct sink *sink, const char *key,
	const char *label, bool nearest, const struct adjust_stretches *stretches)
{
	double count = nearest ? stretches->nearest : stretches->missing;
	double share = stretches->all > 0 ? 100 * count / stretches->all : 0;

	summary_number(report, sink, summary_label(key), summary_label(label),
		count_sequences(report, nearest), LOOK_NUMBER);
	summary_text(report, sink, label_format(report->labels, "%s.share", key),
		summary_label("  of stretches"), label_format(report->labels, "%.2f %%", share));
}

static void print_adjusted(struct report *report, struct sink *sink)
{
	struct overhead overhead = {0};

	for (size_t t = 0; t < report->profile->thread_count; t++) {
		if (report->selected[t])
			add_thread(report, &overhead, t);
	}
	print_share(report, sink, &overhead);
	for (unsigned m = 0; m < report->sheet.metric_count; m++)
		print_metric(report, sink, &overhead, m);
	print_sequences(report, sink, "calibration.missing", "Sequences without calibration",
		false, &overhead.stretches);
	print_sequences(report, sink, "calibration.nearest", "Sequences by a like one's", true,
		&overhead.stretches);
}

void overhead_rows(struct report *report, struct sink *sink)
{
	const struct adjustment *adjustment = report->request->adjustment;

	if (report->adjusted != NULL)
		print_adjusted(report, sink);
	if (adjustment != NULL)
		summary_text(report, sink, summary_label("calibration"),
			summary_label("Calibration"),
			label_make(report->labels, adjustment->said));
}
