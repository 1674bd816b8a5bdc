/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/* life: see life.h. */
#include "agent/life.h"

#include <errno.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <unistd.h>

#include "agent/code/stubs.h"
#include "agent/inside/jprof_class.h"
#include "agent/io_calls/class_loading.h"
#include "agent/io_calls/io_call.h"
#include "agent/io_calls/io_natives.h"
#include "agent/jvm/hotspot.h"
#include "agent/log/log.h"
#include "agent/probes/native_methods.h"
#include "agent/probes/native_thunk.h"
#include "agent/recording/recording.h"
#include "agent/recording/turn.h"
#include "agent/sample/code_events.h"
#include "agent/sample/sampler.h"
#include "agent/threads/thread_events.h"
#include "profile/run_notes.h"

/* Written by life_load. */
static struct life_hooks hooks;
static struct recording_jvm known;
static uint32_t io_slots;
static uint64_t loaded_at;
static pid_t process; /* a forked child is another one, and has nothing to record */
static bool learnt;   /* what only a running JVM tells */

static atomic_flag claimed = ATOMIC_FLAG_INIT;

bool life_claim(void)
{
	return !atomic_flag_test_and_set(&claimed);
}

void life_release(void)
{
	atomic_flag_clear(&claimed);
}

uint64_t life_loaded_at(void)
{
	return loaded_at;
}

/* ---- the process ends ---- */

/* Both ends come here, VMDeath and exit(3), at the same time perhaps. jni: VMDeath's, or
 * NULL. */
static void end_of_process(JNIEnv *jni)
{
	if (getpid() != process || turn_is_closed())
		return;
	hooks.over();
	if (!turn_take(TURN_LAST))
		return;
	turn_close();
	recorder_finish(jni);
	turn_give();
}

static void on_exit_call(void)
{
	end_of_process(NULL);
}

static void JNICALL on_vm_death(jvmtiEnv *jvmti, JNIEnv *jni)
{
	end_of_process(jni);
}

/* ---- the JVM can run Java code; the agent is detached ---- */

/* From now on what descriptors are is known, recorded or not. */
static int watch_io(JNIEnv *jni, struct error *error)
{
	if (!io_prepare(io_slots))
		return error_set(error, ERROR_MEMORY, "no memory for what descriptors are");
	/* Calls that were under way when the agent was detached have noted what they opened. */
	io_forget();
	if (jvm_enable(JVMTI_EVENT_NATIVE_METHOD_BIND, true, error))
		return -ERROR_JVM;
	class_loading_init(jni);
	io_natives_open(jni);
	return 0;
}

/* What stacks are read by. */
static void learn_stacks(JNIEnv *jni)
{
	static const char chunk[] = "jdk/internal/vm/StackChunk";
	struct frozen_fields fields = {
		.continuation_tail =
			hotspot_field_offset(jni, "jdk/internal/vm/Continuation", "tail"),
		.chunk_parent = hotspot_field_offset(jni, chunk, "parent"),
		.chunk_sp = hotspot_field_offset(jni, chunk, "sp"),
		.chunk_size = hotspot_field_offset(jni, chunk, "size"),
	};

	sampler_learn(hotspot_current_thread(jni), hotspot_function, hotspot_library_path(),
		&fields, hotspot_references_are_narrow(jni));
}

static int open(JNIEnv *jni, jthread thread, struct error *error)
{
	if (jvm_learn(jni, error) || watch_io(jni, error))
		return -ERROR_JVM;
	if (!learnt) {
		known.alloc = hotspot_learn(jni);
		learn_stacks(jni);
	}
	learnt = true;
	recording_know(&known);
	jprof_class_open(jni);
	return recorder_open(jni, thread, error);
}

/* Undoes open, and life_load; behind it the agent may be loaded again. What the JVM refuses to
 * switch off raises events that find nothing to do. */
static void close_all(JNIEnv *jni, struct recorder_told *told)
{
	static const jvmtiEvent events[] = {JVMTI_EVENT_NATIVE_METHOD_BIND,
		JVMTI_EVENT_DYNAMIC_CODE_GENERATED, JVMTI_EVENT_VM_INIT, JVMTI_EVENT_VM_DEATH};
	struct error error = {0};

	recorder_close(jni, told);
	jprof_class_close(jni);
	io_natives_close(jni);
	for (size_t i = 0; i < sizeof(events) / sizeof(*events); i++)
		if (jvm_enable(events[i], false, &error))
			log_line(LOG_INFO, "%s", error.text);
	io_forget();
	jvm_give_capabilities_back();
}

