/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/* annotations: walking through them. */
#include "agent/rewrite/annotations.h"

/* Annotations and arrays within one another; compilers nest a few. */
enum { NESTING_MAX = 64 };

static bool annotation_skip(struct reader *in, unsigned nesting);

/* An element_value (4.7.16.1). */
static bool element_skip(struct reader *in, unsigned nesting)
{
	uint8_t tag = read_u1(in);
	uint32_t count;

	switch (tag) {
	case 'e':
		return read_bytes(in, 4);
	case '@':
		return annotation_skip(in, nesting + 1);
	case '[':
		count = read_u2(in);
		if (nesting >= NESTING_MAX)
			return false;
		while (count-- > 0)
			if (!element_skip(in, nesting + 1))
				return false;
		return !in->failed;
	default:
		return tag && strchr("BCDFIJSZsc", tag) && read_bytes(in, 2);
	}
}

static bool annotation_skip(struct reader *in, unsigned nesting)
{
	uint32_t count;

	if (nesting >= NESTING_MAX)
		return false;
	read_u2(in); /* its type */
	count = read_u2(in);
	while (count-- > 0) {
		read_u2(in); /* the element's name */
		if (!element_skip(in, nesting))
			return false;
	}
	return !in->failed;
}

bool annotations_are_intrinsic(const struct constants *constants, struct reader in)
{
	uint32_t count = read_u2(&in);

	while (count-- > 0) {
		struct reader type = in;

		if (text_is_intrinsic(constants_utf8(constants, read_u2(&type))))
			return true;
		if (!annotation_skip(&in, 0))
			return false;
	}
	return false;
}

/* What is behind a target_type of code (table 4.7.20-A). */
enum target_kind {
	TARGET_NONE, /* not one of code */
	TARGET_LOCALS,
	TARGET_CATCH,
	TARGET_OFFSET,
	TARGET_ARGUMENT
};

static const uint8_t target_kinds[256] = {
	[0x40] = TARGET_LOCALS,            /* a local variable */
	[0x41] = TARGET_LOCALS,            /* a resource variable */
	[0x42] = TARGET_CATCH,             /* an exception parameter */
	[0x43 ... 0x46] = TARGET_OFFSET,   /* instanceof, new, method references */
	[0x47 ... 0x4b] = TARGET_ARGUMENT, /* casts, type arguments */
};

/* Where a place of the old code is in the new. Compilers are known to write places that
 * are none, which nothing but reflection's users would mind: those stay. */
static uint32_t target_place(const struct code *code, uint32_t pc)
{
	if (pc == 0)
		return code->label[0];
	return pc <= code->length ? code_place(code, pc) : pc;
}

static void locals_write(struct reader *in, const struct code *code, struct writer *out)
{
	uint32_t count = read_u2(in);

	write_u2(out, count);
	while (count-- > 0 && !in->failed) {
		uint32_t start = read_u2(in), length = read_u2(in), index = read_u2(in);
		uint32_t from = start ? target_place(code, start) : 0;

		write_u2(out, from);
		write_u2(out, target_place(code, start + length) - from);
		write_u2(out, index);
	}
}

static bool target_write(struct reader *in, const struct code *code,
	const struct exceptions *exceptions, struct writer *out)
{
	uint8_t type = read_u1(in);
	uint32_t index;

	write_u1(out, type);
	switch (target_kinds[type]) {
	case TARGET_LOCALS:
		locals_write(in, code, out);
		return !in->failed;
	case TARGET_CATCH:
		index = read_u2(in);
		write_u2(out, index < exceptions->rows ? exceptions->first[index] : index);
		return !in->failed;
	case TARGET_OFFSET:
		write_u2(out, target_place(code, read_u2(in)));
		return !in->failed;
	case TARGET_ARGUMENT:
		write_u2(out, target_place(code, read_u2(in)));
		write_u1(out, read_u1(in));
		return !in->failed;
	default:
		return false;
	}
}

enum rewrite_reason annotations_write_types(struct reader in, const struct code *code,
	const struct exceptions *exceptions, struct writer *out)
{
	uint32_t count = read_u2(&in);

	write_u2(out, count);
	while (count-- > 0) {
		const uint8_t *rest;

		if (!target_write(&in, code, exceptions, out))
			return REWRITE_MALFORMED;
		rest = in.at;
		read_bytes(&in, 2 * (size_t)read_u1(&in)); /* type_path */
		if (!annotation_skip(&in, 0))
			return REWRITE_MALFORMED;
		write_copy(out, rest, (size_t)(in.at - rest));
	}
	return reader_done(&in) ? REWRITE_OK : REWRITE_MALFORMED;
}
