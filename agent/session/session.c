/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/* session: see session.h. */
#include "agent/session/session.h"

#include <errno.h>
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
#include "profile/label_choice.h"

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

static const char tag_scope[] = "tag:"; /* in front of KEY=PATTERN */

/* A scope that is a tag's value is none of methods. 0, or a negative code. */
static int take_tag_scope(struct session *session, struct error *error)
{
	struct pattern_list *scope = &session->options.scope;
	int code;

	for (size_t i = 0; i < scope->count; i++)
		if (strchr(scope->pattern[i], ':') && scope->count > 1)
			return error_set(error, ERROR_VALUE,
				"scope=%s stands alone: a tag's value, and nothing else",
				error_subject(scope->pattern[i]).text);
	if (scope->count == 0 || !strchr(scope->pattern[0], ':'))
		return 0;
	code = session_choose(session, scope->pattern[0], error);
	pattern_list_fini(scope);
	*scope = (struct pattern_list){0};
	return code;
}

/* A session of the options, which it takes, with the metrics that they name. NULL, with error filled. */
static struct session *make(struct options *options, struct error *error)
{
	struct session *fresh = calloc(1, sizeof(*fresh));
	int code;

	if (!fresh) {
		options_fini(options);
		error_set(error, ERROR_MEMORY, "no memory for a session");
		return NULL;
	}
	lock_init(&fresh->near_lock, LOCK_NEAR);
	fresh->host = fresh;
	fresh->options = *options;
	memset(options, 0, sizeof(*options));
	for (size_t i = 0; i < fresh->options.traces.count; i++)
		for (int kind = 0; kind < TRACE_KINDS; kind++)
			if (strcmp(fresh->options.traces.pattern[i], trace_kind_names[kind]) ==
				0)
				fresh->traces |= 1U << kind;
	fresh->traces_ever = fresh->traces;
	code = take_tag_scope(fresh, error);
	atomic_store(&fresh->has_scope, fresh->options.scope.count > 0);
	if (!code)
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
		return fresh;
	session_destroy(fresh);
	return NULL;
}

int session_create(struct session **session, struct options *options, struct error *error)
{
	struct session *fresh = make(options, error);

	*session = NULL;
	if (!fresh)
		return -(int)error->code;
	fresh->counts = (1U << fresh->metrics.count) - 1;
	if (make_trace(fresh, error)) {
		session_destroy(fresh);
		return -(int)error->code;
	}
	*session = fresh;
	return 0;
}

/* ---- guests ---- */

void session_choose_metrics(struct session *guest)
{
	const struct pattern_list *names = &guest->options.metrics;

	guest->metrics = *session_metrics(guest->host);
	for (size_t i = 0; i < names->count; i++) {
		unsigned place = metric_named(&guest->metrics, names->pattern[i]);

		if (place < guest->metrics.count)
			guest->counts |= 1U << place;
	}
}

int session_create_guest(struct session **guest, struct session *host, struct options *options,
	struct error *error)
{
	struct session *fresh = make(options, error);

	*guest = fresh;
	if (!fresh)
		return -(int)error->code;
	fresh->host = host;
	fresh->trace = host->trace;
	fresh->source = host->source;
	fresh->metrics = *session_metrics(host);
	fresh->reads_stacks = options_sample(&fresh->options) || fresh->traces != 0;
	fresh->event_ns = host->event_ns;
	fresh->event_calibrated = host->event_calibrated;
	return 0;
}

bool session_any(const struct session *host, bool (*is_so)(const struct session *session))
{
	for (const struct session *session = host; session; session = session->next)
		if (!session->left && is_so(session))
			return true;
	return false;
}

int session_choose(struct session *session, const char *scope, struct error *error)
{
	const char *tag = scope ? scope + strlen(tag_scope) : NULL;

	if (scope && (strncmp(scope, tag_scope, strlen(tag_scope)) != 0 ||
			     !label_choice_is_tag(tag)))
		return error_set(error, ERROR_VALUE,
			"scope=%s: what can be chosen while a session records is "
			"tag:KEY=PATTERN, or everything",
			error_subject(scope).text);
	if (tag && pattern_list_add(&session->tags, tag) < 0)
		return error_set(error, ERROR_MEMORY, "no memory for a scope");
	atomic_store(
		&session->tag, tag ? session->tags.pattern[session->tags.count - 1] : NULL);
	return 0;
}

struct profile_session session_row(const struct session *session, char **options)
{
	const struct options *wanted = &session->options;

	*options = options_to_json(wanted, 0);
	return (struct profile_session){.id = session->number,
		.bit = session->bit,
		.name = session->name,
		.owner = session->owner,
		.ended = PROFILE_NOT_KNOWN,
		.options = *options,
		.metrics = session->counts,
		.conditions = session->conditions,
		.traces = session->traces_ever,
		.lines = wanted->call_sites.count > 0,
		.scoped = wanted->scope.count > 0,
		.tag = atomic_load(&session->tag),
		.watches = wanted->distribution.count > 0,
		.records = wanted->io == IO_RECORDS,
		.code = wanted->keep_code,
		.without_io = wanted->io == IO_OFF};
}

