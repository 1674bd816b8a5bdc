/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/*
 * test_plan: what is in a method is the union of what the owners of the plan want, but for what must stay
 * as it is; and each change is another edition.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <pthread.h>
#include <stdatomic.h>
#include <unistd.h>

#include "agent/methods/plan.h"

/* An owner with lists of one pattern each; "": none. */
struct wish {
	struct pattern_list include, exclude, scope;
	struct plan_owner owner;
};

static void add(struct pattern_list *list, const char *pattern)
{
	*list = (struct pattern_list){0};
	if (*pattern)
		assert_int_equal(pattern_list_add(list, pattern), 0);
}

static void want(struct wish *wish, probe_set probes, const char *include, const char *exclude,
	const char *scope)
{
	add(&wish->include, include);
	add(&wish->exclude, exclude);
	add(&wish->scope, scope);
	wish->owner = (struct plan_owner){.probes = probes,
		.records = probes != PROBE_ENTRY,
		.include = &wish->include,
		.exclude = &wish->exclude,
		.scope = &wish->scope};
	plan_add(&wish->owner);
}

static void want_named(struct wish *wish, probe_set probes, const char *include)
{
	want(wish, probes, include, "", "");
	wish->owner.named = true;
}

static void drop(struct wish *wish)
{
	plan_remove(&wish->owner);
	pattern_list_fini(&wish->include);
	pattern_list_fini(&wish->exclude);
	pattern_list_fini(&wish->scope);
}

static struct jvm_method method(const char *class_name, const char *name, bool is_jdk)
{
	return (struct jvm_method){.class_name = (char *)class_name,
		.name = (char *)name,
		.signature = (char *)"()V",
		.is_jdk = is_jdk};
}

static probe_set probes(const char *class_name, const char *name, bool is_jdk)
{
	struct jvm_method m = method(class_name, name, is_jdk);

	return plan_of(&m).probes;
}

static void test_nobody(void **state)
{
	assert_int_equal(probes("com.acme.Shop", "buy", false), PROBE_NONE);
	assert_false(plan_reaches("com.acme.Shop", false, PLAN_ALL_SESSIONS));
}

static void test_one(void **state)
{
	struct wish wish;
	struct jvm_method buy = method("com.acme.Shop", "buy", false);
	struct planned planned;

	want(&wish, PROBE_TIMED, "", "com.acme.Log", "com.acme.Log.write");
	planned = plan_of(&buy);
	assert_int_equal(planned.probes, PROBE_TIMED);
	assert_false(planned.scope);
	assert_ptr_equal(planned.owner, &wish.owner);
	assert_int_equal(probes("java.util.HashMap", "put", true), PROBE_NONE);
	assert_int_equal(probes("com.acme.Log", "read", false), PROBE_NONE);
	assert_int_equal(
		probes("com.acme.Log", "write", false), PROBE_TIMED); /* of the scope */
	assert_int_equal(pattern_list_noted(&wish.scope, 0), 1);
	assert_true(plan_reaches("com.acme.Log", false, PLAN_ALL_SESSIONS));
	assert_false(plan_reaches("java.util.HashMap", true, PLAN_ALL_SESSIONS));
	drop(&wish);
	assert_int_equal(probes("com.acme.Shop", "buy", false), PROBE_NONE);
}

/* Each has all that one of them wants. */
static void test_union(void **state)
{
	struct wish narrow, wide;
	struct jvm_method buy = method("com.acme.Shop", "buy", false);
	struct planned planned;

	want(&wide, PROBE_TIMED, "com.acme.*", "", "");
	want(&narrow, PROBE_ENTRY, "com.acme.Shop.buy", "", "");
	assert_int_equal(narrow.owner.since, wide.owner.since + 1);
	assert_int_equal(pattern_list_add(&narrow.include, "com.acme.Bank"), 0);
	assert_int_equal(pattern_list_add(&narrow.include, "*.Shop.*"), 0);
	planned = plan_of(&buy);
	assert_int_equal(planned.probes, PROBE_TIMED | PROBE_ENTRY);
	assert_int_equal(planned.entered, 1 << 0 | 1 << 2);
	assert_true(planned.recorded);
	assert_non_null(planned.owner);
	assert_int_equal(probes("com.acme.Till", "open", false), PROBE_TIMED);
	assert_int_equal(probes("org.Shop", "open", false), PROBE_ENTRY);
	assert_true(plan_reaches("org.Shop", false, PLAN_ALL_SESSIONS));
	drop(&wide);
	planned = plan_of(&buy);
	assert_int_equal(planned.probes, PROBE_ENTRY);
	assert_false(planned.recorded);
	assert_ptr_equal(planned.owner, &narrow.owner);
	drop(&narrow);
	assert_false(plan_reaches("com.acme.Shop", false, PLAN_ALL_SESSIONS));
}

