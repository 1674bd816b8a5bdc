/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/*
 * agent_library: finds the library, and copies it to where another mount namespace, or a
 * user who may not read ours, can have it.
 *
 * A copy is ROOT/.jprof-PID/libjprof-HASH.so, made as the target's user under another
 * name and renamed when it is whole: what loads that name gets all of it.
 */
#include "cli/attach/agent_library.h"

#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include "agent/control/protocol.h"
#include "cli/attach/control_client.h"

#define LIBRARY "libjprof.so"

/* ---- for this program ---- */

bool own_file_find(char found[PATH_MAX], char folder[PATH_MAX], const char *name,
	const char *const *places)
{
	char path[PATH_MAX + 64];
	ssize_t length = readlink("/proc/self/exe", folder, PATH_MAX - 1);

	folder[length > 0 ? length : 0] = '\0';
	if (length <= 0)
		return false;
	*strrchr(folder, '/') = '\0';
	for (; *places; places++) {
		snprintf(path, sizeof(path), "%s/%s/%s", folder, *places, name);
		if (realpath(path, found))
			return true;
	}
	return false;
}

void *file_map(int file, size_t *size)
{
	struct stat status;
	void *bytes = MAP_FAILED;
	int reason;

	if (file < 0)
		return NULL;
	if (fstat(file, &status) == 0 && S_ISREG(status.st_mode)) {
		*size = (size_t)status.st_size;
		bytes = mmap(NULL, *size, PROT_READ, MAP_PRIVATE, file, 0);
	}
	reason = errno;
	close(file);
	errno = reason;
	return bytes != MAP_FAILED ? bytes : NULL;
}

int agent_library_find(char library[PATH_MAX], struct error *error)
{
	static const char *const places[] = {".", "../" JPROF_LIBDIR, "../lib", NULL};
	char folder[PATH_MAX];

	if (own_file_find(library, folder, LIBRARY, places))
		return 0;
	if (folder[0] == '\0')
		return error_set_errno(error, ERROR_IO, errno, "cannot read '/proc/self/exe'");
	return error_set(error, ERROR_MISSING,
		"cannot find " LIBRARY " beside jprof in '%s', nor in ../lib", folder);
}

int agent_library_option(char **option, const char *options, struct error *error)
{
	char library[PATH_MAX];
	int failed = agent_library_find(library, error);

	if (failed != 0)
		return failed;
	/* The JVM takes the first '=' for the end of the path. */
	if (strchr(library, '='))
		return error_set(error, ERROR_VALUE,
			"the JVM cannot load an agent whose path contains '=': '%s'; move it",
			library);
	if (asprintf(option, "-agentpath:%s%s%s", library, options ? "=" : "",
		    options ? options : "") >= 0)
		return 0;
	*option = NULL;
	return error_set(error, ERROR_MEMORY, "no memory");
}

/* ---- a copy ---- */

/* The library's bytes, as they are mapped here. Embedded. */
struct image {
	unsigned char *bytes;
	size_t size;
	char name[40]; /* of its copies */
};

static int image_open(struct image *image, const char *library, struct error *error)
{
	/* FNV-1a, 64 bits: tells versions apart, not forgeries (the directory does that). */
	uint64_t hash = UINT64_C(0xcbf29ce484222325);

	image->bytes = file_map(open(library, O_RDONLY | O_CLOEXEC), &image->size);
	if (!image->bytes)
		return error_set_errno(error, ERROR_IO, errno, "cannot read '%s'", library);
	for (size_t i = 0; i < image->size; i++)
		hash = (hash ^ image->bytes[i]) * UINT64_C(0x100000001b3);
	snprintf(image->name, sizeof(image->name), "libjprof-%016llx.so",
		(unsigned long long)hash);
	return 0;
}

