/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/* lock_rows: locks, and who waited for whom, as the trace `locks` tells of them. A wait is of the interval that it ended in; one
 * that was under way at an interval's end is unfinished there. */
#include "profile/reader.h"

/* The id of the thread that the node is of, in the state that is read, or of the one whose part that is. 0: there is no
 * node. */
static uint32_t thread_of(const struct profile *profile, uint64_t node)
{
	uint32_t id = (uint32_t)(node >> 32);
	ptrdiff_t place = profile_thread_find(profile, id);
	size_t root;

	if (place < 0 && id) {
		root = profile_node_find(profile, profile->node_count, id, 0);
		if (root == ROWS_NONE)
			return id;
		place = profile->node[root].thread;
	}
	if (place < 0)
		return 0;
	return profile->thread[place].group ? profile->thread[place].group
					    : profile->thread[place].id;
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

	if (row->begin + row->ns < row->begin)
		return read_damaged(reader->source, "wait %u is impossible", row->id);
	row->thread = thread_of(reader->profile, row->node);
	row->holder_thread = thread_of(reader->profile, row->holder);
	row->lock = lock_place(reader->profile, row->lock);
	return 0;
}

/* ---- intervals ---- */

static bool ended_inside(const struct profile_interval *interval, uint64_t ended)
{
	return (!interval->from || ended > interval->begin) &&
	       (!interval->to || ended <= interval->end);
}

/* True if the wait was under way at the interval's end; it is what had been of it by then. */
static bool cut_unfinished(const struct profile_interval *interval, struct profile_wait *wait)
{
	if (wait->begin + wait->ns <= interval->begin ||
		(interval->to && wait->begin >= interval->end))
		return false;
	if (interval->to && wait->begin + wait->ns > interval->end)
		wait->ns = interval->end - wait->begin;
	return true;
}

/* Those of the longest waits that ended behind the interval were under way at its end; both arrays have room for that. */
static void cut_waits(struct profile *profile)
{
	const struct profile_interval *interval = &profile->interval;
	size_t kept = 0;

	for (size_t i = 0; i < profile->unfinished_wait_count; i++) {
		struct profile_wait wait = profile->unfinished_wait[i];

		if (cut_unfinished(interval, &wait))
			profile->unfinished_wait[kept++] = wait;
	}
	profile->unfinished_wait_count = kept;
	kept = 0;
	for (size_t i = 0; i < profile->long_wait_count; i++) {
		struct profile_wait wait = profile->long_wait[i];

		if (ended_inside(interval, wait.begin + wait.ns))
			profile->long_wait[kept++] = wait;
		else if (interval->to && wait.begin + wait.ns > interval->end &&
			 cut_unfinished(interval, &wait))
			profile->unfinished_wait[profile->unfinished_wait_count++] = wait;
	}
	profile->long_wait_count = kept;
}

/* The longest of a row may have been in another interval: then it is the longest of those that are known one by one, if
 * there is one. */
static void find_longest(struct profile *profile)
{
	size_t kept = 0;

	for (size_t i = 0; i < profile->contention_count; i++) {
		struct profile_contention *row = &profile->contention[i];

		if (!ended_inside(&profile->interval, row->began + row->longest))
			row->longest = row->began = 0;
	}
	for (size_t i = 0; i < profile->long_wait_count; i++) {
		const struct profile_wait *wait = &profile->long_wait[i];
		size_t place = PLACE_OF(profile, contention, KEY_U32, wait->contention);

		if (place == ROWS_NONE || profile->contention[place].longest >= wait->ns)
			continue;
		profile->contention[place].longest = wait->ns;
		profile->contention[place].began = wait->begin;
	}
	for (size_t i = 0; i < profile->contention_count; i++)
		if (profile->contention[i].count > 0)
			profile->contention[kept++] = profile->contention[i];
	profile->contention_count = kept;
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
						.most = UINT32_MAX, .check = check_wait),
					unfinished = READER_LIST(TABLE_UNFINISHED_WAIT,
						unfinished_wait, .key = "wait id", .least = 1,
						.most = UINT32_MAX, .check = check_wait);
	struct profile *profile = reader->profile;
	struct profile_wait *room;
	int status = reader_read(reader, &locks);

	if (status == 0)
		status = counted_rows_read(reader, &contentions, TABLE_SLICE_CONTENTION);
	if (status == 0)
		status = reader_read(reader, &waits);
	if (status == 0)
		status = reader_read(reader, &unfinished);
	if (status < 0 || (!profile->interval.from && !profile->interval.to))
		return status;
	room = store_room(&reader->owned->store,
		profile->unfinished_wait_count + profile->long_wait_count + 1, sizeof(*room));
	if (!room)
		return reader_no_memory(reader);
	if (profile->unfinished_wait_count > 0)
		memcpy(room, profile->unfinished_wait,
			profile->unfinished_wait_count * sizeof(*room));
	profile->unfinished_wait = room;
	cut_waits(profile);
	find_longest(profile);
	return 0;
}
