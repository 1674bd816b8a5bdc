/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/*
 * sample_event: periods of a thread's processor time, counted on the thread itself while it is busy, are as many as its
 * own clock says; by perf where the kernel allows it, and by timers.
 */
#include <errno.h>
#include <linux/perf_event.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <time.h>
#include <unistd.h>
#include <cmocka.h>

#include "agent/sample/sample_event.h"

enum { PERIOD = 1000000, BUSY = 400 /* periods */ };

static __thread struct sample_event event;
static __thread struct sample_poll poll, rest;
static __thread volatile unsigned signals;

static void on_signal(int signal, siginfo_t *info, void *context)
{
	sample_event_poll(&event, info, &poll);
	signals++;
}

static void handle_signals(void)
{
	struct sigaction action = {
		.sa_sigaction = on_signal, .sa_flags = SA_SIGINFO | SA_RESTART};

	assert_int_equal(sigaction(SIGPROF, &action, NULL), 0);
}

static uint64_t cpu_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
	return (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
}

static struct sample_event_choice clock_choice(void)
{
	return (struct sample_event_choice){
		.perf = {.type = PERF_TYPE_SOFTWARE, .config = PERF_COUNT_SW_TASK_CLOCK},
		.period = PERIOD,
		.clock = true};
}

/* Works for so many periods of the clock. Returns how many there were, from the event's begin to its end. */
static double work(const struct sample_event_choice *choice)
{
	uint64_t begin, end;

	memset(&poll, 0, sizeof(poll));
	signals = 0;
	begin = cpu_ns();
	assert_int_equal(sample_event_open(&event, choice, gettid(), SIGPROF), 0);
	while (cpu_ns() - begin < (uint64_t)BUSY * PERIOD)
		;
	end = cpu_ns();
	sample_event_close(&event, &rest);
	return (double)(end - begin) / PERIOD;
}

static bool is_near(double expected, double allowed, const char *how)
{
	print_message(
		"%s: %u periods in %u signals, %.1f by the clock; %u lost, %u throttled\n", how,
		poll.periods, signals, expected, poll.lost, poll.throttled);
	return poll.periods >= expected * (1 - allowed) - 2 &&
	       poll.periods <= expected * (1 + allowed) + 2;
}

/* On a busy machine the thread is interrupted, and the kernel misses a part of a period each time: the best of
 * some tries counts. */
static void compare(double (*do_work)(const struct sample_event_choice *choice),
	const struct sample_event_choice *choice, double allowed, const char *how)
{
	enum { TRIES = 6 };

	for (int i = 0; i < TRIES; i++)
		if (is_near(do_work(choice), allowed, how))
			return;
	fail_msg("%s: %u periods are not those of the clock", how, poll.periods);
}

/* Why perf is not to be had here, or NULL. */
static const char *forbidden(const struct sample_event_choice *choice)
{
	int status = sample_event_try(choice);

	return status < 0 ? strerror(-status) : NULL;
}

static void test_perf(void **state)
{
	struct sample_event_choice choice = clock_choice();

	if (forbidden(&choice)) {
		print_message("perf events: %s\n", forbidden(&choice));
		skip();
	}
	handle_signals();
	compare(work, &choice, 0.05, "perf");
	assert_true(signals > BUSY / 2);
	assert_int_equal(poll.frames, 0);
}

static void test_kernel_stack(void **state)
{
	struct sample_event_choice choice = clock_choice();

	choice.kernel_stack = true;
	if (forbidden(&choice)) {
		print_message("the kernel's stacks: %s\n", forbidden(&choice));
		skip();
	}
	handle_signals();
	compare(work, &choice, 0.05, "perf, with the kernel's stack");
	assert_true(poll.frames <= KERNEL_FRAMES);
	for (unsigned i = 0; i < poll.frames; i++)
		assert_true((int64_t)poll.frame[i] < 0);
}

/* ---- a thread that waits all the time ---- */

