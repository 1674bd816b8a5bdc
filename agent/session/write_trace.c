/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/* write_trace: see write_trace.h. */
#include "agent/session/write_trace.h"

#include <stdlib.h>
#include <string.h>

#include "agent/session/writer.h"
#include "agent/trace/tree_labels.h"
#include "agent/trace/slow_calls.h"

_Static_assert(METRIC_MAX <= PROFILE_METRIC_MAX, "a file has room for every metric");

/* A root that was folded: its thread was. */
static int put_forwards(void *user, const struct trace_forward *forward, uint32_t count)
{
	struct thread_writer *writer = user;
	int status = 0;

	for (uint32_t i = 0; i < count && status == 0; i++) {
		const struct profile_forward record = {
			.thread = forward[i].thread,
			.node = forward[i].node,
			.to_thread = forward[i].to_thread,
			.to_node = forward[i].to_node,
		};

		status = record.node == 0 ? profile_drop_thread(writer->profile, record.thread,
						    writer->error)
					  : profile_drop_node(writer->profile, record.thread,
						    record.node, writer->error);
		if (status == 0)
			status = profile_put(writer->profile, &record, writer->error);
		if (writer->samples)
			writer->samples->forward(&record);
	}
	return status;
}

/* A running thread may have counted a call between the reads of its two counters: calls
 * by state that came out negative are none, and calls is the sum of them. */
static int put_node(struct thread_writer *writer, uint32_t thread, const struct tree_node *node,
	size_t stride)
{
	struct tree_states states = tree_node_states(node);
	struct profile_node record = {
		.thread = thread,
		.id = node->id,
		.parent = node->parent,
		.method = label_method(node->method),
		.line = label_content(node->method, LABEL_LINE),
		.value = label_content(node->method, LABEL_VALUE),
		.tags = label_tags(node->method),
		.recursion = node->recursion,
		.interpreted = states.interpreted > node->calls ? 0 : states.interpreted,
		.jitted = states.jitted,
		.native = states.native > node->calls ? 0 : states.native,
		.base = node->base,
		.spent = node->base + tree_metrics(stride),
	};

	record.calls = record.interpreted + record.jitted + record.native;
	memcpy(record.transition, node->transition, sizeof(record.transition));
	return profile_put(writer->profile, &record, writer->error);
}

static int put_nodes(void *user, const struct trace_thread *shown, uint32_t count,
	const struct tree_node *block, size_t stride)
{
	struct thread_writer *writer = user;
	int status = 0;

	if (writer->keep_up)
		writer->keep_up();
	for (uint32_t i = 0; i < count && status == 0; i++)
		status = put_node(writer, shown->id, trace_node(block, stride, i), stride);
	return status;
}

static int drop_accounts(
	void *user, const struct trace_thread *shown, uint32_t count, const uint32_t *account)
{
	struct thread_writer *writer = user;
	int status = 0;

	for (uint32_t i = 0; i < count && status == 0; i++)
		status = profile_drop_account(
			writer->profile, shown->id, account[i], writer->error);
	return status;
}

static int put_accounts(void *user, const struct trace_thread *shown, uint32_t count,
	const struct account *account)
{
	struct thread_writer *writer = user;
	int status = 0;

	for (uint32_t i = 0; i < count && status == 0; i++) {
		const struct profile_account record = {
			.thread = shown->id,
			.id = account[i].id,
			.node = account[i].node,
			.subject = account[i].subject,
			.kind = account[i].kind,
			.count = account[i].count,
			.failures = account[i].failures,
			.amount = account[i].amount,
			.ns = account[i].ns,
		};

		status = profile_put(writer->profile, &record, writer->error);
	}
	return status;
}

/* ---- watched calls ---- */

/* Cells that are not empty, into cell[HISTOGRAM_BUCKETS]; the thread may go on. */
static size_t copy_cells(const struct figure_times *figure, struct histogram_cell *cell)
{
	size_t cells = 0;

	for (uint32_t bucket = 0; bucket < HISTOGRAM_BUCKETS; bucket++) {
		const uint64_t *block = __atomic_load_n(
			&figure->block[bucket / HISTOGRAM_BLOCK], __ATOMIC_ACQUIRE);
		uint64_t count = block ? __atomic_load_n(&block[bucket % HISTOGRAM_BLOCK],
						 __ATOMIC_RELAXED)
				       : 0;

		if (count > 0)
			cell[cells++] = (struct histogram_cell){bucket, count};
	}
	return cells;
}

static int put_times(void *user, const struct trace_thread *shown, uint32_t method, bool failed,
	enum call_figure which, const struct figure_times *figure)
{
	struct thread_writer *writer = user;
	struct histogram_cell *cell = calloc(HISTOGRAM_BUCKETS, sizeof(*cell));
	uint8_t *bytes = malloc(histogram_room(HISTOGRAM_BUCKETS));
	struct histogram histogram = {.cell = cell};
	struct profile_distribution record = {.thread = shown->id,
		.id = method * 2 * CALL_FIGURES + (failed ? CALL_FIGURES : 0) + which,
		.method = method,
		.figure = which,
		.failed = failed,
		.unplaced = __atomic_load_n(&figure->unplaced, __ATOMIC_RELAXED),
		.sum = __atomic_load_n(&figure->sum, __ATOMIC_RELAXED),
		.least = __atomic_load_n(&figure->least, __ATOMIC_RELAXED),
		.most = __atomic_load_n(&figure->most, __ATOMIC_RELAXED)};
	int status;

