/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/* deadlocks: see deadlocks.h. */
#include "agent/tracers/deadlocks.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "agent/jvm/hotspot.h"
#include "agent/tracers/lock_objects.h"
#include "agent/tracers/lock_waits.h"
#include "agent/tracers/locks_tracer.h"

enum { VIRTUAL_MOST = 100000 };

/* A thread that waits for one that holds what it wants. */
struct waiter {
	int64_t id, holder;
	uintptr_t holder_java; /* its JavaThread, where that is what is known; 0 */
	char name[256];
	char *class_name; /* owned; or NULL */
	int32_t number;
	bool is_virtual;
	uint32_t next;    /* place + 1 of its holder; 0: that one does not wait */
	uint32_t visited; /* the round */
};

struct waiters {
	struct waiter *waiter;
	size_t count, room;
	bool failed;
};

static struct waiter *add(struct waiters *all, int64_t id, int64_t holder)
{
	struct waiter *grown;

	if (all->count == all->room) {
		size_t room = all->room ? 2 * all->room : 64;

		grown = realloc(all->waiter, room * sizeof(*grown));
		if (!grown) {
			all->failed = true;
			return NULL;
		}
		all->waiter = grown;
		all->room = room;
	}
	all->waiter[all->count] = (struct waiter){.id = id, .holder = holder};
	return &all->waiter[all->count++];
}

/* ---- who waits for whom ---- */

/* thread: a local reference. */
static void look_at(JNIEnv *jni, struct waiters *all, jthread thread)
{
	jobject object = NULL;
	struct locks_holder holder = locks_holder_now(jni, thread, &object);
	struct waiter *waiter = holder.id || holder.java
					? add(all, jvm_thread_id(jni, thread), holder.id)
					: NULL;
	struct jvm_thread description;
	jclass class;

	if (waiter)
		waiter->holder_java = holder.java;
	if (waiter && object) {
		class = (*jni)->GetObjectClass(jni, object);
		waiter->class_name = jvm_type_name(class);
		waiter->number = jvm_hash(object);
		(*jni)->DeleteLocalRef(jni, class);
	}
	if (waiter && jvm_describe_thread(jni, thread, &description))
		memcpy(waiter->name, description.name, sizeof(waiter->name));
	(*jni)->DeleteLocalRef(jni, object);
}

/* Holders that are known by their JavaThread get their numbers. */
static void name_holders(JNIEnv *jni, struct waiters *all, const jthread *threads, int count)
{
	for (size_t i = 0; i < all->count; i++)
		for (int t = 0; all->waiter[i].holder_java && t < count; t++)
			if (hotspot_thread_of(jni, threads[t]) == all->waiter[i].holder_java)
				all->waiter[i].holder = jvm_thread_id(jni, threads[t]);
}

/* A wait that the trace has seen begin; of a thread that the JVM did not tell of. */
static void add_virtual(void *user, const struct wait_now *wait)
{
	struct waiters *all = user;
	const char *class_name = "";
	int64_t number = 0;
	struct waiter *waiter;

	if (wait->holder == 0 || all->count >= VIRTUAL_MOST)
		return;
	waiter = add(all, wait->thread, wait->holder);
	if (!waiter)
		return;
	waiter->is_virtual = true;
	if (lock_objects_name(wait->lock, &class_name, &number))
		waiter->class_name = strdup(class_name);
	waiter->number = number == PROFILE_NOT_KNOWN ? 0 : (int32_t)number;
}

static int compare_ids(const void *left, const void *right)
{
	const struct waiter *a = left, *b = right;

	if (a->id != b->id)
		return a->id < b->id ? -1 : 1;
	/* What the JVM tells now comes first. */
	return a->is_virtual - b->is_virtual;
}

