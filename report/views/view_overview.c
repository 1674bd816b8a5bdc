/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/*
 * view_overview: where the time goes, on one screen: what the profile is of, the methods
 * that used most themselves, and the call paths that lead to most, all threads together. Where samples
 * alone tell, also the methods that had most with what they called; where there are samples, what ran. On a
 * terminal the findings that matter most.
 *
 * Of the paths only nodes with their share are kept, and of those the ones that tell
 * something: where ways part, or where much is used. Their levels say how many calls lie
 * between them.
 */
#include <stdlib.h>
#include <string.h>

#include "error/columns.h"
#include "report/findings/findings.h"
#include "report/text/figure.h"
#include "report/views/next_steps.h"

/* Of the whole: what a node of the paths has at least, and one that is shown for its own
 * part. */
#define LEAST_SHARE 0.01
#define OWN_SHARE   0.03
/* A path goes straight on where one child has that much of its parent. */
#define STRAIGHT 0.9
/* Of samples, to be told: lost ones, of those that were taken. */
#define LOST_SHARE 0.01
/* And such that have no stack, as no period was over. */
#define REST_SHARE 0.05
/* Of what was measured, where no sample came. */
#define UNSAMPLED_SHARE 0.05

/* Of samples, for what ran to have a word of its own. */
#define STATE_SHARE 0.05

/* Findings that have a line. */
enum { FINDINGS_TOLD = 2 };

/* Rows of each part: by the terminal's height, less what stands around them. */
enum { ROWS_LEAST = 4, ROWS_MOST = 14, ROWS_UNKNOWN = 10, LINES_AROUND = 16 };
/* Of the program's own command line, on a screen. */
#define COMMAND_COLUMNS 160

/* Columns: the rest is a line, where some nodes have one, and a method's row. */
enum { PART, LEVEL, REST };

struct overview {
	struct tally tally;
	union model_value *cum;
	struct link *link; /* of the heavy nodes alone */
	uint64_t least;    /* what nodes that are shown have */
	size_t paths;      /* nodes that are shown, at most */
	struct rank *most; /* methods by their cum; NULL: they are not shown */
	size_t most_count;
	struct findings findings; /* on a screen alone */
};

static void columns(struct report *report)
{
	sheet_add(&report->sheet, NULL, "part", "Part", IN_DATA);
	sheet_add(&report->sheet, NULL, "level", "Level", IN_DATA);
	line_column(report);
	method_row_columns(report);
	report->sheet.brief = report->model->condition_count > 0
				      ? " (more: --view tree, methods, lines, states, threads)"
				      : " (more: --view tree, methods, threads)";
}

static void fill_method(struct report *report, uint32_t item, struct cell *cells)
{
	const struct overview *view = report->data;

	cells[PART] = cell_text("method");
	cells[LEVEL] = cell_null();
	/* No node's: the root's line. */
	method_row_of(report, line_cell(report, cells + REST, 0), &view->tally, item);
}

static void fill_most(struct report *report, uint32_t item, struct cell *cells)
{
	fill_method(report, item, cells);
	cells[PART] = cell_text("total");
}

static void fill_path(struct report *report, uint32_t item, struct cell *cells)
{
	const struct overview *view = report->data;
	struct call_count count = {0};
	union model_value base[MODEL_VALUES_MAX];

	call_count_add(&count, report->model, item);
	model_base(report->model, item, base);
	cells[PART] = cell_text("path");
	cells[LEVEL] = cell_number(0);
	method_row(report, line_cell(report, cells + REST, item),
		report->model->profile->node[item].method, &count, base,
		model_at(report->model, view->cum, item));
	if (report->model->profile->node[item].line > 0)
		cells[report->sheet.column_count - 1] = node_name(report, item);
}

/* What 100 % is. */
static uint64_t whole_of(const struct report *report)
{
	return report->whole[report->model->lead];
}

/* Orders by cum, whatever the user chose. */
static void rank_by_cum(struct report *report, struct rank *rank, const uint32_t *items,
	size_t count, fill_row *fill)
{
	bool by_samples = model_leads_by_samples(report->model);
	unsigned sort = report->sort;

	report->sort = (unsigned)sheet_find(&report->sheet, by_samples ? "samples_cum" : "cum");
	report_rank(report, rank, items, count, fill);
	report->sort = sort;
}

