/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/* sample_entries: see sample_entries.h. */
#include "agent/sample/sample_entries.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "agent/sample/sampler.h"

enum { BLOCK = 1 << 12, BLOCKS = 1 << 12, LINE = 64 };

/* By a method's id: its conditions, a bit each. Blocks stay for good, as old probes may still run. */
static _Atomic(_Atomic uint8_t *) block[BLOCKS];

/* A condition on entries. Apart from the others, as threads write the counts all the time. */
static struct entry {
	_Alignas(LINE) _Atomic uint64_t count;
	uint64_t period;
	unsigned condition; /* its place in the sampler */
} entries[SAMPLE_CONDITIONS];

void sample_entries_begin(void)
{
	int condition = sampler_condition(SAMPLE_ENTER, 0);

	for (unsigned i = 0; i < BLOCKS; i++)
		for (unsigned k = 0; atomic_load(&block[i]) && k < BLOCK; k++)
			atomic_store(&atomic_load(&block[i])[k], 0);
	for (unsigned i = 0; i < SAMPLE_CONDITIONS && condition >= 0; i++) {
		atomic_store(&entries[i].count, 0);
		entries[i].period = sampler_period((unsigned)condition);
		entries[i].condition = (unsigned)condition;
		condition = sampler_condition(SAMPLE_ENTER, entries[i].condition + 1);
	}
}

/* NULL: no memory, or no such id. */
static _Atomic uint8_t *block_of(uint32_t method)
{
	_Atomic uint8_t *found, *fresh;

	if (method / BLOCK >= BLOCKS)
		return NULL;
	found = atomic_load(&block[method / BLOCK]);
	if (found)
		return found;
	fresh = calloc(BLOCK, sizeof(*fresh));
	if (!fresh || atomic_compare_exchange_strong(&block[method / BLOCK], &found, fresh))
		return fresh;
	free((void *)fresh);
	return found;
}

bool sample_entries_note(uint32_t method, uint32_t conditions)
{
	_Atomic uint8_t *of = block_of(method);

	if (of)
		atomic_fetch_or(&of[method % BLOCK], (uint8_t)conditions);
	return of != NULL;
}

static unsigned conditions_of(uint32_t method)
{
	const _Atomic uint8_t *of =
		method / BLOCK < BLOCKS
			? atomic_load_explicit(&block[method / BLOCK], memory_order_acquire)
			: NULL;

	return of ? atomic_load_explicit(&of[method % BLOCK], memory_order_relaxed) : 0;
}

/* One entry more. True if it is one at which a stack is taken. */
static bool is_due(struct entry *entry)
{
	return entry->period == 1 ||
	       (atomic_fetch_add_explicit(&entry->count, 1, memory_order_relaxed) + 1) %
			       entry->period ==
		       0;
}

void sample_entered(uint32_t method, bool by_probe)
{
	unsigned conditions = conditions_of(method);
	uint32_t weight[SAMPLE_CONDITIONS] = {0};
	bool any = false;

	if (conditions == 0 || !sampler_records())
		return;
	for (unsigned i = 0; i < SAMPLE_CONDITIONS; i++) {
		if (!(conditions >> i & 1) || !sampler_has(entries[i].condition) ||
			!is_due(&entries[i]))
			continue;
		weight[entries[i].condition] = 1;
		any = true;
	}
	if (any)
		sampler_take_entered(weight, method, by_probe);
}
