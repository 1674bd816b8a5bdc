/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/* work_folder: a folder of this process alone, with the files that it needs for a while. */
#ifndef JPROF_CLI_WORK_FOLDER_H
#define JPROF_CLI_WORK_FOLDER_H

#include <limits.h>

#include "error/error.h"

/* Embedded. */
struct work_folder {
	char path[PATH_MAX]; /* "": there is none */
};

/* Makes one in TMPDIR, or /tmp. 0, or a negative code. */
int work_folder_make(struct work_folder *folder, struct error *error);

/* Removes it with its files; it has no folders. */
void work_folder_remove(struct work_folder *folder);

#endif
