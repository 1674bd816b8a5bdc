/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/*
 * A recording goes on in other editions: what threads are in the middle of ends as it began, who was turned away is asked again,
 * and rows are for the sessions that want their threads now.
 */
#include "fake_threads.h"

#include <pthread.h>
#include <string.h>

enum { A = METHOD_FIRST, B, C, SCOPE };

enum { FIRST = 1, SECOND = 2 };

static struct fake_thread platform = {.java_id = 1, .name = "main"};
static struct session *session;

static uint8_t all_want(const char *name)
{
	return atomic_load(&fake_sessions);
}

static uint8_t second_wants_worker_2(const char *name)
{
	return strcmp(name, "worker-2") == 0 ? FIRST | SECOND : FIRST;
}

static uint8_t nobody_wants(const char *name)
{
	return 0;
}

static uint8_t second_wants(const char *name)
{
	return SECOND;
}

static uint8_t nobody_wants_carriers(const char *name)
{
	return strcmp(name, "main") == 0 ? 0 : FIRST;
}

static int setup(void **state)
{
	fake_current = &platform;
	fake_that_want = all_want;
	atomic_store(&fake_sessions, FIRST);
	atomic_store(&fake_sessions_of_all, FIRST);
	return 0;
}

static void renew(void)
{
	threads_renew(fake_jni, session);
}

/* Row `index` has such a name and such calls, and its threads had no exit that matched nothing, or came too late. */
static void assert_row(const struct test_picture *picture, size_t index, const char *name,
	uint8_t wanted, uint64_t calls)
{
	const struct test_row *row = &picture->row[index];

	assert_in_range(index, 0, picture->count - 1);
	assert_string_equal(row->identity.name, name);
	assert_int_equal(row->identity.wanted, wanted);
	assert_int_equal(row->sums.calls, calls);
	assert_int_equal(row->thread.unmatched, 0);
	assert_int_equal(row->thread.repaired, 0);
}

/* ---- who is recorded goes on ---- */

static void test_goes_on(void **state)
{
	struct test_picture picture = {.metrics = 2};
	uint32_t recording, edition;
	struct thread_slot *slot;

	session = fake_begin(false);
	recording = recording_now();
	edition = session_now();
	assert_int_equal(recording, edition);
	assert_true(fake_enter(A));
	fake_use(10);
	renew();
	assert_int_equal(recording_now(), recording);
	assert_int_not_equal(session_now(), edition);
	/* What is no event goes on in the old edition. */
	assert_true(slot_is_behind(slot_current));
	assert_true(slot_in_scope());
	assert_non_null(slot_pause());
	slot_resume(slot_context(slot_current));
	assert_true(slot_is_behind(slot_current));
	/* The end of what was begun, and the next event. */
	slot = thread_events_go_on(SHAPE_ANY, fake_jni);
	assert_non_null(slot);
	assert_false(slot_is_behind(slot));
	context_exit(SHAPE_ANY, slot_context(slot), A, false);
	slot_leave(slot);
	renew();
	assert_true(fake_enter(B));
	fake_use(5);
	renew();
	assert_true(fake_leave(B));
	fake_stop(&picture);

	assert_int_equal(picture.count, 1);
	assert_row(&picture, 0, "main", FIRST, 2);
	assert_int_equal(picture.row[0].thread.events, 4);
	assert_int_equal(picture.row[0].thread.total[0], 15);
	test_picture_fini(&picture);
}

/* Says what was so, when another edition has come by then. */
static uint8_t too_late(const char *name)
{
	fake_that_want = second_wants;
	renew();
	return FIRST;
}

/* Rows were renewed between the thread's question and what it does by the answer. */
static void test_answered_late(void **state)
{
	struct test_picture picture = {.metrics = 2};

	session = fake_begin(false);
	assert_true(fake_enter(A));
	renew();
	fake_that_want = too_late;
	assert_true(fake_leave(A));
	fake_stop(&picture);

	assert_int_equal(picture.count, 1);
	assert_row(&picture, 0, "main", SECOND, 1);
	test_picture_fini(&picture);
}

