/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/*
 * view_exceptions: which exceptions were thrown, where, and who caught them; and by call path.
 *
 * A row of `exceptions` is a class, the method that threw it and the one that caught it. Where the JVM could not tell of
 * exceptions, objects that were made stand in their place: columns of their own, for that is something else.
 */
#include <stdlib.h>
#include <string.h>

#include "report/views/trace_head.h"
#include "report/views/view.h"

struct exceptions {
	uint64_t thrown, again, not_caught, created;
};

struct thrown_row {
	uint32_t class, site, catcher;
	struct exceptions sum;
};

struct exceptions_view {
	struct thrown_row *row;
	struct exceptions all;
	/* Of the tree. */
	struct exceptions *base, *cum; /* by node */
	struct link *link;
};

/* ---- sums ---- */

static void add(struct exceptions *sum, const struct exceptions *more)
{
	sum->thrown += more->thrown;
	sum->again += more->again;
	sum->not_caught += more->not_caught;
	sum->created += more->created;
}

/* What the account tells; nothing, where it is of something else. */
static struct exceptions exceptions_of(const struct profile_account *account)
{
	struct exceptions sum = {0};

	if (account->kind == EXCEPTION_CREATED)
		sum.created = account->count;
	if (account->kind == EXCEPTION_THROWN)
		sum = (struct exceptions){
			account->count, account->amount, account->failures, 0};
	return sum;
}

static bool is_any(const struct exceptions *sum)
{
	return sum->thrown + sum->created > 0;
}

static bool is_wanted(
	const struct report *report, const bool *below, const struct profile_account *account)
{
	const struct model *model = report->model;
	struct exceptions sum = exceptions_of(account);

	return is_any(&sum) && model->selected[model->profile->node[account->node].thread] &&
	       below[account->node];
}

static uint32_t catcher_of(const struct profile_account *account)
{
	return account->kind == EXCEPTION_THROWN ? thrown_catcher(account->subject)
						 : METHOD_FOLDED;
}

/* ---- columns ---- */

static bool has_created(const struct report *report)
{
	const char *how = profile_meta_get(report->model->profile, "exceptions.how");

	return how && strcmp(how, "created") == 0;
}

static void sum_columns(struct report *report, const char *group)
{
	struct sheet *sheet = &report->sheet;
	bool created = has_created(report);
	const char *heading = created ? "Created" : "Thrown";
	unsigned aside = COLUMN_SUM | (created || group ? IN_DATA : IN_ALL);

	if (group)
		heading = created ? "Created below" : "Thrown below";
	sheet_add(sheet, group, "count", heading, IN_ALL | COLUMN_SUM | COLUMN_SHARE);
	sheet_add(sheet, group, "thrown", "Thrown", IN_DATA | COLUMN_SUM);
	sheet_add(sheet, group, "again", "Again", aside);
	sheet_add(sheet, group, "not_caught", "Not caught", aside);
	sheet_add(sheet, group, "created", "Created", IN_DATA | COLUMN_SUM);
}

static struct cell *sum_cells(struct cell *cells, const struct exceptions *sum)
{
	*cells++ = cell_number(sum->thrown + sum->created);
	*cells++ = cell_number(sum->thrown);
	*cells++ = cell_number(sum->again);
	*cells++ = cell_number(sum->not_caught);
	*cells++ = cell_number(sum->created);
	return cells;
}

static void columns(struct report *report)
{
	struct sheet *sheet = &report->sheet;

	sheet_add(sheet, NULL, "exception", "Exception", IN_DATA);
	method_columns(report);
	sum_columns(report, NULL);
	sheet_add(sheet, NULL, "caught", "Caught in",
		COLUMN_LEFT | (has_created(report) ? IN_DATA : IN_ALL));
	sheet_add_name(sheet, "Exception, and where");
}

static struct label name_of(const struct report *report, uint32_t method)
{
	return method == METHOD_ROOT ? label_of("(outside every method)")
				     : report->model->method[method].display;
}

static struct cell class_cell(const struct report *report, uint32_t class)
{
	const char *name = report->model->profile->method[class].class_name;

	return name ? cell_label(report->model->method[class].class_name)
		    : cell_text("(not known)");
}

static void fill(struct report *report, uint32_t item, struct cell *cells)
{
	const struct exceptions_view *view = report->data;
	const struct thrown_row *row = &view->row[item];
	struct cell class = class_cell(report, row->class);
	struct label site = name_of(report, row->site);

	*cells++ = class;
	cells = method_cells(cells, &report->model->method[row->site]);
	cells = sum_cells(cells, &row->sum);
	*cells++ = row->catcher == METHOD_ROOT || row->catcher == METHOD_FOLDED
			   ? cell_null()
			   : cell_label(name_of(report, row->catcher));
	*cells =
		cell_label(store_format(report->model->store, "%s  %s", class.text, site.text));
}

/* ---- rows ---- */

static int order(const void *left, const void *right)
{
	const struct thrown_row *a = left, *b = right;

	if (a->class != b->class)
		return a->class < b->class ? -1 : 1;
	if (a->site != b->site)
		return a->site < b->site ? -1 : 1;
	return (a->catcher > b->catcher) - (a->catcher < b->catcher);
}

