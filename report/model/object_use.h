/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/*
 * object_use: what the trace of objects tells: how many were allocated, and how many of these were freed, by class and call
 * path. What was allocated and not freed is alive.
 *
 * Threads are those as they were read (model->apart): merged ones have no such accounts.
 */
#ifndef JPROF_REPORT_OBJECT_USE_H
#define JPROF_REPORT_OBJECT_USE_H

#include "report/model/model.h"

/* Of some objects: told are those that the JVM told of, which the others are estimated by; births is the sum of how many
 * collections there had been before each was allocated. */
struct object_figures {
	uint64_t objects, bytes, told, births;
};

struct object_use {
	struct object_figures allocated, freed;
};

static inline void object_figures_add(
	struct object_figures *sum, const struct object_figures *more)
{
	sum->objects += more->objects;
	sum->bytes += more->bytes;
	sum->told += more->told;
	sum->births += more->births;
}

static inline void object_use_join(struct object_use *use, const struct object_use *more)
{
	object_figures_add(&use->allocated, &more->allocated);
	object_figures_add(&use->freed, &more->freed);
}

/* Adds an account of objects. */
void object_use_add(struct object_use *use, const struct profile_account *account);

/* Below 0: in an interval more were freed than allocated. */
static inline int64_t object_alive(const struct object_use *use)
{
	return (int64_t)(use->allocated.objects - use->freed.objects);
}

static inline int64_t object_alive_bytes(const struct object_use *use)
{
	return (int64_t)(use->allocated.bytes - use->freed.bytes);
}

/* Which of the profile's accounts are of objects, of the chosen threads, and below or of the chosen methods' classes. The
 * store's; NULL without memory. */
bool *objects_wanted(const struct model *model);

/* How objects were told of, and what they lack: facts of the profile. */
struct object_facts {
	uint64_t period;      /* bytes from one that was told of to the next; 0: all were */
	uint64_t collections; /* until now */
	uint64_t untracked;   /* allocated, but not followed: they count as freed */
	uint64_t cut;         /* allocated, with a path that is cut at the thread's root */
	uint64_t lost, lost_bytes; /* not in any account */
	bool is_growth; /* of an interval: what is alive is how much more than at its begin */
	bool has_ages;  /* how old what is alive is can be told: it is as at the end */
};
struct object_facts object_facts(const struct model *model);

/* In collections, on average, of what is alive. */
static inline double object_age(const struct object_facts *facts, const struct object_use *use)
{
	double births = (double)(int64_t)(use->allocated.births - use->freed.births);

	return (double)facts->collections - births / (double)object_alive(use);
}

#endif
