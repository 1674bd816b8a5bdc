/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/* known_keys: see known_keys.h. */
#include "agent/stack/known_keys.h"

#include <stdatomic.h>
#include <stddef.h>
#include <sys/mman.h>

#include "agent/stack/seen_methods.h"

enum {
	SETS = 256,
	WAYS = 4,
	WORDS_BELOW = 64 /* of the place where Java was left, that a walk may look at */
};

struct known_keys {
	bool sweeper;
	struct set {
		_Atomic uint32_t replaced; /* how many slots have been, one after another */
		struct slot {
			_Atomic bool busy;
			struct known_key about; /* sp 0: nothing yet */
			uint64_t key;           /* 0: none */
			struct key_words words;
		} slot[WAYS];
	} set[SETS];
};

/* Of garbage, that were told: counted in the JVM's threads, read by all that look for a key, cleared while no event comes. */
static _Atomic uint32_t collections;

void known_keys_collected(void)
{
	atomic_fetch_add(&collections, 1);
}

struct known_keys *known_keys_create(bool sweeper)
{
	struct known_keys *known = mmap(NULL, sizeof(*known), PROT_READ | PROT_WRITE,
		MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

	if (known == MAP_FAILED)
		return NULL;
	atomic_store(&collections, 0);
	known->sweeper = sweeper;
	return known;
}

void known_keys_destroy(struct known_keys *known)
{
	if (known)
		munmap(known, sizeof(*known));
}

/* Where Java was left: what called is in the words, which may be other ones each time. */
static struct set *set_of(struct known_keys *known, const struct known_key *about)
{
	uint64_t hash = (about->sp ^ about->pc << 20) * UINT64_C(0x9e3779b97f4a7c15);

	return &known->set[(hash >> 40) % SETS];
}

/* The slots of a set in the order in which they are looked at: most threads find theirs in the first. */
static struct slot *slot_of(struct set *set, const struct known_key *about, uint32_t turn)
{
	uint64_t hash = (about->sp ^ about->pc << 16 ^ about->fp << 32 ^ about->java) *
			UINT64_C(0x9e3779b97f4a7c15);

	return &set->slot[((hash >> 33) + turn) % WAYS];
}

/* False: another thread is at it. */
static bool take_slot(struct slot *slot)
{
	return !atomic_exchange_explicit(&slot->busy, true, memory_order_acquire);
}

static void give_slot(struct slot *slot)
{
	atomic_store_explicit(&slot->busy, false, memory_order_release);
}

static bool is_about(const struct slot *slot, const struct known_key *about)
{
	const struct known_key *of = &slot->about;

	return of->java == about->java && of->stack_base == about->stack_base &&
	       of->sp == about->sp && of->pc == about->pc && of->fp == about->fp &&
	       of->seed == about->seed;
}

/* The words are the calling thread's own, above where it left Java. */
static bool same_words(const struct key_words *words)
{
	const uintptr_t *from = (const uintptr_t *)words->from;
	uint64_t hash = 0;

	for (unsigned i = 0; i < words->count; i++)
		hash += key_words_mix(i, from[words->word[i]]);
	return hash == words->hash;
}

static bool same_code(const struct key_words *words)
{
	for (unsigned i = 0; i < words->codes; i++)
		if (*(const uint32_t *)words->code[i].at != words->code[i].number)
			return false;
	return true;
}

static bool same_methods(const struct key_words *words, struct seen_methods *seen)
{
	for (unsigned i = 0; i < words->methods; i++)
		if (seen_method(seen, words->method[i].method) != words->method[i].number)
			return false;
	return true;
}

static bool holds(
	struct key_words *words, bool sweeper, struct seen_methods *seen, uint64_t now)
{
	uint32_t garbage = atomic_load(&collections);
	bool is_sure =
		garbage > 0 && words->garbage == garbage && now - words->looked < KEY_SURE_NS;

	if (!same_words(words) || ((sweeper || !is_sure) && !same_code(words)))
		return false;
	if (is_sure)
		return true;
	if (!same_methods(words, seen))
		return false;
	words->garbage = garbage;
	words->looked = now;
	return true;
}

uint64_t known_keys_find(
	struct known_keys *known, const struct known_key *about, struct seen_methods *seen)
{
	struct set *set = known ? set_of(known, about) : NULL;
	bool more = set != NULL;
	uint64_t key = 0;

	for (uint32_t turn = 0; more && turn < WAYS; turn++) {
		struct slot *slot = slot_of(set, about, turn);

		if (!take_slot(slot))
			continue;
		if (slot->key != 0 && is_about(slot, about) &&
			holds(&slot->words, known->sweeper, seen, about->now))
			key = slot->key;
		more = key == 0 && slot->about.sp != 0;
		give_slot(slot);
	}
	return key;
}

/* The first that is about nothing yet, or else one after another. NULL: another thread is at it. */
static struct slot *take_for(struct set *set, const struct known_key *about)
{
	struct slot *slot;

	for (uint32_t turn = 0; turn < WAYS; turn++) {
		slot = slot_of(set, about, turn);
		if (!take_slot(slot))
			continue;
		if (slot->about.sp == 0)
			return slot;
		give_slot(slot);
	}
	slot = &set->slot[atomic_fetch_add_explicit(&set->replaced, 1, memory_order_relaxed) %
			  WAYS];
	return take_slot(slot) ? slot : NULL;
}

struct key_words *known_keys_begin(struct known_keys *known, const struct known_key *about)
{
	struct slot *slot = known ? take_for(set_of(known, about), about) : NULL;
	struct key_words *words;

	if (!slot)
		return NULL;
	slot->about = *about;
	slot->key = 0;
	words = &slot->words;
	words->from = about->sp - WORDS_BELOW * sizeof(uintptr_t);
	words->hash = 0;
	words->looked = about->now;
	words->garbage = atomic_load(&collections);
	words->count = words->codes = words->methods = 0;
	return words;
}

void known_keys_end(struct key_words *words, uint64_t key)
{
	struct slot *slot;
	bool whole;

	if (!words)
		return;
	slot = (struct slot *)((char *)words - offsetof(struct slot, words));
	whole = words->count <= KEY_WORDS && words->codes <= KEY_CODES &&
		words->methods <= KEY_METHODS;
	slot->key = whole ? key : 0;
	give_slot(slot);
}
