/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/*
 * method_probes: see method_probes.h.
 *
 * In:   the calls of rewritten methods, on the thread they happen on.
 * Out:  enter and exit of the thread's context; entries at which stacks are taken.
 * Runs: at every call of the application; one version per metric shape and timing. No JNI or
 *       JVMTI call but at a thread's first probe; never an exception.
 */
#include "agent/probes/method_probes.h"

#include <string.h>

#include "agent/jvm/boot_class.h"
#include "agent/jvm/hotspot.h"
#include "agent/log/log.h"
#include "agent/probes/checked_probe_class.h" /* made of java/probe/java/lang/JprofProbe.java */
#include "agent/probes/counted_calls.h"
#include "agent/probes/parameter_probes.h"
#include "agent/sample/sample_entries.h"
#include "agent/threads/thread_events.h"
#include "agent/trace/fence.h"
#include "java_caller.h"

/* Calls of each probe that make the JVM compile its entry: far above the thresholds at which
 * HotSpot compiles (Tier3InvocationThreshold 200, Tier4 5000). */
enum { WARM_UP = 20000 };

static inline enum call_state state_of_caller(const void *frame)
{
	return interpreter_has(java_caller(frame)) ? STATE_INTERPRETED : STATE_JITTED;
}

/* What functions of a shape that the metrics have outgrown do: the same as those of any. */
static RARE void enter_outgrown(
	bool precise, bool watched, JNIEnv *jni, method_ref ref, const void *frame);
static RARE void exit_outgrown(bool precise, method_ref ref, bool unwound);

/* ref: METHOD_REF_SCOPE may be joined to the id, and METHOD_REF_WATCHED is where watched is true, a constant. Frames that were there before have no probes:
 * calls from them are the root's. */
static inline __attribute__((always_inline)) void probe_enter(enum metric_shape shape,
	bool precise, bool watched, JNIEnv *jni, method_ref ref, const void *frame)
{
	struct thread_slot *thread = thread_events_begin(shape, jni, NULL, FOUND_NONE);
	struct thread_context *context;

	if (__builtin_expect(!thread, 0)) {
		if (thread_events_outgrown(shape))
			enter_outgrown(precise, watched, jni, ref, frame);
		else if (ref & METHOD_REF_SCOPE)
			thread_events_enter_scope(jni, NULL, ref, state_of_caller(frame));
		return;
	}
	context = slot_context(thread);
	context_enter(shape, context, method_ref_id(ref), state_of_caller(frame),
		method_ref_is_static(ref));
	if (watched)
		watched_enter(context, method_ref_id(ref));
	context_spend(shape, context, precise);
	slot_leave(thread);
}

static inline __attribute__((always_inline)) void probe_exit(
	enum metric_shape shape, bool precise, JNIEnv *jni, method_ref ref, bool unwound)
{
	struct thread_slot *thread = thread_events_begin(shape, jni, NULL, FOUND_NONE);
	struct thread_context *context;

	if (__builtin_expect(!thread, 0)) {
		if (thread_events_outgrown(shape))
			exit_outgrown(precise, ref, unwound);
		return;
	}
	context = slot_context(thread);
	if (context_exit(shape, context, method_ref_id(ref), unwound))
		context_spend(shape, context, precise);
	thread_events_leave_method(thread, ref, unwound);
}

static RARE void enter_outgrown(
	bool precise, bool watched, JNIEnv *jni, method_ref ref, const void *frame)
{
	probe_enter(SHAPE_ANY, precise, watched, jni, ref, frame);
}

/* The usual way need not keep what this can ask for. */
static RARE void exit_outgrown(bool precise, method_ref ref, bool unwound)
{
	probe_exit(SHAPE_ANY, precise, jvm_env(), ref, unwound);
}

/* The method's handler begins. */
static void JNICALL probe_caught(JNIEnv *jni, jclass probe, jint id)
{
	struct thread_slot *thread = thread_events_begin(SHAPE_ANY, jni, NULL, FOUND_NONE);

	if (!thread)
		return;
	context_caught(slot_context(thread), method_ref_id((method_ref)id));
	slot_leave(thread);
}

/* A method may have this probe alone: then a thread that has not joined the session does so here. */
static _Atomic bool entered_joins;

/* A method is entered at whose entry stacks are taken. */
static void JNICALL probe_entered(JNIEnv *jni, jclass probe, jint id)
{
	if (atomic_load_explicit(&entered_joins, memory_order_relaxed))
		thread_events_adopt(jni, NULL, FOUND_NONE);
	sample_entered(method_ref_id((method_ref)id), true);
}

/* The method comes to a line that it calls others from. It is the budget's as a call is. */
static void JNICALL probe_reach(JNIEnv *jni, jclass probe, jint site)
{
	struct thread_slot *thread = thread_events_begin(SHAPE_ANY, jni, NULL, FOUND_NONE);
	struct thread_context *context;

	if (!thread)
		return;
	context = slot_context(thread);
	context_reach(context, LABEL | (uint32_t)site);
	if (__builtin_expect(--context->toll.left == 0, 0))
		context_toll(context, context->stack.top->method);
	slot_leave(thread);
}

#define PROBE(probe, precise, call)                                                            \
	static void JNICALL probe(JNIEnv *jni, jclass class, jint id)                          \
	{                                                                                      \
		fence(precise);                                                                \
		call;                                                                          \
		fence(precise);                                                                \
	}
