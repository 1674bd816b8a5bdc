/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/* launch: looks at the file that would be executed, and at nothing that a user can name. */
#include "cli/record/launch.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cli/attach/agent_library.h"

#define TOOL_OPTIONS "JAVA_TOOL_OPTIONS"

/* ---- which file ---- */

static bool is_program(const char *path)
{
	struct stat status;

	return stat(path, &status) == 0 && S_ISREG(status.st_mode) &&
	       faccessat(AT_FDCWD, path, X_OK, AT_EACCESS) == 0;
}

/* The file as execvp(3) finds it, behind all links. */
static bool find_program(const char *word, char found[PATH_MAX])
{
	const char *folders = getenv("PATH"), *next;
	char path[PATH_MAX];

	if (strchr(word, '/'))
		return is_program(word) && realpath(word, found);
	if (!folders)
		folders = "/bin:/usr/bin";
	for (; folders; folders = next) {
		size_t length = strcspn(folders, ":");

		next = folders[length] == ':' ? folders + length + 1 : NULL;
		/* An empty folder is the working directory. */
		if (snprintf(path, sizeof(path), "%.*s%s%s", (int)length, folders,
			    length > 0 ? "/" : "", word) < (int)sizeof(path) &&
			is_program(path))
			return realpath(path, found);
	}
	return false;
}

/* ---- what it is ---- */

/* True for an ELF file that names libjli.so, as each launcher of a JDK does among the
 * libraries it needs. Launchers are small: a large file is none. */
static bool is_launcher(const char *path)
{
	enum { LIMIT = 32 << 20 };
	static const char library[] = "\0libjli.so";
	size_t size;
	void *bytes = file_map(open(path, O_RDONLY | O_CLOEXEC), &size);
	bool is = bytes && size > 4 && size <= LIMIT && memcmp(bytes, "\177ELF", 4) == 0 &&
		  memmem(bytes, size, library, sizeof(library));

	if (bytes)
		munmap(bytes, size);
	return is;
}

enum launch_way launch_way_of(const char *word)
{
	char path[PATH_MAX], java[PATH_MAX + 8], *slash;

	if (!find_program(word, path) || !is_launcher(path))
		return LAUNCH_ANY;
	slash = strrchr(path, '/');
	if (strcmp(slash, "/java") == 0)
		return LAUNCH_JAVA;
	snprintf(java, sizeof(java), "%.*s/java", (int)(slash - path), path);
	return is_launcher(java) ? LAUNCH_TOOL : LAUNCH_ANY;
}

/* ---- what it gets ---- */

/* The option as JAVA_TOOL_OPTIONS holds it: without blanks and quotes that the JVM would take
 * apart. Owned; NULL without memory. */
static char *quote(const char *option)
{
	char *text = calloc(3, strlen(option) + 1), *end = text;

	/* HotSpot ends words at blanks (isspace), and knows both quotes but no escapes. */
	for (; text && *option != '\0'; option++) {
		const char *around = strchr(" \t\r\n\f\v\"", *option) ? "'"
				     : *option == '\''                ? "\""
								      : "";

		end += sprintf(end, "%s%c%s", around, *option, around);
	}
	return text;
}

int launch_set_environment(enum launch_way way, const char *agent, struct error *error)
{
	const char *before = getenv(TOOL_OPTIONS);
	char *quoted, *all = NULL;
	int failed;

	if (before && strstr(before, "libjprof.so"))
		return error_set(error, ERROR_BUSY,
			TOOL_OPTIONS " loads the agent already (as below another 'jprof "
				     "run'): unset it, or run the command without jprof");
	if (way != LAUNCH_ANY)
		return 0;
	quoted = quote(agent);
	failed = !quoted ||
		 asprintf(&all, "%s%s%s", before ? before : "", before ? " " : "", quoted) < 0;
	failed = failed || setenv(TOOL_OPTIONS, all, 1) != 0;
	free(quoted);
	free(all);
	return failed ? error_set(error, ERROR_MEMORY, "no memory") : 0;
}
