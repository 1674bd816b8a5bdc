/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/* adjust: see adjust.h. */
#include "calibration/adjust.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { TYPE_OUTSIDE = STATE_OUTSIDE << 1 };

/* What a calibration says of a code, looked up once. */
struct price {
	bool known;
	enum calibration_fit fit;
	const struct calibration_row *row; /* NULL: nothing */
};

/* The types that a method is of, and what part of its calls is of each. */
struct mix {
	unsigned count;
	struct {
		unsigned type;
		double weight;
	} part[SEQUENCE_TYPES];
};

/* So many deltas are priced by that row. */
struct share {
	const struct calibration_row *row;
	double deltas;
};

enum {
	TRANSITION_PAIRS = 4,
	/* HotSpot's Tier3BackEdgeThreshold (compiler_globals.hpp). */
	ROUNDS_INTERPRETED = 60000,
	BEHIND = 200, /* a 200th */
	HIDES = 32,   /* a metric that probes hide work of has a reach above a 32nd */
	SHARES_MAX = TRANSITION_PAIRS * SEQUENCE_TYPES * SEQUENCE_TYPES * SEQUENCE_TYPES
};

/* What part of their ranges all methods may be off by in the same direction. */
#define ALIKE 0.2

/* By what part of itself waiting for a processor differs from one time to another. */
#define OTHERS 0.4

/* What a node's deltas cost of a metric, and by how much that may be wrong. */
struct bill {
	double cost, range;
	double rows;        /* if the calibration's rows are all off in the same direction */
	double rows_square; /* if each is off by itself */
};

struct adjusting {
	struct adjusted *adjusted;
	const struct profile *profile;
	const struct calibration *calibration;
	bool compiles; /* the JVM compiled something */
	struct price price[SEQUENCE_CODES];
	/* By node: calls of its children by type. */
	double (*below)[SEQUENCE_TYPES];
	/* of folds: calls that were made below, by the caller's type */
	double (*above)[SEQUENCE_TYPES];
	double *whole;        /* by node and metric: what it and all below it used */
	size_t thread, nodes; /* the thread at work, and how many nodes it has */
	/* Of the node at work: its deltas, by the rows that price them. */
	struct share share[SHARES_MAX];
	unsigned shares;
	double interpreted; /* of them, those beside what is interpreted */
};

/* ---- types ---- */

static unsigned type_of(enum call_state state, bool is_static)
{
	return (unsigned)state << 1 | is_static;
}

/* Calls by type. */
static void count_types(
	const struct profile *profile, const struct profile_node *node, double *calls)
{
	bool is_static = profile->method[node->method].is_static;

	calls[type_of(STATE_INTERPRETED, is_static)] += (double)node->interpreted;
	calls[type_of(STATE_JITTED, is_static)] += (double)node->jitted;
	calls[type_of(STATE_NATIVE, is_static)] += (double)node->native;
	if (node->calls == 0 && node->earlier > 0)
		calls[type_of((enum call_state)(node->earlier - 1), is_static)] = 1;
}

/* False if there were no calls. */
static bool make_mix(struct mix *mix, const double *calls)
{
	double sum = 0;

	mix->count = 0;
	for (unsigned type = 0; type < SEQUENCE_TYPES; type++)
		sum += calls[type];
	for (unsigned type = 0; type < SEQUENCE_TYPES; type++) {
		if (calls[type] <= 0)
			continue;
		mix->part[mix->count].type = type;
		mix->part[mix->count++].weight = calls[type] / sum;
	}
	return mix->count > 0;
}

static double deltas_of(const struct profile_node *node)
{
	double sum = 0;

	for (int i = 0; i < TRANSITION_PAIRS; i++)
		sum += (double)node->transition[i / 2][i % 2];
	return sum;
}

/* A call that began interpreted goes on compiled when its loop has come round often enough
 * ("on-stack replacement"): no event tells, but the number of deltas does. */
