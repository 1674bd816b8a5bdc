/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/* diff: items and figures of each run. verdict.c compares them. */
#include "report/diff/diff.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "profile/pairs.h"

/* ---- items ---- */

/* Room for one more, of that size; NULL without memory. */
static void *room_for_one(void *array, size_t count, size_t *room, size_t size)
{
	void *larger;

	if (count < *room)
		return array;
	larger = realloc(array, (*room ? 2 * *room : 64) * size);
	if (larger)
		*room = *room ? 2 * *room : 64;
	return larger;
}

static int add_item(struct diff_table *table, const struct diff_item *item)
{
	struct diff_item *items =
		room_for_one(table->item, table->item_count, &table->item_room, sizeof(*items));

	if (!items)
		return -1;
	table->item = items;
	items[table->item_count++] = *item;
	return 0;
}

static int add_name(struct diff_table *table, const struct diff_name *name)
{
	struct diff_name *names =
		room_for_one(table->name, table->name_count, &table->name_room, sizeof(*names));

	if (!names)
		return -1;
	table->name = names;
	names[table->name_count++] = *name;
	return add_item(table, &(struct diff_item){.name = (uint32_t)table->name_count - 1});
}

static struct label copy_label(struct store *store, struct label label)
{
	return label.text ? store_bytes(store, label.text, label.length) : label;
}

/* Three texts of a key, with zeros between, and where each ends. */
struct key {
	struct out text;
	size_t end[3];
	bool changed;
};

static struct label key_label(const struct key *key, struct store *store, int i)
{
	size_t from = i == 0 ? 0 : key->end[i - 1] + 1;

	return store_bytes(store, key->text.buffer + from, key->end[i] - from);
}

static void end_key(struct key *key, int i)
{
	key->end[i] = key->text.length;
	out_char(&key->text, '\0');
}

/* The key's item. A new one is called as name says: of a Java method name->display is what stands behind its name. TEXT_NONE
 * without memory. */
static uint32_t take_name(struct diff *diff, struct diff_table *table, const struct key *key,
	struct diff_name *name)
{
	uint32_t item;

	if (key->text.failed)
		return TEXT_NONE;
	item = text_table_take(&table->texts, key->text.buffer, key->text.length);
	if (item == TEXT_NONE || item < table->name_count)
		return item;
	name->class_name =
		name->class_name.text ? key_label(key, &diff->store, 0) : name->class_name;
	name->name = name->name.text ? key_label(key, &diff->store, 1) : name->name;
	name->signature =
		name->signature.text ? key_label(key, &diff->store, 2) : name->signature;
	if (name->is_java)
		name->display = store_format(&diff->store, "%s.%s%s", name->class_name.text,
			name->name.text, name->display.text);
	else
		name->display = copy_label(&diff->store, name->display);
	if (diff->store.failed || add_name(table, name) != 0)
		return TEXT_NONE;
	return item;
}

static uint32_t take_method(struct diff *diff, const struct model *model, uint32_t method)
{
	const struct method_label *label = &model->method[method];
	struct diff_name name = {label->class_name, label->name, label->signature,
		label->display,
		label->class_name.text && label->name.text &&
			model->profile->method[method].kind == METHOD_JAVA};
	struct diff_table *table = &diff->table[DIFF_METHOD];
	size_t known = table->name_count;
	struct key key = {0};
	uint32_t item;

	out_init(&key.text, -1);
	if (name.is_java) {
		size_t own = name.class_name.length + 1 + name.name.length;

		key.changed = out_normal_class(&key.text, name.class_name.text);
		end_key(&key, 0);
		key.changed |= out_normal_method(&key.text, name.name.text);
		end_key(&key, 1);
		/* As much of its signature as tells it from its namesakes. */
		name.display.text = name.display.length >= own ? name.display.text + own : "";
	} else {
		out_text(&key.text, name.class_name.text ? name.class_name.text : "");
		end_key(&key, 0);
		out_text(&key.text, name.name.text ? name.name.text : "");
		end_key(&key, 1);
	}
	key.changed |=
		out_normal_class(&key.text, name.signature.text ? name.signature.text : "");
	end_key(&key, 2);
	item = take_name(diff, table, &key, &name);
	/* Once, however many runs and numbers of them there are. */
	diff->generated += key.changed && table->name_count > known;
	out_fini(&key.text);
	return item;
}

