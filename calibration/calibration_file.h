/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/*
 * calibration_file: a calibration as JSON.
 *
 * In:   untrusted bytes. What cannot be is refused by its name in the file:
 *       "calibration file 'x': sequences[3].metrics.wall.low is above high".
 * Out:  a struct calibration; or its text. docs/calibration.md describes it.
 */
#ifndef JPROF_CALIBRATION_FILE_H
#define JPROF_CALIBRATION_FILE_H

#include "calibration/calibration.h"
#include "error/error.h"

enum {
	CALIBRATION_VERSION = 1,
	CALIBRATION_FILE_MAX = 4 << 20 /* bytes */
};
/* No value is further from 0. */
#define CALIBRATION_LIMIT 1e9

/* Reads the text. subject is what messages call it: "calibration file 'x'". 0, or a negative
 * code. *calibration is owned by the caller (calibration_destroy), NULL after a failure. */
int calibration_parse(struct calibration **calibration, const char *bytes, size_t size,
	const char *subject, struct error *error);

/* Reads a regular file, and never waits for another kind. The same; text, if it is not NULL,
 * gets what the file holds, ended by zero (free). -ERROR_MISSING: there is no such file. */
int calibration_load(
	struct calibration **calibration, char **text, const char *path, struct error *error);

/* The text of a calibration, one line. Owned by the caller (free), NULL without memory. */
char *calibration_text(const struct calibration *calibration);

/* Puts the text into the file at once: a reader sees the old file, or the new one, whole. */
int calibration_save(
	const struct calibration *calibration, const char *path, struct error *error);

/* "calibration file 'x'", shortened where it has to be. */
struct calibration_subject {
	char text[200];
};
struct calibration_subject calibration_subject(const char *path);

#endif
