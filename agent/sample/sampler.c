/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/* sampler: see sampler.h. */
#include "agent/sample/sampler.h"

#include <errno.h>
#include <inttypes.h>
#include <linux/perf_event.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "agent/code/stubs.h"
#include "agent/log/log.h"
#include "agent/sample/frame_names.h"
#include "agent/sample/sample_tree.h"
#include "agent/sample/sampled_threads.h"
#include "agent/sample/wall_clock.h"
#include "agent/stack/code.h"
#include "agent/stack/known_places.h"
#include "agent/stack/safe_read.h"
#include "agent/stack/vm_threads.h"
#include "agent/threads/thread_slot.h"
#include "metric/metric.h"
#include "options/sample_choice.h"
#include "symbols/elf_symbols.h"
#include "symbols/modules.h"
#include "time_stamp.h"

enum {
	STACK_FRAMES = 1024, /* deeper ones are cut */
	STACKS = 64,         /* threads that walk at the same time */
	STACK_TRIES = 1000,  /* to get one outside of a handler */
	BUFFER_SHARE = 16,   /* of max_memory for stacks on their way, and */
	TREE_SHARE = 4,      /* for call paths */
	MODULES_BEFORE = 16
};

/* ---- what the JVM has told ---- */

static struct vm_layout layout;
static struct error unknown; /* why stacks cannot be read */
static bool probed, learnt;

struct condition {
	char name[280];
	struct sample_choice choice;
	struct sample_event_choice event;
	const char *how;
	_Atomic uint64_t taken, loss[SAMPLE_LOSSES], throttled;
};

/* One sampling. Handlers see it from begin to stop. */
static struct sampling {
	struct session *session;
	struct condition condition[SAMPLE_CONDITIONS];
	unsigned conditions;
	struct sample_buffer *buffer;
	struct seen_methods *seen;
	struct known_places *known;
	struct walker walker;
	struct modules
		*modules; /* the newest, and those of before, which handlers may look at */
	struct modules *modules_before[MODULES_BEFORE];
	unsigned modules_kept;
	struct frame_names *names;
	struct sample_tree *tree;
	struct stack {
		_Atomic bool used;
		struct stack_frame frame[STACK_FRAMES];
	} * stack;
	_Atomic uint64_t ticks, handled; /* of handlers */
	_Atomic uint64_t ended[WALK_ENDS];
	struct row { /* of a thread that the trace has none for */
		struct sampled_thread *thread;
		uint32_t id;
		int64_t java_id;
		pid_t tid;
		char name[256];
		bool joined; /* the trace has one now, which the samples went to */
		bool put;
	} * row;
	size_t rows, row_room;
} sampling;

static _Atomic bool active;
static _Atomic uint32_t inside; /* handlers */
static int sample_signal;

void sampler_probe(void *(*symbol)(const char *name), unsigned java)
{
	if (!probed)
		probed = vm_layout_read(&layout, symbol, java, &unknown) == 0;
}

void sampler_learn(uintptr_t current, void *(*symbol)(const char *name), const char *library,
	const struct frozen_fields *fields, bool narrow)
{
	struct elf_symbols *symbols;
	uint64_t address = 0;
	uintptr_t fetch;

	if (learnt || !probed)
		return;
	/* The JVM's own guarded load: a local function, or, in older ones, made at run time. */
	symbols = elf_symbols_create(library, NULL);
	fetch = stubs_named("SafeFetchN");
	if (symbols && elf_symbols_address(symbols, "SafeFetchN_impl", &address)) {
		struct modules *modules = modules_read();
		const struct module *module =
			modules ? modules_find(modules, (uintptr_t)symbol("JNI_CreateJavaVM"))
				: NULL;

		if (module)
			fetch = module->bias + address;
		modules_destroy(modules);
	}
	elf_symbols_destroy(symbols);
	safe_read_by((safe_fetch)fetch);
	code_use(&layout);
	frozen_use(&layout, fields, narrow);
	if (!vm_threads_learn(&layout, current, symbol)) {
		error_set(&unknown, ERROR_MISSING,
			"this JVM does not tell which thread is which");
		return;
	}
	learnt = true;
}

bool sampler_has_learnt(void)
{
	return learnt;
}

