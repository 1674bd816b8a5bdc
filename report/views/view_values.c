/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/*
 * view_values: a row a value of a parameter: which calls had it, and what these used.
 *
 *   M                      base of a value: what the labels of its calls have in M itself
 *   |-- [SELECT a] -- N    cum: all below; where a value is inside the same value again, once
 *   `-- [SELECT b] -- N
 *
 * What of the parameter's methods is below none of its values is a row, too: "(not known)". There was no memory for the label, or
 * the value was not read yet. So a parameter's rows are all that its methods did, but for the calls of these that are below a value and
 * have none themselves: they are in that value's cum.
 */
#include <stdlib.h>

#include "profile/pairs.h"
#include "report/views/label_columns.h"

#define NOT_KNOWN_NAME "(not known)"
#define NO_NODE        UINT32_MAX

struct value_row {
	uint64_t calls;
	uint64_t of; /* of what the parameter's methods used: lead figure */
	bool at_least;
	struct label_use use;
	struct label methods; /* JSON */
};

struct values_view {
	/* By place of the value, and behind them by place of the parameter: what is not known. */
	struct value_row *row;
	union model_value *base, *cum;
	size_t values, parameters;
};

/* While rows are summed up; arrays are the labelled model's store's. */
struct summing {
	struct report *report;
	struct values_view *view;
	const struct model *model; /* labelled */
	const struct profile *profile;
	union model_value *cum; /* by node, of what is wanted */
	bool *wanted, *io;      /* by node; by account */
	uint32_t *value;        /* by node: place + 1; 0: it is no value's */
	/* By node of a value: none of the same value is above; none of the same value and method. */
	bool *outermost, *outermost_of_method;
	uint32_t *above; /* by node: the nearest outermost node of a value, itself included */
	/* (place of the value or row, method): their numbers, and what each has. */
	struct pairs methods;
	uint64_t *method_calls;
	union model_value *method_cum;
	struct pairs owners; /* (place of the parameter, method); and calls that had a value */
	uint64_t *owner_calls;
};

static const struct profile_node *node_at(const struct summing *summing, size_t node)
{
	return &summing->profile->node[node];
}

static bool is_label(const struct profile_node *node)
{
	return node->value > 0 || node->tags > 0;
}

/* ---- the way to values ---- */

/* While nodes are walked along: of those on the way to the current one, how many have a value, by its place + 1; and how many that
 * and a method, by their number. */
struct ways {
	uint32_t *of_value, *of_number;
	uint32_t *number; /* by node of a value: of its value and method */
};

static uint32_t parent_above(const struct summing *summing, size_t node)
{
	uint32_t parent = node_at(summing, node)->parent;

	return parent == node ? NO_NODE : summing->above[parent];
}

/* The way down to a node of a value is one further. -1 without memory. */
static int enter_value(struct summing *summing, struct ways *ways, uint32_t at)
{
	const struct profile *profile = summing->profile;
	const struct profile_node *node = &profile->node[at];
	uint32_t value = (uint32_t)label_value_place(profile, node->value) + 1;
	uint32_t number = pairs_take(&summing->methods, value, node->method);

	if (number == 0 ||
		pairs_take(&summing->owners,
			(uint32_t)label_parameter_place(profile, value - 1), node->method) == 0)
		return -1;
	summing->value[at] = value;
	ways->number[at] = number;
	summing->outermost[at] = ways->of_value[value]++ == 0;
	summing->outermost_of_method[at] = ways->of_number[number]++ == 0;
	return 0;
}

/* Back from a node, to its caller. */
static uint32_t leave_node(const struct summing *summing, struct ways *ways, uint32_t at)
{
	if (summing->value[at] > 0) {
		ways->of_value[summing->value[at]]--;
		ways->of_number[ways->number[at]]--;
	}
	return node_at(summing, at)->parent;
}

/* Down to all that is below a root, and back. */
static int walk_values(
	struct summing *summing, struct ways *ways, const struct link *link, uint32_t root)
{
	uint32_t at = root;

	for (;;) {
		if (node_at(summing, at)->value > 0 && enter_value(summing, ways, at) != 0)
			return -1;
		summing->above[at] = summing->outermost[at] ? at : parent_above(summing, at);
		if (link[at].first_child != 0) {
			at = link[at].first_child;
			continue;
		}
		while (at != root && link[at].next_sibling == 0)
			at = leave_node(summing, ways, at);
		if (at == root)
			return 0;
		leave_node(summing, ways, at);
		at = link[at].next_sibling;
	}
}

