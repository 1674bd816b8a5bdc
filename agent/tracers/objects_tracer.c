/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/* objects_tracer: see objects_tracer.h. */
#include "agent/tracers/objects_tracer.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "agent/lock/gate.h"
#include "agent/sample/allocations.h"
#include "agent/sample/sample_events.h"
#include "agent/sample/sampler.h"
#include "agent/threads/thread_slot.h"
#include "agent/tracers/object_sites.h"

static struct {
	struct gate gate; /* open: sites and entries are there */
	struct object_sites sites;
	struct object_entries entries;
	uint64_t period;                   /* bytes; 0: all */
	uint32_t collections;              /* that there had been when the recording began */
	uint32_t recording;                /* its number */
	_Atomic uint32_t class_of_classes; /* id of java.lang.Class; 0: none was seen */
	_Atomic uint64_t rest;             /* of an object, in 2^-32, that no count has */
	_Atomic uint64_t untracked, cut, lost_objects, lost_bytes;
} objects;

static uint32_t collections_now(void)
{
	return sample_events_collections() - objects.collections;
}

/* So many objects, on average as many as that. */
static uint64_t whole_of(double count)
{
	uint64_t part = (uint64_t)(count * 4294967296.0);
	uint64_t sum = atomic_fetch_add_explicit(&objects.rest, part, memory_order_relaxed) &
		       UINT32_MAX;

	return (sum + part) >> 32;
}

/* ---- classes ---- */

/* The tag of a class, as it has been named. An object of java.lang.Class that was allocated meanwhile has an entry's tag: that
 * has what it is, too. */
#define CLASS_TAG (INT64_C(1) << 62)

static uint32_t name_class(jclass class)
{
	struct jvm_method of = {.class_name = jvm_type_name(class)};
	bool is_of_classes = of.class_name && strcmp(of.class_name, "java.lang.Class") == 0;
	uint32_t id = of.class_name ? methods_on_stack(&of, METHOD_CLASS, NULL) : 0;

	if (is_of_classes)
		atomic_store(&objects.class_of_classes, id);
	jvm_method_fini(&of);
	return id;
}

/* Its id in the table of methods; 0: no memory. */
static uint32_t class_id(jclass class)
{
	int64_t tag = jvm_tag_of(JVM_TAGS_OBJECTS, class);
	struct object_entry *entry = NULL;
	uint32_t id = 0;

	if (tag & CLASS_TAG)
		return (uint32_t)(tag & ~CLASS_TAG);
	if (tag > 0)
		entry = object_entry_at(&objects.entries, (uint32_t)tag);
	if (entry)
		id = atomic_load_explicit(&entry->class, memory_order_relaxed);
	if (id)
		return id;
	id = name_class(class);
	if (id && entry)
		atomic_store_explicit(&entry->class, id, memory_order_relaxed);
	else if (id)
		jvm_tag(JVM_TAGS_OBJECTS, class, CLASS_TAG | id);
	return id;
}

/* ---- an object ends ---- */

static void on_freed(int64_t tag)
{
	struct object_entry *entry;

	if ((tag & CLASS_TAG) || !gate_enter(&objects.gate))
		return;
	entry = object_entry_at(&objects.entries, (uint32_t)tag);
	if (entry) {
		uint32_t site = atomic_load_explicit(&entry->site, memory_order_relaxed);
		const struct object_sum sum = {.objects = entry->objects,
			.bytes = entry->bytes,
			.births = (uint64_t)entry->objects * entry->births,
			.told = 1};

		object_count(&object_site_at(&objects.sites, site)->freed, &sum);
		object_entry_give(&objects.entries, (uint32_t)tag);
	}
	gate_leave(&objects.gate);
}

/* ---- an object begins ---- */

/* It is known by a tag from now on, so that its end is told to the site. False: there is no room. */
static bool track(const struct allocation *allocation, uint32_t class, uint32_t site,
	const struct object_sum *sum)
{
	uint32_t place = object_entry_take(&objects.entries);
	struct object_entry *entry = object_entry_at(&objects.entries, place);
	int64_t before;

	if (!entry)
		return false;
	atomic_store_explicit(&entry->site, site, memory_order_relaxed);
	entry->objects = (uint32_t)sum->objects;
	entry->births = (uint32_t)(sum->births / sum->objects);
	entry->bytes = sum->bytes;
	/* An object of java.lang.Class may have been looked at as a class already. */
	before = class == atomic_load_explicit(&objects.class_of_classes, memory_order_relaxed)
			 ? jvm_tag_of(JVM_TAGS_OBJECTS, allocation->object)
			 : 0;
	atomic_store_explicit(&entry->class,
		before & CLASS_TAG ? (uint32_t)(before & ~CLASS_TAG) : 0, memory_order_relaxed);
	if (jvm_tag(JVM_TAGS_OBJECTS, allocation->object, place))
		return true;
	object_entry_give(&objects.entries, place);
	return false;
}

