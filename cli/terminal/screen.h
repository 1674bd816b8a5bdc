/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/*
 * screen: how a command lays its text out: for the terminal that standard output is, or for none.
 */
#ifndef JPROF_CLI_SCREEN_H
#define JPROF_CLI_SCREEN_H

#include <stdbool.h>

#include "cli/terminal/command_options.h"

struct screen {
	unsigned width;  /* columns; 0: text is as wide as it is */
	unsigned height; /* rows; 0: not known */
	bool colour;
};

/* width: what the user chose, or 0: a terminal's own then, else what COLUMNS says, else 80. Colours are a terminal's
 * alone, unless NO_COLOR is set and not empty, or TERM is dumb. */
struct screen screen_read(unsigned width);

/* "--width N", into an unsigned. */
option_taker take_width;

#endif
