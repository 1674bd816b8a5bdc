/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/*
 * code_index: which code lay at an address at a moment.
 *
 * The JVM tells of code some time after it may run, and of its end some time after it ran last (both by a
 * thread of its own): what is told within a second after the moment is taken where nothing else fits.
 *
 * Owns: an order of the profile's code; the profile is borrowed, and stays for as long.
 */
#ifndef JPROF_PROFILE_CODE_INDEX_H
#define JPROF_PROFILE_CODE_INDEX_H

#include "profile/code_places.h"
#include "profile/profile_read.h"

struct code_index; /* created, destroyed */

/* Of a profile that was read with code. NULL without memory. */
struct code_index *code_index_create(const struct profile *profile);
void code_index_destroy(struct code_index *index);

/* The code that has the address then, ns since the session began: of several the smallest, as the JVM's own
 * pieces have parts. NULL: there is none. */
const struct profile_code *code_index_find(
	const struct code_index *index, uint64_t address, uint64_t time);

/* What it is called: its method's names, or as the JVM announced it. Owned by the caller (free); NULL without
 * memory. */
char *code_index_name(const struct code_index *index, const struct profile_code *code);

/* Methods and lines of an address in it, innermost first: where it has no places its method alone, and
 * nothing of the JVM's own code. method is an id of the profile. Returns how many. */
unsigned code_index_stack(const struct profile_code *code, uint64_t address,
	struct code_position *position, unsigned most);

#endif
