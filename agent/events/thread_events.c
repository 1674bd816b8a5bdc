/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/* thread_events: see thread_events.h. */
#include "agent/events/thread_events.h"

#include <errno.h>
#include <linux/membarrier.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "agent/events/virtual_threads.h"
#include "agent/io/io_openers.h"
#include "agent/jvm/hotspot.h"
#include "agent/lock/lock.h"

/* A place that has joined no session. */
#define NO_SESSION UINT32_MAX
/* Hides a thread in all of them. */
#define ANY_SESSION (UINT32_MAX - 1)

__thread struct thread_events *thread_events_current
	__attribute__((tls_model("initial-exec")));
/* While the pointer shows nobody: in which session. */
static __thread uint32_t hiding_in __attribute__((tls_model("initial-exec")));
_Atomic uint32_t thread_events_session;
static uint32_t last_session; /* one start at a time */

/* Stands for a thread that has ended, or is hidden; nobody writes to it. */
static struct thread_events nobody = {.busy = PLACE_INSIDE, .session = NO_SESSION};

static _Atomic(struct thread_events *) all;
static struct thread_events *free_list; /* under the lock */
static struct lock free_lock = {PTHREAD_MUTEX_INITIALIZER, LOCK_EVENTS};

static uint32_t session_now(void)
{
	return atomic_load_explicit(&thread_events_session, memory_order_acquire);
}

static enum place_state state_of(const struct thread_events *place)
{
	return (enum place_state)atomic_load_explicit(&place->busy, memory_order_relaxed);
}

/* ---- places ---- */

static pthread_key_t place_key;
static pthread_once_t place_key_once = PTHREAD_ONCE_INIT;

static void place_give(struct thread_events *place)
{
	if (place->guest)
		place_give(place->guest);
	place->guest = place->host = NULL;
	atomic_store(&place->session, NO_SESSION);
	atomic_store(&place->busy, PLACE_FREE);
	lock_take(&free_lock);
	place->next_free = free_list;
	free_list = place;
	lock_give(&free_lock);
}

/* The thread ends, and no ThreadEnd event came: none does while nothing is recorded. One may come
 * yet, from the JVM's own destructor: asked again behind that. */
static void thread_gone(void *value)
{
	struct thread_events *place = value;

	if (atomic_load(&place->context) || atomic_load(&place->unlisted)) {
		pthread_setspecific(place_key, place);
		return;
	}
	thread_events_current = &nobody;
	place_give(place);
}

static void make_place_key(void)
{
	if (pthread_key_create(&place_key, thread_gone))
		place_key = (pthread_key_t)-1; /* places of threads that end unseen are lost */
}

static struct thread_events *place_new(void)
{
	struct thread_events *place = calloc(1, sizeof(*place));

	if (!place)
		return NULL;
	place->next = atomic_load(&all);
	while (!atomic_compare_exchange_weak(&all, &place->next, place))
		;
	return place;
}

/* Marked busy. NULL without memory. */
static struct thread_events *place_take(void)
{
	struct thread_events *place;

	lock_take(&free_lock);
	place = free_list;
	if (place)
		free_list = place->next_free;
	lock_give(&free_lock);
	if (!place)
		place = place_new();
	if (!place)
		return NULL;
	atomic_store(&place->busy, PLACE_INSIDE);
	atomic_store(&place->session, NO_SESSION);
	return place;
}

/* The calling thread's, which has none, until it ends. */
static struct thread_events *place_take_own(void)
{
	struct thread_events *place = place_take();

	pthread_once(&place_key_once, make_place_key);
	if (place)
		pthread_setspecific(place_key, place);
	return place;
}

struct thread_events *thread_events_guest(struct thread_events *host)
{
	if (!host->guest)
		host->guest = place_take();
	if (!host->guest)
		return NULL;
	host->guest->host = host;
	return host->guest;
}

void thread_events_unjoin(struct thread_events *place)
{
	atomic_store_explicit(&place->session, NO_SESSION, memory_order_relaxed);
}

/* ---- joining a session ---- */

