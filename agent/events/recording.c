/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/*
 * recording: see recording.h.
 *
 * Runs: on the thread that begins or ends a session; facts on the writer's.
 */
#include "agent/events/recording.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "agent/events/class_hook.h"
#include "agent/events/io_call.h"
#include "agent/events/method_probes.h"
#include "agent/events/native_methods.h"
#include "agent/events/thread_events.h"
#include "agent/events/thread_starts.h"
#include "agent/events/virtual_threads.h"
#include "agent/jvm/interpreter.h"
#include "agent/jvm/methods.h"
#include "agent/lock/gate.h"
#include "agent/log/log.h"
#include "agent/trace/event_cost.h"
#include "profile/run_notes.h"

static struct recording_jvm known; /* see recording_know */

void recording_know(const struct recording_jvm *jvm)
{
	known = *jvm;
}

/* ---- who looks at it ---- */

static struct gate looked_at; /* open: events_session() may be used */

struct session *recording_look(void)
{
	return gate_enter(&looked_at) ? events_session() : NULL;
}

void recording_leave(void)
{
	gate_leave(&looked_at);
}

/* ---- what is on while a session records ---- */

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
};

enum { RECORDING_EVENTS = sizeof(recording_events) / sizeof(*recording_events) };

unsigned recording_capabilities(const struct session *session)
{
	unsigned capabilities = JVM_NATIVE_BINDING;

	for (size_t i = 0; i < RECORDING_EVENTS; i++) {
		if (recording_events[i].wanted(session))
			capabilities |= recording_events[i].capability;
	}
	return capabilities;
}

void recording_enable(const struct session *session, bool on)
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
		{"jvm.info", "java.vm.info"},
		{"java.version", "java.version"}, {"java.home", "java.home"},
		{"java.command", "sun.java.command"}};

	for (size_t i = 0; i < sizeof(notes) / sizeof(*notes); i++) {
		char *value = jvm_property(&events.jvm, notes[i].property);

		session_note(session, notes[i].key, value);
		free(value);
	}
}

/* Classes that -Xbootclasspath/a adds have the boot loader, as the JDK's have. */
static void say_boot_path(const struct session *session)
{
	static atomic_flag said = ATOMIC_FLAG_INIT;
	char *added = jvm_property(&events.jvm, "jdk.boot.class.path.append");
	/* JDK 17 has a separator in front. */
	const char *shown = added && *added == ':' ? added + 1 : added;

	if (shown && *shown && session->options.include.count == 0 &&
		calls_by_probes(session) && !atomic_flag_test_and_set(&said))
		log_line(LOG_WARN,
			"the classes of '%s' (-Xbootclasspath/a, or an agent's "
			"Boot-Class-Path) count as the JDK's own, and are not recorded; "
			"include=+PACKAGE.* records them, too",
			error_subject(shown).text);
	free(added);
}

/* The main class, or the jar, or what was given in its place. */
static void note_run(const struct session *session)
{
	char *program = jvm_property(&events.jvm, "sun.java.command");

	if (program)
		program[strcspn(program, " ")] = '\0';
	run_notes_put(RUN_NOTE_PROFILE, session->path, program);
	free(program);
}

