/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/* events: see events.h. */
#include "agent/events/events.h"

#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
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
#include "agent/events/thread_starts.h"
#include "agent/events/virtual_threads.h"
#include "agent/jvm/hotspot.h"
#include "agent/jvm/interpreter.h"
#include "agent/jvm/methods.h"
#include "agent/log/log.h"

/* Seconds that one end of the session waits for the other. */
enum { STOP_PATIENCE = 30 };

struct events events;
static struct session *first; /* made when the agent was loaded, begun when the JVM can */
static bool learnt; /* what a running JVM tells */
static enum hotspot_alloc alloc_way;
static bool may_have_method_events;

static void JNICALL on_vm_init(jvmtiEnv *jvmti, JNIEnv *jni, jthread thread);
static void JNICALL on_vm_death(jvmtiEnv *jvmti, JNIEnv *jni);
static void JNICALL on_thread_start(jvmtiEnv *jvmti, JNIEnv *jni, jthread thread);
static void JNICALL on_thread_end(jvmtiEnv *jvmti, JNIEnv *jni, jthread thread);
static void JNICALL on_native_bind(jvmtiEnv *jvmti, JNIEnv *jni, jthread thread,
	jmethodID method, void *address, void **new_address);
static void JNICALL on_code_generated(
	jvmtiEnv *jvmti, const char *name, const void *address, jint length);

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

static void enable_events(const struct session *session, bool on)
{
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
	if (calls_by_probes(events_session()))
		class_hook_facts(put, argument);
}

static const struct session_source source = {.end = methods_end,
	.get = methods_get,
	.lost = methods_lost,
	.virtual_mounts = virtual_threads_mounts,
	.files = io_show_files,
	.facts = put_facts};

/* ---- what a session needs ---- */

/* What the options may ask for, but this version does not do: refused, rather than left out
 * without a word. */
static int check_version(const struct options *options, struct error *error)
{
	const struct {
		bool asked;
		const char *what, *legal;
	} later[] = {{options->timing == TIMING_PRECISE, "timing=precise", "fast"},
		{strcmp(options->calibration, "auto") != 0 &&
				strcmp(options->calibration, "off") != 0,
			"a calibration file", "auto, off (nothing is taken out)"}};

	for (size_t i = 0; i < sizeof(later) / sizeof(*later); i++) {
		if (later[i].asked)
			return error_set(error, ERROR_VALUE,
				"%s is not in this version; legal here: %s", later[i].what,
				later[i].legal);
	}
	return 0;
}

/* JVMTI gives entry and exit events to agents that the JVM started with only: the
 * capabilities exist in the on-load phase (JVMTI specification, "Capability"). */
static int check_calls(const struct options *options, struct error *error)
{
	if (options->calls == CALLS_EVENTS && !may_have_method_events)
		return error_set(error, ERROR_VALUE,
			"calls=events cannot begin in a running JVM that was not started with "
			"it; legal here: auto, instrument, off");
	return 0;
}

static int check_metrics(const struct session *session, struct error *error)
{
	enum hotspot_alloc way = learnt ? alloc_way : hotspot_probe(&events.jvm);

	if (metric_set_has(&session->metrics, METRIC_ALLOC) && way == HOTSPOT_ALLOC_NONE)
		return error_set(error, ERROR_MISSING,
			"metrics=alloc: this JVM shows no allocation counters");
	return 0;
}

/* A session of the options, which are taken. */
static int make_session(
	struct session **session, struct options *options, struct error *error)
{
	int code = check_version(options, error);

	if (!code)
		code = check_calls(options, error);
	if (code) {
		options_fini(options);
		return code;
	}
	code = session_create(session, options, error);
	if (!code)
		code = check_metrics(*session, error);
	if (code) {
		session_destroy(*session);
		*session = NULL;
	}
	return code;
}

static int set_callbacks(enum metric_shape shape, struct error *error)
{
	jvmtiEventCallbacks callbacks = {.VMInit = on_vm_init,
		.VMDeath = on_vm_death,
		.ThreadStart = on_thread_start,
		.ThreadEnd = on_thread_end,
		.ClassFileLoadHook = class_hook_event,
		.NativeMethodBind = on_native_bind,
		.DynamicCodeGenerated = on_code_generated};

	method_events_callbacks(shape, &callbacks);
	return jvm_set_callbacks(&events.jvm, &callbacks, error);
}

