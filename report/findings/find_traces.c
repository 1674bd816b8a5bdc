/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/*
 * find_traces: problems that the traces tell: waits for locks, collections, exceptions, classes, compiled code, and how long
 * single calls took. Nothing is said of times in which the trace was not on.
 */
#include "report/findings/search.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "report/model/trace_times.h"
#include "report/model/waits.h"

/* So many findings of one rule, the heaviest. */
enum { MOST_OF_A_RULE = 3 };

/* ns that the trace was on in what was read; 0: it was not. */
static uint64_t traced_ns(const struct search *search, enum trace_kind kind)
{
	return trace_times(search->model->profile, kind).ns;
}

static double a_second(uint64_t count, uint64_t ns)
{
	return ns > 0 ? (double)count * (double)SECONDS / (double)ns : 0;
}

/* Of a rule without a share that is one of the program's time. */
static enum finding_severity not_above(enum finding_severity most, enum finding_severity wanted)
{
	return wanted < most ? most : wanted;
}

/* ---- locks ---- */

/* Waits for one lock that others had, those that are unfinished, too. */
struct lock_waits {
	uint64_t count, ns, longest, unfinished;
	/* Of the row that took most of it. */
	struct profile_contention worst;
};

static const struct profile_thread *thread_of(const struct search *search, uint32_t id)
{
	const struct profile *profile = search->model->apart;

	for (size_t t = 0; id > 0 && t < profile->thread_count; t++)
		if (profile->thread[t].id == id)
			return &profile->thread[t];
	return NULL;
}

static const char *thread_text(const struct search *search, uint32_t id)
{
	const struct profile_thread *thread = thread_of(search, id);

	return thread ? search_name(search, model_thread_name(thread)) : "(not known)";
}

/* The innermost method of the program on a path (its place + 1). METHOD_ROOT: there is none. */
static uint32_t path_method(const struct search *search, uint64_t path)
{
	const struct profile *profile = search->model->profile;

	for (; path; path = profile->path[path - 1].parent)
		if (!search_is_jdk(search, profile->path[path - 1].method))
			return profile->path[path - 1].method;
	return METHOD_ROOT;
}

static bool is_contended(const struct search *search, const struct profile_contention *row)
{
	const struct profile_thread *thread = thread_of(search, row->thread);

	if (row->kind != LOCKS_BLOCK && row->holder_thread == 0)
		return false;
	return search->model->choice->threads.count == 0 ||
	       (thread && model_wants_thread(search->model, thread));
}

static const char *lock_text(struct search *search, size_t place)
{
	struct label name;

	if (place == 0)
		return "locks that are not told apart";
	name = lock_name(search->model->profile->lock[place - 1].class_name);
	if (name.length == 0)
		return "a lock without a name";
	name = store_bytes(search->model->store, name.text, name.length);
	return name.text ? search_name(search, name.text) : "";
}

static void add_lock(struct search *search, const struct finding_rule *rule, size_t place,
	const struct lock_waits *waits, uint64_t traced)
{
	const struct profile_contention *worst = &waits->worst;
	uint32_t holder = path_method(search, worst->holder);
	struct finding *finding =
		search_add(search, rule, waits->ns, share_of(waits->ns, traced));
	const char *unfinished = "";

	if (waits->unfinished > 0)
		unfinished = search_text(search, " (%s of them unfinished)",
			search_count(search, waits->unfinished));
	finding->method = path_method(search, worst->node);
	finding->title =
		search_text(search, "Threads wait for a lock: %s", lock_text(search, place));
	finding->evidence = search_text(search,
		"%s wait%s%s, %s in all threads together, in %s of tracing; the longest %s. "
		"Most of it: '%s' in %s, while '%s' held it%s%s.",
		search_count(search, waits->count), waits->count == 1 ? "" : "s", unfinished,
		search_time(search, waits->ns), search_time(search, traced),
		search_time(search, waits->longest), thread_text(search, worst->thread),
		search_method(search, finding->method),
		thread_text(search, worst->holder_thread),
		holder != METHOD_ROOT ? " in " : "; where is not known",
		holder != METHOD_ROOT ? search_method(search, holder) : "");
	finding->command =
		search_command(search, waits->unfinished > 0 ? "long-waits" : "locks");
}

