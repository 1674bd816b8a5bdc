/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/* Stacks are taken: in a signal handler, in the midst of an event, and of a thread that waits, from outside;
 * see sampling.h. What the handler does not do: see sampler.h. */
#include <errno.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <string.h>
#include <unistd.h>

#include "agent/sample/sampling.h"
#include "agent/stack/unwind.h"
#include "agent/stack/vm_monitors.h"
#include "agent/stack/vm_threads.h"
#include "agent/threads/thread_slot.h"
#include "metric/clock.h"
#include "time_stamp.h"

enum {
	STACK_TRIES = 1000,            /* to get one outside of a handler */
	ASKED = 512,                   /* events that wait for another thread's stack */
	ANSWER_NS = 1000 * 1000 * 1000 /* that a thread has for it */
};

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

static void give_stack(struct stack *stack)
{
	atomic_store_explicit(&stack->used, false, memory_order_release);
}

static void poll_event(struct sampled_thread *thread, unsigned place, const siginfo_t *info,
	struct sample_poll *kernel)
{
	struct sample_event *event = &thread->event[place];

	sample_event_poll(event, info, kernel);
	thread->told[place] += kernel->periods + kernel->lost;
	if (sample_event_ease(
		    event, &sampling.condition[place].event, thread->tid, sampling_signal))
		atomic_fetch_add(&sampling.eased, 1);
}

/* What passed of each condition. False: nothing did. */
static bool poll_events(struct sampled_thread *thread, const siginfo_t *info,
	struct sample_poll *kernel, uint32_t *weight)
{
	bool any = false;

	kernel->frames = 0;
	kernel->timed = false;
	for (unsigned i = 0; i < sampling.conditions; i++) {
		struct condition *condition = &sampling.condition[i];

		weight[i] = 0;
		if (!sampler_has(i))
			continue;
		kernel->periods = kernel->lost = kernel->throttled = 0;
		if (condition->choice.kind == SAMPLE_WALL)
			kernel->periods = atomic_exchange(&thread->due, 0);
		else
			poll_event(thread, i, info, kernel);
		weight[i] = kernel->periods;
		any |= weight[i] > 0;
		if (kernel->lost)
			sampling_lose_one(condition, SAMPLE_KERNEL_LOST, kernel->lost);
		if (kernel->throttled)
			atomic_fetch_add(&condition->throttled, kernel->throttled);
	}
	return any;
}

/* True if the thread was turned away in an earlier edition, and is not known yet to this one. */
static bool is_asked_again(const struct thread_slot *slot)
{
	return slot_is_behind(slot) && (slot->refused || !session_has_scope(sampling.session));
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
		return thread->wanted;
	if (!slot->carrier_slot)
		atomic_store_explicit(&thread->slot, slot, memory_order_relaxed);
	*loss = SAMPLE_INSIDE;
	if (slot_state(slot) == SLOT_INSIDE)
		return false;
	*loss = SAMPLE_OUTSIDE;
	if (slot_state(slot) == SLOT_SHUT)
		return is_asked_again(slot) && thread->wanted;
	context = slot_context(slot);
	if (!context || !slot_has_joined(slot))
		return thread->wanted;
	where->about = slot->carrier_slot ? SAMPLE_VIRTUAL : 0;
	where->row = context->row.id;
	/* What comes when its context has gone goes to the root. */
	tree_refer(&context->tree, TREE_ROOT);
	where->node = tree_refer(&context->tree, context->current);
	where->method = label_method(tree_at(&context->tree, context->current)->method);
	return true;
}

/* Where calls are measured, what is used here is known to be jprof's own. in_handler: the thread may be in the middle of
 * allocating. */
static struct thread_context *begin_spending(const struct sample_record *where, bool in_handler)
{
	struct thread_context *context = where->row ? slot_context(slot_current) : NULL;

	if (!context || !session_has_events(sampling.session) || !slot_enter_any(slot_current))
		return NULL;
	if (in_handler)
		alloc_interrupt(&context->metric->alloc);
	context_settle(context);
	return context;
}

