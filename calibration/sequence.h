/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/*
 * sequence: what surrounds a delta, packed into a code.
 *
 *   event            event
 *   | begin          | end
 *   first ---> second ---> third         the delta is charged to the second method
 *
 * A delta is what lies between two events of a thread. What the probes add to it depends on
 * the methods around it (interpreted, jitted or native; static or not; or a thread's root,
 * which is outside) and on the two transitions. At an entry the third is the callee, at an exit
 * the caller.
 *
 *   bit  10 9    8 7     6 5    4       3      2       1    0
 *        first   second  third  first   begin  second  end  third
 *        state   state   state  static         static       static
 *
 * Behind these codes there are eight more for deltas that an exit by exception ends, by the
 * second method alone.
 */
#ifndef JPROF_SEQUENCE_H
#define JPROF_SEQUENCE_H

#include <stdbool.h>
#include <stdint.h>

/* How the JVM runs a method. */
enum call_state {
	STATE_INTERPRETED,
	STATE_JITTED,
	STATE_NATIVE,
	STATE_OUTSIDE /* of a thread's root, and of frames found on the stack */
};

/* What an event is, and the index of a node's transition counts. */
enum transition { TRANSITION_ENTRY, TRANSITION_EXIT };

enum {
	SEQUENCE_UNWIND = 2048, /* the first of the eight */
	SEQUENCE_CODES = SEQUENCE_UNWIND + 8,
	SEQUENCE_TYPES = 8,       /* state << 1 | static; the last one is no type */
	SEQUENCE_OUTSIDE = 0x7e0, /* before a thread's first event */
	SEQUENCE_STATE_SHIFT = 5, /* of the third's */
	SEQUENCE_KEPT = 0x79f     /* of a code that is rolled on */
};

/* A method as the third of a code. */
static inline uint32_t sequence_third(enum call_state state, bool is_static)
{
	return (uint32_t)state << SEQUENCE_STATE_SHIFT | is_static;
}

static inline enum call_state sequence_state(uint32_t third)
{
	return (enum call_state)(third >> SEQUENCE_STATE_SHIFT);
}

/* The code of the delta that an event ends: code is that of the delta before, third what
 * sequence_third says of the method that the thread is in from now on. */
static inline uint32_t sequence_roll(uint32_t code, uint32_t third, enum transition transition)
{
	return ((code << 2) & SEQUENCE_KEPT) | third | (uint32_t)transition << 1;
}

static inline uint32_t sequence_next(
	uint32_t code, enum call_state state, enum transition transition, bool is_static)
{
	return sequence_roll(code, sequence_third(state, is_static), transition);
}

/* The code, with outside for its third. */
static inline uint32_t sequence_outside(uint32_t code)
{
	return (code | sequence_third(STATE_OUTSIDE, false)) & ~1u;
}

/* The transition that ended the delta, and so begins the next one. */
static inline enum transition sequence_end(uint32_t code)
{
	return (enum transition)(code >> 1 & 1);
}

static inline enum transition sequence_begin(uint32_t code)
{
	return (enum transition)(code >> 3 & 1);
}

/* Types: state << 1 | static. */
static inline unsigned sequence_first_type(uint32_t code)
{
	return (code >> 8 & 6) | (code >> 4 & 1);
}

static inline unsigned sequence_second_type(uint32_t code)
{
	return code >= SEQUENCE_UNWIND ? code - SEQUENCE_UNWIND
				       : (code >> 6 & 6) | (code >> 2 & 1);
}

static inline unsigned sequence_third_type(uint32_t code)
{
	return (code >> 4 & 6) | (code & 1);
}

/* The code of a delta that an exit by exception ends, from the code of an exit. */
static inline uint32_t sequence_unwound(uint32_t code)
{
	return SEQUENCE_UNWIND + sequence_second_type(code);
}

/* A code in words, as profiles and calibrations have them. */
struct sequence_words {
	const char *first; /* NULL: of an unwind */
	const char *begin; /* "entry", "exit"; NULL: of an unwind */
	const char *second;
	const char *end;   /* "entry", "exit", "unwind" */
	const char *third; /* NULL: of an unwind */
};

/* The words are constants. False: there is no such code. */
bool sequence_to_words(uint32_t code, struct sequence_words *words);

/* The code, or -1: one of the words is not known, or missing. */
int sequence_from_words(const struct sequence_words *words);

#endif
