/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/*
 * seen_methods: the methods that stacks led to, as small numbers, with their names.
 *
 * A stack has pointers to the JVM's Methods. When the stack is looked at later, the class may be
 * unloaded and the memory another's. So a signal handler takes the names along at a
 * method's first sight, while the stack keeps the class alive; after that it only compares.
 *
 *   slots (by the Method's address) --> number --> entry: what identifies it --> names
 *
 * A Method whose memory became another's differs in its constants, its class's name or its own
 * (symbols, which are compared by address and by their first bytes, a random number among them):
 * it gets a new number; samples taken before keep the old one.
 *
 * Owns: memory reserved at once and used as it fills; full: methods seen first from then on are
 *       number 0, and counted.
 * Runs: seen_method in any number of threads at once, also in signal handlers, without locks.
 */
#ifndef JPROF_SEEN_METHODS_H
#define JPROF_SEEN_METHODS_H

#include "agent/stack/vm_layout.h"

enum { SEEN_METHODS_MAX = 1 << 17 };

struct seen_methods; /* created, destroyed */

/* NULL without memory. layout: borrowed. */
struct seen_methods *seen_methods_create(const struct vm_layout *layout);
void seen_methods_destroy(struct seen_methods *seen);

/* The number of the Method at that address, which may be any word; 0: it is no method, or there is no
 * room. */
uint32_t seen_method(struct seen_methods *seen, uintptr_t method);

/* How many bytecodes it has; where they begin. */
uint32_t seen_method_code_size(const struct seen_methods *seen, uint32_t number);
uintptr_t seen_method_code(const struct seen_methods *seen, uint32_t number);

/* Numbers in use are 1 .. seen_methods_end() - 1. Entries may still be in the making: false. */
uint32_t seen_methods_end(const struct seen_methods *seen);

struct seen_names {
	/* as the JVM has them: com/acme/Foo$Bar; not ended by 0; borrowed for good */
	const char *class_name, *name, *signature;
	uint16_t class_length, name_length, signature_length;
	uint16_t flags;   /* access flags (JVMS 4.6), the lower 16 */
	uintptr_t method; /* the Method */
};
bool seen_method_names(
	const struct seen_methods *seen, uint32_t number, struct seen_names *names);

/* True if the number's method is still there, at its address, with the same names. */
bool seen_method_is_there(const struct seen_methods *seen, uint32_t number);

/* Methods that had no room. */
uint64_t seen_methods_lost(const struct seen_methods *seen);

#endif
