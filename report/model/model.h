/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/*
 * model: what was chosen of a profile: threads, metrics, files and methods, adjusted figures;
 * and what its nodes and threads have then.
 *
 * In:   a profile in memory (an interval of it is one like any other), and what the user chose.
 * Out:  what views, formats that walk the tree, and others ask. Nothing here knows of rows.
 * Owns: a store, for itself and for whatever is made of it; all is given back at once.
 *
 * edges.h has the sums by caller and callee.
 */
#ifndef JPROF_REPORT_MODEL_H
#define JPROF_REPORT_MODEL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "error/error.h"
#include "options/pattern.h"
#include "profile/profile_read.h"
#include "report/model/adjustment.h"
#include "profile/store.h"

struct components;
struct method_component;

/* What the user chose. */
struct model_choice {
	const char *metrics; /* names, of conditions, too, joined by '+', or NULL for all */
	struct pattern_list threads; /* empty: all */
	struct pattern_list files;   /* names, addresses of connections; the same */
	/* I/O: in whose call paths it was done; calls: those below or within such; the
	 * same */
	struct pattern_list methods;
	/* Only what was done by calls of such methods, and below them; and below frames of components with such names: the same. */
	struct pattern_list paths, within;
	/* A file that defines those, or ready-made ones (components_choose); NULL: those of the profile. */
	const char *definitions;
	/* What the profile was chosen by when it was read. */
	struct label_choice labels;
	bool merge_threads; /* all selected threads are one */
	bool program_alone; /* threads that the JVM has for itself are not selected */
	/* Frames of one component that follow each other are one, called as the component is; NULL: each is itself. Borrowed */
	const struct components *components;
	/* NULL: nothing is known of it, and nothing said */
	const struct adjustment *adjustment;
};

struct method_label {
	struct label class_name, name, signature; /* borrowed from the profile */
	/* For people: class.method, with its parameters where the class has several of that
	 * name: com.acme.Foo.bar(int,String[]) */
	struct label display;
};

/* A node's part of a metric that is divided by samples, and how far off it may be (division.c): the square of that, of its base
 * and its cum; and what of its base may be others', where no sample came: in parts of an error as a calibration's are. */
struct part {
	uint64_t figure;
	double base_square, cum_square;
	double unseen, unseen_square;
	/* Of a region's own node: what counting used in the region, and the square of how far off that may be. */
	uint64_t counting;
	double counting_square;
};

/* What a node of merged threads, or of components, is made of: of one node, as a rule. */
struct merged_node {
	uint32_t first; /* of those as they were read: the first that has become this one */
	/* What several have together; NULL: the first is the only one. */
	struct merged_sum *sum;
};

