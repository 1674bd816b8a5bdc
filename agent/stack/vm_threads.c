/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/* vm_threads: see vm_threads.h. */
#include "agent/stack/vm_threads.h"

#include <limits.h>
#include <pthread.h>

#include "agent/stack/safe_read.h"

enum { CLASSES = 16 };

static const struct vm_layout *vm;
static pthread_key_t key;
static bool known;
/* JavaThread and those that are derived from it, as far as there was one. */
static uintptr_t java_class[CLASSES];
static unsigned classes;

static bool is_java_class(uintptr_t class)
{
	for (unsigned i = 0; i < classes; i++)
		if (java_class[i] == class)
			return true;
	return false;
}

static void add_class(uintptr_t thread)
{
	uintptr_t class;

	if (classes < CLASSES && safe_word(thread, &class) && !is_java_class(class))
		java_class[classes++] = class;
}

/* The JVM's own threads that may run Java code are on its list from the begin. */
static void add_classes(void)
{
	uintptr_t list, threads, thread;
	uint32_t count;

	if (!safe_word((uintptr_t)vm->thread_list, &list) ||
		!safe_u32(list + vm->list_length, &count) ||
		!safe_word(list + vm->list_threads, &threads))
		return;
	for (uint32_t i = 0; i < count; i++)
		if (safe_word(threads + i * sizeof(thread), &thread) && thread)
			add_class(thread);
}

bool vm_threads_learn(const struct vm_layout *layout, uintptr_t current,
	void *(*symbol)(const char *name))
{
	vm = layout;
	for (pthread_key_t i = 0; !known && current && i < PTHREAD_KEYS_MAX; i++) {
		known = (uintptr_t)pthread_getspecific(i) == current;
		key = i;
	}
	add_class(current);
	add_classes();
	return known;
}

/* Above the stack pthread_create(3) puts what pthread_self(3) points to. Of other threads, the process's first
 * one among them, the innermost frame alone is known. */
static uintptr_t plain_stack_base(uintptr_t sp)
{
	const uintptr_t reach = (uintptr_t)1 << 30;
	uintptr_t self = (uintptr_t)pthread_self();

	return self - sp < reach ? self : sp;
}

struct walk_thread vm_thread_now(uintptr_t sp)
{
	uintptr_t thread = known ? (uintptr_t)pthread_getspecific(key) : 0, class, base;

	if (!thread || !safe_word(thread, &class) ||
		!safe_word(thread + vm->thread_stack_base, &base) || base < sp)
		return (struct walk_thread){0, plain_stack_base(sp)};
	return (struct walk_thread){is_java_class(class) ? thread : 0, base};
}

pid_t vm_thread_system_id(uintptr_t java_thread)
{
	uintptr_t system;
	uint32_t id;

	if (!vm || !java_thread || !safe_word(java_thread + vm->thread_system, &system) ||
		!safe_u32(system + vm->system_id, &id))
		return 0;
	return (pid_t)id;
}
