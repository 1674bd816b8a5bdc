/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/* exceptions_tracer: see exceptions_tracer.h. */
#include "agent/tracers/exceptions_tracer.h"

#include <errno.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "agent/jvm/boot_class.h"
#include "agent/jvm/hotspot.h"
#include "agent/jvm/jvm.h"
#include "agent/lock/gate.h"
#include "agent/log/log.h"
#include "agent/methods/methods.h"
#include "agent/rewrite/rewrite.h"
#include "agent/sample/sampler.h"
#include "agent/threads/thread_slot.h"
#include "agent/tracers/object_sites.h"

static bool by_event; /* the JVM tells of them; written before the trace is on */
static _Atomic bool listening;

/* ---- objects that were thrown before ---- */

/*
 * The newest ones of a thread, by its number and the hash code of the object. More of them would be taken for one another too often: the
 * hash code has 31 bits. Threads whose numbers share a set hardly throw in the same moment.
 */
enum { SETS = 4096, WAYS = 8 };

static _Atomic uint64_t thrown[SETS][WAYS];

/* True if the thread has thrown the object before. */
static bool thrown_again(int64_t java_id, uint32_t hash)
{
	uint64_t key = (uint64_t)java_id << 32 | hash, before = key;
	_Atomic uint64_t *set = thrown[(uint64_t)java_id % SETS];

	for (int i = 0; i < WAYS; i++) {
		before = atomic_exchange_explicit(&set[i], before, memory_order_relaxed);
		if (before == key)
			return true;
	}
	return false;
}

/* ---- what jprof's handlers have caught, and throw again ---- */

/* It is on its way to the next one that catches it. */
static __thread struct {
	bool on;
	jmethodID method; /* that throws it again, */
	jlocation at;     /* and where */
	uint32_t hash, class;
	uint64_t cookie; /* 0: it is not recorded */
} passing;

static _Atomic uint64_t cookies;

/* What has a place, and waits for its catcher; on the writer's thread. */
enum { WAITING_MAX = 65536 };
static struct waiting {
	uint64_t cookie;
	uint32_t place;
	bool again;
} * waiting;
static size_t waiting_count, waiting_room;
static _Atomic uint64_t unresolved;

/* The lowest bit of a cookie: thrown again. */
static uint64_t new_cookie(bool again)
{
	return (atomic_fetch_add(&cookies, 1) + 1) << 1 | again;
}

static void add(uint32_t place, uint64_t subject, bool again)
{
	const struct sampler_event sum = {.kind = EXCEPTION_THROWN,
		.subject = subject,
		.count = 1,
		.failures = thrown_catcher(subject) == METHOD_ROOT,
		.amount = again};

	sampler_add(place, &sum);
}

static void on_placed(uint64_t cookie, uint32_t place)
{
	struct waiting *more;

	if (!place)
		return;
	if (waiting_count == waiting_room && waiting_room < WAITING_MAX) {
		size_t room = waiting_room ? 2 * waiting_room : 64;

		more = realloc(waiting, room * sizeof(*more));
		if (more) {
			waiting = more;
			waiting_room = room;
		}
	}
	if (waiting_count == waiting_room) {
		atomic_fetch_add(&unresolved, 1);
		return;
	}
	waiting[waiting_count++] =
		(struct waiting){.cookie = cookie, .place = place, .again = cookie & 1};
}

static void on_note(uint64_t cookie, uint64_t subject)
{
	/* The newest are the likely ones. */
	for (size_t i = waiting_count; i-- > 0;) {
		if (waiting[i].cookie != cookie)
			continue;
		add(waiting[i].place, subject, waiting[i].again);
		waiting[i] = waiting[--waiting_count];
		return;
	}
}

/* ---- the JVM's event ---- */

/* Where a handler of jprof's, at that place of the method, throws again; -1: it is none. */
static jlocation throws_again(jmethodID method, jlocation at)
{
	unsigned char bytes[8];
	uint64_t size = jvm_method_size(method);
	uint32_t handler;

	/* There are two at most, behind the code, of eight bytes at most. */
	if (at < 0 || (uint64_t)at + 2 * sizeof(bytes) < size)
		return -1;
	handler = rewrite_handler_size(
		bytes, jvm_method_bytes(method, (uint64_t)at, bytes, sizeof(bytes)));
	return handler ? at + handler - 1 : -1;
}

/* False: it is not on its way. */
static bool take(
	uint32_t class, uint32_t catcher, bool again, uint64_t cookie, jmethodID method)
{
	const struct sampler_event event = {.kind = EXCEPTION_THROWN,
		.subject = thrown_subject(class, catcher),
		.count = 1,
		.failures = catcher == METHOD_ROOT,
		.amount = again,
		.cookie = cookie,
		/* Compiled, it tells where its caller gets to see it; so it shall where it is not. */
		.by_probe = jvm_method_size(method) == 0,
		.later = cookie != 0};

	return sampler_take_event(&event);
}

