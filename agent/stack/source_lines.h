/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/*
 * source_lines: which line of which file a bytecode comes from, as the JVM has it in memory.
 *
 * Behind a method's bytecodes is its table of lines, compressed (CompressedLineNumberReadStream,
 * method.hpp): a byte a row, five bits of bytecodes and three of lines, or 0xff and two numbers.
 *
 * Runs: not in signal handlers; the class may be unloaded meanwhile: then there are no lines.
 */
#ifndef JPROF_SOURCE_LINES_H
#define JPROF_SOURCE_LINES_H

#include "agent/stack/seen_methods.h"

struct source_lines {
	uint32_t count;
	struct source_line {
		uint16_t bci, line;
	} row[]; /* in the order of the table */
};

/* Owned (free). NULL: the method has none, or is no more, or no memory. */
struct source_lines *source_lines_read(
	const struct vm_layout *vm, const struct seen_methods *seen, uint32_t method);

/* The line of a bytecode, 0: not known. lines NULL is allowed. */
uint32_t source_lines_at(const struct source_lines *lines, int32_t bci);

/* The name of its source file, owned (free), or NULL. */
char *source_file_read(
	const struct vm_layout *vm, const struct seen_methods *seen, uint32_t method);

#endif
