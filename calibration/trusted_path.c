/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/*
 * trusted_path: see trusted_path.h.
 *
 * The path is walked from the root, a name at a time, as the kernel does it: each name is looked at
 * where it stands, in a folder that has been found to be ours. What a link says is put in front of
 * the rest.
 */
#include "calibration/trusted_path.h"

#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* As the kernel (path_resolution(7)). */
enum { LINKS_MAX = 40 };

/* In a folder with the sticky bit (/tmp) no user can replace what belongs to another. A link has no
 * mode of its own; its owner can make it lead elsewhere. */
static bool is_ours(const struct stat *status)
{
	bool shared = (status->st_mode & (S_IWGRP | S_IWOTH)) != 0 &&
		      !(S_ISDIR(status->st_mode) && (status->st_mode & S_ISVTX));

	return (status->st_uid == 0 || status->st_uid == geteuid()) &&
	       (!shared || S_ISLNK(status->st_mode));
}

/* Puts what the link says in front of the rest. False: it is too long, or cannot be read. */
static bool follow(const char *link, char rest[PATH_MAX])
{
	char target[PATH_MAX], joined[PATH_MAX];
	ssize_t length = readlink(link, target, sizeof(target) - 1);
	int size;

	if (length <= 0)
		return false;
	target[length] = '\0';
	size = snprintf(joined, sizeof(joined), "%s/%s", target, rest);
	if (size >= (int)sizeof(joined))
		return false;
	memcpy(rest, joined, (size_t)size + 1);
	return true;
}

/* Takes the first name off the rest. "": there is none. */
static void take_name(char rest[PATH_MAX], char name[PATH_MAX])
{
	size_t skip = strspn(rest, "/"), length = strcspn(rest + skip, "/");

	memcpy(name, rest + skip, length);
	name[length] = '\0';
	memmove(rest, rest + skip + length, strlen(rest + skip + length) + 1);
}

/* whole is a path without links, "" for the root. */
static bool walk(char rest[PATH_MAX], char whole[PATH_MAX])
{
	char name[PATH_MAX];
	struct stat status;
	int links = 0;

	whole[0] = '\0';
	if (stat("/", &status) != 0 || !is_ours(&status))
		return false;
	for (take_name(rest, name); name[0] != '\0'; take_name(rest, name)) {
		size_t length = strlen(whole);

		if (strcmp(name, ".") == 0)
			continue;
		if (strcmp(name, "..") == 0) {
			whole[length > 0 ? strrchr(whole, '/') - whole : 0] = '\0';
			continue;
		}
		if (length + 1 + strlen(name) >= PATH_MAX)
			return false;
		whole[length] = '/';
		memcpy(whole + length + 1, name, strlen(name) + 1);
		if (lstat(whole, &status) != 0 || !is_ours(&status))
			return false;
		if (!S_ISLNK(status.st_mode))
			continue;
		if (++links > LINKS_MAX || !follow(whole, rest))
			return false;
		whole[rest[0] == '/' ? 0 : length] = '\0';
	}
	return true;
}

bool trusted_path(const char *path, char whole[PATH_MAX])
{
	char folder[PATH_MAX] = "", rest[PATH_MAX];
	bool trusted =
		(path[0] == '/' || getcwd(folder, sizeof(folder)) != NULL) &&
		snprintf(rest, sizeof(rest), "%s/%s", folder, path) < (int)sizeof(rest) &&
		walk(rest, whole);

	if (!trusted)
		whole[0] = '\0';
	else if (whole[0] == '\0')
		memcpy(whole, "/", 2);
	return trusted;
}
