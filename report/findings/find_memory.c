/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/* find_memory: garbage and its collection. */
#include "report/findings/search.h"

#include <math.h>
#include <string.h>

/* That a number can be which is shown: a file may hold any. */
#define LARGEST 1e18
/* Where one place allocates so much of all, it is named. */
#define MOST_PART 0.25

struct allocator {
	uint32_t method, node;
	uint64_t bytes, whole;
	bool below; /* what it calls is in it */
};

/* Bytes that the program allocated; 0: not known. */
static uint64_t allocated(const struct search *search)
{
	return search->alloc == NOWHERE ? 0 : search->whole[search->alloc];
}

/* The program's method that allocated most, by samples of allocations or as it was measured. Without it method is
 * METHOD_ROOT. */
static struct allocator heaviest_allocator(const struct search *search)
{
	const struct model *model = search->model;
	const struct profile *profile = model->profile;
	struct allocator most = {.method = METHOD_ROOT};
	int samples = search_condition(model, "alloc", "bytes"),
	    figure = samples != NOWHERE ? (int)model->metric_count + samples : search->alloc;
	uint64_t *bytes = store_room(model->store, profile->method_count + 1, sizeof(uint64_t)),
		 largest = 0;

	if (figure == NOWHERE || !bytes || (samples == NOWHERE && model->lacks_calls))
		return most;
	for (size_t n = 0; n < model->node_count; n++) {
		union model_value base[MODEL_VALUES_MAX];

		model_base(model, model->node[n], base);
		if (base[figure].count > 0)
			bytes[search_program_method(search, model->node[n])] +=
				base[figure].count;
	}
	for (uint32_t id = METHOD_FIRST; id < profile->method_count; id++)
		if (bytes[id] > most.bytes) {
			most.bytes = bytes[id];
			most.method = id;
		}
	for (size_t n = 0; n < model->node_count && most.bytes > 0; n++) {
		union model_value base[MODEL_VALUES_MAX];

		model_base(model, model->node[n], base);
		if (base[figure].count > largest &&
			search_program_method(search, model->node[n]) == most.method) {
			largest = base[figure].count;
			most.node = model->node[n];
		}
	}
	most.whole = search->whole[figure];
	if (samples != NOWHERE) {
		most.bytes *= model->condition[samples]->period;
		most.whole *= model->condition[samples]->period;
	}
	most.below = samples == NOWHERE && model->is_divided;
	return most;
}

/* " Most is allocated in X: 1.2 GB, 45% of all bytes." */
static const char *allocator_text(
	const struct search *search, const struct allocator *most, const char *otherwise)
{
	if (most->method == METHOD_ROOT || share_of(most->bytes, most->whole) < MOST_PART)
		return otherwise;
	return search_text(search, " Most is allocated in %s%s: %s, %s of all bytes.",
		search_method(search, most->method), most->below ? " and what it calls" : "",
		search_bytes(search, most->bytes),
		search_share(search, share_of(most->bytes, most->whole)));
}

void find_collection(struct search *search, const struct finding_rule *rule)
{
	struct allocator most;
	struct finding *finding;
	uint64_t ns;
	double share;

	if (!search_jvm_used(search, SAMPLE_GC, &ns, &share) || !is_enough(rule, ns, share))
		return;
	most = heaviest_allocator(search);
	finding = search_add(search, rule, ns, share);
	finding->title = search_text(search, "Collecting garbage takes %s of processor time",
		search_share(search, finding->share));
	finding->evidence = search_text(search, "%s of the collector's threads%s%s.%s",
		search_time(search, ns),
		allocated(search) > 0 ? "; the program allocated " : "",
		allocated(search) > 0 ? search_bytes(search, allocated(search)) : "",
		allocator_text(search, &most,
			" Where most is allocated the profile does not tell: 'jprof run "
			"--sample cpu:1ms+alloc:512k' does."));
	if (most.method != METHOD_ROOT && share_of(most.bytes, most.whole) >= MOST_PART) {
		finding->method = most.method;
		finding->node = most.node;
	}
	finding->command = finding->method != METHOD_ROOT
				   ? search_command_method(search, "tree", finding->method)
				   : search_command(search, "methods");
}

void find_allocation(struct search *search, const struct finding_rule *rule)
{
	uint64_t bytes = allocated(search);
	double rate = search->cpu_ns > 0
			      ? (double)bytes / ((double)search->cpu_ns / (double)SECONDS)
			      : 0;
	struct allocator most;
	struct finding *finding;
	double share;

	if (bytes < rule->least || rate < (double)rule->count)
		return;
	most = heaviest_allocator(search);
	share = share_of(most.bytes, most.whole);
	if (most.method == METHOD_ROOT || share < rule->share)
		return;
	finding = search_add(search, rule, most.bytes, share);
	/* A part of the bytes is no part of the time. */
	finding->severity = FINDING_LOW;
	finding->method = most.method;
	finding->node = most.node;
	finding->title = search_text(search, "Most garbage is made in one place: %s",
		search_method(search, most.method));
	finding->evidence = search_text(search,
		"The program allocates %s in a second of processor time, %s in all.%s",
		search_bytes(search, (uint64_t)fmin(rate, LARGEST)),
		search_bytes(search, bytes), allocator_text(search, &most, ""));
	finding->command = search_command_method(search, "tree", most.method);
}
