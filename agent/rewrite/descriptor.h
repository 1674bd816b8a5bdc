/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/*
 * descriptor: how many slots fields, arguments and results take (JVM specification, 4.3).
 */
#ifndef JPROF_REWRITE_DESCRIPTOR_H
#define JPROF_REWRITE_DESCRIPTOR_H

#include "agent/rewrite/constants.h"

struct descriptor {
	uint32_t arguments; /* slots, without `this` */
	uint32_t result;    /* slots of the result, or of the field */
};

/* Of a method or of a field. False: malformed. */
bool descriptor_read(struct text text, struct descriptor *descriptor);

/* Slots of the type at *at, which is skipped; 0: void. False: malformed. */
bool descriptor_type(const char **at, const char *end, uint32_t *slots);

#endif
