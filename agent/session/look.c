/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/* look: see look.h. */
#include "agent/session/look.h"

#include <stdlib.h>
#include <string.h>

#include "metric/clock.h"

/* Counts may become smaller where nodes were folded between two looks. */
static uint64_t more(uint64_t now, uint64_t before)
{
	return now > before ? now - before : 0;
}

/* Puts the method among those at the top, if it is one of them. */
static void offer(
	const struct looker *looker, struct look *look, const struct look_method *method)
{
	unsigned at = look->tops;

	for (; at > 0; at--) {
		const struct look_method *other = &look->top[at - 1];
		bool by_use = looker->by >= 0 && method->used != other->used;

		if (by_use ? method->used < other->used : method->calls <= other->calls)
			break;
	}
	if (at == LOOK_TOP)
		return;
	if (look->tops < LOOK_TOP)
		look->tops++;
	memmove(&look->top[at + 1], &look->top[at],
		(look->tops - 1 - at) * sizeof(look->top[0]));
	look->top[at] = *method;
}

int look_take(struct looker *looker, struct trace *trace, unsigned metrics, uint32_t methods,
	uint64_t now, uint64_t cpu, struct look *look, struct trace_counts *counts)
{
	struct method_count *method = calloc(methods, sizeof(*method));
	struct method_counts sums = {.method = method, .methods = methods, .by = looker->by};
	uint64_t began = clock_now();

	if (!method || count_trace_methods(trace, &sums, counts) < 0) {
		free(method);
		return -1;
	}
	*look = (struct look){.span = now - looker->at,
		.calls = more(counts->calls, looker->counts.calls),
		.io_ops = more(counts->io_ops, looker->counts.io_ops),
		.io_bytes = more(counts->io_bytes, looker->counts.io_bytes),
		.cpu = more(cpu, looker->cpu)};
	for (unsigned i = 0; i < metrics; i++)
		look->used[i] = more(counts->used[i], looker->counts.used[i]);
	for (uint32_t id = METHOD_FIRST; id < methods; id++) {
		struct method_count before = {0, 0};
		struct look_method since = {.id = id};

		if (id < looker->methods)
			before = looker->method[id];
		since.calls = more(method[id].calls, before.calls);
		since.used = more(method[id].used, before.used);
		if (since.calls > 0 || since.used > 0)
			offer(looker, look, &since);
	}
	free(looker->method);
	looker->method = method;
	looker->methods = methods;
	looker->counts = *counts;
	looker->at = now;
	looker->cpu = cpu;
	look->took = clock_now() - began;
	return 0;
}

void look_fini(struct looker *looker)
{
	free(looker->method);
}
