/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/* stacks: the walk along the tree, and samples by path. */
#include "report/exports/stacks.h"

#include <stdlib.h>

/* ---- samples by path ---- */

/* State and line. */
static uint64_t place_of(const struct profile_account *account)
{
	return account->subject / SAMPLE_CONDITIONS_MAX;
}

static int by_place(const void *left, const void *right, void *accounts)
{
	const struct profile_account *account = accounts;
	uint64_t a = place_of(&account[*(const uint32_t *)left]),
		 b = place_of(&account[*(const uint32_t *)right]);

	return (a > b) - (a < b);
}

/* Counting sort by node; then each node's by place. */
static void sort_samples(struct stacks *stacks)
{
	const struct model *model = stacks->model;
	const struct profile *profile = model->profile;
	size_t nodes = profile->node_count;
	uint32_t *first = store_room(model->store, nodes + 2, sizeof(*first));
	uint32_t *account =
		store_room(model->store, profile->account_count + 1, sizeof(*account));
	unsigned condition;

	if (model->store->failed)
		return;
	for (size_t i = 0; i < profile->account_count; i++)
		if (model_is_sample(model, &profile->account[i], &condition))
			first[profile->account[i].node + 1]++;
	for (size_t i = 0; i < nodes; i++)
		first[i + 1] += first[i];
	/* Filled from the front, first[i] moves to first[i + 1]; then all move back. */
	for (size_t i = 0; i < profile->account_count; i++)
		if (model_is_sample(model, &profile->account[i], &condition))
			account[first[profile->account[i].node]++] = (uint32_t)i;
	memmove(first + 1, first, nodes * sizeof(*first));
	first[0] = 0;
	for (size_t i = 0; i < nodes; i++)
		if (first[i + 1] - first[i] > 1)
			qsort_r(account + first[i], first[i + 1] - first[i], sizeof(*account),
				by_place, profile->account);
	stacks->first = first;
	stacks->account = account;
}

bool stacks_place(
	const struct stacks *stacks, size_t *at, struct stack_place *place, uint64_t *values)
{
	const struct model *model = stacks->model;
	const struct profile_account *accounts = model->profile->account;
	uint32_t node = stacks->at, i;
	unsigned condition = 0;
	uint64_t here;

	if (!stacks->first || stacks_is_deeper(stacks) ||
		(stacks->wanted && !stacks->wanted[node]))
		return false;
	i = stacks->first[node] + (uint32_t)*at;
	if (i >= stacks->first[node + 1])
		return false;
	here = place_of(&accounts[stacks->account[i]]);
	*place = (struct stack_place){.state = (enum sample_state)sample_place_state(
					      accounts[stacks->account[i]].subject),
		.line = (uint32_t)sample_place_line(accounts[stacks->account[i]].subject)};
	for (; i < stacks->first[node + 1] && place_of(&accounts[stacks->account[i]]) == here;
		i++, ++*at) {
		const struct profile_account *account = &accounts[stacks->account[i]];

		model_is_sample(model, account, &condition);
		place->samples[condition] += account->amount;
		values[model->metric_count + condition] -= account->amount;
	}
	return true;
}

uint32_t stacks_line_level(const struct stacks *stacks)
{
	const struct profile *profile = stacks->model->profile;
	uint32_t level = stacks->level;

	for (; level > 0; level--) {
		const struct profile_method *method =
			&profile->method[profile->node[stacks->path[level]].method];

		if (method->kind == METHOD_JAVA && !method->is_native)
			break;
	}
	return level;
}

/* ---- counted calls ---- */

/* Those of one account. False: it is none of a chosen thread's and a wanted method's. */
static bool is_counted(const struct model *model, const struct profile_account *account)
{
	return account->kind == CALLS && account->count > 0 &&
	       model->selected[model->profile->node[account->node].thread] &&
	       model_wants_method(model, (uint32_t)account->subject);
}

