/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/* find_compiled: code that is not compiled, and compiling that takes too much. */
#include "report/findings/search.h"

#include <string.h>

/* Of a method's samples in its own code, or of its calls: so many are interpreted. */
#define MOSTLY 0.9

static bool is_interpreter_alone(const struct profile *profile)
{
	const char *info = profile_meta_get(profile, "jvm.info");

	return info && strncmp(info, "interpreted mode", strlen("interpreted mode")) == 0;
}

/* With -Xint every method is interpreted. */
static void find_no_compiler(struct search *search, const struct finding_rule *rule)
{
	struct finding *finding;

	if (search->cpu_ns < rule->least)
		return;
	finding = search_add(search, rule, search->cpu_ns, 1);
	finding->title = "The JVM runs without its compilers";
	finding->evidence = search_text(search,
		"The JVM says of itself that it is in interpreted mode (-Xint): all %s of "
		"processor time of the program is interpreted code and what that calls.",
		search_time(search, search->cpu_ns));
	finding->advice = "Take -Xint out of the JVM's options.";
	finding->command = search_command(search, "summary");
}

static void add_interpreted(struct search *search, const struct finding_rule *rule,
	uint32_t method, uint64_t ns, double share, const char *evidence)
{
	struct finding *finding = search_add(search, rule, ns, share);

	finding->method = method;
	finding->title =
		search_text(search, "Hot, and not compiled: %s", search_method(search, method));
	finding->evidence = evidence;
	finding->command = search_command_method(
		search, search->cpu_samples != NOWHERE ? "states" : "callers", method);
}

/* By samples: those in Java code, of each method. */
static void find_by_samples(struct search *search, const struct finding_rule *rule)
{
	const struct model *model = search->model;
	const struct profile *profile = model->profile;
	unsigned cpu = (unsigned)search->cpu_samples;
	uint64_t *interpreted =
			 store_room(model->store, profile->method_count + 1, sizeof(uint64_t)),
		 *compiled =
			 store_room(model->store, profile->method_count + 1, sizeof(uint64_t)),
		 whole = search->whole[model->metric_count + cpu];

	for (size_t i = 0; interpreted && compiled && i < profile->account_count; i++) {
		const struct profile_account *account = &profile->account[i];
		uint32_t method;
		unsigned condition;

		if (!model_is_sample(model, account, &condition) || condition != cpu)
			continue;
		method = profile->node[account->node].method;
		switch (sample_place_state(account->subject)) {
		case SAMPLE_INTERPRETED:
			interpreted[method] += account->amount;
			break;
		case SAMPLE_C1:
		case SAMPLE_C2:
		case SAMPLE_C1_INLINED:
		case SAMPLE_C2_INLINED:
			compiled[method] += account->amount;
			break;
		default:
			break;
		}
	}
	for (uint32_t id = METHOD_FIRST; interpreted && compiled && id < profile->method_count;
		id++) {
		uint64_t ns = interpreted[id] * model->condition[cpu]->period;
		double share = share_of(interpreted[id], whole);

		if (search_is_jdk(search, id) || !is_enough(rule, ns, share) ||
			(double)interpreted[id] <
				MOSTLY * (double)(interpreted[id] + compiled[id]))
			continue;
		add_interpreted(search, rule, id, ns, share,
			search_text(search,
				"%s of its own code, %s of processor time, ran in the "
				"interpreter; %s in compiled code.",
				search_time(search, ns), search_share(search, share),
				search_time(
					search, compiled[id] * model->condition[cpu]->period)));
	}
}

/* By calls. */
static void find_by_calls(struct search *search, const struct finding_rule *rule)
{
	const struct model *model = search->model;

	for (uint32_t id = METHOD_FIRST; id < model->profile->method_count; id++) {
		const struct call_count *count = &search->tally->method[id];
		const union model_value *base = model_at(model, search->tally->base, id);
		uint64_t ns = base[search->cpu].count;
		double share = share_of(ns, search->whole[search->cpu]);

		if (count->calls < rule->count || !is_enough(rule, ns, share) ||
			(double)count->interpreted < MOSTLY * (double)count->calls)
			continue;
		add_interpreted(search, rule, id, ns, share,
			search_text(search,
				"%s of its %s calls found it interpreted; itself it took %s, "
				"%s of processor time.",
				search_share(
					search, share_of(count->interpreted, count->calls)),
				search_count(search, count->calls), search_time(search, ns),
				search_share(search, share)));
	}
}

void find_interpreted(struct search *search, const struct finding_rule *rule)
{
	const char *calls = profile_meta_get(search->model->profile, "calls");

	if (is_interpreter_alone(search->model->profile))
		find_no_compiler(search, rule);
	else if (calls && strcmp(calls, "events") == 0)
		/* For the sake of its events the JVM interprets all that they are of. */
		return;
	else if (search->cpu_samples != NOWHERE)
		find_by_samples(search, rule);
	else if (search->cpu != NOWHERE && search->time == search->cpu && calls &&
		 strcmp(calls, "instrument") == 0)
		find_by_calls(search, rule);
}

void find_compiling(struct search *search, const struct finding_rule *rule)
{
	const struct model *model = search->model;
	struct finding *finding;
	uint64_t ns;
	double share;
	int samples;

	if (!search_jvm_used(search, SAMPLE_JIT, &ns, &share) || !is_enough(rule, ns, share))
		return;
	samples = (int)model->metric_count + search->cpu_samples;
	finding = search_add(search, rule, ns, share);
	/* Where there are processors enough it is beside the program. */
	finding->severity = FINDING_LOW;
	finding->title = search_text(search, "The JVM's compilers took %s of processor time",
		search_share(search, finding->share));
	finding->evidence = search_text(search,
		"%s by samples, beside %s that the program used, in a recording of %s. While "
		"so much is compiled it is warm-up: other code is hot in a longer run.",
		search_time(search, ns),
		search_time(search, search_ns(search, samples, search->whole[samples])),
		search_time(search, search->duration));
	finding->command = search_command(search, "states");
}
