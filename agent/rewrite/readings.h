/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/*
 * readings: values of a call that are handed to probes: where they are, and the instructions that take them there.
 *
 * Arguments and `this` are in the first locals when a method begins (JVM specification, 2.6.1), the result is on top of the
 * operand stack when it returns. No reading changes either.
 */
#ifndef JPROF_REWRITE_READINGS_H
#define JPROF_REWRITE_READINGS_H

#include "agent/rewrite/code.h"
#include "agent/rewrite/constants.h"

/* A reading that a method can have. */
struct reading {
	const struct rewrite_reading *asked; /* borrowed */
	char type;                           /* of the value, as descriptor_type has it */
	uint8_t slot;                        /* its local; of a result 0 */
};

/* Finds what was asked for in a method with that descriptor. Anything but REWRITE_OK: it has none. */
enum rewrite_reason reading_find(struct reading *reading, const struct rewrite_reading *asked,
	struct text descriptor, bool is_static, bool is_constructor);

static inline bool reading_is_result(const struct reading *reading)
{
	return reading->asked->where == READING_RESULT;
}

/* The probe that it calls: one of CALL_VALUE or CALL_RESULT. */
enum probe_call reading_call(const struct reading *reading);

/* Appends the instructions: push puts the number on the stack, method is the constant of the probe. There must be room. */
void reading_add(struct reading_code *code, const struct reading *reading, const uint8_t *push,
	uint8_t push_size, uint16_t method);

#endif
