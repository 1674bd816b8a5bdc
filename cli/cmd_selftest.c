/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/* jprof selftest: reads the words, runs a program with known shares, prints what jprof makes of it. */
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "cli/calibrate/first_use.h"
#include "cli/commands.h"
#include "cli/report/choices.h"
#include "cli/selftest/selftest.h"
#include "cli/waiting.h"

struct words {
	struct selftest what;
	const char *format;
};

static const struct option {
	const char *name;
	size_t offset; /* of a const char * in struct words */
} options[] = {
	{"--java", offsetof(struct words, what.java)},
	{"--calls", offsetof(struct words, what.calls)},
	{"--timing", offsetof(struct words, what.timing)},
	{"--metrics", offsetof(struct words, what.metrics)},
	{"--calibration", offsetof(struct words, what.calibration)},
	{"--format", offsetof(struct words, format)},
};

static const struct printer {
	const char *format;
	verdict_printer *print;
} printers[] = {
	{"text", print_verdict_text},
	{"json", print_verdict_json},
};

static const struct option *find_option(const char *name)
{
	for (size_t i = 0; i < sizeof(options) / sizeof(*options); i++)
		if (strcmp(options[i].name, name) == 0)
			return &options[i];
	return NULL;
}

static int take_format(struct words *words)
{
	struct choices choices = {.nearest.wanted = words->format};

	for (size_t i = 0; i < sizeof(printers) / sizeof(*printers); i++) {
		if (strcmp(printers[i].format, words->format) == 0)
			words->what.print = printers[i].print;
		choices_add(&choices, printers[i].format);
	}
	return words->what.print != NULL
		       ? EXIT_DONE
		       : command_usage("selftest", "no format '%s'%s", words->format,
				 choices_text(&choices, "formats"));
}

static int unknown_option(const char *word)
{
	struct choices choices = {.nearest.wanted = word};

	for (size_t i = 0; i < sizeof(options) / sizeof(*options); i++)
		choices_add(&choices, options[i].name);
	return command_usage("selftest", "unknown option '%s'%s", word,
		choices_text(&choices, "options"));
}

static int read_words(struct words *words, int argc, char **argv)
{
	for (int at = 1; at < argc; at += 2) {
		const struct option *option = find_option(argv[at]);

		if (option == NULL)
			return unknown_option(argv[at]);
		if (at + 1 == argc || argv[at + 1][0] == '\0')
			return command_usage("selftest", "%s needs a value", argv[at]);
		*(const char **)((char *)words + option->offset) = argv[at + 1];
	}
	if (strcmp(words->what.calls, "off") == 0)
		return command_usage(
			"selftest", "--calls off: where no calls are seen, nobody has a share");
	if (words->what.calibration != NULL && strcmp(words->what.calibration, "auto") == 0)
		words->what.calibration = NULL;
	return take_format(words);
}

int cmd_selftest(int argc, char **argv)
{
	struct words words = {.what = {.calls = "auto",
				      .timing = "fast",
				      .metrics = "wall+cpu+alloc",
				      .measure = first_use_measure,
				      .progress = isatty(STDERR_FILENO)},
		.format = "text"};
	struct error error = {0};
	int status = read_words(&words, argc, argv);

	if (status != EXIT_DONE)
		return status;
	waiting_catch_interrupt();
	return selftest_run(&words.what, &error) == 0 ? command_flush()
						      : command_failed(&error);
}
