/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/* On the writer's thread: stacks become nodes, and those rows of the profile; see sampling.h. */
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "agent/methods/methods.h"
#include "agent/methods/plan.h"
#include "agent/sample/sampling.h"
#include "agent/stack/safe_read.h"
#include "agent/trace/tree_labels.h"
#include "metric/clock.h"

/* ---- nodes that went elsewhere, of which stacks may still tell ---- */

/* A thread may be sampled, end and be folded while a flush shows the trace: where its nodes went is told before its stacks are drained.
 * So what was told since the last whole drain, and since the one before that, is kept; without memory it is not. */
enum { WENT_STEPS = 16 };

static struct went {
	struct profile_forward *row;
	size_t count, room;
	bool sorted;
} went, went_before;

static int compare_went(const void *a, const void *b)
{
	const struct profile_forward *one = a, *other = b;

	if (one->thread != other->thread)
		return one->thread < other->thread ? -1 : 1;
	return (one->node > other->node) - (one->node < other->node);
}

static void note_went(const struct profile_forward *forward)
{
	if (went.count == went.room) {
		size_t room = went.room ? 2 * went.room : 256;
		struct profile_forward *grown = realloc(went.row, room * sizeof(*grown));

		if (!grown)
			return;
		went.row = grown;
		went.room = room;
	}
	went.row[went.count++] = *forward;
	went.sorted = false;
}

static const struct profile_forward *find_in(
	struct went *told, const struct profile_forward *wanted)
{
	if (told->count == 0)
		return NULL;
	if (!told->sorted)
		qsort(told->row, told->count, sizeof(*told->row), compare_went);
	told->sorted = true;
	return bsearch(wanted, told->row, told->count, sizeof(*told->row), compare_went);
}

static const struct profile_forward *find_went(uint32_t row, uint32_t node)
{
	const struct profile_forward wanted = {.thread = row, .node = node},
				     *found = find_in(&went, &wanted);

	return found ? found : find_in(&went_before, &wanted);
}

/* All that was taken before these were told has been drained, or will be in the next drain. */
static void pass_went(void)
{
	free(went_before.row);
	went_before = went;
	went = (struct went){0};
}

void put_samples_forget_nodes(void)
{
	pass_went();
	pass_went();
}

/* The node of the trace's, or the one that it has become a part of. */
static uint32_t anchor(uint32_t row, uint32_t node)
{
	const struct profile_forward *found = find_went(row, node);

	for (int i = 0; found && i < WENT_STEPS; i++) {
		row = found->to_thread;
		node = found->to_node;
		found = find_went(row, node);
	}
	return sample_tree_anchor(sampling.tree, row, node);
}

/* ---- rows ---- */

/* The row of a thread that the trace has none for. 0: no memory. */
static uint32_t row_of(struct sampled_thread *thread)
{
	struct row *row;

	if (thread->row)
		return thread->row;
	if (sampling.rows == sampling.row_room) {
		size_t room = sampling.row_room ? 2 * sampling.row_room : 64;

		row = realloc(sampling.row, room * sizeof(*row));
		if (!row)
			return 0;
		sampling.row = row;
		sampling.row_room = room;
	}
	thread->row = trace_new_row(sampling.session->trace);
	row = &sampling.row[sampling.rows++];
	*row = (struct row){.thread = thread,
		.id = thread->row,
		.java_id = thread->java_id,
		.tid = thread->tid,
		.wanted = thread->wanted};
	memcpy(row->name, thread->name, sizeof(row->name));
	return row->id;
}

/* The row of a record. What its thread was sampled before the trace had a row for it goes there. */
static uint32_t row_for(const struct sample_record *record)
{
	struct sampled_thread *thread = sampled_thread_at(record->thread);
	uint32_t before = thread->row;

	if (record->row == 0)
		return row_of(thread);
	if (record->about & SAMPLE_VIRTUAL || before == record->row)
		return record->row;
	thread->row = record->row;
	for (size_t i = 0; i < sampling.rows; i++) {
		const struct profile_forward forward = {
			.thread = before, .to_thread = record->row};

		if (sampling.row[i].id != before)
			continue;
		sample_tree_forward(sampling.tree, &forward);
		sampling.row[i].joined = true;
		sampling.row[i].into = record->row;
	}
	return record->row;
}

/* The innermost frame of that method: what is called from there is in front of it. `count`: there is none. */
static unsigned find_method(const uint32_t *method, unsigned count, uint32_t wanted)
{
	unsigned i = 0;

	while (i < count && method[i] != wanted)
		i++;
	return i;
}

