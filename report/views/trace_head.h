/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/*
 * trace_head: what stands above the rows of a trace's views: when it was on, and what it lacks. The agent counts in facts of the
 * profile what it had no room for; each has one row of a table here, by which the summary knows it, too.
 */
#ifndef JPROF_REPORT_TRACE_HEAD_H
#define JPROF_REPORT_TRACE_HEAD_H

#include "report/views/view.h"

/* When it was on, unless that was all the time (data have it as ns, traced_ns), and a line for each thing that it lacks. */
void trace_head(const struct report *report, struct sink *sink, enum trace_kind kind);

/* The second alone. */
void trace_head_losses(const struct report *report, struct sink *sink, enum trace_kind kind);

/* True if that fact of the profile says that something of a trace lacks. */
bool trace_fact_is_loss(const char *key);

#endif
