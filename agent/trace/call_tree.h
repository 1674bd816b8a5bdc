/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/*
 * call_tree: every call path of one thread, a node each.
 *
 * Owns: one growable mapping of nodes (arena), so that a node is base + index * stride and
 *       a link is a 32-bit index. Index 0 is the root, 1 the root's "(pruned)" child. A
 *       parent's index is always below its children's, also after pruning.
 * Runs: the owning thread writes counters (relaxed 64-bit stores, one writer) without a
 *       lock. Whatever moves or renumbers nodes (growing, pruning) takes the tree's lock;
 *       another thread that reads nodes holds it (LOCK_TREE).
 *
 *   node, 80 bytes + 8 a metric: two metrics 96
 *   +--------+--------+-------------+--------------+------------+---------------+-----------+----------+
 *   | method | parent | first_child | next_sibling | last_child | next_instance | recursion | children |  8 x 4
 *   +--------+--------+-------------+--------------+------------+---------------+-----------+----------+
 *   | calls | jitted | transition[2][2]         | base of metric 0 | base of metric 1 | ...              |
 *   +-------+--------+--------------------------+------------------+------------------+------------------+
 */
#ifndef JPROF_CALL_TREE_H
#define JPROF_CALL_TREE_H

#include <stdint.h>

/* What a transition is, and the index of a node's transition counts. */
enum transition { TRANSITION_ENTRY, TRANSITION_EXIT };

/* How the JVM ran a call. */
enum call_state { STATE_INTERPRETED, STATE_JITTED, STATE_NATIVE };

struct tree_node {
	uint32_t method;        /* id; METHOD_ROOT, METHOD_PRUNED or a real one */
	uint32_t parent;        /* index; the root's own is 0 */
	uint32_t first_child;   /* index, 0: none */
	uint32_t next_sibling;  /* index, 0: none */
	uint32_t last_child;    /* the child entered last: looked at first */
	uint32_t next_instance; /* next node of the same method in this tree, 0: none */
	uint32_t recursion;     /* ancestors with the same method */
	uint32_t children;      /* how many; above TREE_LIST_MAX they are in the tree's hash */
	uint64_t calls;         /* entered from a probe or an event; 0 for frames found on the stack */
	uint64_t jitted;        /* of them, how many ran jitted; the rest were interpreted, or
	                         * native where the method is */
	uint64_t transition[2][2]; /* [previous event][this event] of each stretch charged here */
	uint64_t base[];        /* one per metric of the session */
};

#endif
