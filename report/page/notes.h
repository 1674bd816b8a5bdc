/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/* notes: the lines above the rows of the view overview, for the page: what ran, what it used, what is uncertain. */
#ifndef JPROF_PAGE_NOTES_H
#define JPROF_PAGE_NOTES_H

#include "report/model/model.h"
#include "report/text/out.h"

/* Appends "notes":[...], of the model's threads put together. 0, or a negative code. */
int notes_put(
	const struct model *model, const char *state, struct out *out, struct error *error);

#endif
