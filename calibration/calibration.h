/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/*
 * calibration: what the probes add to a delta, by the sequence of methods and events that it
 * is in, as it was found out on one machine with one JVM.
 *
 * In:   rows, from the training or from a file (calibration_file.h).
 * Out:  the row of a sequence, or the nearest one.
 * Owns: everything it points to.
 */
#ifndef JPROF_CALIBRATION_H
#define JPROF_CALIBRATION_H

#include <stddef.h>
#include <stdint.h>

#include "calibration/identity.h"
#include "calibration/sequence.h"
#include "profile/profile.h"

enum { CALIBRATION_NAME = 128, CALIBRATION_TREES = 8 };

/* A tree of calls of that size makes a delta cost so much more. */
struct calibration_tree {
	uint32_t nodes;
	double more; /* in the metric's unit */
};

struct calibration_metric {
	char name[CALIBRATION_NAME], unit[CALIBRATION_NAME];
	double relative; /* by how much known work of its own differs from run to run: 0..1 */
	double interpreted; /* the same of what is interpreted, or calls what is */
	double reach; /* as much work between two events is little: a part of `observed` */
	struct calibration_tree tree[CALIBRATION_TREES]; /* ever larger */
	unsigned tree_count;
};

/* Of a delta and one metric, in the metric's unit. */
struct calibration_cost {
	double observed, minimum;   /* of the deltas, with probes */
	double environment;         /* mean of the same delta without */
	double cost;                /* of a delta without work: the one less the other */
	double low, high;           /* the range it was found in with little work */
	double work_low, work_high; /* and with more */
	double spread;              /* standard error of observed, over repetitions */
};

struct calibration_row {
	uint32_t code;  /* calibration/sequence.h */
	uint64_t count; /* deltas it was found out from */
	struct calibration_cost cost[PROFILE_METRIC_MAX];
};

struct calibration {
	char made[64];            /* ISO 8601 */
	double seconds;           /* that it took */
	struct identity identity; /* what it is for */
	struct calibration_metric metric[PROFILE_METRIC_MAX];
	unsigned metric_count;
	struct calibration_row *row;
	size_t row_count, row_capacity;
	uint16_t place[SEQUENCE_CODES]; /* by code: its row + 1; 0: none */
};

/* How well a row fits a sequence. */
enum calibration_fit {
	FIT_NONE,       /* there is no row */
	FIT_TRANSITION, /* the same two events */
	FIT_PROBES,     /* and the methods whose probes ran at them have the same states */
	FIT_STATES,     /* and all three methods: they differ in being static alone */
	FIT_EXACT
};

/* An empty one, owned (calibration_destroy); NULL without memory. */
struct calibration *calibration_create(void);
void calibration_destroy(struct calibration *calibration);

/* Appends a metric, also to the identity; `interpreted` is as `relative`, its reach is 0,
 * and it has no trees. 0, or -1: there are too many of them, or the name is too long or
 * there already. */
int calibration_add_metric(
	struct calibration *calibration, const char *name, const char *unit, double relative);

/* A new row with that code, all else zero; borrowed until the next one is added. NULL: no
 * memory, the code is none, or has a row. */
struct calibration_row *calibration_add_row(struct calibration *calibration, uint32_t code);

/* The row of that code, or NULL. Borrowed. */
const struct calibration_row *calibration_row(
	const struct calibration *calibration, uint32_t code);

/* The row of that code or the nearest one; among equals the one that was found out from the most
 * deltas. NULL: there is none that fits at all. Borrowed. Looks at all rows. */
const struct calibration_row *calibration_nearest(
	const struct calibration *calibration, uint32_t code, enum calibration_fit *fit);

#endif
