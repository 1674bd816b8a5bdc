/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/* call_sites: nodes of lines that methods call others from, which become a part of their methods. */
#include "profile/reader.h"

/* Sites stand behind their method's node, and before what is called from them. */
struct parting {
	struct profile *profile;
	uint32_t *place; /* by a node as it was: where it is, or what it is a part of */
	uint32_t *line;  /* by a node as it was: of a site; 0: it is none */
	size_t kept;
};

static bool has_sites(const struct profile *profile)
{
	bool any = false;

	for (size_t i = 0; i < profile->node_count && !any; i++)
		any = profile->node[i].line > 0;
	return any;
}

static void add_site(
	const struct profile *profile, struct profile_node *to, const struct profile_node *site)
{
	uint64_t *base = (uint64_t *)(uintptr_t)to->base;

	to->sampled &= site->sampled;
	for (int k = 0; k < 4; k++)
		to->transition[k / 2][k % 2] += site->transition[k / 2][k % 2];
	/* And spent, behind it. */
	for (unsigned m = 0; m < 2 * profile->metric_count; m++)
		base[m] += site->base[m];
}

static void put_node(struct parting *parting, size_t i)
{
	struct profile *profile = parting->profile;
	struct profile_node node = profile->node[i];
	uint32_t caller = node.parent, parent = parting->place[caller];
	bool root = caller == i;

	/* One whose method was folded, and that is elsewhere by now, is the method's. */
	if (!root && node.line > 0 && profile->node[parent].method == node.method) {
		parting->line[i] = node.line;
		parting->place[i] = parent;
		add_site(profile, &profile->node[parent], &node);
		return;
	}
	parting->place[i] = (uint32_t)parting->kept;
	node.parent = root ? (uint32_t)parting->kept : parent;
	node.line = root ? 0 : parting->line[caller];
	profile->node[parting->kept++] = node;
}

int call_sites_part(struct owned_profile *owned)
{
	struct profile *profile = &owned->profile;
	struct store *store = &owned->store;
	struct parting parting = {.profile = profile};

	if (!has_sites(profile))
		return 0;
	parting.place = store_room(store, profile->node_count, sizeof *parting.place);
	parting.line = store_room(store, profile->node_count, sizeof *parting.line);
	if (store->failed)
		return -1;
	for (size_t t = 0; t < profile->thread_count; t++) {
		size_t i = profile->thread_first[t], end = profile->thread_first[t + 1];

		/* Those behind are where they were. */
		profile->thread_first[t] = parting.kept;
		for (; i < end; i++)
			put_node(&parting, i);
	}
	profile->thread_first[profile->thread_count] = parting.kept;
	profile->node_count = parting.kept;
	for (size_t i = 0; i < profile->account_count; i++)
		profile->account[i].node = parting.place[profile->account[i].node];
	return 0;
}
