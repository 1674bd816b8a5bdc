/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/* metric: sets chosen by name, read in every shape, from inside and outside. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>

#include "metric/metric.h"

static volatile uint64_t words[3];

static struct alloc_source source(void)
{
	return (struct alloc_source){
		.allocated = &words[0], .tlab_start = &words[1], .tlab_top = &words[2]};
}

/* Names joined by '+'. */
static int choose(struct metric_set *set, const char *text, struct error *error)
{
	char *piece[METRIC_MAX + 4], *copy = strdup(text), *rest = NULL;
	struct pattern_list names = {.pattern = piece};
	int result;

	for (char *name = strtok_r(copy, "+", &rest); name; name = strtok_r(NULL, "+", &rest))
		piece[names.count++] = name;
	result = metric_set_init(set, &names, error);
	free(copy);
	return result;
}

struct shape_row {
	int line;
	const char *names;
	enum metric_shape shape;
	bool uses_stamp;
};

static const struct shape_row shape_rows[] = {
	{__LINE__, "wall", SHAPE_WALL, true},
	{__LINE__, "wall+cpu", SHAPE_WALL_CPU, true},
	{__LINE__, "wall+cpu+alloc", SHAPE_WALL_CPU_ALLOC, true},
	{__LINE__, "cpu", SHAPE_ANY, true},
	{__LINE__, "cpu+wall", SHAPE_ANY, true},
	{__LINE__, "wall+alloc", SHAPE_ANY, true},
	{__LINE__, "wall+cpu+alloc+vm-bytes", SHAPE_ANY, true},
	{__LINE__, "alloc", SHAPE_ANY, false},
	{__LINE__, "vm-objects+vm-bytes", SHAPE_ANY, false},
};

static void shapes(void **state)
{
	for (size_t i = 0; i < sizeof(shape_rows) / sizeof(*shape_rows); i++) {
		struct metric_set set;
		struct error error = {0};

		if (choose(&set, shape_rows[i].names, &error) != 0 ||
			set.shape != shape_rows[i].shape ||
			set.uses_stamp != shape_rows[i].uses_stamp)
			fail_msg("line %d: shape %d %s", shape_rows[i].line, (int)set.shape,
				error.text);
	}
}

struct refusal_row {
	int line;
	const char *names;
	enum error_code code;
	const char *says;
};

static const struct refusal_row refusal_rows[] = {
	{__LINE__, "", ERROR_VALUE, "1 to 16"},
	{__LINE__, "a+a+a+a+a+a+a+a+a+a+a+a+a+a+a+a+a", ERROR_VALUE, "17 metrics"},
	{__LINE__, "wal", ERROR_VALUE, "unknown metric 'wal': the nearest are 'wall'"},
	{__LINE__, "wall+Instructoins", ERROR_VALUE, "'instructions'"},
	{__LINE__, "PAPI_TOT_INZ", ERROR_VALUE, "'PAPI_TOT_INS'"},
	{__LINE__, "cycles:period=5", ERROR_VALUE, "asks for samples"},
	{__LINE__, "a234567890123456789012345678901234567890123456789012345678901234",
		ERROR_VALUE, "more than 63"},
};

static void refusals(void **state)
{
	for (size_t i = 0; i < sizeof(refusal_rows) / sizeof(*refusal_rows); i++) {
		const struct refusal_row *row = &refusal_rows[i];
		struct metric_set set;
		struct error error = {0};
		int result = choose(&set, row->names, &error);

		if (result != -(int)row->code || set.count != 0 ||
			!strstr(error.text, row->says))
			fail_msg("line %d: %d, %s", row->line, result, error.text);
	}
}

/* What the machine cannot count is refused by name; what it can says how it is read. */
static void hardware_is_counted_or_refused(void **state)
{
	struct metric_set set;
	struct error error = {0};

	if (choose(&set, "wall+instructions", &error) == 0) {
		assert_string_not_equal(set.metric[1].how, "");
		return;
	}
	assert_true(error.code == ERROR_MISSING || error.code == ERROR_DENIED);
	assert_non_null(strstr(error.text, "'instructions'"));
}

