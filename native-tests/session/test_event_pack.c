/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/* test_event_pack: random entries, exits and exits by exception come out of blocks as they went in: the calls by path are the
 * tree's. Blocks can be read alone; behind what was lost all is right; what is kept is the last. */
#include "agent/session/event_pack.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "native-tests/trace/trace_test.h"
#include "profile/event_stream.h"

enum { STEPS = 400000, DEEP = 2000, METHODS = 60, PATHS = 1 << 20 };

/* Calls by path: what a path is, is a number made of its methods. */
struct paths {
	uint64_t key[PATHS], calls[PATHS];
	uint64_t sum;
};

struct reading {
	struct paths *paths;
	uint32_t frame[DEEP + EVENT_LISTED];
	uint64_t depth, unknown;
	uint64_t events, odd, blocks, lost, last;
};

struct fixture {
	struct metric_set set;
	struct trace *trace;
	struct thread_context *context;
	struct event_packer *packer;
	struct test_random random;
	uint32_t methods;
	uint64_t made;
	struct reading reading;
	struct paths told, counted;
};

static uint64_t awaited_ns;

static bool is_awaited(void *user, uint32_t method, uint64_t *ns)
{
	*ns = awaited_ns;
	return method == METHOD_FIRST + METHODS;
}

static int begin_with(void **state, uint64_t memory, uint64_t keep)
{
	static struct fixture fixture;
	struct fixture *f = &fixture;

	memset(f, 0, sizeof(*f));
	f->set = test_set(1);
	f->trace = trace_create(&f->set, memory);
	assert_int_equal(trace_prepare_events(f->trace, NULL), 0);
	f->packer = event_packer_create(f->trace, keep, keep ? is_awaited : NULL, NULL);
	trace_tell_events(f->trace, true);
	f->context = test_begin(f->trace, "one");
	f->random.state = 7;
	f->methods = METHODS;
	f->reading.paths = &f->told;
	*state = f;
	return 0;
}

static int begin(void **state)
{
	return begin_with(state, 64 << 20, 0);
}

static int begin_small(void **state)
{
	return begin_with(state, 3 << 20, 0);
}

static int begin_kept(void **state)
{
	return begin_with(state, 64 << 20, 1);
}

static int end(void **state)
{
	struct fixture *f = *state;

	if (f->context)
		trace_thread_end(f->trace, f->context, NULL);
	event_packer_destroy(f->packer);
	trace_destroy(f->trace);
	return 0;
}

/* ---- paths ---- */

static void count(struct paths *paths, uint64_t path, uint64_t calls)
{
	uint64_t at = path % PATHS;

	while (paths->key[at] && paths->key[at] != path)
		at = (at + 1) % PATHS;
	paths->key[at] = path;
	paths->calls[at] += calls;
	paths->sum += calls;
}

static uint64_t below(uint64_t path, uint32_t method)
{
	return (path ^ method) * UINT64_C(0x9e3779b97f4a7c15) + 1;
}

static uint64_t path_of(const struct reading *reading)
{
	uint64_t path = 1;

	for (uint64_t i = 0; i < reading->depth; i++)
		path = below(path, reading->frame[i]);
	return path;
}

static void same_paths(const struct paths *a, const struct paths *b)
{
	assert_int_equal(a->sum, b->sum);
	for (uint64_t i = 0; i < PATHS; i++) {
		uint64_t at = a->key[i] % PATHS;

		if (!a->key[i])
			continue;
		while (b->key[at] && b->key[at] != a->key[i])
			at = (at + 1) % PATHS;
		assert_int_equal(b->key[at], a->key[i]);
		assert_int_equal(b->calls[at], a->calls[i]);
	}
}

static void count_tree(struct paths *paths, const struct call_tree *tree)
{
	for (uint32_t i = 1; i < tree->count; i++) {
		const struct tree_node *node = tree_at(tree, i);
		uint32_t method[DEEP + 2], depth = 0;
		uint64_t path = 1;

		for (uint32_t at = i; at != 0; at = tree_at(tree, at)->parent)
			method[depth++] = tree_at(tree, at)->method;
		while (depth > 0)
			path = below(path, method[--depth]);
		if (node->calls > 0)
			count(paths, path, node->calls);
	}
}

/* ---- reading ---- */

static void leave(struct reading *reading)
{
	if (reading->depth > 0)
		reading->depth--;
	else if (reading->unknown > 0)
		reading->unknown--;
	else
		reading->odd++;
}

static void leave_to(struct reading *reading, uint32_t method)
{
	uint64_t depth = reading->depth;

	while (depth > 0 && reading->frame[depth - 1] != method)
		depth--;
	if (depth == 0)
		reading->odd++;
	else
		reading->depth = depth - 1;
}

