/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/*
 * report: what was chosen of a profile (model/), looked at in one way (views/), printed in one
 * format (formats/).
 */
#ifndef JPROF_REPORT_H
#define JPROF_REPORT_H

#include "report/views/view.h"

/* Puts the report of a profile in memory behind what out holds; with fd -1 it stays there. 0, or a negative
 * code. *violations is how many sums did not add up; each was said. */
int report_put(const struct profile *profile, const struct report_request *request,
	struct out *out, uint64_t *violations, struct error *error);

/* The same, printed on a file descriptor. 0, or a negative code; when writing
 * failed because the reader is gone (EPIPE) the text of error is empty. *violations as above. */
int report_print(const struct profile *profile, const struct report_request *request, int fd,
	uint64_t *violations, struct error *error);

#endif