/* ---- conditions ---- */

/* Processor time: by perf, the kernel's part too; where that is not allowed, by timers. */
static int choose_clock(struct condition *condition, struct error *error)
{
	struct sample_event_choice *event = &condition->event;

	event->clock = true;
	event->kernel_stack = true;
	event->perf = (struct perf_event_choice){
		.type = PERF_TYPE_SOFTWARE, .config = PERF_COUNT_SW_TASK_CLOCK};
	condition->how = "perf task-clock";
	if (sample_event_try(event) == 0)
		return 0;
	event->timers = true;
	event->kernel_stack = false;
	condition->how = "timers of the kernel's tick: perf events are forbidden here";
	log_line(LOG_INFO,
		"sample=%s: perf events are forbidden here, timers do it: a sample each tick "
		"of "
		"the kernel, without its part of the stack",
		condition->name);
	return 0;
}

static int choose_event(struct condition *condition, struct error *error)
{
	struct sample_event_choice *event = &condition->event;
	int status = metric_event(&event->perf, condition->choice.event, error);

	if (status < 0)
		return status;
	event->kernel_stack = !event->perf.exclude_kernel;
	condition->how = "perf event";
	status = sample_event_try(event);
	if (status < 0)
		return perf_event_explain(error, condition->name, &event->perf, -status);
	return 0;
}

static int choose(struct condition *condition, const char *item, struct error *error)
{
	const char *wrong = sample_choice_read(item, &condition->choice);

	if (wrong)
		return error_set(error, ERROR_VALUE, "option 'sample': '%s' %s",
			error_subject(item).text, wrong);
	snprintf(condition->name, sizeof(condition->name), "%s", item);
	condition->event.period = condition->choice.period;
	switch (condition->choice.kind) {
	case SAMPLE_CPU:
		return choose_clock(condition, error);
	case SAMPLE_EVENT:
		return choose_event(condition, error);
	case SAMPLE_ALLOC:
		condition->how = "the JVM's samples of allocations";
		condition->event.period = 0;
		return 0;
	case SAMPLE_ENTER:
		condition->how = "probes at the entry";
		condition->event.period = 0;
		return 0;
	case SAMPLE_WALL:
		condition->how = "a clock that looks at Java's threads";
		condition->event.period = 0;
		return 0;
	default:
		return error_set(error, ERROR_VALUE, "sample=%s: is not there yet", item);
	}
}

static int cannot(struct error *error)
{
	return error_set(
		error, ERROR_MISSING, "stacks cannot be sampled here: %s", unknown.text);
}

int sampler_prepare(const struct options *options, struct error *error)
{
	static const char *const usual[] = {"cpu:1ms"};
	bool given = options->sample.count > 0;
	size_t count = given ? options->sample.count : 1;
	int status = 0;

	if (!probed)
		return cannot(error);
	if (count > SAMPLE_CONDITIONS)
		return error_set(error, ERROR_VALUE, "option 'sample': at most %d conditions",
			SAMPLE_CONDITIONS);
	memset(sampling.condition, 0, sizeof(sampling.condition));
	sampling.conditions = 0;
	for (size_t i = 0; i < count && status == 0; i++)
		status = choose(&sampling.condition[sampling.conditions++],
			given ? options->sample.pattern[i] : usual[i], error);
	return status;
}

/* ---- in the handler ---- */

static void lose(struct condition *condition, enum sample_loss loss, uint32_t periods)
{
	atomic_fetch_add_explicit(&condition->loss[loss], periods, memory_order_relaxed);
}

static void lose_all(const uint32_t *weight, enum sample_loss loss)
{
	for (unsigned i = 0; i < sampling.conditions; i++)
		if (weight[i])
			lose(&sampling.condition[i], loss, weight[i]);
}

static struct stack *take_stack(void)
{
	for (unsigned i = 0; i < STACKS; i++) {
		struct stack *stack = &sampling.stack[i];

		if (!atomic_load_explicit(&stack->used, memory_order_relaxed) &&
			!atomic_exchange_explicit(&stack->used, true, memory_order_acquire))
			return stack;
	}
	return NULL;
}

