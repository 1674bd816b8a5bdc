/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/* session: see session.h. */
#include "agent/session/session.h"

#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/utsname.h>
#include <time.h>
#include <unistd.h>

#include "agent/log/log.h"
#include "agent/session/build_id.h"
#include "agent/session/session_matches.h"
#include "agent/trace/mount.h"
#include "calibration/processor.h"
#include "components/components.h"
#include "options/event_condition.h"
#include "options/sample_choice.h"
#include "options/thread_choice.h"

/* Of max_memory, directories of archives may take a sixteenth. */
enum { ARCHIVES_PART = 16 };

enum session_state { SESSION_MADE, SESSION_RECORDING, SESSION_ENDED };

/* The place of the metric in the set; or its count: it is not there. */
static unsigned metric_named(const struct metric_set *set, const char *name)
{
	unsigned m = 0;

	while (m < set->count && strcmp(set->metric[m].name, name) != 0)
		m++;
	return m;
}

/* 0, or a negative code. */
static int check_distribution(const struct session *session, struct error *error)
{
	const struct metric_set *set = &session->metrics;
	const struct pattern_list *process = &session->options.distribution_process;

	if (session->options.distribution.count == 0 && process->count > 0)
		return error_set(error, ERROR_VALUE,
			"distribution_process=%s tells nothing without distribution=, which "
			"names methods",
			error_subject(process->pattern[0]).text);
	if (session->options.distribution.count == 0)
		return 0;
	if (!session_has_events(session))
		return error_set(error, ERROR_VALUE,
			"distribution needs calls to be seen; legal here: calls=auto, count, "
			"instrument, events");
	/* Each call is timed, by the wall clock. */
	if (!metric_set_has(set, METRIC_WALL))
		return error_set(error, ERROR_VALUE,
			"distribution needs the metric 'wall', which metrics= does not have");
	for (size_t i = 0; i < process->count; i++) {
		unsigned m = metric_named(set, process->pattern[i]);

		if (m == set->count)
			return error_set(error, ERROR_VALUE,
				"distribution_process needs the metric '%s', which metrics= "
				"does not have",
				error_subject(process->pattern[i]).text);
		if (set->metric[m].kind == METRIC_WALL)
			return error_set(error, ERROR_VALUE,
				"distribution_process=wall is nothing else than the elapsed "
				"time, which distribution tells; legal here: other metrics");
	}
	return 0;
}

/* Of the metrics of which it is told what the whole process uses during a call, as bits. */
static uint32_t process_metrics(const struct session *session)
{
	const struct pattern_list *process = &session->options.distribution_process;
	uint32_t bits = 0;

	for (size_t i = 0; i < process->count; i++)
		bits |= 1u << metric_named(&session->metrics, process->pattern[i]);
	return bits;
}

/* What options do not go together. 0, or a negative code. */
static int check_options(const struct session *session, struct error *error)
{
	const struct metric_set *set = &session->metrics;

	/* They are counted where I/O is. */
	for (unsigned i = 0; i < set->count && session->options.io == IO_OFF; i++)
		if (metric_is_io(set->metric[i].kind))
			return error_set(error, ERROR_VALUE,
				"metrics=%s counts nothing with io=off; legal here: "
				"io=summary, "
				"io=records",
				set->metric[i].name);
	/* A scope is seen by calls. */
	if (session_has_scope(session) && !session_has_events(session))
		return error_set(error, ERROR_VALUE,
			"scope needs calls to be seen; legal here: calls=auto, count, "
			"instrument, events");
	return check_distribution(session, error);
}

uint64_t session_archive_memory(const struct session *session)
{
	return session->options.max_memory / ARCHIVES_PART;
}

static int make_trace(struct session *session, struct error *error)
{
	uint64_t memory = session->options.max_memory;

	/* A seventh is left to the writer's database, and to what trees take beyond their bound so that
	 * no count is lost. */
	if (session->options.io != IO_OFF)
		memory -= session_archive_memory(session);
	session->trace = trace_create(&session->metrics, memory - memory / 7);
	if (!session->trace)
		return error_set(error, ERROR_MEMORY, "no memory for the call trees");
	trace_fold_below(session->trace, (uint32_t)session->options.fold_below);
	if (session->options.io == IO_RECORDS && trace_record_io(session->trace))
		return error_set(error, ERROR_MEMORY, "no memory for records of I/O");
	if (session->options.distribution.count > 0)
		trace_watch_calls(session->trace,
			(unsigned)metric_index(&session->metrics, METRIC_WALL),
			metric_index(&session->metrics, METRIC_CPU), process_metrics(session),
			(uint32_t)session->options.slowest);
	if (session->options.virtual == VIRTUAL_SEPARATE)
		trace_keep_virtual_apart(session->trace);
	return 0;
}

