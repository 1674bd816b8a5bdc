/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/* find_methods: methods that are known to be dear, and methods that are called too often. */
#include "report/findings/search.h"

#include <math.h>
#include <string.h>

/* Fewer samples tell too little: two standard errors of 20 are 45 % of them. */
enum { SAMPLES_LEAST = 20 };

/* The figure that tells of a sum's processor time, if it is certain enough; NOWHERE: none does. */
static int time_figure(const struct search *search, const union model_value *values)
{
	const struct model *model = search->model;
	int figure = search->time, samples = NOWHERE;

	if (search->cpu_samples != NOWHERE)
		samples = (int)model->metric_count + search->cpu_samples;
	if (figure == NOWHERE)
		return NOWHERE;
	/* What samples alone have found has no measured figure. */
	if (figure != samples && !model->is_divided && values[figure].count == 0)
		figure = samples;
	if ((figure == samples || model->is_divided) &&
		(samples == NOWHERE || values[samples].count < SAMPLES_LEAST))
		return NOWHERE;
	return figure;
}

/* ---- methods that are dear ---- */

struct dear {
	const char *class_name;
	const char *method; /* or NULL: constructors */
};

static bool is_dear(const struct profile_method *method, const struct dear *dear, size_t count)
{
	for (size_t i = 0; i < count && method->class_name; i++)
		if (strcmp(method->class_name, dear[i].class_name) == 0 &&
			strcmp(method->name, dear[i].method ? dear[i].method : "<init>") == 0)
			return true;
	return false;
}

/* What some methods used with what they called; recursion counts once. */
struct dear_sum {
	union model_value values[MODEL_VALUES_MAX];
	uint32_t *outermost; /* nodes */
	size_t count;
};

static bool sum_dear(
	struct search *search, struct dear_sum *sum, const struct dear *dear, size_t dear_count)
{
	const struct model *model = search->model;
	const struct profile *profile = model->profile;
	bool *wanted = store_room(model->store, profile->method_count + 1, sizeof(bool)),
	     *inside = search->mark;
	size_t count = 0;

	if (model->store->failed)
		return false;
	for (uint32_t id = METHOD_FIRST; id < profile->method_count; id++) {
		wanted[id] = is_dear(&profile->method[id], dear, dear_count);
		count += wanted[id] ? search->tally->method[id].nodes : 0;
	}
	if (count == 0)
		return false;
	sum->outermost = store_room(model->store, count, sizeof(*sum->outermost));
	memset(inside, 0, profile->node_count * sizeof(*inside));
	for (size_t n = 0; n < model->node_count && sum->outermost; n++) {
		uint32_t i = model->node[n];
		const struct profile_node *node = &profile->node[i];

		inside[i] = inside[node->parent] || wanted[node->method];
		if (!inside[i] || inside[node->parent])
			continue;
		sum->outermost[sum->count++] = i;
		model_add(model, sum->values, model_at(model, search->cum, i));
	}
	return sum->outermost != NULL;
}

/* The program's method below which most of it was, its part of it, and the heaviest path there. */
static uint32_t heaviest_place(const struct search *search, const struct dear_sum *sum,
	int figure, uint64_t *part, uint32_t *node)
{
	const struct model *model = search->model;
	uint64_t *by_method = store_room(
			 model->store, model->profile->method_count + 1, sizeof(uint64_t)),
		 most = 0;
	uint32_t place = METHOD_ROOT;

	if (!by_method)
		return METHOD_ROOT;
	for (size_t i = 0; i < sum->count; i++) {
		uint32_t method = search_program_method(search, sum->outermost[i]);

		by_method[method] +=
			model_at(model, search->cum, sum->outermost[i])[figure].count;
	}
	by_method[METHOD_ROOT] = 0;
	for (uint32_t id = METHOD_FIRST; id < model->profile->method_count; id++)
		if (by_method[id] > by_method[place])
			place = id;
	for (size_t i = 0; i < sum->count && place != METHOD_ROOT; i++) {
		uint64_t value = model_at(model, search->cum, sum->outermost[i])[figure].count;

		if (search_program_method(search, sum->outermost[i]) == place && value > most) {
			most = value;
			*node = sum->outermost[i];
		}
	}
	*part = by_method[place];
	return place;
}

