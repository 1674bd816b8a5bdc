/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/* view_summary: rows of the summary, for the files that have some. */
#ifndef JPROF_REPORT_VIEW_SUMMARY_H
#define JPROF_REPORT_VIEW_SUMMARY_H

#include "cli/report/report.h"

enum { COLUMN_KEY, COLUMN_VALUE, COLUMN_LABEL, COLUMN_SHOWN };

/* How people read a value. */
enum look { LOOK_TEXT, LOOK_NUMBER, LOOK_TIME };

/* Borrows a text that is well-formed, and outlives the report. */
static inline struct label summary_label(const char *text)
{
	return (struct label){text, strlen(text)};
}

/* A row: its key, what people call it, its value. */
void summary_text(struct report *report, struct sink *sink, struct label key,
	struct label label, struct label value);
void summary_number(struct report *report, struct sink *sink, struct label key,
	struct label label, uint64_t number, enum look look);

/* Which calibration the figures are adjusted by, what was taken out, and where there was none. */
void overhead_rows(struct report *report, struct sink *sink);

#endif
