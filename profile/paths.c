/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/*
 * paths: the call paths that files and records name, by the nodes of the file's last state.
 *
 * A node's id is good for the whole file, whatever interval is wanted. Where the node is no more, the
 * path is that of the node that has its counts.
 */
#include <stdlib.h>

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
	"SELECT n.id, n.parent, n.method, coalesce(n.line, n.value, n.tags) FROM named CROSS " \
	"JOIN node n ON n.id = "                                                               \
	"named.id "                                                                            \
	"WHERE n.id & 4294967295 ORDER BY 1"

/* A path whose caller is not in the file is left out: it is not known. */
static int add_path(struct reader *reader, sqlite3_stmt *statement, size_t *room)
{
	struct profile *profile = reader->profile;
	uint64_t node = (uint64_t)sqlite3_column_int64(statement, 0);
	uint64_t parent = (uint64_t)sqlite3_column_int64(statement, 1);
	uint32_t method = (uint32_t)sqlite3_column_int64(statement, 2);
	size_t caller = ROWS_NONE;

	if (method >= profile->method_count || parent >> 32 != node >> 32 || parent >= node)
		return read_damaged(reader->source, "a call path is impossible");
	if ((uint32_t)parent != 0 &&
		(caller = PLACE_OF(profile, path, KEY_U64, parent)) == ROWS_NONE)
		return 0;
	if (profile->path_count == *room) {
		size_t wanted = *room ? 2 * *room : 64;
		void *grown = wanted < UINT32_MAX ? reallocarray(profile->path, wanted,
							    sizeof *profile->path)
						  : NULL;

		if (!grown)
			return reader_no_memory(reader);
		profile->path = grown;
		*room = wanted;
	}
	/* A call site is its method's: what is called from there has that for its caller. */
	if (caller != ROWS_NONE && profile->path[caller].site)
		caller = profile->path[caller].parent - (size_t)1;
	profile->path[profile->path_count++] = (struct profile_path){.node = node,
		.parent = (uint32_t)(caller + 1),
		.method = method,
		.site = caller != ROWS_NONE && sqlite3_column_int(statement, 3) > 0};
	return 0;
}

/* The place + 1 of the node's path; 0: it is a root, or not known. */
static uint64_t path_of(const struct profile *profile, uint64_t node)
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
	if (place != ROWS_NONE && profile->path[place].site)
		return profile->path[place].parent;
	return (uint64_t)(place + 1);
}

static void follow_waits(const struct profile *profile, struct profile_wait *row, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		row[i].node = path_of(profile, row[i].node);
		row[i].holder = path_of(profile, row[i].holder);
	}
}

int paths_read(struct reader *reader)
{
	struct profile *profile = reader->profile;
	sqlite3_stmt *statement = NULL;
	size_t room = 0;
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
		status = add_path(reader, statement, &room);
	sqlite3_finalize(statement);
	if (result != SQLITE_OK)
		return read_failed(reader->source, result);
	for (size_t i = 0; i < profile->file_count && status == 0; i++)
		profile->file[i].opened_in = path_of(profile, profile->file[i].opened_in);
	for (size_t i = 0; i < profile->record_count && status == 0; i++)
		profile->record[i].node = path_of(profile, profile->record[i].node);
	for (size_t i = 0; i < profile->contention_count && status == 0; i++) {
		struct profile_contention *row = &profile->contention[i];

		row->node = path_of(profile, row->node);
		row->holder = path_of(profile, row->holder);
	}
	follow_waits(profile, profile->long_wait, profile->long_wait_count);
	follow_waits(profile, profile->unfinished_wait, profile->unfinished_wait_count);
	return status;
}
