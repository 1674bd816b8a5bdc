/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/*
 * sample_buffer: stacks on their way from signal handlers, and events, to the writer's thread.
 *
 *   handlers claim ---->| ready | ready | claimed | ready |      |     a circle of bytes
 *                       ^ the drain reads from here, up to what is not ready
 *
 * One for all, and not one a thread: threads may be ten thousand, samples are some thousands a second
 * on all of them, and a claim is one exchange. Where there is no room, samples are lost: the
 * one who claims counts them.
 *
 * Runs: sample_claim and sample_ready in any number of handlers at once, without locks or system
 *       calls; sample_drain on one thread at a time.
 */
#ifndef JPROF_SAMPLE_BUFFER_H
#define JPROF_SAMPLE_BUFFER_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "agent/stack/walk.h"

enum { SAMPLE_CONDITIONS = 8 }; /* most in one session */

/* A frame in 8 bytes. Of addresses the lower 56 bits tell: those of the kernel have the upper ones set. */
static inline uint64_t frame_pack(const struct stack_frame *frame)
{
	if (frame_is_java(frame))
		return frame->what << 32 | (uint64_t)(uint32_t)(frame->bci + 1) << 8 |
		       (uint64_t)frame->level << 4 | frame->kind;
	return frame->what << 8 | frame->kind;
}

static inline struct stack_frame frame_unpack(uint64_t packed)
{
	struct stack_frame frame = {.kind = packed & 15, .bci = -1};

	if (frame_is_java(&frame)) {
		frame.level = (uint8_t)(packed >> 4 & 15);
		frame.bci = (int32_t)(packed >> 8 & 0xffffff) - 1;
		frame.what = packed >> 32;
	} else if (frame.kind == FRAME_KERNEL) {
		frame.what = packed >> 8 | UINT64_C(0xff) << 56;
	} else {
		frame.what = packed >> 8;
	}
	return frame;
}

enum {
	SAMPLE_WAITED = 1,  /* the thread did not run */
	SAMPLE_VIRTUAL = 2, /* it carried a virtual one, whose row it is */
	SAMPLE_NOTE = 4,    /* no stack: what has come of an event before */
	SAMPLE_LATER = 8,   /* an event of which nothing is added yet */
	SAMPLE_PLACED =
		16 /* of an event: node is its place in the sample tree, and there are no frames */
};

/* What an event did: what its account gets; see sampler.h. */
struct sample_event_sum {
	uint64_t subject, amount, ns, cookie;
	uint64_t key; /* of the stack: the writer's thread remembers its place by it; 0: none */
	uint32_t count, failures;
};

/* A stack, and what it stands for. */
struct sample_record {
	_Atomic uint32_t bytes; /* of all of it, a multiple of 8; 0: it is not ready */
	uint32_t thread;        /* of sampled_threads: which one */
	uint32_t row;           /* of the trace; 0: the thread has none */
	uint32_t node;          /* id of the node that the thread was in, in its row */
	uint32_t method;        /* of that node; METHOD_ROOT: outside every method */
	uint16_t frames;        /* innermost first */
	uint8_t end;            /* enum walk_end */
	uint8_t about;          /* SAMPLE_WAITED and what follows it, joined by | */
	uint8_t kind;           /* enum account_kind: SAMPLES, or of an event */
	union {
		uint32_t weight[SAMPLE_CONDITIONS]; /* periods that passed, by condition */
		struct sample_event_sum sum;        /* of an event */
	};
	uint64_t frame[]; /* frame_pack */
};

struct sample_buffer; /* created, destroyed */

/* NULL without memory. bytes: of all records on their way, rounded up to pages. */
struct sample_buffer *sample_buffer_create(size_t bytes);
void sample_buffer_destroy(struct sample_buffer *buffer);

/* Room for a record with so many frames, to be filled but for its bytes and frames; sample_ready must
 * follow. NULL: there is none. */
struct sample_record *sample_claim(struct sample_buffer *buffer, unsigned frames);
void sample_ready(struct sample_record *record);

/* True if there is still much room. */
bool sample_buffer_has_room(const struct sample_buffer *buffer);

/* Shows all records that are ready, in the order of claims, up to one that is not; then they are gone. */
void sample_drain(struct sample_buffer *buffer,
	void (*show)(void *user, const struct sample_record *record), void *user);

#endif
