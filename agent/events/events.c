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
#include "agent/events/filter_check.h"
#include "agent/events/io_call.h"
#include "agent/events/io_natives.h"
#include "agent/events/jprof_class.h"
#include "agent/events/method_events.h"
#include "agent/events/native_methods.h"
#include "agent/events/native_thunk.h"
#include "agent/events/recording.h"
#include "agent/events/thread_events.h"
#include "agent/events/thread_starts.h"
#include "agent/events/virtual_threads.h"
#include "agent/jvm/interpreter.h"
#include "agent/log/log.h"
#include "agent/session/session_matches.h"
#include "options/matches.h"
#include "profile/run_notes.h"

enum {
	STOP_PATIENCE_MS = 30000, /* that one end of the session waits for the other */
	TURN_PATIENCE_MS = 500,   /* that a command waits for another */
};

struct events events;
static struct session *first; /* made when the agent was loaded, begun when the JVM can */
static struct recording_jvm known;
static unsigned sessions_begun; /* in the life of the process */
static bool ready; /* loaded, and not detached since */
static bool learnt; /* what only a running JVM tells */

static void JNICALL on_vm_init(jvmtiEnv *jvmti, JNIEnv *jni, jthread thread);
static void JNICALL on_vm_death(jvmtiEnv *jvmti, JNIEnv *jni);
static void JNICALL on_thread_start(jvmtiEnv *jvmti, JNIEnv *jni, jthread thread);
static void JNICALL on_thread_end(jvmtiEnv *jvmti, JNIEnv *jni, jthread thread);
static void JNICALL on_native_bind(jvmtiEnv *jvmti, JNIEnv *jni, jthread thread,
	jmethodID method, void *address, void **new_address);
static void JNICALL on_code_generated(
	jvmtiEnv *jvmti, const char *name, const void *address, jint length);

int events_set_callbacks(enum metric_shape shape, bool precise, struct error *error)
{
	jvmtiEventCallbacks callbacks = {.VMInit = on_vm_init,
		.VMDeath = on_vm_death,
		.ThreadStart = on_thread_start,
		.ThreadEnd = on_thread_end,
		.ClassFileLoadHook = class_hook_event,
		.NativeMethodBind = on_native_bind,
		.DynamicCodeGenerated = on_code_generated};

	method_events_callbacks(shape, precise, &callbacks);
	return jvm_set_callbacks(&events.jvm, &callbacks, virtual_threads_end, error);
}

/* To `jprof run`; or to those who asked for a profile by the JVM's own command line. An agent that came
 * later is on the standard error of somebody else. */
static void say(void *user, const char *line)
{
	(void)user;
	run_notes_put(RUN_NOTE_REMARK, line, NULL);
	log_line(known.attached || run_notes_joined() ? LOG_INFO : LOG_WARN, "%s", line);
}

static void say_unmatched(struct session *session)
{
	json_t *rows = session_matches(session);
	const char *option = matches_nothing(rows);
	char line[80];

	matches_say(rows, true, MATCHES_SAID, say, NULL);
	if (option) {
		snprintf(line, sizeof(line), MATCHES_NOTHING, "", option);
		say(NULL, line);
	}
	json_decref(rows);
}

/* When the recording has ended. */
static void say_folded(const struct session *session)
{
	char line[FOLDED_LINE];

	if (session_folded(session, line))
		say(NULL, line);
	if (session_exceeded(session, line))
		say(NULL, line);
}

/* ---- one at a time ---- */

/* Held by whoever begins, uses or ends a session. The process's end waits for it long, as the process
 * is gone when it returns; others do for a moment, and are turned away then. */
static pthread_mutex_t sessions = PTHREAD_ERRORCHECK_MUTEX_INITIALIZER_NP;

static _Atomic bool over; /* VMDeath has been: nobody may begin or end a session any more */

