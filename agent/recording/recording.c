/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/* recording: see recording.h. */
#include "agent/recording/recording.h"

#include <stdatomic.h>

#include "agent/io_calls/io_call.h"
#include "agent/log/log.h"
#include "agent/methods/call_kinds.h"
#include "agent/jvm/object_text.h"
#include "agent/methods/plan.h"
#include "agent/methods/value_rows.h"
#include "agent/probes/call_budget.h"
#include "agent/probes/class_hook.h"
#include "agent/probes/counted_calls.h"
#include "agent/probes/method_events.h"
#include "agent/probes/method_probes.h"
#include "agent/probes/native_methods.h"
#include "agent/recording/plan_owners.h"
#include "agent/recording/recording_facts.h"
#include "agent/sample/code_events.h"
#include "agent/sample/sample_entries.h"
#include "agent/sample/allocations.h"
#include "agent/sample/sample_events.h"
#include "agent/sample/sampler.h"
#include "agent/session/session_calibration.h"
#include "agent/session/sharing.h"
#include "agent/threads/thread_events.h"
#include "agent/threads/threads.h"
#include "agent/threads/virtual_threads.h"
#include "agent/tracers/tracers.h"
#include "agent/values/tag_sets.h"
#include "agent/values/values.h"

/* Values take at most so small a part of what call trees may. */
enum { VALUES_SHARE = 8 };

static struct recording_jvm known; /* see recording_know */

void recording_know(const struct recording_jvm *jvm)
{
	known = *jvm;
}

const struct recording_jvm *recording_known(void)
{
	return &known;
}

/* ---- what is on while a session records ---- */

static bool calls_by_events(const struct session *session)
{
	return session->options.calls == CALLS_EVENTS;
}

static bool always(const struct session *session)
{
	return true;
}

static bool samples(const struct session *session)
{
	return options_sample(&session->options);
}

/* A trace that needs them may be switched on at any time. */
static bool reads_stacks(const struct session *session)
{
	return session->reads_stacks;
}

static bool vm_objects(const struct session *session)
{
	return metric_set_has(session_metrics(session), METRIC_VM_OBJECTS) ||
	       metric_set_has(session_metrics(session), METRIC_VM_BYTES);
}

/* Events that are on while the session records, and what they need. Those that stay are on until the recording ends, once they
 * are: what is made of them is wrong if one is missed. */
static const struct recording_event {
	jvmtiEvent event;
	bool (*wanted)(const struct session *session);
	unsigned capability;
	bool stays;
} recording_events[] = {
	{JVMTI_EVENT_METHOD_ENTRY, calls_by_events, JVM_METHOD_EVENTS, false},
	{JVMTI_EVENT_METHOD_EXIT, calls_by_events, JVM_METHOD_EVENTS, false},
	{JVMTI_EVENT_CLASS_FILE_LOAD_HOOK, session_changes_classes, JVM_CLASS_REWRITING, false},
	{JVMTI_EVENT_VM_OBJECT_ALLOC, vm_objects, JVM_VM_OBJECT_EVENTS, false},
	{JVMTI_EVENT_THREAD_START, always, 0, false},
	{JVMTI_EVENT_COMPILED_METHOD_LOAD, code_events_wanted, JVM_COMPILED_METHODS, true},
	{JVMTI_EVENT_COMPILED_METHOD_UNLOAD, code_events_wanted, JVM_COMPILED_METHODS, true},
	{JVMTI_EVENT_SAMPLED_OBJECT_ALLOC, sample_events_allocations, JVM_ALLOCATIONS, false},
	{JVMTI_EVENT_GARBAGE_COLLECTION_START, always, JVM_COLLECTIONS, false},
};

enum { RECORDING_EVENTS = sizeof(recording_events) / sizeof(*recording_events) };

/* What its events need is to be had. */
static int prove_events(const struct session *session, struct error *error)
{
	unsigned capabilities = JVM_NATIVE_BINDING;

	for (size_t i = 0; i < RECORDING_EVENTS; i++) {
		if (recording_events[i].wanted(session))
			capabilities |= recording_events[i].capability;
	}
	return jvm_add_capabilities(capabilities, error);
}

