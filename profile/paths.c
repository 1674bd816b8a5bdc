/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/* paths: see paths.h. */
#include "profile/paths.h"

#include <stdlib.h>

#define NOT_KNOWN UINT32_MAX

/* The path of a node that was looked for: its place + 1; 0: a root. */
struct known {
	uint64_t node; /* 0: a free slot */
	uint32_t path; /* or NOT_KNOWN */
};

struct paths {
	struct reader *reader;
	sqlite3_stmt *statement; /* of a node: its parent and method */
	struct known *slot;
	size_t slots, used; /* slots: a power of two */
	size_t room;        /* in profile->path */
	uint64_t *chain;    /* nodes on the way up, that have no path yet */
	uint32_t *method;   /* of each */
	size_t chain_room;
};

static struct known *slot_of(const struct paths *paths, uint64_t node)
{
	size_t at = (size_t)(node * 0x9e3779b97f4a7c15u >> 20);

	while (paths->slot[at & (paths->slots - 1)].node != 0 &&
		paths->slot[at & (paths->slots - 1)].node != node)
		at++;
	return &paths->slot[at & (paths->slots - 1)];
}

/* Room for one more, at most half full. False: no memory. */
static bool make_room(struct paths *paths)
{
	struct paths old = *paths;

	if (2 * (paths->used + 1) <= paths->slots)
		return true;
	paths->slots = old.slots ? 2 * old.slots : 256;
	paths->slot = calloc(paths->slots, sizeof *paths->slot);
	if (!paths->slot) {
		*paths = old;
		return false;
	}
	for (size_t i = 0; i < old.slots; i++)
		if (old.slot[i].node != 0)
			*slot_of(paths, old.slot[i].node) = old.slot[i];
	free(old.slot);
	return true;
}

static int remember(struct paths *paths, uint64_t node, uint32_t path)
{
	if (!make_room(paths))
		return reader_no_memory(paths->reader);
	paths->used += slot_of(paths, node)->node == 0;
	*slot_of(paths, node) = (struct known){node, path};
	return 0;
}

/* 1, and what the table has of the node; 0: it has no such node; or a negative code. */
static int ask(struct paths *paths, uint64_t node, uint64_t *parent, uint32_t *method)
{
	struct reader *reader = paths->reader;
	int result;

	sqlite3_reset(paths->statement);
	sqlite3_bind_int64(paths->statement, 1, (sqlite3_int64)node);
	result = sqlite3_step(paths->statement);
	if (result == SQLITE_DONE)
		return 0;
	if (result != SQLITE_ROW)
		return read_failed(reader->source, result, reader->error);
	*parent = (uint64_t)sqlite3_column_int64(paths->statement, 0);
	*method = (uint32_t)sqlite3_column_int64(paths->statement, 1);
	/* Ids rise: no way up is without an end. */
	if (*method >= reader->profile->method_count ||
		((uint32_t)node != 0 && (*parent >> 32 != node >> 32 || *parent >= node)))
		return read_damaged(reader->source, reader->error, "a call path is impossible");
	return 1;
}

/* The node that is there for this one. 1; 0: none is; or a negative code. */
static int follow(struct paths *paths, uint64_t *node, uint64_t *parent, uint32_t *method)
{
	const struct profile *profile = paths->reader->profile;
	int found = ask(paths, *node, parent, method);

	for (int i = 0; found == 0 && i < PROFILE_FORWARDS_MAX; i++) {
		const struct profile_forward *forward =
			profile_forward_find(profile, (uint32_t)(*node >> 32), (uint32_t)*node);

		if (!forward)
			break;
		*node = profile_node_id(forward->to_thread, forward->to_node);
		found = ask(paths, *node, parent, method);
	}
	return found;
}

static bool chain_add(struct paths *paths, size_t depth, uint64_t node, uint32_t method)
{
	size_t room = paths->chain_room ? 2 * paths->chain_room : 64;

	if (depth == paths->chain_room) {
		uint64_t *chain = reallocarray(paths->chain, room, sizeof *chain);
		uint32_t *methods;

		if (chain)
			paths->chain = chain;
		methods = chain ? reallocarray(paths->method, room, sizeof *methods) : NULL;
		if (!methods)
			return false;
		paths->method = methods;
		paths->chain_room = room;
	}
	paths->chain[depth] = node;
	paths->method[depth] = method;
	return true;
}

/* A path behind that of its caller; *path is the caller's, and then its own. */
static int add_path(struct paths *paths, uint32_t method, uint32_t *path)
{
	struct profile *profile = paths->reader->profile;
	size_t room = paths->room ? 2 * paths->room : 64;
	struct profile_path *grown;

	if (profile->path_count == paths->room) {
		grown = room < NOT_KNOWN ? reallocarray(profile->path, room, sizeof *grown)
					 : NULL;
		if (!grown)
			return reader_no_memory(paths->reader);
		profile->path = grown;
		paths->room = room;
	}
	profile->path[profile->path_count] = (struct profile_path){*path, method};
	*path = (uint32_t)++profile->path_count;
	return 0;
}

/* Up to a node whose path is known, and down again. *path: NOT_KNOWN: the node is not in the file. */
static int find_path(struct paths *paths, uint64_t node, uint32_t *path)
{
	uint64_t at = node, parent = 0;
	uint32_t method = 0;
	size_t depth = 0;
	int found = 1;

	*path = NOT_KNOWN;
	while (found == 1 && *path == NOT_KNOWN) {
		if (paths->slots && slot_of(paths, at)->node == at) {
			*path = slot_of(paths, at)->path;
			break;
		}
		found = depth == 0 ? follow(paths, &at, &parent, &method)
				   : ask(paths, at, &parent, &method);
		if (found != 1)
			break;
		if ((uint32_t)at == 0)
			*path = 0;
		else if (!chain_add(paths, depth++, at, method))
			return reader_no_memory(paths->reader);
		at = parent;
	}
	while (found >= 0 && *path != NOT_KNOWN && depth-- > 0) {
		found = add_path(paths, paths->method[depth], path);
		if (found == 0)
			found = remember(paths, paths->chain[depth], *path);
	}
	return found < 0 ? found : remember(paths, node, *path);
}

/* The place + 1 of the node's path; 0: it is a root, or not known. */
static int place(struct paths *paths, uint64_t *node)
{
	uint32_t path = 0;
	int status = 0;

	if (*node != 0)
		status = find_path(paths, *node, &path);
	*node = path == NOT_KNOWN ? 0 : path;
	return status;
}

int paths_read(struct reader *reader)
{
	struct profile *profile = reader->profile;
	struct paths paths = {.reader = reader};
	int status = reader_check(reader, TABLE_NODE);

	if (status == 0 && sqlite3_prepare_v2(reader->source->db,
				   "SELECT parent, method FROM node WHERE id = ?", -1,
				   &paths.statement, NULL) != SQLITE_OK)
		status = reader_no_memory(reader);
	for (size_t i = 0; i < profile->file_count && status == 0; i++)
		status = place(&paths, &profile->file[i].opened_in);
	for (size_t i = 0; i < profile->record_count && status == 0; i++)
		status = place(&paths, &profile->record[i].node);
	sqlite3_finalize(paths.statement);
	free(paths.slot);
	free(paths.chain);
	free(paths.method);
	return status;
}
