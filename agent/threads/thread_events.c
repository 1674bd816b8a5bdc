/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/* thread_events: see thread_events.h. */
#include "agent/threads/thread_events.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "agent/io/io_openers.h"
#include "agent/jvm/hotspot.h"
#include "agent/threads/virtual_threads.h"

/* The thread is not recorded in this session. */
static struct thread_slot *refuse(struct thread_slot *slot)
{
	slot->refused = true;
	slot_shut(slot);
	return NULL;
}

/* Gives the slot of a platform thread, which is entered, a context; or shuts it: NULL. */
static struct thread_slot *begin_platform(struct thread_slot *slot,
	const struct session *session, JNIEnv *jni, const struct jvm_thread *description,
	enum found_frames found)
{
	struct thread_identity identity = {.java_id = description->java_id, .os_id = gettid()};
	struct thread_context *context = NULL;

	memcpy(identity.name, description->name, sizeof(identity.name));
	identity.wanted = session_thread_bits(session, &identity);
	if (session_records_thread(session, identity.wanted))
		context = trace_thread_begin(
			session->trace, &identity, hotspot_alloc_source(jni));
	if (!context)
		return refuse(slot);
	/* Rows may have been renewed before this one was among them. */
	if (session_now() != slot->session)
		slot_want_row(context, session);
	atomic_store(&slot->context, context);
	io_opener_known_as(context->row.identity.name);
	slot_push_found(slot, jni, found);
	context_start(context);
	return slot;
}

/* Gives the thread that runs a context; the slot is entered. Returns the thread's own slot, which is another
 * one if the JVM has mounted or unmounted a virtual thread unseen; NULL: it is not recorded in this session,
 * or not now. */
static struct thread_slot *begin_context(struct thread_slot *slot,
	const struct session *session, JNIEnv *jni, jthread thread, enum found_frames found)
{
	struct jvm_thread description;
	uint64_t now[METRIC_MAX];
	bool read = virtual_threads_read(slot, now);

	if (!jvm_describe_thread(jni, thread, &description))
		return refuse(slot);
	if (description.is_virtual)
		return virtual_threads_begin(
			slot, session, jni, &description, found, read ? now : NULL);
	if (!slot->carrier_slot && !virtual_threads_carries(jni, thread))
		return begin_platform(slot, session, jni, &description, found);
	return virtual_threads_leave(slot);
}

/* The calling thread's slot, claimed; *session is what it is for. NULL: there is none now. */
static struct thread_slot *claim_own(const struct session **session)
{
	uint32_t recording = recording_now();
	struct thread_slot *slot = recording ? slot_own(recording) : NULL;

	*session = slot ? slot_claim(slot, recording) : NULL;
	return *session ? slot : NULL;
}

/* The slot, which is entered, has a context of an earlier edition, and goes on. NULL: it is shut, as the thread is
 * outside the session's scope. If there is none any more, the thread comes in. */
static struct thread_slot *come_again(struct thread_slot *slot, const struct session *session,
	JNIEnv *jni, jthread thread, enum found_frames found)
{
	struct thread_context *context = slot_context(slot);

	if (slot->mounted)
		context = virtual_threads_ask_again(slot, session, jni, thread);
	else
		slot_want_row(context, session);
	if (!atomic_load_explicit(&context->outside, memory_order_relaxed))
		return slot;
	if (session_has_scope(session)) {
		slot_shut(slot);
		return NULL;
	}
	slot_push_found(slot, jni, found);
	context_come_in(context);
	return slot;
}

/* Events outside the scope shut the slot: the next ones are turned away at once. */
static struct thread_slot *come(JNIEnv *jni, jthread thread, enum found_frames found)
{
	const struct session *session;
	struct thread_slot *slot = claim_own(&session);

	if (!slot)
		return NULL;
	if (slot_context(slot))
		return come_again(slot, session, jni, thread, found);
	if (session_has_scope(session)) {
		slot_shut(slot);
		return NULL;
	}
	return begin_context(slot, session, jni, thread, found);
}

struct thread_slot *thread_events_join(
	enum metric_shape shape, JNIEnv *jni, jthread thread, enum found_frames found)
{
	struct thread_slot *slot = slot_current, *before = slot;
	int saved_errno = errno;

