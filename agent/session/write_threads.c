/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/*
 * write_threads: see write_threads.h.
 *
 * Of each thread it remembers which nodes the file has and, 8 bytes a node, the sum of
 * what each counted when it was written: equal sums, nothing to write. When a transaction
 * fails nothing that was remembered holds any more.
 */
#include "agent/session/write_threads.h"

#include <stdlib.h>
#include <string.h>

_Static_assert((int)METHOD_ROOT == PROFILE_METHOD_ROOT &&
		       (int)METHOD_FOLDED == PROFILE_METHOD_FOLDED &&
		       (int)METHOD_FIRST == PROFILE_METHOD_FIRST,
	"trees and files give methods the same ids");
_Static_assert(METRIC_MAX <= PROFILE_METRIC_MAX, "a file has room for every metric");

/* What the file has of a thread. */
struct written_thread {
	uint32_t id;
	uint32_t generation; /* of the nodes in the file */
	uint32_t io_generation; /* of the accounts */
	uint32_t nodes;      /* so many of them, without gaps */
	uint64_t visit;      /* the last one that showed it */
	bool stale;          /* a transaction failed: what the file has is not known */
	bool settled;        /* ended and written: does not change, and needs no sums */
	bool io_settled;     /* and so are its accounts; those may change by themselves */
	uint64_t *sum;       /* by index; NULL: not known, write every node */
	uint32_t sums;       /* room for so many */
	uint64_t *ops;       /* the same of accounts */
	uint32_t accounts;   /* room for so many */
};

/* ---- what the file has ---- */

static struct written_thread *find_thread(struct thread_writer *writer, uint32_t id)
{
	size_t low = 0, high = writer->threads;

	while (low < high) {
		size_t middle = (low + high) / 2;
		if (writer->thread[middle].id < id)
			low = middle + 1;
		else
			high = middle;
	}
	return &writer->thread[low];
}

/* The thread's place, made when it is shown for the first time. NULL without memory. */
static struct written_thread *get_thread(struct thread_writer *writer, uint32_t id)
{
	struct written_thread *end, *thread;

	if (writer->threads == writer->threads_room) {
		size_t room = writer->threads_room ? 2 * writer->threads_room : 64;
		thread = reallocarray(writer->thread, room, sizeof(*thread));
		if (!thread)
			return NULL;
		writer->thread = thread;
		writer->threads_room = room;
	}
	thread = find_thread(writer, id);
	end = writer->thread + writer->threads;
	if (thread < end && thread->id == id)
		return thread;
	/* Ids rise, so that this is nearly always the end. */
	memmove(thread + 1, thread, (size_t)(end - thread) * sizeof(*thread));
	*thread = (struct written_thread){.id = id};
	writer->threads++;
	return thread;
}

static void forget_ops(struct written_thread *thread)
{
	free(thread->ops);
	thread->ops = NULL;
	thread->accounts = 0;
}

static void forget_sums(struct written_thread *thread)
{
	free(thread->sum);
	thread->sum = NULL;
	thread->sums = 0;
	forget_ops(thread);
}

/* Without memory for the sums all nodes are written, every time. */
static void make_room(struct written_thread *thread, uint32_t nodes)
{
	uint64_t room = (uint64_t)nodes + nodes / 4 + 16;
	uint64_t *sum;

	if (thread->settled || nodes <= thread->sums)
		return;
	sum = room <= UINT32_MAX ? reallocarray(thread->sum, room, sizeof(*sum)) : NULL;
	if (!sum) {
		forget_sums(thread);
		return;
	}
	/* Nothing is known of nodes written while there were no sums. */
	if (!thread->sum)
		thread->nodes = 0;
	thread->sum = sum;
	thread->sums = (uint32_t)room;
}

/* ---- the visit ---- */

