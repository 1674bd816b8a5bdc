/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/* ranking: which items and figures tell most, and in which order. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "report/diff/print.h"
#include "report/diff/words.h"

struct ranked {
	double size;
	uint32_t item;
	bool changed;
};

static int larger_first(const void *left, const void *right)
{
	const struct ranked *a = left, *b = right;

	if (a->changed != b->changed)
		return a->changed ? -1 : 1;
	if (a->size != b->size)
		return a->size > b->size ? -1 : 1;
	return (a->item > b->item) - (a->item < b->item);
}

int diff_rank(
	struct diff_ranking *ranking, const struct diff *diff, enum diff_by by, unsigned figure)
{
	size_t count = diff->table[by].item_count;
	struct ranked *ranked = malloc((count + 1) * sizeof(*ranked));

	*ranking = (struct diff_ranking){.item = malloc((count + 1) * sizeof(*ranking->item))};
	if (!ranked || !ranking->item) {
		free(ranked);
		return -1;
	}
	for (uint32_t i = 0; i < count; i++) {
		struct diff_change change = diff_change(diff, by, i, figure);
		bool changed = diff_is_change(change.verdict);

		ranking->unknown += change.verdict == DIFF_UNKNOWN;
		ranking->same += change.verdict == DIFF_SAME;
		ranking->noise += change.verdict == DIFF_NOISE;
		ranking->changed += changed;
		if (changed || change.verdict == DIFF_NOISE)
			ranked[ranking->count++] =
				(struct ranked){fabs(change.change), i, changed};
	}
	qsort(ranked, ranking->count, sizeof(*ranked), larger_first);
	for (size_t i = 0; i < ranking->count; i++)
		ranking->item[i] = ranked[i].item;
	free(ranked);
	return 0;
}

void diff_ranking_fini(struct diff_ranking *ranking)
{
	free(ranking->item);
	*ranking = (struct diff_ranking){0};
}

/* Some item has something of it, on one side at least. */
static bool is_used(const struct diff *diff, enum diff_by by, unsigned figure)
{
	const struct diff_figure *about = &diff->table[by].figure[figure];

	if (about->left_out)
		return false;
	for (unsigned run = 0; about->whole > 0 && run < diff->run_count; run++)
		if (diff_value(diff->run[run], DIFF_TOTAL, 0, about->whole - 1) > 0)
			return true;
	return about->whole == 0;
}

unsigned diff_telling(const struct diff *diff, const struct diff_request *request,
	unsigned figure[DIFF_TELLING])
{
	const char *const names[2][DIFF_TELLING] = {
		{diff->lead, "calls", "base.alloc", "io.bytes"},
		{"all.bytes", "all.ops", "all.ns", "opens"}};
	enum diff_by by = request->by;
	unsigned count = 0;

	for (int i = 0; i < DIFF_TELLING; i++) {
		const char *name =
			request->figure ? request->figure : names[by == DIFF_FILE][i];
		int found = diff_figure_find(diff, by, name);

		if (found >= 0 && (request->figure || is_used(diff, by, (unsigned)found)))
			figure[count++] = (unsigned)found;
		if (request->figure)
			break;
	}
	return count;
}

int diff_first_total(const struct diff *diff)
{
	const char *dot = strchr(diff->lead, '.');
	bool is_samples = strncmp(diff->lead, "samples.", 8) == 0;
	int first =
		diff_figure_find(diff, DIFF_TOTAL, dot && !is_samples ? dot + 1 : diff->lead);

	if (first >= 0 && !diff->table[DIFF_TOTAL].figure[first].left_out)
		return first;
	for (unsigned i = 0; i < diff->table[DIFF_TOTAL].figure_count; i++)
		if (!diff->table[DIFF_TOTAL].figure[i].left_out)
			return (int)i;
	return -1;
}

void diff_put_verdict(struct out *out, const struct diff *diff)
{
	int first = diff_first_total(diff);
	struct diff_change change;

	if (first < 0) {
		out_text(out, "there is nothing to compare");
		return;
	}
	change = diff_change(diff, DIFF_TOTAL, 0, (unsigned)first);
	out_text(out, "the whole program: ");
	diff_put_sentence(out, &diff->table[DIFF_TOTAL].figure[first], &change);
	if (change.verdict == DIFF_NOISE)
		out_text(out, ": no more than noise");
}
