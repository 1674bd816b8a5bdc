/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/*
 * java_caller: where in the code a native method was called from.
 *
 *   Java method --> wrapper of the native method --> the native method's C function
 *              ^ return address in the wrapper's frame
 *
 * The wrapper that HotSpot generates for a native method, and its interpreter's entry for one,
 * begin with `push rbp; mov rbp, rsp`: at their frame pointer stand the caller's frame pointer
 * and the return address.
 */
#ifndef JPROF_JAVA_CALLER_H
#define JPROF_JAVA_CALLER_H

#include <stdint.h>

/* frame: __builtin_frame_address(0) of the C function. The address the wrapper returns to. */
static inline __attribute__((always_inline)) const void *java_caller(const void *frame)
{
	const void *wrapper = *(void *const *)frame;

	return ((void *const *)wrapper)[1];
}

#endif