static void opens_reads_and_closes(void **state)
{
	struct metric_set set;
	struct metric_thread thread;
	uint64_t value[METRIC_MAX], again[METRIC_MAX];
	uint64_t losses = metric_losses();

	assert_int_equal(choose(&set, "wall+cpu+alloc", NULL), 0);
	words[0] = 5000;
	words[1] = words[2] = 0;
	metric_thread_open(&set, &thread, source());
	metric_read(SHAPE_WALL_CPU_ALLOC, &set, &thread, value);
	words[0] = 6000;
	metric_read(SHAPE_ANY, &set, &thread, again);
	assert_int_equal(value[2], 5000);
	assert_int_equal(again[2], 6000);
	assert_true(again[0] >= value[0] && again[0] - value[0] < 1000000000);
	assert_true(again[1] >= value[1] && again[1] - value[1] <= 1000000000);
	value[2] = 10000;
	metric_read_from_outside(&set, &thread, value);
	assert_true(value[0] >= again[0]);
	assert_true(value[1] >= again[1]);
	assert_int_equal(value[2], 10000);
	metric_thread_close(&set, &thread);
	metric_thread_close(&set, &thread);
	assert_int_equal(metric_losses(), losses);
}

static void counts_what_the_jvm_allocates(void **state)
{
	struct metric_set set;
	struct metric_thread thread;
	uint64_t value[METRIC_MAX];

	assert_int_equal(choose(&set, "vm-bytes+vm-objects", NULL), 0);
	metric_thread_open(&set, &thread, (struct alloc_source){0});
	metric_count(&thread, METRIC_VM_OBJECTS, 3);
	metric_count(&thread, METRIC_VM_BYTES, 120);
	metric_read(SHAPE_ANY, &set, &thread, value);
	assert_int_equal(value[0], 120);
	assert_int_equal(value[1], 3);
	value[0] = 1;
	metric_read_from_outside(&set, &thread, value);
	assert_int_equal(value[0], 1);
	metric_thread_close(&set, &thread);
}

static void says_what_it_lost(void **state)
{
	struct metric_set set;
	struct metric_thread thread;
	struct rlimit limit, none;
	uint64_t value[METRIC_MAX], losses, fallbacks;

	if (choose(&set, "cpu+alloc+page-faults", NULL) != 0)
		skip();
	losses = metric_losses();
	fallbacks = metric_fallbacks();
	assert_int_equal(getrlimit(RLIMIT_NOFILE, &limit), 0);
	none = (struct rlimit){.rlim_cur = 0, .rlim_max = limit.rlim_max};
	setrlimit(RLIMIT_NOFILE, &none);
	metric_thread_open(&set, &thread, (struct alloc_source){0});
	setrlimit(RLIMIT_NOFILE, &limit);
	assert_int_equal(metric_fallbacks(), fallbacks + 1); /* cpu, by the system call */
	assert_int_equal(metric_losses(), losses + 2);       /* alloc, page-faults */
	metric_read(SHAPE_ANY, &set, &thread, value);
	assert_true(value[0] > 0);
	assert_int_equal(value[1], 0);
	assert_int_equal(value[2], 0);
	assert_int_equal(metric_losses(), losses + 2);
	metric_thread_close(&set, &thread);
}

/* More threads at once than pages may be locked for an ordinary user: all are read. */
static pthread_barrier_t crowd;
static struct metric_set crowd_set;

static void *be_one_of_many(void *argument)
{
	struct metric_thread thread;
	uint64_t value[METRIC_MAX];

	metric_thread_open(&crowd_set, &thread, source());
	pthread_barrier_wait(&crowd);
	metric_read(SHAPE_WALL_CPU, &crowd_set, &thread, value);
	pthread_barrier_wait(&crowd);
	metric_thread_close(&crowd_set, &thread);
	return value[1] > 0 ? NULL : argument;
}

