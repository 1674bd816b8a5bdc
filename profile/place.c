/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/* place: see place.h. */
#include "profile/place.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <sqlite3.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* Room for "-journal", the longest suffix SQLite adds, within its 512 bytes. */
#define NAME_MAX_SQLITE (512 - 16)
/* Of a long path a message shows so many bytes of both ends. */
#define SHOWN_HEAD 80
#define SHOWN_TAIL 120

static const char vfs_name[] = "jprof-as-is";

/* The ordinary VFS but for xFullPathname. Never unregistered: SQLite may hold it. */
static sqlite3_vfs as_is;
static pthread_once_t as_is_once = PTHREAD_ONCE_INIT;
static int as_is_status;

static int keep_name(sqlite3_vfs *vfs, const char *name, int size, char *full)
{
	(void)vfs;
	if (snprintf(full, (size_t)size, "%s", name) >= size)
		return SQLITE_CANTOPEN;
	return SQLITE_OK;
}

static void register_as_is(void)
{
	sqlite3_vfs *ordinary = sqlite3_vfs_find(NULL);

	if (!ordinary) {
		as_is_status = SQLITE_ERROR;
		return;
	}
	as_is = *ordinary;
	as_is.zName = vfs_name;
	as_is.xFullPathname = keep_name;
	as_is_status = sqlite3_vfs_register(&as_is, 0);
}

/* True for the bytes that continue a UTF-8 character. */
static int is_continuation(char c)
{
	return ((unsigned char)c & 0xc0) == 0x80;
}

void place_show(struct place *place, const char *path)
{
	size_t length = strlen(path);

	*place = (struct place){.directory = -1};
	if (length < sizeof place->shown) {
		memcpy(place->shown, path, length + 1);
		return;
	}
	int head = SHOWN_HEAD;
	while (head > 0 && is_continuation(path[head]))
		head--;
	const char *tail = path + length - SHOWN_TAIL;
	while (is_continuation(*tail))
		tail++;
	snprintf(place->shown, sizeof place->shown, "%.*s[...]%s", head, path, tail);
}

/* name = /proc/self/fd/N/LAST for a real path DIRECTORY/LAST. */
static int through_directory(struct place *place, char *real, struct error *error)
{
	char *slash = strrchr(real, '/');

	pthread_once(&as_is_once, register_as_is);
	if (as_is_status != SQLITE_OK)
		return error_set(error, ERROR_IO, "cannot open '%s': %s", place->shown,
			sqlite3_errstr(as_is_status));
	*slash = '\0';
	place->directory =
		place_above_stdio(open(real, O_PATH | O_DIRECTORY | O_CLOEXEC));
	if (place->directory < 0)
		return error_set_errno(error, ERROR_IO, errno,
			"cannot open the directory of '%s'", place->shown);
	snprintf(place->name, sizeof place->name, "/proc/self/fd/%d/%.255s",
		place->directory, slash + 1);
	place->vfs = vfs_name;
	return 0;
}

static bool is_same_file(const char *a, const char *b)
{
	struct stat first, second;

	return stat(a, &first) == 0 && stat(b, &second) == 0 &&
		first.st_dev == second.st_dev && first.st_ino == second.st_ino;
}

/* The path without symbolic links, owned; NULL with errno set. */
static char *real_path(const char *path, bool *through_link)
{
	char *real = realpath(path, NULL);
	int saved = errno;
	struct stat status;

	/* /proc/PID/root and its like lead elsewhere than their text says: realpath(3) takes
	 * that for a path of our own. The kernel has to follow them. */
	*through_link = stat(path, &status) == 0 && !(real && is_same_file(real, path));
	errno = saved;
	if (!*through_link)
		return real;
	free(real);
	return asprintf(&real, "%s%s", path[0] == '/' ? "" : "./", path) < 0 ? NULL : real;
}

int place_init(struct place *place, const char *path, struct error *error)
{
	bool through_link;

	place_show(place, path);
	char *real = real_path(path, &through_link);
	if (!real)
		return error_set_errno(error, errno == ENOENT ? ERROR_MISSING : ERROR_IO,
			errno, "cannot open '%s'", place->shown);
	int status = 0;
	if (!through_link && strlen(real) <= NAME_MAX_SQLITE)
		strcpy(place->name, real);
	else
		status = through_directory(place, real, error);
	free(real);
	return status;
}

void place_fini(struct place *place)
{
	if (place->directory >= 0)
		close(place->directory);
	place->directory = -1;
}

void place_beside(const struct place *place, const char *suffix, char *path)
{
	snprintf(path, PATH_MAX, "%s%s", place->name, suffix);
}

int place_above_stdio(int fd)
{
	if (fd < 0 || fd > STDERR_FILENO)
		return fd;
	int above = fcntl(fd, F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
	int saved = errno;
	close(fd);
	errno = saved;
	return above;
}