/* Of all events that it or a guest may have on: while a recording is, they stay. A JVM that is given others forgets those that it
 * has first, and what happens in between is lost. */
static int set_callbacks(const struct session *session, struct error *error)
{
	jvmtiEventCallbacks callbacks = known.callbacks;
	enum metric_shape shape = session_metrics(session)->shape;
	bool precise = session->options.timing == TIMING_PRECISE;

	callbacks.ClassFileLoadHook = class_hook_event;
	threads_callbacks(&callbacks);
	sample_events_callbacks(&callbacks);
	allocations_callbacks(&callbacks);
	tracers_callbacks(&callbacks);
	code_events_callbacks(&callbacks);
	method_events_callbacks(shape, precise, &callbacks);
	native_methods_use(shape, precise);
	return jvm_set_callbacks(&callbacks, virtual_threads_end, error);
}

static _Atomic unsigned are_on; /* of the table, as bits */

static void enable(size_t place, bool on)
{
	struct error error = {0};
	unsigned bit = 1U << place;

	if (jvm_enable(recording_events[place].event, on, &error))
		log_line(LOG_ERROR, "%s", error.text);
	else if (on)
		atomic_fetch_or(&are_on, bit);
	else
		atomic_fetch_and(&are_on, ~bit);
}

/* Also what a metric that came later put on (widen.c), which the host has by now, too. */
static void disable_all(const struct session *host)
{
	for (size_t i = 0; i < RECORDING_EVENTS; i++)
		if ((atomic_load(&are_on) & 1U << i) || recording_events[i].wanted(host))
			enable(i, false);
}

/* ---- making one ---- */

/* 0, or a negative code: this JVM has not what the options ask for, which are given back then. */
static int check_options(struct options *options, struct error *error)
{
	/* JVMTI gives entry and exit events to agents that the JVM started with only: the
	 * capabilities exist in the on-load phase (JVMTI specification, "Capability"). */
	if (options->calls == CALLS_EVENTS && !known.method_events) {
		options_fini(options);
		return error_set(error, ERROR_VALUE,
			"calls=events cannot begin in a running JVM that was not started "
			"with "
			"it; legal here: auto, sample, count, instrument, off");
	}
	if (options->calls == CALLS_EVENTS && options->call_sites.count > 0) {
		options_fini(options);
		return error_set(error, ERROR_VALUE,
			"call_sites goes with probes and samples alone: the JVM's events "
			"(calls=events) "
			"do not tell from which line a method is called");
	}
	if (options->parameters.count + options->tags.count > 0 &&
		!(options->calls == CALLS_AUTO || options->calls == CALLS_COUNT ||
			options->calls == CALLS_INSTRUMENT)) {
		options_fini(options);
		return error_set(error, ERROR_VALUE,
			"parameters and tags are read by probes: they go with calls=auto, "
			"count and "
			"instrument");
	}
	return 0;
}

int recording_make(struct session **session, struct options *options, struct error *error)
{
	int code = check_options(options, error);

	if (code)
		return code;
	code = session_create(session, options, error);
	if (!code && metric_set_has(&(*session)->metrics, METRIC_ALLOC) &&
		known.alloc == HOTSPOT_ALLOC_NONE)
		code = error_set(error, ERROR_MISSING,
			"metrics=alloc: this JVM shows no allocation counters");
	if (!code)
		code = sampler_prepare(&(*session)->options, error);
	if (!code)
		code = prove_events(*session, error);
	if (!code)
		code = set_callbacks(*session, error);
	if (!code)
		code = tracers_prove(*session, error);
	if (code) {
		session_destroy(*session);
		*session = NULL;
	}
	return code;
}

int recording_make_guest(struct session **guest, struct session *host, struct options *options,
	struct error *error)
{
	int code = check_options(options, error);

	*guest = NULL;
	if (!code)
		code = session_create_guest(guest, host, options, error);
	if (!code)
		code = sharing_check(*guest, error);
	if (!code)
		code = prove_events(*guest, error);
	if (!code)
		code = tracers_prove(*guest, error);
	if (code) {
		session_destroy(*guest);
		*guest = NULL;
	}
	return code;
}

/* ---- the steps of a begin, of a stop, and of an end ---- */

static bool tags_are_open; /* of the JVM's, for what stands for values */

