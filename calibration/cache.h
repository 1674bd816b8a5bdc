/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/*
 * cache: where calibrations are kept for calibration=auto, one file an identity.
 *
 *   calibration-HASH.json     in own_folder.h
 *   calibration-HASH.failed   why one could not be measured
 *   measuring                 who measures holds a lock on it (flock(2))
 */
#ifndef JPROF_CACHE_H
#define JPROF_CACHE_H

#include <stdbool.h>
#include <stddef.h>

#include "calibration/calibration.h"
#include "error/error.h"

/* The file for an identity. Owned by the caller (free); NULL: there is no folder,
 * or no memory. */
char *cache_path(const struct identity *identity);

/* The calibration of that identity; text as calibration_load gives it, or NULL. -ERROR_MISSING:
 * there is none, or only one that is for something else. */
int cache_read(struct calibration **calibration, char **text, const struct identity *identity,
	struct error *error);

/* Keeps a calibration for its own identity; makes the folder, which no other user may enter. What
 * failed before is forgotten. */
int cache_write(const struct calibration *calibration, struct error *error);

/* ---- for those who measure one unasked ---- */

/* A descriptor of the file that one of them holds a lock on, from now on (close); *is_taken:
 * somebody else holds it, and there is none. Or a negative code: nothing can be kept here. */
int cache_lock(bool *is_taken, struct error *error);

/* Keeps a line for an hour: why what is of that identity could not be measured. What cannot be
 * kept is no failure. */
void cache_note_failure(const struct identity *identity, const char *why);

/* That line. False: there is none. */
bool cache_failed(const struct identity *identity, char *why, size_t size);

#endif