	if (cell && bytes) {
		histogram.cells = copy_cells(figure, cell);
		record.count = histogram_count(&histogram) + record.unplaced;
		record.buckets =
			(struct profile_bytes){bytes, histogram_encode(&histogram, bytes)};
		status = profile_put(writer->profile, &record, writer->error);
	} else {
		status = error_set(
			writer->error, ERROR_MEMORY, "no memory to write the profile");
	}
	free(cell);
	free(bytes);
	return status;
}

static int64_t figure_or_unknown(const struct slow_call *call, enum call_figure figure)
{
	return call->known >> figure & 1 ? (int64_t)call->figure[figure] : PROFILE_NOT_KNOWN;
}

static int put_slow_call(void *user, const struct slow_call *call)
{
	struct thread_writer *writer = user;
	uint8_t *bytes = call->nodes > 0 ? malloc(small_tree_room(call->nodes)) : NULL;
	struct profile_slow_call record = {.id = call->id,
		.method = call->method,
		.thread = call->thread,
		.began = call->began > writer->began ? call->began - writer->began : 0,
		.elapsed = call->figure[CALL_ELAPSED],
		.base = figure_or_unknown(call, CALL_BASE),
		.cpu = figure_or_unknown(call, CALL_CPU),
		.own = call->own,
		.failed = call->failed};
	int status;

	memcpy(record.process, &call->figure[CALL_PROCESS], sizeof(record.process));
	if (bytes)
		record.bytes = (struct profile_bytes){
			bytes, small_tree_encode(call->tree, call->nodes, bytes)};
	status = profile_put(writer->profile, &record, writer->error);
	free(bytes);
	return status;
}

int slow_calls_put_rows(struct thread_writer *writer, bool all, struct error *error)
{
	writer->error = error;
	return slow_calls_show(trace_slow_calls(writer->trace), all, writer, put_slow_call);
}

/* ---- threads ---- */

static int put_thread(void *user, const struct trace_thread *shown)
{
	struct thread_writer *writer = user;
	const struct thread_identity *identity = shown->identity;
	bool one = shown->folded == 1 && shown->group == 0;
	struct profile_thread record = {
		.id = shown->id,
		.group = shown->group,
		.java_id = one ? identity->java_id : 0,
		.os_id = one ? identity->os_id : 0,
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
		.wanted = identity->wanted,
		.started = shown->started > writer->began ? shown->started - writer->began : 0,
	};

	/* 0 stands for "not ended". */
	if (shown->ended > writer->began)
		record.ended = shown->ended - writer->began;
	else if (shown->ended)
		record.ended = 1;
	memcpy(record.total, shown->total, writer->metrics * sizeof(record.total[0]));
	return profile_put(writer->profile, &record, writer->error);
}

int threads_put(struct thread_writer *writer, struct error *error)
{
	const struct trace_visitor visitor = {
		.user = writer,
		.changes = true,
		.forwards = put_forwards,
		.nodes = put_nodes,
		.gone = drop_accounts,
		.accounts = put_accounts,
		.times = put_times,
		.end = put_thread,
	};

	writer->error = error;
	return trace_visit(writer->trace, &visitor);
}

/* ---- sequences: some dozens; all are written each time ---- */

_Static_assert((int)SEQUENCE_CODES == PROFILE_SEQUENCE_CODES, "a file has room for every code");

static int put_cell(struct profile_writer *profile, unsigned metrics, uint32_t code,
	const uint64_t *cell, struct error *error)
{
	uint64_t sum[METRIC_MAX], min[METRIC_MAX];
	struct profile_sequence sequence = {
		.code = code, .count = cell[0], .sum = sum, .min = min};
	struct sequence_words words;

	if (!sequence_to_words(code, &words))
		return 0;
	for (unsigned i = 0; i < metrics; i++) {
		sum[i] = cell[1 + 2 * i];
		min[i] = cell[2 + 2 * i];
		/* None of the deltas was counted in a metric that came later. */
		if (min[i] == UINT64_MAX)
			min[i] = 0;
	}
	sequence.first = words.first;
	sequence.begin = words.begin;
	sequence.second = words.second;
	sequence.end = words.end;
	sequence.third = words.third;
	return profile_put(profile, &sequence, error);
}

int sequences_put(struct trace *trace, unsigned metrics, struct profile_writer *profile,
	uint64_t *uncounted, struct error *error)
{
	unsigned all = trace_metrics(trace)->count;
	uint64_t *cells = calloc(trace_sequences_words(all), sizeof(*cells));
	int status = 0;

	if (!cells)
		return error_set(error, ERROR_MEMORY, "no memory to write the profile");
	*uncounted = trace_sequences(trace, cells);
	for (uint32_t code = 0; code < SEQUENCE_CODES && status == 0; code++) {
		const uint64_t *cell = &cells[code * sequence_words_of(all)];

		if (cell[0] > 0)
			status = put_cell(profile, metrics, code, cell, error);
	}
	free(cells);
	return status;
}