static int want_values(JNIEnv *jni, struct session *session, struct error *error)
{
	int code = 0;

	if (!session_reads_values(session))
		return 0;
	if (!object_text_learn(jni))
		return error_set(error, ERROR_JVM,
			"parameters and tags: this JVM has other classes of texts and numbers "
			"than all that jprof knows");
	if (!tags_are_open)
		code = jvm_tags_open(JVM_TAGS_VALUES, NULL, error);
	if (code)
		return code;
	tags_are_open = true;
	return value_rows_begin(&session->options, session->bit, &session->valued, error);
}

/* Values and tags are of one recording. */
static int begin_values(JNIEnv *jni, struct session *session, struct error *error)
{
	const struct options *options = &session->options;

	values_bound(options->max_memory / VALUES_SHARE, (uint32_t)options->parameter_length);
	return want_values(jni, session, error);
}

static void leave_values(JNIEnv *jni, struct session *session)
{
	value_rows_leave(session->bit);
}

/* A writer that hangs may still look at them, and a thread that a getter keeps. */
static bool end_values(JNIEnv *jni, struct session *session)
{
	value_rows_end();
	if (session->abandoned || session->occupied)
		return true;
	if (tags_are_open)
		jvm_tags_close(JVM_TAGS_VALUES);
	tags_are_open = false;
	tag_sets_forget();
	values_forget();
	return true;
}

static int begin_plan(JNIEnv *jni, struct session *session, struct error *error)
{
	plan_owners_begin(session);
	call_kinds_forget();
	class_hook_forget();
	return 0;
}

static int join_plan(JNIEnv *jni, struct session *session, struct error *error)
{
	methods_forget_session(session->bit);
	plan_owners_begin(session);
	return 0;
}

static bool end_plan(JNIEnv *jni, struct session *session)
{
	for (struct session *each = session; each; each = each->next)
		if (!each->left)
			plan_owners_end(each);
	return true;
}

/* Before the plan is asked for probes. */
static int join_probes(JNIEnv *jni, struct session *session, struct error *error)
{
	if (!session_counts_calls(session) || counted_calls_possible())
		return 0;
	log_line(LOG_WARN, "this JVM's threads have no number that can be read: calls are "
			   "timed, not counted");
	session->options.calls = CALLS_INSTRUMENT;
	session->never_counts = true;
	return 0;
}

static int begin_probes(JNIEnv *jni, struct session *session, struct error *error)
{
	int code = method_probes_begin(jni, session, error);

	return code ? code : join_probes(jni, session, error);
}

static int begin_facts(JNIEnv *jni, struct session *session, struct error *error)
{
	recording_note_facts(jni, session, known.alloc);
	session_calibrate(session);
	return 0;
}

static int join_facts(JNIEnv *jni, struct session *session, struct error *error)
{
	recording_note_guest(session);
	return 0;
}

static int begin_profile(JNIEnv *jni, struct session *session, struct error *error)
{
	return session_begin(session, &recording_source, error);
}

static bool stop_profile(struct session *session, struct error *error)
{
	session_end(session, error);
	return !session->abandoned;
}

static int open_samples(JNIEnv *jni, struct session *session, struct error *error)
{
	return sampler_open(session->host, error);
}

static bool close_samples(JNIEnv *jni, struct session *session)
{
	/* A writer that hangs may still look at them. */
	return !session->abandoned && sampler_close();
}

static int open_code(JNIEnv *jni, struct session *session, struct error *error)
{
	return code_events_open(session, error);
}

static int begin_code(JNIEnv *jni, struct session *session, struct error *error)
{
	code_events_repeat();
	return 0;
}

static bool close_code(JNIEnv *jni, struct session *session)
{
	/* A writer that hangs may come back to it. */
	if (!session->abandoned)
		code_events_close();
	return true;
}

static bool stop_samples(struct session *session, struct error *error)
{
	bool out;

	sample_events_stop();
	out = sampler_stop();

	/* Behind it: the clock looks at no thread that has ended. */
	threads_tell(TOLD_SAMPLER, NULL);
	return out;
}

static void sample_thread(JNIEnv *jni, int64_t java_id, const char *name)
{
	sampler_thread_begins(java_id, name);
}

