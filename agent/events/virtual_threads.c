/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/* virtual_threads: see virtual_threads.h. */
#include "agent/events/virtual_threads.h"

#include <errno.h>
#include <stdatomic.h>
#include <string.h>
#include <sys/prctl.h>
#include <unistd.h>

#include "agent/jvm/hotspot.h"
#include "agent/log/log.h"
#include "agent/trace/mount.h"

static _Atomic bool watching; /* written where sessions begin and end, one at a time */

static uint32_t session_now(void)
{
	return atomic_load_explicit(&thread_events_session, memory_order_acquire);
}

static void set_state(struct thread_events *place, enum place_state state)
{
	atomic_store_explicit(&place->busy, state, memory_order_release);
}

/* True if virtual threads without a context are recorded, though nothing is known of them. */
static bool wants_unknown(const struct session *session)
{
	return !session_has_scope(session) && session->options.threads.count == 0;
}

/* ---- a virtual thread's word: session, and the number of its context ---- */

enum { WORD_UNKNOWN = 0, WORD_REFUSED = -1 };

static void set_word(uint32_t session, uint32_t value)
{
	jvm_set_thread_word(&events.jvm, (uint64_t)session << 32 | value);
}

/* WORD_UNKNOWN, WORD_REFUSED, or the context's number + 1. */
static uint32_t word_in(uint32_t session)
{
	uint64_t word = jvm_thread_word(&events.jvm);

	return word >> 32 == session ? (uint32_t)word : (uint32_t)WORD_UNKNOWN;
}

static struct virtual_thread *thread_of(const struct thread_context *carrier, uint32_t word)
{
	if (word == (uint32_t)WORD_UNKNOWN || word == (uint32_t)WORD_REFUSED)
		return NULL;
	return virtual_of(carrier->trace, word - 1);
}

/* ---- the carrier ---- */

static struct thread_context *carrier_of(const struct thread_events *host)
{
	struct thread_context *context = atomic_load_explicit(&host->context, memory_order_relaxed);

	return context ? context : atomic_load_explicit(&host->unlisted, memory_order_relaxed);
}

/* Where the JVM does not tell, what the system calls it. */
static void describe_carrier(JNIEnv *jni, struct thread_identity *identity)
{
	jthread thread = jvm_current_thread(&events.jvm);
	jthread carrier = thread ? jvm_carrier_of(&events.jvm, thread) : NULL;
	struct jvm_thread description;

	*identity = (struct thread_identity){.os_id = gettid()};
	if (carrier && jvm_describe_thread(&events.jvm, jni, carrier, &description)) {
		identity->java_id = description.java_id;
		memcpy(identity->name, description.name, sizeof(identity->name));
	} else {
		prctl(PR_GET_NAME, identity->name);
	}
	(*jni)->DeleteLocalRef(jni, carrier);
	(*jni)->DeleteLocalRef(jni, thread);
}

/* Its context, made if it has not been seen yet. NULL: no memory. */
static struct thread_context *make_carrier(
	struct thread_events *host, const struct session *session, JNIEnv *jni)
{
	struct thread_context *context = carrier_of(host);
	struct alloc_source alloc = hotspot_alloc_source(jni);
	struct thread_identity identity;

	if (context)
		return context;
	describe_carrier(jni, &identity);
	host->refused = !session_wants_thread(session, &identity);
	if (host->refused || session_has_scope(session)) {
		context = trace_carrier_begin(session->trace, &identity, alloc);
		atomic_store(&host->unlisted, context);
	} else {
		context = trace_thread_begin(session->trace, &identity, alloc);
		atomic_store(&host->context, context);
	}
	return context;
}

/* Its place, which is entered. */
static enum place_state state_after(const struct thread_events *host, enum place_state before)
{
	bool listed = atomic_load_explicit(&host->context, memory_order_relaxed) != NULL;

	return listed ? before : PLACE_SHUT;
}

/* ---- a guest comes ---- */

/* The carrier is entered: its guest takes over. NULL: no memory. */
static struct thread_events *take_over(struct thread_events *host, uint32_t number,
	const struct session *session, JNIEnv *jni)
{
	struct thread_events *guest = thread_events_guest(host);
	struct thread_context *carrier = guest ? make_carrier(host, session, jni) : NULL;

	if (!carrier)
		return NULL;
	carrier_give_way(carrier);
	guest->carrier = carrier;
	guest->mounted_in = number;
	thread_events_current = guest;
	return thread_events_claim(guest, number) ? guest : NULL;
}

/* A virtual thread runs on the carrier. Returns the guest, entered, without a context; NULL: nothing is
 * recorded of it. */
static struct thread_events *step_aside(struct thread_events *host, uint32_t number, JNIEnv *jni)
{
	bool known = atomic_load_explicit(&host->session, memory_order_relaxed) == number &&
		     carrier_of(host);
	enum place_state before =
		known ? (enum place_state)atomic_load(&host->busy) : PLACE_FREE;
	const struct session *session;
	struct thread_events *guest;

