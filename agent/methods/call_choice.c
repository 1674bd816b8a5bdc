/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/* call_choice: see call_choice.h. */
#include "agent/methods/call_choice.h"

#include <stdlib.h>
#include <string.h>

/* In parts of the budget: what a method that is timed may take; what those of a class that is rare would; and what all that
 * become timed in a turn would. */
static const double part = 0.005, rarity = 0.0002, most = 0.005;

/* What "the rarest first" goes by: so often the limit is halved for those that come first. */
enum { HALVINGS = 6 };

static int compare_timed(const void *a, const void *b)
{
	const struct call_turn *x = a, *y = b;

	return (x->timed < y->timed) - (x->timed > y->timed);
}

static int compare_classes(const void *a, const void *b)
{
	const struct call_turn *x = a, *y = b;

	return strcmp(x->class_name, y->class_name);
}

/* Those that take more than their part; and more of the dearest, where the rest would still be over the budget. */
static void choose_dear(struct call_turn *turn, size_t count, const struct call_limits *limits)
{
	double limit = part * limits->share * (double)limits->ns;
	double rest = (double)limits->noted_calls * limits->call_ns;

	qsort(turn, count, sizeof(*turn), compare_timed);
	for (size_t i = 0; i < count; i++) {
		double cost = (double)turn[i].timed * limits->call_ns;

		if (turn[i].timed == 0 ||
			(cost <= limit && rest <= limits->share * (double)limits->noted_ns))
			break;
		if (turn[i].kind == CALL_TIMED || turn[i].kind == CALL_DEAR)
			turn[i].to = CALL_DEAR;
		rest -= cost;
	}
}

/* One that became dear waits four times as long each time. */
static bool has_waited(const struct call_turn *method)
{
	return method->dear < 8 && method->rare >= UINT32_C(1) << 2 * method->dear;
}

static bool may_be_timed(const struct call_turn *method)
{
	return method->counted > 0 &&
	       (method->kind == CALL_COUNTED ||
		       (method->kind == CALL_DEAR && method->to == CALL_DEAR &&
			       has_waited(method)));
}

/* What the calls of a class take, or would. */
static double cost_of(const struct call_turn *class, size_t count, double call_ns)
{
	uint64_t calls = 0;

	for (size_t i = 0; i < count; i++)
		calls += class[i].timed + class[i].counted;
	return (double)calls * call_ns;
}

static size_t class_size(const struct call_turn *turn, size_t count)
{
	size_t i = 1;

	while (i < count && strcmp(turn[i].class_name, turn[0].class_name) == 0)
		i++;
	return i;
}

/* All of the class that may be, or none of them, if they would take more than what is left. Returns what they take from now
 * on. */
static double time_class(struct call_turn *class, size_t count, double call_ns, double left)
{
	double cost = 0;

	for (size_t i = 0; i < count; i++)
		if (may_be_timed(&class[i]))
			cost += (double)class[i].counted * call_ns;
	if (cost > left)
		return 0;
	for (size_t i = 0; i < count; i++)
		if (may_be_timed(&class[i]))
			class[i].to = CALL_TIMED;
	return cost;
}

/* Class by class, the rarest first, as long as all that become timed together take little. */
static void choose_timed(struct call_turn *turn, size_t count, const struct call_limits *limits)
{
	double budget = limits->share * (double)limits->ns, left = most * budget;
	double above = -1, limit = rarity * budget / (1 << HALVINGS);

	qsort(turn, count, sizeof(*turn), compare_classes);
	for (int pass = 0; pass <= HALVINGS; pass++, above = limit, limit *= 2) {
		for (size_t at = 0, size; at < count; at += size) {
			double cost;

			size = class_size(turn + at, count - at);
			cost = cost_of(turn + at, size, limits->call_ns);
			if (cost > above && cost <= limit)
				left -= time_class(turn + at, size, limits->call_ns, left);
		}
	}
}

/* How many turns in a row each one's class has been rare. */
static void count_rare(struct call_turn *turn, size_t count, const struct call_limits *limits)
{
	double limit = rarity * limits->share * (double)limits->ns;

	qsort(turn, count, sizeof(*turn), compare_classes);
	for (size_t at = 0, size; at < count; at += size) {
		bool rare;

		size = class_size(turn + at, count - at);
		rare = cost_of(turn + at, size, limits->call_ns) <= limit;
		for (size_t i = at; i < at + size; i++)
			turn[i].rare = rare ? turn[i].rare + 1 : 0;
	}
}

/* One that became dear must be rare for longer than before until it is timed again. */
static void go_on(struct call_turn *method)
{
	if (method->kind != CALL_TIMED || method->to != CALL_DEAR)
		return;
	method->dear++;
	method->rare = 0;
}

size_t call_choose(struct call_turn *turn, size_t count, const struct call_limits *limits)
{
	size_t changes = 0;

	for (size_t i = 0; i < count; i++)
		turn[i].to = turn[i].kind;
	choose_dear(turn, count, limits);
	if (!limits->only_dear) {
		count_rare(turn, count, limits);
		choose_timed(turn, count, limits);
	}
	for (size_t i = 0; i < count; i++) {
		go_on(&turn[i]);
		/* A dear one that was timed still, as its class was being loaded when it became so, is changed once
		 * more. */
		changes += turn[i].to != turn[i].kind ||
			   (turn[i].to == CALL_DEAR && turn[i].timed > 0);
	}
	return changes;
}
