/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/*
 * write_values: values and tags, which labels of call paths refer to, on their way into the profile.
 *
 * In:   agent/values, whose lists are only added to.
 * Runs: in a flush, behind the nodes: what these refer to is then in the lists.
 */
#ifndef JPROF_WRITE_VALUES_H
#define JPROF_WRITE_VALUES_H

#include "profile/profile_write.h"

/* How many of each are in the file. */
struct values_written {
	uint32_t parameters, values, sets, tags;
	uint32_t edition; /* of which sessions want parameters */
};

/* Puts those behind, and counts them. 0, or a negative code. */
int values_put(
	struct profile_writer *profile, struct values_written *written, struct error *error);

#endif
