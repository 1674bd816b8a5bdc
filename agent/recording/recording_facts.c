/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/* recording_facts: see recording_facts.h. */
#include "agent/recording/recording_facts.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "agent/io_calls/io_call.h"
#include "agent/log/log.h"
#include "agent/methods/methods.h"
#include "agent/sample/code_events.h"
#include "agent/sample/sampler.h"
#include "agent/tracers/tracers.h"
#include "agent/probes/call_budget.h"
#include "agent/probes/class_hook.h"
#include "agent/session/session_calibration.h"
#include "agent/trace/event_cost.h"
#include "profile/run_notes.h"

/* Methods that were lost before the session began. */
static uint64_t lost_before;

static void note_jvm(struct session *session)
{
	static const struct {
		const char *key, *property;
	} notes[] = {{"jvm.name", "java.vm.name"}, {"jvm.version", "java.vm.version"},
		{"jvm.info", "java.vm.info"}, {"java.version", "java.version"},
		{"java.home", "java.home"}, {"java.command", "sun.java.command"}};

	for (size_t i = 0; i < sizeof(notes) / sizeof(*notes); i++) {
		char *value = jvm_property(notes[i].property);

		session_note(session, notes[i].key, value);
		free(value);
	}
}

/* Classes that -Xbootclasspath/a adds have the boot loader, as the JDK's have. */
static void say_boot_path(const struct session *session)
{
	static atomic_flag said = ATOMIC_FLAG_INIT;
	char *added = jvm_property("jdk.boot.class.path.append");
	/* JDK 17 has a separator in front. */
	const char *shown = added && *added == ':' ? added + 1 : added;

	if (shown && *shown && session->options.include.count == 0 &&
		session_has_probes(session) && !atomic_flag_test_and_set(&said))
		log_line(LOG_WARN,
			"the classes of '%s' (-Xbootclasspath/a, or an agent's "
			"Boot-Class-Path) count as the JDK's own, and are not recorded; "
			"include=+PACKAGE.* records them, too",
			error_subject(shown).text);
	free(added);
}

/* The main class, or the jar, or what was given in its place. */
void recording_note_run(const struct session *session)
{
	char *program = jvm_property("sun.java.command");

	if (program)
		program[strcspn(program, " ")] = '\0';
	run_notes_put(RUN_NOTE_PROFILE, session->path, program);
	free(program);
}

void recording_describe_alloc(struct metric_set *metrics, enum hotspot_alloc way)
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
			log_line(LOG_ERROR,
				"metric '%s' is 0: this JVM shows no allocation "
				"counters",
				metric->name);
	}
}

/* How events are seen: what they cost depends on it. */
static void note_calls(struct session *session)
{
	static const char *const calls[] = {[CALLS_AUTO] = "auto",
		[CALLS_INSTRUMENT] = "instrument",
		[CALLS_SAMPLE] = "sample",
		[CALLS_COUNT] = "count",
		[CALLS_EVENTS] = "events",
		[CALLS_OFF] = "off"};
	int way = session->options.calls == CALLS_AUTO && !session_keeps_budget(session)
			  ? CALLS_INSTRUMENT
			  : session->options.calls;
	bool precise = session->options.timing == TIMING_PRECISE;

	note_jvm(session);
	session_note(session, "calls", calls[way]);
	session_note(session, "timing", precise ? "precise" : "fast");
	session_note_facts(session);
}

void recording_note_facts(JNIEnv *jni, struct session *session, enum hotspot_alloc alloc)
{
	lost_before = methods_lost();
	recording_describe_alloc(&session->metrics, alloc);
	note_calls(session);
	say_boot_path(session);
	if (metric_set_is_probed(&session->metrics))
		session->event_ns = event_cost(&session->metrics,
			session->options.timing == TIMING_PRECISE, hotspot_alloc_source(jni));
}

void recording_note_guest(struct session *guest)
{
	note_calls(guest);
	session_calibrate(guest);
}

/* ---- what the writer asks for ---- */

static void put_facts(void *session, bool final, fact_put put, void *argument)
{
	session_put_facts(session, final, put, argument);
	fact_put_number(put, argument, "methods.lost", methods_lost() - lost_before);
	io_facts(put, argument);
	if (((const struct session *)session)->reads_stacks)
		sampler_source.facts(put, argument);
	tracers_source.facts(put, argument);
	if (code_events_wanted(session))
		code_events_source.facts(put, argument);
	if (session_changes_classes(session))
		class_hook_facts(put, argument);
	if (session_keeps_budget(session))
		call_budget_facts(put, argument);
}

static void fill_sessions(struct profile_method *method)
{
	struct method_sessions sessions = methods_sessions(method->id);

	method->wanted = sessions.wanted;
	method->counted = sessions.counted;
	method->scope = sessions.scope;
	method->watched = sessions.watched;
}

const struct writer_source recording_source = {.methods_end = methods_end,
	.method = methods_get,
	.method_sessions = fill_sessions,
	.sessions_edition = methods_sessions_edition,
	.notes = session_put_notes,
	.facts = put_facts,
	.failed = session_note_failure,
	.files = io_show_files,
	.fold_files = io_fold_files,
	.files_put = io_files_are_shown,
	.samples = &sampler_source,
	.code = &code_events_source,
	.traces = &tracers_source};

struct session_counts recording_counts(void)
{
	struct session_counts counts = {.methods_lost = methods_lost() - lost_before};

	class_hook_counts(&counts.classes, &counts.methods);
	call_budget_counts(&counts);
	return counts;
}