/* A finding, if those methods used enough; else NULL. title: before the place's name. */
static struct finding *find_dear(struct search *search, const struct finding_rule *rule,
	const struct dear *dear, size_t count, const char *title, const char *what)
{
	struct dear_sum sum = {.count = 0};
	uint64_t value, part = 0;
	uint32_t node = 0, place;
	struct finding *finding;
	double share;
	int figure;

	if (!sum_dear(search, &sum, dear, count))
		return NULL;
	figure = time_figure(search, sum.values);
	if (figure == NOWHERE)
		return NULL;
	value = search_ns(search, figure, sum.values[figure].count);
	share = share_of(sum.values[figure].count, search->whole[figure]);
	if (!is_enough(rule, value, share))
		return NULL;
	place = heaviest_place(search, &sum, figure, &part, &node);
	/* All of it is the JDK's, in threads of its own. */
	if (place == METHOD_ROOT)
		return NULL;
	finding = search_add(search, rule, value, share);
	finding->method = place;
	finding->node = node;
	finding->title = search_text(search, "%s: %s", title, search_method(search, place));
	finding->evidence = search_text(search,
		"%s took %s, %s of processor time; %s of that is called from %s.", what,
		search_time(search, value), search_share(search, share),
		search_share(search, share_of(part, sum.values[figure].count)),
		search_method(search, place));
	finding->command = search_command_method(search, "tree", place);
	return finding;
}

#define DEAR(rows, title, what)                                                                \
	find_dear(search, rule, rows, sizeof(rows) / sizeof((rows)[0]), title, what)

void find_exceptions(struct search *search, const struct finding_rule *rule)
{
	static const struct dear rows[] = {{"java.lang.Throwable", "fillInStackTrace"}};

	DEAR(rows, "Exceptions are made all the time", "Filling in stack traces of exceptions");
}

void find_pattern_compile(struct search *search, const struct finding_rule *rule)
{
	static const struct dear rows[] = {{"java.util.regex.Pattern", "compile"}};

	DEAR(rows, "Regular expressions are compiled again and again",
		"Compiling regular expressions");
}

void find_format(struct search *search, const struct finding_rule *rule)
{
	static const struct dear rows[] = {{"java.util.Formatter", "format"}};

	DEAR(rows, "String.format and its like", "java.util.Formatter.format");
}

void find_date_format(struct search *search, const struct finding_rule *rule)
{
	static const struct dear rows[] = {{"java.text.SimpleDateFormat", NULL},
		{"java.text.DecimalFormat", NULL}, {"java.text.NumberFormat", "getInstance"},
		{"java.text.DateFormat", "get"},
		{"java.time.format.DateTimeFormatter", "ofPattern"}};

	DEAR(rows, "Date or number formats are made again and again",
		"Making formats for dates and numbers");
}

void find_intern(struct search *search, const struct finding_rule *rule)
{
	static const struct dear rows[] = {{"java.lang.String", "intern"}};

	DEAR(rows, "Strings are interned", "String.intern");
}

void find_opened_archives(
	struct search *search, const struct finding_rule *rule, const struct io_sum *archive)
{
	static const struct dear rows[] = {{"java.util.zip.ZipFile", NULL}};
	struct finding *finding =
		DEAR(rows, "Archives are opened again and again", "Opening archives");

	if (!finding)
		return;
	finding->whole = "processor time";
	finding->file = archive->file;
	finding->evidence = search_text(search, "%s %s was opened %s times.", finding->evidence,
		search_file(search, archive->file - 1),
		search_count(search, archive->ops[IO_OPEN]));
}

