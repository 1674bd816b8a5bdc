/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/* watched: how long calls of watched methods took, and the slowest of them, as the reader gives them out. */
#include <string.h>

#include "profile/reader.h"

/* ---- rows ---- */

static int check_distribution(struct reader *reader, void *record, size_t i)
{
	struct profile_distribution *row = record;
	size_t cells = histogram_decode(row->buckets.bytes, row->buckets.size, NULL);

	if (profile_thread_find(reader->profile, row->thread) < 0)
		return read_damaged(reader->source, "calls of an unknown thread");
	if (row->method >= reader->profile->method_count || cells == SIZE_MAX)
		return read_damaged(reader->source, "distribution %zu is impossible", i + 1);
	row->histogram.cell =
		store_room(&reader->owned->store, cells + 1, sizeof(*row->histogram.cell));
	if (!row->histogram.cell)
		return reader_no_memory(reader);
	row->histogram.cells = cells;
	histogram_decode(row->buckets.bytes, row->buckets.size, row->histogram.cell);
	return 0;
}

static int check_slow_call(struct reader *reader, void *record, size_t i)
{
	struct profile_slow_call *call = record;
	uint32_t methods = reader->profile->method_count;
	size_t nodes = small_tree_decode(call->bytes.bytes, call->bytes.size, NULL);

	if (call->method >= methods || nodes == SIZE_MAX ||
		call->began + call->elapsed < call->began)
		return read_damaged(reader->source, "slow call %u is impossible", call->id);
	call->tree = store_room(&reader->owned->store, nodes + 1, sizeof(*call->tree));
	if (!call->tree)
		return reader_no_memory(reader);
	call->nodes = nodes;
	small_tree_decode(call->bytes.bytes, call->bytes.size, call->tree);
	for (size_t n = 0; n < nodes; n++)
		if (call->tree[n].method >= methods)
			return read_damaged(
				reader->source, "slow call %u has an unknown method", call->id);
	return 0;
}

int watched_read_distributions(struct reader *reader)
{
	static const struct reader_list rows =
		READER_LIST(TABLE_DISTRIBUTION, distribution, .check = check_distribution);

	return reader_read(reader, &rows);
}

int watched_read_slow_calls(struct reader *reader)
{
	static const struct reader_list calls =
		READER_LIST(TABLE_SLOW_CALL, slow_call, .key = "slow call id", .least = 1,
			.most = UINT32_MAX, .check = check_slow_call);

	return reader_read(reader, &calls);
}

/* ---- which thread ---- */

/* The id of the thread that has the counts of the one with this id; of a part of a group its group's. 0: none
 * has. Before paths are put together. */
static uint32_t thread_now(const struct profile *profile, uint32_t id)
{
	ptrdiff_t place = profile_thread_find(profile, id);
	size_t root;

	if (place < 0) {
		root = profile_node_find(profile, profile->node_count, id, 0);
		if (root == ROWS_NONE)
			return 0;
		place = profile->node[root].thread;
	}
	return profile->thread[place].group ? profile->thread[place].group
					    : profile->thread[place].id;
}

void watched_follow_threads(struct profile *profile)
{
	for (size_t i = 0; i < profile->distribution_count; i++)
		profile->distribution[i].thread =
			thread_now(profile, profile->distribution[i].thread);
	for (size_t i = 0; i < profile->slow_call_count; i++)
		profile->slow_call[i].thread =
			thread_now(profile, profile->slow_call[i].thread);
}

static bool ended_inside(
	const struct profile_interval *interval, const struct profile_slow_call *call)
{
	uint64_t ended = call->began + call->elapsed;

	return (!interval->from || ended > interval->begin) &&
	       (!interval->to || ended <= interval->end);
}

void watched_place_threads(struct profile *profile)
{
	size_t kept = 0;

	/* They are told apart by snapshots alone. */
	if (profile->interval.by_slices)
		profile->distribution_count = 0;
	for (size_t i = 0; i < profile->distribution_count; i++) {
		struct profile_distribution *row = &profile->distribution[i];
		ptrdiff_t place = profile_thread_find(profile, row->thread);

		if (place < 0 || row->count == 0)
			continue;
		row->thread = (uint32_t)place;
		profile->distribution[kept++] = *row;
	}
	profile->distribution_count = kept;
	kept = 0;
	for (size_t i = 0; i < profile->slow_call_count; i++) {
		struct profile_slow_call *call = &profile->slow_call[i];

		if (!ended_inside(&profile->interval, call))
			continue;
		call->thread = (uint32_t)(profile_thread_find(profile, call->thread) + 1);
		profile->slow_call[kept++] = *call;
	}
	profile->slow_call_count = kept;
}

/* ---- intervals ---- */

/* As much as there is. */
static uint64_t less(uint64_t *value, uint64_t amount)
{
	uint64_t taken = amount < *value ? amount : *value;

	*value -= taken;
	return amount - taken;
}

/* What is least and most is within the buckets that are left. */
static void bound(struct profile_distribution *row)
{
	const struct histogram *histogram = &row->histogram;
	uint64_t least, most;

	if (histogram->cells == 0)
		return;
	least = histogram_least(histogram->cell[0].bucket);
	most = histogram_most(histogram->cell[histogram->cells - 1].bucket);
	if (row->least < least)
		row->least = least;
	if (row->most > most)
		row->most = most;
}

int watched_subtract(struct owned_profile *owned, const struct profile *from)
{
	struct profile *to = &owned->profile;

	for (size_t i = 0; i < from->distribution_count; i++) {
		const struct profile_distribution *old = &from->distribution[i];
		uint32_t thread = old->thread;
		struct profile_distribution *new;
		struct histogram_cell *room;
		size_t place;

		if (profile_thread_find(to, thread) < 0) {
			size_t root = profile_node_find(to, to->node_count, thread, 0);

			if (root != ROWS_NONE)
				thread = to->thread[to->node[root].thread].id;
		}
		/* A method's row has the same number in every thread. */
		place = PLACE_OF(to, distribution, KEY_PAIR, profile_node_id(thread, old->id));
		if (place == ROWS_NONE) {
			to->interval.clamped++;
			continue;
		}
		new = &to->distribution[place];
		room = store_room(&owned->store,
			new->histogram.cells + old->histogram.cells + 1, sizeof(*room));
		if (!room)
			return -1;
		memcpy(room, new->histogram.cell, new->histogram.cells * sizeof(*room));
		new->histogram.cell = room;
		to->interval.clamped += histogram_add(&new->histogram, &old->histogram, -1) > 0;
		to->interval.clamped +=
			(less(&new->count, old->count) | less(&new->sum, old->sum) |
				less(&new->unplaced, old->unplaced)) != 0;
		bound(new);
	}
	return 0;
}
