/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/*
 * unwind: from a native frame to the one of its caller.
 *
 * In: the frame's registers; what .eh_frame of its module says (frame_rules.h), or, where that has nothing
 * for the pc, the frame pointer; words of the stack, as far as the caller lets them be read.
 * Out: the caller's registers.
 * Runs: in signal handlers: no locks, no memory, no calls of the system or the C library but memcpy and what
 * safe_read.h does; 1.2 KB of stack. Of a module that was unloaded frames are looked for by the frame pointer.
 * Cost: 140 ns a step by .eh_frame with the JVM's guarded load; without one 75 ns, and 1 us for each change from one module to
 * another; 45 ns where it is looked for in vain, and the chain of frames followed.
 *
 * Only the stack pointer and the frame pointer are followed: frames that are found by way of another
 * register (few: the first instructions of functions that align their stack) end the walk.
 */
#ifndef JPROF_UNWIND_H
#define JPROF_UNWIND_H

#include <stdbool.h>
#include <stdint.h>

#include "symbols/modules.h"

struct native_frame {
	uintptr_t pc, sp;
	uintptr_t fp;   /* rbp, x29 */
	uintptr_t link; /* x30 of arm64, of the innermost frame only */
	/* Set by unwind_step: a signal has interrupted it, its pc is no return address; */
	bool interrupted;
	const struct module
		*loaded; /* it called from there, and that was not unloaded; NULL: not known */
};

/* How words are read: false for what is not readable. */
struct unwind_memory {
	bool (*read)(const void *user, uintptr_t address, uintptr_t *word);
	const void *user;
};

/*
 * Changes the frame to that of its caller. modules NULL: by the frame pointer alone. innermost: its registers are the thread's. Its sp is above the one
 * before, but for two: on arm64 a function may be without frame (innermost alone), and a handler
 * may have a stack of its own. Callers limit the number of steps.
 * False: there is no further one. Then the frame is as it was; or its pc is 0, if it is the thread's first
 * function: the walk is complete.
 */
bool unwind_step(const struct modules *modules, const struct unwind_memory *stack,
	struct native_frame *frame, bool innermost);

/* True if the instruction before the address calls the kernel: what was interrupted there has been in it. */
bool is_behind_system_call(uintptr_t pc);

#endif
