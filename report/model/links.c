/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/* links: children of nodes, and walking along them. */
#include "report/model/model.h"

struct link *links_make(const struct model *model, const struct rank *rank, size_t count)
{
	const struct profile *profile = model->profile;
	struct link *link = store_room(model->store, profile->node_count + 1, sizeof(*link));

	/* Each child is put in front of those before it: from the last to the first. */
	for (size_t i = rank ? count : model->node_count; link && i-- > 0;) {
		uint32_t at = rank ? rank[i].item : model->node[i];
		uint32_t parent = profile->node[at].parent;

		if (parent == at)
			continue;
		link[at].next_sibling = link[parent].first_child;
		link[parent].first_child = at;
	}
	return link;
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
		walk->at = walk->profile->node[walk->at].parent;
		walk->level--;
	}
	return false;
}
