/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/*
 * event_walk: a profile's trace of events as calls: thread by thread, in the order of time.
 *
 *   blocks (profile_events) --> event_stream --> frames --> a visitor
 *
 * A block knows the frames at its begin; so one can be read without those before it, and what stands behind a gap is right.
 * The time between two events is the innermost frame's, as it is in the call tree that is counted: what the visitor is told of
 * it adds up to the tree's. Methods that the profile's session did not want are parts of their callers.
 *
 * Runs: in memory for the frames alone. Blocks may be damaged: they end where they are, and that is counted.
 */
#ifndef JPROF_REPORT_EVENT_WALK_H
#define JPROF_REPORT_EVENT_WALK_H

#include "error/error.h"
#include "profile/event_stream.h"
#include "profile/profile_read.h"

struct event_frame {
	uint32_t method; /* 0: it is not known */
	uint32_t node;   /* the visitor's */
	uint64_t begin;  /* ns since the session began */
	uint64_t self;   /* ns so far, without what it called */
	bool before;     /* it began before that; how long is not known */
	bool called;     /* its entry was told */
	bool hidden; /* another session's, which no visitor is told of: its time is its caller's */
	uint32_t above; /* hidden: which of those above a frame that is not; 1: the first */
	uint32_t shown; /* not hidden: which of those that are not; 1: the outermost */
};

/* How a frame is left. */
enum event_leave {
	LEAVE_EXIT,
	LEAVE_UNWIND, /* by an exception */
	LEAVE_CUT     /* it goes on, beyond what is known */
};

struct event_walk {
	/* The visitor's, given; functions may be NULL. A result below 0 ends the walk. */
	void *user;
	/* True if the thread's events (place) are wanted. */
	bool (*wants)(void *user, uint32_t thread);
	int (*enter)(
		struct event_walk *walk, struct event_frame *frame); /* it is the innermost */
	int (*leave)(struct event_walk *walk, struct event_frame *frame, enum event_leave how);
	/* So many ns are the innermost frame's (walk->top; NULL: of the thread, outside all). */
	int (*charge)(struct event_walk *walk, uint64_t ns);
	/* Something else: an operation; a virtual thread is on the carrier, or not any more; the end. */
	int (*other)(struct event_walk *walk, const struct stream_event *event);
	/* Events were lost before this moment (0: none, but what is between is not there). */
	int (*gap)(struct event_walk *walk, uint64_t lost, uint64_t since);

	const struct profile *profile;
	/* Blocks that lie outside are not read. */
	uint64_t from, to;

	/* What it is at. */
	uint32_t thread;  /* place */
	uint64_t at;      /* ns since the session began */
	uint32_t depth;   /* without frames that are hidden */
	uint64_t unknown; /* frames below them all, of which nothing is known */
	struct event_frame *top;

	/* Its own, and sums. */
	struct event_frame *frame;
	size_t room;
	uint32_t frames; /* with those that are hidden */
	uint64_t last,
		ahead; /* ns: since when the innermost frame is charged; what is to be added to that */
	uint64_t events, lost, damaged, odd;
};

/* A thread of the trace as one of the profile's, for names and choices. */
struct profile_thread event_thread_row(const struct profile *profile, uint32_t thread);

/* Walks all threads that are wanted. The struct is as given above, and zero behind that; event_walk_fini. 0, or a negative
 * code: the visitor's with error empty, or of memory, or of the file. */
int event_walk(struct event_walk *walk, struct error *error);
void event_walk_fini(struct event_walk *walk);

#endif