/* One of each thread, and each one's holder among them. */
static void link_all(struct waiters *all)
{
	size_t kept = 0;

	if (all->count > 0)
		qsort(all->waiter, all->count, sizeof(*all->waiter), compare_ids);
	for (size_t i = 0; i < all->count; i++) {
		struct waiter *before = kept > 0 ? &all->waiter[kept - 1] : NULL;

		if (!before || before->id != all->waiter[i].id) {
			all->waiter[kept++] = all->waiter[i];
		} else if (!before->class_name) {
			before->class_name = all->waiter[i].class_name;
			before->number = all->waiter[i].number;
		} else {
			free(all->waiter[i].class_name);
		}
	}
	all->count = kept;
	for (size_t i = 0; i < kept; i++) {
		size_t low = 0, high = kept;

		while (low < high) {
			size_t middle = low + (high - low) / 2;

			if (all->waiter[middle].id < all->waiter[i].holder)
				low = middle + 1;
			else
				high = middle;
		}
		if (low < kept && all->waiter[low].id == all->waiter[i].holder)
			all->waiter[i].next = (uint32_t)low + 1;
	}
}

/* ---- circles ---- */

static const char *name_of(const struct waiter *waiter, char *room, size_t size)
{
	if (waiter->name[0] != '\0')
		return waiter->name;
	snprintf(room, size, "%s %lld", waiter->is_virtual ? "virtual thread" : "thread",
		(long long)waiter->id);
	return room;
}

static json_t *tell(const struct waiters *all, const struct waiter *waiter)
{
	const struct waiter *holder = &all->waiter[waiter->next - 1];
	char room[64], other[64];

	return json_pack("{s:s, s:I, s:b, s:s, s:I, s:s}", "thread",
		name_of(waiter, room, sizeof(room)), "id", (json_int_t)waiter->id, "virtual",
		waiter->is_virtual, "class", waiter->class_name ? waiter->class_name : "",
		"number", (json_int_t)waiter->number, "holder",
		name_of(holder, other, sizeof(other)));
}

/* From that one on, which is in it. */
static json_t *circle_of(const struct waiters *all, uint32_t first, char line[DEADLOCK_LINE])
{
	json_t *circle = json_array();
	uint32_t at = first;
	size_t used = 0;

	line[0] = '\0';
	do {
		const struct waiter *waiter = &all->waiter[at];
		char room[64];

		json_array_append_new(circle, tell(all, waiter));
		if (used < DEADLOCK_LINE)
			used += (size_t)snprintf(line + used, DEADLOCK_LINE - used,
				"%.100s -> ", name_of(waiter, room, sizeof(room)));
		at = waiter->next - 1;
	} while (at != first);
	if (used < DEADLOCK_LINE) {
		char room[64];

		snprintf(line + used, DEADLOCK_LINE - used, "%.100s",
			name_of(&all->waiter[first], room, sizeof(room)));
	}
	return circle;
}

int deadlocks_find(JNIEnv *jni, json_t **circles, void (*say)(void *user, const char *line),
	void *user, struct error *error)
{
	struct waiters all = {0};
	char line[DEADLOCK_LINE];
	jthread *threads = NULL;
	int count = 0, status;

	status = locks_learn(jni, error);
	if (status)
		return status;
	if ((*jni)->PushLocalFrame(jni, JVM_LOCAL_FRAME)) {
		(*jni)->ExceptionClear(jni);
		all.failed = true;
	} else {
		count = jvm_live_threads(&threads);
		for (int i = 0; i < count; i++)
			look_at(jni, &all, threads[i]);
		name_holders(jni, &all, threads, count);
		free(threads);
		(*jni)->PopLocalFrame(jni, NULL);
	}
	waits_each(add_virtual, &all);
	link_all(&all);
	*circles = json_array();
	/* Each thread waits for one: whoever comes back to where this round has been is in a circle. */
	for (uint32_t i = 0; i < all.count; i++) {
		uint32_t at = i;

		while (all.waiter[at].visited == 0 && all.waiter[at].next) {
			all.waiter[at].visited = i + 1;
			at = all.waiter[at].next - 1;
		}
		if (all.waiter[at].visited != i + 1)
			continue;
		json_array_append_new(*circles, circle_of(&all, at, line));
		if (say)
			say(user, line);
	}
	for (size_t i = 0; i < all.count; i++)
		free(all.waiter[i].class_name);
	free(all.waiter);
	if (*circles && !all.failed)
		return 0;
	json_decref(*circles);
	return error_set(error, ERROR_MEMORY, "no memory to look for deadlocks");
}
