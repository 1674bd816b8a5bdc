/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/*
 * selftest: runs a program whose methods' shares are known, under jprof on this machine, and
 * compares.
 *
 *   java --> lines   --> expectations \
 *        --> profile --> adjustment    > verdict --> print_verdict
 *
 * Whatever happens, no process and no file of it is left, but a calibration in the user's cache where
 * one had to be made.
 */
#ifndef JPROF_CLI_SELFTEST_H
#define JPROF_CLI_SELFTEST_H

#include <stdbool.h>

#include "report/model/adjustment.h"
#include "cli/selftest/verdict.h"
#include "error/error.h"

/* What is to be tested. All texts are borrowed. */
struct selftest {
	const char *java; /* as for jprof calibrate */
	const char *calls, *timing, *metrics;
	const char *calibration; /* a file, "off", or NULL: as a report finds or makes it */
	adjustment_measure *measure;
	verdict_printer *print;
	bool progress; /* say on standard error what is under way */
};

/* Runs it and prints the verdict on standard output, whatever it is. 0, or a negative code: it could
 * not be run. On the command's only thread; Ctrl-C ends it, if it is caught
 * (waiting_catch_interrupt). */
int selftest_run(const struct selftest *what, struct error *error);

#endif
