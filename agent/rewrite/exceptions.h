/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/*
 * exceptions: the exception table of one method (JVM specification, 4.7.3), its own rows
 * split around the exit probes, and those of the probes' handlers behind them.
 */
#ifndef JPROF_REWRITE_EXCEPTIONS_H
#define JPROF_REWRITE_EXCEPTIONS_H

#include "agent/rewrite/code.h"

/* The two that lie behind the code; a method has those that it needs. */
enum handler {
	HANDLER_COMMON,        /* its frame has no locals */
	HANDLER_UNINITIALIZED, /* for a constructor's code before `this` is initialised */
	HANDLERS
};

/* Instructions under one handler, from start up to end (pc). */
struct range {
	uint32_t start, end;
	enum handler handler;
};

struct handlers {
	const struct range *range; /* by rising pc; borrowed */
	uint32_t ranges;
	bool used[HANDLERS];   /* it covers an instruction */
	uint32_t at[HANDLERS]; /* in the new code */
};

/* A row of the table as the file has it: four times two bytes. */
enum { ROW_START = 0, ROW_END = 2, ROW_HANDLER = 4, ROW_TYPE = 6, ROW_SIZE = 8 };

/* Zero-initialise it. Used again for the next method. */
struct exceptions {
	const uint8_t *row; /* the file's; borrowed */
	uint32_t rows;
	uint16_t *first; /* by old row: the first new row made of it; owned */
	uint32_t first_capacity;
};

/* Tells the code where the handlers of the rows begin, before it is decoded. False: no
 * memory. */
bool exceptions_announce(const struct exceptions *exceptions, struct code *code);

/* True if all rows name instructions of the code. */
bool exceptions_check(const struct exceptions *exceptions, const struct code *code);

/* Writes the table with its length. */
enum rewrite_reason exceptions_write(struct exceptions *exceptions, const struct code *code,
	const struct handlers *handlers, struct writer *out);

#endif