void thread_events_push_found(
	struct thread_events *thread, JNIEnv *jni, enum found_frames found)
{
	struct thread_context *context = thread_events_context(thread);
	jvmtiFrameInfo *frames;
	int innermost = found == FOUND_ALL_BUT_LAST ? 1 : 0;
	int count;

	if (found == FOUND_NONE)
		return;
	count = jvm_stack(&events.jvm, &frames);
	for (int i = count - 1; i >= innermost; i--) {
		method_ref ref = thread_events_method(thread, jni, frames[i].method);

		if (ref != METHOD_REF_EXCLUDED)
			context_found_frame(context, method_ref_id(ref));
	}
	free(frames);
}

/* NULL: the thread is not recorded in this session. */
static struct thread_context *context_of(
	const struct session *session, JNIEnv *jni, const struct jvm_thread *description)
{
	struct thread_identity identity = {
		.java_id = description->java_id, .os_id = gettid()};

	memcpy(identity.name, description->name, sizeof(identity.name));
	if (!session_wants_thread(session, &identity))
		return NULL;
	return trace_thread_begin(session->trace, &identity, hotspot_alloc_source(jni));
}

static void shut(struct thread_events *place)
{
	place->refused = true;
	atomic_store(&place->busy, PLACE_SHUT);
}

/* Gives the place of a platform thread, which is entered, a context; or shuts it: NULL. */
static struct thread_events *begin_platform(struct thread_events *place,
	const struct session *session, JNIEnv *jni, const struct jvm_thread *description,
	enum found_frames found)
{
	struct thread_context *context = context_of(session, jni, description);

	if (!context) {
		shut(place);
		return NULL;
	}
	atomic_store(&place->context, context);
	io_opener_known_as(context->identity.name);
	thread_events_push_found(place, jni, found);
	context_start(context);
	return place;
}

/* Gives whoever runs a context; the place is entered. Returns the thread's own place, which is another one
 * if the JVM has mounted or unmounted a virtual thread unseen; NULL: it is not recorded in this session,
 * or not now. */
static struct thread_events *begin_context(struct thread_events *place,
	const struct session *session, JNIEnv *jni, jthread thread, enum found_frames found)
{
	struct jvm_thread description;
	uint64_t now[METRIC_MAX];
	bool read = virtual_threads_read(place, now);

	if (!jvm_describe_thread(&events.jvm, jni, thread, &description)) {
		shut(place);
		return NULL;
	}
	if (description.is_virtual)
		return virtual_threads_begin(
			place, session, jni, &description, found, read ? now : NULL);
	if (!place->host && !virtual_threads_carries(jni, thread))
		return begin_platform(place, session, jni, &description, found);
	return virtual_threads_leave(place);
}

bool thread_events_claim(struct thread_events *place, uint32_t session)
{
	atomic_store(&place->busy, PLACE_INSIDE);
	/* The stopper may have come between: its fence and this one's meet. */
	if (session_now() != session) {
		thread_events_leave(place);
		return false;
	}
	if (atomic_load(&place->session) == session)
		return true;
	place->refused = place->inherited = false;
	place->mounted = NULL;
	/* Of an earlier one, whose end did not wait for this thread any longer. */
	atomic_store(&place->context, NULL);
	atomic_store(&place->unlisted, NULL);
	memset(place->cache, 0, sizeof(place->cache));
	atomic_store(&place->session, session);
	return true;
}

/* The calling thread's own place, not hidden by a session that is over. NULL: it has none to
 * give. */
static struct thread_events *own_place(uint32_t session)
{
	struct thread_events *place = thread_events_current;

	if (place == &nobody && hiding_in != session && hiding_in != ANY_SESSION)
		thread_events_current = place = NULL;
	if (!place)
		thread_events_current = place = place_take_own();
	else if (state_of(place) == PLACE_INSIDE)
		return NULL;
	return place;
}

struct thread_events *thread_events_own(void)
{
	uint32_t session = session_now();
	struct thread_events *place = session ? own_place(session) : NULL;

	return place && place->host ? place->host : place;
}

/* The calling thread's place, claimed; *session is what it is for. NULL: there is none now. */
static struct thread_events *claim_own(const struct session **session)
{
	uint32_t number = session_now();
	struct thread_events *place = number ? own_place(number) : NULL;