/* ---- the paths ---- */

static uint64_t cum_of(const struct report *report, uint32_t node)
{
	const struct overview *view = report->data;

	return model_at(report->model, view->cum, node)[report->model->lead].count;
}

/* The nodes with their share, linked from the heaviest child on. */
static int link_heavy(struct report *report, struct overview *view)
{
	uint64_t least = (uint64_t)(LEAST_SHARE * (double)whole_of(report));
	const struct model *model = report->model;
	uint32_t *heavy = report_room(report, model->profile->node_count, uint32_t);
	struct rank *rank = report_room(report, model->profile->node_count, struct rank);
	size_t count = 0;

	if (model->store->failed)
		return -1;
	for (size_t i = 0; i < model->profile->node_count; i++) {
		if (!model->hidden[i] && cum_of(report, (uint32_t)i) > least)
			heavy[count++] = (uint32_t)i;
	}
	rank_by_cum(report, rank, heavy, count, fill_path);
	view->link = links_make(model, rank, count);
	return view->link ? 0 : -1;
}

/* Gives the nodes that are shown to the sink, if there is one; how many they are. All threads are one
 * tree, whose root is not shown. */
static size_t walk_paths(struct report *report, struct sink *sink, uint64_t least)
{
	const struct overview *view = report->data;
	struct cell cells[COLUMN_MAX];
	struct walk walk = walk_from(report->model, view->link, 0);
	uint32_t shown[ROWS_MOST + 1]; /* levels of those above */
	size_t rows = 0, depth = 0;
	bool more = walk_next(&walk);

	while (more && (!sink || rows < view->paths)) {
		uint64_t cum = cum_of(report, walk.at), below;
		uint32_t child = walk.link[walk.at].first_child;
		bool heavy = cum >= least, tells = walk.level <= 1 || child == 0;
		union model_value base[MODEL_VALUES_MAX];

		/* Whether the node tells something, if nodes below `least` are left out. */
		if (heavy && !tells) {
			model_base(report->model, walk.at, base);
			below = cum_of(report, child);
			tells = below < least || (double)below < STRAIGHT * (double)cum ||
				(double)base[report->model->lead].count >=
					OWN_SHARE * (double)whole_of(report);
		}
		if (heavy && tells) {
			while (depth > 0 && shown[depth - 1] >= walk.level)
				depth--;
			if (sink) {
				fill_path(report, walk.at, cells);
				cells[LEVEL] = cell_number(walk.level);
				sink_row(sink, cells, (unsigned)depth);
			}
			if (depth < ROWS_MOST)
				shown[depth++] = walk.level;
			rows++;
		}
		more = heavy ? walk_next(&walk) : walk_past(&walk);
	}
	return rows;
}

/* ---- life ---- */

/* Of the whole program: not where only some of it is looked at. */
static int open_findings(struct report *report, struct overview *view)
{
	const struct findings_input input = {.model = report->model,
		.again = report->request->again,
		.cum = view->cum,
		.tally = &view->tally};

	if (!report->request->format->shares || report->request->choice.methods.count > 0 ||
		report->request->choice.files.count > 0 || report->model->profile->is_chosen)
		return 0;
	return findings_find(&view->findings, &input);
}

/* What matters of them, and whether there is more than notes on the profile. */
static size_t findings_told(const struct overview *view, bool *any)
{
	const struct findings *findings = &view->findings;
	size_t told = 0;

	*any = findings->count > 0 && findings->finding[0].severity != FINDING_NOTE;
	while (told < findings->count && told < FINDINGS_TOLD &&
		findings->finding[told].severity <= FINDING_MEDIUM)
		told++;
	return told;
}

