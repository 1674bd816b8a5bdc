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

#include "report/model/trace_times.h"
#include "components/components.h"
#include "report/text/figure.h"
#include "report/views/trace_head.h"
#include "report/views/view.h"

/* How people read a value. */
enum look { LOOK_TEXT, LOOK_NUMBER, LOOK_TIME };

/* The result of a format, that long. */
#define summary_format(report, ...) store_format((report)->model->store, __VA_ARGS__).text

/* A metric's unit, and how people read it. */
static inline const char *summary_unit(const struct profile_metric *metric, enum look *look)
{
	bool time = strcmp(metric->unit, "ns") == 0;

	*look = time ? LOOK_TIME : LOOK_NUMBER;
	return time ? "ms" : metric->unit;
}

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
	/* print_session has that. */
	{"session", NULL, NULL, LOOK_TEXT},
	{"memory.limit", "memory.limit", "Memory limit (bytes)", LOOK_NUMBER},
	{"memory.peak", "memory.peak", "Memory peak (bytes)", LOOK_NUMBER},
	/* `threads` is how many are reported here, which may be fewer. */
	{"threads", "threads.seen", "Threads seen", LOOK_NUMBER},
	{"threads.lost", "threads.lost", "Threads lost", LOOK_NUMBER},
	{"methods.lost", "methods.lost", "Methods lost", LOOK_NUMBER},
	{"probes.classes", "probes.classes", "Classes with probes", LOOK_NUMBER},
	{"probes.methods", "probes.methods", "Methods with probes", LOOK_NUMBER},
	{"untouched", "untouched", "Left without probes", LOOK_NUMBER},
	{"call_sites.methods", "call_sites.methods", "Call sites apart in", LOOK_NUMBER},
	{"call_sites.left", "call_sites.left", "Call sites not apart", LOOK_NUMBER},
	/* Of older agents, which recorded no virtual threads. */
	{"virtual.mounts", "virtual.mounts", "Mounts of virtual threads, not recorded",
		LOOK_NUMBER},
	{"io.class_loading.ops", "io.class_loading.ops", "I/O of class loading", LOOK_NUMBER},
	{"io.class_loading.bytes", "io.class_loading.bytes", "  bytes", LOOK_NUMBER},
	{"io.class_loading.ns", "io.class_loading.ns", "  time (ms)", LOOK_TIME},
	{"io.lost.ops", "io.lost.ops", "I/O of no known thread", LOOK_NUMBER},
	{"io.lost.bytes", "io.lost.bytes", "  bytes", LOOK_NUMBER},
	{"io.lost.ns", "io.lost.ns", "  time (ms)", LOOK_TIME},
	{"io.folded.files", "io.folded.files", "Files folded into others' rows", LOOK_NUMBER},
	{"io.folded.connections", "io.folded.connections", "Connections folded", LOOK_NUMBER},
	{"io.folded.entries", "io.folded.entries", "Entries of archives folded", LOOK_NUMBER},
	{"io.records", "io.records", "I/O operations recorded", LOOK_NUMBER},
	{"io.records.lost", "io.records.lost", "  lost records", LOOK_NUMBER},
	{"marks.lost", "marks.lost", "Lost marks", LOOK_NUMBER},
	{"distribution.lost", "distribution.lost", "Lost calls of distribution", LOOK_NUMBER},
	{"tags.deep", "tags.deep", "Calls without their tag: in 64 others that set tags",
		LOOK_NUMBER},
	{"labels.lost", "labels.lost", "Values, tags, lines without memory: lost", LOOK_NUMBER},
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

/* How facts of samples begin. */
#define SAMPLE_FACTS "sample."
#define WALK_FACTS   SAMPLE_FACTS "walk."

#define KNOWN_META (sizeof(known_meta) / sizeof(*known_meta))

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
	union model_value total[MODEL_VALUES_MAX];
	/* of adjusted figures, and of those counted */
	struct balance balance[PROFILE_METRIC_MAX];
};

static void columns(struct report *report)
{
	struct sheet *sheet = &report->sheet;

	sheet_add(sheet, NULL, "key", "", IN_DATA);
	sheet_add(sheet, NULL, "value", "", IN_DATA);
	sheet_add(sheet, NULL, "label", "Fact", IN_TEXT | COLUMN_LEFT);
	sheet_add(sheet, NULL, "shown", "Value", IN_TEXT | COLUMN_LEFT | COLUMN_LAST);
}

