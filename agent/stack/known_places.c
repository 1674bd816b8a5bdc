/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/* known_places: see known_places.h. */
#include "agent/stack/known_places.h"

#include <stdatomic.h>
#include <string.h>
#include <sys/mman.h>

#include "agent/stack/walk.h"

enum {
	SLOTS = 1 << 16,
	WORDS = 1 << 19, /* of the ring */
	HEAD = 3, /* words: the address; number, count and whether it is a return address; a checksum */
	FRAME = sizeof(struct stack_frame) / sizeof(uint64_t),
	FRAMES_MAX = 64
};

_Static_assert(sizeof(struct stack_frame) == FRAME * sizeof(uint64_t), "frames are words");

struct known_places {
	_Atomic uint32_t end;         /* words that were ever put into the ring */
	_Atomic uint32_t slot[SLOTS]; /* where the head is */
	_Atomic uint64_t word[WORDS];
};

struct known_places *known_places_create(void)
{
	void *memory = mmap(NULL, sizeof(struct known_places), PROT_READ | PROT_WRITE,
		MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

	return memory == MAP_FAILED ? NULL : memory;
}

void known_places_destroy(struct known_places *known)
{
	if (known)
		munmap(known, sizeof(*known));
}

/* The words, in any order of other threads' storing them: the checksum says whether they belong together. */

static uint64_t word_at(const struct known_places *known, uint32_t at)
{
	return atomic_load_explicit(&known->word[at % WORDS], memory_order_relaxed);
}

static void put_word(struct known_places *known, uint32_t at, uint64_t word)
{
	atomic_store_explicit(&known->word[at % WORDS], word, memory_order_relaxed);
}

static uint64_t second_word(struct known_place place, unsigned count)
{
	return (uint64_t)place.code << 32 | count << 1 | place.is_return;
}

static uint64_t mix(uint64_t sum, uint64_t word)
{
	sum = (sum ^ word) * UINT64_C(0x9e3779b97f4a7c15);
	return sum ^ sum >> 29;
}

static uint64_t checksum(
	struct known_place place, const struct stack_frame *frame, unsigned count)
{
	uint64_t sum = mix(mix(1, place.pc), second_word(place, count)), word[FRAME];

	for (unsigned i = 0; i < count; i++) {
		memcpy(word, &frame[i], sizeof(word));
		for (unsigned w = 0; w < FRAME; w++)
			sum = mix(sum, word[w]);
	}
	return sum;
}

static uint32_t slot_of(struct known_place place)
{
	return (uint32_t)(mix(place.pc, second_word(place, 0)) >> 40) % SLOTS;
}

unsigned known_places_find(const struct known_places *known, struct known_place place,
	struct stack_frame *frame, unsigned room)
{
	uint64_t second, word[FRAME];
	unsigned count;
	uint32_t at;

	if (!known)
		return 0;
	at = atomic_load_explicit(&known->slot[slot_of(place)], memory_order_relaxed);
	second = word_at(known, at + 1);
	count = (uint32_t)second >> 1;
	if (word_at(known, at) != place.pc || second != second_word(place, count) ||
		count == 0 || count > room || count > FRAMES_MAX)
		return 0;
	for (unsigned i = 0; i < count; i++) {
		for (unsigned w = 0; w < FRAME; w++)
			word[w] = word_at(known, at + HEAD + i * FRAME + w);
		memcpy(&frame[i], word, sizeof(word));
	}
	return word_at(known, at + 2) == checksum(place, frame, count) ? count : 0;
}

void known_places_add(struct known_places *known, struct known_place place,
	const struct stack_frame *frame, unsigned count)
{
	uint64_t word[FRAME];
	uint32_t at;

	if (!known || count == 0 || count > FRAMES_MAX)
		return;
	at = atomic_fetch_add_explicit(
		&known->end, HEAD + (uint32_t)count * FRAME, memory_order_relaxed);
	put_word(known, at, place.pc);
	put_word(known, at + 1, second_word(place, count));
	put_word(known, at + 2, checksum(place, frame, count));
	for (unsigned i = 0; i < count; i++) {
		memcpy(word, &frame[i], sizeof(word));
		for (unsigned w = 0; w < FRAME; w++)
			put_word(known, at + HEAD + i * FRAME + w, word[w]);
	}
	atomic_store_explicit(&known->slot[slot_of(place)], at, memory_order_relaxed);
}
