/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/*
 * known_steps: how far up the stack the caller's frame is, for return addresses into compiled code, remembered.
 *
 * To find the piece of code at an address takes some 40 ns, most of it waiting for the JVM's tables, which nobody else
 * looks at while the program runs. What was found holds as long as the piece is there: the JVM numbers what
 * its compilers make (nmethod::_compile_id), and the memory of pieces is never given back (code.h).
 *
 * Owns: 96 KB. The newest take the place of others.
 * Runs: in any number of threads at once, also in signal handlers, without locks.
 */
#ifndef JPROF_KNOWN_STEPS_H
#define JPROF_KNOWN_STEPS_H

#include <stdbool.h>
#include <stdint.h>

struct known_steps;

/* NULL without memory. */
struct known_steps *known_steps_create(void);
void known_steps_destroy(struct known_steps *known);

struct known_step {
	uintptr_t number_at; /* where the JVM has the number of the code, 4 bytes */
	uint32_t number;
	uint32_t words; /* from the top of the frame to that of its caller's */
};

/* False: not known, or the code is not there any more. known: may be NULL. */
bool known_steps_find(const struct known_steps *known, uintptr_t pc, struct known_step *step);

void known_steps_add(struct known_steps *known, uintptr_t pc, const struct known_step *step);

#endif
