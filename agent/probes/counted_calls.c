/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/*
 * counted_calls: see counted_calls.h.
 *
 * Runs: in the thread that counts, or begins or ends. A thread's entry in the register is written by itself, and by
 *       the end of a recording, when nothing looks at it.
 */
#include "agent/probes/counted_calls.h"

#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "agent/log/log.h"
#include "agent/methods/plan.h"
#include "agent/probes/checked_probe_class.h" /* both made of JprofProbe.java */
#include "agent/probes/unchecked_probe_class.h"
#include "agent/threads/thread_events.h"
#include "agent/threads/threads.h"
#include "agent/threads/virtual_threads.h"

/* As in JprofProbe: how many entries the register has, and the number of those that are free. */
enum { SIZE = 1 << 12, FREE = -1 };

static jlongArray reg;     /* JprofProbe.REGISTER; NULL: this JVM is not one for it */
static jclass probe_class; /* global reference */
static _Atomic int64_t registered[SIZE]; /* the numbers in it; 0: the entry is free */
static __thread int64_t own_number; /* of the calling thread, if it is, or was, registered */

bool counted_calls_learn(JNIEnv *jni, jclass probe)
{
	jfieldID number = (*jni)->GetStaticFieldID(jni, probe, "NUMBER", "J");
	jfieldID array_field =
		number ? (*jni)->GetStaticFieldID(jni, probe, "REGISTER", "[J") : NULL;
	jobject array = NULL;

	if (array_field && (*jni)->GetStaticLongField(jni, probe, number) > 0)
		array = (*jni)->GetStaticObjectField(jni, probe, array_field);
	(*jni)->ExceptionClear(jni);
	if (array && !reg) {
		reg = (*jni)->NewGlobalRef(jni, array);
		probe_class = (*jni)->NewGlobalRef(jni, probe);
	}
	(*jni)->DeleteLocalRef(jni, array);
	return reg != NULL;
}

bool counted_calls_possible(void)
{
	return reg != NULL;
}

jlong JNICALL counted_calls_blocks(JNIEnv *jni, jclass probe)
{
	return (jlong)(uintptr_t)counts_blocks();
}

/* ---- checked, or not ---- */

static _Atomic bool checked = true; /* what the class is, or is about to become */
static _Atomic bool turning;        /* a turn has begun, in this recording: one at most */
static _Atomic bool turned = true; /* it is checked, or cannot become so: nobody waits for it */

/* Threads that begin while the class becomes checked are registered already; while it becomes unchecked, none begins to
 * count. 0, or a negative code, and the class is what it was. */
static int set_checked(bool wanted, struct error *error)
{
	const unsigned char *bytes = wanted ? checked_probe_class : unchecked_probe_class;
	size_t size = wanted ? sizeof(checked_probe_class) : sizeof(unchecked_probe_class);
	int code;

	if (atomic_load(&checked) == wanted)
		return 0;
	if (wanted)
		atomic_store(&checked, true);
	code = jvm_redefine(probe_class, bytes, size, error);
	if (code == 0)
		atomic_store(&checked, wanted);
	return code;
}

/* Counts that may be wrong are said to be, once. */
static void say_wrong(const char *why)
{
	static atomic_flag said = ATOMIC_FLAG_INIT;

	if (!atomic_flag_test_and_set(&said))
		log_line(LOG_ERROR, "calls may be counted wrongly from now on: %s", why);
}

/* Threads that count unchecked are registered as they count for the first time checked; what virtual threads have counted in
 * blocks of their own is swept, when those that were within JprofProbe.count as it changed have left it. */
static void *turn(void *nothing)
{
	enum { TO_LEAVE_US = 20000 };
	struct thread_hiding before = slot_hide_own();
	struct error error = {0};
	struct session *session;
	bool attached;

	pthread_setname_np(pthread_self(), "jprof counts");
	if (!jvm_enter(&attached)) {
		say_wrong("the JVM lets no thread of jprof's in");
	} else {
		if (set_checked(true, &error))
			say_wrong(error.text);
		jvm_leave(attached);
		usleep(TO_LEAVE_US);
	}
	session = threads_look();
	if (session) {
		trace_sweep_counts(session->trace);
		threads_leave();
	}
	atomic_store(&turned, true);
	slot_show_own(before);
	return nothing;
}