/* What passed of each condition. False: nothing did. */
static bool poll_events(struct sampled_thread *thread, const siginfo_t *info,
	struct sample_poll *kernel, uint32_t *weight)
{
	bool any = false;

	kernel->frames = 0;
	for (unsigned i = 0; i < sampling.conditions; i++) {
		struct condition *condition = &sampling.condition[i];

		kernel->periods = kernel->lost = kernel->throttled = 0;
		if (condition->choice.kind == SAMPLE_WALL)
			kernel->periods = atomic_exchange(&thread->due, 0);
		else
			sample_event_poll(&thread->event[i], info, kernel);
		weight[i] = kernel->periods;
		any |= weight[i] > 0;
		if (kernel->lost)
			lose(condition, SAMPLE_KERNEL_LOST, kernel->lost);
		if (kernel->throttled)
			atomic_fetch_add(&condition->throttled, kernel->throttled);
	}
	return any;
}

/* Where the thread is in the trace. False: what it does is not to be recorded. */
static bool find_node(
	struct sampled_thread *thread, struct sample_record *where, enum sample_loss *loss)
{
	struct thread_slot *slot = slot_current;
	struct thread_context *context;

	*where = (struct sample_record){0};
	*loss = SAMPLE_OUTSIDE;
	if (!slot)
		return !thread->unwanted;
	if (!slot->carrier_slot)
		atomic_store_explicit(&thread->slot, slot, memory_order_relaxed);
	*loss = SAMPLE_INSIDE;
	if (slot_state(slot) == SLOT_INSIDE)
		return false;
	*loss = SAMPLE_OUTSIDE;
	if (slot_state(slot) == SLOT_SHUT)
		return false;
	context = slot_context(slot);
	if (!context || atomic_load(&slot->session) != session_now())
		return !thread->unwanted;
	where->about = slot->carrier_slot ? SAMPLE_VIRTUAL : 0;
	where->row = context->row.id;
	where->node = tree_refer(&context->tree, context->current);
	where->method = tree_at(&context->tree, context->current)->method;
	return true;
}

/* Where calls are measured, what the handler uses is known to be jprof's own. */
static struct thread_context *begin_spending(const struct sample_record *where)
{
	struct thread_context *context = where->row ? slot_context(slot_current) : NULL;

	if (!context || !session_has_events(sampling.session) || !slot_enter(slot_current))
		return NULL;
	context_settle(context);
	return context;
}

static void end_spending(struct thread_context *context)
{
	if (!context)
		return;
	context_spend_all(context);
	slot_leave(slot_current);
}

/* Frames of the kernel come before those of the thread. */
static unsigned walk_all(struct stack *stack, const struct sample_poll *kernel, const void *uc,
	enum walk_end *end)
{
	struct machine from = machine_interrupted(uc);
	struct walk_thread thread = vm_thread_now(from.sp);
	unsigned frames = kernel->frames;

	for (unsigned i = 0; i < frames; i++)
		stack->frame[i] = (struct stack_frame){
			.what = kernel->frame[i], .kind = FRAME_KERNEL, .bci = -1};
	return frames + walk_stack(&sampling.walker, &thread, &from, stack->frame + frames,
				STACK_FRAMES - frames, end);
}

static void record(const struct sample_record *where, const struct sampled_thread *thread,
	const struct stack_frame *frame, unsigned frames, enum walk_end end,
	const uint32_t *weight)
{
	struct sample_record *record = sample_claim(sampling.buffer, frames);

	if (!record) {
		lose_all(weight, SAMPLE_FULL);
		return;
	}
	record->thread = thread->index;
	record->row = where->row;
	record->node = where->node;
	record->method = where->method;
	record->end = (uint8_t)end;
	record->about = where->about;
	memcpy(record->weight, weight, sizeof(record->weight));
	for (unsigned i = 0; i < frames; i++)
		record->frame[i] = frame_pack(&frame[i]);
	sample_ready(record);
}

/* Of a stack: what it took since `begin`. */
static void count_cost(uint64_t begin)
{
	atomic_fetch_add_explicit(
		&sampling.ticks, time_stamp_read() - begin, memory_order_relaxed);
	atomic_fetch_add_explicit(&sampling.handled, 1, memory_order_relaxed);
}

