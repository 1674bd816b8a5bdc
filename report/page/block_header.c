/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/* block_header: what is counted, the names of what numbers stand for, and what reports print. */
#include <stdio.h>
#include <string.h>

#include "report/model/trace_times.h"
#include "report/page/block.h"
#include "report/page/page_choices.h"
#include "report/report.h"

/* Of files, values and tags. */
enum { ROWS_MOST = 2000 };

/* Most rows of a trace's view: of what is shown first, and of any other interval, of which a page may have many. */
enum { TRACE_ROWS = 200, TRACE_ROWS_OF_INTERVAL = 20 };

static void put_text(struct out *out, const char *key, const char *text)
{
	out_char(out, '"');
	out_text(out, key);
	out_text(out, "\":");
	out_json(out, text ? text : "", text ? strlen(text) : 0);
	out_char(out, ',');
}

static void put_number(struct out *out, const char *key, uint64_t number)
{
	out_char(out, '"');
	out_text(out, key);
	out_text(out, "\":");
	out_number(out, number);
	out_char(out, ',');
}

static void put_names(struct out *out, const char *key, const char *const *names, size_t count)
{
	out_char(out, '"');
	out_text(out, key);
	out_text(out, "\":[");
	for (size_t i = 0; i < count; i++) {
		if (i > 0)
			out_char(out, ',');
		out_json(out, names[i], strlen(names[i]));
	}
	out_text(out, "],");
}

static void put_what_is_counted(const struct model *model, struct out *out)
{
	out_text(out, "\"metrics\":[");
	for (unsigned m = 0; m < model->metric_count; m++) {
		unsigned condition = model_condition_of(model, model->metric[m]);

		out_text(out, m > 0 ? ",{" : "{");
		put_text(out, "name", model->metric[m]->name);
		put_text(out, "unit", model->metric[m]->unit);
		out_text(out, model->part[m] ? "\"divided\":true,\"condition\":"
					     : "\"divided\":false,\"condition\":");
		if (condition > 0)
			out_number(out, condition - 1);
		else
			out_text(out, "null");
		out_char(out, '}');
	}
	out_text(out, "],\"conditions\":[");
	for (unsigned c = 0; c < model->condition_count; c++) {
		out_text(out, c > 0 ? ",{" : "{");
		put_text(out, "name", model->condition_name[c]);
		put_text(out, "asked", model->condition[c]->name);
		put_text(out, "event", model->condition[c]->event);
		put_number(out, "period", model->condition[c]->period);
		out_text(out, "\"unit\":");
		out_json(out, model->condition[c]->unit, strlen(model->condition[c]->unit));
		out_char(out, '}');
	}
	out_text(out, "],");
}

/* Paths of a slow call that took less of it. */
#define TREE_MIN 0.005

/* What the page shows as reports have it. */
static const char *const shown_views[] = {"summary", "findings", "components", "component-tree",
	"threads", "files", "connections", "entries", "distribution", "slowest", "snapshots",
	"calibration", "values", "tags"};

/* The same of traces: only of those that were on. */
static const struct {
	const char *view;
	enum trace_kind trace;
} trace_views[] = {
	{"locks", TRACE_LOCKS},
	{"waits", TRACE_LOCKS},
	{"wait-pairs", TRACE_LOCKS},
	{"long-waits", TRACE_LOCKS},
	{"objects", TRACE_OBJECTS},
	{"alive", TRACE_OBJECTS},
	{"object-paths", TRACE_OBJECTS},
	{"gc", TRACE_GC},
	{"safepoints", TRACE_GC},
	{"exceptions", TRACE_EXCEPTIONS},
	{"classes", TRACE_CLASSES},
	{"class-loaders", TRACE_CLASSES},
	{"applications", TRACE_CLASSES},
	{"jit", TRACE_JIT},
	{"deoptimizations", TRACE_JIT},
	{"thread-states", TRACE_THREADS},
};

/* most: rows; 0: all. */
static int put_view(const struct block *block, const struct view *view, uint64_t most,
	struct out *out, struct error *error)
{
	const struct model *model = block->model;
	struct report_request request = {.choice = *model->choice,
		.again = block->choice->again,
		.view = view,
		.format = &format_json,
		.all = true,
		.top = most,
		/* Of trees: the others are summed up. */
		.min = view->levels ? TREE_MIN : 0};
	struct model own = *model;
	struct store store = {0};
	uint64_t violations;
	int failed;

	/* What one view needs goes before the next one. */
	own.store = &store;
	failed = report_view(&own, &request, out, &violations, error);
	store_fini(&store);
	return failed;
}

static const struct view *find_view(const char *name)
{
	size_t v = 0;

	while (v < view_count && strcmp(views[v]->name, name) != 0)
		v++;
	return v < view_count ? views[v] : NULL;
}