static int find_values(struct summing *summing)
{
	const struct profile *profile = summing->profile;
	struct store *store = summing->model->store;
	size_t nodes = profile->node_count + 1;
	struct link *link = store_room(store, nodes, sizeof(*link));
	struct ways ways = {.number = store_room(store, nodes, sizeof(uint32_t)),
		.of_number = store_room(store, nodes, sizeof(uint32_t)),
		.of_value = store_room(store, profile->value_count + 1, sizeof(uint32_t))};
	int failed = store->failed ? -1 : 0;

	/* Each child is put in front of those behind it. */
	for (size_t i = profile->node_count; failed == 0 && i-- > 0;) {
		uint32_t parent = profile->node[i].parent;

		if (parent == i)
			continue;
		link[i].next_sibling = link[parent].first_child;
		link[parent].first_child = (uint32_t)i;
	}
	for (size_t t = 0; failed == 0 && t < profile->thread_count; t++)
		if (profile->thread_first[t] < profile->thread_first[t + 1])
			failed = walk_values(
				summing, &ways, link, (uint32_t)profile->thread_first[t]);
	return failed;
}

/* As model_cum, of what is wanted. Children stand behind their parents. */
static void find_cum(struct summing *summing)
{
	const struct model *model = summing->model;
	union model_value base[MODEL_VALUES_MAX];

	for (size_t i = summing->profile->node_count; i-- > 0;) {
		union model_value *own = model_at(model, summing->cum, i);
		uint32_t parent = node_at(summing, i)->parent;

		if (summing->wanted[i]) {
			model_base(model, i, base);
			model_add(model, own, base);
			model_whole_errors(model, i, own);
		}
		if (parent != i)
			model_add(model, model_at(model, summing->cum, parent), own);
	}
}

/* ---- sums by value ---- */

/* What the node used itself is of each value that its call had: once. */
static void add_base(struct summing *summing, size_t node)
{
	const struct model *model = summing->model;
	union model_value base[MODEL_VALUES_MAX];

	model_base(model, node, base);
	for (size_t i = node; is_label(node_at(summing, i)); i = node_at(summing, i)->parent) {
		uint32_t value = summing->value[i];
		size_t below = node;

		while (below != i && summing->value[below] != value)
			below = node_at(summing, below)->parent;
		if (value > 0 && below == i)
			model_add(model, model_at(model, summing->view->base, value - 1), base);
		if (node_at(summing, i)->parent == i)
			break;
	}
}

static void add_values(struct summing *summing)
{
	const struct model *model = summing->model;
	struct values_view *view = summing->view;

	for (size_t i = 0; i < summing->profile->node_count; i++) {
		const struct profile_node *node = node_at(summing, i);
		const union model_value *cum = model_at(model, summing->cum, i);
		uint32_t value = summing->value[i], number;

		if (!model->selected[node->thread])
			continue;
		if (summing->wanted[i] && is_label(node))
			add_base(summing, i);
		if (value == 0)
			continue;
		number = pairs_take(&summing->owners,
			(uint32_t)label_parameter_place(summing->profile, value - 1),
			node->method);
		summing->owner_calls[number] += node->calls;
		number = pairs_take(&summing->methods, value, node->method);
		if (summing->wanted[i]) {
			view->row[value - 1].calls += node->calls;
			summing->method_calls[number] += node->calls;
		}
		view->row[value - 1].at_least |= model_is_at_least(model, i);
		if (summing->outermost[i])
			model_add(model, model_at(model, view->cum, value - 1), cum);
		if (summing->outermost_of_method[i])
			model_add(model, model_at(model, summing->method_cum, number), cum);
	}
}

static void add_account(const struct summing *summing, struct label_use *use,
	const struct profile_account *account)
{
	size_t at = (size_t)(account - summing->profile->account);

	label_use_add(use, account, summing->io[at] && !io_is_twice(summing->profile, account));
}

static bool is_wanted_account(
	const struct summing *summing, const struct profile_account *account)
{
	return summing->wanted[account->node] &&
	       summing->model->selected[node_at(summing, account->node)->thread];
}

/* The place + 1 of the value whose call got rows; 0: the account is none of these. */
static uint32_t row_value(const struct profile *profile, const struct profile_account *account)
{
	return account->kind == VALUE_ROWS
		       ? (uint32_t)label_value_place(profile, (uint32_t)account->subject) + 1
		       : 0;
}

