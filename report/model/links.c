/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/* links: children of nodes, and walking along them. */
#include "report/model/links.h"

static void link_node(
	struct link *link, const struct profile *profile, size_t first, uint32_t at)
{
	uint32_t parent = (uint32_t)first + profile->node[at].parent;

	if (at == first)
		return;
	link[at].next_sibling = link[parent].first_child;
	link[parent].first_child = at;
}

/* Each child is put in front of those before it: from the last to the first. */
static void link_ranked(
	struct link *link, const struct model *model, const struct rank *rank, size_t count)
{
	size_t thread = 0;

	for (size_t i = count; i-- > 0;) {
		uint32_t at = rank[i].item;

		thread = model_thread_of(model, at, thread);
		link_node(link, model->profile, model->profile->thread_first[thread], at);
	}
}

static void link_in_order(struct link *link, const struct model *model)
{
	const struct profile *profile = model->profile;

	for (size_t t = 0; t < profile->thread_count; t++) {
		size_t first = profile->thread_first[t];

		for (size_t i = profile->thread_first[t + 1];
			model->selected[t] && i-- > first;) {
			if (!model->hidden[i])
				link_node(link, profile, first, (uint32_t)i);
		}
	}
}

struct link *links_make(const struct model *model, const struct rank *rank, size_t count)
{
	struct link *link =
		store_room(model->store, model->profile->node_count + 1, sizeof(*link));

	if (link && rank)
		link_ranked(link, model, rank, count);
	else if (link)
		link_in_order(link, model);
	return link;
}

bool walk_start(
	struct walk *walk, const struct model *model, const struct link *link, size_t thread)
{
	size_t first = model->profile->thread_first[thread];

	*walk = (struct walk){.profile = model->profile,
		.link = link,
		.root = (uint32_t)first,
		.at = (uint32_t)first};
	return model->profile->thread_first[thread + 1] > first;
}

bool walk_next(struct walk *walk)
{
	uint32_t down = walk->link[walk->at].first_child;

	if (down == 0)
		return walk_past(walk);
	walk->at = down;
	walk->level++;
	return true;
}

bool walk_past(struct walk *walk)
{
	while (walk->at != walk->root) {
		uint32_t across = walk->link[walk->at].next_sibling;

		if (across != 0) {
			walk->at = across;
			return true;
		}
		walk->at = walk->root + walk->profile->node[walk->at].parent;
		walk->level--;
	}
	return false;
}
