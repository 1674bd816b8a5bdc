/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/*
 * trace_test: what the tests of this room share: a metric set whose values the test decides, a
 * check that a tree is sound, a visitor that keeps what it is shown, and a naive model of what
 * events mean.
 */
#ifndef JPROF_TRACE_TEST_H
#define JPROF_TRACE_TEST_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "agent/trace/trace.h"
#include "sequence_model.h"

/* A set of so many metrics: the first counts vm_objects, the others vm_bytes, so that a test
 * sets both by hand. */
struct metric_set test_set(unsigned metrics);

static inline void test_use(struct thread_context *context, uint64_t objects, uint64_t bytes)
{
	metric_count(context->metric, METRIC_VM_OBJECTS, objects);
	metric_count(context->metric, METRIC_VM_BYTES, bytes);
}

struct thread_context *test_begin(struct trace *trace, const char *name);

/* How often a test with threads tries its luck: less often where a sanitizer makes it slow, which
 * looks at every try so much closer. */
#if defined(__SANITIZE_THREAD__) || defined(__SANITIZE_ADDRESS__)
#define TEST_TRIES(n) ((n) / 4 + 1)
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define TEST_TRIES(n) ((n) / 4 + 1)
#endif
#endif
#ifndef TEST_TRIES
#define TEST_TRIES(n) (n)
#endif

/* Numbers that are the same in every run. */
struct test_random {
	uint64_t state;
};
uint32_t test_random(struct test_random *random, uint32_t below);

/* Sums over nodes. */
struct test_sums {
	uint64_t nodes;
	struct tree_states states;
	uint64_t calls;
	uint64_t transition[2][2];
	uint64_t base[METRIC_MAX], spent[METRIC_MAX];
};

void test_add_node(struct test_sums *sums, const struct tree_node *node, unsigned metrics);
struct test_sums test_sum(const struct call_tree *tree);
void test_same_sums(const struct test_sums *a, const struct test_sums *b, unsigned metrics);

/* The same by method, of ids below TEST_METHODS: what pruning must not change. */
enum { TEST_METHODS = 10000 };
void test_add_methods(struct test_sums *sums, const struct call_tree *tree);
void test_same_methods(const struct test_sums *a, const struct test_sums *b, unsigned metrics);

/* Fails unless every rule of call_tree.h holds. */
void test_check_tree(struct call_tree *tree);

/* What a visit showed. */
struct test_row {
	struct trace_thread thread;
	struct thread_identity identity;
	struct test_sums sums;
	struct tree_node *nodes; /* owned copies */
	size_t stride;
	unsigned begins;
};

struct test_picture {
	struct test_row *row;
	size_t count;
	bool keep_nodes;
	unsigned metrics;
};

/* Fills an empty picture. */
struct trace_visitor test_visitor(struct test_picture *picture);

/* Takes a new picture, and fails unless each row's totals are the sums of its nodes. */
void test_visit(struct trace *trace, struct test_picture *picture);
void test_picture_fini(struct test_picture *picture);

/* Fails unless trace_totals says what the visit showed; nothing moves. */
void test_same_totals(struct trace *trace, const struct test_picture *picture);

/* The naive model: every path a node, searched for child by child. */
struct model_node {
	uint32_t method, parent;
	uint32_t first_child, next_sibling;
	struct tree_states states;
	uint64_t calls;
	uint64_t transition[2][2];
	uint64_t base[2];
};

struct model {
	struct model_node *node;
	uint32_t nodes, capacity;
	uint32_t *stack;   /* nodes */
	const char **type; /* of the same frames */
	struct sequence_model *sequences;
	uint32_t depth, stack_capacity;
	int previous;
	uint64_t pending[2]; /* used since the last event */
	uint64_t unwound, repaired, unmatched, lost;
};

void model_init(struct model *model);
void model_fini(struct model *model);
void model_use(struct model *model, uint64_t objects, uint64_t bytes);
void model_enter(struct model *model, uint32_t method, enum call_state state, bool is_static);
void model_exit(struct model *model, uint32_t method, bool unwound);
void model_caught(struct model *model, uint32_t method);
void model_end(struct model *model);
/* What was used is charged without an event: context_settle. */
void model_settle(struct model *model);
/* Adds the nodes and counts of another one, path by path, and its deltas. */
void model_add(struct model *model, const struct model *from);
struct test_sums model_sum(const struct model *model);
void model_add_methods(struct test_sums *sums, const struct model *model);

/* Fails if a node of the tree that has a path used more, with all below it, than the model's did.
 * Returns how many used as much: paths that were never folded. */
uint32_t model_check_cum(const struct model *model, const struct call_tree *tree);

/* A random step of both: a use, then an entry, an exit, or an exit out of turn. */
struct test_walk {
	struct test_random random;
	struct model *model;
	struct thread_context *context;
	uint32_t methods; /* how many different ones */
	uint32_t depth;   /* the usual one */
	bool faults;      /* exits out of turn too */
};
void test_step(struct test_walk *walk);

/* Fails unless the tree is the model's, node by node. */
void test_same_tree(struct call_tree *tree, const struct model *model);

/* The same for what a visit showed; its nodes were kept. */
void test_same_row(const struct test_row *row, const struct model *model);

#endif
