/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/*
 * samples: what formats with tables are made of: a stack as numbers of frames, the innermost first, with figures.
 *
 * A path has one for what is known of it as a whole, and one for each state and line that samples were taken in: there the
 * innermost Java method's frame has that line. Samples without any figure are left out.
 */
#ifndef JPROF_REPORT_EXPORT_SAMPLES_H
#define JPROF_REPORT_EXPORT_SAMPLES_H

#include "report/exports/frames.h"

struct stack_sample {
	size_t thread;
	const uint32_t *frame; /* numbers; the innermost is first */
	size_t depth;          /* at least 1 */
	uint32_t stack;    /* 1, 2, ...: samples that follow each other may be of one stack */
	bool is_new;       /* it is that stack's first one */
	const char *state; /* of the samples; NULL: of none */
	const uint64_t *values; /* FIGURES_MAX */
};

struct samples {
	const struct figures *figures; /* borrowed, like all that follows */
	struct stacks *stacks;
	struct frames *frames;
	uint32_t *frame_end; /* frames of the path: level l is at frame_end[-l] */
	uint32_t stack;      /* the last one's number, */
	uint32_t node, line; /* and what it is of */
	bool failed;         /* there was no memory */
};

/* Memory is the model's. 0, or -1 without memory. */
int samples_init(struct samples *samples, const struct figures *figures, struct stacks *stacks,
	struct frames *frames);

typedef void sample_taker(void *user, const struct stack_sample *sample);

/* Gives all of them to take, thread by thread; each time in the same order, with the same numbers. Ends early where
 * writing has failed. */
void samples_walk(
	struct samples *samples, const struct out *out, sample_taker *take, void *user);

#endif
