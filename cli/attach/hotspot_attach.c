/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/*
 * hotspot_attach: the file, the signal, the socket, the request, the answer.
 *
 * The file is made in /tmp, where HotSpot makes its socket, too; where another user has
 * made one of that name, in the target's own directory, in which HotSpot looks first.
 */
#include "cli/attach/hotspot_attach.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "cli/attach/jvm_facts.h"
#include "cli/attach/local_socket.h"
#include "cli/terminal/waiting.h"

/* Milliseconds: for a JVM that is starting; for its socket; for an agent that changes thousands
 * of classes; between two looks. */
enum { START_LIMIT = 5000, LISTEN_LIMIT = 10000, LOAD_LIMIT = 120000, PAUSE = 20 };

/* Version 1 of the protocol: what an argument may hold, with its '\0'. */
enum { ARGUMENT_LIMIT = 1024 };

/* Of a longer answer the rest is not read. */
enum { ANSWER_SIZE = 16384 };

/* A JVM that is being asked; embedded. */
struct visit {
	const struct target *target;
	int directory;   /* /tmp as the target sees it */
	char socket[32]; /* names in there */
	char trigger[32];
};

#define INSTEAD "start it with -agentpath:.../libjprof.so instead (jprof run)"

/* ---- is it a JVM that may be asked ---- */

int hotspot_find_jvm(const struct target *target, struct jvm_maps *maps, struct error *error)
{
	struct waiting waiting;
	int failed = jvm_maps_read(target, maps, error);

	waiting_begin(&waiting, START_LIMIT, "process %ld to become a JVM", (long)target->pid);
	while (failed == 0 && !maps->jvm && maps->launcher && waiting_again(&waiting, PAUSE)) {
		jvm_maps_fini(maps);
		failed = jvm_maps_read(target, maps, error);
	}
	waiting_end(&waiting);
	if (failed != 0 || maps->jvm)
		return failed;
	jvm_maps_fini(maps);
	return error_set(error, ERROR_JVM, "process %ld is no JVM: it has not loaded libjvm.so",
		(long)target->pid);
}

/* SigCgt is the mask of signals with a handler, bit 0 for signal 1. */
static bool catches_quit(const struct target *target)
{
	unsigned long long mask;

	return target_status_number(target, "SigCgt", 16, &mask) &&
	       (mask >> (SIGQUIT - 1) & 1) != 0;
}

static int check_flags(
	const struct target *target, const struct jvm_maps *maps, struct error *error)
{
	if (!jvm_forbids_attach(target, maps))
		return 0;
	return error_set(error, ERROR_DENIED,
		"the JVM of process %ld was started with -XX:+DisableAttachMechanism; " INSTEAD,
		(long)target->pid);
}

static bool listens(const struct visit *visit)
{
	struct stat status;

	return fstatat(visit->directory, visit->socket, &status, AT_SYMLINK_NOFOLLOW) == 0;
}

static int refuse_quit(const struct target *target, struct error *error)
{
	return error_set(error, ERROR_DENIED,
		"process %ld does not catch the signal QUIT (-Xrs?), "
		"which attaching needs and which would end it; " INSTEAD,
		(long)target->pid);
}

/* A JVM that starts has no handler yet, and the signal would end it. With -Xrs it never has
 * one, but listens from its start on. */
static int await_handler(const struct visit *visit, struct error *error)
{
	const struct target *target = visit->target;
	struct waiting waiting;
	int failed = 0;

	waiting_begin(
		&waiting, START_LIMIT, "the JVM of process %ld to start", (long)target->pid);
	while (failed == 0 && !listens(visit) && !catches_quit(target)) {
		if (target_ended(target))
			failed = target_refuse_access(target, ESRCH, error);
		else if (waiting_interrupted() || !waiting_again(&waiting, PAUSE))
			failed = refuse_quit(target, error);
	}
	waiting_end(&waiting);
	return failed;
}

