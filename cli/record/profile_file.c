/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/* profile_file: paths in, paths out. */
#include "cli/record/profile_file.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "error/harmless.h"
#include "options/options.h"

char *profile_file_fix_time(const char *file, long now)
{
	size_t size;
	char *fixed = NULL;
	FILE *out = open_memstream(&fixed, &size);

	if (!out)
		return NULL;
	for (; *file != '\0'; file++) {
		if (file[0] == '%' && file[1] == 't') {
			fprintf(out, "%ld", now);
			file++;
		} else {
			fputc(*file, out);
			if (file[0] == '%' && file[1] != '\0')
				fputc(*++file, out);
		}
	}
	if (fclose(out) == 0)
		return fixed;
	free(fixed);
	return NULL;
}

/* The folder's own '%' are doubled: the agent replaces %p in all of the path. Owned. */
static char *below(const char *folder, const char *file)
{
	size_t size;
	char *path = NULL;
	FILE *out = open_memstream(&path, &size);

	if (!out)
		return NULL;
	for (; *folder != '\0'; folder++) {
		fputc(*folder, out);
		if (*folder == '%')
			fputc('%', out);
	}
	fprintf(out, "/%s", file);
	if (fclose(out) == 0)
		return path;
	free(path);
	return NULL;
}

static int working_directory(char folder[PATH_MAX], struct error *error)
{
	if (getcwd(folder, PATH_MAX) != NULL)
		return 0;
	return error_set_errno(error, ERROR_IO, errno,
		"cannot tell the working directory; give --file with a whole path");
}

/* In our working directory, or in /tmp. */
static char *place(const char *name, bool is_ours, struct error *error)
{
	char folder[PATH_MAX] = "/tmp", *path, *fixed = NULL;

	if (name[0] != '/' && is_ours && working_directory(folder, error) != 0)
		return NULL;
	path = name[0] == '/' ? strdup(name) : below(folder, name);
	if (path)
		fixed = profile_file_fix_time(path, (long)time(NULL));
	free(path);
	if (!fixed)
		error_set(error, ERROR_MEMORY, "no memory");
	return fixed;
}

char *profile_file_whole(const char *file, struct error *error)
{
	return place(file, true, error);
}

static int refuse_file(const char *path, const char *why, struct error *error)
{
	return error_set(error, ERROR_IO, "cannot write the profile '%s': %s",
		error_subject(path).text, why);
}

static int check_file(const char *path, const char *folder, struct error *error)
{
	struct stat status;

	if (stat(folder, &status) != 0)
		return refuse_file(path,
			errno == ENOENT ? "there is no such folder" : strerror(errno), error);
	if (!S_ISDIR(status.st_mode))
		return refuse_file(path, strerror(ENOTDIR), error);
	if (stat(path, &status) == 0 && S_ISDIR(status.st_mode))
		return refuse_file(path, "it is a folder", error);
	if (faccessat(AT_FDCWD, folder, W_OK | X_OK, AT_EACCESS) != 0)
		return refuse_file(path, "nothing can be written into its folder", error);
	if (faccessat(AT_FDCWD, path, W_OK, AT_EACCESS) != 0 && errno != ENOENT)
		return refuse_file(path, strerror(errno), error);
	return 0;
}

int profile_file_check(const char *file, struct error *error)
{
	char *path = options_expand_file(file, (long)getpid(), (long)time(NULL));
	const char *slash = path ? strrchr(path, '/') : NULL;
	char *folder =
		!slash ? strdup(".") : strndup(path, (size_t)(slash - path) + (slash == path));
	int failed = !path || !folder ? error_set(error, ERROR_MEMORY, "no memory")
				      : check_file(path, folder, error);

	free(path);
	free(folder);
	return failed;
}

static bool is_later(const struct timespec *a, const struct timespec *b)
{
	return a->tv_sec != b->tv_sec ? a->tv_sec > b->tv_sec : a->tv_nsec > b->tv_nsec;
}

static bool is_profile_name(const char *name)
{
	static const char ending[] = ".jprof";
	size_t length = strlen(name);

	return length >= sizeof(ending) &&
	       strcmp(name + length - (sizeof(ending) - 1), ending) == 0;
}

