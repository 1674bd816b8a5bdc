/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/* call_times: see call_times.h. */
#include "agent/trace/call_times.h"

#include <errno.h>
#include <stdlib.h>

static void *make(struct memory_budget *budget, size_t bytes, enum memory_claim claim)
{
	int saved_errno = errno;
	void *made;

	if (!memory_take(budget, bytes, claim))
		return NULL;
	made = calloc(1, bytes);
	if (!made)
		memory_give(budget, bytes);
	errno = saved_errno;
	return made;
}

static void unmake(struct memory_budget *budget, void *made, size_t bytes)
{
	if (made)
		memory_give(budget, bytes);
	free(made);
}

static struct method_times *find_or_make(struct call_times **times,
	struct memory_budget *budget, uint32_t method, enum memory_claim claim)
{
	struct method_times **head, *found;

	if (!*times) {
		struct call_times *fresh = make(budget, sizeof(*fresh), claim);

		if (!fresh)
			return NULL;
		__atomic_store_n(times, fresh, __ATOMIC_RELEASE);
	}
	head = &(*times)->head[method % CALL_TIMES_HEADS];
	for (found = *head; found && found->method != method; found = found->next)
		;
	if (found)
		return found;
	found = make(budget, sizeof(*found), claim);
	if (!found)
		return NULL;
	found->method = method;
	found->next = *head;
	__atomic_store_n(head, found, __ATOMIC_RELEASE);
	return found;
}

struct method_times *call_times_of(
	struct call_times **times, struct memory_budget *budget, uint32_t method)
{
	return find_or_make(times, budget, method, MEMORY_SMALL);
}

static void store(uint64_t *to, uint64_t value)
{
	__atomic_store_n(to, value, __ATOMIC_RELAXED);
}

static struct figure_times *figure_of(
	struct figure_times **figure, struct memory_budget *budget, enum memory_claim claim)
{
	struct figure_times *fresh;

	if (*figure)
		return *figure;
	fresh = make(budget, sizeof(*fresh), claim);
	if (!fresh)
		return NULL;
	fresh->least = UINT64_MAX;
	__atomic_store_n(figure, fresh, __ATOMIC_RELEASE);
	return fresh;
}

static uint64_t *block_of(struct figure_times *figure, struct memory_budget *budget,
	uint32_t block, enum memory_claim claim)
{
	if (!figure->block[block]) {
		uint64_t *fresh = make(budget, HISTOGRAM_BLOCK * sizeof(*fresh), claim);

		__atomic_store_n(&figure->block[block], fresh, __ATOMIC_RELEASE);
	}
	return figure->block[block];
}

bool call_times_add(struct method_times *method, struct memory_budget *budget, bool failed,
	enum call_figure which, uint64_t value)
{
	struct figure_times *figure =
		figure_of(&method->figure[failed][which], budget, MEMORY_SMALL);
	uint32_t bucket = histogram_bucket(value);
	uint64_t *block, *count;

	if (!figure)
		return false;
	block = block_of(figure, budget, bucket / HISTOGRAM_BLOCK, MEMORY_SMALL);
	count = block ? &block[bucket % HISTOGRAM_BLOCK] : &figure->unplaced;
	store(&figure->sum, figure->sum + value);
	if (value < figure->least)
		store(&figure->least, value);
	if (value > figure->most)
		store(&figure->most, value);
	store(count, *count + 1);
	return true;
}

uint64_t figure_times_count(const struct figure_times *figure)
{
	uint64_t count = figure ? __atomic_load_n(&figure->unplaced, __ATOMIC_RELAXED) : 0;

	for (uint32_t b = 0; figure && b < HISTOGRAM_BLOCKS; b++) {
		const uint64_t *block = __atomic_load_n(&figure->block[b], __ATOMIC_ACQUIRE);

		for (uint32_t i = 0; block && i < HISTOGRAM_BLOCK; i++)
			count += __atomic_load_n(&block[i], __ATOMIC_RELAXED);
	}
	return count;
}

/* What finds no memory is in no bucket, or (without a word of it) lost: forced claims are refused by the
 * system alone. */
static void merge_figure(struct figure_times **into, struct memory_budget *budget,
	const struct figure_times *from)
{
	struct figure_times *to = figure_of(into, budget, MEMORY_FORCED);

	if (!to)
		return;
	to->sum += from->sum;
	to->unplaced += from->unplaced;
	if (from->least < to->least)
		to->least = from->least;
	if (from->most > to->most)
		to->most = from->most;
	for (uint32_t b = 0; b < HISTOGRAM_BLOCKS; b++) {
		uint64_t *block =
			from->block[b] ? block_of(to, budget, b, MEMORY_FORCED) : NULL;

		for (uint32_t i = 0; from->block[b] && i < HISTOGRAM_BLOCK; i++)
			*(block ? &block[i] : &to->unplaced) += from->block[b][i];
	}
}

void call_times_merge(
	struct call_times **times, struct memory_budget *budget, const struct call_times *from)
{
	for (int h = 0; from && h < CALL_TIMES_HEADS; h++) {
		for (const struct method_times *i = from->head[h]; i; i = i->next) {
			struct method_times *to =
				find_or_make(times, budget, i->method, MEMORY_FORCED);

			for (int k = 0; to && k < 2 * CALL_FIGURES; k++)
				if (i->figure[k % 2][k / 2])
					merge_figure(&to->figure[k % 2][k / 2], budget,
						i->figure[k % 2][k / 2]);
		}
	}
}

static void destroy_figure(struct figure_times *figure, struct memory_budget *budget)
{
	for (uint32_t b = 0; figure && b < HISTOGRAM_BLOCKS; b++)
		unmake(budget, figure->block[b], HISTOGRAM_BLOCK * sizeof(uint64_t));
	unmake(budget, figure, sizeof(*figure));
}

void call_times_destroy(struct call_times *times, struct memory_budget *budget)
{
	for (int h = 0; times && h < CALL_TIMES_HEADS; h++) {
		struct method_times *next;

		for (struct method_times *i = times->head[h]; i; i = next) {
			next = i->next;
			for (int k = 0; k < 2 * CALL_FIGURES; k++)
				destroy_figure(i->figure[k % 2][k / 2], budget);
			unmake(budget, i, sizeof(*i));
		}
	}
	unmake(budget, times, sizeof(*times));
}