static void JNICALL on_vm_init(jvmtiEnv *jvmti, JNIEnv *jni, jthread thread)
{
	struct error error = {0};

	if (!turn_take(TURN_LAST))
		return;
	if (open(jni, thread, &error)) {
		log_line(LOG_ERROR, "%s; nothing is recorded, the application runs on",
			error.text);
		run_notes_put(RUN_NOTE_REFUSED, error.text, NULL);
	}
	turn_give();
	if (recorder_is_open())
		hooks.ready();
}

static int open_in_turn(JNIEnv *jni, void *unused, struct error *error)
{
	int code = open(jni, NULL, error);

	if (!recorder_is_open())
		close_all(jni, NULL);
	return code;
}

int life_attached(struct error *error)
{
	int code = turn_do(open_in_turn, NULL, error);

	/* The channel for control opens when there is something to control. */
	if (recorder_is_open())
		hooks.ready();
	else
		life_release();
	return code;
}

static int close_in_turn(JNIEnv *jni, void *told, struct error *error)
{
	close_all(jni, told);
	life_release();
	return 0;
}

int life_detach(struct recorder_told *told, struct error *error)
{
	return turn_do(close_in_turn, told, error);
}

/* ---- events that several rooms see ---- */

static void JNICALL on_native_bind(jvmtiEnv *jvmti, JNIEnv *jni, jthread thread,
	jmethodID method, void *address, void **new_address)
{
	int saved_errno = errno;
	struct jvm_method description;
	struct thread_context *paused;
	void *function;

	/* A thunk that jprof binds itself calls what it found, a stand-in perhaps. */
	if (!jni || native_is_thunk(address))
		return;
	paused = slot_pause();
	jvm_expect_references(jni);
	if (jvm_describe_method(jni, method, &description)) {
		function = native_methods_bind(
			jni, method, &description, io_natives_bind(&description, address));
		if (function != address)
			*new_address = function;
		jvm_method_fini(&description);
	}
	slot_resume(paused);
	errno = saved_errno;
}

static void JNICALL on_code_generated(
	jvmtiEnv *jvmti, const char *name, const void *address, jint length)
{
	interpreter_learn(name, address, (size_t)length);
	code_events_generated(stubs_add(name, (uintptr_t)address, (size_t)length),
		(uintptr_t)address, (size_t)length);
}

/* The interpreter is generated before VMInit, and announced once. */
static int find_interpreter(bool live, struct error *error)
{
	if (jvm_enable(JVMTI_EVENT_DYNAMIC_CODE_GENERATED, true, error))
		return -ERROR_JVM;
	if (!live)
		return 0;
	return jvm_repeat_generated_code(error) ? -ERROR_JVM : 0;
}

/* ---- the agent is loaded ---- */

int life_load(JavaVM *vm, struct options *options, const struct life_hooks *told, bool live,
	struct error *error)
{
	static bool exit_watched;

	hooks = *told;
	process = getpid();
	loaded_at = clock_now();
	io_slots = (uint32_t)options->io_slots;
	known.attached = live;
	known.method_events |= !live && options->calls == CALLS_EVENTS;
	known.callbacks = (jvmtiEventCallbacks){.VMInit = on_vm_init,
		.VMDeath = on_vm_death,
		.NativeMethodBind = on_native_bind,
		.DynamicCodeGenerated = on_code_generated};
	if (jvm_open(vm, error)) {
		options_fini(options);
		return -ERROR_JVM;
	}
	if (!learnt) {
		known.alloc = hotspot_probe();
		sampler_probe(hotspot_function, (unsigned)jvm_release(vm));
	}
	recording_know(&known);
	if (recorder_load(options, error))
		return -ERROR_JVM;
	if (find_interpreter(live, error) || jvm_enable(JVMTI_EVENT_VM_INIT, true, error) ||
		jvm_enable(JVMTI_EVENT_VM_DEATH, true, error)) {
		recorder_close(NULL, NULL);
		return -ERROR_JVM;
	}
	/* Once in the life of the process, however often the agent is loaded. */
	if (!exit_watched && atexit(on_exit_call))
		log_line(LOG_WARN, "a profile cannot be finished if native code calls exit()");
	exit_watched = true;
	return 0;
}
