/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/* object_use: see object_use.h. */
#include "report/model/object_use.h"

static bool is_of_objects(const struct profile_account *account)
{
	return account->kind == OBJECTS_ALLOCATED || account->kind == OBJECTS_FREED;
}

void object_use_add(struct object_use *use, const struct profile_account *account)
{
	const struct object_figures more = {.objects = account->count,
		.bytes = account->amount,
		.told = account->failures,
		.births = account->ns};

	object_figures_add(
		account->kind == OBJECTS_ALLOCATED ? &use->allocated : &use->freed, &more);
}

bool *objects_wanted(const struct model *model)
{
	const struct profile *profile = model->profile;
	bool *below = model_below_wanted(model);
	bool *wanted = store_room(model->store, profile->account_count + 1, sizeof(*wanted));

	if (model->store->failed)
		return NULL;
	for (size_t i = 0; i < profile->account_count; i++) {
		const struct profile_account *account = &profile->account[i];

		wanted[i] = is_of_objects(account) &&
			    model->selected[profile->node[account->node].thread] &&
			    (below[account->node] ||
				    model_wants_method(model, (uint32_t)account->subject));
	}
	return wanted;
}

struct object_facts object_facts(const struct model *model)
{
	const struct profile *profile = model->profile;

	return (struct object_facts){.period = profile_meta_number(profile, "objects.period"),
		.collections = profile_meta_number(profile, "objects.collections"),
		.untracked = profile_meta_number(profile, "objects.untracked"),
		.cut = profile_meta_number(profile, "objects.cut"),
		.lost = profile_meta_number(profile, "objects.lost"),
		.lost_bytes = profile_meta_number(profile, "objects.lost_bytes"),
		.is_growth = profile->interval.from != NULL,
		.has_ages = !profile->interval.from && !profile->interval.to};
}
