/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/* java_child: see java_child.h. Runs: on one thread at a time: the command's, or a worker's (cli/open). */
#include "cli/java/java_child.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cli/terminal/waiting.h"

enum {
	LINE = 8192,  /* a longer one is cut */
	PAUSE = 100,  /* ms between two looks at the clock and for Ctrl-C */
	MERCY = 3000, /* ms to end in when asked to */
	SAID = 400
};

/* Words that others have put into the environment for every JVM. */
static const char *const cleared[] = {
	"JAVA_TOOL_OPTIONS", "JDK_JAVA_OPTIONS", "_JAVA_OPTIONS", "CLASSPATH"};

struct child {
	struct error_subject program;
	pid_t pid;
	int output;
	int64_t end;
	char line[LINE]; /* that is being read */
	size_t length;
	char said[SAID]; /* what matters most of what is no JSON; "" */
	int said_rank;
};

/* ---- what it says ---- */

/* Beginnings of lines that tell why it fails; the later the better. */
static const char *const telling[] = {"", "Exception ", "Error", "jprof: "};

/* The first line of the highest rank is kept. */
static void note(struct child *child, const char *line)
{
	int rank = 0;

	for (int i = 0; line[0] && i < (int)(sizeof(telling) / sizeof(*telling)); i++)
		if (strncmp(line, telling[i], strlen(telling[i])) == 0)
			rank = i + 1;
	if (rank <= child->said_rank)
		return;
	child->said_rank = rank;
	if (strncmp(line, "jprof: ", 7) == 0)
		line += 7;
	snprintf(child->said, sizeof(child->said), "%.*s", SAID - 1, line);
}

static int take_bytes(struct child *child, const char *bytes, size_t count, java_line *line,
	void *argument, struct error *error)
{
	int code = 0;

	for (size_t i = 0; i < count && code == 0; i++) {
		if (bytes[i] != '\n') {
			if (child->length + 1 < LINE)
				child->line[child->length++] = bytes[i];
			continue;
		}
		child->line[child->length] = '\0';
		child->length = 0;
		if (child->line[0] == '{')
			code = line(argument, child->line, error);
		else
			note(child, child->line);
	}
	return code;
}

/* Until it has closed its output. */
static int read_all(struct child *child, java_line *line, void *argument, struct error *error)
{
	char bytes[4096];
	ssize_t got = 1;
	int code = 0;

	while (code == 0 && got != 0) {
		struct pollfd poller = {.fd = child->output, .events = POLLIN};

		if (waiting_interrupted())
			return error_set(error, ERROR_IO, "interrupted");
		if (waiting_now() >= child->end)
			return error_set(error, ERROR_BUSY,
				"'%s' has not ended in time: is the machine busy?",
				child->program.text);
		if (poll(&poller, 1, PAUSE) <= 0)
			continue;
		got = read(child->output, bytes, sizeof(bytes));
		if (got > 0)
			code = take_bytes(child, bytes, (size_t)got, line, argument, error);
		else if (got < 0 && errno != EINTR)
			code = error_set_errno(error, ERROR_IO, errno,
				"cannot read what '%s' prints", child->program.text);
	}
	return code;
}

/* ---- its beginning ---- */

static int start(struct child *child, char *const argv[], struct error *error)
{
	pid_t parent = getpid();
	int ends[2];

	if (pipe2(ends, O_CLOEXEC) != 0)
		return error_set_errno(error, ERROR_IO, errno, "cannot make a pipe");
	fflush(NULL);
	child->pid = fork();
	if (child->pid == 0) {
		/* Nothing that was printed into the pipe before exec is JSON. */
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		if (getppid() != parent)
			_exit(127);
		for (size_t i = 0; i < sizeof(cleared) / sizeof(*cleared); i++)
			unsetenv(cleared[i]);
		dup2(open("/dev/null", O_RDONLY), STDIN_FILENO);
		dup2(ends[1], STDOUT_FILENO);
		dup2(ends[1], STDERR_FILENO);
		execvp(argv[0], argv);
		dprintf(STDOUT_FILENO, "jprof: %s\n", strerror(errno));
		_exit(127);
	}
	close(ends[1]);
	child->output = ends[0];
	if (child->pid > 0)
		return 0;
	close(ends[0]);
	return error_set_errno(error, ERROR_IO, errno, "cannot make a process");
}

/* ---- its end ---- */

int java_child_run(
	char *const argv[], int64_t limit, java_line *line, void *argument, struct error *error)
{
	struct child child = {.program = error_subject(argv[0]), .end = waiting_until(limit)};
	const char *program = child.program.text;
	int code = start(&child, argv, error), status = 0;
	int64_t killed;

	if (code != 0)
		return code;
	code = read_all(&child, line, argument, error);
	close(child.output);
	/* Asks it to end, then makes it. */
	killed = waiting_until(MERCY);
	if (code != 0)
		kill(child.pid, SIGTERM);
	while (waitpid(child.pid, &status, WNOHANG) == 0) {
		if (waiting_now() >= killed)
			kill(child.pid, SIGKILL);
		waiting_sleep(10);
	}
	if (code != 0 || (WIFEXITED(status) && WEXITSTATUS(status) == 0))
		return code;
	if (child.said[0])
		return error_set(error, ERROR_JVM, "'%s' failed: %s", program, child.said);
	if (WIFSIGNALED(status))
		return error_set(error, ERROR_JVM, "'%s' was ended by signal %d", program,
			WTERMSIG(status));
	return error_set(
		error, ERROR_JVM, "'%s' failed with status %d", program, WEXITSTATUS(status));
}
