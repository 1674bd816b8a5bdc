/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/*
 * many_paths: how much more probes cost where a thread's tree of calls is large.
 *
 * Each call reads and writes a node of the tree, and what a cache does not hold takes longer. The
 * programs walk paths through trees of several sizes, whose nodes are all over the memory:
 *
 *   more(tree) = what a stretch in it costs - what one costs in a tree of a few nodes
 */
#ifndef JPROF_CLI_MANY_PATHS_H
#define JPROF_CLI_MANY_PATHS_H

#include "calibration/calibration.h"
#include "cli/calibrate/batches.h"
#include "cli/calibrate/observations.h"

/* Fills in the metric's trees, of that index in both. */
void many_paths_fill(struct calibration_metric *filled, const struct batches *without,
	const struct observations *with, unsigned metric);

#endif