struct model {
	const struct profile *profile; /* borrowed; of merged threads: made from that */
	/* As it was read: where threads are merged, each by itself; and methods are no components. Of what was chosen by call paths
	 * that alone, and what leads to it (chosen.h). Borrowed. */
	const struct profile *apart;
	const struct profile *read; /* and all of it. Borrowed. */
	/* By node of apart: its place in read; and whether it only leads to what was chosen. NULL: apart is read. */
	const uint32_t *from;
	const bool *leads;
	/* Of the calls that were counted without a path, those of methods below whose calls things were chosen. */
	uint64_t pathless;
	const struct model_choice *choice;
	/* The chosen metrics, and their index in the profile. */
	const struct profile_metric *metric[PROFILE_METRIC_MAX];
	unsigned metric_index[PROFILE_METRIC_MAX], metric_count;
	/* The chosen conditions on what samples were taken, what reports call them, and how many stacks each
	 * took, as if these stood for equally many periods. */
	const struct profile_condition *condition[SAMPLE_CONDITIONS_MAX];
	const char *condition_name[SAMPLE_CONDITIONS_MAX];
	uint64_t taken[SAMPLE_CONDITIONS_MAX];
	unsigned condition_count;
	const uint64_t *samples; /* by node of apart, condition_count each; or NULL */
	/* By node: the same of those that are none of the program: in the state of jprof, which was counting a call of the
	 * node's method. */
	const uint64_t *counting;
	/* What those stand for is taken out of divided figures. */
	bool takes_counting;
	bool *has_samples; /* by position of the thread; or NULL */
	bool lacks_calls;  /* there are samples, and no call has a path */
	bool has_sites;    /* some nodes are kept apart by the line of their caller */
	/* Some metrics are divided by samples: calls=auto. */
	bool is_divided;
	/* By metric, of the nodes as they were read: their parts (model_part); NULL: it stays where it was measured. */
	struct part *part[PROFILE_METRIC_MAX];
	/* Of those, what was measured where no sample was taken. */
	uint64_t unsampled[PROFILE_METRIC_MAX];
	/* By node as it was read: the one of read whose figures it has a part of. */
	const uint32_t *owner;
	/* By method: calls of the chosen threads that were counted, without their paths; NULL: none were. */
	const uint64_t *counted;
	const struct adjusted *adjusted; /* NULL: figures are as they were counted */
	bool has_errors;                 /* it is adjusted, or divided */
	/* How many values something has: one a metric and a condition, and where there are errors what was counted, and the
	 * parts of its error. */
	/* all of them; those without squares of samples, which are last; those that are whole numbers, which are first; of
	 * those metrics and conditions */
	unsigned values, squares, counts, figures;
	/* the figure that tells where a program spends most: the first metric, or without one the first
	 * condition */
	unsigned lead;
	const struct merged_node
		*merged; /* of the nodes of merged threads, or of components; or NULL */
	/* By node as it was read: the one that it has become; and whether events of traces alone have found it, or NULL. */
	const uint32_t *place;
	const bool *told_apart;
	/* By method as it was read; NULL: methods are no components. */
	const struct method_component *component;
	bool *selected; /* by position of the thread */
	/* What threads that are left out as the JVM's own ran, in samples on the first chosen condition. */
	uint64_t jvm_samples[SAMPLE_STATES];
	/* By node: events of traces alone have found it; NULL: none. Where threads are merged, of the nodes as they were read. */
	bool *told;
	bool *hidden;   /* by node: a fold that nothing was folded into, or told */
	uint32_t *node; /* positions of selected nodes but hidden ones, rising */
	size_t node_count;
	/* By node: what it and all below it used may be more than its cum, for paths were folded;
	 * NULL: that is so of none. */
	bool *at_least;
	struct store *store;         /* of all that is made of the model */
	struct method_label *method; /* by method id */
	struct label *thread;        /* by position of the thread */
};

/* 0, or a negative code. Embedded (model_fini), also after a failure. choice is borrowed. */
int model_init(struct model *model, const struct profile *profile,
	const struct model_choice *choice, struct error *error);
void model_fini(struct model *model);

/* Those of all methods, by id. The store's; NULL without memory. */
struct method_label *method_labels(struct store *store, const struct profile *profile);

/* Makes one tree of all selected threads: from here on the profile has one thread, whose nodes are the sums of
 * those with the same path; it has their samples, their I/O and pauses, no other accounts, and borrows all else. 0, or -1 without
 * memory. */
int model_merge_threads(struct model *model);

/* The same of the components that methods are of, with or without merging: from here on the profile's methods are components,
 * METHOD_FIRST + the component's place, without a class, and nodes are steps (components.h). What is said of a step's calls is
 * that of the frames which began it; all else is that of all its frames, all accounts as well, but for calls that were counted
 * without their paths. */
int model_fold_components(struct model *model);

/* "no memory for the report". Returns a negative code. */
static inline int model_no_memory(struct error *error)
{
	return error_set(error, ERROR_MEMORY, "no memory for the report");
}

/* True if the profile has rows of virtual threads, selected or not. */
bool model_has_virtual(const struct model *model);

/* True where samples, not a metric, tell where a program spends most. */
static inline bool model_leads_by_samples(const struct model *model)
{
	return model->lead == model->metric_count && model->condition_count > 0;
}

static inline bool model_is_at_least(const struct model *model, size_t node)
{
	return model->at_least && model->at_least[node];
}

/* ---- wanted.c: what the user named ---- */

/* What a thread's row is called: its name, and of virtual threads without one, that they are
 * such. */
const char *model_thread_name(const struct profile_thread *thread);

/* True for a thread of the profile that is chosen. */
bool model_wants_thread(const struct model *model, const struct profile_thread *thread);

/* True for a method that a pattern matches, its class or all of it; of components, whose name it is. */
bool model_method_matches(
	const struct model *model, const struct pattern_list *patterns, uint32_t method);

/* True if the user asked for methods like that, or for none. */
bool model_wants_method(const struct model *model, uint32_t method);

/* The same for the names of a file or connection; NULL: there is none. */
bool model_wants_file(const struct model *model, const struct profile_file *file);