static void sample_thread_no_more(JNIEnv *jni)
{
	sampler_thread_ends();
}

static int join_samples(JNIEnv *jni, struct session *session, struct error *error)
{
	int code = samples(session) ? sampler_more(&session->options, error) : 0;

	if (code)
		return code;
	session->conditions = sampler_conditions(&session->options);
	/* Those of allocations may be among them. */
	return samples(session) ? sample_events_begin(jni, error) : 0;
}

/* Conditions that only it had asked for end. */
static void leave_samples(JNIEnv *jni, struct session *session)
{
	uint32_t wanted = 0;

	for (const struct session *each = session->host; each; each = each->next)
		wanted |= each->left ? 0 : each->conditions;
	sampler_keep(wanted);
	if (!session_any(session->host, sample_events_allocations))
		sample_events_stop();
}

static int begin_samples(JNIEnv *jni, struct session *session, struct error *error)
{
	static const struct threads_told told = {sample_thread, sample_thread_no_more};
	int code;

	threads_tell(TOLD_SAMPLER, &told);
	sampler_begin();
	sample_entries_begin();
	session->conditions = sampler_conditions(&session->options);
	code = session == session->host ? sample_events_begin(jni, error)
					: join_samples(jni, session, error);
	writer_wake(session->host->writer);
	/* A handler that is still inside keeps the sampler from being closed. */
	if (code)
		stop_samples(session, error);
	return code;
}

/* A thread that just comes may look at what the session says of threads at any time. */
static int join_threads(JNIEnv *jni, struct session *session, struct error *error)
{
	struct session *host = session->host;
	int code = session_choose_threads(session, error);

	if (code)
		return code;
	if (session->options.scope.count == 0)
		atomic_store(&host->has_scope, false);
	threads_renew(jni, host);
	sampler_renew();
	return 0;
}

static void leave_threads(JNIEnv *jni, struct session *session)
{
	session_leave_threads(session);
	threads_renew(jni, session->host);
	sampler_renew();
}

static int join_classes(JNIEnv *jni, struct session *session, struct error *error)
{
	class_hook_session(jni, session->bit);
	return 0;
}

static void leave_classes(JNIEnv *jni, struct session *session)
{
	class_hook_session(jni, session->bit);
}

/* Of the traces that are on: those that somebody who goes on wants. */
static unsigned traces_wanted(const struct session *host)
{
	unsigned bits = 0;

	for (const struct session *each = host; each; each = each->next)
		bits |= each->left ? 0 : each->traces;
	return bits;
}

/* Of a trace of events the options of the session that it began with go on to be looked at. */
static int switch_traces(
	JNIEnv *jni, struct session *session, unsigned on, unsigned off, struct error *error)
{
	int code;

	on &= ~tracers_now();
	session->serves |= on & 1U << TRACE_EVENTS;
	code = tracers_switch(jni, session, on, off, error);
	writer_wake(session->host->writer);
	return code;
}

static int begin_traces(JNIEnv *jni, struct session *session, struct error *error)
{
	int code = tracers_begin(jni, session, error);

	writer_wake(session->host->writer);
	return code;
}

static int join_traces(JNIEnv *jni, struct session *session, struct error *error)
{
	return switch_traces(jni, session, session->traces, 0, error);
}

static void leave_traces(JNIEnv *jni, struct session *session)
{
	tracers_switch(jni, session, 0, tracers_now() & ~traces_wanted(session->host),
		&(struct error){0});
}

static int begin_events(JNIEnv *jni, struct session *session, struct error *error)
{
	for (size_t i = 0; i < RECORDING_EVENTS; i++)
		if (recording_events[i].wanted(session))
			enable(i, true);
	return 0;
}

static bool end_events(JNIEnv *jni, struct session *session)
{
	disable_all(session);
	return true;
}

static void leave_events(JNIEnv *jni, struct session *session)
{
	/* What others want stays on without a break. */
	for (size_t i = 0; i < RECORDING_EVENTS; i++) {
		const struct recording_event *row = &recording_events[i];

		if (row->wanted(session) && !row->stays &&
			!session_any(session->host, row->wanted))
			enable(i, false);
	}
}

