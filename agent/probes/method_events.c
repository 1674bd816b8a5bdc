/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/*
 * method_events: the JVM's MethodEntry, MethodExit and VMObjectAlloc events.
 *
 * In:   events, on the thread they happen on (JVMTI specification, "Method Entry", "Method
 *       Exit", "VM Object Allocation").
 * Out:  enter and exit of the thread's context. Methods outside the filter leave no trace:
 *       what they use stays with the nearest included caller.
 * Runs: at every call of the application; one version per metric shape and timing, so that
 *       the reading of the counters is compiled without a choice.
 *
 * HotSpot runs a thread with these events in its interpreter only, so a call is either
 * interpreted or native.
 */
#include "agent/probes/method_events.h"

#include "agent/threads/thread_events.h"
#include "agent/trace/fence.h"

/* Where the scope may begin: what the method is has to be known before the thread is in. */
static __attribute__((noinline, cold)) void enter_outside(
	JNIEnv *jni, jthread java_thread, jmethodID method)
{
	struct thread_slot *slot = slot_enter_outside();
	method_ref ref;

	if (!slot)
		return;
	ref = slot_method(slot, jni, method);
	slot_shut(slot);
	if (ref & METHOD_REF_SCOPE)
		thread_events_enter_scope(jni, java_thread, ref,
			ref & METHOD_REF_NATIVE ? STATE_NATIVE : STATE_INTERPRETED);
}

/* As in method_probes.c. */
static RARE void entry_outgrown(
	bool precise, JNIEnv *jni, jthread java_thread, jmethodID method);
static RARE void exit_outgrown(bool precise, JNIEnv *jni, jthread java_thread, jmethodID method,
	bool popped_by_exception);

static inline __attribute__((always_inline)) void method_entry(enum metric_shape shape,
	bool precise, JNIEnv *jni, jthread java_thread, jmethodID method)
{
	struct thread_slot *thread =
		thread_events_begin(shape, jni, java_thread, FOUND_ALL_BUT_LAST);
	method_ref ref;

	if (__builtin_expect(!thread, 0)) {
		if (thread_events_outgrown(shape))
			entry_outgrown(precise, jni, java_thread, method);
		else
			enter_outside(jni, java_thread, method);
		return;
	}
	ref = slot_method(thread, jni, method);
	if (ref != METHOD_REF_EXCLUDED) {
		context_enter(shape, slot_context(thread), method_ref_id(ref),
			ref & METHOD_REF_NATIVE ? STATE_NATIVE : STATE_INTERPRETED,
			method_ref_is_static(ref));
		if (ref & METHOD_REF_WATCHED)
			watched_enter(slot_context(thread), method_ref_id(ref));
		context_spend(shape, slot_context(thread), precise);
	}
	slot_leave(thread);
}

static inline __attribute__((always_inline)) void method_exit(enum metric_shape shape,
	bool precise, JNIEnv *jni, jthread java_thread, jmethodID method,
	bool popped_by_exception)
{
	struct thread_slot *thread = thread_events_begin(shape, jni, java_thread, FOUND_ALL);
	method_ref ref;

	if (__builtin_expect(!thread, 0)) {
		if (thread_events_outgrown(shape))
			exit_outgrown(precise, jni, java_thread, method, popped_by_exception);
		return;
	}
	ref = slot_method(thread, jni, method);
	if (ref != METHOD_REF_EXCLUDED && context_exit(shape, slot_context(thread),
						  method_ref_id(ref), popped_by_exception))
		context_spend(shape, slot_context(thread), precise);
	thread_events_leave_method(thread, ref, popped_by_exception);
}

static RARE void entry_outgrown(
	bool precise, JNIEnv *jni, jthread java_thread, jmethodID method)
{
	method_entry(SHAPE_ANY, precise, jni, java_thread, method);
}

static RARE void exit_outgrown(bool precise, JNIEnv *jni, jthread java_thread, jmethodID method,
	bool popped_by_exception)
{
	method_exit(SHAPE_ANY, precise, jni, java_thread, method, popped_by_exception);
}

#define FUNCTIONS(shape, name, precise)                                                        \
	static void JNICALL on_entry_##name(                                                   \
		jvmtiEnv *jvmti, JNIEnv *jni, jthread thread, jmethodID method)                \
	{                                                                                      \
		fence(precise);                                                                \
		method_entry(shape, precise, jni, thread, method);                             \
		fence(precise);                                                                \
	}                                                                                      \
	static void JNICALL on_exit_##name(jvmtiEnv *jvmti, JNIEnv *jni, jthread thread,       \
		jmethodID method, jboolean popped_by_exception, jvalue value)                  \
	{                                                                                      \
		fence(precise);                                                                \
		method_exit(shape, precise, jni, thread, method, popped_by_exception);         \
		fence(precise);                                                                \
	}
#define X(shape, name)                                                                         \
	FUNCTIONS(shape, name, false)                                                          \
	FUNCTIONS(shape, name##_precise, true)
METRIC_SHAPE_TABLE(X)
#undef FUNCTIONS
#undef X

static const struct {
	jvmtiEventMethodEntry entry;
	jvmtiEventMethodExit exit;
} callbacks_of[][2] = {
#define X(shape, name)                                                                         \
	[shape] = {{on_entry_##name, on_exit_##name},                                          \
		{on_entry_##name##_precise, on_exit_##name##_precise}},
	METRIC_SHAPE_TABLE(X)
#undef X
};

static void JNICALL on_vm_object_alloc(jvmtiEnv *jvmti, JNIEnv *jni, jthread java_thread,
	jobject object, jclass class, jlong size)
{
	struct thread_slot *thread =
		thread_events_begin(SHAPE_ANY, jni, java_thread, FOUND_ALL);
	struct thread_context *context;

	if (!thread)
		return;
	context = slot_context(thread);
	metric_count(context->metric, METRIC_VM_OBJECTS, 1);
	metric_count(context->metric, METRIC_VM_BYTES, (uint64_t)size);
	slot_leave(thread);
}

void method_events_callbacks(
	enum metric_shape shape, bool precise, jvmtiEventCallbacks *callbacks)
{
	callbacks->MethodEntry = callbacks_of[shape][precise].entry;
	callbacks->MethodExit = callbacks_of[shape][precise].exit;
	callbacks->VMObjectAlloc = on_vm_object_alloc;
}
