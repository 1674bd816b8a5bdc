/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/*
 * Any bytes as a method's table of lines: nothing outside of them is read, and what comes out is found again.
 *
 *   | form | code size: 2 bytes | length in words: 1 | offset of its name in the pool: 1 | table...
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "agent/stack/safe_read.h"
#include "agent/stack/source_lines.h"
#include "native-tests/fuzz/text_mutator.h"
#include "native-tests/stack/fake_jvm.h"

enum { HEAD = 5, TABLE_MAX = 2000 };

static const struct fake_jvm *current;

static void require(bool condition, const char *what)
{
	if (!condition) {
		fprintf(stderr, "violated: %s\n", what);
		abort();
	}
}

static intptr_t careful_load(const intptr_t *from, intptr_t otherwise)
{
	uintptr_t at = (uintptr_t)from;

	return at >= current->data && at - current->data < FAKE_DATA_BYTES ? *from : otherwise;
}

static void look(const struct vm_layout *vm, const struct seen_methods *seen, uint32_t method)
{
	struct source_lines *lines = source_lines_read(vm, seen, method);
	char *file = source_file_read(vm, seen, method);

	for (uint32_t i = 0; lines && i < lines->count; i++) {
		int32_t bci = lines->row[i].bci;
		uint32_t line = source_lines_at(lines, bci), k = 0;

		while (lines->row[k].bci != bci || lines->row[k].line != line)
			require(++k < lines->count, "a line that is found is in the table");
		if (i > 64)
			break;
	}
	for (int32_t bci = -2; bci < 300; bci += 7)
		source_lines_at(lines, bci);
	free(lines);
	free(file);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const struct fake_line no_lines[] = {{0, 0}};
	struct fake_method method = {"acme/A", "a", "()V", 0, "A.java", no_lines};
	struct fake_jvm *jvm;
	struct seen_methods *seen;
	uintptr_t at, constants;
	uint16_t code_size;

	if (size < HEAD)
		return 0;
	jvm = fake_jvm_create((enum fake_form)(data[0] % FAKE_FORMS));
	seen = jvm ? seen_methods_create(&jvm->layout) : NULL;
	require(seen != NULL, "memory");
	current = jvm;
	safe_read_by(careful_load);
	/* Room behind its bytecodes, as if they were more. */
	code_size = (uint16_t)((data[1] | data[2] << 8) % 50000);
	method.code_size = (uint16_t)(code_size + TABLE_MAX);
	at = fake_method_add(jvm, &method);
	constants = *(uintptr_t *)(at + jvm->layout.method_const);
	memcpy((char *)constants + jvm->layout.const_bytes + code_size, data + HEAD,
		size - HEAD < TABLE_MAX ? size - HEAD : TABLE_MAX);
	*(uint16_t *)(constants + jvm->layout.const_code_size) = code_size;
	*(uint32_t *)(constants + jvm->layout.const_size) =
		(uint32_t)(jvm->layout.const_bytes + code_size) / 8 + data[3];
	*(uint16_t *)(*(uintptr_t *)(constants + jvm->layout.const_constants) +
		      jvm->layout.pool_source_file) = data[4];
	look(&jvm->layout, seen, seen_method(seen, at));
	seen_methods_destroy(seen);
	fake_jvm_destroy(jvm);
	return 0;
}

size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max_size, unsigned int seed)
{
	return LLVMFuzzerMutate(data, size, max_size);
}
