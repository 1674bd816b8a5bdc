/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/* claim: see claim.h. */
#include "profile/claim.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "profile/profile_write.h"
#include "profile/schema.h"

/* How often a file may come and go while it is opened. */
#define OPEN_TRIES 10

/* A file name of SQLite's plus "-journal" must fit into NAME_MAX. */
#define LAST_NAME_MAX (NAME_MAX - 8)

const char *const claim_files[CLAIM_FILES] = {"", "-wal", "-shm", "-journal"};

/* False: it was removed or renamed, or its folder. */
bool claim_has_name(const struct claim *claim)
{
	struct stat ours, named;

	return fstat(claim->lock, &ours) == 0 && stat(claim->place.name, &named) == 0 &&
	       ours.st_dev == named.st_dev && ours.st_ino == named.st_ino;
}

/* --- what is there --- */

/* Of a file that is there. In a folder that others can write to they may have put it
 * there: what a link leads to, and what is theirs, stays as it is. */
static int check_found(
	const struct claim *claim, const struct stat *status, struct error *error)
{
	if (S_ISLNK(status->st_mode))
		return error_set(error, ERROR_VALUE,
			"cannot write '%s': it is a symbolic link; name the file that it "
			"leads to",
			claim->place.shown);
	if (!S_ISREG(status->st_mode))
		return error_set(error, ERROR_IO, "cannot write '%s': %s", claim->place.shown,
			S_ISDIR(status->st_mode) ? "Is a directory" : "Not a regular file");
	if (status->st_uid == geteuid())
		return 0;
	return error_set(error, ERROR_DENIED,
		"cannot write '%s': it is there, and belongs to user %ld; remove it, or "
		"name another file",
		claim->place.shown, (long)status->st_uid);
}

/* Opens the file that is there, or makes one; in between it may come, or go. What is there is looked at
 * before, too: opening a FIFO or a device can wait or have effects. */
static int open_file(struct claim *claim, const char *path, mode_t mode, struct error *error)
{
	const int flags = O_RDWR | O_CLOEXEC | O_NOCTTY | O_NONBLOCK | O_NOFOLLOW;
	const char *slash = strrchr(path, '/');
	struct stat status;
	int file = -1, found = 0;

	if (strlen(slash ? slash + 1 : path) > LAST_NAME_MAX)
		return error_set(error, ERROR_IO,
			"cannot write '%s': the file's name is longer than %d bytes",
			claim->place.shown, LAST_NAME_MAX);
	if (lstat(path, &status) == 0)
		found = check_found(claim, &status, error);
	if (found < 0)
		return found;

	for (int i = 0; i < OPEN_TRIES && file < 0; i++) {
		file = open(path, flags);
		claim->created = file < 0 && errno == ENOENT;
		if (claim->created)
			file = open(path, flags | O_CREAT | O_EXCL, mode);
		if (file < 0 && errno != EEXIST)
			break;
	}
	claim->lock = place_above_stdio(file);
	if (claim->lock >= 0 && claim->created) {
		/* Beyond the umask; some file systems know neither modes nor users. */
		(void)!fchmod(claim->lock, mode);
		return 0;
	}
	if (claim->lock >= 0 && fstat(claim->lock, &status) == 0)
		return check_found(claim, &status, error);
	return error_set_errno(error,
		errno == EACCES || errno == EPERM || errno == EROFS ? ERROR_DENIED : ERROR_IO,
		errno, "cannot write '%s'", claim->place.shown);
}

