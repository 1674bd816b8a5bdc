/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/* watched_calls: see watched_calls.h. */
#include "agent/trace/watched_calls.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "agent/trace/call_watch.h"
#include "agent/trace/trace_rows.h"

struct watched_frame {
	uint32_t depth;  /* its frame's place in the shadow stack */
	uint32_t method; /* id */
	uint32_t node;   /* its method's */
	uint32_t at;     /* where the call is: that, or a label below */
	uint32_t moves;  /* of the tree whose nodes these are */
	bool base_known;
	uint64_t entered; /* ns of the clock */
	/* In lanes that it has left; and of the thread and of the node when it came into this one. */
	uint64_t elapsed, base, cpu;
	uint64_t elapsed_at, base_at, cpu_at;
	struct call_watch *watch; /* NULL: none */
};

/* Of a thread that has been in a watched call. */
struct watched_calls {
	struct watched_frame *frame; /* outermost first */
	uint32_t frames, room;
	/* What the whole process had used when each began, so many metrics a frame; 0: it is not asked for. */
	uint64_t *process;
	unsigned metrics;
	struct call_watch *inner; /* the innermost watch; next: the one around it */
	struct call_watch *spare;
	unsigned watches; /* in use */
	/* Calls until the toll would be due; the context's own is 1 while there is a watch. */
	uint32_t toll_left;
};

enum { FRAMES_FIRST = 8 };

static struct memory_budget *budget_of(struct thread_context *context)
{
	return context->tree.budget;
}

static uint32_t depth_of(const struct thread_context *context)
{
	return (uint32_t)(context->stack.top - shadow_base(&context->stack));
}

/* ---- room ---- */

static size_t bytes_for(const struct watched_calls *calls, uint32_t frames)
{
	return frames * (sizeof(*calls->frame) + calls->metrics * sizeof(*calls->process));
}

static bool make_room(struct watched_calls *calls, struct memory_budget *budget)
{
	uint32_t room = calls->room ? 2 * calls->room : FRAMES_FIRST;
	size_t more = bytes_for(calls, room - calls->room);
	size_t numbers = (size_t)room * calls->metrics;
	struct watched_frame *frame;
	uint64_t *process = NULL;

	if (calls->frames < calls->room)
		return true;
	if (!memory_take(budget, more, MEMORY_SMALL))
		return false;
	frame = realloc(calls->frame, room * sizeof(*frame));
	if (frame)
		calls->frame = frame;
	if (frame && numbers > 0)
		process = realloc(calls->process, numbers * sizeof(*process));
	if (process)
		calls->process = process;
	if (!frame || (numbers > 0 && !process)) {
		memory_give(budget, more);
		return false;
	}
	calls->room = room;
	return true;
}

/* The thread's, with room for a frame. NULL without memory. */
static struct watched_calls *calls_with_room(struct thread_context *context)
{
	struct memory_budget *budget = budget_of(context);
	int saved_errno = errno;
	bool room = true;

	if (!context->watched) {
		if (!memory_take(budget, sizeof(*context->watched), MEMORY_SMALL))
			return NULL;
		context->watched = calloc(1, sizeof(*context->watched));
		if (!context->watched)
			memory_give(budget, sizeof(*context->watched));
		else if (context->trace->watching.process)
			context->watched->metrics = context->set->count;
	}
	room = context->watched && make_room(context->watched, budget);
	errno = saved_errno;
	return room ? context->watched : NULL;
}

static struct call_watch *take_watch(struct watched_calls *calls, struct memory_budget *budget)
{
	struct call_watch *watch = calls->spare;
	int saved_errno = errno;

	if (watch) {
		calls->spare = watch->next;
		return watch;
	}
	if (!memory_take(budget, sizeof(*watch), MEMORY_SMALL))
		return NULL;
	watch = calloc(1, sizeof(*watch));
	if (!watch)
		memory_give(budget, sizeof(*watch));
	errno = saved_errno;
	return watch;
}

static void destroy_watches(struct call_watch *watch, struct memory_budget *budget)
{
	while (watch) {
		struct call_watch *next = watch->next;

		call_watch_fini(watch, budget);
		free(watch);
		memory_give(budget, sizeof(*watch));
		watch = next;
	}
}

void watched_destroy(struct watched_calls *calls, struct memory_budget *budget)
{
	if (!calls)
		return;
	destroy_watches(calls->inner, budget);
	destroy_watches(calls->spare, budget);
	free(calls->frame);
	free(calls->process);
	memory_give(budget, bytes_for(calls, calls->room) + sizeof(*calls));
	free(calls);
}

/* ---- watches ---- */

/* Each entry is looked at from now on; or as often as the toll has it. */
static void look_at_entries(struct thread_context *context, struct watched_calls *calls)
{
	calls->toll_left = context->toll.left;
	context->toll.left = 1;
}

