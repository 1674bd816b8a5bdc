/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/* trusted_path: see trusted_path.h. */
#include "cli/calibrate/trusted_path.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* In a folder with the sticky bit (/tmp) nobody can replace what belongs to another. */
static bool is_ours(const char *path)
{
	struct stat status;
	bool shared;

	if (stat(path, &status) != 0)
		return false;
	shared = (status.st_mode & (S_IWGRP | S_IWOTH)) != 0 &&
		 !(S_ISDIR(status.st_mode) && (status.st_mode & S_ISVTX));
	return (status.st_uid == 0 || status.st_uid == geteuid()) && !shared;
}

bool trusted_path(const char *path, char whole[PATH_MAX])
{
	char part[PATH_MAX], *slash;

	if (!realpath(path, whole)) {
		whole[0] = '\0';
		return false;
	}
	strcpy(part, whole);
	while (is_ours(part)) {
		slash = strrchr(part, '/');
		if (slash == part)
			return is_ours("/");
		*slash = '\0';
	}
	return false;
}
