/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/* Sessions that share a recording: each has a file of its own, with what it wants, of its own time; also where the database moves, or a
 * file cannot be made. */
#include "../trace/trace_test.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "agent/session/writer.h"
#include "native-tests/test_folder.h"
#include "profile/profile_read.h"

enum { METHODS = 60, STEPS = 4000, BITS = 3 };

static char folder[] = "/tmp/jprof-shared-XXXXXX";
static struct metric_set set;

/* ---- sessions: the one of bit b wants the methods whose number has b + 2 as a factor, the first all ---- */

static bool wants(unsigned bit, uint32_t method)
{
	return bit == 0 || (method - METHOD_FIRST) % (bit + 1) == 0;
}

struct session {
	uint32_t number, bit;
	char path[256];
	struct writer_session is;
};

static struct profile_session row_of(const void *argument, char **options)
{
	const struct session *session = argument;

	*options = strdup("{}");
	return (struct profile_session){.id = session->number,
		.bit = session->bit,
		.name = "one",
		.owner = "somebody",
		.ended = PROFILE_NOT_KNOWN,
		.options = *options,
		.metrics = 3};
}

static void put_facts(void *argument, bool final, fact_put put, void *put_argument)
{
	const struct session *session = argument;

	fact_put_number(put, put_argument, "mine", session->number);
	put(put_argument, "complete", final ? "yes" : "no");
}

static void init(struct session *session, uint32_t number, uint32_t bit, const char *name)
{
	session->number = number;
	session->bit = bit;
	snprintf(session->path, sizeof(session->path), "%s/%s", folder, name);
	session->is = (struct writer_session){
		.row = row_of, .facts = put_facts, .argument = session, .path = session->path};
}

/* ---- where the writer has names from ---- */

static uint32_t methods_end(void)
{
	return METHOD_FIRST + METHODS;
}

static const struct profile_method *method_of(uint32_t id)
{
	static struct profile_method record[METHOD_FIRST + METHODS];

	record[id] = (struct profile_method){
		.id = id, .class_name = "A", .name = "m", .signature = "()V"};
	return &record[id];
}

static void sessions_of(struct profile_method *method)
{
	for (unsigned bit = 0; bit < BITS; bit++)
		method->wanted |= wants(bit, method->id) ? 1U << bit : 0;
}

static uint32_t edition(void)
{
	return 1;
}

static const struct writer_source source = {.methods_end = methods_end,
	.method = method_of,
	.method_sessions = sessions_of,
	.sessions_edition = edition,
	.facts = put_facts};

/* ---- a recording ---- */

struct recording {
	struct trace *trace;
	struct writer *writer;
	struct model model;
	struct test_walk walk;
};

static void begin(struct recording *recording, struct session *first)
{
	struct writer_source own = source;
	struct error error = {0};

	recording->trace = trace_create(&set, 64 << 20);
	model_init(&recording->model);
	recording->walk = (struct test_walk){.random = {11},
		.model = &recording->model,
		.context = test_begin(recording->trace, "main"),
		.methods = METHODS,
		.depth = 12};
	trace_want_row(recording->walk.context, (1 << BITS) - 1);
	own.argument = first;
	assert_int_equal(writer_start(&recording->writer, recording->trace, &own, &set,
				 first->path, 3600, &error),
		0);
}

static void end(struct recording *recording)
{
	struct error error = {0};

	trace_stop(recording->trace);
	assert_int_equal(writer_finish(recording->writer, &error), 0);
	trace_thread_end(recording->trace, recording->walk.context, NULL);
	model_fini(&recording->model);
	trace_destroy(recording->trace);
}

static void steps(struct recording *recording)
{
	for (int i = 0; i < STEPS; i++)
		test_step(&recording->walk);
}

static void join(struct recording *recording, struct session *session, struct session *first)
{
	struct error error = {0};

	assert_int_equal(writer_join(recording->writer, &session->is, &first->is, &error), 0);
}

static void leave(struct recording *recording, const struct session *session)
{
	struct error error = {0};

	assert_int_equal(writer_leave(recording->writer, session->number, &error), 0);
}

/* ---- the truth ---- */

struct calls {
	uint64_t of[METHODS];
};

static struct calls calls_now(const struct model *model)
{
	struct calls calls = {{0}};

	for (uint32_t i = 1; i < model->nodes; i++)
		calls.of[model->node[i].method - METHOD_FIRST] += model->node[i].calls;
	return calls;
}

/* How many sessions it tells more of than when they were there. */
static size_t told_of(const struct profile *profile)
{
	size_t count = 0;

	for (size_t i = 0; i < profile->sharer_count; i++)
		count += profile->sharer[i].owner[0] != '\0';
	return count;
}

/* The file is the session's, and has the calls between the two of what it wants; once it is complete, nothing that is another's. */
static void check(const struct session *session, const struct calls *from,
	const struct calls *to, const char *complete)
{
	struct calls told = {{0}};
	struct profile *profile = NULL;
	struct error error = {0};

	assert_int_equal(profile_open(&profile, session->path, &error), 0);
	for (size_t i = 0; i < profile->node_count; i++) {
		const struct profile_node *node = &profile->node[i];

		if (node->method >= METHOD_FIRST)
			told.of[node->method - METHOD_FIRST] += node->calls;
	}
	for (uint32_t i = 0; i < METHODS; i++)
		assert_int_equal(told.of[i],
			wants(session->bit, METHOD_FIRST + i) ? to->of[i] - from->of[i] : 0);
	assert_int_equal(profile_meta_number(profile, "mine"), session->number);
	assert_string_equal(profile_meta_get(profile, "complete"), complete);
	if (strcmp(complete, "yes") == 0)
		assert_int_equal(told_of(profile), profile->session ? 1 : 0);
	profile_free(profile);
}