/* Of each part, as many as the terminal has lines for. */
static size_t rows_of(const struct report *report, size_t lists)
{
	unsigned height = report->request->height;
	bool any;
	size_t told = findings_told(report->data, &any),
	       around = LINES_AROUND +
			(report->request->again
					? NEXT_STEPS_LINES + 1 + next_steps_more(report->model)
					: 0) +
			told + any,
	       rows = height > around ? (height - around) / lists : 0;

	if (height == 0)
		return ROWS_UNKNOWN;
	return rows < ROWS_LEAST ? ROWS_LEAST : rows < ROWS_MOST ? rows : ROWS_MOST;
}

static int open_overview(struct report *report)
{
	static const double shares[] = {
		LEAST_SHARE, 0.02, 0.03, 0.05, 0.1, 0.15, 0.2, 0.3, 0.5};
	struct overview *view = report_room(report, 1, struct overview);
	bool by_samples = model_leads_by_samples(report->model);
	size_t rows;

	report->data = view;
	if (!view)
		return -1;
	view->cum = model_cum(report->model);
	if (!view->cum || tally_init(&view->tally, report->model, view->cum) != 0 ||
		report_list_methods(report, view->tally.seen, view->tally.seen_count, NULL) !=
			0)
		return -1;
	if (open_findings(report, view) != 0)
		return -1;
	rows = rows_of(report, by_samples ? 3 : 2);
	if (report->request->top == 0 && report->shown > rows)
		report->shown = rows;
	if (report->model->figures == 0)
		return 0;
	if (link_heavy(report, view) != 0)
		return -1;
	if (by_samples) {
		view->most = report_room(report, view->tally.seen_count, struct rank);
		if (!view->most)
			return -1;
		rank_by_cum(report, view->most, view->tally.seen, view->tally.seen_count,
			fill_most);
		view->most_count =
			view->tally.seen_count < rows ? view->tally.seen_count : rows;
	}
	/* The lightest nodes for whose paths there are rows enough; or the first of more, rather
	 * than none. */
	for (size_t i = 0; i < sizeof(shares) / sizeof(*shares); i++) {
		uint64_t least = (uint64_t)(shares[i] * (double)whole_of(report)) + 1;
		size_t paths = walk_paths(report, NULL, least);

		if (paths == 0)
			break;
		view->least = least;
		view->paths = paths <= rows ? paths : 1;
		if (paths <= rows)
			break;
	}
	return 0;
}

/* ---- printing ---- */

/* The metric that is divided by a condition's samples; the number of metrics: none is. */
static unsigned divided_by(const struct model *model, unsigned condition)
{
	unsigned m = 0;

	if (!model->is_divided)
		return model->metric_count;
	while (m < model->metric_count &&
		model_condition_of(model, model->metric[m]) != condition + 1)
		m++;
	return m;
}

/* How a divided metric is known, and what of it cannot be divided. */
static void print_divided(
	struct report *report, struct sink *sink, unsigned m, unsigned condition)
{
	const struct model *model = report->model;

	sink_title(sink,
		"%s: measured by timed calls; where ~ stands, divided by %s samples (%s)",
		model->metric[m]->name,
		figure_text(FIGURE_COUNT, report->whole[model->metric_count + condition]).text,
		model->condition[condition]->name);
	if ((double)model->unsampled[m] > UNSAMPLED_SHARE * (double)report->whole[m])
		sink_title(sink,
			"  %s of it is where no sample came: it is the timed methods' own here",
			figure_percent(model->unsampled[m], report->whole[m]).text);
}

/* "8,115 samples (cpu:1ms)", and what they stand for. */
static void print_sampled(struct report *report, struct sink *sink, unsigned condition)
{
	const struct profile_condition *row = report->model->condition[condition];
	uint64_t samples = report->whole[report->model->metric_count + condition],
		 taken = model_sample_fact(report->model, condition, "taken"),
		 rest = model_sample_fact(report->model, condition, "rest"), lost = 0;
	bool is_cpu = strcmp(row->event, "cpu") == 0 && strcmp(row->unit, "ns") == 0;
	unsigned divided = divided_by(report->model, condition);

	if (divided < report->model->metric_count)
		print_divided(report, sink, divided, condition);
	else
		sink_title(sink, "%s samples (%s)%s%s%s",
			figure_text(FIGURE_COUNT, samples).text, row->name, is_cpu ? ": " : "",
			is_cpu ? figure_text(FIGURE_TIME, samples * row->period).text : "",
			is_cpu ? " of processor time" : "");
	/* Both are known of the whole process alone. */
	for (int i = 0; i < SAMPLE_REASONS; i++)
		if (sample_reasons[i].lost)
			lost += model_sample_fact(
				report->model, condition, sample_reasons[i].key);
	if (lost > 0 && (double)lost > LOST_SHARE * (double)taken)
		sink_title(sink,
			"  In the whole recording %s more were lost: --view summary tells why",
			figure_text(FIGURE_COUNT, lost).text);
	if ((double)rest > REST_SHARE * (double)taken)
		sink_title(sink,
			"  In the whole recording %s more have no stack: threads ended within "
			"a period",
			figure_text(FIGURE_COUNT, rest).text);
}