/* The probes' functions must be there before the class hook is enabled. */
static int prepare_probes(JNIEnv *jni, enum metric_shape shape, struct error *error)
{
	if (interpreter.size == 0)
		log_line(LOG_WARN, "this JVM does not say where its interpreter is: every call "
				   "counts as jitted");
	return method_probes_install(jni, shape, error);
}

static int prepare_session(JNIEnv *jni, struct session *session, struct error *error)
{
	enum metric_shape shape = session->metrics.shape;

	log_set_level(session->options.log);
	if (jvm_add_capabilities(&events.jvm, wanted_capabilities(session), error) ||
		set_callbacks(shape, error) ||
		(calls_by_probes(session) && prepare_probes(jni, shape, error)))
		return -ERROR_JVM;
	describe_alloc(&session->metrics, alloc_way);
	note_jvm(session);
	return 0;
}

/* ---- its begin ---- */

/* thread: the running one, if it is the application's; or NULL. */
static void let_in(JNIEnv *jni, jthread thread, struct session *session)
{
	thread_events_start();
	if (thread)
		thread_events_adopt(jni, thread, FOUND_ALL);
	virtual_threads_watch(&events.jvm, true);
	if (session_has_scope(session) && session->options.scope_follow)
		thread_starts_watch(jni, true);
	if (calls_by_probes(session))
		native_methods_open(session->metrics.shape);
	enable_events(session, true);
	if (session->options.io != IO_OFF)
		io_start(session);
	if (calls_by_probes(session))
		class_hook_open(&events.jvm, jni);
}

/* Takes the session. */
static int begin(JNIEnv *jni, jthread thread, struct session *session, struct error *error)
{
	const struct method_filter filter = {&session->options.include,
		&session->options.exclude, &session->options.scope};
	int code = prepare_session(jni, session, error);

	if (!code) {
		methods_choose(&filter);
		atomic_store(&events.session, session);
		code = session_begin(session, &source, error);
	}
	if (!code) {
		let_in(jni, thread, session);
		return 0;
	}
	methods_choose(NULL);
	atomic_store(&events.session, NULL);
	session_destroy(session);
	return code;
}

/* ---- its end ---- */

/* From here on nothing is recorded, and the profile is complete. How many threads are still inside
 * an event. */
static unsigned finish(struct session *session)
{
	unsigned busy;

	io_stop();
	busy = thread_events_stop();
	if (busy)
		log_line(LOG_WARN,
			"%u threads are still inside an event: their last one may be missing",
			busy);
	session_end(session);
	return busy;
}

/* False: somebody is still inside something of the session's. */
static bool take_out(JNIEnv *jni, struct session *session)
{
	bool out = true;

	if (calls_by_probes(session)) {
		out &= native_methods_close();
		out &= class_hook_close(&events.jvm, jni);
	}
	if (session_has_scope(session) && session->options.scope_follow)
		thread_starts_watch(jni, false);
	enable_events(session, false);
	virtual_threads_watch(&events.jvm, false);
	return thread_events_release() && out;
}

/* Undoes begin. What somebody still uses is left rather than taken away. */
static void end(JNIEnv *jni, struct session *session)
{
	bool out = finish(session) == 0;

	out &= take_out(jni, session);
	methods_choose(NULL);
	atomic_store(&events.session, NULL);
	log_set_level(events.loaded.log);
	if (out)
		session_destroy(session);
	else
		log_line(LOG_WARN, "a thread is still inside an event of the session that ended: "
				   "its memory is kept");
}

static void check_patterns(JNIEnv *jni, const struct session *session)
{
	if (session->options.calls != CALLS_OFF)
		include_check(&events.jvm, jni);
}

/* ---- one at a time ---- */

/* Held by whoever begins or ends a session. The process's end waits for it, as the process is gone
 * when it returns; others are turned away. */
static pthread_mutex_t sessions = PTHREAD_ERRORCHECK_MUTEX_INITIALIZER_NP;