static bool sessions_wait(unsigned ms)
{
	struct timespec patience;

	clock_gettime(CLOCK_MONOTONIC, &patience);
	patience.tv_sec += ms / 1000;
	patience.tv_nsec += (long)(ms % 1000) * 1000000;
	if (patience.tv_nsec >= 1000000000) {
		patience.tv_sec++;
		patience.tv_nsec -= 1000000000;
	}
	return pthread_mutex_clocklock(&sessions, CLOCK_MONOTONIC, &patience) == 0;
}

/* Not for long: while classes are retransformed Java code of the application may run, and wait for
 * this thread. */
static bool sessions_take(void)
{
	return sessions_wait(TURN_PATIENCE_MS);
}

struct order {
	const char *options;
	struct events_told *told; /* NULL: nothing is to be told */
	uint32_t number;          /* of the recording that is meant; 0: whichever runs */
	uint32_t *begun; /* becomes the number of the one that begins; may be NULL */
};

static int in_turn(JNIEnv *jni,
	int (*action)(JNIEnv *jni, const struct order *order, struct error *error),
	const struct order *order, struct error *error)
{
	int code;

	if (!jni || atomic_load(&over))
		return error_set(error, ERROR_JVM, "the JVM is ending");
	if (!sessions_take())
		return error_set(error, ERROR_BUSY, "another command is under way");
	code = action(jni, order, error);
	pthread_mutex_unlock(&sessions);
	return code;
}

static int one_at_a_time(
	int (*action)(JNIEnv *jni, const struct order *order, struct error *error),
	const struct order *order, struct error *error)
{
	struct thread_hiding before = thread_events_hide_own();
	bool attached;
	JNIEnv *jni = jvm_enter(&events.jvm, &attached);
	int code = in_turn(jni, action, order, error);

	if (jni)
		jvm_leave(&events.jvm, attached);
	thread_events_show_own(before);
	return code;
}

/* ---- the process ends ---- */

/* Both ends come here, VMDeath and exit(3), at the same time perhaps. jni: VMDeath's, or NULL. */
static void end_of_process(JNIEnv *jni)
{
	struct error error = {0};
	struct session *session;

	if (getpid() != events.process || atomic_load(&over))
		return;
	if (events.life.over)
		events.life.over();
	if (!sessions_wait(STOP_PATIENCE_MS))
		return;
	atomic_store(&over, true);
	session = events_session();
	if (session && session_recording(session)) {
		bool ran = !jni || !session->may_be_unwanted ||
			   jvm_ran_program(&events.jvm, jni);

		if (jni)
			filter_check(&events.jvm, jni, session);
		if (ran)
			say_unmatched(session);
		session->unwanted = !ran;
		recording_finish(session, &error);
		if (ran)
			say_folded(session);
		if (!ran) {
			run_notes_put(RUN_NOTE_NO_PROGRAM, session->path, NULL);
			run_notes_unclaim();
		}
		/* Only now: events are switched off one kind after the other, and an exit whose
		 * entry was already off would match nothing. */
		if (jni)
			recording_enable(session, false);
	}
	pthread_mutex_unlock(&sessions);
}

static void on_exit_call(void)
{
	end_of_process(NULL);
}

static void JNICALL on_vm_death(jvmtiEnv *jvmti, JNIEnv *jni)
{
	(void)jvmti;
	end_of_process(jni);
}

/* ---- the agent is loaded ---- */

/* From now on what descriptors are is known, recorded or not. */
static int watch_io(JNIEnv *jni, struct error *error)
{
	if (!io_prepare((uint32_t)events.loaded.io_slots))
		return error_set(error, ERROR_MEMORY, "no memory for what descriptors are");
	/* Calls that were under way when the agent was detached have noted what they opened. */
	io_forget();
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
		known.alloc = hotspot_learn(&events.jvm, jni);
	learnt = true;
	recording_know(&known);
	jprof_class_open(jni);
	ready = true;
	return 0;
}

/* The options of the next session: what the agent was loaded with, overridden. Unless a file is
 * asked for, a profile is not written over one of this process that is finished: its name gets a
 * number. */
