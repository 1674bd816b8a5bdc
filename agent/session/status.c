/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/* status: see status.h. */
#include "agent/session/status.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "agent/session/session_matches.h"
#include "options/json_text.h"

static int no_memory(struct error *error)
{
	return error_set(error, ERROR_MEMORY, "no memory to tell the status");
}

static json_t *number(uint64_t value)
{
	return json_integer((json_int_t)value);
}

/* What a counted call takes in compiled code (bench/budget), ns. */
static const double counted_ns = 0.5;

/* What probes took of the time of all threads, ns. */
static double own_ns(const struct session *session, const struct trace_counts *counts)
{
	return session->event_ns * (double)counts->events +
	       counted_ns * (double)counts->counted;
}

/* The share of the processor time since the session's begin that its probes cost. */
static json_t *overhead_of(const struct session *session, const struct trace_counts *counts)
{
	double cpu = (double)(clock_process() - session->cpu_began);

	if (session->event_ns <= 0 || cpu <= 0)
		return json_null();
	return json_pack("{s:f, s:f, s:f, s:s}", "event_ns", session->event_ns, "counted_ns",
		counted_ns, "share", fmin(own_ns(session, counts), cpu) / cpu, "known_from",
		session->event_calibrated ? "calibration" : "estimate");
}

/* {"cpu": {"raw": 7, "adjusted": 6}, ...}: what all threads used, and less what probes took of it, where that is known. */
static json_t *totals_of(const struct session *session, const struct trace_counts *counts)
{
	json_t *totals = json_object();

	const struct metric_set *metrics = session_metrics(session);

	for (unsigned i = 0; i < metrics->count; i++) {
		double raw = (double)counts->used[i];
		json_t *total = json_pack("{s:o}", "raw", number(counts->used[i]));

		if (session->event_ns > 0 && strcmp(metrics->metric[i].unit, "ns") == 0)
			json_object_set_new(total, "adjusted",
				number((uint64_t)fmax(raw - own_ns(session, counts), 0)));
		json_object_set_new(totals, metrics->metric[i].name, total);
	}
	return totals;
}

/* How methods are seen, where that is by a budget. */
static json_t *budget_of(const struct session *session, const struct session_counts *counts)
{
	if (!session_keeps_budget(session))
		return json_null();
	return json_pack("{s:o, s:o, s:o, s:o, s:o, s:o}", "percent",
		number(session->options.budget), "timed", number(counts->timed), "counted",
		number(counts->counted), "dear", number(counts->dear), "changed",
		number(counts->changed), "changing_ns", number(counts->changing_ns));
}

static json_t *labels_of(struct session *session, struct error *error)
{
	json_t *labels = json_array();
	struct label_row *row = NULL;
	size_t count = 0;

	if (writer_labels(session->writer, &row, &count, error))
		count = 0;
	for (size_t i = 0; i < count; i++)
		if (!row[i].reset)
			json_array_append_new(labels, json_text(row[i].label));
	free(row);
	return labels;
}

/* The methods: [{"method": "com.acme.Foo.bar", "calls": 3, "cpu": 1000}, ...] */
static json_t *top_of(
	const struct session *session, const struct look *look, size_t top, const char *by)
{
	json_t *rows = json_array();
	char *name;

	for (size_t i = 0; i < look->tops && i < top; i++) {
		const struct profile_method *method = session->source->method(look->top[i].id);
		json_t *row;

		if (!method || asprintf(&name, "%s.%s", method->class_name, method->name) < 0)
			continue;
		row = json_pack("{s:o, s:o}", "method", json_text(name), "calls",
			number(look->top[i].calls));
		if (by)
			json_object_set_new(row, by, number(look->top[i].used));
		json_array_append_new(rows, row);
		free(name);
	}
	return rows;
}

int session_rates(struct session *session, size_t top, json_t *object, struct error *error)
{
	const struct metric_set *metrics = session_metrics(session);
	int cpu = metric_index(metrics, METRIC_CPU);
	json_t *rates, *used;
	struct look look;

	if (writer_look(session->writer, &look, error))
		return -(int)error->code;
	used = json_object();
	for (unsigned i = 0; i < metrics->count; i++)
		json_object_set_new(used, metrics->metric[i].name, number(look.used[i]));
	rates = json_pack("{s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o}", "span_ns",
		number(look.span), "took_ns", number(look.took), "calls", number(look.calls),
		"io_ops", number(look.io_ops), "io_bytes", number(look.io_bytes),
		"process_cpu_ns", number(look.cpu), "metrics", used, "top",
		top_of(session, &look, top, cpu >= 0 ? metrics->metric[cpu].name : NULL));
	return json_object_set_new(object, "rates", rates) ? no_memory(error) : 0;
}

int session_status(struct session *session, const struct session_counts *others, json_t *object,
	struct error *error)
{
	struct records *records = trace_records(session->trace);
	struct writer_counts counts;
	struct trace_state state;
	json_t *memory, *lost, *ago, *failure, *options;
	uint64_t duration;
	char *text;

	if (writer_count(session->writer, &counts, error))
		return -(int)error->code;
	text = options_to_json(&session->options, 0);
	options = text ? json_loads(text, 0, NULL) : NULL;
	free(text);
	trace_get_state(session->trace, &state);
	duration = clock_now() - session->began;
	memory = json_pack("{s:o, s:o, s:o}", "used", number(state.memory_used), "limit",
		number(state.memory_limit), "peak", number(state.memory_peak));
	lost = json_pack("{s:o, s:o, s:o, s:o, s:o, s:o}", "events", number(counts.trace.lost),
		"threads", number(state.lost_threads), "methods", number(others->methods_lost),
		"records", number(records ? records_lost(records) : 0), "metrics",
		number(metric_losses() - session->before.losses), "marks",
		number(counts.marks_lost));
	/* Both since the begin, which two clocks tell: they may differ by a little. */
	ago = counts.flushed_at
		      ? number(duration > counts.flushed_at ? duration - counts.flushed_at : 0)
		      : json_null();
	failure = counts.failure.code == ERROR_NONE ? json_null()
						    : json_text(counts.failure.text);
	const struct {
		const char *key;
		json_t *value;
	} member[] = {{"file", json_text(session->path ? session->path : "")},
		{"started", json_string(session->started)}, {"duration_ns", number(duration)},
		{"options", options}, {"threads", number(state.threads)},
		{"threads_live", number(counts.trace.live)},
		{"calls", number(counts.trace.calls)}, {"events", number(counts.trace.events)},
		{"nodes", number(counts.trace.nodes)}, {"pruned", number(counts.trace.pruned)},
		{"methods", number(others->methods)}, {"classes", number(others->classes)},
		{"memory", memory}, {"lost", lost},
		{"overhead", overhead_of(session, &counts.trace)},
		{"totals", totals_of(session, &counts.trace)},
		{"budget", budget_of(session, others)},
		{"snapshots", labels_of(session, error)}, {"flushed_ns_ago", ago},
		{"error", failure}, {"matches", session_matches(session)}};
	int failed = 0;

	for (size_t i = 0; i < sizeof(member) / sizeof(*member); i++)
		failed |= json_object_set_new(object, member[i].key, member[i].value);
	return failed ? no_memory(error) : 0;
}
