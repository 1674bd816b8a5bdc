/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/* chosen: see chosen.h. */
#include "report/model/chosen.h"

#include <stdlib.h>
#include <string.h>

#include "components/components.h"
#include "options/nearest.h"

/* ---- where it is ---- */

/* Of a node, or a call path: the component that it is a step of, -1: none; and whether something wanted is there or above. */
struct place {
	int step;
	bool below_method, within;
};

/* While it is chosen. */
struct choosing {
	struct model *model;
	const struct pattern_list *paths, *names;
	struct components layers;           /* only if some are named */
	struct method_component *component; /* by method; NULL: none is named */
	bool *named;                        /* by component */
	bool *wanted;                       /* by method: of paths */
	bool *chosen;                       /* by node of read */
	bool *chosen_path;                  /* by path */
};

static const struct place outside = {.step = -1};

/* Of what a method does that is called from there. */
static struct place place_below(
	const struct choosing *choosing, struct place caller, uint32_t method)
{
	const struct profile_method *row = &choosing->model->read->method[method];
	struct place place = caller;

	place.below_method |= choosing->wanted[method];
	/* A mark only says what is missing. */
	if (!choosing->component || method < METHOD_FIRST || row->kind == METHOD_MARK)
		return place;
	place.step =
		components_step(&choosing->layers, caller.step, choosing->component[method]);
	place.within |= choosing->named[place.step];
	return place;
}

static bool is_chosen(const struct choosing *choosing, struct place place)
{
	return (choosing->paths->count == 0 || place.below_method) &&
	       (choosing->names->count == 0 || place.within);
}

/* ---- what is named ---- */

static int find_components(struct choosing *choosing, struct error *error)
{
	const struct model *model = choosing->model;
	const struct profile *profile = model->read;
	struct choices choices = {
		.nearest.wanted = choosing->names->pattern[0], .nearest.is_pattern = true};
	bool any = false;
	int failed = components_choose(
		&choosing->layers, profile, model->choice->definitions, error);

	if (failed != 0)
		return failed;
	choosing->named =
		store_room(model->store, choosing->layers.count, sizeof(*choosing->named));
	choosing->component = store_room(
		model->store, profile->method_count + 1, sizeof(*choosing->component));
	if (model->store->failed)
		return model_no_memory(error);
	for (size_t i = 0; i < choosing->layers.count; i++) {
		const char *name = choosing->layers.component[i].name;

		choosing->named[i] = pattern_list_match(choosing->names, name);
		any |= choosing->named[i];
		choices_add(&choices, name);
	}
	for (uint32_t m = METHOD_FIRST; m < profile->method_count; m++) {
		const struct profile_method *method = &profile->method[m];

		choosing->component[m] = components_find(
			&choosing->layers, method->kind, method->class_name, method->name);
	}
	return any ? 0
		   : error_set(error, ERROR_MISSING, "no component is called '%s'%s",
			     error_subject(choosing->names->pattern[0]).text,
			     choices_text(&choices, "components"));
}

static int find_methods(struct choosing *choosing, struct error *error)
{
	const struct model *model = choosing->model;
	const struct profile *profile = model->read;
	bool any = choosing->paths->count == 0, is_file = false;

	choosing->wanted =
		store_room(model->store, profile->method_count + 1, sizeof(*choosing->wanted));
	if (!choosing->wanted)
		return model_no_memory(error);
	for (uint32_t m = METHOD_FIRST; m < profile->method_count; m++) {
		choosing->wanted[m] = model_method_matches(model, choosing->paths, m);
		any |= choosing->wanted[m];
	}
	for (size_t i = 0; i < profile->file_count && !any; i++)
		is_file |= pattern_list_match(choosing->paths, profile->file[i].name);
	return any ? 0
		   : error_set(error, ERROR_MISSING, "no method of the profile matches '%s'%s",
			     error_subject(choosing->paths->pattern[0]).text,
			     is_file ? ": files are chosen by --file" : "");
}

/* ---- nodes and paths ---- */

