/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/*
 * constructor: in which instructions of a constructor is `this` initialised, and in which not
 * yet.
 *
 * Found as the verifier that checks types finds it (JVM specification, 4.10.1): in one pass
 * over the code. Frames say which locals and operands hold the uninitialised `this`;
 * instructions between them move it, until one of them calls super or this on it.
 *
 * That call is in no range: the verifier asks of a handler that it bears the frames on both
 * sides of the call (4.10.1.9 and HotSpot), which no frame does. An instruction before it is in
 * none if local 0 does not hold `this`.
 *
 * Where a frame is missing, the class is verified by inferring types, which takes any handler:
 * one range for all. That may be so in class files of version 50, and always is in older ones.
 */
#ifndef JPROF_REWRITE_CONSTRUCTOR_H
#define JPROF_REWRITE_CONSTRUCTOR_H

#include "agent/rewrite/code.h"
#include "agent/rewrite/constants.h"
#include "agent/rewrite/exceptions.h"

/* Zero-initialise it. Its arrays are owned, and used again for the next constructor. */
struct constructor {
	uint8_t *local; /* verification types of the last frame's locals */
	uint32_t local_capacity;
	uint8_t *holds; /* by slot, locals and then operands: it holds the uninitialised
			   `this` */
	uint32_t holds_capacity;
	struct range *range;
	uint32_t ranges, range_capacity;
};

/* What the class file says of the method. */
struct constructor_method {
	const struct code *code;
	const struct constants *constants;
	uint16_t max_stack, max_locals;
	struct text descriptor;
	struct reader frames; /* of its StackMapTable, not checked; empty: none */
};

/* Finds the ranges. REWRITE_CONSTRUCTOR: the code could not be followed. */
enum rewrite_reason constructor_find(
	struct constructor *constructor, const struct constructor_method *method);
void constructor_fini(struct constructor *constructor);

#endif