/* By thread, as samples by node. */
static void sort_counted(struct stacks *stacks)
{
	const struct model *model = stacks->model;
	const struct profile *profile = model->profile;
	size_t *first = store_room(model->store, profile->thread_count + 2, sizeof(*first));
	size_t count = 0;

	for (size_t i = 0; first && i < profile->account_count; i++)
		if (is_counted(model, &profile->account[i])) {
			first[profile->node[profile->account[i].node].thread + 1]++;
			count++;
		}
	stacks->counted = store_room(model->store, count + 1, sizeof(*stacks->counted));
	if (model->store->failed)
		return;
	for (size_t t = 0; t < profile->thread_count; t++)
		first[t + 1] += first[t];
	for (size_t i = 0; i < profile->account_count; i++) {
		const struct profile_account *account = &profile->account[i];

		if (is_counted(model, account))
			stacks->counted[first[profile->node[account->node].thread]++] =
				(struct counted_calls){
					(uint32_t)account->subject, account->count};
	}
	memmove(first + 1, first, profile->thread_count * sizeof(*first));
	first[0] = 0;
	stacks->counted_first = first;
}

/* Merged threads have no accounts of calls any more, but their sums by method. */
static void list_counted(struct stacks *stacks)
{
	const struct model *model = stacks->model;
	uint32_t methods = model->profile->method_count;
	size_t *first = store_room(model->store, 2, sizeof(*first));

	stacks->counted = store_room(model->store, methods + 1, sizeof(*stacks->counted));
	if (model->store->failed)
		return;
	for (uint32_t m = 0; m < methods; m++)
		if (model->counted[m] > 0 && model_wants_method(model, m))
			stacks->counted[first[1]++] =
				(struct counted_calls){m, model->counted[m]};
	stacks->counted_first = first;
}

const struct counted_calls *stacks_counted(
	const struct stacks *stacks, size_t thread, size_t *at)
{
	size_t i;

	if (!stacks->counted_first)
		return NULL;
	i = stacks->counted_first[thread] + *at;
	++*at;
	return i < stacks->counted_first[thread + 1] ? &stacks->counted[i] : NULL;
}

/* ---- the walk ---- */

int stacks_init(struct stacks *stacks, const struct model *model, bool io)
{
	const struct profile *profile = model->profile;
	struct io_use *base, *cum;

	*stacks = (struct stacks){.model = model, .threads = profile->thread_count};
	stacks->link = links_make(model, NULL, 0);
	stacks->path = store_room(model->store, profile->node_count + 1, sizeof(uint32_t));
	if (model->choice->methods.count > 0)
		stacks->wanted = model_below_wanted(model);
	if (model->condition_count > 0)
		sort_samples(stacks);
	if (model->counted && model->merged)
		list_counted(stacks);
	else if (model->counted)
		sort_counted(stacks);
	if (io && io_use_of_nodes(model, &base, &cum) == 0)
		stacks->io = base;
	return model->store->failed ? -1 : 0;
}

bool stacks_enter(struct stacks *stacks, size_t thread)
{
	const struct profile *profile = stacks->model->profile;
	size_t root = profile->thread_first[thread];

	if (!stacks->model->selected[thread] || root == profile->thread_first[thread + 1])
		return false;
	stacks->thread = thread;
	stacks->walk = walk_from(stacks->model, stacks->link, (uint32_t)root);
	stacks->at = stacks->path[0] = (uint32_t)root;
	stacks->level = 0;
	return true;
}

static void add_io(const struct io_use *use, uint64_t values[EXPORT_IO_FIGURES])
{
	const struct io_amount *all = &use->part[IO_PART_ALL];

	values[EXPORT_IO_NS] += all->ns;
	values[EXPORT_IO_BYTES] += all->bytes;
	values[EXPORT_IO_OPS] += all->ops;
}

/* Adds what a node has of its own, if it is wanted. */
static void add_values(const struct stacks *stacks, uint32_t node, uint64_t *values)
{
	const struct model *model = stacks->model;
	union model_value base[MODEL_VALUES_MAX];

	if (stacks->wanted && !stacks->wanted[node])
		return;
	model_base(model, node, base);
	for (unsigned v = 0; v < model->figures; v++)
		values[v] += base[v].count;
	values[model->figures] += model->profile->node[node].calls;
	if (stacks->io)
		add_io(&stacks->io[node], values + model->figures + 1);
}

void stacks_values(const struct stacks *stacks, uint64_t *values)
{
	struct walk below = walk_from(stacks->model, stacks->link, stacks->at);

	memset(values, 0, FIGURES_MAX * sizeof(*values));
	add_values(stacks, stacks->at, values);
	while (stacks_is_deeper(stacks) && walk_next(&below))
		add_values(stacks, below.at, values);
}

struct label stacks_thread_name(const struct model *model, size_t thread)
{
	return model->thread[thread].length > 0 ? model->thread[thread] : label_of(NAME_NONE);
}
