/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/* vm_threads: see vm_threads.h. */
#include "agent/stack/vm_threads.h"

#include <limits.h>
#include <pthread.h>
#include <stdatomic.h>

#include "agent/stack/safe_read.h"
#include "arch/read_mostly.h"

enum { CLASSES = 16 };

static READ_MOSTLY const struct vm_layout *vm;
static READ_MOSTLY pthread_key_t key;
static READ_MOSTLY bool known;
/* JavaThread and those that are derived from it, as far as there was one. */
static READ_MOSTLY uintptr_t java_class[CLASSES];
static READ_MOSTLY unsigned classes;

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

pid_t vm_thread_system_id(uintptr_t java_thread)
{
	uintptr_t system;
	uint32_t id;

	if (!safe_word(java_thread + vm->thread_system, &system) ||
		!safe_u32(system + vm->system_id, &id))
		return 0;
	return (pid_t)id;
}

void vm_threads_each(void (*each)(void *user, uintptr_t java_thread, pid_t tid), void *user)
{
	uintptr_t list, threads, thread;
	uint32_t count;

	if (!vm || !safe_word((uintptr_t)vm->thread_list, &list) ||
		!safe_u32(list + vm->list_length, &count) ||
		!safe_word(list + vm->list_threads, &threads))
		return;
	for (uint32_t i = 0; i < count; i++)
		if (safe_word(threads + i * sizeof(thread), &thread) && thread)
			each(user, thread, vm_thread_system_id(thread));
}

/* The JVM's own threads that may run Java code are on its list from the begin. */
static void add_classes(void *unused, uintptr_t thread, pid_t tid)
{
	add_class(thread);
}

bool vm_threads_learn(
	const struct vm_layout *layout, uintptr_t current, void *(*symbol)(const char *name))
{
	vm = layout;
	for (pthread_key_t i = 0; !known && current && i < PTHREAD_KEYS_MAX; i++) {
		known = (uintptr_t)pthread_getspecific(i) == current;
		key = i;
	}
	add_class(current);
	vm_threads_each(add_classes, NULL);
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
	uintptr_t thread = known ? (uintptr_t)pthread_getspecific(key) : 0, class, base, size;

	if (!thread || !safe_word(thread, &class) ||
		!safe_word(thread + vm->thread_stack_base, &base) ||
		!safe_word(thread + vm->thread_stack_size, &size) || base < sp)
		return (struct walk_thread){
			.stack_base = plain_stack_base(sp), .guarded = true};
	return (struct walk_thread){.java = is_java_class(class) ? thread : 0,
		.stack_base = base,
		.guarded = base - sp > size};
}

struct vm_anchor vm_anchor_of(uintptr_t java_thread)
{
	uintptr_t at = java_thread + vm->thread_anchor;
	struct vm_anchor anchor = {0};

	if (!safe_u32(java_thread + vm->thread_state, &anchor.state))
		return anchor;
	atomic_thread_fence(memory_order_acquire);
	if (!safe_word(at + vm->anchor_sp, &anchor.sp))
		anchor.sp = 0;
	atomic_thread_fence(memory_order_acquire);
	if (!safe_word(at + vm->anchor_pc, &anchor.pc))
		anchor.pc = 0;
	atomic_thread_fence(memory_order_acquire);
	return anchor;
}

bool vm_anchor_is_outside(const struct vm_anchor *anchor)
{
	/* _thread_in_native, _thread_in_vm, _thread_blocked (globalDefinitions.hpp). */
	return anchor->state == 4 || anchor->state == 6 || anchor->state == 10;
}

bool vm_anchor_would_run(uintptr_t java_thread, const struct vm_anchor *anchor, bool in_native)
{
	/* OSThread::ThreadState (osThread.hpp): MONITOR_WAIT, CONDVAR_WAIT, OBJECT_WAIT, SLEEPING. A thread that has asked for
	 * the collection waits in CONDVAR_WAIT, too, and so does one that is parked, by a native method. */
	enum { MONITOR_WAIT = 3, CONDVAR_WAIT = 4, OBJECT_WAIT = 5, SLEEPING = 7 };
	uintptr_t system;
	uint32_t state;

	/* _thread_in_native: it goes on as it does. */
	if (anchor->state == 4 || !vm->system_state ||
		!safe_word(java_thread + vm->thread_system, &system) ||
		!safe_u32(system + vm->system_state, &state))
		return false;
	if (state == CONDVAR_WAIT)
		return !in_native;
	return state != MONITOR_WAIT && state != OBJECT_WAIT && state != SLEEPING;
}

struct walk_thread vm_thread_stack(uintptr_t java_thread, uintptr_t *low)
{
	uintptr_t base, size;

	if (!safe_word(java_thread + vm->thread_stack_base, &base) ||
		!safe_word(java_thread + vm->thread_stack_size, &size) || base < size)
		base = size = 0;
	*low = base - size;
	return (struct walk_thread){.java = java_thread, .stack_base = base, .guarded = true};
}
