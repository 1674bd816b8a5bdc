/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/*
 * Walks from a signal's handler, through chains of calls that were compiled in several ways, and through a
 * handler: what backtrace(3) finds is found, frame by frame. Then at any moment, by a timer: all walks
 * reach the thread's first function. The cost of a step is printed.
 */
#include <execinfo.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <time.h>
#include <ucontext.h>
#include <unistd.h>
#include <cmocka.h>

#include "agent/stack/safe_read.h"
#include "agent/stack/unwind.h"
#include "native-tests/stack/chain.h"

enum { FRAMES_MAX = 256 };

static struct modules *modules;

/* The thread's stack: from the frame in the handler to its end. */
struct bounds {
	uintptr_t low, high;
};

static bool read_stack(const void *user, uintptr_t address, uintptr_t *word)
{
	const struct bounds *bounds = user;

	if (address % sizeof(*word) != 0 || address < bounds->low ||
		address > bounds->high - sizeof(*word))
		return false;
	*word = *(const uintptr_t *)address;
	return true;
}

static struct native_frame frame_of(const void *context)
{
	const ucontext_t *user = context;
#if defined(__x86_64__)
	return (struct native_frame){.pc = (uintptr_t)user->uc_mcontext.gregs[REG_RIP],
		.sp = (uintptr_t)user->uc_mcontext.gregs[REG_RSP],
		.fp = (uintptr_t)user->uc_mcontext.gregs[REG_RBP]};
#else
	return (struct native_frame){.pc = user->uc_mcontext.pc,
		.sp = user->uc_mcontext.sp,
		.fp = user->uc_mcontext.regs[29],
		.link = user->uc_mcontext.regs[30]};
#endif
}

static struct bounds stack_bounds(void)
{
	pthread_attr_t attributes;
	void *low;
	size_t size;

	assert_int_equal(pthread_getattr_np(pthread_self(), &attributes), 0);
	pthread_attr_getstack(&attributes, &low, &size);
	pthread_attr_destroy(&attributes);
	return (struct bounds){(uintptr_t)low, (uintptr_t)low + size};
}

/* ---- one walk ---- */

static struct {
	struct bounds bounds;
	uintptr_t pc[FRAMES_MAX], expected[FRAMES_MAX];
	int count, expected_count;
	bool whole;
} walked;

static int walk(struct native_frame frame, uintptr_t *pc, bool *whole)
{
	struct unwind_memory memory = {read_stack, &walked.bounds};
	int count = 0;

	do {
		pc[count++] = frame.pc;
	} while (count < FRAMES_MAX && unwind_step(modules, &memory, &frame, count == 1));
	*whole = frame.pc == 0;
	return count;
}

static void on_signal(int signal, siginfo_t *info, void *context)
{
	walked.expected_count = backtrace((void **)walked.expected, FRAMES_MAX);
	walked.count = walk(frame_of(context), walked.pc, &walked.whole);
}

static void raise_it(void)
{
	syscall(SYS_tgkill, getpid(), gettid(), SIGUSR1);
}

static void handle(int number, void (*handler)(int, siginfo_t *, void *), int flags)
{
	struct sigaction action = {.sa_sigaction = handler, .sa_flags = SA_SIGINFO | flags};

	assert_int_equal(sigaction(number, &action, NULL), 0);
}

/* What backtrace found from the place of the signal on is what was walked. */
static void compare_walks(int frames_min)
{
	int from = 0;

	while (from < walked.expected_count && walked.expected[from] != walked.pc[0])
		from++;
	for (int i = 0; i < walked.count && from + i < walked.expected_count; i++)
		if (walked.pc[i] != walked.expected[from + i])
			fail_msg("frame %d: %#lx, not %#lx", i, walked.pc[i],
				walked.expected[from + i]);
	assert_true(walked.count >= frames_min);
	assert_int_equal(walked.count, walked.expected_count - from);
	assert_true(walked.whole);
}

static void test_framed(void **state)
{
	chain_framed(raise_it, 20);
	compare_walks(26);
}

static void test_frameless(void **state)
{
	chain_frameless(raise_it, 20);
	compare_walks(26);
}

/* backtrace(3) ends at such functions; the chain of frames leads through them. */
static void test_bare(void **state)
{
	int found = 0;

	chain_bare(raise_it, 20);
	assert_true(walked.whole);
	assert_true(walked.count >= 26);
	for (int i = 1; i < walked.count; i++)
		found += walked.pc[i] == walked.pc[walked.count / 2];
	assert_true(found > 10);
}

/* From within a handler, which has interrupted the chain, and has a stack of its own. */
static void on_first(int signal, siginfo_t *info, void *context)
{
	raise_it();
}

static void raise_first(void)
{
	syscall(SYS_tgkill, getpid(), gettid(), SIGUSR2);
}

static void test_handler(void **state)
{
	handle(SIGUSR2, on_first, 0);
	chain_frameless(raise_first, 5);
#if defined(__x86_64__)
	compare_walks(14);
#endif
}

static void test_other_stack(void **state)
{
	struct bounds bounds = walked.bounds;
	stack_t other = {.ss_size = 1 << 16, .ss_sp = malloc(1 << 16)},
		none = {.ss_flags = SS_DISABLE};

	assert_non_null(other.ss_sp);
	if ((uintptr_t)other.ss_sp < bounds.low)
		walked.bounds.low = (uintptr_t)other.ss_sp;
	assert_int_equal(sigaltstack(&other, NULL), 0);
	handle(SIGUSR2, on_first, SA_ONSTACK);
	chain_frameless(raise_first, 5);
#if defined(__x86_64__)
	compare_walks(14);
#endif
	assert_int_equal(sigaltstack(&none, NULL), 0);
	free(other.ss_sp);
	walked.bounds = bounds;
}