/* ---- counting ---- */

static void count_thread(
	struct report *report, struct summary_view *view, size_t at, bool *method_seen)
{
	const struct model *model = report->model;
	const struct profile *profile = model->profile;
	const struct profile_thread *thread = &profile->thread[at];
	struct counts *counts = &view->counts;
	uint64_t threads = thread->folded > 0 ? thread->folded : 1;
	union model_value base[MODEL_VALUES_MAX], total[MODEL_VALUES_MAX];

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
	for (size_t i = profile->thread_first[at]; i < profile->thread_first[at + 1]; i++) {
		const struct profile_node *node = &profile->node[i];

		if (model->hidden[i])
			continue;
		counts->calls += node->calls;
		counts->interpreted += node->interpreted;
		counts->jitted += node->jitted;
		counts->native += node->native;
		counts->nodes++;
		method_seen[node->method] = true;
	}
	model_sum(model, at, base);
	model_total(model, at, total);
	model_add(model, view->total, total);
	/* What is adjusted has to add up, and what was counted. */
	for (unsigned m = 0; m < model->metric_count; m++) {
		uint64_t difference = 0;

		for (unsigned v = m; v < model->counts; v += model->figures)
			difference += total[v].count > base[v].count
					      ? total[v].count - base[v].count
					      : base[v].count - total[v].count;
		view->balance[m].threads_off += difference > 0;
		view->balance[m].difference += difference;
	}
}

static int open_summary(struct report *report)
{
	const struct profile *profile = report->model->profile;
	struct summary_view *view = report_room(report, 1, struct summary_view);
	bool *method_seen = report_room(report, profile->method_count, bool);

	report->data = view;
	if (!view || !method_seen)
		return -1;
	for (size_t t = 0; t < profile->thread_count; t++) {
		if (report->model->selected[t])
			count_thread(report, view, t, method_seen);
	}
	for (uint32_t id = METHOD_FIRST; id < profile->method_count; id++) {
		uint64_t counted = report->model->counted ? report->model->counted[id] : 0;

		view->counts.methods += method_seen[id] || counted > 0;
		view->counts.calls += counted;
	}
	return 0;
}

/* ---- rows ---- */

/* What a screen shows without --all: these, and counts of what went wrong that are not 0.
 */
static const char *const needed[] = {"java.command", "jvm.version", "started", "duration",
	"cpu", "threads", "methods", "calls", "overhead", "overhead.counting",
	"overhead.timing", "overhead.samples", "budget", "calibration", "interval.from",
	"interval.to", "session", "session.owner", "session.others", NULL};
static const char *const needed_unless_zero[] = {"lost", "pruned", "threads.lost",
	"methods.lost", "io.records.lost", "marks.lost", "distribution.lost", "tags.deep",
	"labels.lost", "unmatched", "metric.losses", NULL};

static bool is_among(const char *key, const char *const *keys)
{
	while (*keys && strcmp(*keys, key) != 0)
		keys++;
	return *keys;
}

static bool is_needed(const struct report *report, const char *key, bool zero)
{
	if (report->request->all || !report->request->format->shares || is_among(key, needed))
		return true;
	return !zero && (is_among(key, needed_unless_zero) ||
				strncmp(key, "check.", strlen("check.")) == 0 ||
				strncmp(key, "condition.", strlen("condition.")) == 0 ||
				trace_fact_is_loss(key) ||
				strncmp(key, "trace.", strlen("trace.")) == 0 ||
				strncmp(key, "samples.", strlen("samples.")) == 0 ||
				strncmp(key, SAMPLE_FACTS, strlen(SAMPLE_FACTS)) == 0);
}

/* A row: its key, what people call it, its value. Texts are borrowed until the report ends. */
static void summary_text(struct report *report, struct sink *sink, const char *key,
	const char *label, const char *value)
{
	const struct cell cells[] = {
		cell_text(key), cell_text(value), cell_text(label), cell_text(value)};

	if (is_needed(report, key, strcmp(value, "exact") == 0))
		sink_row(sink, cells, 0);
}

