/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/* processor: the kernel's texts, of several processors. */
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <setjmp.h>
#include <cmocka.h>
#include <string.h>

#include "calibration/processor.h"

static const struct {
	int line;
	const char *text, *model;
} rows[] = {
	{__LINE__,
		"processor\t: 0\nvendor_id\t: AuthenticAMD\nmodel\t\t: 1\n"
		"model name\t: AMD EPYC 7B13\nflags\t\t: fpu vme\n\n"
		"processor\t: 1\nmodel name\t: another\n",
		"AMD EPYC 7B13"},
	{__LINE__,
		"processor\t: 0\nBogoMIPS\t: 243.75\nCPU implementer\t: 0x41\n"
		"CPU architecture: 8\nCPU variant\t: 0x3\nCPU part\t: 0xd0c\n\n"
		"processor\t: 1\nCPU implementer\t: 0x42\nCPU part\t: 0xd0d\n",
		"implementer 0x41 part 0xd0c"},
	{__LINE__, "CPU implementer\t: 0x41\n", ""},
	{__LINE__, "model name\n: x\n", ""},
	{__LINE__, "", ""},
};

static void models(void **state)
{
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		FILE *text = fmemopen((void *)rows[i].text, strlen(rows[i].text) + 1, "r");
		char model[64];
		bool known = processor_model_in(text, model, sizeof(model));

		fclose(text);
		if (known != (rows[i].model[0] != '\0') || strcmp(model, rows[i].model) != 0)
			fail_msg("row of line %d: '%s'", rows[i].line, model);
	}
}

static void this_one(void **state)
{
	char model[256], again[8];

	assert_true(processor_model(model, sizeof(model)));
	assert_true(strlen(model) > 3);
	assert_true(processor_model(again, sizeof(again)));
	assert_memory_equal(model, again, strlen(again));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(models),
		cmocka_unit_test(this_one),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
