/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/* java_command: see java_command.h. */
#include "cli/calibrate/java_command.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cli/agent_library.h"

/* ---- java ---- */

static bool is_folder(const char *path)
{
	struct stat status;

	return stat(path, &status) == 0 && S_ISDIR(status.st_mode);
}

int java_command_find(char java[PATH_MAX], const char *asked, struct error *error)
{
	const char *home = getenv("JAVA_HOME"), *folder = "";
	int length;

	if (asked)
		folder = is_folder(asked) ? "/bin/java" : "";
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

/* ---- what belongs to this program ---- */

/* Seen from its folder: as built, or as installed. */
static const char *const jar_places[] = {".", "../share/jprof"};

int java_command_jar(char jar[PATH_MAX], struct error *error)
{
	char folder[PATH_MAX], path[PATH_MAX + 64];
	ssize_t length = readlink("/proc/self/exe", folder, sizeof(folder) - 1);

	folder[length > 0 ? length : 0] = '\0';
	if (strrchr(folder, '/'))
		*strrchr(folder, '/') = '\0';
	for (size_t i = 0; i < sizeof(jar_places) / sizeof(*jar_places); i++) {
		snprintf(path, sizeof(path), "%s/%s/jprof-calibration.jar", folder,
			jar_places[i]);
		if (realpath(path, jar))
			return 0;
	}
	return error_set(error, ERROR_MISSING,
		"cannot find jprof-calibration.jar beside jprof in '%s', nor in "
		"../share/jprof: it is built where there is a JDK",
		error_subject(folder).text);
}

int java_command_agent(char *word, size_t size, const char *options, struct error *error)
{
	char library[PATH_MAX];
	int code = agent_library_find(library, error);

	if (code == 0 && strchr(library, '='))
		code = error_set(error, ERROR_VALUE,
			"the JVM cannot load an agent whose path contains '=': '%s'; move it",
			error_subject(library).text);
	if (code == 0 && snprintf(word, size, "-agentpath:%s=%s", library, options) >= (int)size)
		code = error_set(error, ERROR_VALUE, "the agent's options are too long");
	return code;
}

/* ---- options of the JVM ---- */

static const char *const steady[] = {"-XX:+UseSerialGC", "-XX:-UsePerfData",
	"-XX:-BackgroundCompilation",
	"-XX:Tier3InvocationThreshold=20", "-XX:Tier3MinInvocationThreshold=10",
	"-XX:Tier3CompileThreshold=200", "-XX:Tier3BackEdgeThreshold=6000",
	"-XX:Tier4InvocationThreshold=500", "-XX:Tier4MinInvocationThreshold=60",
	"-XX:Tier4CompileThreshold=1500", "-XX:Tier4BackEdgeThreshold=4000",
	"-XX:Tier3InvokeNotifyFreqLog=5", "-XX:Tier3BackedgeNotifyFreqLog=8",
	"-XX:CompileCommand=quiet"};

size_t java_command_steady(const char **word, const char *calls)
{
	size_t count = sizeof(steady) / sizeof(*steady);

	memcpy(word, steady, sizeof(steady));
	if (strcmp(calls, "events") == 0)
		word[count++] = "-Xint";
	return count;
}
