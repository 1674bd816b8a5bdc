/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/* Any bytes as a calibration. What is accepted holds what its header promises, and comes back the
 * same. */
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "calibration/calibration_file.h"
#include "native-tests/calibration/fixture.h"
#include "native-tests/fuzz/text_mutator.h"

static void require(bool condition, const char *what)
{
	if (!condition) {
		fprintf(stderr, "violated: %s\n", what);
		abort();
	}
}

static void check_rows(const struct calibration *calibration)
{
	for (size_t i = 0; i < calibration->row_count; i++)
		for (unsigned m = 0; m < calibration->metric_count; m++) {
			const struct calibration_cost *cost = &calibration->row[i].cost[m];

			require(cost->low <= cost->cost && cost->cost <= cost->high,
				"a cost is in its range");
			require(cost->work_low <= cost->work_high, "a range is one");
			require(fabs(cost->low) <= CALIBRATION_LIMIT &&
					fabs(cost->high) <= CALIBRATION_LIMIT,
				"numbers have limits");
		}
	for (uint32_t code = 0; code < SEQUENCE_CODES; code++) {
		enum calibration_fit fit;
		const struct calibration_row *row = calibration_row(calibration, code);

		require(!row || row->code == code, "a row is at its place");
		row = calibration_nearest(calibration, code, &fit);
		require((fit == FIT_NONE) == !row, "a row fits");
	}
}

static void check_text(const struct calibration *calibration)
{
	char *text = calibration_text(calibration);
	struct calibration *again;
	struct error error = {0};
	char *text_again;

	require(text, "it can be written");
	if (strlen(text) > CALIBRATION_FILE_MAX) {
		free(text);
		return;
	}
	if (calibration_parse(&again, text, strlen(text), "written", &error) != 0)
		require(false, error.text);
	text_again = calibration_text(again);
	require(text_again && strcmp(text, text_again) == 0, "it comes back");
	free(text);
	free(text_again);
	calibration_destroy(again);
}

/* The same bytes in a file that is in memory. */
static int load(struct calibration **calibration, const uint8_t *bytes, size_t size,
	struct error *error)
{
	char path[64], *text = NULL;
	int file = memfd_create("fuzz", MFD_CLOEXEC), failed;

	require(file >= 0 && write(file, bytes, size) == (ssize_t)size,
		"the file can be written");
	snprintf(path, sizeof(path), "/proc/self/fd/%d", file);
	failed = calibration_load(calibration, &text, path, error);
	require(failed ? !text : strlen(text) <= size, "the text is the file's");
	free(text);
	close(file);
	return failed;
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
	struct calibration *calibration;
	struct error error = {0};
	int failed = size % 8 == 0 ? load(&calibration, bytes, size, &error)
				   : calibration_parse(&calibration, (const char *)bytes, size,
					     "fuzz", &error);

	require(failed == -(int)error.code, "the result is the code");
	require((failed == 0) == (calibration != NULL), "there is one, or a reason");
	if (failed)
		return 0;
	check_rows(calibration);
	check_text(calibration);
	calibration_destroy(calibration);
	return 0;
}

/* ---- mutations ---- */

static const char *const words[] = {"jprof_calibration", "made", "seconds", "for", "jvm", "cpu",
	"arch", "calls", "timing", "agent", "metrics", "name", "unit", "relative",
	"interpreted", "reach", "trees", "nodes", "more", "sequences", "first", "begin",
	"second", "end", "third", "count", "observed", "minimum", "environment", "cost", "low",
	"high", "work_low", "work_high", "spread", "wall", "alloc", "instructions", "jitted",
	"jitted static", "interpreted static", "native", "native static", "entry", "exit",
	"unwind", NULL};

size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max_size, unsigned int seed)
{
	size_t length = strlen(fixture_text);

	/* What is too little to be one gives way to one. */
	if (size < 32 && length <= max_size) {
		memcpy(data, fixture_text, length);
		size = length;
	}
	return text_mutate(data, size, max_size, 0, words, seed);
}
