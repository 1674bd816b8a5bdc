/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/*
 * jprof run: starts java with the agent, waits for it, says where the profile is.
 *
 * The child is java itself (the same process after exec), so its pid is the JVM's. Signals
 * that somebody sends to this process are passed on; those from the terminal reach the
 * child by themselves, since both are in one process group.
 */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "cli/commands.h"
#include "options/options.h"

#define LIBRARY "libjprof.so"

struct run {
	char *options;  /* for the agent, owned, or NULL */
	char *file;     /* the profile's path with %p in it, owned */
	char *agent;    /* -agentpath:..., owned */
	char **command; /* argv of java, borrowed */
	int count;
	struct timespec started; /* profiles older than that are not ours */
};

/* ---- the words in front of -- ---- */

/* The option "--KEY" or "--KEY=VALUE". *value is what stands behind the '=', or NULL. The
 * key is owned; NULL without memory. */
static char *split_option(const char *word, const char **value)
{
	size_t length = strcspn(word + 2, "=");

	*value = word[2 + length] == '=' ? word + 2 + length + 1 : NULL;
	return strndup(word + 2, length);
}

/* `file` is kept apart, because its %t is replaced before the agent sees it. */
static int take_option(struct run *run, char **file, const char *key, const char *value)
{
	struct error error = {0};
	bool is_file = strcmp(key, "file") == 0;

	if (options_append(is_file ? file : &run->options, key, value, &error) == 0)
		return 0;
	if (error.code == ERROR_MEMORY)
		return command_failed(&error);
	return command_usage("run", "%s", error.text);
}

static int take_word(struct run *run, char **file, char **argv, int argc, int *at)
{
	const char *value;
	char *key;
	int status;

	if (strncmp(argv[*at], "--", 2) != 0)
		return command_usage(
			"run", "'%s' is no option; write -- before java", argv[*at]);
	key = split_option(argv[*at], &value);
	if (key == NULL) {
		fprintf(stderr, "jprof: no memory\n");
		return EXIT_FAILED;
	}
	if (value == NULL && *at + 1 < argc)
		value = argv[++*at];
	if (value == NULL)
		status = command_usage("run", "--%s needs a value", key);
	else
		status = take_option(run, file, key, value);
	free(key);
	return status;
}

static int read_words(struct run *run, char **file, int argc, char **argv)
{
	int at = 1, status = 0;

	for (; at < argc && strcmp(argv[at], "--") != 0 && status == 0; at++)
		status = take_word(run, file, argv, argc, &at);
	if (status != 0)
		return status;
	if (at >= argc)
		return command_usage("run", "no -- and java command");
	if (at + 1 == argc)
		return command_usage("run", "nothing to run behind --");
	run->command = argv + at + 1;
	run->count = argc - at - 1;
	return 0;
}

/* ---- what the agent is told ---- */

/* Replaces %t, and leaves %p and %% to the agent: its pid is not known yet, and a second
 * may pass before it looks at the clock. Owned, NULL without memory. */
