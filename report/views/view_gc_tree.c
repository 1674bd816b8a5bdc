/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/*
 * view_gc_tree: the call paths that collections have stopped, depth first: how often, and for how long. That time is a part of the
 * path's wall-clock time.
 */
#include "report/model/trace_times.h"
#include "report/text/figure.h"
#include "report/views/trace_head.h"
#include "report/views/view.h"

struct stopped {
	uint64_t pauses, ns;
};

struct gc_tree_view {
	struct stopped *base, *cum; /* by node */
	struct link *link;
};

static void columns(struct report *report)
{
	static const char *const groups[] = {"base", "cum"};
	static const char *const headings[] = {"Self (gc)", "Total (gc)"};

	node_columns(report);
	method_columns(report);
	line_column(report);
	for (int i = 0; i < 2; i++) {
		unsigned flags = IN_ALL | COLUMN_SHARE | (i == 0 ? COLUMN_SUM : 0);

		sheet_add(&report->sheet, groups[i], "ns", headings[i], flags | COLUMN_TIME);
		sheet_add(&report->sheet, groups[i], "pauses", "Pauses", flags);
	}
	sheet_add_name(&report->sheet, "Name");
}

static void fill(struct report *report, uint32_t item, struct cell *cells)
{
	const struct gc_tree_view *view = report->data;
	const struct model *model = report->model;

	cells = node_cells(report, cells, item);
	cells = method_cells(cells, &model->method[model->profile->node[item].method]);
	cells = line_cell(report, cells, item);
	*cells++ = cell_number(view->base[item].ns);
	*cells++ = cell_number(view->base[item].pauses);
	*cells++ = cell_number(view->cum[item].ns);
	*cells++ = cell_number(view->cum[item].pauses);
	*cells = node_name(report, item);
}

static int open_tree(struct report *report)
{
	const struct model *model = report->model;
	const struct profile *profile = model->profile;
	struct gc_tree_view *view = report_room(report, 1, struct gc_tree_view);
	uint32_t *nodes = report_room(report, profile->node_count, uint32_t);
	const bool *below = model_below_wanted(model);
	size_t led = 0;

	report->data = view;
	if (!view || !nodes || !below)
		return -1;
	view->base = report_room(report, profile->node_count, struct stopped);
	view->cum = report_room(report, profile->node_count, struct stopped);
	if (model->store->failed)
		return -1;
	for (size_t i = 0; i < profile->account_count; i++) {
		const struct profile_account *account = &profile->account[i];

		if (account->kind != PAUSES || !below[account->node] ||
			!model->selected[profile->node[account->node].thread])
			continue;
		view->base[account->node].pauses += account->count;
		view->base[account->node].ns += account->ns;
	}
	/* Children stand behind their parents. */
	for (size_t i = profile->node_count; i-- > 0;) {
		struct stopped *cum = &view->cum[i],
			       *above = &view->cum[profile->node[i].parent];

		cum->pauses += view->base[i].pauses;
		cum->ns += view->base[i].ns;
		if (profile->node[i].parent == i)
			continue;
		above->pauses += cum->pauses;
		above->ns += cum->ns;
	}
	for (uint32_t i = 0; i < profile->node_count; i++)
		if (view->cum[i].pauses > 0)
			nodes[led++] = i;
	if (report_list(report, nodes, led) != 0)
		return -1;
	view->link = links_make(model, report->rank, led);
	return view->link ? 0 : -1;
}

static void say_head(struct report *report, struct sink *sink)
{
	const struct profile *profile = report->model->profile;

	trace_head(report, sink, TRACE_GC);
	if (report->count == 0 && trace_times(profile, TRACE_GC).periods > 0)
		sink_title(sink, "no collection has stopped a call path: they are told with "
				 "gc_in_paths=yes");
}

/* The threads' trees, in the order of their roots. */
static void rows(struct report *report, struct sink *sink)
{
	const struct gc_tree_view *view = report->data;
	const struct model *model = report->model;
	struct cell cells[COLUMN_MAX], sums[COLUMN_MAX];
	size_t given = 0, left = 0;

	say_head(report, sink);
	sums_begin(report, sums);
	for (size_t i = 0; i < report->count; i++) {
		uint32_t root = report->rank[i].item;
		struct walk walk = walk_from(model, view->link, root);
		bool more = model->profile->node[root].id == 0;

		for (; more && sink->out->failed == 0; more = walk_next(&walk)) {
			fill(report, walk.at, cells);
			if (given < report->shown) {
				sink_row(sink, cells, walk.level);
				given++;
			} else {
				sums_add(report, sums, cells);
				left++;
			}
		}
	}
	if (left > 0)
		sink_extra(sink, "omitted", "more", left, sums);
}

const struct view view_gc_tree = {
	.name = "gc-tree",
	.meaning = "call paths that collections have stopped; gc_in_paths=yes",
	.by = BY_CALLS,
	.sort = "cum.ns",
	.columns = columns,
	.open = open_tree,
	.fill = fill,
	.rows = rows,
};
