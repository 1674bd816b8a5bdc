/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/* thread_slot: see thread_slot.h. */
#include "agent/threads/thread_slot.h"

#include <linux/membarrier.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "agent/jvm/jvm.h"
#include "agent/lock/lock.h"
#include "arch/read_mostly.h"

/* Hides a thread in all recordings. */
#define ANY_SESSION (UINT32_MAX - 1)

__thread struct thread_slot *slot_current __attribute__((tls_model("initial-exec")));
/* While the pointer shows `hidden`: in which recording. */
static __thread uint32_t hiding_in __attribute__((tls_model("initial-exec")));
READ_MOSTLY _Atomic uint32_t session_number[METRIC_SHAPES];
static enum metric_shape session_shape; /* as last_session */
READ_MOSTLY _Atomic uint32_t recording_number;
static uint32_t last_session; /* one start, edition or stop at a time */
static _Atomic(struct session *) joined;

/* The slot of threads that have ended, or are hidden; never written. */
static struct thread_slot hidden = {
	.busy = SLOT_INSIDE, .session = NO_SESSION, .recording = NO_SESSION};

static _Atomic(struct thread_slot *) all;
static struct thread_slot *free_list; /* under the lock */
static struct lock free_lock = {PTHREAD_MUTEX_INITIALIZER, LOCK_EVENTS};

bool slot_is_hidden(void)
{
	return slot_current == &hidden;
}

struct session *session_joined(void)
{
	return atomic_load_explicit(&joined, memory_order_acquire);
}

/* ---- slots ---- */

static pthread_key_t key;
static pthread_once_t key_once = PTHREAD_ONCE_INIT;

void slot_give(struct thread_slot *slot)
{
	if (slot->virtual_slot)
		slot_give(slot->virtual_slot);
	slot->virtual_slot = slot->carrier_slot = NULL;
	slot_unjoin(slot);
	atomic_store(&slot->busy, SLOT_FREE);
	lock_take(&free_lock);
	slot->next_free = free_list;
	free_list = slot;
	lock_give(&free_lock);
}

/* The thread ends, and no ThreadEnd event came: none does while nothing is recorded. One may come
 * yet, from the JVM's own destructor: asked again behind that. */
static void thread_gone(void *value)
{
	struct thread_slot *slot = value;

	if (atomic_load(&slot->context) || atomic_load(&slot->unlisted)) {
		pthread_setspecific(key, slot);
		return;
	}
	slot_current = &hidden;
	slot_give(slot);
}

static void make_key(void)
{
	if (pthread_key_create(&key, thread_gone))
		key = (pthread_key_t)-1; /* slots of threads that end unseen are lost */
}

/* Marked busy. NULL without memory. */
static struct thread_slot *take(void)
{
	struct thread_slot *slot;

	lock_take(&free_lock);
	slot = free_list;
	if (slot)
		free_list = slot->next_free;
	lock_give(&free_lock);
	if (!slot) {
		slot = calloc(1, sizeof(*slot));
		if (!slot)
			return NULL;
		slot->next = atomic_load(&all);
		while (!atomic_compare_exchange_weak(&all, &slot->next, slot))
			;
	}
	atomic_store(&slot->busy, SLOT_INSIDE);
	slot_unjoin(slot);
	return slot;
}

struct thread_slot *slot_virtual(struct thread_slot *own)
{
	struct thread_slot *slot = own->virtual_slot;

	if (slot)
		return slot;
	slot = take();
	if (!slot)
		return NULL;
	slot->carrier_slot = own;
	own->virtual_slot = slot;
	/* No event comes in there before it is claimed, which may be never. */
	slot_leave(slot);
	return slot;
}

void slot_unjoin(struct thread_slot *slot)
{
	atomic_store_explicit(&slot->session, NO_SESSION, memory_order_relaxed);
	atomic_store_explicit(&slot->recording, NO_SESSION, memory_order_relaxed);
}

/* Of an earlier recording there may be a context still, whose end did not wait for this thread any longer. */
static void forget_recording(struct thread_slot *slot)
{
	slot->refused = slot->inherited = slot->late = false;
	slot->mounted = NULL;
	atomic_store(&slot->context, NULL);
	atomic_store(&slot->unlisted, NULL);
}