/* Accounts whose files were folded have other indices. */
static int begin_accounts(struct thread_writer *writer, struct written_thread *thread,
	const struct trace_thread *shown)
{
	if (!thread->settled)
		thread->io_settled = false;
	if (thread->io_generation == shown->accounts)
		return 0;
	thread->io_generation = shown->accounts;
	thread->io_settled = false;
	forget_ops(thread);
	return profile_drop_io(writer->profile, thread->id, writer->error);
}

static int begin_thread(void *user, const struct trace_thread *shown)
{
	struct thread_writer *writer = user;
	struct written_thread *thread = get_thread(writer, shown->id);

	if (!thread)
		return error_set(
			writer->error, ERROR_MEMORY, "no memory to write the profile");
	writer->current = thread;
	thread->visit = writer->visit;
	if (thread->stale || thread->generation != shown->generation) {
		if (profile_drop_nodes(writer->profile, thread->id, writer->error) < 0)
			return -ERROR_IO;
		thread->nodes = 0;
		thread->stale = thread->settled = false;
		forget_ops(thread);
		thread->generation = shown->generation;
	}
	/* One that others are folded into goes on changing. */
	if (shown->alive || shown->folded != 1)
		thread->settled = false;
	make_room(thread, shown->nodes);
	return begin_accounts(writer, thread, shown);
}

/* A running thread may have counted a call between the reads of its two counters: calls
 * by state that came out negative are none, and calls is the sum of them. */
static int put_node(struct thread_writer *writer, uint32_t index, const struct tree_node *node)
{
	struct tree_states states = tree_node_states(node);
	struct profile_node record = {
		.thread = writer->current->id,
		.index = index,
		.parent = node->parent,
		.method = node->method,
		.recursion = node->recursion,
		.interpreted = states.interpreted > node->calls ? 0 : states.interpreted,
		.jitted = states.jitted,
		.native = states.native > node->calls ? 0 : states.native,
		.base = node->base,
		.spent = node->base + writer->metrics,
	};

	record.calls = record.interpreted + record.jitted + record.native;
	memcpy(record.transition, node->transition, sizeof(record.transition));
	return profile_put_node(writer->profile, &record, writer->error);
}

static int show_nodes(void *user, const struct trace_thread *shown, uint32_t first,
	uint32_t count, const struct tree_node *block, size_t stride)
{
	struct thread_writer *writer = user;
	struct written_thread *thread = writer->current;

	if (thread->settled && first + count <= thread->nodes)
		return 0;
	for (uint32_t i = 0; i < count; i++) {
		const struct tree_node *node = trace_node(block, stride, i);
		uint32_t index = first + i;
		uint64_t sum = tree_node_sum(node, writer->metrics);
		bool known = thread->sum && index < thread->nodes;

		if (known && thread->sum[index] == sum)
			continue;
		if (put_node(writer, index, node) < 0)
			return -ERROR_IO;
		if (thread->sum && index < thread->sums)
			thread->sum[index] = sum;
	}
	if (first + count > thread->nodes)
		thread->nodes = first + count;
	(void)shown;
	return 0;
}

/* True if the account was written with that sum. Remembers it, if there is memory. */
static bool account_known(struct written_thread *thread, uint32_t index, uint64_t sum)
{
	uint32_t room = index + index / 4 + 64;
	uint64_t *fresh;

	if (index >= thread->accounts) {
		fresh = reallocarray(thread->ops, room, sizeof(*fresh));
		if (!fresh)
			return false;
		memset(fresh + thread->accounts, 0,
			(room - thread->accounts) * sizeof(*fresh));
		thread->ops = fresh;
		thread->accounts = room;
	}
	if (thread->ops[index] == sum)
		return true;
	thread->ops[index] = sum;
	return false;
}

