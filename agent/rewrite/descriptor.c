/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/* descriptor: see descriptor.h. */
#include "agent/rewrite/descriptor.h"

char descriptor_type(const char **at, const char *end)
{
	const char *first = *at, *name_end;

	while (*at < end && **at == '[')
		(*at)++;
	if (*at == end)
		return 0;
	switch (*(*at)++) {
	case 'L':
		name_end = memchr(*at, ';', (size_t)(end - *at));
		if (!name_end)
			return 0;
		*at = name_end + 1;
		return *first;
	case 'V':
		return *first == 'V' ? 'V' : 0;
	case 'B':
	case 'C':
	case 'D':
	case 'F':
	case 'I':
	case 'J':
	case 'S':
	case 'Z':
		return *first;
	default:
		return 0;
	}
}

bool descriptor_read(struct text text, struct descriptor *descriptor)
{
	const char *at = text.chars, *end = text.chars + text.length;

	*descriptor = (struct descriptor){0};
	if (at < end && *at == '(') {
		at++;
		while (at < end && *at != ')') {
			uint32_t slots = type_slots(descriptor_type(&at, end));

			if (slots == 0)
				return false;
			descriptor->slots += slots;
			descriptor->count++;
		}
		if (at == end)
			return false;
		at++;
	}
	descriptor->type = descriptor_type(&at, end);
	descriptor->result = type_slots(descriptor->type);
	return descriptor->type && at == end;
}

const char *descriptor_argument(struct text text, uint32_t place, uint32_t *slot)
{
	const char *at = text.chars, *end = text.chars + text.length, *first = NULL;
	char type = 0;

	*slot = 0;
	if (at == end || *at++ != '(')
		return NULL;
	for (uint32_t i = 0; i <= place; i++) {
		*slot += type_slots(type);
		if (at == end || *at == ')')
			return NULL;
		first = at;
		type = descriptor_type(&at, end);
		if (!type)
			return NULL;
	}
	return first;
}

const char *rewrite_argument_type(const char *descriptor, uint32_t place)
{
	uint32_t slot;

	return descriptor_argument(
		(struct text){descriptor, (uint16_t)strlen(descriptor)}, place, &slot);
}