/* What people call it that was found running; states of the same name are one. */
static const char *const state_words[SAMPLE_STATES] = {
	[SAMPLE_INTERPRETED] = "interpreted",
	[SAMPLE_C1] = "compiled",
	[SAMPLE_C2] = "compiled",
	[SAMPLE_C1_INLINED] = "compiled",
	[SAMPLE_C2_INLINED] = "compiled",
	[SAMPLE_STUB] = "stubs",
	[SAMPLE_NATIVE] = "libraries",
	[SAMPLE_JVM] = "JVM",
	[SAMPLE_KERNEL] = "kernel",
	[SAMPLE_GC] = "GC",
	[SAMPLE_JIT] = "JIT compilers",
	[SAMPLE_WAITING] = "waiting",
	[SAMPLE_UNKNOWN] = "unknown",
	[SAMPLE_JPROF] = "jprof",
};

/* "compiled 41.1%, kernel 19.1%": the most first, what is next to nothing together. */
static struct label states_line(struct report *report, const uint64_t *samples, uint64_t whole)
{
	struct label line = {"", 0};
	uint64_t sums[SAMPLE_STATES] = {0}, others = 0;

	for (int i = 0; i < SAMPLE_STATES; i++) {
		int first = 0;

		while (strcmp(state_words[first], state_words[i]) != 0)
			first++;
		sums[first] += samples[i];
	}
	for (;;) {
		int most = 0;

		for (int i = 1; i < SAMPLE_STATES; i++)
			if (sums[i] > sums[most])
				most = i;
		if ((double)sums[most] < STATE_SHARE * (double)whole || sums[most] == 0)
			break;
		line = store_format(report->model->store, "%s%s%s %s", line.text,
			line.length > 0 ? ", " : "", state_words[most],
			figure_percent(sums[most], whole).text);
		sums[most] = 0;
	}
	for (int i = 0; i < SAMPLE_STATES; i++)
		others += sums[i];
	if (others > 0)
		line = store_format(report->model->store, "%s%sothers %s", line.text,
			line.length > 0 ? ", " : "", figure_percent(others, whole).text);
	return line;
}

/* "2258 methods: 312 timed, 1417 counted, 529 found by samples alone": a method may have been both. */
static void print_methods(struct report *report, struct sink *sink)
{
	const struct overview *view = report->data;
	uint64_t timed = 0, counted = 0, sampled = 0;

	for (size_t i = 0; i < view->tally.seen_count; i++) {
		const struct call_count *count = &view->tally.method[view->tally.seen[i]];

		timed += count->sampled < count->nodes;
		counted += count->counted > 0;
		sampled += count->sampled == count->nodes && count->counted == 0;
	}
	sink_title(sink, "%s methods: %s timed, %s counted, %s found by samples alone",
		figure_text(FIGURE_COUNT, view->tally.seen_count).text,
		figure_text(FIGURE_COUNT, timed).text, figure_text(FIGURE_COUNT, counted).text,
		figure_text(FIGURE_COUNT, sampled).text);
}

/* The part of processor time that was taken out by a calibration; below 0: there is none. */
static double timing_part(const struct report *report)
{
	const struct model *model = report->model;
	union model_value base[MODEL_VALUES_MAX];
	double figure = (double)report->whole[0], raw = 0,
	       counting = (double)model_counting_of(model, 0, 0);

	if (!model->adjusted || model->metric_count == 0)
		return -1;
	for (size_t i = 0; i < model->node_count; i++) {
		model_base(model, model->node[i], base);
		raw += (double)base[model->figures].count;
	}
	return raw > 0 ? (raw - figure - counting) / raw : 0;
}