static char *fix_time(const char *file, long now)
{
	size_t size;
	char *fixed = NULL;
	FILE *out = open_memstream(&fixed, &size);

	if (out == NULL)
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

/* Finds where the profile will be, from the words, the config file and the default, and
 * tells the agent the same. given is "file=..." or NULL. */
static int place_profile(struct run *run, const char *given)
{
	struct options options;
	struct error error = {0};
	char *all = NULL;
	int failed;

	if (asprintf(&all, "%s%s%s", run->options != NULL ? run->options : "",
		    run->options != NULL && given != NULL ? "," : "",
		    given != NULL ? given : "") < 0) {
		fprintf(stderr, "jprof: no memory\n");
		return EXIT_FAILED;
	}
	failed = options_parse(&options, all, &error);
	free(all);
	if (failed != 0)
		return command_failed(&error);
	run->file = fix_time(options.file, (long)run->started.tv_sec);
	if (run->file == NULL)
		failed = error_set(&error, ERROR_MEMORY, "no memory");
	else if (given != NULL || strcmp(run->file, options.file) != 0)
		failed = options_append(&run->options, "file", run->file, &error);
	options_fini(&options);
	return failed != 0 ? command_failed(&error) : 0;
}

/* Where the agent is, seen from the folder of this program: beside it as built, or as
 * installed. */
static const char *const library_places[] = {
	".",
	("../" JPROF_LIBDIR),
	"../lib",
};

static int refuse_library(const char *folder)
{
	fprintf(stderr,
		"jprof: cannot find " LIBRARY " beside jprof in '%s', nor in ../lib\n",
		folder);
	return EXIT_FAILED;
}

/* The absolute path of the agent. */
static int find_library(char library[PATH_MAX])
{
	char folder[PATH_MAX], path[PATH_MAX + 64];
	ssize_t length = readlink("/proc/self/exe", folder, sizeof(folder) - 1);

	if (length <= 0) {
		fprintf(stderr, "jprof: cannot read '/proc/self/exe': %s\n",
			strerror(errno));
		return EXIT_FAILED;
	}
	folder[length] = '\0';
	*strrchr(folder, '/') = '\0';
	for (size_t i = 0; i < sizeof(library_places) / sizeof(library_places[0]); i++) {
		snprintf(path, sizeof(path), "%s/%s/" LIBRARY, folder, library_places[i]);
		if (realpath(path, library) != NULL)
			return 0;
	}
	return refuse_library(folder);
}

static int make_agent(struct run *run)
{
	char library[PATH_MAX];
	int status = find_library(library);

	if (status != 0)
		return status;
	/* The JVM takes the first '=' for the end of the path. */
	if (strchr(library, '=') != NULL) {
		fprintf(stderr,
			"jprof: the JVM cannot load an agent whose path contains '=': '%s'; "
			"move it\n",
			library);
		return EXIT_FAILED;
	}
	if (asprintf(&run->agent, "-agentpath:%s%s%s", library,
		    run->options != NULL ? "=" : "",
		    run->options != NULL ? run->options : "") < 0) {
		run->agent = NULL;
		fprintf(stderr, "jprof: no memory\n");
		return EXIT_FAILED;
	}
	return 0;
}

/* ---- signals ---- */

static const int passed_on[] = {SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGUSR1, SIGUSR2};
#define PASSED_ON (sizeof(passed_on) / sizeof(passed_on[0]))

/* Set before the handlers are, while the signals are blocked. */
static volatile pid_t child;

static void pass_on(int number, siginfo_t *info, void *context)
{
	int saved = errno;

	(void)context;
	/* Above 0 it comes from the kernel: the terminal, which told the child too. */
	if (info->si_code <= 0)
		kill(child, number);
	errno = saved;
}

static void block_signals(sigset_t *before)
{
	sigset_t set;

	sigemptyset(&set);
	for (size_t i = 0; i < PASSED_ON; i++)
		sigaddset(&set, passed_on[i]);
	sigprocmask(SIG_BLOCK, &set, before);
}

/* Signals that are ignored (nohup) stay so, here and in the child. */
static void catch_signals(void)
{
	struct sigaction action = {
		.sa_sigaction = pass_on, .sa_flags = SA_SIGINFO | SA_RESTART};

	sigemptyset(&action.sa_mask);
	for (size_t i = 0; i < PASSED_ON; i++) {
		struct sigaction old;

		if (sigaction(passed_on[i], NULL, &old) == 0 && old.sa_handler != SIG_IGN)
			sigaction(passed_on[i], &action, NULL);
	}
}

/* ---- the child ---- */

/* java, the agent, java's own words. Owned; NULL without memory. */
static char **make_argv(const struct run *run)
{
	char **argv = calloc((size_t)run->count + 2, sizeof(*argv));

	if (argv == NULL)
		return NULL;
	argv[0] = run->command[0];
	argv[1] = run->agent;
	for (int i = 1; i < run->count; i++)
		argv[i + 1] = run->command[i];
	return argv;
}

/* Becomes java; if it cannot, tells why through the pipe. */
static void exec_java(char **argv, const sigset_t *signals, int failure)
{
	int reason;
	ssize_t told;

	sigprocmask(SIG_SETMASK, signals, NULL);
	execvp(argv[0], argv);
	reason = errno;
	told = write(failure, &reason, sizeof(reason));
	_exit(told == (ssize_t)sizeof(reason) ? 127 : 126);
}

/* What exec failed with, or 0 once it has worked: the pipe closes then. */
static int read_failure(int pipe_end)
{
	int reason = 0;
	ssize_t got;

	do {
		got = read(pipe_end, &reason, sizeof(reason));
	} while (got < 0 && errno == EINTR);
	return got == (ssize_t)sizeof(reason) ? reason : 0;
}

static int start_child(char **argv)
{
	sigset_t before;
	int ends[2], reason;

	if (pipe2(ends, O_CLOEXEC) != 0) {
		fprintf(stderr, "jprof: cannot make a pipe: %s\n", strerror(errno));
		return EXIT_FAILED;
	}
	block_signals(&before);
	child = fork();
	if (child == 0)
		exec_java(argv, &before, ends[1]);
	reason = child < 0 ? errno : 0;
	close(ends[1]);
	if (child > 0) {
		catch_signals();
		sigprocmask(SIG_SETMASK, &before, NULL);
		reason = read_failure(ends[0]);
	}
	close(ends[0]);
	if (reason == 0)
		return 0;
	fprintf(stderr, "jprof: cannot run '%s': %s\n", argv[0], strerror(reason));
	return EXIT_FAILED;
}

static int wait_for_child(void)
{
	int status;

	while (waitpid(child, &status, 0) < 0) {
		if (errno != EINTR) {
			fprintf(stderr, "jprof: cannot wait for java: %s\n",
				strerror(errno));
			return EXIT_FAILED;
		}
	}
	return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}

/* ---- the end ---- */

static bool is_older(const struct timespec *a, const struct timespec *b)
{
	return a->tv_sec != b->tv_sec ? a->tv_sec < b->tv_sec : a->tv_nsec < b->tv_nsec;
}

/* True for what the shell would take apart or replace. */
static bool needs_quotes(const char *word)
{
	static const char plain[] =
		"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
		"_-./+:,@%";

	return word[strspn(word, plain)] != '\0' || word[0] == '\0';
}

/* As a word that the shell reads back. */
static void put_word(const char *word)
{
	bool quoted = needs_quotes(word);

	if (quoted)
		fputc('\'', stderr);
	for (; *word != '\0'; word++) {
		if (*word == '\'')
			fputs("'\\''", stderr);
		else
			fputc(*word, stderr);
	}
	if (quoted)
		fputc('\'', stderr);
}

static void say_where(const struct run *run)
{
	char *path =
		options_expand_file(run->file, (long)child, (long)run->started.tv_sec);
	struct stat status;

	if (path == NULL) {
		fprintf(stderr, "jprof: no memory\n");
	} else if (stat(path, &status) != 0 || is_older(&status.st_mtim, &run->started)) {
		fprintf(stderr,
			"jprof: there is no profile '%s': the agent did not run\n", path);
	} else {
		fprintf(stderr, "jprof: the profile is ");
		put_word(path);
		fprintf(stderr, "; read it with: jprof report ");
		put_word(path);
		fputc('\n', stderr);
	}
	free(path);
}

static int run_java(struct run *run)
{
	char **argv = make_argv(run);
	int status;

	if (argv == NULL) {
		fprintf(stderr, "jprof: no memory\n");
		return EXIT_FAILED;
	}
	status = start_child(argv);
	if (status == 0) {
		status = wait_for_child();
		say_where(run);
	}
	free(argv);
	return status;
}

int cmd_run(int argc, char **argv)
{
	struct run run = {0};
	char *file = NULL;
	int status;

	/* The clock of file times, which may be behind the precise one by a tick. */
	clock_gettime(CLOCK_REALTIME_COARSE, &run.started);
	status = read_words(&run, &file, argc, argv);
	if (status == 0)
		status = place_profile(&run, file);
	if (status == 0)
		status = make_agent(&run);
	if (status == 0)
		status = run_java(&run);
	free(run.options);
	free(run.file);
	free(run.agent);
	free(file);
	return status;
}