static void count_sample(const struct sample_record *record, uint32_t node,
	enum sample_state state, uint32_t line)
{
	for (unsigned i = 0; i < sampling.conditions; i++) {
		struct condition *condition = &sampling.condition[i];
		uint64_t weight = record->weight[i];

		if (weight == 0)
			continue;
		if (!sample_tree_count(
			    sampling.tree, node, sample_place(i, state, line), 1, weight)) {
			atomic_fetch_add(&condition->loss[SAMPLE_FULL], weight);
			continue;
		}
		atomic_fetch_add(&condition->taken, weight);
		atomic_fetch_add(&condition->stacks, 1);
		atomic_fetch_add(&condition->squares, weight * weight);
	}
}

/* The line that a sample is in: of the innermost Java frame that has lines, which is the leaf, or called it. Only where that
 * frame's method is on the path that is put below the node. 0: not known. */
static uint32_t line_of(const struct frame_name *name, unsigned frames, unsigned below)
{
	for (unsigned i = 0; i < frames && i <= below; i++)
		if (name[i].has_lines)
			return name[i].line;
	return 0;
}

/* Names of the frames, in order, without those of functions that stand in for the JDK's. Where a call was just counted they
 * begin with the method that was called, in the state of jprof. Returns how many; 0: the thread was in jprof otherwise. */
static unsigned name_frames(const struct sample_record *record, struct frame_name *name)
{
	enum sample_state work = SAMPLE_UNKNOWN;
	bool inside = false, counting = false;
	unsigned count = 0;

	for (unsigned i = 0; i < record->frames; i++) {
		struct stack_frame frame = frame_unpack(record->frame[i]);

		name[count] = frame_name(sampling.names, &frame);
		if (name[count].counts) {
			/* What it had called is a part of it. */
			counting = true;
			inside = false;
			work = SAMPLE_UNKNOWN;
			count = 0;
			continue;
		}
		inside |= name[count].probe && (count == 0 || frame_is_java(&frame));
		/* The outermost one tells what the thread is for. */
		if (name[count].state == SAMPLE_GC || name[count].state == SAMPLE_JIT ||
			frame_is_java(&frame))
			work = name[count].state;
		count += !name[count].probe;
	}
	while (count > 1 && name[count - 1].outermost)
		count--;
	if (counting && count > 0)
		name[0].state = SAMPLE_JPROF;
	else if (work == SAMPLE_GC || work == SAMPLE_JIT)
		name[0].state = work;
	return inside ? 0 : count;
}

static sampler_placed placed[ACCOUNT_KINDS];
static sampler_noted noted[ACCOUNT_KINDS];

void sampler_on_placed(enum account_kind kind, sampler_placed tell)
{
	placed[kind] = tell;
}

void sampler_on_note(enum account_kind kind, sampler_noted tell)
{
	noted[kind] = tell;
}

/* The node of a mark there; the node itself where memory is short. */
static uint32_t mark_below(uint32_t node, const char *mark)
{
	uint32_t marked =
		sample_tree_child(sampling.tree, node, frame_mark(sampling.names, mark));

	return marked ? marked : node;
}

static void lose(const struct sample_record *record, enum sample_loss loss)
{
	if (record->kind == SAMPLES)
		sampling_lose(record->weight, loss);
	else
		sampling_lose_event(record->kind, record->sum.count);
}

static void count_event(const struct sample_record *record, uint32_t node)
{
	const struct sample_event_sum *sum = &record->sum;
	sampler_placed tell = sum->cookie ? placed[record->kind] : NULL;
	const struct sample_sum more = {.kind = record->kind,
		.subject = sum->subject,
		.count = sum->count,
		.failures = sum->failures,
		.amount = sum->amount,
		.ns = sum->ns};

	if (!node || (!(record->about & SAMPLE_LATER) &&
			     !sample_tree_add(sampling.tree, node, &more))) {
		lose(record, SAMPLE_FULL);
		node = 0;
	}
	if (sum->key && node)
		sampling_place_put(sum->key, node);
	if (tell)
		tell(sum->cookie, node);
}

/* What was taken goes to its account: of samples, or of an event, at the node, 0: there is none. */
static void count(const struct sample_record *record, uint32_t node, enum sample_state state,
	uint32_t line)
{
	if (record->kind != SAMPLES)
		count_event(record, node);
	else if (node)
		count_sample(record, node, state, line);
}

/* Constructors of an exception, which called one another, and what they call to have its stack: how many of the innermost
 * frames. The outermost of them is of the exception's own class. */
