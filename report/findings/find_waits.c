/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/* find_waits: threads that wait, as far as the profile knows for what, and threads that are many. */
#include "report/findings/search.h"

#include <string.h>

/* Starting and ending a thread takes the system and the JVM about so long, ns of processor time. */
enum { THREAD_NS = 60000 };
/* Where timed calls waited so much of the time, of the run's, they are named. */
#define WAITING_PART 0.25

/* ---- locks ---- */

/* A thread that waits within one of these waits for a lock that another has. */
static bool is_lock(const struct profile_method *method)
{
	static const struct {
		const char *class_name, *name;
	} rows[] = {
		{"java.util.concurrent.locks.ReentrantLock", "lock"},
		{"java.util.concurrent.locks.ReentrantReadWriteLock$ReadLock", "lock"},
		{"java.util.concurrent.locks.ReentrantReadWriteLock$WriteLock", "lock"},
		{"java.util.concurrent.locks.StampedLock", "readLock"},
		{"java.util.concurrent.locks.StampedLock", "writeLock"},
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows) && method->class_name; i++)
		if (strcmp(method->class_name, rows[i].class_name) == 0 &&
			strcmp(method->name, rows[i].name) == 0)
			return true;
	return false;
}

/* All else that waits in Java, for time, input, another thread's signal, does so in a native method; but a thread that
 * the JVM has stopped for a collection waits there, too. */
static bool is_monitor(const struct profile_method *method)
{
	return method->kind == METHOD_JAVA && !method->is_native && method->class_name;
}

static uint64_t waited_for_processor(const struct search *search)
{
	const struct profile *profile = search->model->profile;
	uint64_t waited = 0;

	for (size_t t = 0; t < profile->thread_count; t++)
		waited += search->model->selected[t] ? profile->thread[t].waited_ns : 0;
	return waited;
}

/* How long threads waited at most, all together, while the collector had stopped them: as long as that used a
 * processor, or had to wait for one as they had to, each of them. */
static uint64_t stopped_ns(const struct search *search)
{
	const struct model *model = search->model;
	const struct profile *profile = model->apart;
	uint64_t threads = 0;
	double scarce = 1;

	if (search->cpu_ns > 0)
		scarce += (double)waited_for_processor(search) / (double)search->cpu_ns;
	for (size_t t = 0; t < profile->thread_count; t++)
		if (!model_is_jvm_thread(&profile->thread[t]))
			threads +=
				profile->thread[t].folded > 0 ? profile->thread[t].folded : 1;
	return (uint64_t)(scarce * (double)search->jvm_samples[SAMPLE_GC] *
			  (double)model->condition[search->cpu_samples]->period *
			  (double)threads);
}

/* What threads waited for locks, in samples by the clock. */
struct lock_sum {
	uint64_t in_lock, at_monitor, ran;
	uint64_t *by_method; /* of the program, what is in both of the first */
};

enum waiting { WAITS_NOT, WAITS_ELSEWHERE, WAITS_IN_LOCK, WAITS_AT_MONITOR };

/* What samples of a condition tell. search->mark: nodes within locks. */
static enum waiting waiting_of(
	const struct search *search, const struct profile_account *account)
{
	const struct profile *profile = search->model->profile;

	if (sample_place_state(account->subject) != SAMPLE_WAITING)
		return WAITS_NOT;
	if (search->mark[account->node])
		return WAITS_IN_LOCK;
	/* Whether a collection had stopped them is told by the collector's processor time. */
	return search->cpu_samples != NOWHERE && search->model->choice->threads.count == 0 &&
			       is_monitor(&profile->method[profile->node[account->node].method])
		       ? WAITS_AT_MONITOR
		       : WAITS_ELSEWHERE;
}

static bool sum_locks(struct search *search, unsigned wall, struct lock_sum *sum)
{
	const struct model *model = search->model;
	const struct profile *profile = model->profile;
	bool *is_locking = search->mark;

	sum->by_method =
		store_room(model->store, profile->method_count + 1, sizeof(*sum->by_method));
	if (model->store->failed)
		return false;
	memset(is_locking, 0, profile->node_count * sizeof(*is_locking));
	for (size_t i = 0; i < profile->node_count; i++)
		is_locking[i] = is_locking[profile->node[i].parent] ||
				is_lock(&profile->method[profile->node[i].method]);
	for (size_t i = 0; i < profile->account_count; i++) {
		const struct profile_account *account = &profile->account[i];
		enum waiting waiting;
		unsigned condition;

		if (!model_is_sample(model, account, &condition) || condition != wall)
			continue;
		waiting = waiting_of(search, account);
		sum->ran += waiting == WAITS_NOT ? account->amount : 0;
		sum->in_lock += waiting == WAITS_IN_LOCK ? account->amount : 0;
		sum->at_monitor += waiting == WAITS_AT_MONITOR ? account->amount : 0;
		if (waiting == WAITS_IN_LOCK || waiting == WAITS_AT_MONITOR)
			sum->by_method[search_program_method(search, account->node)] +=
				account->amount;
	}
	return true;
}