/* Where calls are counted. Of what parts it is made the summary says. */
static const char *counting_line(struct report *report, const struct own_cost *cost)
{
	const struct model *model = report->model;
	char text[OWN_COST_PARTS];
	const char *so = !model->is_divided       ? "samples of counting are left out"
			 : !model->takes_counting ? "it is in all figures"
			 : model->adjusted        ? "counting and timing are taken out"
						  : "counting is taken out";

	own_cost_parts(cost, timing_part(report), text);
	text[strcspn(text, "(")] = '\0';
	return store_format(model->store, "jprof itself cost %s(%s)", text, so).text;
}

static const char *own_cost_line(struct report *report)
{
	const struct model *model = report->model;
	const struct adjustment *adjustment = report->request->choice.adjustment;
	char text[OWN_COST_TEXT];
	const char *part = adjustment ? own_cost_text(&adjustment->own_cost, text) : NULL;

	if (adjustment && (model->counted || model->is_divided))
		return counting_line(report, &adjustment->own_cost);
	if (model->adjusted)
		return "what jprof itself cost is taken out of all figures";
	return store_format(model->store, "all figures are with what jprof itself cost%s%s",
		part ? ", " : "", part ? part : "")
		.text;
}

static void print_head(struct report *report, struct sink *sink)
{
	const struct overview *view = report->data;
	const struct model *model = report->model;
	const struct profile *profile = model->profile;
	const struct profile_thread *all = &profile->thread[0];
	const struct profile_interval *interval = &profile->interval;
	const char *command = profile_meta_get(profile, "java.command");
	const char *whole = profile_meta_get(profile, "duration_ns");
	uint64_t duration = whole ? strtoull(whole, NULL, 10) : 0, calls = 0, cpu = 0,
		 alloc = 0;
	char name[4 * COMMAND_COLUMNS];

	if (interval->end > interval->begin)
		duration = interval->end - interval->begin;
	/* Where there are no calls, samples tell it, of the JVM's own threads, too. */
	for (unsigned m = 0; m < model->metric_count && !model->lacks_calls; m++) {
		if (strcmp(model->metric[m]->name, "cpu") == 0)
			cpu = report->whole[m];
		if (strcmp(model->metric[m]->name, "alloc") == 0)
			alloc = report->whole[m];
	}
	for (size_t i = 0; i < view->tally.seen_count; i++)
		calls += view->tally.method[view->tally.seen[i]].calls;
	if (command && report->request->format->shares) {
		figure_name(name, sizeof(name), command, strlen(command), COMMAND_COLUMNS);
		command = name;
	}
	sink_title(sink, "%s", command ? command : "a program without a name");
	sink_title(sink, "%s long; %s%s%s%s%s%s%s%s%s threads",
		figure_text(FIGURE_TIME, duration).text,
		cpu > 0 ? figure_text(FIGURE_TIME, cpu).text : "",
		cpu > 0 ? " of processor time; " : "",
		alloc > 0 ? figure_text(FIGURE_BYTES, alloc).text : "",
		alloc > 0 ? " allocated; " : "",
		calls == 0 ? "" : figure_text(FIGURE_COUNT, calls).text,
		calls == 0 ? "" : " calls; ",
		model->is_divided ? "" : figure_text(FIGURE_COUNT, view->tally.seen_count).text,
		model->is_divided ? "" : " methods, ",
		figure_text(FIGURE_COUNT, all->folded).text);
	if (model->is_divided)
		print_methods(report, sink);
	for (unsigned c = 0; c < model->condition_count; c++)
		print_sampled(report, sink, c);
	if (!model->lacks_calls || model->counted)
		sink_title(sink, "%s", own_cost_line(report));
	if (all->pruned > 0)
		sink_title(sink,
			"%s call paths were folded for want of memory (a larger max_memory "
			"keeps "
			"them)",
			figure_text(FIGURE_COUNT, all->pruned).text);
	if (all->lost > 0)
		sink_title(sink, "%s calls could not be recorded for want of memory",
			figure_text(FIGURE_COUNT, all->lost).text);
}

