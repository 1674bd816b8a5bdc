/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/*
 * figures: what is exported of each stack: the chosen metrics, samples on the chosen conditions, calls.
 *
 * All figures of something stand side by side in an array, FIGURES_MAX of them: figure[metrics] samples[conditions]
 * as in model_value, then the calls, then what is done with files. Those that are exported are a list of places in it.
 */
#ifndef JPROF_REPORT_EXPORT_FIGURES_H
#define JPROF_REPORT_EXPORT_FIGURES_H

#include "report/exports/export.h"

enum { FIGURES_MAX = MODEL_FIGURES_MAX + 1 + EXPORT_IO_FIGURES };

struct figure {
	const char *name; /* cpu, samples.cpu, calls, io.ns */
	const char *unit; /* ns, bytes, count */
	unsigned at;      /* in the array of all figures */
	/* Of samples: what they were taken on; else NULL. */
	const struct profile_condition *condition;
};

struct figures {
	struct figure figure[FIGURES_MAX];
	unsigned count;
	unsigned lead;  /* of the list: the one that tells where a program spends most */
	unsigned calls; /* place of the calls in the array; of I/O those behind it */
};

/* Names are the store's. */
struct figures figures_choose(const struct export *export);

/* True if some of them are of I/O. */
bool figures_have_io(const struct figures *figures);

/* True if one of those that are exported is not zero. */
bool figures_any(const struct figures *figures, const uint64_t *values);

#endif
