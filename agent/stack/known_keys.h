/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/*
 * known_keys: the numbers of stacks that were walked, with all that the walk went by: words of the stack, the numbers of
 * compiled code, methods that are interpreted. As long as a thread has left Java at the same place and these are
 * the same, so is the number: to compare them takes a part of a walk, which waits for the JVM's tables.
 *
 *   four slots (by where Java was left): | thread, stack, place, seed | number | address, word ... | method, its number ... |
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

enum { KEY_WORDS = 320, KEY_METHODS = 64 };

struct seen_methods;

/* What a walk goes by. If there are more, no number is kept. Addresses are of the stack, and of the code cache, which is never
 * given back. */
struct key_words {
	unsigned count, methods;
	struct {
		uintptr_t at, word;
	} word[KEY_WORDS];
	struct {
		uintptr_t method; /* a Method, whose memory may be another's later */
		uint32_t number;  /* seen_methods.h */
	} method[KEY_METHODS];
};

static inline void key_words_add(struct key_words *words, uintptr_t at, uintptr_t word)
{
	if (words->count < KEY_WORDS) {
		words->word[words->count].at = at;
		words->word[words->count].word = word;
	}
	words->count++;
}

static inline void key_words_add_method(
	struct key_words *words, uintptr_t method, uint32_t number)
{
	if (words->methods < KEY_METHODS) {
		words->method[words->methods].method = method;
		words->method[words->methods].number = number;
	}
	words->methods++;
}

/* The walk went by something else, too. */
static inline void key_words_spoil(struct key_words *words)
{
	words->count = KEY_WORDS + 1;
}

/* The number, of the calling thread, or 0: it is not known. known: may be NULL. seen: what methods' numbers are of. */
uint64_t known_keys_find(
	struct known_keys *known, const struct known_key *about, struct seen_methods *seen);

/* Where a walk of the calling thread notes its words; NULL: there is no place. known_keys_end follows, with the number; 0:
 * there is none. */
struct key_words *known_keys_begin(struct known_keys *known, const struct known_key *about);
void known_keys_end(struct key_words *words, uint64_t key);

#endif