/* What was kept for the operation alone stands at the end of the thread's range of ids. */
static int show_accounts(void *user, const struct trace_thread *shown, uint32_t first,
	uint32_t count, const struct io_account *block)
{
	struct thread_writer *writer = user;
	struct written_thread *thread = writer->current;

	if (thread->io_settled)
		return 0;
	for (uint32_t i = 0; i < count; i++) {
		bool rest = first == TRACE_REST;
		struct profile_io record = {
			.thread = thread->id,
			.index = rest ? UINT32_MAX - i : first + i,
			.node = block[i].node,
			.file = io_account_file(&block[i]),
			.op = rest ? i : block[i].op,
			.ops = block[i].ops,
			.failures = block[i].failures,
			.bytes = block[i].bytes,
			.ns = block[i].ns,
		};

		uint64_t sum = record.ops + record.failures + record.bytes + record.ns +
			       (record.file - block[i].file);

		/* Those of nodes made since are for the next flush. */
		if (rest ? record.ops == 0
			 : record.node >= shown->nodes ||
				   account_known(thread, first + i, sum))
			continue;
		if (profile_put_io(writer->profile, &record, writer->error) < 0)
			return -ERROR_IO;
	}
	return 0;
}

static int end_thread(void *user, const struct trace_thread *shown)
{
	struct thread_writer *writer = user;
	const struct thread_identity *identity = shown->identity;
	struct profile_thread record = {
		.id = shown->id,
		.java_id = shown->folded == 1 ? identity->java_id : 0,
		.os_id = shown->folded == 1 ? identity->os_id : 0,
		.name = identity->name,
		.is_virtual = identity->is_virtual,
		.alive = shown->alive,
		.folded = shown->folded,
		.events = shown->events,
		.unwound = shown->unwound,
		.repaired = shown->repaired,
		.unmatched = shown->unmatched,
		.lost = shown->lost,
		.pruned = shown->pruned,
		.mounts = shown->mounts,
		.carrier_ns = shown->carrier_ns,
		.waited_ns = shown->waited_ns,
		.started = shown->started > writer->began ? shown->started - writer->began
							  : 0,
	};

	/* 0 stands for "not ended". */
	if (shown->ended > writer->began)
		record.ended = shown->ended - writer->began;
	else if (shown->ended)
		record.ended = 1;
	memcpy(record.total, shown->total, writer->metrics * sizeof(record.total[0]));
	if (!shown->alive && shown->folded == 1) {
		writer->current->settled = writer->current->io_settled = true;
		forget_sums(writer->current);
	}
	return profile_put_thread(writer->profile, &record, writer->error);
}

/* ---- all of them ---- */

/* Threads that were folded into others. They are forgotten when this is committed. */
static int drop_folded(struct thread_writer *writer)
{
	int status = 0;

	for (size_t i = 0; i < writer->threads && status == 0; i++)
		if (writer->thread[i].visit != writer->visit)
			status = profile_drop_thread(
				writer->profile, writer->thread[i].id, writer->error);
	return status;
}

int threads_put(struct thread_writer *writer, struct error *error)
{
	const struct trace_visitor visitor = {
		.user = writer,
		.begin = begin_thread,
		.nodes = show_nodes,
		.accounts = show_accounts,
		.end = end_thread,
	};
	int status;

	writer->error = error;
	writer->visit++;
	status = trace_visit(writer->trace, &visitor);
	return status == 0 ? drop_folded(writer) : status;
}

static void forget_all(struct thread_writer *writer)
{
	for (size_t i = 0; i < writer->threads; i++)
		writer->thread[i].stale = true;
}

/* After the commit that dropped them: threads not shown by this visit. */
static void remove_dropped(struct thread_writer *writer)
{
	size_t kept = 0;

	for (size_t i = 0; i < writer->threads; i++) {
		if (writer->thread[i].visit == writer->visit)
			writer->thread[kept++] = writer->thread[i];
		else
			forget_sums(&writer->thread[i]);
	}
	writer->threads = kept;
}

void threads_put_done(struct thread_writer *writer, bool committed)
{
	if (committed)
		remove_dropped(writer);
	else
		forget_all(writer);
}

void threads_fini(struct thread_writer *writer)
{
	for (size_t i = 0; i < writer->threads; i++)
		forget_sums(&writer->thread[i]);
	free(writer->thread);
}
