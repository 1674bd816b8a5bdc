/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
#include "metric/pfm_streams.h"

FILE *jprof_pfm_stdout, *jprof_pfm_stderr;

void pfm_streams_init(void)
{
	jprof_pfm_stdout = stderr;
	jprof_pfm_stderr = stderr;
}
