/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/* thread_choice: threads by name, by Java id, by the system's id. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdlib.h>

#include "options/options.h"
#include "options/thread_choice.h"

static const struct {
	int line;
	const char *item;
	bool is_legal;
} items[] = {
	{__LINE__, "#17", true},
	{__LINE__, "tid:4711", true},
	{__LINE__, "#999999999999999999", true},
	{__LINE__, "worker-*", true},
	{__LINE__, "worker #x", true},
	{__LINE__, "tid", true},
	{__LINE__, "TID:x", true},
	{__LINE__, "*#x", true},
	{__LINE__, "", true}, /* refused as every empty item is */
	{__LINE__, "#", false},
	{__LINE__, "#x", false},
	{__LINE__, "#0", false},
	{__LINE__, "#01", false},
	{__LINE__, "#-1", false},
	{__LINE__, "#1 ", false},
	{__LINE__, "#17*", false},
	{__LINE__, "#1000000000000000000", false},
	{__LINE__, "tid:", false},
	{__LINE__, "tid: 1", false},
	{__LINE__, "tid:1x", false},
};

static void items_are_checked(void **state)
{
	for (size_t i = 0; i < sizeof(items) / sizeof(items[0]); i++)
		if (thread_choice_is_legal(items[i].item) != items[i].is_legal)
			fail_msg("row of line %d", items[i].line);
}

static const struct {
	int line;
	const char *threads; /* the option's value, or NULL for none */
	const char *name;
	int64_t java_id, os_id;
	bool is_chosen;
} choices[] = {
	{__LINE__, NULL, "main", 1, 4711, true},
	{__LINE__, NULL, NULL, 0, 0, true},
	{__LINE__, "main", "main", 1, 4711, true},
	{__LINE__, "main", "other", 1, 4711, false},
	{__LINE__, "#1", "main", 1, 4711, true},
	{__LINE__, "#1", "main", 10, 4711, false},
	{__LINE__, "#10", "main", 1, 4711, false},
	{__LINE__, "#17", "#17", 1, 17, false},
	{__LINE__, "#4711", "main", 1, 4711, false},
	{__LINE__, "tid:4711", "main", 1, 4711, true},
	{__LINE__, "tid:1", "main", 1, 4711, false},
	{__LINE__, "tid:4711", "tid:4711", 1, 2, false},
	{__LINE__, "#999999999999999999", "x", INT64_C(999999999999999999), 2, true},
	{__LINE__, "a+#7+tid:9", "b", 7, 1, true},
	{__LINE__, "a+#7+tid:9", "b", 1, 9, true},
	{__LINE__, "a+#7+tid:9", "a", 1, 1, true},
	{__LINE__, "a+#7+tid:9", "b", 9, 7, false},
	{__LINE__, "*#17", "#17", 1, 1, true},
	{__LINE__, "*", NULL, 1, 1, false},
	{__LINE__, "*+#1", NULL, 1, 1, true},
	{__LINE__, "#1", NULL, 0, 0, false},
	{__LINE__, "tid:1", NULL, -1, -1, false},
};

static void threads_are_chosen(void **state)
{
	for (size_t i = 0; i < sizeof(choices) / sizeof(choices[0]); i++) {
		char *string = NULL;
		struct options options;
		if (choices[i].threads)
			assert_int_equal(
				options_append(&string, "threads", choices[i].threads, NULL),
				0);
		assert_int_equal(options_parse(&options, string, NULL), 0);
		if (thread_choice_match(&options.threads, choices[i].name, choices[i].java_id,
			    choices[i].os_id) != choices[i].is_chosen)
			fail_msg("row of line %d", choices[i].line);
		options_fini(&options);
		free(string);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(items_are_checked),
		cmocka_unit_test(threads_are_chosen),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
