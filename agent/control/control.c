/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/*
 * control: see control.h.
 *
 * The lock guards the place and whether there is a thread; it is not held while a verb runs.
 * The channel ends so: the place is removed, `ending` set, and the thread woken by shutting the
 * listener down, which the thread closes.
 */
#include "agent/control/control.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#include "agent/control/place.h"
#include "agent/control/protocol.h"
#include "agent/control/server.h"
#include "agent/lock/lock.h"

/* Verbs may attach the thread to the JVM, whose own threads have as much. */
#define STACK_BYTES ((size_t)1 << 20)

enum {
	/* for an earlier thread: it closes clients within a second */
	START_PATIENCE_MS = 5000,
	END_PATIENCE_MS = 200
};

static struct control {
	struct lock lock;
	pthread_cond_t gone;   /* the thread says `ended` */
	bool has_gone;         /* the condition was made */
	bool running;          /* there is a thread, which was not joined */
	bool ended;            /* it is about to return */
	_Atomic pid_t process; /* the one that started it; 0: none */
	pthread_t thread;
	struct place place;
	struct server server; /* the thread's, but for `ending`, `clients` and `listener` */
} control = {.lock = {PTHREAD_MUTEX_INITIALIZER, LOCK_CONTROL},
	.place = {.directory = -1},
	.server = {.listener = -1}};

/* ---- its thread ---- */

/* The channel cannot be found any more. Under the lock. */
static void withdraw(void)
{
	place_remove(&control.place);
	atomic_store_explicit(&control.server.ending, true, memory_order_release);
	if (control.server.listener >= 0)
		shutdown(control.server.listener, SHUT_RDWR);
}

static void *run(void *nothing)
{
	pthread_setname_np(pthread_self(), "jprof control");
	server_run(&control.server);

	lock_take(&control.lock);
	withdraw();
	close(control.server.listener);
	control.server.listener = -1;
	lock_give(&control.lock);

	server_fini(&control.server);

	lock_take(&control.lock);
	control.ended = true;
	pthread_cond_broadcast(&control.gone);
	lock_give(&control.lock);
	return nothing;
}

/* Under the lock, which is given meanwhile. True: there is no thread. */
static bool wait_for_end(long ms)
{
	struct timespec until = lock_deadline((uint64_t)ms);
	int result = 0;

	while (control.running && !control.ended && result == 0)
		result = pthread_cond_timedwait(&control.gone, &control.lock.mutex, &until);
	if (control.running && control.ended) {
		pthread_join(control.thread, NULL);
		control.running = false;
	}
	return !control.running;
}

/* ---- its life ---- */

/* Under the lock. */
static int open_channel(const struct control_setup *setup, struct error *error)
{
	const char *const *roots = setup->roots ? setup->roots : protocol_roots;
	int listener = place_make(&control.place, roots, getpid(), error), result;
	pthread_attr_t attributes;
	sigset_t all, before;

	if (listener < 0)
		return listener;
	server_init(&control.server, setup, listener);
	control.ended = false;
	/* The thread begins with every signal blocked: it never runs an application's
	 * handler. */
	sigfillset(&all);
	pthread_attr_init(&attributes);
	pthread_attr_setstacksize(&attributes, STACK_BYTES);
	pthread_sigmask(SIG_SETMASK, &all, &before);
	result = pthread_create(&control.thread, &attributes, run, NULL);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	pthread_attr_destroy(&attributes);

	control.running = result == 0;
	if (result == 0)
		return 0;
	place_remove(&control.place);
	close(listener);
	control.server.listener = -1;
	return error_set_errno(
		error, ERROR_MEMORY, result, "cannot start the thread of the control channel");
}

/* False: another process's channel was inherited by fork. */
static bool is_mine(void)
{
	pid_t process = atomic_load(&control.process);

	return process == 0 || process == getpid();
}

/* Under the lock. */
static bool is_open(void)
{
	return control.running && !control.ended && control.place.directory >= 0;
}

bool control_is_open(void)
{
	bool open;

	lock_take(&control.lock);
	open = is_mine() && is_open();
	lock_give(&control.lock);
	return open;
}

int control_start(const struct control_setup *setup, struct error *error)
{
	int saved_errno = errno, status;
	pthread_condattr_t monotonic;

	if (!is_mine())
		return error_set(
			error, ERROR_BUSY, "the control channel is the parent process's");
	lock_take(&control.lock);
	if (!control.has_gone) {
		pthread_condattr_init(&monotonic);
		pthread_condattr_setclock(&monotonic, CLOCK_MONOTONIC);
		pthread_cond_init(&control.gone, &monotonic);
		pthread_condattr_destroy(&monotonic);
		control.has_gone = true;
	}
	if (is_open())
		status = error_set(error, ERROR_BUSY, "the control channel is open already");
	else if (!wait_for_end(START_PATIENCE_MS))
		status = error_set(error, ERROR_BUSY,
			"the control channel is still being closed; try again later");
	else
		status = open_channel(setup, error);
	if (status == 0)
		atomic_store(&control.process, getpid());
	lock_give(&control.lock);
	errno = saved_errno;
	return status;
}

void control_end(void)
{
	int saved_errno = errno;

	if (atomic_load(&control.process) != getpid())
		return;
	lock_take(&control.lock);
	withdraw();
	if (control.running && !pthread_equal(control.thread, pthread_self()))
		wait_for_end(END_PATIENCE_MS);
	lock_give(&control.lock);
	errno = saved_errno;
}

unsigned control_clients(void)
{
	return atomic_load_explicit(&control.server.clients, memory_order_relaxed);
}
