/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/*
 * merged_nodes: nodes that become one: those of the same path, where all selected threads are one tree; and frames of the same
 * component that follow each other on a path (components/components.h).
 */
#include "components/components.h"
#include "profile/pairs.h"
#include "report/model/model.h"

/* Of a call site, joined with its number: no method has such an id. */
#define SITE_METHOD 0x80000000u
/* In place of a root's parent: no node has that place. */
#define ROOT_PARENT UINT32_MAX

struct merged {
	struct profile profile;
	struct profile_thread thread; /* all of them, where they are one */
	struct merged_node *node;     /* by node */
	uint32_t *place;              /* by node of the model's own profile */
	bool *told; /* by node, of components: events of traces alone have found it */
	struct pairs paths, sites;
	/* By method of the model's own profile; NULL: methods stay what they are. */
	const struct method_component *component;
};

/* begins: it is at the top of what has become one, and its cum is that of all of it. */
static void add_part(struct part *sum, const struct part *part, bool begins)
{
	if (begins)
		sum->cum_square += part->cum_square;
	sum->unseen += part->unseen;
	sum->unseen_square += part->unseen_square;
	sum->counting += part->counting;
	sum->counting_square += part->counting_square;
}

/* What a node as it was read has, to the sums of the merged node at. */
static void add_figures(
	const struct model *model, struct merged *merged, uint32_t at, size_t node, bool begins)
{
	struct merged_sum *sum = merged->node[at].sum;
	uint64_t *base = (uint64_t *)merged->profile.node[at].base;
	union model_value values[MODEL_VALUES_MAX];

	for (unsigned m = 0; m < model->profile->metric_count; m++)
		base[m] += model->profile->node[node].base[m];
	for (unsigned m = 0; m < model->metric_count; m++)
		if (model->part[m])
			add_part(&sum->part[m], &model->part[m][node], begins);
	model_base(model, node, values);
	model_add(model, sum->values, values);
}

/* Gives the merged node figures of its own, which are none: until then it had those of its first one. */
static int make_sum(const struct model *model, struct merged *merged, uint32_t at)
{
	struct store *store = model->store;
	struct merged_sum *sum =
		store_room(store, 1, sizeof(*sum) + model->values * sizeof(*sum->values));

	if (!sum)
		return -1;
	if (model->is_divided)
		sum->part = store_room(store, model->metric_count, sizeof(*sum->part));
	merged->node[at].sum = sum;
	merged->profile.node[at].base =
		store_room(store, model->profile->metric_count, sizeof(uint64_t));
	return store->failed ? -1 : 0;
}

/* Makes the merged node one of this and of those that became it before. */
static int join_node(
	const struct model *model, struct merged *merged, uint32_t at, size_t node, bool begins)
{
	const struct profile_node *from = &model->profile->node[node];
	struct profile_node *to = &merged->profile.node[at];

	if (!merged->node[at].sum) {
		if (make_sum(model, merged, at) != 0)
			return -1;
		add_figures(model, merged, at, merged->node[at].first, true);
	}
	add_figures(model, merged, at, node, begins);
	to->sampled &= from->sampled;
	if (!begins)
		return 0;
	to->calls += from->calls;
	to->interpreted += from->interpreted;
	to->jitted += from->jitted;
	to->native += from->native;
	return 0;
}

/* The method that a node becomes one of, below the merged node of that place. */
static uint32_t method_of(const struct model *model, const struct merged *merged,
	const struct profile_node *node, uint32_t parent)
{
	uint32_t caller = merged->profile.node[parent].method;
	int within = caller < METHOD_FIRST ? -1 : (int)(caller - METHOD_FIRST);

	if (!merged->component || node->method < METHOD_FIRST)
		return node->method;
	/* It only says what is missing. */
	if (model->profile->method[node->method].kind == METHOD_MARK)
		return caller;
	return METHOD_FIRST + (uint32_t)components_step(model->choice->components, within,
				      merged->component[node->method]);
}

/* The number of a node's path, from 0 on, which is its place. UINT32_MAX without memory. */
static uint32_t path_of(struct merged *merged, uint32_t parent, uint32_t method, uint32_t line)
{
	uint32_t site = line > 0 ? pairs_take(&merged->sites, method, line) : 0;

	if (line > 0 && site == 0)
		return UINT32_MAX;
	return pairs_take(&merged->paths, parent, site ? SITE_METHOD | site : method) - 1;
}

/* Of the same method, above a node of that place. */
static uint32_t recursion_of(const struct profile_node *nodes, uint32_t parent, uint32_t method)
{
	for (uint32_t at = parent;; at = nodes[at].parent) {
		if (nodes[at].method == method)
			return nodes[at].recursion + 1;
		if (nodes[at].parent == at)
			return 0;
	}
}

