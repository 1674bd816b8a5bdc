/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/*
 * stacks: the call paths of a model one after the other, depth first, with what each has of its own.
 *
 *	for (size_t t = 0; t < stacks.threads; t++)
 *		for (bool more = stacks_enter(&stacks, t); more; more = stacks_next(&stacks))
 *			... stacks.path[0 .. stacks.level] ...
 *
 * Every path is met, those that have nothing too: what they lead to is next. A root's own figures are what ran
 * outside every included method. A stack has STACK_DEPTH_MAX methods at most, for n paths below one another are n * n / 2
 * frames: what is deeper is one frame, which has the figures of all that it stands for.
 */
#ifndef JPROF_REPORT_EXPORT_STACKS_H
#define JPROF_REPORT_EXPORT_STACKS_H

#include "report/exports/figures.h"

/* What the frame of a root is called that stands for what ran outside; and, of calls that were counted, the one in
 * place of their callers. */
#define FRAME_OUTSIDE "(outside)"
#define FRAME_COUNTED "(counted: callers not known)"
#define FRAME_DEEPER  "(deeper)"
#define NAME_NONE     "(no name)" /* of a thread */

enum { STACK_DEPTH_MAX = 2048 };

/* Numbers of those frames, in place of a method's id; that of the root stands for what ran outside. */
#define METHOD_COUNTED UINT32_MAX
#define METHOD_DEEPER  (UINT32_MAX - 1)

struct stacks {
	const struct model *model;
	const struct link *link;
	size_t threads; /* of the profile */
	/* Where the walk is. */
	size_t thread;
	uint32_t at, level;
	uint32_t *path; /* nodes by level; path[level] is at */
	struct walk walk;
	/* By node: it is wanted; NULL: all are. */
	const bool *wanted;
	/* Samples by node: account[first[node] .. first[node + 1]), by place. NULL: there are none. */
	uint32_t *account, *first;
	/* What was done with the wanted files, by node; of all parts. */
	const struct io_use *io;
	/* Counted calls by thread: counted[counted_first[t] .. counted_first[t + 1]). NULL: there are none. */
	struct counted_calls *counted;
	size_t *counted_first;
};

/* Memory is the model's. io: figures of I/O are wanted, too. 0, or -1 without memory. */
int stacks_init(struct stacks *stacks, const struct model *model, bool io);

/* To the thread's root. False: it has none, or is not selected. */
bool stacks_enter(struct stacks *stacks, size_t thread);

/* The path ends in a frame for all that is deeper. */
static inline bool stacks_is_deeper(const struct stacks *stacks)
{
	return stacks->level > STACK_DEPTH_MAX;
}

/* The path's last method, or METHOD_DEEPER. */
static inline uint32_t stacks_method(const struct stacks *stacks)
{
	return stacks_is_deeper(stacks) ? METHOD_DEEPER
					: stacks->model->profile->node[stacks->at].method;
}

/* On to the next path of the thread. False when all have been seen. */
static inline bool stacks_next(struct stacks *stacks)
{
	if (!(stacks_is_deeper(stacks) ? walk_past : walk_next)(&stacks->walk))
		return false;
	stacks->at = stacks->walk.at;
	stacks->level = stacks->walk.level;
	stacks->path[stacks->level] = stacks->at;
	return true;
}

/* What the path has of its own, in values[FIGURES_MAX]. Of what samples alone have found the calls are not known: 0. */
void stacks_values(const struct stacks *stacks, uint64_t *values);

/* What a thread is called; never empty. */
struct label stacks_thread_name(const struct model *model, size_t thread);

/* ---- samples of a path by the place that they were taken in ---- */

/* All those in one state and line. */
struct stack_place {
	enum sample_state state;
	uint32_t line;                           /* of line_level's method; 0: not known */
	uint64_t samples[SAMPLE_CONDITIONS_MAX]; /* by chosen condition */
};

/* On to the next place of the path; at is 0 at first. Takes its samples off those in values, which then are the
 * others: those that have no place. False: there are no more. */
bool stacks_place(
	const struct stacks *stacks, size_t *at, struct stack_place *place, uint64_t *values);

/* The level whose method lines are of: the innermost Java method's that is not native. 0: there is none. */
uint32_t stacks_line_level(const struct stacks *stacks);

/* ---- calls that were counted, whose paths are not known ---- */

struct counted_calls {
	uint32_t method;
	uint64_t calls; /* above 0 */
};

/* On to the thread's next; at is 0 at first. Wanted methods alone. NULL: there are no more. */
const struct counted_calls *stacks_counted(
	const struct stacks *stacks, size_t thread, size_t *at);

#endif
