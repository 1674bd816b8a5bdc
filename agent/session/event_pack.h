/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/*
 * event_pack: events out of threads' rings, packed into blocks, which wait to be written or are thrown away.
 *
 *   rings --events_pack--> a block a thread, 64 KB, with the frames at its begin --> waiting, in the order in which
 *   they were full --> the profile
 *                 or, where the last seconds are kept: --> kept --> gone, or on request waiting
 *
 * Blocks are of the trace's memory. Where there is none, rings are left as they are until there is some again: then
 * threads lose events, which each segment says; of what is kept the oldest goes.
 *
 * Runs: on the writer's thread.
 */
#ifndef JPROF_EVENT_PACK_H
#define JPROF_EVENT_PACK_H

#include "agent/trace/trace.h"

struct event_block {
	struct event_block *next;
	uint32_t stream;
	uint32_t number;      /* of the stream's, 1, 2... */
	uint64_t first, last; /* ns of CLOCK_MONOTONIC */
	uint64_t count, lost; /* events; and such that were lost before the first */
	size_t size, room;
	uint8_t bytes[];
};

/* In the order of time; count and bytes of all. */
struct event_blocks {
	struct event_block *first, **end;
	uint64_t blocks, bytes;
};

/* A call that took as long as it was to be waited for. */
struct event_long {
	uint32_t method;
	uint32_t stream;
	uint64_t begin, end; /* ns of CLOCK_MONOTONIC */
};

struct event_packer; /* created, destroyed */

/* keep_ns: 0: all is to be written. longer: whether calls of the method are waited for, of at least *ns; NULL: of none.
 * NULL without memory. */
struct event_packer *event_packer_create(struct trace *trace, uint64_t keep_ns,
	bool (*longer)(void *user, uint32_t method, uint64_t *ns), void *user);
void event_packer_destroy(struct event_packer *packer);

/* Takes what rings have, as far as there is memory; or all, beyond the bound, too. */
void events_pack(struct event_packer *packer, bool all);

/* What has been packed is whole blocks, however small: so that all of it is waiting or kept. end: the recording's; events that
 * were lost at last are told, too. */
void events_seal(struct event_packer *packer, bool end);

/* Blocks that wait to be written. The caller takes some out at the front, by event_block_free, once they are in the file. */
struct event_blocks *events_waiting(struct event_packer *packer);
void events_drop_first(struct event_packer *packer);

/* What is kept, and reaches into the time from `from` on, is waiting now. Returns since when it is all there: no later than
 * `from`, unless some of it has gone already. */
uint64_t events_release(struct event_packer *packer, uint64_t from);

/* The first call that was waited for since this was asked last. False: there was none. */
bool events_take_long(struct event_packer *packer, struct event_long *call);

/* Of all: events that are in blocks, exits that matched nothing, events that were lost, and since when what is kept is whole; 0: nothing is. */
struct event_counts {
	uint64_t packed, odd, lost, kept_since;
};
struct event_counts events_count(const struct event_packer *packer);

/* The threads that have had a block since events_forget_threads. */
struct new_thread {
	struct new_thread *next;
	struct event_thread thread;
};
const struct new_thread *events_new_threads(const struct event_packer *packer);
void events_forget_threads(struct event_packer *packer);

#endif
