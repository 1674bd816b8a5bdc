/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/* program: see program.h. */
#include "cli/selftest/program.h"

#include <stdio.h>
#include <stdlib.h>

#include "options/options.h"

/* That the measured loop takes without probes. */
#define MILLISECONDS "3000"

struct given {
	const char *key, *value;
};

/* Appends options up to one without a key. */
static int join(char **joined, const struct given *given, struct error *error)
{
	int code = 0;

	for (; given->key && code == 0; given++)
		code = options_append(joined, given->key, given->value, error);
	return code;
}

/* The other options have their defaults, whatever the environment. */
static int make_agent(struct program *program, const struct selftest *what, struct error *error)
{
	const struct given given[] = {
		{"file", program->profile},
		{"start", "no"},
		{"calls", what->calls},
		{"timing", what->timing},
		{"metrics", what->metrics},
		{"include", "selftest.*"},
		{"io", "off"},
		{"flush", "3600"},
		{NULL, NULL},
	};
	char *joined = NULL;
	int code = join(&joined, given, error);

	if (code == 0)
		code = java_command_agent(
			program->agent, sizeof(program->agent), joined, error);
	free(joined);
	return code;
}

static int make_recordings(struct program *program, const char *folder, struct error *error)
{
	char path[PATH_MAX + 32];
	const struct given without[] = {
		{"file", path}, {"calls", "off"}, {"calibration", "off"}, {NULL, NULL}};
	const struct given with[] = {{"file", program->profile}, {NULL, NULL}};
	int code;

	snprintf(path, sizeof(path), "%s/without.jprof", folder);
	code = join(&program->without, without, error);
	return code == 0 ? join(&program->with, with, error) : code;
}

static void put_words(struct program *program, const struct selftest *what)
{
	const char *const rest[] = {"-XX:CompileCommand=exclude,selftest/*.interpreted*",
		"-XX:CompileCommand=dontinline,selftest/*.*", program->crash, program->agent,
		"-cp", program->jar, "jprof.selftest.Main", what->metrics, MILLISECONDS,
		program->without, program->with, NULL};
	size_t count = 1;

	program->word[0] = program->java;
	count += java_command_steady(program->word + count, what->calls);
	for (size_t i = 0; i < sizeof(rest) / sizeof(*rest); i++)
		program->word[count++] = rest[i];
}

int program_make(struct program *program, const struct selftest *what, const char *folder,
	struct error *error)
{
	int code;

	snprintf(program->profile, sizeof(program->profile), "%s/with.jprof", folder);
	snprintf(program->crash, sizeof(program->crash), "-XX:ErrorFile=%s/crash", folder);
	code = java_command_find(program->java, what->java, error);
	if (code == 0)
		code = java_command_jar(program->jar, error);
	if (code == 0)
		code = make_agent(program, what, error);
	if (code == 0)
		code = make_recordings(program, folder, error);
	if (code == 0)
		put_words(program, what);
	return code;
}

void program_fini(struct program *program)
{
	free(program->without);
	free(program->with);
	program->without = program->with = NULL;
}
