/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/* events: see events.h. */
#include "agent/events/events.h"

#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#include "agent/events/class_hook.h"
#include "agent/events/class_loading.h"
#include "agent/events/include_check.h"
#include "agent/events/io_call.h"
#include "agent/events/io_natives.h"
#include "agent/events/method_events.h"
#include "agent/events/method_probes.h"
#include "agent/events/native_methods.h"
#include "agent/events/native_thunk.h"
#include "agent/events/thread_events.h"
#include "agent/events/virtual_threads.h"
#include "agent/jvm/hotspot.h"
#include "agent/jvm/interpreter.h"
#include "agent/jvm/methods.h"
#include "agent/log/log.h"

/* Seconds that one end of the session waits for the other. */
enum { STOP_PATIENCE = 30 };

struct events events;

static bool wants_vm_objects(const struct metric_set *metrics)
{
	return metric_set_has(metrics, METRIC_VM_OBJECTS) ||
		metric_set_has(metrics, METRIC_VM_BYTES);
}

static bool calls_by_events(const struct session *session)
{
	return session->options.calls == CALLS_EVENTS;
}

static bool calls_by_probes(const struct session *session)
{
	return session->options.calls == CALLS_AUTO ||
		session->options.calls == CALLS_INSTRUMENT;
}

static bool always(const struct session *session)
{
	(void)session;
	return true;
}

static bool vm_objects(const struct session *session)
{
	return wants_vm_objects(&session->metrics);
}

/* Events that are on while the session records, and what they need. */
static const struct recording_event {
	jvmtiEvent event;
	bool (*wanted)(const struct session *session);
	unsigned capability;
} recording_events[] = {
	{JVMTI_EVENT_METHOD_ENTRY, calls_by_events, JVM_METHOD_EVENTS},
	{JVMTI_EVENT_METHOD_EXIT, calls_by_events, JVM_METHOD_EVENTS},
	{JVMTI_EVENT_CLASS_FILE_LOAD_HOOK, calls_by_probes, JVM_CLASS_REWRITING},
	{JVMTI_EVENT_VM_OBJECT_ALLOC, vm_objects, JVM_VM_OBJECT_EVENTS},
	{JVMTI_EVENT_THREAD_START, always, 0},
	{JVMTI_EVENT_THREAD_END, always, 0},
};

enum { RECORDING_EVENTS = sizeof(recording_events) / sizeof(*recording_events) };

static unsigned wanted_capabilities(const struct session *session)
{
	unsigned capabilities = JVM_NATIVE_BINDING;

	for (size_t i = 0; i < RECORDING_EVENTS; i++) {
		if (recording_events[i].wanted(session))
			capabilities |= recording_events[i].capability;
	}
	return capabilities;
}

static void enable_events(bool on)
{
	const struct session *session = events.session;
	struct error error = {0};
	int failed = 0;

	for (size_t i = 0; i < RECORDING_EVENTS; i++) {
		const struct recording_event *row = &recording_events[i];

		if (row->wanted(session))
			failed |= jvm_enable(&events.jvm, row->event, on, &error);
	}
	if (failed)
		log_line(LOG_ERROR, "%s", error.text);
}

static void note_jvm(struct session *session)
{
	static const struct {
		const char *key, *property;
	} notes[] = {{"jvm.name", "java.vm.name"}, {"jvm.version", "java.vm.version"},
		{"java.version", "java.version"}, {"java.home", "java.home"},
		{"java.command", "sun.java.command"}};

	for (size_t i = 0; i < sizeof(notes) / sizeof(*notes); i++) {
		char *value = jvm_property(&events.jvm, notes[i].property);

		session_note(session, notes[i].key, value);
		free(value);
	}
}

/* Tells the metric how it is read in this JVM. */
static void describe_alloc(struct metric_set *metrics, enum hotspot_alloc way)
{
	static const char *const how[] = {
		[HOTSPOT_ALLOC_NONE] = "not available in this JVM: stays 0",
		[HOTSPOT_ALLOC_MANAGEMENT] = "the JVM's management interface (slow)",
		[HOTSPOT_ALLOC_FIELDS] = "the JVM's own counters"};

	for (unsigned i = 0; i < metrics->count; i++) {
		struct metric *metric = &metrics->metric[i];

		if (metric->kind != METRIC_ALLOC)
			continue;
		snprintf(metric->how, sizeof(metric->how), "%s", how[way]);
		if (way == HOTSPOT_ALLOC_NONE)
			log_line(LOG_ERROR, "metric '%s' is 0: this JVM shows no allocation "
					    "counters",
				metric->name);
	}
}

