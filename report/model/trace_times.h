/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/*
 * trace_times: when traces were on, within what was read of a profile. What a trace tells is known of these times
 * alone; whoever shows it says so.
 */
#ifndef JPROF_REPORT_TRACE_TIMES_H
#define JPROF_REPORT_TRACE_TIMES_H

#include <stdbool.h>

#include "profile/profile_read.h"

struct trace_times {
	uint64_t ns;      /* that it was on, in all */
	uint64_t whole;   /* that it could have been: the time that was read; 0: not known */
	unsigned periods; /* 0: it was not on */
	bool all;         /* it was on from the begin to the end */
};

struct trace_times trace_times(const struct profile *profile, enum trace_kind kind);

/* A line for views of the trace, "" where it was on all the time:
 *   no trace of locks: record with --traces locks; in a recording that runs `jprof trace PID +locks` has it on
 *   no trace of locks in this interval: it was on at another time
 *   locks traced for 12.3 s of 20.1 s, 3 times */
struct trace_line {
	char text[200];
};
struct trace_line trace_line(const struct profile *profile, enum trace_kind kind);

/* "12.3 s of 20.1 s, 3 times"; "all the time"; "" where it was not on. */
struct trace_span {
	char text[100];
};
struct trace_span trace_span(const struct profile *profile, enum trace_kind kind);

#endif
