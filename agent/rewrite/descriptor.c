/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/*
 * descriptor: reading them.
 */
#include "agent/rewrite/descriptor.h"

bool descriptor_type(const char **at, const char *end, uint32_t *slots)
{
	bool array = false;

	*slots = 1;
	while (*at < end && **at == '[') {
		array = true;
		(*at)++;
	}
	if (*at == end)
		return false;
	switch (*(*at)++) {
	case 'L':
		*at = memchr(*at, ';', (size_t)(end - *at));
		if (!*at)
			return false;
		(*at)++;
		return true;
	case 'J':
	case 'D':
		*slots = array ? 1 : 2;
		return true;
	case 'V':
		*slots = 0;
		return !array;
	case 'B':
	case 'C':
	case 'F':
	case 'I':
	case 'S':
	case 'Z':
		return true;
	default:
		return false;
	}
}

bool descriptor_read(struct text text, struct descriptor *descriptor)
{
	const char *at = text.chars, *end = text.chars + text.length;
	uint32_t slots;

	*descriptor = (struct descriptor){0};
	if (at < end && *at == '(') {
		at++;
		while (at < end && *at != ')') {
			if (!descriptor_type(&at, end, &slots) || slots == 0)
				return false;
			descriptor->arguments += slots;
		}
		if (at == end)
			return false;
		at++;
	}
	return descriptor_type(&at, end, &descriptor->result) && at == end;
}
