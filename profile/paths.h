/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/*
 * paths: the call paths that files and records name, by the nodes of the file's last state.
 *
 * Whatever interval is wanted, and whoever's parts were put together: a node's id is good for all of the
 * file. Where the node is no more, the path is that of the node that has its counts.
 */
#ifndef JPROF_PROFILE_PATHS_H
#define JPROF_PROFILE_PATHS_H

#include "profile/read_rows.h"

/* Fills profile->path, and turns the nodes of files and records into places there. 0, or a negative
 * code. */
int paths_read(struct reader *reader);

#endif