/* A part of what there is has no views that cannot tell it apart: the page has them of all of it. */
static bool has_view(const struct block *block, const struct view *view)
{
	unsigned by = chosen_by(block->model->choice);

	return !block->choice->is_part || (view->by & by) == by;
}

/* put: how many are there already. */
static int put_named(const struct block *block, const char *name, uint64_t most, size_t *put,
	struct out *out, struct error *error)
{
	const struct view *view = find_view(name);

	if (!has_view(block, view))
		return 0;
	out_text(out, (*put)++ > 0 ? ",\"" : "\"");
	out_text(out, name);
	out_text(out, "\":");
	return put_view(block, view, most, out, error);
}

/* What is below one node has none. */
static int put_trace_views(
	const struct block *block, size_t *put, struct out *out, struct error *error)
{
	uint64_t most = block->choice->interval[0] ? TRACE_ROWS_OF_INTERVAL : TRACE_ROWS;
	int failed = 0;

	if (block->choice->root != 0)
		return 0;
	for (size_t i = 0; i < sizeof(trace_views) / sizeof(*trace_views) && failed == 0; i++) {
		if (trace_times(block->model->profile, trace_views[i].trace).periods == 0)
			continue;
		failed = put_named(block, trace_views[i].view, most, put, out, error);
	}
	return failed;
}

int put_views(const struct block *block, struct out *out, struct error *error)
{
	size_t put = 0;
	int failed = 0;

	out_text(out, "\"views\":{");
	for (size_t i = 0; i < sizeof(shown_views) / sizeof(*shown_views) && failed == 0; i++) {
		const struct view *view = find_view(shown_views[i]);

		failed = put_named(block, shown_views[i],
			view->io || view->labels ? ROWS_MOST : 0, &put, out, error);
	}
	if (failed == 0)
		failed = put_trace_views(block, &put, out, error);
	out_text(out, "},");
	return failed;
}

/* Traces that were on, and when, as reports say it. */
static void put_traces(const struct profile *profile, struct out *out)
{
	bool first = true;

	out_text(out, "\"traces\":[");
	for (unsigned kind = 0; kind < TRACE_KINDS; kind++) {
		struct trace_span span = trace_span(profile, kind);

		if (!span.text[0])
			continue;
		out_text(out, first ? "{" : ",{");
		put_text(out, "name", trace_kind_names[kind]);
		out_text(out, "\"on\":");
		out_json(out, span.text, strlen(span.text));
		out_char(out, '}');
		first = false;
	}
	out_text(out, "],");
}

static void put_strings(const struct strings *strings, struct out *out)
{
	out_text(out, "\"strings\":[\"\"");
	for (size_t i = 0; i < strings->count; i++) {
		out_char(out, ',');
		out_json(out, strings->label[i].text, strings->label[i].length);
	}
	out_char(out, ']');
}

static void put_interval(
	const struct profile *profile, const struct block_choice *choice, struct out *out)
{
	put_text(out, "interval", choice->interval);
	put_number(out, "begin", profile->interval.begin);
	out_text(out, "\"end\":");
	if (profile->interval.end > 0)
		out_number(out, profile->interval.end);
	else
		out_text(out, "null");
	out_text(out, ",\"intervals\":");
	out_text(out, choice->intervals ? choice->intervals : "[]");
	out_char(out, ',');
}

void put_header(struct block *block, struct out *out)
{
	const struct model *model = block->model;
	const struct block_choice *choice = block->choice;
	char line[96];

	out_text(out, "\"version\":1,");
	put_text(out, "jprof", JPROF_VERSION);
	put_text(out, "title", profile_meta_get(model->profile, "java.command"));
	put_number(out, "side", choice->side);
	put_interval(model->profile, choice, out);
	put_what_is_counted(model, out);
	put_names(out, "states", sample_state_names, SAMPLE_STATES);
	put_names(out, "io_kinds", account_kind_names, IO_ACCOUNTS);
	put_names(out, "file_kinds", io_kind_names, IO_KINDS);
	put_number(out, "lead", model->lead);
	out_text(out, model->has_errors ? "\"errors\":true," : "\"errors\":false,");
	put_number(out, "root", choice->root);
	out_text(out, "\"chosen\":");
	page_choice_put(out, model->choice);
	out_char(out, ',');
	put_number(out, "records", model->profile->record_count);
	put_traces(model->profile, out);
	snprintf(line, sizeof(line), "\"folded\":{\"limit\":%.9g,\"paths\":%zu},",
		(double)block->fold.limit, block->fold.paths);
	out_text(out, block->fold.paths > 0 ? line : "\"folded\":null,");
	put_strings(&block->strings, out);
	out_text(out, ",\"columns\":");
	columns_list(&block->columns, out);
	out_char(out, '}');
}
