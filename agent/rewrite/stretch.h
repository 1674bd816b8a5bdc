/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/*
 * stretch: finds a form for each branch that its 16 bits cannot span any more (code.h).
 */
#ifndef JPROF_REWRITE_STRETCH_H
#define JPROF_REWRITE_STRETCH_H

#include "agent/rewrite/full_frames.h"

/* True if code_stretch is needed. */
bool code_has_far(const struct code *code);

/* Gives far branches other forms, and lays out the code again, until none is far. full: NULL
 * if the verifier infers types. REWRITE_BRANCH: there is no place for an island. */
enum rewrite_reason code_stretch(struct code *code, const struct full_frames *full);

#endif