/* A process's own files have its id in their names. */
static void put_path(struct out *out, const char *path)
{
	size_t digits = strncmp(path, "/proc/", 6) == 0 ? strspn(path + 6, "0123456789") : 0;

	out_text(out, digits > 0 ? "/proc/*" : path);
	if (digits > 0)
		out_text(out, path + 6 + digits);
}

static uint32_t take_file(struct diff *diff, const struct profile_file *file)
{
	const char *kind = file ? io_kind_names[file->kind] : "other";
	const char *path = file && file->name ? file->name : "(not kept apart)";
	const char *peer = file ? file->peer : NULL;
	bool is_socket = file && io_kind_is_socket(file->kind);
	struct diff_name name = {label_of(kind), label_of(path), label_of(peer), {0}, false};
	struct key key = {0};
	uint32_t item;
	struct label parts[2];

	out_init(&key.text, -1);
	out_text(&key.text, kind);
	end_key(&key, 0);
	if (is_socket)
		out_normal_address(&key.text, path);
	else
		put_path(&key.text, path);
	end_key(&key, 1);
	if (is_socket)
		out_normal_address(&key.text, peer ? peer : "");
	else
		out_text(&key.text, peer ? peer : "");
	end_key(&key, 2);
	if (!key.text.failed) {
		for (int i = 0; i < 2; i++)
			parts[i] = key_label(&key, &diff->store, i + 1);
		name.display = parts[0];
		if (peer && is_socket)
			name.display = store_format(
				&diff->store, "%s - %s", parts[0].text, parts[1].text);
		else if (peer)
			name.display = store_format(
				&diff->store, "%s!/%s", parts[1].text, parts[0].text);
	}
	item = diff->store.failed ? TEXT_NONE
				  : take_name(diff, &diff->table[DIFF_FILE], &key, &name);
	out_fini(&key.text);
	return item;
}

/* ---- figures ---- */

/* The figures of a run's table, while they are named. */
struct naming {
	struct diff *diff;
	enum diff_by by;
	struct diff_values *values;
	const char *
		refused; /* why a figure has no place, so that values would be another's; the store's, or NULL */
};

static void add_figure(struct naming *naming, const char *group, const char *key,
	enum figure_kind kind, bool is_exact, const char *whole)
{
	struct diff_table *table = &naming->diff->table[naming->by];
	struct diff_values *values = naming->values;
	char name[DIFF_FIGURE_NAME];
	unsigned at = 0;

	snprintf(name, sizeof(name), "%s%s%s", group, group[0] != '\0' ? "." : "", key);
	while (at < table->figure_count && strcmp(table->figure[at].name, name) != 0)
		at++;
	if (at == DIFF_FIGURES_MAX || values->place[at] > 0) {
		naming->refused =
			at == DIFF_FIGURES_MAX
				? store_format(&naming->diff->store,
					  "more than %d figures: --metric chooses some",
					  DIFF_FIGURES_MAX)
					  .text
				: store_format(&naming->diff->store,
					  "two figures are called '%s'",
					  error_subject(name).text)
					  .text;
		return;
	}
	if (at == table->figure_count) {
		struct diff_figure *figure = &table->figure[table->figure_count++];
		int found = whole ? diff_figure_find(naming->diff, DIFF_TOTAL, whole) : -1;

		*figure = (struct diff_figure){
			.kind = kind, .is_exact = is_exact, .whole = (unsigned)(found + 1)};
		memcpy(figure->name, name, sizeof(name));
	}
	table->figure[at].runs++;
	values->place[at] = values->stride + 1;
	values->figure[values->stride++] = at;
}

