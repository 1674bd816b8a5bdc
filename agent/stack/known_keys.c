/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/* known_keys: see known_keys.h. */
#include "agent/stack/known_keys.h"

#include <stdatomic.h>
#include <stddef.h>
#include <sys/mman.h>

#include "agent/stack/seen_methods.h"

enum { SETS = 256, WAYS = 4 };

struct known_keys {
	struct set {
		_Atomic uint32_t next; /* the way that is replaced next */
		struct slot {
			_Atomic bool busy;
			struct known_key about;
			uint64_t key; /* 0: none */
			struct key_words words;
		} slot[WAYS];
	} set[SETS];
};

struct known_keys *known_keys_create(void)
{
	void *memory = mmap(NULL, sizeof(struct known_keys), PROT_READ | PROT_WRITE,
		MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

	return memory == MAP_FAILED ? NULL : memory;
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
static bool holds(const struct key_words *words, struct seen_methods *seen)
{
	for (unsigned i = 0; i < words->count; i++)
		if (*(const uintptr_t *)words->word[i].at != words->word[i].word)
			return false;
	for (unsigned i = 0; i < words->methods; i++)
		if (seen_method(seen, words->method[i].method) != words->method[i].number)
			return false;
	return true;
}

uint64_t known_keys_find(
	struct known_keys *known, const struct known_key *about, struct seen_methods *seen)
{
	struct slot *slot = known ? set_of(known, about)->slot : NULL;
	uint64_t key = 0;

	for (int way = 0; slot && way < WAYS && key == 0; way++, slot++) {
		if (!take_slot(slot))
			continue;
		if (slot->key != 0 && is_about(slot, about) && holds(&slot->words, seen))
			key = slot->key;
		give_slot(slot);
	}
	return key;
}

struct key_words *known_keys_begin(struct known_keys *known, const struct known_key *about)
{
	struct set *set = known ? set_of(known, about) : NULL;
	struct slot *slot;

	if (!set)
		return NULL;
	slot = &set->slot[atomic_fetch_add_explicit(&set->next, 1, memory_order_relaxed) %
			  WAYS];
	if (!take_slot(slot))
		return NULL;
	slot->about = *about;
	slot->key = 0;
	slot->words.count = slot->words.methods = 0;
	return &slot->words;
}

void known_keys_end(struct key_words *words, uint64_t key)
{
	struct slot *slot;

	if (!words)
		return;
	slot = (struct slot *)((char *)words - offsetof(struct slot, words));
	slot->key = words->count <= KEY_WORDS && words->methods <= KEY_METHODS ? key : 0;
	give_slot(slot);
}