/* Adds waits of one row, if they are contended. */
static void add_waits(const struct search *search, struct lock_waits *locks,
	const struct profile_contention *row, uint64_t unfinished)
{
	struct lock_waits *waits = &locks[row->lock];

	if (!is_contended(search, row))
		return;
	waits->count += row->count;
	waits->ns += row->ns;
	waits->unfinished += unfinished;
	if (row->longest > waits->longest)
		waits->longest = row->longest;
	if (row->ns >= waits->worst.ns)
		waits->worst = *row;
}

void find_lock_contention(struct search *search, const struct finding_rule *rule)
{
	const struct profile *profile = search->model->profile;
	uint64_t traced = traced_ns(search, TRACE_LOCKS);
	struct lock_waits *locks;
	size_t found = 0;

	if (traced == 0)
		return;
	locks = store_room(search->model->store, profile->lock_count + 1, sizeof(*locks));
	if (search->model->store->failed)
		return;
	for (size_t i = 0; i < profile->contention_count; i++)
		add_waits(search, locks, &profile->contention[i], 0);
	for (size_t i = 0; i < profile->unfinished_wait_count; i++) {
		const struct profile_contention row = waits_row(&profile->unfinished_wait[i]);

		add_waits(search, locks, &row, 1);
	}
	for (; found < MOST_OF_A_RULE; found++) {
		size_t most = 0;

		for (size_t place = 1; place <= profile->lock_count; place++)
			if (locks[place].ns > locks[most].ns)
				most = place;
		if (!is_enough(rule, locks[most].ns, share_of(locks[most].ns, traced)))
			break;
		/* Samples tell the same, less exactly. */
		if (found == 0)
			search_drop(search, "locks");
		add_lock(search, rule, most, &locks[most], traced);
		locks[most].ns = 0;
	}
}

/* ---- collections ---- */

/* One pause that people feel, however short all of them are together. */
#define LONG_PAUSE (200 * MILLISECONDS)

/* "Pause Full, cause G1 Compaction Pause; heap 900 MB before, 850 MB after" */
static const char *pause_text(const struct search *search, const struct profile_collection *row)
{
	bool has_heap = row->before != PROFILE_NOT_KNOWN && row->after != PROFILE_NOT_KNOWN;

	const char *heap = "";

	if (has_heap)
		heap = search_text(search, "; heap %s before, %s after",
			search_bytes(search, (uint64_t)row->before),
			search_bytes(search, (uint64_t)row->after));
	return search_text(search, "%s, cause %s%s", search_name(search, row->name),
		row->cause ? search_name(search, row->cause) : "not said", heap);
}

void find_pauses(struct search *search, const struct finding_rule *rule)
{
	const struct profile *profile = search->model->profile;
	uint64_t traced = traced_ns(search, TRACE_GC), ns = 0, pauses = 0;
	const struct profile_collection *longest = NULL;
	struct finding *finding;
	double share;

	for (size_t i = 0; traced > 0 && i < profile->collection_count; i++) {
		const struct profile_collection *row = &profile->collection[i];

		if (row->kind != COLLECTION_PAUSE)
			continue;
		pauses++;
		ns += row->ns;
		if (!longest || row->ns > longest->ns)
			longest = row;
	}
	share = share_of(ns, traced);
	if (!longest || (!is_enough(rule, ns, share) && longest->ns < LONG_PAUSE))
		return;
	finding = search_add(search, rule, ns, share);
	finding->title =
		is_enough(rule, ns, share)
			? search_text(search, "Collections stop the program for %s of the time",
				  search_share(search, share))
			: search_text(search, "A collection stopped the program for %s",
				  search_time(search, longest->ns));
	finding->evidence =
		search_text(search, "%s pauses, %s in %s of tracing; the longest %s (%s).",
			search_count(search, pauses), search_time(search, ns),
			search_time(search, traced), search_time(search, longest->ns),
			pause_text(search, longest));
	finding->command = search_command(search, "gc");
}

