/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/*
 * view_summary: where the profile comes from, how much is in it, and whether it adds up.
 *
 * Keys that the profile's own table of facts (meta) holds come first, those known here in
 * the order of known_meta, then all others.
 */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cli/report/view_summary.h"

/* Facts the agent writes: the key in the profile, the key in the report. */
static const struct known_meta {
	const char *meta, *key, *label;
	enum look look;
} known_meta[] = {
	{"java.command", "java.command", "Command", LOOK_TEXT},
	{"jvm.name", "jvm.name", "JVM", LOOK_TEXT},
	{"jvm.version", "jvm.version", "JVM version", LOOK_TEXT},
	{"java.version", "java.version", "Java version", LOOK_TEXT},
	{"java.home", "java.home", "Java home", LOOK_TEXT},
	{"pid", "pid", "Process", LOOK_TEXT},
	{"machine.host", "machine.host", "Machine", LOOK_TEXT},
	{"machine.system", "machine.system", "System", LOOK_TEXT},
	{"machine.cpu", "machine.cpu", "Processor", LOOK_TEXT},
	{"machine.processors", "machine.processors", "Processors", LOOK_NUMBER},
	{"jprof.version", "jprof.version", "jprof", LOOK_TEXT},
	{"options", "options", "Options", LOOK_TEXT},
	{"started", "started", "Started", LOOK_TEXT},
	{"duration_ns", "duration", "Duration (ms)", LOOK_TIME},
	{"flushed_ns", "flushed", "Brought up to date at (ms)", LOOK_TIME},
	{"complete", "complete", "Complete", LOOK_TEXT},
	{"memory.limit", "memory.limit", "Memory limit (bytes)", LOOK_NUMBER},
	{"memory.peak", "memory.peak", "Memory peak (bytes)", LOOK_NUMBER},
	/* `threads` is how many are reported here, which may be fewer. */
	{"threads", "threads.seen", "Threads seen", LOOK_NUMBER},
	{"threads.lost", "threads.lost", "Threads lost", LOOK_NUMBER},
	{"methods.lost", "methods.lost", "Methods lost", LOOK_NUMBER},
	{"probes.classes", "probes.classes", "Classes with probes", LOOK_NUMBER},
	{"probes.methods", "probes.methods", "Methods with probes", LOOK_NUMBER},
	{"untouched", "untouched", "Left without probes", LOOK_NUMBER},
	/* Of older agents, which recorded no virtual threads. */
	{"virtual.mounts", "virtual.mounts", "Mounts of virtual threads, not recorded",
		LOOK_NUMBER},
	{"io.class_loading.ops", "io.class_loading.ops", "I/O of class loading",
		LOOK_NUMBER},
	{"io.class_loading.bytes", "io.class_loading.bytes", "  bytes", LOOK_NUMBER},
	{"io.class_loading.ns", "io.class_loading.ns", "  time (ms)", LOOK_TIME},
	{"io.lost.ops", "io.lost.ops", "I/O of no known thread", LOOK_NUMBER},
	{"io.lost.bytes", "io.lost.bytes", "  bytes", LOOK_NUMBER},
	{"io.lost.ns", "io.lost.ns", "  time (ms)", LOOK_TIME},
	{"io.folded.files", "io.folded.files", "Files folded into others' rows",
		LOOK_NUMBER},
	{"io.folded.connections", "io.folded.connections", "Connections folded",
		LOOK_NUMBER},
	{"io.folded.entries", "io.folded.entries", "Entries of archives folded",
		LOOK_NUMBER},
	{"io.records", "io.records", "I/O operations recorded", LOOK_NUMBER},
	{"io.records.lost", "io.records.lost", "  lost records", LOOK_NUMBER},
	{"marks.lost", "marks.lost", "Lost marks", LOOK_NUMBER},
	{"metric.fallbacks", "metric.fallbacks", "Metric fallbacks", LOOK_NUMBER},
	{"metric.losses", "metric.losses", "Metric losses", LOOK_NUMBER},
	{"cpu_ns", "cpu", "Processor time of the process (ms)", LOOK_TIME},
	/* Of the row `overhead`, where there is no calibration. */
	{"overhead.event_ns", NULL, NULL, LOOK_TEXT},
	{"calls", "recording.calls", "Calls seen by", LOOK_TEXT},
	{"timing", "recording.timing", "Timing", LOOK_TEXT},
	{"jprof.build", "jprof.build", "jprof build", LOOK_TEXT},
	{"calibration.refused", "calibration.refused", "Calibration refused", LOOK_TEXT},
	/* A whole file, of which the row `calibration` tells. */
	{"calibration", NULL, NULL, LOOK_TEXT},
};

