/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/* live_profile: see live_profile.h. */
#include "cli/record/live_profile.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <time.h>
#include <unistd.h>

#include "cli/attach/control_client.h"
#include "cli/attach/jvm_facts.h"

/* How often a file is looked at that is replaced meanwhile. */
enum { TRIES = 10 };

/* The file's device as the kernel lists it: that of its mount. What stat(2) calls it may be
 * another one (btrfs). */
static dev_t listed_device(const char *path, const struct stat *file)
{
	FILE *mounts = fopen("/proc/self/mountinfo", "re");
	dev_t device = file->st_dev;
	unsigned long long id;
	unsigned major, minor;
	struct statx mounted;
	char line[4096];

	if (!mounts)
		return device;
	if (statx(AT_FDCWD, path, 0, STATX_MNT_ID, &mounted) == 0 &&
		(mounted.stx_mask & STATX_MNT_ID) != 0)
		while (fgets(line, sizeof(line), mounts))
			if (sscanf(line, "%llu %*u %u:%u ", &id, &major, &minor) == 3 &&
				id == mounted.stx_mnt_id)
				device = makedev(major, minor);
	fclose(mounts);
	return device;
}

bool live_profile_is(const struct target *target, const char *name, const struct stat *file)
{
	int held = name && name[0] == '/' ? target_open_path(target, name, O_PATH | O_NOFOLLOW)
					  : -1;
	struct stat status;
	bool is_same = held >= 0 && fstat(held, &status) == 0 &&
		       status.st_dev == file->st_dev && status.st_ino == file->st_ino;

	if (held >= 0)
		close(held);
	return is_same;
}

/* True if the answer to `flush` names the file as that of a session. */
static bool names_file(
	const struct target *target, const json_t *result, const struct stat *file)
{
	const json_t *files = json_object_get(result, "files"), *name;
	size_t i;

	json_array_foreach(files, i, name)
	{
		if (live_profile_is(target, json_string_value(name), file))
			return true;
	}
	return live_profile_is(
		target, json_string_value(json_object_get(result, "file")), file);
}

/* Asks the process to bring the file up to date. It must have jprof's library, and name this
 * very file, as it sees it. Of a session that is not alone the file is a new one then. */
static int refresh(long pid, const char *path, struct error *error)
{
	struct stat file;
	struct target target;
	struct jvm_maps maps = {0};
	struct control control = {.descriptor = -1};
	json_t *result = NULL;
	int failed = target_open(&target, (pid_t)pid, error);

	if (failed != 0)
		return failed;
	failed = jvm_maps_read(&target, &maps, error);
	if (maps.agent)
		failed = control_open(&control, &target, error);
	if (failed == 0 && maps.agent)
		failed = control_ask(&control, "flush", NULL, &result, error);
	jvm_maps_fini(&maps);
	if (failed == 0 && (stat(path, &file) != 0 || !names_file(&target, result, &file)))
		failed = error_set(error, ERROR_DENIED,
			"process %ld holds it, but does not say that it records into it", pid);
	json_decref(result);
	control_close(&control);
	target_close(&target);
	return failed;
}

/* Finds who holds the lock of that file, and asks. */
static void ask_holder(const char *path, const struct stat *file, struct live_profile *live)
{
	FILE *locks = fopen("/proc/locks", "re");
	dev_t device = listed_device(path, file);
	char line[256];

	if (!locks)
		return;
	while (!live->is_fresh && fgets(line, sizeof(line), locks)) {
		unsigned long long inode;
		unsigned major, minor;
		long pid;

		/* "3: FLOCK  ADVISORY  WRITE 4711 fe:00:10969804 0 EOF" (proc_locks(5)) */
		if (sscanf(line, "%*u: FLOCK ADVISORY WRITE %ld %x:%x:%llu", &pid, &major,
			    &minor, &inode) != 4 ||
			makedev(major, minor) != device || inode != file->st_ino || pid <= 0)
			continue;
		live->pid = pid;
		live->why = (struct error){0};
		live->is_fresh = refresh(pid, path, &live->why) == 0;
	}
	fclose(locks);
}

/* The profile of a session that is not alone is replaced by each of its copies: a file that nobody holds may be the one of
 * before. While that is open no other file gets its number. */
static bool is_replaced(const char *path, const struct stat *file)
{
	struct stat now;

	return stat(path, &now) == 0 &&
	       (now.st_dev != file->st_dev || now.st_ino != file->st_ino);
}

void live_profile_refresh(const char *path, struct live_profile *live)
{
	int descriptor = -1;
	unsigned tries = 0;
	struct timespec now;
	struct stat file;

	*live = (struct live_profile){0};
	do {
		if (descriptor >= 0)
			close(descriptor);
		descriptor = open(path, O_PATH | O_CLOEXEC);
		if (fstat(descriptor, &file) != 0 || !S_ISREG(file.st_mode)) {
			close(descriptor);
			return;
		}
		ask_holder(path, &file, live);
	} while (live->pid == 0 && is_replaced(path, &file) && ++tries < TRIES);
	close(descriptor);
	stat(path, &file);
	clock_gettime(CLOCK_REALTIME, &now);
	live->age = (double)(now.tv_sec - file.st_mtim.tv_sec) +
		    (double)(now.tv_nsec - file.st_mtim.tv_nsec) / 1e9;
	if (live->is_fresh || live->age < 0)
		live->age = 0;
}
