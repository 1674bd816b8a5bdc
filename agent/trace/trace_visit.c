/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/*
 * trace_visit: all rows are shown, one after the other, each by a look at it (trace_look.h).
 */
#include "agent/trace/trace_look.h"

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
	struct look look;
	uint64_t calls, folded_calls;         /* so far */
	uint64_t row_calls, row_folded_calls; /* of the row at work */
};

static int begin_row(struct look *look)
{
	const struct trace_visitor *visitor = look->visitor;

	return visitor->begin ? visitor->begin(visitor->user, &look->thread) : 0;
}

/* What ended is shown once, but for accounts, whose files may be folded at any time. */
static bool is_settled(struct look *look)
{
	const struct trace_row *row = &look->context->row;

	if (!look->visitor->changes || look->all || !row->settled ||
		row->settled_moves != look->moves)
		return false;
	look->thread.events = row->events;
	look->thread.calls = row->calls;
	look->thread.folded_calls = row->folded_calls;
	return true;
}

/* One look at a thread, a row of folded ones or a part of a group. False: it came to nothing, all of its row
 * is to be shown again. */
static bool show_context(struct visit *visit, struct thread_context *context,
	const struct thread_identity *identity, bool hold)
{
	struct look *look = &visit->look;
	const struct trace_visitor *visitor = look->visitor;
	bool same;

	look_begin(look, context, identity, hold);
	if (look->thread.group == 0)
		look->result = begin_row(look);
	same = look_forwards(look) && (is_settled(look) || look_nodes(look)) &&
	       look_gone(look) && look_accounts(look) && look_counts(look) && look_times(look);
	look_end(look);
	if (!same || look->result != 0)
		return same;
	if (visitor->changes) {
		context->row.events = look->thread.events;
		context->row.calls = look->thread.calls;
		context->row.folded_calls = look->thread.folded_calls;
		context->row.settled_moves = look->moves;
		context->row.settled =
			!look->thread.alive && context->row.life == CONTEXT_ENDED;
	}
	visit->row_calls += look->thread.calls + look->thread.counted;
	visit->row_folded_calls += look->thread.folded_calls;
	look->result = visitor->end(visitor->user, &look->thread);
	return true;
}

/* Lanes, each with its tree, and then the row itself. Not if it is no longer known in which node of a lane
 * threads are parked: their sums would not be right. */
static bool show_group(struct visit *visit, struct thread_context *group,
	const struct thread_identity *identity, bool hold)
{
	struct look *look = &visit->look;
	const struct trace_visitor *visitor = look->visitor;
	struct thread_context *lanes = group_begin(look, group);

	look->parked_by_node = !hold && group_is_sure(lanes);
	group_row(look, group, lanes, identity);
	look->result = begin_row(look);
	for (struct thread_context *i = lanes; i && look->result == 0; i = i->as_lane.next)
		if (!show_context(visit, i, identity, hold))
			return false;
	if (look->parked_by_node && !group_is_sure(lanes))
		return false;
	group_row(look, group, lanes, identity);
	if (look->result == 0)
		look->result = visitor->end(visitor->user, &look->thread);
	return true;
}

static void show_row(struct visit *visit, struct thread_context *context,
	const struct thread_identity *identity, bool group)
{
	bool shown = false;

	for (int i = 1; i <= LOOK_TRIES && !shown && visit->look.result == 0; i++) {
		visit->row_calls = visit->row_folded_calls = 0;
		shown = (group ? show_group : show_context)(
			visit, context, identity, i == LOOK_TRIES);
	}
	visit->calls += visit->row_calls;
	visit->folded_calls += visit->row_folded_calls;
}

/* ---- rows, in batches ---- */

/* A lane is a part of its group's row; a group whose threads found no memory has nothing to show. */
static bool is_row(const struct thread_context *context)
{
	return context->row.life != CONTEXT_LANE && context->row.life != CONTEXT_UNLISTED &&
	       (context->row.life != CONTEXT_GROUP || context->as_group.lanes != NULL);
}

/* Lets the batch go and pins the next one, of rows that were there when the visit began. False: there is
 * none. */
static bool next_batch(struct trace *trace, struct batch *batch, uint32_t last_id)
{
	struct thread_context *next;

	lock_take(&trace->lock);
	next = batch->count > 0 ? batch->context[batch->count - 1]->row.next : trace->first;
	for (unsigned i = 0; i < batch->count; i++)
		batch->context[i]->row.pins--;
	for (batch->count = 0; next != NULL && next->row.id <= last_id && batch->count < BATCH;
		next = next->row.next) {
		if (!is_row(next))
			continue;
		next->row.pins++;
		next->row.visited = true;
		batch->identity[batch->count] = next->row.identity;
		batch->group[batch->count] = next->row.life == CONTEXT_GROUP;
		batch->context[batch->count++] = next;
	}
	lock_give(&trace->lock);
	return batch->count > 0;
}

static void end_visit(struct visit *visit, const struct batch *batch)
{
	struct trace *trace = visit->look.trace;

	lock_take(&trace->lock);
	if (visit->look.result == 0) {
		trace->calls = visit->calls;
		trace->folded_calls = visit->folded_calls;
	}
	for (unsigned i = 0; i < batch->count; i++)
		batch->context[i]->row.pins--;
	trace->visiting = false;
	fold_twins(trace);
	/* Groups whose only thread ended while they were looked at. */
	if (trace->apart && !trace->stopped)
		for (struct thread_context *i = trace->first; i != NULL; i = i->row.next)
			if (i->row.life == CONTEXT_GROUP && i->as_group.finish &&
				i->row.pins == 0)
				finish_group(trace, i);
	lock_give(&trace->lock);
	fold_excess(trace);
}

int trace_visit(struct trace *trace, const struct trace_visitor *visitor)
{
	struct visit visit = {.look = {.trace = trace,
				      .visitor = visitor,
				      .set = trace_metrics(trace),
				      .all = trace->show_all}};
	struct batch batch = {.count = 0};
	uint32_t last_id;

	lock_take(&trace->lock);
	trace->visiting = true;
	last_id = trace->next_id;
	lock_give(&trace->lock);
	while (visit.look.result == 0 && next_batch(trace, &batch, last_id))
		for (unsigned i = 0; i < batch.count && visit.look.result == 0; i++)
			show_row(&visit, batch.context[i], &batch.identity[i], batch.group[i]);
	end_visit(&visit, &batch);
	return visit.look.result;
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