/* ---- outside of a handler, which may come in the midst of it ---- */

/* Other threads have them all for a moment only. NULL: they did not let go of one. */
static struct stack *wait_for_stack(void)
{
	struct stack *stack = take_stack();

	for (int i = 0; !stack && i < STACK_TRIES; i++) {
		sched_yield();
		stack = take_stack();
	}
	return stack;
}

/* A stack from where the thread left Java. */
struct left_java {
	uint32_t about;   /* id of what comes in front of it; 0: nothing */
	uint32_t entered; /* id of the method that is entered; 0: none is */
	bool by_probe;    /* the probe's frame, the innermost, is not a part of it */
};

/* Returns the frames, and how many. */
static const struct stack_frame *walk_left(struct stack *stack, const struct left_java *left,
	const struct walk_thread *thread, unsigned *count, enum walk_end *end)
{
	const struct stack_frame *first = stack->frame;
	unsigned named = left->about != 0;

	if (named)
		stack->frame[0] = (struct stack_frame){
			.what = left->about, .kind = FRAME_NAMED, .bci = -1};
	*count = named + walk_java(&sampling.walker, thread,
				 (uintptr_t)__builtin_frame_address(0), stack->frame + named,
				 STACK_FRAMES - named, end);
	if (left->by_probe && *count > 0 && first->kind == FRAME_JAVA_NATIVE) {
		first++;
		--*count;
	}
	if (*count > 0 || left->entered == 0)
		return first;
	/* What was entered is known in any case. */
	stack->frame[0] =
		(struct stack_frame){.what = left->entered, .kind = FRAME_NAMED, .bci = -1};
	*count = 1;
	return stack->frame;
}

static void take_left(const uint32_t *weight, const struct left_java *left)
{
	struct walk_thread walked = vm_thread_now((uintptr_t)__builtin_frame_address(0));
	struct sampled_thread *thread = sampled_thread_known(walked.java);
	struct stack *stack = wait_for_stack();
	struct sample_record where;
	enum sample_loss loss = SAMPLE_FULL;
	enum walk_end end;
	unsigned frames;

	if (stack && thread && walked.java && find_node(thread, &where, &loss)) {
		struct thread_context *context = begin_spending(&where);
		const struct stack_frame *frame =
			walk_left(stack, left, &walked, &frames, &end);

		record(&where, thread, frame, frames, end, weight);
		end_spending(context);
	} else {
		lose_all(weight, loss);
	}
	if (stack)
		atomic_store_explicit(&stack->used, false, memory_order_release);
}

static void take_if_active(const uint32_t *weight, const struct left_java *left)
{
	int saved_errno = errno;
	uint64_t begin = time_stamp_read();

	atomic_fetch_add(&inside, 1);
	if (atomic_load(&active)) {
		take_left(weight, left);
		count_cost(begin);
	}
	atomic_fetch_sub(&inside, 1);
	errno = saved_errno;
}

void sampler_take(unsigned condition, uint32_t periods, uint32_t about)
{
	uint32_t weight[SAMPLE_CONDITIONS] = {0};

	weight[condition] = periods;
	take_if_active(weight, &(struct left_java){.about = about});
}

void sampler_take_entered(
	const uint32_t weight[SAMPLE_CONDITIONS], uint32_t method, bool by_probe)
{
	take_if_active(weight, &(struct left_java){.entered = method, .by_probe = by_probe});
}

static uint64_t key_of(const struct stack_frame *frame, unsigned frames)
{
	uint64_t key = atomic_load(&session_number);

	for (unsigned i = 0; i < frames; i++) {
		if (!frame_is_java(&frame[i]))
			continue;
		key = (key ^ frame[i].what) * UINT64_C(0x9e3779b97f4a7c15);
		key ^= key >> 29;
	}
	return key;
}

