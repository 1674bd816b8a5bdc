/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/* What JVMs print of their heap, as rows; and what is none. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

#include "cli/heap_histogram.h"

static const char answer[] =
	" num     #instances         #bytes  class name (module)\n"
	"-------------------------------------------------------\n"
	"   1:           762        3656280  [I (java.base@17.0.12)\n"
	"   2:          7285         336728  [[B (java.base@17.0.12)\n"
	"   3:         12345         296280  W$Kept\n"
	"   4:             2             48  [Ljava.lang.String; (java.base@17.0.12)\n"
	"   5:             1             16  odd (name\n"
	"   6:             1             24  C$$Lambda/0x00007f2a3c000a08\n"
	"  10:  18446744073709551615              8  very (many) (m)\n"
	"Total         20396        4289376\n";

static void rows(void **state)
{
	static const struct heap_row expected[] = {
		{762, 3656280, "int[]"},
		{7285, 336728, "byte[][]"},
		{12345, 296280, "W$Kept"},
		{2, 48, "java.lang.String[]"},
		{1, 16, "odd (name"},
		{1, 24, "C$$Lambda/0x00007f2a3c000a08"},
		{UINT64_MAX, 8, "very (many)"},
	};
	struct heap_histogram histogram;
	struct error error = {0};

	assert_int_equal(heap_histogram_read(&histogram, answer, &error), 0);
	assert_int_equal(histogram.count, sizeof(expected) / sizeof(*expected));
	for (size_t i = 0; i < histogram.count; i++) {
		assert_string_equal(histogram.row[i].class, expected[i].class);
		assert_true(histogram.row[i].objects == expected[i].objects);
		assert_true(histogram.row[i].bytes == expected[i].bytes);
	}
	heap_histogram_fini(&histogram);
}

static void none(void **state)
{
	static const char *const texts[] = {"", "\n", "1:\n", "1: 2 3\n", "1: 2 3   \r\n",
		"Total 5 6\n", "java.lang.OutOfMemoryError: (x)", "1: x 3 name"};
	struct heap_histogram histogram;

	for (size_t i = 0; i < sizeof(texts) / sizeof(*texts); i++) {
		struct error error = {0};

		assert_int_equal(
			heap_histogram_read(&histogram, texts[i], &error), -ERROR_FORMAT);
		heap_histogram_fini(&histogram);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(rows), cmocka_unit_test(none)};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