static void take(struct reading *reading, const struct stream_event *event)
{
	switch (event->kind) {
	case STREAM_ENTRY:
		reading->events++;
		reading->frame[reading->depth++] = event->method;
		if (reading->unknown == 0)
			count(reading->paths, path_of(reading), 1);
		break;
	case STREAM_EXIT:
	case STREAM_UNWIND:
		reading->events++;
		leave(reading);
		break;
	case STREAM_EXIT_OF:
	case STREAM_UNWIND_OF:
		reading->events++;
		leave_to(reading, event->method);
		break;
	default:
		break;
	}
}

/* What stands at a block's begin is what was known, where it is known. */
static void read_block(struct reading *reading, const struct event_block *block)
{
	struct stream_reader reader;
	struct stream_event event;
	uint64_t frames, events = 0;
	uint32_t listed;
	bool follows =
		block->number == reading->blocks + 1 && block->lost == 0 && block->number > 1;
	int status;

	assert_int_equal(
		stream_open(&reader, block->bytes, block->size, block->first, &frames, &listed),
		0);
	assert_int_equal(listed, frames < EVENT_LISTED ? frames : EVENT_LISTED);
	if (follows)
		assert_int_equal(reading->depth + reading->unknown, frames);
	else
		reading->depth = listed;
	reading->unknown = frames - reading->depth;
	for (uint32_t i = 0; i < listed; i++) {
		uint32_t method = stream_frame(&reader);

		if (follows)
			assert_int_equal(reading->frame[reading->depth - listed + i], method);
		reading->frame[reading->depth - listed + i] = method;
	}
	while ((status = stream_next(&reader, &event)) == 1) {
		assert_true(event.at >= reading->last || reading->last == 0);
		reading->last = event.at;
		events++;
		take(reading, &event);
	}
	assert_int_equal(status, 0);
	assert_int_equal(events, block->count);
	assert_int_equal(reading->last > block->last ? 0 : block->last, block->last);
	reading->blocks = block->number;
	reading->lost += block->lost;
}

static void read_waiting(struct fixture *f)
{
	struct event_blocks *waiting = events_waiting(f->packer);

	while (waiting->first) {
		read_block(&f->reading, waiting->first);
		events_drop_first(f->packer);
	}
}

/* ---- writing ---- */

static void step(struct fixture *f, uint32_t depth)
{
	struct thread_context *context = f->context;
	size_t now = shadow_depth(&context->stack) - 1;
	uint32_t dice = test_random(&f->random, 100);

	if (now == 0 || (now < depth && dice < 50)) {
		context_enter(SHAPE_ANY, context,
			METHOD_FIRST + test_random(&f->random, f->methods), STATE_JITTED,
			false);
		f->made++;
	} else if (dice < 95) {
		assert_true(context_exit(
			SHAPE_ANY, context, context->stack.top->method, dice % 7 == 0));
		f->made++;
	} else {
		/* Some frames are left at once, by an exception that is caught below them. */
		size_t left = 1 + test_random(&f->random, (uint32_t)now);

		context_caught(context, context->stack.top[-(ptrdiff_t)left].method);
	}
}

static void walk(struct fixture *f, uint32_t steps, uint32_t depth, uint32_t pause)
{
	for (uint32_t i = 0; i < steps; i++) {
		step(f, depth);
		if (test_random(&f->random, pause) == 0) {
			events_pack(f->packer, false);
			if (test_random(&f->random, 4) == 0)
				events_seal(f->packer, false);
			read_waiting(f);
		}
	}
}

static void finish(struct fixture *f)
{
	count_tree(&f->counted, &f->context->tree);
	events_pack(f->packer, true);
	events_seal(f->packer, true);
	read_waiting(f);
}

static void test_same_tree_of_calls(void **state)
{
	struct fixture *f = *state;

	walk(f, STEPS, 12, 5000);
	finish(f);
	assert_int_equal(f->reading.odd, 0);
	assert_int_equal(f->reading.lost, 0);
	assert_int_equal(events_count(f->packer).lost, 0);
	assert_int_equal(events_count(f->packer).odd, 0);
	same_paths(&f->counted, &f->told);
	same_paths(&f->told, &f->counted);
}