/* The first that has become the one of that place, which is the next. */
static void begin_node(const struct model *model, struct merged *merged, uint32_t at,
	size_t node, uint32_t parent, uint32_t method)
{
	const struct profile_node *from = &model->profile->node[node];
	size_t thread = merged->profile.thread_count > 1 ? from->thread : 0;
	size_t *first = merged->profile.thread_first;
	bool is_step = merged->component && from->id != 0;

	merged->profile.node_count++;
	merged->node[at].first = (uint32_t)node;
	merged->profile.node[at] = (struct profile_node){.thread = (uint32_t)thread,
		.id = at - (from->id != 0 ? (uint32_t)first[thread] : at),
		.parent = parent,
		.method = method,
		.recursion = is_step ? recursion_of(merged->profile.node, parent, method)
				     : from->recursion,
		.line = merged->component ? 0 : from->line,
		.sampled = from->sampled,
		.calls = from->calls,
		.interpreted = from->interpreted,
		.jitted = from->jitted,
		.native = from->native,
		.base = from->base};
}

/* Parents stand before their children: place[] of the parent is known. -1 without memory. */
static int add_thread(const struct model *model, struct merged *merged, size_t thread)
{
	const struct profile *profile = model->profile;
	size_t first = profile->thread_first[thread];
	bool one = merged->profile.thread_count == 1;

	for (size_t i = first; i < profile->thread_first[thread + 1]; i++) {
		const struct profile_node *node = &profile->node[i];
		uint32_t parent = merged->place[node->parent], at, method = METHOD_ROOT;
		bool begins = true;

		/* It has nothing that comes along, nor has what is below it. */
		if (model->told && model->told[i] && !merged->component) {
			merged->place[i] = parent;
			continue;
		}
		if (i == first) {
			at = path_of(merged, ROOT_PARENT, one ? 0 : (uint32_t)thread, 0);
			parent = at;
		} else {
			method = method_of(model, merged, node, parent);
			begins = !merged->component ||
				 method != merged->profile.node[parent].method;
			at = begins ? path_of(merged, parent, method,
					      merged->component ? 0 : node->line)
				    : parent;
		}
		if (at == UINT32_MAX)
			return -1;
		merged->place[i] = at;
		if (merged->told)
			merged->told[at] &= model->told && model->told[i];
		if (at == merged->profile.node_count)
			begin_node(model, merged, at, i, parent, method);
		else if (join_node(model, merged, at, i, begins) != 0)
			return -1;
	}
	return 0;
}

/* True for what is kept of merged threads: samples, I/O, and what collections stopped. Of components it is all but calls without
 * paths. */
static bool is_kept(const struct model *model, const struct merged *merged,
	const struct profile_account *account)
{
	unsigned condition;

	if (!model->selected[model->profile->node[account->node].thread])
		return false;
	if (merged->component && account->kind != SAMPLES)
		return account->kind != CALLS;
	return model_is_sample(model, account, &condition) ||
	       account_kind_subject(account->kind) == SUBJECT_FILE || account->kind == PAUSES;
}

/* Accounts of the selected threads, at the nodes that theirs have become. */
static void move_accounts(const struct model *model, struct merged *merged)
{
	const struct profile *profile = model->profile;

	for (size_t i = 0; i < profile->account_count; i++) {
		struct profile_account *to =
			&merged->profile.account[merged->profile.account_count];
		enum subject subject = account_kind_subject(profile->account[i].kind);

		if (!is_kept(model, merged, &profile->account[i]))
			continue;
		*to = profile->account[i];
		to->node = merged->place[to->node];
		merged->profile.account_count++;
		/* Lines and classes were of methods. */
		if (merged->component && subject == SUBJECT_PLACE)
			to->subject = sample_place(sample_place_condition(to->subject),
				(enum sample_state)sample_place_state(to->subject), 0);
		else if (merged->component && subject != SUBJECT_FILE)
			to->subject = 0;
	}
}

/* Samples that are none of the program, likewise. Those of other threads are not there. */
static void move_counting(struct model *model, const struct merged *merged)
{
	size_t conditions = model->condition_count, count = merged->profile.node_count;
	uint64_t *to = store_room(model->store, count * conditions + 1, sizeof(*to));

	for (size_t i = 0; to && i < model->profile->node_count; i++)
		for (size_t c = 0; c < conditions; c++)
			to[merged->place[i] * conditions + c] +=
				model->counting[i * conditions + c];
	model->counting = to;
}

/* Threads as they are, or one in their place. */
static int make_threads(const struct model *model, struct merged *merged, bool one)
{
	struct profile *to = &merged->profile;

	if (one) {
		to->thread = &merged->thread;
		to->thread_count = 1;
		merged->thread =
			(struct profile_thread){.name = "(all threads)", .alive = true};
	}
	to->thread_first =
		store_room(model->store, to->thread_count + 1, sizeof(*to->thread_first));
	return model->store->failed ? -1 : 0;
}