static void *in_thread(void *unused)
{
	walked.bounds = stack_bounds();
	chain_frameless(raise_it, 3);
	return NULL;
}

static void test_thread(void **state)
{
	struct bounds bounds = walked.bounds;
	pthread_t thread;

	assert_int_equal(pthread_create(&thread, NULL, in_thread, NULL), 0);
	pthread_join(thread, NULL);
	compare_walks(8);
	walked.bounds = bounds;
}

/* ---- at any moment ---- */

static struct {
	volatile int walks, whole, steps;
	uintptr_t last; /* where one ended early */
} timed;

static void on_timer(int signal, siginfo_t *info, void *context)
{
	static uintptr_t pc[FRAMES_MAX];
	bool whole;
	int count = walk(frame_of(context), pc, &whole);

	timed.walks++;
	timed.whole += whole;
	timed.steps += count;
	if (!whole)
		timed.last = pc[count - 1];
}

static void leaf(void)
{
	char text[64];

	snprintf(text, sizeof(text), "%d %f", timed.walks, timed.walks / 3.0);
}

/* Prologues, epilogues, calls by way of the procedure linkage table, the C library, system calls. */
static void test_timer(void **state)
{
	struct itimerval often = {{0, 200}, {0, 200}}, never = {{0, 0}, {0, 0}};
	time_t end = time(NULL) + 20;

	handle(SIGPROF, on_timer, SA_RESTART);
	setitimer(ITIMER_PROF, &often, NULL);
	while (timed.walks < 500 && time(NULL) < end) {
		chain_framed(leaf, 2);
		chain_frameless(leaf, 2);
	}
	setitimer(ITIMER_PROF, &never, NULL);
	print_message("%d walks, %d whole, %.1f frames each\n", timed.walks, timed.whole,
		(double)timed.steps / timed.walks);
	assert_true(timed.walks > 10);
	/* Where a function aligns its stack, some instructions have the CFA in another register. */
	if (timed.whole * 100 < timed.walks * 97)
		fail_msg("%d of %d walks ended early, one at %#lx", timed.walks - timed.whole,
			timed.walks, timed.last);
}

/* ---- cost ---- */

/* What the JVM's guarded load does if there is no fault. */
static intptr_t plain_load(const intptr_t *at, intptr_t otherwise)
{
	return *(const volatile intptr_t *)at;
}

static int64_t cpu_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
	return now.tv_sec * INT64_C(1000000000) + now.tv_nsec;
}

/* The least of several measurements, as others run beside. */
static void on_measure(int signal, siginfo_t *info, void *context)
{
	enum { TIMES = 100, MEASUREMENTS = 20 };
	struct native_frame frame = frame_of(context);
	static uintptr_t pc[FRAMES_MAX];
	int64_t least = INT64_MAX;
	bool whole;
	int count = 0;

	for (int i = 0; i < MEASUREMENTS; i++) {
		int64_t begin = cpu_ns(), took;

		for (int k = 0; k < TIMES; k++)
			count = walk(frame, pc, &whole);
		took = cpu_ns() - begin;
		least = took < least ? took : least;
	}
	timed.walks = (int)(least / TIMES / count);
}

static void test_cost(void **state)
{
	handle(SIGUSR1, on_measure, 0);
	chain_frameless(raise_it, 30);
	print_message("%d ns a step by .eh_frame\n", timed.walks);
	chain_bare(raise_it, 30);
	print_message("%d ns a step, most by the chain of frames\n", timed.walks);
	safe_read_by(plain_load);
	chain_frameless(raise_it, 30);
	print_message("%d ns a step by .eh_frame that may go\n", timed.walks);
	safe_read_by(NULL);
	handle(SIGUSR1, on_signal, 0);
}

/* ---- what is refused ---- */

static void test_refused(void **state)
{
	struct bounds none = {8, 16};
	struct unwind_memory memory = {read_stack, &none};
	struct native_frame frame = {.pc = (uintptr_t)test_refused + 4,
		.sp = (uintptr_t)&frame,
		.fp = (uintptr_t)&frame};
	struct native_frame before = frame;

	/* The stack cannot be read. */
	assert_false(unwind_step(modules, &memory, &frame, true));
	assert_memory_equal(&frame, &before, sizeof(frame));
	/* In no module; not aligned, below the stack pointer, at the end of the addresses. */
	memory.user = &walked.bounds;
	frame.pc = before.pc = 64;
	for (int i = 0; i < 3; i++) {
		frame.fp = before.fp = i == 0   ? frame.sp + 4
				       : i == 1 ? frame.sp - 8
						: UINTPTR_MAX - 7;
		assert_false(unwind_step(modules, &memory, &frame, true));
		assert_memory_equal(&frame, &before, sizeof(frame));
	}
	frame.pc = 0;
	assert_false(unwind_step(modules, &memory, &frame, true));
}

static int begin(void **state)
{
	void *warm[2];

	backtrace(warm, 2); /* loads libgcc_s */
	modules = modules_read();
	walked.bounds = stack_bounds();
	handle(SIGUSR1, on_signal, 0);
	return modules ? 0 : -1;
}

static int end(void **state)
{
	modules_destroy(modules);
	return 0;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_framed),
		cmocka_unit_test(test_frameless),
		cmocka_unit_test(test_bare),
		cmocka_unit_test(test_handler),
		cmocka_unit_test(test_other_stack),
		cmocka_unit_test(test_thread),
		cmocka_unit_test(test_timer),
		cmocka_unit_test(test_cost),
		cmocka_unit_test(test_refused),
	};
	return cmocka_run_group_tests(tests, begin, end);
}