/* ---- exits by exception ---- */

static bool ends_with(const char *text, const char *end)
{
	size_t length = strlen(text), tail = strlen(end);

	return length >= tail && strcmp(text + length - tail, end) == 0;
}

/* The constructor of a class that is an exception by its name, called most often; METHOD_ROOT: none is known. */
static uint32_t exception_made(const struct search *search)
{
	const struct profile *profile = search->model->profile;
	uint32_t most = METHOD_ROOT;

	for (uint32_t id = METHOD_FIRST; id < profile->method_count; id++) {
		const struct profile_method *method = &profile->method[id];

		if (!method->class_name || strcmp(method->name, "<init>") != 0 ||
			!(ends_with(method->class_name, "Exception") ||
				ends_with(method->class_name, "Error")))
			continue;
		if (search->tally->method[id].calls >
			(most == METHOD_ROOT ? 0 : search->tally->method[most].calls))
			most = id;
	}
	return most;
}

void find_exceptional_exits(struct search *search, const struct finding_rule *rule)
{
	const struct profile *profile = search->model->profile;
	uint64_t unwound = 0, exits = 0;
	uint32_t made = exception_made(search);
	const char *of = "";
	struct finding *finding;
	double share;

	for (size_t i = 0; i < search->found->count; i++)
		if (search->found->finding[i].rule->find == find_exceptions)
			return;
	for (size_t t = 0; t < profile->thread_count; t++) {
		if (!search->model->selected[t])
			continue;
		unwound += profile->thread[t].unwound;
		exits += profile->thread[t].events / 2;
	}
	share = share_of(unwound, exits);
	if (!is_enough(rule, unwound, share))
		return;
	finding = search_add(search, rule, unwound, share);
	if (made != METHOD_ROOT) {
		of = search_text(search,
			" The exception that is made most often is %s: %s calls.",
			search_method(search, made),
			search_count(search, search->tally->method[made].calls));
		finding->method = made;
	}
	finding->title = search_text(
		search, "%s of timed calls end by an exception", search_share(search, share));
	finding->evidence = search_text(search,
		"%s calls of %s ended by an exception that passed through them; what that "
		"took is not measured by itself.%s",
		search_count(search, unwound), search_count(search, exits), of);
	finding->command = made != METHOD_ROOT ? search_command_method(search, "callers", made)
					       : search_command(search, "threads");
}

/* ---- called too often ---- */

/* A call that takes longer may be worth it, ns; so many calls each time, so much of the time from one place. */
enum { CALL_NS = 2000, CALLS_A_CALL = 1000 };
#define FROM_ONE_PLACE 0.9

/* ns that the probes themselves took of a timed method's figure, if that is not yet taken out. */
static uint64_t probes_ns(const struct search *search, uint32_t method)
{
	const struct adjustment *adjustment = search->model->choice->adjustment;
	const struct call_count *count = &search->tally->method[method];

	if (search->model->adjusted || !adjustment)
		return 0;
	return (uint64_t)fmin(
		(double)(count->calls - count->counted) * 2 * adjustment->own_cost.event_ns,
		(double)INT64_MAX);
}

/* The next method up from a node's caller whose number of calls is known. */
static uint32_t known_caller(const struct search *search, uint32_t node)
{
	const struct profile_node *nodes = search->model->profile->node;

	for (node = nodes[node].parent; nodes[node].parent != node; node = nodes[node].parent) {
		const struct call_count *count = &search->tally->method[nodes[node].method];

		if (nodes[node].method >= METHOD_FIRST && call_count_is_known(count) &&
			count->calls > 0)
			return nodes[node].method;
	}
	return METHOD_ROOT;
}

/* By whom a method is called: time and calls of its nodes, by the next known caller. */
struct caller_sum {
	uint64_t *ns, *calls; /* by method */
	uint64_t all_ns, all_calls;
	uint32_t node; /* that has most time */
	bool is_recursive;
};

