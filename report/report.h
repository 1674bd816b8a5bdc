/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/*
 * report: what was chosen of a profile (model/), looked at in one way (views/), printed in one
 * format (formats/).
 */
#ifndef JPROF_REPORT_H
#define JPROF_REPORT_H

#include "report/views/view.h"

/* Prints the report of a profile in memory on a file descriptor. 0, or a negative code; when writing
 * failed because the reader is gone (EPIPE) the text of error is empty. *violations is how many sums
 * did not add up; each was said. */
int report_print(const struct profile *profile, const struct report_request *request, int fd,
	uint64_t *violations, struct error *error);

/* The same of a model that is there, into any out. A view that puts threads together (view->merges) has a model of its
 * own, if this one does not. The caller flushes. */
int report_view(const struct model *model, const struct report_request *request,
	struct out *out, uint64_t *violations, struct error *error);

/* The same as report_print, into any out, which the caller flushes. */
int report_put_profile(const struct profile *profile, const struct report_request *request,
	struct out *out, uint64_t *violations, struct error *error);

#endif
