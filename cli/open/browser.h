/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/*
 * browser: opens the page in the user's browser, without the address in any command line: those can be read by all
 * users of the machine (/proc/PID/cmdline).
 *
 * Out:  a file of the user's own (mode 0600) that leads to the address, in XDG_RUNTIME_DIR, TMPDIR or /tmp; and a
 *       program that gets its name: of the environment's BROWSER (commands joined by ':', the file's name in the place of
 *       %s or behind them), else xdg-open. No shell is in between.
 *
 * A browser that may not read there (a snap's) shows an error: the address is on the terminal, too.
 */
#ifndef JPROF_CLI_BROWSER_H
#define JPROF_CLI_BROWSER_H

#include <stdbool.h>
#include <sys/types.h>

#include "error/error.h"

/* Embedded; all zero at first. */
struct browser {
	char *file; /* owned; NULL: it is gone */
	pid_t pid;  /* of the program that runs; 0: of none */
};

/* 0, or a negative code: the file cannot be written, or no program can be started. */
int browser_start(struct browser *browser, const char *address, struct error *error);

/* A child ended; if it is the program: false if that failed. */
bool browser_check(struct browser *browser);

/* The page was asked for: nobody needs the file any more. Harmless without one. */
void browser_forget(struct browser *browser);

#endif
