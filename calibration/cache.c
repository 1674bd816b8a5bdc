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
#include "calibration/own_folder.h"

/* Seconds that a failure is remembered. */
enum { FAILURE_AGE = 3600 };

static void name_file(char path[OWN_PATH], const char *folder, const struct identity *identity,
	const char *kind)
{
	snprintf(path, OWN_PATH, "%s/calibration-%016" PRIx64 ".%s", folder,
		identity_hash(identity), kind);
}

/* The file of that kind for an identity. 0, or a negative code. */
static int find_file(char path[OWN_PATH], const struct identity *identity, const char *kind,
	bool make, struct error *error)
{
	char folder[PATH_MAX];
	int failed = own_folder(folder, make, error);

	if (!failed)
		name_file(path, folder, identity, kind);
	return failed;
}

char *cache_path(const struct identity *identity)
{
	char path[OWN_PATH];

	return find_file(path, identity, "json", false, NULL) == 0 ? strdup(path) : NULL;
}

static int none(struct error *error)
{
	return error_set(
		error, ERROR_MISSING, "no calibration is kept for this JVM and machine");
}

int cache_read(struct calibration **calibration, char **text, const struct identity *identity,
	struct error *error)
{
	struct error different = {0};
	char path[OWN_PATH];
	int failed;

	*calibration = NULL;
	if (text)
		*text = NULL;
	if (find_file(path, identity, "json", false, NULL) != 0)
		return none(error);
	failed = calibration_load(calibration, text, path, &different);
	if (failed == -ERROR_MISSING)
		return none(error);
	if (failed)
		return error_set(error, different.code, "%s", different.text);
	if (identity_compare(&(*calibration)->identity, identity,
		    calibration_subject(path).text, &different) == 0)
		return 0;
	calibration_destroy(*calibration);
	*calibration = NULL;
	if (text) {
		free(*text);
		*text = NULL;
	}
	return none(error);
}

int cache_write(const struct calibration *calibration, struct error *error)
{
	char path[OWN_PATH], failure[OWN_PATH];
	int failed = find_file(path, &calibration->identity, "json", true, error);

	if (!failed)
		failed = calibration_save(calibration, path, error);
	if (!failed && find_file(failure, &calibration->identity, "failed", false, NULL) == 0)
		unlink(failure);
	return failed;
}

/* ---- for those who measure one unasked ---- */

/* A lock that cannot be had for another reason than that it is taken (no such thing on this file
 * system) is done without. */
static int take_lock(const char *path, bool *is_taken, struct error *error)
{
	int file = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0600);

	if (file < 0)
		return error_set_errno(
			error, ERROR_IO, errno, "cannot write '%s'", error_subject(path).text);
	*is_taken = flock(file, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK;
	if (*is_taken)
		close(file);
	return *is_taken ? -1 : file;
}

int cache_lock(bool *is_taken, struct error *error)
{
	char folder[PATH_MAX], path[OWN_PATH];
	int failed = own_folder(folder, true, error);

	*is_taken = false;
	if (failed)
		return failed;
	snprintf(path, sizeof(path), "%s/measuring", folder);
	return take_lock(path, is_taken, error);
}

void cache_note_failure(const struct identity *identity, const char *why)
{
	char path[OWN_PATH];
	FILE *file =
		find_file(path, identity, "failed", true, NULL) == 0 ? fopen(path, "we") : NULL;

	if (!file)
		return;
	fprintf(file, "%s\n", why);
	fclose(file);
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
	char path[OWN_PATH];
	FILE *file = find_file(path, identity, "failed", false, NULL) == 0 ? fopen(path, "re")
									   : NULL;
	bool found = file && is_recent(file) && fgets(why, (int)size, file);

	if (found)
		why[strcspn(why, "\n")] = '\0';
	if (file)
		fclose(file);
	return found;
}
