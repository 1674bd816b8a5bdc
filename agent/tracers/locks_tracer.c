/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/* locks_tracer: see locks_tracer.h. First what is known of the JDK's classes, then who holds what, the begin and the end of a wait, and
 * what tells of them. */
#include "agent/tracers/locks_tracer.h"

#include <errno.h>
#include <stdatomic.h>

#include "agent/jvm/native_function.h"
#include "agent/lock/gate.h"
#include "agent/log/log.h"
#include "agent/sample/sampler.h"
#include "agent/stack/safe_read.h"
#include "agent/stack/vm_monitors.h"
#include "agent/threads/virtual_threads.h"
#include "agent/tracers/lock_objects.h"
#include "agent/tracers/lock_waits.h"
#include "metric/clock.h"

enum {
	MEMORY_SHARE = 16,     /* of max_memory, for waits and their sums, */
	OBJECTS_SHARE = 64,    /* and for locks */
	PATHS_WINDOW_MS = 50,  /* so many holders in that time have their stacks read: */
	PATHS_IN_WINDOW = 100, /* a signal takes some us from the one that holds the lock */
	HURRY = 256,           /* waits on their way that are not to wait for a flush */
	LOOK_NS = 500000000,   /* between two looks for waits that last */
	ASKED_SHARE = 100 /* the JVM is asked for one of so many parts of the time at most */
};

/* ---- the JDK's classes ---- */

static struct {
	jclass unsafe, ownable, virtual; /* global references; virtual NULL: there are none */
	jmethodID park;
	jfieldID blocker, native, owner; /* Thread.parkBlocker, .eetop; exclusiveOwnerThread */
	jfieldID carrier, state;         /* of VirtualThread */
	jint parking, parking_timed;     /* the state */
	bool known;
} jdk;

static jclass find_class(JNIEnv *jni, const char *name)
{
	jclass class = (*jni)->FindClass(jni, name), global = NULL;

	if (class)
		global = (*jni)->NewGlobalRef(jni, class);
	(*jni)->ExceptionClear(jni);
	(*jni)->DeleteLocalRef(jni, class);
	return global;
}

static jfieldID find_field(JNIEnv *jni, jclass class, const char *name, const char *signature)
{
	jfieldID field = class ? (*jni)->GetFieldID(jni, class, name, signature) : NULL;

	(*jni)->ExceptionClear(jni);
	return field;
}

static jint constant(JNIEnv *jni, jclass class, const char *name, jint otherwise)
{
	jfieldID field = (*jni)->GetStaticFieldID(jni, class, name, "I");
	jint value = field ? (*jni)->GetStaticIntField(jni, class, field) : otherwise;

	(*jni)->ExceptionClear(jni);
	return value;
}

/* In a Java thread, once. */
static void learn(JNIEnv *jni)
{
	jclass thread;

	if (jdk.known)
		return;
	jdk.known = true;
	thread = find_class(jni, "java/lang/Thread");
	jdk.unsafe = find_class(jni, "jdk/internal/misc/Unsafe");
	jdk.ownable = find_class(jni, "java/util/concurrent/locks/AbstractOwnableSynchronizer");
	jdk.virtual = find_class(jni, "java/lang/VirtualThread");
	if (jdk.unsafe)
		jdk.park = (*jni)->GetMethodID(jni, jdk.unsafe, "park", "(ZJ)V");
	(*jni)->ExceptionClear(jni);
	jdk.blocker = find_field(jni, thread, "parkBlocker", "Ljava/lang/Object;");
	jdk.native = find_field(jni, thread, "eetop", "J");
	jdk.owner = find_field(jni, jdk.ownable, "exclusiveOwnerThread", "Ljava/lang/Thread;");
	jdk.carrier = find_field(jni, jdk.virtual, "carrierThread", "Ljava/lang/Thread;");
	jdk.state = find_field(jni, jdk.virtual, "state", "I");
	if (jdk.virtual) {
		jdk.parking = constant(jni, jdk.virtual, "PARKING", -1);
		jdk.parking_timed = constant(jni, jdk.virtual, "TIMED_PARKING", jdk.parking);
	}
	(*jni)->DeleteGlobalRef(jni, thread);
}