/* Where there is no room for that, what waits for it goes on to do so, and counts as left. */
static void note(uint32_t catcher)
{
	passing.on = false;
	if (passing.cookie)
		sampler_take_note(EXCEPTION_THROWN, passing.cookie,
			thrown_subject(passing.class, catcher));
}

static void JNICALL on_exception(jvmtiEnv *jvmti, JNIEnv *jni, jthread thread, jmethodID method,
	jlocation at, jobject exception, jmethodID catcher, jlocation caught_at)
{
	int saved_errno = errno;
	bool recorded = sampler_records(), again, on;
	struct thread_context *paused = slot_pause();
	uint32_t hash = (uint32_t)jvm_hash(exception), class, catcher_id;
	jlocation next = catcher ? throws_again(catcher, caught_at) : -1;
	uint64_t cookie = 0;

	on = passing.on && passing.hash == hash && passing.method == method && passing.at == at;
	/* It never came that far: another one was thrown in the midst. */
	if (passing.on && !on)
		note(METHOD_FOLDED);
	class = on ? passing.class : recorded ? methods_of_class_of(jni, exception) : 0;
	again = !on && thrown_again(jvm_thread_id(jni, thread), hash);
	catcher_id = METHOD_ROOT;
	if (catcher && next < 0 && (recorded || on))
		catcher_id = methods_of_handle(jni, catcher);
	if (catcher && catcher_id == METHOD_ROOT)
		catcher_id = METHOD_FOLDED;
	slot_resume(paused);
	if (on) {
		if (next < 0)
			note(catcher_id);
		passing.method = catcher;
		passing.at = next;
	} else {
		if (next >= 0 && recorded)
			cookie = new_cookie(again);
		if (recorded && !take(class, catcher_id, again, cookie, method))
			cookie = 0;
		if (next >= 0) {
			passing.on = true;
			passing.method = catcher;
			passing.at = next;
			passing.hash = hash;
			passing.class = class;
			passing.cookie = cookie;
		}
	}
	errno = saved_errno;
}

static void callbacks(jvmtiEventCallbacks *all)
{
	all->Exception = on_exception;
}

/* ---- objects that are made ---- */

/* The JVM's own; found once. */
static void(JNICALL *real_fill)(JNIEnv *jni, jobject throwable);

/* Where they are made, again and again at the same places: how many, by path and class. */
static struct {
	struct gate gate; /* open: sites are there */
	struct object_sites sites;
	uint32_t recording; /* its number */
} made;

enum { SITES_SHARE = 32 /* of max_memory */ };

static bool open_sites(const struct session *session)
{
	if (made.sites.site)
		return true;
	if (!object_sites_init(&made.sites, session->options.max_memory / SITES_SHARE))
		return false;
	made.recording = recording_now();
	gate_open(&made.gate);
	return true;
}

/* At its site, which is known by the number of the stack: its path is told once. False: it has none. */
static bool count_at_site(uint32_t class)
{
	const struct object_sum one = {.objects = 1, .told = 1};
	uint32_t expected = SITE_UNTOLD, place = 0;
	uint64_t where, thread, key = 0, note;
	struct sampler_stack stack;
	struct object_site *site;

	sampler_stack_find(&stack);
	if (sampler_where(&where, &thread))
		key = sampler_stack_key(&stack, made.recording, where, &note);
	if (key)
		place = object_site_find(&made.sites, object_key(key, class), class, false);
	if (!place)
		return false;
	site = object_site_at(&made.sites, place);
	object_count(&site->allocated, &one);
	if (atomic_load_explicit(&site->place, memory_order_relaxed) == SITE_UNTOLD &&
		atomic_compare_exchange_strong(&site->place, &expected, SITE_TOLD) &&
		!sampler_take_event(&(struct sampler_event){
			.kind = EXCEPTION_CREATED, .subject = class, .cookie = place}))
		atomic_store(&site->place, SITE_UNTOLD);
	return true;
}

static void on_site_placed(uint64_t cookie, uint32_t place)
{
	atomic_store(&object_site_at(&made.sites, (uint32_t)cookie)->place,
		place ? place : SITE_UNTOLD);
}

static void count_made(uint32_t class)
{
	bool counted = false;

	if (gate_enter(&made.gate)) {
		counted = count_at_site(class);
		gate_leave(&made.gate);
	}
	if (!counted)
		sampler_take_event(&(struct sampler_event){
			.kind = EXCEPTION_CREATED, .subject = class, .count = 1});
}

