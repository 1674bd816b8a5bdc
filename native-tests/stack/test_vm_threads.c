/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/* vm_threads: which thread of a made-up JVM the calling one is; its list of them; what one does that has left Java. */
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <sys/mman.h>

#include "agent/stack/vm_threads.h"
#include "native-tests/stack/fake_jvm.h"

static struct fake_jvm *jvm;
static pthread_key_t key;

static void count(void *user, uintptr_t java_thread, pid_t tid)
{
	unsigned *times = user;

	assert_int_equal(java_thread, jvm->java);
	assert_int_equal(tid, 4711);
	(*times)++;
}

static void test_learn(void **state)
{
	uintptr_t sp = (uintptr_t)jvm->stack, class = 0x1000, other[64] = {0x2000};
	struct walk_thread thread;
	unsigned times = 0;

	*(uintptr_t *)jvm->java = class;
	assert_int_equal(pthread_key_create(&key, NULL), 0);
	/* No thread's key has it. */
	assert_false(vm_threads_learn(&jvm->layout, jvm->java, fake_symbol));
	assert_int_equal(vm_thread_now(sp).java, 0);
	assert_false(vm_threads_learn(&jvm->layout, 0, fake_symbol));
	pthread_setspecific(key, (void *)jvm->java);
	assert_true(vm_threads_learn(&jvm->layout, jvm->java, fake_symbol));
	thread = vm_thread_now(sp);
	assert_int_equal(thread.java, jvm->java);
	assert_int_equal(thread.stack_base, fake_thread(jvm).stack_base);
	/* On its own stack, or on another one below. */
	assert_false(thread.guarded);
	assert_true(vm_thread_now(sp - sizeof(sp)).guarded);
	assert_int_equal(vm_thread_now(sp - sizeof(sp)).java, jvm->java);
	vm_threads_each(count, &times);
	assert_int_equal(times, 1);
	assert_int_equal(vm_thread_system_id(jvm->java), 4711);
	assert_int_equal(vm_thread_system_id(8), 0);

	/* A thread of the JVM's that runs no Java; one without a stack; none of the JVM's. */
	*(uintptr_t *)((uintptr_t)other + jvm->layout.thread_stack_base) = UINTPTR_MAX;
	pthread_setspecific(key, other);
	assert_int_equal(vm_thread_now(sp).java, 0);
	assert_int_equal(vm_thread_now(sp).stack_base, UINTPTR_MAX);
	*(uintptr_t *)((uintptr_t)other + jvm->layout.thread_stack_base) = 0;
	assert_int_equal(vm_thread_now(sp).java, 0);
	pthread_setspecific(key, (void *)8);
	assert_int_equal(vm_thread_now(sp).java, 0);
	pthread_setspecific(key, NULL);
	thread = vm_thread_now((uintptr_t)&thread);
	assert_int_equal(thread.java, 0);
	assert_true(thread.stack_base >= (uintptr_t)&thread);
	assert_true(thread.guarded);
	pthread_key_delete(key);
}

static void test_anchor(void **state)
{
	uintptr_t *sp =
		(uintptr_t *)(jvm->java + jvm->layout.thread_anchor + jvm->layout.anchor_sp);
	uint32_t *what = (uint32_t *)(jvm->java + jvm->layout.thread_state);
	struct vm_anchor anchor;
	uintptr_t low;

	fake_enter_stub(jvm);
	anchor = vm_anchor_of(jvm->java);
	assert_false(vm_anchor_is_outside(&anchor));
	fake_leave_java(jvm);
	anchor = vm_anchor_of(jvm->java);
	assert_true(vm_anchor_is_outside(&anchor));
	assert_int_equal(anchor.sp, jvm->now.sp);
	assert_int_equal(anchor.pc, jvm->now.pc);
	/* Native code, the JVM, blocked; not: new, Java, on the way from one to the other. */
	for (*what = 0; *what < 13; ++*what) {
		anchor = vm_anchor_of(jvm->java);
		assert_int_equal(
			vm_anchor_is_outside(&anchor), *what == 4 || *what == 6 || *what == 10);
	}
	*sp = 0;
	*what = 4;
	anchor = vm_anchor_of(jvm->java);
	assert_true(vm_anchor_is_outside(&anchor));
	assert_int_equal(anchor.sp, 0);
	assert_int_equal(
		vm_thread_stack(jvm->java, &low).stack_base, fake_thread(jvm).stack_base);
	assert_int_equal(low, (uintptr_t)jvm->stack);
	assert_true(vm_thread_stack(jvm->java, &low).guarded);
}

/* Its memory was given back to the system. */
static void test_ended(void **state)
{
	void *memory = mmap(NULL, 1 << 16, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	struct vm_anchor anchor;
	uintptr_t low;

	assert_true(memory != MAP_FAILED);
	anchor = vm_anchor_of((uintptr_t)memory);
	assert_false(vm_anchor_is_outside(&anchor));
	assert_int_equal(vm_thread_stack((uintptr_t)memory, &low).stack_base, 0);
	assert_int_equal(low, 0);
	assert_int_equal(vm_thread_system_id((uintptr_t)memory), 0);
	munmap(memory, 1 << 16);
}

static int create(void **state)
{
	jvm = fake_jvm_create(FAKE_25);
	return jvm ? 0 : -1;
}

static int destroy(void **state)
{
	fake_jvm_destroy(jvm);
	return 0;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_learn),
		cmocka_unit_test(test_anchor),
		cmocka_unit_test(test_ended),
	};
	return cmocka_run_group_tests(tests, create, destroy);
}
