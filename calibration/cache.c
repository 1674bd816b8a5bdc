/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/* cache: see cache.h. */
#include "calibration/cache.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "calibration/calibration_file.h"

#define FOLDER "/jprof"

/* Seconds that a failure is remembered. */
enum { FAILURE_AGE = 3600 };

/* A folder that is not absolute does not count (XDG base directory specification). Owned by the
 * caller. */
static char *folder_path(void)
{
	const char *cache = secure_getenv("XDG_CACHE_HOME"), *home = secure_getenv("HOME");
	char *path = NULL;
	int made = -1;

	if (cache && cache[0] == '/')
		made = asprintf(&path, "%s" FOLDER, cache);
	else if (home && home[0] == '/')
		made = asprintf(&path, "%s/.cache" FOLDER, home);
	return made < 0 ? NULL : path;
}

/* Owned by the caller. */
static char *path_of(const struct identity *identity, const char *kind)
{
	char *folder = folder_path(), *path = NULL;

	if (folder && asprintf(&path, "%s/calibration-%016" PRIx64 ".%s", folder,
			      identity_hash(identity), kind) < 0)
		path = NULL;
	free(folder);
	return path;
}

char *cache_path(const struct identity *identity)
{
	return path_of(identity, "json");
}

static int none(struct error *error)
{
	return error_set(error, ERROR_MISSING, "no calibration is kept for this JVM and machine");
}

int cache_read(struct calibration **calibration, char **text,
	const struct identity *identity, struct error *error)
{
	struct error different = {0};
	char *path = cache_path(identity);
	int failed;

	*calibration = NULL;
	if (text)
		*text = NULL;
	if (!path)
		return none(error);
	/* A program that gave up its rights may have the home of another user. */
	if (access(path, R_OK) < 0 &&
		(errno == ENOENT || errno == ENOTDIR || errno == EACCES)) {
		free(path);
		return none(error);
	}
	failed = calibration_load(calibration, text, path, error);
	if (!failed && identity_compare(&(*calibration)->identity, identity,
			       calibration_subject(path).text, &different) != 0) {
		calibration_destroy(*calibration);
		*calibration = NULL;
		if (text) {
			free(*text);
			*text = NULL;
		}
		failed = none(error);
	}
	free(path);
	return failed;
}

/* Makes all folders on the way, "path" being a file. */
static int make_folders(char *path, struct error *error)
{
	for (char *slash = path + 1; (slash = strchr(slash, '/')) != NULL; slash++) {
		int made;

		*slash = '\0';
		made = mkdir(path, 0700);
		*slash = '/';
		if (made < 0 && errno != EEXIST)
			return error_set_errno(error, ERROR_IO, errno,
				"cannot make the folder of '%s'", error_subject(path).text);
	}
	return 0;
}

static int no_home(struct error *error)
{
	return error_set(error, ERROR_MISSING,
		"no folder to keep a calibration in: HOME is not set");
}

static void forget_failure(const struct identity *identity)
{
	char *path = path_of(identity, "failed");

	if (path)
		unlink(path);
	free(path);
}

int cache_write(const struct calibration *calibration, struct error *error)
{
	char *path = cache_path(&calibration->identity);
	int failed;

	if (!path)
		return no_home(error);
	failed = make_folders(path, error);
	if (!failed)
		failed = calibration_save(calibration, path, error);
	if (!failed)
		forget_failure(&calibration->identity);
	free(path);
	return failed;
}

/* ---- for those who measure one unasked ---- */

/* A lock that cannot be had for another reason than that it is taken (no such thing on this file
 * system) is done without. */
static int take_lock(const char *path, bool *is_taken, struct error *error)
{
	int file = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0600);

	if (file < 0)
		return error_set_errno(error, ERROR_IO, errno, "cannot write '%s'",
			error_subject(path).text);
	*is_taken = flock(file, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK;
	if (*is_taken)
		close(file);
	return *is_taken ? -1 : file;
}

int cache_lock(bool *is_taken, struct error *error)
{
	char *folder = folder_path(), *path = NULL;
	int file;

	*is_taken = false;
	if (!folder || asprintf(&path, "%s/measuring", folder) < 0) {
		free(folder);
		return no_home(error);
	}
	file = make_folders(path, error);
	if (file == 0)
		file = take_lock(path, is_taken, error);
	free(folder);
	free(path);
	return file;
}

void cache_note_failure(const struct identity *identity, const char *why)
{
	char *path = path_of(identity, "failed");
	FILE *file = path && make_folders(path, NULL) == 0 ? fopen(path, "we") : NULL;

	if (file) {
		fprintf(file, "%s\n", why);
		fclose(file);
	}
	free(path);
}

static bool is_recent(FILE *file)
{
	struct timespec now;
	struct stat status;
	time_t age;

	if (fstat(fileno(file), &status) < 0 || !S_ISREG(status.st_mode))
		return false;
	/* Not time(3): what that says may be some milliseconds behind what files have (Linux 6.13). */
	clock_gettime(CLOCK_REALTIME, &now);
	age = now.tv_sec - status.st_mtime;
	return age >= 0 && age < FAILURE_AGE;
}

bool cache_failed(const struct identity *identity, char *why, size_t size)
{
	char *path = path_of(identity, "failed");
	FILE *file = path ? fopen(path, "re") : NULL;
	bool found = file && is_recent(file) && fgets(why, (int)size, file);

	if (found)
		why[strcspn(why, "\n")] = '\0';
	if (file)
		fclose(file);
	free(path);
	return found;
}