static void want_for(
	struct wish *wish, unsigned session, probe_set probes, bool named, const char *include)
{
	want(wish, probes, include, "", "");
	wish->owner.session = session;
	wish->owner.named = named;
}

/* What several sessions want of one method: each for itself, and what is done. */
static void test_sessions(void **state)
{
	enum { COUNTED = PROBE_COUNTED, TIMED = PROBE_TIMED, EITHER = PROBE_CALLS };
	static const struct {
		probe_set first, named, second; /* named: by the first, too */
		probe_set probes;
		uint8_t counted;
	} row[] = {
		{TIMED, PROBE_NONE, TIMED, TIMED, 0},
		{TIMED, PROBE_NONE, COUNTED, TIMED, 2},
		{COUNTED, PROBE_NONE, TIMED, TIMED, 1},
		{COUNTED, PROBE_NONE, COUNTED, COUNTED, 3},
		{EITHER, PROBE_NONE, TIMED, TIMED, 0},
		{EITHER, PROBE_NONE, COUNTED, EITHER, 2},
		{EITHER, PROBE_NONE, EITHER, EITHER, 0},
		/* What one names is of no other's concern. */
		{TIMED, COUNTED, TIMED, TIMED, 1},
		{EITHER, COUNTED, EITHER, EITHER, 1},
		{EITHER, TIMED, COUNTED, TIMED, 2},
		{COUNTED, TIMED, COUNTED, TIMED, 2},
	};
	struct jvm_method buy = method("com.acme.Shop", "buy", false),
			  sell = method("com.acme.Till", "sell", false);

	for (size_t i = 0; i < sizeof(row) / sizeof(*row); i++) {
		struct wish first, named, second;
		struct planned planned;

		want_for(&first, 0, row[i].first, false, "com.acme.*");
		if (row[i].named)
			want_for(&named, 0, row[i].named, true, "com.acme.Shop.buy");
		want_for(&second, 1, row[i].second, false, "com.acme.Shop");
		planned = plan_of(&buy);
		assert_int_equal(planned.probes, row[i].probes);
		assert_int_equal(planned.sessions.wanted, 3);
		assert_int_equal(planned.sessions.counted, row[i].counted);
		assert_int_equal(plan_of(&sell).sessions.wanted, 1);
		assert_true(plan_reaches("com.acme.Shop", false, 2));
		assert_false(plan_reaches("com.acme.Till", false, 2));
		/* One that leaves wants nothing, but is known to have been there. */
		plan_leave(&second.owner);
		planned = plan_of(&buy);
		assert_int_equal(planned.sessions.wanted, 1);
		assert_int_equal(planned.probes, row[i].named ? row[i].named : row[i].first);
		assert_true(plan_reaches("com.acme.Shop", false, 2));
		drop(&second);
		assert_false(plan_reaches("com.acme.Shop", false, 2));
		assert_true(plan_settle());
		if (row[i].named)
			drop(&named);
		drop(&first);
	}
}

