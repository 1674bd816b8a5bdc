/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/* sampling: see sampling.h. */
#include "agent/sample/sampling.h"

#include <stdatomic.h>

#include "arch/read_mostly.h"

struct sampling sampling;
READ_MOSTLY struct walker sampling_walker;
READ_MOSTLY _Atomic bool sampling_active;
_Atomic uint32_t sampling_inside;
int sampling_signal;

int sampler_condition(enum sample_event_kind kind, unsigned from)
{
	for (unsigned i = from; atomic_load(&sampling_active) && i < sampling.conditions; i++)
		if (sampling.condition[i].choice.kind == kind && !sampling.condition[i].off)
			return (int)i;
	return -1;
}

bool sampler_has(unsigned condition)
{
	return !atomic_load_explicit(&sampling.condition[condition].off, memory_order_relaxed);
}

uint64_t sampler_period(unsigned condition)
{
	return sampling.condition[condition].choice.period;
}

void sampling_lose_one(struct condition *condition, enum sample_loss loss, uint32_t periods)
{
	atomic_fetch_add_explicit(&condition->loss[loss], periods, memory_order_relaxed);
}

void sampler_expect_events(bool expected)
{
	atomic_store(&sampling.expects_events, expected);
}

void sampler_hurry(void)
{
	atomic_store_explicit(&sampling.hurried, true, memory_order_relaxed);
}

void sampling_lose_event(enum account_kind kind, uint64_t count)
{
	atomic_fetch_add_explicit(&sampling.events_lost[kind], count, memory_order_relaxed);
}

/* ---- where stacks of events went ---- */

enum { PLACES = 1 << 14 };

/* Two threads may use one slot at once: the key is stored changed by the place, so that halves of two fit no key. */
static struct {
	_Atomic uint64_t changed_key, place;
} places[PLACES];

uint32_t sampling_place_find(uint64_t key)
{
	uint64_t wide = atomic_load_explicit(&places[key % PLACES].place, memory_order_relaxed);
	uint64_t changed =
		atomic_load_explicit(&places[key % PLACES].changed_key, memory_order_relaxed);

	return (changed ^ wide) == key && key ? (uint32_t)wide : 0;
}

void sampling_place_put(uint64_t key, uint32_t place)
{
	uint64_t wide = place | (uint64_t)~place << 32;

	atomic_store_explicit(&places[key % PLACES].place, wide, memory_order_relaxed);
	atomic_store_explicit(
		&places[key % PLACES].changed_key, key ^ wide, memory_order_relaxed);
}

void sampling_places_forget(void)
{
	for (int i = 0; i < PLACES; i++) {
		atomic_store(&places[i].changed_key, 0);
		atomic_store(&places[i].place, 0);
	}
}

void sampling_lose(const uint32_t *weight, enum sample_loss loss)
{
	for (unsigned i = 0; i < sampling.conditions; i++)
		if (weight[i])
			sampling_lose_one(&sampling.condition[i], loss, weight[i]);
}