/* What the thread has counts what the trace does by now: a carrier with who is mounted on it. False: no memory. */
static bool follow_metrics(const struct thread_slot *slot)
{
	const struct thread_slot *own = slot->carrier_slot ? slot->carrier_slot : slot;
	struct thread_context *context = slot_context(own);

	if (!context)
		context = atomic_load_explicit(&own->unlisted, memory_order_relaxed);
	return !context || !context_is_narrow(context) || context_widen(context);
}

struct session *slot_claim(struct thread_slot *slot, uint32_t recording)
{
	struct session *session = NULL;
	uint32_t number;

	atomic_store(&slot->busy, SLOT_INSIDE);
	number = session_now();
	/* The stopper may have come between: its fence and this one's meet. If it came just behind, it may
	 * have given up waiting for this thread: then there is no session any more. */
	if (number != 0 && recording_now() == recording)
		session = session_joined();
	if (!session) {
		slot_leave(slot);
		return NULL;
	}
	if (atomic_load(&slot->session) == number)
		return session;
	if (atomic_load(&slot->recording) != recording)
		forget_recording(slot);
	else if (!follow_metrics(slot))
		session = NULL;
	slot->late |= slot->refused;
	slot->refused = false;
	memset(slot->cache, 0, sizeof(slot->cache));
	atomic_store(&slot->recording, recording);
	atomic_store(&slot->session, number);
	if (!session) {
		slot->refused = true;
		slot_shut(slot);
	}
	return session;
}

struct session *slot_hold(struct thread_slot *slot)
{
	struct session *session;

	atomic_store(&slot->busy, SLOT_INSIDE);
	/* As in slot_claim. */
	session = slot_has_joined(slot) ? session_joined() : NULL;
	if (!session)
		slot_leave(slot);
	return session;
}

bool slot_enter_any(struct thread_slot *slot)
{
	if (slot_state(slot) != SLOT_FREE || !slot_hold(slot))
		return false;
	if (slot_context(slot))
		return true;
	slot_leave(slot);
	return false;
}

struct thread_slot *slot_own(uint32_t recording)
{
	struct thread_slot *slot = slot_current;

	if (slot == &hidden && hiding_in != recording && hiding_in != ANY_SESSION)
		slot_current = slot = NULL;
	if (slot)
		return slot_state(slot) == SLOT_INSIDE ? NULL : slot;
	slot_current = slot = take();
	pthread_once(&key_once, make_key);
	if (slot)
		pthread_setspecific(key, slot);
	return slot;
}

/* Behind each edition's number rows are renewed: what was asked for in the one before must not come behind that. */
void slot_want_row(struct thread_context *context, const struct session *session)
{
	uint32_t edition;

	do {
		edition = session_now();
		trace_want_row(context, session_thread_bits(session, &context->row.identity));
	} while (session_now() != edition);
}

void slot_push_found(struct thread_slot *thread, JNIEnv *jni, enum found_frames found)
{
	struct thread_context *context = slot_context(thread);
	jvmtiFrameInfo *frames;
	int innermost = found == FOUND_ALL_BUT_LAST ? 1 : 0;
	int count;

	if (found == FOUND_NONE)
		return;
	count = jvm_stack(&frames);
	for (int i = count - 1; i >= innermost; i--) {
		method_ref ref = slot_method(thread, jni, frames[i].method);

		if (ref != METHOD_REF_EXCLUDED)
			context_found_frame(context, method_ref_id(ref));
	}
	free(frames);
}

/* ---- outside the scope, hidden, paused ---- */

bool slot_in_scope(void)
{
	const struct thread_slot *slot = slot_current;

	return slot && slot != &hidden && slot_state(slot) != SLOT_SHUT &&
	       slot_has_joined(slot);
}

bool slot_is_outside(void)
{
	const struct thread_slot *slot = slot_current;

	return slot && slot_state(slot) == SLOT_SHUT && !slot->refused && slot_has_joined(slot);
}

struct thread_slot *slot_enter_outside(void)
{
	struct thread_slot *slot = slot_current;

	if (!slot_is_outside() || !slot_hold(slot))
		return NULL;
	return slot;
}

void slot_shut(struct thread_slot *thread)
{
	atomic_store_explicit(&thread->busy, SLOT_SHUT, memory_order_release);
}

struct thread_hiding slot_hide_own(void)
{
	struct thread_hiding before = {slot_current, hiding_in};

	hiding_in = ANY_SESSION;
	slot_current = &hidden;
	return before;
}

void slot_show_own(struct thread_hiding before)
{
	slot_current = before.current;
	hiding_in = before.in;
}

