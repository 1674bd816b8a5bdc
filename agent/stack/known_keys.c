/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/* known_keys: see known_keys.h. */
#include "agent/stack/known_keys.h"

#include <stdatomic.h>
#include <stddef.h>
#include <sys/mman.h>

#include "agent/stack/seen_methods.h"
#include "arch/read_mostly.h"

enum {
	SETS = 256,
	WAYS = 4,
	WORDS_BELOW = 64 /* of the place where Java was left, that a walk may look at */
};

/* Of key_words. Written under an odd version, read at any time. */
struct slot {
	_Alignas(64) _Atomic uint32_t version; /* 0: nothing yet */
	_Atomic uint32_t
		garbage; /* code and methods were looked at after so many collections, */
	_Atomic uint64_t looked; /* at that time */
	_Atomic uintptr_t java, stack_base, sp, pc, fp;
	_Atomic uint64_t seed;
	_Atomic uint64_t key, note, hash;
	_Atomic uint16_t count, codes, methods;
	_Atomic uint16_t word[KEY_WORDS];
	struct {
		_Atomic uintptr_t at;
		_Atomic uint32_t number;
	} code[KEY_CODES], method[KEY_METHODS];
};

struct known_keys {
	struct set {
		struct slot slot[WAYS];
		_Atomic uint32_t replaced; /* how many slots have been, one after another */
	} set[SETS];
	uint32_t
		first_version; /* of a slot: one that was cleared must not have one of before */
};

/* Who loads what was stored under an odd version sees that version, or a later one. */
#define LOAD(member)         atomic_load_explicit(&(member), memory_order_acquire)
#define STORE(member, value) atomic_store_explicit(&(member), (value), memory_order_release)

/* Of garbage, that were told: counted in the JVM's threads, read by all that look for a key, cleared while no event comes. */
static READ_MOSTLY _Atomic uint32_t collections;

static READ_MOSTLY bool code_is_swept; /* see known_keys_create */

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
	code_is_swept = sweeper;
	return known;
}

void known_keys_destroy(struct known_keys *known)
{
	if (known)
		munmap(known, sizeof(*known));
}

/* True: by us. False: it is another's, or written by somebody. */
static bool take_slot(struct slot *slot, uint32_t version)
{
	return version % 2 == 0 &&
	       atomic_compare_exchange_strong(&slot->version, &version, version + 1);
}

static void give_slot(struct slot *slot, uint32_t version)
{
	STORE(slot->version, version + 2);
}

static void forget_all(struct known_keys *known)
{
	for (unsigned i = 0; i < SETS * WAYS; i++) {
		struct slot *slot = &known->set[i / WAYS].slot[i % WAYS];
		uint32_t version = LOAD(slot->version);

		if (take_slot(slot, version)) {
			STORE(slot->key, 0);
			give_slot(slot, version);
		}
	}
}

void known_keys_clear(struct known_keys *known)
{
	enum { VERSIONS = 1 << 20 };

	/* What is behind the sets, in a page of theirs, is lost, too. */
	uint32_t next = known->first_version + VERSIONS;

	/* Locked memory is not given back. */
	if (madvise(known, sizeof(*known), MADV_DONTNEED) != 0)
		forget_all(known);
	known->first_version = next;
	atomic_store(&collections, 0);
}

/* Where Java was left: what called is in the words, which may be other ones each time. */
static struct set *set_of(const struct known_keys *known, const struct known_key *about)
{
	uint64_t hash = (about->sp ^ about->pc << 20) * UINT64_C(0x9e3779b97f4a7c15);

	return (struct set *)&known->set[(hash >> 40) % SETS];
}

/* The slots of a set in the order in which they are looked at: most threads find theirs in the first. */
static struct slot *slot_of(struct set *set, const struct known_key *about, uint32_t turn)
{
	uint64_t hash = (about->sp ^ about->pc << 16 ^ about->fp << 32 ^ about->java) *
			UINT64_C(0x9e3779b97f4a7c15);

	return &set->slot[((hash >> 33) + turn) % WAYS];
}

/* ---- looking ---- */

static bool is_about(const struct slot *slot, const struct known_key *about)
{
	return LOAD(slot->java) == about->java && LOAD(slot->stack_base) == about->stack_base &&
	       LOAD(slot->sp) == about->sp && LOAD(slot->pc) == about->pc &&
	       LOAD(slot->fp) == about->fp && LOAD(slot->seed) == about->seed;
}

static uintptr_t first_word(const struct known_key *about)
{
	return about->sp - WORDS_BELOW * sizeof(uintptr_t);
}

/* The words are the calling thread's own, above where it left Java; those of a slot that is being written may be
 * any. */
static bool same_words(const struct slot *slot, const struct known_key *about)
{
	uintptr_t from = first_word(about), words = (about->stack_base - from) / sizeof(from);
	unsigned count = LOAD(slot->count);
	uint64_t hash = 0;

	/* The slot is being cleared: a walk reads a word at least. */
	if (count == 0)
		return false;
	for (unsigned i = 0; i < count && i < KEY_WORDS; i++) {
		uintptr_t word = LOAD(slot->word[i]);

		if (word >= words)
			return false;
		hash += key_words_mix(i, ((const uintptr_t *)from)[word]);
	}
	return hash == LOAD(slot->hash);
}

static bool same_code(const struct slot *slot)
{
	unsigned codes = LOAD(slot->codes);

	for (unsigned i = 0; i < codes && i < KEY_CODES; i++) {
		uintptr_t at = LOAD(slot->code[i].at);

		/* 0: the slot was cleared just now. */
		if (at == 0 || *(const uint32_t *)at != LOAD(slot->code[i].number))
			return false;
	}
	return true;
}

