/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/* virtual_threads: see virtual_threads.h. */
#include "agent/threads/virtual_threads.h"

#include <errno.h>
#include <stdatomic.h>
#include <string.h>
#include <sys/prctl.h>
#include <unistd.h>

#include "agent/jvm/hotspot.h"
#include "agent/log/log.h"
#include "agent/trace/mount.h"

static _Atomic bool watching; /* written where sessions begin and end, one at a time */

/* True if virtual threads without a context are recorded, though nothing is known of them. */
static bool wants_unknown(const struct session *session)
{
	return !session_has_scope(session) &&
	       atomic_load_explicit(&session->took_all, memory_order_relaxed);
}

/* ---- a virtual thread's word: recording, and the number of its context; or edition, and WORD_REFUSED ---- */

enum { WORD_UNKNOWN = 0, WORD_REFUSED = -1 };

static void set_word(uint32_t number, uint32_t value)
{
	jvm_set_thread_word((uint64_t)number << 32 | value);
}

/* WORD_UNKNOWN, WORD_REFUSED, or the context's number + 1. */
static uint32_t word_in(uint32_t recording, uint32_t edition)
{
	uint64_t word = jvm_thread_word();
	uint32_t value = (uint32_t)word;

	return word >> 32 == (value == (uint32_t)WORD_REFUSED ? edition : recording)
		       ? value
		       : (uint32_t)WORD_UNKNOWN;
}

/* True if it was turned away in some edition of the recording that goes on. */
static bool was_refused(uint32_t recording)
{
	uint64_t word = jvm_thread_word();

	return (uint32_t)word == (uint32_t)WORD_REFUSED &&
	       (uint32_t)(word >> 32) - recording <= session_now() - recording;
}

static struct virtual_thread *thread_of(const struct thread_context *carrier, uint32_t word)
{
	if (word == (uint32_t)WORD_UNKNOWN || word == (uint32_t)WORD_REFUSED)
		return NULL;
	return virtual_of(carrier->trace, word - 1);
}

/* ---- the carrier ---- */

static struct thread_context *carrier_of(const struct thread_slot *own)
{
	struct thread_context *context =
		atomic_load_explicit(&own->context, memory_order_relaxed);

	return context ? context : atomic_load_explicit(&own->unlisted, memory_order_relaxed);
}

/* A context for one that has none yet. NULL: no memory. */
static struct thread_context *make_carrier(
	struct thread_slot *own, const struct session *session, JNIEnv *jni)
{
	struct alloc_source alloc = hotspot_alloc_source(jni);
	struct thread_identity identity = {.os_id = gettid()};
	jthread thread = jvm_current_thread();
	jthread carrier = thread ? jvm_carrier_of(thread) : NULL;
	struct thread_context *context;
	struct jvm_thread description;

	if (carrier && jvm_describe_thread(jni, carrier, &description)) {
		identity.java_id = description.java_id;
		memcpy(identity.name, description.name, sizeof(identity.name));
	} else {
		/* The JVM does not tell, but the system. */
		prctl(PR_GET_NAME, identity.name);
	}
	(*jni)->DeleteLocalRef(jni, carrier);
	(*jni)->DeleteLocalRef(jni, thread);
	identity.wanted = session_thread_bits(session, &identity);
	own->refused = !session_records_thread(session, identity.wanted);
	if (own->refused || session_has_scope(session)) {
		context = trace_carrier_begin(session->trace, &identity, alloc);
		atomic_store(&own->unlisted, context);
	} else {
		context = trace_thread_begin(session->trace, &identity, alloc);
		atomic_store(&own->context, context);
	}
	return context;
}

/* A carrier comes to another edition. One that was not recorded may be from now on: then it is made anew. One that was outside
 * the scope comes in, if there is none any more. Returns the state that its slot has between mounts. */
static enum slot_state renew_carrier(
	struct thread_slot *own, const struct session *session, enum slot_state before)
{
	struct thread_context *context = slot_context(own);
	struct thread_context *any = carrier_of(own), *unlisted;

	/* The recording has ended meanwhile, and not waited for this thread. */
	if (!any)
		return before;
	if (context)
		slot_want_row(context, session);
	else
		own->refused = !session_records_thread(
			session, session_thread_bits(session, &any->row.identity));
	if (session_has_scope(session) || own->refused)
		return before;
	unlisted = atomic_exchange(&own->unlisted, NULL);
	if (unlisted)
		trace_thread_end(unlisted->trace, unlisted, NULL);
	if (context && atomic_load_explicit(&context->outside, memory_order_relaxed))
		context_come_in(context);
	return SLOT_FREE;
}

