/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/*
 * calibrate: measures what jprof's probes cost, on this machine with one JVM.
 *
 *   java, without probes --> lines  --> batches       \
 *                                                      training --> struct calibration
 *   java, with probes    --> profile --> observations /
 *
 * Both run the program of jprof-calibration.jar for a limited time; what is under way is shown on a
 * terminal (cli/terminal/progress.h). No process of it is left,
 * nor a file, unless a signal ends this one that nothing can be done about.
 */
#ifndef JPROF_CLI_CALIBRATE_H
#define JPROF_CLI_CALIBRATE_H

#include <stdbool.h>

#include "calibration/calibration.h"
#include "cli/calibrate/training.h"

/* What is to be measured. All texts are borrowed. */
struct calibrate {
	/* the program, or a JDK's or JRE's folder; NULL: JAVA_HOME's, or PATH's */
	const char *java;
	const char *calls;   /* "instrument" or "events" */
	const char *timing;  /* "fast" or "precise" */
	const char *metrics; /* joined by '+' */
	const char *mode;    /* the JVM's option for how it runs code; "" or NULL: as usual */
	/* some ten seconds instead of half a minute; and a minute at most */
	bool quick;
};

/* 0 and the calibration, owned by the caller (calibration_destroy); or a negative code and
 * NULL. training may be NULL. On the command's only thread; Ctrl-C ends it, if it is caught
 * (waiting_catch_interrupt). */
int calibrate_measure(const struct calibrate *what, struct calibration **calibration,
	struct training *training, struct error *error);

/* Measures quickly what a profile of that identity needs, with the JVM that it was made with
 * (java: as above), and keeps it in the cache. As above; -ERROR_VALUE: this is not the machine,
 * JVM or agent that the profile was made with. What could be measured but not be kept is no
 * failure. */
int calibrate_quick(const struct identity *identity, const char *java,
	struct calibration **calibration, struct error *error);

#endif
