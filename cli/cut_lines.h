/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/* cut_lines: text that a terminal would fold. */
#ifndef JPROF_CLI_CUT_LINES_H
#define JPROF_CLI_CUT_LINES_H

/* Cuts each line behind so many columns, in place; never inside a character of UTF-8. */
void cut_lines(char *lines, unsigned width);

#endif
