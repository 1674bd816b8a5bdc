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

#include "error/utf8.h"

/* Room for "-journal", the longest suffix SQLite adds, within its 512 bytes. */
#define NAME_MAX_SQLITE (512 - 16)
/* Of a long path a message shows so many bytes of both ends. */
#define SHOWN_HEAD 80
#define SHOWN_TAIL 120

static const char vfs_name[] = "jprof", writer_name[] = "jprof-writer";

/* The ordinary VFS but for xFullPathname and xOpen; a writer's has an xAccess, too. Never
 * unregistered: SQLite may hold them. */
static sqlite3_vfs our_vfs, writer_vfs;
static const sqlite3_vfs *ordinary;
static pthread_once_t register_once = PTHREAD_ONCE_INIT;
static int register_status;

static int keep_name(sqlite3_vfs *vfs, const char *name, int size, char *full)
{
	if (snprintf(full, (size_t)size, "%s", name) >= size)
		return SQLITE_CANTOPEN;
	return SQLITE_OK;
}

/* A journal may name another file, of a transaction over several databases, which SQLite deletes
 * when it has undone it. Profiles have no such transactions: such a journal was put there to have a file
 * deleted. */
static int open_own(
	sqlite3_vfs *vfs, const char *name, sqlite3_file *file, int flags, int *flags_out)
{
	if (!(flags & SQLITE_OPEN_SUPER_JOURNAL))
		return ordinary->xOpen(vfs, name, file, flags, flags_out);
	file->pMethods = NULL;
	return SQLITE_CANTOPEN;
}

/* SQLite would use any write-ahead log that is there, and map its index. */
static int access_no_log(sqlite3_vfs *vfs, const char *name, int flags, int *result)
{
	static const char log[] = "-wal";
	size_t length = strlen(name);

	*result = 0;
	if (length >= strlen(log) && strcmp(name + length - strlen(log), log) == 0)
		return SQLITE_OK;
	return ordinary->xAccess(vfs, name, flags, result);
}

static void register_vfs(void)
{
	ordinary = sqlite3_vfs_find(NULL);
	if (!ordinary) {
		register_status = SQLITE_ERROR;
		return;
	}
	our_vfs = *ordinary;
	our_vfs.zName = vfs_name;
	our_vfs.xFullPathname = keep_name;
	our_vfs.xOpen = open_own;
	register_status = sqlite3_vfs_register(&our_vfs, 0);
	writer_vfs = our_vfs;
	writer_vfs.zName = writer_name;
	writer_vfs.xAccess = access_no_log;
	if (register_status == SQLITE_OK)
		register_status = sqlite3_vfs_register(&writer_vfs, 0);
}

void place_show(struct place *place, const char *path)
{
	size_t length = strlen(path);

	*place = (struct place){.directory = -1};
	if (length < sizeof place->shown) {
		memcpy(place->shown, path, length + 1);
		return;
	}
	int head = (int)utf8_floor(path, SHOWN_HEAD);
	const char *tail = path + length - SHOWN_TAIL;
	while (utf8_continues(*tail))
		tail++;
	snprintf(place->shown, sizeof place->shown, "%.*s[...]%s", head, path, tail);
}

/* name = /proc/self/fd/N/LAST for a path DIRECTORY/LAST, LAST being no link. */
static int through_directory(struct place *place, const char *path, struct error *error)
{
	const char *slash = strrchr(path, '/'), *last = slash ? slash + 1 : path;
	char *folder = last > path ? strndup(path, (size_t)(last - path)) : strdup(".");
	struct stat found;

	if (!folder)
		return error_set(error, ERROR_MEMORY, "no memory");
	place->directory = place_above_stdio(open(folder, O_PATH | O_DIRECTORY | O_CLOEXEC));
	free(folder);
	if (place->directory < 0)
		return error_set_errno(error, ERROR_IO, errno,
			"cannot open the directory of '%s'", place->shown);
	if (fstatat(place->directory, last, &found, AT_SYMLINK_NOFOLLOW) == 0 &&
		S_ISLNK(found.st_mode))
		return error_set(error, ERROR_VALUE,
			"'%s' is a symbolic link: name the file that it leads to",
			place->shown);
	snprintf(place->name, sizeof place->name, "/proc/self/fd/%d/%.255s", place->directory,
		last);
	return 0;
}

int place_init(struct place *place, const char *path, struct error *error)
{
	struct stat found, other;

	place_show(place, path);
	if (stat(path, &found) != 0)
		return error_set_errno(error, errno == ENOENT ? ERROR_MISSING : ERROR_IO, errno,
			"cannot open '%s'", place->shown);
	pthread_once(&register_once, register_vfs);
	place->vfs = vfs_name;
	if (register_status != SQLITE_OK)
		return error_set(error, ERROR_IO, "cannot open '%s': %s", place->shown,
			sqlite3_errstr(register_status));
	char *real = realpath(path, NULL);
	/* Not so where a path leads through /proc/PID/root, cwd or fd into another file system: their texts
	 * mean something else here. */
	bool same = real && stat(real, &other) == 0 && found.st_dev == other.st_dev &&
		    found.st_ino == other.st_ino;
	int status = 0;
	if (same && strlen(real) <= NAME_MAX_SQLITE)
		memcpy(place->name, real, strlen(real) + 1);
	else
		status = through_directory(place, same ? real : path, error);
	free(real);
	return status;
}

void place_without_log(struct place *place)
{
	place->vfs = writer_name;
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

/* ---- what reading and writing do alike with SQLite ---- */

/* Primary result codes (https://www.sqlite.org/rescode.html) that mean something to
 * users. */
static const struct {
	int result;
	enum error_code code;
} codes[] = {
	{SQLITE_BUSY, ERROR_BUSY},
	{SQLITE_LOCKED, ERROR_BUSY},
	{SQLITE_PROTOCOL, ERROR_BUSY},
	{SQLITE_NOMEM, ERROR_MEMORY},
	{SQLITE_CORRUPT, ERROR_FORMAT},
	{SQLITE_NOTADB, ERROR_FORMAT},
	{SQLITE_TOOBIG, ERROR_FORMAT},
	{SQLITE_PERM, ERROR_DENIED},
	{SQLITE_READONLY, ERROR_DENIED},
};

enum error_code sql_error_code(int result)
{
	for (size_t i = 0; i < sizeof codes / sizeof codes[0]; i++)
		if ((result & 0xff) == codes[i].result)
			return codes[i].code;
	return ERROR_IO;
}

int sql_failed(struct error *error, sqlite3 *db, int result, const char *doing,
	const struct place *place)
{
	int primary = result & 0xff, code = 0;

	/* The operating system's own word where there is one says more than "disk I/O error". */
	if (primary == SQLITE_FULL)
		code = ENOSPC;
	else if (db && (primary == SQLITE_IOERR || primary == SQLITE_CANTOPEN))
		code = sqlite3_system_errno(db);
	return error_set(error, sql_error_code(result), "cannot %s '%s': %s", doing,
		place->shown, code != 0 ? strerror(code) : sqlite3_errstr(result));
}

int sql_exec(sqlite3 *db, const char *statements)
{
	return sqlite3_exec(db, statements, NULL, NULL, NULL);
}
