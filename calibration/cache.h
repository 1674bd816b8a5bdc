/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/*
 * cache: where calibrations are kept for calibration=auto, one file an identity.
 *
 *   $XDG_CACHE_HOME/jprof/calibration-HASH.json, or ~/.cache/jprof/...
 */
#ifndef JPROF_CACHE_H
#define JPROF_CACHE_H

#include "calibration/calibration.h"
#include "error/error.h"

/* The file for an identity. Owned by the caller (free); NULL: there is no home, or no memory. */
char *cache_path(const struct identity *identity);

/* The calibration of that identity; text as calibration_load gives it, or NULL. -ERROR_MISSING:
 * there is none, or only one that is for something else. */
int cache_read(struct calibration **calibration, char **text,
	const struct identity *identity, struct error *error);

/* Keeps a calibration for its own identity; makes the folder, which nobody else may enter. */
int cache_write(const struct calibration *calibration, struct error *error);

#endif
