/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/*
 * methods: see methods.h.
 *
 *   jmethodID --hash--> bucket[65536] -> entry -> entry -> ...     (excluded ones too)
 *   id --> block[id / 1024][id % 1024] = record                    (included ones)
 *
 *   names --hash--> by_name[65536] -> id -> id -> ...              (included ones, under the lock)
 *
 * Entries and records are never freed or moved: readers need no lock. Methods of the same class
 * name, name and signature share an id, whichever loader defined them; so do those of classes
 * that are made by the thousand (class_families.h). An id means the same method for good: code
 * with old probes may still run when the next session does. Whether a method is included the
 * plan says: an entry has the edition that it was asked in.
 */
#include "agent/methods/methods.h"

#include <errno.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "agent/lock/lock.h"
#include "agent/methods/class_families.h"
#include "agent/methods/plan.h"

enum { BUCKETS = 1 << 16, BLOCK = 1 << 10, BLOCKS = 1 << 14 };

struct method_record {
	struct profile_method shown;
	uint32_t next_by_name;
	_Atomic(struct method_sessions) sessions; /* written under the lock */
	_Atomic bool named;                       /* asked for by its names */
};

struct method_entry {
	struct method_entry *next;
	jmethodID method;
	_Atomic uint64_t answer; /* edition of the plan << 32 | method_ref */
};

static _Atomic(struct method_entry *) bucket[BUCKETS];
static _Atomic(struct method_record *) block[BLOCKS];
static uint32_t by_name[BUCKETS];               /* head of a chain of ids, under the lock */
static _Atomic uint32_t next_id = METHOD_FIRST; /* written under the lock */
static _Atomic uint64_t lost;
static _Atomic uint32_t sessions_edition;
static struct lock methods_lock = {PTHREAD_MUTEX_INITIALIZER, LOCK_METHODS};

static uint32_t methods_hash(jmethodID method)
{
	/* Fibonacci hashing: handles are pointers or counters, their low bits alike. */
	return (uint32_t)(((uint64_t)(uintptr_t)method * 0x9e3779b97f4a7c15u) >> 48);
}

static struct method_entry *methods_look_up(jmethodID method)
{
	struct method_entry *entry =
		atomic_load_explicit(&bucket[methods_hash(method)], memory_order_acquire);

	while (entry && entry->method != method)
		entry = entry->next;
	return entry;
}

static struct method_record *methods_record(uint32_t id)
{
	return &atomic_load_explicit(&block[id / BLOCK], memory_order_acquire)[id % BLOCK];
}

/* FNV-1a over the three names, of which each but the first may be missing. */
static uint32_t methods_name_hash(const struct jvm_method *method)
{
	const char *part[] = {method->class_name, method->name, method->signature};
	uint32_t hash = 2166136261u;

	for (size_t i = 0; i < 3; i++) {
		for (const char *c = part[i]; c && *c; c++)
			hash = (hash ^ (unsigned char)*c) * 16777619u;
	}
	return hash % BUCKETS;
}

static bool same_text(const char *a, const char *b)
{
	return a == b || (a && b && strcmp(a, b) == 0);
}

static uint32_t methods_same_name(
	const struct jvm_method *method, enum method_kind kind, uint32_t hash)
{
	uint32_t id = by_name[hash];

	while (id) {
		const struct method_record *record = methods_record(id);

		if (same_text(record->shown.name, method->name) &&
			same_text(record->shown.class_name, method->class_name) &&
			same_text(record->shown.signature, method->signature) &&
			record->shown.kind == kind)
			return id;
		id = record->next_by_name;
	}
	return 0;
}

/* The id of a method that is included; takes the strings of description when it is a new one. A
 * class of which there are too many goes by the name of its family. 0 without memory, or when
 * there are more methods than ids. Under the lock. */
static uint32_t methods_id(
	struct jvm_method *description, enum method_kind kind, const char *file)
{
	char family[FAMILY_NAME_MAX], *copy;
	struct method_record *records;
	uint32_t hash, id;

