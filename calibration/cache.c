/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/* cache: see cache.h. */
#include "calibration/cache.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "calibration/calibration_file.h"

#define FOLDER "/jprof"

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

char *cache_path(const struct identity *identity)
{
	char *folder = folder_path(), *path = NULL;

	if (folder && asprintf(&path, "%s/calibration-%016" PRIx64 ".json", folder,
			      identity_hash(identity)) < 0)
		path = NULL;
	free(folder);
	return path;
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

/* Makes all folders on the way. 0, or -1 and errno. */
static int make_folders(char *path)
{
	for (char *slash = path + 1; (slash = strchr(slash, '/')) != NULL; slash++) {
		int made;

		*slash = '\0';
		made = mkdir(path, 0700);
		*slash = '/';
		if (made < 0 && errno != EEXIST)
			return -1;
	}
	return 0;
}

int cache_write(const struct calibration *calibration, struct error *error)
{
	char *path = cache_path(&calibration->identity);
	int failed;

	if (!path)
		return error_set(error, ERROR_MISSING,
			"no folder to keep a calibration in: HOME is not set");
	if (make_folders(path) < 0)
		failed = error_set_errno(error, ERROR_IO, errno, "cannot make the folder of '%s'",
			error_subject(path).text);
	else
		failed = calibration_save(calibration, path, error);
	free(path);
	return failed;
}