/* What traces hold comes as they are switched on. It goes when the writer has ended, also where one of them could not be switched on. */
static int begin_nothing(JNIEnv *jni, struct session *session, struct error *error)
{
	return 0;
}

/*
 * The checklist. A begin goes through it downwards; a stop upwards, and so does, behind that, an end.
 * What fails to begin is followed by the stop and the end of what had begun. A guest that joins goes through it downwards, too: what
 * has not begun yet begins, if it wants that.
 *
 * begin: 0, or a negative code, and nothing of the step is left.
 * stop:  from here on nothing is recorded by it. On any thread, also where the JVM ends. False: something
 *        of the session's is still in use.
 * end:   what begin did is undone. False: as above.
 * join:  it has begun, for others: the guest has its part in it. As begin.
 * leave: the session's part is taken back; others go on.
 */
static const struct step {
	const char *name;
	bool (*wanted)(const struct session *session);
	int (*begin)(JNIEnv *jni, struct session *session, struct error *error);
	bool (*stop)(struct session *session, struct error *error);
	bool (*end)(JNIEnv *jni, struct session *session);
	int (*join)(JNIEnv *jni, struct session *guest, struct error *error);
	void (*leave)(JNIEnv *jni, struct session *session);
} steps[] = {
	{"values and tags", always, begin_values, NULL, end_values, want_values, leave_values},
	{"the functions of probes", session_changes_classes, begin_probes, NULL, NULL,
		join_probes, NULL},
	{"the plan of methods", always, begin_plan, NULL, end_plan, join_plan, NULL},
	{"facts and calibration", always, begin_facts, NULL, NULL, join_facts, NULL},
	{"room for stacks", reads_stacks, open_samples, NULL, close_samples, NULL, NULL},
	{"what traces hold", always, begin_nothing, NULL, tracers_end, NULL, NULL},
	{"room for the map of code", code_events_wanted, open_code, NULL, close_code, NULL,
		NULL},
	{"what calls may cost", session_keeps_budget, call_budget_open, NULL, call_budget_close,
		NULL, NULL},
	{"profile and writer", always, begin_profile, stop_profile, NULL, NULL, NULL},
	{"threads join", always, threads_begin, threads_stop, threads_end, join_threads,
		leave_threads},
	{"the register of counters", session_counts_calls, counted_calls_begin,
		counted_calls_stop, counted_calls_end, counted_calls_more, counted_calls_less},
	{"stacks", reads_stacks, begin_samples, stop_samples, NULL, join_samples,
		leave_samples},
	{"the JVM's events", always, begin_events, NULL, end_events, begin_events,
		leave_events},
	{"traces", always, begin_traces, tracers_stop, NULL, join_traces, leave_traces},
	{"code that is there", code_events_wanted, begin_code, NULL, NULL, NULL, NULL},
	{"I/O", always, io_begin, io_stop, NULL, NULL, NULL},
	{"probes into classes", session_changes_classes, class_hook_begin, NULL, class_hook_end,
		join_classes, leave_classes},
	{"the budget", session_keeps_budget, call_budget_begin, call_budget_stop, NULL, NULL,
		NULL},
};

enum { STEPS = sizeof(steps) / sizeof(*steps) };

static bool has_begun[STEPS]; /* of the recording that is */

/* From the last one back. */
static bool stop_steps(struct session *session, struct error *error)
{
	bool out = true;

	for (int i = STEPS; i-- > 0;)
		if (has_begun[i] && steps[i].stop)
			out &= steps[i].stop(session, error);
	return out;
}

/* Behind stop_steps, which has said whether all are out. What is still in use is left, and that is said. */
static void end_steps(JNIEnv *jni, struct session *session, bool out)
{
	for (int i = STEPS; i-- > 0;) {
		if (has_begun[i] && steps[i].end)
			out &= steps[i].end(jni, session);
		has_begun[i] = false;
	}
	if (out)
		session_destroy(session);
	else
		log_line(LOG_WARN,
			"somebody still uses what the session that ended has: its memory "
			"is kept");
}