/* Of a method, the node at which threads waited most. */
static uint32_t heaviest_lock(const struct search *search, unsigned wall, uint32_t method)
{
	const struct profile *profile = search->model->profile;
	uint64_t most = 0;
	uint32_t node = 0;

	for (size_t i = 0; i < profile->account_count; i++) {
		const struct profile_account *account = &profile->account[i];
		unsigned condition;

		if (model_is_sample(search->model, account, &condition) && condition == wall &&
			waiting_of(search, account) >= WAITS_IN_LOCK &&
			account->amount > most &&
			search_program_method(search, account->node) == method) {
			most = account->amount;
			node = account->node;
		}
	}
	return node;
}

/* The method that waits, or within which: a lock's. */
static uint32_t waits_at(const struct search *search, uint32_t node)
{
	const struct profile *profile = search->model->profile;
	uint32_t at = node;

	while (profile->node[at].parent != at &&
		!is_lock(&profile->method[profile->node[at].method]))
		at = profile->node[at].parent;
	return profile->node[profile->node[at].parent == at ? node : at].method;
}

void find_locks(struct search *search, const struct finding_rule *rule)
{
	const struct model *model = search->model;
	int wall = search_condition(model, "wall", "ns");
	struct lock_sum sum = {.in_lock = 0};
	uint64_t period, ns, stopped;
	struct finding *finding;
	uint32_t place = METHOD_ROOT;

	if (wall == NOWHERE || !sum_locks(search, (unsigned)wall, &sum))
		return;
	period = model->condition[wall]->period;
	ns = sum.at_monitor * period;
	stopped = ns > 0 ? stopped_ns(search) : 0;
	ns = sum.in_lock * period + (ns > stopped ? ns - stopped : 0);
	if (!is_enough(rule, ns, share_of(ns, ns + sum.ran * period)))
		return;
	sum.by_method[METHOD_ROOT] = 0;
	for (uint32_t id = METHOD_FIRST; id < model->profile->method_count; id++)
		if (sum.by_method[id] > sum.by_method[place])
			place = id;
	if (place == METHOD_ROOT)
		return;
	finding = search_add(search, rule, ns, share_of(ns, ns + sum.ran * period));
	finding->method = place;
	finding->node = heaviest_lock(search, (unsigned)wall, place);
	finding->title =
		search_text(search, "Threads wait for locks: %s", search_method(search, place));
	finding->evidence = search_text(search,
		"Threads waited %s for locks that others had, %s of the time in which they "
		"ran or so waited; %s of that in %s, most often at %s.",
		search_time(search, ns), search_share(search, finding->share),
		search_share(
			search, share_of(sum.by_method[place], sum.in_lock + sum.at_monitor)),
		search_method(search, place),
		search_method(search, waits_at(search, finding->node)));
	finding->command = search_command_method(search, "callers", place);
}

/* ---- a run that mostly waits ---- */

/* How long calls of a node waited themselves; 0 of what is no method's. */
static uint64_t waited_of(const struct search *search, uint32_t node)
{
	union model_value base[MODEL_VALUES_MAX];

	if (search->model->profile->node[node].method < METHOD_FIRST)
		return 0;
	model_base(search->model, node, base);
	return base[search->wall].count > base[search->cpu].count
		       ? base[search->wall].count - base[search->cpu].count
		       : 0;
}

/* Where timed calls waited most, by method. */
static const char *waiting_text(const struct search *search, struct finding *finding)
{
	const struct model *model = search->model;
	const struct profile_node *nodes = model->profile->node;
	uint64_t *waited = store_room(
			 model->store, model->profile->method_count + 1, sizeof(uint64_t)),
		 most = 0;
	uint32_t method = METHOD_ROOT;

	if (search->wall == NOWHERE || search->cpu == NOWHERE || model->lacks_calls || !waited)
		return "";
	for (size_t n = 0; n < model->node_count; n++)
		waited[nodes[model->node[n]].method] += waited_of(search, model->node[n]);
	for (uint32_t id = METHOD_FIRST; id < model->profile->method_count; id++)
		if (waited[id] > waited[method])
			method = id;
	if (share_of(waited[method], search->duration) < WAITING_PART)
		return "";
	for (size_t n = 0; n < model->node_count; n++) {
		uint64_t waits = waited_of(search, model->node[n]);

		if (nodes[model->node[n]].method == method && waits > most) {
			most = waits;
			finding->node = model->node[n];
		}
	}
	finding->method = method;
	return search_text(search,
		" Of timed calls those of %s waited longest, themselves%s: %s, all threads "
		"together.",
		search_method(search, method), model->is_divided ? " or in what they call" : "",
		search_time(search, waited[method]));
}