static void serves_many_threads(void **state)
{
	enum { MANY = 300 };
	pthread_t thread[MANY];
	void *failed;

	assert_int_equal(choose(&crowd_set, "wall+cpu", NULL), 0);
	pthread_barrier_init(&crowd, NULL, MANY);
	for (int i = 0; i < MANY; i++)
		assert_int_equal(
			pthread_create(&thread[i], NULL, be_one_of_many, &crowd_set), 0);
	for (int i = 0; i < MANY; i++) {
		pthread_join(thread[i], &failed);
		assert_null(failed);
	}
}

static void the_list_has_every_kind(void **state)
{
	static const char *const names[] = {"wall", "cpu", "alloc", "vm-objects", "vm-bytes",
		"io-read", "net-out-ops", "instructions", "page-faults", "PAPI_TOT_INS",
		"rHEX"};
	char *text = NULL;
	size_t size = 0;
	FILE *out = open_memstream(&text, &size);

	assert_int_equal(metric_print_available(out), 0);
	fclose(out);
	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++)
		if (!strstr(text, names[i]))
			fail_msg("no '%s' in:\n%s", names[i], text);
	free(text);
}

/* What a probe costs is time, and what the processor counts. */
static void probes_add_to_time(void **state)
{
	static const struct {
		const char *names;
		bool probed;
	} sets[] = {{"alloc", false}, {"vm-bytes+vm-objects", false},
		{"io-read+net-out-ops", false}, {"alloc+wall", true}, {"cpu", true}};
	struct metric_set set;

	for (size_t i = 0; i < sizeof(sets) / sizeof(*sets); i++) {
		assert_int_equal(choose(&set, sets[i].names, NULL), 0);
		assert_int_equal(metric_set_is_probed(&set), sets[i].probed);
	}
	assert_true(metric_is_probed("instructions") && metric_is_probed("PAPI_TOT_CYC"));
	assert_false(metric_is_probed("net-in"));
}

static int widen(struct metric_set *wider, const struct metric_set *set, const char *text,
	struct error *error)
{
	char *piece[METRIC_MAX + 4], *copy = strdup(text), *rest = NULL;
	struct pattern_list names = {.pattern = piece};
	int result;

	for (char *name = strtok_r(copy, "+", &rest); name; name = strtok_r(NULL, "+", &rest))
		piece[names.count++] = name;
	result = metric_set_widen(wider, set, &names, error);
	free(copy);
	return result;
}

static const struct {
	int line;
	const char *had, *wanted, *have;
	enum metric_shape shape;
} widenings[] = {
	{__LINE__, "wall", "wall+cpu", "wall+cpu", SHAPE_WALL_CPU},
	{__LINE__, "wall", "alloc+cpu", "wall+alloc+cpu", SHAPE_ANY},
	{__LINE__, "wall+cpu", "cpu+alloc", "wall+cpu+alloc", SHAPE_WALL_CPU_ALLOC},
	{__LINE__, "wall+cpu", "wall", "wall+cpu", SHAPE_WALL_CPU},
	{__LINE__, "alloc", "wall+wall+io-read", "alloc+wall+io-read", SHAPE_ANY},
};

/* What is there stays where it is, and what comes stands behind it, once. */
static void takes_on_more(void **state)
{
	for (size_t i = 0; i < sizeof(widenings) / sizeof(*widenings); i++) {
		struct metric_set set, wider;
		struct error error = {0};
		char names[256] = "";

		assert_int_equal(choose(&set, widenings[i].had, NULL), 0);
		assert_int_equal(widen(&wider, &set, widenings[i].wanted, &error), 0);
		for (unsigned m = 0; m < wider.count; m++) {
			snprintf(names + strlen(names), sizeof(names) - strlen(names), "%s%s",
				m > 0 ? "+" : "", wider.metric[m].name);
			assert_int_equal(wider.metric[m].came > 0, m >= set.count);
			if (m < set.count)
				assert_memory_equal(&wider.metric[m], &set.metric[m],
					sizeof(set.metric[m]));
		}
		if (strcmp(names, widenings[i].have) != 0 ||
			wider.shape != widenings[i].shape || !wider.uses_stamp)
			fail_msg("line %d: %s, shape %d", widenings[i].line, names,
				(int)wider.shape);
	}
}