static void look_no_more(struct thread_context *context, const struct watched_calls *calls)
{
	context->toll.left = calls->toll_left;
}

bool watched_toll(struct thread_context *context)
{
	struct watched_calls *calls = context->watched;

	if (!calls || !calls->inner)
		return true;
	context->toll.left = 1;
	return --calls->toll_left == 0;
}

bool watched_knows_entry(struct thread_context *context)
{
	struct watched_calls *calls = context->watched;

	if (!calls || !calls->inner || calls->toll_left <= 1 ||
		!call_watch_knows(calls->inner, &context->tree, context->current))
		return false;
	calls->toll_left--;
	context->toll.left = 1;
	return true;
}

void watched_note_entry(struct thread_context *context)
{
	struct watched_calls *calls = context->watched;
	const struct shadow_frame *top = context->stack.top;

	if (!calls || !calls->inner)
		return;
	/* The toll has chosen when it is due again. */
	if (calls->toll_left == 0)
		look_at_entries(context, calls);
	if (context->stack.overflow == 0)
		call_watch_enter(calls->inner, budget_of(context), &context->tree, top[-1].node,
			top->node);
}

static void begin_watch(struct thread_context *context, struct watched_calls *calls,
	struct watched_frame *frame)
{
	struct call_watch *watch;

	if (context->trace->slow.most == 0 || calls->watches == WATCHED_NESTED)
		return;
	watch = take_watch(calls, budget_of(context));
	if (!watch)
		return;
	call_watch_begin(watch, budget_of(context), &context->tree, frame->node,
		context->trace->watching.wall);
	watch->next = calls->inner;
	calls->inner = frame->watch = watch;
	if (calls->watches++ == 0)
		look_at_entries(context, calls);
}

/* The frame's watch, the innermost, is settled: the one around it has its tree, too. */
static void end_watch(struct thread_context *context, struct watched_calls *calls,
	const struct watched_frame *frame)
{
	struct call_watch *watch = frame->watch;

	calls->inner = watch->next;
	if (calls->inner)
		call_watch_merge(
			calls->inner, budget_of(context), &context->tree, frame->node, watch);
	call_watch_end(watch);
	watch->next = calls->spare;
	calls->spare = watch;
	if (--calls->watches == 0)
		look_no_more(context, calls);
}

/* ---- what the whole process uses ---- */

/* By now, of each of the first metrics that is asked for; of others 0. Processor time is the system's to tell, which knows of threads that
 * the trace does not. */
static void look_at_process(struct trace *trace, unsigned metrics, uint64_t *now)
{
	const struct watching *watching = &trace->watching;
	uint64_t total[METRIC_MAX] = {0};
	uint32_t cpu = watching->cpu < 0 ? 0 : watching->process & 1u << watching->cpu;
	uint64_t clock = cpu ? clock_process() : 0;

	if (watching->process & ~cpu)
		trace_totals(trace, total);
	memcpy(now, total, metrics * sizeof(*now));
	if (cpu)
		now[watching->cpu] = clock;
}

/* Since the call of the i-th frame began. */
static void process_used(
	struct trace *trace, const struct watched_calls *calls, uint32_t i, uint64_t *used)
{
	const uint64_t *before = &calls->process[i * calls->metrics];

	look_at_process(trace, calls->metrics, used);
	for (unsigned m = 0; m < calls->metrics; m++)
		used[m] = used[m] > before[m] ? used[m] - before[m] : 0;
}

/* ---- a call ends ---- */

/* What jprof keeps the thread from meanwhile is no part of it. */
static uint64_t elapsed_of(const struct thread_context *context)
{
	return context_used(context, context->trace->watching.wall);
}

static uint64_t cpu_of(const struct thread_context *context)
{
	int cpu = context->trace->watching.cpu;

	return cpu < 0 ? 0 : context->last[cpu];
}

/* What the node has used, less jprof's own. */
static uint64_t base_of(const struct thread_context *context, uint32_t index)
{
	const struct tree_node *node = tree_at(&context->tree, index);
	unsigned wall = context->trace->watching.wall;

	return node->base[wall] - node->base[context->tree.metrics + wall];
}

/* In a fold calls of a method share a node, also those in one another. */
static bool has_own_node(
	const struct thread_context *context, const struct watched_frame *frame)
{
	return frame->moves == context->tree.moves &&
	       !(tree_at(&context->tree, frame->at)->children & TREE_FLAT);
}

/* A method's node, of a label the one that it stands below. */
static uint32_t method_node(const struct thread_context *context, uint32_t node)
{
	while (is_label(tree_at(&context->tree, node)->method))
		node = tree_at(&context->tree, node)->parent;
	return node;
}

