/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/* holder: see holder.h. */
#include "agent/io/holder.h"

#include <stdlib.h>
#include <sys/mman.h>

bool holder_init(struct holder *holder, uint32_t slots, uint32_t max_files)
{
	/* Pages are there when they are touched: most programs use the first. */
	void *array = mmap(NULL, slots * sizeof(holder_slot), PROT_READ | PROT_WRITE,
		MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

	if (array == MAP_FAILED)
		return false;
	*holder = (struct holder){.slot = array, .slots = slots};
	io_files_init(&holder->files, max_files);
	return true;
}

void holder_fini(struct holder *holder)
{
	munmap(holder->slot, holder->slots * sizeof(holder_slot));
	for (int i = 0; i < HOLDER_BUCKETS; i++) {
		struct holder_block *block = holder->overflow[i], *next;

		for (; block; block = next) {
			next = block->next;
			free(block);
		}
	}
	io_files_fini(&holder->files);
}

static struct holder_block *block_find(struct holder_block *block, uint32_t number)
{
	while (block && block->number != number)
		block = block->next;
	return block;
}

/* Puts a block in front. Two may try at the same time: the second looks again. */
static struct holder_block *block_make(
	_Atomic(struct holder_block *) *bucket, uint32_t number)
{
	struct holder_block *first = atomic_load_explicit(bucket, memory_order_acquire);
	struct holder_block *fresh = calloc(1, sizeof(*fresh)), *found = NULL;

	if (!fresh)
		return NULL;
	fresh->number = number;
	do {
		found = block_find(first, number);
		fresh->next = first;
	} while (!found && !atomic_compare_exchange_weak(bucket, &first, fresh));
	if (found)
		free(fresh);
	return found ? found : fresh;
}

holder_slot *holder_overflow(struct holder *holder, uint32_t descriptor, bool make)
{
	uint32_t number = descriptor / HOLDER_BLOCK;
	_Atomic(struct holder_block *) *bucket = &holder->overflow[number % HOLDER_BUCKETS];
	struct holder_block *block =
		block_find(atomic_load_explicit(bucket, memory_order_acquire), number);

	if (!block && make)
		block = block_make(bucket, number);
	return block ? &block->slot[descriptor % HOLDER_BLOCK] : NULL;
}

static holder_slot *slot_of(struct holder *holder, int descriptor)
{
	if (descriptor < 0)
		return NULL;
	if ((uint32_t)descriptor < holder->slots)
		return &holder->slot[descriptor];
	return holder_overflow(holder, (uint32_t)descriptor, true);
}

static holder_word make_word(struct holder *holder, uint32_t id)
{
	uint32_t turn = atomic_fetch_add_explicit(&holder->turn, 1, memory_order_relaxed);

	return (holder_word)turn << 32 | id;
}

holder_word holder_open(struct holder *holder, const struct io_opening *opening)
{
	holder_slot *slot = slot_of(holder, opening->descriptor);
	uint32_t id = slot ? io_files_open(&holder->files, opening) : 0;
	holder_word word = id ? make_word(holder, id) : 0, before;

	if (!slot)
		return 0;
	/* Without memory the descriptor is not what it was, either. */
	before = atomic_exchange(slot, word);
	io_files_release(&holder->files, holder_file(before), false);
	return word;
}

holder_word holder_become(
	struct holder *holder, holder_word seen, const struct io_opening *opening)
{
	holder_slot *slot = slot_of(holder, opening->descriptor);
	uint32_t id = slot ? io_files_open(&holder->files, opening) : 0;
	holder_word word;

	if (!id)
		return seen;
	word = make_word(holder, id);
	if (atomic_compare_exchange_strong(slot, &seen, word)) {
		io_files_release(&holder->files, holder_file(seen), false);
		return word;
	}
	io_files_release(&holder->files, id, false);
	return seen;
}

bool holder_close(struct holder *holder, int descriptor, holder_word seen)
{
	holder_slot *slot = seen ? slot_of(holder, descriptor) : NULL;

	if (!slot || !atomic_compare_exchange_strong(slot, &seen, 0))
		return false;
	io_files_release(&holder->files, holder_file(seen), true);
	return true;
}