/* A stack that has no number: it is told each time. What came of it is added once it has a place, by its cookie. */
static void tell_loose(uint32_t class, const struct object_sum *sum, bool no_path)
{
	struct object_loose *loose = malloc(sizeof(*loose));
	struct sampler_event event = {
		.kind = OBJECTS_ALLOCATED, .subject = class, .no_path = no_path};

	if (loose) {
		*loose = (struct object_loose){.class = class, .sum = *sum};
		event.cookie = object_loose_cookie(loose);
	}
	if (loose && sampler_take_event(&event)) {
		atomic_fetch_add(&objects.untracked, sum->objects);
		return;
	}
	free(loose);
	atomic_fetch_add(&objects.lost_objects, sum->objects);
	atomic_fetch_add(&objects.lost_bytes, sum->bytes);
}

/* The site's path is on its way from now on, if it is not yet. */
static void tell_path(struct object_site *site, uint32_t place, bool no_path)
{
	uint32_t expected = SITE_UNTOLD;
	const struct sampler_event event = {.kind = OBJECTS_ALLOCATED,
		.subject = site->class,
		.cookie = place,
		.no_path = no_path};

	if (atomic_load_explicit(&site->place, memory_order_relaxed) != SITE_UNTOLD ||
		!atomic_compare_exchange_strong(&site->place, &expected, SITE_TOLD))
		return;
	if (!sampler_take_event(&event))
		atomic_store(&site->place, SITE_UNTOLD);
}

/* Where it counts, with its path told; 0: there is no room. */
static uint32_t site_of(struct sampler_stack *stack, uint64_t key, uint64_t note,
	uint32_t class, uint64_t thread)
{
	uint32_t place = (uint32_t)note;

	if (place && object_site_at(&objects.sites, place)->class == class)
		return place;
	place = object_site_find(&objects.sites, object_key(key, class), class, false);
	if (place) {
		tell_path(object_site_at(&objects.sites, place), place, false);
		sampler_stack_note(stack, key, place);
		return place;
	}
	place = object_site_find(&objects.sites, object_key(~thread, class), class, true);
	if (place) {
		atomic_fetch_add_explicit(&objects.cut, 1, memory_order_relaxed);
		tell_path(object_site_at(&objects.sites, place), place, true);
	}
	return place;
}

static void count_object(const struct allocation *allocation)
{
	struct object_sum sum = {.told = 1, .births = 0};
	uint64_t where, thread, key, note;
	struct sampler_stack stack;
	struct object_site *site;
	uint32_t class, place;

	sampler_stack_find(&stack);
	if (!sampler_where(&where, &thread))
		return;
	sum.objects = whole_of(allocation->objects);
	if (sum.objects == 0)
		return;
	sum.bytes = sum.objects * allocation->bytes;
	sum.births = sum.objects * collections_now();
	class = class_id(allocation->class);
	key = sampler_stack_key(&stack, objects.recording, where, &note);
	/* A thread that runs no Java method. */
	if (key == 0 && stack.thread.java && stack.about.sp == 0)
		key = object_key(where, 0);
	if (key == 0) {
		tell_loose(class, &sum, !stack.thread.java);
		return;
	}
	place = site_of(&stack, key, note, class, thread);
	if (!place) {
		atomic_fetch_add(&objects.lost_objects, sum.objects);
		atomic_fetch_add(&objects.lost_bytes, sum.bytes);
		return;
	}
	site = object_site_at(&objects.sites, place);
	if (atomic_load_explicit(&site->place, memory_order_relaxed) == SITE_UNTOLD)
		tell_path(site, place, site->cut);
	object_count(&site->allocated, &sum);
	if (track(allocation, class, place, &sum))
		return;
	object_count(&site->freed, &sum);
	atomic_fetch_add_explicit(&objects.untracked, sum.objects, memory_order_relaxed);
}

static void on_allocated(const struct allocation *allocation)
{
	if (!gate_enter(&objects.gate))
		return;
	count_object(allocation);
	gate_leave(&objects.gate);
}

/* ---- on and off ---- */

enum {
	SITES_SHARE = 8,  /* of max_memory for sites, */
	ENTRIES_SHARE = 2 /* and for entries with what the JVM has for their tags */
};

static bool forget(void)
{
	if (!objects.sites.site)
		return true;
	if (!gate_close(&objects.gate))
		return false;
	jvm_tags_close(JVM_TAGS_OBJECTS);
	object_sites_fini(&objects.sites);
	object_entries_fini(&objects.entries);
	return true;
}

static void placed(uint64_t cookie, uint32_t node);

