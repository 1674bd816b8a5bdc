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
	uint32_t values;    /* arguments, a long being one */
	uint32_t result;    /* slots of the result, or of the field */
};

/* Of a method or of a field. False: malformed. */
bool descriptor_read(struct text text, struct descriptor *descriptor);

/* The arguments' types, one by one. */
struct descriptor_arguments {
	const char *at, *end;
};

/* False: not a method's. */
bool descriptor_arguments_begin(struct text text, struct descriptor_arguments *arguments);

/* The next argument's type. False: there is none. */
bool descriptor_arguments_next(struct descriptor_arguments *arguments, struct text *type);

#endif
