/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/*
 * small_tree: what one call did, path by path, as the profile has it of slow calls.
 *
 * As bytes this is numbers (varint.h), five a node: how far its parent is in front of it, and 0 for the
 * first; method, calls, base, own. docs/profile-format.md has it, too.
 */
#ifndef JPROF_PROFILE_SMALL_TREE_H
#define JPROF_PROFILE_SMALL_TREE_H

#include <stddef.h>
#include <stdint.h>

/* The first is the call itself; parents stand before their children. */
struct small_node {
	uint32_t parent; /* its place; of the first one 0 */
	uint32_t method; /* id */
	uint64_t calls;
	uint64_t base; /* ns of wall-clock time in it, but for: */
	uint64_t own;  /* ns that jprof's own rare ways took there */
};

/* Bytes that `nodes` may take at most; puts them there, and returns how many. */
size_t small_tree_room(size_t nodes);
size_t small_tree_encode(const struct small_node *node, size_t nodes, uint8_t *bytes);

/* How many nodes the bytes have, into node if that is not NULL; SIZE_MAX: these are none. */
size_t small_tree_decode(const uint8_t *bytes, size_t size, struct small_node *node);

#endif
