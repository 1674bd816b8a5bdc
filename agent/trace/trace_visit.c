/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/*
 * trace_visit: all rows are shown, one after the other, each by a look at it (trace_look.h).
 */
#include "agent/trace/trace_group.h"

enum {
	BATCH = 32 /* rows taken from the list in one go: threads that end hold its lock
		      much */
};

struct batch {
	struct thread_context *context[BATCH]; /* pinned */
	struct thread_identity identity[BATCH];
	bool group[BATCH]; /* and stays one as long as it is pinned */
	unsigned count;
};

struct visit {
	const struct trace_visitor *visitor;
	struct look look;
	int result; /* what the visitor said last */
	uint64_t calls, folded_calls; /* so far */
};

static bool show_nodes(void *user, struct look *look, uint32_t first, uint32_t count)
{
	struct visit *visit = user;
	const struct trace_visitor *visitor = visit->visitor;

	visit->result = visitor->nodes(visitor->user, &look->thread, first, count,
		look->trace->block.base, look->context->tree.stride);
	return visit->result == 0;
}

static bool show_accounts(void *user, struct look *look, uint32_t first, uint32_t count)
{
	struct visit *visit = user;
	const struct trace_visitor *visitor = visit->visitor;

	visit->result = visitor->accounts(
		visitor->user, &look->thread, first, count, look->trace->block.base);
	return visit->result == 0;
}

/* False: nodes or accounts were renumbered meanwhile. */
static bool show_all(struct visit *visit)
{
	if (!look_nodes(&visit->look, show_nodes, visit))
		return false;
	if (visit->visitor->accounts == NULL || visit->result != 0)
		return true;
	return look_accounts(&visit->look, show_accounts, visit);
}

static int show_thread(struct visit *visit, struct thread_context *context,
	const struct thread_identity *identity, bool group)
{
	const struct trace_visitor *visitor = visit->visitor;
	struct look *look = &visit->look;
	bool shown = false;

	visit->result = 0;
	if (group)
		group_compose(look, context);
	for (int i = 1; i <= LOOK_TRIES && !shown && visit->result == 0; i++) {
		look_begin(look, context, identity, i == LOOK_TRIES);
		visit->result = visitor->begin(visitor->user, &look->thread);
		if (visit->result == 0)
			shown = show_all(visit);
	}
	look_end(look);
	visit->calls += look->thread.calls;
	visit->folded_calls += look->thread.folded_calls;
	return visit->result != 0 ? visit->result
				  : visitor->end(visitor->user, &look->thread);
}

/* ---- rows, in batches ---- */

/* A lane is a part of its group's row; a group whose threads found no memory has nothing to show. */
static bool is_row(const struct thread_context *context)
{
	return context->life != CONTEXT_LANE && context->life != CONTEXT_UNLISTED &&
	       (context->life != CONTEXT_GROUP || context->lane.next != NULL);
}

/* Under LOCK_THREADS: pins the next rows that were there when the visit began. */
static void pin_batch(struct batch *batch, struct thread_context *next, uint32_t last_id)
{
	batch->count = 0;
	for (; next != NULL && next->id <= last_id && batch->count < BATCH;
		next = next->next) {
		if (!is_row(next))
			continue;
		next->pins++;
		next->visited = true;
		batch->identity[batch->count] = next->identity;
		batch->group[batch->count] = next->life == CONTEXT_GROUP;
		batch->context[batch->count++] = next;
	}
}

/* Lets the batch go and takes the next one. False: there is none. */
static bool next_batch(struct trace *trace, struct batch *batch, uint32_t last_id)
{
	struct thread_context *next;

	lock_take(&trace->lock);
	next = batch->count > 0 ? batch->context[batch->count - 1]->next : trace->first;
	for (unsigned i = 0; i < batch->count; i++)
		batch->context[i]->pins--;
	pin_batch(batch, next, last_id);
	lock_give(&trace->lock);
	return batch->count > 0;
}

static int show_batch(struct visit *visit, const struct batch *batch)
{
	int result = 0;

	for (unsigned i = 0; i < batch->count && result == 0; i++)
		result = show_thread(
			visit, batch->context[i], &batch->identity[i], batch->group[i]);
	return result;
}

static uint32_t begin_visit(struct trace *trace)
{
	uint32_t last_id;

	lock_take(&trace->lock);
	trace->visiting = true;
	last_id = trace->next_id;
	lock_give(&trace->lock);
	return last_id;
}

/* Under LOCK_THREADS: those that ended while they were looked at. */
static void finish_groups(struct trace *trace)
{
	for (struct thread_context *i = trace->first; i != NULL; i = i->next)
		if (i->life == CONTEXT_GROUP && i->lane.finish && i->pins == 0)
			finish_group(trace, i);
}

static void end_visit(struct visit *visit, const struct batch *batch)
{
	struct trace *trace = visit->look.trace;

	lock_take(&trace->lock);
	if (visit->result == 0) {
		trace->calls = visit->calls;
		trace->folded_calls = visit->folded_calls;
	}
	for (unsigned i = 0; i < batch->count; i++)
		batch->context[i]->pins--;
	trace->visiting = false;
	fold_twins(trace);
	if (trace->apart && !trace->stopped)
		finish_groups(trace);
	lock_give(&trace->lock);
	fold_excess(trace);
}

int trace_visit(struct trace *trace, const struct trace_visitor *visitor)
{
	struct visit visit = {.visitor = visitor, .look.trace = trace};
	struct batch batch = {.count = 0};
	uint32_t last_id = begin_visit(trace);

	while (visit.result == 0 && next_batch(trace, &batch, last_id))
		visit.result = show_batch(&visit, &batch);
	end_visit(&visit, &batch);
	return visit.result;
}
