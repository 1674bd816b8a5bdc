/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/* costs_table: what a calibration found out, in a few lines for people. */
#ifndef JPROF_CLI_COSTS_TABLE_H
#define JPROF_CLI_COSTS_TABLE_H

#include <stdio.h>

#include "cli/calibrate/training.h"

/* For each metric that probes change: the sequences of static methods that run alike, and how much
 * the costs depend on the work around them. */
void costs_table_print(FILE *out, const struct calibration *calibration,
	const struct training *training);

#endif
