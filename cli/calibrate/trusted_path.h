/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/* trusted_path: whom a program that is about to be run belongs to. */
#ifndef JPROF_CLI_TRUSTED_PATH_H
#define JPROF_CLI_TRUSTED_PATH_H

#include <limits.h>
#include <stdbool.h>

/* True if the file is there, and nobody but root and this program's user can put another one in
 * its place: that goes for all folders on the way, with links followed. whole: the file without
 * links, "" where there is none. That is the path to run: who owns a link can change where it leads. */
bool trusted_path(const char *path, char whole[PATH_MAX]);

#endif