static bool sessions_wait(void)
{
	struct timespec patience;

	clock_gettime(CLOCK_MONOTONIC, &patience);
	patience.tv_sec += STOP_PATIENCE;
	return pthread_mutex_clocklock(&sessions, CLOCK_MONOTONIC, &patience) == 0;
}

struct order {
	const char *options;
	char **path;
};

static int one_at_a_time(
	int (*action)(JNIEnv *jni, const struct order *order, struct error *error),
	const struct order *order, struct error *error)
{
	bool attached;
	JNIEnv *jni = jvm_enter(&events.jvm, &attached);
	int code;

	if (!jni)
		return error_set(error, ERROR_JVM, "the JVM is ending");
	if (pthread_mutex_trylock(&sessions)) {
		code = error_set(error, ERROR_BUSY, "another start or stop is under way");
	} else {
		code = action(jni, order, error);
		pthread_mutex_unlock(&sessions);
	}
	jvm_leave(&events.jvm, attached);
	return code;
}

/* ---- the process ends ---- */

/* Both ends come here, VMDeath and exit(3), at the same time perhaps. */
static void end_of_process(void)
{
	struct session *session;

	if (getpid() != events.process)
		return;
	if (events.life.over)
		events.life.over();
	if (!sessions_wait())
		return;
	session = events_session();
	if (session && session_recording(session))
		finish(session);
	pthread_mutex_unlock(&sessions);
}

static void JNICALL on_vm_death(jvmtiEnv *jvmti, JNIEnv *jni)
{
	struct session *session = events_session();
	bool recording = session && session_recording(session);

	(void)jvmti;
	if (recording)
		check_patterns(jni, session);
	end_of_process();
	/* Only now: events are switched off one kind after the other, and an exit whose entry
	 * was already off would match nothing. */
	if (recording && session == events_session())
		enable_events(session, false);
}

/* ---- the agent is loaded ---- */

/* From now on what descriptors are is known, recorded or not. */
static int watch_io(JNIEnv *jni, struct error *error)
{
	if (!io_prepare((uint32_t)events.loaded.io_slots))
		return error_set(error, ERROR_MEMORY, "no memory for what descriptors are");
	if (jvm_enable(&events.jvm, JVMTI_EVENT_NATIVE_METHOD_BIND, true, error))
		return -ERROR_JVM;
	class_loading_init(jni);
	io_natives_open(jni);
	return 0;
}

static int learn(JNIEnv *jni, struct error *error)
{
	if (jvm_learn(&events.jvm, jni, error) || watch_io(jni, error))
		return -ERROR_JVM;
	if (!learnt)
		alloc_way = hotspot_learn(&events.jvm, jni);
	learnt = true;
	if (events.life.ready)
		events.life.ready();
	return 0;
}

/* The first session, made when the agent was loaded; thread as in let_in. */
static int begin_first(JNIEnv *jni, jthread thread, struct error *error)
{
	struct session *session = first;

	first = NULL;
	if (session)
		return begin(jni, thread, session, error);
	log_line(LOG_INFO, "start=no: nothing is recorded yet");
	return 0;
}

static void JNICALL on_vm_init(jvmtiEnv *jvmti, JNIEnv *jni, jthread thread)
{
	struct error error = {0};

	(void)jvmti;
	if (learn(jni, &error) || begin_first(jni, thread, &error))
		log_line(LOG_ERROR, "%s; nothing is recorded, the application runs on",
			error.text);
}

static int attached_here(JNIEnv *jni, const struct order *order, struct error *error)
{
	(void)order;
	return learn(jni, error) ? -ERROR_JVM : begin_first(jni, NULL, error);
}

int events_attached(struct error *error)
{
	return one_at_a_time(attached_here, NULL, error);
}

/* ---- other events ---- */

