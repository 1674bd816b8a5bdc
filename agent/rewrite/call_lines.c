/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/* call_lines: see call_lines.h. */
#include "agent/rewrite/call_lines.h"

enum { LINE_ROW = 4 };

bool call_lines_begin(struct call_lines *lines, const struct code *code)
{
	if (!scratch_grow((void **)&lines->line, &lines->line_capacity, code->length, 0,
		    sizeof(*lines->line)) ||
		!scratch_grow((void **)&lines->target, &lines->target_capacity, code->length, 0,
			sizeof(*lines->target)))
		return false;
	memset(lines->line, 0, code->length * sizeof(*lines->line));
	memset(lines->target, 0, code->length);
	code_mark_targets(code, lines->target);
	lines->pc = lines->here = lines->told = 0;
	lines->unknown = false;
	return true;
}

bool call_lines_read(struct call_lines *lines, const struct code *code, struct reader in)
{
	uint32_t rows = read_u2(&in);

	if (in.failed || reader_left(&in) != rows * (size_t)LINE_ROW)
		return false;
	while (rows-- > 0) {
		uint32_t pc = read_u2(&in), line = read_u2(&in);

		if (pc >= code->length)
			return false;
		lines->line[pc] = (uint16_t)line;
	}
	return true;
}

void call_lines_handler(struct call_lines *lines, const struct code *code, uint32_t pc)
{
	if (pc < code->length)
		lines->target[pc] = 1;
}

static bool may_call(uint8_t opcode)
{
	return opcodes[opcode].effect == EFFECT_INVOKE || opcode == OP_NEW;
}

uint16_t call_lines_next(struct call_lines *lines, const struct code *code, uint32_t *pc)
{
	for (uint32_t at = lines->pc, size; at < code->length; at += size) {
		size = code_size_at(code, at);
		if (size == 0)
			break;
		if (lines->target[at])
			lines->told = 0;
		if (lines->line[at])
			lines->here = lines->line[at];
		if (!may_call(code->bytes[at]))
			continue;
		lines->unknown |= lines->here == 0;
		if (lines->here == lines->told)
			continue;
		lines->pc = at + size;
		lines->told = lines->here;
		*pc = at;
		return lines->here;
	}
	return 0;
}

void call_lines_fini(struct call_lines *lines)
{
	free(lines->line);
	free(lines->target);
}
