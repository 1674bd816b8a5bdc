/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/* lock_objects: see lock_objects.h. */
#include "agent/tracers/lock_objects.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "agent/jvm/jvm.h"
#include "agent/lock/lock.h"

enum {
	LISTS = 1 << 14,
	SEEN = 1 << 12, /* objects without a row that were seen lately */
	ROWS_MOST = 1 << 20,
	ROW_BYTES = 256, /* with what the JVM has for a weak reference, and the class's name */
	WITHOUT_NAME = 1
};

struct row {
	uint32_t next; /* of the same list; 0: the last */
	int32_t hash;
	bool whole; /* a class */
	jweak object;
	const char *class_name; /* owned by the class's row */
};

static struct {
	struct lock lock; /* for new rows */
	struct row *row;  /* by id */
	_Atomic uint32_t rows;
	uint32_t room;
	_Atomic uint32_t list[LISTS];
	_Atomic uint32_t seen[SEEN]; /* hash codes */
	_Atomic uint64_t unnamed;
	uint32_t put, putting; /* the writer's: so many are in the file */
} objects = {.lock = {PTHREAD_MUTEX_INITIALIZER, LOCK_OBJECTS}};

int lock_objects_open(uint64_t bytes)
{
	uint64_t room = bytes / ROW_BYTES;

	if (objects.row)
		return 0;
	objects.room = room > ROWS_MOST ? ROWS_MOST : (uint32_t)room + 16;
	objects.row = calloc(objects.room, sizeof(*objects.row));
	if (!objects.row)
		return -1;
	objects.row[WITHOUT_NAME].class_name = "";
	objects.row[WITHOUT_NAME].whole = true;
	atomic_store(&objects.rows, WITHOUT_NAME + 1);
	objects.put = objects.putting = WITHOUT_NAME;
	return 0;
}

void lock_objects_close(JNIEnv *jni)
{
	if (!objects.row)
		return;
	for (uint32_t i = WITHOUT_NAME + 1; i < atomic_load(&objects.rows); i++) {
		if (jni)
			(*jni)->DeleteWeakGlobalRef(jni, objects.row[i].object);
		if (objects.row[i].whole)
			free((char *)objects.row[i].class_name);
	}
	memset((void *)objects.list, 0, sizeof(objects.list));
	memset((void *)objects.seen, 0, sizeof(objects.seen));
	free(objects.row);
	objects.row = NULL;
	atomic_store(&objects.rows, 0);
	atomic_store(&objects.unnamed, 0);
}

/* From `first` on, up to `end`; 0: it is not among them. */
static uint32_t find(
	JNIEnv *jni, jobject object, int32_t hash, uint32_t first, uint32_t end, bool whole)
{
	for (uint32_t i = first; i != end; i = objects.row[i].next)
		if (objects.row[i].hash == hash && objects.row[i].whole == whole &&
			(*jni)->IsSameObject(jni, objects.row[i].object, object))
			return i;
	return 0;
}

/* Some rows are left to classes. 0: no room. */
static uint32_t find_or_make(
	JNIEnv *jni, jobject object, int32_t hash, bool whole, const char *class_name)
{
	_Atomic uint32_t *list = &objects.list[(uint32_t)hash % LISTS];
	uint32_t first = atomic_load_explicit(list, memory_order_acquire), before;
	uint32_t row = find(jni, object, hash, first, 0, whole);
	uint32_t most = whole ? objects.room : objects.room - objects.room / 8;
	jweak weak;

	if (row || atomic_load(&objects.rows) >= most)
		return row;
	weak = (*jni)->NewWeakGlobalRef(jni, object);
	if (!weak) {
		(*jni)->ExceptionClear(jni);
		return 0;
	}
	for (;;) {
		/* Nothing of the JVM is called under the lock. */
		before = first;
		lock_take(&objects.lock);
		first = atomic_load(list);
		row = atomic_load(&objects.rows);
		if (first == before && row < most) {
			objects.row[row] = (struct row){.next = first,
				.hash = hash,
				.whole = whole,
				.object = weak,
				.class_name = class_name};
			atomic_store_explicit(&objects.rows, row + 1, memory_order_release);
			atomic_store_explicit(list, row, memory_order_release);
			lock_give(&objects.lock);
			return row;
		}
		lock_give(&objects.lock);
		row = row < most ? find(jni, object, hash, first, before, whole) : 0;
		if (row || first == before)
			break;
	}
	(*jni)->DeleteWeakGlobalRef(jni, weak);
	return row;
}

static uint32_t class_row(JNIEnv *jni, jobject object)
{
	jclass class = (*jni)->GetObjectClass(jni, object);
	int32_t hash = jvm_hash(class);
	uint32_t first = atomic_load_explicit(
		&objects.list[(uint32_t)hash % LISTS], memory_order_acquire);
	uint32_t row = find(jni, class, hash, first, 0, true);
	char *name;

	if (!row) {
		name = jvm_type_name(class);
		row = name ? find_or_make(jni, class, hash, true, name) : 0;
		if (!row || objects.row[row].class_name != name)
			free(name);
	}
	(*jni)->DeleteLocalRef(jni, class);
	return row;
}

uint32_t lock_object(JNIEnv *jni, jobject object, bool apart)
{
	int32_t hash;
	uint32_t row, class, first;

	if (!object)
		return WITHOUT_NAME;
	hash = jvm_hash(object);
	first = atomic_load_explicit(
		&objects.list[(uint32_t)hash % LISTS], memory_order_acquire);
	row = find(jni, object, hash, first, 0, false);
	if (row)
		return row;
	class = class_row(jni, object);
	if (!class)
		return 0;
	apart |= atomic_exchange(&objects.seen[(uint32_t)hash % SEEN], (uint32_t)hash) ==
		 (uint32_t)hash;
	row = apart ? find_or_make(jni, object, hash, false, objects.row[class].class_name) : 0;
	if (apart && !row)
		atomic_fetch_add(&objects.unnamed, 1);
	return row ? row : class;
}

int lock_objects_put(struct profile_writer *profile, struct error *error)
{
	uint32_t rows = atomic_load_explicit(&objects.rows, memory_order_acquire);
	int status = 0;

	objects.putting = objects.put;
	for (; objects.putting < rows && status == 0; objects.putting++) {
		const struct row *row = &objects.row[objects.putting];
		const struct profile_lock record = {.id = objects.putting,
			.class_name = row->class_name,
			.number = row->whole ? PROFILE_NOT_KNOWN : row->hash};

		status = profile_put(profile, &record, error);
	}
	return status;
}

void lock_objects_put_done(bool kept)
{
	if (kept)
		objects.put = objects.putting;
}

bool lock_objects_name(uint32_t id, const char **class_name, int64_t *number)
{
	if (id == 0 || id >= atomic_load_explicit(&objects.rows, memory_order_acquire))
		return false;
	*class_name = objects.row[id].class_name;
	*number = objects.row[id].whole ? PROFILE_NOT_KNOWN : objects.row[id].hash;
	return true;
}

uint64_t lock_objects_unnamed(void)
{
	return atomic_load(&objects.unnamed);
}