static int find_places(struct choosing *choosing, struct error *error)
{
	const struct profile *profile = choosing->model->read;
	struct store *store = choosing->model->store;
	size_t most = profile->node_count > profile->path_count ? profile->node_count
								: profile->path_count;
	struct place *place = store_room(store, most + 1, sizeof(*place));
	bool any = false;

	choosing->chosen =
		store_room(store, profile->node_count + 1, sizeof(*choosing->chosen));
	choosing->chosen_path =
		store_room(store, profile->path_count + 1, sizeof(*choosing->chosen_path));
	if (store->failed)
		return model_no_memory(error);
	/* Callers stand before what they call. */
	for (size_t i = 0; i < profile->path_count; i++) {
		const struct profile_path *path = &profile->path[i];

		place[i] = place_below(choosing,
			path->parent ? place[path->parent - 1] : outside, path->method);
		choosing->chosen_path[i] = is_chosen(choosing, place[i]);
	}
	for (size_t i = 0; i < profile->node_count; i++) {
		const struct profile_node *node = &profile->node[i];

		place[i] = place_below(choosing,
			node->parent == i ? outside : place[node->parent], node->method);
		choosing->chosen[i] = is_chosen(choosing, place[i]);
		any |= choosing->chosen[i];
	}
	return any ? 0
		   : error_set(error, ERROR_MISSING, "nothing was done %s '%s'%s",
			     choosing->paths->count > 0 ? "below calls of" : "within",
			     error_subject((choosing->paths->count > 0 ? choosing->paths
								       : choosing->names)
						   ->pattern[0])
				     .text,
			     choosing->paths->count + choosing->names->count > 1
				     ? " and what else is chosen"
				     : "");
}

/* ---- the part of the profile that is left ---- */

struct part_of_profile {
	struct profile profile;
	uint32_t *place;   /* by node of read that is kept: where it is */
	uint32_t *from;    /* by node: its place in read */
	bool *leads;       /* by node: it is not chosen itself */
	bool *keep;        /* by node of read */
	uint64_t *nothing; /* base, and spent, of what is not chosen */
};

static void *room(const struct choosing *choosing, size_t count, size_t size)
{
	return store_room(choosing->model->store, count + 1, size);
}

/* All that is chosen, and what leads there; a thread's root stands for the thread. */
static void find_kept(const struct choosing *choosing, struct part_of_profile *part)
{
	const struct profile *profile = choosing->model->read;

	for (size_t i = profile->node_count; i-- > 0;) {
		uint32_t parent = profile->node[i].parent;

		part->keep[i] |= choosing->chosen[i] || parent == i;
		part->keep[parent] |= part->keep[i];
	}
}

static void keep_nodes(const struct choosing *choosing, struct part_of_profile *part)
{
	const struct profile *profile = choosing->model->read;
	struct profile *to = &part->profile;
	uint32_t count = 0;

	for (size_t t = 0; t < profile->thread_count; t++) {
		to->thread_first[t] = count;
		for (size_t i = profile->thread_first[t]; i < profile->thread_first[t + 1];
			i++) {
			struct profile_node node = profile->node[i];

			if (!part->keep[i])
				continue;
			part->place[i] = count;
			part->from[count] = (uint32_t)i;
			part->leads[count] = !choosing->chosen[i];
			node.parent = node.parent == i ? count : part->place[node.parent];
			if (part->leads[count]) {
				node.calls = node.interpreted = node.jitted = node.native = 0;
				memset(node.transition, 0, sizeof(node.transition));
				node.base = node.spent = part->nothing;
			}
			to->node[count++] = node;
		}
	}
	to->thread_first[profile->thread_count] = to->node_count = count;
}

/* Calls without a path are counted: of which place they are is not known. */
static void keep_accounts(const struct choosing *choosing, struct part_of_profile *part)
{
	struct model *model = choosing->model;
	const struct profile *profile = model->read;
	struct profile *to = &part->profile;

	to->is_chosen = true;
	for (size_t i = 0; i < profile->account_count; i++) {
		struct profile_account account = profile->account[i];

		if (account.kind == CALLS) {
			if (!model->selected[profile->node[account.node].thread])
				continue;
			to->unlabelled_calls += account.count;
			if (choosing->wanted[account.subject])
				model->pathless += account.count;
			continue;
		}
		if (!choosing->chosen[account.node])
			continue;
		account.node = part->place[account.node];
		to->account[to->account_count++] = account;
	}
}

/* Of count rows of that size, those that are chosen by the call path which they name at that offset. Returns how many. */
static size_t keep_rows(const struct choosing *choosing, void *to, const void *from,
	size_t count, size_t size, size_t offset)
{
	size_t kept = 0;

	for (size_t i = 0; i < count; i++) {
		const char *row = (const char *)from + i * size;
		uint64_t path;

		memcpy(&path, row + offset, sizeof(path));
		/* A profile with labels apart has no paths of its own. */
		if (path == 0 || path > choosing->model->read->path_count ||
			!choosing->chosen_path[path - 1])
			continue;
		memcpy((char *)to + kept++ * size, row, size);
	}
	return kept;
}