#define KNOWN_META (sizeof(known_meta) / sizeof(known_meta[0]))

/* What is counted over the chosen threads. */
struct counts {
	uint64_t threads, virtual_threads, mounts, methods, nodes, calls, waited;
	uint64_t interpreted, jitted, native;
	uint64_t events, unwound, lost, pruned, repaired, unmatched;
};

/* A row for each count. */
static const struct count_row {
	const char *key, *label;
	size_t offset;
} count_rows[] = {
	{"threads", "Threads", offsetof(struct counts, threads)},
	{"methods", "Methods", offsetof(struct counts, methods)},
	{"nodes", "Call paths (nodes)", offsetof(struct counts, nodes)},
	{"calls", "Calls", offsetof(struct counts, calls)},
	{"calls.interpreted", "  interpreted", offsetof(struct counts, interpreted)},
	{"calls.jitted", "  jitted", offsetof(struct counts, jitted)},
	{"calls.native", "  native", offsetof(struct counts, native)},
	{"events", "Events", offsetof(struct counts, events)},
	{"unwound", "  exits by exception", offsetof(struct counts, unwound)},
	{"lost", "Lost events", offsetof(struct counts, lost)},
	{"pruned", "Pruned nodes", offsetof(struct counts, pruned)},
	{"repaired", "Repaired frames", offsetof(struct counts, repaired)},
	{"unmatched", "Unmatched exits", offsetof(struct counts, unmatched)},
};

/* And where the profile has virtual threads. */
static const struct count_row virtual_rows[] = {
	{"virtual.threads", "Virtual threads", offsetof(struct counts, virtual_threads)},
	{"virtual.mounts", "  mounts", offsetof(struct counts, mounts)},
};

/* How a metric's bases compare with the totals of the threads. */
struct balance {
	uint64_t threads_off; /* threads whose own sums differ */
	uint64_t difference;  /* of all of them together, without sign */
};

struct summary_view {
	struct counts counts;
	union report_value total[REPORT_VALUES_MAX];
	struct balance balance[PROFILE_METRIC_MAX]; /* of adjusted figures, and of those counted */
};

static void columns(struct report *report)
{
	struct sheet *sheet = &report->sheet;

	sheet_add(sheet, NULL, "key", "", IN_DATA, PLACE_FIRST);
	sheet_add(sheet, NULL, "value", "", IN_DATA, PLACE_FIRST);
	sheet_add(sheet, NULL, "label", "Fact", IN_TEXT | COLUMN_LEFT, PLACE_FIRST);
	sheet_add(sheet, NULL, "shown", "Value", IN_TEXT | COLUMN_LEFT, PLACE_LAST);
}

/* ---- counting ---- */

static void count_nodes(struct report *report, struct summary_view *view, size_t thread,
	union report_value *base, bool *method_seen)
{
	const struct profile *profile = report->profile;
	struct counts *counts = &view->counts;

	for (size_t i = profile->thread_first[thread];
		i < profile->thread_first[thread + 1]; i++) {
		const struct profile_node *node = &profile->node[i];
		union report_value own[REPORT_VALUES_MAX];

		if (report->hidden[i])
			continue;
		counts->calls += node->calls;
		counts->interpreted += node->interpreted;
		counts->jitted += node->jitted;
		counts->native += node->native;
		counts->nodes++;
		method_seen[node->method] = true;
		report_base(report, i, own);
		report_add_values(report, base, own);
	}
}

/* What is adjusted has to add up, and what was counted. */
static void compare_sums(const struct report *report, struct balance *balance,
	const union report_value *total, const union report_value *base)
{
	unsigned metrics = report->sheet.metric_count;

	for (unsigned m = 0; m < metrics; m++) {
		uint64_t difference = 0;

		for (unsigned v = m; v < report->counts; v += metrics)
			difference += total[v].count > base[v].count
					      ? total[v].count - base[v].count
					      : base[v].count - total[v].count;
		balance[m].threads_off += difference > 0;
		balance[m].difference += difference;
	}
}