/* Definitions of components, for the profile's reports. 0, or a negative code: they are not legal. */
static int note_components(struct session *session, struct error *error)
{
	struct components components;
	char *text = NULL;
	int failed;

	if (strcmp(session->options.components, "ready-made") == 0)
		return 0;
	failed = components_read(&components, session->options.components, &text, error);
	components_fini(&components);
	if (failed == 0)
		session_note(session, COMPONENTS_FACT, text);
	free(text);
	return failed;
}

int session_create(struct session **session, struct options *options, struct error *error)
{
	struct session *fresh = calloc(1, sizeof(*fresh));
	int code;

	*session = NULL;
	if (!fresh) {
		options_fini(options);
		return error_set(error, ERROR_MEMORY, "no memory for a session");
	}
	lock_init(&fresh->near_lock, LOCK_NEAR);
	fresh->options = *options;
	memset(options, 0, sizeof(*options));
	code = metric_set_init(&fresh->metrics, &fresh->options.metrics, error);
	if (!code &&
		(sample_choice_entered(&fresh->options.sample, &fresh->entered) ||
			event_condition_patterns(&fresh->options.events_when, &fresh->awaited)))
		code = error_set(error, ERROR_MEMORY, "no memory for a session");
	if (!code)
		code = check_options(fresh, error);
	if (!code)
		code = note_components(fresh, error);
	if (!code)
		code = make_trace(fresh, error);
	if (code)
		session_destroy(fresh);
	else
		*session = fresh;
	return code;
}

void session_destroy(struct session *session)
{
	if (!session)
		return;
	trace_destroy(session->trace);
	for (unsigned i = 0; i < session->notes; i++) {
		free(session->note[i].key);
		free(session->note[i].value);
	}
	options_fini(&session->options);
	pattern_list_fini(&session->entered);
	pattern_list_fini(&session->awaited);
	json_decref(session->near);
	lock_fini(&session->near_lock);
	free(session->path);
	free(session);
}

void session_note(struct session *session, const char *key, const char *value)
{
	struct session_note *note = &session->note[session->notes];

	if (!value || session->notes == SESSION_NOTES)
		return;
	note->key = strdup(key);
	note->value = strdup(value);
	if (note->key && note->value) {
		session->notes++;
		return;
	}
	free(note->key);
	free(note->value);
}

bool session_wants_thread(const struct session *session, const struct thread_identity *identity)
{
	return thread_choice_match(
		&session->options.threads, identity->name, identity->java_id, identity->os_id);
}

void session_note_facts(struct session *session)
{
	struct utsname name;
	char text[256];
	char *options = options_to_json(&session->options, 0);

	snprintf(text, sizeof(text), "%ld", sysconf(_SC_NPROCESSORS_ONLN));
	session_note(session, "machine.processors", text);
	if (processor_model(text, sizeof(text)))
		session_note(session, "machine.cpu", text);
	if (!uname(&name)) {
		snprintf(text, sizeof(text), "%s %s %s", name.sysname, name.release,
			name.machine);
		session_note(session, "machine.system", text);
		session_note(session, "machine.host", name.nodename);
	}
	session_note(session, "jprof.version", JPROF_VERSION);
	if (build_id(text, sizeof(text)))
		session_note(session, "jprof.build", text);
	session_note(session, "options", options);
	free(options);
	snprintf(text, sizeof(text), "%ld", (long)getpid());
	session_note(session, "pid", text);
}

void session_put_notes(void *argument, fact_put put, void *put_argument)
{
	const struct session *session = argument;
	char text[32];

	if (trace_watches_calls(session->trace))
		fact_put_number(
			put, put_argument, "distribution.slowest", session->options.slowest);
	if (process_metrics(session))
		fact_put_number(
			put, put_argument, "distribution.process", process_metrics(session));

	for (unsigned i = 0; i < session->notes; i++)
		put(put_argument, session->note[i].key, session->note[i].value);
	if (session->event_ns <= 0)
		return;
	snprintf(text, sizeof(text), "%.1f", session->event_ns);
	put(put_argument, "overhead.event_ns", text);
}

void session_put_facts(void *argument, bool final, fact_put put, void *put_argument)
{
	struct session *session = argument;
	json_t *matches = session_matches(session);
	char *text = json_array_size(matches) > 0 ? json_dumps(matches, JSON_COMPACT) : NULL;
	struct trace_state state;

	trace_get_state(session->trace, &state);
	const struct {
		const char *key;
		uint64_t value;
	} number[] = {{"duration_ns", clock_now() - session->began},
		{"cpu_ns", clock_process() - session->cpu_began},
		{"metric.fallbacks", metric_fallbacks() - session->before.fallbacks},
		{"metric.losses", metric_losses() - session->before.losses},
		{"threads", state.threads}, {"threads.lost", state.lost_threads},
		{"memory.limit", state.memory_limit}, {"memory.peak", state.memory_peak},
		{"calls.recorded", state.calls}, {"calls.folded", state.folded_calls}};

	/* Of what may be lost, and was. */
	const struct {
		const char *key;
		uint64_t value;
	} lost[] = {{"distribution.lost", trace_lost_watched(session->trace)},
		{"labels.lost", trace_lost_labels(session->trace)},
		{"tags.deep", trace_deep_tags(session->trace)}};

	for (size_t i = 0; i < sizeof(number) / sizeof(*number); i++)
		fact_put_number(put, put_argument, number[i].key, number[i].value);
	for (size_t i = 0; i < sizeof(lost) / sizeof(*lost); i++)
		if (lost[i].value > 0)
			fact_put_number(put, put_argument, lost[i].key, lost[i].value);
	if (text)
		put(put_argument, "matches", text);
	free(text);
	json_decref(matches);
	put(put_argument, "complete", final ? "yes" : "no");
}

