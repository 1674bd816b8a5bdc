/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/* java_words: see java_words.h. */
#include "cli/calibrate/java_words.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cli/agent_library.h"
#include "options/options.h"

/* How long programs are measured, once all are warm. */
enum { MILLISECONDS = 10000, MILLISECONDS_QUICK = 2000 };

/* ---- java ---- */

static bool is_folder(const char *path)
{
	struct stat status;

	return stat(path, &status) == 0 && S_ISDIR(status.st_mode);
}

static int find_java(char java[PATH_MAX], const char *asked, struct error *error)
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

static int find_jar(char jar[PATH_MAX], struct error *error)
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
	char library[PATH_MAX], *joined = NULL;
	int code = agent_library_find(library, error);

	if (code == 0 && strchr(library, '='))
		code = error_set(error, ERROR_VALUE,
			"the JVM cannot load an agent whose path contains '=': '%s'; move it",
			error_subject(library).text);
	if (code == 0)
		code = join_options(&joined, words, what, probes, error);
	if (code == 0 && snprintf(words->agent, sizeof(words->agent), "-agentpath:%s=%s",
				 library, joined) >= (int)sizeof(words->agent))
		code = error_set(error, ERROR_VALUE, "the agent's options are too long");
	free(joined);
	return code;
}

/* ---- the words ---- */

/* No thread more than need be, no files but those in the folder. Methods are compiled early and at
 * once; but how often the interpreter asks whether to compile is left as it is, for that is part of
 * what its calls cost. */
static const char *const always[] = {"-XX:+UseSerialGC", "-XX:-UsePerfData",
	"-XX:-BackgroundCompilation",
	"-XX:Tier3InvocationThreshold=20", "-XX:Tier3MinInvocationThreshold=10",
	"-XX:Tier3CompileThreshold=200", "-XX:Tier3BackEdgeThreshold=6000",
	"-XX:Tier4InvocationThreshold=500", "-XX:Tier4MinInvocationThreshold=60",
	"-XX:Tier4CompileThreshold=1500", "-XX:Tier4BackEdgeThreshold=4000",
	"-XX:Tier3InvokeNotifyFreqLog=5", "-XX:Tier3BackedgeNotifyFreqLog=8",
	"-XX:CompileCommand=quiet",
	"-XX:CompileCommand=exclude,calibrated/*.interpreted*"};

/* Where the JVM reports each call, nothing is compiled: so it is to be without probes. */
static bool is_interpreted(const struct calibrate *what)
{
	return strcmp(what->calls, "events") == 0;
}

static void put_words(struct java_words *words, const struct calibrate *what, bool probes)
{
	size_t count = 0;

	words->word[count++] = words->java;
	for (size_t i = 0; i < sizeof(always) / sizeof(*always); i++)
		words->word[count++] = always[i];
	if (is_interpreted(what))
		words->word[count++] = "-Xint";
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
	code = find_java(words->java, what->java, error);
	if (code == 0)
		code = find_jar(words->jar, error);
	if (code == 0)
		code = make_agent(words, what, probes, error);
	if (code == 0)
		put_words(words, what, probes);
	return code;
}
