/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/*
 * jvm_counters: what a HotSpot JVM publishes in the file that it maps (PerfData):
 * /tmp/hsperfdata_USER/PID.
 *
 * In:   a file that another user may have written: any bytes, any size.
 * Out:  texts from it.
 */
#ifndef JPROF_CLI_JVM_COUNTERS_H
#define JPROF_CLI_JVM_COUNTERS_H

#include <stddef.h>

#include "cli/attach/target.h"

/* The file at that path, as the target sees it: a regular one, of the target's own user, and no
 * larger than such files are. Owned; NULL. */
unsigned char *jvm_counters_read(const struct target *target, const char *path, size_t *size);

/* The text of that name ("sun.rt.javaCommand"). Owned; NULL: there is none, or the bytes are
 * not understood. */
char *jvm_counters_text(const unsigned char *bytes, size_t size, const char *name);

#endif
