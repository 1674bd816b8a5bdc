/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/* target_maps: reads /proc/PID/maps, proc_pid_maps(5). */
#include "cli/attach/target_maps.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* "ADDRESSES PERMISSIONS OFFSET DEVICE INODE   PATH\n", proc_pid_maps(5): the path, with
 * the line's end and the mark of deleted files cut off; NULL for memory without a file.
 */
static char *mapped_path(char *line)
{
	static const char gone[] = " (deleted)";
	char *path = strchr(line, '/');
	size_t length;

	if (path == NULL)
		return NULL;
	path[strcspn(path, "\n")] = '\0';
	length = strlen(path);
	if (length > strlen(gone) && strcmp(path + length - strlen(gone), gone) == 0)
		path[length - strlen(gone)] = '\0';
	return path;
}

static bool is_agent(const char *name)
{
	size_t length = strlen(name);

	return strncmp(name, "libjprof", 8) == 0 && length > 3 &&
	       strcmp(name + length - 3, ".so") == 0;
}

static void keep_first(const struct target *target, char **kept, const char *path)
{
	if (*kept == NULL)
		*kept = strdup(target_path_there(target, path));
}

static void read_mapping(
	const struct target *target, struct target_maps *maps, const char *path)
{
	const char *name = strrchr(path, '/') + 1;

	if (strcmp(name, "libjvm.so") == 0)
		maps->jvm = true;
	else if (strcmp(name, "libjli.so") == 0)
		maps->launcher = true;
	else if (is_agent(name))
		keep_first(target, &maps->agent, path);
	else if (strstr(path, "/hsperfdata_") != NULL)
		keep_first(target, &maps->counters, path);
}

int target_maps_read(const struct target *target, struct target_maps *maps, struct error *error)
{
	FILE *in = target_open_stream(target, "maps");
	char *line = NULL;
	const char *path;
	size_t size = 0;

	*maps = (struct target_maps){0};
	if (in == NULL)
		return target_refuse_access(target, errno, error);
	while (getline(&line, &size, in) > 0) {
		path = mapped_path(line);
		if (path != NULL)
			read_mapping(target, maps, path);
	}
	free(line);
	fclose(in);
	return 0;
}

void target_maps_fini(struct target_maps *maps)
{
	free(maps->agent);
	free(maps->counters);
	*maps = (struct target_maps){0};
}
