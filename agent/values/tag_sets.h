/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/*
 * tag_sets: the tags of a thread's work at a moment: a set of values of different tags, as a small number. 0 is the set
 * without any.
 *
 *   0 {}   --with user=alice-->   1 {user=alice}   --with tenant=acme-->   2 {user=alice, tenant=acme}
 *                                                  --with user=bob----->   3 {user=bob}
 *
 * From a set to another is a look-up in a table of such steps, a few ns.
 *
 * There are TAG_SETS_MAX of them at most. When most of these are taken, what would be a new set is the one in which the tag that was
 * put has "(others)", and the others keep what they have: a tag whose values are very many spoils no other. When TAG_SETS_PARTLY of
 * such are there, it is the one in which all of its tags have "(others)": sums by a tag then stay those of that tag, though not of its
 * values. Of such sets there can be 1,024, enough for ten tags in any combination; beyond them a set is 0, and what is told of its
 * tags is lost. Without memory it is one of these, too.
 *
 * Owns: the sets, until tag_sets_forget.
 * Runs: on any thread; a new set takes LOCK_TAG_SETS. errno is left as found.
 */
#ifndef JPROF_TAG_SETS_H
#define JPROF_TAG_SETS_H

#include <stdint.h>

enum {
	TAG_SETS_MAX = UINT16_MAX,
	TAG_SETS_PARTLY =
		8192, /* of these kept for sets with the "(others)" of one tag, or with one tag less */
	TAG_SETS_OTHERS = 1024 /* of these kept for sets of "(others)" */
};

struct tag_set {
	const uint32_t *value; /* by rising parameters */
	uint32_t count;
};

/* The set with this value in the place of what its tag had; value 0: the same set. */
uint32_t tag_set_with(uint32_t set, uint32_t value);

/* The set without the tag; parameter 0: the same set. */
uint32_t tag_set_without(uint32_t set, uint32_t parameter);

/* The value that the tag has in the set, or 0. */
uint32_t tag_set_value(uint32_t set, uint32_t parameter);

/* The largest number that there is. */
uint32_t tag_sets_count(void);

/* Borrowed until tag_sets_forget. Of 0: no values. */
struct tag_set tag_set_get(uint32_t set);

/* There are no sets any more, and nobody uses their numbers. Before values_forget. */
void tag_sets_forget(void);

#endif
