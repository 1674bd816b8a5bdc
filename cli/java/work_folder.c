/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/* work_folder: see work_folder.h. */
#include "cli/java/work_folder.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

int work_folder_make(struct work_folder *folder, struct error *error)
{
	const char *parent = getenv("TMPDIR");

	if (!parent || parent[0] != '/')
		parent = "/tmp";
	if (snprintf(folder->path, sizeof(folder->path), "%s/jprof-calibrate-XXXXXX", parent) <
			(int)sizeof(folder->path) &&
		mkdtemp(folder->path))
		return 0;
	folder->path[0] = '\0';
	return error_set_errno(error, ERROR_IO, errno, "cannot make a folder in '%s'",
		error_subject(parent).text);
}

void work_folder_remove(struct work_folder *folder)
{
	DIR *directory = folder->path[0] ? opendir(folder->path) : NULL;
	struct dirent *entry;

	while (directory && (entry = readdir(directory)))
		if (entry->d_name[0] != '.')
			unlinkat(dirfd(directory), entry->d_name, 0);
	if (directory)
		closedir(directory);
	if (folder->path[0])
		rmdir(folder->path);
	folder->path[0] = '\0';
}
