/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/*
 * agent: the library's exported functions, a checklist each.
 *
 * In:   the JVM calls Agent_OnLoad before it runs Java code, or Agent_OnAttach when it runs
 *       (JVMTI specification, "Agent Start-Up"), Agent_OnUnload at its end; the application
 *       may call those of jprof.h.
 * Life: OnLoad -> events.c (VMInit ... VMDeath) -> OnUnload. Nothing is given back at the
 *       end: daemon threads may still be inside a callback while the process exits.
 */
#include <jvmti.h>
#include <stdatomic.h>
#include <string.h>

#include "agent/events/events.h"
#include "agent/jvm/hotspot.h"
#include "agent/jvm/jvm.h"
#include "agent/log/log.h"
#include "agent/session/session.h"
#include "include/jprof.h"

static struct session session;

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

static int check_jvm(struct jvm *jvm, struct error *error)
{
	if (metric_set_has(&session.metrics, METRIC_ALLOC) &&
		hotspot_probe(jvm) == HOTSPOT_ALLOC_NONE)
		return error_set(error, ERROR_MISSING,
			"metrics=alloc: this JVM shows no allocation counters");
	return 0;
}

/* JVMTI gives entry and exit events to agents that the JVM started with only: the
 * capabilities exist in the on-load phase (JVMTI specification, "Capability"). */
static int check_live(const struct options *options, struct error *error)
{
	if (options->calls == CALLS_EVENTS)
		return error_set(error, ERROR_VALUE,
			"calls=events cannot begin in a running JVM; legal here: auto, "
			"instrument, off");
	return 0;
}

static int prepare(
	JavaVM *vm, const char *options, bool live, struct jvm *jvm, struct error *error)
{
	if (session_prepare(&session, options, error))
		return -1;
	log_set_level(session.options.log);
	if (jvm_open(jvm, vm, error))
		return -1;
	if (check_version(&session.options, error) ||
		(live && check_live(&session.options, error)) || check_jvm(jvm, error) ||
		events_prepare(*jvm, &session, live, error)) {
		jvm_close(jvm);
		return -1;
	}
	return 0;
}

/* Once in the life of the process; after a refusal it may be tried again. */
static jint load(JavaVM *vm, const char *options, bool live)
{
	static atomic_flag loaded = ATOMIC_FLAG_INIT;
	struct error error = {0};
	struct jvm jvm;

	if (atomic_flag_test_and_set(&loaded)) {
		log_line(LOG_ERROR, "the agent is loaded already: give all options at once");
		return JNI_ERR;
	}
	if (prepare(vm, options, live, &jvm, &error)) {
		log_line(LOG_ERROR, "%s", error.text);
		events.session = NULL;
		options_fini(&session.options);
		memset(&session, 0, sizeof(session));
		atomic_flag_clear(&loaded);
		return JNI_ERR;
	}
	if (!live)
		return JNI_OK;
	if (events_attached(&error)) {
		log_line(LOG_ERROR, "%s; nothing is recorded", error.text);
		return JNI_ERR;
	}
	return JNI_OK;
}

JNIEXPORT jint JNICALL Agent_OnLoad(JavaVM *vm, char *options, void *reserved)
{
	(void)reserved;
	return load(vm, options, false);
}

JNIEXPORT jint JNICALL Agent_OnAttach(JavaVM *vm, char *options, void *reserved)
{
	(void)reserved;
	return load(vm, options, true);
}

JNIEXPORT void JNICALL Agent_OnUnload(JavaVM *vm)
{
	(void)vm;
}

/* For the functions of jprof.h, which may be called where no agent was loaded by the JVM. */
static int if_loaded(int (*action)(struct error *error))
{
	struct error error = {0};

	if (!events.session)
		return -1;
	if (!action(&error))
		return 0;
	log_line(LOG_WARN, "%s", error.text);
	return -1;
}

__attribute__((visibility("default"))) int jprof_start(void)
{
	return if_loaded(events_start);
}

__attribute__((visibility("default"))) int jprof_stop(void)
{
	return if_loaded(events_stop);
}

__attribute__((visibility("default"))) const char *jprof_version(void)
{
	return JPROF_VERSION;
}