#define KEEP_ROWS(choosing, to, member)                                                        \
	((to)->member##_count = keep_rows(choosing, (to)->member,                              \
		 (choosing)->model->read->member, (to)->member##_count, sizeof(*(to)->member), \
		 offsetof(__typeof__(*(to)->member), node)))

/* What is told by thread or method alone is of no place. */
static void keep_told(const struct choosing *choosing, struct profile *to)
{
	KEEP_ROWS(choosing, to, contention);
	KEEP_ROWS(choosing, to, long_wait);
	KEEP_ROWS(choosing, to, unfinished_wait);
	KEEP_ROWS(choosing, to, record);
	to->distribution_count = to->slow_call_count = to->slice_use_count = 0;
}

static int make_part(const struct choosing *choosing, struct part_of_profile *part)
{
	struct profile *to = &part->profile;
	size_t nodes = choosing->model->read->node_count;

	*to = *choosing->model->read;
	part->place = room(choosing, nodes, sizeof(*part->place));
	part->from = room(choosing, nodes, sizeof(*part->from));
	part->leads = room(choosing, nodes, sizeof(*part->leads));
	part->keep = room(choosing, nodes, sizeof(*part->keep));
	part->nothing = room(choosing, 2 * to->metric_count, sizeof(*part->nothing));
	to->node = room(choosing, nodes, sizeof(*to->node));
	to->thread_first = room(choosing, to->thread_count, sizeof(*to->thread_first));
	to->thread = room(choosing, to->thread_count, sizeof(*to->thread));
	to->account = room(choosing, to->account_count, sizeof(*to->account));
	to->contention = room(choosing, to->contention_count, sizeof(*to->contention));
	to->long_wait = room(choosing, to->long_wait_count, sizeof(*to->long_wait));
	to->unfinished_wait =
		room(choosing, to->unfinished_wait_count, sizeof(*to->unfinished_wait));
	to->record = room(choosing, to->record_count, sizeof(*to->record));
	if (choosing->model->store->failed)
		return -1;
	to->account_count = 0;
	find_kept(choosing, part);
	keep_nodes(choosing, part);
	keep_accounts(choosing, part);
	keep_told(choosing, to);
	for (size_t t = 0; t < to->thread_count; t++) {
		to->thread[t] = choosing->model->read->thread[t];
		profile_sum_thread(to, t);
	}
	return 0;
}

/* ---- figures, which go with their nodes ---- */

/* A thread that ran none of it has no samples; and fewer stacks tell of what is left. */
static int keep_samples(struct model *model, const struct part_of_profile *part)
{
	size_t conditions = model->condition_count, nodes = part->profile.node_count;
	uint64_t *samples = store_room(model->store, nodes * conditions + 1, sizeof(*samples));
	uint64_t *counting =
		store_room(model->store, nodes * conditions + 1, sizeof(*counting));
	uint64_t all[SAMPLE_CONDITIONS_MAX] = {0}, left[SAMPLE_CONDITIONS_MAX] = {0};

	if (model->store->failed)
		return -1;
	memset(model->jvm_samples, 0, sizeof(model->jvm_samples));
	if (conditions == 0)
		return 0;
	memset(model->has_samples, 0, part->profile.thread_count * sizeof(*model->has_samples));
	for (size_t i = 0; i < model->read->node_count * conditions; i++)
		all[i % conditions] += model->samples[i];
	for (size_t i = 0; i < nodes; i++)
		for (size_t c = 0; c < conditions && !part->leads[i]; c++) {
			size_t from = part->from[i] * conditions + c;

			samples[i * conditions + c] = model->samples[from];
			counting[i * conditions + c] = model->counting[from];
			left[c] += model->samples[from];
			model->has_samples[part->profile.node[i].thread] |=
				model->samples[from] > 0;
		}
	for (size_t c = 0; c < conditions; c++)
		if (all[c] > 0)
			model->taken[c] = (uint64_t)((double)model->taken[c] * (double)left[c] /
						     (double)all[c]);
	model->samples = samples;
	model->counting = counting;
	return 0;
}

/* Of a divided metric. How far off all below a node may be that leads to what was chosen is told by what it leads to. */
static struct part *keep_parts(
	struct model *model, const struct part_of_profile *part, unsigned m)
{
	const struct profile *profile = &part->profile;
	struct part *to = store_room(model->store, profile->node_count + 1, sizeof(*to));
	union model_value measured[MODEL_VALUES_MAX];

