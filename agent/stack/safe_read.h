/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/*
 * safe_read: memory that may not be there.
 *
 * HotSpot has a load for that, SafeFetchN: where it faults, the JVM's own handler of the fault goes
 * on behind it with another value (safefetch.hpp). It costs some 2 ns, and no handler of signals
 * is replaced. It is a local symbol of the JVM's library; where that has none, the kernel copies
 * (process_vm_readv(2), some 300 ns).
 *
 * Runs: on any thread, also in a signal handler.
 */
#ifndef JPROF_SAFE_READ_H
#define JPROF_SAFE_READ_H

#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef intptr_t (*safe_fetch)(const intptr_t *at, intptr_t otherwise);

/* SafeFetchN; NULL: it is not known. Before the first read. */
void safe_read_by(safe_fetch fetch);

/* On a thread that may have blocked the signals of faults, which would end the process then: lets them through until
 * safe_read_end, which restores the mask. */
void safe_read_begin(sigset_t *before);
void safe_read_end(const sigset_t *before);

/* The word at an address that is a multiple of its size. False: it cannot be read. */
bool safe_word(uintptr_t at, uintptr_t *word);

/* Parts of words, at any address at which their type may be. */
bool safe_u32(uintptr_t at, uint32_t *value);
bool safe_u16(uintptr_t at, uint16_t *value);
bool safe_u8(uintptr_t at, uint8_t *value);

/* Any bytes. False: some cannot be read, and `to` has an unknown part of them. */
bool safe_copy(void *to, uintptr_t from, size_t bytes);

/* A text up to its 0, cut to the room. False: some of it cannot be read. */
bool safe_text(char *to, size_t room, uintptr_t from);

/* As safe_copy and safe_u32, of memory that safe_word has just found to be there, and that may go at any moment: without a guarded load
 * it is copied as it is, as the kernel would take too long for many small pieces. */
bool safe_copy_known(void *to, uintptr_t from, size_t bytes);
bool safe_u32_known(uintptr_t at, uint32_t *value);

#endif