/* ---- on and off ---- */

static struct {
	struct gate gate;      /* open while it is on: waits and locks have their memory */
	_Atomic uint64_t sent; /* waits that are on their way to the writer, ever */
	/* Waits that were under way as it was switched off, and are not told. */
	_Atomic uint64_t cut;
	uint64_t looked; /* the writer's: when it last looked for waits that last */
	/* When the JVM was first asked who holds a monitor, and how long that took in all. */
	_Atomic uint64_t asked_since, asked_ns, asked;
	_Atomic uint64_t window, paths, paths_left_out;
} locks;

/* ---- who holds it ---- */

struct holder {
	enum wait_holder state; /* HOLDER_ASKED: it is known */
	int64_t id;             /* Thread.threadId(); 0: not known */
	uintptr_t java;         /* JavaThread; 0: it is not mounted */
};

/* thread: a local reference, which is given back. */
static struct holder holder_of_thread(JNIEnv *jni, jthread thread)
{
	struct holder holder = {.state = HOLDER_ASKED, .id = jvm_thread_id(jni, thread)};
	jthread carrier = NULL;

	if (jdk.native)
		holder.java = (uintptr_t)(*jni)->GetLongField(jni, thread, jdk.native);
	if (!holder.java && jdk.carrier && (*jni)->IsInstanceOf(jni, thread, jdk.virtual))
		carrier = (*jni)->GetObjectField(jni, thread, jdk.carrier);
	if (carrier && jdk.native)
		holder.java = (uintptr_t)(*jni)->GetLongField(jni, carrier, jdk.native);
	(*jni)->DeleteLocalRef(jni, carrier);
	(*jni)->DeleteLocalRef(jni, thread);
	return holder;
}

/* It stops all threads: a part of the time is for that. */
static struct holder ask_jvm(JNIEnv *jni, jobject object)
{
	uint64_t now = clock_now(), since = atomic_load(&locks.asked_since);
	jthread thread;

	if (!jvm_tells_monitor_holders())
		return (struct holder){.state = HOLDER_UNKNOWN};
	if (since == 0) {
		atomic_store(&locks.asked_since, now);
		since = now;
	}
	if (atomic_load(&locks.asked_ns) * ASKED_SHARE > now - since + 2000000000)
		return (struct holder){.state = HOLDER_UNKNOWN};
	thread = jvm_monitor_holder(jni, object);
	atomic_fetch_add(&locks.asked_ns, clock_now() - now);
	atomic_fetch_add(&locks.asked, 1);
	return thread ? holder_of_thread(jni, thread) : (struct holder){.state = HOLDER_NONE};
}

static struct holder holder_of_monitor(JNIEnv *jni, jthread thread, jobject object)
{
	uintptr_t java = sampler_java_thread();
	/* The reference of an event is a local one: a word that the JVM keeps up to date. */
	struct vm_owner owner = vm_monitor_owner(java, (const uintptr_t *)(void *)object);

	switch (owner.kind) {
	case VM_OWNER_THREAD:
		return (struct holder){HOLDER_ASKED,
			owner.id ? owner.id : sampler_thread_id(owner.java), owner.java};
	case VM_OWNER_NONE:
		return (struct holder){.state = HOLDER_NONE};
	case VM_OWNER_HIDDEN:
	case VM_OWNER_UNKNOWN:
		break;
	}
	return ask_jvm(jni, object);
}

/* What a parked thread waits for; NULL: it does not say. */
static struct holder holder_of_blocker(JNIEnv *jni, jobject blocker)
{
	jthread thread = NULL;

	if (blocker && jdk.owner && (*jni)->IsInstanceOf(jni, blocker, jdk.ownable))
		thread = (*jni)->GetObjectField(jni, blocker, jdk.owner);
	return thread ? holder_of_thread(jni, thread) : (struct holder){.state = HOLDER_NONE};
}