/* By node: a wanted method is on its path. The store's; NULL without memory. */
bool *model_below_wanted(const struct model *model);

/* ---- values.c: figures of nodes and threads, and their sums ---- */

/*
 * What something has of each metric, side by side, model->values of them: the figure; how many samples on
 * each condition; where there are errors also what was counted, and the three parts of the error
 * (calibration/adjust.h); where figures are divided the square of what that may be off by.
 *
 *   figure[metrics] samples[conditions] | counted[metrics] | whole[metrics] | common[metrics] | square[metrics] |
 *   divided[metrics]
 *
 * They add up, each by itself; a sum's error is made of the sums of the parts. The squares of division add up also where
 * things are taken away from others.
 */
union model_value {
	uint64_t count;
	double part; /* of an error */
};

enum {
	MODEL_LAYERS = 6,
	MODEL_FIGURES_MAX = PROFILE_METRIC_MAX + SAMPLE_CONDITIONS_MAX,
	MODEL_VALUES_MAX = MODEL_LAYERS * PROFILE_METRIC_MAX + SAMPLE_CONDITIONS_MAX
};

/* Those of the i-th of many things. */
#define model_at(model, array, i) ((array) + (size_t)(i) * (model)->values)

/* Of several nodes of merged threads: what model_base and model_part give. */
struct merged_sum {
	struct part *part; /* by metric; NULL: nothing is divided */
	union model_value values[];
};

/* Of a metric that is divided: the node's part. */
static inline const struct part *model_part(const struct model *model, unsigned m, size_t node)
{
	const struct merged_node *merged = model->merged ? &model->merged[node] : NULL;

	if (merged && merged->sum)
		return &merged->sum->part[m];
	return &model->part[m][merged ? merged->first : node];
}

/* Room for those of count things, zero. The store's; NULL without memory. */
union model_value *model_values(const struct model *model, size_t count);

/* What a node has of its own. */
void model_base(const struct model *model, size_t node, union model_value *values);

/* The same before it is divided, of a node of model->read; without samples. */
void model_measured(const struct model *model, size_t node, union model_value *values);

/* What samples have not told of a node's base is no matter of what all below it used: takes that out of the errors of base, and
 * puts the square of its cum there. */
void model_whole_errors(const struct model *model, size_t node, union model_value *values);

/* Half the width of the interval of a metric's figure; where there are errors. */
uint64_t model_error(const struct model *model, const union model_value *values, unsigned m);

/* True for a figure that samples have divided. */
static inline bool model_is_part(
	const struct model *model, const union model_value *values, unsigned m)
{
	return model->is_divided && values[model->squares + m].part > 0;
}

/* Adds values to those of another thing, or takes them away again. */
static inline void model_add(
	const struct model *model, union model_value *sums, const union model_value *values)
{
	unsigned v = 0;

	for (; v < model->counts; v++)
		sums[v].count += values[v].count;
	for (; v < model->values; v++)
		sums[v].part += values[v].part;
}

static inline void model_subtract(
	const struct model *model, union model_value *sums, const union model_value *values)
{
	unsigned v = 0;

	for (; v < model->counts; v++)
		sums[v].count -= values[v].count;
	for (; v < model->squares; v++)
		sums[v].part -= values[v].part;
	for (; v < model->values; v++)
		sums[v].part += values[v].part;
}

/* The values of all a thread's nodes. */
void model_sum(const struct model *model, size_t thread, union model_value *values);

/* What a thread used: the values of all its nodes but for those of metrics and what was counted of them, which
 * are what its counters say, and what is left of that. Of what was chosen by places it is what their nodes have. */
void model_total(const struct model *model, size_t thread, union model_value *values);

/* What counting used of a metric in a thread: what was taken out of the bases of its nodes. */
uint64_t model_counting_of(const struct model *model, size_t thread, unsigned m);

/* cum of every node: base plus that of its children. Nodes of all threads. The store's; NULL without
 * memory. */
union model_value *model_cum(const struct model *model);

/* What the selected threads used together, by figure. */
void model_whole(const struct model *model, uint64_t whole[MODEL_FIGURES_MAX]);

/* ---- samples.c: of what nodes were seen in ---- */

/* True for a thread that the JVM has for itself: a collector's, a compiler's. */
bool model_is_jvm_thread(const struct profile_thread *thread);