static void add_accounts(struct summing *summing)
{
	const struct profile *profile = summing->profile;

	for (size_t i = 0; i < profile->account_count; i++) {
		const struct profile_account *account = &profile->account[i];
		uint32_t subject = row_value(profile, account);

		if (!is_wanted_account(summing, account))
			continue;
		for (uint32_t up = summing->above[account->node]; up != NO_NODE;
			up = parent_above(summing, up)) {
			add_account(summing, &summing->view->row[summing->value[up] - 1].use,
				account);
			if (summing->value[up] == subject)
				subject = 0;
		}
		/* Its path was folded. */
		if (subject > 0)
			add_account(summing, &summing->view->row[subject - 1].use, account);
	}
}

/* ---- what of the parameters' methods had no value ---- */

/* Of a node: it is below one of the parameter's methods; below one of its values. */
struct below {
	bool method, value;
};

/* How calls of a method have values of the parameter. */
enum { OF_NONE, OF_LABELS, OF_CALLS };

static void add_not_known_use(struct summing *summing, size_t parameter,
	const struct below *below, struct value_row *row)
{
	const struct profile *profile = summing->profile;

	for (size_t i = 0; i < profile->account_count; i++) {
		const struct profile_account *account = &profile->account[i];
		uint32_t subject = row_value(profile, account);

		if (is_wanted_account(summing, account) && below[account->node].method &&
			!below[account->node].value &&
			(subject == 0 ||
				label_parameter_place(profile, subject - 1) != parameter))
			add_account(summing, &row->use, account);
	}
}

/* is_of: by method. Those that have labels alone go on with what a call before them was told: their calls are no calls with the
 * parameter. of: what the methods used in all. */
static void add_not_known(struct summing *summing, size_t parameter, const uint8_t *is_of,
	struct below *below, uint64_t *of)
{
	const struct model *model = summing->model;
	const struct profile *profile = summing->profile;
	struct value_row *row = &summing->view->row[summing->view->values + parameter];
	size_t at = (size_t)(row - summing->view->row);
	union model_value *cum = model_at(model, summing->view->cum, at);
	union model_value base[MODEL_VALUES_MAX];

	for (size_t i = 0; i < profile->node_count; i++) {
		const struct profile_node *node = &profile->node[i];
		struct below up = node->parent == i ? (struct below){0} : below[node->parent];
		bool has_value =
			summing->value[i] > 0 &&
			label_parameter_place(profile, summing->value[i] - 1) == parameter;
		bool is_method = !is_label(node) && is_of[node->method] != OF_NONE;
		bool is_call = is_of[node->method] == OF_CALLS;
		const union model_value *own = model_at(model, summing->cum, i);

		below[i] = (struct below){
			.method = up.method || is_method, .value = up.value || has_value};
		if (!model->selected[node->thread] || up.value)
			continue;
		if (is_method && !up.method) {
			model_add(model, cum, own);
			*of += own[model->lead].count;
		}
		if (has_value)
			model_subtract(model, cum, own);
		if (!summing->wanted[i] || is_of[node->method] == OF_NONE)
			continue;
		row->calls += is_method && is_call ? node->calls : 0;
		row->calls -= has_value && is_call ? node->calls : 0;
		row->at_least |= is_method && model_is_at_least(model, i);
		model_base(model, i, base);
		if (!has_value)
			model_add(model, model_at(model, summing->view->base, at), base);
	}
	for (uint32_t m = METHOD_FIRST; model->counted && m < profile->method_count; m++)
		if (is_of[m] == OF_CALLS && model_wants_method(model, m))
			row->calls += model->counted[m];
	if ((int64_t)row->calls < 0)
		row->calls = 0;
	add_not_known_use(summing, parameter, below, row);
}

static int add_parameters(struct summing *summing)
{
	const struct profile *profile = summing->profile;
	struct store *store = summing->model->store;
	struct values_view *view = summing->view;
	struct below *below = store_room(store, profile->node_count + 1, sizeof(*below));
	uint8_t *is_of = store_room(store, profile->method_count + 1, sizeof(*is_of));

	if (store->failed)
		return -1;
	for (size_t p = 0; p < view->parameters; p++) {
		uint64_t of = 0;
		bool any = false;

		memset(is_of, 0, profile->method_count * sizeof(*is_of));
		for (size_t i = 0; i < summing->owners.count; i++)
			if (summing->owners.key[i] >> 32 == p) {
				is_of[(uint32_t)summing->owners.key[i]] =
					summing->owner_calls[i + 1] > 0 ? OF_CALLS : OF_LABELS;
				any = true;
			}
		if (!any)
			continue;
		add_not_known(summing, p, is_of, below, &of);
		view->row[view->values + p].of = of;
		for (size_t v = 0; v < view->values; v++)
			if (label_parameter_place(profile, v) == p)
				view->row[v].of = of;
	}
	return 0;
}

