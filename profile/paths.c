/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/*
 * paths: the call paths that files and records name, by the nodes of the file's last state.
 *
 * A node's id is good for the whole file, whatever interval is wanted. Where the node is no more, the
 * path is that of the node that has its counts.
 */
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "profile/reader.h"

/* All nodes that are named, those that forwards lead to, and their callers. Ids rise: a caller stands
 * before what it calls. */
#define NAMED_BY_FILES                                                                         \
	"WITH RECURSIVE named(id) AS (SELECT opened_in FROM file WHERE opened_in NOT NULL "
#define NAMED_BY_WAITS                                                                         \
	"UNION SELECT node FROM contention WHERE node NOT NULL "                               \
	"UNION SELECT holder FROM contention WHERE holder NOT NULL "                           \
	"UNION SELECT node FROM long_wait WHERE node NOT NULL "                                \
	"UNION SELECT holder FROM long_wait WHERE holder NOT NULL "                            \
	"UNION SELECT node FROM unfinished_wait WHERE node NOT NULL "                          \
	"UNION SELECT holder FROM unfinished_wait WHERE holder NOT NULL "
#define NAMED_BY_RECORDS "UNION SELECT node FROM record WHERE node <> 0 "
#define THEIR_CALLERS                                                                          \
	"UNION SELECT coalesce(n.parent, f.into_id) FROM named LEFT JOIN node n "              \
	"ON n.id = named.id LEFT JOIN forward f ON f.id = named.id WHERE coalesce(n.parent, "  \
	"f.into_id) NOT NULL) "                                                                \
	"SELECT n.id, n.parent, n.method, n.line, n.value, n.tags FROM named CROSS JOIN node " \
	"n ON n.id = named.id "                                                                \
	"WHERE n.id & 4294967295 ORDER BY 1"

/* While they are read. */
struct reading {
	struct reader *reader;
	size_t room;
	struct label_state *state; /* by path; NULL: nothing is chosen by labels */
	struct path_state *seen;   /* by path; NULL: all is wanted */
};

static int make_room(struct reading *reading)
{
	struct profile *profile = reading->reader->profile;
	size_t wanted = reading->room ? 2 * reading->room : 64;
	void *grown;

	if (profile->path_count < reading->room)
		return 0;
	grown = wanted < UINT32_MAX ? reallocarray(profile->path, wanted, sizeof *profile->path)
				    : NULL;
	if (!grown)
		return reader_no_memory(reading->reader);
	profile->path = grown;
	if (reading->reader->owned->chosen) {
		grown = reallocarray(reading->state, wanted, sizeof *reading->state);
		if (!grown)
			return reader_no_memory(reading->reader);
		reading->state = grown;
	}
	if (reading->reader->owned->view) {
		grown = reallocarray(reading->seen, wanted, sizeof *reading->seen);
		if (!grown)
			return reader_no_memory(reading->reader);
		reading->seen = grown;
	}
	reading->room = wanted;
	return 0;
}

/* The state of the labels below the caller, as they are for the session. */
static bool is_chosen_step(
	struct reading *reading, size_t caller, const struct profile_node *step)
{
	const struct owned_profile *owned = reading->reader->owned;
	struct label_state state = {0};

	if (!reading->state)
		return true;
	if (caller != ROWS_NONE)
		state = reading->state[caller];
	state = label_state_below(owned, state, (uint32_t[]){step->value, step->tags});
	reading->state[owned->profile.path_count] = state;
	return label_state_is_chosen(owned, state);
}

/* False: it is outside of what the session wants. stays: it is not a part of its caller. */
static bool is_seen_step(struct reading *reading, size_t caller, uint32_t thread,
	struct profile_node *step, bool *stays)
{
	const struct owned_profile *owned = reading->reader->owned;
	struct path_state *state;

	*stays = true;
	if (!reading->seen)
		return true;
	state = &reading->seen[owned->profile.path_count];
	*state = caller != ROWS_NONE ? reading->seen[caller] : sessions_root(owned, thread);
	*stays = sessions_step(owned, state, thread, step);
	return state->inside;
}

/* A path whose caller is not in the file is left out: it is not known. */
static int add_path(struct reading *reading, sqlite3_stmt *statement)
{
	struct reader *reader = reading->reader;
	struct profile *profile = reader->profile;
	uint64_t node = (uint64_t)sqlite3_column_int64(statement, 0);
	uint64_t parent = (uint64_t)sqlite3_column_int64(statement, 1);
	struct profile_node step = {.method = (uint32_t)sqlite3_column_int64(statement, 2),
		.line = (uint32_t)sqlite3_column_int64(statement, 3),
		.value = (uint32_t)sqlite3_column_int64(statement, 4),
		.tags = (uint32_t)sqlite3_column_int64(statement, 5),
		.sampled = (uint32_t)node >= NODE_SAMPLED_FIRST};
	bool was_label = (step.line | step.value | step.tags) != 0, stays, inside;
	size_t caller = ROWS_NONE;

	if (step.method >= profile->method_count || parent >> 32 != node >> 32 ||
		parent >= node)
		return read_damaged(reader->source, "a call path is impossible");
	if ((uint32_t)parent != 0 &&
		(caller = PLACE_OF(profile, path, KEY_U64, parent)) == ROWS_NONE)
		return 0;
	if (make_room(reading) < 0)
		return -ERROR_MEMORY;
	inside = is_seen_step(reading, caller, (uint32_t)(node >> 32), &step, &stays);
	inside &= is_chosen_step(reading, caller, &step);
	/* A label is its method's: what is called from there has that for its caller. */
	if (caller != ROWS_NONE && profile->path[caller].site)
		caller = profile->path[caller].parent - (size_t)1;
	/* What was a fold's is its caller's. */
	if (!stays && caller != ROWS_NONE && profile->path[caller].method == METHOD_FOLDED)
		caller = profile->path[caller].parent - (size_t)1;
	profile->path[profile->path_count++] = (struct profile_path){.node = node,
		.parent = (uint32_t)(caller + 1),
		.method = step.method,
		.site = !stays ||
			((caller != ROWS_NONE || step.method == METHOD_ROOT) && was_label),
		.outside = !inside};
	return 0;
}