/* Facts that are known here alone. */
static void put_facts(
	void (*put)(void *argument, const char *key, const char *value), void *argument)
{
	io_facts(put, argument);
	if (calls_by_probes(events.session))
		class_hook_facts(put, argument);
}

static const struct session_source source = {.end = methods_end,
	.get = methods_get,
	.lost = methods_lost,
	.virtual_mounts = virtual_threads_mounts,
	.files = io_show_files,
	.facts = put_facts};

/* The probes' functions must be there before the class hook is enabled. */
static int prepare_probes(JNIEnv *jni, struct error *error)
{
	if (interpreter.size == 0)
		log_line(LOG_WARN, "this JVM does not say where its interpreter is: every call "
				   "counts as jitted");
	return method_probes_install(jni, events.session->metrics.shape, error);
}

/* thread: the running one, if it is the application's; or NULL. */
static int start(JNIEnv *jni, jthread thread, struct error *error)
{
	struct session *session = events.session;

	if (calls_by_probes(session) && prepare_probes(jni, error))
		return -ERROR_JVM;
	note_jvm(session);
	if (session_begin(session, &source, error))
		return -1;
	if (thread && !thread_events_current)
		thread_events_adopt(jni, thread, FOUND_ALL);
	virtual_threads_watch(&events.jvm);
	enable_events(true);
	if (session->options.io != IO_OFF)
		io_start();
	if (calls_by_probes(session))
		class_hook_open(&events.jvm, jni);
	return 0;
}

/* From now on what descriptors are is known, recorded or not. */
static int watch_io(JNIEnv *jni, struct error *error)
{
	const struct options *options = &events.session->options;

	if (!io_prepare((uint32_t)options->io_slots))
		return error_set(error, ERROR_MEMORY, "no memory for what descriptors are");
	if (jvm_enable(&events.jvm, JVMTI_EVENT_NATIVE_METHOD_BIND, true, error))
		return -ERROR_JVM;
	class_loading_init(jni, !options->io_class_loading);
	io_natives_open(jni);
	return 0;
}

static int learn(JNIEnv *jni, struct error *error)
{
	if (jvm_learn(&events.jvm, jni, error) || watch_io(jni, error))
		return -ERROR_JVM;
	describe_alloc(&events.session->metrics, hotspot_learn(&events.jvm, jni));
	return 0;
}

static void JNICALL on_vm_init(jvmtiEnv *jvmti, JNIEnv *jni, jthread thread)
{
	struct error error = {0};

	(void)jvmti;
	if (learn(jni, &error) ||
		(events.session->options.start && start(jni, thread, &error)))
		log_line(LOG_ERROR, "%s; nothing is recorded, the application runs on",
			error.text);
	else if (!events.session->options.start)
		log_line(LOG_INFO, "start=no: nothing is recorded yet");
}

static void stop_once(void)
{
	unsigned busy;

	if (!events.session || !session_recording(events.session))
		return;
	io_stop();
	busy = thread_events_stop();
	if (busy)
		log_line(LOG_WARN,
			"%u threads are still inside an event: their last one may be missing",
			busy);
	session_end(events.session);
}

/* Both ends of the session come here, VMDeath and exit(3), at the same time perhaps: the
 * second waits for the first, as the process is gone when it returns. */
static void stop_recording(void)
{
	static pthread_mutex_t once = PTHREAD_ERRORCHECK_MUTEX_INITIALIZER_NP;
	struct timespec patience;

	if (getpid() != events.process)
		return;
	clock_gettime(CLOCK_MONOTONIC, &patience);
	patience.tv_sec += STOP_PATIENCE;
	if (pthread_mutex_clocklock(&once, CLOCK_MONOTONIC, &patience))
		return;
	stop_once();
	pthread_mutex_unlock(&once);
}

static void check_patterns(JNIEnv *jni)
{
	if (events.session->options.calls != CALLS_OFF)
		include_check(&events.jvm, jni);
}

static void JNICALL on_vm_death(jvmtiEnv *jvmti, JNIEnv *jni)
{
	bool recording = session_recording(events.session);

	(void)jvmti;
	if (recording)
		check_patterns(jni);
	stop_recording();
	/* Only now: events are switched off one kind after the other, and an exit whose entry
	 * was already off would match nothing. */
	if (recording)
		enable_events(false);
}

static void JNICALL on_thread_start(jvmtiEnv *jvmti, JNIEnv *jni, jthread thread)
{
	(void)jvmti;
	/* Not yet seen, or detached from the JVM before and now attached again. */
	if (!thread_events_current || thread_events_is_ignored())
		thread_events_adopt(jni, thread, FOUND_NONE);
}

static void JNICALL on_thread_end(jvmtiEnv *jvmti, JNIEnv *jni, jthread thread)
{
	(void)jvmti;
	thread_events_end(jni, thread);
}

