/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/* code_methods: see code_methods.h. */
#include "agent/sample/code_methods.h"

#include <stdlib.h>

#include "agent/lock/lock.h"
#include "agent/methods/methods.h"

struct slot {
	jmethodID handle; /* NULL: empty */
	struct code_method *method;
};

static struct lock methods_lock = {PTHREAD_MUTEX_INITIALIZER, LOCK_CODE};
static struct slot *slot; /* a hash, open addressing; under the lock, as all of it */
static size_t slots, used;

/* ---- asked of the JVM ---- */

static int compare_lines(const void *a, const void *b)
{
	const struct jvm_line *one = a, *other = b;

	return (one->bytecode > other->bytecode) - (one->bytecode < other->bytecode);
}

/* id 0: it is not known yet. */
static struct code_method *ask(JNIEnv *jni, jmethodID handle, uint64_t bytes, uint32_t id)
{
	struct code_method *method = calloc(1, sizeof(*method));
	struct jvm_method description;
	char *file;

	if (!method)
		return NULL;
	method->users = 1;
	method->id = id;
	method->bytes = bytes;
	if (id == 0 && jvm_describe_method(jni, handle, &description)) {
		file = jvm_method_file(jni, handle);
		method->id = methods_on_stack(&description, METHOD_JAVA, file);
		free(file);
		jvm_method_fini(&description);
	}
	if (bytes > 0)
		method->line = jvm_method_lines(handle, &method->lines);
	if (method->lines > 1)
		qsort(method->line, method->lines, sizeof(*method->line), compare_lines);
	return method;
}

uint32_t code_method_line(const struct code_method *method, jint bytecode)
{
	size_t low = 0, high = method->lines;

	if (bytecode < 0)
		return 0;
	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (method->line[middle].bytecode <= bytecode)
			low = middle + 1;
		else
			high = middle;
	}
	return low > 0 ? method->line[low - 1].line : 0;
}

/* ---- kept ---- */

static struct slot *place_of(jmethodID handle)
{
	size_t at = (size_t)(((uintptr_t)handle * UINT64_C(0x9e3779b97f4a7c15)) >> 20);

	while (slot[at & (slots - 1)].handle && slot[at & (slots - 1)].handle != handle)
		at++;
	return &slot[at & (slots - 1)];
}

static bool grow(void)
{
	struct slot *old = slot, *grown;
	size_t had = slots, wanted = slots ? 2 * slots : 4096;

	grown = calloc(wanted, sizeof(*grown));
	if (!grown)
		return false;
	slot = grown;
	slots = wanted;
	for (size_t i = 0; i < had; i++)
		if (old[i].handle)
			*place_of(old[i].handle) = old[i];
	free(old);
	return true;
}

static struct code_method *find(jmethodID handle)
{
	struct code_method *method = NULL;

	lock_take(&methods_lock);
	if (slots > 0)
		method = place_of(handle)->method;
	if (method)
		method->users++;
	lock_give(&methods_lock);
	return method;
}

/* From now on it is what is known of the handle. */
static void keep(jmethodID handle, struct code_method *method)
{
	struct code_method *before = NULL;
	struct slot *place;

	lock_take(&methods_lock);
	if (2 * used < slots || grow()) {
		place = place_of(handle);
		before = place->method;
		used += !place->handle;
		*place = (struct slot){handle, method};
		method->users++;
	}
	lock_give(&methods_lock);
	if (before)
		code_method_give(before);
}

struct code_method *code_method_take(JNIEnv *jni, jmethodID handle)
{
	struct code_method *known = find(handle), *method;
	uint64_t bytes = jvm_method_size(handle);

	if (known && known->bytes == bytes)
		return known;
	method = ask(jni, handle, bytes, known ? known->id : 0);
	if (known)
		code_method_give(known);
	if (method)
		keep(handle, method);
	return method;
}

void code_method_give(struct code_method *method)
{
	if (--method->users > 0)
		return;
	free(method->line);
	free(method);
}

void code_methods_forget(void)
{
	struct slot *all;
	size_t had;

	lock_take(&methods_lock);
	all = slot;
	had = slots;
	slot = NULL;
	slots = used = 0;
	lock_give(&methods_lock);
	for (size_t i = 0; i < had; i++)
		if (all[i].handle)
			code_method_give(all[i].method);
	free(all);
}
