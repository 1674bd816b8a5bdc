/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/* thread_events: see thread_events.h. */
#include "agent/events/thread_events.h"

#include <errno.h>
#include <linux/membarrier.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "agent/io/io_openers.h"
#include "agent/jvm/hotspot.h"
#include "agent/lock/lock.h"

__thread struct thread_events *thread_events_current
	__attribute__((tls_model("initial-exec")));
/* While hiding: what is to be shown again; NULL: a thread not yet seen. */
static __thread struct thread_events *hidden __attribute__((tls_model("initial-exec")));
static __thread bool hiding __attribute__((tls_model("initial-exec")));
_Atomic bool thread_events_stopping;

/* Shared by all threads that are not recorded; nobody writes to it. */
static struct thread_events ignored = {.busy = 1};

static _Atomic(struct thread_events *) all;
static struct thread_events *free_list; /* under the lock */
static struct lock free_lock = {PTHREAD_MUTEX_INITIALIZER, LOCK_EVENTS};

/* A place marked busy. NULL without memory. */
static struct thread_events *place_take(void)
{
	struct thread_events *place;

	lock_take(&free_lock);
	place = free_list;
	if (place)
		free_list = place->next_free;
	lock_give(&free_lock);
	if (place) {
		atomic_store(&place->busy, 1);
		return place;
	}
	place = calloc(1, sizeof(*place));
	if (!place)
		return NULL;
	atomic_init(&place->busy, 1);
	place->next = atomic_load(&all);
	while (!atomic_compare_exchange_weak(&all, &place->next, place))
		;
	return place;
}

static void place_give(struct thread_events *place)
{
	place->context = NULL;
	atomic_store(&place->busy, 0);
	lock_take(&free_lock);
	place->next_free = free_list;
	free_list = place;
	lock_give(&free_lock);
}

/* Puts the frames that are already there on the shadow stack, outermost first. */
static void push_found(struct thread_events *thread, JNIEnv *jni, enum found_frames found)
{
	jvmtiFrameInfo *frames;
	int innermost = found == FOUND_ALL_BUT_LAST ? 1 : 0;
	int count;

	if (found == FOUND_NONE)
		return;
	count = jvm_stack(&events.jvm, &frames);
	for (int i = count - 1; i >= innermost; i--) {
		method_ref ref = thread_events_method(thread, jni, frames[i].method);

		if (ref != METHOD_REF_EXCLUDED)
			context_found_frame(thread->context, method_ref_id(ref));
	}
	free(frames);
}

static struct thread_context *context_of(JNIEnv *jni, jthread java_thread)
{
	struct thread_identity identity = {0};
	struct jvm_thread description;

	if (!jvm_describe_thread(&events.jvm, jni, java_thread, &description))
		return NULL;
	if (description.is_virtual) {
		/* Mounted before that could be watched: the carrier is seen afterwards. */
		hidden = NULL;
		hiding = true;
		return NULL;
	}
	if (!session_wants_thread(events.session, description.name))
		return NULL;
	identity.java_id = description.java_id;
	identity.os_id = gettid();
	memcpy(identity.name, description.name, sizeof(identity.name));
	return trace_thread_begin(
		events.session->trace, &identity, hotspot_alloc_source(jni));
}

struct thread_events *thread_events_adopt(JNIEnv *jni, jthread thread, enum found_frames found)
{
	struct thread_events *place = place_take();
	int saved_errno = errno;

	if (!place || atomic_load(&thread_events_stopping)) {
		if (place)
			place_give(place);
		return thread_events_current = &ignored;
	}
	/* Events raised by the calls below must find the place, and see it busy. */
	thread_events_current = place;
	place->context = context_of(jni, thread);
	if (!place->context) {
		thread_events_current = &ignored;
		place_give(place);
	} else {
		io_opener_known_as(place->context->identity.name);
		push_found(place, jni, found);
		context_start(place->context);
		thread_events_leave(place);
	}
	errno = saved_errno;
	return thread_events_current;
}

bool thread_events_is_ignored(void)
{
	return thread_events_current == &ignored;
}

void thread_events_hide(void)
{
	if (thread_events_is_ignored())
		return;
	hidden = thread_events_current;
	hiding = true;
	thread_events_current = &ignored;
}

void thread_events_show(void)
{
	if (!hiding)
		return;
	thread_events_current = hidden;
	hiding = false;
}

struct thread_events *thread_events_for_io(bool *unwanted)
{
	struct thread_events *thread = hiding ? hidden : thread_events_current;

	*unwanted = thread == &ignored;
	return *unwanted ? NULL : thread;
}

bool thread_events_is_hidden(void)
{
	return hiding;
}

bool thread_events_pause(void)
{
	struct thread_events *thread = thread_events_current;

	if (!thread || !thread_events_enter(thread))
		return false;
	context_settle(thread->context);
	return true;
}

void thread_events_resume(void)
{
	struct thread_events *thread = thread_events_current;

	context_start(thread->context);
	thread_events_leave(thread);
}

void thread_events_end(JNIEnv *jni, jthread thread)
{
	struct thread_events *place = thread_events_current;
	struct jvm_thread description;

	thread_events_current = &ignored;
	if (!place || place == &ignored)
		return;
	/* Also while stopping: once the thread is gone, nobody may look at its counters. */
	atomic_store(&place->busy, 1);
	trace_thread_end(events.session->trace, place->context,
		jvm_describe_thread(&events.jvm, jni, thread, &description) ? description.name
									    : NULL);
	place_give(place);
}

/* Every thread of the process that runs now passes a full memory barrier. Kernels before 4.14
 * cannot do that: there, waiting far longer than any store stays in a processor's buffer has
 * the same effect. */
static void barrier_everywhere(void)
{
	static const struct timespec long_enough = {.tv_nsec = 10 * 1000 * 1000};

	if (syscall(SYS_membarrier, MEMBARRIER_CMD_REGISTER_PRIVATE_EXPEDITED, 0, 0) ||
		syscall(SYS_membarrier, MEMBARRIER_CMD_PRIVATE_EXPEDITED, 0, 0))
		nanosleep(&long_enough, NULL);
}

static unsigned busy_places(void)
{
	unsigned busy = 0;

	for (struct thread_events *place = atomic_load(&all); place; place = place->next)
		busy += place != thread_events_current &&
			atomic_load_explicit(&place->busy, memory_order_acquire);
	return busy;
}

unsigned thread_events_stop(void)
{
	static const struct timespec pause = {.tv_nsec = 200 * 1000};
	unsigned busy;

	atomic_store(&thread_events_stopping, true);
	barrier_everywhere();
	busy = busy_places();
	for (int waits = 0; busy && waits < 10000; waits++) {
		nanosleep(&pause, NULL);
		busy = busy_places();
	}
	return busy;
}