static void move_replaced(
	double *calls, const struct profile *profile, const struct profile_node *node)
{
	bool is_static = profile->method[node->method].is_static;
	double *interpreted = &calls[type_of(STATE_INTERPRETED, is_static)];
	double a_call = deltas_of(node) / fmax(1, (double)node->calls);
	double replaced;

	if (*interpreted <= 0 || a_call <= ROUNDS_INTERPRETED)
		return;
	replaced = *interpreted * (1 - ROUNDS_INTERPRETED / a_call);
	*interpreted -= replaced;
	calls[type_of(STATE_JITTED, is_static)] += replaced;
}

/* A root, and a frame that was found on the stack, was never called. */
static void node_mix(
	struct mix *mix, const struct adjusting *adjusting, const struct profile_node *node)
{
	double calls[SEQUENCE_TYPES] = {0};

	count_types(adjusting->profile, node, calls);
	if (adjusting->compiles)
		move_replaced(calls, adjusting->profile, node);
	if (make_mix(mix, calls))
		return;
	calls[TYPE_OUTSIDE] = 1;
	make_mix(mix, calls);
}

/* ---- folds ---- */

/* Deltas that end with an entry. */
static double calls_made(const struct profile_node *node)
{
	return (double)node->transition[TRANSITION_ENTRY][TRANSITION_ENTRY] +
	       (double)node->transition[TRANSITION_EXIT][TRANSITION_ENTRY];
}

static void add_part(double *to, const struct mix *mix, double calls)
{
	for (unsigned i = 0; i < mix->count; i++)
		to[mix->part[i].type] += mix->part[i].weight * calls;
}

/* Which flat node called which is not known: each one's callers are all that made calls, each one's
 * callees all that were called. The fold's owner made those calls that are not of its other
 * children. */
static void mix_fold(struct adjusting *adjusting, size_t fold)
{
	const struct profile *profile = adjusting->profile;
	size_t at = profile->node[fold].parent;
	const struct profile_node *owner = &profile->node[at];
	double *received = adjusting->below[at], known = 0;
	struct mix mix;

	for (unsigned type = 0; type < SEQUENCE_TYPES; type++)
		known += received[type];
	if (calls_made(owner) <= known)
		return;
	node_mix(&mix, adjusting, owner);
	add_part(adjusting->above[fold], &mix, calls_made(owner) - known);
	if (make_mix(&mix, adjusting->below[fold]))
		add_part(received, &mix, calls_made(owner) - known);
}

static void mix_folds(struct adjusting *adjusting)
{
	const struct profile *profile = adjusting->profile;
	struct mix mix;

	for (size_t i = 0; i < profile->node_count; i++) {
		const struct profile_node *node = &profile->node[i];

		if (!profile_is_flat(profile, node))
			continue;
		node_mix(&mix, adjusting, node);
		add_part(adjusting->above[node->parent], &mix, calls_made(node));
	}
	for (size_t i = 0; i < profile->node_count; i++)
		if (profile->node[i].method == METHOD_FOLDED)
			mix_fold(adjusting, i);
}

/* ---- one node ---- */

static uint32_t third_of(unsigned type)
{
	return sequence_third((enum call_state)(type >> 1), type & 1);
}

static uint32_t code_of(unsigned first, enum transition begin, unsigned second,
	enum transition end, unsigned third)
{
	uint32_t code = sequence_roll(0, third_of(first), TRANSITION_ENTRY);

	code = sequence_roll(code, third_of(second), begin);
	return sequence_roll(code, third_of(third), end);
}

static const struct price *price_of(struct adjusting *adjusting, uint32_t code)
{
	struct price *price = &adjusting->price[code];

	if (!price->known) {
		price->known = true;
		price->row = calibration_nearest(adjusting->calibration, code, &price->fit);
	}
	return price;
}

/* One of the three methods is. */
static bool is_interpreted(uint32_t code)
{
	return sequence_first_type(code) >> 1 == STATE_INTERPRETED ||
	       sequence_second_type(code) >> 1 == STATE_INTERPRETED ||
	       sequence_third_type(code) >> 1 == STATE_INTERPRETED;
}

/* So many of the node's deltas are priced by the row; each row once, for what it is off by. */
static void price_by(
	struct adjusting *adjusting, const struct calibration_row *row, double deltas)
{
	for (unsigned i = 0; i < adjusting->shares; i++)
		if (adjusting->share[i].row == row) {
			adjusting->share[i].deltas += deltas;
			return;
		}
	adjusting->share[adjusting->shares++] = (struct share){row, deltas};
}

