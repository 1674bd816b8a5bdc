/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/*
 * view_components: which layer has what: a row for each component, of a model whose methods are components; the same of class
 * loaders, which tell the applications of a server apart.
 *
 * Calls are those that came into it from outside. base is what its methods have themselves: those of all components, and what was
 * used outside of every method, add up to what the threads used. cum is that with what they called: of a component that is called
 * within itself, through others, the outermost counts alone.
 */
#include "components/components.h"
#include "profile/pairs.h"
#include "report/model/object_use.h"
#include "report/model/trace_times.h"
#include "report/model/waits.h"
#include "report/views/trace_head.h"
#include "report/views/view.h"

/* What traces tell of a component: objects that were allocated, and waits for what somebody held. */
struct told_use {
	struct object_figures objects;
	uint64_t waits, wait_ns;
};

struct components_view {
	struct tally tally;
	uint64_t *methods; /* by component, as all that follows */
	struct io_use *io_base, *io_cum;
	struct told_use *told_base, *told_cum;
};

/* ---- columns ---- */

static const char *const io_groups[IO_PARTS][2] = {
	{"io.base.all", "io.cum.all"},
	{"io.base.reads", "io.cum.reads"},
	{"io.base.writes", "io.cum.writes"},
	{"io.base.received", "io.cum.received"},
	{"io.base.sent", "io.cum.sent"},
	{"io.base.others", "io.cum.others"},
};

/* Text has what was done in and below a component. */
static void columns_of_io(struct report *report)
{
	struct sheet *sheet = &report->sheet;

	for (int cum = 0; cum < 2; cum++)
		for (int part = 0; part < IO_PARTS; part++) {
			const char *group = io_groups[part][cum];
			unsigned flags = COLUMN_SHARE | (cum ? 0 : COLUMN_SUM) |
					 (cum && part == IO_PART_ALL ? IN_ALL : IN_DATA);

			sheet_add(sheet, group, "ops", "I/O", flags);
			sheet_add(sheet, group, "bytes", "I/O bytes", flags | COLUMN_BYTES);
			sheet_add(sheet, group, "ns", "I/O time", flags | COLUMN_TIME);
		}
}

/* Base and cum of a number and of an amount; text has the amount of cum, where there are some. */
static void add_told(struct report *report, const char *const groups[2],
	const char *const keys[2], const char *const headings[2], unsigned flags, bool any)
{
	for (int cum = 0; cum < 2; cum++) {
		unsigned use = COLUMN_SHARE | IN_DATA | (cum ? 0 : COLUMN_SUM);

		sheet_add(&report->sheet, groups[cum], keys[0], headings[0], use);
		sheet_add(&report->sheet, groups[cum], keys[1], headings[1],
			use | flags | (cum && any ? IN_TEXT : 0));
	}
}

static void columns_of_told(struct report *report)
{
	static const char *const objects[] = {"allocated.base", "allocated.cum"},
				 *const waits[] = {"waits.base", "waits.cum"},
				 *const object_keys[] = {"objects", "bytes"},
				 *const wait_keys[] = {"count", "ns"},
				 *const object_headings[] = {"Objects", "Allocated"},
				 *const wait_headings[] = {"Waits", "Waited"};
	const struct profile *profile = report->model->apart;

	add_told(report, objects, object_keys, object_headings, COLUMN_BYTES,
		trace_times(profile, TRACE_OBJECTS).periods > 0);
	add_told(report, waits, wait_keys, wait_headings, COLUMN_TIME,
		profile->contention_count > 0);
}

static void columns(struct report *report)
{
	struct sheet *sheet = &report->sheet;

	sheet_add(sheet, NULL, "component", "Component", IN_DATA);
	sheet_add(sheet, NULL, "methods", "Methods", IN_ALL | COLUMN_SUM);
	call_columns(report, IN_DATA | COLUMN_SUM);
	how_column(report);
	at_least_column(report);
	columns_of_io(report);
	columns_of_told(report);
	value_columns(report);
	call_rate_columns(report);
	sheet_add_name(sheet, "Component");
}

/* ---- rows ---- */

static struct cell *told_cells(
	struct cell *cells, const struct told_use *base, const struct told_use *cum)
{
	*cells++ = cell_number(base->objects.objects);
	*cells++ = cell_number(base->objects.bytes);
	*cells++ = cell_number(cum->objects.objects);
	*cells++ = cell_number(cum->objects.bytes);
	*cells++ = cell_number(base->waits);
	*cells++ = cell_number(base->wait_ns);
	*cells++ = cell_number(cum->waits);
	*cells++ = cell_number(cum->wait_ns);
	return cells;
}

