/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/*
 * request: what a user asks of a report, in words: of a command's line, or of a page's address.
 *
 * In:   values as they were written.
 * Out:  members of a request; or -ERROR_USAGE with the line that says why not. Options are called as
 *       `jprof report` calls them, "--min".
 */
#ifndef JPROF_REPORT_REQUEST_H
#define JPROF_REPORT_REQUEST_H

#include "report/views/view.h"

/* The name of a view, and of a format. */
int request_take_view(const struct view **view, const char *value, struct error *error);
int request_take_format(const struct format **format, const char *value, struct error *error);

/* A whole number, above 0. */
int request_take_number(
	uint64_t *number, const char *option, const char *value, struct error *error);

/* "1%", "0.5%"; "1" is the same as "1%". */
int request_take_min(double *min, const char *value, struct error *error);

/* "component", or keys of tags, which are borrowed. */
void request_take_by(struct report_request *request, const char *value);

/* Options that are for some views alone, of a request and of the choice that goes with it, were given with
 * one of these. has_source: --source was given. */
int request_check(const struct report_request *request, const struct model_choice *choice,
	bool has_source, struct error *error);

/* The profile has what the view shows; else -ERROR_MISSING. file: its name. */
int request_check_profile(const struct report_request *request, const struct profile *profile,
	const char *file, struct error *error);

#endif