/* How the calls of a method are seen that owners name, or do not. */
static void test_named(void **state)
{
	static const struct {
		unsigned line;
		probe_set general;
		const char *include, *exclude, *scope; /* the general one's */
		const char *timed, *counted;           /* that are named; "": none */
		const char *entry;
		probe_set probes;
	} row[] = {
		{__LINE__, PROBE_CALLS, "", "", "", "", "", "", PROBE_CALLS},
		{__LINE__, PROBE_TIMED, "", "", "", "", "", "", PROBE_TIMED},
		{__LINE__, PROBE_COUNTED, "", "", "", "", "", "", PROBE_COUNTED},
		/* One that is named wins over what is not, whatever that is. */
		{__LINE__, PROBE_CALLS, "", "", "", "com.acme.Shop", "", "", PROBE_TIMED},
		{__LINE__, PROBE_CALLS, "", "", "", "", "com.acme.Shop.buy", "", PROBE_COUNTED},
		{__LINE__, PROBE_COUNTED, "", "", "", "*.buy", "", "", PROBE_TIMED},
		{__LINE__, PROBE_TIMED, "", "", "", "", "com.acme.*", "", PROBE_COUNTED},
		/* Of both that are named, timed: such calls are counted, too. */
		{__LINE__, PROBE_CALLS, "", "", "", "com.acme.*", "com.acme.Shop.buy", "",
			PROBE_TIMED},
		{__LINE__, PROBE_COUNTED, "", "", "", "com.acme.*", "com.acme.*", "",
			PROBE_TIMED},
		/* Others that are named are not this one. */
		{__LINE__, PROBE_CALLS, "", "", "", "com.acme.Shop.sell", "com.acme.Till", "",
			PROBE_CALLS},
		/* Also where no other has it. */
		{__LINE__, PROBE_CALLS, "org.*", "", "", "com.acme.Shop", "", "", PROBE_TIMED},
		{__LINE__, PROBE_CALLS, "", "com.acme.*", "", "", "com.acme.Shop", "",
			PROBE_COUNTED},
		{__LINE__, PROBE_CALLS, "", "com.acme.*", "", "", "", "", PROBE_NONE},
		/* A method of the scope has what the general owner wants, excluded or not; named it is as that says. */
		{__LINE__, PROBE_CALLS, "org.*", "", "com.acme.Shop.buy", "", "", "",
			PROBE_CALLS},
		{__LINE__, PROBE_CALLS, "", "com.acme.*", "com.acme.Shop.buy", "", "", "",
			PROBE_CALLS},
		{__LINE__, PROBE_CALLS, "", "", "com.acme.Shop.buy", "", "com.acme.Shop", "",
			PROBE_COUNTED},
		{__LINE__, PROBE_COUNTED, "", "", "com.acme.Shop.buy", "com.acme.Shop", "", "",
			PROBE_TIMED},
		/* Stacks at the entry are beside. */
		{__LINE__, PROBE_CALLS, "", "", "", "", "", "com.acme.Shop.buy",
			PROBE_CALLS | PROBE_ENTRY},
		{__LINE__, PROBE_CALLS, "", "", "", "com.acme.*", "", "com.acme.Shop.buy",
			PROBE_TIMED | PROBE_ENTRY},
		{__LINE__, PROBE_TIMED, "", "", "", "", "com.acme.*", "com.acme.Shop.buy",
			PROBE_COUNTED | PROBE_ENTRY},
		{__LINE__, PROBE_CALLS, "org.*", "", "", "", "", "com.acme.Shop.buy",
			PROBE_ENTRY},
	};

	/* The order in which owners come says nothing. */
	for (size_t i = 0; i < 2 * sizeof(row) / sizeof(*row); i++) {
		size_t r = i / 2;
		struct wish general, timed, counted, entry;
		struct jvm_method buy = method("com.acme.Shop", "buy", false);
		struct planned planned;
		bool last = i % 2;

		if (!last)
			want(&general, row[r].general, row[r].include, row[r].exclude,
				row[r].scope);
		/* Without a pattern it would be one of all methods. */
		want_named(&timed, PROBE_TIMED, *row[r].timed ? row[r].timed : "none.of.them");
		want_named(&counted, PROBE_COUNTED,
			*row[r].counted ? row[r].counted : "none.of.them");
		want(&entry, PROBE_ENTRY, *row[r].entry ? row[r].entry : "none.of.them", "",
			"");
		if (last)
			want(&general, row[r].general, row[r].include, row[r].exclude,
				row[r].scope);
		planned = plan_of(&buy);
		if (planned.probes != row[r].probes)
			fail_msg("line %u: %d", row[r].line, planned.probes);
		assert_int_equal(planned.scope, *row[r].scope != 0);
		assert_int_equal(planned.entered, *row[r].entry != 0);
		assert_int_equal(planned.recorded, (planned.probes & PROBE_CALLS) != 0);
		drop(&general);
		drop(&timed);
		drop(&counted);
		drop(&entry);
	}
}