/* So many of the node's deltas are of the sequence. */
static void add_share(struct adjusting *adjusting, uint32_t code, double deltas)
{
	struct adjust_deltas *sum = &adjusting->adjusted->deltas[adjusting->thread];
	const struct price *price = price_of(adjusting, code);

	sum->all += deltas;
	if (is_interpreted(code))
		adjusting->interpreted += deltas;
	if (!price->row) {
		sum->missing += deltas;
		return;
	}
	if (price->fit != FIT_EXACT)
		sum->nearest += deltas;
	price_by(adjusting, price->row, deltas);
}

/* The deltas of a node that begin and end so: `before` is what the first method may be,
 * `after` the third. */
static void add_mix(struct adjusting *adjusting, enum transition begin, enum transition end,
	const struct mix *before, const struct mix *own, const struct mix *after, double deltas)
{
	for (unsigned f = 0; f < before->count; f++)
		for (unsigned s = 0; s < own->count; s++)
			for (unsigned t = 0; t < after->count; t++)
				add_share(adjusting,
					code_of(before->part[f].type, begin, own->part[s].type,
						end, after->part[t].type),
					deltas * before->part[f].weight * own->part[s].weight *
						after->part[t].weight);
}

static void find_shares(struct adjusting *adjusting, size_t at)
{
	const struct profile *profile = adjusting->profile;
	const struct profile_node *node = &profile->node[at];
	bool flat = profile_is_flat(profile, node);
	struct mix own, caller, callee;

	adjusting->shares = 0;
	adjusting->interpreted = 0;
	node_mix(&own, adjusting, node);
	if (!flat || !make_mix(&caller, adjusting->above[node->parent]))
		node_mix(&caller, adjusting, &profile->node[node->parent]);
	/* In an interval a callee may have returned that was called before. */
	if (!make_mix(&callee, adjusting->below[flat ? node->parent : at]))
		callee = own;
	for (int i = 0; i < TRANSITION_PAIRS; i++) {
		enum transition begin = (enum transition)(i / 2),
				end = (enum transition)(i % 2);
		uint64_t deltas = node->transition[begin][end];

		if (deltas > 0)
			add_mix(adjusting, begin, end,
				begin == TRANSITION_ENTRY ? &caller : &callee, &own,
				end == TRANSITION_ENTRY ? &callee : &caller, (double)deltas);
	}
}

static double used_of(const struct profile_node *node, unsigned m)
{
	return (double)node->base[m] - (node->spent ? (double)node->spent[m] : 0);
}

/* What the node's deltas would come to if they were empty. */
static double empty_of(const struct adjusting *adjusting, unsigned m)
{
	double empty = 0;

	for (unsigned i = 0; i < adjusting->shares; i++)
		empty += adjusting->share[i].deltas * adjusting->share[i].row->cost[m].observed;
	return empty;
}

/* What all below the node used. */
static double callees_of(
	const struct adjusting *adjusting, const struct profile_node *node, unsigned m)
{
	const struct profile *profile = adjusting->profile;
	size_t at = (size_t)(node - profile->node);
	double made = 0;

	if (!profile_is_flat(profile, node))
		return adjusting->whole[at * profile->metric_count + m] - used_of(node, m);
	/* Of a flat node its part of its group: by calls. */
	for (unsigned type = 0; type < SEQUENCE_TYPES; type++)
		made += adjusting->above[node->parent][type];
	return adjusting->whole[node->parent * profile->metric_count + m] * calls_made(node) /
	       fmax(1, made);
}

/* How much more the node's deltas behind its callees may cost altogether. */
static double behind_of(const struct adjusting *adjusting, const struct profile_node *node,
	unsigned m, double empty)
{
	double used = used_of(node, m), callees = callees_of(adjusting, node, m);
	double part = ((double)node->transition[TRANSITION_EXIT][TRANSITION_ENTRY] +
			      (double)node->transition[TRANSITION_EXIT][TRANSITION_EXIT]) /
		      fmax(1, deltas_of(node));

	return fmax(0, fmin(callees / BEHIND, fmin(part * empty, used - empty)));
}

