/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/* plan: see plan.h. */
#include "agent/methods/plan.h"

#include <string.h>
#include <time.h>

static _Atomic(struct plan_owner *) owners;
static _Atomic uint32_t edition;

/* Threads that look through the owners, by the turn in which they began to, even or odd; each plan_settle begins another. */
static _Atomic unsigned asking[2];
static _Atomic unsigned turn;

/* Classes whose methods must stay as they are, whatever an owner wants. */
static const struct left_class {
	const char *pattern, *why;
} left_classes[] = {
	{"java.lang.Object", "its constructor runs in every object's"},
	{"jdk.internal.vm.*", "the JVM switches stacks in its methods"},
	{"java.lang.VirtualThread*", "a thread's identity changes in its methods"},
	{"java.lang.ThreadLocal*", "a virtual thread's identity is not settled there"},
	{"jprof.*", "jprof's own"},
};

void plan_add(struct plan_owner *owner)
{
	owner->since = atomic_load(&edition) + 1;
	atomic_store(&owner->leaving, false);
	atomic_store(&owner->next, atomic_load(&owners));
	atomic_store(&owners, owner);
	atomic_fetch_add(&edition, 1);
}

void plan_leave(struct plan_owner *owner)
{
	atomic_store(&owner->leaving, true);
	atomic_fetch_add(&edition, 1);
}

void plan_remove(struct plan_owner *owner)
{
	_Atomic(struct plan_owner *) *at = &owners;

	while (atomic_load(at) && atomic_load(at) != owner)
		at = &atomic_load(at)->next;
	if (atomic_load(at))
		atomic_store(at, atomic_load(&owner->next));
	atomic_fetch_add(&edition, 1);
}

/* Returns the turn, for end_asking. Of one that is over by the time that this is counted in it nobody may be left. */
static unsigned begin_asking(void)
{
	unsigned now = atomic_load(&turn);

	atomic_fetch_add(&asking[now % 2], 1);
	while (atomic_load(&turn) != now) {
		atomic_fetch_sub(&asking[now % 2], 1);
		now = atomic_load(&turn);
		atomic_fetch_add(&asking[now % 2], 1);
	}
	return now;
}

static void end_asking(unsigned began)
{
	atomic_fetch_sub(&asking[began % 2], 1);
}

/* False: somebody is still asking since a turn of that kind, even or odd. */
static bool wait_for(unsigned kind)
{
	static const struct timespec pause = {.tv_nsec = 100 * 1000};

	for (int waits = 0; atomic_load(&asking[kind]) > 0; waits++) {
		if (waits == 20000)
			return false;
		nanosleep(&pause, NULL);
	}
	return true;
}

/* Those who go on coming are of the next turn. The last but one may have somebody left whom plan_settle gave up. */
bool plan_settle(void)
{
	unsigned now = atomic_load(&turn);

	if (!wait_for((now + 1) % 2))
		return false;
	atomic_store(&turn, now + 1);
	return wait_for(now % 2);
}

uint32_t plan_edition(void)
{
	return atomic_load(&edition);
}

bool plan_keeps_sites(void)
{
	const struct plan_owner *owner;
	unsigned began;
	bool keeps;

	began = begin_asking();
	for (owner = atomic_load(&owners); owner && !owner->sites;)
		owner = atomic_load(&owner->next);
	keeps = owner != NULL;
	end_asking(began);
	return keeps;
}

/* ---- what an owner wants ---- */

/* The JDK's own methods are chosen only when a pattern names their class. */
static bool reaches_class(const char *pattern, const char *class_name, bool is_jdk)
{
	return is_jdk ? pattern_names_class(pattern, class_name)
		      : pattern_reaches_class(pattern, class_name);
}

static bool list_reaches(const struct pattern_list *list, const char *class_name, bool is_jdk)
{
	for (size_t i = 0; i < list->count; i++)
		if (reaches_class(pattern_text(list->pattern[i]), class_name, is_jdk))
			return true;
	return false;
}

/* Which patterns of the list match, a bit for the place of each; places from 31 on have the last bit. All that
 * do are noted. */
static uint32_t list_matches(const struct pattern_list *list, const struct jvm_method *method)
{
	uint32_t which = 0;

	for (size_t i = 0; i < list->count; i++) {
		const char *pattern = pattern_text(list->pattern[i]);

		if (!pattern_match_method(pattern, method->class_name, method->name) ||
			!reaches_class(pattern, method->class_name, method->is_jdk))
			continue;
		which |= UINT32_C(1) << (i < 31 ? i : 31);
		pattern_list_note(list, i);
	}
	return which;
}

static bool is_excluded(const struct pattern_list *list, const struct jvm_method *method)
{
	for (size_t i = 0; i < list->count; i++)
		if (pattern_match_method(list->pattern[i], method->class_name, method->name))
			return true;
	return false;
}

