/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/*
 * source: lines of a program's source files, which are in a folder or in an archive (a jar, the JDK's src.zip).
 *
 * In:   the folder or the archive; classes, files and lines as profiles have them: nothing else is read,
 *       whatever they say.
 * Out:  texts of lines. Files that are not there have none.
 * Owns: the files that were read, until the end.
 */
#ifndef JPROF_REPORT_SOURCE_H
#define JPROF_REPORT_SOURCE_H

#include <stdint.h>

#include "error/error.h"

struct source; /* opened, closed */

/* 0, or a negative code; *source is then NULL, of which source_close is harmless. */
int source_open(struct source **source, const char *path, struct error *error);
void source_close(struct source *source);

/* The line (from 1 on) of the file that the class is in, without the spaces around it: well-formed UTF-8 until
 * the source is closed. NULL: it is not known. */
const char *source_line(
	struct source *source, const char *class_name, const char *file, uint32_t line);

#endif
