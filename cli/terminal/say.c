/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/* say: see say.h. */
#include "cli/terminal/say.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include "cli/terminal/progress.h"
#include "error/harmless.h"

void say(const char *format, ...)
{
	va_list arguments;
	char *text = NULL;
	int length;

	va_start(arguments, format);
	length = vasprintf(&text, format, arguments);
	va_end(arguments);
	progress_hide();
	fputs("jprof: ", stderr);
	harmless_put(stderr, length >= 0 ? text : "no memory");
	fputc('\n', stderr);
	if (length >= 0)
		free(text);
}
