/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/* place: see place.h. */
#include "agent/control/place.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/random.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include "agent/control/protocol.h"

static const char socket_name[] = PROTOCOL_SOCKET;

enum { BACKLOG = 32 };

/* The directory's path, while it is made. */
struct candidate {
	char path[sizeof(((struct sockaddr_un *)0)->sun_path)];
	bool made; /* was not there before */
};

static int refuse(const struct candidate *candidate, enum error_code code, const char *why,
	struct error *error)
{
	return error_set(error, code, "'%s' %s", candidate->path, why);
}

static int refuse_errno(
	const struct candidate *candidate, const char *what, struct error *error)
{
	return error_set_errno(error, ERROR_IO, errno, "cannot %s '%s'", what, candidate->path);
}

/* ---- the directory ---- */

/* random 0: the name that is looked for first. */
static int name_candidate(struct candidate *candidate, struct place *place, const char *root,
	pid_t pid, unsigned random, struct error *error)
{
	char *path = place->address.sun_path;
	size_t size = sizeof(place->address.sun_path);

	place->address.sun_family = AF_UNIX;
	if (random == 0)
		snprintf(candidate->path, size, "%s/" PROTOCOL_DIRECTORY, root, (long)pid);
	else
		snprintf(candidate->path, size, "%s/" PROTOCOL_DIRECTORY_OTHER, root, (long)pid,
			random);
	if ((size_t)snprintf(path, size, "%s/%s", candidate->path, socket_name) < size)
		return 0;
	return error_set(error, ERROR_VALUE, "the path '%s' is too long for a socket",
		error_subject(root).text);
}

/* ---- the socket ---- */

static int open_socket(const struct candidate *candidate, struct error *error)
{
	int descriptor = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);

	return descriptor >= 0 ? descriptor
			       : refuse_errno(candidate, "open a socket for", error);
}

/* Removes what a process of this pid left behind. */
static int remove_stale(
	const struct place *place, const struct candidate *candidate, struct error *error)
{
	struct stat status;
	int caller, result, reason;

	if (fstatat(place->directory, socket_name, &status, AT_SYMLINK_NOFOLLOW) != 0)
		return errno == ENOENT ? 0 : refuse_errno(candidate, "look into", error);
	if (!S_ISSOCK(status.st_mode))
		return refuse(
			candidate, ERROR_DENIED, "has a 'control' that is no socket", error);
	/* Stale is a socket at which no process listens. */
	caller = open_socket(candidate, error);
	if (caller < 0)
		return caller;
	result = connect(
		caller, (const struct sockaddr *)&place->address, sizeof(place->address));
	reason = errno;
	close(caller);
	if (result == 0 || (reason != ECONNREFUSED && reason != ENOENT))
		return refuse(candidate, ERROR_BUSY, "is used by another process", error);
	if (unlinkat(place->directory, socket_name, 0) != 0 && errno != ENOENT)
		return refuse_errno(candidate, "remove the old socket in", error);
	return 0;
}

/* Listens there. 0, or a negative code. */
static int bind_socket(struct place *place, const struct candidate *candidate, int listener,
	struct error *error)
{
	const struct sockaddr *address = (const struct sockaddr *)&place->address;
	struct stat status;

	if (bind(listener, address, sizeof(place->address)) != 0)
		return refuse_errno(candidate, "make a socket in", error);
	/* bind takes a path: whether that led into our directory is seen afterwards. */
	if (fstatat(place->directory, socket_name, &status, AT_SYMLINK_NOFOLLOW) != 0 ||
		!S_ISSOCK(status.st_mode) || status.st_uid != geteuid())
		return refuse(candidate, ERROR_BUSY, "was replaced meanwhile", error);
	place->device = status.st_dev;
	place->inode = status.st_ino;
	if (fchmodat(place->directory, socket_name, S_IRUSR | S_IWUSR, 0) != 0 ||
		listen(listener, BACKLOG) != 0)
		return refuse_errno(candidate, "listen in", error);
	return 0;
}

/* ---- both ---- */

/* Puts a socket into the directory, which has to be ours and closed to all others. The socket,
 * or a negative code. */