/* What the JVM did beside that, in threads of its own. */
static void print_jvm(struct report *report, struct sink *sink)
{
	const struct model *model = report->model;
	struct label line = {"", 0};
	uint64_t all = 0;

	for (int i = 0; i < SAMPLE_STATES; i++)
		all += model->jvm_samples[i];
	if (all == 0)
		return;
	line = states_line(report, model->jvm_samples, all);
	sink_title(sink, "The JVM's own threads had %s samples more: %s",
		figure_text(FIGURE_COUNT, all).text, line.text);
}

static void print_most(struct report *report, struct sink *sink)
{
	const struct overview *view = report->data;
	struct cell cells[COLUMN_MAX];

	for (size_t i = 0; i < view->most_count; i++) {
		fill_most(report, view->most[i].item, cells);
		sink_row(sink, cells, 0);
	}
}

/* In what the leading condition's samples were taken. */
static void print_states(struct report *report, struct sink *sink)
{
	const struct profile *profile = report->model->profile;
	uint64_t samples[SAMPLE_STATES] = {0};
	unsigned condition;

	for (size_t i = 0; i < profile->account_count; i++)
		if (model_is_sample(report->model, &profile->account[i], &condition) &&
			condition == 0)
			samples[sample_place_state(profile->account[i].subject)] +=
				profile->account[i].amount;
	sink_title(sink, "What ran: %s",
		states_line(report, samples, report->whole[report->model->metric_count]).text);
}

/* Those that matter, a line each; where there are others one line says so. */
static void print_findings(struct report *report, struct sink *sink)
{
	const struct overview *view = report->data;
	bool any;
	size_t told = findings_told(view, &any);

	for (size_t i = 0; i < told; i++) {
		struct label line = store_format(
			report->model->store, "Finding: %s", view->findings.finding[i].title);
		size_t room = line.length;

		/* One line is enough: the view has all of it. */
		if (sink->terminal > 0 &&
			columns_count(line.text, line.length) > sink->terminal)
			room = columns_at_most(line.text, sink->terminal - strlen("..."));
		sink_title(
			sink, "%.*s%s", (int)room, line.text, room < line.length ? "..." : "");
	}
	if (any)
		sink_title(sink, "%s: --view findings)",
			told > 0 ? "(more" : "(findings of less weight");
}

static void rows(struct report *report, struct sink *sink)
{
	struct overview *view = report->data;
	const struct model *model = report->model;
	bool by_samples = model_leads_by_samples(model);
	const char *figure = by_samples            ? model->condition[0]->name
			     : model->figures == 0 ? ""
						   : model->metric[0]->name;

	print_head(report, sink);
	if (by_samples || model->is_divided)
		print_states(report, sink);
	print_jvm(report, sink);
	print_findings(report, sink);
	sink_title(sink, "%s", "");
	sink_title(sink,
		by_samples ? "Methods by samples of their own (%s)"
			   : "Methods by what they used themselves (%s)",
		figure);
	report_rows(report, sink);
	method_row_outside(report, sink, &view->tally);
	if (model->figures == 0)
		return;
	if (view->most) {
		sink_title(sink, "Methods by samples with what they called (%s)", figure);
		print_most(report, sink);
	}
	if (view->paths > 0) {
		sink_title(sink,
			by_samples ? "Call paths by samples in all (%s), without the calls in "
				     "between"
				   : "Call paths by what they used in all (%s), without the "
				     "calls in between",
			figure);
		walk_paths(report, sink, view->least);
	}
	next_steps_print(report, sink, report->rank, report->shown);
}

const struct view view_overview = {
	.name = "overview",
	.meaning = "where the time goes, on one screen: methods and call paths",
	.by = BY_CALLS,
	.sort = "base",
	.calls = true,
	.merges = true,
	.classes = true,
	.collections = true,
	.compilations = true,
	.adjusts = true,
	.columns = columns,
	.open = open_overview,
	.fill = fill_method,
	.rows = rows,
};