	if (kind == METHOD_JAVA && !class_is_apart(description->class_name, family)) {
		copy = strdup(family);
		if (copy) {
			free(description->class_name);
			description->class_name = copy;
		}
	}
	hash = methods_name_hash(description);
	id = methods_same_name(description, kind, hash);
	if (id)
		return id;
	id = atomic_load_explicit(&next_id, memory_order_relaxed);
	if (id / BLOCK >= BLOCKS)
		return 0;
	if (!atomic_load_explicit(&block[id / BLOCK], memory_order_relaxed)) {
		records = calloc(BLOCK, sizeof(*records));
		if (!records)
			return 0;
		atomic_store_explicit(&block[id / BLOCK], records, memory_order_release);
	}
	*methods_record(id) = (struct method_record){.named = false,
		.shown = {.id = id,
			.class_name = description->class_name,
			.name = description->name,
			.signature = description->signature,
			.wanted = PROFILE_SESSIONS_ALL,
			.watched = PROFILE_SESSIONS_ALL,
			.is_native = description->is_native,
			.is_static = description->is_static,
			.kind = kind,
			.file = file ? strdup(file) : NULL},
		.next_by_name = by_name[hash]};
	description->class_name = description->name = description->signature = NULL;
	by_name[hash] = id;
	atomic_store_explicit(&next_id, id + 1, memory_order_release);
	return id;
}

/* Under the lock. */
static void methods_want(uint32_t id, struct method_sessions now, bool is_new)
{
	struct method_record *record = methods_record(id);
	struct method_sessions before = atomic_load(&record->sessions);

	if (memcmp(&before, &now, sizeof(now)) == 0)
		return;
	atomic_store(&record->sessions, now);
	if (!is_new)
		atomic_fetch_add(&sessions_edition, 1);
}

struct method_sessions methods_sessions(uint32_t id)
{
	return atomic_load(&methods_record(id)->sessions);
}

uint32_t methods_sessions_edition(void)
{
	return atomic_load(&sessions_edition);
}

void methods_forget_session(unsigned bit)
{
	uint8_t others = (uint8_t) ~(1U << bit);

	lock_take(&methods_lock);
	for (uint32_t id = METHOD_FIRST; id < methods_end(); id++) {
		struct method_sessions now = methods_sessions(id);

		now.wanted &= others;
		now.counted &= others;
		now.scope &= others;
		now.watched &= others;
		methods_want(id, now, false);
	}
	lock_give(&methods_lock);
}

/* Takes the lock, and what is planned is the plan of that moment: what was asked for before a session left must not be kept behind
 * methods_forget_session. */
static void methods_lock_with(const struct jvm_method *description, struct planned *planned)
{
	lock_take(&methods_lock);
	while (planned->edition != plan_edition()) {
		lock_give(&methods_lock);
		*planned = plan_of(description);
		lock_take(&methods_lock);
	}
}

/* Under the lock. */
static method_ref methods_ref(struct jvm_method *description, const struct planned *planned)
{
	uint32_t end = methods_end();
	uint32_t flags = (description->is_native ? METHOD_REF_NATIVE : 0) |
			 (description->is_static ? METHOD_REF_STATIC : 0) |
			 (planned->scope ? METHOD_REF_SCOPE : 0) |
			 (planned->watched ? METHOD_REF_WATCHED : 0);
	uint32_t id = methods_id(description, METHOD_JAVA, NULL);

	if (id == 0)
		atomic_fetch_add_explicit(&lost, 1, memory_order_relaxed);
	else
		methods_want(id, planned->sessions, id == end);
	return id ? id << 1 | flags : METHOD_REF_EXCLUDED;
}