char *profile_file_newest(struct error *error)
{
	DIR *folder = opendir(".");
	struct timespec latest = {0};
	char name[NAME_MAX + 1] = "", *copy;
	struct dirent *entry;

	while (folder && (entry = readdir(folder)) != NULL) {
		struct stat status;

		if (!is_profile_name(entry->d_name) ||
			fstatat(dirfd(folder), entry->d_name, &status, AT_SYMLINK_NOFOLLOW) !=
				0 ||
			!S_ISREG(status.st_mode) ||
			(name[0] != '\0' && !is_later(&status.st_mtim, &latest)))
			continue;
		latest = status.st_mtim;
		snprintf(name, sizeof(name), "%s", entry->d_name);
	}
	if (folder)
		closedir(folder);
	if (name[0] == '\0') {
		error_set(error, ERROR_USAGE, "no profile given, and no *.jprof is here");
		return NULL;
	}
	copy = strdup(name);
	if (!copy)
		error_set(error, ERROR_MEMORY, "no memory");
	return copy;
}

const char *profile_file_from_here(const char *path)
{
	char folder[PATH_MAX];
	size_t length;

	if (!getcwd(folder, sizeof(folder)))
		return path;
	length = strlen(folder);
	return strncmp(path, folder, length) == 0 && path[length] == '/' && length > 1
		       ? path + length + 1
		       : path;
}

/* True if there is something of that name, %p not yet replaced. */
static bool is_taken(const struct target *target, const char *file)
{
	char *path = options_expand_file(file, target->inner_pid, 0);
	int found = path ? target_open_path(target, path, O_PATH | O_NOFOLLOW) : -1;

	if (found >= 0)
		close(found);
	free(path);
	return found >= 0;
}

/* The file, or, where that name is the default, the next that is free: an earlier recording of
 * the same JVM stays. Takes file. */
static char *free_name(const struct target *target, char *file)
{
	enum { NUMBERS = 10000 };
	char *numbered;

	if (!file || !is_taken(target, file))
		return file;
	for (unsigned i = 2; i < NUMBERS; i++) {
		numbered = options_number_file(file, i);
		if (numbered && !is_taken(target, numbered)) {
			free(file);
			return numbered;
		}
		free(numbered);
	}
	return file;
}

char *profile_file_place(const struct target *target, const char *file, struct error *error)
{
	struct options defaults;
	char *path;

	if (file)
		return place(file, target->same_view, error);
	if (options_parse(&defaults, NULL, error) != 0)
		return NULL;
	path = place(defaults.file, target->same_view && target->uid == geteuid(), error);
	options_fini(&defaults);
	return free_name(target, path);
}

/* True for what the shell would take apart or replace. */
static bool needs_quotes(const char *word)
{
	static const char plain[] =
		"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
		"_-./+:,@%";

	return word[strspn(word, plain)] != '\0' || word[0] == '\0';
}

/* What stands for a byte between quotes, or NULL: itself. */
static const char *shell_escape(char byte, bool escapes)
{
	if (byte == '\'')
		return escapes ? "\\'" : "'\\''";
	return byte == '\\' && escapes ? "\\\\" : NULL;
}

void profile_file_put(const char *word)
{
	size_t length = strlen(word);
	/* The path comes from the process that is looked at: $'...' can say whatever it
	 * has. */
	bool escapes = harmless_span(word, length) < length;
	bool quotes = escapes || needs_quotes(word);
	char *quoted = NULL;
	FILE *out = open_memstream(&quoted, &length);

	if (!out)
		return;
	fputs(escapes ? "$'" : quotes ? "'" : "", out);
	for (; *word != '\0'; word++) {
		const char *escape = shell_escape(*word, escapes);

		if (escape)
			fputs(escape, out);
		else
			fputc(*word, out);
	}
	fputs(quotes ? "'" : "", out);
	if (fclose(out) == 0)
		harmless_put(stderr, quoted);
	free(quoted);
}

void profile_file_say(const char *path)
{
	fprintf(stderr, "jprof: the profile is ");
	profile_file_put(path);
	fprintf(stderr, "; read it with: jprof report ");
	profile_file_put(path);
	fputc('\n', stderr);
}
