/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/* block_header: what is counted, the names of what numbers stand for, and what reports print. */
#include <stdio.h>

#include "report/page/block.h"
#include "report/report.h"

enum { FILES_MOST = 2000 };

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
static const char *const shown_views[] = {"summary", "findings", "threads", "files",
	"connections", "entries", "distribution", "slowest", "snapshots", "calibration"};

static int put_view(const struct block *block, const struct view *view, struct out *out,
	struct error *error)
{
	const struct model *model = block->model;
	struct report_request request = {.choice = *model->choice,
		.again = block->choice->again,
		.view = view,
		.format = &format_json,
		.all = true,
		.top = view->io ? FILES_MOST : 0,
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

int put_views(const struct block *block, struct out *out, struct error *error)
{
	bool first = true;
	int failed = 0;

	out_text(out, "\"views\":{");
	for (size_t i = 0; i < sizeof(shown_views) / sizeof(*shown_views); i++)
		for (size_t v = 0; v < view_count && failed == 0; v++) {
			if (strcmp(views[v]->name, shown_views[i]) != 0)
				continue;
			out_text(out, first ? "\"" : ",\"");
			out_text(out, shown_views[i]);
			out_text(out, "\":");
			failed = put_view(block, views[v], out, error);
			first = false;
		}
	out_text(out, "},");
	return failed;
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
	put_names(out, "io_kinds", account_kind_names, IO_OPS);
	put_names(out, "file_kinds", io_kind_names, IO_KINDS);
	put_number(out, "lead", model->lead);
	out_text(out, model->has_errors ? "\"errors\":true," : "\"errors\":false,");
	put_number(out, "root", choice->root);
	put_number(out, "records", model->profile->record_count);
	snprintf(line, sizeof(line), "\"folded\":{\"limit\":%.9g,\"paths\":%zu},",
		(double)block->fold.limit, block->fold.paths);
	out_text(out, block->fold.paths > 0 ? line : "\"folded\":null,");
	put_strings(&block->strings, out);
	out_text(out, ",\"columns\":");
	columns_list(&block->columns, out);
	out_char(out, '}');
}