static unsigned constructors_of(
	const struct sample_record *record, const struct frame_name *name, unsigned frames)
{
	const struct profile_method *class = methods_get((uint32_t)record->sum.subject);
	bool own = false;
	unsigned i = 0;

	for (; i < frames && name[i].method >= METHOD_FIRST; i++) {
		const struct profile_method *method = methods_get(name[i].method);
		bool constructor = strcmp(method->name, "<init>") == 0;

		if (!constructor && strcmp(method->name, "fillInStackTrace") != 0)
			break;
		if (constructor && strcmp(method->class_name, class->class_name) == 0)
			own = true;
		else if (own)
			break;
	}
	return i < frames ? i : 0;
}

static void add_note(const struct sample_record *record)
{
	if (noted[record->kind])
		noted[record->kind](record->sum.cookie, record->sum.subject);
}

/* ---- call sites ---- */

/* Of methods by id, whether they keep their call sites apart: 0: not asked yet. */
static struct {
	uint8_t *is;
	uint32_t room;
	uint32_t edition; /* of the plan that was asked */
} sited;
enum { SITED_NO = 1, SITED_YES };

static bool is_jdk(const char *class_name)
{
	static const char *const packages[] = {"java.", "javax.", "jdk.", "sun.", "com.sun."};

	for (size_t i = 0; i < sizeof(packages) / sizeof(*packages); i++)
		if (strncmp(class_name, packages[i], strlen(packages[i])) == 0)
			return true;
	return false;
}

static bool keeps_sites(uint32_t method)
{
	const struct profile_method *row;
	uint32_t room = methods_end();

	if (sited.edition != plan_edition()) {
		put_samples_forget();
		sited.edition = plan_edition();
	}
	if (method >= sited.room) {
		uint8_t *grown = method < room ? realloc(sited.is, room) : NULL;

		if (!grown)
			return false;
		memset(grown + sited.room, 0, room - sited.room);
		sited.is = grown;
		sited.room = room;
	}
	if (sited.is[method])
		return sited.is[method] == SITED_YES;
	row = methods_get(method);
	sited.is[method] = SITED_NO;
	if (row->kind == METHOD_JAVA && row->class_name &&
		plan_of(&(struct jvm_method){.class_name = (char *)row->class_name,
				.name = (char *)row->name,
				.is_jdk = is_jdk(row->class_name)})
			.sites)
		sited.is[method] = SITED_YES;
	return sited.is[method] == SITED_YES;
}

void put_samples_forget(void)
{
	free(sited.is);
	sited.is = NULL;
	sited.room = 0;
}

/* Where the next frame hangs: at the site of the frame's line, if its method keeps them apart. */
static uint32_t site_below(uint32_t node, uint32_t method, const struct frame_name *name)
{
	uint32_t site = 0;

	if (plan_keeps_sites() && method >= METHOD_FIRST && name->has_lines && name->line > 0 &&
		name->line <= LABEL_LINE_MAX && keeps_sites(method))
		site = node_label(method, LABEL_LINE, name->line);
	return site ? sample_tree_child(sampling.tree, node, site) : node;
}

static void add_stack(const struct sample_record *record)
{
	static struct frame_name frame[STACK_FRAMES];
	static uint32_t method[STACK_FRAMES];
	unsigned frames = name_frames(record, frame), below;
	struct frame_name *name = frame;
	uint32_t node, next, line;

	if (record->kind == EXCEPTION_CREATED && record->sum.subject >= METHOD_FIRST) {
		unsigned constructors = constructors_of(record, frame, frames);

		name += constructors;
		frames -= constructors;
	}
	sampling.ended[record->end]++;
	/* In code of which nothing is known: it is in the tree all the same. */
	if (record->frames == 0 && record->end > WALK_CUT)
		name[0] = (struct frame_name){.state = SAMPLE_UNKNOWN};
	else if (frames == 0 && record->kind == SAMPLES) {
		lose(record, SAMPLE_INSIDE);
		return;
	}
	/* Without memory a method has no name: its path is given up there, as where nodes have no room. */
	for (unsigned i = 0; i < frames; i++)
		method[i] = name[i].method ? name[i].method : METHOD_FOLDED;
	node = anchor(row_for(record), record->node);
	if (node == 0) {
		if (record->kind == SAMPLES)
			lose(record, SAMPLE_FULL);
		else
			count_event(record, 0);
		return;
	}
	below = record->method == METHOD_ROOT ? frames
					      : find_method(method, frames, record->method);
	line = line_of(name, frames, below);
	/* The stack does not lead to where the events say that the thread is. */
	if (below == frames && record->method != METHOD_ROOT)
		below = line = 0;
	else if (below == frames && record->end == WALK_CUT)
		node = mark_below(node, "(cut)");
	else if (below == frames && record->end > WALK_CUT)
		node = mark_below(node, "(not walked)");
	for (unsigned i = below; i-- > 0 && node;) {
		next = sample_tree_child(sampling.tree, node, method[i]);
		if (next == 0) {
			next = sample_tree_folded(sampling.tree, node, method[0]);
			line = line_of(name, frames, 0);
			i = 0;
		}
		node = i > 0 ? site_below(next, method[i], &name[i]) : next;
		if (node == 0) {
			node = sample_tree_folded(sampling.tree, next, method[0]);
			line = line_of(name, frames, 0);
			break;
		}
	}
	if (record->about & SAMPLE_WAITED)
		name[0].state = SAMPLE_WAITING;
	/* What the sample is about has the state of the code that did it. */
	if (frames > 1 && name[0].state != SAMPLE_JPROF &&
		frame_unpack(record->frame[0]).kind == FRAME_NAMED)
		name[0].state = name[1].state;
	/* No line of the program is a call of the probe. */
	if (name[0].state == SAMPLE_JPROF)
		line = 0;
	count(record, node, name[0].state, line);
}