static void summary_number(struct report *report, struct sink *sink, const char *key,
	const char *label, uint64_t number, enum look look)
{
	char field[NUMBER_WIDTH], *end = field + sizeof(field),
				  *start = look == LOOK_TIME ? number_milliseconds(end, number)
							     : number_grouped(end, number);
	struct label shown = store_bytes(report->model->store, start, (size_t)(end - start));
	const struct cell cells[] = {
		cell_text(key), cell_number(number), cell_text(label), cell_label(shown)};

	if (is_needed(report, key, number == 0))
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

static void print_meta(struct report *report, struct sink *sink)
{
	const struct profile *profile = report->model->profile;
	const char *value;
	uint64_t number;

	for (const struct known_meta *row = known_meta; row < known_meta + KNOWN_META; row++) {
		value = row->key ? profile_meta_get(profile, row->meta) : NULL;
		if (value && row->look != LOOK_TEXT && as_number(value, &number))
			summary_number(report, sink, row->key, row->label, number, row->look);
		else if (value)
			summary_text(report, sink, row->key, row->label, value);
	}
	for (size_t i = 0; i < profile->meta_count; i++) {
		const struct profile_meta *meta = &profile->meta[i];
		size_t known = 0;

		while (known < KNOWN_META && strcmp(known_meta[known].meta, meta->key) != 0)
			known++;
		/* print_samples has those; and definitions of components are long. */
		if (known < KNOWN_META || strcmp(meta->key, COMPONENTS_FACT) == 0 ||
			strncmp(meta->key, SAMPLE_FACTS, strlen(SAMPLE_FACTS)) == 0)
			continue;
		if (trace_fact_is_loss(meta->key) && as_number(meta->value, &number))
			summary_number(report, sink, meta->key, meta->key, number, LOOK_NUMBER);
		else
			summary_text(report, sink, meta->key, meta->key, meta->value);
	}
}

/* Of a recording that was shared: whose profile it is, and with how many. */
static void print_session(struct report *report, struct sink *sink)
{
	const struct profile *profile = report->model->apart;
	const struct profile_session *session = profile->session;

	if (!session)
		return;
	summary_text(report, sink, "session", "Session", session->name);
	summary_text(report, sink, "session.owner", "  of", session->owner);
	summary_number(report, sink, "session.others", "  shared with up to",
		profile_others(profile), LOOK_NUMBER);
	summary_number(
		report, sink, "session.began", "  began at (ms)", session->began, LOOK_TIME);
}

/* Nothing where counts are of the whole recording. */
static void print_interval(struct report *report, struct sink *sink)
{
	const struct profile_interval *interval = &report->model->profile->interval;

	if (!interval->from && !interval->to)
		return;
	summary_text(report, sink, "interval.from", "Counts are from",
		interval->from ? interval->from->label : "(begin)");
	summary_text(report, sink, "interval.to", "  to",
		interval->to ? interval->to->label : "(end)");
	if (interval->end > interval->begin)
		summary_number(report, sink, "interval.duration", "  that is (ms)",
			interval->end - interval->begin, LOOK_TIME);
	if (interval->clamped > 0)
		summary_number(report, sink, "interval.clamped", "  counts that fell",
			interval->clamped, LOOK_NUMBER);
}

static void print_snapshots(struct report *report, struct sink *sink)
{
	const struct profile *profile = report->model->profile;

	for (size_t i = 0; i < profile->snapshot_count; i++) {
		const struct profile_snapshot *snapshot = &profile->snapshot[i];
		bool is_reset = snapshot->kind == SNAPSHOT_RESET;

		summary_number(report, sink,
			summary_format(report, "%s.%s", is_reset ? "reset" : "snapshot",
				snapshot->label),
			summary_format(report, "%s %s (ms)", is_reset ? "Reset" : "Snapshot",
				snapshot->label),
			snapshot->at, LOOK_TIME);
	}
	if (profile->mark_count > 0)
		summary_number(
			report, sink, "marks", "Marks", profile->mark_count, LOOK_NUMBER);
}

/* Of each trace that was on, for how long. */
static void print_traces(struct report *report, struct sink *sink)
{
	const struct profile *profile = report->model->profile;

	for (enum trace_kind kind = 0; kind < TRACE_KINDS; kind++) {
		struct trace_span span = trace_span(profile, kind);
		const char *name = trace_kind_names[kind];

		if (*span.text)
			summary_text(report, sink, summary_format(report, "trace.%s", name),
				summary_format(report, "Trace of %s", name),
				summary_format(report, "%s", span.text));
	}
}

static void print_counts(
	struct report *report, struct sink *sink, const struct count_row *rows, size_t count)
{
	const struct summary_view *view = report->data;

	for (size_t i = 0; i < count; i++) {
		uint64_t number;

		memcpy(&number, (const char *)&view->counts + rows[i].offset, sizeof(number));
		summary_number(report, sink, rows[i].key, rows[i].label, number, LOOK_NUMBER);
	}
}

/* Of a metric, over the chosen threads: what counting used is taken out of it. */
static uint64_t counting_taken(const struct model *model, unsigned m)
{
	uint64_t taken = 0;

	for (size_t t = 0; t < model->profile->thread_count; t++)
		if (model->selected[t])
			taken += model_counting_of(model, t, m);
	return taken;
}

/* Something was taken out of some metric. */
static bool has_taken(const struct model *model)
{
	uint64_t taken = 0;

	for (unsigned m = 0; m < model->metric_count; m++)
		taken |= counting_taken(model, m);
	return taken > 0;
}

static void print_metric(struct report *report, struct sink *sink, unsigned m)
{
	const struct summary_view *view = report->data;
	const struct model *model = report->model;
	const struct profile_metric *metric = model->metric[m];
	const struct balance *balance = &view->balance[m];
	enum look look;
	const char *unit = summary_unit(metric, &look);

	summary_text(report, sink, summary_format(report, "how.%s", metric->name),
		summary_format(report, "Metric %s", metric->name),
		summary_format(report, "%s: %s", metric->unit, metric->how));
	summary_number(report, sink, summary_format(report, "total.%s", metric->name),
		summary_format(report, "  total (%s)", unit), view->total[m].count, look);
	if (model->adjusted || has_taken(model)) {
		summary_number(report, sink, summary_format(report, "error.%s", metric->name),
			"    within ±", model_error(model, view->total, m), look);
		summary_number(report, sink,
			summary_format(report, "raw_total.%s", metric->name), "    as counted",
			view->total[model->figures + m].count, look);
	}
	summary_text(report, sink, summary_format(report, "check.%s", metric->name),
		"  sum of base = total",
		balance->threads_off == 0
			? "exact"
			: summary_format(report, "differs by %llu in %llu threads",
				  (unsigned long long)balance->difference,
				  (unsigned long long)balance->threads_off));
}

/* ---- what jprof cost ---- */

/* Where calls are counted; timing: as own_cost_parts has it. */
static const char *counting_overhead(
	struct report *report, const struct own_cost *cost, double timing)
{
	char text[OWN_COST_PARTS];

	return summary_format(report, "%s", own_cost_parts(cost, timing, text));
}

/* The parts of it, of processor time. */
static void print_parts(struct report *report, struct sink *sink, double timing)
{
	const struct model *model = report->model;
	struct own_cost cost = own_cost_of(model->profile, &model->choice->threads);
	const char *said = timing >= 0 ? "" : cost.is_known ? " or more" : NULL;

	if (!model->counted && !model->is_divided)
		return;
	summary_text(report, sink, "overhead.counting", "  counting calls",
		summary_format(report, "%.2f %%", 100 * cost.counting));
	summary_text(report, sink, "overhead.timing", "  timing calls",
		said ? summary_format(report, "%.2f %%%s",
			       100 * (timing >= 0 ? timing : cost.least), said)
		     : "not estimated");
	summary_text(report, sink, "overhead.samples", "  taking samples",
		summary_format(report, "%.2f %%", 100 * cost.sampling));
}

/* Without a calibration: how much of each metric counting used. */
static void print_taken(struct report *report, struct sink *sink)
{
	const struct model *model = report->model;

	for (unsigned m = 0; m < model->metric_count && has_taken(model); m++) {
		const char *name = model->metric[m]->name;
		enum look look;
		const char *unit = summary_unit(model->metric[m], &look);

		summary_number(report, sink, summary_format(report, "overhead.%s", name),
			summary_format(report, "  %s (%s)", name, unit),
			counting_taken(model, m), look);
	}
}

/* Without a calibration: what the events cost by the agent's estimate. */
static const char *overhead(struct report *report)
{
	const struct model *model = report->model;
	struct own_cost cost;
	char text[OWN_COST_TEXT];

	if (model->lacks_calls && !model->counted)
		return "that of sampling: there are no probes";
	cost = own_cost_of(model->profile, &model->choice->threads);
	if (model->counted || model->is_divided)
		return counting_overhead(report, &cost, -1);
	if (!own_cost_text(&cost, text))
		return "not estimated";
	return summary_format(report, "%s, at %.1f ns an event", text, cost.event_ns);
}

/* The session's sequences that have no row at all, or (nearest) that of a like one alone. */
static void print_sequences(struct report *report, struct sink *sink, const char *key,
	const char *label, bool nearest, double count, double all)
{
	const struct model *model = report->model;
	const struct calibration *calibration = model->choice->adjustment->calibration;
	uint64_t sequences = 0;

	for (size_t i = 0; i < model->profile->sequence_count; i++) {
		enum calibration_fit fit;

		calibration_nearest(calibration, model->profile->sequence[i].code, &fit);
		sequences += nearest ? fit != FIT_NONE && fit != FIT_EXACT : fit == FIT_NONE;
	}
	summary_number(report, sink, key, label, sequences, LOOK_NUMBER);
	summary_text(report, sink, summary_format(report, "%s.share", key), "  of deltas",
		summary_format(report, "%.2f %%", all > 0 ? 100 * count / all : 0));
}

/* With a calibration: what was taken out, over the chosen threads. */
static void print_adjusted(struct report *report, struct sink *sink)
{
	const struct model *model = report->model;
	const struct profile *profile = model->profile;
	const struct adjusted *adjusted = model->adjusted;
	struct adjust_total sums[PROFILE_METRIC_MAX] = {0}; /* by metric of the profile */
	struct adjust_deltas deltas = {0};
	int cpu = profile_metric_find(profile, "cpu"),
	    metric = cpu >= 0 ? cpu : profile_metric_find(profile, "wall");
	const char *cpu_ns = profile_meta_get(profile, "cpu_ns"), *value = "not known";
	bool whole = !profile->interval.from && !profile->interval.to;
	uint64_t used = 0; /* with jprof's part */
	double all, timing = -1;

	for (size_t t = 0; t < profile->thread_count; t++) {
		const struct adjust_total *total = &adjusted->total[t * adjusted->metric_count];

		if (!model->selected[t])
			continue;
		for (unsigned m = 0; m < adjusted->metric_count; m++) {
			sums[m].taken += total[m].taken;
			sums[m].over += total[m].over;
		}
		deltas.all += adjusted->deltas[t].all;
		deltas.nearest += adjusted->deltas[t].nearest;
		deltas.missing += adjusted->deltas[t].missing;
		used += cpu >= 0 ? profile->thread[t].total[cpu] : 0;
	}
	/* Of the threads' processor time, or where that was not counted, of the process's (of the whole
	 * recording): what waited while it was measured as wall-clock time may be more than that. */
	if (cpu < 0 && cpu_ns && whole)
		used = strtoull(cpu_ns, NULL, 10);
	all = (double)used;
	if (metric >= 0 && used > 0)
		timing = fmin((double)sums[metric].taken, all) / all;
	if (timing >= 0 && (model->counted || model->is_divided)) {
		struct own_cost cost = own_cost_of(profile, &model->choice->threads);

		value = counting_overhead(report, &cost, timing);
	} else if (timing >= 0) {
		value = summary_format(report, "%.1f %% of processor time", 100 * timing);
	}
	summary_text(report, sink, "overhead", "Estimated overhead", value);
	print_parts(report, sink, timing);
	for (unsigned m = 0; m < model->metric_count; m++) {
		const char *name = model->metric[m]->name;
		const struct adjust_total *total = &sums[model->metric_index[m]];
		enum look look;
		const char *unit = summary_unit(model->metric[m], &look);

		summary_number(report, sink, summary_format(report, "overhead.%s", name),
			summary_format(report, "  %s (%s)", name, unit),
			total->taken + counting_taken(model, m), look);
		summary_number(report, sink, summary_format(report, "over_correction.%s", name),
			summary_format(report, "  over-correction of %s (%s)", name, unit),
			(uint64_t)llround(total->over), look);
	}
	print_sequences(report, sink, "calibration.missing", "Sequences without calibration",
		false, deltas.missing, deltas.all);
	print_sequences(report, sink, "calibration.nearest", "Sequences by a like one's", true,
		deltas.nearest, deltas.all);
}

/* ---- samples ---- */

/* "1 ms of cpu", "512 kB of alloc", "10,000,000 of instructions", "entry", "100 entries". */
static const char *period_text(struct report *report, const struct profile_condition *condition)
{
	enum figure_kind kind = strcmp(condition->unit, "ns") == 0      ? FIGURE_TIME
				: strcmp(condition->unit, "bytes") == 0 ? FIGURE_BYTES
									: FIGURE_COUNT;
	const char *period =
		summary_format(report, "%s", figure_text(kind, condition->period).text);

	if (strcmp(condition->unit, "entries") != 0)
		return summary_format(report, "%s of %s", period, condition->event);
	return condition->period == 1 ? "entry" : summary_format(report, "%s entries", period);
}

/* What the agent counted of them, in words where there are some. */
static void print_sample_facts(
	struct report *report, struct sink *sink, const struct profile_condition *condition)
{
	const struct profile *profile = report->model->profile;
	const char *begin = summary_format(report, SAMPLE_FACTS "%s.", condition->name);
	size_t length = strlen(begin);

	for (size_t i = 0; i < profile->meta_count; i++) {
		const struct profile_meta *meta = &profile->meta[i];
		const struct sample_reason *reason = sample_reasons;
		uint64_t number;

		if (strncmp(meta->key, begin, length) != 0 || !as_number(meta->value, &number))
			continue;
		while (reason < sample_reasons + SAMPLE_REASONS &&
			strcmp(reason->key, meta->key + length) != 0)
			reason++;
		summary_number(report, sink, meta->key,
			reason == sample_reasons + SAMPLE_REASONS
				? summary_format(report, "  %s", meta->key + length)
				: summary_format(report, "  %s%s", reason->lost ? "lost: " : "",
					  reason->meaning),
			number, LOOK_NUMBER);
	}
}

static uint64_t counting_samples(const struct model *model, unsigned condition)
{
	uint64_t samples = 0;

	for (size_t i = 0; i < model->profile->node_count && model->counting; i++)
		samples += model->counting[i * model->condition_count + condition];
	return samples;
}

static void print_condition(struct report *report, struct sink *sink, unsigned c)
{
	const struct model *model = report->model;
	const struct profile_condition *condition = model->condition[c];

	summary_text(report, sink, summary_format(report, "condition.%s", condition->name),
		summary_format(report, "Samples of %s", condition->name),
		summary_format(report, "one each %s: %s", period_text(report, condition),
			condition->how));
	summary_number(report, sink, summary_format(report, "samples.%s", condition->name),
		"  samples", report->whole[model->metric_count + c], LOOK_NUMBER);
	if (model->counted || model->is_divided)
		summary_number(report, sink,
			summary_format(report, "samples.%s.counting", condition->name),
			"  none of the program: jprof counted a call",
			counting_samples(model, c), LOOK_NUMBER);
	print_sample_facts(report, sink, condition);
}

/* Why stacks were not walked to their ends. */
static void print_walks(struct report *report, struct sink *sink)
{
	const struct profile *profile = report->model->profile;
	const size_t length = strlen(WALK_FACTS);

	for (size_t i = 0; i < profile->meta_count; i++) {
		const struct profile_meta *meta = &profile->meta[i];
		uint64_t number;

		if (strncmp(meta->key, WALK_FACTS, length) == 0 &&
			as_number(meta->value, &number))
			summary_number(report, sink, meta->key,
				summary_format(
					report, "  stacks cut short: %s", meta->key + length),
				number, LOOK_NUMBER);
	}
}

/* Of the processor time that samples tell of: that of the whole recording. */
static void print_sampling_cost(struct report *report, struct sink *sink)
{
	const struct model *model = report->model;
	const char *text = profile_meta_get(model->profile, "sample.cost_ns");
	uint64_t cost;

	if (!text || !as_number(text, &cost))
		return;
	summary_number(report, sink, "sample.cost", "Cost of sampling, by the clock (ms)", cost,
		LOOK_TIME);
	for (unsigned c = 0; c < model->condition_count; c++) {
		const struct profile_condition *condition = model->condition[c];
		double used = (double)report->whole[model->metric_count + c] *
			      (double)condition->period;

		if (strcmp(condition->event, "cpu") != 0 ||
			strcmp(condition->unit, "ns") != 0 || used <= 0)
			continue;
		summary_text(report, sink, "sample.cost.share", "  of processor time",
			summary_format(report, "%.2f %%", 100 * (double)cost / used));
		break;
	}
}

static void print_samples(struct report *report, struct sink *sink)
{
	const struct model *model = report->model;

	for (unsigned c = 0; c < model->condition_count; c++)
		print_condition(report, sink, c);
	if (model->condition_count > 0)
		print_walks(report, sink);
	print_sampling_cost(report, sink);
}

/* ---- which calls were timed ---- */

static uint64_t budget_fact(const struct report *report, const char *key)
{
	const char *text = profile_meta_get(report->model->profile, key);
	uint64_t number;

	return text && as_number(text, &number) ? number : 0;
}

/* "1,754 methods timed, 6,957 counted, 79 of them because they were too dear; 526 changed in 3 turns, 96 ms" */
static void print_budget(struct report *report, struct sink *sink)
{
	uint64_t dear = budget_fact(report, "budget.dear"),
		 turns = budget_fact(report, "budget.turns");
	const char *text;

	if (!profile_meta_get(report->model->profile, "budget.timed"))
		return;
	text = summary_format(report,
		"%s methods timed, %s counted, %s of them because they were too dear",
		figure_text(FIGURE_COUNT, budget_fact(report, "budget.timed")).text,
		figure_text(FIGURE_COUNT, budget_fact(report, "budget.counted") + dear).text,
		figure_text(FIGURE_COUNT, dear).text);
	if (turns > 0)
		text = summary_format(report, "%s; %s changed in %s turn%s, %s", text,
			figure_text(FIGURE_COUNT, budget_fact(report, "budget.changed")).text,
			figure_text(FIGURE_COUNT, turns).text, turns == 1 ? "" : "s",
			figure_text(FIGURE_TIME, budget_fact(report, "budget.changing_ns"))
				.text);
	summary_text(report, sink, "budget", "How calls are seen", text);
}

static void rows_summary(struct report *report, struct sink *sink)
{
	const struct summary_view *view = report->data;
	const struct model *model = report->model;
	const struct profile *profile = model->profile;
	uint64_t waited = view->counts.waited;

	print_meta(report, sink);
	print_session(report, sink);
	print_snapshots(report, sink);
	print_traces(report, sink);
	print_interval(report, sink);
	print_counts(report, sink, count_rows, sizeof(count_rows) / sizeof(*count_rows));
	if (model_has_virtual(model))
		print_counts(report, sink, virtual_rows,
			sizeof(virtual_rows) / sizeof(*virtual_rows));
	for (unsigned m = 0; m < model->metric_count; m++)
		print_metric(report, sink, m);
	print_samples(report, sink);
	/* Of wall-clock time, how long threads could have run and had no processor. What probes have of that
	 * can be told where processor time is counted, too. */
	if (profile_metric_find(profile, "wall") >= 0) {
		summary_number(report, sink, "waited", "Waited for a processor (ms)", waited,
			LOOK_TIME);
		if (model->adjusted && profile_metric_find(profile, "cpu") < 0 && waited > 0)
			summary_text(report, sink, "waited.unadjusted",
				"  with what probes made of it",
				"wall is not adjusted for it where cpu is not recorded");
	}
	if (model->adjusted) {
		print_adjusted(report, sink);
	} else {
		summary_text(report, sink, "overhead", "Estimated overhead", overhead(report));
		print_parts(report, sink, -1);
		print_taken(report, sink);
	}
	print_budget(report, sink);
	if (model->choice->adjustment)
		summary_text(report, sink, "calibration", "Calibration",
			model->choice->adjustment->said);
	if (!report->request->all && report->request->format->shares)
		sink_note(sink, "more", "--all", " shows every row");
}

const struct view view_summary = {
	.name = "summary",
	.meaning = "where the profile comes from, how much is in it, whether it adds up",
	.by = BY_THREAD | BY_LABEL,
	.sort = NULL,
	.adjusts = true,
	.says_calibration = true,
	.columns = columns,
	.open = open_summary,
	.rows = rows_summary,
};
