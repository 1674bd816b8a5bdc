/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/*
 * holder: what each descriptor of the process is, from its opening on, recorded or not.
 *
 *   descriptor --> slot: turn | file's place --> struct io_file (io_files.h), which stays
 *                        turn | noted: who opened it, and when
 *
 * While nothing is recorded an opening is only noted, which costs next to nothing; what the
 * descriptor is, the system tells when a session starts, or at its first use in one.
 *
 * Slots of the first descriptors stand in an array; those above in blocks that a hash finds,
 * made when first needed. What a descriptor is, is one atomic word: an opening stores it; a
 * close, or what was found out later, replaces the word that was seen, or nothing. So when A
 * opens a descriptor, B holds it, A closes it, C gets the same number and B closes that: each
 * operation is charged to the file whose word it read, and C's word stays, unless B saw it.
 *
 * Runs: on any thread. A look-up is one load, or those of one line.
 */
#ifndef JPROF_IO_HOLDER_H
#define JPROF_IO_HOLDER_H

#include "agent/io/io_files.h"

/* 0: nothing is known. The turn tells this opening from the next of the same descriptor. */
typedef uint64_t holder_word;

#define HOLDER_NOTED 0x80000000u

static inline bool holder_is_noted(holder_word word)
{
	return word & HOLDER_NOTED;
}

/* The file's place; 0: it has none yet. */
static inline uint32_t holder_file(holder_word word)
{
	return holder_is_noted(word) ? 0 : (uint32_t)word;
}

/* Of a word that is noted: io_openers.h. */
static inline uint32_t holder_opener(holder_word word)
{
	return (uint32_t)word & ~HOLDER_NOTED;
}

enum {
	HOLDER_BLOCK = 1024, /* slots of a block of the overflow */
	HOLDER_BUCKETS = 256
};

/* A slot has a line of its own, where operations find all that they need. */
struct holder_slot {
	_Alignas(64) _Atomic holder_word word;
	_Atomic uint64_t at; /* of the opening that was noted */
	/* The io_ref that was last found of a word, whose row the session has taken; sum: holder_ref_sum of these two,
	 * that word and the session. Several may write them at once, so that they fit no word. */
	_Atomic uint64_t id, traits, sum;
};

struct holder_block {
	uint32_t number; /* of the first descriptor, in blocks */
	struct holder_block *next;
	struct holder_slot slot[HOLDER_BLOCK];
};

struct holder {
	/* What each operation looks at comes first. */
	struct holder_slot *slot;
	uint32_t slots;
	struct io_files files;
	_Atomic(struct holder_block *) overflow[HOLDER_BUCKETS];
	_Atomic uint32_t turn;
};

/* slots: for descriptors below that; max_files: see io_files.h. False: no memory. */
bool holder_init(struct holder *holder, uint32_t slots, uint32_t max_files);

/* Nothing is known of any descriptor any more. */
void holder_forget(struct holder *holder);

/* Of a descriptor above the array. NULL: it is negative, or there is no block, or no memory to
 * make it. */
struct holder_slot *holder_overflow(struct holder *holder, int descriptor, bool make);

static inline struct holder_slot *holder_slot(struct holder *holder, int descriptor, bool make)
{
	if (__builtin_expect((uint32_t)descriptor < holder->slots, 1))
		return &holder->slot[descriptor];
	return holder_overflow(holder, descriptor, make);
}

/* What the descriptor is now. */
static inline holder_word holder_get(struct holder *holder, int descriptor)
{
	struct holder_slot *slot = holder_slot(holder, descriptor, false);

	return slot ? atomic_load_explicit(&slot->word, memory_order_acquire) : 0;
}

static inline holder_word holder_turn(struct holder *holder)
{
	uint32_t turn = atomic_fetch_add_explicit(&holder->turn, 1, memory_order_relaxed);

	return (holder_word)turn << 32;
}

/* The word is in no slot any more: its file may be folded. */
static inline void holder_release(struct holder *holder, holder_word word)
{
	uint32_t place = holder_file(word);

	if (place != 0)
		io_file_release(io_files_at(&holder->files, place));
}

/* The descriptor was opened just now. */
static inline void holder_note(
	struct holder *holder, int descriptor, uint32_t opener, uint64_t at)
{
	struct holder_slot *slot = holder_slot(holder, descriptor, true);

	if (!slot)
		return;
	atomic_store_explicit(&slot->at, at, memory_order_relaxed);
	holder_release(holder,
		atomic_exchange_explicit(&slot->word,
			holder_turn(holder) | HOLDER_NOTED | opener, memory_order_acq_rel));
}

static inline uint64_t holder_ref_sum(
	holder_word word, uint64_t id, uint64_t traits, uint32_t session)
{
	uint64_t sum = (word ^ session) * UINT64_C(0x9e3779b97f4a7c15);

	sum = (sum ^ sum >> 32 ^ id) * UINT64_C(0xff51afd7ed558ccd);
	return (sum ^ sum >> 32 ^ traits) * UINT64_C(0xd1342543de82ef95);
}

/* holder_look of a word whose file is not in its slot. */
holder_word holder_look_rare(
	struct holder *holder, struct holder_slot *slot, struct io_ref *ref);

/* What the descriptor is now, and the file that this is, which the session takes (io_files_take); id 0: none is known. */
static inline holder_word holder_look(struct holder *holder, int descriptor, struct io_ref *ref)
{
	uint32_t session = atomic_load_explicit(&holder->files.session, memory_order_relaxed);
	struct holder_slot *slot = holder_slot(holder, descriptor, false);
	uint64_t id, traits;
	holder_word word;

	*ref = (struct io_ref){0};
	if (__builtin_expect(!slot, 0))
		return 0;
	word = atomic_load_explicit(&slot->word, memory_order_acquire);
	id = atomic_load_explicit(&slot->id, memory_order_relaxed);
	traits = atomic_load_explicit(&slot->traits, memory_order_relaxed);
	if (__builtin_expect(atomic_load_explicit(&slot->sum, memory_order_relaxed) !=
				     holder_ref_sum(word, id, traits, session),
		    0))
		return holder_look_rare(holder, slot, ref);
	*ref = io_ref_of(id, traits);
	return word;
}

/* When an opening was noted whose word was just read; 0: the descriptor is something else. */
uint64_t holder_noted_at(struct holder *holder, int descriptor, holder_word seen);

/* The descriptor was opened just now as this. Returns its word, 0 without memory; *ref: its
 * file. */
holder_word holder_open(
	struct holder *holder, const struct io_opening *opening, struct io_ref *ref);

/* What the descriptor is, seen to be the word, was found out, or has changed: connected, say.
 * Nothing happens if it is no more what was seen. Returns the word from now on; *ref: its file,
 * as it was before if the word is. */
holder_word holder_become(struct holder *holder, holder_word seen,
	const struct io_opening *opening, struct io_ref *ref);

/* The descriptor was closed, and had been the word before. False: it is something else by now,
 * or its close was seen by another. */
static inline bool holder_close(struct holder *holder, int descriptor, holder_word seen)
{
	struct holder_slot *slot = seen ? holder_slot(holder, descriptor, false) : NULL;

	if (!slot || !atomic_compare_exchange_strong(&slot->word, &seen, 0))
		return false;
	holder_release(holder, seen);
	return true;
}

#endif
