/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/*
 * call_tree: every call path of one thread, or of many that are one row, a node each.
 *
 * Owns: one growable mapping of nodes (arena), so that a node is base + index * stride and
 *       a link is a 32-bit index. Index 0 is the root, 1 the root's fold. A
 *       parent's index is always below its children's, also after pruning.
 * Runs: the owning thread writes counters (relaxed 64-bit stores, one writer) and appends
 *       nodes without a lock. Whatever moves or renumbers nodes (growing, pruning) takes
 *       the tree's lock, as what posts accounts does; another thread that reads nodes holds it (LOCK_TREE). The tree of
 *       an ended thread belongs to the holder of LOCK_THREADS.
 *
 *   node, 80 bytes + 16 a metric: with two metrics 112
 *   +--------+--------+-------------+--------------+
 *   | id | method | parent | first_child |
 *   +--------+--------+-------------+--------------+     4 bytes each
 *   | next_sibling | last_child | recursion | children |
 *   +-------+--------+------------------+----------+-----------+
 *   | calls | jitted | transition[2][2] | base ... | spent ... |     8 bytes each
 *   +-------+--------+------------------+----------+-----------+
 *
 * Behind the last place for a node is an array of 8 bytes a node, by index: what the visitor has shown of
 * it (tree_written). So events, which do not look at that, have nodes of a size that is quick to index.
 *
 * Children are listed roughly in the order in which they are called: a new one is put behind
 * the one entered last. So the next sibling of last_child is a good second guess.
 *
 * Paths that were given up for want of memory are counted by method:
 *
 *   P --- fold --- flat A, flat B, flat C ...
 *
 * A fold, "(folded: memory)", is a child of the node P that kept its path. Its children are flat
 * nodes, one a method: each has all that the method did somewhere below P, on paths that are not
 * known any more, and of its labels. A flat node has no children: what is called from it goes to the flat nodes beside
 * it. So sums by method, and what P and all below it used, are what they were. A fold itself counts
 * nothing (but for the root's, when the system has no memory at all).
 *
 * A path has an id as long as it lives. Nodes that are left by a prune move together, and so get other
 * indices: those are for who holds the lock, or is the owner. What is outside (the profile, records)
 * has ids. Where an id that is known outside ceases, because its node is folded or its thread is
 * merged into a row of many, a forward tells which node has its counts from then on.
 *
 * Where even the limit is exceeded, and a prune has to wait, as while the nodes are copied, the root's
 * fold takes what is called: one node a method at most. What its callers and all below them used
 * is then more than their nodes tell.
 */
#ifndef JPROF_CALL_TREE_H
#define JPROF_CALL_TREE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "agent/lock/lock.h"
#include "agent/trace/arena.h"
#include "agent/trace/accounts.h"
#include "agent/trace/shadow_stack.h"
#include "calibration/sequence.h"
#include "profile/kinds.h"

enum {
	TREE_ROOT = 0,    /* index of the root */
	TREE_FOLDED = 1,  /* index of the root's fold */
	TREE_LIST_MAX = 8 /* children looked for in the list; more are in a hash */
};

/* In tree_node.children: the method is native, so its calls are, but for the jitted ones; the node is
 * flat; a record or the like has its id. The rest is how many there are. */
#define TREE_NATIVE   0x80000000u
#define TREE_FLAT     0x40000000u
#define TREE_REFERRED 0x20000000u
#define TREE_CHILDREN 0x1fffffffu

struct tree_node {
	uint32_t id; /* of its path: see above */
	uint32_t
		method; /* id; METHOD_ROOT, METHOD_FOLDED, a real one, or a label (tree_labels.h) */
	uint32_t parent; /* index; the root's own is 0 */
	union {
		struct {
			uint32_t first_child;  /* index, 0: none */
			uint32_t next_sibling; /* index, 0: none */
			uint32_t last_child;   /* the child entered last: looked at first */
		};
		/* While the tree is pruned or merged away; the links are made anew after. */
		struct __attribute__((packed, aligned(4))) prune_scratch {
			union {
				uint64_t cum; /* of metric 0 */
				struct {
					/* see tree_prune.c; merged: the other tree's node */
					uint32_t to;
					uint32_t next;
				};
			};
			uint16_t fineness; /* how small a part of its parents */
			uint16_t marks;
		} prune;
	};
	/* ancestors with the same method, of a label its own among them; of a flat node: of the known ones */
	uint32_t recursion;
	uint32_t children; /* how many, and the bits above */
	/* entered from a probe or an event; 0 for frames found on the stack */
	uint64_t calls;
	uint64_t jitted; /* of them, how many ran jitted; the rest were interpreted, or native
	                  * where the method is */
	/* [previous event][this event] of each delta charged here */
	uint64_t transition[2][2];
	uint64_t base[]; /* one per metric of the session, then spent, as many: of base, what
	                  * jprof's rare ways used */
};