	/* Most often: shut in this session, or in jprof's own work. */
	if (slot && slot_state(slot) == SLOT_INSIDE && !slot_is_hidden())
		return NULL;
	if (slot && atomic_load_explicit(&slot->session, memory_order_relaxed) == session_now())
		return NULL;
	if (shape != SHAPE_ANY &&
		atomic_load_explicit(&session_number[shape], memory_order_relaxed) == 0)
		return NULL;
	slot = come(jni, thread, found);
	/* It turned out that another thread runs than was thought. */
	if (!slot && slot_current != before)
		slot = come(jni, thread, found);
	/* The metrics have grown meanwhile, and the context with them. */
	if (slot && shape != SHAPE_ANY && slot_context(slot)->set->shape != shape) {
		slot_leave(slot);
		slot = NULL;
	}
	errno = saved_errno;
	return slot;
}

struct thread_slot *thread_events_come_along(enum metric_shape shape, JNIEnv *jni)
{
	const struct thread_slot *slot = slot_current;

	return slot && slot_is_behind(slot) ? thread_events_join(shape, jni, NULL, FOUND_NONE)
					    : NULL;
}

void thread_events_adopt(JNIEnv *jni, jthread thread, enum found_frames found)
{
	struct thread_slot *slot = thread_events_join(SHAPE_ANY, jni, thread, found);

	if (slot)
		slot_leave(slot);
}

void thread_events_thread_start(JNIEnv *jni, jthread thread)
{
	slot_attach();
	thread_events_adopt(jni, thread, FOUND_NONE);
}

/* ---- the session's scope ---- */

/* The calling thread's slot, entered, with a context. Frames below the scope's are not found: they
 * are outside. NULL: it is not to be recorded. */
static struct thread_slot *come_in(JNIEnv *jni, jthread thread)
{
	const struct session *session;
	struct thread_slot *slot = claim_own(&session);

	if (!slot)
		return NULL;
	if (slot->refused)
		return refuse(slot);
	if (!session_has_scope(session)) {
		if (!slot_context(slot))
			slot_unjoin(slot);
		else
			come_again(slot, session, jni, thread, FOUND_NONE);
		slot_leave(slot);
		return NULL;
	}
	return slot_context(slot) ? slot
				  : begin_context(slot, session, jni, thread, FOUND_NONE);
}

void thread_events_enter_scope(
	JNIEnv *jni, jthread thread, method_ref ref, enum call_state state)
{
	int saved_errno = errno;
	const struct thread_slot *before = slot_current;
	struct thread_slot *slot = come_in(jni, thread);

	/* As in thread_events_join. */
	if (!slot && slot_current != before)
		slot = come_in(jni, thread);
	if (slot) {
		context_enter_scope(slot_context(slot), method_ref_id(ref), state,
			method_ref_is_static(ref));
		if (ref & METHOD_REF_WATCHED)
			watched_enter(slot_context(slot), method_ref_id(ref));
		slot_leave(slot);
	}
	errno = saved_errno;
}

void thread_events_leave_scope(struct thread_slot *thread)
{
	struct thread_context *context = slot_context(thread);
	const struct session *session = session_joined();

	if (thread->inherited || !session || !session_has_scope(session) ||
		!context_at_root(context)) {
		slot_leave(thread);
		return;
	}
	context_go_out(context);
	slot_shut(thread);
}

void thread_events_leave_marked(struct thread_slot *thread, method_ref ref, bool unwound)
{
	if (ref & METHOD_REF_WATCHED)
		watched_leave(slot_context(thread), method_ref_id(ref), unwound);
	if (ref & METHOD_REF_SCOPE)
		thread_events_leave_scope(thread);
	else
		slot_leave(thread);
}

void thread_events_inherit_scope(JNIEnv *jni, jthread thread)
{
	struct thread_slot *slot = come_in(jni, thread);

	if (!slot)
		return;
	slot->inherited = true;
	context_come_in(slot_context(slot));
	slot_leave(slot);
}

/* ---- the end of threads ---- */

static void end_context(_Atomic(struct thread_context *) *where, const char *name)
{
	struct thread_context *context = atomic_exchange(where, NULL);

	if (context)
		trace_thread_end(context->trace, context, name);
}

void thread_events_end(JNIEnv *jni, jthread thread)
{
	/* Also while stopping: once the thread is gone, its counters must not be read. */
	struct thread_slot *slot = slot_end();
	struct jvm_thread description;
	bool described;

	if (!slot)
		return;
	described = jvm_describe_thread(jni, thread, &description);
	end_context(&slot->context, described ? description.name : NULL);
	end_context(&slot->unlisted, NULL);
	slot_give(slot);
}
