/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/* argument_names: see argument_names.h, and rewrite_argument_place in rewrite.h. */
#include "agent/rewrite/argument_names.h"

#include "agent/rewrite/descriptor.h"

/* Bytes of rows: of MethodParameters (name and access), of an exception table, of a LocalVariableTable. */
enum { PARAMETER_ROW = 4, EXCEPTION_ROW = 8, VARIABLE_ROW = 10 };

static bool name_is(const struct argument_names *names, uint16_t index, const char *name)
{
	return text_is(constants_utf8(names->constants, index), name, strlen(name));
}

/* Rows are in the descriptor's order. Compilers are known to leave out some that they made themselves: then a row's place is
 * not the argument's. */
static int place_by_parameters(
	const struct argument_names *names, const char *name, uint32_t arguments)
{
	struct reader in = names->parameters;
	uint32_t rows = read_u1(&in);

	if (rows != arguments || reader_left(&in) != rows * (size_t)PARAMETER_ROW)
		return -1;
	for (uint32_t i = 0; i < rows; i++, read_u2(&in))
		if (name_is(names, read_u2(&in), name))
			return (int)i;
	return -1;
}

/* The argument that begins at that local. */
static int place_by_slot(const struct argument_names *names, uint32_t local, uint32_t arguments)
{
	const char *at = names->descriptor.chars + 1;
	const char *end = names->descriptor.chars + names->descriptor.length;
	uint32_t slot = names->is_static ? 0 : 1;

	for (uint32_t i = 0; i < arguments && slot <= local; i++) {
		if (slot == local)
			return (int)i;
		slot += type_slots(descriptor_type(&at, end));
	}
	return -1;
}

/* An argument's row begins where the method does. */
static int place_by_variables(const struct argument_names *names, struct reader in,
	const char *name, uint32_t arguments)
{
	uint32_t rows = read_u2(&in);

	if (reader_left(&in) != rows * (size_t)VARIABLE_ROW)
		return -1;
	while (rows-- > 0) {
		struct reader row = read_part(&in, VARIABLE_ROW);
		uint32_t start = read_u2(&row);
		uint16_t index, local;
		int place;

		read_u2(&row); /* length */
		index = read_u2(&row);
		read_u2(&row); /* type */
		local = read_u2(&row);
		if (start > 0 || !name_is(names, index, name))
			continue;
		place = place_by_slot(names, local, arguments);
		if (place >= 0)
			return place;
	}
	return -1;
}

/* The tables of its code; there may be several, and those of generic types are alike. */
static int place_by_code(
	const struct argument_names *names, const char *name, uint32_t arguments)
{
	struct reader in = names->code;
	struct attribute attribute;
	uint32_t attributes;
	int place = -1;

	read_u4(&in); /* stack and locals */
	read_bytes(&in, read_u4(&in));
	read_bytes(&in, read_u2(&in) * (size_t)EXCEPTION_ROW);
	attributes = read_u2(&in);
	while (place < 0 && attributes-- > 0 &&
		attribute_read(names->constants, &in, &attribute))
		if (attribute.kind == ATTRIBUTE_LOCALS)
			place = place_by_variables(names, attribute.content, name, arguments);
	return place;
}

int rewrite_argument_place(const struct rewrite_method *method, const char *name)
{
	const struct argument_names *names = method->arguments;
	struct descriptor descriptor;
	int place;

	if (!names || !descriptor_read(names->descriptor, &descriptor) ||
		descriptor.slots > ARGUMENT_SLOTS_MAX)
		return -1;
	place = place_by_parameters(names, name, descriptor.count);
	return place >= 0 ? place : place_by_code(names, name, descriptor.count);
}
