/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/* virtual_thread: blocks of them, spare ones, and their frames. */
#include "agent/trace/virtual_thread.h"

#include <stdlib.h>
#include <string.h>

#include "agent/trace/trace_rows.h"

/* A carrier has at most twice as many spare ones as it exchanges at once. */
enum { EXCHANGED = 64 };

/* ---- blocks ---- */

static struct arena *block_at(const struct virtual_pool *pool, uint32_t block)
{
	return (struct arena *)pool->table.base + block;
}

struct virtual_thread *virtual_of(const struct trace *trace, uint32_t number)
{
	const struct virtual_pool *pool = &trace->virtuals;
	char *base = block_at(pool, number / VIRTUAL_BLOCK)->base;

	return (void *)(base + (size_t)(number % VIRTUAL_BLOCK) * pool->size);
}

/* ---- what they used of metrics that came later ---- */

static struct arena *later_at(const struct virtual_pool *pool, uint32_t block)
{
	return (struct arena *)pool->later.base + block;
}

static uint32_t later_metrics(const struct virtual_pool *pool)
{
	return METRIC_MAX - pool->metrics;
}

/* Of a thread, the first of them. */
static uint64_t *later_use(const struct virtual_pool *pool, uint32_t number)
{
	uint64_t *block = later_at(pool, number / VIRTUAL_BLOCK)->base;

	return block + (size_t)(number % VIRTUAL_BLOCK) * later_metrics(pool);
}

/* Room for a block's. */
static bool add_later(struct trace *trace, uint32_t block)
{
	struct virtual_pool *pool = &trace->virtuals;

	return arena_resize(later_at(pool, block), &trace->budget,
		       (size_t)VIRTUAL_BLOCK * later_metrics(pool) * sizeof(uint64_t),
		       MEMORY_FORCED) == 0;
}

bool virtual_pool_widen(struct trace *trace)
{
	struct virtual_pool *pool = &trace->virtuals;

	/* The first block will have as many metrics as there are then. */
	if (pool->blocks == 0 || pool->metrics == METRIC_MAX)
		return true;
	if (pool->later.bytes == 0 &&
		arena_resize(&pool->later, &trace->budget,
			VIRTUAL_BLOCKS * sizeof(struct arena), MEMORY_FORCED) != 0)
		return false;
	for (uint32_t i = 0; i < pool->blocks; i++)
		if (!add_later(trace, i))
			return false;
	return true;
}

uint64_t *virtual_use(const struct trace *trace, struct virtual_thread *thread, unsigned metric)
{
	const struct virtual_pool *pool = &trace->virtuals;

	return metric < pool->metrics
		       ? &thread->used[metric]
		       : later_use(pool, thread->number) + (metric - pool->metrics);
}

/* ---- blocks: more of them ---- */

/* Under LOCK_THREADS: a block more, all spare. They need it to begin, and it is little for each. */
static void add_block(struct trace *trace, enum memory_claim claim)
{
	struct virtual_pool *pool = &trace->virtuals;
	struct arena *block;
	uint32_t first = pool->blocks * VIRTUAL_BLOCK;

	if (pool->blocks == 0)
		pool->metrics = trace_metrics(trace)->count;
	pool->size =
		(uint32_t)(sizeof(struct virtual_thread) + pool->metrics * sizeof(uint64_t));
	if (pool->blocks == VIRTUAL_BLOCKS ||
		(pool->table.bytes == 0 &&
			arena_resize(&pool->table, &trace->budget,
				VIRTUAL_BLOCKS * sizeof(*block), claim) != 0))
		return;
	block = block_at(pool, pool->blocks);
	if (arena_resize(block, &trace->budget, (size_t)VIRTUAL_BLOCK * pool->size, claim) != 0)
		return;
	if (pool->later.bytes > 0 && !add_later(trace, pool->blocks))
		return;
	pool->blocks++;
	for (uint32_t i = VIRTUAL_BLOCK; i-- > 0;) {
		struct virtual_thread *thread = virtual_of(trace, first + i);

		thread->number = first + i;
		thread->next = pool->spare;
		pool->spare = thread;
	}
}

/* ---- spare ones ---- */

static struct virtual_thread *pop(struct virtual_thread **list)
{
	struct virtual_thread *thread = *list;

	if (thread)
		*list = thread->next;
	return thread;
}

static void push(struct virtual_thread **list, struct virtual_thread *thread)
{
	thread->next = *list;
	*list = thread;
}

static void take_many(
	struct trace *trace, struct carrier_part *carrier, enum memory_claim claim)
{
	struct virtual_thread *thread;