static void add_record(void *unused, const struct sample_record *record)
{
	if (record->about & SAMPLE_NOTE)
		add_note(record);
	else if (record->about & SAMPLE_PLACED)
		count_event(record, sample_tree_now(sampling.tree, record->node));
	else
		add_stack(record);
}

static void tell_lost(enum account_kind kind, uint64_t cookie)
{
	if (placed[kind])
		placed[kind](cookie, 0);
}

static void renew_modules(void)
{
	struct modules *fresh = modules_read(), **before = sampling.modules_before;

	if (!fresh)
		return;
	/* The oldest goes: no handler has looked at it since the newer ones came. */
	if (sampling.modules_kept == MODULES_BEFORE) {
		modules_destroy(before[0]);
		memmove(before, before + 1, (MODULES_BEFORE - 1) * sizeof(*before));
		sampling.modules_kept--;
	}
	before[sampling.modules_kept++] = sampling.modules;
	sampling.modules = fresh;
	sampling_walker.modules = fresh;
}

static void (*drained)(void);

void sampler_on_drained(void (*tell)(void))
{
	drained = tell;
}

/* Stacks wait for the flush as long as there is room and no library goes: to look up names is work for which a program
 * that has just begun has no processor to spare. */
static void drain(bool all)
{
	unsigned long long removed = sampling.modules->removed;
	sigset_t before;

	/* Threads that do not run Java have no events, but what conditions they hold for. */
	if (sampling.conditions > 0)
		sampled_threads_look();
	if (modules_changed(sampling.modules))
		renew_modules();
	if (all || sampling.modules->removed != removed || sampled_threads_many_ended() ||
		!sample_buffer_has_room(sampling.buffer) ||
		atomic_load_explicit(&sampling.hurried, memory_order_relaxed)) {
		atomic_store(&sampling.hurried, false);
		safe_read_begin(&before);
		sample_drain(sampling.buffer, add_record, NULL);
		safe_read_end(&before);
		sampling_give_up_asking(tell_lost);
		if (drained)
			drained();
		pass_went();
		/* Behind it: stacks know their thread by its place, which another one may have then. */
		sampled_threads_sweep();
	}
}

static int put_threads(struct profile_writer *profile, struct error *error)
{
	int status = 0;

	for (size_t i = 0; i < sampling.rows && status == 0; i++) {
		struct row *row = &sampling.row[i];
		bool is_its = row->thread->row == row->id;
		const struct profile_thread record = {.id = row->id,
			.java_id = row->java_id,
			.os_id = row->tid,
			.name = row->name,
			.alive = is_its && !row->thread->gone,
			.folded = 1,
			.wanted = is_its ? row->thread->wanted : row->wanted};
		static const uint64_t nothing[PROFILE_METRIC_MAX];
		const struct profile_node root = {.thread = row->id,
			.method = METHOD_ROOT,
			.base = nothing,
			.spent = nothing};
		const struct profile_forward into = {.thread = row->id, .to_thread = row->into};

		/* Who looks at an interval that began before finds it by its root. */
		if (row->joined && row->put)
			status = profile_drop_thread(profile, row->id, error);
		if (row->joined && row->put && status == 0)
			status = profile_put(profile, &into, error);
		if (row->joined)
			continue;
		row->wanted = (uint8_t)record.wanted;
		status = profile_put(profile, &record, error);
		if (status == 0)
			status = profile_put(profile, &root, error);
		row->put = true;
	}
	return status;
}

