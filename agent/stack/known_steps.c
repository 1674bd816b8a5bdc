/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/* known_steps: see known_steps.h. */
#include "agent/stack/known_steps.h"

#include <stdatomic.h>
#include <stdlib.h>

enum { SLOTS = 1 << 12 };

/* Two threads may write one slot at once: the address is stored changed by the rest, so that parts of different
 * steps fit no address. */
struct known_steps {
	struct slot {
		_Atomic uint64_t changed_pc, number_at, rest;
	} slot[SLOTS];
};

struct known_steps *known_steps_create(void)
{
	return calloc(1, sizeof(struct known_steps));
}

void known_steps_destroy(struct known_steps *known)
{
	free(known);
}

/* SLOTS are as many as 12 bits tell apart. */
static size_t slot_of(uintptr_t pc)
{
	return (pc * UINT64_C(0x9e3779b97f4a7c15)) >> 52;
}

static uint64_t change(uint64_t number_at, uint64_t rest)
{
	uint64_t sum = (number_at ^ rest * UINT64_C(0x9e3779b97f4a7c15)) *
		       UINT64_C(0xbf58476d1ce4e5b9);

	return sum ^ sum >> 31;
}

bool known_steps_find(const struct known_steps *known, uintptr_t pc, struct known_step *step)
{
	const struct slot *slot;
	uint64_t at, rest, changed;

	if (!known)
		return false;
	slot = &known->slot[slot_of(pc)];
	at = atomic_load_explicit(&slot->number_at, memory_order_relaxed);
	rest = atomic_load_explicit(&slot->rest, memory_order_relaxed);
	changed = atomic_load_explicit(&slot->changed_pc, memory_order_relaxed);
	if (at == 0 || (changed ^ change(at, rest)) != pc)
		return false;
	*step = (struct known_step){(uintptr_t)at, (uint32_t)(rest >> 32), (uint32_t)rest};
	return *(const volatile uint32_t *)step->number_at == step->number;
}

void known_steps_add(struct known_steps *known, uintptr_t pc, const struct known_step *step)
{
	uint64_t rest = (uint64_t)step->number << 32 | step->words;
	struct slot *slot;

	if (!known)
		return;
	slot = &known->slot[slot_of(pc)];
	atomic_store_explicit(&slot->number_at, step->number_at, memory_order_relaxed);
	atomic_store_explicit(&slot->rest, rest, memory_order_relaxed);
	atomic_store_explicit(
		&slot->changed_pc, pc ^ change(step->number_at, rest), memory_order_relaxed);
}
