/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/* holder: see holder.h. */
#include "agent/io/holder.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

bool holder_init(struct holder *holder, uint32_t slots, uint32_t max_files)
{
	/* Pages are there when they are touched: most programs use the first. */
	void *array = mmap(NULL, slots * sizeof(struct holder_slot), PROT_READ | PROT_WRITE,
		MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

	if (array == MAP_FAILED)
		return false;
	/* No word is a small number, as a session's is: see holder_ref_sum. */
	*holder = (struct holder){.slot = array, .slots = slots, .turn = 1};
	io_files_init(&holder->files, max_files);
	return true;
}

static void forget(struct holder *holder, struct holder_slot *slot, uint32_t count)
{
	for (uint32_t i = 0; i < count; i++)
		if (atomic_load_explicit(&slot[i].word, memory_order_relaxed))
			holder_release(holder, atomic_exchange(&slot[i].word, 0));
}

void holder_forget(struct holder *holder)
{
	forget(holder, holder->slot, holder->slots);
	for (int i = 0; i < HOLDER_BUCKETS; i++)
		for (struct holder_block *block = holder->overflow[i]; block;
			block = block->next)
			forget(holder, block->slot, HOLDER_BLOCK);
}

static struct holder_block *block_find(struct holder_block *block, uint32_t number)
{
	while (block && block->number != number)
		block = block->next;
	return block;
}

/* Puts a block in front. Two may try at the same time: the second looks again. */
static struct holder_block *block_make(_Atomic(struct holder_block *) *bucket, uint32_t number)
{
	struct holder_block *first = atomic_load_explicit(bucket, memory_order_acquire);
	struct holder_block *fresh = aligned_alloc(
				    _Alignof(struct holder_block), sizeof(*fresh)),
			    *found = NULL;

	if (!fresh)
		return NULL;
	memset((void *)fresh, 0, sizeof(*fresh));
	fresh->number = number;
	do {
		found = block_find(first, number);
		fresh->next = first;
	} while (!found && !atomic_compare_exchange_weak(bucket, &first, fresh));
	if (found)
		free(fresh);
	return found ? found : fresh;
}

struct holder_slot *holder_overflow(struct holder *holder, int descriptor, bool make)
{
	uint32_t number = (uint32_t)descriptor / HOLDER_BLOCK;
	_Atomic(struct holder_block *) *bucket = &holder->overflow[number % HOLDER_BUCKETS];
	struct holder_block *block;

	if (descriptor < 0)
		return NULL;
	block = block_find(atomic_load_explicit(bucket, memory_order_acquire), number);
	if (!block && make)
		block = block_make(bucket, number);
	return block ? &block->slot[(uint32_t)descriptor % HOLDER_BLOCK] : NULL;
}

/* As long as the word is there the row is that file. */
static holder_word look_at_row(
	struct holder *holder, struct holder_slot *slot, struct io_ref *ref)
{
	holder_word word = atomic_load_explicit(&slot->word, memory_order_acquire), before;

	do {
		before = word;
		*ref = holder_file(word) ? io_files_ref(&holder->files, holder_file(word))
					 : (struct io_ref){0};
		word = atomic_load_explicit(&slot->word, memory_order_acquire);
	} while (word != before);
	return word;
}

holder_word holder_look_rare(
	struct holder *holder, struct holder_slot *slot, struct io_ref *ref)
{
	uint32_t session = atomic_load(&holder->files.session);
	holder_word word = look_at_row(holder, slot, ref);
	uint64_t traits = io_ref_traits(*ref);

	if (ref->id == 0)
		return word;
	io_files_take(&holder->files, ref->id);
	atomic_store_explicit(&slot->id, ref->id, memory_order_relaxed);
	atomic_store_explicit(&slot->traits, traits, memory_order_relaxed);
	atomic_store_explicit(&slot->sum, holder_ref_sum(word, ref->id, traits, session),
		memory_order_relaxed);
	return word;
}

uint64_t holder_noted_at(struct holder *holder, int descriptor, holder_word seen)
{
	struct holder_slot *slot = holder_slot(holder, descriptor, false);
	uint64_t at = slot ? atomic_load_explicit(&slot->at, memory_order_acquire) : 0;

	return slot && atomic_load_explicit(&slot->word, memory_order_relaxed) == seen ? at : 0;
}

holder_word holder_open(
	struct holder *holder, const struct io_opening *opening, struct io_ref *ref)
{
	struct holder_slot *slot = holder_slot(holder, opening->descriptor, true);
	holder_word word = 0;

	*ref = slot ? io_files_open(&holder->files, opening, true) : (struct io_ref){0};
	if (ref->id)
		word = holder_turn(holder) | io_file_place(ref->id);
	/* Without memory the descriptor is not what it was, either. */
	if (slot)
		holder_release(holder, atomic_exchange(&slot->word, word));
	return word;
}

holder_word holder_become(struct holder *holder, holder_word seen,
	const struct io_opening *opening, struct io_ref *ref)
{
	struct holder_slot *slot = holder_slot(holder, opening->descriptor, true);
	struct io_ref fresh = {0};
	holder_word word, before = seen;

	if (slot)
		fresh = io_files_open(&holder->files, opening, true);
	if (!fresh.id)
		return seen;
	word = holder_turn(holder) | io_file_place(fresh.id);
	if (atomic_compare_exchange_strong(&slot->word, &seen, word)) {
		*ref = fresh;
		holder_release(holder, before);
		return word;
	}
	holder_release(holder, word);
	return holder_look(holder, opening->descriptor, ref);
}