static __attribute__((noinline, cold)) method_ref methods_first_sight(
	JNIEnv *jni, jmethodID method)
{
	_Atomic(struct method_entry *) *head = &bucket[methods_hash(method)];
	struct method_entry *fresh = calloc(1, sizeof(*fresh)), *entry;
	struct jvm_method description;
	method_ref ref = METHOD_REF_EXCLUDED;
	struct planned planned;

	if (!fresh || !jvm_describe_method(jni, method, &description)) {
		free(fresh);
		atomic_fetch_add_explicit(&lost, 1, memory_order_relaxed);
		return METHOD_REF_EXCLUDED;
	}
	planned = plan_of(&description);
	methods_lock_with(&description, &planned);
	if (planned.recorded)
		ref = methods_ref(&description, &planned);
	entry = methods_look_up(method);
	if (!entry) {
		entry = fresh;
		fresh = NULL;
		entry->method = method;
		entry->next = atomic_load_explicit(head, memory_order_relaxed);
		atomic_store_explicit(head, entry, memory_order_release);
	}
	atomic_store_explicit(
		&entry->answer, (uint64_t)planned.edition << 32 | ref, memory_order_release);
	lock_give(&methods_lock);
	free(fresh);
	jvm_method_fini(&description);
	return ref;
}

method_ref methods_find(JNIEnv *jni, jmethodID method)
{
	uint32_t edition = plan_edition();
	struct method_entry *entry = methods_look_up(method);
	uint64_t answer =
		entry ? atomic_load_explicit(&entry->answer, memory_order_acquire) : 0;
	int saved_errno;
	method_ref ref;

	if (answer >> 32 == edition)
		return (method_ref)answer;
	saved_errno = errno;
	ref = methods_first_sight(jni, method);
	errno = saved_errno;
	return ref;
}

method_ref methods_named(struct jvm_method *description, const struct planned *planned)
{
	struct planned now = *planned;
	method_ref ref;

	methods_lock_with(description, &now);
	ref = methods_ref(description, &now);
	if (ref != METHOD_REF_EXCLUDED)
		atomic_store(&methods_record(method_ref_id(ref))->named, true);
	lock_give(&methods_lock);
	return ref;
}

uint32_t methods_on_stack(
	struct jvm_method *description, enum method_kind kind, const char *file)
{
	uint32_t id;

	lock_take(&methods_lock);
	id = methods_id(description, kind, file);
	lock_give(&methods_lock);
	if (id == 0)
		atomic_fetch_add_explicit(&lost, 1, memory_order_relaxed);
	return id;
}

uint32_t methods_of_class(jclass class)
{
	struct jvm_method of = {.class_name = jvm_type_name(class)};
	uint32_t id = of.class_name ? methods_on_stack(&of, METHOD_CLASS, NULL) : 0;

	jvm_method_fini(&of);
	return id;
}

uint32_t methods_of_class_of(JNIEnv *jni, jobject object)
{
	jclass class = (*jni)->GetObjectClass(jni, object);
	uint32_t id = class ? methods_of_class(class) : 0;

	(*jni)->DeleteLocalRef(jni, class);
	return id;
}

uint32_t methods_of_handle(JNIEnv *jni, jmethodID method)
{
	struct jvm_method description;
	uint32_t id = 0;

	if (!jvm_describe_method(jni, method, &description))
		return 0;
	id = methods_on_stack(&description, METHOD_JAVA, NULL);
	jvm_method_fini(&description);
	return id;
}

bool methods_known(const struct jvm_method *description)
{
	uint32_t id;
	bool known;

	lock_take(&methods_lock);
	id = methods_same_name(description, METHOD_JAVA, methods_name_hash(description));
	known = id != 0 && atomic_load(&methods_record(id)->named);
	lock_give(&methods_lock);
	return known;
}

uint32_t methods_end(void)
{
	return atomic_load_explicit(&next_id, memory_order_acquire);
}

const struct profile_method *methods_get(uint32_t id)
{
	return &methods_record(id)->shown;
}

uint64_t methods_lost(void)
{
	return atomic_load_explicit(&lost, memory_order_relaxed);
}