static bool same_methods(const struct slot *slot, struct seen_methods *seen)
{
	unsigned methods = LOAD(slot->methods);

	for (unsigned i = 0; i < methods && i < KEY_METHODS; i++)
		if (seen_method(seen, LOAD(slot->method[i].at)) != LOAD(slot->method[i].number))
			return false;
	return true;
}

static void note_look(struct slot *slot, uint32_t version, uint32_t garbage, uint64_t now)
{
	if (!take_slot(slot, version))
		return;
	STORE(slot->garbage, garbage);
	STORE(slot->looked, now);
	give_slot(slot, version);
}

/* The number, if all is as it was. */
static uint64_t look(struct slot *slot, const struct known_key *about,
	struct seen_methods *seen, uint64_t *note)
{
	uint32_t version = LOAD(slot->version);
	uint32_t garbage = atomic_load_explicit(&collections, memory_order_acquire);
	uint64_t key = LOAD(slot->key), left;
	bool is_sure = garbage > 0 && LOAD(slot->garbage) == garbage &&
		       about->now - LOAD(slot->looked) < KEY_SURE_NS;

	if (key == 0 || version % 2 != 0 || (!is_sure && !seen) || !is_about(slot, about) ||
		!same_words(slot, about) || ((code_is_swept || !is_sure) && !same_code(slot)) ||
		(!is_sure && !same_methods(slot, seen)))
		return 0;
	left = LOAD(slot->note);
	if (LOAD(slot->version) != version)
		return 0;
	/* Not before: it may be another thread's, which was given the slot meanwhile. */
	*note = left;
	if (!is_sure)
		note_look(slot, version, garbage, about->now);
	return key;
}

void known_keys_expect(const struct known_keys *known, const struct known_key *about)
{
	enum { LINE = 64, LINES = 3 };
	const char *slot = known ? (const char *)slot_of(set_of(known, about), about, 0) : NULL;

	for (int i = 0; slot && i < LINES; i++)
		__builtin_prefetch(slot + (ptrdiff_t)i * LINE);
}

uint64_t known_keys_find(struct known_keys *known, const struct known_key *about,
	struct seen_methods *seen, uint64_t *note)
{
	struct set *set = known ? set_of(known, about) : NULL;
	uint64_t key = 0;

	*note = 0;
	for (uint32_t turn = 0; set && key == 0 && turn < WAYS; turn++) {
		struct slot *slot = slot_of(set, about, turn);

		if (LOAD(slot->version) == 0)
			break;
		key = look(slot, about, seen, note);
	}
	return key;
}

void known_keys_note(
	struct known_keys *known, const struct known_key *about, uint64_t key, uint64_t note)
{
	struct set *set = known ? set_of(known, about) : NULL;

	for (uint32_t turn = 0; set && turn < WAYS; turn++) {
		struct slot *slot = slot_of(set, about, turn);
		uint32_t version = LOAD(slot->version);

		if (!is_about(slot, about) || LOAD(slot->key) != key ||
			!take_slot(slot, version))
			continue;
		STORE(slot->note, note);
		give_slot(slot, version);
	}
}

/* ---- keeping ---- */

void key_words_begin(struct key_words *words, const struct known_key *about)
{
	words->from = first_word(about);
	words->hash = 0;
	words->garbage = atomic_load(&collections);
	words->count = words->codes = words->methods = 0;
}

/* The first that is about nothing yet, or else one after another. */
static struct slot *slot_for(struct set *set, const struct known_key *about)
{
	for (uint32_t turn = 0; turn < WAYS; turn++) {
		struct slot *slot = slot_of(set, about, turn);

		if (LOAD(slot->version) == 0)
			return slot;
	}
	return &set->slot[atomic_fetch_add_explicit(&set->replaced, 1, memory_order_relaxed) %
			  WAYS];
}

static void write_about(struct slot *slot, const struct known_key *about)
{
	STORE(slot->java, about->java);
	STORE(slot->stack_base, about->stack_base);
	STORE(slot->sp, about->sp);
	STORE(slot->pc, about->pc);
	STORE(slot->fp, about->fp);
	STORE(slot->seed, about->seed);
	STORE(slot->looked, about->now);
}

static void write_words(struct slot *slot, const struct key_words *words)
{
	STORE(slot->hash, words->hash);
	STORE(slot->garbage, words->garbage);
	STORE(slot->count, (uint16_t)words->count);
	STORE(slot->codes, (uint16_t)words->codes);
	STORE(slot->methods, (uint16_t)words->methods);
	for (unsigned i = 0; i < words->count; i++)
		STORE(slot->word[i], words->word[i]);
	for (unsigned i = 0; i < words->codes; i++) {
		STORE(slot->code[i].at, words->code[i].at);
		STORE(slot->code[i].number, words->code[i].number);
	}
	for (unsigned i = 0; i < words->methods; i++) {
		STORE(slot->method[i].at, words->method[i].at);
		STORE(slot->method[i].number, words->method[i].number);
	}
}

void known_keys_put(struct known_keys *known, const struct known_key *about,
	const struct key_words *words, uint64_t key)
{
	struct slot *slot;
	uint32_t version;

	if (!known || key == 0 || words->count > KEY_WORDS || words->codes > KEY_CODES ||
		words->methods > KEY_METHODS)
		return;
	slot = slot_for(set_of(known, about), about);
	version = LOAD(slot->version);
	if (!take_slot(slot, version))
		return;
	write_about(slot, about);
	write_words(slot, words);
	STORE(slot->key, key);
	STORE(slot->note, 0);
	give_slot(slot, version > 0 ? version : known->first_version);
}