static const struct calls none;

/* ---- ---- */

static void a_guest(void **state)
{
	struct session first, guest;
	struct recording recording;
	struct calls came, left, last;

	init(&first, 1, 0, "guest-1");
	init(&guest, 2, 1, "guest-2");
	begin(&recording, &first);
	steps(&recording);
	came = calls_now(&recording.model);
	join(&recording, &guest, &first);
	steps(&recording);
	left = calls_now(&recording.model);
	leave(&recording, &guest);
	check(&guest, &came, &left, "yes");
	check(&first, &none, &left, "no");
	steps(&recording);
	last = calls_now(&recording.model);
	end(&recording);
	check(&guest, &came, &left, "yes");
	check(&first, &none, &last, "yes");
}

/* Its file is complete, and the database another one's; twice. */
static void the_first_leaves(void **state)
{
	struct session first, second, third;
	struct recording recording;
	struct calls at[5];

	init(&first, 1, 0, "moved-1");
	init(&second, 2, 1, "moved-2");
	init(&third, 3, 2, "moved-3");
	begin(&recording, &first);
	steps(&recording);
	at[0] = calls_now(&recording.model);
	join(&recording, &second, &first);
	steps(&recording);
	at[1] = calls_now(&recording.model);
	join(&recording, &third, &first);
	steps(&recording);
	at[2] = calls_now(&recording.model);
	leave(&recording, &first);
	check(&first, &none, &at[2], "yes");
	steps(&recording);
	at[3] = calls_now(&recording.model);
	leave(&recording, &second);
	check(&second, &at[0], &at[3], "yes");
	steps(&recording);
	at[4] = calls_now(&recording.model);
	end(&recording);
	check(&third, &at[1], &at[4], "yes");
	check(&first, &none, &at[2], "yes");
}

/* A file that cannot be made leaves the recording as it was. */
static void refused(void **state)
{
	struct session first, guest, same;
	struct recording recording;
	struct calls last;
	struct error error = {0};
	struct profile *profile;

	init(&first, 1, 0, "refused-1");
	init(&guest, 2, 1, "no-such/refused-2");
	init(&same, 3, 1, "refused-1");
	begin(&recording, &first);
	steps(&recording);
	assert_int_equal(
		writer_join(recording.writer, &guest.is, &first.is, &error), -ERROR_IO);
	error = (struct error){0};
	assert_int_equal(
		writer_join(recording.writer, &same.is, &first.is, &error), -ERROR_BUSY);
	error = (struct error){0};
	assert_int_equal(writer_leave(recording.writer, 2, &error), -ERROR_MISSING);
	steps(&recording);
	last = calls_now(&recording.model);
	end(&recording);
	check(&first, &none, &last, "yes");
	error = (struct error){0};
	assert_int_equal(profile_open(&profile, first.path, &error), 0);
	assert_null(profile->session);
	profile_free(profile);
}

/* Those that are there at the end are complete, each as of then. */
static void all_end(void **state)
{
	struct session first, guest;
	struct recording recording;
	struct calls came, last;

	init(&first, 1, 0, "end-1");
	init(&guest, 2, 2, "end-2");
	begin(&recording, &first);
	steps(&recording);
	came = calls_now(&recording.model);
	join(&recording, &guest, &first);
	steps(&recording);
	last = calls_now(&recording.model);
	end(&recording);
	check(&first, &none, &last, "yes");
	check(&guest, &came, &last, "yes");
}

/* Each has a snapshot of that label, and none of the other's. */
static void labels_of_their_own(void **state)
{
	struct session first, guest;
	struct recording recording;
	struct error error = {0};
	uint64_t at;

	init(&first, 1, 0, "labels-1");
	init(&guest, 2, 1, "labels-2");
	begin(&recording, &first);
	join(&recording, &guest, &first);
	for (uint32_t number = 1; number <= 2; number++) {
		char *label;

		steps(&recording);
		assert_int_equal(
			writer_snapshot(recording.writer, number, "x", &label, &at, &error), 0);
		free(label);
		assert_int_equal(
			writer_snapshot(recording.writer, number, "x", &label, &at, &error),
			-ERROR_BUSY);
		error = (struct error){0};
	}
	end(&recording);
	for (const struct session *session = &first; session;
		session = session == &first ? &guest : NULL) {
		struct profile *profile;
		size_t named = 0;

		assert_int_equal(profile_open(&profile, session->path, &error), 0);
		for (size_t i = 0; i < profile->snapshot_count; i++)
			named += strcmp(profile->snapshot[i].label, "x") == 0;
		assert_int_equal(named, 1);
		profile_free(profile);
	}
}

static int prepare(void **state)
{
	set = test_set(2);
	for (unsigned i = 0; i < 2; i++) {
		snprintf(set.metric[i].name, sizeof(set.metric[i].name), "m%u", i);
		snprintf(set.metric[i].unit, sizeof(set.metric[i].unit), "count");
	}
	return test_folder_make(folder);
}

static int clean(void **state)
{
	return test_folder_remove(folder);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_guest),
		cmocka_unit_test(the_first_leaves),
		cmocka_unit_test(refused),
		cmocka_unit_test(all_end),
		cmocka_unit_test(labels_of_their_own),
	};

	return cmocka_run_group_tests(tests, prepare, clean);
}