static void end_spending(struct thread_context *context)
{
	if (!context)
		return;
	context_spend_all(context);
	alloc_resume(&context->metric->alloc);
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
	/* A timer's signal comes as the thread leaves the kernel: it was in there where that is a system call's end. */
	if (kernel->timed && frames == 0 && is_behind_system_call(from.pc))
		stack->frame[frames++] = (struct stack_frame){.kind = FRAME_KERNEL, .bci = -1};
	return frames + walk_stack(&sampling_walker, &thread, &from, stack->frame + frames,
				STACK_FRAMES - frames, end);
}

/* What a stack is taken for: periods of conditions, or an event. */
struct reason {
	const uint32_t *weight;            /* NULL: */
	const struct sampler_event *event; /* that is it, */
	uint64_t key;                      /* with a stack of that number; 0: it has none */
};

static void lose(struct reason reason, enum sample_loss loss)
{
	if (reason.weight)
		sampling_lose(reason.weight, loss);
	else if (loss != SAMPLE_OUTSIDE)
		sampling_lose_event(reason.event->kind, reason.event->count);
}

/* False: it is lost. */
static bool record(const struct sample_record *where, const struct sampled_thread *thread,
	const struct stack_frame *frame, unsigned frames, enum walk_end end,
	struct reason reason)
{
	struct sample_record *record = sample_claim(sampling.buffer, frames);
	const struct sampler_event *event = reason.event;

