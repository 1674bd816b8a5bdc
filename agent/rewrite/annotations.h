/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/*
 * annotations: those of methods are looked at, those of types in code are moved with
 * their instructions (JVM specification, 4.7.16 and 4.7.20).
 */
#ifndef JPROF_REWRITE_ANNOTATIONS_H
#define JPROF_REWRITE_ANNOTATIONS_H

#include "agent/rewrite/code.h"
#include "agent/rewrite/constants.h"
#include "agent/rewrite/exceptions.h"

/* True if the contents of a method's RuntimeVisibleAnnotations hold the mark of methods
 * of which the JVM may have code of its own. */
bool annotations_are_intrinsic(const struct constants *constants, struct reader in);

/* Writes the contents of a Code's Runtime(In)VisibleTypeAnnotations. */
enum rewrite_reason annotations_write_types(struct reader in, const struct code *code,
	const struct exceptions *exceptions, struct writer *out);

#endif
