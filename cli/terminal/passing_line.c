/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/* passing_line: see passing_line.h. */
#include "cli/terminal/passing_line.h"

#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "error/harmless.h"

enum { LINE = 256 };

#define ERASE "\r\033[K"

static bool is_there;

void passing_line_show(const char *format, ...)
{
	struct winsize size = {0};
	char line[2 * LINE] = "jprof: ", shown[LINE];
	size_t used = strlen(line), room = sizeof(shown);
	va_list arguments;

	if (!isatty(STDERR_FILENO))
		return;
	va_start(arguments, format);
	vsnprintf(line + used, sizeof(line) - used, format, arguments);
	va_end(arguments);
	/* Bytes, of which a character has one at least. */
	if (ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 1 &&
		size.ws_col < room)
		room = size.ws_col;
	harmless_copy(shown, room, line, strlen(line));
	fputs(ERASE, stderr);
	fputs(shown, stderr);
	fflush(stderr);
	is_there = true;
}

void passing_line_erase(void)
{
	if (!is_there)
		return;
	fputs(ERASE, stderr);
	fflush(stderr);
	is_there = false;
}
