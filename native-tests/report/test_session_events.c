/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/* Of a trace of events a session has its own threads, and its own methods: those of others are parts of their callers. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "native-tests/test_folder.h"
#include "profile/profile_write.h"
#include "report/model/event_walk.h"

static char folder[] = "/tmp/jprof-session-events-XXXXXX";

enum { BOTH = 2, FIRST_ALONE, COUNTED };

/* In a thread, each 10 ns after the one before; method 0: an exit. */
static const uint32_t calls[] = {
	BOTH, FIRST_ALONE, COUNTED, BOTH, 0, 0, FIRST_ALONE, 0, 0, 0, FIRST_ALONE, 0};

enum { EVENTS = sizeof calls / sizeof *calls };

static void put_thread(struct profile_writer *writer, uint32_t id, uint32_t bits)
{
	static const uint64_t base[2];
	const struct profile_thread thread = {
		.id = id, .name = "t", .folded = 1, .wanted = bits};
	const struct profile_node root = {.thread = id, .base = base};
	const struct profile_event_thread row = {.id = id, .row = id, .name = "t"};
	uint8_t bytes[200], *end = bytes;
	struct profile_event_block block = {.id = id,
		.thread = id,
		.number = 1,
		.last = 10 * EVENTS,
		.count = EVENTS,
		.bytes = {bytes, 0}};
	struct error error = {0};

	end = stream_put(stream_put(end, 0), 0); /* no frames */
	for (int i = 0; i < EVENTS; i++) {
		end = stream_put_event(end, calls[i] ? STREAM_ENTRY : STREAM_EXIT, 10);
		if (calls[i])
			end = stream_put(end, calls[i]);
	}
	block.bytes.size = (size_t)(end - bytes);
	profile_put(writer, &thread, &error);
	profile_put(writer, &root, &error);
	profile_put(writer, &row, &error);
	profile_put(writer, &block, &error);
	assert_string_equal(error.text, "");
}

/* Thread 1 and method 2 are both sessions', all others the first one's; a method that the second one counts is. */
static void write_profile(const char *path, const char *session)
{
	static const struct profile_metric metric = {.name = "cpu", .unit = "ns"};
	static const uint32_t wanted[] = {[BOTH] = 3, [FIRST_ALONE] = 1, [COUNTED] = 3};
	struct profile_writer *writer;
	struct error error = {0};

	assert_int_equal(profile_create(&writer, path, &metric, 1, NULL, &error), 0);
	assert_int_equal(profile_begin(writer, &error), 0);
	for (uint32_t i = 0; i < 2; i++)
		profile_put(writer,
			(&(struct profile_session){.id = 1 + i,
				.bit = i,
				.name = "s",
				.owner = "o",
				.ended = PROFILE_NOT_KNOWN,
				.options = "{}",
				.metrics = 1,
				.traces = 1 << TRACE_EVENTS}),
			&error);
	for (uint32_t id = BOTH; id <= COUNTED; id++)
		profile_put(writer,
			(&(struct profile_method){.id = id,
				.class_name = "C",
				.name = "m",
				.signature = "()V",
				.wanted = wanted[id],
				.counted = id == COUNTED ? 2 : 0}),
			&error);
	put_thread(writer, 1, 3);
	put_thread(writer, 2, 1);
	profile_put_meta(writer, "session", session, &error);
	assert_int_equal(profile_commit(writer, &error), 0);
	assert_int_equal(profile_close(writer, &error), 0);
	assert_string_equal(error.text, "");
}

struct told {
	char text[600];
	uint64_t outside;
};

static void add(struct told *told, const char *what, uint64_t number)
{
	size_t used = strlen(told->text);

	snprintf(told->text + used, sizeof told->text - used, "%s%lu ", what, number);
}

/* A frame's node is its path; its caller's is below it. */
static int enter(struct event_walk *walk, struct event_frame *frame)
{
	frame->node = (walk->depth > 1 ? frame[-1].node * 10 : 0) + frame->method;
	assert_ptr_equal(walk->top, frame);
	add(walk->user, "+", frame->node);
	return 0;
}

static int leave(struct event_walk *walk, struct event_frame *frame, enum event_leave how)
{
	assert_int_equal(how, LEAVE_EXIT);
	add(walk->user, "-", frame->self);
	return 0;
}

static int charge(struct event_walk *walk, uint64_t ns)
{
	struct told *told = walk->user;

	told->outside += walk->top ? 0 : ns;
	return 0;
}

static void walk_as(const char *session, struct told *told)
{
	const struct profile_wanted wanted = {.events = true};
	struct event_walk walk = {.user = told,
		.enter = enter,
		.leave = leave,
		.charge = charge,
		.to = UINT64_MAX};
	struct profile *profile;
	struct error error = {0};
	char path[100];

	snprintf(path, sizeof path, "%s/of-%s.jprof", folder, session);
	write_profile(path, session);
	*told = (struct told){.text = ""};
	profile_open_wanted(&profile, path, &wanted, &error);
	assert_string_equal(error.text, "");
	walk.profile = profile;
	assert_int_equal(event_walk(&walk, &error), 0);
	assert_int_equal(walk.odd + walk.damaged + walk.lost, 0);
	event_walk_fini(&walk);
	profile_free(profile);
}

static void all_of_it(void **state)
{
	static const char once[] = "+2 +23 +234 +2342 -10 -20 +233 -10 -30 -20 +3 -10 ";
	struct told told;
	char twice[sizeof once * 2];

	walk_as("1", &told);
	snprintf(twice, sizeof twice, "%s%s", once, once);
	assert_string_equal(told.text, twice);
	assert_int_equal(told.outside, 2 * 20);
}

static void its_own(void **state)
{
	struct told told;

	walk_as("2", &told);
	assert_string_equal(told.text, "+2 +22 -10 -80 ");
	assert_int_equal(told.outside, 30);
}

static int prepare(void **state)
{
	return test_folder_make(folder);
}

static int clean(void **state)
{
	return test_folder_remove(folder);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(all_of_it),
		cmocka_unit_test(its_own),
	};

	return cmocka_run_group_tests(tests, prepare, clean);
}