/* The same of a virtual one, which is in no group by the old answer. */
static void test_virtual_is_answered_late(void **state)
{
	struct fake_thread worker = {.java_id = 2, .name = "worker-1", .is_virtual = true};
	struct test_picture picture = {.metrics = 2};

	session = fake_begin(false);
	atomic_store(&fake_sessions_of_all, 0);
	atomic_store(&fake_sessions, FIRST | SECOND);
	fake_that_want = second_wants;
	fake_mount(&worker);
	assert_true(fake_enter(B));
	renew();
	fake_that_want = too_late;
	assert_true(fake_leave(B));
	fake_unmount();
	fake_stop(&picture);

	assert_int_equal(picture.count, 3);
	assert_row(&picture, 1, "worker-*", SECOND, 1);
	assert_int_equal(picture.row[2].identity.wanted, FIRST);
	assert_true(picture.row[1].thread.alive);
	assert_false(picture.row[2].thread.alive);
	test_picture_fini(&picture);
}

/* Nothing of a recording is in the next, whatever edition it had come to. */
static void test_another_recording(void **state)
{
	struct test_picture picture = {.metrics = 2};

	session = fake_begin(false);
	renew();
	assert_true(fake_enter(A));
	fake_stop(&picture);
	slots_renew();
	assert_int_equal(session_now(), 0);
	assert_int_equal(recording_now(), 0);
	assert_false(fake_enter(A));
	assert_null(thread_events_go_on(SHAPE_ANY, fake_jni));
	session = fake_begin(false);
	assert_null(thread_events_go_on(SHAPE_ANY, fake_jni));
	assert_true(fake_enter(B));
	fake_stop(&picture);
	assert_row(&picture, 0, "main", FIRST, 1);
	test_picture_fini(&picture);
}

/* What a method is may be another matter in the next edition. */
static void test_methods_are_looked_up_again(void **state)
{
	struct test_picture picture = {.metrics = 2};
	jmethodID method = (jmethodID)(uintptr_t)0x1234560;

	session = fake_begin(false);
	assert_true(fake_enter(A));
	atomic_store(&fake_looked_up, 0);
	slot_method(slot_current, fake_jni, method);
	slot_method(slot_current, fake_jni, method);
	assert_int_equal(fake_looked_up, 1);
	renew();
	assert_true(fake_leave(A));
	slot_method(slot_current, fake_jni, method);
	assert_int_equal(fake_looked_up, 2);
	fake_stop(&picture);
	test_picture_fini(&picture);
}

/* ---- who wants it ---- */

static void test_refused_is_asked_again(void **state)
{
	struct test_picture picture = {.metrics = 2};

	fake_that_want = nobody_wants;
	atomic_store(&fake_sessions_of_all, 0);
	session = fake_begin(false);
	atomic_store(&fake_asked, 0);
	assert_false(fake_enter(A));
	assert_false(fake_enter(A));
	assert_int_equal(fake_asked, 1);
	renew();
	assert_false(fake_enter(A));
	assert_false(fake_leave(A));
	assert_int_equal(fake_asked, 2);
	fake_that_want = second_wants;
	renew();
	assert_true(fake_leave(A));
	assert_true(fake_enter(B));
	fake_stop(&picture);
	assert_int_equal(picture.count, 1);
	assert_row(&picture, 0, "main", SECOND, 1);
	test_picture_fini(&picture);
}

/* Once all were wanted none is turned away; it is nobody's. */
static void test_all_stay(void **state)
{
	struct test_picture picture = {.metrics = 2};

	session = fake_begin(false);
	fake_that_want = nobody_wants;
	atomic_store(&fake_sessions_of_all, 0);
	renew();
	assert_true(fake_enter(A));
	fake_stop(&picture);
	assert_row(&picture, 0, "main", 0, 1);
	test_picture_fini(&picture);
}

