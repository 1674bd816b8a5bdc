/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/* native_thunk: see native_thunk.h. */
#include "agent/probes/native_thunk.h"

#include <string.h>

struct native_record native_records[NATIVE_THUNKS];

/* The descriptor's next argument begins there (JVM specification, 4.3.2). */
static const char *skip_argument(const char *at)
{
	while (*at == '[')
		at++;
	if (*at == 'L')
		at += strcspn(at, ";");
	return *at ? at + 1 : at;
}

uint32_t native_stack_words(const char *descriptor, unsigned leading)
{
	uint32_t integers = leading, floats = 0, words = 0;

	for (const char *at = descriptor + 1; *at && *at != ')'; at = skip_argument(at)) {
		if (*at == 'F' || *at == 'D')
			floats++;
		else
			integers++;
	}
	if (integers > NATIVE_INTEGER_REGISTERS)
		words += integers - NATIVE_INTEGER_REGISTERS;
	if (floats > NATIVE_FLOAT_REGISTERS)
		words += floats - NATIVE_FLOAT_REGISTERS;
	return words;
}
