/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/*
 * plan: what is in each method: which probes, and why.
 *
 *   owners: patterns of include, exclude, scope --> plan_of       --> ids of methods (methods.c)
 *           + what must stay as it is           --> plan_for_code --> bytes of classes (agent/probes)
 *
 * An owner is what wants methods to be seen: a session, for their calls or for the stacks at their
 * entries. The plan is the union of what its owners want, and says which sessions want what. Only ids are kept of methods: the plan is
 * asked again in each edition.
 *
 * Runs: on any thread, without locks. Owners are added and removed by one thread at a time, and
 *       stay where they are, with their lists, until plan_settle has told that nobody asks for them any more.
 */
#ifndef JPROF_PLAN_H
#define JPROF_PLAN_H

#include <stdatomic.h>

#include "agent/jvm/jvm.h"
#include "agent/rewrite/rewrite.h"
#include "options/pattern.h"
#include "profile/profile.h"

struct plan_owner {
	unsigned session; /* its bit among those that record, 0 to 7 */
	probe_set probes; /* of the methods that it chooses; timed and counted: either */
	bool named; /* whether they are timed or counted wins over the session's owners that are not */
	bool records; /* their calls are recorded, however these are seen */
	bool watches; /* each call is told of (agent/trace/watched_calls.h) */
	/* NULL, or which of them are chosen that the patterns choose. */
	bool (*wants)(const struct jvm_method *method, unsigned session);
	bool values; /* values are read in its methods (value_rows.h) */
	bool sites; /* nothing but that their call sites are kept apart (agent/trace/tree_labels.h) */
	/* Borrowed. Methods of the scope are always chosen. In include and scope it is noted
	 * which patterns match. */
	const struct pattern_list *include, *exclude, *scope;
	/* Borrowed; NULL, or patterns that choose nothing: it is noted which match. */
	const struct pattern_list *noted;
	/* The plan's own. */
	uint32_t since; /* the edition in which it came */
	_Atomic bool leaving;
	_Atomic(struct plan_owner *) next;
};

/* What the owner wants is in the plan from now on, or no more. The next edition. */
void plan_add(struct plan_owner *owner);
void plan_remove(struct plan_owner *owner);

/* Waits until whoever asked before it was called has been answered, some seconds at most; those who ask meanwhile are not waited for.
 * False: somebody may be asking yet. By one thread at a time. */
bool plan_settle(void);

/* It wants nothing any more; plan_reaches still knows what it reached, until it is removed. The next edition. */
void plan_leave(struct plan_owner *owner);

/* Changes whenever the plan does. */
uint32_t plan_edition(void);

/* Which sessions want a method, a bit each: at all, counted alone, as one that their scope begins with, each of its calls
 * told of. */
struct method_sessions {
	uint8_t wanted, counted, scope, watched;
};

/* True if call sites of some methods are kept apart. */
bool plan_keeps_sites(void);

/* What a method has. */
struct planned {
	uint32_t edition; /* of the plan when it was asked */
	struct method_sessions sessions;
	probe_set probes; /* timed and counted: either (call_kinds.h) */
	bool recorded;    /* its calls are */
	bool scope;       /* a session's scope begins with it */
	bool watched;     /* each of its calls is told of */
	bool values;      /* values are read in it */
	bool sites;       /* its call sites are kept apart, where they are known */
	/* By which patterns, a bit for the place of each, the owners' that want PROBE_ENTRY. */
	uint32_t entered;
	/* why: one that chooses it; NULL: none does */
	const struct plan_owner *owner;
	/* Why it stays as it is although there is one; NULL: it does not. */
	const char *left;
	bool left_class; /* that is so of its whole class */
};
struct planned plan_of(const struct jvm_method *method);

/* The same of what is put into its code, or around it. intrinsic: the compilers may
 * replace it. */
struct planned plan_for_code(const struct jvm_method *method, bool intrinsic);

/* False if no method of the class has probes for one of these sessions, as bits. */
enum { PLAN_ALL_SESSIONS = (1 << PROFILE_SESSIONS_MAX) - 1 };
bool plan_reaches(const char *class_name, bool is_jdk, unsigned sessions);

#endif
