/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/*
 * jprof run: runs a command with the agent in its JVMs, waits for it, says where the
 * profiles are. With --duration recordings end earlier, by the control sockets.
 *
 * Signals that another process sends to this one are passed on; those from the terminal
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
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "cli/attach/agent_library.h"
#include "cli/attach/control_client.h"
#include "cli/commands.h"
#include "cli/java/known_jvms.h"
#include "cli/record/agent_words.h"
#include "cli/record/launch.h"
#include "cli/record/profile_file.h"
#include "cli/terminal/waiting.h"
#include "options/options.h"
#include "profile/run_notes.h"

/* Milliseconds between two looks at the child. */
enum { PAUSE = 50 };

struct run {
	struct agent_words words;
	enum launch_way way;
	char here[PATH_MAX];  /* the working directory */
	bool is_armed;        /* start=no */
	char *agent;          /* -agentpath:..., owned */
	char **command;       /* argv of the program, borrowed, with the word -- in front */
	char notes[PATH_MAX]; /* the folder of its JVMs' notes; "" for none */
};

/* ---- the words in front of -- ---- */

static int read_words(struct run *run, int argc, char **argv)
{
	int status = EXIT_DONE, end = 1;

	while (end < argc && strcmp(argv[end], "--") != 0)
		end++;
	if (end + 1 == argc)
		return command_usage("run", "nothing to run behind --");
	/* What is to be run decides how the other words are passed on: JVMs below another
	 * program may work in other folders. */
	if (end < argc) {
		run->command = argv + end + 1;
		run->way = launch_way_of(run->command[0]);
	}
	if (run->command && run->way == LAUNCH_ANY) {
		if (!getcwd(run->here, sizeof(run->here))) {
			say("cannot tell the working directory: %s", strerror(errno));
			return EXIT_FAILED;
		}
		run->words.folder = run->here;
	}
	for (int at = 1; at < argc && strcmp(argv[at], "--") != 0 && status == EXIT_DONE;
		at++) {
		if (strncmp(argv[at], "--", 2) != 0)
			return command_usage("run",
				"'%s' is no option; write -- before the command", argv[at]);
		status = agent_words_take(&run->words, argc, argv, &at);
	}
	if (status == EXIT_DONE && !run->command)
		return command_usage("run", "no -- and command");
	return status;
}

/* ---- the agent's options ---- */

/* Finds where the profile will be, from the words, the config file and the default, and
 * tells the agent the same. */
static int place_profile(struct run *run)
{
	struct options options;
	struct error error = {0};
	char *all = agent_words_join(&run->words), *file;
	int failed;

	if (!all)
		return command_no_memory();
	failed = options_parse(&options, all, &error);
	free(all);
	if (failed != 0)
		return command_failed(&error);
	run->is_armed = !options.start;
	/* With the time of now, and absolute where the agent's JVM may work elsewhere. */
	if (run->way == LAUNCH_ANY) {
		file = profile_file_whole(options.file, true, &error);
	} else {
		file = profile_file_fix_time(options.file, (long)time(NULL));
		if (!file)
			error_set(&error, ERROR_MEMORY, "no memory");
	}
	failed = file ? profile_file_check(file, &error) : -(int)error.code;
	if (failed == 0 && (run->words.file || strcmp(file, options.file) != 0))
		failed = options_append(&run->words.options, "file", file, &error);
	free(file);
	options_fini(&options);
	if (failed != 0)
		return command_failed(&error);
	return run->is_armed && run->words.duration != 0
		       ? command_usage("run", "--start no and --duration exclude each other")
		       : EXIT_DONE;
}

/* ---- the child ---- */

static const int passed_on[] = {SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGUSR1, SIGUSR2};
#define PASSED_ON (sizeof(passed_on) / sizeof(passed_on[0]))

/* Set before the handlers are, while the signals are blocked. */
static volatile pid_t child;

static void pass_on(int number, siginfo_t *info, void *context)
{
	int saved = errno;

	/* Above 0 it comes from the kernel: the terminal, which told the child too. */
	if (info->si_code <= 0)
		kill(child, number);
	errno = saved;
}

/* What exec fails with comes through a pipe, which closes when it works. Signals wait until the
 * child is known; those that are ignored (nohup) stay so, here and in the child. */
