/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/*
 * view_findings: what report/findings has found, in words: on a terminal a few lines each, for data a row each.
 */
#include <string.h>

#include "report/findings/findings.h"
#include "report/text/figure.h"
#include "report/views/view.h"

/* Calls of a path that text shows: the last ones. */
enum { PATH_SHOWN = 6, PATH_COLUMNS = 60 };

struct findings_view {
	struct findings findings;
	size_t shown; /* of them */
};

static void columns(struct report *report)
{
	static const struct {
		const char *group, *key;
	} data[] = {{NULL, "rule"}, {NULL, "severity"}, {NULL, "title"}, {NULL, "evidence"},
		{"method", "class"}, {"method", "method"}, {"method", "signature"},
		{NULL, "path"}, {NULL, "file"}, {NULL, "value"}, {NULL, "unit"},
		{NULL, "share"}, {NULL, "of"}, {NULL, "advice"}, {NULL, "command"}};

	for (size_t i = 0; i < sizeof(data) / sizeof(*data); i++)
		sheet_add(&report->sheet, data[i].group, data[i].key, "", IN_DATA);
	sheet_add(&report->sheet, NULL, "label", "", IN_TEXT | COLUMN_LEFT);
	sheet_add(
		&report->sheet, NULL, "shown", "Finding", IN_TEXT | COLUMN_LEFT | COLUMN_LAST);
}

static int open_findings(struct report *report)
{
	const struct findings_input input = {
		.model = report->model, .again = report->request->again};
	struct findings_view *view = report_room(report, 1, struct findings_view);
	uint64_t top = report->request->top;

	report->data = view;
	if (!view || findings_find(&view->findings, &input) != 0)
		return -1;
	view->shown = view->findings.count;
	if (top > 0 && top < view->shown)
		view->shown = (size_t)top;
	return 0;
}

/* ---- data ---- */

static void data_row(struct report *report, struct sink *sink, const struct finding *finding)
{
	const struct model *model = report->model;
	const struct profile *profile = model->profile;
	size_t depth = 0;
	const struct label *path = finding_path(model, finding, &depth);
	struct cell cells[COLUMN_MAX] = {0}, *cell = cells;

	*cell++ = cell_text(finding->rule->name);
	*cell++ = cell_text(finding_severity_names[finding->severity]);
	*cell++ = cell_text(finding->title);
	*cell++ = cell_text(finding->evidence);
	if (finding->method != METHOD_ROOT)
		method_cells(cell, &model->method[finding->method]);
	cell += 3;
	*cell++ = cell_texts(path, path ? depth : 0);
	*cell++ = finding->file > 0 ? cell_text(profile->file[finding->file - 1].name)
				    : cell_null();
	*cell++ = cell_number(finding->value);
	*cell++ = cell_text(finding->rule->unit);
	*cell++ = cell_real(finding->share);
	*cell++ = cell_text(finding->whole);
	*cell++ = cell_text(finding->advice);
	*cell++ = cell_text(finding->command);
	sink_row(sink, cells, 0);
}

/* ---- text ---- */

static void text_row(
	struct report *report, struct sink *sink, const char *label, const char *text)
{
	struct cell cells[COLUMN_MAX] = {0};
	unsigned last = report->sheet.column_count - 1;

	cells[last - 1] = cell_text(label);
	cells[last] = cell_text(text);
	sink_row(sink, cells, 0);
}

/* "... > a > b > c": down to the method that it is about, if that is on it. */
static const char *path_text(struct report *report, const struct finding *finding)
{
	const struct model *model = report->model;
	const struct profile_node *nodes = model->profile->node;
	const char *text = "", *between = "";
	uint32_t at = finding->node, shown = 0;

	while (nodes[at].parent != at && nodes[at].method != finding->method)
		at = nodes[at].parent;
	if (nodes[at].parent == at)
		at = finding->node;
	for (; nodes[at].parent != at && text; at = nodes[at].parent) {
		const struct label *display = &model->method[nodes[at].method].display;
		char name[4096];

		if (shown++ == PATH_SHOWN)
			return store_format(model->store, "... > %s", text).text;
		figure_name(name, sizeof(name), display->text, display->length, PATH_COLUMNS);
		text = store_format(model->store, "%s%s%s", name, between, text).text;
		between = " > ";
	}
	return text;
}

static void text_rows(struct report *report, struct sink *sink, const struct finding *finding)
{
	const char *path = path_text(report, finding);

	sink_stanza(sink, true);
	sink_part(sink, "finding", false, true);
	text_row(report, sink, finding_severity_names[finding->severity], finding->title);
	sink_part(sink, "finding", false, false);
	text_row(report, sink, "", finding->evidence);
	if (path && path[0] != '\0')
		text_row(report, sink, "path", path);
	text_row(report, sink, "do", finding->advice);
	sink_command(sink, finding->command);
	sink_stanza(sink, false);
}

/* ---- rows ---- */

static void rows(struct report *report, struct sink *sink)
{
	const struct findings_view *view = report->data;
	struct cell none[COLUMN_MAX] = {0};
	size_t left = view->findings.count - view->shown;

	for (size_t i = 0; i < view->shown; i++)
		(sink->format->has_head ? text_rows : data_row)(
			report, sink, &view->findings.finding[i]);
	if (!sink->format->has_head) {
		if (left > 0)
			sink_extra(sink, "omitted", "more", left, none);
		return;
	}
	if (view->findings.count == 0)
		text_row(report, sink, "none",
			"No rule found anything: docs/findings.md tells what they look for.");
	if (left > 0)
		text_row(report, sink, "",
			store_format(report->model->store, "(%zu more)", left).text);
}

const struct view view_findings = {
	.name = "findings",
	.meaning = "known problems that the profile shows: evidence, place, what to do",
	.by = BY_THREAD,
	.merges = true,
	.classes = true,
	.collections = true,
	.compilations = true,
	.adjusts = true,
	.columns = columns,
	.open = open_findings,
	.rows = rows,
};