/* True for samples of the chosen threads on a chosen condition, and which one. */
bool model_is_sample(
	const struct model *model, const struct profile_account *account, unsigned *condition);

/* What a counted call takes at most, in steady code (bench/budget). A processor that works out of order is found waiting in the
 * counter's addition for what it does beside: where methods do nothing but call one another, samples there are twice as many as
 * counting takes. */
#define COUNTED_CALL_NS 0.7

/* The part of so many samples of counting, 0 to 1, that so many calls can have had. Calls that were counted have no labels: where what
 * is read was chosen by labels, it is the part of the whole. */
double model_counting_part(
	const struct profile *profile, uint32_t condition, double calls, double samples);

/* Those among them that were taken while jprof counted a call are none of the program: this is true of them instead. */
bool model_is_counting(
	const struct model *model, const struct profile_account *account, unsigned *condition);

/* The method whose lines a node's samples are of: its own, or of the next one above it that is Java and not native; METHOD_ROOT: there
 * is none. */
static inline uint32_t model_lines_method(const struct model *model, uint32_t node)
{
	const struct profile *profile = model->profile;
	const struct profile_method *method = &profile->method[profile->node[node].method];

	while ((method->kind != METHOD_JAVA || method->is_native) &&
		profile->node[node].parent != node) {
		node = profile->node[node].parent;
		method = &profile->method[profile->node[node].method];
	}
	return profile->node[node].method;
}

/* What a measured figure is divided by: the node's samples among those of a region, a node that calls have found
 * with what samples alone have found below it. */
struct estimates {
	uint32_t *owner; /* by node: the one that its region is of */
	uint64_t *
		samples; /* by owner: those of its region, condition_count each; of counting, too */
	/* By metric: the condition that it is divided by, + 1: the one on the same event; 0: none. */
	unsigned condition[PROFILE_METRIC_MAX];
	/* By condition: how many stacks there are to a sample; a stack may stand for several. */
	double stacks[SAMPLE_CONDITIONS_MAX];
};

/* The chosen condition on the same event as the metric, + 1; 0: there is none. */
unsigned model_condition_of(const struct model *model, const struct profile_metric *metric);

/* False where there is nothing to estimate: no node that samples alone have found, or no metric; or metrics are divided. */
bool model_can_estimate(const struct model *model);

/* 0, or -1 without memory. */
int estimates_init(struct estimates *estimates, const struct model *model);

/* Of such a node: the part of its owner's base (of one metric) that so many samples stand for, and two
 * standard errors of that. */
struct estimate {
	uint64_t figure, error;
};
struct estimate estimate_part(const struct estimates *estimates, const struct model *model,
	uint32_t node, unsigned metric, uint64_t samples);

/* ---- division.c: measured figures divided by samples, where methods are timed, or counted beside samples ---- */

/* Whether some of the chosen metrics are. */
void model_choose_division(struct model *model);

/* Fills model->part and owner: of threads that are not yet merged. 0, or -1 without memory. */
int model_divide(struct model *model);

/* Why there are fewer samples than periods, and what else the agent counts of them: facts of the profile, by
 * condition; those that are a loss come first. */
struct sample_reason {
	const char *key, *meaning;
	bool lost;
};
enum { SAMPLE_REASONS = 7 };
extern const struct sample_reason sample_reasons[SAMPLE_REASONS];

/* The fact `sample.CONDITION.KEY`; 0: there is none. */
uint64_t model_sample_fact(const struct model *model, unsigned condition, const char *key);

/* Fills model->samples, counting, has_samples and taken. 0, or -1 without memory. */
int model_count_samples(struct model *model);

/* True if there are samples, and no node has calls. */
bool model_lacks_calls(const struct model *model);

/* Fills model->counted. 0, or -1 without memory. */
int model_count_calls(struct model *model);

/* The method whose code a node's samples are of: its own, or of the next one above it that the program's own
 * Java code is; METHOD_ROOT: there is none. */
static inline uint32_t model_java_method(const struct model *model, uint32_t node)
{
	const struct profile *profile = model->profile;

	while (profile->method[profile->node[node].method].kind != METHOD_JAVA &&
		profile->node[node].parent != node)
		node = profile->node[node].parent;
	return profile->node[node].method;
}

/* ---- links.c: the way from a node to its children, which a profile does not hold ---- */

/*
 * Positions are those of profile->node. 0 means none: position 0 is the root of the first
 * thread, which is no node's child. 8 bytes a node. A walk needs no stack: the parent's position
 * is in the node.
 */
