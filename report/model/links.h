/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/*
 * links: the way from a node to its children, which a profile does not hold.
 *
 * Positions are those of profile->node. 0 means none: position 0 is the root of the first
 * thread, which has no parent. 8 bytes a node. A walk needs no stack: the parent's position
 * is in the node.
 */
#ifndef JPROF_REPORT_LINKS_H
#define JPROF_REPORT_LINKS_H

#include <stdint.h>

#include "report/model/model.h"

struct link {
	uint32_t first_child, next_sibling;
};

/* Something with its place in an order. */
struct rank {
	union {
		uint64_t number;
		const char *text; /* NULL comes first */
	};
	uint32_t item;
};

/* Links all nodes of the selected threads but hidden ones, by position. Children stand in the order of
 * rank, or, if that is NULL, in the order they were first entered. The store's; NULL without memory. */
struct link *links_make(const struct model *model, const struct rank *rank, size_t count);

/* Where a walk of one thread's tree is. */
struct walk {
	const struct profile *profile;
	const struct link *link;
	uint32_t root, at;
	uint32_t level;
};

/* Starts at the thread's root; false if the thread has no nodes. */
bool walk_start(
	struct walk *walk, const struct model *model, const struct link *link, size_t thread);

/* On to the next node, parents before children. False when all have been seen. */
bool walk_next(struct walk *walk);

/* The same, leaving out what is below the current node. */
bool walk_past(struct walk *walk);

#endif