static enum figure_kind kind_of(const char *unit)
{
	return strcmp(unit, "ns") == 0      ? FIGURE_TIME
	       : strcmp(unit, "bytes") == 0 ? FIGURE_BYTES
					    : FIGURE_COUNT;
}

static void add_metrics(struct naming *naming, const struct model *model, const char *group)
{
	for (unsigned m = 0; m < model->metric_count; m++)
		add_figure(naming, group, model->metric[m]->name,
			kind_of(model->metric[m]->unit), false, model->metric[m]->name);
}

static void add_samples(struct naming *naming, const struct model *model, const char *group)
{
	for (unsigned c = 0; c < model->condition_count; c++) {
		char whole[DIFF_FIGURE_NAME];

		snprintf(whole, sizeof(whole), "samples.%.80s", model->condition_name[c]);
		add_figure(naming, group, model->condition_name[c], FIGURE_COUNT, false, whole);
	}
}

static void add_io(struct naming *naming, const char *group)
{
	add_figure(naming, group, "ops", FIGURE_COUNT, true, "io.ops");
	add_figure(naming, group, "bytes", FIGURE_BYTES, true, "io.bytes");
	add_figure(naming, group, "ns", FIGURE_TIME, false, "io.ns");
}

static const struct {
	const char *group;
	enum io_part part;
} file_parts[] = {{"all", IO_PART_ALL}, {"reads", IO_PART_READS}, {"writes", IO_PART_WRITES},
	{"received", IO_PART_RECEIVED}, {"sent", IO_PART_SENT}, {"others", IO_PART_OTHERS}};

enum { FILE_PARTS = sizeof(file_parts) / sizeof(*file_parts) };

/* In the order in which put_figures, add_total and add_files give their values. */
static void name_figures(struct naming *naming, const struct model *model)
{
	if (naming->by == DIFF_FILE) {
		add_figure(naming, "", "opens", FIGURE_COUNT, true, NULL);
		for (int i = 0; i < FILE_PARTS; i++)
			add_io(naming, file_parts[i].group);
		return;
	}
	add_figure(naming, "", "calls", FIGURE_COUNT, true, "calls");
	add_metrics(naming, model, naming->by == DIFF_TOTAL ? "" : "base");
	if (naming->by != DIFF_TOTAL)
		add_metrics(naming, model, "cum");
	add_samples(naming, model, "samples");
	if (naming->by != DIFF_TOTAL)
		add_samples(naming, model, "samples_cum");
	add_io(naming, "io");
	if (naming->by != DIFF_TOTAL)
		add_io(naming, "io_cum");
}

/* ---- the figures of one run ---- */

/* What the items of a run did. */
struct sums {
	struct call_count *count;
	union model_value *base, *cum;
	struct io_use *io, *io_cum;
};

static int sums_init(struct sums *sums, const struct model *model, size_t items)
{
	sums->count = store_room(model->store, items + 1, sizeof(*sums->count));
	sums->base = model_values(model, items);
	sums->cum = model_values(model, items);
	sums->io = store_room(model->store, items + 1, sizeof(*sums->io));
	sums->io_cum = store_room(model->store, items + 1, sizeof(*sums->io_cum));
	return model->store->failed ? -1 : 0;
}

/* Where the next figure of an item goes. */
struct cursor {
	double *value;
	float *error;
};

static void put(struct cursor *to, double value, double error)
{
	*to->value++ = value;
	*to->error++ = (float)error;
}

static void put_metrics(struct cursor *to, const struct model *model,
	const union model_value *values, bool is_sampled)
{
	for (unsigned m = 0; m < model->metric_count; m++) {
		bool is_known = !is_sampled || model->part[m] ||
				(model->is_divided && model_is_part(model, values, m));

		if (is_known)
			put(to, (double)values[m].count,
				model->has_errors ? (double)model_error(model, values, m) : 0);
		else
			put(to, NAN, 0);
	}
}