static void JNICALL on_native_bind(jvmtiEnv *jvmti, JNIEnv *jni, jthread thread,
	jmethodID method, void *address, void **new_address)
{
	int saved_errno = errno;
	bool paused;
	void *function;

	(void)jvmti;
	(void)thread;
	/* A thunk that jprof binds itself calls what it found, a stand-in perhaps. */
	if (!jni || native_is_thunk(address))
		return;
	paused = thread_events_pause();
	function = io_natives_bind(jni, method, address);
	if (session_recording(events.session) && calls_by_probes(events.session))
		function = native_methods_bind(jni, method, function);
	if (function != address)
		*new_address = function;
	if (paused)
		thread_events_resume();
	errno = saved_errno;
}

static void JNICALL on_code_generated(
	jvmtiEnv *jvmti, const char *name, const void *address, jint length)
{
	(void)jvmti;
	interpreter_learn(name, address, (size_t)length);
}

/* The interpreter is generated before VMInit, and announced once. */
static int find_interpreter(bool live, struct error *error)
{
	if (jvm_enable(&events.jvm, JVMTI_EVENT_DYNAMIC_CODE_GENERATED, true, error))
		return -ERROR_JVM;
	if (!live)
		return 0;
	if (jvm_repeat_generated_code(&events.jvm, error))
		return -ERROR_JVM;
	return jvm_enable(&events.jvm, JVMTI_EVENT_DYNAMIC_CODE_GENERATED, false, error);
}

int events_prepare(
	struct jvm jvm, struct session *session, bool live, struct error *error)
{
	jvmtiEventCallbacks callbacks = {.VMInit = on_vm_init,
		.VMDeath = on_vm_death,
		.ThreadStart = on_thread_start,
		.ThreadEnd = on_thread_end,
		.ClassFileLoadHook = class_hook_event,
		.NativeMethodBind = on_native_bind,
		.DynamicCodeGenerated = on_code_generated};

	events.jvm = jvm;
	events.session = session;
	events.process = getpid();
	method_events_callbacks(session->metrics.shape, &callbacks);
	native_methods_init(session->metrics.shape);
	methods_init(&session->options.include, &session->options.exclude);
	if (jvm_add_capabilities(&events.jvm, wanted_capabilities(session), error) ||
		jvm_set_callbacks(&events.jvm, &callbacks, error) ||
		find_interpreter(live, error) ||
		jvm_enable(&events.jvm, JVMTI_EVENT_VM_INIT, true, error) ||
		jvm_enable(&events.jvm, JVMTI_EVENT_VM_DEATH, true, error))
		return -ERROR_JVM;
	if (atexit(stop_recording))
		log_line(LOG_WARN, "a profile cannot be finished if native code calls exit()");
	return 0;
}

static int start_here(JNIEnv *jni, struct error *error)
{
	if (session_recording(events.session))
		return error_set(error, ERROR_BUSY, "it is being recorded already");
	if (session_over(events.session))
		return error_set(
			error, ERROR_BUSY, "this version records once in a JVM's life");
	return start(jni, NULL, error);
}

static int stop_here(JNIEnv *jni, struct error *error)
{
	if (!session_recording(events.session))
		return error_set(error, ERROR_BUSY, "nothing is being recorded");
	check_patterns(jni);
	stop_recording();
	if (calls_by_probes(events.session))
		class_hook_close(&events.jvm, jni);
	enable_events(false);
	return 0;
}

/* One start or stop at a time. Others are turned away rather than made to wait: while classes
 * are retransformed Java code of the application may run, and call one. */
static int one_at_a_time(
	int (*action)(JNIEnv *jni, struct error *error), struct error *error)
{
	static atomic_flag under_way = ATOMIC_FLAG_INIT;
	bool attached;
	JNIEnv *jni = jvm_enter(&events.jvm, &attached);
	int code;

	if (!jni)
		return error_set(error, ERROR_JVM, "the JVM is ending");
	if (atomic_flag_test_and_set(&under_way)) {
		code = error_set(error, ERROR_BUSY, "another start or stop is under way");
	} else {
		code = action(jni, error);
		atomic_flag_clear(&under_way);
	}
	jvm_leave(&events.jvm, attached);
	return code;
}

static int attached_here(JNIEnv *jni, struct error *error)
{
	if (learn(jni, error))
		return -ERROR_JVM;
	return events.session->options.start ? start_here(jni, error) : 0;
}

int events_attached(struct error *error)
{
	return one_at_a_time(attached_here, error);
}

int events_start(struct error *error)
{
	return one_at_a_time(start_here, error);
}

int events_stop(struct error *error)
{
	return one_at_a_time(stop_here, error);
}
