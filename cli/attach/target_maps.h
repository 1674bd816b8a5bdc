/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/* target_maps: which files a process has mapped that matter here. */
#ifndef JPROF_CLI_TARGET_MAPS_H
#define JPROF_CLI_TARGET_MAPS_H

#include "cli/attach/target.h"

struct target_maps {
	bool jvm;       /* libjvm.so */
	bool launcher;  /* libjli.so: java on the way to become a JVM */
	char *agent;    /* libjprof.so, as the target sees it, owned; NULL: there is none */
	char *counters; /* HotSpot's file of counters, the same */
};

/* Fills maps, to be given back. 0, or a negative code (not permitted, gone). */
int target_maps_read(
	const struct target *target, struct target_maps *maps, struct error *error);
void target_maps_fini(struct target_maps *maps);

#endif