/* Deeper than blocks list. */
static void test_deep(void **state)
{
	struct fixture *f = *state;

	for (int i = 0; i < DEEP - 10; i++) {
		context_enter(SHAPE_ANY, f->context, METHOD_FIRST + 1, STATE_JITTED, false);
		if (i % 100 == 0) {
			events_pack(f->packer, false);
			events_seal(f->packer, false);
			read_waiting(f);
		}
	}
	for (int i = 0; i < DEEP - 10; i++)
		context_exit(SHAPE_ANY, f->context, METHOD_FIRST + 1, false);
	finish(f);
	assert_int_equal(f->reading.odd, 0);
	assert_int_equal(f->reading.depth, 0);
	same_paths(&f->counted, &f->told);
}

/* Nobody packs for too long, again and again. What is told is right: no exit is without its frame, and what was lost is as many
 * as were not told, or more: other events may be among them. */
static void test_lost(void **state)
{
	struct fixture *f = *state;
	struct event_counts counts;

	f->methods = 3; /* the tree is small */
	walk(f, 3 * STEPS, 6, 250000);
	finish(f);
	counts = events_count(f->packer);
	assert_true(counts.lost > 0);
	assert_int_equal(f->reading.lost, counts.lost);
	assert_int_equal(f->reading.odd, 0);
	assert_int_equal(counts.odd, 0);
	assert_true(f->reading.events < f->made * 2);
	assert_true(f->told.sum <= f->counted.sum);
	assert_true(f->told.sum > 0);
	/* None is told more often than it was counted. */
	for (uint64_t i = 0; i < PATHS; i++) {
		uint64_t key = f->told.key[i], at = key % PATHS;

		if (!key)
			continue;
		while (f->counted.key[at] && f->counted.key[at] != key)
			at = (at + 1) % PATHS;
		assert_int_equal(f->counted.key[at], key);
		assert_true(f->told.calls[i] <= f->counted.calls[at]);
	}
}

/* In the middle of calls: what follows is told, and nothing else. */
static void test_switched(void **state)
{
	struct fixture *f = *state;
	uint64_t before;

	for (int i = 0; i < 20; i++) {
		trace_tell_events(f->trace, false);
		walk(f, 500, 12, 1000000);
		events_pack(f->packer, false);
		before = events_count(f->packer).packed;
		trace_tell_events(f->trace, true);
		walk(f, 3000, 12, 500);
		events_pack(f->packer, false);
		events_seal(f->packer, false);
		assert_true(events_count(f->packer).packed > before + 2500);
		read_waiting(f);
		assert_int_equal(f->reading.depth, shadow_depth(&f->context->stack) - 1);
	}
	assert_int_equal(f->reading.odd, 0);
	assert_int_equal(events_count(f->packer).odd, 0);
}

/* Of all that is kept a nanosecond is all; but a call that is awaited keeps what was since its begin. */
static void test_kept(void **state)
{
	struct fixture *f = *state;
	struct event_long call;
	uint64_t begin;

	awaited_ns = 1000;
	for (int i = 0; i < 50; i++) {
		walk(f, 3000, 12, 1000000);
		events_pack(f->packer, false);
		events_seal(f->packer, false);
	}
	events_pack(f->packer, false);
	assert_true(events_count(f->packer).packed > 100000);
	assert_null(events_waiting(f->packer)->first);
	assert_false(events_take_long(f->packer, &call));

	context_enter(SHAPE_ANY, f->context, METHOD_FIRST + METHODS, STATE_JITTED, false);
	begin = clock_now();
	f->reading.events = 0;
	f->made = 0;
	for (int i = 0; i < 5; i++) {
		for (int n = 0; n < 5000; n++) {
			context_enter(SHAPE_ANY, f->context, METHOD_FIRST, STATE_JITTED, false);
			context_exit(SHAPE_ANY, f->context, METHOD_FIRST, false);
		}
		events_pack(f->packer, false);
		events_seal(f->packer, false);
	}
	context_exit(SHAPE_ANY, f->context, METHOD_FIRST + METHODS, false);
	events_pack(f->packer, false);
	assert_true(events_take_long(f->packer, &call));
	assert_int_equal(call.method, METHOD_FIRST + METHODS);
	assert_true(call.begin <= begin && call.end > begin);
	assert_false(events_take_long(f->packer, &call));
	events_seal(f->packer, false);
	assert_true(events_release(f->packer, call.begin) <= call.begin);
	read_waiting(f);
	assert_true(f->reading.events >= 50002);
	/* It is given once. */
	events_release(f->packer, 0);
	assert_null(events_waiting(f->packer)->first);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_same_tree_of_calls, begin, end),
		cmocka_unit_test_setup_teardown(test_deep, begin, end),
		cmocka_unit_test_setup_teardown(test_lost, begin_small, end),
		cmocka_unit_test_setup_teardown(test_switched, begin, end),
		cmocka_unit_test_setup_teardown(test_kept, begin_kept, end),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