void find_full_heap(struct search *search, const struct finding_rule *rule)
{
	const struct profile *profile = search->model->profile;
	int64_t after = 0, total = PROFILE_NOT_KNOWN;
	uint64_t seen = 0;
	double least = 1;
	struct finding *finding;

	/* The last ones: a heap that still grows has room. */
	for (size_t i = profile->collection_count; i-- > 0 && seen < rule->count;) {
		const struct profile_collection *row = &profile->collection[i];

		if (row->kind != COLLECTION_PAUSE || row->after == PROFILE_NOT_KNOWN ||
			row->total == PROFILE_NOT_KNOWN || row->total <= 0)
			continue;
		if (seen++ == 0) {
			after = row->after;
			total = row->total;
		}
		if (row->total != total)
			return;
		least = fmin(least, (double)row->after / (double)row->total);
	}
	if (traced_ns(search, TRACE_GC) == 0 || seen < rule->count || least < rule->share)
		return;
	finding = search_add(search, rule, (uint64_t)after, fmax(least, 0));
	finding->title =
		search_text(search, "The heap is nearly full: %s of it after collections",
			search_share(search, least));
	finding->evidence = search_text(search,
		"After each of the last %s pauses %s or more of the heap was in use; after the "
		"last "
		"one %s of %s. The heap did not grow meanwhile.",
		search_count(search, seen), search_share(search, least),
		search_bytes(search, (uint64_t)after), search_bytes(search, (uint64_t)total));
	finding->command = search_command(search, "gc");
}

void find_explicit_gc(struct search *search, const struct finding_rule *rule)
{
	const struct profile *profile = search->model->profile;
	uint64_t traced = traced_ns(search, TRACE_GC), ns = 0, calls = 0, newest = 0;
	struct finding *finding;

	for (size_t i = 0; traced > 0 && i < profile->collection_count; i++) {
		const struct profile_collection *row = &profile->collection[i];

		if (row->kind != COLLECTION_PAUSE || !row->cause ||
			strcmp(row->cause, "System.gc()") != 0)
			continue;
		ns += row->ns;
		calls += calls == 0 || row->number != newest;
		newest = row->number;
	}
	if (calls < rule->count || !is_enough(rule, ns, share_of(ns, traced)))
		return;
	finding = search_add(search, rule, ns, share_of(ns, traced));
	finding->title = "The program asks for collections: System.gc()";
	finding->evidence = search_text(search,
		"%s collections have the cause System.gc(); their pauses took %s in %s of "
		"tracing.",
		search_count(search, calls), search_time(search, ns),
		search_time(search, traced));
	finding->command = search_command(search, "gc");
}

/* ---- exceptions ---- */

/* What one costs, about: to make and to throw it, and a frame of its stack. */
enum { THROWN_NS = 1000, FRAME_NS = 50 };

static uint64_t depth_of(const struct profile *profile, uint32_t node)
{
	uint64_t depth = 0;

	for (; profile->node[node].parent != node; node = profile->node[node].parent)
		depth++;
	return depth;
}

static bool is_thrown(const struct search *search, const struct profile_account *account)
{
	const struct profile *profile = search->model->apart;
	const struct profile_thread *thread =
		&profile->thread[profile->node[account->node].thread];

	return account->kind == EXCEPTION_THROWN && model_wants_thread(search->model, thread);
}

/* What a row of the view `exceptions` is: a class and its catcher, thrown in a method. */
struct thrown_place {
	uint64_t subject, count;
	uint32_t site;
};

static int by_place(const void *left, const void *right)
{
	const struct thrown_place *a = left, *b = right;

	if (a->subject != b->subject)
		return a->subject < b->subject ? -1 : 1;
	return (a->site > b->site) - (a->site < b->site);
}

/* The place with most of them, of count ones with one path each. */
static struct thrown_place heaviest_place(struct thrown_place *place, size_t count)
{
	struct thrown_place most = {0};

	qsort(place, count, sizeof(*place), by_place);
	for (size_t i = 0; i < count; i++) {
		if (i > 0 && by_place(&place[i - 1], &place[i]) == 0)
			place[i].count += place[i - 1].count;
		if (place[i].count > most.count)
			most = place[i];
	}
	return most;
}