/* ---- methods, as JSON ---- */

static void put_text(struct out *out, const char *key, const char *text)
{
	out_json(out, key, strlen(key));
	out_char(out, ':');
	if (text)
		out_json(out, text, strlen(text));
	else
		out_text(out, "null");
	out_char(out, ',');
}

static void put_figures(const struct model *model, struct out *out, const char *key,
	const union model_value *values, bool samples)
{
	unsigned count = samples ? model->condition_count : model->metric_count;

	out_json(out, key, strlen(key));
	out_text(out, ":{");
	for (unsigned i = 0; i < count; i++) {
		const char *name = samples ? model->condition_name[i] : model->metric[i]->name;

		out_text(out, i > 0 ? "," : "");
		out_json(out, name, strlen(name));
		out_char(out, ':');
		out_number(out, values[samples ? model->metric_count + i : i].count);
	}
	out_char(out, '}');
}

static void put_method(const struct summing *summing, struct out *out, size_t pair)
{
	const struct model *model = summing->model;
	uint32_t id = (uint32_t)summing->methods.key[pair];
	const struct profile_method *method = &summing->profile->method[id];
	const union model_value *cum = model_at(model, summing->method_cum, pair + 1);

	out_text(out, out->length > 1 ? ",{" : "{");
	put_text(out, "class", method->class_name);
	put_text(out, "method", method->name);
	put_text(out, "signature", method->signature);
	out_text(out, "\"calls\":");
	out_number(out, summing->method_calls[pair + 1]);
	out_char(out, ',');
	put_figures(model, out, "cum", cum, false);
	if (model->condition_count > 0) {
		out_char(out, ',');
		put_figures(model, out, "samples_cum", cum, true);
	}
	out_char(out, '}');
}

/* Numbers of pairs by value, for those of one value stand together then. */
static int compare_pairs(const void *left, const void *right)
{
	const uint64_t *a = left, *b = right;

	return (*a > *b) - (*a < *b);
}

static int put_methods(struct summing *summing)
{
	size_t count = summing->methods.count;
	uint64_t *order = calloc(count + 1, sizeof(*order));
	struct out out;

	if (!order)
		return -1;
	for (size_t i = 0; i < count; i++)
		order[i] = summing->methods.key[i] >> 32 << 32 | i;
	qsort(order, count, sizeof(*order), compare_pairs);
	for (size_t i = 0, end; i < count; i = end) {
		struct value_row *row = &summing->view->row[(order[i] >> 32) - 1];

		out_init(&out, -1);
		out_char(&out, '[');
		for (end = i; end < count && order[end] >> 32 == order[i] >> 32; end++)
			put_method(summing, &out, (uint32_t)order[end]);
		out_char(&out, ']');
		if (out.failed == 0)
			row->methods = store_bytes(
				summing->report->model->store, out.buffer, out.length);
		out_fini(&out);
	}
	free(order);
	return 0;
}

/* ---- all of it ---- */

static int make_room(struct summing *summing)
{
	struct store *store = summing->model->store;
	size_t nodes = summing->profile->node_count + 1, pairs = summing->methods.count + 1;

	if (!summing->value) {
		summing->value = store_room(store, nodes, sizeof(*summing->value));
		summing->above = store_room(store, nodes, sizeof(*summing->above));
		summing->outermost = store_room(store, nodes, sizeof(*summing->outermost));
		summing->outermost_of_method =
			store_room(store, nodes, sizeof(*summing->outermost_of_method));
		summing->wanted = model_below_wanted(summing->model);
		summing->io = io_wanted(summing->model);
		summing->cum = model_values(summing->model, nodes);
		return store->failed ? -1 : 0;
	}
	summing->method_calls = store_room(store, pairs, sizeof(*summing->method_calls));
	summing->owner_calls =
		store_room(store, summing->owners.count + 1, sizeof(*summing->owner_calls));
	summing->method_cum = model_values(summing->model, pairs);
	return store->failed ? -1 : 0;
}

static int sum_up(struct summing *summing)
{
	if (make_room(summing) != 0 || find_values(summing) != 0 || make_room(summing) != 0)
		return -1;
	find_cum(summing);
	add_values(summing);
	add_accounts(summing);
	if (add_parameters(summing) != 0)
		return -1;
	return summing->report->request->format->use & IN_JSON ? put_methods(summing) : 0;
}

/* ---- rows ---- */