int recording_begin(JNIEnv *jni, jthread thread, struct session *session, struct error *error)
{
	int code = 0;

	/* As the JVM starts. */
	session->may_be_unwanted = thread && !jvm_names_program();
	session->from_start = thread != NULL;
	session->reads_stacks =
		samples(session) || session->options.traces.count > 0 || sampler_has_learnt();
	for (int i = 0; i < STEPS; i++) {
		if (!steps[i].wanted(session))
			continue;
		log_line(LOG_DEBUG, "begins: %s", steps[i].name);
		code = steps[i].begin(jni, session, error);
		if (code) {
			session->unwanted = true;
			end_steps(jni, session, stop_steps(session, &(struct error){0}));
			return code;
		}
		has_begun[i] = true;
	}
	if (thread)
		thread_events_adopt(jni, thread, FOUND_ALL);
	if (thread && session_counts_calls(session))
		counted_calls_join(jni, jvm_thread_id(jni, thread));
	sharing_settle(session);
	recording_note_run(session);
	return 0;
}

void recording_stop(struct session *session, struct error *error)
{
	stop_steps(session, error);
}

void recording_silence(const struct session *session)
{
	disable_all(session);
}

/* ---- guests ---- */

/* Its part in the first `count` steps is taken back: of the plan first, so that classes, which are shown once more, lose its probes. */
static void leave_steps(int count, JNIEnv *jni, struct session *session)
{
	plan_owners_leave(session);
	while (count-- > 0)
		if (has_begun[count] && steps[count].leave)
			steps[count].leave(jni, session);
}

/* Nobody asks the plan any more for what the session wanted. */
static void forget_plan(struct session *session)
{
	plan_owners_end(session);
	if (!plan_settle())
		session->serves = session->unsettled = true;
}

static int join_writer(struct session *guest, struct error *error)
{
	struct session *host = guest->host;
	const struct writer_session first = session_for_writer(host),
				    further = session_for_writer(guest);

	return writer_join(host->writer, &further, &first, error);
}

/* One that could not begin may have been half-way, or begin yet, where it took too long: it is asked to leave, and if that cannot be told either, all that
 * it has stays. */
static void forget_in_writer(struct session *guest)
{
	struct error error = {0};

	if (writer_leave(guest->host->writer, guest->number, &error) == -ERROR_IO)
		guest->serves = guest->unsettled = true;
}

int recording_join(JNIEnv *jni, struct session *guest, struct error *error)
{
	int code = 0, done = 0;

	for (; done < STEPS && !code; done++) {
		const struct step *step = &steps[done];

		if (has_begun[done]) {
			code = step->join ? step->join(jni, guest, error) : 0;
		} else if (step->wanted(guest)) {
			log_line(LOG_DEBUG, "begins later: %s", step->name);
			code = step->begin(jni, guest, error);
			has_begun[done] = !code;
			guest->serves = true;
		}
	}
	if (!code) {
		recording_note_parts(guest);
		code = join_writer(guest, error);
		if (code)
			forget_in_writer(guest);
	}
	/* What began with it goes on, also where something else failed. */
	if (!code || guest->serves)
		sharing_settle(guest);
	if (code) {
		guest->left = true;
		leave_steps(done, jni, guest);
		forget_plan(guest);
	}
	return code;
}

int recording_trace(
	JNIEnv *jni, struct session *session, unsigned on, unsigned off, struct error *error)
{
	unsigned others = 0, now, before = session->traces;
	int code;

	session->traces |= on;
	code = sharing_agree(session, error);
	session->traces = before;
	if (code)
		return code;
	for (const struct session *each = session->host; each; each = each->next)
		if (each != session && !each->left)
			others |= each->traces;
	code = switch_traces(jni, session, on, off & ~others, error);
	now = tracers_now();
	session->traces = ((session->traces | on) & ~off) & now;
	session->traces_ever |= session->traces;
	sharing_settle(session);
	return code;
}

int recording_leave(JNIEnv *jni, struct session *session, struct error *error)
{
	int code = writer_leave(session->host->writer, session->number, error);

	/* It may be on its way yet, or still be the one whose file has the database. */
	session->serves |= code != 0;
	session->left = true;
	leave_steps(STEPS, jni, session);
	forget_plan(session);
	return code;
}

int recording_end(JNIEnv *jni, struct session *session, struct error *error)
{
	end_steps(jni, session, stop_steps(session, error));
	return -(int)error->code;
}
