/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/* output_file: linkat(2) and rename(2). */
#include "cli/terminal/output_file.h"

#include <errno.h>
#include <fcntl.h>
#include <libgen.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static int cannot(const char *name, struct error *error)
{
	return error_set_errno(
		error, ERROR_IO, errno, "cannot write '%s'", error_subject(name).text);
}

/* A file in the folder of its place, without a name, or with one. */
static int open_beside(struct output_file *file, mode_t mode)
{
	char *copy = strdup(file->place);
	mode_t mask = umask(0);

	umask(mask);
	if (!copy || asprintf(&file->temporary, "%s.XXXXXX", file->place) < 0) {
		file->temporary = NULL;
		free(copy);
		errno = ENOMEM;
		return -1;
	}
	file->fd = open(dirname(copy), O_TMPFILE | O_WRONLY | O_CLOEXEC, mode);
	free(copy);
	if (file->fd >= 0) {
		free(file->temporary);
		file->temporary = NULL;
		return 0;
	}
	/* No such files, or no such folder, which the next call says better. */
	file->fd = mkostemp(file->temporary, O_CLOEXEC);
	if (file->fd >= 0)
		return fchmod(file->fd, mode & ~mask);
	free(file->temporary);
	file->temporary = NULL;
	return -1;
}

int output_file_open(
	struct output_file *file, const char *name, mode_t mode, struct error *error)
{
	struct stat there;

	*file = (struct output_file){.fd = -1};
	if (strcmp(name, "-") == 0) {
		file->is_direct = true;
		file->fd = STDOUT_FILENO;
		return 0;
	}
	if (stat(name, &there) == 0 && !S_ISREG(there.st_mode)) {
		file->is_direct = true;
		file->fd = open(name, O_WRONLY | O_CLOEXEC);
		return file->fd < 0 ? cannot(name, error) : 0;
	}
	/* Behind a link the file that it leads to is replaced, not the link. */
	file->place = realpath(name, NULL);
	if (!file->place)
		file->place = strdup(name);
	if (!file->place)
		errno = ENOMEM;
	return file->place && open_beside(file, mode) == 0 ? 0 : cannot(name, error);
}

/* Gives a name to a file that has none: one that is free, for an existing one cannot be replaced so. */
static int give_name(struct output_file *file)
{
	char self[64];
	int made;

	if (file->temporary)
		return 0;
	snprintf(self, sizeof(self), "/proc/self/fd/%d", file->fd);
	if (linkat(AT_FDCWD, self, AT_FDCWD, file->place, AT_SYMLINK_FOLLOW) == 0)
		return 1;
	if (errno != EEXIST || asprintf(&file->temporary, "%s.XXXXXX", file->place) < 0) {
		file->temporary = NULL;
		return -1;
	}
	made = mkostemp(file->temporary, O_CLOEXEC);
	if (made < 0)
		return -1;
	close(made);
	/* The name is this program's now. */
	if (unlink(file->temporary) != 0)
		return -1;
	return linkat(AT_FDCWD, self, AT_FDCWD, file->temporary, AT_SYMLINK_FOLLOW);
}

int output_file_close(struct output_file *file, bool keep, struct error *error)
{
	bool is_output = file->fd == STDOUT_FILENO;
	int failed = 0, named;

	if (file->fd >= 0 && file->place && keep) {
		named = give_name(file);
		if (named < 0 || (named == 0 && rename(file->temporary, file->place) != 0))
			failed = cannot(file->place, error);
	}
	if (file->temporary && (failed != 0 || !keep))
		unlink(file->temporary);
	if (file->fd >= 0 && !is_output && close(file->fd) != 0 && failed == 0 && keep)
		failed = cannot(file->place ? file->place : "the output", error);
	free(file->temporary);
	free(file->place);
	*file = (struct output_file){.fd = -1};
	return failed;
}
