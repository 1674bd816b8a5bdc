/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/* trusted_path: whom a file belongs to that is about to be run, or believed. */
#ifndef JPROF_TRUSTED_PATH_H
#define JPROF_TRUSTED_PATH_H

#include <limits.h>
#include <stdbool.h>

/* True if the file or folder is there, and only root and this program's user can put another
 * one in its place: that goes for all folders and links on the way. whole: the path without links, ""
 * where it is not trusted. That is the path to use. */
bool trusted_path(const char *path, char whole[PATH_MAX]);

#endif