/* Two standard errors of so many samples, of which each stack may stand for several. */
static void put_samples(struct cursor *to, const struct model *model,
	const union model_value *values, const uint64_t *whole)
{
	for (unsigned c = 0; c < model->condition_count; c++) {
		unsigned v = model->metric_count + c;
		double samples = (double)values[v].count, stacks = (double)model->taken[c];
		double each = stacks > 0 ? fmax(1, (double)whole[v] / stacks) : 1;

		put(to, samples, 2 * sqrt(samples * each));
	}
}

static void put_io(struct cursor *to, const struct io_amount *amount)
{
	put(to, (double)amount->ops, 0);
	put(to, (double)amount->bytes, 0);
	put(to, (double)amount->ns, 0);
}

static struct cursor cursor_at(struct diff_values *values, size_t item)
{
	return (struct cursor){
		values->value + item * values->stride, values->error + item * values->stride};
}

/* Where samples alone tell of the program, nodes of I/O have no calls either that anybody counted. */
static bool has_calls(const struct model *model)
{
	return model->counted || !model_lacks_calls(model);
}

static void put_figures(const struct model *model, struct diff_values *values,
	const struct sums *sums, const uint64_t *whole)
{
	bool knows_calls = has_calls(model);

	for (size_t i = 0; i < values->count; i++) {
		const struct call_count *count = &sums->count[i];
		const union model_value *base = model_at(model, sums->base, i);
		const union model_value *cum = model_at(model, sums->cum, i);
		bool is_sampled = call_count_is_sampled(count);
		struct cursor to = cursor_at(values, i);

		put(&to, knows_calls && call_count_is_known(count) ? (double)count->calls : NAN,
			0);
		put_metrics(&to, model, base, is_sampled);
		put_metrics(&to, model, cum, is_sampled);
		put_samples(&to, model, base, whole);
		put_samples(&to, model, cum, whole);
		put_io(&to, &sums->io[i].part[IO_PART_ALL]);
		put_io(&to, &sums->io_cum[i].part[IO_PART_ALL]);
	}
}

static int values_init(struct diff_values *values, size_t items)
{
	values->count = items;
	values->value = calloc(items * values->stride + 1, sizeof(*values->value));
	values->error = calloc(items * values->stride + 1, sizeof(*values->error));
	return values->value && values->error ? 0 : -1;
}

/* All that is needed while a run is added. */
struct adding {
	struct diff *diff;
	struct diff_run *run;
	const struct model *model;
	union model_value *cum;     /* of nodes */
	struct io_use *io, *io_cum; /* the same */
	uint32_t *method;           /* the items of methods, by id */
	bool *shares;               /* several methods have the item; by item */
	uint64_t whole[MODEL_FIGURES_MAX];
};

/* Methods by id, and which of their items are of several. Those that did nothing have none: TEXT_NONE. */
static int find_methods(struct adding *adding)
{
	const struct profile *profile = adding->model->profile;
	struct store *store = adding->model->store;
	bool *seen = store_room(store, profile->method_count + 1, sizeof(*seen)), *taken;

	adding->method = store_room(store, profile->method_count + 1, sizeof(*adding->method));
	if (store->failed)
		return -1;
	for (size_t i = 0; i < adding->model->node_count; i++)
		seen[profile->node[adding->model->node[i]].method] = true;
	for (uint32_t id = 0; id < profile->method_count; id++) {
		bool counted = adding->model->counted && adding->model->counted[id] > 0;

		adding->method[id] = TEXT_NONE;
		if (id == METHOD_ROOT || (!seen[id] && !counted))
			continue;
		adding->method[id] = take_method(adding->diff, adding->model, id);
		if (adding->method[id] == TEXT_NONE)
			return -1;
	}
	taken = store_room(
		store, adding->diff->table[DIFF_METHOD].item_count + 1, sizeof(bool));
	adding->shares = store_room(
		store, adding->diff->table[DIFF_METHOD].item_count + 1, sizeof(bool));
	if (store->failed)
		return -1;
	for (uint32_t id = 0; id < profile->method_count; id++) {
		uint32_t item = adding->method[id];

		if (item == TEXT_NONE)
			continue;
		adding->shares[item] |= taken[item];
		taken[item] = true;
	}
	return 0;
}

