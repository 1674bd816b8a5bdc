/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/*
 * sample_entries: stacks that are taken as chosen methods are entered, each time or each n-th.
 *
 *   probe at the entry --method's id--> which conditions: a bit each --> a count each --n-th--> sampler_take_entered
 *
 * Entries of all threads are counted together, exactly. Those of a thread that is not recorded, or not now,
 * are none.
 *
 * Owns: a byte for each method's id. Runs: sample_entered in any thread at every entry, without locks or
 *       system calls while no stack is due; begin before methods are noted.
 */
#ifndef JPROF_SAMPLE_ENTRIES_H
#define JPROF_SAMPLE_ENTRIES_H

#include <stdbool.h>
#include <stdint.h>

/* The conditions are those of the sampler, which has begun; none has methods yet. */
void sample_entries_begin(void);

/* The method is about to have a probe for the conditions on entries, a bit for the place of each among these.
 * False: no memory. */
bool sample_entries_note(uint32_t method, uint32_t conditions);

/* The method is entered in the calling thread. by_probe: a native method of the probes' class tells so, which is
 * the innermost frame; else the method itself is, a native one. */
void sample_entered(uint32_t method, bool by_probe);

#endif
