/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/*
 * agent: the library's exported functions, a checklist each.
 *
 * In:   the JVM calls Agent_OnLoad before it runs Java code (JVMTI specification, "Agent
 *       Start-Up"), Agent_OnUnload at its end; the application may call those of jprof.h.
 * Life: OnLoad -> events.c (VMInit ... VMDeath) -> OnUnload. Nothing is given back at the
 *       end: daemon threads may still be inside a callback while the process exits.
 */
#include <jvmti.h>
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
	} later[] = {{options->calls == CALLS_INSTRUMENT, "calls=instrument", "auto, events, off"},
		{options->io == IO_RECORDS, "io=records", "off, summary (nothing is recorded)"},
		{options->timing == TIMING_PRECISE, "timing=precise", "fast"},
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

static int start(JavaVM *vm, const char *options, struct error *error)
{
	static bool loaded;
	struct jvm jvm;

	if (loaded)
		return error_set(error, ERROR_BUSY,
			"the agent is loaded already: give all options to one -agentpath");
	loaded = true;
	if (session_prepare(&session, options, error))
		return -1;
	log_set_level(session.options.log);
	if (jvm_open(&jvm, vm, error))
		return -1;
	if (check_version(&session.options, error) || check_jvm(&jvm, error))
		return -1;
	return events_prepare(jvm, &session, error);
}

JNIEXPORT jint JNICALL Agent_OnLoad(JavaVM *vm, char *options, void *reserved)
{
	struct error error = {0};

	(void)reserved;
	if (start(vm, options, &error)) {
		log_line(LOG_ERROR, "%s", error.text);
		return JNI_ERR;
	}
	return JNI_OK;
}

/* A running JVM has no entry and exit events to give (the capabilities exist in the on-load
 * phase only), so there is nothing this version could record: refused, the JVM runs on. */
JNIEXPORT jint JNICALL Agent_OnAttach(JavaVM *vm, char *options, void *reserved)
{
	(void)vm;
	(void)options;
	(void)reserved;
	log_line(LOG_ERROR, "this version cannot be loaded into a running JVM: start the JVM "
			    "with -agentpath");
	return JNI_ERR;
}

JNIEXPORT void JNICALL Agent_OnUnload(JavaVM *vm)
{
	(void)vm;
}

__attribute__((visibility("default"))) const char *jprof_version(void)
{
	return JPROF_VERSION;
}