void find_thrown(struct search *search, const struct finding_rule *rule)
{
	const struct profile *profile = search->model->apart;
	uint64_t traced = traced_ns(search, TRACE_EXCEPTIONS), thrown = 0, ns = 0;
	struct thrown_place *place = store_room(search->model->store,
				    profile->account_count + 1, sizeof(*place)),
			    most;
	size_t places = 0;
	uint32_t catcher;
	struct finding *finding;

	for (size_t i = 0; place && traced > 0 && i < profile->account_count; i++) {
		const struct profile_account *account = &profile->account[i];

		if (!is_thrown(search, account))
			continue;
		thrown += account->count;
		ns += account->count *
		      (THROWN_NS + FRAME_NS * depth_of(profile, account->node));
		place[places++] = (struct thrown_place){
			account->subject, account->count, profile->node[account->node].method};
	}
	if (places == 0 || thrown < rule->least ||
		a_second(thrown, traced) < (double)rule->count)
		return;
	most = heaviest_place(place, places);
	catcher = thrown_catcher(most.subject);
	finding = search_add(search, rule, thrown, share_of(ns, search->cpu_ns));
	finding->severity = not_above(FINDING_MEDIUM, finding->severity);
	finding->method = most.site < METHOD_FIRST ? METHOD_ROOT : most.site;
	finding->title = search_text(search, "%s exceptions are thrown in a second",
		search_count(search, (uint64_t)a_second(thrown, traced)));
	finding->evidence = search_text(search,
		"%s in %s of tracing, most often %s in %s, %s of them; %s%s. What that costs "
		"is "
		"estimated: %s, at 1 us each and 50 ns for each frame that the profile has.",
		search_count(search, thrown), search_time(search, traced),
		search_name(
			search, profile->method[thrown_class(most.subject)].class_name
					? profile->method[thrown_class(most.subject)].class_name
					: "(not known)"),
		search_method(search, most.site),
		search_share(search, share_of(most.count, thrown)),
		catcher >= METHOD_FIRST    ? "caught in "
		: catcher == METHOD_FOLDED ? "who caught them is not known"
					   : "no Java code caught them",
		catcher >= METHOD_FIRST ? search_method(search, catcher) : "",
		search_time(search, ns));
	finding->command = search_command(search, "exceptions");
}

/* ---- classes ---- */

void find_class_churn(struct search *search, const struct finding_rule *rule)
{
	const struct profile *profile = search->model->profile;
	uint64_t loaded = 0, gone = 0, most = 0, loaders = 0;
	const char *loader = NULL;
	uint64_t *by_loader = store_room(
		search->model->store, profile->class_loader_count + 1, sizeof(*by_loader));
	struct finding *finding;
	double share;

	if (!by_loader || traced_ns(search, TRACE_CLASSES) == 0)
		return;
	for (size_t i = 0; i < profile->class_count; i++) {
		const struct profile_class *class = &profile->class[i];

		if (class->loaded == PROFILE_NOT_KNOWN)
			continue;
		loaded++;
		gone += class->unloaded != PROFILE_NOT_KNOWN;
	}
	share = share_of(gone, loaded);
	if (!is_enough(rule, gone, share))
		return;
	for (size_t i = 0; i < profile->class_loader_count; i++) {
		const struct profile_class_loader *row = &profile->class_loader[i];

		loaders += row->gone;
		if (row->unloaded > most) {
			most = row->unloaded;
			loader = row->class_name;
		}
	}
	finding = search_add(search, rule, gone, share);
	finding->severity = FINDING_MEDIUM;
	finding->title = search_text(search, "%s classes were loaded and unloaded again",
		search_count(search, gone));
	finding->evidence = search_text(search,
		"Of %s classes that were loaded while they were traced %s are gone; %s class "
		"loaders "
		"were collected%s%s.",
		search_count(search, loaded), search_share(search, share),
		search_count(search, loaders), loader ? ", for example of the class " : "",
		loader ? search_name(search, loader) : "");
	finding->command = search_command(search, "class-loaders");
}

/* ---- compiled code ---- */

static bool is_same_trap(
	const struct profile_deoptimization *a, const struct profile_deoptimization *b)
{
	return a->bytecode == b->bytecode && strcmp(a->name, b->name) == 0 &&
	       strcmp(a->class_name, b->class_name) == 0 &&
	       strcmp(a->signature ? a->signature : "", b->signature ? b->signature : "") == 0;
}

/* Places with most traps are kept apart in a small table, whose least one makes room for another: a place that traps again and
 * again stays, and its count is never too large. */
enum { TRAP_PLACES = 64 };

struct trap_place {
	const struct profile_deoptimization *trap;
	uint64_t count;
};

static struct trap_place *place_of(
	struct trap_place places[TRAP_PLACES], const struct profile_deoptimization *trap)
{
	struct trap_place *least = &places[0];

	for (int i = 0; i < TRAP_PLACES; i++) {
		if (places[i].trap && is_same_trap(places[i].trap, trap))
			return &places[i];
		if (places[i].count < least->count)
			least = &places[i];
	}
	*least = (struct trap_place){.trap = trap};
	return least;
}