/* Whether one more stack of a holder may be read now. */
static bool may_read_path(void)
{
	uint64_t window = clock_coarse() / (PATHS_WINDOW_MS * 1000000);

	if (atomic_exchange(&locks.window, window) != window)
		atomic_store(&locks.paths, 0);
	return atomic_fetch_add(&locks.paths, 1) < PATHS_IN_WINDOW;
}

static void ask_holder(wait_ref wait, uint32_t lock, struct holder holder)
{
	const struct sampler_event event = {
		.kind = LOCKS_HOLD, .subject = lock, .cookie = wait};
	bool asked = false;

	if (holder.state == HOLDER_ASKED) {
		bool path = may_read_path();

		if (!path)
			atomic_fetch_add(&locks.paths_left_out, 1);
		asked = path ? sampler_take_of(holder.java, holder.id, &event)
			     : sampler_take_root_of(holder.java, holder.id, &event);
	}
	if (holder.state == HOLDER_ASKED && !asked)
		holder.state = HOLDER_UNKNOWN;
	waits_held(wait, holder.state, holder.id);
}

/* ---- begin and end of a wait, in the thread ---- */

/* Inside the gate, where its begin was read, too: it was on then. */
static void begin_wait(JNIEnv *jni, jthread thread, enum account_kind kind, jobject object,
	struct holder holder, uint64_t begin)
{
	bool apart = kind == LOCKS_BLOCK || holder.state != HOLDER_NONE;
	uint32_t lock = lock_object(jni, object, apart);
	wait_ref wait = waits_begin(
		jvm_thread_id(jni, thread), sampler_java_thread(), kind, lock, begin);

	if (wait)
		ask_holder(wait, lock, holder);
	else
		sampler_hurry();
}

/* Inside the gate. */
static void tell_end(JNIEnv *jni, jthread thread, bool timed_out)
{
	struct wait_end end = waits_end(jvm_thread_id(jni, thread), clock_now(), timed_out);
	const struct sampler_event event = {.kind = end.kind,
		.subject = end.lock,
		.count = 1,
		.failures = timed_out,
		.ns = end.ns,
		.cookie = end.wait};
	uint32_t place;

	if (!end.wait)
		return;
	place = end.idle ? sampler_known_place(end.kind) : 0;
	if (place && waits_add(end.wait, place))
		return;
	if (!sampler_take_event(&event))
		waits_lose(end.wait);
	else if (atomic_fetch_add_explicit(&locks.sent, 1, memory_order_relaxed) % HURRY == 0)
		sampler_hurry();
}

/* Where it was switched off meanwhile there is no such wait any more. */
static void end_wait(JNIEnv *jni, jthread thread, bool timed_out)
{
	if (!gate_enter(&locks.gate))
		return;
	tell_end(jni, thread, timed_out);
	gate_leave(&locks.gate);
}

static bool is_told(void)
{
	return gate_is_open(&locks.gate) && sampler_records();
}

/* ---- monitors ---- */

static void JNICALL on_contended(jvmtiEnv *jvmti, JNIEnv *jni, jthread thread, jobject object)
{
	int saved_errno = errno;

	if (sampler_records() && gate_enter(&locks.gate)) {
		uint64_t now = clock_now();

		begin_wait(jni, thread, LOCKS_BLOCK, object,
			holder_of_monitor(jni, thread, object), now);
		gate_leave(&locks.gate);
	}
	errno = saved_errno;
}

static void JNICALL on_entered(jvmtiEnv *jvmti, JNIEnv *jni, jthread thread, jobject object)
{
	int saved_errno = errno;

	end_wait(jni, thread, false);
	errno = saved_errno;
}

static void JNICALL on_wait(
	jvmtiEnv *jvmti, JNIEnv *jni, jthread thread, jobject object, jlong timeout)
{
	int saved_errno = errno;

	if (sampler_records() && gate_enter(&locks.gate)) {
		begin_wait(jni, thread, LOCKS_WAIT, object,
			(struct holder){.state = HOLDER_NONE}, clock_now());
		gate_leave(&locks.gate);
	}
	errno = saved_errno;
}