/* The node's place, or that of the one that has its counts; ROWS_NONE: it is a root, or not known. */
static size_t find_path(const struct profile *profile, uint64_t node)
{
	size_t place = PLACE_OF(profile, path, KEY_U64, node);
	const struct profile_forward *forward;

	for (int i = 0; place == ROWS_NONE && node != 0 && i < PROFILE_FORWARDS_MAX; i++) {
		forward = profile_forward_find(profile, (uint32_t)(node >> 32), (uint32_t)node);
		if (!forward)
			break;
		node = profile_node_id(forward->to_thread, forward->to_node);
		place = PLACE_OF(profile, path, KEY_U64, node);
	}
	return place;
}

/* The place + 1 of the node's path; 0: as above. */
static uint64_t path_of(const struct profile *profile, uint64_t node)
{
	size_t place = find_path(profile, node);

	if (place != ROWS_NONE && profile->path[place].site)
		return profile->path[place].parent;
	return (uint64_t)(place + 1);
}

/* What is done there was not chosen, or is none of the session. */
static bool is_outside(const struct reader *reader, uint64_t node)
{
	const struct owned_profile *owned = reader->owned;
	size_t place;

	if (!owned->chosen && !owned->view)
		return false;
	place = find_path(reader->profile, node);
	if (place != ROWS_NONE)
		return reader->profile->path[place].outside;
	return (owned->chosen && !label_state_is_chosen(owned, (struct label_state){0})) ||
	       (owned->view && sessions_is_outside(owned, (uint32_t)(node >> 32)));
}

/* Rows that are at a node: of how many bytes, and where in them the ids of the node and of the holder's are. */
struct at_node {
	size_t size, node, holder; /* holder: 0: there is none */
};

static void follow_id(const struct reader *reader, char *row, size_t offset)
{
	uint64_t id;

	memcpy(&id, row + offset, sizeof id);
	id = path_of(reader->profile, id);
	memcpy(row + offset, &id, sizeof id);
}

/* Those that are chosen have their paths then. How many they are. */
static size_t follow(
	const struct reader *reader, const struct at_node *of, void *rows, size_t count)
{
	size_t kept = 0;

	for (size_t i = 0; i < count; i++) {
		char *row = (char *)rows + i * of->size, *to = (char *)rows + kept * of->size;
		uint64_t node;

		memcpy(&node, row + of->node, sizeof node);
		if (is_outside(reader, node))
			continue;
		follow_id(reader, row, of->node);
		if (of->holder)
			follow_id(reader, row, of->holder);
		memmove(to, row, of->size);
		kept++;
	}
	return kept;
}

int paths_read(struct reader *reader)
{
	static const struct at_node record = {sizeof(struct profile_record),
					    offsetof(struct profile_record, node), 0},
				    contention = {sizeof(struct profile_contention),
					    offsetof(struct profile_contention, node),
					    offsetof(struct profile_contention, holder)},
				    wait = {sizeof(struct profile_wait),
					    offsetof(struct profile_wait, node),
					    offsetof(struct profile_wait, holder)};
	struct profile *profile = reader->profile;
	struct reading reading = {.reader = reader};
	sqlite3_stmt *statement = NULL;
	int result, status;

	reader->snapshot = 0;
	status = reader_check(reader, TABLE_NODE);
	if (status < 0)
		return status;
	result = sqlite3_prepare_v2(reader->source->db,
		profile->record ? NAMED_BY_FILES NAMED_BY_WAITS NAMED_BY_RECORDS THEIR_CALLERS
				: NAMED_BY_FILES NAMED_BY_WAITS THEIR_CALLERS,
		-1, &statement, NULL);
	while (status == 0 && result == SQLITE_OK &&
		(status = reader_next_row(reader, statement)) == 1)
		status = add_path(&reading, statement);
	sqlite3_finalize(statement);
	free(reading.state);
	free(reading.seen);
	if (result != SQLITE_OK)
		return read_failed(reader->source, result);
	if (status < 0)
		return status;
	for (size_t i = 0; i < profile->file_count; i++)
		profile->file[i].opened_in = path_of(profile, profile->file[i].opened_in);
	profile->record_count = follow(reader, &record, profile->record, profile->record_count);
	profile->contention_count =
		follow(reader, &contention, profile->contention, profile->contention_count);
	profile->long_wait_count =
		follow(reader, &wait, profile->long_wait, profile->long_wait_count);
	profile->unfinished_wait_count =
		follow(reader, &wait, profile->unfinished_wait, profile->unfinished_wait_count);
	return status;
}
