/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/*
 * fake_java: prints the words it was given, and does what the agent in a JVM would: notes
 * for `jprof run`, and a profile.
 *
 * FILE      the profile's name, where it is not simply in the words; %p is the pid
 * VERSION   it ran no program
 * REFUSED   why it is not profiled
 * WAIT      until TERM, or 20 s
 * STATUS    its exit status
 */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "options/options.h"
#include "profile/run_notes.h"

/* As a launcher of a JDK names the library that it needs. */
static const char needed[] = "\0libjli.so";

static void on_term(int number)
{
	static const char caught[] = "caught\n";

	if (write(STDOUT_FILENO, caught, sizeof(caught) - 1) > 0)
		_exit(7);
}

static void touch(const char *path)
{
	FILE *file = fopen(path, "w");

	if (file != NULL)
		fclose(file);
}

/* What stands behind "file=" in the option that loads the agent. */
static char *profile_of(const char *option)
{
	const char *file = option != NULL ? strstr(option, "file=") : NULL;
	char *copy;

	if (getenv("FILE") != NULL)
		file = getenv("FILE");
	else
		file = file != NULL ? file + 5 : "jprof-%p.jprof";
	copy = strndup(file, getenv("FILE") != NULL ? strlen(file) : strcspn(file, ", "));
	file = options_expand_file(copy, (long)getpid(), 0);
	free(copy);
	return (char *)file;
}

int main(int argc, char **argv)
{
	const char *option = argc > 1 && strstr(argv[1], "-agentpath:") != NULL
				     ? argv[1]
				     : getenv("JAVA_TOOL_OPTIONS");
	char *profile = profile_of(option);

	for (int i = 1; i < argc; i++)
		puts(argv[i]);
	fflush(stdout);
	if (option != NULL) {
		run_notes_join();
		run_notes_put(RUN_NOTE_JVM, NULL, NULL);
		if (getenv("REFUSED") != NULL) {
			run_notes_put(RUN_NOTE_REFUSED, getenv("REFUSED"), NULL);
		} else {
			touch(profile);
			run_notes_put(
				RUN_NOTE_PROFILE, profile, argc > 2 ? argv[2] : needed + 1);
			if (getenv("VERSION") != NULL)
				run_notes_put(RUN_NOTE_NO_PROGRAM, profile, NULL);
		}
	}
	free(profile);
	if (getenv("WAIT") != NULL) {
		signal(SIGTERM, on_term);
		touch("ready");
		sleep(20);
	}
	return getenv("STATUS") != NULL ? atoi(getenv("STATUS")) : 0;
}