static void fill(struct report *report, uint32_t item, struct cell *cells)
{
	const struct components_view *view = report->data;
	const struct model *model = report->model;
	const struct call_count *count = &view->tally.method[item];
	const union model_value *base = model_at(model, view->tally.base, item);
	const union model_value *cum = model_at(model, view->tally.cum, item);

	*cells++ = cell_label(model->method[item].display);
	*cells++ = cell_number(view->methods[item]);
	cells = call_cells(cells, count);
	cells = how_cell(report, cells, count, base, cum);
	cells = at_least_cell(report, cells, count->at_least);
	cells = io_all_cells(cells, &view->io_base[item], &view->io_cum[item]);
	cells = told_cells(cells, &view->told_base[item], &view->told_cum[item]);
	cells = value_cells(report, cells, base, cum, call_count_is_sampled(count));
	cells = call_rate_cells(report, cells, count, cum);
	*cells = cell_label(model->method[item].display);
}

/* ---- sums ---- */

/* The methods that ran as a part of each, by calls or samples. */
static int count_methods(const struct model *model, uint64_t *methods)
{
	const struct profile *apart = model->apart;
	struct pairs seen = {0};
	int failed = 0;

	for (size_t i = 0; i < apart->node_count && failed == 0; i++) {
		const struct profile_node *node = &apart->node[i];
		uint32_t component = model->profile->node[model->place[i]].method;
		size_t known = seen.count;

		if (!model_wants_thread(model, &apart->thread[node->thread]) ||
			node->method < METHOD_FIRST || component < METHOD_FIRST ||
			apart->method[node->method].kind == METHOD_MARK ||
			(model->told_apart && model->told_apart[i]) ||
			(model->leads && model->leads[i]))
			continue;
		failed = pairs_take(&seen, component, node->method) == 0 ? -1 : 0;
		methods[component] += seen.count > known;
	}
	pairs_fini(&seen);
	return failed;
}

static void sum_io(const struct model *model, struct components_view *view,
	const struct io_use *base, const struct io_use *cum)
{
	for (size_t i = 0; i < model->profile->node_count; i++) {
		const struct profile_node *node = &model->profile->node[i];

		io_use_join(&view->io_base[node->method], &base[i]);
		if (node->recursion == 0)
			io_use_join(&view->io_cum[node->method], &cum[i]);
	}
}

static void told_add(struct told_use *use, const struct told_use *more)
{
	object_figures_add(&use->objects, &more->objects);
	use->waits += more->waits;
	use->wait_ns += more->wait_ns;
}

/* Objects that were allocated. */
static int sum_objects(const struct model *model, struct components_view *view)
{
	const struct profile *profile = model->profile;
	struct told_use *cum = store_room(model->store, profile->node_count + 1, sizeof(*cum));

	if (!cum)
		return -1;
	for (size_t i = 0; i < profile->account_count; i++) {
		const struct profile_account *account = &profile->account[i];
		struct object_use objects = {0};
		struct told_use use;

		if (account->kind != OBJECTS_ALLOCATED)
			continue;
		object_use_add(&objects, account);
		use = (struct told_use){.objects = objects.allocated};
		told_add(&view->told_base[profile->node[account->node].method], &use);
		told_add(&cum[account->node], &use);
	}
	/* Children stand behind their parents. */
	for (size_t i = profile->node_count; i-- > 0;) {
		const struct profile_node *node = &profile->node[i];

		if (node->recursion == 0)
			told_add(&view->told_cum[node->method], &cum[i]);
		if (node->parent != i)
			told_add(&cum[node->parent], &cum[i]);
	}
	return 0;
}

/* A thread's id is that of a chosen one. */
static bool is_chosen(const struct model *model, uint32_t id)
{
	const struct profile *profile = model->apart;
	ptrdiff_t t = profile_thread_find(profile, id);

	return t >= 0 && model_wants_thread(model, &profile->thread[t]);
}

/* The components on a path: of each of its places, as components_step says. The store's; NULL without memory. */
static int *steps_of_paths(const struct model *model)
{
	const struct profile *profile = model->apart;
	const struct components *components = model->choice->components;
	int *step = store_room(model->store, profile->path_count + 1, sizeof(*step));

	/* Callers stand before what they call. */
	for (size_t i = 0; step && i < profile->path_count; i++) {
		const struct profile_path *path = &profile->path[i];
		const struct profile_method *method = &profile->method[path->method];
		int within = path->parent ? step[path->parent - 1] : -1;

		step[i] = path->method < METHOD_FIRST || method->kind == METHOD_MARK
				  ? within
				  : components_step(
					    components, within, model->component[path->method]);
	}
	return step;
}