/* A thread that rests is told of, too. */
static void test_rows_without_events(void **state)
{
	struct test_picture picture = {.metrics = 2};

	session = fake_begin(false);
	assert_true(fake_enter(A));
	fake_that_want = second_wants;
	renew();
	fake_stop(&picture);
	assert_row(&picture, 0, "main", SECOND, 1);
	test_picture_fini(&picture);
}

/* ---- the scope ---- */

static void test_scope_stays(void **state)
{
	struct test_picture picture = {.metrics = 2};

	session = fake_begin(true);
	assert_false(fake_enter(A));
	renew();
	assert_false(fake_enter(A));
	assert_true(fake_enter_scope(SCOPE));
	fake_use(7);
	renew();
	assert_true(fake_enter(B));
	assert_true(fake_leave(B));
	assert_true(fake_leave_scope(SCOPE));
	assert_false(fake_enter(A));
	/* It has a context, and is outside. */
	renew();
	assert_false(fake_enter(A));
	assert_false(slot_in_scope());
	assert_true(slot_is_outside());
	assert_true(fake_enter_scope(SCOPE));
	assert_true(fake_leave_scope(SCOPE));
	renew();
	assert_true(slot_is_outside());
	assert_true(fake_enter_scope(SCOPE));
	assert_true(fake_leave_scope(SCOPE));
	fake_stop(&picture);
	assert_int_equal(picture.count, 1);
	assert_row(&picture, 0, "main", FIRST, 4);
	test_picture_fini(&picture);
}

/* Who is outside comes in, whether it was inside before or not; exits of methods that it entered outside match nothing, and
 * are not counted. */
static void lift_scope(bool was_inside)
{
	struct test_picture picture = {.metrics = 2};

	session = fake_begin(true);
	assert_false(fake_enter(A));
	if (was_inside) {
		assert_true(fake_enter_scope(SCOPE));
		fake_use(7);
		assert_true(fake_leave_scope(SCOPE));
		fake_use(1000);
	}
	assert_false(fake_enter(B));
	atomic_store(&session->has_scope, false);
	renew();
	assert_true(fake_leave(B));
	fake_use(20);
	assert_true(fake_enter(C));
	assert_true(fake_leave(C));
	assert_true(fake_leave(A));
	/* The scope's methods are like others now. */
	assert_true(fake_enter_scope(SCOPE));
	assert_true(fake_leave_scope(SCOPE));
	assert_true(fake_enter(C));
	fake_stop(&picture);
	assert_int_equal(picture.count, 1);
	assert_row(&picture, 0, "main", FIRST, was_inside ? 4 : 3);
	assert_int_equal(picture.row[0].thread.total[0], was_inside ? 27 : 20);
	test_picture_fini(&picture);
}

static void test_scope_is_lifted(void **state)
{
	lift_scope(false);
	lift_scope(true);
}

/* Between the two: the scope is gone, the edition has not come. */
static void test_scope_is_about_to_be_lifted(void **state)
{
	struct test_picture picture = {.metrics = 2};

	session = fake_begin(true);
	assert_true(fake_enter_scope(SCOPE));
	assert_true(fake_leave_scope(SCOPE));
	fake_use(0);
	atomic_store(&session->has_scope, false);
	fake_enter_scope(SCOPE);
	renew();
	fake_leave_scope(SCOPE);
	fake_use(20);
	assert_true(fake_enter(A));
	fake_stop(&picture);
	assert_int_equal(picture.row[0].thread.total[0], 20);
	assert_int_equal(picture.row[0].thread.unmatched, 0);
	test_picture_fini(&picture);
}

/* ---- threads that have ended ---- */

struct life {
	bool before, after, next_edition, next_recording;
};