#define FUNCTIONS(shape, name, precise)                                                        \
	PROBE(enter_##name, precise,                                                           \
		probe_enter(shape, precise, false, jni, (method_ref)id,                        \
			__builtin_frame_address(0)))                                           \
	PROBE(watched_##name, precise,                                                         \
		probe_enter(shape, precise, true, jni, (method_ref)id,                         \
			__builtin_frame_address(0)))                                           \
	PROBE(exit_##name, precise, probe_exit(shape, precise, jni, (method_ref)id, false))    \
	PROBE(unwind_##name, precise, probe_exit(shape, precise, jni, (method_ref)id, true))
#define X(shape, name)                                                                         \
	FUNCTIONS(shape, name, false)                                                          \
	FUNCTIONS(shape, name##_precise, true)
METRIC_SHAPE_TABLE(X)
#undef PROBE
#undef FUNCTIONS
#undef X

typedef void(JNICALL *probe_function)(JNIEnv *jni, jclass probe, jint id);

enum { PROBES = 7 };

static const char *const probe_name[PROBES] = {
	"enter", "exit", "unwind", "caught", "entered", "watched", "reach"};

static const probe_function probe_functions[METRIC_SHAPES][2][PROBES] = {
#define X(shape, name)                                                                         \
	[shape] = {{enter_##name, exit_##name, unwind_##name, probe_caught, probe_entered,     \
			   watched_##name, probe_reach},                                       \
		{enter_##name##_precise, exit_##name##_precise, unwind_##name##_precise,       \
			probe_caught, probe_entered, watched_##name##_precise, probe_reach}},
	METRIC_SHAPE_TABLE(X)
#undef X
};

/* Those that values are handed to. */
static const JNINativeMethod parameter_probes[] = {
	{(char *)"value", (char *)"(Ljava/lang/Object;I)V",
		(void *)parameter_probe_value_object},
	{(char *)"value", (char *)"(JI)V", (void *)parameter_probe_value_long},
	{(char *)"value", (char *)"(DI)V", (void *)parameter_probe_value_double},
	{(char *)"result", (char *)"(Ljava/lang/Object;I)V",
		(void *)parameter_probe_result_object},
	{(char *)"result", (char *)"(JI)V", (void *)parameter_probe_result_long},
	{(char *)"result", (char *)"(DI)V", (void *)parameter_probe_result_double},
};

enum { PARAMETER_PROBES = sizeof(parameter_probes) / sizeof(*parameter_probes) };

/* Calls the static method until the JVM has compiled its entry. */
static void warm_up_one(JNIEnv *jni, jclass class, const char *name, const char *descriptor,
	const jvalue *arguments)
{
	jmethodID method = (*jni)->GetStaticMethodID(jni, class, name, descriptor);

	for (int i = 0; i < WARM_UP && !(*jni)->ExceptionCheck(jni); i++)
		(*jni)->CallStaticVoidMethodA(jni, class, method, arguments);
}

/* Calls all of them; they are turned away. */
static bool warm_up(JNIEnv *jni, jclass class)
{
	static const jvalue nothing[2]; /* null, or 0, and a number that no reading has */
	struct thread_hiding before = slot_hide_own();

	for (size_t p = 0; p < PROBES && !(*jni)->ExceptionCheck(jni); p++)
		warm_up_one(jni, class, probe_name[p], "(I)V", nothing);
	for (size_t p = 0; p < PARAMETER_PROBES && !(*jni)->ExceptionCheck(jni); p++)
		warm_up_one(jni, class, parameter_probes[p].name, parameter_probes[p].signature,
			nothing);
	slot_show_own(before);
	if (!(*jni)->ExceptionCheck(jni))
		return true;
	(*jni)->ExceptionClear(jni);
	return false;
}

static jclass class;   /* one start at a time */
static int given = -1; /* none */

/* Its methods get their functions, if they have others. */
static int give_functions(JNIEnv *jni, struct session *session, struct error *error)
{
	enum metric_shape shape = session_metrics(session)->shape;
	bool precise = session->options.timing == TIMING_PRECISE;
	const int wanted = 2 * (int)shape + precise;
	JNINativeMethod native[PROBES + 2 + PARAMETER_PROBES];

	if (given == wanted)
		return 0;
	/* A new function has the JVM make a new entry for it. */
	for (size_t i = 0; i < PROBES; i++)
		native[i] = (JNINativeMethod){(char *)probe_name[i], (char *)"(I)V",
			(void *)probe_functions[shape][precise][i]};
	native[PROBES] = (JNINativeMethod){
		(char *)"counted", (char *)"(IJ)V", (void *)counted_calls_probe};
	native[PROBES + 1] = (JNINativeMethod){
		(char *)"blocks", (char *)"()J", (void *)counted_calls_blocks};
	memcpy(native + PROBES + 2, parameter_probes, sizeof(parameter_probes));
	if (boot_class_register(jni, class, native, PROBES + 2 + PARAMETER_PROBES, error))
		return -ERROR_JVM;
	if (!warm_up(jni, class))
		return error_set(error, ERROR_JVM, "the JVM cannot call the probes");
	given = wanted;
	counted_calls_learn(jni, class);
	return 0;
}

int method_probes_begin(JNIEnv *jni, struct session *session, struct error *error)
{
	atomic_store(&entered_joins, session_has_probes(session));
	if (interpreter.size == 0)
		log_line(LOG_WARN, "this JVM does not say where its interpreter is: every call "
				   "counts as jitted");
	if (!class)
		class = boot_class_define(jni, METHOD_PROBES_CLASS,
			(const char *)checked_probe_class, sizeof(checked_probe_class), error);
	return class ? give_functions(jni, session, error) : -ERROR_JVM;
}

int method_probes_renew(JNIEnv *jni, struct session *session, struct error *error)
{
	return given < 0 ? 0 : give_functions(jni, session, error);
}
