/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/* outcome: see outcome.h. */
#include "cli/terminal/outcome.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

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

int command_usage(const char *command, const char *format, ...)
{
	char text[1024];
	va_list arguments;

	va_start(arguments, format);
	vsnprintf(text, sizeof(text), format, arguments);
	va_end(arguments);
	say("%s: %s (see 'jprof help %s')", command, text, command);
	return EXIT_USAGE;
}

int command_failed(const struct error *error)
{
	say("%s", error->text);
	return EXIT_FAILED;
}

int command_no_memory(void)
{
	fprintf(stderr, "jprof: no memory\n");
	return EXIT_FAILED;
}

int command_flush(void)
{
	errno = 0;
	if (fflush(stdout) == 0 && !ferror(stdout))
		return EXIT_DONE;
	if (errno != EPIPE)
		say("cannot write the output: %s", strerror(errno));
	return EXIT_FAILED;
}