static void *live(void *argument)
{
	static struct fake_thread thread = {.java_id = 2, .name = "short"};
	struct test_picture picture = {.metrics = 2};
	struct life *life = argument;

	fake_current = &thread;
	life->before = fake_enter(A);
	thread_events_end(fake_jni, NULL);
	life->after = fake_enter(A);
	renew();
	life->next_edition = fake_enter(A);
	fake_stop(&picture);
	test_picture_fini(&picture);
	session = fake_begin(false);
	life->next_recording = fake_enter(A);
	return NULL;
}

static void test_ended_is_hidden(void **state)
{
	struct test_picture picture = {.metrics = 2};
	struct life life;
	pthread_t thread;

	session = fake_begin(false);
	assert_int_equal(pthread_create(&thread, NULL, live, &life), 0);
	pthread_join(thread, NULL);
	assert_true(life.before);
	assert_false(life.after);
	assert_false(life.next_edition);
	assert_true(life.next_recording);
	fake_stop(&picture);
	test_picture_fini(&picture);
}

/* ---- virtual threads ---- */

/* Parked across an edition, in the same group, as all that is wanted is wanted by all. */
static void test_parked(void **state)
{
	struct test_picture picture = {.metrics = 2};
	struct fake_thread thread = {.java_id = 11, .name = "worker-1", .is_virtual = true};

	session = fake_begin(false);
	assert_true(fake_enter(C));
	fake_mount(&thread);
	assert_true(fake_enter(A));
	fake_use(3);
	fake_unmount();
	atomic_store(&fake_sessions, FIRST | SECOND);
	atomic_store(&fake_sessions_of_all, FIRST | SECOND);
	renew();
	fake_mount(&thread);
	assert_true(fake_enter(B));
	fake_use(4);
	assert_true(fake_leave(B));
	assert_true(fake_leave(A));
	/* And mounted across one. */
	renew();
	fake_end_virtual();
	assert_true(fake_leave(C));
	fake_stop(&picture);

	assert_int_equal(picture.count, 2);
	assert_row(&picture, 0, "main", FIRST | SECOND, 1);
	assert_row(&picture, 1, "worker-*", FIRST | SECOND, 2);
	assert_int_equal(picture.row[1].thread.total[0], 7);
	assert_int_equal(picture.row[1].thread.folded, 1);
	assert_false(picture.row[1].thread.alive);
	test_picture_fini(&picture);
}

/* Another session wants one of two in a group: from then on it is in another. What it was in goes on there. */
static void regroup(bool mounted)
{
	struct test_picture picture = {.metrics = 2};
	struct fake_thread one = {.java_id = 11, .name = "worker-1", .is_virtual = true};
	struct fake_thread two = {.java_id = 12, .name = "worker-2", .is_virtual = true};

	session = fake_begin(false);
	fake_mount(&one);
	assert_true(fake_enter(A));
	fake_unmount();
	fake_mount(&two);
	assert_true(fake_enter(A));
	fake_use(3);
	if (!mounted)
		fake_unmount();
	fake_that_want = second_wants_worker_2;
	atomic_store(&fake_sessions, FIRST | SECOND);
	renew();
	if (!mounted)
		fake_mount(&two);
	assert_true(fake_enter(B));
	fake_use(4);
	assert_true(fake_leave(B));
	assert_true(fake_leave(A));
	fake_end_virtual();
	fake_mount(&one);
	assert_true(fake_leave(A));
	fake_unmount();
	fake_stop(&picture);

	assert_int_equal(picture.count, 3);
	assert_row(&picture, 1, "worker-*", FIRST, 2);
	assert_row(&picture, 2, "worker-*", FIRST | SECOND, 1);
	assert_int_equal(picture.row[1].thread.total[0], 3);
	assert_int_equal(picture.row[2].thread.total[0], 4);
	assert_true(picture.row[1].thread.alive);
	assert_false(picture.row[2].thread.alive);
	test_picture_fini(&picture);
}

static void test_regrouped(void **state)
{
	regroup(false);
	setup(state);
	regroup(true);
}

