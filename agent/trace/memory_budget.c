/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/* memory_budget: an atomic count of bytes, a limit, and a reserve for small claims. */
#include "agent/trace/memory_budget.h"

void memory_budget_init(struct memory_budget *budget, uint64_t limit)
{
	*budget = (struct memory_budget){.limit = limit, .reserve = limit / 8};
}

bool memory_take(struct memory_budget *budget, uint64_t bytes, enum memory_claim claim)
{
	uint64_t limit = budget->limit - (claim == MEMORY_ORDINARY ? budget->reserve : 0);
	uint64_t used = atomic_load_explicit(&budget->used, memory_order_relaxed);
	uint64_t peak = atomic_load_explicit(&budget->peak, memory_order_relaxed);

	do {
		if (claim != MEMORY_FORCED && (used > limit || bytes > limit - used))
			return false;
	} while (!atomic_compare_exchange_weak_explicit(&budget->used, &used, used + bytes,
		memory_order_relaxed, memory_order_relaxed));
	while (used + bytes > peak &&
		!atomic_compare_exchange_weak_explicit(&budget->peak, &peak, used + bytes,
			memory_order_relaxed, memory_order_relaxed))
		;
	return true;
}

void memory_give(struct memory_budget *budget, uint64_t bytes)
{
	atomic_fetch_sub_explicit(&budget->used, bytes, memory_order_relaxed);
}

bool memory_is_ample(struct memory_budget *budget)
{
	return atomic_load_explicit(&budget->used, memory_order_relaxed) <
	       budget->limit - budget->reserve;
}

bool memory_is_exceeded(struct memory_budget *budget)
{
	return atomic_load_explicit(&budget->used, memory_order_relaxed) >= budget->limit;
}

uint32_t memory_call_short(struct memory_budget *budget)
{
	return 1 + atomic_fetch_add_explicit(&budget->shortage, 1, memory_order_relaxed);
}

uint64_t memory_share(struct memory_budget *budget)
{
	uint32_t claimants = atomic_load_explicit(&budget->claimants, memory_order_relaxed);

	return (budget->limit - budget->reserve) / (claimants ? claimants : 1);
}

enum memory_claim memory_claim_of(struct memory_budget *budget, uint64_t bytes)
{
	return bytes <= memory_share(budget) / 8 ? MEMORY_SMALL : MEMORY_ORDINARY;
}