/* ---- waking the listener ---- */

static int await_socket(const struct visit *visit, int64_t limit, struct error *error)
{
	long pid = visit->target->pid;
	struct waiting waiting;
	int failed = 0;

	waiting_begin(&waiting, limit, "the JVM of process %ld to listen ('/tmp/%s')", pid,
		visit->socket);
	while (failed == 0 && !listens(visit)) {
		if (target_ended(visit->target))
			failed = target_refuse_access(visit->target, ESRCH, error);
		else if (waiting_interrupted())
			failed = error_set(error, ERROR_BUSY, "interrupted");
		else if (!waiting_again(&waiting, PAUSE))
			failed = error_set(error, ERROR_JVM,
				"process %ld did not answer within %lld s: its JVM makes "
				"no socket '/tmp/%s' (is it hung, or not HotSpot?)",
				pid, (long long)limit / 1000, visit->socket);
	}
	waiting_end(&waiting);
	return failed;
}

static int make_trigger(const struct visit *visit, int folder)
{
	int file;

	target_become(visit->target);
	file = openat(folder, visit->trigger,
		O_CREAT | O_EXCL | O_NOFOLLOW | O_WRONLY | O_CLOEXEC, 0600);
	target_unbecome();
	if (file >= 0)
		close(file);
	return file < 0 ? -1 : 0;
}

static void remove_trigger(const struct visit *visit, int folder)
{
	target_become(visit->target);
	unlinkat(folder, visit->trigger, 0);
	target_unbecome();
}

static int refuse_trigger(const struct visit *visit, struct error *error)
{
	return error_set_errno(error, ERROR_IO, errno,
		"cannot attach: process %ld cannot have a file in its '/tmp', where HotSpot "
		"makes its socket ('%s')",
		(long)visit->target->pid, visit->trigger);
}

/* Asks for the listener by its file and the signal. One signal, and only while there is no
 * socket: a JVM that listens answers another one by printing its threads. The signal goes to
 * that very process, even if its number has been given away meanwhile: a descriptor of
 * /proc/PID does for pidfd_send_signal(2), since Linux 5.1. folder: of the file. */
static int signal_listener(const struct visit *visit, int folder, struct error *error)
{
	const struct target *target = visit->target;
	long failed = 0;

	if (!listens(visit)) {
		failed = syscall(SYS_pidfd_send_signal, target->proc, SIGQUIT, NULL, 0);
		if (failed != 0 && (errno == ENOSYS || errno == EPERM))
			failed = target_ended(target) ? -1 : kill(target->pid, SIGQUIT);
		failed = failed != 0 ? error_set_errno(error, ERROR_DENIED, errno,
					       "cannot send a signal to process %ld",
					       (long)target->pid)
				     : await_socket(visit, LISTEN_LIMIT, error);
	}
	remove_trigger(visit, folder);
	return (int)failed;
}

/* 0, unless a file of that name belongs neither to root nor to the target's user: HotSpot
 * takes no notice of it, and in a folder of all no other user can remove it. where: the
 * folder's name with a slash. */
static int check_owner(const struct visit *visit, int folder, const char *where,
	const char *name, struct error *error)
{
	struct stat status;

	if (fstatat(folder, name, &status, AT_SYMLINK_NOFOLLOW) != 0 || status.st_uid == 0 ||
		status.st_uid == visit->target->uid)
		return 0;
	return error_set(error, ERROR_DENIED,
		"cannot attach: '%s%s' was made by user %u, who keeps everybody from "
		"attaching to process %ld; remove it",
		where, name, (unsigned)status.st_uid, (long)visit->target->pid);
}

/* The command that makes the file sends the signal. Another attach may be doing so right now; a
 * file that is not answered was left behind. folder: the target's own directory, where HotSpot
 * looks for the file first; negative if it cannot be opened. */
