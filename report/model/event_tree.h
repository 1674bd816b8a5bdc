/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/*
 * event_tree: the call tree that a profile's trace of events comes to, of all of it or of any time of it. Of all, where nothing
 * was lost and all methods were told of, it is the tree that was counted meanwhile.
 */
#ifndef JPROF_REPORT_EVENT_TREE_H
#define JPROF_REPORT_EVENT_TREE_H

#include "profile/pairs.h"
#include "report/model/event_walk.h"

/* Node 0 is none. A thread's root has parent 0 and method 0. */
struct event_node {
	uint32_t parent; /* stands before it */
	uint32_t method;
	uint32_t thread; /* place */
	uint32_t level;  /* of a root 0 */
	uint64_t calls;
	uint64_t self, total; /* ns of wall-clock time */
};

/* Embedded, zero at first. */
struct event_tree {
	struct event_node *node;
	uint32_t count; /* with node 0 */
	uint64_t events, lost, damaged, odd;
	/* Its own. */
	struct pairs children; /* of (parent, method), and (0, thread) */
	size_t room;
};

/* Of the time from..to, of threads that are wanted (NULL: all). 0, or a negative code; event_tree_fini in any case. */
int event_tree_make(struct event_tree *tree, const struct profile *profile, uint64_t from,
	uint64_t to, bool (*wants)(void *user, uint32_t thread), void *user,
	struct error *error);
/* The same, but its nodes, which were copied, are there from now on. */
void event_tree_give(struct event_tree *tree, struct event_node *node);
void event_tree_fini(struct event_tree *tree);

#endif
