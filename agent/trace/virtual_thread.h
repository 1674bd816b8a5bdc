/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/*
 * virtual_thread: what a virtual thread keeps while it is on no carrier.
 *
 *   number --> block of 1024 --> struct virtual_thread: sums, a few frames --> more frames
 *
 * There may be millions: one takes some 200 bytes with three metrics, and 12 more for each frame
 * beyond the first few.
 *
 * Owns: blocks, in the trace's memory budget, until the trace is destroyed; deep stacks until
 *       their thread ends.
 * Runs: in the thread's carrier. Spare ones are their carrier's; carriers exchange
 *       them under LOCK_THREADS, many at once.
 */
#ifndef JPROF_VIRTUAL_THREAD_H
#define JPROF_VIRTUAL_THREAD_H

#include <stdbool.h>
#include <stdint.h>

#include "agent/trace/arena.h"
#include "agent/trace/shadow_stack.h"

struct thread_context;
struct watched_calls;

enum {
	VIRTUAL_BLOCK = 1024,
	VIRTUAL_BLOCKS = 16384,
	VIRTUAL_FRAMES = 7 /* that need no memory of their own */
};

struct virtual_thread {
	struct thread_context *group; /* that its calls are in */
	struct virtual_thread *next;  /* spare ones */
	uint32_t number;              /* its own */
	uint32_t lane;  /* id of the lane that the frames' nodes are of; 0: none */
	uint32_t moves; /* of that lane's nodes */
	uint32_t node;  /* of that lane, that it was in */
	uint32_t code;  /* of the delta that was under way */
	uint32_t asked; /* in which edition (thread_slot.h) its group was found */
	bool outside;   /* the session's scope */
	bool lost;      /* once there was no memory to mount it; that was counted */
	bool tagged;    /* its frames may have tags */
	uint32_t tags;  /* what its work has, while it is on no carrier */
	uint32_t frames, room;
	uint64_t overflow;             /* frames above them, of which nothing is known */
	uint64_t wall;                 /* ns, when it was unmounted */
	struct watched_calls *watched; /* its calls under way, while it is on no carrier */
	struct tag_calls *tag_calls;   /* the same; NULL: there were none */
	/* As context_copy_frames has them; few, or allocated. */
	struct shadow_frame *frame;
	struct shadow_frame few[VIRTUAL_FRAMES];
	uint64_t used[]; /* see virtual_use */
};

struct virtual_pool {
	struct arena table; /* arenas, by block; made with the first */
	uint32_t blocks;
	uint32_t size;    /* bytes of one */
	uint32_t metrics; /* that used[] has */
	/* The same of what they used of metrics that came later; empty: there are none. */
	struct arena later;
	struct virtual_thread *spare; /* all under LOCK_THREADS */
};

struct trace;

/* One for a thread that begins, all zero but for its number. carrier: the calling thread. NULL: no
 * memory. */
struct virtual_thread *virtual_take(struct trace *trace, struct thread_context *carrier);

/* Its thread has ended. */
void virtual_give(
	struct trace *trace, struct thread_context *carrier, struct virtual_thread *thread);

/* The one of that number, which was taken from this trace. */
struct virtual_thread *virtual_of(const struct trace *trace, uint32_t number);

/* All spare ones of a carrier that ends become everybody's. Under LOCK_THREADS. */
void virtual_give_spares(struct trace *trace, struct thread_context *carrier);

/* What it had used of the metric when it was unmounted; while it is mounted, less what the lane had used before. */
uint64_t *virtual_use(
	const struct trace *trace, struct virtual_thread *thread, unsigned metric);

/* Under LOCK_THREADS: there is room for what threads use of any number of metrics. False: no memory. */
bool virtual_pool_widen(struct trace *trace);

/* Where so many frames are kept from now on, labels among them. NULL: no memory, none is kept. */
struct shadow_frame *virtual_room(
	struct trace *trace, struct virtual_thread *thread, size_t frames);

void virtual_pool_fini(struct trace *trace);

#endif
