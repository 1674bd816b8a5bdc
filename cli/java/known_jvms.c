/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/* known_jvms: see known_jvms.h. */
#include "cli/java/known_jvms.h"

#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "calibration/own_folder.h"
#include "calibration/trusted_path.h"
#include "profile/profile_read.h"

/* A list that is longer begins anew. */
enum { LIST_MAX = 4096 };

static bool list_path(char path[OWN_PATH], bool make)
{
	char folder[PATH_MAX];

	if (own_folder(folder, make, NULL) != 0)
		return false;
	snprintf(path, OWN_PATH, "%s/jvms", folder);
	return true;
}

/* ---- the list ---- */

static bool is_same(const void *argument, const char *java)
{
	return strcmp(argument, java) == 0;
}

static bool is_program(const char *path)
{
	struct stat status;

	return stat(path, &status) == 0 && S_ISREG(status.st_mode) && access(path, X_OK) == 0;
}

bool known_jvms_find(char java[PATH_MAX], known_jvm *fits, const void *argument)
{
	char path[OWN_PATH], line[PATH_MAX + 2];
	FILE *list = list_path(path, false) ? fopen(path, "re") : NULL;
	bool found = false;

	while (list && !found && fgets(line, sizeof(line), list)) {
		line[strcspn(line, "\n")] = '\0';
		found = line[0] == '/' && trusted_path(line, java) && is_program(java) &&
			fits(argument, java);
	}
	if (list)
		fclose(list);
	return found;
}

/* ---- what is noted ---- */

void known_jvms_note(const char *home)
{
	char java[PATH_MAX], whole[PATH_MAX], path[OWN_PATH], line[PATH_MAX + 2];
	int length, list;
	struct stat status;

	if (home[0] != '/' ||
		snprintf(java, sizeof(java), "%s/bin/java", home) >= (int)sizeof(java) ||
		!trusted_path(java, whole) || !is_program(whole) ||
		known_jvms_find(java, is_same, whole) || strchr(whole, '\n') ||
		!list_path(path, true))
		return;
	list = open(path, O_WRONLY | O_APPEND | O_CREAT | O_NONBLOCK | O_CLOEXEC, 0600);
	if (list < 0)
		return;
	/* One write(2) for each line: two at a time do not mix them up. */
	length = snprintf(line, sizeof(line), "%s\n", whole);
	if (fstat(list, &status) == 0 && S_ISREG(status.st_mode) &&
		(status.st_size + length <= LIST_MAX || ftruncate(list, 0) == 0) &&
		write(list, line, (size_t)length) != length)
		ftruncate(list, 0);
	close(list);
}

/* By HOME/bin/java, or another program of HOME/bin. The process may see other files under the
 * same names. */
void known_jvms_note_process(const struct target *target)
{
	char path[PATH_MAX], *slash;
	ssize_t length = readlinkat(target->proc, "exe", path, sizeof(path) - 1);
	struct stat here, there;

	path[length > 0 ? length : 0] = '\0';
	if (length <= 0 || fstatat(target->proc, "exe", &there, 0) != 0 ||
		stat(path, &here) != 0 || here.st_dev != there.st_dev ||
		here.st_ino != there.st_ino)
		return;
	for (int names = 2; names > 0; names--) {
		slash = strrchr(path, '/');
		if (!slash)
			return;
		*slash = '\0';
	}
	known_jvms_note(path);
}

void known_jvms_note_profile(const char *path)
{
	const struct profile_wanted wanted = {.facts_alone = true};
	struct profile *profile = NULL;
	struct stat status;
	const char *home;

	if (stat(path, &status) != 0 || !S_ISREG(status.st_mode) ||
		status.st_uid != geteuid() ||
		profile_open_wanted(&profile, path, &wanted, NULL) != 0)
		return;
	home = profile_meta_get(profile, "java.home");
	if (home)
		known_jvms_note(home);
	profile_free(profile);
}