/* What others may look at goes to the host, and with that. */
static void give_threads(struct session *session)
{
	struct session_threads *chosen = session->chosen;

	if (session != session->host && chosen) {
		session->options.threads = (struct pattern_list){0};
		chosen->next = session->host->chosen;
		session->host->chosen = chosen;
		return;
	}
	while (chosen) {
		struct session_threads *next = chosen->next;

		pattern_list_fini(&chosen->list);
		free(chosen);
		chosen = next;
	}
}

void session_destroy(struct session *session)
{
	if (!session)
		return;
	if (session->host == session) {
		while (session->next) {
			struct session *guest = session->next;

			session->next = guest->next;
			session_destroy(guest);
		}
		trace_destroy(session->trace);
	}
	for (unsigned i = 0; i < session->notes; i++) {
		free(session->note[i].key);
		free(session->note[i].value);
	}
	give_threads(session);
	options_fini(&session->options);
	pattern_list_fini(&session->entered);
	pattern_list_fini(&session->awaited);
	pattern_list_fini(&session->valued);
	json_decref(session->near);
	lock_fini(&session->near_lock);
	free(session->owner);
	pattern_list_fini(&session->tags);
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

uint8_t session_thread_bits(const struct session *host, const struct thread_identity *identity)
{
	uint8_t bits = 0;

	for (unsigned i = 0; i < PROFILE_SESSIONS_MAX; i++) {
		const struct pattern_list *threads = atomic_load(&host->threads[i]);

		if (threads && thread_choice_match(threads, identity->name, identity->java_id,
				       identity->os_id))
			bits |= (uint8_t)(1U << i);
	}
	return bits;
}

uint8_t session_bits_of_all(const struct session *host)
{
	uint8_t bits = 0;

	for (unsigned i = 0; i < PROFILE_SESSIONS_MAX; i++) {
		const struct pattern_list *threads = atomic_load(&host->threads[i]);

		bits |= (uint8_t)(threads && threads->count == 0 ? 1U << i : 0);
	}
	return bits;
}

uint8_t session_bits(const struct session *host)
{
	uint8_t bits = 0;

	for (unsigned i = 0; i < PROFILE_SESSIONS_MAX; i++)
		bits |= (uint8_t)(atomic_load(&host->threads[i]) ? 1U << i : 0);
	return bits;
}

int session_choose_threads(struct session *session, struct error *error)
{
	static const struct pattern_list all;
	const struct pattern_list *wanted = &session->options.threads;

	if (wanted->count == 0) {
		wanted = &all;
	} else if (session != session->host) {
		session->chosen = calloc(1, sizeof(*session->chosen));
		if (!session->chosen)
			return error_set(error, ERROR_MEMORY, "no memory for a session");
		session->chosen->list = *wanted;
		wanted = &session->chosen->list;
	}
	atomic_store(&session->host->threads[session->bit], wanted);
	return 0;
}

void session_leave_threads(struct session *session)
{
	atomic_store(&session->host->threads[session->bit], NULL);
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
	/* Of a host that cannot fail. */
	session_choose_threads(session, error);
	atomic_store(&session->state, SESSION_RECORDING);
	return 0;
}

/* Where the process is at the moment. NULL, with error filled. */
static char *absolute(const char *path, struct error *error)
{
	char *folder, *whole = NULL;

	if (path[0] == '/')
		return strdup(path);
	folder = getcwd(NULL, 0);
	if (!folder || asprintf(&whole, "%s/%s", folder, path) < 0)
		error_set_errno(error, ERROR_IO, errno, "cannot write '%s'", path);
	free(folder);
	return whole;
}

int session_begin_guest(struct session *guest, struct error *error)
{
	char *path = options_expand_file(guest->options.file, getpid(), time(NULL));

	note_begin(guest);
	guest->cpu_began = clock_process();
	guest->before = (struct session_before){metric_fallbacks(), metric_losses()};
	guest->writer = guest->host->writer;
	if (!path)
		return error_set(error, ERROR_MEMORY, "no memory for the file's name");
	guest->path = absolute(path, error);
	free(path);
	if (!guest->path)
		return -(int)error->code;
	atomic_store(&guest->state, SESSION_RECORDING);
	return 0;
}

static struct profile_session row_for_writer(const void *session, char **options)
{
	return session_row(session, options);
}

static void facts_for_writer(void *session, bool final, fact_put put, void *put_argument)
{
	session_put_notes(session, put, put_argument);
	session_put_facts(session, final, put, put_argument);
}

void session_note_failure(void *argument, const struct error *error)
{
	struct session *session = argument;

	lock_take(&session->near_lock);
	session->failure = *error;
	lock_give(&session->near_lock);
}

struct error session_failure(struct session *session)
{
	struct error failure;

	lock_take(&session->near_lock);
	failure = session->failure;
	lock_give(&session->near_lock);
	return failure;
}

struct writer_session session_for_writer(const struct session *session)
{
	struct writer_session is = {.row = row_for_writer,
		.facts = facts_for_writer,
		.failed = session_note_failure,
		.argument = (struct session *)(uintptr_t)session,
		.path = session->path,
		.creation = {.readers = readers[session->options.readers]}};

	if (session->reads_stacks)
		is.samples = session->source->samples;
	if (options_sample(&session->options) || session->options.keep_code)
		is.code = session->source->code;
	return is;
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