uint64_t sampler_stack_key(void)
{
	uint64_t key = 0;

	if (!atomic_load_explicit(&active, memory_order_relaxed))
		return 0;
	atomic_fetch_add(&inside, 1);
	if (atomic_load(&active)) {
		struct walk_thread thread =
			vm_thread_now((uintptr_t)__builtin_frame_address(0));
		struct stack *stack = thread.java ? take_stack() : NULL;
		enum walk_end end;
		unsigned frames;

		if (stack) {
			frames = walk_java(&sampling.walker, &thread,
				(uintptr_t)__builtin_frame_address(0), stack->frame,
				STACK_FRAMES, &end);
			if (end == WALK_WHOLE || end == WALK_VIRTUAL)
				key = key_of(stack->frame, frames);
			atomic_store_explicit(&stack->used, false, memory_order_release);
		}
	}
	atomic_fetch_sub(&inside, 1);
	return key;
}

bool sampler_records(void)
{
	const struct thread_slot *slot = slot_current;
	const struct sampled_thread *thread;

	if (!atomic_load_explicit(&active, memory_order_relaxed) ||
		(slot && slot_state(slot) != SLOT_FREE))
		return false;
	if (slot && slot_context(slot) && atomic_load(&slot->session) == session_now())
		return true;
	thread = sampled_thread_now();
	return !thread || !thread->unwanted;
}

int sampler_condition(enum sample_event_kind kind, unsigned from)
{
	for (unsigned i = from; atomic_load(&active) && i < sampling.conditions; i++)
		if (sampling.condition[i].choice.kind == kind)
			return (int)i;
	return -1;
}

uint64_t sampler_period(unsigned condition)
{
	return sampling.condition[condition].choice.period;
}

static void take(const siginfo_t *info, const void *uc)
{
	uint32_t weight[SAMPLE_CONDITIONS] = {0};
	struct sampled_thread *thread = sampled_thread_now();
	struct sample_poll kernel;
	struct sample_record where;
	enum sample_loss loss;
	struct stack *stack;
	enum walk_end end;
	unsigned frames;

	if (!thread || !poll_events(thread, info, &kernel, weight))
		return;
	stack = take_stack();
	if (!stack || !find_node(thread, &where, &loss)) {
		lose_all(weight, stack ? loss : SAMPLE_FULL);
	} else {
		struct thread_context *context = begin_spending(&where);

		frames = walk_all(stack, &kernel, uc, &end);
		record(&where, thread, stack->frame, frames, end, weight);
		end_spending(context);
	}
	if (stack)
		atomic_store_explicit(&stack->used, false, memory_order_release);
}

static void on_signal(int signal, siginfo_t *info, void *uc)
{
	int saved_errno = errno;
	uint64_t begin = time_stamp_read();

	atomic_fetch_add(&inside, 1);
	if (atomic_load(&active)) {
		take(info, uc);
		count_cost(begin);
	}
	atomic_fetch_sub(&inside, 1);
	errno = saved_errno;
}

/* ---- on the clock's thread ---- */

/* The nearest node of the path that the file has, in the row of the thread's context. The thread may be
 * recording right now, but for what the tree's lock keeps. */
static void find_node_outside(const struct sampled_thread *thread, struct sample_record *where)
{
	struct thread_slot *slot = atomic_load(&thread->slot);
	struct thread_context *context = slot && atomic_load(&slot->session) == session_now()
						 ? slot_context(slot)
						 : NULL;
	uint32_t index;

	*where = (struct sample_record){.about = SAMPLE_WAITED};
	if (!context)
		return;
	where->row = context->row.id;
	lock_take(&context->tree.lock);
	index = __atomic_load_n(&context->current, __ATOMIC_ACQUIRE);
	while (index != TREE_ROOT && *tree_written(&context->tree, index) == 0)
		index = tree_at(&context->tree, index)->parent;
	where->node = tree_at(&context->tree, index)->id;
	where->method = tree_at(&context->tree, index)->method;
	lock_give(&context->tree.lock);
}

/* A thread that waits is walked from here, so that it is not disturbed. False: it does not wait. */
static bool take_outside(struct sampled_thread *thread, const uint32_t *weight)
{
	struct vm_anchor before = vm_anchor_of(thread->java), after;
	struct stack *stack = vm_anchor_holds(&before) ? take_stack() : NULL;
	struct sample_record where;
	struct walk_thread walked;
	enum walk_end end;
	unsigned frames;
	uintptr_t low;
	bool same;

	if (!stack)
		return false;
	walked = vm_thread_stack(thread->java, &low);
	frames = walk_java(&sampling.walker, &walked, low, stack->frame, STACK_FRAMES, &end);
	find_node_outside(thread, &where);
	after = vm_anchor_of(thread->java);
	same = memcmp(&before, &after, sizeof(before)) == 0;
	if (same)
		record(&where, thread, stack->frame, frames, end, weight);
	atomic_store_explicit(&stack->used, false, memory_order_release);
	return same;
}