static void add_counts(struct profile_thread *sum, const struct profile_thread *thread)
{
	for (unsigned i = 0; i < PROFILE_THREAD_COUNTS; i++)
		sum->count[i] += thread->count[i];
	sum->folded += thread->folded;
	for (unsigned m = 0; m < PROFILE_METRIC_MAX; m++)
		sum->total[m] += thread->total[m];
}

/* The root of all threads that are one, whose figures are sums from the start. */
static int add_root(const struct model *model, struct merged *merged)
{
	if (path_of(merged, ROOT_PARENT, 0, 0) != 0)
		return -1;
	merged->profile.node_count = 1;
	return make_sum(model, merged, 0);
}

static int merge_threads(const struct model *model, struct merged *merged, bool one)
{
	const struct profile *profile = model->profile;
	int failed = one ? add_root(model, merged) : 0;

	for (size_t t = 0; failed == 0 && t < profile->thread_count; t++) {
		if (!one)
			merged->profile.thread_first[t] = merged->profile.node_count;
		if ((one && !model->selected[t]) ||
			profile->thread_first[t + 1] == profile->thread_first[t])
			continue;
		failed = add_thread(model, merged, t);
		if (one)
			add_counts(&merged->thread, &profile->thread[t]);
	}
	merged->profile.thread_first[merged->profile.thread_count] = merged->profile.node_count;
	return failed;
}

/* A row for each component, behind the two that are no method's. */
static struct profile_method *component_rows(const struct model *model)
{
	const struct components *components = model->choice->components;
	struct profile_method *rows =
		store_room(model->store, METHOD_FIRST + components->count, sizeof(*rows));

	if (!rows)
		return NULL;
	memcpy(rows, model->profile->method, METHOD_FIRST * sizeof(*rows));
	for (uint32_t i = 0; i < components->count; i++)
		rows[METHOD_FIRST + i] = (struct profile_method){
			.id = METHOD_FIRST + i, .name = components->component[i].name};
	return rows;
}

/* What is by thread, or by node as it was read, where these have become others. */
static void take_merged(struct model *model, struct merged *merged, bool one)
{
	const struct profile *profile = model->profile;

	move_accounts(model, merged);
	if (model->counting)
		move_counting(model, merged);
	for (size_t t = 0; one && model->has_samples && t < profile->thread_count; t++)
		model->has_samples[0] |= model->has_samples[t];
	if (merged->component) {
		merged->profile.method = component_rows(model);
		merged->profile.method_count =
			METHOD_FIRST + (uint32_t)model->choice->components->count;
		model->counted = NULL;
	}
	model->profile = &merged->profile;
	model->merged = merged->node;
	model->place = merged->place;
	model->told_apart = model->told;
	model->told = merged->told;
	if (!one)
		return;
	model->selected[0] = true;
	model->thread[0] = label_of(merged->thread.name);
}

/* component: by method; NULL: methods stay what they are. */
static int merge(struct model *model, const struct method_component *component, bool one)
{
	const struct profile *profile = model->profile;
	struct store *store = model->store;
	struct merged *merged = store_room(store, 1, sizeof(*merged));
	size_t count = profile->node_count + 1;

	if (!merged)
		return -1;
	merged->profile = *profile;
	merged->profile.node_count = 0;
	merged->profile.account_count = 0; /* they are of nodes that are no more */
	merged->profile.account =
		store_room(store, profile->account_count + 1, sizeof(*merged->profile.account));
	merged->profile.node = store_room(store, count, sizeof(*merged->profile.node));
	merged->node = store_room(store, count, sizeof(*merged->node));
	merged->place = store_room(store, count, sizeof(*merged->place));
	merged->component = component;
	if (component)
		merged->told = store_room(store, count, sizeof(*merged->told));
	if (store->failed || make_threads(model, merged, one) != 0)
		return -1;
	if (component)
		memset(merged->told, model->told != NULL, count * sizeof(*merged->told));
	merged->paths.slots = 64;
	while (merged->paths.slots < 2 * profile->node_count && !component)
		merged->paths.slots *= 2;
	store->failed = merge_threads(model, merged, one) != 0;
	pairs_fini(&merged->paths);
	pairs_fini(&merged->sites);
	if (!store->failed)
		take_merged(model, merged, one);
	return store->failed ? -1 : 0;
}

int model_merge_threads(struct model *model)
{
	return merge(model, NULL, true);
}

/* ---- components ---- */

/* By method. */
static struct method_component *find_components(const struct model *model)
{
	const struct profile *profile = model->profile;
	struct method_component *component =
		store_room(model->store, profile->method_count + 1, sizeof(*component));

	for (uint32_t m = METHOD_FIRST; component && m < profile->method_count; m++) {
		const struct profile_method *method = &profile->method[m];

		component[m] = components_find(model->choice->components, method->kind,
			method->class_name, method->name);
	}
	return component;
}

int model_fold_components(struct model *model)
{
	const struct method_component *component = find_components(model);

	if (!component)
		return -1;
	model->component = component;
	return merge(model, component, model->choice->merge_threads);
}
