/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/*
 * view_tags: a row a value of a tag's key: what was done under it. What had no tag of that key is a row, too: so the rows of each key
 * are all that the program did, each thing once. Rows may be of several keys together: --by user,kind.
 *
 * Of a path the nearest node of tags says which it has: all of them.
 */
#include <stdio.h>
#include <string.h>

#include "profile/pairs.h"
#include "report/views/label_columns.h"

enum { KEYS_MAX = 16 };

/* Keys of which rows have one value each. */
struct grouping {
	size_t keys;
	uint32_t key[KEYS_MAX]; /* places of parameters */
};

struct tag_row {
	uint32_t grouping;
	const uint32_t *value; /* place + 1 of each key's; 0: none */
	uint64_t calls, threads;
	size_t thread; /* the last one that was counted, + 1 */
	struct label_use use;
};

struct tags_view {
	struct grouping *grouping;
	size_t groupings;
	struct tag_row *row;
	union model_value *sum;
	size_t rows;
};

static const struct tags_view *view_of(const struct report *report)
{
	return report->data;
}

/* ---- keys ---- */

/* The place of the tag's key of those bytes; parameter_count: there is none. */
static size_t find_key(const struct profile *profile, const char *name, size_t length)
{
	size_t i = 0;

	while (i < profile->parameter_count &&
		(!profile->parameter[i].is_tag ||
			strlen(profile->parameter[i].name) != length ||
			memcmp(profile->parameter[i].name, name, length) != 0))
		i++;
	return i;
}

int tags_check(const struct profile *profile, const char *by, struct error *error)
{
	size_t key[KEYS_MAX], keys = 0, length;
	char name[256];

	for (; *by != '\0'; by += length + (by[length] != '\0')) {
		size_t found, same = 0;

		length = strcspn(by, ",");
		found = find_key(profile, by, length);
		snprintf(name, sizeof(name), "%.*s", (int)length, by);
		if (found == profile->parameter_count)
			return error_set(error, ERROR_MISSING,
				"the profile has no tags '%s'; --view tags lists what there is",
				error_subject(name).text);
		while (same < keys && key[same] != found)
			same++;
		if (same < keys)
			return error_set(error, ERROR_USAGE, "--by has the key '%s' twice",
				error_subject(name).text);
		if (keys == KEYS_MAX)
			return error_set(error, ERROR_USAGE, "--by can have %d keys, not more",
				KEYS_MAX);
		key[keys++] = found;
	}
	return 0;
}

static void find_groupings(struct report *report, struct tags_view *view)
{
	const struct profile *profile = report->model->apart;
	const char *by = report->request->by;
	struct grouping *grouping = view->grouping;
	size_t length;

	for (size_t i = 0; i < profile->parameter_count && !by; i++)
		if (profile->parameter[i].is_tag)
			view->grouping[view->groupings++] =
				(struct grouping){.keys = 1, .key = {(uint32_t)i}};
	for (; by && *by != '\0'; by += length + (by[length] != '\0')) {
		size_t key;

		length = strcspn(by, ",");
		key = find_key(profile, by, length);
		view->groupings = 1;
		if (key < profile->parameter_count && grouping->keys < KEYS_MAX)
			grouping->key[grouping->keys++] = (uint32_t)key;
	}
}

/* ---- rows of sets of tags ---- */

/* The place + 1 of the value that a set has of a key; 0: none. first: the place of the set's first row. */
static uint32_t value_of(const struct profile *profile, size_t first, uint32_t key)
{
	const struct profile_parameter *parameter = &profile->parameter[key];

	for (size_t i = first;
		i < profile->tag_count && profile->tag[i].set == profile->tag[first].set; i++) {
		size_t value = label_value_place(profile, profile->tag[i].value);

		if (profile->value[value].parameter == parameter->id)
			return (uint32_t)value + 1;
	}
	return 0;
}

/* (the number of the keys before, a value) leads to a number; that of all keys is the row's, + 1. Fills row_of: by the place of a
 * set's first row (tag_count: of the empty set) and grouping. */
static int number_rows(
	struct report *report, struct tags_view *view, struct pairs *numbers, uint32_t *row_of)
{
	const struct profile *profile = report->model->apart;

	for (size_t set = 0; set <= profile->tag_count; set++) {
		if (set > 0 && set < profile->tag_count &&
			profile->tag[set].set == profile->tag[set - 1].set)
			continue;
		for (uint32_t g = 0; g < view->groupings; g++) {
			const struct grouping *grouping = &view->grouping[g];
			uint32_t number = pairs_take(numbers, UINT32_MAX, g);

			for (size_t k = 0; k < grouping->keys && number > 0; k++)
				number = pairs_take(numbers, number,
					value_of(profile, set, grouping->key[k]));
			if (number == 0)
				return -1;
			row_of[set * view->groupings + g] = number - 1;
		}
	}
	return 0;
}

