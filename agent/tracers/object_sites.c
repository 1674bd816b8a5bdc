/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/* object_sites: see object_sites.h. */
#include "agent/tracers/object_sites.h"

#include <sched.h>
#include <string.h>
#include <sys/mman.h>

enum {
	SITES_MIN = 64,
	ENTRIES_MIN = 256,
	TAG_BYTES =
		64 /* that the JVM has for a tag, about (jvmtiTagMapTable.cpp, weakHandle.hpp) */
};

static void *reserve(uint64_t bytes)
{
	void *memory = mmap(NULL, bytes, PROT_READ | PROT_WRITE,
		MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

	return memory == MAP_FAILED ? NULL : memory;
}

/* ---- sites ---- */

bool object_sites_init(struct object_sites *sites, uint64_t bytes)
{
	uint64_t room = bytes / (sizeof(struct object_site) + 2 * sizeof(struct object_slot));
	uint32_t slots = 2 * SITES_MIN;

	if (room < SITES_MIN)
		room = SITES_MIN;
	if (room > UINT32_MAX / 8)
		room = UINT32_MAX / 8;
	/* Between two and four slots a site. */
	while (slots < 2 * room)
		slots *= 2;
	memset(sites, 0, sizeof(*sites));
	sites->room = (uint32_t)room;
	sites->mask = slots - 1;
	sites->site = reserve(room * sizeof(*sites->site));
	sites->slot = sites->site ? reserve(slots * sizeof(*sites->slot)) : NULL;
	atomic_store(&sites->used, 1);
	if (sites->slot)
		return true;
	object_sites_fini(sites);
	return false;
}

void object_sites_fini(struct object_sites *sites)
{
	if (sites->site)
		munmap(sites->site, sites->room * sizeof(*sites->site));
	if (sites->slot)
		munmap(sites->slot, ((size_t)sites->mask + 1) * sizeof(*sites->slot));
	sites->site = NULL;
	sites->slot = NULL;
}

/* Who has claimed the slot is about to say which site it is. */
static uint32_t wait_for_site(struct object_slot *slot)
{
	uint32_t site;

	while ((site = atomic_load_explicit(&slot->site, memory_order_acquire)) == 0)
		sched_yield();
	return site;
}

/* 0: there is none. */
static uint32_t new_site(struct object_sites *sites, uint32_t class, bool cut)
{
	uint32_t room = cut ? sites->room : sites->room - sites->room / 8;
	uint32_t place = atomic_load_explicit(&sites->used, memory_order_relaxed);

	do {
		if (place >= room)
			return 0;
	} while (!atomic_compare_exchange_weak(&sites->used, &place, place + 1));
	sites->site[place].class = class;
	sites->site[place].cut = cut;
	return place;
}

uint32_t object_site_find(struct object_sites *sites, uint64_t key, uint32_t class, bool cut)
{
	uint32_t at = (uint32_t)(key >> 20), place;

	for (;; at++) {
		struct object_slot *slot = &sites->slot[at & sites->mask];
		uint64_t found = atomic_load_explicit(&slot->key, memory_order_acquire);

		if (found == key)
			return wait_for_site(slot);
		if (found != 0)
			continue;
		place = new_site(sites, class, cut);
		if (!place)
			return 0;
		if (atomic_compare_exchange_strong(&slot->key, &found, key)) {
			atomic_store_explicit(&slot->site, place, memory_order_release);
			return place;
		}
		/* Another took the slot meanwhile, and the new site stays without a use. */
		if (found == key)
			return wait_for_site(slot);
	}
}

/* ---- objects that live ---- */

bool object_entries_init(struct object_entries *entries, uint64_t bytes)
{
	uint64_t room = bytes / (sizeof(struct object_entry) + TAG_BYTES);

	if (room < ENTRIES_MIN)
		room = ENTRIES_MIN;
	if (room > UINT32_MAX / 2)
		room = UINT32_MAX / 2;
	memset(entries, 0, sizeof(*entries));
	entries->room = (uint32_t)room;
	entries->entry = reserve(room * sizeof(*entries->entry));
	atomic_store(&entries->next, 1);
	return entries->entry != NULL;
}

void object_entries_fini(struct object_entries *entries)
{
	if (entries->entry)
		munmap(entries->entry, entries->room * sizeof(*entries->entry));
	entries->entry = NULL;
}

static uint32_t take_free(struct object_entries *entries)
{
	uint64_t first = atomic_load_explicit(&entries->free, memory_order_acquire), next;

	do {
		struct object_entry *entry = object_entry_at(entries, (uint32_t)first);

		if (!entry)
			return 0;
		/* It may be in use again: then the other half has changed. */
		next = atomic_load_explicit(&entry->site, memory_order_relaxed) |
		       ((first >> 32) + 1) << 32;
	} while (!atomic_compare_exchange_weak(&entries->free, &first, next));
	return (uint32_t)first;
}

uint32_t object_entry_take(struct object_entries *entries)
{
	uint32_t place = take_free(entries);

	if (!place &&
		atomic_load_explicit(&entries->next, memory_order_relaxed) < entries->room)
		place = atomic_fetch_add_explicit(&entries->next, 1, memory_order_relaxed);
	if (place >= entries->room)
		place = 0;
	if (place)
		atomic_fetch_add_explicit(&entries->used, 1, memory_order_relaxed);
	return place;
}

void object_entry_give(struct object_entries *entries, uint32_t place)
{
	uint64_t first = atomic_load_explicit(&entries->free, memory_order_relaxed), next;

	do {
		atomic_store_explicit(
			&entries->entry[place].site, (uint32_t)first, memory_order_relaxed);
		next = place | ((first >> 32) + 1) << 32;
	} while (!atomic_compare_exchange_weak(&entries->free, &first, next));
	atomic_fetch_sub_explicit(&entries->used, 1, memory_order_relaxed);
}