	if (!place || !thread_events_claim(place, number))
		return NULL;
	*session = events_session();
	if (*session)
		return place;
	/* It was given up waiting for this thread. */
	atomic_store(&place->session, NO_SESSION);
	thread_events_leave(place);
	return NULL;
}

/* Events outside the scope shut the place: the next ones are turned away at once. */
static struct thread_events *come(
	enum metric_shape shape, JNIEnv *jni, jthread thread, enum found_frames found)
{
	const struct session *session;
	struct thread_events *place = claim_own(&session);

	if (!place || thread_events_context(place))
		return place;
	if (shape != SHAPE_ANY && shape != session->metrics.shape) {
		atomic_store(&place->session, NO_SESSION);
		thread_events_leave(place);
		return NULL;
	}
	if (session_has_scope(session)) {
		atomic_store(&place->busy, PLACE_SHUT);
		return NULL;
	}
	return begin_context(place, session, jni, thread, found);
}

struct thread_events *thread_events_join(
	enum metric_shape shape, JNIEnv *jni, jthread thread, enum found_frames found)
{
	struct thread_events *place = thread_events_current, *before = place;
	int saved_errno = errno;

	/* Most often: shut in this session, or in jprof's own work. */
	if (place && (state_of(place) == PLACE_INSIDE && place != &nobody))
		return NULL;
	if (place && atomic_load_explicit(&place->session, memory_order_relaxed) == session_now())
		return NULL;
	place = come(shape, jni, thread, found);
	/* It turned out that another thread runs than was thought. */
	if (!place && thread_events_current != before)
		place = come(shape, jni, thread, found);
	errno = saved_errno;
	return place;
}

void thread_events_adopt(JNIEnv *jni, jthread thread, enum found_frames found)
{
	struct thread_events *place = thread_events_join(SHAPE_ANY, jni, thread, found);

	if (place)
		thread_events_leave(place);
}

void thread_events_thread_start(JNIEnv *jni, jthread thread)
{
	/* Detached from the JVM before, and now attached again. */
	if (thread_events_current == &nobody && hiding_in != ANY_SESSION)
		thread_events_current = NULL;
	thread_events_adopt(jni, thread, FOUND_NONE);
}

/* ---- the session's scope ---- */

/* The calling thread's place, entered, with a context. Frames below the scope's are not found: they
 * are outside. NULL: it is not to be recorded. */
static struct thread_events *come_in(JNIEnv *jni, jthread thread)
{
	const struct session *session;
	struct thread_events *place = claim_own(&session);

	if (!place)
		return NULL;
	if (place->refused) {
		atomic_store(&place->busy, PLACE_SHUT);
		return NULL;
	}
	if (!session_has_scope(session)) {
		if (!thread_events_context(place))
			atomic_store(&place->session, NO_SESSION);
		thread_events_leave(place);
		return NULL;
	}
	return thread_events_context(place)
		       ? place
		       : begin_context(place, session, jni, thread, FOUND_NONE);
}

void thread_events_enter_scope(
	JNIEnv *jni, jthread thread, method_ref ref, enum call_state state)
{
	int saved_errno = errno;
	const struct thread_events *before = thread_events_current;
	struct thread_events *place = come_in(jni, thread);

	/* As in thread_events_join. */
	if (!place && thread_events_current != before)
		place = come_in(jni, thread);
	if (place) {
		context_enter_scope(thread_events_context(place), method_ref_id(ref), state,
			method_ref_is_static(ref));
		thread_events_leave(place);
	}
	errno = saved_errno;
}

void thread_events_leave_scope(struct thread_events *thread)
{
	struct thread_context *context = thread_events_context(thread);
	const struct session *session = events_session();

	if (thread->inherited || !session || !session_has_scope(session) ||
		!context_at_root(context)) {
		thread_events_leave(thread);
		return;
	}
	context_go_out(context);
	atomic_store_explicit(&thread->busy, PLACE_SHUT, memory_order_release);
}

void thread_events_inherit_scope(JNIEnv *jni, jthread thread)
{
	struct thread_events *place = come_in(jni, thread);

	if (!place)
		return;
	place->inherited = true;
	context_come_in(thread_events_context(place));
	thread_events_leave(place);
}