struct link {
	uint32_t first_child, next_sibling;
};

/* Something with its place in an order. */
struct rank {
	union {
		uint64_t number;
		const char *text; /* NULL comes first */
	};
	uint32_t item;
};

/* Links all nodes of the selected threads but hidden ones, by position. Children stand in the order of
 * rank, or, if that is NULL, in the order they were first entered. The store's; NULL without memory. */
struct link *links_make(const struct model *model, const struct rank *rank, size_t count);

/* Where a walk of a tree is. */
struct walk {
	const struct profile *profile;
	const struct link *link;
	uint32_t root, at;
	uint32_t level;
};

static inline struct walk walk_from(
	const struct model *model, const struct link *link, uint32_t root)
{
	return (struct walk){.profile = model->profile, .link = link, .root = root, .at = root};
}

/* On to the next node, parents before children. False when all have been seen. */
bool walk_next(struct walk *walk);

/* The same, leaving out what is below the current node. */
bool walk_past(struct walk *walk);

/* ---- what each method did, summed over all its nodes in the selected threads ---- */

/*
 * cum is summed over the nodes with recursion level 0 only: what an inner call of a
 * recursion used is in the outer one's cum already.
 */
/* How often something was called, summed over nodes. */
struct call_count {
	uint64_t nodes, calls;
	uint64_t counted; /* of the calls, those without a path: of no node */
	uint64_t
		sampled; /* of the nodes, that samples alone have found: all: its calls are not known */
	uint64_t interpreted, jitted, native;
	bool at_least; /* model_is_at_least of some node */
};

/* What is known of how often it was called. */
static inline bool call_count_is_known(const struct call_count *count)
{
	return count->sampled < count->nodes || count->nodes == 0 || count->counted > 0;
}

/* Nothing of it was measured. */
static inline bool call_count_is_sampled(const struct call_count *count)
{
	return count->sampled == count->nodes && count->nodes + count->counted > 0;
}

void call_count_add(struct call_count *count, const struct model *model, size_t node);

/* All arrays are the store's. */
struct tally {
	struct call_count *method;     /* by method id */
	union model_value *base, *cum; /* the same, model_at */
	uint32_t *seen;                /* ids of the methods that have nodes, roots left out */
	size_t seen_count;
};

/* cum is that of model_cum. 0, or -1 without memory. */
int tally_init(struct tally *tally, const struct model *model, const union model_value *cum);

/* ---- io_use.c: sums of I/O by node, or by what else views group it ---- */

/* What operations are summed up as; IO_PART_ALL is the sum of the others. */
enum io_part {
	IO_PART_ALL,
	IO_PART_READS,
	IO_PART_WRITES,
	IO_PART_RECEIVED,
	IO_PART_SENT,
	IO_PART_OTHERS, /* opens, closes, connects, deletes... */
	IO_PARTS
};

struct io_amount {
	uint64_t ops, bytes, ns, cpu_ns;
};

struct io_use {
	struct io_amount part[IO_PARTS];
};

/* Which of the profile's I/O accounts are wanted, by threads, files and methods. The store's; NULL without
 * memory. */
bool *io_wanted(const struct model *model);

static inline void io_amount_add(struct io_amount *amount, const struct io_amount *more)
{
	amount->ops += more->ops;
	amount->bytes += more->bytes;
	amount->ns += more->ns;
	amount->cpu_ns += more->cpu_ns;
}

static inline void io_amount_subtract(struct io_amount *amount, const struct io_amount *less)
{
	amount->ops -= less->ops;
	amount->bytes -= less->bytes;
	amount->ns -= less->ns;
	amount->cpu_ns -= less->cpu_ns;
}

/* What is charged to entries of archives is charged to their archives, too. */
bool io_is_twice(const struct profile *profile, const struct profile_account *io);

/* Processor time is that of all parts. */
void io_use_add(struct io_use *use, const struct profile_account *io);
void io_use_join(struct io_use *use, const struct io_use *more);

/* True if it was recorded of some. */
bool io_has_cpu(const struct profile *profile);

/* What was done in and below each node, by position, all parts in one. The store's; NULL without memory. */
struct io_amount *io_cum_of_nodes(const struct model *model);

/* Of every node, by position: base and cum, both the store's. 0, or -1 without memory. */
int io_use_of_nodes(const struct model *model, struct io_use **base, struct io_use **cum);

#endif
