/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/* tally: sums by method. */
#include "report/model/model.h"

void call_count_add(struct call_count *count, const struct model *model, size_t node)
{
	const struct profile_node *from = &model->profile->node[node];

	count->nodes++;
	count->calls += from->calls;
	count->interpreted += from->interpreted;
	count->jitted += from->jitted;
	count->native += from->native;
	count->at_least |= model_is_at_least(model, node);
}

int tally_init(struct tally *tally, const struct model *model, const union model_value *cum)
{
	const struct profile *profile = model->profile;
	size_t methods = profile->method_count;

	tally->method = store_room(model->store, methods + 1, sizeof(*tally->method));
	tally->base = model_values(model, methods);
	tally->cum = model_values(model, methods);
	tally->seen = store_room(model->store, methods + 1, sizeof(*tally->seen));
	tally->seen_count = 0;
	if (model->store->failed)
		return -1;
	for (size_t i = 0; i < model->node_count; i++) {
		size_t at = model->node[i];
		const struct profile_node *node = &profile->node[at];
		union model_value base[MODEL_VALUES_MAX];

		call_count_add(&tally->method[node->method], model, at);
		model_base(model, at, base);
		model_add(model, model_at(model, tally->base, node->method), base);
		if (node->recursion == 0)
			model_add(model, model_at(model, tally->cum, node->method),
				model_at(model, cum, at));
	}
	for (uint32_t id = METHOD_ROOT + 1; id < methods; id++) {
		if (tally->method[id].nodes > 0)
			tally->seen[tally->seen_count++] = id;
	}
	return 0;
}
