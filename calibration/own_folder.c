/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/* own_folder: see own_folder.h. */
#include "calibration/own_folder.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "calibration/trusted_path.h"

#define FOLDER "/jprof"

/* A folder that is not absolute does not count (XDG base directory specification). */
static int name_it(char name[PATH_MAX], struct error *error)
{
	const char *cache = secure_getenv("XDG_CACHE_HOME"), *home = secure_getenv("HOME");
	int length;

	if (cache && cache[0] == '/')
		length = snprintf(name, PATH_MAX, "%s" FOLDER, cache);
	else if (home && home[0] == '/')
		length = snprintf(name, PATH_MAX, "%s/.cache" FOLDER, home);
	else
		return error_set(error, ERROR_MISSING,
			"no folder to keep a calibration in: HOME is not set");
	return length < PATH_MAX
		       ? 0
		       : error_set(error, ERROR_MISSING,
				 "no folder to keep a calibration in: HOME is too long");
}

static int refuse(const char *name, struct error *error)
{
	return error_set(error, ERROR_DENIED,
		"'%s' is not used: others than this program's user can write it, or a folder "
		"or "
		"link on the way to it",
		error_subject(name).text);
}

/* True for a folder in which somebody else decides what a name means. */
static bool is_foreign(const char *folder)
{
	char whole[PATH_MAX];
	struct stat status;

	return stat(folder, &status) == 0 && S_ISDIR(status.st_mode) &&
	       !trusted_path(folder, whole);
}

/* With all that lead to it; nothing is made in a folder of others. */
static int make_folders(const char *name, struct error *error)
{
	char path[PATH_MAX], before[PATH_MAX] = "/";
	size_t length = 0, end = strlen(name);

	while (length < end) {
		length += 1 + strcspn(name + length + 1, "/");
		snprintf(path, sizeof(path), "%.*s", (int)length, name);
		if (access(path, F_OK) != 0 && is_foreign(before))
			return refuse(name, error);
		if (mkdir(path, 0700) != 0 && errno != EEXIST)
			return error_set_errno(error, ERROR_IO, errno,
				"cannot make the folder '%s'", error_subject(name).text);
		memcpy(before, path, length + 1);
	}
	return 0;
}

/* A sticky bit is not enough: others could put files of theirs beside ours. */
static bool is_own(const char *path)
{
	struct stat status;

	return lstat(path, &status) == 0 && S_ISDIR(status.st_mode) &&
	       status.st_uid == geteuid() && (status.st_mode & (S_IWGRP | S_IWOTH)) == 0;
}

int own_folder(char path[PATH_MAX], bool make, struct error *error)
{
	char name[PATH_MAX];
	int failed = name_it(name, error);

	if (failed == 0 && make)
		failed = make_folders(name, error);
	if (failed != 0)
		return failed;
	if (trusted_path(name, path) && is_own(path))
		return 0;
	/* A program that gave up its rights may have the home of another user. */
	if (access(name, F_OK) != 0)
		return error_set_errno(error, ERROR_MISSING, errno, "there is no folder '%s'",
			error_subject(name).text);
	return refuse(name, error);
}