/* ---- a virtual slot comes ---- */

/* A virtual thread runs on the carrier, whose virtual slot becomes the calling thread's. Returns the virtual slot, entered, without a
 * context; NULL: nothing is recorded of it. */
static struct thread_slot *mount_slot(struct thread_slot *own, uint32_t recording, JNIEnv *jni)
{
	bool known = slot_has_joined(own) && carrier_of(own);
	bool behind = known && slot_is_behind(own);
	enum slot_state before = known ? slot_state(own) : SLOT_FREE;
	const struct session *session = slot_claim(own, recording);
	struct thread_slot *virtual = session ? slot_virtual(own) : NULL;
	struct thread_context *carrier;

	if (!session)
		return NULL;
	if (behind)
		before = renew_carrier(own, session, before);
	carrier = virtual ? carrier_of(own) : NULL;
	if (virtual && !carrier)
		carrier = make_carrier(own, session, jni);
	if (carrier) {
		carrier_give_way(carrier);
		virtual->carrier = carrier;
		virtual->mounted_in = recording;
		slot_current = virtual;
	}
	if (!carrier || !slot_claim(virtual, recording)) {
		/* Rather nothing of either than the one's calls among the other's. */
		slot_shut(own);
		return NULL;
	}
	/* One that is not recorded itself stays out. */
	slot_set_state(own, slot_context(own) ? before : SLOT_SHUT);
	virtual->refused = virtual->late = false;
	virtual->mounted = NULL;
	atomic_store(&virtual->context, NULL);
	return virtual;
}

/* ---- and goes ---- */

/* From here on the carrier runs. */
static void leave_carrier(struct thread_slot *virtual)
{
	struct thread_slot *own = virtual->carrier_slot;
	struct thread_context *carrier = virtual->carrier;
	enum slot_state before = slot_state(own);
	const struct session *session;
	bool refused;

	slot_current = own;
	if (virtual->mounted_in != recording_now())
		return;
	session = slot_hold(own);
	if (!session)
		return;
	refused = virtual->refused && virtual->recording == virtual->mounted_in;
	if (virtual->mounted)
		virtual_unmount(carrier, slot_context(virtual), virtual->mounted);
	else
		refused |= !wants_unknown(session) || !virtual_unknown(carrier);
	carrier_resume(carrier, refused);
	virtual->mounted = NULL;
	virtual->mounted_in = 0;
	atomic_store(&virtual->context, NULL);
	slot_set_state(own, before);
}

/* ---- first events ---- */

bool virtual_threads_read(const struct thread_slot *slot, uint64_t *now)
{
	if (!slot->carrier_slot || slot->mounted_in != slot->recording)
		return false;
	carrier_read(slot->carrier, now);
	if (slot->late)
		context_start_at(slot->carrier, now);
	return true;
}

static struct thread_identity identity_of(
	const struct session *session, const struct jvm_thread *description)
{
	struct thread_identity identity = {.java_id = description->java_id, .is_virtual = true};

	memcpy(identity.name, description->name, sizeof(identity.name));
	identity.wanted = session_thread_bits(session, &identity);
	return identity;
}

/* The mounted thread's lane, of the group for the sessions that want it. One that no session wants stays in its group, which may be
 * nobody's by now. As slot_want_row. */
static struct thread_context *group_again(struct thread_slot *slot, struct thread_context *lane,
	const struct session *session, const struct jvm_thread *description)
{
	struct thread_identity identity;
	uint32_t edition;

	do {
		edition = session_now();
		identity = identity_of(session, description);
		if (identity.wanted != 0)
			lane = virtual_regroup(slot->carrier, lane, slot->mounted, &identity);
	} while (session_now() != edition);
	return lane;
}

struct thread_context *virtual_threads_ask_again(
	struct thread_slot *slot, const struct session *session, JNIEnv *jni, jthread thread)
{
	struct thread_context *lane = slot_context(slot);
	struct jvm_thread description;

	if (slot->mounted->asked == slot->session)
		return lane;
	slot->mounted->asked = slot->session;
	if (!jvm_describe_thread(jni, thread, &description))
		return lane;
	lane = group_again(slot, lane, session, &description);
	atomic_store_explicit(&slot->context, lane, memory_order_relaxed);
	return lane;
}

/* The virtual slot's thread gets its context. */
static struct thread_slot *begin_mounted(struct thread_slot *virtual,
	const struct session *session, JNIEnv *jni, const struct jvm_thread *description,
	enum found_frames found, const uint64_t *now)
{
	const struct thread_identity identity = identity_of(session, description);
	struct thread_context *lane = NULL;
	bool outside = session_has_scope(session);