/* Turned away, and asked for again: while it is mounted, and at a mount. What it used until then is nobody's. */
static void ask_again(bool mounted)
{
	struct test_picture picture = {.metrics = 2};
	struct fake_thread thread = {.java_id = 11, .name = "worker-1", .is_virtual = true};

	fake_that_want = nobody_wants;
	atomic_store(&fake_sessions_of_all, 0);
	session = fake_begin(false);
	fake_mount(&thread);
	assert_false(fake_enter(A));
	fake_use(100);
	if (!mounted)
		fake_unmount();
	fake_that_want = second_wants;
	renew();
	if (!mounted)
		fake_mount(&thread);
	assert_true(fake_leave(A));
	fake_use(4);
	assert_true(fake_enter(B));
	fake_unmount();
	fake_stop(&picture);

	assert_row(&picture, picture.count - 1, "worker-*", SECOND, 1);
	assert_int_equal(picture.row[picture.count - 1].thread.total[0], 4);
	test_picture_fini(&picture);
}

static void test_virtual_is_asked_again(void **state)
{
	ask_again(false);
	ask_again(true);
}

/* A carrier that nobody wanted has no row; from the edition on in which somebody does it has one, and carries as before. */
static void test_carrier_is_asked_again(void **state)
{
	struct test_picture picture = {.metrics = 2};
	struct fake_thread thread = {.java_id = 11, .name = "worker-1", .is_virtual = true};

	fake_that_want = nobody_wants_carriers;
	atomic_store(&fake_sessions_of_all, 0);
	session = fake_begin(false);
	fake_mount(&thread);
	assert_true(fake_enter(A));
	fake_use(3);
	fake_unmount();
	assert_false(fake_enter(C));
	fake_that_want = all_want;
	renew();
	fake_mount(&thread);
	fake_use(4);
	assert_true(fake_leave(A));
	fake_unmount();
	assert_true(fake_enter(C));
	fake_use(20);
	assert_true(fake_leave(C));
	fake_stop(&picture);

	assert_int_equal(picture.count, 2);
	assert_row(&picture, 0, "worker-*", FIRST, 1);
	assert_row(&picture, 1, "main", FIRST, 1);
	assert_int_equal(picture.row[0].thread.total[0], 7);
	assert_int_equal(picture.row[1].thread.total[0], 20);
	test_picture_fini(&picture);
}

/* Outside the scope, parked, and there is none any more. */
static void test_parked_outside(void **state)
{
	struct test_picture picture = {.metrics = 2};
	struct fake_thread thread = {.java_id = 11, .name = "worker-1", .is_virtual = true};

	session = fake_begin(true);
	fake_mount(&thread);
	assert_true(fake_enter_scope(SCOPE));
	fake_use(3);
	assert_true(fake_leave_scope(SCOPE));
	fake_use(100);
	fake_unmount();
	atomic_store(&session->has_scope, false);
	renew();
	fake_mount(&thread);
	fake_use(4);
	assert_true(fake_enter(A));
	fake_unmount();
	assert_true(fake_enter(C));
	fake_stop(&picture);

	assert_int_equal(picture.count, 2);
	assert_row(&picture, 0, "worker-*", FIRST, 2);
	assert_row(&picture, 1, "main", FIRST, 1);
	assert_int_equal(picture.row[0].thread.total[0], 7);
	test_picture_fini(&picture);
}

#define TEST(test) cmocka_unit_test_setup(test, setup)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(test_goes_on),
		TEST(test_answered_late),
		TEST(test_virtual_is_answered_late),
		TEST(test_another_recording),
		TEST(test_methods_are_looked_up_again),
		TEST(test_refused_is_asked_again),
		TEST(test_all_stay),
		TEST(test_rows_without_events),
		TEST(test_scope_stays),
		TEST(test_scope_is_lifted),
		TEST(test_scope_is_about_to_be_lifted),
		TEST(test_ended_is_hidden),
		TEST(test_parked),
		TEST(test_regrouped),
		TEST(test_virtual_is_asked_again),
		TEST(test_carrier_is_asked_again),
		TEST(test_parked_outside),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