bool session_folded(const struct session *session, char line[FOLDED_LINE])
{
	struct trace_state state;

	trace_get_state(session->trace, &state);
	return folded_line(line, state.calls, state.folded_calls, state.memory_limit);
}

bool session_exceeded(const struct session *session, char line[FOLDED_LINE])
{
	struct trace_state state;

	trace_get_state(session->trace, &state);
	return exceeded_line(line, state.memory_peak, session->options.max_memory);
}

/* Of the profile, beside its user. */
static const mode_t readers[] = {
	[READERS_OWNER] = 0, [READERS_GROUP] = S_IRGRP, [READERS_ALL] = S_IRGRP | S_IROTH};

static int start_writer(struct session *session, const char *path, struct error *error)
{
	struct writer_source source = *session->source;
	int code;

	source.creation.set_aside = session->may_be_unwanted;
	source.creation.readers = readers[session->options.readers];
	source.resolution = session->options.resolution;
	source.argument = session;
	if (!session->reads_stacks)
		source.samples = NULL;
	if (!options_sample(&session->options) && !session->options.keep_code)
		source.code = NULL;
	code = writer_start(&session->writer, session->trace, &source, &session->metrics, path,
		session->options.flush, error);

	if (!code)
		session->path = realpath(path, NULL);
	return code;
}

/* Opens path, or, when a live process writes that one, path.PID. */
static int start_some_writer(struct session *session, const char *path, struct error *error)
{
	struct error second = {0};
	char *other;
	int code = start_writer(session, path, error);

	if (code != -ERROR_BUSY)
		return code;
	if (asprintf(&other, "%s.%ld", path, (long)getpid()) < 0)
		return code;
	code = start_writer(session, other, &second);
	if (code)
		*error = second;
	else
		log_line(LOG_WARN, "%s; the profile is '%s' instead", error->text, other);
	free(other);
	return code;
}

/* A writer that hung when its session ended; it may still look at what is everybody's: names,
 * files. One start or end at a time. */
static struct writer *abandoned;

/* Its begin, by the clock that counts, and by the one on the wall. */
static void note_begin(struct session *session)
{
	struct timespec now = {0};
	struct tm calendar;
	char day[24];

	session->began = clock_now();
	clock_gettime(CLOCK_REALTIME, &now);
	if (!gmtime_r(&now.tv_sec, &calendar) ||
		!strftime(day, sizeof(day), "%FT%T", &calendar))
		return;
	snprintf(session->started, sizeof(session->started), "%s.%03uZ", day,
		(unsigned)(now.tv_nsec / 1000000) % 1000);
	session_note(session, "started", session->started);
}

int session_begin(
	struct session *session, const struct writer_source *source, struct error *error)
{
	char *path;
	int code;

	if (abandoned && !writer_has_ended(abandoned))
		return error_set(error, ERROR_BUSY,
			"the profile of the last recording is still being written, which "
			"hangs");
	session->source = source;
	note_begin(session);
	session->cpu_began = clock_process();
	session->before = (struct session_before){metric_fallbacks(), metric_losses()};
	path = options_expand_file(session->options.file, getpid(), time(NULL));
	code = path ? start_some_writer(session, path, error)
		    : error_set(error, ERROR_MEMORY, "no memory for the file's name");
	free(path);
	if (code)
		return code;
	log_line(LOG_INFO, "recording into '%s'", session->path);
	atomic_store(&session->state, SESSION_RECORDING);
	return 0;
}

bool session_recording(const struct session *session)
{
	return atomic_load(&session->state) == SESSION_RECORDING;
}

int session_end(struct session *session, struct error *error)
{
	int recording = SESSION_RECORDING;
	int code;

	if (!atomic_compare_exchange_strong(&session->state, &recording, SESSION_ENDED))
		return 0;
	trace_stop(session->trace);
	code = (session->unwanted ? writer_discard : writer_finish)(session->writer, error);
	session->abandoned = code == -ERROR_BUSY;
	if (session->abandoned)
		abandoned = session->writer;
	session->writer = NULL;
	return code;
}
