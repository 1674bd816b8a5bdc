/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/*
 * known_keys: the numbers of stacks that were walked, with all that the walk went by: words of the stack, the numbers of
 * compiled code, methods that are interpreted. As long as a thread has left Java at the same place and these are
 * the same, so is the number: to compare them takes a part of a walk, which waits for the JVM's tables.
 *
 *   where Java was left --> set --> four slots: | thread, stack, place, seed | number |   each thread begins at one of them
 *                                               | where words are, hash of them | code ... | methods ... |
 *
 * Code and methods stay as long as they are in a stack, and the thread may have left it in between. What takes them away is
 * garbage collection, of methods rarely something else (a class that is redefined), of code before JDK 20, too.
 * For another method to be there, called from the same place, all of that has to happen, a class has to be loaded, and its
 * method to be called. So for some milliseconds, without a collection in between, they are not looked at again.
 *
 * The newest take the place of others. Who asked for a number may leave a note with it, which is found with it.
 *
 * To look costs no locked instruction: behind one, nothing that follows is read before what came before has arrived, and
 * most of it comes from far. A slot has a version, odd while it is written; what was read of it counts if the version
 * is the same afterwards.
 *
 * Owns: the memory, reserved at once. It stays readable until known_keys_destroy.
 * Runs: in any number of threads at once, each about itself, not in signal handlers; a slot that another thread
 * writes is passed over.
 */
#ifndef JPROF_KNOWN_KEYS_H
#define JPROF_KNOWN_KEYS_H

#include <stdbool.h>
#include <stdint.h>

struct known_keys;
struct seen_methods;

/* sweeper: this JVM gives back code at any time (before JDK 20, "Remove the Sweeper", JDK-8290025). No garbage has been
 * collected yet. NULL without memory. */
struct known_keys *known_keys_create(bool sweeper);
/* While nobody looks: an agent does not know that before its process ends. */
void known_keys_destroy(struct known_keys *known);

/* Nothing is known any more, and the memory is given back; while nobody puts. Other threads may look meanwhile, without `seen`. */
void known_keys_clear(struct known_keys *known);

/* Garbage is about to be collected. Before the first time code and methods are looked at each time. In any thread. */
void known_keys_collected(void);

/* A thread that has left Java: its JavaThread, its stack's end, the anchor, and what the number begins with. now: ns of
 * some clock. */
struct known_key {
	uintptr_t java, stack_base, sp, pc, fp;
	uint64_t seed, now;
};

enum {
	KEY_WORDS = 320,
	KEY_CODES = 96,
	KEY_METHODS = 64,
	KEY_SURE_NS = 10 * 1000 * 1000 /* that code and methods are not looked at again */
};

/* What a walk goes by. If there is more, no number is kept. */
struct key_words {
	uintptr_t from;   /* a word of the stack */
	uint64_t hash;    /* of the words, as far as 64 bits go */
	uint32_t garbage; /* how many collections there had been when it began */
	unsigned count, codes, methods;
	uint16_t word[KEY_WORDS]; /* so many behind */
	struct key_number {
		uintptr_t at;
		uint32_t number;
	} code[KEY_CODES],           /* in the code cache, which is never given back */
		method[KEY_METHODS]; /* a Method, whose memory may be another's later: seen_methods.h */
};

/* The walk went by something else, too. */
static inline void key_words_spoil(struct key_words *words)
{
	words->count = KEY_WORDS + 1;
}

/* What a word, the place-th, adds to the hash: a sum, so that none has to wait for the one before. */
static inline uint64_t key_words_mix(unsigned place, uintptr_t word)
{
	__extension__ typedef unsigned __int128 wide;
	uint64_t other = word ^ (place + 1) * UINT64_C(0xd1342543de82ef95);
	wide product = (wide)other * UINT64_C(0x9e3779b97f4a7c15);

	return (uint64_t)product ^ (uint64_t)(product >> 64);
}

/* A word of the stack was read. */
static inline void key_words_add(struct key_words *words, uintptr_t at, uintptr_t word)
{
	uintptr_t behind = (at - words->from) / sizeof(word);

	if (behind > UINT16_MAX || words->count >= KEY_WORDS) {
		key_words_spoil(words);
		return;
	}
	words->hash += key_words_mix(words->count, word);
	words->word[words->count++] = (uint16_t)behind;
}

static inline void key_words_add_code(struct key_words *words, uintptr_t at, uint32_t number)
{
	if (words->codes < KEY_CODES) {
		words->code[words->codes].at = at;
		words->code[words->codes].number = number;
	}
	words->codes++;
}

static inline void key_words_add_method(
	struct key_words *words, uintptr_t method, uint32_t number)
{
	if (words->methods < KEY_METHODS) {
		words->method[words->methods].at = method;
		words->method[words->methods].number = number;
	}
	words->methods++;
}

/* What known_keys_find of the same thread and place is going to look at is brought near. known: may be NULL. */
void known_keys_expect(const struct known_keys *known, const struct known_key *about);

/* The number, of the calling thread, or 0: it is not known. known: may be NULL. seen: what methods' numbers are of; NULL:
 * methods are not to be looked at, so that only numbers are known of which that is not needed now. *note: what was left with
 * it; 0: nothing. */
uint64_t known_keys_find(struct known_keys *known, const struct known_key *about,
	struct seen_methods *seen, uint64_t *note);

/* Leaves a note with a number that was found, or kept, if it is still there. */
void known_keys_note(
	struct known_keys *known, const struct known_key *about, uint64_t key, uint64_t note);

/* A walk of the calling thread begins, which notes in `words` what it goes by; and has come to that number, which is
 * kept. */
void key_words_begin(struct key_words *words, const struct known_key *about);
void known_keys_put(struct known_keys *known, const struct known_key *about,
	const struct key_words *words, uint64_t key);

#endif
