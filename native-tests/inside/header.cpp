/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/* A program in C and C++ that includes jprof.h, twice, and uses all of it. */
#include "jprof.h"
#include "jprof.h"

int main(void)
{
	uint64_t value = 0;
	int sum = jprof_start() + jprof_start_with("metrics=wall") + jprof_is_recording();

	sum += jprof_mark("mark") + jprof_snapshot(0) + jprof_reset();
	sum += jprof_thread_value("cpu", &value) + jprof_total_value("cpu", &value);
	sum += jprof_thread_value_of(1, "cpu", &value);
	sum += jprof_tag_set("user", "alice") + jprof_tags_use(jprof_tags());
	return sum + jprof_stop() + JPROF_ABSENT + (jprof_version() != 0);
}