static void count_thread(
	struct report *report, struct summary_view *view, size_t at, bool *method_seen)
{
	const struct profile_thread *thread = &report->profile->thread[at];
	struct counts *counts = &view->counts;
	uint64_t threads = thread->folded > 0 ? thread->folded : 1;
	union report_value base[REPORT_VALUES_MAX] = {0}, total[REPORT_VALUES_MAX];

	counts->threads += threads;
	if (thread->is_virtual)
		counts->virtual_threads += threads;
	counts->mounts += thread->mounts;
	counts->waited += thread->waited_ns;
	counts->events += thread->events;
	counts->unwound += thread->unwound;
	counts->lost += thread->lost;
	counts->pruned += thread->pruned;
	counts->repaired += thread->repaired;
	counts->unmatched += thread->unmatched;
	count_nodes(report, view, at, base, method_seen);
	report_total(report, at, total);
	report_add_values(report, view->total, total);
	compare_sums(report, view->balance, total, base);
}

static int open_summary(struct report *report, struct error *error)
{
	const struct profile *profile = report->profile;
	struct summary_view *view = calloc(1, sizeof(*view));
	bool *method_seen =
		calloc((size_t)profile->method_count + 1, sizeof(*method_seen));

	report->data = view;
	if (view == NULL || method_seen == NULL) {
		free(method_seen);
		return report_no_memory(error);
	}
	for (size_t t = 0; t < profile->thread_count; t++) {
		if (report->selected[t])
			count_thread(report, view, t, method_seen);
	}
	for (uint32_t id = PROFILE_METHOD_FIRST; id < profile->method_count; id++)
		view->counts.methods += method_seen[id];
	free(method_seen);
	return 0;
}

/* ---- printing ---- */

static struct label shown_number(struct report *report, uint64_t number, enum look look)
{
	char field[NUMBER_WIDTH];
	char *end = field + sizeof(field), *start;

	start = look == LOOK_TIME ? number_milliseconds(end, number)
				  : number_grouped(end, number);
	return label_format(report->labels, "%.*s", (int)(end - start), start);
}

/* What a screen shows without --all: these, and counts of what went wrong that are not 0.
 */
static const struct needed {
	const char *key;
	bool unless_zero;
} needed[] = {
	{"java.command", false},
	{"jvm.version", false},
	{"started", false},
	{"duration", false},
	{"cpu", false},
	{"threads", false},
	{"methods", false},
	{"calls", false},
	{"overhead", false},
	{"calibration", false},
	{"interval.from", false},
	{"interval.to", false},
	{"lost", true},
	{"pruned", true},
	{"threads.lost", true},
	{"methods.lost", true},
	{"io.records.lost", true},
	{"unmatched", true},
	{"metric.losses", true},
};

static bool is_needed(const struct report *report, struct label key, bool zero)
{
	if (report->request->all || !report->request->format->shares)
		return true;
	for (size_t i = 0; i < sizeof(needed) / sizeof(needed[0]); i++) {
		if (strcmp(needed[i].key, key.text) == 0)
			return !needed[i].unless_zero || !zero;
	}
	return strncmp(key.text, "check.", strlen("check.")) == 0 && !zero;
}

void summary_text(struct report *report, struct sink *sink, struct label key,
	struct label label, struct label value)
{
	struct cell cells[COLUMN_MAX];

	if (!is_needed(report, key, strcmp(value.text, "exact") == 0))
		return;
	cells[COLUMN_KEY] = cell_label(key);
	cells[COLUMN_VALUE] = cell_label(value);
	cells[COLUMN_LABEL] = cell_label(label);
	cells[COLUMN_SHOWN] = cell_label(value);
	sink_row(sink, cells, 0);
}

void summary_number(struct report *report, struct sink *sink, struct label key,
	struct label label, uint64_t number, enum look look)
{
	struct cell cells[COLUMN_MAX];

	if (!is_needed(report, key, number == 0))
		return;
	cells[COLUMN_KEY] = cell_label(key);
	cells[COLUMN_VALUE] = cell_number(number);
	cells[COLUMN_LABEL] = cell_label(label);
	cells[COLUMN_SHOWN] = cell_label(shown_number(report, number, look));
	sink_row(sink, cells, 0);
}

/* True, and the number, if the text is nothing but decimal digits. */
static bool as_number(const char *text, uint64_t *number)
{
	char *end;

	if (text[0] < '0' || text[0] > '9')
		return false;
	errno = 0;
	*number = strtoull(text, &end, 10);
	return *end == '\0' && errno == 0;
}