/* The call is at that node from here on. */
static void move_frame(
	const struct thread_context *context, struct watched_frame *frame, uint32_t node)
{
	frame->base_known &= has_own_node(context, frame);
	if (frame->base_known)
		frame->base += base_of(context, frame->at) - frame->base_at;
	frame->at = node;
	frame->base_at = base_of(context, node);
}

void watched_note_label(struct thread_context *context)
{
	struct watched_calls *calls = context->watched;
	const struct shadow_frame *top = context->stack.top;
	uint32_t i = calls->frames;

	if (context->stack.overflow > 0 || context_at_root(context))
		return;
	/* A call that has just been left may not have been told of. */
	while (i > 0 && calls->frame[i - 1].depth > depth_of(context))
		i--;
	if (i > 0 && calls->frame[i - 1].depth == depth_of(context))
		move_frame(context, &calls->frame[i - 1], top->node);
	while (i > 0 && !calls->frame[i - 1].watch)
		i--;
	if (i > 0)
		call_watch_enter(calls->frame[i - 1].watch, budget_of(context), &context->tree,
			top[-1].node, top->node);
}

/* Figures of the call of the i-th frame, which has ended. Returns which are known, as bits. */
static uint32_t figures_of(const struct thread_context *context,
	const struct watched_calls *calls, uint32_t i, uint64_t *figure)
{
	const struct watched_frame *frame = &calls->frame[i];
	const struct watching *watching = &context->trace->watching;
	uint32_t known = 1u << CALL_ELAPSED | watching->process << CALL_PROCESS;

	if (watching->process)
		process_used(context->trace, calls, i, &figure[CALL_PROCESS]);
	figure[CALL_ELAPSED] = frame->elapsed + elapsed_of(context) - frame->elapsed_at;
	if (frame->base_known && has_own_node(context, frame)) {
		known |= 1u << CALL_BASE;
		figure[CALL_BASE] = frame->base + base_of(context, frame->at) - frame->base_at;
	}
	if (watching->cpu >= 0) {
		known |= 1u << CALL_CPU;
		figure[CALL_CPU] = frame->cpu + cpu_of(context) - frame->cpu_at;
	}
	return known;
}

/* figure: those that are known. */
static void keep_slow(struct thread_context *context, struct slow_list *list,
	const struct watched_frame *frame, bool failed, uint32_t known, const uint64_t *figure)
{
	struct slow_calls *slow = &context->trace->slow;
	uint32_t nodes = frame->watch ? call_watch_nodes(frame->watch) : 0;
	struct slow_call call = {.thread = context->row.id,
		.began = clock_system() - (clock_now() - frame->entered),
		.known = known,
		.failed = failed,
		.tree = slow_calls_room(slow, nodes, MEMORY_SMALL)};

	for (unsigned f = 0; known >> f; f++)
		if (known >> f & 1)
			call.figure[f] = figure[f];
	call.nodes = call.tree ? nodes : 0;
	if (nodes > 0)
		call.own = call_watch_tree(frame->watch, call.tree);
	slow_calls_put(slow, list, &call);
}

/* The innermost one has ended. */
static void finish(struct thread_context *context, struct watched_calls *calls, bool failed)
{
	const struct watched_frame *frame = &calls->frame[--calls->frames];
	struct memory_budget *budget = budget_of(context);
	uint64_t figure[CALL_FIGURES];
	uint32_t known = figures_of(context, calls, calls->frames, figure);
	struct method_times *times = call_times_of(&context->times, budget, frame->method);
	bool counted = times && call_times_add(times, budget, failed, CALL_ELAPSED,
					figure[CALL_ELAPSED]);

	for (unsigned f = CALL_ELAPSED + 1; counted && known >> f; f++)
		if (known >> f & 1)
			call_times_add(times, budget, failed, f, figure[f]);
	if (!counted)
		atomic_fetch_add_explicit(
			&context->trace->lost_watched, 1, memory_order_relaxed);
	if (frame->watch)
		call_watch_settle(frame->watch, &context->tree);
	if (times && !times->slow)
		times->slow = slow_calls_of(&context->trace->slow, frame->method);
	if (times && times->slow && figure[CALL_ELAPSED] > slow_list_least(times->slow))
		keep_slow(context, times->slow, frame, failed, known, figure);
	if (frame->watch)
		end_watch(context, calls, frame);
}

void watched_cut(struct thread_context *context)
{
	struct watched_calls *calls = context->watched;

	while (calls && calls->frames > 0 &&
		calls->frame[calls->frames - 1].depth > depth_of(context))
		finish(context, calls, true);
}

