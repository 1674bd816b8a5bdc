/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/* folded: see folded.h. */
#include "options/folded.h"

#include <inttypes.h>
#include <stdio.h>

enum {
	MORE = 4, /* times the memory, for a difference that can be seen */
	FAR = 5   /* a fifth beyond the limit */
};

bool folded_line(char line[FOLDED_LINE], uint64_t calls, uint64_t folded, uint64_t limit)
{
	uint64_t megabytes = (limit >> 20) + 1;
	int length;

	if (calls == 0 || folded <= calls / 100)
		return false;
	length = snprintf(line, FOLDED_LINE,
		"memory was short: %.0f %% of the calls have no call path; more paths with: ",
		100 * (double)folded / (double)calls);
	if (limit > 0)
		snprintf(line + length, (size_t)(FOLDED_LINE - length),
			"max_memory=%" PRIu64 "m, or fewer methods", megabytes * MORE);
	else
		snprintf(line + length, (size_t)(FOLDED_LINE - length),
			"max_memory, or fewer methods");
	return true;
}

bool exceeded_line(char line[FOLDED_LINE], uint64_t peak, uint64_t limit)
{
	if (peak <= limit + limit / FAR)
		return false;
	snprintf(line, FOLDED_LINE,
		"memory was short: to lose no count, %.1f MB were taken beyond "
		"max_memory "
		"(%.1f MB): many threads and methods",
		(double)(peak - limit) / (1 << 20), (double)limit / (1 << 20));
	return true;
}
