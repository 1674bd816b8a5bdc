/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/* sequence_model: the deltas of a thread, remembered in words, and summed up by them. */
#ifndef JPROF_TEST_SEQUENCE_MODEL_H
#define JPROF_TEST_SEQUENCE_MODEL_H

#include "agent/trace/trace.h"

struct sequence_model {
	const char *first, *begin, *second;
	struct {
		uint64_t count, sum[2], min[2];
	} cell[SEQUENCE_CODES];
};

/* The word for such a method. */
const char *sequence_model_type(enum call_state state, bool is_static);

void sequence_model_init(struct sequence_model *model);

/* An event ends a delta that used so much; the thread is in a third method now. */
void sequence_model_event(
	struct sequence_model *model, const char *end, const char *third, const uint64_t *used);

/* What goes on is no delta of a method. */
void sequence_model_outside(struct sequence_model *model);

/* Adds another thread's deltas. */
void sequence_model_add(struct sequence_model *model, const struct sequence_model *from);

/* Fails unless the trace has counted the same. */
void sequence_model_check(const struct sequence_model *model, struct trace *trace);

/* The same where memory is short: fails if it has counted more of anything, or if what is uncounted
 * is not what is missing. */
void sequence_model_check_sum(const struct sequence_model *model, struct trace *trace);

#endif