static bool sum_callers(
	const struct search *search, uint32_t callee, int figure, struct caller_sum *sum)
{
	const struct model *model = search->model;
	const struct profile *profile = model->profile;
	uint64_t most = 0;

	sum->ns = store_room(model->store, profile->method_count + 1, sizeof(*sum->ns));
	sum->calls = store_room(model->store, profile->method_count + 1, sizeof(*sum->calls));
	if (model->store->failed)
		return false;
	for (size_t n = 0; n < model->node_count; n++) {
		uint32_t i = model->node[n], from;
		uint64_t value;

		if (profile->node[i].method != callee)
			continue;
		sum->is_recursive |= profile->node[i].recursion > 0;
		from = known_caller(search, i);
		value = model_at(model, search->cum, i)[figure].count;
		sum->ns[from] += value;
		sum->all_ns += value;
		sum->calls[from] += profile->node[i].calls;
		sum->all_calls += profile->node[i].calls;
		if (value > most) {
			most = value;
			sum->node = i;
		}
	}
	return true;
}

/* Of a method that is called often, and takes so much with what it calls: a finding, if it is from one place. */
static void find_caller(struct search *search, const struct finding_rule *rule, uint32_t callee,
	int figure, uint64_t ns, double share)
{
	uint64_t calls = search->tally->method[callee].calls, outer;
	struct caller_sum sum = {.node = 0};
	struct finding *finding;
	const char *each;
	uint32_t caller;

	/* A call within a call of it is in the time of both. */
	if (!sum_callers(search, callee, figure, &sum) || sum.is_recursive || sum.node == 0)
		return;
	caller = known_caller(search, sum.node);
	if (caller == METHOD_ROOT || share_of(sum.ns[caller], sum.all_ns) < FROM_ONE_PLACE ||
		(sum.all_calls > 0 &&
			share_of(sum.calls[caller], sum.all_calls) < FROM_ONE_PLACE))
		return;
	outer = search->tally->method[caller].calls;
	if (calls / outer < CALLS_A_CALL)
		return;
	each = outer == 1 ? "once"
			  : search_text(search, "%s times: %s for each call",
				    search_count(search, outer),
				    search_count(search, calls / outer));
	finding = search_add(search, rule, ns, share);
	finding->method = callee;
	finding->node = sum.node;
	finding->title = search_text(
		search, "Called very often from one place: %s", search_method(search, callee));
	finding->evidence = search_text(search,
		"%s calls%s. %s of its time is below %s, which is called %s. With what it "
		"calls that is %s, %s of processor time, %s a call.",
		search_count(search, calls),
		sum.all_calls > 0 ? "" : ", counted without their callers",
		search_share(search, share_of(sum.ns[caller], sum.all_ns)),
		search_method(search, caller), each, search_time(search, ns),
		search_share(search, share),
		ns < calls ? "less than 1 ns" : search_time(search, ns / calls));
	finding->command = search_command_method(search, "callers", callee);
}

void find_called_often(struct search *search, const struct finding_rule *rule)
{
	const struct model *model = search->model;

	for (size_t i = 0; i < search->tally->seen_count; i++) {
		uint32_t id = search->tally->seen[i];
		const struct call_count *count = &search->tally->method[id];
		const union model_value *cum = model_at(model, search->tally->cum, id);
		uint64_t ns, probes;
		double share;
		int figure;

		if (!call_count_is_known(count) || count->calls < rule->count)
			continue;
		figure = time_figure(search, cum);
		if (figure == NOWHERE)
			continue;
		ns = search_ns(search, figure, cum[figure].count);
		probes = probes_ns(search, id);
		ns = ns > probes ? ns - probes : 0;
		share = share_of(ns, search_ns(search, figure, search->whole[figure]));
		if (is_enough(rule, ns, share) && ns / count->calls <= CALL_NS)
			find_caller(search, rule, id, figure, ns, share);
	}
}