static int wake_by_trigger(const struct visit *visit, int folder, struct error *error)
{
	struct error ignored = {0};
	char where[32];

	snprintf(where, sizeof(where), "/proc/%ld/cwd/", (long)visit->target->pid);
	if (folder >= 0 && check_owner(visit, folder, where, visit->trigger, error) != 0)
		return -ERROR_DENIED;
	if (make_trigger(visit, visit->directory) == 0)
		return signal_listener(visit, visit->directory, error);
	if (errno != EEXIST)
		return refuse_trigger(visit, error);
	if (check_owner(visit, visit->directory, "/tmp/", visit->trigger, &ignored) != 0)
		return folder >= 0 && make_trigger(visit, folder) == 0
			       ? signal_listener(visit, folder, error)
			       : error_set(error, ignored.code, "%s", ignored.text);
	if (await_socket(visit, LISTEN_LIMIT / 2, &ignored) == 0)
		return 0;
	remove_trigger(visit, visit->directory);
	return make_trigger(visit, visit->directory) == 0
		       ? signal_listener(visit, visit->directory, error)
		       : refuse_trigger(visit, error);
}

static int visit_open(struct visit *visit, const struct target *target, struct error *error)
{
	long inner = (long)target->inner_pid;

	visit->target = target;
	snprintf(visit->socket, sizeof(visit->socket), ".java_pid%ld", inner);
	snprintf(visit->trigger, sizeof(visit->trigger), ".attach_pid%ld", inner);
	visit->directory = target_open_path(target, "/tmp", O_PATH | O_DIRECTORY);
	if (visit->directory >= 0)
		return 0;
	return error_set_errno(error, ERROR_IO, errno,
		"cannot attach: cannot open '/tmp' as process %ld sees it", (long)target->pid);
}

int hotspot_check(const struct target *target, const struct jvm_maps *maps, struct error *error)
{
	struct visit visit;
	int failed = visit_open(&visit, target, error);

	if (failed != 0)
		return failed;
	if (!listens(&visit)) {
		failed = check_flags(target, maps, error);
		if (failed == 0 && !catches_quit(target))
			failed = refuse_quit(target, error);
	}
	close(visit.directory);
	return failed;
}

int hotspot_wake(const struct target *target, const struct jvm_maps *maps, struct error *error)
{
	struct visit visit;
	char other[sizeof(visit.socket) + sizeof(".tmp")];
	int folder, failed = visit_open(&visit, target, error);

	if (failed != 0)
		return failed;
	/* HotSpot makes its socket under a second name, and renames it. */
	snprintf(other, sizeof(other), "%s.tmp", visit.socket);
	failed = check_owner(&visit, visit.directory, "/tmp/", visit.socket, error);
	if (failed == 0 && !listens(&visit))
		failed = check_owner(&visit, visit.directory, "/tmp/", other, error);
	/* A JVM that listens already needs no signal. */
	if (failed == 0 && !listens(&visit))
		failed = check_flags(target, maps, error);
	if (failed == 0)
		failed = await_handler(&visit, error);
	if (failed == 0 && !listens(&visit)) {
		folder = openat(target->proc, "cwd", O_PATH | O_DIRECTORY | O_CLOEXEC);
		failed = wake_by_trigger(&visit, folder, error);
		if (folder >= 0)
			close(folder);
	}
	close(visit.directory);
	return failed;
}

/* ---- the request and its answer ---- */

/* Without line breaks and blanks at the end. */
static void trim(char *text)
{
	size_t length = strlen(text);

	while (length > 0 && strchr("\r\n \t", text[length - 1]))
		text[--length] = '\0';
	for (; *text != '\0'; text++) {
		if (*text == '\n' || *text == '\r')
			*text = ' ';
	}
}

/* What the JVM says, and what that means to a user. JDK 17 sends it behind the code -1,
 * JDK 25 behind 0. */
