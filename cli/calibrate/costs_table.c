/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/* costs_table: see costs_table.h. */
#include "cli/calibrate/costs_table.h"

#include <stdbool.h>

#define NAMES "  %-20s %-15s"

static bool costs_nothing(const struct calibration *calibration, unsigned metric)
{
	for (size_t i = 0; i < calibration->row_count; i++)
		if (calibration->row[i].cost[metric].cost != 0)
			return false;
	return true;
}

/* All three methods are of that type. */
static uint32_t code_of(unsigned type, enum transition begin, enum transition end)
{
	uint32_t third = sequence_third((enum call_state)(type >> 1), type & 1);

	return sequence_roll(sequence_roll(third, third, begin), third, end);
}

static void print_row(FILE *out, const struct calibration_row *row, unsigned metric)
{
	const struct calibration_cost *cost = &row->cost[metric];
	struct sequence_words words;
	char between[32];

	if (!sequence_to_words(row->code, &words))
		return;
	snprintf(between, sizeof(between), "%s to %s", words.begin, words.end);
	fprintf(out, NAMES " %9.1f %12.1f %8.1f %8.1f .. %-6.1f %8.1f .. %.1f\n", words.second,
		between, cost->observed, cost->environment, cost->cost, cost->low, cost->high,
		cost->work_low, cost->work_high);
}

static void print_rows(FILE *out, const struct calibration *calibration, unsigned metric)
{
	for (unsigned state = 0; state < STATE_OUTSIDE; state++)
		for (int ends = 0; ends < 4; ends++) {
			const struct calibration_row *row = calibration_row(calibration,
				code_of(state << 1 | 1, (enum transition)(ends >> 1),
					(enum transition)(ends & 1)));

			if (row)
				print_row(out, row, metric);
		}
}

static void print_work(FILE *out, const struct known_work *work)
{
	fprintf(out,
		"  %u comparisons with work; left out: %u where calls overlap without probes, %u "
		"too long to tell\n  little work is up to %.0f %%; the same work differs by %.1f %%\n",
		work->points, work->overlapping, work->hiding, 100 * work->reach,
		100 * work->measured_relative);
}

void costs_table_print(FILE *out, const struct calibration *calibration,
	const struct training *training)
{
	for (unsigned i = 0; i < calibration->metric_count; i++) {
		const struct calibration_metric *metric = &calibration->metric[i];

		if (costs_nothing(calibration, i)) {
			fprintf(out, "%s: not changed by probes\n", metric->name);
			continue;
		}
		fprintf(out, "%s (%s)\n" NAMES " %9s %12s %8s %18s %18s\n", metric->name,
			metric->unit, "method", "stretch", "observed", "environment", "cost",
			"with little work", "with more");
		print_rows(out, calibration, i);
		print_work(out, &training->work[i]);
	}
}