void find_mostly_waits(struct search *search, const struct finding_rule *rule)
{
	const struct profile *profile = search->model->profile;
	bool is_whole = !profile->interval.from && !profile->interval.to;
	uint64_t used = is_whole && profile_meta_get(profile, "cpu_ns")
				? profile_meta_number(profile, "cpu_ns")
				: search->cpu_ns,
		 busy, idle;
	struct finding *finding;
	double share;

	/* Samples by the clock tell where. That some threads wait is usual. */
	if (used == 0 || search_condition(search->model, "wall", "ns") != NOWHERE ||
		search->model->choice->threads.count > 0)
		return;
	/* A thread that has no processor does not wait for anything of the program's. */
	busy = used + waited_for_processor(search);
	idle = search->duration > busy ? search->duration - busy : 0;
	share = share_of(idle, search->duration);
	if (!is_enough(rule, idle, share))
		return;
	finding = search_add(search, rule, idle, share);
	/* That of a server without work is no problem. */
	finding->severity = FINDING_MEDIUM;
	finding->title = search_text(search, "It mostly waits: %s of %s on a processor",
		search_time(search, used), search_time(search, search->duration));
	finding->evidence = search_text(search,
		"All threads together%s used a processor for %s in the %s that the recording "
		"is long.%s",
		is_whole ? ", the JVM's too," : "", search_time(search, used),
		search_time(search, search->duration), waiting_text(search, finding));
	finding->command = finding->method != METHOD_ROOT
				   ? search_command_method(search, "callers", finding->method)
				   : search_command(search, "threads");
}

/* ---- without a processor ---- */

void find_no_processor(struct search *search, const struct finding_rule *rule)
{
	const struct profile *profile = search->model->profile;
	const char *processors = profile_meta_get(profile, "machine.processors");
	uint64_t waited = waited_for_processor(search);
	struct finding *finding;
	double share;

	share = share_of(waited, waited + search->cpu_ns);
	if (search->cpu_ns == 0 || !is_enough(rule, waited, share))
		return;
	finding = search_add(search, rule, waited, share);
	/* What else ran on the machine is no fault of the program's. From one half on they waited longer than they ran. */
	finding->severity = share < 0.5 ? FINDING_LOW : FINDING_MEDIUM;
	finding->title = "Threads could run, and had no processor";
	finding->evidence = search_text(search,
		"They waited %s for one, beside %s on one: %s of both. The machine has %s "
		"processors; other programs, the JVM's compilers and its collector want "
		"them, too.",
		search_time(search, waited), search_time(search, search->cpu_ns),
		search_share(search, share),
		processors ? search_name(search, processors) : "an unknown number of");
	/* A narrow terminal has no room for that column. */
	finding->command = search_text(
		search, "%s --sort waited --wide", search_command(search, "threads"));
}

/* ---- many threads ---- */

void find_threads(struct search *search, const struct finding_rule *rule)
{
	const struct model *model = search->model;
	const struct profile *profile = model->apart;
	uint64_t threads = 0, most = 0;
	const char *name = "", *of = "";
	struct finding *finding;
	double share;

	for (size_t t = 0; t < profile->thread_count; t++) {
		const struct profile_thread *thread = &profile->thread[t];
		uint64_t count = thread->folded > 0 ? thread->folded : 1;

		/* Those that stay may have been there before. */
		if (thread->is_virtual || thread->alive || !model_wants_thread(model, thread) ||
			model_is_jvm_thread(thread))
			continue;
		threads += count;
		if (count > most) {
			most = count;
			name = model_thread_name(thread);
		}
	}
	share = share_of(threads * THREAD_NS, search->cpu_ns);
	if (search->cpu_ns == 0 || !is_enough(rule, threads, share))
		return;
	if (2 * most >= threads)
		of = search_text(
			search, ", most of them named '%s'", search_name(search, name));
	finding = search_add(search, rule, threads, share);
	finding->title =
		search_text(search, "%s threads came and went", search_count(search, threads));
	finding->evidence = search_text(search,
		"%s threads%s: at about 60 us each to start and to end, that is %s of "
		"processor time.",
		search_count(search, threads), of, search_share(search, share));
	finding->command = search_command(search, "threads");
}