/* File systems that know no locks are used without one. */
static int lock_file(struct claim *claim, struct error *error)
{
	unsigned char header[SCHEMA_HEADER_BYTES];
	ssize_t bytes;

	if (flock(claim->lock, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK)
		return error_set(error, ERROR_BUSY,
			"cannot write '%s': a running JVM is writing this profile",
			claim->place.shown);
	bytes = pread(claim->lock, header, sizeof header, 0);
	if (bytes < 0)
		return error_set_errno(
			error, ERROR_IO, errno, "cannot read '%s'", claim->place.shown);
	if (bytes == 0 || schema_header_kind(header, (size_t)bytes) == HEADER_PROFILE)
		return 0;
	return error_set(error, ERROR_FORMAT,
		"cannot write '%s': it exists and is not a jprof profile", claim->place.shown);
}

/* Emptied first: SQLite ignores and removes side files of an empty file, so a death in
 * between harms nothing. */
int claim_clear(struct claim *claim, struct error *error)
{
	char path[PATH_MAX];

	if (ftruncate(claim->lock, 0) < 0)
		return error_set_errno(
			error, ERROR_IO, errno, "cannot empty '%s'", claim->place.shown);
	for (int i = 1; i < CLAIM_FILES; i++) {
		place_beside(&claim->place, claim_files[i], path);
		if (unlink(path) != 0 && errno != ENOENT)
			return error_set_errno(error, ERROR_DENIED, errno,
				"cannot write '%s': '%s%s' is in its way, and cannot be "
				"removed",
				claim->place.shown, claim->place.shown, claim_files[i]);
	}
	return 0;
}

int claim_failed(const struct claim *claim, struct sqlite3 *db, int result, const char *doing,
	struct error *error)
{
	if (claim_has_name(claim))
		return sql_failed(error, db, result, doing, &claim->place);
	return error_set(error, ERROR_IO,
		"cannot %s '%s': the file was removed or renamed since it was begun", doing,
		claim->place.shown);
}

/* --- an older profile, set aside --- */

static const char older[] = "-older";

static void path_of(const struct place *place, const char *end, int i, char *path)
{
	char whole[32];

	snprintf(whole, sizeof whole, "%s%s", end, claim_files[i]);
	place_beside(place, whole, path);
}

/* Gives one of the files another end; there is none of that end if this one is not there.
 */
static bool rename_one(const struct place *place, const char *from, const char *to, int i)
{
	char source[PATH_MAX], target[PATH_MAX];

	path_of(place, from, i, source);
	path_of(place, to, i, target);
	if (rename(source, target) == 0)
		return true;
	if (errno != ENOENT)
		return false;
	unlink(target);
	return true;
}

/* False: they have the ends that they had. */
static bool rename_all(const struct place *place, const char *from, const char *to)
{
	int i = 0;

	while (i < CLAIM_FILES && rename_one(place, from, to, i))
		i++;
	if (i == CLAIM_FILES)
		return true;
	while (i-- > 0)
		rename_one(place, to, from, i);
	return false;
}

/* To others it is as that one is. */
static void be_alike(int file, const struct stat *other)
{
	if (fchown(file, other->st_uid, other->st_gid) == 0 || errno == EPERM)
		fchmod(file, other->st_mode & 0777);
}

/* Where the folder does not allow it the older profile is replaced, as it is without. */
static int set_aside(struct claim *claim, struct error *error)
{
	struct stat status;
	int file;

	if (fstat(claim->lock, &status) < 0 || status.st_size == 0 ||
		!rename_all(&claim->place, "", older))
		return 0;
	claim->aside = true;
	file = place_above_stdio(open(
		claim->place.name, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC | O_NOCTTY, 0600));
	if (file < 0)
		return error_set_errno(
			error, ERROR_IO, errno, "cannot write '%s'", claim->place.shown);
	be_alike(file, &status);
	close(claim->lock);
	claim->lock = file;
	claim->created = true;
	return lock_file(claim, error);
}

static void put_back(struct claim *claim)
{
	if (claim->aside)
		rename_all(&claim->place, older, "");
	claim->aside = false;
}

/* --- another file in its place --- */

/* A name that is not shown, and that no user gives to a profile. */
static void path_of_copy(const struct place *place, char path[PATH_MAX])
{
	char *slash, *last;

	place_beside(place, "-copy", path);
	slash = strrchr(path, '/');
	last = slash ? slash + 1 : path;
	memmove(last + 1, last, strlen(last) + 1);
	*last = '.';
}

/* What a killed JVM was about to make: a profile of this user, or empty, which nobody writes. */
static bool is_left_behind(int file)
{
	unsigned char header[SCHEMA_HEADER_BYTES];
	struct stat status;
	ssize_t bytes;

	if (fstat(file, &status) < 0 || !S_ISREG(status.st_mode) ||
		status.st_uid != geteuid() ||
		(flock(file, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK))
		return false;
	bytes = pread(file, header, sizeof header, 0);
	return bytes == 0 ||
	       (bytes > 0 && schema_header_kind(header, (size_t)bytes) == HEADER_PROFILE);
}

static void remove_copy(const struct claim *claim)
{
	char path[PATH_MAX];
	int file;

	path_of_copy(&claim->place, path);
	file = place_above_stdio(
		open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK | O_NOFOLLOW));
	if (file < 0)
		return;
	if (is_left_behind(file))
		unlink(path);
	close(file);
}

int claim_copy(const struct claim *claim, struct claim *copy, struct error *error)
{
	char path[PATH_MAX];
	struct stat status;

	*copy = (struct claim){.place = claim->place, .lock = -1};
	copy->place.directory = -1; /* the original's */
	path_of_copy(&claim->place, path);
	snprintf(copy->place.name, sizeof copy->place.name, "%.*s",
		(int)sizeof copy->place.name - 1, path);
	remove_copy(claim);
	copy->lock = place_above_stdio(
		open(copy->place.name, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC | O_NOCTTY, 0600));
	if (copy->lock < 0)
		return error_set_errno(error,
			errno == EACCES || errno == EPERM || errno == EROFS ? ERROR_DENIED
									    : ERROR_IO,
			errno, "cannot write a copy beside '%s'", claim->place.shown);
	copy->created = true;
	if (fstat(claim->lock, &status) == 0)
		be_alike(copy->lock, &status);
	return lock_file(copy, error);
}

int claim_replace(struct claim *claim, struct claim *copy, struct error *error)
{
	char path[PATH_MAX];

	if (!claim_has_name(claim) || !claim_has_name(copy))
		return claim_failed(
			claim_has_name(claim) ? copy : claim, NULL, 0, "write", error);
	/* SQLite would undo in the new file what others left undone in the old one. */
	for (int i = 1; i < CLAIM_FILES; i++) {
		place_beside(&claim->place, claim_files[i], path);
		unlink(path);
	}
	if (rename(copy->place.name, claim->place.name) != 0)
		return error_set_errno(
			error, ERROR_IO, errno, "cannot write '%s'", claim->place.shown);
	close(claim->lock);
	claim->lock = copy->lock;
	copy->lock = -1;
	return 0;
}

/* --- the whole --- */

static int take(struct claim *claim, const char *path, const struct profile_creation *creation,
	struct error *error)
{
	mode_t mode = S_IRUSR | S_IWUSR | (creation ? creation->readers : 0);
	int status = open_file(claim, path, mode, error);

	if (status == 0)
		status = lock_file(claim, error);
	if (status == 0)
		status = place_init(&claim->place, path, error);
	if (status < 0)
		return status;
	place_without_log(&claim->place);
	/* What SQLite will open is what was opened here: the folder may be others', too. */
	if (!claim_has_name(claim))
		return error_set(error, ERROR_IO, "cannot write '%s': it was replaced just now",
			claim->place.shown);
	if (creation && creation->set_aside)
		status = set_aside(claim, error);
	if (status == 0)
		status = claim_clear(claim, error);
	if (status == 0)
		remove_copy(claim);
	else if (claim->created)
		claim_discard(claim);
	return status;
}

int claim_take(struct claim *claim, const char *path, const struct profile_creation *creation,
	struct error *error)
{
	int status;

	*claim = (struct claim){.lock = -1};
	place_show(&claim->place, path);
	status = take(claim, path, creation, error);
	if (status < 0)
		put_back(claim);
	return status;
}

void claim_keep(struct claim *claim)
{
	char path[PATH_MAX];

	for (int i = 0; i < CLAIM_FILES && claim->aside; i++) {
		path_of(&claim->place, older, i, path);
		unlink(path);
	}
	claim->aside = false;
}

void claim_discard(struct claim *claim)
{
	claim_clear(claim, NULL);
	if (claim->aside)
		put_back(claim);
	else
		unlink(claim->place.name);
}

void claim_fini(struct claim *claim)
{
	place_fini(&claim->place);
	if (claim->lock >= 0)
		close(claim->lock);
	claim->lock = -1;
}