static int make(const struct session *session, struct error *error)
{
	uint64_t memory = session->options.max_memory;
	int status;

	if (!object_sites_init(&objects.sites, memory / SITES_SHARE))
		return error_set(error, ERROR_MEMORY, "traces=objects: no memory");
	if (!object_entries_init(&objects.entries, memory / ENTRIES_SHARE)) {
		object_sites_fini(&objects.sites);
		return error_set(error, ERROR_MEMORY, "traces=objects: no memory");
	}
	status = jvm_tags_open(JVM_TAGS_OBJECTS, on_freed, error);
	if (status) {
		object_sites_fini(&objects.sites);
		object_entries_fini(&objects.entries);
		return status;
	}
	objects.period = session->options.objects;
	objects.collections = sample_events_collections();
	objects.recording = recording_now();
	atomic_store(&objects.untracked, 0);
	atomic_store(&objects.cut, 0);
	atomic_store(&objects.lost_objects, 0);
	atomic_store(&objects.lost_bytes, 0);
	sampler_on_placed(OBJECTS_ALLOCATED, placed);
	gate_open(&objects.gate);
	return 0;
}

/* A thread takes its first distance as it is made: where the recording begins with the JVM that is known before any is. */
static int prove(const struct session *session, struct error *error)
{
	return jvm_sample_allocations(session->options.objects, error);
}

static int on(JNIEnv *jni, struct session *session, struct error *error)
{
	bool is_made = objects.sites.site != NULL;
	int status = 0;

	if (!is_made)
		status = make(session, error);
	if (status == 0)
		status = allocations_tell(
			ALLOCATIONS_OBJECTS, objects.period, on_allocated, error);
	/* What a thread has of the heap already it uses up without telling, unless that is collected: as the JVM starts
	 * there is next to nothing yet. */
	if (status == 0 && objects.period == 0 && session->from_start)
		jvm_collect();
	return status;
}

static void off(JNIEnv *jni, struct session *session)
{
	allocations_silence(ALLOCATIONS_OBJECTS);
}

/* ---- on the writer's thread ---- */

static bool add(
	uint32_t node, enum account_kind kind, uint32_t class, const struct object_sum *sum)
{
	return sampler_add(node, &(struct sampler_event){.kind = kind,
					 .subject = class,
					 .count = sum->objects,
					 .failures = sum->told,
					 .amount = sum->bytes,
					 .ns = sum->births});
}

/* Where a stack went: the path of a site from now on, or of a loose object. node 0: it was lost. */
static void placed(uint64_t cookie, uint32_t node)
{
	struct object_loose *loose = object_loose_of(cookie);

	if (!loose) {
		atomic_store(&object_site_at(&objects.sites, (uint32_t)cookie)->place,
			node ? node : SITE_UNTOLD);
		return;
	}
	if (!node || !add(node, OBJECTS_ALLOCATED, loose->class, &loose->sum) ||
		!add(node, OBJECTS_FREED, loose->class, &loose->sum)) {
		atomic_fetch_add(&objects.lost_objects, loose->sum.objects);
		atomic_fetch_add(&objects.lost_bytes, loose->sum.bytes);
	}
	free(loose);
}

/* What was counted since the last time. Ends first: none is told without its begin. */
static void settle(bool snapshot)
{
	uint32_t sites = object_sites_used(&objects.sites);

	for (uint32_t i = 1; i < sites; i++) {
		struct object_site *site = object_site_at(&objects.sites, i);
		uint32_t node = atomic_load(&site->place);
		struct object_sum freed, allocated;

		if (node == SITE_UNTOLD || node == SITE_TOLD)
			continue;
		freed = object_counted(&site->freed, &site->put_freed);
		allocated = object_counted(&site->allocated, &site->put_allocated);
		if (allocated.told && add(node, OBJECTS_ALLOCATED, site->class, &allocated))
			object_put(&site->put_allocated, &allocated);
		if (freed.told && add(node, OBJECTS_FREED, site->class, &freed))
			object_put(&site->put_freed, &freed);
	}
}

static void facts(fact_put put, void *argument)
{
	uint64_t unplaced = 0, unplaced_bytes = 0;
	uint32_t sites = object_sites_used(&objects.sites);

	if (!objects.sites.site)
		return;
	for (uint32_t i = 1; i < sites; i++) {
		struct object_site *site = object_site_at(&objects.sites, i);
		struct object_sum left = object_counted(&site->allocated, &site->put_allocated);
		uint32_t node = atomic_load(&site->place);

		if (node != SITE_UNTOLD && node != SITE_TOLD)
			continue;
		unplaced += left.objects;
		unplaced_bytes += left.bytes;
	}
	fact_put_number(put, argument, "objects.period", objects.period);
	fact_put_number(put, argument, "objects.collections", collections_now());
	fact_put_number(put, argument, "objects.tracked", objects.entries.used);
	fact_put_number(put, argument, "objects.untracked", objects.untracked);
	fact_put_number(put, argument, "objects.cut", objects.cut);
	fact_put_number(put, argument, "objects.lost", objects.lost_objects + unplaced);
	fact_put_number(
		put, argument, "objects.lost_bytes", objects.lost_bytes + unplaced_bytes);
}

const struct tracer objects_tracer = {
	.stacks = true,
	.capabilities = JVM_ALLOCATIONS,
	.prove = prove,
	.on = on,
	.off = off,
	.forget = forget,
	.settle = settle,
	.facts = facts,
};