/* Patterns that choose nothing are noted like those that do. */
static void test_noted(void **state)
{
	struct pattern_list noted;
	struct jvm_method buy = method("com.acme.Shop", "buy", false);
	struct wish wish;

	add(&noted, "com.acme.Shop.buy");
	want(&wish, PROBE_ENTRY, "com.acme.Shop.sell", "", "");
	assert_int_equal(pattern_list_add(&wish.include, "com.acme.Shop.buy"), 0);
	wish.owner.noted = &noted;
	assert_int_equal(plan_of(&buy).entered, 1 << 1);
	assert_int_equal(pattern_list_noted(&noted, 0), 1);
	assert_int_equal(probes("com.acme.Shop", "sell", false), PROBE_ENTRY);
	assert_int_equal(pattern_list_noted(&noted, 0), 1);
	drop(&wish);
	pattern_list_fini(&noted);
}

/* The JDK's own as with any pattern: where its class is named. */
static void test_named_of_jdk(void **state)
{
	struct wish general, timed;

	want(&general, PROBE_CALLS, "", "", "");
	want_named(&timed, PROBE_TIMED, "java.util.HashMap.put");
	assert_int_equal(probes("java.util.HashMap", "put", true), PROBE_TIMED);
	assert_int_equal(probes("java.util.HashMap", "get", true), PROBE_NONE);
	assert_int_equal(probes("com.acme.Shop", "buy", false), PROBE_CALLS);
	assert_true(plan_reaches("java.util.HashMap", true, PLAN_ALL_SESSIONS));
	assert_false(plan_reaches("java.util.TreeMap", true, PLAN_ALL_SESSIONS));
	assert_int_equal(pattern_list_noted(&timed.include, 0), 1);
	/* What must stay as it is is not changed by a name. */
	drop(&timed);
	want_named(&timed, PROBE_COUNTED, "java.lang.Object");
	{
		struct jvm_method init = method("java.lang.Object", "<init>", true);
		struct planned planned = plan_for_code(&init, false);

		assert_non_null(planned.left);
		assert_int_equal(planned.probes, PROBE_NONE);
	}
	drop(&timed);
	drop(&general);
}

/* Methods may be chosen whose calls are seen without probes. */
static void test_without_probes(void **state)
{
	struct wish wish;
	struct jvm_method buy = method("com.acme.Shop", "buy", false);
	struct planned planned;

	want(&wish, PROBE_NONE, "com.acme.*", "", "");
	planned = plan_of(&buy);
	assert_int_equal(planned.probes, PROBE_NONE);
	assert_true(planned.recorded);
	assert_false(plan_reaches("com.acme.Shop", false, PLAN_ALL_SESSIONS));
	drop(&wish);
}

static void test_editions(void **state)
{
	uint32_t before = plan_edition();
	struct wish wish;

	want(&wish, PROBE_TIMED, "*", "", "");
	assert_int_equal(plan_edition(), before + 1);
	{
		struct jvm_method buy = method("com.acme.Shop", "buy", false);

		assert_int_equal(plan_of(&buy).edition, before + 1);
	}
	assert_int_equal(wish.owner.since, before + 1);
	drop(&wish);
	assert_int_equal(plan_edition(), before + 2);
}

/* What is wanted and must stay as it is has a reason; what is not wanted has none. */
static void test_left(void **state)
{
	static const struct {
		const char *class_name;
		bool is_native, intrinsic;
		bool left, whole_class;
	} row[] = {
		{"java.lang.Object", false, false, true, true},
		{"java.lang.VirtualThread$VThreadContinuation", false, false, true, true},
		{"java.lang.Objects", false, false, false, false},
		{"java.lang.System", true, true, true, false},
		{"java.lang.System", true, false, false, false},
		{"java.lang.Math", false, true, false, false},
		{"java.util.HashMap", true, true, false, false}, /* not wanted */
	};
	struct wish wish;

	want(&wish, PROBE_TIMED, "java.lang.*", "", "");
	for (size_t i = 0; i < sizeof(row) / sizeof(*row); i++) {
		struct jvm_method m = method(row[i].class_name, "f", true);
		struct planned planned;

		m.is_native = row[i].is_native;
		planned = plan_for_code(&m, row[i].intrinsic);
		assert_int_equal(planned.left != NULL, row[i].left);
		assert_int_equal(planned.left_class, row[i].whole_class);
		if (row[i].left)
			assert_int_equal(planned.probes, PROBE_NONE);
	}
	drop(&wish);
}