/* Blocks would not do any longer. At once, from any thread; by a thread of jprof's own, as the caller may be where the JVM
 * cannot change classes. */
static void turn_to_checked(void)
{
	sigset_t all, before;
	pthread_t thread;

	if (atomic_load(&checked) || atomic_exchange(&turning, true))
		return;
	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &before);
	if (pthread_create(&thread, NULL, turn, NULL)) {
		say_wrong("no thread could be made");
		atomic_store(&turned, true);
	} else {
		pthread_detach(thread);
	}
	pthread_sigmask(SIG_SETMASK, &before, NULL);
}

/* Begins a turn, and waits for it. False: it takes longer. */
static bool await_turn(int patience_ms)
{
	turn_to_checked();
	for (int ms = 0; ms < patience_ms && !atomic_load(&turned); ms++)
		usleep(1000);
	return atomic_load(&turned);
}

/* The thread of that number, which begins, must not count before its block is its own. */
static void make_room_for(int64_t number)
{
	enum { NEARLY = COUNT_BLOCKS - COUNT_BLOCKS / 8, PATIENCE_MS = 1000 };

	if (number < NEARLY || atomic_load(&turned))
		return;
	if (number < COUNT_BLOCKS) {
		turn_to_checked();
	} else if (!await_turn(PATIENCE_MS)) {
		say_wrong("too many threads began at once");
		atomic_store(&turned, true);
	}
}

/* Thread's constructor runs in threads that are attached before they have a number. */
static bool counts_in_constructor(void)
{
	return plan_reaches("java.lang.Thread", true, PLAN_ALL_SESSIONS);
}

/* Only where every thread is known from its beginning, is recorded, and has a number by the time that it counts. */
static bool may_be_unchecked(const struct session *session)
{
	return session->from_start && !session_has_scope(session) &&
	       session->options.threads.count == 0 && !counts_in_constructor() &&
	       counts_blocks();
}

static void find_thread(struct session *session, const struct jvm_thread *description)
{
	struct thread_identity identity = {.java_id = description->java_id};

	memcpy(identity.name, description->name, sizeof(identity.name));
	identity.wanted = session_thread_bits(session, &identity);
	trace_thread_found(session->trace, &identity, description->java_id);
}

/* Those that are there before the first one is told of. */
static void find_threads(JNIEnv *jni, struct session *session)
{
	jthread *threads, current = jvm_current_thread();
	int count = jvm_live_threads(&threads);
	struct jvm_thread description;

	for (int i = 0; i < count; i++) {
		if (!(*jni)->IsSameObject(jni, threads[i], current) &&
			jvm_describe_thread(jni, threads[i], &description))
			find_thread(session, &description);
		(*jni)->DeleteLocalRef(jni, threads[i]);
	}
	(*jni)->DeleteLocalRef(jni, current);
	free(threads);
}

/* ---- the register ---- */

static void write_entry(JNIEnv *jni, int64_t thread, int64_t number)
{
	(*jni)->SetLongArrayRegion(jni, reg, (jsize)(thread % SIZE), 1, &(jlong){number});
}

/* The calling thread, of that number, counts in its own bytecode from now on, if its entry is free and memory is to be had.
 * Its slot is entered. Not a virtual thread, and none where calls are counted within a scope alone. */
static void register_thread(JNIEnv *jni, struct thread_slot *slot, int64_t thread)
{
	const struct session *session = session_joined();
	struct thread_context *context = slot_context(slot);
	int64_t none = 0;

	if (slot->carrier_slot || thread <= 0 || !session || !counts_blocks() ||
		session_has_scope(session) || atomic_load(&registered[thread % SIZE]) == thread)
		return;
	if (!atomic_load(&checked)) {
		/* It counts there in any case. */
		if (!context_open_counts(context, thread, MEMORY_ORDINARY)) {
			turn_to_checked();
			context_open_counts(context, thread, MEMORY_FORCED);
		}
		return;
	}
	if (!atomic_compare_exchange_strong(&registered[thread % SIZE], &none, thread))
		return;
	if (context_open_counts(context, thread, MEMORY_ORDINARY)) {
		own_number = thread;
		write_entry(jni, thread, thread);
	} else {
		atomic_store(&registered[thread % SIZE], 0);
	}
}

