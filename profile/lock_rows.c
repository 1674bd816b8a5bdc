/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/* lock_rows: locks, and who waited for whom, as the trace `locks` tells of them. */
#include "profile/reader.h"

/* The thread that the node is of by now, or the one whose part that is. 0: there is no node. */
static uint32_t thread_of(const struct profile *profile, uint64_t node)
{
	uint32_t thread = (uint32_t)(node >> 32);
	const struct profile_forward *forward;
	ptrdiff_t place;

	for (int i = 0; i < PROFILE_FORWARDS_MAX; i++) {
		forward = profile_forward_find(profile, thread, 0);
		if (!forward)
			break;
		thread = forward->to_thread;
	}
	place = profile_thread_find(profile, thread);
	if (place >= 0 && profile->thread[place].group)
		thread = profile->thread[place].group;
	return thread;
}

static uint32_t lock_place(const struct profile *profile, uint32_t lock)
{
	return (uint32_t)(PLACE_OF(profile, lock, KEY_U32, lock) + 1);
}

static int check_contention(struct reader *reader, void *record, size_t i)
{
	struct profile_contention *row = record;

	row->thread = thread_of(reader->profile, row->node);
	row->holder_thread = thread_of(reader->profile, row->holder);
	row->lock = lock_place(reader->profile, row->lock);
	return 0;
}

static int check_wait(struct reader *reader, void *record, size_t i)
{
	struct profile_wait *row = record;

	row->thread = thread_of(reader->profile, row->node);
	row->holder_thread = thread_of(reader->profile, row->holder);
	row->lock = lock_place(reader->profile, row->lock);
	return 0;
}

int lock_rows_read(struct reader *reader)
{
	static const struct reader_list locks = READER_LIST(TABLE_LOCK, lock, .key = "lock id",
						.least = 1, .most = UINT32_MAX, .check = NULL),
					contentions = READER_LIST(TABLE_CONTENTION, contention,
						.key = "contention id", .least = 1,
						.most = UINT32_MAX, .check = check_contention),
					waits = READER_LIST(TABLE_LONG_WAIT, long_wait,
						.key = "wait id", .least = 1,
						.most = UINT32_MAX, .check = check_wait);
	int status = reader_read(reader, &locks);

	if (status == 0)
		status = reader_read(reader, &contentions);
	return status == 0 ? reader_read(reader, &waits) : status;
}
