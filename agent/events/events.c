/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/* events: see events.h. */
#include "agent/events/events.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#include "agent/events/method_events.h"
#include "agent/events/thread_events.h"
#include "agent/jvm/hotspot.h"
#include "agent/jvm/methods.h"
#include "agent/events/virtual_threads.h"
#include "agent/log/log.h"

/* Seconds that one end of the session waits for the other. */
enum { STOP_PATIENCE = 30 };

struct events events;

/* Events that are on while the session records. */
static const jvmtiEvent call_events[] = {
	JVMTI_EVENT_METHOD_ENTRY, JVMTI_EVENT_METHOD_EXIT};

static bool wants_vm_objects(const struct metric_set *metrics)
{
	return metric_set_has(metrics, METRIC_VM_OBJECTS) ||
		metric_set_has(metrics, METRIC_VM_BYTES);
}

static bool wants_calls(const struct options *options)
{
	return options->calls != CALLS_OFF;
}

static void enable_events(bool on)
{
	struct error error = {0};
	const struct session *session = events.session;
	int failed = 0;

	if (wants_calls(&session->options)) {
		for (size_t i = 0; i < sizeof(call_events) / sizeof(*call_events); i++)
			failed |= jvm_enable(&events.jvm, call_events[i], on, &error);
	}
	if (wants_vm_objects(&session->metrics))
		failed |= jvm_enable(&events.jvm, JVMTI_EVENT_VM_OBJECT_ALLOC, on, &error);
	failed |= jvm_enable(&events.jvm, JVMTI_EVENT_THREAD_START, on, &error);
	failed |= jvm_enable(&events.jvm, JVMTI_EVENT_THREAD_END, on, &error);
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

static void JNICALL on_vm_init(jvmtiEnv *jvmti, JNIEnv *jni, jthread thread)
{
	static const struct session_source source = {
		.end = methods_end,
		.get = methods_get,
		.lost = methods_lost,
		.virtual_mounts = virtual_threads_mounts};
	struct session *session = events.session;
	struct error error = {0};

	(void)jvmti;
	if (jvm_learn(&events.jvm, jni, &error)) {
		log_line(LOG_ERROR, "%s; nothing is recorded", error.text);
		return;
	}
	note_jvm(session);
	describe_alloc(&session->metrics, hotspot_learn(&events.jvm, jni));
	if (!session_begin(session, &source))
		return;
	if (!thread_events_current)
		thread_events_adopt(jni, thread, FOUND_ALL);
	virtual_threads_watch(&events.jvm);
	enable_events(true);
}

static void stop_once(void)
{
	unsigned busy;

	if (!session_recording(events.session))
		return;
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

static void JNICALL on_vm_death(jvmtiEnv *jvmti, JNIEnv *jni)
{
	bool recording = session_recording(events.session);

	(void)jvmti;
	(void)jni;
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

int events_prepare(struct jvm jvm, struct session *session, struct error *error)
{
	jvmtiEventCallbacks callbacks = {.VMInit = on_vm_init,
		.VMDeath = on_vm_death,
		.ThreadStart = on_thread_start,
		.ThreadEnd = on_thread_end};
	unsigned capabilities = 0;

	events.jvm = jvm;
	events.session = session;
	events.process = getpid();
	method_events_callbacks(session->metrics.shape, &callbacks);
	if (wants_calls(&session->options))
		capabilities |= JVM_METHOD_EVENTS;
	if (wants_vm_objects(&session->metrics))
		capabilities |= JVM_VM_OBJECT_EVENTS;
	methods_init(&session->options.include, &session->options.exclude);
	if (jvm_add_capabilities(&events.jvm, capabilities, error) ||
		jvm_set_callbacks(&events.jvm, &callbacks, error) ||
		jvm_enable(&events.jvm, JVMTI_EVENT_VM_INIT, true, error) ||
		jvm_enable(&events.jvm, JVMTI_EVENT_VM_DEATH, true, error))
		return -ERROR_JVM;
	if (atexit(stop_recording))
		log_line(LOG_WARN, "a profile cannot be finished if native code calls exit()");
	return 0;
}