	model->unsampled[m] = 0;
	for (size_t i = profile->node_count; to && i-- > 0;) {
		const struct profile_node *node = &profile->node[i];

		if (!part->leads[i])
			to[i] = model->part[m][part->from[i]];
		if (node->parent != i && part->leads[node->parent])
			to[node->parent].cum_square += to[i].cum_square;
		if (to[i].unseen == 0 || !model->selected[node->thread])
			continue;
		model_measured(model, part->from[i], measured);
		model->unsampled[m] += measured[m].count;
	}
	return to;
}

/* Threads that did none of it are none of the chosen ones. */
static void leave_threads(struct model *model, const struct part_of_profile *part)
{
	const struct profile *profile = &part->profile;

	for (size_t t = 0; t < profile->thread_count; t++) {
		bool any = false;

		for (size_t i = profile->thread_first[t]; i < profile->thread_first[t + 1]; i++)
			any |= !part->leads[i];
		model->selected[t] &= any;
	}
}

static int keep_figures(struct model *model, const struct part_of_profile *part)
{
	size_t nodes = part->profile.node_count;
	uint32_t *owner = store_room(model->store, nodes + 1, sizeof(*owner));
	bool *told = store_room(model->store, nodes + 1, sizeof(*told));

	if (model->store->failed || keep_samples(model, part) != 0)
		return -1;
	for (size_t i = 0; i < nodes; i++) {
		owner[i] = model->owner ? model->owner[part->from[i]] : 0;
		told[i] = model->told && model->told[part->from[i]];
	}
	for (unsigned m = 0; m < model->metric_count; m++)
		if (model->part[m] && !(model->part[m] = keep_parts(model, part, m)))
			return -1;
	model->owner = model->owner ? owner : NULL;
	model->told = model->told ? told : NULL;
	model->counted = NULL;
	leave_threads(model, part);
	return 0;
}

/* ---- all of it ---- */

static int choose(struct choosing *choosing, struct error *error)
{
	struct model *model = choosing->model;
	struct part_of_profile *part = store_room(model->store, 1, sizeof(*part));
	int failed = find_methods(choosing, error);

	if (failed == 0 && choosing->names->count > 0)
		failed = find_components(choosing, error);
	if (failed == 0)
		failed = find_places(choosing, error);
	if (failed != 0)
		return failed;
	if (!part || make_part(choosing, part) != 0 || keep_figures(model, part) != 0)
		return model_no_memory(error);
	model->profile = model->apart = &part->profile;
	model->from = part->from;
	model->leads = part->leads;
	return 0;
}

int model_choose_places(struct model *model, struct error *error)
{
	struct choosing choosing = {.model = model,
		.paths = &model->choice->paths,
		.names = &model->choice->within};
	int failed = 0;

	if (choosing.paths->count + choosing.names->count > 0)
		failed = choose(&choosing, error);
	if (choosing.layers.count > 0)
		components_fini(&choosing.layers);
	return failed;
}

/* ---- in words ---- */

/* Puts the words and the patterns behind a line. */
static struct label add_patterns(struct store *store, struct label line, const char *words,
	const struct pattern_list *list)
{
	for (size_t i = 0; i < list->count && line.text; i++)
		line = store_format(
			store, "%s%s%s", line.text, i > 0 ? ", " : words, list->pattern[i]);
	return line;
}

/* What was counted has no place. */
static struct label add_lacking(
	const struct model *model, struct store *store, struct label line)
{
	unsigned long long calls = model->apart->unlabelled_calls, pathless = model->pathless;

	if (calls > 0 && line.text)
		line = store_format(store,
			"%s; without %llu calls that were counted without a path", line.text,
			calls);
	/* Timed calls further down do not know that they are below those. */
	if (pathless > 0 && line.text)
		line = store_format(store,
			"%s, %llu of them of the methods that were named: what timed calls did "
			"below "
			"these is left out (timed=PATTERN has it)",
			line.text, pathless);
	return line;
}

struct label model_chosen_line(const struct model *model, struct store *store)
{
	const struct model_choice *choice = model->choice;
	const struct {
		const char *words;
		const struct pattern_list *list;
	} parts[] = {
		{" under the tags ", &choice->labels.tags},
		{" by calls with the values ", &choice->labels.values},
		{" below calls of ", &choice->paths},
		{" within components like ", &choice->within},
	};
	struct label line = {"only what was done", 0};
	size_t count = 0;

	for (size_t i = 0; i < sizeof(parts) / sizeof(*parts); i++) {
		if (count > 0 && parts[i].list->count > 0 && line.text)
			line = store_format(store, "%s,", line.text);
		count += parts[i].list->count;
		line = add_patterns(store, line, parts[i].words, parts[i].list);
	}
	if (count == 0)
		return (struct label){"", 0};
	line = add_lacking(model, store, line);
	return line.text ? line : (struct label){"", 0};
}
