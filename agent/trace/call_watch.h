/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/*
 * call_watch: what one call does, path by path, while it runs: its small tree.
 *
 * Nothing is timed twice. The thread's tree has what each node used; the watch notes, when a node is
 * entered for the first time since the call began, what it had by then:
 *
 *   entry of a method --> its node is new here? --> entry: counts of the node at that time
 *   the call ends     --> what each node has now, less that
 *
 * A virtual thread that is unmounted takes the differences with it, and goes on with the nodes of the lane
 * that it is mounted in next. A watched call in a watched call has a watch of its own, whose tree is added to
 * that of the outer one when it ends.
 *
 * Beyond CALL_WATCH_NODES paths nothing more is told apart: what those used is the rest of the call.
 *
 * Owns: its entries, in the trace's memory budget. Runs: in the thread, in the rare ways of events.
 */
#ifndef JPROF_CALL_WATCH_H
#define JPROF_CALL_WATCH_H

#include <stdbool.h>
#include <stdint.h>

#include "agent/trace/call_tree.h"
#include "profile/small_tree.h"

enum { CALL_WATCH_NODES = 1024 };

struct watch_entry;

/* Zero-initialise it; used again for call after call. */
struct call_watch {
	struct watch_entry *entry; /* parents before their children */
	uint32_t entries, room;
	uint32_t *slot; /* by node: entry + 1, or 0; open addressing */
	uint32_t mask;
	uint32_t moves; /* of the tree whose nodes these are */
	bool lost;      /* nodes were renumbered, or there was no memory: there is no tree */
	unsigned wall;  /* index of the metric */
	struct call_watch *next; /* of a list */
};

/* A call begins, in that node, which has counted it. */
void call_watch_begin(struct call_watch *watch, struct memory_budget *budget,
	const struct call_tree *tree, uint32_t node, unsigned wall);

/* A node below it was entered from parent, for the first time perhaps; or a label of a method that was is reached. */
void call_watch_enter(struct call_watch *watch, struct memory_budget *budget,
	const struct call_tree *tree, uint32_t parent, uint32_t node);

/* True if it would change nothing. */
bool call_watch_knows(
	const struct call_watch *watch, const struct call_tree *tree, uint32_t node);

/* Entries have what their nodes used until now; no node is theirs any more. */
void call_watch_settle(struct call_watch *watch, const struct call_tree *tree);

/* Behind that: the call goes on in that node, of another tree perhaps; and then, outermost first, in the
 * nodes that are on the stack above it. */
void call_watch_resume(struct call_watch *watch, struct memory_budget *budget,
	const struct call_tree *tree, uint32_t node);
void call_watch_resume_in(struct call_watch *watch, struct memory_budget *budget,
	const struct call_tree *tree, uint32_t parent, uint32_t node);

/* inner was the watch of a call in that node, and is settled: its entries' use is added to outer's. */
void call_watch_merge(struct call_watch *outer, struct memory_budget *budget,
	const struct call_tree *tree, uint32_t node, struct call_watch *inner);

/* Of a settled one: how many nodes its small tree has, in which labels are a part of their methods; 0: none is known. The tree
 * itself, into node if that is not NULL; returns the sum of jprof's own. */
uint32_t call_watch_nodes(const struct call_watch *watch);
uint64_t call_watch_tree(const struct call_watch *watch, struct small_node *node);

/* The next call may begin. */
void call_watch_end(struct call_watch *watch);

void call_watch_fini(struct call_watch *watch, struct memory_budget *budget);

#endif