/* What a program asks jprof by is never a part of the program. */
static void test_own(void **state)
{
	struct wish wish;

	want(&wish, PROBE_TIMED, "java.*", "", "jprof.*");
	assert_int_equal(probes("jprof.JProf", "start", false), PROBE_NONE);
	assert_false(plan_reaches("jprof.JProf", false, PLAN_ALL_SESSIONS));
	assert_int_equal(probes("java.lang.JprofProbe", "entered", true), PROBE_NONE);
	drop(&wish);
}

/* ---- settling, while others ask ---- */

static _Atomic unsigned asked; /* questions that have come to the owner */
static _Atomic bool over;

/* Leaves when another one has come in: there is always one who asks. */
static bool until_another_asks(const struct jvm_method *method, unsigned session)
{
	unsigned own = atomic_fetch_add(&asked, 1) + 1;

	while (atomic_load(&asked) == own && !atomic_load(&over))
		usleep(10);
	return true;
}

static void *ask_always(void *nothing)
{
	while (!atomic_load(&over))
		probes("com.acme.Shop", "buy", false);
	return nothing;
}

static bool until_over(const struct jvm_method *method, unsigned session)
{
	atomic_store(&asked, 1);
	while (!atomic_load(&over))
		usleep(10);
	return true;
}

static void *settle(void *settled)
{
	assert_true(plan_settle());
	atomic_store((_Atomic bool *)settled, true);
	return NULL;
}

static void await_asked(unsigned count)
{
	while (atomic_load(&asked) < count)
		usleep(10);
}

static void begin_asking(
	struct wish *wish, bool (*wants)(const struct jvm_method *method, unsigned session))
{
	atomic_store(&asked, 0);
	atomic_store(&over, false);
	want(wish, PROBE_TIMED, "com.acme.*", "", "");
	wish->owner.wants = wants;
}

/* Without a moment in which nobody asks. */
static void test_settle_among_askers(void **state)
{
	enum { ASKERS = 3, TIMES = 20 };
	pthread_t thread[ASKERS];
	struct wish wish;

	begin_asking(&wish, until_another_asks);
	for (int i = 0; i < ASKERS; i++)
		assert_int_equal(pthread_create(&thread[i], NULL, ask_always, NULL), 0);
	await_asked(ASKERS);
	for (int i = 0; i < TIMES; i++)
		assert_true(plan_settle());
	atomic_store(&over, true);
	for (int i = 0; i < ASKERS; i++)
		pthread_join(thread[i], NULL);
	drop(&wish);
}

/* Whoever asked before is waited for. */
static void test_settle_waits(void **state)
{
	enum { LONG_US = 50000 };
	_Atomic bool settled = false;
	pthread_t asker, settler;
	struct wish wish;

	begin_asking(&wish, until_over);
	assert_int_equal(pthread_create(&asker, NULL, ask_always, NULL), 0);
	await_asked(1);
	assert_int_equal(pthread_create(&settler, NULL, settle, &settled), 0);
	usleep(LONG_US);
	assert_false(atomic_load(&settled));
	atomic_store(&over, true);
	pthread_join(asker, NULL);
	pthread_join(settler, NULL);
	assert_true(atomic_load(&settled));
	drop(&wish);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_nobody),
		cmocka_unit_test(test_one),
		cmocka_unit_test(test_union),
		cmocka_unit_test(test_sessions),
		cmocka_unit_test(test_named),
		cmocka_unit_test(test_noted),
		cmocka_unit_test(test_named_of_jdk),
		cmocka_unit_test(test_without_probes),
		cmocka_unit_test(test_editions),
		cmocka_unit_test(test_left),
		cmocka_unit_test(test_own),
		cmocka_unit_test(test_settle_among_askers),
		cmocka_unit_test(test_settle_waits),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