static void JNICALL on_thread_start(jvmtiEnv *jvmti, JNIEnv *jni, jthread thread)
{
	(void)jvmti;
	thread_events_adopt(jni, thread, FOUND_NONE);
	thread_starts_begin(jni, thread);
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
	function = native_methods_bind(jni, method, io_natives_bind(jni, method, address));
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

/* Once in the life of the process, whatever is loaded how often. */
static void watch_exit(void)
{
	static bool watched;

	if (!watched && atexit(end_of_process))
		log_line(LOG_WARN, "a profile cannot be finished if native code calls exit()");
	watched = true;
}

/* What the options ask for is proved now, even if it is to begin later. */
static int make_first(struct error *error)
{
	struct options options;
	int code = options_override(&options, &events.loaded, NULL, error);

	if (!code)
		code = make_session(&first, &options, error);
	return code;
}

static int prepare(bool live, struct error *error)
{
	may_have_method_events = !live && events.loaded.calls == CALLS_EVENTS;
	if (make_first(error))
		return -ERROR_JVM;
	if (jvm_add_capabilities(&events.jvm, wanted_capabilities(first), error) ||
		set_callbacks(first->metrics.shape, error) || find_interpreter(live, error) ||
		jvm_enable(&events.jvm, JVMTI_EVENT_VM_INIT, true, error) ||
		jvm_enable(&events.jvm, JVMTI_EVENT_VM_DEATH, true, error)) {
		session_destroy(first);
		first = NULL;
		return -ERROR_JVM;
	}
	if (!events.loaded.start) {
		session_destroy(first);
		first = NULL;
	}
	watch_exit();
	return 0;
}

int events_prepare(JavaVM *vm, struct options *options, const struct events_life *life,
	bool live, struct error *error)
{
	events.loaded = *options;
	memset(options, 0, sizeof(*options));
	events.life = *life;
	events.process = getpid();
	/* One environment serves for good: callbacks of before may still be under way. */
	if ((events.jvm.vm || !jvm_open(&events.jvm, vm, error)) && !prepare(live, error))
		return 0;
	options_fini(&events.loaded);
	return -ERROR_JVM;
}

/* ---- sessions ---- */

static int start_here(JNIEnv *jni, const struct order *order, struct error *error)
{
	struct session *session = events_session();
	struct options options;
	int code;

	if (session)
		return error_set(error, ERROR_BUSY, "recording already, into '%s'",
			error_subject(session->path).text);
	code = options_override(&options, &events.loaded, order->options, error);
	if (!code)
		code = make_session(&session, &options, error);
	return code ? code : begin(jni, NULL, session, error);
}

int events_start(const char *options, struct error *error)
{
	return one_at_a_time(start_here, &(struct order){.options = options}, error);
}

static int stop_here(JNIEnv *jni, const struct order *order, struct error *error)
{
	struct session *session = events_session();

	if (!session)
		return error_set(error, ERROR_BUSY, "nothing is being recorded");
	if (order->path)
		*order->path = session->path ? strdup(session->path) : NULL;
	check_patterns(jni, session);
	end(jni, session);
	return 0;
}

int events_stop(char **path, struct error *error)
{
	return one_at_a_time(stop_here, &(struct order){.path = path}, error);
}

int events_with_session(int (*action)(struct session *session, void *argument,
	struct error *error), void *argument, struct error *error)
{
	struct session *session;
	int code;

	if (pthread_mutex_trylock(&sessions))
		return error_set(error, ERROR_BUSY, "a start or stop is under way");
	session = events_session();
	code = session ? action(session, argument, error)
		       : error_set(error, ERROR_BUSY, "nothing is being recorded");
	pthread_mutex_unlock(&sessions);
	return code;
}

static int detach_here(JNIEnv *jni, const struct order *order, struct error *error)
{
	struct session *session = events_session();
	int failed;

	(void)order;
	if (session) {
		check_patterns(jni, session);
		end(jni, session);
	}
	io_natives_close(jni);
	failed = jvm_enable(&events.jvm, JVMTI_EVENT_NATIVE_METHOD_BIND, false, error) |
		 jvm_enable(&events.jvm, JVMTI_EVENT_VM_DEATH, false, error);
	io_forget();
	jvm_give_capabilities_back(&events.jvm);
	options_fini(&events.loaded);
	return failed ? -ERROR_JVM : 0;
}

int events_detach(struct error *error)
{
	return one_at_a_time(detach_here, NULL, error);
}
