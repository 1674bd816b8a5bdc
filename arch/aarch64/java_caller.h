/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/*
 * java_caller: where in the code a native method was called from.
 *
 *   Java method --> wrapper of the native method --> the native method's C function
 *              ^ return address in the wrapper's frame
 *
 * The wrapper that HotSpot generates for a native method, and its interpreter's entry for one,
 * begin with `stp x29, x30, [sp, #-16]!; mov x29, sp`. Where return addresses are signed
 * (UseBranchProtection), the upper bits are: user addresses have 48.
 */
#ifndef JPROF_JAVA_CALLER_H
#define JPROF_JAVA_CALLER_H

#include <stdint.h>

/* frame: __builtin_frame_address(0) of the C function. The address the wrapper returns to. */
static inline __attribute__((always_inline)) const void *java_caller(const void *frame)
{
	const void *wrapper = *(void *const *)frame;

	return (const void *)((uintptr_t)((void *const *)wrapper)[1] & 0xffffffffffff);
}

#endif
