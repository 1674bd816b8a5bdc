/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/*
 * jprof run: starts java with the agent, waits for it, says where the profile is.
 * With --duration the recording ends earlier, by the control socket.
 *
 * The child is java itself (the same process after exec), so its pid is the JVM's.
 * Signals that somebody sends to this process are passed on; those from the terminal
 * reach the child by themselves, since both are in one process group.
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

#include "cli/agent_library.h"
#include "cli/agent_words.h"
#include "cli/commands.h"
#include "cli/control_client.h"
#include "cli/profile_file.h"
#include "cli/waiting.h"
#include "options/options.h"

/* Milliseconds between two looks at the child. */
enum { PAUSE = 50 };

struct run {
	struct agent_words words;
	char *file;     /* the profile's path with %p in it, owned */
	bool is_armed;  /* start=no */
	char *agent;    /* -agentpath:..., owned */
	char **command; /* argv of java, borrowed */
	int count;
	struct timespec started; /* profiles older than that are not ours */
};

/* ---- the words in front of -- ---- */

static int read_words(struct run *run, int argc, char **argv)
{
	int at = 1, status = EXIT_DONE;

	for (; at < argc && strcmp(argv[at], "--") != 0 && status == EXIT_DONE; at++) {
		if (strncmp(argv[at], "--", 2) != 0)
			return command_usage("run",
				"'%s' is no option; write -- before java", argv[at]);
		status = agent_words_take(&run->words, argc, argv, &at);
	}
	if (status != EXIT_DONE)
		return status;
	if (at >= argc)
		return command_usage("run", "no -- and java command");
	if (at + 1 == argc)
		return command_usage("run", "nothing to run behind --");
	run->command = argv + at + 1;
	run->count = argc - at - 1;
	return EXIT_DONE;
}

/* ---- what the agent is told ---- */

/* Finds where the profile will be, from the words, the config file and the default, and
 * tells the agent the same. */
static int place_profile(struct run *run)
{
	struct options options;
	struct error error = {0};
	char *all = agent_words_join(&run->words);
	int failed;

	if (all == NULL)
		return command_no_memory();
	failed = options_parse(&options, all, &error);
	free(all);
	if (failed != 0)
		return command_failed(&error);
	run->is_armed = !options.start;
	run->file = profile_file_fix_time(options.file, (long)run->started.tv_sec);
	if (run->file == NULL)
		failed = error_set(&error, ERROR_MEMORY, "no memory");
	else if (run->words.file != NULL || strcmp(run->file, options.file) != 0)
		failed = options_append(&run->words.options, "file", run->file, &error);
	options_fini(&options);
	if (failed != 0)
		return command_failed(&error);
	return run->is_armed && run->words.duration != 0
		       ? command_usage(
				 "run", "--start no and --duration exclude each other")
		       : EXIT_DONE;
}

static int make_agent(struct run *run)
{
	const char *options = run->words.options;
	struct error error = {0};
	char library[PATH_MAX];

	if (agent_library_find(library, &error) != 0)
		return command_failed(&error);
	/* The JVM takes the first '=' for the end of the path. */
	if (strchr(library, '=') != NULL) {
		fprintf(stderr,
			"jprof: the JVM cannot load an agent whose path contains '=': "
			"'%s'; move it\n",
			library);
		return EXIT_FAILED;
	}
	if (asprintf(&run->agent, "-agentpath:%s%s%s", library,
		    options != NULL ? "=" : "", options != NULL ? options : "") < 0) {
		run->agent = NULL;
		return command_no_memory();
	}
	return EXIT_DONE;
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

static int wait_failed(void)
{
	fprintf(stderr, "jprof: cannot wait for java: %s\n", strerror(errno));
	return EXIT_FAILED;
}

static int wait_for_child(void)
{
	int status;

	while (waitpid(child, &status, 0) < 0) {
		if (errno != EINTR)
			return wait_failed();
	}
	return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}

/* ---- --duration ---- */

/* Its status is left to be waited for. */
static bool child_has_ended(void)
{
	siginfo_t info = {0};

	return waitid(P_PID, (id_t)child, &info, WEXITED | WNOHANG | WNOWAIT) != 0 ||
	       info.si_pid != 0;
}

static bool ends_before(int64_t moment)
{
	while (!child_has_ended()) {
		if (waiting_now() >= moment)
			return false;
		waiting_sleep(PAUSE);
	}
	return true;
}

/* The agent may have been busy with its start until now. */
static int stop_recording(const struct target *target, struct error *error)
{
	struct control control;
	json_t *result = NULL;
	int failed = control_await(&control, target, error);

	if (failed == 0)
		failed = control_ask(&control, "stop", NULL, &result, error);
	json_decref(result);
	control_close(&control);
	return failed;
}

/* The recording ends, the program runs on. A program that ended by itself is none of the
 * failures. */
static void end_recording(void)
{
	struct error error = {0};
	struct target target;

	if (target_open(&target, child, &error) == 0) {
		if (stop_recording(&target, &error) == 0)
			fprintf(stderr,
				"jprof: the recording has ended; the program runs on\n");
		target_close(&target);
	}
	if (error.code != ERROR_NONE && !child_has_ended())
		fprintf(stderr, "jprof: cannot end the recording: %s\n", error.text);
}

/* ---- the end ---- */

static bool is_older(const struct timespec *a, const struct timespec *b)
{
	return a->tv_sec != b->tv_sec ? a->tv_sec < b->tv_sec : a->tv_nsec < b->tv_nsec;
}

static void say_where(const struct run *run)
{
	char *path =
		options_expand_file(run->file, (long)child, (long)run->started.tv_sec);
	struct stat status;

	if (path == NULL) {
		fprintf(stderr, "jprof: no memory\n");
	} else if (stat(path, &status) != 0 || is_older(&status.st_mtim, &run->started)) {
		fprintf(stderr, "jprof: there is no profile '%s': %s\n", path,
			run->is_armed ? "with --start no nothing is recorded until "
					"'jprof start'"
				      : "the agent did not run");
	} else {
		profile_file_say(path);
	}
	free(path);
}

static int run_java(struct run *run)
{
	char **argv = make_argv(run);
	int status;

	if (argv == NULL) {
		return command_no_memory();
	}
	status = start_child(argv);
	if (status == EXIT_DONE) {
		if (run->words.duration != 0 &&
			!ends_before(waiting_until(run->words.duration)))
			end_recording();
		status = wait_for_child();
		say_where(run);
	}
	free(argv);
	return status;
}

int cmd_run(int argc, char **argv)
{
	struct run run = {.words = {.command = "run", .has_duration = true}};
	int status;

	/* The clock of file times, which may be behind the precise one by a tick. */
	clock_gettime(CLOCK_REALTIME_COARSE, &run.started);
	status = read_words(&run, argc, argv);
	if (status == EXIT_DONE)
		status = place_profile(&run);
	if (status == EXIT_DONE)
		status = make_agent(&run);
	if (status == EXIT_DONE)
		status = run_java(&run);
	agent_words_fini(&run.words);
	free(run.file);
	free(run.agent);
	return status;
}