/* True where no node of the same item is above it: cum of an inner one is in the outer one's. */
static bool is_outermost(const struct adding *adding, uint32_t at)
{
	const struct profile_node *node = adding->model->profile->node;
	uint32_t item = adding->method[node[at].method];

	if (!adding->shares[item])
		return node[at].recursion == 0;
	for (uint32_t up = node[at].parent; node[up].parent != up; up = node[up].parent)
		if (adding->method[node[up].method] == item)
			return false;
	return true;
}

static void add_node(const struct adding *adding, struct sums *sums, uint32_t item, uint32_t at,
	bool is_outer)
{
	const struct model *model = adding->model;
	union model_value base[MODEL_VALUES_MAX];

	call_count_add(&sums->count[item], model, at);
	model_base(model, at, base);
	model_add(model, model_at(model, sums->base, item), base);
	io_use_join(&sums->io[item], &adding->io[at]);
	if (!is_outer)
		return;
	model_add(model, model_at(model, sums->cum, item), model_at(model, adding->cum, at));
	io_use_join(&sums->io_cum[item], &adding->io_cum[at]);
}

static int add_methods(struct adding *adding)
{
	const struct model *model = adding->model;
	struct diff_values *values = &adding->run->values[DIFF_METHOD];
	size_t items = adding->diff->table[DIFF_METHOD].item_count;
	struct sums sums;

	if (sums_init(&sums, model, items) != 0 || values_init(values, items) != 0)
		return -1;
	for (size_t i = 0; i < model->node_count; i++) {
		uint32_t at = model->node[i];
		uint32_t item = adding->method[model->profile->node[at].method];

		if (item != TEXT_NONE)
			add_node(adding, &sums, item, at, is_outermost(adding, at));
	}
	for (uint32_t id = 0; model->counted && id < model->profile->method_count; id++) {
		if (adding->method[id] == TEXT_NONE)
			continue;
		sums.count[adding->method[id]].counted += model->counted[id];
		sums.count[adding->method[id]].calls += model->counted[id];
	}
	put_figures(model, values, &sums, adding->whole);
	return 0;
}

/* Parents stand before their children, so that the parent's item is known. */
static int add_paths(struct adding *adding)
{
	const struct model *model = adding->model;
	const struct profile_node *node = model->profile->node;
	struct diff_table *table = &adding->diff->table[DIFF_PATH];
	struct diff_values *values = &adding->run->values[DIFF_PATH];
	/* By node: item + 1; 0: a root. */
	uint32_t *path =
		store_room(model->store, model->profile->node_count + 1, sizeof(*path));
	struct sums sums;

	if (!table->paths)
		table->paths = calloc(1, sizeof(*table->paths));
	if (!path || !table->paths)
		return -1;
	for (size_t i = 0; i < model->node_count; i++) {
		uint32_t at = model->node[i], parent = path[node[at].parent];
		uint32_t method = adding->method[node[at].method], taken;

		if (method == TEXT_NONE)
			continue;
		/* The pair of zeros is nobody's. */
		taken = pairs_take(table->paths, parent, method);
		if (taken == 0)
			return -1;
		if (taken > table->item_count &&
			add_item(table,
				&(struct diff_item){.name = method,
					.parent = parent,
					.level = parent ? table->item[parent - 1].level + 1
							: 0}) != 0)
			return -1;
		path[at] = taken;
	}
	if (sums_init(&sums, model, table->item_count) != 0 ||
		values_init(values, table->item_count) != 0)
		return -1;
	for (size_t i = 0; i < model->node_count; i++)
		if (path[model->node[i]] > 0)
			add_node(adding, &sums, path[model->node[i]] - 1, model->node[i], true);
	put_figures(model, values, &sums, adding->whole);
	return 0;
}