static int next_options(struct options *options, const char *text, struct error *error)
{
	struct options base = events.loaded;
	int code;

	if (sessions_begun > 0)
		base.file = options_number_file(base.file, sessions_begun + 1);
	if (!base.file)
		return error_set(error, ERROR_MEMORY, "no memory for the file's name");
	code = options_override(options, &base, text, error);
	if (base.file != events.loaded.file)
		free(base.file);
	return code;
}

/* Takes the session. */
static int begin(JNIEnv *jni, jthread thread, struct session *session, struct error *error)
{
	int code;

	if (sessions_begun > 0)
		trace_expect_old_frames(session->trace);
	code = recording_begin(jni, thread, session, error);
	sessions_begun += code == 0;
	/* As the JVM starts, next to nothing is there yet. */
	if (code == 0 && !thread)
		filter_check(&events.jvm, jni, session);
	return code;
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

/* Undoes learn, and events_prepare; behind it the agent may be loaded again. What the JVM refuses to
 * switch off raises events that find nothing to do. */
static void unload(JNIEnv *jni)
{
	static const jvmtiEvent life_events[] = {JVMTI_EVENT_NATIVE_METHOD_BIND,
		JVMTI_EVENT_DYNAMIC_CODE_GENERATED, JVMTI_EVENT_VM_INIT, JVMTI_EVENT_VM_DEATH};
	struct error error = {0};

	ready = false;
	session_destroy(first);
	first = NULL;
	jprof_class_close(jni);
	io_natives_close(jni);
	for (size_t i = 0; i < sizeof(life_events) / sizeof(*life_events); i++)
		if (jvm_enable(&events.jvm, life_events[i], false, &error))
			log_line(LOG_INFO, "%s", error.text);
	io_forget();
	jvm_give_capabilities_back(&events.jvm);
	options_fini(&events.loaded);
}

/* The channel for control opens when there is something to control. */
static void tell_ready(void)
{
	if (ready && events.life.ready)
		events.life.ready();
}

static void JNICALL on_vm_init(jvmtiEnv *jvmti, JNIEnv *jni, jthread thread)
{
	struct error error = {0};

	(void)jvmti;
	if (!sessions_wait(STOP_PATIENCE_MS))
		return;
	if (learn(jni, &error) || begin_first(jni, thread, &error)) {
		log_line(LOG_ERROR, "%s; nothing is recorded, the application runs on",
			error.text);
		run_notes_put(RUN_NOTE_REFUSED, error.text, NULL);
	}
	pthread_mutex_unlock(&sessions);
	tell_ready();
}

static int attached_here(JNIEnv *jni, const struct order *order, struct error *error)
{
	(void)order;
	if (!learn(jni, error))
		return begin_first(jni, NULL, error);
	unload(jni);
	return -ERROR_JVM;
}

int events_attached(struct error *error)
{
	int code = one_at_a_time(attached_here, NULL, error);

	tell_ready();
	return code;
}

/* ---- other events ---- */

static void JNICALL on_thread_start(jvmtiEnv *jvmti, JNIEnv *jni, jthread thread)
{
	(void)jvmti;
	thread_events_thread_start(jni, thread);
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
	struct thread_context *paused;
	void *function;

	(void)jvmti;
	(void)thread;
	/* A thunk that jprof binds itself calls what it found, a stand-in perhaps. */
	if (!jni || native_is_thunk(address))
		return;
	paused = thread_events_pause();
	jvm_expect_references(jni);
	function = native_methods_bind(jni, method, io_natives_bind(jni, method, address));
	if (function != address)
		*new_address = function;
	thread_events_resume(paused);
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

	if (!watched && atexit(on_exit_call))
		log_line(LOG_WARN, "a profile cannot be finished if native code calls exit()");
	watched = true;
}

/* What the options ask for is proved now, even if it is to begin later. */
static int make_first(struct error *error)
{
	struct options options;
	int code = next_options(&options, NULL, error);

	if (!code)
		code = recording_make(&first, &options, error);
	return code;
}

static int prepare(bool live, struct error *error)
{
	known.attached = live;
	known.method_events |= !live && events.loaded.calls == CALLS_EVENTS;
	if (!learnt)
		known.alloc = hotspot_probe(&events.jvm);
	recording_know(&known);
	if (make_first(error))
		return -ERROR_JVM;
	if (jvm_add_capabilities(&events.jvm, recording_capabilities(first), error) ||
		events_set_callbacks(first->metrics.shape,
			first->options.timing == TIMING_PRECISE, error) ||
		find_interpreter(live, error) ||
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
	events.loaded_at = clock_now();
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

	if (!ready)
		return error_set(error, ERROR_MISSING, "the agent was detached: attach it again");
	if (session)
		return error_set(error, ERROR_BUSY, "recording already, into '%s': stop that first",
			error_subject(session->path).text);
	code = next_options(&options, order->options, error);
	if (!code)
		code = recording_make(&session, &options, error);
	if (!code)
		code = begin(jni, NULL, session, error);
	if (!code && order->begun)
		*order->begun = events_number();
	return code;
}

int events_start(const char *options, uint32_t *number, struct error *error)
{
	return one_at_a_time(
		start_here, &(struct order){.options = options, .begun = number}, error);
}

static int tell_session(struct session *session, void *argument, struct error *error)
{
	struct events_told *told = argument;

	(void)error;
	told->path = session->path ? strdup(session->path) : NULL;
	told->matches = session_matches(session);
	return 0;
}

/* A session that ends: what it was looked for in vain is looked for once more. */
static void tell_of(JNIEnv *jni, struct session *session, struct events_told *told)
{
	filter_check(&events.jvm, jni, session);
	if (told)
		tell_session(session, told, NULL);
	if (run_notes_joined())
		say_unmatched(session);
}

void events_tell(struct events_told *told)
{
	struct error ignored = {0};

	*told = (struct events_told){0};
	events_with_session(tell_session, told, &ignored);
}

void events_told_fini(struct events_told *told)
{
	free(told->path);
	json_decref(told->matches);
	*told = (struct events_told){0};
}

static int check_here(JNIEnv *jni, const struct order *order, struct error *error)
{
	struct session *session = events_session();

	(void)order;
	(void)error;
	if (session && session_near_is_old(session))
		filter_check(&events.jvm, jni, session);
	return 0;
}

void events_check_filters(void)
{
	struct error ignored = {0};

	if (events_session())
		one_at_a_time(check_here, NULL, &ignored);
}

static int stop_here(JNIEnv *jni, const struct order *order, struct error *error)
{
	struct session *session = events_session();

	if (!session || (order->number && order->number != events_number()))
		return error_set(error, ERROR_BUSY, "nothing is being recorded: start a recording first");
	tell_of(jni, session, order->told);
	return recording_end(jni, session, error);
}

int events_stop(struct events_told *told, struct error *error)
{
	return one_at_a_time(stop_here, &(struct order){.told = told}, error);
}

uint32_t events_number(void)
{
	return atomic_load(&thread_events_session);
}

int events_stop_number(uint32_t number, struct events_told *told, struct error *error)
{
	return one_at_a_time(
		stop_here, &(struct order){.told = told, .number = number}, error);
}

bool events_ready(void)
{
	return ready;
}

int events_with_session(int (*action)(struct session *session, void *argument,
	struct error *error), void *argument, struct error *error)
{
	struct session *session;
	int code;

	if (!sessions_take())
		return error_set(error, ERROR_BUSY, "another command is under way");
	session = atomic_load(&over) ? NULL : events_session();
	code = session && session_recording(session)
		       ? action(session, argument, error)
		       : error_set(error, ERROR_BUSY, "nothing is being recorded: start a recording first");
	pthread_mutex_unlock(&sessions);
	return code;
}

static int detach_here(JNIEnv *jni, const struct order *order, struct error *error)
{
	struct session *session = events_session();

	(void)error;
	if (session) {
		tell_of(jni, session, order->told);
		recording_end(jni, session, &(struct error){0}); /* it has said what failed */
	}
	unload(jni);
	return 0;
}

int events_detach(struct events_told *told, struct error *error)
{
	return one_at_a_time(detach_here, &(struct order){.told = told}, error);
}

