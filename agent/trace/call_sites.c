/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/* call_sites: see call_sites.h. */
#include "agent/trace/call_sites.h"

#include <errno.h>
#include <stdlib.h>

#include "agent/lock/lock.h"

_Atomic(struct call_site *) call_site_blocks[CALL_SITE_BLOCKS];

static struct lock sites_lock = {PTHREAD_MUTEX_INITIALIZER, LOCK_SITES};
static uint32_t next = 1; /* number; 0 is none */

/* Numbers + 1, open addressing, at most half full; 0: empty. */
static uint32_t *slot, slots;

static uint32_t hash(uint32_t method, uint32_t line)
{
	uint64_t key = ((uint64_t)method << 32 | line) * 0x9e3779b97f4a7c15u;

	return (uint32_t)(key >> 32);
}

/* The slot of that line's number, or the empty one where it belongs. */
static uint32_t *slot_of(uint32_t method, uint32_t line)
{
	for (uint32_t at = hash(method, line);; at++) {
		uint32_t *here = &slot[at & (slots - 1)];
		struct call_site site = *here ? call_site_of(*here - 1) : (struct call_site){0};

		if (*here == 0 || (site.method == method && site.line == line))
			return here;
	}
}

/* Room for one more. False: no memory. */
static bool make_room(void)
{
	uint32_t *before = slot;

	if (slots > 2 * next)
		return true;
	slot = calloc(slots ? 2 * (size_t)slots : 1024, sizeof(*slot));
	if (!slot) {
		slot = before;
		return false;
	}
	slots = slots ? 2 * slots : 1024;
	free(before);
	for (uint32_t number = 1; number < next; number++) {
		struct call_site site = call_site_of(number);

		*slot_of(site.method, site.line) = number + 1;
	}
	return true;
}

/* Under the lock. */
static uint32_t number_of(uint32_t method, uint32_t line)
{
	_Atomic(struct call_site *) *block = &call_site_blocks[next / CALL_SITE_BLOCK];
	uint32_t *at;

	if (!make_room())
		return 0;
	at = slot_of(method, line);
	if (*at)
		return CALL_SITE | (*at - 1);
	if (next == CALL_SITES_MAX)
		return 0;
	if (!atomic_load(block)) {
		struct call_site *fresh = calloc(CALL_SITE_BLOCK, sizeof(*fresh));

		if (!fresh)
			return 0;
		atomic_store(block, fresh);
	}
	atomic_load(block)[next % CALL_SITE_BLOCK] = (struct call_site){method, line};
	*at = ++next;
	return CALL_SITE | (next - 1);
}

uint32_t call_site(uint32_t method, uint32_t line)
{
	int saved_errno = errno;
	uint32_t site;

	lock_take(&sites_lock);
	site = number_of(method, line);
	lock_give(&sites_lock);
	errno = saved_errno;
	return site;
}
