/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/* Any bytes as a mangled name, into buffers of two sizes: what comes back is a text, or the name itself. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "native-tests/fuzz/text_mutator.h"
#include "symbols/demangle.h"

static void check(const char *name, size_t size)
{
	char *buffer = malloc(size);
	const char *found;

	if (!buffer)
		return;
	found = demangle(name, buffer, size);
	if (found != name && (found < buffer || found >= buffer + size ||
				     !memchr(found, '\0', (size_t)(buffer + size - found)) ||
				     *found == '\0')) {
		fprintf(stderr, "violated: it is a text in the buffer\n");
		abort();
	}
	free(buffer);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char *name = malloc(size + 3);

	if (!name)
		return 0;
	memcpy(name, "_Z", 2);
	memcpy(name + 2, data, size);
	name[size + 2] = '\0';
	check(name, 512);
	check(name, 20);
	free(name);
	return 0;
}

/* Mangled names are texts without signs: bytes alone are changed. */
size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max_size, unsigned int seed)
{
	if (max_size > 900)
		max_size = 900;
	return LLVMFuzzerMutate(data, size < max_size ? size : max_size, max_size);
}