/* A file of that name is there, the target's own, and holds the same bytes. */
static bool has_copy(const struct target *target, int directory, const struct image *image)
{
	int file =
		openat(directory, image->name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
	struct stat status = {0};
	bool is_own = file >= 0 && fstat(file, &status) == 0 && status.st_uid == target->uid &&
		      (status.st_mode & 022) == 0;
	bool is_same;
	size_t size;
	void *bytes = file_map(file, &size);

	if (!bytes)
		return false;
	is_same = is_own && size == image->size && memcmp(bytes, image->bytes, size) == 0;
	munmap(bytes, size);
	return is_same;
}

/* 0, or -1 with errno; then nothing is left behind. */
static int write_copy(int directory, const struct image *image)
{
	char part[32];
	size_t done = 0;
	int file, reason = 0;

	snprintf(part, sizeof(part), "part-%ld", (long)getpid());
	file = openat(
		directory, part, O_CREAT | O_EXCL | O_NOFOLLOW | O_WRONLY | O_CLOEXEC, 0500);
	if (file < 0)
		return -1;
	while (done < image->size && reason == 0) {
		ssize_t wrote = write(file, image->bytes + done, image->size - done);

		if (wrote > 0)
			done += (size_t)wrote;
		else if (wrote == 0 || errno != EINTR)
			reason = wrote == 0 ? EIO : errno;
	}
	if (close(file) != 0 && reason == 0)
		reason = errno;
	if (reason == 0 && renameat(directory, part, directory, image->name) == 0)
		return 0;
	if (reason == 0)
		reason = errno;
	unlinkat(directory, part, 0);
	errno = reason;
	return -1;
}

/* The directory of the target's of that name, made if it is not there. A descriptor, or
 * -1 with errno. */
static int own_directory(const struct target *target, int parent, const char *name)
{
	struct stat status;
	int directory;

	if (mkdirat(parent, name, 0700) != 0 && errno != EEXIST)
		return -1;
	directory = openat(parent, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	if (directory < 0)
		return -1;
	if (fstat(directory, &status) == 0 && status.st_uid == target->uid &&
		(status.st_mode & 077) == 0)
		return directory;
	close(directory);
	errno = EPERM;
	return -1;
}

/* As the target's user. 0, or -1 with errno. name: the directory's. */
static int copy_below(const struct target *target, const char *root, const struct image *image,
	const char *name)
{
	int parent = target_open_path(target, root, O_RDONLY | O_DIRECTORY), directory = -1;
	int failed = -1, reason = EACCES;
	struct statvfs system;

	/* Files below it may be loaded. */
	if (parent >= 0 && fstatvfs(parent, &system) == 0 &&
		(system.f_flag & (ST_NOEXEC | ST_RDONLY)) == 0) {
		directory = own_directory(target, parent, name);
		if (directory >= 0)
			failed = has_copy(target, directory, image)
					 ? 0
					 : write_copy(directory, image);
		reason = errno;
		if (directory >= 0 && failed != 0)
			unlinkat(parent, name, AT_REMOVEDIR); /* if it is empty */
	}
	if (directory >= 0)
		close(directory);
	if (parent >= 0)
		close(parent);
	errno = reason;
	return failed;
}

/* Into the directory of that name, below the first root where that is possible. */
static int copy_somewhere(const struct target *target, const struct image *image,
	const char *name, char **path, struct error *error)
{
	int failed, reason = 0;

	for (size_t i = 0; protocol_roots[i]; i++) {
		target_become(target);
		failed = copy_below(target, protocol_roots[i], image, name);
		reason = reason == 0 ? errno : reason;
		target_unbecome();
		if (failed != 0)
			continue;
		if (asprintf(path, "%s/%s/%s", protocol_roots[i], name, image->name) >= 0)
			return 0;
		return error_set(error, ERROR_MEMORY, "no memory");
	}
	return error_set_errno(error, ERROR_IO, reason,
		"process %ld cannot see " LIBRARY ", and a copy cannot be made in its '/tmp', "
		"'/dev/shm' or '/var/tmp'",
		(long)target->pid);
}

/* A copy beside the agent's socket, or, where others have made all of these directories, in one
 * of a name that they cannot foresee. */
static int place_copy(
	const struct target *target, const char *library, char **path, struct error *error)
{
	struct control_name name = control_directory(target);
	struct error ignored = {0};
	struct image image;
	unsigned random = 0;
	int failed = image_open(&image, library, error);

	if (failed != 0)
		return failed;
	failed = copy_somewhere(target, &image, name.text, path, &ignored);
	if (failed != 0) {
		/* Where others were not in the way this fails, too, and leaves nothing
		 * behind. */
		if (getrandom(&random, sizeof(random), GRND_NONBLOCK) ==
			(ssize_t)sizeof(random))
			snprintf(name.text, sizeof(name.text), PROTOCOL_DIRECTORY_OTHER,
				(long)target->inner_pid, random);
		failed = copy_somewhere(target, &image, name.text, path, error);
	}
	munmap(image.bytes, image.size);
	return failed;
}

int agent_library_place(const struct target *target, const struct jvm_maps *maps,
	const char *library, char **path, struct error *error)
{
	struct stat here, there;
	bool is_seen = maps->agent;
	int file = is_seen ? -1 : target_open_file(target, library);

	/* The target can open that path, and finds there what we find here. */
	if (file >= 0) {
		is_seen = stat(library, &here) == 0 && fstat(file, &there) == 0 &&
			  here.st_dev == there.st_dev && here.st_ino == there.st_ino;
		close(file);
	}
	if (!is_seen)
		return place_copy(target, library, path, error);
	*path = strdup(maps->agent ? maps->agent : library);
	return *path ? 0 : error_set(error, ERROR_MEMORY, "no memory");
}