static int start_child(char **argv)
{
	struct sigaction action = {
		.sa_sigaction = pass_on, .sa_flags = SA_SIGINFO | SA_RESTART};
	sigset_t before, set;
	int ends[2], reason;

	if (pipe2(ends, O_CLOEXEC) != 0) {
		say("cannot make a pipe: %s", strerror(errno));
		return EXIT_FAILED;
	}
	sigemptyset(&set);
	for (size_t i = 0; i < PASSED_ON; i++)
		sigaddset(&set, passed_on[i]);
	sigprocmask(SIG_BLOCK, &set, &before);
	child = fork();
	if (child == 0) {
		sigprocmask(SIG_SETMASK, &before, NULL);
		execvp(argv[0], argv);
		reason = errno;
		_exit(write(ends[1], &reason, sizeof(reason)) == (ssize_t)sizeof(reason) ? 127
											 : 126);
	}
	reason = child < 0 ? errno : 0;
	close(ends[1]);
	if (child > 0) {
		sigemptyset(&action.sa_mask);
		for (size_t i = 0; i < PASSED_ON; i++) {
			struct sigaction old;

			if (sigaction(passed_on[i], NULL, &old) == 0 &&
				old.sa_handler != SIG_IGN)
				sigaction(passed_on[i], &action, NULL);
		}
		sigprocmask(SIG_SETMASK, &before, NULL);
		while (read(ends[0], &reason, sizeof(reason)) < 0 && errno == EINTR)
			;
	}
	close(ends[0]);
	if (reason == 0)
		return 0;
	say("cannot run '%s': %s", argv[0], strerror(reason));
	return EXIT_FAILED;
}

/* ---- --duration ---- */

/* Its status is left to be waited for. */
static bool child_has_ended(void)
{
	siginfo_t info = {0};

	return waitid(P_PID, (id_t)child, &info, WEXITED | WNOHANG | WNOWAIT) != 0 ||
	       info.si_pid != 0;
}

/* The session that the command line has begun ends, the program runs on. A program that ended by itself is none of the
 * failures. */
static void end_recording(pid_t pid)
{
	struct error error = {0};
	struct control control = {.descriptor = -1};
	struct target target;
	json_t *result = NULL, *members = json_pack("{s:s}", "name", "main");

	if (target_open(&target, pid, &error) == 0) {
		/* The agent may have been busy with its start until now. */
		if (control_await(&control, &target, &error) == 0 &&
			control_ask(&control, "stop", members, &result, &error) == 0)
			fprintf(stderr,
				"jprof: the recording has ended; the program runs on\n");
		else if (target_is_ending(&target))
			error = (struct error){0};
		json_decref(result);
		control_close(&control);
		target_close(&target);
	} else if (error.code == ERROR_MISSING) {
		error = (struct error){0};
	}
	json_decref(members);
	if (error.code != ERROR_NONE && !child_has_ended())
		say("cannot end the recording: %s", error.text);
}

/* After --duration, unless the child has ended by then. Of java itself the pid is known before
 * its agent has told anything. */
static void end_recordings(const struct run *run)
{
	int64_t end = waiting_until(run->words.duration);
	struct run_notes notes = {0};
	struct error ignored = {0};

	while (waiting_now() < end) {
		if (child_has_ended())
			return;
		waiting_sleep(PAUSE);
	}
	if (child_has_ended())
		return;
	if (run->way != LAUNCH_ANY)
		end_recording(child);
	else if (run_notes_read(&notes, run->notes, &ignored) == 0)
		for (size_t i = 0; i < notes.count; i++)
			if (notes.note[i].kind == RUN_NOTE_JVM)
				end_recording((pid_t)notes.note[i].pid);
	run_notes_fini(&notes);
}

/* ---- what was made ---- */

/* It was made, was not removed, and no later note is about the same file. */
static bool is_profile(const struct run_notes *notes, size_t at)
{
	const struct run_note *note = &notes->note[at];

	if (note->kind != RUN_NOTE_PROFILE)
		return false;
	for (size_t i = at + 1; i < notes->count; i++) {
		const struct run_note *later = &notes->note[i];

		if (strcmp(later->text, note->text) == 0 &&
			(later->kind == RUN_NOTE_PROFILE || later->pid == note->pid))
			return false;
	}
	return true;
}

/* The path as it is read from our working directory. Borrowed from path. */
static const char *from_here(const char *path)
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

/* A JVM that goes on when the command has ended: a daemon, as build tools have. */
static void say_running(long pid)
{
	struct error ignored = {0};
	struct target target;
	char *state;

	if (pid <= 0 || target_open(&target, (pid_t)pid, &ignored) != 0)
		return;
	state = control_state(&target);
	if (state && strcmp(state, "armed") != 0 && !target_ended(&target))
		say("process %ld goes on recording; end that with: jprof stop %ld", pid, pid);
	free(state);
	target_close(&target);
}

