/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/*
 * A library that was unloaded since the list of modules was made: frames in it are followed by the frame pointer. With
 * a guarded load it may go at any moment of a walk; without one, between two walks.
 */
#include <pthread.h>
#include <sched.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/mman.h>
#include <time.h>
#include <cmocka.h>

#include "agent/stack/safe_read.h"
#include "agent/stack/unwind.h"
#include "native-tests/stack/fake_jvm.h"
#include "native-tests/stack/made_frames.h"
#include "unwind_registers.h"

enum { PLACE = 0x40000000, WORD = sizeof(uintptr_t) };

/* ---- a guarded load, as the JVM has one ---- */

static __thread sigjmp_buf *volatile guard;

static void on_fault(int signal)
{
	if (guard)
		siglongjmp(*guard, 1);
	raise(SIGABRT);
}

static intptr_t guarded_load(const intptr_t *at, intptr_t otherwise)
{
	sigjmp_buf here;
	volatile intptr_t value = otherwise;

	guard = &here;
	if (sigsetjmp(here, 0) == 0)
		value = *(const volatile intptr_t *)at;
	guard = NULL;
	return value;
}

/* Within a test, as cmocka has handlers of its own. */
static void handle_faults(void)
{
	struct sigaction action = {.sa_handler = on_fault, .sa_flags = SA_NODEFER};

	assert_int_equal(sigaction(SIGSEGV, &action, NULL), 0);
	assert_int_equal(sigaction(SIGBUS, &action, NULL), 0);
}

/* ---- a library whose memory comes and goes ---- */

static struct module module;
static struct modules modules = {.count = 1, .module = &module};

static void load(void)
{
	/* CFA is sp + 32; the return address and the frame pointer are below it. */
	static const uint8_t program[] = {
		0x0c, UNWIND_SP, 32, 0x80 | UNWIND_RETURN, 1, 0x80 | UNWIND_FP, 2};
	struct made_frames *made = mmap((void *)PLACE, sizeof(*made), PROT_READ | PROT_WRITE,
		MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0);

	if (made == MAP_FAILED)
		return;
	made_frames_init(made, "zR", program, sizeof(program), NULL, 0);
	if (!module.begin)
		module = made->module;
}

static void unload(void)
{
	munmap((void *)PLACE, sizeof(struct made_frames));
}

/* Words are where they are, plus 1 << 32, so that it shows by which rules they were found. */
static bool read_word(const void *user, uintptr_t at, uintptr_t *word)
{
	*word = at + ((uintptr_t)1 << 32);
	return at % WORD == 0;
}

/* The frame pointer's frame is farther up than what .eh_frame says. 1: by that; 2: by the frame pointer. */
static int step(void)
{
	const struct unwind_memory memory = {read_word, NULL};
	struct native_frame frame = {.pc = module.begin + 8, .sp = 0x1000, .fp = 0x1100};

	if (!unwind_step(&modules, &memory, &frame, true))
		return 0;
	return frame.sp == 0x1020 ? 1 : frame.sp == 0x1110 ? 2 : 0;
}

static void test_unloaded(void **state)
{
	handle_faults();
	load();
	assert_int_equal(step(), 1);
	unload();
	assert_int_equal(step(), 2);
	load();
	assert_int_equal(step(), 1);
	safe_read_by(guarded_load);
	assert_int_equal(step(), 1);
	unload();
	assert_int_equal(step(), 2);
	safe_read_by(NULL);
}

/* A whole walk: from the library that was unloaded, through native code, into Java. */
static void test_walk(void **state)
{
	struct fake_jvm *jvm = fake_jvm_create(FAKE_25);
	struct walker walker = {
		&jvm->layout, seen_methods_create(&jvm->layout), &modules, NULL, NULL};
	const struct fake_method method = {"acme/A", "a", "()V", 10, NULL, NULL};
	struct walk_thread thread = fake_thread(jvm);
	struct stack_frame frame[8];
	enum walk_end end;

	handle_faults();
	fake_enter_stub(jvm);
	fake_enter_interpreted(jvm, fake_method_add(jvm, &method), 0);
	fake_leave_java(jvm);
	fake_enter_native(jvm);
	jvm->now.pc = module.begin + 8;
	fake_enter_native(jvm);
	jvm->now.pc = module.begin + 8;
	for (int i = 0; i < 2; i++) {
		safe_read_by(i == 1 ? guarded_load : NULL);
		assert_int_equal(walk_stack(&walker, &thread, &jvm->now, frame, 8, &end), 3);
		assert_int_equal(end, WALK_WHOLE);
		assert_int_equal(frame[0].kind, FRAME_NATIVE);
		assert_int_equal(frame[1].kind, FRAME_NATIVE);
		assert_int_equal(frame[2].kind, FRAME_INTERPRETED);
	}
	safe_read_by(NULL);
	seen_methods_destroy(walker.seen);
	fake_jvm_destroy(jvm);
}

/* ---- at any moment ---- */

static _Atomic bool ended;

static void *come_and_go(void *unused)
{
	while (!atomic_load(&ended)) {
		load();
		sched_yield();
		unload();
		sched_yield();
	}
	return NULL;
}

static void test_meanwhile(void **state)
{
	struct timespec now, begin;
	int steps[3] = {0};
	pthread_t thread;

	handle_faults();
	load();
	safe_read_by(guarded_load);
	assert_int_equal(pthread_create(&thread, NULL, come_and_go, NULL), 0);
	clock_gettime(CLOCK_MONOTONIC, &begin);
	do {
		for (int i = 0; i < 100; i++)
			steps[step()]++;
		clock_gettime(CLOCK_MONOTONIC, &now);
		/* On a busy machine the other thread may wait for long. */
	} while (now.tv_sec - begin.tv_sec < 2 ||
		 (now.tv_sec - begin.tv_sec < 60 && (steps[1] == 0 || steps[2] == 0)));
	atomic_store(&ended, true);
	pthread_join(thread, NULL);
	safe_read_by(NULL);
	print_message("%d steps by .eh_frame, %d without, %d in vain\n", steps[1], steps[2],
		steps[0]);
	assert_true(steps[1] > 0 && steps[2] > 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_unloaded),
		cmocka_unit_test(test_walk),
		cmocka_unit_test(test_meanwhile),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
