/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/*
 * descriptor: the types of methods and fields (JVM specification, 4.3), and which slots their values take.
 */
#ifndef JPROF_REWRITE_DESCRIPTOR_H
#define JPROF_REWRITE_DESCRIPTOR_H

#include "agent/rewrite/constants.h"

enum { ARGUMENT_SLOTS_MAX = 255 }; /* with `this` (4.3.3) */

struct descriptor {
	uint32_t slots;  /* of the arguments, without `this` */
	uint32_t count;  /* of the arguments */
	uint32_t result; /* slots of the result, or of the field */
	char type;       /* the result's, or the field's: as descriptor_type has it */
};

/* The letter of the type at *at, which is skipped: 'L' of a class, '[' of an array, 'V' of void. 0: malformed. */
char descriptor_type(const char **at, const char *end);

/* Slots of a value of the type; of void, and of 0, none. */
static inline uint32_t type_slots(char type)
{
	return type == 'J' || type == 'D' ? 2 : type != 'V' && type != 0;
}

/* Of a method or of a field. False: malformed. */
bool descriptor_read(struct text text, struct descriptor *descriptor);

/* Where the type of a method's argument begins, by its place, from 0, and in *slot its first slot, without `this`. NULL: it has
 * no such argument, or is malformed. */
const char *descriptor_argument(struct text text, uint32_t place, uint32_t *slot);

#endif