static int fill_directory(struct place *place, struct candidate *candidate, struct error *error)
{
	struct stat status;
	int result;

	if (fstat(place->directory, &status) != 0)
		return refuse_errno(candidate, "look at", error);
	if (status.st_uid != geteuid())
		return refuse(candidate, ERROR_DENIED, "belongs to another user", error);
	if (status.st_mode & (S_IRWXG | S_IRWXO))
		return refuse(candidate, ERROR_DENIED, "is open to other users", error);

	/* Processes of the same pid (in two namespaces) must not take each other's socket for a
	 * stale one before it listens. Unlocked at the end: children would inherit the lock. */
	if (flock(place->directory, LOCK_EX | LOCK_NB) != 0) {
		candidate->made = false; /* it is the other's now, which may not be in it yet */
		return refuse(candidate, ERROR_BUSY, "is used by another process", error);
	}
	result = remove_stale(place, candidate, error);
	if (result == 0)
		result = open_socket(candidate, error);
	if (result >= 0 && bind_socket(place, candidate, result, error) < 0) {
		close(result);
		result = -(int)error->code;
	}
	flock(place->directory, LOCK_UN);
	return result;
}

static int make_under(
	struct place *place, const char *root, pid_t pid, unsigned random, struct error *error)
{
	struct candidate candidate = {0};
	int status;

	*place = (struct place){.directory = -1};
	status = name_candidate(&candidate, place, root, pid, random, error);
	if (status < 0)
		return status;

	candidate.made = mkdir(candidate.path, S_IRWXU) == 0;
	if (!candidate.made && errno != EEXIST)
		return refuse_errno(&candidate, "make", error);
	place->directory =
		open(candidate.path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	/* With O_NOFOLLOW and O_DIRECTORY a symbolic link is ENOTDIR, or ELOOP. */
	if (place->directory >= 0)
		status = fill_directory(place, &candidate, error);
	else if (errno == ENOTDIR || errno == ELOOP)
		status = refuse(&candidate, ERROR_DENIED, "is there and no directory", error);
	else
		status = refuse_errno(&candidate, "open", error);
	if (status >= 0)
		return status;
	place_remove(place);
	if (candidate.made)
		rmdir(candidate.path);
	return status;
}

static int make_somewhere(struct place *place, const char *const *roots, pid_t pid,
	unsigned random, struct error *error)
{
	struct error all = {0};
	size_t used = 0;

	for (; *roots; roots++) {
		struct error one = {0};
		int listener = make_under(place, *roots, pid, random, &one);

		if (listener >= 0)
			return listener;
		all.code = one.code;
		if (used < sizeof(all.text))
			used += (size_t)snprintf(all.text + used, sizeof(all.text) - used,
				"%s%s", used ? "; " : "", one.text);
	}
	return error_set(error, all.code, "no place for a control socket: %s", all.text);
}

int place_make(struct place *place, const char *const *roots, pid_t pid, struct error *error)
{
	struct error usual = {0}, ignored = {0};
	unsigned random = 0;
	int listener = make_somewhere(place, roots, pid, 0, &usual);

	if (listener < 0 &&
		getrandom(&random, sizeof(random), GRND_NONBLOCK) == (ssize_t)sizeof(random))
		listener = make_somewhere(place, roots, pid, random | 1, &ignored);
	return listener >= 0 ? listener : error_set(error, usual.code, "%s", usual.text);
}

void place_remove(struct place *place)
{
	char *end = strrchr(place->address.sun_path, '/');
	struct stat status;

	if (place->directory < 0)
		return;
	if (fstatat(place->directory, socket_name, &status, AT_SYMLINK_NOFOLLOW) == 0 &&
		place->inode != 0 && status.st_dev == place->device &&
		status.st_ino == place->inode)
		unlinkat(place->directory, socket_name, 0);
	if (place->inode != 0 && end) {
		/* ROOT/.jprof-PID: rmdir refuses what is not empty, and symbolic links. */
		*end = '\0';
		rmdir(place->address.sun_path);
		*end = '/';
	}
	close(place->directory);
	place->directory = -1;
}