/* How events are seen: what they cost depends on it. */
static void note_way(struct session *session)
{
	static const char *const calls[] = {[CALLS_AUTO] = "instrument",
		[CALLS_INSTRUMENT] = "instrument",
		[CALLS_EVENTS] = "events",
		[CALLS_OFF] = "off"};
	static const char *const timing[] = {
		[TIMING_FAST] = "fast", [TIMING_PRECISE] = "precise"};

	session_note(session, "calls", calls[session->options.calls]);
	session_note(session, "timing", timing[session->options.timing]);
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
static void put_facts(const struct session *session,
	void (*put)(void *argument, const char *key, const char *value), void *argument)
{
	io_facts(put, argument);
	if (calls_by_probes(session))
		class_hook_facts(put, argument);
}

static const struct session_source source = {.end = methods_end,
	.get = methods_get,
	.lost = methods_lost,
	.chosen = class_hook_chosen,
	.files = io_show_files,
	.fold_files = io_fold_files,
	.files_put = io_files_are_shown,
	.facts = put_facts};

/* ---- what a session needs ---- */

/* JVMTI gives entry and exit events to agents that the JVM started with only: the
 * capabilities exist in the on-load phase (JVMTI specification, "Capability"). */
static int check_calls(const struct options *options, struct error *error)
{
	if (options->calls == CALLS_EVENTS && !known.method_events)
		return error_set(error, ERROR_VALUE,
			"calls=events cannot begin in a running JVM that was not started with "
			"it; legal here: auto, instrument, off");
	return 0;
}

static int check_metrics(const struct session *session, struct error *error)
{
	if (metric_set_has(&session->metrics, METRIC_ALLOC) && known.alloc == HOTSPOT_ALLOC_NONE)
		return error_set(error, ERROR_MISSING,
			"metrics=alloc: this JVM shows no allocation counters");
	return 0;
}

int recording_make(
	struct session **session, struct options *options, struct error *error)
{
	int code = check_calls(options, error);

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

/* The probes' functions must be there before the class hook is enabled. */
static int prepare_probes(
	JNIEnv *jni, enum metric_shape shape, bool precise, struct error *error)
{
	if (interpreter.size == 0)
		log_line(LOG_WARN, "this JVM does not say where its interpreter is: every call "
				   "counts as jitted");
	return method_probes_install(jni, shape, precise, error);
}

static int prepare_session(JNIEnv *jni, struct session *session, struct error *error)
{
	enum metric_shape shape = session->metrics.shape;
	bool precise = session->options.timing == TIMING_PRECISE;

	log_set_level(session->options.log);
	class_hook_forget();
	native_methods_use(shape, precise);
	if (jvm_add_capabilities(&events.jvm, recording_capabilities(session), error) ||
		events_set_callbacks(shape, precise, error) ||
		(calls_by_probes(session) && prepare_probes(jni, shape, precise, error)))
		return -ERROR_JVM;
	describe_alloc(&session->metrics, known.alloc);
	note_jvm(session);
	note_way(session);
	say_boot_path(session);
	if (metric_set_is_probed(&session->metrics))
		session->event_ns =
			event_cost(&session->metrics, precise, hotspot_alloc_source(jni));
	return 0;
}

/* ---- its begin ---- */

/* That a thread ends must be seen as long as it may have a context: its counters end with it. */
static void watch_ends(bool on)
{
	struct error error = {0};

	if (jvm_enable(&events.jvm, JVMTI_EVENT_THREAD_END, on, &error))
		log_line(LOG_ERROR, "%s", error.text);
}

/* thread: the running one, if it is the application's; or NULL. */
static void let_in(JNIEnv *jni, jthread thread, struct session *session)
{
	watch_ends(true);
	virtual_threads_watch(&events.jvm, true); /* before the first thread joins */
	thread_events_start();
	gate_open(&looked_at);
	if (thread)
		thread_events_adopt(jni, thread, FOUND_ALL);
	if (session_has_scope(session) && session->options.scope_follow)
		thread_starts_watch(jni, true);
	if (calls_by_probes(session))
		native_methods_open();
	recording_enable(session, true);
	io_start(session);
	if (calls_by_probes(session))
		class_hook_open(&events.jvm, jni);
}

int recording_begin(JNIEnv *jni, jthread thread, struct session *session, struct error *error)
{
	const struct method_filter filter = {&session->options.include,
		&session->options.exclude, &session->options.scope};
	int code = prepare_session(jni, session, error);

	/* As the JVM starts. */
	session->may_be_unwanted = thread && !jvm_names_program(&events.jvm);
	if (!code) {
		methods_choose(&filter);
		atomic_store(&events.session, session);
		code = session_begin(session, &source, error);
	}
	if (!code) {
		let_in(jni, thread, session);
		note_run(session);
		return 0;
	}
	methods_choose(NULL);
	atomic_store(&events.session, NULL);
	log_set_level(events.loaded.log);
	session_destroy(session);
	return code;
}

/* ---- its end ---- */

unsigned recording_finish(struct session *session, struct error *error)
{
	unsigned busy = !gate_close(&looked_at);

	io_stop();
	busy += thread_events_stop();
	if (busy)
		log_line(LOG_WARN,
			"%u threads are still inside an event: their last one may be missing",
			busy);
	session_end(session, error);
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
	recording_enable(session, false);
	virtual_threads_watch(&events.jvm, false);
	out &= thread_events_release();
	watch_ends(false);
	return out;
}

int recording_end(JNIEnv *jni, struct session *session, struct error *error)
{
	bool out = recording_finish(session, error) == 0;

	out &= take_out(jni, session) && !session->abandoned;
	methods_choose(NULL);
	atomic_store(&events.session, NULL);
	log_set_level(events.loaded.log);
	if (out)
		session_destroy(session);
	else
		log_line(LOG_WARN, "somebody still uses what the session that ended has: its memory "
				   "is kept");
	return -(int)error->code;
}
