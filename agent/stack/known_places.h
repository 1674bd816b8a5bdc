/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/*
 * known_places: which methods are inlined at a place of compiled code, remembered.
 *
 * To read that from the JVM's tables costs some 200 ns a method, most of it waiting for memory that nobody else
 * looks at while the program runs. What was read once holds for good: the JVM numbers what its compilers
 * make (nmethod::_compile_id), and says nothing else of a piece of code while it lives.
 *
 *   slots (by address and number) --> ring: | address, number, count, checksum | frames ... | address ...
 *
 * The newest take the place of the oldest, also while they are read: the checksum tells.
 *
 * Owns: the memory, reserved at once.
 * Runs: in any number of threads at once, also in signal handlers, without locks.
 */
#ifndef JPROF_KNOWN_PLACES_H
#define JPROF_KNOWN_PLACES_H

#include <stdbool.h>
#include <stdint.h>

struct stack_frame; /* walk.h */

struct known_places;

/* A place: the address, whether it is a return address (what is said of it differs), and the number of the code. */
struct known_place {
	uintptr_t pc;
	uint32_t code;
	bool is_return;
};

/* NULL without memory. */
struct known_places *known_places_create(void);
void known_places_destroy(struct known_places *known);

/* Copies the frames of the place, innermost first, if all of them are known and there is room; returns how many,
 * 0: not known. known: may be NULL. */
unsigned known_places_find(const struct known_places *known, struct known_place place,
	struct stack_frame *frame, unsigned room);

/* They are known from now on, unless they are too many. */
void known_places_add(struct known_places *known, struct known_place place,
	const struct stack_frame *frame, unsigned count);

#endif
