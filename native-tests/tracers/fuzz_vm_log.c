/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/*
 * Any bytes as the JVM's log, cut as the first byte says: rows have texts that end, times that do not run over, and
 * the same rows come of it however it is cut.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "agent/tracers/gc_log.h"
#include "agent/tracers/jit_log.h"
#include "native-tests/fuzz/text_mutator.h"

static void require(bool condition, const char *what)
{
	if (!condition) {
		fprintf(stderr, "violated: %s\n", what);
		abort();
	}
}

/* A sum of all that rows say. */
static void mix(uint64_t *sum, uint64_t value)
{
	*sum = (*sum ^ value) * UINT64_C(0x9e3779b97f4a7c15);
}

static void mix_text(uint64_t *sum, const char *text)
{
	for (const char *at = text ? text : "-"; *at; at++)
		mix(sum, (unsigned char)*at);
}

static void mix_collection(void *sum, const struct gc_collection *row)
{
	require(row->name && row->cause, "a section has a name and a cause");
	require(row->kind < COLLECTION_KINDS, "and a kind");
	mix_text(sum, row->name);
	mix_text(sum, row->cause);
	mix(sum, row->began);
	mix(sum, row->ns);
	mix(sum, row->has_bytes ? row->before ^ row->after : 0);
	mix(sum, row->has_total ? row->total : 0);
}

static void mix_safepoint(void *sum, const struct gc_safepoint *row)
{
	mix_text(sum, row->operation);
	mix(sum, row->began ^ row->ns);
}

static void mix_compilation(void *sum, const struct jit_compilation *row)
{
	mix_text(sum, row->method.class_name);
	mix_text(sum, row->method.name);
	mix_text(sum, row->method.signature);
	mix_text(sum, row->failed);
	mix(sum, row->began ^ (uint64_t)row->ns);
}

static void mix_deoptimization(void *sum, const struct jit_deoptimization *row)
{
	require(row->kind < DEOPTIMIZATION_KINDS, "a deoptimization has a kind");
	mix_text(sum, row->method.class_name);
	mix_text(sum, row->method.name);
	mix_text(sum, row->reason);
	mix_text(sum, row->action);
	mix(sum, row->at);
}

struct logs {
	struct gc_log *gc;
	struct jit_log *jit;
};

static void take(void *argument, const struct log_line *line)
{
	struct logs *logs = argument;

	gc_log_line(logs->gc, line);
	jit_log_line(logs->jit, line);
}

static uint64_t rows_of(const char *bytes, size_t size, size_t part)
{
	uint64_t sum = 0;
	const struct gc_log_taker gc = {mix_collection, mix_safepoint, &sum};
	const struct jit_log_taker jit = {mix_compilation, mix_deoptimization, &sum};
	struct logs logs = {gc_log_create(&gc), jit_log_create(&jit)};
	struct log_lines lines;

	log_lines_init(&lines, take, &logs);
	for (size_t at = 0; at < size; at += part)
		log_lines_feed(&lines, bytes + at, size - at < part ? size - at : part);
	require(gc_log_open(logs.gc) <= GC_OPEN_MAX, "what is open is bounded");
	log_lines_fini(&lines);
	gc_log_destroy(logs.gc);
	jit_log_destroy(logs.jit);
	return sum;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	if (size < 1)
		return 0;
	require(rows_of((const char *)data + 1, size - 1, 1 + data[0]) ==
			rows_of((const char *)data + 1, size - 1, size),
		"rows do not depend on how the bytes come");
	return 0;
}

size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max_size, unsigned int seed)
{
	static const char *const words[] = {"GC(3) ", "Pause Young", " 1M->1M(2M)", "1.000ms",
		"\n", "[9ns][1][gc] ", "[9ns][1][jit,compilation] ", "Concurrent Mark", " (",
		")", "[9ns][2][nmethod,install] Installing method (3) ",
		"   made not entrant: ", "COMPILE SKIPPED: ", " @ 4",
		"::", "trap_bci=", "cid= 4 ", "Safepoint \"", NULL};

	return text_mutate(data, size, max_size, 1, words, seed);
}
