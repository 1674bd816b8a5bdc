/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/*
 * adjustment: which calibration a report takes jprof's own cost out by, and the profile's nodes
 * after that.
 *
 * In:   a profile in memory, and what the user chose.
 * Out:  adjusted nodes; or the reason why there are none, in words.
 * In this order: the file that the user names; the calibration that is embedded in the profile; with
 * calibration=auto that of the user's cache, or one that is made now: where the user asks for that, or
 * where it changes what is shown and the recording was asked to time all calls.
 */
#ifndef JPROF_REPORT_ADJUSTMENT_H
#define JPROF_REPORT_ADJUSTMENT_H

#include <stdbool.h>

#include "calibration/adjust.h"
#include "calibration/calibration.h"
#include "error/error.h"
#include "profile/profile_read.h"
#include "report/model/own_cost.h"

struct adjustment {
	struct calibration *calibration; /* NULL: the profile is not adjusted */
	struct adjusted adjusted;        /* only with a calibration */
	char said[1400];          /* which one it is and what it is for; or why there is none */
	bool observed;            /* the user wants figures as they were observed */
	bool missed;              /* not adjusted, though the user would want to know */
	struct own_cost own_cost; /* of the chosen threads */
};

/* Makes a calibration for what the profile was made with, and keeps it; bounded in time. java: the
 * program or folder that the user names, or NULL. 0, or a negative code with the reason. */
typedef int adjustment_measure(struct calibration **calibration, const struct profile *profile,
	const struct identity *identity, const char *java, struct error *error);

/* What the user chose. */
struct adjustment_choice {
	const char *calibration;            /* a file, "off", or NULL */
	const struct pattern_list *threads; /* that are shown; NULL: all */
	bool asked;                         /* the user wants one measured where none is kept */
	adjustment_measure *measure;        /* what to do where none is found; NULL: nothing */
	const char *java;                   /* for measure */
};

/* 0, or a negative code: the user's own file is not fit for this profile, or there is no memory.
 * Embedded (adjustment_fini), also after a failure. */
int adjustment_init(struct adjustment *adjustment, const struct profile *profile,
	const struct adjustment_choice *choice, struct error *error);
void adjustment_fini(struct adjustment *adjustment);

#endif
