/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/*
 * status_text: an agent's answer to `status` as lines for people.
 */
#ifndef JPROF_CLI_STATUS_TEXT_H
#define JPROF_CLI_STATUS_TEXT_H

#include <jansson.h>

/* Aligned lines with units, one for each thing that the answer holds; what is not known
 * here is left out. width: no line is longer; 0: any length. Owned; NULL without memory.
 */
char *status_text(const json_t *status, unsigned width);

#endif
