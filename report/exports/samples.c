/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/* samples: paths divided by places. */
#include "report/exports/samples.h"

/* Of a stack that is no path of the tree. */
#define NODE_NONE UINT32_MAX

struct taking {
	sample_taker *take;
	void *user;
};

int samples_init(struct samples *samples, const struct figures *figures, struct stacks *stacks,
	struct frames *frames)
{
	struct store *store = stacks->model->store;
	size_t nodes = stacks->model->profile->node_count;
	uint32_t *frame = store_room(store, nodes + 1, sizeof(*frame));

	*samples = (struct samples){.figures = figures, .stacks = stacks, .frames = frames};
	if (!frame)
		return -1;
	samples->frame_end = frame + nodes;
	return 0;
}

static uint32_t take_frame(struct samples *samples, uint32_t method, uint32_t line)
{
	uint32_t number = frames_take(samples->frames, method, line);

	samples->failed |= number == 0;
	return number;
}

/* line: the number of the frame that has one; 0: none has. */
static void give(struct samples *samples, const struct taking *taking,
	struct stack_sample *sample, uint32_t node, uint32_t line)
{
	if (!figures_any(samples->figures, sample->values))
		return;
	sample->is_new = samples->stack == 0 || node == NODE_NONE || samples->node != node ||
			 samples->line != line;
	samples->stack += sample->is_new;
	samples->node = node;
	samples->line = line;
	sample->stack = samples->stack;
	taking->take(taking->user, sample);
}

/* Samples in one place: with its line in the innermost method that has lines. */
static void give_place(struct samples *samples, const struct taking *taking,
	struct stack_sample *sample, const struct stack_place *place)
{
	const struct stacks *stacks = samples->stacks;
	const struct model *model = stacks->model;
	uint32_t level = stacks_line_level(stacks), *at = samples->frame_end - level;
	uint32_t kept = *at, line = 0;
	uint64_t values[FIGURES_MAX] = {0};

	memcpy(values + model->metric_count, place->samples,
		model->condition_count * sizeof(*values));
	if (level > 0 && place->line > 0)
		*at = line = take_frame(
			samples, model->profile->node[stacks->path[level]].method, place->line);
	sample->state = sample_state_names[place->state];
	sample->values = values;
	give(samples, taking, sample, stacks->at, line);
	*at = kept;
}

static void give_path(struct samples *samples, const struct taking *taking)
{
	const struct stacks *stacks = samples->stacks;
	uint32_t *frame = samples->frame_end - stacks->level;
	uint64_t values[FIGURES_MAX];
	struct stack_sample sample = {.thread = stacks->thread,
		.frame = frame,
		/* The root is a frame where nothing else is. */
		.depth = stacks->level > 0 ? stacks->level : 1};
	struct stack_place place;

	*frame = take_frame(samples, stacks_method(stacks), 0);
	stacks_values(stacks, values);
	for (size_t at = 0; stacks_place(stacks, &at, &place, values);)
		give_place(samples, taking, &sample, &place);
	sample.state = NULL;
	sample.values = values;
	give(samples, taking, &sample, stacks->at, 0);
}

/* Calls alone have no callers. */
static void give_counted(struct samples *samples, const struct taking *taking, size_t thread)
{
	const struct counted_calls *counted;

	for (size_t at = 0; (counted = stacks_counted(samples->stacks, thread, &at)) != NULL;) {
		uint64_t values[FIGURES_MAX] = {0};
		uint32_t frame[] = {take_frame(samples, counted->method, 0),
			take_frame(samples, METHOD_COUNTED, 0)};
		struct stack_sample sample = {.thread = thread,
			.frame = frame,
			.depth = sizeof(frame) / sizeof(*frame),
			.values = values};

		values[samples->figures->calls] = counted->calls;
		give(samples, taking, &sample, NODE_NONE, 0);
	}
}

void samples_walk(
	struct samples *samples, const struct out *out, sample_taker *take, void *user)
{
	const struct taking taking = {take, user};
	struct stacks *stacks = samples->stacks;

	samples->stack = 0;
	for (size_t t = 0; t < stacks->threads; t++) {
		for (bool more = stacks_enter(stacks, t);
			more && !samples->failed && out->failed == 0;
			more = stacks_next(stacks))
			give_path(samples, &taking);
		give_counted(samples, &taking, t);
	}
}
