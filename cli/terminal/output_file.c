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

#include "cli/terminal/outcome.h"

static int cannot(const char *name, struct error *error)
{
	return error_set_errno(
		error, ERROR_IO, errno, "cannot write '%s'", error_subject(name).text);
}

/* A file in the folder of its place: without a name, or where that cannot be, with one. */
static int open_beside(struct output_file *file, mode_t mode)
{
	char *folder = strdup(file->place);

	if (!folder ||
		asprintf(&file->temporary, "%s.%ld.part", file->place, (long)getpid()) < 0) {
		file->temporary = NULL;
		free(folder);
		errno = ENOMEM;
		return -1;
	}
	file->fd = open(dirname(folder), O_TMPFILE | O_WRONLY | O_CLOEXEC, mode);
	free(folder);
	if (file->fd >= 0)
		return 0;
	/* Not of this file system; or no such folder, which this says, too. */
	file->is_named = true;
	file->fd = open(file->temporary, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, mode);
	return file->fd < 0 ? -1 : 0;
}

int output_file_open(
	struct output_file *file, const char *name, mode_t mode, struct error *error)
{
	struct stat there;

	*file = (struct output_file){.fd = -1};
	if (strcmp(name, "-") == 0) {
		file->fd = STDOUT_FILENO;
		return 0;
	}
	if (stat(name, &there) == 0 && !S_ISREG(there.st_mode)) {
		file->fd = open(name, O_WRONLY | O_CLOEXEC);
		return file->fd < 0 ? cannot(name, error) : 0;
	}
	/* Behind a link the file that it leads to is replaced, not the link; where that is not there, neither is. */
	file->place = realpath(name, NULL);
	if (!file->place && lstat(name, &there) == 0)
		return cannot(name, error);
	if (!file->place)
		file->place = strdup(name);
	if (!file->place)
		errno = ENOMEM;
	return file->place && open_beside(file, mode) == 0 ? 0 : cannot(name, error);
}

int output_file_check(const char *command, const char *name, const char *source, bool is_users)
{
	struct stat there, of;

	if (strcmp(name, "-") == 0 || stat(name, &there) != 0)
		return EXIT_DONE;
	if (stat(source, &of) == 0 && there.st_dev == of.st_dev && there.st_ino == of.st_ino)
		return command_usage(command, "'%s' is the profile itself", name);
	if (!is_users)
		return command_usage(
			command, "'%s' is there already: -o '%s' replaces it", name, name);
	return EXIT_DONE;
}

char *output_file_beside(const char *profile, const char *prefix, const char *suffix)
{
	static const char usual[] = ".jprof";
	const char *slash = strrchr(profile, '/'), *base = slash ? slash + 1 : profile;
	size_t length = strlen(base), ending = sizeof(usual) - 1;
	char *name;

	if (length > ending && strcmp(base + length - ending, usual) == 0)
		length -= ending;
	return asprintf(&name, "%.*s%s%.*s%s", (int)(base - profile), profile, prefix,
		       (int)length, base, suffix) >= 0
		       ? name
		       : NULL;
}

mode_t output_file_mode_of(const char *source)
{
	struct stat status;

	return stat(source, &status) == 0 ? status.st_mode & 0666 : 0600;
}

/* From its name, which it has by now, to its place, whatever is there. */
static int put_into_place(struct output_file *file)
{
	char self[64];

	snprintf(self, sizeof(self), "/proc/self/fd/%d", file->fd);
	if (!file->is_named) {
		if (linkat(AT_FDCWD, self, AT_FDCWD, file->temporary, AT_SYMLINK_FOLLOW) != 0)
			return -1;
		file->is_named = true;
	}
	return rename(file->temporary, file->place);
}

int output_file_close(struct output_file *file, bool keep, struct error *error)
{
	int failed = 0;

	if (file->fd >= 0 && file->place && keep && put_into_place(file) != 0)
		failed = cannot(file->place, error);
	if (file->fd >= 0 && file->is_named && (failed != 0 || !keep))
		unlink(file->temporary);
	if (file->fd >= 0 && file->fd != STDOUT_FILENO && close(file->fd) != 0 && keep &&
		failed == 0)
		failed = cannot(file->place ? file->place : "the output", error);
	free(file->temporary);
	free(file->place);
	*file = (struct output_file){.fd = -1};
	return failed;
}
