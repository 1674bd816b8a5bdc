/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/*
 * known_stacks: what was found out about a stack of Java frames, so that the JVM is not asked for the same stack
 * again. To ask takes 13 us in javac; the sampler's walk takes 1.4 us, and makes a number of the
 * frames (sampler_stack_key).
 *
 *   key (the stack's number, and what else the answer depends on) --> answer
 *
 * The newest take the place of others. All in all 512 KB.
 *
 * Runs: in any thread, without locks.
 */
#ifndef JPROF_KNOWN_STACKS_H
#define JPROF_KNOWN_STACKS_H

#include <stdbool.h>
#include <stdint.h>

/* The key for an answer that depends on `more`, too. 0 stays 0: the stack is not known. */
uint64_t known_stack_key(uint64_t key, uint64_t more);

/* False: there is no answer yet, or the key is 0. */
bool known_stack_find(uint64_t key, uint32_t *answer);

void known_stack_put(uint64_t key, uint32_t answer);

#endif
