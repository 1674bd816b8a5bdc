/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/*
 * attribute: which of the attributes that matter here a name means (JVM
 * specification, 4.7).
 */
#ifndef JPROF_REWRITE_ATTRIBUTE_H
#define JPROF_REWRITE_ATTRIBUTE_H

#include "agent/rewrite/constants.h"

enum attribute_kind {
	ATTRIBUTE_UNSEEN, /* of a name: not looked at yet */
	ATTRIBUTE_OTHER,
	ATTRIBUTE_CODE,
	ATTRIBUTE_ANNOTATIONS,
	ATTRIBUTE_STACK_MAP,
	ATTRIBUTE_LINES,
	ATTRIBUTE_LOCALS,
	ATTRIBUTE_TYPES
};

struct attribute {
	enum attribute_kind kind;
	uint16_t name; /* index */
	struct reader content;
};

/* Reads the next attribute whole. False: it is not, or has no name. What a name means is
 * kept with the constants: a class has few, and thousands of attributes. */
bool attribute_read(
	const struct constants *constants, struct reader *in, struct attribute *attribute);

#endif