static void does_not_take_on(void **state)
{
	struct metric_set set, wider;
	struct error error = {0};

	assert_int_equal(choose(&set, "wall", NULL), 0);
	assert_true(widen(&wider, &set, "cpu+cycels", &error) < 0);
	assert_non_null(strstr(error.text, "'cycels'"));
	assert_int_equal(set.count, 1);
	assert_int_equal(
		choose(&set,
			"wall+cpu+alloc+vm-objects+vm-bytes+io-read+io-write+net-in+net-out+"
			"io-read-ops+io-write-ops+net-in-ops+net-out-ops",
			NULL),
		0);
	while (set.count < METRIC_MAX)
		set.metric[set.count++] = set.metric[0];
	error = (struct error){0};
	assert_int_equal(widen(&wider, &set, "cpu+alloc", &error), 0);
	assert_true(widen(&wider, &set, "cpu+page-faults", &error) < 0);
	assert_non_null(strstr(error.text, "'page-faults'"));
}

/* A thread counts on, and the new ones from then on. */
static void a_thread_takes_on_more(void **state)
{
	struct metric_set set, wider;
	struct metric_thread thread;
	uint64_t before[METRIC_MAX], value[METRIC_MAX];
	volatile uint64_t counters[3] = {700, 0, 0};
	const struct alloc_source alloc = {
		&counters[0], &counters[1], &counters[2], NULL, NULL};

	assert_int_equal(choose(&set, "wall+cpu+vm-bytes", NULL), 0);
	if (widen(&wider, &set, "alloc+page-faults", NULL) != 0)
		assert_int_equal(widen(&wider, &set, "alloc", NULL), 0);
	metric_thread_open(&set, &thread, alloc);
	metric_count(&thread, METRIC_VM_BYTES, 40);
	metric_read(SHAPE_ANY, &set, &thread, before);
	metric_thread_widen(&wider, set.count, &thread);
	metric_read(SHAPE_ANY, &wider, &thread, value);
	assert_true(value[0] >= before[0] && value[1] >= before[1]);
	assert_int_equal(value[2], 40);
	assert_int_equal(value[3], 700);
	if (wider.count == 5) {
		char *pages = mmap(NULL, 64 * 4096, PROT_READ | PROT_WRITE,
			MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
		uint64_t faults = value[4];

		for (size_t i = 0; i < 64; i++)
			pages[i * 4096] = 1;
		metric_read(SHAPE_ANY, &wider, &thread, value);
		assert_in_range(value[4] - faults, 1, 100000);
		munmap(pages, 64 * 4096);
	}
	metric_thread_close(&wider, &thread);
}

/* What is easily taken for all objects says that it is not. */
static void vm_objects_say_what_they_are(void **state)
{
	struct metric_set set;

	assert_int_equal(choose(&set, "vm-bytes+vm-objects+alloc", NULL), 0);
	assert_non_null(strstr(set.metric[0].how, "never by new"));
	assert_non_null(strstr(set.metric[1].how, "never by new"));
	assert_null(strstr(set.metric[2].how, "never by new"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(shapes),
		cmocka_unit_test(refusals),
		cmocka_unit_test(hardware_is_counted_or_refused),
		cmocka_unit_test(opens_reads_and_closes),
		cmocka_unit_test(counts_what_the_jvm_allocates),
		cmocka_unit_test(says_what_it_lost),
		cmocka_unit_test(serves_many_threads),
		cmocka_unit_test(the_list_has_every_kind),
		cmocka_unit_test(probes_add_to_time),
		cmocka_unit_test(vm_objects_say_what_they_are),
		cmocka_unit_test(takes_on_more),
		cmocka_unit_test(does_not_take_on),
		cmocka_unit_test(a_thread_takes_on_more),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
