/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/* tree_labels: see tree_labels.h. */
#include "agent/trace/tree_labels.h"

#include <errno.h>
#include <stdlib.h>

#include "agent/lock/lock.h"

_Atomic(struct node_label *) label_blocks[LABEL_BLOCKS];

static struct lock labels_lock = {PTHREAD_MUTEX_INITIALIZER, LOCK_LABELS};
static uint32_t next = 1; /* number; 0 is none */

/* Numbers by what they stand for, open addressing, at most half full; 0: empty. One that became too small is kept: somebody
 * may still look into it. */
struct table {
	struct table *smaller; /* the one before */
	uint32_t mask;
	_Atomic uint32_t slot[];
};

static _Atomic(struct table *) table;

static _Atomic uint64_t lost; /* see node_labels_lost */

enum { TABLE_SLOTS = 1024 };

static bool is_same(struct node_label a, struct node_label b)
{
	return a.method == b.method && a.kind == b.kind && a.content == b.content;
}

/* The slot of the label's number, or the empty one where it belongs. */
static _Atomic uint32_t *slot_of(struct table *in, struct node_label wanted)
{
	uint64_t key =
		(uint64_t)wanted.method << 32 | (uint64_t)wanted.kind << 30 | wanted.content;

	for (uint32_t at = (uint32_t)(key * 0x9e3779b97f4a7c15u >> 32);; at++) {
		_Atomic uint32_t *here = &in->slot[at & in->mask];
		uint32_t number = atomic_load_explicit(here, memory_order_acquire);

		if (number == 0 || is_same(node_label_of(number), wanted))
			return here;
	}
}

/* Room for one more. False: no memory. Under the lock. */
static bool make_room(void)
{
	struct table *old = atomic_load(&table), *fresh;
	uint32_t slots = old ? 2 * (old->mask + 1) : TABLE_SLOTS;

	if (old && old->mask > 2 * next)
		return true;
	fresh = calloc(1, sizeof(*fresh) + slots * sizeof(*fresh->slot));
	if (!fresh)
		return false;
	fresh->smaller = old;
	fresh->mask = slots - 1;
	for (uint32_t number = 1; number < next; number++)
		atomic_store_explicit(
			slot_of(fresh, node_label_of(number)), number, memory_order_relaxed);
	atomic_store_explicit(&table, fresh, memory_order_release);
	return true;
}

/* Under the lock. */
static uint32_t number_of(struct node_label wanted)
{
	_Atomic(struct node_label *) *block = &label_blocks[next / LABEL_BLOCK];
	_Atomic uint32_t *at;

	if (!make_room())
		return 0;
	at = slot_of(atomic_load(&table), wanted);
	if (*at)
		return LABEL | *at;
	/* Values do not take what tags need. */
	if (next == LABELS_MAX || (wanted.kind == LABEL_VALUE && next >= LABELS_MAX / 4 * 3))
		return 0;
	if (!atomic_load(block)) {
		struct node_label *fresh = calloc(LABEL_BLOCK, sizeof(*fresh));

		if (!fresh)
			return 0;
		atomic_store(block, fresh);
	}
	atomic_load(block)[next % LABEL_BLOCK] = wanted;
	atomic_store_explicit(at, next, memory_order_release);
	return LABEL | next++;
}

uint32_t node_label(uint32_t method, enum label_kind kind, uint32_t content)
{
	const struct node_label wanted = {method, (unsigned)kind & 3, content & 0x3fffffff};
	struct table *known = atomic_load_explicit(&table, memory_order_acquire);
	uint32_t number = known ? *slot_of(known, wanted) : 0;
	int saved_errno;

	if (number)
		return LABEL | number;
	saved_errno = errno;
	lock_take(&labels_lock);
	number = number_of(wanted);
	lock_give(&labels_lock);
	errno = saved_errno;
	if (!number)
		atomic_fetch_add_explicit(&lost, 1, memory_order_relaxed);
	return number;
}

uint64_t node_labels_lost(void)
{
	return atomic_load_explicit(&lost, memory_order_relaxed);
}
