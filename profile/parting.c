/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/* parting: nodes become a part of others, and those whose paths then are one are put together. */
#include "profile/parting.h"

#include <string.h>

void parting_add(
	const struct profile *profile, struct profile_node *to, const struct profile_node *part)
{
	uint64_t *base = (uint64_t *)(uintptr_t)to->base;

	to->sampled &= part->sampled;
	for (int k = 0; k < 4; k++)
		to->transition[k / 2][k % 2] += part->transition[k / 2][k % 2];
	/* And spent, behind it. */
	for (unsigned m = 0; m < 2 * profile->metric_count; m++)
		base[m] += part->base[m];
}

int parting_put(struct parting *parting, size_t i, const struct profile_node *node,
	uint32_t parent, uint32_t name)
{
	struct profile *profile = parting->profile;
	uint32_t number = pairs_take(&parting->paths, parent, name);
	struct profile_node *to;

	if (number == 0)
		return -1;
	parting->place[i] = (uint32_t)parting->first + number - 1;
	to = &profile->node[parting->place[i]];
	if (parting->place[i] == parting->kept) {
		*to = *node;
		to->parent = parent;
		parting->kept++;
		return 0;
	}
	to->calls += node->calls;
	to->interpreted += node->interpreted;
	to->jitted += node->jitted;
	to->native += node->native;
	if (!to->earlier)
		to->earlier = node->earlier;
	if (to->sampled && !node->sampled)
		to->recursion = node->recursion;
	parting_add(profile, to, node);
	return 0;
}

int parting_all(struct parting *parting, struct owned_profile *owned, part_node *part)
{
	struct profile *profile = parting->profile = &owned->profile;
	int status = 0;

	parting->apart = profile_is_auto(profile);
	parting->place =
		store_room(&owned->store, profile->node_count + 1, sizeof *parting->place);
	if (!parting->place)
		return -1;
	for (size_t t = 0; t < profile->thread_count; t++) {
		size_t i = profile->thread_first[t], end = profile->thread_first[t + 1];

		/* Those behind are where they were. */
		profile->thread_first[t] = parting->first = parting->kept;
		for (; i < end && status == 0; i++)
			status = part(parting, i);
		pairs_fini(&parting->names);
		pairs_fini(&parting->paths);
	}
	profile->thread_first[profile->thread_count] = parting->kept;
	profile->node_count = parting->kept;
	return status;
}
