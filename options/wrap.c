/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/* wrap: see wrap.h. */
#include "options/wrap.h"

#include <string.h>

enum { COLUMNS = 80 };

void wrap_text(FILE *out, int at, const char *text)
{
	int column = at;
	while (*text) {
		int length = (int)strcspn(text, " ");
		if (column > at && column + 1 + length > COLUMNS) {
			fprintf(out, "\n%*s", at, "");
			column = at;
		}
		column += fprintf(out, "%s%.*s", column > at ? " " : "", length, text);
		text += length;
		text += strspn(text, " ");
	}
	fputc('\n', out);
}