	if (session_records_thread(session, identity.wanted))
		lane = virtual_begin(virtual->carrier, &identity, outside,
			now ? now : virtual->carrier->last, &virtual->mounted);
	if (!lane) {
		set_word(virtual->session, (uint32_t)WORD_REFUSED);
		virtual->refused = true;
		slot_shut(virtual);
		return NULL;
	}
	virtual->mounted->asked = virtual->session;
	if (session_now() != virtual->session)
		lane = group_again(virtual, lane, session, description);
	set_word(virtual->mounted_in, virtual->mounted->number + 1);
	atomic_store(&virtual->context, lane);
	slot_push_found(virtual, jni, found);
	if (!outside)
		context_spend_all(lane);
	return virtual;
}

/* ---- mounts ---- */

/* The virtual slot is entered; its thread has a context, or is not to be recorded. */
static void mount_known(struct thread_slot *virtual, uint32_t word, JNIEnv *jni)
{
	const struct session *session = session_joined();
	struct virtual_thread *thread = thread_of(virtual->carrier, word);
	struct thread_context *lane = thread ? virtual_mount(virtual->carrier, thread) : NULL;

	virtual->refused = !lane;
	if (lane) {
		virtual->mounted = thread;
		atomic_store_explicit(&virtual->context, lane, memory_order_relaxed);
		lane = virtual_threads_ask_again(virtual, session, jni, NULL);
	}
	/* There was a scope when it was unmounted. */
	if (lane && thread->outside && !session_has_scope(session)) {
		context_come_in(lane);
		thread->outside = false;
	}
	slot_set_state(virtual, !lane || thread->outside ? SLOT_SHUT : SLOT_FREE);
}

/* Where calls are not recorded there may be no event but this: nothing is waited for. */
static void mount_unknown(struct thread_slot *virtual, JNIEnv *jni)
{
	const struct session *session = session_joined();
	struct jvm_thread description;

	if (!session || session_has_events(session) ||
		!jvm_describe_thread(jni, NULL, &description)) {
		slot_unjoin(virtual);
		slot_leave(virtual);
		return;
	}
	if (begin_mounted(virtual, session, jni, &description, FOUND_NONE, NULL))
		slot_leave(virtual);
}

/* ---- the events ---- */

/* The slot of the platform thread that the calling thread is, or runs on. NULL: there is none to be had
 * now. */
static struct thread_slot *own_slot(uint32_t recording)
{
	struct thread_slot *slot = recording ? slot_own(recording) : NULL;

	return slot && slot->carrier_slot ? slot->carrier_slot : slot;
}

static void (*_Atomic told)(void);

void virtual_threads_tell(void (*mounts)(void))
{
	atomic_store(&told, mounts);
}

/* Who listens, and whether anybody does. */
static _Atomic(virtual_moves) unmount_told, mount_told;

void virtual_threads_listen(virtual_moves when_unmounted, virtual_moves when_mounted)
{
	atomic_store(&unmount_told, when_unmounted);
	atomic_store(&mount_told, when_mounted);
}

static void JNICALL on_mount(jvmtiEnv *jvmti, ...)
{
	virtual_moves listener;
	jthread thread;
	void (*tell)(void) = atomic_load_explicit(&told, memory_order_relaxed);
	struct thread_slot *own, *virtual;
	uint32_t recording = recording_now(), word;
	int saved_errno = errno;
	va_list arguments;
	JNIEnv *jni;

	if (recording == 0)
		return;
	if (__builtin_expect(tell != NULL, 0) &&
		atomic_compare_exchange_strong(&told, &tell, NULL))
		tell();
	va_start(arguments, jvmti);
	jni = va_arg(arguments, JNIEnv *);
	thread = va_arg(arguments, jthread);
	va_end(arguments);
	if (slot_current && slot_current->carrier_slot)
		leave_carrier(slot_current); /* if it did not, it still runs */
	own = own_slot(recording);
	virtual = own ? mount_slot(own, recording, jni) : NULL;
	word = virtual ? word_in(recording, virtual->session) : 0;
	if (virtual && word == (uint32_t)WORD_UNKNOWN)
		mount_unknown(virtual, jni);
	else if (virtual)
		mount_known(virtual, word, jni);
	listener = atomic_load_explicit(&mount_told, memory_order_relaxed);
	if (listener)
		listener(jni, thread);
	errno = saved_errno;
}

