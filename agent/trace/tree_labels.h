/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/*
 * tree_labels: nodes of a call tree that are no methods, but tell calls of a method apart: a number for each.
 *
 *   X                 X                           kinds of labels
 *   |-- A     -->     |-- X, line 17 --- A        LABEL_LINE    the line that others are called from
 *                     |-- X, line 23 --- A        LABEL_VALUE   the value of a parameter
 *                                                 LABEL_TAGS    the tags of the thread's work
 *
 * A label is a node between a method's and those of what it calls: `method` of it is LABEL joined with the number. Several
 * of one method stand below each other: values first, then tags, then a line. So the events of calls, accounts, samples
 * know nothing of labels: they belong to the node that the thread is in. Who reads the profile takes these nodes out again,
 * and adds what they have to the method's.
 *
 * Owns: numbers and what they stand for, for good; the same label has the same number.
 * Runs: on any thread; look-ups without a lock, a new one takes LOCK_LABELS.
 */
#ifndef JPROF_TREE_LABELS_H
#define JPROF_TREE_LABELS_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "profile/kinds.h"

#define LABEL 0x80000000u /* no method has such an id */

enum {
	LABEL_BLOCK = 4096,
	LABEL_BLOCKS = 512,
	LABELS_MAX = LABEL_BLOCK * LABEL_BLOCKS,
	LABEL_LINE_MAX = UINT16_MAX /* JVM specification, 4.7.12 */
};

/* In the order in which they stand below their method. */
enum label_kind {
	LABEL_VALUE, /* content: a value's number (agent/values/values.h) */
	LABEL_TAGS,  /* a tag set's, above 0; 0: none where a caller has some */
	LABEL_LINE   /* a line's */
};

struct node_label {
	uint32_t method;
	uint32_t kind : 2;     /* enum label_kind */
	uint32_t content : 30; /* by kind: see there */
};

extern _Atomic(struct node_label *) label_blocks[LABEL_BLOCKS];

/* The label of that method. 0: no memory, or there are LABELS_MAX. */
uint32_t node_label(uint32_t method, enum label_kind kind, uint32_t content);

/* How often there was none, ever. On any thread. */
uint64_t node_labels_lost(void);

static inline bool is_label(uint32_t method)
{
	return method & LABEL;
}

static inline struct node_label node_label_of(uint32_t label)
{
	uint32_t number = label & ~LABEL;

	return atomic_load_explicit(&label_blocks[number / LABEL_BLOCK],
		memory_order_acquire)[number % LABEL_BLOCK];
}

/* The method itself, of a label the one that it tells apart. */
static inline uint32_t label_method(uint32_t method)
{
	return is_label(method) ? node_label_of(method).method : method;
}

/* What a label of that kind stands for; 0: it is no such label. */
static inline uint32_t label_content(uint32_t method, enum label_kind kind)
{
	struct node_label label =
		is_label(method) ? node_label_of(method) : (struct node_label){0};

	return is_label(method) && label.kind == kind ? label.content : 0;
}

/* As the profile has tags: + 1, so that 0 is no label of them. */
static inline uint32_t label_tags(uint32_t method)
{
	struct node_label label =
		is_label(method) ? node_label_of(method) : (struct node_label){0};

	return is_label(method) && label.kind == LABEL_TAGS ? label.content + 1 : 0;
}

/* What a label becomes in a fold: its method; of the root, which has no flat node, a label of no tags. */
static inline uint32_t label_folded(uint32_t method)
{
	uint32_t of = label_method(method);

	return is_label(method) && of == METHOD_ROOT ? node_label(METHOD_ROOT, LABEL_TAGS, 0)
						     : of;
}

#endif
