/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/*
 * gate: lets callbacks in while something they use is there, and tells when the last is out.
 *
 * A callback enters, or is turned away; it leaves when it is done. What callbacks use is taken
 * away behind a closed gate, once none is inside.
 *
 * Runs: on any thread, many inside at once; two atomic operations. Closing: one at a time.
 */
#ifndef JPROF_GATE_H
#define JPROF_GATE_H

#include <stdatomic.h>
#include <stdbool.h>
#include <time.h>

/* Zero-initialised: closed. */
struct gate {
	_Atomic bool open;
	_Atomic unsigned inside;
};

/* Whether callbacks are let in now. */
static inline bool gate_is_open(struct gate *gate)
{
	return atomic_load_explicit(&gate->open, memory_order_relaxed);
}

/* False: closed, and gate_leave must not follow. */
static inline bool gate_enter(struct gate *gate)
{
	if (!gate_is_open(gate))
		return false;
	atomic_fetch_add(&gate->inside, 1);
	if (atomic_load(&gate->open))
		return true;
	atomic_fetch_sub(&gate->inside, 1);
	return false;
}

static inline void gate_leave(struct gate *gate)
{
	atomic_fetch_sub_explicit(&gate->inside, 1, memory_order_release);
}

static inline void gate_open(struct gate *gate)
{
	atomic_store(&gate->open, true);
}

/* No callback enters any more; waits for those inside, some seconds at most. False: one still
 * is, and what it uses must stay. Not from inside. */
static inline bool gate_close(struct gate *gate)
{
	static const struct timespec pause = {.tv_nsec = 1000 * 1000};

	atomic_store(&gate->open, false);
	/* Once is enough: a later one is counted for a moment, and turned away. */
	for (int waits = 0; atomic_load(&gate->inside) > 0; waits++) {
		if (waits == 5000)
			return false;
		nanosleep(&pause, NULL);
	}
	return true;
}

#endif
