/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/* screen: TIOCGWINSZ, and the variables that users know. */
#include "cli/terminal/screen.h"

#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "cli/terminal/outcome.h"
#include "options/number.h"

/* On narrower terminals lines wrap. */
enum { WIDTH_LEAST = 56, WIDTH_MOST = 1000, WIDTH_USUAL = 80 };

struct screen screen_read(unsigned width)
{
	const char *columns = getenv("COLUMNS"), *terminal = getenv("TERM"),
		   *plain = getenv("NO_COLOR");
	long has = columns ? strtol(columns, NULL, 10) : 0;
	struct screen screen = {.width = width};
	struct winsize size = {0};

	if (!isatty(STDOUT_FILENO))
		return screen;
	screen.colour =
		(!plain || plain[0] == '\0') && terminal && strcmp(terminal, "dumb") != 0;
	if (width > 0)
		return screen;
	if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0) {
		screen.height = size.ws_row;
		if (size.ws_col > 0)
			has = size.ws_col;
	}
	if (has <= 0 || has > WIDTH_MOST)
		has = WIDTH_USUAL;
	screen.width = has < WIDTH_LEAST ? WIDTH_LEAST : (unsigned)has;
	return screen;
}

int take_width(const struct taken *taken)
{
	uint64_t width;

	if (!number_read(taken->value, &width) || width < WIDTH_LEAST || width > WIDTH_MOST)
		return command_usage(taken->command,
			"%s needs a number from %d to %d, not '%s'", taken->option->name,
			WIDTH_LEAST, WIDTH_MOST, taken->value);
	*(unsigned *)taken->to = (unsigned)width;
	return EXIT_DONE;
}