static void JNICALL on_unmount(jvmtiEnv *jvmti, ...)
{
	virtual_moves listener = atomic_load_explicit(&unmount_told, memory_order_relaxed);
	struct thread_slot *virtual = slot_current;
	int saved_errno = errno;

	if (listener) {
		va_list arguments;
		JNIEnv *jni;

		va_start(arguments, jvmti);
		jni = va_arg(arguments, JNIEnv *);
		listener(jni, va_arg(arguments, jthread));
		va_end(arguments);
	}
	/* Mounted before the session began, and without an event in it. */
	if (!virtual || !virtual->carrier_slot)
		return;
	leave_carrier(virtual);
	errno = saved_errno;
}

void JNICALL virtual_threads_end(jvmtiEnv *jvmti, JNIEnv *jni, jthread thread)
{
	uint32_t recording = recording_now(), word;
	const struct session *session;
	struct thread_context *carrier;
	enum slot_state before;
	struct thread_slot *own;
	int saved_errno = errno;

	if (slot_current && slot_current->carrier_slot)
		leave_carrier(slot_current); /* a JVM that does not unmount first */
	/* A carrier that has no slot, or has not joined, has nothing of the thread: it is not given one. */
	own = slot_current && slot_current->carrier_slot ? slot_current->carrier_slot
							 : slot_current;
	if (recording && own && slot_state(own) != SLOT_INSIDE && slot_has_joined(own)) {
		before = slot_state(own);
		word = word_in(recording, 0);
		session = was_refused(recording) ? NULL : slot_hold(own);
		carrier = carrier_of(own);
		if (session && carrier &&
			(word != (uint32_t)WORD_UNKNOWN || wants_unknown(session)))
			virtual_end(carrier, thread_of(carrier, word));
		if (session)
			slot_set_state(own, before);
	}
	errno = saved_errno;
}

/* ---- threads that were mounted before, or are not what they were thought to be ---- */

/* The next event asks again. A slot with a context that is in no row stays in the session, or it
 * would be forgotten. */
static void leave(struct thread_slot *slot)
{
	if (atomic_load_explicit(&slot->unlisted, memory_order_relaxed)) {
		slot_shut(slot);
		return;
	}
	slot_unjoin(slot);
	slot_leave(slot);
}

/* This JVM has virtual threads, but does not say when they are mounted. */
static struct thread_slot *refuse_virtual(struct thread_slot *slot)
{
	static atomic_flag said = ATOMIC_FLAG_INIT;

	if (!atomic_flag_test_and_set(&said))
		log_line(LOG_WARN,
			"this JVM does not say when virtual threads run: they and their "
			"carriers are not recorded");
	slot->refused = true;
	slot_shut(slot);
	return NULL;
}

struct thread_slot *virtual_threads_begin(struct thread_slot *slot,
	const struct session *session, JNIEnv *jni, const struct jvm_thread *description,
	enum found_frames found, const uint64_t *now)
{
	uint32_t recording = slot->recording;
	struct thread_slot *virtual = slot;

	if (!watching)
		return refuse_virtual(slot);
	/* Mounted before this could be seen. */
	if (!slot->carrier_slot || slot->mounted_in != recording) {
		struct thread_slot *own = slot->carrier_slot ? slot->carrier_slot : slot;

		leave(slot);
		virtual = mount_slot(own, recording, jni);
		now = NULL;
	}
	return virtual ? begin_mounted(virtual, session, jni, description, found, now) : NULL;
}

bool virtual_threads_carries(JNIEnv *jni, jthread thread)
{
	jthread current = !watching || thread ? NULL : jvm_current_thread();
	bool carries = false;

	if (watching && (thread || current))
		carries = jvm_carries(jni, thread ? thread : current);
	(*jni)->DeleteLocalRef(jni, current);
	return carries;
}

struct thread_slot *virtual_threads_leave(struct thread_slot *slot)
{
	if (slot->carrier_slot && slot->mounted_in != slot->recording)
		slot_current = slot->carrier_slot;
	leave(slot);
	return NULL;
}

/* ---- on and off ---- */

void virtual_threads_watch(bool on)
{
	struct error error = {0};
	bool mounts, unmounts;

	if (!on && !watching)
		return;
	if (on && !jvm_support_virtual_threads())
		return;
	unmounts = jvm_enable_extension(
		"com.sun.hotspot.events.VirtualThreadUnmount", on ? on_unmount : NULL);
	mounts = jvm_enable_extension(
		"com.sun.hotspot.events.VirtualThreadMount", on ? on_mount : NULL);
	watching = on && mounts && unmounts;
	if (jvm_enable((jvmtiEvent)JVM_VIRTUAL_THREAD_END, watching, &error))
		log_line(LOG_WARN, "%s", error.text);
}