void find_deoptimizations(struct search *search, const struct finding_rule *rule)
{
	const struct profile *profile = search->model->profile;
	uint64_t traced = traced_ns(search, TRACE_JIT), traps = 0;
	struct trap_place places[TRAP_PLACES] = {0}, *most = &places[0];
	struct finding *finding;

	for (size_t i = 0; traced > 0 && i < profile->deoptimization_count; i++) {
		const struct profile_deoptimization *row = &profile->deoptimization[i];

		if (row->kind != DEOPTIMIZATION_TRAP)
			continue;
		traps++;
		place_of(places, row)->count++;
	}
	for (int i = 1; i < TRAP_PLACES; i++)
		if (places[i].count > most->count)
			most = &places[i];
	if (most->count < rule->least || a_second(most->count, traced) < (double)rule->count)
		return;
	finding = search_add(search, rule, most->count, share_of(most->count, traps));
	finding->severity = FINDING_LOW;
	finding->title = search_text(search, "Compiled code is left again and again: %s.%s",
		search_name(search, most->trap->class_name),
		search_name(search, most->trap->name));
	finding->evidence = search_text(search,
		"%s times at one place in %s of tracing, %s of all; the JVM's reason: %s.",
		search_count(search, most->count), search_time(search, traced),
		search_share(search, finding->share),
		most->trap->reason ? search_name(search, most->trap->reason) : "not said");
	finding->command = search_command(search, "deoptimizations");
}

/* ---- calls that are slow now and then ---- */

/* So many times the median. */
enum { SLOW_TIMES = 20 };

/* How long calls of a method took, all chosen threads together. */
static struct histogram elapsed_of(
	const struct search *search, uint32_t method, uint64_t *calls, uint64_t *most)
{
	const struct profile *profile = search->model->apart;
	struct histogram sum = {0};

	*calls = *most = 0;
	for (size_t i = 0; i < profile->distribution_count; i++) {
		const struct profile_distribution *row = &profile->distribution[i];
		struct histogram_cell *room;

		if (row->method != method || row->figure != CALL_ELAPSED ||
			!model_wants_thread(search->model, &profile->thread[row->thread]))
			continue;
		room = store_room(search->model->store, sum.cells + row->histogram.cells + 1,
			sizeof(*room));
		if (!room)
			return (struct histogram){0};
		if (sum.cells > 0)
			memcpy(room, sum.cell, sum.cells * sizeof(*room));
		sum.cell = room;
		histogram_add(&sum, &row->histogram, 1);
		*calls += row->count;
		if (row->most > *most)
			*most = row->most;
	}
	return sum;
}

static void look_at_calls(
	struct search *search, const struct finding_rule *rule, uint32_t method)
{
	uint64_t calls, most, median, slow = 0, ns = 0;
	struct histogram elapsed = elapsed_of(search, method, &calls, &most);
	struct finding *finding;

	median = histogram_percentile(&elapsed, 0.5);
	if (calls < rule->count || median == 0 || most / SLOW_TIMES <= median)
		return;
	for (size_t i = 0; i < elapsed.cells; i++) {
		const struct histogram_cell *cell = &elapsed.cell[i];

		if (histogram_least(cell->bucket) / SLOW_TIMES <= median)
			continue;
		slow += cell->count;
		ns += cell->count * histogram_least(cell->bucket);
	}
	if (!is_enough(rule, ns, share_of(ns, search->duration)))
		return;
	finding = search_add(search, rule, ns, share_of(ns, search->duration));
	finding->severity = not_above(FINDING_MEDIUM, finding->severity);
	finding->method = method;
	finding->title =
		search_text(search, "Slow now and then: %s", search_method(search, method));
	finding->evidence = search_text(search,
		"%s of %s calls took more than %d times the median, %s or more together; half "
		"of "
		"all took %s or less, 99.9%% %s or less, the slowest %s.",
		search_count(search, slow), search_count(search, calls), SLOW_TIMES,
		search_time(search, ns), search_time(search, median),
		search_time(search, histogram_percentile(&elapsed, 0.999)),
		search_time(search, most));
	finding->command = search_command_method(search, "slowest", method);
}

void find_slow_calls(struct search *search, const struct finding_rule *rule)
{
	const struct profile *profile = search->model->apart;
	bool *looked =
		store_room(search->model->store, profile->method_count + 1, sizeof(*looked));

	for (size_t i = 0; looked && i < profile->distribution_count; i++) {
		uint32_t method = profile->distribution[i].method;

		if (!looked[method])
			look_at_calls(search, rule, method);
		looked[method] = true;
	}
}