/* What was counted since the last time. Returns how many are at sites whose path is not known. */
static uint64_t settle_sites(bool add_them)
{
	uint32_t sites = object_sites_used(&made.sites);
	uint64_t unplaced = 0;

	for (uint32_t i = 1; i < sites; i++) {
		struct object_site *site = object_site_at(&made.sites, i);
		uint32_t place = atomic_load(&site->place);
		struct object_sum more = object_counted(&site->allocated, &site->put_allocated);

		if (place == SITE_UNTOLD || place == SITE_TOLD)
			unplaced += more.told;
		else if (add_them && more.told &&
			 sampler_add(place, &(struct sampler_event){.kind = EXCEPTION_CREATED,
						    .subject = site->class,
						    .count = (uint32_t)more.told}))
			object_put(&site->put_allocated, &more);
	}
	return unplaced;
}

static void settle(bool snapshot)
{
	settle_sites(true);
}

static jobject JNICALL fill(JNIEnv *jni, jobject throwable, jint unused)
{
	int saved_errno;

	real_fill(jni, throwable);
	if (!atomic_load_explicit(&listening, memory_order_relaxed) || !sampler_records() ||
		(*jni)->ExceptionCheck(jni))
		return throwable;
	saved_errno = errno;
	count_made(methods_of_class_of(jni, throwable));
	errno = saved_errno;
	return throwable;
}

/* Once, for good: a stand-in that has nothing to record is the JVM's function, but for a call. */
static bool bind(JNIEnv *jni)
{
	static bool bound;
	JNINativeMethod native = {
		(char *)"fillInStackTrace", (char *)"(I)Ljava/lang/Throwable;", (void *)fill};
	jclass class = bound ? NULL : (*jni)->FindClass(jni, "java/lang/Throwable");
	struct error error;

	bound |= class && boot_class_register(jni, class, &native, 1, &error) == 0;
	if ((*jni)->ExceptionCheck(jni))
		(*jni)->ExceptionClear(jni);
	(*jni)->DeleteLocalRef(jni, class);
	return bound;
}

/* ---- the trace ---- */

static int prove(const struct session *session, struct error *error)
{
	struct error ignored = {0};

	if (by_event)
		return 0;
	by_event = jvm_add_capabilities(JVM_EXCEPTIONS | JVM_BYTECODES, &ignored) == 0;
	if (by_event)
		return 0;
	if (!real_fill)
		*(void **)&real_fill = hotspot_function("JVM_FillInStackTrace");
	return real_fill ? 0
			 : error_set(error, ERROR_MISSING,
				   "traces=exceptions: this JVM shows none, unless it is "
				   "started with that option");
}

static int on(JNIEnv *jni, struct session *session, struct error *error)
{
	sampler_on_placed(EXCEPTION_THROWN, on_placed);
	sampler_on_note(EXCEPTION_THROWN, on_note);
	sampler_on_placed(EXCEPTION_CREATED, on_site_placed);
	if (!by_event && !open_sites(session))
		return error_set(error, ERROR_MEMORY, "traces=exceptions: no memory");
	atomic_store(&listening, true);
	if (by_event)
		return jvm_enable(JVMTI_EVENT_EXCEPTION, true, error);
	if (bind(jni))
		return 0;
	atomic_store(&listening, false);
	return error_set(error, ERROR_JVM,
		"traces=exceptions: this JVM keeps its own Throwable.fillInStackTrace");
}

static void off(JNIEnv *jni, struct session *session)
{
	struct error error = {0};

	atomic_store(&listening, false);
	if (by_event && jvm_enable(JVMTI_EVENT_EXCEPTION, false, &error))
		log_line(LOG_ERROR, "%s", error.text);
}

static bool forget(void)
{
	if (made.sites.site && !gate_close(&made.gate))
		return false;
	object_sites_fini(&made.sites);
	free(waiting);
	waiting = NULL;
	waiting_count = waiting_room = 0;
	atomic_store(&unresolved, 0);
	return true;
}

static void facts(fact_put put, void *argument)
{
	uint64_t left = atomic_load(&unresolved) + waiting_count;

	put(argument, "exceptions.how", by_event ? "thrown" : "created");
	/* Also none: there may have been some as a flush before this one was made. */
	fact_put_number(put, argument, "exceptions.unresolved", left);
	fact_put_number(put, argument, "exceptions.lost", settle_sites(false));
}

const struct tracer exceptions_tracer = {.stacks = true,
	.callbacks = callbacks,
	.prove = prove,
	.on = on,
	.off = off,
	.forget = forget,
	.settle = settle,
	.facts = facts};