static void print_known(
	struct report *report, struct sink *sink, const struct known_meta *row)
{
	const char *value = profile_meta_get(report->profile, row->meta);
	uint64_t number;

	if (value == NULL || row->key == NULL)
		return;
	if (row->look != LOOK_TEXT && as_number(value, &number))
		summary_number(report, sink, summary_label(row->key), summary_label(row->label), number,
			row->look);
	else
		summary_text(report, sink, summary_label(row->key), summary_label(row->label),
			label_make(report->labels, value));
}

static bool is_known(const char *meta)
{
	for (size_t i = 0; i < KNOWN_META; i++) {
		if (strcmp(known_meta[i].meta, meta) == 0)
			return true;
	}
	return false;
}

static void print_meta(struct report *report, struct sink *sink)
{
	for (size_t i = 0; i < KNOWN_META; i++)
		print_known(report, sink, &known_meta[i]);
	for (size_t i = 0; i < report->profile->meta_count; i++) {
		const struct profile_meta *meta = &report->profile->meta[i];
		struct label key = label_make(report->labels, meta->key);

		if (!is_known(meta->key))
			summary_text(report, sink, key, key,
				label_make(report->labels, meta->value));
	}
}

static void put_time(struct report *report, struct sink *sink, const char *key,
	const char *label, uint64_t ns)
{
	summary_number(report, sink, summary_label(key), summary_label(label), ns, LOOK_TIME);
}

static void put_marker(struct report *report, struct sink *sink, const char *key,
	const char *label, const struct profile_snapshot *snapshot, const char *otherwise)
{
	summary_text(report, sink, summary_label(key), summary_label(label),
		label_make(report->labels, snapshot != NULL ? snapshot->label : otherwise));
}

/* Nothing where counts are of the whole recording. */
static void print_interval(struct report *report, struct sink *sink)
{
	const struct profile_interval *interval = &report->profile->interval;

	if (interval->from == NULL && interval->to == NULL)
		return;
	put_marker(report, sink, "interval.from", "Counts are from", interval->from,
		"(begin)");
	put_marker(report, sink, "interval.to", "  to", interval->to, "(end)");
	if (interval->end > interval->begin)
		put_time(report, sink, "interval.duration", "  that is (ms)",
			interval->end - interval->begin);
	if (interval->clamped > 0)
		summary_number(report, sink, summary_label("interval.clamped"),
			summary_label("  counts that fell"), interval->clamped, LOOK_NUMBER);
}

static void print_snapshots(struct report *report, struct sink *sink)
{
	const struct profile *profile = report->profile;

	for (size_t i = 0; i < profile->snapshot_count; i++) {
		const struct profile_snapshot *snapshot = &profile->snapshot[i];
		const char *kind = snapshot->kind == SNAPSHOT_RESET ? "reset" : "snapshot";
		const char *shown = snapshot->kind == SNAPSHOT_RESET ? "Reset" : "Snapshot";

		summary_number(report, sink,
			label_format(report->labels, "%s.%s", kind, snapshot->label),
			label_format(report->labels, "%s %s (ms)", shown, snapshot->label),
			snapshot->at, LOOK_TIME);
	}
	if (profile->mark_count > 0)
		summary_number(report, sink, summary_label("marks"), summary_label("Marks"), profile->mark_count,
			LOOK_NUMBER);
}

static void print_counts(struct report *report, struct sink *sink,
	const struct count_row *rows, size_t count)
{
	const struct summary_view *view = report->data;

	for (size_t i = 0; i < count; i++) {
		const struct count_row *row = &rows[i];
		uint64_t number;

		memcpy(&number, (const char *)&view->counts + row->offset,
			sizeof(number));
		summary_number(report, sink, summary_label(row->key), summary_label(row->label), number,
			LOOK_NUMBER);
	}
}

static struct label balance_label(struct report *report, const struct balance *balance)
{
	if (balance->threads_off == 0)
		return summary_label("exact");
	return label_format(report->labels, "differs by %llu in %llu threads",
		(unsigned long long)balance->difference,
		(unsigned long long)balance->threads_off);
}

