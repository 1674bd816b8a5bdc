/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/* facts: what exporters say of the profile as a whole. */
#ifndef JPROF_REPORT_EXPORT_FACTS_H
#define JPROF_REPORT_EXPORT_FACTS_H

#include "report/exports/export.h"

/* Facts that a reader of figures should know, a line each: whose they are, the interval, what was taken out of figures, which are
 * divided or at least what they say. The store's; NULL behind the last. Empty without memory. */
enum { EXPORT_NOTES = 7 };
struct export_notes {
	const char *line[EXPORT_NOTES + 1];
};
struct export_notes export_notes(const struct export *export);

/* The number that a fact of the profile says; 0: there is none. */
uint64_t export_fact(const struct profile *profile, const char *key);

#endif
