/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/*
 * constructor: in which instructions of a constructor is `this` initialised, and in which
 * is it not.
 *
 * Found by running the code on one bit a slot (local or operand): it certainly holds the
 * uninitialised `this`. Once super or this was called the slots do not matter any more, only
 * where control goes. What is reached in both states, or before the call when local 0 does
 * not hold `this`, or not at all, belongs to no zone.
 *
 * The call itself is under the handler before it where the verifier infers types. The one
 * that checks types asks of a handler that it bears the frames on both sides of the call
 * (JVM specification, 4.10.1.9 and HotSpot), which no frame does: there the call has no zone.
 */
#ifndef JPROF_REWRITE_CONSTRUCTOR_H
#define JPROF_REWRITE_CONSTRUCTOR_H

#include "agent/rewrite/code.h"
#include "agent/rewrite/constants.h"
#include "agent/rewrite/exceptions.h"

/* A place where ways through the code meet. */
struct point {
	uint32_t pc;
	uint32_t slots; /* index of its bits' first word */
	uint16_t depth; /* of the operand stack */
	uint8_t reach;
	bool queued;
};

/* Zero-initialise it. Its arrays are owned, and used again for the next constructor. */
struct constructor {
	uint8_t *mark;      /* by pc */
	uint16_t *point_of; /* by pc: index of its point and 1; 0: not met yet */
	uint32_t mark_capacity, point_of_capacity;
	struct point *point;
	uint32_t points, point_capacity;
	uint16_t *queue; /* indices of points whose state is news */
	uint32_t queued, queue_capacity;
	uint64_t *slots; /* the current state's bits, then those of points */
	uint32_t slots_used, slots_capacity;
	struct zone *zone;
	uint32_t zones, zone_capacity;
};

/* What the class file says of the method. */
struct constructor_method {
	const struct code *code;
	const struct constants *constants;
	const struct exceptions *exceptions; /* checked */
	uint16_t max_stack, max_locals;
	struct text descriptor;
	bool typed;           /* verified by type checking: the call has no zone */
	struct reader frames; /* of its StackMapTable, not checked; empty: none */
};

/* Finds the zones. REWRITE_CONSTRUCTOR: the code could not be followed. */
enum rewrite_reason constructor_find(
	struct constructor *constructor, const struct constructor_method *method);
void constructor_fini(struct constructor *constructor);

#endif