bool thread_events_in_scope(void)
{
	const struct thread_events *place = thread_events_current;

	return place && place != &nobody && state_of(place) != PLACE_SHUT &&
	       atomic_load(&place->session) == session_now();
}

bool thread_events_is_outside(void)
{
	const struct thread_events *place = thread_events_current;

	return place && state_of(place) == PLACE_SHUT && !place->refused &&
	       atomic_load(&place->session) == session_now();
}

struct thread_events *thread_events_enter_outside(void)
{
	struct thread_events *place = thread_events_current;

	if (!thread_events_is_outside() || !thread_events_claim(place, session_now()))
		return NULL;
	return place;
}

void thread_events_shut(struct thread_events *thread)
{
	atomic_store_explicit(&thread->busy, PLACE_SHUT, memory_order_release);
}

/* ---- hidden, paused ---- */

struct thread_hiding thread_events_hide_own(void)
{
	struct thread_hiding before = {thread_events_current, hiding_in};

	hiding_in = ANY_SESSION;
	thread_events_current = &nobody;
	return before;
}

void thread_events_show_own(struct thread_hiding before)
{
	thread_events_current = before.current;
	hiding_in = before.in;
}

bool thread_events_is_unwanted(void)
{
	const struct thread_events *place = thread_events_current;

	return place == &nobody || (place && state_of(place) == PLACE_SHUT &&
		atomic_load(&place->session) == session_now());
}

struct thread_context *thread_events_pause(void)
{
	struct thread_events *thread = thread_events_current;
	struct thread_context *context;

	if (!thread || !thread_events_enter(thread))
		return NULL;
	context = thread_events_context(thread);
	context_settle(context);
	context_go_out(context);
	return context;
}

void thread_events_resume(struct thread_context *context)
{
	if (!context)
		return;
	context_come_in(context);
	thread_events_leave(thread_events_current);
}

/* ---- the end of threads and sessions ---- */

/* Nobody until it is attached to the JVM again, or for the next session. */
static void hide_ended(void)
{
	uint32_t session = session_now();

	hiding_in = session ? session : NO_SESSION;
	thread_events_current = &nobody;
}

static void end_context(_Atomic(struct thread_context *) *where, const char *name)
{
	struct thread_context *context = atomic_exchange(where, NULL);

	if (context)
		trace_thread_end(context->trace, context, name);
}

void thread_events_end(JNIEnv *jni, jthread thread)
{
	struct thread_events *place = thread_events_current;
	struct jvm_thread description;
	bool described;

	if (!place || place == &nobody)
		return;
	if (place->host)
		place = place->host;
	hide_ended();
	/* Also while stopping: once the thread is gone, nobody may look at its counters. */
	atomic_store(&place->busy, PLACE_INSIDE);
	described = jvm_describe_thread(&events.jvm, jni, thread, &description);
	end_context(&place->context, described ? description.name : NULL);
	end_context(&place->unlisted, NULL);
	pthread_setspecific(place_key, NULL);
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
			atomic_load(&place->busy) == PLACE_INSIDE;
	return busy;
}

/* At most about two seconds. */
static unsigned wait_for_places(void)
{
	static const struct timespec pause = {.tv_nsec = 200 * 1000};
	unsigned busy = busy_places();

	for (int waits = 0; busy && waits < 10000; waits++) {
		nanosleep(&pause, NULL);
		busy = busy_places();
	}
	return busy;
}

void thread_events_start(void)
{
	if (++last_session >= ANY_SESSION)
		last_session = 1;
	atomic_store(&thread_events_session, last_session);
}

unsigned thread_events_stop(void)
{
	atomic_store(&thread_events_session, 0);
	barrier_everywhere();
	return wait_for_places();
}

bool thread_events_release(void)
{
	for (struct thread_events *place = atomic_load(&all); place; place = place->next) {
		atomic_store(&place->context, NULL);
		atomic_store(&place->unlisted, NULL);
	}
	/* A thread that ends may have taken its context just before. */
	return wait_for_places() == 0;
}
