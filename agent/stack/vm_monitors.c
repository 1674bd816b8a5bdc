/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/* vm_monitors: see vm_monitors.h. */
#include "agent/stack/vm_monitors.h"

#include <stddef.h>

#include "agent/stack/safe_read.h"

enum {
	/* Owners that are no threads (objectMonitor.hpp). */
	OWNER_FREE = 0,
	OWNER_ANONYMOUS = 1,
	OWNER_DEFLATER = 2,
	LOCKED_MOST = 64,
	/* Looks at a monitor that is just going from one thread to the next. */
	LOOKS = 100
};

static const struct vm_layout *vm;

void vm_monitors_learn(const struct vm_layout *layout)
{
	vm = layout;
}

/* ---- among the JVM's threads ---- */

struct wanted {
	uintptr_t value; /* a JavaThread, or an address in its stack */
	int64_t id;
	uintptr_t found;
};

static void look_for_pointer(void *user, uintptr_t java_thread, pid_t tid)
{
	struct wanted *wanted = user;
	uintptr_t low;
	struct walk_thread thread;

	if (wanted->found)
		return;
	if (java_thread == wanted->value) {
		wanted->found = java_thread;
		return;
	}
	thread = vm_thread_stack(java_thread, &low);
	if (wanted->value >= low && wanted->value < thread.stack_base)
		wanted->found = java_thread;
}

static void look_for_id(void *user, uintptr_t java_thread, pid_t tid)
{
	struct wanted *wanted = user;
	uintptr_t id;

	if (!wanted->found && safe_word(java_thread + vm->thread_owner_id, &id) &&
		(int64_t)id == wanted->id)
		wanted->found = java_thread;
}

uintptr_t vm_thread_of_id(int64_t id)
{
	struct wanted wanted = {.id = id};

	if (vm && vm->thread_owner_id != VM_NONE)
		vm_threads_each(look_for_id, &wanted);
	return wanted.found;
}

bool vm_thread_runs(uintptr_t java_thread, int64_t id)
{
	uintptr_t now;

	if (!vm || vm->thread_owner_id == VM_NONE)
		return true;
	return safe_word(java_thread + vm->thread_owner_id, &now) && (int64_t)now == id;
}

/* ---- owners ---- */

static struct vm_owner owner_of(uintptr_t value)
{
	struct vm_owner owner = {.kind = VM_OWNER_THREAD};
	struct wanted wanted = {.value = value};

	if (vm->thread_owner_id != VM_NONE) {
		owner.id = (int64_t)value;
		owner.java = vm_thread_of_id(owner.id);
		return owner;
	}
	vm_threads_each(look_for_pointer, &wanted);
	owner.java = wanted.found;
	if (!owner.java)
		owner.kind = VM_OWNER_NONE;
	return owner;
}

struct locked {
	uintptr_t object, found;
};

static void look_for_object(void *user, uintptr_t java_thread, pid_t tid)
{
	struct locked *locked = user;
	uintptr_t at = java_thread + vm->thread_lock_stack + vm->lock_stack_base, object;
	uint32_t top;

	if (locked->found ||
		!safe_u32(java_thread + vm->thread_lock_stack + vm->lock_stack_top, &top))
		return;
	for (int i = 0; i < LOCKED_MOST && at < java_thread + top; i++, at += sizeof(object))
		if (safe_word(at, &object) && object == locked->object)
			locked->found = java_thread;
}

/* Its number of bits is 0 where another collector runs. */
static bool is_z(void)
{
	uintptr_t globals, place, shift;

	return vm->z_globals && vm->z_shift != VM_NONE &&
	       safe_word((uintptr_t)vm->z_globals, &globals) &&
	       safe_word(globals + vm->z_shift, &place) && safe_word(place, &shift) &&
	       shift != 0;
}

/* Two objects are never at one place: as long as this one stays where it is, the other reference is of it. */
static struct vm_owner find_locker(const uintptr_t *object)
{
	struct vm_owner owner = {.kind = VM_OWNER_HIDDEN};
	struct locked locked = {0};
	uintptr_t id;

	if (!object || vm->thread_lock_stack == VM_NONE || vm->lock_stack_top == VM_NONE ||
		vm->lock_stack_base == VM_NONE || vm->thread_owner_id == VM_NONE || is_z())
		return owner;
	locked.object = __atomic_load_n(object, __ATOMIC_ACQUIRE);
	vm_threads_each(look_for_object, &locked);
	if (!locked.found || __atomic_load_n(object, __ATOMIC_ACQUIRE) != locked.object ||
		!safe_word(locked.found + vm->thread_owner_id, &id))
		return owner;
	return (struct vm_owner){VM_OWNER_THREAD, (int64_t)id, locked.found};
}

struct vm_owner vm_monitor_owner(uintptr_t java_thread, const uintptr_t *object)
{
	struct vm_owner owner = {.kind = VM_OWNER_UNKNOWN};
	uintptr_t monitor, value;

	if (!vm || vm->thread_pending_monitor == VM_NONE || vm->monitor_owner == VM_NONE ||
		!safe_word(java_thread + vm->thread_pending_monitor, &monitor) || monitor == 0)
		return owner;
	for (int i = 0; i < LOOKS; i++) {
		if (!safe_word(monitor + vm->monitor_owner, &value))
			return owner;
		if (value == OWNER_ANONYMOUS) {
			owner = find_locker(object);
			/* It may be about to say who it is. */
			if (owner.kind == VM_OWNER_HIDDEN && i < LOOKS - 1)
				continue;
			return owner;
		}
		owner.kind = VM_OWNER_NONE;
		if (value == OWNER_FREE || value == OWNER_DEFLATER)
			continue;
		owner = owner_of(value);
		if (owner.kind == VM_OWNER_THREAD)
			return owner;
	}
	return owner;
}
