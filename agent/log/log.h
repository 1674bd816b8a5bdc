/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/*
 * log: what the agent says, to standard error, a line each, prefixed "jprof: ".
 *
 * Runs: on any thread; a line is one write(2), so lines do not mix; errno is kept.
 */
#ifndef JPROF_LOG_H
#define JPROF_LOG_H

#include "options/options.h"

/* Lines of a level above this are dropped. LOG_WARN before the first call. */
void log_set_level(enum log_level level);

void log_line(enum log_level level, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

#endif