	if (!record) {
		lose(reason, SAMPLE_FULL);
		return false;
	}
	record->thread = thread->index;
	record->row = where->row;
	record->node = where->node;
	record->method = where->method;
	record->end = (uint8_t)end;
	record->about = where->about | (event && event->later ? SAMPLE_LATER : 0);
	record->kind = event ? (uint8_t)event->kind : SAMPLES;
	if (event)
		record->sum = (struct sample_event_sum){.subject = event->subject,
			.amount = event->amount,
			.ns = event->ns,
			.cookie = event->cookie,
			.key = reason.key,
			.count = event->count,
			.failures = event->failures};
	else
		memcpy(record->weight, reason.weight, sizeof(record->weight));
	for (unsigned i = 0; i < frames; i++)
		record->frame[i] = frame_pack(&frame[i]);
	sample_ready(record);
	return true;
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
	*count = named + walk_java(&sampling_walker, thread,
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

/* So that no other number of a method makes up for another one of these: a walk mixes the first of them with the
 * seed. */
static uint64_t spread(uint64_t number)
{
	number *= UINT64_C(0xd1342543de82ef95);
	return number ^ number >> 32;
}

/* A number for the calling thread's stack in that row, below that node; kinds of events differ in what of a stack they are put
 * below. 0: there is none. */
static uint64_t event_key(const struct walk_thread *walked, const struct sampled_thread *thread,
	const struct sample_record *where, enum account_kind kind)
{
	struct known_key about;
	uint64_t note, key;

	if (walked->guarded || !walk_about(sampling_walker.vm, walked, &about))
		return 0;
	about.seed =
		spread(spread((uint64_t)where->row << 32 | where->node) +
			(where->row ? 0 : (uint64_t)thread->java_id << 20 | thread->index) +
			kind) ^
		recording_now() * UINT64_C(0x9e3779b97f4a7c15);
	about.now = clock_coarse();
	key = known_keys_find(sampling_walker.keys, &about, NULL, &note);
	return key ? key
		   : walk_key(&sampling_walker, walked, (uintptr_t)__builtin_frame_address(0),
			     &about, &note);
}

/* A number for the stack by which its place is remembered: no frame has to be named again; 0: there is none. */
static uint64_t place_key(const struct sampler_event *event, const struct walk_thread *walked,
	const struct sampled_thread *thread, const struct sample_record *where)
{
	/* Of exceptions that are made it depends on their class which frames are left out. */
	return event && !event->by_probe && event->kind != EXCEPTION_CREATED
		       ? event_key(walked, thread, where, event->kind)
		       : 0;
}

static bool take_left(struct reason reason, const struct left_java *left)
{
	struct walk_thread walked = vm_thread_now((uintptr_t)__builtin_frame_address(0));
	struct sampled_thread *thread = sampled_thread_known();
	struct stack *stack = wait_for_stack();
	struct sample_record where;
	enum sample_loss loss = SAMPLE_FULL;
	enum walk_end end;
	unsigned frames;
	bool taken = false;

	if (stack && thread && walked.java && find_node(thread, &where, &loss)) {
		struct thread_context *context = begin_spending(&where, false);

		uint64_t key = place_key(reason.event, &walked, thread, &where);
		uint32_t place = key ? sampling_place_find(key) : 0;

		if (place) {
			where.node = place;
			where.about |= SAMPLE_PLACED;
			taken = record(&where, thread, NULL, 0, WALK_WHOLE, reason);
		} else {
			const struct stack_frame *frame =
				walk_left(stack, left, &walked, &frames, &end);

			reason.key = key;
			taken = record(&where, thread, frame, frames, end, reason);
		}
		end_spending(context);
	} else {
		lose(reason, loss);
	}
	if (stack)
		give_stack(stack);
	return taken;
}

/* The thread alone: no walk is done. */
static bool take_thread(const struct sampler_event *event)
{
	struct sampled_thread *thread = sampled_thread_known();
	struct reason reason = {.event = event};
	struct sample_record where;
	enum sample_loss loss = SAMPLE_FULL;

	if (!thread || !find_node(thread, &where, &loss)) {
		lose(reason, loss);
		return false;
	}
	where.node = 0;
	where.method = METHOD_ROOT;
	return record(&where, thread, NULL, 0, WALK_CUT, reason);
}

static bool take_if_active(struct reason reason, const struct left_java *left)
{
	int saved_errno = errno;
	uint64_t begin = time_stamp_read();
	bool taken = false;

	atomic_fetch_add(&sampling_inside, 1);
	if (atomic_load(&sampling_active)) {
		taken = reason.event && reason.event->no_path ? take_thread(reason.event)
							      : take_left(reason, left);
		count_cost(begin);
	}
	atomic_fetch_sub(&sampling_inside, 1);
	errno = saved_errno;
	return taken;
}

void sampler_take(unsigned condition, uint32_t periods, uint32_t about)
{
	uint32_t weight[SAMPLE_CONDITIONS] = {0};

	weight[condition] = periods;
	take_if_active((struct reason){.weight = weight}, &(struct left_java){.about = about});
}

void sampler_take_entered(
	const uint32_t weight[SAMPLE_CONDITIONS], uint32_t method, bool by_probe)
{
	take_if_active((struct reason){.weight = weight},
		&(struct left_java){.entered = method, .by_probe = by_probe});
}

bool sampler_take_event(const struct sampler_event *event)
{
	return take_if_active((struct reason){.event = event},
		&(struct left_java){.by_probe = event->by_probe});
}

static uint32_t known_place(enum account_kind kind)
{
	struct walk_thread walked = vm_thread_now((uintptr_t)__builtin_frame_address(0));
	struct sampled_thread *thread = sampled_thread_known();
	struct thread_context *context;
	struct sample_record where;
	enum sample_loss loss;
	uint32_t place;

	if (!thread || !walked.java || !find_node(thread, &where, &loss))
		return 0;
	context = begin_spending(&where, false);
	place = sampling_place_find(event_key(&walked, thread, &where, kind));
	end_spending(context);
	return place;
}

uint32_t sampler_known_place(enum account_kind kind)
{
	int saved_errno = errno;
	uint32_t place = 0;

	atomic_fetch_add(&sampling_inside, 1);
	if (atomic_load(&sampling_active))
		place = known_place(kind);
	atomic_fetch_sub(&sampling_inside, 1);
	errno = saved_errno;
	return place;
}

bool sampler_take_note(enum account_kind kind, uint64_t cookie, uint64_t subject)
{
	struct sample_record *record = NULL;

	atomic_fetch_add(&sampling_inside, 1);
	if (atomic_load(&sampling_active))
		record = sample_claim(sampling.buffer, 0);
	if (record) {
		record->about = SAMPLE_NOTE;
		record->kind = (uint8_t)kind;
		record->sum = (struct sample_event_sum){.subject = subject, .cookie = cookie};
		sample_ready(record);
	}
	atomic_fetch_sub(&sampling_inside, 1);
	return record != NULL;
}

void sampler_stack_find(struct sampler_stack *stack)
{
	stack->thread.java = 0;
	if (!atomic_load_explicit(&sampling_active, memory_order_acquire))
		return;
	stack->thread = vm_thread_now((uintptr_t)__builtin_frame_address(0));
	if (!stack->thread.java ||
		!walk_about(sampling_walker.vm, &stack->thread, &stack->about)) {
		stack->thread.java = 0;
		return;
	}
	if (!stack->thread.guarded)
		known_keys_expect(sampling_walker.keys, &stack->about);
}

/* By a walk, perhaps. */
static __attribute__((noinline)) uint64_t walk_for_key(
	const struct sampler_stack *stack, uint64_t *note)
{
	uint64_t key = 0;

	atomic_fetch_add(&sampling_inside, 1);
	if (atomic_load(&sampling_active))
		key = walk_key(&sampling_walker, &stack->thread,
			(uintptr_t)__builtin_frame_address(0), &stack->about, note);
	atomic_fetch_sub(&sampling_inside, 1);
	return key;
}

uint64_t sampler_stack_key(
	struct sampler_stack *stack, uint32_t recording, uint64_t more, uint64_t *note)
{
	uint64_t key = 0;

	*note = 0;
	if (!stack->thread.java)
		return 0;
	stack->about.seed = spread(more) ^ recording * UINT64_C(0x9e3779b97f4a7c15);
	stack->about.now = clock_coarse();
	/* What this looks at stays when the sampling ends. */
	if (!stack->thread.guarded)
		key = known_keys_find(sampling_walker.keys, &stack->about, NULL, note);
	return key ? key : walk_for_key(stack, note);
}

void sampler_stack_note(const struct sampler_stack *stack, uint64_t key, uint64_t note)
{
	if (key == 0 || stack->thread.guarded)
		return;
	atomic_fetch_add(&sampling_inside, 1);
	if (atomic_load(&sampling_active))
		known_keys_note(sampling_walker.keys, &stack->about, key, note);
	atomic_fetch_sub(&sampling_inside, 1);
}

bool sampler_where(uint64_t *where, uint64_t *own)
{
	enum { ROWLESS_BIT = 63 };
	struct sample_record record;
	struct sampled_thread *thread;
	enum sample_loss loss;
	bool found = false;

	atomic_fetch_add(&sampling_inside, 1);
	if (atomic_load(&sampling_active)) {
		thread = sampled_thread_known();
		found = thread && find_node(thread, &record, &loss);
	}
	if (found) {
		/* Numbers of threads are used again, Java's ids are not. */
		*own = record.row ? (uint64_t)record.row << 32
				  : UINT64_C(1) << ROWLESS_BIT |
					    (thread->java_id ? (uint64_t)thread->java_id
							     : (uint64_t)thread->index << 32);
		*where = *own | record.node;
	}
	atomic_fetch_sub(&sampling_inside, 1);
	return found;
}

bool sampler_records(void)
{
	const struct thread_slot *slot = slot_current;
	const struct sampled_thread *thread;

	if (!atomic_load_explicit(&sampling_active, memory_order_relaxed) ||
		(slot && slot_state(slot) != SLOT_FREE))
		return false;
	if (slot && slot_context(slot) && slot_has_joined(slot))
		return true;
	thread = sampled_thread_now();
	return !thread || thread->wanted;
}

/* ---- asked by other threads ---- */

/* An event of another thread that this one's stack is wanted for. */
static struct asked {
	_Atomic uint32_t state; /* enum asked_state */
	uint32_t next;          /* place + 1 of the one before */
	uint32_t thread;        /* whose stack: its index */
	int64_t id;             /* of the virtual thread that is meant; 0: none is */
	uint64_t at;            /* clock_coarse */
	struct sampler_event event;
} asked[ASKED];

enum asked_state {
	ASKED_FREE,
	ASKED_WAITS,
	ASKED_LOST /* the thread has no room for its stack, or is gone: the writer's thread tells */
};

/* The thread's requests, newest first, are the caller's from now on: place + 1; 0: there are none. */
static uint32_t take_asked(struct sampled_thread *thread)
{
	return atomic_exchange(&thread->asked, 0);
}

/* ---- virtual threads that are not mounted ---- */

enum { VIRTUAL_ROWS = 1 << 14 };

/* The row that a virtual thread was last recorded in, of its group: as in known_stacks.c, halves of two answers fit no
 * number. */
static struct {
	_Atomic uint64_t changed_id, row;
} virtual_rows[VIRTUAL_ROWS];

static void note_virtual(int64_t id, uint32_t row)
{
	uint64_t wide = row | (uint64_t)~row << 32;

	atomic_store_explicit(
		&virtual_rows[(uint64_t)id % VIRTUAL_ROWS].row, wide, memory_order_relaxed);
	atomic_store_explicit(&virtual_rows[(uint64_t)id % VIRTUAL_ROWS].changed_id,
		(uint64_t)id ^ wide, memory_order_relaxed);
}

/* False: it is not known. */
static bool find_virtual(int64_t id, struct sample_record *where)
{
	uint64_t row = atomic_load_explicit(
		&virtual_rows[(uint64_t)id % VIRTUAL_ROWS].row, memory_order_relaxed);
	uint64_t changed = atomic_load_explicit(
		&virtual_rows[(uint64_t)id % VIRTUAL_ROWS].changed_id, memory_order_relaxed);

	if ((changed ^ row) != (uint64_t)id || (uint32_t)row == 0)
		return false;
	*where = (struct sample_record){
		.about = SAMPLE_WAITED | SAMPLE_VIRTUAL, .row = (uint32_t)row};
	return true;
}

static void end_asked(struct asked *request, bool recorded)
{
	atomic_store_explicit(
		&request->state, recorded ? ASKED_FREE : ASKED_LOST, memory_order_release);
}

/* In the handler of the thread's signal. */
static void answer(struct sampled_thread *thread, const void *uc)
{
	static const struct sample_poll no_kernel;
	struct stack *stack = take_stack();
	struct sample_record where;
	enum sample_loss loss;
	enum walk_end end = WALK_WHOLE;
	unsigned frames = 0;
	bool known = find_node(thread, &where, &loss);
	uint32_t place = take_asked(thread);

	if (place && stack && known)
		frames = walk_all(stack, &no_kernel, uc, &end);
	while (place) {
		struct asked *request = &asked[place - 1];
		struct reason reason = {.event = &request->event};
		struct sample_record away;
		bool taken;

		place = request->next;
		/* In the midst of a mount the carrier's row is not the virtual thread's. */
		if (request->id && (!known || !(where.about & SAMPLE_VIRTUAL) ||
					   !vm_thread_runs(thread->java, request->id)))
			taken = find_virtual(request->id, &away) &&
				record(&away, thread, NULL, 0, WALK_WHOLE, reason);
		else
			taken = (known || loss == SAMPLE_INSIDE) &&
				record(&where, thread, stack ? stack->frame : NULL, frames, end,
					reason);
		end_asked(request, taken);
	}
	if (stack)
		give_stack(stack);
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

	if (thread && atomic_load_explicit(&thread->asked, memory_order_relaxed))
		answer(thread, uc);
	if (!thread || !poll_events(thread, info, &kernel, weight))
		return;
	stack = take_stack();
	if (!stack || !find_node(thread, &where, &loss)) {
		sampling_lose(weight, stack ? loss : SAMPLE_FULL);
	} else {
		struct thread_context *context = begin_spending(&where, true);

		frames = walk_all(stack, &kernel, uc, &end);
		record(&where, thread, stack->frame, frames, end,
			(struct reason){.weight = weight});
		end_spending(context);
	}
	if (stack)
		give_stack(stack);
}

void sampling_on_signal(int signal, siginfo_t *info, void *uc)
{
	int saved_errno = errno;
	uint64_t begin = time_stamp_read();

	atomic_fetch_add(&sampling_inside, 1);
	if (atomic_load(&sampling_active)) {
		take(info, uc);
		count_cost(begin);
	}
	atomic_fetch_sub(&sampling_inside, 1);
	errno = saved_errno;
}

void sampling_left(struct sampled_thread *thread, unsigned place, uint64_t rest)
{
	struct condition *condition = &sampling.condition[place];

	if (condition->choice.kind == SAMPLE_WALL)
		rest = atomic_exchange(&thread->due, 0) * condition->choice.period;
	atomic_fetch_add(&condition->rest, rest);
}

/* ---- on the clock's thread ---- */

/* The nearest node of the path that the file has, or that is told of in any case, in the context's row. False: the tree's lock is not free, and was not
 * to be waited for. With the rows held. */
static bool find_node_of(struct thread_context *context, struct sample_record *where, bool wait)
{
	uint32_t index;

	where->row = context->row.id;
	if (wait)
		lock_take(&context->tree.lock);
	else if (!lock_try(&context->tree.lock))
		return false;
	index = __atomic_load_n(&context->current, __ATOMIC_ACQUIRE);
	while (index != TREE_ROOT && *tree_written(&context->tree, index) == 0 &&
		!tree_is_referred(&context->tree, index))
		index = tree_at(&context->tree, index)->parent;
	/* The row may be folded before anybody has seen it: where its root goes has to be told then. What comes when its
	 * context has gone goes there, too. */
	tree_tell(&context->tree, TREE_ROOT);
	where->node = tree_at(&context->tree, index)->id;
	where->method = label_method(tree_at(&context->tree, index)->method);
	lock_give(&context->tree.lock);
	return true;
}

/* Where the thread, or (is_virtual) the virtual one that it carries, is. It may be recording right now, but for what locks keep,
 * and it may end. False: these are not free, and were not to be waited for. */
static bool find_node_outside(const struct sampled_thread *thread, bool is_virtual,
	struct sample_record *where, bool wait)
{
	struct trace *trace = sampling.session->trace;
	struct thread_slot *slot = atomic_load(&thread->slot);
	struct thread_context *context;
	bool found;

	*where = (struct sample_record){.about = SAMPLE_WAITED};
	if (is_virtual && slot)
		slot = slot->virtual_slot;
	if (is_virtual)
		where->about |= SAMPLE_VIRTUAL;
	if (!slot || !slot_has_joined(slot))
		return true;
	if (!trace_hold_rows(trace, wait))
		return false;
	context = slot_context(slot);
	found = !context || find_node_of(context, where, wait);
	trace_give_rows(trace);
	return found;
}

/* ---- in a safepoint, of threads that stand ---- */

static void take_stopped(struct sampled_thread *thread, void *argument)
{
	struct reason reason = {.event = argument};
	struct vm_anchor anchor = vm_anchor_of(thread->java);
	enum walk_end end = WALK_WAITS;
	struct sample_record where;
	struct walk_thread walked;
	struct stack *stack;
	unsigned frames = 0;
	uintptr_t low;

	/* Most wait. */
	if (!vm_anchor_would_run(thread->java, &anchor, false))
		return;
	stack = take_stack();
	if (!stack) {
		lose(reason, SAMPLE_FULL);
		return;
	}
	if (anchor.sp != 0) {
		walked = vm_thread_stack(thread->java, &low);
		frames = walk_java(
			&sampling_walker, &walked, low, stack->frame, STACK_FRAMES, &end);
	}
	if (vm_anchor_would_run(thread->java, &anchor,
		    frames == 0 || stack->frame[0].kind == FRAME_JAVA_NATIVE)) {
		if (find_node_outside(thread, false, &where, false)) {
			where.about = 0;
			record(&where, thread, stack->frame, frames, end, reason);
		} else {
			lose(reason, SAMPLE_FULL);
		}
	}
	give_stack(stack);
}

void sampler_take_stopped(const struct sampler_event *event)
{
	uint64_t begin = time_stamp_read();
	int saved_errno = errno;

	atomic_fetch_add(&sampling_inside, 1);
	if (atomic_load(&sampling_active)) {
		if (!sampled_threads_try(take_stopped, (void *)event))
			sampling_lose_event(event->kind, event->count);
		count_cost(begin);
	}
	atomic_fetch_sub(&sampling_inside, 1);
	errno = saved_errno;
}

/* A thread that waits is looked at from here, not by a signal: what it waits in may take one amiss. The JDK's debugger
 * library, for one, drops a debugger when its poll returns early. Threads of agents and native libraries have left no
 * Java frame, and have none then. False: it does not wait. */
static bool take_outside(struct sampled_thread *thread, bool is_virtual, struct reason reason)
{
	struct vm_anchor before = vm_anchor_of(thread->java), after;
	enum walk_end end = WALK_WAITS;
	struct sample_record where;
	struct walk_thread walked;
	struct stack *stack;
	unsigned frames = 0;
	uintptr_t low;
	bool same;

	if (!vm_anchor_is_outside(&before))
		return false;
	stack = take_stack();
	if (!stack) {
		lose(reason, SAMPLE_FULL);
		return reason.weight != NULL;
	}
	if (before.sp != 0) {
		walked = vm_thread_stack(thread->java, &low);
		frames = walk_java(
			&sampling_walker, &walked, low, stack->frame, STACK_FRAMES, &end);
	}
	find_node_outside(thread, is_virtual, &where, true);
	after = vm_anchor_of(thread->java);
	/* Without a row of the virtual thread it would be its carrier's. */
	same = memcmp(&before, &after, sizeof(before)) == 0 && (!is_virtual || where.row != 0);
	/* What is lost is counted; of an event the caller hears. */
	if (same && !record(&where, thread, stack->frame, frames, end, reason) && reason.event)
		same = false;
	give_stack(stack);
	return same;
}

/* A thread that runs gets the signal, as for any other condition. */
void sampling_look(struct sampled_thread *thread, uint32_t ticks)
{
	uint32_t weight[SAMPLE_CONDITIONS] = {0};
	uint64_t ran = sampled_thread_ran(thread), used = ran - thread->ran;
	int wall = sampler_condition(SAMPLE_WALL, 0);
	bool runs;

	/* Conditions change at the moment. */
	if (wall < 0)
		return;
	runs = used > ticks * sampling.condition[wall].choice.period / 2;
	thread->ran = ran;
	weight[wall] = ticks;
	if (runs || !take_outside(thread, false, (struct reason){.weight = weight})) {
		atomic_fetch_add(&thread->due, ticks);
		tgkill(getpid(), thread->tid, sampling_signal);
	}
}

/* ---- for an event of another thread ---- */

/* Where the thread, or (id) the virtual one that it may carry, is recorded. False: that is not known. */
static bool find_row(struct sampled_thread *thread, int64_t id, struct sample_record *where)
{
	if (id && (!vm_thread_runs(thread->java, id) || find_virtual(id, where)))
		return find_virtual(id, where);
	find_node_outside(thread, id != 0, where, true);
	/* Without a row it would be the carrier's. */
	return id == 0 || where->row != 0;
}

/* Its requests end without a stack: where timed calls say that it is, or at its root. */
static void answer_outside(struct sampled_thread *thread)
{
	uint32_t place = take_asked(thread);
	struct sample_record where;

	while (place) {
		struct asked *request = &asked[place - 1];

		place = request->next;
		end_asked(request, find_row(thread, request->id, &where) &&
					   record(&where, thread, NULL, 0, WALK_WHOLE,
						   (struct reason){.event = &request->event}));
	}
}

void sampling_answer_at_end(void)
{
	struct sampled_thread *thread = sampled_thread_now();

	atomic_fetch_add(&sampling_inside, 1);
	if (atomic_load(&sampling_active) && thread)
		answer_outside(thread);
	atomic_fetch_sub(&sampling_inside, 1);
}

/* False: there is no room for more of them. */
static bool ask(struct sampled_thread *thread, int64_t id, const struct sampler_event *event)
{
	static _Atomic uint32_t next;
	uint32_t at = atomic_fetch_add(&next, 1), before, expected;
	struct asked *request = NULL;

	for (int i = 0; i < 8 && !request; i++, at++) {
		expected = ASKED_FREE;
		if (atomic_compare_exchange_strong(
			    &asked[at % ASKED].state, &expected, ASKED_WAITS))
			request = &asked[at % ASKED];
	}
	if (!request)
		return false;
	request->event = *event;
	request->thread = thread->index;
	request->id = id;
	request->at = clock_coarse();
	before = atomic_load(&thread->asked);
	do
		request->next = before;
	while (!atomic_compare_exchange_weak(
		&thread->asked, &before, (uint32_t)(request - asked) + 1));
	/* One signal answers all that wait. */
	if (before == 0 && tgkill(getpid(), thread->tid, sampling_signal) != 0)
		answer_outside(thread);
	return true;
}

/* A virtual thread that waits on its carrier, pinned there. */
static bool take_virtual_outside(
	struct sampled_thread *thread, int64_t id, struct reason reason)
{
	return vm_thread_runs(thread->java, id) && take_outside(thread, true, reason);
}

static bool take_of(uintptr_t java, int64_t id, const struct sampler_event *event, bool root)
{
	pid_t tid = java ? vm_thread_system_id(java) : 0;
	struct sampled_thread *thread = tid ? sampled_thread_find(tid) : NULL;
	struct reason reason = {.event = event};
	struct sample_record where;

	if (!thread || thread->java != java || thread->gone)
		/* Any thread will do: the row is that of a virtual one. */
		return id && sampled_thread_now() && find_virtual(id, &where) &&
		       record(&where, sampled_thread_now(), NULL, 0, WALK_WHOLE, reason);
	if (!thread->wanted)
		return false;
	if (thread->java_id == id)
		id = 0;
	if (!root && ((id == 0 && take_outside(thread, false, reason)) ||
			     (id != 0 && take_virtual_outside(thread, id, reason)) ||
			     ask(thread, id, event)))
		return true;
	return find_row(thread, id, &where) &&
	       record(&where, thread, NULL, 0, WALK_WHOLE, reason);
}

static bool take_of_if_active(
	uintptr_t java, int64_t id, const struct sampler_event *event, bool root)
{
	int saved_errno = errno;
	uint64_t begin = time_stamp_read();
	bool taken = false;

	atomic_fetch_add(&sampling_inside, 1);
	if (atomic_load(&sampling_active)) {
		taken = take_of(java, id, event, root);
		count_cost(begin);
	}
	atomic_fetch_sub(&sampling_inside, 1);
	errno = saved_errno;
	return taken;
}

void sampler_note_virtual(int64_t id)
{
	const struct thread_slot *slot = slot_current;
	const struct thread_context *context =
		slot && slot->carrier_slot && slot_has_joined(slot) ? slot_context(slot) : NULL;

	if (context)
		note_virtual(id, context->row.id);
}

int64_t sampler_thread_id(uintptr_t java)
{
	pid_t tid = vm_thread_system_id(java);
	const struct sampled_thread *thread = tid ? sampled_thread_find(tid) : NULL;

	return thread && thread->java == java ? thread->java_id : 0;
}

uintptr_t sampler_java_thread(void)
{
	return vm_thread_now((uintptr_t)__builtin_frame_address(0)).java;
}

bool sampler_take_of(uintptr_t java, int64_t id, const struct sampler_event *event)
{
	return take_of_if_active(java, id, event, !sampling_signal);
}

bool sampler_take_root_of(uintptr_t java, int64_t id, const struct sampler_event *event)
{
	return take_of_if_active(java, id, event, true);
}

void sampling_forget_asked(void)
{
	for (unsigned i = 0; i < ASKED; i++)
		atomic_store(&asked[i].state, ASKED_FREE);
}

void sampling_give_up_asking(void (*lost)(enum account_kind kind, uint64_t cookie))
{
	uint64_t now = clock_coarse();

	for (unsigned i = 0; i < ASKED; i++) {
		struct asked *request = &asked[i];
		uint32_t state = atomic_load_explicit(&request->state, memory_order_acquire);

		if (state == ASKED_WAITS && now > request->at + ANSWER_NS)
			answer_outside(sampled_thread_at(request->thread));
		if (state != ASKED_LOST)
			continue;
		lost(request->event.kind, request->event.cookie);
		atomic_store_explicit(&request->state, ASKED_FREE, memory_order_release);
	}
}