/* Whatever the patterns say: how a program asks jprof, or tells it, is no part of it. */
static bool is_jprofs(const char *class_name)
{
	return strcmp(class_name, "jprof.JProf") == 0 ||
	       strcmp(class_name, "java.lang.JprofProbe") == 0;
}

/* ---- what all of them want ---- */

static bool reaches(const struct plan_owner *owner, const char *class_name, bool is_jdk)
{
	bool included = (!is_jdk && pattern_list_has_default(owner->include)) ||
			list_reaches(owner->include, class_name, is_jdk);

	return (included && !pattern_list_match(owner->exclude, class_name)) ||
	       list_reaches(owner->scope, class_name, is_jdk);
}

bool plan_reaches(const char *class_name, bool is_jdk, unsigned sessions)
{
	const struct plan_owner *owner;
	unsigned began;
	bool any = false;

	if (is_jprofs(class_name))
		return false;
	began = begin_asking();
	for (owner = atomic_load(&owners); owner && !any; owner = atomic_load(&owner->next))
		any = owner->probes != PROBE_NONE && sessions & 1U << owner->session &&
		      reaches(owner, class_name, is_jdk);
	end_asking(began);
	return any;
}

/* What the owners of one session want. */
struct wish {
	probe_set probes, named;
};

/* The owner chooses the method. which: the patterns by which it does, a bit each; scope: those of its scope do. */
static bool chooses(const struct plan_owner *owner, const struct jvm_method *method,
	uint32_t *which, bool *scope)
{
	bool included;

	*which = list_matches(owner->include, method);
	if (owner->noted && owner->noted != owner->include)
		list_matches(owner->noted, method);
	*scope = list_matches(owner->scope, method) != 0;
	included = *which != 0 || (!method->is_jdk && pattern_list_has_default(owner->include));
	if (!*scope && (!included || is_excluded(owner->exclude, method)))
		return false;
	return !owner->wants || owner->wants(method, owner->session);
}

static void add_owner(struct planned *planned, struct wish *wish,
	const struct plan_owner *owner, uint32_t which, bool scope)
{
	uint8_t session = (uint8_t)(1U << owner->session);

	planned->sites |= owner->sites;
	if (owner->sites)
		return;
	planned->scope |= scope;
	planned->watched |= owner->watches;
	planned->recorded |= owner->records;
	planned->values |= owner->values;
	planned->sessions.wanted |= owner->records ? session : 0;
	planned->sessions.scope |= scope ? session : 0;
	planned->sessions.watched |= owner->watches ? session : 0;
	wish->probes |= owner->probes;
	if (owner->named)
		wish->named |= owner->probes & PROBE_CALLS;
	if (owner->probes & PROBE_ENTRY)
		planned->entered |= which;
	if (!planned->owner)
		planned->owner = owner;
}

/* Timed calls have been counted: of what a session names, and of what several sessions want, that wins. */
static void unite(struct planned *planned, const struct wish wish[PROFILE_SESSIONS_MAX])
{
	bool timed = false;

	for (unsigned i = 0; i < PROFILE_SESSIONS_MAX; i++) {
		probe_set calls = wish[i].probes & PROBE_CALLS;

		if (wish[i].named)
			calls = wish[i].named & PROBE_TIMED ? PROBE_TIMED : PROBE_COUNTED;
		if (calls == PROBE_COUNTED)
			planned->sessions.counted |= (uint8_t)(1U << i);
		timed |= calls == PROBE_TIMED;
		planned->probes |= (wish[i].probes & (probe_set)~PROBE_CALLS) | calls;
	}
	if (timed)
		planned->probes &= (probe_set)~PROBE_COUNTED;
}

struct planned plan_of(const struct jvm_method *method)
{
	const struct plan_owner *owner;
	struct planned planned = {.edition = plan_edition(), .probes = PROBE_NONE};
	struct wish wish[PROFILE_SESSIONS_MAX] = {{PROBE_NONE, PROBE_NONE}};
	uint32_t which;
	unsigned began;
	bool scope;

	if (is_jprofs(method->class_name))
		return planned;
	began = begin_asking();
	for (owner = atomic_load(&owners); owner; owner = atomic_load(&owner->next))
		if (!atomic_load(&owner->leaving) && chooses(owner, method, &which, &scope))
			add_owner(&planned, &wish[owner->session], owner, which, scope);
	end_asking(began);
	unite(&planned, wish);
	return planned;
}

struct planned plan_for_code(const struct jvm_method *method, bool intrinsic)
{
	struct planned planned = plan_of(method);

	if (planned.probes == PROBE_NONE)
		return planned;
	if (method->is_native && intrinsic)
		planned.left = "native, and replaced by the compilers with code of their own";
	for (size_t i = 0; i < sizeof(left_classes) / sizeof(*left_classes); i++)
		if (pattern_match(left_classes[i].pattern, method->class_name)) {
			planned.left = left_classes[i].why;
			planned.left_class = true;
		}
	if (planned.left)
		planned.probes = PROBE_NONE;
	return planned;
}
