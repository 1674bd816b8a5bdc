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

/* ---- who writes it ---- */

/* The file's device as the kernel lists it: that of its mount. What stat(2) calls it may be another one
 * (btrfs). */
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
		while (fgets(line, sizeof(line), mounts) != NULL)
			if (sscanf(line, "%llu %*u %u:%u ", &id, &major, &minor) == 3 &&
				id == mounted.stx_mnt_id)
				device = makedev(major, minor);
	fclose(mounts);
	return device;
}

/* "3: FLOCK  ADVISORY  WRITE 4711 fe:00:10969804 0 EOF" (proc_locks(5)): the pid, or 0 if that is no
 * such lock on the file. */
static long holder_of(const char *line, dev_t device, ino_t file)
{
	unsigned long long inode;
	unsigned major, minor;
	long pid;

	if (sscanf(line, "%*u: FLOCK ADVISORY WRITE %ld %x:%x:%llu", &pid, &major, &minor,
		    &inode) != 4 ||
		makedev(major, minor) != device || inode != (unsigned long long)file ||
		pid <= 0)
		return 0;
	return pid;
}

static bool is_same(const struct stat *one, const struct stat *other)
{
	return one->st_dev == other->st_dev && one->st_ino == other->st_ino;
}

static int refuse_other(const struct target *target, struct error *error)
{
	return error_set(error, ERROR_DENIED,
		"process %ld holds it, but does not say that it records into it",
		(long)target->pid);
}

/* The file that the process names, as it sees it. */
static int check_named(const struct target *target, const json_t *result,
	const struct stat *file, struct error *error)
{
	const char *named = json_string_value(json_object_get(result, "file"));
	int held = named && named[0] == '/'
			   ? target_open_path(target, named, O_PATH | O_NOFOLLOW)
			   : -1;
	struct stat status;
	bool same = held >= 0 && fstat(held, &status) == 0 && is_same(&status, file);

	if (held >= 0)
		close(held);
	return same ? 0 : refuse_other(target, error);
}

static int check_library(const struct target *target, struct error *error)
{
	struct jvm_maps maps;
	int failed = jvm_maps_read(target, &maps, error);

	if (failed != 0)
		return failed;
	if (!maps.agent)
		failed = refuse_other(target, error);
	jvm_maps_fini(&maps);
	return failed;
}

static int ask_flush(const struct target *target, const struct stat *file, struct error *error)
{
	struct control control;
	json_t *result = NULL;
	int failed = control_open(&control, target, error);

	if (failed == 0)
		failed = control_ask(&control, "flush", NULL, &result, error);
	if (failed == 0)
		failed = check_named(target, result, file, error);
	json_decref(result);
	control_close(&control);
	return failed;
}

static int refresh(long pid, const struct stat *file, struct error *error)
{
	struct target target;
	int failed = target_open(&target, (pid_t)pid, error);

	if (failed != 0)
		return failed;
	failed = check_library(&target, error);
	if (failed == 0)
		failed = ask_flush(&target, file, error);
	target_close(&target);
	return failed;
}

/* ---- how old it is ---- */

static double seconds_since(const struct timespec *then)
{
	struct timespec now;
	double age;

	clock_gettime(CLOCK_REALTIME, &now);
	age = (double)(now.tv_sec - then->tv_sec) + (double)(now.tv_nsec - then->tv_nsec) / 1e9;
	return age > 0 ? age : 0;
}

void live_profile_refresh(const char *path, struct live_profile *live)
{
	FILE *locks = fopen("/proc/locks", "re");
	struct stat file;
	dev_t device;
	char line[256];

	*live = (struct live_profile){0};
	if (!locks || stat(path, &file) != 0 || !S_ISREG(file.st_mode)) {
		if (locks)
			fclose(locks);
		return;
	}
	device = listed_device(path, &file);
	while (!live->is_fresh && fgets(line, sizeof(line), locks) != NULL) {
		long pid = holder_of(line, device, file.st_ino);

		if (pid == 0)
			continue;
		live->pid = pid;
		live->why = (struct error){0};
		live->is_fresh = refresh(pid, &file, &live->why) == 0;
	}
	fclose(locks);
	live->age = live->is_fresh ? 0 : seconds_since(&file.st_mtim);
}
