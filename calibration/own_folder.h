/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/*
 * own_folder: $XDG_CACHE_HOME/jprof, or ~/.cache/jprof: what jprof knows of this machine and user.
 *
 * What is read there decides what is run and believed, and root may have the HOME of another user:
 * so it is used only if this program's user alone can write it.
 */
#ifndef JPROF_OWN_FOLDER_H
#define JPROF_OWN_FOLDER_H

#include <limits.h>
#include <stdbool.h>

#include "error/error.h"

/* Room for a file's name behind the folder's. */
enum { OWN_PATH = PATH_MAX + 64 };

/* Finds the folder, or makes it with mode 0700. path: it, without links. 0; -ERROR_MISSING: there is
 * no home, or no such folder; -ERROR_DENIED: somebody else can write it; or another negative code. */
int own_folder(char path[PATH_MAX], bool make, struct error *error);

#endif
