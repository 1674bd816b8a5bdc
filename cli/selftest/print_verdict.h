/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/* print_verdict: a verdict as tables, or as one JSON object. docs/selftest.md tells what is what. */
#ifndef JPROF_CLI_PRINT_VERDICT_H
#define JPROF_CLI_PRINT_VERDICT_H

#include <stdio.h>

#include "cli/selftest/verdict.h"

/* said: which calibration it was adjusted by. 0, or a negative code: no memory. */
typedef int verdict_printer(FILE *out, const struct verdict *verdict, const char *said);

verdict_printer print_verdict_text, print_verdict_json;

#endif
