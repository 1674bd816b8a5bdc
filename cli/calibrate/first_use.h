/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/*
 * first_use: a report needs a calibration that is not there yet.
 *
 * Only where that profile was made with what is here: this machine's processor and
 * architecture; the libjprof.so of this program, by its build id; a JVM of that version, by its
 * file "release"; and where the recording has ended, or its program. One at a time: what
 * another one has measured meanwhile is taken (calibration/cache.h); what failed is not tried
 * again for an hour. It takes ten seconds or so; a minute at most.
 */
#ifndef JPROF_CLI_FIRST_USE_H
#define JPROF_CLI_FIRST_USE_H

#include "report/model/adjustment.h"

/* An adjustment_measure. java: the program or folder that the user names, or NULL: JAVA_HOME's,
 * or one of cli/java/known_jvms.h. Says on standard error that it measures, and how to go
 * without. Ctrl-C ends the measuring (waiting_interrupted); whatever happens no process and no
 * file of it is left, but what is in the cache. */
int first_use_measure(struct calibration **calibration, const struct profile *profile,
	const struct identity *identity, const char *java, struct error *error);

#endif
