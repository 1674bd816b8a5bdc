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

#include "cli/terminal/outcome.h"
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

/* A folder's own '%' are doubled: the agent replaces %p in all of the path. */
char *profile_file_whole(const char *name, bool is_ours, struct error *error)
{
	char folder[PATH_MAX] = "/tmp", doubled[2 * PATH_MAX], *path, *fixed = NULL;
	size_t used = 0;

	if (name[0] == '/') {
		folder[0] = '\0';
	} else if (is_ours && !getcwd(folder, PATH_MAX)) {
		error_set_errno(error, ERROR_IO, errno,
			"cannot tell the working directory; give --file with a whole path");
		return NULL;
	}
	for (const char *c = folder; *c != '\0'; c++) {
		doubled[used++] = *c;
		if (*c == '%')
			doubled[used++] = '%';
	}
	doubled[used] = '\0';
	if (asprintf(&path, "%s%s%s", doubled, name[0] == '/' ? "" : "/", name) >= 0) {
		fixed = profile_file_fix_time(path, (long)time(NULL));
		free(path);
	}
	if (!fixed)
		error_set(error, ERROR_MEMORY, "no memory");
	return fixed;
}

/* Why no profile can be made there; NULL: one can. */
static const char *why_not(const char *path, const char *folder)
{
	struct stat status;

	if (stat(folder, &status) != 0)
		return errno == ENOENT ? "there is no such folder" : strerror(errno);
	if (!S_ISDIR(status.st_mode))
		return strerror(ENOTDIR);
	if (stat(path, &status) == 0 && S_ISDIR(status.st_mode))
		return "it is a folder";
	if (faccessat(AT_FDCWD, folder, W_OK | X_OK, AT_EACCESS) != 0)
		return "nothing can be written into its folder";
	if (faccessat(AT_FDCWD, path, W_OK, AT_EACCESS) != 0 && errno != ENOENT)
		return strerror(errno);
	return NULL;
}

int profile_file_check(const char *file, struct error *error)
{
	char *path = options_expand_file(file, (long)getpid(), (long)time(NULL));
	const char *slash = path ? strrchr(path, '/') : NULL, *why;
	char *folder =
		slash ? strndup(path, (size_t)(slash - path) + (slash == path)) : strdup(".");
	int failed = 0;

	if (!path || !folder) {
		failed = error_set(error, ERROR_MEMORY, "no memory");
	} else {
		why = why_not(path, folder);
		if (why)
			failed = error_set(error, ERROR_IO, "cannot write the profile '%s': %s",
				error_subject(path).text, why);
	}
	free(path);
	free(folder);
	return failed;
}

char *profile_file_newest(struct error *error)
{
	static const char ending[] = ".jprof";
	DIR *folder = opendir(".");
	struct timespec latest = {0};
	char name[NAME_MAX + 1] = "", *copy;
	struct dirent *entry;

	while (folder && (entry = readdir(folder))) {
		size_t length = strlen(entry->d_name);
		struct timespec time;
		struct stat status;

		if (length < sizeof(ending) ||
			strcmp(entry->d_name + length - strlen(ending), ending) != 0 ||
			fstatat(dirfd(folder), entry->d_name, &status, AT_SYMLINK_NOFOLLOW) !=
				0 ||
			!S_ISREG(status.st_mode))
			continue;
		time = status.st_mtim;
		if (name[0] != '\0' && (time.tv_sec < latest.tv_sec ||
					       (time.tv_sec == latest.tv_sec &&
						       time.tv_nsec <= latest.tv_nsec)))
			continue;
		latest = time;
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

int profile_file_or_newest(const char *command, const char **file, char **found)
{
	struct error error = {0};

	*found = NULL;
	if (*file)
		return EXIT_DONE;
	*file = *found = profile_file_newest(&error);
	if (!*found)
		return command_usage(command, "%s", error.text);
	say("of the newest profile here, '%s'", *found);
	return EXIT_DONE;
}

char *profile_file_place(const struct target *target, const char *file, struct error *error)
{
	enum { NUMBERS = 10000 };
	struct options defaults;
	char *path;

	if (file)
		return profile_file_whole(file, target->same_view, error);
	if (options_parse(&defaults, NULL, error) != 0)
		return NULL;
	path = profile_file_whole(
		defaults.file, target->same_view && target->uid == geteuid(), error);
	options_fini(&defaults);
	/* The next name that is free: an earlier recording of the same JVM stays. */
	for (unsigned i = 1; path && i < NUMBERS; i++) {
		char *named = i == 1 ? strdup(path) : options_number_file(path, i);
		char *seen = named ? options_expand_file(named, target->inner_pid, 0) : NULL;
		int found = seen ? target_open_path(target, seen, O_PATH | O_NOFOLLOW) : -1;

		free(seen);
		if (named && found < 0) {
			free(path);
			return named;
		}
		free(named);
		if (found >= 0)
			close(found);
	}
	return path;
}

void profile_file_put(const char *word)
{
	static const char plain[] =
		"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-./+:,@%";
	size_t length = strlen(word);
	/* The path comes from the process that is looked at: $'...' can hold any byte. */
	bool escapes = harmless_span(word, length) < length;
	bool quotes = escapes || word[0] == '\0' || word[strspn(word, plain)] != '\0';
	char *quoted = NULL;
	FILE *out = open_memstream(&quoted, &length);

	if (!out)
		return;
	fputs(escapes ? "$'" : quotes ? "'" : "", out);
	for (; *word != '\0'; word++) {
		if (*word == '\'')
			fputs(escapes ? "\\'" : "'\\''", out);
		else if (*word == '\\' && escapes)
			fputs("\\\\", out);
		else
			fputc(*word, out);
	}
	fputs(quotes ? "'" : "", out);
	if (fclose(out) == 0)
		harmless_put(stderr, quoted);
	free(quoted);
}

void profile_file_say(const char *program, const char *path)
{
	fprintf(stderr, "jprof: the profile ");
	if (program) {
		fprintf(stderr, "of ");
		profile_file_put(program);
		fputc(' ', stderr);
	}
	fprintf(stderr, "is ");
	profile_file_put(path);
	fprintf(stderr, "; read it with: jprof report ");
	profile_file_put(path);
	fputc('\n', stderr);
}