/* From one to the other as part goes from 0 to 1. */
static double between(double from, double to, double part)
{
	return from + part * (to - from);
}

/* How much more a delta may cost in a tree of so many nodes. */
static double more_of(const struct calibration_metric *metric, size_t nodes)
{
	const struct calibration_tree *tree = metric->tree;
	unsigned t = 0;

	while (t < metric->tree_count && tree[t].nodes < nodes)
		t++;
	if (t == 0)
		return 0;
	if (t == metric->tree_count)
		return tree[t - 1].more;
	return between(tree[t - 1].more, tree[t].more,
		log2((double)nodes / tree[t - 1].nodes) /
			log2((double)tree[t].nodes / tree[t - 1].nodes));
}

/* What a node's deltas of a metric have in common. */
struct surrounding {
	double work;   /* between two events: a part of what empty deltas come to */
	double little; /* of it, as much as is little */
	double part;   /* how far it is on its way from little to much: 0 to 1 */
	double more;   /* that the tree's size may make a delta cost */
	double behind; /* that callees may make all of them cost */
};

static struct surrounding surrounding_of(
	const struct adjusting *adjusting, const struct profile_node *node, unsigned m)
{
	const struct calibration_metric *metric = &adjusting->calibration->metric[m];
	double empty = empty_of(adjusting, m);
	/* Where probes hide nothing, as of instructions, what is seen is work. */
	double behind = metric->reach > 1.0 / HIDES ? behind_of(adjusting, node, m, empty) : 0;
	double seen = used_of(node, m) - empty - behind;
	double work = seen > 0 && empty > 0 ? seen / empty : 0;
	double little = fmin(work, metric->reach);

	return (struct surrounding){.work = work,
		.behind = behind,
		.little = little,
		.part = metric->reach > 0 ? fmin(1, 2 * (work - little) / metric->reach) : 0,
		.more = more_of(metric, adjusting->nodes)};
}

/* See adjust.h. */
static struct bill bill_of_one(
	const struct calibration_cost *cost, const struct surrounding *around, double reach)
{
	double low = between(cost->low, cost->work_low, around->part);
	double high = between(fmax(cost->high, cost->cost + around->little * cost->observed),
		fmax(cost->high, cost->work_high), around->part);
	double taken = (low + high) / 2, near = reach * cost->observed;

	if (around->more > 0) {
		double all = (1 + around->work) * cost->observed;

		taken = between(taken, fmax(low, cost->cost),
			around->more < near ? around->more / near : 1);
		high = fmax(fmax(high, taken), fmin(high + around->more, all));
	}
	return (struct bill){
		.cost = taken, .range = fmax(high - taken, taken - low), .rows = cost->spread};
}

static struct bill bill_of(
	const struct adjusting *adjusting, const struct profile_node *node, unsigned m)
{
	struct surrounding around = surrounding_of(adjusting, node, m);
	struct bill bill = {.cost = around.behind / 2, .range = around.behind / 2};

	for (unsigned i = 0; i < adjusting->shares; i++) {
		const struct share *share = &adjusting->share[i];
		struct bill one = bill_of_one(
			&share->row->cost[m], &around, adjusting->calibration->metric[m].reach);

		bill.cost += share->deltas * one.cost;
		bill.range += share->deltas * one.range;
		bill.rows += share->deltas * one.rows;
		bill.rows_square += pow(share->deltas * one.rows, 2);
	}
	return bill;
}

/* A number that an int64_t has, far from its limits. */
static int64_t whole(double value)
{
	const double limit = 4e18;

	if (value > limit)
		value = limit;
	if (value < -limit)
		value = -limit;
	return llround(value);
}

/* By how much what the node used differs from itself. */
static double relative_of(
	const struct adjusting *adjusting, const struct profile_node *node, unsigned m)
{
	const struct calibration_metric *metric = &adjusting->calibration->metric[m];

	return between(metric->relative, metric->interpreted,
		adjusting->interpreted / fmax(1, deltas_of(node)));
}

/* An interval reaches no farther than from zero to what was counted. */
static double reach_of(double value, double most)
{
	return fmax(value, most - value);
}