static void JNICALL on_waited(
	jvmtiEnv *jvmti, JNIEnv *jni, jthread thread, jobject object, jboolean timed_out)
{
	int saved_errno = errno;

	end_wait(jni, thread, timed_out);
	errno = saved_errno;
}

static void callbacks(jvmtiEventCallbacks *callbacks)
{
	callbacks->MonitorContendedEnter = on_contended;
	callbacks->MonitorContendedEntered = on_entered;
	callbacks->MonitorWait = on_wait;
	callbacks->MonitorWaited = on_waited;
}

/* ---- java.util.concurrent ---- */

static void begin_park(JNIEnv *jni, jthread thread)
{
	jobject blocker;
	uint64_t now;

	if (!gate_enter(&locks.gate))
		return;
	now = clock_now();
	blocker = jdk.blocker ? (*jni)->GetObjectField(jni, thread, jdk.blocker) : NULL;
	begin_wait(jni, thread, LOCKS_PARK, blocker, holder_of_blocker(jni, blocker), now);
	(*jni)->DeleteLocalRef(jni, blocker);
	gate_leave(&locks.gate);
}

typedef void(JNICALL *park_function)(
	JNIEnv *jni, jobject unsafe, jboolean absolute, jlong time);
static park_function _Atomic real_park;

static void JNICALL park(JNIEnv *jni, jobject unsafe, jboolean absolute, jlong time)
{
	park_function real = atomic_load_explicit(&real_park, memory_order_acquire);
	jthread thread;

	if (!is_told()) {
		real(jni, unsafe, absolute, time);
		return;
	}
	thread = jvm_current_thread();
	if (thread)
		begin_park(jni, thread);
	real(jni, unsafe, absolute, time);
	if (thread)
		end_wait(jni, thread, false);
	(*jni)->DeleteLocalRef(jni, thread);
}

/* A virtual thread that parks gives its carrier away; it may do so for other reasons. */
static void on_unmount(JNIEnv *jni, jthread thread)
{
	jint state;

	if (!jdk.state || !is_told())
		return;
	/* Others may wait for it while it is away. */
	sampler_note_virtual(jvm_thread_id(jni, thread));
	state = (*jni)->GetIntField(jni, thread, jdk.state);
	if (state == jdk.parking || state == jdk.parking_timed)
		begin_park(jni, thread);
}

static void on_mount(JNIEnv *jni, jthread thread)
{
	if (!is_told() || !gate_enter(&locks.gate))
		return;
	if (waits_is(jvm_thread_id(jni, thread), LOCKS_PARK))
		tell_end(jni, thread, false);
	gate_leave(&locks.gate);
}

static int bind_park(JNIEnv *jni, struct error *error)
{
	const struct jvm_method method = {.name = (char *)"park", .signature = (char *)"(ZJ)V"};
	void *now;

	if (jdk.unsafe && jdk.park && native_function_learn(jni)) {
		now = native_function_now(jdk.park);
		if (now == (void *)park)
			return 0;
		if (now) {
			atomic_store(&real_park, (park_function)now);
			if (native_function_bind(jni, jdk.unsafe, &method, (void *)park))
				return 0;
		}
	}
	return error_set(
		error, ERROR_MISSING, "traces=locks: this JVM does not show how threads park");
}

static void unbind_park(JNIEnv *jni)
{
	const struct jvm_method method = {.name = (char *)"park", .signature = (char *)"(ZJ)V"};

	/* Others may have bound it since. */
	if (jdk.park && native_function_now(jdk.park) == (void *)park &&
		!native_function_bind(
			jni, jdk.unsafe, &method, (void *)atomic_load(&real_park)))
		log_line(LOG_INFO, "Unsafe.park keeps its stand-in");
}

/* ---- for deadlocks ---- */