void watched_leave(struct thread_context *context, uint32_t method, bool failed)
{
	struct watched_calls *calls = context->watched;
	struct spending spending;
	const struct watched_frame *top;

	if (!calls || calls->frames == 0)
		return;
	top = &calls->frame[calls->frames - 1];
	/* It had no room, or was left already. */
	if (top->depth != depth_of(context) + 1 || top->method != method)
		return;
	spend_begin(context, &spending);
	finish(context, calls, failed);
	spend_end(context, &spending);
}

/* ---- a call begins ---- */

void watched_enter(struct thread_context *context, uint32_t method)
{
	const struct shadow_frame *top = context->stack.top;
	struct watched_calls *calls = NULL;
	struct watched_frame *frame;
	struct spending spending;

	spend_begin(context, &spending);
	if (context->stack.overflow == 0 && top->method == method)
		calls = calls_with_room(context);
	if (calls && calls->metrics > 0)
		look_at_process(context->trace, calls->metrics,
			&calls->process[calls->frames * calls->metrics]);
	spend_end(context, &spending);
	if (!calls) {
		atomic_fetch_add_explicit(
			&context->trace->lost_watched, 1, memory_order_relaxed);
		return;
	}
	frame = &calls->frame[calls->frames++];
	*frame = (struct watched_frame){.depth = depth_of(context),
		.method = method,
		.node = method_node(context, top->node),
		.at = top->node,
		.moves = context->tree.moves,
		.base_known = true,
		.entered = context->last[context->trace->watching.wall],
		.elapsed_at = elapsed_of(context),
		.cpu_at = cpu_of(context),
		.base_at = base_of(context, top->node)};
	begin_watch(context, calls, frame);
	if (frame->watch && frame->at != frame->node)
		call_watch_enter(frame->watch, budget_of(context), &context->tree, frame->node,
			frame->at);
}

/* ---- virtual threads ---- */

struct watched_calls *watched_unmount(struct thread_context *lane)
{
	struct watched_calls *calls = lane->watched;

	if (!calls)
		return NULL;
	for (uint32_t i = 0; i < calls->frames; i++) {
		struct watched_frame *frame = &calls->frame[i];

		frame->base_known &= has_own_node(lane, frame);
		if (frame->base_known)
			frame->base += base_of(lane, frame->at) - frame->base_at;
		frame->elapsed += elapsed_of(lane) - frame->elapsed_at;
		frame->cpu += cpu_of(lane) - frame->cpu_at;
		if (frame->watch)
			call_watch_settle(frame->watch, &lane->tree);
	}
	if (calls->watches > 0)
		look_no_more(lane, calls);
	lane->watched = NULL;
	return calls;
}

/* Of its frames on the shadow stack, up to the next one that has a watch, too: the labels of that are in the latter alone. */
static void resume_watch(
	struct thread_context *lane, const struct watched_calls *calls, uint32_t frame)
{
	const struct shadow_frame *base = shadow_base(&lane->stack);
	const struct watched_frame *of = &calls->frame[frame], *next = of + 1;
	const struct watched_frame *end = calls->frame + calls->frames;
	uint32_t last;

	while (next < end && !next->watch)
		next++;
	last = next < end ? next->depth - 1 : depth_of(lane);
	call_watch_resume(of->watch, budget_of(lane), &lane->tree, of->node);
	call_watch_resume_in(of->watch, budget_of(lane), &lane->tree, of->node, of->at);
	for (uint32_t at = of->depth + 1; at <= last; at++)
		call_watch_resume_in(of->watch, budget_of(lane), &lane->tree, base[at - 1].node,
			base[at].node);
	if (next < end)
		call_watch_resume_in(
			of->watch, budget_of(lane), &lane->tree, base[last].node, next->node);
}

void watched_mount(struct thread_context *lane, struct watched_calls *calls)
{
	const struct shadow_frame *base = shadow_base(&lane->stack);
	uint32_t top = depth_of(lane) - (lane->stack.overflow > 0);

	if (!calls)
		return;
	lane->watched = calls;
	for (uint32_t i = 0; i < calls->frames; i++) {
		struct watched_frame *frame = &calls->frame[i];
		bool there = frame->depth <= top && base[frame->depth].method == frame->method;

		/* Without memory frames are not put in. */
		frame->base_known &= there;
		frame->at = there ? base[frame->depth].node : TREE_FOLDED;
		frame->node = method_node(lane, frame->at);
		frame->moves = lane->tree.moves;
		frame->base_at = base_of(lane, frame->at);
		frame->elapsed_at = elapsed_of(lane);
		frame->cpu_at = cpu_of(lane);
		if (frame->watch && !there)
			frame->watch->lost = true;
	}
	for (uint32_t i = 0; i < calls->frames; i++)
		if (calls->frame[i].watch && lane->stack.overflow == 0)
			resume_watch(lane, calls, i);
		else if (calls->frame[i].watch)
			calls->frame[i].watch->lost = true;
	if (calls->watches > 0)
		look_at_entries(lane, calls);
}
