/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/* java_words: see java_words.h. */
#include "cli/calibrate/java_words.h"

#include <stdio.h>
#include <stdlib.h>

#include "cli/calibrate/java_command.h"
#include "options/options.h"

/* How long programs are measured, once all are warm. */
enum { MILLISECONDS = 10000, MILLISECONDS_QUICK = 2000 };

/* Of the agent, each with its value. The others have their defaults, whatever the environment. */
static int join_options(char **joined, const struct java_words *words,
	const struct calibrate *what, bool probes, struct error *error)
{
	const char *const given[][2] = {
		{"file", words->profile},
		{"calls", probes ? what->calls : "off"},
		{"timing", what->timing},
		{"metrics", what->metrics},
		{"include", "calibrated.*"},
		{"io", "off"},
		{"calibration", "off"},
		{"flush", "3600"},
	};
	int code = 0;

	for (size_t i = 0; i < sizeof(given) / sizeof(*given) && code == 0; i++)
		code = options_append(joined, given[i][0], given[i][1], error);
	return code;
}

static int make_agent(struct java_words *words, const struct calibrate *what, bool probes,
	struct error *error)
{
	char *joined = NULL;
	int code = join_options(&joined, words, what, probes, error);

	if (code == 0)
		code = java_command_agent(words->agent, sizeof(words->agent), joined, error);
	free(joined);
	return code;
}

/* ---- the words ---- */

static void put_words(struct java_words *words, const struct calibrate *what, bool probes)
{
	size_t count = 1;

	words->word[0] = words->java;
	count += java_command_steady(words->word + count, what->calls);
	if (what->mode && what->mode[0])
		words->word[count++] = what->mode;
	words->word[count++] = "-XX:CompileCommand=exclude,calibrated/*.interpreted*";
	/* Or the run without probes is another program: several calls' work in one. */
	words->word[count++] = "-XX:CompileCommand=dontinline,calibrated/*.*";
	words->word[count++] = words->crash;
	words->word[count++] = words->agent;
	words->word[count++] = "-cp";
	words->word[count++] = words->jar;
	words->word[count++] = "jprof.calibration.Main";
	words->word[count++] = what->metrics;
	words->word[count++] = words->milliseconds;
	words->word[count++] = probes ? "types" : "calls";
	words->word[count++] = "bodies";
	words->word[count++] = "throws";
	words->word[count++] = "paths";
	words->word[count] = NULL;
}

int java_words_make(struct java_words *words, const struct calibrate *what,
	const char *folder, bool probes, struct error *error)
{
	int code;

	snprintf(words->profile, sizeof(words->profile), "%s/%s.jprof", folder,
		probes ? "with" : "without");
	snprintf(words->crash, sizeof(words->crash), "-XX:ErrorFile=%s/crash", folder);
	snprintf(words->milliseconds, sizeof(words->milliseconds), "%d",
		what->quick ? MILLISECONDS_QUICK : MILLISECONDS);
	code = java_command_find(words->java, what->java, error);
	if (code == 0)
		code = java_command_jar(words->jar, error);
	if (code == 0)
		code = make_agent(words, what, probes, error);
	if (code == 0)
		put_words(words, what, probes);
	return code;
}