int locks_learn(JNIEnv *jni, struct error *error)
{
	int status = jvm_add_capabilities(JVM_MONITORS, error);

	/* Where it cannot be had by now the JVM's own structures are read. */
	jvm_add_capabilities(JVM_CONTENDED_MONITOR, &(struct error){0});
	if (status == 0)
		learn(jni);
	return status;
}

struct locks_holder locks_holder_now(JNIEnv *jni, jthread thread, jobject *object)
{
	jthread holder = NULL;
	struct holder found = {0};

	*object = jvm_contended_monitor(thread);
	if (*object && jvm_tells_monitor_holders()) {
		holder = jvm_monitor_holder(jni, *object);
	} else if ((*object || jvm_is_blocked(thread)) && jdk.native) {
		/* A local reference is a word that the JVM keeps up to date. */
		struct vm_owner owner = vm_monitor_owner(
			(uintptr_t)(*jni)->GetLongField(jni, thread, jdk.native),
			(const uintptr_t *)(void *)*object);

		return owner.kind == VM_OWNER_THREAD
			       ? (struct locks_holder){owner.id, owner.id ? 0 : owner.java}
			       : (struct locks_holder){0};
	} else if (jdk.blocker) {
		*object = (*jni)->GetObjectField(jni, thread, jdk.blocker);
		if (*object && jdk.owner && (*jni)->IsInstanceOf(jni, *object, jdk.ownable))
			holder = (*jni)->GetObjectField(jni, *object, jdk.owner);
	}
	if (holder)
		found = holder_of_thread(jni, holder);
	return (struct locks_holder){.id = found.id};
}

/* ---- the trace ---- */

static void add_hold(uint32_t place, uint32_t lock, uint64_t ns)
{
	sampler_add(place, &(struct sampler_event){
				   .kind = LOCKS_HOLD, .subject = lock, .count = 1, .ns = ns});
}

static void add_waits(uint32_t place, enum account_kind kind, uint32_t lock, uint64_t count,
	uint64_t failures, uint64_t ns)
{
	/* An event has less room for how many. */
	for (uint64_t some; count > 0; count -= some, failures = ns = 0) {
		some = count < UINT32_MAX ? count : UINT32_MAX;
		sampler_add(place, &(struct sampler_event){.kind = kind,
					   .subject = lock,
					   .count = (uint32_t)some,
					   .failures = (uint32_t)failures,
					   .ns = ns});
	}
}

static uint64_t node_of(uint32_t place)
{
	uint32_t row, node;

	sampler_place_node(place, &row, &node);
	return profile_node_id(row, node);
}

static void take_sums(void)
{
	waits_sweep(clock_now(), !gate_is_open(&locks.gate));
}

static const struct waits_tree tree = {add_hold, add_waits, node_of};

/* ---- waits that are under way ---- */

/* In the cookie of an event that asks where a waiter is, not a holder: a bit that no wait_ref has. */
#define OF_WAITER (UINT64_C(1) << 31)

/* Most of them wait, and are read from outside. The place alone is wanted. False: nobody is to be asked. */
static bool ask_waiters(void)
{
	struct wait_asked asked[WAITS_ASKED];
	unsigned count = waits_to_ask(clock_now(), asked);
	sigset_t before;

	safe_read_begin(&before);
	for (unsigned i = 0; i < count; i++) {
		const struct sampler_event event = {.kind = LOCKS_HOLD,
			.subject = asked[i].lock,
			.cookie = asked[i].wait | OF_WAITER,
			.later = true};

		sampler_take_of(asked[i].java, asked[i].thread, &event);
	}
	safe_read_end(&before);
	return count > 0;
}

static void on_answered(uint64_t cookie, uint32_t place)
{
	if (cookie & OF_WAITER)
		waits_seen(cookie & ~OF_WAITER, place);
	else
		waits_answered(cookie, place);
}

static bool expected(void)
{
	return gate_is_open(&locks.gate);
}

static bool drain(void)
{
	uint64_t now = clock_now();

	if (now - locks.looked > LOOK_NS) {
		locks.looked = now;
		ask_waiters();
	}
	return false;
}

