/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/*
 * metric_cost: what one reading costs on this machine, now.
 */
#ifndef JPROF_METRIC_COST_H
#define JPROF_METRIC_COST_H

#include "metric/metric.h"

/* ns of one metric_read of the whole set by the calling thread: the best of some batches,
 * without the loop around it. alloc is read from words that stand still. Takes some ms. */
double metric_cost(const struct metric_set *set);

#endif