struct file_sum {
	struct io_use use;
	uint64_t opens;
};

static int add_files(struct adding *adding)
{
	const struct model *model = adding->model;
	const struct profile *profile = model->profile;
	struct diff *diff = adding->diff;
	struct diff_values *values = &adding->run->values[DIFF_FILE];
	bool *wanted = io_wanted(model);
	uint32_t *item = store_room(model->store, profile->file_count + 1, sizeof(*item));
	struct file_sum *sums;
	size_t items;

	if (model->store->failed)
		return -1;
	/* By subject: item + 1. */
	for (size_t i = 0; i < profile->account_count; i++) {
		uint64_t subject = wanted[i] ? profile->account[i].subject : 0;

		if (!wanted[i] || item[subject] > 0)
			continue;
		item[subject] =
			take_file(diff, subject ? &profile->file[subject - 1] : NULL) + 1;
		if (item[subject] == 0)
			return -1;
	}
	items = diff->table[DIFF_FILE].item_count;
	sums = store_room(model->store, items + 1, sizeof(*sums));
	if (!sums || values_init(values, items) != 0)
		return -1;
	for (size_t i = 0; i < profile->account_count; i++) {
		const struct profile_account *io = &profile->account[i];
		struct file_sum *sum = wanted[i] ? &sums[item[io->subject] - 1] : NULL;

		if (!sum)
			continue;
		io_use_add(&sum->use, io);
		sum->opens += io->kind == IO_OPEN ? io->count : 0;
	}
	for (size_t i = 0; i < items; i++) {
		struct cursor to = cursor_at(values, i);

		put(&to, (double)sums[i].opens, 0);
		for (int part = 0; part < FILE_PARTS; part++)
			put_io(&to, &sums[i].use.part[file_parts[part].part]);
	}
	return 0;
}

/* What the chosen threads did together. */
static int add_total(struct adding *adding)
{
	const struct model *model = adding->model;
	const struct profile *profile = model->profile;
	struct diff_table *table = &adding->diff->table[DIFF_TOTAL];
	struct diff_values *values = &adding->run->values[DIFF_TOTAL];
	union model_value sums[MODEL_VALUES_MAX] = {0}, total[MODEL_VALUES_MAX];
	double calls = 0;
	struct io_use io = {0};
	struct cursor to;

	if (table->item_count == 0 &&
		add_name(table,
			&(struct diff_name){.display = label_of("(the whole program)")}) != 0)
		return -1;
	if (values_init(values, 1) != 0)
		return -1;
	for (size_t t = 0; t < profile->thread_count; t++) {
		if (!model->selected[t] ||
			profile->thread_first[t + 1] == profile->thread_first[t])
			continue;
		model_total(model, t, total);
		model_add(model, sums, total);
		io_use_join(&io, &adding->io_cum[profile->thread_first[t]]);
	}
	for (size_t i = 0; i < model->node_count; i++)
		calls += (double)profile->node[model->node[i]].calls;
	for (uint32_t id = 0; model->counted && id < profile->method_count; id++)
		calls += (double)model->counted[id];
	to = cursor_at(values, 0);
	put(&to, has_calls(model) ? calls : NAN, 0);
	put_metrics(&to, model, sums, false);
	put_samples(&to, model, sums, adding->whole);
	put_io(&to, &io.part[IO_PART_ALL]);
	return 0;
}

/* ---- runs ---- */

void diff_init(struct diff *diff, const struct diff_choice *choice)
{
	*diff = (struct diff){.choice = *choice};
	diff->choice.wants[DIFF_TOTAL] = diff->choice.wants[DIFF_METHOD] = true;
}

