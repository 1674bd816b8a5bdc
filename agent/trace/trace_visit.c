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
	int result;                           /* what the visitor said last */
	uint64_t calls, folded_calls;         /* so far */
	uint64_t row_calls, row_folded_calls; /* of the row at work */
};

static int begin_row(struct visit *visit)
{
	const struct trace_visitor *visitor = visit->visitor;

	return visitor->begin ? visitor->begin(visitor->user, &visit->look.thread) : 0;
}

static bool show_forwards(void *user, struct look *look, uint32_t count)
{
	struct visit *visit = user;
	const struct trace_visitor *visitor = visit->visitor;

	visit->result = visitor->forwards(visitor->user, look->trace->block.base, count);
	return visit->result == 0;
}

static bool show_nodes(void *user, struct look *look, uint32_t count)
{
	struct visit *visit = user;
	const struct trace_visitor *visitor = visit->visitor;

	if (visitor->nodes)
		visit->result = visitor->nodes(visitor->user, &look->thread, count,
			look->trace->block.base, look->context->tree.stride);
	return visit->result == 0;
}

static bool show_gone(void *user, struct look *look, uint32_t count)
{
	struct visit *visit = user;
	const struct trace_visitor *visitor = visit->visitor;

	visit->result =
		visitor->gone(visitor->user, &look->thread, count, look->trace->block.base);
	return visit->result == 0;
}

static bool show_accounts(void *user, struct look *look, uint32_t count)
{
	struct visit *visit = user;
	const struct trace_visitor *visitor = visit->visitor;

	visit->result =
		visitor->accounts(visitor->user, &look->thread, count, look->trace->block.base);
	return visit->result == 0;
}

/* What ended is shown once, but for accounts, whose files may be folded at any time. */
static bool is_settled(struct visit *visit)
{
	struct look *look = &visit->look;
	struct thread_context *context = look->context;

	if (!look->changes || look->all || !context->row.settled ||
		context->row.settled_moves != look->moves)
		return false;
	look->thread.events = context->row.events;
	look->thread.calls = context->row.calls;
	look->thread.folded_calls = context->row.folded_calls;
	return true;
}

/* False: nodes or accounts were moved meanwhile. */
static bool show_all(struct visit *visit)
{
	struct look *look = &visit->look;
	bool changes = look->changes, accounts = visit->visitor->accounts;

	return (!changes || look_forwards(look, show_forwards, visit)) &&
	       (visit->result != 0 || is_settled(visit) ||
		       look_nodes(look, show_nodes, visit)) &&
	       (visit->result != 0 || !changes || look_gone(look, show_gone, visit)) &&
	       (visit->result != 0 || !accounts || look_accounts(look, show_accounts, visit));
}

/* One look at a thread, a row of folded ones or a part of a group. False: it came to nothing, all of its row
 * is to be shown again. */
static bool show_context(struct visit *visit, struct thread_context *context,
	const struct thread_identity *identity, bool hold)
{
	const struct trace_visitor *visitor = visit->visitor;
	struct look *look = &visit->look;
	bool shown = false;

	look_begin(look, context, identity, hold);
	if (look->thread.group == 0)
		visit->result = begin_row(visit);
	if (visit->result == 0)
		shown = show_all(visit);
	look_end(look);
	if (!shown || visit->result != 0)
		return shown;
	if (look->changes) {
		context->row.events = look->thread.events;
		context->row.calls = look->thread.calls;
		context->row.folded_calls = look->thread.folded_calls;
		context->row.settled_moves = look->moves;
		context->row.settled =
			!look->thread.alive && context->row.life == CONTEXT_ENDED;
	}
	visit->row_calls += look->thread.calls;
	visit->row_folded_calls += look->thread.folded_calls;
	visit->result = visitor->end(visitor->user, &look->thread);
	return true;
}

/* Lanes, each with its tree, and then the row itself. Not if it is no longer known in which node of a lane
 * threads are parked: their sums would not be right. */
