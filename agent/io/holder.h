/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/*
 * holder: the I/O information holder: what each descriptor of the process is, from its opening on,
 * whether or not something is recorded.
 *
 *   descriptor --> slot: file's id | turn --> struct io_file (io_files.h)
 *
 * Slots of the first descriptors stand in an array; those above in blocks that a hash finds, made
 * when first needed. A slot is one atomic word, and whoever replaces it by compare-and-swap owns
 * what it held. So when A opens a descriptor, B holds it, A closes it, C gets the same number and
 * B closes that: each operation is charged to the file whose word it read, and a close
 * takes out the word that it saw before it closed, or nothing.
 *
 * Runs: on any thread. A look-up is one load.
 */
#ifndef JPROF_IO_HOLDER_H
#define JPROF_IO_HOLDER_H

#include "agent/io/io_files.h"

/* 0: nothing is known. The turn tells this opening from the next of the same descriptor. */
typedef uint64_t holder_word;

static inline uint32_t holder_file(holder_word word)
{
	return (uint32_t)word;
}

enum {
	HOLDER_BLOCK = 1024, /* slots of a block of the overflow */
	HOLDER_BUCKETS = 256
};

typedef _Atomic holder_word holder_slot;

struct holder_block {
	uint32_t number; /* of the first descriptor, in blocks */
	struct holder_block *next;
	holder_slot slot[HOLDER_BLOCK];
};

struct holder {
	holder_slot *slot;
	uint32_t slots;
	_Atomic(struct holder_block *) overflow[HOLDER_BUCKETS];
	_Atomic uint32_t turn;
	struct io_files files;
};

/* slots: for descriptors below that; max_files: see io_files.h. False: no memory. */
bool holder_init(struct holder *holder, uint32_t slots, uint32_t max_files);

/* For tests: the agent's lives as long as the process. */
void holder_fini(struct holder *holder);

holder_slot *holder_overflow(struct holder *holder, uint32_t descriptor, bool make);

/* What the descriptor is now. */
static inline holder_word holder_get(struct holder *holder, int descriptor)
{
	holder_slot *slot;

	if (__builtin_expect((uint32_t)descriptor < holder->slots, 1))
		slot = &holder->slot[descriptor];
	else
		slot = descriptor < 0 ? NULL
				      : holder_overflow(holder, (uint32_t)descriptor, false);
	return slot ? atomic_load_explicit(slot, memory_order_acquire) : 0;
}

/* The descriptor is this now: it was opened just now, or found. What it was before, if its
 * closing was not seen, is released. Returns its word, 0 without memory. */
holder_word holder_open(struct holder *holder, const struct io_opening *opening);

/* The descriptor, which was seen to be the word, is something else meanwhile: connected, say.
 * Nothing happens if it is no more what was seen. Returns the word from now on. */
holder_word holder_become(
	struct holder *holder, holder_word seen, const struct io_opening *opening);

/* The descriptor was closed, and had been the word before. False: it is something else by now,
 * or its close was seen by another. */
bool holder_close(struct holder *holder, int descriptor, holder_word seen);

#endif