/* Whoever was asked and has not answered yet leaves its wait without a holder's path: better than a wait in a later interval. */
static void settle(bool snapshot)
{
	if (snapshot)
		waits_sweep(clock_now(), true);
}

/* As the JVM starts there is more to be had, for deadlocks; it can be done without. */
static int prove(const struct session *session, struct error *error)
{
	jvm_add_capabilities(JVM_CONTENDED_MONITOR, &(struct error){0});
	return 0;
}

static int on(JNIEnv *jni, struct session *session, struct error *error)
{
	uint64_t memory = session->options.max_memory;
	int status;

	learn(jni);
	status = sampler_need_signal(error);
	if (status == 0 && (waits_open(memory / MEMORY_SHARE, &tree) ||
				   lock_objects_open(memory / OBJECTS_SHARE)))
		status = error_set(error, ERROR_MEMORY, "no memory for the trace of locks");
	if (status == 0)
		status = bind_park(jni, error);
	if (status)
		return status;
	sampler_on_placed(LOCKS_BLOCK, waits_placed);
	sampler_on_placed(LOCKS_WAIT, waits_placed);
	sampler_on_placed(LOCKS_PARK, waits_placed);
	sampler_on_placed(LOCKS_HOLD, on_answered);
	sampler_on_drained(take_sums);
	gate_open(&locks.gate);
	virtual_threads_listen(on_unmount, on_mount);
	return 0;
}

static void off(JNIEnv *jni, struct session *session)
{
	virtual_threads_listen(NULL, NULL);
	gate_close(&locks.gate);
	atomic_fetch_add(&locks.cut, waits_cut(clock_now()));
	while (ask_waiters())
		;
}

static bool forget(void)
{
	JNIEnv *jni = jvm_env();

	sampler_on_drained(NULL);
	if (!gate_close(&locks.gate))
		return false;
	if (jni && jdk.known)
		unbind_park(jni);
	waits_close();
	lock_objects_close(jni);
	atomic_store(&locks.cut, 0);
	atomic_store(&locks.asked, 0);
	atomic_store(&locks.asked_ns, 0);
	atomic_store(&locks.asked_since, 0);
	atomic_store(&locks.paths_left_out, 0);
	return true;
}

static int put(struct profile_writer *profile, uint64_t began, struct error *error)
{
	int status;

	status = lock_objects_put(profile, error);
	return status == 0 ? waits_put(profile, began, clock_now(), error) : status;
}

static void put_done(bool kept)
{
	lock_objects_put_done(kept);
	waits_put_done(kept);
}

static void facts(fact_put put_it, void *argument)
{
	struct waits_state state = waits_state();
	const struct {
		const char *key;
		uint64_t value;
	} rows[] = {
		{"locks.waits", state.ended},
		{"locks.lost", state.lost},
		{"locks.cut", atomic_load(&locks.cut)},
		{"locks.held", state.held},
		{"locks.held_path", state.answered},
		{"locks.held_no_path", atomic_load(&locks.paths_left_out)},
		{"locks.holder_unknown", state.unknown},
		{"locks.folded", state.folded},
		{"locks.unnamed", lock_objects_unnamed()},
		{"locks.asked", atomic_load(&locks.asked)},
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++)
		if (rows[i].value)
			fact_put_number(put_it, argument, rows[i].key, rows[i].value);
}

const struct tracer locks_tracer = {
	.stacks = true,
	.capabilities = JVM_MONITORS,
	.event = {JVMTI_EVENT_MONITOR_CONTENDED_ENTER, JVMTI_EVENT_MONITOR_CONTENDED_ENTERED,
		JVMTI_EVENT_MONITOR_WAIT, JVMTI_EVENT_MONITOR_WAITED},
	.callbacks = callbacks,
	.prove = prove,
	.on = on,
	.off = off,
	.forget = forget,
	.expected = expected,
	.drain = drain,
	.settle = settle,
	.put = put,
	.put_done = put_done,
	.snapshot_made = waits_close_longest,
	.facts = facts,
};
