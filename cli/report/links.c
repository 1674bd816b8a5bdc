/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/* links: children of nodes, and walking along them. */
#include "cli/report/links.h"

#include <stdlib.h>

static void link_node(
	struct links *links, const struct profile *profile, size_t first, uint32_t at)
{
	uint32_t parent = (uint32_t)first + profile->node[at].parent;

	if (at == first)
		return;
	links->link[at].next_sibling = links->link[parent].first_child;
	links->link[parent].first_child = at;
}

/* Each child is put in front of those before it: from the last to the first. */
static void link_ranked(struct links *links, const struct report *report,
	const struct rank *rank, size_t count)
{
	const struct profile *profile = report->profile;
	size_t thread = 0;

	for (size_t i = count; i-- > 0;) {
		uint32_t at = rank[i].item;

		thread = report_thread_of(profile, at, thread);
		link_node(links, profile, profile->thread_first[thread], at);
	}
}

static void link_in_order(struct links *links, const struct report *report)
{
	const struct profile *profile = report->profile;

	for (size_t t = 0; t < profile->thread_count; t++) {
		size_t first = profile->thread_first[t];

		for (size_t i = profile->thread_first[t + 1];
			report->selected[t] && i-- > first;) {
			if (!report->hidden[i])
				link_node(links, profile, first, (uint32_t)i);
		}
	}
}

int links_init(struct links *links, const struct report *report, const struct rank *rank,
	size_t count)
{
	links->link = calloc(report->profile->node_count + 1, sizeof(*links->link));
	if (links->link == NULL)
		return -1;
	if (rank != NULL)
		link_ranked(links, report, rank, count);
	else
		link_in_order(links, report);
	return 0;
}

void links_fini(struct links *links)
{
	free(links->link);
	links->link = NULL;
}

bool walk_start(struct walk *walk, const struct profile *profile,
	const struct links *links, size_t thread)
{
	size_t first = profile->thread_first[thread];

	*walk = (struct walk){.profile = profile,
		.links = links,
		.root = (uint32_t)first,
		.at = (uint32_t)first};
	return profile->thread_first[thread + 1] > first;
}

bool walk_next(struct walk *walk)
{
	uint32_t down = walk->links->link[walk->at].first_child;

	if (down == 0)
		return walk_past(walk);
	walk->at = down;
	walk->level++;
	return true;
}

bool walk_past(struct walk *walk)
{
	while (walk->at != walk->root) {
		uint32_t across = walk->links->link[walk->at].next_sibling;

		if (across != 0) {
			walk->at = across;
			return true;
		}
		walk->at = walk->root + walk->profile->node[walk->at].parent;
		walk->level--;
	}
	return false;
}
