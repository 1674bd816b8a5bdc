/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/* cut_lines: see cut_lines.h. */
#include "cli/cut_lines.h"

#include "error/utf8.h"

void cut_lines(char *lines, unsigned width)
{
	char *to = lines;
	unsigned column = 0;

	for (const char *from = lines; *from != '\0'; from++) {
		column = *from == '\n' ? 0 : column + !utf8_continues(*from);
		if (column <= width)
			*to++ = *from;
	}
	*to = '\0';
}