/* A thread that runs gets the signal, as for any other condition. */
static void look(struct sampled_thread *thread, uint32_t ticks)
{
	uint32_t weight[SAMPLE_CONDITIONS] = {0};
	uint64_t ran = sampled_thread_ran(thread), used = ran - thread->ran;
	int wall = sampler_condition(SAMPLE_WALL, 0);
	bool runs = used > ticks * sampling.condition[wall].choice.period / 2;

	thread->ran = ran;
	weight[wall] = ticks;
	if (runs || !take_outside(thread, weight)) {
		atomic_fetch_add(&thread->due, ticks);
		tgkill(getpid(), thread->tid, sample_signal);
	}
}

/* ---- on the writer's thread: stacks become nodes ---- */

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
		.tid = thread->tid};
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
		if (record->weight[i] == 0)
			continue;
		if (sample_tree_count(sampling.tree, node, sample_place(i, state, line), 1,
			    record->weight[i]))
			atomic_fetch_add(&sampling.condition[i].taken, record->weight[i]);
		else
			atomic_fetch_add(
				&sampling.condition[i].loss[SAMPLE_FULL], record->weight[i]);
	}
}

/* Names of the frames, in order, without those of functions that stand in for the JDK's. Returns how
 * many; 0: the thread was in jprof. */
static unsigned name_frames(const struct sample_record *record, struct frame_name *name)
{
	enum sample_state work = SAMPLE_UNKNOWN;
	unsigned count = 0;

	for (unsigned i = 0; i < record->frames; i++) {
		struct stack_frame frame = frame_unpack(record->frame[i]);

		name[count] = frame_name(sampling.names, &frame);
		if (name[count].probe && (count == 0 || frame_is_java(&frame)))
			return 0;
		/* The outermost one tells what the thread is for. */
		if (name[count].state == SAMPLE_GC || name[count].state == SAMPLE_JIT ||
			frame_is_java(&frame))
			work = name[count].state;
		count += !name[count].probe;
	}
	while (count > 1 && name[count - 1].outermost)
		count--;
	if (work == SAMPLE_GC || work == SAMPLE_JIT)
		name[0].state = work;
	return count;
}

/* The node of a mark there; the node itself where memory is short. */
static uint32_t mark_below(uint32_t node, const char *mark)
{
	uint32_t marked =
		sample_tree_child(sampling.tree, node, frame_mark(sampling.names, mark));

	return marked ? marked : node;
}

static void add_sample(void *unused, const struct sample_record *record)
{
	static struct frame_name name[STACK_FRAMES];
	static uint32_t method[STACK_FRAMES];
	unsigned frames = name_frames(record, name), below;
	bool astray = false;
	uint32_t node, next;

	sampling.ended[record->end]++;
	if (frames == 0) {
		lose_all(record->weight, SAMPLE_INSIDE);
		return;
	}
	/* Without memory a method has no name: its path is given up there, as where nodes have no room. */
	for (unsigned i = 0; i < frames; i++)
		method[i] = name[i].method ? name[i].method : METHOD_FOLDED;
	node = sample_tree_anchor(sampling.tree, row_for(record), record->node);
	if (node == 0) {
		lose_all(record->weight, SAMPLE_FULL);
		return;
	}
	below = record->method == METHOD_ROOT ? frames
					      : find_method(method, frames, record->method);
	/* The stack does not lead to where the events say that the thread is. */
	if (below == frames && record->method != METHOD_ROOT) {
		below = 0;
		astray = true;
	} else if (below == frames && record->end == WALK_CUT)
		node = mark_below(node, "(cut)");
	else if (below == frames && record->end > WALK_CUT)
		node = mark_below(node, "(not walked)");
	for (unsigned i = below; i-- > 0 && node;) {
		next = sample_tree_child(sampling.tree, node, method[i]);
		if (next == 0)
			next = sample_tree_folded(sampling.tree, node, method[0]), i = 0;
		node = next;
	}
	if (record->about & SAMPLE_WAITED)
		name[0].state = SAMPLE_WAITING;
	/* What the sample is about has the place of the code that did it. */
	if (frame_unpack(record->frame[0]).kind == FRAME_NAMED && frames > 1) {
		name[0].state = name[1].state;
		name[0].line = name[1].line;
	}
	if (node)
		count_sample(record, node, name[0].state, astray ? 0 : name[0].line);
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
	sampling.walker.modules = fresh;
}

