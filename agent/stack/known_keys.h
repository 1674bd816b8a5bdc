/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/*
 * known_keys: the numbers of stacks that were walked, with all words of the stack that the walk went by. As long as a thread
 * has left Java at the same place and these words are the same, so is the number: to compare them takes a
 * twentieth of a walk, which waits for the JVM's tables.
 *
 *   four slots (by where Java was left): | thread, stack, place, seed | number | address, word ... |
 *
 * The newest take the place of others.
 *
 * Owns: the memory, reserved at once.
 * Runs: in any number of threads at once, each about itself, not in signal handlers; a slot that another thread is at is
 * passed over.
 */
#ifndef JPROF_KNOWN_KEYS_H
#define JPROF_KNOWN_KEYS_H

#include <stdbool.h>
#include <stdint.h>

struct known_keys;

/* NULL without memory. */
struct known_keys *known_keys_create(void);
void known_keys_destroy(struct known_keys *known);

/* A thread that has left Java: its JavaThread, its stack's end, the anchor, and what the number begins with. */
struct known_key {
	uintptr_t java, stack_base, sp, pc, fp;
	uint64_t seed;
};

enum { KEY_WORDS = 320 };

/* What a walk goes by. If there are more, no number is kept. */
struct key_words {
	unsigned count;
	struct {
		uintptr_t at, word;
	} word[KEY_WORDS];
};

static inline void key_words_add(struct key_words *words, uintptr_t at, uintptr_t word)
{
	if (words->count < KEY_WORDS) {
		words->word[words->count].at = at;
		words->word[words->count].word = word;
	}
	words->count++;
}

/* The walk went by something else, too. */
static inline void key_words_spoil(struct key_words *words)
{
	words->count = KEY_WORDS + 1;
}

/* The number, of the calling thread, or 0: it is not known. known: may be NULL. */
uint64_t known_keys_find(struct known_keys *known, const struct known_key *about);

/* Where a walk of the calling thread notes its words; NULL: there is no place. known_keys_end follows, with the number; 0:
 * there is none. */
struct key_words *known_keys_begin(struct known_keys *known, const struct known_key *about);
void known_keys_end(struct key_words *words, uint64_t key);

#endif
