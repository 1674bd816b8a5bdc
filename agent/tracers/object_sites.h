/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/*
 * object_sites: where objects are allocated, and which of them live. See objects_tracer.h. Exceptions that are made have sites of
 * their own (exceptions_tracer.h).
 *
 *   key (path, thread, class) --> slot --> site: counts of objects allocated there, and freed
 *   tag --> entry: site, what the object counts
 *
 * Both are as large as their memory from the begin on, which the system gives as it is written. The first place of each is none.
 *
 * Runs: on any thread, without locks; but for init, fini, and what is named put_, which is the writer's.
 */
#ifndef JPROF_TRACERS_OBJECT_SITES_H
#define JPROF_TRACERS_OBJECT_SITES_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* What objects are, together. */
struct object_sum {
	uint64_t objects, bytes;
	uint64_t births; /* sum of how many collections there had been before each */
	uint64_t told; /* how many of them the JVM told of: the others are estimated by these */
};

struct object_counter {
	_Atomic uint64_t objects, bytes, births, told;
};

static inline void object_count(struct object_counter *counter, const struct object_sum *sum)
{
	atomic_fetch_add_explicit(&counter->objects, sum->objects, memory_order_relaxed);
	atomic_fetch_add_explicit(&counter->bytes, sum->bytes, memory_order_relaxed);
	atomic_fetch_add_explicit(&counter->births, sum->births, memory_order_relaxed);
	atomic_fetch_add_explicit(&counter->told, sum->told, memory_order_release);
}

/* What it has counted since what was put. told is read first: who goes by it does not miss what belongs to it. */
static inline struct object_sum object_counted(
	struct object_counter *counter, const struct object_sum *put)
{
	uint64_t told = atomic_load_explicit(&counter->told, memory_order_acquire);

	return (struct object_sum){
		.objects = atomic_load_explicit(&counter->objects, memory_order_relaxed) -
			   put->objects,
		.bytes = atomic_load_explicit(&counter->bytes, memory_order_relaxed) -
			 put->bytes,
		.births = atomic_load_explicit(&counter->births, memory_order_relaxed) -
			  put->births,
		.told = told - put->told};
}

static inline void object_put(struct object_sum *put, const struct object_sum *more)
{
	put->objects += more->objects;
	put->bytes += more->bytes;
	put->births += more->births;
	put->told += more->told;
}

/* ---- sites ---- */

/* What a site's place is before it is a node of the sampler's tree: its stack was not told yet, or is on its way. */
enum { SITE_UNTOLD = 0, SITE_TOLD = UINT32_MAX };

struct object_site {
	struct object_counter allocated, freed;
	struct object_sum put_allocated, put_freed;
	uint32_t class; /* id of the class, in the table of methods */
	_Atomic uint32_t place;
	bool cut; /* its path is cut at the thread's root */
};

struct object_sites {
	struct object_site *site; /* NULL: there is no memory for them */
	struct object_slot {
		_Atomic uint64_t key; /* 0: it is free */
		_Atomic uint32_t site;
	} * slot;
	uint32_t room, mask;
	_Atomic uint32_t used;
};

/* False: no memory. bytes: for all of it. */
bool object_sites_init(struct object_sites *sites, uint64_t bytes);
void object_sites_fini(struct object_sites *sites);

/* A key for one more thing that it depends on. Never 0. */
static inline uint64_t object_key(uint64_t key, uint64_t more)
{
	key = (key ^ (more + 1) * UINT64_C(0xd1342543de82ef95)) * UINT64_C(0x9e3779b97f4a7c15);
	key ^= key >> 32;
	return key ? key : 1;
}

/* The site of that key, a new one if need be. cut: it may be one of the last eighth, which are left to those whose path is
 * cut. 0: there is no room. */
uint32_t object_site_find(struct object_sites *sites, uint64_t key, uint32_t class, bool cut);

static inline struct object_site *object_site_at(
	const struct object_sites *sites, uint32_t place)
{
	return &sites->site[place];
}

/* Behind the last that is in use; 0: there are none. */
static inline uint32_t object_sites_used(const struct object_sites *sites)
{
	return sites->site ? atomic_load_explicit(&sites->used, memory_order_acquire) : 0;
}

/* ---- objects that live ---- */

struct object_entry {
	_Atomic uint32_t site; /* or, where it is free, the next such */
	/* Of an object of java.lang.Class: id of the class that it is; 0: not known. */
	_Atomic uint32_t class;
	uint32_t objects; /* that it stands for */
	uint32_t births;  /* how many collections there had been */
	uint64_t bytes;
};

struct object_entries {
	struct object_entry *entry;
	uint32_t room;
	_Atomic uint32_t next; /* from here on none was in use yet */
	_Atomic uint64_t
		free; /* the first free one, and in the upper half how often that has changed */
	_Atomic uint64_t used;
};

bool object_entries_init(struct object_entries *entries, uint64_t bytes);
void object_entries_fini(struct object_entries *entries);

/* 0: there is no room. */
uint32_t object_entry_take(struct object_entries *entries);
void object_entry_give(struct object_entries *entries, uint32_t place);

/* NULL for 0, and for what is none. */
static inline struct object_entry *object_entry_at(
	const struct object_entries *entries, uint32_t place)
{
	return place > 0 && place < entries->room ? &entries->entry[place] : NULL;
}

/* ---- objects whose stacks have no number ---- */

struct object_loose {
	uint32_t class;
	struct object_sum sum;
};

/* Cookies of sites are below 2^32. Addresses of the heap have their highest bit clear. */
static inline uint64_t object_loose_cookie(const struct object_loose *loose)
{
	return (uint64_t)(uintptr_t)loose | UINT64_C(1) << 63;
}

/* NULL: it is a site's. */
static inline struct object_loose *object_loose_of(uint64_t cookie)
{
	return cookie >> 63 ? (struct object_loose *)(uintptr_t)(cookie & UINT64_MAX >> 1)
			    : NULL;
}

#endif
