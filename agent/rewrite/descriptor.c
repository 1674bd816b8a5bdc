/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/*
 * descriptor: reading them.
 */
#include "agent/rewrite/descriptor.h"

/* Slots of the type at *at, which is skipped. False: malformed. */
static bool type_read(const char **at, const char *end, uint32_t *slots)
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
			if (!type_read(&at, end, &slots) || slots == 0)
				return false;
			descriptor->arguments += slots;
			descriptor->values++;
		}
		if (at == end)
			return false;
		at++;
	}
	return type_read(&at, end, &descriptor->result) && at == end;
}

bool descriptor_arguments_begin(struct text text, struct descriptor_arguments *arguments)
{
	struct descriptor whole;

	if (text.length == 0 || text.chars[0] != '(' || !descriptor_read(text, &whole))
		return false;
	*arguments =
		(struct descriptor_arguments){text.chars + 1, text.chars + text.length};
	return true;
}

bool descriptor_arguments_next(struct descriptor_arguments *arguments, struct text *type)
{
	const char *from = arguments->at;
	uint32_t slots;

	if (*from == ')' || !type_read(&arguments->at, arguments->end, &slots))
		return false;
	*type = (struct text){from, (uint16_t)(arguments->at - from)};
	return true;
}