/* Of a node that used that much, jprof's rare ways left out. Where probes took less than the
 * calibration says, that is off by less, too. What all nodes have in common are the machine's pace,
 * what the calibration's rows are off by, and a part of what differs from method to method, as ranges and
 * the interpreter's pace do: three things that have nothing to do with one another. */
static struct adjust_error error_of(const struct bill *bill,
	const struct calibration_metric *metric, double relative, double used, double left)
{
	double part = bill->cost > used ? used / bill->cost : 1;
	double pace = metric->relative * used;
	double own = part * bill->range + (relative - metric->relative) * used;
	double error = pace + part * bill->rows + own,
	       within = fmin(error, reach_of(left, used));
	double common = hypot(hypot(pace, part * sqrt(bill->rows_square)), ALIKE * own);

	return (struct adjust_error){
		(float)within, (float)(error > 0 ? common * within / error : 0)};
}

static void take_out(struct adjusting *adjusting, size_t at, unsigned m)
{
	struct adjusted *adjusted = adjusting->adjusted;
	const struct profile_node *node = &adjusting->profile->node[at];
	unsigned metrics = adjusted->metric_count;
	struct adjust_total *total = &adjusted->total[adjusting->thread * metrics + m];
	struct adjust_error *error = &adjusted->error[at * metrics + m];
	struct bill bill = bill_of(adjusting, node, m);
	double spent = node->spent ? (double)node->spent[m] : 0;
	/* Nothing has counted so much. */
	uint64_t raw = node->base[m] < INT64_MAX / 2 ? node->base[m] : INT64_MAX / 2;
	int64_t left = (int64_t)raw - whole(spent + fmax(0, bill.cost));

	total->over += left < 0 ? -(double)left : 0;
	left = left > 0 ? left : 0;
	total->taken += node->base[m] - (uint64_t)left;
	adjusted->base[at * metrics + m] = (uint64_t)left;
	*error = error_of(&bill, &adjusting->calibration->metric[m],
		relative_of(adjusting, node, m), fmax(0, (double)raw - spent), (double)left);
}

/* ---- waiting for a processor ---- */

/* What is needed of a thread's nodes to tell how long they waited. */
struct waiting {
	unsigned wall, cpu; /* metrics */
	double waited;      /* for a processor, beside jprof's rare ways */
	double ran, idle;   /* sums over the nodes */
	double by_run;      /* of waited, what is told by how long nodes ran */
};

static double idle_of(const struct waiting *waiting, const struct profile_node *node)
{
	return fmax(0, used_of(node, waiting->wall) - used_of(node, waiting->cpu));
}

/* A thread waits while it would run: in proportion to that. It did not wait longer than it was idle. */
static double by_run(const struct waiting *waiting, const struct profile_node *node)
{
	return fmin(idle_of(waiting, node),
		waiting->waited * used_of(node, waiting->cpu) / fmax(1, waiting->ran));
}

/* Turns come seldom, and take long: what is left was where the thread was idle. */
static double waited_in(const struct waiting *waiting, const struct profile_node *node)
{
	double sure = by_run(waiting, node), rest = idle_of(waiting, node) - sure;

	return sure + (waiting->waited - waiting->by_run) * rest /
			      fmax(1, waiting->idle - waiting->by_run);
}

static bool find_waiting(const struct adjusting *adjusting, struct waiting *waiting)
{
	const struct profile *profile = adjusting->profile;
	int wall = profile_metric_find(profile, "wall"),
	    cpu = profile_metric_find(profile, "cpu");
	const struct profile_node *first =
		profile->node + profile->thread_first[adjusting->thread];

	if (wall < 0 || cpu < 0)
		return false;
	*waiting = (struct waiting){.wall = (unsigned)wall,
		.cpu = (unsigned)cpu,
		.waited = (double)profile->thread[adjusting->thread].waited_ns};
	for (size_t i = 0; i < adjusting->nodes; i++) {
		double spent = first[i].spent ? (double)first[i].spent[wall] -
							(double)first[i].spent[cpu]
					      : 0;

		waiting->ran += used_of(&first[i], waiting->cpu);
		waiting->idle += idle_of(waiting, &first[i]);
		waiting->waited -= fmax(0, spent);
	}
	waiting->waited = fmin(waiting->waited, waiting->idle);
	for (size_t i = 0; i < adjusting->nodes; i++)
		waiting->by_run += by_run(waiting, &first[i]);
	return waiting->waited > 0;
}