static void print_total(struct report *report, struct sink *sink, unsigned m)
{
	const struct summary_view *view = report->data;
	const struct profile_metric *metric = report->sheet.metric[m];
	bool time = strcmp(metric->unit, "ns") == 0;
	enum look look = time ? LOOK_TIME : LOOK_NUMBER;
	struct label_store *labels = report->labels;

	summary_number(report, sink, label_format(labels, "total.%s", metric->name),
		label_format(labels, "  total (%s)", time ? "ms" : metric->unit),
		view->total[m].count, look);
	if (report->adjusted == NULL)
		return;
	summary_number(report, sink, label_format(labels, "error.%s", metric->name),
		summary_label("    within ±"), report_error(report, view->total, m), look);
	summary_number(report, sink, label_format(labels, "raw_total.%s", metric->name),
		summary_label("    as counted"),
		view->total[report->sheet.metric_count + m].count, look);
}

static void print_metric(struct report *report, struct sink *sink, unsigned m)
{
	const struct summary_view *view = report->data;
	const struct profile_metric *metric = report->sheet.metric[m];
	struct label_store *labels = report->labels;

	summary_text(report, sink, label_format(labels, "how.%s", metric->name),
		label_format(labels, "Metric %s", metric->name),
		label_format(labels, "%s: %s", metric->unit, metric->how));
	print_total(report, sink, m);
	summary_text(report, sink, label_format(labels, "check.%s", metric->name),
		summary_label("  sum of base = total"),
		balance_label(report, &view->balance[m]));
}

/* ---- what jprof cost ---- */

/* Without a calibration: what the events cost by the agent's estimate, of the processor time of the
 * whole recording; of an interval's that is not known. */
static struct label overhead(struct report *report)
{
	const struct profile *profile = report->profile;
	const struct summary_view *view = report->data;
	const char *event = profile_meta_get(profile, "overhead.event_ns");
	const char *used = profile_meta_get(profile, "cpu_ns");
	bool whole = profile->interval.from == NULL && profile->interval.to == NULL;
	double event_ns = event ? strtod(event, NULL) : 0, cost;
	uint64_t cpu_ns;

	if (event_ns <= 0 || !used || !as_number(used, &cpu_ns) || cpu_ns == 0 || !whole)
		return summary_label("not estimated");
	cost = fmin(event_ns * (double)view->counts.events, (double)cpu_ns);
	return label_format(report->labels,
		"%.1f %% of processor time, if an event costs %.1f ns",
		100 * cost / (double)cpu_ns, event_ns);
}

/* Of wall-clock time, how long threads could have run and had no processor. What probes have of that
 * can be told where processor time is counted, too. */
static void print_waited(struct report *report, struct sink *sink)
{
	const struct summary_view *view = report->data;
	bool known = profile_metric_find(report->profile, "cpu") >= 0;

	if (profile_metric_find(report->profile, "wall") < 0)
		return;
	put_time(report, sink, "waited", "Waited for a processor (ms)", view->counts.waited);
	if (report->adjusted != NULL && !known && view->counts.waited > 0)
		summary_text(report, sink, summary_label("waited.unadjusted"),
			summary_label("  with what probes made of it"),
			summary_label("wall is not adjusted for it where cpu is not recorded"));
}

static int rows_summary(struct report *report, struct sink *sink, struct error *error)
{
	print_meta(report, sink);
	print_snapshots(report, sink);
	print_interval(report, sink);
	print_counts(
		report, sink, count_rows, sizeof(count_rows) / sizeof(count_rows[0]));
	if (report_has_virtual(report))
		print_counts(report, sink, virtual_rows,
			sizeof(virtual_rows) / sizeof(virtual_rows[0]));
	for (unsigned m = 0; m < report->sheet.metric_count; m++)
		print_metric(report, sink, m);
	print_waited(report, sink);
	if (report->adjusted == NULL)
		summary_text(report, sink, summary_label("overhead"), summary_label("Estimated overhead"),
			overhead(report));
	overhead_rows(report, sink);
	if (!report->request->all && report->request->format->shares)
		sink_note(sink, "more", "--all", " shows every row");
	return label_store_failed(report->labels) ? report_no_memory(error) : 0;
}

static void close_summary(struct report *report)
{
	free(report->data);
}

const struct view view_summary = {
	.name = "summary",
	.meaning = "where the profile comes from, how much is in it, whether it adds up",
	.sort = NULL,
	.adjusts = true,
	.says_calibration = true,
	.columns = columns,
	.open = open_summary,
	.rows = rows_summary,
	.close = close_summary,
};