static const struct {
	const char *text;
	const char *meaning;
} refusals[] = {
	{"Dynamic agent loading is not enabled",
		"it was started with -XX:-EnableDynamicAgentLoading; " INSTEAD},
	{"was not loaded", "the library could not be loaded"},
	{"is not available in", "the library is no agent for running JVMs"},
};

static int not_understood(const char *text, struct error *error)
{
	return error_set(error, ERROR_FORMAT, "the JVM's answer is not understood: '%s'",
		error_subject(text).text);
}

/* The agent's own code: "return code: N" since JDK 9, "N" before. */
static int judge_agent(const char *text, struct error *error)
{
	static const char mark[] = "return code: ";
	const char *number =
		strncmp(text, mark, strlen(mark)) == 0 ? text + strlen(mark) : text;
	char *end;
	long code = strtol(number, &end, 10);

	if (end == number || *end != '\0')
		return not_understood(text, error);
	if (code == 0)
		return 0;
	return error_set(error, ERROR_BUSY,
		"the agent did not start (code %ld); its own line is on the standard "
		"error of the process",
		code);
}

static int judge(char *answer, struct error *error)
{
	char *text;
	long code = strtol(answer, &text, 10);

	if (answer[0] == '\0')
		return error_set(error, ERROR_DENIED,
			"the JVM closed the connection without an answer: it wants the "
			"same user and group as its own, or root");
	if (text == answer || (*text != '\n' && *text != '\0')) {
		trim(answer);
		return not_understood(answer, error);
	}
	text += *text == '\n';
	trim(text);
	for (size_t i = 0; i < sizeof(refusals) / sizeof(*refusals); i++) {
		if (strstr(text, refusals[i].text))
			return error_set(error, ERROR_JVM,
				"the JVM did not load the agent: %s (it says: %.400s)",
				refusals[i].meaning, text);
	}
	/* HotSpot's own codes (attachListener.hpp) and whatever else it may say. */
	if (code == 100)
		return error_set(
			error, ERROR_DENIED, "the JVM has attaching disabled; " INSTEAD);
	if (code == 101)
		return error_set(error, ERROR_VERSION,
			"the JVM does not speak version 1 of the attach protocol");
	if (code != 0)
		return error_set(error, ERROR_JVM,
			"the JVM did not load the agent (code %ld%s%.400s)", code,
			text[0] != '\0' ? "; it says: " : "", text);
	return judge_agent(text, error);
}

static int ask_load(const struct target *target, int connection, const char *library,
	const char *options, struct error *error)
{
	/* "1", the command, and three arguments, a '\0' behind each. */
	const char *const words[] = {"1", "load", library, "true", options};
	char request[3 * ARGUMENT_LIMIT], answer[ANSWER_SIZE];
	struct waiting waiting;
	size_t length = 0;
	long size = 0, got;

	for (size_t i = 0; i < sizeof(words) / sizeof(*words); i++) {
		memcpy(request + length, words[i], strlen(words[i]) + 1);
		length += strlen(words[i]) + 1;
	}
	waiting_begin(&waiting, waiting_answer_limit(LOAD_LIMIT),
		"the JVM of process %ld to load the agent", (long)target->pid);
	got = local_socket_send(connection, request, length, &waiting, error);
	/* Until the JVM closes. */
	if (got == 0)
		do {
			got = local_socket_receive(connection, answer + size,
				(size_t)(ANSWER_SIZE - 1 - size), &waiting, error);
			size += got;
		} while (got > 0 && size < ANSWER_SIZE - 1);
	waiting_end(&waiting);
	if (got < 0)
		return (int)got;
	answer[size] = '\0';
	return judge(answer, error);
}

int hotspot_load(const struct target *target, const char *library, const char *options,
	struct error *error)
{
	bool library_fits = strlen(library) < ARGUMENT_LIMIT;
	struct visit visit;
	int failed, connection;

