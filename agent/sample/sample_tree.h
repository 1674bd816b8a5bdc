/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/*
 * sample_tree: the call paths that samples, and events with a stack, have found, of all threads, each below a node of
 * the trace.
 *
 *   row 7 of the trace:  root -- A -- B              nodes that events made, known by their ids
 *                                     |
 *                                  (anchor) -- X -- Y     nodes of this tree
 *                                                   |
 *                                                   accounts: of samples by condition, state, line
 *
 * A frame below the anchor that has a node of the trace, too, is another node here: whoever reads
 * the file puts the two together.
 *
 * Where there is no more memory a new path ends at its deepest known node: in a fold below it, with the
 * method that ran; when there is no room for that either, in the fold of its anchor. Places have no lines
 * then. Sums, of anchors and methods, stay exact: what they need may go beyond the bound.
 *
 * Owns: its nodes. Runs: on one thread at a time, the writer's.
 */
#ifndef JPROF_SAMPLE_TREE_H
#define JPROF_SAMPLE_TREE_H

#include <stdbool.h>
#include <stdint.h>

#include "profile/profile_write.h"

struct sample_tree; /* created, destroyed */

/* NULL without memory. max_bytes: for all of it. */
struct sample_tree *sample_tree_create(uint64_t max_bytes);
void sample_tree_destroy(struct sample_tree *tree);

/* The place that samples hang below: of the trace's node with that id in the row. 0: no memory at all. */
uint32_t sample_tree_anchor(struct sample_tree *tree, uint32_t row, uint32_t node);

/* The node of a method called there; a new one if need be. 0: memory is short. */
uint32_t sample_tree_child(struct sample_tree *tree, uint32_t parent, uint32_t method);

/* Where paths were given up: below `node`, or farther out, the one of the method that ran, whatever is between. */
uint32_t sample_tree_folded(struct sample_tree *tree, uint32_t node, uint32_t method);

/* What is added to the account of a kind and subject at a node. */
struct sample_sum {
	enum account_kind kind;
	uint64_t subject; /* of samples the place: sample_place */
	uint64_t count, failures, amount, ns;
};

/* False: no memory at all. The subject of samples loses its line where memory is short. */
bool sample_tree_add(struct sample_tree *tree, uint32_t node, const struct sample_sum *sum);

/* The same of `count` stacks that stand for `amount` periods. */
static inline bool sample_tree_count(struct sample_tree *tree, uint32_t node, uint64_t place,
	uint64_t count, uint64_t amount)
{
	return sample_tree_add(tree, node,
		&(struct sample_sum){
			.kind = SAMPLES, .subject = place, .count = count, .amount = amount});
}

/* The node that stands for that one by now: itself, unless it went elsewhere by a forward. */
uint32_t sample_tree_now(const struct sample_tree *tree, uint32_t node);

/* What that one is called in the file. */
void sample_tree_node(
	const struct sample_tree *tree, uint32_t node, uint32_t *row, uint32_t *id);

/* The trace's node is no more: its counts went to another one, and so do those of all below it. */
void sample_tree_forward(struct sample_tree *tree, const struct profile_forward *forward);

/* Puts what changed since the last confirmed time. 0, or a negative code. */
int sample_tree_put(
	struct sample_tree *tree, struct profile_writer *profile, struct error *error);

/* What was put is kept; or it is lost, and the next time all is put. */
void sample_tree_confirm(struct sample_tree *tree, bool kept);

struct sample_tree_state {
	uint64_t bytes, nodes;
	uint64_t folded; /* samples whose path was cut for want of memory */
};
struct sample_tree_state sample_tree_state(const struct sample_tree *tree);

#endif