_Static_assert(sizeof(struct tree_node) == 80, "a node is 80 bytes and 16 a metric");

/* Bytes from one node to the next. */
static inline __attribute__((always_inline)) size_t tree_stride(unsigned metrics)
{
	return sizeof(struct tree_node) + 16 * (size_t)metrics;
}

/* How many metrics nodes with that stride have. */
static inline unsigned tree_metrics(size_t stride)
{
	return (unsigned)((stride - sizeof(struct tree_node)) / 16);
}

/* A hash of node indices, open addressing; its keys are in the nodes. 0: empty slot. */
struct tree_index {
	uint32_t *slot; /* few, or the arena */
	uint32_t mask;  /* slots - 1, a power of two less one */
	uint32_t used;
	struct arena arena;
	uint32_t few[32];
};

/* The node with this id is no more; its counts are in another one. */
struct tree_forward {
	/* whose id it is: of a row that was merged into this tree; 0: this tree's */
	uint32_t thread;
	uint32_t from; /* the id */
	uint32_t to;   /* index */
};

struct call_tree {
	char *nodes;     /* moves under the lock */
	uint32_t stride; /* bytes of a node */
	uint32_t metrics;
	uint32_t count; /* nodes; stored with release when a new one is whole */
	uint32_t capacity;
	struct arena arena;
	struct tree_index children; /* by (parent, method): of parents with a long list */
	/* struct tree_forward, of ids that are known outside, oldest first */
	struct arena forwards;
	uint32_t forward_count, forward_shown;
	struct memory_budget *budget; /* borrowed */
	struct lock lock;
	uint32_t next_id; /* of the next node */
	uint32_t moves;   /* how often indices changed; stored under the lock */
	bool hold;        /* somebody is copying the nodes: do not prune; under the lock */
	bool closed;      /* no look-ups and no new nodes any more: it has no hashes */
	bool listed;      /* the system had no memory for a hash of children */
	/* it has had nodes that the budget refused, since it was pruned */
	bool forced;
	uint32_t patience;        /* nodes asked for until pruning is worth another try */
	uint64_t pruned;          /* nodes folded so far; one writer */
	struct accounts accounts; /* of the nodes; follow them when they are renumbered */
};

/* Calls by state; their sum is calls. */
struct tree_states {
	uint64_t interpreted, jitted, native;
};

static inline __attribute__((always_inline)) struct tree_node *tree_at(
	const struct call_tree *tree, uint32_t index)
{
	return (struct tree_node *)(tree->nodes + (size_t)index * tree->stride);
}

/* The visitor's: what tree_node_sum of the node was when it was last shown, + 1; 0: never. */
static inline uint64_t *tree_written(const struct call_tree *tree, uint32_t index)
{
	char *behind = tree->nodes + (size_t)tree->capacity * tree->stride;

	return (uint64_t *)(void *)behind + index;
}

/* Where the children are that a call from the node may go to: of a flat node, its fold. */
static inline uint32_t tree_callees(const struct call_tree *tree, uint32_t node)
{
	const struct tree_node *from = tree_at(tree, node);

	return from->children & TREE_FLAT ? from->parent : node;
}

/* For nodes of a live tree and of a copied block alike. */
static inline struct tree_states tree_node_states(const struct tree_node *node)
{
	uint64_t rest = node->calls - node->jitted;

	if (node->children & TREE_NATIVE)
		return (struct tree_states){0, node->jitted, rest};
	return (struct tree_states){rest, node->jitted, 0};
}

/* Grows with everything a node counts: equal sums of a node mean that nothing changed. */
static inline uint64_t tree_node_sum(const struct tree_node *node, uint32_t metrics)
{
	uint64_t sum = node->calls + node->jitted;

	sum += node->transition[0][0] + node->transition[0][1];
	sum += node->transition[1][0] + node->transition[1][1];
	for (uint32_t i = 0; i < metrics; i++)
		sum += node->base[i];
	return sum;
}

/* The root and its fold. 0, or -1 without memory: tree_fini is harmless. */
int tree_init(struct call_tree *tree, struct memory_budget *budget, uint32_t metrics,
	enum memory_claim claim);