/* Of how long a node waited for a processor, jprof's part is that of the processor time. The rest
 * depends on what others do, which is another thing at another time. */
static void take_waiting(struct adjusting *adjusting, const struct waiting *waiting, size_t at)
{
	struct adjusted *adjusted = adjusting->adjusted;
	unsigned metrics = adjusted->metric_count;
	const struct profile_node *node = &adjusting->profile->node[at];
	const struct adjust_error *cpu_error = &adjusted->error[at * metrics + waiting->cpu];
	struct adjust_error *error = &adjusted->error[at * metrics + waiting->wall];
	uint64_t *left = &adjusted->base[at * metrics + waiting->wall];
	double ran = fmax(1, used_of(node, waiting->cpu)), idle = idle_of(waiting, node);
	double part = 1 - fmin(1, (double)adjusted->base[at * metrics + waiting->cpu] / ran);
	double waited = waited_in(waiting, node);
	/* At least what all other nodes together have not waited, at most all. */
	double least = fmax(0, waiting->waited - (waiting->idle - idle));
	double most = fmin(idle, waiting->waited);
	double elsewhere = part * fmax(most - waited, waited - least);
	double others = OTHERS * (1 - part) * waited;
	uint64_t taken = (uint64_t)fmin((double)*left, part * waited);
	double reach, together;

	*left -= taken;
	adjusted->total[adjusting->thread * metrics + waiting->wall].taken += taken;
	reach = reach_of((double)*left, used_of(node, waiting->wall));
	together = error->whole + elsewhere + others + waited * cpu_error->whole / ran;
	error->common = (float)fmin(
		reach, hypot(hypot(error->common, others), waited * cpu_error->common / ran));
	error->whole = (float)fmin(reach, together);
}

/* ---- sums ---- */

struct adjust_errors adjusted_errors(const struct adjusted *adjusted,
	const struct profile *profile, size_t node, unsigned metric)
{
	unsigned metrics = adjusted->metric_count;
	const struct adjust_error *error = &adjusted->error[node * metrics + metric];
	uint32_t method = profile->node[node].method;

	return (struct adjust_errors){.whole = error->whole,
		.common = error->common,
		.square = error->whole * adjusted->method_error[method * metrics + metric]};
}

uint64_t adjust_half_width(const struct adjust_errors *errors, uint64_t value, uint64_t raw)
{
	double together = sqrt(errors->common * errors->common + fmax(0, errors->square));
	double error = fmin(errors->whole, together);

	/* A sum may be the difference of two that are nearly the same. */
	return (uint64_t)whole(fmax(0, fmin(error, reach_of((double)value, (double)raw))));
}

/* ---- all of them ---- */

/* Children are behind their parents. */
static void sum_up(struct adjusting *adjusting)
{
	const struct profile *profile = adjusting->profile;
	unsigned metrics = profile->metric_count;

	for (size_t i = profile->node_count; i-- > 0;)
		for (unsigned m = 0; m < metrics; m++) {
			double *whole = &adjusting->whole[i * metrics + m];

			*whole += used_of(&profile->node[i], m);
			if (profile->node[i].parent != i)
				adjusting->whole[profile->node[i].parent * metrics + m] +=
					*whole;
		}
}

/* Of its method. */
static void sum_error(struct adjusted *adjusted, const struct profile *profile, size_t at)
{
	unsigned metrics = adjusted->metric_count;
	double *sum = &adjusted->method_error[profile->node[at].method * metrics];

	for (unsigned m = 0; m < metrics; m++)
		sum[m] += adjusted->error[at * metrics + m].whole;
}

