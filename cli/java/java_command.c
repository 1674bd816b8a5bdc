/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/* java_command: see java_command.h. */
#include "cli/java/java_command.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cli/attach/agent_library.h"
#include "options/options.h"

/* ---- java ---- */

int java_command_find(char java[PATH_MAX], const char *asked, struct error *error)
{
	const char *home = getenv("JAVA_HOME"), *folder = "";
	struct stat status;
	int length;

	if (asked)
		folder =
			stat(asked, &status) == 0 && S_ISDIR(status.st_mode) ? "/bin/java" : "";
	else if (home && home[0])
		asked = home, folder = "/bin/java";
	else
		asked = "java";
	length = snprintf(java, PATH_MAX, "%s%s", asked, folder);
	if (length >= PATH_MAX)
		return error_set(error, ERROR_VALUE, "the path of java is too long");
	if (strchr(java, '/') && access(java, X_OK) != 0)
		return error_set(error, ERROR_MISSING,
			"there is no java '%s'; name one with --java PATH",
			error_subject(java).text);
	return 0;
}

int java_options_join(char **joined, const struct java_option *options, struct error *error)
{
	int code = 0;

	for (; options->key && code == 0; options++)
		code = options_append(joined, options->key, options->value, error);
	return code;
}

/* The word that loads the agent. Options that are not given have their defaults, whatever the
 * environment. */
static int make_agent(
	struct java_command *command, const struct java_program *program, struct error *error)
{
	const struct java_option file[] = {{"file", command->profile}, {NULL, NULL}};
	char *joined = NULL, *option = NULL;
	int code = java_options_join(&joined, file, error);

	if (code == 0)
		code = java_options_join(&joined, program->options, error);
	if (code == 0)
		code = agent_library_option(&option, joined, error);
	if (code == 0 && snprintf(command->agent, sizeof(command->agent), "%s", option) >=
				 (int)sizeof(command->agent))
		code = error_set(error, ERROR_VALUE, "the agent's options are too long");
	free(option);
	free(joined);
	return code;
}

/* ---- the words ---- */

/* No thread more than need be, no files. Methods are compiled early and at once; but how often
 * the interpreter asks whether to compile is left as it is, for that is part of what its calls
 * cost. */
static const char *const steady[] = {"-XX:+UseSerialGC", "-XX:-UsePerfData",
	"-XX:-BackgroundCompilation", "-XX:Tier3InvocationThreshold=20",
	"-XX:Tier3MinInvocationThreshold=10", "-XX:Tier3CompileThreshold=200",
	"-XX:Tier3BackEdgeThreshold=6000", "-XX:Tier4InvocationThreshold=500",
	"-XX:Tier4MinInvocationThreshold=60", "-XX:Tier4CompileThreshold=1500",
	"-XX:Tier4BackEdgeThreshold=4000", "-XX:Tier3InvokeNotifyFreqLog=5",
	"-XX:Tier3BackedgeNotifyFreqLog=8", "-XX:CompileCommand=quiet"};

static void put_words(struct java_command *command, const struct java_program *program)
{
	const char *const rest[] = {command->exclude, command->dontinline, command->crash,
		command->agent, "-cp", command->jar, program->main};
	const char **word = command->word;

	*word++ = command->java;
	for (size_t i = 0; i < sizeof(steady) / sizeof(*steady); i++)
		*word++ = steady[i];
	/* Where the JVM reports each call nothing is compiled: so it is to be without
	 * probes. */
	if (strcmp(program->calls, "events") == 0)
		*word++ = "-Xint";
	if (program->mode && program->mode[0])
		*word++ = program->mode;
	for (size_t i = 0; i < sizeof(rest) / sizeof(*rest); i++)
		*word++ = rest[i];
	for (const char *const *argument = program->arguments; *argument; argument++)
		*word++ = *argument;
	*word = NULL;
}

int java_command_make(
	struct java_command *command, const struct java_program *program, struct error *error)
{
	static const char *const jar_places[] = {".", "../share/jprof", NULL};
	char folder[PATH_MAX];
	int code;

	snprintf(command->profile, sizeof(command->profile), "%s/%s", program->folder,
		program->profile);
	snprintf(command->crash, sizeof(command->crash), "-XX:ErrorFile=%s/crash",
		program->folder);
	snprintf(command->exclude, sizeof(command->exclude),
		"-XX:CompileCommand=exclude,%s/*.interpreted*", program->package);
	/* Or the run without probes is another program: several calls' work in one. */
	snprintf(command->dontinline, sizeof(command->dontinline),
		"-XX:CompileCommand=dontinline,%s/*.*", program->package);
	code = java_command_find(command->java, program->java, error);
	if (code == 0 &&
		!own_file_find(command->jar, folder, "jprof-calibration.jar", jar_places))
		code = error_set(error, ERROR_MISSING,
			"cannot find jprof-calibration.jar beside jprof in '%s', nor in "
			"../share/jprof: it is built where there is a JDK",
			error_subject(folder).text);
	if (code == 0)
		code = make_agent(command, program, error);
	if (code == 0)
		put_words(command, program);
	return code;
}

/* ---- the folder ---- */

int work_folder_make(char folder[PATH_MAX], struct error *error)
{
	const char *parent = getenv("TMPDIR");

	if (!parent || parent[0] != '/')
		parent = "/tmp";
	if (snprintf(folder, PATH_MAX, "%s/jprof-calibrate-XXXXXX", parent) < PATH_MAX &&
		mkdtemp(folder))
		return 0;
	folder[0] = '\0';
	return error_set_errno(error, ERROR_IO, errno, "cannot make a folder in '%s'",
		error_subject(parent).text);
}

void work_folder_remove(const char *folder)
{
	DIR *directory = folder[0] ? opendir(folder) : NULL;
	struct dirent *entry;

	while (directory && (entry = readdir(directory)))
		if (entry->d_name[0] != '.')
			unlinkat(dirfd(directory), entry->d_name, 0);
	if (directory)
		closedir(directory);
	if (folder[0])
		rmdir(folder);
}