/* Of several. A user may have removed it while the program ran. */
static void say_row(const struct run_note *note)
{
	fprintf(stderr, "jprof:   ");
	profile_file_put(from_here(note->text));
	fprintf(stderr, "  ");
	profile_file_put(note->program[0] != '\0' ? note->program : "a JVM");
	if (access(note->text, F_OK) != 0)
		fprintf(stderr, "  (not there any more)");
	fputc('\n', stderr);
}

/* Says where the profiles are, and what was not profiled, by the notes of the JVMs. */
static void say_profiles(const struct run *run, const struct run_notes *notes)
{
	size_t count = 0, of_kind[RUN_NOTE_REMARK + 1] = {0};

	for (size_t i = 0; i < notes->count; i++) {
		count += is_profile(notes, i);
		of_kind[notes->note[i].kind]++;
	}
	if (count == 0 && of_kind[RUN_NOTE_REFUSED] == 0)
		say("there is no profile: %s",
			of_kind[RUN_NOTE_JVM] == 0 ? "no JVM was started"
			: run->is_armed
				? "with --start no nothing is recorded until 'jprof start'"
				: "no JVM ran a program");
	if (count > 1)
		say("%zu profiles were made; read one with: jprof report FILE", count);
	for (size_t i = 0; i < notes->count; i++) {
		const struct run_note *note = &notes->note[i];
		bool is_named = run->way == LAUNCH_ANY && note->program[0] != '\0';

		if (!is_profile(notes, i))
			continue;
		if (count > 1)
			say_row(note);
		else if (access(note->text, F_OK) != 0)
			say("the profile '%s' is not there any more", from_here(note->text));
		else
			profile_file_say(
				is_named ? note->program : NULL, from_here(note->text));
	}
	for (size_t i = 0; i < notes->count; i++) {
		const struct run_note *note = &notes->note[i];

		if (is_profile(notes, i))
			say_running(note->pid);
		if (note->kind == RUN_NOTE_REFUSED)
			say("process %ld was not profiled: %s", note->pid, note->text);
		else if (note->kind == RUN_NOTE_REMARK && count > 1)
			say("process %ld: %s", note->pid, note->text);
		else if (note->kind == RUN_NOTE_REMARK)
			say("%s", note->text);
	}
}

/* ---- all of it ---- */

/* The command's status, as a shell tells it. */
static int run_command(struct run *run)
{
	char **argv = run->command, *option = NULL;
	struct run_notes notes = {0};
	struct error error = {0};
	int status;
	pid_t ended;

	if (run->way != LAUNCH_ANY) {
		if (asprintf(&option, "%s%s", run->way == LAUNCH_TOOL ? "-J" : "", run->agent) <
			0)
			return command_no_memory();
		/* Its first argument: the program's name takes the place of the word --. */
		argv--;
		argv[0] = argv[1];
		argv[1] = option;
	}
	status = start_child(argv);
	if (status == EXIT_DONE) {
		if (run->words.duration != 0)
			end_recordings(run);
		while ((ended = waitpid(child, &status, 0)) < 0 && errno == EINTR)
			;
		if (ended < 0) {
			say("cannot wait for the program: %s", strerror(errno));
			status = EXIT_FAILED;
		} else {
			status = WIFSIGNALED(status) ? 128 + WTERMSIG(status)
						     : WEXITSTATUS(status);
		}
		if (run_notes_read(&notes, run->notes, &error) != 0)
			command_failed(&error);
		else
			say_profiles(run, &notes);
		for (size_t i = 0; i < notes.count; i++)
			if (notes.note[i].kind == RUN_NOTE_PROFILE)
				known_jvms_note_profile(notes.note[i].text);
		run_notes_fini(&notes);
	}
	free(option);
	return status;
}

int cmd_run(int argc, char **argv)
{
	struct run run = {.words = {.command = "run", .has_duration = true}};
	struct error error = {0};
	int status = read_words(&run, argc, argv);

	if (status == EXIT_DONE)
		status = place_profile(&run);
	if (status == EXIT_DONE)
		status = agent_library_option(&run.agent, run.words.options, &error) == 0
				 ? EXIT_DONE
				 : command_failed(&error);
	/* What the children of this process find in their environment. */
	if (status == EXIT_DONE && (launch_set_environment(run.way, run.agent, &error) != 0 ||
					   run_notes_open(run.notes, &error) != 0))
		status = command_failed(&error);
	if (status == EXIT_DONE)
		status = run_command(&run);
	if (run.notes[0] != '\0')
		run_notes_close(run.notes);
	agent_words_fini(&run.words);
	free(run.agent);
	return status;
}