	if (!thread_events_claim(host, number))
		return NULL;
	session = events_session();
	if (!session) {
		thread_events_unjoin(host);
		set_state(host, PLACE_FREE);
		return NULL;
	}
	guest = take_over(host, number, session, jni);
	if (!guest) {
		/* Rather nothing of either than the one's calls among the other's. */
		set_state(host, PLACE_SHUT);
		return NULL;
	}
	set_state(host, state_after(host, before));
	guest->refused = false;
	guest->mounted = NULL;
	atomic_store(&guest->context, NULL);
	return guest;
}

/* The guest is entered; its thread has a context, or is not to be recorded. */
static void seat(struct thread_events *guest, uint32_t word)
{
	struct virtual_thread *thread = thread_of(guest->carrier, word);
	struct thread_context *lane = thread ? virtual_mount(guest->carrier, thread) : NULL;

	guest->refused = !lane;
	if (lane) {
		guest->mounted = thread;
		atomic_store_explicit(&guest->context, lane, memory_order_relaxed);
	}
	set_state(guest, !lane || thread->outside ? PLACE_SHUT : PLACE_FREE);
}

/* ---- and goes ---- */

static void take_off(struct thread_events *guest, const struct session *session)
{
	struct thread_context *carrier = guest->carrier;
	bool refused = guest->refused && guest->session == guest->mounted_in;

	if (guest->mounted)
		virtual_unmount(carrier, thread_events_context(guest), guest->mounted);
	else
		refused |= !wants_unknown(session) || !virtual_unknown(carrier);
	carrier_resume(carrier, refused);
}

/* Whoever runs on from here is the carrier. */
static void leave_carrier(struct thread_events *guest)
{
	struct thread_events *host = guest->host;
	enum place_state before = (enum place_state)atomic_load(&host->busy);
	const struct session *session;
	uint32_t number = session_now();

	thread_events_current = host;
	if (number == 0 || guest->mounted_in != number || !thread_events_claim(host, number))
		return;
	session = events_session();
	if (session)
		take_off(guest, session);
	guest->mounted = NULL;
	guest->mounted_in = 0;
	atomic_store(&guest->context, NULL);
	set_state(host, before);
}

/* ---- first events ---- */

bool virtual_threads_read(const struct thread_events *place, uint64_t *now)
{
	if (!place->host || place->mounted_in != place->session)
		return false;
	carrier_read(place->carrier, now);
	return true;
}

static struct thread_events *refuse(struct thread_events *guest)
{
	set_word(guest->mounted_in, (uint32_t)WORD_REFUSED);
	guest->refused = true;
	set_state(guest, PLACE_SHUT);
	return NULL;
}

/* The guest's thread gets its context. */
static struct thread_events *begin_seated(struct thread_events *guest,
	const struct session *session, JNIEnv *jni, const struct jvm_thread *description,
	enum found_frames found, const uint64_t *now)
{
	struct thread_identity identity = {.java_id = description->java_id, .is_virtual = true};
	struct thread_context *lane = NULL;
	bool outside = session_has_scope(session);

	memcpy(identity.name, description->name, sizeof(identity.name));
	if (session_wants_thread(session, &identity))
		lane = virtual_begin(guest->carrier, &identity, outside,
			now ? now : guest->carrier->last, &guest->mounted);
	if (!lane)
		return refuse(guest);
	set_word(guest->mounted_in, guest->mounted->number + 1);
	atomic_store(&guest->context, lane);
	thread_events_push_found(guest, jni, found);
	if (!outside)
		context_spend_all(lane);
	return guest;
}

/* Where calls are not recorded there may be no event but this: nothing is waited for. */
static void seat_unknown(struct thread_events *guest, JNIEnv *jni)
{
	const struct session *session = events_session();
	struct jvm_thread description;

	if (!session || session->options.calls != CALLS_OFF ||
		!jvm_describe_thread(&events.jvm, jni, NULL, &description)) {
		thread_events_unjoin(guest);
		set_state(guest, PLACE_FREE);
		return;
	}
	if (begin_seated(guest, session, jni, &description, FOUND_NONE, NULL))
		thread_events_leave(guest);
}

/* ---- the events ---- */

static void JNICALL on_mount(jvmtiEnv *jvmti, ...)
{
	struct thread_events *host, *guest;
	uint32_t number = session_now(), word;
	int saved_errno = errno;
	va_list arguments;
	JNIEnv *jni;

	if (number == 0)
		return;
	va_start(arguments, jvmti);
	jni = va_arg(arguments, JNIEnv *);
	va_end(arguments);
	if (thread_events_current && thread_events_current->host)
		leave_carrier(thread_events_current); /* if it did not, nobody else came */
	host = thread_events_own();
	guest = host ? step_aside(host, number, jni) : NULL;
	word = guest ? word_in(number) : 0;
	if (guest && word == (uint32_t)WORD_UNKNOWN)
		seat_unknown(guest, jni);
	else if (guest)
		seat(guest, word);
	errno = saved_errno;
}

