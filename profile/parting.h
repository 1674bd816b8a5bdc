/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/* parting: nodes that become a part of others, of the same thread. labels.c and sessions.c say which. */
#ifndef JPROF_PROFILE_PARTING_H
#define JPROF_PROFILE_PARTING_H

#include "profile/pairs.h"
#include "profile/reader.h"

/* Embedded; all zero at first. */
struct parting {
	struct profile *profile;
	void *user; /* of who parts them */
	bool apart; /* paths of samples are not put together with those of calls */
	uint32_t *
		place; /* by a node as it was: where it is, or what it is a part of; the store's */
	size_t kept, first; /* nodes; of them before the thread's */
	/* Of one thread: of what two numbers of a name are one, for who needs that; and (caller, name) of each node: its number there. */
	struct pairs names, paths;
};

/* Says where node i is: fills its place, and keeps the node or adds it to another one. Those before it are where they will be; it stands
 * at kept or behind. 0, or -1 without memory. */
typedef int part_node(struct parting *parting, size_t i);

/* All nodes, in their order. 0, or -1 without memory: the profile is then fit for profile_free alone. Accounts are as they were. */
int parting_all(struct parting *parting, struct owned_profile *owned, part_node *part);

/* Keeps the node as one that is called by the node at `parent`, or adds it, calls and all, to the one of that name. 0, or -1. */
int parting_put(struct parting *parting, size_t i, const struct profile_node *node,
	uint32_t parent, uint32_t name);

/* Adds what the part used, and its transitions; not its calls. */
void parting_add(const struct profile *profile, struct profile_node *to,
	const struct profile_node *part);

#endif
