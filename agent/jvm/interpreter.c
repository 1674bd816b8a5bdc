/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/* interpreter: see interpreter.h. */
#include "agent/jvm/interpreter.h"

#include <string.h>

struct interpreter interpreter;

void interpreter_learn(const char *name, const void *address, size_t size)
{
	if (strcmp(name, "Interpreter") != 0)
		return;
	interpreter.begin = (uintptr_t)address;
	interpreter.size = size;
}
