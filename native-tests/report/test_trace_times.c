/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/* How long a trace was on, in all of a recording and in an interval of it. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "report/model/trace_times.h"

#define S UINT64_C(1000000000)

/* Of 20 s, locks were on three times, from 1 to 2, from 5 to 10, and from 18 on; gc all the time. */
static struct profile_trace_period period[] = {
	{1, TRACE_GC, 1000, PROFILE_NOT_KNOWN},
	{2, TRACE_LOCKS, 1 * S, 2 * S},
	{3, TRACE_LOCKS, 5 * S, 10 * S},
	{4, TRACE_LOCKS, 18 * S, PROFILE_NOT_KNOWN},
};

static struct profile profile_of(uint64_t from, uint64_t to)
{
	return (struct profile){.trace_period = period,
		.trace_period_count = sizeof(period) / sizeof(*period),
		.interval = {.begin = from, .end = to}};
}

static void periods_are_summed_up(void **state)
{
	struct profile profile = profile_of(0, 20 * S);
	struct trace_times locks = trace_times(&profile, TRACE_LOCKS);
	struct trace_times gc = trace_times(&profile, TRACE_GC);
	struct trace_times jit = trace_times(&profile, TRACE_JIT);

	assert_int_equal(locks.ns, 8 * S);
	assert_int_equal(locks.periods, 3);
	assert_false(locks.all);
	assert_true(gc.all);
	assert_int_equal(jit.periods, 0);
	assert_string_equal(trace_line(&profile, TRACE_LOCKS).text,
		"locks traced for 8.00 s of 20.0 s, 3 times");
	assert_string_equal(trace_line(&profile, TRACE_GC).text, "");
	assert_non_null(strstr(trace_line(&profile, TRACE_JIT).text, "--traces jit"));
}

static void an_interval_has_its_part(void **state)
{
	struct profile profile = profile_of(6 * S, 9 * S);
	struct trace_times inside = trace_times(&profile, TRACE_LOCKS);

	assert_true(inside.all);
	assert_int_equal(inside.ns, 3 * S);
	profile = profile_of(10 * S, 18 * S);
	assert_int_equal(trace_times(&profile, TRACE_LOCKS).periods, 0);
	assert_string_equal(trace_line(&profile, TRACE_LOCKS).text,
		"no trace of locks in this interval: it was on at another time");
	profile = profile_of(9 * S, 19 * S);
	assert_string_equal(
		trace_span(&profile, TRACE_LOCKS).text, "2.00 s of 10.0 s, 2 times");
}

/* A second is much of a recording that is no longer than that. */
static void what_is_short_is_told_apart(void **state)
{
	struct profile profile = profile_of(S / 2, 3 * S / 2);

	assert_string_equal(trace_span(&profile, TRACE_LOCKS).text, "500 ms of 1.00 s, 1 time");
	profile = profile_of(9 * S / 10, 19 * S / 10);
	assert_true(trace_times(&profile, TRACE_LOCKS).all);
}

/* The facts tell of a recording's end where no interval was asked for. */
static void the_end_is_a_fact(void **state)
{
	struct profile_meta meta = {"flushed_ns", "20000000000"};
	struct profile profile = profile_of(0, 0);

	profile.meta = &meta;
	profile.meta_count = 1;
	assert_int_equal(trace_times(&profile, TRACE_LOCKS).ns, 8 * S);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(periods_are_summed_up),
		cmocka_unit_test(an_interval_has_its_part),
		cmocka_unit_test(what_is_short_is_told_apart),
		cmocka_unit_test(the_end_is_a_fact),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