void tree_fini(struct call_tree *tree);

/* Where a call of the method from the node goes: a child of tree_callees, which is looked at first
 * from now on; 0: there is none. */
uint32_t tree_find(struct call_tree *tree, uint32_t node, uint32_t method);

/* Makes that child, which must not exist. 0: no memory, nothing has changed. May move the nodes. */
uint32_t tree_add(struct call_tree *tree, uint32_t node, uint32_t method);

/* The flat node of the method for a call from the node, made if need be whatever the budget says, but in
 * the root's fold where its limit is exceeded; where the system has no memory: that fold itself. May
 * move the nodes. */
uint32_t tree_flat(struct call_tree *tree, uint32_t node, uint32_t method);

/* Adds the counts of all nodes of another tree, that of the row `thread`, with no more metrics, path by path; what finds no
 * memory is added to flat nodes, for which the tree is pruned in the end. No other thread looks at either
 * meanwhile. `from` is used up: only tree_fini may follow. */
void tree_merge(struct call_tree *tree, struct call_tree *from, uint32_t thread);

/* The forwards in order; `to` is an index as long as the lock is held. */
static inline const struct tree_forward *tree_forwards(const struct call_tree *tree)
{
	return tree->forwards.base;
}

/* Those that were shown are known outside by now. Under the lock. */
void tree_forget_forwards(struct call_tree *tree);

/* The id of the node, for a record or the like that keeps it. The owner's. */
static inline uint32_t tree_refer(struct call_tree *tree, uint32_t index)
{
	struct tree_node *node = tree_at(tree, index);

	if (__builtin_expect(!(node->children & TREE_REFERRED), 0))
		__atomic_store_n(
			&node->children, node->children | TREE_REFERRED, __ATOMIC_RELAXED);
	return node->id;
}

/* On any thread, under the lock. */
static inline bool tree_is_referred(const struct call_tree *tree, uint32_t index)
{
	return __atomic_load_n(&tree_at(tree, index)->children, __ATOMIC_RELAXED) &
	       TREE_REFERRED;
}

/* Its id is known outside from now on, as if it had been shown: where it goes, a forward has to tell. On any thread, under the lock. */
static inline void tree_tell(const struct call_tree *tree, uint32_t index)
{
	if (*tree_written(tree, index) == 0)
		__atomic_store_n(tree_written(tree, index), UINT64_MAX, __ATOMIC_RELAXED);
}

/* No visitor that looks for changes was shown the node. The owner's. */
static inline bool tree_is_new(const struct call_tree *tree, uint32_t index)
{
	return __atomic_load_n(tree_written(tree, index), __ATOMIC_RELAXED) == 0;
}

/* tree_find, or tree_add, or tree_flat. A method that is METHOD_FOLDED asks for the node's fold. */
uint32_t tree_place(struct call_tree *tree, uint32_t node, uint32_t method);

/* Folds the nodes whose share of their parent's cum (of metric 0) is smallest, a third of all, and more
 * where the budget is at its end and the tree has more than half of a fair share; those of the frames
 * only where that alone does not help and the tree has more than a small claim. The frames' indices and
 * *current (the last frame's; may be NULL) are brought up to date. Needs four bytes a method meanwhile,
 * which are forced, and gives memory back. Returns how many nodes fewer there are: 0 also while somebody
 * copies the nodes, and while the last try, which gave little, is not long ago. */
uint32_t tree_prune(
	struct call_tree *tree, struct shadow_frame *frame, size_t frames, uint32_t *current);

/* Makes all links and hashes anew from the nodes' methods and parents. */
void tree_relink(struct call_tree *tree);

/* Gives back what is not needed to read the nodes, or to prune them: no look-ups and no new
 * nodes from now on. */
void tree_close(struct call_tree *tree);

/* ---- more metrics: both under the lock ---- */

/* Room for what there is with so many metrics, whatever the budget says; nodes may move in memory. False: the system has
 * none. */
bool tree_room(struct call_tree *tree, uint32_t metrics);

/* So many metrics are counted from now on, 0 so far; there is room. Indices, ids and links stay. */
void tree_widen(struct call_tree *tree, uint32_t metrics);

/* Gives back nodes' memory beyond this many. */
void tree_shrink(struct call_tree *tree, uint32_t nodes);

/* Bytes of the budget, but for what a visit gives back at any time: the owner asks without the
 * lock. */
size_t tree_bytes(const struct call_tree *tree);

#endif
