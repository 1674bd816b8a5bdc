/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/*
 * constants: the constant pool of a class file (JVM specification, 4.4), and what is
 * added to it. What was there keeps its index.
 */
#ifndef JPROF_REWRITE_CONSTANTS_H
#define JPROF_REWRITE_CONSTANTS_H

#include "agent/rewrite/cursor.h"
#include "agent/rewrite/rewrite.h"

/* A Utf8 constant in its place, without a NUL; chars is NULL if there is none. */
struct text {
	const char *chars;
	uint16_t length;
};

struct constants {
	const uint8_t *bytes; /* the class file; borrowed */
	uint32_t *offset;     /* of each constant's tag; 0: there is none with this index */
	uint32_t count;       /* constant_pool_count of the file */
	size_t end;           /* offset of the first byte behind the pool */
	bool intrinsics;      /* a name of the annotation of intrinsic methods is there */
	uint8_t *kind;        /* enum attribute_kind, by index: that it is the name of */
	struct writer added;  /* constants to put behind those of the file */
	uint32_t total;       /* constant_pool_count with them */
};

static inline bool text_is(struct text text, const char *chars, size_t length)
{
	return text.chars && text.length == length && memcmp(text.chars, chars, length) == 0;
}

/* True for the descriptors of the annotation that marks the methods of which the JVM may
 * have code of its own, of Java 16 on and before. */
bool text_is_intrinsic(struct text text);

/* Reads the pool; the reader stands on constant_pool_count, and behind the pool after.
 * The caller ends with constants_fini in any case. */
enum rewrite_reason constants_init(
	struct constants *constants, const uint8_t *bytes, struct reader *reader);
void constants_fini(struct constants *constants);

/* Only what is in the file is looked up, not what was added. */
struct text constants_utf8(const struct constants *constants, uint16_t index);
struct text constants_class(const struct constants *constants, uint16_t index);

/* Name and descriptor of a field, method or call site. False: it is something else. */
bool constants_member(const struct constants *constants, uint16_t index, struct text *name,
	struct text *descriptor);

/* Add a constant; its index. 0: constants_why says why. */
uint16_t constants_add_utf8(struct constants *constants, const char *chars);
uint16_t constants_add_integer(struct constants *constants, uint32_t value);
uint16_t constants_add_class(struct constants *constants, const char *name);
uint16_t constants_add_method(struct constants *constants, uint16_t class_index,
	const char *name, const char *descriptor);

enum rewrite_reason constants_why(const struct constants *constants);

/* Attributes that matter here. */
enum attribute_kind {
	ATTRIBUTE_UNSEEN, /* of a name: not looked at yet */
	ATTRIBUTE_OTHER,
	ATTRIBUTE_CODE,
	ATTRIBUTE_ANNOTATIONS,
	ATTRIBUTE_PARAMETERS,
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