static void drain(void)
{
	sigset_t before;

	sampled_threads_look();
	if (modules_changed(sampling.modules))
		renew_modules();
	safe_read_begin(&before);
	sample_drain(sampling.buffer, add_sample, NULL);
	safe_read_end(&before);
	sampled_threads_sweep();
}

static int put_threads(struct profile_writer *profile, struct error *error)
{
	int status = 0;

	for (size_t i = 0; i < sampling.rows && status == 0; i++) {
		struct row *row = &sampling.row[i];
		const struct profile_thread record = {.id = row->id,
			.java_id = row->java_id,
			.os_id = row->tid,
			.name = row->name,
			.alive = row->thread->row == row->id && !row->thread->gone,
			.folded = 1};
		static const uint64_t nothing[PROFILE_METRIC_MAX];
		const struct profile_node root = {.thread = row->id,
			.method = METHOD_ROOT,
			.base = nothing,
			.spent = nothing};

		if (row->joined && row->put)
			status = profile_drop_thread(profile, row->id, error);
		if (row->joined)
			continue;
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
	int status;

	drain();
	status = put_conditions(profile, error);
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
		put_fact(condition->name, "throttled", condition->throttled, put_it, argument);
		for (int loss = 0; loss < SAMPLE_LOSSES; loss++)
			put_fact(condition->name, losses[loss], condition->loss[loss], put_it,
				argument);
	}
	for (int end = WALK_CUT; end < WALK_ENDS; end++) {
		snprintf(key, sizeof(key), "sample.walk.%s", walk_end_names[end]);
		if (sampling.ended[end])
			fact_put_number(put_it, argument, key, sampling.ended[end]);
	}
	fact_put_number(put_it, argument, "sample.cost_ns", clock_ticks_to_ns(sampling.ticks));
	fact_put_number(put_it, argument, "sample.handled", sampling.handled);
	if (threads.timed)
		fact_put_number(put_it, argument, "sample.threads.timed", threads.timed);
	if (threads.refused)
		fact_put_number(put_it, argument, "sample.threads.refused", threads.refused);
	if (threads.late_ns)
		fact_put_number(put_it, argument, "sample.late_ns", threads.late_ns);
}

static void forward(const struct profile_forward *record)
{
	sample_tree_forward(sampling.tree, record);
}

const struct sample_source sampler_source = {
	.drain = drain, .put = put, .put_done = put_done, .forward = forward, .facts = facts};

/* ---- begin and end ---- */

/* A signal that nobody has a handler for. It stays jprof's for good: one that comes late must not end the
 * process. 0: there is none. */
static int take_signal(void)
{
	static const int candidates[] = {SIGSTKFLT, SIGPROF, SIGVTALRM, SIGPWR};
	struct sigaction before, action = {.sa_flags = SA_SIGINFO | SA_RESTART};

	for (size_t i = 0; i < sizeof(candidates) / sizeof(*candidates); i++) {
		if (sigaction(candidates[i], NULL, &before) != 0 ||
			(before.sa_flags & SA_SIGINFO) || before.sa_handler != SIG_DFL)
			continue;
		action.sa_sigaction = on_signal;
		sigfillset(&action.sa_mask);
		/* What the JVM's guarded load raises. */
		sigdelset(&action.sa_mask, SIGSEGV);
		sigdelset(&action.sa_mask, SIGBUS);
		if (sigaction(candidates[i], &action, NULL) == 0)
			return candidates[i];
	}
	return 0;
}