static void adjust_thread(struct adjusting *adjusting, size_t thread)
{
	struct waiting waiting;
	const struct profile *profile = adjusting->profile;
	size_t first = profile->thread_first[thread], end = profile->thread_first[thread + 1];

	adjusting->thread = thread;
	adjusting->nodes = end - first;
	for (size_t i = first; i < end; i++) {
		find_shares(adjusting, i);
		for (unsigned m = 0; m < adjusting->adjusted->metric_count; m++)
			take_out(adjusting, i, m);
	}
	if (find_waiting(adjusting, &waiting))
		for (size_t i = first; i < end; i++)
			take_waiting(adjusting, &waiting, i);
	for (size_t i = first; i < end; i++)
		sum_error(adjusting->adjusted, profile, i);
}

/* Sums calls and use over all nodes, then adjusts thread by thread. -1 without memory. */
static int adjust_all(struct adjusting *adjusting)
{
	const struct profile *profile = adjusting->profile;
	size_t room = profile->node_count + 1;
	bool ready;

	adjusting->below = calloc(room, sizeof(*adjusting->below));
	adjusting->above = calloc(room, sizeof(*adjusting->above));
	adjusting->whole = calloc(room * profile->metric_count + 1, sizeof(*adjusting->whole));
	ready = adjusting->below && adjusting->above && adjusting->whole;
	for (size_t i = 0; ready && i < profile->node_count; i++)
		if (profile->node[i].parent != i)
			count_types(profile, &profile->node[i],
				adjusting->below[profile->node[i].parent]);
	if (ready) {
		mix_folds(adjusting);
		sum_up(adjusting);
	}
	for (size_t t = 0; ready && t < profile->thread_count; t++)
		adjust_thread(adjusting, t);
	free(adjusting->below);
	free(adjusting->above);
	free(adjusting->whole);
	return ready ? 0 : -1;
}

static bool any_jitted(const struct profile *profile)
{
	for (size_t i = 0; i < profile->node_count; i++)
		if (profile->node[i].jitted > 0)
			return true;
	return false;
}

static int adjusted_init(struct adjusted *adjusted, const struct profile *profile)
{
	size_t metrics = profile->metric_count;

	*adjusted = (struct adjusted){.metric_count = profile->metric_count,
		.base = calloc(profile->node_count * metrics + 1, sizeof(uint64_t)),
		.error = calloc(profile->node_count * metrics + 1, sizeof(struct adjust_error)),
		.method_error = calloc(profile->method_count * metrics + 1, sizeof(double)),
		.total = calloc(
			profile->thread_count * metrics + 1, sizeof(struct adjust_total)),
		.deltas = calloc(profile->thread_count + 1, sizeof(struct adjust_deltas))};
	if (adjusted->base && adjusted->error && adjusted->method_error && adjusted->total &&
		adjusted->deltas)
		return 0;
	adjusted_fini(adjusted);
	return -1;
}

static bool same_metrics(const struct profile *profile, const struct calibration *calibration)
{
	bool same = profile->metric_count == calibration->metric_count;

	for (unsigned m = 0; m < profile->metric_count && same; m++)
		same = strcmp(profile->metric[m].name, calibration->metric[m].name) == 0;
	return same;
}

int adjust_profile(struct adjusted *adjusted, const struct profile *profile,
	const struct calibration *calibration, struct error *error)
{
	struct adjusting *adjusting;
	int failed;

	*adjusted = (struct adjusted){0};
	if (!same_metrics(profile, calibration))
		return error_set(error, ERROR_VALUE,
			"the calibration has other metrics than the profile");
	adjusting = calloc(1, sizeof(*adjusting));
	failed = adjusting ? adjusted_init(adjusted, profile) : -1;
	if (!failed) {
		*adjusting = (struct adjusting){.adjusted = adjusted,
			.profile = profile,
			.calibration = calibration,
			.compiles = any_jitted(profile)};
		failed = adjust_all(adjusting);
	}
	free(adjusting);
	if (!failed)
		return 0;
	adjusted_fini(adjusted);
	return error_set(error, ERROR_MEMORY, "no memory to adjust the profile");
}

void adjusted_fini(struct adjusted *adjusted)
{
	free(adjusted->base);
	free(adjusted->error);
	free(adjusted->method_error);
	free(adjusted->total);
	free(adjusted->deltas);
	*adjusted = (struct adjusted){0};
}
