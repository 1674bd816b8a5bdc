/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/*
 * call_sites: the lines that methods call others from, where these are kept apart: a number for each.
 *
 *   X                 X
 *   |-- A     -->     |-- X, line 17 --- A
 *                     |-- X, line 23 --- A
 *
 * In a tree a site is a node between a method's and those of what it calls: `method` of it is CALL_SITE joined with the
 * number. As the thread reaches a line with a call, it goes to the site's node: what it has used since the last event is
 * charged there at the next one. So the events of calls know nothing of sites. Who reads the profile
 * takes these nodes out again, and adds what they have to the method's.
 *
 * Owns: numbers and lines, for good; numbers of a line stay the same.
 * Runs: on any thread; look-ups without a lock, a new one takes LOCK_SITES.
 */
#ifndef JPROF_CALL_SITES_H
#define JPROF_CALL_SITES_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#define CALL_SITE 0x80000000u /* no method has such an id */

enum {
	CALL_SITE_BLOCK = 4096,
	CALL_SITE_BLOCKS = 256,
	CALL_SITES_MAX = CALL_SITE_BLOCK * CALL_SITE_BLOCKS,
	CALL_LINE_MAX = UINT16_MAX /* JVM specification, 4.7.12 */
};

struct call_site {
	uint32_t method, line;
};

extern _Atomic(struct call_site *) call_site_blocks[CALL_SITE_BLOCKS];

/* The site of that line of the method. 0: no memory, or there are CALL_SITES_MAX. */
uint32_t call_site(uint32_t method, uint32_t line);

static inline bool is_call_site(uint32_t method)
{
	return method & CALL_SITE;
}

static inline struct call_site call_site_of(uint32_t site)
{
	uint32_t number = site & ~CALL_SITE;

	return atomic_load_explicit(&call_site_blocks[number / CALL_SITE_BLOCK],
		memory_order_acquire)[number % CALL_SITE_BLOCK];
}

/* The method itself, of a site the one that it is in. */
static inline uint32_t call_site_method(uint32_t method)
{
	return is_call_site(method) ? call_site_of(method).method : method;
}

/* 0: it is no site. */
static inline uint32_t call_site_line(uint32_t method)
{
	return is_call_site(method) ? call_site_of(method).line : 0;
}

#endif