static struct sample_event_choice eased_choice;
static __thread unsigned eased;
static int turn_pipes[4];       /* there and back */
static unsigned turning = BUSY; /* periods with turns: the first ones */

static void on_signal_ease(int signal, siginfo_t *info, void *context)
{
	on_signal(signal, info, context);
	eased += sample_event_ease(&event, &eased_choice, gettid(), signal);
}

/* Gives back what it gets. */
static void *echo(void *argument)
{
	const int *pipes = argument;
	char byte;

	while (read(pipes[0], &byte, 1) == 1)
		assert_int_equal(write(pipes[3], &byte, 1), 1);
	return NULL;
}

/* Turns of some 50 us, then a wait for the other thread; behind the first periods one long turn. Returns periods
 * by the clock. */
static double work_in_turns(const struct sample_event_choice *choice)
{
	int to = turn_pipes[1], from = turn_pipes[2];
	uint64_t begin, end, turn;
	char byte = 0;

	memset(&poll, 0, sizeof(poll));
	signals = eased = 0;
	begin = turn = cpu_ns();
	assert_int_equal(sample_event_open(&event, choice, gettid(), SIGPROF), 0);
	while ((end = cpu_ns()) - begin < (uint64_t)BUSY * PERIOD) {
		if (end - turn < 50000 || end - begin > (uint64_t)turning * PERIOD)
			continue;
		assert_int_equal(write(to, &byte, 1), 1);
		assert_int_equal(read(from, &byte, 1), 1);
		turn = cpu_ns();
	}
	sample_event_close(&event, &rest);
	return (double)(end - begin) / PERIOD;
}

/* A timer takes the place of the perf event, and no period is lost by that; where turns are long, or were short
 * for a while only, none does. */
static void test_eased(void **state)
{
	struct sigaction action = {
		.sa_sigaction = on_signal_ease, .sa_flags = SA_SIGINFO | SA_RESTART};
	int *pipes = turn_pipes, tries = 0;
	pthread_t thread;

	eased_choice = clock_choice();
	if (forbidden(&eased_choice)) {
		print_message("perf events: %s\n", forbidden(&eased_choice));
		skip();
	}
	assert_int_equal(sigaction(SIGPROF, &action, NULL), 0);
	/* Where it is interrupted all the time its turns are not long. */
	do {
		eased = 0;
		compare(work, &eased_choice, 0.05, "long turns");
	} while (eased > 0 && ++tries < 10);
	assert_int_equal(eased, 0);
	assert_int_equal(pipe(pipes), 0);
	assert_int_equal(pipe(pipes + 2), 0);
	assert_int_equal(pthread_create(&thread, NULL, echo, pipes), 0);
	/* As a JVM begins. */
	turning = 150;
	tries = 0;
	do {
		compare(work_in_turns, &eased_choice, 0.2, "short turns at first");
	} while (eased > 0 && ++tries < 10);
	assert_int_equal(eased, 0);
	turning = BUSY;
	compare(work_in_turns, &eased_choice, 0.1, "short turns");
	close(pipes[1]);
	pthread_join(thread, NULL);
	assert_int_equal(eased, 1);
	assert_true(poll.timed);
	assert_false(event.timed);
	assert_null((void *)event.ring);
}

/* ---- timers ---- */

/* Of the kernel's tick: a signal stands for several periods. */
static void test_timers(void **state)
{
	struct sample_event_choice choice = clock_choice();

	choice.timers = true;
	handle_signals();
	compare(work, &choice, 0.08, "timers");
}

/* What the thread does not do is not counted. */
static void test_asleep(void **state)
{
	static const struct timespec pause = {.tv_nsec = 100000000};
	struct sample_event_choice choice = clock_choice();

	for (int i = 0; i < 2; i++) {
		choice.timers = i == 1;
		memset(&poll, 0, sizeof(poll));
		assert_int_equal(sample_event_open(&event, &choice, gettid(), SIGPROF), 0);
		nanosleep(&pause, NULL);
		sample_event_close(&event, &rest);
		assert_true(poll.periods <= 5);
		assert_true(rest.periods <= 1);
	}
}