static int put_conditions(struct profile_writer *profile, struct error *error)
{
	int status = 0;

	for (unsigned i = 0; i < sampling.conditions && status == 0; i++) {
		const struct condition *condition = &sampling.condition[i];
		bool entry = condition->choice.kind == SAMPLE_ENTER;
		const struct profile_condition record = {.id = i,
			.name = condition->name,
			.event = entry ? "enter" : condition->choice.event,
			.period = condition->choice.period,
			.unit = sample_choice_unit(&condition->choice),
			.how = condition->how};

		status = profile_put(profile, &record, error);
	}
	return status;
}

static int put(struct profile_writer *profile, struct error *error)
{
	int status = put_conditions(profile, error);

	if (status == 0)
		status = put_threads(profile, error);
	return status == 0 ? sample_tree_put(sampling.tree, profile, error) : status;
}

static void put_done(bool kept)
{
	sample_tree_confirm(sampling.tree, kept);
}

static void put_fact(const char *condition, const char *what, uint64_t number, fact_put put_it,
	void *argument)
{
	char key[400];

	snprintf(key, sizeof(key), "sample.%s.%s", condition, what);
	if (number > 0)
		fact_put_number(put_it, argument, key, number);
}

static void facts(fact_put put_it, void *argument)
{
#define X(loss, name) [loss] = name,
	static const char *const losses[SAMPLE_LOSSES] = {SAMPLE_LOSS_TABLE(X)};
#undef X
	struct sampled_threads_state threads = sampled_threads_state();
	char key[64];

	for (unsigned i = 0; i < sampling.conditions; i++) {
		const struct condition *condition = &sampling.condition[i];

		put_fact(condition->name, "taken", condition->taken, put_it, argument);
		put_fact(condition->name, "stacks", condition->stacks, put_it, argument);
		put_fact(condition->name, "squares", condition->squares, put_it, argument);
		put_fact(condition->name, "throttled", condition->throttled, put_it, argument);
		put_fact(condition->name, "rest", condition->rest / condition->choice.period,
			put_it, argument);
		for (int loss = 0; loss < SAMPLE_LOSSES; loss++)
			put_fact(condition->name, losses[loss], condition->loss[loss], put_it,
				argument);
	}
	for (int end = WALK_CUT; end < WALK_ENDS; end++) {
		snprintf(key, sizeof(key), "sample.walk.%s", walk_end_names[end]);
		if (sampling.ended[end])
			fact_put_number(put_it, argument, key, sampling.ended[end]);
	}
	for (int kind = 0; kind < ACCOUNT_KINDS; kind++) {
		snprintf(key, sizeof(key), "trace.lost.%s", account_kind_names[kind]);
		if (sampling.events_lost[kind])
			fact_put_number(put_it, argument, key, sampling.events_lost[kind]);
	}
	if (sampling.handled == 0 && sampling.conditions == 0)
		return;
	fact_put_number(put_it, argument, "sample.cost_ns", clock_ticks_to_ns(sampling.ticks));
	fact_put_number(put_it, argument, "sample.handled", sampling.handled);
	if (threads.timed + sampling.eased)
		fact_put_number(put_it, argument, "sample.threads.timed",
			threads.timed + sampling.eased);
	if (threads.refused)
		fact_put_number(put_it, argument, "sample.threads.refused", threads.refused);
	if (threads.late_ns)
		fact_put_number(put_it, argument, "sample.late_ns", threads.late_ns);
}

bool sampler_add(uint32_t place, const struct sampler_event *event)
{
	const struct sample_sum more = {.kind = event->kind,
		.subject = event->subject,
		.count = event->count,
		.failures = event->failures,
		.amount = event->amount,
		.ns = event->ns};

	return sample_tree_add(sampling.tree, sample_tree_now(sampling.tree, place), &more);
}

void sampler_place_node(uint32_t place, uint32_t *row, uint32_t *node)
{
	sample_tree_node(sampling.tree, place, row, node);
}

uint32_t sampler_place_of(uint32_t row, uint32_t node)
{
	return anchor(row, node);
}

static void forward(const struct profile_forward *record)
{
	sample_tree_forward(sampling.tree, record);
	note_went(record);
}

static bool expected(void)
{
	return sampling.conditions > 0 || atomic_load(&sampling.expects_events);
}

const struct sample_source sampler_source = {.expected = expected,
	.drain = drain,
	.put = put,
	.put_done = put_done,
	.forward = forward,
	.facts = facts};
