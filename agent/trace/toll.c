/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/* toll: see toll.h. */
#include "agent/trace/toll.h"

#include <stdatomic.h>
#include <stdbool.h>

#include "metric/clock.h"

/* Calls from one look to the next, on the average, at first and in the end. */
enum { SPREAD_FIRST = 16, SPREAD_MOST = 512 };

static _Atomic double call_ns, noted_share;
static _Atomic uint64_t calls, ns;
static _Atomic uint64_t of_method[TOLL_METHODS];

void toll_begin(double ns_of_call, double share)
{
	atomic_store(&call_ns, ns_of_call);
	atomic_store(&noted_share, share);
}

struct toll_turn toll_first(void)
{
	return (struct toll_turn){.left = atomic_load(&noted_share) > 0 ? 1 : UINT32_MAX};
}

struct toll_sum toll_take(void)
{
	return (struct toll_sum){atomic_exchange(&calls, 0), atomic_exchange(&ns, 0)};
}

uint64_t toll_take_of(uint32_t method)
{
	if (method >= TOLL_METHODS ||
		atomic_load_explicit(&of_method[method], memory_order_relaxed) == 0)
		return 0;
	return atomic_exchange(&of_method[method], 0);
}

static bool is_noted(uint32_t period, uint64_t took)
{
	double share = atomic_load_explicit(&noted_share, memory_order_relaxed);
	double cost = period * atomic_load_explicit(&call_ns, memory_order_relaxed);

	return share > 0 && cost > share * (double)took;
}

/* Programs call in turns, so the next look is after as many calls as chance has it (xorshift32, Marsaglia 2003). */
static void choose_next(struct toll_turn *turn)
{
	uint32_t random = turn->random;

	random ^= random << 13;
	random ^= random >> 17;
	random ^= random << 5;
	turn->random = random;
	turn->spread += turn->spread < SPREAD_MOST;
	turn->left = turn->period = turn->spread / 2 + random % turn->spread;
}

void toll_note(struct toll_turn *turn, uint32_t method)
{
	uint64_t now = clock_now(), took = now - turn->at;

	if (turn->at == 0) {
		turn->random = (uint32_t)((uintptr_t)turn >> 6) | 1;
		turn->spread = SPREAD_FIRST;
	} else if (method < TOLL_METHODS && is_noted(turn->period, took)) {
		atomic_fetch_add_explicit(&calls, turn->period, memory_order_relaxed);
		atomic_fetch_add_explicit(&ns, took, memory_order_relaxed);
		atomic_fetch_add_explicit(
			&of_method[method], turn->period, memory_order_relaxed);
	}
	turn->at = now;
	choose_next(turn);
}