static int open_exceptions(struct report *report)
{
	const struct profile *profile = report->model->profile;
	struct exceptions_view *view = report_room(report, 1, struct exceptions_view);
	const bool *below = model_below_wanted(report->model);
	size_t count = 0, rows = 0;

	if (!view || !below)
		return -1;
	view->row = report_room(report, profile->account_count, struct thrown_row);
	if (!view->row)
		return -1;
	report->data = view;
	for (size_t i = 0; i < profile->account_count; i++) {
		const struct profile_account *account = &profile->account[i];

		if (is_wanted(report, below, account))
			view->row[count++] =
				(struct thrown_row){.class = thrown_class(account->subject),
					.site = profile->node[account->node].method,
					.catcher = catcher_of(account),
					.sum = exceptions_of(account)};
	}
	qsort(view->row, count, sizeof(*view->row), order);
	for (size_t i = 0; i < count; i++) {
		add(&view->all, &view->row[i].sum);
		if (rows > 0 && order(&view->row[rows - 1], &view->row[i]) == 0)
			add(&view->row[rows - 1].sum, &view->row[i].sum);
		else
			view->row[rows++] = view->row[i];
	}
	return report_list_shares(report, NULL, rows);
}

static void say(struct report *report, struct sink *sink)
{

	trace_head(report, sink, TRACE_EXCEPTIONS);
	if (has_created(report))
		sink_title(sink,
			"exceptions as their objects were made, with a stack: not whether "
			"they were thrown, nor those made without one; a JVM that is started "
			"with traces=exceptions tells");
}

static void rows(struct report *report, struct sink *sink)
{
	say(report, sink);
	report_rows(report, sink);
}

const struct view view_exceptions = {
	.name = "exceptions",
	.meaning = "exceptions by class, where they were thrown and caught; traces=exceptions",
	.by = BY_CALLS,
	.is_long = true,
	.sort = "count",
	.columns = columns,
	.open = open_exceptions,
	.fill = fill,
	.rows = rows,
};

/* ---- by call path ---- */

static void tree_columns(struct report *report)
{
	node_columns(report);
	method_columns(report);
	line_column(report);
	sum_columns(report, "cum");
	sum_columns(report, NULL);
	sheet_add_name(&report->sheet, "Name");
}

static void fill_node(struct report *report, uint32_t item, struct cell *cells)
{
	const struct exceptions_view *view = report->data;
	const struct model *model = report->model;

	cells = node_cells(report, cells, item);
	cells = method_cells(cells, &model->method[model->profile->node[item].method]);
	cells = line_cell(report, cells, item);
	cells = sum_cells(cells, &view->cum[item]);
	cells = sum_cells(cells, &view->base[item]);
	*cells = node_name(report, item);
}

static int open_tree(struct report *report)
{
	const struct model *model = report->model;
	const struct profile *profile = model->profile;
	struct exceptions_view *view = report_room(report, 1, struct exceptions_view);
	uint32_t *nodes = report_room(report, model->profile->node_count, uint32_t);
	const bool *below = model_below_wanted(model);
	size_t led = 0;

	if (!view || !nodes || !below)
		return -1;
	report->data = view;
	view->base = report_room(report, profile->node_count, struct exceptions);
	view->cum = report_room(report, profile->node_count, struct exceptions);
	if (!view->base || !view->cum)
		return -1;
	for (size_t i = 0; i < profile->account_count; i++) {
		const struct profile_account *account = &profile->account[i];
		struct exceptions sum = exceptions_of(account);

		if (!is_wanted(report, below, account))
			continue;
		add(&view->base[account->node], &sum);
		add(&view->cum[account->node], &sum);
	}
	/* Children stand behind their parents. */
	for (size_t i = profile->node_count; i-- > 0;)
		if (profile->node[i].parent != i)
			add(&view->cum[profile->node[i].parent], &view->cum[i]);
	/* Also those that nothing but exceptions has found. */
	for (size_t i = 0; i < profile->node_count; i++)
		if (is_any(&view->cum[i]))
			nodes[led++] = (uint32_t)i;
	if (report_list(report, nodes, led) != 0)
		return -1;
	view->link = links_make(model, report->rank, led);
	return view->link ? 0 : -1;
}

static void tree_rows(struct report *report, struct sink *sink)
{
	const struct exceptions_view *view = report->data;
	const struct model *model = report->model;
	struct cell cells[COLUMN_MAX];
	size_t given = 0, left = 0;

	say(report, sink);
	for (size_t i = 0; i < report->count; i++) {
		uint32_t root = report->rank[i].item;
		struct walk walk = walk_from(model, view->link, root);
		bool more = model->profile->node[root].id == 0;

		for (; more && sink->out->failed == 0; more = walk_next(&walk)) {
			if (given == report->shown) {
				left++;
				continue;
			}
			fill_node(report, walk.at, cells);
			sink_row(sink, cells, walk.level);
			given++;
		}
	}
	if (left > 0) {
		sums_begin(report, cells);
		sink_extra(sink, "omitted", "more", left, cells);
	}
}

const struct view view_exception_tree = {
	.name = "exception-tree",
	.meaning = "exceptions by call path; one tree a thread",
	.by = BY_CALLS,
	.sort = "cum.count",
	.columns = tree_columns,
	.open = open_tree,
	.fill = fill_node,
	.rows = tree_rows,
};
