/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/* view_object_tree: the call paths that allocated objects, or led to it, depth first. */
#include "report/model/object_use.h"
#include "report/views/trace_head.h"
#include "report/views/view.h"

enum { FIGURES = 4 /* columns of allocated and alive */ };

struct object_tree_view {
	struct object_use *base, *cum; /* by node */
	struct link *link;
	bool *shown; /* by node, where small ones are not; NULL: all are */
};

static void figure_columns(struct report *report, const char *const group[2],
	const char *const heading[FIGURES], unsigned flags)
{
	bool is_growth = report->model->profile->interval.from != NULL;

	flags |= COLUMN_SHARE;
	sheet_add(&report->sheet, group[0], "bytes", heading[0], flags | COLUMN_BYTES);
	sheet_add(&report->sheet, group[0], "objects", heading[1], flags);
	if (is_growth)
		flags &= ~(unsigned)(IN_TEXT | COLUMN_SHARE | COLUMN_SUM);
	sheet_add(&report->sheet, group[1], "bytes", heading[2], flags | COLUMN_BYTES);
	sheet_add(&report->sheet, group[1], "objects", heading[3], flags);
}

static void columns(struct report *report)
{
	static const char *const base[] = {"base.allocated", "base.alive"},
				 *const cum[] = {"cum.allocated", "cum.alive"},
				 *const self[] = {"Self", "Self objects", "Self alive",
					 "Self alive objects"},
				 *const total[] = {
					 "Total", "Objects", "Alive", "Alive objects"};

	node_columns(report);
	method_columns(report);
	line_column(report);
	figure_columns(report, base, self, IN_ALL | COLUMN_SUM);
	figure_columns(report, cum, total, IN_ALL);
	sheet_add_name(&report->sheet, "Name");
}

static struct cell *figure_cells(
	const struct report *report, struct cell *cells, const struct object_use *use)
{
	bool is_growth = report->model->profile->interval.from != NULL;
	int64_t alive[] = {object_alive_bytes(use), object_alive(use)};

	*cells++ = cell_number(use->allocated.bytes);
	*cells++ = cell_number(use->allocated.objects);
	for (int i = 0; i < 2; i++)
		*cells++ = is_growth ? cell_signed(alive[i]) : cell_number((uint64_t)alive[i]);
	return cells;
}

static void fill(struct report *report, uint32_t item, struct cell *cells)
{
	const struct object_tree_view *view = report->data;
	const struct model *model = report->model;

	cells = node_cells(report, cells, item);
	cells = method_cells(cells, &model->method[model->profile->node[item].method]);
	cells = line_cell(report, cells, item);
	cells = figure_cells(report, cells, &view->base[item]);
	cells = figure_cells(report, cells, &view->cum[item]);
	*cells = node_name(report, item);
}

/* By node. 0, or -1 without memory. */
static int add_nodes(struct report *report, struct object_tree_view *view)
{
	const struct profile *profile = report->model->profile;
	const bool *wanted = objects_wanted(report->model);

	view->base = report_room(report, profile->node_count, struct object_use);
	view->cum = report_room(report, profile->node_count, struct object_use);
	if (report->model->store->failed)
		return -1;
	for (size_t i = 0; i < profile->account_count; i++) {
		const struct profile_account *account = &profile->account[i];

		if (!wanted[i])
			continue;
		object_use_add(&view->base[account->node], account);
		object_use_add(&view->cum[account->node], account);
	}
	/* Children stand behind their parents. */
	for (size_t i = profile->node_count; i-- > 0;)
		if (profile->node[i].parent != i)
			object_use_join(&view->cum[profile->node[i].parent], &view->cum[i]);
	return 0;
}

/* Those that have their share, and what leads to them. */
static int choose_shown(struct report *report, struct object_tree_view *view)
{
	const struct profile *profile = report->model->profile;
	const struct report_request *request = report->request;
	uint64_t least;

	if (request->min < 0 && request->format->shares && request->top == 0 &&
		request->choice.methods.count == 0)
		report->min = SCREEN_MIN;
	if (report->min <= 0)
		return 0;
	least = report_least(report);
	view->shown = report_room(report, profile->node_count, bool);
	for (size_t i = 0; view->shown && i < report->count; i++) {
		size_t at = report->rank[i].item;

		if (report->rank[i].number < least)
			continue;
		for (; !view->shown[at]; at = profile->node[at].parent)
			view->shown[at] = true;
	}
	return view->shown ? 0 : -1;
}

/* What 100 % of the columns is. */
static void set_sums(struct report *report, const struct object_use *all)
{
	static const char *const groups[] = {"base.allocated", "cum.allocated"};
	struct cell cells[FIGURES];

	figure_cells(report, cells, all);
	for (int i = 0; i < 2; i++) {
		int first = sheet_find(&report->sheet, groups[i]);

		for (int c = 0; c < FIGURES; c++) {
			struct column *column = &report->sheet.column[first + c];

			column->sum = cells[c].kind == CELL_NUMBER ? cells[c].number : 0;
			column->whole = column->flags & COLUMN_BYTES ? column->sum : 0;
			column->has_whole = column->whole > 0;
		}
	}
}

static int open_tree(struct report *report)
{
	const struct model *model = report->model;
	const struct profile *profile = model->profile;
	struct object_tree_view *view = report_room(report, 1, struct object_tree_view);
	uint32_t *nodes = report_room(report, profile->node_count, uint32_t);
	struct object_use all = {0};
	size_t led = 0;

	if (!view || !nodes || add_nodes(report, view) != 0)
		return -1;
	report->data = view;
	for (uint32_t i = 0; i < profile->node_count; i++) {
		const struct object_use *cum = &view->cum[i];

		if (!model->selected[profile->node[i].thread])
			continue;
		if (cum->allocated.objects + cum->freed.objects > 0)
			nodes[led++] = i;
		if (profile->node[i].id == 0)
			object_use_join(&all, cum);
	}
	set_sums(report, &all);
	if (report_list(report, nodes, led) != 0)
		return -1;
	view->link = links_make(model, report->rank, led);
	return view->link ? choose_shown(report, view) : -1;
}

/* The threads' trees, in the order of their roots. */
static void rows(struct report *report, struct sink *sink)
{
	const struct object_tree_view *view = report->data;
	const struct model *model = report->model;
	uint64_t period = object_facts(model).period;
	struct cell cells[COLUMN_MAX], sums[COLUMN_MAX];
	size_t given = 0, left = 0;

	trace_head(report, sink, TRACE_OBJECTS);
	if (report->count > 0 && period > 0)
		sink_title(sink, "Sampled, one object in %llu bytes: figures are estimates.",
			(unsigned long long)period);
	else if (report->count > 0)
		sink_title(sink, "%s", "Each object is counted.");
	sums_begin(report, sums);
	for (size_t i = 0; i < report->count; i++) {
		uint32_t root = report->rank[i].item;
		struct walk walk = walk_from(model, view->link, root);
		bool more = model->profile->node[root].id == 0;

		for (; more && sink->out->failed == 0; more = walk_next(&walk)) {
			fill(report, walk.at, cells);
			if (given < report->shown && (!view->shown || view->shown[walk.at])) {
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

const struct view view_object_tree = {
	.name = "object-tree",
	.meaning = "the same as a tree of calls; one a thread",
	.by = BY_CALLS,
	.sort = "cum.allocated.bytes",
	.share = "cum.allocated.bytes",
	.columns = columns,
	.open = open_tree,
	.fill = fill,
	.rows = rows,
};
