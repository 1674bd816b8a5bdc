/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/* perf_event: software events counted to the unit, names resolved, refusals explained. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <errno.h>
#include <fcntl.h>
#include <linux/perf_event.h>
#include <pthread.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#include "metric/papi_names.h"
#include "metric/perf_event.h"
#include "metric/perf_names.h"

#define PAGES 100

/* Perf events may be forbidden where the tests run: then nothing can be counted. */
static bool forbidden;

static void open_event(struct perf_counter *counter, const char *name)
{
	struct perf_event_choice choice;
	struct error error = {0};

	if (forbidden)
		skip();
	assert_int_equal(perf_name_resolve(&choice, name, &error), 0);
	assert_int_equal(perf_counter_open(counter, &choice, NULL), 0);
}

static void touch_pages(void)
{
	size_t page = (size_t)sysconf(_SC_PAGESIZE);
	volatile char *memory = mmap(
		NULL, PAGES * page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	assert_true(memory != MAP_FAILED);
	madvise((void *)memory, PAGES * page, MADV_NOHUGEPAGE);
	for (size_t i = 0; i < PAGES; i++)
		memory[i * page] = 1;
	munmap((void *)memory, PAGES * page);
}

static void *touch_elsewhere(void *argument)
{
	touch_pages();
	return argument;
}

static void counts_page_faults(void **state)
{
	struct perf_counter counter;
	uint64_t before, after;

	open_event(&counter, "page-faults");
	touch_pages();
	before = perf_counter_read(&counter);
	touch_pages();
	after = perf_counter_read(&counter);
	assert_true(perf_counter_counts(&counter));
	assert_false(perf_counter_is_fast(&counter));
	assert_int_equal(perf_counter_from_outside(&counter, 0), after);
	perf_counter_close(&counter);
	assert_int_equal(after - before, PAGES);
}

static void counts_its_own_thread_only(void **state)
{
	struct perf_counter counter;
	pthread_t thread;
	uint64_t before;

	open_event(&counter, "page-faults");
	before = perf_counter_read(&counter);
	assert_int_equal(pthread_create(&thread, NULL, touch_elsewhere, NULL), 0);
	pthread_join(thread, NULL);
	assert_true(perf_counter_read(&counter) - before < PAGES);
	perf_counter_close(&counter);
}

/* They happen in the kernel, and are counted there without being asked to. */
static void counts_context_switches(void **state)
{
	struct timespec wait = {.tv_nsec = 1000000};
	struct perf_event_choice choice;
	struct perf_counter counter;
	uint64_t before;
	int result;

	if (forbidden)
		skip();
	assert_int_equal(perf_name_resolve(&choice, "context-switches", NULL), 0);
	assert_false(choice.exclude_kernel);
	result = perf_counter_open(&counter, &choice, NULL);
	if (result == -EACCES)
		skip();
	assert_int_equal(result, 0);
	before = perf_counter_read(&counter);
	for (int i = 0; i < 5; i++)
		nanosleep(&wait, NULL);
	assert_true(perf_counter_read(&counter) - before >= 5);
	perf_counter_close(&counter);
}

static void keeps_out_of_the_way(void **state)
{
	struct perf_counter counter;

	open_event(&counter, "page-faults");
	assert_true(counter.fd - 1 >= 512);
	assert_int_equal(fcntl(counter.fd - 1, F_GETFD), FD_CLOEXEC);
	perf_counter_close(&counter);
	assert_int_equal(counter.fd, 0);
}

static void a_lost_counter_stands_still(void **state)
{
	struct perf_counter counter = {.last = 7};
	uint64_t losses = perf_event_losses();

	errno = 1234;
	assert_int_equal(perf_counter_read(&counter), 7);
	assert_int_equal(perf_counter_read(&counter), 7);
	assert_int_equal(errno, 1234);
	assert_int_equal(perf_event_losses(), losses + 1);
	assert_int_equal(perf_counter_from_outside(&counter, 9), 9);
}

struct name_row {
	int line;
	const char *name;
	int result; /* of perf_name_resolve */
	uint32_t type;
	uint64_t config;
	bool exclude_user, exclude_kernel;
};

static const struct name_row name_rows[] = {
	{__LINE__, "instructions", 0, PERF_TYPE_HARDWARE, PERF_COUNT_HW_INSTRUCTIONS, false,
		true},
	{__LINE__, "CYCLES", 0, PERF_TYPE_HARDWARE, PERF_COUNT_HW_CPU_CYCLES, false, true},
	{__LINE__, "cycles:k", 0, PERF_TYPE_HARDWARE, PERF_COUNT_HW_CPU_CYCLES, true, false},
	{__LINE__, "cycles:u:k", 0, PERF_TYPE_HARDWARE, PERF_COUNT_HW_CPU_CYCLES, false, false},
	{__LINE__, "perf::PERF_COUNT_HW_CACHE_MISSES", 0, PERF_TYPE_HARDWARE,
		PERF_COUNT_HW_CACHE_MISSES, false, true},
	{__LINE__, "L1-dcache-load-misses", 0, PERF_TYPE_HW_CACHE, 0x10000, false, true},
	{__LINE__, "PERF_COUNT_SW_PAGE_FAULTS", 0, PERF_TYPE_SOFTWARE,
		PERF_COUNT_SW_PAGE_FAULTS, false, true},
	{__LINE__, "PERF_COUNT_SW_CONTEXT_SWITCHES", 0, PERF_TYPE_SOFTWARE,
		PERF_COUNT_SW_CONTEXT_SWITCHES, false, false},
	{__LINE__, "cs:u", 0, PERF_TYPE_SOFTWARE, PERF_COUNT_SW_CONTEXT_SWITCHES, false, true},
	{__LINE__, "r1c2", 0, PERF_TYPE_RAW, 0x1c2, false, true},
	{__LINE__, "cycles:period=1000", -ERROR_VALUE, 0, 0, false, false},
	{__LINE__, "cycles:precise=2", -ERROR_VALUE, 0, 0, false, false},
	{__LINE__, "cycles:nosuchmask", -ERROR_VALUE, 0, 0, false, false},
	{__LINE__, "nosuchevent", PERF_NAME_UNKNOWN, 0, 0, false, false},
	{__LINE__, "", PERF_NAME_UNKNOWN, 0, 0, false, false},
};

static void names_resolve(void **state)
{
	for (size_t i = 0; i < sizeof(name_rows) / sizeof(*name_rows); i++) {
		const struct name_row *row = &name_rows[i];
		struct perf_event_choice choice = {0};
		struct error error = {0};
		int result = perf_name_resolve(&choice, row->name, &error);

		if (result != row->result || choice.type != row->type ||
			choice.config != row->config ||
			choice.exclude_user != row->exclude_user ||
			choice.exclude_kernel != row->exclude_kernel)
			fail_msg("line %d: '%s': %d, type %u, config %lx: %s", row->line,
				row->name, result, choice.type, (unsigned long)choice.config,
				error.text);
		if (result < 0)
			assert_non_null(strstr(error.text, row->name));
	}
}

struct explain_row {
	int line;
	int errno_value;
	enum error_code code;
	const char *says;
};

static const struct explain_row explain_rows[] = {
	{__LINE__, ENOENT, ERROR_MISSING, "no such counter"},
	{__LINE__, EOPNOTSUPP, ERROR_MISSING, "no such counter"},
	{__LINE__, EACCES, ERROR_DENIED, "perf_event_paranoid"},
	{__LINE__, EPERM, ERROR_DENIED, "perf_event_paranoid"},
	{__LINE__, ENOSYS, ERROR_MISSING, "no perf events"},
	{__LINE__, EMFILE, ERROR_MEMORY, "ulimit -n"},
	{__LINE__, EBUSY, ERROR_BUSY, "alone"},
	{__LINE__, ENOMEM, ERROR_MISSING, "memory"},
};

static void refusals_are_explained(void **state)
{
	struct perf_event_choice choice = {.hardware = true, .exclude_kernel = true};

	for (size_t i = 0; i < sizeof(explain_rows) / sizeof(*explain_rows); i++) {
		const struct explain_row *row = &explain_rows[i];
		struct error error = {0};
		int result = perf_event_explain(&error, "cycles", &choice, row->errno_value);

		if (result != -(int)row->code || !strstr(error.text, row->says) ||
			!strstr(error.text, "'cycles'"))
			fail_msg("line %d: %d, %s", row->line, result, error.text);
	}
}

/* The first event of every preset is one that libpfm4 knows, here or elsewhere. */
static void presets_are_events(void **state)
{
	assert_null(papi_name_find("PAPI_NO_SUCH"));
	assert_ptr_equal(papi_name_find("papi_tot_ins"), &papi_names[0]);
	for (size_t i = 0; i < papi_name_count; i++) {
		int known = 0;

		for (size_t j = 0; j < PAPI_EVENTS && papi_names[i].event[j]; j++) {
			struct perf_event_choice choice;
			int result = perf_name_resolve(&choice, papi_names[i].event[j], NULL);

			known += result == 0 || result == -ERROR_MISSING;
		}
		if (known == 0)
			fail_msg("%s", papi_names[i].name);
	}
}

static void count_name(void *argument, const char *name)
{
	struct perf_event_choice choice;
	int *count = argument;

	if (perf_name_resolve(&choice, name, NULL) != 0)
		fail_msg("%s", name);
	(*count)++;
}

static void generic_names_resolve(void **state)
{
	int count = 0;

	perf_names_generic(count_name, &count);
	assert_true(count >= 40);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(counts_page_faults),
		cmocka_unit_test(counts_its_own_thread_only),
		cmocka_unit_test(counts_context_switches),
		cmocka_unit_test(keeps_out_of_the_way),
		cmocka_unit_test(a_lost_counter_stands_still),
		cmocka_unit_test(names_resolve),
		cmocka_unit_test(refusals_are_explained),
		cmocka_unit_test(presets_are_events),
		cmocka_unit_test(generic_names_resolve),
	};
	struct perf_event_choice choice;
	struct perf_counter counter;

	forbidden = perf_name_resolve(&choice, "page-faults", NULL) != 0 ||
		    perf_counter_open(&counter, &choice, NULL) != 0;
	if (!forbidden)
		perf_counter_close(&counter);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