static void free_run(struct diff_run *run)
{
	for (int by = 0; run && by < DIFF_TABLES; by++) {
		free(run->values[by].value);
		free(run->values[by].error);
	}
	free(run);
}

void diff_fini(struct diff *diff)
{
	for (unsigned i = 0; i < diff->run_count; i++)
		free_run(diff->run[i]);
	for (int by = 0; by < DIFF_TABLES; by++) {
		struct diff_table *table = &diff->table[by];

		text_table_fini(&table->texts);
		if (table->paths)
			pairs_fini(table->paths);
		free(table->paths);
		free(table->item);
		free(table->name);
	}
	store_fini(&diff->store);
	*diff = (struct diff){0};
}

static int no_memory(struct error *error)
{
	return error_set(error, ERROR_MEMORY, "no memory for the comparison");
}

/* Which figure the first run says most by. */
static void choose_lead(struct diff *diff, const struct model *model)
{
	if (model_leads_by_samples(model))
		snprintf(diff->lead, sizeof(diff->lead), "samples.%.80s",
			model->condition_name[0]);
	else if (model->metric_count > 0)
		snprintf(diff->lead, sizeof(diff->lead), "base.%.80s",
			model->metric[model->lead]->name);
	else
		snprintf(diff->lead, sizeof(diff->lead), "calls");
}

/* 0, or -1: why tells, or there is no memory. */
static int add_tables(struct adding *adding, const char **why)
{
	static int (*const add[DIFF_TABLES])(struct adding *) = {
		add_total, add_methods, add_paths, add_files};
	const struct model *model = adding->model;
	struct diff *diff = adding->diff;

	adding->cum = model_cum(model);
	if (!adding->cum || io_use_of_nodes(model, &adding->io, &adding->io_cum) != 0 ||
		find_methods(adding) != 0)
		return -1;
	model_whole(model, adding->whole);
	for (enum diff_by by = 0; by < DIFF_TABLES; by++) {
		struct naming naming = {diff, by, &adding->run->values[by], NULL};

		if (!diff->choice.wants[by])
			continue;
		name_figures(&naming, model);
		*why = naming.refused;
		if (*why || add[by](adding) != 0)
			return -1;
	}
	return diff->store.failed ? -1 : 0;
}

int diff_add_run(struct diff *diff, enum diff_side side, const char *file,
	const struct model *model, struct error *error)
{
	struct diff_run *run;
	struct adding adding = {.diff = diff, .model = model};
	const char *why;

	if (diff->run_count == DIFF_RUNS_MAX)
		return error_set(
			error, ERROR_USAGE, "at most %d runs can be compared", DIFF_RUNS_MAX);
	run = adding.run = calloc(1, sizeof(*run));
	if (!run)
		return no_memory(error);
	run->side = side;
	run->divisor = 1;
	run->file = store_bytes(&diff->store, file, strlen(file));
	if (diff->run_count == 0)
		choose_lead(diff, model);
	if (diff_take_facts(diff, run, model) != 0) {
		free_run(run);
		return no_memory(error);
	}
	why = diff_refuses(diff, run);
	if (why) {
		free_run(run);
		return error_set(error, ERROR_MISSING, "%s", why);
	}
	if (add_tables(&adding, &why) != 0) {
		free_run(run);
		return why ? error_set(error, ERROR_MISSING, "'%s': %s",
				     error_subject(file).text, why)
			   : no_memory(error);
	}
	diff->run[diff->run_count++] = run;
	diff->side_count[side]++;
	/* Nothing was done: no call, no sample, no metric. */
	for (size_t i = 0; i < run->values[DIFF_TOTAL].stride; i++)
		if (run->values[DIFF_TOTAL].value[i] > 0)
			return 0;
	return error_set(error, ERROR_MISSING,
		"'%s' is empty: no call, no sample and no use of a metric is in it, or none of "
		"what was chosen",
		error_subject(file).text);
}
