/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/*
 * next_steps: commands below an overview that show more of what it names, as they can be copied.
 *
 * In:   report_request.again, the command that opens the same profile; the rows of the overview.
 */
#ifndef JPROF_REPORT_NEXT_STEPS_H
#define JPROF_REPORT_NEXT_STEPS_H

#include "report/views/view.h"

/* How many lines they take at most, without those of what only some profiles have; and how many these take: of values and tags,
 * and of three traces at most. */
enum { NEXT_STEPS_LINES = 6 };
size_t next_steps_more(const struct model *model);

/* methods: ids of those that used most, the most first. Prints nothing where it is not known how the report
 * was asked for. */
void next_steps_print(
	struct report *report, struct sink *sink, const struct rank *methods, size_t count);

#endif