	lock_take(&trace->lock);
	if (!trace->virtuals.spare)
		add_block(trace, claim);
	while (carrier->spares < EXCHANGED && (thread = pop(&trace->virtuals.spare))) {
		push(&carrier->spare, thread);
		carrier->spares++;
	}
	lock_give(&trace->lock);
}

struct virtual_thread *virtual_take(struct trace *trace, struct thread_context *carrier)
{
	struct virtual_thread *thread;
	uint32_t number;

	if (!carrier->as_carrier.spare)
		take_many(trace, &carrier->as_carrier, MEMORY_SMALL);
	while (!carrier->as_carrier.spare && trace_relieve(trace, 0))
		take_many(trace, &carrier->as_carrier, MEMORY_SMALL);
	if (!carrier->as_carrier.spare)
		take_many(trace, &carrier->as_carrier, MEMORY_FORCED);
	thread = pop(&carrier->as_carrier.spare);
	if (!thread)
		return NULL;
	carrier->as_carrier.spares--;
	number = thread->number;
	memset(thread, 0, trace->virtuals.size);
	/* Room for metrics that come just now is new, and so is 0. */
	if (trace_metrics(trace)->count > trace->virtuals.metrics)
		memset(later_use(&trace->virtuals, number), 0,
			later_metrics(&trace->virtuals) * sizeof(uint64_t));
	thread->number = number;
	thread->frame = thread->few;
	thread->room = VIRTUAL_FRAMES;
	return thread;
}

/* Under LOCK_THREADS, until so many are left. */
static void give_many(struct trace *trace, struct carrier_part *carrier, uint32_t left)
{
	while (carrier->spares > left) {
		push(&trace->virtuals.spare, pop(&carrier->spare));
		carrier->spares--;
	}
}

static void forget_frames(struct trace *trace, struct virtual_thread *thread)
{
	if (thread->room > VIRTUAL_FRAMES) {
		free(thread->frame);
		memory_give(&trace->budget, thread->room * sizeof(*thread->frame));
	}
	thread->frame = thread->few;
	thread->room = VIRTUAL_FRAMES;
	thread->frames = 0;
}

void virtual_give(
	struct trace *trace, struct thread_context *carrier, struct virtual_thread *thread)
{
	forget_frames(trace, thread);
	tag_calls_destroy(thread->tag_calls, &trace->budget);
	thread->tag_calls = NULL;
	watched_destroy(thread->watched, &trace->budget);
	thread->watched = NULL;
	push(&carrier->as_carrier.spare, thread);
	if (++carrier->as_carrier.spares < 2 * EXCHANGED)
		return;
	lock_take(&trace->lock);
	give_many(trace, &carrier->as_carrier, EXCHANGED);
	lock_give(&trace->lock);
}

void virtual_give_spares(struct trace *trace, struct thread_context *carrier)
{
	give_many(trace, &carrier->as_carrier, 0);
}

/* ---- frames ---- */

static bool make_room(struct trace *trace, struct virtual_thread *thread, size_t frames)
{
	size_t room = frames + frames / 2;
	struct shadow_frame *frame;

	if (room > UINT32_MAX ||
		!memory_take(&trace->budget, room * sizeof(*frame), MEMORY_FORCED))
		return false;
	frame = malloc(room * sizeof(*frame));
	if (!frame) {
		memory_give(&trace->budget, room * sizeof(*frame));
		return false;
	}
	forget_frames(trace, thread);
	thread->frame = frame;
	thread->room = (uint32_t)room;
	return true;
}

struct shadow_frame *virtual_room(
	struct trace *trace, struct virtual_thread *thread, size_t frames)
{
	thread->frames = 0;
	if (frames > thread->room && !make_room(trace, thread, frames))
		return NULL;
	thread->frames = (uint32_t)frames;
	return thread->frame;
}

/* ---- the end ---- */

void virtual_pool_fini(struct trace *trace)
{
	for (uint32_t i = 0; i < trace->virtuals.blocks * VIRTUAL_BLOCK; i++) {
		if (virtual_of(trace, i)->room > VIRTUAL_FRAMES)
			forget_frames(trace, virtual_of(trace, i));
		tag_calls_destroy(virtual_of(trace, i)->tag_calls, &trace->budget);
		watched_destroy(virtual_of(trace, i)->watched, &trace->budget);
	}
	for (uint32_t i = 0; i < trace->virtuals.blocks; i++)
		arena_fini(block_at(&trace->virtuals, i), &trace->budget);
	for (uint32_t i = 0; i < trace->virtuals.blocks && trace->virtuals.later.bytes > 0; i++)
		arena_fini(later_at(&trace->virtuals, i), &trace->budget);
	arena_fini(&trace->virtuals.later, &trace->budget);
	arena_fini(&trace->virtuals.table, &trace->budget);
}
