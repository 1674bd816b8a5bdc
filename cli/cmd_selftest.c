/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/* jprof selftest: reads the words, runs a program with known shares, prints what jprof makes of it. */
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "cli/calibrate/first_use.h"
#include "cli/commands.h"
#include "cli/selftest/selftest.h"
#include "cli/terminal/command_options.h"
#include "cli/terminal/waiting.h"

struct words {
	struct selftest what;
	bool is_json;
};

static const struct command_option options[] = {
	{"--java", "", NULL, take_some_text, offsetof(struct words, what.java)},
	{"--calls", "", NULL, take_some_text, offsetof(struct words, what.calls)},
	{"--timing", "", NULL, take_some_text, offsetof(struct words, what.timing)},
	{"--metrics", "", NULL, take_some_text, offsetof(struct words, what.metrics)},
	{"--calibration", "", NULL, take_some_text, offsetof(struct words, what.calibration)},
	{"--format", "", NULL, take_json, offsetof(struct words, is_json)},
};

static int read_words(struct words *words, int argc, char **argv)
{
	const struct command_table table = {
		"selftest", options, sizeof(options) / sizeof(*options), NULL, false};
	int status = command_options_read(&table, words, argc, argv);

	if (status != EXIT_DONE)
		return status;
	if (strcmp(words->what.calls, "off") == 0)
		return command_usage(
			"selftest", "--calls off: where no calls are seen, nobody has a share");
	if (words->what.calibration && strcmp(words->what.calibration, "auto") == 0)
		words->what.calibration = NULL;
	words->what.print = words->is_json ? print_verdict_json : print_verdict_text;
	return EXIT_DONE;
}

int cmd_selftest(int argc, char **argv)
{
	struct words words = {.what = {.calls = "auto",
				      .timing = "fast",
				      .metrics = "wall+cpu+alloc",
				      .measure = first_use_measure,
				      .progress = isatty(STDERR_FILENO)}};
	struct error error = {0};
	int status = read_words(&words, argc, argv);

	if (status != EXIT_DONE)
		return status;
	waiting_catch_interrupt();
	return selftest_run(&words.what, &error) == 0 ? command_flush()
						      : command_failed(&error);
}