static void unregister_thread(JNIEnv *jni)
{
	int64_t thread = own_number;

	own_number = 0;
	if (thread == 0 || atomic_load(&registered[thread % SIZE]) != thread)
		return;
	write_entry(jni, thread, FREE);
	atomic_store(&registered[thread % SIZE], 0);
}

/* ---- threads ---- */

void JNICALL counted_calls_probe(JNIEnv *jni, jclass probe, jint method, jlong thread)
{
	struct thread_slot *slot = thread_events_begin(SHAPE_ANY, jni, NULL, FOUND_NONE);

	if (!slot)
		return;
	context_count(slot_context(slot), method_ref_id((method_ref)method));
	register_thread(jni, slot, thread);
	slot_leave(slot);
}

void counted_calls_native(JNIEnv *jni, uint32_t method)
{
	struct thread_slot *slot = thread_events_begin(SHAPE_ANY, jni, NULL, FOUND_NONE);

	if (!slot)
		return;
	context_count(slot_context(slot), method);
	slot_leave(slot);
}

static void thread_begins(JNIEnv *jni, int64_t thread, const char *name)
{
	make_room_for(thread);
	counted_calls_join(jni, thread);
}

void counted_calls_join(JNIEnv *jni, int64_t thread)
{
	struct thread_slot *slot = slot_current;

	if (!slot || !slot_enter_any(slot))
		return;
	register_thread(jni, slot, thread);
	slot_leave(slot);
}

static void thread_ends(JNIEnv *jni)
{
	unregister_thread(jni);
}

int counted_calls_begin(JNIEnv *jni, struct session *session, struct error *error)
{
	static const struct threads_told told = {thread_begins, thread_ends};
	bool unchecked = may_be_unchecked(session);

	/* Checked it counts as well, if more dearly. */
	if (unchecked)
		unchecked = set_checked(false, &(struct error){0}) == 0;
	else if (set_checked(true, error))
		return -ERROR_JVM;
	if (!counts_blocks())
		log_line(LOG_WARN,
			"the system gives no addresses for counters: each call is counted "
			"natively, at some 20 ns");
	atomic_store(&turning, false);
	atomic_store(&turned, !unchecked);
	threads_tell(TOLD_COUNTER, &told);
	if (unchecked) {
		virtual_threads_tell(turn_to_checked);
		find_threads(jni, session);
	}
	return 0;
}

enum { TURN_MS = 10000 };

int counted_calls_more(JNIEnv *jni, struct session *guest, struct error *error)
{
	if (atomic_load(&turned) || !counts_in_constructor() || await_turn(TURN_MS))
		return 0;
	return error_set(error, ERROR_BUSY,
		"methods of java.lang.Thread cannot be counted now: the JVM has not changed in "
		"%d s how calls are counted",
		TURN_MS / 1000);
}

void counted_calls_less(JNIEnv *jni, struct session *session)
{
	uint8_t others = (uint8_t)(session_bits_of_all(session->host) & ~(1U << session->bit));

	if (others == 0 && !atomic_load(&turned) && !await_turn(TURN_MS))
		say_wrong("a session that recorded all threads has ended");
}

/* The turn may not have come to its sweep, or somebody took longer to leave. */
bool counted_calls_stop(struct session *session, struct error *error)
{
	if (atomic_load(&turning))
		trace_sweep_counts(session->trace);
	return true;
}

bool counted_calls_end(JNIEnv *jni, struct session *session)
{
	threads_tell(TOLD_COUNTER, NULL);
	virtual_threads_tell(NULL);
	for (int64_t i = 0; i < SIZE; i++)
		if (atomic_load(&registered[i])) {
			write_entry(jni, i, FREE);
			atomic_store(&registered[i], 0);
		}
	return true;
}
