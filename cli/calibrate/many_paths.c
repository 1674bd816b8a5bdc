/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/* many_paths: see many_paths.h. */
#include "cli/calibrate/many_paths.h"

#include <math.h>
#include <stdio.h>

/* What probes, and all that is not the paths' own, make of a stretch. False: it was not measured. */
static bool find_cost(double *cost, const struct batches *without,
	const struct observations *with, unsigned metric, int depth)
{
	const struct samples *seen = &with->path[depth][metric];
	const struct batch_program *program;
	/* Each method but the last calls one. */
	double stretches = 2 * depth + 1;
	char name[32];

	snprintf(name, sizeof(name), "paths_%d", depth);
	program = batches_find(without, name);
	if (!program || seen->count == 0)
		return false;
	*cost = samples_median(seen) - samples_median(&program->round[metric]) / stretches;
	return true;
}

void many_paths_fill(struct calibration_metric *filled, const struct batches *without,
	const struct observations *with, unsigned metric)
{
	double few = 0, cost;
	bool known = false;

	filled->tree_count = 0;
	for (int depth = 0; depth < DEPTHS && filled->tree_count < CALIBRATION_TREES; depth++) {
		struct calibration_tree *tree = &filled->tree[filled->tree_count];

		if (!find_cost(&cost, without, with, metric, depth))
			continue;
		if (!known)
			few = cost;
		known = true;
		tree->nodes = (2u << depth) - 1;
		tree->more = fmax(filled->tree_count ? tree[-1].more : 0, cost - few);
		filled->tree_count++;
	}
}