static void columns(struct report *report)
{
	struct sheet *sheet = &report->sheet;

	sheet_add(sheet, NULL, "parameter", "Parameter", IN_ALL | COLUMN_LEFT);
	sheet_add(sheet, NULL, "value", "Value", IN_DATA);
	sheet_add(sheet, NULL, "kind", "Kind", IN_DATA);
	sheet_add(sheet, NULL, "methods", "Methods", IN_JSON);
	sheet_add(sheet, NULL, "share", "Share", IN_DATA);
	/* The same for people: what sorts by it finds the number. */
	sheet_add(sheet, NULL, "share", "Share", IN_TEXT);
	sheet_add(sheet, NULL, "calls", "Calls", IN_ALL | COLUMN_SUM);
	at_least_column(report);
	value_columns(report);
	use_columns(report, 0);
	sheet_add_name(sheet, "Value");
}

/* The place of the row's. */
static size_t parameter_of(const struct report *report, uint32_t item)
{
	const struct values_view *view = report->data;

	return item < view->values ? label_parameter_place(report->model->apart, item)
				   : item - view->values;
}

static void fill(struct report *report, uint32_t item, struct cell *cells)
{
	const struct values_view *view = report->data;
	const struct model *model = report->model;
	const struct profile *profile = model->apart;
	const struct value_row *row = &view->row[item];
	const union model_value *cum = model_at(model, view->cum, item);
	const struct profile_value *value = item < view->values ? &profile->value[item] : NULL;
	double share = row->of > 0 ? (double)cum[model->lead].count / (double)row->of : 0;

	*cells++ = cell_text(profile->parameter[parameter_of(report, item)].name);
	*cells++ = value ? cell_text(value->text) : cell_null();
	*cells++ = cell_text(value ? label_kind(value) : "not known");
	*cells++ = row->methods.text ? cell_json(row->methods) : cell_null();
	*cells++ = row->of > 0 ? cell_exact(share) : cell_null();
	*cells++ = row->of > 0 ? cell_label(store_format(model->store, "%.1f%%", 100 * share))
			       : cell_null();
	*cells++ = cell_number(row->calls);
	cells = at_least_cell(report, cells, row->at_least);
	cells = value_cells(report, cells, model_at(model, view->base, item), cum, false);
	cells = use_cells(cells, &row->use);
	*cells =
		value ? cell_label(label_name(model->store, value)) : cell_text(NOT_KNOWN_NAME);
}

/* Some call had it, or some figure of what is not known is above 0; where files were chosen it did I/O with them. */
static bool is_used(const struct report *report, uint32_t item)
{
	const struct values_view *view = report->data;
	const struct model *model = report->model;
	const union model_value *cum = model_at(model, view->cum, item);
	uint64_t used = view->row[item].calls;

	for (unsigned f = 0; f < model->figures; f++)
		used |= cum[f].count;
	return used != 0 && label_use_touches(report, &view->row[item].use);
}

static int open_values(struct report *report)
{
	const struct profile *profile = report->model->apart;
	struct values_view *view = report_room(report, 1, struct values_view);
	size_t count = profile->value_count + profile->parameter_count, used = 0;
	uint32_t *items = report_room(report, count, uint32_t);
	struct labelled labelled = {0};
	struct error error = {0};
	bool are_of_one = true;
	int failed = 0;

	if (!view || !items)
		return -1;
	view->values = profile->value_count;
	view->parameters = profile->parameter_count;
	view->row = report_room(report, count, struct value_row);
	view->base = model_values(report->model, count);
	view->cum = model_values(report->model, count);
	report->data = view;
	if (report->model->store->failed)
		return -1;
	if (profile->labelled) {
		failed = labelled_init(&labelled, report->model, &error);
		struct summing summing = {.report = report,
			.view = view,
			.model = &labelled.model,
			.profile = labelled.model.profile};
		if (failed == 0)
			failed = sum_up(&summing);
		pairs_fini(&summing.methods);
		pairs_fini(&summing.owners);
		labelled_fini(&labelled);
	}
	for (uint32_t i = 0; i < count; i++) {
		if (!is_used(report, i))
			continue;
		items[used++] = i;
		are_of_one &= parameter_of(report, i) == parameter_of(report, items[0]);
	}
	/* On a terminal it would be the same in every row. */
	report->sheet.column[0].flags |= used > 0 && are_of_one ? COLUMN_ASIDE : 0;
	return failed == 0 ? report_list_shares(report, items, used) : -1;
}

const struct view view_values = {
	.name = "values",
	.meaning = "which values make it slow: what calls used, by the value of a parameter",
	.by = BY_ALL,
	.sort = "cum",
	.share = "cum",
	.is_long = true,
	.labels = true,
	.adjusts = true,
	.columns = columns,
	.open = open_values,
	.fill = fill,
};