/* ---- threads that have the signal blocked ---- */

/* What its ring has is told at the end: a record each, of 16 bytes. */
static void test_blocked(void **state)
{
	struct sample_event_choice choice = clock_choice();
	sigset_t signals_of, before;

	handle_signals();
	if (forbidden(&choice))
		return;
	sigemptyset(&signals_of);
	sigaddset(&signals_of, SIGPROF);
	pthread_sigmask(SIG_BLOCK, &signals_of, &before);
	work(&choice);
	assert_int_equal(poll.periods, 0);
	print_message("%u periods in the ring\n", rest.periods);
	assert_true(rest.periods > 200 && rest.periods <= 256);
	/* The one that is pending finds a closed event. */
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	assert_int_equal(poll.periods, 0);
}

/* Signals that come late, or are another's, find a closed event. */
static void test_closed(void **state)
{
	struct sample_event_choice choice = clock_choice();
	siginfo_t info = {.si_code = SI_TIMER};

	handle_signals();
	memset(&poll, 0, sizeof(poll));
	sample_event_poll(&event, &info, &poll);
	assert_int_equal(poll.periods, 0);
	assert_int_equal(sample_event_open(&event, &choice, gettid(), SIGPROF), 0);
	sample_event_close(&event, &rest);
	sample_event_close(&event, &rest);
	assert_int_equal(rest.periods, 0);
	raise(SIGPROF);
	assert_int_equal(sample_event_open(&event, &choice, 0x3ffffff, SIGPROF), -ESRCH);
	assert_null(event.ring);
	assert_false(event.timed);
}

/* Of another thread: the signal goes there, as long as it has not closed its event. */
static struct {
	_Atomic pid_t tid;
	_Atomic bool open, done;
	struct sample_event *event;
	uint32_t periods;
	double expected;
} other;

static void *be_sampled(void *unused)
{
	uint64_t begin;

	other.event = &event;
	atomic_store(&other.tid, gettid());
	while (!atomic_load(&other.open))
		usleep(1000);
	begin = cpu_ns();
	while (cpu_ns() - begin < UINT64_C(100) * PERIOD)
		;
	other.expected = (double)(cpu_ns() - begin) / PERIOD;
	other.periods = poll.periods;
	atomic_store(&other.done, true);
	while (atomic_load(&other.open))
		usleep(1000);
	sample_event_close(other.event, &rest);
	return NULL;
}

/* True if there are as many periods as its clock tells. */
static bool sample_other(const struct sample_event_choice *choice)
{
	pthread_t thread;

	other.tid = 0;
	other.open = other.done = false;
	assert_int_equal(pthread_create(&thread, NULL, be_sampled, NULL), 0);
	while (!atomic_load(&other.tid))
		usleep(1000);
	assert_int_equal(sample_event_open(other.event, choice, other.tid, SIGPROF), 0);
	atomic_store(&other.open, true);
	while (!atomic_load(&other.done))
		usleep(1000);
	atomic_store(&other.open, false);
	pthread_join(thread, NULL);
	print_message("%u of %.1f periods\n", other.periods, other.expected);
	return other.periods >= other.expected * 0.85 - 6 &&
	       other.periods <= other.expected * 1.1 + 6;
}

static void test_other_thread(void **state)
{
	struct sample_event_choice choice = clock_choice();

	handle_signals();
	signals = 0;
	for (int i = 0; i < 2; i++) {
		int tries = 0;

		choice.timers = i == 1;
		/* As above: on a busy machine a part is missed. */
		while (!sample_other(&choice))
			assert_true(++tries < 10);
		assert_int_equal(signals, 0);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_perf),
		cmocka_unit_test(test_kernel_stack),
		cmocka_unit_test(test_eased),
		cmocka_unit_test(test_timers),
		cmocka_unit_test(test_asleep),
		cmocka_unit_test(test_blocked),
		cmocka_unit_test(test_closed),
		cmocka_unit_test(test_other_thread),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
