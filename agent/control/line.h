/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/*
 * line: what a client sends: bytes in, whole lines out.
 *
 * In:   bytes in any pieces, any bytes.
 * Out:  lines without their "\n" or "\r\n"; empty ones are skipped.
 * Owns: its buffer, which grows in steps as bytes arrive, and is freed when all of them are
 *       used: a client that is silent costs nothing. What all clients together have beyond
 *       their first step is bounded by the pool.
 * Runs: on the control thread, without locks.
 */
#ifndef JPROF_AGENT_CONTROL_LINE_H
#define JPROF_AGENT_CONTROL_LINE_H

#include <stdbool.h>
#include <stddef.h>

#include "agent/control/protocol.h"
#include "error/error.h"

enum {
	LINE_MAX_BYTES = PROTOCOL_LINE_BYTES,
	LINE_FIRST_BYTES = 1 << 12 /* of each input, whatever the others have */
};

/* Shared by all inputs; it outlives them. */
struct line_pool {
	size_t used, limit; /* bytes beyond the first of each */
};

/* Embedded; begins as {.pool = pool}. */
struct line_input {
	struct line_pool *pool;
	char *bytes;
	size_t room; /* of bytes */
	size_t used; /* bytes[start..used) are not read yet */
	size_t start;
	size_t checked; /* no '\n' in bytes[start..checked) */
};

/* Where the next bytes go, *room of them, at least one; line_filled says how many came.
 * NULL, with error filled: the line is too long, or there is no memory for it. No whole line
 * may be waiting; lines taken before are gone. */
char *line_space(struct line_input *input, size_t *room, struct error *error);
void line_filled(struct line_input *input, size_t bytes);

/* True if a whole line is there. */
bool line_waiting(struct line_input *input);

/* The next whole line; it is no string: it may hold NUL bytes, and none is behind it. Borrowed
 * until line_done or line_space. False: there is none. */
bool line_next(struct line_input *input, const char **line, size_t *length);

/* The line was used: gives memory back if nothing else is there. */
void line_done(struct line_input *input);

void line_fini(struct line_input *input);

#endif
