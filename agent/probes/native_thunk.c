/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/* native_thunk: see native_thunk.h. */
#include "agent/probes/native_thunk.h"

#include <string.h>

struct native_record native_records[NATIVE_THUNKS];

uint32_t native_stack_words(const char *descriptor, unsigned leading)
{
	uint32_t integers = leading, floats = 0, words = 0;

	for (const char *at = descriptor + 1; *at && *at != ')';) {
		if (*at == 'F' || *at == 'D')
			floats++;
		else
			integers++;
		/* The next argument (JVM specification, 4.3.2). */
		while (*at == '[')
			at++;
		if (*at == 'L')
			at += strcspn(at, ";");
		at += *at != '\0';
	}
	if (integers > NATIVE_INTEGER_REGISTERS)
		words += integers - NATIVE_INTEGER_REGISTERS;
	if (floats > NATIVE_FLOAT_REGISTERS)
		words += floats - NATIVE_FLOAT_REGISTERS;
	return words;
}