bool slot_is_unwanted(void)
{
	const struct thread_slot *slot = slot_current;

	return slot == &hidden ||
	       (slot && slot_state(slot) == SLOT_SHUT && slot_has_joined(slot));
}

struct thread_context *slot_pause(void)
{
	struct thread_slot *thread = slot_current;
	struct thread_context *context;

	if (!thread || !slot_enter_any(thread))
		return NULL;
	context = slot_context(thread);
	context_settle(context);
	context_go_out(context);
	return context;
}

void slot_resume(struct thread_context *context)
{
	if (!context)
		return;
	context_come_in(context);
	slot_leave(slot_current);
}

/* ---- the end of threads and sessions ---- */

struct thread_slot *slot_end(void)
{
	struct thread_slot *slot = slot_current;
	uint32_t recording = recording_now();

	if (!slot || slot == &hidden)
		return NULL;
	if (slot->carrier_slot)
		slot = slot->carrier_slot;
	hiding_in = recording ? recording : NO_SESSION;
	slot_current = &hidden;
	atomic_store(&slot->busy, SLOT_INSIDE);
	pthread_setspecific(key, NULL);
	return slot;
}

void slot_attach(void)
{
	if (slot_current == &hidden && hiding_in != ANY_SESSION)
		slot_current = NULL;
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

/* At most about two seconds. Returns how many are still busy. */
static unsigned wait_for_slots(void)
{
	static const struct timespec pause = {.tv_nsec = 200 * 1000};
	unsigned busy = 1;

	for (int waits = 0; busy > 0 && waits <= 10000; waits++) {
		if (waits > 0)
			nanosleep(&pause, NULL);
		busy = 0;
		for (struct thread_slot *slot = atomic_load(&all); slot; slot = slot->next)
			busy += slot != slot_current && atomic_load(&slot->busy) == SLOT_INSIDE;
	}
	return busy;
}

/* A process with threads may wait 30 ms for that, once, which the end of a recording need not do then. */
static void *register_barrier(void *unused)
{
	pthread_setname_np(pthread_self(), "jprof barrier");
	syscall(SYS_membarrier, MEMBARRIER_CMD_REGISTER_PRIVATE_EXPEDITED, 0, 0);
	return NULL;
}

static void prepare_barrier(void)
{
	static atomic_flag begun = ATOMIC_FLAG_INIT;
	sigset_t every, before;
	pthread_t thread;

	if (atomic_flag_test_and_set(&begun))
		return;
	sigfillset(&every);
	pthread_sigmask(SIG_SETMASK, &every, &before);
	if (pthread_create(&thread, NULL, register_barrier, NULL) == 0)
		pthread_detach(thread);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
}

struct read_value *slot_read_value(struct thread_slot *slot)
{
	if (!slot->read)
		slot->read = calloc(1, sizeof(*slot->read));
	return slot->read;
}

static uint32_t next_number(void)
{
	if (++last_session >= ANY_SESSION)
		last_session = 1;
	return last_session;
}

static void set_number(uint32_t number)
{
	atomic_store(&session_number[session_shape], number);
	atomic_store(&session_number[SHAPE_ANY], number);
}

void slots_begin(struct session *session)
{
	uint32_t number = next_number();

	prepare_barrier();
	session_shape = trace_metrics(session->trace)->shape;
	atomic_store(&joined, session);
	atomic_store(&recording_number, number);
	set_number(number);
}

void slots_outgrow(void)
{
	if (session_shape != SHAPE_ANY)
		atomic_store(&session_number[session_shape], 0);
	session_shape = SHAPE_ANY;
}

void slots_reshape(enum metric_shape shape)
{
	session_shape = shape;
}

void slots_renew(void)
{
	if (session_now() == 0)
		return;
	set_number(next_number());
	barrier_everywhere();
}

unsigned slots_stop(void)
{
	set_number(0);
	atomic_store(&recording_number, 0);
	barrier_everywhere();
	return wait_for_slots();
}

bool slots_end(void)
{
	unsigned busy;

	for (struct thread_slot *slot = atomic_load(&all); slot; slot = slot->next) {
		atomic_store(&slot->context, NULL);
		atomic_store(&slot->unlisted, NULL);
	}
	/* A thread that ends may have taken its context just before. */
	busy = wait_for_slots();
	atomic_store(&joined, NULL);
	return busy == 0;
}