static void JNICALL on_unmount(jvmtiEnv *jvmti, ...)
{
	struct thread_events *guest = thread_events_current;
	int saved_errno = errno;

	(void)jvmti;
	/* Mounted before the session began, and without an event in it. */
	if (!guest || !guest->host)
		return;
	leave_carrier(guest);
	errno = saved_errno;
}

/* It was unmounted before. */
static void end_on(struct thread_events *host, uint32_t number)
{
	enum place_state before = (enum place_state)atomic_load(&host->busy);
	uint32_t word = word_in(number);
	const struct session *session;
	struct thread_context *carrier;

	if (word == (uint32_t)WORD_REFUSED || !thread_events_claim(host, number))
		return;
	session = events_session();
	carrier = carrier_of(host);
	if (session && carrier && (word != (uint32_t)WORD_UNKNOWN || wants_unknown(session)))
		virtual_end(carrier, thread_of(carrier, word));
	set_state(host, before);
}

void JNICALL virtual_threads_end(jvmtiEnv *jvmti, JNIEnv *jni, jthread thread)
{
	uint32_t number = session_now();
	struct thread_events *host;
	int saved_errno = errno;

	(void)jvmti;
	(void)jni;
	(void)thread;
	if (thread_events_current && thread_events_current->host)
		leave_carrier(thread_events_current); /* a JVM that does not unmount first */
	host = thread_events_own();
	if (host && number != 0 &&
		atomic_load_explicit(&host->session, memory_order_relaxed) == number)
		end_on(host, number);
	errno = saved_errno;
}

/* ---- threads that were mounted before, or are not what they were thought to be ---- */

/* The next event asks again. A place with a context that nobody is shown stays in the session, or it
 * would be forgotten. */
static void leave(struct thread_events *place)
{
	if (atomic_load_explicit(&place->unlisted, memory_order_relaxed)) {
		set_state(place, PLACE_SHUT);
		return;
	}
	thread_events_unjoin(place);
	set_state(place, PLACE_FREE);
}

/* This JVM has virtual threads, but does not say when they are mounted. */
static struct thread_events *give_up(struct thread_events *place)
{
	static atomic_flag said = ATOMIC_FLAG_INIT;

	if (!atomic_flag_test_and_set(&said))
		log_line(LOG_WARN, "this JVM does not say when virtual threads run: they and their "
				   "carriers are not recorded");
	place->refused = true;
	set_state(place, PLACE_SHUT);
	return NULL;
}

struct thread_events *virtual_threads_begin(struct thread_events *place,
	const struct session *session, JNIEnv *jni, const struct jvm_thread *description,
	enum found_frames found, const uint64_t *now)
{
	uint32_t number = place->session;
	struct thread_events *guest = place;

	if (!watching)
		return give_up(place);
	/* Mounted before this could be seen. */
	if (!place->host || place->mounted_in != number) {
		struct thread_events *host = place->host ? place->host : place;

		leave(place);
		guest = step_aside(host, number, jni);
		now = NULL;
	}
	return guest ? begin_seated(guest, session, jni, description, found, now) : NULL;
}

bool virtual_threads_carries(JNIEnv *jni, jthread thread)
{
	jthread current = !watching || thread ? NULL : jvm_current_thread(&events.jvm);
	bool carries = false;

	if (watching && (thread || current))
		carries = jvm_carries(jni, thread ? thread : current);
	(*jni)->DeleteLocalRef(jni, current);
	return carries;
}

struct thread_events *virtual_threads_leave(struct thread_events *place)
{
	if (place->host && place->mounted_in != place->session)
		thread_events_current = place->host;
	leave(place);
	return NULL;
}

/* ---- on and off ---- */

void virtual_threads_watch(struct jvm *jvm, bool on)
{
	struct error error = {0};
	bool mounts, unmounts;

	if (!on && !watching)
		return;
	if (on && !jvm_support_virtual_threads(jvm))
		return;
	unmounts = jvm_enable_extension(jvm, "com.sun.hotspot.events.VirtualThreadUnmount",
		on ? on_unmount : NULL);
	mounts = jvm_enable_extension(
		jvm, "com.sun.hotspot.events.VirtualThreadMount", on ? on_mount : NULL);
	watching = on && mounts && unmounts;
	if (jvm_enable(jvm, (jvmtiEvent)JVM_VIRTUAL_THREAD_END, watching, &error))
		log_line(LOG_WARN, "%s", error.text);
}
