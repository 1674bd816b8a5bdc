/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/* browser: see browser.h. */
#include "cli/open/browser.h"

#include <errno.h>
#include <fcntl.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

/* ---- the file ---- */

/* A folder that others cannot put things into comes first. */
static const char *choose_folder(void)
{
	const char *own = getenv("XDG_RUNTIME_DIR"), *temporary = getenv("TMPDIR");
	struct stat status;

	if (own && own[0] == '/' && stat(own, &status) == 0 && S_ISDIR(status.st_mode) &&
		status.st_uid == geteuid() && (status.st_mode & 022) == 0)
		return own;
	return temporary && temporary[0] == '/' ? temporary : "/tmp";
}

/* The address has letters, digits, ':', '/' and '.' alone. */
static int write_file(struct browser *browser, const char *address, struct error *error)
{
	int descriptor, written;
	FILE *out;

	if (asprintf(&browser->file, "%s/jprof-open-XXXXXX.html", choose_folder()) < 0) {
		browser->file = NULL;
		return error_set(error, ERROR_MEMORY, "no memory for a file's name");
	}
	descriptor = mkostemps(browser->file, (int)strlen(".html"), O_CLOEXEC); /* mode 0600 */
	out = descriptor >= 0 ? fdopen(descriptor, "w") : NULL;
	if (!out) {
		error_set_errno(error, ERROR_IO, errno, "cannot make '%s'",
			error_subject(browser->file).text);
		if (descriptor >= 0)
			close(descriptor);
		else
			browser->file[0] = '\0';
		browser_forget(browser);
		return -ERROR_IO;
	}
	fprintf(out,
		"<!doctype html><meta charset=\"utf-8\">"
		"<meta name=\"referrer\" content=\"no-referrer\">"
		"<meta http-equiv=\"refresh\" content=\"0;url=%s\"><title>jprof</title>\n"
		"<p><a href=\"%s\">The profile</a></p>\n",
		address, address);
	written = ferror(out) == 0;
	if (fclose(out) == 0 && written)
		return 0;
	error_set_errno(
		error, ERROR_IO, errno, "cannot write '%s'", error_subject(browser->file).text);
	browser_forget(browser);
	return -ERROR_IO;
}

void browser_forget(struct browser *browser)
{
	if (browser->file && browser->file[0] != '\0')
		unlink(browser->file);
	free(browser->file);
	browser->file = NULL;
}

/* ---- the program ---- */

enum { WORDS_MAX = 32 };

/* In a session of its own: Ctrl-C at the terminal is not for the browser. */
static pid_t spawn(char **words)
{
	posix_spawn_file_actions_t files;
	posix_spawnattr_t attributes;
	pid_t pid = 0;
	sigset_t none;

	sigemptyset(&none);
	posix_spawn_file_actions_init(&files);
	posix_spawn_file_actions_addopen(&files, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
	posix_spawn_file_actions_addopen(&files, STDOUT_FILENO, "/dev/null", O_WRONLY, 0);
	posix_spawn_file_actions_addopen(&files, STDERR_FILENO, "/dev/null", O_WRONLY, 0);
	posix_spawnattr_init(&attributes);
	posix_spawnattr_setsigmask(&attributes, &none);
	sigaddset(&none, SIGPIPE); /* ignored here */
	posix_spawnattr_setsigdefault(&attributes, &none);
	posix_spawnattr_setflags(&attributes,
		POSIX_SPAWN_SETSID | POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);
	if (posix_spawnp(&pid, words[0], &files, &attributes, words, environ) != 0)
		pid = 0;
	posix_spawnattr_destroy(&attributes);
	posix_spawn_file_actions_destroy(&files);
	return pid;
}

/* The word, with the file in the place of the first %s. Owned; NULL without memory. */
static char *fill_in(const char *word, const char *file, bool *has_file)
{
	const char *place = *has_file ? NULL : strstr(word, "%s");
	char *filled;

	if (!place)
		return strdup(word);
	*has_file = true;
	return asprintf(&filled, "%.*s%s%s", (int)(place - word), word, file, place + 2) < 0
		       ? NULL
		       : filled;
}

/* Starts one command: words between spaces. Its pid, or 0. */
static pid_t start_command(const char *command, const char *file)
{
	char *copy = strdup(command), *rest = NULL, *words[WORDS_MAX + 2] = {NULL};
	bool has_file = false, is_whole = copy;
	size_t count = 0;
	pid_t pid = 0;

	for (char *word = copy ? strtok_r(copy, " ", &rest) : NULL; word && count < WORDS_MAX;
		word = strtok_r(NULL, " ", &rest))
		is_whole &= (words[count++] = fill_in(word, file, &has_file)) != NULL;
	if (is_whole && count > 0 && !has_file)
		is_whole = (words[count++] = strdup(file)) != NULL;
	if (is_whole && count > 0)
		pid = spawn(words);
	for (size_t i = 0; i < count; i++)
		free(words[i]);
	free(copy);
	return pid;
}

int browser_start(struct browser *browser, const char *address, struct error *error)
{
	const char *wanted = getenv("BROWSER");
	char *commands, *rest = NULL;
	int failed = write_file(browser, address, error);

	if (failed != 0)
		return failed;
	if (!wanted || *wanted == '\0')
		wanted = "xdg-open";
	commands = strdup(wanted);
	for (char *command = commands ? strtok_r(commands, ":", &rest) : NULL;
		command && browser->pid == 0; command = strtok_r(NULL, ":", &rest))
		browser->pid = start_command(command, browser->file);
	free(commands);
	if (browser->pid != 0)
		return 0;
	browser_forget(browser);
	return error_set(error, ERROR_MISSING, "cannot start '%s' (BROWSER names another one)",
		error_subject(wanted).text);
}

bool browser_check(struct browser *browser)
{
	int status;

	if (browser->pid == 0 || waitpid(browser->pid, &status, WNOHANG) != browser->pid)
		return true;
	browser->pid = 0;
	return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}
