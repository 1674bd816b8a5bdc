/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/*
 * fence: where the code of a probe is kept apart from what is around it.
 *
 * The processor executes a probe together with the application's code before and behind
 * it. So what a probe adds depends on that code, and is less than what it takes alone.
 * With timing=precise a probe begins and ends with a fence: it costs more, but the same
 * everywhere. And what it does between its event and its end is measured each time
 * (context_spend).
 */
#ifndef JPROF_FENCE_H
#define JPROF_FENCE_H

#include <stdbool.h>

#include "serialise.h"

/* precise: a constant. */
static inline __attribute__((always_inline)) void fence(bool precise)
{
	if (precise)
		serialise();
}

#endif