static void give_all_back(void)
{
	free(sampling.row);
	sampling.row = NULL;
	sampling.rows = sampling.row_room = 0;
	sample_buffer_destroy(sampling.buffer);
	seen_methods_destroy(sampling.seen);
	known_places_destroy(sampling.known);
	frame_names_destroy(sampling.names);
	sample_tree_destroy(sampling.tree);
	modules_destroy(sampling.modules);
	while (sampling.modules_kept > 0)
		modules_destroy(sampling.modules_before[--sampling.modules_kept]);
	free(sampling.stack);
	sampling.buffer = NULL;
	sampling.seen = NULL;
	sampling.known = NULL;
	sampling.names = NULL;
	sampling.tree = NULL;
	sampling.modules = NULL;
	sampling.stack = NULL;
}

int sampler_open(struct session *session, struct error *error)
{
	uint64_t memory = session->options.max_memory;

	if (!learnt)
		return cannot(error);
	if (sampling.buffer)
		return error_set(error, ERROR_BUSY,
			"the samples of the recording before are still being written");
	sampling.session = session;
	sampling.ticks = sampling.handled = 0;
	memset((void *)sampling.ended, 0, sizeof(sampling.ended));
	sampling.buffer = sample_buffer_create(memory / BUFFER_SHARE);
	sampling.seen = seen_methods_create(&layout);
	sampling.modules = modules_read();
	sampling.known = known_places_create(); /* without it a walk is slower */
	sampling.walker =
		(struct walker){&layout, sampling.seen, sampling.modules, sampling.known};
	sampling.names = frame_names_create(&sampling.walker);
	sampling.tree = sample_tree_create(memory / TREE_SHARE);
	sampling.stack = calloc(STACKS, sizeof(*sampling.stack));
	if (!sampling.buffer || !sampling.seen || !sampling.names || !sampling.tree ||
		!sampling.stack || !sampling.modules) {
		give_all_back();
		return error_set(error, ERROR_MEMORY, "no memory to sample stacks");
	}
	if (!sample_signal)
		sample_signal = take_signal();
	if (sample_signal)
		return 0;
	give_all_back();
	return error_set(error, ERROR_BUSY,
		"stacks cannot be sampled: the program has handlers for all signals that could "
		"be used");
}

static bool is_wanted(const char *name, int64_t java_id, pid_t tid)
{
	struct thread_identity identity = {.java_id = java_id, .os_id = tid};

	snprintf(identity.name, sizeof(identity.name), "%s", name);
	return session_wants_thread(sampling.session, &identity);
}

void sampler_begin(void)
{
	struct sample_event_choice choices[SAMPLE_CONDITIONS];
	int wall;

	for (unsigned i = 0; i < sampling.conditions; i++)
		choices[i] = sampling.condition[i].event;
	atomic_store(&active, true);
	sampled_threads_begin(choices, sampling.conditions, sample_signal, is_wanted);
	wall = sampler_condition(SAMPLE_WALL, 0);
	if (wall >= 0 && wall_clock_begin(sampler_period((unsigned)wall), look))
		log_line(LOG_ERROR,
			"sample=%s: its thread cannot be started: there are no such samples",
			sampling.condition[wall].name);
}

bool sampler_stop(void)
{
	static const struct timespec pause = {.tv_nsec = 200 * 1000};

	wall_clock_stop();
	atomic_store(&active, false);
	for (int i = 0; atomic_load(&inside) > 0 && i < 10000; i++)
		nanosleep(&pause, NULL);
	/* Events have memory that a handler reads. */
	sampled_threads_stop();
	return atomic_load(&inside) == 0;
}

void sampler_close(void)
{
	sampled_threads_end();
	give_all_back();
}

void sampler_thread_begins(int64_t java_id, const char *name)
{
	struct walk_thread thread = vm_thread_now((uintptr_t)__builtin_frame_address(0));

	sampled_thread_add(gettid(), java_id, name, thread.java);
	if (sampled_thread_now())
		atomic_store(&sampled_thread_now()->slot, slot_current);
}

void sampler_thread_is(uintptr_t java, int64_t java_id, const char *name)
{
	pid_t tid = vm_thread_system_id(java);

	if (tid)
		sampled_thread_add(tid, java_id, name, java);
}

void sampler_thread_ends(void)
{
	sampled_thread_remove(gettid());
}
