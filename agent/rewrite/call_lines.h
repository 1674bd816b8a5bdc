/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/*
 * call_lines: where a method's call sites are kept apart: before which of its instructions there is a probe that tells the
 * line.
 *
 *   line 17: aload_1; push site; invokestatic reach(I)V; invokevirtual a; aload_1; invokevirtual b
 *   line 18: aload_1; push site; invokestatic reach(I)V; invokevirtual a
 *
 * That is in front of what calls others, and of `new`, which may begin a class; but not where the same line was told
 * before and no jump leads in between. A read of a static field may begin a class, too, and has no probe: it would cost
 * more than it tells.
 */
#ifndef JPROF_REWRITE_CALL_LINES_H
#define JPROF_REWRITE_CALL_LINES_H

#include "agent/rewrite/code.h"

/* Zero-initialise it; its arrays are owned, and used again for the next method. */
struct call_lines {
	uint16_t *line; /* by pc; 0: that of the instruction before */
	uint32_t line_capacity;
	uint8_t *target; /* by pc: a jump leads there, or a handler begins */
	uint32_t target_capacity;
	/* While instructions are looked at: */
	uint32_t pc;         /* the next one */
	uint16_t here, told; /* its line, and that of the last probe; 0: not known, none */
	bool unknown;        /* there was a call of which no line is known */
};

/* The code is another one, of which no line is known. False: no memory. */
bool call_lines_begin(struct call_lines *lines, const struct code *code);

/* A LineNumberTable's contents (JVM specification, 4.7.12); of several all count. False: it is malformed. */
bool call_lines_read(struct call_lines *lines, const struct code *code, struct reader in);

/* A handler of the method's own begins at pc, if that is in the code. */
void call_lines_handler(struct call_lines *lines, const struct code *code, uint32_t pc);

/* The line of the next probe, which is in front of the instruction at *pc; 0: there are no more. */
uint16_t call_lines_next(struct call_lines *lines, const struct code *code, uint32_t *pc);

void call_lines_fini(struct call_lines *lines);

#endif
