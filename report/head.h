/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/* head: what a reader should know before the first row: how old figures are, why there are none. */
#ifndef JPROF_REPORT_HEAD_H
#define JPROF_REPORT_HEAD_H

#include "report/views/view.h"

/* At the top of a text. */
void report_head(struct report *report, struct out *out);

#endif
