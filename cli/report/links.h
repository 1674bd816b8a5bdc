/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/*
 * links: the way from a node to its children, which a profile does not hold.
 *
 * Positions are those of profile->node. 0 means none: position 0 is the root of the first
 * thread, and nobody's child. 8 bytes a node. A walk needs no stack: the parent's position
 * is in the node.
 */
#ifndef JPROF_REPORT_LINKS_H
#define JPROF_REPORT_LINKS_H

#include <stdint.h>

#include "cli/report/report.h"

struct link {
	uint32_t first_child, next_sibling;
};

struct links {
	struct link *link; /* by position */
};

/* Links all nodes of the selected threads but hidden ones. Children stand in the order of rank, or, if that
 * is NULL, in the order they were first entered. 0, or -1 without memory. */
int links_init(struct links *links, const struct report *report, const struct rank *rank,
	size_t count);
void links_fini(struct links *links);

/* Where a walk of one thread's tree is. */
struct walk {
	const struct profile *profile;
	const struct links *links;
	uint32_t root, at;
	uint32_t level;
};

/* Starts at the thread's root; false if the thread has no nodes. */
bool walk_start(struct walk *walk, const struct profile *profile,
	const struct links *links, size_t thread);

/* On to the next node, parents before children. False when all have been seen. */
bool walk_next(struct walk *walk);

/* The same, leaving out what is below the current node. */
bool walk_past(struct walk *walk);

#endif