/* Waits for what somebody held; paths, not nodes, tell where. */
static int sum_waits(const struct model *model, struct components_view *view)
{
	const struct profile *profile = model->apart;
	const int *step = profile->contention_count > 0 ? steps_of_paths(model) : NULL;
	uint32_t *seen = store_room(model->store, COMPONENTS_MAX, sizeof(*seen));

	for (uint32_t i = 0; step && seen && i < profile->contention_count; i++) {
		const struct profile_contention *row = &profile->contention[i];
		struct told_use use = {.waits = row->count, .wait_ns = row->ns};
		uint32_t at = (uint32_t)row->node;

		if (!waits_are_contended(row) || !is_chosen(model, row->thread) || at == 0 ||
			step[at - 1] < 0)
			continue;
		told_add(&view->told_base[METHOD_FIRST + (uint32_t)step[at - 1]], &use);
		for (; at > 0; at = profile->path[at - 1].parent) {
			int component = step[at - 1];

			if (component < 0 || seen[component] == i + 1)
				continue;
			seen[component] = i + 1;
			told_add(&view->told_cum[METHOD_FIRST + (uint32_t)component], &use);
		}
	}
	return model->store->failed ? -1 : 0;
}

/* True for a component that has something. */
static bool is_there(const struct components_view *view, uint32_t component)
{
	const struct told_use *told = &view->told_cum[component];

	return view->tally.method[component].nodes > 0 ||
	       view->io_cum[component].part[IO_PART_ALL].ops > 0 || told->objects.objects > 0 ||
	       told->waits > 0;
}

static int open_components(struct report *report)
{
	const struct model *model = report->model;
	uint32_t count = model->profile->method_count;
	struct components_view *view = report_room(report, 1, struct components_view);
	uint32_t *items = report_room(report, count, uint32_t);
	const union model_value *cum = model_cum(model);
	struct io_use *io_base, *io_cum;
	size_t found = 0;

	if (!view || !items || !cum || io_use_of_nodes(model, &io_base, &io_cum) != 0)
		return -1;
	report->data = view;
	view->methods = report_room(report, count, uint64_t);
	view->io_base = report_room(report, count, struct io_use);
	view->io_cum = report_room(report, count, struct io_use);
	view->told_base = report_room(report, count, struct told_use);
	view->told_cum = report_room(report, count, struct told_use);
	if (model->store->failed || tally_init(&view->tally, model, cum) != 0 ||
		count_methods(model, view->methods) != 0 || sum_objects(model, view) != 0 ||
		sum_waits(model, view) != 0)
		return -1;
	sum_io(model, view, io_base, io_cum);
	for (uint32_t id = METHOD_ROOT + 1; id < count; id++)
		if (is_there(view, id))
			items[found++] = id;
	return report_list_methods(report, items, found, NULL);
}

/* What was used and done outside of all methods, by threads' roots; what is below a root is of others. */
static void put_outside(struct report *report, struct sink *sink)
{
	const struct components_view *view = report->data;
	const struct model *model = report->model;
	const union model_value *base = model_at(model, view->tally.base, METHOD_ROOT);
	const struct io_use *io = &view->io_base[METHOD_ROOT];
	unsigned first = (unsigned)sheet_find(&report->sheet, io_groups[0][0]);
	struct cell cells[COLUMN_MAX], row[COLUMN_MAX] = {0};
	bool any = io->part[IO_PART_ALL].ops > 0 || !report->request->format->shares;

	for (unsigned v = 0; v < model->figures; v++)
		any |= base[v].count > 0;
	if (!any)
		return;
	fill(report, METHOD_ROOT, cells);
	for (unsigned i = first; i < report->sheet.column_count; i++)
		if (report->sheet.column[i].flags & COLUMN_SUM)
			row[i] = cells[i];
	io_all_cells(row + first, io, io);
	sink_extra(sink, "outside", "outside every included method", 0, row);
}

static void rows(struct report *report, struct sink *sink)
{
	if (report->request->view->by_loader)
		trace_head(report, sink, TRACE_CLASSES);
	report_rows(report, sink);
	put_outside(report, sink);
}

const struct view view_components = {
	.name = "components",
	.meaning = "which layer: servlet container, database, logging...: one row a component",
	.by = BY_ALL,
	.sort = "base",
	.calls = true,
	.adjusts = true,
	.merges = true,
	.folds = true,
	.columns = columns,
	.open = open_components,
	.fill = fill,
	.rows = rows,
};

const struct view view_applications = {
	.name = "applications",
	.meaning = "the same by class loader: the applications of a server (traces=classes)",
	.by = BY_ALL,
	.sort = "base",
	.calls = true,
	.adjusts = true,
	.merges = true,
	.folds = true,
	.by_loader = true,
	.classes = true,
	.columns = columns,
	.open = open_components,
	.fill = fill,
	.rows = rows,
};