static int make_rows(struct report *report, struct tags_view *view, const uint32_t *row_of)
{
	const struct profile *profile = report->model->apart;

	view->row = report_room(report, view->rows, struct tag_row);
	view->sum = model_values(report->model, view->rows);
	if (report->model->store->failed)
		return -1;
	for (size_t i = 0; i < (profile->tag_count + 1) * view->groupings; i++) {
		const struct grouping *grouping = &view->grouping[i % view->groupings];
		struct tag_row *row = &view->row[row_of[i]];
		uint32_t *value;

		if (row_of[i] == UINT32_MAX || row->value)
			continue;
		value = report_room(report, grouping->keys, uint32_t);
		for (size_t k = 0; value && k < grouping->keys; k++)
			value[k] = value_of(profile, i / view->groupings, grouping->key[k]);
		row->grouping = (uint32_t)(i % view->groupings);
		row->value = value;
	}
	return report->model->store->failed ? -1 : 0;
}

/* ---- sums ---- */

/* What is summed up of, and by. */
struct summing {
	struct tags_view *view;
	const struct model *model; /* labelled */
	const uint32_t *row_of;
	size_t *set; /* by node: the place of the first row of its set of tags */
	bool *wanted, *io;
};

static void add_node(struct summing *summing, size_t node)
{
	const struct model *model = summing->model;
	const struct profile_node *from = &model->profile->node[node];
	bool is_label = from->value > 0 || from->tags > 0;
	union model_value base[MODEL_VALUES_MAX];
	uint64_t used = from->calls;

	model_base(model, node, base);
	for (unsigned f = 0; f < model->figures; f++)
		used |= base[f].count;
	for (size_t g = 0; g < summing->view->groupings; g++) {
		size_t at = summing->row_of[summing->set[node] * summing->view->groupings + g];
		struct tag_row *row = &summing->view->row[at];

		model_add(model, model_at(model, summing->view->sum, at), base);
		row->calls += is_label ? 0 : from->calls;
		row->threads += used > 0 && row->thread != from->thread + (size_t)1;
		if (used > 0)
			row->thread = from->thread + (size_t)1;
	}
}

static void add_account(struct summing *summing, size_t at)
{
	const struct profile *profile = summing->model->profile;
	const struct profile_account *account = &profile->account[at];

	for (size_t g = 0; g < summing->view->groupings; g++) {
		size_t row =
			summing->row_of[summing->set[account->node] * summing->view->groupings +
					g];

		label_use_add(&summing->view->row[row].use, account,
			summing->io[at] && !io_is_twice(profile, account));
	}
}

static int sum_up(struct summing *summing)
{
	const struct model *model = summing->model;
	const struct profile *profile = model->profile;

	summing->set = store_room(model->store, profile->node_count + 1, sizeof(*summing->set));
	summing->wanted = model_below_wanted(model);
	summing->io = io_wanted(model);
	if (model->store->failed)
		return -1;
	for (size_t i = 0; i < profile->node_count; i++) {
		const struct profile_node *node = &profile->node[i];

		summing->set[i] = node->tags > 0      ? profile_tags_find(profile, node->tags)
				  : node->parent == i ? profile->tag_count
						      : summing->set[node->parent];
		if (summing->wanted[i] && model->selected[node->thread])
			add_node(summing, i);
	}
	for (size_t i = 0; i < profile->account_count; i++) {
		uint32_t node = profile->account[i].node;

		if (summing->wanted[node] && model->selected[profile->node[node].thread])
			add_account(summing, i);
	}
	return 0;
}

/* ---- rows ---- */

static void columns(struct report *report)
{
	struct sheet *sheet = &report->sheet;

	sheet_add(sheet, NULL, "key", "Key", IN_ALL | COLUMN_LEFT);
	sheet_add(sheet, NULL, "value", "Value", IN_DATA);
	sheet_add(sheet, NULL, "kind", "Kind", IN_DATA);
	sheet_add(sheet, NULL, "values", "Values", IN_JSON);
	sheet_add(sheet, NULL, "threads", "Threads", IN_ALL);
	sheet_add(sheet, NULL, "calls", "Calls", IN_ALL);
	cum_columns(report);
	use_columns(report, 0);
	sheet_add_name(sheet, "Value");
}

/* "alice, http". */
static struct label row_text(struct report *report, const struct tag_row *row)
{
	const struct profile *profile = report->model->apart;
	struct store *store = report->model->store;
	struct label text = {"", 0};

	for (size_t k = 0; k < view_of(report)->grouping[row->grouping].keys; k++) {
		struct label one =
			row->value[k] > 0
				? label_name(store, &profile->value[row->value[k] - 1])
				: label_of(VALUE_NONE_NAME);

		text = k == 0 ? one
			      : store_format(store, "%s, %s", text.text ? text.text : "",
					one.text ? one.text : "");
	}
	return text;
}

