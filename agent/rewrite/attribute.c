/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/*
 * attribute: the names.
 */
#include "agent/rewrite/attribute.h"

#define NAME(text, kind)                                                                       \
	{                                                                                      \
		text, sizeof(text) - 1, kind                                                   \
	}

static const struct {
	char name[40];
	uint8_t length;
	uint8_t kind;
} attribute_names[] = {
	NAME("Code", ATTRIBUTE_CODE),
	NAME("LineNumberTable", ATTRIBUTE_LINES),
	NAME("StackMapTable", ATTRIBUTE_STACK_MAP),
	NAME("LocalVariableTable", ATTRIBUTE_LOCALS),
	NAME("LocalVariableTypeTable", ATTRIBUTE_LOCALS),
	NAME("RuntimeVisibleAnnotations", ATTRIBUTE_ANNOTATIONS),
	NAME("RuntimeVisibleTypeAnnotations", ATTRIBUTE_TYPES),
	NAME("RuntimeInvisibleTypeAnnotations", ATTRIBUTE_TYPES),
};

static enum attribute_kind kind_of(struct text name)
{
	if (!name.chars)
		return ATTRIBUTE_UNSEEN;
	for (size_t i = 0; i < sizeof(attribute_names) / sizeof(*attribute_names); i++)
		if (text_is(name, attribute_names[i].name, attribute_names[i].length))
			return attribute_names[i].kind;
	return ATTRIBUTE_OTHER;
}

static enum attribute_kind kind_at(const struct constants *constants, uint16_t index)
{
	if (index >= constants->count)
		return ATTRIBUTE_UNSEEN;
	if (constants->kind[index] == ATTRIBUTE_UNSEEN)
		constants->kind[index] = (uint8_t)kind_of(constants_utf8(constants, index));
	return constants->kind[index];
}

bool attribute_read(
	const struct constants *constants, struct reader *in, struct attribute *attribute)
{
	attribute->name = read_u2(in);
	attribute->content = read_part(in, read_u4(in));
	if (in->failed)
		return false;
	attribute->kind = kind_at(constants, attribute->name);
	return attribute->kind != ATTRIBUTE_UNSEEN;
}