	if (!library_fits || strlen(options) >= ARGUMENT_LIMIT)
		return error_set(error, ERROR_VALUE,
			"the JVM takes at most %d bytes for the path of an agent, and as many "
			"for its options: '%s' is too long",
			ARGUMENT_LIMIT - 1,
			error_subject(library_fits ? options : library).text);
	failed = visit_open(&visit, target, error);
	if (failed != 0)
		return failed;
	connection = local_socket_connect(
		target, visit.directory, visit.socket, "attach socket", error);
	close(visit.directory);
	if (connection < 0)
		return connection;
	failed = ask_load(target, connection, library, options, error);
	close(connection);
	return failed;
}

/* ---- other commands of the JVM ---- */

/* All of it, with a '\0' behind; NULL with error filled. */
static char *receive_all(int connection, struct waiting *waiting, struct error *error)
{
	size_t room = ANSWER_SIZE, size = 0;
	char *answer = malloc(room), *grown;
	long got = 1;

	while (answer && got > 0) {
		got = local_socket_receive(
			connection, answer + size, room - 1 - size, waiting, error);
		size += got > 0 ? (size_t)got : 0;
		if (size + 1 < room)
			continue;
		room *= 2;
		grown = realloc(answer, room);
		if (!grown)
			free(answer);
		answer = grown;
	}
	if (!answer)
		error_set(error, ERROR_MEMORY, "no memory for the JVM's answer");
	else if (got < 0)
		free(answer);
	else
		answer[size] = '\0';
	return got < 0 ? NULL : answer;
}

/* A line with a code stands before it, which is taken off. */
static int judge_answer(const char *command, char *answer, struct error *error)
{
	char *text;
	long code = strtol(answer, &text, 10);

	if (answer[0] == '\0')
		return error_set(error, ERROR_DENIED,
			"the JVM closed the connection without an answer: it wants the "
			"same user and group as its own, or root");
	if (text == answer || (*text != '\n' && *text != '\0')) {
		trim(answer);
		return not_understood(answer, error);
	}
	text += *text == '\n';
	if (code != 0) {
		trim(text);
		return error_set(error, ERROR_JVM, "the JVM refused '%s' (code %ld%s%.400s)",
			command, code, text[0] != '\0' ? "; it says: " : "",
			error_subject(text).text);
	}
	memmove(answer, text, strlen(text) + 1);
	return 0;
}

int hotspot_ask(const struct target *target, const char *const words[4], const char *what,
	char **answer, struct error *error)
{
	char request[5 * ARGUMENT_LIMIT] = "1";
	struct waiting waiting;
	struct visit visit;
	size_t length = 2;
	int failed = visit_open(&visit, target, error), connection;

	*answer = NULL;
	if (failed != 0)
		return failed;
	/* "1", the command, and three arguments, a '\0' behind each. */
	for (int i = 0; i < 4; i++) {
		const char *word = i > 0 && !words[i] ? "" : words[i];

		if (strlen(word) >= ARGUMENT_LIMIT)
			failed = error_set(error, ERROR_VALUE,
				"the JVM takes at most %d bytes: '%s' is too long",
				ARGUMENT_LIMIT - 1, error_subject(word).text);
		else
			length += (size_t)(stpcpy(request + length, word) + 1 -
					   (request + length));
	}
	connection = failed ? failed
			    : local_socket_connect(target, visit.directory, visit.socket,
				      "attach socket", error);
	close(visit.directory);
	if (connection < 0)
		return connection;
	waiting_begin(&waiting, waiting_answer_limit(LOAD_LIMIT), "the JVM of process %ld %s",
		(long)target->pid, what);
	failed = local_socket_send(connection, request, length, &waiting, error);
	if (failed == 0) {
		*answer = receive_all(connection, &waiting, error);
		failed = *answer ? judge_answer(words[0], *answer, error) : -(int)error->code;
	}
	waiting_end(&waiting);
	close(connection);
	if (failed != 0) {
		free(*answer);
		*answer = NULL;
	}
	return failed;
}