static struct label row_key(struct report *report, const struct tag_row *row)
{
	const struct grouping *grouping = &view_of(report)->grouping[row->grouping];
	const struct profile *profile = report->model->apart;
	struct label text = {"", 0};

	for (size_t k = 0; k < grouping->keys; k++)
		text = store_format(report->model->store, "%s%s%s", text.text ? text.text : "",
			k > 0 ? "," : "", profile->parameter[grouping->key[k]].name);
	return text;
}

static void put_member(struct out *out, const char *key, const char *text)
{
	out_json(out, key, strlen(key));
	out_char(out, ':');
	if (text)
		out_json(out, text, strlen(text));
	else
		out_text(out, "null");
}

/* [{"key":"user","value":"alice","kind":"value"},...]: of each key. */
static struct label row_values(struct report *report, const struct tag_row *row)
{
	const struct grouping *grouping = &view_of(report)->grouping[row->grouping];
	const struct profile *profile = report->model->apart;
	struct label list = {"[]", 2};
	struct out out;

	out_init(&out, -1);
	for (size_t k = 0; k < grouping->keys; k++) {
		const struct profile_value *value =
			row->value[k] > 0 ? &profile->value[row->value[k] - 1] : NULL;

		out_text(&out, k == 0 ? "[{" : ",{");
		put_member(&out, "key", profile->parameter[grouping->key[k]].name);
		out_char(&out, ',');
		put_member(&out, "value", value ? value->text : NULL);
		out_char(&out, ',');
		put_member(&out, "kind", value ? label_kind(value) : "none");
		out_char(&out, '}');
	}
	out_char(&out, ']');
	if (out.failed == 0)
		list = store_bytes(report->model->store, out.buffer, out.length);
	out_fini(&out);
	return list;
}

static void fill(struct report *report, uint32_t item, struct cell *cells)
{
	const struct tags_view *view = view_of(report);
	const struct tag_row *row = &view->row[item];
	const struct profile *profile = report->model->apart;
	bool is_one = view->grouping[row->grouping].keys == 1;
	const struct profile_value *value =
		is_one && row->value[0] > 0 ? &profile->value[row->value[0] - 1] : NULL;
	struct label text = row_text(report, row);

	*cells++ = cell_label(row_key(report, row));
	if (is_one)
		*cells++ = value ? cell_text(value->text) : cell_null();
	else
		*cells++ = cell_label(text);
	*cells++ = cell_text(!is_one ? "values" : value ? label_kind(value) : "none");
	*cells++ = is_one ? cell_null() : cell_json(row_values(report, row));
	*cells++ = cell_number(row->threads);
	*cells++ = cell_number(row->calls);
	cells = value_cells(
		report, cells, model_at(report->model, view->sum, item), NULL, false);
	cells = use_cells(cells, &row->use);
	*cells = cell_label(text);
}

static int sum_rows(struct report *report, struct tags_view *view)
{
	const struct profile *profile = report->model->apart;
	size_t sets = profile->tag_count + 1;
	uint32_t *row_of = report_room(report, sets * view->groupings, uint32_t);
	struct summing summing = {.view = view, .row_of = row_of};
	struct labelled labelled = {0};
	struct pairs numbers = {0};
	struct error error = {0};
	int failed = row_of ? 0 : -1;

	if (row_of)
		memset(row_of, 0xff, sets * view->groupings * sizeof(*row_of));
	if (failed == 0)
		failed = number_rows(report, view, &numbers, row_of);
	view->rows = numbers.count;
	pairs_fini(&numbers);
	if (failed == 0)
		failed = make_rows(report, view, row_of);
	if (failed == 0)
		failed = labelled_init(&labelled, report->model, &error);
	summing.model = &labelled.model;
	if (failed == 0)
		failed = sum_up(&summing);
	labelled_fini(&labelled);
	return failed;
}

static int open_tags(struct report *report)
{
	const struct profile *profile = report->model->apart;
	struct tags_view *view = report_room(report, 1, struct tags_view);
	uint32_t *items;
	size_t used = 0;

	if (!view)
		return -1;
	report->data = view;
	view->grouping = report_room(report, profile->parameter_count, struct grouping);
	if (report->model->store->failed)
		return -1;
	if (profile->labelled)
		find_groupings(report, view);
	if (view->groupings > 0 && sum_rows(report, view) != 0)
		return -1;
	items = report_room(report, view->rows, uint32_t);
	for (uint32_t i = 0; items && i < view->rows; i++)
		if (view->row[i].threads > 0 && label_use_touches(report, &view->row[i].use))
			items[used++] = i;
	return items ? report_list_shares(report, items, used) : -1;
}

const struct view view_tags = {
	.name = "tags",
	.meaning = "whose work it is: what was done under each tag",
	.by = BY_ALL,
	.sort = "cum",
	.share = "cum",
	.is_long = true,
	.labels = true,
	.adjusts = true,
	.columns = columns,
	.open = open_tags,
	.fill = fill,
};