static bool show_group(struct visit *visit, struct thread_context *group,
	const struct thread_identity *identity, bool hold)
{
	const struct trace_visitor *visitor = visit->visitor;
	struct look *look = &visit->look;
	struct thread_context *lanes = group_begin(look, group);

	look->parked_by_node = !hold && group_is_sure(lanes);
	group_row(look, group, lanes, identity);
	visit->result = begin_row(visit);
	for (struct thread_context *i = lanes; i && visit->result == 0; i = i->as_lane.next)
		if (!show_context(visit, i, identity, hold))
			return false;
	if (look->parked_by_node && !group_is_sure(lanes))
		return false;
	group_row(look, group, lanes, identity);
	if (visit->result == 0)
		visit->result = visitor->end(visitor->user, &look->thread);
	return true;
}

static int show_thread(struct visit *visit, struct thread_context *context,
	const struct thread_identity *identity, bool group)
{
	bool shown = false;

	for (int i = 1; i <= LOOK_TRIES && !shown && visit->result == 0; i++) {
		visit->row_calls = visit->row_folded_calls = 0;
		shown = (group ? show_group : show_context)(
			visit, context, identity, i == LOOK_TRIES);
	}
	visit->calls += visit->row_calls;
	visit->folded_calls += visit->row_folded_calls;
	return visit->result;
}

/* ---- rows, in batches ---- */

/* A lane is a part of its group's row; a group whose threads found no memory has nothing to show. */
static bool is_row(const struct thread_context *context)
{
	return context->row.life != CONTEXT_LANE && context->row.life != CONTEXT_UNLISTED &&
	       (context->row.life != CONTEXT_GROUP || context->as_group.lanes != NULL);
}

/* Under LOCK_THREADS: pins the next rows that were there when the visit began. */
static void pin_batch(struct batch *batch, struct thread_context *next, uint32_t last_id)
{
	batch->count = 0;
	for (; next != NULL && next->row.id <= last_id && batch->count < BATCH;
		next = next->row.next) {
		if (!is_row(next))
			continue;
		next->row.pins++;
		next->row.visited = true;
		batch->identity[batch->count] = next->row.identity;
		batch->group[batch->count] = next->row.life == CONTEXT_GROUP;
		batch->context[batch->count++] = next;
	}
}

/* Lets the batch go and takes the next one. False: there is none. */
static bool next_batch(struct trace *trace, struct batch *batch, uint32_t last_id)
{
	struct thread_context *next;

	lock_take(&trace->lock);
	next = batch->count > 0 ? batch->context[batch->count - 1]->row.next : trace->first;
	for (unsigned i = 0; i < batch->count; i++)
		batch->context[i]->row.pins--;
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
	for (struct thread_context *i = trace->first; i != NULL; i = i->row.next)
		if (i->row.life == CONTEXT_GROUP && i->as_group.finish && i->row.pins == 0)
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
		batch->context[i]->row.pins--;
	trace->visiting = false;
	fold_twins(trace);
	if (trace->apart && !trace->stopped)
		finish_groups(trace);
	lock_give(&trace->lock);
	fold_excess(trace);
}

int trace_visit(struct trace *trace, const struct trace_visitor *visitor)
{
	struct visit visit = {.visitor = visitor,
		.look = {.trace = trace, .changes = visitor->changes, .all = trace->show_all}};
	struct batch batch = {.count = 0};
	uint32_t last_id = begin_visit(trace);

	while (visit.result == 0 && next_batch(trace, &batch, last_id))
		visit.result = show_batch(&visit, &batch);
	end_visit(&visit, &batch);
	return visit.result;
}

void trace_confirm(struct trace *trace, bool kept)
{
	lock_take(&trace->lock);
	trace->show_all = !kept;
	for (struct thread_context *i = trace->first; i != NULL && kept; i = i->row.next) {
		lock_take(&i->tree.lock);
		tree_forget_forwards(&i->tree);
		accounts_forget_gone(&i->tree.accounts, &trace->budget);
		lock_give(&i->tree.lock);
	}
	lock_give(&trace->lock);
}
