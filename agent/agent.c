/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/*
 * agent: the library's exported functions, a checklist each.
 *
 * In:   the JVM calls Agent_OnLoad before it runs Java code, or Agent_OnAttach when it runs
 *       (JVMTI specification, "Agent Start-Up"), Agent_OnUnload at its end; the application may
 *       call those of jprof.h.
 * Life: OnLoad -> life.c (VMInit ... VMDeath) -> OnUnload. Nothing is given back at the end:
 *       daemon threads may still be inside a callback while the process exits.
 */
#include <jvmti.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "agent/client_sessions.h"
#include "agent/control/control.h"
#include "agent/inside/from_inside.h"
#include "agent/jvm/hotspot.h"
#include "agent/jvm/jvm.h"
#include "agent/life.h"
#include "agent/log/log.h"
#include "agent/verbs.h"
#include "include/jprof.h"
#include "profile/run_notes.h"

static bool attached;

/* Without a channel the agent does what its options say. */
static void begin_control(void)
{
	/* The control thread reads it as long as it lives. */
	static struct control_setup setup = {.verbs = agent_verbs,
		.due_in = client_sessions_due_in,
		.due = client_sessions_due,
		.gone = client_sessions_gone,
		.needs = client_sessions_need};
	struct error error = {0};

	setup.attached = attached;
	if (control_start(&setup, &error))
		log_line(LOG_WARN, "%s; jprof cannot be controlled in this JVM", error.text);
}

/* No JVM of a run writes over the profile of another. */
static int share_file(struct options *options, struct error *error)
{
	char *own;

	if (options_file_tells_pid(options->file) || run_notes_claim())
		return 0;
	own = options_number_file(options->file, (unsigned)getpid());
	if (!own)
		return error_set(error, ERROR_MEMORY, "no memory for the file's name");
	free(options->file);
	options->file = own;
	return 0;
}

static int prepare(JavaVM *vm, const char *text, bool live, struct error *error)
{
	static const struct life_hooks hooks = {begin_control, control_end};
	struct options options;

	attached = live;
	if (options_parse(&options, text, error))
		return -1;
	if (!live && share_file(&options, error)) {
		options_fini(&options);
		return -1;
	}
	log_set_level(options.log);
	return life_load(vm, &options, &hooks, live, error);
}

/* Two commands that attach at the same time both load the agent armed, and then ask it to
 * record. */
static jint load_again(const char *text, bool live)
{
	struct options options;
	struct error error = {0};
	bool armed = live && options_parse(&options, text, &error) == 0;

	if (armed) {
		armed = !options.start;
		options_fini(&options);
	}
	/* What was in its way may be gone. */
	if (armed && recorder_is_open() && !control_is_open())
		begin_control();
	if (armed)
		return JNI_OK;
	log_line(LOG_ERROR, "the agent is loaded already: give all options at once");
	return JNI_ERR;
}

/* What jprof reads of a JVM it knows of these releases. */
enum { OLDEST_RELEASE = 17 };

/* The program that the JVM runs must not fail for that. */
static jint refuse_old(int release, bool live)
{
	char why[80], which[24] = "8 or earlier";

	if (release > 1)
		snprintf(which, sizeof(which), "%d", release);
	snprintf(why, sizeof(why), "this JVM is of release %s; jprof needs %d or later", which,
		OLDEST_RELEASE);
	log_line(LOG_ERROR, "%s: nothing is recorded", why);
	run_notes_put(RUN_NOTE_REFUSED, why, NULL);
	return live ? JNI_ERR : JNI_OK;
}

/* After a refusal it may be tried again. */
static jint load(JavaVM *vm, const char *options, bool live)
{
	struct error error = {0};
	int release = jvm_release(vm);

	if (release > 0 && release < OLDEST_RELEASE)
		return refuse_old(release, live);
	if (!life_claim())
		return load_again(options, live);
	if (prepare(vm, options, live, &error)) {
		log_line(LOG_ERROR, "%s", error.text);
		run_notes_put(RUN_NOTE_REFUSED, error.text, NULL);
		life_release();
		return JNI_ERR;
	}
	if (!live)
		return JNI_OK;
	if (life_attached(&error)) {
		log_line(LOG_ERROR, "%s; nothing is recorded", error.text);
		return JNI_ERR;
	}
	return JNI_OK;
}

JNIEXPORT jint JNICALL Agent_OnLoad(JavaVM *vm, char *options, void *reserved)
{
	run_notes_join();
	run_notes_put(RUN_NOTE_JVM, NULL, NULL);
	return load(vm, options, false);
}

JNIEXPORT jint JNICALL Agent_OnAttach(JavaVM *vm, char *options, void *reserved)
{
	return load(vm, options, true);
}

JNIEXPORT void JNICALL Agent_OnUnload(JavaVM *vm)
{
}

/* ---- jprof.h ---- */

/* Says what failed. */
static int told(int code, const struct error *error)
{
	if (code)
		log_line(LOG_WARN, "%s", error->text);
	return code ? -1 : 0;
}

#define EXPORTED __attribute__((visibility("default")))

EXPORTED const char *jprof_version(void)
{
	return JPROF_VERSION;
}

EXPORTED int jprof_start_with(const char *options)
{
	struct error error = {0};

	return jvm_is_open() ? told(from_inside_start(options, &error), &error) : -1;
}

EXPORTED int jprof_start(void)
{
	return jprof_start_with(NULL);
}

EXPORTED int jprof_stop(void)
{
	struct error error = {0};

	return jvm_is_open() ? told(from_inside_stop(&error), &error) : -1;
}

EXPORTED int jprof_is_recording(void)
{
	return from_inside_recording();
}

EXPORTED int jprof_snapshot(const char *label)
{
	struct error error = {0};

	return told(from_inside_snapshot(label, &error), &error);
}

EXPORTED int jprof_reset(void)
{
	struct error error = {0};

	return told(from_inside_reset(&error), &error);
}

EXPORTED int jprof_mark(const char *name)
{
	return from_inside_mark(name);
}

EXPORTED int jprof_thread_value(const char *metric, uint64_t *value)
{
	return from_inside_thread_value(metric, value);
}

EXPORTED int jprof_thread_value_of(int64_t java_thread_id, const char *metric, uint64_t *value)
{
	return from_inside_thread_value_of(java_thread_id, metric, value);
}

EXPORTED int jprof_total_value(const char *metric, uint64_t *value)
{
	return from_inside_total_value(metric, value);
}

EXPORTED int jprof_tag_set(const char *key, const char *value)
{
	return from_inside_tag_set(key, value);
}

EXPORTED int64_t jprof_tags(void)
{
	return from_inside_tags();
}

EXPORTED int jprof_tags_use(int64_t tags)
{
	return from_inside_tags_use(tags);
}
